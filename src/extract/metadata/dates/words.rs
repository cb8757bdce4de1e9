//! Names of days of the week and months, halves of the day and time zones in the languages of the press. Data only;
//! must not know how a date is put together.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::tokens::fold;

/// Days of the week, lower case, as date lines print them.
pub(super) const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "tues",
    "wed",
    "thu",
    "thur",
    "thurs",
    "fri",
    "sat",
    "sun",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonnabend",
    "sonntag",
    "lundi",
    "mardi",
    "mercredi",
    "jeudi",
    "vendredi",
    "samedi",
    "dimanche",
    "lunes",
    "martes",
    "miércoles",
    "jueves",
    "viernes",
    "sábado",
    "domingo",
    "lunedì",
    "martedì",
    "mercoledì",
    "giovedì",
    "venerdì",
    "sabato",
    "domenica",
    "segunda",
    "terça",
    "quarta",
    "quinta",
    "sexta",
    "maandag",
    "dinsdag",
    "woensdag",
    "donderdag",
    "vrijdag",
    "zaterdag",
    "zondag",
    "poniedziałek",
    "wtorek",
    "środa",
    "czwartek",
    "piątek",
    "sobota",
    "niedziela",
    "понедельник",
    "вторник",
    "среда",
    "четверг",
    "пятница",
    "суббота",
    "воскресенье",
    "δευτέρα",
    "τρίτη",
    "τετάρτη",
    "πέμπτη",
    "παρασκευή",
    "σάββατο",
    "κυριακή",
    "måndag",
    "tisdag",
    "onsdag",
    "torsdag",
    "fredag",
    "lördag",
    "söndag",
    "mandag",
    "tirsdag",
    "lørdag",
    "søndag",
    "星期一",
    "星期二",
    "星期三",
    "星期四",
    "星期五",
    "星期六",
    "星期日",
];

/// Month names of any language: `name` matches exactly, `name*` with an ending of at most four letters.
const MONTHS: [&str; 12] = [
    "january januar* januari* jan jän jänner enero ene janvier janv gennaio gen janeiro января янв январь \
     січня січ студзеня stycznia styczeń sty ledna leden siječnja siječanj sijecnja január* ianuar* ian \
     ιανουαρίου ιανουάριος γενάρη γενάρης ιαν ocak oca tammikuu* jaanuar* jaan janvār* janv sausio saus يناير كانون جانفي ژانویه \
     جنوری ינואר janúar* gener januarie yanvar* januarja јануар* јан януари яну मकर जनवरी জানুয়ারি มกราคม \
     enero januari januarie қаңтар jannar* janwari \
     ஜனவரி జనవరి ಜನವರಿ ജനുവരി જાન્યુઆરી ਜਨਵਰੀ जानेवारी जन იანვარ* იანვრ* հունվար* janar urtarrila urtarrilak urtarrilaren មករា \
     ខែមករា ဇန်နဝါရီ ມັງກອນ ජනවාරි ጃንዋሪ ጃንዩወሪ ionawr eanáir \
     січень студзень ינו जाने জানু জানুৱাৰী ஜன జన ಜನ ജനു જાન્યુ ਜਨ ଜାନୁଆରୀ ဇန် იან հնվ sausis xaneiro janairu \
     jannaayo janaayo ýanwar schaner جنوري январ ጃን",
    "february februar* feb febr feber febrero février fevrier févr fev febbraio fevereiro февраля февр фев февраль \
     лютого лют лютага lutego luty lut února únor unora veljače veljača februári* februarie φεβρουαρίου φεβρουάριος φλεβάρη φλεβάρης φεβ \
     şubat şub helmikuu* veebruar* veebr februār* vasario vas فبراير شباط فيفري فوریه فروری פברואר febrúar* febrer \
     fevral* фебруар* феб февруари फरवरी ফেব্রুয়ারি กุมภาพันธ์ februari ақпан februwari \
     பிப்ரவரி ఫిబ్రవరి ಫೆಬ್ರವರಿ ഫെബ്രുവരി ફેબ્રુઆરી ਫਰਵਰੀ ਫ਼ਰਵਰੀ फेब्रुवारी फर თებერვ* փետրվար* shkurt \
     pebrero pebruari otsaila otsailak otsailaren កុម្ភៈ ខែកុម្ភៈ ဖေဖော်ဝါရီ ກຸມພາ පෙබරවාරි ፌብሩዋሪ ፌብሩወሪ chwefror feabhra \
     лютий люты फ़र फेब्रु फेब्रुअरी פבר ফেব ফেব্রু ফেব্ৰু ফেব্ৰুৱাৰী பிப் ఫిబ్ర ಫೆಬ್ರ ഫെബ്രു ફેબ્રુ ਫ਼ਰ ଫେବୃଆରୀ ဖေ \
     თებ փտվ vasaris febreiro faburairu febraayo fewral* favrer феврал فبروري فېبروري شوبات ፌብ",
    "march märz maerz mrz mär maart mrt marzo mar mars março marco марта мар март березня бер сакавіка marca marzec \
     března březen brezna ožujka ožujak ozujka március* márc martie μαρτίου μάρτιος μάρτη μάρτης μαρ mart maaliskuu* märts* marts \
     mart* martā kovo kov مارس آذار اذار مارچ מרץ מרס març mars martie марта мартa मार्च মার্চ มีนาคม mac maret наурыз \
     machi mashi mart \
     மார்ச் మార్చి ಮಾರ್ಚ್ മാർച്ച് മാര്‍ച്ച് માર્ચ ਮਾਰਚ მარტ* մարտ* marso martxoa martxoak martxoaren មីនា ខែមីនា မတ် ມີນາ \
     මාර්තු ማርች mawrth \
     березень сакавік মাৰ্চ மார் മാർ ମାର୍ଚ୍ଚ მარ մրտ kovas marzu ئازار ئادار",
    "april apr abril abr avril avr aprile aprilis aprīl* апреля апр апрель квітня квіт красавіка kwietnia kwiecień kwi \
     dubna duben travnja travanj április* ápr aprilie απριλίου απρίλιος απρίλη απρίλης απρ nisan nis huhtikuu* aprill* balandžio bal \
     أبريل ابريل إبريل نيسان أفريل آوریل اپریل אפריל apríl* aprel* април* अप्रैल এপ্রিল เมษายน aprila сәуір aprili epreli \
     ஏப்ரல் ఏప్రిల్ ಏಪ್ರಿಲ್ ഏപ്രിൽ એપ્રિલ ਅਪ੍ਰੈਲ एप्रिल აპრილ* ապրիլ* prill apirila apirilak apirilaren មេសា ខែមេសា ဧပြီ ເມສາ \
     අප්රේල් ኤፕሪል ebrill aibreán \
     квітень красавік אפר एप्रि अप्रिल এপ্রি এপ্ৰিল ஏப் ఏప్రి ಏಪ್ರಿ ഏപ്രി ਅਪ੍ਰੈ ଅପ୍ରେଲ აპრ ապր balandis afirilu \
     abriil avrigl апрел نیسان ኤፕሪ",
    "may mai mayo maggio mag maio мая май травня трав мая траўня maja maj mája května květen kvetna svibnja svibanj \
     május* máj mai μαΐου μαίου μάιος μάη μάης μαϊου mayıs may toukokuu* maijs maijā maija gegužės geg مايو أيار ايار ماي مه مئی \
     מאי maig mei мај маја мајa май मई মে พฤษภาคม maí мамыр mei meyi \
     மே మే ಮೇ മേയ് മെയ് મે ਮਈ მაის* մայիս* maiatza maiatzak maiatzaren ឧសភា ខែឧសភា မေ ພຶດສະພາ මැයි ሜይ bealtaine \
     травень मे ମଇ მაი մյս μάι gegužė mejju ئایار مۍ",
    "june jun juni juin junio giugno giu junho июня июн июнь червня черв чэрвеня czerwca czerwiec cze června červen \
     cervna lipnja lipanj júna jún június* jún iunie iun ιουνίου ιούνιος ιούνη ιούνης ιουν haziran haz kesäkuu* juuni* jūnij* \
     birželio birž يونيو حزيران جوان ژوئن جون יוני juny iyun* јун* юни जून জুন มิถุนายน júní junija маусым juni \
     ஜூன் జూన్ ಜೂನ್ ജൂൺ જૂન ਜੂਨ ივნის* հունիս* qershor hunyo ekaina ekainak ekainaren មិថុនា ខែមិថុនា ဇွန် ມິຖຸນາ ජූනි ጁን \
     mehefin meitheamh \
     червень чэрвень जुन ଜୁନ ივნ հնս birželis xuño ġunju zercladur يونيه يونية حوزەیران",
    "july jul juli juillet juil julio luglio lug julho июля июл июль липня лип ліпеня lipca lipiec lip července \
     červenec cervence srpnja srpanj júla júl július* júl iulie iul ιουλίου ιούλιος ιούλη ιούλης ιουλ temmuz tem heinäkuu* juuli* \
     jūlij* liepos liep يوليو تموز جويلية ژوئیه جولائی יולי juliol iyul* јул* юли जुलाई জুলাই กรกฎาคม júlí julija шілде \
     julai \
     ஜூலை జులై జూలై ಜುಲೈ ജൂലൈ જુલાઈ ਜੁਲਾਈ जुलै जुला ივლის* հուլիս* korrik hulyo uztaila uztailak uztailaren កក្កដា ខែកក្កដា \
     ဇူလိုင် ກໍລະກົດ ජූලි ጁላይ gorffennaf iúil \
     липень ліпень जुल ਜੁਲਾ জুল ଜୁଲାଇ ဇူ ივლ հլս xullo lulju luulyo fanadur يوليه يولية يوليوز جولای تەمووز čvc",
    "august aug agosto ago août aout augusti augustus августа авг август серпня серп жніўня sierpnia sierpień sie srpna \
     srpen kolovoza kolovoz august* augusztus* aug αυγούστου αύγουστος αυγούστο αυγ ağustos ağu elokuu* augustā augusts \
     rugpjūčio rugp أغسطس اغسطس آب اب أوت اوت غشت اوت اگست אוגוסט agost avqust* avgust* август* авг अगस्त আগস্ট สิงหาคม \
     ágúst ogos agustus тамыз agosti \
     ஆகஸ்ட் ఆగస్టు ఆగస్ట్ ಆಗಸ್ಟ್ ഓഗസ്റ്റ് ആഗസ്റ്റ് ઓગસ્ટ ਅਗਸਤ ऑगस्ट აგვისტ* օգոստոս* gusht abuztua abuztuak abuztuaren សីហា \
     ខែសីហា သြဂုတ် ဩဂုတ် ສິງຫາ අගෝස්තු ኦገስት awst lúnasa \
     серпень жнівень אוג अग अगस्ट ऑग আগ আগষ্ট ஆக ఆగ ಆಗ ഓഗ ઑગસ્ટ ਅਗ ଅଗଷ୍ଟ აგვ օգս rugpjūtis awgust awwissu avust \
     اګست ئاب ኦገስ",
    "september sep sept septiembre setiembre set septembre settembre setembro сентября сент сен сентябрь вересня вер \
     верасня września wrzesień wrz září zari rujna rujan szeptember* szept septembrie σεπτεμβρίου σεπτέμβριος σεπτέμβρη σεπτέμβρης σεπ σεπτ \
     eylül eyl syyskuu* septembr* septembri* rugsėjo rugs سبتمبر أيلول ايلول شتنبر سپتامبر ستمبر ספטמבר setembre \
     sentyabr* септембар септембра септ септември सितंबर সেপ্টেম্বর กันยายน septembra september* қыркүйек septemba \
     செப்டம்பர் సెప్టెంబర్ సెప్టెంబరు ಸೆಪ್ಟೆಂಬರ್ സെപ്റ്റംബർ സെപ്തംബർ સપ્ટેમ્બર ਸਤੰਬਰ सप्टेंबर सित \
     სექტემბ* սեպտեմբեր* shtator setyembre iraila irailak irailaren កញ្ញា ខែកញ្ញា စက်တင်ဘာ ກັນຍາ සැප්තැම්බර් ሴፕቴምበር medi \
     вересень верасень ספט सितम्बर सप्टें सेप्टेम्बर সেপ সেপ্ট ছেপ্তে ছেপ্তেম্বৰ செப் సెప్టెం ಸೆಪ್ಟೆಂ സെപ്റ്റം \
     સપ્ટે ਸਤੰ ସେପ୍ଟେମ୍ବର စက် სექ սեպ rugsėjis septembar sentabr* satumba settembru sebtembar sebteembar settember \
     сентябр سېپتمبر سپتمبر ئەیلوول ሴፕቴ",
    "october oct oktober* okt octubre octobre ottobre ott outubro out октября окт октябрь жовтня жовт кастрычніка \
     października październik paź pazdziernika října říjen rijna október* octombrie οκτωβρίου οκτώβριος οκτώβρη οκτώβρης οκτ \
     ekim eki lokakuu* oktoober* oktobr* oktōbr* spalio spal أكتوبر اكتوبر تشرين اکتبر اکتوبر אוקטובר oktyabr* октобар \
     октобра октомври अक्टूबर অক্টোবর ตุลาคม oktobra қазан oktoba \
     அக்டோபர் అక్టోబర్ అక్టోబరు ಅಕ್ಟೋಬರ್ ഒക്ടോബർ ഒക്റ്റോബർ ઓક્ટોબર ઑક્ટોબર ਅਕਤੂਬਰ ऑक्टोबर ოქტომბ* \
     հոկտեմբեր* tetor oktubre urria urriak urriaren តុលា ខែតុលា အောက်တိုဘာ ຕຸລາ ඔක්තෝබර් ኦክቶበር hydref \
     жовтень кастрычнік אוק अक्तूबर अक्टू ऑक्टो अक्टोबर অক্টো অক্টোবৰ அக் అక్టో ಅಕ್ಟೋ ഒക്ടോ ઑક્ટો ਅਕਤੂ ଅକ୍ଟୋବର \
     အောက် ოქტ հոկ spalis oktobar oktabr* ottubru oktoobar октябр ኦክቶ",
    "november nov november* noviembre novembre novembro ноября нояб ноя ноябрь листопада лист лістапада listopada \
     listopad lis listopadu studenog studenoga studeni noiembrie νοεμβρίου νοέμβριος νοέμβρη νοέμβρης νοε kasım kas marraskuu* \
     novembr* lapkričio lapkr نوفمبر نونبر نوامبر نومبر נובמבר noyabr* новембар новембра ноември नवंबर नवम्बर নভেম্বর \
     พฤศจิกายน nóvember novembra қараша novemba \
     நவம்பர் నవంబర్ నవంబరు ನವೆಂಬರ್ നവംബർ നവംബര് નવેમ્બર ਨਵੰਬਰ नोव्हेंबर नव ნოემბ* նոյեմբեր* nëntor \
     nobyembre nopember azaroa azaroak azaroaren វិច្ឆិកា ខែវិច្ឆិកា နိုဝင်ဘာ ພະຈິກ නොවැම්බර් ኖቬምበር tachwedd samhain samhna \
     листопад лістапад נוב नोव्हें नोभेम्बर নভে নৱে নৱেম্বৰ நவ నవం ನವೆಂ നവം નવે ਨਵੰ ନଭେମ୍ବର နို ნოე նոյ lapkritis \
     novembar nuwamba noofeembar novembru ноябр ное ноем ኖቬም",
    "december dec dez dic dicembre diciembre decembre décembre déc dezembro december* dezember* desember* декабря дек \
     декабрь грудня груд снежня grudnia grudzień gru prosince prosinec prosinca prosinac decembrie δεκεμβρίου \
     δεκέμβριος δεκέμβρη δεκέμβρης δεκ aralık ara joulukuu* detsember* decembr* gruodžio gruod ديسمبر دجنبر دسامبر دسمبر דצמבר desembre \
     dekabr* децембар децембра декември दिसंबर दिसम्बर ডিসেম্বর ธันวาคม desember decembra желтоқсан desemba \
     டிசம்பர் డిసెంబర్ డిసెంబరు ಡಿಸೆಂಬರ್ ഡിസംബർ ഡിസംബര് ડિસેમ્બર ਦਸੰਬਰ डिसेंबर दिस დეკემბ* դեկտեմբեր* \
     dhjetor disyembre abendua abenduak abenduaren ធ្នូ ខែធ្នូ ဒီဇင်ဘာ ທັນວາ දෙසැම්බර් ዲሴምበር rhagfyr nollaig nollag \
     грудень снежань דצמ דצ डिसें डिसेम्बर ডিসে ডিচে ডিচেম্বৰ டிச డిసెం ಡಿಸೆಂ ഡിസം ડિસે ਦਸੰ ଡିସେମ୍ବର დეკ դեկ \
     gruodis decembar disemba disember disamba diseembar diċembru декабр ዲሴም",
];

/// Month names that are words of prose elsewhere, or another month's, by the languages in which they are read: what of the
/// twelve [`MONTHS`] lacks. Systems that nobody has set up declare English.
const OF_LANGUAGES: [(&str, &str); 31] = [
    ("uk ru en", "- - - кві тра чер - сер - жов лис гру"),
    ("be ru", "сту - сак кра - чэр ліп жні - кас ліс сне"),
    ("sr mk bs bg", "- - - - - - - - сеп - нов дец"),
    ("kk", "қаң ақп нау сәу мам мау шіл там қыр қаз қар жел"),
    ("hr bs", "sij velj ožu tra svi lip srp/srpna kol ruj lis/listopad/listopada stu pro"),
    ("cs", "led úno bře dub kvě čvn čvc srp zář říj lis pro"),
    ("sk sl", "- - marec - - - - - - - - -"),
    ("sl hr sr bs", "- - - - - - - avg - - - -"),
    ("lt", "- - - - - - liepa - - - - -"),
    ("et", "- - - - - - - - - - - dets"),
    (
        "fi",
        "tammi/tammik helmi/helmik maalis/maalisk huhti/huhtik touko/toukok kesä/kesäk heinä/heinäk elo/elok syys/syysk \
         loka/lokak marras/marrask joulu/jouluk",
    ),
    ("no nb nn da is fo ca af sw", "- - - - - - - - - - - des"),
    ("id ms jv su en", "- peb - - - - - ags/agt/agust - - nop des"),
    ("ms", "- - - - - - - ogo - - - dis"),
    ("zu", "januwari - mas eph/ephreli mey - julayi aga/agasti septhemba okthoba - dis"),
    ("it", "- - - - - - - - sett - - -"),
    ("ro mo", "- - - - - - - - - - noi -"),
    ("ca", "- - - - - - - ag - - - -"),
    ("gl", "xan - - - - xuñ xul - - - - -"),
    ("af", "- - - - - junie julie - - - - -"),
    ("lb", "- - mäe abrëll mee - - - - - - -"),
    ("mt", "- fra/frar - - mej ġun lul aww - - - diċ"),
    ("az uz tk", "yan/ýan few - - - iyn iyl avq/avg/awg sen - noy dek"),
    ("sq", "- shk - pri - qer korr gush sht tet nën dhj"),
    ("eu", "urt ots - api - eka uzt abu ira urr aza abe"),
    ("tl fil", "- peb - - - hun hul - - - nob dis"),
    ("cy", "ion chw/chwef maw ebr - meh gor/gorff - - hyd tach rhag"),
    ("ga", "ean feabh - aib beal meith - lún mean deireadh samh noll"),
    ("so", "- febraayo maarso - maayo juun lul ogosto/ogs seb - nof dis"),
    ("ha", "- fab maris afi mayu yun/yuni yul/yuli agusta sat - nuw dis"),
    ("ig", "jen/jenụwarị - maa/maachị epr/epreel mee juu - ọgọ/ọgọọst - - - dis"),
];

#[derive(Default)]
struct Names {
    exact: HashMap<String, u8, FixedState>,
    stems: HashMap<String, u8, FixedState>,
    /// Of each name, the month in some languages.
    of_languages: HashMap<String, Vec<(&'static str, u8)>, FixedState>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names::default();
    for (month, list) in (1u8..).zip(MONTHS) {
        for name in list.split_ascii_whitespace() {
            let (map, name) = match name.strip_suffix('*') {
                Some(stem) => (&mut names.stems, stem),
                None => (&mut names.exact, name),
            };
            map.entry(fold(name)).or_insert(month);
        }
    }
    for (languages, list) in OF_LANGUAGES {
        for (month, list) in (1u8..).zip(list.split_ascii_whitespace()) {
            for name in list.split('/').filter(|&name| name != "-") {
                names.of_languages.entry(fold(name)).or_default().push((languages, month));
            }
        }
    }
    names
});

/// The month that a folded word names in `language`, else in any; `next` is the following word, for the Levantine names of
/// two words.
pub(super) fn month(word: &str, next: Option<&str>, language: &str) -> Option<u8> {
    // Arabic: "first" or "second" Tishrin and Kanun.
    let second = next.is_some_and(|n| n.starts_with("الثان"));
    match word {
        "تشرين" => return Some(if second { 11 } else { 10 }),
        "كانون" => return Some(if second { 1 } else { 12 }),
        _ => {}
    }
    let spoken = |(languages, _): &&(&str, u8)| languages.split(' ').any(|l| l == language);
    if let Some(&(_, month)) = NAMES.of_languages.get(word).and_then(|of| of.iter().find(spoken)) {
        return Some(month);
    }
    // Hebrew glues "in" to the month; Semitic and Slavic prepositions elsewhere stand apart.
    let hebrew = word.strip_prefix('ב').or_else(|| word.strip_prefix('ל'));
    lookup(word).or_else(|| hebrew.and_then(lookup))
}

fn lookup(word: &str) -> Option<u8> {
    if let Some(&month) = NAMES.exact.get(word) {
        return Some(month);
    }
    // Endings have at most four letters, stems at least three.
    let shortest = word.char_indices().nth(3).map_or(word.len(), |(at, _)| at);
    let ends = word.char_indices().rev().map(|(at, _)| at).take_while(|&at| at >= shortest);
    let mut ends = std::iter::once(word.len()).chain(ends).take(5);
    ends.find_map(|end| NAMES.stems.get(word.get(..end)?).copied())
}

/// The month of the solar Hijra that a folded word names.
pub(super) fn solar_month(word: &str) -> Option<u64> {
    const SOLAR: [&str; 12] = [
        "فروردین",
        "اردیبهشت",
        "خرداد",
        "تیر",
        "مرداد",
        "شهریور",
        "مهر",
        "ابان",
        "اذر",
        "دی",
        "بهمن",
        "اسفند",
    ];
    (1..).zip(SOLAR).find(|(_, name)| *name == word).map(|(month, _)| month)
}

/// The number that a folded word of Vietnamese is, as months are counted there.
pub(super) fn vietnamese_number(word: &str) -> Option<u64> {
    const NUMBERS: [&str; 10] =
        ["mot", "hai", "ba", "tu", "nam", "sau", "bay", "tam", "chin", "muoi"];
    (1..).zip(NUMBERS).find(|(_, number)| *number == word).map(|(value, _)| value)
}

/// Morning or afternoon; `true` is afternoon. For words that stand right before or after a time.
pub(super) fn afternoon(word: &str) -> Option<bool> {
    match word {
        "am" | "오전" | "πμ" | "ص" | "öö" | "sa" | "सुबह" => Some(false),
        "pm" | "오후" | "μμ" | "م" | "मे" | "ch" => Some(true),
        _ => None,
    }
}

/// Words that may stand between a date and its time, or before a time printed with a dot.
pub(super) fn announces_time(word: &str) -> bool {
    matches!(
        word,
        "at" | "um"
            | "kl"
            | "klo"
            | "kello"
            | "alle"
            | "ore"
            | "ora"
            | "a"
            | "as"
            | "à"
            | "las"
            | "ob"
            | "godz"
            | "godzina"
            | "o"
            | "в"
            | "у"
            | "om"
            | "στις"
            | "saat"
            | "pukul"
            | "jam"
            | "h"
            | "t"
            | "u"
            | "v"
            | "kell"
            | "plkst"
            | "val"
            | "الساعة"
            | "luc"
            | "lúc"
            | "vers"
            | "time"
            | "published"
    )
}

/// Words that say "o'clock" after a time printed with a dot.
pub(super) fn says_oclock(word: &str) -> bool {
    matches!(
        word,
        "uhr"
            | "uur"
            | "hrs"
            | "wib"
            | "wita"
            | "wit"
            | "h"
            | "น"
            | "am"
            | "pm"
            | "gmt"
            | "bst"
            | "utc"
            | "cet"
            | "cest"
    )
}

/// Seconds east of UTC of a zone abbreviation. Those of several meanings are left out, except
/// where the press of one region dominates; `chinese` settles CST.
pub(super) fn zone(word: &str, chinese: bool) -> Option<i32> {
    const HOUR: i32 = 3600;
    Some(match word {
        "z" | "utc" | "gmt" | "ut" | "wet" => 0,
        "bst" | "cet" | "mez" | "met" | "west" | "wat" => HOUR,
        "cest" | "mesz" | "eet" | "sast" | "cat" => 2 * HOUR,
        "eest" | "msk" | "мск" | "trt" | "eat" | "tsi" => 3 * HOUR,
        "gst" => 4 * HOUR,
        "pkt" => 5 * HOUR,
        "ist" => 5 * HOUR + HOUR / 2,
        "npt" => 5 * HOUR + HOUR * 3 / 4,
        "wib" | "ict" => 7 * HOUR,
        "wita" | "hkt" | "sgt" | "myt" | "awst" | "pht" => 8 * HOUR,
        "cst" if chinese => 8 * HOUR,
        "jst" | "kst" | "wit" => 9 * HOUR,
        "acst" => 9 * HOUR + HOUR / 2,
        "aest" => 10 * HOUR,
        "aedt" => 11 * HOUR,
        "nzst" => 12 * HOUR,
        "nzdt" => 13 * HOUR,
        "ndt" => -(2 * HOUR + HOUR / 2),
        "nst" => -(3 * HOUR + HOUR / 2),
        "brt" | "art" | "adt" => -3 * HOUR,
        "ast" | "edt" => -4 * HOUR,
        "est" | "cdt" => -5 * HOUR,
        "cst" | "mdt" => -6 * HOUR,
        "mst" | "pdt" => -7 * HOUR,
        "pst" | "akdt" => -8 * HOUR,
        "akst" => -9 * HOUR,
        "hst" => -10 * HOUR,
        _ => return None,
    })
}

/// Standard-time offset of a North American zone whose abbreviation leaves summer time open.
pub(super) fn american_zone(word: &str) -> Option<i32> {
    match word {
        "et" => Some(-5 * 3600),
        "ct" => Some(-6 * 3600),
        "mt" => Some(-7 * 3600),
        "pt" => Some(-8 * 3600),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// जून folded as जन is, and was January.
    #[test]
    fn a_name_is_of_one_month() {
        for (expect, list) in (1u8..).zip(MONTHS) {
            for name in list.split_ascii_whitespace() {
                let (map, name) = match name.strip_suffix('*') {
                    Some(stem) => (&NAMES.stems, stem),
                    None => (&NAMES.exact, name),
                };
                assert_eq!(map.get(&fold(name)), Some(&expect), "{name}");
            }
        }
    }
}

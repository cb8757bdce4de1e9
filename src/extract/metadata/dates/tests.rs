use super::*;
use proptest::prelude::*;

/// `expect`: local time, offset in minutes ("-" without), precision; empty for no date.
fn check(text: &str, language: &str, expect: &str) {
    let language = (!language.is_empty()).then_some(language);
    let got = parse(text, language).map_or(String::new(), |s| {
        let local = s.local.strftime("%Y-%m-%d %H:%M:%S");
        match (s.precision, s.offset) {
            (Precision::Day, None) => s.local.strftime("%Y-%m-%d").to_string(),
            (Precision::Minute, None) => format!("{local} -"),
            (Precision::Instant, Some(offset)) => format!("{local} {}", offset / 60),
            (precision, offset) => format!("{precision:?} with {offset:?}"),
        }
    });
    assert_eq!(got, expect, "{text} ({language:?})");
}

#[test]
fn machine_dates() {
    for (text, expect) in [
        ("2026-11-20", "2026-11-20"),
        ("2026-11-20T09:10:11Z", "2026-11-20 09:10:11 0"),
        ("2026-11-20T09:10:11.123456Z", "2026-11-20 09:10:11 0"),
        ("2026-11-20T09:10:11+01:00", "2026-11-20 09:10:11 60"),
        ("2026-11-20T09:10:11.000+0100", "2026-11-20 09:10:11 60"),
        ("2026-11-20T09:10-05:00", "2026-11-20 09:10:00 -300"),
        ("2026-11-20 09:10:11 -0500", "2026-11-20 09:10:11 -300"),
        ("2026-11-20 09:10:11", "2026-11-20 09:10:11 -"),
        ("2026-11-20T09:10:11+05:30", "2026-11-20 09:10:11 330"),
        ("2026-11-20T09:10:11+01", "2026-11-20 09:10:11 60"),
        ("20261120T091011Z", "2026-11-20 09:10:11 0"),
        ("20261120", "2026-11-20"),
        ("2026/11/20 09:10", "2026-11-20 09:10:00 -"),
        ("Fri, 20 Nov 2026 09:10:11 GMT", "2026-11-20 09:10:11 0"),
        ("Fri, 20 Nov 2026 09:10:11 +0100", "2026-11-20 09:10:11 60"),
        ("Fri, 20 Nov 26 09:10:11 EST", "2026-11-20 09:10:11 -300"),
        ("Fri Nov 20 09:10:11 2026", "2026-11-20 09:10:11 -"),
        ("Fri Nov 20 09:10:11 UTC 2026", "2026-11-20 09:10:11 0"),
        ("Fri Nov 20 2026 09:10:11 GMT+0100 (CET)", "2026-11-20 09:10:11 60"),
        ("20-Nov-26", "2026-11-20"),
        ("1795165811", "2026-11-20 09:10:11 0"),
        ("1795165811000", "2026-11-20 09:10:11 0"),
        // Only the day is meant.
        ("2026-11-20T00:00:00", "2026-11-20"),
        ("2026-11-20T00:00:00.000Z", "2026-11-20"),
        ("2026-11-20T00:00:00+02:00", "2026-11-20 00:00:00 120"),
        // The end of the day, which was a day without an hour.
        ("2026-11-27T24:00:00+01:00", "2026-11-28 00:00:00 60"),
        ("2026-11-27T24:00:00Z", "2026-11-28 00:00:00 0"),
        ("20261231T2400", "2027-01-01 00:00:00 -"),
        ("27.11.2026, 24:00 Uhr", "2026-11-28 00:00:00 -"),
        ("27.11.2026, 24:30", "2026-11-27"),
        ("27.11.2026, 24h", "2026-11-27"),
        // No dates.
        ("", ""),
        ("2026", ""),
        ("2026-13-20", ""),
        ("2026-02-30", ""),
        ("1889-11-20", ""),
        ("2 hours ago", ""),
        ("192.168.20.26", ""),
        ("+49 30 123456", ""),
        ("99999999999999999999999999", ""),
    ] {
        check(text, "", expect);
    }
}

#[test]
fn some_dates_can_be_read_in_two_ways() {
    let check = |text: &str, language: &str, expect: Option<&str>| {
        let stamp = parse(text, Some(language)).expect("a date");
        let other = other_reading(&stamp).map(|s| s.local.strftime("%Y-%m-%d %H:%M").to_string());
        assert_eq!(other.as_deref(), expect, "{text}");
    };
    check("3/4/2026 9:10 pm", "en", Some("2026-04-03 21:10"));
    check("3/4/2026", "fr", Some("2026-03-04 00:00"));
    check("03-04-2026", "en", Some("2026-03-04 00:00"));
    check("3/3/2026", "en", None);
    check("20/4/2026", "en", None);
    check("3.4.2026", "de", None);
    check("2026-03-04", "en", None);
    check("March 4, 2026", "en", None);
}

#[test]
fn printed_dates() {
    for (language, text, expect) in [
        ("en", "November 20, 2026", "2026-11-20"),
        ("en", "Nov. 20, 2026, 9:10 a.m. ET", "2026-11-20 09:10:00 -300"),
        ("en", "July 20, 2026 at 9:10 PM EDT", "2026-07-20 21:10:00 -240"),
        ("en", "July 20, 2026 9:10 PM ET", "2026-07-20 21:10:00 -240"),
        ("en", "Published: Friday 20th November 2026, 12:05 am", "2026-11-20 00:05:00 -"),
        ("en", "20 Nov 2026 14:30 GMT", "2026-11-20 14:30:00 0"),
        ("en", "14:30, 20 NOV 2026 — Updated 15:10, 21 NOV 2026", "2026-11-20 14:30:00 -"),
        ("en", "the 1st of May, 2026", "2026-05-01"),
        ("en", "By Ann Author | Nov 20, 2026 | 3 comments", "2026-11-20"),
        ("en", "3/4/2026", "2026-03-04"),
        ("en-us", "3/4/2026", "2026-03-04"),
        ("en_GB", "3/4/2026", "2026-04-03"),
        ("en-us", "20/11/2026", "2026-11-20"),
        ("fr", "3/4/2026", "2026-04-03"),
        ("", "03.04.2026", "2026-04-03"),
        ("de", "Freitag, 20. November 2026, 14:30 Uhr", "2026-11-20 14:30:00 -"),
        ("de", "20.11.2026, 14.30 Uhr", "2026-11-20 14:30:00 -"),
        ("de", "Stand: 03.12.26 um 09:05", "2026-12-03 09:05:00 -"),
        ("de", "1. März 2026", "2026-03-01"),
        ("de", "5. Jänner 2026", "2026-01-05"),
        ("fr", "Publié le 20 novembre 2026 à 14h30", "2026-11-20 14:30:00 -"),
        ("fr", "le 1er août 2026", "2026-08-01"),
        ("fr", "20 févr. 2026", "2026-02-20"),
        ("es", "20 de noviembre de 2026", "2026-11-20"),
        ("es", "Viernes, 20 noviembre 2026, 14:30 CET", "2026-11-20 14:30:00 60"),
        ("it", "20 Novembre 2026 alle 14:30", "2026-11-20 14:30:00 -"),
        ("pt", "20 de novembro de 2026 às 14h30", "2026-11-20 14:30:00 -"),
        ("pt", "5/out/2026", "2026-10-05"),
        ("nl", "vrijdag 20 november 2026 om 14.30 uur", "2026-11-20 14:30:00 -"),
        ("nl", "20 mrt 2026", "2026-03-20"),
        ("sv", "20 november 2026 kl. 14.30", "2026-11-20 14:30:00 -"),
        ("da", "20. nov. 2026 kl. 14:30", "2026-11-20 14:30:00 -"),
        ("no", "20. desember 2026", "2026-12-20"),
        ("fi", "20. marraskuuta 2026 klo 14.30", "2026-11-20 14:30:00 -"),
        ("fi", "20.11.2026 14:30", "2026-11-20 14:30:00 -"),
        ("is", "20. nóvember 2026", "2026-11-20"),
        ("pl", "20 listopada 2026, godz. 14:30", "2026-11-20 14:30:00 -"),
        ("cs", "20. listopadu 2026", "2026-11-20"),
        ("cs", "20. 11. 2026 14:30", "2026-11-20 14:30:00 -"),
        ("cs", "1. července 2026", "2026-07-01"),
        ("sk", "1. júna 2026", "2026-06-01"),
        ("hr", "20. listopada 2026.", "2026-10-20"),
        ("hr", "20. studenoga 2026.", "2026-11-20"),
        ("sr", "20. новембар 2026.", "2026-11-20"),
        ("sl", "20. januarja 2026", "2026-01-20"),
        ("hu", "2026. november 20. 14:30", "2026-11-20 14:30:00 -"),
        ("hu", "2026.11.20. 14:30", "2026-11-20 14:30:00 -"),
        ("ro", "20 noiembrie 2026, 14:30", "2026-11-20 14:30:00 -"),
        ("bg", "20 ноември 2026 г.", "2026-11-20"),
        ("ru", "20 ноября 2026 г., 14:30 МСК", "2026-11-20 14:30:00 180"),
        ("ru", "14:30, 20 ноября 2026", "2026-11-20 14:30:00 -"),
        ("ru", "1 мая 2026 года", "2026-05-01"),
        ("uk", "20 листопада 2026, 14:30", "2026-11-20 14:30:00 -"),
        ("uk", "5 липня 2026", "2026-07-05"),
        ("el", "Παρασκευή 20 Νοέμβρη 2026", "2026-11-20"),
        ("en", "Friday, November 20, 2026 : 1530 Hrs", "2026-11-20"),
        ("ru", "Опубликовано 20 ноября 26 (14:41)", "2026-11-20 14:41:00 -"),
        ("pl", "20 Lis 26, 09:04", "2026-11-20 09:04:00 -"),
        ("el", "20 Νοεμβρίου 2026, 2:30 μ.μ.", "2026-11-20 14:30:00 -"),
        ("el", "5 Μαΐου 2026", "2026-05-05"),
        ("tr", "20 Kasım 2026 14:30", "2026-11-20 14:30:00 -"),
        ("tr", "20 KASIM 2026", "2026-11-20"),
        ("tr", "3 Ağustos 2026", "2026-08-03"),
        ("lt", "2026 m. lapkričio 20 d. 14:30", "2026-11-20 14:30:00 -"),
        ("lv", "2026. gada 20. novembris", "2026-11-20"),
        ("et", "20. november 2026", "2026-11-20"),
        ("ar", "20 نوفمبر 2026", "2026-11-20"),
        ("ar", "٢٠ نوفمبر ٢٠٢٦", "2026-11-20"),
        ("ar", "20 تشرين الثاني 2026", "2026-11-20"),
        ("ar", "20 تشرين الأول / أكتوبر 2026", "2026-10-20"),
        ("fa", "20 نوامبر 2026", "2026-11-20"),
        ("ur", "20 نومبر 2026", "2026-11-20"),
        ("he", "20 בנובמבר 2026", "2026-11-20"),
        ("hi", "20 नवंबर 2026", "2026-11-20"),
        ("bn", "২০ নভেম্বর ২০২৬", "2026-11-20"),
        ("th", "20 พฤศจิกายน 2569", "2026-11-20"),
        ("th", "20 พ.ย. 2569 เวลา 10:22 น.", "2026-11-20 10:22:00 -"),
        ("th", "20 พ.ย. 69", "2026-11-20"),
        ("th", "3 มี.ค. 2569", "2026-03-03"),
        ("th", "3 ม.ค. 2569", "2026-01-03"),
        ("th", "วันศุกร์ที่ 20 พฤศจิกายน พ.ศ. 2569", "2026-11-20"),
        ("th", "20/11/69 10:22", "2026-11-20 10:22:00 -"),
        ("th", "20/11/26", "2026-11-20"),
        ("en-US", "20 พฤศจิกายน 2569", "2026-11-20"),
        ("fa", "جمعه ۲۹ آبان ۱۴۰۵ - ۱۰:۲۲", "2026-11-20 10:22:00 -"),
        ("fa", "۱۴۰۵/۰۸/۲۹", "2026-11-20"),
        ("en", "۲۹ آبان ۱۴۰۵", "2026-11-20"),
        ("ar", "1448/06/10", ""),
        ("ta", "20 நவம்பர் 2026", "2026-11-20"),
        ("te", "20 నవంబర్ 2026", "2026-11-20"),
        ("kn", "20 ನವೆಂಬರ್ 2026", "2026-11-20"),
        ("ml", "20 നവംബര്‍ 2026", "2026-11-20"),
        ("ml", "20 നവംബർ 2026", "2026-11-20"),
        ("gu", "20 નવેમ્બર 2026", "2026-11-20"),
        ("pa", "20 ਨਵੰਬਰ 2026", "2026-11-20"),
        ("mr", "२० नोव्हेंबर २०२६", "2026-11-20"),
        ("hi", "20 नव॰ 2026", "2026-11-20"),
        ("ka", "20 ნოემბერი 2026", "2026-11-20"),
        ("hy", "20 Նոյեմբերի 2026", "2026-11-20"),
        ("sq", "20 Nëntor 2026", "2026-11-20"),
        ("tl", "Nobyembre 20, 2026", "2026-11-20"),
        ("eu", "2026ko azaroak 20", "2026-11-20"),
        ("km", "20 វិច្ឆិកា 2026", "2026-11-20"),
        ("my", "နိုဝင်ဘာ 20, 2026", "2026-11-20"),
        ("lo", "20 ພະຈິກ 2026", "2026-11-20"),
        ("si", "2026 නොවැම්බර් 20", "2026-11-20"),
        ("am", "20 ኖቬምበር 2026", "2026-11-20"),
        ("cy", "20 Tachwedd 2026", "2026-11-20"),
        ("en", "Fri 20 Nov 2026 10.22 GMT", "2026-11-20 10:22:00 0"),
        ("vi", "ngày 20 tháng 11 năm 2026", "2026-11-20"),
        ("id", "Jumat, 20 November 2026 14:30 WIB", "2026-11-20 14:30:00 420"),
        ("ms", "20 Ogos 2026", "2026-08-20"),
        ("sw", "20 Novemba 2026", "2026-11-20"),
        ("zh", "2026年11月20日 14:30", "2026-11-20 14:30:00 -"),
        ("zh", "2026年11月20日星期五 下午2:30", "2026-11-20 14:30:00 -"),
        ("zh", "2026-11-20 14:30:05 来源：本报", "2026-11-20 14:30:05 -"),
        ("zh", "民國115年11月20日", "2026-11-20"),
        ("ja", "2026年11月20日 14時30分", "2026-11-20 14:30:00 -"),
        ("ja", "２０２６年１１月２０日（金）午後２時３０分", "2026-11-20 14:30:00 -"),
        ("ja", "令和8年11月20日", "2026-11-20"),
        ("ja", "令和元年5月2日", "2019-05-02"),
        ("ja", "元年5月2日", ""),
        ("ko", "2026년 11월 20일 오후 2시 30분", "2026-11-20 14:30:00 -"),
        ("ko", "입력 2026.11.20. 오후 2:30", "2026-11-20 14:30:00 -"),
        ("nl", "20-11-26, 09:12", "2026-11-20 09:12:00 -"),
        // Another country's year comes first.
        ("ko", "26-11-20 09:12", ""),
        ("nl", "20-11-26", ""),
        ("vi", "20 Th11 2026", "2026-11-20"),
        ("vi", "20 Th11, 2026", "2026-11-20"),
        ("vi", "Tháng Mười Một 20, 2026", "2026-11-20"),
        ("vi", "20 Tháng Mười Hai, 2026", "2026-12-20"),
        ("vi", "20 tháng Năm năm 2026", "2026-05-20"),
        ("zh", "二〇二六年十一月二十日", "2026-11-20"),
        ("zh", "二零一零年十月三十一日", "2010-10-31"),
        ("zh", "民國一一五年十一月五日", "2026-11-05"),
        ("ja", "令和八年十一月二十日", "2026-11-20"),
        ("zh", "六年十一月二十日", ""),
        ("zh", "二〇二六年十一月", ""),
        ("ga", "20 Meán Fómhair 2026", "2026-09-20"),
        ("ca", "20 d’octubre de 2026", "2026-10-20"),
        ("he", "20 בנוב׳ 2026", "2026-11-20"),
        // Names of months that are words of other languages.
        ("id", "20 Des 2026", "2026-12-20"),
        ("en", "20 Agt 2026", "2026-08-20"),
        ("de", "§ 20 des 2026 in Kraft getretenen Gesetzes", ""),
        ("fr", "20 des 2026 places", ""),
        ("hr", "20. tra 2026.", "2026-04-20"),
        ("it", "20 tra 2026", ""),
        ("it", "20 sett 2026", "2026-09-20"),
        ("no", "20 sett 2026", ""),
        ("it", "20 noi 2026", ""),
        ("hr", "20. lip 2026.", "2026-06-20"),
        ("pl", "20 lip 2026", "2026-07-20"),
        // A day and month alone are of any year.
        ("en", "20 November", ""),
        ("de", "20.11.", ""),
        ("en", "He may have 20 of them, 2026 more", ""),
    ] {
        check(text, language, expect);
    }
}

/// Names of the twelve months as they stand in dates of the press, full or short, of one language a line.
#[test]
fn months_of_many_languages() {
    for (language, months) in [
        (
            "nb",
            "januar februar mars april mai juni juli august september oktober november desember",
        ),
        ("nb", "jan feb mars apr mai juni juli aug sep okt nov des"),
        ("nb", "jan feb mar apr mai jun jul aug sep okt nov des"),
        ("is", "janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember"),
        ("is", "jan feb mar apr maí jún júl ágú sep okt nóv des"),
        (
            "cs",
            "ledna února března dubna května června července srpna září října listopadu prosince",
        ),
        ("cs", "leden únor březen duben květen červen červenec srpen září říjen listopad prosinec"),
        ("cs", "led úno bře dub kvě čvn čvc srp zář říj lis pro"),
        (
            "hr",
            "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
        ),
        (
            "hr",
            "siječanj veljača ožujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac",
        ),
        ("hr", "sij velj ožu tra svi lip srp kol ruj lis stu pro"),
        ("sr", "јануар фебруар март април мај јун јул август септембар октобар новембар децембар"),
        ("sr", "јан феб мар апр мај јун јул авг сеп окт нов дец"),
        ("sr", "januar februar mart april maj jun jul avgust septembar oktobar novembar decembar"),
        ("sr", "jan feb mar apr maj jun jul avg sep okt nov dec"),
        (
            "bs",
            "januar februar mart april maj juni juli august septembar oktobar novembar decembar",
        ),
        ("bs", "jan feb mar apr maj jun jul aug sep okt nov dec"),
        ("bg", "януари февруари март април май юни юли август септември октомври ноември декември"),
        ("bg", "яну фев март апр май юни юли авг сеп окт ное дек"),
        (
            "mk",
            "јануари февруари март април мај јуни јули август септември октомври ноември декември",
        ),
        ("mk", "јан фев мар апр мај јун јул авг сеп окт ное дек"),
        (
            "uk",
            "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
        ),
        (
            "uk",
            "січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень",
        ),
        ("uk", "січ лют бер квіт трав черв лип серп вер жовт лист груд"),
        (
            "be",
            "студзеня лютага сакавіка красавіка мая чэрвеня ліпеня жніўня верасня кастрычніка лістапада снежня",
        ),
        (
            "be",
            "студзень люты сакавік красавік май чэрвень ліпень жнівень верасень кастрычнік лістапад снежань",
        ),
        ("be", "сту лют сак кра мая чэр ліп жні вер кас ліс сне"),
        ("be", "сту лют сак кра май чэр ліп жні вер кас ліс сне"),
        ("az", "yanvar fevral mart aprel may iyun iyul avqust sentyabr oktyabr noyabr dekabr"),
        ("az", "yan fev mar apr may iyn iyl avq sen okt noy dek"),
        (
            "kk",
            "қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан",
        ),
        (
            "kk",
            "Қаңтар Ақпан Наурыз Сәуір Мамыр Маусым Шілде Тамыз Қыркүйек Қазан Қараша Желтоқсан",
        ),
        ("kk", "қаң ақп нау сәу мам мау шіл там қыр қаз қар жел"),
        ("uz", "yanvar fevral mart aprel may iyun iyul avgust sentabr oktabr noyabr dekabr"),
        ("uz", "Yanvar Fevral Mart Aprel May Iyun Iyul Avgust Sentabr Oktabr Noyabr Dekabr"),
        ("uz", "yan fev mar apr may iyn iyl avg sen okt noy dek"),
        ("uz", "Yan Fev Mar Apr May Iyn Iyl Avg Sen Okt Noy Dek"),
        (
            "lt",
            "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
        ),
        (
            "lt",
            "sausis vasaris kovas balandis gegužė birželis liepa rugpjūtis rugsėjis spalis lapkritis gruodis",
        ),
        ("lt", "saus vas kov bal geg birž liep rugp rugs spal lapkr gruod"),
        (
            "et",
            "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
        ),
        ("et", "jaan veebr märts apr mai juuni juuli aug sept okt nov dets"),
        (
            "fi",
            "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
        ),
        (
            "fi",
            "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu",
        ),
        ("fi", "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu"),
        ("he", "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר"),
        ("he", "ינו פבר מרץ אפר מאי יוני יולי אוג ספט אוק נוב דצמ"),
        ("hi", "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"),
        ("hi", "जन फ़र मार्च अप्रैल मई जून जुल अग सित अक्टू नव दिस"),
        ("mr", "जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर"),
        ("mr", "जाने फेब्रु मार्च एप्रि मे जून जुलै ऑग सप्टें ऑक्टो नोव्हें डिसें"),
        ("ne", "जनवरी फेब्रुअरी मार्च अप्रिल मे जुन जुलाई अगस्ट सेप्टेम्बर अक्टोबर नोभेम्बर डिसेम्बर"),
        ("bn", "জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর"),
        ("bn", "জানু ফেব মার্চ এপ্রি মে জুন জুল আগ সেপ অক্টো নভে ডিসে"),
        ("bn", "জানু ফেব মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্ট অক্টো নভে ডিসে"),
        ("ta", "ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்"),
        ("ta", "ஜன பிப் மார் ஏப் மே ஜூன் ஜூலை ஆக செப் அக் நவ டிச"),
        ("te", "జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్"),
        ("te", "జన ఫిబ్ర మార్చి ఏప్రి మే జూన్ జులై ఆగ సెప్టెం అక్టో నవం డిసెం"),
        ("kn", "ಜನವರಿ ಫೆಬ್ರವರಿ ಮಾರ್ಚ್ ಏಪ್ರಿಲ್ ಮೇ ಜೂನ್ ಜುಲೈ ಆಗಸ್ಟ್ ಸೆಪ್ಟೆಂಬರ್ ಅಕ್ಟೋಬರ್ ನವೆಂಬರ್ ಡಿಸೆಂಬರ್"),
        ("kn", "ಜನ ಫೆಬ್ರ ಮಾರ್ಚ್ ಏಪ್ರಿ ಮೇ ಜೂನ್ ಜುಲೈ ಆಗ ಸೆಪ್ಟೆಂ ಅಕ್ಟೋ ನವೆಂ ಡಿಸೆಂ"),
        ("gu", "જાન્યુઆરી ફેબ્રુઆરી માર્ચ એપ્રિલ મે જૂન જુલાઈ ઑગસ્ટ સપ્ટેમ્બર ઑક્ટોબર નવેમ્બર ડિસેમ્બર"),
        ("gu", "જાન્યુ ફેબ્રુ માર્ચ એપ્રિલ મે જૂન જુલાઈ ઑગસ્ટ સપ્ટે ઑક્ટો નવે ડિસે"),
        ("pa", "ਜਨਵਰੀ ਫ਼ਰਵਰੀ ਮਾਰਚ ਅਪ੍ਰੈਲ ਮਈ ਜੂਨ ਜੁਲਾਈ ਅਗਸਤ ਸਤੰਬਰ ਅਕਤੂਬਰ ਨਵੰਬਰ ਦਸੰਬਰ"),
        ("pa", "ਜਨ ਫ਼ਰ ਮਾਰਚ ਅਪ੍ਰੈ ਮਈ ਜੂਨ ਜੁਲਾ ਅਗ ਸਤੰ ਅਕਤੂ ਨਵੰ ਦਸੰ"),
        ("or", "ଜାନୁଆରୀ ଫେବୃଆରୀ ମାର୍ଚ୍ଚ ଅପ୍ରେଲ ମଇ ଜୁନ ଜୁଲାଇ ଅଗଷ୍ଟ ସେପ୍ଟେମ୍ବର ଅକ୍ଟୋବର ନଭେମ୍ବର ଡିସେମ୍ବର"),
        (
            "ka",
            "იანვარი თებერვალი მარტი აპრილი მაისი ივნისი ივლისი აგვისტო სექტემბერი ოქტომბერი ნოემბერი დეკემბერი",
        ),
        ("ka", "იან თებ მარ აპრ მაი ივნ ივლ აგვ სექ ოქტ ნოე დეკ"),
        (
            "hy",
            "հունվարի փետրվարի մարտի ապրիլի մայիսի հունիսի հուլիսի օգոստոսի սեպտեմբերի հոկտեմբերի նոյեմբերի դեկտեմբերի",
        ),
        (
            "hy",
            "հունվար փետրվար մարտ ապրիլ մայիս հունիս հուլիս օգոստոս սեպտեմբեր հոկտեմբեր նոյեմբեր դեկտեմբեր",
        ),
        ("hy", "հնվ փտվ մրտ ապր մյս հնս հլս օգս սեպ հոկ նոյ դեկ"),
        ("sq", "janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor"),
        ("sq", "jan shk mar pri maj qer korr gush sht tet nën dhj"),
        (
            "fil",
            "Enero Pebrero Marso Abril Mayo Hunyo Hulyo Agosto Setyembre Oktubre Nobyembre Disyembre",
        ),
        ("fil", "Ene Peb Mar Abr May Hun Hul Ago Set Okt Nob Dis"),
        (
            "eu",
            "urtarrila otsaila martxoa apirila maiatza ekaina uztaila abuztua iraila urria azaroa abendua",
        ),
        ("eu", "urt ots mar api mai eka uzt abu ira urr aza abe"),
        (
            "gl",
            "xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro",
        ),
        ("gl", "xan feb mar abr maio xuño xul ago set out nov dec"),
        (
            "cy",
            "Ionawr Chwefror Mawrth Ebrill Mai Mehefin Gorffennaf Awst Medi Hydref Tachwedd Rhagfyr",
        ),
        ("cy", "Ion Chwef Maw Ebr Mai Meh Gorff Awst Medi Hyd Tach Rhag"),
        ("cy", "Ion Chw Maw Ebr Mai Meh Gor Awst Medi Hyd Tach Rhag"),
        (
            "so",
            "Janaayo Febraayo Maarso Abriil Maayo Juun Luulyo Agosto Sebtembar Oktoobar Noofeembar Diseembar",
        ),
        (
            "so",
            "Jannaayo Febraayo Maarso Abriil Maayo Juun Luulyo Ogosto Sebteembar Oktoobar Noofeembar Diseembar",
        ),
        ("so", "Jan Feb Mar Abr May Jun Lul Ogs Seb Okt Nof Dis"),
        (
            "ha",
            "Janairu Faburairu Maris Afirilu Mayu Yuni Yuli Agusta Satumba Oktoba Nuwamba Disamba",
        ),
        ("ha", "Jan Fab Mar Afi May Yun Yul Agu Sat Okt Nuw Dis"),
        (
            "ig",
            "Jenụwarị Febrụwarị Maachị Epreel Mee Jun Julaị Ọgọọst Septemba Ọktoba Novemba Disemba",
        ),
        ("ig", "Jen Feb Maa Epr Mee Juu Jul Ọgọ Sep Ọkt Nov Dis"),
        (
            "mt",
            "Jannar Frar Marzu April Mejju Ġunju Lulju Awwissu Settembru Ottubru Novembru Diċembru",
        ),
        ("mt", "Jan Fra Mar Apr Mej Ġun Lul Aww Set Ott Nov Diċ"),
        ("tk", "ýanwar fewral mart aprel maý iýun iýul awgust sentýabr oktýabr noýabr dekabr"),
        ("tk", "Ýanwar Fewral Mart Aprel Maý Iýun Iýul Awgust Sentýabr Oktýabr Noýabr Dekabr"),
        ("tk", "ýan few mart apr maý iýun iýul awg sen okt noý dek"),
        ("tk", "Ýan Few Mar Apr Maý Iýun Iýul Awg Sen Okt Noý Dek"),
        (
            "id",
            "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
        ),
        ("id", "Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des"),
        ("ms", "Januari Februari Mac April Mei Jun Julai Ogos September Oktober November Disember"),
        ("ms", "Jan Feb Mac Apr Mei Jun Jul Ogo Sep Okt Nov Dis"),
        (
            "af",
            "Januarie Februarie Maart April Mei Junie Julie Augustus September Oktober November Desember",
        ),
        ("af", "Jan Feb Mrt Apr Mei Jun Jul Aug Sep Okt Nov Des"),
        (
            "zu",
            "Januwari Februwari Mashi Ephreli Meyi Juni Julayi Agasti Septhemba Okthoba Novemba Disemba",
        ),
        ("zu", "Jan Feb Mas Eph Mey Jun Jul Aga Sep Okt Nov Dis"),
        ("tg", "Январ Феврал Март Апрел Май Июн Июл Август Сентябр Октябр Ноябр Декабр"),
        ("tg", "Янв Фев Мар Апр Май Июн Июл Авг Сен Окт Ноя Дек"),
        ("ps", "جنوري فبروري مارچ اپریل مۍ جون جولای اګست سېپتمبر اکتوبر نومبر دسمبر"),
        ("ps", "جنوري فېبروري مارچ اپریل مۍ جون جولای اګست سپتمبر اکتوبر نومبر دسمبر"),
        ("ps", "جنوري فبروري مارچ اپریل مۍ جون جولای اګست سپتمبر اکتوبر نومبر دسمبر"),
        (
            "ro",
            "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
        ),
        ("ro", "ian feb mar apr mai iun iul aug sept oct nov dec"),
        (
            "it",
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        ),
        ("it", "gen feb mar apr mag giu lug ago set ott nov dic"),
        ("ca", "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre"),
        ("ca", "gen febr març abr maig juny jul ag set oct nov des"),
        ("ar", "يناير فبراير مارس أبريل مايو يونيه يوليه أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
        ("ar", "يناير فبراير مارس أبريل ماي يونية يوليوز غشت شتنبر أكتوبر نونبر دجنبر"),
        ("ar", "جانفي فيفري مارس أفريل ماي جوان جويلية أوت سبتمبر أكتوبر نوفمبر ديسمبر"),
        ("hi", "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्तूबर नवम्बर दिसम्बर"),
        ("fa", "ژانویه فوریه مارس آوریل مه ژوئن جولای اوت سپتامبر اکتبر نوامبر دسامبر"),
        ("el", "Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ"),
        ("id", "Jan Peb Mar Apr Mei Jun Jul Ags Sep Okt Nop Des"),
        ("uk", "січ лют бер кві тра чер лип сер вер жов лис гру"),
        ("ro", "ian feb mar apr mai iun iul aug sept oct noi dec"),
        ("fi", "tammik helmik maalisk huhtik toukok kesäk heinäk elok syysk lokak marrask jouluk"),
    ] {
        for (month, name) in (1..).zip(months.split_ascii_whitespace()) {
            for name in [name.to_owned(), format!("{name}.")] {
                check(&format!("20 {name} 2026"), language, &format!("2026-{month:02}-20"));
            }
        }
        assert_eq!(months.split_ascii_whitespace().count(), 12, "{language}");
    }
}

#[test]
fn url_dates() {
    let check = |path: &str, expect: &str| {
        let got = in_url(path).map_or(String::new(), |s| s.local.date().to_string());
        assert_eq!(got, expect, "{path}");
    };
    check("/2026/11/20/a-title", "2026-11-20");
    check("/world/2026/nov/20/a-title", "2026-11-20");
    check("/a-title-2026-11-20.html", "2026-11-20");
    check("/news/20261120/a-title", "2026-11-20");
    check("/2026/11/a-title", "");
    check("/story/12345678/a", "");
    check("/story/3.11.2026", "");
}

#[test]
fn printed_text_is_kept() {
    let stamp = parse("Posted on: 20 November 2026, 14:30 CET by A.", Some("en"));
    assert_eq!(stamp.map(|s| s.printed), Some("20 November 2026, 14:30 CET".to_owned()));
}

proptest! {
    #[test]
    fn what_has_not_the_numbers_of_a_date_is_none(
        text in "((Stand|on|le)[: ])?([0-9]{1,2}|٣|۱۴|二)?[ ./-]?(Nov|May|March|[0-9]{1,2}|thang|月|日)?[ ./,-]{0,2}\
                 ([0-9]{1,4}|2026|٢٠٢٦|20261120)?(年|년|[ T])?([0-9]{1,2}(月|:[0-9]{2})?)?([0-9]{1,2}日)?",
        language in "en|vi|fa|th|zh",
    ) {
        let tokens = tokenize(&text, MAX_TOKENS);
        let read = unix_time(&text, &tokens).is_some()
            || (0..tokens.len()).any(|at| date_at(&tokens, at, &language).is_some());
        prop_assert!(has_numbers(&text) || !read);
    }
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,120}", language in proptest::option::of("\\PC{0,8}")) {
        parse(&text, language.as_deref());
        in_url(&text);
    }

    /// Date-like rubbish reaches every branch.
    #[test]
    fn never_panics_on_fragments(
        parts in proptest::collection::vec(prop::sample::select(vec![
            "20", "2026", "1", "31", "99", ".", "-", "/", ":", " ", "nov", "mai", "年", "月", "日", "T",
            "Z", "+01", "pm", "h", "下午", "تشرين", "Uhr", "kl", "tháng", "(", "GMT", "000000000000000000000",
        ]), 0..30)
    ) {
        let text = parts.concat();
        if let Some(stamp) = parse(&text, None) {
            prop_assert!(text.contains(&stamp.printed));
            prop_assert!(YEARS.contains(&stamp.local.year()));
        }
        in_url(&text);
    }

    /// Every instant survives its ISO form.
    #[test]
    fn iso_round_trip(seconds in 631_152_000i64..4_102_444_800) {
        let at = jiff::Timestamp::from_second(seconds).expect("in range");
        let local = jiff::tz::TimeZone::UTC.to_datetime(at);
        let stamp = parse(&at.to_string(), None).expect("an ISO date");
        prop_assert_eq!(stamp.local, local);
    }
}

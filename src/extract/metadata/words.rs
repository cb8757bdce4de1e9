//! Words around the names of authors in the languages of the press. Data only; must not know how a
//! name is put together.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

/// "By" in the languages of the press, in lower case; what follows is a name. A colon has to stand behind those that
/// end with one: they are common words, or mean more.
pub(super) static BY: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "article written by|content written by|guest post by|story and photos by| \
     words and photos by|report by|reporting by|writing by|opinion by|analysis by|posted by|written by|this post was written by|this article was written by| \
     this story was written by|this blog was written by|this piece was written by|reported by|published by|story by|words by|article by|by|von| \
     geschrieben von|verfasst von|veröffentlicht von|ein beitrag von|par|écrit par|publié par| \
     propos recueillis par|por|escrito por|publicado por|di|a cura di|scritto da|pubblicato da|da| \
     door|geschreven door|av|af|skrevet av|skrevet af|avtor|autor|autorka|author|authors|auteur| \
     autore|автор|авторы|текст|text|tekst|oleh|penulis|yazan|przez|od|szerző|írta|του|της|بقلم| \
     كتب|本报记者|记者|記者|作者|文/|文／|文｜|文|撰文|筆者|writer|contributor|contributors|autorin|autorin/autor| \
     autor/in|autor*in|author(s)|author(s|guest post by|guest column by|content by|blog by| \
     kirjoittaja|yazar|autor tekstu|автор текста|texto| \
     submitted by|authored by|compiled by|contributed by|penned by|rédigé par|redactado por|aufgezeichnet von|protokolliert von|texte:|protokoll:|words:|redacción:| \
     द्वारा|लेखक:|লেখক:|লেখা:|تحریر:|مصنف:|نویسنده:|نوشته:|الكاتب:|haber:|muhabir:|reporter:|laporan:| \
     tác giả|מאת|โดย:|piše:|пише:|scris de|oprac.|opracowała|opracował|συντάκτης|執筆|執筆者|取材・文|文・| \
     文・写真|写真・文|本報記者|curated by|γράφει ο|γράφει η|γράφουν οι|γραφει ο|γραφει η|كتبت| \
     autora:|autores:|autoras:|autori:|texto y fotos:|texto e fotos:|text und fotos:|text und foto:|texte et photos:| \
     bericht:|journalist:|journaliste:|skribent:|redaktor:|opracowanie:|napisał|napisała|napsal|napsala| \
     teksti:|toimittaja:|kirjoittanut|skriven av|publicerad av|执笔|执笔人| \
     von unserem redakteur|von unserer redakteurin|von unserem reporter|von unserer reporterin| \
     von unserem korrespondenten|von unserer korrespondentin|von unserem mitarbeiter|von unserer mitarbeiterin| \
     van onze verslaggever|van onze correspondent|van onze redacteur|door onze verslaggever|door onze correspondent| \
     door onze redacteur|dal nostro inviato|dalla nostra inviata|dal nostro corrispondente| \
     dalla nostra corrispondente|dal corrispondente|de nuestro corresponsal|de nuestra corresponsal| \
     de notre correspondant|de notre correspondante|de notre envoyé spécial|de notre envoyée spéciale"
    .split('|').map(str::trim).collect()
});
/// Of these, those behind which a bar may part who signs from a station or a programme.
/// "Door" and "por" begin outlets' names, too.
pub(super) const BEHIND_BARS: [&str; 5] = ["by", "von", "par", "av", "af"];
/// Kinds of texts and the words for "by" behind them, with an article before them or without.
const GENRES: [(&str, &str, &str); 5] = [
    ("|a |an ", "column essay exclusive commentary review interview analysis opinion", "by"),
    (
        "|ein |eine ",
        "analyse beitrag bericht essay gastbeitrag gastkommentar glosse interview kolumne kommentar leitartikel \
         meinung reportage rezension",
        "von",
    ),
    (
        "|un |une ",
        "analyse article billet chronique enquête récit reportage texte tribune éditorial",
        "de par",
    ),
    (
        "|un |un'|una ",
        "analisi articolo commento editoriale intervista recensione servizio testo",
        "di",
    ),
    (
        "|un |una |um |uma ",
        "análisis artículo columna crónica entrevista reportaje texto análise artigo coluna crônica reportagem",
        "de por",
    ),
];
/// "By" behind what it is that somebody wrote: "Gastbeitrag von", "an essay by".
pub(super) static BY_OF: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (articles, genres, by) in GENRES {
        for genre in genres.split_ascii_whitespace() {
            let articles = articles.split('|');
            let by = by.split(' ');
            all.extend(
                articles
                    .flat_map(|article| by.clone().map(move |by| format!("{article}{genre} {by}"))),
            );
        }
    }
    all
});
/// What others did for an article; names behind it wrote nothing of it.
pub(super) static OTHERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "reviewed by|medically reviewed|fact checked|fact-checked|checked by|edited by|photos by| \
     photo by|photography by|photographs by|illustration by|illustrations by|illustrated by| \
     translated by|presented by|sponsored by|updated by|narrated by|produced by|hosted by| \
     recommended by|übersetzt von|fotos von|foto:|fotos:|photo:|photos:|expert review|approved by| \
     verified by|editing by|photography:|photographs:|pictures by|kuvat:|kuva:|zdjęcia:|bilder:|additional reporting|contributions from|contributions by|with contributions| \
     责任编辑|責任編輯|责编|責編|编辑:|编辑：|編輯:|編輯：|校对:|校对：|校對:|校對：|审核:|审核：|審核:|審核：|摄影:|摄影：| \
     攝影:|攝影：|来源:|来源：|來源:|來源："
        .split('|')
        .map(str::trim)
        .collect()
});
/// What is printed where an author belongs, but is none.
pub(super) static NOBODY: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "admin|administrator|editor|staff|author|authors|unknown|anonymous|redaktion|editorial| \
     webmaster|guest|null|none|undefined|news|true|false|contributor|default|user|super user| \
     about the author|wires|welcome|logout|login|sign-in|register|standings"
        .split('|')
        .map(str::trim)
        .collect()
});
/// Words of lower case within names.
pub(super) static PARTICLES: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "de del della di da do dos das du des van von vom der den ter ten zu zur la le el al bin bint \
     ibn y e af av st und"
        .split_ascii_whitespace()
        .collect()
});
/// Parts of the names of desks, one word each, in lower case.
pub(super) static DESK: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "staff team desk editors editorial newsroom newsdesk redaktion onlineredaktion redactie \
     redazione redacción redacao redação rédaction redakcja redakce redaksjonen redaktionen \
     редакция редакція agencies agency agenturen 編集部 redaksi merkezi toimitus szerkesztőség uredništvo \
     redacția redakcia डेस्क ডেস্ক ڈیسک خبرگزاری وكالات"
        .split_ascii_whitespace()
        .collect()
});
/// How outlets and desks end in scripts without spaces between words, or in Korean.
pub(super) const DESK_ENDS: [&str; 23] = [
    "뉴스",
    "일보",
    "신문",
    "방송",
    "데스크",
    "편집국",
    "편집부",
    "팀",
    "社",
    "報",
    "报",
    "新聞",
    "新闻",
    "通信",
    "编辑部",
    "編輯部",
    "編集部",
    "編集局",
    "取材班",
    "報道部",
    "網",
    "网",
    "ニュース",
];
/// What a person is beside a name, one word each, in lower case.
pub(super) static ROLES: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "editor editor-in-chief writer reporter contributor correspondent columnist journalist author \
     producer manager director founder co-founder cofounder ceo cto coo cmo president senior \
     chief associate assistant freelance freelancer managing executive deputy guest professor \
     analyst specialist expert consultant strategist blogger publisher photographer redakteur \
     redakteurin journalistin autorin korrespondent korrespondentin reporterin volontär \
     volontärin chefredakteur chefredakteurin ressortleiter journaliste rédacteur rédactrice \
     redactor redactora periodista giornalista redattore dziennikarz toimittaja muhabir wartawan \
     head lead sr representative chair chairman certified operations engineer scientist meteorologist \
     attorney physician dietitian dietician nutritionist economist psychologist psychotherapist therapist \
     lawyer lecturer researcher presenter commentator novelist essayist programmer developer designer \
     instructor pharmacist veterinarian historian adviser advisor correspondant correspondante \
     corresponsal corrispondente redaktör"
        .split_ascii_whitespace()
        .collect()
});
/// How else offices behind a comma end, in lower case; some are names, too.
pub(super) const OFFICES: [&str; 20] = [
    "partner",
    "fellow",
    "student",
    "candidate",
    "anchor",
    "nurse",
    "intern",
    "mp",
    "minister",
    "secretary",
    "treasurer",
    "officer",
    "chief",
    "member",
    "owner",
    "critic",
    "counsel",
    "strategist",
    "staff",
    "coordinator",
];
/// Of what a role before which they stand is, in lower case.
pub(super) static BEATS: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "political politics health business sports sport science technology tech education environment \
     environmental bureau chief senior staff world national foreign international city crime \
     entertainment culture arts music film television tv food travel fashion style estate property \
     religion legal court courts defence defense diplomatic economic economics economy energy \
     transport money finance financial markets investigative investigations digital online web news \
     newspaper data video multimedia media community features opinion affairs medical military \
     security labor labour housing local regional metro general assignment contributing special \
     royal racing football soccer cricket rugby golf tennis software data policy research sales \
     marketing product program project creative executive technical vice"
        .split_ascii_whitespace()
        .collect()
});
/// Words that names of outlets begin with, in lower case: "Washington Post", "Irish Independent".
pub(super) const OF_OUTLETS: [&str; 20] = [
    "american",
    "bangkok",
    "boston",
    "british",
    "daily",
    "denver",
    "evening",
    "financial",
    "houston",
    "huffington",
    "irish",
    "jakarta",
    "jerusalem",
    "morning",
    "national",
    "saturday",
    "sunday",
    "the",
    "washington",
    "yorkshire",
];
/// Words in the names of outlets and institutions, in lower case: surely no names of persons, and mostly none.
pub(super) const OUTLETS: [&[&str]; 2] = [
    &[
        "times",
        "bureau",
        "newswires",
        "newswire",
        "university",
        "tribune",
        "gazette",
        "newspaper",
        "newspapers",
        "magazine",
        "news",
        "media",
        "agency",
        "institute",
        "association",
        "foundation",
        "network",
        "zeitung",
        "redaktion",
        "universität",
        "université",
        "universidad",
        "wires",
        "llc",
        "inc",
        "газета",
    ],
    &["press", "post", "herald", "service", "journal", "college", "hospital", "center", "centre"],
];
/// What says before a date that a text was printed then, in lower case.
pub(super) const PRINTED: [&str; 13] = [
    "on",
    "published",
    "posted",
    "updated",
    "publié",
    "publie",
    "publiée",
    "publicado",
    "publicada",
    "pubblicato",
    "veröffentlicht",
    "aktualisiert",
    "gepubliceerd",
];
/// The same, and what else stands in a date before "by", in lower case.
pub(super) const OF_DATES: [&str; 24] = [
    "stand", "at", "am", "pm", "um", "uhr", "h", "le", "à", "a", "de", "del", "do", "el", "em",
    "il", "op", "den", "kl", "est", "gmt", "utc", "cet", "last",
];
/// The words for "by" that may stand behind a date in its line: "4 March 2026 by Ann Archer".
pub(super) const BEHIND_DATES: [&str; 10] =
    ["by", "von", "par", "por", "di", "door", "av", "af", "written by", "posted by"];
/// Degrees that nothing but people have, squashed.
pub(super) const DEGREES: [&str; 22] = [
    "phd", "dphil", "psyd", "pharmd", "dvm", "mph", "msc", "bsc", "mba", "msw", "msn", "lcsw",
    "llm", "jd", "edd", "dds", "rdn", "rn", "fnp", "cpa", "vts", "lvt",
];
/// Degrees that are something else as well: states, works, plants.
pub(super) const SHORT_DEGREES: [&str; 6] = ["md", "ma", "ba", "ms", "bs", "do"];
/// Last words of names of outlets, companies and places that begin as names of people do, in lower case.
pub(super) static NO_OWNERS: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "advocate bank beacon brand chronicle church citizen city college company county democrat design designs \
     dispatch enterprise examiner films foundation garden gazette group holdings home hotel house inc inquirer \
     institute journal ledger ltd magazine media mercury museum music news observer park pictures post press record \
     records register republican review school sentinel shop star store street studio studios sun telegraph times \
     today transcript tribune university voice weekly world"
        .split_ascii_whitespace()
        .collect()
});
/// Words that are in no name but in much that stands where names do, in lower case.
pub(super) static NEVER: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "a about above add advertisement all also although an any archive are article articles \
     artikel as ask at auf authors avec awareness back be been bei beitrag best bio biography \
     blog bookmark browse business but buy by can cart categories category check click close \
     comment comments compartir con condividi contact content contents contributors cookie copy \
     could credit dans datum did disclosure does donate download each eine einen email enable \
     every facebook find first follow for former free from full für get getty guide has have he \
     health her here his home how i if im image images in increase info insights instagram into \
     is it its join jump just key kommentar kommentare last latest leave leer leggi licensed \
     linkedin lire listen log login many marketing mehr menu min minute minutes mit more most \
     much must my más nach new news newsletter next nicht no not of on open option options or \
     other our over para partager people per photo photos pin place plus popular pour price \
     principles print privacy profile profiles products publication published read recipe related reply report \
     reports research sale search section sections see select share she shop should sie sign skip \
     some sponsored stand start step steps strategy subscribe such sur table tags takeaways \
     teilen telegram terms than that the their them then there these they this those through tips \
     auto racing font size joined design companies topics corporate interview subjects bios events preferences gigs \
     newsroom wire личное вконтакте пиши состав экспертный войти регистрация \
     breaking exclusive premium members only preferred version edition release video audio reading \
     haberi haberin devamı kaydet dinle abone giriş tarihi tanggal terbit juga bagikan berita escuchar \
     guardar noticia ouvir notícia compartilhar publicación publicação publicării publikacji temps lecture \
     lesedauer merkliste speichern anhören ανάγνωσης lettura izmena \
     to top trial tweet twitter uhr under until up updated url very view warum was watch we wer \
     were what whatsapp when which while whose wie wir would written yes über \
     ministry ministère ministero ministerio ministério ministerie ministerstwo \
     министерство міністерство bakanlığı department prefecture préfecture prefettura prefectura prefeitura \
     commune comune gemeinde gemeente kommune mairie ayuntamiento police polizia questura \
     carabinieri gendarmerie policía polícia policja politie politiet polisen poliisi полиция поліція"
        .split_ascii_whitespace()
        .collect()
});
/// How authorities end where words are joined, in lower case: "Innenministerium", "Justitiedepartementet".
pub(super) const AUTHORITIES: [&str; 6] =
    ["departementet", "landratsamt", "ministeriet", "ministerium", "polizei", "staatsanwaltschaft"];
/// Of the words that are in no name, what some people are called, behind another name …
pub(super) static ALSO_NAMES: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "an best can close he jump key last min my place price sur".split_ascii_whitespace().collect()
});
/// The same behind "by" alone: machines are told of columns and buttons that end so, too ("Long Read").
pub(super) const ALSO_NAMES_BY: [&str; 5] = ["more", "read", "reading", "sale", "share"];
/// … and what others are called before one.
pub(super) const ALSO_FIRST: [&str; 5] = ["an", "can", "he", "min", "my"];
/// The same behind "by", before one other word.
pub(super) const ALSO_FIRST_BY: [&str; 4] = ["can", "he", "key", "min"];
/// How companies' names end, squashed.
pub(super) static LEGAL: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "ltd limited inc llc gmbh plc pty pvt srl sro oo bv kg".split_ascii_whitespace().collect()
});
/// First words of the names of places and institutions, in lower case: two words that begin so are no person.
pub(super) const PLACES: [&str; 58] = [
    "new",
    "san",
    "santa",
    "santo",
    "los",
    "las",
    "saint",
    "st",
    "st.",
    "north",
    "south",
    "east",
    "west",
    "central",
    "port",
    "cape",
    "hong",
    "kuala",
    "buenos",
    "rio",
    "tel",
    "abu",
    "phnom",
    "addis",
    "sri",
    "costa",
    "puerto",
    "united",
    "saudi",
    "great",
    "royal",
    "fort",
    "mount",
    "lake",
    "bad",
    "sankt",
    "frankfurt",
    "ciudad",
    "río",
    "são",
    "nova",
    "novo",
    "nowy",
    "nizhny",
    "middle",
    "real",
    "human",
    "social",
    "artificial",
    "machine",
    "climate",
    "public",
    "digital",
    "university",
    "bank",
    "department",
    "ministry",
    "institute",
];
/// What stands on buttons where names of ideographs may stand.
pub(super) const UI: [&str; 22] = [
    "注册", "注冊", "登录", "登錄", "登入", "一覽", "一览", "列表", "更多", "首页", "首頁", "评论",
    "評論", "分享", "收藏", "打印", "详情", "返回", "排行", "分类", "分類", "订阅",
];
/// First characters of the family names that most people have who write theirs in ideographs.
pub(super) const SURNAMES: &str = "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許邓鄧冯馮韩韓曹曾彭萧蕭肖\
蔡潘田董袁于余叶葉蒋蔣杜苏蘇魏程吕呂丁沈任姚卢盧姜崔钟鍾谭譚陆陸汪范石廖贾賈夏韦韋付傅方白邹鄒孟熊秦邱江尹薛闫阎段雷侯龙龍史陶黎贺賀\
顾顧毛郝龚龔邵万萬钱錢严嚴武戴莫孔向汤湯常温康施文牛樊葛邢安齐齊易乔喬伍庞龐颜顏倪庄莊聂聶章鲁魯岳翟殷詹申欧歐耿关關兰蘭焦俞左柳\
甘祝包宁尚符舒阮柯纪紀梅童凌毕畢单單季裴霍涂成苗谷盛曲翁冉骆駱蓝藍路游辛靳欧管柴蒙鲍鮑华華喻祁蒲房滕屈饶饒解牟艾尤阳时穆农司卓古吉缪\
简車车项項连連芦麦麥褚娄婁窦戚岑景党党宫費费卜冷晏席卫衛米柏宗瞿桂全佟应應臧闵閔苟邬边邊卞姬师師和仇栾隋商刁沙荣榮巫寇桑郎甄丛仲虞敖\
鈴佐伊渡山中加松井木清斎藤池橋岡近村遠坂福西森阿岩菊野原酒横宮島増菅平久河";
/// First syllables of the family names that most Koreans have.
pub(super) const SURNAMES_OF_KOREA: &str = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육맹제모탁국은편용";
/// What stands before "journalist" in Korean, and is no name.
pub(super) const KINDS_OF_JOURNALISTS: [&str; 19] = [
    "전문",
    "선임",
    "수석",
    "인턴",
    "시민",
    "객원",
    "명예",
    "사진",
    "취재",
    "담당",
    "편집",
    "수습",
    "정치",
    "문화",
    "연예",
    "국제",
    "현장",
    "주재",
    "한겨레",
];
/// First names that many people have in Europe and America, in lower case.
pub(super) static GIVEN: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "aaron abigail adam adrian agnes alan albert alberto alejandro alex alexander alexandra alexis alice alison \
     allison amanda amy ana anders andre andrea andreas andrew andy angela anita anja ann anna anne annie anthony \
     antoine anton antonio ariana arthur ashley astrid audrey axel barbara bastian beatrice becky ben \
     benjamin bernard bernd beth bill birgit bjorn björn bob brandon brenda brett brian bruce bryan caitlin camille \
     carl carla carlos carmen carol caroline casey cassidy catherine cathy cecilia chad charles charlie \
     chloe chris christina christine christoffer christoph christophe christopher cindy claire clara \
     claudia claus colin connor craig cristina curtis cynthia damien dan dana daniel daniela danielle dave \
     david dean deborah denis denise dennis derek diana diane diego dieter dirk dmitry dominic dominik don \
     donald donna doris doug douglas duncan dustin dylan edward eileen elaine elena eli elias elisabeth elise \
     elizabeth ella ellen emily emma emmanuel eric erica erik erin ernest esther ethan eva evan evelyn fabian \
     felix fernando filip fiona florian frances francesca francesco francis francisco frank franz fred frederick \
     frederik gabriel gabriela gareth gary gavin geoff georg george gerald gerard gina giulia glenn gordon graham \
     greg gregory greta guido guillaume gustav hannah hans harald harold harriet harry heidi helen helena \
     helga henrik henry holger howard hugh hugo ian ida igor ines ingrid irene isaac isabel isabella \
     ivan jack jackie jacob jacqueline jake jakob james jamie jan jana jane janet janice jared jason javier jay \
     jean jeff jeffrey jen jenna jennifer jenny jens jeremy jerry jess jesse jessica jill jim jimmy joachim joan \
     joanna joanne joao jochen joe joel johan johanna john johnny jon jonas jonathan jorge jose josef joseph \
     josh joshua josé joyce juan judith judy julia julian juliana julie julien jurgen justin jürgen karen karin \
     karl karla kate katharina katherine kathleen kathryn kathy katie katja katrin kay keith kelly ken kenneth \
     kerstin kevin kim kirsten klaus kristen kristian kristin kristina kurt kyle larry lars laura lauren laurent \
     lea leah lena leo leon leonard leonardo leslie liam linda lindsay lindsey lisa lois lorenzo louis \
     louise luca lucas lucia lucy luis luisa lukas luke lydia lynn madeleine magdalena manfred manuel marc marcel \
     marco marcus margaret maria mariana marie marina mario marion marius mark markus martin martina mary \
     mathias mathieu matt matteo matthew matthias maureen max maximilian megan melanie melissa mia michael michaela \
     michal michel michele michelle miguel mikael mike mikkel milan miriam mitchell molly monica monika nadia \
     nadine nancy naomi natalia natalie natasha nathan nathaniel neil nicholas nick nico nicola nicolas nicole \
     niels nigel nils nina noah nora norbert oliver olivia olivier oscar oskar otto owain owen pablo pam \
     pamela pascal pat patricia patrick patrik paul paula paulo pavel pedro peggy peter petra phil philip \
     philipp philippe phillip pierce pierre piotr polly rachel rafael ralf ralph ramona randy raphael ray raymond \
     rebecca renate rene ricardo rich richard rick rita rob robert roberta roberto robin rodrigo roger roland rolf \
     roman ron ronald rosa ross roy ruben rudolf russell ruth ryan sabine sabrina sally sam samantha samuel \
     sandra sara sarah sean sebastian sergio seth shannon sharon shaun shawn sheila silke silvia simon simone sofia \
     sonia sonja sophia sophie stacey stacy stefan stefanie stephan stephanie stephen steve steven stewart \
     stuart sue susan susanne suzanne sven sylvia tamara tanya tara ted terry theo theresa therese thomas thorsten \
     tim timothy tina tobias toby todd tom tomas tommy tony tracy travis trevor tyler udo ulrich ulrike ursula \
     uwe valentina valerie vanessa vera verena veronica vicky victor viktor vincent walter wayne \
     wendy werner wilhelm william wolfgang xavier yannick yvonne zach zachary zoe"
        .split_ascii_whitespace()
        .collect()
});

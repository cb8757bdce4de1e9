//! News agencies by the names that texts credit them under, and the one dateline that is told by such a name alone.
//! Must not know where else a credit stands.

/// One agency.
#[derive(Debug)]
pub struct Agency {
    /// As it is recorded. If it is in none of the lists below, it is one of [`Agency::doubtful`].
    pub name: &'static str,
    /// Full names: letters of any case; several words may stand anywhere in a byline.
    pub full: &'static [&'static str],
    /// Abbreviations and short names that mean the agency wherever they stand between brackets; the case matters.
    /// None that is an ordinary word of some language, since a line of a page may be nothing but that.
    pub short: &'static [&'static str],
    /// The same, but they mean other things, too (airports, provinces, societies): in a text they are credits only
    /// where nothing but a credit stands, such as a dateline.
    pub doubtful: &'static [&'static str],
}

impl Agency {
    /// Every name whose case matters, [`Agency::name`] among them.
    pub fn cased(&self) -> impl Iterator<Item = &'static str> {
        self.short.iter().chain(self.doubtful).copied().chain([self.name])
    }
}

const fn a(
    name: &'static str,
    full: &'static [&'static str],
    short: &'static [&'static str],
    doubtful: &'static [&'static str],
) -> Agency {
    Agency { name, full, short, doubtful }
}

/// Every agency that is told apart.
#[rustfmt::skip]
pub const AGENCIES: &[Agency] = &[
    a("Reuters", &["Thomson Reuters", "Reuters News Agency"], &["Reuters", "REUTERS", "ロイター", "路透社", "路透", "로이터", "رويترز"], &["RTRS", "Рейтер"]),
    a("AP", &["Associated Press", "Associated Press Writer"], &["AP", "美联社", "AP通信"], &["A.P."]),
    a("AFP", &["Agence France-Presse", "Agence France Presse", "AFP Deutschland", "AFP Fact Check", "AFP Relaxnews"], &["AFP", "afp", "法新社", "أ ف ب", "أ.ف.ب"], &["АФП"]),
    a("Bloomberg", &["Bloomberg News"], &["Bloomberg", "BLOOMBERG", "ブルームバーグ", "彭博社"], &[]),
    a("UPI", &["United Press International"], &["UPI"], &[]),
    a("dpa", &["Deutsche Presse-Agentur", "Deutschen Presse-Agentur", "dpa-infocom", "dpa infocom", "dpa-AFX", "German Press Agency"], &["dpa", "DPA", "德新社", "د ب أ", "د.ب.أ"], &[]),
    a("epd", &["Evangelischer Pressedienst"], &["epd", "EPD"], &[]),
    a("KNA", &["Katholische Nachrichten-Agentur"], &["KNA", "kna"], &[]),
    a("SID", &["Sport-Informations-Dienst"], &[], &["SID"]),
    a("APA", &["Austria Presse Agentur", "APA-OTS"], &["APA"], &[]),
    a("Keystone-SDA", &["Schweizerische Depeschenagentur", "Keystone-SDA", "Keystone-ATS", "SDA-ATS"], &["sda", "SDA"], &["ats", "ATS"]),
    a("AWP", &["AWP Finanznachrichten"], &[], &["awp", "AWP"]),
    a("EFE", &["Agencia EFE", "EFEAGRO", "EFEverde"], &["EFE", "Efe", "埃菲社"], &[]),
    a("Europa Press", &["Europa Press"], &["EUROPA PRESS"], &[]),
    a("Colpisa", &[], &["COLPISA", "Colpisa"], &[]),
    a("ANSA", &["Agenzia ANSA"], &["ANSA", "Ansa", "安莎社"], &[]),
    a("Adnkronos", &[], &["Adnkronos", "ADNKRONOS", "AdnKronos", "Adnkronos/Labitalia"], &["AKI"]),
    a("AGI", &["Agenzia Italia"], &[], &["AGI"]),
    a("Askanews", &[], &["askanews", "Askanews"], &[]),
    a("LaPresse", &[], &["LaPresse"], &[]),
    a("Lusa", &["Agência Lusa", "Agencia Lusa"], &["Lusa", "LUSA"], &[]),
    a("Belga", &["Agence Belga", "Belga News Agency"], &["Belga", "BELGA"], &[]),
    a("ANP", &["Algemeen Nederlands Persbureau"], &["ANP"], &[]),
    a("PA Media", &["Press Association", "PA Media", "PA News Agency"], &[], &["PA"]),
    a("TT", &["Tidningarnas Telegrambyrå", "TT-Reuters"], &[], &["TT"]),
    a("NTB", &["Norsk Telegrambyrå"], &["NTB", "©NTB"], &[]),
    a("Ritzau", &["Ritzaus Bureau"], &["Ritzau", "ritzau", "/ritzau/"], &[]),
    a("STT", &["Suomen Tietotoimisto"], &["STT"], &[]),
    a("PAP", &["Polska Agencja Prasowa", "PAP - Nauka w Polsce"], &[], &["PAP"]),
    a("ČTK", &["Česká tisková kancelář"], &["ČTK", "CTK"], &[]),
    a("TASR", &["Tlačová agentúra Slovenskej republiky"], &["TASR"], &[]),
    a("SITA", &["Slovenská tlačová agentúra"], &[], &["SITA"]),
    a("MTI", &["Magyar Távirati Iroda"], &["MTI"], &[]),
    a("Hina", &[], &["Hina", "HINA"], &[]),
    a("STA", &["Slovenska tiskovna agencija"], &[], &["STA"]),
    a("Tanjug", &[], &["Tanjug", "TANJUG", "Танјуг"], &[]),
    a("FENA", &[], &["FENA", "Fena"], &[]),
    a("Agerpres", &[], &["Agerpres", "AGERPRES"], &[]),
    a("Mediafax", &[], &["Mediafax", "MEDIAFAX"], &[]),
    a("BTA", &["Bulgarian News Agency"], &["БТА"], &["BTA"]),
    a("ANA-MPA", &["ΑΠΕ-ΜΠΕ", "ΑΠΕ ΜΠΕ", "ANA-MPA", "Athens-Macedonian News Agency", "Athens News Agency"], &[], &["ΑΠΕ", "ΑΜΠΕ", "AMNA"]),
    a("BNS", &["Baltic News Service"], &[], &["BNS"]),
    a("LETA", &[], &[], &["LETA"]),
    a("ELTA", &[], &[], &["ELTA"]),
    a("TASS", &["ITAR-TASS", "ИТАР-ТАСС"], &["TASS", "ТАСС", "塔斯社"], &[]),
    a("RIA Novosti", &["RIA Novosti", "РИА Новости", "РИА «Новости»", "RIA-Novosti", "РИА Новости Україна"], &["俄新社"], &[]),
    a("Interfax", &["Interfax-Ukraine", "Интерфакс-Украина", "Інтерфакс-Україна"], &["Interfax", "INTERFAX.RU", "Интерфакс", "ИНТЕРФАКС"], &[]),
    a("Regnum", &["ИА REGNUM", "ИА Регнум"], &[], &["REGNUM"]),
    a("Rosbalt", &["ИА Росбалт"], &["Росбалт"], &[]),
    a("Ukrinform", &[], &["Ukrinform", "Укринформ", "Укрінформ"], &[]),
    a("UNIAN", &[], &["UNIAN", "УНИАН", "УНІАН"], &[]),
    a("BelTA", &[], &["BelTA", "БЕЛТА", "БелТА"], &[]),
    a("Anadolu", &["Anadolu Agency", "Anadolu Ajansı"], &["Anadolu"], &["AA"]),
    a("DHA", &["Demirören Haber Ajansı", "Doğan Haber Ajansı"], &["DHA"], &[]),
    a("İHA", &["İhlas Haber Ajansı"], &["İHA", "IHA"], &[]),
    a("Xinhua", &["Xinhua News Agency"], &["Xinhua", "XINHUA", "新华社", "新華社", "新华网"], &[]),
    a("China News Service", &["China News Service"], &["中国新闻社", "中国新闻网", "中新社", "中新网", "中新網"], &[]),
    a("Cailian Press", &["Cailian Press"], &["财联社"], &[]),
    a("CNA", &["Central News Agency", "Focus Taiwan"], &["中央社", "中央通訊社"], &[]),
    a("Kyodo", &["Kyodo News"], &["Kyodo", "KYODO", "共同", "共同通信", "共同通信社", "共同社"], &[]),
    a("Jiji", &["Jiji Press"], &["Jiji", "JIJI", "時事", "時事通信", "時事通信社", "时事社"], &[]),
    a("Yonhap", &["Yonhap News"], &["Yonhap", "연합뉴스", "韩联社"], &[]),
    a("Newsis", &[], &["뉴시스", "Newsis"], &[]),
    a("News1", &[], &["뉴스1"], &[]),
    a("PTI", &["Press Trust of India", "PTI News"], &["PTI", "पीटीआई"], &["भाषा"]),
    a("ANI", &["Asian News International"], &[], &["ANI"]),
    a("IANS", &["Indo-Asian News Service"], &["IANS", "ians"], &[]),
    a("UNI", &["United News of India", "Univarta"], &[], &["UNI", "वार्ता"]),
    a("APP", &["Associated Press of Pakistan"], &[], &["APP"]),
    a("PPI", &["Pakistan Press International"], &[], &["PPI"]),
    a("UNB", &["United News of Bangladesh"], &[], &["UNB"]),
    a("BSS", &["Bangladesh Sangbad Sangstha"], &[], &["BSS"]),
    a("Bernama", &[], &["Bernama", "BERNAMA"], &[]),
    a("Antara", &[], &["ANTARA", "Antara"], &[]),
    a("VNA", &["Vietnam News Agency"], &["TTXVN"], &["VNA"]),
    a("AAP", &["Australian Associated Press"], &["AAP"], &[]),
    a("NZPA", &["New Zealand Press Association"], &[], &["NZPA"]),
    a("The Canadian Press", &["Canadian Press", "La Presse Canadienne"], &[], &["CP"]),
    a("Notimex", &[], &["Notimex"], &["NTX"]),
    a("Télam", &[], &["Télam", "Telam"], &[]),
    a("Agência Brasil", &["Agência Brasil", "Agencia Brasil"], &[], &[]),
    a("Estadão Conteúdo", &["Estadão Conteúdo"], &[], &[]),
    a("Prensa Latina", &["Prensa Latina"], &[], &[]),
    a("IRNA", &["Islamic Republic News Agency"], &["ایرنا"], &["IRNA"]),
    a("ISNA", &[], &["ایسنا"], &["ISNA"]),
    a("Fars News Agency", &["Fars News Agency", "خبرگزاری فارس"], &[], &[]),
    a("ILNA", &[], &["ایلنا"], &["ILNA"]),
    a("Mehr News", &["Mehr News Agency", "خبرگزاری مهر"], &[], &["MNA"]),
    a("Tasnim", &["Tasnim News Agency"], &[], &["Tasnim"]),
    a("Petra News Agency", &["Jordan News Agency"], &[], &["بترا"]),
    a("KUNA", &["Kuwait News Agency"], &[], &["KUNA", "كونا"]),
    a("SPA", &["Saudi Press Agency"], &["واس"], &["SPA"]),
    a("WAM", &["Emirates News Agency"], &["WAM", "وام"], &[]),
    a("MENA", &["Middle East News Agency"], &["أ ش أ"], &[]),
    a("WAFA", &[], &[], &["WAFA", "وفا"]),
    a("Ma'an", &["Ma'an News Agency"], &[], &[]),
    a("MAP", &["Maghreb Arabe Presse"], &[], &["MAP"]),
    a("APS", &["Algérie Presse Service", "Agence de Presse Sénégalaise"], &[], &["APS"]),
    a("TAP", &["Tunis Afrique Presse"], &[], &["TAP"]),
    a("NAN", &["News Agency of Nigeria"], &[], &["NAN"]),
    a("GNA", &["Ghana News Agency"], &[], &["GNA"]),
    a("Sports Network", &["The Sports Network", "Sports Network"], &[], &[]),
    a("Postmedia News", &["Postmedia News", "CanWest News Service", "Canwest News Service", "CanWest News"], &[], &["CanWest", "Canwest"]),
    a("IAR", &["Informacyjna Agencja Radiowa"], &[], &["IAR"]),
    a("CNW", &["Canada NewsWire", "CNW Group", "CNW Telbec", "Canada Newswire"], &[], &["CNW"]),
    a("CGNews", &["Common Ground News Service"], &["CGNews"], &[]),
    a("Novy Region", &["ИА Новый Регион", "РИА Новый Регион"], &[], &["Новый Регион"]),
    a("dapd", &["dapd Nachrichtenagentur"], &[], &["dapd"]),
    a("Cihan", &["Cihan News Agency", "Cihan Haber Ajansı"], &[], &["CİHAN"]),
    a("Inter Press Service", &["Inter Press Service"], &[], &[]),
    a("Religion News Service", &["Religion News Service"], &[], &[]),
    a("Catholic News Service", &["Catholic News Service"], &[], &[]),
    a("Kathpress", &[], &["Kathpress", "KATHPRESS"], &[]),
    a("Kazinform", &[], &["Kazinform", "Казинформ", "КАЗИНФОРМ"], &[]),
    a("PNA", &["Philippine News Agency", "Philippines News Agency"], &[], &["PNA"]),
    a("QNA", &["Qatar News Agency"], &[], &["QNA"]),
    a("NNA", &["Lebanon's National News Agency"], &[], &[]),
    a("Andina", &["Agencia Andina"], &[], &[]),
    a("Agência Estado", &["Agência Estado", "Agencia Estado"], &[], &[]),
    a("Folhapress", &[], &["Folhapress", "FOLHAPRESS"], &[]),
    a("SAPA", &["South African Press Association"], &[], &["SAPA", "Sapa"]),
    // Wires that carry releases and finance.
    a("Business Wire", &["Business Wire"], &["BUSINESS WIRE", "BusinessWire"], &[]),
    a("PR Newswire", &["PR Newswire", "PRNewswire-USNewswire", "PRNewswire-FirstCall", "PRNewswire-Asia"], &["PRNewswire", "PRNEWSWIRE"], &[]),
    a("GlobeNewswire", &["Globe Newswire"], &["GlobeNewswire", "GLOBE NEWSWIRE", "GLOBENEWSWIRE"], &[]),
    a("Marketwired", &["Market Wire"], &["Marketwire", "Marketwired", "MARKETWIRE", "MARKETWIRED"], &[]),
    a("ACN Newswire", &["ACN Newswire"], &[], &[]),
    a("EIN Presswire", &["EIN Presswire"], &[], &[]),
    a("Newsfile", &["Newsfile Corp"], &[], &[]),
    a("PRWeb", &[], &["PRWeb", "PRWEB"], &[]),
    a("news aktuell", &["news aktuell"], &["ots", "OTS"], &[]),
    a("pressetext", &["pressetext.redaktion", "pressetext.com"], &[], &["pte"]),
    a("Dow Jones Newswires", &["Dow Jones Newswires", "Dow Jones News", "MF Dow Jones"], &[], &[]),
    a("Thomson Financial", &["Thomson Financial News", "Thomson Financial", "AFX News"], &[], &["AFX", "TFN"]),
    a("RTTNews", &[], &["RTTNews"], &[]),
    a("vwd", &["Vereinigte Wirtschaftsdienste"], &[], &["vwd"]),
    a("Radiocor", &["Il Sole 24 Ore Radiocor"], &["Radiocor"], &[]),
    a("Nyhetsbyrån Direkt", &["Nyhetsbyrån Direkt"], &[], &[]),
    a("Prime-TASS", &["ПРАЙМ-ТАСС", "АЭИ «ПРАЙМ»", "АЭИ Прайм"], &[], &[]),
    // Services of papers, and agencies of one subject.
    a("Tribune News Service", &["Tribune News Service", "McClatchy-Tribune", "McClatchy-Tribune News Service", "Tribune Content Agency", "McClatchy Newspapers", "McClatchy News Service", "Knight Ridder Newspapers"], &[], &["TNS", "MCT"]),
    a("New York Times News Service", &["New York Times News Service", "N.Y. Times News Service"], &[], &[]),
    a("Washington Post News Service", &["Washington Post News Service", "Los Angeles Times-Washington Post News Service"], &[], &[]),
    a("Scripps Howard News Service", &["Scripps Howard News Service"], &[], &[]),
    a("Gannett News Service", &["Gannett News Service"], &[], &[]),
    a("Cox News Service", &["Cox News Service", "Cox Newspapers"], &[], &[]),
    a("Hearst Newspapers", &["Hearst Newspapers"], &[], &[]),
    a("Newhouse News Service", &["Newhouse News Service"], &[], &[]),
    a("Copley News Service", &["Copley News Service"], &[], &[]),
    a("States News Service", &["States News Service"], &[], &[]),
    a("KFF Health News", &["Kaiser Health News", "KFF Health News"], &[], &[]),
    a("HealthDay", &["HealthDay News", "HealthDay Reporter"], &["HealthDay"], &[]),
    a("IDG News Service", &["IDG News Service"], &[], &[]),
    a("QMI Agency", &["QMI Agency", "Agence QMI"], &[], &["QMI"]),
    a("Torstar News Service", &["Torstar News Service"], &[], &[]),
    a("HT Syndication", &["HT Syndication"], &[], &[]),
    a("WENN", &["World Entertainment News Network"], &[], &["WENN"]),
    a("BANG Showbiz", &["BANG Showbiz", "Bang Showbiz"], &[], &[]),
    a("Cover Media", &["Cover Media"], &[], &[]),
    a("SWNS", &[], &[], &["SWNS"]),
    a("Local Democracy Reporting Service", &["Local Democracy Reporting Service", "Local Democracy Reporter"], &[], &[]),
    a("NCA NewsWire", &["NCA NewsWire", "NewsCore"], &[], &[]),
    a("Field Level Media", &["Field Level Media"], &[], &[]),
    a("Omnisport", &[], &["Omnisport"], &[]),
    a("spot on news", &["spot on news"], &[], &[]),
    a("dts", &["dts Nachrichtenagentur"], &[], &["dts"]),
    a("ddp", &["Deutscher Depeschendienst"], &[], &["ddp"]),
    a("Servimedia", &[], &["Servimedia", "SERVIMEDIA"], &[]),
    a("ACN", &["Agència Catalana de Notícies"], &[], &[]),
    a("Vasco Press", &["Vasco Press"], &[], &[]),
    a("Italpress", &[], &["Italpress", "ITALPRESS"], &[]),
    a("Agenzia Nova", &["Agenzia Nova"], &[], &[]),
    a("DIRE", &["Agenzia DIRE"], &[], &["DIRE"]),
    a("ASCA", &[], &[], &["ASCA"]),
    a("TMNews", &[], &["TMNews", "APCom", "Apcom"], &["TM News"]),
    a("Novum Nieuws", &["Novum Nieuws"], &[], &[]),
    a("GPD", &["Geassocieerde Pers Diensten"], &[], &[]),
    a("ANB", &["Avisenes Nyhetsbyrå"], &[], &[]),
    a("KAI", &["Katolicka Agencja Informacyjna"], &[], &["KAI"]),
    a("AIP", &["Agencja Informacyjna Polska Press"], &[], &["AIP"]),
    a("Newseria", &[], &["Newseria"], &[]),
    a("ISBnews", &[], &["ISBnews"], &["ISB"]),
    a("Rador", &["Agenția Rador"], &["RADOR", "Rador"], &[]),
    a("NewsIn", &[], &["NewsIn"], &[]),
    // National agencies.
    a("Beta News Agency", &["Novinska agencija Beta", "Agencija Beta"], &[], &[]),
    a("FoNet", &[], &["FoNet", "FONET"], &[]),
    a("SRNA", &[], &[], &["SRNA", "Srna"]),
    a("MINA", &["Mina news"], &[], &["MINA"]),
    a("MIA", &["Media Information Agency"], &[], &["МИА"]),
    a("Makfax", &[], &["Makfax", "Макфакс"], &[]),
    a("Cyprus News Agency", &["Cyprus News Agency"], &[], &["ΚΥΠΕ"]),
    a("ANKA", &["ANKA Haber Ajansı"], &[], &["ANKA"]),
    a("Armenpress", &[], &["Armenpress", "ARMENPRESS", "АРМЕНПРЕСС"], &[]),
    a("Azertac", &[], &["AZERTAC", "Azertac", "АЗЕРТАДЖ"], &[]),
    a("Trend News Agency", &["Trend News Agency", "АМИ Trend"], &[], &[]),
    a("Kabar News Agency", &["НИА «Кабар»"], &[], &["Кабар"]),
    a("BelaPAN", &[], &["BelaPAN", "БелаПАН"], &[]),
    a("Moldpres", &[], &["MOLDPRES", "Moldpres"], &[]),
    a("UNN", &[], &[], &["УНН"]),
    a("LIGABusinessInform", &["ЛІГАБізнесІнформ", "ЛИГАБизнесИнформ"], &[], &[]),
    a("Ukrainian News", &["Украинские Новости", "Українські Новини"], &[], &[]),
    a("RAPSI", &[], &["РАПСИ", "RAPSI"], &[]),
    a("AGN Moskva", &["АГН «Москва»", "Агентство «Москва»"], &[], &[]),
    a("Sputnik", &["РИА Новости Sputnik"], &[], &["Sputnik"]),
    a("Finmarket", &["ИА «Финмаркет»"], &["Финмаркет"], &[]),
    a("INP", &["Independent News Pakistan"], &[], &["INP"]),
    a("NNI", &["News Network International"], &[], &["NNI"]),
    a("Pajhwok", &["Pajhwok Afghan News"], &["Pajhwok"], &[]),
    a("KCNA", &["Korean Central News Agency"], &["조선중앙통신", "朝中社"], &["KCNA"]),
    a("Montsame", &[], &["Montsame", "MONTSAME"], &[]),
    a("TNA", &["Thai News Agency"], &[], &["TNA"]),
    a("AKP", &["Agence Kampuchea Presse"], &[], &["AKP"]),
    a("China Review News Agency", &["China Review News Agency"], &["中评社"], &[]),
    a("SANA", &["Syrian Arab News Agency"], &[], &["SANA", "سانا"]),
    a("INA", &["Iraqi News Agency"], &[], &["واع"]),
    a("BNA", &["Bahrain News Agency"], &[], &[]),
    a("ONA", &["Oman News Agency"], &[], &["العمانية"]),
    a("SUNA", &["Sudan News Agency"], &[], &["SUNA", "سونا"]),
    a("LANA", &["Libyan News Agency"], &[], &[]),
    a("Saba News Agency", &["Yemen News Agency"], &[], &["سبأ"]),
    a("PANA", &["Panapress", "PanAfrican News Agency"], &[], &["PANA"]),
    a("ENA", &["Ethiopian News Agency"], &[], &["ENA"]),
    a("Kenya News Agency", &["Kenya News Agency"], &[], &[]),
    a("Angop", &[], &["ANGOP", "Angop"], &[]),
    a("NAMPA", &["Namibia Press Agency"], &[], &["NAMPA", "Nampa"]),
    a("New Ziana", &["New Ziana"], &[], &[]),
    a("African News Agency", &["African News Agency"], &[], &[]),
    a("BuaNews", &["SAnews.gov.za"], &["BuaNews", "SAnews"], &[]),
    a("UN News", &["UN News Service", "UN News Centre"], &[], &[]),
    a("IRIN", &[], &[], &["IRIN"]),
    a("ABI", &["Agencia Boliviana de Información"], &[], &["ABI"]),
    a("ANF", &["Agencia de Noticias Fides"], &[], &["ANF"]),
    a("AVN", &["Agencia Venezolana de Noticias"], &[], &["AVN"]),
    a("Colprensa", &[], &["Colprensa", "COLPRENSA"], &[]),
    a("DyN", &["Diarios y Noticias"], &[], &["DyN", "DYN"]),
    a("Noticias Argentinas", &["Noticias Argentinas", "Agencia NA"], &[], &[]),
    a("Agencia Reforma", &["Agencia Reforma"], &[], &[]),
    a("Quadratín", &["Agencia Quadratín"], &["Quadratín"], &[]),
    a("Agência O Globo", &["Agência O Globo", "Agencia O Globo"], &[], &[]),
    a("Agência Senado", &["Agência Senado"], &[], &[]),
    a("Agência Câmara", &["Agência Câmara"], &[], &[]),
    a("NZ Newswire", &["NZ Newswire"], &[], &["NZN"]),
    a("PACNEWS", &[], &["PACNEWS"], &[]),
    a("Bay City News", &["Bay City News"], &[], &[]),
    a("FederalPress", &["ФедералПресс"], &[], &[]),
    a("Awakening News Networks", &["台灣醒報"], &["台灣醒報"], &[]),
];

/// Names that sign texts as those of agencies do, but are recorded for no article: on a line of their own they mean
/// a picture's agency, a company, a parliament, or a newsroom that papers share.
#[rustfmt::skip]
pub const UNRECORDED: &[Agency] = &[
    a("AP Photo", &["AP Photo"], &[], &[]),
    a("Dow Jones", &["Dow Jones"], &[], &[]),
    a("Europa Press", &[], &[], &["EP"]),
    a("RND", &[], &["RND"], &[]),
];

/// A dateline in Chinese has at most so many characters behind the agency's name.
const SENT: usize = 30;

/// The dateline that a text in Chinese begins with ("新华社北京11月20日电"): the agency's name in it, and how many
/// bytes it has. The sign 电, "by wire", stands behind the day or before what is no letter; in 电信 or 电网 it means
/// something else.
pub fn sent(text: &str) -> Option<(&'static str, usize)> {
    text.starts_with(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c)).then_some(())?;
    let mut names = AGENCIES.iter().flat_map(|agency| agency.short).copied();
    let name = names.find(|name| name.ends_with(['社', '网', '網']) && text.starts_with(name))?;
    let behind = text.get(name.len()..)?;
    let mut signs = behind.char_indices().take(SENT).filter(|(_, c)| matches!(c, '电' | '電'));
    let end = signs.find_map(|(at, sign)| {
        let (before, rest) = (&behind[..at], &behind[at + sign.len_utf8()..]);
        let of_day =
            ["日", "日专", "日專", "日综合", "日綜合"].iter().any(|day| before.ends_with(day));
        (of_day || !rest.starts_with(char::is_alphanumeric)).then_some(at + sign.len_utf8())
    })?;
    Some((name, name.len() + end))
}

#[cfg(test)]
mod tests {
    use super::sent;

    #[test]
    fn datelines_in_chinese() {
        for dateline in [
            "新华社北京11月20日电",
            "中新网11月20日电",
            "财联社11月20日电",
            "韩联社首尔11月20日专电",
            "路透社伦敦电",
        ] {
            let text = format!("{dateline}（记者王小明）工厂开业。");
            let found = sent(&text).map(|(name, length)| (text.starts_with(name), &text[..length]));
            assert_eq!(found, Some((true, dateline)), "{text}");
        }
        for text in
            ["新华社记者从国家电网获悉", "据新华社北京11月20日电", "新华社", "", "Reuters 20日电"]
        {
            assert_eq!(sent(text), None, "{text}");
        }
    }
}

//! What counts as an occurrence of a name, case by case and against trying every place.

use super::*;
use proptest::prelude::*;

fn brand(name: &str) -> Brand {
    Brand { name: name.into(), whole_word: true, ..Brand::default() }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).into()).collect()
}

/// What is found of these brands, as the text's own characters.
fn found<'a>(brands: &[Brand], text: &'a str, language: Option<&str>) -> Vec<&'a str> {
    let lexicon = Lexicon::build(brands).unwrap();
    let names = resolve(lexicon.scan(text, language).names);
    names.into_iter().map(|h| &text[h.start..h.end]).collect()
}

#[test]
fn names_are_whole_words() {
    fn check(name: &str, text: &str, expect: &[&str]) {
        assert_eq!(found(&[brand(name)], text, None), expect, "{name} in {text:?}");
    }
    check("Siemens", "Siemens-Chef Siemens' Siemens’s „Siemens“ NichtSiemens", &["Siemens"; 4]);
    check("Siemens", "Siemensstadt Siemens_AG 2Siemens Siemens2", &[]);
    check("Siemens", "Sie\u{ad}mens, Ｓｉｅｍｅｎｓ", &["Sie\u{ad}mens", "Ｓｉｅｍｅｎｓ"]);
    check("Coca-Cola", "Coca‑Cola, Coca\u{2013}Cola", &["Coca‑Cola", "Coca–Cola"]);
    check("Coca Cola", "Coca\u{a0}Cola, Coca  Cola", &["Coca\u{a0}Cola", "Coca  Cola"]);
    check("Levi's", "Levi’s und Levi's", &["Levi’s", "Levi's"]);
    // As it is typed where the keyboard has no other.
    check("Levi's", "Levi`s, Levi´s, Levi′s", &["Levi`s", "Levi´s", "Levi′s"]);
    check("Levi`s", "Levi's, Levi`s, ‘Levi’s’", &["Levi's", "Levi`s", "Levi’s"]);
    check("Сім'я", "Сім`я й Сім’я", &["Сім`я", "Сім’я"]);
    check("Nestle\u{301}", "Nestlé", &["Nestlé"]);
    check("Nestle", "Nestle\u{301}", &[]);
    check("Apple", "Apple公司, 在Apple, Apple™, Apples, #Apple @Apple", &["Apple"; 5]);
    check("苹果", "苹果公司的苹果", &["苹果"; 2]);
    check("LG", "LG전자 LGs", &["LG"]);
    check("3M", "3M und 13M und 3MB", &["3M"]);
    check(
        "Газпром*",
        "Газпрома, Газпромнефть, «Газпром» и НеГазпром",
        &["Газпрома", "Газпромнефть", "Газпром"],
    );
    check("nan", "", &[]);
}

/// "The firm sold 2.3M cars" was a mention of 3M.
#[test]
fn a_part_of_a_number_is_no_name() {
    fn check(name: &str, text: &str, expect: usize) {
        assert_eq!(found(&[brand(name)], text, None).len(), expect, "{name} in {text:?}");
    }
    check("3M", "2.3M cars, 1,3M bikes, 2．3M, 1'3M, 1’3M, 2·3M", 0);
    check("3M", "3M, 3M. (3M) .3M v.3M ,3M 3M.5", 7);
    check("3M", "See p. 2. 3M grew in 2025, 3M said; 'in 2025' 3M", 3);
    check("Channel 4", "Channel 4.5 Channel 4,5 Channel 4٫5 Channel 4٬500 Channel 4،5", 0);
    check("Channel 4", "Channel 4, 5 people. Channel 4.", 2);
    check("Channel 4", "Channel 4's, Channel 4.Five", 2);
    check("Channel 4*", "Channel 4.5, Channel 4you", 1);
    check("Channel 4", "Channel ４．５", 0);
    check("٣M", "٢٫٣M", 0);
    check("7-Eleven", "4.7-Eleven, 7-Eleven", 1);
    // The digit is inside of the name, or there is none.
    check("A3B", "2.A3B.5", 1);
    check("Acme", "2.Acme.5", 1);
    let part = Brand { whole_word: false, ..brand("3M") };
    assert_eq!(found(&[part], "2.3M 13M", None), ["3M"; 2]);
}

/// "The firm raised $3M" was a mention of 3M.
#[test]
fn a_sum_of_money_is_no_name() {
    fn check(name: &str, text: &str, expect: usize) {
        assert_eq!(found(&[brand(name)], text, None).len(), expect, "{name} in {text:?}");
    }
    check("3M", "$3M, US$3M, €3M, ($3M) £3M ¥3M ₹3M ₽3M ＄3M ฿3M 3M€ 3M$ $3M-a-year", 0);
    check("3M", "3M shares at $3, 3M (NYSE: MMM), #3M, 3M $-", 3);
    check("3M", "3M €, 3M\u{a0}€, 3M\u{202f}$; $ 3M, € 3M", 0);
    check("3M", "$2-3M, €2–3M, $2.5-3M, US$ 1,000-3M, £2−3M", 0);
    check("3M", "2-3M, 2 3M, $-3M, $ in 2-3M, $2 to 3M, $2a-3M", 6);
    // The sign is of another number; a code or a word is no sign.
    check("3M", "5 € 3M, 5€ 3M, 3M $5, 3M € 5", 4);
    check("3M", "EUR 3M, 3M euro", 2);
    check("3M*", "$3M, $3Millions", 0);
    check("7-Eleven", "a $7 7-Eleven coffee", 1);
    // A sign that begins a word.
    check("3M", "Shares of 3M $MMM fell", 1);
    // No sum begins with a letter.
    check("Acme", "$Acme, Acme$", 2);
    check("Channel 4", "Channel 4$", 1);
    let part = Brand { whole_word: false, ..brand("3M") };
    assert_eq!(found(&[part], "$3M", None), ["3M"]);
}

#[test]
fn case_is_smart_by_default() {
    fn check(name: &str, case: CaseRule, text: &str, expect: &[&str]) {
        let brand = Brand { case, ..brand(name) };
        assert_eq!(found(&[brand], text, None), expect, "{name} in {text:?}");
    }
    check("siemens", CaseRule::Smart, "Siemens SIEMENS", &["Siemens", "SIEMENS"]);
    check("Siemens", CaseRule::Smart, "Siemens siemens SIEMENS", &["Siemens"]);
    check("siemens", CaseRule::Exact, "Siemens siemens", &["siemens"]);
    check("SIEMENS", CaseRule::Any, "Siemens siemens", &["Siemens", "siemens"]);
    check("οτε", CaseRule::Smart, "ΟΤΕ", &["ΟΤΕ"]);
    check("Yapı Kredi", CaseRule::Any, "YAPI KREDİ YAPI KREDI", &["YAPI KREDİ", "YAPI KREDI"]);
    check("Yapı Kredi", CaseRule::Smart, "YAPI KREDİ Yapı Kredi", &["Yapı Kredi"]);
    check("Groß", CaseRule::Any, "GROSS Groß GROẞ Gross", &["GROSS", "Groß", "GROẞ", "Gross"]);
    check("Groß", CaseRule::Smart, "GROSS Groß Gross", &["Groß"]);
    check("ros", CaseRule::Any, "Roß", &[]);
    check("отто", CaseRule::Any, "ОТТО", &["ОТТО"]);
    check("Εθνική", CaseRule::Any, "ΕΘΝΙΚΗ, Εθνική", &["ΕΘΝΙΚΗ", "Εθνική"]);
    check("Εθνική", CaseRule::Smart, "Εθνικη, Εθνική", &["Εθνική"]);
}

/// A headline in capitals named nobody.
#[test]
fn the_case_of_a_text_in_capitals_says_nothing() {
    fn check(name: &str, case: CaseRule, text: &str, expect: &[&str]) {
        let exclude = strings(&["Acme Valley"]);
        let brand = Brand { case, exclude, inflect: strings(&["de"]), ..brand(name) };
        assert_eq!(found(&[brand], text, Some("de")), expect, "{name} in {text:?}");
    }
    use CaseRule::{Exact, Smart};
    check("Acme", Smart, "ACME CLOSES 2 PLANTS, SAYS ACMES BOSS", &["ACME", "ACMES"]);
    check("Nestlé", Smart, "NESTLÉ WÄCHST", &["NESTLÉ"]);
    check("İş Bankası", Smart, "İŞ BANKASI BÜYÜYOR", &["İŞ BANKASI"]);
    check("Сбербанк", Smart, "СБЕРБАНК РАСТЁТ", &["СБЕРБАНК"]);
    check("Acme", Smart, "ACME VALLEY IS NO ACME", &["ACME"]);
    check("Acme", Exact, "ACME CLOSES A PLANT", &[]);
    // Letters that have no capital, or that lines of capitals keep; marks.
    check("Acme", Smart, "A 1ª FÁBRICA DA ACME", &["ACME"]);
    check("Acme", Smart, "O 2º LUGAR, GROßER ERFOLG FÜR ACME", &["ACME"]);
    check("Acme", Smart, "СІМʼЯ Й ACME", &["ACME"]);
    check("Acme", Smart, "ACMEᵀᴹ GROWS ⓡ", &["ACME"]);
    // Prose in scripts without letter case, with capitals in it.
    check("Gap", Smart, "농산물우수관리(GAP) 인증을 받은 HACCP 시설에서", &[]);
    check("Visa", Smart, "E-7 VISA 발급을 늘리고 TOPIK", &[]);
    check("Next", Smart, "日本の NEXT GIGA 構想と AI", &[]);
    check("Acme", Smart, "شركة ACME و IBM", &[]);
    check("Acme", Smart, "חברת ACME ו IBM", &[]);
    check("Acme", Smart, "कंपनी ACME और IBM", &[]);
    check("Gap", Smart, "농산물우수관리(Gap) 인증을 받은 HACCP", &["Gap"]);
    // One small letter, or a word alone.
    check("Acme", Smart, "ACME CLOSES A PLANt", &[]);
    check("Acme", Smart, "ACME", &[]);
    check("Acme", Smart, "ACME 2, 3", &[]);
}

/// As often as it is asked, a long text is looked through once.
#[test]
fn a_long_text_in_capitals_takes_linear_time() {
    let text = "ACME GREW. ".repeat(200_000);
    let exact = Brand { aliases: strings(&["Grew"]), ..brand("Acme") };
    assert_eq!(found(&[exact], &text, None).len(), 400_000);
}

#[test]
fn longest_wins_and_exclusions_cancel() {
    let apple = Brand { exclude: strings(&["Apple Records", "Big Apple"]), ..brand("Apple") };
    let music = brand("Apple Music");
    let both = [apple, music];
    let check = |text, expect: &[&str]| assert_eq!(found(&both, text, None), expect);
    check("Apple Music by Apple", &["Apple Music", "Apple"]);
    check("Apple Records in the Big Apple", &[]);
    check("Apple Recordskeeping", &["Apple"]);
    // The exclusion is Apple's alone.
    check("Big Apple Music", &["Apple Music"]);
    let same = [
        Brand { aliases: strings(&["VW"]), ..brand("Golf") },
        Brand { aliases: strings(&["VW"]), ..brand("Polo") },
    ];
    assert_eq!(found(&same, "VW", None), ["VW", "VW"]);
}

#[test]
fn languages_limit_brands() {
    let brand = Brand { languages: strings(&["de"]), ..brand("Post") };
    let check = |language, expect: &[&str]| {
        assert_eq!(found(std::slice::from_ref(&brand), "die Post", language), expect)
    };
    check(Some("de"), &["Post"]);
    check(Some("en"), &[]);
    check(None, &[]);
}

#[test]
fn inflection_is_bounded() {
    fn check(name: &str, language: &str, text: &str, expect: &[&str]) {
        let brand = Brand { inflect: strings(&[language]), ..brand(name) };
        assert_eq!(found(&[brand], text, Some(language)), expect, "{name} in {text:?}");
    }
    check("Volkswagen", "de", "Volkswagens Volkswagenwerk", &["Volkswagens"]);
    check(
        "Газпром",
        "ru",
        "Газпрома Газпрому Газпромом Газпромнефть",
        &["Газпрома", "Газпрому", "Газпромом"],
    );
    check("Тойота", "ru", "Тойоты Тойоту Тойота Тойотовский", &["Тойоты", "Тойоту", "Тойота"]);
    check("Lufthansa", "pl", "Lufthansy z Lufthansą", &["Lufthansy", "Lufthansą"]);
    check("Google", "fi", "Googlen Googlessa Googletus", &["Googlen", "Googlessa"]);
    check("Google", "tr", "Google'ın Googlelar", &["Google", "Googlelar"]);
    check("أبل", "ar", "وأبل لأبل بأبل سأبل", &["وأبل", "لأبل", "بأبل"]);
    check("삼성", "ko", "삼성은 삼성전자", &["삼성은"]);
    check("TOYOTA", "pl", "TOYOTY z TOYOTĄ, Toyoty", &["TOYOTY", "TOYOTĄ"]);
    check("أبل", "ar", "الأبلها", &["الأبلها"]);
    check("أبل", "ar", "سالأبل", &[]);
    // Only with the text's own table.
    let german = Brand { inflect: strings(&["de"]), ..brand("Google") };
    assert_eq!(found(&[german], "Googles", Some("en")), [""; 0]);
}

/// Most newspapers print "Пятерочка", and keyboards have letters of their own.
#[test]
fn letters_that_are_printed_as_others_are_the_same() {
    fn check(name: &str, text: &str) {
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!(found(&[brand(name)], text, None), words, "{name}");
    }
    check("Пятёрочка", "Пятёрочка Пятерочка Пяте\u{308}рочка");
    check("Пятерочка", "Пятёрочка Пятерочка");
    check("بيبسي", "بيبسي بیبسی");
    check("ئاپپىل", "ئاپپىل ی\u{654}اپپىل");
    check("نوکیا", "نوکیا نوكيا");
    assert_eq!(found(&[brand("Ёлка")], "Елка, Ёлка, ёлка, елка", None), ["Елка", "Ёлка"]);
}

/// Outside of Egypt they are two letters: "على" is "on".
#[test]
fn letters_that_egypt_alone_unites_differ() {
    for case in [CaseRule::Exact, CaseRule::Smart, CaseRule::Any] {
        let ali = Brand { case, ..brand("علي") };
        assert_eq!(found(&[ali], "علي على علی", None), ["علي", "علی"], "{case:?}");
    }
}

/// Common cases were no forms of their names: the Finnish illative, the Estonian genitive, Hungarian names in a vowel,
/// softened stems, pairs of Korean particles.
#[test]
fn common_cases_are_accepted() {
    fn check(language: &str, name: &str, text: &str) {
        let brand = Brand { inflect: strings(&[language]), ..brand(name) };
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!(found(&[brand], text, Some(language)), words, "{name}");
    }
    check("fi", "Nokia", "Nokia Nokian Nokiaa Nokiassa Nokiaan Nokialle Nokialta");
    check("fi", "Neste", "Neste Nesteen Nestettä Nesteessä Nesteestä Nesteeseen Nesteelle");
    check("fi", "Metso", "Metsoon");
    check("fi", "Wärtsilä", "Wärtsilään Wärtsilän");
    check("et", "Tallink", "Tallinki Tallinkis Tallinkisse Tallinkilt Tallinkiks Tallinkiga");
    check("hu", "Tesla", "Tesla Teslát Teslának Teslával Teslánál Teslára Teslák");
    check("hu", "Erste", "Erste Erstét Erstének Erstével");
    check("hu", "Tesco", "Tesco Tescót Tescóban Tescóval");
    check("hu", "Telekom", "Telekom Telekomnak Telekommal Telekomé");
    check("hu", "Siemens", "Siemensszel");
    check("hu", "Netflix", "Netflixszel");
    check("hu", "Lufthansz", "Lufthanszot Lufthansszal");
    check("hu", "Allianz", "Allianzzal");
    check("hu", "TELEKOM", "TELEKOMMAL");
    check("pl", "Biedronka", "Biedronka Biedronki Biedronce Biedronkę Biedronką");
    check("pl", "Skoda", "Skody Skodzie");
    check("pl", "Microsoft", "Microsoftu Microsofcie");
    check("pl", "Renault", "Renaultu Renaulcie");
    check("pl", "Polsat", "Polsacie");
    check("pl", "Carrefour", "Carrefourze");
    check("pl", "Kaufland", "Kauflandzie");
    check("cs", "Google", "Google Googlu Googlem");
    check("cs", "Sazka", "Sazka Sazky Sazce Sazku Sazkou");
    check("cs", "Nokia", "Nokia Nokie Nokii Nokií");
    check("cs", "Kaufland", "Kauflandu Kauflandě");
    check("hr", "Podravka", "Podravke Podravci Podravku Podravkom");
    check("sr", "Политика", "Политика Политике Политици Политику Политиком");
    check("sr", "Газпром", "Газпром Газпрома Газпрому Газпромом");
    check("uk", "Укрзалізниця", "Укрзалізниця Укрзалізниці Укрзалізницю Укрзалізницею");
    check("uk", "Розетка", "Розетка Розетки Розетці Розетку Розеткою");
    check("az", "Azercell", "Azercell Azercellin Azercelldə Azercelldən Azercelli");
    check("tr", "Garanti Bankası", "Garanti\u{a0}Bankası Garanti\u{a0}Bankasını");
    check("tr", "Hava Yolları", "Hava\u{a0}Yolları Hava\u{a0}Yollarını");
    check("tr", "Migros Grubu", "Migros\u{a0}Grubu");
    check("az", "Kapital Ailəsi", "Kapital\u{a0}Ailəsini");
    check("ar", "نوكيا", "لنوكيا كنوکیا");
    check("fa", "اپل", "اپل اپل\u{200c}ها اپل\u{200c}های");
    check(
        "ko",
        "삼성전자",
        "삼성전자에서는 삼성전자와의 삼성전자처럼 삼성전자로부터 삼성전자라고 삼성전자에선",
    );
}

/// What is written like an ending may make another word.
#[test]
fn other_words_are_no_forms() {
    fn check(language: &str, name: &str, text: &str) {
        let brand = Brand { inflect: strings(&[language]), ..brand(name) };
        assert_eq!(found(&[brand], text, Some(language)), [""; 0], "{name}");
    }
    check("ko", "현대", "현대인 현대고 현대자동차 현대들");
    check("cs", "Škoda", "Škodí");
    check("pl", "Microsoft", "Microsoftcie");
    check("pl", "Start", "Starcie");
    check("pl", "Prime", "Prima");
    check("cs", "Nike", "Nika");
    check("hr", "Base", "Basa");
    check("hu", "Digi", "Digital Hungary");
    check("hu", "Mini", "Minimal");
    check("hu", "Telekom", "Telekombal Telekomval_");
    check("hu", "Lufthansz", "Lufthanszszal");
    check("fi", "Mac", "Macan");
    check("fi", "Can", "Canon");
    check("fi", "Sal", "Salon");
    check("fi", "Nokia", "Nokiaen Nokiaeseen Nokiaessa");
    check("tr", "Mi", "Mini etek");
    check("tr", "Arma", "Armani");
}

/// "Парк Теслы" was no "Парк Тесла", so the name in it counted.
#[test]
fn exclusions_and_required_words_are_inflected_like_names() {
    let tesla = |exclude: &[&str], require: &[&str]| Brand {
        exclude: strings(exclude),
        require: strings(require),
        inflect: strings(&["ru"]),
        ..brand("Тесла")
    };
    let excluding = tesla(&["Парк Тесла"], &[]);
    let text = "Парк Тесла, Парк Теслы и завод Теслы";
    assert_eq!(found(std::slice::from_ref(&excluding), text, Some("ru")), ["Теслы"]);
    let requiring = Lexicon::build(&[tesla(&[], &["машина"])]).unwrap();
    assert_eq!(requiring.scan("Тесла и машины", Some("ru")).required.len(), 1);
}

/// "Siemens¹" was the word "siemens1", "AcmeⓇ" was "acmer".
#[test]
fn marks_behind_a_name_are_not_of_its_word() {
    for mark in ["¹", "⁴²", "①", "⑳", "❷", "㊿", "⓫", "Ⓡ", "ⓒ", "ᵀᴹ", "™", "®", "℠", "🅪", "[2]"]
    {
        let text = format!("that Acme{mark} said");
        assert_eq!(found(&[brand("Acme")], &text, None), ["Acme"], "{text}");
        assert_eq!(found(&[brand("Acme*")], &text, None), ["Acme"], "{text}");
        assert_eq!(found(&[brand(&format!("Acme{mark}"))], &text, None).len(), 1, "{text}");
    }
    // They are no digits: "Formula¹" was "Formula 1".
    assert_eq!(
        found(&[brand("Formula 1"), brand("Boeing 7")], "The Formula¹ of Boeing⁷", None),
        [""; 0]
    );
    assert_eq!(found(&[brand("Apple²")], "Apple 2 y, Apple¹", None), ["Apple", "Apple"]);
    let apple = Brand { exclude: strings(&["Apple Records"]), ..brand("Apple") };
    assert_eq!(found(&[apple], "Apple¹ Records", None), [""; 0]);
    assert_eq!(found(&[brand("M³")], "BMW M 3 and M³", None), ["M", "M"]);
    assert_eq!(found(&[brand("O2")], "O₂", None), ["O₂"]);
}

#[test]
fn faults_name_brand_and_field() {
    fn check(brands: &[Brand], expect: &str) {
        assert_eq!(Lexicon::build(brands).unwrap_err().to_string(), expect);
    }
    check(&[brand("A"), brand("A")], "brand `A`: name: another brand has the same name");
    check(&[brand(" ")], "brand number 1 has no name");
    check(&[brand("…")], "brand `…`: name: `…` has no letter or digit");
    let with = |f: fn(&mut Brand)| {
        let mut b = brand("A");
        f(&mut b);
        [b]
    };
    check(
        &with(|b| b.aliases = vec!["a*b".into()]),
        "brand `A`: aliases: `a*b`: a `*` may only stand at the end",
    );
    check(&with(|b| b.exclude = vec!["".into()]), "brand `A`: exclude: `` has no letter or digit");
    check(&with(|b| b.within = 3), "brand `A`: within: has no meaning without `require`");
    assert!(
        Lexicon::build(&with(|b| b.inflect = vec!["xx".into()]))
            .unwrap_err()
            .problem
            .starts_with("`xx` is not one of de")
    );
    assert!(Lexicon::build(&[]).unwrap().scan("text", None).names.is_empty());
}

/// Every place where a name of a brand stands, tried one by one.
fn naive(names: &[String], text: &str) -> Vec<(usize, usize, usize)> {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let decimal = |own, mark, next| digit(own) && matches!(mark, Some('.' | ',')) && digit(next);
    let capital = |word: &&str| word.contains(char::is_uppercase);
    let in_capitals = text.chars().all(|c| !c.is_alphabetic() || c.is_uppercase())
        && text.split(' ').filter(capital).nth(1).is_some();
    let is = |name: &String, part: &str| name == part || in_capitals && name.to_uppercase() == part;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let at = |i: usize| chars.get(i).map(|c| c.1);
    let mut all = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let length = name.chars().count();
        for i in 0..chars.len() {
            let begin = chars[i].0;
            let end = chars.get(i + length).map_or(text.len(), |c| c.0);
            let before = i.checked_sub(1).and_then(at);
            if text.get(begin..end).is_some_and(|part| is(name, part))
                && !joined(before, at(i))
                && !joined(at(i + length - 1), at(i + length))
                && !decimal(at(i), before, i.checked_sub(2).and_then(at))
                && !decimal(at(i + length - 1), at(i + length), at(i + length + 1))
            {
                all.push((begin, end, number));
            }
        }
    }
    all
}

/// What [`Lexicon::scan`] is defined as: every pattern tried at every place of the folded text.
fn slowly(lexicon: &Lexicon, patterns: &Patterns, text: &str, language: Option<&str>) -> Scan {
    let looked = Looked { text, folded: fold(text), language, in_capitals: OnceCell::new() };
    let (mut scan, mut excluded) = (Scan::default(), Vec::new());
    for (at, _) in looked.folded.text.char_indices() {
        for (pattern, readings) in patterns.texts.iter().zip(&patterns.readings) {
            if !looked.folded.text[at..].starts_with(pattern) {
                continue;
            }
            for reading in readings {
                let span = (at, at + pattern.len());
                let hit = lexicon.accept(reading, &looked, span);
                match reading.role {
                    Role::Alias => scan.names.extend(hit),
                    Role::Exclude => excluded.extend(hit),
                    Role::Require => scan.required.extend(hit),
                }
            }
        }
    }
    scan.required.sort_unstable_by_key(|h| (h.brand, h.start, h.end));
    scan.names.sort_unstable();
    scan.names.dedup();
    let cover = Cover::new(excluded);
    scan.names.retain(|hit| !cover.overlaps(hit));
    scan
}

/// A brand that may use every rule.
fn any_brand() -> impl Strategy<Value = Brand> {
    let word = "[AaBbé]{1,4}\\*?|[1a]{1,2}|[ab]{1,3}[ '-][abA]{1,9}|[京都]{1,3}|[삼성]{1,2}|[Аая]{1,5}|(אב?|أب)|\\.[ab]{2}";
    let words = || prop::collection::vec(word, 0..3);
    let languages = prop::sample::subsequence(vec!["de", "ru", "he", "ar", "ko"], 0..4);
    let case = prop::sample::select(vec![CaseRule::Smart, CaseRule::Exact, CaseRule::Any]);
    (word, words(), words(), words(), case, any::<bool>(), languages).prop_map(
        |(name, aliases, exclude, require, case, whole_word, inflect)| Brand {
            name,
            aliases,
            exclude,
            require,
            case,
            whole_word,
            inflect: strings(&inflect),
            ..Brand::default()
        },
    )
}

proptest! {
    #[test]
    fn finds_what_trying_every_pattern_finds(
        brands in prop::collection::vec(any_brand(), 1..12),
        text in "([AaBbé\u{301}京都삼성Аая1. '-]|אב|وأب|[ab]{1,9} ){0,90}",
        language in prop::option::of(prop::sample::select(vec!["de", "he", "ko"])),
    ) {
        let Ok(lexicon) = Lexicon::build(&brands) else { return Ok(()) };
        let mut patterns = Patterns::default();
        for (number, brand) in brands.iter().enumerate() {
            let tables: Vec<_> = brand.inflect.iter().filter_map(|l| inflection(l)).collect();
            for (role, words) in [
                (Role::Alias, std::slice::from_ref(&brand.name)),
                (Role::Alias, &brand.aliases),
                (Role::Exclude, &brand.exclude),
                (Role::Require, &brand.require),
            ] {
                for word in words {
                    prop_assert!(patterns.add(number, role, brand.case, word, &tables).is_ok());
                }
            }
        }
        let (found, expect) = (lexicon.scan(&text, language), slowly(&lexicon, &patterns, &text, language));
        prop_assert_eq!(found.names, expect.names);
        prop_assert_eq!(found.required, expect.required);
    }

    #[test]
    fn finds_what_trying_every_place_finds(
        names in prop::collection::btree_set("[AB][abAB]{0,2}( [ab])?|[京都]{1,2}|1?A1?", 1..8),
        text in "([abAB京都1 ,.-]|[1A][.,][1A]){0,40}",
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let brands: Vec<Brand> = names.iter().map(|n| brand(n)).collect();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let lexicon = Lexicon::build(&brands).unwrap();
        let mut found: Vec<_> = lexicon.scan(&text, None).names.iter().map(|h| (h.start, h.end, h.brand)).collect();
        let mut expect = naive(&names, &text);
        found.sort_unstable();
        expect.sort_unstable();
        prop_assert_eq!(&found, &expect);
        // Leftmost-longest by definition: walk on, take the longest, jump behind it.
        let mut walked = Vec::new();
        let mut from = 0;
        while let Some(&(start, end, _)) = expect.iter().filter(|h| h.0 >= from).min_by_key(|h| (h.0, std::cmp::Reverse(h.1))) {
            walked.push((start, end));
            from = end;
        }
        let mut resolved: Vec<_> = resolve(lexicon.scan(&text, None).names).iter().map(|h| (h.start, h.end)).collect();
        // In capitals "Ab" and "AB" stand on the same characters.
        resolved.dedup();
        prop_assert_eq!(resolved, walked);
    }

    #[test]
    fn any_brand_in_any_text(
        words in prop::collection::vec("\\PC{0,6}|[aéﬁ\u{301}\u{ad}*苹 -]{1,4}", 1..6),
        text in "(\\PC|[aéﬁ\u{301}\u{ad}苹 -]){0,60}",
        pick in 0usize..6,
    ) {
        // Some of the words certainly occur.
        let text = format!("{text}{}{text}", words[pick % words.len()]);
        let inflect = strings(&["de", "ru", "ar", "ko", "fi"]);
        let brands: Vec<Brand> = words
            .iter()
            .map(|w| Brand { inflect: inflect.clone(), ..brand(w) })
            .filter(|b| Lexicon::build(std::slice::from_ref(b)).is_ok())
            .collect();
        let Ok(lexicon) = Lexicon::build(&brands) else { return Ok(()) };
        for hit in lexicon.scan(&text, None).names {
            let slice = text.get(hit.start..hit.end);
            prop_assert!(slice.is_some());
            let name = fold(brands[hit.brand].name.trim().trim_end_matches('*')).text;
            let stem: String = { let n = name.trim().chars().count(); name.trim().chars().take(n.saturating_sub(1).max(1)).collect() };
            prop_assert!(fold(slice.unwrap()).text.contains(&stem));
        }
    }
}

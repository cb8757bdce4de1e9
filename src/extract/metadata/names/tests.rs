use super::*;
use crate::extract::metadata::words::BY;
use proptest::prelude::*;

pub(super) fn check(voice: Voice, printed: &str, expect: &[&str]) {
    let found = names(printed, &["dailyexample".into()], voice);
    let found: Vec<&str> = found.iter().map(|n| n.text.as_str()).collect();
    assert_eq!(found, expect, "{printed}");
}

#[test]
fn told_names() {
    let check = |printed: &str, expect: &[&str]| check(Voice::Told, printed, expect);
    check("By Ann Archer", &["Ann Archer"]);
    check("BY ANN ARCHER AND BEN WRIGHT", &["ANN ARCHER", "BEN WRIGHT"]);
    check("Von Anna Arndt und Ben Schreiber", &["Anna Arndt", "Ben Schreiber"]);
    check(
        "Par Anne Auteur, Benoît Écrivain et Chloé Plume",
        &["Anne Auteur", "Benoît Écrivain", "Chloé Plume"],
    );
    check("Por: Ana Autora y Benito Pluma", &["Ana Autora", "Benito Pluma"]);
    check("Автор: Анна Петрова", &["Анна Петрова"]);
    check("Text: Anna Arndt", &["Anna Arndt"]);
    check("记者 王小明、李明", &["王小明", "李明"]);
    check("作者：王小明", &["王小明"]);
    check("文/王小明 李明", &["王小明", "李明"]);
    check("구현모 기자", &["구현모"]);
    check("Dylan Doe, MS, RD", &["Dylan Doe"]);
    check("Ann Archer (Reuters)", &["Ann Archer"]);
    check("Ann Archer, AP", &["Ann Archer"]);
    check("ann@n.example (Ann Archer)", &["Ann Archer"]);
    check("Ann Archer, Senior Editor", &["Ann Archer"]);
    check("Ann Archer Senior Editor", &["Ann Archer"]);
    check("https://n.example/author/ann", &[]);
    check("ann@n.example", &[]);
    check("@ann", &[]);
    check("Daily Example", &["Daily Example"]);
    check("admin", &[]);
    check("Byron Bay", &["Byron Bay"]);
    check("Vonda Smith", &["Vonda Smith"]);
    check("20 November 2026", &[]);
    check("", &[]);
    // Whom somebody writes for stands behind the name; another name may stand amid it.
    check("ANN ARCHER Associated Press", &["ANN ARCHER"]);
    check("Ann Archer AP Sports Writer", &["Ann Archer"]);
    check("Ann Archer for CNN", &["Ann Archer"]);
    check("Anna (Arndt) Archer", &["Anna Archer"]);
    check("Ann Van Der Archer", &["Ann Van Der Archer"]);
    // Companies and addresses sign nothing.
    check("Valley Systems Ltd", &[]);
    check("Valley Media sp. z o.o", &[]);
    check("valley.example.com", &[]);
    check("NOC Admin", &["NOC Admin"]);
}

#[test]
fn printed_bylines() {
    let check = |printed: &str, expect: &[&str]| check(Voice::Line, printed, expect);
    check("By Ann Archer", &["Ann Archer"]);
    check("By Ann Archer, Senior Editor", &["Ann Archer"]);
    check("By Ann Archer in London", &["Ann Archer"]);
    check("By Ann Archer May 20, 2026", &["Ann Archer"]);
    check("Von Anna von Arndt, 20. November 2026", &["Anna von Arndt"]);
    check("By Ann Archer | Reviewed by Ben Doctor", &["Ann Archer"]);
    check("Written by Ann Archer, fact checked by Ben Checker", &["Ann Archer"]);
    check("By then it was late", &[]);
    check("By the way", &[]);
    check("By Ann", &[]);
    check("Par exemple", &[]);
    check("Da Rom", &[]);
    check("As Plants Could Open", &[]);
    check("By 20 November 2026", &[]);
    check("By Ann Archer, Program Chair", &["Ann Archer"]);
    check("By Ann Archer | Contributions from Ben Wright", &["Ann Archer"]);
    check("By Plants Opened”", &[]);
    check("作者 王小明", &["王小明"]);
    check("作者 最新", &[]);
    check("文章评论", &[]);
    check("文｜王小明", &["王小明"]);
    check("Article written by: Ann Archer, MD", &["Ann Archer"]);
    check(&format!("By Ann Archer {}", "who wrote of plants ".repeat(4)), &[]);
}

/// What stands behind a name is no further one.
#[test]
fn offices_places_and_agencies_behind_names() {
    let line = |printed: &str, expect: &[&str]| check(Voice::Line, printed, expect);
    let told = |printed: &str, expect: &[&str]| check(Voice::Told, printed, expect);
    let one = &["Ann Archer"];
    let two = &["Ann Archer", "Ben Wright"];
    for behind in [
        "Associated Press",
        "Canadian Press",
        "AP White House",
        "Valley Times",
        "Eagle Washington Bureau",
        "The Valley Appeal",
        "Berlin Bureau Chief",
        "City Hall Reporter",
        "Software Engineer",
        "Liberal MP",
        "Los Angeles",
        "Hong Kong",
        "Politische Korrespondentin",
        "Wirtschaftsredakteurin",
        "Valley University",
    ] {
        line(&format!("By Ann Archer, {behind}"), one);
        told(&format!("Ann Archer, {behind}"), one);
    }
    told("Ann Archer, Berlin", one);
    told("Ann Archer and AP", one);
    // Behind a word that joins only what is surely no name is none.
    line("By Ann Archer and Ben Wright, Associated Press", two);
    line("By Ann Archer, Associated Press, and Ben Wright, Valley Times", two);
    line("By Ann Archer and Eve Press", &["Ann Archer", "Eve Press"]);
    told("Ann Archer, Ben Wright", two);
    // The desk goes with the role.
    line("By Ann Archer Political Editor", one);
    line("By Ann Archer Chief Business Correspondent", one);
    line("By Ann B. Archer Bureau Chief and Editor", &["Ann B. Archer"]);
    // A name before a date, and from where somebody writes.
    line("By Ann Archer On Mar 3, 2026", one);
    line("Par Anne Auteur Publié le 3 mars 2026", &["Anne Auteur"]);
    line("By Ann Archer in Paris and Ben Wright in London", two);
    line("By Ann Archer in Paris and London", one);
    line("By Ann Archer in Paris and Baton Rouge", one);
    line("Écrit par Anne Auteur le 4 mars 2026", &["Anne Auteur"]);
    line("Publicado por Ana Autora el 4 de marzo de 2026", &["Ana Autora"]);
    line("By Ann Archer Education correspondent @ann", one);
    line("Von Anna Arndt/dpa", &["Anna Arndt"]);
    line("By Ann Archer/Valley News Service", one);
    line("By Ann Archer/Ben Wright", two);
    line("By ANN ARCHER Daily Record/Sunday News", &[]);
    line("Por Ana Faria — Rio de Janeiro", &["Ana Faria"]);
    line("By Ann Archer - Valley News", one);
    // Who took the pictures, too, only where one line says both.
    line("Text und Fotos: Anna Arndt", &["Anna Arndt"]);
    line("Text: Anna Arndt, Fotos: Ben Schreiber", &["Anna Arndt"]);
    line("Words: Ann Archer Photography: Ben Wright", one);
}

/// "By" behind a date in its line.
#[test]
fn names_behind_dates() {
    let line = |printed: &str, expect: &[&str]| {
        check(Voice::Line, printed, expect);
        assert_eq!(introduces(printed), !expect.is_empty(), "{printed}");
        assert!(may_introduce(printed) || expect.is_empty(), "{printed}");
    };
    for printed in [
        "4 March 2026 by Ann Archer",
        "March 4, 2026 | By Ann Archer",
        "Posted on March 4, 2026 by Ann Archer",
        "Published Wednesday, 4 March 2026 at 12:30 pm by Ann Archer",
        "March 4, 2026 By Ann Archer 3 Comments",
        "04.03.2026 von Ann Archer",
        "Stand: 04.03.2026, 12:30 Uhr | Von Ann Archer",
        "Publié le 4 mars 2026 à 12h30 par Ann Archer",
        "4 de marzo de 2026 por Ann Archer",
        "4 marzo 2026 di Ann Archer",
    ] {
        line(printed, &["Ann Archer"]);
    }
    line("4 March 2026 by Ann Archer and Ben Wright", &["Ann Archer", "Ben Wright"]);
    for other in [
        "In March 2026 a book by Ann Archer",
        "March 4, 2026: a report by Ann Archer",
        "4 March 2026 by train",
        "2026 by Ann Archer",
        "Room 4 2026 by Ann Archer",
    ] {
        line(other, &[]);
    }
}

/// Who signs as one of the outlet's own, in the languages that say it so.
#[test]
fn names_behind_what_somebody_is() {
    let line = |printed: &str, expect: &str| check(Voice::Line, printed, &[expect]);
    line("Von unserer Korrespondentin Anna Arndt, Paris", "Anna Arndt");
    line("Van onze verslaggever Bram Jansen", "Bram Jansen");
    line("dal nostro inviato Marco Riva", "Marco Riva");
    line("De notre correspondante Anne Auteur", "Anne Auteur");
    line("Journalist: Mette Lund", "Mette Lund");
    line("Teksti: Aino Korhonen", "Aino Korhonen");
    line("Skriven av Ingrid Dahl", "Ingrid Dahl");
    line("Opracowanie: Jan Nowicki", "Jan Nowicki");
    line("Autora: Ana Pluma", "Ana Pluma");
    assert!(!introduces("Journalist Mette Lund was there"));
}

/// Degrees behind the names of a line.
#[test]
fn lines_without_degrees() {
    let check = |line: &str, expect: &str| assert_eq!(without_degrees(line), expect);
    check("Ann Archer, DVM", "Ann Archer");
    check("Ann Archer, PhD, RN", "Ann Archer");
    check(
        "Ann Archer, DVM; Ben Wright, BA, VTS (Birds); Eve Moreau, DVM & Leo Lindt, DVM",
        "Ann Archer; Ben Wright; Eve Moreau & Leo Lindt",
    );
    for line in ["Ann Archer", "Ann Archer, Paris", "Ann Archer, Ben Wright", "DVM", ""] {
        check(line, line);
    }
}

#[test]
fn words_for_by() {
    let line = |printed: &str, expect: &[&str]| check(Voice::Line, printed, expect);
    let one = &["Ann Archer"];
    line("Submitted by Ann Archer on Tue, 01/17/2012 - 11:40", one);
    line("Authored by: Ann Archer", one);
    line("An essay by Ann Archer", one);
    line("Gastbeitrag von Anna Arndt", &["Anna Arndt"]);
    line("Eine Analyse von Anna von Arndt", &["Anna von Arndt"]);
    line("Chronique de Jeanne Plume", &["Jeanne Plume"]);
    line("Articolo di Giovanna Penna", &["Giovanna Penna"]);
    line("Una entrevista de Juana Pluma", &["Juana Pluma"]);
    line("Article de presse", &[]);
    assert!(introduces("Gastbeitrag von Anna Arndt"));
    assert!(is_by("Ein Kommentar von"));
    assert!(!signs("Ein Kommentar von Anna Arndt"));
}

/// Some of these words are by themselves common, or mean more.
#[test]
fn words_for_by_in_many_languages() {
    let line = |printed: &str, expect: &[&str]| check(Voice::Line, printed, expect);
    for (printed, name) in [
        ("लेखक: अंकित शर्मा", "अंकित शर्मा"),
        ("द्वारा अंकित शर्मा", "अंकित शर्मा"),
        ("تحریر: علی رضا", "علی رضا"),
        ("مصنف, علی رضا", "علی رضا"),
        ("نویسنده: علی رضایی", "علی رضایی"),
        ("الكاتب: علي حسن", "علي حسن"),
        ("Muhabir: Ayşe Yılmaz", "Ayşe Yılmaz"),
        ("Haber : Ayşe Yılmaz", "Ayşe Yılmaz"),
        ("Laporan: Budi Santoso", "Budi Santoso"),
        ("Reporter: Budi Santoso", "Budi Santoso"),
        ("Tác giả: Nguyễn Văn An", "Nguyễn Văn An"),
        ("מאת דנה לוי", "דנה לוי"),
        ("โดย: สมชาย ใจดี", "สมชาย ใจดี"),
        ("লেখক: রাহিম উদ্দিন", "রাহিম উদ্দিন"),
        ("Piše: Ana Marković", "Ana Marković"),
        ("Пише: Ана Марковић", "Ана Марковић"),
        ("Scris de Ana Popescu", "Ana Popescu"),
        ("Oprac. Anna Nowak", "Anna Nowak"),
        ("Συντάκτης: Άννα Παπαδοπούλου", "Άννα Παπαδοπούλου"),
        ("Texte : Jeanne Dupont", "Jeanne Dupont"),
        ("Redacción: Ana Pérez", "Ana Pérez"),
        ("Protokoll: Anna Berg", "Anna Berg"),
        ("Words: Ann Archer", "Ann Archer"),
        ("執筆：山田花子", "山田花子"),
        ("取材・文：山田花子", "山田花子"),
        ("文・山田花子", "山田花子"),
        ("本報記者王偉／港口報導", "王偉"),
        ("Γράφει ο Νίκος Βασιλείου", "Νίκος Βασιλείου"),
        ("Γράφει η Άννα Παπαδοπούλου", "Άννα Παπαδοπούλου"),
        ("كتبت - ليلى منصور", "ليلى منصور"),
        ("كتب: علي حسن", "علي حسن"),
        ("كتبت ليلى منصور", "ليلى منصور"),
        ("Curated By : Sam Oak", "Sam Oak"),
    ] {
        line(printed, &[name]);
        assert!(introduces(printed), "{printed}");
    }
    for other in [
        "लेखक के बारे में",
        "نوشته های تازه",
        "Haber Analiz",
        "Reporter Ann Archer",
        "Words Fail Us",
        "Пише Радіо Свобода",
        "Piše Radio Slobodna",
        "Γράφει ιστορία",
        "كتبتها الصحيفة",
        "Curated Collections",
        "Texte Intégral",
    ] {
        assert!(!introduces(other), "{other}");
    }
    assert!(is_by("लेखक:"));
    assert!(!is_by("लेखक"));
}

/// What stands behind a name with "Special" is for whom somebody wrote.
#[test]
fn writers_for_other_outlets() {
    for printed in [
        "By Ann Archer — Special to the Herald",
        "By Ann Archer Special to the Herald",
        "By Ann Archer | Special to the Herald",
        "By Ann Archer, Special to The Herald",
        "By ANN ARCHER SPECIAL TO THE HERALD",
        "By Ann Archer – Special for the Herald",
        "By Ann Archer For The Herald",
    ] {
        for voice in [Voice::Line, Voice::Marked] {
            let found = names(printed, &[], voice);
            assert!(found[0].text.eq_ignore_ascii_case("Ann Archer"), "{printed} {found:?}");
            assert_eq!(found.len(), 1, "{printed}");
        }
    }
    check(Voice::Told, "Ann Archer, Special to the Herald", &["Ann Archer"]);
    check(Voice::Told, "Ann Archer Special to the Herald", &["Ann Archer"]);
    check(Voice::Told, "Special to the Herald", &["Special to the Herald"]);
    check(Voice::Line, "Special to the Herald", &[]);
    check(Voice::Line, "By Special to the Herald", &[]);
}

/// An agency before a name, and an outlet with its place behind one.
#[test]
fn outlets_beside_people() {
    check(Voice::Line, "Autor: ČTK, Martin Rybář", &["Martin Rybář"]);
    check(Voice::Line, "By AFP, Ann Archer", &["Ann Archer"]);
    for voice in [Voice::Line, Voice::Told] {
        let found = names("Bruna Castilho, G7 Rio Manso", &["g7".into()], voice);
        let people: Vec<&str> =
            found.iter().filter(|name| !name.desk).map(|name| name.text.as_str()).collect();
        assert_eq!(people, ["Bruna Castilho"], "{voice:?}");
    }
    let found = names("AJ Rio", &["aj".into()], Voice::Told);
    assert!(found[0].person && !found[0].desk);
}

/// Whoever is called as a button is or as prose is written signs where nothing but names stands.
#[test]
fn names_that_are_words_of_pages() {
    for name in ["Michelle Price", "Laura He", "Jonathan Last", "Chew Hui Min", "Ahmet Can"] {
        check(Voice::Line, &format!("By {name}"), &[name]);
        check(Voice::Line, &format!("By Ben Wright and {name}"), &["Ben Wright", name]);
        check(Voice::Marked, &format!("By; {name}"), &[name]);
        let told = names(name, &[], Voice::Told);
        assert!(told.len() == 1 && told[0].person && !told[0].desk, "{name}");
        // Buttons have authors' marks and links, too.
        check(Voice::Linked, name, &[]);
        check(Voice::Marked, name, &[]);
        check(Voice::Line, name, &[]);
    }
    assert!(names("My Nguyen", &[], Voice::Told)[0].person);
    for button in ["Learn More", "Read More", "Best Buy", "Best Price", "Load More"] {
        check(Voice::Linked, button, &[]);
    }
    for name in ["Herbert Read", "Peter Reading"] {
        check(Voice::Line, &format!("By {name}"), &[name]);
    }
    for column in ["Fact Check", "AFP Fact Check", "Sports Wire", "Long Read", "Flash Sale"] {
        let told = names(column, &[], Voice::Told);
        assert!(!told.iter().any(|told| told.person && !told.desk), "{column}");
    }
    for name in ["Min Lee", "Can Yilmaz", "He Jun", "Key Lawson"] {
        check(Voice::Line, &format!("By {name}"), &[name]);
        check(Voice::Linked, name, &[]);
        check(Voice::Marked, name, &[]);
        check(Voice::Line, name, &[]);
    }
    for prose in
        ["By Can", "By He Who Knows", "By Min Price", "By Key", "By An Expert", "By All Means"]
    {
        check(Voice::Line, prose, &[]);
    }
    check(Voice::Line, "By My Side", &[]);
    check(Voice::Line, "By Closing All Tabs More", &[]);
    assert!(!names("Read More", &[], Voice::Told).iter().any(|name| name.person));
}

/// What they tell was signed by them as by persons.
#[test]
fn authorities_are_no_persons() {
    for authority in [
        "Ministry of Health",
        "Ministère de l'Intérieur",
        "Préfecture de Police",
        "Ministero della Salute",
        "Comune di Milano",
        "Polizia di Stato",
        "Ministerio de Sanidad",
        "Policía Nacional",
        "Prefeitura do Rio",
        "Polizei Hamburg",
        "Gemeente Utrecht",
        "Министерство Обороны",
        "Florida Department",
        "Bundesinnenministerium Berlin",
        "Oberstaatsanwaltschaft Wien",
        "Landespolizei Tirol",
        "Justitiedepartementet",
        "Svenska Utrikesdepartementet",
        "Forsvarsministeriet Danmark",
    ] {
        check(Voice::Line, &format!("By {authority}"), &[]);
        check(Voice::Linked, authority, &[]);
        assert!(!names(authority, &[], Voice::Told).iter().any(|told| told.person), "{authority}");
    }
    // A reporter of the Wall Street Journal.
    check(Voice::Line, "By Jared Council", &["Jared Council"]);
    check(Voice::Linked, "Jared Council", &["Jared Council"]);
}

/// Agencies, outlets and desks are no persons, whatever script they are written in.
#[test]
fn desks_in_many_languages() {
    for desk in [
        "AFP",
        "Agence France Presse",
        "연합뉴스",
        "중앙일보",
        "디지털뉴스팀",
        "新华社",
        "港日報",
        "デイリー編集部",
        "वेब डेस्क",
        "Haber Merkezi",
        "Redaksi",
        "Деловая газета Взгляд",
        "خبرگزاری ایسنا",
    ] {
        let told = names(desk, &[], Voice::Told);
        assert!(told.len() == 1 && told[0].desk, "{told:?}");
    }
    for person in ["Hina Khan", "AP Singh", "Efe Yılmaz", "김민수", "王伟", "山田花子"] {
        let told = names(person, &[], Voice::Told);
        assert!(told.len() == 1 && !told[0].desk && told[0].person, "{told:?}");
    }
    check(Voice::Told, "Special Correspondent", &[]);
    let portal = names("연합뉴스 | 네이버", &["네이버뉴스".into()], Voice::Told);
    assert!(!portal.is_empty() && portal.iter().all(|name| name.desk), "{portal:?}");
}

/// A station or a programme signs nothing.
#[test]
fn who_signs_behind_a_bar() {
    let check = |printed: &str, expect: &[&str]| check(Voice::Marked, printed, expect);
    check("Radio Valley | By Ann Archer", &["Ann Archer"]);
    check("Radio Valley | By; Ann Archer", &["Ann Archer"]);
    check("Radio Valley |; By; Ann Archer", &["Ann Archer"]);
    check("Morning Edition; | By; Ann Archer", &["Ann Archer"]);
    check("Radio Tal – Von Anna Arndt", &["Anna Arndt"]);
    check("By Ann Archer | By Ben Wright", &["Ann Archer", "Ben Wright"]);
    check("Ann Archer – by the way", &["Ann Archer"]);
    check("Ann Archer | By CNN", &["Ann Archer"]);
    assert_eq!(
        names("Ann Archer | Door County Advocate", &[], Voice::Marked)[0].text,
        "Ann Archer"
    );
    check("Ana Pérez | Por Esto", &["Ana Pérez"]);
}

/// "&" joins as "and" does, but in the name of an outlet; some people are called as agencies, offices and outlets are.
#[test]
fn names_of_people_that_mean_more() {
    let line = |printed: &str, expect: &[&str]| {
        let named = names(printed, &[], Voice::Line);
        let named = named.iter().filter(|name| name.person && !name.desk);
        assert_eq!(named.map(|name| name.text.as_str()).collect::<Vec<_>>(), expect, "{printed}");
    };
    let one = &["Ann Archer"];
    for behind in
        ["others", "staff", "agencies", "dpa", "afp", "la rédaction", "von Arndt", "ben wright"]
    {
        line(&format!("By Ann Archer & {behind}"), one);
    }
    line("Von Anna Arndt & dpa", &["Anna Arndt"]);
    line("Door Jan Bakker & van den Berg", &["Jan Bakker"]);
    check(Voice::Told, "Ann Archer & others", one);
    check(Voice::Told, "Ann Archer & dpa", one);
    for other in [
        "AP Singh",
        "AA Milne",
        "Hina Khan",
        "Efe Yılmaz",
        "Cihan Yilmaz",
        "Lusa Mendes",
        "St John Moore",
    ] {
        line(&format!("By Ann Archer, {other}"), &["Ann Archer", other]);
        line(&format!("By Ann Archer and {other}"), &["Ann Archer", other]);
        check(Voice::Told, &format!("Ann Archer, {other}"), &["Ann Archer", other]);
    }
    for other in ["Ben Fellow", "Jane Partner", "Emily Post"] {
        line(&format!("By Ann Archer and {other}"), &["Ann Archer", other]);
        line(
            &format!("By Ann Archer, {other} and Ben Wright"),
            &["Ann Archer", other, "Ben Wright"],
        );
    }
    for behind in
        ["AP Business Writer", "AFP News", "Reuters Berlin", "Efe", "dpa/AFP", "Managing Partner"]
    {
        line(&format!("By Ann Archer, {behind}"), one);
    }
    line("By Ann Archer and Managing Partner", one);
    for outlet in ["Washington Post", "Huffington Post"] {
        line(&format!("By Ann Archer, {outlet} and Ben Wright"), &["Ann Archer", "Ben Wright"]);
    }
}

#[test]
fn family_names_told_first() {
    let check = |told: &str, expect: &str| assert_eq!(turned(told, &[], true), expect);
    check("Archer, Ann B.", "Ann B. Archer");
    check("von Arndt, Anna", "Anna von Arndt");
    check("Archer, Ann; Wright, Ben", "Ann Archer; Ben Wright");
    check("West, Ann", "Ann West");
    check("Page, Ben", "Ben Page");
    check("Archer, A.", "A. Archer");
    check("Archer, A. B.", "A. B. Archer");
    for told in [
        "Archer, MD",
        "Ann Archer, Ben Wright",
        "Archer, Senior Editor",
        "Reuters, Ann Archer",
        "Valley, Inc.",
        "Archer, Ann, Wright, Ben",
        "Redaktion, Anna Arndt",
        "Archer, writer",
    ] {
        check(told, told);
    }
    // Elsewhere an initial, a particle or a semicolon shows it; outlets, sections and places are no names.
    let check = |told: &str, expect: &str| {
        assert_eq!(turned(told, &["tagesschau".to_owned()], false), expect);
    };
    check("Archer, Ann B.", "Ann B. Archer");
    check("von Arndt, Anna", "Anna von Arndt");
    check("Archer, Ann; Wright, Ben", "Ann Archer; Ben Wright");
    for told in ["ARD, Tagesschau", "Bild, Sport", "Archer, London", "Anna, Ben", "Madonna, Prince"]
    {
        check(told, told);
    }
    for told in ["ARD, Tagesschau", "Bild, Sport", "Archer, New York"] {
        assert_eq!(turned(told, &["tagesschau".to_owned()], true), told);
    }
    self::check(Voice::Told, "Mac & i", &["Mac & i"]);
    self::check(Voice::Told, "Ann Archer & Ben Wright", &["Ann Archer", "Ben Wright"]);
}

#[test]
fn marked_bylines() {
    let check = |printed: &str, expect: &[&str]| check(Voice::Marked, printed, expect);
    check("Posted by AnnArcher", &["AnnArcher"]);
    check("AnnArcher", &[]);
    check("注册", &[]);
    check("홍길동 기자", &["홍길동"]);
    check("홍길동", &[]);
    check("연합뉴스 기자", &[]);
    check("Sports Wire", &[]);
    check("By Ann Archer, Candidate Representative", &["Ann Archer"]);
}

#[test]
fn lines_that_sign() {
    let check = |line: &str, expect: bool| assert_eq!(signs(line), expect, "{line}");
    check("Written by Ann Archer", true);
    check("Written by:", true);
    check("Author(s)", true);
    check("By Ann Archer", false);
    check("Plants open", false);
}

proptest! {
    #[test]
    fn what_introduces_may_do_so(
        before in "[ \u{AD}(–]{0,2}",
        by in 0usize..100,
        hidden in "\u{AD}?",
        line in "\\PC{0,12}",
    ) {
        let by = BY[by % BY.len()];
        let (head, tail) = by.split_at(by.chars().next().map_or(0, char::len_utf8));
        for line in [format!("{before}{head}{hidden}{tail} {line}"), format!("{before}{line}")] {
            let read = plain(&line);
            if introduces(&read) || is_by(&read) || signs(&read) {
                prop_assert!(may_introduce(&line), "{}", line);
            }
        }
    }

    #[test]
    fn never_panics(printed in "\\PC{0,80}") {
        for voice in [Voice::Line, Voice::Marked, Voice::Linked, Voice::Told] {
            names(&printed, &[], voice);
        }
    }
}

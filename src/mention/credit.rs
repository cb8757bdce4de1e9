//! Who says so: agency datelines ("HAMBURG (Reuters) –"), sources and photo credits inside a
//! text. A name in them was not written *about*, so these stretches are a zone of their own.
//!
//! Must not know: brands, blocks, labels.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use foldhash::fast::FixedState;

use super::fold::{Folded, fold, fold_cased};
use super::letters::is_word;
use crate::model::agency::{AGENCIES, Agency, UNRECORDED, sent};
use crate::model::{credit, is_end_mark};

/// A dateline stands within so many bytes of the beginning.
const DATELINE: usize = 120;
/// A credit that runs to the end of a text is at most so long.
const TAIL: usize = 100;
/// Brackets around agencies close within so many characters.
const BRACKETED: usize = 60;
/// A text that begins like a credit is one as a whole up to this length.
const WHOLE: usize = 200;
/// A name behind "(c)" is at most so long, in characters.
const OWNER: usize = 40;
/// Words without a capital that owners' names contain.
const SMALL: &[&str] = &[
    "by", "for", "für", "von", "van", "der", "den", "de", "da", "di", "du", "und", "and", "et",
    "imago", "images", "picture", "alliance",
];

/// What names of companies end in, in capitals.
const COMPANIES: &[&str] = &[
    "INC",
    "LLC",
    "LTD",
    "LIMITED",
    "LP",
    "LLP",
    "CORP",
    "CORPORATION",
    "CO",
    "COMPANY",
    "PLC",
    "AG",
    "SE",
    "GMBH",
    "SA",
    "NV",
    "BV",
    "AB",
    "ASA",
    "OYJ",
    "SPA",
];

/// What else than [`credit::SOURCES`] and [`credit::PICTURES`] announces a source or a photographer, folded. In a text they
/// are followed by names.
const KEYWORDS: &[&str] = &[
    "photo by",
    "photograph by",
    "image credit",
    "photo credit",
    "picture credit",
    "(reporting by",
    "reporting by",
    "additional reporting by",
    "crédit photo",
    "crédits photo",
    "foto de",
    "foto di",
    "fot.",
    "фото ",
    "사진=",
    "©",
    LETTER,
];
/// A copyright sign as people write it; also the third item of a list.
const LETTER: &str = "(c)";
/// Keywords that also occur in running sentences: credits only where nothing stands before them.
const LEADING: &[&str] = &[
    "photo by",
    "photograph by",
    "foto de",
    "foto di",
    "fot.",
    "фото ",
    "reporting by",
    "image:",
    LETTER,
];

/// Openings of datelines in Japanese, and how they end.
const OPENINGS: &[(&str, &str)] = &[("【共同", "】"), ("(共同", ")"), ("【時事", "】")];

static KEYWORD: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let announced = [credit::SOURCES, credit::PICTURES].into_iter().flat_map(credit::announced);
    let all =
        announced.map(|word| fold(&word).text).chain(KEYWORDS.iter().map(|&word| word.to_owned()));
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(all).ok()
});

/// Folded names that mean the agency when they stand in brackets or before a dateline's dash …
static TELLING: LazyLock<HashSet<String, FixedState>> = LazyLock::new(|| {
    let names = agencies().flat_map(|agency| agency.full.iter().chain(agency.short));
    names.map(|name| fold(name).text).collect()
});
/// … and names that mean other things, too, as they are written.
static DOUBTFUL: LazyLock<HashSet<String, FixedState>> = LazyLock::new(|| {
    let names = agencies().flat_map(Agency::cased);
    names.filter(|name| !TELLING.contains(&fold(name).text)).map(fold_cased).collect()
});

fn agencies() -> impl Iterator<Item = &'static Agency> {
    AGENCIES.iter().chain(UNRECORDED)
}

/// The stretches of `text`, which is `folded`, (bytes, at character boundaries) that name agencies, sources and
/// photographers; sorted, possibly overlapping.
pub fn credits(text: &str, folded: &Folded) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    opening(&folded.text, &mut found);
    brackets(text, folded, &mut found);
    dash(&folded.text, &mut found);
    announced(text, folded, &mut found);
    found.extend(is_released(text).then_some(0..folded.text.len()));
    let mut credits: Vec<Range<usize>> = found
        .into_iter()
        .filter_map(|r| Some(folded.start(r.start)?..folded.end(r.end)?))
        .filter(|r| r.start < r.end)
        .collect();
    credits.sort_unstable_by_key(|r| (r.start, r.end));
    credits
}

fn opening(text: &str, found: &mut Vec<Range<usize>>) {
    found.extend(sent(text).map(|(_, length)| 0..length));
    for (agency, end) in OPENINGS {
        if text.starts_with(agency)
            && let Some(at) = head(text, DATELINE).find(end)
        {
            found.push(0..at + end.len());
        }
    }
}

/// "(Reuters)", "(dpa/AP)", "(서울=연합뉴스)": the brackets; with a dash behind them and only a
/// place and a date before them the whole dateline. Doubtful names stand in a dateline, or alone behind the last
/// sentence.
fn brackets(original: &str, folded: &Folded, found: &mut Vec<Range<usize>>) {
    let text = folded.text.as_str();
    for (open, _) in text.match_indices('(') {
        let inner = text.get(open + 1..).unwrap_or_default();
        let mut first = inner.char_indices().take(BRACKETED);
        let Some((length, _)) = first.find(|(_, c)| *c == ')') else { continue };
        let inner = inner.get(..length).unwrap_or_default();
        let close = open + 1 + length + 1;
        let before = folded.end(open).and_then(|end| original.get(..end)).unwrap_or_default();
        let behind = text.get(close..).unwrap_or_default();
        let dash = after_dash(behind).filter(|_| open <= DATELINE && is_place(before));
        let alone = dash.is_some() || behind.trim_start().is_empty() && ends_sentence(before);
        let written = || original.get(folded.start(open + 1)?..folded.end(close - 1)?);
        if parts(inner).any(is_telling)
            || alone && written().is_some_and(|inner| is_doubtful(before, inner))
        {
            found.push(dash.map_or(open..close, |dash| 0..close + dash));
        }
    }
}

/// "Reuters - …", "Москва. 3 мая. ИНТЕРФАКС - …".
fn dash(text: &str, found: &mut Vec<Range<usize>>) {
    let head = head(text, DATELINE);
    let dashes = [" - ", " — ", " -- "];
    let first = dashes.iter().filter_map(|d| Some((head.find(d)?, d.trim_end().len()))).min();
    let Some((at, length)) = first else { return };
    let before = head.get(..at).unwrap_or_default();
    let last = before.rsplit(['.', ',', '/']).next().unwrap_or_default().trim();
    if is_telling(last) {
        found.push(0..at + length);
    }
}

/// "Photo: …", "(Quelle: …)", "© …".
fn announced(original: &str, folded: &Folded, found: &mut Vec<Range<usize>>) {
    let text = folded.text.as_str();
    let Some(keyword) = KEYWORD.as_ref() else { return };
    for hit in keyword.find_iter(text) {
        let word = text.get(hit.range()).unwrap_or_default();
        let before = text.get(..hit.start()).unwrap_or_default();
        let trimmed = before.trim_end();
        let previous = trimmed.chars().next_back();
        if word.starts_with(is_word) && before.ends_with(is_word) {
            continue;
        }
        let bracketed = matches!(previous, Some('(' | '['));
        let leads = trimmed.is_empty() || bracketed;
        if LEADING.contains(&word) && !leads {
            continue;
        }
        let rest = text.get(hit.end()..).unwrap_or_default();
        let start = hit.start() - usize::from(bracketed && before.ends_with(['(', '[']));
        let near = head(rest, 2 * TAIL);
        let closing = near.find([')', ']']);
        let closing = closing.filter(|_| bracketed || word.starts_with('(') && word != LETTER);
        if word == LETTER {
            let squared = previous == Some('[')
                && closing.and_then(|at| near.get(at..)).is_some_and(|rest| rest.starts_with(']'));
            // Looking no further keeps the time linear where nothing closes.
            let end = hit.end() + closing.unwrap_or(near.len());
            let behind = || original.get(folded.end(hit.end())?..folded.end(end)?);
            if !squared && !behind().is_some_and(is_owner) {
                continue;
            }
        }
        if let Some(length) = closing {
            found.push(start..hit.end() + length + 1);
        } else if trimmed.is_empty() && text.len() <= WHOLE || rest.len() <= TAIL && ends(previous)
        {
            found.push(start..text.len());
        } else if word == "©" {
            found.push(start..hit.end() + head(rest, TAIL / 2).find('.').unwrap_or(0));
        }
    }
}

/// Is it the last line of a release on a wire: "SOURCE Acme Inc."?
fn is_released(text: &str) -> bool {
    let name = text.trim().strip_prefix("SOURCE ").filter(|name| name.len() <= TAIL);
    let words: Vec<&str> = name.unwrap_or_default().split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    // Headlines in capitals begin so, too: "SOURCE SAYS ACME TO CLOSE".
    let is_company = || COMPANIES.contains(&last.replace(['.', ',', ')'], "").as_str());
    first.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
        && (words.len() == 1 || text.contains(char::is_lowercase) || is_company())
        && !text.contains(['?', '!', '"', '“'])
}

/// Does a work belong to what stands behind "(c)": a year and a name, or a name alone? Otherwise that is the third
/// item of a list.
fn is_owner(text: &str) -> bool {
    let text = text.trim();
    let name = text.trim_start_matches(|c: char| c.is_ascii_digit() || " ,-–".contains(c));
    let dated = ["19", "20"].iter().any(|century| text.starts_with(century));
    if parts(&fold(name).text).any(is_telling) {
        return true;
    }
    let small = |word: &str| word.starts_with(char::is_lowercase);
    if dated {
        return name.split_whitespace().next().is_none_or(|first| !small(first) || first == "by");
    }
    let mut words = name.split(|c: char| c.is_whitespace() || c == '/');
    text.chars().count() <= OWNER && !words.any(|word| small(word) && !SMALL.contains(&word))
}

/// Can a credit begin behind this character? After a sentence, a separator or nothing.
fn ends(previous: Option<char>) -> bool {
    previous.is_none_or(|c| !is_word(c) && c != ',') || previous.is_some_and(|c| c > '\u{2e7f}')
}

/// What stands in brackets, name by name.
fn parts(inner: &str) -> impl Iterator<Item = &str> {
    inner.split(['/', ',', '+', '&', ';', '=', '|']).map(str::trim)
}

/// Is folded `name` an agency's, and nothing else's?
fn is_telling(name: &str) -> bool {
    TELLING.contains(name.strip_prefix("the ").unwrap_or(name)) || TELLING.contains(name)
}

/// Does `inner`, which stands in brackets behind `before`, hold a name that may be an agency's? Not if the words
/// before are what it stands for: "American Airlines (AA)".
fn is_doubtful(before: &str, inner: &str) -> bool {
    parts(&fold_cased(inner)).any(|name| DOUBTFUL.contains(name) && !spells(before, name))
}

/// Are the last capitals of `words` those of `short`?
fn spells(words: &str, short: &str) -> bool {
    let initials = words.split_whitespace().rev().filter_map(|word| word.chars().next());
    let mut capitals = initials.filter(|first| first.is_uppercase());
    short.chars().rev().all(|letter| capitals.next() == Some(letter))
}

/// Is it empty, or does a sentence end with it?
fn ends_sentence(text: &str) -> bool {
    const QUOTES: [char; 6] = ['"', '”', '“', '»', '\'', '’'];
    text.trim_end().chars().next_back().is_none_or(|c| is_end_mark(c) || QUOTES.contains(&c))
}

/// Length of a dash at the beginning of `text`, with the space before it.
fn after_dash(text: &str) -> Option<usize> {
    let rest = text.trim_start();
    let dash = rest.strip_prefix("--").or_else(|| rest.strip_prefix(['-', '—', '―', ':', '=']));
    dash.map(|after| text.len() - after.len())
}

/// A place and a date: few words, nearly all with a capital or digit in front.
fn is_place(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(10).collect();
    let small = words.iter().filter(|w| w.chars().next().is_some_and(char::is_lowercase)).count();
    words.len() < 9 && small <= 1
}

/// At most `bytes` bytes from the beginning, cut at a character.
fn head(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::fold::fold;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_datelines_sources_and_photo_credits() {
        fn check(text: &str, expect: &[&str]) {
            let found: Vec<&str> =
                credits(text, &fold(text)).into_iter().map(|r| &text[r]).collect();
            assert_eq!(found, expect, "in {text:?}");
        }
        check("HAMBURG (Reuters) – Der Konzern wächst.", &["HAMBURG (Reuters) –"]);
        check("BEIJING, Nov. 20 (Xinhua) -- The ship left.", &["BEIJING, Nov. 20 (Xinhua) --"]);
        check("WASHINGTON (AP) — Talks went on.", &["WASHINGTON (AP) —"]);
        check("Berlin/Kiel (dpa/lno) - Es regnet.", &["Berlin/Kiel (dpa/lno) -"]);
        check("PARIS, 3 mai (AFP) - Il pleut.", &["PARIS, 3 mai (AFP) -"]);
        check("Москва. 3 мая. ИНТЕРФАКС - Завод открыт.", &["Москва. 3 мая. ИНТЕРФАКС -"]);
        check("新华社北京5月3日电 今天下雨。", &["新华社北京5月3日电"]);
        check("(서울=연합뉴스) 홍길동 기자 = 비가 온다.", &["(서울=연합뉴스)"]);
        check("The firm told a court on Monday it would pay (Reuters).", &["(Reuters)"]);
        check("American Airlines (AA) grew.", &[]);
        check("American Airlines (AA) – what grew.", &[]);
        check("TEHRAN (Tasnim) – The plant opened.", &["TEHRAN (Tasnim) –"]);
        check("A girl (Tasnim) met a boy.", &[]);
        check("La fabbrica apre. (LaPresse)", &["(LaPresse)"]);
        check("La fabbrica apre (LaPresse) e cresce.", &["(LaPresse)"]);
        check("La fabbrica apre. (AGI)", &["(AGI)"]);
        check("They spoke of artificial general intelligence (AGI)", &[]);
        check("Artificial General Intelligence (AGI): what it is", &[]);
        check("You don't want a single-page application (SPA)", &[]);
        check("MIA (MIA) is an airport", &[]);
        check("SAN JOSE (map) - The plant opened.", &[]);
        check(
            "Киев, 4 января (Новый Регион, Константин Зельфанов) – Завод открылся.",
            &["Киев, 4 января (Новый Регион, Константин Зельфанов) –"],
        );
        check("RABAT (MAP/AFP) - The plant opened.", &["RABAT (MAP/AFP) -"]);
        check("TORONTO (The Canadian Press) - It opened.", &["TORONTO (The Canadian Press) -"]);
        check("Prices rose. (Dow Jones)", &["(Dow Jones)"]);
        check("بيروت (أ ف ب) - افتتح المصنع.", &["بيروت (أ ف ب) -"]);
        check("Siemens (Munich) – the maker of trains – grew.", &[]);
        check("Foto: dpa / Erika Muster", &["Foto: dpa / Erika Muster"]);
        check("Ein Zug hält im Bahnhof. (Foto: Reuters)", &["(Foto: Reuters)"]);
        check("A train stops. Photo: Getty Images", &["Photo: Getty Images"]);
        check("Der Umsatz stieg. Quelle: Bloomberg", &["Quelle: Bloomberg"]);
        check("Το εργοστάσιο άνοιξε. Πηγή: Bloomberg", &["Πηγή: Bloomberg"]);
        check("ΦΩΤΟΓΡΑΦΙΑ: Acme", &["ΦΩΤΟΓΡΑΦΙΑ: Acme"]);
        check("Picture credit: Facebook", &["Picture credit: Facebook"]);
        check("SOURCE Acme LLC", &["SOURCE Acme LLC"]);
        check("SOURCE ACME HOLDINGS, INC.", &["SOURCE ACME HOLDINGS, INC."]);
        check("SOURCE ACME", &["SOURCE ACME"]);
        check("SOURCE OF INCOME FOR ACME", &[]);
        check("SOURCE SAYS ACME TO CLOSE PLANT 3", &[]);
        check("SOURCE Acme had said so? “Yes.”", &[]);
        check("Source Acme told us so.", &[]);
        check("© Reuters", &["© Reuters"]);
        check("图片来源：路透社", &["图片来源：路透社"]);
        check(
            "(Reporting by A. Person; editing by B. Other)",
            &["(Reporting by A. Person; editing by B. Other)"],
        );
        check("(c) Reuters", &["(c) Reuters"]);
        check(
            "(C) 2026 Example Media. All rights reserved.",
            &["(C) 2026 Example Media. All rights reserved."],
        );
        check("(c) dpa/Muster", &["(c) dpa/Muster"]);
        check("Ein Zug ((c) Erika Muster) hält.", &["((c) Erika Muster)"]);
        for owner in [
            "Getty Images for Siemens",
            "Jan van der Berg/Siemens",
            "imago images/Siemens",
            "picture alliance/Siemens",
            "by Siemens AG",
        ] {
            let text = format!("(c) {owner}");
            check(&text, &[&text]);
        }
        check("Der Zug [(c) Jan van Berg, Siemens] hält.", &["[(c) Jan van Berg, Siemens]"]);
        check("Der Zug [(c) sieht man bei Siemens] hält.", &["[(c) sieht man bei Siemens]"]);
        check("(c) Apple must open its store", &[]);
        check("(c) Apple must open its store to rivals by 2027", &[]);
        check("(c) 2027 is when Apple opens its store", &[]);
        check("(c) Apple (of Cupertino) must open its store (to rivals)", &[]);
        check("ⓒ Reuters", &["ⓒ Reuters"]);
        check("She took a photo by the river and Apple bought it.", &[]);
        check("Reuters reported that it rains.", &[]);
        check("", &[]);
    }

    #[test]
    fn what_stands_far_behind_a_copyright_sign_does_not_make_it_one() {
        let far = "x y é ".repeat(2 * TAIL);
        for (near, far) in [("(c) Apple must open", far.clone()), ("[(c) Apple must open", far)] {
            let plain = format!("{near} {far}");
            let named = format!("{near} {far}, Reuters, and so on.");
            assert!(credits(&plain, &fold(&plain)).is_empty());
            assert!(credits(&named, &fold(&named)).is_empty());
        }
    }

    /// Those that mean the agency wherever they stand in brackets, and those that do so only in datelines.
    #[test]
    fn some_names_are_doubtful() {
        let telling = [
            "ap photo",
            "the associated press",
            "dpa-afx",
            "dpa infocom",
            "rnd",
            "iha",
            "hina",
            "wam",
            "共同",
            "أ.ف.ب",
            "dow jones",
        ];
        for name in telling {
            assert!(is_telling(name), "{name}");
        }
        for name in
            ["AA", "PA", "TT", "EP", "STA", "SPA", "ANI", "SID", "BTA", "SITA", "ATS", "PAP"]
        {
            assert!(DOUBTFUL.contains(name), "{name}");
            assert!(!is_telling(&fold(name).text), "{name}");
        }
    }

    #[test]
    fn no_name_is_doubtful_in_one_case_and_telling_in_another() {
        for agency in agencies() {
            for name in agency.doubtful {
                assert!(DOUBTFUL.contains(&fold_cased(name)), "{name}");
            }
        }
    }

    #[test]
    fn every_name_in_brackets_is_a_credit() {
        for agency in agencies() {
            for name in agency.full {
                let text = format!("It opened ({name}) and grew.");
                let found = credits(&text, &fold(&text));
                let found: Vec<&str> = found.into_iter().map(|r| &text[r]).collect();
                assert_eq!(found, [format!("({name})")]);
            }
            for name in agency.cased() {
                let text = format!("LONDON ({name}) - It opened.");
                let found = credits(&text, &fold(&text));
                assert!(found.contains(&(0..text.len() - 11)), "{name}: {found:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_at_characters(text in "(\\PC|[(©)ﬁ\u{301}-]|photo: |reuters|\\(dpa\\)| - ){0,30}") {
            for range in credits(&text, &fold(&text)) {
                prop_assert!(text.get(range).is_some());
            }
        }
    }
}

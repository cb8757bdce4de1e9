//! Who says so: agency datelines ("HAMBURG (Reuters) –"), sources and photo credits inside a
//! text. A name in them was not written *about*, so these stretches are a zone of their own.
//!
//! Must not know: brands, blocks, labels.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::fold::Folded;
use super::letters::is_word;

/// A dateline stands within so many bytes of the beginning.
const DATELINE: usize = 120;
/// A credit that runs to the end of a text is at most so long.
const TAIL: usize = 100;
/// A text that begins like a credit is one as a whole up to this length.
const WHOLE: usize = 200;

/// Names that mean the agency when they stand in brackets or before a dateline's dash.
const AGENCIES: &[&str] = &[
    "reuters",
    "thomson reuters",
    "ap",
    "associated press",
    "the associated press",
    "ap photo",
    "afp",
    "agence france-presse",
    "dpa",
    "dpa-afx",
    "dpa infocom",
    "epd",
    "kna",
    "sid",
    "rnd",
    "ots",
    "apa",
    "sda",
    "keystone-sda",
    "ansa",
    "adnkronos",
    "efe",
    "europa press",
    "ep",
    "lusa",
    "tass",
    "тасс",
    "interfax",
    "интерфакс",
    "риа новости",
    "ria novosti",
    "укринформ",
    "ukrinform",
    "уніан",
    "xinhua",
    "新华社",
    "kyodo",
    "kyodo news",
    "共同",
    "共同通信",
    "jiji",
    "jiji press",
    "時事",
    "時事通信",
    "yonhap",
    "연합뉴스",
    "뉴시스",
    "pti",
    "ani",
    "ians",
    "upi",
    "pa",
    "pa media",
    "press association",
    "belga",
    "anp",
    "ntb",
    "tt",
    "ritzau",
    "stt",
    "pap",
    "ctk",
    "čtk",
    "tasr",
    "sita",
    "mti",
    "agerpres",
    "mediafax",
    "bta",
    "бта",
    "tanjug",
    "танјуг",
    "hina",
    "sta",
    "fena",
    "aap",
    "canadian press",
    "the canadian press",
    "aa",
    "anadolu",
    "dha",
    "iha",
    "antara",
    "bernama",
    "wam",
    "spa",
    "وام",
    "واس",
    "رويترز",
    "أ ف ب",
    "د ب أ",
    "أ.ف.ب",
    "د.ب.أ",
    "bloomberg",
    "business wire",
    "pr newswire",
    "globe newswire",
    "globenewswire",
    "dow jones",
    "dow jones newswires",
    "ats",
    "anadolu agency",
    "απε-μπε",
    "notimex",
    "telam",
    "télam",
];
/// Short names that mean other things too: agencies only in a dateline.
const AMBIGUOUS: &[&str] =
    &["aa", "pa", "tt", "ep", "sta", "spa", "ani", "sid", "bta", "sita", "ats", "pap"];

/// Words that announce a source or a photographer, folded. In a text they are followed by names.
const KEYWORDS: &[&str] = &[
    "photo:",
    "photos:",
    "photo :",
    "photo by",
    "photograph:",
    "photograph by",
    "picture:",
    "pictures:",
    "image:",
    "images:",
    "image credit",
    "photo credit",
    "credit:",
    "source:",
    "source :",
    "sources:",
    "(reporting by",
    "reporting by",
    "additional reporting by",
    "foto:",
    "fotos:",
    "bild:",
    "bilder:",
    "titelbild:",
    "symbolbild:",
    "quelle:",
    "quellen:",
    "grafik:",
    "crédit:",
    "crédit :",
    "crédits :",
    "crédit photo",
    "crédits photo",
    "fuente:",
    "fuentes:",
    "imagen:",
    "fotografía:",
    "fonte:",
    "fonti:",
    "foto de",
    "foto di",
    "immagine:",
    "bron:",
    "beeld:",
    "kilde:",
    "källa:",
    "bild :",
    "kuva:",
    "lähde:",
    "źródło:",
    "fot.",
    "zdroj:",
    "forrás:",
    "sursa:",
    "sursă:",
    "kaynak:",
    "fotoğraf:",
    "фото:",
    "фото ",
    "источник:",
    "джерело:",
    "източник:",
    "πηγή:",
    "φωτογραφία:",
    "المصدر:",
    "مصدر:",
    "صورة:",
    "תמונה:",
    "צילום:",
    "图片来源:",
    "来源:",
    "图源:",
    "來源:",
    "写真:",
    "出典:",
    "画像:",
    "사진=",
    "사진:",
    "출처:",
    "©",
    "(c)",
];
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
    "(c)",
];

/// Dateline openings of agencies that write without brackets, and how the dateline ends.
const OPENINGS: &[(&str, &str)] = &[
    ("新华社", "电"),
    ("新華社", "電"),
    ("中新社", "电"),
    ("中新网", "电"),
    ("路透社", "电"),
    ("法新社", "电"),
    ("美联社", "电"),
    ("财联社", "电"),
    ("【共同", "】"),
    ("(共同", ")"),
    ("【時事", "】"),
];

static KEYWORD: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(KEYWORDS).ok()
});

/// The stretches of `text`, which is `folded`, (bytes, at character boundaries) that name agencies, sources and
/// photographers; sorted, possibly overlapping.
pub fn credits(text: &str, folded: &Folded) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    opening(&folded.text, &mut found);
    brackets(text, folded, &mut found);
    dash(&folded.text, &mut found);
    announced(&folded.text, &mut found);
    let mut credits: Vec<Range<usize>> = found
        .into_iter()
        .filter_map(|r| Some(folded.start(r.start)?..folded.end(r.end)?))
        .filter(|r| r.start < r.end)
        .collect();
    credits.sort_unstable_by_key(|r| (r.start, r.end));
    credits
}

fn opening(text: &str, found: &mut Vec<Range<usize>>) {
    for (agency, end) in OPENINGS {
        if text.starts_with(agency)
            && let Some(at) = head(text, DATELINE).find(end)
        {
            found.push(0..at + end.len());
        }
    }
}

/// "(Reuters)", "(dpa/AP)", "(서울=연합뉴스)": the brackets; with a dash behind them and only a
/// place and a date before them the whole dateline.
fn brackets(original: &str, folded: &Folded, found: &mut Vec<Range<usize>>) {
    let text = folded.text.as_str();
    for (open, _) in text.match_indices('(') {
        let inner = head(text.get(open + 1..).unwrap_or_default(), 60);
        let Some(length) = inner.find(')') else { continue };
        let inner = inner.get(..length).unwrap_or_default();
        let close = open + 1 + length + 1;
        let Some(ambiguous) = agency(inner) else { continue };
        let behind = text.get(close..).unwrap_or_default();
        let dash = after_dash(behind);
        let place = open <= DATELINE
            && folded.end(open).and_then(|end| original.get(..end)).is_none_or(is_place);
        match dash {
            Some(dash) if place => found.push(0..close + dash),
            _ if ambiguous && !behind.trim().is_empty() => {}
            _ => found.push(open..close),
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
    if AGENCIES.contains(&last) && !AMBIGUOUS.contains(&last) {
        found.push(0..at + length);
    }
}

/// "Photo: …", "(Quelle: …)", "© …".
fn announced(text: &str, found: &mut Vec<Range<usize>>) {
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
        let closing = head(rest, 2 * TAIL).find([')', ']']);
        if let Some(length) = closing.filter(|_| bracketed || word.starts_with('(')) {
            found.push(start..hit.end() + length + 1);
        } else if trimmed.is_empty() && text.len() <= WHOLE || rest.len() <= TAIL && ends(previous)
        {
            found.push(start..text.len());
        } else if word == "©" {
            found.push(start..hit.end() + head(rest, TAIL / 2).find('.').unwrap_or(0));
        }
    }
}

/// Can a credit begin behind this character? After a sentence, a separator or nothing.
fn ends(previous: Option<char>) -> bool {
    previous.is_none_or(|c| !is_word(c) && c != ',') || previous.is_some_and(|c| c > '\u{2e7f}')
}

/// Is the content of brackets an agency? `Some(true)` if only an ambiguous one.
fn agency(inner: &str) -> Option<bool> {
    let mut ambiguous = None;
    for part in inner.split(['/', ',', '+', '&', ';', '=', '|']) {
        let part = part.trim();
        if AMBIGUOUS.contains(&part) {
            ambiguous = Some(true);
        } else if AGENCIES.contains(&part) {
            return Some(false);
        }
    }
    ambiguous
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
        check("Siemens (Munich) – the maker of trains – grew.", &[]);
        check("Foto: dpa / Erika Muster", &["Foto: dpa / Erika Muster"]);
        check("Ein Zug hält im Bahnhof. (Foto: Reuters)", &["(Foto: Reuters)"]);
        check("A train stops. Photo: Getty Images", &["Photo: Getty Images"]);
        check("Der Umsatz stieg. Quelle: Bloomberg", &["Quelle: Bloomberg"]);
        check("© Reuters", &["© Reuters"]);
        check("图片来源：路透社", &["图片来源：路透社"]);
        check(
            "(Reporting by A. Person; editing by B. Other)",
            &["(Reporting by A. Person; editing by B. Other)"],
        );
        check("She took a photo by the river and Apple bought it.", &[]);
        check("Reuters reported that it rains.", &[]);
        check("", &[]);
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

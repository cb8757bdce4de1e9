//! Languages: detection from text, weighed against what pages declare. Must not know the tree.

use whatlang::{Detector, Lang};

use crate::model::{Found, Source};

/// Characters that detection looks at, and those that it looks at first: most texts are told by them.
const SAMPLE: usize = 4_000;
const FIRST: usize = 600;
/// Letters below which detection is not asked: a sentence at least.
const MIN_LETTERS: usize = 60;

/// The language of a text, with whether the answer is reliable; `None` for texts too short to say.
pub fn language_of(text: &str) -> Option<(&'static str, bool)> {
    if !has_letters(text) {
        return None;
    }
    let detect = |sample: &str| {
        let info = Detector::new().detect(sample)?;
        Some((code(info.lang())?, info.is_reliable()))
    };
    let begun = first(text, FIRST);
    match detect(begun) {
        Some((_, false)) | None if begun.len() < text.len() => detect(first(text, SAMPLE)),
        told => told,
    }
}

/// The first characters of a text.
fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// Has the sample of a text the letters of a sentence? Ideographs and syllables say more than letters do.
fn has_letters(text: &str) -> bool {
    let says = |c: char| match c {
        '\u{2E80}'..='\u{9FFF}' | '가'..='힣' => 3 + usize::from(c.is_alphabetic()),
        c => usize::from(c.is_alphabetic()),
    };
    let mut sum = 0;
    text.chars().take(SAMPLE).any(|c| {
        sum += says(c);
        sum >= MIN_LETTERS
    })
}

/// Declared and detected weighed: pages are declared wrongly (a template in English around text
/// in another language), so a reliable detection on enough text wins; else the declaration does.
pub fn weigh(declared: Option<Found<String>>, text: &str) -> Option<Found<String>> {
    let enough = text.chars().take(400).count() == 400;
    // Nothing is held against a declaration then.
    if declared.is_some() && !enough {
        return declared;
    }
    let detected = language_of(text);
    match (declared, detected) {
        (Some(declared), Some((language, true)))
            if declared.value != language && !akin(&declared.value, language) =>
        {
            Some(Found { value: language.into(), source: Source::Detected })
        }
        (Some(declared), _) => Some(declared),
        (None, Some((language, _))) => {
            Some(Found { value: language.into(), source: Source::Detected })
        }
        (None, None) => None,
    }
}

/// Languages that detection by trigrams confuses, or does not know apart.
fn akin(declared: &str, detected: &str) -> bool {
    const GROUPS: [&[&str]; 11] = [
        &["no", "da", "sv"],
        &["hr", "sr", "bs", "sl", "mk", "bg", "cnr", "sh"],
        &["cs", "sk"],
        &["id", "ms", "jv", "su"],
        &["es", "ca", "gl", "pt", "ast", "eu", "oc"],
        &["ru", "uk", "be", "bg", "kk", "ky", "tg", "mn", "tt"],
        &["fa", "ur", "ar", "ps", "ckb", "ug", "sd"],
        &["hi", "mr", "ne"],
        &["tr", "az", "uz", "tk"],
        &[
            "zu", "xh", "sn", "ss", "nr", "st", "tn", "nso", "sw", "ts", "ve", "rw", "ak", "so",
            "ha", "yo", "ig",
        ],
        &["nl", "af", "fy", "lb", "de"],
    ];
    // Declared as a language that the detector cannot name at all.
    let unknown = !Lang::all().iter().any(|&l| code(l) == Some(declared));
    unknown || GROUPS.iter().any(|g| g.contains(&declared) && g.contains(&detected))
}

/// ISO 639-1 where there is one.
fn code(lang: Lang) -> Option<&'static str> {
    Some(match lang {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "no",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(language_of(text).map(|(l, _)| l), expect, "{text}");
        };
        check(
            "The company said on Friday that it would build a new plant near the river next spring.",
            Some("en"),
        );
        check(
            "Das Unternehmen teilte am Freitag mit, dass es im Frühjahr am Fluss ein neues Werk bauen werde.",
            Some("de"),
        );
        check(
            "Компания сообщила в пятницу, что весной построит у реки новый завод и наймёт тысячу человек.",
            Some("ru"),
        );
        check("公司星期五宣布，将在南方建设一座新的工厂，预计明年春天投产。", Some("zh"));
        check("同社は金曜日、来年の春に新しい工場を建設すると発表しました。", Some("ja"));
        check(
            "회사는 금요일 강가에 새 공장을 짓겠다고 발표했으며 내년 봄에 문을 연다.",
            Some("ko"),
        );
        check("Ja", None);
        check("", None);
    }

    #[test]
    fn settling() {
        let german = "Das Unternehmen teilte am Freitag mit, dass es im Frühjahr am Fluss ein neues Werk bauen werde. ".repeat(6);
        let declared = |code: &str| Some(Found { value: code.to_owned(), source: Source::Html });
        let check = |code: Option<&str>, text: &str, expect: &str| {
            let got = weigh(code.and_then(declared), text).map(|f| f.value);
            assert_eq!(got.as_deref().unwrap_or(""), expect);
        };
        check(Some("en"), &german, "de");
        check(Some("en"), &german[..90], "en");
        check(Some("de"), &german, "de");
        check(Some("lb"), &german, "lb");
        check(None, &german, "de");
        check(None, "", "");
    }
}

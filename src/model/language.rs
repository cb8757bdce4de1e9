//! Languages by their codes, as pages declare them and people name them.
//!
//! Must not know: texts.

/// Codes of languages that are written today, of two letters (ISO 639-1) and of three (ISO 639-3).
const CODES: &str = include_str!("languages.txt");

/// The primary subtag of a declared language in lower case (`de_AT` → `de`); deprecated codes and
/// the written forms of Norwegian are unified. `None` for what is no language.
pub fn primary_language(declared: &str) -> Option<String> {
    let code = declared.split([',', ';']).next()?.trim();
    let code = code.split(['-', '_', '.', '/', ' ']).next()?.to_ascii_lowercase();
    if !(2..=3).contains(&code.len()) || !code.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    Some(match code.as_str() {
        "nb" | "nn" | "nor" | "nob" => "no".into(),
        "iw" => "he".into(),
        "in" => "id".into(),
        "ji" => "yi".into(),
        "und" | "mul" | "zxx" | "xx" => return None,
        // What publishers write for country instead of language.
        "cn" => "zh".into(),
        "jp" => "ja".into(),
        "gr" => "el".into(),
        "ua" => "uk".into(),
        "cz" => "cs".into(),
        "eng" => "en".into(),
        "deu" | "ger" => "de".into(),
        "fra" | "fre" => "fr".into(),
        "spa" => "es".into(),
        "ita" => "it".into(),
        "rus" => "ru".into(),
        _ => code,
    })
}

/// The code that articles have in a language which somebody names: `de` of `DE` and `de-AT`.
///
/// # Errors
/// It is no tag of a language.
pub fn language_named(name: &str) -> Result<String, String> {
    let tag = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    let code = tag.then(|| primary_language(name)).flatten();
    code.ok_or_else(|| format!("`{name}` is no language: write a code such as en or de"))
}

/// The same of a language that is to be waited for: one that there is, named by its code alone.
///
/// # Errors
/// No article has it.
pub fn language_code(name: &str) -> Result<String, String> {
    let code = language_named(name)?;
    if !CODES.split_ascii_whitespace().any(|known| known == code) {
        return Err(format!("`{name}` is no language: write a code such as en or de (ISO 639)"));
    }
    if !code.eq_ignore_ascii_case(name) {
        return Err(format!("`{name}` is written `{code}`"));
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        let check = |declared: &str, expect: Option<&str>| {
            assert_eq!(primary_language(declared).as_deref(), expect, "{declared}");
        };
        check("de", Some("de"));
        check("de_AT", Some("de"));
        check("EN-us", Some("en"));
        check("zh-Hant-TW", Some("zh"));
        check("nb-NO", Some("no"));
        check("en, de", Some("en"));
        check("iw", Some("he"));
        check("german", None);
        check("und", None);
        check("", None);
        check("{{lang}}", None);
    }

    #[test]
    fn a_language_is_named_by_its_code() {
        for (name, asked, waited) in [
            ("de", Some("de"), true),
            ("DE", Some("de"), true),
            ("de-AT", Some("de"), false),
            ("nb", Some("no"), false),
            ("fil", Some("fil"), true),
            ("zzz", Some("zzz"), false),
            ("English", None, false),
            ("de,en", None, false),
            ("", None, false),
        ] {
            assert_eq!(language_named(name).ok().as_deref(), asked, "{name}");
            assert_eq!(language_code(name).is_ok(), waited, "{name}");
        }
    }
}

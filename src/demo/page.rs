//! Article + template → HTML → bytes in the outlet's charset.
//!
//! A template's places: `{{title}} {{title_json}} {{lead}} {{byline}} {{figure}} {{body}}
//! {{comments}} {{iso}} {{day}} {{url}}`. Everything else in it is sent as it stands.

use anyhow::{Context, Result};
use encoding_rs::{Encoding, UTF_16LE};

use super::outlet::{Article, Outlet, Part};
use crate::model::escaped;

/// The page as its template engine would write it.
pub(super) fn render(outlet: &Outlet, article: &Article) -> String {
    let style = &outlet.style;
    let (mut lead, mut byline, mut figure, mut body, mut comments) = Default::default();
    for part in &article.parts {
        let (place, form, text): (&mut String, _, _) = match part {
            Part::Paragraph(text) => (&mut body, &style.paragraph, text),
            Part::Heading(text) => (&mut body, &style.heading, text),
            Part::Quote(text) => (&mut body, &style.quote, text),
            Part::Lead(text) => (&mut lead, &style.lead, text),
            Part::Byline(text) => (&mut byline, &style.byline, text),
            Part::Caption(text) => (&mut figure, &style.caption, text),
            Part::Comment { text, .. } => (&mut comments, &style.comment, text),
        };
        let form = match part {
            Part::Comment { name, .. } => form.replace("{name}", &escaped(name)),
            _ => form.clone(),
        };
        place.push_str(&form.replace("{}", &escaped(text)));
    }
    let mut page = String::new();
    let mut rest = outlet.template.as_str();
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        match name {
            "title" => page.push_str(&escaped(&article.title)),
            "title_json" => page.push_str(&json(&article.title)),
            "lead" => page.push_str(&lead),
            "byline" => page.push_str(&byline),
            "figure" => page.push_str(&figure),
            "body" => page.push_str(&body),
            "comments" => page.push_str(&comments),
            "iso" => page.push_str(&article.date.to_string()),
            "day" => page.push_str(&article.date.strftime("%d.%m.%Y").to_string()),
            "url" => page.push_str(&outlet.url_of(article)),
            other => page.push_str(other),
        }
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Text in the bytes of a charset. What the charset lacks becomes a numeric character reference, as
/// publishers' systems do it; UTF-16 gets a byte order mark. Errors on an unknown charset.
pub(super) fn encode(text: &str, charset: &str) -> Result<Vec<u8>> {
    let encoding = Encoding::for_label(charset.as_bytes()).context("unknown charset")?;
    if encoding == UTF_16LE {
        // encoding_rs writes UTF-8 where the web standard has no encoder for UTF-16.
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        return Ok(units.flat_map(u16::to_le_bytes).collect());
    }
    Ok(encoding.encode(text).0.into_owned())
}

/// A JSON string that is safe inside `<script>`.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::super::outlet::load_all;
    use super::*;

    #[test]
    fn every_page_survives_its_charset() {
        for outlet in load_all().unwrap() {
            for article in &outlet.articles {
                let page = render(&outlet, article);
                assert!(!page.contains("{{"), "{}", article.slug);
                let bytes = encode(&page, &outlet.charset).unwrap();
                let encoding = Encoding::for_label(outlet.charset.as_bytes()).unwrap();
                let (read, _, broken) = encoding.decode(&bytes);
                assert!(!broken, "{}/{}", outlet.host, article.slug);
                assert_eq!(references(&read), references(&page), "{}", article.slug);
            }
        }
    }

    /// Resolves numeric character references.
    fn references(text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("&#") {
            out.push_str(before);
            let (number, after) = after.split_once(';').unwrap();
            out.push(char::from_u32(number.parse().unwrap()).unwrap());
            rest = after;
        }
        out + rest
    }

    #[test]
    fn unmappable_characters_become_references() {
        for (text, charset, expect) in [
            ("a\u{2014}b", "koi8-r", &b"a&#8212;b"[..]),
            ("\u{20ac}", "iso-8859-15", b"\xa4"),
            ("hi", "utf-16le", b"\xff\xfeh\0i\0"),
            ("\u{98ce}", "gb18030", b"\xb7\xe7"),
        ] {
            assert_eq!(encode(text, charset).unwrap(), expect, "{text} in {charset}");
        }
        assert!(encode("x", "klingon").is_err());
    }
}

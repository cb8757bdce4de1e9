//! Text as markup: as it stands between tags and in quoted attributes. Must not know: what is written.

/// What stands for a text in HTML and in XML, between tags and in attributes in quotes of either kind. Controls but tabs
/// and ends of lines, and what else XML has no place for (XML 1.0 §2.2), are left out.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(
            escaped("<b onclick='x'>\"&\u{0}\n\u{85}é"),
            "&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;\né"
        );
    }
}

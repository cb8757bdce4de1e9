//! Text back into markup: as it stands between tags and in quoted attributes.

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
    use crate::html::{Keep, Limits, name, parse};

    #[test]
    fn markup_is_text() {
        assert_eq!(
            escaped("<b onclick='x'>\"&\u{0}\n\u{85}é"),
            "&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;\né"
        );
    }

    proptest::proptest! {
        #[test]
        fn a_text_comes_back(text in "\\PC{0,20}[<>\"'&#;\n\t]{0,9}(amp;|lt|&#0;)?\\PC{0,9}") {
            let markup = escaped(&text);
            proptest::prop_assert!(!markup.contains(['<', '>', '"', '\'']));
            let page = format!("<p title=\"{markup}\">x{markup}</p>");
            let limits = Limits { depth: 9, nodes: 99, attributes: 99, bytes: 9_999 };
            let tree = parse(page, &limits, Keep::Everything);
            let p = tree.descend(tree.root()).find(|&id| tree.tag(id) == Some(name!("p")));
            let p = p.expect("there is a paragraph");
            proptest::prop_assert_eq!(tree.text_of(p), format!("x{text}"));
            proptest::prop_assert_eq!(tree.attr(p, "title"), Some(text.into()));
        }
    }
}

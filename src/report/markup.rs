//! Texts of strangers as parts of an HTML page: text stays text, an address is a link only where a click
//! on it opens a web page.
//!
//! Must not know: what the page is about.

use std::fmt::Write;

use crate::model::escaped;

/// Text, kept apart from what stands around it whatever its direction is; what would turn round
/// more than itself (UAX #9, explicit formatting) is left out.
pub(super) fn foreign(from: &str) -> String {
    let turning = |c: &char| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain: String = from.chars().filter(turning).collect();
    format!("<bdi>{}</bdi>", escaped(&plain))
}

/// A link to a web page; another kind of address is shown, and leads nowhere.
pub(super) fn link(address: &str, says: &str) -> String {
    match url::Url::parse(address) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => {
            let href = escaped(url.as_str());
            format!("<a href=\"{href}\" rel=\"noreferrer noopener\">{}</a>", foreign(says))
        }
        _ => foreign(says),
    }
}

/// A link to a place in the page; `to` is a name that we made.
pub(super) fn within(to: &str, says: impl std::fmt::Display) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write!(out, "<a href=\"#{to}\">{says}</a>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text_and_only_web_pages_are_linked() {
        assert_eq!(foreign("gpj.\u{202e}exe"), "<bdi>gpj.exe</bdi>");
        for address in
            ["javascript:alert(1)", "data:text/html,x", "//a.test", "file:///etc/passwd", ""]
        {
            assert_eq!(link(address, "<i>"), "<bdi>&lt;i&gt;</bdi>", "{address}");
        }
        assert_eq!(
            link("https://a.test/?a=\"&b=<x>", "t"),
            "<a href=\"https://a.test/?a=%22&amp;b=%3Cx%3E\" rel=\"noreferrer noopener\"><bdi>t</bdi></a>"
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_opens_a_tag_or_ends_an_attribute(from in "\\PC{0,40}[<>\"'&\\x00-\\x1f]{0,9}\\PC{0,9}") {
            let inside = foreign(&from);
            let inside = inside.strip_prefix("<bdi>").and_then(|i| i.strip_suffix("</bdi>"));
            proptest::prop_assert!(inside.is_some_and(|inside| !inside.contains('<')));
        }
    }
}

//! Where a page leads its readers on at once, before they have read it (`meta http-equiv=refresh`).
//!
//! Must not know: what becomes of such a page.

use url::Url;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

/// Whoever has so many seconds for a page has not read it.
const AT_ONCE: u64 = 1;

/// May an element lead readers on: does it say so, and do browsers with scripts read it as part of the page?
pub(super) fn leads_on(dom: &Dom, id: Id) -> bool {
    let apart = |id| matches!(dom.tag(id), Some(name!("noscript") | name!("template")));
    let says = dom.value(id, name!("http-equiv"));
    says.is_some_and(|says| says.eq_ignore_ascii_case("refresh")) && !dom.ancestors(id).any(apart)
}

/// The address that a browser goes on to within a second, absolute: the page's own where it says none. `elements` are
/// those that [`leads_on`] names.
pub(super) fn at_once(
    dom: &Dom,
    elements: &[Id],
    url: Option<&Url>,
    base: Option<&Url>,
) -> Option<Url> {
    let (url, base) = (url?, base?);
    let mut refreshes = elements.iter().filter_map(|&id| dom.value(id, name!("content")));
    // The first that is one; browsers do not read the next.
    let (seconds, to) = refreshes.find_map(|content| {
        let (seconds, to) = parse(&content)?;
        let to = match to {
            Some(to) => base.join(to).ok().filter(|to| to.scheme() != "javascript")?,
            None => url.clone(),
        };
        Some((seconds, to))
    })?;
    (seconds <= AT_ONCE).then_some(to)
}

/// Seconds, and the address if one is named (WHATWG HTML §4.2.5.3, "shared declarative refresh steps").
fn parse(content: &str) -> Option<(u64, Option<&str>)> {
    let space = |c: char| c.is_ascii_whitespace();
    let rest = content.trim_start_matches(space);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at(digits);
    if digits.is_empty() && !rest.starts_with('.') {
        return None;
    }
    // More digits than fit are many seconds.
    let seconds = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u64::MAX) };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if rest.is_empty() {
        return Some((seconds, None));
    }
    if !rest.starts_with(|c: char| matches!(c, ';' | ',') || space(c)) {
        return None;
    }
    let rest = rest.trim_start_matches(space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(space);
    if rest.is_empty() {
        return Some((seconds, None));
    }
    Some((seconds, Some(address(rest))))
}

/// The address behind the seconds, without `url=` and quotes.
fn address(text: &str) -> &str {
    let mut named = text;
    for (place, letter) in ['u', 'r', 'l'].into_iter().enumerate() {
        match named.strip_prefix([letter, letter.to_ascii_uppercase()]) {
            Some(rest) => named = rest,
            // It may stand in quotes without a name, but not behind the beginning of one.
            None if place == 0 => return unquoted(text),
            None => return text,
        }
    }
    let named = named.trim_start_matches(|c: char| c.is_ascii_whitespace());
    match named.strip_prefix('=') {
        Some(rest) => unquoted(rest.trim_start_matches(|c: char| c.is_ascii_whitespace())),
        None => text,
    }
}

fn unquoted(text: &str) -> &str {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return text };
    text[1..].split(quote).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::{Limits, parse as tree};
    use proptest::prelude::*;

    #[test]
    fn contents() {
        let check = |content: &str, expect: Option<(u64, Option<&str>)>| {
            assert_eq!(parse(content), expect, "{content}");
        };
        check("0;url=/a", Some((0, Some("/a"))));
        check("\n 1.9 , URL = '/a b'more", Some((1, Some("/a b"))));
        check("0 \"/a\"b", Some((0, Some("/a"))));
        check("0;'/a", Some((0, Some("/a"))));
        check("0;a;b", Some((0, Some("a;b"))));
        check("0; user.html", Some((0, Some("user.html"))));
        check("0;url '/a'", Some((0, Some("url '/a'"))));
        check("0;url=url=/a", Some((0, Some("url=/a"))));
        check("0;url=", Some((0, Some(""))));
        check(".5;/a", Some((0, Some("/a"))));
        check("5.5.5;/a", Some((5, Some("/a"))));
        check("99999999999999999999999;/a", Some((u64::MAX, Some("/a"))));
        check("0", Some((0, None)));
        check("0; ", Some((0, None)));
        for none in ["", " ", ";url=/a", "-1;url=/a", "0x;url=/a", "url=/a", "\u{a0}0;/a"] {
            check(none, None);
        }
    }

    #[test]
    fn pages() {
        let check = |html: &str, expect: Option<&str>| {
            let url = Url::parse("https://a.example/x/page").unwrap();
            let base = Url::parse("https://b.example/base/").unwrap();
            let dom = tree(html, &Limits::default());
            let metas = (0..dom.nodes.len() as Id).filter(|&id| dom.tag(id) == Some(name!("meta")));
            let elements: Vec<Id> = metas.filter(|&id| leads_on(&dom, id)).collect();
            let to = at_once(&dom, &elements, Some(&url), Some(&base));
            assert_eq!(to.as_ref().map(Url::as_str), expect, "{html}");
        };
        let to_a = "<meta http-equiv=REFRESH content='0;a'>";
        let a = Some("https://b.example/base/a");
        check(to_a, a);
        check(&format!("<p>Text<div>{to_a}</div>"), a);
        check("<meta http-equiv=refresh content=1>", Some("https://a.example/x/page"));
        check("<meta http-equiv=refresh content='0;url='>", Some("https://b.example/base/"));
        check("<meta http-equiv=refresh content='2;a'>", None);
        check("<meta name=refresh content='0;a'>", None);
        check("<meta http-equiv=refresh>", None);
        check(&format!("<noscript>{to_a}</noscript>"), None);
        check(&format!("<body><noscript><p>{to_a}</noscript>"), None);
        check(&format!("<template>{to_a}</template>"), None);
        check(&format!("<!-- {to_a} --><script>'{to_a}'</script>"), None);
        check(&format!("<meta http-equiv=refresh content=60>{to_a}"), None);
        check(&format!("<meta http-equiv=refresh content=soon>{to_a}"), a);
        check(&format!("<meta http-equiv=refresh content='0;javascript:go()'>{to_a}"), a);
        check(&format!("<meta http-equiv=refresh content='0;https://:'>{to_a}"), a);
    }

    proptest! {
        #[test]
        fn any_content_is_read(content in "[ 0-9.]{0,3}[;, ]{0,2}[uUrRlL =]{0,5}['\"]?\\PC{0,9}['\"]?") {
            let _ = parse(&content);
        }
    }
}

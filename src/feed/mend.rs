//! Repairs the text of a feed so that a strict XML reader accepts what readers have always
//! accepted. Each repair is told in words.
//!
//! Its text grows by [`ADDED`] and a fifth at most, for the longest name of HTML's entities, and is
//! copied once more where the root is renamed.
//!
//! Must not know: what the feed says. Broken nesting is not mended here: the scanner reads past it.

use super::markup;
use crate::html::reference::read_whole;

/// Bytes that all repairs may add. What would need more is no XML, and stays as it is.
const ADDED: usize = 1 << 20;

/// Repaired text and what was done.
pub(super) fn mend(text: &str) -> (String, Vec<String>) {
    let mut done = Vec::new();
    let text = text.trim_start_matches('\u{FEFF}');
    let start = memchr::memchr(b'<', text.as_bytes()).unwrap_or(0);
    let (junk, text) = text.split_at(start);
    if !junk.trim().is_empty() {
        done.push("text before the first tag was cut".to_owned());
    }
    let text = after_stray_markup(text, &mut done);
    let text = prolog(text);
    let mut repairs = Repairs::default();
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text;
    loop {
        let next = rest.bytes().position(|b| matches!(b, b'<' | b'&') || control(b));
        let Some(n) = next else {
            out.push_str(rest);
            break;
        };
        out.push_str(&rest[..n]);
        rest = &rest[n..];
        let taken = match rest.as_bytes()[0] {
            b'&' => repairs.ampersand(rest, &mut out),
            b'<' => repairs.bracket(rest, &mut out),
            _ => {
                repairs.controls += 1;
                1
            }
        };
        rest = &rest[taken..];
    }
    repairs.tell(&mut done);
    if let Some(root) = root(&out, &mut done) {
        out = root;
    }
    (out, done)
}

fn control(b: u8) -> bool {
    b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')
}

#[derive(Default)]
struct Repairs {
    ampersands: usize,
    brackets: usize,
    entities: usize,
    controls: usize,
    /// Bytes added for bare characters and by entities of the DTD.
    added: usize,
    /// What the DTD declares.
    declared: Declared,
}

/// Entities of a DTD whose text is plain: without markup and without other entities, so that none
/// grows by being expanded. What all expansions add to a document is bounded besides.
#[derive(Default)]
struct Declared {
    texts: std::collections::HashMap<String, String>,
}

impl Declared {
    const MOST: usize = 200;
    const LONGEST: usize = 1_000;

    fn read(&mut self, dtd: &str) {
        const OPEN: &str = "<!ENTITY";
        let mut rest = dtd;
        while let Some(at) = rest.find(OPEN)
            && self.texts.len() < Self::MOST
        {
            rest = rest[at + OPEN.len()..].trim_start();
            let Some((name, value)) = rest.split_once(|c: char| c.is_ascii_whitespace()) else {
                return;
            };
            // `% name` is for the DTD itself; what is declared elsewhere has no quote here.
            let value = value.trim_start();
            let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                continue;
            };
            let Some((text, after)) = value[1..].split_once(quote) else { return };
            rest = after;
            let numbers = text.matches('&').count() == text.matches("&#").count();
            let plain = if numbers { markup::decode(text) } else { continue };
            if plain.len() <= Self::LONGEST && !plain.contains(['<', '&', '%']) {
                // The first declaration binds (XML 1.0 §4.2).
                self.texts.entry(name.to_owned()).or_insert(plain);
            }
        }
    }

    /// The text of the entity that `rest` begins with, and the reference's length in bytes.
    fn expand(&self, rest: &str) -> Option<(&str, usize)> {
        if self.texts.is_empty() {
            return None;
        }
        let end = rest.bytes().take(100).position(|b| b == b';')?;
        let text = self.texts.get(rest.get(1..end)?)?;
        Some((text.as_str(), end + 1))
    }
}

impl Repairs {
    /// `&` that starts no reference becomes `&amp;`; HTML's names, which XML does not know, become
    /// their characters. Returns the bytes taken.
    fn ampersand(&mut self, rest: &str, out: &mut String) -> usize {
        const XML: [&str; 5] = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
        if let Some((text, n)) = self.declared.expand(rest)
            && self.added + text.len() <= ADDED
        {
            self.added += text.len();
            out.push_str(text);
            return n;
        }
        match read_whole(&rest[1..]).map(|(characters, n)| (characters, 1 + n)) {
            Some((_, n)) if XML.contains(&&rest[..n]) || rest.starts_with("&#") => {
                out.push_str(&rest[..n]);
                n
            }
            Some((characters, n)) => {
                self.entities += 1;
                for c in characters.into_iter().flatten() {
                    match c {
                        '<' => out.push_str("&lt;"),
                        '&' => out.push_str("&amp;"),
                        c => out.push(c),
                    }
                }
                n
            }
            None => {
                self.ampersands += 1;
                out.push_str(if self.room(4) { "&amp;" } else { "&" });
                1
            }
        }
    }

    /// Takes so many bytes of what may be added, if they are left.
    fn room(&mut self, bytes: usize) -> bool {
        let fits = self.added + bytes <= ADDED;
        self.added += if fits { bytes } else { 0 };
        fits
    }

    /// `<` that starts no markup becomes `&lt;`; CDATA sections and comments are copied.
    fn bracket(&mut self, rest: &str, out: &mut String) -> usize {
        let section = |open: &str, close: &str| {
            rest.starts_with(open).then(|| {
                memchr::memmem::find(rest.as_bytes(), close.as_bytes())
                    .map_or(rest.len(), |n| n + close.len())
            })
        };
        if let Some(n) = section("<![CDATA[", "]]>") {
            out.extend(rest[..n].chars().filter(|c| {
                let drop = u8::try_from(*c).is_ok_and(control);
                self.controls += usize::from(drop);
                !drop
            }));
            n
        } else if let Some(n) = section("<!--", "-->") {
            // XML forbids `--` inside comments, and nobody needs them.
            n
        } else if rest.get(..9).is_some_and(|d| d.eq_ignore_ascii_case("<!doctype")) {
            // Nor a DTD, once the entities are known that it declares.
            let inner = memchr::memchr2(b'>', b'[', rest.as_bytes());
            let close = if inner.is_some_and(|n| rest.as_bytes()[n] == b'[') { "]>" } else { ">" };
            let n = memchr::memmem::find(rest.as_bytes(), close.as_bytes())
                .map_or(rest.len(), |n| n + close.len());
            self.declared.read(&rest[..n]);
            n
        } else {
            if markup::starts_markup(rest.as_bytes()) {
                out.push('<');
            } else {
                self.brackets += 1;
                out.push_str(if self.room(3) { "&lt;" } else { "<" });
            }
            1
        }
    }

    fn tell(self, done: &mut Vec<String>) {
        for (n, what) in [
            (self.ampersands, "bare & escaped"),
            (self.brackets, "bare < escaped"),
            (self.entities, "HTML entity resolved"),
            (self.controls, "control character dropped"),
        ] {
            if n > 0 {
                done.push(format!("{what} ({n}×)"));
            }
        }
    }
}

/// Roots of the documents that this stage reads.
pub(super) const ROOTS: [&str; 5] = ["rss", "rdf", "feed", "urlset", "sitemapindex"];

/// Cuts error messages and other stray markup that a server put before the prolog or the root.
fn after_stray_markup<'a>(text: &'a str, done: &mut Vec<String>) -> &'a str {
    const LOOK: usize = 16 * 1024;
    let mut end = text.len().min(LOOK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if text.starts_with("<?xml") {
        return text;
    }
    match memchr::memmem::find(&text.as_bytes()[..end], b"<?xml ") {
        Some(n) => {
            done.push("text before the XML declaration was cut".to_owned());
            &text[n..]
        }
        None => text,
    }
}

/// Without the XML declaration: the text is decoded, so what it says about the encoding is past.
fn prolog(text: &str) -> &str {
    if !text.starts_with("<?xml") {
        return text;
    }
    memchr::memchr(b'>', text.as_bytes()).map_or("", |n| text[n + 1..].trim_start())
}

/// Names and versions of the root as the strict reader wants them.
fn root(text: &str, done: &mut Vec<String>) -> Option<String> {
    let (name, attributes) = markup::Tokens::new(text).find_map(|t| match t {
        markup::Token::Open { name, attributes, .. } => Some((name, attributes)),
        _ => None,
    })?;
    if name.eq_ignore_ascii_case("rss") {
        let version = markup::attribute(attributes, "version", 64);
        let known = matches!(version.as_deref(), Some("2.0" | "0.91" | "0.92"));
        if name == "rss" && known {
            return None;
        }
        let start = text.find(&format!("<{name}"))?;
        let tag_end = start + 1 + name.len();
        let kept: Vec<String> = markup::attributes(attributes)
            .filter(|(n, _)| !n.eq_ignore_ascii_case("version"))
            .map(|(n, v)| format!(" {n}=\"{}\"", v.replace('"', "&quot;")))
            .collect();
        done.push(match (&version, name) {
            (None, _) => "rss without a version read as 2.0".to_owned(),
            (Some(v), "rss") => format!("rss version `{}` read as 2.0", v.escape_debug()),
            (Some(_), _) => format!("root <{name}> read as <rss>"),
        });
        let close = format!("</{name}>");
        let body = text.get(tag_end + attributes.len()..)?;
        return Some(format!(
            "{}<rss version=\"2.0\"{}{}",
            &text[..start],
            kept.concat(),
            body.replace(&close, "</rss>")
        ));
    }
    if attributes.contains("http://purl.org/atom/ns#") {
        done.push("Atom 0.3 read as Atom 1.0".to_owned());
        return Some(text.replacen("http://purl.org/atom/ns#", "http://www.w3.org/2005/Atom", 1));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a DTD adds to a document is bounded.
    #[test]
    fn entities_are_no_bomb() {
        let dtd = format!("<!DOCTYPE feed [<!ENTITY a \"{}\">]>", "x".repeat(1_000));
        let (mended, _) = mend(&format!("{dtd}<feed>{}</feed>", "&a;".repeat(100_000)));
        assert!(mended.len() < 3 << 20, "{} bytes", mended.len());
        assert!(mended.ends_with("&a;</feed>"));
    }

    #[test]
    fn a_text_of_bare_characters_does_not_grow_without_end() {
        for bare in ["&", "< ", "\u{1}<"] {
            let text = format!("<feed>{}</feed>", bare.repeat(1 << 20));
            let (mended, _) = mend(&text);
            assert!(mended.len() <= text.len() + ADDED, "{bare}: {}", mended.len());
        }
    }

    #[test]
    fn repairs() {
        let check = |text: &str, expect: &str, words: &[&str]| {
            let (mended, done) = mend(text);
            assert_eq!(mended, expect, "{text}");
            assert_eq!(done, words, "{text}");
        };
        check("<feed>a</feed>", "<feed>a</feed>", &[]);
        check("\u{FEFF}<?xml version='1.0' encoding='utf-16'?>\n<feed/>", "<feed/>", &[]);
        check("junk <feed/>", "<feed/>", &["text before the first tag was cut"]);
        check(
            "<br />Warning <?xml version='1.0'?><feed/>",
            "<feed/>",
            &["text before the XML declaration was cut"],
        );
        check(
            "<feed>R&D &amp; &nbsp;&eacute; &lt;</feed>",
            "<feed>R&amp;D &amp; \u{a0}é &lt;</feed>",
            &["bare & escaped (1×)", "HTML entity resolved (2×)"],
        );
        let dtd = "<!DOCTYPE feed [<!ENTITY foo \"FOO\"> <!ENTITY nbsp '&#160;'><!ENTITY % p \"P\">\
                   <!ENTITY far SYSTEM \"x\"><!ENTITY tag \"<b>\"><!ENTITY twice \"&foo;&foo;\">\
                   <!ENTITY lt2 \"&#60;\"><!ENTITY foo \"BAR\">]>";
        check(&format!("{dtd}<feed>a&foo;b&nbsp;c</feed>"), "<feed>aFOOb\u{a0}c</feed>", &[]);
        check(
            &format!("{dtd}<feed>&twice;&tag;&far;&p;&lt2;</feed>"),
            "<feed>&amp;twice;&amp;tag;&amp;far;&amp;p;&amp;lt2;</feed>",
            &["bare & escaped (5×)"],
        );
        check("<feed>1 < 2</feed>", "<feed>1 &lt; 2</feed>", &["bare < escaped (1×)"]);
        check("<feed>a\u{1}b</feed>", "<feed>ab</feed>", &["control character dropped (1×)"]);
        check("<feed><![CDATA[R&D <b>]]></feed>", "<feed><![CDATA[R&D <b>]]></feed>", &[]);
        check(
            "<rss><channel/></rss>",
            "<rss version=\"2.0\"><channel/></rss>",
            &["rss without a version read as 2.0"],
        );
        check(
            "<RSS VERSION=\"2.0\" a='b'><x/></RSS>",
            "<rss version=\"2.0\" a=\"b\"><x/></rss>",
            &["root <RSS> read as <rss>"],
        );
        check(
            "<feed version=\"0.3\" xmlns=\"http://purl.org/atom/ns#\"/>",
            "<feed version=\"0.3\" xmlns=\"http://www.w3.org/2005/Atom\"/>",
            &["Atom 0.3 read as Atom 1.0"],
        );
    }
}

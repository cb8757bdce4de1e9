//! A forgiving reader of markup for feeds, outlines and `<link>` tags: a flat stream of tags and
//! text that never fails and never goes back, so damage costs what it touches and nothing else.
//!
//! Must not know: what a feed is. It keeps no tree: whoever reads decides what nesting means.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::html;
pub(super) use crate::html::reference::decode_whole as decode;
use crate::model::{escaped, is_mute};

/// One piece of markup. Comments, declarations and processing instructions are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open {
        name: &'a str,
        attributes: &'a str,
        /// Written `<x/>`.
        empty: bool,
    },
    Close {
        name: &'a str,
    },
    /// References not yet resolved.
    Text(&'a str),
    /// Verbatim.
    Cdata(&'a str),
}

/// The tokens of an HTML page, read as browsers do: without what scripts, styles and frames hold, and with what titles
/// and fields of forms hold as text, whatever it looks like.
pub(super) fn page_tokens(html: &str) -> impl Iterator<Item = Token<'_>> {
    Tokens { html: true, ..Tokens::new(html) }
}

/// The tokens of a text, each byte looked at a bounded number of times. A tag that is cut off by
/// the end of the text is not reported.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// In HTML a slash at the end of a value without quotes belongs to it (WHATWG HTML §13.2.5.38), elements may hold
    /// what is no markup, and of `<!…` only comments go on behind a `>`.
    html: bool,
    /// Where what the last element holds ends, if that is no markup, and whether it is shown.
    raw: Option<(usize, bool)>,
    /// In a drawing or a formula, where elements may be written empty.
    foreign: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Tokens { text, at: 0, html: false, raw: None, foreign: false }
    }

    /// Bytes read so far.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Moves behind the next `end`, or to the end of the text; returns what lay between.
    fn until(&mut self, start: usize, end: &str) -> &'a str {
        let rest = self.text.get(start..).unwrap_or_default();
        match memchr::memmem::find(rest.as_bytes(), end.as_bytes()) {
            Some(n) => {
                self.at = start + n + end.len();
                &rest[..n]
            }
            None => {
                self.at = self.text.len();
                rest
            }
        }
    }

    /// `<!DOCTYPE … [ … ]>` or `<? … ?>`, from its `<`.
    fn declaration(&mut self, start: usize) {
        let rest = &self.text.as_bytes()[start..];
        match memchr::memchr2(b'>', b'[', rest) {
            Some(_) if self.html => {
                self.until(start, ">");
            }
            Some(n) if rest[n] == b'[' && !rest.starts_with(b"<?") => {
                self.until(start + n, "]>");
            }
            Some(n) => self.at = start + n + 1,
            None => self.at = self.text.len(),
        }
    }

    /// Notes what a tag of a page begins or ends.
    fn follow(&mut self, tag: &Token<'_>) {
        let drawing = |name: &str| ["svg", "math"].iter().any(|d| name.eq_ignore_ascii_case(d));
        match *tag {
            Token::Open { name, empty, .. } if drawing(name) => self.foreign = !empty,
            Token::Close { name } if drawing(name) => self.foreign = false,
            Token::Open { name, empty, .. } if !(empty && self.foreign) => {
                self.raw = html::content_end(self.text, self.at, name);
            }
            _ => {}
        }
    }

    /// A tag from its `<`. A quoted value ends at its quote or, unclosed, at the next `<`: then
    /// the tag ends at the first `>` seen, so one forgotten quote cannot swallow the document.
    fn tag(&mut self, start: usize) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        let close = bytes.get(start + 1) == Some(&b'/');
        let from = start + 1 + usize::from(close);
        let mut first_end = None;
        let mut at = from;
        let end = loop {
            let Some(n) = bytes
                .get(at..)
                .and_then(|rest| rest.iter().position(|b| matches!(b, b'>' | b'<' | b'"' | b'\'')))
            else {
                break first_end?;
            };
            at += n;
            match bytes[at] {
                b'>' => break at,
                b'<' => break first_end.unwrap_or(at),
                quote => {
                    // Outside a value (no `=` before it) a quote is only a character.
                    let value = self.text[from..at].trim_end().ends_with('=');
                    at += 1;
                    if !value {
                        continue;
                    }
                    let rest = &bytes[at..];
                    let stop = memchr::memchr2(quote, b'<', rest).unwrap_or(rest.len());
                    if rest.get(stop) == Some(&quote) {
                        at += stop + 1;
                    } else {
                        first_end = memchr::memchr(b'>', &rest[..stop]).map(|n| at + n);
                        break first_end.unwrap_or(at + stop);
                    }
                }
            }
        };
        if end >= bytes.len() {
            self.at = bytes.len();
            return None;
        }
        self.at = end + usize::from(bytes[end] == b'>');
        let inner = &self.text[from..end];
        let cut = inner
            .find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '=')
            .unwrap_or(inner.len());
        let (name, rest) = inner.split_at(cut);
        if close {
            return Some(Token::Close { name });
        }
        let empty = rest.ends_with('/');
        let attributes = if self.html { rest } else { rest.strip_suffix('/').unwrap_or(rest) };
        Some(Token::Open { name, attributes, empty })
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if let Some((end, shown)) = self.raw.take() {
                let held = self.text.get(self.at..end).unwrap_or_default();
                self.at = end;
                if shown && !held.is_empty() {
                    return Some(Token::Text(held));
                }
            }
            let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
            let start = self.at;
            if rest.starts_with("<!--") && self.html {
                self.at = html::comment_end(self.text, start + 4);
            } else if rest.starts_with("<!--") {
                self.until(start + 4, "-->");
            } else if rest.starts_with("<![CDATA[") && !self.html {
                return Some(Token::Cdata(self.until(start + 9, "]]>")));
            } else if rest.starts_with("<!") || rest.starts_with("<?") {
                self.declaration(start);
            } else if starts_tag(rest.as_bytes()) {
                let tag = self.tag(start)?;
                if self.html {
                    self.follow(&tag);
                }
                return Some(tag);
            } else {
                // Text; a `<` that starts nothing belongs to it.
                let mut n = 1;
                loop {
                    match memchr::memchr(b'<', &rest.as_bytes()[n..]) {
                        Some(m) if starts_markup(&rest.as_bytes()[n + m..]) => {
                            n += m;
                            break;
                        }
                        Some(m) => n += m + 1,
                        None => {
                            n = rest.len();
                            break;
                        }
                    }
                }
                // `rest` may start with a wide character: the byte loop only stops at `<`.
                self.at += n;
                return Some(Token::Text(&rest[..n]));
            }
        }
    }
}

fn starts_tag(bytes: &[u8]) -> bool {
    let after = if bytes.get(1) == Some(&b'/') { 2 } else { 1 };
    bytes.first() == Some(&b'<')
        && bytes.get(after).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
}

/// Does a `<` here begin a tag, a comment, a CDATA section or a declaration?
pub(super) fn starts_markup(bytes: &[u8]) -> bool {
    starts_tag(bytes) || bytes.starts_with(b"<!") || bytes.starts_with(b"<?")
}

/// Name and raw value of each attribute in the inside of a tag.
pub(super) fn attributes(inner: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = inner;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let skip = usize::from(rest.starts_with('='));
        let cut = rest[skip..]
            .find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/')
            .map_or(rest.len(), |n| n + skip);
        let (name, after) = rest.split_at(cut);
        let Some(value) = after.trim_start().strip_prefix('=') else {
            rest = after;
            return Some((name, ""));
        };
        let value = value.trim_start();
        let (value, after) = match value.as_bytes().first() {
            Some(q @ (b'"' | b'\'')) => {
                let value = &value[1..];
                match memchr::memchr(*q, value.as_bytes()) {
                    Some(n) => (&value[..n], &value[n + 1..]),
                    None => (value, ""),
                }
            }
            _ => {
                value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len()))
            }
        };
        rest = after;
        Some((name, value))
    })
}

/// The value of the first attribute of that name (any letter case) among the first `limit`,
/// references resolved.
pub(super) fn attribute(inner: &str, name: &str, limit: usize) -> Option<String> {
    attributes(inner)
        .take(limit)
        .find(|(n, _)| n.eq_ignore_ascii_case(name))
        .map(|(_, value)| decode(value))
}

/// Elements that are HTML in the text of a feed. Others (`Vec<u8>`, `<3`) are words.
fn html_element(name: &str) -> Option<Kind> {
    const INLINE: &str = " a abbr b bdi bdo big cite code del dfn em font i img ins kbd label mark \
        nobr q s samp small span strike strong sub sup time tt u var wbr ";
    const BLOCK: &str = " article aside audio blockquote body br button center dd div dl dt embed \
        figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe input li main \
        nav object ol option p param path picture pre section select source svg table tbody td \
        tfoot th thead tr ul video ";
    let name = name.to_ascii_lowercase();
    let name = name.rsplit(':').next().unwrap_or(&name);
    let listed = |list: &str| list.split_ascii_whitespace().any(|listed| listed == name);
    match name {
        "script" | "style" | "noscript" => Some(Kind::Hidden),
        _ if listed(INLINE) => Some(Kind::Inline),
        _ if listed(BLOCK) => Some(Kind::Block),
        _ => None,
    }
}

#[derive(PartialEq)]
enum Kind {
    Inline,
    Block,
    Hidden,
}

/// Plain text of HTML: tags removed, references resolved (also those escaped twice), white space
/// normalised, at most `limit` characters.
pub(super) fn plain(html: &str, limit: usize) -> String {
    // Enough source for `limit` characters after normalisation in all but hostile cases.
    let enough = limit.saturating_mul(8);
    let mut text = strip(html, enough);
    // Some publishers escape twice, so what one pass uncovers is resolved once more.
    for _ in 0..2 {
        if !text.contains('&') {
            break;
        }
        text = decode(&text);
        if text.contains('<') {
            text = strip(&text, enough);
        }
    }
    squeeze(&text, limit)
}

/// Without the tags of HTML; references stay. Stops once `enough` bytes are there.
fn strip(html: &str, enough: usize) -> String {
    let mut text = String::new();
    let mut hidden: Option<&str> = None;
    for token in Tokens::new(html) {
        match token {
            Token::Open { name, empty, attributes } => match html_element(name) {
                Some(Kind::Hidden) if hidden.is_none() && !empty => hidden = Some(name),
                Some(Kind::Block) => text.push(' '),
                None if hidden.is_none() => {
                    text.push('<');
                    text.push_str(name);
                    text.push_str(attributes);
                    text.push_str(if empty { "/>" } else { ">" });
                }
                _ => {}
            },
            Token::Close { name } => match html_element(name) {
                Some(Kind::Hidden) if hidden.is_some_and(|h| h.eq_ignore_ascii_case(name)) => {
                    hidden = None;
                }
                Some(Kind::Block) => text.push(' '),
                None if hidden.is_none() => {
                    text.push_str("</");
                    text.push_str(name);
                    text.push('>');
                }
                _ => {}
            },
            Token::Text(t) if hidden.is_none() => text.push_str(t),
            Token::Cdata(t) if hidden.is_none() => text.push_str(t),
            _ => {}
        }
        if text.len() > enough {
            break;
        }
    }
    text
}

/// White space normalised, what says nothing ([`is_mute`]) dropped, at most `limit` characters.
pub(super) fn squeeze(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut left = limit;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = !out.is_empty();
            continue;
        }
        if is_mute(c) {
            continue;
        }
        let need = 1 + usize::from(space);
        if left < need {
            break;
        }
        left -= need;
        if std::mem::take(&mut space) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// Prefix and local name, lower case.
pub(super) fn split(name: &str) -> (String, String) {
    let name = name.to_ascii_lowercase();
    match name.split_once(':') {
        Some((prefix, local)) => (prefix.to_owned(), local.to_owned()),
        None => (String::new(), name),
    }
}

/// What `mode="base64"` stands for; characters that are no markup are escaped. `None` if it is none.
pub(super) fn unpack(text: &str, markup: bool) -> Option<String> {
    let packed: String = text.split_ascii_whitespace().collect();
    let text = String::from_utf8(STANDARD.decode(packed).ok()?).ok()?;
    Some(if markup { text } else { escaped(&text) })
}

#[cfg(test)]
mod tests;

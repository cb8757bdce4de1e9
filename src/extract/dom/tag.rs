//! A second, rough look at a tag that does not end: how many attributes has it by now?
//!
//! The tokenizer compares each attribute with all before it and says nothing until the tag ends.
//! When several chunks pass without a token, this scanner reads the same characters (all of them,
//! once, resumable) and counts. It knows text, comments, raw text, tags and quoted values.

use html5ever::LocalName;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// After `<`.
    Open,
    /// In the name of a tag.
    Name,
    /// In a tag, between attributes.
    Between,
    Attribute,
    /// After `=`.
    Equals,
    Quoted(u8),
    Unquoted,
    /// After `<!` and so many dashes.
    Bang(u8),
    /// After so many dashes in a comment.
    Comment(u8),
    /// `<!doctype` and other markup that ends at the next `>`.
    Markup,
}

pub(super) struct Scanner {
    state: State,
    name: Vec<u8>,
    /// Raw text ends at the end tag of this name only.
    raw: Option<Vec<u8>>,
    attributes: usize,
}

impl Scanner {
    pub(super) fn new() -> Self {
        Scanner { state: State::Text, name: Vec::new(), raw: None, attributes: 0 }
    }

    /// Attributes of the tag that is open now.
    pub(super) fn attributes(&self) -> usize {
        self.attributes
    }

    pub(super) fn advance(&mut self, text: &str) {
        for b in text.bytes() {
            self.state = self.next(b);
        }
    }

    fn next(&mut self, b: u8) -> State {
        match self.state {
            State::Text if b == b'<' => State::Open,
            State::Text => State::Text,
            State::Open => self.open(b),
            State::Name if b == b'>' => self.end(),
            State::Name if b.is_ascii_whitespace() || b == b'/' => State::Between,
            State::Name => {
                if self.name.len() < 16 {
                    self.name.push(b.to_ascii_lowercase());
                }
                State::Name
            }
            State::Between if b == b'>' => self.end(),
            State::Between if b.is_ascii_whitespace() || b == b'/' => State::Between,
            State::Between => {
                self.attributes += 1;
                State::Attribute
            }
            State::Attribute if b == b'>' => self.end(),
            State::Attribute if b == b'=' => State::Equals,
            State::Attribute if b.is_ascii_whitespace() || b == b'/' => State::Between,
            State::Attribute => State::Attribute,
            State::Equals if b.is_ascii_whitespace() => State::Equals,
            State::Equals if b == b'"' || b == b'\'' => State::Quoted(b),
            State::Equals | State::Unquoted if b == b'>' => self.end(),
            State::Unquoted if b.is_ascii_whitespace() => State::Between,
            State::Equals | State::Unquoted => State::Unquoted,
            State::Quoted(quote) if b == quote => State::Between,
            State::Quoted(quote) => State::Quoted(quote),
            State::Bang(1) if b == b'-' => State::Comment(0),
            State::Bang(_) if b == b'-' => State::Bang(1),
            State::Comment(2) if b == b'>' => State::Text,
            State::Comment(n) => State::Comment(if b == b'-' { (n + 1).min(2) } else { 0 }),
            State::Bang(_) | State::Markup if b == b'>' => State::Text,
            State::Bang(_) | State::Markup => State::Markup,
        }
    }

    fn open(&mut self, b: u8) -> State {
        self.attributes = 0;
        self.name.clear();
        match b {
            b'/' => {
                self.name.push(b);
                State::Name
            }
            b'!' if self.raw.is_none() => State::Bang(0),
            b'?' if self.raw.is_none() => State::Markup,
            b'<' => State::Open,
            _ if b.is_ascii_alphabetic() && self.raw.is_none() => {
                self.name.push(b.to_ascii_lowercase());
                State::Name
            }
            _ => State::Text,
        }
    }

    /// The tag ends.
    fn end(&mut self) -> State {
        self.attributes = 0;
        let name = std::mem::take(&mut self.name);
        match &self.raw {
            Some(raw) if name.strip_prefix(b"/") == Some(raw) => self.raw = None,
            None if is_raw(&name) => self.raw = Some(name),
            _ => {}
        }
        State::Text
    }
}

fn is_raw(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| super::gate::closes_itself(&LocalName::from(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expect: usize) {
        let mut scanner = Scanner::new();
        scanner.advance(html);
        assert_eq!(scanner.attributes(), expect, "{html}");
        let mut slow = Scanner::new();
        html.chars().for_each(|c| slow.advance(c.encode_utf8(&mut [0; 4])));
        assert_eq!(slow.attributes(), expect, "{html}");
    }

    #[test]
    fn attributes_of_the_open_tag_are_counted() {
        check("<p a b=c d='e f' g=\"h > i", 4);
        check("<p a b>x", 0);
        check("<!-- <p a b --><i x", 1);
        check("<!doctype html><i x y", 2);
        check("<textarea><p a=\"</textarea><p b c", 2);
        check("a < b <c/d e", 2);
    }
}

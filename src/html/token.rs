//! Tokenization (WHATWG HTML §13.2.5): the page as runs of text, tags and comments.

use memchr::{memchr, memchr2};

use super::attribute::{self, Found, Step};
use super::build::{Builder, Mode, Span};
use super::class;
use super::name::{COUNT, name, present_bit};
use super::node::{NONE, Source};
use super::raw::{self, Raw};
use super::reference::{self, Place};
use super::tag::Tag;
use super::tree::Tree;
use super::{Keep, Name, Space, quirks};

/// Attributes of one tag that are still honest.
const TAG_ATTRIBUTES: u32 = 4_096;

/// Comparisons that attributes of one page may cost whoever reads them.
const ATTRIBUTE_WORK: u64 = 40_000_000;

fn page_span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32, source: Source::Page }
}

impl<'p> Builder<'p, '_> {
    pub(super) fn run(mut self) -> Tree<'p> {
        self.read(0);
        self.end();
        self.tree
    }

    /// Reads on from there.
    fn read(&mut self, mut at: usize) {
        while !self.closed {
            at = match self.raw {
                Raw::Nothing => match self.markup(at) {
                    Some(at) => at,
                    None => break,
                },
                raw => self.raw_content(raw, at),
            };
        }
    }

    /// The page, as far as it is read.
    fn bytes(&self) -> &[u8] {
        &self.tree.page.as_bytes()[..self.until]
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes().get(at).copied()
    }

    /// Reads a run of text and the tag or comment after it; `None` at the end of the page.
    #[inline]
    fn markup(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let bytes = self.bytes();
            let Some(found) = memchr2(b'<', b'&', &bytes[at..]) else {
                self.text_run(from, bytes.len());
                return None;
            };
            at += found;
            if bytes[at] == b'&' {
                if reference::read(&self.tree.page[at + 1..self.until], Place::Text).is_some() {
                    return self.decoded_run(from, at);
                }
                at += 1;
                continue;
            }
            let Some(&next) = bytes.get(at + 1) else {
                self.text_run(from, bytes.len());
                return None;
            };
            if !is_markup(next, bytes.get(at + 2).copied()) {
                at += 1;
                continue;
            }
            self.text_run(from, at);
            return self.tag_or_comment(at, next);
        }
    }

    #[inline]
    fn text_run(&mut self, start: usize, end: usize) {
        if start < end {
            self.text(page_span(start, end));
        }
    }

    /// A run of text with references, the first of which is at `at`.
    fn decoded_run(&mut self, from: usize, mut at: usize) -> Option<usize> {
        let start = self.tree.decoded.len();
        self.tree.decoded.push_str(&self.tree.page[from..at]);
        let next = loop {
            let bytes = self.bytes();
            match bytes.get(at) {
                None => break None,
                Some(b'&') => {
                    match reference::read(&self.tree.page[at + 1..self.until], Place::Text) {
                        Some((characters, length)) => {
                            self.tree.decoded.extend(characters.into_iter().flatten());
                            at += 1 + length;
                        }
                        None => {
                            self.tree.decoded.push('&');
                            at += 1;
                        }
                    }
                    continue;
                }
                Some(b'<') => match bytes.get(at + 1) {
                    Some(&next) if is_markup(next, bytes.get(at + 2).copied()) => break Some(next),
                    _ => {
                        self.tree.decoded.push('<');
                        at += 1;
                        continue;
                    }
                },
                Some(_) => {}
            }
            let length = memchr2(b'<', b'&', &bytes[at..]).unwrap_or(bytes.len() - at);
            self.tree.decoded.push_str(&self.tree.page[at..at + length]);
            at += length;
        };
        let end = self.tree.decoded.len();
        self.text(Span { start: start as u32, end: end as u32, source: Source::Decoded });
        self.tag_or_comment(at, next?)
    }

    #[inline]
    fn tag_or_comment(&mut self, at: usize, next: u8) -> Option<usize> {
        match next {
            b'/' if self.byte(at + 2) == Some(b'>') => Some(at + 3),
            b'/' if self.byte(at + 2).is_some_and(|b| b.is_ascii_alphabetic()) => {
                let (tag, after) = self.read_tag(at + 2)?;
                self.ignore_line_end = false;
                self.flush_waiting();
                if self.admit_end(&tag) {
                    self.end_tag(&tag);
                }
                Some(after)
            }
            b'!' => self.declaration(at + 2),
            b'/' => self.bogus_comment(at + 2),
            b'?' => self.bogus_comment(at + 1),
            _ => {
                let (tag, after) = self.read_tag(at + 1)?;
                self.ignore_line_end = false;
                self.flush_waiting();
                if self.admit_start(&tag) {
                    self.start_tag(&tag);
                }
                Some(after)
            }
        }
    }

    /// Reads a tag from its name on; `None` if the page ends in it or has too many attributes.
    #[inline]
    fn read_tag(&mut self, start: usize) -> Option<(Tag, usize)> {
        let Tree { page, found, .. } = &mut self.tree;
        let bytes = &page.as_bytes()[..self.until];
        let (end, key) = attribute::tag_name(bytes, start);
        let text = &bytes[start..end];
        let known = Name::find(key, text);
        // Most tags say nothing more.
        if let Some(name) = known
            && bytes.get(end) == Some(&b'>')
        {
            return Some((Tag::implied(name), end + 1));
        }
        let first = found.len();
        let mut at = end;
        let mut count = 0;
        let mut seen = 0u64;
        let mut twice = false;
        let mut present = 0;
        let mut classes = None;
        let (after, self_closing) = loop {
            match attribute::step(bytes, at) {
                Step::Attribute { name, key, value, next } => {
                    count += 1;
                    let bit = 1 << (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58);
                    // A NUL reads as U+FFFD, and so may be the same name in other bytes.
                    twice |= seen & bit != 0 || self.nul && bytes[name.0..name.1].contains(&0);
                    seen |= bit;
                    let kind = present_bit(key);
                    if kind == name!("class").bit() {
                        classes = classes.or(Some(value));
                    }
                    present |= kind;
                    found.push(Found::of(key, name, value));
                    at = next;
                }
                Step::End { after, self_closing } => break (after, self_closing),
                Step::Eof => return None,
            }
            if count > TAG_ATTRIBUTES {
                self.close(|| format!("a tag of more than {TAG_ATTRIBUTES} attributes"));
                return None;
            }
        };
        let name = match known {
            Some(name) => name,
            None => self.unknown_name(start, end)?,
        };
        self.attributes = self.attributes.saturating_add(count);
        let count = u64::from(count);
        self.attribute_work += count * count / 2;
        if self.attributes > self.max_attributes || self.attribute_work > ATTRIBUTE_WORK {
            let limit = self.max_attributes;
            self.close(|| format!("more than {limit} attributes"));
            return None;
        }
        let (mut range, mut attributes) = ((0, 0), (0, 0));
        if count > 0 {
            range = (end as u32, after as u32);
            attributes = (first as u32, self.tree.found.len() as u32);
        }
        let class_list = match classes {
            Some(range) => self.class_list(range)?,
            None => 0,
        };
        Some((Tag { name, self_closing, twice, present, class_list, range, attributes }, after))
    }

    fn class_list(&mut self, range: (usize, usize)) -> Option<u16> {
        let number = self.tree.class_lists.add(&self.tree.page, range);
        if number.is_none() {
            self.close(|| "too many different attributes `class`".to_owned());
        }
        number
    }

    #[cold]
    fn unknown_name(&mut self, start: usize, end: usize) -> Option<Name> {
        let text = &self.tree.page[start..end];
        let name = self.tree.names.add(&text.to_ascii_lowercase().replace('\0', "\u{fffd}"));
        if name.is_none() {
            self.close(|| "too many names of elements".to_owned());
        }
        name
    }

    /// May this start tag open another element?
    #[inline]
    fn admit_start(&mut self, tag: &Tag) -> bool {
        let held = 1 + u32::from(self.head != NONE) + u32::from(self.form != NONE);
        let open = self.open.len() as u32 + self.formatting + held;
        if open < self.depth || self.adds_no_depth(tag) {
            return true;
        }
        let depth = self.depth;
        self.note(|| format!("more than {depth} elements deep"));
        self.dropped += 1;
        false
    }

    #[inline]
    fn admit_end(&mut self, tag: &Tag) -> bool {
        if self.dropped == 0 || self.adds_no_depth(tag) {
            return true;
        }
        self.dropped -= 1;
        false
    }

    /// Elements that never hold another one; in SVG and MathML their names are like any other.
    fn adds_no_depth(&self, tag: &Tag) -> bool {
        class::html(tag.name) & (class::VOID | class::RAW) != 0
            && self.current().space == Space::Html
    }

    /// `<!…`: a comment, a document type, or text in foreign content.
    fn declaration(&mut self, at: usize) -> Option<usize> {
        let bytes = self.bytes();
        let rest = &bytes[at..];
        if rest.starts_with(b"--") {
            let (end, after) = raw::comment(bytes, at + 2);
            self.ignore_line_end = false;
            self.comment(page_span(at + 2, end));
            return Some(after);
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            let end = memchr(b'>', rest).map(|length| at + length);
            let text = &self.tree.page[at + 7..end.unwrap_or(bytes.len())];
            let quirks = end.is_none() || quirks::read(text);
            self.ignore_line_end = false;
            self.document_type(quirks);
            return end.map(|end| end + 1);
        }
        if rest.starts_with(b"[CDATA[") && self.current().space != Space::Html {
            let start = at + 7;
            let length = memchr::memmem::find(&bytes[start..], b"]]>");
            let end = length.map_or(bytes.len(), |length| start + length);
            self.text_run(start, end);
            return length.map(|_| end + 3);
        }
        self.bogus_comment(at)
    }

    fn bogus_comment(&mut self, start: usize) -> Option<usize> {
        let bytes = self.bytes();
        let end = memchr(b'>', &bytes[start..]).map(|length| start + length);
        let span = page_span(start, end.unwrap_or(bytes.len()));
        self.ignore_line_end = false;
        self.comment(span);
        end.map(|end| end + 1)
    }

    /// The content of the element just opened, up to its end tag.
    fn raw_content(&mut self, raw: Raw, at: usize) -> usize {
        self.raw = Raw::Nothing;
        let bytes = self.bytes();
        let end = match raw {
            Raw::Nothing => at,
            Raw::Drawing => raw::drawing_end(bytes, at).unwrap_or(at),
            Raw::Plain => bytes.len(),
            Raw::Script => raw::script_end(bytes, at),
            Raw::Text | Raw::Verbatim => {
                raw::end(bytes, at, self.tree.names.text(self.current().name).as_bytes())
            }
        };
        match raw {
            Raw::Nothing | Raw::Drawing => return end,
            Raw::Plain => {
                let span = self.raw_span(raw, at, end);
                self.text_by_mode(span);
                return end;
            }
            _ => {}
        }
        match self.keep {
            Keep::Readable { .. } if self.current().is(name!("noscript")) => self.within(at, end),
            _ => {
                let span = self.raw_span(raw, at, end);
                self.append_text(span);
            }
        }
        // The end tag closes this element and nothing else.
        let after = match end < self.until {
            true => self.read_tag(end + 2).map(|(_, after)| after),
            false => None,
        };
        self.pop();
        after.unwrap_or(self.until)
    }

    /// What is text to browsers with scripts and markup to others: read as markup that cannot leave its element. What it
    /// holds of its own kind is passed over.
    fn within(&mut self, from: usize, end: usize) {
        if self.confined {
            return;
        }
        let holder = self.current();
        let until = std::mem::replace(&mut self.until, end);
        let open = std::mem::take(&mut self.open);
        let counts = std::mem::replace(&mut self.counts, [0; COUNT]);
        let (formats, formatting) = (std::mem::take(&mut self.formats), self.formatting);
        let (templates, mode, form) = (std::mem::take(&mut self.templates), self.mode, self.form);
        let flags = (self.frameset_ok, self.foster, self.dropped);
        (self.mode, self.form, self.formatting, self.dropped) = (Mode::InBody, NONE, 0, 0);
        (self.frameset_ok, self.foster, self.confined) = (false, false, true);
        // In the places of root and body.
        for _ in 0..2 {
            self.push(holder.id, holder.name, holder.space);
        }
        self.read(from);
        self.flush_waiting();
        (self.until, self.open, self.counts) = (until, open, counts);
        (self.formats, self.formatting, self.templates) = (formats, formatting, templates);
        (self.mode, self.form, self.raw) = (mode, form, Raw::Nothing);
        (self.frameset_ok, self.foster, self.dropped) = flags;
        (self.confined, self.ignore_line_end) = (false, false);
    }

    /// Raw text as a span, without a line end at its start where that is ignored.
    fn raw_span(&mut self, raw: Raw, start: usize, end: usize) -> Span {
        let mut span = page_span(start, end);
        if std::mem::take(&mut self.ignore_line_end) {
            span.start += u32::from(self.characters(span).starts_with('\n'));
        }
        let text = self.characters(span);
        let references = raw == Raw::Text && memchr(b'&', text.as_bytes()).is_some();
        if references || self.nul && text.contains('\0') {
            let text = text.replace('\0', "\u{fffd}");
            let mut decoded = String::with_capacity(text.len());
            match references {
                true => reference::decode(&text, Place::Text, &mut decoded),
                false => decoded = text,
            }
            return self.decoded(&decoded);
        }
        span
    }
}

/// Does `<` before these bytes begin a tag or a comment?
#[inline]
fn is_markup(next: u8, after: Option<u8>) -> bool {
    next.is_ascii_alphabetic() || matches!(next, b'!' | b'?') || next == b'/' && after.is_some()
}

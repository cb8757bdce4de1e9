//! Text and comments by insertion mode (WHATWG HTML §13.2.6.4).

use super::Space;
use super::attribute::is_space;
use super::build::{Builder, Mode, Span, Then};
use super::class;
use super::name::name;
use super::node::{NONE, Source};
use super::tag::Tag;

impl Builder<'_, '_> {
    pub(super) fn is_blank(&self, span: Span) -> bool {
        self.characters(span).bytes().all(is_space)
    }

    /// A run of text.
    #[inline]
    pub(super) fn text(&mut self, mut span: Span) {
        if self.ignore_line_end {
            self.ignore_line_end = false;
            span.start += u32::from(self.characters(span).starts_with('\n'));
        }
        if self.nul {
            return self.text_with_nul(span);
        }
        self.text_by_mode(span);
    }

    pub(super) fn text_by_mode(&mut self, mut span: Span) {
        while span.start < span.end {
            if self.is_foreign_text() {
                if self.frameset_ok && !self.is_blank(span) {
                    self.frameset_ok = false;
                }
                return self.append_text(span);
            }
            match self.mode {
                Mode::InBody | Mode::InCell | Mode::InCaption | Mode::InTemplate => {
                    return self.characters_in_body(span);
                }
                Mode::InTable | Mode::InTableBody | Mode::InRow => {
                    return self.characters_in_table(span);
                }
                _ => {}
            }
            let (blank, run) = self.first_run(span);
            if !blank && self.text_implies() {
                continue;
            }
            if blank {
                self.blank_text(run);
            }
            span.start = run.end;
        }
    }

    /// Does text stand in SVG or MathML here?
    #[inline]
    fn is_foreign_text(&self) -> bool {
        self.in_foreign(|b, current| {
            current.in_set(class::TEXT_POINT | class::HTML_POINT)
                || b.is_annotation_point(current.id)
        })
    }

    #[inline]
    pub(super) fn characters_in_body(&mut self, span: Span) {
        self.reconstruct();
        if self.frameset_ok && !self.is_blank(span) {
            self.frameset_ok = false;
        }
        self.append_text(span);
    }

    /// White space or other text that a span begins with.
    fn first_run(&self, span: Span) -> (bool, Span) {
        let bytes = self.characters(span).as_bytes();
        let blank = bytes.first().is_some_and(|&b| is_space(b));
        let length = bytes.iter().take_while(|&&b| is_space(b) == blank).count();
        (blank, Span { end: span.start + length as u32, ..span })
    }

    /// White space outside the body.
    fn blank_text(&mut self, span: Span) {
        match self.mode {
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => {}
            Mode::AfterBody | Mode::AfterAfterBody | Mode::AfterAfterFrameset => {
                self.characters_in_body(span);
            }
            _ => self.append_text(span),
        }
    }

    /// Other text outside the body: does it change the mode, whose rules then apply?
    fn text_implies(&mut self) -> bool {
        match self.mode {
            Mode::Initial => {
                self.quirks = true;
                self.mode = Mode::BeforeHtml;
            }
            Mode::BeforeHtml => {
                self.create_root(Tag::implied(name!("html")));
            }
            Mode::BeforeHead => drop(self.implied_head()),
            Mode::InHead => {
                self.pop();
                self.mode = Mode::AfterHead;
            }
            Mode::AfterHead => drop(self.implied_body()),
            Mode::AfterBody | Mode::AfterAfterBody => self.mode = Mode::InBody,
            Mode::InColumnGroup => {
                return self.leave_column_group(Then::Again) == Then::Again;
            }
            _ => return false,
        }
        true
    }

    /// NUL is dropped where HTML is read and replaced in SVG and MathML.
    #[cold]
    fn text_with_nul(&mut self, span: Span) {
        let mut start = span.start;
        while start < span.end {
            let bytes = self.characters(Span { start, ..span }).as_bytes();
            let length = memchr::memchr(0, bytes).unwrap_or(bytes.len()) as u32;
            self.text_by_mode(Span { start, end: start + length, ..span });
            start += length;
            if start < span.end {
                start += 1;
                if self.is_foreign_text() {
                    let replaced = self.decoded("\u{fffd}");
                    self.append_text(replaced);
                } else {
                    while self.mode != Mode::InBody && self.text_implies() {}
                }
            }
        }
    }

    /// Text that does not stand in the page so.
    pub(super) fn decoded(&mut self, text: &str) -> Span {
        let start = self.tree.decoded.len() as u32;
        self.tree.decoded.push_str(text);
        Span { start, end: self.tree.decoded.len() as u32, source: Source::Decoded }
    }

    pub(super) fn comment(&mut self, span: Span) {
        self.flush_waiting();
        let (parent, before) = if self.current().space != Space::Html {
            self.place(self.current())
        } else {
            match self.mode {
                Mode::Initial
                | Mode::BeforeHtml
                | Mode::AfterAfterBody
                | Mode::AfterAfterFrameset => (0, NONE),
                Mode::AfterBody => (self.open.first().map_or(0, |open| open.id), NONE),
                _ => self.place(self.current()),
            }
        };
        self.insert_comment(parent, before, span);
    }
}

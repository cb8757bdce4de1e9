//! Tags by insertion mode (WHATWG HTML §13.2.6.4) outside body and tables, and the end of the page.

use super::build::{Builder, Mode, Then};
use super::class;
use super::foreign;
use super::name::name;
use super::node::NONE;
use super::raw::Raw;
use super::tag::Tag;
use super::{Keep, Name, Space};

impl Builder<'_, '_> {
    pub(super) fn start_tag(&mut self, tag: &Tag) {
        if self.in_foreign(|b, current| match tag.name {
            _ if current.in_set(class::HTML_POINT) => true,
            name!("mglyph") | name!("malignmark") => false,
            name!("svg") if current.name == name!("annotation-xml") => true,
            _ => current.in_set(class::TEXT_POINT) || b.is_annotation_point(current.id),
        }) {
            return self.foreign_start_tag(tag);
        }
        while self.start_tag_in(self.mode, tag) == Then::Again {}
    }

    pub(super) fn end_tag(&mut self, tag: &Tag) {
        if self.in_foreign(|_, _| false) {
            return self.foreign_end_tag(tag);
        }
        while self.end_tag_in(self.mode, tag) == Then::Again {}
    }

    pub(super) fn start_tag_in(&mut self, mode: Mode, tag: &Tag) -> Then {
        match mode {
            Mode::InBody => self.start_in_body(tag),
            Mode::InTable => self.start_in_table(tag),
            Mode::InTableBody => self.start_in_table_body(tag),
            Mode::InRow => self.start_in_row(tag),
            Mode::InCell => self.start_in_cell(tag),
            Mode::InCaption => self.start_in_caption(tag),
            Mode::InColumnGroup => self.start_in_column_group(tag),
            Mode::InHead => self.start_in_head(tag),
            Mode::Initial => {
                self.quirks = true;
                self.again(Mode::BeforeHtml)
            }
            Mode::BeforeHtml => {
                let is_html = tag.name == name!("html");
                self.create_root(if is_html { *tag } else { Tag::implied(name!("html")) });
                if is_html { Then::Done } else { Then::Again }
            }
            Mode::BeforeHead => match tag.name {
                name!("html") => self.start_in_body(tag),
                name!("head") => {
                    self.head = self.insert(tag);
                    self.mode = Mode::InHead;
                    Then::Done
                }
                _ => self.implied_head(),
            },
            Mode::AfterHead => self.start_after_head(tag),
            Mode::InTemplate => self.start_in_template(tag),
            Mode::AfterBody | Mode::AfterAfterBody => match tag.name {
                name!("html") => self.start_in_body(tag),
                _ => self.again(Mode::InBody),
            },
            Mode::InFrameset => {
                match tag.name {
                    name!("html") => return self.start_in_body(tag),
                    name!("frameset") => drop(self.insert(tag)),
                    name!("frame") => drop(self.insert_closed(tag)),
                    name!("noframes") => return self.start_in_head(tag),
                    _ => {}
                }
                Then::Done
            }
            Mode::AfterFrameset | Mode::AfterAfterFrameset => match tag.name {
                name!("html") => self.start_in_body(tag),
                name!("noframes") => self.start_in_head(tag),
                _ => Then::Done,
            },
        }
    }

    fn end_tag_in(&mut self, mode: Mode, tag: &Tag) -> Then {
        let implies = matches!(tag.name, name!("body") | name!("html") | name!("br"));
        match mode {
            Mode::InBody => self.end_in_body(tag),
            Mode::InTable => self.end_in_table(tag),
            Mode::InTableBody => self.end_in_table_body(tag),
            Mode::InRow => self.end_in_row(tag),
            Mode::InCell => self.end_in_cell(tag),
            Mode::InCaption => self.end_in_caption(tag),
            Mode::InColumnGroup => self.end_in_column_group(tag),
            Mode::Initial => {
                self.quirks = true;
                self.again(Mode::BeforeHtml)
            }
            Mode::BeforeHtml if implies || tag.name == name!("head") => {
                self.create_root(Tag::implied(name!("html")));
                Then::Again
            }
            Mode::BeforeHead if implies || tag.name == name!("head") => self.implied_head(),
            Mode::InHead => match tag.name {
                name!("head") => {
                    self.pop();
                    self.mode = Mode::AfterHead;
                    Then::Done
                }
                name!("template") => self.end_template(),
                _ if implies => self.leave(Mode::AfterHead),
                _ => Then::Done,
            },
            Mode::AfterHead if tag.name == name!("template") => self.end_template(),
            Mode::AfterHead if implies => self.implied_body(),
            Mode::InTemplate if tag.name == name!("template") => self.end_template(),
            Mode::AfterBody if tag.name == name!("html") => {
                self.mode = Mode::AfterAfterBody;
                Then::Done
            }
            Mode::AfterBody | Mode::AfterAfterBody => self.again(Mode::InBody),
            Mode::InFrameset => {
                if tag.name == name!("frameset") && self.open.len() > 1 {
                    self.pop();
                    if !self.current_is(name!("frameset")) {
                        self.mode = Mode::AfterFrameset;
                    }
                }
                Then::Done
            }
            Mode::AfterFrameset => {
                if tag.name == name!("html") {
                    self.mode = Mode::AfterAfterFrameset;
                }
                Then::Done
            }
            Mode::BeforeHtml
            | Mode::BeforeHead
            | Mode::AfterHead
            | Mode::InTemplate
            | Mode::AfterAfterFrameset => Then::Done,
        }
    }

    /// A document type counts only at the start of the page.
    pub(super) fn document_type(&mut self, quirks: bool) {
        if self.mode == Mode::Initial {
            self.quirks = quirks;
            self.mode = Mode::BeforeHtml;
        }
    }

    /// The page ends: what it lacks is made.
    pub(super) fn end(&mut self) {
        self.flush_waiting();
        loop {
            let then = match self.mode {
                Mode::Initial => self.again(Mode::BeforeHtml),
                Mode::BeforeHtml => {
                    self.create_root(Tag::implied(name!("html")));
                    Then::Again
                }
                Mode::BeforeHead => self.implied_head(),
                Mode::InHead => self.leave(Mode::AfterHead),
                Mode::AfterHead => self.implied_body(),
                Mode::AfterBody
                | Mode::InFrameset
                | Mode::AfterFrameset
                | Mode::AfterAfterBody
                | Mode::AfterAfterFrameset => Then::Done,
                _ if !self.templates.is_empty() && self.any_open(name!("template")) => {
                    self.pop_until_named(name!("template"));
                    self.clear_to_marker();
                    self.templates.pop();
                    self.mode = self.appropriate_mode();
                    Then::Again
                }
                _ => Then::Done,
            };
            if then == Then::Done {
                return;
            }
        }
    }

    pub(super) fn again(&mut self, mode: Mode) -> Then {
        self.mode = mode;
        Then::Again
    }

    /// Closes the current node and goes on in another mode.
    fn leave(&mut self, mode: Mode) -> Then {
        self.pop();
        self.again(mode)
    }

    pub(super) fn create_root(&mut self, tag: Tag) {
        let id = self.create(&tag, name!("html"), Space::Html);
        self.push(id, name!("html"), Space::Html);
        self.link(0, NONE, id);
        self.mode = Mode::BeforeHead;
    }

    pub(super) fn implied_head(&mut self) -> Then {
        self.head = self.insert(&Tag::implied(name!("head")));
        self.again(Mode::InHead)
    }

    pub(super) fn implied_body(&mut self) -> Then {
        self.insert(&Tag::implied(name!("body")));
        self.again(Mode::InBody)
    }

    /// Opens an element that holds raw text.
    pub(super) fn insert_raw(&mut self, tag: &Tag, raw: Raw) -> Then {
        self.insert(tag);
        self.raw = raw;
        Then::Done
    }

    /// "In head", §13.2.6.4.4.
    pub(super) fn start_in_head(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("html") => return self.start_in_body(tag),
            name!("base")
            | name!("basefont")
            | name!("bgsound")
            | name!("link")
            | name!("meta") => {
                self.insert_closed(tag);
            }
            name!("title") => return self.insert_raw(tag, Raw::Text),
            // Browsers with scripts pass over what is for others.
            name!("noframes") | name!("noscript") | name!("style") => {
                return self.insert_raw(tag, Raw::Verbatim);
            }
            name!("script") => return self.insert_raw(tag, Raw::Script),
            name!("template") => {
                self.push_marker();
                self.frameset_ok = false;
                self.mode = Mode::InTemplate;
                self.templates.push(Mode::InTemplate);
                self.insert(tag);
            }
            name!("head") => {}
            _ => return self.leave(Mode::AfterHead),
        }
        Then::Done
    }

    pub(super) fn end_template(&mut self) -> Then {
        if self.any_open(name!("template")) {
            self.pop_while(|open| open.in_set(class::THOROUGH));
            self.pop_until_named(name!("template"));
            self.clear_to_marker();
            self.templates.pop();
            self.mode = self.appropriate_mode();
        }
        Then::Done
    }

    fn start_after_head(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("html") => self.start_in_body(tag),
            name!("body") => {
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = Mode::InBody;
                Then::Done
            }
            name!("frameset") => {
                self.insert(tag);
                self.mode = Mode::InFrameset;
                Then::Done
            }
            name!("base")
            | name!("basefont")
            | name!("bgsound")
            | name!("link")
            | name!("meta")
            | name!("noframes")
            | name!("script")
            | name!("style")
            | name!("template")
            | name!("title") => {
                let head = self.head;
                self.push(head, name!("head"), Space::Html);
                let then = self.start_in_head(tag);
                self.remove_from_stack(head);
                then
            }
            name!("head") => Then::Done,
            _ => self.implied_body(),
        }
    }

    /// "In template", §13.2.6.4.18.
    fn start_in_template(&mut self, tag: &Tag) -> Then {
        let mode = match tag.name {
            name!("base")
            | name!("basefont")
            | name!("bgsound")
            | name!("link")
            | name!("meta")
            | name!("noframes")
            | name!("script")
            | name!("style")
            | name!("template")
            | name!("title") => return self.start_in_head(tag),
            name!("caption")
            | name!("colgroup")
            | name!("tbody")
            | name!("tfoot")
            | name!("thead") => Mode::InTable,
            name!("col") => Mode::InColumnGroup,
            name!("tr") => Mode::InTableBody,
            name!("td") | name!("th") => Mode::InRow,
            _ => Mode::InBody,
        };
        self.templates.pop();
        self.templates.push(mode);
        self.again(mode)
    }

    /// "Reset the insertion mode appropriately", §13.2.4.1.
    pub(super) fn appropriate_mode(&self) -> Mode {
        for (index, open) in self.open.iter().enumerate().rev() {
            if open.space != Space::Html {
                continue;
            }
            match open.name {
                name!("td") | name!("th") if index > 0 => return Mode::InCell,
                name!("tr") => return Mode::InRow,
                name!("tbody") | name!("thead") | name!("tfoot") => return Mode::InTableBody,
                name!("caption") => return Mode::InCaption,
                name!("colgroup") => return Mode::InColumnGroup,
                name!("table") => return Mode::InTable,
                name!("template") => {
                    return self.templates.last().copied().unwrap_or(Mode::InBody);
                }
                name!("head") if index > 0 => return Mode::InHead,
                name!("body") => return Mode::InBody,
                name!("frameset") => return Mode::InFrameset,
                name!("html") if self.head == NONE => return Mode::BeforeHead,
                name!("html") => return Mode::AfterHead,
                _ => {}
            }
        }
        Mode::InBody
    }

    // Foreign content, §13.2.6.5.

    /// Is the current node foreign, and not a point where the token counts as HTML?
    #[inline]
    pub(super) fn in_foreign(
        &self,
        integrates: impl Fn(&Self, super::build::Open) -> bool,
    ) -> bool {
        match self.open.last() {
            Some(open) => open.space != Space::Html && !integrates(self, *open),
            None => false,
        }
    }

    /// MathML that says that it holds HTML.
    pub(super) fn is_annotation_point(&self, id: super::Id) -> bool {
        let node = &self.tree.nodes[id as usize];
        node.space() == Space::MathMl
            && node.name() == name!("annotation-xml")
            && self.tree.value(id, name!("encoding")).is_some_and(|encoding| {
                encoding.eq_ignore_ascii_case("text/html")
                    || encoding.eq_ignore_ascii_case("application/xhtml+xml")
            })
    }

    fn foreign_start_tag(&mut self, tag: &Tag) {
        let is_html = foreign::breaks_out(tag.name)
            || tag.name == name!("font")
                && [name!("color"), name!("face"), name!("size")]
                    .iter()
                    .any(|&name| self.attribute(tag, name).is_some());
        if is_html {
            self.leave_foreign();
            while self.start_tag_in(self.mode, tag) == Then::Again {}
            return;
        }
        let space = self.current().space;
        self.insert_foreign(tag, space);
    }

    fn leave_foreign(&mut self) {
        while let Some(open) = self.open.last()
            && open.space != Space::Html
            && !open.in_set(class::TEXT_POINT | class::HTML_POINT)
            && !self.is_annotation_point(open.id)
        {
            self.pop();
        }
    }

    /// Inserts an element of SVG or MathML.
    pub(super) fn insert_foreign(&mut self, tag: &Tag, space: Space) {
        let name = match space {
            Space::Svg => foreign::svg_name(tag.name),
            _ => tag.name,
        };
        let id = self.insert_element(tag, name, space);
        if !tag.self_closing {
            self.push(id, name, space);
            let skips = matches!(self.keep, Keep::Readable { .. });
            if skips && space == Space::Svg && name == name!("svg") {
                self.raw = Raw::Drawing;
            }
        }
    }

    fn foreign_end_tag(&mut self, tag: &Tag) {
        if matches!(tag.name, name!("br") | name!("p")) {
            self.leave_foreign();
            while self.end_tag_in(self.mode, tag) == Then::Again {}
            return;
        }
        for index in (1..self.open.len()).rev() {
            let open = self.open[index];
            if open.space == Space::Html {
                while self.end_tag_in(self.mode, tag) == Then::Again {}
                return;
            }
            if self.is_named(open, tag.name) {
                return self.truncate(index);
            }
        }
    }

    fn is_named(&self, open: super::build::Open, name: Name) -> bool {
        open.name == name || open.space == Space::Svg && foreign::svg_name(name) == open.name
    }
}

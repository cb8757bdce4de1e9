//! Tables (WHATWG HTML §13.2.6.4.9 to §13.2.6.4.15).

use super::Name;
use super::build::{Builder, Mode, Open, Then};
use super::class::{self, TABLE};
use super::name::name;
use super::tag::Tag;

fn is_section(open: &Open) -> bool {
    open.is(name!("tbody")) || open.is(name!("tfoot")) || open.is(name!("thead"))
}

fn is_cell(open: &Open) -> bool {
    open.is(name!("td")) || open.is(name!("th"))
}

impl Builder<'_, '_> {
    fn back_to_table(&mut self) {
        self.pop_while(|open| !open.in_set(TABLE));
    }

    fn back_to_section(&mut self) {
        let is_context =
            |open: &Open| is_section(open) || open.is(name!("template")) || open.is(name!("html"));
        self.pop_while(|open| !is_context(open));
    }

    fn back_to_row(&mut self) {
        let is_context = |open: &Open| {
            open.is(name!("tr")) || open.is(name!("template")) || open.is(name!("html"))
        };
        self.pop_while(|open| !is_context(open));
    }

    /// "In body", but what would stand in the table goes before it.
    fn foster(&mut self, rules: impl FnOnce(&mut Self) -> Then) -> Then {
        self.foster = true;
        let then = rules(self);
        self.foster = false;
        then
    }

    pub(super) fn start_in_table(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("caption") => {
                self.back_to_table();
                self.push_marker();
                self.insert(tag);
                self.mode = Mode::InCaption;
            }
            name!("colgroup") => {
                self.back_to_table();
                self.insert(tag);
                self.mode = Mode::InColumnGroup;
            }
            name!("col") => {
                self.back_to_table();
                self.insert(&Tag::implied(name!("colgroup")));
                return self.again(Mode::InColumnGroup);
            }
            name!("tbody") | name!("tfoot") | name!("thead") => {
                self.back_to_table();
                self.insert(tag);
                self.mode = Mode::InTableBody;
            }
            name!("td") | name!("th") | name!("tr") => {
                self.back_to_table();
                self.insert(&Tag::implied(name!("tbody")));
                return self.again(Mode::InTableBody);
            }
            name!("table") => {
                if self.in_scope(name!("table"), TABLE) {
                    self.pop_until_named(name!("table"));
                    self.mode = self.appropriate_mode();
                    return Then::Again;
                }
            }
            name!("style") | name!("script") | name!("template") => {
                return self.start_in_head(tag);
            }
            name!("input") if self.is_hidden_input(tag) => {
                self.insert_closed(tag);
            }
            name!("form") => {
                if !self.any_open(name!("template")) && self.form == super::NONE {
                    self.form = self.insert_closed(tag);
                }
            }
            _ => return self.foster(|b| b.start_in_body(tag)),
        }
        Then::Done
    }

    pub(super) fn end_in_table(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("table") => {
                if self.in_scope(name!("table"), TABLE) {
                    self.pop_until_named(name!("table"));
                    self.mode = self.appropriate_mode();
                }
            }
            name!("body")
            | name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("html")
            | name!("tbody")
            | name!("td")
            | name!("tfoot")
            | name!("th")
            | name!("thead")
            | name!("tr") => {}
            name!("template") => return self.end_template(),
            _ => return self.foster(|b| b.end_in_body(tag)),
        }
        Then::Done
    }

    pub(super) fn start_in_caption(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("tbody")
            | name!("td")
            | name!("tfoot")
            | name!("th")
            | name!("thead")
            | name!("tr") => self.close_caption(Then::Again),
            _ => self.start_in_body(tag),
        }
    }

    pub(super) fn end_in_caption(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("caption") => self.close_caption(Then::Done),
            name!("table") => self.close_caption(Then::Again),
            name!("body")
            | name!("col")
            | name!("colgroup")
            | name!("html")
            | name!("tbody")
            | name!("td")
            | name!("tfoot")
            | name!("th")
            | name!("thead")
            | name!("tr") => Then::Done,
            _ => self.end_in_body(tag),
        }
    }

    fn close_caption(&mut self, then: Then) -> Then {
        if !self.in_scope(name!("caption"), TABLE) {
            return Then::Done;
        }
        self.generate_implied_end_tags();
        self.pop_until_named(name!("caption"));
        self.clear_to_marker();
        self.mode = Mode::InTable;
        then
    }

    pub(super) fn start_in_column_group(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("html") => self.start_in_body(tag),
            name!("col") => {
                self.insert_closed(tag);
                Then::Done
            }
            name!("template") => self.start_in_head(tag),
            _ => self.leave_column_group(Then::Again),
        }
    }

    pub(super) fn end_in_column_group(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("colgroup") => self.leave_column_group(Then::Done),
            name!("col") => Then::Done,
            name!("template") => self.end_template(),
            _ => self.leave_column_group(Then::Again),
        }
    }

    pub(super) fn leave_column_group(&mut self, then: Then) -> Then {
        if !self.current_is(name!("colgroup")) {
            return Then::Done;
        }
        self.pop();
        self.mode = Mode::InTable;
        then
    }

    pub(super) fn start_in_table_body(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("tr") => {
                self.back_to_section();
                self.insert(tag);
                self.mode = Mode::InRow;
                Then::Done
            }
            name!("th") | name!("td") => {
                self.back_to_section();
                self.insert(&Tag::implied(name!("tr")));
                self.again(Mode::InRow)
            }
            name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("tbody")
            | name!("tfoot")
            | name!("thead") => self.leave_section(),
            _ => self.start_in_table(tag),
        }
    }

    pub(super) fn end_in_table_body(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("tbody") | name!("tfoot") | name!("thead") => {
                if self.in_scope(tag.name, TABLE) {
                    self.back_to_section();
                    self.pop();
                    self.mode = Mode::InTable;
                }
                Then::Done
            }
            name!("table") => self.leave_section(),
            name!("body")
            | name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("html")
            | name!("td")
            | name!("th")
            | name!("tr") => Then::Done,
            _ => self.end_in_table(tag),
        }
    }

    fn leave_section(&mut self) -> Then {
        if !self.find_in_scope(is_section, TABLE) {
            return Then::Done;
        }
        self.back_to_section();
        self.pop();
        self.again(Mode::InTable)
    }

    pub(super) fn start_in_row(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("th") | name!("td") => {
                self.back_to_row();
                self.insert(tag);
                self.mode = Mode::InCell;
                self.push_marker();
                Then::Done
            }
            name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("tbody")
            | name!("tfoot")
            | name!("thead")
            | name!("tr") => self.leave_row(Then::Again),
            _ => self.start_in_table(tag),
        }
    }

    pub(super) fn end_in_row(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("tr") => self.leave_row(Then::Done),
            name!("table") => self.leave_row(Then::Again),
            name!("tbody") | name!("tfoot") | name!("thead") => {
                match self.in_scope(tag.name, TABLE) {
                    true => self.leave_row(Then::Again),
                    false => Then::Done,
                }
            }
            name!("body")
            | name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("html")
            | name!("td")
            | name!("th") => Then::Done,
            _ => self.end_in_table(tag),
        }
    }

    fn leave_row(&mut self, then: Then) -> Then {
        if !self.in_scope(name!("tr"), TABLE) {
            return Then::Done;
        }
        self.back_to_row();
        self.pop();
        self.mode = Mode::InTableBody;
        then
    }

    pub(super) fn start_in_cell(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("tbody")
            | name!("td")
            | name!("tfoot")
            | name!("th")
            | name!("thead")
            | name!("tr") => match self.find_in_scope(is_cell, TABLE) {
                true => self.close_cell(),
                false => Then::Done,
            },
            _ => self.start_in_body(tag),
        }
    }

    pub(super) fn end_in_cell(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("td") | name!("th") => {
                if self.in_scope(tag.name, TABLE) {
                    self.generate_implied_end_tags();
                    self.pop_until_named(tag.name);
                    self.clear_to_marker();
                    self.mode = Mode::InRow;
                }
                Then::Done
            }
            name!("body") | name!("caption") | name!("col") | name!("colgroup") | name!("html") => {
                Then::Done
            }
            name!("table") | name!("tbody") | name!("tfoot") | name!("thead") | name!("tr") => {
                self.close_cell_for(tag.name)
            }
            _ => self.end_in_body(tag),
        }
    }

    fn close_cell_for(&mut self, name: Name) -> Then {
        match self.in_scope(name, TABLE) {
            true => self.close_cell(),
            false => Then::Done,
        }
    }

    fn close_cell(&mut self) -> Then {
        self.generate_implied_end_tags();
        self.pop_until(is_cell);
        self.clear_to_marker();
        self.again(Mode::InRow)
    }

    /// Text while a table, its section or its row is the current node, or has let it through.
    pub(super) fn characters_in_table(&mut self, span: super::build::Span) {
        if self.current().in_set(class::FOSTER) {
            self.waiting.push(span);
        } else {
            self.foster(|b| {
                b.characters_in_body(span);
                Then::Done
            });
        }
    }

    /// "In table text", §13.2.6.4.10: white space stays, other text goes before the table.
    #[inline]
    pub(super) fn flush_waiting(&mut self) {
        if !self.waiting.is_empty() {
            self.place_waiting();
        }
    }

    #[cold]
    fn place_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        if waiting.iter().any(|&span| !self.is_blank(span)) {
            for &span in &waiting {
                self.foster(|b| {
                    b.characters_in_body(span);
                    Then::Done
                });
            }
        } else {
            for &span in &waiting {
                self.append_text(span);
            }
        }
        waiting.clear();
        self.waiting = waiting;
    }
}

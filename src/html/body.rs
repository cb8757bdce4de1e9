//! "In body" (WHATWG HTML §13.2.6.4.7).

use super::build::{Builder, Mode, Then};
use super::class::{self, BUTTON, LIST, SCOPE};
use super::name::name;
use super::raw::Raw;
use super::tag::Tag;
use super::{Name, Space};

impl Builder<'_, '_> {
    pub(super) fn start_in_body(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("div")
            | name!("p")
            | name!("ul")
            | name!("address")
            | name!("article")
            | name!("aside")
            | name!("blockquote")
            | name!("center")
            | name!("details")
            | name!("dialog")
            | name!("dir")
            | name!("dl")
            | name!("fieldset")
            | name!("figcaption")
            | name!("figure")
            | name!("footer")
            | name!("header")
            | name!("hgroup")
            | name!("main")
            | name!("menu")
            | name!("nav")
            | name!("ol")
            | name!("search")
            | name!("section")
            | name!("summary") => {
                self.close_p();
                self.insert(tag);
            }
            name!("a") => {
                self.close_active_a();
                self.reconstruct();
                self.insert_formatting(tag);
            }
            name!("b")
            | name!("big")
            | name!("code")
            | name!("em")
            | name!("font")
            | name!("i")
            | name!("s")
            | name!("small")
            | name!("strike")
            | name!("strong")
            | name!("tt")
            | name!("u") => {
                self.reconstruct();
                self.insert_formatting(tag);
            }
            name!("li") | name!("dd") | name!("dt") => self.start_item(tag),
            name!("img")
            | name!("br")
            | name!("area")
            | name!("embed")
            | name!("keygen")
            | name!("wbr") => {
                self.reconstruct();
                self.insert_closed(tag);
                self.frameset_ok = false;
            }
            name!("h1") | name!("h2") | name!("h3") | name!("h4") | name!("h5") | name!("h6") => {
                self.close_p();
                if self.current().in_set(class::HEADING) {
                    self.pop();
                }
                self.insert(tag);
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
            | name!("title") => return self.start_in_head(tag),
            name!("html") => {
                if !self.any_open(name!("template"))
                    && let Some(root) = self.open.first()
                {
                    self.add_attributes(root.id, tag);
                }
            }
            name!("body") => {
                if let Some(&body) = self.open.get(1)
                    && body.is(name!("body"))
                    && !self.any_open(name!("template"))
                {
                    self.frameset_ok = false;
                    self.add_attributes(body.id, tag);
                }
            }
            name!("frameset") => {
                if let Some(&body) = self.open.get(1)
                    && body.is(name!("body"))
                    && self.frameset_ok
                {
                    self.unlink(body.id);
                    self.truncate(1);
                    self.insert(tag);
                    self.mode = Mode::InFrameset;
                }
            }
            name!("pre") | name!("listing") => {
                self.close_p();
                self.insert(tag);
                self.ignore_line_end = true;
                self.frameset_ok = false;
            }
            name!("form") => {
                let in_template = self.any_open(name!("template"));
                if self.form == super::NONE || in_template {
                    self.close_p();
                    let form = self.insert(tag);
                    if !in_template {
                        self.form = form;
                    }
                }
            }
            name!("plaintext") => {
                self.close_p();
                self.insert(tag);
                self.raw = Raw::Plain;
            }
            name!("button") => {
                if self.in_scope(name!("button"), SCOPE) {
                    self.generate_implied_end_tags();
                    self.pop_until_named(name!("button"));
                }
                self.reconstruct();
                self.insert(tag);
                self.frameset_ok = false;
            }
            name!("nobr") => {
                self.reconstruct();
                if self.in_scope(name!("nobr"), SCOPE) {
                    self.adoption_agency(name!("nobr"));
                    self.reconstruct();
                }
                self.insert_formatting(tag);
            }
            name!("applet") | name!("marquee") | name!("object") => {
                self.reconstruct();
                self.insert(tag);
                self.push_marker();
                self.frameset_ok = false;
            }
            name!("table") => {
                if !self.quirks {
                    self.close_p();
                }
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            name!("input") => {
                if self.in_scope(name!("select"), SCOPE) {
                    self.pop_until_named(name!("select"));
                }
                self.reconstruct();
                self.insert_closed(tag);
                if self.frameset_ok && !self.is_hidden_input(tag) {
                    self.frameset_ok = false;
                }
            }
            name!("param") | name!("source") | name!("track") => {
                self.insert_closed(tag);
            }
            name!("hr") => {
                self.close_p();
                if self.in_scope(name!("select"), SCOPE) {
                    self.generate_implied_end_tags();
                }
                self.insert_closed(tag);
                self.frameset_ok = false;
            }
            name!("image") => {
                return self.start_in_body(&Tag { name: name!("img"), ..*tag });
            }
            name!("textarea") => {
                self.ignore_line_end = true;
                self.frameset_ok = false;
                return self.insert_raw(tag, Raw::Text);
            }
            name!("xmp") => {
                self.close_p();
                self.reconstruct();
                self.frameset_ok = false;
                return self.insert_raw(tag, Raw::Verbatim);
            }
            name!("iframe") => {
                self.frameset_ok = false;
                return self.insert_raw(tag, Raw::Verbatim);
            }
            name!("noembed") | name!("noscript") => return self.insert_raw(tag, Raw::Verbatim),
            name!("select") => {
                if self.in_scope(name!("select"), SCOPE) {
                    self.pop_until_named(name!("select"));
                } else {
                    self.reconstruct();
                    self.insert(tag);
                    self.frameset_ok = false;
                }
            }
            name!("option") | name!("optgroup") => {
                if self.in_scope(name!("select"), SCOPE) {
                    match tag.name {
                        name!("option") => self.generate_implied_end_tags_except(name!("optgroup")),
                        _ => self.generate_implied_end_tags(),
                    }
                } else if self.current_is(name!("option")) {
                    self.pop();
                }
                self.reconstruct();
                self.insert(tag);
            }
            name!("rb") | name!("rtc") | name!("rp") | name!("rt") => {
                if self.in_scope(name!("ruby"), SCOPE) {
                    match tag.name {
                        name!("rb") | name!("rtc") => self.generate_implied_end_tags(),
                        _ => self.generate_implied_end_tags_except(name!("rtc")),
                    }
                }
                self.insert(tag);
            }
            name!("math") => {
                self.reconstruct();
                self.insert_foreign(tag, Space::MathMl);
            }
            name!("svg") => {
                self.reconstruct();
                self.insert_foreign(tag, Space::Svg);
            }
            name!("caption")
            | name!("col")
            | name!("colgroup")
            | name!("frame")
            | name!("head")
            | name!("tbody")
            | name!("td")
            | name!("tfoot")
            | name!("th")
            | name!("thead")
            | name!("tr") => {}
            _ => {
                self.reconstruct();
                self.insert(tag);
            }
        }
        Then::Done
    }

    /// `<li>`, `<dd>`, `<dt>`: closes the item before.
    fn start_item(&mut self, tag: &Tag) {
        self.frameset_ok = false;
        let is_list = tag.name == name!("li");
        for index in (0..self.open.len()).rev() {
            let open = self.open[index];
            let closes = match is_list {
                true => open.is(name!("li")),
                false => open.is(name!("dd")) || open.is(name!("dt")),
            };
            if closes {
                self.generate_implied_end_tags_except(open.name);
                self.pop_until_named(open.name);
                break;
            }
            let passes = matches!(open.name, name!("address") | name!("div") | name!("p"));
            if open.in_set(class::SPECIAL) && !passes {
                break;
            }
        }
        self.close_p();
        self.insert(tag);
    }

    pub(super) fn is_hidden_input(&self, tag: &Tag) -> bool {
        self.attribute(tag, name!("type")).is_some_and(|t| t.eq_ignore_ascii_case("hidden"))
    }

    pub(super) fn end_in_body(&mut self, tag: &Tag) -> Then {
        match tag.name {
            name!("address")
            | name!("article")
            | name!("aside")
            | name!("blockquote")
            | name!("button")
            | name!("center")
            | name!("details")
            | name!("dialog")
            | name!("dir")
            | name!("div")
            | name!("dl")
            | name!("fieldset")
            | name!("figcaption")
            | name!("figure")
            | name!("footer")
            | name!("header")
            | name!("hgroup")
            | name!("listing")
            | name!("main")
            | name!("menu")
            | name!("nav")
            | name!("ol")
            | name!("pre")
            | name!("search")
            | name!("section")
            | name!("select")
            | name!("summary")
            | name!("ul") => self.close_element(tag.name),
            name!("p") => {
                if !self.in_scope(name!("p"), SCOPE | BUTTON) {
                    self.insert(&Tag::implied(name!("p")));
                }
                self.close_p_in_scope();
            }
            name!("a")
            | name!("b")
            | name!("big")
            | name!("code")
            | name!("em")
            | name!("font")
            | name!("i")
            | name!("nobr")
            | name!("s")
            | name!("small")
            | name!("strike")
            | name!("strong")
            | name!("tt")
            | name!("u") => self.adoption_agency(tag.name),
            name!("li") | name!("dd") | name!("dt") => {
                let ends = if tag.name == name!("li") { SCOPE | LIST } else { SCOPE };
                if self.in_scope(tag.name, ends) {
                    self.generate_implied_end_tags_except(tag.name);
                    self.pop_until_named(tag.name);
                }
            }
            name!("h1") | name!("h2") | name!("h3") | name!("h4") | name!("h5") | name!("h6") => {
                if self.find_in_scope(|open| open.in_set(class::HEADING), SCOPE) {
                    self.generate_implied_end_tags();
                    self.pop_until(|open| open.in_set(class::HEADING));
                }
            }
            name!("template") => return self.end_template(),
            name!("body") => {
                if self.in_scope(name!("body"), SCOPE) {
                    self.mode = Mode::AfterBody;
                }
            }
            name!("html") => {
                if self.in_scope(name!("body"), SCOPE) {
                    return self.again(Mode::AfterBody);
                }
            }
            name!("form") => self.end_form(),
            name!("applet") | name!("marquee") | name!("object") => {
                if self.in_scope(tag.name, SCOPE) {
                    self.close_element(tag.name);
                    self.clear_to_marker();
                }
            }
            name!("br") => return self.start_in_body(&Tag::implied(name!("br"))),
            _ => self.any_other_end_tag(tag.name),
        }
        Then::Done
    }

    /// Closes an element that is in scope.
    #[inline]
    fn close_element(&mut self, name: Name) {
        // Mostly the current node is meant.
        if self.current_is(name) {
            self.pop();
        } else if self.in_scope(name, SCOPE) {
            self.generate_implied_end_tags();
            self.pop_until_named(name);
        }
    }

    fn end_form(&mut self) {
        if self.any_open(name!("template")) {
            return self.close_element(name!("form"));
        }
        let form = std::mem::replace(&mut self.form, super::NONE);
        if form != super::NONE && self.find_in_scope(|open| open.id == form, SCOPE) {
            self.generate_implied_end_tags();
            self.remove_from_stack(form);
        }
    }

    pub(super) fn any_other_end_tag(&mut self, name: Name) {
        for index in (0..self.open.len()).rev() {
            let open = self.open[index];
            if open.is(name) {
                self.generate_implied_end_tags_except(name);
                return self.truncate(index);
            }
            if open.in_set(class::SPECIAL) {
                return;
            }
        }
    }
}

//! Features of visible leaves (Spengler & Gallinari 2009, §2.3): words, attribute values, names of
//! the ancestors, surrounding comments, siblings, depth, frames, and patterns of dates and times;
//! no conjunctions. Each has a name (`word:bridge`, `in:table`, `attr:class=story`), by which a model
//! knows it; most are there or not (1), siblings and depth are numbers.
//!
//! The paper took its style features from a browser. Here style is what markup says of it: inline
//! declarations and presentational attributes, all named `style:…`. Must not know: labels, models.

use std::fmt::Write;

use crate::html::name;

use crate::extract::dom::{Dom, Id, Kind};
use crate::extract::metadata::dates;
use crate::extract::page::PageBlocks;
use crate::extract::text;

/// How many ancestors are looked at, and whose attributes and comments are.
const ANCESTORS: usize = 24;
const NAMED: usize = 10;
const STYLED: usize = 3;
const COMMENTED: usize = 3;
/// Siblings that are counted, at most.
const SIBLINGS: usize = 1_000;
/// At most so many words of a leaf, of an attribute's value and of a comment.
const WORDS: usize = 400;
const VALUE_WORDS: usize = 8;
/// Longer names are cut, in characters.
const CLIP: usize = 40;
/// Siblings that are passed in search of a comment.
const REACH: usize = 4;
/// Longer leaves are not date lines, in bytes.
const LINE: usize = 120;

/// What a style feature's name begins with.
pub const STYLE: &str = "style:";
/// The feature that every leaf has.
pub const ALWAYS: &str = "leaf";

/// Calls `each` with the name and value of every feature of leaf `index`; a name may come twice.
pub fn leaf(page: &PageBlocks, index: usize, each: &mut dyn FnMut(&str, f32)) {
    let Some(block) = page.blocks.list.get(index) else { return };
    let mut out = Out { name: String::new(), each };
    out.says(ALWAYS, "");
    words(page.text(index), &mut out);
    patterns(page.text(index), &mut out);
    place(&page.dom, block.first, &mut out);
    attributes(&page.dom, block.first, &mut out);
    comments(&page.dom, block.first, &mut out);
}

struct Out<'a> {
    name: String,
    each: &'a mut dyn FnMut(&str, f32),
}

impl Out<'_> {
    /// The feature `kind` + `value`, in lower case and cut.
    fn says(&mut self, kind: &str, value: &str) {
        self.name.clear();
        self.name.push_str(kind);
        let lower = value.chars().flat_map(char::to_lowercase).filter(|c| !c.is_control());
        self.name.extend(lower.take(CLIP));
        (self.each)(&self.name, 1.0);
    }

    /// The feature `kind` + `key` + `=` + `value`.
    fn pair(&mut self, kind: &str, key: &str, value: &str) {
        let mut both = String::with_capacity(key.len() + value.len() + 1);
        // Writing to a string cannot fail.
        let _ = write!(both, "{key}={value}");
        self.says(kind, &both);
    }

    fn number(&mut self, kind: &str, value: usize) {
        (self.each)(kind, value as f32);
    }
}

/// Each word; of scripts without spaces each pair of characters.
fn words(text: &str, out: &mut Out<'_>) {
    for range in text::words(text).take(WORDS) {
        let word = &text[range];
        if !word.starts_with(text::is_spaceless) {
            out.says("word:", word);
            continue;
        }
        let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).take(WORDS).collect();
        match starts.as_slice() {
            [_] => out.says("word:", word),
            starts => {
                for (i, pair) in starts.windows(2).enumerate() {
                    let end = starts.get(i + 2).copied().unwrap_or_else(|| {
                        pair[1] + word[pair[1]..].chars().next().map_or(0, char::len_utf8)
                    });
                    out.says("word:", &word[pair[0]..end]);
                }
            }
        }
    }
}

fn patterns(text: &str, out: &mut Out<'_>) {
    if text.is_empty() {
        out.says("is:picture", "");
        return;
    }
    if text.len() <= LINE && dates::parse(text, None).is_some() {
        out.says("is:date", "");
    }
    let lower = text.to_lowercase();
    if text::words(&lower).take(WORDS).any(|w| dates::names_weekday(&lower[w])) {
        out.says("is:weekday", "");
    }
    let bytes = text.as_bytes();
    let digits = |from: usize, n: usize| {
        bytes.get(from..from + n).is_some_and(|w| w.iter().all(u8::is_ascii_digit))
    };
    let is_time =
        |i: usize| matches!(bytes[i], b':' | b'h') && i > 0 && digits(i - 1, 1) && digits(i + 1, 2);
    if (0..bytes.len()).any(is_time) {
        out.says("is:time", "");
    }
    let is_year = |i: usize| {
        digits(i, 4)
            && (bytes[i..].starts_with(b"19") || bytes[i..].starts_with(b"20"))
            && !(i > 0 && digits(i - 1, 1))
            && !digits(i + 4, 1)
    };
    if (0..bytes.len()).any(is_year) {
        out.says("is:year", "");
    }
    if text.contains('@') && text.contains('.') {
        out.says("is:address", "");
    }
    if text.contains(['©', 'Ⓒ']) || lower.contains("(c)") {
        out.says("is:copyright", "");
    }
    if !text.contains(char::is_alphabetic) {
        out.says(if text.contains(char::is_numeric) { "is:number" } else { "is:sign" }, "");
    } else if !text.contains(char::is_lowercase) && text.contains(char::is_uppercase) {
        out.says("is:capitals", "");
    }
    if text
        .trim_end_matches(['"', '”', '\'', '’', ')'])
        .ends_with(['.', '!', '?', '。', '！', '？'])
    {
        out.says("is:sentence", "");
    }
}

/// Names of the ancestors, siblings, depth, frames.
fn place(dom: &Dom, first: Id, out: &mut Out<'_>) {
    if dom.element(first).is_some() {
        out.says("is:", dom.name(first));
    }
    for (level, id) in dom.ancestors(first).take(ANCESTORS).enumerate() {
        if dom.element(id).is_none() {
            continue;
        }
        if level == 0 {
            out.says("parent:", dom.name(id));
        }
        out.says("in:", dom.name(id));
    }
    out.number("depth", dom.ancestors(first).count());
    let siblings =
        dom.parent(first).map_or(0, |parent| dom.children(parent).take(SIBLINGS).count());
    out.number("siblings", siblings.saturating_sub(1));
    if dom.name(first) == "iframe" || dom.ancestors(first).any(|a| dom.name(a) == "iframe") {
        out.says("frame", "");
    }
}

/// Values of attributes, whole and word by word: of the leaf's own element and its parent all, of
/// further ancestors class, id and role.
fn attributes(dom: &Dom, first: Id, out: &mut Out<'_>) {
    let chain = std::iter::once(first).chain(dom.ancestors(first));
    let elements = chain.filter_map(|id| dom.element(id)).take(NAMED);
    for (level, element) in elements.enumerate() {
        for attribute in element.attributes() {
            let (_, name) = dom.adjusted(element.id, &attribute);
            let (name, value) = (name.as_str(), &*attribute.value());
            if name == "style" {
                if level < STYLED {
                    declarations(value, out);
                }
                continue;
            }
            if is_presentational(name) {
                if level < STYLED {
                    out.pair(STYLE, name, value);
                }
                continue;
            }
            let near = level <= usize::from(dom.element(first).is_some());
            let of_place =
                matches!(attribute.name, Some(name!("class") | name!("id") | name!("role")));
            if near || of_place {
                values(if near { "attr:" } else { "above:" }, name, value, out);
            }
        }
    }
}

fn values(kind: &str, name: &str, value: &str, out: &mut Out<'_>) {
    let parts = value.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty());
    let mut count = 0;
    for part in parts.take(VALUE_WORDS) {
        out.pair(kind, name, part);
        count += 1;
    }
    if count > 1 && value.len() <= CLIP {
        out.pair(kind, name, value);
    }
    if count == 0 {
        out.pair(kind, name, "");
    }
}

/// Attributes that only say how an element looks.
fn is_presentational(name: &str) -> bool {
    matches!(
        name,
        "align"
            | "valign"
            | "width"
            | "height"
            | "color"
            | "bgcolor"
            | "background"
            | "face"
            | "size"
            | "border"
            | "cellpadding"
            | "cellspacing"
            | "hspace"
            | "vspace"
            | "nowrap"
            | "clear"
    )
}

fn declarations(style: &str, out: &mut Out<'_>) {
    for declaration in style.split(';').take(VALUE_WORDS) {
        if let Some((property, value)) = declaration.split_once(':') {
            out.pair(STYLE, property.trim(), value.trim());
        }
    }
}

/// Words of the comments next to the leaf and to its nearest ancestors.
fn comments(dom: &Dom, first: Id, out: &mut Out<'_>) {
    for id in std::iter::once(first).chain(dom.ancestors(first)).take(COMMENTED) {
        let before = std::iter::successors(dom.prev_sibling(id), |&s| dom.prev_sibling(s));
        if let Some(comment) = before.take(REACH).find_map(|s| comment(dom, s)) {
            values("note:", "before", comment, out);
        }
        let after = std::iter::successors(dom.next_sibling(id), |&s| dom.next_sibling(s));
        if let Some(comment) = after.take(REACH).find_map(|s| comment(dom, s)) {
            values("note:", "after", comment, out);
        }
    }
}

fn comment<'a>(dom: &'a Dom<'_>, id: Id) -> Option<&'a str> {
    let node = dom.node(id).filter(|node| node.kind() == Kind::Comment)?;
    dom.characters(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Profile;
    use crate::extract::dom::Limits;

    fn names(html: &str, index: usize) -> Vec<String> {
        let page = PageBlocks::read(html, Profile::Leaf2009, &Limits::default());
        let mut names = Vec::new();
        leaf(&page, index, &mut |name, value| match value {
            1.0 => names.push(name.to_owned()),
            value => names.push(format!("{name} {value}")),
        });
        names
    }

    fn check(html: &str, index: usize, with: &[&str], without: &[&str]) {
        let found = names(html, index);
        for name in with {
            assert!(found.iter().any(|f| f == name), "{html}: {name} not in {found:?}");
        }
        for name in without {
            assert!(!found.iter().any(|f| f == name), "{html}: {name} in {found:?}");
        }
    }

    #[test]
    fn a_leaf_is_described_by_words_markup_and_place() {
        let page = "<div id=top class='Story-Head big'><!-- begin story --><h1 itemprop=headline>The \
                    Bridge</h1><p align=left style='margin: 4px'><a href=/tag/sport>Sport</a> | \
                    x</p></div>";
        check(
            page,
            0,
            &[
                "leaf",
                "word:the",
                "word:bridge",
                "parent:h1",
                "in:h1",
                "in:div",
                "in:body",
                "attr:itemprop=headline",
                "above:class=story",
                "above:class=story-head big",
                "above:id=top",
                "note:before=story",
                "note:before= begin story ",
                "depth 5",
                "siblings 0",
            ],
            &["frame", "parent:div", "word:sport", "is:date"],
        );
        check(
            page,
            1,
            &["attr:href=tag", "parent:a", "in:p", "style:align=left", "style:margin=4px"],
            &["attr:align=left"],
        );
        check(page, 2, &["word:x", "siblings"], &["parent:a"]);
    }

    #[test]
    fn patterns_are_seen() {
        let check = |text: &str, with: &[&str], without: &[&str]| {
            check(&format!("<p>{text}"), 0, with, without);
        };
        check(
            "Friday, 20 November 2026, 14:05",
            &["is:date", "is:weekday", "is:time", "is:year"],
            &["is:sentence"],
        );
        check("It cost 12026 in May.", &["is:sentence"], &["is:year", "is:time", "is:date"]);
        check("© 1999", &["is:copyright", "is:number", "is:year"], &["is:capitals"]);
        check("REUTERS", &["is:capitals"], &["is:sign"]);
        check("|", &["is:sign"], &["is:number"]);
        check("写真を見る", &["word:写真", "word:見る"], &["word:写真を見る"]);
        check("市", &["word:市"], &[]);
    }

    #[test]
    fn pictures_and_frames_are_leaves_without_words() {
        let page = "<p><img src=/a/bridge.jpg alt='Old Bridge'><iframe src=ads.html></iframe>";
        check(page, 0, &["is:picture", "is:img", "attr:alt=bridge", "attr:src=jpg"], &["frame"]);
        check(page, 1, &["is:picture", "frame", "attr:src=ads"], &["is:img"]);
        assert_eq!(names(page, 2), Vec::<String>::new());
    }
}

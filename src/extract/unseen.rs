//! What a page keeps from sight by what it says itself: `hidden`, inline declarations, its own style
//! sheets for tags, classes and ids, in the order of the cascade (CSS Cascading Level 4 §6).
//!
//! Sheets and scripts that are loaded are not known here, so this tells less than a browser sees.
//! Work is counted: beyond [`MAX_MATCHES`] tests of compound selectors, these hide nothing. Memory:
//! [`MAX_SELECTORS`] rules, and four bytes for each node. Must not know: blocks, labels.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::dom::{Dom, Element, Id, NONE};
use crate::html::name;

mod css;
mod selector;

use css::{Declaration, Effect, Property};
use selector::Selector;

/// Elements compared with compound selectors of one page.
const MAX_MATCHES: u64 = 4_000_000;
/// Selectors kept of one page's sheets; each may take some hundred bytes.
const MAX_SELECTORS: u32 = 50_000;

/// Which elements of a page nobody sees.
#[derive(Debug, Default)]
pub struct Unseen {
    /// Of each node the outermost element that hides it, [`NONE`] if it is seen; empty if all is.
    by: Vec<Id>,
    /// Something that would be hidden is the part that readers pay for, and counts as seen.
    pub paid: bool,
    /// The page's sheets took more work than is done: what they hide is not all known.
    pub full: bool,
}

impl Unseen {
    /// The outermost element that keeps a node from sight.
    #[inline]
    pub fn by(&self, id: Id) -> Option<Id> {
        self.by.get(id as usize).copied().filter(|&by| by != NONE)
    }
}

/// Finds what a page hides. `html` is the text that the tree was made of.
pub fn of(html: &str, dom: &Dom) -> Unseen {
    let sheets = Sheets::of(html);
    let declared = declared_paid(html);
    let mut paid = false;
    let mut budget = MAX_MATCHES;
    let mut own: Vec<(Id, Own)> = Vec::new();
    for id in 0..dom.nodes.len() as Id {
        let Some(element) = dom.element(id) else { continue };
        // What hides the whole page is taken away by a script, or there is no page.
        if matches!(element.tag, name!("html") | name!("body")) {
            continue;
        }
        let found = sheets.own(dom, id, element, &mut budget);
        if hides(&found) && is_paid(dom, id, element, &declared, &mut budget) {
            paid = true;
        } else if found != Own::default() {
            own.push((id, found));
        }
    }
    let any = own.iter().any(|(_, own)| hides(own));
    Unseen {
        by: if any { inherit(dom, &own) } else { Vec::new() },
        paid,
        full: sheets.full || budget == 0,
    }
}

/// Is the element the part of an article that readers pay for? Publishers send it hidden behind the
/// opening paragraphs, and a script shows it to subscribers.
fn is_paid(
    dom: &Dom,
    id: Id,
    element: Element<'_>,
    declared: &[Selector],
    budget: &mut u64,
) -> bool {
    let named = |value: &str| value.to_ascii_lowercase().contains("paywall");
    let by_name = element
        .attributes()
        .any(|a| matches!(a.name, Some(name!("class") | name!("id"))) && named(&a.value()));
    by_name
        || is_streamed(element)
        || declared.iter().any(|selector| selector.matches(dom, id, budget))
}

/// Is it a part that a server of React sent after the rest? It comes hidden under a name such as `S:0`,
/// and a script puts it where it belongs at once.
fn is_streamed(element: Element<'_>) -> bool {
    let part = |id: &str| {
        let number = id.strip_prefix("S:").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    element.attributes().any(|a| matches!(a.name, Some(name!("id"))) && part(&a.value()))
}

/// What the page's linked data names as its paid part (schema.org `hasPart.cssSelector`).
fn declared_paid(html: &str) -> Vec<Selector> {
    const NAME: &str = "\"cssSelector\"";
    const MOST: usize = 8;
    let places = memchr::memmem::find_iter(html.as_bytes(), NAME).take(MOST);
    let values = places.filter_map(|at| {
        let rest = html.get(at + NAME.len()..)?.trim_start().strip_prefix(':')?.trim_start();
        rest.strip_prefix('"')?.split('"').next().filter(|value| value.len() <= 200)
    });
    values.flat_map(selector::parse).take(MOST).collect()
}

fn hides(own: &Own) -> bool {
    own.gone || own.invisible == Some(true) || own.tiny == Some(true)
}

/// The rules of a page's sheets that matter, found by what they name last.
#[derive(Default)]
struct Sheets {
    /// Those of a class, an id or a tag alone.
    plain: HashMap<Name, Vec<Weighted>>,
    /// Others, by a class, an id or a tag of theirs.
    others: HashMap<Name, Vec<(Selector, Vec<Weighted>)>>,
    /// There were more selectors than are kept.
    full: bool,
}

/// What an element may be found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Class(String),
    Id(String),
    Tag(String),
    Any,
}

/// A declaration and how much it weighs against others.
#[derive(Clone, Copy, Debug)]
struct Weighted {
    declaration: Declaration,
    specificity: (u16, u16, u16),
    order: u32,
}

impl Sheets {
    fn of(html: &str) -> Sheets {
        let mut sheets = Sheets::default();
        let (mut order, mut hides) = (0u32, false);
        for (media, sheet) in styles(html) {
            css::rules(sheet, &media, &mut |rule| {
                let mut found = Vec::new();
                css::declarations(rule.block, &mut |d| found.push(d));
                if found.is_empty() {
                    return;
                }
                for selector in selector::parse(rule.selectors) {
                    if order >= MAX_SELECTORS {
                        sheets.full = true;
                        return;
                    }
                    order += 1;
                    let sure = rule.sure && !selector.loose && !selector.of_page();
                    let weighted = |&declaration: &Declaration| Weighted {
                        declaration,
                        specificity: selector.specificity,
                        order,
                    };
                    let kept = found.iter().filter(|d| sure || d.effect != Effect::Hides);
                    let kept: Vec<Weighted> = kept.map(weighted).collect();
                    hides |= kept.iter().any(|w| w.declaration.effect == Effect::Hides);
                    sheets.add(selector, kept);
                }
            });
        }
        let full = sheets.full;
        if hides { sheets } else { Sheets { full, ..Sheets::default() } }
    }

    fn add(&mut self, selector: Selector, found: Vec<Weighted>) {
        let last = &selector.last;
        let name = match (last.ids.first(), last.classes.first(), &last.tag) {
            (Some(id), _, _) => Name::Id(id.clone()),
            (_, Some(class), _) => Name::Class(class.clone()),
            (_, _, Some(tag)) => Name::Tag(tag.clone()),
            _ => Name::Any,
        };
        if !selector.is_plain() {
            self.others.entry(name).or_default().push((selector, found));
            return;
        }
        // Of one name, the last of each property wins.
        let known = self.plain.entry(name).or_default();
        for new in found {
            let of = |d: &Declaration| (d.property, d.important);
            match known.iter_mut().find(|k| of(&k.declaration) == of(&new.declaration)) {
                Some(old) => *old = new,
                None => known.push(new),
            }
        }
    }

    /// What all declarations for an element come to.
    fn own(&self, dom: &Dom, id: Id, element: Element<'_>, budget: &mut u64) -> Own {
        let mut cascade = Cascade::default();
        let mut style = None;
        let sheets = !(self.plain.is_empty() && self.others.is_empty());
        let mut named = |name: Name, cascade: &mut Cascade| {
            if *budget == 0 {
                return;
            }
            *budget -= 1;
            for weighted in self.plain.get(&name).into_iter().flatten() {
                cascade.put(weighted, false);
            }
            for (selector, found) in self.others.get(&name).into_iter().flatten() {
                if selector.matches(dom, id, budget) {
                    found.iter().for_each(|weighted| cascade.put(weighted, false));
                }
            }
        };
        for attribute in element.attributes() {
            match attribute.name {
                Some(name!("hidden")) => cascade.put(&HIDDEN, false),
                Some(name!("style")) => style = Some(attribute.value()),
                Some(name!("class")) if sheets => {
                    for class in attribute.value().split_ascii_whitespace() {
                        named(Name::Class(class.to_owned()), &mut cascade);
                    }
                }
                Some(name!("id")) if sheets => {
                    named(Name::Id(attribute.value().into_owned()), &mut cascade);
                }
                _ => {}
            }
        }
        if sheets {
            named(Name::Tag(dom.name(id).to_owned()), &mut cascade);
            named(Name::Any, &mut cascade);
        }
        if let Some(style) = style {
            css::declarations(&style, &mut |declaration| {
                cascade.order += 1;
                let order = cascade.order;
                cascade.put(&Weighted { declaration, specificity: (0, 0, 0), order }, true);
            });
        }
        cascade.own()
    }
}

/// The attribute `hidden`, which any declaration overrules (HTML §15.3.1).
const HIDDEN: Weighted = Weighted {
    declaration: Declaration {
        property: Property::Display,
        effect: Effect::Hides,
        important: false,
    },
    specificity: (0, 0, 0),
    order: 0,
};

/// Important or not, inline or not, specificity, place.
type Rank = (bool, bool, (u16, u16, u16), u32);

/// The declaration that wins, of each property.
#[derive(Default)]
struct Cascade {
    best: [Option<(Rank, Effect)>; Property::COUNT],
    /// Inline declarations so far.
    order: u32,
}

impl Cascade {
    fn put(&mut self, weighted: &Weighted, inline: bool) {
        let Declaration { property, effect, important } = weighted.declaration;
        let rank = (important, inline, weighted.specificity, weighted.order);
        if let Some(best) = self.best.get_mut(property as usize)
            && best.is_none_or(|(before, _)| before <= rank)
        {
            *best = Some((rank, effect));
        }
    }

    fn own(&self) -> Own {
        let effect = |p: Property| self.best.get(p as usize).copied().flatten().map(|(_, e)| e);
        let hides = |p: Property| effect(p) == Some(Effect::Hides);
        let set = |p: Property| match effect(p) {
            Some(Effect::Hides) => Some(true),
            Some(Effect::Shows) => Some(false),
            Some(Effect::Inherits) | None => None,
        };
        let away = [Property::Left, Property::Top, Property::Right, Property::Bottom];
        let out =
            hides(Property::Position) && (away.into_iter().any(hides) || hides(Property::Clip));
        let alone = [Property::Display, Property::Opacity, Property::Indent, Property::ClipPath];
        Own {
            gone: out || alone.into_iter().any(hides),
            invisible: set(Property::Visibility),
            tiny: set(Property::FontSize),
        }
    }
}

/// `media` and text of the page's style sheets. Those of `<noscript>` are for readers without scripts.
fn styles(html: &str) -> Vec<(String, &str)> {
    static STARTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostFirst)
            .build([
                "<!--",
                "<style",
                "<script",
                "<noscript",
                "<textarea",
                "<title",
                "<iframe",
                "<xmp",
            ])
            .expect("a few short words")
    });
    let mut found = Vec::new();
    let bytes = html.as_bytes();
    let mut at = 0;
    while let Some(start) = html.get(at..).and_then(|rest| STARTS.find(rest)) {
        let (from, behind) = (at + start.start(), at + start.end());
        let name = html.get(from + 1..behind).unwrap_or_default();
        if name == "!--" {
            let end = memchr::memmem::find(&bytes[behind..], b"-->");
            at = end.map_or(html.len(), |n| behind + n + 3);
            continue;
        }
        if !bytes.get(behind).is_some_and(|b| b" \t\n\r\x0c/>".contains(b)) {
            at = behind;
            continue;
        }
        let Some(tag) = tag_end(bytes, behind) else { break };
        let end = raw_end(bytes, tag, name);
        if name.eq_ignore_ascii_case("style") {
            let inside = html.get(behind..tag - 1).unwrap_or_default();
            found.push((media(inside), html.get(tag..end).unwrap_or_default()));
        }
        at = end;
    }
    found
}

/// Behind the `>` of a tag.
fn tag_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', bytes.get(at..)?)?;
        if bytes[at] == b'>' {
            return Some(at + 1);
        }
        at += memchr::memchr(bytes[at], bytes.get(at + 1..)?)? + 2;
    }
}

/// Where the end tag of a raw text begins, or the end of the page.
fn raw_end(bytes: &[u8], from: usize, name: &str) -> usize {
    let rest = &bytes[from..];
    memchr::memmem::find_iter(rest, b"</")
        .find(|lt| {
            let after = rest.get(lt + 2..lt + 2 + name.len());
            after.is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
        })
        .map_or(bytes.len(), |lt| from + lt)
}

/// The value of `media` in the inside of a `<style>` tag.
fn media(inside: &str) -> String {
    let lower = inside.to_ascii_lowercase();
    let value = lower.split_once("media").and_then(|(_, v)| v.trim_start().strip_prefix('='));
    let value = value.map_or("", str::trim_start);
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default().to_owned(),
        _ => value.split_ascii_whitespace().next().unwrap_or_default().to_owned(),
    }
}

/// What an element's own declarations say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Own {
    /// Taken away with all that is in it.
    gone: bool,
    /// `visibility`, which descendants may set again.
    invisible: Option<bool>,
    /// A size of nothing, which descendants may set again.
    tiny: Option<bool>,
}

/// Carries what elements say to what is in them.
fn inherit(dom: &Dom, own: &[(Id, Own)]) -> Vec<Id> {
    #[derive(Clone, Copy, Default)]
    struct State {
        gone: Option<Id>,
        invisible: Option<Id>,
        tiny: Option<Id>,
    }
    impl State {
        fn by(self) -> Id {
            self.gone.or(self.invisible).or(self.tiny).unwrap_or(NONE)
        }
    }
    let mut by = vec![NONE; dom.nodes.len()];
    // States that differ from the parent's, of the elements that are open.
    let mut open: Vec<(Id, State)> = Vec::new();
    let mut at = dom.first_child(dom.root()).unwrap_or(NONE);
    while at != NONE {
        while open.last().is_some_and(|(end, _)| *end == at) {
            open.pop();
        }
        let mut state = open.last().map(|(_, state)| *state).unwrap_or_default();
        if let Ok(found) = own.binary_search_by_key(&at, |(id, _)| *id) {
            let own = own[found].1;
            let set = |now: Option<bool>, before: Option<Id>| match now {
                Some(true) => before.or(Some(at)),
                Some(false) => None,
                None => before,
            };
            if own.gone && state.gone.is_none() {
                // What already hides it from further out goes on to name it.
                state.gone = Some(state.invisible.or(state.tiny).unwrap_or(at));
            }
            state.invisible = set(own.invisible, state.invisible);
            state.tiny = set(own.tiny, state.tiny);
            let end = dom.after(at, dom.root());
            if dom.first_child(at).is_some() {
                open.push((end, state));
            }
        }
        if let Some(slot) = by.get_mut(at as usize) {
            *slot = state.by();
        }
        at = dom.first_child(at).unwrap_or_else(|| dom.after(at, dom.root()));
    }
    by
}

#[cfg(test)]
mod tests;

//! What a selector asks of an element beside its names: attributes, its place among its siblings, other
//! selectors. Must not know: how they are written in a row.

use crate::extract::dom::{Dom, Id};
use crate::html::{Name, name};

use super::super::escape;
use super::names::begins_name;
use super::{List, Marks, Selector, element_before};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Attribute(Attribute),
    Nth(Nth),
    /// One of these matches.
    Any(List),
    /// None of these does.
    None(List),
    /// One of these matches an element inside of it; or, where it is said, right below it.
    Has(Vec<(bool, Selector)>),
    /// Where it stands, seen from a shadow root.
    Shadow(Place, Id),
    /// Nothing is in it but comments.
    Empty,
    /// It is in this language, or in a kind of it.
    Lang(String),
    /// Its text runs from right to left, or not.
    Leftward(bool),
}

impl Test {
    /// The bit of the attribute that it asks for.
    pub fn attribute(&self) -> u16 {
        match self {
            Test::Attribute(Attribute { known: Some(known), .. }) => known.bit(),
            Test::Attribute(_) => Name::OTHERS,
            _ => 0,
        }
    }

    /// The name of that attribute, in small letters.
    pub fn attribute_name(&self) -> Option<String> {
        match self {
            Test::Attribute(attribute) => Some(attribute.name.to_ascii_lowercase()),
            _ => None,
        }
    }

    pub fn fits(&self, dom: &Dom, id: Id, own: &[Marks], budget: &mut u64) -> bool {
        match self {
            Test::Any(list) => list.iter().any(|s| s.matches(dom, id, own, budget)),
            Test::None(list) => !list.iter().any(|s| s.matches(dom, id, own, budget)),
            Test::Attribute(attribute) => attribute.fits(dom, id, budget),
            Test::Nth(nth) => nth.fits(dom, id, budget),
            Test::Has(tests) => tests.iter().any(|(below, selector)| {
                let mut fits = |id: Id| *budget == 0 || selector.matches(dom, id, own, budget);
                match below {
                    true => dom.children(id).any(&mut fits),
                    false => dom.descend(id).filter(|&inner| inner != id).any(&mut fits),
                }
            }),
            Test::Shadow(Place::Host, root) => dom.parent(*root) == Some(id),
            Test::Shadow(Place::Slotted, root) => {
                dom.parent(*root).is_some_and(|host| dom.parent(id) == Some(host))
            }
            Test::Shadow(Place::Inside, root) => dom.ancestors(id).any(|above| {
                *budget = budget.saturating_sub(1);
                above == *root
            }),
            Test::Shadow(Place::Outside, _) => !dom.ancestors(id).any(|above| {
                *budget = budget.saturating_sub(1);
                dom.tag(above) == Some(name!("template"))
            }),
            Test::Empty => dom.children(id).all(|id| {
                *budget = budget.saturating_sub(1);
                dom.element(id).is_none() && dom.text(id).is_none_or(str::is_empty)
            }),
            Test::Lang(asked) => is_in(dom, id, asked, budget),
            Test::Leftward(asked) => direction(dom, id, budget) == Some(*asked),
        }
    }

    /// `:lang()` of one language (Selectors Level 4 §7.2).
    pub fn lang(inside: &str) -> Option<Test> {
        let asked = inside.trim_ascii().trim_matches(['"', '\'']);
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        let known = !asked.is_empty() && asked.bytes().all(plain);
        known.then(|| Test::Lang(asked.to_ascii_lowercase()))
    }
}

/// Where an element stands, seen from a shadow root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Place {
    Host,
    Slotted,
    Inside,
    /// In no shadow root: the root is that of the document.
    Outside,
}

impl Test {
    /// Does it ask what scripts write into the page's root: classes, data?
    pub fn asks_written(&self) -> bool {
        match self {
            Test::Attribute(Attribute { name, .. }) => !matches!(&**name, "lang" | "dir" | "id"),
            Test::Any(list) | Test::None(list) => {
                list.iter().any(|selector| selector.last.asks_written())
            }
            _ => false,
        }
    }
}

/// Does an element's text run from right to left, by the nearest that says so (HTML §3.2.6.4)? `None`: the text itself
/// tells.
fn direction(dom: &Dom, id: Id, budget: &mut u64) -> Option<bool> {
    let mut around = std::iter::once(id).chain(dom.ancestors(id));
    let said = around.find_map(|id| {
        *budget = budget.saturating_sub(1);
        match &*dom.attr_within(id, "dir", budget)?.to_ascii_lowercase() {
            "ltr" => Some(Some(false)),
            "rtl" => Some(Some(true)),
            "auto" => Some(None),
            _ => None,
        }
    });
    said.unwrap_or(Some(false))
}

/// Is an element in a language, by the nearest that says one?
fn is_in(dom: &Dom, id: Id, asked: &str, budget: &mut u64) -> bool {
    let mut around = std::iter::once(id).chain(dom.ancestors(id));
    let said = around.find_map(|id| {
        *budget = budget.saturating_sub(1);
        dom.attr_within(id, "lang", budget)
    });
    said.is_some_and(|said| has('|', &said.to_ascii_lowercase(), asked))
}

/// `[name=value]` (Selectors Level 4 §6).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attribute {
    name: String,
    /// The same, if it is known beforehand.
    known: Option<Name>,
    /// What is asked of its value: the sign before `=`, blank if there is none.
    value: Option<(char, String)>,
    /// ASCII letters of either case are the same.
    any_case: bool,
}

impl Attribute {
    /// Reads what stands in the brackets; names without escapes and namespaces alone are read.
    pub fn read(text: &str) -> Option<Attribute> {
        let text = text.trim_ascii();
        let Some((name, value)) = text.split_once('=') else {
            return Attribute::named(text, None, false);
        };
        let sign = name.chars().next_back().filter(|c| "~|^$*".contains(*c));
        let name = sign.and_then(|sign| name.strip_suffix(sign)).unwrap_or(name);
        let value = value.trim_ascii_start();
        let (value, flag) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].rsplit_once(quote)?,
            _ => {
                let (value, flag) = value.split_once([' ', '\t', '\n']).unwrap_or((value, ""));
                (is_name(value) || value.contains('\\')).then_some((value, flag))?
            }
        };
        let any_case = match flag.trim_ascii() {
            "" | "s" | "S" => false,
            "i" | "I" => true,
            _ => return None,
        };
        let value = escape::plain(value).into_owned();
        Attribute::named(name.trim_ascii_end(), Some((sign.unwrap_or(' '), value)), any_case)
    }

    fn named(name: &str, value: Option<(char, String)>, any_case: bool) -> Option<Attribute> {
        is_name(name).then(|| Attribute {
            name: name.to_owned(),
            known: Name::known(name),
            value,
            any_case,
        })
    }

    fn fits(&self, dom: &Dom, id: Id, budget: &mut u64) -> bool {
        let value = dom.attr_within(id, &self.name, budget);
        let Some(value) = value else { return false };
        let Some((sign, asked)) = &self.value else { return true };
        *budget = budget.saturating_sub(value.len() as u64 / 64);
        if self.any_case {
            return has(*sign, &value.to_ascii_lowercase(), &asked.to_ascii_lowercase());
        }
        has(*sign, &value, asked)
    }
}

/// Is it a name, without escapes?
fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii();
    begins_name(text) && !text.is_empty() && text.bytes().all(plain)
}

/// What the sign before `=` asks of a value.
fn has(sign: char, value: &str, asked: &str) -> bool {
    match sign {
        ' ' => value == asked,
        '|' => {
            value.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        '~' => value.split_ascii_whitespace().any(|word| word == asked),
        _ if asked.is_empty() => false,
        '^' => value.starts_with(asked),
        '$' => value.ends_with(asked),
        _ => value.contains(asked),
    }
}

/// A place among siblings: `step` × n + `offset`, counted from one (Selectors Level 4 §13).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nth {
    step: i32,
    offset: i32,
    from_end: bool,
    /// Siblings of the same tag count alone.
    of_type: bool,
}

impl Nth {
    /// Reads a pseudo-class without brackets, which may ask for two places.
    pub fn read(name: &str) -> Option<Vec<Nth>> {
        let (name, of_type) = kind(name)?;
        let nth = |from_end| Nth { step: 0, offset: 1, from_end, of_type };
        Some(match name {
            "first" => vec![nth(false)],
            "last" => vec![nth(true)],
            "only" => vec![nth(false), nth(true)],
            _ => return None,
        })
    }

    /// Reads one with a formula in its brackets.
    pub fn counted(name: &str, inside: &str) -> Option<Nth> {
        let (name, of_type) = kind(name)?;
        let from_end = match name {
            "nth" => false,
            "nth-last" => true,
            _ => return None,
        };
        let (step, offset) = formula(inside)?;
        Some(Nth { step, offset, from_end, of_type })
    }

    fn fits(&self, dom: &Dom, id: Id, budget: &mut u64) -> bool {
        let mut place = 1;
        let mut at = id;
        while let Some(next) = self.next(dom, at, budget) {
            if *budget == 0 {
                return false;
            }
            place += i32::from(!self.of_type || dom.tag(next) == dom.tag(id));
            at = next;
        }
        let beyond = place - self.offset;
        match self.step {
            0 => beyond == 0,
            step => beyond % step == 0 && beyond / step >= 0,
        }
    }

    /// The next sibling to count.
    fn next(&self, dom: &Dom, id: Id, budget: &mut u64) -> Option<Id> {
        if !self.from_end {
            return element_before(dom, id, budget);
        }
        std::iter::successors(dom.next_sibling(id), |&id| dom.next_sibling(id))
            .inspect(|_| *budget = budget.saturating_sub(1))
            .find(|&id| dom.element(id).is_some())
    }
}

/// The place that a pseudo-class asks for, and whether siblings of the same tag count alone.
fn kind(name: &str) -> Option<(&str, bool)> {
    match name.strip_suffix("-of-type") {
        Some(name) => Some((name, true)),
        None => Some((name.strip_suffix("-child")?, false)),
    }
}

/// `An+B` (CSS Syntax Level 3 §6).
fn formula(text: &str) -> Option<(i32, i32)> {
    let text: String = text.split_ascii_whitespace().collect();
    let text = text.to_ascii_lowercase();
    match text.as_str() {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    // Far beyond any page's elements; so nothing overflows.
    let number = |text: &str| text.parse::<i32>().ok().filter(|n| n.abs() < 1 << 20);
    let Some((step, offset)) = text.split_once('n') else { return Some((0, number(&text)?)) };
    let step = match step {
        "" | "+" => 1,
        "-" => -1,
        step => number(step)?,
    };
    Some((step, if offset.is_empty() { 0 } else { number(offset)? }))
}

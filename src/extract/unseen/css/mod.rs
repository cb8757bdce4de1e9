//! Style sheets and declarations, as far as they can keep text from sight, by CSS Syntax Level 3:
//! strings, comments, escapes, blocks. What is not understood hides nothing.
//!
//! Each byte is looked at a bounded number of times; nothing but sums recurses, and these to a fixed depth; nothing is
//! kept of what does not matter. Must not know: elements.

mod boxes;
mod colours;
mod conditions;
mod declaration;
mod frames;
mod functions;
mod glance;
mod imports;
mod known;
mod math;
mod property;
mod scan;
mod shapes;
mod substitution;
pub(super) mod texts;
mod units;
mod values;
pub(super) mod variables;

use super::escape::{plain, spelled};
pub(super) use colours::{Paint, Rgb, are_alike};
use conditions::supports;
pub(super) use conditions::{and, applies};
use declaration::declaration;
pub(super) use frames::{Frames, frames};
pub(super) use imports::{Import, imports};
pub(super) use property::{
    CARRIED, COMMON, CUTS, DECIDING, INHERITED, PAINTED, Properties, Property, SIZES,
};
use scan::{Ends, Marks, Stop, skip_space};
pub(super) use values::name_of_animation;

/// What a declaration says about being seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Alone or with others, it hides.
    Hides,
    /// It hides, also where the element keeps its place.
    Gone,
    Shows,
    /// As the parent: relative sizes, inherited values.
    Inherits,
    /// An animation of this name ([`name_of_animation`]) says; any, if it is 0.
    Moves(u32),
    /// It is off a screen that does not scroll, if it is seen from there.
    Far,
    /// In this colour: what is behind it tells whether it is seen.
    Painted(Rgb),
    /// As the value of this name ([`variables::number_of`]).
    Varies(u32),
}

/// What of the declarations is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// What may hide alone or lets others hide.
    Hiding,
    /// Of [`COMMON`] properties the same, and all of others.
    Uncommon,
    /// What may hide, and all of [`property::UNTOLD`] properties.
    Untold,
    All,
}

impl Effect {
    pub fn hides(self) -> bool {
        matches!(self, Effect::Hides | Effect::Gone)
    }
}

/// One declaration that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub property: Property,
    pub effect: Effect,
    pub important: bool,
}

impl Declaration {
    /// What it speaks of: of two that speak of the same, one wins. Of names, there may be many.
    pub fn about(&self) -> (Property, bool) {
        (self.property, self.important)
    }
}

/// What a sheet says, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a, 'd> {
    Rule(Rule<'a, 'd>),
    /// Names of layers in their order, as far as they are new (CSS Cascading Level 5 §6.4).
    Layers(&'a str),
    /// An animation's name and its rules.
    Animation(&'a str, &'a str),
    /// Something that is passed over, because it stands inside of too much.
    Deep,
}

/// A rule of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule<'a, 'd> {
    pub selectors: &'a str,
    /// What of its block matters, in order: of each property the last, whichever selector matches.
    pub declarations: &'d [Declaration],
    /// Properties that it may say something of, but that were not read.
    pub passed: Properties,
    /// The text behind the brace that begins its block; nothing, if it was not asked for.
    pub block: &'a str,
    /// It counts on every wide screen; else it may, and then it hides nothing for sure.
    pub sure: bool,
    /// Rules that it is nested in: the last ones before it that [hold](Rule::holds) others and have
    /// one less each (CSS Nesting §3).
    pub nested: usize,
    /// Others may be nested in it.
    pub holds: bool,
    /// Its selectors are the roots of a scope; then it says nothing itself (CSS Cascading Level 6 §2.5).
    pub scope: bool,
    /// The layer that it stands in.
    pub layer: Option<&'a str>,
}

/// What the open blocks of a sheet say of what they contain.
#[derive(Clone, Copy)]
struct Open<'a> {
    /// Whether it counts; `None` as in [`applies`].
    counts: Option<bool>,
    nested: usize,
    layer: Option<&'a str>,
}

/// What is said of a whole sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole<'a> {
    /// Whether it counts; `None` as in [`applies`].
    pub counts: Option<bool>,
    /// The layer that all of it stands in.
    pub layer: Option<&'a str>,
}

/// Nothing is.
pub(super) const WHOLE: Whole<'_> = Whole { counts: Some(true), layer: None };

/// Calls `each` with the parts of a sheet in order. `asked` tells by a rule's selectors, and whether these are plain
/// ([`Stop::plain`]), whether the rule matters; what others say is not read.
pub(super) fn rules<'a>(
    sheet: &'a str,
    whole: Whole<'a>,
    reading: Reading,
    asked: impl Fn(&str, bool) -> bool,
    each: &mut impl FnMut(Part<'a, '_>),
) {
    let Whole { counts, layer } = whole;
    let mut open = vec![Open { counts, nested: 0, layer }];
    if let Some(layer) = layer {
        each(Part::Layers(layer));
    }
    let mut said = Block::default();
    // Sheets say the same conditions again and again.
    let mut known: Vec<(&str, Option<bool>)> = Vec::new();
    let bytes = sheet.as_bytes();
    let mut marks = Marks::of(bytes);
    let (mut at, mut begun) = (0, false);
    while let Some(start) = skip_space(bytes, at) {
        let Some(&around) = open.last() else { return };
        if bytes[start] == b'}' {
            if open.len() > 1 {
                open.pop();
            }
            at = start + 1;
            continue;
        }
        // Declarations stand beside nested rules.
        let lines = bytes[start] == b'@' || around.nested > 0;
        let ends = if lines { Ends::BracesAndSemicolons } else { Ends::Braces };
        let Stop { at: end, plain, .. } = marks.stop(start, ends);
        let prelude = &sheet[start..end];
        match bytes.get(end) {
            Some(b'{') => {
                begun = true;
                at = end + 1;
            }
            Some(b';') => {
                if let Some(names) = prelude.strip_prefix("@layer") {
                    each(Part::Layers(names));
                }
                // What speaks of other names than those of HTML speaks of no text.
                if !begun && imports::is_foreign(prelude) {
                    return;
                }
                at = end + 1;
                continue;
            }
            Some(_) => {
                at = end;
                continue;
            }
            None => return,
        }
        let condition = prelude.strip_prefix('@');
        if let Some(name) = condition.and_then(name_of_frames) {
            let end = marks.close(at).0;
            if around.counts != Some(false) {
                each(Part::Animation(name, &sheet[at..end]));
            }
            at = end + 1;
            continue;
        }
        let inner = match condition {
            None => Some(Open { nested: around.nested + 1, ..around }),
            Some(rule) => group(rule, around, &mut known),
        };
        let inner = inner.filter(|inner| inner.counts != Some(false));
        let deep = open.len() >= MAX_OPEN || around.nested >= MAX_NESTED;
        if deep && inner.is_some() {
            each(Part::Deep);
        }
        let Some(inner) = inner.filter(|_| !deep) else {
            at = marks.close(at).0 + 1;
            continue;
        };
        if let Some(layer) = inner.layer.filter(|_| condition.is_some()) {
            each(Part::Layers(layer));
        }
        if let Some(roots) = condition.and_then(scope) {
            each(Part::Rule(Rule {
                selectors: roots,
                declarations: &[],
                passed: Properties::default(),
                block: "",
                sure: inner.counts == Some(true),
                nested: around.nested,
                holds: true,
                scope: true,
                layer: inner.layer,
            }));
            open.push(Open { nested: around.nested + 1, ..inner });
            continue;
        }
        // A conditional rule may show what another hides, so it is looked at.
        if condition.is_none() || around.nested > 0 {
            said.found.clear();
            let mut passed = Properties::default();
            let matters = condition.is_some() || asked(prelude, plain);
            let mut read = |text: &str, odd| {
                passed.join(declaration(text, odd, reading, &mut |new| said.put(new)));
            };
            let (end, holds) = match matters {
                true => block(sheet, &mut marks, at, &mut read),
                false => marks.close(at),
            };
            if matters || holds {
                each(Part::Rule(Rule {
                    selectors: if condition.is_some() { "&" } else { prelude },
                    declarations: &said.found,
                    passed,
                    block: if matters { &sheet[at..end] } else { "" },
                    sure: inner.counts == Some(true),
                    nested: around.nested,
                    holds: holds && condition.is_none(),
                    scope: false,
                    layer: inner.layer,
                }));
            }
            if !holds {
                at = end + 1;
                continue;
            }
        }
        open.push(inner);
    }
}

/// Declarations of one block: of each property the last.
#[derive(Default)]
pub(super) struct Block {
    found: Vec<Declaration>,
}

impl Block {
    fn put(&mut self, new: Declaration) {
        self.found.retain(|old| old.about() != new.about());
        self.found.push(new);
    }

    /// Reads a rule's block again.
    pub fn read(&mut self, rule: &str, reading: Reading) -> &[Declaration] {
        self.found.clear();
        block(rule, &mut Marks::of(rule.as_bytes()), 0, &mut |text, odd| {
            declaration(text, odd, reading, &mut |new| self.put(new));
        });
        &self.found
    }
}

/// What a colour does that an attribute gives; a number may stand without its sign (HTML §2.3.6).
pub(super) fn colour_of_old(property: Property, value: &str) -> Option<Effect> {
    let value = value.trim_ascii().to_ascii_lowercase();
    values::effect(property, &value).or_else(|| values::effect(property, &format!("#{value}")))
}

/// The name of an animation, from the text behind `@` (CSS Animations Level 1 §3).
fn name_of_frames(rule: &str) -> Option<&str> {
    let rule = rule.strip_prefix("-webkit-").unwrap_or(rule);
    let (head, name) = rule.split_at_checked("keyframes".len())?;
    head.eq_ignore_ascii_case("keyframes").then(|| name.trim_ascii())
}

/// What an at-rule says of the rules in it, by its text behind `@`; `None`: they are passed over.
fn group<'a>(
    rule: &'a str,
    around: Open<'a>,
    known: &mut Vec<(&'a str, Option<bool>)>,
) -> Option<Open<'a>> {
    let cut = rule.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'-'));
    let (name, condition) = rule.split_at(cut.unwrap_or(rule.len()));
    const NAMES: [&str; 5] = ["media", "supports", "layer", "scope", "container"];
    let mut layer = around.layer;
    let counts = match NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name))? {
        "media" => match known.iter().find(|(media, _)| *media == condition) {
            Some((_, answer)) => *answer,
            None => {
                let answer = applies(&spelled(condition));
                if known.len() < MAX_KNOWN {
                    known.push((condition, answer));
                }
                answer
            }
        },
        "supports" => supports(&spelled(condition)),
        "layer" => {
            // The order of layers without a name and of those in others is not known here.
            let known = layer.is_none() && is_name(condition.trim());
            layer = layer.or(Some(layer_of(condition)));
            known.then_some(true)
        }
        "scope" if scope(rule).is_some() => Some(true),
        _ => None,
    };
    Some(Open { counts: and(around.counts, counts), layer, ..around })
}

/// The layer that a name stands for: of one in another, the other one; all without a name are one, whose name is empty.
/// What stands in any loses against what stands in none (CSS Cascading Level 5 §6.4).
fn layer_of(name: &str) -> &str {
    let outer = name.trim().split('.').next().unwrap_or_default();
    if is_name(outer) { outer } else { "" }
}

/// The roots that a scope names, if it has no other end.
fn scope(rule: &str) -> Option<&str> {
    let (head, roots) = rule.split_at_checked("scope".len())?;
    let roots = roots.trim_ascii().strip_prefix('(')?.strip_suffix(')')?;
    // Another bracket is the one of `to (…)`.
    let one = functions::closing(roots) == roots.len();
    (head.eq_ignore_ascii_case("scope") && one).then_some(roots)
}

/// Is it the name of one layer?
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// Blocks inside of each other; deeper ones are passed over.
const MAX_OPEN: usize = 16;
/// Style rules inside of each other, whose bytes are looked at again for each.
const MAX_NESTED: usize = 4;
/// Conditions of one sheet whose answers are kept.
const MAX_KNOWN: usize = 16;

/// The declarations of a `style` attribute that matter, but those that give names values.
pub(super) fn declarations(style: &str, reading: Reading, each: &mut impl FnMut(Declaration)) {
    blocks(style, &mut |text, odd| {
        declaration(text, odd, reading, each);
    });
}

/// Those that speak of these properties, and maybe others.
pub(super) fn about(style: &str, asked: Properties, each: &mut impl FnMut(Declaration)) {
    blocks(style, &mut |text, odd| {
        if odd || !glance::spoken_of(text.trim_ascii_start().as_bytes()).both(asked).is_empty() {
            declaration(text, odd, Reading::Uncommon, each);
        }
    });
}

/// The names that a `style` attribute or a block gives values, as [`variables::sets`] has them.
pub(super) fn names(text: &str, each: &mut impl FnMut(u32, &str)) {
    blocks(text, &mut |text, odd| {
        if odd || text.trim_ascii_start().starts_with("--") {
            variables::sets(text, odd, each);
        }
    });
}

/// Calls `each` with all declarations of a text as [`block`] does, braces or not.
fn blocks(text: &str, each: &mut impl FnMut(&str, bool)) {
    let mut marks = Marks::of(text.as_bytes());
    let mut at = 0;
    while at < text.len() {
        at = block(text, &mut marks, at, each).0 + 1;
    }
}

/// Calls `each` with the declarations of a block, from inside of it, and whether they have escapes or comments;
/// returns the place of the brace that ends it, or the end, and whether it has blocks of its own.
fn block(
    text: &str,
    marks: &mut Marks<'_>,
    mut at: usize,
    each: &mut impl FnMut(&str, bool),
) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut holds = false;
    while at < bytes.len() {
        let Stop { at: end, odd, .. } = marks.stop(at, Ends::BracesAndSemicolons);
        if bytes.get(end) == Some(&b'{') {
            // A rule nested in this one.
            holds = true;
            at = marks.close(end + 1).0 + 1;
            continue;
        }
        each(&text[at..end], odd);
        if bytes.get(end) != Some(&b';') {
            return (end, holds);
        }
        at = end + 1;
    }
    (bytes.len(), holds)
}

#[cfg(test)]
mod taken_tests;
#[cfg(test)]
mod tests;

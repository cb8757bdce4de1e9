//! What animations do to being seen (CSS Animations Level 1 §3). Must not know: which elements move.

use super::{DECIDING, Effect, Part, Properties, Property, Reading, WHOLE, rules};

/// What the pictures of an animation say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Frames {
    /// What some of them hide, and what some show.
    pub hides: Properties,
    pub shows: Properties,
    /// What the last one hides, and what it shows.
    pub ends_hidden: Properties,
    pub ends_shown: Properties,
}

impl Frames {
    /// What it may hide in the end.
    pub fn hidden(self) -> Properties {
        let mut all = self.hides.without(self.shows);
        all.join(self.ends_hidden);
        all
    }

    /// What it does to these.
    pub fn only(self, these: Properties) -> Frames {
        Frames {
            hides: self.hides.both(these),
            shows: self.shows.both(these),
            ends_hidden: self.ends_hidden.both(these),
            ends_shown: self.ends_shown.both(these),
        }
    }
}

/// Reads the rules of an animation.
pub(in super::super) fn frames(body: &str) -> Frames {
    let mut frames = Frames::default();
    rules(body, WHOLE, Reading::All, |_, _| true, &mut |part| {
        let Part::Rule(rule) = part else { return };
        let last = rule.selectors.split(',').map(str::trim_ascii);
        let last = last.clone().any(|part| part.eq_ignore_ascii_case("to") || part == "100%");
        for declaration in rule.declarations {
            let property = declaration.property;
            let (all, end, other) = match declaration.effect {
                // Nothing in an animation is important.
                _ if declaration.important || matters_not(property) => continue,
                Effect::Hides | Effect::Gone => {
                    (&mut frames.hides, &mut frames.ends_hidden, &mut frames.ends_shown)
                }
                Effect::Shows
                | Effect::Inherits
                | Effect::Far
                | Effect::Painted(_)
                | Effect::Varies(_) => {
                    (&mut frames.shows, &mut frames.ends_shown, &mut frames.ends_hidden)
                }
                Effect::Moves(_) => continue,
            };
            all.add(property);
            if last {
                end.add(property);
                other.remove(property);
            }
        }
    });
    frames
}

/// Says a property nothing of being seen on its own, or is it one that no animation changes?
fn matters_not(property: Property) -> bool {
    property == Property::Animation || DECIDING.has(property)
}

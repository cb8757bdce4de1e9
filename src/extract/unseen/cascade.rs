//! What declarations for one element come to (CSS Cascading Level 4 §6).
//!
//! Must not know: elements, selectors.

use super::css::{Declaration, Effect, Property};

/// A declaration and how much it weighs against others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighted {
    pub declaration: Declaration,
    pub specificity: (u16, u16, u16),
    /// Number of its rule.
    pub order: u32,
}

/// What browsers hide themselves, which any declaration overrules (HTML §15.3.1).
pub(super) const HIDDEN: Weighted = Weighted {
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
pub(super) struct Cascade {
    best: [Option<(Rank, Effect)>; Property::COUNT],
    /// Inline declarations so far.
    order: u32,
}

impl Cascade {
    /// Adds a declaration; `inline`: it stands in the element's `style`.
    pub fn put(&mut self, weighted: &Weighted, inline: bool) {
        let Declaration { property, effect, important } = weighted.declaration;
        let rank = (important, inline, weighted.specificity, weighted.order);
        if let Some(best) = self.best.get_mut(property as usize)
            && best.is_none_or(|(before, _)| before <= rank)
        {
            *best = Some((rank, effect));
        }
    }

    /// Adds the next declaration of the element's `style`.
    pub fn put_inline(&mut self, declaration: Declaration) {
        self.order += 1;
        let weighted = Weighted { declaration, specificity: (0, 0, 0), order: self.order };
        self.put(&weighted, true);
    }

    /// What wins; `boxed`: browsers give the element a box of its own, if nothing else is said.
    pub fn own(&self, boxed: bool) -> Own {
        use Property::{Bottom, Clip, Left, Position, Right, Scale, Top, Transform, Translate};
        let effect = |p: Property| self.best.get(p as usize).copied().flatten().map(|(_, e)| e);
        let hides = |p: Property| effect(p).is_some_and(Effect::hides);
        let set = |p: Property| match effect(p) {
            Some(Effect::Hides | Effect::Gone) => Some(true),
            Some(Effect::Shows) => Some(false),
            Some(Effect::Inherits) | None => None,
        };
        let sides = [Left, Top, Right, Bottom];
        let out = match effect(Position) {
            Some(Effect::Hides) => sides.into_iter().any(hides) || hides(Clip),
            // It keeps its place, but is moved from there.
            Some(Effect::Inherits) => sides.into_iter().any(|p| effect(p) == Some(Effect::Gone)),
            _ => false,
        };
        let boxed = hides(Position)
            || match effect(Property::Display) {
                Some(Effect::Shows) => true,
                // In a line.
                Some(Effect::Inherits) => false,
                _ => boxed,
            };
        let moved = boxed && [Transform, Translate, Scale].into_iter().any(hides);
        let alone = [
            Property::Display,
            Property::Opacity,
            Property::Indent,
            Property::ClipPath,
            Property::Filter,
            Property::Zoom,
        ];
        Own {
            gone: out || moved || alone.into_iter().any(hides),
            invisible: set(Property::Visibility),
            tiny: set(Property::FontSize),
        }
    }
}

/// What an element's own declarations say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Own {
    /// Taken away with all that is in it.
    pub gone: bool,
    /// `visibility`, which descendants may set again.
    pub invisible: Option<bool>,
    /// A size of nothing, which descendants may set again.
    pub tiny: Option<bool>,
}

impl Own {
    /// Is the element kept from sight, if nothing in it says otherwise?
    pub fn hides(&self) -> bool {
        self.gone || self.invisible == Some(true) || self.tiny == Some(true)
    }
}

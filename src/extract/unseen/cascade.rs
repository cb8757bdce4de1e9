//! What declarations for one element come to (CSS Cascading Level 4 §6).
//!
//! Must not know: elements.

use super::css::{Declaration, Effect, Frames, INHERITED, Properties, Property};
use super::paint;
use super::selector::Specificity;

/// A declaration and how much it weighs against others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighted {
    pub declaration: Declaration,
    /// Number of its layer; what stands in none counts as the last.
    pub layer: u16,
    pub specificity: Specificity,
    /// Number of its rule.
    pub order: u32,
}

/// What stands in no layer.
pub(super) const NO_LAYER: u16 = u16::MAX;

impl Weighted {
    /// `inline`: it stands in the element's `style`.
    pub fn rank(&self, inline: bool) -> Rank {
        let important = self.declaration.important;
        // Of important ones, those of the first layer win.
        let layer = if important { NO_LAYER - self.layer } else { self.layer };
        let (ids, classes, tags) = self.specificity;
        let parts = [u16::from(important), u16::from(inline), layer, ids, classes, tags];
        parts.into_iter().fold(0, |rank, part| rank << 16 | Rank::from(part)) << 32
            | Rank::from(self.order)
    }
}

/// What browsers hide by themselves, which any declaration overrules (HTML §15.3.1).
pub(super) const HIDDEN: Weighted = Weighted {
    declaration: Declaration {
        property: Property::Display,
        effect: Effect::Hides,
        important: false,
    },
    layer: 0,
    specificity: (0, 0, 0),
    order: 0,
};

/// Important or not, inline or not, layer, specificity, place: as one number.
pub(super) type Rank = u128;

/// The declaration that wins, of each property.
pub(super) struct Cascade {
    /// The properties that there is one of; of others, `best` says nothing.
    said: Properties,
    best: [(Rank, Effect); Property::COUNT],
    /// The properties of which an important one was put, which wins then.
    important: Properties,
    /// Inline declarations so far.
    order: u32,
}

impl Default for Cascade {
    fn default() -> Cascade {
        let best = [(0, Effect::Inherits); Property::COUNT];
        let none = Properties::default();
        Cascade { said: none, best, important: none, order: 0 }
    }
}

impl Cascade {
    /// Adds a declaration; `inline`: it stands in the element's `style`.
    pub fn put(&mut self, weighted: &Weighted, inline: bool) {
        let Declaration { property, effect, important } = weighted.declaration;
        if important {
            self.important.add(property);
        }
        let rank = weighted.rank(inline);
        let best = &mut self.best[property as usize];
        if best.0 <= rank || !self.said.has(property) {
            *best = (rank, effect);
            self.said.add(property);
        }
    }

    /// Adds the next declaration of the element's `style`.
    pub fn put_inline(&mut self, declaration: Declaration) {
        self.order += 1;
        self.put(&Weighted { declaration, order: self.order, ..HIDDEN }, true);
    }

    /// Puts what declarations do in the place of those that win and use a name; `each` has the number of the
    /// property, and that of its rule, if it does not stand in `style`.
    pub fn vary(&mut self, each: &mut dyn FnMut(usize, Option<u32>) -> Option<Effect>) {
        for place in self.said.places() {
            let (rank, effect) = &mut self.best[place];
            if matches!(effect, Effect::Varies(_)) {
                let inline = *rank >> (4 * 16 + 32) & 1 == 1;
                // What cannot be worked out may be anything.
                let rule = (!inline).then_some(*rank as u32);
                *effect = each(place, rule).unwrap_or(Effect::Shows);
            }
        }
    }

    /// What wins; `boxed`: browsers give the element a box of its own, if nothing else is said; `frames`: what
    /// the animation of a name does, if the page says so.
    pub fn own(&self, boxed: bool, frames: impl Fn(u32) -> Option<Frames>) -> Own {
        use Property::{
            Animation, Basis, Clip, Contain, Display, Grows, Height, Hollow, IndentOut, MarginLeft,
            MarginTop, MaxHeight, MaxWidth, MinHeight, MinWidth, PaddingBottom, PaddingLeft,
            PaddingRight, PaddingTop, Position, Stays, WhiteSpace, Width,
        };
        let said = |p: Property| self.said.has(p).then(|| self.best[p as usize].1);
        let [mut hides, mut shows, mut gone, mut far] = [Properties::default(); 4];
        let mut moves = Moves::default();
        for place in self.said.places() {
            let (property, effect) = (Properties::at(place), self.best[place].1);
            match effect {
                Effect::Hides => hides.join(property),
                Effect::Gone => gone.join(property),
                Effect::Far => far.join(property),
                Effect::Shows | Effect::Varies(_) => shows.join(property),
                Effect::Inherits | Effect::Painted(_) => {}
                // What moves may be seen, or hidden, in the end.
                Effect::Moves(name) => moves = Moves::of(frames(name), said(Stays)),
            }
        }
        hides.join(gone);
        if self.said.has(Animation) {
            // Animations are above what is said, and below what is important (CSS Cascading Level 5 §6.1).
            moves.shows = moves.shows.without(self.important);
            moves.hides = moves.hides.without(self.important);
            shows.join(hides.both(moves.shows));
            shows = shows.without(moves.hides);
            gone = gone.without(moves.shows).without(moves.hides);
            hides = hides.without(moves.shows);
            hides.join(moves.hides);
        }
        let any = |of: Properties, all: &[Property]| !of.both(Properties::of(all)).is_empty();
        let out = match said(Position) {
            Some(Effect::Hides) => any(hides, &SIDES) || hides.has(Clip),
            Some(Effect::Gone) => any(hides, &SIDES) || any(far, &SIDES) || hides.has(Clip),
            // It keeps its place, but is moved from there.
            Some(Effect::Inherits) => any(gone, &SIDES),
            _ => false,
        };
        let lifted = said(Position).is_some_and(Effect::hides);
        let boxed = lifted
            || match said(Display) {
                Some(Effect::Shows) => true,
                // In a line.
                Some(Effect::Inherits) => false,
                _ => boxed,
            };
        let cut = any(hides, &[Property::OverflowX, Property::OverflowY, Contain]);
        let grown = any(shows, &[Grows, Basis]);
        let flat = hides.has(MaxHeight)
            || hides.has(Height) && !grown
            || hides.has(Hollow) && !(self.said.has(Height) || self.said.has(MaxHeight));
        let high = any(shows, &[MinHeight, PaddingTop, PaddingBottom]);
        let thin = hides.has(MaxWidth) || hides.has(Width) && !grown;
        let wide = any(shows, &[MinWidth, PaddingLeft, PaddingRight]);
        let no_room = boxed && cut && (flat && !high || thin && !wide);
        // What is drawn far out and filled up to here is seen.
        let aside = hides.has(MarginLeft) && !shows.has(PaddingLeft)
            || boxed && hides.has(MarginTop) && !shows.has(PaddingTop);
        let indented = cut && hides.has(IndentOut) && hides.has(WhiteSpace);
        let moved = aside || no_room || indented;
        let mut colours = paint::Own { lifted, ..paint::Own::default() };
        for property in paint::COLOURS {
            let effect = match said(property) {
                _ if hides.has(property) => Effect::Hides,
                _ if moves.shows.has(property) => Effect::Shows,
                Some(effect) => effect,
                None => continue,
            };
            colours.add(property, effect);
        }
        Own {
            colours,
            gone: out || moved || any(hides, &ALONE) || boxed && any(hides, &OF_BOXES),
            inherited: INHERITED.map(|property| match hides.has(property) {
                true => Some(true),
                false => shows.has(property).then_some(false),
            }),
        }
    }
}

/// What takes away what leaves the flow.
const SIDES: [Property; 4] = [Property::Left, Property::Top, Property::Right, Property::Bottom];

/// What hides whatever stands beside it.
const ALONE: [Property; 7] = [
    Property::Display,
    Property::Content,
    Property::Opacity,
    Property::ClipPath,
    Property::Filter,
    Property::Mask,
    Property::Zoom,
];

/// What hides boxes alone, but not what stands in lines.
const OF_BOXES: [Property; 5] = [
    Property::Transform,
    Property::Translate,
    Property::Scale,
    Property::Rotate,
    Property::ContentVisibility,
];

/// What takes a box its room.
const SIZES: [Property; 5] =
    [Property::Height, Property::MaxHeight, Property::Width, Property::MaxWidth, Property::Hollow];

/// What an animation changes in the end.
#[derive(Default)]
struct Moves {
    shows: Properties,
    hides: Properties,
}

impl Moves {
    /// `stays`: whether what it comes to stays; of animations that are not known here, all may be shown by it that
    /// can be moved.
    fn of(frames: Option<Frames>, stays: Option<Effect>) -> Moves {
        let Some(frames) = frames else {
            return Moves { shows: Properties::but(&[Property::Display]), ..Moves::default() };
        };
        match stays {
            // Its last picture.
            Some(Effect::Hides) => Moves { shows: frames.ends_shown, hides: frames.ends_hidden },
            // One after the other, for ever.
            Some(Effect::Gone) => {
                Moves { shows: frames.shows, hides: frames.hides.without(frames.shows) }
            }
            _ => Moves::default(),
        }
    }
}

/// What an element's own declarations say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Own {
    /// Taken away with all that is in it.
    pub gone: bool,
    /// Whether each of [`INHERITED`] hides; descendants may set it again.
    pub inherited: [Option<bool>; INHERITED.len()],
    pub colours: paint::Own,
}

impl Own {
    /// Is the element kept from sight, if nothing in it says otherwise?
    pub fn hides(&self) -> bool {
        self.gone || self.inherited.contains(&Some(true)) || self.colours.hides()
    }
}

/// Adds what decides whether properties hide, as [`Cascade::own`] has it.
pub(super) fn complete(all: &mut Properties) {
    use Property::{
        Animation, Basis, Clip, Contain, Display, Grows, IndentOut, MarginLeft, MarginTop,
        MinHeight, MinWidth, OverflowX, OverflowY, PaddingBottom, PaddingLeft, PaddingRight,
        PaddingTop, Position, Stays, WhiteSpace,
    };
    let has = |some: &[Property]| !all.both(Properties::of(some)).is_empty();
    let sized = has(&SIZES);
    let (placed, painted) = (has(&SIDES) || has(&[Clip]), has(&paint::COLOURS));
    let boxed = has(&OF_BOXES) || sized || has(&[MarginTop]);
    let margins = has(&[MarginTop, MarginLeft]);
    let indented = has(&[IndentOut]);
    all.join(Properties::of(&[Animation, Stays]));
    if placed || boxed || painted {
        all.add(Position);
    }
    if boxed {
        all.add(Display);
    }
    if painted {
        all.join(Properties::of(&paint::COLOURS));
    }
    if sized || margins {
        all.join(Properties::of(&[PaddingTop, PaddingRight, PaddingBottom, PaddingLeft]));
    }
    if sized {
        all.join(Properties::of(&SIZES));
        all.join(Properties::of(&[MinHeight, MinWidth, Grows, Basis]));
    }
    if sized || indented {
        all.join(Properties::of(&[OverflowX, OverflowY, Contain, WhiteSpace]));
    }
}

//! The properties that can hide what they are set on, and sets of them. Must not know: values, elements.

/// A property that can hide what it is set on, or decides whether others do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Property {
    Display,
    Visibility,
    Opacity,
    FontSize,
    Indent,
    /// Whether the element leaves the flow, so that offsets and clips can take it away.
    Position,
    Left,
    Top,
    Right,
    Bottom,
    Clip,
    ClipPath,
    Filter,
    Mask,
    /// What moves or shrinks a box.
    Transform,
    Translate,
    Scale,
    Zoom,
    ContentVisibility,
    /// Which animation may change what the others say.
    Animation,
    /// Whether what an animation comes to stays.
    Stays,
}

impl Property {
    pub(in super::super) const COUNT: usize = 21;

    /// The properties that one with this name in lower case sets. Those of a line's direction are as in text
    /// from left to right and from top to bottom.
    pub(super) fn named(name: &[u8]) -> Option<&'static [Property]> {
        use Property::{Animation, Bottom, Left, Right, Stays, Top};
        Some(match name {
            b"display" => &[Property::Display],
            b"visibility" => &[Property::Visibility],
            b"opacity" => &[Property::Opacity],
            b"font-size" | b"font" => &[Property::FontSize],
            b"text-indent" => &[Property::Indent],
            b"position" => &[Property::Position],
            b"left" | b"inset-inline-start" => &[Left],
            b"top" | b"inset-block-start" => &[Top],
            b"right" | b"inset-inline-end" => &[Right],
            b"bottom" | b"inset-block-end" => &[Bottom],
            b"inset" => &[Top, Right, Bottom, Left],
            b"clip" => &[Property::Clip],
            b"clip-path" | b"-webkit-clip-path" => &[Property::ClipPath],
            b"filter" | b"-webkit-filter" => &[Property::Filter],
            b"mask" | b"mask-image" | b"-webkit-mask" | b"-webkit-mask-image" => &[Property::Mask],
            b"transform" | b"-webkit-transform" => &[Property::Transform],
            b"translate" => &[Property::Translate],
            b"scale" => &[Property::Scale],
            b"zoom" => &[Property::Zoom],
            b"content-visibility" => &[Property::ContentVisibility],
            b"animation" | b"-webkit-animation" => &[Animation, Stays],
            b"animation-name" | b"-webkit-animation-name" => &[Animation],
            b"animation-fill-mode"
            | b"-webkit-animation-fill-mode"
            | b"animation-iteration-count"
            | b"-webkit-animation-iteration-count" => &[Stays],
            _ => return None,
        })
    }
}

/// Properties that what is inside takes over (CSS Cascading Level 4 §7.2).
pub(in super::super) const INHERITED: [Property; 3] =
    [Property::Visibility, Property::FontSize, Property::Indent];

/// A set of properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Properties(u64);

impl Properties {
    pub const fn of(all: &[Property]) -> Properties {
        let (mut bits, mut at) = (0, 0);
        while at < all.len() {
            bits |= 1 << all[at] as u32;
            at += 1;
        }
        Properties(bits)
    }

    /// All but these.
    pub const fn but(others: &[Property]) -> Properties {
        Properties(!Properties::of(others).0)
    }

    /// That one.
    pub const fn at(place: usize) -> Properties {
        Properties(1 << place)
    }

    /// The numbers of those in it.
    pub fn places(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let place = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (place < u64::BITS).then_some(place as usize)
        })
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn join(&mut self, others: Properties) {
        self.0 |= others.0;
    }

    pub fn has(self, property: Property) -> bool {
        self.0 & 1 << property as u32 != 0
    }

    pub fn add(&mut self, property: Property) {
        self.0 |= 1 << property as u32;
    }

    pub fn remove(&mut self, property: Property) {
        self.0 &= !(1 << property as u32);
    }

    pub fn without(self, others: Properties) -> Properties {
        Properties(self.0 & !others.0)
    }

    /// Those that are in both.
    pub fn both(self, others: Properties) -> Properties {
        Properties(self.0 & others.0)
    }
}

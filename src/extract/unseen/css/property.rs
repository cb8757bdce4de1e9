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
    Rotate,
    WordSpacing,
    /// What stands in the place of all that is in an element.
    Content,
    /// The size of letters by their height.
    SizeAdjust,
    /// Which animation may change what the others say.
    Animation,
    /// Whether what an animation comes to stays.
    Stays,
    /// The colour of letters, and another that is above it. From here on, [`COMMON`] ones.
    Color,
    Fill,
    /// What is behind letters: a colour, pictures, and whether letters alone show it.
    Ground,
    Picture,
    TextClip,
    /// A shadow or a line around letters.
    Outline,
    LetterSpacing,
    /// Signs in the place of letters.
    Security,
    /// A first line that begins far on the right.
    IndentOut,
    WhiteSpace,
    /// What gives a box no room …
    Height,
    MaxHeight,
    Width,
    MaxWidth,
    /// … what gives it some …
    MinHeight,
    MinWidth,
    PaddingTop,
    PaddingRight,
    PaddingBottom,
    PaddingLeft,
    /// … or its share of what there is …
    Grows,
    Basis,
    /// … and what cuts off the rest.
    OverflowX,
    OverflowY,
    Contain,
    /// What is in a box does not give it room.
    Hollow,
    MarginTop,
    MarginLeft,
    /// A value with a name.
    Variable,
}

impl Property {
    pub(in super::super) const COUNT: usize = Property::Variable as usize + 1;

    /// The properties that one with this name in lower case sets. Those of a line's direction are as in text
    /// from left to right and from top to bottom.
    pub(super) fn named(name: &[u8]) -> Option<&'static [Property]> {
        use Property::{
            Animation, Basis, Bottom, Ground, Grows, Height, Indent, IndentOut, Left, MarginLeft,
            MarginTop, MaxHeight, MaxWidth, MinHeight, MinWidth, OverflowX, OverflowY,
            PaddingBottom, PaddingLeft, PaddingRight, PaddingTop, Picture, Right, Stays, TextClip,
            Top, Width,
        };
        Some(match name {
            b"display" => &[Property::Display],
            b"visibility" => &[Property::Visibility],
            b"opacity" => &[Property::Opacity],
            b"font-size" | b"font" => &[Property::FontSize],
            b"text-indent" => &[Indent, IndentOut],
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
            b"color" => &[Property::Color],
            b"-webkit-text-fill-color" => &[Property::Fill],
            b"background" => &[Ground, Picture, TextClip],
            b"background-color" => &[Ground],
            b"background-image" => &[Picture],
            b"background-clip" | b"-webkit-background-clip" => &[TextClip],
            b"text-shadow" | b"-webkit-text-stroke" | b"-webkit-text-stroke-width" => {
                &[Property::Outline]
            }
            b"content" => &[Property::Content],
            b"word-spacing" => &[Property::WordSpacing],
            b"font-size-adjust" => &[Property::SizeAdjust],
            b"letter-spacing" => &[Property::LetterSpacing],
            b"-webkit-text-security" => &[Property::Security],
            b"white-space" => &[Property::WhiteSpace],
            b"rotate" => &[Property::Rotate],
            b"height" | b"block-size" => &[Height],
            b"max-height" | b"max-block-size" => &[MaxHeight],
            b"width" | b"inline-size" => &[Width],
            b"max-width" | b"max-inline-size" => &[MaxWidth],
            b"min-height" | b"min-block-size" => &[MinHeight],
            b"min-width" | b"min-inline-size" => &[MinWidth],
            b"padding" => &[PaddingTop, PaddingRight, PaddingBottom, PaddingLeft],
            b"padding-top" | b"padding-block-start" => &[PaddingTop],
            b"padding-right" | b"padding-inline-end" => &[PaddingRight],
            b"padding-bottom" | b"padding-block-end" => &[PaddingBottom],
            b"padding-left" | b"padding-inline-start" => &[PaddingLeft],
            b"padding-block" => &[PaddingTop, PaddingBottom],
            b"padding-inline" => &[PaddingLeft, PaddingRight],
            b"flex" | b"-webkit-flex" => &[Grows, Basis],
            b"flex-grow" | b"-webkit-flex-grow" => &[Grows],
            b"flex-basis" | b"-webkit-flex-basis" => &[Basis],
            b"overflow" => &[OverflowX, OverflowY],
            b"overflow-x" | b"overflow-inline" => &[OverflowX],
            b"overflow-y" | b"overflow-block" => &[OverflowY],
            b"contain" => &[Property::Contain, Property::Hollow],
            b"margin" => &[MarginTop, MarginLeft],
            b"margin-top" | b"margin-block-start" | b"margin-block" => &[MarginTop],
            b"margin-left" | b"margin-inline-start" | b"margin-inline" => &[MarginLeft],
            _ => return None,
        })
    }
}

/// Properties that most rules of a sheet say something of. Read at first only where they hide, all of it where
/// they hide something on the page.
pub(in super::super) const COMMON: Properties =
    Properties::between(Property::Color, Property::MarginLeft);

/// Properties that matter to others whatever they say: what paints letters and their ground, and what cuts a box off.
pub(super) const UNTOLD: Properties = Properties::of(&{
    use Property::*;
    [Color, Fill, Outline, Ground, Picture, TextClip, OverflowX, OverflowY, Contain]
});

/// What takes a box its room, if something cuts it off.
pub(in super::super) const SIZES: Properties = Properties::of(&{
    use Property::*;
    [Height, MaxHeight, Width, MaxWidth]
});

/// Lengths that old pages may write without a unit (Quirks Mode §3.2).
pub(super) const LENGTHS: Properties = Properties::of(&{
    use Property::*;
    [
        FontSize,
        Indent,
        IndentOut,
        Left,
        Top,
        Right,
        Bottom,
        LetterSpacing,
        WordSpacing,
        Height,
        MaxHeight,
        Width,
        MaxWidth,
        MinHeight,
        MinWidth,
        PaddingTop,
        PaddingRight,
        PaddingBottom,
        PaddingLeft,
        MarginTop,
        MarginLeft,
    ]
});

/// What cuts a box off.
pub(in super::super) const CUTS: Properties = Properties::of(&{
    use Property::*;
    [OverflowX, OverflowY, Contain]
});

/// Properties that decide whether others hide, and hide nothing themselves.
pub(in super::super) const DECIDING: Properties = Properties::of(&{
    use Property::*;
    [
        Position,
        Stays,
        Picture,
        TextClip,
        Outline,
        Contain,
        WhiteSpace,
        MinHeight,
        MinWidth,
        PaddingTop,
        PaddingRight,
        PaddingBottom,
        PaddingLeft,
        Grows,
        Basis,
        OverflowX,
        OverflowY,
        Variable,
    ]
});

/// Properties that what is inside takes over (CSS Cascading Level 4 §7.2).
pub(in super::super) const INHERITED: [Property; 7] = [
    Property::Visibility,
    Property::FontSize,
    Property::Indent,
    Property::LetterSpacing,
    Property::Security,
    Property::WordSpacing,
    Property::SizeAdjust,
];

/// The same with colours of letters, which hide on some grounds.
pub(in super::super) const CARRIED: Properties = {
    let mut all = Properties::of(&INHERITED);
    all.0 |= Properties::of(&PAINTED).0;
    all
};

/// Colours of letters.
pub(in super::super) const PAINTED: [Property; 2] = [Property::Color, Property::Fill];

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

    /// All from the first to the last, in the order in which they are named above.
    const fn between(first: Property, last: Property) -> Properties {
        Properties((2 << last as u32) - (1 << first as u32))
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

    pub const fn has(self, property: Property) -> bool {
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

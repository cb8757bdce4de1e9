//! Letters that nobody can tell from what is behind them.
//!
//! Must not know: which declaration wins, style sheets.

use super::css::{Effect, Paint, Property, Rgb, are_alike};

/// The usual colour of letters, and of the page.
pub(super) const BLACK: Rgb = [0; 3];
pub(super) const WHITE: Rgb = [255; 3];

/// The properties that say what letters look like, and what is behind them; what is drawn later last.
pub(super) const COLOURS: [Property; 6] = [
    Property::Color,
    Property::Fill,
    Property::Outline,
    Property::Ground,
    Property::Picture,
    Property::TextClip,
];

/// What an element says of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Own {
    pub color: Option<Paint>,
    /// It is above the colour.
    pub fill: Option<Paint>,
    pub ground: Option<Paint>,
    /// The ground shows in letters alone (CSS Backgrounds Level 4 §2.4).
    pub in_text: bool,
    /// It stands before others, so what is behind it may be anything.
    pub lifted: bool,
    /// They are drawn once more, in another colour.
    pub outlined: Option<bool>,
}

impl Own {
    /// Takes over what a property says that weighs more than what was said before.
    pub fn add(&mut self, property: Property, effect: Effect) {
        let paint = match effect {
            Effect::Painted(rgb) => Some(Paint::Of(rgb)),
            Effect::Hides => Some(Paint::Clear),
            Effect::Inherits => None,
            _ => Some(Paint::Any),
        };
        match property {
            Property::Color => self.color = paint,
            Property::Fill => self.fill = paint,
            Property::Ground => self.ground = paint,
            // It is drawn before the colour.
            Property::Picture => self.ground = paint.or(self.ground),
            Property::Outline => self.outlined = Some(effect == Effect::Shows),
            Property::TextClip => self.in_text = effect.hides(),
            _ => {}
        }
    }

    /// The same where sheets that are not known here may say of colours what they want: a ground counts only for an
    /// element whose `style`, which says this, hides its letters.
    pub fn beside_others(mut self, style: Own) -> Own {
        if !style.hides() && matches!(self.ground, Some(Paint::Of(_))) {
            self.ground = Some(Paint::Any);
        }
        self
    }

    /// Does it hide its letters, whatever is around it?
    pub fn hides(&self) -> bool {
        !self.in_text && self.outlined != Some(true) && self.may_hide()
    }

    /// The same, if nothing else paints them.
    pub fn may_hide(&self) -> bool {
        let ink = self.fill.or(self.color);
        ink.is_some_and(|ink| is_lost(ink, self.ground.unwrap_or(Paint::Any)))
    }
}

/// Can nobody see letters of this colour on that ground?
fn is_lost(ink: Paint, ground: Paint) -> bool {
    match (ink, ground) {
        (Paint::Clear, _) => true,
        (Paint::Of(ink), Paint::Of(ground)) => are_alike(ink, ground),
        _ => false,
    }
}

/// How letters stand out at one place of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letters {
    color: Paint,
    fill: Option<Paint>,
    behind: Paint,
    /// What paints letters that are clear themselves.
    in_text: Option<Paint>,
    outlined: bool,
}

impl Letters {
    /// Before anything is said. `alone`: nothing else says anything.
    pub fn of_page(alone: bool) -> Letters {
        let known = |rgb| if alone { Paint::Of(rgb) } else { Paint::Any };
        Letters {
            color: known(BLACK),
            fill: None,
            behind: known(WHITE),
            in_text: None,
            outlined: false,
        }
    }

    /// In an element that says so.
    pub fn set(&mut self, own: Own) {
        self.color = own.color.unwrap_or(self.color);
        self.fill = own.fill.or(self.fill);
        self.outlined = own.outlined.unwrap_or(self.outlined);
        if own.in_text {
            self.in_text = Some(own.ground.unwrap_or(Paint::Any));
        } else if let Some(ground) = own.ground {
            (self.behind, self.in_text) = (ground, None);
        } else if own.lifted {
            self.behind = Paint::Any;
        }
    }

    /// Can nobody see them?
    pub fn are_lost(&self) -> bool {
        let ink = self.fill.unwrap_or(self.color);
        let ink = if ink == Paint::Clear { self.in_text.unwrap_or(ink) } else { ink };
        !self.outlined && is_lost(ink, self.behind)
    }
}

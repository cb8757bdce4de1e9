//! The animations of a page, by their names. Must not know: what elements they move.

use std::cell::OnceCell;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::css::{self, Frames};

/// Animations that are kept of one page; of others it is not known what they do.
const MAX_ANIMATIONS: usize = 1_000;

/// Animations, read once they are asked for.
#[derive(Default)]
pub(super) struct Moving<'p>(HashMap<u32, (&'p str, OnceCell<Frames>), RandomState>);

impl<'p> Moving<'p> {
    /// Of one name the last counts. `false`: there are too many.
    pub fn add(&mut self, name: &str, body: &'p str) -> bool {
        let name = css::name_of_animation(name);
        let fits = self.0.len() < MAX_ANIMATIONS || self.0.contains_key(&name);
        if fits {
            self.0.insert(name, (body, OnceCell::new()));
        }
        fits
    }

    /// What the animation of a name does; `None`: the page does not say so itself.
    pub fn of(&self, name: u32) -> Option<Frames> {
        let (body, read) = self.0.get(&name)?;
        Some(*read.get_or_init(|| css::frames(body)))
    }
}

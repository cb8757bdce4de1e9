//! The colours that letters of a page may stand on.
//!
//! Must not know: which declaration wins, what stands where.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::css::{self, Declaration, Effect, Property, Reading, Rgb, are_alike};
use super::native;
use super::paint::{BLACK, WHITE};

/// Colours that something on the page stands on.
#[derive(Debug)]
pub(super) struct Grounds {
    colours: Vec<Rgb>,
    /// There are more than are kept.
    full: bool,
}

impl Grounds {
    /// Those that sheets, attributes and the browser itself give.
    pub fn of(dom: &Dom, declarations: &[Declaration]) -> Grounds {
        let mut grounds = Grounds { colours: vec![WHITE], full: false };
        declarations.iter().for_each(|declaration| grounds.add(declaration));
        for id in (0..dom.nodes.len() as Id).filter(|&id| dom.element(id).is_some()) {
            native::paints(dom, id, &mut |weighted| grounds.add(&weighted.declaration));
            if let Some(style) = dom.value(id, name!("style")) {
                css::declarations(&style, Reading::All, &mut |declaration| {
                    grounds.add(&declaration)
                });
            }
        }
        grounds
    }

    fn add(&mut self, declaration: &Declaration) {
        /// Colours that are told apart.
        const MAX: usize = 64;
        let is_ground = matches!(declaration.property, Property::Ground | Property::Picture);
        if let Effect::Painted(rgb) = declaration.effect
            && is_ground
            && !self.colours.contains(&rgb)
        {
            self.full |= self.colours.len() >= MAX;
            if !self.full {
                self.colours.push(rgb);
            }
        }
    }

    /// May this colour hide what it paints, or what stands on it?
    pub fn may_hide(&self, property: Property, rgb: Rgb) -> bool {
        match property {
            Property::Color | Property::Fill => {
                self.full || self.colours.iter().any(|&ground| are_alike(rgb, ground))
            }
            // Letters of other colours are looked at for these.
            _ => are_alike(rgb, BLACK),
        }
    }
}

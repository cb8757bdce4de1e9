//! By which properties a declaration may hide: what makes an element one that is looked at.
//!
//! Must not know: which declaration wins.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::css::{self, DECIDING, Declaration, Effect, Frames, Properties};
use super::grounds::Grounds;
use super::moving::Moving;
use super::names::Names;
use super::paint;
use super::selector;
use super::values::Values;

/// What a page says elsewhere that decides whether a declaration may hide.
#[derive(Default)]
pub(super) struct Hiding<'p> {
    pub moving: Moving<'p>,
    /// What letters may stand on; `None`: sheets that are not known here say so, too.
    pub grounds: Option<Grounds>,
    /// Which elements a rule may cut off.
    pub cutting: Cutting<'p>,
    /// The blocks of rules that give names values.
    pub naming: Vec<&'p str>,
    /// What names stand for, once a declaration that may hide uses one.
    values: OnceCell<Values>,
    /// The page allows no `style` attributes.
    pub unstyled: bool,
}

impl Hiding<'_> {
    /// What an element's `style` says, if it counts.
    pub fn style<'d>(&self, dom: &'d Dom<'d>, id: Id) -> Option<Cow<'d, str>> {
        if self.unstyled { None } else { dom.value(id, name!("style")) }
    }

    /// Does it depend on names whether a declaration may hide?
    pub fn asks_names(declaration: &Declaration) -> bool {
        matches!(declaration.effect, Effect::Varies(_)) && !DECIDING.has(declaration.property)
    }

    /// Learns which names may stand for something that hides, from rules and from `style` attributes.
    pub fn know_names(&self, dom: &Dom) {
        self.values.get_or_init(|| {
            let mut values = Values::default();
            let mut read =
                |text: &str| css::names(text, &mut |name, value| values.add(name, value));
            self.naming.iter().for_each(|block| read(block));
            for id in 0..dom.nodes.len() as Id {
                if let Some(style) = dom.value(id, name!("style"))
                    && style.contains("--")
                {
                    read(&style);
                }
            }
            values.sort();
            values
        });
    }

    /// The properties by which a declaration hides, by itself or as soon as others let it.
    pub fn by(&self, declaration: &Declaration) -> Properties {
        let own = Properties::of(&[declaration.property]);
        match declaration.effect {
            _ if DECIDING.has(declaration.property) => Properties::default(),
            Effect::Hides | Effect::Gone | Effect::Far => own,
            Effect::Moves(name) => {
                self.moving.of(name).map_or(Properties::default(), Frames::hidden)
            }
            Effect::Painted(rgb) => match &self.grounds {
                Some(grounds) if grounds.may_hide(declaration.property, rgb) => own,
                _ => Properties::default(),
            },
            Effect::Varies(name) => {
                let colours = !own.both(Properties::of(&paint::COLOURS)).is_empty();
                let any = colours && self.grounds.is_some()
                    || self.values.get().is_some_and(|v| v.may_hide(declaration.property, name));
                if any { own } else { Properties::default() }
            }
            Effect::Shows | Effect::Inherits => Properties::default(),
        }
    }
}

/// The rules that cut boxes off.
#[derive(Default)]
pub(super) struct Cutting<'p> {
    selectors: Vec<&'p str>,
    names: OnceCell<Names>,
}

impl<'p> Cutting<'p> {
    pub fn of(selectors: Vec<&'p str>) -> Cutting<'p> {
        Cutting { selectors, names: OnceCell::new() }
    }

    /// May one of them cut off an element?
    pub fn may_have(&self, dom: &Dom, id: Id) -> bool {
        let names = self.names.get_or_init(|| {
            let mut names = Names::default();
            let asked = self.selectors.iter().flat_map(|list| selector::last_names(list));
            asked.for_each(|asked| names.add_last(asked));
            names
        });
        names.may_have(dom, id)
    }
}

//! What a block says with names, as it stands there (CSS Custom Properties Level 1 §3).
//!
//! Must not know: elements, which declaration wins.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::declaration::declaration;
use super::variables::{LONGEST, Stands, filled, plain_value};
use super::{Effect, Reading, blocks, spelled};

/// A value of a name.
#[derive(Clone, Debug)]
pub(in super::super) struct Named {
    pub value: String,
    pub important: bool,
}

/// What the declarations of a block say that name values or use names, as they stand there.
#[derive(Debug, Default)]
pub(in super::super) struct Texts {
    /// Values by their names, whose case matters.
    names: HashMap<String, Named, RandomState>,
    /// By the number of the property, and whether it is important.
    uses: Vec<(usize, bool, String)>,
}

impl Texts {
    /// Of a block or a `style` attribute.
    pub fn of(text: &str) -> Texts {
        let mut texts = Texts::default();
        blocks(text, &mut |text, odd| {
            let plain = if odd { spelled(text) } else { Cow::Borrowed(text) };
            let text = plain.trim_ascii();
            if let Some((name, value)) = text.split_once(':').filter(|_| text.starts_with("--")) {
                let name = name.trim_ascii_end();
                let (value, important) = plain_value(value);
                let weaker = texts.names.get(name).is_some_and(|old| old.important && !important);
                if !weaker {
                    // What is too long stands for nothing.
                    let value = if value.len() <= LONGEST { value } else { "" }.to_owned();
                    texts.names.insert(name.to_owned(), Named { value, important });
                }
                return;
            }
            if text.len() > LONGEST {
                return;
            }
            declaration(text, false, Reading::All, &mut |d| {
                if let Effect::Varies(_) = d.effect {
                    let (place, important) = (d.property as usize, d.important);
                    texts.uses.retain(|(p, i, _)| (*p, *i) != (place, important));
                    texts.uses.push((place, important, text.to_owned()));
                }
            });
        });
        texts
    }

    /// What a name is set to.
    pub fn value(&self, name: &str) -> Option<&Named> {
        self.names.get(name)
    }

    /// What is said of the property of this number, its names filled in.
    pub fn effect(&self, place: usize, of: &mut dyn FnMut(&str) -> Stands) -> Option<Effect> {
        let uses = self.uses.iter().filter(|(p, ..)| *p == place);
        let (.., text) = uses.max_by_key(|(_, important, _)| *important)?;
        let text = filled(text, of)?;
        let mut found = None;
        declaration(&text, false, Reading::All, &mut |d| {
            let is_it = d.property as usize == place && !matches!(d.effect, Effect::Varies(_));
            found = if is_it { Some(d.effect) } else { found };
        });
        found
    }
}

//! What people note at days, and take away again.
//!
//! Must not know: how the order arrived.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::crawl::clock::now;
use crate::model::*;
use crate::query::Unanswered;
use crate::store::Store;
use crate::store::decision::{Change, Topic, Who};

/// Longest text, characters.
pub const LONGEST: usize = 500;
/// Most notes of a store: all of them are read together.
const MOST: usize = 10_000;
/// How often a place is tried that others take first.
const TRIES: usize = 20;

/// A note that has been removed.
#[derive(Debug, Serialize, Deserialize)]
pub struct NoteRemoved {
    pub id: String,
}

/// Pins a note to a day.
///
/// # Errors
/// The text is empty or too long, the brand is not watched, there are too many notes.
pub fn add(
    store: &dyn Store,
    who: &Who,
    day: Day,
    brand: Option<String>,
    text: &str,
) -> Result<Note> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        bail!("the note is empty: say in a few words what happened");
    }
    if text.chars().count() > LONGEST {
        bail!("the note is longer than {LONGEST} characters");
    }
    if text.chars().any(char::is_control) {
        bail!("the note holds a control character");
    }
    if let Some(name) = &brand {
        let watched: Vec<String> = store.brand_set()?.brands.into_iter().map(|b| b.name).collect();
        if !watched.contains(name) {
            return Err(Unanswered::NoBrand { name: name.clone(), watched }.into());
        }
    }
    for _ in 0..TRIES {
        let known = store.notes()?;
        if known.len() >= MOST {
            bail!("there are {MOST} notes: remove those that nobody reads (`crawler notes rm`)");
        }
        let number = |note: &Note| note.id.rsplit('-').next()?.parse::<u32>().ok();
        let last = known.iter().filter(|note| note.day == day).filter_map(number).max();
        let id = format!("{day}-{}", last.unwrap_or(0).saturating_add(1));
        let note = Note {
            id: id.clone(),
            day,
            brand: brand.clone(),
            text: text.clone(),
            made: now(),
            by: who.name.clone(),
        };
        let words = format!("note {id} pinned: {text}");
        let decision = who.decides(now(), Topic::Note, words);
        if store.change(Change::Note(&note), Some(&decision))? > 0 {
            return Ok(note);
        }
    }
    bail!("others are writing notes at {day}, too: try again")
}

/// Removes a note.
///
/// # Errors
/// There is none of this id.
pub fn remove(store: &dyn Store, who: &Who, id: &str) -> Result<NoteRemoved> {
    let decision = who.decides(now(), Topic::Note, format!("note {id} removed"));
    if store.change(Change::NoteRemoved(id), Some(&decision))? == 0 {
        return Err(Unanswered::NoNote(id.to_owned()).into());
    }
    Ok(NoteRemoved { id: id.to_owned() })
}

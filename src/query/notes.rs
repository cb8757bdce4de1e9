//! Notes that people have pinned to days.
//!
//! Must not know: how they are drawn.

use serde::{Deserialize, Serialize};

use crate::model::*;
use crate::store::{Result, Store};

/// Which notes are asked for. `None` = any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotesQuery {
    /// About this brand, or about all.
    pub brand: Option<String>,
    pub from: Option<Day>,
    pub to: Option<Day>,
}

/// The notes, by day, the earliest first; of a day in the order in which they were written.
pub fn notes(store: &dyn Store, query: &NotesQuery) -> Result<Vec<Note>> {
    let mut notes = store.notes()?;
    notes.retain(|note| {
        let about = note.brand.is_none() || query.brand.is_none() || note.brand == query.brand;
        let since = query.from.is_none_or(|from| note.day >= from);
        about && since && query.to.is_none_or(|to| note.day <= to)
    });
    notes.sort_by(|a, b| (a.day, a.made, &a.id).cmp(&(b.day, b.made, &b.id)));
    Ok(notes)
}

//! Notes in the main database, by id. They are kept as JSON: newer fields need no new format.
//!
//! Must not know: who reads them.

use super::format::keys::{self, key};
use super::kv::Overlay;
use crate::model::Note;
use crate::store::{Result, StoreError};

/// Where the note of this id is.
pub fn at(id: &str) -> Vec<u8> {
    key(keys::NOTE).text(id).done()
}

/// A note as it is kept.
pub fn written(note: &Note) -> Result<String> {
    serde_json::to_string(note)
        .map_err(|e| StoreError::Other(format!("a note cannot be written: {e}")))
}

/// A note as it was kept.
pub fn read(text: &str) -> Result<Note> {
    serde_json::from_slice(text.as_bytes())
        .map_err(|e| StoreError::Other(format!("a note cannot be read: {e}")))
}

impl Overlay<'_> {
    pub fn notes(&self) -> Result<Vec<Note>> {
        self.prefix::<String>(&[keys::NOTE]).map(|row| read(&row?.1)).collect()
    }
}

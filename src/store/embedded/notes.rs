//! Notes in the main database, by id.
//!
//! Must not know: who reads them.

use super::format::json::{self, Json};
use super::format::keys::{self, key};
use super::kv::Overlay;
use crate::model::Note;
use crate::store::Result;

/// Where the note of this id is.
pub fn at(id: &str) -> Vec<u8> {
    key(keys::NOTE).text(id).done()
}

impl Json for Note {
    const WHAT: &str = "a note";
}

impl Overlay<'_> {
    pub fn notes(&self) -> Result<Vec<Note>> {
        self.prefix::<String>(&[keys::NOTE]).map(|row| json::read(&row?.1)).collect()
    }
}

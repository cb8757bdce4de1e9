//! A consistent copy of the whole store while it is in use.
//!
//! Must not know: what the records hold.

use std::path::Path;

use super::Embedded;
use super::backup::{CACHE, copy_main, empty_dir};
use super::files::ARTICLES;
use super::kv::copy;
use super::redb::RedbKv;
use crate::store::Result;

impl Embedded {
    /// Writes the copy into the empty directory `to`, itself a store that can be opened. Main is
    /// copied as it is at the beginning. The months only grow, and hold what main points to before main does, so
    /// what they have more is an unreferenced tail. They come before main, which takes its name when it is whole:
    /// a copy that is cut short is no store.
    pub(super) fn copy_to(&self, to: &Path) -> Result<()> {
        empty_dir(to)?;
        // Kept to the end: what it points to is not erased from the months before.
        let main = self.snapshot()?;
        for month in self.months.all()? {
            if let Some(kv) = self.months.month(month, false)? {
                let to = to.join(ARTICLES).join(month.to_string());
                copy(&*kv, &RedbKv::open(&to, CACHE)?)?;
            }
        }
        copy_main(&main, to)
    }
}

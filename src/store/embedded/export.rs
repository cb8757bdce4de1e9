//! A consistent copy of the whole store while it is in use.
//!
//! Must not know: what the records hold.

use std::path::Path;

use super::Embedded;
use super::backup::{CACHE, empty_dir};
use super::files::{ARTICLES, MAIN};
use super::kv::copy;
use super::redb::RedbKv;
use crate::store::Result;

impl Embedded {
    /// Writes the copy into the empty directory `to`, itself a store that can be opened. Main is
    /// copied as it is at the beginning. The months come after it: they only grow, and hold what main
    /// points to before main does, so what they have more is an unreferenced tail.
    pub(super) fn copy_to(&self, to: &Path) -> Result<()> {
        empty_dir(to)?;
        // Kept to the end: what it points to is not erased from the months before.
        let main = self.snapshot()?;
        copy(&main, &RedbKv::open(&to.join(MAIN), CACHE)?)?;
        for month in self.months.all()? {
            if let Some(kv) = self.months.month(month, false)? {
                let to = to.join(ARTICLES).join(month.to_string());
                copy(&*kv, &RedbKv::open(&to, CACHE)?)?;
            }
        }
        Ok(())
    }
}

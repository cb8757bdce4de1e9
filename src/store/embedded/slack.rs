//! Which databases of a store hold much more room than rows, and their compaction: main, and the months. One that is
//! over is written once more when it is, since nothing is appended to it any more.
//!
//! Must not know: how a database is written anew.

use super::format::Month;
use super::format::keys::{self, key};
use super::kv::Kv;
use super::{COMMIT, Embedded, files};
use crate::store::{Compaction, Result, Store, StoreError};

/// Named value: bytes of main after its last compaction; of a month with its name behind it.
pub(super) const COMPACTED: &str = "compacted";

impl Embedded {
    /// Writes main anew, and every month that is worth it. `None`: readers of main did not end in time. If only those
    /// are to be written that have grown, what there is no room for has to wait.
    pub(super) fn compact_databases(&self, grown_alone: bool) -> Result<Option<Compaction>> {
        let mut done = Compaction { before: 0, after: 0 };
        if !grown_alone || self.has_grown(self.kv.size()?, COMPACTED, self.small)? {
            match self.compact_one(&*self.kv, COMPACTED) {
                Ok(Some(of)) => done = of,
                Ok(None) => return Ok(None),
                Err(StoreError::NoRoom(why)) if grown_alone => tracing::warn!("{why}"),
                Err(error) => return Err(error),
            }
        }
        for month in self.slack_months()? {
            match self.compact_month(month) {
                Ok(Some(of)) => {
                    done.before += of.before;
                    done.after += of.after;
                }
                Ok(None) => {}
                Err(StoreError::NoRoom(why)) if grown_alone => tracing::warn!("{why}"),
                // Crawling goes on beside it.
                Err(error @ StoreError::Corrupt { .. }) if self.months.is_damaged(month) => {
                    tracing::error!("the month {month} is not compacted: {error}");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Some(done))
    }

    fn compact_month(&self, month: Month) -> Result<Option<Compaction>> {
        match self.months.month(month, false)? {
            Some(kv) => self.compact_one(&*kv, &named(month)),
            None => Ok(None),
        }
    }

    /// Is a database worth it that there is room to copy?
    pub(super) fn is_slack(&self) -> Result<bool> {
        let mut sizes = Vec::new();
        if self.has_grown(self.kv.size()?, COMPACTED, self.small)? {
            sizes.push(self.kv.size()?);
        }
        for month in self.slack_months()? {
            sizes.push(self.months.size_of(month));
        }
        let Some(least) = sizes.into_iter().min() else { return Ok(false) };
        if let Some(dir) = &self.dir
            && let Err(error) = files::need(dir, least, "the compaction of the store")
        {
            tracing::warn!("{error}");
            return Ok(false);
        }
        Ok(true)
    }

    /// Gives back what the texts of a month took that have left. Without room for its copy, or if readers do not end in
    /// time, the next compaction does. The caller holds the writer.
    pub(super) fn give_back(&self, month: Month, kv: &dyn Kv) -> Result<()> {
        let done = match kv.compact() {
            Err(StoreError::NoRoom(why)) => {
                tracing::warn!("{why}");
                false
            }
            done => done?,
        };
        if !done {
            let mut tx = self.tx()?;
            tx.o.del(key(keys::META).text(&named(month)).done());
            self.commit(tx, COMMIT, true)?;
        }
        Ok(())
    }

    fn compact_one(&self, kv: &dyn Kv, name: &str) -> Result<Option<Compaction>> {
        let before = kv.size()?;
        {
            let _writer = self.writer();
            if !kv.compact()? {
                return Ok(None);
            }
        }
        let after = kv.size()?;
        self.set_meta(name, &after.to_be_bytes())?;
        Ok(Some(Compaction { before, after }))
    }

    /// The last month is the one that grows: it is spared as long as it is small. One that is damaged stays as it is.
    fn slack_months(&self) -> Result<Vec<Month>> {
        let months = self.months.all()?;
        let last = months.last().copied();
        let mut slack = Vec::new();
        for month in months {
            let small = if Some(month) == last { self.small } else { 0 };
            let grown = self.has_grown(self.months.size_of(month), &named(month), small)?;
            if grown && !self.months.is_damaged(month) {
                slack.push(month);
            }
        }
        Ok(slack)
    }

    /// By two fifths since its last compaction: an hour's growth later it is still no more than half as
    /// much again.
    fn has_grown(&self, size: u64, name: &str, small: u64) -> Result<bool> {
        let last = self.meta(name)?.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
        Ok(size > last.map_or(0, u64::from_be_bytes).max(small) / 5 * 7)
    }
}

fn named(month: Month) -> String {
    format!("{COMPACTED} {month}")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::store::Settings;
    use crate::store::embedded::files::MAIN;
    use crate::store::embedded::kv::Writes;
    use crate::store::embedded::redb::FILE;

    const OVER: Month = Month { year: 2026, month: 9 };
    const LAST: Month = Month { year: 2026, month: 10 };

    /// As articles come: a few at a time, in no order.
    fn fill(store: &Embedded, month: Month) {
        for n in 0..400_u64 {
            let key = u128::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            let row = (key.to_be_bytes().to_vec(), Some(vec![n as u8; 2_000]));
            store.months.commit(vec![(month, Writes::from([row]))]).unwrap();
        }
    }

    fn rows(store: &Embedded, month: Month) -> usize {
        let kv = store.months.month(month, false).unwrap().unwrap();
        kv.scan(&[], &[0xff; 17]).map(Result::unwrap).count()
    }

    #[test]
    fn a_month_that_is_over_gives_its_room_back_once_and_the_one_that_grows_is_spared() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { compact_mib: 64, ..Settings::default() };
        let store = Embedded::open(dir.path(), &settings).unwrap();
        assert!(!store.is_slack().unwrap());
        fill(&store, OVER);
        assert!(!store.is_slack().unwrap(), "it is the last one, and small");
        fill(&store, LAST);
        assert!(store.is_slack().unwrap());
        let before = [OVER, LAST].map(|month| store.months.size_of(month));
        let main = || std::fs::metadata(dir.path().join(MAIN).join(FILE)).unwrap().ino();
        let inode = main();
        let done = store.compact_databases(true).unwrap().unwrap();
        assert_eq!(main(), inode, "main has not grown");
        let after = [OVER, LAST].map(|month| store.months.size_of(month));
        assert!(after[0] < before[0], "{before:?} {after:?}");
        assert_eq!(after[1], before[1]);
        assert!(done.before - done.after >= before[0] - after[0], "{done:?}");
        assert_eq!([rows(&store, OVER), rows(&store, LAST)], [400, 400]);
        assert!(!store.is_slack().unwrap(), "once is enough");
        store.compact_databases(false).unwrap().unwrap();
        assert_ne!(main(), inode, "an operator asks for main as well");
    }
}

//! The months of articles in a repair: every readable article gets a place in main again, and a month
//! that is damaged is set aside with its readable rest in its place.
//!
//! Must not know: how main is salvaged.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::read::{open_copy, readable};
use super::{Adopted, Repair};
use crate::model::*;
use crate::store::embedded::files::{ARTICLES, SALVAGE, free_name, remove, rename};
use crate::store::embedded::format::keys::{self, Parts, key};
use crate::store::embedded::format::{Month, VECTORS, decode, is_kept, seal, vector_key};
use crate::store::embedded::kv::{Kv, Writes};
use crate::store::embedded::months::{cache, unpack};
use crate::store::embedded::moving;
use crate::store::embedded::redb::RedbKv;
use crate::store::embedded::retention;
use crate::store::{Recount, Result, StoreError};

impl Repair {
    /// Points to every readable article of the months; `adopt` brings what belongs to it. A month
    /// that does not open, or has unreadable places, is set aside, with the readable rest in its
    /// place. Returns how many articles there are.
    pub fn articles(
        &self,
        adopt: &mut dyn FnMut(&ArticleRecord) -> Adopted,
        say: &mut dyn FnMut(String),
    ) -> Result<u64> {
        moving::recover_all(&self.dir.join(ARTICLES))?;
        self.finish_months()?;
        self.erase(say)?;
        let mut count = 0;
        for month in self.store.months.all()? {
            let kv = match self.store.months.month(month, false) {
                Ok(Some(kv)) => kv,
                Ok(None) => continue,
                Err(StoreError::Corrupt { detail, .. }) => {
                    let aside = self.set_aside(month)?;
                    say(format!("the month {month} does not open ({detail}): {}", kept(&aside)));
                    match self.store.months.month(month, false)? {
                        Some(kv) => kv,
                        None => continue,
                    }
                }
                Err(e) => return Err(e),
            };
            // First it is whole again: then it can be written to.
            let Some(kv) = self.whole(month, kv, say)? else { continue };
            let mut lost = 0_u64;
            readable(&*kv, &[], &VECTORS, &mut |at, value| {
                match self.article(month, at, value, adopt) {
                    Ok(Ok(true)) => count += 1,
                    Ok(Ok(false)) => {}
                    Ok(Err(why)) => {
                        lost += 1;
                        say(format!("month {month}: {why}"));
                    }
                    Err(e) => return Err(e),
                }
                Ok(())
            })?;
            kv.flush()?;
            if lost > 0 {
                say(format!("articles of the month {month} that are lost: {lost}"));
            }
        }
        Ok(count)
    }

    /// A month without unreadable places: one that has some is set aside, with the readable rest in its
    /// place.
    fn whole(
        &self,
        month: Month,
        kv: Arc<dyn Kv>,
        say: &mut dyn FnMut(String),
    ) -> Result<Option<Arc<dyn Kv>>> {
        let breaks = readable(&*kv, &[], &[0xff; 64], &mut |_, _| Ok(()))?;
        if breaks == 0 {
            self.store.months.forget_damage(month)?;
            return Ok(Some(kv));
        }
        let aside = self.rewrite(month, &*kv)?;
        drop(kv);
        self.swap(month, &aside)?;
        say(format!("unreadable places of the month {month}: {breaks}; {}", kept(&aside)));
        self.store.months.month(month, false)
    }

    /// One row of a month: is it an article now? The inner error says why it cannot be read.
    fn article(
        &self,
        month: Month,
        at: &[u8],
        value: &[u8],
        adopt: &mut dyn FnMut(&ArticleRecord) -> Adopted,
    ) -> Result<std::result::Result<bool, String>> {
        if is_kept(at) {
            return Ok(Ok(false));
        }
        let Ok(id) = <[u8; 16]>::try_from(at) else {
            return Ok(Err(format!("a key of {} bytes is none", at.len())));
        };
        let id = UrlKey(u128::from_be_bytes(id));
        let record = match unpack(id, value) {
            Ok(record) if record.key == id => record,
            Ok(record) => return Ok(Err(format!("article {id} holds the article {}", record.key))),
            Err(why) => return Ok(Err(format!("article {id} {why}"))),
        };
        let old = self.old_entry(id);
        if self.decided.forgotten.contains_key(&id)
            || old.as_ref().is_some_and(|url| url.outcome == Outcome::Forgotten)
        {
            // The month may have been away when it was forgotten.
            return self.note_erasure(month, id).map(|()| Ok(false));
        }
        // Any other end: a record that a crash left behind.
        let open = |url: &UrlRecord| matches!(url.outcome, Outcome::Article | Outcome::Pending);
        if old.as_ref().is_some_and(|url| !open(url)) {
            return Ok(Ok(false));
        }
        let known = old.as_ref().is_some_and(|url| url.outcome == Outcome::Article);
        let mut adopted = adopt(&record);
        if let Some(old) = old {
            adopted.url = old;
        }
        // One that is damaged is written anew.
        let stored = self.store.months.vector(month, id, record.published.at).ok().flatten();
        if !record.has_text() {
            let kept = match self.store.months.month(month, false)? {
                Some(month) => retention::kept(&*month, id).ok().flatten(),
                None => None,
            };
            let before = kept.as_ref().map(|kept| &kept.vector).filter(|kept| !kept.is_empty());
            if let Some(vector) = stored.as_ref().or(before) {
                adopted.vector.clone_from(vector);
            }
            if let Some(kept) = kept {
                // Nobody can count them again: they stand as they were counted.
                let watched = self.store.brand_set()?.brands;
                adopted.mentions = kept.mentions;
                adopted.mentions.retain(|row| watched.iter().any(|brand| brand.name == row.brand));
            }
        }
        let adopts = self.store.rebuild(|tx| tx.adopt(month, &record, &adopted, known))?;
        if adopts && stored.as_ref() != Some(&adopted.vector) {
            let at = vector_key(record.published.at, id);
            let value = seal(&at, &adopted.vector);
            self.store.months.append(month, Writes::from([(at, Some(value))]))?;
        }
        Ok(Ok(adopts))
    }

    /// Has an article erased when the store is opened, or once its month is back.
    fn note_erasure(&self, month: Month, id: UrlKey) -> Result<()> {
        self.store.rebuild(|tx| tx.o.put(key(keys::ERASE).id(id).done(), &month))
    }

    /// Erasures that the damaged main still had to do.
    fn erase(&self, say: &mut dyn FnMut(String)) -> Result<()> {
        let mut noted = Vec::new();
        self.old_rows(keys::ERASE, say, &mut |at, value| {
            let id = Parts(at.get(1..).unwrap_or_default()).id();
            let (Ok(month), Some(id)) = (decode::<Month>(at, value), id) else { return Ok(false) };
            noted.push((month, id));
            Ok(true)
        })?;
        for (month, id) in noted {
            if !self.store.months.is_in_place(month) {
                self.note_erasure(month, id)?;
            }
            match self.store.months.erase(month, id) {
                // A month that does not open is set aside as it is.
                Ok(()) | Err(StoreError::Corrupt { .. }) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn month_path(&self, month: Month) -> PathBuf {
        self.dir.join(ARTICLES).join(month.to_string())
    }

    fn rebuilt_path(&self, month: Month) -> PathBuf {
        self.dir.join(ARTICLES).join(format!("{month}.rebuilt"))
    }

    /// Puts what a month that does not open gives away nevertheless in its place, if anything.
    fn set_aside(&self, month: Month) -> Result<PathBuf> {
        let path = self.month_path(month);
        let copy = self.dir.join(ARTICLES).join(format!("{month}.{SALVAGE}"));
        let readable = open_copy(&path, &copy, cache(&self.settings))?.ok();
        if let Some(kv) = &readable {
            self.rewrite(month, &**kv)?;
        }
        let found = readable.is_some();
        drop(readable);
        remove(&copy)?;
        let aside = free_name(&self.dir.join(ARTICLES), &month.to_string(), self.now);
        rename(&path, &aside)?;
        if found {
            rename(&self.rebuilt_path(month), &path)?;
        }
        Ok(aside)
    }

    /// Copies the readable rows of a month beside it; the name that the month is to be kept under.
    fn rewrite(&self, month: Month, kv: &dyn Kv) -> Result<PathBuf> {
        let path = self.rebuilt_path(month);
        remove(&path)?;
        let new = RedbKv::open(&path, cache(&self.settings))?;
        readable(kv, &[], &[0xff; 64], &mut |at, value| {
            new.apply(Writes::from([(at.to_vec(), Some(value.to_vec()))]))
        })?;
        new.flush()?;
        Ok(free_name(&self.dir.join(ARTICLES), &month.to_string(), self.now))
    }

    /// Puts a rewritten month in place of the damaged one.
    fn swap(&self, month: Month, aside: &Path) -> Result<()> {
        self.store.months.close(month);
        rename(&self.month_path(month), aside)?;
        rename(&self.rebuilt_path(month), &self.month_path(month))
    }

    /// Ends the swap that a repair was cut short in.
    fn finish_months(&self) -> Result<()> {
        for file in std::fs::read_dir(self.dir.join(ARTICLES)).into_iter().flatten().flatten() {
            let name = file.file_name();
            let Some(month) = name.to_str().and_then(|n| n.strip_suffix(".rebuilt")) else {
                continue;
            };
            let month = self.dir.join(ARTICLES).join(month);
            if month.exists() { remove(&file.path())? } else { rename(&file.path(), &month)? }
        }
        Ok(())
    }
}

fn kept(aside: &Path) -> String {
    format!("it is kept as {}", aside.display())
}

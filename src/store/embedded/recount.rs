//! A changed brand set: rows of the new version are written beside the current ones, then one
//! batch writes the new tallies and flips the pointer. A crash at any instant leaves the old
//! version or the new one; what is left of the other is dropped at the next opening.
//!
//! Must not know: how brands are matched.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::format::encode;
use super::format::keys::{self, Parts, key};
use super::tx::{Tx, current_version};
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::decision::{Change, Decision};
use crate::store::embedded::decisions::Line;
use crate::store::embedded::kv::{Overlay, Writes, end_of};
use crate::store::rules::decisions::change;
use crate::store::rules::recount::{began_from, put_beside};
use crate::store::rules::sums;
use crate::store::{Each, Recount, Result, StoreError};

/// Keys deleted in one batch.
const DROPPED_PER_BATCH: usize = 2_000;
/// Tables whose keys begin with a brand-set version.
const VERSIONED: [u8; 5] =
    [keys::MENTION, keys::BY_ARTICLE, keys::TALLY, keys::RECOUNTED, keys::STORY_BRAND];
/// Story brands written in one batch.
const BRANDS_PER_BATCH: usize = 5_000;

/// Articles that the recount to `version` has not reached.
pub fn missing(view: &Overlay, version: &str, each: Each<UrlKey>) -> Result<()> {
    if version == current_version(view)? {
        return Ok(());
    }
    for row in view.scan_raw(&[keys::POINTER], &[keys::POINTER + 1]) {
        let (at, _) = row?;
        let article = view.part(&at, 1, Parts::id)?;
        let mark = key(keys::RECOUNTED).text(version).id(article).done();
        if !view.has(&mark)? && !each(article) {
            break;
        }
    }
    Ok(())
}

/// Tallies of one version, summed from its rows and the stories.
pub fn sum_tallies(view: &Overlay, version: &str) -> Result<BTreeMap<(String, Day), Tally>> {
    let mut sums: BTreeMap<(String, Day), Tally> = BTreeMap::new();
    for row in view.prefix::<MentionRow>(&key(keys::MENTION).text(version).done()) {
        let (_, row) = row?;
        let change = sums::of_row(&row, view.arrival(row.article)?, 1);
        sums.entry((row.brand, row.day)).or_default().add(&change);
    }
    each_story_brand(view, version, &mut |story, brand, _| {
        if let Some(head) = view.story_head(story)? {
            let counting = view.brands_of(version, head.original.rank.key)?;
            let change = sums::of_story(counting.iter().any(|counted| counted == brand), 1);
            sums.entry((brand.to_owned(), head.day)).or_default().add(&change);
        }
        Ok(())
    })?;
    sums.retain(|_, tally| *tally != Tally::default());
    Ok(sums)
}

/// Each story with each brand that its members count under one version, and how many do, from the
/// rows. Holds the stories of one brand at a time.
pub fn each_story_brand(
    view: &Overlay,
    version: &str,
    each: &mut dyn FnMut(UrlKey, &str, u64) -> Result<()>,
) -> Result<()> {
    let mut of_brand: (String, HashMap<UrlKey, u64>) = Default::default();
    for row in view.prefix::<MentionRow>(&key(keys::MENTION).text(version).done()) {
        let (_, row) = row?;
        if row.brand != of_brand.0 {
            for (story, members) in of_brand.1.drain() {
                each(story, &of_brand.0, members)?;
            }
            of_brand.0 = row.brand;
        }
        if row.counted > 0
            && let Some(member) = view.member_row(row.article)?
        {
            *of_brand.1.entry(member.story).or_default() += 1;
        }
    }
    for (story, members) in of_brand.1 {
        each(story, &of_brand.0, members)?;
    }
    Ok(())
}

impl Recount for Embedded {
    fn brand_set(&self) -> Result<BrandSet> {
        let view = self.view();
        let version = current_version(&view)?;
        Ok(view.get(&key(keys::BRAND_SET).text(&version).done())?.unwrap_or_default())
    }

    fn recount_put(&self, set: &BrandSet, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        // Not flushed: a recount that a crash cuts short is begun again.
        self.write(COMMIT, false, |tx| {
            if !put_beside(tx, set, article, rows)? {
                return Ok(());
            }
            tx.o.put(key(keys::RECOUNTED).text(&set.version).id(article).done(), &())
        })
    }

    fn recount_missing(&self, set: &BrandSet, each: Each<UrlKey>) -> Result<()> {
        missing(&self.view(), &set.version, each)
    }
}

impl Embedded {
    pub fn finish_recount(
        &self,
        set: &BrandSet,
        previous: &str,
        decision: Option<&Decision>,
    ) -> Result<()> {
        {
            // Until the pointer is flipped no story may change.
            let _writer = self.writer();
            began_from(previous, &current_version(&self.view())?, set)?;
            self.count_story_brands(&set.version)?;
            let mut tx = self.tx()?;
            flip(&mut tx, set)?;
            change(&mut tx, &Change::BrandSet { set, previous }, decision)?;
            self.commit(tx, COMMIT, true)?;
        }
        self.drop_retired()
    }

    /// Writes the story brands of a version that is to be current, in bounded batches.
    fn count_story_brands(&self, version: &str) -> Result<()> {
        if version == current_version(&self.view())? {
            return Ok(());
        }
        let prefix = key(keys::STORY_BRAND).text(version).done();
        loop {
            let mut tx = self.tx()?;
            let more = drop_some(&mut tx, &prefix)?;
            self.commit(tx, COMMIT, false)?;
            if !more {
                break;
            }
        }
        let mut writes = Writes::new();
        each_story_brand(&self.view(), version, &mut |story, brand, members| {
            let at = key(keys::STORY_BRAND).text(version).id(story).text(brand).done();
            let value = encode(&at, &members)?;
            writes.insert(at, Some(value));
            if writes.len() >= BRANDS_PER_BATCH {
                self.put_unflushed(std::mem::take(&mut writes))?;
            }
            Ok(())
        })?;
        self.put_unflushed(writes)
    }

    fn put_unflushed(&self, writes: Writes) -> Result<()> {
        let mut tx = self.tx()?;
        tx.o.writes = writes;
        self.commit(tx, COMMIT, false)
    }

    /// Drops the rows of versions that are no longer current, in bounded batches; before that, what is kept for
    /// a repair follows those that are.
    pub fn drop_retired(&self) -> Result<()> {
        let view = self.view();
        let current = current_version(&view)?;
        let rows = view.scan_raw(&[keys::RETIRED], &[keys::RETIRED + 1]);
        let mut retired: Vec<String> =
            rows.map(|row| view.part(&row?.0, 1, Parts::text)).collect::<Result<_>>()?;
        retired.retain(|version| *version != current);
        if !retired.is_empty() {
            self.keep_recounted()?;
        }
        for version in retired {
            for table in VERSIONED {
                let prefix = key(table).text(&version).done();
                while self.write(COMMIT, false, |tx| drop_some(tx, &prefix))? {}
            }
            self.write(COMMIT, true, |tx| {
                tx.o.del(key(keys::RETIRED).text(&version).done());
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn flip(tx: &mut Tx, set: &BrandSet) -> Result<()> {
    if set.version != tx.version {
        let mut left = 0_u64;
        missing(&tx.o, &set.version, &mut |_| {
            left += 1;
            true
        })?;
        if left > 0 {
            return Err(StoreError::NotRecounted { left, version: set.version.clone() });
        }
        // Of a version that was in use before some may be left.
        let tallies = key(keys::TALLY).text(&set.version).done();
        tx.o.drop_rows(&tallies, &end_of(&tallies), usize::MAX)?;
        for ((brand, day), tally) in sum_tallies(&tx.o, &set.version)? {
            tx.o.put(key(keys::TALLY).text(&set.version).text(&brand).day(day).done(), &tally)?;
        }
        // The replaced version, and what recounts that were begun and given up have left.
        for version in versions(&tx.o)?.into_iter().filter(|v| *v != set.version) {
            tx.o.put(key(keys::RETIRED).text(&version).done(), &())?;
        }
        // Earlier it may have been replaced itself, and its rows not be dropped yet.
        tx.o.del(key(keys::RETIRED).text(&set.version).done());
        // From here on this transaction speaks of the new version.
        tx.version = set.version.clone();
    }
    tx.decisions.push(Line::Brands(set.clone()));
    tx.o.put(key(keys::BRAND_POINTER).done(), &set.version)?;
    tx.o.put(key(keys::BRAND_SET).text(&set.version).done(), set)
}

/// Every version that has rows or marks.
pub fn versions(view: &Overlay) -> Result<BTreeSet<String>> {
    let mut versions = BTreeSet::new();
    for table in VERSIONED {
        let mut from = vec![table];
        while let Some(row) = view.scan_raw(&from, &[table + 1]).next() {
            let (at, _) = row?;
            let version = view.part(&at, 1, Parts::text)?;
            from = end_of(&key(table).text(&version).done());
            versions.insert(version);
        }
    }
    Ok(versions)
}

/// Deletes some keys under a prefix; `false` when none is left.
fn drop_some(tx: &mut Tx, prefix: &[u8]) -> Result<bool> {
    Ok(tx.o.drop_rows(prefix, &end_of(prefix), DROPPED_PER_BATCH)? > 0)
}

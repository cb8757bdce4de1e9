//! The embedded store as a stream of items, and an empty one filled from such a stream.
//!
//! Must not know: what the items are for.

use super::format::json;
use super::format::keys::{self, Parts, key};
use super::format::{PaceRow, Pointer};
use super::printed::printed_key;
use super::read::ledger_id;
use super::shift::{DOUBT, LAST_CLAIM};
use super::slack::COMPACTED;
use super::stories::mention_key;
use super::tx::{Tx, current_version};
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::embedded::excerpts::excerpt_of_key;
use crate::store::embedded::kv::Overlay;
use crate::store::rules::ledger::LedgerRow;
use crate::store::rules::retention::{ENTRIES, LEFT, ROBOTS};
use crate::store::rules::transfer::{OtherRows, take};
use crate::store::transfer::{BEGUN, IMPORTING, Item, after_lease, refuse_unless_empty, take_over};
use crate::store::{OutletRule, Result, Store, StoreError, Transfer};

/// How far texts had left, in stores of before: now each month says it.
const TEXTS: &str = "retention texts";
/// Values that speak of this kind of store only.
const OWN: [&str; 6] = [LAST_CLAIM, DOUBT, TEXTS, ENTRIES, ROBOTS, IMPORTING];

impl Transfer for Embedded {
    /// Everything as it is at the beginning.
    fn export(&self, each: &mut dyn FnMut(Item) -> Result<bool>) -> Result<()> {
        let main = self.snapshot()?;
        let given = self.give_all(&Overlay::new(&main), each);
        drop(main);
        given.map(drop).and(self.erase())
    }

    fn import(&self, items: &mut dyn Iterator<Item = Result<Item>>) -> Result<u64> {
        refuse_unless_empty(self)?;
        self.set_meta(IMPORTING, BEGUN)?;
        let taken = take_over(self, items, &mut |part| {
            self.write(COMMIT, false, |tx| part.into_iter().try_for_each(|item| take(tx, item)))
        })?;
        self.kv.flush()?;
        self.write_decisions()?;
        // What is taken comes in no order, and leaves half of the file empty.
        if self.wants_compaction()? {
            self.compact(false)?;
        }
        Ok(taken)
    }
}

impl Embedded {
    /// `false`: it was stopped.
    fn give_all(&self, view: &Overlay, each: &mut dyn FnMut(Item) -> Result<bool>) -> Result<bool> {
        let version = current_version(view)?;
        if let Some(set) = view.get(&key(keys::BRAND_SET).text(&version).done())?
            && !each(Item::Brands(set))?
        {
            return Ok(false);
        }
        let text = |at: &[u8]| view.part(at, 1, Parts::text);
        let id = |at: &[u8]| view.part(at, 1, Parts::id);
        for row in view.scan_raw(&[keys::META], &[keys::META + 1]) {
            let (at, value) = row?;
            let name = text(&at)?;
            if OWN.contains(&name.as_str()) || name.starts_with(COMPACTED) {
                continue;
            }
            let value = match name.as_str() {
                // The place of a version of before is none elsewhere.
                LEFT => Bytes(Vec::new()),
                _ => Bytes(view.open_bytes(&at, &value)?),
            };
            if !each(Item::Value { name, value })? {
                return Ok(false);
            }
        }
        let mut log = Vec::new();
        view.decisions(None, &mut |_, decision| {
            log.push(decision);
            true
        })?;
        for decision in log.into_iter().rev() {
            if !each(Item::Decision(Box::new(decision)))? {
                return Ok(false);
            }
        }
        let mut table = |table: u8, item: &dyn Fn(&[u8]) -> Result<Option<Item>>| -> Result<bool> {
            for row in view.scan_raw(&[table], &[table + 1]) {
                if let Some(item) = item(&row?.0)?
                    && !each(item)?
                {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(table(keys::RULE, &|at| {
            let (outlet, rule): (_, Option<OutletRule>) = (text(at)?, view.get(at)?);
            Ok(rule.map(|rule| Item::Rule { outlet, rule }))
        })? && table(keys::ALERT, &|at| {
            let text: Option<String> = view.get(at)?;
            text.map(|text| Ok(Item::Alert(Box::new(json::read(&text)?)))).transpose()
        })? && table(keys::NOTE, &|at| {
            let text: Option<String> = view.get(at)?;
            text.map(|text| Ok(Item::Note(Box::new(json::read(&text)?)))).transpose()
        })? && table(keys::FEED, &|at| {
            Ok(view.get(at)?.map(|feed| Item::Feed(Box::new(feed))))
        })? && table(keys::URL, &|at| {
            Ok(view.get(at)?.map(|entry| Item::Entry(Box::new(entry))))
        })? && table(keys::ALIAS, &|at| {
            let (key, article) = (id(at)?, view.get(at)?);
            Ok(article.map(|article| Item::Alias { key, article }))
        })? && table(keys::POINTER, &|at| {
            let Some(pointer) = view.get(at)? else { return Ok(None) };
            self.give_article(view, &version, id(at)?, pointer).map(Some)
        })? && table(keys::STORY, &|at| Ok(view.bare_story(id(at)?)?.map(Item::Story)))?
            && table(keys::ABSORBED, &|at| {
                let (id, story) = (id(at)?, view.get(at)?);
                Ok(story.map(|story| Item::Absorbed { id, story }))
            })?
            && table(keys::EXCERPT, &|at| {
                let share: Option<f32> = view.get(at)?;
                let (part, whole, is_part) = excerpt_of_key(at).ok_or_else(|| view.bad_key(at))?;
                let share = share.filter(|_| is_part);
                Ok(share.map(|share| Item::Excerpt(Excerpt { part, whole, share })))
            })?
            && table(keys::LEDGER, &|at| {
                let row: Option<LedgerRow> = view.get(at)?;
                let (day, outlet) = ledger_id(at).ok_or_else(|| view.bad_key(at))?;
                let moved = |row: &LedgerRow| {
                    row.polls_due != 0 || !row.left.is_empty() || row.brought.bytes != 0
                };
                Ok(row.filter(moved).map(|row| Item::Polls {
                    day,
                    outlet,
                    due: row.polls_due,
                    succeeded: row.polls_succeeded,
                    left: row.left,
                    brought: row.brought,
                }))
            })?
            && table(keys::ROBOTS, &|at| Ok(view.get(at)?.map(Item::Robots)))?
            && table(keys::PACE, &|at| {
                let (pace_key, row): (_, Option<PaceRow>) = (text(at)?, view.get(at)?);
                Ok(row.map(|row| {
                    let pace = after_lease(row.pace, row.lease.map(|lease| lease.until));
                    Item::Pace { pace_key, pace }
                }))
            })?)
    }

    fn give_article(
        &self,
        view: &Overlay,
        version: &str,
        id: UrlKey,
        pointer: Pointer,
    ) -> Result<Item> {
        let missing = |what: &str| StoreError::Corrupt {
            path: view.kv.place(),
            detail: format!("article {id} lacks its {what}"),
        };
        let record = self.months.get(pointer.month, id)?.ok_or_else(|| missing("record"))?;
        let vector = self.months.vector(pointer.month, id, pointer.at)?;
        let mut mentions: Vec<MentionRow> = Vec::new();
        for (brand, row) in view.rows_of(version, id)? {
            mentions.extend(view.get::<MentionRow>(&mention_key(version, &brand, row.day, id))?);
        }
        let printed = view.get_bytes(&printed_key(&record))?.map(Bytes);
        Ok(Item::Article {
            record: Box::new(record),
            vector: Bytes(vector.ok_or_else(|| missing("vector"))?),
            mentions,
            printed,
        })
    }
}

impl OtherRows for Tx<'_> {
    fn use_brand_set(&mut self, set: &BrandSet) -> Result<()> {
        self.begin_with(set)
    }

    fn put_value(&mut self, name: &str, value: &[u8]) -> Result<()> {
        self.o.put_bytes(key(keys::META).text(name).done(), value);
        Ok(())
    }

    fn put_robots(&mut self, record: &RobotsRecord) -> Result<()> {
        self.o.put(key(keys::ROBOTS).text(&record.origin).done(), record)
    }

    fn put_pace(&mut self, pace_key: &str, pace: &Pace) -> Result<()> {
        let row = self.pace_row(pace_key)?.unwrap_or_default();
        self.touched.insert(pace_key.to_owned());
        self.put_pace_row(pace_key, &PaceRow { pace: pace.clone(), ..row })
    }

    fn put_printed(&mut self, record: &ArticleRecord, printed: &[u8]) -> Result<()> {
        self.o.put_bytes(printed_key(record), printed);
        Ok(())
    }
}

//! Articles, their indexes and vectors, mention rows, tallies.

use std::collections::BTreeMap;

use super::{Check, Look};
use crate::model::*;
use crate::store::embedded::format::keys::{self, Parts, describe, key};
use crate::store::embedded::format::{ByArticle, MemberRow, Pointer, unseal};
use crate::store::embedded::printed::printed_id;
use crate::store::embedded::read::{brand_and_day, day_and_id};
use crate::store::embedded::recount::sum_tallies;
use crate::store::embedded::referred::{Referred, month_key};
use crate::store::embedded::stories::mention_key;
use crate::store::rules::sightings::judge;
use crate::store::{REMEMBERED, Result, StoreError};

/// The article of a key that holds nothing else.
fn id_of(at: &[u8]) -> UrlKey {
    Parts(at.get(1..).unwrap_or_default()).id().unwrap_or_default()
}

impl Check<'_> {
    pub fn articles(&mut self) -> Result<()> {
        self.table(keys::POINTER, |check, at, pointer: Pointer| {
            let id = id_of(at);
            match check.look::<UrlRecord>(&key(keys::URL).id(id).done())? {
                Look::Broken => {}
                Look::Found(url) if url.outcome == Outcome::Article => {}
                Look::Found(url) => {
                    let name = url.outcome.name();
                    check.say(at, format!("belongs to an entry that ended as {name}"));
                }
                Look::Missing => check.say(at, "belongs to no entry"),
            }
            if !check.has(&key(keys::BY_DAY).day(pointer.day).id(id).done())? {
                check.say(at, format!("is missing from the day index of {}", pointer.day));
            }
            if !check.has(&key(keys::MEMBER).id(id).done())? {
                check.say(at, "is in no story");
            }
            match check.look::<Referred>(&month_key(pointer.month))? {
                Look::Broken => {}
                Look::Missing => {
                    check.say(at, format!("lies in {}, which is not noted", pointer.month));
                }
                Look::Found(month) if month.reaches(pointer.at) => {}
                Look::Found(_) => check
                    .say(at, format!("is later than all that {} is said to have", pointer.month)),
            }
            check.record(at, id, pointer)
        })?;
        self.table(keys::MONTH, |_, _, _: Referred| Ok(()))?;
        self.table(keys::BY_DAY, |check, at, ()| {
            let Some((day, id)) = day_and_id(at) else { return Ok(()) };
            match check.look::<Pointer>(&key(keys::POINTER).id(id).done())? {
                Look::Broken => {}
                Look::Found(pointer) if pointer.day == day => {}
                _ => check.say(at, "has no article published on that day"),
            }
            Ok(())
        })?;
        self.printed()
    }

    /// Everything remembered belongs to an article, and no day has more than it may.
    fn printed(&mut self) -> Result<()> {
        let view = self.view;
        let (mut of, mut pages) = (None, 0);
        for row in view.scan_raw(&[keys::PRINTED], &[keys::PRINTED + 1]) {
            let (at, value) = row?;
            let Some((outlet, day, id)) = printed_id(&at) else {
                self.say(&at, "has a malformed key");
                continue;
            };
            if let Err(e) = unseal(&at, &value) {
                self.say(&at, e);
            }
            if !self.has(&key(keys::POINTER).id(id).done())? {
                self.say(&at, "belongs to no article");
            }
            let of_day = Some((outlet, day));
            pages = if of == of_day { pages + 1 } else { 1 };
            of = of_day;
            if pages == REMEMBERED + 1 {
                self.say(&at, format!("is one of more than {REMEMBERED} of its outlet and day"));
            }
        }
        Ok(())
    }

    /// The article's record and vector in its month. What a month holds beyond the pointers is harmless.
    fn record(&mut self, at: &[u8], id: UrlKey, pointer: Pointer) -> Result<()> {
        let month = pointer.month;
        match self.store.months.get(month, id) {
            Ok(None) => {
                self.say(at, format!("leads to the month {month}, which lacks the article"))
            }
            Ok(Some(record)) => {
                if record.key != id {
                    self.say(at, format!("leads to a record of the article {}", record.key));
                }
                let published = &record.published;
                if published.day != pointer.day || published.at != pointer.at {
                    self.say(
                        at,
                        format!(
                            "says published {} ({}), the article says {} ({})",
                            pointer.day, pointer.at, published.day, published.at
                        ),
                    );
                }
                if pointer.credit.as_ref().is_some_and(|credit| *credit != record.credit()) {
                    let (says, is) = (&pointer.credit, record.credit());
                    self.say(at, format!("says {says:?} of whose text it is, the article {is:?}"));
                }
                self.sighting(id, published)?;
                match self.store.months.vector(month, id, pointer.at) {
                    Ok(Some(_)) => {}
                    Ok(None) => self.say(at, format!("has no vector in {month}")),
                    Err(StoreError::Corrupt { detail, .. }) => {
                        self.say(at, format!("leads to the month {month}, where {detail}"));
                    }
                    Err(e) => return Err(e),
                }
            }
            Err(StoreError::Corrupt { detail, .. }) => {
                self.say(at, format!("leads to the month {month}, where {detail}"));
            }
            Err(e) => return Err(e),
        }
        Ok(())
    }

    /// A member stands in its story as its entry was first listed.
    fn sighting(&mut self, id: UrlKey, published: &Published) -> Result<()> {
        let at = key(keys::MEMBER).id(id).done();
        let url = self.look::<UrlRecord>(&key(keys::URL).id(id).done())?;
        if let Look::Found(UrlRecord { sight, .. }) = url
            && let Look::Found(row) = self.look::<MemberRow>(&at)?
            && (sight != Sight::Unnoted && row.sighting != judge(sight, published))
        {
            let expect = judge(sight, published);
            let (found, expected) = (row.sighting.name(), expect.name());
            self.say(&at, format!("says {found}, its entry says {expected}"));
        }
        Ok(())
    }

    pub fn rows_and_tallies(&mut self) -> Result<()> {
        let current = key(keys::MENTION).text(&self.version).done();
        self.table(keys::MENTION, |check, at, row: MentionRow| {
            // Of another version: a recount under way, or one not yet cleared away.
            if !at.starts_with(&current) {
                return Ok(());
            }
            check.row(at, &row)
        })?;
        let current = key(keys::BY_ARTICLE).text(&self.version).done();
        self.table(keys::BY_ARTICLE, |check, at, pointer: ByArticle| {
            let Some(rest) = at.strip_prefix(current.as_slice()) else { return Ok(()) };
            let mut parts = Parts(rest);
            let (Some(id), Some(brand)) = (parts.id(), parts.text()) else { return Ok(()) };
            let row = mention_key(&check.version, &brand, pointer.day, id);
            match check.look::<MentionRow>(&row)? {
                Look::Broken => {}
                Look::Missing => check.say(at, "has no mention row"),
                Look::Found(row)
                    if (row.counted, row.suppressed) != (pointer.counted, pointer.suppressed) =>
                {
                    check.say(
                        at,
                        format!(
                            "says {} counted and {} suppressed, its row says {} and {}",
                            pointer.counted, pointer.suppressed, row.counted, row.suppressed
                        ),
                    );
                }
                Look::Found(_) => {}
            }
            Ok(())
        })?;
        self.tallies()
    }

    fn row(&mut self, at: &[u8], row: &MentionRow) -> Result<()> {
        if at != mention_key(&self.version, &row.brand, row.day, row.article) {
            let own = mention_key(&self.version, &row.brand, row.day, row.article);
            self.say(at, format!("holds the {}", describe(&own)));
        }
        match self.look::<Pointer>(&key(keys::POINTER).id(row.article).done())? {
            Look::Broken => {}
            Look::Missing => self.say(at, "belongs to no article"),
            Look::Found(pointer) if pointer.day != row.day => {
                self.say(at, format!("belongs to an article published on {}", pointer.day));
            }
            Look::Found(_) => {}
        }
        let by_article = key(keys::BY_ARTICLE).text(&self.version).id(row.article);
        if !self.has(&by_article.text(&row.brand).done())? {
            self.say(at, "has no mention pointer");
        }
        let counted = row.mentions.iter().filter(|m| m.zone.counted()).count();
        let suppressed = row.mentions.len() - counted;
        if !row.mentions.is_empty()
            && (counted as u64, suppressed as u64)
                != (u64::from(row.counted), u64::from(row.suppressed))
        {
            self.say(
                at,
                format!(
                    "says {} counted and {} suppressed, its mentions say {counted} and {suppressed}",
                    row.counted, row.suppressed
                ),
            );
        }
        Ok(())
    }

    fn tallies(&mut self) -> Result<()> {
        // Rows that do not decode are reported above; sums over the others would only repeat it.
        let mut sums = match sum_tallies(self.view, &self.version) {
            Ok(sums) => Some(sums),
            Err(StoreError::Corrupt { .. }) => None,
            Err(e) => return Err(e),
        };
        let current = key(keys::TALLY).text(&self.version).done();
        self.table(keys::TALLY, |check, at, tally: Tally| {
            if let (true, Some(sums)) = (at.starts_with(&current), &mut sums) {
                let id = brand_and_day(at, current.len());
                let sum = id.and_then(|id| sums.remove(&id)).unwrap_or_default();
                if tally != sum {
                    check.say(at, format!("says {tally:?}, its rows say {sum:?}"));
                }
            }
            Ok(())
        })?;
        let left: BTreeMap<(String, Day), Tally> = sums.unwrap_or_default();
        for ((brand, day), sum) in left {
            let at = key(keys::TALLY).text(&self.version).text(&brand).day(day).done();
            if !self.has(&at)? {
                self.say(&at, format!("is missing, its rows say {sum:?}"));
            }
        }
        Ok(())
    }
}

//! Which months of articles main points into: one row each, so that a month that is gone is noticed at
//! opening, without a look at every pointer.
//!
//! Must not know: what the articles are.

use serde::{Deserialize, Serialize};

use super::files::ARTICLES;
use super::format::keys::{self, Parts, key};
use super::format::{Month, Pointer, added};
use super::moving;
use super::redb::is_map;
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::{DAY, Millis, UrlKey};
use crate::store::Result;
use crate::store::embedded::kv::Overlay;

/// A month that main points into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Referred {
    /// The first article that was put there; `None` in stores that did not note it.
    first: Option<UrlKey>,
    /// It was gone when the store was opened. What arrives in the same month makes a new one, so this
    /// stays until the first article is there again or main is rebuilt.
    lost: bool,
    /// All its articles were published before this instant, the beginning of a day (UTC); `None`: of a store
    /// of before, whose vectors are not in the months yet.
    #[serde(deserialize_with = "added")]
    until: Option<Millis>,
}

impl Referred {
    fn of(first: Option<UrlKey>) -> Referred {
        Referred { first, lost: false, until: None }
    }

    /// May it have articles published at that instant or later?
    pub fn reaches(&self, at: Millis) -> bool {
        self.until.is_none_or(|until| at < until)
    }
}

pub fn month_key(month: Month) -> Vec<u8> {
    key(keys::MONTH).text(&month.to_string()).done()
}

/// The months that a main database points into, but for those that were gone already.
pub fn expected(view: &Overlay) -> Result<Vec<Month>> {
    let months = read(view)?.into_iter();
    Ok(months.filter(|(_, row)| !row.lost).map(|(month, _)| month).collect())
}

fn read(view: &Overlay) -> Result<Vec<(Month, Referred)>> {
    let mut months = Vec::new();
    for row in view.prefix::<Referred>(&[keys::MONTH]) {
        let (at, row) = row?;
        months.push((view.part(&at, 1, |p| p.text()?.parse().ok())?, row));
    }
    Ok(months)
}

impl Tx<'_> {
    /// Notes that an article published `at` lies in this month.
    pub fn refer_to(&mut self, month: Month, article: UrlKey, at: Millis) -> Result<()> {
        let row = month_key(month);
        let before: Option<Referred> = self.o.get(&row)?;
        let mut referred = before.clone().unwrap_or_else(|| Referred::of(Some(article)));
        if referred.until.is_none_or(|until| at >= until) {
            referred.until = Some(at.div_euclid(DAY).saturating_add(1).saturating_mul(DAY));
        }
        if before.as_ref() == Some(&referred) {
            return Ok(());
        }
        self.o.put(row, &referred)
    }
}

impl Embedded {
    pub(super) fn referred(&self) -> Result<Vec<(Month, Referred)>> {
        read(&self.view())
    }

    /// Looks whether every month that main points into is there.
    pub fn look_for_months(&self) -> Result<()> {
        let Some(dir) = &self.dir else { return Ok(()) };
        let (mut changed, mut whole) = (Vec::new(), Vec::new());
        let known = self.referred()?;
        if known.is_empty() {
            // Written before months were noted, or new.
            let there = self.months.all()?.into_iter();
            changed.extend(there.map(|month| (month, Referred::of(None))));
        }
        for (month, row) in known {
            let path = dir.join(ARTICLES).join(month.to_string());
            let filled = is_map(&path) || moving::is_old(&path);
            // One that was emptied by hand is whole again, too, but not what it was.
            let healed = self.months.is_whole_again(month);
            whole.extend(healed.then_some(month));
            let lost = !filled || (row.lost || healed) && !self.is_back(month, &row)?;
            let what = match lost {
                true => "gone",
                false if !healed && self.months.is_damaged(month) => "damaged",
                false => "",
            };
            if !what.is_empty() {
                tracing::error!(
                    "the articles of {month} are {what}: {} is not what it was; stop the crawler and \
                     put it back from a backup, or run `crawler repair`",
                    path.display()
                );
            }
            if lost != row.lost {
                changed.push((month, Referred { lost, ..row }));
            }
        }
        if !changed.is_empty() {
            self.write(COMMIT, true, |tx| {
                changed.iter().try_for_each(|(month, row)| tx.o.put(month_key(*month), row))
            })?;
        }
        // Not before it is noted which of them are gone.
        for month in whole {
            if let Err(error) = self.months.forget_damage(month) {
                tracing::warn!("{month} is whole again, and the note of its damage stays: {error}");
            }
        }
        Ok(())
    }

    /// Is a month that was gone what it was? Its first article says so. Where that one is unknown or forgotten, all
    /// that main points to must be there.
    fn is_back(&self, month: Month, row: &Referred) -> Result<bool> {
        let view = self.view();
        let is_there = |article| self.months.get(month, article).is_ok_and(|found| found.is_some());
        if let Some(first) = row.first
            && view.has(&key(keys::POINTER).id(first).done())?
        {
            return Ok(is_there(first));
        }
        for pointer in view.prefix::<Pointer>(&[keys::POINTER]) {
            let (at, pointer) = pointer?;
            if pointer.month == month && !is_there(view.part(&at, 1, Parts::id)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Months that main points into and that cannot be read whole.
    pub fn read_damaged_months(&self) -> Result<Vec<String>> {
        let months = self.referred()?.into_iter().map(|(month, _)| month);
        Ok(months.filter(|month| self.months.is_damaged(*month)).map(|m| m.to_string()).collect())
    }

    pub fn read_lost_months(&self) -> Result<Vec<String>> {
        let months = self.referred()?.into_iter();
        Ok(months.filter(|(_, row)| row.lost).map(|(month, _)| month.to_string()).collect())
    }
}

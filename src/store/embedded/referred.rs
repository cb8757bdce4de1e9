//! Which months of articles main points into: one row each, so that a month that is gone is noticed at
//! opening, without a look at every pointer.
//!
//! Must not know: what the articles are.

use serde::{Deserialize, Serialize};

use super::files::ARTICLES;
use super::format::keys::{self, key};
use super::format::{Month, added};
use super::redb::length;
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
        let mut referred: Referred = match self.o.get(&row)? {
            Some(referred) => referred,
            None => Referred::of(Some(article)),
        };
        if referred.until.is_some_and(|until| at < until) {
            return Ok(());
        }
        referred.until = Some(at.div_euclid(DAY).saturating_add(1).saturating_mul(DAY));
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
        let mut changed = Vec::new();
        let known = self.referred()?;
        if known.is_empty() {
            // Written before months were noted, or new.
            let there = self.months.all()?.into_iter();
            changed.extend(there.map(|month| (month, Referred::of(None))));
        }
        for (month, row) in known {
            let path = dir.join(ARTICLES).join(month.to_string());
            let filled = std::fs::read_dir(&path).is_ok_and(|mut files| files.next().is_some());
            let back = |first| self.months.get(month, first).is_ok_and(|found| found.is_some());
            let lost = !filled || row.lost && !row.first.is_some_and(back);
            if lost {
                tracing::error!(
                    "the articles of {month} are gone: {} is not what it was; stop the crawler and \
                     put it back from a backup, or run `crawler repair`",
                    path.display()
                );
            }
            if lost != row.lost {
                changed.push((month, Referred { lost, ..row }));
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        self.write(COMMIT, true, |tx| {
            changed.iter().try_for_each(|(month, row)| tx.o.put(month_key(*month), row))
        })
    }

    /// Months that main points into and whose files no longer open, as far as can be told from outside.
    pub fn odd_months(&self) -> Result<Vec<String>> {
        let Some(dir) = &self.dir else { return Ok(Vec::new()) };
        let months = self.referred()?.into_iter().map(|(month, _)| month.to_string());
        Ok(months.filter(|month| length::is_odd(&dir.join(ARTICLES).join(month))).collect())
    }

    pub fn read_lost_months(&self) -> Result<Vec<String>> {
        let months = self.referred()?.into_iter();
        Ok(months.filter(|(_, row)| row.lost).map(|(month, _)| month.to_string()).collect())
    }
}

//! What pages printed, for the memories of their outlets: at most so many pages an outlet and day,
//! whatever order they came in.
//!
//! Must not know: what the bytes say, how a memory is made of them.

use super::format::keys::{self, key, said};
use super::tx::Tx;
use crate::model::*;
use crate::store::embedded::kv::{Overlay, end_of};
use crate::store::{REMEMBERED, Remembered, Result};

/// Key of what an article's page printed.
pub fn printed_key(record: &ArticleRecord) -> Vec<u8> {
    key(keys::PRINTED).text(&record.outlet).latest(utc_day(record.fetched)).id(record.key).done()
}

/// Outlet, day and article of such a key.
pub fn printed_id(at: &[u8]) -> Option<(String, Day, UrlKey)> {
    said(at, 1, |parts| Some((parts.text()?, parts.latest()?, parts.id()?)))
}

impl Overlay<'_> {
    /// See [`Reading::printed`](crate::store::Reading::printed).
    pub fn printed(&self, outlet: &str, before: Day, most: usize) -> Result<Vec<Vec<u8>>> {
        // The latest day comes first in the order of the keys.
        let from = end_of(&key(keys::PRINTED).text(outlet).latest(before).done());
        let to = end_of(&key(keys::PRINTED).text(outlet).done());
        let rows = self.scan_raw(&from, &to).take(most);
        rows.map(|row| row.and_then(|(at, value)| self.open_bytes(&at, &value))).collect()
    }
}

impl Tx<'_> {
    /// Remembers what a page printed, and lets leave what is in excess of its day, and what is too old.
    pub fn keep_printed(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()> {
        let day = utc_day(record.fetched);
        let of_outlet = key(keys::PRINTED).text(&record.outlet).done();
        let of_day = key(keys::PRINTED).text(&record.outlet).latest(day).done();
        let keys_between = |tx: &Tx<'_>, from: &[u8], to: &[u8]| -> Result<Vec<Vec<u8>>> {
            let beyond = tx.o.scan_raw(from, to).skip(REMEMBERED);
            beyond.map(|row| Ok(row?.0)).collect()
        };
        let first = self.o.scan_raw(&of_day, &end_of(&of_day)).next().is_none();
        self.o.put_bytes(printed_key(record), &printed.bytes);
        // The first page of a day: what is beyond the latest of those before may go by age.
        let (gone, oldest) = if first {
            (keys_between(self, &end_of(&of_day), &end_of(&of_outlet))?, printed.since)
        } else {
            (keys_between(self, &of_day, &end_of(&of_day))?, Day::MAX)
        };
        for at in gone {
            let (_, day, _) = printed_id(&at).ok_or_else(|| self.o.bad_key(&at))?;
            if day < oldest {
                self.o.del(at);
            }
        }
        Ok(())
    }

    /// Forgets what an article's page printed. What its record does not tell is looked for.
    pub fn unremember(&mut self, id: UrlKey, record: Option<&ArticleRecord>) -> Result<()> {
        let found = match record {
            Some(record) => vec![printed_key(record)],
            None => {
                let all = self.o.scan_raw(&[keys::PRINTED], &[keys::PRINTED + 1]);
                let keys: Vec<Vec<u8>> = all.map(|row| Ok(row?.0)).collect::<Result<_>>()?;
                let of_article = |at: &Vec<u8>| printed_id(at).is_some_and(|(.., own)| own == id);
                keys.into_iter().filter(of_article).collect()
            }
        };
        found.into_iter().for_each(|at| self.o.del(at));
        Ok(())
    }
}

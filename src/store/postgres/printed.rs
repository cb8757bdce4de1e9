//! What pages printed, for the memories of their outlets: at most so many pages an outlet and day,
//! whatever order they came in.
//!
//! Must not know: what the bytes say, how a memory is made of them.

use super::tx::{Excess, Tx};
use super::types::number;
use crate::model::*;
use crate::store::rules::transfer::OtherRows;
use crate::store::{REMEMBERED, Remembered, Result};

impl Tx<'_> {
    /// Remembers what a page printed. What is in excess of its day, and what is too old, leaves with
    /// [`Tx::trim_printed`].
    pub fn keep_printed(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()> {
        let of = (record.outlet.clone(), utc_day(record.fetched));
        if !self.printed.contains_key(&of) {
            let there = "SELECT EXISTS (SELECT 1 FROM crawler_data.printed \
                         WHERE outlet = $1 AND day = $2)";
            let first = self.conn.value(there, &[&of.0, &of.1])? != Some(true);
            self.printed.insert(of, Excess { first, since: printed.since });
        }
        self.put_printed(record, &printed.bytes)
    }

    /// Once for all pages of an outlet and day.
    pub fn trim_printed(&mut self) -> Result<()> {
        let kept = number(REMEMBERED as u64);
        for ((outlet, day), Excess { first, since }) in std::mem::take(&mut self.printed) {
            let sql = "DELETE FROM crawler_data.printed AS p USING ( \
                       SELECT outlet, day, article FROM crawler_data.printed \
                       WHERE outlet = $1 AND day = $2 ORDER BY article OFFSET $3) AS o \
                       WHERE p.outlet = o.outlet AND p.day = o.day AND p.article = o.article";
            self.conn.run(sql, &[&outlet, &day, &kept])?;
            if first {
                // What is beyond the latest of the days before may go by age.
                let sql = "DELETE FROM crawler_data.printed AS p USING ( \
                           SELECT outlet, day, article FROM crawler_data.printed \
                           WHERE outlet = $1 AND day < $2 ORDER BY day DESC, article OFFSET $3) AS o \
                           WHERE p.outlet = o.outlet AND p.day = o.day AND p.article = o.article \
                           AND p.day < $4";
                self.conn.run(sql, &[&outlet, &day, &kept, &since])?;
            }
        }
        Ok(())
    }
}

//! What pages printed, for the memories of their outlets: at most so many pages an outlet and day,
//! whatever order they came in.
//!
//! Must not know: what the bytes say, how a memory is made of them.

use super::Postgres;
use super::connect::get;
use super::tx::Tx;
use super::types::number;
use crate::model::*;
use crate::store::rules::transfer::OtherRows;
use crate::store::{REMEMBERED, Remembered, Result};

impl Postgres {
    pub fn read_printed(&self, outlet: &str, before: Day, most: usize) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT printed FROM crawler_data.printed WHERE outlet = $1 AND day < $2 \
                   ORDER BY day DESC, article LIMIT $3";
        let most = number(most as u64);
        let rows = self.pool.call(|conn| conn.rows(sql, &[&outlet, &before, &most]))?;
        rows.iter().map(|row| get(row, 0)).collect()
    }
}

impl Tx<'_> {
    /// Remembers what a page printed, and lets leave what is in excess of its day, and what is too old.
    pub fn keep_printed(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()> {
        let (outlet, day) = (&record.outlet, utc_day(record.fetched));
        let there = "SELECT EXISTS (SELECT 1 FROM crawler_data.printed \
                     WHERE outlet = $1 AND day = $2)";
        let first = self.conn.value(there, &[outlet, &day])? != Some(true);
        self.put_printed(record, &printed.bytes)?;
        let kept = number(REMEMBERED as u64);
        if first {
            // The first page of a day: what is beyond the latest of those before may go by age.
            let sql = "DELETE FROM crawler_data.printed AS p USING ( \
                       SELECT outlet, day, article FROM crawler_data.printed \
                       WHERE outlet = $1 AND day < $2 ORDER BY day DESC, article OFFSET $3) AS o \
                       WHERE p.outlet = o.outlet AND p.day = o.day AND p.article = o.article \
                       AND p.day < $4";
            self.conn.run(sql, &[outlet, &day, &kept, &printed.since])?;
        } else {
            let sql = "DELETE FROM crawler_data.printed AS p USING ( \
                       SELECT outlet, day, article FROM crawler_data.printed \
                       WHERE outlet = $1 AND day = $2 ORDER BY article OFFSET $3) AS o \
                       WHERE p.outlet = o.outlet AND p.day = o.day AND p.article = o.article";
            self.conn.run(sql, &[outlet, &day, &kept])?;
        }
        Ok(())
    }
}

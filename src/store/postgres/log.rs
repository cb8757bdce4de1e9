//! The log of articles: a row for each that came or went.
//!
//! Must not know: who reads it.

use super::Postgres;
use super::connect::{Value, get};
use super::tx::Tx;
use super::types::{count, number};
use crate::store::rules::log::{LogRows, after};
use crate::store::{ArticleLog, LogPosition, Logged, Result};

/// Entries that are kept for workers that are behind, at least.
const KEPT: u64 = 1_000_000;

impl ArticleLog for Postgres {
    fn log_end(&self) -> Result<LogPosition> {
        let sql = "SELECT log_number, log_sum FROM crawler_data.state";
        let row = self.pool.call(|conn| conn.row(sql, &[]))?;
        row.map_or(Ok(LogPosition::default()), |row| {
            let sum = get::<i64>(&row, 1)?.cast_unsigned();
            Ok(LogPosition { number: count(get(&row, 0)?), sum })
        })
    }

    fn log_since(
        &self,
        from: LogPosition,
        each: &mut dyn FnMut(LogPosition, Logged) -> bool,
    ) -> Result<bool> {
        let end = self.log_end()?;
        if from.number >= end.number {
            return Ok(from == end);
        }
        let (mut position, mut whole, mut stopped) = (from, true, false);
        let sql = "SELECT number, article, at, gone, sum FROM crawler_data.log \
                   WHERE number >= $1 AND number <= $2 ORDER BY number";
        let values: [Value; 2] = [&number(from.number), &number(end.number)];
        self.stream(sql, &values, &mut |row| {
            let sum = get::<i64>(row, 4)?.cast_unsigned();
            let found = LogPosition { number: count(get(row, 0)?), sum };
            if found.number == from.number {
                whole = found == from;
                return Ok(whole);
            }
            let entry = Logged { article: get(row, 1)?, at: get(row, 2)?, gone: get(row, 3)? };
            whole = after(position, &entry) == found;
            if !whole {
                return Ok(false);
            }
            position = found;
            stopped = !each(position, entry);
            Ok(!stopped)
        })?;
        Ok(stopped || whole && position == end)
    }

    /// Others may still ask for what this process does not: the last million stays.
    fn trim_log(&self, upto: LogPosition) -> Result<()> {
        let kept = self.log_end()?.number.saturating_sub(KEPT);
        let before = number(upto.number.min(kept));
        let sql = "DELETE FROM crawler_data.log WHERE number < $1";
        self.pool.call(|conn| conn.run(sql, &[&before])).map(drop)
    }
}

impl Tx<'_> {
    /// Writes what came and went, in one statement.
    pub fn write_log(&mut self) -> Result<()> {
        let logged = std::mem::take(&mut self.logged);
        if logged.is_empty() {
            return Ok(());
        }
        let (mut numbers, mut articles, mut instants) = (Vec::new(), Vec::new(), Vec::new());
        let (mut gone, mut sums) = (Vec::new(), Vec::new());
        for (at, entry) in logged {
            numbers.push(number(at.number));
            articles.push(entry.article);
            instants.push(entry.at);
            gone.push(entry.gone);
            sums.push(at.sum.cast_signed());
        }
        let sql = "INSERT INTO crawler_data.log (number, article, at, gone, sum) SELECT * FROM \
                   unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::boolean[], $5::bigint[])";
        self.conn.run(sql, &[&numbers, &articles, &instants, &gone, &sums]).map(drop)
    }
}

impl LogRows for Tx<'_> {
    fn log_end(&mut self) -> Result<LogPosition> {
        Ok(self.log)
    }

    fn put_log(&mut self, at: LogPosition, entry: &Logged) -> Result<()> {
        self.log = at;
        self.logged.push((at, *entry));
        Ok(())
    }
}

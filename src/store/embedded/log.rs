//! The log: every article that came or went, in the order of the commits, so that whatever is made
//! from the articles and kept elsewhere can be brought up to date instead of being made anew. Each
//! entry carries a sum over all before it: a position of another store, or of a past that a restore
//! has undone, is not mistaken for one of this log.
//!
//! Must not know: who reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::keys::{self, Parts, key};
use super::record::decode;
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::kv::Overlay;
use crate::store::{LogPosition, Logged, Result};

/// Entries dropped in one batch.
const DROPPED_PER_BATCH: usize = 5_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRow {
    pub article: UrlKey,
    /// Publication instant.
    pub at: Millis,
    pub gone: bool,
    pub sum: u64,
}

/// Number of a log key.
fn number(log_key: &[u8]) -> Option<u64> {
    let mut parts = Parts(log_key.get(1..)?);
    let number = parts.number()?;
    parts.end()?;
    Some(number)
}

/// The sum after an entry.
pub fn next_sum(sum: u64, row: &LogRow) -> u64 {
    let mix =
        |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = [row.article.0 as u64, (row.article.0 >> 64) as u64, row.at as u64];
    mix(words.into_iter().fold(sum, mix), u64::from(row.gone))
}

impl Overlay<'_> {
    pub fn log_end(&self) -> Result<Option<LogPosition>> {
        self.get(&key(keys::LOG_END).done())
    }
}

impl Tx<'_> {
    /// Begins the log where there is none.
    pub fn begin_log(&mut self) -> Result<LogPosition> {
        if let Some(end) = self.o.log_end()? {
            return Ok(end);
        }
        // Differs from the first sum of every other log.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let end = LogPosition { number: 0, sum: now.as_nanos() as u64 };
        self.o.put(key(keys::LOG_END).done(), &end)?;
        Ok(end)
    }

    /// Notes that an article published `at` came, or went.
    pub fn log(&mut self, article: UrlKey, at: Millis, gone: bool) -> Result<()> {
        let end = self.begin_log()?;
        let mut row = LogRow { article, at, gone, sum: 0 };
        row.sum = next_sum(end.sum, &row);
        let end = LogPosition { number: end.number + 1, sum: row.sum };
        self.o.put(key(keys::LOG).number(end.number).done(), &row)?;
        self.o.put(key(keys::LOG_END).done(), &end)
    }
}

impl Embedded {
    pub fn read_log(
        &self,
        from: LogPosition,
        each: &mut dyn FnMut(LogPosition, Logged) -> bool,
    ) -> Result<bool> {
        let view = self.view();
        let Some(end) = view.log_end()? else { return Ok(false) };
        if from.number >= end.number {
            return Ok(from == end);
        }
        let (start, stop) = (key(keys::LOG).number(from.number), key(keys::LOG).number(end.number));
        let mut position = from;
        // From the entry before, which is kept, or the log's beginning, to the end as it was.
        for row in view.scan_raw(&start.done(), &stop.number(0).done()) {
            let (at, value) = row?;
            let row = decode::<LogRow>(&at, &value);
            let (Some(number), Ok(row)) = (number(&at), row) else { return Ok(false) };
            if number == from.number {
                if row.sum != from.sum {
                    return Ok(false);
                }
                continue;
            }
            if number != position.number + 1 || next_sum(position.sum, &row) != row.sum {
                return Ok(false);
            }
            position = LogPosition { number, sum: row.sum };
            let logged = Logged { article: row.article, at: row.at, gone: row.gone };
            if !each(position, logged) {
                return Ok(true);
            }
        }
        Ok(position == end)
    }

    /// Drops the entries before `upto`, which itself stays.
    pub fn drop_log(&self, upto: LogPosition) -> Result<()> {
        let more = |tx: &mut Tx| {
            let (from, to) = (key(keys::LOG).done(), key(keys::LOG).number(upto.number).done());
            let rows = tx.o.scan_raw(&from, &to).take(DROPPED_PER_BATCH);
            let keys: Vec<Vec<u8>> = rows.map(|row| Ok(row?.0)).collect::<Result<_>>()?;
            let more = keys.len() == DROPPED_PER_BATCH;
            keys.into_iter().for_each(|at| tx.o.del(at));
            Ok(more)
        };
        while self.write(COMMIT, false, more)? {}
        Ok(())
    }
}

//! Where the log of articles is kept, and how it is read.
//!
//! Must not know: who reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use super::format::keys::{self, Parts, key, said};
use super::format::{LogRow, decode};
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::store::embedded::kv::Overlay;
use crate::store::rules::log::{LogRows, after};
use crate::store::{ArticleLog, LogPosition, Logged, Result};

/// Entries dropped in one batch.
const DROPPED_PER_BATCH: usize = 5_000;

/// Entries that stay whoever trims the log: others may still ask for them.
const KEPT: u64 = 100_000;

/// Number of a log key.
fn number(log_key: &[u8]) -> Option<u64> {
    said(log_key, 1, Parts::number)
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
}

impl LogRows for Tx<'_> {
    fn log_end(&mut self) -> Result<LogPosition> {
        self.begin_log()
    }

    fn put_log(&mut self, at: LogPosition, entry: &Logged) -> Result<()> {
        let Logged { article, at: published, gone } = *entry;
        let row = LogRow { article, at: published, gone, sum: at.sum };
        self.o.put(key(keys::LOG).number(at.number).done(), &row)?;
        self.o.put(key(keys::LOG_END).done(), &at)
    }
}

impl ArticleLog for Embedded {
    fn log_end(&self) -> Result<LogPosition> {
        Ok(self.view().log_end()?.unwrap_or_default())
    }

    fn log_since(
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
            let found = LogPosition { number, sum: row.sum };
            if number == from.number {
                if found != from {
                    return Ok(false);
                }
                continue;
            }
            if after(position, &row.logged()) != found {
                return Ok(false);
            }
            position = found;
            if !each(position, row.logged()) {
                return Ok(true);
            }
        }
        Ok(position == end)
    }

    /// Drops the entries before `upto`, which itself stays, but for the latest.
    fn trim_log(&self, upto: LogPosition) -> Result<()> {
        let end = self.view().log_end()?.unwrap_or_default();
        let upto = upto.number.min(end.number.saturating_sub(KEPT));
        let more = |tx: &mut Tx| {
            let (from, to) = (key(keys::LOG).done(), key(keys::LOG).number(upto).done());
            Ok(tx.o.drop_rows(&from, &to, DROPPED_PER_BATCH)? == DROPPED_PER_BATCH)
        };
        while self.write(COMMIT, false, more)? {}
        Ok(())
    }
}

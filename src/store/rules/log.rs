//! The log: every article that came or went, in the order of the commits, so that whatever is made
//! from the articles and kept elsewhere can be brought up to date instead of being made anew. Each
//! entry carries a sum over all before it: a position of another store, or of a past that a restore
//! has undone, is not mistaken for one of this log.
//!
//! Must not know: who reads it, where it is kept.

use super::Rows;
use crate::model::{Millis, UrlKey};
use crate::store::{LogPosition, Logged, Result};

/// The sum after an entry.
fn next_sum(sum: u64, row: &Logged) -> u64 {
    let mix =
        |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = [row.article.0 as u64, (row.article.0 >> 64) as u64, row.at as u64];
    mix(words.into_iter().fold(sum, mix), u64::from(row.gone))
}

/// Where the log ends after an entry.
pub fn after(end: LogPosition, entry: &Logged) -> LogPosition {
    LogPosition { number: end.number + 1, sum: next_sum(end.sum, entry) }
}

/// Where the log is kept.
pub trait LogRows {
    /// Where it ends.
    fn log_end(&mut self) -> Result<LogPosition>;
    /// Appends an entry: the log ends there from now on.
    fn put_log(&mut self, at: LogPosition, entry: &Logged) -> Result<()>;
}

/// Notes that an article published `at` came, or went.
pub fn note(rows: &mut dyn Rows, article: UrlKey, at: Millis, gone: bool) -> Result<()> {
    let entry = Logged { article, at, gone };
    let end = after(rows.log_end()?, &entry);
    rows.put_log(end, &entry)
}

//! Bytes that are fetched on an outlet's account: that of the outlet whose feeds listed what is fetched, by
//! the day of the requests.
//!
//! Must not know: who fetches, where sums are kept.

use super::rules::budget;
use super::{Result, Store};
use crate::model::Day;

/// Is what may be fetched on an outlet's account on a day used up? What is asked for beyond waits for the
/// next one.
///
/// # Errors
/// The store's.
pub fn used_up(store: &dyn Store, outlet: &str, day: Day) -> Result<bool> {
    let week = || store.bytes(outlet, before(day, budget::WEEK), before(day, 1));
    budget::used_up(store.bytes(outlet, day, day)?, week)
}

/// The same of sums that are known: bytes of a day, and those of an earlier one.
pub fn is_used_up(day: Day, bytes: i64, of: impl Fn(Day) -> i64) -> bool {
    // Few days come so far that those before them are asked for.
    let week = || (1..=budget::WEEK).map(|n| of(before(day, n))).sum();
    budget::used_up(bytes, || Ok::<i64, super::StoreError>(week())).unwrap_or(false)
}

fn before(day: Day, days: i64) -> Day {
    day.saturating_sub(jiff::Span::new().days(days))
}

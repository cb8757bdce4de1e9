//! Entries: where each stands in its queue, and how it changes by what becomes of it.
//!
//! Must not know: how entries and articles were found, where they are kept.

use crate::model::*;
use crate::store::{BLOCKED, Ban, Result, StoreError};

/// Lowest queue priority.
pub const LAST_PRIORITY: u8 = 3;

/// Where a fetch stands in its queue.
pub fn priority(record: &UrlRecord) -> u8 {
    match (record.backlog, record.attempts) {
        (true, _) => LAST_PRIORITY,
        (false, 0) => 1,
        (false, _) => 2,
    }
}

/// The task of a pending URL. The URL as the feed gave it; after a redirect, where it led.
pub fn fetch_task(record: &UrlRecord) -> Task {
    let as_given = record.chain.is_empty() && !record.entry.url.is_empty();
    Task {
        kind: TaskKind::Fetch,
        key: record.key,
        url: if as_given { record.entry.url.clone() } else { record.canonical.clone() },
        due: record.next,
        attempts: record.attempts,
    }
}

/// What is kept of an entry that is forgotten: its key, by which it is known again, and what it is
/// counted under. Not its address.
pub fn tombstone(record: UrlRecord) -> UrlRecord {
    UrlRecord {
        canonical: String::new(),
        entry: Entry::default(),
        outcome: Outcome::Forgotten,
        last_error: None,
        chain: Vec::new(),
        ..record
    }
}

/// An entry at its first sight, as the operator's rule about its outlet has it.
pub fn under_ban(mut record: UrlRecord, ban: Option<Ban>) -> UrlRecord {
    match ban {
        Some(Ban::Forgotten) => record.outcome = Outcome::Forgotten,
        Some(Ban::Blocked) if record.outcome == Outcome::Pending => {
            record.outcome = Outcome::Refused(BLOCKED.to_owned());
        }
        _ => {}
    }
    if record.outcome == Outcome::Forgotten { tombstone(record) } else { record }
}

/// Puts a pending entry off to another attempt; `false`: it has been already.
pub fn put_off(record: &mut UrlRecord, retry: Option<(Millis, String)>) -> Result<bool> {
    let Some((next, why)) = retry else {
        return Err(StoreError::Other(format!(
            "the entry {} stays pending without a next attempt",
            record.key
        )));
    };
    if next == record.next && record.last_error.as_ref() == Some(&why) {
        return Ok(false);
    }
    record.next = next;
    record.attempts = record.attempts.saturating_add(1);
    record.last_error = Some(why);
    Ok(true)
}

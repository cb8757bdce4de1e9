//! What leaves by age, the same in every store.
//!
//! Must not know: how rows are found.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::{Rows, feeds};
use crate::model::{self, Millis, Outcome, UrlKey, UrlRecord};
use crate::store::Result;

/// Named value: where it is there, entries may have left that others led to. Versions of before kept here where the next
/// batch begins, so it is there after their first round, whether any has left or not.
pub const LEFT: &str = "retention entries";
/// Named values: where the next batch begins.
pub const ENTRIES: &str = "retention entries next";
pub const ROBOTS: &str = "retention robots";

/// What a batch of entries came to.
#[derive(Clone, Copy, Debug)]
pub struct Aged {
    /// Entries that are there no more.
    pub left: u64,
    /// Entries of articles of which less is kept.
    pub bared: u64,
}

/// What is kept of the entry of an article: enough that it is never fetched or counted again.
fn bare(url: &UrlRecord) -> UrlRecord {
    UrlRecord {
        entry: model::Entry { url: url.entry.url.clone(), ..model::Entry::default() },
        last_error: None,
        chain: Vec::new(),
        ..url.clone()
    }
}

/// Drops of these entries what has left by age, before the instant given.
pub fn prune(rows: &mut dyn Rows, entries: &[UrlRecord], before: Millis) -> Result<Aged> {
    // What feeds still list.
    let mut listed: HashMap<UrlKey, HashSet<UrlKey>> = HashMap::new();
    let (mut gone, mut bared) = (Vec::new(), 0);
    for url in entries.iter().filter(|url| url.first_seen < before) {
        match url.outcome {
            Outcome::Pending | Outcome::Forgotten => {}
            Outcome::Article => {
                let bare = bare(url);
                if bare != *url {
                    rows.replace_url(url, &bare)?;
                    bared += 1;
                }
            }
            _ => {
                let listed = match listed.entry(url.feed) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(free) => {
                        let feed = feeds::present(rows, url.feed)?;
                        free.insert(feed.into_iter().flat_map(|feed| feed.poll.recent).collect())
                    }
                };
                // It would be an entry again at the next poll.
                if listed.contains(&url.key) {
                    continue;
                }
                let ledger = rows.changes().ledger(url.arrival, &url.outlet);
                *ledger.left.entry(url.outcome.name().to_owned()).or_default() += 1;
                gone.push(url.key);
            }
        }
    }
    rows.remove_urls(&gone)?;
    Ok(Aged { left: gone.len() as u64, bared })
}

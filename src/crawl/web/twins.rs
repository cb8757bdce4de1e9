//! Feeds of one outlet that bring the same entries: one of them is polled as its arrivals ask for, the
//! others once in a long while, to see whether they still are the same.
//!
//! Must not know: how a feed is asked or read.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Mutex;

use crate::model::*;
use crate::store::{Result, Store};

/// Siblings that a feed is compared with.
const SIBLINGS: usize = 20;
/// Feeds with fewer entries say too little to be told apart.
const FEWEST: usize = 3;
/// Share of the entries of both that both have, from which they are the same.
const SAME: f64 = 0.8;

/// What was polled since the start: siblings, and who looked like whom the last time.
#[derive(Default)]
pub(in crate::crawl) struct Twins {
    outlets: Mutex<HashMap<String, BTreeSet<UrlKey>>>,
    alike: Mutex<HashMap<UrlKey, UrlKey>>,
}

impl Twins {
    /// The feed whose entries `feed` repeated at this poll and at the one before. `keys`: what it
    /// shows now.
    pub(in crate::crawl) fn twin(
        &self,
        store: &dyn Store,
        feed: &Feed,
        keys: &[UrlKey],
    ) -> Result<Option<Feed>> {
        let siblings: Vec<UrlKey> = {
            let mut outlets = self.outlets.lock().unwrap_or_else(|e| e.into_inner());
            let siblings = outlets.entry(feed.outlet.clone()).or_default();
            siblings.insert(feed.key);
            siblings.iter().copied().filter(|key| *key != feed.key).take(SIBLINGS).collect()
        };
        let mut found = None;
        for key in siblings {
            let Some(other) = store.feed(key)? else {
                let mut outlets = self.outlets.lock().unwrap_or_else(|e| e.into_inner());
                if let Some(siblings) = outlets.get_mut(&feed.outlet) {
                    siblings.remove(&key);
                }
                continue;
            };
            let followed = other.status == FeedStatus::Active
                && other.poll.duplicate_of.is_none()
                && other.poll.failures == 0.0;
            if followed && same(&other.poll.recent, keys) {
                found = Some(other);
                break;
            }
        }
        let mut alike = self.alike.lock().unwrap_or_else(|e| e.into_inner());
        let before = match &found {
            Some(other) => alike.insert(feed.key, other.key),
            None => alike.remove(&feed.key),
        };
        // One that is known to be a twin stays one; another is believed the second time.
        let known =
            |other: &Feed| before == Some(other.key) || feed.poll.duplicate_of == Some(other.key);
        Ok(found.filter(known))
    }
}

/// Do two feeds show the same entries, but for what one shows more or was asked for earlier?
fn same(a: &[UrlKey], b: &[UrlKey]) -> bool {
    let (a, b): (HashSet<_>, HashSet<_>) = (a.iter().collect(), b.iter().collect());
    let both = a.intersection(&b).count();
    let either = a.len() + b.len() - both;
    both >= FEWEST && both as f64 >= SAME * either as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::address;

    fn feed(url: &str, recent: std::ops::Range<u128>) -> Feed {
        let mut feed = super::super::lineage::new_feed(&address(url, None).unwrap(), 5);
        feed.poll.recent = recent.map(UrlKey).collect();
        feed
    }

    #[test]
    fn the_same_entries_twice_make_a_twin() {
        let store = crate::store::memory();
        let all = [
            feed("https://a.test/rss", 0..20),
            feed("https://a.test/atom", 1..21),
            feed("https://a.test/sport", 15..25),
            feed("https://b.test/rss", 0..20),
        ];
        store.add_feeds(&all).unwrap();
        let twins = Twins::default();
        let twin = |n: usize| {
            let found = twins.twin(store.as_ref(), &all[n], &all[n].poll.recent).unwrap();
            found.map(|feed| feed.url)
        };
        assert_eq!((0..4).map(twin).collect::<Vec<_>>(), [None, None, None, None]);
        assert_eq!(twin(1).as_deref(), Some("https://a.test/rss"));
        assert_eq!((twin(2), twin(3)), (None, None), "a part, and another outlet");
        // Its own twin does not make the first one a twin in turn.
        let mut second = all[1].clone();
        second.poll.duplicate_of = Some(all[0].key);
        store.set_feed(&second).unwrap();
        assert_eq!((twin(0), twin(0)), (None, None));
        // When the first one is gone, the second is followed again.
        store.remove_feed(all[0].key).unwrap();
        assert_eq!(twin(1), None);
    }

    #[test]
    fn a_few_entries_say_nothing() {
        let keys = |range: std::ops::Range<u128>| range.map(UrlKey).collect::<Vec<_>>();
        assert!(!same(&keys(0..2), &keys(0..2)));
        assert!(same(&keys(0..10), &keys(1..11)));
        assert!(!same(&keys(0..10), &keys(0..20)));
    }
}

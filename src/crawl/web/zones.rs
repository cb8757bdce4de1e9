//! The zone that an outlet prints its times in, learned from its feeds: a time without a zone on a
//! page whose feed and metadata name none is read in it (`mention::day` decides).
//!
//! Must not know: how offsets are read from a feed, what a page says.

use std::collections::HashMap;
use std::sync::RwLock;

use crate::model::{Feed, UrlKey};

/// Offsets of each outlet's feeds, seconds east of UTC.
#[derive(Default)]
pub struct Zones {
    outlets: RwLock<HashMap<String, HashMap<UrlKey, i32>>>,
}

impl Zones {
    /// What the stored feeds have taught.
    pub(in crate::crawl) fn new(feeds: &[Feed]) -> Zones {
        let zones = Zones::default();
        feeds.iter().for_each(|feed| zones.learn(feed));
        zones
    }

    /// Takes over what a poll found. A feed without zoned dates teaches nothing, nor does one that prints GMT: programs
    /// do, wherever its outlet is.
    pub(in crate::crawl) fn learn(&self, feed: &Feed) {
        let Some(offset) = feed.poll.offset else { return };
        let mut outlets = self.outlets.write().unwrap_or_else(|e| e.into_inner());
        let feeds = outlets.entry(feed.outlet.clone()).or_default();
        match offset {
            0 => feeds.remove(&feed.key),
            zone => feeds.insert(feed.key, zone),
        };
    }

    /// The offset that more than half of the outlet's feeds print; `None` while they disagree.
    pub(in crate::crawl) fn of(&self, outlet: &str) -> Option<i32> {
        let outlets = self.outlets.read().unwrap_or_else(|e| e.into_inner());
        let feeds = outlets.get(outlet)?;
        let agree = |offset: i32| feeds.values().filter(|o| **o == offset).count() * 2;
        feeds.values().copied().find(|offset| agree(*offset) > feeds.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(key: u128, outlet: &str, offset: Option<i32>) -> Feed {
        let url = format!("https://{outlet}/{key}.xml");
        let mut feed = Feed::new(UrlKey(key), url, outlet, outlet, 0);
        feed.poll.offset = offset;
        feed
    }

    #[test]
    fn most_feeds_of_the_outlet_decide() {
        let zones = Zones::new(&[
            feed(1, "a.example", Some(7200)),
            feed(2, "a.example", None),
            feed(3, "a.example", Some(0)),
            feed(5, "a.example", Some(0)),
            feed(6, "b.example", Some(0)),
        ]);
        assert_eq!(zones.of("a.example"), Some(7200));
        assert_eq!(zones.of("b.example"), None, "GMT is everybody's");
        assert_eq!(zones.of("c.example"), None);
        zones.learn(&feed(4, "a.example", Some(3600)));
        assert_eq!(zones.of("a.example"), None, "one against one");
        zones.learn(&feed(4, "a.example", Some(7200)));
        assert_eq!(zones.of("a.example"), Some(7200));
        zones.learn(&feed(1, "a.example", Some(0)));
        zones.learn(&feed(4, "a.example", Some(0)));
        assert_eq!(zones.of("a.example"), None, "what they printed in summer is forgotten");
    }
}

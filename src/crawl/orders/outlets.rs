//! What the operator decides about an outlet: pause, resume, block, delay.
//!
//! Must not know: how it is asked for, how the answer is printed.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::crawl::web::gate::banned;
use crate::frontier::address;
use crate::model::*;
use crate::query;
use crate::store::decision::{Change, Topic, Who};
use crate::store::{Ban, OutletRule, Store};

use crate::crawl::clock::now;

/// A decision about one outlet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// No requests until it is resumed, or for so long.
    Pause { length: Option<Span> },
    /// Takes back pause and block.
    Resume,
    /// No requests any more: its feeds are paused, its entries end as refused.
    Block,
    /// Fixes the delay between two requests; `None`: the polite one again.
    Delay { delay: Option<Span> },
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    pub outlet: String,
    pub pace_keys: Vec<String>,
    /// Other outlets under the same pace keys, which pause and delay therefore reach too.
    pub shared_with: Vec<String>,
    /// Feeds paused or resumed.
    pub feeds: usize,
    pub paused_until: Option<Millis>,
    pub delay: Option<Millis>,
    pub blocked: bool,
}

/// Carries out a decision; it is durable when this returns, and reaches a request under way no
/// more, but every lease that is taken afterwards.
pub fn decide(store: &dyn Store, who: &Who, name: &str, action: &Action) -> Result<Decided> {
    let now = now();
    let feeds = store.feeds()?;
    let outlet = match action {
        // May be decided before anything of it was seen.
        Action::Block => query::outlet_meant(store, name)?,
        _ => query::outlet_known(store, name)?,
    };
    let pace_keys = pace_keys(store, &feeds, &outlet)?;
    let mut rule = OutletRule { since: now, ..store.outlet_rule(&outlet)? };
    rule.pace_keys.clone_from(&pace_keys);
    let mut changed = 0;
    match action {
        Action::Pause { length: Some(length) } if length.0 <= 0 => {
            bail!("a pause must last for some time: write for example 2h")
        }
        Action::Delay { delay: Some(delay) } if delay.0 <= 0 => {
            bail!("a delay must be some time: write for example 10s, or `default`")
        }
        Action::Pause { length } => {
            rule.paused_until = Some(length.map_or(Millis::MAX, |l| now.saturating_add(l.0)));
        }
        Action::Resume => {
            if rule.ban == Some(Ban::Blocked) {
                changed = set_feeds(store, &feeds, &outlet, FeedStatus::Active, now)?;
            }
            rule.paused_until = None;
            rule.ban = None;
        }
        Action::Block => {
            rule.ban = Some(Ban::Blocked);
            changed = set_feeds(store, &feeds, &outlet, FeedStatus::Paused, now)?;
        }
        Action::Delay { delay } => rule.delay = delay.map(|d| d.0.max(0)),
    }
    let words = format!("outlet {outlet} {}", words(action, &rule));
    let decision = who.decides(now, Topic::Outlet, words);
    store.change(Change::Rule(&outlet, &rule), Some(&decision))?;
    let shared: BTreeSet<String> = feeds
        .into_iter()
        .filter(|feed| feed.outlet != outlet && pace_keys.contains(&feed.pace_key))
        .map(|feed| feed.outlet)
        .collect();
    Ok(Decided {
        outlet,
        pace_keys,
        shared_with: shared.into_iter().collect(),
        feeds: changed,
        paused_until: rule.paused_until,
        delay: rule.delay,
        blocked: rule.ban.is_some(),
    })
}

/// What is done to an outlet, for the log.
fn words(action: &Action, rule: &OutletRule) -> String {
    match action {
        Action::Pause { length: None } => "paused until it is resumed".into(),
        Action::Pause { length: Some(_) } => {
            format!("paused until {}", query::instant(rule.paused_until.unwrap_or_default()))
        }
        Action::Resume => "resumed".into(),
        Action::Block => "blocked".into(),
        Action::Delay { delay: Some(delay) } => {
            format!("requested with a delay of {} ms", delay.0.max(0))
        }
        Action::Delay { delay: None } => "requested with the polite delay again".into(),
    }
}

/// Removes a feed; those that repeat it are polled in its place.
///
/// # Errors
/// The store's.
pub fn remove_feed(store: &dyn Store, who: &Who, feed: &Feed) -> Result<()> {
    let decision = who.decides(now(), Topic::Feed, format!("feed {} removed", feed.url));
    store.change(Change::FeedRemoved(feed.key), Some(&decision))?;
    Ok(())
}

/// Pauses a feed, and those that repeat it are polled in its place; or has it polled again at once. The feed as it
/// is then.
///
/// # Errors
/// Its outlet is blocked or forgotten: no feed of it is polled.
pub fn pause_feed(store: &dyn Store, who: &Who, mut feed: Feed, paused: bool) -> Result<Feed> {
    feed.status = if paused { FeedStatus::Paused } else { FeedStatus::Active };
    if !paused {
        if let Some(why) = banned(store, &feed.outlet)? {
            bail!("{} is not polled: {why}", feed.url);
        }
        // It has been due since then: what it missed meanwhile counts.
        feed.poll.next = feed.poll.next.min(now());
    }
    let words = format!("feed {} {}", feed.url, if paused { "paused" } else { "resumed" });
    store.change(Change::Feed(&feed), Some(&who.decides(now(), Topic::Feed, words)))?;
    Ok(feed)
}

/// For whom a feed speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Voice {
    /// What it lists teaches it.
    Learned,
    /// Only for its own outlet.
    Own,
    /// For this one, too: a name, or a URL of it.
    Also(String),
}

/// Says for whom a feed speaks; the feed as it is then. What it has brought already stays as it is.
///
/// # Errors
/// The outlet is neither a name nor a URL.
pub fn give_voice(store: &dyn Store, who: &Who, mut feed: Feed, voice: Voice) -> Result<Feed> {
    let outlet = match &voice {
        Voice::Also(outlet) => Some(query::outlet_meant(store, outlet)?),
        Voice::Learned | Voice::Own => None,
    };
    feed.provenance.told = voice != Voice::Learned;
    feed.provenance.speaks_for = outlet.filter(|outlet| *outlet != feed.outlet);
    let whom = match (&voice, &feed.provenance.speaks_for) {
        (Voice::Learned, _) => "learns for whom it speaks".to_owned(),
        (_, Some(outlet)) => format!("speaks for {outlet}, too"),
        (_, None) => "speaks for its own outlet alone".to_owned(),
    };
    let decision = who.decides(now(), Topic::Feed, format!("feed {} {whom}", feed.url));
    store.change(Change::Feed(&feed), Some(&decision))?;
    Ok(feed)
}

/// The pace keys that an outlet's feeds and pages are asked under.
fn pace_keys(store: &dyn Store, feeds: &[Feed], outlet: &str) -> Result<Vec<String>> {
    let mut keys: BTreeSet<String> = feeds
        .iter()
        .filter(|feed| feed.outlet == outlet)
        .map(|feed| feed.pace_key.clone())
        .collect();
    if let Ok(at) = address(&format!("https://{outlet}/"), None)
        && (keys.is_empty() || store.pace(&at.pace_key)?.is_some())
    {
        keys.insert(at.pace_key);
    }
    Ok(keys.into_iter().collect())
}

/// Pauses or resumes the feeds of an outlet; returns how many.
pub(in crate::crawl) fn set_feeds(
    store: &dyn Store,
    feeds: &[Feed],
    outlet: &str,
    status: FeedStatus,
    now: Millis,
) -> Result<usize> {
    // What is gone is polled, too, only rarely.
    let differs =
        |feed: &Feed| (feed.status == FeedStatus::Paused) != (status == FeedStatus::Paused);
    // What its feeds brought goes with them.
    let own: BTreeSet<UrlKey> =
        feeds.iter().filter(|feed| feed.outlet == outlet).map(|feed| feed.key).collect();
    let brought = |feed: &Feed| feed.provenance.parent.is_some_and(|parent| own.contains(&parent));
    let belongs = |feed: &Feed| feed.outlet == outlet || brought(feed);
    let mut changed = 0;
    for feed in feeds.iter().filter(|feed| belongs(feed) && differs(feed)) {
        // Read again: it may have been polled meanwhile.
        let Some(mut feed) = store.feed(feed.key)? else { continue };
        feed.status = status;
        if status == FeedStatus::Active {
            (feed.provenance.planned, feed.poll.next) = (None, now);
        }
        changed += usize::from(store.set_feed(&feed)?);
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_reaches_the_pace_keys_and_names_who_shares_them() {
        let store = crate::store::memory();
        let feed =
            |url: &str| crate::crawl::web::lineage::new_feed(&address(url, None).unwrap(), 5);
        let all = ["https://a.test/1", "https://news.a.test/2", "https://b.test/3"].map(feed);
        store.add_feeds(&all).unwrap();
        // What is gone is asked now and then.
        let gone = Feed { status: FeedStatus::Gone, ..feed("https://a.test/4") };
        store.add_feeds(&[gone]).unwrap();
        let who = Who::program();
        let unknown =
            decide(store.as_ref(), &who, "c.test", &Action::Resume).unwrap_err().to_string();
        assert!(unknown.contains("no outlet is named `c.test`"), "{unknown}");
        let act = |action| decide(store.as_ref(), &who, "https://news.a.test/x", &action).unwrap();
        let pause = act(Action::Pause { length: None });
        assert_eq!((pause.outlet.as_str(), pause.pace_keys), ("a.test", vec!["a.test".into()]));
        assert_eq!((pause.paused_until, pause.shared_with), (Some(Millis::MAX), Vec::new()));
        let delay = act(Action::Delay { delay: Some(Span(7_000)) });
        assert_eq!((delay.paused_until, delay.delay), (Some(Millis::MAX), Some(7_000)));
        let pace = store.pace("a.test").unwrap().unwrap();
        assert_eq!((pace.blocked_until, pace.operator_delay), (Millis::MAX, Some(7_000)));
        assert_eq!(act(Action::Block).feeds, 3);
        let paused = |store: &dyn Store| {
            let feeds = store.feeds().unwrap();
            feeds.iter().filter(|feed| feed.status == FeedStatus::Paused).count()
        };
        assert_eq!(paused(store.as_ref()), 3);
        let back = act(Action::Resume);
        assert_eq!((back.feeds, back.blocked, back.paused_until), (3, false, None));
        assert_eq!(paused(store.as_ref()), 0);
        let pace = store.pace("a.test").unwrap().unwrap();
        assert_eq!((pace.blocked_until, pace.operator_delay), (0, Some(7_000)));
    }

    /// The days of a pause were complete, and those of a paused outlet were not.
    #[test]
    fn what_a_paused_feed_has_missed_is_known_when_it_is_resumed() {
        let store = crate::store::memory();
        let at = address("https://a.test/1", None).unwrap();
        let mut feed = crate::crawl::web::lineage::new_feed(&at, 5);
        let week_ago = now() - 7 * DAY;
        for (next, then) in
            [(week_ago, week_ago..=week_ago), (now() + DAY, week_ago..=now() + HOUR)]
        {
            feed.poll.next = next;
            store.add_feeds(std::slice::from_ref(&feed)).unwrap();
            store.set_feed(&feed).unwrap();
            let paused = pause_feed(store.as_ref(), &Who::program(), feed.clone(), true).unwrap();
            let resumed = pause_feed(store.as_ref(), &Who::program(), paused, false).unwrap();
            assert_eq!(store.feed(feed.key).unwrap(), Some(resumed.clone()));
            assert!(then.contains(&resumed.poll.next), "{}", resumed.poll.next);
        }
    }

    /// Of two feeds with the same entries one is polled. When it was removed, nothing was polled for a day.
    #[test]
    fn a_feed_takes_the_place_of_the_one_that_it_repeats() {
        let feed =
            |url: &str| crate::crawl::web::lineage::new_feed(&address(url, None).unwrap(), 5);
        for remove in [true, false] {
            let store = crate::store::memory();
            let [first, mut twin, mut other] =
                ["https://a.test/1", "https://a.test/2", "https://a.test/3"].map(feed);
            (twin.poll.next, twin.poll.duplicate_of) = (now() + DAY, Some(first.key));
            twin.poll.why = "it repeats https://a.test/1".into();
            (other.poll.next, other.poll.duplicate_of) = (now() + DAY, Some(UrlKey(9)));
            store.add_feeds(&[first.clone(), twin.clone(), other.clone()]).unwrap();
            match remove {
                true => remove_feed(store.as_ref(), &Who::program(), &first).unwrap(),
                false => {
                    pause_feed(store.as_ref(), &Who::program(), first, true).unwrap();
                }
            }
            let polled = store.feed(twin.key).unwrap().unwrap().poll;
            assert!(polled.next <= now() && polled.duplicate_of.is_none(), "{polled:?}");
            assert_eq!(polled.why, "");
            assert_eq!(store.feed(other.key).unwrap(), Some(other));
        }
    }
}

//! What the operator decides about an outlet: pause, resume, block, delay.
//!
//! Must not know: how it is asked for, how the answer is printed.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::crawl::web::gate::banned;
use crate::frontier::address;
use crate::frontier::robots::{self, Standing};
use crate::model::*;
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
pub fn decide(store: &dyn Store, name: &str, action: &Action) -> Result<Decided> {
    let now = now();
    let feeds = store.feeds()?;
    let outlet = match action {
        // May be decided before anything of it was seen.
        Action::Block => outlet_named(store, &feeds, name)?,
        _ => known(store, &feeds, name)?,
    };
    let pace_keys = pace_keys(store, &feeds, &outlet)?;
    let mut rule = OutletRule { since: now, ..store.outlet_rule(&outlet)? };
    rule.pace_keys.clone_from(&pace_keys);
    let mut changed = 0;
    match action {
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
    store.set_outlet_rule(&outlet, &rule)?;
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

/// Pauses a feed, or has it polled again at once; the feed as it is then.
///
/// # Errors
/// Its outlet is blocked or forgotten: no feed of it is polled.
pub fn pause_feed(store: &dyn Store, mut feed: Feed, paused: bool) -> Result<Feed> {
    feed.status = if paused { FeedStatus::Paused } else { FeedStatus::Active };
    if !paused {
        if let Some(why) = banned(store, &feed.outlet)? {
            bail!("{} is not polled: {why}", feed.url);
        }
        feed.poll.next = now();
    }
    store.set_feed(&feed)?;
    Ok(feed)
}

/// The known outlet that a name or a URL means.
pub fn named(store: &dyn Store, name: &str) -> Result<String> {
    known(store, &store.feeds()?, name)
}

fn known(store: &dyn Store, feeds: &[Feed], name: &str) -> Result<String> {
    let outlet = outlet_named(store, feeds, name)?;
    let known = feeds.iter().any(|feed| feed.outlet == outlet)
        || !store.outlet_rule(&outlet)?.is_empty()
        || store.ledger(None, None)?.iter().any(|row| row.outlet == outlet);
    if !known {
        bail!("no outlet is named `{outlet}`; see `crawler outlets`");
    }
    Ok(outlet)
}

/// The outlet that a name or a URL means, seen or not.
pub(in crate::crawl) fn outlet_named(
    store: &dyn Store,
    feeds: &[Feed],
    name: &str,
) -> Result<String> {
    let name = name.trim();
    if feeds.iter().any(|feed| feed.outlet == name) || !store.outlet_rule(name)?.is_empty() {
        return Ok(name.to_string());
    }
    let url = if name.contains("://") { name.to_string() } else { format!("https://{name}/") };
    match address(&url, None) {
        Ok(at) => Ok(at.outlet),
        Err(error) => bail!("`{name}` is no outlet: {error}; see `crawler outlets`"),
    }
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
    let mut changed = 0;
    for feed in feeds.iter().filter(|feed| feed.outlet == outlet && differs(feed)) {
        // Read again: it may have been polled meanwhile.
        let Some(mut feed) = store.feed(feed.key)? else { continue };
        feed.status = status;
        if status == FeedStatus::Active {
            feed.poll.next = now;
        }
        changed += usize::from(store.set_feed(&feed)?);
    }
    Ok(changed)
}

/// What the stored robots.txt files say about some URLs, one sentence each, and one where no file
/// is stored.
pub fn robots(
    store: &dyn Store,
    token: &str,
    urls: &[String],
) -> crate::store::Result<Vec<String>> {
    let mut sentences = Vec::new();
    let mut unknown = BTreeSet::new();
    for url in urls {
        let Ok(at) = address(url, None) else { continue };
        let origin = robots::origin(&at.url);
        match store.robots(&origin)? {
            Some(record) => sentences.push(judged(&record, token, &at.url)),
            None => {
                unknown.insert(origin);
            }
        }
    }
    let unknown = unknown.into_iter();
    sentences.extend(unknown.map(|origin| format!("No robots.txt of {origin} has been read yet.")));
    Ok(sentences)
}

fn judged(record: &RobotsRecord, token: &str, url: &url::Url) -> String {
    let rules = robots::Robots::of(record, token);
    let fetched = jiff::Timestamp::from_millisecond(record.fetched)
        .map_or_else(|_| "–".into(), |t| t.strftime("%Y-%m-%d %H:%M UTC").to_string());
    let origin = &record.origin;
    let from = format!("robots.txt of {origin}, read at {fetched}");
    let decision = match robots::standing(record, now()) {
        Standing::Rules => rules.decide(url),
        Standing::Allow(why) => RobotsDecision { allowed: true, rule: Some(why), line: None },
        Standing::Unreachable(why) => {
            return format!("{url} must not be requested for now: {why} ({from}).");
        }
    };
    let verb = if decision.allowed { "may" } else { "must not" };
    let rule = decision.rule.map_or_else(|| "no rule matches".into(), |rule| format!("`{rule}`"));
    let line = decision.line.map_or_else(String::new, |line| format!(", line {line}"));
    let delay = rules
        .crawl_delay
        .map_or_else(String::new, |seconds| format!("; it asks for {seconds} s between requests"));
    format!("{url} {verb} be requested: {rule}{line} ({from}){delay}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(status: RobotsStatus, body: &str) -> RobotsRecord {
        RobotsRecord {
            origin: "https://a.test:443".into(),
            fetched: 0,
            fresh_until: 0,
            status,
            body: body.into(),
            unreachable_since: None,
        }
    }

    #[test]
    fn a_decision_reaches_the_pace_keys_and_names_who_shares_them() {
        let store = crate::store::memory();
        let feed = |url: &str| crate::crawl::web::sights::new_feed(&address(url, None).unwrap(), 5);
        let all = ["https://a.test/1", "https://news.a.test/2", "https://b.test/3"].map(feed);
        store.add_feeds(&all).unwrap();
        // What is gone is asked now and then.
        let gone = Feed { status: FeedStatus::Gone, ..feed("https://a.test/4") };
        store.add_feeds(&[gone]).unwrap();
        let unknown = decide(store.as_ref(), "c.test", &Action::Resume).unwrap_err().to_string();
        assert!(unknown.contains("no outlet is named `c.test`"), "{unknown}");
        let act = |action| decide(store.as_ref(), "https://news.a.test/x", &action).unwrap();
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

    #[test]
    fn decisions_name_rule_and_line() {
        let url = url::Url::parse("https://a.test/private/1").unwrap();
        let say = |status, body: &str| judged(&record(status, body), "crawler", &url);
        let text = "User-agent: *\nCrawl-delay: 7\nDisallow: /private\n";
        let said = say(RobotsStatus::Fetched, text);
        assert!(said.contains("must not be requested: `Disallow: /private`, line 3"), "{said}");
        assert!(said.contains("7 s between requests"), "{said}");
        let said = say(RobotsStatus::Fetched, "User-agent: *\nDisallow: /other\n");
        assert!(said.contains("may be requested: no rule matches"), "{said}");
        let said = say(RobotsStatus::Unavailable(404), "");
        assert!(said.contains("may be requested: `no robots.txt (status 404)`"), "{said}");
        let said = say(RobotsStatus::Unreachable("timeout".into()), "");
        assert!(
            said.contains("must not be requested for now") && said.contains("timeout"),
            "{said}"
        );
    }
}

//! Feeds and outlets: health, next poll, outcomes, coverage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::unanswered::{Answered, Unanswered};
use crate::frontier::address;
use crate::model::*;
use crate::store::{Result, Store};

/// One feed in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedLine {
    pub key: UrlKey,
    pub url: String,
    pub outlet: String,
    /// The outlet that it speaks for beside its own.
    #[serde(default)]
    pub speaks_for: Option<String>,
    pub group: Option<String>,
    pub title: Option<String>,
    pub language: Option<String>,
    pub format: Option<FeedFormat>,
    pub status: FeedStatus,
    /// Milliseconds between polls.
    pub interval: Millis,
    pub next_poll: Millis,
    pub last_poll: Option<Millis>,
    pub last_success: Option<Millis>,
    pub polls: u32,
    pub successes: u32,
    pub failures: f32,
    pub gaps: u32,
    /// Why the interval is what it is; or the last error.
    pub why: String,
    pub moved_to: Option<String>,
    /// The feed of the same outlet that brings the same entries, and is polled instead.
    pub duplicate_of: Option<UrlKey>,
}

/// All feeds, by outlet and URL.
pub fn feeds(store: &dyn Store) -> Result<Vec<FeedLine>> {
    let mut lines: Vec<FeedLine> = store.feeds()?.into_iter().map(feed_line).collect();
    lines.sort_by(|a, b| (&a.outlet, &a.url).cmp(&(&b.outlet, &b.url)));
    Ok(lines)
}

fn feed_line(feed: Feed) -> FeedLine {
    FeedLine {
        key: feed.key,
        url: feed.url,
        outlet: feed.outlet,
        speaks_for: feed.provenance.speaks_for,
        group: feed.group,
        title: feed.title,
        language: feed.language,
        format: feed.format,
        status: feed.status,
        interval: feed.poll.interval,
        next_poll: feed.poll.next,
        last_poll: feed.poll.last,
        last_success: feed.poll.last_success,
        polls: feed.poll.polls,
        successes: feed.poll.successes,
        failures: feed.poll.failures,
        gaps: feed.poll.gaps,
        why: feed.poll.last_error.unwrap_or(feed.poll.why),
        moved_to: feed.poll.moved_to,
        duplicate_of: feed.poll.duplicate_of,
    }
}

/// One outlet with the sums of its ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutletLine {
    pub outlet: String,
    pub feeds: usize,
    /// First sights of entries.
    pub entries: u64,
    /// By outcome name; sums to `entries`.
    pub outcomes: BTreeMap<String, u64>,
    pub polls_due: u64,
    pub polls_succeeded: u64,
    /// Last successful poll of any of its feeds.
    pub last_success: Option<Millis>,
    /// Requested no more, by an operator's word.
    #[serde(default)]
    pub blocked: bool,
    /// Not requested until then, by an operator's word; [`Millis::MAX`]: until it is resumed.
    #[serde(default)]
    pub paused_until: Option<Millis>,
    /// Milliseconds between two requests that an operator has fixed.
    #[serde(default)]
    pub delay: Option<Millis>,
}

/// Outlets over days of arrival, by name.
pub fn outlets(store: &dyn Store, from: Option<Day>, to: Option<Day>) -> Result<Vec<OutletLine>> {
    let mut lines: BTreeMap<String, OutletLine> = BTreeMap::new();
    for row in store.ledger(from, to)? {
        let line = lines.entry(row.outlet).or_default();
        line.entries += row.entries;
        for (name, count) in row.outcomes {
            *line.outcomes.entry(name).or_default() += count;
        }
        line.polls_due += u64::from(row.polls.due);
        line.polls_succeeded += u64::from(row.polls.succeeded);
    }
    for feed in store.feeds()? {
        let line = lines.entry(feed.outlet).or_default();
        line.feeds += 1;
        line.last_success = line.last_success.max(feed.poll.last_success);
    }
    for (outlet, rule) in store.outlet_rules()? {
        if let Some(line) = lines.get_mut(&outlet) {
            line.blocked = rule.ban.is_some();
            (line.paused_until, line.delay) = (rule.paused_until, rule.delay);
        }
    }
    Ok(lines.into_iter().map(|(outlet, line)| OutletLine { outlet, ..line }).collect())
}

/// The outlet that a person means by its name or by a URL of it, seen or not.
///
/// # Errors
/// It is neither a name nor a URL.
pub fn outlet_meant(store: &dyn Store, name: &str) -> Answered<String> {
    let name = name.trim();
    let fed = store.feeds()?.iter().any(|feed| feed.outlet == name);
    if fed || !store.outlet_rule(name)?.is_empty() {
        return Ok(name.into());
    }
    let no = |why| Unanswered::NotAnOutlet { name: name.into(), why };
    let url = if name.contains("://") { name.into() } else { format!("https://{name}/") };
    let at = address(&url, None).map_err(|why| no(why.to_string()))?;
    // A word alone is a slip more often than a host; a URL says that it is one.
    if !name.contains("://") && !is_host(name) {
        let digits = name.len();
        return Err(no(match name.bytes().all(|b| b.is_ascii_hexdigit()) && digits > 8 {
            true => format!("a key has 32 digits, this has {digits}"),
            false => "it has no dot; write a registered domain or a URL".into(),
        }));
    }
    Ok(at.outlet)
}

/// The same of an outlet that has a feed, an entry, an article or a rule.
///
/// # Errors
/// It has none of them.
pub fn outlet_known(store: &dyn Store, name: &str) -> Answered<String> {
    let outlet = outlet_meant(store, name)?;
    let known = !store.outlet_rule(&outlet)?.is_empty()
        || store.feeds()?.iter().any(|feed| feed.outlet == outlet)
        || store.ledger(None, None)?.iter().any(|row| row.outlet == outlet)
        || has_article(store, &outlet)?;
    known.then_some(outlet.clone()).ok_or(Unanswered::NoOutlet(outlet))
}

/// Has the outlet an article? An entry of another's may have led to it.
fn has_article(store: &dyn Store, outlet: &str) -> Result<bool> {
    let mut found = false;
    store.stories(None, None, &mut |story| {
        found = story.members.iter().any(|member| member.outlet == outlet);
        !found
    })?;
    Ok(found)
}

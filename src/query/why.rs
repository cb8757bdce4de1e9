//! Why an outlet is asked, or is not: the operator's rule, pace, feeds, outcomes, robots.txt and hubs,
//! in sentences.
//!
//! Must not know: how sentences are printed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::robots;
use super::time::instant;
use crate::model::*;
use crate::store::subscriptions::{Pushes, Subscription, subscription};
use crate::store::{Ban, Result, Store};

/// Feeds that are described one by one.
const MOST_FEEDS: usize = 20;
/// Entries named per kind of outcome.
const EXAMPLES: usize = 3;

/// Answer of [`why`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Why {
    pub outlet: String,
    pub sentences: Vec<String>,
}

/// Everything that decides whether an outlet is asked. `token` tells which groups of a robots.txt are
/// ours.
pub fn why(store: &dyn Store, outlet: &str, token: &str, now: Millis) -> Result<Why> {
    let mut feeds: Vec<Feed> =
        store.feeds()?.into_iter().filter(|feed| feed.outlet == outlet).collect();
    feeds.sort_by(|a, b| a.url.cmp(&b.url));
    let mut sentences = rule(store, outlet, now)?;
    let mut pace_keys = store.outlet_rule(outlet)?.pace_keys;
    pace_keys.extend(feeds.iter().map(|feed| feed.pace_key.clone()));
    pace_keys.sort();
    pace_keys.dedup();
    for pace_key in &pace_keys {
        sentences.extend(store.pace(pace_key)?.map(|row| pace(pace_key, &row, now)));
    }
    if feeds.is_empty() {
        sentences.push("No feed of this outlet is followed.".into());
    }
    sentences.extend(feeds.iter().take(MOST_FEEDS).map(|feed| feed_sentence(feed, now)));
    if feeds.len() > MOST_FEEDS {
        sentences
            .push(format!("And {} more feeds: see `crawler feeds`.", feeds.len() - MOST_FEEDS));
    }
    let mut urls: Vec<String> =
        feeds.iter().map(|feed| feed.url.clone()).take(MOST_FEEDS).collect();
    entries(store, outlet, &mut sentences, &mut urls)?;
    sentences.extend(robots::sentences(store, token, &urls, now)?);
    for feed in &feeds {
        let subscription = subscription(store, feed.key)?;
        sentences.extend(subscription.map(|subscription| hub(feed, subscription)));
    }
    Ok(Why { outlet: outlet.into(), sentences })
}

fn rule(store: &dyn Store, outlet: &str, now: Millis) -> Result<Vec<String>> {
    let rule = store.outlet_rule(outlet)?;
    let since = instant(rule.since);
    let mut sentences = Vec::new();
    match rule.ban {
        Some(Ban::Blocked) => sentences.push(format!(
            "Blocked by the operator at {since}: nothing is requested; `crawler outlets resume {outlet}` ends the block."
        )),
        Some(Ban::Forgotten) => sentences
            .push(format!("Forgotten by the operator at {since}: nothing is requested or kept.")),
        None => {}
    }
    match rule.paused_until {
        Some(Millis::MAX) => sentences.push(format!(
            "Paused by the operator at {since}, until `crawler outlets resume {outlet}`."
        )),
        Some(until) if until > now => {
            sentences.push(format!("Paused by the operator until {}.", instant(until)));
        }
        _ => {}
    }
    if let Some(delay) = rule.delay {
        sentences.push(format!("The operator fixed the delay at {}.", Span(delay)));
    }
    Ok(sentences)
}

fn pace(pace_key: &str, pace: &Pace, now: Millis) -> String {
    let mut sentence = format!("Pace key {pace_key}: ");
    if pace.delay > 0 {
        sentence += &format!("at least {} between two requests", Span(pace.delay));
    } else {
        sentence += "not requested yet";
    }
    if pace.blocked_until == Millis::MAX {
        sentence += "; it waits until it is resumed";
    } else if pace.blocked_until > now {
        sentence += &format!("; it waits until {}", instant(pace.blocked_until));
    }
    for HostPace { host, blocked_until, failures, forbidden_run, .. } in &pace.hosts {
        if *blocked_until > now {
            sentence += &format!("; {host} waits until {}", instant(*blocked_until));
        }
        if *failures > 0.0 {
            sentence += &format!("; {:.0} failures of {host} in a row", failures.ceil());
        }
        if *forbidden_run > 0 {
            sentence += &format!("; {forbidden_run} times 403 of {host} in a row");
        }
    }
    sentence + "."
}

/// What a feed brings beyond what is taken of it.
fn provenance(of: &Provenance) -> String {
    let mut clauses = String::new();
    if let Some(outlet) = &of.speaks_for {
        clauses += &format!("; it speaks for {outlet}, too");
    }
    if of.told {
        clauses += "; the operator said for whom it speaks";
    }
    if of.not_followed > 0 {
        clauses += &format!(
            "; {} sitemaps that it lists are not followed: they are of other outlets, or too many",
            of.not_followed
        );
    }
    for (taken, whose) in
        [(of.budget.own, "entries"), (of.budget.foreign, "entries of other outlets")]
    {
        if taken.beyond > 0 {
            clauses += &format!(
                "; {} {whose} were beyond its budget of that day, and {} were taken",
                taken.beyond, taken.today
            );
        }
    }
    clauses
}

fn feed_sentence(feed: &Feed, now: Millis) -> String {
    let poll = &feed.poll;
    let mut sentence = format!("Feed {}: ", feed.url);
    sentence += match feed.status {
        FeedStatus::Active => "followed",
        FeedStatus::Paused => "paused by the operator",
        FeedStatus::Gone => "gone",
        FeedStatus::Removed => "removed",
    };
    sentence += &match (poll.polls, poll.last) {
        (0, _) | (_, None) => ", never polled".to_string(),
        (polls, Some(last)) => {
            let successes = poll.successes;
            format!(", {successes} of {polls} polls succeeded, the last was at {}", instant(last))
        }
    };
    if feed.status != FeedStatus::Paused {
        sentence += &if poll.next <= now {
            ", the next is due".to_string()
        } else {
            format!(", the next is at {}", instant(poll.next))
        };
    }
    if !poll.why.is_empty() {
        sentence += &format!(" ({})", poll.why);
    }
    sentence += &provenance(&feed.provenance);
    if let Some(to) = &poll.moved_to {
        sentence += &format!("; moved to {to}");
    }
    if let Some(error) = &poll.last_error {
        sentence += &format!("; last error: {error}");
    }
    sentence + "."
}

/// How the subscription of a feed stands.
fn hub(feed: &Feed, subscription: Subscription) -> String {
    let Subscription { hub, until, attempts, pushed, error, pushes, .. } = subscription;
    let state = match (until, error) {
        (Some(until), _) => {
            let pushed = pushed.map_or("nothing was pushed yet".to_owned(), |at| {
                format!("the last push was at {}", instant(at))
            });
            format!("the hub {hub} has agreed to push until {}; {pushed}", instant(until))
        }
        (None, Some(error)) => format!("the hub {hub} does not push: {error}"),
        (None, None) if attempts == 1 => format!("the hub {hub} was asked once to push"),
        (None, None) => format!("the hub {hub} was asked {attempts} times to push"),
    };
    let doubted = match pushes {
        Pushes { doubted: 0, refused: 0, .. } => String::new(),
        Pushes { believed, doubted, refused, .. } => format!(
            "; on the day of its last push {believed} new entries were accepted and {doubted} left to the next \
             poll; {refused} deliveries came too fast"
        ),
    };
    format!("Feed {}: {state}{doubted}.", feed.url)
}

/// What became of the entries, with examples of those that were not fetched or failed; `urls`
/// grows by the forbidden ones.
fn entries(
    store: &dyn Store,
    outlet: &str,
    sentences: &mut Vec<String>,
    urls: &mut Vec<String>,
) -> Result<()> {
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    for row in store.ledger(None, None)?.into_iter().filter(|row| row.outlet == outlet) {
        for (name, count) in row.outcomes {
            *outcomes.entry(name).or_default() += count;
        }
    }
    let entries: u64 = outcomes.values().sum();
    if entries == 0 {
        sentences.push("No entry of this outlet has been seen.".into());
        return Ok(());
    }
    let list: Vec<String> = outcomes.iter().map(|(name, n)| format!("{name} {n}")).collect();
    let seen = if entries == 1 { "Of 1 entry".into() } else { format!("Of {entries} entries") };
    sentences.push(format!("{seen}: {}.", list.join(", ")));
    // How many examples are still wanted; the search ends when there are no more to be found.
    let telling = |name: &str| {
        name == "forbidden" || name == "refused" || name == "pending" || name.starts_with("failed")
    };
    let mut wanted: BTreeMap<String, usize> = outcomes
        .into_iter()
        .filter(|(name, _)| telling(name))
        .map(|(name, n)| (name, usize::try_from(n).unwrap_or(EXAMPLES).min(EXAMPLES)))
        .collect();
    store.urls(&mut |url| {
        if url.outlet == outlet
            && let Some(left) = wanted.get_mut(url.outcome.name()).filter(|left| **left > 0)
        {
            *left -= 1;
            if let Outcome::Forbidden { .. } = url.outcome {
                urls.push(url.entry.url.clone());
            }
            sentences.extend(example(&url));
        }
        wanted.values().any(|left| *left > 0)
    })
}

fn example(url: &UrlRecord) -> Option<String> {
    // What was, or is to be, requested; the canonical form may be of another scheme.
    let at = if url.entry.url.is_empty() { &url.canonical } else { &url.entry.url };
    match &url.outcome {
        Outcome::Forbidden { rule, line } => {
            let line = line.map_or_else(String::new, |line| format!(", line {line}"));
            Some(format!("{at} was not requested: robots.txt said `{rule}`{line}."))
        }
        Outcome::Refused(why) => Some(format!("{at} was not requested: {why}.")),
        Outcome::Failed(failure) => {
            Some(format!("{at} ended as {}: {}.", failure.name(), failure.words()))
        }
        Outcome::Pending => url
            .last_error
            .as_ref()
            .map(|error| format!("{at} is tried again at {}: {error}.", instant(url.next))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{self, OutletRule};

    const NOW: Millis = 1_795_000_000_000;

    #[test]
    fn a_failure_is_a_sentence_about_what_was_requested() {
        let record = |failure| UrlRecord {
            key: UrlKey(1),
            canonical: "https://a.test/1".into(),
            outlet: "a.test".into(),
            pace_key: "a.test".into(),
            feed: UrlKey(2),
            entry: Entry { url: "http://a.test/1".into(), ..Entry::default() },
            first_seen: NOW,
            arrival: "2026-11-18".parse().unwrap(),
            backlog: false,
            outcome: Outcome::Failed(failure),
            attempts: 1,
            next: NOW,
            last_error: None,
            chain: Vec::new(),
            foreign: false,
            sight: Sight::Unnoted,
        };
        for (failure, said) in [
            (Failure::TooManyRedirects, "failed(too many redirects): it is redirected too often."),
            (Failure::Status(418), "failed(status): the server answered with status 418."),
            (
                Failure::Headers("invalid content-length parsed".into()),
                "failed(headers): the header fields of the answer cannot be read (invalid \
                 content-length parsed).",
            ),
        ] {
            let expected = format!("http://a.test/1 ended as {said}");
            assert_eq!(example(&record(failure)), Some(expected));
        }
    }

    #[test]
    fn every_reason_is_a_sentence() {
        let store = store::memory();
        let mut feed = Feed {
            key: UrlKey(1),
            url: "https://a.test/feed".into(),
            outlet: "a.test".into(),
            pace_key: "a.test".into(),
            group: None,
            title: None,
            language: None,
            format: None,
            status: FeedStatus::Active,
            added: NOW,
            poll: PollState { next: NOW + HOUR, ..PollState::default() },
            provenance: Provenance::default(),
        };
        feed.poll.polls = 3;
        feed.poll.successes = 1;
        feed.poll.last = Some(NOW - HOUR);
        feed.poll.last_error = Some("HTTP status 500".into());
        store.add_feeds(&[feed]).unwrap();
        let rule = OutletRule {
            paused_until: Some(Millis::MAX),
            delay: Some(5_000),
            ban: Some(Ban::Blocked),
            pace_keys: vec!["a.test".into()],
            since: NOW,
        };
        store.set_outlet_rule("a.test", &rule).unwrap();
        let why = why(store.as_ref(), "a.test", "crawler", NOW).unwrap();
        let said = why.sentences.join("\n");
        for part in [
            "Blocked by the operator at 2026-11-18",
            "until `crawler outlets resume a.test`",
            "fixed the delay at 5s",
            "Pace key a.test: not requested yet; it waits until it is resumed.",
            "followed, 1 of 3 polls succeeded",
            "last error: HTTP status 500.",
            "No entry of this outlet has been seen.",
            "No robots.txt of https://a.test:443 has been read yet.",
        ] {
            assert!(said.contains(part), "no `{part}` in\n{said}");
        }
    }
}

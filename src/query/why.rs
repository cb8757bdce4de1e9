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
use crate::words::{Language, Said, said};

/// Feeds that are described one by one.
const MOST_FEEDS: usize = 20;
/// Entries named per kind of outcome.
const EXAMPLES: usize = 3;

/// Answer of [`why`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Why {
    pub outlet: String,
    pub sentences: Vec<String>,
    /// The same, for other languages; a daemon of before does not send it.
    #[serde(default)]
    pub said: Vec<Said>,
}

/// Everything that decides whether an outlet is asked. `token` tells which groups of a robots.txt are
/// ours.
pub fn why(store: &dyn Store, outlet: &str, token: &str, now: Millis) -> Result<Why> {
    let mut feeds: Vec<Feed> =
        store.feeds()?.into_iter().filter(|feed| feed.outlet == outlet).collect();
    feeds.sort_by(|a, b| a.url.cmp(&b.url));
    let mut told = rule(store, outlet, now)?;
    let mut pace_keys = store.outlet_rule(outlet)?.pace_keys;
    pace_keys.extend(feeds.iter().map(|feed| feed.pace_key.clone()));
    pace_keys.sort();
    pace_keys.dedup();
    for pace_key in &pace_keys {
        told.extend(store.pace(pace_key)?.map(|row| pace(pace_key, &row, now)));
    }
    if feeds.is_empty() {
        told.push(said("why.feeds.none"));
    }
    told.extend(feeds.iter().take(MOST_FEEDS).map(|feed| feed_sentence(feed, now)));
    if feeds.len() > MOST_FEEDS {
        told.push(said("why.feeds.more").with("n", feeds.len() - MOST_FEEDS));
    }
    let mut urls: Vec<String> =
        feeds.iter().map(|feed| feed.url.clone()).take(MOST_FEEDS).collect();
    entries(store, outlet, &mut told, &mut urls)?;
    told.extend(robots::sentences(store, token, &urls, now)?);
    for feed in &feeds {
        let subscription = subscription(store, feed.key)?;
        told.extend(subscription.map(|subscription| hub(feed, subscription)));
    }
    let sentences = told.iter().map(|said| Language::En.say(said)).collect();
    Ok(Why { outlet: outlet.into(), sentences, said: told })
}

fn rule(store: &dyn Store, outlet: &str, now: Millis) -> Result<Vec<Said>> {
    let rule = store.outlet_rule(outlet)?;
    let decided = |name| said(name).with("since", instant(rule.since)).with("outlet", outlet);
    let mut told = Vec::new();
    match rule.ban {
        Some(Ban::Blocked) => told.push(decided("why.blocked")),
        Some(Ban::Forgotten) => told.push(decided("why.forgotten")),
        None => {}
    }
    match rule.paused_until {
        Some(Millis::MAX) => told.push(decided("why.paused")),
        Some(until) if until > now => {
            told.push(said("why.paused.until").with("until", instant(until)));
        }
        _ => {}
    }
    if let Some(delay) = rule.delay {
        told.push(said("why.delay").with("time", Span(delay).to_string()));
    }
    Ok(told)
}

fn pace(pace_key: &str, pace: &Pace, now: Millis) -> Said {
    let mut clauses = vec![match pace.delay {
        1.. => said("why.pace.delay").with("time", Span(pace.distance()).to_string()),
        _ => said("why.pace.new"),
    }];
    if pace.blocked_until == Millis::MAX {
        clauses.push(said("why.pace.stopped"));
    } else if pace.blocked_until > now {
        clauses.push(said("why.pace.waits").with("until", instant(pace.blocked_until)));
    }
    for HostPace { host, blocked_until, failures, forbidden_run, .. } in &pace.hosts {
        if *blocked_until > now {
            let until = instant(*blocked_until);
            clauses.push(said("why.host.waits").with("host", host).with("until", until));
        }
        if *failures > 0.0 {
            let n = failures.ceil() as u64;
            clauses.push(said("why.host.failures").with("host", host).with("n", n));
        }
        if *forbidden_run > 0 {
            let n = i64::from(*forbidden_run);
            clauses.push(said("why.host.forbidden").with("host", host).with("n", n));
        }
    }
    said("why.pace").with("key", pace_key).with("clauses", clauses)
}

/// What a feed brings beyond what is taken of it.
fn provenance(of: &Provenance) -> Vec<Said> {
    let mut clauses = Vec::new();
    if let Some(outlet) = &of.speaks_for {
        clauses.push(said("why.speaks.for").with("outlet", outlet));
    }
    if of.told {
        clauses.push(said("why.speaks.told"));
    }
    if of.not_followed > 0 {
        clauses.push(said("why.not.followed").with("n", i64::from(of.not_followed)));
    }
    for (taken, whose) in
        [(of.budget.own, said("why.budget.own")), (of.budget.foreign, said("why.budget.foreign"))]
    {
        if taken.beyond > 0 {
            let taken = whose.with("n", taken.beyond).with("taken", taken.today);
            clauses.push(taken);
        }
    }
    clauses
}

fn feed_sentence(feed: &Feed, now: Millis) -> Said {
    let poll = &feed.poll;
    let mut clauses = vec![match feed.status {
        FeedStatus::Active => said("why.feed.active"),
        FeedStatus::Paused => said("why.feed.paused"),
        FeedStatus::Gone => said("why.feed.gone"),
        FeedStatus::Removed => said("why.feed.removed"),
    }];
    clauses.push(match (poll.polls, poll.last) {
        (0, _) | (_, None) => said("why.feed.never"),
        (polls, Some(last)) => said("why.feed.polls")
            .with("done", poll.successes)
            .with("n", polls)
            .with("at", instant(last)),
    });
    if feed.status != FeedStatus::Paused {
        clauses.push(match poll.next {
            next if next <= now => said("why.feed.due"),
            next => said("why.feed.next").with("at", instant(next)),
        });
    }
    if !poll.why.is_empty() {
        clauses.push(said("why.feed.why").with("why", &poll.why));
    }
    clauses.extend(provenance(&feed.provenance));
    if let Some(to) = &poll.moved_to {
        clauses.push(said("why.feed.moved").with("to", to));
    }
    if let Some(error) = &poll.last_error {
        clauses.push(said("why.feed.error").with("error", error));
    }
    said("why.feed").with("url", &feed.url).with("clauses", clauses)
}

/// How the subscription of a feed stands.
fn hub(feed: &Feed, subscription: Subscription) -> Said {
    let Subscription { hub, until, attempts, pushed, error, pushes, .. } = subscription;
    let mut clauses = match (until, error) {
        (Some(until), _) => vec![
            said("why.hub.agreed").with("hub", hub).with("until", instant(until)),
            match pushed {
                None => said("why.hub.nothing"),
                Some(at) => said("why.hub.pushed").with("at", instant(at)),
            },
        ],
        (None, Some(error)) => vec![said("why.hub.refused").with("hub", hub).with("error", error)],
        (None, None) => {
            vec![said("why.hub.asked").with("hub", hub).with("n", i64::from(attempts))]
        }
    };
    if let Pushes { believed, doubted, refused, .. } = pushes
        && (doubted, refused) != (0, 0)
    {
        let doubted = said("why.hub.doubted")
            .with("believed", believed)
            .with("doubted", doubted)
            .with("refused", refused);
        clauses.push(doubted);
    }
    said("why.feed").with("url", &feed.url).with("clauses", clauses)
}

/// What became of the entries, with examples of those that were not fetched or failed; `urls`
/// grows by the forbidden ones.
fn entries(
    store: &dyn Store,
    outlet: &str,
    told: &mut Vec<Said>,
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
        told.push(said("why.entries.none"));
        return Ok(());
    }
    let mut list = Vec::new();
    for (name, n) in &outcomes {
        if !list.is_empty() {
            list.push(said("why.entries.comma"));
        }
        list.push(said("why.entries.outcome").with("outcome", name).with("n", *n));
    }
    told.push(said("why.entries").with("n", entries).with("clauses", list));
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
            told.extend(example(&url));
        }
        wanted.values().any(|left| *left > 0)
    })
}

fn example(url: &UrlRecord) -> Option<Said> {
    // What was, or is to be, requested; the canonical form may be of another scheme.
    let at = if url.entry.url.is_empty() { &url.canonical } else { &url.entry.url };
    let told = match &url.outcome {
        Outcome::Forbidden { rule, line: None } => said("why.url.forbidden").with("rule", rule),
        Outcome::Forbidden { rule, line: Some(line) } => {
            said("why.url.forbidden.line").with("rule", rule).with("line", line.to_string())
        }
        Outcome::Refused(why) => said("why.url.refused").with("why", why),
        Outcome::Failed(failure) => said("why.url.failed")
            .with("outcome", failure.name())
            .with("why", failure.words().to_string()),
        Outcome::Pending => {
            let error = url.last_error.as_ref()?;
            said("why.url.pending").with("at", instant(url.next)).with("error", error)
        }
        _ => return None,
    };
    Some(told.with("url", at))
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
            arrived: Arrived::Seen,
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
            let told = example(&record(failure)).map(|told| Language::En.say(&told));
            assert_eq!(told, Some(expected));
        }
    }

    /// A daemon may be older than the program that asks it.
    #[test]
    fn answers_without_names_of_sentences_are_read() {
        fn of_before<T: Serialize + serde::de::DeserializeOwned>(
            answer: &T,
        ) -> serde_json::Result<T> {
            let mut answer = serde_json::to_value(answer)?;
            answer.as_object_mut().and_then(|fields| fields.remove("said")).expect("a field");
            serde_json::from_value(answer)
        }
        let store = store::memory();
        of_before(&why(store.as_ref(), "a.test", "crawler", NOW).unwrap()).unwrap();
        let past = crate::query::Past::default();
        let status = crate::query::status(store.as_ref(), &past, None, &[], NOW);
        of_before(&status.unwrap()).unwrap();
    }

    /// What was measured before the operator fixed a delay was told beside it.
    #[test]
    fn the_delay_that_holds_is_told() {
        for (delay, fixed, expect) in [
            (50, Some(10_000), "at least 10s between"),
            (50, None, "at least 50ms between"),
            (20_000, Some(10_000), "at least 20s between"),
        ] {
            let known = Pace { delay, operator_delay: fixed, ..Pace::default() };
            let told = Language::En.say(&pace("a.test", &known, NOW));
            assert!(told.contains(expect), "{told}");
        }
    }

    #[test]
    fn every_reason_is_a_sentence() {
        let store = store::memory();
        let mut feed = Feed::new(UrlKey(1), "https://a.test/feed", "a.test", "a.test", NOW);
        feed.poll.next = NOW + HOUR;
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
        for (part, said) in why.said.iter().zip(&why.sentences) {
            assert_eq!(&Language::En.say(part), said);
            let german = Language::De.say(part);
            assert!(german != *said && !german.contains(['{', '}']), "{german}");
        }
    }
}

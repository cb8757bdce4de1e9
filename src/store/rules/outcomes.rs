//! What a poll and a page bring into the store, and what is forgotten. Polls and pages check their
//! lease and whether they were committed before; if so they change nothing.
//!
//! Must not know: how entries and articles were found.

use std::collections::BTreeSet;

use super::entries::Beyond;
use super::feeds::{self, poll_task};
use super::{Rows, articles, entries, sightings, stories};
use crate::model::*;
use crate::store::{Admission, PageCommit, PageEnd, PollCommit, Result, StoreError};

/// The answer to whatever is asked of a batch of which a call has failed.
pub fn batch_failed() -> StoreError {
    StoreError::Other("a call of this batch failed, so nothing of it is committed".to_owned())
}

/// Is a write under this lease allowed, and is the task still open?
pub fn admit(rows: &mut dyn Rows, lease: &Lease, task: &Task) -> Result<Admission> {
    if !rows.holds(lease)? {
        return Ok(Admission::Fenced);
    }
    let open = match task.kind {
        TaskKind::Poll => rows
            .feed(task.key)?
            .and_then(|feed| poll_task(&feed))
            .is_some_and(|now| now.due == task.due),
        TaskKind::Fetch => rows
            .url(task.key)?
            .is_some_and(|url| url.outcome == Outcome::Pending && url.next == task.due),
    };
    Ok(if open { Admission::Admitted } else { Admission::Replayed })
}

/// A poll's result, or what a hub pushed. Returns how many of its entries were first sights.
pub fn poll(rows: &mut dyn Rows, lease: &Lease, poll: PollCommit) -> Result<u64> {
    let Some(stored) = feeds::present(rows, poll.feed.key)? else { return Ok(0) };
    if !rows.holds(lease)? || stored.poll.next != poll.due {
        return Ok(0);
    }
    if !poll.pushed {
        for day in feeds::missed_days(&stored, &poll) {
            rows.changes().ledger(day, stored.account()).polls_due += 1;
        }
        let ledger = rows.changes().ledger(poll.day, stored.account());
        ledger.polls_due += 1;
        ledger.polls_succeeded += i64::from(poll.succeeded);
    }
    let mut entries = poll.entries;
    for entry in entries.iter_mut().filter(|entry| !entry.foreign) {
        entry.sight = sightings::sight(&stored, entry.key, poll.at);
    }
    let mut feed = feeds::polled(&stored, poll.feed, poll.pushed);
    let when = (poll.day, poll.at);
    let new = entries::brought(rows, &mut feed, entries, when, Beyond::Counted)?;
    rows.put_feed(Some(&stored), &feed)?;
    if stored.status == FeedStatus::Active && feed.status == FeedStatus::Gone {
        feeds::release(rows, feed.key, poll.at)?;
    }
    feeds::add_found(rows, &poll.feeds, feed.provenance.stand_in)?;
    Ok(new)
}

/// Moves an open task to a later instant; that is no attempt.
pub fn put_off(rows: &mut dyn Rows, task: &Task, until: Millis) -> Result<()> {
    match task.kind {
        TaskKind::Poll => {
            let Some(old) = feeds::present(rows, task.key)? else { return Ok(()) };
            let mut new = old.clone();
            (new.provenance.planned, new.poll.next) = (Some(old.due()), until);
            rows.put_feed(Some(&old), &new)
        }
        TaskKind::Fetch => {
            let Some(old) = rows.url(task.key)? else { return Ok(()) };
            let new = UrlRecord { next: until, ..old.clone() };
            entries::replace(rows, &old, &new)
        }
    }
}

/// Adds to what was fetched on an outlet's account.
pub fn spent(rows: &mut dyn Rows, spent: &Spent) {
    let ledger = rows.changes().ledger(spent.day, &spent.outlet);
    ledger.brought.bytes += i64::try_from(spent.bytes).unwrap_or(i64::MAX);
}

/// When a page that led to others beyond the budget of its feed is asked for again, and why.
const NEXT_DAY: (Millis, &str) = (DAY, "its feed has named enough of other outlets on this day");

/// Takes the entries of others that a page led to, as far as the budget of the feed goes that listed the page: as if it had
/// listed them itself. Returns how many were new; `None`: one of them is beyond.
fn led_to_others(
    rows: &mut dyn Rows,
    from: &UrlRecord,
    others: Vec<UrlRecord>,
    at: Millis,
) -> Result<Option<u64>> {
    let Some(day) = others.first().map(|found| found.arrival) else { return Ok(Some(0)) };
    let Some(stored) = rows.feed(from.feed)? else {
        return entries::first_sights(rows, others).map(Some);
    };
    let keys: Vec<UrlKey> = others.iter().map(|found| found.key).collect();
    let mut feed = stored.clone();
    let new = entries::brought(rows, &mut feed, others, (day, at), Beyond::Waits)?;
    if feed != stored {
        rows.put_feed(Some(&stored), &feed)?;
    }
    let all = rows.known_urls(&keys)?.len() == keys.len();
    Ok(all.then_some(new))
}

/// A page's outcome; `None`: it had no effect.
pub fn page(rows: &mut dyn Rows, lease: &Lease, page: PageCommit) -> Result<Option<PageEnd>> {
    let Some(old) = rows.url(page.key)? else {
        return Err(StoreError::Other(format!("no entry has the key {}", page.key)));
    };
    if !rows.holds(lease)? || old.outcome != Outcome::Pending {
        return Ok(None);
    }
    let mut new = old.clone();
    let (others, own): (Vec<_>, Vec<_>) =
        page.discovered.into_iter().partition(|found| found.foreign);
    let led = led_to_others(rows, &old, others, page.at)?;
    match page.outcome {
        Outcome::Moved(_) if led.is_none() => {
            let (wait, why) = NEXT_DAY;
            // It has answered: this is no failure, and those before are over.
            new.attempts = 0;
            new.next = page.at.saturating_add(wait);
            new.last_error = Some(why.to_owned());
        }
        Outcome::Pending => {
            if !entries::put_off(&mut new, page.retry)? {
                return Ok(None);
            }
        }
        Outcome::Article => {
            new.outcome = match entries::same_article(rows, old.key, &page.aliases)? {
                Some(other) => other,
                None => articles::add(rows, &old, page.article, &page.aliases)?,
            };
        }
        other => new.outcome = other,
    }
    if new.outcome == Outcome::Forgotten {
        new = entries::tombstone(new);
    }
    entries::replace(rows, &old, &new)?;
    entries::confirm_known(rows, &new)?;
    let entries = led.unwrap_or_default() + entries::first_sights(rows, own)?;
    Ok(Some(PageEnd { outcome: new.outcome, entries }))
}

/// Ends entries as forgotten for good, and removes all of those that are articles, also from what alerts
/// told. `rest` are the stories that the other members of their stories form then. Returns how many were
/// articles.
pub fn forget(rows: &mut dyn Rows, entries: &[UrlRecord], rest: &[Story]) -> Result<usize> {
    let keys: Vec<UrlKey> = entries.iter().map(|entry| entry.key).collect();
    let articles: BTreeSet<UrlKey> = rows.articles_among(&keys)?;
    untell(rows, &keys, &articles)?;
    stories::split(rows, &articles, rest)?;
    for article in &articles {
        articles::remove(rows, *article)?;
    }
    for entry in entries {
        entries::forget(rows, entry)?;
    }
    Ok(articles.len())
}

/// Takes entries that are forgotten out of what alerts told. Whoever has read such an alert is too late to
/// write it.
fn untell(rows: &mut dyn Rows, keys: &[UrlKey], articles: &BTreeSet<UrlKey>) -> Result<()> {
    let alerts = rows.alerts()?;
    if alerts.iter().all(|alert| alert.events.is_empty()) {
        return Ok(());
    }
    let mut titles = Vec::new();
    for article in articles {
        if let Some(record) = rows.article(*article)? {
            titles.extend(record.article.title.map(|title| (title.value, record.outlet)));
        }
    }
    let gone = keys.iter().copied().collect();
    for mut alert in alerts {
        let mut had = false;
        for event in &mut alert.events {
            had |= event.forget(&gone, &titles);
        }
        if had {
            alert.revision += 1;
            rows.put_alert(&alert)?;
        }
    }
    Ok(())
}

//! What hubs push, on its way into the store: each delivery is committed as a poll of its feed, or left
//! to one that is brought forward.
//!
//! Must not know: hubs, subscriptions, signatures.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use tokio::sync::watch;

use super::commit::{Committer, Work};
use crate::crawl::Engine;
use crate::crawl::clock;
use crate::crawl::web::gate::{Traces, Turn, blocking};
use crate::crawl::web::websub::{self, Delivery, WAITING};
use crate::crawl::web::{lineage, read, sights};
use crate::frontier::pace;
use crate::model::*;
use crate::store::subscriptions::Pushes;
use crate::store::{Admission, PollCommit};

/// New entries that a hub is believed a day of any feed; of one that brings more on usual days, so many
/// times as many.
const BELIEVED: u32 = 200;
const TIMES_USUAL: u32 = 2;
/// What a hub brings is due at every so manyth request of the pace key: in between there is room for what
/// the outlet itself lists.
const SHARE: Millis = 2;

/// Each delivery waits for its own pace key, and only for that.
pub(super) async fn take_all(
    engine: &Arc<Engine>,
    committer: &Committer,
    mut shutdown: watch::Receiver<bool>,
) {
    let mut deliveries = engine.websub.queue();
    let mut taking = tokio::task::JoinSet::new();
    while !*shutdown.borrow() {
        tokio::select! {
            Some(delivery) = deliveries.recv(), if taking.len() < WAITING => {
                taking.spawn(take(engine.clone(), committer.clone(), delivery));
            }
            Some(_) = taking.join_next() => {}
            _ = shutdown.changed() => {}
        }
    }
    deliveries.close();
    while let Ok(delivery) = deliveries.try_recv() {
        leave_to_poll(engine, delivery.feed, &anyhow!("the crawl ends")).await;
    }
    while taking.join_next().await.is_some() {}
}

/// Commits a delivery; the feed is polled at once where that fails.
async fn take(engine: Arc<Engine>, committer: Committer, delivery: Delivery) {
    let feed = delivery.feed;
    if let Err(error) = try_take(&engine, &committer, delivery).await {
        leave_to_poll(&engine, feed, &error).await;
    }
}

/// Lets the next poll, brought forward, bring what a delivery would have brought. Not within the
/// shortest interval of the last one: a hub that pushes what is no feed would have it polled each time.
async fn leave_to_poll(engine: &Arc<Engine>, feed: UrlKey, why: &anyhow::Error) {
    let (store, least) = (engine.store.clone(), engine.settings.feed.schedule.min.0);
    let brought = blocking(move || {
        let Some(known) = store.feed(feed)? else { return Ok(String::new()) };
        let at = known.poll.last.map_or(0, |last| last.saturating_add(least)).max(clock::now());
        store.poll_now(feed, at)?;
        Ok(known.url)
    });
    match brought.await {
        Ok(feed) => tracing::warn!(feed, "WebSub: a delivery is left to a poll: {why:#}"),
        Err(denied) => tracing::warn!("WebSub: a delivery is lost: {why:#}; {}", denied),
    }
}

/// Commits a delivery as a poll of its feed: under its lease, but at no pace, since the publisher is not
/// asked.
async fn try_take(engine: &Arc<Engine>, committer: &Committer, delivery: Delivery) -> Result<()> {
    let store = engine.store.clone();
    let key = delivery.feed;
    let feed = move || store.feed(key);
    let Some(known) = blocking(feed.clone()).await? else { return Ok(()) };
    let (shared, at) = (engine.clone(), known.url.clone());
    let parsing = engine.cores.start(delivery.body.len(), move || {
        let kind = delivery.content_type.as_deref();
        read::feed(&shared, &delivery.body, kind, &at)
    });
    let parsed = parsing.await.await?;
    let parsed = parsed.with_context(|| format!("a delivery for {} is no feed", known.url))?;
    let turn = engine.gate.hold(&known.pace_key).await?;
    // Read again under the lease: it may have been polled meanwhile.
    let result = match blocking(feed).await {
        Ok(Some(feed)) if feed.status == FeedStatus::Active => {
            commit(engine, committer, &turn, feed, parsed.entries).await
        }
        Ok(_) => Ok(()),
        Err(denied) => Err(denied.into()),
    };
    engine.gate.done(turn).await?;
    result
}

async fn commit(
    engine: &Arc<Engine>,
    committer: &Committer,
    turn: &Turn,
    mut feed: Feed,
    entries: Vec<Entry>,
) -> Result<()> {
    let now = clock::now();
    let (key, due, url) = (feed.key, feed.poll.next, feed.url.clone());
    let (entries, keys) = sights::entries(engine, &mut feed, entries, now, false);
    let (shared, known) = (engine.clone(), feed.clone());
    let apart = SHARE * pace::delay(&turn.pace, &engine.settings.pace).max(turn.pace.delay);
    let weighed = blocking(move || weigh(&shared, &known, entries, now, apart));
    let (entries, pushes, doubted) = weighed.await?;
    feed.poll =
        crate::feed::schedule::pushed(&feed.poll, &keys, now, &engine.settings.feed.schedule);
    let day = day_of(now, &engine.zone);
    let poll = PollCommit {
        feed,
        due,
        at: now,
        day,
        begins: day_begins(day, &engine.zone).unwrap_or(now),
        succeeded: true,
        pushed: true,
        entries,
        feeds: Vec::new(),
    };
    let task = Task { kind: TaskKind::Poll, key, url, due, attempts: 0 };
    let work = Work::Poll(Box::new(poll));
    let admission =
        committer.commit(&turn.lease, &task, &turn.pace, Traces::default(), work).await?;
    if admission == Admission::Fenced {
        bail!("the lease was lost");
    }
    websub::pushed(engine, key, now, pushes, doubted > 0).await?;
    if doubted > 0 {
        bail!("{doubted} entries are more than is accepted of a hub");
    }
    Ok(())
}

/// Hubs are believed so far only. Left out are new entries beyond, those that would wait longer than the
/// shortest interval of polls, and those that are called too old: the poll that is brought forward for
/// them brings what of it is so. The others are requested by their
/// canonical address, which no parameter of a hub's forbids, one after the other, `apart` milliseconds
/// from each other. Returns what is taken, what the hub has pushed with it, and how many were left out.
fn weigh(
    engine: &Engine,
    feed: &Feed,
    entries: Vec<UrlRecord>,
    now: Millis,
    apart: Millis,
) -> crate::store::Result<(Vec<UrlRecord>, Pushes, u32)> {
    let mut pushes = engine.websub.of(feed.key).map(|s| s.pushes.on_day(now)).unwrap_or_default();
    let most = feed.provenance.budget.own.usual.saturating_mul(TIMES_USUAL).max(BELIEVED);
    let least = engine.settings.feed.schedule.min.0;
    let (mut taken, mut doubted) = (Vec::new(), 0);
    for mut entry in entries {
        if feed.poll.recent.contains(&entry.key) {
            continue;
        }
        let late = pushes.next > now.saturating_add(least);
        if pushes.believed >= most || late || entry.outcome == Outcome::TooOld {
            doubted += 1;
        } else if engine.store.url(entry.key)?.is_none_or(|known| known.foreign) {
            pushes.believed += 1;
            entry.next = now.max(pushes.next);
            pushes.next = entry.next.saturating_add(apart);
            entry.entry.url = lineage::canonical_url(&entry.entry.url, &entry.canonical);
            taken.push(entry);
        }
    }
    pushes.doubted = pushes.doubted.saturating_add(doubted);
    Ok((taken, pushes, doubted))
}

//! What every store must do with feeds, leases, polls and batches.

use super::build::*;
use crate::model::*;
use crate::store::rules::entries::fetch_task;
use crate::store::rules::feeds::poll_task;
use crate::store::*;

suite! {
    feeds_are_added_once_changed_and_removed
    claims_come_in_due_order_and_never_twice
    a_claim_prefers_polls_then_fresh_then_retries_then_backlog
    polls_and_fresh_entries_are_urgent
    many_urls_of_one_site_keep_nobody_waiting
    lost_leases_fence
    pauses_hold
    a_commit_without_a_request_waits_for_no_pace
    one_feed_can_be_polled_now
    every_feed_can_be_polled_now
    a_replay_changes_nothing
    a_retry_stays_pending
    what_is_put_off_was_no_attempt
    a_feed_that_is_gone_is_followed_by_what_repeats_it
    a_batch_is_all_or_nothing
    readers_and_claims_run_beside_the_writer
}

fn feeds_are_added_once_changed_and_removed(store: &dyn Store) {
    let feeds = [feed(1, "a.test"), feed(2, "b.test")];
    assert_eq!(store.add_feeds(&feeds).unwrap(), [true, true]);
    assert_eq!(store.add_feeds(&feeds).unwrap(), [false, false]);
    assert_eq!(store.feeds().unwrap(), feeds);
    let paused = Feed { status: FeedStatus::Paused, ..feed(1, "a.test") };
    assert!(store.set_feed(&paused).unwrap());
    assert!(!store.set_feed(&feed(9, "x.test")).unwrap());
    assert_eq!(store.feed(id(1)).unwrap(), Some(paused));
    let leases = store.claim(&claim(T0)).unwrap();
    assert_eq!(leases.iter().map(|l| l.pace_key.as_str()).collect::<Vec<_>>(), ["b.test"]);
    assert!(store.remove_feed(id(2)).unwrap());
    assert!(!store.remove_feed(id(2)).unwrap());
    clean(store);
}

fn claims_come_in_due_order_and_never_twice(store: &dyn Store) {
    for (n, name, due) in [(1, "a.test", 30), (2, "b.test", 10), (3, "c.test", 20)] {
        let mut feed = feed(n, name);
        feed.poll.next = T0 + due;
        store.add_feeds(&[feed]).unwrap();
    }
    assert_eq!(store.due().unwrap(), Due { next: Some(T0 + 10), pending: 0, leased: 0 });
    assert!(store.claim(&claim(T0)).unwrap().is_empty());
    let first = store.claim(&Claim { keys: 2, ..claim(T0 + 40) }).unwrap();
    assert_eq!(first.iter().map(|l| &*l.pace_key).collect::<Vec<_>>(), ["b.test", "c.test"]);
    assert_eq!(first[0].epoch, 1);
    assert_eq!(first[0].pace.next_at, T0 + 40);
    assert_eq!(first[0].tasks.len(), 1);
    let second = store.claim(&claim(T0 + 40)).unwrap();
    assert_eq!(second.iter().map(|l| &*l.pace_key).collect::<Vec<_>>(), ["a.test"]);
    assert!(store.claim(&claim(T0 + 41)).unwrap().is_empty());
    assert_eq!(store.due().unwrap().leased, 3);
    // Given back with its tasks undone and a pause: due again after the pause.
    let pace = Pace { next_at: T0 + 99, ..first[0].pace.clone() };
    assert!(store.complete(&first[0], &pace).unwrap());
    assert_eq!(store.due().unwrap(), Due { next: Some(T0 + 99), pending: 0, leased: 2 });
    assert!(!store.complete(&first[0], &pace).unwrap());
    clean(store);
}

fn a_claim_prefers_polls_then_fresh_then_retries_then_backlog(store: &dyn Store) {
    let mut entries = Vec::new();
    for (n, attempts, backlog, next) in [
        (11, 0, true, 1),
        (12, 2, false, 2),
        (13, 0, false, 4),
        (14, 0, false, 3),
        (15, 0, false, 90),
    ] {
        entries.push(UrlRecord { attempts, backlog, next: T0 + next, ..entry(n, "a.test", 1) });
    }
    with_entries(store, entries);
    let mut second = feed(2, "a.test");
    second.poll.next = T0 + 9;
    store.add_feeds(&[second]).unwrap();
    let lease = &store.claim(&claim(T0 + 10)).unwrap()[0];
    let keys: Vec<UrlKey> = lease.tasks.iter().map(|t| t.key).collect();
    assert_eq!(keys, [2, 14, 13, 12, 11].map(id));
    assert_eq!(lease.tasks[0].kind, TaskKind::Poll);
    assert!(store.complete(lease, &lease.pace).unwrap());
    let drained = &store.claim(&Claim { drain: 2, ..claim(T0 + 10) }).unwrap()[0];
    assert_eq!(drained.tasks.len(), 2);
    clean(store);
}

fn polls_and_fresh_entries_are_urgent(store: &dyn Store) {
    let fresh = UrlRecord { next: T0 + 7, ..entry(11, "a.test", 1) };
    let retry = UrlRecord { attempts: 1, next: T0, ..entry(12, "a.test", 1) };
    let backlog = UrlRecord { backlog: true, ..entry(13, "a.test", 1) };
    let foreign = UrlRecord { foreign: true, next: T0 + 1, ..entry(14, "a.test", 1) };
    let alone = UrlRecord { foreign: true, ..entry(15, "b.test", 1) };
    let entries = vec![fresh, retry, backlog, foreign, alone];
    with_entries(store, entries.clone());
    let since = |store: &dyn Store, n: usize, since: Millis| {
        let entry = &entries[n];
        let before = store.precedence(&entry.pace_key, &fetch_task(entry), since).unwrap();
        (before.urgent, before.foreign)
    };
    let of = |store: &dyn Store, n: usize| since(store, n, T0);
    let own = (Some(T0 + 7), false);
    let expect = [(None, false), own, own, (Some(T0 + 7), true), (None, true)];
    assert_eq!([0, 1, 2, 3, 4].map(|n| of(store, n)), expect);
    let mut second = feed(2, "a.test");
    second.poll.next = T0 + 3;
    store.add_feeds(&[second.clone()]).unwrap();
    assert_eq!(of(store, 1), (Some(T0 + 3), false));
    // What was due before, whatever became of it, hides nothing that came since.
    assert_eq!(since(store, 3, T0 + 4), (Some(T0 + 7), true));
    assert_eq!(since(store, 3, T0 + 7), (Some(T0 + 7), true));
    assert_eq!(since(store, 3, T0 + 8), (Some(T0 + HOUR), true), "the next poll");
    let poll = store.precedence("a.test", &poll_task(&second).unwrap(), T0).unwrap();
    assert_eq!(poll, Precedence::default());
    clean(store);
}

fn many_urls_of_one_site_keep_nobody_waiting(store: &dyn Store) {
    const SMALL: u32 = 5;
    let large = (1_000..2_000).map(|n| entry(n, "large.test", 1));
    // Due later than all of these.
    let small = (1..=SMALL).map(|n| {
        let next = T0 + Millis::from(n);
        UrlRecord { next, ..entry(10 + n, &format!("small-{n}.test"), 1) }
    });
    with_entries(store, large.chain(small).collect());
    let now = T0 + 10;
    let mut turns = Vec::new();
    for n in 0..=Millis::from(SMALL) {
        // One worker, who gives everything back undone: the large site is due again each time.
        let now = now + n * SECOND;
        let lease = store.claim(&Claim { keys: 1, drain: 8, ..claim(now) }).unwrap().remove(0);
        assert!(lease.tasks.len() <= 8);
        turns.push((lease.pace_key.clone(), lease.tasks.len()));
        let pace = Pace { next_at: now + SECOND / 2, ..lease.pace.clone() };
        assert!(store.complete(&lease, &pace).unwrap());
    }
    let small = (1..=SMALL).map(|n| (format!("small-{n}.test"), 1));
    let expect: Vec<_> = [("large.test".to_owned(), 8)].into_iter().chain(small).collect();
    assert_eq!(turns, expect);
    clean(store);
}

fn lost_leases_fence(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1)]);
    let old = store.claim(&claim(T0)).unwrap().remove(0);
    assert!(store.extend(&old, T0 + 2 * MINUTE).unwrap());
    assert!(store.claim(&claim(T0 + MINUTE + 1)).unwrap().is_empty());
    assert_eq!(store.claim_key(&claim(T0 + MINUTE), "a.test").unwrap(), None);
    let new = store.claim(&claim(T0 + 2 * MINUTE)).unwrap().remove(0);
    assert_eq!(new.epoch, old.epoch + 1);
    assert!(!store.extend(&old, T0 + HOUR).unwrap());
    assert!(!store.complete(&old, &old.pace).unwrap());

    let mut batch = store.batch().unwrap();
    assert_eq!(batch.admit(&old, &old.tasks[0]).unwrap(), Admission::Fenced);
    assert_eq!(batch.admit(&new, &new.tasks[0]).unwrap(), Admission::Admitted);
    batch.page(&old, ends(11, Outcome::TooOld)).unwrap();
    assert_eq!(batch.url(id(11)).unwrap().unwrap().outcome, Outcome::Pending);
    batch.page(&new, ends(11, Outcome::TooOld)).unwrap();
    assert_eq!(batch.admit(&new, &new.tasks[0]).unwrap(), Admission::Replayed);
    batch.commit().unwrap();
    assert_eq!(store.url(id(11)).unwrap().unwrap().outcome, Outcome::TooOld);
    clean(store);
}

fn pauses_hold(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    let lease = store.claim(&claim(T0)).unwrap().remove(0);
    pause_until(store, "a.test", T0 + HOUR);
    // The worker knows nothing of the operator's pause; it stays.
    assert!(store.complete(&lease, &Pace { next_at: T0 + 5, ..lease.pace.clone() }).unwrap());
    assert_eq!(store.pace("a.test").unwrap().unwrap().blocked_until, T0 + HOUR);
    assert_eq!(store.due().unwrap().next, Some(T0 + HOUR));
    assert!(store.claim(&claim(T0 + HOUR - 1)).unwrap().is_empty());
    assert_eq!(store.claim_key(&claim(T0 + HOUR - 1), "a.test").unwrap(), None);
    assert_eq!(store.claim(&claim(T0 + HOUR)).unwrap().len(), 1);
    // A pace key without tasks can be leased by name only.
    let free = store.claim_key(&claim(T0), "robots.test").unwrap().unwrap();
    assert!(free.tasks.is_empty());
    clean(store);
}

fn a_commit_without_a_request_waits_for_no_pace(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    let lease = store.claim(&claim(T0)).unwrap().remove(0);
    assert_eq!(store.claim_for_commit(&claim(T0), "a.test").unwrap(), None, "somebody has it");
    let pace = Pace { next_at: T0 + DAY, delay: DAY, ..lease.pace.clone() };
    assert!(store.complete(&lease, &pace).unwrap());
    pause_until(store, "a.test", T0 + HOUR);
    let before = store.pace("a.test").unwrap().unwrap();
    assert_eq!(store.claim_key(&claim(T0 + 1), "a.test").unwrap(), None);
    let held = store.claim_for_commit(&claim(T0 + 1), "a.test").unwrap().unwrap();
    assert_eq!((held.epoch, held.tasks.len(), &held.pace), (lease.epoch + 1, 0, &before));
    // What was leased before is fenced, and a commit goes through.
    assert!(!store.complete(&lease, &pace).unwrap());
    let stored = store.feed(id(1)).unwrap().unwrap();
    let mut batch = store.batch().unwrap();
    let poll = poll_of(&stored, T0 + 1, vec![entry(11, "a.test", 1)]);
    assert_eq!(batch.poll(&held, poll).unwrap(), 1);
    batch.pace(&held, &held.pace).unwrap();
    batch.commit().unwrap();
    clean(store);
    assert!(store.complete(&held, &held.pace).unwrap());
    assert_eq!(store.pace("a.test").unwrap().unwrap(), before);
    assert_eq!(store.due().unwrap(), Due { next: Some(T0 + DAY), pending: 1, leased: 0 });
    assert!(store.claim(&claim(T0 + DAY - 1)).unwrap().is_empty());
    // A pace key that nobody knew.
    assert!(store.claim_for_commit(&claim(T0), "new.test").unwrap().is_some());
    clean(store);
}

fn one_feed_can_be_polled_now(store: &dyn Store) {
    for n in 1..4 {
        let mut feed = feed(n, &format!("{n}.test"));
        feed.poll.next = T0 + DAY;
        feed.status = if n == 3 { FeedStatus::Paused } else { FeedStatus::Active };
        store.add_feeds(&[feed]).unwrap();
    }
    for (n, known) in [(1, true), (3, false), (9, false)] {
        assert_eq!(store.poll_now(id(n), T0 + HOUR).unwrap(), known);
    }
    // Never put off.
    assert!(store.poll_now(id(1), T0 + 2 * HOUR).unwrap());
    let leases = store.claim(&claim(T0 + HOUR)).unwrap();
    assert_eq!(leases.iter().map(|l| &*l.pace_key).collect::<Vec<_>>(), ["1.test"]);
    clean(store);
}

fn every_feed_can_be_polled_now(store: &dyn Store) {
    for n in 1..4 {
        let mut feed = feed(n, &format!("{n}.test"));
        feed.poll.next = T0 + Millis::from(n) * HOUR;
        feed.status = if n == 3 { FeedStatus::Paused } else { FeedStatus::Active };
        store.add_feeds(&[feed]).unwrap();
    }
    assert_eq!(store.poll_all_now(T0 + HOUR).unwrap(), 2);
    assert_eq!(store.claim(&claim(T0 + HOUR)).unwrap().len(), 2);
    clean(store);
}

fn a_replay_changes_nothing(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    let stored = store.feed(id(1)).unwrap().unwrap();
    let poll = poll_of(&stored, T0, vec![entry(11, "a.test", 1), entry(12, "a.test", 1)]);
    under(store, "a.test", |batch, lease| {
        assert_eq!(batch.poll(lease, poll.clone()).unwrap(), 2);
        assert_eq!(batch.poll(lease, poll.clone()).unwrap(), 0);
    });
    under(store, "a.test", |batch, lease| {
        assert_eq!(batch.poll(lease, poll.clone()).unwrap(), 0);
    });
    let page = article(&mut *store.batch().unwrap(), 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    for settled in [Some(PageEnd { outcome: Outcome::Article, entries: 0 }), None] {
        under(store, "a.test", |batch, lease| {
            assert_eq!(batch.page(lease, page.clone()).unwrap(), settled);
        });
    }
    let ledger = store.ledger(None, None).unwrap();
    assert_eq!(ledger.len(), 1);
    assert_eq!(ledger[0].entries, 2);
    let outcomes: Vec<_> = ledger[0].outcomes.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(outcomes, [("article", 1), ("pending", 1)]);
    assert_eq!(ledger[0].polls, Polls { due: 1, succeeded: 1 });
    assert_eq!(
        tally(store, "Acme", 20),
        Tally {
            articles: 1,
            mentions: 2,
            suppressed: 1,
            stories: 1,
            originals: 1,
            ..Tally::default()
        }
    );
    assert_eq!(store.due().unwrap().pending, 1);
    clean(store);
}

fn a_retry_stays_pending(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1)]);
    let retry = PageCommit {
        retry: Some((T0 + 9, "connection reset".to_owned())),
        ..ends(11, Outcome::Pending)
    };
    for _ in 0..2 {
        under(store, "a.test", |batch, lease| {
            batch.page(lease, retry.clone()).unwrap();
        });
    }
    let url = store.url(id(11)).unwrap().unwrap();
    assert_eq!((url.attempts, url.next, url.outcome), (1, T0 + 9, Outcome::Pending));
    assert_eq!(url.last_error.as_deref(), Some("connection reset"));
    assert_eq!(store.due().unwrap().next, Some(T0 + 9));
    let lease = store.claim(&claim(T0 + 9)).unwrap().remove(0);
    assert_eq!(lease.tasks[0].attempts, 1);
    clean(store);
}

fn what_is_put_off_was_no_attempt(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1)]);
    let page = fetch_task(&store.url(id(11)).unwrap().unwrap());
    let poll = poll_task(&store.feed(id(1)).unwrap().unwrap()).unwrap();
    let hosts = vec![HostPace { host: "www.a.test".into(), booked: T0 + 9, ..HostPace::default() }];
    under(store, "a.test", |batch, _| {
        batch.put_off(&page, T0 + 9).unwrap();
        batch.put_off(&poll, T0 + 9).unwrap();
    });
    let url = store.url(id(11)).unwrap().unwrap();
    assert_eq!((url.attempts, url.next, url.outcome), (0, T0 + 9, Outcome::Pending));
    assert_eq!(store.feed(id(1)).unwrap().unwrap().poll.next, T0 + 9);
    assert_eq!(store.due().unwrap().next, Some(T0 + 9));
    let lease = store.claim(&claim(T0 + 9)).unwrap().remove(0);
    assert_eq!(lease.tasks.len(), 2);
    store.complete(&lease, &Pace { hosts: hosts.clone(), ..lease.pace.clone() }).unwrap();
    assert_eq!(store.pace("a.test").unwrap().unwrap().hosts, hosts);
    clean(store);
}

/// Its twin was to be polled before the poll that found it gone was committed, or without that.
fn a_feed_that_is_gone_is_followed_by_what_repeats_it(store: &dyn Store) {
    let twin = |n: u32, of: u32, status| {
        let mut feed = Feed { status, ..feed(n, "a.test") };
        (feed.poll.next, feed.poll.duplicate_of) = (T0 + DAY, Some(id(of)));
        feed
    };
    let (active, paused) = (FeedStatus::Active, FeedStatus::Paused);
    let twins = [twin(2, 1, active), twin(3, 9, active), twin(4, 1, paused)];
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    store.add_feeds(&twins).unwrap();
    let now = |n: u32| store.feed(id(n)).unwrap().unwrap();
    for (status, at) in [(active, T0), (FeedStatus::Gone, T0 + HOUR)] {
        let stored = now(1);
        assert_eq!(now(2), twins[0]);
        under(store, "a.test", |batch, lease| {
            let mut poll = poll_of(&stored, at, Vec::new());
            poll.feed.status = status;
            batch.poll(lease, poll).unwrap();
        });
    }
    let PollState { next, duplicate_of, .. } = now(2).poll;
    assert_eq!((next, duplicate_of), (T0 + HOUR, None));
    assert_eq!([now(3), now(4)], twins[1..]);
    clean(store);
}

fn a_batch_is_all_or_nothing(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1), entry(12, "a.test", 1)]);
    let lease = lease(store, "a.test");
    let mut batch = store.batch().unwrap();
    batch.page(&lease, ends(11, Outcome::TooOld)).unwrap();
    assert_eq!(batch.url(id(11)).unwrap().unwrap().outcome, Outcome::TooOld);
    assert_eq!(store.url(id(11)).unwrap().unwrap().outcome, Outcome::Pending);
    drop(batch);
    assert_eq!(store.url(id(11)).unwrap().unwrap().outcome, Outcome::Pending);

    let mut batch = store.batch().unwrap();
    batch.page(&lease, ends(11, Outcome::TooOld)).unwrap();
    let mut page = article(&mut *batch, 12, 20, Vec::new(), &[]);
    page.article.as_mut().unwrap().brand_set = "other".to_owned();
    assert!(matches!(batch.page(&lease, page), Err(StoreError::StaleBrandSet { .. })));
    assert!(batch.page(&lease, ends(77, Outcome::TooOld)).is_err());
    assert!(batch.commit().is_err());
    assert_eq!(store.due().unwrap().pending, 2);
    clean(store);
}

fn readers_and_claims_run_beside_the_writer(store: &dyn Store) {
    const ARTICLES: u32 = 40;
    with_entries(store, (100..100 + ARTICLES).map(|n| entry(n, "a.test", 1)).collect());
    let feeds: Vec<Feed> = (1..9).map(|n| feed(1000 + n, &format!("{n}.test"))).collect();
    store.add_feeds(&feeds).unwrap();
    let lease = lease(store, "a.test");
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for n in 100..100 + ARTICLES {
                let mut batch = store.batch().unwrap();
                let copies = [n - n % 4];
                let page = article(&mut *batch, n, 20, vec![row(n, "Acme", 20, 1, 0)], &copies);
                batch.page(&lease, page).unwrap();
                batch.commit().unwrap();
            }
        });
        let claimers: Vec<_> = (0..2)
            .map(|_| {
                threads.spawn(|| {
                    let mut got = Vec::new();
                    while let Some(lease) =
                        store.claim(&Claim { keys: 1, ..claim(T0 + SECOND) }).unwrap().pop()
                    {
                        got.push(lease.pace_key);
                    }
                    got
                })
            })
            .collect();
        let mut last = 0;
        while last < i64::from(ARTICLES) {
            // One record: articles and stories of the same commit, whenever it is read.
            let tally = tally(store, "Acme", 20);
            assert!(tally.articles >= last && tally.stories == (tally.articles + 3) / 4);
            last = tally.articles;
        }
        let mut got: Vec<String> =
            claimers.into_iter().flat_map(|claimer| claimer.join().unwrap()).collect();
        got.sort();
        assert_eq!(got, (1..9).map(|n| format!("{n}.test")).collect::<Vec<_>>());
    });
    clean(store);
}

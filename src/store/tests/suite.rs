//! What every store must do.

use super::build::*;
use crate::model::*;
use crate::store::*;

/// Runs each case over a fresh store of each kind.
macro_rules! suite {
    ($($case:ident)*) => {
        mod memory_store { $(#[test] fn $case() { super::$case(&*crate::store::memory()); })* }
        mod sled_store { $(#[test] fn $case() {
            let dir = tempfile::tempdir().unwrap();
            let settings = crate::store::Settings::default();
            super::$case(&*crate::store::open(dir.path(), &settings).unwrap());
        })* }
    };
}

suite! {
    feeds_are_added_once_changed_and_removed
    claims_come_in_due_order_and_never_twice
    a_claim_prefers_polls_then_fresh_then_retries_then_backlog
    lost_leases_fence
    pauses_hold
    every_feed_can_be_polled_now
    a_replay_changes_nothing
    a_retry_stays_pending
    an_alias_ends_a_later_entry_as_known
    two_pages_of_one_canonical_url_are_one_article
    missed_polls_count_as_due_and_failed
    a_batch_is_all_or_nothing
    tallies_follow_stories
    merged_stories_count_once
    filtered_tallies_are_sums_of_rows
    reading_by_day
    a_recount_flips_everything_at_once
    small_values_and_robots
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
    store.block_until("a.test", T0 + HOUR).unwrap();
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
        batch.poll(lease, poll.clone()).unwrap();
        batch.poll(lease, poll.clone()).unwrap();
    });
    under(store, "a.test", |batch, lease| batch.poll(lease, poll.clone()).unwrap());
    let page = article(&mut *store.batch().unwrap(), 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    for _ in 0..2 {
        under(store, "a.test", |batch, lease| batch.page(lease, page.clone()).unwrap());
    }
    let ledger = store.ledger(None, None).unwrap();
    assert_eq!(ledger.len(), 1);
    assert_eq!(ledger[0].entries, 2);
    let outcomes: Vec<_> = ledger[0].outcomes.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(outcomes, [("article", 1), ("pending", 1)]);
    assert_eq!(ledger[0].polls, Polls { due: 1, succeeded: 1 });
    assert_eq!(
        tally(store, "Acme", 20),
        Tally { articles: 1, mentions: 2, suppressed: 1, stories: 1 }
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
        under(store, "a.test", |batch, lease| batch.page(lease, retry.clone()).unwrap());
    }
    let url = store.url(id(11)).unwrap().unwrap();
    assert_eq!((url.attempts, url.next, url.outcome), (1, T0 + 9, Outcome::Pending));
    assert_eq!(url.last_error.as_deref(), Some("connection reset"));
    assert_eq!(store.due().unwrap().next, Some(T0 + 9));
    let lease = store.claim(&claim(T0 + 9)).unwrap().remove(0);
    assert_eq!(lease.tasks[0].attempts, 1);
    clean(store);
}

fn an_alias_ends_a_later_entry_as_known(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1)]);
    let target =
        UrlRecord { chain: vec!["https://a.test/11".to_owned()], ..entry(13, "b.test", 1) };
    under(store, "a.test", |batch, lease| {
        let mut page = article(batch, 11, 20, Vec::new(), &[]);
        page.aliases = vec![id(11), id(12)];
        page.discovered = vec![entry(12, "a.test", 1), target.clone()];
        batch.page(lease, page).unwrap();
    });
    assert_eq!(store.url(id(12)).unwrap().unwrap().outcome, Outcome::Known(id(11)));
    assert_eq!(store.url(id(13)).unwrap().unwrap().outcome, Outcome::Pending);
    assert_eq!(store.article(id(12)).unwrap().unwrap().key, id(11));
    assert_eq!(store.ledger(None, None).unwrap().iter().map(|l| l.entries).sum::<u64>(), 3);
    clean(store);
}

fn two_pages_of_one_canonical_url_are_one_article(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1), entry(12, "a.test", 1)]);
    for n in [11, 12] {
        under(store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 20, vec![row(n, "Acme", 20, 1, 0)], &[]);
            page.aliases = vec![id(99)];
            batch.page(lease, page).unwrap();
        });
    }
    assert_eq!(store.url(id(12)).unwrap().unwrap().outcome, Outcome::Known(id(11)));
    assert_eq!(store.url(id(99)).unwrap().unwrap().key, id(11));
    assert_eq!(tally(store, "Acme", 20).articles, 1);
    clean(store);
}

fn missed_polls_count_as_due_and_failed(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    for at in [T0, T0 + HOUR + 26 * HOUR] {
        let stored = store.feed(id(1)).unwrap().unwrap();
        under(store, "a.test", |batch, lease| {
            batch.poll(lease, poll_of(&stored, at, Vec::new())).unwrap();
        });
    }
    let ledger = store.ledger(None, None).unwrap();
    assert_eq!(ledger.iter().map(|l| l.polls.due).sum::<u32>(), 1 + 26 + 1);
    assert_eq!(ledger.iter().map(|l| l.polls.succeeded).sum::<u32>(), 2);
    assert!(ledger.len() >= 2, "the missed polls stand on their own days: {ledger:?}");
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

fn tallies_follow_stories(store: &dyn Store) {
    with_entries(store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 0), row(11, "Umbra", 20, 0, 3)], &[]);
    assert_eq!(tally(store, "Acme", 20).stories, 1);
    assert_eq!(tally(store, "Umbra", 20).stories, 0);
    // A copy from the day before becomes the original: the story counts on its day, and counts
    // for a brand that only the copy mentions.
    add_article(store, 12, 19, vec![row(12, "Acme", 19, 1, 0), row(12, "Umbra", 19, 1, 0)], &[11]);
    assert_eq!(tally(store, "Acme", 20), Tally { articles: 1, mentions: 2, ..Tally::default() });
    assert_eq!(tally(store, "Acme", 19).stories, 1);
    assert_eq!(tally(store, "Umbra", 19).stories, 1);
    assert_eq!(tally(store, "Umbra", 20), Tally { suppressed: 3, ..Tally::default() });
    let story = store.story_of(id(12)).unwrap().unwrap();
    assert_eq!(story.id, id(11));
    assert_eq!(story.members[0].key, id(12));
    assert_eq!(story.members[0].brands, ["Acme", "Umbra"]);
    assert_eq!(story.members[1].brands, ["Acme"]);
    clean(store);
}

fn merged_stories_count_once(store: &dyn Store) {
    with_entries(store, (11..15).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 1, 0)], &[]);
    add_article(store, 12, 19, vec![row(12, "Acme", 19, 1, 0)], &[]);
    add_article(store, 13, 21, vec![row(13, "Acme", 21, 1, 0)], &[11, 12]);
    assert_eq!([19, 20, 21].map(|d| tally(store, "Acme", d).stories), [1, 0, 0]);
    let merged = store.story(id(12)).unwrap().unwrap();
    assert_eq!(merged.id, id(11));
    assert_eq!(merged.members.iter().map(|m| m.key).collect::<Vec<_>>(), [12, 11, 13].map(id));
    // A story handed in as it was before somebody else joined it loses nobody.
    under(store, "a.test", |batch, lease| {
        let mut page = article(batch, 14, 22, Vec::new(), &[]);
        let commit = page.article.as_mut().unwrap();
        commit.story =
            Story { id: id(12), members: vec![member(12, 19), member(14, 22)], series: false };
        batch.page(lease, page).unwrap();
    });
    assert_eq!(store.story_of(id(14)).unwrap().unwrap().members.len(), 4);
    clean(store);
}

fn filtered_tallies_are_sums_of_rows(store: &dyn Store) {
    with_entries(store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(store, 12, 19, vec![row(12, "Acme", 19, 1, 0)], &[11]);
    add_article(store, 13, 20, vec![row(13, "Umbra", 20, 1, 0)], &[]);
    let filter = |outlet: Option<&str>, from, to| Filter {
        outlet: outlet.map(str::to_owned),
        from,
        to,
        brand: Some("Acme".to_owned()),
        ..Filter::default()
    };
    let get = |filter: &Filter| store.tallies(filter).unwrap();
    let twenty = Tally { articles: 1, mentions: 2, suppressed: 1, stories: 0 };
    let nineteen = Tally { articles: 1, mentions: 1, suppressed: 0, stories: 1 };
    let acme = "Acme".to_owned();
    assert_eq!(
        get(&filter(None, None, None)),
        [(acme.clone(), day(19), nineteen), (acme.clone(), day(20), twenty)]
    );
    assert_eq!(get(&filter(None, Some(day(20)), None)), [(acme.clone(), day(20), twenty)]);
    // Article 11 is of outlet1; its story stands on the original's day, the 19th.
    assert_eq!(
        get(&filter(Some("outlet1"), None, None)),
        [
            (acme.clone(), day(19), Tally { stories: 1, ..Tally::default() }),
            (acme.clone(), day(20), twenty)
        ]
    );
    assert_eq!(get(&filter(Some("outlet1"), None, Some(day(19)))).len(), 1);
    assert_eq!(get(&filter(Some("nobody"), None, None)), []);
}

fn reading_by_day(store: &dyn Store) {
    with_entries(store, (11..15).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(store, 12, 18, vec![row(12, "Beta", 18, 1, 0)], &[11]);
    add_article(store, 13, 19, vec![row(13, "Acme", 19, 1, 0)], &[]);
    let articles = |from: Option<Day>, to: Option<Day>| {
        let mut keys = Vec::new();
        store
            .articles(from, to, &mut |a| {
                keys.push(a.key);
                true
            })
            .unwrap();
        keys
    };
    assert_eq!(articles(None, None), [12, 13, 11].map(id));
    assert_eq!(articles(Some(day(19)), Some(day(19))), [id(13)]);
    let stories = |from: Option<Day>, to: Option<Day>| {
        let mut ids = Vec::new();
        store
            .stories(from, to, &mut |s| {
                ids.push(s.id);
                true
            })
            .unwrap();
        ids
    };
    assert_eq!(stories(None, None), [11, 13].map(id));
    assert_eq!(stories(Some(day(19)), None), [13, 11].map(id));
    assert_eq!(stories(None, Some(day(18))), [id(11)]);
    let rows = |filter: Filter| {
        let mut found = Vec::new();
        store
            .mention_rows(&filter, &mut |r| {
                found.push(r.article);
                true
            })
            .unwrap();
        found
    };
    assert_eq!(rows(Filter::default()), [13, 11, 12].map(id));
    assert_eq!(rows(Filter { from: Some(day(19)), ..Filter::default() }), [13, 11].map(id));
    assert_eq!(rows(Filter { language: Some("de".to_owned()), ..Filter::default() }), []);
    assert_eq!(store.mentions_of(id(12)).unwrap(), [row(12, "Beta", 18, 1, 0)]);
    let mut vectors = Vec::new();
    store
        .vectors(at(19), &mut |key, at, bytes| {
            vectors.push((key, at, bytes));
            true
        })
        .unwrap();
    assert_eq!(vectors, [(id(13), at(19), vec![0, 0, 0, 13]), (id(11), at(20), vec![0, 0, 0, 11])]);
    assert_eq!(store.article(id(11)).unwrap(), Some(record(11, 20)));
    assert_eq!(store.article(id(14)).unwrap(), None);
    let mut urls = 0;
    store
        .urls(&mut |_| {
            urls += 1;
            urls < 3
        })
        .unwrap();
    assert_eq!(urls, 3);
}

fn a_recount_flips_everything_at_once(store: &dyn Store) {
    with_entries(store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(store, 12, 20, Vec::new(), &[11]);
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    store.recount_put(&set, id(11), &[]).unwrap();
    let mut missing = Vec::new();
    store
        .recount_missing(&set, &mut |key| {
            missing.push(key);
            true
        })
        .unwrap();
    assert_eq!(missing, [id(12)]);
    assert!(store.recount_finish(&set).unwrap_err().to_string().contains("1 articles"));
    store.recount_put(&set, id(12), &[row(12, "Acme", 20, 9, 9)]).unwrap();
    store.recount_put(&set, id(12), &[row(12, "Umbra", 20, 1, 0)]).unwrap();
    assert_eq!(tally(store, "Acme", 20).articles, 1);
    assert_eq!(store.brand_set().unwrap(), BrandSet::default());
    clean(store);
    store.recount_finish(&set).unwrap();
    assert_eq!(store.brand_set().unwrap(), set);
    assert_eq!(tally(store, "Acme", 20), Tally::default());
    let once = Tally { articles: 1, mentions: 1, suppressed: 0, stories: 1 };
    assert_eq!(tally(store, "Umbra", 20), once);
    assert_eq!(store.mentions_of(id(11)).unwrap(), []);
    assert_eq!(store.story_of(id(11)).unwrap().unwrap().members[1].brands, ["Umbra"]);
    assert!(store.recount_put(&set, id(11), &[]).is_err());
    // A recount given up leaves nothing behind the next one.
    let given_up = BrandSet { version: "v3".to_owned(), ..BrandSet::default() };
    store.recount_put(&given_up, id(11), &[row(11, "Acme", 20, 1, 0)]).unwrap();
    // Later pages are matched with the new set, and there is a way back.
    under(store, "a.test", |batch, lease| {
        let mut page = article(batch, 13, 20, vec![row(13, "Umbra", 20, 1, 0)], &[]);
        page.article.as_mut().unwrap().brand_set = "v2".to_owned();
        batch.page(lease, page).unwrap();
    });
    assert_eq!(tally(store, "Umbra", 20).articles, 2);
    let back = BrandSet { version: "v1".to_owned(), ..BrandSet::default() };
    for n in 11..14 {
        store.recount_put(&back, id(n), &[]).unwrap();
    }
    store.recount_finish(&back).unwrap();
    assert_eq!(store.tallies(&Filter::default()).unwrap(), []);
    clean(store);
}

fn small_values_and_robots(store: &dyn Store) {
    assert_eq!(store.meta("zone").unwrap(), None);
    store.set_meta("zone", b"Europe/Berlin").unwrap();
    assert_eq!(store.meta("zone").unwrap().as_deref(), Some(&b"Europe/Berlin"[..]));
    let robots = RobotsRecord {
        origin: "https://a.test:443".to_owned(),
        fetched: T0,
        fresh_until: T0 + DAY,
        status: RobotsStatus::Unavailable(404),
        body: String::new(),
        unreachable_since: None,
    };
    let mut batch = store.batch().unwrap();
    batch.robots(&robots).unwrap();
    batch.commit().unwrap();
    assert_eq!(store.robots("https://a.test:443").unwrap(), Some(robots));
    assert_eq!(store.robots("https://b.test:443").unwrap(), None);
    assert!(store.size().unwrap() > 0);
    store.flush().unwrap();
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

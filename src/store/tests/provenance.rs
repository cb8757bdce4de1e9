//! What one outlet may do to another's entries, in every store.

use super::build::*;
use crate::model::*;
use crate::store::*;

suite! {
    an_own_sighting_takes_back_what_hearsay_ended
    what_led_elsewhere_is_asked_again
    no_first_poll_of_others_makes_an_article_backlog
    what_an_outlet_lists_counts_under_its_own_feed
    hearsay_waits_behind_the_outlets_own
    a_flood_ends_at_the_budget
    the_feeds_of_an_outlet_share_its_budget
    redirects_to_others_are_within_the_budget
    an_entry_arrives_when_its_outlet_lists_it
    what_others_named_first_arrives_in_the_hour_of_its_listing
    what_a_feed_brought_is_removed_with_it
    a_feed_that_had_moved_is_polled_again_when_it_is_found
    a_stand_in_goes_where_its_feed_leads
    a_stand_in_that_failed_is_asked_no_sooner_elsewhere
}

/// An entry of `outlet` as another outlet's feed lists it.
fn hearsay(n: u32, outlet: &str, outcome: Outcome) -> UrlRecord {
    UrlRecord { foreign: true, outcome, ..entry(n, outlet, 1) }
}

/// Commits a poll of the feed `n` of `pace_key`, which is added first.
fn polled(store: &dyn Store, n: u32, pace_key: &str, entries: Vec<UrlRecord>) -> u64 {
    store.add_feeds(&[feed(n, pace_key)]).unwrap();
    let stored = store.feed(id(n)).unwrap().unwrap();
    let mut new = 0;
    under(store, pace_key, |batch, lease| {
        new = batch.poll(lease, poll_of(&stored, stored.poll.next, entries)).unwrap();
    });
    new
}

fn outcomes(store: &dyn Store, outlet: &str) -> Vec<(String, u64)> {
    let rows = store.ledger(None, None).unwrap();
    let mut all = std::collections::BTreeMap::new();
    for row in rows.iter().filter(|row| row.outlet == outlet) {
        for (name, n) in &row.outcomes {
            *all.entry(name.clone()).or_insert(0) += n;
        }
    }
    all.into_iter().filter(|(_, n)| *n > 0).collect()
}

fn an_own_sighting_takes_back_what_hearsay_ended(store: &dyn Store) {
    let said = [
        Outcome::TooOld,
        Outcome::Failed(Failure::Status(404)),
        Outcome::Forbidden { rule: "Disallow: /".to_owned(), line: Some(1) },
        Outcome::Refused("a port that is not opened".to_owned()),
        Outcome::NotArticle("no text".to_owned()),
        Outcome::Pending,
    ];
    let entries = (10..).zip(said).map(|(n, outcome)| hearsay(n, "b.test", outcome)).collect();
    assert_eq!(polled(store, 1, "a.test", entries), 6);
    // A second foreigner changes nothing.
    assert_eq!(polled(store, 3, "c.test", vec![hearsay(10, "b.test", Outcome::Pending)]), 0);
    assert_eq!(store.url(id(10)).unwrap().unwrap().outcome, Outcome::TooOld);
    let title = |n| Entry { title: Some(format!("Title {n}")), ..entry(n, "b.test", 2).entry };
    let own = |n| UrlRecord { entry: title(n), ..entry(n, "b.test", 2) };
    assert_eq!(polled(store, 2, "b.test", (10..16).map(own).collect()), 0, "known, not new");
    for n in 10..16 {
        let url = store.url(id(n)).unwrap().unwrap();
        assert_eq!((url.outcome, url.foreign, url.feed), (Outcome::Pending, false, id(2)));
        assert_eq!(url.entry, title(n));
    }
    assert_eq!(outcomes(store, "b.test"), [("pending".to_owned(), 6)]);
    assert_eq!(store.due().unwrap().pending, 6);
    clean(store);
    // Once the outlet has spoken, it is final.
    under(store, "b.test", |batch, lease| {
        batch.page(lease, ends(10, Outcome::TooOld)).unwrap();
    });
    assert_eq!(polled(store, 2, "b.test", vec![own(10)]), 0);
    assert_eq!(store.url(id(10)).unwrap().unwrap().outcome, Outcome::TooOld);
    clean(store);
}

fn what_led_elsewhere_is_asked_again(store: &dyn Store) {
    polled(store, 2, "b.test", vec![entry(20, "b.test", 2)]);
    under(store, "b.test", |batch, lease| {
        let page = article(batch, 20, 20, Vec::new(), &[]);
        batch.page(lease, page).unwrap();
    });
    // What was a copy while only others named it may be an article of its own.
    let said = [Outcome::Known(id(20)), Outcome::Known(id(99)), Outcome::Moved(id(98))];
    for (n, outcome) in (10..).zip(said) {
        polled(store, 1, "a.test", vec![hearsay(n, "b.test", outcome)]);
        polled(store, 2, "b.test", vec![entry(n, "b.test", 2)]);
        let url = store.url(id(n)).unwrap().unwrap();
        assert_eq!((url.outcome, url.foreign), (Outcome::Pending, false));
    }
    clean(store);
}

fn no_first_poll_of_others_makes_an_article_backlog(store: &dyn Store) {
    let first = |n| UrlRecord { backlog: true, ..hearsay(n, "b.test", Outcome::Pending) };
    polled(
        store,
        1,
        "a.test",
        vec![first(10), UrlRecord { backlog: true, ..entry(11, "a.test", 1) }],
    );
    let backlog = |n| store.url(id(n)).unwrap().unwrap().backlog;
    assert_eq!((backlog(10), backlog(11)), (false, true));
}

fn what_an_outlet_lists_counts_under_its_own_feed(store: &dyn Store) {
    let said = (10..14).map(|n| hearsay(n, "b.test", Outcome::Pending)).collect();
    polled(store, 1, "a.test", said);
    // As rows and records of earlier versions: what others named stood as their feed's backlog.
    let add = |n: u32, alias: u32, text: bool| {
        under(store, "b.test", |batch, lease| {
            let counted = MentionRow { backlog: true, ..row(n, "Acme", 20, 2, 1) };
            let mut page = article(batch, n, 20, vec![counted], &[]);
            page.aliases = vec![id(alias)];
            if let Some(commit) = &mut page.article {
                commit.record.backlog = true;
                if !text {
                    commit.record = commit.record.clone().without_text();
                }
            }
            batch.page(lease, page).unwrap();
        });
    };
    add(10, 110, true);
    add(11, 111, true);
    add(12, 112, false);
    // Another address of an article that only others have named, too.
    under(store, "b.test", |batch, lease| {
        let mut page = article(batch, 13, 20, Vec::new(), &[]);
        page.aliases = vec![id(110)];
        batch.page(lease, page).unwrap();
    });
    assert_eq!(store.url(id(13)).unwrap().unwrap().outcome, Outcome::Known(id(10)));
    // A recount is under way meanwhile.
    let next = BrandSet { version: "next".to_owned(), ..BrandSet::default() };
    for n in 10..13 {
        let again = MentionRow { backlog: true, ..row(n, "Acme", 20, 1, 0) };
        store.recount_put(&next, id(n), &[again]).unwrap();
    }
    let before = tally(store, "Acme", 20);
    assert_eq!((before.articles, before.backlog), (3, 3));
    clean(store);
    let check = |store: &dyn Store, own: &[(u32, bool)]| {
        for (n, backlog) in own {
            let article = store.article(id(*n)).unwrap().unwrap();
            let row = store.mentions_of(id(*n)).unwrap().remove(0);
            let url = store.url(id(*n)).unwrap().unwrap();
            assert_eq!((article.feed, article.backlog), (id(2), *backlog), "{n}");
            assert_eq!((row.feed, row.backlog), (id(2), *backlog), "{n}");
            assert_eq!((url.feed, url.backlog, url.foreign), (id(2), *backlog, false), "{n}");
        }
    };
    // Its own feed lists one under another address of it, one under the address that others gave, and one under
    // one that is known to be of the first; one of them with its first poll.
    let own = |n| entry(n, "b.test", 2);
    let listed = vec![own(13), UrlRecord { backlog: true, ..own(11) }, own(112)];
    polled(store, 2, "b.test", listed.clone());
    under(store, "b.test", |batch, lease| {
        batch.page(lease, ends(13, Outcome::Known(id(10)))).unwrap();
    });
    check(store, &[(10, false), (11, true), (12, false)]);
    let after = Tally { backlog: 1, ..before };
    assert_eq!(tally(store, "Acme", 20), after, "nothing else changes");
    clean(store);
    polled(store, 2, "b.test", listed);
    assert_eq!(tally(store, "Acme", 20), after, "and nothing twice");
    store.recount_finish(&next, &store.brand_set().unwrap().version).unwrap();
    check(store, &[(10, false), (11, true), (12, false)]);
    assert_eq!(tally(store, "Acme", 20).backlog, 1);
    clean(store);
}

fn hearsay_waits_behind_the_outlets_own(store: &dyn Store) {
    let said = (10..20).map(|n| hearsay(n, "b.test", Outcome::Pending)).collect();
    polled(store, 1, "a.test", said);
    let old = UrlRecord { backlog: true, ..entry(49, "b.test", 2) };
    polled(store, 2, "b.test", vec![old, entry(50, "b.test", 2)]);
    let claim = Claim { drain: 3, ..claim(T0 + 1) };
    let lease = store.claim_key(&claim, "b.test").unwrap().expect("free");
    let first: Vec<UrlKey> = lease.tasks.iter().take(2).map(|task| task.key).collect();
    assert_eq!(first, [id(50), id(49)], "fresh before backlog, that before hearsay");
    store.complete(&lease, &lease.pace).unwrap();
    clean(store);
}

fn a_flood_ends_at_the_budget(store: &dyn Store) {
    let flood = |from: u32| (from..from + 2_000).map(|n| hearsay(n, "b.test", Outcome::Pending));
    assert_eq!(polled(store, 1, "a.test", flood(1_000).collect()), 500);
    assert_eq!(polled(store, 1, "a.test", flood(1_000).collect()), 0, "listed again");
    assert_eq!(store.due().unwrap().pending, 500);
    assert_eq!(outcomes(store, "b.test"), [("pending".to_owned(), 500)]);
    // The one who listed them answers for the rest.
    assert_eq!(outcomes(store, "a.test"), [("over budget".to_owned(), 1_500)]);
    let budget = store.feed(id(1)).unwrap().unwrap().provenance.budget;
    assert_eq!((budget.foreign.today, budget.foreign.beyond), (500, 1_500));
    clean(store);
    // The outlet itself is not held up.
    assert_eq!(polled(store, 2, "b.test", vec![entry(9_999, "b.test", 2)]), 1);
    clean(store);
}

fn the_feeds_of_an_outlet_share_its_budget(store: &dyn Store) {
    let lists = |feed: u32| feed * 10_000..feed * 10_000 + 400;
    let said = |feed| lists(feed).map(|n| hearsay(n, "b.test", Outcome::Pending)).collect();
    let taken: Vec<u64> = (1..6).map(|feed| polled(store, feed, "a.test", said(feed))).collect();
    assert_eq!(taken, [400, 400, 200, 0, 0]);
    assert_eq!(outcomes(store, "a.test"), [("over budget".to_owned(), 1_000)]);
    // Others are not held up by it, and it is not by its own.
    assert_eq!(polled(store, 7, "c.test", said(7)), 400);
    assert_eq!(polled(store, 1, "a.test", vec![entry(99_999, "a.test", 1)]), 1);
    let rows = store.ledger(None, None).unwrap();
    let brought: Vec<(&str, Brought)> =
        rows.iter().map(|row| (row.outlet.as_str(), row.brought)).collect();
    let of = |own, foreign| Brought { own, foreign, bytes: 0 };
    assert_eq!(brought, [("a.test", of(1, 1_000)), ("b.test", of(0, 0)), ("c.test", of(0, 400))]);
    clean(store);
}

/// A feed listed addresses of its own outlet that led to another's: as many as it liked, from one poll.
fn redirects_to_others_are_within_the_budget(store: &dyn Store) {
    const LISTED: u32 = 600;
    let from = |n: u32| entry(1_000 + n, "a.test", 1);
    let to = |n: u32| UrlRecord {
        chain: vec![from(n).entry.url],
        ..hearsay(5_000 + n, "b.test", Outcome::Pending)
    };
    assert_eq!(polled(store, 1, "a.test", (0..LISTED).map(from).collect()), u64::from(LISTED));
    let follow = |at: Millis| {
        let mut moved = 0;
        under(store, "a.test", |batch, lease| {
            for n in 0..LISTED {
                let outcome = Outcome::Moved(to(n).key);
                let discovered = vec![UrlRecord { arrival: utc_day(at), ..to(n) }];
                let page = PageCommit { at, discovered, ..ends(1_000 + n, outcome) };
                let ended = batch.page(lease, page).unwrap();
                moved += ended.map_or(0, |end| end.entries);
            }
        });
        moved
    };
    assert_eq!(follow(T0), 500);
    assert_eq!(outcomes(store, "b.test"), [("pending".to_owned(), 500)]);
    let waits = store.url(from(LISTED - 1).key).unwrap().unwrap();
    assert_eq!((waits.outcome, waits.next, waits.attempts), (Outcome::Pending, T0 + DAY, 0));
    let budget = store.feed(id(1)).unwrap().unwrap().provenance.budget;
    assert_eq!((budget.foreign.today, budget.own.today), (500, LISTED));
    clean(store);
    // Nothing of it is lost, so nothing is counted as beyond the budget but what a poll leaves.
    let counts = |name: &str, n: u64| (name.to_owned(), n);
    let (moved, pending) = (counts("moved", 500), counts("pending", 100));
    assert_eq!(outcomes(store, "a.test"), [moved.clone(), pending.clone()]);
    let more = (9_000..9_050).map(|n| hearsay(n, "b.test", Outcome::Pending)).collect();
    assert_eq!(polled(store, 1, "a.test", more), 0);
    assert_eq!(outcomes(store, "a.test"), [moved, counts("over budget", 50), pending]);
    clean(store);
    // What is left is followed on the next day, and nothing of it is lost.
    assert_eq!(follow(T0 + DAY), u64::from(LISTED) - 500);
    assert_eq!(outcomes(store, "b.test"), [("pending".to_owned(), u64::from(LISTED))]);
    clean(store);
}

/// Entries of an outlet that only others had named counted as its arrivals: an alert told of a burst that they made up.
fn an_entry_arrives_when_its_outlet_lists_it(store: &dyn Store) {
    let arrivals = || {
        let rows = store.ledger(None, None).unwrap();
        let of_b = rows.iter().filter(|row| row.outlet == "b.test");
        of_b.map(|row| row.arrivals.iter().sum::<u32>()).sum::<u32>()
    };
    let said = (10..13).map(|n| hearsay(n, "b.test", Outcome::Pending)).collect();
    polled(store, 1, "a.test", said);
    assert_eq!(arrivals(), 0);
    under(store, "b.test", |batch, lease| {
        for n in [11, 12] {
            let page = article(batch, n, 20, Vec::new(), &[]);
            batch.page(lease, page).unwrap();
        }
    });
    assert_eq!(arrivals(), 0);
    // One that waits, one that is an article, and one under another address.
    let own = |n| entry(n, "b.test", 2);
    polled(store, 2, "b.test", vec![own(10), own(11), own(14)]);
    assert_eq!(arrivals(), 3);
    under(store, "b.test", |batch, lease| {
        batch.page(lease, ends(14, Outcome::Known(id(12)))).unwrap();
    });
    polled(store, 2, "b.test", vec![own(10), own(11), own(14)]);
    assert_eq!(arrivals(), 3, "nothing twice");
    clean(store);
}

/// It was added to an hour that alerts had judged.
fn what_others_named_first_arrives_in_the_hour_of_its_listing(store: &dyn Store) {
    let of_b = || {
        let rows =
            store.ledger(None, None).unwrap().into_iter().filter(|row| row.outlet == "b.test");
        let hours = rows.flat_map(|row| {
            let day = row.day;
            let hours = row.arrivals.into_iter().zip(0..).filter(|(n, _)| *n > 0);
            hours.map(move |(n, hour)| (day.unwrap(), hour, n)).collect::<Vec<_>>()
        });
        hours.collect::<Vec<(Day, i64, u32)>>()
    };
    polled(store, 1, "a.test", (10..13).map(|n| hearsay(n, "b.test", Outcome::Pending)).collect());
    under(store, "b.test", |batch, lease| {
        for n in 10..13 {
            let page = article(batch, n, 20, Vec::new(), &[]);
            batch.page(lease, page).unwrap();
        }
    });
    let hour = T0.rem_euclid(DAY) / HOUR;
    let listed =
        |n, first_seen, on| UrlRecord { first_seen, arrival: day(on), ..entry(n, "b.test", 2) };
    polled(store, 2, "b.test", vec![listed(10, T0 + 3 * HOUR, 20)]);
    assert_eq!(of_b(), [(day(20), hour + 3, 1)]);
    let backlog = UrlRecord { backlog: true, ..listed(12, T0 + DAY, 21) };
    polled(store, 2, "b.test", vec![listed(11, T0 + DAY, 21), backlog]);
    assert_eq!(of_b(), [(day(20), hour + 3, 1), (day(21), hour, 1)]);
    clean(store);
}

fn what_a_feed_brought_is_removed_with_it(store: &dyn Store) {
    let child = |n, parent| Feed {
        provenance: Provenance { parent, ..Provenance::default() },
        ..feed(n, "a.test")
    };
    let children = [2, 3, 4].map(|n| Child { key: id(n), listed: T0 });
    let index = Feed {
        provenance: Provenance { children: children.to_vec(), ..Provenance::default() },
        ..feed(1, "a.test")
    };
    let all = [index, child(2, Some(id(1))), child(3, Some(id(1))), feed(4, "b.test")];
    store.add_feeds(&all).unwrap();
    // The operator wants this one for itself.
    store.add_feeds(&[feed(3, "a.test")]).unwrap();
    assert!(store.remove_feed(id(1)).unwrap());
    let left: Vec<UrlKey> = store.feeds().unwrap().into_iter().map(|feed| feed.key).collect();
    assert_eq!(left, [id(3), id(4)]);
    clean(store);
}

/// Polls the store's feed 1 again: it brings these feeds, and this is its stand-in.
fn leads(store: &dyn Store, feeds: Vec<Feed>, stand_in: Option<UrlKey>) {
    let stored = store.feed(id(1)).unwrap().unwrap();
    let mut poll = PollCommit { feeds, ..poll_of(&stored, stored.poll.next, Vec::new()) };
    poll.feed.provenance.stand_in = stand_in;
    under(store, "a.test", |batch, lease| {
        batch.poll(lease, poll).unwrap();
    });
}

fn a_feed_that_had_moved_is_polled_again_when_it_is_found(store: &dyn Store) {
    with_entries(store, Vec::new());
    let gone = |n| Feed { status: FeedStatus::Gone, ..feed(n, "b.test") };
    let mut moved = gone(2);
    moved.poll.moved_to = Some("https://c.test/feed".to_owned());
    moved.poll.next = T0 + 30 * DAY;
    moved.poll.polls = 7;
    store.add_feeds(&[moved.clone(), gone(3)]).unwrap();
    let found = |n| feed(n, "b.test");
    leads(store, vec![found(2), found(3)], None);
    let now = |n| store.feed(id(n)).unwrap().unwrap();
    assert_eq!((now(2).status, now(2).poll.moved_to), (FeedStatus::Active, None));
    assert_eq!((now(2).poll.next, now(2).poll.polls), (found(2).poll.next, 7));
    assert_eq!(now(3), gone(3), "its server said so");
    clean(store);
    // The operator may know better than either.
    assert!(store.set_feed(&moved).unwrap());
    let named = [found(2), found(3), found(3)];
    assert_eq!(store.add_feeds(&named).unwrap(), [true, true, false]);
    assert_eq!(store.add_feeds(&named).unwrap(), [false, false, false]);
    assert_eq!([2, 3].map(|n| now(n).status), [FeedStatus::Active; 2]);
    clean(store);
}

fn a_stand_in_goes_where_its_feed_leads(store: &dyn Store) {
    with_entries(store, Vec::new());
    let at = |pace_key: &str, url: &str| {
        let mut feed = Feed { url: url.to_owned(), ..feed(9, pace_key) };
        feed.provenance.parent = Some(id(1));
        feed
    };
    let now = || store.feed(id(9)).unwrap().unwrap();
    leads(store, vec![at("b.test", "https://b.test/1")], Some(id(9)));
    let mut learned = now();
    (learned.poll.successes, learned.poll.etag) = (5, Some("x".to_owned()));
    store.set_feed(&learned).unwrap();
    leads(store, vec![at("c.test", "https://c.test/2")], None);
    assert_eq!(now(), learned, "it is no stand-in");
    leads(store, vec![at("c.test", "https://c.test/2")], Some(id(9)));
    assert_eq!((now().url.as_str(), now().outlet.as_str()), ("https://c.test/2", "c.test"));
    assert_eq!((now().poll.successes, now().poll.etag), (5, None));
    let claimed = store.claim(&claim(T0 + MINUTE)).unwrap();
    assert_eq!(claimed.iter().map(|l| l.pace_key.as_str()).collect::<Vec<_>>(), ["c.test"]);
    clean(store);
    // The operator's word is kept, wherever it would be.
    let paused = Feed { status: FeedStatus::Paused, ..now() };
    store.set_feed(&paused).unwrap();
    leads(store, vec![at("b.test", "https://b.test/3")], Some(id(9)));
    assert_eq!(now(), paused);
    assert!(store.remove_feed(id(1)).unwrap() && store.feed(id(9)).unwrap().is_none());
    clean(store);
}

/// A feed that led elsewhere at each poll had something asked for each time, however often it was not there.
fn a_stand_in_that_failed_is_asked_no_sooner_elsewhere(store: &dyn Store) {
    with_entries(store, Vec::new());
    let at = |url: &str| {
        let mut feed = Feed { url: url.to_owned(), ..feed(9, "b.test") };
        feed.provenance.parent = Some(id(1));
        feed.provenance.trial = Some("a.test".to_owned());
        feed
    };
    let now = || store.feed(id(9)).unwrap().unwrap();
    leads(store, vec![at("https://b.test/1")], Some(id(9)));
    let mut failed = now();
    (failed.poll.failures, failed.poll.next) = (1.5, T0 + 3 * HOUR);
    store.set_feed(&failed).unwrap();
    leads(store, vec![at("https://b.test/2")], Some(id(9)));
    assert_eq!(now().url, "https://b.test/2");
    assert_eq!((now().poll.failures, now().poll.next), (1.5, T0 + 3 * HOUR));
    assert_eq!((now().account(), now().is_on_trial()), ("a.test", true));
    clean(store);
    // Where it was read, an address that is over says nothing of the next one.
    failed.poll.body_hash = Some(7);
    failed.provenance.trial = None;
    store.set_feed(&failed).unwrap();
    leads(store, vec![at("https://b.test/3")], Some(id(9)));
    assert_eq!((now().poll.failures, now().poll.next), (0.0, T0));
    assert!(now().is_on_trial(), "it was not read there");
    clean(store);
}

//! The operator's decisions: pauses, delays, blocked outlets, what is to be forgotten.

use super::alerts::alert;
use super::build::*;
use crate::model::*;
use crate::store::embedded::Embedded;
use crate::store::embedded::format::keys::{self, key};
use crate::store::embedded::format::{Month, encode};
use crate::store::embedded::kv::Writes;
use crate::store::*;

suite! {
    pause_and_delay_reach_the_pace_keys_and_are_lifted
    the_servers_own_pause_survives_the_operators
    entries_of_banned_outlets_end_at_first_sight
    feeds_of_banned_outlets_are_not_polled
    a_removed_feed_comes_back_only_when_it_is_added_again
    a_forgotten_article_leaves_nothing_but_a_tombstone
    what_alerts_told_of_a_forgotten_article_is_gone
    a_story_falls_apart_without_its_link
    what_is_forgotten_does_not_come_back
    an_unknown_or_pending_url_can_be_forgotten
    forgetting_needs_the_stories_as_they_are
}

fn pause(until: Millis) -> OutletRule {
    OutletRule {
        paused_until: Some(until),
        delay: Some(9_000),
        pace_keys: vec!["a.test".to_owned(), "b.test".to_owned()],
        since: T0,
        ..OutletRule::default()
    }
}

fn pause_and_delay_reach_the_pace_keys_and_are_lifted(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test"), feed(2, "c.test")]).unwrap();
    store.set_outlet_rule("a.test", &pause(Millis::MAX)).unwrap();
    let claimed = store.claim(&claim(T0 + DAY)).unwrap();
    assert_eq!(claimed.iter().map(|l| l.pace_key.as_str()).collect::<Vec<_>>(), ["c.test"]);
    let fixed = |name: &str| store.pace(name).unwrap().unwrap_or_default().operator_delay;
    assert_eq!(
        (fixed("a.test"), fixed("b.test"), fixed("c.test")),
        (Some(9_000), Some(9_000), None)
    );
    assert_eq!(store.outlet_rules().unwrap(), [("a.test".to_owned(), pause(Millis::MAX))]);
    clean(store);
    store.set_outlet_rule("a.test", &OutletRule::default()).unwrap();
    assert_eq!(store.outlet_rule("a.test").unwrap(), OutletRule::default());
    assert_eq!(store.outlet_rules().unwrap(), []);
    assert_eq!((fixed("a.test"), fixed("b.test")), (None, None));
    let claimed = store.claim(&claim(T0 + DAY)).unwrap();
    assert_eq!(claimed.iter().map(|l| l.pace_key.as_str()).collect::<Vec<_>>(), ["a.test"]);
    // Fixed while a lease is under way: the worker's state does not undo it.
    store.set_outlet_rule("a.test", &pause(T0 + 3 * DAY)).unwrap();
    assert!(store.complete(&claimed[0], &claimed[0].pace).unwrap());
    let pace = store.pace("a.test").unwrap().unwrap();
    assert_eq!((pace.blocked_until, pace.operator_delay), (T0 + 3 * DAY, Some(9_000)));
    clean(store);
}

fn the_servers_own_pause_survives_the_operators(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    let lease = store.claim(&claim(T0)).unwrap().remove(0);
    store.set_outlet_rule("a.test", &pause(T0 + DAY)).unwrap();
    let pace = Pace { blocked_until: T0 + 2 * DAY, ..lease.pace.clone() };
    assert!(store.complete(&lease, &pace).unwrap());
    store.set_outlet_rule("a.test", &OutletRule::default()).unwrap();
    assert_eq!(store.pace("a.test").unwrap().unwrap().blocked_until, T0 + 2 * DAY);
    assert_eq!(store.pace("b.test").unwrap().unwrap().blocked_until, 0);
}

fn entries_of_banned_outlets_end_at_first_sight(store: &dyn Store) {
    for (ban, outlet) in [(Ban::Blocked, "blocked.test"), (Ban::Forgotten, "gone.test")] {
        let rule = OutletRule { ban: Some(ban), ..OutletRule::default() };
        store.set_outlet_rule(outlet, &rule).unwrap();
    }
    let titled = |n, outlet: &str| {
        let mut entry = entry(n, outlet, 1);
        entry.entry.title = Some("A title".to_owned());
        entry
    };
    let entries = vec![titled(11, "blocked.test"), titled(12, "gone.test"), titled(13, "a.test")];
    with_entries(store, entries);
    let url = |n| store.url(id(n)).unwrap().unwrap();
    assert_eq!(url(11).outcome, Outcome::Refused(BLOCKED.to_owned()));
    assert_eq!((url(12).outcome, url(12).entry), (Outcome::Forgotten, Entry::default()));
    assert_eq!(url(13).outcome, Outcome::Pending);
    assert_eq!(store.due().unwrap().pending, 1);
    clean(store);
}

/// Polls the store's feed 1 again; it brings these feeds.
fn brings(store: &dyn Store, feeds: Vec<Feed>) {
    let stored = store.feed(id(1)).unwrap().unwrap();
    under(store, "a.test", |batch, lease| {
        let poll = poll_of(&stored, stored.poll.next, Vec::new());
        batch.poll(lease, PollCommit { feeds, ..poll }).unwrap();
    });
}

fn feeds_of_banned_outlets_are_not_polled(store: &dyn Store) {
    with_entries(store, Vec::new());
    for (ban, outlet) in [(Ban::Blocked, "blocked.test"), (Ban::Forgotten, "gone.test")] {
        let rule = OutletRule { ban: Some(ban), ..OutletRule::default() };
        store.set_outlet_rule(outlet, &rule).unwrap();
    }
    brings(store, vec![feed(2, "blocked.test"), feed(3, "gone.test"), feed(4, "b.test")]);
    let gone = Feed { status: FeedStatus::Gone, ..feed(5, "blocked.test") };
    assert_eq!(store.add_feeds(&[gone, feed(6, "gone.test")]).unwrap(), [true, true]);
    for (n, status) in [(2, FeedStatus::Paused), (3, FeedStatus::Paused), (4, FeedStatus::Active)] {
        assert_eq!(store.feed(id(n)).unwrap().unwrap().status, status, "{n}");
    }
    let claimed = store.claim(&claim(T0 + MINUTE)).unwrap();
    assert_eq!(claimed.iter().map(|l| l.pace_key.as_str()).collect::<Vec<_>>(), ["b.test"]);
    clean(store);
}

fn a_removed_feed_comes_back_only_when_it_is_added_again(store: &dyn Store) {
    with_entries(store, Vec::new());
    let mut learned = feed(2, "b.test");
    learned.poll.polls = 9;
    assert_eq!(store.add_feeds(&[learned.clone()]).unwrap(), [true]);
    assert!(store.remove_feed(id(2)).unwrap() && store.feed_removed(id(2)).unwrap());
    assert!(store.feeds().unwrap().iter().all(|feed| feed.key != id(2)));
    let ever = store.feeds_ever().unwrap();
    let removed = ever.iter().find(|feed| feed.key == id(2)).expect("what it brought counts");
    assert!(!removed.url.is_empty() && removed.status == FeedStatus::Removed);
    brings(store, vec![learned]);
    assert!(store.feed(id(2)).unwrap().is_none() && !store.remove_feed(id(2)).unwrap());
    assert!(!store.set_feed(&feed(2, "b.test")).unwrap());
    assert_eq!(store.feeds().unwrap().len(), 1);
    assert!(store.claim(&claim(T0 + MINUTE)).unwrap().is_empty());
    clean(store);
    // A copy of the store knows it, too.
    let mut items = Vec::new();
    let mut keep = |item| {
        items.push(Ok(item));
        Ok(true)
    };
    store.export(&mut keep).unwrap();
    let copy = memory();
    copy.import(&mut items.into_iter()).unwrap();
    assert!(copy.feed_removed(id(2)).unwrap() && copy.feeds().unwrap().len() == 1);
    assert_eq!(store.add_feeds(&[feed(2, "b.test")]).unwrap(), [true]);
    assert!(!store.feed_removed(id(2)).unwrap());
    assert_eq!(store.feed(id(2)).unwrap().unwrap().poll.polls, 0);
    assert_eq!(store.claim(&claim(T0 + MINUTE)).unwrap().len(), 1);
    clean(store);
}

/// Articles 11, 12 and 13 on three days; 12 is a copy of both others.
fn three(store: &dyn Store) {
    let mut entries: Vec<_> = (11..16).map(|n| entry(n, "a.test", 1)).collect();
    entries[1].entry.title = Some("A title".to_owned());
    with_entries(store, entries);
    add_article(store, 11, 18, vec![row(11, "Acme", 18, 2, 1)], &[]);
    add_article(store, 13, 20, vec![row(13, "Acme", 20, 1, 0)], &[]);
    under(store, "a.test", |batch, lease| {
        let rows = vec![row(12, "Acme", 19, 3, 1), row(12, "Umbra", 19, 1, 0)];
        let mut page = article(batch, 12, 19, rows, &[11, 13]);
        page.aliases = vec![id(99)];
        batch.page(lease, page).unwrap();
    });
    clean(store);
}

fn forget(store: &dyn Store, n: u32, rest: &[Story]) -> Result<usize> {
    store.forget(&[store.url(id(n)).unwrap().unwrap()], rest)
}

fn alone(n: u32, day_: i8) -> Story {
    Story { id: id(n), members: vec![member(n, day_)], series: false, pattern: false }
}

fn a_forgotten_article_leaves_nothing_but_a_tombstone(store: &dyn Store) {
    three(store);
    let rest = Story {
        id: id(11),
        members: vec![member(11, 18), member(13, 20)],
        series: false,
        pattern: false,
    };
    assert_eq!(forget(store, 12, &[rest]).unwrap(), 1);
    clean(store);
    assert!(store.article(id(12)).unwrap().is_none() && store.article(id(99)).unwrap().is_none());
    assert!(store.mentions_of(id(12)).unwrap().is_empty());
    assert!(store.story_of(id(12)).unwrap().is_none());
    let url = store.url(id(12)).unwrap().unwrap();
    assert_eq!((url.outcome, url.entry), (Outcome::Forgotten, Entry::default()));
    assert_eq!(tally(store, "Umbra", 19), Tally::default());
    assert_eq!(tally(store, "Acme", 19), Tally::default());
    let acme = tally(store, "Acme", 18);
    assert_eq!((acme.articles, acme.mentions, acme.suppressed), (1, 2, 1));
    assert_eq!((acme.stories, acme.originals, acme.late), (1, 1, 1));
    let ledger = store.ledger(None, None).unwrap();
    assert_eq!(ledger[0].outcomes["forgotten"], 1);
    assert_eq!(ledger[0].entries, 5);
    // Again, and the last ones.
    assert_eq!(forget(store, 12, &[]).unwrap(), 0);
    let both = [store.url(id(11)).unwrap().unwrap(), store.url(id(13)).unwrap().unwrap()];
    assert_eq!(store.forget(&both, &[]).unwrap(), 2);
    assert_eq!(store.tallies(&Filter::default()).unwrap(), []);
    clean(store);
}

fn what_alerts_told_of_a_forgotten_article_is_gone(store: &dyn Store) {
    three(store);
    let mut told = alert("busy");
    let event = AlertEvent { articles: [11, 12].map(cited).into(), ..told.events[0].clone() };
    told.note(event.clone(), T0);
    assert!(store.keep_alert(&told).unwrap());
    let read = store.alert("busy").unwrap().unwrap();
    forget(store, 12, &[alone(11, 18), alone(13, 20)]).unwrap();
    let titles = || -> Vec<Vec<String>> {
        let events = store.alert("busy").unwrap().unwrap().events;
        let titles = |event: AlertEvent| {
            event.articles.into_iter().map(|cited| cited.title + &cited.url).collect()
        };
        events.into_iter().map(titles).collect()
    };
    let whole = "Piece 11https://a.test/11".to_owned();
    assert_eq!(titles(), [vec![], vec![whole.clone(), String::new()]]);
    // Who read it before writes too late, and what was found before is not told after.
    assert!(!store.keep_alert(&read).unwrap());
    let mut again = store.alert("busy").unwrap().unwrap();
    again.note(event, T0);
    assert!(store.keep_alert(&again).unwrap());
    assert_eq!(titles()[2], [whole, String::new()]);
}

fn cited(n: u32) -> Cited {
    Cited {
        key: id(n),
        day: day(18),
        outlet: "a.test".to_owned(),
        title: format!("Piece {n}"),
        url: format!("https://a.test/{n}"),
    }
}

fn a_story_falls_apart_without_its_link(store: &dyn Store) {
    three(store);
    assert_eq!(store.story_of(id(13)).unwrap().unwrap().id, id(11));
    forget(store, 12, &[alone(11, 18), alone(13, 20)]).unwrap();
    clean(store);
    assert_eq!(store.story_of(id(13)).unwrap().unwrap().id, id(13));
    assert_eq!(store.story(id(13)).unwrap().unwrap().members.len(), 1);
    assert_eq!((tally(store, "Acme", 18).stories, tally(store, "Acme", 20).stories), (1, 1));
    // The founder goes: who else was absorbed follows the member.
    add_article(store, 14, 21, Vec::new(), &[11, 13]);
    clean(store);
    let members = vec![member(13, 20), member(14, 21)];
    forget(store, 11, &[Story { id: id(13), members, series: false, pattern: false }]).unwrap();
    clean(store);
    assert_eq!(store.story_of(id(14)).unwrap().unwrap().id, id(13));
    assert!(store.story(id(11)).unwrap().is_none());
}

fn what_is_forgotten_does_not_come_back(store: &dyn Store) {
    three(store);
    forget(store, 12, &[alone(11, 18), alone(13, 20)]).unwrap();
    let stored = store.feed(id(1)).unwrap().unwrap();
    let mut canonical = entry(99, "a.test", 1);
    canonical.entry.title = Some("A title".to_owned());
    under(store, "a.test", |batch, lease| {
        let again = vec![entry(12, "a.test", 1), canonical, entry(15, "a.test", 1)];
        batch.poll(lease, poll_of(&stored, stored.poll.next, again)).unwrap();
        // Another entry whose page names a forgotten URL as its own.
        let mut page = article(batch, 15, 20, Vec::new(), &[]);
        page.aliases = vec![id(12)];
        batch.page(lease, page).unwrap();
    });
    for n in [12, 99, 15] {
        let url = store.url(id(n)).unwrap().unwrap();
        assert_eq!((url.outcome, url.entry), (Outcome::Forgotten, Entry::default()), "{n}");
    }
    assert!(store.article(id(15)).unwrap().is_none());
    clean(store);
}

fn an_unknown_or_pending_url_can_be_forgotten(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1)]);
    assert_eq!(store.forget(&[entry(11, "a.test", 1), entry(50, "b.test", 1)], &[]).unwrap(), 0);
    assert_eq!(store.due().unwrap().pending, 0);
    assert_eq!(store.url(id(50)).unwrap().unwrap().outcome, Outcome::Forgotten);
    clean(store);
}

fn forgetting_needs_the_stories_as_they_are(store: &dyn Store) {
    three(store);
    for rest in [vec![], vec![alone(11, 18)], vec![alone(11, 18), alone(12, 19), alone(13, 20)]] {
        let error = forget(store, 12, &rest).unwrap_err().to_string();
        assert!(error.contains("has changed meanwhile"), "{error}");
    }
    assert!(store.article(id(12)).unwrap().is_some());
    clean(store);
}

#[test]
fn commits_go_on_while_the_store_is_verified() {
    let store = Embedded::memory();
    three(&store);
    let at = key(keys::META).text("bad").done();
    store.kv.apply(Writes::from([(at, Some(vec![1]))])).unwrap();
    let mut said = Vec::new();
    store
        .verify(&mut |finding| {
            said.push(finding.0);
            // In the middle of it, in the same thread: nothing may wait, nothing be found.
            add_article(&store, 14, 21, vec![row(14, "Acme", 21, 1, 0)], &[11, 13]);
            let left = store.story_of(id(12)).unwrap().unwrap().members;
            let members = left.into_iter().filter(|m| m.key != id(12)).collect();
            forget(&store, 12, &[Story { id: id(11), members, series: false, pattern: false }])
                .unwrap();
        })
        .unwrap();
    assert_eq!(said, ["value `bad` is cut off after 1 bytes"]);
    let month = Month::of(T0);
    let months = store.months.month(month, false).unwrap().unwrap();
    assert_eq!(months.get(&id(12).0.to_be_bytes()).unwrap(), None, "erased after the snapshot");
    assert_eq!(findings(&store), said);
}

#[test]
fn decisions_are_written_down_a_second_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = Embedded::open(dir.path(), &Settings::default()).unwrap();
    three(&store);
    store.add_feeds(&[feed(1, "a.test"), feed(2, "c.test"), feed(3, "d.test")]).unwrap();
    store.remove_feed(id(2)).unwrap();
    store.set_outlet_rule("a.test", &pause(5)).unwrap();
    forget(&store, 12, &[alone(11, 18), alone(13, 20)]).unwrap();
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    for n in [11, 13] {
        store.recount_put(&set, id(n), &[]).unwrap();
    }
    store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
    drop(store);
    let check = || {
        let decided = crate::store::embedded::decisions::Decisions::new(dir.path()).read().unwrap();
        assert_eq!(decided.feeds.keys().copied().collect::<Vec<_>>(), [id(1), id(2), id(3)]);
        assert_eq!(decided.feeds[&id(2)].status, FeedStatus::Removed);
        assert_eq!(decided.outlets["a.test"], pause(5));
        assert_eq!(decided.brands, Some(set.clone()));
        decided.forgotten.keys().copied().collect::<Vec<_>>()
    };
    assert_eq!(check(), [id(12)]);
    // A store of before: made at the next opening.
    std::fs::remove_file(dir.path().join("decisions.jsonl")).unwrap();
    drop(Embedded::open(dir.path(), &Settings::default()).unwrap());
    check();
}

#[test]
fn an_erasure_that_a_crash_left_is_done_at_the_next_opening() {
    let dir = tempfile::tempdir().unwrap();
    let store = Embedded::open(dir.path(), &Settings::default()).unwrap();
    three(&store);
    let month = Month::of(T0);
    let at = key(keys::ERASE).id(id(12)).done();
    let value = encode(&at, &month).unwrap();
    store.kv.apply(Writes::from([(at.clone(), Some(value))])).unwrap();
    store.kv.flush().unwrap();
    drop(store);
    let store = Embedded::open(dir.path(), &Settings::default()).unwrap();
    assert_eq!(store.kv.get(&at).unwrap(), None);
    assert!(store.months.get(month, id(12)).unwrap().is_none());
    assert!(store.months.get(month, id(11)).unwrap().is_some());
}

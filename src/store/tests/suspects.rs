//! Who was under way when a process ended, or a lease ended by itself.

use super::build::*;
use crate::model::*;
use crate::store::*;

/// Leases what is due at an instant; how its suspects stand, and the first of them.
fn given(store: &dyn Store, now: Millis) -> (Vec<(UrlKey, u32)>, Option<Suspect>) {
    let lease = store.claim(&claim(now)).unwrap().pop().expect("it is due");
    let stand = lease.suspects.iter().map(|suspect| (suspect.key, suspect.ends)).collect();
    (stand, lease.suspects.first().cloned())
}

/// The n-th process, which ends before its lease does.
fn process(store: &dyn Store, n: i64, expect: &[(u32, u32)]) -> Option<Suspect> {
    let (stand, first) = given(store, T0 + n * HOUR + 10 * MINUTE);
    let expect: Vec<_> = expect.iter().map(|(n, ends)| (id(*n), *ends)).collect();
    assert_eq!(stand, expect, "process {n}");
    first
}

type Process<'a> = &'a mut dyn FnMut(&dyn Store);

/// The first one, with two tasks.
fn begun(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1), entry(12, "a.test", 1)]);
    let mut feed = store.feed(id(1)).unwrap().unwrap();
    feed.poll.next = T0 + DAY;
    store.set_feed(&feed).unwrap();
    process(store, 0, &[]);
}

/// What happens in processes that end one after the other, each over a store of its own making.
fn history(with: &mut dyn FnMut(i64, Process<'_>)) {
    with(0, &mut begun);
    // Two tasks were leased; the first was under way.
    with(1, &mut |store| {
        let suspect = process(store, 1, &[(11, 0)]).unwrap();
        store.suspect_alone(&suspect).unwrap();
    });
    with(2, &mut |store| {
        let suspect = process(store, 2, &[(11, 1)]).unwrap();
        assert!(!suspect.is_proven());
        store.suspect_alone(&suspect).unwrap();
    });
    // Ends among others say nothing more.
    with(3, &mut |store| {
        assert!(process(store, 3, &[(11, 2)]).unwrap().is_proven());
    });
    with(4, &mut |store| {
        let lease = store.claim(&claim(T0 + 4 * HOUR + 10 * MINUTE)).unwrap().pop().unwrap();
        let mut batch = store.batch().unwrap();
        batch.page(&lease, ends(11, Outcome::Failed(Failure::Quarantined))).unwrap();
        batch.commit().unwrap();
        clean(store);
    });
    // It has been through; now the other one is first.
    with(5, &mut |store| {
        let suspect = process(store, 5, &[(12, 0)]).unwrap();
        store.clear_suspect(&suspect).unwrap();
        clean(store);
    });
}

#[test]
fn an_unclean_end_names_who_was_under_way() {
    let dir = tempfile::tempdir().unwrap();
    history(&mut |n, process| {
        let settings = Settings { now: Some(T0 + n * HOUR), ..Settings::default() };
        process(&*open(dir.path(), &settings).unwrap());
    });
}

#[test]
fn a_lease_that_ends_by_itself_names_who_was_under_way() {
    let store = super::postgres::fresh();
    history(&mut |_, process| process(&store));
}

/// What took long, or was put off, was given up for good.
#[test]
fn what_a_process_outlives_does_not_count_against_it() {
    let dir = tempfile::tempdir().unwrap();
    let opened = |n: i64| {
        let settings = Settings { now: Some(T0 + n * HOUR), ..Settings::default() };
        open(dir.path(), &settings).unwrap()
    };
    begun(&*opened(0));
    for n in 1..4 {
        let store = opened(n);
        let suspect = process(&*store, n, &[(11, 0)]).unwrap();
        store.suspect_alone(&suspect).unwrap();
        store.suspect_survived(&suspect).unwrap();
    }
}

/// Workers that froze for longer than a lease lost pages for good.
#[test]
fn a_lease_that_ends_before_its_process_does_not_count_against_its_suspect() {
    let store = super::postgres::fresh();
    begun(&store);
    let frozen = process(&store, 1, &[(11, 0)]).unwrap();
    store.suspect_alone(&frozen).unwrap();
    let next = process(&store, 2, &[(11, 1)]).unwrap();
    store.suspect_alone(&next).unwrap();
    store.suspect_survived(&frozen).unwrap();
    // Another one had it alone by then, and has not come back.
    let last = process(&store, 3, &[(11, 1)]).unwrap();
    store.suspect_alone(&last).unwrap();
    store.suspect_survived(&last).unwrap();
    process(&store, 4, &[(11, 1)]);
    clean(&store);
}

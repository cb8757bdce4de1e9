//! What pages printed, for the memories of outlets: which pages are remembered, and for how long.

use std::collections::BTreeSet;

use super::build::*;
use crate::model::*;
use crate::store::*;

suite! {
    the_latest_pages_of_days_before_come_first
    of_one_day_those_with_the_smallest_keys_are_remembered
    old_pages_leave_but_for_the_latest
    forgotten_pages_are_not_remembered
    what_others_have_named_is_told_once_its_outlet_lists_it
}

/// A page of an outlet that was read so many days after `T0`.
fn page(batch: &mut dyn Batch, n: u32, outlet: &str, days: i64) -> PageCommit {
    let mut page = article(batch, n, 20, Vec::new(), &[]);
    let commit = page.article.as_mut().unwrap();
    commit.record.outlet = outlet.to_owned();
    commit.record.fetched = T0 + days * DAY;
    let since = utc_day(T0 + (days - 7) * DAY);
    commit.printed = Some(Remembered { since, ..printed(n) });
    page
}

/// Entries `from..to`, all pending.
fn pending(store: &dyn Store, to: u32) {
    with_entries(store, (11..to).map(|n| entry(n, "a.test", 1)).collect());
}

fn read(store: &dyn Store, pages: impl IntoIterator<Item = (u32, &'static str, i64)>) {
    under(store, "a.test", |batch, lease| {
        for (n, outlet, days) in pages {
            let page = page(batch, n, outlet, days);
            batch.page(lease, page).unwrap();
        }
    });
}

/// Of which articles the pages are, in order.
fn remembered(store: &dyn Store, outlet: &str, days: i64, most: usize) -> Vec<u32> {
    let printed = store.printed(outlet, utc_day(T0 + days * DAY), most).unwrap();
    let number = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.strip_prefix("printed by ").unwrap().parse().unwrap()
    };
    printed.into_iter().map(number).collect()
}

fn the_latest_pages_of_days_before_come_first(store: &dyn Store) {
    pending(store, 18);
    read(store, [(14, "a.test", 0), (12, "b.test", 0), (13, "a.test", 1), (11, "a.test", 0)]);
    read(store, [(16, "a.test", 2), (15, "a.test", 1)]);
    assert_eq!(remembered(store, "a.test", 0, 9), Vec::<u32>::new(), "of the day itself none");
    assert_eq!(remembered(store, "a.test", 1, 9), [11, 14]);
    assert_eq!(remembered(store, "a.test", 2, 9), [13, 15, 11, 14]);
    assert_eq!(remembered(store, "a.test", 2, 3), [13, 15, 11]);
    assert_eq!(remembered(store, "a.test", 9, 9), [16, 13, 15, 11, 14]);
    assert_eq!(remembered(store, "b.test", 9, 9), [12]);
    assert_eq!(remembered(store, "c.test", 9, 9), Vec::<u32>::new());
    // What is committed again changes nothing.
    let lease = lease(store, "a.test");
    let mut batch = store.batch().unwrap();
    let again = page(&mut *batch, 16, "a.test", 3);
    batch.page(&lease, again).unwrap();
    // And what is not committed was never there.
    let page = page(&mut *batch, 17, "a.test", 3);
    batch.page(&lease, page).unwrap();
    drop(batch);
    assert_eq!(remembered(store, "a.test", 9, 9), [16, 13, 15, 11, 14]);
    clean(store);
}

fn of_one_day_those_with_the_smallest_keys_are_remembered(store: &dyn Store) {
    let last = 11 + REMEMBERED as u32 + 6;
    pending(store, last);
    // Every third from the end, then the rest: neither in order nor in the opposite one.
    let (mut one, two): (Vec<u32>, Vec<u32>) = (11..last).partition(|n| n % 3 == 0);
    one.reverse();
    read(store, one.into_iter().map(|n| (n, "a.test", 0)));
    read(store, two.into_iter().map(|n| (n, "a.test", 0)));
    let expected: Vec<u32> = (11..11 + REMEMBERED as u32).collect();
    assert_eq!(remembered(store, "a.test", 1, usize::MAX >> 1), expected);
    clean(store);
}

fn old_pages_leave_but_for_the_latest(store: &dyn Store) {
    let last = 11 + REMEMBERED as u32;
    pending(store, last + 8);
    read(store, (last..last + 3).map(|n| (n, "a.test", 0)));
    read(store, (11..last - 1).map(|n| (n, "a.test", 3)));
    read(store, [(last + 3, "a.test", 4)]);
    let all = |days| remembered(store, "a.test", days, 1_000).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(all(9), (11..last + 4).filter(|n| *n != last - 1).collect());
    // Two of the first day are beyond the latest, and old enough from now on.
    let before = remembered(store, "a.test", 8, REMEMBERED);
    read(store, [(last + 4, "a.test", 8)]);
    assert_eq!(remembered(store, "a.test", 8, REMEMBERED), before);
    assert_eq!(all(8), before.into_iter().collect());
    // Of another outlet nothing leaves.
    read(store, [(last + 5, "b.test", 0), (last + 6, "b.test", 300)]);
    assert_eq!(remembered(store, "b.test", 301, 9), [last + 6, last + 5]);
    clean(store);
}

fn forgotten_pages_are_not_remembered(store: &dyn Store) {
    pending(store, 14);
    read(store, [(11, "a.test", 0), (12, "b.test", 0), (13, "a.test", 1)]);
    for n in [11, 12] {
        store.forget(&[store.url(id(n)).unwrap().unwrap()], &[]).unwrap();
    }
    assert_eq!(remembered(store, "a.test", 9, 9), [13]);
    assert_eq!(remembered(store, "b.test", 9, 9), Vec::<u32>::new());
    clean(store);
}

fn what_others_have_named_is_told_once_its_outlet_lists_it(store: &dyn Store) {
    let said = |n| UrlRecord { foreign: true, ..entry(n, "a.test", 1) };
    with_entries(store, (11..15).map(said).collect());
    under(store, "a.test", |batch, lease| {
        for n in 11..14 {
            let mut page = page(batch, n, "a.test", 0);
            page.article.as_mut().unwrap().printed = None;
            batch.page(lease, page).unwrap();
        }
        assert_eq!(batch.listed().unwrap(), []);
    });
    let stored = store.feed(id(1)).unwrap().unwrap();
    under(store, "a.test", |batch, lease| {
        // An article, one that waits, and one that is another address of an article.
        let own = [11, 14, 15].map(|n| entry(n, "a.test", 1)).to_vec();
        batch.poll(lease, poll_of(&stored, stored.poll.next, own)).unwrap();
        batch.page(lease, ends(15, Outcome::Known(id(12)))).unwrap();
        assert_eq!(batch.listed().unwrap(), [id(11), id(12)]);
        assert_eq!(batch.listed().unwrap(), []);
        for n in [11, 12] {
            batch.remember(&record(n, 20), &printed(n)).unwrap();
        }
    });
    assert_eq!(remembered(store, "a.test", 1, 9), [11, 12]);
    clean(store);
}

//! Texts and entries that leave by age: nothing that is counted changes.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use super::build::*;
use crate::model::*;
use crate::store::embedded::Embedded;
use crate::store::embedded::files::{FREE, copy_files};
use crate::store::embedded::months::Months;
use crate::store::rules::retention::LEFT;
use crate::store::*;

suite! {
    texts_leave_and_counts_stay
    a_text_that_comes_while_others_leave_leaves_too
    entries_leave_and_the_ledger_counts_them
    robots_records_leave_that_nobody_asks_for
}

/// Steps of `most` until there is no more to do.
fn all(mut step: impl FnMut() -> Result<Pruned>) -> u64 {
    let mut dropped = 0;
    for _ in 0..1_000 {
        let done = step().unwrap();
        dropped += done.dropped;
        if !done.more {
            return dropped;
        }
    }
    panic!("no end of it");
}

fn filled(store: &dyn Store) {
    with_entries(store, (11..20).map(|n| entry(n, "a.test", 1)).collect());
    for n in 11..15 {
        add_article(store, n, 20, vec![row(n, "Acme", 20, 2, 1)], &[]);
    }
    add_article(store, 15, 19, vec![row(15, "Acme", 19, 1, 0)], &[11]);
    under(store, "a.test", |batch, lease| {
        batch.page(lease, ends(16, Outcome::Known(id(17)))).unwrap();
        batch.page(lease, ends(17, Outcome::NotArticle("no text".into()))).unwrap();
    });
    store.forget(&[store.url(id(18)).unwrap().unwrap()], &[]).unwrap();
}

fn texts_leave_and_counts_stay(store: &dyn Store) {
    filled(store);
    let rows = || {
        let mut rows = Vec::new();
        store.mention_rows(&Filter::default(), &mut |row| {
            rows.push(row);
            true
        })?;
        Ok::<_, StoreError>((rows, store.tallies(&Filter::default())?, store.story_of(id(15))?))
    };
    let before = rows().unwrap();
    assert_eq!(all(|| store.prune_texts(T0, 2)), 0, "nothing is older");
    assert!(store.article(id(11)).unwrap().unwrap().has_text());
    assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 2)), 5);
    for n in 11..16 {
        let record = store.article(id(n)).unwrap().unwrap();
        assert_eq!(record, self::record(n, if n == 15 { 19 } else { 20 }).without_text());
    }
    assert_eq!(rows().unwrap(), before);
    assert_eq!(store.vector(id(11), at(20)).unwrap(), Some(11u32.to_be_bytes().to_vec()));
    assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 2)), 0, "once is enough");
    clean(store);
    // What comes later to days that are over does not stay, either.
    add_article(store, 19, 20, vec![row(19, "Acme", 20, 1, 0)], &[]);
    assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 2)), 1);
    assert!(!store.article(id(19)).unwrap().unwrap().has_text());
    assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 2)), 0);
    clean(store);
    // What has no text can be forgotten all the same.
    store.forget(&[store.url(id(12)).unwrap().unwrap()], &[]).unwrap();
    assert_eq!(store.article(id(12)).unwrap(), None);
    clean(store);
}

/// Its key stands before those that are looked at next.
fn a_text_that_comes_while_others_leave_leaves_too(store: &dyn Store) {
    with_entries(store, (11..15).map(|n| entry(n, "a.test", 1)).collect());
    for n in 12..15 {
        add_article(store, n, 20, Vec::new(), &[]);
    }
    let step = || store.prune_texts(T0 + 40 * DAY, 2);
    let first = step().unwrap().dropped;
    add_article(store, 11, 20, Vec::new(), &[]);
    assert_eq!(first + all(step), 4);
    assert!(!store.article(id(11)).unwrap().unwrap().has_text());
    clean(store);
}

fn entries_leave_and_the_ledger_counts_them(store: &dyn Store) {
    filled(store);
    let before = store.ledger(None, None).unwrap();
    let have_left = || store.meta(LEFT).unwrap().is_some();
    assert_eq!(all(|| store.prune_entries(T0, 2)), 0, "nothing is older");
    // What its feed lists is still needed.
    let mut feed = store.feed(id(1)).unwrap().unwrap();
    feed.poll.recent = vec![id(16), id(17)];
    store.set_feed(&feed).unwrap();
    assert_eq!(all(|| store.prune_entries(T0 + 1, 2)), 0);
    assert!(!have_left());
    feed.poll.recent = Vec::new();
    store.set_feed(&feed).unwrap();
    // Known and not an article; nothing of the articles' entries is more than their address.
    assert_eq!(all(|| store.prune_entries(T0 + 1, 2)), 2);
    assert!(have_left());
    for (n, there) in [(11, true), (16, false), (17, false), (18, true), (19, true)] {
        assert_eq!(store.url(id(n)).unwrap().is_some(), there, "{n}");
    }
    assert_eq!(store.ledger(None, None).unwrap(), before);
    clean(store);
    // Seen again, it is an entry again.
    let stored = store.feed(id(1)).unwrap().unwrap();
    let again = vec![entry(17, "a.test", 1)];
    under(store, "a.test", |batch, lease| {
        batch.poll(lease, poll_of(&stored, stored.poll.next, again)).unwrap();
    });
    assert_eq!(store.url(id(17)).unwrap().unwrap().outcome, Outcome::Pending);
    let entries = |ledger: &[Ledger]| ledger.iter().map(|row| row.entries).sum::<u64>();
    assert_eq!(entries(&store.ledger(None, None).unwrap()), entries(&before) + 1);
    clean(store);
}

fn robots_records_leave_that_nobody_asks_for(store: &dyn Store) {
    let put = |n: u32, fresh_until: Millis, unreachable_since: Option<Millis>| {
        let record = RobotsRecord {
            origin: format!("https://{n:02}.test:443"),
            fetched: T0,
            fresh_until,
            status: RobotsStatus::Fetched,
            body: "User-agent: *\n".into(),
            unreachable_since,
        };
        let mut batch = store.batch().unwrap();
        batch.robots(&record).unwrap();
        batch.commit().unwrap();
    };
    // Odd ones were unreachable; from 6 on they were asked for later.
    for n in 0..12 {
        let fresh_until = if n < 6 { T0 + DAY } else { T0 + 20 * DAY };
        put(n, fresh_until, (n % 2 == 1).then_some(T0));
    }
    let left = |store: &dyn Store| {
        let there = |n: &u32| store.robots(&format!("https://{n:02}.test:443")).unwrap().is_some();
        (0..12).filter(there).collect::<Vec<u32>>()
    };
    let prune = |fetched, unreachable| all(|| store.prune_robots(fetched, unreachable, 5));
    assert_eq!(prune(T0 + DAY, T0 + DAY), 0, "nothing is older");
    assert_eq!(prune(T0 + 2 * DAY, T0), 3);
    assert_eq!(left(store), [1, 3, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(prune(T0 + 30 * DAY, T0 + 2 * DAY), 6);
    assert_eq!(left(store), [7, 9, 11]);
    assert_eq!(prune(T0 + 30 * DAY, T0 + 30 * DAY), 3);
    assert_eq!(left(store), Vec::<u32>::new());
    clean(store);
}

/// A store with texts in October and in November.
pub(super) fn of_two_months(dir: &Path) -> Arc<dyn Store> {
    let store = crate::store::open(dir, &Settings::default()).unwrap();
    with_entries(&*store, (11..15).map(|n| entry(n, "a.test", 1)).collect());
    for n in 11..15 {
        under(&*store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 20, Vec::new(), &[]);
            let commit = page.article.as_mut().unwrap();
            commit.record.first_seen = if n < 13 { T0 - 40 * DAY } else { T0 };
            batch.page(lease, page).unwrap();
        });
    }
    store
}

/// The upkeep of a store ended with an error at every start, for a month that nobody needed.
#[test]
fn a_month_that_is_damaged_is_passed_over_until_it_is_back() {
    type Bend = fn(&mut Vec<u8>);
    let bends: [(&str, Bend); 3] = [
        ("cut", |b| b.truncate(5_000)),
        ("the beginning", |b| b.iter_mut().take(512).for_each(|b| *b = 0)),
        ("all but the beginning", |b| b.iter_mut().skip(4_096).for_each(|b| *b ^= 0x55)),
    ];
    for (what, bend) in bends {
        let dir = tempfile::tempdir().unwrap();
        drop(of_two_months(dir.path()));
        let file = file_of(&dir.path().join("articles/2026-10"), "rows.redb");
        let whole = std::fs::read(&file).unwrap();
        let mut bytes = whole.clone();
        bend(&mut bytes);
        std::fs::write(&file, bytes).unwrap();
        for _ in 0..2 {
            let store = crate::store::open(dir.path(), &Settings::default()).unwrap();
            all(|| store.prune_texts(T0 + 40 * DAY, 2));
            store.compact(true).unwrap();
            assert!(!store.article(id(13)).unwrap().unwrap().has_text(), "{what}");
            assert_eq!(store.damaged_months().unwrap(), ["2026-10"], "{what}");
            assert!(!store.wants_compaction().unwrap(), "{what}");
        }
        std::fs::write(&file, whole).unwrap();
        let store = crate::store::open(dir.path(), &Settings::default()).unwrap();
        assert_eq!(store.damaged_months().unwrap(), [""; 0], "{what}");
        assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 2)), 2, "{what}");
        clean(&*store);
    }
}

/// The upkeep ended with an error at every start, and what would have made room was never reached.
#[test]
fn a_month_that_has_no_room_for_its_copy_is_written_anew_once_there_is_some() {
    let dir = tempfile::tempdir().unwrap();
    let open = || crate::store::open(dir.path(), &Settings::default()).unwrap();
    let made = || {
        let file = dir.path().join("articles/2026-10/rows.redb");
        std::fs::metadata(file).unwrap().ino()
    };
    drop(of_two_months(dir.path()));
    let (store, before) = (open(), made());
    store.compact(false).unwrap();
    let compacted = made();
    assert_ne!(compacted, before);
    FREE.set(Some(0));
    assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 2)), 4, "of both months");
    assert!([11, 13].iter().all(|n| !store.article(id(*n)).unwrap().unwrap().has_text()));
    assert_eq!(made(), compacted);
    assert!(!store.wants_compaction().unwrap(), "there is no room yet");
    assert_eq!(store.compact(true).unwrap(), Some(Compaction { before: 0, after: 0 }));
    let error = store.compact(false).unwrap_err().to_string();
    assert!(error.ends_with("make room"), "who asks for it is told: {error}");
    FREE.set(None);
    drop(store);
    let store = open();
    assert!(store.wants_compaction().unwrap());
    store.compact(true).unwrap();
    assert_ne!(made(), compacted);
    assert!(!store.wants_compaction().unwrap(), "once is enough");
    clean(&*store);
}

#[test]
fn texts_of_a_month_that_was_put_back_leave_again() {
    // Whether a start saw that it was not there or not.
    for seen in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let open = || crate::store::open(dir.path(), &Settings::default()).unwrap();
        drop(of_two_months(dir.path()));
        let (month, aside) =
            (dir.path().join("articles/2026-10"), dir.path().join("aside-2026-10"));
        copy_files(&month, &aside, &[]).unwrap();
        let store = open();
        assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 9)), 4);
        drop(store);
        std::fs::remove_dir_all(&month).unwrap();
        if seen {
            assert_eq!(open().lost_months().unwrap(), ["2026-10"]);
        }
        std::fs::rename(&aside, &month).unwrap();
        let store = open();
        assert_eq!(store.lost_months().unwrap(), [""; 0]);
        assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 9)), 2, "{seen}");
        clean(&*store);
    }
}

/// One start with a clock that was ahead took all texts.
#[test]
fn a_clock_that_has_leapt_ahead_is_not_believed_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let settings = |now| Settings { now: Some(now), ..Settings::default() };
    let opened = |now| crate::store::open(dir.path(), &settings(now)).unwrap();
    let works = |store: &dyn Store, now| {
        let lease = store.claim(&claim(now)).unwrap().remove(0);
        assert!(store.complete(&lease, &lease.pace).unwrap());
    };
    let store = opened(T0);
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    works(&*store, T0);
    assert_eq!(store.ages_until(T0 + 9 * DAY).unwrap(), T0 + 9 * DAY, "it has run for so long");
    drop(store);
    let far = T0 + 3_650 * DAY;
    for now in [far, far + HOUR] {
        let store = opened(now);
        works(&*store, now);
        assert_eq!(store.ages_until(now + HOUR).unwrap(), T0 + DAY);
        assert_eq!(store.ages_until(far + DAY).unwrap(), far + DAY, "a day later");
    }
    let now = T0 + 2 * HOUR;
    let store = opened(now);
    works(&*store, now);
    assert_eq!(store.ages_until(now).unwrap(), now, "it is right again");
    // So is one that leaps while it is in use.
    store.shift(50 * DAY).unwrap();
    works(&*store, now + 50 * DAY);
    assert_eq!(store.ages_until(now + 50 * DAY + HOUR).unwrap(), now + DAY);
    store.shift(-50 * DAY).unwrap();
    works(&*store, now);
    drop(store);
    // Who comes once a week has aged by a week the next time.
    for week in 1..4 {
        let now = T0 + week * 7 * DAY;
        let store = opened(now);
        let believed = if week == 1 { T0 + 2 * HOUR } else { now - 7 * DAY } + DAY;
        assert_eq!(store.ages_until(now).unwrap(), believed);
        works(&*store, now);
    }
}

#[test]
fn a_month_that_a_crash_left_halfway_is_whole_again() {
    let dir = tempfile::tempdir().unwrap();
    let open = || crate::store::open(dir.path(), &Settings::default()).unwrap();
    let store = open();
    filled(&*store);
    assert_eq!(all(|| store.prune_texts(T0 + 40 * DAY, 100)), 5);
    drop(store);
    let month = dir.path().join("articles/2026-11");
    for left in ["compacted", "before"] {
        let name = month.with_extension(left);
        // The old one is aside, and the new one has not got its name.
        std::fs::rename(&month, &name).unwrap();
        let store = open();
        assert!(!store.article(id(11)).unwrap().unwrap().has_text());
        clean(&*store);
        assert!(!name.exists());
    }
}

/// A store with October damaged in all but its beginning; the file, and what it held before.
fn damaged(dir: &Path) -> (std::path::PathBuf, Vec<u8>) {
    drop(of_two_months(dir));
    let file = file_of(&dir.join("articles/2026-10"), "rows.redb");
    let whole = std::fs::read(&file).unwrap();
    let mut bytes = whole.clone();
    bytes.iter_mut().skip(4_096).for_each(|b| *b ^= 0x55);
    std::fs::write(&file, bytes).unwrap();
    (file, whole)
}

#[test]
fn a_damaged_month_keeps_nothing_else_from_being_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let (file, whole) = damaged(dir.path());
    let store = crate::store::open(dir.path(), &Settings::default()).unwrap();
    for n in [11, 13] {
        store.forget(&[store.url(id(n)).unwrap().unwrap()], &[]).unwrap();
        assert_eq!(store.article(id(n)).unwrap(), None, "{n}");
    }
    drop(store);
    std::fs::write(&file, whole).unwrap();
    let store = Embedded::open(dir.path(), &Settings::default()).unwrap();
    for (n, month) in [(11, "2026-10"), (13, "2026-11")] {
        assert_eq!(store.months.get(month.parse().unwrap(), id(n)).unwrap(), None, "{n}");
    }
    clean(&store);
}

/// It was there again, for good.
#[test]
fn what_is_forgotten_of_a_month_that_is_put_back_is_erased_then() {
    for is_away in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        drop(of_two_months(dir.path()));
        let (month, aside) = (dir.path().join("articles/2026-10"), dir.path().join("aside-10"));
        let whole = std::fs::read(file_of(&month, "rows.redb")).unwrap();
        if is_away {
            std::fs::rename(&month, &aside).unwrap();
        }
        let store = crate::store::open(dir.path(), &Settings::default()).unwrap();
        let note = month.join("suspect");
        if !is_away {
            std::fs::write(&note, "").unwrap();
        }
        store.forget(&[store.url(id(11)).unwrap().unwrap()], &[]).unwrap();
        drop(store);
        if is_away {
            std::fs::rename(&aside, &month).unwrap();
        } else {
            std::fs::remove_file(&note).unwrap();
            std::fs::write(file_of(&month, "rows.redb"), whole).unwrap();
        }
        let store = Embedded::open(dir.path(), &Settings::default()).unwrap();
        assert_eq!(store.months.get("2026-10".parse().unwrap(), id(11)).unwrap(), None);
        clean(&store);
    }
}

#[test]
fn a_month_that_nobody_knows_to_be_whole_keeps_no_store_closed() {
    let dir = tempfile::tempdir().unwrap();
    drop(of_two_months(dir.path()));
    // The note cannot be removed.
    std::fs::create_dir(dir.path().join("articles/2026-10/suspect")).unwrap();
    let store = crate::store::open(dir.path(), &Settings::default()).unwrap();
    assert_eq!(store.damaged_months().unwrap(), ["2026-10"]);
    clean(&*store);
}

#[test]
fn a_damaged_month_that_was_emptied_by_hand_is_gone() {
    for seen in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let open = || crate::store::open(dir.path(), &Settings::default()).unwrap();
        let (file, _) = damaged(dir.path());
        assert!(open().article(id(11)).is_err());
        for file in std::fs::read_dir(file.parent().unwrap()).unwrap().flatten() {
            if file.file_name() != "suspect" {
                std::fs::remove_file(file.path()).unwrap();
            }
        }
        if seen {
            assert_eq!(open().lost_months().unwrap(), ["2026-10"]);
        }
        // Whoever wants it next makes an empty one.
        let months = Months::new(Some(&dir.path().join("articles")), &Settings::default());
        drop(months.month("2026-10".parse().unwrap(), true).unwrap());
        drop(months);
        for _ in 0..2 {
            assert_eq!(open().lost_months().unwrap(), ["2026-10"], "{seen}");
        }
    }
}

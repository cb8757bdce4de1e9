//! Opening, closing, locking a store on disk.

use std::os::unix::fs::FileExt;
use std::path::Path;

use super::build::*;
use crate::model::*;
use crate::store::embedded::Embedded;
use crate::store::embedded::files::MAIN;
use crate::store::embedded::format::encode;
use crate::store::embedded::format::keys::{self, key};
use crate::store::embedded::kv::{Kv, Writes};
use crate::store::embedded::redb::RedbKv;
use crate::store::embedded::stories::size_key;
use crate::store::*;

pub(super) fn opened(dir: &Path) -> Embedded {
    Embedded::open(dir, &Settings::default()).unwrap()
}

fn refused(dir: &Path) -> StoreError {
    match open(dir, &Settings::default()) {
        Ok(_) => panic!("the store {} opened", dir.display()),
        Err(e) => e,
    }
}

pub(super) fn filled(dir: &Path) -> Embedded {
    let store = opened(dir);
    with_entries(&store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    add_article(&store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(&store, 12, 19, vec![row(12, "Acme", 19, 1, 0)], &[11]);
    store
}

/// All that a reader can see.
pub(super) fn dump(store: &dyn Store) -> String {
    let mut out = format!("{:?}\n", store.feeds().unwrap());
    store
        .urls(&mut |url| {
            out += &format!("{url:?}\n");
            true
        })
        .unwrap();
    store
        .articles(None, None, &mut |a| {
            out += &format!("{a:?}\n");
            true
        })
        .unwrap();
    store
        .stories(None, None, &mut |s| {
            out += &format!("{s:?}\n");
            true
        })
        .unwrap();
    store
        .mention_rows(&Filter::default(), &mut |r| {
            out += &format!("{r:?}\n");
            true
        })
        .unwrap();
    out += &format!("{:?}\n", store.tallies(&Filter::default()).unwrap());
    out + &format!("{:?}\n", store.ledger(None, None).unwrap())
}

#[test]
fn everything_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(dir.path());
    let before = dump(&store);
    assert!(store.size().unwrap() > 1000);
    drop(store);
    let store = opened(dir.path());
    assert_eq!(dump(&store), before);
    clean(&store);
    assert!(dir.path().join("articles/2026-11").is_dir());
}

#[test]
fn a_restart_ends_leases_and_waits_the_whole_delay() {
    let dir = tempfile::tempdir().unwrap();
    let store = opened(dir.path());
    store.add_feeds(&[feed(1, "a.test"), feed(2, "b.test")]).unwrap();
    let leases = store.claim(&claim(T0)).unwrap();
    let mut batch = store.batch().unwrap();
    let pace = Pace { delay: 30 * DAY, ..leases[0].pace.clone() };
    batch.pace(&leases[0], &pace).unwrap();
    batch.commit().unwrap();
    drop(store);
    let before = jiff::Timestamp::now().as_millisecond();
    let store = opened(dir.path());
    assert_eq!(store.due().unwrap().leased, 0);
    let a = store.pace("a.test").unwrap().unwrap();
    assert!(a.next_at >= before + 30 * DAY, "{a:?}");
    let b = store.pace("b.test").unwrap().unwrap();
    assert!(b.next_at >= before + Settings::default().unknown_delay.0, "{b:?}");
    let far = store.claim(&claim(T0 + 100 * 365 * DAY)).unwrap();
    assert_eq!(far.iter().map(|l| l.epoch).collect::<Vec<_>>(), [2, 2]);
    assert!(!store.complete(&leases[0], &pace).unwrap());
    clean(&store);
}

#[test]
fn a_second_holder_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let _store = opened(dir.path());
    let message = refused(dir.path()).to_string();
    let pid = format!("(process {})", std::process::id());
    assert!(message.contains("held by another process") && message.contains(&pid), "{message}");
}

#[test]
fn another_format_is_refused() {
    let holding = |format: u32| {
        let dir = tempfile::tempdir().unwrap();
        let store = opened(dir.path());
        let record = Some(format.to_be_bytes().to_vec());
        store.kv.apply(Writes::from([(key(keys::FORMAT).done(), record)])).unwrap();
        store.kv.flush().unwrap();
        drop(store);
        refused(dir.path())
    };
    let newer = holding(FORMAT + 1);
    assert!(
        matches!(newer, StoreError::Newer { found, known: FORMAT, .. } if found == FORMAT + 1),
        "{newer}"
    );
    assert!(newer.to_string().contains("install a newer crawler"), "{newer}");
    let older = holding(READABLE - 1);
    assert!(
        matches!(older, StoreError::Older { found, known: FORMAT, .. } if found == READABLE - 1),
        "{older}"
    );
    assert!(older.to_string().contains("seed a new one"), "{older}");
}

#[test]
fn a_store_of_the_format_before_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(dir.path());
    let record = Some(READABLE.to_be_bytes().to_vec());
    let story = store.story_of(id(11)).unwrap().unwrap().id;
    // As a program of before leaves it: one story is not in order, another one has gone since.
    store
        .kv
        .apply(Writes::from([
            (key(keys::FORMAT).done(), record),
            (size_key(1, day(20), story), None),
            (size_key(3, day(7), id(90)), Some(encode(&size_key(3, day(7), id(90)), &()).unwrap())),
        ]))
        .unwrap();
    store.kv.flush().unwrap();
    drop(store);
    let store = opened(dir.path());
    let said = store.kv.get(&key(keys::FORMAT).done()).unwrap();
    assert_eq!(said, Some(FORMAT.to_be_bytes().to_vec()));
    clean(&store);
    let mut sizes = Vec::new();
    store
        .largest_stories((Some(day(20)), None), None, &mut |head| {
            sizes.push((head.id, head.articles));
            true
        })
        .unwrap();
    assert_eq!(sizes, [(story, 2)]);
}

/// Opening gives a sentence or a store whose `verify` works; a store that lost everything is
/// refused.
#[test]
fn damaged_files_are_an_error_never_a_panic() {
    type Bend = fn(&mut Vec<u8>);
    let bends: [(&str, &str, Bend); 5] = [
        ("rows.redb", "everything", |b| b.iter_mut().for_each(|b| *b ^= 0x55)),
        ("rows.redb", "other text", |b| *b = b"not a database".to_vec()),
        ("rows.redb", "cut", |b| b.truncate(b.len() / 3)),
        ("rows.redb", "one byte in a thousand", |b| {
            b.iter_mut().step_by(997).for_each(|b| *b ^= 1)
        }),
        ("rows.redb", "the beginning", |b| b.iter_mut().take(4096).for_each(|b| *b = 0)),
    ];
    for (file, what, bend) in bends {
        let dir = tempfile::tempdir().unwrap();
        drop(filled(dir.path()));
        let path = file_of(&dir.path().join(MAIN), file);
        let mut bytes = std::fs::read(&path).unwrap();
        bend(&mut bytes);
        std::fs::write(&path, bytes).unwrap();
        match open(dir.path(), &Settings::default()) {
            Ok(store) => {
                let mut said = 0;
                let verified = store.verify(&mut |_| said += 1);
                println!("{file}, {what}: opened, {said} findings, {verified:?}");
                assert!(store.feeds().is_ok_and(|f| f.len() == 1) || said > 0);
            }
            Err(e) => {
                println!("{file}, {what}: {e}");
                assert!(matches!(e, StoreError::Corrupt { .. } | StoreError::Io { .. }), "{e}");
            }
        }
    }
}

#[test]
fn records_without_a_format_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    {
        let kv = RedbKv::open(&dir.path().join(MAIN), 1 << 20).unwrap();
        kv.apply(Writes::from([(b"x".to_vec(), Some(b"y".to_vec()))])).unwrap();
    }
    let error = refused(dir.path());
    assert!(error.to_string().contains("no format record"), "{error}");
}

/// A month that had been away was called gone for good once its first article was forgotten.
#[test]
fn a_month_is_back_without_its_first_article() {
    let dir = tempfile::tempdir().unwrap();
    let store = opened(dir.path());
    with_entries(&store, (11..13).map(|n| entry(n, "a.test", 1)).collect());
    (11..13).for_each(|n| add_article(&store, n, 20, Vec::new(), &[]));
    store.forget(&[store.url(id(11)).unwrap().unwrap()], &[]).unwrap();
    drop(store);
    let (month, aside) = (dir.path().join("articles/2026-11"), dir.path().join("away"));
    std::fs::rename(&month, &aside).unwrap();
    assert_eq!(opened(dir.path()).lost_months().unwrap(), ["2026-11"]);
    std::fs::create_dir(&month).unwrap();
    std::fs::write(month.join("note"), "").unwrap();
    assert_eq!(opened(dir.path()).lost_months().unwrap(), ["2026-11"], "it is another one");
    std::fs::remove_dir_all(&month).unwrap();
    std::fs::rename(&aside, &month).unwrap();
    let store = opened(dir.path());
    assert_eq!(store.lost_months().unwrap(), [""; 0]);
    clean(&store);
}

#[test]
fn many_months_with_few_open() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { open_months: 1, ..Settings::default() };
    let store = open(dir.path(), &settings).unwrap();
    with_entries(&*store, (11..16).map(|n| entry(n, "a.test", 1)).collect());
    for n in 11..16 {
        under(&*store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 20, Vec::new(), &[]);
            let commit = page.article.as_mut().unwrap();
            commit.record.first_seen = T0 - Millis::from(n % 3) * 40 * DAY;
            batch.page(lease, page).unwrap();
        });
    }
    clean(&*store);
    assert_eq!(std::fs::read_dir(dir.path().join("articles")).unwrap().count(), 3);
}

#[test]
fn a_damaged_month_hurts_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(dir.path());
    let tallies = store.tallies(&Filter::default()).unwrap();
    drop(store);
    let path = file_of(&dir.path().join("articles/2026-11"), "rows.redb");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.iter_mut().for_each(|b| *b ^= 0x55);
    std::fs::write(&path, bytes).unwrap();
    let store = opened(dir.path());
    assert_eq!(store.tallies(&Filter::default()).unwrap(), tallies);
    assert!(matches!(store.article(id(11)), Err(StoreError::Corrupt { .. })));
    let said = findings(&store);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().all(|s| s.contains("leads to the month 2026-11")), "{said:?}");
}

#[test]
fn a_store_opened_by_a_clock_that_was_set_back_moves_its_schedule() {
    let dir = tempfile::tempdir().unwrap();
    let opened = |now| Settings { now: Some(now), ..Settings::default() };
    let store = open(dir.path(), &opened(T0)).unwrap();
    let mut polled = feed(1, "a.test");
    polled.poll.next = T0;
    store.add_feeds(&[polled.clone()]).unwrap();
    let lease = store.claim(&claim(T0)).unwrap().remove(0);
    let pace = Pace { blocked_until: T0 + HOUR, ..lease.pace.clone() };
    store.complete(&lease, &pace).unwrap();
    drop(store);
    let back = T0 - 300 * DAY;
    let store = open(dir.path(), &opened(back)).unwrap();
    assert_eq!(store.feed(polled.key).unwrap().unwrap().poll.next, back);
    assert_eq!(store.due().unwrap().next, Some(back + HOUR));
    drop(store);
    // Once is enough.
    let store = open(dir.path(), &opened(back + MINUTE)).unwrap();
    assert_eq!(store.due().unwrap().next, Some(back + HOUR));
    clean(&*store);
}

/// Each of the days to come had forty-eight missed polls.
#[test]
fn a_clock_that_was_ahead_leaves_no_missed_polls_on_days_to_come() {
    let dir = tempfile::tempdir().unwrap();
    let opened =
        |now| open(dir.path(), &Settings { now: Some(now), ..Settings::default() }).unwrap();
    let poll = |store: &dyn Store, at| {
        let lease = store.claim(&claim(at)).unwrap().remove(0);
        let stored = store.feed(id(1)).unwrap().unwrap();
        let mut batch = store.batch().unwrap();
        let poll = PollCommit { day: utc_day(at), ..poll_of(&stored, at, Vec::new()) };
        batch.poll(&lease, poll).unwrap();
        batch.commit().unwrap();
        store.complete(&lease, &lease.pace).unwrap();
    };
    let days = |store: &dyn Store, from| -> Vec<(i64, u32, u32)> {
        let rows = store.ledger(Some(utc_day(from)), None).unwrap();
        let day = |row: &Ledger| day_begins(row.day.unwrap(), &jiff::tz::TimeZone::UTC).unwrap();
        rows.iter().map(|row| ((day(row) - T0) / DAY, row.polls.due, row.polls.succeeded)).collect()
    };
    let store = opened(T0);
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    poll(&*store, T0);
    drop(store);
    let store = opened(T0 + 400 * DAY);
    poll(&*store, T0 + 400 * DAY);
    // Not the days that are longest ago, either.
    assert!(days(&*store, T0 + DAY).len() < 368);
    assert_eq!(days(&*store, T0 + 100 * DAY)[0], (99, 24, 0));
    drop(store);
    let store = opened(T0 + 2 * HOUR);
    assert_eq!(days(&*store, T0 + DAY), [(399, 12, 1)]);
    poll(&*store, T0 + 4 * HOUR);
    clean(&*store);
    drop(store);
    // A clock that is wrong now takes nothing back of what was lived through.
    let store = opened(T0 - 50 * DAY);
    assert_eq!(days(&*store, T0).len(), 2);
    clean(&*store);
}

#[test]
fn trimming_closes_what_nobody_reads_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(dir.path());
    let before = dump(&store);
    let files_open = || {
        let files = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        let here = dir.path().join("articles");
        files
            .filter_map(|f| std::fs::read_link(f.path()).ok())
            .filter(|f| f.starts_with(&here))
            .count()
    };
    assert!(files_open() > 0);
    store.trim().unwrap();
    assert_eq!(files_open(), 0);
    assert_eq!(dump(&store), before);
    store.trim().unwrap();
    add_article(&store, 13, 20, vec![row(13, "Acme", 20, 1, 0)], &[]);
    store.trim().unwrap();
    drop(store);
    let store = opened(dir.path());
    assert!(store.article(id(13)).unwrap().is_some());
    clean(&store);
}

#[test]
fn damage_that_is_met_in_use_is_looked_for_at_the_next_opening() {
    let whole = tempfile::tempdir().unwrap();
    let feeds: Vec<_> = (1..2_000).map(|n| feed(n, &format!("host{n}.test"))).collect();
    opened(whole.path()).add_feeds(&feeds).unwrap();
    let expected = opened(whole.path()).feeds().unwrap();
    let mut met = 0;
    for part in 1..16 {
        let dir = tempfile::tempdir().unwrap();
        crate::store::embedded::files::copy_files(whole.path(), dir.path(), &[]).unwrap();
        let note = dir.path().join("suspect");
        // Whoever thought so was wrong.
        std::fs::write(&note, "a page cannot be read").unwrap();
        drop(opened(dir.path()));
        assert!(!note.exists());
        // With little of it in the cache.
        let settings = Settings { cache_mib: 1, ..Settings::default() };
        let store = Embedded::open(dir.path(), &settings).unwrap();
        let file = file_of(&dir.path().join(MAIN), "rows.redb");
        let file = std::fs::OpenOptions::new().write(true).open(file).unwrap();
        let length = file.metadata().unwrap().len() / 16;
        file.write_all_at(&vec![0x55; length as usize], length * part).unwrap();
        let read = store.feeds();
        drop(store);
        if let Ok(read) = &read {
            assert!(*read == expected, "{} of {} feeds", read.len(), expected.len());
        } else {
            met += 1;
            assert!(note.exists());
            let error = refused(dir.path());
            println!("part {part} of {length} bytes: {:?}, then {error}", read.err());
            assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        }
    }
    println!("met in use: {met}");
    assert!(met > 0, "no damage was met in use");
}

/// Its rows would have been dropped as those of the set before.
#[test]
fn a_brand_set_that_was_to_be_dropped_and_is_in_use_again_keeps_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(dir.path());
    let recount = |set: &BrandSet, from: &BrandSet| {
        store.recount_put(set, id(11), &[row(11, "Acme", 20, 2, 1)]).unwrap();
        store.recount_put(set, id(12), &[]).unwrap();
        store.recount_finish(set, &from.version).unwrap();
    };
    let [before, next] =
        ["v1", "v2"].map(|v| BrandSet { version: v.into(), ..BrandSet::default() });
    recount(&before, &BrandSet::default());
    recount(&next, &before);
    // The disk was full when its rows were to be dropped.
    let at = key(keys::RETIRED).text(&before.version).done();
    let value = encode(&at, &()).unwrap();
    let tally_at = key(keys::TALLY).text(&before.version).text("Acme").day(day(19)).done();
    let once = encode(&tally_at, &Tally { articles: 1, ..Tally::default() }).unwrap();
    let left = [(at.clone(), Some(value.clone())), (tally_at, Some(once))];
    store.kv.apply(Writes::from(left)).unwrap();
    recount(&before, &next);
    assert_eq!(tally(&store, "Acme", 20).mentions, 2);
    clean(&store);
    // A store of before may have it so.
    store.kv.apply(Writes::from([(at, Some(value))])).unwrap();
    drop(store);
    let store = opened(dir.path());
    assert_eq!(tally(&store, "Acme", 20).mentions, 2);
    clean(&store);
}

//! The process dies at every abort point of the commit path; what is found afterwards is clean,
//! and the crawl ends as an undisturbed one does.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::build::*;
use crate::model::*;
use crate::store::*;

/// Later than any clock, so that a restart's pause is over.
const FAR: Millis = T0 + 1000 * 365 * DAY;

/// A small crawl: two feeds, ten entries, one retry, one that is too old, chains of copies.
pub(super) fn crawl(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test"), feed(2, "b.test")]).unwrap();
    loop {
        let claim = Claim { keys: 1, drain: 3, ..claim(FAR) };
        let Some(lease) = store.claim(&claim).unwrap().pop() else { break };
        let mut batch = store.batch().unwrap();
        for task in &lease.tasks {
            assert_eq!(batch.admit(&lease, task).unwrap(), Admission::Admitted);
            match task.kind {
                TaskKind::Poll => {
                    let stored = store.feed(task.key).unwrap().unwrap();
                    let n = (task.key.0 >> 64) as u32;
                    let entries = (0..5).map(|i| entry(n * 10 + i, &lease.pace_key, n)).collect();
                    let mut poll = poll_of(&stored, stored.poll.next, entries);
                    poll.feed.poll.next = FAR + DAY;
                    batch.poll(&lease, poll).unwrap();
                }
                TaskKind::Fetch => fetch(&mut *batch, &lease, task),
            }
        }
        batch.commit().unwrap();
        assert!(store.complete(&lease, &lease.pace).unwrap());
    }
}

fn fetch(batch: &mut dyn Batch, lease: &Lease, task: &Task) {
    let n = (task.key.0 >> 64) as u32;
    let page = match n {
        12 if task.attempts == 0 => PageCommit {
            retry: Some((task.due + SECOND, "reset".to_owned())),
            ..ends(n, Outcome::Pending)
        },
        23 => ends(n, Outcome::TooOld),
        _ => {
            let day = 18 + (n % 3) as i8;
            let rows = vec![row(n, "Acme", day, n % 2, 1)];
            article(batch, n, day, rows, &[n.saturating_sub(10), n + 10, n + 12])
        }
    };
    batch.page(lease, page).unwrap();
}

/// What must not depend on crashes.
pub(super) fn result(store: &dyn Store) -> String {
    let mut out = format!("{:?}\n", store.feeds().unwrap());
    store
        .urls(&mut |url| {
            out += &format!("{url:?}\n");
            true
        })
        .unwrap();
    let mut stories = BTreeSet::new();
    store
        .stories(None, None, &mut |s| {
            stories.insert(format!("{:?}", s.members));
            true
        })
        .unwrap();
    out += &format!("{stories:?}\n{:?}\n", store.tallies(&Filter::default()).unwrap());
    out += &format!("{:?}\n", vectors(store, Millis::MIN));
    out + &format!("{:?}\n", store.ledger(None, None).unwrap())
}

/// A changed brand set: what was Acme is Umbra, and counts once per article.
fn recount(store: &dyn Store) {
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    let mut keys = Vec::new();
    store
        .recount_missing(&set, &mut |key| {
            keys.push(key);
            true
        })
        .unwrap();
    for key in keys {
        let rows = store.mentions_of(key).unwrap();
        let new = |old: MentionRow| {
            let n = (key.0 >> 64) as u32;
            row(n, "Umbra", old.day.day(), 1, 0)
        };
        store.recount_put(&set, key, &rows.into_iter().map(new).collect::<Vec<_>>()).unwrap();
    }
    store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
}

/// Not a test by itself: the process that dies.
#[test]
#[ignore = "run by the other tests of this file"]
fn child() {
    let Ok(dir) = std::env::var("CRAWLER_CRASH_DIR") else { return };
    let store = open(Path::new(&dir), &Settings::default()).unwrap();
    if std::env::var("CRAWLER_CRASH_RECOUNT").is_ok() {
        recount(&*store);
    } else {
        crawl(&*store);
    }
}

/// Runs [`child`] until the n-th pass of an abort point; did it die there?
pub(super) fn dies(dir: &Path, point: &str, n: u32, recount: bool) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--ignored", "--exact", "store::tests::crash::child"])
        .env("CRAWLER_CRASH_DIR", dir)
        .env("CRAWLER_ABORT_AT", format!("{point}:{n}"));
    if recount {
        command.env("CRAWLER_CRASH_RECOUNT", "1");
    }
    !command.output().unwrap().status.success()
}

#[test]
fn a_recount_that_dies_leaves_the_old_set_or_the_new() {
    let before = memory();
    crawl(&*before);
    let old = result(&*before);
    recount(&*before);
    clean(&*before);
    let new = result(&*before);
    assert_ne!(old, new);
    let mut seen = BTreeSet::new();
    for (point, n) in (1..=20).map(|n| ("main-begin", n)).chain([1, 2].map(|n| ("main-commit", n)))
    {
        let dir = tempfile::tempdir().unwrap();
        crawl(&*open(dir.path(), &Settings::default()).unwrap());
        if !dies(dir.path(), point, n, true) {
            seen.insert("finished");
            continue;
        }
        let store = open(dir.path(), &Settings::default()).unwrap();
        clean(&*store);
        let found = result(&*store);
        if store.brand_set().unwrap().version == "v2" {
            assert_eq!(found, new, "after {point}:{n}");
            seen.insert("new");
        } else {
            assert_eq!(found, old, "after {point}:{n}");
            seen.insert("old");
            recount(&*store);
            assert_eq!(result(&*store), new, "after {point}:{n}");
        }
        clean(&*store);
    }
    assert_eq!(seen, BTreeSet::from(["finished", "new", "old"]));
}

#[test]
fn every_abort_point_leaves_a_clean_store() {
    let undisturbed = memory();
    crawl(&*undisturbed);
    clean(&*undisturbed);
    let expected = result(&*undisturbed);
    let mut died = 0;
    for point in ABORT_POINTS.into_iter().chain(SETTLING_POINTS) {
        for n in [1, 2, 4] {
            let dir = tempfile::tempdir().unwrap();
            died += u32::from(dies(dir.path(), point, n, false));
            let store = open(dir.path(), &Settings::default()).unwrap();
            clean(&*store);
            crawl(&*store);
            clean(&*store);
            assert_eq!(result(&*store), expected, "after {point}:{n}");
        }
    }
    // Each point is passed at least twice by so small a crawl.
    assert!(died >= 12, "only {died} processes died");
}

//! Stores of earlier versions lie in sled databases. They are moved when they are opened, however often
//! that is cut short.

use std::path::Path;

use super::build::*;
use super::crash::{crawl, dies, result};
use crate::store::embedded::Embedded;
use crate::store::embedded::files::{ARTICLES, MAIN};
use crate::store::embedded::moving::{is_old, open_any};
use crate::store::*;

/// Puts a sled database with the same rows in the place of a map.
fn as_it_was(path: &Path) {
    let new = path.with_extension("sled");
    {
        let map = open_any(path, 1 << 20).unwrap();
        let db = sled::open(&new).unwrap();
        for row in map.scan(&[], &[0xff; 64]) {
            let (key, value) = row.unwrap();
            db.insert(key, value).unwrap();
        }
        db.flush().unwrap();
    }
    std::fs::remove_dir_all(path).unwrap();
    std::fs::rename(&new, path).unwrap();
}

/// A small crawl in a store of an earlier version, and what it came to.
fn earlier(dir: &Path) -> String {
    let found = {
        let store = open(dir, &Settings::default()).unwrap();
        crawl(&*store);
        result(&*store)
    };
    as_it_was(&dir.join(MAIN));
    let months = std::fs::read_dir(dir.join(ARTICLES)).unwrap().map(|month| month.unwrap().path());
    months.collect::<Vec<_>>().iter().for_each(|month| as_it_was(month));
    assert!(is_old(&dir.join(MAIN)));
    found
}

fn moved(dir: &Path, expected: &str) {
    let store = open(dir, &Settings::default()).unwrap();
    clean(&*store);
    assert_eq!(result(&*store), expected);
    drop(store);
    for place in [dir.join(MAIN), dir.join(ARTICLES)] {
        assert!(!is_old(&place));
    }
    let mut names: Vec<_> = [dir.to_owned(), dir.join(ARTICLES)]
        .iter()
        .flat_map(|dir| std::fs::read_dir(dir).unwrap())
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name.starts_with(MAIN) || name.starts_with("20"));
    assert!(names.iter().all(|name| !name.contains('.')), "{names:?}");
}

#[test]
fn a_store_of_an_earlier_version_is_moved() {
    let dir = tempfile::tempdir().unwrap();
    let expected = earlier(dir.path());
    moved(dir.path(), &expected);
    // And used.
    moved(dir.path(), &expected);
}

#[test]
fn a_move_that_dies_at_any_point_goes_on() {
    let mut died = 0;
    for point in MOVING_POINTS {
        for n in [1, 2, 5] {
            let dir = tempfile::tempdir().unwrap();
            let expected = earlier(dir.path());
            died += u32::from(dies(dir.path(), point, n, false));
            // Again, a little later.
            died += u32::from(dies(dir.path(), point, n + 1, false));
            moved(dir.path(), &expected);
        }
    }
    assert!(died >= 12, "only {died} processes died");
}

#[test]
fn a_damaged_store_of_an_earlier_version_is_refused_and_its_backup_comes_back() {
    let dirs = tempfile::tempdir().unwrap();
    let (backup, back) = (dirs.path().join("backup"), dirs.path().join("back"));
    let expected = earlier(&backup);
    restore(&backup, &back).unwrap();
    moved(&back, &expected);
    std::fs::write(backup.join(MAIN).join("db"), b"not a database").unwrap();
    let refused = Embedded::open(&backup, &Settings::default()).err().unwrap();
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused}");
    assert!(is_old(&backup.join(MAIN)));
}

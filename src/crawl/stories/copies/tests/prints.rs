//! Prints of earlier versions, which are written anew in fewer bytes.

use std::cell::Cell;
use std::fs::{self, File};
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::*;
use crate::crawl::run::prints::shorten;

/// Prints of five texts of thirty words, as they were written when whole hashes were kept.
const LONG: &str = include_str!("../long.txt");

fn texts() -> Vec<String> {
    (0..5).map(|n| words(n * 100..n * 100 + 30)).collect()
}

fn long() -> Vec<Vec<u8>> {
    LONG.lines().map(|line| BASE64_STANDARD.decode(line).unwrap()).collect()
}

fn put(store: &dyn Store, n: usize, at: Millis, print: &[u8]) {
    let prints = [(key("paper0.test", n), at, print.to_vec())];
    store.change(Change::Stories { prints: &prints, stories: &[] }, None).unwrap();
}

#[test]
fn long_prints_are_written_anew_and_say_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 5);
    let store = engine.store.as_ref();
    let mut copies = load(&engine, T0);
    let (texts, long) = (texts(), long());
    // Some were published at the same instant.
    let at = |n: usize| T0 + n as Millis / 3;
    for (n, text) in texts.iter().enumerate() {
        add(store, &mut copies, article("paper0.test", n, text, at(n)));
        put(store, n, at(n), &long[n]);
    }
    proven(&engine, 5);
    // Stopped after some: the rest is written in a later run.
    let looks = Cell::new(0);
    let stop = || looks.replace(looks.get() + 1) > 1;
    let first = shorten(store, &stop).unwrap();
    assert!((1..5).contains(&first), "{first}");
    proven(&engine, 5);
    assert_eq!(first + shorten(store, &|| false).unwrap(), 5);
    for (n, text) in texts.iter().enumerate() {
        let stored = store.vector(key("paper0.test", n), at(n)).unwrap().unwrap();
        assert_eq!(stored, Print { folded: false, ..Print::of(text) }.encode());
    }
    assert_eq!(shorten(store, &|| false).unwrap(), 0);
    proven(&engine, 5);
}

/// Those before a damaged one were read again and again, and dropped each time, with an error.
#[test]
fn prints_before_a_damaged_one_are_written_anew_once() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: usize| T0 + n as Millis;
    let long = long();
    {
        let engine = engine(dir.path());
        seeded(&engine, 5);
        let store = engine.store.as_ref();
        let mut copies = load(&engine, T0);
        for (n, text) in texts().iter().enumerate() {
            add(store, &mut copies, article("paper0.test", n, text, at(n)));
            put(store, n, at(n), &long[n]);
        }
    }
    let mut bent = 0;
    for file in files_below(dir.path()) {
        let mut bytes = fs::read(&file).unwrap();
        for place in 0..bytes.len().saturating_sub(long[3].len()) {
            if bytes[place..].starts_with(&long[3]) {
                bytes[place] ^= 0x10;
                bent += 1;
            }
        }
        fs::write(&file, bytes).unwrap();
    }
    assert!(bent > 0);
    let engine = engine(dir.path());
    let store = engine.store.as_ref();
    store.vector(key("paper0.test", 3), at(3)).unwrap_err();
    let path = dir.path().join("said");
    let said = Arc::new(File::create(&path).unwrap());
    let listening = tracing_subscriber::fmt().with_writer(said).finish();
    tracing::subscriber::with_default(listening, || {
        assert_eq!(shorten(store, &|| false).unwrap(), 3);
        assert_eq!(shorten(store, &|| false).unwrap(), 0);
    });
    let said = fs::read_to_string(path).unwrap();
    assert_eq!(said.matches("stay as they are").count(), 1, "{said}");
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let (mut files, mut dirs) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = dirs.pop() {
        for file in fs::read_dir(dir).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() { &mut dirs } else { &mut files }.push(path);
        }
    }
    files
}

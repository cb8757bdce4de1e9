//! Notes: each store keeps the same of them.

use super::build::*;
use super::decisions::decision;
use crate::model::*;
use crate::store::decision::{Change, Topic};
use crate::store::*;

suite! {
    a_note_is_kept_once_and_removed
}

pub fn note(day_: i8, n: u32) -> Note {
    Note {
        id: format!("{}-{n}", day(day_)),
        day: day(day_),
        brand: (n == 1).then(|| "Acme".to_owned()),
        text: "Press release: <b>new</b> plant".to_owned(),
        made: T0,
        by: "desk".to_owned(),
    }
}

fn a_note_is_kept_once_and_removed(store: &dyn Store) {
    let [one, two] = [note(20, 1), note(20, 2)];
    let said = decision(1, Topic::Note);
    for note in [&two, &one] {
        assert_eq!(store.change(Change::Note(note), Some(&said)).unwrap(), 1);
    }
    // Somebody else was faster.
    let other = Note { text: "other".to_owned(), ..one.clone() };
    assert_eq!(store.change(Change::Note(&other), Some(&said)).unwrap(), 0);
    assert_eq!(store.notes().unwrap(), [one.clone(), two]);
    let gone = decision(2, Topic::Note);
    assert_eq!(store.change(Change::NoteRemoved("2026-01-01-1"), Some(&gone)).unwrap(), 0);
    assert_eq!(store.change(Change::NoteRemoved(&one.id), Some(&gone)).unwrap(), 1);
    assert_eq!(store.change(Change::NoteRemoved(&one.id), Some(&gone)).unwrap(), 0);
    assert_eq!(store.notes().unwrap(), [note(20, 2)]);
    clean(store);
}

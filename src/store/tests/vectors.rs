//! Vectors lie in the months of their articles; those of stores of before are taken there.

use std::path::Path;

use super::build::*;
use super::crash::{crawl, dies, result};
use crate::model::*;
use crate::store::embedded::Embedded;
use crate::store::embedded::files::MAIN;
use crate::store::embedded::format::keys::{self, key};
use crate::store::embedded::format::{
    Kept, Month, VECTORS, decode, encode, is_kept, seal, unseal, vector_key, vector_of_key,
};
use crate::store::embedded::kv::{Kv, Writes};
use crate::store::embedded::redb::RedbKv;
use crate::store::*;

/// The format before vectors lay in the months.
const BEFORE: u32 = 6;

fn opened(dir: &Path) -> Embedded {
    Embedded::open(dir, &Settings::default()).unwrap()
}

/// Twelve articles of as many days, the latest first; they came in three months in turn.
fn filled(store: &dyn Store) {
    with_entries(store, (11..23).map(|n| entry(n, "a.test", 1)).collect());
    for n in 11..23 {
        under(store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 35 - n as i8, Vec::new(), &[]);
            let commit = page.article.as_mut().unwrap();
            commit.record.first_seen = T0 - Millis::from(n % 3) * 40 * DAY;
            batch.page(lease, page).unwrap();
        });
    }
}

/// What [`filled`] stored, but for some.
fn expected(since: Millis, but: &[u32]) -> Vec<(UrlKey, Millis, Vec<u8>)> {
    let all = (11..23).rev().filter(|n| !but.contains(n));
    let all = all.map(|n: u32| (id(n), at(35 - n as i8), n.to_be_bytes().to_vec()));
    all.filter(|(_, at, _)| *at >= since).collect()
}

/// Vectors that main has.
fn in_main(store: &Embedded) -> usize {
    store.kv.scan(&[keys::VECTOR], &[keys::VECTOR + 1]).count()
}

/// Rows of vectors of one article in all months.
fn rows_of(store: &Embedded, n: u32) -> usize {
    let months = store.months.all().unwrap().into_iter();
    let rows = months.flat_map(|month| store.months.vector_rows(month, &VECTORS, 999).unwrap());
    rows.filter(|(at, _)| vector_of_key(at).unwrap().1 == id(n)).count()
}

/// Makes a store what a program of before left: vectors in main, and beside articles without text.
pub(super) fn as_before(dir: &Path) {
    let store = opened(dir);
    let record = Some(BEFORE.to_be_bytes().to_vec());
    let mut main = Writes::from([(key(keys::FORMAT).done(), record)]);
    for month in store.months.all().unwrap() {
        let kv = store.months.month(month, false).unwrap().unwrap();
        let mut writes = Writes::new();
        for row in store.months.vector_rows(month, &VECTORS, usize::MAX).unwrap() {
            let ((published, id), vector) =
                (vector_of_key(&row.0).unwrap(), unseal(&row.0, &row.1).unwrap());
            let at = key(keys::VECTOR).at(published).id(id).done();
            main.insert(at.clone(), Some(seal(&at, vector)));
            writes.insert(row.0.clone(), None);
            let kept = [&id.0.to_be_bytes()[..], b"k"].concat();
            if let Some(value) = kv.get(&kept).unwrap() {
                assert!(is_kept(&kept));
                let row: Kept = decode(&kept, &value).unwrap();
                let row = Kept { vector: vector.to_vec(), ..row };
                writes.insert(kept.clone(), Some(encode(&kept, &row).unwrap()));
            }
        }
        kv.apply(writes).unwrap();
        let at = key(keys::MONTH).text(&month.to_string()).done();
        let referred = encode(&at, &(None::<UrlKey>, false)).unwrap();
        main.insert(at, Some(referred));
    }
    store.kv.commit(main).unwrap();
}

#[test]
fn vectors_of_several_months_come_in_the_order_of_publication() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { open_months: 1, ..Settings::default() };
    for store in [memory(), open(dir.path(), &settings).unwrap()] {
        filled(&*store);
        for since in (12..26).map(at).chain([Millis::MIN, at(20) + 1]) {
            assert_eq!(vectors(&*store, since), expected(since, &[]));
        }
        let mut some = Vec::new();
        store
            .vectors(Millis::MIN, &mut |key, _, _| {
                some.push(key);
                some.len() < 5
            })
            .unwrap();
        assert_eq!(some, [22, 21, 20, 19, 18].map(id));
        clean(&*store);
    }
}

#[test]
fn what_a_crash_left_is_no_vector_and_what_is_forgotten_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let store = opened(dir.path());
    filled(&store);
    // The article came again, with another date; and one that never came again.
    for n in [12, 99] {
        let at = vector_key(at(3), id(n));
        let value = seal(&at, b"of before the crash");
        store.months.append(Month::of(T0), Writes::from([(at, Some(value))])).unwrap();
    }
    assert_eq!(vectors(&store, Millis::MIN), expected(Millis::MIN, &[]));
    assert_eq!(store.vector(id(12), at(3)).unwrap(), None);
    clean(&store);
    // One whose record cannot be read is forgotten as well.
    let place = id(15).0.to_be_bytes().to_vec();
    store.months.append(Month::of(T0), Writes::from([(place, Some(vec![1]))])).unwrap();
    for n in [14, 15] {
        store.forget(&[store.url(id(n)).unwrap().unwrap()], &[]).unwrap();
        assert_eq!(store.vector(id(n), at(35 - n as i8)).unwrap(), None);
        assert_eq!(rows_of(&store, n), 0);
    }
    assert_eq!(vectors(&store, Millis::MIN), expected(Millis::MIN, &[14, 15]));
    clean(&store);
}

#[test]
fn vectors_of_a_store_of_before_are_taken_to_the_months() {
    let dir = tempfile::tempdir().unwrap();
    filled(&opened(dir.path()));
    as_before(dir.path());
    let store = opened(dir.path());
    assert_eq!(in_main(&store), 0);
    for since in [Millis::MIN, at(17)] {
        assert_eq!(vectors(&store, since), expected(since, &[]));
    }
    assert_eq!(store.vector(id(13), at(22)).unwrap(), Some(13_u32.to_be_bytes().to_vec()));
    clean(&store);
}

#[test]
fn a_vector_of_before_that_is_damaged_or_of_no_article_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    filled(&opened(dir.path()));
    as_before(dir.path());
    {
        let kv = RedbKv::open(&dir.path().join(MAIN), 1 << 20).unwrap();
        let row = |n: u32, day| key(keys::VECTOR).at(at(day)).id(id(n)).done();
        let (damaged, stray) = (row(13, 22), row(77, 4));
        let value = seal(&stray, b"of nothing");
        kv.apply(Writes::from([(damaged, Some(vec![1, 2, 3])), (stray, Some(value))])).unwrap();
        kv.flush().unwrap();
    }
    let store = opened(dir.path());
    assert_eq!(in_main(&store), 0);
    assert_eq!(vectors(&store, Millis::MIN), expected(Millis::MIN, &[13]));
    let said = findings(&store);
    assert!(said.len() == 1 && said[0].contains("has no vector in 2026-1"), "{said:?}");
}

#[test]
fn taking_them_there_may_die_at_any_point() {
    let mut died = 0;
    for point in ABORT_POINTS.into_iter().chain(SETTLING_POINTS) {
        for n in 1..=4 {
            let dir = tempfile::tempdir().unwrap();
            let expected = {
                let store = opened(dir.path());
                crawl(&store);
                result(&store)
            };
            as_before(dir.path());
            let dead = dies(dir.path(), point, n, false);
            died += u32::from(dead);
            if dead && point == "article-commit" {
                // A program of before would miss what is moved already.
                let kv = RedbKv::open(&dir.path().join(MAIN), 1 << 20).unwrap();
                let format = kv.get(&key(keys::FORMAT).done()).unwrap();
                assert_eq!(format, Some(FORMAT.to_be_bytes().to_vec()));
                let left = kv.scan(&[keys::VECTOR], &[keys::VECTOR + 1]).count();
                assert!(left > 0, "{point}:{n}");
            }
            // Again, a little later.
            died += u32::from(dies(dir.path(), point, n + 1, false));
            let store = opened(dir.path());
            assert_eq!(in_main(&store), 0, "{point}:{n}");
            clean(&store);
            assert_eq!(result(&store), expected, "{point}:{n}");
        }
    }
    assert!(died >= 16, "only {died} processes died");
}

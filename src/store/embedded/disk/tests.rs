//! The map on disk against a map in memory, through restarts, kills and damage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::store::embedded::files::copy_files;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn small() -> Shape {
    let flush_every = Duration::from_secs(1);
    Shape { cache: 4_096, recent: 600, chunk: 100, level: Some(1), flush_every }
}

fn open(dir: &Path) -> DiskKv {
    DiskKv::open(dir, small()).unwrap()
}

fn rows(kv: &dyn Kv) -> Model {
    kv.scan(&[], &[0xff; 9]).map(|row| row.unwrap()).collect()
}

fn key(n: u16) -> Vec<u8> {
    [&b"a key of some length "[..], &n.to_be_bytes()].concat()
}

fn change(model: &mut Model, writes: &Writes) {
    for (key, value) in writes {
        match value {
            Some(value) => drop(model.insert(key.clone(), value.clone())),
            None => drop(model.remove(key)),
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<(u16, Option<(u8, usize)>)>),
    Read(u16, u16),
    Restart,
    Kill,
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    let value = prop::option::weighted(0.7, (any::<u8>(), 0..60_usize));
    prop_oneof![
        6 => prop::collection::vec((0..300_u16, value), 0..40).prop_map(Step::Apply),
        2 => (0..300_u16, 0..300_u16).prop_map(|(from, to)| Step::Read(from, to)),
        1 => Just(Step::Restart),
        1 => Just(Step::Kill),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn it_is_a_map_whatever_happens(steps in prop::collection::vec(step(), 1..60)) {
        let dirs = tempfile::tempdir().unwrap();
        let mut dir = dirs.path().join("0");
        let (mut kv, mut model) = (open(&dir), Model::new());
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Apply(changes) => {
                    let writes: Writes = changes.into_iter()
                        .map(|(n, value)| (key(n), value.map(|(byte, length)| vec![byte; length])))
                        .collect();
                    change(&mut model, &writes);
                    kv.apply(writes).unwrap();
                    kv.flush().unwrap();
                }
                Step::Read(from, to) => {
                    let found: Model = kv.scan(&key(from), &key(to)).map(|row| row.unwrap()).collect();
                    let expected = model.iter()
                        .filter(|(at, _)| **at >= key(from) && **at < key(to))
                        .map(|(at, value)| (at.clone(), value.clone())).collect();
                    prop_assert_eq!(found, expected);
                    prop_assert_eq!(kv.get(&key(from)).unwrap(), model.get(&key(from)).cloned());
                }
                Step::Restart => {
                    drop(kv);
                    kv = open(&dir);
                }
                Step::Kill => {
                    let copy = dirs.path().join((number + 1).to_string());
                    copy_files(&dir, &copy, &[]).unwrap();
                    dir = copy;
                    kv = open(&dir);
                }
                Step::Compact => drop(kv.compact().unwrap()),
            }
            prop_assert_eq!(rows(&kv), model.clone());
        }
        for n in 0..300 {
            prop_assert_eq!(kv.get(&key(n)).unwrap(), model.get(&key(n)).cloned());
        }
        // Every file is named, and nothing else is there.
        let listed = Listed::read(&dir).unwrap();
        let named = listed.levels.iter().flatten().map(|about| about.number).collect::<BTreeSet<_>>();
        prop_assert_eq!(numbers(&dir, ".sheet").into_iter().collect::<BTreeSet<_>>(), named);
    }

    #[test]
    fn a_journal_cut_anywhere_holds_the_batches_before(at in any::<prop::sample::Index>()) {
        let dir = tempfile::tempdir().unwrap();
        let kv = open(dir.path());
        let mut states = vec![Model::new()];
        for n in 0..12_u16 {
            let writes = Writes::from([
                (key(n % 5), Some(vec![n as u8; 9])),
                (key(n), (n % 3 > 0).then(|| vec![n as u8])),
            ]);
            let mut model = states.last().unwrap().clone();
            change(&mut model, &writes);
            states.push(model);
            kv.apply(writes).unwrap();
        }
        let copy = tempfile::tempdir().unwrap();
        copy_files(dir.path(), copy.path(), &[]).unwrap();
        let path = journal_path(copy.path(), numbers(copy.path(), ".journal")[0]);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..at.index(bytes.len())]).unwrap();
        let cut = open(copy.path());
        let found = rows(&cut);
        prop_assert!(states.contains(&found), "{found:?}");
        // It goes on from there.
        cut.apply(Writes::from([(key(77), Some(vec![1]))])).unwrap();
        drop(cut);
        prop_assert_eq!(rows(&open(copy.path())).len(), found.len() + 1);
    }

    #[test]
    fn damage_is_an_error_or_hurts_nothing(
        file in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        close in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut kv = open(dir.path());
        let (mut model, mut ever) = (Model::new(), BTreeSet::new());
        for n in 0..60_u16 {
            let writes: Writes = (0..8)
                .map(|m| (key(n * m % 97), (n % 7 > 0).then(|| vec![m as u8; usize::from(n)])))
                .collect();
            ever.extend(writes.iter().map(|(key, value)| (key.clone(), value.clone())));
            change(&mut model, &writes);
            kv.apply(writes).unwrap();
        }
        kv.flush().unwrap();
        let copy = tempfile::tempdir().unwrap();
        if close {
            drop(kv);
            kv = open(dir.path());
        }
        copy_files(dir.path(), copy.path(), &[]).unwrap();
        drop(kv);
        let mut files: Vec<_> =
            std::fs::read_dir(copy.path()).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let path = &files[file.index(files.len())];
        let mut bytes = std::fs::read(path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 0x20;
        std::fs::write(path, bytes).unwrap();
        let note = copy.path().with_extension("note");
        let read = DiskKv::open(copy.path(), small()).map(|kv| kv.noting(note.clone())).and_then(|kv| {
            kv.scan(&[], &[0xff; 9]).collect::<Result<Model>>().inspect_err(|_| assert!(note.exists()))
        });
        let journal = path.extension().is_some_and(|ending| ending == "journal");
        match read {
            // The last batch of a journal may as well have been cut off.
            Ok(found) => prop_assert!(found == model || journal, "{path:?} at {at}"),
            Err(error) => {
                prop_assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
                DiskKv::mend(copy.path(), small()).unwrap();
                let mended = open(copy.path());
                for row in mended.scan(&[], &[0xff; 9]).flatten() {
                    prop_assert!(ever.contains(&(row.0, Some(row.1))));
                }
            }
        }
        let _ = std::fs::remove_file(note);
    }
}

#[test]
fn what_is_overwritten_gives_its_room_back() {
    let dir = tempfile::tempdir().unwrap();
    let kv = DiskKv::open(dir.path(), Shape { recent: 8 << 10, ..small() }).unwrap();
    let mut most = 0;
    for round in 0..200_u16 {
        for n in 0..40 {
            let noise = (0..100_u32).map(|m| (m * u32::from(n) * 31 + u32::from(round) * 7) as u8);
            let noise = noise.collect();
            kv.apply(Writes::from([(key(n), Some(noise))])).unwrap();
        }
        kv.flush().unwrap();
        most = most.max(kv.size().unwrap());
    }
    assert!(most < 200_000, "{most} bytes for 4 kB that were written 200 times");
    assert!(kv.compact().unwrap());
    assert!(kv.size().unwrap() < 12_000, "{}", kv.size().unwrap());
    assert_eq!(rows(&kv).len(), 40);
    assert!(!kv.compact().unwrap());
    (0..40).for_each(|n| kv.apply(Writes::from([(key(n), None)])).unwrap());
    kv.compact().unwrap();
    assert!(kv.size().unwrap() < 100, "{}", kv.size().unwrap());
}

#[test]
fn readers_see_what_stays_while_others_write() {
    let dir = tempfile::tempdir().unwrap();
    let kv = open(dir.path());
    let even = |n: u16| Writes::from([(key(n * 2), Some(vec![7; 20]))]);
    (0..400).for_each(|n| kv.apply(even(n)).unwrap());
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut rounds = 0;
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) || rounds == 0 {
                        let found = rows(&kv);
                        let even = found.iter().filter(|(_, value)| **value == [7; 20]);
                        assert_eq!(even.count(), 400);
                        rounds += 1;
                    }
                })
            })
            .collect();
        for round in 0..30_u16 {
            for n in 0..50 {
                let odd = key((n * 37 + round) % 400 * 2 + 1);
                let value = (round % 3 > 0).then(|| vec![round as u8; 30]);
                kv.apply(Writes::from([(odd, value)])).unwrap();
            }
            kv.compact().unwrap();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

#[test]
fn a_queue_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let kv = DiskKv::open(dir.path(), Shape { recent: 1 << 20, ..small() }).unwrap();
    for n in 0..1_000 {
        kv.apply(Writes::from([(key(n), Some(vec![1; 50]))])).unwrap();
        kv.apply(Writes::from([(key(n), None)])).unwrap();
    }
    assert!(kv.state().recent.is_empty());
    assert_eq!(kv.state().bytes, 0);
}

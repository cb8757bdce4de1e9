use std::os::unix::fs::FileExt;

use super::*;
use crate::store::embedded::format::{seal, unseal};
use crate::store::embedded::kv::Row;

const PAGE: usize = 4096;

#[test]
fn a_file_that_was_half_made_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let making = dir.path().join(MAKING);
    std::fs::write(&making, vec![0; PAGE]).unwrap();
    assert!(!is_map(dir.path()));
    let map = RedbKv::open(dir.path(), 1 << 20).unwrap();
    map.commit(Writes::from([(vec![1], Some(vec![2]))])).unwrap();
    drop(map);
    assert!(is_map(dir.path()) && !making.exists());
    let map = RedbKv::open(dir.path(), 1 << 20).unwrap();
    assert_eq!(map.get(&[1]).unwrap(), Some(vec![2]));
}

/// A process that only reads leaves a file that the next one opens without reading all of it.
#[test]
fn what_was_only_read_is_opened_at_once_after_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("map");
    let map = RedbKv::open(&folder, 1 << 20).unwrap();
    map.commit(Writes::from([(vec![1], Some(vec![2]))])).unwrap();
    drop(map);
    for crash in 0..3 {
        let map = RedbKv::open(&folder, 1 << 20).unwrap();
        assert_eq!(map.get(&[1]).unwrap(), Some(vec![2]));
        let killed = dir.path().join(format!("killed-{crash}"));
        files::copy_files(&folder, &killed, &[]).unwrap();
        let repaired = Arc::new(AtomicBool::new(false));
        let repairing = repaired.clone();
        let mut builder = Database::builder();
        builder.set_repair_callback(move |_| repairing.store(true, Ordering::Relaxed));
        drop(builder.create(killed.join(FILE)).unwrap());
        assert!(!repaired.load(Ordering::Relaxed), "crash {crash}");
    }
}

/// Whatever page is struck while the map is in use: a scan of everything ends with an error, or
/// gives every row as it was written.
#[test]
fn no_damage_shortens_a_scan_of_everything() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, struck) = (dir.path().join("whole"), dir.path().join("struck"));
    let rows: Vec<Row> = (0_u32..4_000)
        .map(|n| n.to_be_bytes().to_vec())
        .map(|key| (key.clone(), seal(&key, &[key[3]; 180])))
        .collect();
    let writes = rows.iter().map(|(key, value)| (key.clone(), Some(value.clone())));
    let map = RedbKv::open(&whole, 1 << 20).unwrap();
    map.apply(writes.collect()).unwrap();
    map.flush().unwrap();
    drop(map);
    let bytes = std::fs::read(whole.join(FILE)).unwrap();
    let other = |page: usize| (page * 7 + 3) % (bytes.len() / PAGE);
    let strikes: [&dyn Fn(usize) -> Vec<u8>; 3] = [
        &|_| vec![0x55; PAGE],
        &|_| vec![0; PAGE],
        // As if it had never been written there, or elsewhere.
        &|page| bytes[other(page) * PAGE..][..PAGE].to_vec(),
    ];
    let (mut met, mut harmless) = (0, 0);
    for (n, page) in (1..bytes.len() / PAGE).enumerate().filter(|(n, _)| n % 5 == 0) {
        files::remove(&struck).unwrap();
        files::copy_files(&whole, &struck, &[]).unwrap();
        // In debug builds redb reads all of a file when it opens it: nothing of that may be kept.
        let map = RedbKv::open(&struck, 0).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(struck.join(FILE)).unwrap();
        file.write_all_at(&strikes[n / 5 % 3](page), (page * PAGE) as u64).unwrap();
        let found: Result<Vec<Row>> = map.scan(&[], &[0xff; 64]).collect();
        let good = |row: &Row| unseal(&row.0, &row.1).is_ok();
        match found {
            Ok(found) if found.iter().all(good) => {
                assert!(found == rows, "page {page}: {} rows", found.len());
                harmless += 1;
            }
            _ => met += 1,
        }
    }
    assert!(met > 10, "{met} strikes met, {harmless} harmless");
}

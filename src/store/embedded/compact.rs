//! Writing a database anew without what it no longer needs. The copy is made beside the old one and takes its name when it is
//! whole; a crash at any instant leaves one of the two.
//!
//! Must not know: what the records hold.

use std::path::Path;

use super::abort::abort_point;
use super::files::{BEFORE, COMPACTED, COMPACTING, remove, rename};
use crate::store::Result;

/// Exchanges the files of a database that is in use: closes it, calls what it is given, opens it
/// again. `false`: it could not be closed.
pub type Exchange<'a> = dyn Fn(&dyn Fn() -> Result<()>) -> Result<bool> + 'a;

/// Copies the database `main` by `copy`, which is given the copy's path, and puts the copy in its
/// place. The caller holds the writer. `false`: the copy was made in vain, since readers did not
/// end in time.
pub fn compact(
    main: &Path,
    copy: &dyn Fn(&Path) -> Result<()>,
    exchange: &Exchange,
) -> Result<bool> {
    let [writing, whole, before] =
        [COMPACTING, COMPACTED, BEFORE].map(|ending| main.with_extension(ending));
    remove(&writing)?;
    remove(&whole)?;
    copy(&writing)?;
    abort_point("compact-copy");
    rename(&writing, &whole)?;
    abort_point("compact-whole");
    let swapped = exchange(&|| {
        rename(main, &before)?;
        abort_point("compact-aside");
        rename(&whole, main)?;
        abort_point("compact-swap");
        Ok(())
    })?;
    if !swapped {
        remove(&whole)?;
        return Ok(false);
    }
    remove(&before)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::embedded::kv::Kv;
    use crate::store::embedded::kv::Writes;
    use crate::store::embedded::moving::recover;
    use crate::store::embedded::redb::RedbKv;

    fn open(main: &Path) -> RedbKv {
        recover(main).unwrap();
        RedbKv::open(main, 16 << 20).unwrap()
    }

    fn put(kv: &RedbKv, n: u32, value: u8) {
        let key = n.to_be_bytes().to_vec();
        kv.apply(Writes::from([(key, Some(vec![value; 900]))])).unwrap();
    }

    fn rows(kv: &RedbKv) -> Vec<(Vec<u8>, Vec<u8>)> {
        kv.scan(&[], &[0xff; 5]).map(Result::unwrap).collect()
    }

    #[test]
    fn overwriting_grows_the_files_and_compaction_shrinks_them() {
        let dir = tempfile::tempdir().unwrap();
        let kv = open(&dir.path().join("main"));
        for round in 0..40 {
            (0..500).for_each(|n| put(&kv, n, round));
            kv.flush().unwrap();
        }
        let (before, size) = (rows(&kv), kv.size().unwrap());
        assert!(kv.compact().unwrap());
        assert_eq!(rows(&kv), before);
        assert!(kv.size().unwrap() < size, "{size} bytes became {}", kv.size().unwrap());
        put(&kv, 7, 99);
        kv.flush().unwrap();
        let after = rows(&kv);
        drop(kv);
        assert_eq!(rows(&open(&dir.path().join("main"))), after);
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn a_reader_sees_its_scan_to_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let kv = open(&dir.path().join("main"));
        (0..300).for_each(|n| put(&kv, n, 1));
        std::thread::scope(|scope| {
            let (begun, wait) = std::sync::mpsc::channel();
            let kv = &kv;
            let reader = scope.spawn(move || {
                let mut scan = kv.scan(&[], &[0xff; 5]);
                let first = scan.next().unwrap().unwrap();
                begun.send(()).unwrap();
                std::thread::sleep(Duration::from_millis(300));
                std::iter::once(first).chain(scan.map(Result::unwrap)).count()
            });
            wait.recv().unwrap();
            assert!(kv.compact().unwrap());
            assert_eq!(reader.join().unwrap(), 300);
        });
        assert_eq!(rows(&kv).len(), 300);
    }

    #[test]
    fn every_state_that_a_crash_leaves_is_settled() {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().join("main");
        let kv = open(&main);
        (0..50).for_each(|n| put(&kv, n, 1));
        kv.flush().unwrap();
        let expected = rows(&kv);
        drop(kv);
        let name = |ending: &str| main.with_extension(ending);
        // While copying.
        std::fs::create_dir_all(name(COMPACTING)).unwrap();
        assert_eq!(rows(&open(&main)), expected);
        // The copy is whole, main still has its name.
        std::fs::create_dir_all(name(COMPACTED)).unwrap();
        assert_eq!(rows(&open(&main)), expected);
        // Main is aside, the copy has not got its name.
        std::fs::rename(&main, name(COMPACTED)).unwrap();
        std::fs::create_dir_all(name(BEFORE)).unwrap();
        assert_eq!(rows(&open(&main)), expected);
        // Main is aside, and there is no copy.
        std::fs::rename(&main, name(BEFORE)).unwrap();
        assert_eq!(rows(&open(&main)), expected);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}

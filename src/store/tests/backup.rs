//! Copies of a store on disk: made beside its use, and taken back.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::build::*;
use super::upkeep::{dump, filled, opened};
use crate::store::*;

#[test]
fn a_backup_is_a_store_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let store = filled(&at("store"));
    store.backup(&at("copy")).unwrap();
    assert!(store.backup(&at("copy")).unwrap_err().to_string().contains("not empty"));
    let before = dump(&store);
    // Still in use, and changed since.
    add_article(&store, 13, 20, vec![row(13, "Acme", 20, 1, 0)], &[]);
    assert_ne!(dump(&store), before);

    restore(&at("copy"), &at("back")).unwrap();
    let back = opened(&at("back"));
    assert_eq!(dump(&back), before);
    clean(&back);
    drop(back);
    for (from, to) in [("nothing", "new"), ("copy", "store"), ("store", "new")] {
        assert!(restore(&at(from), &at(to)).is_err(), "{from} → {to}");
    }
    clean(&store);

    // Killed at any time: the files that there were by then.
    for (left, named) in
        [(&["articles"][..], false), (&["articles", "main.copying"], false), (&["main"], true)]
    {
        let cut = tempfile::tempdir().unwrap();
        for name in left {
            std::fs::create_dir(cut.path().join(name)).unwrap();
        }
        if named {
            std::fs::write(cut.path().join("main/rows.making"), "").unwrap();
        }
        let refused = restore(cut.path(), &at("of a cut one")).unwrap_err().to_string();
        assert!(refused.contains("cut short"), "{left:?}: {refused}");
        assert!(!at("of a cut one").exists(), "{left:?}");
    }
    std::fs::create_dir_all(at("half/articles/2026-05")).unwrap();
    std::fs::write(at("half/articles/2026-05/rows.making"), "").unwrap();
    let refused = restore(&at("copy"), &at("half")).unwrap_err().to_string();
    assert!(refused.contains("cut short"), "{refused}");

    let memory = memory();
    with_entries(&*memory, vec![entry(11, "a.test", 1)]);
    add_article(&*memory, 11, 20, Vec::new(), &[]);
    memory.backup(&at("kept")).unwrap();
    let kept = opened(&at("kept"));
    assert_eq!(dump(&kept), dump(&*memory));
    clean(&kept);
}

/// Every file below a directory with its contents.
fn files_under(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for file in std::fs::read_dir(dir).unwrap() {
        let path = file.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_under(&path)),
            false => drop(files.insert(path.clone(), std::fs::read(path).unwrap())),
        }
    }
    files
}

/// A backup on a medium that cannot be written could not be restored.
#[test]
fn a_restore_leaves_the_backup_as_it_is_and_nothing_where_it_fails() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    filled(&at("store")).backup(&at("copy")).unwrap();
    let before = files_under(&at("copy"));
    restore(&at("copy"), &at("back")).unwrap();
    assert!(files_under(&at("copy")) == before, "it was written to");

    // One that is not whole is told, and makes no room for itself.
    let (month, aside) = (at("copy/articles/2026-11"), at("month"));
    std::fs::rename(&month, &aside).unwrap();
    let refused = restore(&at("copy"), &at("new")).unwrap_err().to_string();
    assert!(refused.contains("the backup") && refused.contains("2026-11"), "{refused}");
    std::fs::create_dir(&month).unwrap();
    std::fs::write(month.join("rows.redb"), b"not a database").unwrap();
    restore(&at("copy"), &at("new")).unwrap_err();
    std::fs::remove_dir_all(&month).unwrap();
    std::fs::rename(&aside, &month).unwrap();
    restore(&at("copy"), &at("new")).unwrap();
    clean(&opened(&at("new")));
}

/// A backup that was refused closed a web site to its readers.
#[test]
fn files_of_others_stay_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let shared = ["site/articles/one.html", "site/search/index.html", "site/main.css"];
    for file in shared {
        std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        std::fs::write(at(file), "x").unwrap();
    }
    let open_to_all = |name: &str, mode| {
        std::fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
    };
    shared.iter().for_each(|file| open_to_all(file, 0o644));
    let folders = ["site", "site/articles", "site/search"];
    folders.iter().for_each(|folder| open_to_all(folder, 0o755));
    let is_open = |name: &&str| at(name).metadata().unwrap().permissions().mode() & 0o004 != 0;

    let refused = filled(&at("store")).backup(&at("site")).unwrap_err().to_string();
    assert!(refused.contains("is not empty"), "{refused}");
    assert!(shared.iter().chain(&folders).all(is_open));
    // A store beside them closes what is its own.
    std::fs::remove_dir_all(at("site/articles")).unwrap();
    drop(filled(&at("site")));
    drop(opened(&at("site")));
    assert!(is_open(&"site") && is_open(&"site/main.css"));
    assert!(!is_open(&"site/main") && !is_open(&"site/format"));
}

//! What only a database does that several processes share, and that can be out of reach: answers that are lost,
//! and two who want the same at once.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::build::*;
use super::postgres::{database, opened};
use crate::model::*;
use crate::store::decision::{Change, Topic};
use crate::store::transfer::Item;
use crate::store::*;

/// Between a store and its database: whoever asks for a transaction to be committed does not hear that it was, as
/// often as is said to the counter.
fn deaf(url: &str) -> (String, Arc<AtomicUsize>) {
    fn pump(mut from: UnixStream, mut to: UnixStream, mut passes: impl FnMut(&[u8]) -> bool) {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            if !passes(&bytes[..n]) || to.write_all(&bytes[..n]).is_err() {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }
    const SOCKET: &str = ".s.PGSQL.5432";
    let (before, rest) = url.split_once('@').unwrap();
    let (server, database) = rest.split_once('/').unwrap();
    let server = std::path::PathBuf::from(server.replace("%2F", "/")).join(SOCKET);
    let dir = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(dir.path().join(SOCKET)).unwrap();
    let host = dir.path().to_str().unwrap().replace('/', "%2F");
    let unheard = Arc::new(AtomicUsize::new(0));
    let all = unheard.clone();
    std::thread::spawn(move || {
        let _dir = dir;
        for one in listener.incoming().flatten() {
            let other = UnixStream::connect(&server).unwrap();
            let lost = Arc::new(AtomicBool::new(false));
            let (up, down) = (one.try_clone().unwrap(), other.try_clone().unwrap());
            let (left, loses) = (all.clone(), lost.clone());
            std::thread::spawn(move || {
                pump(up, other, |bytes| {
                    let less = |n: usize| n.checked_sub(1);
                    if bytes.windows(7).any(|seen| seen == b"COMMIT\0")
                        && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
                    {
                        loses.store(true, Ordering::SeqCst);
                    }
                    true
                })
            });
            std::thread::spawn(move || pump(down, one, |_| !lost.load(Ordering::SeqCst)));
        }
    });
    (format!("{before}@{host}/{database}"), unheard)
}

#[test]
fn what_was_committed_unheard_is_done_once_and_told() {
    let url = database();
    let store = opened(&url, 0);
    with_entries(&store, (11..13).map(|n| entry(n, "a.test", 1)).collect());
    let (way, unheard) = deaf(&url);
    let far = opened(&way, 0);
    let lose = || unheard.store(1, Ordering::SeqCst);
    let said = super::decisions::decision(1, Topic::Note);
    let note = super::notes::note(20, 1);
    lose();
    assert_eq!(far.change(Change::Note(&note), Some(&said)).unwrap(), 1);
    lose();
    assert_eq!(far.change(Change::NoteRemoved(&note.id), None).unwrap(), 1);
    assert_eq!(store.notes().unwrap(), []);
    lose();
    assert_eq!(far.add_feeds(&[feed(2, "b.test")]).unwrap(), [true]);
    lose();
    assert_eq!(far.change(Change::Alert(&super::alerts::alert("acme")), None).unwrap(), 1);
    add_article(&store, 11, 20, vec![row(11, "Acme", 20, 1, 0)], &[]);
    lose();
    assert_eq!(far.forget(&[store.url(id(11)).unwrap().unwrap()], &[]).unwrap(), 1);
    assert_eq!(unheard.load(Ordering::SeqCst), 0);
    // A batch, too: nobody has to find out afterwards what became of it.
    lose();
    add_article(&far, 12, 20, vec![row(12, "Acme", 20, 1, 0)], &[]);
    let mut log = 0;
    store
        .decisions(None, &mut |_| {
            log += 1;
            true
        })
        .unwrap();
    assert_eq!(log, 1);
    clean(&store);
}

#[test]
fn of_two_that_are_taken_over_at_once_one_is_refused() {
    let url = database();
    let (one, two) = (opened(&url, 0), opened(&url, 0));
    let value = || Ok(Item::Value { name: "zone".to_owned(), value: Bytes(b"UTC".to_vec()) });
    let mut other = None;
    let mut items = std::iter::once_with(|| {
        other = Some(two.import(&mut std::iter::once(value())));
        value()
    });
    assert_eq!(one.import(&mut items).unwrap(), 1);
    let refused = other.unwrap().unwrap_err().to_string();
    assert!(refused.contains("being taken over"), "{refused}");
    clean(&one);
}

//! A second copy of what operators decided, in plain text: the log of decisions, and what they come
//! down to: feeds, brands, rules about outlets, what is to be forgotten. One JSON line each, appended
//! before the main database changes, so that `crawler repair` knows them even if nothing of main can be
//! read.
//!
//! Must not know: the main database.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{DECISIONS, NEW};
use crate::model::*;
use crate::store::decision::Decision;
use crate::store::rules::decisions::KEPT;
use crate::store::rules::entries::tombstone;
use crate::store::{OutletRule, Result, StoreError};

/// Longest line that is read: a brand list of many thousand names fits.
const LONGEST_LINE: u64 = 64 << 20;
/// A file with fewer lines is never written anew.
const FEW_LINES: usize = 10_000;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// A feed is known, with this status; what else is known of it is learned again by polling.
    Feed(KeptFeed),
    FeedRemoved(UrlKey),
    /// The watched brands.
    Brands(BrandSet),
    Outlet(String, OutletRule),
    /// A tombstone.
    Forgotten(Box<UrlRecord>),
    /// What an alert waits for.
    Alert(Box<AlertRule>),
    AlertRemoved(String),
    Note(Box<Note>),
    NoteRemoved(String),
    /// An entry of the log.
    Decided(Box<Decision>),
}

/// The part of a feed that cannot be learned again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptFeed {
    pub key: UrlKey,
    pub url: String,
    pub outlet: String,
    pub pace_key: String,
    pub group: Option<String>,
    pub status: FeedStatus,
    pub added: Millis,
    /// A page of headlines: nothing but this tells it from a feed.
    #[serde(default)]
    pub section: bool,
    /// See [`Provenance::parent`].
    #[serde(default)]
    pub parent: Option<UrlKey>,
    /// See [`Provenance::told`].
    #[serde(default)]
    pub told: bool,
    /// See [`Provenance::speaks_for`]; only where it is not learned.
    #[serde(default)]
    pub speaks_for: Option<String>,
}

impl KeptFeed {
    pub fn of(feed: &Feed) -> KeptFeed {
        KeptFeed {
            key: feed.key,
            url: feed.url.clone(),
            outlet: feed.outlet.clone(),
            pace_key: feed.pace_key.clone(),
            group: feed.group.clone(),
            status: feed.status,
            added: feed.added,
            section: feed.format == Some(FeedFormat::Section),
            parent: feed.provenance.parent,
            told: feed.provenance.told,
            speaks_for: feed.provenance.speaks_for.clone().filter(|_| feed.provenance.told),
        }
    }

    /// The feed as if it had never been polled, due at `now`.
    pub fn feed(self, now: Millis) -> Feed {
        Feed {
            key: self.key,
            url: self.url,
            outlet: self.outlet,
            pace_key: self.pace_key,
            group: self.group,
            title: None,
            language: None,
            format: self.section.then_some(FeedFormat::Section),
            status: self.status,
            added: self.added,
            poll: PollState { next: now, ..PollState::default() },
            provenance: Provenance {
                parent: self.parent,
                told: self.told,
                speaks_for: self.speaks_for,
                ..Provenance::default()
            },
        }
    }
}

/// What all lines come down to.
#[derive(Debug, Default)]
pub struct Decided {
    /// Those that were removed, too.
    pub feeds: BTreeMap<UrlKey, KeptFeed>,
    pub brands: Option<BrandSet>,
    pub outlets: BTreeMap<String, OutletRule>,
    pub forgotten: BTreeMap<UrlKey, UrlRecord>,
    /// `None`: it was removed.
    pub alerts: BTreeMap<String, Option<AlertRule>>,
    /// By id; `None`: it was removed.
    pub notes: BTreeMap<String, Option<Note>>,
    /// The log, oldest first.
    pub log: Vec<Decision>,
    pub lines: usize,
    /// Lines that are none: cut short by a crash, or damaged.
    pub unreadable: usize,
}

impl Decided {
    fn add(&mut self, line: Line) {
        match line {
            Line::Feed(feed) => {
                self.feeds.insert(feed.key, feed);
            }
            Line::FeedRemoved(key) => {
                if let Some(feed) = self.feeds.get_mut(&key) {
                    feed.status = FeedStatus::Removed;
                }
            }
            Line::Brands(set) => self.brands = Some(set),
            Line::Outlet(outlet, rule) => {
                self.outlets.insert(outlet, rule);
            }
            Line::Forgotten(record) => {
                // Older lines have the address still.
                self.forgotten.insert(record.key, tombstone(*record));
            }
            Line::Alert(rule) => {
                self.alerts.insert(rule.name.clone(), Some(*rule));
            }
            Line::AlertRemoved(name) => {
                self.alerts.insert(name, None);
            }
            Line::Note(note) => {
                self.notes.insert(note.id.clone(), Some(*note));
            }
            Line::NoteRemoved(id) => {
                self.notes.insert(id, None);
            }
            Line::Decided(decision) => self.log.push(*decision),
        }
    }

    fn lines_needed(&self) -> usize {
        let decided = self.feeds.len() + self.outlets.len() + self.forgotten.len();
        decided + self.alerts.len() + self.notes.len() + self.log.len() + 1
    }
}

/// The file of one store.
pub struct Decisions {
    path: PathBuf,
}

impl Decisions {
    pub fn new(dir: &Path) -> Decisions {
        Decisions { path: dir.join(DECISIONS) }
    }

    fn io(&self, source: std::io::Error) -> StoreError {
        StoreError::Io { what: format!("file {}", self.path.display()), source }
    }

    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Everything decided so far; lines that cannot be read are counted and skipped.
    pub fn read(&self) -> Result<Decided> {
        let mut decided = Decided::default();
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(decided),
            Err(e) => return Err(self.io(e)),
        };
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|e| self.io(e))? == 0 {
                decided.log = kept(decided.log);
                return Ok(decided);
            }
            decided.lines += 1;
            match serde_json::from_slice(&line) {
                Ok(line) => decided.add(line),
                Err(_) => decided.unreadable += 1,
            }
        }
    }

    /// Appends lines. Not synced: a copy need not outlive a power cut that main outlives. Returns how long the file was,
    /// for [`Decisions::take_back`]; `None`: there are no lines.
    pub fn append(&self, lines: &[Line]) -> Result<Option<u64>> {
        if lines.is_empty() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut bytes, line)
                .map_err(|e| StoreError::Other(format!("a decision cannot be written: {e}")))?;
            bytes.push(b'\n');
        }
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&self.path)
            .map_err(|e| self.io(e))?;
        if !ends_with_newline(&mut file).map_err(|e| self.io(e))? {
            bytes.insert(0, b'\n');
        }
        let length = file.metadata().map_err(|e| self.io(e))?.len();
        file.write_all(&bytes).map_err(|e| {
            self.take_back(length);
            self.io(e)
        })?;
        Ok(Some(length))
    }

    /// Makes the file so long again as it was before an order that main refused: else a repair would carry it out.
    pub fn take_back(&self, length: u64) {
        let cut = OpenOptions::new().write(true).open(&self.path).and_then(|f| f.set_len(length));
        if let Err(error) = cut {
            let path = self.path.display();
            tracing::error!(%path, %error, "an order that was refused stands in the second copy of decisions");
        }
    }

    /// Writes the file anew if most of its lines are overtaken by later ones.
    pub fn tidy(&self) -> Result<()> {
        let lines = count_lines(&self.path).map_err(|e| self.io(e))?;
        if lines <= FEW_LINES {
            return Ok(());
        }
        let decided = self.read()?;
        if decided.lines / 2 <= decided.lines_needed() {
            return Ok(());
        }
        let all = decided
            .brands
            .into_iter()
            .map(Line::Brands)
            .chain(decided.feeds.into_values().map(Line::Feed))
            .chain(decided.outlets.into_iter().map(|(o, rule)| Line::Outlet(o, rule)))
            .chain(decided.forgotten.into_values().map(|r| Line::Forgotten(Box::new(r))))
            .chain(decided.alerts.into_values().flatten().map(|rule| Line::Alert(Box::new(rule))))
            .chain(decided.notes.into_values().flatten().map(|note| Line::Note(Box::new(note))))
            .chain(decided.log.into_iter().map(|entry| Line::Decided(Box::new(entry))));
        self.replace(all)
    }

    /// Replaces the whole file, at once.
    pub fn replace(&self, all: impl Iterator<Item = Line>) -> Result<()> {
        let new = self.path.with_extension(NEW);
        let write = || -> std::io::Result<()> {
            let mut out = BufWriter::new(File::create(&new)?);
            for line in all {
                out.write_all(&serde_json::to_vec(&line)?)?;
                out.write_all(b"\n")?;
            }
            out.into_inner()?.sync_all()?;
            std::fs::rename(&new, &self.path)
        };
        write().map_err(|e| self.io(e))
    }
}

/// The log without the entries that have left it.
fn kept(mut log: Vec<Decision>) -> Vec<Decision> {
    let leave = log.len().saturating_sub(usize::try_from(KEPT).unwrap_or(usize::MAX));
    let mut at = 0;
    log.retain(|decision| {
        at += 1;
        at > leave || decision.topic.lasts()
    });
    log
}

/// Is the file empty, or its last line complete?
fn ends_with_newline(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn count_lines(path: &Path) -> std::io::Result<usize> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(e) => return Err(e),
    };
    let mut buffer = vec![0; 1 << 16];
    let mut lines = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(lines),
            n => lines += memchr::memchr_iter(b'\n', buffer.get(..n).unwrap_or_default()).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::Embedded;
    use crate::store::embedded::kv::{Kv, Rows, Writes};
    use crate::store::embedded::ram::RamKv;
    use crate::store::{Control as _, Settings};

    /// A map on a full disk.
    struct Full(RamKv);

    impl Kv for Full {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
            self.0.get(key)
        }
        fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
            self.0.scan(from, to)
        }
        fn apply(&self, _: Writes) -> Result<()> {
            Err(StoreError::Other("no storage space".to_owned()))
        }
        fn flush(&self) -> Result<()> {
            Ok(())
        }
        fn size(&self) -> Result<u64> {
            self.0.size()
        }
        fn place(&self) -> String {
            self.0.place()
        }
    }

    /// The next repair carried it out.
    #[test]
    fn an_order_that_main_refuses_is_in_no_copy() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Embedded::open(dir.path(), &Settings::default()).unwrap();
        let paused = |until| OutletRule { paused_until: Some(until), ..OutletRule::default() };
        store.set_outlet_rule("a.test", &paused(9)).unwrap();
        store.kv = Box::new(Full(RamKv::default()));
        store.set_outlet_rule("a.test", &paused(10)).unwrap_err();
        store.set_outlet_rule("b.test", &paused(10)).unwrap_err();
        let decided = store.decisions.as_ref().unwrap().read().unwrap();
        assert_eq!((decided.unreadable, decided.outlets.len()), (0, 1));
        assert_eq!(decided.outlets["a.test"], paused(9));
    }

    fn feed(n: u128, status: FeedStatus) -> Line {
        Line::Feed(KeptFeed {
            key: UrlKey(n),
            url: format!("https://a.test/{n}"),
            outlet: "a.test".to_owned(),
            pace_key: "a.test".to_owned(),
            group: None,
            status,
            added: 5,
            section: false,
            parent: None,
            told: false,
            speaks_for: None,
        })
    }

    #[test]
    fn the_last_word_counts_and_a_torn_line_hurts_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let decisions = Decisions::new(dir.path());
        assert!(!decisions.exists());
        let pause = OutletRule { paused_until: Some(9), ..OutletRule::default() };
        let set = BrandSet { version: "v1".to_owned(), ..BrandSet::default() };
        decisions.append(&[feed(1, FeedStatus::Active), feed(2, FeedStatus::Active)]).unwrap();
        decisions.append(&[feed(2, FeedStatus::Paused), Line::Brands(set.clone())]).unwrap();
        let torn = OpenOptions::new().append(true).open(dir.path().join(DECISIONS));
        torn.unwrap().write_all(b"{\"feed\":{\"key\":").unwrap();
        decisions
            .append(&[
                Line::FeedRemoved(UrlKey(1)),
                Line::Outlet("a.test".to_owned(), pause.clone()),
            ])
            .unwrap();
        let decided = decisions.read().unwrap();
        assert_eq!((decided.lines, decided.unreadable), (7, 1));
        assert_eq!(decided.feeds[&UrlKey(1)].status, FeedStatus::Removed);
        assert_eq!(decided.feeds[&UrlKey(2)].status, FeedStatus::Paused);
        assert_eq!(decided.brands, Some(set));
        assert_eq!(decided.outlets["a.test"], pause);
    }

    #[test]
    fn a_long_file_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let decisions = Decisions::new(dir.path());
        let many: Vec<Line> =
            (0..FEW_LINES as u128 + 1).map(|n| feed(n % 10, FeedStatus::Active)).collect();
        decisions.append(&many).unwrap();
        decisions.tidy().unwrap();
        let decided = decisions.read().unwrap();
        assert_eq!((decided.lines, decided.feeds.len()), (10, 10));
    }
}

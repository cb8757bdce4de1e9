//! Article records and vectors: one database per calendar month of arrival, opened when first needed, only
//! ever appended to. The records are the truth that main can be rebuilt from.
//!
//! Must not know: the main database.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use zstd::bulk::{Compressor, Decompressor};

use super::files::{self, SUSPECT};
use super::format::{
    LEAVING, Leaving, Month, VECTORS, decode, kept_key, seal, unseal, vector_key, vector_of_key,
};
use super::journaled::Journaled;
use super::kv::{Kv, Row, Writes, end_of};
use super::moving::open_moved;
use super::ram::RamKv;
use super::redb::{RedbKv, is_map, length};
use crate::model::{ArticleRecord, Millis, UrlKey};
use crate::store::{Result, Settings, StoreError};

/// Trained dictionaries in the order of their numbers, from 1. A record says which one it needs,
/// so none is ever removed; 0 is none.
const DICTIONARIES: [&[u8]; 0] = [];

/// A page is at most 10 MiB; a record is less than a few times that.
const LARGEST_RECORD: usize = 256 << 20;

/// Bytes of a month's cache.
pub fn cache(settings: &Settings) -> u64 {
    settings.article_cache_mib.max(1) << 20
}

/// Opens a month's map. Damage that is met now or later is noted in its folder, and goes with it.
fn open_noting(path: &Path, cache: u64) -> Result<RedbKv> {
    let note = path.join(SUSPECT);
    let map = open_moved(path, cache).inspect_err(|error| {
        if let StoreError::Corrupt { detail, .. } = error {
            // The caller hears of it anyway.
            let _ = std::fs::write(&note, detail);
        }
    })?;
    Ok(map.noting(note))
}

#[derive(Default)]
struct Open {
    /// Most recently used last.
    months: Vec<(Month, Arc<dyn Kv>)>,
    /// They are being opened or closed, which takes a while: whoever wants one of them waits, and nobody else.
    busy: BTreeSet<Month>,
}

/// Months that are busy until it goes out of scope.
struct Busy<'a> {
    of: &'a Months,
    months: Vec<Month>,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut open = self.of.lock();
        open.busy.retain(|month| !self.months.contains(month));
        self.of.settled.notify_all();
    }
}

pub struct Months {
    /// `None`: everything in memory, nothing is ever closed.
    dir: Option<PathBuf>,
    settings: Settings,
    open: Mutex<Open>,
    /// Rung when a month is busy no more.
    settled: Condvar,
    /// Its tables take longer to set up than to use on one article; `None` before the first.
    compressor: Mutex<Option<Compressor<'static>>>,
    /// Months that said that they have no texts: they are not opened to hear it again.
    textless: Mutex<BTreeSet<Month>>,
}

impl Months {
    pub fn new(dir: Option<&Path>, settings: &Settings) -> Months {
        let dir = dir.map(Path::to_owned);
        let (settings, open) = (settings.clone(), Mutex::default());
        let (settled, compressor, textless) = (Condvar::new(), Mutex::new(None), Mutex::default());
        Months { dir, settings, open, settled, compressor, textless }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, when nobody is opening or closing this month.
    fn settled(&self, month: Month) -> MutexGuard<'_, Open> {
        let mut open = self.lock();
        while open.busy.contains(&month) {
            open = self.settled.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        open
    }

    /// The database of a month; `None` if there is none and `create` is false.
    pub fn month(&self, month: Month, create: bool) -> Result<Option<Arc<dyn Kv>>> {
        let mut open = self.settled(month);
        if let Some(at) = open.months.iter().position(|(m, _)| *m == month) {
            let entry = open.months.remove(at);
            let kv = entry.1.clone();
            open.months.push(entry);
            return Ok(Some(kv));
        }
        let Some(dir) = &self.dir else {
            if !create {
                return Ok(None);
            }
            let kv: Arc<dyn Kv> = Arc::new(RamKv::default());
            open.months.push((month, kv.clone()));
            return Ok(Some(kv));
        };
        let path = dir.join(month.to_string());
        if !create && !path.exists() {
            return Ok(None);
        }
        // Only databases that nobody is reading may close: they could not be reopened. Those that are being
        // opened will be there, too.
        let mut closing = Vec::new();
        while open.months.len() + open.busy.len() >= self.settings.open_months.max(1) {
            match open.months.iter().position(|(_, kv)| Arc::strong_count(kv) == 1) {
                Some(at) => closing.push(open.months.remove(at)),
                None => break,
            }
        }
        let opening = Busy { of: self, months: vec![month] };
        let ending = Busy { of: self, months: closing.iter().map(|(month, _)| *month).collect() };
        open.busy.extend(opening.months.iter().chain(&ending.months));
        drop(open);
        drop(closing);
        drop(ending);
        let map = open_noting(&path, cache(&self.settings))?;
        let kv: Arc<dyn Kv> = Arc::new(Journaled::over(map, self.settings.flush_every.duration()));
        self.lock().months.push((month, kv.clone()));
        drop(opening);
        Ok(Some(kv))
    }

    /// Closes a month's database, if nobody is reading it.
    pub fn close(&self, month: Month) {
        self.settled(month).months.retain(|(m, _)| *m != month);
    }

    /// Closes every database that nobody is reading, and with it its cache; it is opened again when it is
    /// needed.
    pub fn trim(&self) {
        if self.dir.is_some() {
            self.lock().months.retain(|(_, kv)| Arc::strong_count(kv) > 1);
        }
    }

    /// Is it known that a month cannot be read whole, by its files or by what was met in use?
    pub fn is_damaged(&self, month: Month) -> bool {
        let Some(dir) = &self.dir else { return false };
        let path = dir.join(month.to_string());
        length::is_odd(&path) || path.join(SUSPECT).exists()
    }

    /// Are a month's files there, and is nothing known against them?
    pub fn is_in_place(&self, month: Month) -> bool {
        let Some(dir) = &self.dir else { return true };
        is_map(&dir.join(month.to_string())) && !self.is_damaged(month)
    }

    /// Reads all of a month in which damage was met. Is it whole by now, since it was put back?
    pub fn is_whole_again(&self, month: Month) -> bool {
        let Some(dir) = &self.dir else { return false };
        let path = dir.join(month.to_string());
        let note = path.join(SUSPECT);
        if !note.exists() || !is_map(&path) || length::is_odd(&path) {
            return false;
        }
        self.close(month);
        let read = RedbKv::open_checked(&path, cache(&self.settings))
            .and_then(|kv| kv.scan(&[], &[0xff; 64]).try_for_each(|row| row.map(drop)));
        match read {
            Ok(()) => true,
            Err(StoreError::Corrupt { .. }) => false,
            // One month does not keep the whole store closed.
            Err(error) => {
                tracing::warn!(
                    "nobody knows whether the articles of {month} are whole again: {error}"
                );
                false
            }
        }
    }

    /// Forgets that damage was met in a month: all of it was read.
    pub fn forget_damage(&self, month: Month) -> Result<()> {
        let Some(dir) = &self.dir else { return Ok(()) };
        let note = dir.join(month.to_string()).join(SUSPECT);
        match std::fs::remove_file(&note) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::Io { what: format!("file {}", note.display()), source })
            }
            _ => Ok(()),
        }
    }

    /// Every month there is, in order.
    pub fn all(&self) -> Result<Vec<Month>> {
        let mut months: Vec<Month> = match &self.dir {
            None => self.lock().months.iter().map(|(m, _)| *m).collect(),
            Some(dir) => match std::fs::read_dir(dir) {
                Ok(files) => files
                    .flatten()
                    .filter_map(|f| f.file_name().to_str().and_then(|n| n.parse().ok()))
                    .collect(),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
                Err(source) => {
                    let what = format!("article directory {}", dir.display());
                    return Err(StoreError::Io { what, source });
                }
            },
        };
        months.sort();
        Ok(months)
    }

    /// Appends records; they are durable when it returns.
    pub fn commit(&self, records: Vec<(Month, Writes)>) -> Result<()> {
        for (month, writes) in records {
            if writes.contains_key(&LEAVING[..]) {
                self.textless().remove(&month);
            }
            if let Some(kv) = self.month(month, true)? {
                kv.commit(writes)?;
            }
        }
        Ok(())
    }

    fn textless(&self) -> MutexGuard<'_, BTreeSet<Month>> {
        self.textless.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first month before this one that may have texts and is not damaged. The caller holds the writer.
    pub fn with_texts(&self, before: Month) -> Result<Option<Month>> {
        for month in self.all()?.into_iter().take_while(|month| *month < before) {
            if self.textless().contains(&month) || self.is_damaged(month) {
                continue;
            }
            // One that does not open says so to whoever wants its texts.
            if self.leaving(month).is_ok_and(|leaving| leaving == Leaving::Done) {
                self.textless().insert(month);
                continue;
            }
            return Ok(Some(month));
        }
        Ok(None)
    }

    /// How far the texts of a month have left. What cannot be read begins anew.
    pub fn leaving(&self, month: Month) -> Result<Leaving> {
        let Some(kv) = self.month(month, false)? else { return Ok(Leaving::default()) };
        let noted = kv.get(&LEAVING)?;
        Ok(noted.and_then(|value| decode(&LEAVING, &value).ok()).unwrap_or_default())
    }

    /// Appends records of one month; durable after [`Months::flush`].
    pub fn append(&self, month: Month, writes: Writes) -> Result<()> {
        match self.month(month, true)? {
            Some(kv) => kv.apply(writes),
            None => Ok(()),
        }
    }

    /// Erases one article's record and vector; durable after [`Months::flush`].
    pub fn erase(&self, month: Month, key: UrlKey) -> Result<()> {
        let Some(kv) = self.month(month, false)? else { return Ok(()) };
        let at = key.0.to_be_bytes();
        let mut writes = Writes::from([(at.to_vec(), None), (kept_key(key), None)]);
        match kv.get(&at)?.map(|value| unpack(key, &value)) {
            Some(Ok(record)) => {
                writes.insert(vector_key(record.published.at, key), None);
            }
            // One that cannot be read does not say where its vector stands.
            Some(Err(_)) => {
                for row in kv.scan(&VECTORS, &end_of(&VECTORS)) {
                    let (at, _) = row?;
                    if vector_of_key(&at).is_some_and(|(_, id)| id == key) {
                        writes.insert(at, None);
                    }
                }
            }
            None => {}
        }
        kv.apply(writes)
    }

    pub fn flush(&self, months: &[Month]) -> Result<()> {
        for month in months {
            if let Some(kv) = self.month(*month, false)? {
                kv.flush()?;
            }
        }
        Ok(())
    }

    /// One article's record; `None` if the month has none of that key.
    pub fn get(&self, month: Month, key: UrlKey) -> Result<Option<ArticleRecord>> {
        let Some(kv) = self.month(month, false)? else { return Ok(None) };
        let Some(value) = kv.get(&key.0.to_be_bytes())? else { return Ok(None) };
        unpack(key, &value).map(Some).map_err(|e| StoreError::Corrupt {
            path: kv.place(),
            detail: format!("article {key} {e}"),
        })
    }

    /// The vector of an article published `at`; `None` if the month has none.
    pub fn vector(&self, month: Month, key: UrlKey, at: Millis) -> Result<Option<Vec<u8>>> {
        let Some(kv) = self.month(month, false)? else { return Ok(None) };
        let at = vector_key(at, key);
        let Some(value) = kv.get(&at)? else { return Ok(None) };
        unseal(&at, &value).map(|bytes| Some(bytes.to_vec())).map_err(|e| StoreError::Corrupt {
            path: kv.place(),
            detail: format!("the vector of the article {key} {e}"),
        })
    }

    /// The first rows of vectors from this key on, `most` at most, as they lie there.
    pub fn vector_rows(&self, month: Month, from: &[u8], most: usize) -> Result<Vec<Row>> {
        match self.month(month, false)? {
            Some(kv) => kv.scan(from, &end_of(&VECTORS)).take(most).collect(),
            None => Ok(Vec::new()),
        }
    }

    pub fn size(&self) -> Result<u64> {
        match &self.dir {
            Some(dir) => Ok(files::bytes_under(dir)),
            None => self.lock().months.iter().map(|(_, kv)| kv.size()).sum(),
        }
    }

    /// Bytes of one month on disk; 0 in memory, where nothing is given back.
    pub fn size_of(&self, month: Month) -> u64 {
        self.dir.as_ref().map_or(0, |dir| files::bytes_under(&dir.join(month.to_string())))
    }

    /// A record as it lies in its month: number of the dictionary, length, zstd frame.
    pub fn pack(&self, record: &ArticleRecord) -> Result<Vec<u8>> {
        let fail =
            |e: String| StoreError::Other(format!("article {} cannot be written: {e}", record.key));
        let plain = postcard::to_stdvec(record).map_err(|e| fail(e.to_string()))?;
        if plain.len() > LARGEST_RECORD {
            return Err(fail(format!("{} bytes are too many", plain.len())));
        }
        let frame = self.compress(&plain).map_err(|e| fail(e.to_string()))?;
        let mut payload = vec![u8::try_from(DICTIONARIES.len()).unwrap_or(u8::MAX)];
        payload.extend((plain.len() as u32).to_be_bytes());
        payload.extend(frame);
        Ok(seal(&record.key.0.to_be_bytes(), &payload))
    }

    fn compress(&self, plain: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut kept = self.compressor.lock().unwrap_or_else(PoisonError::into_inner);
        let mut compressor = match kept.take() {
            Some(compressor) => compressor,
            None => {
                let dictionary = DICTIONARIES.last().copied().unwrap_or_default();
                Compressor::with_dictionary(self.settings.zstd_level, dictionary)?
            }
        };
        let frame = compressor.compress(plain)?;
        // One that failed is not used again.
        *kept = Some(compressor);
        Ok(frame)
    }
}

thread_local! {
    /// Its tables take longer to set up than to use on one article. One that failed is not used again.
    static DECOMPRESSOR: Cell<Option<Decompressor<'static>>> = const { Cell::new(None) };
}

fn decompress(dictionary: &[u8], frame: &[u8], length: usize) -> std::io::Result<Vec<u8>> {
    if !dictionary.is_empty() {
        return Decompressor::with_dictionary(dictionary)?.decompress(frame, length);
    }
    let mut decompressor = match DECOMPRESSOR.take() {
        Some(decompressor) => decompressor,
        None => Decompressor::new()?,
    };
    let plain = decompressor.decompress(frame, length)?;
    DECOMPRESSOR.set(Some(decompressor));
    Ok(plain)
}

/// A record from its bytes, or what is wrong with them.
pub fn unpack(key: UrlKey, value: &[u8]) -> std::result::Result<ArticleRecord, String> {
    let payload = unseal(&key.0.to_be_bytes(), value)?;
    let Some(([number, length @ ..], frame)) = payload.split_first_chunk::<5>() else {
        return Err("is cut off".to_owned());
    };
    let dictionary = match usize::from(*number).checked_sub(1) {
        None => &[][..],
        Some(at) => DICTIONARIES
            .get(at)
            .copied()
            .ok_or_else(|| format!("needs dictionary {number}, which this crawler lacks"))?,
    };
    let length = u32::from_be_bytes(*length) as usize;
    if length > LARGEST_RECORD {
        return Err(format!("claims {length} bytes"));
    }
    let mut plain =
        decompress(dictionary, frame, length).map_err(|e| format!("does not decompress: {e}"))?;
    // Records of earlier versions end before the memory: with one byte more they say that they have none.
    plain.push(0);
    postcard::from_bytes(&plain).map_err(|e| format!("does not decode: {e}"))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn month(text: &str) -> Month {
        text.parse().unwrap()
    }

    #[test]
    fn whoever_wants_another_month_does_not_wait_for_one_that_opens() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { open_months: 2, ..Settings::default() };
        let months = Months::new(Some(dir.path()), &settings);
        let (slow, other) = (month("2026-10"), month("2026-11"));
        months.month(other, true).unwrap().unwrap();
        months.lock().busy.insert(slow);
        let opening = Busy { of: &months, months: vec![slow] };
        std::thread::scope(|scope| {
            let (said, heard) = mpsc::channel();
            let months = &months;
            scope.spawn(move || {
                months.month(slow, true).unwrap().unwrap();
                said.send(()).unwrap();
            });
            assert!(months.month(other, false).unwrap().is_some());
            assert!(heard.recv_timeout(Duration::from_millis(50)).is_err(), "it waits");
            drop(opening);
            heard.recv().unwrap();
        });
        assert!(months.lock().busy.is_empty());
        assert_eq!(months.lock().months.len(), 2);
    }

    #[test]
    fn one_that_cannot_be_opened_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let months = Months::new(Some(dir.path()), &Settings::default());
        std::fs::write(dir.path().join("2026-11"), "no folder").unwrap();
        for _ in 0..2 {
            assert!(months.month(month("2026-11"), true).is_err());
        }
        assert!(months.lock().busy.is_empty());
    }

    #[test]
    fn months_come_and_go_under_many_readers() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { open_months: 2, ..Settings::default() };
        let months = Months::new(Some(dir.path()), &settings);
        let all: Vec<Month> = (1..=5).map(|n| month(&format!("2026-0{n}"))).collect();
        for at in &all {
            let key = at.to_string().into_bytes();
            months.append(*at, Writes::from([(key.clone(), Some(key))])).unwrap();
        }
        std::thread::scope(|scope| {
            for reader in 0..4 {
                let (months, all) = (&months, &all);
                scope.spawn(move || {
                    for turn in 0..40 {
                        let at = all[(turn * (reader + 1) + reader) % all.len()];
                        let key = at.to_string().into_bytes();
                        let kv = months.month(at, false).unwrap().expect("a month");
                        assert_eq!(kv.get(&key).unwrap(), Some(key));
                    }
                });
            }
        });
        // What was open for readers closes when others are opened.
        for at in &all {
            months.month(*at, false).unwrap();
        }
        let open = months.lock();
        assert!(open.busy.is_empty() && open.months.len() <= 2, "{}", open.months.len());
    }
}

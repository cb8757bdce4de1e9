//! Article records and vectors: one database per calendar month of arrival, opened when first needed, only
//! ever appended to. The records are the truth that main can be rebuilt from.
//!
//! Must not know: the main database.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zstd::bulk::Compressor;

use super::files;
use super::format::{Month, VECTORS, kept_key, seal, unseal, vector_key, vector_of_key};
use super::journaled::Journaled;
use super::kv::{Kv, Row, Writes, end_of};
use super::moving::open_moved;
use super::ram::RamKv;
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

pub struct Months {
    /// `None`: everything in memory, nothing is ever closed.
    dir: Option<PathBuf>,
    settings: Settings,
    /// Most recently used last.
    open: Mutex<Vec<(Month, Arc<dyn Kv>)>>,
    /// Its tables take longer to set up than to use on one article; `None` before the first.
    compressor: Mutex<Option<Compressor<'static>>>,
}

impl Months {
    pub fn new(dir: Option<&Path>, settings: &Settings) -> Months {
        let dir = dir.map(Path::to_owned);
        let (settings, open) = (settings.clone(), Mutex::new(Vec::new()));
        Months { dir, settings, open, compressor: Mutex::new(None) }
    }

    /// The database of a month; `None` if there is none and `create` is false.
    pub fn month(&self, month: Month, create: bool) -> Result<Option<Arc<dyn Kv>>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|(m, _)| *m == month) {
            let entry = open.remove(at);
            let kv = entry.1.clone();
            open.push(entry);
            return Ok(Some(kv));
        }
        let kv: Arc<dyn Kv> = match &self.dir {
            None if !create => return Ok(None),
            None => Arc::new(RamKv::default()),
            Some(dir) => {
                let path = dir.join(month.to_string());
                if !create && !path.exists() {
                    return Ok(None);
                }
                // Only databases that nobody is reading may close: they could not be reopened.
                while open.len() >= self.settings.open_months.max(1) {
                    match open.iter().position(|(_, kv)| Arc::strong_count(kv) == 1) {
                        Some(at) => drop(open.remove(at)),
                        None => break,
                    }
                }
                let map = open_moved(&path, cache(&self.settings))?;
                Arc::new(Journaled::over(map, self.settings.flush_every.duration()))
            }
        };
        open.push((month, kv.clone()));
        Ok(Some(kv))
    }

    /// Closes a month's database, if nobody is reading it.
    pub fn close(&self, month: Month) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(m, _)| *m != month);
    }

    /// Closes every database that nobody is reading, and with it its cache; it is opened again when it is
    /// needed.
    pub fn trim(&self) {
        if self.dir.is_some() {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|(_, kv)| Arc::strong_count(kv) > 1);
        }
    }

    /// Every month there is, in order.
    pub fn all(&self) -> Result<Vec<Month>> {
        let mut months: Vec<Month> = match &self.dir {
            None => {
                let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                open.iter().map(|(m, _)| *m).collect()
            }
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
            if let Some(kv) = self.month(month, true)? {
                kv.commit(writes)?;
            }
        }
        Ok(())
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
            None => {
                let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                open.iter().map(|(_, kv)| kv.size()).sum()
            }
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
    let mut plain = zstd::bulk::Decompressor::with_dictionary(dictionary)
        .and_then(|mut d| d.decompress(frame, length))
        .map_err(|e| format!("does not decompress: {e}"))?;
    // Records of earlier versions end before the memory: with one byte more they say that they have none.
    plain.push(0);
    postcard::from_bytes(&plain).map_err(|e| format!("does not decode: {e}"))
}

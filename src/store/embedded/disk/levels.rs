//! Which sheets there are, and in which order they count. Level 0 holds what was written last, its
//! sheets overlap and the last one counts first; on every other level they do not overlap, and a level
//! counts before the next one. The list is one small file that is replaced as a whole.
//!
//! Must not know: what is written to sheets, and when.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cache::Cache;
use super::chunk::checksum;
use super::sheet::{About, Piece, Reader, Sheet, hash_of};
use super::{corrupt, io};
use crate::store::Result;
use crate::store::embedded::files;

/// The file with the list.
pub const LIST: &str = "sheets";
const MAGIC: &[u8; 8] = b"sheets 1";

/// The list as it lies in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Journals with a smaller number lie in sheets.
    pub journal: u64,
    /// No file has this number or a larger one.
    pub next: u64,
    pub levels: Vec<Vec<About>>,
}

impl Listed {
    pub fn read(dir: &Path) -> Result<Listed> {
        let path = dir.join(LIST);
        let bytes = std::fs::read(&path).map_err(|e| io(&path, e))?;
        let body = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>());
        let Some((sum, body)) = body else {
            return Err(corrupt(&path, "does not begin as such a list does"));
        };
        if u32::from_le_bytes(*sum) != checksum(&[body]) {
            return Err(corrupt(&path, "fails its checksum"));
        }
        postcard::from_bytes(body).map_err(|e| corrupt(&path, &format!("does not decode: {e}")))
    }

    /// Durable when it returns, with the names of all files of the folder.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(LIST);
        let body = postcard::to_stdvec(self)
            .map_err(|e| crate::store::StoreError::Other(format!("{}: {e}", path.display())))?;
        let bytes = [&MAGIC[..], &checksum(&[&body]).to_le_bytes(), &body].concat();
        let new = path.with_extension("new");
        let write = || {
            let mut file = File::create(&new)?;
            std::io::Write::write_all(&mut file, &bytes)?;
            file.sync_all()
        };
        write().map_err(|e| io(&path, e))?;
        files::rename(&new, &path)
    }
}

/// The sheets by level. Never changed: another one takes its place.
#[derive(Clone, Default)]
pub struct Levels(pub Vec<Vec<Arc<Sheet>>>);

impl Levels {
    pub fn of(dir: &Path, listed: &Listed) -> Levels {
        let level = |abouts: &Vec<About>| -> Vec<_> {
            abouts.iter().map(|about| Arc::new(Sheet::new(dir, about.clone()))).collect()
        };
        Levels(listed.levels.iter().map(level).collect())
    }

    pub fn listed(&self, journal: u64, next: u64) -> Listed {
        let levels = self.0.iter();
        let levels = levels.map(|level| level.iter().map(|sheet| sheet.about.clone()).collect());
        Listed { journal, next, levels: levels.collect() }
    }

    /// All sheets, those that count first first.
    pub fn sheets(&self) -> impl Iterator<Item = &Arc<Sheet>> {
        self.0.iter().flatten()
    }

    /// Bytes of a level's files.
    pub fn bytes(&self, level: usize) -> u64 {
        self.0.get(level).into_iter().flatten().map(|sheet| sheet.about.bytes).sum()
    }

    /// The sheets of a level that can hold keys with `from <= key < to`.
    pub fn overlapping(&self, level: usize, from: &[u8], to: &[u8]) -> Vec<Arc<Sheet>> {
        let sheets = self.0.get(level).map(Vec::as_slice).unwrap_or_default();
        if level == 0 {
            return sheets.iter().filter(|sheet| sheet.overlaps(from, to)).cloned().collect();
        }
        let begin = sheets.partition_point(|sheet| sheet.about.last.as_slice() < from);
        let found = sheets.get(begin..).unwrap_or_default().iter();
        found.take_while(|sheet| sheet.overlaps(from, to)).cloned().collect()
    }

    /// The value of a key.
    pub fn get(&self, cache: &Cache<Piece>, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let hash = hash_of(key);
        for (number, level) in self.0.iter().enumerate() {
            // Level 0 is looked through from its last sheet; of any other one sheet can hold the key.
            let from = match number {
                0 => 0,
                _ => level.partition_point(|sheet| sheet.about.last.as_slice() < key),
            };
            let to = if number == 0 { level.len() } else { level.len().min(from + 1) };
            for sheet in level.get(from..to).unwrap_or_default().iter().rev() {
                let about = &sheet.about;
                if about.first.as_slice() <= key
                    && about.last.as_slice() >= key
                    && let Some(found) = sheet.get(cache, key, hash)?
                {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// Readers from `from` on of everything that can hold keys below `to`, those that count first
    /// first.
    pub fn runs(&self, from: &[u8], to: &[u8], keep: bool) -> Vec<Run> {
        let mut runs = Vec::new();
        for level in 0..self.0.len() {
            let sheets = self.overlapping(level, from, to);
            if level == 0 {
                runs.extend(sheets.into_iter().rev().map(|sheet| Run::new(vec![sheet], keep)));
            } else if !sheets.is_empty() {
                runs.push(Run::new(sheets, keep));
            }
        }
        runs
    }
}

/// Sheets one after the other.
pub struct Run {
    sheets: std::vec::IntoIter<Arc<Sheet>>,
    reader: Option<Reader>,
    keep: bool,
}

impl Run {
    pub fn new(sheets: Vec<Arc<Sheet>>, keep: bool) -> Run {
        Run { sheets: sheets.into_iter(), reader: None, keep }
    }

    /// Stands on the first row that is not less than `from`.
    fn start(&mut self, cache: &Cache<Piece>, from: &[u8]) -> Result<()> {
        while self.reader.is_none() {
            let Some(sheet) = self.sheets.next() else { break };
            self.reader = Reader::new(sheet, cache, from, self.keep)?;
        }
        Ok(())
    }

    fn advance(&mut self, cache: &Cache<Piece>) -> Result<()> {
        if let Some(reader) = &mut self.reader
            && !reader.advance(cache)?
        {
            self.reader = None;
            self.start(cache, &[])?;
        }
        Ok(())
    }

    fn key(&self) -> Option<&[u8]> {
        self.reader.as_ref().map(Reader::key)
    }
}

/// Runs as one: each key once, as the first run that has it says.
pub struct Merge {
    runs: Vec<Run>,
    cache: Arc<Cache<Piece>>,
    /// The run with the present row.
    at: Option<usize>,
}

impl Merge {
    /// Stands on the first row that is not less than `from`.
    pub fn new(mut runs: Vec<Run>, cache: &Arc<Cache<Piece>>, from: &[u8]) -> Result<Merge> {
        for run in &mut runs {
            run.start(cache, from)?;
        }
        let mut merge = Merge { runs, cache: cache.clone(), at: None };
        merge.find();
        Ok(merge)
    }

    fn find(&mut self) {
        let mut best: Option<(usize, &[u8])> = None;
        for (number, run) in self.runs.iter().enumerate() {
            if let Some(key) = run.key()
                && best.is_none_or(|(_, least)| key < least)
            {
                best = Some((number, key));
            }
        }
        self.at = best.map(|(number, _)| number);
    }

    /// The present row: key, and value unless the key was removed.
    pub fn row(&self) -> Option<(&[u8], Option<&[u8]>)> {
        let reader = self.runs.get(self.at?)?.reader.as_ref()?;
        Some((reader.key(), reader.value()))
    }

    /// Goes to the next key.
    pub fn advance(&mut self) -> Result<()> {
        let Some(at) = self.at else { return Ok(()) };
        let (first, rest) = self.runs.split_at_mut(at + 1);
        let Some(run) = first.last_mut() else { return Ok(()) };
        // Those before have greater keys.
        if let Some(key) = run.key() {
            for other in rest {
                if other.key() == Some(key) {
                    other.advance(&self.cache)?;
                }
            }
        }
        run.advance(&self.cache)?;
        self.find();
        Ok(())
    }
}

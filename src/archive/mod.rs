//! Raw pages kept as they came: WARC 1.1 files (ISO 28500:2017), one gzip member a record, so that
//! any tool can read them and another model can be tried on them later.
//!
//! Must not know: where exchanges come from, what pages mean, the store.

mod members;
mod read;
mod record;

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use flate2::bufread::GzDecoder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::Millis;

pub use read::{Http, ReadError, Record, Records, http, records};

/// Suffix of a file that is still being written.
const OPEN: &str = ".open";

/// Where raw pages are kept, and in how large files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Directory of the WARC files; `None`: no archive.
    pub dir: Option<PathBuf>,
    /// A file is closed when it has grown past this, bytes; also at the end of each UTC day.
    pub file_bytes: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { dir: None, file_bytes: 1 << 30 }
    }
}

/// One request with its answer.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    /// Absolute URL as requested.
    pub url: &'a str,
    /// When the answer was complete.
    pub at: Millis,
    pub address: Option<IpAddr>,
    /// Header fields of the request.
    pub request: &'a [(String, String)],
    pub status: u16,
    /// Header fields of the answer, as received.
    pub fields: &'a [(String, Vec<u8>)],
    /// The body with its codings removed; what the fields say of codings is renamed accordingly.
    pub body: &'a [u8],
    /// The body is left out, for its publisher asks not to keep it.
    pub withheld: bool,
    /// `application/warc-fields` of the metadata record.
    pub metadata: &'a [(&'a str, String)],
}

/// An error of the archive; names the file.
#[derive(Debug, thiserror::Error)]
#[error("archive {}: {source}", path.display())]
pub struct ArchiveError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// The archive of one process. Each process writes files of its own, so several may share a
/// directory.
#[derive(Debug)]
pub struct Archive {
    dir: PathBuf,
    file_bytes: u64,
    software: String,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    current: Option<Current>,
    /// Files begun by this process.
    files: u32,
}

#[derive(Debug)]
struct Current {
    file: File,
    /// Its name once it is closed.
    path: PathBuf,
    bytes: u64,
    day: i64,
}

impl Archive {
    /// Creates the directory if need be and closes what a killed process left open: a record that
    /// was being written is cut off.
    pub fn open(dir: &Path, settings: &Settings, software: &str) -> Result<Archive, ArchiveError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| ArchiveError { path, source }
        };
        std::fs::create_dir_all(dir).map_err(at(dir))?;
        for entry in std::fs::read_dir(dir).map_err(at(dir))? {
            let path = entry.map_err(at(dir))?.path();
            if path.extension().is_some_and(|e| e == OPEN.trim_start_matches('.')) {
                close_left_over(&path).map_err(at(&path))?;
            }
        }
        Ok(Archive {
            dir: dir.to_owned(),
            file_bytes: settings.file_bytes.max(1),
            software: software.to_owned(),
            open: Mutex::default(),
        })
    }

    /// Appends request, response and metadata record. They are with the operating system when this
    /// returns: a killed process loses nothing, a power cut may lose the last seconds.
    pub fn write(&self, exchange: &Exchange<'_>) -> Result<(), ArchiveError> {
        let records = record::of(exchange);
        let fail = |source| ArchiveError { path: self.dir.clone(), source };
        let members = gzip(&records).map_err(fail)?;
        let mut open = self.open.lock().unwrap_or_else(|e| e.into_inner());
        let day = exchange.at.div_euclid(crate::model::DAY);
        let full = open.current.as_ref().is_some_and(|c| c.bytes >= self.file_bytes || c.day < day);
        if full {
            self.close(&mut open)?;
        }
        let current = match &mut open.current {
            Some(current) => current,
            None => {
                let begun = self.begin(exchange.at, day, open.files)?;
                open.files += 1;
                open.current.insert(begun)
            }
        };
        let at = |source| ArchiveError { path: current.path.clone(), source };
        current.file.write_all(&members).map_err(at)?;
        current.bytes += members.len() as u64;
        Ok(())
    }

    /// Closes the file being written, if any; the next exchange begins another.
    pub fn finish(&self) -> Result<(), ArchiveError> {
        self.close(&mut self.open.lock().unwrap_or_else(|e| e.into_inner()))
    }

    fn close(&self, open: &mut Open) -> Result<(), ArchiveError> {
        let Some(current) = open.current.take() else { return Ok(()) };
        let done = current.file.sync_all().and_then(|()| {
            // The lock goes with the file; it must not be found open and unlocked.
            std::fs::rename(open_name(&current.path), &current.path)
        });
        done.map_err(|source| ArchiveError { path: current.path, source })
    }

    fn begin(&self, at: Millis, day: i64, number: u32) -> Result<Current, ArchiveError> {
        let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
        let name = format!(
            "crawler-{}-{}-{number:05}.warc.gz",
            instant.strftime("%Y%m%d%H%M%S"),
            std::process::id()
        );
        let path = self.dir.join(&name);
        let begun = || -> io::Result<(File, u64)> {
            let mut file = OpenOptions::new()
                .create_new(true)
                .read(true)
                .append(true)
                .open(open_name(&path))?;
            file.try_lock()?;
            let info = gzip(&[record::info(&name, at, &self.software)])?;
            file.write_all(&info)?;
            Ok((file, info.len() as u64))
        };
        match begun() {
            Ok((file, bytes)) => Ok(Current { file, path, bytes, day }),
            Err(source) => Err(ArchiveError { path, source }),
        }
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            tracing::warn!(%error, "the archive's last file stays open; the next start closes it");
        }
    }
}

fn open_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(OPEN);
    name.into()
}

/// One gzip member a record (WARC 1.1 annex D).
fn gzip(records: &[Vec<u8>]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    for record in records {
        let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::default());
        encoder.write_all(record)?;
        encoder.finish()?;
    }
    Ok(out)
}

/// Gives a file its final name after cutting off the member that was being written; leaves it
/// alone while another process holds it.
fn close_left_over(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(std::fs::TryLockError::WouldBlock) => return Ok(()),
        Err(std::fs::TryLockError::Error(error)) => return Err(error),
    }
    let whole = whole_members(&file)?;
    file.set_len(whole)?;
    file.sync_all()?;
    match whole {
        0 => std::fs::remove_file(path),
        _ => std::fs::rename(path, path.with_extension("")),
    }
}

/// Bytes from the start of a file that are whole gzip members.
fn whole_members(file: &File) -> io::Result<u64> {
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(0))?;
    let mut counted = Counted { inner: reader, bytes: 0 };
    let mut whole = 0;
    while !counted.fill_buf()?.is_empty() {
        let mut member = GzDecoder::new(&mut counted);
        // Broken data, whatever is wrong with it, is not a whole member.
        if io::copy(&mut member, &mut io::sink()).is_err() {
            break;
        }
        whole = counted.bytes;
    }
    Ok(whole)
}

/// Counts what is consumed.
struct Counted<R> {
    inner: R,
    bytes: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.bytes += amount as u64;
        self.inner.consume(amount);
    }
}

/// The finished files of a directory, oldest first; or the one file given.
pub fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if name.ends_with(".warc.gz") || name.ends_with(".warc") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Deletes the finished files of [`Archive`] whose last page is older than `before`; files of other
/// names are nobody's business here. Returns how many there were, and their bytes.
///
/// # Errors
/// Names the file that cannot be deleted.
pub fn expire(dir: &Path, before: Millis) -> Result<(u64, u64), ArchiveError> {
    let (mut count, mut bytes) = (0, 0);
    for path in finished(dir)? {
        // It is closed at the end of the day on which it was begun.
        let Some(begun) = begun(&path) else { continue };
        if begun.saturating_add(crate::model::DAY) > before {
            continue;
        }
        let removed = std::fs::metadata(&path).and_then(|file| {
            std::fs::remove_file(&path)?;
            Ok(file.len())
        });
        match removed {
            Ok(length) => (count, bytes) = (count + 1, bytes + length),
            // Another process that shares the directory was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "an archive file that has reached its age stays");
            }
        }
    }
    Ok((count, bytes))
}

/// Bytes of all files of a directory; 0 if there is none.
pub fn size(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).filter(|m| m.is_file()).map(|m| m.len()).sum()
}

fn finished(dir: &Path) -> Result<Vec<PathBuf>, ArchiveError> {
    match files(dir) {
        Ok(files) => Ok(files),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(ArchiveError { path: dir.to_owned(), source }),
    }
}

/// The instant in the name of one of our files.
fn begun(path: &Path) -> Option<Millis> {
    let name = path.file_name()?.to_str()?.strip_prefix("crawler-")?;
    let instant = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", name.split('-').next()?).ok()?;
    Some(instant.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests;

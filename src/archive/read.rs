//! WARC files, ours or others', gzipped or plain, as a sequence of records; bounded in memory,
//! whatever the bytes are.
//!
//! Must not know: what the records are for.

use std::io::{self, BufRead, Read};

use jiff::Timestamp;

use super::members::{Members, Torn};
use super::record::digest;
use crate::model::Millis;

/// Longest head of a record or of an HTTP message, bytes.
const HEAD: u64 = 256 * 1024;
/// Most header fields of a record or of an HTTP message.
const FIELDS: usize = 1_000;

/// One record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// `WARC-Type`.
    pub kind: String,
    /// `WARC-Target-URI`.
    pub uri: Option<String>,
    /// `WARC-Date`.
    pub at: Option<Millis>,
    /// All header fields in order.
    pub fields: Vec<(String, String)>,
    /// The block; empty if it was longer than the reader's limit.
    pub block: Vec<u8>,
    pub too_long: bool,
    /// `WARC-Truncated`: there was more than the block has.
    pub truncated: bool,
    /// It is not what was written: the block has another SHA-256 than its `WARC-Block-Digest`, or its gzip member
    /// another checksum. Digests of other kinds, as other tools write them, are not compared. Where a member cannot be
    /// read the block is empty, and the other fields are there as far as they could be read.
    pub damaged: bool,
}

/// What is wrong where a record should begin.
const NO_VERSION: &str = "no version line";

/// Why reading a file ended early.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("not a WARC record after {records} records: {what}")]
    NotWarc { records: u64, what: &'static str },
    #[error("after {records} records: {source}")]
    Io { records: u64, source: io::Error },
}

impl ReadError {
    fn is_torn(&self) -> bool {
        matches!(self, ReadError::Io { source, .. } if Torn::of(source).is_some())
    }
}

/// The records of a file. A damaged gzip member is one damaged record, and the next member goes on; the first error
/// is the end.
pub struct Records<'a> {
    input: Box<dyn Text + 'a>,
    /// Largest block that is kept, bytes.
    limit: u64,
    records: u64,
    ended: bool,
    /// What was wrong right behind the last record.
    broken: Option<ReadError>,
    /// Does it begin like no WARC file, packed or not?
    unknown: bool,
}

/// What records are read from.
trait Text: BufRead {
    /// Leaves what is no record for the next place where one is sure to begin; false: there is none.
    fn skip(&mut self) -> io::Result<bool>;

    /// Which packed part of the file is being read.
    fn member(&self) -> u64;

    /// Is what comes next in this part another record, or nothing?
    fn goes_well(&mut self) -> bool;
}

/// A file that is not packed. A line in it may look like the beginning of a record, and be one of a page.
struct Plain<R>(R);

impl<R: BufRead> Text for Plain<R> {
    fn skip(&mut self) -> io::Result<bool> {
        Ok(false)
    }

    fn member(&self) -> u64 {
        0
    }

    fn goes_well(&mut self) -> bool {
        true
    }
}

impl<R: BufRead> Read for Plain<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl<R: BufRead> BufRead for Plain<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.0.consume(amount);
    }
}

impl<R: BufRead> Text for Members<R> {
    fn skip(&mut self) -> io::Result<bool> {
        Members::skip(self)
    }

    fn member(&self) -> u64 {
        self.number
    }

    fn goes_well(&mut self) -> bool {
        Members::goes_well(self)
    }
}

/// Reads a file. Blocks longer than `limit` bytes are skipped and marked.
pub fn records<'a>(mut input: impl BufRead + 'a, limit: u64) -> io::Result<Records<'a>> {
    let begin = input.fill_buf()?;
    let text = begin.trim_ascii_start();
    let plain = text.starts_with(b"WARC/") || b"WARC/".starts_with(text);
    let unknown = !plain && !begin.starts_with(&[0x1f, 0x8b]);
    // Of a packed file the beginning may be damaged.
    let input: Box<dyn Text> = match plain {
        true => Box::new(Plain(input)),
        false => Box::new(Members::new(input)),
    };
    Ok(Records { input, limit, records: 0, ended: false, broken: None, unknown })
}

impl Iterator for Records<'_> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let mut record = Record::default();
        let read = match self.record(&mut record) {
            Ok(true) => Ok(record),
            Ok(false) => {
                self.ended = true;
                return None;
            }
            Err(error) => match self.goes_on(&error) {
                true => Ok(Record { block: Vec::new(), damaged: true, ..record }),
                false if self.unknown && self.records == 0 && error.is_torn() => {
                    Err(ReadError::NotWarc { records: 0, what: NO_VERSION })
                }
                false => Err(error),
            },
        };
        match &read {
            Ok(_) => self.records += 1,
            Err(_) => self.ended = true,
        }
        Some(read)
    }
}

impl Records<'_> {
    /// Is there another record behind what is wrong?
    fn goes_on(&mut self, wrong: &ReadError) -> bool {
        match wrong {
            ReadError::Io { source, .. } => Torn::of(source).is_some_and(|torn| torn.goes_on),
            ReadError::NotWarc { .. } => self.input.skip().unwrap_or(false),
        }
    }

    /// Reads the next record; false: there is none.
    fn record(&mut self, record: &mut Record) -> Result<bool, ReadError> {
        let records = self.records;
        let io = |source| ReadError::Io { records, source };
        let not = |what| ReadError::NotWarc { records, what };
        if let Some(wrong) = self.broken.take() {
            return Err(wrong);
        }
        let Some(head) = head(&mut self.input).map_err(io)? else { return Ok(false) };
        let mut lines = head.split(|b| *b == b'\n');
        if !lines.next().is_some_and(|first| first.trim_ascii().starts_with(b"WARC/")) {
            return Err(not(NO_VERSION));
        }
        let (mut length, mut told) = (None, None);
        for (name, value) in fields(lines) {
            let value = String::from_utf8_lossy(&value).into_owned();
            match name.to_ascii_lowercase().as_str() {
                "warc-type" => record.kind = value.to_ascii_lowercase(),
                "warc-target-uri" => {
                    let uri = value.trim_start_matches('<').trim_end_matches('>');
                    record.uri = Some(uri.to_owned());
                }
                "warc-date" => {
                    record.at = value.parse::<Timestamp>().ok().map(Timestamp::as_millisecond);
                }
                "content-length" => length = value.parse::<u64>().ok(),
                "warc-truncated" => record.truncated = true,
                "warc-block-digest" => told = Some(value.to_ascii_lowercase()),
                _ => {}
            }
            record.fields.push((name, value));
        }
        let length = length.ok_or_else(|| not("no Content-Length"))?;
        let mut block = self.input.by_ref().take(length);
        if length > self.limit {
            record.too_long = true;
            let skipped = io::copy(&mut block, &mut io::sink()).map_err(io)?;
            if skipped < length {
                return Err(not("the file ends within a record"));
            }
        } else {
            block.read_to_end(&mut record.block).map_err(io)?;
            if (record.block.len() as u64) < length {
                return Err(not("the file ends within a record"));
            }
            // In hexadecimal digits, as we write it.
            let told = told
                .filter(|told| told.starts_with("sha256:") && told.len() == "sha256:".len() + 64);
            record.damaged = told.is_some_and(|told| told != digest(&record.block));
        }
        // A member's checksum stands behind its record; only there it is known whether the record is what was written.
        let (records, member) = (records + 1, self.input.member());
        match skip_lines(&mut self.input) {
            // Behind a length that is not what was written stands the rest of the block.
            Ok(()) if self.input.member() == member && !self.input.goes_well() => {
                record.damaged = true;
                if !self.input.skip().unwrap_or(false) {
                    self.broken = Some(ReadError::NotWarc { records, what: NO_VERSION });
                }
            }
            Ok(()) => {}
            Err(source) => {
                let torn = Torn::of(&source);
                record.damaged |= torn.is_some_and(|torn| torn.spoilt);
                // Nothing but this record is lost where the next one can be read.
                let told = record.damaged && torn.is_some_and(|torn| torn.goes_on);
                self.broken = (!told).then_some(ReadError::Io { records, source });
            }
        }
        Ok(true)
    }
}

/// Reads on to what is no line end.
fn skip_lines(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let ahead = input.fill_buf()?;
        let ends = ahead.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        if ends == 0 {
            return Ok(());
        }
        input.consume(ends);
    }
}

/// The lines up to the next empty one, after any empty ones before; `None` at the end.
fn head(input: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    loop {
        let begun = head.len();
        let left = HEAD.saturating_sub(begun as u64);
        let read = input.take(left).read_until(b'\n', &mut head)?;
        let empty = head[begun..].trim_ascii().is_empty();
        if read == 0 {
            return Ok(Some(head).filter(|head| !head.trim_ascii().is_empty()));
        }
        if empty && begun > 0 {
            return Ok(Some(head));
        }
        if empty {
            head.clear();
        }
    }
}

/// Header fields of lines; folded ones (RFC 9112 §5.2) are one.
fn fields<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    for line in lines {
        let folded = line.first().is_some_and(|b| matches!(b, b' ' | b'\t'));
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if folded && let Some((_, value)) = found.last_mut() {
            value.push(b' ');
            value.extend_from_slice(line);
            continue;
        }
        if found.len() == FIELDS {
            break;
        }
        let colon = line.iter().position(|b| *b == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        found.push((String::from_utf8_lossy(name.trim_ascii()).into_owned(), value.to_vec()));
    }
    found
}

/// An HTTP answer in the block of a response record.
#[derive(Clone, Debug, PartialEq)]
pub struct Http<'a> {
    pub status: u16,
    pub fields: Vec<(String, Vec<u8>)>,
    pub body: &'a [u8],
}

impl Http<'_> {
    /// All values of a field.
    pub fn values(&self, name: &str) -> impl Iterator<Item = String> {
        let of_name = move |(n, _): &&(String, Vec<u8>)| n.eq_ignore_ascii_case(name);
        self.fields.iter().filter(of_name).map(|(_, v)| String::from_utf8_lossy(v).into_owned())
    }
}

/// Reads the block of a response record; `None` if it is no HTTP answer.
pub fn http(block: &[u8]) -> Option<Http<'_>> {
    let mut rest = block;
    let head = head(&mut rest).ok()??;
    let mut lines = head.split(|b| *b == b'\n');
    let first = String::from_utf8_lossy(lines.next()?).into_owned();
    let mut words = first.split_ascii_whitespace();
    words.next().filter(|version| version.starts_with("HTTP/"))?;
    let status = words.next()?.parse().ok()?;
    Some(Http { status, fields: fields(lines), body: rest })
}

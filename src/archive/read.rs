//! WARC files, ours or others', gzipped or plain, as a sequence of records; bounded in memory,
//! whatever the bytes are.
//!
//! Must not know: what the records are for.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use jiff::Timestamp;

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
    /// another checksum. Digests of other kinds, as other tools write them, are not compared.
    pub damaged: bool,
}

/// Why reading a file ended early.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("not a WARC record after {records} records: {what}")]
    NotWarc { records: u64, what: &'static str },
    #[error("after {records} records: {source}")]
    Io { records: u64, source: io::Error },
}

/// The records of a file; ends after the first error.
pub struct Records<'a> {
    input: Box<dyn BufRead + 'a>,
    /// Largest block that is kept, bytes.
    limit: u64,
    records: u64,
    ended: bool,
    /// What was wrong right behind the last record.
    broken: Option<io::Error>,
}

/// Reads a file. Blocks longer than `limit` bytes are skipped and marked.
pub fn records<'a>(mut input: impl BufRead + 'a, limit: u64) -> io::Result<Records<'a>> {
    let zipped = input.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let input: Box<dyn BufRead> = match zipped {
        true => Box::new(BufReader::new(MultiGzDecoder::new(input))),
        false => Box::new(input),
    };
    Ok(Records { input, limit, records: 0, ended: false, broken: None })
}

impl Iterator for Records<'_> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.record();
        match &read {
            Ok(Some(_)) => self.records += 1,
            _ => self.ended = true,
        }
        read.transpose()
    }
}

impl Records<'_> {
    fn record(&mut self) -> Result<Option<Record>, ReadError> {
        let records = self.records;
        let io = |source| ReadError::Io { records, source };
        let not = |what| ReadError::NotWarc { records, what };
        if let Some(source) = self.broken.take() {
            return Err(io(source));
        }
        let Some(head) = head(&mut self.input).map_err(io)? else { return Ok(None) };
        let mut lines = head.split(|b| *b == b'\n');
        if !lines.next().is_some_and(|first| first.trim_ascii().starts_with(b"WARC/")) {
            return Err(not("no version line"));
        }
        let mut record = Record::default();
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
        // A member's checksum stands behind its record. Any other error is of what stands behind that.
        if let Err(error) = skip_lines(&mut self.input) {
            record.damaged |= error.to_string().contains("checksum");
            self.broken = Some(error);
        }
        Ok(Some(record))
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

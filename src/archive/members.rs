//! The text of a gzipped WARC file, member by member; behind a damaged member it goes on with the next record.
//!
//! Must not know: what a record is made of.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// What a member begins with: the magic number, and deflate, the only method there is.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// Enough of a member to tell its first letters: a long head, and the longest table of codes.
const TRIAL: usize = 4 * 1024;
/// Bytes that are looked through at a time.
const LOOKED: usize = 64 * 1024;
/// Bytes of a member that are kept behind the place where it is read. Damage may be noticed only when members behind it
/// were read as parts of it.
const KEPT: usize = 1024 * 1024;
/// Places of one file that are tried, with or without success. By chance there is one in 16 MiB; a file with more
/// was made to cost time.
const TRIALS: u32 = 10_000;
/// Bytes of one file that are read again, packed ones and their text. A member that is noticed to be damaged behind its
/// end costs some of them; a file that needs more was made to cost time.
const AGAIN: u64 = 64 * 1024 * 1024;
/// Text that is held.
const TEXT: usize = 16 * 1024;

/// Bytes that can be read, and some of those before that can be read again.
struct Bytes<R> {
    input: R,
    /// What was read of the input.
    held: Vec<u8>,
    /// Where in it reading is.
    at: usize,
    /// Is the beginning of the member gone?
    dropped: bool,
    /// Bytes behind `at` that were read before.
    known: usize,
    /// What is left of `AGAIN`.
    again: u64,
}

impl<R: BufRead> Bytes<R> {
    fn new(input: R) -> Bytes<R> {
        Bytes { input, held: Vec::new(), at: 0, dropped: false, known: 0, again: AGAIN }
    }

    /// Holds what comes next of the input; false: there is nothing.
    fn more(&mut self) -> io::Result<bool> {
        let next = self.input.fill_buf()?;
        let found = next.len();
        self.held.extend_from_slice(next);
        self.input.consume(found);
        Ok(found > 0)
    }

    /// A member begins here: nothing before it is read again.
    fn begin(&mut self) {
        self.held.drain(..self.at);
        (self.at, self.dropped) = (0, false);
    }

    /// Goes to the next member that begins with a record, from behind the beginning of this one; false: there is none,
    /// or too much was read again.
    fn seek(&mut self, trials: &mut u32) -> io::Result<bool> {
        if self.again == 0 {
            return Ok(false);
        }
        // What lies in front of this was read before.
        let mut read = self.at + self.known;
        self.at = usize::from(!self.dropped).min(self.held.len());
        loop {
            read = read.saturating_sub(self.at);
            self.begin();
            let mut ended = false;
            while self.held.len() < LOOKED + TRIAL && !ended {
                ended = !self.more()?;
            }
            // Behind this not enough is held to try a member.
            let until = self.held.len() - if ended { 0 } else { TRIAL };
            for at in memchr::memmem::find_iter(&self.held, &MAGIC) {
                if at >= until {
                    break;
                }
                let Some(left) = trials.checked_sub(1) else { return Ok(false) };
                *trials = left;
                let member = &self.held[at..self.held.len().min(at + TRIAL)];
                if begins_with_a_record(member) {
                    self.at = at;
                    self.known = read.saturating_sub(at);
                    self.begin();
                    return Ok(true);
                }
            }
            self.at = until;
            if ended {
                return Ok(false);
            }
        }
    }
}

impl<R: BufRead> Read for Bytes<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Bytes<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.held.len() {
            if self.at > KEPT {
                self.held.drain(..self.at - KEPT / 2);
                (self.at, self.dropped) = (self.held.len(), true);
            }
            self.more()?;
        }
        Ok(&self.held[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        let again = amount.min(self.known);
        self.known -= again;
        self.again = self.again.saturating_sub(again as u64);
        self.at += amount;
    }
}

/// Is this a member whose text begins like a record?
fn begins_with_a_record(member: &[u8]) -> bool {
    let mut text = [0; 5];
    GzDecoder::new(member).read_exact(&mut text).is_ok() && text == *b"WARC/"
}

/// A member that cannot be read, or whose checksum is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub(super) struct Torn {
    source: io::Error,
    /// Text of it was read and may be another than was written. It is not where the file is merely cut off.
    pub spoilt: bool,
    /// The next text is that of a member behind it that begins with a record; else there is none.
    pub goes_on: bool,
}

impl Torn {
    /// What is wrong with a member, if that is the error.
    pub fn of(error: &io::Error) -> Option<&Torn> {
        error.get_ref()?.downcast_ref()
    }
}

/// The text of all members.
pub(super) struct Members<R> {
    /// `None` only while a member ends.
    member: Option<GzDecoder<Bytes<R>>>,
    /// Which member it is.
    pub number: u64,
    /// Was text of this member read?
    begun: bool,
    trials: u32,
    text: Box<[u8]>,
    /// What of the text is still to be read.
    unread: std::ops::Range<usize>,
    ended: bool,
}

impl<R: BufRead> Members<R> {
    pub fn new(input: R) -> Members<R> {
        Members {
            member: Some(GzDecoder::new(Bytes::new(input))),
            number: 0,
            begun: false,
            trials: TRIALS,
            text: vec![0; TEXT].into_boxed_slice(),
            unread: 0..0,
            ended: false,
        }
    }

    /// Leaves this member for the next one that begins with a record; false: there is none.
    pub fn skip(&mut self) -> io::Result<bool> {
        self.unread = 0..0;
        (self.number, self.begun) = (self.number + 1, false);
        let Some(member) = self.member.take().filter(|_| !self.ended) else { return Ok(false) };
        let mut bytes = member.into_inner();
        let found = bytes.seek(&mut self.trials);
        self.ended = !matches!(found, Ok(true));
        self.member = Some(GzDecoder::new(bytes));
        found
    }

    /// Is what is left of this member another record, or nothing? Where it cannot be read it is none.
    pub fn goes_well(&mut self) -> bool {
        let wanted = b"WARC/";
        while !self.unread.is_empty() && self.unread.len() < wanted.len() {
            self.text.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
            let more = self.member.as_mut().map(|m| m.read(&mut self.text[self.unread.end..]));
            match more {
                Some(Ok(read)) if read > 0 => self.unread.end += read,
                _ => return false,
            }
        }
        self.unread.is_empty() || self.text[self.unread.clone()].starts_with(wanted)
    }

    /// Text of this member, or of the next where this one has ended.
    fn read_on(&mut self) -> io::Result<usize> {
        while let Some(member) = self.member.as_mut().filter(|_| !self.ended) {
            let again = member.get_ref().known > 0;
            let read = match member.read(&mut self.text) {
                Ok(read) => read,
                Err(source) => return Err(self.torn(source)),
            };
            if again {
                let bytes = member.get_mut();
                bytes.again = bytes.again.saturating_sub(read as u64);
            }
            if read > 0 {
                self.begun = true;
                return Ok(read);
            }
            let Some(member) = self.member.take() else { break };
            let mut bytes = member.into_inner();
            bytes.begin();
            (self.number, self.begun) = (self.number + 1, false);
            let more = bytes.fill_buf().map(|next| !next.is_empty());
            self.ended = !matches!(more, Ok(true));
            self.member = Some(GzDecoder::new(bytes));
            more?;
        }
        Ok(0)
    }

    /// An error of this member, behind which reading goes on; or of the file itself, behind which it does not.
    fn torn(&mut self, source: io::Error) -> io::Error {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        let kind = source.kind();
        if !matches!(kind, InvalidData | InvalidInput | UnexpectedEof) {
            self.ended = true;
            return source;
        }
        let begun = self.begun;
        match self.skip() {
            Ok(goes_on) => {
                let spoilt = begun && (goes_on || kind != UnexpectedEof);
                io::Error::new(kind, Torn { source, spoilt, goes_on })
            }
            Err(error) => error,
        }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Members<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.unread.is_empty() {
            self.unread = 0..self.read_on()?;
        }
        Ok(&self.text[self.unread.clone()])
    }

    fn consume(&mut self, amount: usize) {
        self.unread.start = self.unread.end.min(self.unread.start + amount);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Every head in a torn member was read to its end again.
    #[test]
    fn heads_in_a_torn_member_are_not_all_unpacked() {
        const BEGIN: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
        let text = 4 * 1024 * 1024;
        let head: Vec<u8> = [b"WARC/1.1\r\nContent-Length: 99999999\r\n\r\n", BEGIN].concat();
        let length = head.len() as u16;
        let mut packed =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&vec![b'a'; text]).unwrap();
        packed.flush().unwrap();
        let mut file = BEGIN.to_vec();
        for _ in 0..60 {
            file.push(0);
            file.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
            file.extend(&head);
        }
        file.extend(packed.get_ref());
        file.extend([7, 7, 7]);
        let mut members = Members::new(&file[..]);
        let mut read = 0;
        loop {
            match members.fill_buf().map(<[u8]>::len) {
                Ok(0) => break,
                Ok(length) => {
                    read += length;
                    members.consume(length);
                }
                Err(error) => assert!(Torn::of(&error).is_some(), "{error}"),
            }
        }
        assert!(members.number > 2, "{}", members.number);
        assert!(read < AGAIN as usize + 3 * text, "{read}");
    }
}

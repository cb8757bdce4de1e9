//! A response body, decoded as it arrives and never larger than its cap: content codings are
//! undone here, piece by piece, so that a small body cannot become a big one unseen.
//!
//! Must not know: sockets, deadlines, what the bytes mean.

use std::io::{self, Write};

use crate::model::Failure;

/// Below this size the ratio of decoded to encoded octets is nobody's business.
const RATIO_FREE: usize = 1024 * 1024;
/// Largest window of a zstd frame, as its logarithm: 8 MiB (RFC 9659 §3).
const ZSTD_WINDOW_LOG: u32 = 23;

/// No coding makes of so many octets and of those under the cap twice as many.
const BEYOND: u64 = 64 * 1024;

/// A body that comes in pieces of this size at least is a page, as a rule …
const LARGE: usize = 8 * 1024;
/// … for which there is so much room at once, instead of copying it as it grows.
const ROOM: usize = 256 * 1024;

/// What is asked of servers; nothing else is decoded.
pub const ACCEPT_ENCODING: &str = "gzip, br, zstd";

/// Limits of one body.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Decoded octets.
    pub cap: usize,
    /// Decoded per encoded octets, counted from 1 MiB decoded on.
    pub ratio: u32,
    /// Beyond the cap: keep what fits (robots.txt) instead of failing.
    pub truncate: bool,
}

/// Collects decoded octets and knows when to stop.
struct Sink {
    body: Vec<u8>,
    limits: Limits,
    encoded: u64,
    stopped: Option<Stop>,
}

enum Stop {
    /// The cap is reached and truncation was asked for.
    Full,
    Failed(Failure),
}

impl Sink {
    fn stop(&mut self, stop: Stop) -> io::Error {
        self.stopped = Some(stop);
        io::Error::other("stopped")
    }
}

impl Write for Sink {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        if self.stopped.is_some() {
            return Err(io::Error::other("stopped"));
        }
        let total = self.body.len() + octets.len();
        if total > self.limits.cap {
            let fits = self.limits.cap - self.body.len();
            self.body.extend_from_slice(octets.get(..fits).unwrap_or_default());
            let full = Stop::Failed(Failure::TooLarge);
            return Err(self.stop(if self.limits.truncate { Stop::Full } else { full }));
        }
        let allowed = self.encoded.saturating_mul(u64::from(self.limits.ratio));
        if total > RATIO_FREE && total as u64 > allowed {
            return Err(self.stop(Stop::Failed(Failure::CompressionRatio)));
        }
        if self.body.is_empty() && octets.len() >= LARGE {
            self.body.reserve(ROOM.min(self.limits.cap));
        }
        self.body.extend_from_slice(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Decoder {
    Identity(Sink),
    Gzip(Box<Gzip>),
    Brotli(Box<brotli::DecompressorWriter<Sink>>),
    Zstd(Zstd),
}

/// A body on its way in.
pub struct Body {
    decoder: Decoder,
}

impl Body {
    /// For the Content-Encoding of a response: none (or a name of something else, which is no coding), or
    /// exactly one of gzip, br, zstd. Stacked
    /// codings are refused: nobody needs them, and they multiply ratios.
    pub fn new(encoding: Option<&str>, limits: Limits) -> Result<Body, Failure> {
        let sink = Sink { body: Vec::new(), limits, encoded: 0, stopped: None };
        let named = encoding.unwrap_or_default().trim().to_ascii_lowercase();
        let refused = |_: io::Error| Failure::Encoding(named.clone());
        let decoder = match named.as_str() {
            "" | "identity" | "none" => Decoder::Identity(sink),
            // Some servers take the field for that of mails (RFC 2045 §6), or for the charset.
            "binary" | "8bit" | "7bit" => Decoder::Identity(sink),
            charset if encoding_rs::Encoding::for_label(charset.as_bytes()).is_some() => {
                Decoder::Identity(sink)
            }
            "gzip" | "x-gzip" => Decoder::Gzip(Box::new(Gzip::new(sink))),
            "br" => Decoder::Brotli(Box::new(brotli::DecompressorWriter::new(sink, 16 * 1024))),
            "zstd" => Decoder::Zstd(Zstd::new(sink).map_err(refused)?),
            other => {
                let short: String = other.chars().take(60).collect();
                return Err(Failure::Encoding(format!("`{short}` is not decoded")));
            }
        };
        Ok(Body { decoder })
    }

    /// Takes the next piece as it came from the wire. `Ok(false)`: enough, stop reading. What decodes to nothing
    /// (junk behind a member, frames that are skipped) has an end, too.
    pub fn push(&mut self, piece: &[u8]) -> Result<bool, Failure> {
        let sink = self.sink();
        sink.encoded += piece.len() as u64;
        if sink.encoded > (BEYOND + sink.limits.cap as u64).saturating_mul(2) {
            return if sink.limits.truncate { Ok(false) } else { Err(Failure::TooLarge) };
        }
        let result = match &mut self.decoder {
            Decoder::Identity(sink) => sink.write_all(piece),
            Decoder::Gzip(decoder) => decoder.write_all(piece),
            Decoder::Brotli(decoder) => decoder.write_all(piece),
            Decoder::Zstd(decoder) => decoder.write_all(piece),
        };
        self.judge(result)
    }

    /// Decoded octets so far.
    pub fn len(&mut self) -> usize {
        self.sink().body.len()
    }

    /// Encoded octets so far.
    pub fn encoded(&mut self) -> u64 {
        self.sink().encoded
    }

    /// The whole body; a coding that ends in the middle is an error: the connection's, unless the body
    /// is `framed` and so known to be all that was sent. An empty body is empty under any coding
    /// (answers to HEAD-like statuses carry the header without a body).
    pub fn finish(mut self, framed: bool) -> Result<Vec<u8>, Failure> {
        let untouched = self.sink().encoded == 0;
        let result = match &mut self.decoder {
            _ if untouched => Ok(()),
            Decoder::Identity(_) => Ok(()),
            Decoder::Gzip(decoder) => decoder.member.try_finish(),
            Decoder::Brotli(decoder) => decoder.close(),
            Decoder::Zstd(decoder) => decoder.finish(),
        };
        if !framed && result.is_err() && self.sink().stopped.is_none() {
            return Err(Failure::Reset("the body ends in the middle of its coding".to_owned()));
        }
        self.judge(result)?;
        let mut body = std::mem::take(&mut self.sink().body);
        // It may be held for long: what growing took beyond it is given back.
        body.shrink_to_fit();
        Ok(body)
    }

    /// What fits under the cap, after `push` said that it is enough.
    pub fn cut(mut self) -> Vec<u8> {
        std::mem::take(&mut self.sink().body)
    }

    fn judge(&mut self, result: io::Result<()>) -> Result<bool, Failure> {
        match (&self.sink().stopped, result) {
            (Some(Stop::Full), _) => Ok(false),
            (Some(Stop::Failed(failure)), _) => Err(failure.clone()),
            (None, Err(e)) => Err(Failure::Encoding(e.to_string())),
            (None, Ok(())) => Ok(true),
        }
    }

    fn sink(&mut self) -> &mut Sink {
        match &mut self.decoder {
            Decoder::Identity(sink) => sink,
            Decoder::Gzip(decoder) => decoder.member.get_mut(),
            Decoder::Brotli(decoder) => decoder.get_mut(),
            Decoder::Zstd(decoder) => &mut decoder.sink,
        }
    }
}

/// gzip members one after another; what follows the last and is none (padding, junk) is ignored,
/// as browsers do.
struct Gzip {
    member: flate2::write::GzDecoder<Sink>,
    over: bool,
}

impl Gzip {
    fn new(sink: Sink) -> Gzip {
        Gzip { member: flate2::write::GzDecoder::new(sink), over: false }
    }

    fn write_all(&mut self, mut piece: &[u8]) -> io::Result<()> {
        const MAGIC: u8 = 0x1f;
        while !piece.is_empty() && !self.over {
            let taken = self.member.write(piece)?;
            piece = piece.get(taken..).unwrap_or_default();
            if taken == 0 {
                self.member.try_finish()?;
                self.over = piece.first() != Some(&MAGIC);
                if !self.over {
                    let limits = self.member.get_ref().limits;
                    let empty = Sink { body: Vec::new(), limits, encoded: 0, stopped: None };
                    let sink = std::mem::replace(self.member.get_mut(), empty);
                    self.member = flate2::write::GzDecoder::new(sink);
                }
            }
        }
        Ok(())
    }
}

/// zstd with a bounded window, and with a look at whether the last frame was complete (the
/// library's own writer does not tell).
struct Zstd {
    raw: zstd::stream::raw::Decoder<'static>,
    buffer: Vec<u8>,
    sink: Sink,
    /// Nothing is owed to the current frame.
    complete: bool,
}

impl Zstd {
    fn new(sink: Sink) -> io::Result<Zstd> {
        let mut raw = zstd::stream::raw::Decoder::new()?;
        raw.set_parameter(zstd::stream::raw::DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
        Ok(Zstd { raw, buffer: vec![0; 32 * 1024], sink, complete: false })
    }

    fn write_all(&mut self, mut piece: &[u8]) -> io::Result<()> {
        use zstd::stream::raw::Operation;
        loop {
            let status = self.raw.run_on_buffers(piece, &mut self.buffer)?;
            let made = self.buffer.get(..status.bytes_written).unwrap_or_default();
            self.sink.write_all(made)?;
            piece = piece.get(status.bytes_read..).unwrap_or_default();
            // Empty input after the end of a frame asks for the next one: not an open frame.
            let idle = status.bytes_read == 0 && status.bytes_written == 0;
            if !idle {
                self.complete = status.remaining == 0;
            }
            if piece.is_empty() && status.bytes_written < self.buffer.len() {
                return Ok(());
            }
            if idle {
                return Err(io::Error::other("no progress"));
            }
        }
    }

    fn finish(&self) -> io::Result<()> {
        if self.complete { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn encode(encoding: &str, plain: &[u8]) -> Vec<u8> {
        match encoding {
            "gzip" => {
                let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                e.write_all(plain).unwrap();
                e.finish().unwrap()
            }
            "br" => {
                let mut out = Vec::new();
                let mut e = brotli::CompressorWriter::new(&mut out, 4096, 5, 22);
                e.write_all(plain).unwrap();
                drop(e);
                out
            }
            "zstd" => zstd::encode_all(plain, 3).unwrap(),
            _ => plain.to_vec(),
        }
    }

    const ENCODINGS: [&str; 4] = ["", "gzip", "br", "zstd"];

    fn decode(
        encoding: &str,
        wire: &[u8],
        piece: usize,
        limits: Limits,
    ) -> Result<Vec<u8>, Failure> {
        let mut body = Body::new(Some(encoding), limits)?;
        for piece in wire.chunks(piece.max(1)) {
            if !body.push(piece)? {
                return Ok(body.cut());
            }
        }
        body.finish(true)
    }

    const WIDE: Limits = Limits { cap: 1 << 24, ratio: 1_000_000, truncate: false };

    #[test]
    fn caps() {
        let plain = vec![b'x'; 5_000];
        for encoding in ENCODINGS {
            let wire = encode(encoding, &plain);
            for (cap, truncate, expect) in [
                (5_000, false, Ok(5_000)),
                (4_999, false, Err(Failure::TooLarge)),
                (4_999, true, Ok(4_999)),
                (0, true, Ok(0)),
            ] {
                let limits = Limits { cap, truncate, ..WIDE };
                let got = decode(encoding, &wire, 100, limits).map(|b| b.len());
                assert_eq!(got, expect, "{encoding} {cap}");
            }
        }
    }

    #[test]
    fn what_decodes_to_nothing_ends_at_a_bound() {
        let limits = Limits { cap: 100_000, ..WIDE };
        let page = encode("gzip", b"page");
        let junk = [&page[..], &vec![b'x'; 2_000_000]].concat();
        // Empty members, and frames of zstd that are skipped (RFC 8878 §3.1.2).
        let members = encode("gzip", b"").repeat(100_000);
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 0, 0, 1, 0][..], &[0; 65_536]].concat().repeat(30);
        for (encoding, wire) in [("gzip", junk), ("gzip", members), ("zstd", skipped)] {
            assert_eq!(decode(encoding, &wire, 4096, limits), Err(Failure::TooLarge), "{encoding}");
            let cut = Limits { truncate: true, ..limits };
            assert!(decode(encoding, &wire, 4096, cut).is_ok());
        }
        // A little of it hurts nobody.
        let little = [&page[..], &[0; 512]].concat();
        assert_eq!(decode("gzip", &little, 4096, limits), Ok(b"page".to_vec()));
    }

    #[test]
    fn bombs() {
        let plain = vec![0; 8 << 20];
        for encoding in ["gzip", "br", "zstd"] {
            let wire = encode(encoding, &plain);
            let tight = Limits { ratio: 100, ..WIDE };
            assert_eq!(decode(encoding, &wire, 4096, tight), Err(Failure::CompressionRatio));
            let small = Limits { cap: 1 << 20, ..WIDE };
            assert_eq!(decode(encoding, &wire, 4096, small), Err(Failure::TooLarge));
        }
    }

    #[test]
    fn several_members_make_one_body() {
        for encoding in ["gzip", "zstd"] {
            let wire = [encode(encoding, b"one "), encode(encoding, b"two")].concat();
            for piece in [1, 7, 1000] {
                assert_eq!(decode(encoding, &wire, piece, WIDE).unwrap(), b"one two");
            }
        }
    }

    #[test]
    fn junk_after_gzip_is_ignored() {
        for junk in [&b"\0\0\0\0\0"[..], b"\r\n", b"<!-- cached -->"] {
            let wire = [&encode("gzip", b"one"), junk].concat();
            for piece in [1, 1000] {
                assert_eq!(decode("gzip", &wire, piece, WIDE).unwrap(), b"one");
            }
        }
    }

    #[test]
    fn cut_or_broken_codings_fail() {
        let plain: Vec<u8> = (0..20_000u32).flat_map(|i| i.wrapping_mul(i).to_le_bytes()).collect();
        for encoding in ["gzip", "br", "zstd"] {
            let wire = encode(encoding, &plain);
            for cut in [1, wire.len() / 2, wire.len() - 1] {
                let got = decode(encoding, &wire[..cut], 512, WIDE);
                assert!(matches!(got, Err(Failure::Encoding(_))), "{encoding} {cut} {got:?}");
                let mut body = Body::new(Some(encoding), WIDE).unwrap();
                assert!(body.push(&wire[..cut]).unwrap());
                let got = body.finish(false);
                assert!(matches!(got, Err(Failure::Reset(_))), "{encoding} {cut} {got:?}");
            }
            let got = decode(encoding, b"<html>not compressed at all</html>", 512, WIDE);
            assert!(matches!(got, Err(Failure::Encoding(_))), "{encoding} {got:?}");
            assert_eq!(decode(encoding, b"", 512, WIDE), Ok(Vec::new()));
        }
    }

    #[test]
    fn codings_that_are_refused() {
        for encoding in ["gzip, br", "gzip, gzip", "deflate", "compress", "x"] {
            assert!(matches!(Body::new(Some(encoding), WIDE), Err(Failure::Encoding(_))));
        }
        for encoding in ["identity", "GZip", " br "] {
            assert!(Body::new(Some(encoding), WIDE).is_ok());
        }
    }

    proptest! {
        #[test]
        fn round_trip(plain in proptest::collection::vec(any::<u8>(), 0..3000), piece in 1usize..400) {
            for encoding in ENCODINGS {
                let wire = encode(encoding, &plain);
                prop_assert_eq!(&decode(encoding, &wire, piece, WIDE).unwrap(), &plain);
            }
        }

        #[test]
        fn any_bytes_end(wire in proptest::collection::vec(any::<u8>(), 0..600)) {
            for encoding in ENCODINGS {
                let _ = decode(encoding, &wire, 64, WIDE);
            }
        }
    }
}

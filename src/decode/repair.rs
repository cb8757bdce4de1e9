//! Declared one thing, written another: when do the bytes refute the declaration beyond doubt?
//! Must not know where the declaration stood.

use encoding_rs::*;

use super::{CharsetSource, guess, malformed, utf_8};

/// How well bytes read as UTF-8.
struct Utf8Evidence {
    /// Well-formed sequences of two bytes.
    two: usize,
    /// Well-formed sequences of three or four bytes.
    long: usize,
    /// Malformed sequences; one cut off by the end of the bytes is none.
    malformed: usize,
}

impl Utf8Evidence {
    fn of(bytes: &[u8]) -> Self {
        let mut evidence = Utf8Evidence { two: 0, long: 0, malformed: 0 };
        let mut last: &[u8] = b"";
        for chunk in bytes.utf8_chunks() {
            for b in chunk.valid().bytes() {
                match b {
                    0xC2..=0xDF => evidence.two += 1,
                    0xE0..=0xF4 => evidence.long += 1,
                    _ => {}
                }
            }
            evidence.malformed += usize::from(!chunk.invalid().is_empty());
            last = chunk.invalid();
        }
        let cut = std::str::from_utf8(last).is_err_and(|e| e.error_len().is_none());
        evidence.malformed -= usize::from(cut);
        evidence
    }

    fn sequences(&self) -> usize {
        self.two + self.long
    }

    /// Text in another encoding does not form UTF-8 sequences by chance: hardly ever one of three
    /// bytes in a single-byte encoding; pairs of GBK and its like do now and then, so those need
    /// more. Where the document itself says UTF-8, one is enough. A page of many sequences may hold a
    /// little rubbish besides.
    fn convincing(&self, declared: &'static Encoding, second: Option<&'static Encoding>) -> bool {
        let clean = if second == Some(UTF_8) {
            self.sequences() >= 1
        } else if declared.is_single_byte() {
            self.two + 2 * self.long >= 2
        } else {
            self.sequences() >= 6
        };
        (self.malformed == 0 && clean)
            || (self.sequences() >= 40 && self.malformed * 20 <= self.sequences())
    }
}

/// Are bytes that are UTF-8 if nothing is said just that, but for damage or a cut at their end? In
/// every other encoding malformed sequences are many more than well-formed ones.
pub(super) fn nearly_utf_8(bytes: &[u8]) -> bool {
    if utf_8(bytes).is_some() {
        return true;
    }
    let evidence = Utf8Evidence::of(bytes);
    evidence.malformed * 4 <= evidence.sequences()
}

/// The encoding to use instead of `declared`, if the bytes refute it. `second` is what a weaker
/// declaration (the page's `meta` behind the header) said.
pub(super) fn refuted(
    bytes: &[u8],
    declared: &'static Encoding,
    source: CharsetSource,
    second: Option<&'static Encoding>,
    tld: Option<&str>,
) -> Option<&'static Encoding> {
    let wide = declared == UTF_16LE || declared == UTF_16BE;
    if matches!(source, CharsetSource::Utf8 | CharsetSource::Detected)
        || (wide && source == CharsetSource::Bom)
    {
        return None;
    }
    if wide {
        // Markup in UTF-16 is full of zero bytes; without any it is not UTF-16.
        return memchr::memchr(0, bytes).is_none().then(|| other(bytes, declared, second, tld));
    }
    if declared == UTF_8 && utf_8(bytes).is_some() {
        return None;
    }
    let utf8 = Utf8Evidence::of(bytes);
    if declared == UTF_8 {
        let hopeless = utf8.malformed > utf8.sequences();
        return hopeless
            .then(|| other(bytes, declared, second, tld))
            .filter(|&better| better != UTF_8);
    }
    if utf8.convincing(declared, second) {
        return Some(UTF_8);
    }
    if declared == REPLACEMENT {
        return Some(other(bytes, declared, second, tld));
    }
    if declared == ISO_2022_JP || utf8.sequences() + utf8.malformed == 0 {
        return None;
    }
    if is_latin(declared) {
        if !other_script(bytes) {
            return None;
        }
        let better = other(bytes, declared, second, tld);
        return (!is_latin(better)).then_some(better);
    }
    // Another script was declared: believe the page's own word if the detector agrees, and the
    // detector alone only against an encoding that the bytes are not well-formed in.
    let broken = !declared.is_single_byte() && malformed(declared, bytes);
    // Guessing costs more than all else that is done with a page: only where some guess counts.
    let counts = |guess: &'static Encoding| {
        guess != declared && !same_family(guess, declared) && !malformed(guess, bytes)
    };
    let some = second.is_some_and(counts) || broken && MULTI_BYTE.into_iter().any(counts);
    if !some {
        return None;
    }
    let guessed = guess(bytes, tld)?;
    let agreed = second == Some(guessed);
    (counts(guessed) && (agreed || (broken && !guessed.is_single_byte()))).then_some(guessed)
}

/// What the bytes are if not `declared`: the weaker declaration where it fits, else a guess.
fn other(
    bytes: &[u8],
    declared: &'static Encoding,
    second: Option<&'static Encoding>,
    tld: Option<&str>,
) -> &'static Encoding {
    if let Some(second) = second
        && second != declared
        && !malformed(second, bytes)
        && !(is_latin(second) && other_script(bytes))
    {
        return second;
    }
    guess(bytes, tld).unwrap_or(UTF_8)
}

/// The encodings that [`guess`] knows and whose characters take several bytes.
const MULTI_BYTE: [&Encoding; 6] = [GBK, BIG5, EUC_JP, EUC_KR, SHIFT_JIS, ISO_2022_JP];

/// Single-byte encodings of Latin script.
pub(super) fn is_latin(encoding: &'static Encoding) -> bool {
    [
        WINDOWS_1252,
        WINDOWS_1250,
        WINDOWS_1254,
        WINDOWS_1257,
        WINDOWS_1258,
        ISO_8859_2,
        ISO_8859_3,
        ISO_8859_4,
        ISO_8859_10,
        ISO_8859_13,
        ISO_8859_14,
        ISO_8859_15,
        ISO_8859_16,
        MACINTOSH,
    ]
    .contains(&encoding)
}

/// GB 18030 extends GBK: the same text decodes alike.
fn same_family(a: &'static Encoding, b: &'static Encoding) -> bool {
    [GBK, GB18030].contains(&a) && [GBK, GB18030].contains(&b)
}

/// In Latin script, letters beyond ASCII stand alone or in twos; in text of another script almost
/// all high bytes stand in runs of three and more.
pub(super) fn other_script(bytes: &[u8]) -> bool {
    let (mut high, mut in_runs) = (0usize, 0usize);
    for run in bytes.chunk_by(|a, b| (a >= &0x80) == (b >= &0x80)) {
        if run.first().is_some_and(|&b| b >= 0x80) {
            high += run.len();
            in_runs += if run.len() >= 3 { run.len() } else { 0 };
        }
    }
    high >= 20 && in_runs * 10 > high * 6
}

//! Bytes and headers → text. Which encoding a page is in is decided as the WHATWG standards say
//! (HTML §13.2.3.2 "Determining the character encoding", Encoding §4, Fetch "extract a MIME
//! type"); a declaration that the bytes refute beyond doubt is repaired afterwards, visibly.
//!
//! Never fails: what cannot be decoded becomes U+FFFD. Must not know: the network, the DOM, what
//! the text is used for.

mod header;
mod mend;
mod prescan;
mod repair;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes that the `meta` prescan looks at (HTML §13.2.3.2, step 5).
const PRESCAN: usize = 1024;
/// A `meta` behind the prescan still changes the encoding in browsers ("changing the encoding
/// while parsing"), as long as nothing better was known; we look so far.
const LATE_META: usize = 64 * 1024;

/// What decided the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CharsetSource {
    /// Byte order mark.
    Bom,
    /// `charset` of the transport's Content-Type.
    Header,
    /// `<meta charset>` or `<meta http-equiv=content-type>`.
    Meta,
    /// XML declaration.
    Prolog,
    /// Nothing declared, and the bytes are UTF-8, but for a little damage.
    Utf8,
    /// Nothing declared: guessed from the bytes.
    Detected,
    /// Declared wrongly beyond doubt: what the bytes show was used instead of the declaration.
    Repaired,
}

impl CharsetSource {
    /// The stable short name, as stored and printed.
    pub fn name(self) -> &'static str {
        match self {
            CharsetSource::Bom => "bom",
            CharsetSource::Header => "header",
            CharsetSource::Meta => "meta",
            CharsetSource::Prolog => "prolog",
            CharsetSource::Utf8 => "utf8",
            CharsetSource::Detected => "detected",
            CharsetSource::Repaired => "repaired",
        }
    }
}

/// Decoded text and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// Without byte order mark; the bytes themselves, where they are well-formed UTF-8.
    pub text: Cow<'a, str>,
    /// WHATWG name of the encoding used, e.g. `windows-1251`.
    pub encoding: &'static str,
    pub source: CharsetSource,
    /// Some bytes were malformed and became U+FFFD.
    pub replaced: bool,
    /// Characters of an HTML page that had been encoded twice ("â€™" for "’") and were read back.
    pub mended: usize,
}

/// The encoding that an HTML page declares, in the order in which browsers ask: BOM, transport header,
/// `meta` prescan, XML declaration; if nothing does, detection ([`detect`]). `tld` is the last label of
/// the host's name, which helps detection.
pub fn sniff(
    bytes: &[u8],
    content_type: Option<&str>,
    tld: Option<&str>,
) -> (&'static Encoding, CharsetSource) {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return (encoding, CharsetSource::Bom);
    }
    if let Some(encoding) = content_type.and_then(header::charset) {
        return (encoding, CharsetSource::Header);
    }
    if let Some(found) = prescan::html(head(bytes, PRESCAN)) {
        return found;
    }
    // What a late `meta` says of UTF-8 is judged by the repair, as what an early one says.
    detect(bytes, tld, || {
        late_meta(bytes)
            .filter(|late| *late == UTF_8 || late.is_single_byte() || !malformed(late, bytes))
    })
}

/// The encoding that a `meta` behind the prescan names.
fn late_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    match prescan::html(head(bytes, LATE_META)) {
        Some((late, CharsetSource::Meta)) if bytes.len() > PRESCAN => Some(late),
        _ => None,
    }
}

/// An HTML page: [`sniff`], then repair of what is declared wrongly beyond doubt, then of what was
/// encoded twice. (Feeds are not mended: what names their entries must stay as it is.)
///
/// A publisher whose server says ISO-8859-1 while every page is UTF-8 is read by nobody in a
/// browser, but it must not be lost to us. So the declaration stands unless the bytes refute it:
/// they are UTF-8 though something else was declared; they are not UTF-8 though it was declared
/// (more malformed than well-formed sequences); or a Latin encoding was declared and long runs of
/// high bytes show another script. The other encoding is then the page's own `meta` if it fits,
/// else the detector's guess, and the source says [`CharsetSource::Repaired`].
pub fn html<'a>(bytes: &'a [u8], content_type: Option<&str>, tld: Option<&str>) -> Decoded<'a> {
    let (encoding, source) = sniff(bytes, content_type, tld);
    let second = || match source {
        CharsetSource::Bom | CharsetSource::Header => {
            prescan::html(head(bytes, PRESCAN)).map(|(e, _)| e).or_else(|| late_meta(bytes))
        }
        _ => None,
    };
    let decoded = decode(bytes, encoding, source, second, tld);
    let (text, mended) = mend::mend(decoded.text);
    Decoded { text, mended, ..decoded }
}

/// A feed or a list of feeds: by the rules of JSON where it begins with a brace ([`json`]), else by
/// those of XML ([`xml`]).
pub fn feed<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if text.trim_ascii_start().starts_with(b"{") {
        json(bytes, content_type)
    } else {
        xml(bytes, content_type)
    }
}

/// An XML document (1.0 appendix F, RFC 7303 §3.2): BOM, transport header, UTF-16 recognised by the
/// first characters, XML declaration, detection; then repair as for [`html`].
fn xml<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let declared = prescan::prolog(head(bytes, PRESCAN));
    let (encoding, source) = if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        (encoding, CharsetSource::Bom)
    } else if let Some(encoding) = utf_16(bytes) {
        // UTF-16 is evident from the bytes: no charset parameter can make it something else.
        (encoding, CharsetSource::Detected)
    } else if let Some(encoding) = content_type.and_then(header::charset) {
        (encoding, CharsetSource::Header)
    } else if let Some(encoding) = declared {
        (encoding, CharsetSource::Prolog)
    } else {
        detect(bytes, None, || None)
    };
    let second = || declared.filter(|_| source == CharsetSource::Header);
    decode(bytes, encoding, source, second, None)
}

/// A JSON document: UTF-8 (RFC 8259 §8.1), UTF-16 where the bytes show it, and for the rest what
/// the header says or detection finds.
fn json<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let (encoding, source) = if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        (encoding, CharsetSource::Bom)
    } else if let Some(encoding) = utf_16(bytes) {
        (encoding, CharsetSource::Detected)
    } else if utf_8(bytes).is_some() {
        (UTF_8, CharsetSource::Utf8)
    } else if let Some(encoding) = content_type.and_then(header::charset) {
        (encoding, CharsetSource::Header)
    } else {
        detect(bytes, None, || None)
    };
    decode(bytes, encoding, source, || None, None)
}

/// `second` is asked for a weaker declaration where the first is in doubt.
fn decode<'a>(
    bytes: &'a [u8],
    declared: &'static Encoding,
    source: CharsetSource,
    second: impl FnOnce() -> Option<&'static Encoding>,
    tld: Option<&str>,
) -> Decoded<'a> {
    // Most pages: what is valid UTF-8 and says so is neither examined nor repaired.
    if declared == UTF_8
        && let Some(text) = utf_8(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
    {
        return Decoded { text, encoding: declared.name(), source, replaced: false, mended: 0 };
    }
    let (encoding, source) = match repair::refuted(bytes, declared, source, second(), tld) {
        Some(better) => (better, CharsetSource::Repaired),
        None => (declared, source),
    };
    let (text, replaced) = encoding.decode_with_bom_removal(bytes);
    Decoded { text, encoding: encoding.name(), source, replaced, mended: 0 }
}

/// The encoding of undeclared bytes, of pages and feeds alike: UTF-8 if they are that, even where a few
/// are broken or the last character is cut (XML 1.0 §4.3.3 makes it the default), else the `late`
/// declaration, which stands too far behind to be one, else a guess. That is asked last, but of ASCII
/// with escapes: it costs more than all else that is done with a page.
fn detect(
    bytes: &[u8],
    tld: Option<&str>,
    late: impl FnOnce() -> Option<&'static Encoding>,
) -> (&'static Encoding, CharsetSource) {
    let mut told = utf_16(bytes);
    if told.is_none() && repair::nearly_utf_8(bytes) {
        // ISO-2022-JP consists of ASCII bytes alone, among them escapes, and would pass as UTF-8.
        let escaped = bytes.is_ascii().then(|| guess(bytes, tld)).flatten();
        told = escaped.filter(|encoding| *encoding == ISO_2022_JP);
        if told.is_none() {
            return (UTF_8, CharsetSource::Utf8);
        }
    }
    if let Some(late) = late() {
        return (late, CharsetSource::Meta);
    }
    match told.or_else(|| guess(bytes, tld)) {
        Some(encoding) => (encoding, CharsetSource::Detected),
        None => (UTF_8, CharsetSource::Utf8),
    }
}

/// chardetng's guess among the encodings that are not UTF-8; `None` for what needs no guess:
/// valid UTF-8 without escape sequences.
fn guess(bytes: &[u8], tld: Option<&str>) -> Option<&'static Encoding> {
    if memchr::memchr(0x1B, bytes).is_none() && utf_8(bytes).is_some() {
        return None;
    }
    // The detector panics on anything but a lower-case ASCII label.
    let tld = tld
        .map(str::to_ascii_lowercase)
        .filter(|t| t.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
    let ask = |bytes: &[u8]| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        let foreign = detector.feed(bytes, true);
        let tld = tld.as_ref().map(|t| t.as_bytes());
        (foreign || memchr::memchr(0x1B, bytes).is_some())
            .then(|| detector.guess(tld, Utf8Detection::Deny))
    };
    let whole = ask(bytes)?;
    if !repair::is_latin(whole) || !repair::other_script(bytes) {
        return Some(whole);
    }
    // One malformed byte disqualifies an encoding, and Latin is left over: let parts vote.
    let mut votes: Vec<(&'static Encoding, usize)> = Vec::new();
    let part = (bytes.len() / 32).max(512);
    for encoding in bytes.chunks(part).filter(|part| repair::other_script(part)).filter_map(ask) {
        match votes.iter_mut().find(|(e, _)| *e == encoding) {
            Some((_, n)) => *n += 1,
            None => votes.push((encoding, 1)),
        }
    }
    let best = votes.iter().filter(|(e, _)| !repair::is_latin(e)).max_by_key(|(_, n)| *n);
    Some(best.map_or(whole, |(e, _)| *e))
}

/// The text of bytes that are well-formed UTF-8.
fn utf_8(bytes: &[u8]) -> Option<Cow<'_, str>> {
    UTF_8.decode_without_bom_handling_and_without_replacement(bytes)
}

/// UTF-16 without a BOM: markup and JSON begin with ASCII characters, so one byte of each of the
/// first pairs is zero.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let pairs = head(bytes, 64).chunks_exact(2);
    let total = pairs.len();
    if total < 4 {
        return None;
    }
    let (mut little, mut big) = (0, 0);
    for pair in pairs {
        match pair {
            [0, b] if (1..0x80).contains(b) => big += 1,
            [a, 0] if (1..0x80).contains(a) => little += 1,
            _ => {}
        }
    }
    if little * 4 >= total * 3 {
        Some(UTF_16LE)
    } else if big * 4 >= total * 3 {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Does decoding meet malformed sequences? A sequence cut off by the end of the bytes is no error.
fn malformed(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    if encoding == REPLACEMENT {
        return true;
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = [0u8; 4096];
    let mut rest = bytes;
    loop {
        let (result, read, _) =
            decoder.decode_to_utf8_without_replacement(rest, &mut buffer, false);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            encoding_rs::DecoderResult::InputEmpty => return false,
            encoding_rs::DecoderResult::OutputFull => {}
            encoding_rs::DecoderResult::Malformed(..) => return true,
        }
    }
}

fn head(bytes: &[u8], n: usize) -> &[u8] {
    bytes.get(..n).unwrap_or(bytes)
}

#[cfg(test)]
mod tests;

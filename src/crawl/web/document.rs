//! What a document is that is sent as a page and is none: a feed, JSON, or a file of some program.
//!
//! Must not know: how it was asked for, what becomes of it.

use serde::de::IgnoredAny;

use crate::feed;

/// How files begin (WHATWG MIME Sniffing §6, and a few that it leaves out). No page begins so: letters that a text
/// could begin with go on with octets that it could not.
const SIGNATURES: [(&[u8], &str); 33] = [
    (b"%PDF-", "a PDF file"),
    (b"%!PS-Adobe-", "a PostScript file"),
    (b"{\\rtf", "an RTF file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office file"),
    (b"PK\x03\x04", ARCHIVE),
    (b"PK\x05\x06", ARCHIVE),
    (b"\x1f\x8b\x08", ARCHIVE),
    (b"BZh91AY&SY", ARCHIVE),
    (b"\x28\xb5\x2f\xfd", ARCHIVE),
    (b"\xfd7zXZ\0", ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", ARCHIVE),
    (b"Rar!\x1a\x07", ARCHIVE),
    (b"\x89PNG\r\n\x1a\n", IMAGE),
    (b"\xff\xd8\xff", IMAGE),
    (b"GIF87a", IMAGE),
    (b"GIF89a", IMAGE),
    (b"II*\0", IMAGE),
    (b"MM\0*", IMAGE),
    (b"\0\0\x01\0", IMAGE),
    (b"ID3\x02", MEDIA),
    (b"ID3\x03", MEDIA),
    (b"ID3\x04", MEDIA),
    (b"\xff\xfb", MEDIA),
    (b"OggS\0", MEDIA),
    (b"fLaC\0", MEDIA),
    (b"MThd\0", MEDIA),
    (b"FLV\x01", MEDIA),
    (b"\x1a\x45\xdf\xa3", MEDIA),
    (b"wOFF\0\x01\0\0", FONT),
    (b"wOF2", FONT),
    (b"OTTO\0", FONT),
    (b"\0\x01\0\0\0", FONT),
    (b"\0asm\x01", "a program"),
];
/// A document for programs that read feeds.
pub const FEED: &str = "a feed";
const ARCHIVE: &str = "an archive";
const IMAGE: &str = "an image";
const MEDIA: &str = "sound or video";
const FONT: &str = "a font";

/// What a document is instead of a page, by its bytes and what they were decoded to, whatever it is sent as: else what
/// a file holds would count as the text of an article, and a feed with all that it says as one.
pub fn no_page(bytes: &[u8], text: &str) -> Option<&'static str> {
    let begins = SIGNATURES.iter().find(|(start, _)| bytes.starts_with(start));
    begins
        .map(|(_, what)| *what)
        .or_else(|| container(bytes))
        .or_else(|| feed::is_feed(text).then_some(FEED))
        .or_else(|| is_json(text).then_some("JSON"))
}

/// Files that say only after their length what they are.
fn container(bytes: &[u8]) -> Option<&'static str> {
    let kind = bytes.get(8..12).unwrap_or_default();
    match (bytes.get(..4)?, bytes.get(4..8).unwrap_or_default()) {
        (b"RIFF", _) if kind == b"WEBP" => Some(IMAGE),
        (b"RIFF", _) if matches!(kind, b"WAVE" | b"AVI ") => Some(MEDIA),
        // The first length is small, so it is no text.
        ([0, 0, ..], b"ftyp")
            if matches!(kind, b"avif" | b"avis" | b"heic" | b"heix" | b"mif1") =>
        {
            Some(IMAGE)
        }
        ([0, 0, ..], b"ftyp") => Some(MEDIA),
        _ => None,
    }
}

/// Is it a whole object or list of JSON? What programs ask for has no paragraphs.
fn is_json(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace());
    start.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(start).is_ok()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    /// Pictures, archives and answers for programs that were sent as HTML were articles.
    #[test]
    fn files_and_answers_for_programs_are_no_pages() {
        let check = |bytes: &[u8], expect: Option<&str>| {
            let text: Cow<str> = String::from_utf8_lossy(bytes);
            assert_eq!(no_page(bytes, &text), expect, "{text:?}");
        };
        check(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", Some("a PDF file"));
        check(b"\xff\xd8\xff\xe0\0\x10JFIF", Some(IMAGE));
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some(IMAGE));
        check(b"GIF89a\x01\0", Some(IMAGE));
        check(b"RIFF\x24\0\0\0WEBPVP8 ", Some(IMAGE));
        check(b"\0\0\0\x1cftypavif", Some(IMAGE));
        check(b"\0\0\0\x18ftypmp42", Some(MEDIA));
        check(b"RIFF\x24\0\0\0WAVEfmt ", Some(MEDIA));
        check(b"ID3\x04\0", Some(MEDIA));
        check(b"PK\x03\x04\x14\0", Some(ARCHIVE));
        check(b"\x1f\x8b\x08\0", Some(ARCHIVE));
        check(b"wOF2\0\x01\0\0", Some(FONT));
        check(b"{\\rtf1\\ansi The council voted.}", Some("an RTF file"));
        check(b"<rss version=\"2.0\"><channel>", Some(FEED));
        check(
            b"\xef\xbb\xbf\n{\"title\": \"The council voted\", \"body\": [\"<p>It did.\"]}",
            Some("JSON"),
        );
        check(b"[{\"title\": \"The council voted\"}]", Some("JSON"));
        // Texts that begin alike.
        check(b"<!doctype html><p>The council voted.", None);
        check(b"ID3, the small car, is here.", None);
        check(b"RIFF is a format. WAVE is another.", None);
        check(b"PK said so. GIF too.", None);
        check(b"{{ template }}<p>The council voted.", None);
        check(b"[Reuters] The council voted.", None);
        check(b"{\"cut\": \"short", None);
        check(b"PK", None);
        check(b"", None);
    }
}

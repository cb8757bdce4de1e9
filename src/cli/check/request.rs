//! A request of the filter: one JSON object, read straight into its few fields; what else stands in it
//! is passed over without a copy.
//!
//! Must not know: what the fields are for.

use std::fmt;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Longest request line, bytes: a feed of the largest size in base64 fits.
pub(super) const LINE: u64 = 32 << 20;
/// Most bytes of a file: as many as a line could carry.
pub(super) const LARGEST: u64 = LINE / 4 * 3;
/// Where in a line that is no request its id is looked for, bytes.
const HEAD: usize = 64 << 10;

/// With padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A request of any topic; each uses its own keys.
#[derive(Default)]
pub(super) struct Request {
    /// As it was written.
    pub id: Option<Box<RawValue>>,
    pub url: Option<String>,
    pub base: Option<String>,
    pub user_agent: Option<String>,
    pub content_type: Option<String>,
    robots_b64: Option<String>,
    bytes_b64: Option<String>,
    file: Option<String>,
}

impl Request {
    pub(super) fn parse(line: &[u8]) -> Result<Request> {
        let text = std::str::from_utf8(line)
            .map_err(|e| anyhow::anyhow!("byte {} is not UTF-8", e.valid_up_to() + 1))?;
        Ok(serde_json::from_slice(text.as_bytes())?)
    }

    /// The document that the request brings or names.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        match self.document() {
            Some(bytes) => bytes,
            None => bail!("`bytes_b64` or `file` is missing"),
        }
    }

    /// The robots.txt that the request brings or names.
    pub(super) fn robots(&self) -> Result<Vec<u8>> {
        match &self.robots_b64 {
            Some(text) => base64(text, "robots_b64"),
            None => self.document().context("`robots_b64` or `file` is missing")?,
        }
    }

    fn document(&self) -> Option<Result<Vec<u8>>> {
        match (&self.bytes_b64, &self.file) {
            (Some(text), _) => Some(base64(text, "bytes_b64")),
            (None, Some(path)) => Some(regular(path)),
            (None, None) => None,
        }
    }
}

/// A regular file: a pipe or a device may have no end.
fn regular(path: &str) -> Result<Vec<u8>> {
    let cannot = || format!("cannot read {path}");
    if !std::fs::metadata(path).with_context(cannot)?.is_file() {
        bail!("{path} is not a regular file");
    }
    super::bounded(std::fs::File::open(path).with_context(cannot)?, path)
}

fn base64(text: &str, key: &str) -> Result<Vec<u8>> {
    let broken = text.bytes().any(|b| b.is_ascii_whitespace());
    let decoded = if broken {
        BASE64.decode(text.split_ascii_whitespace().collect::<String>())
    } else {
        BASE64.decode(text)
    };
    decoded.with_context(|| format!("`{key}` is not base64"))
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Request, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Request;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Request, A::Error> {
                let mut request = Request::default();
                while let Some(Text(name)) = map.next_key()? {
                    let field = match name.as_str() {
                        "id" => {
                            request.id = Some(map.next_value()?);
                            continue;
                        }
                        "url" => &mut request.url,
                        "base" => &mut request.base,
                        "user_agent" => &mut request.user_agent,
                        "content_type" => &mut request.content_type,
                        "robots_b64" => &mut request.robots_b64,
                        "bytes_b64" => &mut request.bytes_b64,
                        "file" => &mut request.file,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    let value: Option<Text> =
                        map.next_value().map_err(|e| A::Error::custom(format!("`{name}`: {e}")))?;
                    *field = value.map(|Text(text)| text);
                }
                Ok(request)
            }
        }
        from.deserialize_map(Fields)
    }
}

/// A string in which half a character, `\ud800`, became U+FFFD; other programs write such.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Text;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text, E> {
                let mut text = String::with_capacity(bytes.len());
                for chunk in bytes.utf8_chunks() {
                    text.push_str(chunk.valid());
                    // Three bytes, each a chunk of its own, of which the first leads.
                    if chunk.invalid().first().is_some_and(|byte| byte & 0xC0 != 0x80) {
                        text.push(char::REPLACEMENT_CHARACTER);
                    }
                }
                Ok(Text(text))
            }
        }
        from.deserialize_bytes(Bytes)
    }
}

/// The id of a line that is no request, as far as it can be read: the first value of that name in the
/// outermost object.
pub(super) fn id(line: &[u8]) -> Option<Box<RawValue>> {
    let line = line.get(..HEAD).unwrap_or(line).trim_ascii_start();
    if line.first() != Some(&b'{') {
        return None;
    }
    let (mut depth, mut at) = (0usize, 0);
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => {
                let end = at + string(line.get(at..)?)?;
                let rest = line.get(end..)?.trim_ascii_start();
                if depth == 1
                    && line.get(at..end) == Some(b"\"id\"")
                    && let Some(value) = rest.strip_prefix(b":")
                {
                    return whole(value);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1).filter(|depth| *depth > 0)?,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Length of the string that begins here, quotes included.
fn string(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    let end = text.iter().skip(1).position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map(|end| end + 2)
}

/// The value that begins here, unless the text may end within it.
fn whole(text: &[u8]) -> Option<Box<RawValue>> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<Box<RawValue>>();
    let value = values.next()?.ok()?;
    (values.byte_offset() < text.len()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_lines_that_are_no_requests() {
        for (line, expect) in [
            (&b"{\"id\":1,\"url\":\"\xff\"}"[..], Some("1")),
            (
                b"{\"a\":{\"id\":2},\"b\":[\"id\",\"\\\"id\\\":\"],\"id\": \"x\\\"y\" ,",
                Some("\"x\\\"y\""),
            ),
            (b"{\"id\":{\"n\":[1]},", Some("{\"n\":[1]}")),
            (b"{\"id\":12345678901234567890123 }x", Some("12345678901234567890123")),
            (b"{\"url\":\"a\"} {\"id\":4}", None),
            (b"[{\"id\":5}]", None),
            (b"{\"id\":6", None),
            (b"{\"id\":\"cut", None),
            (b"{\"id", None),
            (b"", None),
        ] {
            let found = id(line).map(|value| value.get().to_owned());
            assert_eq!(found.as_deref(), expect, "{}", String::from_utf8_lossy(line));
        }
        let late = [b"{\"a\":\"".to_vec(), vec![b'x'; HEAD], b"\",\"id\":1}".to_vec()].concat();
        assert!(id(&late).is_none());
    }

    #[test]
    fn base64_with_and_without_padding_and_line_breaks() {
        for text in ["YWI=", "YWI", "Y W\r\nI=\n", "YW\tI"] {
            assert_eq!(base64(text, "x").unwrap(), b"ab", "{text:?}");
        }
        for text in ["?", "Y", "YW=I"] {
            assert!(base64(text, "x").is_err(), "{text}");
        }
    }

    #[test]
    fn requests() {
        let parse = |line: &str| Request::parse(line.as_bytes());
        let request = parse(r#"{"url":"a\ud800b\ud83d\ude00","id":1.10,"base":null}"#).unwrap();
        assert_eq!(request.url.as_deref(), Some("a\u{fffd}b\u{1f600}"));
        assert_eq!((request.id.unwrap().get(), request.base), ("1.10", None));
        let deep = format!("{{\"x\":{}{},\"url\":\"a\"}}", "[".repeat(500), "]".repeat(500));
        assert_eq!(parse(&deep).unwrap().url.as_deref(), Some("a"));
        let empty = parse("{}").unwrap();
        let said = |read: Result<Vec<u8>>| read.unwrap_err().to_string();
        assert_eq!(said(empty.robots()), "`robots_b64` or `file` is missing");
        assert_eq!(said(empty.bytes()), "`bytes_b64` or `file` is missing");
        let said = |line: &str| parse(line).err().unwrap().to_string();
        assert!(said(r#"["a"]"#).contains("expected a JSON object"));
        assert!(
            said(r#"{"url":7}"#).starts_with("`url`: invalid type: integer `7`, expected a string")
        );
        assert!(said(r#"{"url":"a"} more"#).contains("trailing"));
    }
}

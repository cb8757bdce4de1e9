//! "Prescan a byte stream to determine its encoding" and "get an XML encoding" of the HTML
//! standard (§13.2.3.2), byte for byte. Must not know what comes after the prescan.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::CharsetSource;

/// More attributes than any honest `meta` has; a longer list is not searched for duplicates, so
/// that a hostile head stays linear.
const MAX_ATTRIBUTES: usize = 64;

/// The encoding declared within `bytes` (which the caller cuts to the prescan's length).
pub(super) fn html(bytes: &[u8]) -> Option<(&'static Encoding, CharsetSource)> {
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some((UTF_16LE, CharsetSource::Prolog));
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some((UTF_16BE, CharsetSource::Prolog));
    }
    match meta(bytes) {
        Some(encoding) => Some((encoding, CharsetSource::Meta)),
        None => prolog(bytes).map(|encoding| (encoding, CharsetSource::Prolog)),
    }
}

/// "Get an XML encoding". The declaration ends at its `>`: what stands behind it is content.
pub(super) fn prolog(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|&b| b == b'>')?;
    let declaration = declaration.get(..end)?;
    let at = declaration.windows(8).position(|w| w == b"encoding")?;
    let rest = skip_controls(declaration.get(at + 8..)?);
    let rest = skip_controls(rest.strip_prefix(b"=")?);
    let (&quote, rest) = rest.split_first()?;
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    let label = rest.get(..rest.iter().position(|&b| b == quote)?)?;
    if label.iter().any(|&b| b <= 0x20) {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn skip_controls(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&b| b > 0x20).unwrap_or(bytes.len());
    bytes.get(start..).unwrap_or_default()
}

fn is_space(b: u8) -> bool {
    matches!(b, 0x09 | 0x0A | 0x0C | 0x0D | 0x20)
}

/// The prescan's loop; `None` when it runs out of bytes, even in the middle of a `meta`.
fn meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'<', bytes.get(at..)?)?;
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"<!--") {
            // The dashes of `<!--` may be those of `-->`, so `<!-->` is a whole comment.
            at += 2 + memchr::memmem::find(rest.get(2..)?, b"-->")? + 2;
        } else if is_meta(rest) {
            at += 5;
            if let Some(encoding) = meta_element(bytes, &mut at)? {
                return Some(encoding);
            }
        } else if is_tag(rest) {
            at += rest.iter().position(|&b| is_space(b) || b == b'>')?;
            while attribute(bytes, &mut at)?.is_some() {}
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            at += memchr::memchr(b'>', rest)?;
        }
        at += 1;
    }
}

fn is_meta(rest: &[u8]) -> bool {
    rest.get(1..5).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
        && rest.get(5).is_some_and(|&b| is_space(b) || b == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest.get(1) {
        Some(b'/') => rest.get(2).is_some_and(u8::is_ascii_alphabetic),
        Some(b) => b.is_ascii_alphabetic(),
        None => false,
    }
}

/// One `meta` element from behind its name on. Outer `None`: out of bytes.
fn meta_element(bytes: &[u8], at: &mut usize) -> Option<Option<&'static Encoding>> {
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let mut got_pragma = false;
    let mut need_pragma = None;
    // Outer `None`: no charset yet; inner `None`: a label that names no encoding.
    let mut charset: Option<Option<&'static Encoding>> = None;
    while let Some((name, value)) = attribute(bytes, at)? {
        if seen.contains(&name) {
            continue;
        }
        match name.as_slice() {
            b"http-equiv" if value == b"content-type" => got_pragma = true,
            b"content" if charset.is_none() => {
                if let Some(encoding) = from_content(&value) {
                    charset = Some(Some(encoding));
                    need_pragma = Some(true);
                }
            }
            b"charset" => {
                charset = Some(Encoding::for_label(&value));
                need_pragma = Some(false);
            }
            _ => {}
        }
        if seen.len() < MAX_ATTRIBUTES {
            seen.push(name);
        }
    }
    let usable = match need_pragma {
        None => false,
        Some(needs) => !needs || got_pragma,
    };
    Some(if usable { charset.flatten().map(as_meta) } else { None })
}

/// A `meta` that could be read as ASCII cannot be UTF-16, and x-user-defined means windows-1252.
fn as_meta(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// "Get an attribute": name and value in lower case. Outer `None`: out of bytes; inner `None`: no
/// further attribute.
fn attribute(bytes: &[u8], at: &mut usize) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
    while is_space(*bytes.get(*at)?) || bytes.get(*at) == Some(&b'/') {
        *at += 1;
    }
    if bytes.get(*at) == Some(&b'>') {
        return Some(None);
    }
    // As long as most are.
    let (mut name, mut value) = (Vec::with_capacity(16), Vec::with_capacity(64));
    loop {
        match *bytes.get(*at)? {
            b'=' if !name.is_empty() => break,
            b if is_space(b) => break,
            b'/' | b'>' => return Some(Some((name, value))),
            b => name.push(b.to_ascii_lowercase()),
        }
        *at += 1;
    }
    while is_space(*bytes.get(*at)?) {
        *at += 1;
    }
    if bytes.get(*at) != Some(&b'=') {
        return Some(Some((name, value)));
    }
    *at += 1;
    while is_space(*bytes.get(*at)?) {
        *at += 1;
    }
    match *bytes.get(*at)? {
        quote @ (b'"' | b'\'') => {
            *at += 1;
            while *bytes.get(*at)? != quote {
                value.push(bytes.get(*at)?.to_ascii_lowercase());
                *at += 1;
            }
            *at += 1;
        }
        _ => loop {
            match *bytes.get(*at)? {
                b if is_space(b) || b == b'>' => break,
                b => value.push(b.to_ascii_lowercase()),
            }
            *at += 1;
        },
    }
    Some(Some((name, value)))
}

/// "Extract a character encoding from a meta element" (§2.6.5 of the HTML standard). `value` is
/// in lower case.
fn from_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let found = memchr::memmem::find(rest, b"charset")?;
        rest = skip_spaces(rest.get(found + 7..)?);
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = skip_spaces(after);
            break;
        }
    }
    let label = match *rest.first()? {
        quote @ (b'"' | b'\'') => {
            let quoted = rest.get(1..)?;
            quoted.get(..quoted.iter().position(|&b| b == quote)?)?
        }
        _ => {
            let end = rest.iter().position(|&b| is_space(b) || b == b';').unwrap_or(rest.len());
            rest.get(..end)?
        }
    };
    Encoding::for_label(label)
}

fn skip_spaces(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&b| !is_space(b)).unwrap_or(bytes.len());
    bytes.get(start..).unwrap_or_default()
}

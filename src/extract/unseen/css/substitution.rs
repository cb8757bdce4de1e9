//! Values that browsers fill in once they know the element. Must not know: properties.

use super::scan::string;

/// Is there anything that browsers fill in once they know the element: the value of a name, of an attribute, of the
/// machine or of a function of the page? Then the declaration counts, whatever else it says (CSS Values Level 5 §6).
pub(super) fn is_filled_in(value: &str) -> bool {
    let bytes = value.as_bytes();
    let has_colon = value.contains(':');
    let (mut at, mut name) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' => at = string(bytes, at),
            b'(' => {
                let inner = value[at + 1..].trim_ascii_start();
                let is = |asked: fn(u8) -> bool| inner.bytes().next().is_some_and(asked);
                let filled = match &value[name..at] {
                    "var" => is_name_of_value(inner),
                    "env" | "attr" => is(|b| b.is_ascii_alphabetic() || b == b'-'),
                    "if" => has_colon && !is(|b| b == b')'),
                    // An address ends where its bracket does.
                    "url" if !is(|b| matches!(b, b'"' | b'\'')) => {
                        at += memchr::memchr(b')', &bytes[at..]).unwrap_or(bytes.len() - at);
                        false
                    }
                    own => own.len() > 2 && own.starts_with("--"),
                };
                if filled {
                    return true;
                }
            }
            _ => {}
        }
        let in_name = bytes.get(at).is_some_and(|b| is_of_name(*b));
        at += 1;
        if !in_name {
            name = at;
        }
    }
    false
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..)
}

/// Does a text begin with the name of a value, and nothing else up to the comma or the bracket's end?
fn is_name_of_value(text: &str) -> bool {
    let length = text.bytes().take_while(|b| is_of_name(*b)).count();
    let after = text[length..].trim_ascii_start();
    text.starts_with("--") && (after.is_empty() || after.starts_with([',', ')']))
}

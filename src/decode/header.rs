//! The charset of a Content-Type header (Fetch "legacy extract an encoding", "extract a MIME
//! type"; WHATWG MIME Sniffing §4.4). Must not know the body.

use encoding_rs::Encoding;

/// The encoding that a Content-Type names. Several headers joined by commas: the last valid type
/// counts, and inherits the charset of an earlier one of the same essence.
pub(super) fn charset(content_type: &str) -> Option<&'static Encoding> {
    let mut essence = String::new();
    let mut charset: Option<String> = None;
    for part in lines(content_type) {
        let (this, parameters) = part.split_once(';').unwrap_or((part, ""));
        let this = this.trim().to_ascii_lowercase();
        if !valid_essence(&this) || this == "*/*" {
            continue;
        }
        let own = parameter(parameters, "charset");
        if this != essence {
            essence = this;
            charset = own;
        } else if own.is_some() {
            charset = own;
        }
    }
    Encoding::for_label(charset?.as_bytes())
}

fn valid_essence(essence: &str) -> bool {
    let token = |s: &str| {
        !s.is_empty()
            && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    };
    essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

/// The first usable value of a parameter (MIME Sniffing §4.4, step 11): empty values and those with
/// characters that no header may hold are passed over.
fn parameter(parameters: &str, wanted: &str) -> Option<String> {
    let mut rest = parameters;
    while !rest.is_empty() {
        rest = rest.trim_start_matches(['\t', '\n', '\r', ' ']);
        let end = rest.find([';', '=']).unwrap_or(rest.len());
        let name;
        (name, rest) = rest.split_at(end);
        let Some(after) = rest.strip_prefix('=') else {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        };
        // A quote begins a quoted value only where the value begins.
        let (value, quoted) = match after.strip_prefix('"') {
            Some(inner) => {
                let (value, read) = unquote(inner);
                rest = &inner[read..];
                rest = rest.find(';').map_or("", |n| &rest[n + 1..]);
                (value, true)
            }
            None => {
                let (value, next) = after.split_once(';').unwrap_or((after, ""));
                rest = next;
                (value.trim_end_matches(['\t', '\n', '\r', ' ']).to_owned(), false)
            }
        };
        let printable = |c: char| c == '\t' || (!c.is_control() || c > '\u{7F}');
        if name.eq_ignore_ascii_case(wanted)
            && (quoted || !value.is_empty())
            && value.chars().all(printable)
        {
            return Some(value);
        }
    }
    None
}

/// The value of a quoted string from behind its first quote, and the bytes read.
fn unquote(inner: &str) -> (String, usize) {
    let mut out = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (out, at + 1),
            '\\' => out.push(chars.next().map_or('\\', |(_, c)| c)),
            c => out.push(c),
        }
    }
    (out, inner.len())
}

/// Header lines that were joined by commas (Fetch, "get, decode, and split"): here quotes count
/// wherever they stand.
fn lines(s: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (i, c) in s.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(&s[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&s[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::charset;

    #[test]
    fn content_types() {
        let check = |header: &str, expect: Option<&str>| {
            assert_eq!(charset(header).map(|e| e.name()), expect, "{header}");
        };
        check("text/html; charset=utf-8", Some("UTF-8"));
        check("text/html;charset=UTF8", Some("UTF-8"));
        check("TEXT/HTML; CHARSET=ISO-8859-1", Some("windows-1252"));
        check("text/html; charset=\"windows-1251\"", Some("windows-1251"));
        check("text/html; charset=\"koi8\\-r\"", Some("KOI8-R"));
        check("text/html; charset=\"gbk", Some("GBK"));
        check("text/html; x=\"a;charset=gbk\"; charset=big5", Some("Big5"));
        check("text/html; charset=gbk; charset=utf-8", Some("GBK"));
        check("text/html; charset=shift_jis ", Some("Shift_JIS"));
        check("text/html; charset=utf-16", Some("UTF-16LE"));
        check("text/html; charset=x-user-defined", Some("x-user-defined"));
        check("text/html; charset='utf-8'", None);
        check("text/html; charset=", None);
        check("text/html; charset=none", None);
        check("text/html; charset = utf-8", None);
        check("text/html; charset=; charset=gbk", Some("GBK"));
        check("text/html; charset= ; charset=gbk", Some("GBK"));
        check("text/html; charset=\u{1};charset=gbk", Some("GBK"));
        check("text/html; charset=\"\"; charset=gbk", None);
        check("text/html; x=a\"b; charset=gbk", Some("GBK"));
        check("text/html; charset=gb\"k; charset=big5", None);
        check("text/html; charset=\"gbk\"x; charset=big5", Some("GBK"));
        check("text/html; charset; charset=gbk", Some("GBK"));
        check("text/html;; charset=gbk", Some("GBK"));
        check("text/html", None);
        check("charset=utf-8", None);
        check("; charset=utf-8", None);
        check("", None);
        // Joined headers (Fetch, "extract a MIME type").
        check("text/html;charset=gbk, text/html", Some("GBK"));
        check("text/html;charset=gbk, text/plain", None);
        check("text/html, text/html;charset=euc-kr", Some("EUC-KR"));
        check("text/html;charset=gbk, */*", Some("GBK"));
        check("text/html;charset=gbk, broken", Some("GBK"));
    }
}

//! The charset of a Content-Type header (Fetch "legacy extract an encoding", "extract a MIME
//! type"; WHATWG MIME Sniffing §4.4). Must not know the body.

use encoding_rs::Encoding;

/// The encoding that a Content-Type names. Several headers joined by commas: the last valid type
/// counts, and inherits the charset of an earlier one of the same essence.
pub(super) fn charset(content_type: &str) -> Option<&'static Encoding> {
    let mut essence = String::new();
    let mut charset: Option<String> = None;
    for part in split_outside_quotes(content_type, ',') {
        let mut fields = split_outside_quotes(part, ';').into_iter();
        let this = fields.next().unwrap_or_default().trim().to_ascii_lowercase();
        if !valid_essence(&this) || this == "*/*" {
            continue;
        }
        let own = fields.find_map(|field| {
            let (name, value) = field.split_once('=')?;
            name.trim_start().eq_ignore_ascii_case("charset").then(|| unquote(value))
        });
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

fn unquote(value: &str) -> String {
    let Some(quoted) = value.strip_prefix('"') else {
        return value.trim_end().to_owned();
    };
    let mut out = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => out.push(chars.next().unwrap_or('\\')),
            c => out.push(c),
        }
    }
    out
}

fn split_outside_quotes(s: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut start, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (i, c) in s.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            c if c == separator && !quoted => {
                parts.push(&s[start..i]);
                start = i + c.len_utf8();
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

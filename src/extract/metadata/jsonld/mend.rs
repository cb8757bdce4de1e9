//! The text of a block of linked data, as far as what publishers get wrong can be set right. Must not know: what it says.

/// Without the comment and CDATA wrappers that hide scripts from old browsers.
pub(super) fn unwrap(block: &str) -> &str {
    let mut text = block.trim();
    for _ in 0..4 {
        let before = text;
        for open in
            ["<!--", "//<![CDATA[", "// <![CDATA[", "/*<![CDATA[*/", "/* <![CDATA[ */", "<![CDATA["]
        {
            text = text.strip_prefix(open).unwrap_or(text).trim_start();
        }
        for close in ["-->", "//]]>", "// ]]>", "/*]]>*/", "/* ]]> */", "]]>", ";", "//"] {
            text = text.strip_suffix(close).unwrap_or(text).trim_end();
        }
        if text == before {
            break;
        }
    }
    text
}

/// Repairs what publishers get wrong most: raw control characters in strings, unknown escapes,
/// trailing commas.
pub(super) fn mend(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut comma) = (false, None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if quoted {
            match c {
                '\\' => match chars.peek() {
                    Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') => {
                        out.push('\\');
                        out.extend(chars.next());
                    }
                    _ => out.push_str("\\\\"),
                },
                '"' => {
                    quoted = false;
                    out.push('"');
                }
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
            continue;
        }
        match c {
            ']' | '}' => {
                if let Some(at) = comma.take() {
                    out.truncate(at);
                }
                out.push(c);
            }
            ',' => {
                comma = Some(out.len());
                out.push(c);
            }
            c if c.is_whitespace() => out.push(' '),
            c if c.is_control() => {}
            c => {
                comma = None;
                quoted = c == '"';
                out.push(c);
            }
        }
    }
    out
}

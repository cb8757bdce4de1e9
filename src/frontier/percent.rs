//! One normal form of percent-encoding (RFC 3986 §6.2.2), shared by canonical addresses and by
//! both sides of a robots match (RFC 9309 §2.2.2).
//!
//! Must not know: what the octets mean.

/// Appends `octets` in normal form: triplets of unreserved characters decoded, other triplets in
/// upper-case hex, octets outside printable ASCII and those in `encode` percent-encoded. A `%`
/// that starts no triplet stays as it is, and a digit that would complete one with it stays encoded:
/// `%%36` is not `%6`. Idempotent.
pub fn normalise(octets: &[u8], encode: &[u8], out: &mut Vec<u8>) {
    let mut rest = octets;
    // Digits written behind a `%` that starts no triplet, while another would make it start one.
    let mut stray: Option<u8> = None;
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        let open = stray.take();
        if first == b'%'
            && let Some(value) = triplet(tail)
        {
            rest = tail.get(2..).unwrap_or_default();
            if is_unreserved(value) && !(open.is_some() && value.is_ascii_hexdigit()) {
                out.push(value);
            } else {
                push_triplet(value, out);
            }
        } else if first == b'%' {
            out.push(first);
            stray = Some(0);
        } else if first <= b' ' || first >= 0x7f || encode.contains(&first) {
            push_triplet(first, out);
        } else {
            out.push(first);
            stray = open.filter(|&digits| digits == 0 && first.is_ascii_hexdigit()).map(|_| 1);
        }
    }
}

/// [`normalise`] for text.
pub fn normalised(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    normalise(text.as_bytes(), b"", &mut out);
    String::from_utf8(out).expect("only ASCII is pushed")
}

fn triplet(after: &[u8]) -> Option<u8> {
    let digit = |i: usize| after.get(i).and_then(|&b| (b as char).to_digit(16));
    Some((digit(0)? * 16 + digit(1)?) as u8)
}

fn push_triplet(octet: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', HEX[usize::from(octet >> 4)], HEX[usize::from(octet & 15)]]);
}

/// RFC 3986 §2.3.
fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table() {
        for (input, expect) in [
            ("/a%7eb", "/a~b"),
            ("/%c3%b6", "/%C3%B6"),
            ("/ö", "/%C3%B6"),
            ("/a%2fb", "/a%2Fb"),
            ("/100%", "/100%"),
            ("/%4", "/%4"),
            ("/%zz", "/%zz"),
            ("/a b", "/a%20b"),
            ("/%62%61%7A", "/baz"),
            ("/%25%32%46", "/%252F"),
            ("/%%36%36", "/%%366"),
            ("/%%66666", "/%%66666"),
            ("/%a%36%66", "/%a%36f"),
            ("/%-%36", "/%-6"),
        ] {
            assert_eq!(normalised(input), expect, "{input}");
        }
    }

    proptest! {
        #[test]
        fn any_text_becomes_ascii(text in ".{0,60}") {
            prop_assert!(normalised(&text).bytes().all(|b| (0x21..0x7f).contains(&b)));
        }

        #[test]
        fn what_is_normal_stays(text in "[%0-9a-fA-F-]{0,40}") {
            let once = normalised(&text);
            prop_assert_eq!(normalised(&once), once);
        }
    }
}

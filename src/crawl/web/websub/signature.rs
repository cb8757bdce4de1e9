//! Signatures of WebSub deliveries (§7.1): `X-Hub-Signature: method=hex`.
//!
//! Must not know: where secrets come from, what a bad signature leads to.

use hmac::{Hmac, Mac};

/// Is `given`, a method and a hex digest, the signature of `body` (§7.1)? Compared in constant time.
pub(super) fn holds(given: &str, secret: &[u8], body: &[u8]) -> bool {
    let Some((method, digest)) = given.trim().split_once('=') else { return false };
    let Some(digest) = hex(digest) else { return false };
    macro_rules! checked {
        ($hash:ty) => {
            Hmac::<$hash>::new_from_slice(secret)
                .is_ok_and(|mac| mac.chain_update(body).verify_slice(&digest).is_ok())
        };
    }
    match method.to_ascii_lowercase().as_str() {
        "sha1" => checked!(sha1::Sha1),
        "sha256" => checked!(sha2::Sha256),
        "sha384" => checked!(sha2::Sha384),
        "sha512" => checked!(sha2::Sha512),
        _ => false,
    }
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits
        .len()
        .is_multiple_of(2)
        .then(|| digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_hold_for_their_bytes_alone() {
        // RFC 4231 §4.3 and RFC 2202 §3, test case 2.
        let (key, body) = (b"Jefe", b"what do ya want for nothing?");
        let sha256 = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let sha1 = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79";
        for good in [format!("sha256={sha256}"), format!("SHA256={}", sha256.to_uppercase())] {
            assert!(holds(&good, key, body), "{good}");
        }
        assert!(holds(&format!("sha1={sha1}"), key, body));
        for bad in [
            format!("sha1={sha256}"),
            format!("sha512={sha256}"),
            format!("md5={sha1}"),
            format!("sha256={}", &sha256[2..]),
            format!("sha256={}", &sha256[1..]),
            "sha256=".into(),
            "sha256".into(),
            format!("sha256={}", "é".repeat(32)),
        ] {
            assert!(!holds(&bad, key, body), "{bad}");
        }
        assert!(!holds(&format!("sha256={sha256}"), key, b"what do ya want for something?"));
    }
}

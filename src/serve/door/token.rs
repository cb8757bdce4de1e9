//! Tokens as they are written and compared: `crawler_ID_SECRET`. The id finds the record, the secret
//! proves the holder; of it only a hash is kept. 256 bits of chance need no slow hash.
//!
//! Must not know: HTTP, where records are kept.

use std::io::Read;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::model::{Token, hex};

const PREFIX: &str = "crawler_";
/// Longest text that is looked at.
const LONGEST: usize = 100;

/// A new secret with its id and hash.
pub struct Secret {
    pub id: String,
    /// What its holder keeps.
    pub text: String,
    pub hash: String,
}

/// Makes a secret by the system's generator.
///
/// # Errors
/// It cannot be read.
pub fn make() -> Result<Secret> {
    let mut bytes = [0; 40];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .context("cannot read /dev/urandom")?;
    let (id, secret) = bytes.split_at(8);
    let id = hex(id);
    let secret = URL_SAFE_NO_PAD.encode(secret);
    Ok(Secret { text: format!("{PREFIX}{id}_{secret}"), hash: hash(&secret), id })
}

fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Id and secret of such a text.
pub fn read(text: &str) -> Option<(&str, &str)> {
    let (id, secret) = Some(text.trim())
        .filter(|text| text.len() <= LONGEST)?
        .strip_prefix(PREFIX)?
        .split_once('_')?;
    let hex =
        id.len() == 16 && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (hex && !secret.is_empty()).then_some((id, secret))
}

/// Is this the secret of the token? Takes the same time whatever it is.
pub fn proves(token: &Token, secret: &str) -> bool {
    hash(secret).as_bytes().ct_eq(token.hash.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(made: &Secret) -> Token {
        Token {
            id: made.id.clone(),
            name: "test".into(),
            hash: made.hash.clone(),
            scopes: Vec::new(),
            created: 0,
            expires: None,
            revoked: None,
            used: None,
            session_of: None,
        }
    }

    #[test]
    fn a_secret_proves_its_own_token_only() {
        let [one, other] = [make().unwrap(), make().unwrap()];
        let (id, secret) = read(&one.text).unwrap();
        assert_eq!(id, one.id);
        assert!(proves(&record(&one), secret));
        assert!(!proves(&record(&other), secret));
        assert!(!proves(&record(&one), &secret[1..]));
        assert!(!one.hash.contains(secret));
    }

    #[test]
    fn what_is_no_token_is_not_read() {
        let text = make().unwrap().text;
        assert!(read(&format!(" {text}\n")).is_some());
        for wrong in [
            "",
            "crawler_",
            "crawler__",
            "crawler_0123456789abcdef_",
            &text[1..],
            "crawler_0123456789ABCDEF_x",
            "crawler_..%2f_x",
            &"crawler_".repeat(50),
        ] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "\\PC{0,120}") {
            if let Some((id, secret)) = read(&text) {
                let whole = [PREFIX, id, "_", secret].concat();
                proptest::prop_assert!(text.contains(&whole));
            }
        }
    }
}

//! The key by which everything is named.
//!
//! Must not know: who makes and who uses it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest URL taken, in characters, before and after percent-encoding.
pub const MAX_URL: usize = 2_048;

/// 128-bit hash of a canonical URL (the first 16 bytes of its SHA-256), written as 32 hex digits.
/// Feeds, entries, articles and stories are all named by such a key; a story has its original's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UrlKey(pub u128);

impl UrlKey {
    /// The key under which stands the article whose page names this address as its own, as long as nobody has read what
    /// is there. No address has such a key, so it ends no entry: what is read at the address is compared first.
    pub fn named(self) -> UrlKey {
        UrlKey(!self.0)
    }
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for UrlKey {
    type Err = String;
    /// Exactly 32 hex digits.
    fn from_str(s: &str) -> Result<Self, String> {
        if s.len() == 32 && s.bytes().all(|b| b.is_ascii_hexdigit()) {
            u128::from_str_radix(s, 16).map(UrlKey).map_err(|e| e.to_string())
        } else {
            Err(format!("`{s}` is not a key of 32 hex digits"))
        }
    }
}

impl Serialize for UrlKey {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.collect_str(self) } else { self.0.to_be_bytes().serialize(s) }
    }
}

impl<'de> Deserialize<'de> for UrlKey {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if d.is_human_readable() {
            String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
        } else {
            <[u8; 16]>::deserialize(d).map(|b| UrlKey(u128::from_be_bytes(b)))
        }
    }
}

/// As a uuid in a column of a database. It stands here because only the package of a type may say how another
/// package's trait fits it.
#[cfg(feature = "postgres")]
mod column {
    use std::error::Error;

    use bytes::{BufMut, BytesMut};
    use postgres_types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

    use super::UrlKey;

    impl ToSql for UrlKey {
        fn to_sql(
            &self,
            _: &Type,
            out: &mut BytesMut,
        ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
            out.put_u128(self.0);
            Ok(IsNull::No)
        }
        accepts!(UUID);
        to_sql_checked!();
    }

    impl<'a> FromSql<'a> for UrlKey {
        fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
            Ok(UrlKey(u128::from_be_bytes(raw.try_into()?)))
        }
        accepts!(UUID);
    }
}

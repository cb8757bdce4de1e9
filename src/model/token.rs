//! A token: a secret that lets its holder ask over HTTP. Only its hash is kept.
//!
//! Must not know: how secrets are made and compared, who asks.

use serde::{Deserialize, Serialize};

use super::Millis;

/// What a token allows; none of them includes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Numbers, articles, everything that the dashboard shows.
    Read,
    /// What changes something.
    Write,
    /// `/metrics`.
    Metrics,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 3] = [Scope::Read, Scope::Write, Scope::Metrics];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Metrics => "metrics",
        }
    }
}

impl std::str::FromStr for Scope {
    type Err = String;
    fn from_str(s: &str) -> Result<Scope, String> {
        let found = Scope::ALL.into_iter().find(|scope| scope.name() == s.trim());
        found.ok_or_else(|| format!("`{s}` is no scope; there are read, write and metrics"))
    }
}

/// What is kept of a token, or of a browser's session, which is a token that another one gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Public part: by it the token is found.
    pub id: String,
    /// By whom, or for what, it is used.
    pub name: String,
    /// SHA-256 of the secret part, hex.
    pub hash: String,
    pub scopes: Vec<Scope>,
    pub created: Millis,
    /// It is of no use from this instant on; `None`: it lasts.
    pub expires: Option<Millis>,
    pub revoked: Option<Millis>,
    /// When it was used last, to the minute.
    pub used: Option<Millis>,
    /// A session: the id of the token that opened it. It allows what that one allows, as long as that
    /// one does.
    pub session_of: Option<String>,
}

impl Token {
    /// Is it of use at this instant?
    pub fn live(&self, now: Millis) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }
}

//! Who may ask over HTTP, as their owner sees it: names, scopes, last use; no secrets.
//!
//! Must not know: how secrets are made and compared.

use serde::{Deserialize, Serialize};

use crate::model::{Millis, Scope};
use crate::store::{Result, Store};

/// A token as it is listed.
#[derive(Debug, Serialize, Deserialize)]
pub struct TokenLine {
    pub name: String,
    pub id: String,
    pub scopes: Vec<Scope>,
    pub created: Millis,
    pub expires: Option<Millis>,
    pub revoked: Option<Millis>,
    /// To the minute.
    pub used: Option<Millis>,
    /// Browsers logged in by it.
    pub sessions: usize,
    /// May it be used now?
    pub live: bool,
}

/// All tokens, revoked and expired ones too, oldest first.
pub fn tokens(store: &dyn Store, now: Millis) -> Result<Vec<TokenLine>> {
    let all = store.tokens()?;
    let sessions = |id: &str| {
        all.iter().filter(|t| t.session_of.as_deref() == Some(id) && t.live(now)).count()
    };
    let mut lines: Vec<TokenLine> = all
        .iter()
        .filter(|token| token.session_of.is_none())
        .map(|token| TokenLine {
            sessions: if token.live(now) { sessions(&token.id) } else { 0 },
            live: token.live(now),
            name: token.name.clone(),
            id: token.id.clone(),
            scopes: token.scopes.clone(),
            created: token.created,
            expires: token.expires,
            revoked: token.revoked,
            used: token.used,
        })
        .collect();
    lines.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
    Ok(lines)
}

//! Tokens as their owner manages them: made and revoked.
//!
//! Must not know: HTTP, the command line.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::crawl::clock;
use crate::model::{Millis, Scope, Span, Token};
use crate::query;
use crate::store::Store;
use crate::store::decision::{Change, Topic, Who};

use super::door::token;

/// Tokens that are of use at the same time; sessions do not count.
const MOST: usize = 1_000;
/// Longest name.
const LONGEST_NAME: usize = 64;

/// A new token: its text is told this once.
#[derive(Debug, Serialize, Deserialize)]
pub struct Added {
    pub name: String,
    pub id: String,
    pub scopes: Vec<Scope>,
    pub expires: Option<Millis>,
    /// What its holder sends.
    pub token: String,
}

/// A token that has been ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Revoked {
    pub name: String,
    pub id: String,
    pub revoked: Millis,
}

/// Makes a token.
///
/// # Errors
/// The name is not usable or taken; no scope is given; there are too many.
pub fn add(
    store: &dyn Store,
    who: &Who,
    name: &str,
    scopes: &[Scope],
    lasts: Option<Span>,
) -> Result<Added> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._@+".contains(c);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        bail!(
            "`{}` is no name for a token: use up to {LONGEST_NAME} letters, digits and -._@+",
            name.escape_debug()
        );
    }
    if scopes.is_empty() {
        bail!("a token needs a scope: read, write or metrics");
    }
    if lasts.is_some_and(|span| span.0 <= 0) {
        bail!("a token must last for some time: write for example 90d");
    }
    let now = clock::now();
    let live: Vec<Token> = owned(store)?.into_iter().filter(|token| token.live(now)).collect();
    if live.iter().any(|token| token.name == name) {
        bail!("there is a token named `{name}`; `crawler token revoke {name}` ends it");
    }
    if live.len() >= MOST {
        bail!("there are {MOST} tokens: revoke those that nobody uses (`crawler token list`)");
    }
    let mut scopes = scopes.to_vec();
    scopes.sort();
    scopes.dedup();
    let made = token::make()?;
    let expires = lasts.map(|span| now.saturating_add(span.0));
    let token = Token {
        id: made.id.clone(),
        name: name.to_owned(),
        hash: made.hash,
        scopes: scopes.clone(),
        created: now,
        expires,
        revoked: None,
        used: None,
        session_of: None,
    };
    let allowed = scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(", ");
    let end = expires.map_or_else(String::new, |end| format!(", until {}", query::instant(end)));
    let words = format!("token {name} made, for {allowed}{end}");
    let decision = who.decides(now, Topic::Token, words);
    store.change(Change::Token(&token), Some(&decision))?;
    Ok(Added { name: name.to_owned(), id: made.id, scopes, expires, token: made.text })
}

/// Ends a token, by name or id, and the sessions that it opened.
///
/// # Errors
/// None of use is known by this name.
pub fn revoke(store: &dyn Store, who: &Who, name: &str) -> Result<Revoked> {
    let now = clock::now();
    let found = owned(store)?
        .into_iter()
        .find(|token| token.live(now) && (token.name == name || token.id == name));
    let Some(found) = found else {
        bail!("no token of use is named `{}`; see `crawler token list`", name.escape_debug());
    };
    let id = found.id.clone();
    let decision = who.decides(now, Topic::Token, format!("token {} revoked", found.name));
    let revoked = Token { revoked: Some(now), ..found.clone() };
    store.change(Change::Token(&revoked), Some(&decision))?;
    for session in store.tokens()?.iter().filter(|t| t.session_of.as_ref() == Some(&id)) {
        store.remove_token(&session.id)?;
    }
    Ok(Revoked { name: found.name, id, revoked: now })
}

/// Takes over the tokens that a backup brings back: sessions of that time are ended, and who restored it
/// is noted. Returns how many tokens are of use again, among them any that were revoked since.
pub fn restored(store: &dyn Store, who: &Who, from: &str) -> Result<usize> {
    let now = clock::now();
    for session in store.tokens()?.iter().filter(|token| token.session_of.is_some()) {
        store.remove_token(&session.id)?;
    }
    let live = owned(store)?.into_iter().filter(|token| token.live(now)).count();
    let words = format!("restored from {from}, tokens of use: {live}");
    store.change(Change::Nothing, Some(&who.decides(now, Topic::Store, words)))?;
    Ok(live)
}

/// Tokens without sessions.
fn owned(store: &dyn Store) -> Result<Vec<Token>> {
    Ok(store.tokens()?.into_iter().filter(|token| token.session_of.is_none()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::decision::{Decision, Via};

    fn list(store: &dyn Store) -> Vec<query::TokenLine> {
        query::tokens(store, clock::now()).unwrap()
    }

    #[test]
    fn a_name_is_free_again_when_its_token_is_revoked() {
        let store = crate::store::memory();
        let store = store.as_ref();
        let first =
            add(store, &Who::program(), "office", &[Scope::Write, Scope::Read, Scope::Read], None)
                .unwrap();
        assert_eq!(first.scopes, [Scope::Read, Scope::Write]);
        let again =
            add(store, &Who::program(), "office", &[Scope::Read], None).unwrap_err().to_string();
        assert!(again.contains("crawler token revoke office"), "{again}");
        let record = store.token(&first.id).unwrap().unwrap();
        assert!(!format!("{record:?}").contains(&first.token));
        // A session goes with its token.
        let session = Token { id: "s".into(), session_of: Some(first.id.clone()), ..record };
        store.put_token(&session).unwrap();
        assert_eq!(list(store)[0].sessions, 1);
        assert_eq!(revoke(store, &Who::program(), "office").unwrap().id, first.id);
        assert_eq!(store.token("s").unwrap(), None);
        assert!(
            revoke(store, &Who::program(), "office")
                .unwrap_err()
                .to_string()
                .contains("token list")
        );
        assert!(revoke(store, &Who::program(), &first.id).is_err());
        assert!(add(store, &Who::program(), "office", &[Scope::Metrics], Some(Span(5))).is_ok());
        let lines = list(store);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().any(|line| line.id == first.id && !line.live));
    }

    #[test]
    fn sessions_do_not_come_back_from_a_backup_and_the_log_says_who_restored_it() {
        let store = crate::store::memory();
        let store = store.as_ref();
        let who = Who { name: "ann".into(), via: Via::User };
        let office = add(store, &who, "office", &[Scope::Read], None).unwrap();
        add(store, &who, "old", &[Scope::Read], None).unwrap();
        revoke(store, &who, "old").unwrap();
        let record = store.token(&office.id).unwrap().unwrap();
        let session = Token { id: "s".into(), session_of: Some(office.id), ..record };
        store.put_token(&session).unwrap();
        assert_eq!(restored(store, &who, "copy").unwrap(), 1);
        assert_eq!((store.token("s").unwrap(), list(store).len()), (None, 2));
        let mut noted = Vec::new();
        let mut each = |decision: Decision| {
            noted.push((decision.who.name, decision.words));
            true
        };
        store.decisions(Some(Topic::Store), &mut each).unwrap();
        assert_eq!(noted, [("ann".into(), "restored from copy, tokens of use: 1".into())]);
    }

    #[test]
    fn slips_are_named() {
        let store = crate::store::memory();
        for (name, scopes, lasts, word) in [
            ("", &[Scope::Read][..], None, "name"),
            ("a b", &[Scope::Read], None, "`a b`"),
            ("\u{1b}[2J", &[Scope::Read], None, "\\u{1b}"),
            ("a", &[], None, "scope"),
            ("a", &[Scope::Read], Some(Span(0)), "90d"),
        ] {
            let error =
                add(store.as_ref(), &Who::program(), name, scopes, lasts).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}

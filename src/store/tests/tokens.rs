//! Tokens: each store keeps the same of them.

use super::build::*;
use crate::model::*;
use crate::store::*;

suite! {
    a_token_is_kept_changed_and_removed
    a_use_is_noted_and_never_taken_back
}

fn token(id: &str) -> Token {
    Token {
        id: id.to_owned(),
        name: format!("name of {id}"),
        hash: "0123".to_owned(),
        scopes: vec![Scope::Read, Scope::Metrics],
        created: T0,
        expires: Some(T0 + DAY),
        revoked: None,
        used: None,
        session_of: None,
    }
}

fn a_token_is_kept_changed_and_removed(store: &dyn Store) {
    let [one, two] = ["b", "a"].map(token);
    store.put_token(&one).unwrap();
    store.put_token(&two).unwrap();
    assert_eq!(store.tokens().unwrap(), [two.clone(), one.clone()]);
    let revoked = Token { revoked: Some(T0 + 1), ..one };
    store.put_token(&revoked).unwrap();
    assert_eq!(store.token("b").unwrap(), Some(revoked));
    store.remove_token("b").unwrap();
    store.remove_token("never there").unwrap();
    assert_eq!(store.token("b").unwrap(), None);
    assert_eq!(store.tokens().unwrap(), [two]);
    clean(store);
}

fn a_use_is_noted_and_never_taken_back(store: &dyn Store) {
    store.put_token(&token("a")).unwrap();
    let used = || store.token("a").unwrap().unwrap().used;
    store.token_used("a", T0 + 5).unwrap();
    store.token_used("a", T0 + 3).unwrap();
    store.token_used("nobody", T0).unwrap();
    assert_eq!(used(), Some(T0 + 5));
    assert_eq!(store.token("nobody").unwrap(), None);
}

//! Who may ask for what: the need of each request, and the token that meets it. What is not known to
//! be harmless needs the scope `write`.
//!
//! Must not know: hosts, connections, what is answered.

use std::sync::Arc;
use std::time::Instant;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::crawl::clock;
use crate::model::{MINUTE, Scope, Token};
use crate::serve::door::{Door, Who, token};
use crate::store::{Store, StoreError};

use super::problem::Problem;

/// Name of a session's cookie.
pub(super) const COOKIE: &str = "crawler_session";

/// Where pages are handed over to be read.
pub(super) const EXTRACT: &str = "/api/v1/extract";

/// Where the past of a brand that is not watched yet is asked for.
pub(super) const ESTIMATE: &str = "/api/v1/brands/estimate";
/// A brand may have the name that stands there.
pub(super) const ESTIMATE_AS_BRAND: (&str, &str) = ("/api/v1/brands/{name}", "estimate");

/// Where assistants ask: every message is a POST, and none changes anything.
pub(super) const MCP: &str = "/mcp";

/// What a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Anybody may.
    Nothing,
    Token(Scope),
}

/// Is it a file of the page, or the login? They hold no numbers; the page asks the API for them.
fn is_page(path: &str) -> bool {
    path == "/login" || crate::serve::dashboard::FILES.iter().any(|file| file.path == path)
}

/// The need of a request: by its path only what is listed here is open or for reading.
pub(super) fn need(method: &Method, path: &str) -> Need {
    let reads = method == Method::GET || method == Method::HEAD;
    let login = ["/login", "/logout"].contains(&path);
    match path {
        "/healthz" | "/readyz" if reads => Need::Nothing,
        "/metrics" if reads => Need::Token(Scope::Metrics),
        _ if login && (reads || method == Method::POST) => Need::Nothing,
        _ if reads && is_page(path) => Need::Nothing,
        _ if reads => Need::Token(Scope::Read),
        // What is sent there is read and not kept.
        EXTRACT | ESTIMATE | MCP if method == Method::POST => Need::Token(Scope::Read),
        _ => Need::Token(Scope::Write),
    }
}

/// Who has proved to hold a token; later rooms find it among a request's extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    /// The token's name.
    pub name: String,
}

/// What a request shows for itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    Bearer(String),
    /// A browser sends it by itself.
    Session(String),
}

/// Reads `Authorization`, then the cookie.
pub(super) fn shown(headers: &HeaderMap) -> Shown {
    if let Some(field) = headers.get(header::AUTHORIZATION) {
        let text = field.to_str().unwrap_or("");
        let bearer = text.split_once(' ').filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        return Shown::Bearer(bearer.map_or("", |(_, token)| token.trim()).to_owned());
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|field| field.to_str().ok());
    cookies
        .flat_map(|field| field.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == COOKIE)
        .map_or(Shown::Nothing, |(_, value)| Shown::Session(value.to_owned()))
}

/// The token behind a text, if it is of use. Blocks.
pub(super) fn holder(store: &dyn Store, text: &str) -> Result<Token, Problem> {
    let unknown = || refused("this token is not known here");
    let (id, secret) = token::read(text).ok_or_else(unknown)?;
    let found = store.token(id).map_err(unavailable)?;
    let found = found.filter(|found| token::proves(found, secret)).ok_or_else(unknown)?;
    let now = clock::now();
    if !found.live(now) {
        return Err(refused(if found.revoked.is_some() {
            "this token has been revoked"
        } else {
            "this token has expired"
        }));
    }
    if found.used.is_none_or(|used| used <= now - MINUTE) {
        // Who may not write to the store may be asked all the same.
        if let Err(error) = store.token_used(&found.id, now) {
            tracing::debug!(%error, "the use of a token is not noted");
        }
    }
    let Some(parent) = &found.session_of else { return Ok(found) };
    let parent = store.token(parent).map_err(unavailable)?.filter(|parent| parent.live(now));
    let parent = parent.ok_or_else(|| refused("the token of this session is no longer valid"))?;
    Ok(Token { name: parent.name, scopes: parent.scopes, ..found })
}

/// The token behind a text that somebody holds and no browser has been given: a session ends after some
/// hours, and opens no way to stay. Blocks.
pub(super) fn bearer(store: &dyn Store, text: &str) -> Result<Token, Problem> {
    let found = holder(store, text)?;
    match found.session_of {
        None => Ok(found),
        Some(_) => Err(refused("a session is no token")),
    }
}

/// Checks what a request shows against what it needs. Blocks.
pub(super) fn admit(
    store: &dyn Store,
    door: &Door,
    shown: &Shown,
    scope: Scope,
) -> Result<Caller, Problem> {
    let token = match shown {
        Shown::Nothing => return Err(nobody(scope)),
        Shown::Bearer(text) => bearer(store, text)?,
        Shown::Session(text) => holder(store, text)?,
    };
    if !token.scopes.contains(&scope) {
        let sentence = format!(
            "the token `{}` does not have the scope `{}`; `crawler token add NAME --scope {}` makes one \
             that has",
            token.name,
            scope.name(),
            scope.name()
        );
        return Err(Problem::new(StatusCode::FORBIDDEN, sentence));
    }
    let account = token.session_of.clone().unwrap_or_else(|| token.id.clone());
    door.rates.take(&Who::Token(account), 1.0, Instant::now()).map_err(too_often)?;
    Ok(Caller { name: token.name })
}

/// A browser sends its cookie with whatever a page makes it send: what changes something must come
/// from a page of ours, and say so.
pub(super) fn from_own_page(
    headers: &HeaderMap,
    shown: &Shown,
    scope: Scope,
) -> Result<(), Problem> {
    let session = matches!(shown, Shown::Session(_));
    if session && scope == Scope::Write && !headers.contains_key(header::ORIGIN) {
        let sentence = "a session changes something only from this crawler's own pages";
        return Err(Problem::new(StatusCode::FORBIDDEN, sentence));
    }
    Ok(())
}

/// 429: the account is empty.
pub(super) fn too_often(wait: std::time::Duration) -> Problem {
    let seconds = wait.as_secs() + 1;
    let sentence = format!(
        "this client sends too many requests: wait {seconds} s (`clients.rate` and `clients.burst` are the limits)"
    );
    Problem::new(StatusCode::TOO_MANY_REQUESTS, sentence).with(header::RETRY_AFTER, seconds)
}

fn nobody(scope: Scope) -> Problem {
    let what = format!("this needs a token with the scope `{}`", scope.name());
    match scope {
        Scope::Write => refused_for(&what, "--scope read --scope write"),
        Scope::Read | Scope::Metrics => refused_for(&what, &format!("--scope {}", scope.name())),
    }
}

fn refused(what: &str) -> Problem {
    refused_for(what, "--scope read")
}

/// 401, with what to do about it.
fn refused_for(what: &str, scopes: &str) -> Problem {
    let sentence = format!(
        "{what}: `crawler token add NAME {scopes}` on the crawler's machine makes one; send it \
         as `Authorization: Bearer TOKEN`, or open /login in a browser"
    );
    let challenge = HeaderValue::from_static("Bearer realm=\"crawler\"");
    Problem::new(StatusCode::UNAUTHORIZED, sentence).with(header::WWW_AUTHENTICATE, challenge)
}

fn unavailable(error: StoreError) -> Problem {
    tracing::error!(%error, "a token cannot be looked up");
    Problem::unavailable("the store does not answer; the log says why")
}

/// Who decides about tokens on a listener.
#[derive(Clone)]
pub(super) struct Tokens {
    pub store: Arc<dyn Store>,
    /// Reading needs one, too: others than this machine can ask.
    pub to_read: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_needs_the_most() {
        let [read, write] = [Scope::Read, Scope::Write].map(Need::Token);
        for (method, path, expect) in [
            (Method::GET, "/healthz", Need::Nothing),
            (Method::HEAD, "/readyz", Need::Nothing),
            (Method::POST, "/healthz", write),
            (Method::GET, "/metrics", Need::Token(Scope::Metrics)),
            (Method::POST, "/metrics", write),
            (Method::GET, "/", Need::Nothing),
            (Method::GET, "/main.js", Need::Nothing),
            (Method::GET, "/login", Need::Nothing),
            (Method::POST, "/login", Need::Nothing),
            (Method::PUT, "/login", write),
            (Method::GET, "/api/v1/brands", read),
            (Method::GET, "/api/v1/openapi.json", read),
            (Method::GET, "/api/v1/nothing", read),
            (Method::GET, "//healthz", read),
            (Method::POST, "/api/v1/brands", write),
            (Method::POST, "/api/v1/extract", read),
            (Method::PUT, "/api/v1/extract", write),
            (Method::POST, "/api/v1/brands/estimate", read),
            (Method::POST, "/mcp", read),
            (Method::DELETE, "/mcp", write),
            (Method::POST, "/mcp/", write),
            (Method::POST, "/api/v1/extract/", write),
            (Method::OPTIONS, "/api/v1/brands", write),
            (Method::TRACE, "/", write),
            (Method::CONNECT, "", write),
            (Method::from_bytes(b"PURGE").unwrap(), "/main.js", write),
        ] {
            assert_eq!(need(&method, path), expect, "{method} {path}");
        }
    }

    #[test]
    fn tokens_are_read_from_header_or_cookie() {
        let check = |fields: &[(&str, &str)], expect: Shown| {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                let name: header::HeaderName = name.parse().unwrap();
                headers.append(name, value.parse().unwrap());
            }
            assert_eq!(shown(&headers), expect, "{fields:?}");
        };
        check(&[], Shown::Nothing);
        check(&[("authorization", "Bearer abc")], Shown::Bearer("abc".into()));
        check(&[("authorization", "bearer  abc ")], Shown::Bearer("abc".into()));
        check(&[("authorization", "Basic abc")], Shown::Bearer(String::new()));
        check(&[("cookie", "a=b; crawler_session=xyz; c=d")], Shown::Session("xyz".into()));
        check(&[("cookie", "xcrawler_session=xyz")], Shown::Nothing);
        let both = [("cookie", "crawler_session=xyz"), ("authorization", "Bearer abc")];
        check(&both, Shown::Bearer("abc".into()));
    }
}

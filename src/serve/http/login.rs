//! The door for browsers: a token is exchanged for a session, which lasts some hours and is a cookie
//! that no script can read and no other site's page makes the browser send.
//!
//! Must not know: hosts and origins (`shield` has checked them), what a session may ask for.

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::crawl::clock;
use crate::model::{HOUR, Millis, Token};
use crate::serve::dashboard;
use crate::serve::door::token;
use crate::store::Store;

use super::Shared;
use super::access::{self, COOKIE, Shown};
use super::body;
use super::problem::Problem;
use super::shield::Asking;

/// How long a session lasts.
const LASTS: Millis = 12 * HOUR;
/// Sessions of one token; the oldest makes room.
const SESSIONS: usize = 20;
/// Largest form, bytes.
const FORM: usize = 4 << 10;
/// Nothing but what the page itself needs; its forms go to this crawler.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What is said of a token that opens nothing.
const USELESS: &str =
    "<p class=\"error\" role=\"alert\" data-t=\"login.useless\">This token is not valid here.</p>";

/// The page.
pub(super) async fn page() -> Response {
    show(StatusCode::OK, "")
}

fn show(status: StatusCode, message: &str) -> Response {
    let page = dashboard::LOGIN.replace("<!-- message -->", message);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        // Without it a browser does not say that the form is ours: `Origin: null`.
        (header::REFERRER_POLICY, "same-origin"),
    ];
    (status, headers, page).into_response()
}

/// A token for a session.
pub(super) async fn enter(
    State(login): State<Shared>,
    Extension(asking): Extension<Asking>,
    body: Body,
) -> Result<Response, Problem> {
    let deadline = login.door.settings.deadlines.body;
    let form = body::read(body, FORM, deadline).await?;
    let opened = blocking(login.clone(), move |store| {
        let found = url::form_urlencoded::parse(&form).find(|(name, _)| name == "token");
        open(store, &found.map(|(_, text)| text.into_owned()).unwrap_or_default())
    });
    match opened.await? {
        Ok(text) => Ok(to("/", cookie(&text, LASTS / 1_000, asking.encrypted))),
        Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {
            login.door.guessed(asking.address);
            Ok(show(StatusCode::UNAUTHORIZED, USELESS))
        }
        Err(problem) => Err(problem),
    }
}

/// Ends the session, if there is one.
pub(super) async fn leave(
    State(login): State<Shared>,
    Extension(asking): Extension<Asking>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Shown::Session(text) = access::shown(&headers) {
        let closed = blocking(login, move |store| {
            let session = access::holder(store, &text);
            if let Ok(session) = session.as_ref()
                && session.session_of.is_some()
            {
                store.remove_token(&session.id)?;
            }
            Ok::<(), Problem>(())
        });
        closed.await??;
    }
    Ok(to("/login", cookie("", 0, asking.encrypted)))
}

/// Makes a session's row. Blocks.
fn open(store: &dyn Store, text: &str) -> Result<String, Problem> {
    let holder = access::bearer(store, text)?;
    let now = clock::now();
    let parent = holder.id;
    let mut open = Vec::new();
    for token in store.tokens()?.into_iter().filter(|token| token.session_of.is_some()) {
        if !token.live(now) {
            store.remove_token(&token.id)?;
        } else if token.session_of.as_ref() == Some(&parent) {
            open.push((token.created, token.id));
        }
    }
    open.sort();
    let beyond = (open.len() + 1).saturating_sub(SESSIONS);
    for (_, id) in open.iter().take(beyond) {
        store.remove_token(id)?;
    }
    let made = token::make().map_err(|error| {
        tracing::error!("no session can be made: {error:#}");
        Problem::internal()
    })?;
    store.put_token(&Token {
        id: made.id,
        name: holder.name,
        hash: made.hash,
        scopes: Vec::new(),
        created: now,
        expires: Some(now + LASTS),
        revoked: None,
        used: Some(now),
        session_of: Some(parent),
    })?;
    Ok(made.text)
}

async fn blocking<R: Send + 'static>(
    login: Shared,
    work: impl FnOnce(&dyn Store) -> R + Send + 'static,
) -> Result<R, Problem> {
    let work = tokio::task::spawn_blocking(move || work(login.engine.store.as_ref()));
    work.await.map_err(|error| {
        tracing::error!(%error, "a login ended without an answer");
        Problem::internal()
    })
}

/// 303 with a cookie.
fn to(place: &'static str, cookie: String) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_static(place));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}

fn cookie(value: &str, seconds: Millis, encrypted: bool) -> String {
    let secure = if encrypted { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

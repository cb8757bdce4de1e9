//! The pages on which people label others (`crawler annotate`): a tree beside the page, for the
//! browsers of this machine.
//!
//! The labelled page is hostile input. It is shown in a frame without scripts, addresses or an origin
//! of its own, and its policy lets it load nothing. Must not know: labels, corpora, files.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::serve::door::{self, Door};

use super::body;
use super::problem::Problem;
use super::shield::{self, Guard};

/// Largest list of labels, bytes.
const LARGEST: usize = 4 << 20;
/// The header that says the revision of labels that were kept.
const REVISION: &str = "crawler-revision";
/// What the page of the tool may load: its own files, and the labelled page in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";
/// What the labelled page may: look as its own style sheets say.
const FRAME: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'self'; sandbox";

/// What a page may that is drawn: its own style and pictures, wherever they are, and the one script of ours
/// that looks at it.
const DRAWN: &str = "default-src 'none'; style-src * 'unsafe-inline' data:; font-src * data:; \
    img-src * data:; media-src 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-";

const FILES: [(&str, &str, &str); 3] = [
    ("/", "text/html; charset=utf-8", include_str!("index.html")),
    ("/annotate.css", "text/css; charset=utf-8", include_str!("annotate.css")),
    ("/annotate.js", "text/javascript; charset=utf-8", include_str!("annotate.js")),
];

/// Why labels were not kept, in a sentence.
pub enum Refused {
    /// What was sent cannot be kept.
    Bad(String),
    /// It would take the place of labels that its sender has not seen.
    Changed(String),
}

/// What is labelled.
pub trait Pages: Send + Sync {
    /// The corpus, the labels with their keys, and how far each page is.
    fn desk(&self) -> Result<Value>;
    fn has(&self, id: &str) -> bool;
    /// A page's tree and its labels, with their `revision`.
    fn page(&self, id: &str) -> Result<Value>;
    /// The page itself, as a document.
    fn frame(&self, id: &str) -> Result<String>;
    /// The page as it was published, in UTF-8.
    fn source(&self, id: &str) -> Result<String>;
    /// Keeps the labels of a page in place of those of the `revision` that is said with them; their own.
    fn keep(&self, id: &str, said: Value) -> Result<String, Refused>;
}

/// Serves until `stop` turns true. Whoever is not on this machine is not served.
pub async fn serve(listener: TcpListener, pages: Arc<dyn Pages>, stop: watch::Receiver<bool>) {
    if !listener.local_addr().is_ok_and(|at: SocketAddr| at.ip().is_loopback()) {
        tracing::error!("labels are set on this machine alone");
        return;
    }
    let door = Door::new(door::Settings::default());
    let guard = Guard { door: door.clone(), tokens: None };
    let mut router = Router::new();
    for (path, kind, content) in FILES {
        let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, POLICY)];
        router = router.route(path, get(async move || (headers, content).into_response()));
    }
    let router = router
        .route("/desk", get(desk))
        .route("/pages/{id}", get(page).put(keep))
        .route("/frames/{id}", get(frame))
        .route("/drawn/{id}", get(drawn))
        .fallback(async || Problem::not_found("there is nothing at this path; begin at /"))
        .layer(axum::middleware::from_fn_with_state(guard, shield::shield))
        .with_state(pages);
    door::listen(listener, router, door, stop).await;
}

type Shared = State<Arc<dyn Pages>>;

async fn desk(State(pages): Shared) -> Result<Response, Problem> {
    answer(move || pages.desk()).await.map(json)
}

async fn page(State(pages): Shared, Path(id): Path<String>) -> Result<Response, Problem> {
    known(&*pages, &id)?;
    answer(move || pages.page(&id)).await.map(json)
}

async fn frame(State(pages): Shared, Path(id): Path<String>) -> Result<Response, Problem> {
    known(&*pages, &id)?;
    let document = answer(move || pages.frame(&id)).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, FRAME),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, document).into_response())
}

/// The page as it was published, and a script behind it that says how it is drawn. None of its own runs.
async fn drawn(State(pages): Shared, Path(id): Path<String>) -> Result<Response, Problem> {
    known(&*pages, &id)?;
    let source = answer(move || pages.source(&id)).await?;
    let script = include_str!("draw.js");
    let document = format!("{source}\n<script>{script}</script>\n");
    let sum = STANDARD.encode(Sha256::digest(script.as_bytes()));
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, format!("{DRAWN}{sum}'")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, document).into_response())
}

async fn keep(
    State(pages): Shared,
    Path(id): Path<String>,
    headers: HeaderMap,
    content: Body,
) -> Result<Response, Problem> {
    known(&*pages, &id)?;
    if !body::is_json(&body::kind(&headers)) {
        return Err(Problem::bad("labels are sent as application/json"));
    }
    let deadline = door::Deadlines::default().body;
    let said: Value = body::json(&body::read(content, LARGEST, deadline).await?)?;
    let kept = tokio::task::spawn_blocking(move || pages.keep(&id, said)).await;
    match kept {
        Ok(Ok(revision)) => Ok((StatusCode::NO_CONTENT, [(REVISION, revision)]).into_response()),
        Ok(Err(Refused::Bad(sentence))) => Err(Problem::bad(sentence)),
        Ok(Err(Refused::Changed(sentence))) => Err(Problem::conflict(sentence)),
        Err(error) => {
            tracing::error!(%error, "labels were not kept");
            Err(Problem::internal())
        }
    }
}

fn known(pages: &dyn Pages, id: &str) -> Result<(), Problem> {
    match pages.has(id) {
        true => Ok(()),
        false => Err(Problem::not_found("there is no such page; /desk lists them")),
    }
}

/// Runs `work` where it may take its time. Its error is told whole: only this machine reads it.
async fn answer<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(Problem::conflict(format!("{error:#}"))),
        Err(error) => {
            tracing::error!(%error, "a request ended without an answer");
            Err(Problem::internal())
        }
    }
}

fn json(value: Value) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], axum::Json(value)).into_response()
}

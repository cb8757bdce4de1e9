//! What hubs call: the callback of the WebSub subscriber, on an address of its own, so that nothing
//! else is reachable from where hubs come from.
//!
//! Must not know: feeds, entries, how a signature is made.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::{Semaphore, watch};

use crate::crawl::Engine;
use crate::crawl::run::websub::{self, Received};

use super::connection::Bounded;
use super::wait;

/// Longest challenge that is sent back, characters.
const CHALLENGE: usize = 1_024;
/// Largest delivery, bytes; what is larger comes with the next poll.
const LARGEST: usize = 4 << 20;
/// Deliveries read at the same time.
const READING: usize = 4;
/// Deliveries under way.
static SLOTS: Semaphore = Semaphore::const_new(READING);

/// Serves until `stop` turns true.
///
/// # Errors
/// The server failed.
pub async fn serve(
    listener: tokio::net::TcpListener,
    engine: Arc<Engine>,
    mut stop: watch::Receiver<bool>,
) -> Result<()> {
    let router =
        Router::new().route("/websub/{token}", get(verify).post(deliver)).with_state(engine);
    axum::serve(Bounded::new(listener), router)
        .with_graceful_shutdown(async move { wait(&mut stop).await })
        .await
        .context("the server for hubs failed")
}

/// Verification of intent: the challenge comes back if we asked.
async fn verify(
    State(engine): State<Arc<Engine>>,
    Path(token): Path<String>,
    Query(given): Query<HashMap<String, String>>,
) -> Response {
    let asked = tokio::task::spawn_blocking(move || {
        let field = |name: &str| given.get(name).map(String::as_str);
        let mode = field("hub.mode").unwrap_or_default();
        let topic = field("hub.topic").unwrap_or_default();
        let lease = field("hub.lease_seconds").and_then(|seconds| seconds.parse().ok());
        let agreed = websub::verify(&engine, &token, mode, topic, lease, field("hub.reason"))?;
        let challenge = field("hub.challenge").unwrap_or_default();
        let challenge: String = challenge.chars().take(CHALLENGE).collect();
        anyhow::Ok(agreed.then_some(challenge))
    });
    match asked.await {
        // Plain text: the challenge is whatever the caller wrote.
        Ok(Ok(Some(challenge))) => {
            ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], challenge).into_response()
        }
        Ok(Ok(None)) => StatusCode::NOT_FOUND.into_response(),
        Ok(Err(error)) => {
            tracing::error!("WebSub: {error:#}");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn deliver(
    State(engine): State<Arc<Engine>>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> StatusCode {
    // Nobody else's bytes are read.
    if !engine.websub.expects(&token) {
        return StatusCode::GONE;
    }
    let Ok(_slot) = SLOTS.acquire().await else { return StatusCode::SERVICE_UNAVAILABLE };
    let Ok(body) = axum::body::to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE;
    };
    let field = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let (signature, kind) = (field("x-hub-signature"), field("content-type"));
    match websub::receive(&engine, &token, signature, kind, body.to_vec()) {
        Received::Queued | Received::Unsigned => StatusCode::ACCEPTED,
        Received::Unknown => StatusCode::GONE,
        Received::Busy => StatusCode::SERVICE_UNAVAILABLE,
    }
}

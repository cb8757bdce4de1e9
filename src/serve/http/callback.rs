//! What hubs call: the callback of the WebSub subscriber, on an address of its own, so that nothing
//! else is reachable from where hubs come from.
//!
//! Must not know: feeds, entries, how a signature is made.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::watch;

use crate::crawl::Engine;
use crate::crawl::web::websub::{self, Received};

use crate::serve::door::{self, Door};

use super::room::Room;
use super::shield::{self, Guard};

/// Longest challenge that is sent back, characters.
const CHALLENGE: usize = 1_024;
/// Largest delivery, bytes; what is larger comes with the next poll.
const LARGEST: usize = 4 << 20;
/// Deliveries that there is room for at the same time, each as large as it may be.
const DELIVERIES: usize = 16;

/// Serves until `stop` turns true.
pub async fn serve(
    listener: tokio::net::TcpListener,
    engine: Arc<Engine>,
    settings: door::Settings,
    stop: watch::Receiver<bool>,
) {
    let door = Door::new(settings);
    let guard = Guard { door: door.clone(), tokens: None };
    let room = Room::of(DELIVERIES * LARGEST);
    let hub = Hub { engine, body: door.settings.deadlines.body, room };
    let router = Router::new()
        .route("/websub/{token}", get(verify).post(deliver))
        .layer(axum::middleware::from_fn_with_state(guard, shield::shield))
        .with_state(hub);
    door::listen(listener, router, door, stop).await;
}

/// What every request of a hub needs.
#[derive(Clone)]
struct Hub {
    engine: Arc<Engine>,
    /// How long a delivery may take.
    body: Duration,
    room: Arc<Room>,
}

/// Verification of intent: the challenge comes back if we asked.
async fn verify(
    State(Hub { engine, .. }): State<Hub>,
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
    State(Hub { engine, body: deadline, room }): State<Hub>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> StatusCode {
    // Nobody else's bytes are read, nor those of a hub that comes too often.
    if let Err(refused) = engine.websub.admit(&token) {
        return status(refused);
    }
    let (body, _held) = match room.read(body, LARGEST, deadline).await {
        Ok(read) => read,
        Err(refused) => return refused.status(),
    };
    let field = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let (signature, kind) = (field("x-hub-signature"), field("content-type"));
    status(websub::receive(&engine, &token, signature, kind, body))
}

fn status(received: Received) -> StatusCode {
    match received {
        Received::Queued | Received::Unsigned => StatusCode::ACCEPTED,
        Received::Unknown => StatusCode::GONE,
        Received::Busy => StatusCode::SERVICE_UNAVAILABLE,
    }
}

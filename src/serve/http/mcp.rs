//! Assistants over HTTP: each request stands for itself, no session is kept.
//!
//! Must not know: which questions an assistant may ask.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;

use super::Shared;
use super::problem::Problem;
use crate::query::{self, Emit, Question};
use crate::serve::command;
use crate::serve::mcp::Server;

/// Largest message of a client, bytes: a question is short.
const MOST: usize = 64 * 1024;

/// Answers one message of a client. Host, origin and token have been looked at by the door.
pub(super) async fn answer(State(shared): State<Shared>, request: Request) -> Response {
    let engine = shared.engine.clone();
    let ask = Arc::new(move |question: Question, emit: Emit<'_>| {
        query::answer(&command::asked(&engine), &question, emit)
            .map_err(|why| Problem::from(why).sentence().to_owned())
    });
    let server = Server::new(ask, shared.slots.clone());
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MOST);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    match tokio::time::timeout(super::DEADLINE, service.handle(request)).await {
        Ok(response) => response.map(axum::body::Body::new).into_response(),
        Err(_) => Problem::unavailable("this takes too long at the moment; ask for fewer days")
            .into_response(),
    }
}

//! Connections that are kept for the next request, and servers that close them just when they are asked.
//!
//! Must not know: what is asked, who asks.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard};

use reqwest::header::{CONNECTION, HeaderValue};
use reqwest::{Client, Method, Request, Response};
use url::Origin;

use super::{FetchError, dialled, failure};
use crate::model::Failure;

/// So many servers that closed one are remembered.
const MOST: usize = 4096;

/// Servers that closed a kept connection when they were asked over it.
#[derive(Debug, Default)]
pub(super) struct Closing(Mutex<HashSet<Origin>>);

impl Closing {
    /// Makes a request to a server that is known for it go over a connection of its own.
    pub fn prepare(&self, request: &mut Request, server: &Origin) {
        if self.known().contains(server) {
            on_its_own(request);
        }
    }

    /// Sends a request. A server closes kept connections when it likes, also while a request is on its way; so a GET
    /// whose kept connection broke before the head of an answer is sent once more (RFC 9112 §9.3.1), over a new one.
    /// That it does not become a habit, each later request to that server has a connection of its own.
    pub async fn send(
        &self,
        client: &Client,
        request: Request,
        server: Origin,
    ) -> Result<Response, FetchError> {
        let again = request.try_clone().filter(|again| again.method() == Method::GET);
        let (answer, dialled) = dialled::watch(client.execute(request)).await;
        let error = match answer {
            Ok(response) => return Ok(response),
            Err(error) => failure::of_send(&error),
        };
        if dialled || !matches!(error, FetchError::Failed(Failure::Reset(_))) {
            return Err(error);
        }
        // Where that is no help (a connection of HTTP/2 goes on all the same), it is no habit either.
        let (true, Some(mut again)) = (self.note(server), again) else { return Err(error) };
        tracing::debug!(%error, "a kept connection was closed; asked again over a new one");
        on_its_own(&mut again);
        client.execute(again).await.map_err(|e| failure::of_send(&e))
    }

    /// Remembers a server; false: it was known.
    fn note(&self, server: Origin) -> bool {
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(server)
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Origin>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

fn on_its_own(request: &mut Request) {
    request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
}

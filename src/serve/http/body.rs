//! The body of a request: whole, in time and no larger than what it is for.
//!
//! Must not know: what it says.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

use super::problem::Problem;

/// Reads a body of at most so many bytes.
pub(super) async fn read(body: Body, most: usize, deadline: Duration) -> Result<Vec<u8>, Problem> {
    match tokio::time::timeout(deadline, axum::body::to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes.to_vec()),
        Ok(Err(_)) if most == 0 => Err(Problem::bad("this order takes no body")),
        Ok(Err(_)) => {
            let sentence =
                format!("the body is cut off, or larger than the {most} bytes it may have");
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, sentence))
        }
        Err(_) => Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    }
}

/// The media type of a body, without parameters, in lower case; empty where none is named.
pub(super) fn kind(headers: &HeaderMap) -> String {
    let field = headers.get(header::CONTENT_TYPE).and_then(|field| field.to_str().ok());
    let kind = field.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Is this the media type of JSON?
pub(super) fn is_json(kind: &str) -> bool {
    kind == "application/json" || kind.ends_with("+json")
}

/// Reads JSON.
///
/// # Errors
/// 400 with the place and what is wrong there.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        let words: String = error.to_string().chars().take(300).collect();
        Problem::bad(format!("the body is not what is asked for here: {words}"))
    })
}

/// Reads text.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|_| Problem::bad("the body is not text in UTF-8"))
}

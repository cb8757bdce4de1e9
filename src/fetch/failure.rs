//! What the HTTP library's errors mean in our words.
//!
//! Must not know: limits, sockets.

use std::error::Error;
use std::io;

use super::FetchError;
use super::dial::{Denied, Unresolved};
use crate::model::Failure;

/// How the library names a step of its own.
const STEP: &str = "client error (";
/// Longest error text kept.
const MAX_TEXT: usize = 300;

/// An error before the response head was complete.
pub fn of_send(error: &reqwest::Error) -> FetchError {
    for cause in causes(error) {
        if let Some(denied) = cause.downcast_ref::<Denied>() {
            let why = denied.why.clone();
            return if denied.lasts {
                FetchError::Refused(why)
            } else {
                FetchError::AddressDenied(why)
            };
        }
        if let Some(unresolved) = cause.downcast_ref::<Unresolved>() {
            return Failure::Dns(unresolved.0.clone()).into();
        }
    }
    let text = chain(error);
    if error.is_builder() {
        return Failure::BadUrl(text).into();
    }
    if error.is_connect() {
        let lower = text.to_ascii_lowercase();
        let is_tls = ["certificate", "handshake", "tls", "received fatal alert", "corrupt message"]
            .iter()
            .any(|word| lower.contains(word));
        return if error.is_timeout() {
            Failure::Connect("timeout".to_owned()).into()
        } else if is_tls {
            Failure::Tls(text).into()
        } else {
            Failure::Connect(text).into()
        };
    }
    of_exchange(error, text).into()
}

/// An error while the body was read.
pub fn of_body(error: &reqwest::Error) -> Failure {
    of_exchange(error, chain(error))
}

fn of_exchange(error: &reqwest::Error, text: String) -> Failure {
    let reset = causes(error).any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| {
            use io::ErrorKind::*;
            matches!(e.kind(), ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof)
        })
    });
    // The library's own error type is not ours to name: its words are.
    let head = ["invalid http", "message head is too large", "invalid content-length", "header"];
    let lower = text.to_ascii_lowercase();
    if !reset && head.iter().any(|words| lower.contains(words)) {
        Failure::Headers(text)
    } else {
        Failure::Reset(text)
    }
}

/// An error and its causes in one line, each said once, without the URL.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    // The outermost level repeats what was tried and the URL.
    let skip = usize::from(error.source().is_some());
    for cause in causes(error).skip(skip) {
        let words = cause.to_string();
        // The library's name for the step that failed, where a cause says how.
        if text.contains(&words) || words.starts_with(STEP) && cause.source().is_some() {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&words);
    }
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |e: &&'a (dyn Error + 'static)| (*e).source()).take(16)
}

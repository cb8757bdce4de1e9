//! What a publisher's log keeps of a request.
//!
//! Must not know: who asked, what the answer was made of.

use crate::model::Millis;

/// One line of the request log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// When the request's header had been read; Unix milliseconds.
    pub start: Millis,
    /// When the last byte of the answer had been handed over, or the client had gone; `None` while
    /// it is under way.
    pub end: Option<Millis>,
    /// The `Host` header in lower case, without port.
    pub host: String,
    /// Path with query.
    pub path: String,
    /// Status answered; 0 until it is known.
    pub status: u16,
    pub user_agent: String,
}

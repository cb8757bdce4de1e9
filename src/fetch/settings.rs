//! How much a request may take, and how the crawler introduces itself.
//!
//! Must not know: how the limits are kept.

use serde::{Deserialize, Serialize};

use crate::model::{SECOND, Span};

/// Limits of one request; each has its own recorded reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Name resolution, connection and TLS handshake together.
    pub connect: Span,
    /// From the start until the response head is complete.
    pub first_byte: Span,
    /// From the start until the last byte.
    pub total: Span,
    /// Slowest body, encoded bytes per second on average …
    pub min_rate: u32,
    /// … after this long.
    pub min_rate_grace: Span,
    /// Largest decoded page, bytes.
    pub page_cap: u32,
    /// Largest decoded feed or sitemap, bytes.
    pub feed_cap: u32,
    /// Octets of a robots.txt, or of a hub's answer, that are read, bytes; longer ones are cut, not
    /// refused.
    pub robots_cap: u32,
    /// Decoded per encoded bytes, from 1 MiB on.
    pub ratio: u32,
    /// Most response header fields.
    pub header_fields: u32,
    /// Largest sum of header names and values, bytes.
    pub header_bytes: u32,
    /// Decoded bytes in flight, all requests together, bytes. Half of it is for the beginnings of
    /// bodies, up to a 64th of it each, reserved before a request is sent; the other half for the
    /// rest of those that grow beyond, reserved for the whole cap when they do. A body keeps what
    /// it takes until the response is dropped.
    pub in_flight: u32,
    /// How long an idle connection is kept for the next request; 0 closes each at once.
    pub idle: Span,
}

impl Default for Settings {
    fn default() -> Self {
        const MIB: u32 = 1024 * 1024;
        Settings {
            connect: Span(10 * SECOND),
            first_byte: Span(20 * SECOND),
            total: Span(60 * SECOND),
            min_rate: 1024,
            min_rate_grace: Span(10 * SECOND),
            page_cap: 10 * MIB,
            feed_cap: 15 * MIB,
            robots_cap: 500 * 1024,
            ratio: 200,
            header_fields: 256,
            header_bytes: 128 * 1024,
            in_flight: 256 * MIB,
            idle: Span(30 * SECOND),
        }
    }
}

/// How the crawler introduces itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// Product token, the same that robots.txt is read for.
    pub token: String,
    /// URL or mail address that sites can turn to; without it only what `guard.allow` opens is
    /// dialled.
    pub contact: Option<String>,
}

impl Identity {
    /// The User-Agent header, e.g. `crawler/0.1.0 (+https://example.org/bot)`.
    pub fn user_agent(&self) -> String {
        let product = format!("{}/{}", self.token, env!("CARGO_PKG_VERSION"));
        match self.contact() {
            Some(contact) => format!("{product} (+{contact})"),
            None => product,
        }
    }

    /// The contact, if there is one.
    pub fn contact(&self) -> Option<&str> {
        self.contact.as_deref().map(str::trim).filter(|c| !c.is_empty())
    }
}

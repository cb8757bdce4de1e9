//! Answers as they travel: with a sum by which a client knows that it has them already (RFC 9110 §8.8.3
//! and §13.1.2), and compressed where the client reads that (§12.5.3).
//!
//! Must not know: what is in them.

use std::io::Write;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::model::hex;

/// Below this many bytes compression gains nothing.
const WORTH: usize = 1_024;

/// What a client says of the answers that it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Takes {
    gzip: bool,
    /// Sums of answers that it has, as it sent them.
    known: String,
}

impl Takes {
    pub(super) fn of(headers: &HeaderMap) -> Takes {
        let list = |name: header::HeaderName| -> String {
            let fields = headers.get_all(name).iter().filter_map(|field| field.to_str().ok());
            fields.collect::<Vec<_>>().join(",")
        };
        let codings = list(header::ACCEPT_ENCODING);
        let wanted = codings.split(',').any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let refused = parts.any(|part| {
                let weight = part.strip_prefix("q=").and_then(|q| q.trim().parse::<f32>().ok());
                weight == Some(0.0)
            });
            (name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip")) && !refused
        });
        Takes { gzip: wanted, known: list(header::IF_NONE_MATCH) }
    }

    fn has(&self, tag: &str) -> bool {
        let known = |one: &str| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag;
        self.known.split(',').map(str::trim).any(known)
    }
}

/// The answer with this content, or 304 where the client has it. The sum is weak: it is that of the
/// content, compressed or not.
pub(super) fn pack(
    takes: &Takes,
    kind: &'static str,
    caching: &'static str,
    content: Vec<u8>,
) -> Response {
    let sum = hex(&Sha256::digest(&content)[..16]);
    tagged(takes, kind, caching, content, &format!("W/\"{sum}\""))
}

/// The same of content that has a version, which is a strong tag: so it is sent in one form only.
pub(super) fn versioned(
    takes: &Takes,
    kind: &'static str,
    caching: &'static str,
    content: Vec<u8>,
    version: &str,
) -> Response {
    let takes = Takes { gzip: false, ..takes.clone() };
    tagged(&takes, kind, caching, content, &format!("\"{version}\""))
}

fn tagged(
    takes: &Takes,
    kind: &'static str,
    caching: &'static str,
    content: Vec<u8>,
    tag: &str,
) -> Response {
    let known = takes.has(tag.strip_prefix("W/").unwrap_or(tag));
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => match (takes.gzip && content.len() >= WORTH).then(|| compressed(&content)) {
            Some(Ok(small)) => {
                ([(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))], small)
                    .into_response()
            }
            _ => content.into_response(),
        },
    };
    let headers = response.headers_mut();
    if !known {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    // Versions and sums are digits and letters.
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn compressed(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::new(4));
    out.write_all(content)?;
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(fields: &[(&'static str, &str)]) -> Takes {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().unwrap());
        }
        Takes::of(&headers)
    }

    #[test]
    fn gzip_is_given_to_who_asks_for_it() {
        for (field, expect) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("deflate,x-gzip", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0", false),
            ("br", false),
            ("*", false),
            ("", false),
            ("gzipped", false),
        ] {
            assert_eq!(takes(&[("accept-encoding", field)]).gzip, expect, "{field}");
        }
        let long = vec![b'a'; 5_000];
        let answer =
            |takes: &Takes, content: &[u8]| pack(takes, "text/plain", "no-store", content.to_vec());
        let encoding = |response: &Response| response.headers().contains_key("content-encoding");
        assert!(encoding(&answer(&takes(&[("accept-encoding", "gzip")]), &long)));
        assert!(!encoding(&answer(&takes(&[("accept-encoding", "gzip")]), b"short")));
        assert!(!encoding(&answer(&Takes::default(), &long)));
    }

    #[test]
    fn what_a_client_has_is_not_sent_again() {
        let content = b"counts".to_vec();
        let first = pack(&Takes::default(), "text/plain", "no-store", content.clone());
        let tag = first.headers()["etag"].to_str().unwrap().to_owned();
        let strong = tag.trim_start_matches("W/").to_owned();
        for (field, status) in [
            (tag.clone(), 304),
            (strong, 304),
            (format!("\"other\", {tag}"), 304),
            ("*".to_owned(), 304),
            ("\"other\"".to_owned(), 200),
            (String::new(), 200),
        ] {
            let answer = pack(
                &takes(&[("if-none-match", &field)]),
                "text/plain",
                "no-store",
                content.clone(),
            );
            assert_eq!(answer.status().as_u16(), status, "{field}");
            assert_eq!(answer.headers()["etag"].to_str().unwrap(), tag);
        }
        let changed =
            pack(&takes(&[("if-none-match", &tag)]), "text/plain", "no-store", b"x".to_vec());
        assert_eq!(changed.status(), StatusCode::OK);
    }
}

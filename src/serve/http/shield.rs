//! Who may ask, and what browsers may do with the answers.
//!
//! Must not know: routes.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;

/// Everything comes from here and nothing is inline, so that a hostile title which slipped through
/// all escaping still could not run.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Checks the host and origin asked for and adds the security headers to every answer.
///
/// A service bound to a loopback address answers only to loopback names: a page elsewhere whose own
/// name was rebound to 127.0.0.1 would otherwise read everything. On other addresses any name is
/// answered to, since the operator's names are not known here.
pub(super) async fn shield(State(loopback): State<bool>, request: Request, next: Next) -> Response {
    let mut response = match refused(&request, loopback) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refused(request: &Request, loopback: bool) -> Option<Problem> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    // An absolute request target overrides Host (RFC 9112 §3.2.2).
    let asked = match (request.uri().authority(), hosts.next()) {
        (Some(authority), _) => Some(authority.as_str()),
        (None, Some(host)) => Some(host.to_str().unwrap_or("")),
        (None, None) => None,
    };
    let Some(asked) = asked.filter(|_| hosts.next().is_none()) else {
        let old = request.version() < Version::HTTP_11 && asked.is_none();
        return (!old).then(|| Problem::bad("the request must have exactly one Host header"));
    };
    if loopback && !is_loopback(asked) {
        let sentence = "this crawler answers only to localhost and loopback addresses";
        return Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, sentence));
    }
    let origin = request.headers().get(header::ORIGIN)?;
    let own = origin.to_str().ok().and_then(|o| o.split_once("://")).map(|(_, host)| host);
    (own != Some(asked)).then(|| {
        let sentence = "pages of other sites may not ask this crawler";
        Problem::new(StatusCode::FORBIDDEN, sentence)
    })
}

/// Is this `host[:port]` the machine itself?
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((v6, _)) => v6,
        None => authority.split_once(':').map_or(authority, |(host, _)| host),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_names() {
        for (authority, expect) in [
            ("localhost", true),
            ("LOCALHOST:8080", true),
            ("crawler.localhost:1", true),
            ("127.0.0.1:8080", true),
            ("127.9.9.9", true),
            ("[::1]:8080", true),
            ("[::ffff:127.0.0.1]:8080", true),
            ("evil.example", false),
            ("localhost.evil.example:8080", false),
            ("127.0.0.1.evil.example", false),
            ("10.0.0.1", false),
            ("[2001:db8::1]:80", false),
            ("", false),
            ("[", false),
        ] {
            assert_eq!(is_loopback(authority), expect, "{authority}");
        }
    }
}

//! What every request passes before it is answered, and what browsers may do with the answers.
//!
//! Must not know: routes but those of health.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use crate::serve::door::{Door, Lane, Peer, Who, forwarded, name_of};

use super::DEADLINE;
use super::problem::Problem;

/// Everything comes from here and nothing is inline, so that a hostile title which slipped through
/// all escaping still could not run.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Answered whatever else is under way.
const HEALTH: &str = "/healthz";
/// The same, as long as its client does not ask too often.
const READY: &str = "/readyz";

/// Lets a request pass or refuses it, and adds the security headers to every answer.
pub(super) async fn shield(
    State(door): State<Arc<Door>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match pass(&door, &request) {
        Ok(turns) => in_turn(turns, next.run(request)).await,
        Err(refusal) => refusal.into_response(),
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

/// A request refused at the door: what its client is told, and what with it.
struct Refusal {
    problem: Problem,
    /// After so many seconds it may come again.
    retry: Option<u64>,
    /// The connection is of no more use.
    close: bool,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal { problem, retry: None, close: false }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.problem.into_response();
        if let Some(seconds) = self.retry {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.close {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Host, origin, lane and rate, in this order. Returns the turns of the client, if it has to wait
/// for one.
fn pass(door: &Door, request: &Request) -> Result<Option<Arc<Semaphore>>, Refusal> {
    let host = host(request)?;
    if let Some(host) = host {
        if !door.hosts.allow(host) {
            return Err(stranger(host).into());
        }
        own_page(request, host)?;
    }
    let path = request.uri().path();
    if path == HEALTH {
        return Ok(None);
    }
    let peer = request.extensions().get::<Peer>().copied();
    let lane = peer.map_or(Lane::All, |peer| peer.lane);
    if lane == Lane::Health && path != READY {
        let sentence = "all connections are taken: this one is for /healthz and /readyz only";
        let problem = Problem::unavailable(sentence);
        return Err(Refusal { problem, retry: Some(1), close: true });
    }
    let turns = rated(door, Who::Address(asking(door, request, peer)))?;
    Ok((path != READY).then_some(turns))
}

/// Answers when it is the client's turn: one with many questions at once waits for its own answers.
async fn in_turn(
    turns: Option<Arc<Semaphore>>,
    answer: impl Future<Output = Response>,
) -> Response {
    let Some(turns) = turns else { return answer.await };
    match tokio::time::timeout(DEADLINE, turns.acquire()).await {
        Ok(_turn) => answer.await,
        Err(_) => {
            let sentence =
                "too many questions of this client are being answered: ask fewer at once";
            Problem::unavailable(sentence).into_response()
        }
    }
}

/// Takes one request from an account.
fn rated(door: &Door, who: Who) -> Result<Arc<Semaphore>, Refusal> {
    door.rates.take(&who, 1.0, Instant::now()).map_err(|wait: Duration| {
        let seconds = wait.as_secs() + 1;
        let sentence = format!(
            "this client asks too often: wait {seconds} s (`clients.rate` and `clients.burst` say \
             how often it may)"
        );
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, sentence);
        Refusal { problem, retry: Some(seconds), close: false }
    })
}

/// The address that a request counts for.
fn asking(door: &Door, request: &Request, peer: Option<Peer>) -> IpAddr {
    let peer = peer.map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.address);
    let fields = request.headers().get_all("x-forwarded-for").iter();
    // A field that is no text is none that a proxy has written.
    let fields: Vec<&str> = fields.map(|field| field.to_str().unwrap_or("?")).collect();
    forwarded(peer, fields.into_iter(), &door.settings.proxies)
}

/// The one `host[:port]` that is asked; HTTP/1.0 may do without.
fn host(request: &Request) -> Result<Option<&str>, Problem> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    // An absolute request target overrides Host (RFC 9112 §3.2.2).
    let asked = match (request.uri().authority(), hosts.next()) {
        (Some(authority), _) => Some(authority.as_str()),
        (None, Some(host)) => Some(host.to_str().unwrap_or("")),
        (None, None) => None,
    };
    let old = request.version() < Version::HTTP_11;
    match asked {
        Some(asked) if hosts.next().is_none() => Ok(Some(asked)),
        None if old => Ok(None),
        _ => Err(Problem::bad("the request must have exactly one Host header")),
    }
}

fn stranger(host: &str) -> Problem {
    let known = name_of(host).filter(|name| {
        name.len() <= 253 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
    });
    let sentence = match known {
        Some(name) => format!(
            "this crawler is not asked as `{name}`: if that is its name, add it to `allowed_hosts` \
             in the configuration"
        ),
        None => "the Host header is no name; `allowed_hosts` lists those allowed".to_owned(),
    };
    Problem::new(StatusCode::MISDIRECTED_REQUEST, sentence)
}

/// Pages of other sites may not ask.
fn own_page(request: &Request, host: &str) -> Result<(), Problem> {
    let Some(origin) = request.headers().get(header::ORIGIN) else { return Ok(()) };
    let own = origin.to_str().ok().and_then(|o| o.split_once("://")).map(|(_, host)| host);
    if own == Some(host) {
        return Ok(());
    }
    Err(Problem::new(StatusCode::FORBIDDEN, "pages of other sites may not ask this crawler"))
}

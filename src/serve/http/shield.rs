//! What every request passes before it is answered, and what browsers may do with the answers.
//!
//! Must not know: routes but those of health.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use crate::model::Scope;
use crate::serve::door::{Door, Lane, Peer, Who, forwarded, name_of};

use super::DEADLINE;
use super::access::{self, Need, Shown, Tokens};
use super::problem::Problem;

/// Everything comes from here and nothing is inline, so that a hostile title which slipped through
/// all escaping still could not run. `doctor` tells a daemon from another program by it.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Who came by TLS once is to come so for half a year.
const TLS_ONLY: &str = "max-age=15768000";
/// Answered whatever else is under way.
const HEALTH: &str = "/healthz";
/// The same, as long as its client does not ask too often.
const READY: &str = "/readyz";

/// What the door of a listener asks of every request.
#[derive(Clone)]
pub(super) struct Guard {
    pub door: Arc<Door>,
    /// `None`: nothing here needs a token.
    pub tokens: Option<Tokens>,
}

/// Where a request comes from; later rooms find it among its extensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
    pub address: IpAddr,
    /// Somebody passed it on: who really asks may be anywhere.
    relayed: bool,
    /// The client's connection is encrypted, here or by a trusted proxy.
    pub encrypted: bool,
}

/// Lets a request pass or refuses it, and adds the security headers to every answer.
pub(super) async fn shield(
    State(guard): State<Guard>,
    mut request: Request,
    next: Next,
) -> Response {
    let mut encrypted = false;
    let mut response = match pass(&guard.door, &request) {
        Ok((asking, turns)) => {
            encrypted = asking.encrypted;
            request.extensions_mut().insert(asking);
            in_turn(turns, admitted(&guard, asking, request, next)).await
        }
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    if encrypted {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(TLS_ONLY));
    }
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        // What an answer says of itself stands.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Host, page, lane and rate, in this order. Returns who asks, and the turns of that client if it
/// has to wait for one.
fn pass(door: &Door, request: &Request) -> Result<(Asking, Option<Arc<Semaphore>>), Problem> {
    if let Some(host) = host(request)? {
        if !door.hosts.allow(host) {
            return Err(stranger(host));
        }
        own_page(request, host)?;
    }
    let peer = request.extensions().get::<Peer>().copied();
    let asking = asking(door, request, peer);
    let path = request.uri().path();
    if path == HEALTH {
        return Ok((asking, None));
    }
    let lane = peer.map_or(Lane::All, |peer| peer.lane);
    if lane == Lane::Health && path != READY {
        let sentence = "all connections are taken: this one is for /healthz and /readyz only";
        return Err(Problem::unavailable(sentence)
            .with(header::RETRY_AFTER, 1)
            .with(header::CONNECTION, HeaderValue::from_static("close")));
    }
    let account = Who::Address(asking.address);
    let turns = door.rates.take(&account, 1.0, Instant::now()).map_err(access::too_often)?;
    Ok((asking, (path != READY).then_some(turns)))
}

/// Answers a request that shows what it needs.
async fn admitted(guard: &Guard, asking: Asking, mut request: Request, next: Next) -> Response {
    let need = access::need(request.method(), request.uri().path());
    let (Some(tokens), Need::Token(scope)) = (guard.tokens.clone(), need) else {
        return next.run(request).await;
    };
    if scope != Scope::Write && !tokens.to_read && !asking.relayed {
        return next.run(request).await;
    }
    let shown = access::shown(request.headers());
    if let Err(problem) = access::from_own_page(request.headers(), &shown, scope) {
        return problem.into_response();
    }
    let door = guard.door.clone();
    let guessing = shown != Shown::Nothing;
    let looking = move || access::admit(tokens.store.as_ref(), &door, &shown, scope);
    match tokio::task::spawn_blocking(looking).await {
        Ok(Ok(caller)) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Ok(Err(problem)) => {
            if guessing && problem.status() == StatusCode::UNAUTHORIZED {
                guard.door.guessed(asking.address);
            }
            problem.into_response()
        }
        Err(error) => {
            tracing::error!(%error, "a token was not looked up");
            Problem::internal().into_response()
        }
    }
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

/// For whom a request counts, and what is known of its way.
fn asking(door: &Door, request: &Request, peer: Option<Peer>) -> Asking {
    let from = peer.map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.address);
    let proxies = &door.settings.proxies;
    let headers = request.headers();
    let field = |name: &'static str| headers.get_all(name).iter();
    // A field that is no text is none that a proxy has written.
    let chain: Vec<&str> =
        field("x-forwarded-for").map(|field| field.to_str().unwrap_or("?")).collect();
    let relayed = ["x-forwarded-for", "forwarded", "x-forwarded-host", "via"];
    let trusted = proxies.iter().any(|net| net.contains(&from.to_canonical()));
    let over_tls = field("x-forwarded-proto").next_back().is_some_and(|proto| proto == "https");
    Asking {
        address: forwarded(from, chain.into_iter(), proxies),
        relayed: relayed.iter().any(|name| headers.contains_key(*name)),
        encrypted: peer.is_some_and(|peer| peer.encrypted) || trusted && over_tls,
    }
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

/// Pages of other sites may not ask. What they only load has no `Origin`, but says from where it is
/// asked (Fetch Metadata); a link that a person follows may lead here, to a report for instance.
fn own_page(request: &Request, host: &str) -> Result<(), Problem> {
    let field = |name: &str| request.headers().get(name).map(|field| field.to_str().unwrap_or(""));
    let own = match field("origin") {
        Some(origin) => origin.split_once("://").is_some_and(|(_, from)| from == host),
        None => match field("sec-fetch-site") {
            Some("cross-site" | "same-site") => {
                request.method() == Method::GET
                    && field("sec-fetch-mode") == Some("navigate")
                    && field("sec-fetch-dest").is_none_or(|dest| dest == "document")
            }
            _ => true,
        },
    };
    if own {
        return Ok(());
    }
    Err(Problem::new(StatusCode::FORBIDDEN, "pages of other sites may not ask this crawler"))
}

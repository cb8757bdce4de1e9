//! Orders over HTTP: what a request sends becomes an order and the order a job. Who waits a little gets its
//! answer at once; what takes longer is asked for by the id of the job. And pages that are handed over to
//! be read.
//!
//! Must not know: which orders there are.

use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::crawl::orders::extract::{self, Given, Unread};
use crate::store::decision::{Via, Who};

use super::access::Caller;
use super::act::{Act, Body as Takes, Sent};
use super::endpoint::brand_set_of;
use super::params::{self, Param, Segment};
use super::problem::Problem;
use super::{Shared, body, room};

/// How long an answer is waited for where the client does not say.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest that a client may ask for.
const LONGEST: Duration = Duration::from_secs(25);
/// Pages that are read for somebody at the same time: the crawl comes first.
static EXTRACTING: Semaphore = Semaphore::const_new(2);

/// Carries out what a request orders.
pub(super) async fn carry_out(
    shared: &Shared,
    act: &'static Act,
    caller: Caller,
    name: String,
    headers: &HeaderMap,
    query: &str,
    content: Body,
) -> Result<Response, Problem> {
    let known: &[Param] = if act.dry { &[Param::DryRun] } else { &[] };
    let given = params::read(known, 0, None, query)?;
    if headers.contains_key(header::IF_NONE_MATCH) {
        return Err(Problem::bad(
            "`If-None-Match` is not heeded by orders: name what is to be replaced in `If-Match`",
        ));
    }
    let instead_of = if act.guarded { expected(headers)? } else { None };
    let kind = body::kind(headers);
    let deadline = shared.door.settings.deadlines.body;
    // Until the order is made of it.
    let (content, _held) = shared.orders_room.read(content, act.body.most(), deadline).await?;
    refuse_others(&act.body, &kind, content.is_empty())?;
    let sent = Sent { name, dry_run: given.dry_run, instead_of, kind, body: content };
    let order = (act.order)(sent)?;
    let who = Who { name: caller.name, via: Via::Token };
    let job = shared.jobs.begin(&shared.engine, who, order)?;
    match job.wait(patience(headers)).await {
        Some(answer) => {
            let answer = answer?;
            let told = match act.list {
                Some(list) => json!({ list: answer.values, "truncated": answer.truncated }),
                None => answer.values.into_iter().next_back().unwrap_or_else(|| json!({})),
            };
            Ok(told_at(StatusCode::OK, &told))
        }
        None => {
            let mut response = told_at(StatusCode::ACCEPTED, &job.shown(false));
            if let Ok(place) = format!("/api/v1/jobs/{}", job.id).parse() {
                response.headers_mut().insert(header::LOCATION, place);
            }
            Ok(response)
        }
    }
}

/// Refuses a body of another media type than the order takes. A list may come without one: `curl -d` names a
/// form where nothing else is said, and a form, a page or a picture is no list.
fn refuse_others(takes: &Takes, kind: &str, empty: bool) -> Result<(), Problem> {
    let sentence = match takes {
        Takes::Json(_, may_miss) if !(body::is_json(kind) || *may_miss && empty) => {
            "this takes JSON: send it with `Content-Type: application/json`".to_owned()
        }
        Takes::Listed(_, kinds)
            if !kind.is_empty() && !body::is_json(kind) && !kinds.contains(&kind) =>
        {
            format!(
                "this takes no `{kind}`: name what is sent in `Content-Type`, one of application/json, {}",
                kinds.join(", ")
            )
        }
        _ => return Ok(()),
    };
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence))
}

fn told_at(status: StatusCode, value: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, value.to_string()).into_response()
}

/// The version of the brand set that is to be in use (RFC 9110 §8.8.3, §13.1.1).
fn expected(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut fields = headers.get_all(header::IF_MATCH).iter();
    let Some(field) = fields.next() else { return Ok(None) };
    let text = field.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let tag = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let plain = |tag: &str| tag.bytes().all(|b| b.is_ascii_graphic() && b != b'"');
    match tag.filter(|tag| fields.next().is_none() && plain(tag)) {
        Some(tag) => Ok(Some(brand_set_of(tag).to_owned())),
        None => Err(Problem::bad(
            "`If-Match` is not the one `ETag` that /api/v1/brands has answered, in its quotes",
        )),
    }
}

/// How long the client wants to wait (RFC 7240: `respond-async`, `wait`).
fn patience(headers: &HeaderMap) -> Duration {
    let fields = headers.get_all("prefer").iter().filter_map(|field| field.to_str().ok());
    let mut long = PATIENCE;
    for wish in fields.flat_map(|field| field.split([',', ';'])).map(str::trim) {
        let seconds = wish.strip_prefix("wait=").and_then(|n| n.trim().parse().ok());
        if wish.eq_ignore_ascii_case("respond-async") {
            return Duration::ZERO;
        }
        long = seconds.map_or(long, |n| Duration::from_secs(n).min(LONGEST));
    }
    long
}

/// All jobs.
pub(super) async fn jobs(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    params::read(&[], 0, None, query.as_deref().unwrap_or(""))?;
    let jobs: Vec<Value> = shared.jobs.all().iter().map(|job| job.shown(false)).collect();
    Ok(told_at(StatusCode::OK, &json!({ "jobs": jobs })))
}

/// One job with its answer.
pub(super) async fn job(
    State(shared): State<Shared>,
    Segment(id): Segment,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    params::read(&[], 0, None, query.as_deref().unwrap_or(""))?;
    Ok(told_at(StatusCode::OK, &shared.jobs.find(&id)?.shown(true)))
}

/// Takes a job back.
pub(super) async fn cancel(
    State(shared): State<Shared>,
    Segment(id): Segment,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    params::read(&[], 0, None, query.as_deref().unwrap_or(""))?;
    let job = shared.jobs.find(&id)?;
    job.cancel();
    // Most orders look up from their work every few milliseconds.
    let _ = job.wait(Duration::from_secs(1)).await;
    Ok(told_at(StatusCode::OK, &job.shown(true)))
}

/// Reads a page that is handed over.
pub(super) async fn extract(
    State(shared): State<Shared>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    content: Body,
) -> Result<Response, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Page {
        url: Option<String>,
        html: String,
    }
    let url = params::read(&[Param::Url], 0, None, query.as_deref().unwrap_or(""))?.url;
    let cap = extract::largest(&shared.engine);
    let deadline = shared.door.settings.deadlines.body;
    // A page in JSON is longer than itself.
    let most = cap.saturating_mul(2);
    let (content, _held) = shared.pages_room.read(content, most, deadline).await?;
    let given = if body::is_json(&body::kind(&headers)) {
        let page: Page = body::json(&content)?;
        let content_type = Some("text/html; charset=utf-8".to_owned());
        Given { url: page.url.or(url), content_type, html: page.html.into_bytes() }
    } else {
        let kind = headers.get(header::CONTENT_TYPE).and_then(|field| field.to_str().ok());
        let html = kind.filter(|kind| kind.contains("html")).map(str::to_owned);
        Given { url, content_type: html, html: content }
    };
    if given.html.is_empty() {
        return Err(Problem::bad("the body is empty: send a page, or JSON with `url` and `html`"));
    }
    let _turn = room::turn(&EXTRACTING).await?;
    match extract::extract(&shared.engine, given).await {
        Ok(read) => Ok(told_at(StatusCode::OK, &json!(read))),
        Err(why) => Err(refused(&why)),
    }
}

fn refused(why: &Unread) -> Problem {
    let status = match why {
        Unread::Large(..) => StatusCode::PAYLOAD_TOO_LARGE,
        Unread::Url(_) | Unread::NoPage(_) | Unread::Limit(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Unread::Late | Unread::Model(_) => StatusCode::SERVICE_UNAVAILABLE,
        Unread::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Problem::new(status, why.to_string())
}

/// What a route of an act is given beside the path.
pub(super) type Known = Option<Extension<Caller>>;

/// Whoever orders; the door lets nobody else through.
pub(super) fn known(caller: Known) -> Result<Caller, Problem> {
    caller.map(|caller| caller.0).ok_or_else(Problem::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().expect("a value"));
        }
        headers
    }

    #[test]
    fn clients_say_how_long_they_wait() {
        for (field, seconds) in [
            ("respond-async", 0),
            ("wait=3", 3),
            ("return=minimal, wait=0", 0),
            ("wait=999999999", 25),
            ("wait=soon", 10),
            ("", 10),
        ] {
            let long = patience(&headers(&[("prefer", field)]));
            assert_eq!(long, Duration::from_secs(seconds), "{field}");
        }
    }

    #[test]
    fn a_tag_names_a_brand_set() {
        let of = |fields: &[(&'static str, &str)]| expected(&headers(fields)).ok();
        assert_eq!(of(&[]), Some(None));
        assert_eq!(of(&[("if-match", "*")]), Some(None));
        assert_eq!(of(&[("if-match", "\"0f-12\"")]), Some(Some("0f".into())));
        // The empty set of the first day.
        assert_eq!(of(&[("if-match", "\"-0\"")]), Some(Some(String::new())));
        for wrong in ["W/\"0f-12\"", "0f-12", "\"a\", \"b\"", "\""] {
            assert_eq!(of(&[("if-match", wrong)]), None, "{wrong}");
        }
        assert_eq!(of(&[("if-match", "\"a\""), ("if-match", "\"b\"")]), None);
    }
}

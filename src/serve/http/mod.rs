//! The HTTP API and the dashboard, for people's browsers and other programs: questions, orders for who has
//! a token that may write. Health and readiness for supervisors, metrics for Prometheus, JSON under `/api/v1`.
//!
//! Must not know: sled, extraction, how a number is made (`query` knows that).

mod access;
mod act;
pub mod annotate;
mod body;
pub mod callback;
mod endpoint;
mod jobs;
mod login;
#[cfg(feature = "mcp")]
mod mcp;
mod openapi;
mod ordered;
mod pack;
mod params;
mod problem;
mod room;
mod schema;
mod shield;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, get, on, post};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Semaphore, watch};
use tracing::Instrument;

use crate::crawl::orders::extract;
use crate::crawl::{Engine, clock};
use crate::deliver;
use crate::meter;
use crate::query::{self, EstimateQuery, ReportQuery, SilentSource};
use crate::report;
use crate::serve::{command, dashboard, door};

use access::Tokens;
use act::ACTS;
use door::Door;
use endpoint::{ENDPOINTS, Endpoint};
use jobs::Jobs;
use ordered::Known;
use pack::{Takes, pack, versioned};
use params::Segment;
use problem::Problem;
use room::Room;
use shield::Guard;
pub use shield::POLICY;

/// Questions answered by the store at the same time; more wait for their turn.
const SLOTS: usize = 8;
/// Bytes of a brand at most.
const BRAND: usize = 64 * 1024;
/// The same for readiness and metrics, which no reader keeps waiting.
const OWN_SLOTS: usize = 2;
/// Bodies that there is room for at the same time, each as large as it may be.
const BODIES: usize = 8;
/// Longest time that a request waits for its answer, its turn included.
const DEADLINE: Duration = Duration::from_secs(30);
/// How often histograms are folded, so that they stay small when nobody scrapes them.
const UPKEEP: Duration = Duration::from_secs(5);

/// How long the answer to who has fallen silent stands: it takes weeks of the ledger to tell.
const SILENT: Duration = Duration::from_secs(300);

/// What every request needs.
#[derive(Clone)]
struct Shared {
    engine: Arc<Engine>,
    metrics: PrometheusHandle,
    door: Arc<Door>,
    slots: Arc<Semaphore>,
    own_slots: Arc<Semaphore>,
    /// For what is sent with orders, and for pages that are handed over: who may only read holds up no
    /// order.
    orders_room: Arc<Room>,
    pages_room: Arc<Room>,
    jobs: Arc<Jobs>,
    /// When silences were last looked for.
    looked: Arc<Mutex<Option<Instant>>>,
}

/// What one listener answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    /// Metrics and health.
    Metrics,
}

/// Serves until `stop` turns true; requests under way are finished first, for a few seconds.
pub async fn serve(
    listener: tokio::net::TcpListener,
    part: Part,
    engine: Arc<Engine>,
    metrics: PrometheusHandle,
    settings: door::Settings,
    stop: watch::Receiver<bool>,
) {
    let upkeep = metrics.clone();
    let door = Door::new(settings);
    let order = ACTS.iter().map(|act| act.body.most()).max().unwrap_or(0);
    let page = extract::largest(&engine).saturating_mul(2);
    let shared = Shared {
        engine,
        metrics,
        door: door.clone(),
        slots: Arc::new(Semaphore::new(SLOTS)),
        own_slots: Arc::new(Semaphore::new(OWN_SLOTS)),
        orders_room: Room::of(order.saturating_mul(BODIES)),
        pages_room: Room::of(page.saturating_mul(BODIES)),
        jobs: Arc::default(),
        looked: Arc::default(),
    };
    let jobs = shared.jobs.clone();
    let router = router(shared, part, listener.local_addr().is_ok_and(|at| at.ip().is_loopback()));
    let fold = async {
        let mut every = tokio::time::interval(UPKEEP);
        loop {
            every.tick().await;
            upkeep.run_upkeep();
        }
    };
    tokio::select! {
        () = door::listen(listener, router, door, stop) => {}
        () = fold => {}
    }
    jobs.stop();
}

/// `loopback`: nobody but this machine reaches the listener, unless through a proxy.
fn router(shared: Shared, part: Part, loopback: bool) -> Router {
    let door = shared.door.clone();
    let to_read = !loopback || !door.settings.proxies.is_empty();
    let tokens = Some(Tokens { store: shared.engine.store.clone(), to_read });
    let guard = Guard { door, tokens };
    let health = Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/metrics", get(scrape));
    let router = match part {
        Part::All => health.merge(api()),
        Part::Metrics => health,
    };
    router
        .fallback(async || {
            Problem::not_found(
                "there is nothing at this path; /api/v1/openapi.json lists what there is",
            )
        })
        .method_not_allowed_fallback(async || {
            let sentence =
                "this path does not support this method; /api/v1/openapi.json lists what there is";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, sentence)
        })
        .layer(axum::middleware::from_fn_with_state(guard, shield::shield))
        .layer(axum::middleware::from_fn(traced))
        .with_state(shared)
}

/// One request is one span, by the path of the API's description: what is looked for is nobody's
/// business.
async fn traced(path: Option<MatchedPath>, request: Request, next: Next) -> Response {
    // What is not known is anybody's word, and names no span (OpenTelemetry, HTTP conventions).
    let method = match request.method().as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "PATCH" | "OPTIONS") => known,
        _ => "_OTHER",
    };
    let path = path.as_ref().map_or("", |path| path.as_str());
    let span = tracing::info_span!(
        "http",
        otel.kind = "server",
        otel.name = format!("{method} {path}"),
        http.request.method = method,
        http.route = path,
        http.response.status_code = tracing::field::Empty,
    );
    let response = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    response
}

/// API and dashboard.
fn api() -> Router<Shared> {
    let mut router = Router::new()
        .route("/login", get(login::page).post(login::enter))
        .route("/logout", post(login::leave))
        .route(
            "/api/v1/openapi.json",
            get(async |headers: HeaderMap| {
                json(&Takes::of(&headers), &openapi::document(), "no-cache")
            }),
        );
    for file in dashboard::FILES {
        let show = async move |headers: HeaderMap| {
            pack(&Takes::of(&headers), file.kind, "no-cache", file.content.into())
        };
        router = router.route(file.path, get(show));
    }
    router = router
        .route("/api/v1/feeds.opml", get(opml))
        .route("/api/v1/alerts/{alert}/feed.atom", get(atom))
        .route(openapi::REPORT, get(report_page))
        .route(access::EXTRACT, post(ordered::extract))
        .route(access::ESTIMATE, post(estimate))
        .route("/api/v1/jobs", get(ordered::jobs))
        .route("/api/v1/jobs/{job}", get(ordered::job).delete(ordered::cancel));
    #[cfg(feature = "mcp")]
    {
        router = router.route(access::MCP, post(mcp::answer));
    }
    let (of_brand, name) = access::ESTIMATE_AS_BRAND;
    let as_brand = ACTS.iter().filter(|act| act.path == of_brand);
    let acts = ACTS.iter().map(|act| (act, act.path, ""));
    for (act, path, name) in acts.chain(as_brand.map(|act| (act, access::ESTIMATE, name))) {
        let unnamed = async move |State(shared): State<Shared>,
                                  caller: Known,
                                  headers: HeaderMap,
                                  RawQuery(query): RawQuery,
                                  body: Body| {
            let (caller, query) = (ordered::known(caller)?, query.unwrap_or_default());
            ordered::carry_out(&shared, act, caller, name.to_owned(), &headers, &query, body).await
        };
        let named = async |State(shared): State<Shared>,
                           caller: Known,
                           Segment(name): Segment,
                           headers: HeaderMap,
                           RawQuery(query): RawQuery,
                           body: Body| {
            let (caller, query) = (ordered::known(caller)?, query.unwrap_or_default());
            ordered::carry_out(&shared, act, caller, name, &headers, &query, body).await
        };
        let method = MethodFilter::try_from(act.method.clone()).unwrap_or(MethodFilter::POST);
        let route = match endpoint::part(path) {
            Some(_) => on(method, named),
            None => on(method, unnamed),
        };
        router = router.route(path, route);
    }
    for endpoint in ENDPOINTS {
        let keyless = async |state: State<Shared>, headers: HeaderMap, query: RawQuery| {
            answer(state, endpoint, None, &headers, query).await
        };
        let keyed =
            async |state: State<Shared>, key: Segment, headers: HeaderMap, query: RawQuery| {
                answer(state, endpoint, Some(key.0), &headers, query).await
            };
        let route = if endpoint.part().is_some() { get(keyed) } else { get(keyless) };
        router = router.route(endpoint.path, route);
    }
    router
}

async fn answer(
    State(shared): State<Shared>,
    endpoint: &'static Endpoint,
    key: Option<String>,
    headers: &HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let takes = Takes::of(headers);
    let (part, query) = (endpoint.part().zip(key.as_deref()), query.as_deref().unwrap_or(""));
    let given = params::read(endpoint.params, endpoint.limit, part, query)?;
    blocking(&shared, &shared.slots, move |engine| {
        let shown = endpoint.answer(&command::asked(engine), &given)?;
        Ok(match shown.version {
            None => json(&takes, &shown.document, "no-store"),
            Some(version) => {
                let content = shown.document.to_string().into_bytes();
                versioned(&takes, "application/json", "no-store", content, &version)
            }
        })
    })
    .await
}

/// The feeds as OPML.
async fn opml(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response, Problem> {
    let takes = Takes::of(&headers);
    blocking(&shared, &shared.slots, move |engine| {
        let text = query::opml(engine.store.as_ref())?;
        Ok(pack(&takes, "text/x-opml; charset=utf-8", "no-store", text.into_bytes()))
    })
    .await
}

/// The events of an alert as an Atom feed.
async fn atom(
    State(shared): State<Shared>,
    Segment(name): Segment,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let takes = Takes::of(&headers);
    blocking(&shared, &shared.slots, move |engine| {
        let alert = query::alert_known(engine.store.as_ref(), &name)?;
        let feed = deliver::atom(&alert).into_bytes();
        Ok(pack(&takes, "application/atom+xml; charset=utf-8", "no-store", feed))
    })
    .await
}

/// A brand's report, as `crawler report` writes it.
async fn report_page(
    State(shared): State<Shared>,
    Segment(brand): Segment,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let given = params::read(&params::REPORT, 0, None, query.as_deref().unwrap_or(""))?;
    let (takes, asked) =
        (Takes::of(&headers), ReportQuery { brand, from: given.from, to: given.to });
    blocking(&shared, &shared.slots, move |engine| {
        let report = query::report(engine.store.as_ref(), &asked, clock::now())?;
        let page = report::page(&report, given.spoken).into_bytes();
        let mut response = pack(&takes, "text/html; charset=utf-8", "no-store", page);
        // The dashboard's own lets no page style itself.
        let policy = HeaderValue::from_static(report::POLICY);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        Ok(response)
    })
    .await
}

/// About how many articles name a brand that is sent.
async fn estimate(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    content: Body,
) -> Result<Response, Problem> {
    let params::Given { from, to, .. } =
        params::read(&params::DAYS, 0, None, query.as_deref().unwrap_or(""))?;
    let content = body::read(content, BRAND, shared.door.settings.deadlines.body).await?;
    let brand = body::json(&content)?;
    let (takes, query) = (Takes::of(&headers), EstimateQuery { brand, from, to });
    blocking(&shared, &shared.slots, move |engine| {
        let estimate = query::estimate(engine.store.as_ref(), &engine.search, &query)?;
        Ok(json(&takes, &serde_json::json!(estimate), "no-store"))
    })
    .await
}

fn json(takes: &Takes, value: &serde_json::Value, caching: &'static str) -> Response {
    pack(takes, "application/json", caching, value.to_string().into_bytes())
}

/// Is the store answering, the committer still at work, and room on the disk?
async fn ready(State(shared): State<Shared>) -> Result<Response, Problem> {
    blocking(&shared, &shared.own_slots, |engine| {
        if engine.failure().is_some() {
            let sentence = "the crawl has stopped after an error; its log names it";
            return Err(Problem::unavailable(sentence));
        }
        engine.store.meta("timezone").map_err(|error| {
            tracing::error!(%error, "the store does not answer");
            Problem::unavailable("the store does not answer; the log says why")
        })?;
        // Nothing is requested then: whoever waits for the crawl waits in vain.
        if let Some(missing) = engine.store.short_of()? {
            return Err(Problem::unavailable(query::nearly_full(missing)));
        }
        Ok(json(&Takes::default(), &serde_json::json!({ "ready": true }), "no-store"))
    })
    .await
}

/// Everything in Prometheus' text format; gauges are read from the store at this moment.
async fn scrape(State(shared): State<Shared>) -> Result<Response, Problem> {
    let (metrics, looked) = (shared.metrics.clone(), shared.looked.clone());
    blocking(&shared, &shared.own_slots, move |engine| {
        let mut looked = looked.lock().unwrap_or_else(|e| e.into_inner());
        if looked.is_none_or(|at| at.elapsed() > SILENT) {
            let silent = query::silent(engine.store.as_ref(), clock::now())?;
            let of = |source| silent.iter().filter(|s| s.source == source).count();
            meter::silent(of(SilentSource::Outlet), of(SilentSource::Language));
            *looked = Some(Instant::now());
        }
        drop(looked);
        let due = engine.store.due()?;
        meter::frontier(due.pending, due.leased);
        meter::store_bytes(engine.store.size()?);
        meter::disk_missing(engine.store.short_of()?.unwrap_or(0));
        meter::archive_bytes(engine.archive_bytes().unwrap_or(0));
        let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
        Ok((kind, metrics.render()).into_response())
    })
    .await
}

/// Runs `work` on the blocking pool when there is a free slot. A question that outlasts the
/// deadline keeps its slot until it is done, so that slow ones never pile up.
async fn blocking(
    shared: &Shared,
    slots: &Arc<Semaphore>,
    work: impl FnOnce(&Engine) -> Result<Response, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let (engine, slots) = (shared.engine.clone(), slots.clone());
    let question = async move {
        let slot = slots.acquire_owned().await;
        tokio::task::spawn_blocking(move || {
            let response = work(&engine);
            drop(slot);
            response
        })
        .await
    };
    match tokio::time::timeout(DEADLINE, question).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => {
            tracing::error!(%error, "a request ended without an answer");
            Err(Problem::internal())
        }
        Err(_) => {
            Err(Problem::unavailable("this takes too long at the moment; ask for fewer days"))
        }
    }
}

//! The OpenAPI 3.1 document, made from the tables of endpoints and acts.
//!
//! Must not know: how answers are made, how orders are carried out.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::access::{self, Need};
use super::act::{ACTS, Act, Body};
use super::endpoint::{ENDPOINTS, Endpoint, part};
use super::params::{DAYS, Param, REPORT as SHOWN};
use super::schema;

/// Where a brand's report is.
pub(super) const REPORT: &str = "/api/v1/brands/{name}/report.html";

/// The whole document.
pub(super) fn document() -> Value {
    let mut paths = Map::new();
    let mut add = |path: &str, method: &str, operation: Value| {
        paths.entry(path).or_insert_with(|| json!({}))[method] = operation;
    };
    for endpoint in ENDPOINTS {
        add(endpoint.path, "get", question(endpoint));
    }
    for act in ACTS {
        add(act.path, &act.method.as_str().to_lowercase(), order(act));
    }
    for (path, method, operation) in others() {
        add(path, method, operation);
    }
    for (path, about, kind) in [
        ("/healthz", "The process is alive", "text/plain"),
        (
            "/readyz",
            "The store answers, the crawl has not failed and there is room on the disk; else 503",
            "application/json",
        ),
        ("/metrics", "Metrics in Prometheus' text format", "text/plain"),
        ("/api/v1/openapi.json", "This document", "application/json"),
        (
            "/api/v1/feeds.opml",
            "The feeds as OPML, without those that other feeds brought",
            "text/x-opml",
        ),
        (
            "/api/v1/alerts/{alert}/feed.atom",
            "The events of an alert as an Atom feed",
            "application/atom+xml",
        ),
        (REPORT, "A brand's report: one page that needs nothing else", "text/html"),
    ] {
        let content = json!({ kind: {} });
        let ok = json!({ "description": about, "content": content });
        let responses = json!({ "200": ok, "default": failure() });
        let mut operation = json!({ "summary": about, "responses": responses });
        let params = if path == REPORT { &SHOWN[..] } else { &[] };
        let mut parameters = parameters(params, 0);
        parameters.extend(part(path).map(in_path));
        operation["parameters"] = parameters.into();
        if access::need(&Method::GET, path) == Need::Nothing {
            operation["security"] = json!([]);
        }
        add(path, "get", operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "crawler",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "How often the press wrote about a brand, per day, counted in article \
                text only. Instants are UTC milliseconds; days are calendar days of the configured time \
                zone. What changes something needs a token with the scope `write`. An order that \
                takes longer than ten seconds (`Prefer: wait=N`, `respond-async`) is answered with \
                202 and a job.",
        },
        "paths": paths,
        // On loopback reading needs none.
        "security": [{ "token": [] }],
        "components": {
            "schemas": schema::all(),
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "`crawler token add NAME --scope read`; what changes something needs \
                    `write`, /metrics `metrics`",
            } },
        },
    })
}

fn question(endpoint: &Endpoint) -> Value {
    let mut parameters = parameters(endpoint.params, endpoint.limit);
    parameters.extend(endpoint.part().map(in_path));
    json!({
        "summary": endpoint.about,
        "parameters": parameters,
        "responses": { "200": answer(endpoint.about, endpoint.schema), "default": failure() },
    })
}

fn order(act: &Act) -> Value {
    let mut parameters = parameters(if act.dry { &[Param::DryRun] } else { &[] }, 0);
    parameters.extend(part(act.path).map(in_path));
    if act.guarded {
        parameters.push(json!({
            "name": "If-Match",
            "in": "header",
            "description": "`ETag` of /api/v1/brands: 412 if the brands are others by now",
            "schema": schema::named("EntityTags"),
        }));
    }
    let mut operation = json!({
        "summary": act.about,
        "parameters": parameters,
        "responses": {
            "200": answer(act.about, act.schema),
            "202": answer("It takes longer: a job, by its id at `Location`", "Job"),
            "default": failure(),
        },
    });
    let mut content = Map::new();
    let required = match act.body {
        Body::None => return operation,
        Body::Json(schema, may_miss) => {
            content.insert("application/json".into(), json!({ "schema": schema::named(schema) }));
            !may_miss
        }
        Body::Listed(schema, kinds) => {
            content.insert("application/json".into(), json!({ "schema": schema::named(schema) }));
            content.extend(kinds.iter().map(|kind| ((*kind).to_owned(), text(kind))));
            true
        }
        Body::File => {
            let kind = "application/octet-stream";
            content.insert(kind.into(), text(kind));
            true
        }
    };
    operation["requestBody"] = json!({ "required": required, "content": content });
    operation
}

/// What is neither a question to the store nor an order.
fn others() -> [(&'static str, &'static str, Value); 5] {
    let of = |about: &str, schema: &str, path: bool| {
        json!({
            "summary": about,
            "parameters": if path { json!([in_path("job")]) } else { json!([]) },
            "responses": { "200": answer(about, schema), "default": failure() },
        })
    };
    let mut extract = of("Reads a page that is handed over; nothing is kept", "Extracted", false);
    extract["parameters"] = parameters(&[Param::Url], 0).into();
    let content = json!({ "application/json": { "schema": schema::named("Page") }, "text/html": text("text/html") });
    extract["requestBody"] = json!({ "required": true, "content": content });
    let mut estimate =
        of("About how many articles name a brand, from the index", "Estimate", false);
    estimate["parameters"] = parameters(&DAYS, 0).into();
    let content = json!({ "application/json": { "schema": schema::named("BrandListed") } });
    estimate["requestBody"] = json!({ "required": true, "content": content });
    [
        (access::ESTIMATE, "post", estimate),
        (access::EXTRACT, "post", extract),
        ("/api/v1/jobs", "get", of("The latest orders over HTTP", "Jobs", false)),
        ("/api/v1/jobs/{job}", "get", of("One order, and its answer", "Job", true)),
        ("/api/v1/jobs/{job}", "delete", of("Cancels an order that is still running", "Job", true)),
    ]
}

/// A body of a kind that is no JSON: anything, but not nothing. An XML document never is.
fn text(kind: &str) -> Value {
    match kind.contains("xml") {
        true => json!({}),
        false => json!({ "schema": { "pattern": r"\S" } }),
    }
}

fn parameters(params: &[Param], limit: usize) -> Vec<Value> {
    let parameter = |param: &Param| {
        json!({
            "name": param.name(),
            "in": "query",
            "required": param.is_required(),
            "description": param.about(),
            "schema": param.schema(limit),
        })
    };
    params.iter().map(parameter).collect()
}

/// The part of a path that names something.
fn in_path(name: &str) -> Value {
    let (about, schema) = match name {
        "key" | "id" => ("32 hex digits", schema::named("UrlKey")),
        "outlet" => ("Registered domain of an outlet", schema::named("Filled")),
        "alert" => ("Name of an alert", schema::named("Filled")),
        "note" => ("Id of a note", schema::named("Filled")),
        "job" => ("As the order answered it", schema::named("Filled")),
        _ => ("Name of a brand", schema::named("Filled")),
    };
    json!({ "name": name, "in": "path", "required": true, "description": about, "schema": schema })
}

fn answer(about: &str, schema: &str) -> Value {
    let content = json!({ "application/json": { "schema": schema::named(schema) } });
    json!({ "description": about, "content": content })
}

fn failure() -> Value {
    json!({
        "description": "What went wrong, in a sentence (400: it names the parameter)",
        "content": {
            "application/problem+json": { "schema": { "$ref": "#/components/schemas/Error" } },
        },
    })
}

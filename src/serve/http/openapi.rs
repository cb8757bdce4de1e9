//! The OpenAPI 3.1 document, made from the table of endpoints.
//!
//! Must not know: how answers are made.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::access::{self, Need};
use super::endpoint::{ENDPOINTS, Endpoint};
use super::schema;

/// The whole document.
pub(super) fn document() -> Value {
    let mut paths = Map::new();
    for endpoint in ENDPOINTS {
        paths.insert(endpoint.path.into(), json!({ "get": operation(endpoint) }));
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
    ] {
        let content = json!({ kind: {} });
        let ok = json!({ "description": about, "content": content });
        let responses = json!({ "200": ok, "default": failure() });
        let mut operation = json!({ "summary": about, "responses": responses });
        if access::need(&Method::GET, path) == Need::Nothing {
            operation["security"] = json!([]);
        }
        paths.insert(path.into(), json!({ "get": operation }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "crawler",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "How often the press wrote about a brand, per day, counted in article \
                text only. Read-only. Instants are UTC milliseconds; days are calendar days of the \
                configured time zone.",
        },
        "paths": paths,
        // On loopback reading needs none.
        "security": [{ "token": [] }],
        "components": {
            "schemas": schema::all(),
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "`crawler token add NAME --scope read`; /metrics needs `metrics`",
            } },
        },
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let mut parameters: Vec<Value> = endpoint
        .params
        .iter()
        .map(|param| {
            json!({
                "name": param.name(),
                "in": "query",
                "description": param.about(),
                "schema": param.schema(endpoint.limit),
            })
        })
        .collect();
    if endpoint.keyed() {
        let name = endpoint.path.rsplit('{').next().unwrap_or("").trim_end_matches('}');
        parameters.push(json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": "32 hex digits",
            "schema": { "$ref": "#/components/schemas/UrlKey" },
        }));
    }
    let schema = json!({ "$ref": format!("#/components/schemas/{}", endpoint.schema) });
    json!({
        "summary": endpoint.about,
        "parameters": parameters,
        "responses": {
            "200": {
                "description": endpoint.about,
                "content": { "application/json": { "schema": schema } },
            },
            "default": failure(),
        },
    })
}

fn failure() -> Value {
    json!({
        "description": "What went wrong, in a sentence (400: it names the parameter)",
        "content": {
            "application/problem+json": { "schema": { "$ref": "#/components/schemas/Error" } },
        },
    })
}

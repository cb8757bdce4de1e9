//! Who may ask for what: every path × every kind of token × every kind of name, as one table.

use std::net::SocketAddr;

use crawler::config::Config;
use crawler::crawl::clock;
use crawler::model::{DAY, Scope, Token};
use crawler::serve::door::{Clients, Settings};
use crawler::serve::tokens;
use crawler::store::Store;
use crawler::store::decision::Who;

use crate::client::{Answer, get, post, send};
use crate::fixture::{Server, engine, key};

/// A server that others than this machine could reach, with a name and without a rate.
fn open_to_all() -> Server {
    let clients = Clients { rate: 1_000_000, burst: 1_000_000, ..Clients::default() };
    let hosts = vec!["news.example.org".to_owned()];
    Server::at("0.0.0.0:0", engine(), Settings { hosts, clients, ..Config::default().door() })
}

/// A token's text.
fn token(store: &dyn Store, name: &str, scopes: &[Scope]) -> String {
    tokens::add(store, &Who::program(), name, scopes, None).unwrap().token
}

/// The record of a token, changed.
fn change(store: &dyn Store, name: &str, change: impl FnOnce(&mut Token)) {
    let mut token = store.tokens().unwrap().into_iter().find(|t| t.name == name).unwrap();
    change(&mut token);
    store.put_token(&token).unwrap();
}

fn ask(at: SocketAddr, method: &str, path: &str, host: &str, token: Option<&str>) -> Answer {
    let request = format!("{method} {path} HTTP/1.1");
    let host = format!("Host: {host}");
    let bearer = token.map(|token| format!("Authorization: Bearer {token}"));
    let mut lines = vec![&*request, &*host, "Content-Length: 0", "Connection: close"];
    lines.extend(bearer.as_deref());
    send(at, &lines)
}

/// What a request without a body is answered that may.
fn without_a_body(method: &str, path: &str) -> u16 {
    match (method, path.strip_prefix("/api/v1").unwrap_or(path)) {
        // Nothing has this key or name.
        (_, path) if path.contains("{job}") => 404,
        ("POST" | "DELETE", path) if path.starts_with("/feeds/") => 404,
        ("DELETE", "/brands/{name}") => 404,
        ("GET", "/brands/{name}/review" | "/brands/{name}/report.html") => 404,
        ("GET" | "DELETE", path) if path.starts_with("/alerts/") => 404,
        ("POST", "/alerts/{alert}/test") => 404,
        ("PUT", "/alerts/{alert}") | ("POST", "/notes") => 415,
        ("DELETE", "/notes/{note}") => 404,
        // No brand is named by a space.
        ("PUT", "/brands" | "/brands/{name}") => 422,
        ("POST", "/feeds" | "/models" | "/extract") => 400,
        // Nothing is looked for.
        ("GET", "/search") | ("POST", "/brands/estimate") => 400,
        // It is switched off here.
        ("POST", "/search/rebuild") => 422,
        ("POST", "/outlets/{outlet}/delay" | "/forget" | "/brands/{name}/review") => 415,
        _ => 200,
    }
}

#[test]
fn every_path_needs_its_token() {
    let server = open_to_all();
    let at = server.at;
    let store = server.engine.store.as_ref();
    let good = |scope: Scope| token(store, scope.name(), &[scope]);
    let [read, write, metrics] = [Scope::Read, Scope::Write, Scope::Metrics].map(good);
    let [revoked, expired] = ["revoked", "expired"].map(|name| token(store, name, &Scope::ALL));
    change(store, "revoked", |token| token.revoked = Some(clock::now()));
    change(store, "expired", |token| token.expires = Some(clock::now() - 1));
    // Of another secret: the id alone opens nothing.
    let wrong =
        format!("{}{}", &read[..read.len() - 2], if read.ends_with("AA") { "BB" } else { "AA" });
    let shown: [(&str, Option<&str>, Option<Scope>); 9] = [
        ("none", None, None),
        ("empty", Some(""), None),
        ("garbage", Some("crawler_0123456789abcdef_x"), None),
        ("wrong", Some(&wrong), None),
        ("revoked", Some(&revoked), None),
        ("expired", Some(&expired), None),
        ("read", Some(&read), Some(Scope::Read)),
        ("write", Some(&write), Some(Scope::Write)),
        ("metrics", Some(&metrics), Some(Scope::Metrics)),
    ];

    let answer = ask(at, "GET", "/api/v1/openapi.json", "localhost", Some(&read));
    let document = answer.json();
    // Method, path, what it needs, what it answers then.
    let mut cases: Vec<(&str, String, Option<Scope>, u16)> = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let filled = path
            .replace("{key}", &key(11).to_string())
            .replace("{id}", &key(11).to_string())
            .replace("{outlet}", "wire.test")
            .replace("{name}", "%20")
            .replace("{alert}", "none")
            .replace("{note}", "0")
            .replace("{job}", "none");
        for method in ["GET", "POST", "PUT", "DELETE"] {
            let need = match (method, path.as_str()) {
                ("GET", "/healthz" | "/readyz") => None,
                ("GET", "/metrics") => Some(Scope::Metrics),
                ("GET", _) | ("POST", "/api/v1/extract" | "/api/v1/brands/estimate") => {
                    Some(Scope::Read)
                }
                _ => Some(Scope::Write),
            };
            // A brand may have that name; none has.
            if path == "/api/v1/brands/estimate" && ["PUT", "DELETE"].contains(&method) {
                let status = if method == "PUT" { 200 } else { 404 };
                cases.push((method, format!("{filled}?dry_run=true"), need, status));
                continue;
            }
            let known = item.get(method.to_lowercase()).is_some();
            let status = if known { without_a_body(method, path) } else { 405 };
            cases.push((method, filled.clone(), need, status));
        }
    }
    let files = crawler::serve::dashboard::FILES.iter().map(|file| file.path.to_owned());
    cases.extend(files.chain(["/login".to_owned()]).map(|path| ("GET", path, None, 200)));
    for (method, path, need, status) in [
        ("HEAD", "/api/v1/status", Scope::Read, 200),
        ("GET", "/api/v1/nothing", Scope::Read, 404),
        ("GET", "/.git/config", Scope::Read, 404),
        ("GET", "//healthz", Scope::Read, 404),
        ("GET", "/api/v1/%62rands", Scope::Read, 404),
        ("PATCH", "/api/v1/brands", Scope::Write, 405),
        ("PUT", "/nothing", Scope::Write, 404),
        ("OPTIONS", "/api/v1/brands", Scope::Write, 405),
        ("POST", "/main.js", Scope::Write, 405),
        ("GET", "/mcp", Scope::Read, 405),
        // It accepts no kind of answer.
        ("POST", "/mcp", Scope::Read, 406),
        ("DELETE", "/mcp", Scope::Write, 405),
    ] {
        cases.push((method, path.to_owned(), Some(need), status));
    }
    assert!(cases.len() > 120);

    for (method, path, need, status) in &cases {
        for (kind, token, scope) in &shown {
            let expect = match (need, scope) {
                (None, _) => *status,
                (Some(_), None) => 401,
                (Some(need), Some(scope)) if need == scope => *status,
                (Some(_), Some(_)) => 403,
            };
            let answer = ask(at, method, path, "localhost", *token);
            let case = format!("{method} {path}, token {kind}");
            assert_eq!(answer.status, expect, "{case}: {}", answer.body);
            if expect == 401 {
                assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer"), "{case}");
                let says = *method == "HEAD" || answer.body.contains("crawler token add");
                assert!(says, "{case}: {}", answer.body);
            }
        }
        for (host, known) in [
            ("192.0.2.1:80", true),
            ("[2001:db8::1]", true),
            ("news.example.org", true),
            ("rebound.example", false),
            ("news.example.org.rebound.example", false),
        ] {
            // The right token opens nothing to a page of another name.
            let right = shown.iter().find(|(_, _, scope)| scope.is_some() && scope == need);
            let answer = ask(at, method, path, host, right.and_then(|(_, token, _)| *token));
            let expect = if known { *status } else { 421 };
            assert_eq!(answer.status, expect, "{method} {path} as {host}");
        }
    }
}

#[test]
fn on_loopback_reading_is_free_and_writing_is_not() {
    let server = Server::start();
    let store = server.engine.store.as_ref();
    let write = token(store, "write", &[Scope::Write]);
    let read = token(store, "read", &[Scope::Read]);
    let status = |method: &str, token: Option<&str>| {
        ask(server.at, method, "/api/v1/brands", "localhost", token).status
    };
    assert_eq!(status("GET", None), 200);
    assert_eq!(status("POST", None), 401);
    assert_eq!(status("POST", Some(&read)), 403);
    assert_eq!(status("POST", Some(&write)), 405);
    assert_eq!(status("PUT", Some(&read)), 403);
    assert_eq!(status("PUT", Some(&write)), 422);
    assert_eq!(get(server.at, "/metrics").status, 200);
    // Whom a proxy on this machine asks for is not this machine.
    for line in ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "Via: 1.1 proxy"] {
        let lines = ["GET /api/v1/brands HTTP/1.1", "Host: localhost", line, "Connection: close"];
        assert_eq!(send(server.at, &lines).status, 401, "{line}");
    }
}

#[test]
fn the_last_use_is_shown_and_a_revoked_token_is_of_no_use_at_once() {
    let server = open_to_all();
    let store = server.engine.store.as_ref();
    let text = token(store, "office", &[Scope::Read]);
    let used = || crawler::query::tokens(store, clock::now()).unwrap()[0].used;
    assert_eq!(used(), None);
    let status = || ask(server.at, "GET", "/api/v1/brands", "localhost", Some(&text)).status;
    assert_eq!(status(), 200);
    assert!(used().is_some());
    tokens::revoke(store, &Who::program(), "office").unwrap();
    assert_eq!(status(), 401);
}

#[test]
fn guessing_is_dear() {
    let clients = Clients { rate: 1, burst: 50, ..Clients::default() };
    let settings = Settings { clients, ..Config::default().door() };
    let server = Server::at("0.0.0.0:0", engine(), settings);
    let guess = |n: usize| {
        let text = format!("crawler_{n:016x}_guess");
        ask(server.at, "GET", "/api/v1/brands", "localhost", Some(&text)).status
    };
    let statuses: Vec<u16> = (0..12).map(guess).collect();
    assert_eq!(statuses[0], 401);
    assert!(statuses.iter().filter(|status| **status == 429).count() >= 6, "{statuses:?}");
}

#[test]
fn a_token_is_exchanged_for_a_session() {
    let server = open_to_all();
    let (at, store) = (server.at, server.engine.store.as_ref());
    let text = token(store, "office", &[Scope::Read, Scope::Write]);
    let own = format!("Origin: http://{at}");

    let wrong = post(at, "/login", &[&own], "token=crawler_0123456789abcdef_x");
    assert_eq!(wrong.status, 401);
    assert!(wrong.body.contains("role=\"alert\""), "{}", wrong.body);
    assert_eq!(wrong.header("set-cookie"), None);
    assert_eq!(post(at, "/login", &[&own], &format!("token={}", "x".repeat(9_000))).status, 413);
    let form = format!("token={text}");
    assert_eq!(post(at, "/login", &["Origin: https://evil.example"], &form).status, 403);

    let entered = post(at, "/login", &[&own], &form);
    assert_eq!((entered.status, entered.header("location")), (303, Some("/")));
    let cookie = entered.header("set-cookie").unwrap().to_owned();
    for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    // Plain HTTP: a browser would not send it back.
    assert!(!cookie.contains("Secure"), "{cookie}");
    assert!(!cookie.contains(&text[..24]), "the token itself is no session");
    let session = format!("Cookie: {}", cookie.split(';').next().unwrap());
    let asked = |method: &str, more: &[&str]| {
        let (request, host) = (format!("{method} /api/v1/brands HTTP/1.1"), format!("Host: {at}"));
        let mut lines =
            vec![&*request, &*host, &*session, "Content-Length: 0", "Connection: close"];
        lines.extend(more);
        send(at, &lines).status
    };
    assert_eq!(asked("GET", &[]), 200);
    assert_eq!(asked("POST", &[]), 403, "no page of ours has sent this");
    assert_eq!(asked("POST", &["Origin: https://evil.example"]), 403);
    assert_eq!(asked("POST", &[&own]), 405);
    assert_eq!(asked("PUT", &[]), 403);
    assert_eq!(asked("PUT", &["Origin: null"]), 403);
    assert_eq!(asked("PUT", &[&own]), 422, "ours, and without a body");
    assert_eq!(crawler::query::tokens(store, clock::now()).unwrap()[0].sessions, 1);

    // A session of a token that has expired is of no use, and comes back with it.
    change(store, "office", |token| token.expires = Some(clock::now() - 1));
    assert_eq!(asked("GET", &[]), 401);
    change(store, "office", |token| token.expires = Some(clock::now() + DAY));
    assert_eq!(asked("GET", &[]), 200);

    let left = post(at, "/logout", &[&own, &session], "");
    assert_eq!((left.status, left.header("location")), (303, Some("/login")));
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(asked("GET", &[]), 401);
}

#[test]
fn browsers_that_nobody_logs_out_make_room() {
    let server = Server::start();
    let store = server.engine.store.as_ref();
    let form = format!("token={}", token(store, "office", &[Scope::Read]));
    let own = format!("Origin: http://{}", server.at);
    for _ in 0..30 {
        assert_eq!(post(server.at, "/login", &[&own], &form).status, 303);
    }
    assert_eq!(crawler::query::tokens(store, clock::now()).unwrap()[0].sessions, 20);
}

#[test]
fn a_session_neither_opens_another_nor_is_a_token() {
    let server = open_to_all();
    let (at, store) = (server.at, server.engine.store.as_ref());
    let text = token(store, "office", &[Scope::Read]);
    let own = format!("Origin: http://{at}");
    let entered = post(at, "/login", &[&own], &format!("token={text}"));
    let cookie = entered.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let session = cookie.split_once('=').unwrap().1;
    let again = post(at, "/login", &[&own], &format!("token={session}"));
    assert_eq!((again.status, again.header("set-cookie")), (401, None));
    assert!(again.body.contains("role=\"alert\""), "{}", again.body);
    assert_eq!(crawler::query::tokens(store, clock::now()).unwrap()[0].sessions, 1);
    assert_eq!(ask(at, "GET", "/api/v1/brands", "localhost", Some(session)).status, 401);
}

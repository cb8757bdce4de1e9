//! Who is answered, and with which headers.

use crawler::config::Config;
use crawler::model::Scope;
use crawler::serve::{door, tokens};
use crawler::store::decision::Who;

use crate::client::{get, send};
use crate::fixture::{Server, engine};

#[test]
fn only_addresses_known_names_and_own_pages_are_answered() {
    let hosts = vec!["news.example.org".to_owned()];
    let server = Server::behind(engine(), door::Settings { hosts, ..Config::default().door() });
    let own = format!("http://{}", server.at);
    for (host, origin, status) in [
        (Some("localhost:9"), None, 200),
        (Some("127.0.0.1"), None, 200),
        (Some("[::1]:80"), None, 200),
        (Some("192.0.2.1:80"), None, 200),
        (Some("news.example.org"), None, 200),
        (Some("NEWS.example.org.:443"), None, 200),
        (Some("rebound.example"), None, 421),
        (Some("localhost.rebound.example"), None, 421),
        (Some(""), None, 421),
        (None, None, 400),
        (Some(&*server.at.to_string()), Some(&*own), 200),
        (Some(&*server.at.to_string()), Some("https://evil.example"), 403),
        (Some(&*server.at.to_string()), Some("null"), 403),
    ] {
        let host_line = host.map(|h| format!("Host: {h}"));
        let origin_line = origin.map(|o| format!("Origin: {o}"));
        let mut lines = vec!["GET /api/v1/status HTTP/1.1", "Connection: close"];
        lines.extend(host_line.as_deref());
        lines.extend(origin_line.as_deref());
        let answer = send(server.at, &lines);
        assert_eq!(answer.status, status, "host {host:?}, origin {origin:?}");
        assert_eq!(answer.json().get("error").is_some(), status != 200);
    }
    let twice = ["GET / HTTP/1.1", "Host: localhost", "Host: localhost", "Connection: close"];
    assert_eq!(send(server.at, &twice).status, 400);
    let unknown = ["GET / HTTP/1.1", "Host: rebound.example:80", "Connection: close"];
    let sentence = send(server.at, &unknown).body;
    assert!(sentence.contains("`rebound.example`") && sentence.contains("`allowed_hosts`"));
    let absolute = ["GET http://rebound.example/ HTTP/1.1", "Host: localhost", "Connection: close"];
    assert_eq!(send(server.at, &absolute).status, 421);
}

/// Browsers send no `Origin` with what a page only loads, as a picture or a script.
#[test]
fn what_pages_of_other_sites_load_is_refused_and_uses_up_nobody_s_rate() {
    let clients = door::Clients { rate: 1, burst: 8, ..door::Clients::default() };
    let server = Server::behind(engine(), door::Settings { clients, ..Config::default().door() });
    let asked = |path: &str, site: &str, mode: &str, dest: &str| {
        let lines = [
            format!("GET {path} HTTP/1.1"),
            format!("Host: {}", server.at),
            format!("Sec-Fetch-Site: {site}"),
            format!("Sec-Fetch-Mode: {mode}"),
            format!("Sec-Fetch-Dest: {dest}"),
            "Connection: close".to_owned(),
        ];
        send(server.at, &lines.each_ref().map(String::as_str)).status
    };
    for _ in 0..10 {
        assert_eq!(asked("/api/v1/status", "cross-site", "no-cors", "image"), 403);
        assert_eq!(asked("/api/v1/status", "same-site", "no-cors", "script"), 403);
        assert_eq!(asked("/", "cross-site", "no-cors", "image"), 403);
        assert_eq!(asked("/", "cross-site", "navigate", "iframe"), 403);
    }
    // A person follows a link.
    assert_eq!(asked("/", "cross-site", "navigate", "document"), 200);
    assert_eq!(asked("/login", "same-site", "navigate", "document"), 200);
    assert_eq!(asked("/api/v1/status", "cross-site", "navigate", "document"), 200);
    assert_eq!(asked("/api/v1/status", "same-origin", "cors", "empty"), 200);
    assert_eq!(asked("/api/v1/status", "none", "navigate", "document"), 200);
}

#[test]
fn every_answer_carries_the_security_headers() {
    let server = Server::start();
    for path in
        ["/", "/main.js", "/login", "/api/v1/status", "/api/v1/nothing", "/metrics", "/healthz"]
    {
        let answer = get(server.at, path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
        let referrer = if path == "/login" { "same-origin" } else { "no-referrer" };
        assert_eq!(answer.header("referrer-policy"), Some(referrer), "{path}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.header("server"), None, "{path}");
        assert!(
            answer.header("cache-control").is_some()
                || path == "/metrics"
                || path == "/healthz"
                || answer.status == 404,
            "{path}"
        );
    }
}

#[test]
fn questions_take_no_orders() {
    let server = Server::start();
    let write =
        tokens::add(server.engine.store.as_ref(), &Who::program(), "w", &[Scope::Write], None)
            .unwrap()
            .token;
    let bearer = format!("Authorization: Bearer {write}");
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        let request = format!("{method} /api/v1/mentions HTTP/1.1");
        let lines =
            [&*request, "Host: localhost", &bearer, "Content-Length: 0", "Connection: close"];
        let answer = send(server.at, &lines);
        assert_eq!(answer.status, 405, "{method}");
        assert!(answer.json()["error"].is_string());
    }
}

#[test]
fn the_page_asks_nobody_else_and_has_nothing_inline() {
    let server = Server::start();
    let page = get(server.at, "/").body;
    assert!(!page.contains("http://") && !page.contains("https://"));
    assert!(!page.contains("style=") && !page.contains("<style") && !page.contains(" onclick"));
    for file in crawler::serve::dashboard::FILES {
        let answer = get(server.at, file.path);
        assert_eq!(answer.status, 200, "{}", file.path);
        assert_eq!(answer.body, file.content, "{}", file.path);
        // The one way in for markup from texts would be one of these.
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!file.content.contains(word), "{} uses {word}", file.path);
        }
    }
}

//! Many connections that ask slowly, ask nothing, or ask too much: whoever asks after the
//! crawler's health is answered all the same.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crawler::config::Config;
use crawler::model::Scope;
use crawler::serve::{door, tokens};
use crawler::store::decision::Who;

use crate::client::{get, send};
use crate::fixture::{Server, engine};

/// Longer than a server that answers at all takes; a server that does not ends the test.
const PATIENCE: Duration = Duration::from_secs(20);

/// `/healthz` over a connection of its own.
fn health(at: SocketAddr) -> String {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer about health");
    answer
}

/// A server with far fewer places than the crowd wants.
fn narrow() -> Server {
    let clients = door::Clients { connections: 64, ..door::Clients::default() };
    Server::behind(engine(), door::Settings { clients, ..Config::default().door() })
}

#[test]
fn connections_that_trickle_a_head_do_not_silence_health() {
    let server = narrow();
    let mut slow: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(server.at).unwrap()).collect();
    for byte in b"GET / HTTP/1.1" {
        for stream in &mut slow {
            // A connection that was closed to make room says so here.
            let _ = stream.write_all(&[*byte]);
        }
        assert!(health(server.at).ends_with("ok\n"));
    }
    drop(slow);
    assert_eq!(get(server.at, "/api/v1/status").status, 200);
}

#[test]
fn idle_connections_do_not_silence_health() {
    let server = narrow();
    let idle: Vec<TcpStream> = (0..400).map(|_| TcpStream::connect(server.at).unwrap()).collect();
    assert!(health(server.at).ends_with("ok\n"));
    assert_eq!(get(server.at, "/api/v1/status").status, 200);
    drop(idle);
}

#[test]
fn bodies_that_trickle_hold_up_no_order_and_no_page() {
    let deadlines =
        door::Deadlines { body: Duration::from_secs(600), ..door::Deadlines::default() };
    let proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let settings = door::Settings { deadlines, proxies, ..Config::default().door() };
    let server = Server::behind(engine(), settings);
    let store = server.engine.store.as_ref();
    let scopes = [Scope::Read, Scope::Write];
    let token = tokens::add(store, &Who::program(), "office", &scopes, None).unwrap().token;
    let head = |request: &str, client: usize, length: usize| {
        format!(
            "{request} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.{client}\r\n\
             Authorization: Bearer {token}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n",
            server.at
        )
    };
    let page = "<html><body><p>Nordlicht will open a second plant, its board said on Monday.</p></body></html>";
    let slow: Vec<TcpStream> = (0..30)
        .map(|n| {
            let mut stream = TcpStream::connect(server.at).unwrap();
            let begun = head("POST /api/v1/extract", n, 1_000) + "<";
            stream.write_all(begun.as_bytes()).unwrap();
            stream
        })
        .collect();
    for (request, body) in [("POST /api/v1/recount", ""), ("POST /api/v1/extract", page)] {
        let mut stream = TcpStream::connect(server.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let whole = head(request, 200, body.len()) + body;
        stream.write_all(whole.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer amid slow bodies");
        assert!(answer.starts_with("HTTP/1.1 2"), "{request}: {answer}");
    }
    drop(slow);
}

/// The door with these deadlines for head and body, milliseconds.
fn hasty(millis: u64) -> door::Settings {
    let deadlines = door::Deadlines {
        head: Duration::from_millis(millis),
        body: Duration::from_millis(millis),
        ..door::Deadlines::default()
    };
    door::Settings { deadlines, ..Config::default().door() }
}

#[test]
fn a_trickled_head_ends_at_its_deadline_and_an_idle_connection_too() {
    let server = Server::behind(engine(), hasty(300));
    let mut slow = TcpStream::connect(server.at).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    // Endless, unless the server closes.
    let ended = std::iter::repeat(b'a').any(|byte| {
        let mut read = [0; 512];
        let gone =
            |kind| !matches!(kind, std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
        slow.write_all(&[byte]).is_err()
            || match slow.read(&mut read) {
                Ok(n) => n == 0,
                Err(error) => gone(error.kind()),
            }
    });
    assert!(ended);

    let mut idle = TcpStream::connect(server.at).unwrap();
    idle.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.at);
    idle.write_all(request.as_bytes()).unwrap();
    let mut all = String::new();
    idle.read_to_string(&mut all).expect("an answer and the end of the connection");
    assert!(all.starts_with("HTTP/1.1 200") && all.contains("ok\n"), "{all}");
}

#[test]
fn oversized_and_malformed_requests_are_refused_and_hurt_nobody() {
    let server = Server::start();
    let long = "a".repeat(100_000);
    let many: Vec<String> = (0..500).map(|n| format!("X-Field-{n}: {n}")).collect();
    let host = format!("Host: {}", server.at);
    let cases: Vec<(Vec<&str>, &[u16])> = vec![
        (vec!["GET / HTTP/1.1", &host, &long], &[400, 431]),
        (
            [vec!["GET / HTTP/1.1", &host], many.iter().map(String::as_str).collect()].concat(),
            &[431],
        ),
        (vec!["GET / HTTP/9.9", &host], &[400, 505]),
        (vec!["\u{1}\u{2}\u{3}"], &[400]),
        (vec!["GET  / HTTP/1.1", &host], &[400]),
        (
            vec!["GET / HTTP/1.1", &host, "Transfer-Encoding: chunked", "Content-Length: 4"],
            &[200, 400],
        ),
        (vec!["GET / HTTP/1.1", &host, "Content-Length: -1"], &[400]),
        (vec!["GET / HTTP/1.1", &host, "Content-Length: 1", "Content-Length: 2"], &[400]),
        (vec!["PRI * HTTP/2.0"], &[400, 505]),
    ];
    for (lines, expect) in cases {
        let answer = send(server.at, &lines);
        let last: String = lines[lines.len() - 1].chars().take(40).collect();
        assert!(expect.contains(&answer.status), "{} … {last}: {}", lines[0], answer.status);
        assert!(health(server.at).ends_with("ok\n"));
    }
}

#[test]
fn who_asks_too_often_is_told_when_to_come_again() {
    let clients = door::Clients { rate: 1, burst: 3, ..door::Clients::default() };
    let server = Server::behind(engine(), door::Settings { clients, ..Config::default().door() });
    let answers: Vec<_> = (0..20).map(|_| get(server.at, "/api/v1/brands")).collect();
    assert_eq!(answers[0].status, 200);
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(refused.len() > 10, "{}", refused.len());
    assert!(refused[0].header("retry-after").is_some_and(|wait| wait.parse::<u32>().is_ok()));
    assert!(refused[0].body.contains("clients.rate"), "{}", refused[0].body);
    assert!(health(server.at).ends_with("ok\n"));
}

#[test]
fn behind_a_trusted_proxy_each_of_its_clients_has_an_account() {
    let clients = door::Clients { rate: 1, burst: 2, ..door::Clients::default() };
    let settings = door::Settings { clients, ..Config::default().door() };
    let proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let ask = |server: &Server, client: &str| {
        let (host, line) = (format!("Host: {}", server.at), format!("X-Forwarded-For: {client}"));
        send(server.at, &["GET /style.css HTTP/1.1", &host, &line, "Connection: close"]).status
    };
    let trusting = Server::behind(engine(), door::Settings { proxies, ..settings.clone() });
    let statuses: Vec<u16> = (1..9).map(|n| ask(&trusting, &format!("192.0.2.{n}"))).collect();
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    // Whoever is no proxy may write what he likes.
    let plain = Server::behind(engine(), settings);
    let statuses: Vec<u16> = (1..9).map(|n| ask(&plain, &format!("192.0.2.{n}"))).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
}

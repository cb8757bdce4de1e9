//! WebSub from outside: a publisher whose feed names a hub, and a hub that verifies, pushes what was
//! not yet polled, and is not believed when it does not sign.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use hmac::{Hmac, Mac};

use crate::process::{Daemon, Place, free_port, wait_for};
use crate::server::{Ask, Server, answer};
use crate::web;

/// What the hub was asked for.
type Asked = Arc<Mutex<Vec<HashMap<String, String>>>>;

fn item(publisher: &str, n: usize) -> String {
    format!("<item><title>Piece {n}</title><link>http://{publisher}/news-{n}.html</link></item>")
}

fn feed(publisher: &str, hub: &str, items: &[usize]) -> String {
    let items: String = items.iter().map(|n| item(publisher, *n)).collect();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\">\
         <channel><title>P</title><atom:link rel=\"hub\" href=\"http://{hub}/hub\"/><atom:link \
         rel=\"self\" href=\"http://{publisher}/feed.xml\"/>{items}</channel></rss>"
    )
}

/// A publisher (0) and its hub (1).
fn publisher(asked: &Asked) -> Server {
    let asked = asked.clone();
    Server::start(2, |addresses| {
        let (publisher, hub) = (addresses[0].to_string(), addresses[1].to_string());
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (0, "/feed.xml") => answer(
                "200 OK",
                &["Content-Type: application/rss+xml"],
                feed(&publisher, &hub, &[0, 1]),
            ),
            (0, path) if path.starts_with("/news-") => {
                let n: u64 = path["/news-".len()..].trim_end_matches(".html").parse().unwrap();
                let page = web::html(n + 7, 0, 1, "2026-11-10T10:00:00Z");
                answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
            }
            (1, "/hub") => {
                assert!(ask.head.starts_with("POST "), "{}", ask.head);
                let form = url::form_urlencoded::parse(ask.body.as_bytes()).into_owned().collect();
                asked.lock().unwrap().push(form);
                answer("202 Accepted", &[], "")
            }
            _ => answer("404 Not Found", &[], ""),
        }
    })
}

/// One request to a URL on loopback; status and body.
fn send(method: &str, url: &str, fields: &[String], body: &str) -> (u16, String) {
    try_send(method, url, fields, body).unwrap()
}

/// The same, of one that may be cut off before it is whole.
pub fn try_send(
    method: &str,
    url: &str,
    fields: &[String],
    body: &str,
) -> std::io::Result<(u16, String)> {
    let (host, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let mut head = format!(
        "{method} /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for field in fields {
        head = head + field + "\r\n";
    }
    let mut stream = TcpStream::connect(host)?;
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Ok((status, text.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned())))
}

pub fn signature(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let digest: String =
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("X-Hub-Signature: sha256={digest}")
}

/// A daemon that has asked the publisher's hub to push, and what it asked.
fn subscribed(asked: &Asked, web: &Server) -> (Place, Daemon, HashMap<String, String>) {
    let free = format!("127.0.0.1:{}", free_port());
    let mut place = Place::new();
    place.set(&format!("websub.callback=\"http://{free}\""));
    place.set(&format!("websub.listen=\"{free}\""));
    place.set("trusted_proxies=[\"127.0.0.1\"]");
    // A poll may follow another at once.
    place.set("feed.schedule.min=0ms");
    place.write("feeds.txt", web.url(0, "/feed.xml"));
    place.run(["seed", "feeds.txt"]).good();
    let daemon = Daemon::start(&place);
    wait_for("the subscription", || !asked.lock().unwrap().is_empty());
    let form = asked.lock().unwrap()[0].clone();
    (place, daemon, form)
}

#[test]
fn deliveries_that_trickle_keep_no_other_waiting() {
    let asked = Asked::default();
    let web = publisher(&asked);
    let (_place, _daemon, form) = subscribed(&asked, &web);
    let callback = &form["hub.callback"];
    let (host, path) = callback.trim_start_matches("http://").split_once('/').unwrap();
    // Each from an address of its own.
    let slow: Vec<TcpStream> = (0..8)
        .map(|n| {
            let mut stream = TcpStream::connect(host).unwrap();
            let begun =
                format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n");
            let whom = format!("X-Forwarded-For: 192.0.2.{n}\r\n\r\n<");
            stream.write_all((begun + &whom).as_bytes()).unwrap();
            stream
        })
        .collect();
    // By now they have been taken.
    for _ in 0..5 {
        assert_eq!(send("GET", callback, &[], "").0, 404);
    }
    assert_eq!(send("POST", callback, &[], "whole").0, 202);
    for mut stream in slow {
        stream.set_nonblocking(true).unwrap();
        let answer = stream.read(&mut [0; 64]).map_err(|error| error.kind());
        assert_eq!(answer, Err(std::io::ErrorKind::WouldBlock), "it has its time still");
    }
}

#[test]
fn a_hub_pushes_what_was_not_polled() {
    let asked = Asked::default();
    let web = publisher(&asked);
    let (publisher, hub) = (web.addresses[0].to_string(), web.addresses[1].to_string());
    let (place, _daemon, form) = subscribed(&asked, &web);
    let topic = format!("http://{publisher}/feed.xml");
    assert_eq!(form["hub.mode"], "subscribe");
    assert_eq!(form["hub.topic"], topic);
    assert_eq!(form["hub.lease_seconds"], "864000");
    let (callback, secret) = (form["hub.callback"].clone(), form["hub.secret"].clone());
    let (free, _) = callback.trim_start_matches("http://").split_once('/').unwrap();

    // Only what was asked for is confirmed.
    let verify = |mode: &str, topic: &str| {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("hub.mode", mode)
            .append_pair("hub.topic", topic)
            .append_pair("hub.challenge", "c-42")
            .append_pair("hub.lease_seconds", "7200")
            .finish();
        send("GET", &format!("{callback}?{query}"), &[], "")
    };
    assert_eq!(verify("subscribe", "http://other.test/").0, 404);
    assert_eq!(verify("unsubscribe", &topic).0, 404);
    assert_eq!(verify("subscribe", &topic), (200, "c-42".to_owned()));
    let stranger = format!("http://{free}/websub/0123456789abcdef0123456789abcdef");
    assert_eq!(send("POST", &stranger, &[], "x").0, 410);
    assert_eq!(send("GET", &format!("http://{free}/api/v1/status"), &[], "").0, 404);

    let articles = || place.json(["articles"]).as_array().unwrap().len();
    wait_for("the polled articles", || articles() == 2);
    let polls = || web.hits().iter().filter(|hit| hit.path == "/feed.xml").count();
    let before = polls();
    let next = || place.json(["feeds"])[0]["next_poll"].as_i64().unwrap();
    let due = next();
    let push = |items: &[usize], secret: &str| {
        let body = feed(&publisher, &hub, items);
        let fields = [signature(secret, &body), "Content-Type: application/rss+xml".to_owned()];
        send("POST", &callback, &fields, &body).0
    };
    assert_eq!(push(&[9], "not the secret"), 202, "acknowledged, and dropped");
    assert_eq!(push(&[5], &secret), 202);
    wait_for("the pushed article", || articles() == 3);
    // The same again, and what was polled before: nothing is counted twice.
    assert_eq!(push(&[5, 1], &secret), 202);
    assert_eq!(push(&[6], &secret), 202);
    wait_for("another pushed article", || articles() == 4);
    assert_eq!(polls(), before, "nothing of it was polled");
    assert_eq!(place.json(["status"])["entries"], 4);
    // However often it pushes: else a hub could keep a feed from being polled, and say how complete its days are.
    assert_eq!(next(), due, "a push moved the poll");
    let outlets = place.json(["outlets"]);
    let outlet = outlets.as_array().unwrap().iter().find(|o| o["outlet"] == publisher.as_str());
    let counted = outlet.map(|o| (o["polls_due"].as_u64(), o["polls_succeeded"].as_u64()));
    assert_eq!(counted, Some((Some(1), Some(1))), "{outlets}");
    assert!(web.hits().iter().all(|hit| hit.path != "/news-9.html"), "the unsigned one");
    // Nothing is asked of a publisher whose push is taken: no pause keeps it waiting.
    place.run(["outlets", "pause", &publisher]).good();
    assert_eq!(push(&[7], &secret), 202);
    wait_for("the push during a pause", || place.json(["status"])["entries"] == 5);
    assert_eq!(place.json(["status"])["pending"], 1);
    assert!(web.hits().iter().all(|hit| hit.path != "/news-7.html"), "it pauses");
    place.run(["outlets", "resume", &publisher]).good();
    wait_for("the article after the pause", || articles() == 5);
    assert_eq!(polls(), before);
    // What cannot be read is asked for.
    let fields = [signature(&secret, "no feed"), "Content-Type: application/rss+xml".to_owned()];
    assert_eq!(send("POST", &callback, &fields, "no feed").0, 202);
    wait_for("the poll instead", || polls() == before + 1);
    // The lease that was granted is a short one, and not at its end.
    assert_eq!(asked.lock().unwrap().len(), 1, "the hub was asked again");
    let said = place.run(["status", "--why", &publisher]).good();
    assert!(said.contains("has agreed to push until"), "{said}");
    place.run(["verify"]).good();
    // Robots of the hub were asked before it.
    let of_hub: Vec<_> = web.hits().into_iter().filter(|hit| hit.outlet == 1).collect();
    assert_eq!(of_hub[0].path, "/robots.txt");
}

/// Hubs were asked one after the other, so that a slow one kept all others waiting.
#[test]
fn a_hub_that_is_slow_to_answer_keeps_no_other_waiting() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let noted = order.clone();
    let web = Server::start(4, |addresses| {
        let all: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (n @ (0 | 1), "/feed.xml") => answer(
                "200 OK",
                &["Content-Type: application/rss+xml"],
                feed(&all[n], &all[n + 2], &[]),
            ),
            (n @ (2 | 3), "/hub") => {
                let asked = || noted.lock().unwrap().len();
                noted.lock().unwrap().push(format!("hub {n} asked"));
                // The first of them waits for the other.
                for _ in 0..400 {
                    if n == 3 || asked() > 1 {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                noted.lock().unwrap().push(format!("hub {n} answers"));
                answer("202 Accepted", &[], "")
            }
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let free = format!("127.0.0.1:{}", free_port());
    let mut place = Place::new();
    place.set(&format!("websub.callback=\"http://{free}\""));
    place.set(&format!("websub.listen=\"{free}\""));
    for limit in ["first_byte", "total"] {
        place.set(&format!("fetch.{limit}=60s"));
    }
    place.write("feeds.txt", web.url(0, "/feed.xml"));
    place.write("more.txt", web.url(1, "/feed.xml"));
    place.run(["seed", "feeds.txt"]).good();
    let _daemon = Daemon::start(&place);
    let said = || order.lock().unwrap().clone();
    wait_for("the slow hub", || !said().is_empty());
    place.run(["seed", "more.txt"]).good();
    wait_for("both hubs", || said().len() == 4);
    assert_eq!(said()[..2], ["hub 2 asked", "hub 3 asked"], "{:?}", said());
}

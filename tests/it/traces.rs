//! Traces from outside: the collector that the operator names gets the spans of a crawl, and one that is
//! dead keeps nobody waiting.

use std::sync::{Arc, Mutex};

use crate::process::{Daemon, Place, end, wait_for};
use crate::server::{Ask, Server, answer};

/// An outlet (0) with one article and a secret in its feed's address, and a collector (1).
struct World {
    server: Server,
    /// Heads and bodies of what the collector got; the names in Protobuf are plain text.
    sent: Arc<Mutex<Vec<(String, String)>>>,
}

impl World {
    fn start() -> World {
        let sent: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let got = sent.clone();
        let server = Server::start(2, |addresses| {
            let base = format!("http://{}", addresses[0]);
            move |ask: &Ask| match (ask.outlet, ask.path) {
                (1, _) => {
                    got.lock().unwrap().push((ask.head.to_lowercase(), ask.body.to_owned()));
                    answer("200 OK", &["Connection: close"], "")
                }
                (_, "/robots.txt") => answer("404 Not Found", &[], ""),
                (_, "/feed.xml?key=hush") => {
                    let item = format!("<item><title>1</title><link>{base}/1.html</link></item>");
                    crate::web::rss(&item)
                }
                _ => {
                    let page = crate::web::html(7, 0, 1, "2026-11-01T10:00:00Z");
                    answer("200 OK", &["Content-Type: text/html"], page)
                }
            }
        });
        World { server, sent }
    }

    fn place(&self, collector: &str) -> Place {
        let mut place = Place::new();
        place.run(["seed", &self.server.url(0, "/feed.xml?key=hush")]).good();
        place.set("pace.delay=20ms");
        place.set(&format!("deliver.traces.collector=\"{collector}\""));
        place
    }

    fn all(&self) -> String {
        self.sent.lock().unwrap().iter().map(|(_, body)| &**body).collect()
    }
}

#[test]
fn the_collector_gets_the_spans_of_a_crawl_and_no_secret() {
    let world = World::start();
    let place = world.place(&world.server.url(1, "/v1/traces"));
    let mut command = place.command(["run", "--once"]);
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=between-us");
    end(command.spawn().unwrap()).good();
    let sent = world.sent.lock().unwrap().clone();
    assert!(!sent.is_empty());
    for (head, _) in &sent {
        assert!(head.starts_with("post /v1/traces "), "{head}");
        assert!(head.contains("content-type: application/x-protobuf"), "{head}");
        assert!(head.contains("x-key: between-us"), "{head}");
    }
    let all = world.all();
    for name in ["service.name", "poll", "page", "wait", "request", "read", "commit", "acknowledge"]
    {
        assert!(all.contains(name), "no `{name}`");
    }
    assert!(all.contains("/1.html") && all.contains("/feed.xml"));
    assert!(!all.contains("hush"), "a query is sent");
    // Other commands have nothing to trace.
    place.run(["articles"]).good();
    let shown = place.run(["config", "show"]).good();
    assert!(shown.contains(&world.server.url(1, "/…")) && !shown.contains("/v1/traces"), "{shown}");
    assert_eq!(world.sent.lock().unwrap().len(), sent.len());
}

#[test]
fn a_daemon_sends_what_is_left_before_it_ends() {
    let world = World::start();
    let place = world.place(&world.server.url(1, "/v1/traces"));
    let daemon = Daemon::start(&place);
    wait_for("the article", || place.json(["status"])["outcomes"]["article"] == 1);
    place.run(["feeds", "pause", &world.server.url(0, "/feed.xml?key=hush")]).good();
    daemon.terminate().good();
    assert!(world.all().contains("order"));
}

#[test]
fn a_dead_collector_is_named_once_and_keeps_nobody_waiting() {
    let world = World::start();
    let place = world.place("http://127.0.0.1:1/v1/traces");
    let ended = place.run(["run", "--once"]);
    let said = ended.err.matches("traces do not reach their collector").count();
    assert_eq!(said, 1, "{}", ended.err);
    assert!(ended.good().contains("1 article"));
    for (setting, words) in [
        ("deliver.traces.collector=\"collector:4318\"", "deliver.traces.collector"),
        ("deliver.traces.share=1.5", "between 0 and 1"),
    ] {
        Place::new().run(["run", "--once", "--set", setting]).one_sentence(&[words]);
    }
}

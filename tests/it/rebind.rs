//! A name that leads somewhere else once it is trusted (DNS rebinding), in a whole crawl: what is
//! asked after the turn is refused and nothing is dialled, and the outlet beside it is read as ever.

use std::collections::BTreeMap;
use std::net::{IpAddr, TcpListener};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crawler::config::Config;
use crawler::crawl::{self, Engine};
use crawler::fetch::{Fetcher, Lookup};
use crawler::model::Span;
use crawler::store;
use crawler::store::decision::Who;

use crate::server::{Ask, Server, Step, answer};
use crate::web::html;

/// Outlets: the one that turns, and the sound one.
const NAMES: [&str; 2] = ["rebound.example", "sound.example"];
/// Where it turns to: somebody listens there, at the port that its URLs name. No other test has this
/// address, so that nobody holds the port there.
const INSIDE: &str = "127.77.0.4";

const PAGES: [&str; 4] = ["/0.html", "/1.html", "/2.html", "/3.html"];
/// After so many of its pages, whichever they are, the name leads inside.
const TRUSTED: usize = 2;

/// Each answer closes its connection, so that each request asks for the name again.
fn reply(ask: &Ask, port: u16, read: &AtomicUsize) -> Vec<Step> {
    let name = NAMES[ask.outlet];
    let (kind, body) = match ask.path {
        "/robots.txt" => ("text/plain", String::new()),
        "/feed.xml" => {
            let item = |path| {
                format!("<item><title>{path}</title><link>http://{name}:{port}{path}</link></item>")
            };
            let items: String = PAGES.into_iter().map(item).collect();
            (
                "application/rss+xml",
                format!("<rss version=\"2.0\"><channel>{items}</channel></rss>"),
            )
        }
        path => {
            if ask.outlet == 0 {
                read.fetch_add(1, Ordering::SeqCst);
            }
            let seed = u64::from(path.as_bytes()[1]) + 100 * ask.outlet as u64;
            ("text/html", html(seed, ask.outlet, 2, "2026-11-10T08:00:00Z"))
        }
    };
    let fields = [format!("Content-Type: {kind}; charset=utf-8"), "Connection: close".to_owned()];
    let mut steps = answer("200 OK", &fields.each_ref().map(String::as_str), body);
    steps.push(Step::Close);
    steps
}

/// Crawls once while the name turns to `inside`, for so many look-ups; outcomes by outlet, requests by
/// outlet, and how often the one inside was dialled.
fn crawl(inside: &[&str], turns: usize) -> (BTreeMap<(String, String), u64>, [usize; 2], usize) {
    let read = Arc::new(AtomicUsize::new(0));
    let reading = read.clone();
    let server = Server::start(NAMES.len(), |addresses| {
        let ports: Vec<u16> = addresses.iter().map(|a| a.port()).collect();
        move |ask: &Ask| reply(ask, ports[ask.outlet], &reading)
    });
    let listener = TcpListener::bind((INSIDE, server.addresses[0].port())).unwrap();
    let dialled = Arc::new(AtomicUsize::new(0));
    let seen = dialled.clone();
    std::thread::spawn(move || {
        for _closed_at_once in listener.incoming() {
            seen.fetch_add(1, Ordering::SeqCst);
        }
    });
    let outside: Vec<IpAddr> = server.addresses.iter().map(|a| a.ip()).collect();
    let inside: Vec<IpAddr> = inside.iter().map(|ip| ip.parse().unwrap()).collect();
    let turned = AtomicUsize::new(0);
    let lookup: Lookup = Arc::new(move |name| {
        let outlet = NAMES.iter().position(|n| *n == name).expect("a name of this web");
        let trusted = outlet != 0 || read.load(Ordering::SeqCst) < TRUSTED;
        let found = match !trusted && turned.fetch_add(1, Ordering::SeqCst) < turns {
            true => inside.clone(),
            false => vec![outside[outlet]],
        };
        Box::pin(async move { Ok(found) })
    });
    let mut config = Config { once_patience: Span(1_000), ..Config::default() };
    config.contact = Some("bot@outlet.example".to_owned());
    // All but the address that the name turns to.
    config.guard.allow = vec!["127.0.0.2/31".parse().unwrap()];
    config.guard.allow_ports = vec!["1-65535".parse().unwrap()];
    config.pace.delay = Span(0);
    // It may turn outward again: it is looked up a few times before it is given up.
    config.pace.retry_first = Span(0);
    config.pace.retry_step = Span(0);
    config.pace.give_up = Span(0);
    let fetcher = Fetcher::with_lookup(
        &config.fetch,
        &config.guard,
        &config.identity(),
        Default::default(),
        lookup,
    );
    let place = tempfile::tempdir().unwrap();
    let store = store::open(place.path(), &config.store).unwrap();
    let engine = Engine::new(store, config.crawl(), fetcher.unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let feeds: String = (0..2)
        .map(|n| format!("http://{}:{}/feed.xml\n", NAMES[n], server.addresses[n].port()))
        .collect();
    crawl::orders::seed::seed(&engine, runtime.handle(), &Who::program(), &feeds, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    runtime.block_on(crawl::run(engine.clone(), true, stopped)).unwrap();
    let mut outcomes = BTreeMap::new();
    engine
        .store
        .urls(&mut |record| {
            let outlet = record.outlet.split(':').next().unwrap_or_default().to_owned();
            *outcomes.entry((outlet, record.outcome.name().to_string())).or_default() += 1;
            true
        })
        .unwrap();
    let hits = server.hits();
    let asked = [0, 1].map(|n| hits.iter().filter(|hit| hit.outlet == n).count());
    (outcomes, asked, dialled.load(Ordering::SeqCst))
}

#[test]
fn a_name_that_turns_inward_is_refused_and_its_neighbours_are_read() {
    for inside in
        [&[INSIDE][..], &["10.0.0.1", "169.254.169.254"], &["::1", "::ffff:127.77.0.4", "fd00::1"]]
    {
        let (outcomes, asked, dialled) = crawl(inside, usize::MAX);
        let count = |outlet: &str, outcome: &str| {
            outcomes.get(&(outlet.to_owned(), outcome.to_owned())).copied().unwrap_or(0)
        };
        let rebound = ["article", "refused"].map(|outcome| count(NAMES[0], outcome));
        assert_eq!(
            rebound,
            [TRUSTED, PAGES.len() - TRUSTED].map(|n| n as u64),
            "{inside:?}: {outcomes:?}"
        );
        assert_eq!(count(NAMES[1], "article"), PAGES.len() as u64, "{inside:?}: {outcomes:?}");
        // robots.txt, feed and pages: those before the turn, all of the neighbour's.
        assert_eq!((asked, dialled), ([2 + TRUSTED, 2 + PAGES.len()], 0), "{inside:?}");
    }
}

#[test]
fn a_name_that_turns_back_costs_no_article() {
    let (outcomes, asked, dialled) = crawl(&["10.0.0.1"], 3);
    let count = outcomes.get(&(NAMES[0].to_owned(), "article".to_owned())).copied();
    assert_eq!(count, Some(PAGES.len() as u64), "{outcomes:?}");
    assert_eq!((asked, dialled), ([2 + PAGES.len(); 2], 0));
}

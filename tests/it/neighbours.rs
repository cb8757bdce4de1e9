//! A platform whose hosts share a registered domain, and so a pace key: what one of them asks for, the
//! others do not feel, and none speaks for another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crawler::config::Config;
use crawler::crawl::{self, Engine, clock};
use crawler::fetch::{Fetcher, Lookup};
use crawler::frontier::address;
use crawler::model::*;
use crawler::store;
use crawler::store::decision::Who;

use crate::server::{Ask, Server, Step, answer};
use crate::web::{html, rss};

const CALM: [&str; 4] = ["a", "b", "c", "d"];
const ARTICLES: usize = 3;

/// Whom a request asks, with its port.
fn host(ask: &Ask) -> String {
    let mut lines = ask.head.lines();
    let named =
        lines.find_map(|line| line.to_lowercase().strip_prefix("host: ").map(str::to_owned));
    named.unwrap_or_default()
}

/// Hosts that are named `calm…` answer well, the others by `loud`.
fn reply(ask: &Ask, port: u16, loud: fn(&str) -> Option<Vec<Step>>) -> Vec<Step> {
    let host = host(ask);
    if host.starts_with("loud")
        && let Some(steps) = loud(ask.path)
    {
        return steps;
    }
    match ask.path {
        "/robots.txt" => answer("404 Not Found", &[], ""),
        "/feed.xml" => {
            let name = host.split(':').next().unwrap_or_default();
            let items: String = (0..ARTICLES)
                .map(|n| {
                    format!(
                        "<item><title>{n}</title><link>http://{name}:{port}/{n}.html</link></item>"
                    )
                })
                .collect();
            rss(&items)
        }
        path => {
            let seed = host
                .bytes()
                .chain(path.bytes())
                .fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
            let page = html(seed, 0, 1, "2026-11-10T08:00:00Z");
            answer("200 OK", &["Content-Type: text/html"], page)
        }
    }
}

/// Crawls these feeds once, all of whose names lead to the server.
fn crawl_once(server: &Server, feeds: &str) -> (Arc<Engine>, tempfile::TempDir) {
    let address = server.addresses[0].ip();
    let lookup: Lookup = Arc::new(move |_| Box::pin(async move { Ok(vec![address]) }));
    let mut config = Config { once_patience: Span(1_500), ..Config::default() };
    config.contact = Some("bot@outlet.example".to_owned());
    config.guard.allow = vec!["127.0.0.0/8".parse().unwrap()];
    config.guard.allow_ports = vec!["1-65535".parse().unwrap()];
    config.pace.delay = Span(0);
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
    crawl::orders::seed::seed(&engine, runtime.handle(), &Who::program(), feeds, &mut |_| {
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    runtime.block_on(crawl::run(engine.clone(), true, stopped)).unwrap();
    (engine, place)
}

/// After one crawl of the platform.
struct Crawled {
    pace: Pace,
    /// Those of calm hosts.
    articles: usize,
    requests: usize,
    /// When the loud feeds are polled again.
    again: Vec<Millis>,
}

/// With so many loud hosts beside the calm ones.
fn crawled(hosts: usize, loud: fn(&str) -> Option<Vec<Step>>) -> Crawled {
    let server = Server::start(1, |addresses| {
        let port = addresses[0].port();
        move |ask: &Ask| reply(ask, port, loud)
    });
    let port = server.addresses[0].port();
    // The loud ones come first.
    let names =
        (0..hosts).map(|n| format!("loud{n}")).chain(CALM.map(|name| format!("calm{name}")));
    let feeds: String =
        names.map(|name| format!("http://{name}.platform.example:{port}/feed.xml\n")).collect();
    let (engine, _place) = crawl_once(&server, &feeds);
    let mut articles = 0;
    engine
        .store
        .urls(&mut |record| {
            articles += usize::from(
                record.outcome == Outcome::Article && record.entry.url.contains("//calm"),
            );
            true
        })
        .unwrap();
    let feeds = engine.store.feeds().unwrap();
    assert!(feeds.iter().all(|feed| feed.pace_key == "platform.example"));
    let again = feeds.iter().filter(|feed| feed.url.contains("//loud")).map(|f| f.poll.next);
    Crawled {
        pace: engine.store.pace("platform.example").unwrap().unwrap(),
        articles,
        requests: server.hits().len(),
        again: again.collect(),
    }
}

#[test]
fn a_host_that_asks_for_a_days_pause_silences_nobody_else() {
    let before = clock::now();
    let Crawled { pace, articles, again, .. } = crawled(1, |path| {
        (path != "/robots.txt").then(|| answer("503 Busy", &["Retry-After: 86400"], ""))
    });
    assert_eq!(articles, CALM.len() * ARTICLES);
    assert_eq!(pace.blocked_until, 0, "{pace:?}");
    let loud = pace.hosts.iter().find(|host| host.host == "loud0.platform.example").unwrap();
    assert!(loud.blocked_until >= before + DAY, "{pace:?}");
    assert!(again[0] >= before + HOUR, "{again:?}");
}

#[test]
fn a_crawl_delay_is_kept_for_its_own_host_alone() {
    let Crawled { pace, articles, requests, again } = crawled(1, |path| {
        let rules = "User-agent: *\nCrawl-delay: 60\n";
        (path == "/robots.txt").then(|| answer("200 OK", &[], rules))
    });
    assert_eq!(articles, CALM.len() * ARTICLES);
    let host = pace.hosts.iter().find(|host| host.host == "loud0.platform.example").unwrap();
    assert_eq!(host.delay, MINUTE, "{pace:?}");
    // Its feed waits for its turn, and that is no failure.
    assert_eq!(again, [host.last + MINUTE]);
    assert_eq!(requests, CALM.len() * (ARTICLES + 2) + 1);
}

#[test]
fn several_hosts_that_ask_for_a_pause_pause_the_platform_for_a_moment() {
    let Crawled { pace, again, .. } = crawled(3, |path| {
        (path != "/robots.txt").then(|| answer("429 Slow down", &["Retry-After: 86400"], ""))
    });
    let now = clock::now();
    assert!(pace.blocked_until > now && pace.blocked_until <= now + MINUTE, "{pace:?}");
    assert!(again.iter().all(|at| *at > now + HOUR), "{again:?}");
}

/// A page that states no date.
fn undated(seed: u64) -> Vec<Step> {
    let page = html(seed, 0, 1, "").replace("article:published_time", "other");
    answer("200 OK", &["Content-Type: text/html"], page)
}

/// An outlet of a platform redirected its entries to pages of a neighbour: they counted as the neighbour's on
/// the days that its feed printed, search results among them, and the neighbour's own entry ended as known.
#[test]
fn a_redirect_between_hosts_of_a_platform_makes_none_of_them_speak_for_another() {
    const FORGED: &str = "<pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate><title>Forged</title>";
    let server = Server::start(1, |addresses| {
        let port = addresses[0].port();
        move |ask: &Ask| {
            let here = host(ask);
            let url = |host: &str, path: &str| format!("http://{host}.blogspot.com:{port}{path}");
            let to = |path: &str| {
                let location = format!("Location: {}", url("victim", path));
                answer("302 Found", &[&location], "")
            };
            let item = |host: &str, path: &str, more: &str| {
                format!("<item><link>{}</link>{more}</item>", url(host, path))
            };
            match (here.split('.').next().unwrap_or_default(), ask.path) {
                (_, "/robots.txt") => answer("404 Not Found", &[], ""),
                ("evil", "/feed.xml") => {
                    let paths = ["/to-search", "/to-story", "/to-own"];
                    rss(&paths.map(|path| item("evil", path, FORGED)).concat())
                }
                ("evil", "/to-search") => to("/search"),
                ("evil", "/to-story") => to("/story"),
                ("evil", "/to-own") => answer("302 Found", &["Location: /own"], ""),
                ("evil", "/own") => undated(1),
                ("echo", "/feed.xml") => to("/comments.xml"),
                ("victim", "/feed.xml") => rss(&item("victim", "/story", "<title>True</title>")),
                ("victim", "/comments.xml") => {
                    let paths = ["/comment-1", "/comment-2", "/comment-3"];
                    rss(&paths.map(|path| item("victim", path, FORGED)).concat())
                }
                ("victim", "/search") => undated(2),
                ("victim", "/story") => undated(3),
                ("victim", path) => undated(path.bytes().map(u64::from).sum()),
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let port = server.addresses[0].port();
    let url = |host: &str, path: &str| format!("http://{host}.blogspot.com:{port}{path}");
    let feeds = ["evil", "echo", "victim"].map(|host| url(host, "/feed.xml") + "\n").concat();
    let (engine, _place) = crawl_once(&server, &feeds);
    let entry = |host: &str, path: &str| {
        let at = address(&url(host, path), None).unwrap();
        engine.store.url(at.key).unwrap().unwrap()
    };
    for (from, to) in [("/to-search", "/search"), ("/to-story", "/story")] {
        assert_eq!(entry("evil", from).outcome, Outcome::Moved(entry("victim", to).key), "{from}");
    }
    for path in ["/search", "/comment-1", "/comment-2", "/comment-3"] {
        let named = entry("victim", path);
        assert!(named.foreign && named.entry.published.is_none(), "{path}: {named:?}");
        assert!(matches!(named.outcome, Outcome::NotArticle(_)), "{path}: {named:?}");
    }
    let story = entry("victim", "/story");
    assert_eq!((story.foreign, &story.outcome), (false, &Outcome::Article), "{story:?}");
    assert_eq!(story.entry.title.as_deref(), Some("True"), "{story:?}");
    // Within an outlet it is followed at once.
    let own = engine.store.article(entry("evil", "/to-own").key).unwrap().unwrap();
    assert_eq!(own.outlet, "evil.blogspot.com");
    assert_eq!(own.final_url, url("evil", "/own"));
}

/// An outlet's feed named pages of another one: its search for a headline, an undated page under addresses with dates,
/// a page that differs at each request under made-up addresses; and it told their language.
#[test]
fn who_names_anothers_pages_makes_up_no_articles() {
    const LIVE: usize = 6;
    let live = AtomicUsize::new(0);
    let server = Server::start(1, |addresses| {
        let port = addresses[0].port();
        move |ask: &Ask| {
            let here = host(ask);
            let item = |path: &str| {
                format!("<item><link>http://victim.blogspot.com:{port}{path}</link></item>")
            };
            let page = |page: String| answer("200 OK", &["Content-Type: text/html"], page);
            match (here.split('.').next().unwrap_or_default(), ask.path) {
                (_, "/robots.txt") => answer("404 Not Found", &[], ""),
                ("evil", "/feed.xml") => {
                    let live = (0..LIVE).map(|n| item(&format!("/live?v={n}"))).collect::<String>();
                    let pages = ["/2026/11/09/about", "/story", "/saved", "/local"].map(item);
                    rss(&format!("<language>ga</language>{}{live}", pages.concat()))
                }
                ("victim", "/feed.xml") => rss(&item("/own")),
                ("victim", "/2026/11/09/about") => undated(2),
                ("victim", "/saved") => {
                    let fields = ["Content-Type: text/html", "Content-Disposition: attachment"];
                    answer("200 OK", &fields, html(3, 0, 1, "2026-11-10T08:00:00Z"))
                }
                ("victim", "/local") => page(html(4, 0, 1, "2026-11-10T08:00:00")),
                ("victim", path) if path.starts_with("/live") => {
                    let now = live.fetch_add(1, Ordering::Relaxed);
                    let figure =
                        format!("<p>Acme stood at {} pence at noon.</p></article>", 300 + now);
                    page(html(5, 0, 1, "2026-11-10T08:00:00Z").replace("</article>", &figure))
                }
                ("victim", path) => {
                    let seed = path.bytes().map(u64::from).sum();
                    page(html(seed, 0, 1, "2026-11-10T08:00:00Z").replace(" lang=\"en\"", ""))
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let port = server.addresses[0].port();
    let url = |host: &str, path: &str| format!("http://{host}.blogspot.com:{port}{path}");
    let feeds = ["evil", "victim"].map(|host| url(host, "/feed.xml") + "\n").concat();
    let (engine, _place) = crawl_once(&server, &feeds);
    let entry = |path: &str| {
        let at = address(&url("victim", path), None).unwrap();
        engine.store.url(at.key).unwrap().unwrap()
    };
    for path in ["/2026/11/09/about", "/saved"] {
        let outcome = entry(path).outcome;
        assert!(matches!(outcome, Outcome::NotArticle(_)), "{path}: {outcome:?}");
    }
    let story = engine.store.article(entry("/story").key).unwrap().unwrap();
    let language = story.article.language.map(|found| found.value);
    assert_ne!(language.as_deref(), Some("ga"));
    // The outlet's own feed may tell of which day it is.
    let local = entry("/local");
    assert_eq!((local.outcome, local.attempts), (Outcome::Pending, 1));
    let lives = (0..LIVE).map(|n| entry(&format!("/live?v={n}")).outcome);
    let (articles, others): (Vec<_>, Vec<_>) = lives.partition(|at| *at == Outcome::Article);
    assert_eq!(articles.len(), 1, "{others:?}");
    assert!(others.iter().all(|at| matches!(at, Outcome::Known(_))), "{others:?}");
}

/// Hosts of one outlet led their robots.txt to pages of another one, which do not answer: that one paused for it. What
/// came from there was on nobody's account.
#[test]
fn where_a_robots_txt_leads_pays_for_nothing() {
    const LARGE: usize = 300_000;
    let server = Server::start(1, |addresses| {
        let port = addresses[0].port();
        move |ask: &Ask| {
            let here = host(ask);
            let name = here.split(':').next().unwrap_or_default();
            let item =
                |host: &str| format!("<item><link>http://{host}:{port}/1.html</link></item>");
            match (name, ask.path) {
                ("victim.example", "/feed.xml") => rss(&item("victim.example")),
                ("files.example", "/large") => answer("200 OK", &[], "#".repeat(LARGE)),
                ("victim.example", path) if path.starts_with("/search") => vec![Step::Close],
                ("news.evil.example", "/feed.xml") => {
                    rss(&(0..5).map(|n| item(&format!("h{n}.evil.example"))).collect::<String>())
                }
                ("h0.evil.example", "/robots.txt") => {
                    let location = format!("Location: http://files.example:{port}/large");
                    answer("302 Found", &[&location], "")
                }
                (name, "/robots.txt") if name.starts_with('h') => {
                    let location =
                        format!("Location: http://victim.example:{port}/search?q={name}");
                    answer("302 Found", &[&location], "")
                }
                (_, "/robots.txt") => answer("404 Not Found", &[], ""),
                _ => undated(1),
            }
        }
    });
    let port = server.addresses[0].port();
    let feeds = ["news.evil.example", "victim.example"]
        .map(|host| format!("http://{host}:{port}/feed.xml\n"))
        .concat();
    let (engine, _place) = crawl_once(&server, &feeds);
    let asked = server.hits().iter().filter(|hit| hit.path.starts_with("/search")).count();
    assert!(asked >= 3, "{asked}");
    let pace = engine.store.pace("victim.example").unwrap().unwrap();
    let own = pace.hosts.iter().find(|host| host.host == "victim.example");
    assert!(own.is_none_or(|own| own.failures == 0.0 && own.blocked_until == 0), "{pace:?}");
    let today = utc_day(clock::now());
    let charged = engine.store.bytes("evil.example", today, today).unwrap();
    assert!(charged > LARGE as i64, "{charged}");
}

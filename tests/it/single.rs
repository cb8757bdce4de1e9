//! One URL at a time: `extract URL` and `check … URL` keep pace and lease like the crawl, with a daemon,
//! without one and beside each other, and follow redirects.

use std::time::Duration;

use crate::process::{Daemon, Place, end};
use crate::server::{Ask, Hit, Server, answer};
use crate::web;

const DELAY: Duration = Duration::from_millis(1_000);
/// Instants are kept in milliseconds: a distance can look that much shorter from outside.
const GRAIN: Duration = Duration::from_millis(1);

/// Outlet 0 asks for a second between requests; 1 has no robots.txt; that of 2 lies elsewhere; that of 3
/// cannot be had.
fn site() -> Server {
    Server::start(4, |addresses| {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        move |ask: &Ask| {
            let html = web::html(7, 0, 1, "2026-11-10T10:00:00Z");
            let location = |path: &str| format!("Location: http://{}{path}", addresses[ask.outlet]);
            match (ask.outlet, ask.path) {
                (0, "/robots.txt") => answer(
                    "200 OK",
                    &["Content-Type: text/plain"],
                    "User-agent: *\nDisallow: /x\nCrawl-delay: 1\n",
                ),
                (2, "/robots.txt") => answer("301 Moved", &[&location("/rules.txt")], ""),
                (2, "/rules.txt") => answer("200 OK", &[], "User-agent: *\nDisallow: /x\n"),
                (3, _) => answer("503 Service Unavailable", &[], ""),
                (_, "/robots.txt") => answer("404 Not Found", &[], ""),
                (_, "/old.xml") => answer("301 Moved", &[&location("/new.xml")], ""),
                (_, "/new.xml") => answer(
                    "200 OK",
                    &["Content-Type: application/rss+xml"],
                    "<rss version=\"2.0\"><channel><title>News</title><item><title>One</title>\
                     <link>/1</link></item></channel></rss>",
                ),
                (_, "/old") => answer("302 Found", &[&location("/page")], ""),
                _ => answer("200 OK", &["Content-Type: text/html; charset=utf-8"], html),
            }
        }
    })
}

fn apart(hits: &[Hit]) {
    for pair in hits.windows(2) {
        let distance = pair[1].began.saturating_duration_since(pair[0].ended);
        assert!(distance + GRAIN >= DELAY, "{} after {}: {distance:?}", pair[1].path, pair[0].path);
    }
}

/// Four commands at once; then all requests of outlet 0.
fn together(place: &Place, site: &Server) -> Vec<Hit> {
    let urls: Vec<String> = (0..4).map(|n| site.url(0, &format!("/c{n}"))).collect();
    let started: Vec<_> =
        urls.iter().map(|url| place.command(["extract", url]).spawn().unwrap()).collect();
    for child in started {
        end(child).good();
    }
    site.hits().into_iter().filter(|hit| hit.outlet == 0).collect()
}

#[test]
fn commands_keep_the_pace_of_a_site_beside_each_other() {
    let site = site();
    let place = Place::new();
    place.write("feeds.txt", site.url(1, "/new.xml"));
    place.run(["seed", "feeds.txt"]).good();
    let hits = together(&place, &site);
    assert_eq!(hits.iter().filter(|hit| hit.path == "/robots.txt").count(), 1, "{hits:?}");
    assert_eq!(hits.len(), 5, "{hits:?}");
    apart(&hits);
}

#[test]
fn commands_keep_the_pace_of_a_site_beside_a_daemon() {
    let site = site();
    let place = Place::new();
    place.write("feeds.txt", site.url(0, "/new.xml"));
    place.run(["seed", "feeds.txt"]).good();
    let daemon = Daemon::start(&place);
    let hits = together(&place, &site);
    assert_eq!(hits.iter().filter(|hit| hit.path == "/robots.txt").count(), 1, "{hits:?}");
    apart(&hits);
    daemon.terminate();
}

#[test]
fn check_follows_redirects_and_knows_what_a_missing_robots_file_means() {
    let site = site();
    let place = Place::new();
    let robots =
        |outlet: usize, path: &str| place.json(["check", "robots", &site.url(outlet, path)]);
    let asked = |outlet: usize| site.hits().iter().filter(|hit| hit.outlet == outlet).count();
    let none = robots(1, "/x");
    assert_eq!((&none["allowed"], none["rule"].is_null()), (&true.into(), true), "{none}");
    assert_eq!(none["why"], "allowed: no robots.txt (status 404)");
    assert_eq!(asked(1), 1);
    let moved = robots(2, "/x");
    assert_eq!((&moved["allowed"], &moved["line"]), (&false.into(), &2.into()), "{moved}");
    let gone = robots(3, "/x");
    assert_eq!(gone["allowed"], false);
    assert_eq!(gone["why"], "forbidden for now: robots.txt unreachable: status 503");
    let feed = place.json(["check", "feed", &site.url(1, "/old.xml")]);
    let base = site.url(1, "/1");
    assert_eq!((&feed["title"], &feed["entries"][0]["url"]), (&"News".into(), &base.into()));
    let charset = place.json(["check", "charset", &site.url(1, "/old")]);
    assert_eq!((&charset["encoding"], &charset["source"]), (&"UTF-8".into(), &"header".into()));
    assert!(!place.path("data").exists(), "a question makes no store");
    // Where it cannot be told, nothing is asked.
    let before = asked(1);
    place.write("no-directory", "");
    place
        .run(["check", "feed", &site.url(1, "/new.xml"), "--data-dir", "no-directory"])
        .one_sentence(&["cannot read the data directory no-directory"]);
    assert_eq!(asked(1), before);
    let said = place.run(["check", "robots", &site.url(0, "/x/1")]).good();
    assert!(
        said.starts_with(
            "forbidden by line 2, `Disallow: /x`, of the group `*`; it asks for 1 s between requests"
        ),
        "{said}"
    );
}

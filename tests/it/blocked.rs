//! What the operator has blocked or removed is not requested: by no poll, redirect, hub, robots.txt,
//! seed or look for feeds. The server's log is the witness.

use crate::process::Place;
use crate::server::{Ask, Server, answer};

/// Outlet 0 redirects, outlet 1 is where it leads to.
fn site() -> Server {
    Server::start(2, |addresses| {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        move |ask: &Ask| {
            let there = |path: &str| format!("Location: http://{}{path}", addresses[1]);
            match (ask.outlet, ask.path) {
                (0, "/away.xml") => answer("301 Moved Permanently", &[&there("/feed.xml")], ""),
                (0, "/visit.xml") => answer("302 Found", &[&there("/guest.xml")], ""),
                (1, path) if path.ends_with(".xml") => {
                    let rss = "<rss version=\"2.0\"><channel><title>Far</title></channel></rss>";
                    answer("200 OK", &["Content-Type: application/rss+xml"], rss)
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    })
}

fn asked(site: &Server) -> Vec<String> {
    site.hits().into_iter().filter(|hit| hit.outlet == 1).map(|hit| hit.path).collect()
}

fn statuses(place: &Place) -> Vec<(String, String)> {
    let feeds = place.json(["feeds"]);
    let text = |feed: &serde_json::Value, name: &str| feed[name].as_str().unwrap().to_owned();
    feeds.as_array().unwrap().iter().map(|f| (text(f, "url"), text(f, "status"))).collect()
}

#[test]
fn nothing_of_a_blocked_outlet_is_requested() {
    let site = site();
    let place = Place::new();
    let lists = [site.url(0, "/away.xml"), site.url(0, "/visit.xml")].join("\n");
    place.write("feeds.txt", lists);
    place.run(["seed", "feeds.txt"]).good();
    place.run(["outlets", "block", &site.url(1, "/")]).good();
    // Its feeds are added with the others, and not polled.
    let (feed, home) = (site.url(1, "/other.xml"), site.url(1, "/"));
    let said = place.run(["seed", &feed]).good();
    assert!(said.contains("is blocked by the operator; `crawler outlets resume "), "{said}");
    for args in [
        &["seed", &home][..],
        &["discover", &home],
        &["extract", &feed],
        &["check", "feed", &feed],
        &["check", "robots", &feed],
    ] {
        let ended = place.run(args);
        assert_eq!(ended.code, Some(1), "{args:?}: {}", ended.out);
        assert!(ended.err.contains("is blocked by the operator"), "{args:?}: {}", ended.err);
    }
    for _ in 0..2 {
        place.run(["run", "--once"]).good();
    }
    assert!(asked(&site).is_empty(), "{:?}", asked(&site));
    let feeds = statuses(&place);
    assert!(feeds.contains(&(site.url(0, "/away.xml"), "active".into())), "{feeds:?}");
    assert!(feeds.contains(&(feed.clone(), "paused".into())), "{feeds:?}");
    let why = place.run(["feeds", "resume", &feed]);
    why.one_sentence(&["is not polled", "is blocked by the operator"]);
    let name = feeds_outlet(&place, &feed);
    place.run(["outlets", "resume", &name]).good();
    place.run(["run", "--once"]).good();
    assert!(asked(&site).contains(&"/other.xml".to_owned()), "{:?}", asked(&site));
    assert!(asked(&site).contains(&"/guest.xml".to_owned()), "{:?}", asked(&site));
    place.run(["verify"]).good();
}

fn feeds_outlet(place: &Place, url: &str) -> String {
    let feeds = place.json(["feeds"]);
    let feed = feeds.as_array().unwrap().iter().find(|feed| feed["url"] == url).unwrap();
    feed["outlet"].as_str().unwrap().to_owned()
}

#[test]
fn a_removed_feed_stays_away_until_it_is_seeded_again() {
    let site = site();
    let place = Place::new();
    place.write("feeds.txt", [site.url(0, "/away.xml"), site.url(0, "/visit.xml")].join("\n"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    let removed = [site.url(1, "/feed.xml"), site.url(1, "/guest.xml")];
    for url in &removed {
        place.run(["feeds", "rm", url]).good();
    }
    let before = asked(&site).len();
    for _ in 0..3 {
        place.run(["run", "--once"]).good();
    }
    assert_eq!(asked(&site).len(), before);
    let feeds = statuses(&place);
    assert_eq!(feeds.len(), 2, "{feeds:?}");
    assert!(feeds.iter().all(|(_, status)| status == "active"), "{feeds:?}");
    place.run(["verify"]).good();
    let said = place.run(["seed", &removed[0]]).good();
    assert!(said.contains("1 added"), "{said}");
    place.run(["run", "--once"]).good();
    assert!(asked(&site).len() > before);
}

#[test]
fn a_robots_file_that_lies_on_a_blocked_outlet_is_not_requested() {
    let site = Server::start(2, |addresses| {
        let there = format!("Location: http://{}/robots.txt", addresses[1]);
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (0, "/robots.txt") => answer("301 Moved Permanently", &[&there], ""),
            _ => answer("200 OK", &["Content-Type: text/html"], "<p>A page."),
        }
    });
    let place = Place::new();
    place.run(["seed", &site.url(0, "/feed.xml")]).good();
    place.run(["outlets", "block", &site.url(1, "/")]).good();
    let ended = place.run(["extract", &site.url(0, "/page")]);
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    place.run(["run", "--once"]).good();
    assert!(asked(&site).is_empty(), "{:?}", asked(&site));
    assert!(site.hits().iter().all(|hit| hit.path == "/robots.txt"), "{:?}", site.hits());
}

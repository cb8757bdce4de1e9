//! What ends the process is found, alone, and left out; all else is crawled as if it were not there.

use serde_json::Value;

use crate::process::{Place, end};
use crate::server::{Ask, Server, answer};
use crate::web;

/// Two outlets with a feed of four articles each.
fn site() -> Server {
    Server::start(2, |addresses| {
        let homes = [0, 1].map(|n| format!("http://{}", addresses[n]));
        move |ask: &Ask| {
            let name = ask.path.trim_start_matches('/').trim_end_matches(".html");
            match (ask.path, name.parse::<u64>()) {
                ("/feed.xml", _) => {
                    let items: String = (1..5)
                        .map(|n| {
                            let link = format!("{}/{n}.html", homes[ask.outlet]);
                            format!("<item><title>Story {n}</title><link>{link}</link></item>")
                        })
                        .collect();
                    crate::web::rss(&items)
                }
                (_, Ok(n)) => {
                    let seed = n + 10 * ask.outlet as u64;
                    let page = web::html(seed, ask.outlet, 1, "2026-11-12T08:00:00Z");
                    answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    })
}

/// Runs again and again while what one address brings ends the process; returns how often it ended.
fn ends(place: &Place, poison: &str) -> usize {
    for n in 0..9 {
        let mut command = place.command(["run", "--once"]);
        command.env("CRAWLER_ABORT_AT", format!("read:{poison}:1"));
        let ended = end(command.spawn().unwrap());
        if ended.code.is_some() {
            ended.good();
            return n;
        }
    }
    panic!("it ends the process for ever");
}

fn place(site: &Server) -> Place {
    let mut place = Place::new();
    place.set("pace.delay=50ms");
    place.run(["seed", &site.url(0, "/feed.xml")]).good();
    place.run(["seed", &site.url(1, "/feed.xml")]).good();
    place
}

fn outcomes(place: &Place) -> Vec<(String, u64)> {
    let status = place.json(["status"]);
    let outcomes = status["outcomes"].as_object().unwrap().iter();
    let counts = outcomes.map(|(name, n)| (name.clone(), n.as_u64().unwrap()));
    counts.filter(|(_, n)| *n > 0).collect()
}

#[test]
fn a_page_that_ends_the_process_is_left_out_when_it_did_so_twice_alone() {
    let site = site();
    let place = place(&site);
    let poison = site.url(0, "/3.html");
    // Once among others, twice alone.
    assert_eq!(ends(&place, &poison), 3);
    let expect = [("article".to_owned(), 7), ("failed(quarantined)".to_owned(), 1)];
    assert_eq!(outcomes(&place), expect);
    let asked = site.hits().into_iter().filter(|hit| hit.path == "/3.html" && hit.outlet == 0);
    assert_eq!(asked.count(), 3);
    let outlet = site.addresses[0].to_string();
    let why = place.run(["status", "--why", &outlet]).good();
    assert!(why.contains("ended twice while nothing but this page was read"), "{why}");
    place.run(["verify"]).good();
    // It is over: nothing is tried alone any more.
    place.run(["run", "--once"]).good();
    assert_eq!(outcomes(&place), expect);
}

#[test]
fn a_feed_that_ends_the_process_waits_a_day() {
    let site = site();
    let place = place(&site);
    let poison = site.url(1, "/feed.xml");
    assert_eq!(ends(&place, &poison), 3);
    assert_eq!(outcomes(&place), [("article".to_owned(), 4)]);
    let feeds = place.json(["feeds"]);
    let feed: &Value = feeds.as_array().unwrap().iter().find(|f| f["url"] == *poison).unwrap();
    assert!(feed["why"].as_str().unwrap().starts_with("quarantined"), "{feed}");
    let wait = feed["next_poll"].as_i64().unwrap() - jiff::Timestamp::now().as_millisecond();
    assert!(wait > 23 * 3_600_000, "{feed}");
    place.run(["verify"]).good();
}

#[test]
fn an_end_that_nothing_on_the_web_caused_leaves_nothing_out() {
    let site = site();
    let place = place(&site);
    for n in [1, 2, 5] {
        let mut command = place.command(["run", "--once"]);
        command.env("CRAWLER_ABORT_AT", format!("main-commit:{n}"));
        assert_eq!(end(command.spawn().unwrap()).code, None);
    }
    place.run(["run", "--once"]).good();
    assert_eq!(outcomes(&place), [("article".to_owned(), 8)]);
    place.run(["verify"]).good();
}

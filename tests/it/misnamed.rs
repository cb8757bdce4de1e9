//! What somebody gains who names pages of another outlet, before they are there or long after: nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::process::{Place, end};
use crate::server::{Ask, Server, Step, answer};
use crate::web;

const HTML: &[&str] = &["Content-Type: text/html; charset=utf-8"];

fn page(seed: u64, date: &str) -> Vec<Step> {
    let page = web::html(seed, 0, 1, date);
    let undated = "property=\"article:published_time\" content=\"\"";
    answer("200 OK", HTML, page.replace(undated, ""))
}

fn items(links: &[String]) -> Vec<Step> {
    let item = |link: &String| {
        format!("<item><title>{link}</title><link>{}</link></item>", link.replace('&', "&amp;"))
    };
    web::rss(&links.iter().map(item).collect::<String>())
}

fn to(place: &str) -> Vec<Step> {
    answer("302 Found", &[&format!("Location: {place}")], "")
}

fn place(feeds: &[String]) -> Place {
    let mut place = Place::new();
    place.set("max_age=3650d");
    place.write("off", "0");
    place.watch(feeds.join("\n"), "Acme\n");
    place
}

/// `run --once`, so many hours after the first time.
fn crawl(place: &Place, hours: i64) {
    place.write("off", (hours * 3_600_000).to_string());
    let mut command = place.command(["run", "--once"]);
    command.env("CRAWLER_CLOCK", format!("1:{}", place.path("off").display()));
    end(command.spawn().unwrap()).good();
}

/// Articles and mentions of Acme of one outlet.
fn counted(place: &Place, server: &Server, outlet: usize) -> (u64, u64) {
    let days = ["--from", "2020-01-01", "--to", "2030-01-01", "--brand", "Acme"];
    let by = place.json([&["mentions", "--by", "outlet"][..], &days].concat());
    let address = server.addresses[outlet].to_string();
    let lines = by["lines"].as_array().unwrap().iter();
    let of = lines.filter(|line| line["bucket"] == address.as_str());
    of.map(|line| (line["articles"].as_u64().unwrap(), line["mentions"].as_u64().unwrap()))
        .fold((0, 0), |sum, line| (sum.0 + line.0, sum.1 + line.1))
}

/// The first requests are answered by 403, as hosts do that limit the rate of requests: these were lost for good.
#[test]
fn what_is_forbidden_for_a_while_is_asked_for_again() {
    static STAGE: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(1, |addresses| {
        let home = format!("http://{}", addresses[0]);
        move |ask: &Ask| match ask.path.strip_suffix(".html").map(|name| name[1..].parse()) {
            Some(Ok(n)) if STAGE.load(Ordering::SeqCst) > 0 => page(n, "2026-11-10T08:00:00Z"),
            Some(_) => answer("403 Forbidden", &[], "not now"),
            None if ask.path == "/feed.xml" => {
                items(&(0..3).map(|n| format!("{home}/{n}.html")).collect::<Vec<_>>())
            }
            None => answer("404 Not Found", &[], ""),
        }
    });
    let place = place(&[server.url(0, "/feed.xml")]);
    crawl(&place, 0);
    assert_eq!(counted(&place, &server, 0), (0, 0));
    STAGE.store(1, Ordering::SeqCst);
    crawl(&place, 1);
    assert_eq!(counted(&place, &server, 0), (3, 3));
    place.run(["verify"]).good();
}

/// Outlet 0 leads to its front page where nothing is yet, and its feed goes through addresses that lead on. Outlet 1 names
/// what comes next before it does.
#[test]
fn what_was_named_too_early_is_asked_for_when_its_outlet_names_it() {
    static STAGE: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(2, |addresses| {
        let homes = [0, 1].map(|n| format!("http://{}", addresses[n]));
        move |ask: &Ask| {
            let later = STAGE.load(Ordering::SeqCst) > 0;
            let link = |path: &str| format!("{}{path}", homes[0]);
            match (ask.outlet, ask.path) {
                (_, "/robots.txt") => answer("404 Not Found", &[], ""),
                (0, "/feed.xml") => {
                    let mut own = vec![link("/1.html")];
                    own.extend(later.then(|| link("/2.html")));
                    own.extend(later.then(|| link("/?p=3")));
                    own.extend(later.then(|| link("/?p=4")));
                    items(&own)
                }
                (1, "/feed.xml") => {
                    let mut said: Vec<String> =
                        (0..5).map(|n| format!("{}/own-{n}.html", homes[1])).collect();
                    said.extend(["/", "/2.html", "/3.html", "/4.html"].map(link));
                    items(&said)
                }
                (0, "/1.html") => page(1, "2026-11-10T08:00:00Z"),
                (0, "/2.html") if later => page(2, "2026-11-11T08:00:00Z"),
                // Without a date, and not there before.
                (0, "/3.html") => page(3, ""),
                (0, "/4.html") if later => page(4, "2026-11-12T08:00:00Z"),
                (0, "/4.html") => answer("410 Gone", &[], ""),
                (0, "/?p=3") => to("/3.html"),
                (0, "/?p=4") => to("/4.html"),
                (0, "/") => page(9, ""),
                (0, _) => to("/"),
                (_, path) if path.starts_with("/own-") => {
                    page(50 + u64::from(path.as_bytes()[5]), "2026-11-10T08:00:00Z")
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let feeds = [0, 1].map(|n| server.url(n, "/feed.xml"));
    let named = place(&feeds);
    for hours in [0, 2, 30] {
        crawl(&named, hours);
    }
    STAGE.store(1, Ordering::SeqCst);
    crawl(&named, 40);
    let alone = place(&feeds[..1]);
    crawl(&alone, 40);
    assert_eq!(counted(&alone, &server, 0), (4, 4));
    assert_eq!(counted(&named, &server, 0), (4, 4));
    named.run(["verify"]).good();
}

/// The feed of outlet 0 lies at outlet 1, and its pages have no dates. A feed of outlet 2 leads to outlet 0.
#[test]
fn where_a_feed_of_others_leads_takes_no_voice() {
    static STAGE: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(3, |addresses| {
        let homes = [0, 1, 2].map(|n| format!("http://{}", addresses[n]));
        move |ask: &Ask| {
            let stage = STAGE.load(Ordering::SeqCst);
            match (ask.outlet, ask.path) {
                (1, "/feed.xml") => {
                    let links = (0..4 * (stage + 1)).map(|n| format!("{}/{n}.html", homes[0]));
                    items(&links.collect::<Vec<_>>())
                }
                (2, "/feed.xml") if stage > 0 => to(&format!("{}/anything", homes[0])),
                (2, "/feed.xml") => items(&[format!("{}/own.html", homes[2])]),
                (0, path) if path.ends_with(".html") => {
                    page(path[1..path.len() - 5].parse().unwrap(), "")
                }
                (2, "/own.html") => page(99, "2026-11-10T08:00:00Z"),
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let place = place(&[1, 2].map(|n| server.url(n, "/feed.xml")));
    for stage in 0..3 {
        STAGE.store(stage, Ordering::SeqCst);
        crawl(&place, 5 * stage as i64);
    }
    assert_eq!(counted(&place, &server, 0), (12, 12));
    place.run(["verify"]).good();
}

/// Two of many articles of outlet 0 tell the history of a company; outlet 1 names old pages that tell it, too.
#[test]
fn pages_that_others_choose_are_no_memory() {
    const HISTORY: &str = "<p>Acme, founded a century ago by two brothers from the harbour quarter, makes pumps and \
                           valves for water works and employs nine hundred people in the town, as it says.</p>";
    static STAGE: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(2, |addresses| {
        let homes = [0, 1].map(|n| format!("http://{}", addresses[n]));
        move |ask: &Ask| {
            let told = |seed, date: &str, history: bool| {
                let page = web::html(seed, 0, usize::MAX, date);
                let more = if history { HISTORY } else { "" };
                answer("200 OK", HTML, page.replace("</article>", &format!("{more}</article>")))
            };
            let number =
                |head: &str| ask.path.strip_prefix(head)?.strip_suffix(".html")?.parse().ok();
            match (ask.outlet, number("/news-"), number("/old-")) {
                (0, Some(n), _) => {
                    let day = if n < 12 { 10 } else { 11 };
                    told(n, &format!("2026-11-{day}T08:00:00Z"), matches!(n, 0 | 1 | 13))
                }
                (0, _, Some(n)) => told(500 + n, &format!("2024-03-{:02}T08:00:00Z", 1 + n), true),
                (0, ..) if ask.path == "/feed.xml" => {
                    let most = 12 + 2 * STAGE.load(Ordering::SeqCst);
                    let links = (0..most).map(|n| format!("{}/news-{n}.html", homes[0]));
                    items(&links.collect::<Vec<_>>())
                }
                (1, ..) if ask.path == "/feed.xml" => {
                    let own = (0..20).map(|n| format!("{}/own-{n}.html", homes[1]));
                    let old = (0..12).map(|n| format!("{}/old-{n}.html", homes[0]));
                    items(&own.chain(old).collect::<Vec<_>>())
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let place = place(&[0, 1].map(|n| server.url(n, "/feed.xml")));
    crawl(&place, 0);
    STAGE.store(1, Ordering::SeqCst);
    crawl(&place, 26);
    let day = ["--from", "2026-11-10", "--to", "2026-11-11", "--brand", "Acme"];
    let lines = place.json([&["mentions"][..], &day].concat())["lines"].clone();
    let of =
        |line: &Value| (line["articles"].as_u64().unwrap(), line["suppressed"].as_u64().unwrap());
    let found: Vec<_> = lines.as_array().unwrap().iter().map(of).collect();
    assert_eq!(found, [(2, 0), (1, 0)], "{lines}");
    place.run(["verify"]).good();
}

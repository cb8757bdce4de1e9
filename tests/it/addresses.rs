//! One article under many addresses: AMP and print versions, redirects, canonical links in pages and
//! headers, in whatever order they are met.

use std::collections::BTreeMap;

use crate::process::Place;
use crate::server::{Ask, Server, answer};
use crate::web;

/// Every address of the story, and another story.
const PATHS: [&str; 8] = [
    "/mobile/story.html",
    "/story.html?print=true",
    "/story/amp/",
    "/print/story",
    "/story.html",
    "/short",
    "/story.html;jsessionid=8F3A?utm_source=feed",
    "/other.html",
];

fn site(order: Vec<&'static str>) -> Server {
    Server::start(1, |addresses| {
        let here = addresses[0].to_string();
        move |ask: &Ask| {
            let html = "Content-Type: text/html; charset=utf-8";
            let canonical = format!("<link rel=\"canonical\" href=\"http://{here}/story.html\">");
            let page = |seed, head: &str| {
                web::html(seed, 0, 1, "2026-11-10T10:00:00Z")
                    .replace("</head>", &format!("{head}</head>"))
            };
            match ask.path {
                "/feed.xml" => {
                    let items: String = order
                        .iter()
                        .map(|path| {
                            format!("<item><title>T</title><link>http://{here}{path}</link></item>")
                        })
                        .collect();
                    crate::web::rss(&items)
                }
                "/other.html" => answer("200 OK", &[html], page(8, "")),
                "/short" => {
                    let location = format!("Location: http://{here}/story.html");
                    answer("301 Moved Permanently", &[&location], "")
                }
                "/print/story" => {
                    let link = format!("Link: <http://{here}/story.html>; rel=\"canonical\"");
                    answer("200 OK", &[html, &link], page(7, ""))
                }
                "/robots.txt" => answer("404 Not Found", &[], ""),
                _ => answer("200 OK", &[html], page(7, &canonical)),
            }
        }
    })
}

#[test]
fn one_article_under_many_addresses_is_one() {
    let mut order = PATHS.to_vec();
    for _ in 0..3 {
        let site = site(order.clone());
        let place = Place::new();
        place.write("feeds.txt", site.url(0, "/feed.xml"));
        place.run(["seed", "feeds.txt"]).good();
        place.run(["run", "--once"]).good();
        let status = place.json(["status"]);
        let outcomes: BTreeMap<String, u64> =
            serde_json::from_value(status["outcomes"].clone()).unwrap();
        assert_eq!(outcomes.get("article"), Some(&2), "{order:?}: {outcomes:?}");
        assert_eq!(outcomes.get("known"), status["entries"].as_u64().map(|n| n - 2).as_ref());
        place.run(["verify"]).good();
        order.rotate_left(3);
    }
}

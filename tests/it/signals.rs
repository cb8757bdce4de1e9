//! What publishers reserve: recorded by default, obeyed by setting.

use serde_json::Value;

use crate::process::Place;
use crate::server::{Ask, Server, answer};
use crate::web;

fn site() -> Server {
    Server::start(1, |addresses| {
        let here = addresses[0].to_string();
        move |ask: &Ask| {
            let html = "Content-Type: text/html; charset=utf-8";
            let page = |seed, head: &str| {
                web::html(seed, 0, 1, "2026-11-10T10:00:00Z")
                    .replace("</head>", &format!("{head}</head>"))
            };
            match ask.path {
                "/feed.xml" => {
                    let items: String = ["open", "index", "archive", "tdm", "others"]
                        .iter()
                        .map(|name| format!("<item><link>http://{here}/{name}.html</link></item>"))
                        .collect();
                    let feed = format!("<rss version=\"2.0\"><channel>{items}</channel></rss>");
                    answer("200 OK", &["Content-Type: application/rss+xml"], feed)
                }
                "/open.html" => answer("200 OK", &[html], page(1, "")),
                "/index.html" => {
                    answer("200 OK", &[html], page(2, "<meta name=robots content=noindex>"))
                }
                "/archive.html" => {
                    answer("200 OK", &[html, "X-Robots-Tag: crawler: noarchive"], page(3, ""))
                }
                "/tdm.html" => answer("200 OK", &[html, "TDM-Reservation: 1"], page(4, "")),
                "/others.html" => {
                    answer("200 OK", &[html, "X-Robots-Tag: otherbot: noindex"], page(5, ""))
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    })
}

/// Articles by the name of their page: characters of text, counted mentions of Acme.
fn crawled(site: &Server, signals: &str) -> (Place, Vec<(String, u64, u64)>) {
    let mut place = Place::new();
    place.set(&format!("signals=\"{signals}\""));
    place.write("feeds.txt", site.url(0, "/feed.xml"));
    place.write("brands.txt", "Acme\n");
    place.run(["seed", "feeds.txt"]).good();
    place.run(["brands", "import", "brands.txt"]).good();
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
    let articles: Vec<Value> = serde_json::from_value(place.json(["articles"])).unwrap();
    let mut lines: Vec<_> = articles
        .iter()
        .map(|article| {
            let name = article["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let mentions = article["mentions"]["Acme"].as_u64().unwrap_or(0);
            (name, article["characters"].as_u64().unwrap(), mentions)
        })
        .collect();
    lines.sort();
    (place, lines)
}

#[test]
fn what_is_reserved_is_recorded_or_obeyed() {
    let site = site();
    let (place, recorded) = crawled(&site, "record");
    assert_eq!(recorded.len(), 5, "{recorded:?}");
    assert!(recorded.iter().all(|(_, characters, mentions)| *characters > 0 && *mentions == 1));
    let mut signals: Vec<String> = Vec::new();
    for article in place.json(["articles"]).as_array().unwrap() {
        let shown = place.json(["show", article["key"].as_str().unwrap()]);
        let of: Vec<String> =
            serde_json::from_value(shown["record"]["article"]["signals"].clone()).unwrap();
        signals.extend(of);
    }
    signals.sort();
    assert_eq!(
        signals,
        [
            "noindex",
            "tdm-reservation=1",
            "x-robots-tag: crawler: noarchive",
            "x-robots-tag: otherbot: noindex"
        ]
    );

    let (place, obeyed) = crawled(&site, "obey");
    let names: Vec<&str> = obeyed.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["archive.html", "open.html", "others.html", "tdm.html"]);
    for (name, characters, mentions) in &obeyed {
        assert_eq!(*mentions, 1, "{name} is counted");
        let kept = !matches!(name.as_str(), "archive.html" | "tdm.html");
        assert_eq!(*characters > 0, kept, "{name}");
    }
    assert_eq!(place.json(["status"])["outcomes"]["not an article"], 1);

    // A text that is reserved is in no export and in no index.
    let kept = ["open.html", "others.html"];
    let name = |line: &Value| -> String {
        line["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    };
    let exported = place.run(["export", "--table", "articles"]).good();
    let exported: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(exported.len(), 4);
    for line in &exported {
        let text = line["text"].as_str().unwrap_or_default();
        assert_eq!(!text.is_empty(), kept.contains(&name(line).as_str()), "{line}");
    }
    if cfg!(feature = "search") {
        let found = place.json(["search", "Acme", "--limit", "50"]);
        let mut found: Vec<String> = found["hits"].as_array().unwrap().iter().map(name).collect();
        found.sort();
        assert_eq!(found, kept);
    }
}

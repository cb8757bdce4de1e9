//! What publishers reserve: recorded by default, obeyed by setting.

use serde_json::Value;

use crate::process::Place;
use crate::server::Server;
use crate::web;

fn site() -> Server {
    let page = |seed, head: &str| {
        web::html(seed, 0, 1, "2026-11-10T10:00:00Z").replace("</head>", &format!("{head}</head>"))
    };
    web::paper(vec![
        ("open", &[], page(1, "")),
        ("index", &[], page(2, "<meta name=robots content=noindex>")),
        ("archive", &["X-Robots-Tag: crawler: noarchive"], page(3, "")),
        ("tdm", &["TDM-Reservation: 1"], page(4, "")),
        ("others", &["X-Robots-Tag: otherbot: noindex"], page(5, "")),
    ])
}

/// Articles by the name of their page: characters of text, counted mentions of Acme.
fn crawled(site: &Server, signals: &str) -> (Place, Vec<(String, u64, u64)>) {
    let mut place = Place::new();
    place.set(&format!("signals=\"{signals}\""));
    place.watch(site.url(0, "/feed.xml"), "Acme\n");
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

/// A reserved text was kept all the same, in the archive. What is left of the answer is no page to replay.
#[test]
fn what_is_reserved_is_in_no_archive() {
    use std::io::Read;
    let site = site();
    let mut place = Place::new();
    place.set("signals=\"obey\"");
    place.set("archive.dir=archive");
    place.watch(site.url(0, "/feed.xml"), "Acme\n");
    place.run(["run", "--once"]).good();
    let mut kept = String::new();
    for file in std::fs::read_dir(place.path("archive")).unwrap() {
        let file = std::fs::File::open(file.unwrap().path()).unwrap();
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut kept).unwrap();
    }
    let answers = kept.split("WARC-Type: response").skip(1);
    let answers: Vec<(&str, &str)> = answers
        .map(|answer| {
            let uri = answer.split("WARC-Target-URI: ").nth(1).unwrap().lines().next().unwrap();
            let body = answer.split("\r\n\r\n").nth(2).unwrap();
            (uri.rsplit('/').next().unwrap(), body)
        })
        .collect();
    assert_eq!(answers.len(), 5);
    for (name, body) in answers {
        let free = ["open.html", "others.html"].contains(&name);
        assert_eq!(body.contains("<p>"), free, "{name}: {body}");
    }
    let replayed = place.json(["replay", "archive"]);
    assert_eq!(replayed["pages"], 2, "{replayed}");
    assert_eq!((&replayed["same"], &replayed["lost"]), (&2.into(), &0.into()), "{replayed}");
}

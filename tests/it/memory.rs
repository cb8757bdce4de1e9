//! The memory of an outlet from outside, over two days: what it prints in many of its stories counts on
//! the first day, and is shown as left out on the second; copies and follow-ups keep their text; kills
//! and another store change nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;

use crate::process::{Ended, Place, end};
use crate::scratch::Scratch;
use crate::server::{Ask, Server, answer};
use crate::web;

/// Printed in every article, and names a brand.
const NOTE: &str = "The Harbour Foundation and Zenith have carried the work of this newsroom since the \
                    paper was sold by the family that had owned it for longer than anybody recalls.";
/// Repeated in every article of one running story, and names another brand.
const BACKGROUND: [&str; 2] = [
    "The strike at the Acme yard began in the spring, when the owners said that nights would be paid \
     like days from then on and that whoever did not like it was free to go and look for work along \
     the coast, where no yard had hired anybody for years.",
    "Three rounds of talks have failed since, the last of them in the week before the holidays, after \
     which Acme closed the canteen and the bus line, and the town council offered both sides the old \
     school as a neutral place that nobody has entered yet.",
];

/// Articles by path; those of the second day are listed from then on.
fn pages() -> Vec<(String, bool, String)> {
    let page = |seed: u64, more: &[&str]| {
        let more: String = more.iter().map(|text| format!("<p>{text}</p>")).collect();
        let html = web::html(seed, 0, usize::MAX, "2026-11-10T08:00:00Z");
        html.replace("</article>", &format!("{more}</article>"))
    };
    let mut pages = Vec::new();
    for n in 0..7 {
        pages.push((format!("/news-{n}.html"), n > 4, page(100 + n, &[NOTE])));
    }
    for n in 0..3 {
        // Under titles of their own, else they would be one article under three addresses.
        let edition = page(200, &[NOTE]).replace("</title>", &format!(" {n}</title>"));
        let edition = edition.replace("</h1>", &format!(" {n}</h1>"));
        pages.push((format!("/copy-{n}.html"), n > 1, edition));
    }
    for n in 0..4 {
        let more = [BACKGROUND[0], BACKGROUND[1], NOTE];
        pages.push((format!("/strike-{n}.html"), n > 2, page(300 + n, &more)));
    }
    pages
}

/// One outlet; the switch begins its second day.
fn outlet() -> (Server, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(false));
    let second = switch.clone();
    let server = Server::start(1, |addresses| {
        let address = addresses[0];
        move |ask: &Ask| {
            let html = &["Content-Type: text/html; charset=utf-8"];
            let second = second.load(Ordering::SeqCst);
            if ask.path == "/feed.xml" {
                let mut items = String::new();
                for (path, _, _) in pages().iter().filter(|(_, late, _)| second || !late) {
                    let link = format!("http://{address}{path}");
                    let _ = write!(items, "<item><title>{path}</title><link>{link}</link></item>");
                }
                return crate::web::rss(&items);
            }
            match pages().into_iter().find(|(path, _, _)| path == ask.path) {
                Some((_, _, page)) => answer("200 OK", html, page),
                None => answer("404 Not Found", html, ""),
            }
        }
    });
    (server, switch)
}

fn place(server: &Server, settings: &[&str]) -> Place {
    let mut place = Place::new();
    settings.iter().for_each(|setting| place.set(setting));
    place.write("off", "0");
    place.watch(server.url(0, "/feed.xml"), "Acme\nZenith\n");
    place
}

/// `run --once`, so many hours after the first time; `abort`: it dies there.
fn crawl(place: &Place, hours: i64, abort: Option<&str>) -> Ended {
    place.write("off", (hours * 3_600_000).to_string());
    let mut command = place.command(["run", "--once"]);
    command.env("CRAWLER_CLOCK", format!("1:{}", place.path("off").display()));
    if let Some(at) = abort {
        command.env("CRAWLER_ABORT_AT", at);
    }
    end(command.spawn().unwrap())
}

/// Every article by its path, as it is exported, which must be the same everywhere.
fn articles(place: &Place) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for line in place.run(["export", "--jsonl"]).good().lines() {
        let mut article: Value = serde_json::from_str(line).unwrap();
        // A story is named after whichever of its members came first.
        article["story"] = Value::Null;
        // Each of these crawls began when it did.
        article["first_seen"] = Value::Null;
        let url = article["final_url"].as_str().unwrap();
        let path = url[url.rfind('/').unwrap()..].to_owned();
        assert!(found.insert(path, article).is_none(), "twice: {line}");
    }
    found
}

/// Counted and not counted.
fn of(article: &Value, brand: &str) -> (u64, u64) {
    let count = |kind: &str| article["mentions"][brand][kind].as_u64().unwrap_or(0);
    (count("counted"), count("suppressed"))
}

#[test]
fn what_an_outlet_always_prints_counts_on_the_first_day_only() {
    let (server, second) = outlet();
    let scratch = Scratch::start();
    let database = scratch.database("memory");
    let shared = format!("store={database}");
    let calm = place(&server, &["archive.dir=archive"]);
    let killed = place(&server, &[]);
    let in_database = place(&server, &[&shared]);
    let without = place(&server, &["site_memory=false"]);
    let first_day = |place: &Place| crawl(place, 0, None);
    for place in [&calm, &in_database, &without] {
        first_day(place).good();
    }
    assert_eq!(crawl(&killed, 0, Some("main-begin:6")).code, None);
    first_day(&killed).good();
    for (path, article) in articles(&calm) {
        assert_eq!(of(&article, "Zenith"), (1, 0), "{path}");
        assert_eq!(article["memory"], Value::Null);
    }

    second.store(true, Ordering::SeqCst);
    // The day is over, but not for an hour: then its pages count for the memory.
    let next_day = |place: &Place| crawl(place, 26, None);
    for place in [&calm, &without] {
        next_day(place).good();
    }
    // Who shares a database goes by its clock: the first day is moved there.
    let mut sql = postgres::Client::connect(&database, postgres::NoTls).unwrap();
    sql.batch_execute("UPDATE crawler_data.printed SET day = day - 2").unwrap();
    first_day(&in_database).good();
    assert_eq!(crawl(&killed, 26, Some("main-begin:4")).code, None);
    next_day(&killed).good();
    let found = articles(&calm);
    assert_eq!(found.len(), pages().len());
    for (path, late, _) in pages() {
        let article = &found[&path];
        assert_eq!(of(article, "Zenith"), if late { (0, 1) } else { (1, 0) }, "{path}");
        let strike = path.starts_with("/strike");
        assert_eq!(of(article, "Acme"), (if strike { 2 } else { 0 }, 0), "{path}");
        let text = article["text"].as_str().unwrap();
        assert_eq!(text.contains("Harbour Foundation"), !late, "{path}");
        let paragraphs = 6 + usize::from(!late) + if strike { 2 } else { 0 };
        assert_eq!(text.lines().count(), paragraphs, "{path}");
        assert_eq!(article["memory"].is_string(), late, "{path}");
    }
    for other in [&killed, &in_database] {
        assert_eq!(articles(other), found);
        other.run(["verify"]).good();
    }
    for (path, article) in articles(&without) {
        assert_eq!(of(&article, "Zenith"), (1, 0), "{path}");
    }
    shown_and_replayed(&calm);
}

/// A person sees what was left out and why; a replay reads with the same memory while it can be made.
fn shown_and_replayed(place: &Place) {
    let lines = place.json(["articles"]);
    let lines = lines.as_array().unwrap();
    let ending = |name: &str| {
        let line = lines.iter().find(|line| line["url"].as_str().unwrap().ends_with(name));
        line.unwrap()["key"].as_str().unwrap().to_owned()
    };
    let shown = place.run(["show", &ending("/news-6.html")]).good();
    assert!(shown.contains("printed on other pages of this outlet"), "{shown}");
    assert!(shown.contains("10 read before"), "{shown}");
    let row = shown.lines().find(|line| line.contains("Harbour Foundation and")).unwrap();
    assert!(row.contains("repeated") && row.contains("no"), "{row}");
    let blocks = place.run(["show", &ending("/news-6.html"), "--blocks"]).good();
    let block = blocks.lines().find(|line| line.contains("The Harbour Foundation")).unwrap();
    let words: Vec<&str> = block.split_whitespace().take(2).collect();
    assert_eq!(words, ["repeated", "repeated"], "label and zone: {block}");

    let replay = |same: u64, without: u64| {
        let answer = place.json(["replay"]);
        assert_eq!(answer["without_memory"], without, "{answer}");
        assert_eq!((&answer["same"], &answer["changed"]), (&same.into(), &without.into()));
    };
    let all = pages().len() as u64;
    replay(all, 0);
    // Counted again, it is the same.
    let counts = place.json(["mentions"])["lines"].clone();
    place.run(["brands", "add", "Nobody"]).good();
    assert_eq!(place.json(["mentions"])["lines"], counts);
    std::fs::write(place.path("data/main/rows.redb"), b"not a database").unwrap();
    place.run(["repair"]).good();
    place.run(["verify"]).good();
    assert_eq!(place.json(["mentions"])["lines"], counts);
    replay(all, 0);
    for n in 0..5 {
        let url = format!("/news-{n}.html");
        place.run(["forget", &ending(&url)]).good();
    }
    replay(all - 9, 4);
    let said = place.run(["replay"]).good();
    assert!(said.contains("4 pages had been read with a memory"), "{said}");
}

/// Outlet 1 names what outlet 0 prints before that one lists it: the pages of the first day at stage 1 and 2, those of
/// the second at 3 and 4.
fn named_first() -> (Server, Arc<AtomicUsize>) {
    let stage = Arc::new(AtomicUsize::new(1));
    let now = stage.clone();
    let server = Server::start(2, |addresses| {
        let home = addresses[0];
        move |ask: &Ask| {
            let stage = now.load(Ordering::SeqCst) + ask.outlet;
            if ask.path == "/feed.xml" {
                let listed =
                    pages().into_iter().filter(|(_, late, _)| stage >= 2 + 2 * usize::from(*late));
                let item = |(path, ..): (String, bool, String)| {
                    format!("<item><link>http://{home}{path}</link></item>")
                };
                return crate::web::rss(&listed.map(item).collect::<String>());
            }
            let html = &["Content-Type: text/html; charset=utf-8"];
            match pages().into_iter().find(|(path, ..)| path == ask.path && ask.outlet == 0) {
                Some((_, _, page)) => answer("200 OK", html, page),
                None => answer("404 Not Found", html, ""),
            }
        }
    });
    (server, stage)
}

/// Of what others had named first nothing was remembered, also when its outlet listed it minutes later: who named all of
/// an outlet's articles switched off its memory.
#[test]
fn what_others_name_first_is_remembered_once_its_outlet_lists_it() {
    let scratch = Scratch::start();
    let database = scratch.database("named");
    let shared = format!("store={database}");
    for (settings, in_database) in [(&[][..], false), (&[shared.as_str()][..], true)] {
        let (server, stage) = named_first();
        let place = place(&server, settings);
        place.watch([0, 1].map(|n| server.url(n, "/feed.xml") + "\n").concat(), "Acme\nZenith\n");
        for (now, hours) in [(1, 0), (2, 0), (3, 26), (4, 26)] {
            stage.store(now, Ordering::SeqCst);
            if in_database && now == 3 {
                // Who shares a database goes by its clock: the first day is moved there.
                let mut sql = postgres::Client::connect(&database, postgres::NoTls).unwrap();
                sql.batch_execute("UPDATE crawler_data.printed SET day = day - 2").unwrap();
            }
            crawl(&place, if in_database { 0 } else { hours }, None).good();
        }
        let found = articles(&place);
        assert_eq!(found.len(), pages().len());
        for (path, late, _) in pages() {
            let expect = if late { (0, 1) } else { (1, 0) };
            assert_eq!(of(&found[&path], "Zenith"), expect, "{path}");
        }
        place.run(["verify"]).good();
    }
}

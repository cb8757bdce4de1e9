//! One article under many addresses: AMP and print versions, redirects, canonical links in pages and
//! headers, in whatever order they are met.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crawler::frontier::address;
use serde_json::{Value, json};

use crate::process::Place;
use crate::scratch::Scratch;
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

/// A page of outlet 0: its path, the seed of its text, and the address that it names as its own.
type Page = (&'static str, u64, &'static str);

/// What the outlet lists from the beginning …
const FIRST: [Page; 10] = [
    ("/n/wrong", 11, "/n/a"),
    ("/print/view", 12, "/n/b"),
    ("/mobile/view", 12, "/n/b"),
    ("/n/wrong-again", 14, "/n/there"),
    ("/n/there", 15, "/n/there"),
    ("/n/to-forget", 16, "/n/f"),
    ("/n/to-forget-too", 17, "/n/g"),
    ("/amp/h", 18, "/n/h"),
    ("/section/", 41, "/section/"),
    ("/view.php?nr=1", 42, "/view.php"),
];
/// … what only others list …
const OTHERS: [Page; 3] =
    [("/blog/1", 21, "/n/c"), ("/blog/2", 22, "/n/d"), ("/amp-view/e", 23, "/n/e")];
/// … and what it lists later.
const LATER: [Page; 10] = [
    ("/n/a", 31, "/n/a"),
    ("/n/b", 12, "/n/b"),
    ("/n/c", 32, "/n/c"),
    ("/n/d", 33, "/n/d"),
    ("/n/e", 23, "/n/e"),
    ("/n/f", 16, "/n/f"),
    ("/print/g", 17, "/n/g"),
    ("/print/h", 18, "/n/h"),
    ("/section/below", 43, "/section/"),
    ("/view.php?nr=2", 44, "/view.php"),
];

/// Outlet 0 has these pages, and outlet 1 names some of them; the switch has the outlet list the later ones.
fn misnamed() -> (Server, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(false));
    let later = switch.clone();
    let server = Server::start(2, |addresses| {
        let home = format!("http://{}", addresses[0]);
        move |ask: &Ask| {
            let lists = |pages: &[Page]| {
                let item = |(path, ..): &Page| format!("<item><link>{home}{path}</link></item>");
                pages.iter().map(item).collect::<String>()
            };
            match (ask.outlet, ask.path) {
                (0, "/feed.xml") if later.load(Ordering::SeqCst) => {
                    crate::web::rss(&lists(&[FIRST, LATER].concat()))
                }
                (0, "/feed.xml") => crate::web::rss(&lists(&FIRST)),
                (1, "/feed.xml") => crate::web::rss(&lists(&OTHERS)),
                (0, path) => {
                    let pages = FIRST.iter().chain(&OTHERS).chain(&LATER);
                    let Some((_, seed, named)) = pages.clone().find(|page| page.0 == path) else {
                        return answer("404 Not Found", &[], "");
                    };
                    let head = format!("<link rel=\"canonical\" href=\"{home}{named}\"></head>");
                    let mut page = web::html(*seed, 0, 1, "2026-11-10T10:00:00Z");
                    page = page.replace("</head>", &head);
                    // Views of the outlet's own show less: they are no copies.
                    if path.ends_with("/view") {
                        let lines: Vec<&str> = page.split_inclusive("</p>\n").collect();
                        page = lines[..3].concat() + lines[lines.len() - 1];
                    }
                    answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    (server, switch)
}

/// Whatever a page named as its original was never asked for afterwards, whatever it said: one wrong link, also on a page
/// that only others had named, and the article was lost.
#[test]
fn an_address_that_a_page_names_is_known_by_what_stands_there() {
    let scratch = Scratch::start();
    let database = format!("store={}", scratch.database("misnamed"));
    for store in [None, Some(&database)] {
        let (site, later) = misnamed();
        let mut place = Place::new();
        store.into_iter().for_each(|store| place.set(store));
        let feeds = [0, 1].map(|outlet| site.url(outlet, "/feed.xml") + "\n").concat();
        place.watch(feeds, "Acme\n");
        place.run(["run", "--once"]).good();
        let key = address(&site.url(0, "/n/h"), None).unwrap().key.to_string();
        assert_eq!(place.json(["show", &key])["record"]["url"], site.url(0, "/amp/h"));
        // The last of them is the address that a page has named, and nobody has read.
        let forgotten =
            ["/blog/2", "/n/to-forget", "/n/to-forget-too", "/section/", "/view.php?nr=1", "/n/h"];
        for path in forgotten {
            let gone = place.json(["forget", &site.url(0, path)]);
            assert_eq!((&gone["articles"], &gone["entries"]), (&json!(1), &json!(1)), "{gone}");
        }
        let again = place.json(["forget", &site.url(0, "/n/h")]);
        assert_eq!((&again["articles"], &again["entries"]), (&json!(0), &json!(0)), "{again}");
        let after = place.run(["show", &key]);
        assert_ne!(after.code, Some(0), "{}", after.out);
        later.store(true, Ordering::SeqCst);
        place.run(["run", "--once"]).good();
        let paths = || -> BTreeSet<String> {
            let articles = place.json(["articles"]);
            let paths = articles.as_array().unwrap().iter().map(|article: &Value| {
                let url = article["url"].as_str().unwrap();
                url.strip_prefix(&site.url(0, "")).unwrap().to_owned()
            });
            paths.collect()
        };
        let all = paths();
        let mut rest = all.clone();
        let views = ["/print/view", "/mobile/view"];
        assert_eq!(views.iter().filter(|view| rest.remove(**view)).count(), 1, "{all:?}");
        let expected = [
            "/amp-view/e",
            "/blog/1",
            "/n/a",
            "/n/c",
            "/n/d",
            "/n/there",
            "/n/wrong",
            "/n/wrong-again",
            "/section/below",
            "/view.php?nr=2",
        ];
        assert_eq!(rest.iter().collect::<Vec<_>>(), expected);
        let outcomes = place.json(["status"])["outcomes"].clone();
        let count = |name: &str| outcomes[name].as_u64().unwrap_or(0);
        // What the operator has forgotten does not come back under the address that its page named, nor under another
        // that names the same.
        assert_eq!(
            (count("article"), count("known"), count("forgotten")),
            (11, 3, 10),
            "{outcomes}"
        );
        place.run(["verify"]).good();
        if store.is_some() {
            continue;
        }
        // A repair took articles whose address another one had named, wrongly, for that one.
        for file in std::fs::read_dir(place.path("data/main")).unwrap() {
            std::fs::write(file.unwrap().path(), b"not a database").unwrap();
        }
        place.run(["repair"]).good();
        assert_eq!(paths(), all);
    }
}

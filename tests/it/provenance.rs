//! What one outlet's feeds may do to another outlet, seen from outside: nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use serde_json::Value;

use crate::process::Place;
use crate::server::{Ask, Server, answer};
use crate::web;

static PUBLISHED: AtomicBool = AtomicBool::new(false);

const XML: &[&str] = &["Content-Type: application/rss+xml"];

/// A feed whose items have these links and dates.
fn rss(items: &[(String, &str)]) -> String {
    let items: String = items
        .iter()
        .map(|(link, date)| {
            let date =
                if date.is_empty() { String::new() } else { format!("<pubDate>{date}</pubDate>") };
            format!(
                "<item><title>Heard of</title><link>{}</link>{date}</item>",
                link.replace('&', "&amp;")
            )
        })
        .collect();
    format!("<rss version=\"2.0\"><channel><title>F</title>{items}</channel></rss>")
}

/// Outlet 0 has four stories; outlet 1 lists them before it does: with an old date, before they are
/// there, and with a parameter that robots.txt forbids.
fn site() -> Server {
    Server::start(2, |addresses| {
        let (home, far) = (format!("http://{}", addresses[0]), addresses[1]);
        move |ask: &Ask| {
            let link = |path: &str| format!("{home}{path}");
            match (ask.outlet, ask.path) {
                (0, "/robots.txt") => {
                    let rules = "User-agent: *\nDisallow: /*utm_source=\n";
                    answer("200 OK", &["Content-Type: text/plain"], rules)
                }
                (_, "/robots.txt") => answer("404 Not Found", &[], ""),
                (0, "/feed.xml") => {
                    let own = [1, 2, 3, 4].map(|n| (link(&format!("/story-{n}.html")), ""));
                    answer("200 OK", XML, rss(&own))
                }
                (1, "/feed.xml") => {
                    let old = "Mon, 05 Jan 2015 08:00:00 GMT";
                    // Mostly its own, so that it does not speak for the other.
                    let own = (0..5).map(|n| (format!("http://{far}/{n}.html"), ""));
                    let mut said: Vec<_> = own.collect();
                    said.extend([
                        (link("/story-1.html"), old),
                        (link("/story-2.html"), old),
                        (link("/story-3.html"), ""),
                        (link("/story-4.html?utm_source=far"), ""),
                    ]);
                    answer("200 OK", XML, rss(&said))
                }
                (0, path) if path.starts_with("/story-") => {
                    if !PUBLISHED.load(Ordering::SeqCst) {
                        return answer("404 Not Found", &[], "");
                    }
                    let seed = u64::from(path.as_bytes().get(7).copied().unwrap_or_default());
                    let page = web::html(seed, 0, 1, "2026-11-12T08:00:00Z");
                    answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    })
}

fn counted(place: &Place) -> Value {
    let args = ["mentions", "--brand", "Acme", "--from", "2026-11-01", "--to", "2026-11-30"];
    place.json(args)["lines"].clone()
}

#[test]
fn what_another_outlet_says_of_an_entry_ends_nothing() {
    let site = site();
    let place = || {
        let mut place = Place::new();
        place.set("max_age=3650d");
        place.write("brands.txt", "Acme\n");
        place.run(["brands", "import", "brands.txt"]).good();
        place
    };
    let attacked = place();
    attacked.run(["seed", &site.url(1, "/feed.xml")]).good();
    attacked.run(["run", "--once"]).good();
    PUBLISHED.store(true, Ordering::SeqCst);
    attacked.run(["seed", &site.url(0, "/feed.xml")]).good();
    attacked.run(["run", "--once"]).good();
    let alone = place();
    alone.run(["seed", &site.url(0, "/feed.xml")]).good();
    alone.run(["run", "--once"]).good();
    assert_eq!(counted(&attacked), counted(&alone));
    let articles = |place: &Place| place.json(["articles"]).as_array().unwrap().len();
    assert_eq!((articles(&attacked), articles(&alone)), (4, 4));
    let asked: Vec<String> = site.hits().into_iter().map(|hit| hit.path).collect();
    assert!(!asked.iter().any(|path| path.contains("utm_source")), "{asked:?}");
    attacked.run(["verify"]).good();
}

/// How far the web below has come.
static STAGE: AtomicU64 = AtomicU64::new(0);

/// An instant so many hours ago, as pages print it.
fn printed(hours_ago: i64) -> String {
    let at = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(hours_ago);
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Outlet 0 publishes a story at stage 1; at stage 2 outlet 1 copies it, dated six days back.
fn back_dated() -> Server {
    Server::start(2, |addresses| {
        let homes = [0, 1].map(|n| format!("http://{}", addresses[n]));
        move |ask: &Ask| {
            let stage = STAGE.load(Ordering::SeqCst);
            let there = stage > ask.outlet as u64;
            let link = |path: &str| format!("{}{path}", homes[ask.outlet]);
            let page = |seed, hours| {
                let page = web::html(seed, ask.outlet, 1, &printed(hours));
                answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
            };
            match ask.path {
                "/feed.xml" => {
                    let mut items = vec![(link("/first.html"), "")];
                    items.extend(there.then(|| (link("/story.html"), "")));
                    answer("200 OK", XML, rss(&items))
                }
                "/first.html" => page(10 + ask.outlet as u64, 5),
                "/story.html" if there => page(7, if ask.outlet == 1 { 6 * 24 } else { 1 }),
                _ => answer("404 Not Found", &[], ""),
            }
        }
    })
}

#[test]
fn a_copy_that_is_dated_back_takes_no_story_over() {
    let site = back_dated();
    let mut place = Place::new();
    place.set("max_age=3650d");
    place.write("brands.txt", "Acme\n");
    place.run(["brands", "import", "brands.txt"]).good();
    place.run(["seed", &site.url(0, "/feed.xml")]).good();
    place.run(["seed", &site.url(1, "/feed.xml")]).good();
    let stories = |place: &Place| {
        let days = place.json(["mentions"])["lines"].clone();
        let of = |line: &Value| (line["bucket"].clone(), line["stories"].clone());
        let days = days.as_array().unwrap().iter().map(of);
        days.filter(|(_, n)| *n != 0).collect::<Vec<_>>()
    };
    let mut before = Vec::new();
    for stage in 0..3 {
        STAGE.store(stage, Ordering::SeqCst);
        before = if stage == 2 { stories(&place) } else { before };
        place.run(["run", "--once"]).good();
    }
    let articles = place.json(["articles"]);
    let articles: Vec<&Value> =
        articles.as_array().unwrap().iter().filter(|a| a["copies"] == 1).collect();
    assert_eq!(articles.len(), 2, "{articles:?}");
    for article in articles {
        let own = article["url"].as_str().unwrap().starts_with(&site.url(0, "/"));
        let expect = if own { "corroborated" } else { "contradicted" };
        assert_eq!((&article["original"], &article["sighting"]), (&own.into(), &expect.into()));
        let shown = place.run(["show", article["key"].as_str().unwrap()]).good();
        assert_eq!(shown.contains("contradicted"), !own, "{shown}");
    }
    assert_eq!(stories(&place), before, "the story counts on its day");
    place.run(["verify"]).good();
}

#[test]
fn sitemaps_that_bring_sitemaps_end_at_a_bound() {
    // Every address of outlet 0 is an index of others, the seeded one of more than the bound, some of them at outlet 1.
    let site = Server::start(2, |addresses| {
        let (here, there) = (addresses[0].to_string(), addresses[1].to_string());
        move |ask: &Ask| {
            if ask.path == "/robots.txt" {
                return answer("404 Not Found", &[], "");
            }
            let others = if ask.path == "/sitemap.xml" { 1_000 } else { 100 };
            let listed: String = (0..others)
                .map(|n| {
                    let host = if n % 10 == 0 { &there } else { &here };
                    format!("<sitemap><loc>http://{host}{}/{n}</loc></sitemap>", ask.path)
                })
                .collect();
            let index = format!(
                "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{listed}</sitemapindex>"
            );
            answer("200 OK", &["Content-Type: application/xml"], index)
        }
    });
    let place = Place::new();
    let index = site.url(0, "/sitemap.xml");
    place.run(["seed", &index]).good();
    for _ in 0..2 {
        place.run(["run", "--once"]).good();
    }
    let feeds = place.json(["feeds"]);
    let feeds = feeds.as_array().unwrap();
    assert_eq!(feeds.len(), 501);
    let outlet = feeds[0]["outlet"].as_str().unwrap().to_owned();
    assert!(feeds.iter().all(|feed| feed["outlet"] == outlet.as_str()));
    assert!(site.hits().iter().all(|hit| hit.outlet == 0), "nobody seeded the other");
    let why = place.run(["status", "--why", &outlet]).good();
    assert!(why.contains("500 sitemaps that it lists are not followed"), "{why}");
    place.run(["feeds", "rm", &index]).good();
    assert_eq!(place.json(["feeds"]).as_array().unwrap().len(), 0);
    place.run(["verify"]).good();
}

/// An index was followed from its front: of one that lists its archive first the sitemap of the day was never read.
#[test]
fn the_newest_sitemaps_of_an_index_are_read_first() {
    let site = Server::start(1, |addresses| {
        let home = format!("http://{}", addresses[0]);
        move |ask: &Ask| {
            let urls = |inner: String| {
                let root = "<urlset xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\">";
                answer(
                    "200 OK",
                    &["Content-Type: application/xml"],
                    format!("{root}{inner}</urlset>"),
                )
            };
            match ask.path {
                "/sitemap.xml" => {
                    let map = |n: u32| {
                        let (year, day) = (2000 + n / 28, n % 28 + 1);
                        format!(
                            "<sitemap><loc>{home}/s/{n}.xml</loc><lastmod>{year}-01-{day:02}</lastmod></sitemap>"
                        )
                    };
                    let listed: String = (0..600).map(map).collect();
                    let day = format!("<sitemap><loc>{home}/news.xml</loc></sitemap>");
                    let index = format!("<sitemapindex>{listed}{day}</sitemapindex>");
                    answer("200 OK", &["Content-Type: application/xml"], index)
                }
                "/news.xml" => urls(format!(
                    "<url><loc>{home}/a.html</loc><news:news><news:title>T</news:title></news:news></url>"
                )),
                path if path.starts_with("/s/") => {
                    urls(format!("<url><loc>{home}/old{path}</loc></url>"))
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let place = Place::new();
    place.run(["seed", &site.url(0, "/sitemap.xml")]).good();
    for _ in 0..2 {
        place.run(["run", "--once"]).good();
    }
    let hits = site.hits();
    let asked = |path: &str| hits.iter().any(|hit| hit.path == path);
    assert!(asked("/news.xml") && asked("/a.html"));
    // In the second run the others followed, for these had brought no news.
    let maps: Vec<&str> =
        hits.iter().map(|hit| &*hit.path).filter(|p| p.ends_with(".xml")).collect();
    let first = &maps[..501];
    assert!(first.contains(&"/s/599.xml") && first.contains(&"/s/101.xml"));
    assert!(!first.contains(&"/s/100.xml") && asked("/s/100.xml") && asked("/s/0.xml"));
    let feeds = place.json(["feeds"]);
    assert_eq!(feeds.as_array().unwrap().len(), 602);
    let plain = feeds.as_array().unwrap().iter().filter(|feed| feed["format"] == "sitemap");
    let mut why = plain.map(|feed| feed["why"].as_str().unwrap_or_default());
    assert!(why.all(|why| why.ends_with("no news sitemap, so every 7 days")), "{feeds:.900}");
    place.run(["verify"]).good();
}

/// Outlet 0 lists one story; it answers to any parameter of it, prints the words of a search, and has an old page
/// without a date. Outlet 1 lists all of that.
fn talkative() -> Server {
    Server::start(2, |addresses| {
        let homes = [0, 1].map(|n| format!("http://{}", addresses[n]));
        move |ask: &Ask| {
            let html = |page: String| answer("200 OK", &["Content-Type: text/html"], page);
            let link = |path: &str| (format!("{}{path}", homes[0]), "");
            let path = ask.path.split('?').next().unwrap_or_default();
            match (ask.outlet, path) {
                (0, "/feed.xml") => {
                    answer("200 OK", XML, rss(&[link("/story.html"), link("/story.html?part=9")]))
                }
                (1, "/feed.xml") => {
                    let own = (0..5).map(|n| (format!("{}/{n}.html", homes[1]), ""));
                    let mut said: Vec<_> = own.collect();
                    said.extend((0..4).map(|n| link(&format!("/story.html?part={n}"))));
                    said.extend([link("/search?words=acme"), link("/old.html")]);
                    answer("200 OK", XML, rss(&said))
                }
                (0, "/story.html") => html(web::html(7, 0, 1, "2026-11-12T08:00:00Z")),
                (0, "/search" | "/old.html") => {
                    let page = web::html(path.len() as u64, 0, 1, "DATE");
                    html(page.replace("property=\"article:published_time\" content=\"DATE\"", ""))
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    })
}

#[test]
fn addresses_that_others_make_up_are_no_articles() {
    let site = talkative();
    let mut place = Place::new();
    place.set("max_age=3650d");
    place.write("brands.txt", "Acme\n");
    place.run(["brands", "import", "brands.txt"]).good();
    place.run(["seed", &site.url(1, "/feed.xml"), &site.url(0, "/feed.xml")]).good();
    place.run(["run", "--once"]).good();
    let articles = place.json(["articles"]);
    assert_eq!(articles.as_array().unwrap().len(), 1, "{articles}");
    let outlet = &place.json(["outlets", "--days"])[0];
    assert_eq!(counted(&place)[0]["stories"], 1, "{outlet}");
    place.run(["verify"]).good();
}

/// Outlet 0 lists a page of each of many outlets, all of which take their time, and has a page of its own.
#[test]
fn pages_that_only_others_name_leave_half_of_the_workers_free() {
    const OTHERS: usize = 12;
    static BUSY: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(1 + OTHERS, |addresses| {
        let links = addresses.iter().map(|at| (format!("http://{at}/1.html"), ""));
        let feed = rss(&links.collect::<Vec<_>>());
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (0, "/feed.xml") => answer("200 OK", XML, &feed),
            (_, "/robots.txt") => answer("404 Not Found", &[], ""),
            (outlet, _) => {
                if outlet > 0 {
                    MOST.fetch_max(BUSY.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                    std::thread::sleep(std::time::Duration::from_millis(300));
                    BUSY.fetch_sub(1, Ordering::Relaxed);
                }
                let page = web::html(outlet as u64, outlet, 1, "2026-11-10T08:00:00Z");
                answer("200 OK", &["Content-Type: text/html"], page)
            }
        }
    });
    let mut place = Place::new();
    place.set("workers=4");
    place.watch(format!("{}\n", server.url(0, "/feed.xml")), "Acme\n");
    place.run(["run", "--once"]).good();
    assert_eq!(place.json(["status"])["outcomes"]["article"], 1 + OTHERS);
    assert!(MOST.load(Ordering::Relaxed) <= 2, "{MOST:?} of four workers at what others have");
}

//! Feeds that move, vanish or repeat each other, and what the operator does about feeds: seen by the
//! server that they lie on.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;

use crate::process::{Daemon, Place, end, wait_for};
use crate::server::{Ask, Server, answer};
use crate::web::{self, Web};

/// A daemon for which an hour takes a second.
fn hurried(place: &Place) -> Daemon {
    let mut command = place.command(["run"]);
    command.env("CRAWLER_CLOCK", "3600");
    Daemon::of(place, command)
}

fn feed(here: &str, name: &str, count: usize) -> String {
    let mut items = String::new();
    for n in 0..count {
        let link = format!("http://{here}/{name}-{n}.html");
        let _ = write!(items, "<item><title>{name} {n}</title><link>{link}</link></item>");
    }
    format!("<rss version=\"2.0\"><channel><title>{name}</title>{items}</channel></rss>")
}

fn site() -> Server {
    Server::start(2, |addresses| {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        move |ask: &Ask| {
            let here = &addresses[ask.outlet];
            let rss = |name: &str, count| {
                answer("200 OK", &["Content-Type: application/rss+xml"], feed(here, name, count))
            };
            let to = |status, outlet: usize, path: &str| {
                let location = format!("Location: http://{}{path}", addresses[outlet]);
                answer(status, &[&location], "")
            };
            match (ask.outlet, ask.path) {
                (0, "/old.xml") => to("301 Moved Permanently", 0, "/new.xml"),
                // Another address of the same name, as https is of http.
                (0, "/door.xml") => to("301 Moved Permanently", 0, "/door.xml?utm_source=x"),
                (0, "/door.xml?utm_source=x") => rss("door", 1),
                (0, "/new.xml") => rss("moved", 2),
                (0, "/away.xml") => to("308 Permanent Redirect", 1, "/far.xml"),
                (0, "/visit.xml") => to("302 Found", 1, "/guest.xml"),
                (1, "/far.xml") => rss("far", 1),
                (1, "/guest.xml") => rss("guest", 1),
                (0, "/gone.xml") => answer("410 Gone", &[], ""),
                (0, "/rss.xml" | "/atom.xml") => rss("twin", 5),
                (_, path) if path.ends_with(".html") => {
                    let seed = path.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte));
                    let page = web::html(seed, 0, 1, "2026-11-10T10:00:00Z");
                    answer("200 OK", &["Content-Type: text/html"], page)
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    })
}

#[test]
fn what_moves_vanishes_or_repeats_is_noticed_and_asked_rarely() {
    let site = site();
    let place = Place::new();
    let paths =
        ["/old.xml", "/away.xml", "/visit.xml", "/gone.xml", "/rss.xml", "/atom.xml", "/door.xml"];
    place.write("feeds.txt", paths.map(|path| site.url(0, path)).join("\n"));
    place.run(["seed", "feeds.txt"]).good();
    let daemon = hurried(&place);
    let of = |outlet: usize, path: &str| {
        let url = site.url(outlet, path);
        let feeds = place.json(["feeds"]);
        feeds.as_array().unwrap().iter().find(|feed| feed["url"] == url.as_str()).cloned()
    };
    let has =
        |path: &str, field: &str, value: &str| of(0, path).is_some_and(|feed| feed[field] == value);
    for path in ["/old.xml", "/away.xml", "/gone.xml"] {
        wait_for(path, || has(path, "status", "gone"));
    }
    let asked = |path: &str| site.hits().iter().filter(|hit| hit.path == path).count();
    assert!(asked("/old.xml") >= 2 && asked("/gone.xml") >= 2, "once may be an accident");
    assert!(has("/old.xml", "moved_to", &site.url(0, "/new.xml")));
    assert!(has("/away.xml", "moved_to", &site.url(1, "/far.xml")));
    for (outlet, path) in [(0, "/new.xml"), (1, "/far.xml"), (1, "/guest.xml")] {
        wait_for(path, || of(outlet, path).is_some_and(|feed| feed["successes"] != 0));
    }
    wait_for("the other door", || has("/door.xml?utm_source=x", "status", "active"));
    let twin = |path: &str| of(0, path).is_some_and(|feed| feed["duplicate_of"].is_string());
    wait_for("the twin", || twin("/rss.xml") || twin("/atom.xml"));
    assert!(twin("/rss.xml") != twin("/atom.xml"), "one of them is polled");
    assert!(has("/visit.xml", "status", "active"), "a redirect that may end tomorrow");
    let before = ["/old.xml", "/away.xml", "/gone.xml"].map(asked);
    let visits = asked("/visit.xml");
    wait_for("further polls", || asked("/visit.xml") > visits + 1);
    assert_eq!(["/old.xml", "/away.xml", "/gone.xml"].map(asked), before);
    let table = place.run(["feeds"]).good();
    for word in ["moved", "gone", "duplicate", "good"] {
        assert!(table.contains(word), "no `{word}` in\n{table}");
    }
    place.run(["verify"]).good();
    daemon.terminate();
}

/// The feed at a URL.
fn at(place: &Place, url: &str) -> Option<Value> {
    place.json(["feeds"]).as_array().unwrap().iter().find(|feed| feed["url"] == url).cloned()
}

fn is(place: &Place, url: &str, status: &str) -> bool {
    at(place, url).is_some_and(|feed| feed["status"] == status)
}

fn asks(site: &Server, path: &str) -> usize {
    site.hits().iter().filter(|hit| hit.path == path).count()
}

/// Such a feed was not polled for thirty days, though it was back within hours.
#[test]
fn a_feed_that_says_it_has_moved_to_what_is_no_feed_is_polled_on() {
    static BACK: AtomicBool = AtomicBool::new(false);
    let site = Server::start(2, |addresses| {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (0, "/feed.xml") if BACK.load(Ordering::SeqCst) => {
                answer("200 OK", &["Content-Type: text/xml"], feed(&addresses[0], "back", 3))
            }
            (0, "/feed.xml") => {
                let location = format!("Location: http://{}/maintenance", addresses[1]);
                answer("301 Moved Permanently", &[&location], "")
            }
            (1, "/maintenance") => {
                answer("200 OK", &["Content-Type: text/html"], "<title>Back soon</title>")
            }
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let place = Place::new();
    let (url, away) = (site.url(0, "/feed.xml"), site.url(1, "/maintenance"));
    place.run(["seed", &url]).good();
    let daemon = hurried(&place);
    wait_for("the third poll", || asks(&site, "/feed.xml") > 2);
    assert!(is(&place, &url, "active"), "{:?}", at(&place, &url));
    let trouble = || place.json(["status"])["trouble"].to_string();
    wait_for("a word about it", || trouble().contains("where no feed has been read yet"));
    BACK.store(true, Ordering::SeqCst);
    wait_for("the entries", || asks(&site, "/back-0.html") > 0);
    wait_for("the end of the other", || is(&place, &away, "gone"));
    assert!(is(&place, &url, "active") && !trouble().contains("moved"), "{}", trouble());
    daemon.terminate();
    place.run(["verify"]).good();
}

/// Both were taken for moved, and neither was polled.
#[test]
fn a_feed_whose_heir_leads_back_to_it_is_polled_again() {
    static ROLLED: AtomicBool = AtomicBool::new(false);
    let site = Server::start(2, |addresses| {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        move |ask: &Ask| {
            let here = usize::from(!ROLLED.load(Ordering::SeqCst));
            if ask.path != "/feed.xml" {
                return answer("404 Not Found", &[], "");
            }
            if ask.outlet == here {
                return answer("200 OK", &["Content-Type: text/xml"], feed(&addresses[0], "f", 3));
            }
            let location = format!("Location: http://{}/feed.xml", addresses[here]);
            answer("301 Moved Permanently", &[&location], "")
        }
    });
    let place = Place::new();
    let [first, second] = [0, 1].map(|outlet| site.url(outlet, "/feed.xml"));
    place.run(["seed", &first]).good();
    let daemon = hurried(&place);
    wait_for("the move", || is(&place, &first, "gone"));
    assert!(is(&place, &second, "active"));
    ROLLED.store(true, Ordering::SeqCst);
    wait_for("the move back", || is(&place, &second, "gone"));
    wait_for("the first one", || is(&place, &first, "active"));
    assert!(at(&place, &first).unwrap()["moved_to"].is_null());
    // Whoever names it wants it, wherever it says that it is.
    let said = place.run(["seed", &second]).good();
    assert!(said.contains("1 added"), "{said}");
    let polls = || at(&place, &second).unwrap()["polls"].as_u64();
    let before = polls();
    wait_for("its poll", || polls() > before);
    daemon.terminate();
    place.run(["verify"]).good();
}

/// Each poll brought one more feed, and each of them was polled on.
#[test]
fn a_redirect_that_leads_elsewhere_each_time_brings_one_feed() {
    static BACK: AtomicBool = AtomicBool::new(false);
    let site = Server::start(2, |addresses| {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        let polls = AtomicUsize::new(0);
        move |ask: &Ask| {
            let rss = || answer("200 OK", &["Content-Type: text/xml"], feed(&addresses[0], "f", 5));
            match (ask.outlet, ask.path) {
                (0, "/feed.xml") if BACK.load(Ordering::SeqCst) => rss(),
                (0, "/feed.xml") => {
                    let n = polls.fetch_add(1, Ordering::SeqCst);
                    let location = format!("Location: http://{}/feed.xml?sig={n}", addresses[1]);
                    answer("302 Found", &[&location], "")
                }
                (1, path) if path.starts_with("/feed.xml?sig=") => rss(),
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let place = Place::new();
    place.run(["seed", &site.url(0, "/feed.xml")]).good();
    let daemon = hurried(&place);
    let signed = || {
        let hits = site.hits().into_iter().filter(|hit| hit.path.contains("sig="));
        hits.map(|hit| hit.path).collect::<BTreeSet<_>>().len()
    };
    wait_for("the fifth place", || signed() > 4);
    let feeds = || place.json(["feeds"]).as_array().unwrap().clone();
    assert_eq!(feeds().len(), 2, "{:?}", feeds());
    BACK.store(true, Ordering::SeqCst);
    wait_for("the end of the other", || feeds().iter().any(|feed| feed["status"] == "gone"));
    assert!(is(&place, &site.url(0, "/feed.xml"), "active"));
    daemon.terminate();
    place.run(["verify"]).good();
}

#[test]
fn a_pause_reaches_the_lease_under_way_and_a_removed_feed_is_not_polled() {
    let web = Web::with(1, 60);
    let mut place = Place::seeded(&web);
    place.set("pace.delay=400ms");
    place.set("drain=100");
    let outlet = web.addresses[0].to_string();
    let daemon = Daemon::start(&place);
    let pages = || web.hits().iter().filter(|hit| hit.path.ends_with(".html")).count();
    wait_for("the first pages", || pages() >= 2);
    place.run(["outlets", "pause", &outlet]).good();
    // A request may be under way then, or wait for its turn.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let then = pages();
    assert!(then < 60, "all of it was fetched before the pause");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(pages(), then, "the pause was not kept");
    place.run(["outlets", "resume", &outlet]).good();
    wait_for("more pages", || pages() > then + 2);
    let url = web.url(0, "/feed.xml");
    let said = place.run(["feeds", "pause", &url]).good();
    assert!(said.contains("is paused until `crawler feeds resume"), "{said}");
    assert_eq!(place.json(["feeds"])[0]["status"], "paused");
    place.run(["feeds", "resume", &url]).good();
    let polls = || web.hits().iter().filter(|hit| hit.path == "/feed.xml").count();
    wait_for("the resumed feed's poll", || polls() >= 2);
    let said = place.run(["feeds", "rm", &url]).good();
    assert!(said.contains("is no longer followed"), "{said}");
    assert_eq!(place.json(["feeds"]).as_array().unwrap().len(), 0);
    place.run(["feeds", "pause", &url]).one_sentence(&["no feed has the URL"]);
    daemon.terminate();
    place.run(["verify"]).good();
}

/// Both looked good: of the one the newest item stood beyond those that are read, and the other brought nothing.
#[test]
fn a_feed_of_which_nothing_new_is_read_says_so() {
    static OLD: AtomicBool = AtomicBool::new(false);
    let site = Server::start(3, |addresses| {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        move |ask: &Ask| {
            let here = &addresses[ask.outlet];
            let plain = format!("<urlset><url><loc>http://{here}/old-1.html</loc></url></urlset>");
            match ask.path {
                "/long.xml" => answer("200 OK", &["Content-Type: text/xml"], rising(here, 12)),
                "/sitemap.xml" if ask.outlet == 2 && !OLD.load(Ordering::SeqCst) => {
                    let news = plain.replace("</url>", "<news:news/></url>");
                    answer("200 OK", &["Content-Type: text/xml"], news)
                }
                "/sitemap.xml" => answer("200 OK", &["Content-Type: text/xml"], plain),
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let mut place = Place::new();
    place.set("feed.max_entries=10");
    let (long, plain) = (site.url(0, "/long.xml"), site.url(1, "/sitemap.xml"));
    let news = site.url(2, "/sitemap.xml");
    place.write("feeds.txt", format!("{long}\n{plain}\n{news}\n"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]);
    assert_eq!(
        [0, 1, 2, 11].map(|n| asks(&site, &format!("/item-{n}.html")) > 0),
        [false, false, true, true]
    );
    let why = |url: &str| at(&place, url).unwrap()["why"].as_str().unwrap().to_owned();
    assert!(why(&long).ends_with("; 2 items beyond the newest are left out (feed.max_entries)"));
    assert_eq!(why(&plain), "no news sitemap: none of its 1 addresses has a `news:` part");
    let trouble = place.json(["status"])["trouble"].to_string();
    assert!(trouble.contains("list 2 items more than are read of a feed"), "{trouble}");
    // A news sitemap goes on listing what is no news any more.
    OLD.store(true, Ordering::SeqCst);
    let polls = || site.hits().iter().filter(|hit| hit.outlet == 2).count();
    let before = polls();
    place.run(["run", "--once"]);
    assert!(polls() > before);
    let feed = at(&place, &news).unwrap();
    assert_eq!(
        (&feed["format"], &feed["failures"]),
        (&"news-sitemap".into(), &0.0.into()),
        "{feed}"
    );
    let found = place.run(["seed", &site.url(1, "/")]);
    assert!(found.err.contains("name one, or its news sitemap"), "{}{}", found.out, found.err);
}

/// A feed whose oldest item stands first.
fn rising(here: &str, count: usize) -> String {
    let mut items = String::new();
    for n in 0..count {
        let _ = write!(
            items,
            "<item><title>Item {n}</title><link>http://{here}/item-{n}.html</link>\
             <pubDate>2026-11-10T10:{n:02}:00Z</pubDate></item>"
        );
    }
    format!("<rss version=\"2.0\"><channel><title>Rising</title>{items}</channel></rss>")
}

/// "Outlets followed since" moved to a later day, and the removed feed's counts stood beside a hash.
#[test]
fn what_a_removed_feed_has_brought_is_still_told() {
    let web = Web::with(2, 3);
    let place = Place::new();
    place.watch(web.url(0, "/feed.xml"), "Acme\nUmbra\n");
    place.run(["run", "--once"]).good();
    let told = || (place.json(["mentions"]), place.json(["mentions", "--by", "feed"]));
    let before = told();
    assert!(before.0["outlets_since"].is_i64(), "{}", before.0);
    place.run(["seed", &web.url(1, "/feed.xml")]).good();
    place.run(["feeds", "rm", &web.url(0, "/feed.xml")]).good();
    let after = told();
    assert_eq!(after.0["outlets_since"], before.0["outlets_since"]);
    assert_eq!(after.1["lines"], before.1["lines"]);
    assert_eq!(before.1["lines"][0]["bucket"], web.url(0, "/feed.xml").as_str(), "{}", before.1);
}

/// A feed that listed more at each poll was polled again and again, and the run did not end.
#[test]
fn a_single_run_polls_every_feed_once() {
    let polls = std::sync::atomic::AtomicUsize::new(0);
    let web = Server::start(1, |_| {
        move |ask: &Ask| match ask.path {
            "/feed.xml" => {
                let n = polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let link = format!("<item><title>{n}</title><link>/{n}.html</link></item>");
                let feed = format!("<rss version=\"2.0\"><channel>{link}</channel></rss>");
                let status = if n < 5 { "200 OK" } else { "410 Gone" };
                answer(status, &["Content-Type: application/rss+xml"], feed)
            }
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let mut place = Place::new();
    for bound in ["start", "min", "max"] {
        place.set(&format!("feed.schedule.{bound}=1s"));
    }
    place.run(["seed", &web.url(0, "/feed.xml")]).good();
    let before = web.hits().iter().filter(|hit| hit.path == "/feed.xml").count();
    place.run(["run", "--once"]).good();
    let polls = || web.hits().iter().filter(|hit| hit.path == "/feed.xml").count() - before;
    assert_eq!(polls(), 1);
    place.run(["run", "--once"]).good();
    assert_eq!(polls(), 2);
    place.run(["verify"]).good();
}

/// An article whose address changed with its headline was another one, and counted twice.
#[test]
fn what_keeps_its_id_and_its_time_is_the_same_article() {
    static STAGE: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(1, |addresses| {
        let here = addresses[0].to_string();
        move |ask: &Ask| {
            let item = |name: &str, id: &str, minute: u32| {
                format!(
                    "<item><title>{name}</title><link>http://{here}/{name}.html</link>\
                     <guid isPermaLink=\"false\">{id}</guid>\
                     <pubDate>Tue, 10 Nov 2026 10:{minute:02}:00 +0000</pubDate></item>"
                )
            };
            let again = STAGE.load(Ordering::SeqCst) > 0;
            match ask.path {
                // Its headline changes; an id that is given to another article; one that was not there; one that two
                // have.
                "/feed.xml" if again => web::rss(
                    &[
                        item("1-vote-passed", "17", 0),
                        item("3-daily", "daily", 9),
                        item("4-back", "19", 2),
                        item("5-new", "all", 3),
                    ]
                    .concat(),
                ),
                "/feed.xml" => web::rss(
                    &[
                        item("1-vote-due", "17", 0),
                        item("2-daily", "daily", 1),
                        item("gone", "19", 2),
                        item("5-old", "all", 3),
                        item("5-older", "all", 3),
                    ]
                    .concat(),
                ),
                path if path.ends_with(".html") && path != "/gone.html" => {
                    let seed = path.bytes().map(u64::from).sum();
                    let page = web::html(seed, 0, 1, "2026-11-10T10:00:00Z");
                    answer("200 OK", &["Content-Type: text/html"], page)
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let mut place = Place::new();
    place.set("max_age=3650d");
    place.write("off", "0");
    place.watch(server.url(0, "/feed.xml"), "Acme\n");
    for hours in [0, 40] {
        STAGE.store(hours, Ordering::SeqCst);
        place.write("off", (hours * 3_600_000).to_string());
        let mut command = place.command(["run", "--once"]);
        command.env("CRAWLER_CLOCK", format!("1:{}", place.path("off").display()));
        end(command.spawn().unwrap()).good();
    }
    let articles = place.json(["articles"]);
    let mut urls: Vec<&str> =
        articles.as_array().unwrap().iter().map(|a| a["url"].as_str().unwrap()).collect();
    urls.sort_unstable();
    let names: Vec<&str> = urls.iter().filter_map(|url| url.rsplit('/').next()).collect();
    let read = ["1-vote-due", "2-daily", "3-daily", "4-back", "5-new", "5-old", "5-older"];
    assert_eq!(names, read.map(|name| format!("{name}.html")));
    assert_eq!(place.json(["status"])["outcomes"]["known"], 1);
    place.run(["verify"]).good();
}

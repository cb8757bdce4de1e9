//! Bytes on an outlet's account: one that has used up its day waits, and nobody else does.

use crawler::model::*;
use crawler::store::{self, Settings, Store};
use jiff::ToSpan;

use crate::process::Place;
use crate::server::{Ask, Server, answer};
use crate::web::{ARTICLES, OUTLETS, Web};

/// What every outlet may cost on a day, whatever its past.
const LEAST: u64 = 4 << 30;

/// A place whose clock stands at noon as it begins, so that no test meets midnight, and the day there.
fn at_noon() -> (Place, Day) {
    let now = jiff::Timestamp::now();
    let day = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let noon = day.at(12, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp();
    let mut place = Place::new();
    place.write("off", (noon.as_millisecond() - now.as_millisecond()).to_string());
    place.clock = Some(format!("1:{}", place.path("off").display()));
    (place, day)
}

fn opened(place: &Place) -> std::sync::Arc<dyn Store> {
    store::open(&place.path("data"), &Settings::default()).unwrap()
}

/// A web that was crawled once, after so much was fetched on the first outlet's account so many days before today, and
/// today.
fn crawled(bytes: u64, before: i64) -> (Web, Place, Day) {
    let web = Web::start();
    let (mut place, today) = at_noon();
    let day = today.checked_sub(before.days()).unwrap();
    place.set("data_dir=\"data\"");
    place.set("timezone=\"UTC\"");
    place.set("max_age=3650d");
    place.write("feeds.txt", web.feeds());
    place.run(["seed", "feeds.txt"]).good();
    let outlet = web.addresses[0].to_string();
    let store = opened(&place);
    let mut batch = store.batch().unwrap();
    batch.spent(&Spent { outlet, day, bytes }).unwrap();
    batch.commit().unwrap();
    drop(store);
    place.run(["run", "--once"]).good();
    (web, place, today)
}

fn pages(web: &Web, outlet: usize) -> Vec<String> {
    let hits = web.hits().into_iter().filter(|hit| hit.outlet == outlet);
    let mut paths: Vec<String> =
        hits.map(|hit| hit.path).filter(|path| path != "/robots.txt").collect();
    paths.sort();
    paths.dedup();
    paths
}

#[test]
fn an_outlet_that_has_used_up_its_day_waits_for_the_next() {
    let (web, place, today) = crawled(LEAST, 0);
    // Another outlet's article leads there, on that one's account.
    assert_eq!(pages(&web, 0), [format!("/guest-{}.html", OUTLETS - 1)]);
    for outlet in 1..OUTLETS {
        let pages = pages(&web, outlet);
        assert!(pages.len() >= ARTICLES + 3, "outlet {outlet}: {pages:?}");
    }
    let status = place.json(["status"]);
    let said: Vec<&str> =
        status["trouble"].as_array().unwrap().iter().filter_map(|s| s.as_str()).collect();
    let named = |said: &&&str| said.contains("MiB were fetched, kept and compared");
    let told: Vec<&&str> = said.iter().filter(named).collect();
    assert_eq!(told.len(), 1, "{said:?}");
    assert!(
        told[0].contains(&format!("4,096 MiB were fetched, kept and compared on {}", today)),
        "{told:?}"
    );
    assert!(told[0].contains(&web.addresses[0].to_string()), "{told:?}");
    // Its feed is due when the day is over.
    let over = today.tomorrow().unwrap().to_zoned(jiff::tz::TimeZone::UTC).unwrap();
    let feeds = opened(&place).feeds().unwrap();
    let waits = feeds.iter().find(|feed| feed.outlet == web.addresses[0].to_string()).unwrap();
    assert_eq!(waits.poll.next, over.timestamp().as_millisecond());
    assert_eq!(waits.poll.polls, 0);
    place.run(["verify"]).good();
}

#[test]
fn what_is_fetched_is_on_the_account_of_who_listed_it() {
    let (web, place, today) = crawled(LEAST, 1);
    let store = opened(&place);
    for (n, address) in web.addresses.iter().enumerate() {
        // Its own articles, and that of the neighbour that its feed leads to.
        assert!(pages(&web, n).len() >= ARTICLES + 4, "{:?}", pages(&web, n));
        let bytes = store.bytes(&address.to_string(), today, today).unwrap();
        // A page is about 4 kB.
        assert!((30_000..500_000).contains(&bytes), "outlet {n}: {bytes}");
    }
    drop(store);
    let status = place.json(["status"]);
    let said = format!("MiB were fetched, kept and compared on {}", today);
    assert!(!status["trouble"].to_string().contains(&said), "{status}");
}

/// A seeded feed led to another outlet's addresses, each once: that outlet paid for what was there, and its coverage fell
/// with each that was no feed.
#[test]
fn where_a_feed_leads_is_on_its_own_account() {
    const FEED: &str = "<rss version=\"2.0\"><channel><title>F</title><item><title>A</title>\
                        <link>/a.html</link></item></channel></rss>";
    let web = Server::start(2, |addresses| {
        let there = format!("Location: http://{}/no-feed", addresses[0]);
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (0, "/feed.xml") => answer("200 OK", &["Content-Type: application/rss+xml"], FEED),
            (0, "/no-feed") => answer("200 OK", &["Content-Type: text/plain"], "x".repeat(300_000)),
            (1, "/feed.xml") => answer("302 Found", &[&there], ""),
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let (mut place, today) = at_noon();
    place.set("data_dir=\"data\"");
    place.set("timezone=\"UTC\"");
    place.write("feeds.txt", [0, 1].map(|n| web.url(n, "/feed.xml")).join("\n"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    assert!(web.hits().iter().any(|hit| hit.path == "/no-feed"));
    let store = opened(&place);
    let of = |n: usize| {
        let outlet = web.addresses[n].to_string();
        let rows = store.ledger(Some(today), Some(today)).unwrap();
        let polls = rows.iter().find(|row| row.outlet == outlet).map(|row| row.polls);
        (polls.unwrap_or_default(), store.bytes(&outlet, today, today).unwrap() > 250_000)
    };
    assert_eq!(of(0), (Polls { due: 1, succeeded: 1 }, false));
    assert_eq!(of(1), (Polls { due: 2, succeeded: 1 }, true));
    drop(store);
    place.run(["verify"]).good();
}

/// Pages that are all text took two and a half times their bytes of the disk, which their budget did not know.
#[test]
fn what_is_kept_of_a_page_is_on_the_account_too() {
    let words: Vec<String> = (0..40_000).map(|n| format!("w{:x}", n * 7919 % 65_537)).collect();
    let text: String =
        words.chunks(40).map(|words| format!("<p>{}.</p>", words.join(" "))).collect();
    let page = format!("<title>A long read</title><article><h1>A long read</h1>{text}</article>");
    let bytes = page.len() as i64;
    let web = Server::start(1, |_| {
        move |ask: &Ask| match ask.path {
            "/feed.xml" => answer(
                "200 OK",
                &["Content-Type: application/rss+xml"],
                "<rss version=\"2.0\"><channel><title>F</title><item><title>A long read</title>\
                 <link>/a.html</link></item></channel></rss>",
            ),
            "/a.html" => answer("200 OK", &["Content-Type: text/html"], page.clone()),
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let (mut place, today) = at_noon();
    place.set("data_dir=\"data\"");
    place.set("timezone=\"UTC\"");
    place.write("feeds.txt", web.url(0, "/feed.xml"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    assert_eq!(place.json(["articles"]).as_array().unwrap().len(), 1);
    let charged = opened(&place).bytes(&web.addresses[0].to_string(), today, today).unwrap();
    assert!(charged > 3 * bytes, "{charged} of {bytes}");
}

/// A text of 64 words, which are others for every seed; it ends with `n`.
fn words(seed: u64, n: usize) -> String {
    let mut state = seed;
    let word = |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{seed:04}x{:02}", state >> 58)
    };
    let words: Vec<String> = (0..2_000).map(word).collect();
    let sentences =
        words.chunks(20).map(|words| format!("<p>So {} they said.</p>", words.join(" ")));
    format!("{}<p>And that was number {n} of these.</p>", sentences.collect::<String>())
}

/// An outlet that published thousands of copies kept everybody's commits waiting for as long as comparing them takes, and
/// paid for none of it.
#[test]
fn comparing_an_outlets_copies_is_on_its_account_and_on_nobody_elses() {
    const MANY: usize = 100;
    let server = Server::start(5, |addresses| {
        let addresses = addresses.to_vec();
        move |ask: &Ask| {
            let n = ask.path.trim_start_matches('/').parse::<usize>();
            let seed = |n: usize| if ask.outlet == 1 { n as u64 } else { 9_000 };
            match (ask.path, n) {
                ("/feed.xml", _) => {
                    let here = addresses[ask.outlet];
                    let item = |n| format!("<item><link>http://{here}/{n}</link></item>");
                    let listed = match ask.outlet {
                        2 | 4 => MANY..=MANY,
                        3 => 1..=MANY / 2,
                        _ => 0..=MANY,
                    };
                    crate::web::rss(&listed.map(item).collect::<String>())
                }
                (_, Ok(n)) => {
                    let page = format!(
                        "<!DOCTYPE html><html lang=\"en\"><head><title>Number {n}</title></head><body><article>\
                         <h1>Number {n}</h1>{}</article></body></html>",
                        words(seed(n), n)
                    );
                    answer("200 OK", &["Content-Type: text/html"], page)
                }
                _ => answer("404 Not Found", &[], ""),
            }
        }
    });
    let (mut place, day) = at_noon();
    place.set("data_dir=\"data\"");
    place.set("timezone=\"UTC\"");
    let feeds = |outlets: &[usize]| {
        outlets.iter().map(|n| server.url(*n, "/feed.xml") + "\n").collect::<String>()
    };
    // The third outlet's article comes when the copies are there; and the last one when still more are.
    for outlets in [&[0, 1][..], &[2], &[3], &[4]] {
        place.write("feeds.txt", feeds(outlets));
        place.run(["seed", "feeds.txt"]).good();
        place.run(["run", "--once"]).good();
    }
    let store = opened(&place);
    let spent = |n: usize| {
        let outlet = server.addresses[n].to_string();
        let articles = place_articles(store.as_ref(), &outlet);
        (articles, store.bytes(&outlet, day, day).unwrap())
    };
    let [copies, others, victim, few, last] = [0, 1, 2, 3, 4].map(spent);
    let articles = [copies, others, victim, few, last].map(|spent| spent.0);
    assert_eq!(articles, [MANY + 1, MANY + 1, 1, MANY / 2, 1]);
    // Each of the last 36 was compared with so many more than is free.
    let beyond: i64 = (1..=36).sum();
    let cost = copies.1 - others.1;
    assert!((beyond * 2_000..beyond * 2_400).contains(&cost), "{copies:?} {others:?}");
    let page = others.1 / MANY as i64;
    assert!(victim.1 < page * 2, "{victim:?} {others:?}");
    assert!(few.1 < page * MANY as i64, "{few:?} {others:?}");
    // What is near so many words of others is paid for by whoever lists it, whosever they are.
    let with = (copies.0 + victim.0 + few.0) as i64;
    let beyond = with * 2_000 - (1 << 18)..with * 2_400 - (1 << 18);
    assert!(beyond.contains(&(last.1 - victim.1)), "{last:?} {victim:?}");
}

/// How many articles of an outlet there are.
fn place_articles(store: &dyn Store, outlet: &str) -> usize {
    let mut articles = 0;
    let mut count = |record: &UrlRecord| {
        articles += usize::from(record.outlet == outlet && record.outcome == Outcome::Article);
        true
    };
    store.urls(&mut |record| count(&record)).unwrap();
    articles
}

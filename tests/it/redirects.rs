//! Redirects, as the servers see them that send them and that are sent to: by feeds, articles, a look
//! for feeds, a person, and robots.txt.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::process::{Daemon, Place, wait_for};
use crate::server::{Ask, Server, Step, answer};
use crate::web::{html, rss};

/// Outlets that answer by this; `to(status, outlet, path)` is a redirect.
fn site(
    outlets: usize,
    reply: impl Fn(&Ask, &dyn Fn(&str, usize, &str) -> Vec<Step>) -> Vec<Step> + Send + Sync + 'static,
) -> Server {
    Server::start(outlets, |addresses| {
        let addresses = addresses.to_vec();
        move |ask: &Ask| {
            reply(ask, &|status, outlet, path| {
                let location = format!("Location: http://{}{path}", addresses[outlet]);
                answer(status, &[&location], "")
            })
        }
    })
}

fn page() -> Vec<Step> {
    answer("200 OK", &["Content-Type: text/html"], "<p>A page.")
}

/// What one outlet was asked for, in order.
fn asked(site: &Server, outlet: usize) -> Vec<String> {
    site.hits().into_iter().filter(|hit| hit.outlet == outlet).map(|hit| hit.path).collect()
}

/// A look for feeds took a missing Location for the same URL, and asked for that twenty times.
#[test]
fn a_redirect_without_a_target_or_in_a_circle_is_asked_for_once() {
    for (path, words) in [
        ("/nowhere", "it is redirected to no URL"),
        ("/itself", "its redirects lead in a circle"),
        ("/there", "its redirects lead in a circle"),
    ] {
        let site = site(1, |ask, to| match ask.path {
            "/nowhere" => answer("301 Moved Permanently", &[], ""),
            "/itself" => to("302 Found", 0, "/itself"),
            "/there" => to("302 Found", 0, "/back"),
            "/back" => to("302 Found", 0, "/there"),
            _ => answer("404 Not Found", &[], ""),
        });
        let place = Place::new();
        let url = site.url(0, path);
        for command in ["discover", "extract"] {
            place.run([command, &url]).one_sentence(&[words]);
        }
        place.run(["seed", &url]).good();
        place.run(["run", "--once"]).good();
        let times = asked(&site, 0).iter().filter(|asked| *asked == path).count();
        assert_eq!(times, 3, "{path}: {:?}", asked(&site, 0));
        let error = place.json(["feeds"])[0]["why"].to_string();
        assert!(error.contains(words), "{path}: {error}");
    }
}

/// The base of relative links is the URL of the answer that holds them (RFC 3986 §5.1.3), however long its
/// redirects are to last.
#[test]
fn relative_links_of_a_redirected_feed_are_resolved_where_it_was_found() {
    const FEED: &str = "<rss version=\"2.0\"><channel><title>F</title><item><title>A</title>\
                        <link>a.html</link></item></channel></rss>";
    const MAPS: &str = "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                        <sitemap><loc>more.xml</loc></sitemap></sitemapindex>";
    for (what, seeded, expected) in [
        ("for now", "/feed", "/x/y/a.html"),
        ("for good, then for now", "/old/feed", "/cdn/a.html"),
        ("for good", "/past/feed", "/new/feed/a.html"),
        ("an index of sitemaps", "/maps.xml", "/cdn/more.xml"),
    ] {
        let site = site(1, |ask, to| match ask.path {
            "/feed" => to("302 Found", 0, "/x/y/feed.xml"),
            "/old/feed" => to("301 Moved Permanently", 0, "/new/feed.xml"),
            "/new/feed.xml" => to("302 Found", 0, "/cdn/feed.xml"),
            "/past/feed" => to("308 Permanent Redirect", 0, "/new/feed/all.xml"),
            "/maps.xml" => to("307 Temporary Redirect", 0, "/cdn/maps.xml"),
            "/x/y/feed.xml" | "/cdn/feed.xml" | "/new/feed/all.xml" => {
                answer("200 OK", &["Content-Type: application/rss+xml"], FEED)
            }
            "/cdn/maps.xml" => answer("200 OK", &["Content-Type: application/xml"], MAPS),
            _ => answer("404 Not Found", &[], ""),
        });
        let place = Place::new();
        place.run(["seed", &site.url(0, seeded)]).good();
        place.run(["run", "--once"]).good();
        let asked = asked(&site, 0);
        assert!(asked.contains(&expected.to_owned()), "{what}: {asked:?}");
    }
}

/// A's robots.txt is redirected to B: what B is asked for, and whether A's page is.
#[test]
fn a_robots_txt_is_sought_elsewhere_only_where_that_host_allows_it() {
    struct Case {
        what: &'static str,
        target: &'static str,
        rules: fn() -> Vec<Step>,
        asked: &'static [&'static str],
        page: bool,
    }
    for Case { what, target, rules, asked: expected, page: read } in [
        Case {
            what: "B forbids everything",
            target: "/private/expensive?q=1",
            rules: || answer("200 OK", &[], "User-agent: *\nDisallow: /\n"),
            asked: &["/robots.txt"],
            page: false,
        },
        Case {
            what: "B allows it",
            target: "/rules/a.txt",
            rules: || answer("200 OK", &[], "User-agent: *\nDisallow: /private/\n"),
            asked: &["/robots.txt", "/rules/a.txt"],
            page: true,
        },
        Case {
            what: "B has no rules",
            target: "/rules/a.txt",
            rules: || answer("404 Not Found", &[], ""),
            asked: &["/robots.txt", "/rules/a.txt"],
            page: true,
        },
        Case {
            what: "B is in trouble",
            target: "/rules/a.txt",
            rules: || answer("500 Broken", &[], ""),
            asked: &["/robots.txt"],
            page: false,
        },
        Case {
            what: "it is B's own robots.txt",
            target: "/robots.txt",
            rules: || answer("200 OK", &[], "User-agent: *\nDisallow: /private/\n"),
            asked: &["/robots.txt"],
            page: true,
        },
    ] {
        let site = site(2, move |ask, to| match (ask.outlet, ask.path) {
            (0, "/robots.txt") => to("301 Moved Permanently", 1, target),
            (1, "/robots.txt") => rules(),
            (1, _) => answer("200 OK", &[], "User-agent: *\nDisallow: /closed/\n"),
            _ => page(),
        });
        let place = Place::new();
        let got = place.run(["extract", &site.url(0, "/page")]);
        assert_eq!(asked(&site, 1), expected, "{what}");
        assert_eq!(asked(&site, 0).contains(&"/page".to_owned()), read, "{what}: {}", got.err);
        if !read {
            got.one_sentence(&["robots.txt cannot be read", "is redirected to"]);
        }
    }
}

/// Whoever waited for a busy outlet never had its turn, and what it waited for counted as unreachable.
#[test]
fn a_robots_txt_elsewhere_is_read_between_the_pages_there() {
    const PAGES: usize = 60;
    let feed = |place: &str, pages: usize| {
        let item = |n: usize| format!("<item><link>/{place}{n}.html</link></item>");
        crate::web::rss(&(0..pages).map(item).collect::<String>())
    };
    let pages = AtomicUsize::new(0);
    let site = site(2, move |ask, to| match (ask.outlet, ask.path) {
        (0, "/robots.txt") => {
            // The other outlet is at its pages by then.
            while pages.load(Relaxed) < 3 {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            to("301 Moved Permanently", 1, "/robots.txt")
        }
        (1, "/robots.txt") => answer("404 Not Found", &[], ""),
        (0, "/feed.xml") => feed("far", 1),
        (1, "/feed.xml") => feed("near", PAGES),
        (outlet, _) => {
            pages.fetch_add(outlet, Relaxed);
            page()
        }
    });
    let mut place = Place::new();
    place.set("pace.delay=60ms");
    let feeds = [site.url(1, "/feed.xml"), site.url(0, "/feed.xml")].join("\n");
    place.write("feeds.txt", feeds);
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    let hits = site.hits();
    let first = hits.iter().position(|hit| hit.outlet == 0 && hit.path == "/far0.html");
    let last = hits.iter().rposition(|hit| hit.outlet == 1).unwrap();
    assert!(first.is_some_and(|first| first < last), "{:?}", asked(&site, 0));
    assert_eq!(asked(&site, 1).iter().filter(|path| path.ends_with(".html")).count(), PAGES);
    place.run(["verify"]).good();
}

/// Each is asked for its own rules before it is asked for the other's; that ends.
#[test]
fn robots_files_that_lead_to_each_other_are_unreachable() {
    let site = site(2, |ask, to| match ask.path {
        "/robots.txt" => to("302 Found", 1 - ask.outlet, "/rules.txt"),
        "/rules.txt" => answer("200 OK", &[], ""),
        _ => page(),
    });
    let place = Place::new();
    for outlet in [0, 1] {
        let url = site.url(outlet, "/page");
        place.run(["extract", &url]).one_sentence(&["robots.txt cannot be read"]);
    }
    for outlet in [0, 1] {
        let asked = asked(&site, outlet);
        assert!(asked.iter().all(|path| path == "/robots.txt"), "{asked:?}");
        assert!(asked.len() <= 3, "{asked:?}");
    }
}

/// Sites that set a cookie and look for it on the same page ended as redirects in a circle.
#[test]
fn a_cookie_that_a_redirect_sets_is_shown_to_the_same_outlet_alone() {
    let site = site(2, |ask, to| {
        let cookie = ask
            .head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("cookie: ").map(str::to_owned));
        let set = |location: &str, cookies: &[&str]| {
            let fields: Vec<String> =
                cookies.iter().map(|cookie| format!("Set-Cookie: {cookie}")).collect();
            let mut fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            let location = format!("Location: {location}");
            fields.push(&location);
            answer("302 Found", &fields, "")
        };
        match (ask.outlet, ask.path, cookie.as_deref()) {
            (0, "/robots.txt", _) => answer("404 Not Found", &[], ""),
            (0, "/once", Some("seen=1; lang=en")) => page(),
            (0, "/once", None) => set("/once", &["seen=1; Path=/", "lang=en"]),
            (0, "/gate", None) => set("/check", &["lb=1"]),
            (0, "/check", Some("lb=1")) => set("/gate", &["ok=1", "lb=; Max-Age=0"]),
            (0, "/gate", Some("ok=1")) => page(),
            (0, "/never", _) => set("/never", &["seen=1"]),
            (0, "/ever", _) => set("/ever", &[&format!("n={}", ask.head.len())]),
            (0, "/changes", None) => set("/second", &["a=1", "b=2"]),
            (0, "/second", Some("a=1; b=2")) => set("/third", &["a=3"]),
            (0, "/third", Some("b=2; a=3")) => page(),
            (0, "/away", None) => set("/then", &["a=1"]),
            (0, "/then", Some("a=1")) => to("302 Found", 1, "/page"),
            (1, "/page", None) => page(),
            _ => answer("404 Not Found", &[], ""),
        }
    });
    for path in ["/once", "/changes", "/gate", "/away"] {
        Place::new().run(["extract", &site.url(0, path)]).good();
    }
    for path in ["/never", "/ever"] {
        let place = Place::new();
        place.run(["extract", &site.url(0, path)]).one_sentence(&["lead in a circle"]);
        assert_eq!(asked(&site, 0).iter().filter(|asked| *asked == path).count(), 2, "{path}");
    }
}

/// Where a host asks for a Crawl-delay, each redirect to the same host was asked for again and again: what it led to was
/// put off, and the redirect came first again. So neither feeds nor articles of such sites were ever read.
#[test]
fn a_redirect_is_followed_when_the_crawl_delay_is_over() {
    const DELAY: Duration = Duration::from_millis(1_500);
    let asks = AtomicUsize::new(0);
    let site = site(1, move |ask, to| match ask.path {
        "/robots.txt" => {
            let rules = format!("User-agent: *\nCrawl-delay: {}\n", DELAY.as_secs_f64());
            answer("200 OK", &[], rules)
        }
        "/feed.xml" => rss("<item><link>/page</link></item>"),
        "/page/" => {
            let page = html(1, 0, 1, "2026-11-10T08:00:00Z");
            answer("200 OK", &["Content-Type: text/html"], page)
        }
        // Not for ever.
        _ if asks.fetch_add(1, Relaxed) > 6 => answer("404 Not Found", &[], ""),
        "/feed" => to("302 Found", 0, "/feed.xml"),
        "/page" => to("301 Moved Permanently", 0, "/page/"),
        _ => answer("404 Not Found", &[], ""),
    });
    let place = Place::new();
    place.run(["seed", &site.url(0, "/feed")]).good();
    place.run(["run", "--once"]).good();
    let hits = site.hits();
    let asked: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(asked, ["/robots.txt", "/feed", "/feed.xml", "/page", "/page/"]);
    for (before, next) in hits.iter().zip(hits.iter().skip(1)) {
        assert!(next.began >= before.ended + DELAY, "{before:?} {next:?}");
    }
    assert_eq!(place.json(["articles"]).as_array().unwrap().len(), 1);
}

/// Whoever ended the crawler waited for the delays of all hosts that a redirect had led to.
#[test]
fn an_end_does_not_wait_for_what_a_redirect_leads_to() {
    let site = site(1, |ask, to| match ask.path {
        "/robots.txt" => answer("200 OK", &[], "User-agent: *\nCrawl-delay: 5\n"),
        "/feed.xml" => rss(""),
        "/feed" => to("302 Found", 0, "/feed.xml"),
        _ => answer("404 Not Found", &[], ""),
    });
    let place = Place::new();
    place.run(["seed", &site.url(0, "/feed")]).good();
    let daemon = Daemon::start(&place);
    wait_for("the redirect", || asked(&site, 0).contains(&"/feed".to_owned()));
    daemon.terminate().good();
    assert_eq!(asked(&site, 0), ["/robots.txt", "/feed"]);
    let feed = &place.json(["feeds"])[0];
    assert_eq!(feed["failures"], 0.0, "{feed}");
    let daemon = Daemon::start(&place);
    wait_for("what it leads to", || asked(&site, 0).contains(&"/feed.xml".to_owned()));
    assert_eq!(asked(&site, 0), ["/robots.txt", "/feed", "/feed", "/feed.xml"]);
    daemon.terminate().good();
}

/// It was said that the server asked for fewer requests.
#[test]
fn who_finds_all_places_to_wait_taken_is_told_so() {
    let site = site(2, |ask, to| match ask.path {
        "/robots.txt" => answer("200 OK", &[], "User-agent: *\nCrawl-delay: 1.5\n"),
        "/feed" => to("302 Found", ask.outlet, "/feed.xml"),
        "/feed.xml" => rss(""),
        _ => answer("404 Not Found", &[], ""),
    });
    let mut place = Place::new();
    place.set("workers=4");
    place.write("feeds.txt", [0, 1].map(|outlet| site.url(outlet, "/feed")).join("\n"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    let feeds = place.json(["feeds"]);
    let whys: Vec<String> =
        feeds.as_array().unwrap().iter().map(|feed| feed["why"].to_string()).collect();
    let told = |words: &str| whys.iter().filter(|why| why.contains(words)).count();
    let wait = told("we would have to wait too long for the host that it is redirected to");
    assert_eq!((wait, told("asking for fewer requests")), (1, 0), "{whys:?}");
}

/// Whoever asked to have an address of its own forgotten, which it redirected to another outlet's article, had that forgotten.
#[test]
fn what_an_address_leads_to_at_another_outlet_is_not_forgotten_with_it() {
    let site = site(2, |ask, to| match (ask.outlet, ask.path) {
        (0, "/feed.xml") => rss("<item><link>/here</link></item>"),
        (1, "/feed.xml") => rss("<item><link>/story</link></item>"),
        (0, "/here") => to("301 Moved Permanently", 0, "/there"),
        (0, "/there") => to("301 Moved Permanently", 1, "/story"),
        (1, "/story") => {
            let page = html(1, 1, 1, "2026-11-10T08:00:00Z");
            answer("200 OK", &["Content-Type: text/html"], page)
        }
        _ => answer("404 Not Found", &[], ""),
    });
    let place = Place::new();
    place.write("feeds.txt", [0, 1].map(|outlet| site.url(outlet, "/feed.xml")).join("\n"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    let articles = || place.json(["articles"]).as_array().unwrap().clone();
    assert_eq!(articles().len(), 1);
    let gone = place.json(["forget", &site.url(0, "/here")]);
    assert_eq!((&gone["articles"], &gone["entries"]), (&0.into(), &1.into()), "{gone}");
    let led_to = &gone["led_to"];
    assert!(led_to["url"].as_str().unwrap().ends_with("/story"), "{gone}");
    assert_eq!(articles()[0]["key"], led_to["key"], "{gone}");
    let told = place.run(["forget", &site.url(0, "/there")]).good();
    assert!(told.contains("nothing of this address is stored"), "{told}");
    // What others lead to it is its outlet's to be forgotten by.
    let gone = place.json(["forget", led_to["key"].as_str().unwrap()]);
    assert_eq!((&gone["articles"], &gone["led_to"]), (&1.into(), &serde_json::Value::Null));
    assert!(articles().is_empty());
    place.run(["verify"]).good();
}

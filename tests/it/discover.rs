//! `crawler discover` and `crawler seed SITE` against sites of our own: feeds are found where pages
//! link them, and nothing that robots.txt forbids is asked for on the way.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::process::Place;

const FEED: &str = "<rss version=\"2.0\"><channel><title>The wire</title><link>/</link>\
    <item><title>One</title><link>/1.html</link></item></channel></rss>";

/// A site that answers these paths and keeps a log of what it was asked.
struct Site {
    address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn start(pages: &[(&'static str, &'static str)]) -> Site {
        let pages: HashMap<&str, &str> = pages.iter().copied().collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let asked = log.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let Some(Ok(first)) = lines.next() else { continue };
                for line in lines.map_while(Result::ok) {
                    if line.is_empty() {
                        break;
                    }
                }
                let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
                let answer = match pages.get(path.as_str()) {
                    Some(body) => {
                        let kind = if body.starts_with("<rss") {
                            "application/rss+xml"
                        } else {
                            "text/html"
                        };
                        let length = body.len();
                        format!(
                            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
                             Connection: close\r\n\r\n{body}"
                        )
                    }
                    None => {
                        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                            .into()
                    }
                };
                asked.lock().unwrap().push(path);
                // A client that has gone away is no trouble.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Site { address, log }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn asked(&self, path: &str) -> bool {
        self.log.lock().unwrap().iter().any(|p| p == path)
    }
}

fn discovered(site: &Site) -> Value {
    let out = Place::new().run(["discover", &site.url("/"), "--json"]).good();
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_linked_feed_is_found_and_seeded() {
    let site = Site::start(&[
        ("/", "<link rel=alternate type=\"application/rss+xml\" href=\"/news.rss\"><h1>Daily</h1>"),
        ("/news.rss", FEED),
    ]);
    let found = discovered(&site);
    assert_eq!(found["feeds"][0]["url"], Value::from(site.url("/news.rss")));
    assert_eq!(found["feeds"][0]["title"], "The wire");
    assert_eq!(found["feeds"][0]["entries"], 1);
    assert!(site.asked("/robots.txt"), "asked for a page before its robots.txt");

    let place = Place::new();
    place.run(["seed", &site.url("/")]).good();
    let feeds: Value = serde_json::from_str(&place.run(["feeds", "--json"]).good()).unwrap();
    assert_eq!(feeds[0]["url"], Value::from(site.url("/news.rss")));
}

#[test]
fn section_pages_are_walked_within_robots() {
    let site = Site::start(&[
        ("/robots.txt", "User-agent: *\nDisallow: /private/\n"),
        ("/", "<a href=\"/politics/\">Politics</a> <a href=\"/private/desk\">Desk</a>"),
        ("/politics/", "<link rel=alternate type=\"application/rss+xml\" href=\"/politics/wire\">"),
        (
            "/private/desk",
            "<link rel=alternate type=\"application/rss+xml\" href=\"/private/feed\">",
        ),
        ("/politics/wire", FEED),
    ]);
    let found = discovered(&site);
    assert_eq!(found["feeds"][0]["url"], Value::from(site.url("/politics/wire")));
    assert!(site.asked("/politics/") && !site.asked("/private/desk"), "{:?}", site.log);
    let refused = found["refused"].to_string();
    assert!(
        refused.contains("/private/desk") && refused.contains("Disallow: /private/"),
        "{refused}"
    );
}

#[test]
fn a_site_without_feeds_says_so() {
    let site = Site::start(&[("/", "<h1>Nothing here</h1>")]);
    let ended = Place::new().run(["discover", &site.url("/")]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.out.contains("0 feeds"), "{}", ended.out);
}

/// Twenty of the feeds that a page links were found, and nothing was said of the others.
#[test]
fn feeds_that_are_not_looked_at_are_named() {
    let paths: Vec<&'static str> =
        (0..25).map(|n| &*Box::leak(format!("/{n}.rss").into_boxed_str())).collect();
    let links = paths
        .iter()
        .map(|path| format!("<link rel=alternate type=\"application/rss+xml\" href=\"{path}\">"));
    let home: &'static str = Box::leak(links.collect::<String>().into_boxed_str());
    let mut pages = vec![("/", home)];
    pages.extend(paths.iter().map(|path| (*path, FEED)));
    let site = Site::start(&pages);
    let found = discovered(&site);
    let (feeds, refused) =
        (found["feeds"].as_array().unwrap(), found["refused"].as_array().unwrap());
    assert_eq!((feeds.len(), refused.len()), (20, 5), "{found}");
    assert!(refused[0][1].as_str().unwrap().contains("20 others were looked at"), "{found}");

    let place = Place::new();
    let seeded = place.json(["seed", &site.url("/")]);
    let results: Vec<&str> =
        seeded.as_array().unwrap().iter().map(|line| line["result"].as_str().unwrap()).collect();
    let count = |result| results.iter().filter(|found| **found == result).count();
    assert_eq!((count("added"), count("not-read")), (20, 5), "{seeded}");
    let said = place.run(["seed", &site.url("/")]).good();
    assert!(
        said.contains(
            "0 added, 20 already known, 0 sites without feeds, 0 errors, 5 URLs not read"
        ),
        "{said}"
    );
}

/// WordPress names a feed of comments beside that of its articles: readers' comments on old pages made them articles of
/// today.
#[test]
fn a_feed_of_comments_is_none() {
    const COMMENTS: &str = "<rss version=\"2.0\"><channel><title>Comments for Daily</title>\
        <item><title>Comment on One by Ann</title><link>/1.html#comment-7</link></item></channel></rss>";
    let site = Site::start(&[
        (
            "/",
            "<link rel=alternate type=\"application/rss+xml\" href=\"/feed/\">\
             <link rel=alternate type=\"application/rss+xml\" href=\"/comments/feed/\">",
        ),
        ("/feed/", FEED),
        ("/comments/feed/", COMMENTS),
    ]);
    let found = discovered(&site);
    assert_eq!(found["feeds"].as_array().unwrap().len(), 1, "{found}");
    let refused = found["refused"].to_string();
    assert!(
        refused.contains("/comments/feed/") && refused.contains("readers' comments"),
        "{found}"
    );

    let place = Place::new();
    place.run(["seed", &site.url("/comments/feed/")]).good();
    place.run(["run", "--once"]).good();
    let feeds = place.json(["feeds"]);
    assert!(feeds[0]["why"].to_string().contains("readers' comments"), "{feeds}");
    assert!(!site.asked("/1.html"), "{:?}", site.log);
}

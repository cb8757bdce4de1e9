//! Many outlets and several workers, judged by the server's log: nothing that was forbidden, no two
//! requests to one outlet at a time or too close, Crawl-delay and Retry-After kept, nothing read
//! twice without need. `scripts/prove-polite` runs the long form.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::process::Place;
use crate::server::{Ask, Hit, Server, Step, answer};
use crate::web::html;

/// Outlets of the short form; `CRAWLER_PROOF_OUTLETS` asks for another number.
const OUTLETS: usize = 40;
const ARTICLES: usize = 8;
const WORKERS: usize = 12;
const DELAY: Duration = Duration::from_millis(30);
const CRAWL_DELAY: Duration = Duration::from_millis(200);
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Instants are kept in milliseconds: a distance can look that much shorter from outside.
const GRAIN: Duration = Duration::from_millis(1);

/// What is special about an outlet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    Plain,
    /// robots.txt has a Crawl-delay.
    Slow,
    /// The first answer to its third article is 503 with Retry-After.
    Busy,
    /// robots.txt forbids every other article.
    Closed,
    /// Articles redirect within the outlet.
    Moving,
    /// Answers validators: an unchanged feed is not sent again.
    Sparing,
}

impl Manner {
    fn of(outlet: usize) -> Manner {
        use Manner::*;
        [Plain, Slow, Busy, Closed, Moving, Sparing][outlet % 6]
    }

    fn delay(self) -> Duration {
        if self == Manner::Slow { CRAWL_DELAY } else { DELAY }
    }
}

fn reply(here: &str, ask: &Ask, asked: &Mutex<BTreeMap<(usize, String), usize>>) -> Vec<Step> {
    let manner = Manner::of(ask.outlet);
    let times = {
        let mut asked = asked.lock().unwrap();
        let times = asked.entry((ask.outlet, ask.path.to_owned())).or_default();
        *times += 1;
        *times
    };
    std::thread::sleep(Duration::from_millis(3));
    match ask.path {
        "/robots.txt" => {
            let more = match manner {
                Manner::Slow => format!("Crawl-delay: {}\n", CRAWL_DELAY.as_secs_f64()),
                Manner::Closed => "Disallow: /closed/\n".to_owned(),
                _ => String::new(),
            };
            answer("200 OK", &[], format!("User-agent: *\nDisallow: /private/\n{more}"))
        }
        "/feed.xml" => {
            let tag = "ETag: \"one\"";
            if manner == Manner::Sparing && ask.head.contains("\"one\"") {
                return answer("304 Not Modified", &[tag], "");
            }
            let mut items = String::new();
            for n in 0..ARTICLES {
                let path = match manner {
                    Manner::Closed if n % 2 == 1 => format!("/closed/{n}.html"),
                    Manner::Moving => format!("/old/{n}.html"),
                    _ => format!("/{n}.html"),
                };
                let _ = write!(items, "<item><title>{n}</title><link>{here}{path}</link></item>");
            }
            let feed =
                format!("<rss version=\"2.0\"><channel><title>F</title>{items}</channel></rss>");
            let fields: &[&str] = if manner == Manner::Sparing { &[tag] } else { &[] };
            answer("200 OK", fields, feed)
        }
        path => {
            if manner == Manner::Busy && path == "/3.html" && times == 1 {
                let field = format!("Retry-After: {}", RETRY_AFTER.as_secs());
                return answer("503 Busy", &[&field], "");
            }
            if let Some(name) = path.strip_prefix("/old") {
                return answer("301 Moved", &[&format!("Location: {here}/new{name}")], "");
            }
            let seed = path.bytes().fold(ask.outlet as u64 + 1, |hash, byte| {
                hash.wrapping_mul(1_099_511_628_211) ^ u64::from(byte)
            });
            let page = html(seed, ask.outlet, 1, "2026-11-11T11:00:00Z");
            answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
        }
    }
}

/// What is wrong with the requests of one outlet, in order.
fn judge(outlet: usize, hits: &[Hit], wrong: &mut String) {
    let manner = Manner::of(outlet);
    for hit in hits {
        if hit.path.starts_with("/private/") || hit.path.starts_with("/closed/") {
            let _ = writeln!(wrong, "{outlet}: the forbidden {}", hit.path);
        }
    }
    for pair in hits.windows(2) {
        let [one, two] = pair else { continue };
        let mut delay = manner.delay();
        if one.status == 503 {
            delay = RETRY_AFTER;
        }
        let gap = two.began.checked_duration_since(one.ended).unwrap_or_default();
        if gap + GRAIN < delay {
            let _ =
                writeln!(wrong, "{outlet} {manner:?}: {gap:?} from {} to {}", one.path, two.path);
        }
    }
    let mut pages: BTreeMap<&str, usize> = BTreeMap::new();
    for hit in hits.iter().filter(|hit| hit.status < 400) {
        *pages.entry(&hit.path).or_default() += 1;
    }
    // Both runs poll the feed; nothing else is needed twice.
    pages.retain(|path, times| *times > if *path == "/feed.xml" { 2 } else { 1 });
    for (path, times) in pages {
        let _ = writeln!(wrong, "{outlet} {manner:?}: {path} was read {times} times");
    }
}

#[test]
fn many_workers_are_polite_to_many_outlets() {
    let outlets =
        std::env::var("CRAWLER_PROOF_OUTLETS").map_or(OUTLETS, |n| n.parse().expect("a number"));
    let server = Server::start(outlets, |addresses| {
        let addresses = addresses.to_vec();
        let asked = Mutex::default();
        move |ask: &Ask| reply(&format!("http://{}", addresses[ask.outlet]), ask, &asked)
    });
    let mut place = Place::new();
    let feeds: String = (0..outlets).map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.write("feeds.txt", feeds);
    place.run(["seed", "feeds.txt"]).good();
    place.set(&format!("pace.delay={}ms", DELAY.as_millis()));
    place.set(&format!("workers={WORKERS}"));
    place.set("pace.retry_first=10ms");
    // Shorter than what Retry-After asks for.
    place.set("pace.pause=50ms");
    let began = Instant::now();
    place.run(["run", "--once"]).good();
    let took = began.elapsed();
    // The second run finds feeds that it knows and nothing else to ask for.
    let before = server.hits().len();
    place.run(["run", "--once"]).good();
    let hits = server.hits();
    let more: Vec<&Hit> = hits[before..].iter().filter(|hit| hit.path != "/feed.xml").collect();
    assert!(more.is_empty(), "{more:?}");
    let unsent = hits[before..].iter().filter(|hit| hit.status == 304).count();
    assert_eq!(unsent, outlets / 6 + usize::from(outlets % 6 > 5), "feeds not sent again");
    let mut wrong = String::new();
    for outlet in 0..outlets {
        let mine: Vec<Hit> = hits.iter().filter(|hit| hit.outlet == outlet).cloned().collect();
        judge(outlet, &mine, &mut wrong);
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(place.run(["verify"]).good().contains("every number"));
    let outcomes = &place.json(["status"])["outcomes"];
    let closed = (0..outlets).filter(|n| Manner::of(*n) == Manner::Closed).count();
    assert_eq!(outcomes["forbidden"], closed * ARTICLES / 2, "{outcomes}");
    assert_eq!(outcomes["article"], outlets * ARTICLES - closed * ARTICLES / 2, "{outcomes}");
    let waits = hits.iter().filter(|hit| hit.status == 503).count();
    println!("\n- outlets: {outlets}, workers: {WORKERS}, requests: {}, in {took:?}", hits.len());
    println!("- forbidden, overlapping, too close, read twice: 0");
    println!(
        "- Crawl-delays kept at {} outlets",
        (0..outlets).filter(|n| Manner::of(*n) == Manner::Slow).count()
    );
    println!("- Retry-After kept after {waits} answers; feeds not sent again: {unsent}");
}

/// Such a file is asked for once, and no page before it can be had.
#[test]
fn a_robots_txt_that_leads_to_a_refused_address_is_unreachable() {
    let server = Server::start(2, |addresses| {
        let addresses = addresses.to_vec();
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (0, "/robots.txt") => answer("404 Not Found", &[], ""),
            (0, _) => {
                let items: String = (0..3)
                    .map(|n| {
                        let link = format!("http://{}/{n}.html", addresses[1]);
                        format!("<item><title>{n}</title><link>{link}</link></item>")
                    })
                    .collect();
                let feed = format!(
                    "<rss version=\"2.0\"><channel><title>F</title>{items}</channel></rss>"
                );
                answer("200 OK", &[], feed)
            }
            (_, "/robots.txt") => answer("302 Found", &["Location: http://169.254.169.254/"], ""),
            _ => answer("200 OK", &["Content-Type: text/html"], html(1, 1, 1, "2026-11-11")),
        }
    });
    let place = Place::new();
    place.write("feeds.txt", server.url(0, "/feed.xml"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    let asked: Vec<String> =
        server.hits().into_iter().filter(|hit| hit.outlet == 1).map(|hit| hit.path).collect();
    assert_eq!(asked, ["/robots.txt"]);
    let status = place.json(["status"]);
    assert_eq!(status["outcomes"]["refused"], serde_json::Value::Null, "{status}");
    let why = place.run(["status", "--why", &server.addresses[1].to_string()]).good();
    assert!(why.contains("robots.txt unreachable: it is redirected to an address"), "{why}");
}

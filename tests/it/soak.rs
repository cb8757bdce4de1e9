//! A long run with the clock sped up: outlets publish all the time, the daemon keeps up with them,
//! and neither its memory nor its open files nor the disk that an article takes grow with time.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::process::{Daemon, Place};
use crate::server::{Ask, Server, Step, answer};
use crate::web::{headline, html};

/// One second here is an hour of news.
const RATE: u64 = 3_600;
/// Length of the short form; `CRAWLER_PROOF_SOAK` asks for other seconds, `CRAWLER_PROOF_RATE` for
/// another rate.
const SECONDS: u64 = 6;
const OUTLETS: usize = 20;
/// Minutes between two articles of one outlet.
const EVERY: u64 = 60;
/// Entries that a feed shows.
const WINDOW: u64 = 20;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |n| n.parse().expect("a number"))
}

/// The articles that each outlet's feed has shown: from the first to before the last.
type Shown = HashMap<usize, (u64, u64)>;

/// Publishes as time goes by, by the clock of the crawler under test.
struct Press {
    began: Instant,
    /// Unix minutes at the start.
    epoch: u64,
    rate: u64,
    shown: Arc<Mutex<Shown>>,
}

impl Press {
    /// How many articles an outlet has published since it began to.
    fn published(&self, outlet: usize) -> u64 {
        let minutes = self.began.elapsed().as_millis() as u64 * self.rate / 60_000;
        WINDOW + (minutes + outlet as u64 * EVERY / OUTLETS as u64) / EVERY
    }

    fn instant(&self, outlet: usize, article: u64) -> String {
        let minute = self.epoch + (article * EVERY)
            - (outlet as u64 * EVERY / OUTLETS as u64)
            - WINDOW * EVERY;
        jiff::Timestamp::from_second(minute as i64 * 60).unwrap().to_string()
    }

    /// Every fifth article comes from an agency, to four outlets in turn.
    fn seed(outlet: usize, article: u64) -> u64 {
        if article.is_multiple_of(5) {
            1_000_000_000 + article * 16 + outlet as u64 / 4
        } else {
            article * 1_000 + outlet as u64
        }
    }

    fn reply(&self, here: &str, ask: &Ask) -> Vec<Step> {
        let outlet = ask.outlet;
        match ask.path {
            "/robots.txt" => answer("200 OK", &[], "User-agent: *\nDisallow: /private/\n"),
            "/feed.xml" => self.feed(here, ask),
            path => {
                let name = path.trim_start_matches("/news-").trim_end_matches(".html");
                let Ok(article) = name.parse::<u64>() else { return answer("404 Gone", &[], "") };
                match article % 40 {
                    7 => answer("404 Not Found", &[], "gone"),
                    17 => vec![Step::Reset],
                    _ => {
                        let published = self.instant(outlet, article);
                        let seed = Press::seed(outlet, article);
                        let page = html(seed, outlet, article as usize % 6, &published);
                        answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
                    }
                }
            }
        }
    }

    fn feed(&self, here: &str, ask: &Ask) -> Vec<Step> {
        let outlet = ask.outlet;
        let newest = self.published(outlet);
        let mut shown = self.shown.lock().unwrap();
        shown.entry(outlet).or_insert((newest - WINDOW, newest)).1 = newest;
        drop(shown);
        let tag = format!("ETag: \"{newest}\"");
        if ask.head.contains(&format!("\"{newest}\"")) {
            return answer("304 Not Modified", &[&tag], "");
        }
        let mut items = String::new();
        for article in (newest - WINDOW..newest).rev() {
            let (title, at) =
                (headline(Press::seed(outlet, article)), self.instant(outlet, article));
            let _ = write!(
                items,
                "<entry><title>{title}</title><id>{article}</id><updated>{at}</updated>\
                 <link href=\"{here}/news-{article}.html\"/></entry>"
            );
        }
        let feed = format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Outlet {outlet}</title>{items}</feed>"
        );
        answer("200 OK", &["Content-Type: application/atom+xml", &tag], feed)
    }
}

/// What the process takes at one moment.
struct Sample {
    hours: f64,
    articles: u64,
    resident: u64,
    files: usize,
    disk: u64,
    main: u64,
}

fn status_line(daemon: &Daemon, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", daemon.id())).unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn bytes(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => bytes(&entry.path()),
        Ok(about) => about.len(),
        // Removed meanwhile.
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

#[test]
fn it_takes_no_more_as_time_goes_by() {
    let (seconds, rate) =
        (number("CRAWLER_PROOF_SOAK", SECONDS), number("CRAWLER_PROOF_RATE", RATE));
    let shown = Arc::new(Mutex::new(Shown::new()));
    let server = Server::start(OUTLETS, |addresses| {
        let addresses = addresses.to_vec();
        let epoch = jiff::Timestamp::now().as_second() as u64 / 60;
        let press = Press { began: Instant::now(), epoch, rate, shown: shown.clone() };
        move |ask: &Ask| press.reply(&format!("http://{}", addresses[ask.outlet]), ask)
    });
    let mut place = Place::new();
    let feeds: String = (0..OUTLETS).map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.watch(feeds, "Acme\nUmbra\n");
    for setting in ["dedupe.window=2d", "store.cache_mib=16", "store.article_cache_mib=4"] {
        place.set(setting);
    }
    let mut command = place.command(["run"]);
    command.env("CRAWLER_CLOCK", rate.to_string()).env("CRAWLER_LOG", "error");
    let daemon = Daemon::of(&place, command);
    let began = Instant::now();
    let mut samples = Vec::new();
    println!("|hours|articles|resident KiB|open files|disk KiB|of it main KiB|");
    println!("|--:|--:|--:|--:|--:|--:|");
    while began.elapsed() < Duration::from_secs(seconds) {
        std::thread::sleep(Duration::from_millis(1_000 * seconds / 30));
        let status = place.json(["status"]);
        let sample = Sample {
            hours: began.elapsed().as_secs_f64() * rate as f64 / 3_600.0,
            articles: status["outcomes"]["article"].as_u64().unwrap_or(0),
            resident: status_line(&daemon, "VmRSS"),
            files: std::fs::read_dir(format!("/proc/{}/fd", daemon.id())).unwrap().count(),
            disk: bytes(&place.path("data")) / 1024,
            main: bytes(&place.path("data/main")) / 1024,
        };
        let Sample { hours, articles, resident, files, disk, main } = &sample;
        println!("|{hours:.0}|{articles}|{resident}|{files}|{disk}|{main}|");
        samples.push(sample);
    }
    let largest = status_line(&daemon, "VmHWM");
    println!("\nlargest resident size: {largest} KiB");
    daemon.terminate().good();
    complete(&place, &server, &shown.lock().unwrap());
    flat(&samples, largest, seconds);
}

/// Every article that a feed has shown is an entry, and every entry has an outcome.
fn complete(place: &Place, server: &Server, shown: &Shown) {
    let verified = place.run(["verify"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    let outlets = place.json(["outlets"]);
    for (outlet, address) in server.addresses.iter().enumerate() {
        let lines = outlets.as_array().unwrap();
        let line = lines.iter().find(|line| line["outlet"] == address.to_string()).unwrap();
        let all = shown.get(&outlet).map(|(first, last)| last - first);
        assert_eq!(line["entries"].as_u64(), all, "{line}");
    }
    assert!(place.json(["feeds"]).as_array().unwrap().iter().all(|feed| feed["gaps"] == 0));
    let pages =
        server.hits().into_iter().filter(|hit| hit.status == 200 && hit.path != "/feed.xml");
    let mut pages: Vec<_> = pages.map(|hit| (hit.outlet, hit.path)).collect();
    let all = pages.len();
    pages.sort();
    pages.dedup();
    let again = all - pages.len();
    // robots.txt once a day, nothing else.
    println!("pages read: {}, answers read again: {again}", pages.len());
    assert!(pages.len() > 3 * OUTLETS, "too little was read to say anything");
}

/// The last third takes what the middle one did: files and memory in use. Memory by the medians, since a
/// compaction, which takes more for a while, may lie in either; what it takes has a bound of its own.
fn flat(samples: &[Sample], largest: u64, seconds: u64) {
    let most = |part: &[Sample], of: fn(&Sample) -> u64| part.iter().map(of).max().unwrap();
    let third = samples.len() / 3;
    let (middle, last) = (&samples[third..2 * third], &samples[2 * third..]);
    let files = |sample: &Sample| sample.files as u64;
    let few = OUTLETS as u64;
    assert!(most(last, files) <= most(middle, files) + few, "open files grow");
    // In seconds, caches are still filling.
    if seconds >= 600 {
        let median = |part: &[Sample]| {
            let mut sizes: Vec<u64> = part.iter().map(|sample| sample.resident).collect();
            sizes.sort_unstable();
            sizes[sizes.len() / 2]
        };
        let (before, after) = (median(middle), median(last));
        println!("median resident size of the middle third {before} KiB, of the last {after} KiB");
        assert!(after * 100 <= before * 115, "memory grows: {before} KiB, then {after} KiB");
        assert!(largest * 2 <= before * 5, "{largest} KiB at a time, with {before} KiB in use");
        let each = |sample: &Sample| sample.disk / sample.articles.max(1);
        let (before, after) = (each(&middle[0]), each(&last[last.len() - 1]));
        assert!(
            after * 100 <= before * 130,
            "disk per article grows: {before} KiB, then {after} KiB"
        );
    }
}

//! What befalls a machine that runs for months: a full disk, one that is read-only, a clock that is
//! set, names that do not resolve, a network that is gone for hours. Nothing is lost, nothing is
//! counted twice, the message is a sentence, and the crawl goes on without hands.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::process::{Daemon, Place, end, wait_for};
use crate::server::{Ask, Server, Step, answer};
use crate::web::{ARTICLES, OUTLETS, Web, html};

const ALL: usize = OUTLETS * (ARTICLES + 2);

fn outcome(place: &Place, name: &str) -> usize {
    place.json(["status"])["outcomes"][name].as_u64().unwrap_or(0) as usize
}

/// All articles are there, once, and every number is right.
fn whole(web: &Web, place: &Place) {
    assert_eq!(outcome(place, "article"), ALL);
    assert_eq!(outcome(place, "pending"), 0);
    assert!(place.run(["verify"]).good().contains("every number"));
    let mentions = place.json(["mentions"]);
    let lines = mentions["lines"].as_array().unwrap().iter();
    let acme: i64 =
        lines.filter(|l| l["brand"] == "Acme").map(|l| l["mentions"].as_i64().unwrap()).sum();
    assert_eq!(acme, ALL as i64);
    assert!(web.hits().iter().all(|hit| !hit.path.starts_with("/private/")));
}

/// A command under a shell's limits.
fn limited(place: &Place, limits: &str, args: &[&str]) -> Command {
    let inner = place.command(args);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\""));
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(place.dir.path()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_full_disk_ends_the_run_with_a_sentence_and_loses_nothing() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let mut failed = 0;
    // Files that cannot grow beyond so many blocks of 512 bytes are what a full disk looks like from
    // a write; without the signal, the write fails as it does there.
    for blocks in [60, 150, 300, 500] {
        let limits = format!("trap '' XFSZ; ulimit -f {blocks}");
        let ended = end(limited(&place, &limits, &["run", "--once"]).spawn().unwrap());
        if ended.code == Some(0) {
            continue;
        }
        failed += 1;
        let said = ended.err.trim_end();
        assert!(ended.code.is_some(), "ended by a signal: {said}");
        assert!(said.contains("main") || said.contains("articles"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        assert!(said.ends_with("file too large"), "{said}");
    }
    assert!(failed > 0, "the limit was never met");
    place.run(["run", "--once"]).good();
    whole(&web, &place);
}

#[test]
fn a_disk_that_is_nearly_full_is_waited_for() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    let plenty = place.settings.clone();
    // No disk has so much.
    place.set("store.min_free_mib=1000000000000");
    place.run(["run", "--once"]).one_sentence(&["nearly full", "store.min_free_mib"]);
    let daemon = Daemon::start(&place);
    place.run(["status"]);
    let ended = daemon.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("nearly full"), "{}", ended.err);
    assert!(web.hits().is_empty(), "something was requested");
    place.settings = plenty;
    place.run(["run", "--once"]).good();
    whole(&web, &place);
}

#[test]
fn a_read_only_disk_is_named() {
    let web = Web::start();
    let place = Place::seeded(&web);
    // Nothing at all can be written.
    let limits = "trap '' XFSZ; ulimit -f 0";
    let ended = end(limited(&place, limits, &["run", "--once"]).spawn().unwrap());
    assert!(ended.code.is_some_and(|code| code != 0), "{}", ended.err);
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    // The real thing needs rights that a container may not give.
    let data = place.path("data").display().to_string();
    let mounted = format!("mount --bind {data} {data} && mount -o remount,ro,bind {data}");
    let inner = place.command(["run", "--once"]);
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c"]);
    command.arg(format!("{mounted} || exit 77; exec \"$0\" \"$@\""));
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(place.dir.path()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    match command.spawn().map(end) {
        Ok(ended) if ended.code == Some(77) => {
            println!("skipped: no right to mount here ({})", ended.err.trim());
        }
        Err(error) => println!("skipped: no unshare here ({error})"),
        Ok(ended) => ended.one_sentence(&["ead-only"]),
    }
    place.run(["run", "--once"]).good();
    whole(&web, &place);
}

#[test]
fn a_clock_that_is_set_changes_no_count_and_breaks_no_pace() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    let delay = Duration::from_millis(60);
    place.set(&format!("pace.delay={}ms", delay.as_millis()));
    place.write("clock", "0");
    let mut command = place.command(["run"]);
    command.env("CRAWLER_CLOCK", "1:clock");
    let daemon = Daemon::of(&place, command);
    let hour = 3_600_000_i64;
    for (n, off) in [40 * 24 * hour, -7 * hour, 13, -400 * 24 * hour].into_iter().enumerate() {
        let seen = web.hits().len();
        wait_for("some more requests", || web.hits().len() > seen + 5 || n > 2);
        place.write("clock", off.to_string());
    }
    // However the clock was set, what was to be done soon is done soon.
    wait_for("the rest", || outcome(&place, "article") == ALL);
    let ended = daemon.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("the system's clock was set by"), "{}", ended.err);
    whole(&web, &place);
    crate::crash::polite(&web, delay);
    let mut pages: Vec<_> = web.hits().into_iter().map(|hit| (hit.outlet, hit.path)).collect();
    pages.retain(|(_, path)| path.starts_with("/news-"));
    let all = pages.len();
    pages.sort();
    pages.dedup();
    assert_eq!(pages.len(), all, "nothing is read twice");
}

#[test]
fn a_clock_set_back_between_two_runs_delays_nothing() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let run = |off: i64| {
        place.write("clock", off.to_string());
        let mut command = place.command(["run"]);
        command.env("CRAWLER_CLOCK", "1:clock");
        Daemon::of(&place, command)
    };
    // A year ahead for some requests, then back.
    let ahead = run(365 * 24 * 3_600_000);
    wait_for("some requests", || web.hits().len() > 10);
    drop(ahead);
    let back = run(0);
    wait_for("the rest", || outcome(&place, "article") == ALL);
    let ended = back.terminate();
    assert!(ended.err.contains("it was set back"), "{}", ended.err);
    whole(&web, &place);
}

/// A network that is gone for hours: nobody answers. Time passes a thousand times as fast.
#[test]
fn an_outage_of_hours_loses_no_entry() {
    let gone = Arc::new(AtomicBool::new(false));
    let refused = Arc::new(AtomicUsize::new(0));
    let published = Arc::new(AtomicUsize::new(10));
    let server = Server::start(3, |addresses| {
        let addresses = addresses.to_vec();
        let (gone, refused, published) = (gone.clone(), refused.clone(), published.clone());
        move |ask: &Ask| {
            if gone.load(Ordering::SeqCst) {
                refused.fetch_add(1, Ordering::SeqCst);
                return vec![Step::Reset];
            }
            let here = addresses[ask.outlet];
            match ask.path {
                "/robots.txt" => answer("404 Not Found", &[], ""),
                "/feed.xml" => {
                    let items: String = (0..published.load(Ordering::SeqCst))
                        .map(|n| format!("<item><link>http://{here}/{n}.html</link></item>"))
                        .collect();
                    let feed = format!("<rss version=\"2.0\"><channel>{items}</channel></rss>");
                    answer("200 OK", &[], feed)
                }
                path => {
                    let n: u64 = path.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
                    let page =
                        html(n * 8 + ask.outlet as u64, ask.outlet, 1, "2026-11-11T11:00:00Z");
                    answer("200 OK", &["Content-Type: text/html"], page)
                }
            }
        }
    });
    let place = Place::new();
    let feeds: String = (0..3).map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.write("feeds.txt", feeds);
    place.run(["seed", "feeds.txt"]).good();
    let mut command = place.command(["run"]);
    command.env("CRAWLER_CLOCK", "2000").env("CRAWLER_LOG", "error");
    let daemon = Daemon::of(&place, command);
    wait_for("a first page", || server.hits().iter().any(|hit| hit.path.ends_with(".html")));
    gone.store(true, Ordering::SeqCst);
    published.store(25, Ordering::SeqCst);
    // Six hours are eleven seconds of the test: long enough for retries of every kind.
    wait_for("attempts", || refused.load(Ordering::SeqCst) > 30);
    gone.store(false, Ordering::SeqCst);
    wait_for("all articles", || outcome(&place, "article") == 75);
    assert_eq!(daemon.terminate().code, Some(0));
    assert!(place.run(["verify"]).good().contains("every number"));
    assert_eq!(place.json(["status"])["entries"], 75);
}

/// Names that do not resolve are asked again, contact or not, and never end an entry at once.
#[test]
fn an_outage_of_names_ends_no_entry() {
    let mut place = Place::new();
    place.set("pace.retry_first=1s");
    place.write("feeds.txt", "http://feeds.invalid/feed.xml\n");
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    let feeds = place.json(["feeds"]);
    let feed = &feeds[0];
    assert_eq!(feed["status"], "active", "{feed}");
    assert!(feed["why"].as_str().unwrap().contains("dns"), "{feed}");
}

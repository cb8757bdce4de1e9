//! A web of faults: every outlet of it misbehaves in a way of its own, beside others that do not.
//! Each fault ends as what it is, the page beside it and all other outlets are read as if it were
//! not there, and memory stays under its bound. `scripts/prove-faults` runs the long form.

mod cases;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::process::{Ended, Place, end, peak_of};
use crate::scratch::Scratch;
use crate::server::{Ask, Hit, Server, Step, answer};
use crate::web::html;
use cases::{Case, Spot};

/// Outlets without any fault, and articles of each; `CRAWLER_PROOF_FAULTS` asks for more articles.
const SOUND: usize = 6;
const ARTICLES: usize = 10;
/// Largest decoded page, and what all requests together may hold, MiB.
const PAGE_CAP: u64 = 10;
const IN_FLIGHT: u64 = 64;
/// Leases drained at the same time: more than there are outlets that only waste time.
const WORKERS: u64 = 48;
/// What the process takes beside pages: code, stacks, the store's caches (64 MiB), MiB.
const BASE: u64 = 256;
/// Time that the sound outlets take for an answer.
const THINKING: Duration = Duration::from_millis(5);

/// Least share of its pages per second that a sound outlet keeps beside the faults, in the long form.
const KEPT: f64 = 0.9;

/// Articles of a sound outlet in the long form.
fn proof() -> Option<usize> {
    std::env::var("CRAWLER_PROOF_FAULTS").ok().map(|n| n.parse().expect("a number"))
}

fn articles() -> usize {
    proof().unwrap_or(ARTICLES)
}

/// Pages of one outlet that are hard to read: in the long form as many as keep it up all the time.
fn times() -> usize {
    proof().map_or(1, |articles| articles / 2)
}

/// The sound outlets first, then one for each case.
fn start(cases: Vec<Case>) -> Server {
    Server::start(SOUND + cases.len(), |addresses| {
        let spots: Vec<Spot> = (0..addresses.len())
            .map(|outlet| Spot { addresses: addresses.to_vec(), outlet, asked: Mutex::default() })
            .collect();
        move |ask: &Ask| {
            let spot = &spots[ask.outlet];
            *spot.asked.lock().unwrap().entry(ask.path.to_owned()).or_default() += 1;
            let case = ask.outlet.checked_sub(SOUND).and_then(|n| cases.get(n));
            case.and_then(|case| (case.reply)(ask, spot))
                .unwrap_or_else(|| ordinary(ask, spot, case.map(|case| &case.entries)))
        }
    })
}

/// What an outlet answers where nothing is wrong.
fn ordinary(ask: &Ask, spot: &Spot, entries: Option<&Vec<String>>) -> Vec<Step> {
    let listed = || match entries {
        Some(entries) => entries.clone(),
        None => (0..articles()).map(|n| format!("/{n}.html")).collect(),
    };
    match ask.path {
        "/robots.txt" => answer("200 OK", &[], "User-agent: *\nDisallow: /private/\n"),
        "/feed.xml" => {
            answer("200 OK", &["Content-Type: application/rss+xml"], feed(spot, &listed()))
        }
        path => {
            if entries.is_none() {
                std::thread::sleep(THINKING);
            }
            let seed = path.bytes().fold(ask.outlet as u64 + 1, |hash, byte| {
                hash.wrapping_mul(1_099_511_628_211) ^ u64::from(byte)
            });
            let page = html(seed, ask.outlet, 2, "2026-11-10T08:00:00Z");
            answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
        }
    }
}

fn feed(spot: &Spot, entries: &[String]) -> String {
    let mut items = String::new();
    for (n, entry) in entries.iter().enumerate() {
        let url = if entry.starts_with('/') { spot.here(entry) } else { entry.clone() };
        let _ = write!(items, "<item><title>Entry {n}</title><link>{url}</link></item>");
    }
    format!("<rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>")
}

/// A run over some outlets of the web.
struct Run {
    place: Place,
    ended: Ended,
    /// Largest resident size, MiB.
    peak: u64,
    took: Duration,
}

/// Feeds of some outlets of the web, and what makes a test of it short; so many leases at a time.
fn prepare(place: &mut Place, server: &Server, outlets: Range<usize>, workers: u64) {
    let feeds: String = outlets.map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.write("feeds.txt", feeds);
    place.run(["seed", "feeds.txt"]).good();
    for setting in [
        // Short enough for a test; a sound outlet on a busy machine still keeps them.
        "fetch.first_byte=4s",
        "fetch.total=30s",
        "fetch.min_rate=2000",
        "fetch.min_rate_grace=3s",
        "feed.max_bytes=2000000",
        "fetch.feed_cap=2000000",
        "extract_deadline=2m",
        "pace.pause=50ms",
        "pace.pause_max=200ms",
        "pace.forbidden_burst=3",
        "pace.retry_first=20ms",
        "pace.retry_step=50ms",
        "pace.give_up=1ms",
        "once_patience=30s",
    ] {
        place.set(setting);
    }
    place.set(&format!("fetch.page_cap={}", PAGE_CAP << 20));
    place.set(&format!("fetch.in_flight={}", IN_FLIGHT << 20));
    place.set(&format!("workers={workers}"));
    if proof().is_some() {
        // As in the open, the delay and not the machine decides how fast an outlet is read.
        place.set("pace.delay=250ms");
    }
}

fn crawl(server: &Server, outlets: Range<usize>) -> Run {
    let mut place = Place::new();
    prepare(&mut place, server, outlets, WORKERS);
    let began = Instant::now();
    let child = place.command(["run", "--once"]).spawn().unwrap();
    let watch = peak_of(child.id());
    let ended = end(child);
    let took = began.elapsed();
    Run { place, ended, peak: watch.join().unwrap(), took }
}

/// Outcomes of every outlet.
fn outcomes(place: &Place) -> BTreeMap<String, BTreeMap<String, u64>> {
    let outlets = place.json(["outlets"]);
    let outlets = outlets.as_array().unwrap().iter();
    outlets
        .map(|line| {
            let of = line["outcomes"].as_object().unwrap().iter();
            let of = of.map(|(name, n)| (name.clone(), n.as_u64().unwrap()));
            (line["outlet"].as_str().unwrap().to_owned(), of.filter(|(_, n)| *n > 0).collect())
        })
        .collect()
}

/// What the outlets' outcomes are other than expected.
fn differences(
    server: &Server,
    names: &[&str],
    expected: &[Vec<(&'static str, u64)>],
    found: &BTreeMap<String, BTreeMap<String, u64>>,
) -> String {
    let mut wrong = String::new();
    let of = |outlet: &str| found.get(outlet).cloned().unwrap_or_default();
    for outlet in 0..SOUND {
        let of = of(&server.addresses[outlet].to_string());
        if of.get("article").copied().unwrap_or(0) < articles() as u64 {
            let _ = writeln!(wrong, "sound outlet {outlet}: {of:?}");
        }
    }
    for (n, (name, expect)) in names.iter().zip(expected).enumerate() {
        let of = of(&server.addresses[SOUND + n].to_string());
        let expect: BTreeMap<String, u64> =
            expect.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        if of != expect {
            let _ = writeln!(wrong, "{name}: {of:?}, not {expect:?}");
        }
    }
    // Where the faults led to: never dialled, or not there.
    for (outlet, outcome) in [
        ("10.0.0.1:80", "refused"),
        ("169.254.169.254:80", "refused"),
        ("[::ffff:a00:1]:80", "refused"),
        ("127.0.0.1:1", "failed(robots unreachable)"),
    ] {
        let of = of(outlet);
        if of != BTreeMap::from([(outcome.to_owned(), 1)]) {
            let _ = writeln!(wrong, "{outlet}: {of:?}, not {outcome}");
        }
    }
    wrong
}

/// Pages per second of the sound outlets, as they saw it, until the time given.
fn rate(hits: &[Hit], until: Instant) -> f64 {
    let pages: Vec<&Hit> = hits
        .iter()
        .filter(|h| h.outlet < SOUND && h.path.ends_with(".html") && h.ended <= until)
        .collect();
    let (first, last) = (pages[0].began, pages[pages.len() - 1].ended);
    pages.len() as f64 / (last - first).as_secs_f64()
}

#[test]
fn faults_end_as_what_they_are_and_harm_nobody() {
    let (names, expected, saw, said): (Vec<_>, Vec<_>, Vec<_>, Vec<_>) = {
        let cases = cases::all(times()).into_iter();
        cases.map(|case| (case.name, case.expect, case.saw, case.said)).collect()
    };
    let server = start(cases::all(times()));
    let alone = crawl(&server, 0..SOUND);
    alone.ended.good();
    let before = server.hits();
    let run = crawl(&server, 0..server.addresses.len());
    let err = run.ended.err.clone();
    run.ended.good();
    let found = outcomes(&run.place);
    let hits = server.hits();
    let mut wrong = differences(&server, &names, &expected, &found);
    println!("\n|fault|outcomes|requests|");
    println!("|--|--|--:|");
    for (n, name) in names.iter().enumerate() {
        let outlet = SOUND + n;
        let of = found.get(&server.addresses[outlet].to_string()).cloned().unwrap_or_default();
        let mine: Vec<Hit> = hits.iter().filter(|h| h.outlet == outlet).cloned().collect();
        let words: Vec<String> = of.iter().map(|(name, n)| format!("{n} {name}")).collect();
        println!("|{name}|{}|{}|", words.join(", "), mine.len());
        if let Some(sentence) = saw[n].as_ref().and_then(|saw| saw(&mine)) {
            let _ = writeln!(wrong, "{name}: {sentence}");
        }
    }
    println!("\n|feed|what is said of it|\n|--|--|");
    for feed in run.place.json(["feeds"]).as_array().unwrap() {
        let outlet = server.addresses.iter().position(|a| feed["outlet"] == a.to_string()).unwrap();
        let case = outlet.checked_sub(SOUND);
        let expect = case.and_then(|n| said[n]);
        let why = feed["why"].as_str().filter(|_| feed["failures"].as_f64() > Some(0.0));
        if let (Some(case), Some(why)) = (case, why) {
            println!("|{}|{why}|", names[case]);
        }
        if why.is_some() != expect.is_some() || !why.unwrap_or("").contains(expect.unwrap_or("")) {
            let name = case.map_or("sound", |n| names[n]);
            let _ = writeln!(wrong, "feed of {name}: {why:?}, not {expect:?}");
        }
    }
    let verified = run.place.run(["verify"]);
    assert!(wrong.is_empty(), "{wrong}\n{err}");
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    // As long as there are faults.
    let last = |hits: &[Hit]| hits.iter().map(|hit| hit.ended).max().unwrap();
    let beside = &hits[before.len()..];
    let faults: Vec<Hit> = beside.iter().filter(|hit| hit.outlet >= SOUND).cloned().collect();
    let (quiet, noisy) = (rate(&before, last(&before)), rate(beside, last(&faults)));
    println!(
        "\n- sound outlets: {quiet:.2} pages/s alone, {noisy:.2} beside {} requests of the others, \
         {:.0} % of it",
        faults.len(),
        noisy / quiet * 100.0
    );
    println!(
        "- took {:.1} s alone, {:.1} s with the faults",
        alone.took.as_secs_f64(),
        run.took.as_secs_f64()
    );
    println!("- largest resident size: {} MiB alone, {} MiB with the faults", alone.peak, run.peak);
    // A page may take twelve times its size while it is read.
    let bound = BASE + 12 * IN_FLIGHT;
    assert!(run.peak <= bound, "{} MiB, bound {bound} MiB", run.peak);
    if proof().is_some() {
        // The short form has neither a delay nor enough pages to say.
        assert!(noisy >= KEPT * quiet, "the faults cost the sound outlets too much");
    }
}

/// Processes that crawl the web of faults together.
const TOGETHER: u64 = 4;

#[test]
fn workers_on_one_database_end_the_faults_as_one_process_does() {
    let (names, expected): (Vec<_>, Vec<_>) =
        cases::all(1).into_iter().map(|case| (case.name, case.expect)).unzip();
    let server = start(cases::all(1));
    let database = Scratch::start();
    let mut place = Place::new();
    place.set(&format!("store={}", database.database("faults")));
    prepare(&mut place, &server, 0..server.addresses.len(), WORKERS / TOGETHER);
    let workers: Vec<_> =
        (0..TOGETHER).map(|_| place.command(["run", "--once"]).spawn().unwrap()).collect();
    for worker in workers {
        end(worker).good();
    }
    let found = outcomes(&place);
    let mut wrong = differences(&server, &names, &expected, &found);
    // One request at a time for each outlet, whoever makes it.
    let hits = server.hits();
    for outlet in 0..server.addresses.len() {
        let mine: Vec<&Hit> = hits.iter().filter(|hit| hit.outlet == outlet).collect();
        for pair in mine.windows(2).filter(|pair| pair[1].began < pair[0].ended) {
            let _ = writeln!(wrong, "{} before {} was answered", pair[1].path, pair[0].path);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    place.run(["verify"]).good();
}

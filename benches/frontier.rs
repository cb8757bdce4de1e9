//! What it costs to claim work, commit its outcomes and give it back, while feeds and known URLs
//! grow, and what a restart takes. So many feeds, each under a pace key of its own, each with so many
//! known URLs, one of them pending; a size with as many feeds as the one before goes on with its
//! store. Arguments: `FEEDS URLS_PER_FEED`, once per size.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crawler::meter::cpu;
use crawler::model::*;
use crawler::store::{self, Claim, PageCommit, PollCommit, Store};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const NOW: Millis = 1_795_000_000_000;
const DAY_OF: Day = Day::constant(2026, 11, 18);
/// Pace keys per claim, as a daemon with idle workers asks for, and claims measured.
const KEYS: usize = 32;
const CLAIMS: usize = 30;
/// Polls in one commit while the store is filled.
const GROUP: usize = 500;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    if let Some(at) = arguments.iter().position(|a| a == "--open") {
        return reopened(Path::new(&arguments[at + 1]), now(numbers[0]));
    }
    let bench = arguments.iter().any(|a| a == "--bench");
    let sizes: Vec<(usize, usize)> = match (numbers.is_empty(), bench) {
        (false, _) => numbers.chunks_exact(2).map(|size| (size[0], size[1])).collect(),
        (true, true) => vec![(1_000, 10), (10_000, 10), (100_000, 10), (100_000, 100)],
        (true, false) => vec![(100, 2), (100, 4)],
    };
    println!(
        "| feeds | known URLs | filled in | disk | opened in | resident | claim | commit | return | CPU | resident, at most |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut dir = tempfile::tempdir()?;
    let mut there = (0, 0);
    for (round, (feeds, each)) in sizes.into_iter().enumerate() {
        if feeds != there.0 {
            dir = tempfile::tempdir()?;
            there = (feeds, 0);
        }
        let began = Instant::now();
        let store = store::open(dir.path(), &store::Settings::default())?;
        if there.1 == 0 {
            store.add_feeds(&(0..feeds).map(feed).collect::<Vec<_>>())?;
        }
        fill(&*store, now(round), there.1..each)?;
        there.1 = each;
        let (filled, disk) = (began.elapsed(), store.size()? >> 20);
        drop(store);
        print!("| {feeds} | {} | {filled:.0?} | {disk} MiB ", feeds * each);
        std::io::stdout().flush()?;
        // In a process of its own, which has filled nothing.
        let done = std::process::Command::new(std::env::current_exe()?)
            .arg("--open")
            .arg(dir.path())
            .arg(round.to_string())
            .status()?;
        anyhow::ensure!(done.success(), "the store could not be measured");
    }
    Ok(())
}

/// When a store is filled for the n-th time.
fn now(round: usize) -> Millis {
    NOW + round as Millis * DAY
}

/// How long opening takes, what claims cost then, and the memory of it.
fn reopened(dir: &Path, now: Millis) -> anyhow::Result<()> {
    let began = Instant::now();
    let store = store::open(dir, &store::Settings::default())?;
    let opened = began.elapsed();
    let resident = status("VmRSS");
    let (claim, commit, back, cpu) = claims(&*store, now + 2 * HOUR)?;
    println!(
        "| {opened:.1?} | {resident} MiB | {claim:.1?} | {commit:.1?} | {back:.1?} | {cpu:.1?} | {} MiB |",
        status("VmHWM")
    );
    Ok(())
}

/// A size in /proc/self/status, MiB.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) >> 10
}

fn claim(now: Millis, keys: usize) -> Claim {
    Claim { owner: "bench".to_owned(), now, until: now + HOUR, keys, drain: 8 }
}

/// Every feed polled once: its pending entries are done with, and new ones known, the last of them
/// pending.
fn fill(store: &dyn Store, now: Millis, new: std::ops::Range<usize>) -> anyhow::Result<()> {
    loop {
        let leases = store.claim(&claim(now, GROUP))?;
        if leases.is_empty() {
            return Ok(());
        }
        let mut batch = store.batch()?;
        for lease in &leases {
            for task in &lease.tasks {
                if task.kind == TaskKind::Fetch {
                    batch.page(lease, read(task.key, now))?;
                    continue;
                }
                let mut polled = feed(task.key.0 as usize);
                polled.poll.next = now + DAY;
                polled.poll.last = Some(now);
                let mut entries: Vec<UrlRecord> =
                    new.clone().map(|n| entry(&polled, n, now)).collect();
                if let Some(last) = entries.last_mut() {
                    (last.outcome, last.next) = (Outcome::Pending, now + HOUR);
                }
                let poll = PollCommit {
                    feed: polled,
                    due: task.due,
                    at: now,
                    day: DAY_OF,
                    begins: now,
                    succeeded: true,
                    pushed: false,
                    entries,
                    feeds: Vec::new(),
                };
                batch.poll(lease, poll)?;
            }
        }
        batch.commit()?;
        for lease in &leases {
            store.complete(lease, &lease.pace)?;
        }
    }
}

/// A page that is no article.
fn read(key: UrlKey, at: Millis) -> PageCommit {
    PageCommit {
        key,
        outcome: Outcome::NotArticle("no text".to_owned()),
        at,
        retry: None,
        article: None,
        discovered: Vec::new(),
        aliases: Vec::new(),
    }
}

fn feed(number: usize) -> Feed {
    let outlet = format!("outlet-{number}.test");
    let url = format!("https://{outlet}/feed.xml");
    Feed::new(UrlKey(number as u128), url, outlet.clone(), outlet, NOW)
}

fn entry(feed: &Feed, n: usize, now: Millis) -> UrlRecord {
    // Keys are hashes: they must not come in order.
    let key = (feed.key.0 * 1_000 + n as u128 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let url = format!("https://{}/2026/11/18/an-article-with-a-title-{n}.html", feed.outlet);
    UrlRecord {
        key: UrlKey(key),
        canonical: url.clone(),
        outlet: feed.outlet.clone(),
        pace_key: feed.pace_key.clone(),
        feed: feed.key,
        entry: Entry {
            url,
            title: Some("An article with a title of the usual length".to_owned()),
            ..Entry::default()
        },
        first_seen: now,
        arrival: DAY_OF,
        backlog: false,
        outcome: Outcome::TooOld,
        attempts: 0,
        next: now,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::First,
        arrived: Arrived::Seen,
    }
}

/// Median wall times of a claim, of the commit of one outcome for each of its keys, and of giving the
/// keys back one by one; and the mean CPU time of all three.
fn claims(
    store: &dyn Store,
    now: Millis,
) -> anyhow::Result<(Duration, Duration, Duration, Duration)> {
    let mut times: [Vec<Duration>; 3] = Default::default();
    let before = cpu();
    for n in 0..CLAIMS {
        let now = now + n as Millis;
        let mut began = Instant::now();
        let mut lap = |times: &mut Vec<Duration>| {
            times.push(began.elapsed());
            began = Instant::now();
        };
        let leases = store.claim(&claim(now, KEYS))?;
        lap(&mut times[0]);
        let mut batch = store.batch()?;
        let mut pages = 0;
        for lease in &leases {
            for task in lease.tasks.iter().filter(|task| task.kind == TaskKind::Fetch) {
                batch.page(lease, read(task.key, now))?;
                pages += 1;
            }
        }
        batch.commit()?;
        lap(&mut times[1]);
        for lease in &leases {
            store.complete(lease, &Pace { next_at: now + HOUR, ..lease.pace.clone() })?;
        }
        lap(&mut times[2]);
        anyhow::ensure!((leases.len(), pages) == (KEYS, KEYS), "{pages} pages were due");
    }
    let spent = (cpu() - before) / CLAIMS as u32;
    let [claim, commit, back] = times.map(|mut times| {
        times.sort();
        times[CLAIMS / 2]
    });
    Ok((claim, commit, back, spent))
}

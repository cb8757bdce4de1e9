//! What it costs to claim work and give it back, while feeds and known URLs grow, and what a
//! restart takes. Each size is a store of its own: so many feeds, each under a pace key of its own,
//! each with so many known URLs. Arguments: `FEEDS URLS_PER_FEED`, once per size.

use std::path::Path;
use std::time::{Duration, Instant};

use crawler::model::*;
use crawler::store::{self, Claim, PollCommit, Store};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NOW: Millis = 1_795_000_000_000;
const DAY_OF: Day = Day::constant(2026, 11, 18);
/// Pace keys per claim, as a daemon with idle workers asks for, and claims measured.
const KEYS: usize = 32;
const CLAIMS: usize = 200;
/// Polls in one commit while the store is filled.
const GROUP: usize = 500;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|a| a == "--open") {
        return reopened(Path::new(&arguments[at + 1]));
    }
    let bench = arguments.iter().any(|a| a == "--bench");
    let numbers: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let sizes: Vec<(usize, usize)> = match (numbers.is_empty(), bench) {
        (false, _) => numbers.chunks_exact(2).map(|size| (size[0], size[1])).collect(),
        (true, true) => vec![(1_000, 10), (10_000, 10), (100_000, 10)],
        (true, false) => vec![(100, 2)],
    };
    println!(
        "feeds     known URLs   claim and return of {KEYS} keys: median, CPU   filled in   disk"
    );
    for (feeds, each) in sizes {
        measure(feeds, each)?;
    }
    Ok(())
}

fn measure(feeds: usize, each: usize) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = store::open(dir.path(), &store::Settings::default())?;
    let began = Instant::now();
    fill(&*store, feeds, each)?;
    let filled = began.elapsed();
    let (median, cpu) = claims(&*store)?;
    let disk = store.size()? >> 20;
    let urls = feeds * each;
    println!("{feeds:<9} {urls:<12} {median:>40.2?} {cpu:>8.2?} {filled:>11.1?} {disk:>5} MB");
    drop(store);
    let child = std::process::Command::new(std::env::current_exe()?)
        .arg("--open")
        .arg(dir.path())
        .output()?;
    print!("{}{}", String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    Ok(())
}

/// In a process of its own: how long opening takes, and memory after a first claim.
fn reopened(dir: &Path) -> anyhow::Result<()> {
    let began = Instant::now();
    let store = store::open(dir, &store::Settings::default())?;
    let opened = began.elapsed();
    let claimed = store.claim(&claim(NOW + 3 * HOUR, KEYS))?.len();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1)).unwrap_or("?").to_owned()
    };
    println!(
        "          restart: opened in {opened:.1?}, {claimed} keys claimed; resident {} KiB, at most {} KiB",
        line("VmRSS"),
        line("VmHWM")
    );
    Ok(())
}

fn claim(now: Millis, keys: usize) -> Claim {
    Claim { owner: "bench".to_owned(), now, until: now + HOUR, keys, drain: 8 }
}

/// Every feed polled once, its entries known and done with.
fn fill(store: &dyn Store, feeds: usize, each: usize) -> anyhow::Result<()> {
    let all: Vec<Feed> = (0..feeds).map(feed).collect();
    store.add_feeds(&all)?;
    loop {
        let leases = store.claim(&claim(NOW, GROUP))?;
        if leases.is_empty() {
            return Ok(());
        }
        let mut batch = store.batch()?;
        for lease in &leases {
            for task in &lease.tasks {
                let number = task.key.0 as usize;
                let mut polled = feed(number);
                polled.poll.next = NOW + HOUR + number as Millis;
                polled.poll.last = Some(NOW);
                let entries = (0..each).map(|n| entry(&polled, n)).collect();
                batch.poll(
                    lease,
                    PollCommit {
                        feed: polled,
                        due: task.due,
                        at: NOW,
                        day: DAY_OF,
                        succeeded: true,
                        entries,
                        feeds: Vec::new(),
                    },
                )?;
            }
        }
        batch.commit()?;
        for lease in &leases {
            store.complete(lease, &lease.pace)?;
        }
    }
}

fn feed(number: usize) -> Feed {
    let outlet = format!("outlet-{number}.test");
    Feed {
        key: UrlKey(number as u128),
        url: format!("https://{outlet}/feed.xml"),
        pace_key: outlet.clone(),
        outlet,
        group: None,
        title: None,
        language: None,
        format: None,
        status: FeedStatus::Active,
        added: NOW,
        poll: PollState { next: NOW, ..PollState::default() },
    }
}

fn entry(feed: &Feed, n: usize) -> UrlRecord {
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
        first_seen: NOW,
        arrival: DAY_OF,
        backlog: false,
        outcome: Outcome::TooOld,
        attempts: 0,
        next: NOW,
        last_error: None,
        chain: Vec::new(),
    }
}

/// Median wall time and mean CPU time of a claim whose leases are given back.
fn claims(store: &dyn Store) -> anyhow::Result<(Duration, Duration)> {
    let cpu = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let mut times = Vec::with_capacity(CLAIMS);
    let before = cpu();
    for n in 0..CLAIMS {
        let began = Instant::now();
        let leases = store.claim(&claim(NOW + 2 * HOUR + n as Millis, KEYS))?;
        for lease in &leases {
            let pace = Pace { next_at: NOW + 2 * HOUR + n as Millis, ..lease.pace.clone() };
            store.complete(lease, &pace)?;
        }
        anyhow::ensure!(leases.len() == KEYS, "{} keys were due", leases.len());
        times.push(began.elapsed());
    }
    let spent = (cpu() - before) / CLAIMS as u32;
    times.sort();
    Ok((times[CLAIMS / 2], spent))
}

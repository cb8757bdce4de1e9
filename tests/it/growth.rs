//! The embedded store under a month of churn: every poll overwrites a feed's record, every page a pace
//! key's, and entries come and leave by age. Files shrink only when they are compacted; with the upkeep
//! that the daemon does every hour they stay within twice what is alive. The short form is some days
//! of few feeds; `scripts/prove-growth` asks for more.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crawler::model::*;
use crawler::store::{self, Claim, PageCommit, PollCommit, Settings, Store};

/// 2026-11-01 00:00 UTC.
const T0: Millis = 1_793_491_200_000;
/// Age at which entries leave.
const MEMORY: Millis = 7 * DAY;

struct Plan {
    days: i64,
    feeds: u32,
    /// New entries of a feed and hour.
    entries: u32,
    /// Databases smaller than this are left alone, MiB.
    small: u64,
}

impl Plan {
    fn of_environment() -> Plan {
        let value = std::env::var("CRAWLER_PROOF_GROWTH").unwrap_or_default();
        let mut numbers = value.split_whitespace().map(|n| n.parse().unwrap());
        match (numbers.next(), numbers.next()) {
            (Some(days), Some(feeds)) => Plan { days, feeds: feeds as u32, entries: 2, small: 1 },
            _ => Plan { days: 3, feeds: 18, entries: 2, small: 1 },
        }
    }
}

fn key(parts: [u32; 3]) -> UrlKey {
    // Spread like hashes.
    let n = parts.iter().fold(7_u128, |n, part| {
        (n << 32 | u128::from(*part)).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    });
    UrlKey(n)
}

fn outlet(feed: u32) -> String {
    format!("outlet-{feed}.test")
}

fn feed(n: u32) -> Feed {
    let url = format!("https://{}/feed.xml", outlet(n));
    Feed {
        title: Some("A feed of the usual length of title".into()),
        language: Some("en".into()),
        format: Some(FeedFormat::Rss2),
        ..Feed::new(key([n, 0, 0]), url, outlet(n), outlet(n), T0)
    }
}

fn entry(feed: u32, hour: u32, n: u32, at: Millis) -> UrlRecord {
    let key = key([feed, hour + 1, n]);
    let url =
        format!("https://{}/news/{hour}/an-address-of-the-usual-length-{n}.html", outlet(feed));
    UrlRecord {
        key,
        canonical: url.clone(),
        outlet: outlet(feed),
        pace_key: outlet(feed),
        feed: self::key([feed, 0, 0]),
        entry: Entry {
            url,
            title: Some(format!("Headline {n} of hour {hour}, of a length that headlines have")),
            summary: Some("Two sentences that say what the article is about. ".repeat(4)),
            ..Entry::default()
        },
        first_seen: at,
        arrival: day(at),
        backlog: false,
        outcome: Outcome::Pending,
        attempts: 0,
        next: at,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::First,
        arrived: Arrived::Seen,
    }
}

fn day(at: Millis) -> Day {
    jiff::Timestamp::from_millisecond(at).unwrap().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// One hour of one feed: its poll, and the pages that it led to.
fn hour(store: &dyn Store, n: u32, hour: u32, plan: &Plan) {
    let at = T0 + i64::from(hour) * HOUR;
    let claim = Claim { owner: "w".into(), now: at, until: at + HOUR, keys: 1, drain: 50 };
    let lease = store.claim_key(&claim, &outlet(n)).unwrap().expect("free");
    let mut feed = store.feed(key([n, 0, 0])).unwrap().unwrap();
    let due = feed.poll.next;
    let entries: Vec<UrlRecord> = (0..plan.entries).map(|e| entry(n, hour, e, at)).collect();
    let keys: Vec<UrlKey> = entries.iter().map(|entry| entry.key).collect();
    feed.poll.recent.splice(0..0, keys.iter().copied());
    feed.poll.recent.truncate(100);
    feed.poll.next = at + HOUR;
    feed.poll.last = Some(at);
    feed.poll.polls += 1;
    let (day, begins, feeds) = (day(at), at - at.rem_euclid(DAY), Vec::new());
    let (succeeded, pushed) = (true, false);
    let poll = PollCommit { feed, due, at, day, begins, succeeded, pushed, entries, feeds };
    let mut batch = store.batch().unwrap();
    batch.poll(&lease, poll).unwrap();
    batch.commit().unwrap();
    for key in keys {
        let mut batch = store.batch().unwrap();
        let page = PageCommit {
            key,
            outcome: Outcome::OtherPage(PageType::Multiple),
            at,
            retry: None,
            article: None,
            discovered: Vec::new(),
            aliases: Vec::new(),
        };
        batch.page(&lease, page).unwrap();
        let pace = Pace { next_at: at + SECOND, response_ms: hour as f32, ..lease.pace.clone() };
        batch.pace(&lease, &pace).unwrap();
        batch.commit().unwrap();
    }
    assert!(store.complete(&lease, &lease.pace).unwrap());
}

/// Of the disk: files are longer than what is written of them.
fn bytes(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files
        .map(|file| match file.metadata() {
            Ok(meta) if meta.is_dir() => bytes(&file.path()),
            Ok(meta) => meta.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

#[test]
fn churn_stays_within_twice_what_is_alive() {
    let plan = Plan::of_environment();
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { compact_mib: plan.small, now: Some(T0), ..Settings::default() };
    let store = store::open(dir.path(), &settings).unwrap();
    let main = dir.path().join("main");
    let feeds: Vec<Feed> = (0..plan.feeds).map(feed).collect();
    store.add_feeds(&feeds).unwrap();
    println!("|day|entries kept|main MiB, largest of the day|compactions|");
    println!("|--:|--:|--:|--:|");
    let (mut peaks, mut compactions) = (Vec::new(), 0);
    for today in 0..plan.days {
        let mut largest = 0;
        for clock in 0..24 {
            let now = (today * 24 + clock) as u32;
            for n in 0..plan.feeds {
                hour(store.as_ref(), n, now, &plan);
            }
            largest = largest.max(bytes(&main));
            // What the daemon's upkeep does.
            let at = T0 + i64::from(now) * HOUR;
            while store.prune_entries(at - MEMORY, 2_000).unwrap().more {}
            if store.wants_compaction().unwrap() {
                compactions += u32::from(store.compact(false).unwrap().is_some());
            }
        }
        let mut kept = 0_u64;
        store
            .urls(&mut |_| {
                kept += 1;
                true
            })
            .unwrap();
        println!("|{}|{kept}|{:.1}|{compactions}|", today + 1, largest as f64 / 1_048_576.0);
        peaks.push(largest);
        let most = u64::from(plan.feeds * plan.entries) * 24 * 8;
        assert!(kept <= most, "{kept} entries are kept of at most {most}");
    }
    assert!(compactions > 0, "nothing was ever given back");
    let mut findings = Vec::new();
    store.verify(&mut |finding| findings.push(finding.0)).unwrap();
    assert_eq!(findings, Vec::<String>::new());
    store.compact(false).unwrap();
    let alive = bytes(&main);
    // The last day has the most alive.
    let peak = *peaks.last().unwrap();
    println!(
        "\nAlive at the end: {:.1} MiB; largest on the last day: {:.1} MiB, {:.2} times as much.",
        alive as f64 / 1_048_576.0,
        peak as f64 / 1_048_576.0,
        peak as f64 / alive as f64
    );
    let floor = (2 * plan.small) << 20;
    assert!(peak <= floor.max(2 * alive), "{peak} bytes for {alive} alive");
}

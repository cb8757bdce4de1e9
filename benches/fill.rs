//! A store as a daemon leaves it after a year: polls and pages are leased, committed and given back, with
//! articles of average length, evenly over the last 365 days. Says what a commit took, the memory of this
//! process, and what an article takes on disk, table by table.
//!
//!     cargo bench --bench fill -- 1000000 DIR
//!
//! Without a folder the store is made in a temporary one. `scripts/prove-memory` starts a daemon over it.

#[allow(dead_code, reason = "each bench uses its part of it")]
mod news;

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use crawler::dedupe::Print;
use crawler::model::*;
use crawler::store::{self, ArticleCommit, Claim, PageCommit, PollCommit, Remembered, Store};
use news::News;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const DAYS: u64 = 365;
/// Articles of an outlet on a day, if there are enough of them.
const A_DAY: u64 = 10;
/// Articles that a daemon logs between two savings of its copy index.
const LOGGED: u64 = 30_000;
/// Texts that are made up; they come again with other numbers in them.
const TEXTS: usize = 4_096;

fn main() -> Result<()> {
    let bench = std::env::args().any(|arg| arg == "--bench");
    let mut given = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let articles: u64 = match given.next() {
        Some(number) => number.parse().context("the number of articles")?,
        None => {
            if bench {
                20_000
            } else {
                400
            }
        }
    };
    let temporary = tempfile::tempdir()?;
    let dir = given.next().map_or(temporary.path().join("data"), PathBuf::from);
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as Millis;
    let began = Instant::now();
    let mut fill = Fill::new(&dir, articles, now)?;
    let mut memory = Vec::new();
    for day in 0..DAYS {
        fill.day(now - (DAYS - day) as Millis * DAY, day + 1 == DAYS)?;
        if (day + 1) % (DAYS / 4) == 0 {
            memory.push((resident() >> 10).to_string());
        }
    }
    let Fill { store, commits, done, .. } = fill;
    drop(store);
    let bytes = under(&dir);
    let each = |bytes: u64| bytes / done.max(1);
    println!(
        "{done} articles over {DAYS} days in {:.0} s, commits {:.2} ms an article",
        began.elapsed().as_secs_f64(),
        commits.as_secs_f64() * 1_000.0 / done.max(1) as f64
    );
    println!("resident after each quarter of the year: {} MiB", memory.join(", "));
    println!(
        "on disk: {} MB, {} bytes an article: main {}, months {}",
        bytes / 1_000_000,
        each(bytes),
        each(under(&dir.join("main"))),
        each(under(&dir.join("articles")))
    );
    tables(&dir, done)
}

/// Tables of main by the byte that their keys begin with; all others hold less than a row an article.
const TABLES: [(u8, &str); 15] = [
    (b'u', "entries"),
    (b'z', "what pages printed, of the last days of their outlets"),
    (b'm', "mention rows, by brand"),
    (b'b', "mention rows, by article"),
    (b'w', "members of stories, by article"),
    (b'W', "members of stories, by date"),
    (b's', "stories"),
    (b'y', "stories, by day"),
    (b'n', "brands of stories"),
    (b'p', "where articles are"),
    (b'i', "articles, by day"),
    (b'a', "aliases"),
    (b'c', "articles that are recounted"),
    (b'h', "excerpts"),
    (b'j', "log of articles that came and went"),
];

/// What each table takes, as keys and values, and how full its file is.
fn tables(dir: &std::path::Path, articles: u64) -> Result<()> {
    println!("\n|table|rows|bytes of keys and values|an article|\n|:--|--:|--:|--:|");
    let say = |name: &str, (rows, bytes): (u64, u64)| {
        println!("|{name}|{rows}|{bytes}|{}|", bytes / articles.max(1));
    };
    let main = sums(&dir.join("main"), |key| key.first().copied().unwrap_or_default())?;
    let known = |table: u8| TABLES.iter().find(|(byte, _)| *byte == table);
    for (byte, name) in TABLES {
        say(name, main.get(&byte).copied().unwrap_or_default());
    }
    let rest = main.iter().filter(|(byte, _)| known(**byte).is_none());
    say("all others of main", rest.fold((0, 0), |sum, (_, of)| (sum.0 + of.0, sum.1 + of.1)));
    let mut months: BTreeMap<bool, (u64, u64)> = BTreeMap::new();
    for month in std::fs::read_dir(dir.join("articles"))? {
        // Keys of records are those of their articles, and the letter of what is kept.
        for (vectors, (rows, bytes)) in sums(&month?.path(), |key| key.len() > 17)? {
            let sum = months.entry(vectors).or_default();
            *sum = (sum.0 + rows, sum.1 + bytes);
        }
    }
    for (vectors, name) in [(false, "records of articles"), (true, "vectors")] {
        say(&format!("{name}, in the months"), months.get(&vectors).copied().unwrap_or_default());
    }
    Ok(())
}

/// Rows and bytes of a map, by what their keys say.
fn sums<T: Ord>(
    folder: &std::path::Path,
    table: impl Fn(&[u8]) -> T,
) -> Result<BTreeMap<T, (u64, u64)>> {
    const ROWS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("rows");
    let map = Database::open(folder.join("rows.redb"))?;
    let rows = map.begin_read()?.open_table(ROWS)?;
    let mut sums = BTreeMap::new();
    for row in rows.iter()? {
        let (key, value) = row?;
        let sum: &mut (u64, u64) = sums.entry(table(key.value())).or_default();
        sum.0 += 1;
        sum.1 += (key.value().len() + value.value().len()) as u64;
    }
    Ok(sums)
}

struct Fill {
    store: std::sync::Arc<dyn Store>,
    outlets: u64,
    articles: u64,
    done: u64,
    logged: u64,
    commits: Duration,
    texts: Vec<String>,
}

impl Fill {
    fn new(dir: &std::path::Path, articles: u64, now: Millis) -> Result<Fill> {
        let first = now - DAYS as Millis * DAY;
        let settings = store::Settings { now: Some(first), ..store::Settings::default() };
        let store = store::open(dir, &settings)?;
        let outlets = (articles / (DAYS * A_DAY)).clamp(1, 400);
        let feeds: Vec<Feed> = (0..outlets).map(|n| feed(n, first)).collect();
        store.add_feeds(&feeds)?;
        let mut news = News::new(7);
        let texts = (0..TEXTS.min(articles as usize)).map(|_| news.fresh()).collect();
        let (done, logged, commits) = (0, 0, Duration::ZERO);
        Ok(Fill { store, outlets, articles, done, logged, commits, texts })
    }

    /// A day of every outlet.
    fn day(&mut self, at: Millis, last: bool) -> Result<()> {
        let day = utc_day(at);
        for outlet in 0..self.outlets {
            // Rounded so that all articles come in the end.
            let turn = day_number(at) * self.outlets + outlet;
            let share = self.articles * 2 / (DAYS * self.outlets);
            let many = match (last, share) {
                (true, _) => (self.articles - self.done).div_ceil(self.outlets - outlet),
                (false, 0) => {
                    u64::from(turn.is_multiple_of(DAYS * self.outlets / self.articles.max(1)))
                }
                (false, share) => share / 2 + (share % 2) * (turn % 2),
            };
            self.visit(outlet, at, day, many.min(self.articles - self.done))?;
        }
        Ok(())
    }

    /// One poll, and the pages that it leads to.
    fn visit(&mut self, outlet: u64, at: Millis, day: Day, many: u64) -> Result<()> {
        let pages: Vec<(UrlRecord, ArticleCommit)> = (0..many)
            .map(|n| {
                let entry = entry(outlet, self.done + n, at);
                let article = self.article(&entry, self.done + n, at);
                (entry, article)
            })
            .collect();
        let began = Instant::now();
        let store = &*self.store;
        let claim = Claim { owner: "fill".into(), now: at, until: at + HOUR, keys: 1, drain: 50 };
        let lease = store.claim_key(&claim, &name(outlet))?.context("a free pace key")?;
        let mut feed = store.feed(key(outlet, u64::MAX))?.context("its feed")?;
        let due = feed.poll.next;
        feed.poll.next = at + DAY;
        feed.poll.last = Some(at);
        feed.poll.polls += 1;
        let entries = pages.iter().map(|(entry, _)| entry.clone()).collect();
        let poll = PollCommit {
            feed,
            due,
            at,
            day,
            begins: at,
            succeeded: true,
            pushed: false,
            entries,
            feeds: Vec::new(),
        };
        let mut batch = store.batch()?;
        batch.poll(&lease, poll)?;
        batch.commit()?;
        let mut batch = store.batch()?;
        for (entry, article) in pages {
            let page = PageCommit {
                key: entry.key,
                outcome: Outcome::Article,
                at,
                retry: None,
                article: Some(article),
                discovered: Vec::new(),
                aliases: vec![UrlKey(entry.key.0 ^ 1)],
            };
            batch.page(&lease, page)?;
        }
        batch.commit()?;
        store.complete(&lease, &lease.pace)?;
        self.done += many;
        self.logged += many;
        if self.logged >= LOGGED {
            // As when the copy index is saved.
            store.trim_log(store.log_end()?)?;
            self.logged = 0;
        }
        self.commits += began.elapsed();
        Ok(())
    }

    fn article(&self, entry: &UrlRecord, n: u64, at: Millis) -> ArticleCommit {
        let text = &self.texts[n as usize % self.texts.len()];
        // No copy of the text before it: half of its words are its own.
        let words = text.split_whitespace().enumerate();
        let own = words.map(|(at, word)| match at % 2 {
            0 => format!("{word} "),
            _ => format!("{word}{} ", (n as usize / self.texts.len()) * 31 % 9_973),
        });
        let text: String = own.collect();
        let paragraphs: Vec<&str> = text.split_inclusive(". ").collect();
        let body = paragraphs.iter().map(|text| (text.trim().to_owned(), Label::Paragraph));
        let rest = (0..24).map(|n| (format!("Furniture {n} of the page"), Label::None));
        let blocks = body.chain(rest).map(|(text, label)| Block { text, label, probability: 0.5 });
        let article = Article {
            page_type: PageType::Article,
            blocks: blocks.collect(),
            text: text.clone(),
            model: "0123456789abcdef".to_owned(),
            ..Article::default()
        };
        let day = utc_day(at);
        let (zone, source) = (ZoneSource::Printed, Source::Meta);
        let precision = Precision::Instant;
        let record = ArticleRecord {
            key: entry.key,
            url: entry.canonical.clone(),
            final_url: entry.canonical.clone(),
            outlet: entry.outlet.clone(),
            feed: entry.feed,
            feed_title: Some("A feed of the usual length of title".into()),
            backlog: false,
            first_seen: at,
            fetched: at,
            charset: ("UTF-8".into(), "header".into()),
            published: Published { at, day, precision, zone, source, printed: None },
            article,
            memory: None,
            sighting: Sighting::Open,
            agencies: None,
        };
        let mention = |n| {
            let (brand, matched) = (format!("brand {n}"), "Brand".to_owned());
            Mention { brand, matched, block: Some(3), start: 17, end: 22, zone: Zone::Body }
        };
        // Every third article names a brand.
        let row = n.is_multiple_of(3).then(|| MentionRow {
            brand: format!("brand {}", n % 100),
            day,
            article: entry.key,
            outlet: entry.outlet.clone(),
            language: Some("en".to_owned()),
            feed: entry.feed,
            backlog: false,
            own_outlet: false,
            counted: 2,
            suppressed: 0,
            mentions: vec![mention(n % 100), mention(n % 100)],
        });
        let printed = (0..40_u64).flat_map(|block| (n / 7 * 40 + block).to_le_bytes());
        ArticleCommit {
            vector: Print::of(&text).encode(),
            record,
            mentions: row.into_iter().collect(),
            brand_set: String::new(),
            joining: Joining::default(),
            excerpts: Vec::new(),
            printed: Some(Remembered { bytes: printed.collect(), since: utc_day(at - 30 * DAY) }),
        }
    }
}

fn name(outlet: u64) -> String {
    format!("outlet-{outlet}.test")
}

/// Spread like hashes.
fn key(outlet: u64, n: u64) -> UrlKey {
    let mixed = (u128::from(outlet) << 64 | u128::from(n))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    UrlKey(mixed ^ mixed >> 64)
}

fn day_number(at: Millis) -> u64 {
    (at / DAY).unsigned_abs()
}

fn feed(outlet: u64, at: Millis) -> Feed {
    let url = format!("https://{}/feed.xml", name(outlet));
    Feed {
        title: Some("A feed of the usual length of title".into()),
        language: Some("en".into()),
        format: Some(FeedFormat::Rss2),
        ..Feed::new(key(outlet, u64::MAX), url, name(outlet), name(outlet), at)
    }
}

fn entry(outlet: u64, n: u64, at: Millis) -> UrlRecord {
    let url = format!("https://{}/news/an-address-of-the-usual-length-{n}.html", name(outlet));
    UrlRecord {
        key: key(outlet, n),
        canonical: url.clone(),
        outlet: name(outlet),
        pace_key: name(outlet),
        feed: key(outlet, u64::MAX),
        entry: Entry {
            url,
            title: Some(format!("Headline {n}, of a length that headlines have")),
            summary: Some("Two sentences that say what the article is about. ".repeat(4)),
            ..Entry::default()
        },
        first_seen: at,
        arrival: utc_day(at),
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

/// Resident memory of this process, KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Bytes of the disk that all files below a folder take.
fn under(dir: &std::path::Path) -> u64 {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files
        .map(|file| match file.metadata() {
            Ok(meta) if meta.is_dir() => under(&file.path()),
            Ok(meta) => meta.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

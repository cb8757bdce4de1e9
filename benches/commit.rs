//! One batch of outcomes into the store, from admission to durable: the memory store shows what
//! the records cost, the embedded one adds log, checksums and flush, the shared one (a throw-away
//! PostgreSQL, durable with SCRATCH_FSYNC=on) statements and a turn.

use crawler::dedupe::Vector;
use crawler::extract::{self, Hints, Limits, Model};
use crawler::frontier::{Address, address};
use crawler::mention::{self, Lexicon};
use crawler::model::*;
use crawler::store::{self, ArticleCommit, Claim, PageCommit, PollCommit, Remembered, Store};
use divan::Bencher;

#[allow(dead_code, reason = "each bench uses its part of it")]
mod pages;
#[allow(dead_code, reason = "each bench uses its part of it")]
#[path = "../tests/it/scratch.rs"]
mod scratch;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const NOW: Millis = 1_795_000_000_000;
const DAY_OF: Day = Day::constant(2026, 11, 18);
/// Batches measured.
const SAMPLES: u32 = 50;

fn main() {
    divan::main();
}

#[divan::bench(args = [1, 16, 128], sample_count = SAMPLES, sample_size = 1)]
fn memory(bencher: Bencher, outcomes: usize) {
    measure(bencher, outcomes, &*store::memory());
}

#[divan::bench(args = [1, 16, 128], sample_count = SAMPLES, sample_size = 1)]
fn embedded(bencher: Bencher, outcomes: usize) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = store::open(dir.path(), &store::Settings::default()).expect("a new store");
    measure(bencher, outcomes, &*store);
}

#[divan::bench(args = [1, 16, 128], sample_count = SAMPLES, sample_size = 1)]
fn shared(bencher: Bencher, outcomes: usize) {
    let server = scratch::Scratch::start();
    let url = Some(server.database("bench"));
    let settings = store::Settings { url, ..store::Settings::default() };
    let store = store::open(std::path::Path::new(""), &settings).expect("a new schema");
    measure(bencher, outcomes, &*store);
}

/// 16 more articles for a story that has so many members.
#[divan::bench(args = [10, 1_000, 10_000], sample_count = SAMPLES, sample_size = 1)]
fn one_story(bencher: Bencher, members: usize) {
    const MORE: usize = 16;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = store::open(dir.path(), &store::Settings::default()).expect("a new store");
    let mut template = article();
    let lease = leased(&*store, members + MORE * (SAMPLES as usize + 2));
    let (known, new) = lease.tasks.split_at(members);
    for tasks in known.chunks(128) {
        let mut batch = store.batch().expect("a batch");
        for task in tasks {
            batch.page(&lease, commit(task, &template)).expect("a page");
            template.joining.stories = vec![known[0].key];
            template.joining.nearest = Some((known[0].key, 1.0));
        }
        batch.commit().expect("a commit");
    }
    add_pages(bencher, MORE, &*store, &lease, new, &template);
}

fn measure(bencher: Bencher, outcomes: usize, store: &dyn Store) {
    let lease = leased(store, outcomes * (SAMPLES as usize + 2));
    add_pages(bencher, outcomes, store, &lease, &lease.tasks, &article());
}

/// So many of the tasks a batch.
fn add_pages(
    bencher: Bencher,
    outcomes: usize,
    store: &dyn Store,
    lease: &Lease,
    tasks: &[Task],
    template: &ArticleCommit,
) {
    let mut tasks = tasks.iter();
    bencher
        .with_inputs(|| {
            let tasks: Vec<&Task> = tasks.by_ref().take(outcomes).collect();
            assert_eq!(tasks.len(), outcomes, "too few tasks were leased");
            tasks.into_iter().map(|task| (task, commit(task, template))).collect::<Vec<_>>()
        })
        .bench_local_values(|pages| {
            let mut batch = store.batch().expect("a batch");
            for (task, page) in pages {
                batch.admit(lease, task).expect("an admission");
                batch.page(lease, page).expect("a page");
                batch.pace(lease, &lease.pace).expect("a pace");
            }
            batch.commit().expect("a commit");
        });
}

/// A lease on one pace key with this many entries to fetch.
fn leased(store: &dyn Store, entries: usize) -> Lease {
    let at = at("https://news.test/feed.xml");
    let feed = Feed {
        // Its budget of a day has room for all of them.
        provenance: Provenance {
            budget: Budget {
                own: Taken { usual: 50_000, ..Taken::default() },
                ..Budget::default()
            },
            ..Provenance::default()
        },
        ..Feed::new(at.key, at.url.as_str(), at.outlet.as_str(), at.pace_key.as_str(), NOW)
    };
    store.add_feeds(std::slice::from_ref(&feed)).expect("a feed");
    let claim =
        Claim { owner: "bench".to_owned(), now: NOW, until: NOW + DAY, keys: 1, drain: entries };
    let first = store.claim(&claim).expect("a claim").pop().expect("a due feed");
    let mut polled = feed.clone();
    polled.poll.next = NOW + DAY;
    let poll = PollCommit {
        due: feed.poll.next,
        feed: polled,
        at: NOW,
        day: DAY_OF,
        begins: NOW,
        succeeded: true,
        pushed: false,
        entries: (0..entries).map(|n| entry(n, feed.key)).collect(),
        feeds: Vec::new(),
    };
    let mut batch = store.batch().expect("a batch");
    batch.poll(&first, poll).expect("a poll");
    batch.commit().expect("a commit");
    store.complete(&first, &first.pace).expect("a completed lease");
    store.claim(&claim).expect("a claim").pop().expect("due entries")
}

fn at(url: &str) -> Address {
    address(url, None).expect("a valid URL")
}

fn entry(n: usize, feed: UrlKey) -> UrlRecord {
    let at = at(&format!("https://news.test/2026/11/{n}"));
    UrlRecord {
        key: at.key,
        canonical: at.canonical,
        outlet: at.outlet,
        pace_key: at.pace_key,
        feed,
        entry: Entry { url: at.url.to_string(), ..Entry::default() },
        first_seen: NOW,
        arrival: DAY_OF,
        backlog: false,
        outcome: Outcome::Pending,
        attempts: 0,
        next: NOW,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::First,
        arrived: Arrived::Seen,
    }
}

/// The article part of an outcome; its key is filled in per task.
fn article() -> ArticleCommit {
    let html = pages::page(1);
    let extraction =
        extract::article(&html, &Hints::default(), &Model::by_hand(), &Limits::default());
    let published = Published {
        at: NOW,
        day: DAY_OF,
        precision: Precision::Instant,
        zone: ZoneSource::Printed,
        source: Source::Meta,
        printed: None,
    };
    let at = at("https://news.test/2026/11/0");
    let record = ArticleRecord {
        key: at.key,
        url: at.url.to_string(),
        final_url: at.url.to_string(),
        outlet: at.outlet.clone(),
        feed: at.key,
        feed_title: None,
        backlog: false,
        first_seen: NOW,
        fetched: NOW,
        charset: ("UTF-8".to_owned(), "meta".to_owned()),
        published,
        article: extraction.article,
        memory: None,
        sighting: Sighting::Open,
        agencies: None,
    };
    // Words of the made-up language, so that every article has rows.
    let brands: Vec<Brand> = ["said", "their"]
        .map(|name| Brand { name: name.to_owned(), whole_word: true, ..Brand::default() })
        .to_vec();
    let lexicon = Lexicon::build(&brands).expect("two brands");
    let found = mention::mentions(&lexicon, &record.article, &record.outlet);
    ArticleCommit {
        mentions: mention::rows(&lexicon, &record, &found),
        brand_set: String::new(),
        vector: Vector::of(&record.article.text).encode(),
        joining: Joining::default(),
        excerpts: Vec::new(),
        printed: Some(Remembered {
            bytes: extract::Printed::of(&record.article).encode(),
            since: DAY_OF,
        }),
        record,
    }
}

fn commit(task: &Task, template: &ArticleCommit) -> PageCommit {
    let mut article = template.clone();
    article.record.key = task.key;
    article.record.url.clone_from(&task.url);
    article.record.final_url.clone_from(&task.url);
    for row in &mut article.mentions {
        row.article = task.key;
    }
    PageCommit {
        key: task.key,
        outcome: Outcome::Article,
        at: NOW,
        retry: None,
        article: Some(article),
        discovered: Vec::new(),
        aliases: Vec::new(),
    }
}

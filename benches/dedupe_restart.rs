//! How long a start takes that finds so many articles in the window: made anew from all vectors, and
//! as after a crash, from what was saved and what was logged since. A real store on disk, filled with
//! made-up articles; `crawl::run` opens it as the daemon does. The lines come from the crawler's log.
//!
//!     cargo bench --bench dedupe_restart -- 1000000 30000

mod news;

use std::path::Path;
use std::time::Instant;

use crawler::config::Config;
use crawler::crawl::{self, Engine, clock};
use crawler::dedupe::Print;
use crawler::fetch::{Fetcher, Identity};
use crawler::frontier::address;
use crawler::model::*;
use crawler::store::{self, ArticleCommit, Claim, PageCommit, PollCommit};
use news::News;

/// Articles in one batch, and entries in one poll.
const BATCH: usize = 128;
const OUTLET: &str = "news.test";

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let (size, since) = match sizes[..] {
        [size, since, ..] => (size, since),
        _ => (20_000, 5_000),
    };
    let filter = tracing_subscriber::EnvFilter::new("crawler::crawl::stories::copies=debug");
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).without_time().init();
    let dir = tempfile::tempdir().expect("a folder");
    let mut news = News::new(1);
    let mut next = 0;
    let started = Instant::now();
    fill(dir.path(), &mut news, &mut next, size);
    println!("{size} articles stored in {:.0} s", started.elapsed().as_secs_f64());
    println!("from all vectors, then saved:");
    start(dir.path());
    fill(dir.path(), &mut news, &mut next, size + since);
    println!("as after a crash, {since} articles later:");
    start(dir.path());
    println!("after a clean end:");
    start(dir.path());
}

fn settings() -> crawl::Settings {
    crawl::Settings {
        workers: 1,
        drain: BATCH,
        once_patience: Span(0),
        extract_deadline: Span(SECOND),
        search: Default::default(),
        ..Config::default().crawl()
    }
}

/// A run that has nothing to do.
fn start(dir: &Path) {
    let store = store::open(dir, &store::Settings::default()).expect("a store");
    let identity = Identity { token: "crawler".into(), contact: None };
    let fetcher = Fetcher::new(&Default::default(), &Default::default(), &identity).expect("none");
    let engine = Engine::new(store, settings(), fetcher).expect("an engine");
    let (_keep, shutdown) = tokio::sync::watch::channel(true);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(crawl::run(engine, false, shutdown)).expect("a run");
}

/// Commits articles as the committer would, without looking for copies.
fn fill(dir: &Path, news: &mut News, next: &mut usize, upto: usize) {
    let store = store::open(dir, &store::Settings::default()).expect("a store");
    let now = clock::now();
    let at = address(&format!("https://www.{OUTLET}/feed"), None).expect("a URL");
    let mut feed = Feed::new(at.key, at.url.as_str(), at.outlet, at.pace_key, now);
    // Later than any run of this bench.
    feed.poll.next = now + 365 * DAY;
    store.add_feeds(std::slice::from_ref(&feed)).expect("a feed");
    while *next < upto {
        let some = *next..upto.min(*next + BATCH);
        let entries: Vec<UrlRecord> = some.clone().map(|n| entry(n, feed.key, now)).collect();
        let stored = store.feed(feed.key).expect("a store").expect("the feed");
        // All of it is one day's, which is more than a feed may bring.
        let stored = Feed { provenance: Provenance::default(), ..stored };
        assert!(store.set_feed(&stored).expect("a store"));
        let mut polled = stored.clone();
        polled.poll.next += 1;
        let poll = PollCommit {
            due: stored.poll.next,
            feed: polled,
            at: now,
            day: day_of(now, &jiff::tz::TimeZone::UTC),
            begins: now,
            succeeded: true,
            pushed: false,
            entries,
            feeds: Vec::new(),
        };
        let pace = store.pace(OUTLET).expect("a store").map_or(now, |p| p.next_at.max(now));
        let claim = Claim { owner: "b".into(), now: pace, until: pace + DAY, keys: 1, drain: 1 };
        let lease = store.claim_key(&claim, OUTLET).expect("a store").expect("free");
        let mut batch = store.batch().expect("a store");
        batch.poll(&lease, poll).expect("a poll");
        for n in some.clone() {
            batch.page(&lease, page(n, feed.key, now, &news.next())).expect("a page");
        }
        batch.commit().expect("a commit");
        assert!(store.complete(&lease, &lease.pace).expect("a store"));
        *next = some.end;
    }
    store.flush().expect("a store");
}

fn url(n: usize) -> String {
    format!("https://www.{OUTLET}/{n}")
}

fn entry(n: usize, feed: UrlKey, now: Millis) -> UrlRecord {
    let at = address(&url(n), None).expect("a URL");
    UrlRecord {
        key: at.key,
        canonical: at.canonical.clone(),
        outlet: at.outlet,
        pace_key: at.pace_key,
        feed,
        entry: Entry { url: at.canonical, ..Entry::default() },
        first_seen: now,
        arrival: day_of(now, &jiff::tz::TimeZone::UTC),
        backlog: false,
        outcome: Outcome::Pending,
        attempts: 0,
        next: now,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::First,
        arrived: Arrived::Seen,
    }
}

/// An article with the vector of a whole text; the text itself is not what is measured.
fn page(n: usize, feed: UrlKey, now: Millis, text: &str) -> PageCommit {
    let at = address(&url(n), None).expect("a URL");
    let published = now - (n as i64 * 7_919 % (30 * DAY));
    let article = Article { page_type: PageType::Article, ..Article::default() };
    let record = ArticleRecord {
        key: at.key,
        url: url(n),
        final_url: url(n),
        outlet: at.outlet,
        feed,
        feed_title: None,
        backlog: false,
        first_seen: now,
        fetched: now,
        charset: (String::new(), String::new()),
        published: Published {
            at: published,
            day: day_of(published, &jiff::tz::TimeZone::UTC),
            precision: Precision::Instant,
            zone: ZoneSource::Printed,
            source: Source::Meta,
            printed: None,
        },
        article,
        memory: None,
        sighting: Sighting::Open,
        agencies: None,
    };
    PageCommit {
        key: at.key,
        outcome: Outcome::Article,
        at: now,
        retry: None,
        article: Some(ArticleCommit {
            record,
            mentions: Vec::new(),
            brand_set: String::new(),
            vector: Print::of(text).encode(),
            joining: Joining::default(),
            excerpts: Vec::new(),
            printed: None,
        }),
        discovered: Vec::new(),
        aliases: Vec::new(),
    }
}

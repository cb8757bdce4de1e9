//! One brand's mentions per day over a year: what `crawler mentions` and the HTTP API ask the store
//! for, in a store of many articles. `STORE=postgres://…` asks a database that `scripts/scale-fill.sql`
//! has filled; otherwise an embedded store is filled by importing, and asked when it is opened anew.
//! Arguments: articles to import, each naming one of 1,000 brands.

use std::time::{Duration, Instant};

use crawler::model::*;
use crawler::query::{By, MentionsQuery, mentions};
use crawler::store::transfer::Item;
use crawler::store::{self, Settings, Store};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// 21 November 2026, 00:00 UTC: the last day.
const LAST: Millis = 1_795_219_200_000;
const DAYS: u64 = 365;
const BRANDS: u64 = 1_000;
const OUTLETS: u64 = 400;
/// Questions asked, of as many brands.
const ASKED: u64 = 100;

fn main() -> anyhow::Result<()> {
    // `cargo bench` passes `--bench`; `cargo test` passes nothing and wants it short.
    let bench = std::env::args().any(|a| a == "--bench");
    let given = std::env::args().find_map(|a| a.parse().ok());
    let articles: u64 = given.unwrap_or(if bench { 500_000 } else { 2_000 });
    if let Ok(url) = std::env::var("STORE") {
        let store = store::open(
            std::path::Path::new(""),
            &Settings { url: Some(url), ..Settings::default() },
        )?;
        return ask(&*store);
    }
    let dir = tempfile::tempdir()?;
    let began = Instant::now();
    let store = store::open(dir.path(), &Settings::default())?;
    let mut items = items(articles).map(Ok);
    store.import(&mut items)?;
    println!("{articles} articles imported in {:.0} s", began.elapsed().as_secs_f64());
    drop(store);
    let store = store::open(dir.path(), &Settings::default())?;
    println!("{} MB on disk", store.size()? / 1_000_000);
    ask(&*store)
}

fn ask(store: &dyn Store) -> anyhow::Result<()> {
    let day = |n: u64| day_of(LAST - n as Millis * DAY);
    let mut times: Vec<Duration> = Vec::new();
    let mut lines = 0;
    for n in 0..ASKED {
        let query = MentionsQuery {
            brand: Some(brand((n * 7 + 77) % BRANDS)),
            from: Some(day(DAYS - 1)),
            to: Some(day(0)),
            by: By::Day,
        };
        let began = Instant::now();
        let answer = mentions(store, &query, LAST + DAY)?;
        times.push(began.elapsed());
        anyhow::ensure!(!answer.lines.is_empty(), "no mentions of {:?}", query.brand);
        lines += answer.lines.len() as u64;
    }
    let first = times[0];
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    println!(
        "mentions per day over a year, {ASKED} brands, {} days each: median {:.1} ms, 95 % {:.1} ms, \
         the first {:.1} ms",
        lines / ASKED,
        ms(times[times.len() / 2]),
        ms(times[times.len() * 95 / 100]),
        ms(first),
    );
    Ok(())
}

fn brand(n: u64) -> String {
    format!("brand {n}")
}

fn day_of(at: Millis) -> Day {
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    jiff::tz::Offset::UTC.to_datetime(at).date()
}

/// A whole store: brands, entries, articles with a row each, stories, a year of polls.
fn items(articles: u64) -> impl Iterator<Item = Item> {
    let brands = (0..BRANDS).map(|n| Brand { name: brand(n), ..Brand::default() }).collect();
    let set = BrandSet { version: "v".to_owned(), brands, ..BrandSet::default() };
    let polls = (0..DAYS).flat_map(|day| {
        (0..OUTLETS).map(move |outlet| Item::Polls {
            brought: Default::default(),
            day: day_of(LAST - day as Millis * DAY),
            outlet: outlet_of(outlet),
            due: 24,
            succeeded: 24,
            left: Default::default(),
        })
    });
    std::iter::once(Item::Brands(set))
        .chain((0..articles).map(|n| Item::Entry(Box::new(entry(n)))))
        .chain((0..articles).map(article))
        .chain((0..articles).map(story))
        .chain(polls)
}

fn outlet_of(n: u64) -> String {
    format!("outlet-{}.test", n % OUTLETS)
}

/// Rising, since an export is in the order of keys; brands, days and outlets are not.
fn key(n: u64) -> UrlKey {
    UrlKey(u128::from(n) << 96 | u128::from(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Day and brand go round, each pair comes before any comes again.
fn at(n: u64) -> Millis {
    LAST - ((n / BRANDS) % DAYS) as Millis * DAY
}

fn entry(n: u64) -> UrlRecord {
    let url = format!("https://{}/2026/11/some-article-{n}", outlet_of(n));
    UrlRecord {
        key: key(n),
        canonical: url.clone(),
        outlet: outlet_of(n),
        pace_key: outlet_of(n),
        feed: key(u64::from(u32::MAX) - n % OUTLETS),
        entry: Entry { url, title: Some("words of a title ".repeat(4)), ..Entry::default() },
        first_seen: at(n),
        arrival: day_of(at(n)),
        backlog: false,
        outcome: Outcome::Article,
        attempts: 1,
        next: at(n),
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::First,
        arrived: Arrived::Seen,
    }
}

fn article(n: u64) -> Item {
    let entry = entry(n);
    let day = day_of(at(n));
    let mention = Mention {
        brand: brand(n % BRANDS),
        matched: "Brand".to_owned(),
        block: Some(3),
        start: 17,
        end: 22,
        zone: Zone::Body,
    };
    let row = MentionRow {
        brand: brand(n % BRANDS),
        day,
        article: entry.key,
        outlet: entry.outlet.clone(),
        language: Some("en".to_owned()),
        feed: entry.feed,
        backlog: false,
        own_outlet: false,
        counted: 2,
        suppressed: 0,
        mentions: vec![mention.clone(), mention],
    };
    let article = Article {
        page_type: PageType::Article,
        text: format!("What article {n} says of its brand."),
        model: "m".to_owned(),
        ..Article::default()
    };
    let record = ArticleRecord {
        key: entry.key,
        url: entry.canonical.clone(),
        final_url: entry.canonical.clone(),
        outlet: entry.outlet.clone(),
        feed: entry.feed,
        feed_title: None,
        backlog: false,
        first_seen: entry.first_seen,
        fetched: entry.first_seen,
        charset: ("UTF-8".to_owned(), "header".to_owned()),
        published: Published {
            at: at(n),
            day,
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
    Item::Article {
        record: Box::new(record),
        vector: Bytes(vec![0; 64]),
        mentions: vec![row],
        printed: None,
    }
}

fn story(n: u64) -> Item {
    let member = Member {
        key: key(n),
        outlet: outlet_of(n),
        at: at(n),
        day: day_of(at(n)),
        first_seen: at(n),
        sighting: Sighting::Open,
        nearest: None,
        brands: Vec::new(),
    };
    Item::Story(Story { id: key(n), members: vec![member], series: false, pattern: false })
}

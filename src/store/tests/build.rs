//! Short ways to say a feed, an entry, a page, a story.

use crate::model::*;
use crate::store::*;

pub const T0: Millis = 1_795_000_000_000;

pub fn id(n: u32) -> UrlKey {
    UrlKey(u128::from(n) << 64 | 7)
}

/// The largest file of a map whose name ends so.
pub fn file_of(map: &std::path::Path, ending: &str) -> std::path::PathBuf {
    let files = std::fs::read_dir(map).unwrap().map(|file| file.unwrap());
    let files = files.filter(|file| file.file_name().to_str().unwrap().ends_with(ending));
    files.max_by_key(|file| file.metadata().unwrap().len()).unwrap().path()
}

/// The n-th day of November 2026.
pub fn day(n: i8) -> Day {
    Day::constant(2026, 11, n)
}

pub fn feed(n: u32, pace_key: &str) -> Feed {
    Feed::new(id(n), format!("https://{pace_key}/feed{n}"), pace_key, pace_key, T0)
}

pub fn entry(n: u32, pace_key: &str, feed: u32) -> UrlRecord {
    let url = format!("https://{pace_key}/{n}");
    UrlRecord {
        key: id(n),
        canonical: url.clone(),
        outlet: pace_key.to_owned(),
        pace_key: pace_key.to_owned(),
        feed: id(feed),
        entry: Entry { url, ..Entry::default() },
        first_seen: T0,
        arrival: day(20),
        backlog: false,
        outcome: Outcome::Pending,
        attempts: 0,
        next: T0,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::First,
        arrived: Arrived::Seen,
    }
}

pub fn claim(now: Millis) -> Claim {
    Claim { owner: "w".to_owned(), now, until: now + MINUTE, keys: 10, drain: 100 }
}

/// The operator's pause of a pace key.
pub fn pause_until(store: &dyn Store, pace_key: &str, until: Millis) {
    let pace_keys = vec![pace_key.to_owned()];
    let rule = OutletRule { paused_until: Some(until), pace_keys, ..OutletRule::default() };
    store.set_outlet_rule(pace_key, &rule).unwrap();
}

/// Leases `pace_key` whatever its pace is.
pub fn lease(store: &dyn Store, pace_key: &str) -> Lease {
    let now = store.pace(pace_key).unwrap().map_or(T0, |p| p.next_at.max(p.blocked_until).max(T0));
    let claim = Claim { until: now + DAY, ..claim(now) };
    store.claim_key(&claim, pace_key).unwrap().expect("free")
}

/// Runs one call under a lease, in a batch of its own.
pub fn under(store: &dyn Store, pace_key: &str, call: impl FnOnce(&mut dyn Batch, &Lease)) {
    let lease = lease(store, pace_key);
    let mut batch = store.batch().unwrap();
    call(&mut *batch, &lease);
    batch.commit().unwrap();
    assert!(store.complete(&lease, &lease.pace).unwrap());
}

pub fn poll_of(stored: &Feed, at: Millis, entries: Vec<UrlRecord>) -> PollCommit {
    let mut feed = stored.clone();
    feed.poll.interval = HOUR;
    feed.poll.last = Some(at);
    feed.poll.polls += 1;
    feed.poll.next = at + HOUR;
    PollCommit {
        feed,
        due: stored.poll.next,
        at,
        day: day(20),
        begins: at - at.rem_euclid(DAY),
        succeeded: true,
        pushed: false,
        entries,
        feeds: Vec::new(),
    }
}

/// A store's feed 1 on `a.test`, polled once with these entries.
pub fn with_entries(store: &dyn Store, entries: Vec<UrlRecord>) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    let stored = store.feed(id(1)).unwrap().unwrap();
    under(store, "a.test", |batch, lease| {
        batch.poll(lease, poll_of(&stored, stored.poll.next, entries)).unwrap();
    });
}

pub fn ends(n: u32, outcome: Outcome) -> PageCommit {
    PageCommit {
        key: id(n),
        outcome,
        at: T0,
        retry: None,
        article: None,
        discovered: Vec::new(),
        aliases: Vec::new(),
    }
}

pub fn row(n: u32, brand: &str, day_: i8, counted: u32, suppressed: u32) -> MentionRow {
    let mention = |zone| Mention {
        brand: brand.to_owned(),
        matched: brand.to_owned(),
        block: Some(0),
        start: 0,
        end: 4,
        zone,
    };
    let mut mentions = vec![mention(Zone::Body); counted as usize];
    mentions.extend(vec![mention(Zone::Clutter); suppressed as usize]);
    MentionRow {
        brand: brand.to_owned(),
        day: day(day_),
        article: id(n),
        outlet: format!("outlet{}", n % 2),
        language: Some("en".to_owned()),
        feed: id(1),
        backlog: false,
        own_outlet: false,
        counted,
        suppressed,
        mentions,
    }
}

pub fn at(day_: i8) -> Millis {
    T0 + Millis::from(day_ - 20) * DAY
}

pub fn record(n: u32, day_: i8) -> ArticleRecord {
    ArticleRecord {
        key: id(n),
        url: format!("https://a.test/{n}"),
        final_url: format!("https://a.test/{n}"),
        outlet: "a.test".to_owned(),
        feed: id(1),
        feed_title: None,
        backlog: false,
        first_seen: T0,
        fetched: T0,
        charset: ("UTF-8".to_owned(), "header".to_owned()),
        published: Published {
            at: at(day_),
            day: day(day_),
            precision: Precision::Instant,
            zone: ZoneSource::Printed,
            source: Source::Meta,
            printed: None,
        },
        article: Article {
            page_type: PageType::Article,
            text: format!("Text of article {n}."),
            model: "m".to_owned(),
            ..Article::default()
        },
        memory: None,
        sighting: Sighting::Open,
        agencies: None,
    }
}

pub fn member(n: u32, day_: i8) -> Member {
    Member {
        key: id(n),
        outlet: "a.test".to_owned(),
        at: at(day_),
        day: day(day_),
        first_seen: T0,
        sighting: Sighting::Open,
        nearest: None,
        brands: Vec::new(),
    }
}

/// What the page of an article printed; what is a week older than `T0` may leave.
pub fn printed(n: u32) -> Remembered {
    Remembered { bytes: format!("printed by {n}").into_bytes(), since: utc_day(T0 - 7 * DAY) }
}

/// An article that joins the stories of `copies` (none: founds its own).
pub fn article(
    batch: &mut dyn Batch,
    n: u32,
    day_: i8,
    rows: Vec<MentionRow>,
    copies: &[u32],
) -> PageCommit {
    let mut stories = Vec::new();
    for copy in copies {
        if let Some((story, _)) = batch.member(id(*copy)).unwrap()
            && !stories.contains(&story)
        {
            stories.push(story);
        }
    }
    PageCommit {
        article: Some(ArticleCommit {
            record: record(n, day_),
            mentions: rows,
            brand_set: String::new(),
            vector: n.to_be_bytes().to_vec(),
            joining: Joining { stories, ..Joining::default() },
            excerpts: Vec::new(),
            printed: Some(printed(n)),
        }),
        ..ends(n, Outcome::Article)
    }
}

pub fn add_article(store: &dyn Store, n: u32, day_: i8, rows: Vec<MentionRow>, copies: &[u32]) {
    under(store, "a.test", |batch, lease| {
        let page = article(batch, n, day_, rows, copies);
        batch.page(lease, page).unwrap();
    });
}

/// Vectors of articles published at or after `since`, as they come.
pub fn vectors(store: &dyn Store, since: Millis) -> Vec<(UrlKey, Millis, Vec<u8>)> {
    let mut vectors = Vec::new();
    store
        .vectors(since, &mut |key, at, bytes| {
            vectors.push((key, at, bytes));
            true
        })
        .unwrap();
    vectors
}

pub fn findings(store: &dyn Store) -> Vec<String> {
    let mut findings = Vec::new();
    store.verify(&mut |finding| findings.push(finding.0)).unwrap();
    findings
}

pub fn clean(store: &dyn Store) {
    assert_eq!(findings(store), Vec::<String>::new());
}

pub fn tally(store: &dyn Store, brand: &str, day_: i8) -> Tally {
    let tallies = store.tallies(&Filter::default()).unwrap();
    let found = tallies.into_iter().find(|(b, d, _)| b == brand && *d == day(day_));
    found.map(|(_, _, tally)| tally).unwrap_or_default()
}

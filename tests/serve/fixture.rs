//! A store with four articles in two outlets, and a server over it.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use crawler::config::Config;
use crawler::crawl::Engine;
use crawler::deliver;
use crawler::fetch::Fetcher;
use crawler::model::*;
use crawler::search;
use crawler::serve::{door, http};
use crawler::store::{self, ArticleCommit, Claim, PageCommit, PollCommit, Store};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::sync::watch;

/// 2024-05-14 08:00 UTC; long ago, so that no day is provisional.
pub const T0: Millis = 1_715_673_600_000;
pub const HOSTILE: &str = "<img src=x onerror=document.title='owned'>Nordlicht & </title><script>1";

pub fn key(n: u32) -> UrlKey {
    UrlKey(u128::from(n) << 96 | 1)
}

fn brand(name: &str) -> Brand {
    Brand { name: name.into(), whole_word: true, ..Brand::default() }
}

fn feed(n: u32, outlet: &str) -> Feed {
    Feed {
        group: Some("test".into()),
        title: Some(format!("{outlet} news")),
        format: Some(FeedFormat::Rss2),
        ..Feed::new(key(n), format!("https://{outlet}/feed"), outlet, outlet, T0)
    }
}

/// Number, outlet, hour of publication after T0, language, title, blocks.
type Text = (u32, &'static str, i64, &'static str, &'static str, &'static [(Label, &'static str)]);

const TEXTS: &[Text] = &[
    (
        11,
        "wire.test",
        0,
        "en",
        HOSTILE,
        &[
            (Label::None, "Home News Sport"),
            (Label::Introduction, "Nordlicht will open a second plant – the first was full."),
            (Label::Paragraph, "The board of Nordlicht agreed to it on Monday, said Vega."),
            (Label::Caption, "A Nordlicht plant. Photo: someone"),
            (Label::RelatedArticle, "Also read: Nordlicht and Vega in court"),
            (Label::Comment, "I never liked Nordlicht"),
        ],
    ),
    (
        12,
        "daily.test",
        5,
        "en",
        "Nordlicht grows",
        &[
            (Label::Introduction, "Nordlicht will open a second plant – the first was full."),
            (Label::Paragraph, "The board of Nordlicht agreed to it on Monday."),
        ],
    ),
    (
        13,
        "daily.test",
        30,
        "en",
        "Rain expected",
        &[
            (Label::Paragraph, "It will rain until the weekend."),
            (Label::RelatedArticle, "Nordlicht grows"),
        ],
    ),
    (
        14,
        "wire.test",
        31,
        "he",
        "\u{5d7}\u{5d3}\u{5e9}\u{5d5}\u{5ea} \u{5d4}\u{5d9}\u{5d5}\u{5dd}",
        &[(Label::Paragraph, "\u{5d7}\u{5d1}\u{5e8}\u{5ea} Vega \u{5e4}\u{5ea}\u{5d7}\u{5d4}.")],
    ),
];

fn day_of(at: Millis) -> Day {
    jiff::Timestamp::from_millisecond(at).unwrap().to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn record((n, outlet, hour, language, title, blocks): &Text) -> ArticleRecord {
    let at = T0 + hour * HOUR;
    let found = |value: &str, source| Some(Found { value: value.to_string(), source });
    let text: Vec<&str> =
        blocks.iter().filter(|(label, _)| label.is_content()).map(|(_, text)| *text).collect();
    let block = |(label, text): &(Label, &str)| Block {
        text: text.to_string(),
        label: *label,
        probability: if label.is_content() { 0.75 } else { 0.25 },
    };
    ArticleRecord {
        key: key(*n),
        url: format!("https://{outlet}/{n}"),
        final_url: format!("https://{outlet}/{n}"),
        outlet: outlet.to_string(),
        feed: key(if *outlet == "wire.test" { 1 } else { 2 }),
        feed_title: None,
        backlog: false,
        first_seen: at + MINUTE,
        fetched: at + 2 * MINUTE,
        charset: ("UTF-8".into(), "header".into()),
        published: Published {
            at,
            day: day_of(at),
            precision: Precision::Instant,
            zone: ZoneSource::Printed,
            source: Source::JsonLd,
            printed: Some("then".into()),
        },
        article: Article {
            title: found(title, Source::OpenGraph),
            authors: vec![Found { value: "A. Writer".into(), source: Source::Visible }],
            published: Some(Stamp {
                printed: "then".into(),
                local: day_of(at).at(8, 0, 0, 0),
                offset: Some(0),
                precision: Precision::Instant,
                source: Source::JsonLd,
            }),
            language: found(language, Source::Html),
            page_type: PageType::Article,
            blocks: blocks.iter().map(block).collect(),
            text: text.join("\n"),
            model: "by hand".into(),
            ..Article::default()
        },
        memory: (*n == 11).then(|| MemoryUsed {
            before: day_of(at),
            pages: 64,
            texts: 7,
            sum: "0123456789abcdef".into(),
        }),
        sighting: Sighting::Open,
        agencies: match n {
            11 => Some(Vec::new()),
            12 => Some(vec![Found { value: "Reuters".into(), source: Source::Visible }]),
            _ => None,
        },
    }
}

fn entry(record: &ArticleRecord) -> UrlRecord {
    UrlRecord {
        key: record.key,
        canonical: record.url.clone(),
        outlet: record.outlet.clone(),
        pace_key: record.outlet.clone(),
        feed: record.feed,
        entry: Entry { url: record.url.clone(), ..Entry::default() },
        first_seen: record.first_seen,
        arrival: record.published.day,
        backlog: record.backlog,
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

/// The filled store with its engine.
pub fn engine() -> Arc<Engine> {
    engine_with(search::Settings { enabled: false, ..search::Settings::default() })
}

/// The same with an index for search.
pub fn engine_with(search: search::Settings) -> Arc<Engine> {
    let store = store::memory();
    let brands = vec![brand("Nordlicht"), brand("Vega")];
    let since = brands.iter().map(|b| (b.name.clone(), T0 - DAY)).collect();
    let set = BrandSet { version: "v1".into(), brands, since, ..BrandSet::default() };
    store.recount_finish(&set, "").unwrap();
    store.add_feeds(&[feed(1, "wire.test"), feed(2, "daily.test")]).unwrap();
    let mut config = Config { search, ..Config::default() };
    // Nobody listens there.
    config.deliver.targets = vec![deliver::Target {
        name: "desk".into(),
        webhook: Some("http://127.0.0.1:9/".into()),
        service: None,
        mail: Vec::new(),
        secret_file: None,
    }];
    let fetcher = Fetcher::new(&config.fetch, &config.guard, &config.identity()).unwrap();
    let engine = Engine::new(store, config.crawl(), fetcher).unwrap();
    let records: Vec<ArticleRecord> = TEXTS.iter().map(record).collect();
    for outlet in ["wire.test", "daily.test"] {
        poll(engine.store.as_ref(), outlet, &records);
    }
    for record in &records {
        commit(&engine, record);
    }
    engine
}

/// An engine over the store in a folder.
pub fn engine_of(dir: &std::path::Path, search: search::Settings) -> Arc<Engine> {
    let store = store::open(dir, &store::Settings::default()).unwrap();
    let config = Config { search, ..Config::default() };
    let fetcher = Fetcher::new(&config.fetch, &config.guard, &config.identity()).unwrap();
    Engine::new(store, config.crawl(), fetcher).unwrap()
}

/// Another article, so many hours after T0.
pub fn publish(engine: &Engine, n: u32, outlet: &'static str, hour: i64) {
    let text: Text =
        (n, outlet, hour, "en", "Nordlicht again", &[(Label::Paragraph, "Nordlicht.")]);
    let record = record(&text);
    poll(engine.store.as_ref(), outlet, std::slice::from_ref(&record));
    commit(engine, &record);
}

fn lease(store: &dyn Store, pace_key: &str) -> Lease {
    let now = store.pace(pace_key).unwrap().map_or(T0, |p| p.next_at.max(T0));
    let claim = Claim { owner: "w".into(), now, until: now + DAY, keys: 1, drain: 100 };
    store.claim_key(&claim, pace_key).unwrap().expect("free")
}

fn poll(store: &dyn Store, outlet: &str, records: &[ArticleRecord]) {
    let mut feed = store.feeds().unwrap().into_iter().find(|f| f.outlet == outlet).unwrap();
    let due = feed.poll.next;
    feed.poll.interval = HOUR;
    feed.poll.polls = 1;
    feed.poll.successes = u32::from(outlet == "wire.test");
    feed.poll.next = T0 + HOUR;
    feed.poll.last = Some(T0);
    let entries = records.iter().filter(|r| r.outlet == outlet).map(entry).collect();
    let succeeded = outlet == "wire.test";
    let day = day_of(T0);
    let lease = lease(store, outlet);
    let mut batch = store.batch().unwrap();
    let (at, begins, feeds) = (T0, T0 - T0.rem_euclid(DAY), Vec::new());
    let pushed = false;
    let commit = PollCommit { feed, due, at, day, begins, succeeded, pushed, entries, feeds };
    batch.poll(&lease, commit).unwrap();
    batch.commit().unwrap();
    assert!(store.complete(&lease, &lease.pace).unwrap());
}

fn commit(engine: &Engine, record: &ArticleRecord) {
    let store = engine.store.as_ref();
    let mentions = engine.watch.read().unwrap().rows(record);
    // Article 12 is a copy of 11.
    let joining = if record.key == key(12) {
        Joining { stories: vec![key(11)], nearest: Some((key(11), 0.875)), ..Joining::default() }
    } else {
        Joining::default()
    };
    let article = ArticleCommit {
        record: record.clone(),
        mentions,
        brand_set: "v1".into(),
        vector: Vec::new(),
        joining,
        // Article 13 is an excerpt of 11.
        excerpts: (record.key == key(13))
            .then_some(Excerpt { part: key(13), whole: key(11), share: 0.9375 })
            .into_iter()
            .collect(),
        printed: None,
    };
    let page = PageCommit {
        key: record.key,
        outcome: Outcome::Article,
        at: record.fetched,
        retry: None,
        article: Some(article),
        discovered: Vec::new(),
        aliases: Vec::new(),
    };
    let lease = lease(store, &record.outlet);
    let mut batch = store.batch().unwrap();
    batch.page(&lease, page).unwrap();
    batch.commit().unwrap();
    assert!(store.complete(&lease, &lease.pace).unwrap());
}

/// A server on a port of its own; stops when dropped.
pub struct Server {
    pub at: SocketAddr,
    pub engine: Arc<Engine>,
    stop: watch::Sender<bool>,
    ended: Option<tokio::task::JoinHandle<()>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Server {
    /// Serves an engine as shipped.
    pub fn over(engine: Arc<Engine>) -> Server {
        Server::behind(engine, Config::default().door())
    }

    /// Serves an engine behind this door.
    pub fn behind(engine: Arc<Engine>, door: door::Settings) -> Server {
        Server::at("127.0.0.1:0", engine, door)
    }

    /// The same bound to an address; it is asked on loopback.
    pub fn at(bind: &str, engine: Arc<Engine>, door: door::Settings) -> Server {
        static METRICS: OnceLock<PrometheusHandle> = OnceLock::new();
        let metrics = METRICS
            .get_or_init(|| PrometheusBuilder::new().install_recorder().expect("the only recorder"))
            .clone();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind(bind)).unwrap();
        let at = SocketAddr::from(([127, 0, 0, 1], listener.local_addr().unwrap().port()));
        let (stop, stopped) = watch::channel(false);
        let ended = Some(runtime.spawn(http::serve(
            listener,
            http::Part::All,
            engine.clone(),
            metrics,
            door,
            stopped,
        )));
        Server { at, engine, stop, ended, runtime: Some(runtime) }
    }

    /// Stops it and returns when it has ended.
    pub fn stop(mut self) {
        self.stop.send(true).unwrap();
        let (runtime, ended) = (self.runtime.take().unwrap(), self.ended.take().unwrap());
        runtime.block_on(ended).unwrap();
    }

    /// Serves the filled store.
    pub fn start() -> Server {
        Server::over(engine())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

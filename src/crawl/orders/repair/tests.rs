//! A store filled by the committer, then damaged and repaired, and what the operator forgets.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::crawl::orders::forget::{Forgotten, forget};
use crate::crawl::orders::models;
use crate::crawl::orders::steps::Steps;
use crate::crawl::orders::verify;
use crate::crawl::run::commit::{self, Work};
use crate::crawl::web::gate::Traces;
use crate::crawl::web::page::{ArticleDraft, PageDraft};
use crate::crawl::{Engine, Settings};
use crate::store::decision::Who;
use crate::store::{Claim, Filter, PollCommit, Store};

pub(in crate::crawl) const T0: Millis = 1_795_000_000_000;

pub(in crate::crawl) fn engine(dir: &Path) -> Arc<Engine> {
    let settings = Settings {
        drain: 100,
        timezone: "Europe/Berlin".into(),
        dedupe: copies(),
        ..models::tests::settings()
    };
    let store = store::open(dir, &store::Settings::default()).unwrap();
    models::tests::engine_of(store, settings)
}

/// The chain of [`record`] holds at this τ, its ends are no copies of each other.
fn copies() -> dedupe::Settings {
    dedupe::Settings { tau: 0.8, ..Default::default() }
}

fn url(n: usize) -> String {
    format!("https://www.paper{}.test/story/{n}", n % 2)
}

/// Articles 0, 1 and 2 are a chain of copies; the others stand alone.
pub(in crate::crawl) fn record(n: usize, feed: UrlKey) -> ArticleRecord {
    let at = address(&url(n), None).unwrap();
    let words = if n < 3 { n * 25..n * 25 + 100 } else { n * 1000..n * 1000 + 100 };
    let brand = if n.is_multiple_of(3) { "Umbra Works" } else { "Acme" };
    let body: String = words.map(|w| format!("word{w} ")).collect();
    let text = format!("{body}and {brand} too.");
    let block = Block { text: text.clone(), label: Label::Paragraph, probability: 1.0 };
    let instant = T0 - 6 * DAY + n as Millis * HOUR;
    ArticleRecord {
        key: at.key,
        url: url(n),
        final_url: format!("{}?page=full", url(n)),
        outlet: at.outlet,
        feed,
        feed_title: Some(format!("Headline {n}")),
        backlog: false,
        first_seen: T0 + n as Millis,
        fetched: T0,
        charset: ("UTF-8".into(), "header".into()),
        published: Published {
            at: instant,
            day: day_of(instant, &jiff::tz::TimeZone::UTC),
            precision: Precision::Instant,
            zone: ZoneSource::Printed,
            source: Source::Meta,
            printed: None,
        },
        article: Article {
            page_type: PageType::Article,
            blocks: vec![block],
            text,
            model: "m".into(),
            ..Article::default()
        },
        memory: None,
        sighting: Sighting::Open,
        agencies: None,
    }
}

/// One lease of the pace key, one commit for each of its tasks.
pub(in crate::crawl) async fn work(
    engine: &Arc<Engine>,
    committer: &commit::Committer,
    pace_key: &str,
    at: Millis,
    make: &dyn Fn(&Task) -> Work,
) {
    let claim = Claim { owner: "w".into(), now: at, until: at + DAY, keys: 1, drain: 100 };
    let lease = engine.store.claim_key(&claim, pace_key).unwrap().expect("free");
    for task in &lease.tasks {
        committer.commit(&lease, task, &lease.pace, Traces::default(), make(task)).await.unwrap();
    }
    assert!(engine.store.complete(&lease, &lease.pace).unwrap());
}

/// The entry of an article that is still to be read.
pub(in crate::crawl) fn listed(record: &ArticleRecord, zone: &jiff::tz::TimeZone) -> UrlRecord {
    let at = address(&record.url, None).unwrap();
    UrlRecord { outcome: Outcome::Pending, next: T0, ..entry(record, Some(&at), zone) }
}

/// One feed on each paper, eight entries that end as articles, one as failed.
async fn fill(dir: &Path) {
    let engine = fill_with(dir, &|record| record).await;
    proven(&engine, 8);
}

/// The same of records that are changed.
pub(in crate::crawl) async fn fill_with(
    dir: &Path,
    change: &dyn Fn(ArticleRecord) -> ArticleRecord,
) -> Arc<Engine> {
    let engine = engine(dir);
    let brand = |name: &str| Brand { name: name.into(), whole_word: true, ..Brand::default() };
    brands::edit(
        &engine,
        &Who::program(),
        brands::Edit::Replace(vec![brand("Acme"), brand("Umbra Works")]),
        &brands::Terms::default(),
    )
    .unwrap();
    let feed = crate::crawl::web::lineage::new_feed(
        &address("https://www.paper0.test/feed", None).unwrap(),
        T0,
    );
    engine.store.add_feeds(std::slice::from_ref(&feed)).unwrap();
    let (committer, thread) = commit::start(engine.clone()).unwrap();
    let poll = |_: &Task| {
        let entries = (0..9).map(|n| listed(&record(n, feed.key), &engine.zone));
        let mut polled = feed.clone();
        polled.poll.next = T0 + 30 * DAY;
        Work::Poll(Box::new(PollCommit {
            feed: polled,
            due: T0,
            at: T0,
            day: day_of(T0, &engine.zone),
            begins: T0 - T0.rem_euclid(DAY),
            succeeded: true,
            pushed: false,
            entries: entries.collect(),
            feeds: Vec::new(),
        }))
    };
    work(&engine, &committer, "paper0.test", T0, &poll).await;
    let page = |task: &Task| {
        let n: usize = task.url.rsplit('/').next().unwrap().parse().unwrap();
        let record = change(record(n, feed.key));
        let watch = engine.watch.read().unwrap().clone();
        let article = ArticleDraft {
            mentions: watch.rows(&record),
            brand_set: watch.set.version.clone(),
            print: Print::of(&record.article.text),
            printed: memory::remembered(&record, engine.settings.retention.memory),
            record,
        };
        let fails = n == 8;
        let failed = Outcome::Failed(Failure::Status(404));
        let alias = address(&format!("{}?page=full", url(n)), None).unwrap().key;
        Work::Page(Box::new(PageDraft {
            at: T0,
            article: (!fails).then_some(article),
            aliases: vec![alias],
            ..PageDraft::new(task.key, if fails { failed } else { Outcome::Article })
        }))
    };
    for pace_key in ["paper1.test", "paper0.test"] {
        work(&engine, &committer, pace_key, T0 + MINUTE, &page).await;
    }
    drop(committer);
    thread.join().unwrap();
    engine
}

pub(in crate::crawl) fn proven(engine: &Engine, articles: u64) {
    let mut findings = Vec::new();
    assert_eq!(
        verify::verify(engine, &Steps::default(), &mut |finding| findings.push(finding.0))
            .unwrap()
            .articles,
        articles
    );
    assert_eq!(findings, Vec::<String>::new());
}

fn stories(store: &dyn Store) -> Vec<Vec<Member>> {
    let mut stories = Vec::new();
    store
        .stories(None, None, &mut |story| {
            stories.push(story.members);
            true
        })
        .unwrap();
    stories.sort_by_key(|members| members[0].key);
    stories
}

fn plan(dir: &Path, brands: &dyn Fn() -> Result<Option<Vec<Brand>>>) -> Result<(Report, String)> {
    let mut notes = String::new();
    let plan = Plan {
        data_dir: dir,
        store: &store::Settings::default(),
        dedupe: &copies(),
        memory: Span(30 * DAY),
        timezone: "Europe/Berlin",
        brands,
    };
    let report = repair(&plan, &mut |note| notes += &format!("{note}\n"))?;
    Ok((report, notes))
}

/// Leaves nothing of main.
fn lose(dir: &Path) {
    for file in std::fs::read_dir(dir.join("main")).unwrap() {
        std::fs::write(file.unwrap().path(), b"not a database").unwrap();
    }
}

#[tokio::test]
async fn the_numbers_are_the_same_after_a_repair() {
    for lost in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path()).await;
        let before = {
            let engine = engine(dir.path());
            let tallies = engine.store.tallies(&Filter::default()).unwrap();
            assert!(tallies.len() >= 2);
            let chain =
                engine.store.story_of(address(&url(0), None).unwrap().key).unwrap().unwrap();
            // Founded by another than its original: by whoever came first.
            assert_ne!(chain.id, chain.members[0].key);
            let stories = stories(engine.store.as_ref());
            (tallies, stories, engine.store.brand_set().unwrap(), chain.id)
        };
        if lost {
            lose(dir.path());
            let error = store::open(dir.path(), &store::Settings::default()).err().unwrap();
            assert!(error.to_string().contains("run `crawler repair`"), "{error}");
        }
        let (report, notes) = plan(dir.path(), &|| Ok(None)).unwrap();
        assert_eq!((report.articles, report.stories, report.feeds), (8, 6, 1), "{notes}");
        assert_eq!((report.bare_feeds, report.brands), (u64::from(lost), 2), "{notes}");
        let engine = engine(dir.path());
        proven(&engine, 8);
        assert_eq!(engine.store.tallies(&Filter::default()).unwrap(), before.0);
        assert_eq!(stories(engine.store.as_ref()), before.1);
        let named = engine.store.story_of(address(&url(0), None).unwrap().key).unwrap().unwrap();
        assert_eq!(named.id == before.3, !lost);
        // Either name leads to it.
        assert!(lost || engine.store.story(named.members[0].key).unwrap() == Some(named));
        assert_eq!(engine.store.brand_set().unwrap(), before.2);
        // Its page may be read again; what is known under another key is not.
        let alias = address(&format!("{}?page=full", url(3)), None).unwrap().key;
        let known = engine.store.url(alias).unwrap().unwrap();
        assert_eq!(known.key, address(&url(3), None).unwrap().key);
        let failed = engine.store.url(address(&url(8), None).unwrap().key).unwrap();
        assert_eq!(failed.is_none(), lost);
        if lost {
            assert!(notes.contains("brands are taken from decisions.jsonl"), "{notes}");
            assert!(notes.contains("are lost"), "{notes}");
        }
    }
}

#[tokio::test]
async fn without_any_brands_the_configured_list_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    lose(dir.path());
    std::fs::remove_file(dir.path().join("decisions.jsonl")).unwrap();
    let list = vec![Brand { name: "Acme".into(), whole_word: true, ..Brand::default() }];
    let (report, notes) = plan(dir.path(), &|| Ok(Some(list.clone()))).unwrap();
    assert_eq!((report.articles, report.brands, report.feeds), (8, 1, 0));
    assert!(notes.contains("those of the configured list are taken"), "{notes}");
    proven(&engine(dir.path()), 8);
}

#[tokio::test]
async fn what_is_forgotten_is_gone_and_the_rest_adds_up() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    let engine = engine(dir.path());
    let gone = |articles, entries| Forgotten { articles, entries, ..Forgotten::default() };
    let chain = |engine: &Engine, n: usize| {
        let key = address(&url(n), None).unwrap().key;
        engine.store.story_of(key).unwrap().map(|story| story.members.len())
    };
    assert_eq!((chain(&engine, 0), chain(&engine, 2)), (Some(3), Some(3)));
    // By another of its URLs; it was the link of the chain.
    assert_eq!(
        forget(&engine, &Who::program(), &format!("{}?page=full", url(1))).unwrap(),
        gone(1, 1)
    );
    assert_eq!((chain(&engine, 0), chain(&engine, 1), chain(&engine, 2)), (Some(1), None, Some(1)));
    proven(&engine, 7);
    let never = forget(&engine, &Who::program(), "https://never.test/seen").unwrap();
    assert_eq!(never, Forgotten { unseen: true, ..gone(0, 0) });
    assert!(forget(&engine, &Who::program(), &UrlKey(5).to_string()).is_err());
    let outlet = forget(&engine, &Who::program(), "paper0.test").unwrap();
    assert_eq!((outlet.articles, outlet.entries, outlet.feeds), (4, 5, 1));
    proven(&engine, 3);
    // A repair does not bring it back.
    drop(engine);
    lose(dir.path());
    let (report, notes) = plan(dir.path(), &|| Ok(None)).unwrap();
    assert_eq!(report.articles, 3, "{notes}");
    let engine = self::engine(dir.path());
    proven(&engine, 3);
    for n in [0, 1, 8] {
        let url = engine.store.url(address(&url(n), None).unwrap().key).unwrap().unwrap();
        assert_eq!(url.outcome, Outcome::Forgotten);
    }
}

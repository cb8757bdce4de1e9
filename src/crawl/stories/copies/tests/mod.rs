//! Saving, crashes, what leaves the window, two workers with one story, excerpts.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::crawl::Engine;
use crate::crawl::orders::forget::forget;
use crate::crawl::orders::repair::tests::{T0, engine, proven, record, work};
use crate::crawl::orders::steps::Steps;
use crate::crawl::orders::stories::{Rebuilt, rebuild};
use crate::crawl::run::commit::{self, Work};
use crate::crawl::stories::join as story;
use crate::crawl::web::lineage;
use crate::crawl::web::page::{ArticleDraft, PageDraft};
use crate::dedupe::search::Found;
use crate::frontier::address;
use crate::store::decision::{Change, Who};
use crate::store::{ArticleCommit, Claim, PageCommit, PollCommit};

mod prints;
mod versions;

const OUTLETS: [&str; 2] = ["paper0.test", "paper1.test"];

fn url(outlet: &str, n: usize) -> String {
    format!("https://www.{outlet}/{n}")
}

fn key(outlet: &str, n: usize) -> UrlKey {
    address(&url(outlet, n), None).unwrap().key
}

/// Two outlets with so many pending entries each.
fn seeded(engine: &Arc<Engine>, entries: usize) {
    let store = engine.store.as_ref();
    for outlet in OUTLETS {
        let feed = address(&format!("https://www.{outlet}/feed"), None).unwrap();
        let feed = lineage::new_feed(&feed, T0);
        store.add_feeds(std::slice::from_ref(&feed)).unwrap();
        let entry = |n| {
            let at = address(&url(outlet, n), None).unwrap();
            UrlRecord {
                key: at.key,
                canonical: at.canonical.clone(),
                outlet: at.outlet,
                pace_key: at.pace_key,
                feed: feed.key,
                entry: crate::model::Entry { url: at.canonical, ..Default::default() },
                first_seen: T0,
                arrival: day_of(T0, &engine.zone),
                backlog: false,
                outcome: Outcome::Pending,
                attempts: 0,
                next: T0,
                last_error: None,
                chain: Vec::new(),
                foreign: false,
                sight: Sight::Unnoted,
                arrived: Arrived::Seen,
            }
        };
        let mut polled = feed.clone();
        polled.poll.next = T0 + 30 * DAY;
        let poll = PollCommit {
            feed: polled,
            due: T0,
            at: T0,
            day: day_of(T0, &engine.zone),
            begins: T0 - T0.rem_euclid(DAY),
            succeeded: true,
            pushed: false,
            entries: (0..entries).map(entry).collect(),
            feeds: Vec::new(),
        };
        let lease = lease(store, outlet);
        let mut batch = store.batch().unwrap();
        batch.poll(&lease, poll).unwrap();
        batch.commit().unwrap();
        assert!(store.complete(&lease, &lease.pace).unwrap());
    }
}

fn lease(store: &dyn Store, outlet: &str) -> Lease {
    let now = store.pace(outlet).unwrap().map_or(T0, |pace| pace.next_at.max(T0));
    let claim = Claim { owner: "w".into(), now, until: now + DAY, keys: 1, drain: 100 };
    store.claim_key(&claim, outlet).unwrap().expect("free")
}

/// An article of `text`, published and first seen `at`.
fn article(outlet: &str, n: usize, text: &str, at: Millis) -> ArticleRecord {
    let feed = address(&format!("https://www.{outlet}/feed"), None).unwrap();
    let mut record = record(n, feed.key);
    record.key = key(outlet, n);
    record.outlet = outlet.into();
    record.url = url(outlet, n);
    record.final_url = url(outlet, n);
    record.published.at = at;
    record.published.day = day_of(at, &jiff::tz::TimeZone::UTC);
    (record.first_seen, record.fetched) = (at, at);
    record.article.text = text.into();
    record.article.blocks.clear();
    record
}

/// What had left by a clock that was ahead stayed away, so its copies were stories of their own.
#[test]
fn after_a_clock_that_was_ahead_the_window_is_whole_again() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 2);
    let store = engine.store.as_ref();
    let mut copies = load(&engine, T0);
    add(store, &mut copies, article("paper0.test", 0, &words(0..100), T0));
    copies.expire_if_due(store, T0 + 60 * DAY).unwrap();
    assert!(!copies.search.holds(key("paper0.test", 0)));
    assert!(copies.reaches(T0 + 60 * DAY) && !copies.reaches(T0));
    copies.save(store);
    let copies = load(&engine, T0);
    assert!(copies.search.holds(key("paper0.test", 0)) && copies.reaches(T0));
    assert_eq!(answers(store, &copies), answers(store, &made(&engine, T0)));
}

fn words(range: std::ops::Range<usize>) -> String {
    range.map(|n| format!("word{n} ")).collect()
}

fn page(article: ArticleDraft) -> PageDraft {
    let draft = PageDraft::new(article.record.key, Outcome::Article);
    PageDraft { at: T0, article: Some(article), ..draft }
}

/// What the committer does with one article.
fn add(store: &dyn Store, copies: &mut Copies, record: ArticleRecord) {
    assert!(copies.catch_up(store).unwrap());
    let lease = lease(store, &record.outlet);
    let mut batch = store.batch().unwrap();
    let print = Print::of(&record.article.text);
    let vector = print.encode();
    let (joining, excerpts) =
        story::join(&mut story::Batched(batch.as_mut()), copies, &record, print).unwrap();
    let (mentions, brand_set) = (Vec::new(), store.brand_set().unwrap().version);
    let commit = PageCommit {
        key: record.key,
        outcome: Outcome::Article,
        at: T0,
        retry: None,
        article: Some(ArticleCommit {
            record,
            mentions,
            brand_set,
            vector,
            joining,
            excerpts,
            printed: None,
        }),
        discovered: Vec::new(),
        aliases: Vec::new(),
    };
    batch.page(&lease, commit).unwrap();
    batch.commit().unwrap();
    assert!(store.complete(&lease, &lease.pace).unwrap());
    copies.committed(store.log_end().unwrap());
}

/// All that an index answers about the articles of a store: who is held, and near to whom.
type Answers = BTreeMap<UrlKey, (bool, Found)>;

fn answers(store: &dyn Store, copies: &Copies) -> Answers {
    let mut answers = Answers::new();
    store
        .vectors(Millis::MIN, &mut |key, at, bytes| {
            let print = Print::decode(&bytes).unwrap();
            answers.insert(key, (copies.search.holds(key), copies.search.near(key, at, &print)));
            true
        })
        .unwrap();
    let held = answers.values().filter(|(held, _)| *held).count();
    assert_eq!(copies.search.len(), held, "nothing but articles of the store is held");
    answers
}

fn load(engine: &Engine, now: Millis) -> Copies {
    Copies::load(&engine.store, &engine.settings.dedupe, now).unwrap()
}

/// Made from all vectors, whatever is saved.
fn made(engine: &Engine, now: Millis) -> Copies {
    let settings = &engine.settings.dedupe;
    let mut copies = Copies::empty(settings.clone(), Rule::default(), source(&engine.store));
    copies.fill(engine.store.as_ref(), settings.horizon(now)).unwrap();
    copies
}

#[derive(Clone, Debug)]
enum Step {
    /// An article whose text begins at this word.
    Come(usize),
    /// The article of this number, if it is there.
    Go(usize),
    Save,
    /// The file of an earlier save comes back.
    Restore,
    Damage(prop::sample::Index),
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0usize..40).prop_map(|n| Step::Come(n * 7)),
        2 => (0usize..12).prop_map(Step::Go),
        2 => Just(Step::Save),
        1 => Just(Step::Restore),
        1 => any::<prop::sample::Index>().prop_map(Step::Damage),
        3 => Just(Step::Crash),
    ]
}

fn saved_file(dir: &Path) -> std::path::PathBuf {
    dir.join("aside").join(SAVED)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    /// Whatever is saved when, and lost, damaged or out of date: after a crash the index is the one
    /// that is made from all vectors.
    #[test]
    fn a_crash_at_any_place_loses_nothing(steps in prop::collection::vec(step(), 1..24)) {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(dir.path());
        seeded(&engine, 24);
        let store = engine.store.as_ref();
        let mut copies = load(&engine, T0);
        let (mut next, mut earlier) = (0, None);
        let mut gone = std::collections::BTreeSet::new();
        for step in steps.into_iter().chain([Step::Crash]) {
            match step {
                Step::Come(from) => {
                    let text = words(from..from + 150);
                    let record = article("paper0.test", next, &text, T0 + next as Millis * HOUR);
                    add(store, &mut copies, record);
                    next += 1;
                }
                Step::Go(n) if n < next && gone.insert(n) => {
                    forget(&engine, &Who::program(), &key("paper0.test", n).to_string()).unwrap();
                }
                Step::Go(_) => {}
                Step::Save => {
                    prop_assert!(copies.catch_up(store).unwrap());
                    copies.save(store);
                    if earlier.is_none() {
                        earlier = std::fs::read(saved_file(dir.path())).ok();
                    }
                }
                Step::Restore => {
                    if let Some(bytes) = &earlier {
                        std::fs::write(saved_file(dir.path()), bytes).unwrap();
                    }
                }
                Step::Damage(at) => {
                    if let Ok(mut bytes) = std::fs::read(saved_file(dir.path())) {
                        let at = at.index(bytes.len());
                        bytes[at] ^= 0x40;
                        std::fs::write(saved_file(dir.path()), bytes).unwrap();
                    }
                }
                Step::Crash => {
                    copies = load(&engine, T0);
                    prop_assert_eq!(
                        answers(store, &copies),
                        answers(store, &made(&engine, T0))
                    );
                }
            }
        }
        proven(&engine, (next - gone.len()) as u64);
    }
}

#[test]
fn what_was_saved_is_not_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 8);
    let store = engine.store.as_ref();
    let mut copies = load(&engine, T0);
    for n in 0..6 {
        add(store, &mut copies, article("paper0.test", n, &words(n * 100..n * 100 + 80), T0));
    }
    copies.save(store);
    add(store, &mut copies, article("paper0.test", 6, &words(900..980), T0));
    let end = store.log_end().unwrap();
    // The process dies; the next takes over one article, not seven.
    let read =
        read_saved(&engine.store, &engine.settings.dedupe, Rule::default()).unwrap().unwrap();
    assert_eq!((read.search.len(), read.position.number), (6, end.number - 1));
    let mut logged = 0;
    let whole = store.log_since(read.position, &mut |_, _| {
        logged += 1;
        true
    });
    assert_eq!((whole.unwrap(), logged), (true, 1));
    // What was logged before is gone, so an older place leads nowhere.
    assert!(!store.log_since(LogPosition { number: 1, sum: 1 }, &mut |_, _| true).unwrap());
    assert_eq!(load(&engine, T0).search.len(), 7);
}

#[test]
fn what_leaves_the_window_is_dropped_story_by_story() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 12);
    let store = engine.store.as_ref();
    let now = T0 + 100 * DAY;
    let horizon = engine.settings.dedupe.horizon(now);
    assert_eq!(horizon, now - 37 * DAY);
    let mut copies = load(&engine, T0);
    let mut next = 0;
    let mut come = |copies: &mut Copies, from: usize, published: Millis, seen: Millis| {
        let mut record = article("paper0.test", next, &words(from..from + 600), published);
        (record.first_seen, record.fetched) = (seen, seen);
        add(store, copies, record);
        next += 1;
    };
    // A story that ends before the horizon, in two steps.
    come(&mut copies, 0, horizon - 20 * DAY, horizon - 20 * DAY);
    come(&mut copies, 2, horizon - 1, horizon - 1);
    // A chain that reaches into the window: its old members stay.
    come(&mut copies, 1_000, horizon - 25 * DAY, horizon - 25 * DAY);
    come(&mut copies, 1_002, horizon - 2 * DAY, horizon - 2 * DAY);
    come(&mut copies, 1_004, horizon, horizon);
    // One that was published long ago and came late.
    come(&mut copies, 2_000, horizon - 90 * DAY, horizon + DAY);
    // And one of today.
    come(&mut copies, 3_000, now, now);
    copies.expire(store, now).unwrap();
    let held = |copies: &Copies| {
        (0..7).map(|n| u8::from(copies.search.holds(key("paper0.test", n)))).collect::<Vec<_>>()
    };
    assert_eq!(held(&copies), [0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(copies.search.len(), 5);
    copies.save(store);
    assert_eq!(answers(store, &load(&engine, now)), answers(store, &made(&engine, now)));
    assert_eq!(held(&made(&engine, now)), held(&copies));
    // The late one's copy finds it; that of the story that ended founds its own.
    come(&mut copies, 2_001, horizon - 80 * DAY, now);
    come(&mut copies, 3, horizon - 2, now);
    let members = |n| store.story_of(key("paper0.test", n)).unwrap().unwrap().members.len();
    assert_eq!((members(5), members(0), members(8)), (2, 2, 1));
    // Nothing of that contradicts what the search promises.
    proven(&engine, 9);
}

#[tokio::test]
async fn two_workers_that_meet_one_story_end_in_one() {
    const STORIES: usize = 24;
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, STORIES);
    let (committer, thread) = commit::start(engine.clone()).unwrap();
    let watch = engine.watch.read().unwrap().clone();
    let draft = |task: &Task| {
        let (outlet, n) = task.url.rsplit_once('/').unwrap();
        let n: usize = n.parse().unwrap();
        let outlet = outlet.trim_start_matches("https://www.");
        let text = format!("{}as {outlet} has it", words(n * 500..n * 500 + 200));
        let record = article(outlet, n, &text, T0 + n as Millis);
        let print = Print::of(&record.article.text);
        let brand_set = watch.set.version.clone();
        let (mentions, printed) = (Vec::new(), None);
        Work::Page(Box::new(page(ArticleDraft { record, mentions, brand_set, print, printed })))
    };
    let at = T0 + MINUTE;
    tokio::join!(
        work(&engine, &committer, OUTLETS[0], at, &draft),
        work(&engine, &committer, OUTLETS[1], at, &draft),
    );
    drop(committer);
    thread.join().unwrap();
    for n in 0..STORIES {
        let [a, b] = OUTLETS.map(|outlet| engine.store.story_of(key(outlet, n)).unwrap().unwrap());
        assert_eq!((a.members.len(), &a), (2, &b));
    }
    proven(&engine, 2 * STORIES as u64);
}

#[test]
fn excerpts_are_linked_and_belong_to_other_stories() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 8);
    let store = engine.store.as_ref();
    let mut copies = load(&engine, T0);
    let whole = words(0..900);
    add(store, &mut copies, article("paper0.test", 0, &whole, T0));
    // A copy of the whole, half of it, another half with a line of its own, something else.
    add(store, &mut copies, article("paper1.test", 0, &format!("{whole}and so on"), T0 + 1));
    add(store, &mut copies, article("paper1.test", 1, &words(0..450), T0 + 2));
    let half = format!("from our desk {}", words(450..900));
    add(store, &mut copies, article("paper0.test", 1, &half, T0 + 3));
    add(store, &mut copies, article("paper0.test", 2, &words(2_000..2_500), T0 + 4));
    let story = |outlet, n| store.story_of(key(outlet, n)).unwrap().unwrap();
    assert_eq!(story("paper0.test", 0).members.len(), 2);
    assert_eq!(story("paper1.test", 1).members.len(), 1);
    let links = |outlet, n| {
        let mut links = store.excerpts_of(key(outlet, n)).unwrap();
        links.sort_by_key(|link| (link.part, link.whole));
        links
    };
    // Each half is linked once with the story of the whole, from both sides.
    let [first, second] = [links("paper1.test", 1), links("paper0.test", 1)];
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_eq!((first[0].part, first[0].share), (key("paper1.test", 1), 1.0));
    assert!(second[0].part == key("paper0.test", 1) && (0.99..1.0).contains(&second[0].share));
    let wholes = [links("paper0.test", 0), links("paper1.test", 0)].concat();
    assert_eq!(wholes.len(), 2);
    assert_eq!(links("paper0.test", 2), []);
    // A longer text that comes later finds the excerpts that are there.
    add(store, &mut copies, article("paper1.test", 2, &words(1_900..2_900), T0 + 5));
    assert_eq!(links("paper0.test", 2), links("paper1.test", 2));
    assert_eq!(links("paper0.test", 2).len(), 1);
    proven(&engine, 6);
    forget(&engine, &Who::program(), &key("paper1.test", 2).to_string()).unwrap();
    assert_eq!(links("paper0.test", 2), []);
    proven(&engine, 5);
}

/// A hundred words with numbers among them.
fn report(numbers: [u32; 6]) -> String {
    let part = |(n, number): (usize, u32)| format!("{}{number} ", words(n * 17..n * 17 + 17));
    numbers.into_iter().enumerate().map(part).collect()
}

#[test]
fn stories_of_the_first_rule_stay_until_they_are_told_anew() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 12);
    let store = engine.store.as_ref();
    assert_eq!(rules::in_force(store).unwrap(), Rule::Nouns, "a new store");
    rules::put(store, Rule::Words).unwrap();
    let mut copies = load(&engine, T0);
    let reports = [report([10, 20, 30, 40, 50, 60]), report([11, 21, 31, 41, 51, 61])];
    let dressed = |n: usize| format!("{}{}", words(n..n + 25), words(700..800));
    let texts = [&reports[0], &reports[1], &words(700..800), &dressed(900), &words(2_000..2_300)];
    for (n, text) in texts.iter().enumerate() {
        add(store, &mut copies, article("paper0.test", n, text, T0 + n as Millis));
    }
    copies.save(store);
    let story = |n| store.story_of(key("paper0.test", n)).unwrap().unwrap();
    let sizes = || (0..5).map(|n| story(n).members.len()).collect::<Vec<_>>();
    assert_eq!(sizes(), [2, 2, 1, 1, 1]);
    proven(&engine, 5);

    let (who, steps) = (Who::program(), Steps::default());
    let dry = rebuild(&engine, &who, true, &steps).unwrap();
    assert_eq!((dry.before, dry.rule, dry.articles, dry.moved), (1, 3, 5, 4));
    assert_eq!((dry.stories_before, dry.stories, dry.patterns), (4, 4, 2));
    assert_eq!(sizes(), [2, 2, 1, 1, 1], "nothing has changed");
    let done = rebuild(&engine, &who, false, &steps).unwrap();
    assert_eq!(Rebuilt { dry_run: true, ..done }, dry);
    assert_eq!(sizes(), [1, 1, 2, 2, 1]);
    assert!(story(0).pattern && story(1).pattern && !story(2).pattern);
    assert_eq!(story(3).id, key("paper0.test", 2), "the first one's name stays");
    assert_eq!(rules::in_force(store).unwrap(), Rule::Nouns);
    proven(&engine, 5);
    let again = rebuild(&engine, &who, false, &steps).unwrap();
    assert_eq!((again.before, again.moved), (3, 0));

    // What comes now is told by the new rule; what was saved is not used.
    let mut copies = load(&engine, T0);
    add(store, &mut copies, article("paper0.test", 5, &dressed(1_000), T0 + 5));
    add(store, &mut copies, article("paper0.test", 6, &report([12, 22, 32, 42, 52, 62]), T0 + 6));
    assert_eq!((story(5).members.len(), story(6).members.len()), (3, 1));
    assert!(story(6).pattern);
    proven(&engine, 7);
    forget(&engine, &who, &key("paper0.test", 2).to_string()).unwrap();
    proven(&engine, 6);
}

#[test]
fn prints_of_before_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 4);
    let store = engine.store.as_ref();
    rules::put(store, Rule::Words).unwrap();
    let mut copies = load(&engine, T0);
    let texts = [words(0..100), format!("{}{}", words(0..100), words(500..525))];
    for (n, text) in texts.iter().enumerate() {
        add(store, &mut copies, article("paper0.test", n, text, T0 + n as Millis));
        // Of the oldest ones only the vector is kept; those of a while ago are of the text as printed.
        let old = match n {
            0 => Print::of(text).vector.encode(),
            _ => Print { folded: false, ..Print::of(text) }.encode(),
        };
        let prints = [(key("paper0.test", n), T0 + n as Millis, old)];
        store.change(Change::Stories { prints: &prints, stories: &[] }, None).unwrap();
    }
    proven(&engine, 2);
    rebuild(&engine, &Who::program(), false, &Steps::default()).unwrap();
    for (n, text) in texts.iter().enumerate() {
        let stored = store.vector(key("paper0.test", n), T0 + n as Millis).unwrap().unwrap();
        assert_eq!(Print::decode(&stored), Ok(Print::of(text)));
    }
    assert_eq!(store.story_of(key("paper0.test", 0)).unwrap().unwrap().members.len(), 2);
    proven(&engine, 2);
}

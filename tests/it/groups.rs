//! Counts by outlet, language, feed or agency are the counts by day, sorted otherwise: both add up to the same.

use std::collections::{BTreeMap, BTreeSet};

use crawler::mention::{self, Lexicon};
use crawler::model::*;
use crawler::query::{By, Line, MentionsQuery, mentions};
use crawler::store::{self, ArticleCommit, Batch, Claim, PageCommit, PollCommit, Store};
use proptest::prelude::*;

const T0: Millis = 1_795_000_000_000;
const BRANDS: [&str; 3] = ["Acme", "Umbra", "Zenith"];

fn key(n: usize) -> UrlKey {
    UrlKey((n as u128 + 1) << 64)
}

fn day(n: i8) -> Day {
    Day::constant(2026, 11, n)
}

/// An article: day, outlet, language, feed, agency; how often its body and its caption name each brand; whose copy.
#[derive(Clone, Debug)]
struct Written {
    day: i8,
    outlet: u8,
    language: Option<&'static str>,
    feed: usize,
    agency: Option<Option<&'static str>>,
    named: [(u8, u8); 3],
    copies: Vec<usize>,
}

fn written() -> impl Strategy<Value = Written> {
    let language = prop_oneof![Just(None), Just(Some("en")), Just(Some("de-AT"))];
    let agency = prop_oneof![Just(None), Just(Some(None)), Just(Some(Some("Reuters")))];
    let named = prop::array::uniform3((0u8..3, 0u8..2));
    let copies = prop::collection::vec(0usize..12, 0..3);
    (15i8..=20, 0u8..3, language, 0usize..2, agency, named, copies).prop_map(
        |(day, outlet, language, feed, agency, named, copies)| Written {
            day,
            outlet,
            language,
            feed,
            agency,
            named,
            copies,
        },
    )
}

impl Written {
    fn record(&self, n: usize) -> ArticleRecord {
        let found = |value: &str| Found { value: value.to_owned(), source: Source::Visible };
        let mut blocks = Vec::new();
        for (brand, (body, caption)) in BRANDS.iter().zip(self.named) {
            let block = |label| Block { text: (*brand).to_owned(), label, probability: 1.0 };
            blocks.extend((0..body).map(|_| block(Label::Paragraph)));
            blocks.extend((0..caption).map(|_| block(Label::Caption)));
        }
        let url = format!("https://outlet{}.test/{n}", self.outlet);
        ArticleRecord {
            key: key(n),
            url: url.clone(),
            final_url: url,
            outlet: format!("outlet{}.test", self.outlet),
            feed: key(100 + self.feed),
            feed_title: None,
            backlog: false,
            first_seen: T0,
            fetched: T0,
            charset: ("UTF-8".to_owned(), "header".to_owned()),
            published: Published {
                at: T0 + Millis::from(self.day - 20) * DAY,
                day: day(self.day),
                precision: Precision::Instant,
                zone: ZoneSource::Printed,
                source: Source::Meta,
                printed: None,
            },
            article: Article {
                page_type: PageType::Article,
                language: self.language.map(found),
                text: format!("text {n}"),
                blocks,
                ..Article::default()
            },
            memory: None,
            sighting: Sighting::Open,
            agencies: self.agency.map(|agency| agency.map(found).into_iter().collect()),
        }
    }
}

/// Calls under a lease of the one pace key, in a batch of its own.
fn under(store: &dyn Store, call: impl FnOnce(&mut dyn Batch, &Lease)) {
    let now = store.pace("a.test").unwrap().map_or(T0, |p| p.next_at.max(p.blocked_until).max(T0));
    let claim = Claim { owner: "w".to_owned(), now, until: now + DAY, keys: 1, drain: 100 };
    let lease = store.claim_key(&claim, "a.test").unwrap().unwrap();
    let mut batch = store.batch().unwrap();
    call(&mut *batch, &lease);
    batch.commit().unwrap();
    assert!(store.complete(&lease, &lease.pace).unwrap());
}

fn entry(n: usize) -> UrlRecord {
    UrlRecord {
        key: key(n),
        canonical: format!("https://a.test/{n}"),
        outlet: "a.test".to_owned(),
        pace_key: "a.test".to_owned(),
        feed: key(100),
        entry: Entry { url: format!("https://a.test/{n}"), ..Entry::default() },
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

fn filled(articles: &[Written]) -> std::sync::Arc<dyn Store> {
    let store = store::memory();
    let brands =
        BRANDS.map(|name| Brand { name: name.into(), whole_word: true, ..Brand::default() });
    let lexicon = Lexicon::build(&brands).unwrap();
    let feed = |n| Feed::new(key(n), format!("https://a.test/feed{n}"), "a.test", "a.test", T0);
    store.add_feeds(&[feed(100), feed(101)]).unwrap();
    under(&*store, |batch, lease| {
        let feed = store.feed(key(100)).unwrap().unwrap();
        let due = feed.poll.next;
        let entries = (0..articles.len()).map(entry).collect();
        let mut poll = PollCommit {
            feed,
            due,
            at: due,
            day: day(20),
            begins: due - due.rem_euclid(DAY),
            succeeded: true,
            pushed: false,
            entries,
            feeds: Vec::new(),
        };
        poll.feed.poll.next = due + HOUR;
        batch.poll(lease, poll).unwrap();
    });
    for (n, written) in articles.iter().enumerate() {
        under(&*store, |batch, lease| {
            let mut stories = Vec::new();
            for copy in &written.copies {
                if let Some((story, _)) = batch.member(key(*copy)).unwrap()
                    && !stories.contains(&story)
                {
                    stories.push(story);
                }
            }
            let record = written.record(n);
            let found = mention::mentions(&lexicon, &record.article, &record.outlet);
            let commit = ArticleCommit {
                mentions: mention::rows(&lexicon, &record, &found),
                record,
                brand_set: String::new(),
                vector: vec![1],
                joining: Joining { stories, ..Joining::default() },
                excerpts: Vec::new(),
                printed: None,
            };
            let page = PageCommit {
                key: key(n),
                outcome: Outcome::Article,
                at: T0,
                retry: None,
                article: Some(commit),
                discovered: Vec::new(),
                aliases: Vec::new(),
            };
            batch.page(lease, page).unwrap();
        });
    }
    store
}

/// Stories, articles, copies, mentions, suppressed by brand.
type Sums = BTreeMap<String, [i64; 5]>;

fn sums(lines: &[Line]) -> Sums {
    let mut sums = Sums::new();
    for line in lines {
        let counts = [line.stories, line.articles, line.copies, line.mentions, line.suppressed];
        let sum = sums.entry(line.brand.clone()).or_default();
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    sums.retain(|_, sum| *sum != [0; 5]);
    sums
}

fn lines(store: &dyn Store, from: Option<i8>, to: Option<i8>, by: By) -> Vec<Line> {
    let query = MentionsQuery { brand: None, from: from.map(day), to: to.map(day), by };
    mentions(store, &query, T0).unwrap().lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    /// By outlet a story counted once for each outlet that had it, also on days that were not its original's.
    #[test]
    fn every_grouping_adds_up_to_the_days(articles in prop::collection::vec(written(), 1..12)) {
        adds_up(&articles);
    }
}

#[test]
fn a_story_of_other_days_took_the_place_of_one_that_only_copies_name() {
    let article = |day, outlet, body, copies| Written {
        day,
        outlet,
        language: None,
        feed: 0,
        agency: None,
        named: [(body, 0), (0, 0), (0, 0)],
        copies,
    };
    let copied =
        |day, outlet, n| [article(day, outlet, 0, vec![]), article(day + 1, 2, 1, vec![n])];
    adds_up(&[copied(17, 0, 0), copied(18, 1, 2)].concat());
}

/// Stories by brand and outlet of the original, counted one by one.
fn by_outlet(
    store: &dyn Store,
    from: Option<i8>,
    to: Option<i8>,
) -> BTreeMap<(String, String), i64> {
    let mut counts: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut count = |story: Story| {
        let original = &story.members[0];
        let brands: BTreeSet<&String> = story.members.iter().flat_map(|m| &m.brands).collect();
        let within = from.is_none_or(|from| day(from) <= original.day)
            && to.is_none_or(|to| original.day <= day(to));
        for brand in brands.into_iter().filter(|_| within) {
            *counts.entry((brand.clone(), original.outlet.clone())).or_default() += 1;
        }
        true
    };
    store.stories(None, None, &mut count).unwrap();
    counts
}

fn adds_up(articles: &[Written]) {
    let store = filled(articles);
    for (from, to) in [(None, None), (Some(17), None), (Some(18), Some(18)), (None, Some(19))] {
        let days = sums(&lines(&*store, from, to, By::Day));
        for by in [By::Outlet, By::Language, By::Feed, By::Agency] {
            let by_source = lines(&*store, from, to, by);
            assert_eq!(sums(&by_source), days, "{by:?} {from:?} {to:?}");
        }
        let mut stories = lines(&*store, from, to, By::Outlet);
        stories.retain(|line| line.stories > 0);
        let stories = stories.into_iter().map(|line| ((line.brand, line.bucket), line.stories));
        assert_eq!(stories.collect::<BTreeMap<_, _>>(), by_outlet(&*store, from, to));
        // One whose original counts the brand in several zones counts in each.
        for line in lines(&*store, from, to, By::Zone) {
            assert_eq!(line.stories + line.copies, line.articles, "{line:?}");
        }
    }
}

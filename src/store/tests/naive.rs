//! Random sequences of polls, retries, outcomes, articles and merges, against a model that keeps
//! plain lists and recomputes everything from them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::build::*;
use crate::model::*;
use crate::store::*;

#[derive(Clone, Debug)]
enum Step {
    Poll(BTreeSet<u32>),
    Retry(u32),
    End(u32),
    Article { n: u32, day: i8, brands: BTreeMap<u8, (u32, u32)>, copies: BTreeSet<u32> },
}

const ENTRIES: std::ops::Range<u32> = 11..23;

fn step() -> impl Strategy<Value = Step> {
    let article = (
        ENTRIES,
        15i8..=20,
        proptest::collection::btree_map(0u8..3, (0u32..3, 0u32..3), 0..3),
        proptest::collection::btree_set(ENTRIES, 0..4),
    );
    prop_oneof![
        2 => proptest::collection::btree_set(ENTRIES, 0..5).prop_map(Step::Poll),
        1 => ENTRIES.prop_map(Step::Retry),
        1 => ENTRIES.prop_map(Step::End),
        6 => article.prop_map(|(n, day, brands, copies)| Step::Article { n, day, brands, copies }),
    ]
}

#[derive(Default)]
struct Model {
    outcomes: BTreeMap<u32, &'static str>,
    articles: BTreeMap<u32, (i8, Vec<MentionRow>)>,
    links: Vec<(u32, u32)>,
    polls: u32,
    /// Of entries that the feed did not list at its first poll: when the one before listed them not.
    unlisted: BTreeMap<u32, Millis>,
}

impl Model {
    /// Members of each story, original first.
    fn stories(&self) -> BTreeSet<Vec<u32>> {
        let mut sets: Vec<BTreeSet<u32>> =
            self.articles.keys().map(|n| BTreeSet::from([*n])).collect();
        for (a, b) in &self.links {
            let (with, without) =
                sets.into_iter().partition::<Vec<_>, _>(|s| s.contains(a) || s.contains(b));
            sets = without;
            sets.push(with.into_iter().flatten().collect());
        }
        let sorted = |set: BTreeSet<u32>| {
            let mut members: Vec<u32> = set.into_iter().collect();
            members.sort_by_key(|n| (self.sighting(*n), self.articles[n].0, *n));
            members
        };
        sets.into_iter().map(sorted).collect()
    }

    fn sighting(&self, n: u32) -> Sighting {
        match self.unlisted.get(&n) {
            None => Sighting::Open,
            Some(listed) if at(self.articles[&n].0) + 6 * HOUR >= *listed => Sighting::Corroborated,
            Some(_) => Sighting::Contradicted,
        }
    }

    fn tallies(&self) -> Vec<(String, Day, Tally)> {
        let mut sums: BTreeMap<(String, Day), Tally> = BTreeMap::new();
        for (_, rows) in self.articles.values() {
            for row in rows {
                let tally = sums.entry((row.brand.clone(), row.day)).or_default();
                tally.articles += i64::from(row.counted > 0);
                tally.mentions += i64::from(row.counted);
                tally.suppressed += i64::from(row.suppressed);
                tally.own += i64::from(if row.own_outlet { row.counted } else { 0 });
                if row.counted > 0 {
                    // All of them were first seen on the 20th, a Friday.
                    let seen_late = |first: i8| i64::from(!row.backlog && row.day < day(first));
                    tally.backlog += i64::from(row.backlog);
                    tally.late += seen_late(19);
                    tally.late_week += seen_late(16);
                }
            }
        }
        for members in self.stories() {
            let rows = members.iter().flat_map(|n| &self.articles[n].1);
            let brands: BTreeSet<&str> =
                rows.filter(|r| r.counted > 0).map(|r| r.brand.as_str()).collect();
            for brand in brands {
                let (first, rows) = &self.articles[&members[0]];
                let tally = sums.entry((brand.to_owned(), day(*first))).or_default();
                tally.stories += 1;
                let counts = rows.iter().any(|row| row.brand == brand && row.counted > 0);
                tally.originals += i64::from(counts);
            }
        }
        sums.into_iter()
            .filter(|(_, tally)| *tally != Tally::default())
            .map(|((brand, day), tally)| (brand, day, tally))
            .collect()
    }
}

fn run(store: &dyn Store, steps: &[Step]) {
    let mut model = Model::default();
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    for step in steps {
        apply(store, &mut model, step);
        assert_eq!(store.tallies(&Filter::default()).unwrap(), model.tallies());
    }
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    for name in model.outcomes.values() {
        *outcomes.entry((*name).to_owned()).or_default() += 1;
    }
    let ledger = store.ledger(None, None).unwrap();
    assert_eq!(ledger.iter().map(|l| l.entries).sum::<u64>(), model.outcomes.len() as u64);
    assert_eq!(ledger.iter().map(|l| l.polls.due).sum::<u32>(), model.polls);
    assert_eq!(ledger.first().map(|l| l.outcomes.clone()).unwrap_or_default(), outcomes);
    let pending = outcomes.get("pending").copied().unwrap_or(0);
    assert_eq!(store.due().unwrap().pending, pending);
    let mut stories = BTreeSet::new();
    store
        .stories(None, None, &mut |story| {
            stories.insert(story.members.iter().map(|m| (m.key.0 >> 64) as u32).collect());
            true
        })
        .unwrap();
    assert_eq!(stories, model.stories());
    by_size(store);
    clean(store);
}

/// The order of size of any days, from its beginning and behind any of its stories, is that of all stories
/// sorted.
fn by_size(store: &dyn Store) {
    let mut stories: Vec<Story> = Vec::new();
    store
        .stories(None, None, &mut |story| {
            stories.push(story);
            true
        })
        .unwrap();
    for days in
        [(None, None), (Some(day(17)), None), (None, Some(day(18))), (Some(day(19)), Some(day(19)))]
    {
        let within = |m: &Member| {
            days.0.is_none_or(|from| m.day >= from) && days.1.is_none_or(|to| m.day <= to)
        };
        let mut sorted: Vec<(u64, Day, UrlKey)> = stories
            .iter()
            .filter(|story| story.members.iter().any(within))
            .map(|story| (story.members.len() as u64, story.members[0].day, story.id))
            .collect();
        sorted.sort_by_key(|(articles, day, id)| (std::cmp::Reverse(*articles), *day, *id));
        for first in 0..=sorted.len() {
            let after = first.checked_sub(1).map(|n| sorted[n]);
            let mut found = Vec::new();
            store
                .largest_stories(days, after, &mut |head| {
                    found.push((head.articles, head.day, head.id));
                    found.len() < 3
                })
                .unwrap();
            assert_eq!(found, sorted[first..sorted.len().min(first + 3)], "{days:?} {after:?}");
        }
    }
}

fn apply(store: &dyn Store, model: &mut Model, step: &Step) {
    let open = |model: &Model, n: &u32| model.outcomes.get(n) == Some(&"pending");
    match step {
        Step::Poll(found) => {
            let stored = store.feed(id(1)).unwrap().unwrap();
            let entries = found.iter().map(|n| entry(*n, "a.test", 1)).collect();
            under(store, "a.test", |batch, lease| {
                let mut poll = poll_of(&stored, stored.poll.next, entries);
                poll.feed.provenance.listed = Some(poll.at);
                batch.poll(lease, poll).unwrap();
            });
            model.polls += 1;
            for n in found {
                if !model.outcomes.contains_key(n)
                    && let Some(listed) = stored.provenance.listed
                {
                    model.unlisted.insert(*n, listed);
                }
                model.outcomes.entry(*n).or_insert("pending");
            }
        }
        Step::Retry(n) if open(model, n) => under(store, "a.test", |batch, lease| {
            let next = batch.url(id(*n)).unwrap().unwrap().next + SECOND;
            let retry = Some((next, "reset".to_owned()));
            batch.page(lease, PageCommit { retry, ..ends(*n, Outcome::Pending) }).unwrap();
        }),
        Step::End(n) if open(model, n) => {
            under(store, "a.test", |batch, lease| {
                batch.page(lease, ends(*n, Outcome::TooOld)).unwrap();
            });
            model.outcomes.insert(*n, "too old");
        }
        Step::Article { n, day, brands, copies } if model.outcomes.contains_key(n) => {
            let rows: Vec<MentionRow> = brands
                .iter()
                .map(|(b, (c, s))| MentionRow {
                    backlog: n % 3 == 0,
                    own_outlet: n % 5 == 0,
                    ..row(*n, &format!("brand{b}"), *day, *c, *s)
                })
                .collect();
            let copies: Vec<u32> = copies.iter().copied().filter(|c| c != n).collect();
            // Also for entries that have ended: a replay, which changes nothing.
            add_article(store, *n, *day, rows.clone(), &copies);
            if open(model, n) {
                model.outcomes.insert(*n, "article");
                model.articles.insert(*n, (*day, rows));
                let there = copies.iter().filter(|c| model.articles.contains_key(c));
                let links: Vec<_> = there.map(|c| (*n, *c)).collect();
                model.links.extend(links);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn memory_is_as_the_model(steps in proptest::collection::vec(step(), 1..40)) {
        run(&*memory(), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]
    #[test]
    fn the_store_on_disk_is_as_the_model(steps in proptest::collection::vec(step(), 1..40)) {
        let dir = tempfile::tempdir().unwrap();
        run(&*open(dir.path(), &Settings::default()).unwrap(), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]
    #[test]
    fn a_database_is_as_the_model(steps in proptest::collection::vec(step(), 1..40)) {
        run(&super::postgres::fresh(), &steps);
    }
}

//! Stories: the connected components of the copies relation, kept article by article. Members,
//! original, nearest earlier members and the marks of series and pattern depend only on which articles are known,
//! never on the order in which they came.
//!
//! Must not know: how copies are found, where stories are kept.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::{DAY, Joining, Member, Millis, Rank, Standing, Story, StoryHead, UrlKey};

/// A story that spans more than this is a series.
const SERIES_SPAN: Millis = 7 * DAY;

/// Where stories are looked up.
pub trait Known {
    /// What a look can end in.
    type Error;
    /// The story of an article, and what it knows about it; brands are not needed.
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>, Self::Error>;
    /// A story by its present id.
    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>, Self::Error>;
}

/// How the article `own` joins the stories of its copies, all of which become one.
///
/// `near` are its copies with their sim^σ, `patterns` the articles that it is of one pattern with (all of
/// them, as the search found them; its own key is ignored). `drifted` answers whether the story's first and
/// last member have drifted apart. The id that stays is the one of the story with the original that stands
/// first; a new story has its founder's key. The work grows with the number of copies, not with that of
/// members.
pub fn join<K: Known>(
    known: &mut K,
    own: Rank,
    near: &[(UrlKey, f64)],
    patterns: &[UrlKey],
    drifted: impl Fn(Rank, Rank) -> bool,
) -> Result<Joining, K::Error> {
    let mut heads: BTreeMap<UrlKey, StoryHead> = BTreeMap::new();
    let mut nearest: Option<(Rank, f32)> = None;
    let mut nearer = Vec::new();
    for &(key, similarity) in near.iter().filter(|(key, _)| *key != own.key) {
        let Some((story, member)) = known.member(key)? else { continue };
        if let Entry::Vacant(free) = heads.entry(story) {
            let Some(head) = known.head(story)? else { continue };
            free.insert(head);
        }
        let (rank, similarity) = (member.rank(), similarity as f32);
        if rank < own {
            if better((rank, similarity), nearest) {
                nearest = Some((rank, similarity));
            }
            continue;
        }
        let held = match member.nearest {
            // Its rank decides only between equals.
            Some((key, most)) if most == similarity => {
                known.member(key)?.map(|(_, member)| (member.rank(), most))
            }
            Some((_, most)) => Some((Rank::default(), most)),
            None => None,
        };
        if better((own, similarity), held) {
            nearer.push((key, similarity));
        }
    }
    let first = heads.values().map(|head| head.first).fold(own, Rank::min);
    let last = heads.values().map(|head| head.last).fold(own, Rank::max);
    let mut ids: Vec<(Standing, UrlKey)> =
        heads.values().map(|head| (head.original, head.id)).collect();
    ids.sort_unstable();
    let mut marked = BTreeSet::new();
    for key in patterns.iter().filter(|key| **key != own.key) {
        marked.extend(known.member(*key)?.map(|(story, _)| story));
    }
    Ok(Joining {
        patterns: marked.into_iter().collect(),
        stories: ids.into_iter().map(|(_, id)| id).collect(),
        nearest: nearest.map(|(rank, similarity)| (rank.key, similarity)),
        nearer,
        series: is_series(first, last, drifted),
    })
}

/// Is a candidate nearer than what is held? Of equally similar ones the earliest is, so that the
/// order of arrival does not matter.
fn better(candidate: (Rank, f32), held: Option<(Rank, f32)>) -> bool {
    held.is_none_or(|(rank, most)| candidate.1 > most || candidate.1 == most && candidate.0 < rank)
}

/// Chains drift (horoscopes, tickers, lotteries): more than seven days from end to end, or ends that have
/// drifted apart.
fn is_series(first: Rank, last: Rank, drifted: impl Fn(Rank, Rank) -> bool) -> bool {
    last.at.saturating_sub(first.at) > SERIES_SPAN || first.key != last.key && drifted(first, last)
}

/// Stories in memory.
#[derive(Debug, Default)]
pub struct Stories {
    heads: BTreeMap<UrlKey, StoryHead>,
    members: BTreeMap<UrlKey, (UrlKey, Member)>,
    /// Keys of the members by story.
    of: BTreeMap<UrlKey, Vec<UrlKey>>,
}

impl Known for Stories {
    type Error = std::convert::Infallible;
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>, Self::Error> {
        Ok(self.members.get(&article).cloned())
    }
    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>, Self::Error> {
        Ok(self.heads.get(&id).cloned())
    }
}

impl Stories {
    /// Adds an article, which is not there yet, by [`join`].
    pub fn add(
        &mut self,
        member: Member,
        near: &[(UrlKey, f64)],
        patterns: &[UrlKey],
        drifted: impl Fn(Rank, Rank) -> bool,
    ) {
        let Ok(joining) = join(self, member.rank(), near, patterns, drifted);
        let mut head = StoryHead::of(&member);
        head.id = joining.stories.first().copied().unwrap_or(member.key);
        (head.series, head.pattern) = (joining.series, !joining.patterns.is_empty());
        for id in &joining.patterns {
            if let Some(other) = self.heads.get_mut(id) {
                other.pattern = true;
            }
        }
        let mut keys = vec![member.key];
        for id in &joining.stories {
            if let Some(other) = self.heads.remove(id) {
                head.absorb(&other);
            }
            keys.extend(self.of.remove(id).unwrap_or_default());
        }
        for (key, similarity) in joining.nearer {
            if let Some((_, later)) = self.members.get_mut(&key) {
                later.nearest = Some((member.key, similarity));
            }
        }
        self.members.insert(member.key, (head.id, Member { nearest: joining.nearest, ..member }));
        for key in &keys {
            if let Some((story, _)) = self.members.get_mut(key) {
                *story = head.id;
            }
        }
        self.of.insert(head.id, keys);
        self.heads.insert(head.id, head);
    }

    /// Has this article been added?
    pub fn holds(&self, article: UrlKey) -> bool {
        self.members.contains_key(&article)
    }

    /// All of them, with their members in order.
    pub fn to_stories(&self) -> Vec<Story> {
        let mut stories = Vec::new();
        for (&id, keys) in &self.of {
            let members = keys.iter().filter_map(|key| self.members.get(key));
            let mut members: Vec<Member> = members.map(|(_, member)| member.clone()).collect();
            members.sort_by_key(Member::standing);
            let head = self.heads.get(&id);
            let series = head.is_some_and(|head| head.series);
            let pattern = head.is_some_and(|head| head.pattern);
            stories.push(Story { id, members, series, pattern });
        }
        stories
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sighting;
    use proptest::prelude::*;

    const TAU: f64 = 0.8;
    const SIGHTINGS: [Sighting; 3] =
        [Sighting::Open, Sighting::Corroborated, Sighting::Contradicted];

    fn member(key: u128, at: Millis) -> Member {
        Member {
            key: UrlKey(key),
            outlet: "example.org".into(),
            at,
            day: jiff::civil::date(2026, 5, 4),
            first_seen: at + 10,
            sighting: SIGHTINGS[key as usize % 3],
            nearest: None,
            brands: vec![],
        }
    }

    /// Symmetric similarities of a handful of articles.
    type Table = BTreeMap<(u128, u128), f64>;

    fn ask(table: &Table, a: UrlKey, b: UrlKey) -> f64 {
        table.get(&(a.0.min(b.0), a.0.max(b.0))).copied().unwrap_or(0.0)
    }

    /// Lets the articles come in the given order, as the crawl would.
    fn arrive(members: &[Member], table: &Table, order: &[usize]) -> Vec<Story> {
        let mut stories = Stories::default();
        let mut known: Vec<UrlKey> = Vec::new();
        for member in order.iter().map(|i| &members[*i]) {
            let near: Vec<(UrlKey, f64)> = known
                .iter()
                .map(|k| (*k, ask(table, *k, member.key)))
                .filter(|(_, s)| *s >= TAU)
                .collect();
            let patterns: Vec<UrlKey> = known
                .iter()
                .filter(|k| (0.79..TAU).contains(&ask(table, **k, member.key)))
                .copied()
                .collect();
            stories.add(member.clone(), &near, &patterns, |a, b| ask(table, a.key, b.key) < 0.65);
            known.push(member.key);
        }
        for (id, head) in &stories.heads {
            let members: Vec<&Member> =
                stories.of[id].iter().map(|k| &stories.members[k].1).collect();
            let original = members.iter().min_by_key(|m| m.standing()).unwrap();
            assert_eq!((head.original, head.day), (original.standing(), original.day));
            assert_eq!(Some(head.first), members.iter().map(|m| m.rank()).min());
            assert_eq!(Some(head.last), members.iter().map(|m| m.rank()).max());
            assert_eq!(head.articles, members.len() as u64);
            assert_eq!(Some(head.newest), members.iter().map(|m| m.at.max(m.first_seen)).max());
        }
        let mut all = stories.to_stories();
        all.sort_by_key(|s| s.members[0].key);
        all
    }

    fn world() -> impl Strategy<Value = (Vec<Member>, Table, Vec<usize>)> {
        (2usize..9).prop_flat_map(|n| {
            let ats = prop::collection::vec(0i64..4, n)
                .prop_map(|ats| ats.iter().map(|a| a * 3 * DAY).collect::<Vec<_>>());
            // Few distinct values, so that ties are common.
            let value = prop::sample::select(vec![0.3, 0.5, 0.6, 0.79, 0.8, 0.9, 0.9]);
            let sims = prop::collection::vec(value, n * n);
            let order = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
            (ats, sims, order).prop_map(move |(ats, sims, order)| {
                let members = (0..n).map(|i| member(i as u128, ats[i])).collect();
                let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
                let table = pairs.map(|(a, b)| ((a as u128, b as u128), sims[a * n + b])).collect();
                (members, table, order)
            })
        })
    }

    proptest! {
        #[test]
        fn order_of_arrival_does_not_matter((members, table, order) in world()) {
            let plain: Vec<usize> = (0..members.len()).collect();
            let strip = |stories: Vec<Story>| -> Vec<(Vec<Member>, bool, bool)> {
                stories.into_iter().map(|s| (s.members, s.series, s.pattern)).collect()
            };
            prop_assert_eq!(
                strip(arrive(&members, &table, &order)),
                strip(arrive(&members, &table, &plain))
            );
        }

        #[test]
        fn stories_are_the_components((members, table, order) in world()) {
            // Naive: spread the smallest label until nothing changes.
            let mut label: Vec<usize> = (0..members.len()).collect();
            for _ in 0..members.len() {
                for (&(a, b), &s) in &table {
                    if s >= TAU {
                        let low = label[a as usize].min(label[b as usize]);
                        label[a as usize] = low;
                        label[b as usize] = low;
                    }
                }
            }
            let mut expect: BTreeMap<usize, BTreeSet<UrlKey>> = BTreeMap::new();
            for (i, l) in label.iter().enumerate() {
                expect.entry(*l).or_default().insert(UrlKey(i as u128));
            }
            let expect: BTreeSet<BTreeSet<UrlKey>> = expect.into_values().collect();
            let stories = arrive(&members, &table, &order);
            let found: BTreeSet<BTreeSet<UrlKey>> =
                stories.iter().map(|s| s.members.iter().map(|m| m.key).collect()).collect();
            prop_assert_eq!(found, expect);
            for story in &stories {
                let of_pattern = |key: UrlKey| {
                    let mut own = table.iter().filter(|((a, b), _)| *a == key.0 || *b == key.0);
                    own.any(|(_, s)| *s == 0.79)
                };
                prop_assert_eq!(story.pattern, story.members.iter().any(|m| of_pattern(m.key)));
                prop_assert!(story.members.is_sorted_by_key(Member::standing));
                for m in &story.members {
                    let earlier = story.members.iter().filter(|e| e.rank() < m.rank());
                    let best = earlier
                        .map(|e| ask(&table, e.key, m.key) as f32)
                        .filter(|s| *s >= TAU as f32)
                        .reduce(f32::max);
                    prop_assert_eq!(m.nearest.map(|n| n.1), best);
                }
            }
        }
    }

    #[test]
    fn series_by_span_and_by_drift() {
        fn check(days: i64, drifted: bool, expect: bool) {
            let mut stories = Stories::default();
            stories.add(member(1, 0), &[], &[], |_, _| false);
            assert!(!stories.heads[&UrlKey(1)].series);
            stories.add(member(2, days * DAY), &[(UrlKey(1), 0.9)], &[], |_, _| drifted);
            let story = stories.to_stories().remove(0);
            assert_eq!((story.series, story.id, story.members.len()), (expect, UrlKey(1), 2));
        }
        check(1, false, false);
        check(7, false, false);
        check(8, false, true);
        check(1, true, true);
    }
}

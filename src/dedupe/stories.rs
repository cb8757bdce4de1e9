//! Stories: the connected components of the copies relation, kept article by article. Members,
//! original, nearest earlier members and the series mark depend only on which articles are known,
//! never on the order in which they came.
//!
//! Must not know: how copies are found, where stories are kept.

use crate::model::{DAY, Member, Millis, Story, UrlKey};

/// A story that spans more than this is a series.
const SERIES_SPAN: Millis = 7 * DAY;
/// A story whose ends are less alike than τ minus this is a series.
const SERIES_DRIFT: f64 = 0.15;

/// What became of the stories that a new article touches.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// The article's story: a new one, one that it joined, or several merged.
    pub story: Story,
    /// Ids of stories that were merged into it and are no more; they become aliases.
    pub absorbed: Vec<UrlKey>,
}

/// Adds `member` to the stories of its copies and merges those into one.
///
/// `near` are its copies with their sim^σ (all of them, as the index found them; its own key is
/// ignored), `stories` the stories they belong to, each once. `similarity` answers for the story's
/// first and last member, or `None` where a vector is no longer held. The id that stays is the one
/// of the story with the earliest original; a new story has its founder's key. An article that
/// comes again (replay, a corrected date) replaces itself.
pub fn join(
    member: Member,
    near: &[(UrlKey, f64)],
    stories: Vec<Story>,
    tau: f64,
    similarity: impl Fn(UrlKey, UrlKey) -> Option<f64>,
) -> Joined {
    let key = member.key;
    let mut ids: Vec<(Option<Rank>, UrlKey)> =
        stories.iter().map(|s| (s.members.iter().map(rank).min(), s.id)).collect();
    ids.sort_by_key(|(original, id)| (original.is_none(), *original, *id));
    ids.dedup_by_key(|(_, id)| *id);
    let id = ids.first().map_or(key, |(_, id)| *id);
    let absorbed = ids.iter().map(|(_, id)| *id).filter(|other| *other != id).collect();

    let mut members: Vec<Member> = stories.into_iter().flat_map(|s| s.members).collect();
    members.retain(|m| m.key != key);
    members.push(Member { nearest: None, ..member });
    members.sort_by_key(rank);
    members.dedup_by_key(|m| m.key);

    let order: Vec<UrlKey> = members.iter().map(|m| m.key).collect();
    let position = |wanted: UrlKey| order.iter().position(|k| *k == wanted);
    let own = position(key).unwrap_or(0);
    for &(other, similarity) in near {
        let Some(place) = position(other) else { continue };
        if place == own {
            continue;
        }
        let (earlier, later) = if place < own { (other, own) } else { (key, place) };
        let Some(later) = members.get_mut(later) else { continue };
        let candidate = (earlier, similarity as f32);
        // Of equally similar ones the earliest, so that the order of arrival does not matter.
        let better = later.nearest.is_none_or(|(held, most)| {
            candidate.1 > most || candidate.1 == most && position(earlier) < position(held)
        });
        if better {
            later.nearest = Some(candidate);
        }
    }

    let series = is_series(&members, tau, similarity);
    Joined { story: Story { id, members, series }, absorbed }
}

/// What orders the members of a story: publication instant, first seen, key.
type Rank = (Millis, Millis, UrlKey);

fn rank(member: &Member) -> Rank {
    (member.at, member.first_seen, member.key)
}

/// Chains drift (horoscopes, tickers, lotteries): more than seven days from end to end, or ends
/// less alike than τ − 0.15. `members` are in order.
fn is_series(
    members: &[Member],
    tau: f64,
    similarity: impl Fn(UrlKey, UrlKey) -> Option<f64>,
) -> bool {
    let (Some(first), Some(last)) = (members.first(), members.last()) else { return false };
    last.at.saturating_sub(first.at) > SERIES_SPAN
        || first.key != last.key
            && similarity(first.key, last.key).is_some_and(|s| s < tau - SERIES_DRIFT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    const TAU: f64 = 0.8;

    fn member(key: u128, at: Millis) -> Member {
        Member {
            key: UrlKey(key),
            outlet: "example.org".into(),
            at,
            day: jiff::civil::date(2026, 5, 4),
            first_seen: at + 10,
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
        let mut stories: BTreeMap<UrlKey, Story> = BTreeMap::new();
        let mut known: Vec<UrlKey> = Vec::new();
        for member in order.iter().map(|i| &members[*i]) {
            let near: Vec<(UrlKey, f64)> = known
                .iter()
                .map(|k| (*k, ask(table, *k, member.key)))
                .filter(|(_, s)| *s >= TAU)
                .collect();
            let touched: BTreeSet<UrlKey> = stories
                .values()
                .filter(|s| s.members.iter().any(|m| near.iter().any(|(k, _)| *k == m.key)))
                .map(|s| s.id)
                .collect();
            let touched: Vec<Story> = touched.iter().filter_map(|id| stories.remove(id)).collect();
            let count = touched.len();
            let joined = join(member.clone(), &near, touched, TAU, |a, b| Some(ask(table, a, b)));
            assert_eq!(joined.absorbed.len(), count.saturating_sub(1));
            stories.insert(joined.story.id, joined.story);
            known.push(member.key);
        }
        let mut all: Vec<Story> = stories.into_values().collect();
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
            let strip = |stories: Vec<Story>| -> Vec<(Vec<Member>, bool)> {
                stories.into_iter().map(|s| (s.members, s.series)).collect()
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
                prop_assert!(story.members.is_sorted_by_key(rank));
                for (i, m) in story.members.iter().enumerate() {
                    let best = story.members[..i]
                        .iter()
                        .map(|e| ask(&table, e.key, m.key) as f32)
                        .filter(|s| *s >= TAU as f32)
                        .reduce(f32::max);
                    prop_assert_eq!(m.nearest.map(|n| n.1), best);
                }
            }
        }

        #[test]
        fn coming_again_changes_nothing((members, table, order) in world(), again in 0usize..9) {
            let stories = arrive(&members, &table, &order);
            let again = &members[again % members.len()];
            let own = stories.iter().find(|s| s.members.iter().any(|m| m.key == again.key)).unwrap();
            let near: Vec<(UrlKey, f64)> = members
                .iter()
                .map(|m| (m.key, if m.key == again.key { 1.0 } else { ask(&table, m.key, again.key) }))
                .filter(|(_, s)| *s >= TAU)
                .collect();
            let joined =
                join(again.clone(), &near, vec![own.clone()], TAU, |a, b| Some(ask(&table, a, b)));
            prop_assert_eq!(&joined.story, own);
            prop_assert!(joined.absorbed.is_empty());
        }
    }

    #[test]
    fn series_by_span_and_by_drift() {
        fn check(days: i64, ends: Option<f64>, expect: bool) {
            let old = join(member(1, 0), &[], vec![], TAU, |_, _| None).story;
            assert!(!old.series);
            let new = member(2, days * DAY);
            let joined = join(new, &[(UrlKey(1), 0.9)], vec![old], TAU, |_, _| ends);
            assert_eq!((joined.story.series, joined.story.id), (expect, UrlKey(1)));
        }
        check(1, Some(0.9), false);
        check(7, Some(0.9), false);
        check(8, Some(0.9), true);
        check(1, Some(0.64), true);
        check(1, Some(0.66), false);
        check(1, None, false);
    }
}

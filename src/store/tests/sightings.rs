//! Who is a story's original: what polls say of dates decides, and no stranger.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::build::*;
use crate::model::*;
use crate::store::*;

suite! {
    a_date_before_a_poll_without_it_ranks_last
    a_feed_that_was_down_makes_no_original_of_an_old_date
    an_own_listing_corroborates_what_hearsay_brought
    an_own_listing_stays_whatever_was_read_before_it
}

/// Later than everything else here.
const LATE: Millis = T0 + 30 * DAY;

/// An article that an outlet lists, by its number.
#[derive(Clone, Copy, Debug)]
struct Piece {
    n: u32,
    outlet: u32,
    /// Copies are of one group.
    group: u32,
    at: Millis,
}

impl Piece {
    fn entry(&self) -> UrlRecord {
        let pace_key = format!("outlet{}.test", self.outlet);
        UrlRecord { key: id(self.n), ..entry(self.n, &pace_key, self.outlet) }
    }
}

/// A poll of an outlet's feed at an instant, which lists these.
fn poll(store: &dyn Store, outlet: u32, at: Millis, entries: Vec<UrlRecord>) {
    let pace_key = format!("outlet{outlet}.test");
    store.add_feeds(&[feed(outlet, &pace_key)]).unwrap();
    let stored = store.feed(id(outlet)).unwrap().unwrap();
    under(store, &pace_key, |batch, lease| {
        let mut poll = PollCommit { at, ..poll_of(&stored, at, entries) };
        poll.feed.provenance.listed = Some(at);
        batch.poll(lease, poll).unwrap();
    });
}

/// Commits the page of an entry, a copy of all of its group that are there.
fn read(store: &dyn Store, piece: Piece, pieces: &[Piece]) {
    under(store, &format!("outlet{}.test", piece.outlet), |batch, lease| {
        let day = utc_day(piece.at);
        let copies: Vec<u32> = pieces
            .iter()
            .filter(|o| o.group == piece.group && o.n != piece.n)
            .map(|o| o.n)
            .collect();
        let mut page = article(batch, piece.n, 1, Vec::new(), &copies);
        if let Some(commit) = &mut page.article {
            (commit.record.published.at, commit.record.published.day) = (piece.at, day);
            commit.record.outlet = format!("outlet{}.test", piece.outlet);
            commit.mentions = vec![MentionRow { day, ..row(piece.n, "Acme", 1, 1, 0) }];
        }
        batch.page(lease, page).unwrap();
    });
}

fn original(store: &dyn Store, n: u32) -> (UrlKey, Day) {
    let head = store.story_head_of(id(n)).unwrap().unwrap();
    let story = store.story_of(id(n)).unwrap().unwrap();
    assert_eq!(story.members[0].key, head.original.rank.key);
    (head.original.rank.key, head.day)
}

fn a_date_before_a_poll_without_it_ranks_last(store: &dyn Store) {
    let piece = |n, outlet, at| Piece { n, outlet, group: 0, at };
    let pieces = [piece(10, 1, T0), piece(11, 2, T0 - 6 * DAY), piece(12, 3, T0 - 9 * DAY)];
    let [own, copy, first] = pieces;
    poll(store, 1, T0 - HOUR, vec![]);
    poll(store, 2, T0 - HOUR, vec![]);
    poll(store, 1, T0 + HOUR, vec![own.entry()]);
    read(store, own, &pieces);
    assert_eq!(original(store, 10), (id(10), utc_day(T0)));
    poll(store, 2, T0 + HOUR, vec![copy.entry()]);
    read(store, copy, &pieces);
    // Of a feed that nobody knew.
    poll(store, 3, T0 + HOUR, vec![first.entry()]);
    read(store, first, &pieces);
    assert_eq!(original(store, 11), (id(10), utc_day(T0)));
    let story = store.story_of(id(10)).unwrap().unwrap();
    let stand: Vec<_> = story.members.iter().map(|m| (m.key, m.sighting)).collect();
    use Sighting::*;
    assert_eq!(stand, [(id(10), Corroborated), (id(12), Open), (id(11), Contradicted)]);
    let shown = store.article(id(11)).unwrap().unwrap();
    assert_eq!(shown.sighting, Contradicted);
    assert_eq!(shown.published.day, utc_day(T0 - 6 * DAY), "its day stays");
    let stories = |day| {
        let tallies = store.tallies(&Filter::default()).unwrap();
        tallies.iter().filter(|(_, d, _)| *d == day).map(|(.., t)| t.stories).sum::<i64>()
    };
    assert_eq!((stories(utc_day(T0)), stories(utc_day(T0 - 6 * DAY))), (1, 0));
    clean(store);
    // Without it, the next best stands for them.
    let rest =
        Story { id: story.id, members: story.members[1..].to_vec(), series: false, pattern: false };
    store.forget(&[store.url(id(10)).unwrap().unwrap()], &[rest]).unwrap();
    assert_eq!(original(store, 11), (id(12), utc_day(T0 - 9 * DAY)));
    clean(store);
}

fn a_feed_that_was_down_makes_no_original_of_an_old_date(store: &dyn Store) {
    let piece = |n, outlet, at| Piece { n, outlet, group: 0, at };
    let pieces =
        [piece(10, 1, T0), piece(11, 2, T0 - 2 * DAY), piece(12, 3, T0 + 5 * DAY - 2 * HOUR)];
    let [own, copy, fresh] = pieces;
    for outlet in 1..4 {
        poll(store, outlet, T0 - 3 * DAY, vec![]);
    }
    poll(store, 1, T0 - HOUR, vec![]);
    poll(store, 1, T0 + HOUR, vec![own.entry()]);
    read(store, own, &pieces);
    // Two feeds were down or empty for a week. One of them lists a copy that is dated before all others.
    let later = T0 + 5 * DAY;
    poll(store, 2, later, vec![copy.entry()]);
    read(store, copy, &pieces);
    poll(store, 3, later, vec![fresh.entry()]);
    read(store, fresh, &pieces);
    assert_eq!(original(store, 11), (id(10), utc_day(T0)));
    let sighting = |n| store.article(id(n)).unwrap().unwrap().sighting;
    assert_eq!((sighting(11), sighting(12)), (Sighting::Open, Sighting::Corroborated));
    clean(store);
}

fn an_own_listing_corroborates_what_hearsay_brought(store: &dyn Store) {
    let piece = |n, outlet, at| Piece { n, outlet, group: 0, at };
    let pieces = [piece(10, 1, T0), piece(11, 2, T0 - HOUR)];
    let [own, open] = pieces;
    poll(store, 1, T0 - HOUR, vec![]);
    poll(store, 2, T0, vec![open.entry()]);
    poll(store, 3, T0, vec![UrlRecord { foreign: true, ..own.entry() }]);
    read(store, open, &pieces);
    read(store, own, &pieces);
    assert_eq!(original(store, 10).0, id(11), "both are open");
    poll(store, 1, T0 + HOUR, vec![own.entry()]);
    assert_eq!(original(store, 10), (id(10), utc_day(T0)));
    assert_eq!(store.article(id(10)).unwrap().unwrap().sighting, Sighting::Corroborated);
    assert_eq!(store.article(id(10)).unwrap().unwrap().article.text, "Text of article 10.");
    clean(store);
}

/// What others were named before, in a recount and in stories that are told anew or apart.
fn an_own_listing_stays_whatever_was_read_before_it(store: &dyn Store) {
    let piece = |n, outlet, at| Piece { n, outlet, group: 0, at };
    let pieces = [piece(10, 1, T0), piece(11, 2, T0 - HOUR), piece(12, 4, T0 - HOUR)];
    let [own, open, another] = pieces;
    poll(store, 1, T0 - HOUR, vec![]);
    poll(store, 2, T0, vec![open.entry()]);
    poll(store, 4, T0, vec![another.entry()]);
    poll(store, 3, T0, vec![UrlRecord { foreign: true, backlog: true, ..own.entry() }]);
    pieces.iter().for_each(|piece| read(store, *piece, &pieces));
    let stale = |n: u32, brand: &str| MentionRow {
        feed: id(3),
        backlog: true,
        day: utc_day(T0),
        ..row(n, brand, 1, 1, 0)
    };
    let before = store.story_of(id(10)).unwrap().unwrap();
    let outlet = store.article(id(10)).unwrap().unwrap().outlet;
    let of_outlet = store.batch().unwrap().of_outlet(&[10, 11, 12, 99].map(id), &outlet);
    assert_eq!(of_outlet.unwrap(), 1);
    poll(store, 1, T0 + HOUR, vec![own.entry()]);
    let listed = |store: &dyn Store| {
        let article = store.article(id(10)).unwrap().unwrap();
        let member = store.batch().unwrap().member(id(10)).unwrap().unwrap().1;
        (article.feed, article.backlog, article.sighting, member.sighting)
    };
    let expected = (id(1), false, Sighting::Corroborated, Sighting::Corroborated);
    assert_eq!(listed(store), expected);
    // A recount that has read the article before.
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    store.recount_put(&set, id(10), &[stale(10, "Acme")]).unwrap();
    for n in [11, 12] {
        store.recount_put(&set, id(n), &[]).unwrap();
    }
    store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
    let rows = store.mentions_of(id(10)).unwrap();
    assert_eq!((rows[0].feed, rows[0].backlog), (id(1), false));
    // Stories that were told before.
    let told = std::slice::from_ref(&before);
    store.change(decision::Change::Stories { prints: &[], stories: told }, None).unwrap();
    assert_eq!(listed(store), expected);
    assert_eq!(original(store, 10).0, id(10));
    clean(store);
    // So is the rest of a story that was told apart before.
    let left = before.members.iter().filter(|member| member.key != id(12)).cloned();
    let rest = Story { members: left.collect(), ..before.clone() };
    store.forget(&[store.url(id(12)).unwrap().unwrap()], &[rest]).unwrap();
    assert_eq!(listed(store), expected);
    assert_eq!(original(store, 10).0, id(10));
    clean(store);
}

/// One poll of a web: how many hours after the one before; which outlet lists how many new articles, each of a
/// group and so many hours old; and what strangers do before.
#[derive(Clone, Debug)]
struct Step {
    after: i64,
    outlet: u32,
    new: Vec<(u32, i64)>,
    strangers: Vec<Strange>,
}

#[derive(Clone, Debug)]
enum Strange {
    /// Names the article that an outlet will list as its n-th; it is read at once.
    Hearsay(usize),
    /// Lists a copy that is dated so many days back, or late.
    Copy { feed: u32, group: u32, back: Option<i64> },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let strange = prop_oneof![
        (0..20usize).prop_map(Strange::Hearsay),
        (8u32..11, 0u32..4, proptest::option::of(2i64..9))
            .prop_map(|(feed, group, back)| Strange::Copy { feed, group, back }),
    ];
    let step = (
        prop_oneof![Just(1i64), Just(40)],
        1u32..4,
        proptest::collection::vec((0u32..4, 0i64..120), 0..3),
        proptest::collection::vec(strange, 0..3),
    );
    let step =
        step.prop_map(|(after, outlet, new, strangers)| Step { after, outlet, new, strangers });
    proptest::collection::vec(step, 1..12)
}

/// The original and the day of each group that has a corroborated member, as the outlets alone make it.
fn run(store: &dyn Store, steps: &[Step], strangers: bool) -> BTreeMap<u32, (UrlKey, Day)> {
    let mut own = Vec::new();
    let mut now = T0;
    let mut times = Vec::new();
    for step in steps {
        now += step.after * HOUR;
        times.push(now);
        for (group, old) in &step.new {
            let at = now - old * HOUR;
            own.push(Piece { n: 100 + own.len() as u32, outlet: step.outlet, group: *group, at });
        }
    }
    let mut pieces = own.clone();
    let mut listed = own.iter().copied();
    for (now, step) in times.into_iter().zip(steps) {
        for strange in step.strangers.iter().filter(|_| strangers) {
            match strange {
                Strange::Hearsay(at) => {
                    let Some(piece) = own.get(*at) else { continue };
                    poll(store, 9, now, vec![UrlRecord { foreign: true, ..piece.entry() }]);
                    read(store, *piece, &pieces);
                }
                Strange::Copy { feed, group, back } => {
                    let at = back.map_or(LATE, |days| now - days * DAY);
                    let n = 1_000 + pieces.len() as u32;
                    let piece = Piece { n, outlet: *feed, group: *group, at };
                    pieces.push(piece);
                    poll(store, *feed, now, vec![piece.entry()]);
                    read(store, piece, &pieces);
                }
            }
        }
        let new: Vec<Piece> = listed.by_ref().take(step.new.len()).collect();
        poll(store, step.outlet, now, new.iter().map(Piece::entry).collect());
        for piece in new {
            read(store, piece, &pieces);
        }
    }
    clean(store);
    let originals = own.iter().map(|piece| (piece.group, original(store, piece.n)));
    originals.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    /// Whatever strangers list, name and date back: a story with a corroborated member keeps its original
    /// and its day, and every outlet its articles and their days.
    #[test]
    fn strangers_move_no_story(steps in steps()) {
        let (alone, among) = (memory(), memory());
        let expect = run(&*alone, &steps, false);
        let found = run(&*among, &steps, true);
        for (group, original) in expect {
            let head = alone.story_head_of(original.0).unwrap().unwrap();
            if head.original.sighting == Sighting::Corroborated {
                prop_assert_eq!(found[&group], original);
            }
        }
        alone.urls(&mut |url| {
            let other = among.url(url.key).unwrap().unwrap();
            assert_eq!((url.outcome, url.foreign, url.sight), (other.outcome, other.foreign, other.sight));
            true
        }).unwrap();
    }
}

//! Damage of each kind of record, and the sentence that names it.

use super::build::*;
use crate::model::*;
use crate::store::embedded::Embedded;
use crate::store::embedded::format::keys::{self, describe, key};
use crate::store::embedded::format::{
    ByArticle, Counters, LeaseRow, MemberRow, Month, PaceRow, Pointer, PollSums, encode, vector_key,
};
use crate::store::embedded::kv::{Overlay, Writes};
use crate::store::embedded::stories::size_key;
use crate::store::rules::ledger::LedgerRow;
use crate::store::*;

/// A store in which every table holds something.
fn full() -> Embedded {
    let store = Embedded::memory();
    let set = BrandSet { version: String::new(), ..BrandSet::default() };
    store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
    let mut entries: Vec<_> = (11..17).map(|n| entry(n, "a.test", 1)).collect();
    entries[4].outcome = Outcome::Moved(id(11));
    with_entries(&store, entries);
    add_article(&store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(&store, 12, 19, vec![row(12, "Acme", 19, 1, 0)], &[]);
    under(&store, "a.test", |batch, lease| {
        let mut page = article(batch, 13, 21, vec![row(13, "Umbra", 21, 1, 0)], &[11, 12]);
        page.aliases = vec![id(99)];
        let excerpt = Excerpt { part: id(13), whole: id(11), share: 0.9 };
        page.article.as_mut().unwrap().excerpts = vec![excerpt];
        batch.page(lease, page).unwrap();
    });
    add_article(&store, 14, 18, Vec::new(), &[]);
    store.set_meta("zone", b"UTC").unwrap();
    let rule = OutletRule { ban: Some(Ban::Blocked), ..OutletRule::default() };
    store.set_outlet_rule("d.test", &rule).unwrap();
    let mut batch = store.batch().unwrap();
    let robots = RobotsRecord {
        origin: "https://a.test:443".to_owned(),
        fetched: T0,
        fresh_until: T0,
        status: RobotsStatus::Fetched,
        body: "User-agent: *".to_owned(),
        unreachable_since: None,
    };
    batch.robots(&robots).unwrap();
    batch.commit().unwrap();
    let next = BrandSet { version: "next".to_owned(), ..BrandSet::default() };
    store.recount_put(&next, id(11), &[row(11, "Later", 20, 1, 0)]).unwrap();
    lease(&store, "b.test");
    store.add_feeds(&[feed(2, "c.test")]).unwrap();
    clean(&store);
    store
}

fn rows(store: &Embedded) -> Vec<(Vec<u8>, Vec<u8>)> {
    store.kv.scan(&[], &[0xff]).map(|row| row.unwrap()).collect()
}

fn put(store: &Embedded, key: &[u8], value: Option<Vec<u8>>) {
    store.kv.apply(Writes::from([(key.to_vec(), value)])).unwrap();
}

#[test]
fn a_flipped_bit_in_any_record_is_named() {
    let store = full();
    for (key, value) in rows(&store) {
        let mut bent = value.clone();
        *bent.last_mut().unwrap() ^= 0x10;
        put(&store, &key, Some(bent));
        let said = findings(&store);
        let name = describe(&key);
        assert!(said.iter().any(|s| s.starts_with(&name)), "{name}: {said:?}");
        put(&store, &key, Some(value));
    }
    clean(&store);
}

#[test]
fn a_record_under_another_key_is_named() {
    let store = full();
    let all = rows(&store);
    for pair in all.windows(2).filter(|pair| pair[0].0[0] == pair[1].0[0]) {
        put(&store, &pair[0].0, Some(pair[1].1.clone()));
        let said = findings(&store);
        let name = describe(&pair[0].0);
        assert!(said.iter().any(|s| *s == format!("{name} fails its checksum")), "{said:?}");
        put(&store, &pair[0].0, Some(pair[0].1.clone()));
    }
}

#[test]
fn a_missing_record_is_missed() {
    let store = full();
    // Nothing else speaks of these.
    let alone = [
        keys::META,
        keys::ROBOTS,
        keys::RULE,
        keys::ALIAS,
        keys::ABSORBED,
        keys::RECOUNTED,
        keys::BRAND_POINTER,
        keys::LOG,
        keys::PRINTED,
    ];
    for (key, value) in rows(&store) {
        put(&store, &key, None);
        let other_version = [keys::MENTION, keys::BY_ARTICLE].contains(&key[0])
            && key.windows(4).any(|part| part == b"next");
        let said = findings(&store);
        let expected = !alone.contains(&key[0]) && !other_version;
        assert_eq!(!said.is_empty(), expected, "{}: {said:?}", describe(&key));
        put(&store, &key, Some(value));
    }
    clean(&store);
}

/// Well-formed records that contradict others, one of each kind.
#[test]
fn contradictions_are_named() {
    let version = "";
    fn sealed<T: serde::Serialize>(at: Vec<u8>, record: &T) -> (Vec<u8>, Option<Vec<u8>>) {
        let value = encode(&at, record).unwrap();
        (at, Some(value))
    }
    let stored_url = |n| full().url(id(n)).unwrap().unwrap();
    let mention = |brand, d| key(keys::MENTION).text(version).text(brand).day(day(d));
    let row_of = |n| Overlay::new(&*full().kv).member_row(id(n)).unwrap().unwrap();
    let story = row_of(11).story;
    let head = Overlay::new(&*full().kv).story_head(story).unwrap().unwrap();
    let check = |damage: (Vec<u8>, Option<Vec<u8>>), sentence: &str| {
        let store = full();
        store.kv.apply(Writes::from([damage])).unwrap();
        let said = findings(&store);
        assert!(said.iter().any(|s| s.contains(sentence)), "no `{sentence}` in {said:#?}");
    };
    let hex = |n| id(n).to_string();

    let lost = UrlRecord { next: T0 + 5, ..stored_url(16) };
    check(sealed(key(keys::URL).id(id(16)).done(), &lost), "but has no task");
    check(sealed(key(keys::URL).id(id(16)).done(), &lost), "differs from what its entry or feed");
    let known = UrlRecord { outcome: Outcome::Known(id(77)), ..stored_url(16) };
    check(
        sealed(key(keys::URL).id(id(16)).done(), &known),
        &format!("url {} is known as {}, which is missing", hex(16), hex(77)),
    );
    check(sealed(key(keys::URL).id(id(16)).done(), &known), "has no pending entry");
    let untrue = UrlRecord { outcome: Outcome::Article, ..stored_url(16) };
    check(sealed(key(keys::URL).id(id(16)).done(), &untrue), "is an article but has no article");
    let wrong = UrlRecord { outcome: Outcome::TooOld, ..stored_url(11) };
    check(sealed(key(keys::URL).id(id(11)).done(), &wrong), "an entry that ended as too old");
    let mut polled = feed(1, "a.test");
    polled.poll.next = T0 + 1;
    check(
        sealed(key(keys::FEED).id(id(1)).done(), &polled),
        &format!("feed {} is to be polled at {} but has no task", hex(1), T0 + 1),
    );
    check(sealed(key(keys::ALIAS).id(id(98)).done(), &id(16)), "which is no article");
    check(
        sealed(key(keys::DUE).at(5).text("a.test").done(), &()),
        "due index (5, a.test) has no pace key that stands there",
    );
    check(
        sealed(key(keys::LEASE).at(5).text("a.test").done(), &()),
        "lease index (5, a.test) has no pace key with that lease",
    );
    let idle =
        PaceRow { lease: Some(LeaseRow { owner: "x".to_owned(), until: 9 }), ..PaceRow::default() };
    check(
        sealed(key(keys::PACE).text("a.test").done(), &idle),
        "pace key a.test stands nowhere in the due index",
    );
    check(
        sealed(key(keys::PACE).text("a.test").done(), &idle),
        "pace key a.test is missing from the lease index at 9",
    );
    check(
        sealed(key(keys::LEDGER).day(day(20)).text("a.test").done(), &LedgerRow::default()),
        "ledger (2026-11-20, a.test) says 0 entries",
    );
    let of_backlog = UrlRecord { backlog: true, ..stored_url(11) };
    check(
        sealed(key(keys::URL).id(id(11)).done(), &of_backlog),
        "ledger (2026-11-20, a.test) says 6 arrivals, its records say 5",
    );
    let uneven = LedgerRow { entries: 3, ..LedgerRow::default() };
    check(
        sealed(key(keys::LEDGER).day(day(1)).text("b.test").done(), &uneven),
        "has 3 entries but 0 outcomes",
    );
    check(
        sealed(key(keys::COUNTERS).done(), &Counters { pending: 9, articles: 4 }),
        "counters say Counters { pending: 9",
    );
    let moved = Pointer { month: Month::of(T0), day: day(2), at: at(2), credit: None };
    check(sealed(key(keys::POINTER).id(id(11)).done(), &moved), "says published 2026-11-02");
    let elsewhere = Pointer { month: Month::of(0), day: day(20), at: at(20), credit: None };
    check(
        sealed(key(keys::POINTER).id(id(11)).done(), &elsewhere),
        "leads to the month 1970-01, which lacks the article",
    );
    check(sealed(key(keys::BY_DAY).day(day(1)).id(id(11)).done(), &()), "published on that day");
    check(
        sealed(key(keys::VECTOR).at(1).id(id(11)).done(), &0),
        &format!("vector (1, {}) belongs to no table", hex(11)),
    );
    check(
        sealed(key(keys::MONTH).text("2026-11").done(), &(Some(id(11)), false, Some(at(20)))),
        &format!("article pointer {} is later than all that 2026-11 is said to have", hex(13)),
    );
    let more = MentionRow { counted: 5, ..row(11, "Acme", 20, 2, 1) };
    let place = mention("Acme", 20).id(id(11)).done();
    check(
        sealed(place.clone(), &more),
        "says 5 counted and 1 suppressed, its mentions say 2 and 1",
    );
    check(sealed(place.clone(), &more), "says 2 counted and 1 suppressed, its row says 5 and 1");
    check(sealed(place.clone(), &more), "its rows say Tally { articles: 1, mentions: 5");
    check(sealed(place, &row(11, "Umbra", 20, 2, 1)), "holds the mention row (Umbra");
    let stray = mention("Acme", 20).id(id(55)).done();
    check(sealed(stray, &row(55, "Acme", 20, 1, 0)), "belongs to no article");
    let pointer = ByArticle { day: day(3), counted: 1, suppressed: 0 };
    let place = key(keys::BY_ARTICLE).text(version).id(id(11)).text("Acme").done();
    check(sealed(place, &pointer), "has no mention row");
    let place = key(keys::POLLS).day(day(20)).done();
    let polls = PollSums { due: 9, succeeded: 9 };
    check(sealed(place, &polls), "polls of 2026-11-20 says PollSums { due: 9");
    let place = key(keys::TALLY).text(version).text("Acme").day(day(20)).done();
    check(
        sealed(place, &Tally { articles: 7, ..Tally::default() }),
        "tally (Acme, 2026-11-20) says",
    );
    let place = key(keys::STORY).id(story).done();
    let other = StoryHead { articles: head.articles + 1, ..head.clone() };
    check(sealed(place, &other), "its members say StoryHead");
    let empty = StoryHead { id: id(72), ..head };
    check(sealed(key(keys::STORY).id(id(72)).done(), &empty), "has no members");
    let place = key(keys::MEMBER).id(id(11)).done();
    let moved = MemberRow { first_seen: 5, ..row_of(11) };
    check(sealed(place.clone(), &moved), "which lacks the article");
    check(sealed(place.clone(), &moved), "has its member out of order");
    let lost = MemberRow { story: id(70), ..row_of(11) };
    check(sealed(place.clone(), &lost), "which is missing");
    check(sealed(place.clone(), &lost), &format!("has a member that points to {}", hex(70)));
    let later = MemberRow { day: day(3), ..row_of(11) };
    check(sealed(place, &later), "says 2026-11-03, the article was published on 2026-11-20");
    let place = key(keys::STORY_BRAND).text(version).id(story).text("Acme").done();
    check(sealed(place, &9u64), "says 9 members, their rows say");
    check(sealed(key(keys::ABSORBED).id(id(71)).done(), &id(70)), "which is missing");
    check(
        sealed(key(keys::STORY_DAY).day(day(2)).id(id(11)).done(), &()),
        "no story with a member",
    );
    check(sealed(size_key(1, day(2), story), &()), "no story with a member");
    check(sealed(size_key(5, day(20), story), &()), "has a story of 3 articles");
    check((size_key(1, day(20), story), None), "is missing from the size index of 2026-11-20");
    check(sealed(key(keys::BRAND_POINTER).done(), &"v9"), "names the version v9, which is missing");
    check((b"@odd".to_vec(), Some(vec![1])), "unknown record 406f6464 belongs to no table");
}

#[test]
fn a_vector_that_is_damaged_or_missing_is_named() {
    let store = full();
    let kv = store.months.month(Month::of(T0), false).unwrap().unwrap();
    let place = vector_key(at(20), id(11));
    let value = kv.get(&place).unwrap().unwrap();
    let hex = id(11);
    for (bent, sentence) in [
        (
            Some(value[..value.len() - 1].to_vec()),
            format!("where the vector of the article {hex} fails its checksum"),
        ),
        (None, format!("article pointer {hex} has no vector in 2026-11")),
    ] {
        kv.apply(Writes::from([(place.clone(), bent)])).unwrap();
        let said = findings(&store);
        assert!(said.len() == 1 && said[0].contains(&sentence), "{said:?}");
    }
    kv.apply(Writes::from([(place, Some(value))])).unwrap();
    clean(&store);
}

#[test]
fn a_damaged_article_is_named() {
    let store = full();
    let kv = store.months.month(Month::of(T0), false).unwrap().unwrap();
    let place = id(11).0.to_be_bytes();
    let value = kv.get(&place).unwrap().unwrap();
    for (bent, sentence) in [
        (value[..value.len() - 1].to_vec(), "fails its checksum"),
        (value[..3].to_vec(), "is cut off after 3 bytes"),
        ([&[9], &value[1..]].concat(), "has record version 9"),
    ] {
        kv.apply(Writes::from([(place.to_vec(), Some(bent))])).unwrap();
        let said = findings(&store);
        assert!(said.len() == 1 && said[0].contains(sentence), "{said:?}");
        assert!(said[0].contains(&format!("article {}", id(11))), "{said:?}");
        assert!(matches!(store.article(id(11)), Err(StoreError::Corrupt { .. })));
    }
}

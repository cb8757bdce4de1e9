//! The log of decisions: each store notes the same, in the commit of the change.

use std::collections::BTreeMap;

use super::build::*;
use crate::model::*;
use crate::store::decision::*;
use crate::store::rules::decisions::KEPT;
use crate::store::transfer::Item;
use crate::store::*;

suite! {
    a_decision_is_noted_with_its_change
    what_changes_nothing_is_not_noted
    entries_leave_by_their_number_unless_they_explain_counts
    histories_of_older_versions_are_taken_into_the_log
}

/// The decision of somebody about something.
pub fn decision(n: Millis, topic: Topic) -> Decision {
    let who = Who { name: "ann".to_owned(), via: Via::User };
    who.decides(T0 + n, topic, format!("decision \"{n}\""))
}

/// The log, latest first.
pub fn log(store: &dyn Store, topic: Option<Topic>) -> Vec<Decision> {
    let mut log = Vec::new();
    store
        .decisions(topic, &mut |decision| {
            log.push(decision);
            true
        })
        .unwrap();
    log
}

fn a_decision_is_noted_with_its_change(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1)]);
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 0)], &[]);
    let rule = OutletRule { delay: Some(7), ..OutletRule::default() };
    let token = Token {
        id: "t".to_owned(),
        name: "office".to_owned(),
        hash: String::new(),
        scopes: vec![Scope::Read],
        created: T0,
        expires: None,
        revoked: None,
        used: None,
        session_of: None,
    };
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    store.recount_put(&set, id(11), &store.mentions_of(id(11)).unwrap()).unwrap();
    let previous = store.brand_set().unwrap().version;
    let new = feed(2, "b.test");
    let paused = Feed { status: FeedStatus::Paused, ..new.clone() };
    let gone = [entry(50, "b.test", 2), store.url(id(11)).unwrap().unwrap()];
    let changes = [
        (Topic::Feed, Change::NewFeed(&new), 1),
        (Topic::Feed, Change::Feed(&paused), 1),
        (Topic::Brands, Change::BrandSet { set: &set, previous: &previous }, 0),
        (Topic::Outlet, Change::Rule("b.test", &rule), 0),
        (Topic::Token, Change::Token(&token), 0),
        (Topic::Forgotten, Change::Forget { entries: &gone, rest: &[] }, 1),
        (Topic::Model, Change::Nothing, 0),
        (Topic::Feed, Change::FeedRemoved(new.key), 1),
    ];
    let mut expect = Vec::new();
    for (n, (topic, change, changed)) in changes.into_iter().enumerate() {
        let decision = decision(n as Millis, topic);
        assert_eq!(store.change(change, Some(&decision)).unwrap(), changed, "{topic:?}");
        expect.insert(0, decision);
    }
    assert_eq!(log(store, None), expect);
    for topic in Topic::ALL {
        let of: Vec<Decision> = expect.iter().filter(|d| d.topic == topic).cloned().collect();
        assert_eq!(log(store, Some(topic)), of, "{topic:?}");
    }
    let mut first = Vec::new();
    store
        .decisions(None, &mut |decision| {
            first.push(decision);
            false
        })
        .unwrap();
    assert_eq!(first, expect[..1]);
    assert!(store.feed_removed(new.key).unwrap());
    assert_eq!(store.brand_set().unwrap(), set);
    assert_eq!(store.outlet_rule("b.test").unwrap(), rule);
    assert_eq!(store.tokens().unwrap(), [token]);
    assert_eq!(store.article(id(11)).unwrap(), None);
    clean(store);
}

fn what_changes_nothing_is_not_noted(store: &dyn Store) {
    let known = feed(1, "a.test");
    store.add_feeds(std::slice::from_ref(&known)).unwrap();
    let unknown = feed(9, "a.test");
    for change in
        [Change::NewFeed(&known), Change::Feed(&unknown), Change::FeedRemoved(unknown.key)]
    {
        assert_eq!(store.change(change, Some(&decision(1, Topic::Feed))).unwrap(), 0);
    }
    let set = BrandSet { version: "v9".to_owned(), ..BrandSet::default() };
    let stale = Change::BrandSet { set: &set, previous: "of another" };
    assert!(store.change(stale, Some(&decision(2, Topic::Brands))).is_err());
    assert_eq!(log(store, None), []);
}

fn entries_leave_by_their_number_unless_they_explain_counts(store: &dyn Store) {
    let kept = KEPT as Millis;
    let topic = |n| if n == 1 { Topic::Model } else { Topic::Outlet };
    let items = (1..=kept + 6).map(|n| Ok(Item::Decision(Box::new(decision(n, topic(n))))));
    store.import(&mut items.into_iter()).unwrap();
    let expect: Vec<Millis> = (7..=kept + 6).rev().chain([1]).map(|n| T0 + n).collect();
    let told: Vec<Millis> = log(store, None).iter().map(|decision| decision.at).collect();
    assert_eq!(told, expect);
    clean(store);
}

/// The two named values that older versions kept.
pub fn older() -> [(&'static str, Vec<u8>); 2] {
    let models =
        r#"[{"id":"aa","at":5,"origin":"shipped"},{"id":"bb","at":7,"origin":"deployed"}]"#;
    let recounts = r#"[{"version":"v1","at":6,"first":true,"changed":{}},
        {"version":"v2","at":8,"first":false,"changed":{"Acme":[["2026-11-02","2026-11-05"]]}},
        {"version":"v3","at":9,"first":false,"changed":{}}]"#;
    [("models", models.as_bytes().to_vec()), ("recounts", recounts.as_bytes().to_vec())]
}

/// What becomes of them in a store that uses the brand set `v2`.
pub fn older_is_told(store: &dyn Store) {
    let models = history::deployments(store).unwrap();
    let model = |id: &str, at, origin| Deployment { id: id.to_owned(), at, origin };
    assert_eq!(models, [model("aa", 5, Origin::Shipped), model("bb", 7, Origin::Deployed)]);
    let recounts = history::recounts(store).unwrap();
    let brand = |version: &str, at, first, changed| Recounted {
        version: version.to_owned(),
        at,
        first,
        changed,
    };
    let changed = BTreeMap::from([("Acme".to_owned(), vec![(day(2), day(5))])]);
    // The third was noted and never finished.
    let expect = [brand("v1", 6, true, BTreeMap::new()), brand("v2", 8, false, changed)];
    assert_eq!(recounts, expect);
    let mut told: Vec<(String, String)> =
        log(store, None).into_iter().map(|d| (d.words, d.who.name)).collect();
    told.sort();
    let words = [
        "brand set v1 in use",
        "brand set v2 in use",
        "model aa in use, which came with the program",
        "model bb deployed",
    ];
    assert_eq!(told, words.map(|words| (words.to_owned(), String::new())));
    for (name, _) in older() {
        assert_eq!(store.meta(name).unwrap(), None, "{name}");
    }
}

fn histories_of_older_versions_are_taken_into_the_log(store: &dyn Store) {
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    let values =
        older().map(|(name, value)| Item::Value { name: name.into(), value: Bytes(value) });
    let items = [Item::Brands(set)].into_iter().chain(values).map(Ok);
    store.import(&mut items.into_iter()).unwrap();
    older_is_told(store);
    clean(store);
}

#[test]
fn a_directory_of_an_older_version_is_taken_along() {
    let dir = tempfile::tempdir().unwrap();
    let open = || open(dir.path(), &Settings::default()).unwrap();
    let store = open();
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    store.recount_finish(&set, "").unwrap();
    for (name, value) in older() {
        store.set_meta(name, &value).unwrap();
    }
    drop(store);
    let store = open();
    older_is_told(&*store);
    clean(&*store);
}

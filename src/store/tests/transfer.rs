//! A whole store moves from each kind into each other kind and says the same there.

use super::build::*;
use super::decisions::decision;
use crate::model::*;
use crate::store::decision::{Change, Topic};
use crate::store::transfer::Item;
use crate::store::*;

suite! {
    what_is_exported_can_be_imported
    what_has_left_is_counted_elsewhere
    only_an_empty_store_takes_another_over
    a_store_that_people_have_written_to_takes_nothing_over
    an_export_can_be_stopped
}

/// Some of everything.
fn fill(store: &dyn Store) {
    let mut entries: Vec<UrlRecord> = (11..19).map(|n| entry(n, "a.test", 1)).collect();
    entries[6].backlog = true;
    entries[7].entry.title = Some("A title".to_owned());
    with_entries(store, entries);
    store.add_feeds(&[feed(2, "b.test"), feed(3, "c.test")]).unwrap();
    add_article(store, 11, 18, vec![row(11, "Acme", 18, 2, 1)], &[]);
    add_article(store, 13, 20, vec![row(13, "Acme", 20, 1, 0)], &[]);
    under(store, "a.test", |batch, lease| {
        let rows = vec![row(12, "Acme", 19, 3, 1), row(12, "Umbra", 19, 1, 0)];
        let mut page = article(batch, 12, 19, rows, &[11, 13]);
        page.aliases = vec![id(99)];
        let commit = page.article.as_mut().unwrap();
        commit.joining.nearest = Some((id(11), 0.93));
        commit.excerpts = vec![Excerpt { part: id(12), whole: id(13), share: 0.75 }];
        commit.record.memory = Some(MemoryUsed {
            before: day(20),
            pages: 3,
            texts: 2,
            sum: "00000000000000ff".to_owned(),
        });
        commit.record.article.title =
            Some(Found { value: "One \"two\"".to_owned(), source: Source::Html });
        batch.page(lease, page).unwrap();
        batch.page(lease, ends(14, Outcome::Failed(Failure::Status(404)))).unwrap();
        let retry = Some((T0 + HOUR, "reset".to_owned()));
        batch.page(lease, PageCommit { retry, ..ends(15, Outcome::Pending) }).unwrap();
        let robots = RobotsRecord {
            origin: "https://a.test:443".to_owned(),
            fetched: T0,
            fresh_until: T0 + DAY,
            status: RobotsStatus::Unreachable("timeout".to_owned()),
            body: String::new(),
            unreachable_since: Some(T0),
        };
        batch.robots(&robots).unwrap();
        // Of an outlet with a row of that day, and of one without.
        for (outlet, bytes) in [("a.test", 5_000), ("d.test", 70)] {
            let spent = Spent { outlet: outlet.to_owned(), day: day(18), bytes };
            batch.spent(&spent).unwrap();
            batch.spent(&spent).unwrap();
        }
    });
    let bytes = |outlet: &str| -> i64 {
        let rows = store.ledger(None, None).unwrap();
        rows.iter().filter(|row| row.outlet == outlet).map(|row| row.brought.bytes).sum()
    };
    assert_eq!((bytes("a.test"), bytes("d.test")), (10_000, 140));
    add_article(store, 16, 21, Vec::new(), &[]);
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    for n in [11, 12, 13, 16] {
        store.recount_put(&set, id(n), &store.mentions_of(id(n)).unwrap()).unwrap();
    }
    store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
    store.set_meta("zone", b"UTC").unwrap();
    let rule = OutletRule {
        ban: Some(Ban::Blocked),
        delay: Some(5_000),
        pace_keys: vec!["c.test".to_owned()],
        ..OutletRule::default()
    };
    store.change(Change::Rule("c.test", &rule), Some(&decision(1, Topic::Outlet))).unwrap();
    store.change(Change::Nothing, Some(&decision(2, Topic::Model))).unwrap();
    store.change(Change::Nothing, Some(&decision(3, Topic::Store))).unwrap();
    store.keep_alert(&super::alerts::alert("acme")).unwrap();
    let note = super::notes::note(20, 1);
    store.change(Change::Note(&note), Some(&decision(4, Topic::Note))).unwrap();
    store.forget(&[entry(50, "b.test", 2)], &[]).unwrap();
    clean(store);
}

fn items(store: &dyn Store) -> Vec<Item> {
    let mut items = Vec::new();
    store
        .export(&mut |item| {
            items.push(item);
            Ok(true)
        })
        .unwrap();
    items
}

/// As it stands in a file.
fn through_text(items: &[Item]) -> Vec<Item> {
    let text: Vec<String> = items.iter().map(|i| serde_json::to_string(i).unwrap()).collect();
    text.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn what_is_exported_can_be_imported(store: &dyn Store) {
    fill(store);
    same_everywhere(store);
}

/// What has left by age has left there as well, and is still counted.
fn what_has_left_is_counted_elsewhere(store: &dyn Store) {
    fill(store);
    // What its feed still lists stays, also where it led to what leaves.
    under(store, "a.test", |batch, lease| {
        batch.page(lease, ends(17, Outcome::Moved(id(14)))).unwrap();
    });
    let mut feed = store.feed(id(1)).unwrap().unwrap();
    feed.poll.recent = vec![id(17)];
    store.set_feed(&feed).unwrap();
    let later = T0 + 40 * DAY;
    while store.prune_texts(later, 100).unwrap().more {}
    while store.prune_entries(later, 100).unwrap().more {}
    assert!(!store.article(id(12)).unwrap().unwrap().has_text());
    assert_eq!(store.url(id(14)).unwrap(), None);
    assert_eq!(store.url(id(17)).unwrap().unwrap().outcome, Outcome::Moved(id(14)));
    clean(store);
    same_everywhere(store);
}

fn same_everywhere(store: &dyn Store) {
    let given = items(store);
    assert_eq!(through_text(&given), given);
    let dir = tempfile::tempdir().unwrap();
    let others: [&dyn Store; 3] =
        [&*memory(), &*open(dir.path(), &Settings::default()).unwrap(), &super::postgres::fresh()];
    for other in others {
        let taken = other.import(&mut given.iter().cloned().map(Ok)).unwrap();
        assert_eq!(taken, given.len() as u64);
        clean(other);
        assert_eq!(items(other), given);
        let all = Filter::default();
        assert_eq!(other.tallies(&all).unwrap(), store.tallies(&all).unwrap());
        let ledger = |store: &dyn Store| {
            let mut rows = store.ledger(None, None).unwrap();
            if store.url(id(14)).unwrap().is_none() {
                // When an entry came is known as long as it is there.
                rows.iter_mut().for_each(|row| row.arrivals = [0; 24]);
            }
            rows
        };
        assert_eq!(ledger(other), ledger(store));
        assert_eq!(other.due().unwrap(), store.due().unwrap());
        assert_eq!(other.story_of(id(13)).unwrap(), store.story_of(id(13)).unwrap());
        assert_eq!(other.article(id(99)).unwrap(), store.article(id(12)).unwrap());
        assert_eq!(other.excerpts_of(id(12)).unwrap(), store.excerpts_of(id(12)).unwrap());
        let printed = |store: &dyn Store| store.printed("a.test", utc_day(T0 + DAY), 9).unwrap();
        assert_eq!((printed(other), printed(other).len()), (printed(store), 4));
        assert_eq!(other.log_end().unwrap().number, 4);
    }
}

fn only_an_empty_store_takes_another_over(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    let error = store.import(&mut items(store).into_iter().map(Ok)).unwrap_err().to_string();
    assert!(error.contains("not empty"), "{error}");
    clean(store);
}

/// What people have put there is not lost, nor counted with what comes.
fn a_store_that_people_have_written_to_takes_nothing_over(store: &dyn Store) {
    let refused = |what: &str| {
        let error = store.import(&mut std::iter::empty()).unwrap_err().to_string();
        assert!(error.contains("not empty"), "{what}: {error}");
    };
    let note = super::notes::note(20, 1);
    store.change(Change::Note(&note), None).unwrap();
    refused("a note");
    store.change(Change::NoteRemoved(&note.id), None).unwrap();
    store.keep_alert(&super::alerts::alert("acme")).unwrap();
    refused("an alert");
    store.change(Change::AlertRemoved("acme"), None).unwrap();
    let rule = OutletRule { ban: Some(Ban::Blocked), ..OutletRule::default() };
    store.set_outlet_rule("c.test", &rule).unwrap();
    refused("a rule");
    store.set_outlet_rule("c.test", &OutletRule::default()).unwrap();
    // What the program itself has noted is replaced.
    store.set_meta("zone", b"UTC").unwrap();
    let given = Item::Value { name: "zone".to_owned(), value: Bytes(b"Europe/Berlin".to_vec()) };
    assert_eq!(store.import(&mut std::iter::once(Ok(given))).unwrap(), 1);
    assert_eq!(store.meta("zone").unwrap().as_deref(), Some(&b"Europe/Berlin"[..]));
    clean(store);
}

/// On disk: what a half of an import leaves is not opened.
#[test]
fn a_store_that_has_taken_over_a_part_is_not_opened() {
    let store = memory();
    fill(&*store);
    let dir = tempfile::tempdir().unwrap();
    let other = open(dir.path(), &Settings::default()).unwrap();
    let broken = || Err(StoreError::Other("no more".into()));
    let mut given = items(&*store).into_iter().map(Ok).chain(std::iter::once_with(broken));
    assert!(other.import(&mut given).is_err());
    drop(other);
    let refused = open(dir.path(), &Settings::default()).err().unwrap().to_string();
    assert!(refused.contains("cut short") && refused.contains("remove"), "{refused}");
}

fn an_export_can_be_stopped(store: &dyn Store) {
    fill(store);
    let mut given = 0;
    store
        .export(&mut |_| {
            given += 1;
            Ok(given < 3)
        })
        .unwrap();
    assert_eq!(given, 3);
}

//! Damaged stores, and what a repair makes of them.

use std::collections::BTreeSet;
use std::path::Path;

use super::build::*;
use super::notes::note;
use crate::model::*;
use crate::store::decision::{Change, Decision, Topic};
use crate::store::embedded::Embedded;
use crate::store::embedded::files::MAIN;
use crate::store::embedded::format::Month;
use crate::store::embedded::format::keys::{self, key};
use crate::store::embedded::kv::Writes;
use crate::store::*;

const NOW: Millis = T0 + DAY;

/// Feeds, articles with a story, entries of other ends, a pause, a tombstone, robots.
fn fill(dir: &Path) {
    let store = Embedded::open(dir, &Settings::default()).unwrap();
    store.add_feeds(&[feed(2, "b.test"), feed(3, "c.test")]).unwrap();
    store.remove_feed(id(3)).unwrap();
    with_entries(&store, (11..18).map(|n| entry(n, "a.test", 1)).collect());
    add_article(&store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(&store, 12, 19, vec![row(12, "Acme", 19, 1, 0)], &[11]);
    add_article(&store, 13, 18, vec![row(13, "Acme", 18, 1, 0)], &[]);
    add_article(&store, 14, 18, vec![row(14, "Acme", 18, 1, 0)], &[]);
    under(&store, "a.test", |batch, lease| {
        batch.page(lease, ends(15, Outcome::Known(id(11)))).unwrap();
        let rule = "Disallow: /".to_owned();
        batch.page(lease, ends(16, Outcome::Forbidden { rule, line: Some(2) })).unwrap();
    });
    store.forget(&[store.url(id(14)).unwrap().unwrap()], &[]).unwrap();
    let rule = OutletRule {
        paused_until: Some(Millis::MAX),
        pace_keys: vec!["b.test".to_owned()],
        ..OutletRule::default()
    };
    store.set_outlet_rule("b.test", &rule).unwrap();
    store.set_meta("zone", b"UTC").unwrap();
    store.put_token(&token()).unwrap();
    store.change(Change::Alert(&super::alerts::alert("acme")), None).unwrap();
    for note in [note(20, 1), note(20, 2)] {
        store.change(Change::Note(&note), None).unwrap();
    }
    store.change(Change::NoteRemoved(&note(20, 1).id), None).unwrap();
    for decision in decided() {
        store.change(Change::Nothing, Some(&decision)).unwrap();
    }
    clean(&store);
}

/// What a repair brings along: the rows that were there before.
fn rows_of(n: u32) -> Vec<MentionRow> {
    match n {
        11 => vec![row(11, "Acme", 20, 2, 1)],
        12 => vec![row(12, "Acme", 19, 1, 0)],
        13 => vec![row(13, "Acme", 18, 1, 0)],
        _ => vec![row(n, "Acme", 18, 1, 0)],
    }
}

/// A whole repair without a lexicon: 11 and 12 are copies of each other.
fn repair(dir: &Path) -> (Vec<String>, u64, u64) {
    let mut notes = Vec::new();
    let mut say = |note: String| notes.push(note);
    let repair = Repair::begin(dir, &Settings::default(), NOW, &mut say).unwrap();
    let set = repair.brand_set().map(|(set, _)| set).unwrap_or_default();
    repair.salvage(&set, &mut say).unwrap();
    let mut adopt = |record: &ArticleRecord| {
        let n = (record.key.0 >> 64) as u32;
        Adopted {
            url: entry(n, "a.test", 1),
            aliases: Vec::new(),
            mentions: rows_of(n),
            vector: n.to_be_bytes().to_vec(),
            printed: Some(printed(n)),
        }
    };
    let articles = repair.articles(&mut adopt, &mut say).unwrap();
    let again = repair.entries(&mut say).unwrap();
    let mut found = Vec::new();
    repair
        .vectors(&mut |key, _, _| {
            found.push(key);
            true
        })
        .unwrap();
    for key in found {
        let record = repair.read_article(key).unwrap().unwrap();
        let other = if key == id(11) { repair.member(id(12)).unwrap() } else { None };
        let stories = other.map(|(story, _)| story).into_iter().collect();
        repair.join(&record, Joining { stories, ..Joining::default() }, &[]).unwrap();
    }
    repair.finish().unwrap();
    (notes, articles, again)
}

fn opened(dir: &Path) -> Embedded {
    Embedded::open(dir, &Settings::default()).unwrap()
}

fn outcome(store: &dyn Store, n: u32) -> Outcome {
    store.url(id(n)).unwrap().unwrap().outcome
}

fn bend(path: &Path, bend: impl Fn(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    bend(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

/// What must be there whatever happened to main.
fn articles_are_back(store: &dyn Store) {
    clean(store);
    for n in [11, 12, 13] {
        assert_eq!(outcome(store, n), Outcome::Article);
        assert!(store.article(id(n)).unwrap().is_some());
    }
    let remembered = [11, 12, 13].map(|n| printed(n).bytes);
    assert_eq!(store.printed("a.test", utc_day(T0 + DAY), 9).unwrap(), remembered);
    assert_eq!(outcome(store, 14), Outcome::Forgotten);
    assert!(store.article(id(14)).unwrap().is_none());
    assert_eq!(
        tally(store, "Acme", 18),
        Tally { articles: 1, mentions: 1, stories: 1, originals: 1, late: 1, ..Tally::default() }
    );
    assert_eq!(
        tally(store, "Acme", 19),
        Tally { articles: 1, mentions: 1, stories: 1, originals: 1, ..Tally::default() }
    );
    assert_eq!(
        tally(store, "Acme", 20),
        Tally { articles: 1, mentions: 2, suppressed: 1, ..Tally::default() }
    );
    assert_eq!(store.story_of(id(11)).unwrap().unwrap().members.len(), 2);
    let feeds: Vec<UrlKey> = store.feeds().unwrap().iter().map(|f| f.key).collect();
    assert_eq!(feeds, [id(1), id(2)]);
    assert!(store.feed_removed(id(3)).unwrap());
    assert_eq!(store.outlet_rule("b.test").unwrap().paused_until, Some(Millis::MAX));
    assert_eq!(store.pace("b.test").unwrap().unwrap().blocked_until, Millis::MAX);
    let alerts = store.alerts().unwrap();
    let rules: Vec<&AlertRule> = alerts.iter().map(|alert| &alert.rule).collect();
    assert_eq!(rules, [&super::alerts::alert("acme").rule]);
    assert_eq!(store.notes().unwrap(), [note(20, 2)]);
    let mut log = super::decisions::log(store, None);
    log.reverse();
    assert_eq!(log, decided());
}

/// About what comes back whatever happens, and what explains counts.
fn decided() -> [Decision; 3] {
    [(1, Topic::Outlet), (2, Topic::Model), (3, Topic::Feed)]
        .map(|(n, topic)| super::decisions::decision(n, topic))
}

fn token() -> Token {
    Token {
        id: "0123456789abcdef".to_owned(),
        name: "office".to_owned(),
        hash: String::new(),
        scopes: vec![Scope::Read],
        created: T0,
        expires: None,
        revoked: None,
        used: None,
        session_of: None,
    }
}

#[test]
fn a_healthy_store_stays_what_it_was() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let before = {
        let store = opened(dir.path());
        (store.ledger(None, None).unwrap(), store.feeds().unwrap(), store.due().unwrap())
    };
    let (notes, articles, again) = repair(dir.path());
    assert_eq!((notes, articles, again), (Vec::new(), 3, 0));
    let store = opened(dir.path());
    articles_are_back(&store);
    assert_eq!(store.ledger(None, None).unwrap(), before.0);
    assert_eq!(store.feeds().unwrap(), before.1);
    assert_eq!(store.due().unwrap().pending, before.2.pending);
    assert_eq!(outcome(&store, 15), Outcome::Known(id(11)));
    assert_eq!(outcome(&store, 17), Outcome::Pending);
    assert_eq!(store.meta("zone").unwrap().unwrap(), b"UTC");
    assert_eq!(store.tokens().unwrap(), [token()]);
    assert!(dir.path().join("main.damaged-2026-11-19").is_dir());
    assert!(!dir.path().join("main.salvage").exists() && !dir.path().join("repairing").exists());
}

/// A repair counted an article among the arrivals beside the entry under which its outlet lists it, and remembered
/// what pages print that only others had named.
#[test]
fn what_others_have_named_stays_what_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let store = opened(dir.path());
    let said = |n| UrlRecord { foreign: true, ..entry(n, "a.test", 1) };
    with_entries(&store, (11..14).map(said).collect());
    under(&store, "a.test", |batch, lease| {
        for (n, day) in [(11, 20), (12, 19), (13, 18)] {
            let mut page = article(batch, n, day, rows_of(n), &[]);
            page.article.as_mut().unwrap().printed = None;
            batch.page(lease, page).unwrap();
        }
    });
    let stored = store.feed(id(1)).unwrap().unwrap();
    let listed = |n| UrlRecord { first_seen: T0 + HOUR, ..entry(n, "a.test", 1) };
    under(&store, "a.test", |batch, lease| {
        // An article, and another address of one.
        let own = [11, 14].map(listed).to_vec();
        batch.poll(lease, poll_of(&stored, stored.poll.next, own)).unwrap();
        batch.page(lease, ends(14, Outcome::Known(id(12)))).unwrap();
        for n in [11, 12] {
            batch.remember(&record(n, 20), &printed(n)).unwrap();
        }
    });
    clean(&store);
    let before = store.ledger(None, None).unwrap();
    assert_eq!(before.iter().flat_map(|row| row.arrivals).sum::<u32>(), 2);
    drop(store);
    repair(dir.path());
    let store = opened(dir.path());
    clean(&store);
    assert_eq!(store.ledger(None, None).unwrap(), before);
    let remembered = [11, 12].map(|n| printed(n).bytes);
    assert_eq!(store.printed("a.test", utc_day(T0 + DAY), 9).unwrap(), remembered);
}

#[test]
fn a_store_comes_back_however_main_is_damaged() {
    type Bend = fn(&mut Vec<u8>);
    let bends: [(&str, &str, Bend); 7] = [
        ("rows.redb", "everything", |b| b.iter_mut().for_each(|b| *b ^= 0x55)),
        ("rows.redb", "other text", |b| *b = b"not a database".to_vec()),
        ("rows.redb", "nothing", |b| b.clear()),
        ("rows.redb", "cut", |b| b.truncate(b.len() / 3)),
        ("rows.redb", "half", |b| b.truncate(b.len() / 2)),
        ("rows.redb", "one byte in a thousand", |b| {
            b.iter_mut().step_by(997).for_each(|b| *b ^= 1)
        }),
        ("rows.redb", "the beginning", |b| b.iter_mut().take(4096).for_each(|b| *b = 0)),
    ];
    for (file, what, how) in bends {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path());
        let path = file_of(&dir.path().join(MAIN), file);
        bend(&path, how);
        let damaged = std::fs::read(&path).unwrap();
        let (notes, articles, again) = repair(dir.path());
        println!("{file}, {what}: {articles} articles, {again} again, {notes:#?}");
        articles_are_back(&opened(dir.path()));
        let aside = dir.path().join("main.damaged-2026-11-19").join(path.file_name().unwrap());
        assert_eq!(std::fs::read(aside).unwrap(), damaged, "{file}, {what}: set aside as it was");
    }
}

#[test]
fn damaged_records_are_left_out_by_name() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let rows: Vec<_> = opened(dir.path()).kv.scan(&[], &[0xff]).map(|row| row.unwrap()).collect();
    let tables: BTreeSet<u8> = rows.iter().map(|(at, _)| at[0]).collect();
    assert!(tables.len() > 18, "{tables:?}");
    // Every record of one table after the other.
    for table in tables {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path());
        let store = opened(dir.path());
        let mut names = Vec::new();
        for row in store.kv.scan(&[table], &[table + 1]) {
            let (at, mut value) = row.unwrap();
            names.push(keys::describe(&at));
            *value.last_mut().unwrap() ^= 0x10;
            store.kv.apply(Writes::from([(at, Some(value))])).unwrap();
        }
        store.kv.flush().unwrap();
        drop(store);
        let (notes, ..) = repair(dir.path());
        let store = opened(dir.path());
        articles_are_back(&store);
        let salvaged = [keys::META, keys::FEED, keys::URL, keys::PACE, keys::RULE, keys::LEDGER];
        if salvaged.contains(&table) {
            for name in names {
                let said = notes.iter().any(|note| note.starts_with(&name));
                assert!(said, "{name} in {notes:?}");
            }
        }
    }
}

#[test]
fn lost_articles_are_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    {
        let store = opened(dir.path());
        let kv = store.months.month(Month::of(T0), false).unwrap().unwrap();
        let at = id(11).0.to_be_bytes().to_vec();
        kv.apply(Writes::from([(at, Some(b"garbage".to_vec()))])).unwrap();
        kv.flush().unwrap();
    }
    let (notes, articles, again) = repair(dir.path());
    assert_eq!((articles, again), (2, 1));
    assert!(notes.iter().any(|n| n.contains(&id(11).to_string())), "{notes:?}");
    let store = opened(dir.path());
    clean(&store);
    assert_eq!(outcome(&store, 11), Outcome::Pending);
    assert_eq!(tally(&store, "Acme", 20), Tally::default());
    // It comes back by the ordinary way.
    add_article(&store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[12]);
    clean(&store);
    assert_eq!(tally(&store, "Acme", 20).mentions, 2);
}

/// A round of retention was enough, though nothing was old enough to leave: what led to a lost entry was not fetched
/// again.
#[test]
fn what_led_to_a_lost_entry_is_fetched_again_where_none_has_left() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let store = opened(dir.path());
    under(&store, "a.test", |batch, lease| {
        batch.page(lease, ends(17, Outcome::Moved(id(16)))).unwrap();
    });
    while store.prune_entries(T0, 2).unwrap().more {}
    store.kv.apply(Writes::from([(key(keys::URL).id(id(16)).done(), None)])).unwrap();
    store.kv.flush().unwrap();
    drop(store);
    let (notes, _, again) = repair(dir.path());
    assert_eq!(again, 1, "{notes:?}");
    let store = opened(dir.path());
    assert_eq!(outcome(&store, 17), Outcome::Pending);
    clean(&store);
}

/// An entry that led to one that has left by age was taken for lost, and asked for again.
#[test]
fn what_led_to_an_entry_that_has_left_is_not_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let store = opened(dir.path());
    under(&store, "a.test", |batch, lease| {
        batch.page(lease, ends(17, Outcome::Moved(id(16)))).unwrap();
    });
    let mut feed = store.feed(id(1)).unwrap().unwrap();
    feed.poll.recent = vec![id(17)];
    store.set_feed(&feed).unwrap();
    while store.prune_entries(T0 + 40 * DAY, 100).unwrap().more {}
    assert_eq!(store.url(id(16)).unwrap(), None);
    drop(store);
    let (notes, _, again) = repair(dir.path());
    assert_eq!(again, 0, "{notes:?}");
    let store = opened(dir.path());
    assert_eq!(outcome(&store, 17), Outcome::Moved(id(16)));
    clean(&store);
}

#[test]
fn the_vector_of_a_text_that_is_gone_stays() {
    for of_before in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path());
        let store = opened(dir.path());
        let prints = [(id(11), at(20), b"of the text".to_vec())];
        store.change(Change::Stories { prints: &prints, stories: &[] }, None).unwrap();
        while store.prune_texts(T0 + 40 * DAY, 100).unwrap().more {}
        drop(store);
        if of_before {
            super::vectors::as_before(dir.path());
        }
        std::fs::remove_dir_all(dir.path().join(MAIN)).unwrap();
        repair(dir.path());
        let store = opened(dir.path());
        clean(&store);
        assert!(!store.article(id(11)).unwrap().unwrap().has_text());
        let vector = store.vector(id(11), at(20)).unwrap();
        assert_eq!(vector.as_deref(), Some(&b"of the text"[..]), "{of_before}");
    }
}

#[test]
fn what_a_recount_takes_from_a_text_that_is_gone_stays_away() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let store = opened(dir.path());
    while store.prune_texts(T0 + 40 * DAY, 100).unwrap().more {}
    let brand = Brand { name: "Acme".to_owned(), ..Brand::default() };
    // Acme is watched no more, then again: of what has no text nothing can be counted for it.
    for (version, brands) in [("v2", vec![]), ("v3", vec![brand])] {
        let set = BrandSet { version: version.to_owned(), brands, ..BrandSet::default() };
        for n in 11..14 {
            store.recount_put(&set, id(n), &[]).unwrap();
        }
        store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
    }
    assert_eq!(tally(&store, "Acme", 20), Tally::default());
    drop(store);
    repair(dir.path());
    let store = opened(dir.path());
    assert_eq!(store.brand_set().unwrap().version, "v3");
    assert_eq!(tally(&store, "Acme", 20), Tally::default());
    clean(&store);
}

#[test]
fn an_unreadable_month_is_set_aside() {
    let bends: [fn(&mut Vec<u8>); 3] = [
        |b| b.iter_mut().for_each(|b| *b ^= 0x55),
        |b| b.truncate(7),
        |b| b.iter_mut().step_by(97).for_each(|b| *b ^= 1),
    ];
    for how in bends {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path());
        bend(&file_of(&dir.path().join("articles/2026-11"), "rows.redb"), how);
        let (notes, articles, again) = repair(dir.path());
        println!("{articles} {again} {notes:#?}");
        let store = opened(dir.path());
        clean(&store);
        assert_eq!(articles + again, 3);
        if outcome(&store, 13) == Outcome::Pending {
            add_article(&store, 13, 18, Vec::new(), &[]);
            clean(&store);
        }
    }
}

#[test]
fn a_repair_that_was_cut_short_is_begun_again() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let mut notes = Vec::new();
    {
        let mut say = |note: String| notes.push(note);
        let started = Repair::begin(dir.path(), &Settings::default(), NOW, &mut say).unwrap();
        started.salvage(&BrandSet::default(), &mut say).unwrap();
    }
    let error = match open(dir.path(), &Settings::default()) {
        Ok(_) => panic!("a half repaired store opened"),
        Err(e) => e.to_string(),
    };
    assert!(error.contains("cut short") && error.contains("crawler repair"), "{error}");
    let (notes, articles, again) = repair(dir.path());
    assert_eq!((articles, again), (3, 0), "{notes:?}");
    assert!(notes[0].contains("begun again"), "{notes:?}");
    articles_are_back(&opened(dir.path()));
    let asides = std::fs::read_dir(dir.path()).unwrap().flatten();
    let asides = asides.filter(|f| f.file_name().to_string_lossy().contains("damaged"));
    assert_eq!(asides.count(), 1);
}

#[test]
fn a_repair_cut_short_at_any_step_loses_nothing() {
    // What the files may look like after the steps of the beginning.
    let cuts: [fn(&Path); 4] = [
        |dir| std::fs::write(dir.join("repairing"), "").unwrap(),
        |dir| std::fs::write(dir.join("repairing"), "main.damaged-2026-11-19\n").unwrap(),
        |dir| {
            std::fs::write(dir.join("repairing"), "main.damaged-2026-11-19\n").unwrap();
            std::fs::rename(dir.join(MAIN), dir.join("main.damaged-2026-11-19")).unwrap();
        },
        |dir| {
            std::fs::write(dir.join("repairing"), "main.damaged-2026-11-19\n").unwrap();
            std::fs::rename(dir.join(MAIN), dir.join("main.damaged-2026-11-19")).unwrap();
            std::fs::create_dir(dir.join(MAIN)).unwrap();
            std::fs::create_dir(dir.join("main.salvage")).unwrap();
        },
    ];
    for cut in cuts {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path());
        cut(dir.path());
        let (notes, articles, again) = repair(dir.path());
        assert_eq!((articles, again), (3, 0), "{notes:?}");
        let store = opened(dir.path());
        articles_are_back(&store);
        assert_eq!(outcome(&store, 17), Outcome::Pending);
    }
    // Without any main: what an earlier repair has half built is not taken for one.
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    std::fs::remove_dir_all(dir.path().join(MAIN)).unwrap();
    let mut say = |_| {};
    drop(Repair::begin(dir.path(), &Settings::default(), NOW, &mut say).unwrap());
    assert!(open(dir.path(), &Settings::default()).is_err());
    repair(dir.path());
    articles_are_back(&opened(dir.path()));
    assert!(!dir.path().join("main.damaged-2026-11-19").exists());
}

#[test]
fn what_cannot_be_repaired_is_left_alone() {
    let refused = |dir: &Path| match Repair::begin(dir, &Settings::default(), NOW, &mut |_| {}) {
        Ok(_) => panic!("a repair of {} began", dir.display()),
        Err(e) => e.to_string(),
    };
    let dir = tempfile::tempdir().unwrap();
    assert!(refused(dir.path()).contains("there is no store"));
    fill(dir.path());
    let store = opened(dir.path());
    assert!(refused(dir.path()).contains("held by another process"));
    let newer = Some((FORMAT + 1).to_be_bytes().to_vec());
    let at = key(keys::FORMAT).done();
    store.kv.apply(Writes::from([(at, newer)])).unwrap();
    store.kv.flush().unwrap();
    drop(store);
    std::fs::write(dir.path().join("format"), format!("{}\n", FORMAT + 1)).unwrap();
    assert!(refused(dir.path()).contains("install a newer crawler"));
    assert!(!dir.path().join("repairing").exists());
    assert!(dir.path().join(MAIN).is_dir() && !dir.path().join("main.salvage").exists());
}

/// It came back with its month, and stayed in the files for good.
#[test]
fn what_was_forgotten_of_a_month_that_was_away_in_a_repair_is_erased() {
    let cases: [(&str, &[&str]); 3] = [
        ("put back after a repair", &["repair", "back"]),
        ("and repaired once more", &["repair", "back", "repair"]),
        ("main is lost, and with it what was to be erased", &["back", "lose", "repair"]),
    ];
    for (what, steps) in cases {
        let dir = tempfile::tempdir().unwrap();
        drop(super::retention::of_two_months(dir.path()));
        let (month, aside) = (dir.path().join("articles/2026-10"), dir.path().join("aside-10"));
        std::fs::rename(&month, &aside).unwrap();
        let store = opened(dir.path());
        store.forget(&[store.url(id(11)).unwrap().unwrap()], &[]).unwrap();
        drop(store);
        for step in steps {
            match *step {
                "back" => std::fs::rename(&aside, &month).unwrap(),
                "lose" => std::fs::remove_dir_all(dir.path().join(MAIN)).unwrap(),
                _ => drop(repair(dir.path())),
            }
        }
        let store = opened(dir.path());
        assert_eq!(outcome(&store, 11), Outcome::Forgotten, "{what}");
        let october = Month { year: 2026, month: 10 };
        assert_eq!(store.months.get(october, id(11)).unwrap(), None, "{what}");
        assert!(store.months.get(october, id(12)).unwrap().is_some(), "{what}");
        assert!(!store.kv.scan(&[keys::ERASE], &[keys::ERASE + 1]).any(|_| true), "{what}");
    }
}

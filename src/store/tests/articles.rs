//! What every store must do with articles, stories, tallies and recounts.

use super::build::*;
use crate::model::*;
use crate::store::*;

suite! {
    an_alias_ends_a_later_entry_as_known
    an_address_that_a_page_names_ends_nothing
    two_pages_of_one_canonical_url_are_one_article
    tallies_follow_stories
    merged_stories_count_once
    filtered_tallies_are_sums_of_rows
    reading_by_day
    whose_text_an_article_is_stands_apart
    a_recount_flips_everything_at_once
    a_recount_passes_over_what_is_forgotten_meanwhile
    small_values_and_robots
}

fn an_alias_ends_a_later_entry_as_known(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1)]);
    let target =
        UrlRecord { chain: vec!["https://a.test/11".to_owned()], ..entry(13, "b.test", 1) };
    under(store, "a.test", |batch, lease| {
        let mut page = article(batch, 11, 20, Vec::new(), &[]);
        page.aliases = vec![id(11), id(12)];
        page.discovered = vec![entry(12, "a.test", 1), target.clone(), entry(11, "a.test", 1)];
        let settled = PageEnd { outcome: Outcome::Article, entries: 2 };
        assert_eq!(batch.page(lease, page).unwrap(), Some(settled));
    });
    assert_eq!(store.url(id(12)).unwrap().unwrap().outcome, Outcome::Known(id(11)));
    assert_eq!(store.url(id(13)).unwrap().unwrap().outcome, Outcome::Pending);
    assert_eq!(store.article(id(12)).unwrap().unwrap().key, id(11));
    assert_eq!(store.ledger(None, None).unwrap().iter().map(|l| l.entries).sum::<u64>(), 3);
    clean(store);
}

fn whose_text_an_article_is_stands_apart(store: &dyn Store) {
    with_entries(store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    let found = |name: &str| Found { value: name.to_owned(), source: Source::Visible };
    for (n, agencies, credit) in [
        (11, None, Credit::Unasked),
        (12, Some(vec![]), Credit::Own),
        (13, Some(vec![found("AFP"), found("dpa")]), Credit::Agency("AFP".to_owned())),
    ] {
        under(store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 20, Vec::new(), &[]);
            page.article.as_mut().unwrap().record.agencies = agencies;
            batch.page(lease, page).unwrap();
        });
        assert_eq!(store.credit(id(n)).unwrap(), credit);
    }
    assert_eq!(store.credit(id(99)).unwrap(), Credit::Unasked);
    clean(store);
}

fn an_address_that_a_page_names_ends_nothing(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1), entry(12, "a.test", 1)]);
    let named =
        |batch: &mut dyn Batch, n: u32| batch.url(id(n).named()).unwrap().map(|url| url.key);
    under(store, "a.test", |batch, lease| {
        let mut page = article(batch, 11, 20, Vec::new(), &[]);
        page.aliases = vec![id(12).named(), id(13).named()];
        page.discovered = vec![entry(13, "a.test", 1)];
        batch.page(lease, page).unwrap();
        assert_eq!([12, 13, 14].map(|n| named(batch, n)), [Some(id(11)), Some(id(11)), None]);
        for n in [12, 13] {
            assert_eq!(batch.url(id(n)).unwrap().unwrap().outcome, Outcome::Pending);
            let page = article(batch, n, 20, Vec::new(), &[]);
            let ended = batch.page(lease, page).unwrap();
            assert_eq!(ended, Some(PageEnd { outcome: Outcome::Article, entries: 0 }));
        }
    });
    clean(store);
}

fn two_pages_of_one_canonical_url_are_one_article(store: &dyn Store) {
    with_entries(store, vec![entry(11, "a.test", 1), entry(12, "a.test", 1)]);
    for (n, outcome) in [(11, Outcome::Article), (12, Outcome::Known(id(11)))] {
        under(store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 20, vec![row(n, "Acme", 20, 1, 0)], &[]);
            page.aliases = vec![id(99)];
            let settled = batch.page(lease, page).unwrap();
            assert_eq!(settled, Some(PageEnd { outcome, entries: 0 }));
        });
    }
    assert_eq!(store.url(id(12)).unwrap().unwrap().outcome, Outcome::Known(id(11)));
    assert_eq!(store.url(id(99)).unwrap().unwrap().key, id(11));
    assert_eq!(tally(store, "Acme", 20).articles, 1);
    clean(store);
}

fn tallies_follow_stories(store: &dyn Store) {
    with_entries(store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 0), row(11, "Umbra", 20, 0, 3)], &[]);
    assert_eq!(tally(store, "Acme", 20).stories, 1);
    assert_eq!(tally(store, "Umbra", 20).stories, 0);
    // A copy from the day before becomes the original: the story counts on its day, and counts
    // for a brand that only the copy mentions.
    add_article(store, 12, 19, vec![row(12, "Acme", 19, 1, 0), row(12, "Umbra", 19, 1, 0)], &[11]);
    assert_eq!(tally(store, "Acme", 20), Tally { articles: 1, mentions: 2, ..Tally::default() });
    assert_eq!(tally(store, "Acme", 19).stories, 1);
    assert_eq!(tally(store, "Umbra", 19).stories, 1);
    assert_eq!(tally(store, "Umbra", 20), Tally { suppressed: 3, ..Tally::default() });
    let story = store.story_of(id(12)).unwrap().unwrap();
    assert_eq!(story.id, id(11));
    assert_eq!(story.members[0].key, id(12));
    assert_eq!(story.members[0].brands, ["Acme", "Umbra"]);
    assert_eq!(story.members[1].brands, ["Acme"]);
    clean(store);
}

fn merged_stories_count_once(store: &dyn Store) {
    with_entries(store, (11..15).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 1, 0)], &[]);
    add_article(store, 12, 19, vec![row(12, "Acme", 19, 1, 0)], &[]);
    add_article(store, 13, 21, vec![row(13, "Acme", 21, 1, 0)], &[11, 12]);
    assert_eq!([19, 20, 21].map(|d| tally(store, "Acme", d).stories), [1, 0, 0]);
    let merged = store.story(id(12)).unwrap().unwrap();
    assert_eq!(merged.id, id(11));
    assert_eq!(merged.members.iter().map(|m| m.key).collect::<Vec<_>>(), [12, 11, 13].map(id));
    // A story named by an id that it had once is the one that absorbed it.
    under(store, "a.test", |batch, lease| {
        let mut page = article(batch, 14, 22, Vec::new(), &[]);
        let commit = page.article.as_mut().unwrap();
        commit.joining.stories = vec![id(12)];
        batch.page(lease, page).unwrap();
    });
    assert_eq!(store.story_of(id(14)).unwrap().unwrap().members.len(), 4);
    clean(store);
}

fn filtered_tallies_are_sums_of_rows(store: &dyn Store) {
    with_entries(store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(store, 12, 19, vec![row(12, "Acme", 19, 1, 0)], &[11]);
    add_article(store, 13, 20, vec![row(13, "Umbra", 20, 1, 0)], &[]);
    let filter = |outlet: Option<&str>, from, to| Filter {
        outlet: outlet.map(str::to_owned),
        from,
        to,
        brand: Some("Acme".to_owned()),
        ..Filter::default()
    };
    let get = |filter: &Filter| store.tallies(filter).unwrap();
    let twenty = Tally { articles: 1, mentions: 2, suppressed: 1, ..Tally::default() };
    let nineteen = Tally { articles: 1, mentions: 1, stories: 1, originals: 1, ..Tally::default() };
    let acme = "Acme".to_owned();
    assert_eq!(
        get(&filter(None, None, None)),
        [(acme.clone(), day(19), nineteen), (acme.clone(), day(20), twenty)]
    );
    assert_eq!(get(&filter(None, Some(day(20)), None)), [(acme.clone(), day(20), twenty)]);
    // Article 11 is of outlet1; its story stands on the original's day, the 19th.
    assert_eq!(
        get(&filter(Some("outlet1"), None, None)),
        [
            (acme.clone(), day(19), Tally { stories: 1, ..Tally::default() }),
            (acme.clone(), day(20), twenty)
        ]
    );
    assert_eq!(get(&filter(Some("outlet1"), None, Some(day(19)))).len(), 1);
    assert_eq!(get(&filter(Some("nobody"), None, None)), []);
}

fn reading_by_day(store: &dyn Store) {
    with_entries(store, (11..15).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(store, 12, 18, vec![row(12, "Beta", 18, 1, 0)], &[11]);
    add_article(store, 13, 19, vec![row(13, "Acme", 19, 1, 0)], &[]);
    let articles = |from: Option<Day>, to: Option<Day>| {
        let mut keys = Vec::new();
        store
            .articles(from, to, &mut |a| {
                keys.push(a.key);
                true
            })
            .unwrap();
        keys
    };
    assert_eq!(articles(None, None), [12, 13, 11].map(id));
    assert_eq!(articles(Some(day(19)), Some(day(19))), [id(13)]);
    let stories = |from: Option<Day>, to: Option<Day>| {
        let mut ids = Vec::new();
        store
            .stories(from, to, &mut |s| {
                ids.push(s.id);
                true
            })
            .unwrap();
        ids
    };
    assert_eq!(stories(None, None), [11, 13].map(id));
    assert_eq!(stories(Some(day(19)), None), [13, 11].map(id));
    assert_eq!(stories(None, Some(day(18))), [id(11)]);
    let rows = |filter: Filter| {
        let mut found = Vec::new();
        store
            .mention_rows(&filter, &mut |r| {
                found.push(r.article);
                true
            })
            .unwrap();
        found
    };
    assert_eq!(rows(Filter::default()), [13, 11, 12].map(id));
    assert_eq!(rows(Filter { from: Some(day(19)), ..Filter::default() }), [13, 11].map(id));
    assert_eq!(rows(Filter { language: Some("de".to_owned()), ..Filter::default() }), []);
    assert_eq!(store.mentions_of(id(12)).unwrap(), [row(12, "Beta", 18, 1, 0)]);
    let vectors = vectors(store, at(19));
    assert_eq!(vectors, [(id(13), at(19), vec![0, 0, 0, 13]), (id(11), at(20), vec![0, 0, 0, 11])]);
    assert_eq!(store.article(id(11)).unwrap(), Some(record(11, 20)));
    assert_eq!(store.article(id(14)).unwrap(), None);
    let mut urls = 0;
    store
        .urls(&mut |_| {
            urls += 1;
            urls < 3
        })
        .unwrap();
    assert_eq!(urls, 3);
}

fn a_recount_flips_everything_at_once(store: &dyn Store) {
    with_entries(store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    add_article(store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(store, 12, 20, Vec::new(), &[11]);
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    store.recount_put(&set, id(11), &[]).unwrap();
    let mut missing = Vec::new();
    store
        .recount_missing(&set, &mut |key| {
            missing.push(key);
            true
        })
        .unwrap();
    assert_eq!(missing, [id(12)]);
    assert!(
        store
            .recount_finish(&set, &store.brand_set().unwrap().version)
            .unwrap_err()
            .to_string()
            .contains("1 articles")
    );
    store.recount_put(&set, id(12), &[row(12, "Acme", 20, 9, 9)]).unwrap();
    store.recount_put(&set, id(12), &[row(12, "Umbra", 20, 1, 0)]).unwrap();
    assert_eq!(tally(store, "Acme", 20).articles, 1);
    assert_eq!(store.brand_set().unwrap(), BrandSet::default());
    // Another recount has moved the pointer since this one began.
    let stale = store.recount_finish(&set, "v0");
    assert!(matches!(stale, Err(crate::store::StoreError::StaleBrandSet { .. })), "{stale:?}");
    clean(store);
    store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
    assert_eq!(store.brand_set().unwrap(), set);
    assert_eq!(tally(store, "Acme", 20), Tally::default());
    let once = Tally { articles: 1, mentions: 1, stories: 1, ..Tally::default() };
    assert_eq!(tally(store, "Umbra", 20), once);
    assert_eq!(store.mentions_of(id(11)).unwrap(), []);
    assert_eq!(store.story_of(id(11)).unwrap().unwrap().members[1].brands, ["Umbra"]);
    // Another process at the same recount begins again, and finds that there is nothing to do.
    let late = store.recount_put(&set, id(11), &[]);
    assert!(matches!(late, Err(crate::store::StoreError::StaleBrandSet { .. })), "{late:?}");
    store.recount_finish(&set, "v1").unwrap();
    assert_eq!(store.brand_set().unwrap(), set);
    clean(store);
    // A recount given up leaves nothing behind the next one.
    let given_up = BrandSet { version: "v3".to_owned(), ..BrandSet::default() };
    store.recount_put(&given_up, id(11), &[row(11, "Acme", 20, 1, 0)]).unwrap();
    // Later pages are matched with the new set, and there is a way back.
    under(store, "a.test", |batch, lease| {
        let mut page = article(batch, 13, 20, vec![row(13, "Umbra", 20, 1, 0)], &[]);
        page.article.as_mut().unwrap().brand_set = "v2".to_owned();
        batch.page(lease, page).unwrap();
    });
    assert_eq!(tally(store, "Umbra", 20).articles, 2);
    let back = BrandSet { version: "v1".to_owned(), ..BrandSet::default() };
    for n in 11..14 {
        store.recount_put(&back, id(n), &[]).unwrap();
    }
    store.recount_finish(&back, &store.brand_set().unwrap().version).unwrap();
    assert_eq!(store.tallies(&Filter::default()).unwrap(), []);
    clean(store);
}

fn a_recount_passes_over_what_is_forgotten_meanwhile(store: &dyn Store) {
    with_entries(store, (11..13).map(|n| entry(n, "a.test", 1)).collect());
    for n in 11..13 {
        add_article(store, n, 20, vec![row(n, "Acme", 20, 1, 0)], &[]);
    }
    let set = BrandSet { version: "v2".to_owned(), ..BrandSet::default() };
    store.forget(&[store.url(id(11)).unwrap().unwrap()], &[]).unwrap();
    for n in 11..13 {
        store.recount_put(&set, id(n), &[row(n, "Acme", 20, 1, 0)]).unwrap();
    }
    store.recount_finish(&set, &store.brand_set().unwrap().version).unwrap();
    assert_eq!(store.mentions_of(id(11)).unwrap(), []);
    assert_eq!(tally(store, "Acme", 20).articles, 1);
    clean(store);
}

fn small_values_and_robots(store: &dyn Store) {
    assert_eq!(store.meta("zone").unwrap(), None);
    store.set_meta("zone", b"Europe/Berlin").unwrap();
    assert_eq!(store.meta("zone").unwrap().as_deref(), Some(&b"Europe/Berlin"[..]));
    let robots = RobotsRecord {
        origin: "https://a.test:443".to_owned(),
        fetched: T0,
        fresh_until: T0 + DAY,
        status: RobotsStatus::Unavailable(404),
        body: String::new(),
        unreachable_since: None,
    };
    let mut batch = store.batch().unwrap();
    batch.robots(&robots).unwrap();
    batch.commit().unwrap();
    assert_eq!(store.robots("https://a.test:443").unwrap(), Some(robots));
    assert_eq!(store.robots("https://b.test:443").unwrap(), None);
    assert!(store.size().unwrap() > 0);
    store.flush().unwrap();
    clean(store);
}

#[test]
fn a_record_of_an_earlier_version_was_read_without_a_memory() {
    let record = ArticleRecord { sighting: Sighting::Corroborated, ..record(11, 20) };
    let mut plain = postcard::to_stdvec(&record).unwrap();
    // As it was before there were memories and sightings.
    assert_eq!((plain.pop(), plain.pop()), (Some(0), Some(0)));
    let length = (plain.len() as u32).to_be_bytes();
    let payload = [&[0][..], &length, &zstd::bulk::compress(&plain, 1).unwrap()].concat();
    let value = crate::store::embedded::format::seal(&record.key.0.to_be_bytes(), &payload);
    assert_eq!(crate::store::embedded::months::unpack(record.key, &value), Ok(record));
}

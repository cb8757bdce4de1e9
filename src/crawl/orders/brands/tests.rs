//! Edits over a store in memory.

use super::*;
use crate::crawl::orders::models::tests::engine;
use crate::crawl::orders::repair::tests::{T0, fill_with, proven};
use crate::query::{Past, status};
use crate::store;

#[test]
fn processes_on_one_store_lose_no_brand_of_each_other() {
    let store = store::memory();
    let names: Vec<String> = (0..8).map(|n| format!("Brand{n}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| {
                let brand = Brand { name: name.clone(), whole_word: true, ..Brand::default() };
                let edited = edit(
                    &engine(&store),
                    &Who::program(),
                    Edit::Add(vec![brand]),
                    &Terms::default(),
                );
                edited.expect("a good brand");
            });
        }
    });
    let watched = store.brand_set().expect("memory").brands;
    let mut watched: Vec<String> = watched.into_iter().map(|brand| brand.name).collect();
    watched.sort_unstable();
    assert_eq!(watched, names);
}

/// Old and new articles were counted by two rules, and only the next edit mended it.
#[tokio::test]
async fn what_earlier_rules_have_counted_is_counted_again_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let engine = fill_with(dir.path(), &|record| record).await;
    let store = engine.store.as_ref();
    let told = || {
        let status = status(store, &Past::default(), None, &[], now()).unwrap();
        status.said.iter().filter(|said| said.name == "trouble.rules").count()
    };
    assert!(begin(&engine, &Terms::default()).unwrap().is_none());
    assert_eq!(told(), 0);
    // Rules of before found nothing in these texts.
    let set = store.brand_set().unwrap();
    let earlier = BrandSet { version: "0123456789abcdef".into(), ..set.clone() };
    visit(
        |each| store.articles(None, None, each),
        |record: ArticleRecord| -> Result<_> {
            store.recount_put(&earlier, record.key, &[])?;
            Ok(ControlFlow::Continue(()))
        },
    )
    .unwrap();
    store.recount_finish(&earlier, &set.version).unwrap();
    refresh(&engine).unwrap();
    assert_eq!(told(), 1);

    // A process that is to stop leaves it to the next one.
    let terms = Terms::default();
    terms.steps.cancel();
    let error = begin(&engine, &terms).unwrap_err();
    assert!(error.is::<super::super::steps::Cancelled>(), "{error:#}");
    assert_eq!((told(), store.brand_set().unwrap().version), (1, earlier.version));

    let done = begin(&engine, &Terms::default()).unwrap().unwrap();
    assert_eq!((&done.version, done.articles), (&set.version, 8));
    assert!(done.changes.iter().all(|change| change.before == 0 && change.after > 0));
    assert_eq!(engine.watch.read().unwrap().set.version, set.version);
    assert_eq!(told(), 0);
    proven(&engine, 8);
    let mut by = Vec::new();
    store
        .decisions(Some(Topic::Brands), &mut |decision| {
            by.push(decision.who.clone());
            true
        })
        .unwrap();
    assert_eq!(by.len(), 2, "the list, and this: {by:?}");
    assert!(begin(&engine, &Terms::default()).unwrap().is_none());
}

/// Only sums of mentions were compared: other articles that mention the brand as often changed nothing, it was said.
#[tokio::test]
async fn changed_articles_change_a_count() {
    let dir = tempfile::tempdir().unwrap();
    let day = Day::constant(2026, 11, 5);
    let engine = fill_with(dir.path(), &|mut record| {
        let number = record.url.rsplit('/').next().unwrap_or_default().to_owned();
        let text = match number.as_str() {
            "0" => "Acme Bank lends money to the town.".into(),
            "1" => "Acme builds a plant with Zeta.".into(),
            "2" => "Zeta and Umbra Works closed their plant.".into(),
            "3" => "Umbra Works hired two people.".into(),
            _ => format!("Nothing of them happened in the town number {number}."),
        };
        let block = Block { text: text.clone(), label: Label::Paragraph, probability: 1.0 };
        record.article = Article { text, blocks: vec![block], ..Article::default() };
        record.published.day = day;
        record
    })
    .await;
    let whole = |name: &str| Brand { name: name.into(), whole_word: true, ..Brand::default() };
    let acme = Brand {
        aliases: vec!["Zeta".into()],
        exclude: vec!["Acme Bank".into(), "Zeta and".into()],
        ..whole("Acme")
    };
    let ask = |brand: &Brand, dry_run| {
        let terms = Terms { dry_run, ..Terms::default() };
        let told = edit(&engine, &Who::program(), Edit::Add(vec![brand.clone()]), &terms).unwrap();
        let counts = told.changes.iter().map(|c| {
            assert_eq!((c.brand.as_str(), c.day), (brand.name.as_str(), day));
            (c.before, c.after, c.articles_before, c.articles_after)
        });
        counts.collect::<Vec<_>>()
    };
    assert_eq!(ask(&acme, true), [(2, 2, 2, 1)]);
    assert_eq!(ask(&acme, false), [(2, 2, 2, 1)]);
    let noted = || history::recounts(engine.store.as_ref()).unwrap().pop().unwrap().changed;
    assert_eq!(noted()["Acme"], [(day, day)]);
    // As many mentions in as many articles, but others.
    let umbra = Brand {
        aliases: vec!["Acme".into()],
        exclude: vec!["Acme Bank".into(), "hired".into(), "Umbra Works hired".into()],
        ..whole("Umbra Works")
    };
    assert_eq!(ask(&umbra, false), [(2, 2, 2, 2)]);
    assert_eq!(noted()["Umbra Works"], [(day, day)]);
    assert_eq!(ask(&umbra, true), []);
}

/// Only lists were compared.
#[test]
fn what_goes_back_to_its_default_is_named() {
    let old = Brand {
        name: "Acme".into(),
        case: CaseRule::Any,
        whole_word: false,
        require: vec!["wins".into()],
        within: 5,
        ..Brand::default()
    };
    let keys = |new: &Brand| {
        let lost = Dropped::between(std::slice::from_ref(&old), std::slice::from_ref(new));
        lost.into_iter().flat_map(|lost| lost.keys).collect::<Vec<_>>()
    };
    let plain = Brand { name: "Acme".into(), whole_word: true, ..Brand::default() };
    let still = Brand { require: old.require.clone(), ..plain.clone() };
    assert_eq!(keys(&still), ["case", "whole_word", "within"]);
    assert_eq!(keys(&plain), ["require", "case", "whole_word", "within"]);
    let other = Brand { case: CaseRule::Exact, within: 9, ..old.clone() };
    assert!(keys(&other).is_empty() && keys(&old).is_empty());
}

/// Such a name was taken once. Its brand could not be changed any more, only removed.
#[test]
fn a_brand_that_is_watched_keeps_a_name_that_new_ones_may_not_have() {
    let store = store::memory();
    let engine = engine(&store);
    let brand = |name: &str, alias: &str| Brand {
        name: name.into(),
        aliases: vec![alias.into()],
        whole_word: true,
        ..Brand::default()
    };
    let names = [" Acme", "Umbra\tWorks"];
    let watched =
        versioned(names.map(|name| brand(name, "Zeta")).to_vec(), &BrandSet::default(), T0);
    store.recount_finish(&watched, "").unwrap();
    let change = |brands: Vec<Brand>, all| {
        let edit = if all { Edit::Replace(brands) } else { Edit::Add(brands) };
        super::edit(&engine, &Who::program(), edit, &Terms::default()).map(|_| {
            let brands = store.brand_set().unwrap().brands;
            brands.into_iter().flat_map(|brand| brand.aliases).collect::<Vec<_>>()
        })
    };
    assert_eq!(change(vec![brand(names[0], "Acme Bank")], false).unwrap(), ["Acme Bank", "Zeta"]);
    assert_eq!(change(vec![brand(names[1], "Works")], false).unwrap(), ["Acme Bank", "Works"]);
    assert_eq!(
        change(names.map(|name| brand(name, "all")).to_vec(), true).unwrap(),
        ["all", "all"]
    );
    for (new, why) in [(" Zeta", "begins or ends with a blank"), ("Ze\tta", "a tab")] {
        for all in [false, true] {
            let refused = change(vec![brand(new, "x")], all).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }
    // What else it says is asked of all.
    let refused = change(vec![brand(names[0], "A\tcme")], false).unwrap_err().to_string();
    assert!(refused.contains("a tab"), "{refused}");
    // So do two of one name but for blanks; of new ones one is refused.
    let twins = |alias| [" Acme", "Acme"].map(|name| brand(name, alias)).to_vec();
    let watched = versioned(twins("one"), &BrandSet::default(), T0);
    store.recount_finish(&watched, &store.brand_set().unwrap().version).unwrap();
    assert_eq!(change(twins("both"), true).unwrap(), ["both", "both"]);
    let new = [brand("Ze ta", "x"), brand("Ze  ta", "x")].to_vec();
    assert!(change(new, true).unwrap_err().to_string().contains("but for blanks"));
    assert_eq!(change(vec![brand("Acme", "kept")], true).unwrap(), ["kept"]);
}

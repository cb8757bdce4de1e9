//! Deployment over a store in memory.

use super::*;
use crate::crawl::Settings;
use crate::extract::label::trees::Ensemble;
use crate::extract::label::{Kind, Trees};
use crate::extract::segment::Profile;
use crate::fetch::{Fetcher, Identity};
use crate::model::{SECOND, Span};
use crate::store::{self, Store};

pub(in crate::crawl::orders) fn engine(store: &Arc<dyn Store>) -> Arc<Engine> {
    engine_of(store.clone(), settings())
}

/// Settings of an engine that works through few tasks, one after the other.
pub(in crate::crawl) fn settings() -> Settings {
    Settings {
        workers: 1,
        drain: 1,
        max_age: None,
        once_patience: Span(0),
        timezone: "UTC".into(),
        extract_deadline: Span(SECOND),
        signals: Default::default(),
        site_memory: true,
        token: "crawler".into(),
        feed: Default::default(),
        pace: Default::default(),
        fetch: Default::default(),
        extract: Default::default(),
        dedupe: Default::default(),
        archive: Default::default(),
        retention: Default::default(),
        websub: Default::default(),
        deliver: Default::default(),
        search: Default::default(),
    }
}

pub(in crate::crawl) fn engine_of(store: Arc<dyn Store>, settings: Settings) -> Arc<Engine> {
    let identity = Identity { token: "crawler".into(), contact: None };
    let fetcher = Fetcher::new(&Default::default(), &Default::default(), &identity);
    let fetcher = fetcher.expect("default settings");
    Engine::new(store, settings, fetcher).expect("a new store")
}

fn in_use(engine: &Engine) -> String {
    engine.model().expect("a good model").id().to_owned()
}

fn origins(store: &Arc<dyn Store>) -> Vec<Origin> {
    let all = history::deployments(store.as_ref()).expect("memory");
    all.into_iter().map(|d| d.origin).collect()
}

#[test]
fn a_deployed_model_stays_and_is_noticed_elsewhere() {
    let store = store::memory();
    let first = engine(&store);
    begin(&first).expect("the shipped model");
    assert_eq!(origins(&store), [Origin::Shipped]);
    begin(&first).expect("the same again");
    assert_eq!(origins(&store), [Origin::Shipped]);
    let second = engine(&store);
    let other = Model::by_hand();
    let done = deploy(&first, &Who::program(), &other.bytes()).expect("a good model");
    assert_eq!(done.previous.as_deref(), Some(Model::embedded().id()));
    assert_eq!((in_use(&first), done.unchanged), (other.id().to_owned(), false));
    assert!(deploy(&first, &Who::program(), &other.bytes()).expect("a good model").unchanged);
    // Another process over the same store.
    assert_eq!(in_use(&second), Model::embedded().id());
    follow(&second).expect("a good model");
    assert_eq!(in_use(&second), other.id());
    // A restart: an engine reads the pointer when it is made.
    let third = engine(&store);
    assert_eq!(in_use(&third), other.id());
    ship(&third, &Who::program()).expect("the shipped model");
    assert_eq!(in_use(&third), Model::embedded().id());
    follow(&second).expect("the shipped model");
    assert_eq!(in_use(&second), Model::embedded().id());
    assert_eq!(origins(&store), [Origin::Shipped, Origin::Deployed, Origin::Shipped]);
    // Rows stay, so that old articles can be explained.
    for model in [Model::embedded(), other] {
        let row = history::model(store.as_ref(), model.id()).expect("memory");
        assert_eq!(row, Some(model.bytes()));
    }
}

#[test]
fn what_cannot_label_is_refused_in_a_sentence() {
    let store = store::memory();
    let engine = engine(&store);
    begin(&engine).expect("the shipped model");
    let check = |bytes: &[u8], words: &str| {
        let error = format!("{:#}", deploy(&engine, &Who::program(), bytes).expect_err("no model"));
        assert!(error.contains(words), "{error}");
    };
    let mut newer = Model::embedded().bytes();
    newer[8] = 200;
    check(&newer, "install a newer crawler");
    let trees = Trees { features: 7, ..Trees::default() };
    check(&Model::new(Profile::Modern, Kind::Trees(trees), "").bytes(), "other block features");
    let empty = Trees { features: crate::extract::label::trees::features(), ..Trees::default() };
    let never = Ensemble { prior: -9.0, trees: Vec::new() };
    let empty = Trees { first: never.clone(), second: never, cut: 0.5, ..empty };
    check(&Model::new(Profile::Modern, Kind::Trees(empty), "").bytes(), "cannot be used");
    check(b"<html>", "not a crawler model");
    check(&vec![0; LARGEST + 1], "more than");
    assert_eq!(origins(&store), [Origin::Shipped]);
    assert_eq!(in_use(&engine), Model::embedded().id());
}

#[test]
fn a_stored_model_that_cannot_be_read_says_the_way_out() {
    let store = store::memory();
    let engine = engine(&store);
    let gone = Deployment { id: "0123".into(), at: 1, origin: Origin::Deployed };
    history::deploy(store.as_ref(), &Who::program(), &gone, b"of another time").expect("memory");
    let says = |error: String| {
        assert!(error.contains("0123") && error.contains("crawler model deploy"), "{error}");
    };
    says(format!("{:#}", begin(&engine).expect_err("no model")));
    // One that is made over it can do all but label.
    let engine = self::engine(&store);
    says(engine.model().expect_err("no model").to_string());
    ship(&engine, &Who::program()).expect("the shipped model");
    begin(&engine).expect("the shipped model");
}

//! `crawler model`: deployment under a running daemon, and what is refused.

use std::collections::BTreeMap;

use crawler::extract::Model;
use serde_json::Value;

use crate::process::{Daemon, Place, wait_for};
use crate::web::{ARTICLES, Web};

/// Key and model of every article.
fn models(place: &Place) -> BTreeMap<String, String> {
    let rows = place.run(["export", "--jsonl"]).good();
    let row = |line: &str| -> (String, String) {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (text("key"), text("model"))
    };
    rows.lines().map(row).collect()
}

/// Follows an outlet's feed and waits for its articles; returns the models of the new ones.
fn follow(place: &Place, web: &Web, outlet: usize) -> Vec<String> {
    let before = models(place);
    place.run(["seed", &web.url(outlet, "/feed.xml")]).good();
    wait_for("the outlet's articles", || models(place).len() >= before.len() + ARTICLES);
    let after = models(place);
    for (key, model) in &before {
        assert_eq!(after.get(key), Some(model), "old articles keep their model");
    }
    after.into_iter().filter(|(key, _)| !before.contains_key(key)).map(|(_, m)| m).collect()
}

#[test]
fn a_running_daemon_takes_up_a_deployed_model_and_keeps_it() {
    let web = Web::start();
    let place = Place::new();
    place.write("brands.txt", "Acme\n");
    place.run(["seed", &web.url(3, "/other.xml")]).good();
    place.run(["brands", "import", "brands.txt"]).good();
    let (shipped, other) = (Model::embedded(), Model::by_hand());
    place.write("other.model", other.bytes());
    let daemon = Daemon::start(&place);
    assert!(follow(&place, &web, 0).iter().all(|m| m == shipped.id()));

    let said = place.run(["model", "deploy", "other.model"]).good();
    assert!(said.contains(other.id()) && said.contains(shipped.id()), "{said}");
    assert!(follow(&place, &web, 1).iter().all(|m| m == other.id()));
    let status = place.json(["status"]);
    assert_eq!(status["model"]["id"], other.id(), "{status}");
    let mentions = place.json(["mentions"]);
    let changes = mentions["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{mentions}");
    assert_eq!(
        (&changes[0]["what"], &changes[0]["version"]),
        (&"model".into(), &other.id().into())
    );
    let table = place.run(["mentions"]).good();
    assert!(table.contains("another model"), "{table}");
    daemon.terminate().good();

    let daemon = Daemon::start(&place);
    assert!(follow(&place, &web, 2).iter().all(|m| m == other.id()));
    place.run(["model", "deploy"]).good();
    assert_eq!(place.json(["status"])["model"]["origin"], "shipped");
    daemon.terminate().good();
    let list = place.json(["model", "list"]);
    let origins: Vec<&Value> = list.as_array().unwrap().iter().map(|d| &d["origin"]).collect();
    assert_eq!(origins, ["shipped", "deployed", "shipped"], "{list}");
    assert!(place.run(["verify"]).good().contains("every number"));
}

#[test]
fn what_cannot_label_is_not_deployed() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let mut newer = Model::embedded().bytes();
    newer[8] = 200;
    place.write("newer.model", &newer);
    let mut damaged = Model::embedded().bytes();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    place.write("damaged.model", &damaged);
    for command in ["verify", "deploy"] {
        let check = |file, words: &[&str]| place.run(["model", command, file]).one_sentence(words);
        check("newer.model", &["newer.model", "format version 200", "install a newer crawler"]);
        check("damaged.model", &["damaged.model", "checksum"]);
        check("nowhere.model", &["cannot read the model nowhere.model"]);
    }
    assert!(place.json(["model", "list"]).as_array().unwrap().is_empty());
    place.write("good.model", Model::by_hand().bytes());
    let said = place.run(["model", "verify", "good.model"]).good();
    assert!(said.contains("reads a plain page"), "{said}");
    let shown = place.run(["model", "show", "good.model"]).good();
    assert!(shown.contains("stop-word ratio") && shown.contains(Model::by_hand().id()), "{shown}");
}

#[test]
fn the_configured_model_is_used_and_a_deployed_one_stays() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    place.write("by-hand.model", Model::by_hand().bytes());
    place.set("model=by-hand.model");
    place.run(["run", "--once"]).good();
    assert!(models(&place).values().all(|m| m == Model::by_hand().id()));
    place.write("pr.model", Model::pr().bytes());
    place.run(["model", "deploy", "pr.model"]).good();
    place.run(["run", "--once"]).good();
    assert_eq!(place.json(["status"])["model"]["id"], Model::pr().id());
}

#[test]
fn without_a_file_the_programs_own_model_comes_back_whatever_is_configured() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    place.write("by-hand.model", Model::by_hand().bytes());
    place.set("model=by-hand.model");
    place.run(["run", "--once"]).good();
    place.run(["model", "deploy"]).good();
    let own = Model::embedded();
    let in_use = || place.json(["status"])["model"].clone();
    assert_eq!((&in_use()["id"], &in_use()["origin"]), (&own.id().into(), &"shipped".into()));
    // The file of the configuration has not changed: it is not deployed again.
    place.run(["run", "--once"]).good();
    assert_eq!(in_use()["id"], own.id());
}

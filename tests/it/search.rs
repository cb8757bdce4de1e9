//! Search beside a real store: what is crawled is found, what is forgotten or has lost its text is not, with
//! and without a daemon, in both stores.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::process::{Daemon, Place, wait_for};
use crate::scratch::Scratch;
use crate::web::Web;

/// Keys of all that is found.
fn found(place: &Place, query: &str) -> BTreeSet<String> {
    let view = place.json(["search", query, "--limit", "500"]);
    assert_eq!(view["truncated"], false);
    let days = view["days"].as_array().unwrap().iter().map(|day| day["articles"].as_u64().unwrap());
    let hits = keys(&view["hits"]);
    assert_eq!(days.sum::<u64>(), hits.len() as u64, "{view}");
    assert_eq!(view["articles"], hits.len());
    hits
}

fn keys(lines: &Value) -> BTreeSet<String> {
    let lines = lines.as_array().unwrap().iter();
    lines.map(|line| line["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_crawled_is_found_and_what_is_forgotten_is_not() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let counting = keys(&place.json(["articles", "--brand", "Acme"]));
    assert!(counting.len() > 2);
    // The name stands in these and no other titles, leads and bodies.
    assert_eq!(found(&place, "Acme"), counting);
    let all = keys(&place.json(["articles"]));
    assert_eq!(found(&place, "Acme OR NOT acme"), all);
    assert_eq!(found(&place, "NOT Acme").len(), all.len() - counting.len());

    let view = place.json(["search", "Acme", "--limit", "1"]);
    let hit = &view["hits"][0];
    let parts = hit["context"][0]["parts"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["hit"] == true && part["text"] == "Acme"), "{hit}");
    let next = view["next"].as_str().unwrap();
    let second = place.json(["search", "Acme", "--limit", "1", "--after", next]);
    assert_ne!(second["hits"][0]["key"], hit["key"]);
    let of = |brand: &str| -> i64 {
        let days = view["days"].as_array().unwrap().iter();
        days.map(|day| day["brands"][brand].as_i64().unwrap_or(0)).sum()
    };
    assert_eq!(of("Acme"), counting.len() as i64, "beside the brand's counts");
    let brand = place.json(["search", "NOT Acme", "--brand", "Acme"]);
    assert_eq!(brand["articles"], 0);
    let outlet = hit["outlet"].as_str().unwrap();
    let here = place.json(["articles", "--brand", "Acme", "--outlet", outlet]);
    let there = place.json(["search", "Acme", "--outlet", outlet, "--limit", "500"]);
    assert_eq!(keys(&there["hits"]), keys(&here));
    let printed = place.run(["search", "Acme"]).good();
    assert!(printed.contains("[Acme]") && printed.contains("articles"), "{printed}");
    place.run(["search", "Acme", "--days"]).good();
    // A query of a word that is not wanted; options may follow it.
    let without = place.json(["search", "-Acme", "--limit", "500"]);
    assert_eq!(keys(&without["hits"]), found(&place, "NOT Acme"));
    let estimate = |args: &[&str]| {
        let told = place.json([&["brands", "estimate"], args].concat());
        let left: Vec<_> =
            told["left_out"].as_array().unwrap().iter().map(Value::to_string).collect();
        (told["articles"].as_u64().unwrap(), left.join(" "))
    };
    let (all_of_it, case) = (counting.len() as u64, "\"letter case is ignored\"".to_owned());
    assert_eq!(estimate(&["acme"]), (all_of_it, case.clone()));
    // The star was left out, a language counted as often as it was named, and in capitals never.
    assert_eq!(estimate(&["acm*"]), (all_of_it, case.clone()));
    assert_eq!(estimate(&["acm"]), (0, case.clone()));
    let number = "\"a part of a number or a sum of money counts as a name\"";
    assert_eq!(estimate(&["3M"]).1, format!("{case} {number}"));
    assert_eq!(estimate(&["Channel", "--alias", "Channel 4"]).1, format!("{case} {number}"));
    let (english, _) = estimate(&["Acme", "--language", "en"]);
    assert!(english > 0);
    assert_eq!(estimate(&["Acme", "--language", "EN", "--language", "en"]).0, english);

    for (args, words) in [
        (&["search", "\"Acme"][..], "does not end"),
        (&["search", "--form", "Acme"], "there is no such option"),
        (&["search", "--rebuild", "--limt", "3"], "--limt: there is no such option"),
        (&["search", "--rebuild", "Acme"], "--rebuild takes no query"),
        (&["brands", "estimate", "…"], "has no letter or digit"),
        (&["brands", "estimate", "Acme", "--language", "German"], "`German` is no language"),
        (&["brands", "estimate", "Acme", "--within", "3"], "has no meaning without `require`"),
        (&["search", "Acme", "--zone", "caption"], "use title, lead or body"),
        (&["search", "Acme", "--brand", "Nobody"], "no brand is named `Nobody`"),
        (&["search", "Acme", "--set", "search.enabled=false"], "search is switched off"),
    ] {
        place.run(args).one_sentence(&[words]);
    }

    let gone = counting.first().unwrap();
    place.run(["forget", gone]).good();
    let left = found(&place, "Acme");
    assert!(!left.contains(gone) && left.len() == counting.len() - 1);
    // Whatever becomes of its files, the index comes back.
    std::fs::write(place.path("data/search/words-6/meta.json"), "{").unwrap();
    assert_eq!(found(&place, "Acme"), left);
    let said = place.run(["search", "--rebuild"]).good();
    assert!(said.contains(&format!("{} articles", all.len() - 1)), "{said}");
    assert_eq!(found(&place, "Acme"), left);
}

#[test]
fn a_daemon_follows_and_lets_go_what_lost_its_text() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    place.set("listen=\"127.0.0.1:0\"");
    let daemon = Daemon::start(&place);
    wait_for("the crawl to be found", || {
        let ended = place.run(["search", "Acme", "--json"]);
        let Ok(view) = serde_json::from_str::<Value>(&ended.out) else { return false };
        let counting = place.json(["articles", "--brand", "Acme"]).as_array().unwrap().len();
        counting > 2 && view["behind"] == 0 && view["articles"] == counting
    });
    let counting = found(&place, "Acme");
    let gone = counting.first().unwrap();
    place.run(["forget", gone]).good();
    // Until then the days still count it.
    wait_for("the forgotten to leave", || {
        place.json(["search", "Acme", "--limit", "500"])["articles"] == counting.len() - 1
    });
    assert!(!found(&place, "Acme").contains(gone));
    place.run(["search", "--rebuild"]).good();
    assert_eq!(found(&place, "Acme").len(), counting.len() - 1);
    daemon.terminate();

    // A hundred days later, by a clock of its own.
    place.set("retention.texts=30d");
    place.write("off", (100 * 86_400_000_i64).to_string());
    let mut later = place.command(["search", "Acme", "--json"]);
    later.env("CRAWLER_CLOCK", format!("1:{}", place.path("off").display()));
    let view: Value =
        serde_json::from_str(&crate::process::end(later.spawn().unwrap()).good()).unwrap();
    assert_eq!((&view["articles"], &view["indexed"]), (&Value::from(0), &Value::from(0)));
}

#[test]
fn a_database_is_searched_the_same_way() {
    let (web, server) = (Web::with(2, 5), Scratch::start());
    let mut place = Place::new();
    place.set(&format!("store={}", server.database("search")));
    place.watch(web.feeds(), "Acme\n");
    place.run(["run", "--once"]).good();
    place.run(["search", "Acme"]).one_sentence(&["search.dir"]);
    place.set("search.dir=\"words\"");
    let counting = keys(&place.json(["articles", "--brand", "Acme"]));
    assert_eq!(found(&place, "Acme"), counting);
    let gone = counting.first().unwrap();
    place.run(["forget", gone]).good();
    assert!(!found(&place, "Acme").contains(gone));
}

//! The name that is meant: answers from outside, what they change, and that they can be taken back.

use serde_json::{Value, json};

use crate::process::Place;
use crate::web::Web;

fn counts(place: &Place) -> (i64, i64) {
    let told = place.json(["mentions", "--brand", "statement"]);
    let lines = told["lines"].as_array().unwrap();
    let sum = |name: &str| lines.iter().map(|line| line[name].as_i64().unwrap()).sum();
    (sum("mentions"), sum("suppressed"))
}

fn file(place: &Place, mentions: &[Value], meant: impl Fn(usize) -> Value) {
    let lines = mentions.iter().enumerate().map(|(number, of)| {
        let told = json!({
            "article": of["article"], "block": of["block"], "start": of["start"],
            "meant": meant(number),
        });
        told.to_string()
    });
    place.write("answers.jsonl", lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn answers_are_counted_proved_and_taken_back() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let version = place.json(["brands", "add", "statement"])["version"].clone();
    let (all, left_out) = counts(&place);
    let review = place.json(["brands", "review", "statement"]);
    assert_eq!(review["known"]["answers"], 0);
    let mentions = review["mentions"].as_array().unwrap().clone();
    assert!(mentions.len() >= 2, "{review}");
    let mut stories: Vec<&str> = mentions.iter().map(|m| m["article"].as_str().unwrap()).collect();
    stories.sort_unstable();
    stories.dedup();
    assert_eq!(stories.len(), mentions.len(), "one of each article");
    assert!(mentions.iter().all(|m| m["matched"] == "statement"), "{review}");

    // Too few to learn from: what was answered is decided, the rest counts as before.
    let asked = &mentions[..2];
    file(&place, asked, |number| json!(number == 0));
    let order = ["brands", "review", "statement", "--answers", "answers.jsonl"];
    let dry =
        place.json(["brands", "review", "statement", "--answers", "answers.jsonl", "--dry-run"]);
    assert_eq!(dry["dry_run"], true);
    assert_eq!(counts(&place), (all, left_out), "a dry run changes nothing");
    let done = place.json(order);
    assert_eq!(done["version"], dry["version"]);
    assert_ne!(done["version"], version);
    let (now, suppressed) = counts(&place);
    assert!(now < all && now + suppressed == all + left_out, "{now} of {all}");
    let shown = place.run(["show", asked[1]["article"].as_str().unwrap()]).good();
    assert!(shown.contains("other-sense"), "{shown}");
    // A test of the same text says the same as the store.
    let article = place.json(["show", asked[1]["article"].as_str().unwrap()]);
    let (block, start) = (asked[1]["block"].as_u64().unwrap(), &asked[1]["start"]);
    let text = article["record"]["article"]["blocks"][block as usize]["text"].as_str().unwrap();
    let tested = place.json(["brands", "test", text]);
    let found = tested.as_array().unwrap().iter().find(|m| m["start"] == *start).unwrap();
    assert_eq!(found["zone"], "other-sense", "{tested}");
    assert!(place.run(["verify"]).good().contains("every number"));
    let known = place.json(["brands"])["senses"]["statement"].clone();
    assert_eq!((&known["answers"], &known["meant"]), (&json!(2), &json!(1)));
    assert!(place.run(["log"]).good().contains("mentions of statement answered"));
    let next = place.json(["brands", "review", "statement"]);
    let next = next["mentions"].as_array().unwrap();
    assert!(next.iter().all(|m| asked.iter().all(|other| other["article"] != m["article"])));

    // Taken back, nothing is left of them.
    file(&place, asked, |_| Value::Null);
    assert_eq!(place.json(order)["version"], version);
    assert_eq!(counts(&place), (all, left_out));
    assert!(place.run(["verify"]).good().contains("every number"));
}

#[test]
fn answers_about_nothing_are_refused() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    place.run(["brands", "add", "statement"]).good();
    let order = ["brands", "review", "statement", "--answers", "answers.jsonl"];
    let review = place.json(["brands", "review", "statement"]);
    let mut of = review["mentions"][0].clone();
    of["start"] = json!(4_000_000);
    file(&place, &[of], |_| json!(true));
    place.run(order).one_sentence(&["does not mention statement at byte 4000000"]);
    place.write("answers.jsonl", "{\"article\": 7}\n");
    place.run(order).one_sentence(&["answers.jsonl, line 1"]);
    place.write("answers.jsonl", "");
    place.run(order).one_sentence(&["has no answers"]);
    place
        .run(["brands", "review", "Nobody", "--json"])
        .one_sentence(&["no brand is named `Nobody`"]);
    place.run(["brands", "review", "statement"]).one_sentence(&["asking needs a terminal"]);
}

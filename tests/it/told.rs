//! What a command says agrees with what the tables show, and tells all that it did, also as JSON.

use std::fs::File;

use serde_json::{Value, json};

use crate::process::{Ended, Place, end};
use crate::server::{Ask, Server, answer};
use crate::web::Web;

/// A place whose store is that of the demo.
fn demo() -> Place {
    let place = Place::new();
    place.run(["demo", "--keep", "data"]).good();
    place
}

/// Members of a story whose pages have only a day were shown with an hour.
#[test]
fn of_a_day_stories_and_articles_tell_no_hour() {
    let place = demo();
    let key = "51d296108b8f542d085a5903b439d4cd";
    let story = place.run(["show", key, "--story"]).good();
    let line = |outlet: &str| story.lines().find(|line| line.contains(outlet)).unwrap();
    assert!(line("morgenblatt.test").contains(" UTC "), "{story}");
    assert!(!line("hafenkurier.test").contains("UTC"), "{story}");
    let article = place.run(["show", key]).good();
    assert!(article.contains("published  2026-11-09, day 2026-11-09 (day, "), "{article}");
}

#[test]
fn digests_and_reports_say_the_same_numbers() {
    let place = demo();
    let digest = |args: &[&str]| place.run([&["digest"], args].concat()).good();
    // A digest of one brand said that it has all of the articles; shares were cut, not rounded.
    let days = ["--from", "2026-11-09", "--to", "2026-11-15"];
    let one = [&["--brand", "Halvorsen"], &days[..]].concat();
    let told = digest(&one);
    assert!(told.contains("; 16 % of all watched brands."), "{told}");
    assert!(digest(&days).contains(told.lines().nth(1).unwrap()), "{told}");
    let line = &place.json([&["digest"], &one[..]].concat())["lines"][0];
    assert_eq!((&line["share"], &line["articles"]), (&json!(16), &json!(26)), "{line}");
    // It named a story below "0 stories".
    let day = ["--from", "2026-11-13", "--to", "2026-11-13"];
    let told = digest(&day);
    let brand = "Brightwater: 1 article (6 before), 0 new stories and 1 of other days, 3 mentions";
    assert!(told.contains(brand), "{told}");
    assert!(told.contains("Lumina: 4 articles (3 before), 4 stories, 7 mentions"), "{told}");
    // It counted the articles that name the brand nowhere but where that is not counted.
    let report = [&["report", "-o", "x.html"], &one[..]].concat();
    let told = place.run(report).good();
    let said =
        "x.html with 19 stories and 26 articles; 71 more name it only where it is not counted\n";
    assert_eq!(told, said);
}

#[test]
fn tables_hold_what_was_asked_for() {
    let place = demo();
    // The days of a week before `--from` were left out, and the rest stood there as the week.
    let weeks = |args: &[&str]| {
        let asked = ["mentions", "--brand", "Halvorsen", "--by", "week"];
        place.json([&asked[..], args].concat())["lines"].clone()
    };
    let all = weeks(&[]);
    let week = all.as_array().unwrap().iter().find(|line| line["bucket"] == "2026-11-09").unwrap();
    assert_eq!(weeks(&["--from", "2026-11-12", "--to", "2026-11-13"]), json!([week]));
    // A table without lines had no headings.
    let csv = |args: &[&str]| place.run([&["mentions", "--csv"], args].concat()).good();
    let (all, none) = (csv(&[]), csv(&["--from", "2999-01-01"]));
    assert_eq!(all.lines().next(), Some(none.trim_end()));
    assert!(none.starts_with("brand,bucket,articles,stories,"), "{none}");
    // As many as are asked for of those that other options leave.
    let stories = |args: &[&str]| place.json([&["stories", "--outlets", "2"], args].concat());
    let all = stories(&[]);
    assert_eq!(stories(&["--limit", "2"]), json!([all[0], all[1]]));
}

#[test]
fn a_long_time_of_coverage_ends_today() {
    let place = demo();
    let days = |args: &[&str]| place.run([&["outlets", "--days"], args].concat());
    let all = days(&[]).good();
    // Not `assert_eq`: what was said before is a hundred years long.
    assert!(days(&["--from", "1900-01-01"]).good() == all);
    let lines = place.json(["outlets", "--days", "--from", "1900-01-01"]);
    assert!(lines == place.json(["outlets", "--days"]));
    let cut = days(&["--from", "1900-01-01", "--to", "9999-12-31"]);
    assert!(cut.err.contains("the days behind it are left out"), "{}", cut.err);
    assert_eq!(cut.code, Some(0));
    let today = lines.as_array().unwrap().last().unwrap()["day"].as_str().unwrap();
    let digest = place.run(["digest", "--from", "1900-01-01", "--to", today]).good();
    assert!(digest.contains("% of the polls succeeded"), "{digest}");
}

#[test]
fn an_address_that_was_never_seen_was_told_as_forgotten() {
    let place = demo();
    let url = "http://nowhere.test/a";
    let told = place.run(["forget", url]).good();
    assert_eq!(
        told,
        "nothing of this address is stored (`crawler articles` lists URLs); it will not be fetched\n"
    );
    assert_eq!(place.run(["forget", url]).good(), "it was forgotten before\n");
    let other = place.json(["forget", "http://nowhere.test/b"]);
    let gone = json!({ "outlet": null, "articles": 0, "entries": 0, "feeds": 0, "unseen": true, "led_to": null });
    assert_eq!(other, gone);
}

#[test]
fn a_table_and_addresses_were_watched_as_brands() {
    let place = Place::new();
    place.write("brands.txt", "Acme\nUmbra\nToys \"R\" Us\nAlphabet, Inc.\n");
    let import = |file: &str| place.run(["brands", "import", file]);
    let told = import("brands.txt").good();
    assert!(told.contains("new: Acme, Umbra, Toys \"R\" Us, `Alphabet, Inc.`"), "{told}");
    let set = place.json(["brands"]);
    for (text, line) in [
        ("name;alias\nAcme;Acme AG\n", "line 1"),
        ("# ours\nname,alias\nAcme,Acme AG\n", "line 2"),
        ("Brand\tSince\n", "line 1"),
        ("Acme;Acme AG\n", "line 1"),
        ("Acme\n\"Umbra\",\"Umbra AG\"\n", "line 2"),
        ("Acme\nhttps://a.test/feed.xml\n", "line 2"),
        ("2026-11-28 09:55:11 INFO started\n", "line 1"),
    ] {
        place.write("table.txt", text);
        import("table.txt").one_sentence(&["table.txt: ", line, "one name a line", "[[brand]]"]);
    }
    assert_eq!(place.json(["brands"]), set);
    // What an import drops was not said.
    place.write("other.txt", "Acme\nZenith\n");
    let says = "no longer watched: Umbra, Toys \"R\" Us, `Alphabet, Inc.`; new: Zenith\n";
    let dry = place.run(["brands", "import", "other.txt", "--dry-run"]).good();
    assert!(dry.contains(says), "{dry}");
    let told = place.json(["brands", "import", "other.txt", "--dry-run"]);
    assert_eq!(told["new"], json!(["Zenith"]), "{told}");
    assert_eq!(
        told["no_longer_watched"],
        json!(["Umbra", "Toys \"R\" Us", "Alphabet, Inc."]),
        "{told}"
    );
    // Nor which alerts go quiet.
    for (name, brands) in [("front", ["Acme", "Umbra"]), ("burst", ["Acme", "Acme"])] {
        let brands = ["--brand", brands[0], "--brand", brands[1]];
        place.run([&["alerts", "add", name, "--when", "headline"][..], &brands].concat()).good();
    }
    let told = import("other.txt").good();
    assert!(told.contains(says), "{told}");
    let quiet = "alerts on brands that are no longer watched, which are quiet about them: front\n";
    assert!(told.contains(quiet), "{told}");
    let status = place.json(["status"]).to_string();
    assert!(
        status.contains("the alert front names brands that are not watched: Umbra;"),
        "{status}"
    );
    assert!(!import("other.txt").good().contains("new:"));
    let dry = place.run(["brands", "rm", "Zenith", "--dry-run"]).good();
    assert!(dry.contains("no longer watched: Zenith\n"), "{dry}");
}

#[test]
fn pages_that_failed_were_no_news_to_scripts() {
    let place = Place::new();
    place.write("a.html", "<title>A</title><p>Once upon a time there was a page of its own.");
    let extract = |paths: &[&str]| place.run([&["extract", "--jsonl"], paths].concat());
    assert_eq!(extract(&["a.html"]).code, Some(0));
    assert_eq!(extract(&["a.html", "no.html"]).code, Some(3));
    assert_eq!(extract(&["no.html", "none.html"]).code, Some(1));
    // It was looked for as a file.
    let ended = extract(&["a.html", "https://a.test/x"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
    ended.one_sentence(&["https://a.test/x", "without --jsonl"]);
}

#[test]
fn of_several_pages_nobody_knew_which_was_which() {
    let place = Place::new();
    for name in ["a", "b"] {
        let text = format!("<title>The {name}</title><p>Once upon a time there was a page {name}.");
        place.write(&format!("{name}.html"), text);
    }
    let extract = |args: &[&str]| place.run([&["extract"], args].concat());
    for args in [&["--json"][..], &["--json", "--explain"]] {
        let ended = extract(&[args, &["a.html", "no.html", "b.html"]].concat());
        assert_eq!((ended.code, ended.err.as_str()), (Some(3), ""), "{}", ended.out);
        let pages: Value = serde_json::from_str(&ended.out).unwrap();
        let paths: Vec<_> = pages.as_array().unwrap().iter().map(|page| &page["path"]).collect();
        assert_eq!(paths, ["a.html", "no.html", "b.html"]);
        for (n, failed) in [false, true, false].into_iter().enumerate() {
            assert_eq!(pages[n]["error"].is_string(), failed, "{pages}");
            assert_eq!(pages[n]["blocks"].is_array(), !failed, "{pages}");
        }
        // One page is told as itself.
        assert!(place.json([&["extract"], &args[1..], &["a.html"]].concat()).get("path").is_none());
        assert_eq!(extract(&[args, &["no.html", "none.html"]].concat()).code, Some(1));
    }
    for args in [&[][..], &["--explain"]] {
        let alone = |page| extract(&[args, &[page]].concat()).good();
        let told = extract(&[args, &["a.html", "b.html"]].concat()).good();
        let (a, b) = (alone("a.html"), alone("b.html"));
        assert_eq!(told, format!("page       a.html\n{a}\npage       b.html\n{b}"));
    }
}

#[test]
fn summaries_are_json_where_json_is_asked_for() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let run = place.json(["run", "--once"]);
    let status = place.json(["status"]);
    assert_eq!(run["entries"], status["entries"], "{run}");
    assert_eq!(run["articles"], status["outcomes"]["article"], "{run}");
    assert_eq!((&run["failed"], &run["pending"]), (&json!(0), &json!(0)), "{run}");
    let path = |name: &str| json!(place.path(name));
    assert_eq!(place.json(["backup", "copy"]), json!({ "to": path("copy") }));
    let restored = place.json(["restore", "copy", "--data-dir", "again"]);
    assert_eq!(restored, json!({ "from": "copy", "to": "again" }));
    place.run(["export", "--whole", "-o", "whole.jsonl"]).good();
    let records = std::fs::read_to_string(place.path("whole.jsonl")).unwrap().lines().count() - 1;
    let imported = place.json(["import", "whole.jsonl", "--data-dir", "new"]);
    assert_eq!(imported, json!({ "records": records }));
    // Its articles count on the days of its zone.
    let zone = ["--data-dir", "other", "--set", "timezone=\"Asia/Tokyo\""];
    let refused = place.run([&["import", "whole.jsonl"], &zone[..]].concat());
    refused.one_sentence(&["the export counts days in `", "says `Asia/Tokyo`"]);
    assert!(!place.path("other").exists());
}

#[test]
fn a_token_that_nobody_has_seen_was_of_use() {
    let place = Place::new();
    place.write("list.txt", "http://127.0.0.1:1/feed.xml\n");
    place.run(["seed", "list.txt"]).good();
    for json in [&[][..], &["--json"]] {
        let mut command = place.command([&["token", "add", "lost"], json].concat());
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ended = command.stdout(full).output().unwrap();
        let err = String::from_utf8(ended.stderr).unwrap();
        let ended = Ended { code: ended.status.code(), out: String::new(), err };
        ended.one_sentence(&["standard output", "the token lost is revoked again"]);
        let tokens = place.json(["token"]);
        let live = |token: &Value| token["live"] == true;
        assert!(!tokens.as_array().unwrap().iter().any(live), "{tokens}");
    }
    place.run(["token", "add", "lost"]).good();
}

#[test]
fn a_pause_of_no_time_did_nothing() {
    let place = Place::new();
    place.write("list.txt", "http://127.0.0.1:1/feed.xml\n");
    place.run(["seed", "list.txt"]).good();
    let words = ["a pause must last for some time", "2h"];
    place.run(["outlets", "pause", "127.0.0.1:1", "--for", "0s"]).one_sentence(&words);
    let words = ["a delay must be some time", "10s"];
    place.run(["outlets", "delay", "127.0.0.1:1", "0s"]).one_sentence(&words);
}

#[test]
fn a_key_like_no_other_was_taken_for_one() {
    let place = Place::new();
    let ended = end(place.command(["status"]).env("CRAWLER_FOO", "1").spawn().unwrap());
    ended.one_sentence(&["unknown key `foo`", "`crawler config show` lists all keys"]);
}

#[test]
fn a_page_in_place_of_a_feed_says_how_its_feeds_are_found() {
    let server = Server::start(1, |_| {
        |_: &Ask| {
            answer("200 OK", &["Content-Type: text/html"], "<!doctype html><html><body>Welcome.")
        }
    });
    let place = Place::new();
    place.write("feeds.txt", server.url(0, "/news.html") + "\n");
    place.run(["seed", "feeds.txt"]).good();
    place.run(["run", "--once"]).good();
    let why = place.json(["feeds"])[0]["why"].to_string();
    assert!(why.contains("an HTML page, not a feed; `crawler discover URL` looks for"), "{why}");
    let help = place.run(["seed", "--help"]).good();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("only a host without a path is looked through"), "{help}");
}

#[test]
fn the_options_of_a_command_stood_among_those_of_all() {
    let place = Place::new();
    let help = end(std::process::Command::new(crate::process::binary())
        .args(["mentions", "--help"])
        .current_dir(place.dir.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap())
    .good();
    let (own, every) = help.split_once("Options of every command:").expect("a heading");
    for option in ["--brand", "--from", "--to", "--by", "--count", "--csv", "--help"] {
        assert!(own.contains(option) && !every.contains(option), "{option}: {help}");
    }
    for option in ["--config", "--data-dir", "--store", "--set", "--json", "--log", "--log-json"] {
        assert!(
            every.contains(&format!("{option} ")) || every.contains(&format!("{option}\n")),
            "{option}"
        );
        assert!(!own.contains(&format!("{option} <")), "{option}: {help}");
    }
}

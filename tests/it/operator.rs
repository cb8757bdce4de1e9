//! What an operator does from outside: repairs a damaged store, pauses, blocks and forgets an
//! outlet beside a running daemon.

use crate::process::{Daemon, Place};
use crate::web::Web;

/// A crawl of the whole web.
fn crawled(web: &Web) -> Place {
    let place = Place::seeded(web);
    place.run(["run", "--once"]).good();
    place
}

#[test]
fn a_damaged_store_is_rebuilt_by_the_daemon_once_a_day_and_by_hand() {
    let web = Web::start();
    let place = crawled(&web);
    let (mentions, feeds) = (place.json(["mentions"]), place.json(["feeds"]));
    assert!(mentions["lines"].as_array().is_some_and(|lines| !lines.is_empty()));
    let articles = place.json(["status"])["outcomes"]["article"].clone();
    let urls = |feeds: &serde_json::Value| -> Vec<String> {
        feeds.as_array().unwrap().iter().map(|feed| feed["url"].to_string()).collect()
    };
    let whole = || {
        place.run(["verify"]).good();
        assert_eq!(place.json(["mentions"])["lines"], mentions["lines"]);
        assert_eq!(place.json(["status"])["outcomes"]["article"], articles);
        assert_eq!(urls(&place.json(["feeds"])), urls(&feeds));
    };
    let damage = || std::fs::write(place.path("data/main/rows.redb"), b"not a database").unwrap();
    damage();
    place.run(["mentions"]).one_sentence(&["is damaged", "run `crawler repair`"]);
    // The daemon needs no hands; the feeds bring what was no article again.
    let run = place.run(["run", "--once"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    for part in ["is set aside and rebuilt", "main.damaged-", "polls"] {
        assert!(format!("{}{}", run.err, run.out).contains(part), "{part}: {}", run.err);
    }
    whole();
    // Whatever damages it twice a day would do so for ever.
    damage();
    place.run(["run", "--once"]).one_sentence(&["rebuilt today already", "`crawler repair`"]);
    let said = place.run(["repair"]).good();
    assert!(said.contains("verified: every number is the sum of what is stored"), "{said}");
    whole();
    place.run(["run", "--once"]).good();
    whole();
}

/// The daemon ended at every start, also where nothing needed what is damaged.
#[test]
fn a_damaged_month_is_rebuilt_by_the_daemon_that_needs_it() {
    let web = Web::start();
    let place = crawled(&web);
    let articles = place.json(["status"])["outcomes"]["article"].clone();
    let months = std::fs::read_dir(place.path("data/articles")).unwrap();
    let month = months.map(|file| file.unwrap().path()).next().unwrap();
    std::fs::write(month.join("rows.redb"), b"not a database").unwrap();
    // A hundred days later, by a clock of its own.
    place.write("off", (100 * 86_400_000_i64).to_string());
    let mut later = place.command(["run", "--once"]);
    later.env("CRAWLER_CLOCK", format!("1:{}", place.path("off").display()));
    let ended = later.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && !said.contains("rebuilt"), "{said}");
    let run = place.run(["run", "--once"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.err.contains("is damaged: it is set aside and rebuilt"), "{}", run.err);
    place.run(["verify"]).good();
    assert_eq!(place.json(["status"])["outcomes"]["article"], articles);
}

#[test]
fn a_month_that_is_gone_is_missed_until_it_is_back_or_repaired() {
    let web = Web::start();
    let place = crawled(&web);
    let lost = || {
        let said = place.json(["status"])["trouble"].to_string();
        said.contains("are gone from the data directory")
    };
    assert!(!lost());
    let months = std::fs::read_dir(place.path("data/articles")).unwrap();
    let month = months.map(|file| file.unwrap().path()).next().unwrap();
    let aside = place.path("aside");
    std::fs::rename(&month, &aside).unwrap();
    let ended = place.run(["status"]);
    assert_eq!(ended.code, Some(3), "{}", ended.out);
    assert!(ended.err.contains("run `crawler repair`"), "{}", ended.err);
    assert!(!ended.err.contains('\u{1b}'), "colours in a pipe: {}", ended.err);
    assert!(lost());
    std::fs::rename(&aside, &month).unwrap();
    assert!(!lost());
    // Neither is one whose file is no longer what it was.
    let file = month.join("rows.redb");
    let articles = place.json(["articles"]);
    let whole = std::fs::read(&file).unwrap();
    for altered in [&[&whole[..], b"x"].concat()[..], &whole[..whole.len() - 4096], b"not a file"] {
        std::fs::write(&file, altered).unwrap();
        let said = place.json(["status"])["trouble"].to_string();
        assert!(said.contains("the file of the articles of"), "{said}");
    }
    // What was appended costs no article.
    std::fs::write(&file, [&whole[..], b"x"].concat()).unwrap();
    place.run(["repair"]).good();
    assert_eq!(place.json(["articles"]), articles);
    let mut kept =
        std::fs::read_dir(place.path("data/articles")).unwrap().map(|file| file.unwrap());
    assert!(kept.any(|file| file.file_name().to_string_lossy().contains(".damaged-")));
    // What takes its place is another month, and no reason to forget the first.
    std::fs::rename(&month, &aside).unwrap();
    std::fs::create_dir(&month).unwrap();
    std::fs::write(month.join("note"), "").unwrap();
    assert!(lost(), "a file is there, and no articles");
    std::fs::remove_dir_all(&month).unwrap();
    assert!(lost());
    std::fs::create_dir(&month).unwrap();
    std::fs::write(month.join("note"), "").unwrap();
    assert!(lost(), "the article that was there is not");
    std::fs::remove_dir_all(&month).unwrap();
    place.run(["repair"]).good();
    assert!(!lost());
    place.run(["verify"]).good();
}

#[test]
fn an_outlet_is_paused_blocked_and_forgotten_beside_the_daemon() {
    let web = Web::start();
    let place = crawled(&web);
    let articles = place.json(["articles"]);
    let outlet = articles[0]["outlet"].as_str().unwrap().to_owned();
    let daemon = Daemon::start(&place);
    place.run(["repair"]).one_sentence(&["a daemon is running"]);
    let why = || place.run(["status", "--why", &outlet]).good();
    place.run(["outlets", "pause", &outlet, "--for", "2h"]).good();
    assert!(why().contains("Paused by the operator until "), "{}", why());
    place.run(["outlets", "delay", &outlet, "7s"]).good();
    assert!(why().contains("fixed the delay at 7s"), "{}", why());
    place.run(["outlets", "resume", &outlet]).good();
    place.run(["outlets", "block", &outlet]).good();
    let said = why();
    assert!(!said.contains("Paused by the operator until"), "{said}");
    assert!(
        said.contains("Blocked by the operator") && said.contains("may be requested"),
        "{said}"
    );
    place.run(["outlets", "pause", "nobody.test"]).one_sentence(&["no outlet is named"]);
    place.run(["forget", &outlet]).good();
    place.run(["verify"]).good();
    daemon.terminate();
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
    let left = place.json(["articles"]);
    let left = left.as_array().unwrap();
    assert!(!left.is_empty() && left.iter().all(|article| article["outlet"] != outlet));
}

#[test]
fn articles_that_cannot_be_read_are_a_finding() {
    let place = crawled(&Web::start());
    let months = std::fs::read_dir(place.path("data/articles")).unwrap();
    for month in months {
        let rows = month.unwrap().path().join("rows.redb");
        let mut bytes = std::fs::read(&rows).unwrap();
        bytes.iter_mut().skip(4096).for_each(|byte| *byte ^= 0x5a);
        std::fs::write(&rows, bytes).unwrap();
    }
    let said = place.run(["verify"]);
    assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
    let said = place.run(["verify", "--json"]);
    assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
    let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(answer["findings"].to_string().contains("is damaged"), "{answer}");
}

#[test]
fn an_order_is_carried_out_though_nobody_reads_what_it_says() {
    let place = Place::new();
    let list: String = (0..500).map(|n| format!("http://127.0.0.1:1/{n}.xml\n")).collect();
    place.write("list.txt", list);
    let mut seed = place.command(["seed", "list.txt"]).spawn().unwrap();
    drop(seed.stdout.take());
    assert_eq!(seed.wait().unwrap().code(), Some(0));
    assert_eq!(place.json(["feeds"]).as_array().map(Vec::len), Some(500));
}

//! What operators mistype, and what breaks behind their back: nothing is changed or reported as good in silence.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::json;

use crate::process::{Daemon, Place, end};
use crate::server::{Ask, Server, answer};
use crate::web::Web;

/// A place with a store of one feed that nobody answers for.
fn seeded() -> Place {
    let place = Place::new();
    place.write("list.txt", "http://127.0.0.1:1/feed.xml\n");
    place.run(["seed", "list.txt"]).good();
    place
}

#[test]
fn a_list_that_names_no_brand_unwatched_all() {
    let place = Place::new();
    place.write("brands.txt", "Acme\nUmbra\n");
    place.run(["brands", "import", "brands.txt"]).good();
    let set = place.json(["brands"]);
    for text in ["", "# nothing\n", "\n\n"] {
        for file in ["none.txt", "none.toml"] {
            place.write(file, text);
            let words = [file, "no brand is named here", "`brand = []`"];
            place.run(["brands", "import", file]).one_sentence(&words);
        }
    }
    assert_eq!(place.json(["brands"]), set);
    place.write("none.toml", "brand = []\n");
    place.run(["brands", "import", "none.toml"]).good();
    assert_eq!(place.json(["brands"])["brands"], json!([]));
    let log = place.run(["log"]).good();
    assert!(log.contains("watched: none"), "{log}");
}

#[test]
fn what_a_brand_is_no_longer_matched_by_was_dropped_in_silence() {
    let place = seeded();
    let first = ["--alias", "Umbra AG", "--exclude", "Umbra Road", "--require", "steel"];
    place.run([&["brands", "add", "Umbra"], &first[..]].concat()).good();
    let again = ["brands", "add", "Umbra", "--alias", "Umbra SE"];
    let says = "Umbra: no longer matched by Umbra AG; no longer excluded: Umbra Road; no longer all its values of \
                require";
    let dry = place.run([&again[..], &["--dry-run"]].concat()).good();
    assert!(dry.contains(says), "{dry}");
    let dropped = &place.json(again)["dropped"];
    let lost = json!([{ "brand": "Umbra", "aliases": ["Umbra AG"], "exclude": ["Umbra Road"], "keys": ["require"] }]);
    assert_eq!(*dropped, lost);
    assert_eq!(place.json(again)["dropped"], json!([]));
}

/// Two brands counted the same words, and nothing said so.
#[test]
fn a_name_that_counts_for_two_brands_is_told() {
    let place = seeded();
    place.run(["brands", "add", "Zenith"]).good();
    let twin = ["brands", "add", "zenith"];
    let says = "`Zenith` is a name of several brands, and counts for each: Zenith, zenith";
    let dry = place.run([&twin[..], &["--dry-run"]].concat()).good();
    assert!(dry.contains(says), "{dry}");
    let shared = json!([{ "name": "Zenith", "brands": ["Zenith", "zenith"] }]);
    assert_eq!(place.json(twin)["shared"], shared);
    // Who changes another brand is not told again.
    assert_eq!(place.json(["brands", "add", "Umbra"])["shared"], json!([]));
    let list = place.run(["brands"]).good();
    assert!(list.contains(says) && place.json(["brands"])["shared"] == shared, "{list}");
}

#[test]
fn polls_that_brought_nothing_were_told_as_good() {
    // The first outlet calls unchanged what was never sent, the items of the last have no links.
    let server = Server::start(3, |_| {
        |ask: &Ask| match (ask.path, ask.outlet) {
            ("/feed.xml", 0) => answer("304 Not Modified", &[], ""),
            ("/feed.xml", 2) => answer(
                "200 OK",
                &[],
                "<rss version=\"2.0\"><channel><title>F</title><item><title>a</title></item></channel></rss>",
            ),
            ("/feed.xml", _) => answer("500 Broken", &[], ""),
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let place = Place::new();
    let feeds: String = (0..3).map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.write("feeds.txt", feeds);
    place.run(["seed", "feeds.txt"]).good();
    let done = place.run(["run", "--once"]).good();
    assert!(done.starts_with("3 polls (3 failed), 0 new entries"), "{done}");
    let feeds = place.json(["feeds"]).to_string();
    assert!(feeds.contains("HTTP status 304, though the request had no condition"), "{feeds}");
    assert!(feeds.contains("none of its items has a link (1)"), "{feeds}");
    assert_eq!(place.json(["status"])["feeds_failing"], json!(3));
}

#[test]
fn an_export_that_is_not_whole_was_taken_for_a_store() {
    let place = seeded();
    let whole = place.run(["export", "--whole"]).good();
    let lines: Vec<&str> = whole.lines().collect();
    let (last, records) = lines.split_last().unwrap();
    assert_eq!(*last, format!("{{\"end\":{}}}", records.len()));
    let cut = |name: &str, text: String, words: &[&str]| {
        place.feed(["import", "-", "--data-dir", name], &text).one_sentence(words);
        // What came of it answers nothing.
        place.run(["mentions", "--data-dir", name]).one_sentence(&["was cut short", "remove "]);
    };
    let text = |lines: &[&str]| format!("{}\n", lines.join("\n"));
    cut("a", text(records), &["cut off behind line"]);
    cut("b", format!("{whole}{whole}"), &["stands behind the end"]);
    cut(
        "c",
        text(&[&records[..records.len() - 1], &[*last]].concat()),
        &["records that were exported", "are here"],
    );
    // Before anything was taken over nothing is left behind.
    let little = text(&[&records[..1], &[*last]].concat());
    let words = ["records that were exported, 1 are here"];
    place.feed(["import", "-", "--data-dir", "e"], &little).one_sentence(&words);
    assert!(!place.path("e").exists());
    place.feed(["import", "-", "--data-dir", "d"], &whole).good();
    place.run(["verify", "--data-dir", "d"]).good();
}

#[test]
fn an_outlet_that_is_not_there_was_forgotten_and_blocked() {
    let place = seeded();
    let check = |args: &[&str], words: &[&str]| place.run(args).one_sentence(words);
    check(&["forget", "hafenkurir.test"], &["no outlet is named `hafenkurir.test`"]);
    check(&["forget", "51d296108b8f542d085a5903b439d4c"], &["a key has 32 digits, this has 31"]);
    check(&["forget", "zzz"], &["`zzz` is not the name of an outlet", "it has no dot"]);
    for action in ["block", "pause", "resume"] {
        check(&["outlets", action, "zzz"], &["`zzz` is not the name of an outlet", "no dot"]);
    }
    check(&["articles", "--outlet", "nope.test"], &["no outlet is named `nope.test`"]);
    check(&["stories", "--outlet", "nope.test"], &["no outlet is named `nope.test`"]);
    check(&["articles", "--language", "English"], &["`English` is no language"]);
    let log = place.run(["log"]).good();
    assert!(!log.contains("forgotten") && !log.contains("zzz"), "{log}");
    // Before anything of it was seen.
    place.run(["outlets", "block", "hafenkurir.test"]).good();
    place.run(["articles", "--outlet", "www.hafenkurir.test"]).good();
    place.run(["forget", "127.0.0.1:1"]).good();
}

#[test]
fn damage_to_articles_is_a_finding() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let months: Vec<_> = std::fs::read_dir(place.path("data/articles")).unwrap().collect();
    for month in months {
        let rows = month.unwrap().path().join("rows.redb");
        let mut bytes = std::fs::read(&rows).unwrap();
        bytes.iter_mut().skip(4096).for_each(|byte| *byte ^= 0x55);
        std::fs::write(&rows, bytes).unwrap();
    }
    let found = |what: &str| {
        let ended = place.run(["verify"]);
        assert_eq!(ended.code, Some(3), "{what}: {}{}", ended.out, ended.err);
        let answer = place.json(["verify"]);
        assert!(!answer["findings"].as_array().unwrap().is_empty(), "{what}: {answer}");
    };
    found("flipped bytes");
    std::fs::remove_dir_all(place.path("data/articles")).unwrap();
    found("no articles");
}

#[test]
fn a_reader_that_leaves_early_ended_an_order_half_done() {
    let place = Place::new();
    let feeds: String = (0..400).map(|n| format!("http://127.0.0.1:1/{n}.xml\n")).collect();
    place.write("list.txt", feeds + "mailto:x@y.test\n");
    let mut child = place.command(["seed", "list.txt"]).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("added"), "{line}");
    // One line of the list is wrong.
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(place.json(["feeds"]).as_array().unwrap().len(), 400);
}

#[test]
fn a_digest_of_days_to_come_was_one_of_yesterday() {
    let place = seeded();
    place.run(["digest", "--from", "2999-01-01"]).one_sentence(&["2999-01-01", "is after", "--to"]);
}

#[test]
fn days_have_no_time_and_no_zone() {
    let place = seeded();
    for day in ["2026-11-14T10:00+05:00", "2026-11-14T10:00", "20261114"] {
        let ended = place.run(["mentions", "--from", day]);
        assert_eq!(ended.code, Some(2), "{day}: {}", ended.out);
        assert!(ended.err.contains("days are written 2026-11-20"), "{}", ended.err);
    }
}

#[test]
fn the_doctor_finds_a_zone_that_is_not_the_stores() {
    let mut place = seeded();
    place.set("timezone=Europe/Berlin");
    let ended = end(place.command(["doctor"]).spawn().unwrap());
    assert!(ended.out.contains("the store counts days in `UTC`"), "{}", ended.out);
    assert!(ended.out.contains("1 feed, 1 followed, 0 polled so far"), "{}", ended.out);
    place.run(["run", "--once"]).one_sentence(&["the store counts days in `UTC`"]);
}

#[test]
fn an_error_names_the_thing_and_what_to_do() {
    let mut place = seeded();
    place.write("zone.toml", "# ours\ntimezone = \"Mars/Olympus\"\n");
    place.write("file", "");
    place.write("whole.jsonl", "no JSON\n");
    let check = |args: &[&str], words: &[&str]| place.run(args).one_sentence(words);
    check(&["status", "--set", "data_dir="], &["`data_dir` is empty"]);
    check(&["status", "--data-dir", "file"], &["the data directory file"]);
    check(&["seed", "list.txt", "--data-dir", "file"], &["data directory file", "is a file"]);
    check(&["brands", "add", ""], &["the name of the brand is empty"]);
    check(&["status", "--set", "pace=2s"], &["`pace` is a section", "such as `pace."]);
    check(&["check", "url", "foo"], &["`foo`", "whole URL"]);
    check(&["status", "--config", "zone.toml"], &["zone.toml:2", "Mars/Olympus"]);
    check(&["import", "whole.jsonl", "--data-dir", "new"], &["line 1 cannot be read"]);
    check(&["mentions", "--data-dir", "new"], &["there is no store at new"]);
    std::fs::create_dir(place.path("empty")).unwrap();
    check(&["mentions", "--data-dir", "empty"], &["there is no store at empty"]);
    // The last of the settings holds: only opened addresses are asked without a contact.
    place.set("guard.allow=[]");
    let url = "https://a.test/x";
    for args in [&["check", "robots", url][..], &["discover", url], &["extract", url]] {
        let ended = place.run(args);
        let said = ended.err.clone();
        assert!(said.contains("refused: no contact; set contact ="), "{args:?}: {said}");
        assert_eq!(said.matches(url).count(), 1, "{said}");
    }
}

#[test]
fn forms_are_printed_as_json_where_json_is_asked_for() {
    let place = Place::new();
    place.write("brands.txt", "Acme\n");
    let forms = place.json(["brands", "test", "--forms", "--brands", "brands.txt"]);
    assert_eq!(forms[0]["brand"], "Acme", "{forms}");
    assert!(forms[0]["forms"].is_array(), "{forms}");
}

/// Thirteen names that counted as eleven, and one in a call to follow somebody, were "14 mentions".
#[test]
fn a_text_is_tested_as_the_store_counts_it() {
    let place = Place::new();
    place.write("brands.txt", "Acme\nWhatsApp\n");
    let text = format!("Follow us on WhatsApp\n{}", "Acme grows. ".repeat(13));
    let said = place.run(["brands", "test", "--brands", "brands.txt", &text]).good();
    assert!(said.contains("14 mentions: 11 counted, 3 suppressed"), "{said}");
    for words in ["clutter", "stuffed", "body"] {
        assert!(said.contains(words), "{said}");
    }
    let line = said.lines().find(|line| line.contains("0..4")).unwrap();
    assert!(line.trim_start().starts_with('2') && line.contains("yes"), "{said}");
    let none = place.run(["brands", "test", "--brands", "brands.txt", "Nothing."]).good();
    assert_eq!(none.trim(), "0 mentions: 0 counted, 0 suppressed");
}

#[test]
fn a_daemon_says_the_same() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let daemon = Daemon::start(&place);
    place.run(["forget", "nope.test"]).one_sentence(&["no outlet is named `nope.test`"]);
    place.run(["stories", "--outlet", "nope.test"]).one_sentence(&["no outlet is named"]);
    drop(daemon);
}

#[test]
fn a_full_disk_is_told_with_the_file_and_with_what_to_do() {
    let place = seeded();
    place.write("brands.txt", "Acme\n");
    place.run(["brands", "import", "brands.txt"]).good();
    let words = ["cannot write /dev/full: No space left on device; make room there"];
    place.run(["export", "--whole", "-o", "/dev/full"]).one_sentence(&words);
    place.run(["report", "--brand", "Acme", "-o", "/dev/full"]).one_sentence(&words);
    let words = ["cannot read the brand list none.toml: No such file or directory"];
    let ended = place.run(["brands", "import", "none.toml"]);
    assert!(!ended.err.contains("os error"), "{}", ended.err);
    ended.one_sentence(&words);
}

#[test]
fn a_report_is_a_page_or_a_pdf() {
    let place = Place::new();
    let words = ["a report is HTML, PDF or", "not report.docx"];
    place.run(["report", "--brand", "Acme", "-o", "report.docx"]).one_sentence(&words);
    let words = ["with `--json`, JSON", "not report.html"];
    place.run(["report", "--json", "--brand", "Acme", "-o", "report.html"]).one_sentence(&words);
}

/// They ended with 1, or were taken as they were.
#[test]
fn arguments_that_make_no_sense_are_wrong_usage() {
    let place = Place::new();
    for (args, word) in [
        (
            &["notes", "list", "--from", "2026-02-01", "--to", "2026-01-01"][..],
            "is after --to 2026-01-01",
        ),
        (&["brands", "add", "X", "--case", "foo"], "use smart, exact or any"),
        (&["brands", "test", "x", "--language", "German"], "`German`"),
        (&["outlets", "delay", "a.test", "5q"], "5q"),
        (&["export", "--csv", "--json"], "another form"),
        (&["export", "--schema", "-o", "schema.csv"], "--output"),
        (&["search", "x", "--limit", "0"], "--limit"),
    ] {
        let ended = place.run(args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        assert!(ended.err.contains(word), "{}", ended.err);
    }
    // Blanks that were pasted with a name are no part of it.
    place.run(["brands", "add", " Acme "]).good();
    assert_eq!(place.json(["brands"])["brands"][0]["name"], "Acme");
    // A report of no days was written.
    let report = ["report", "--brand", "Acme", "--from", "2999-01-01", "-o", "r.html"];
    place.run(report).one_sentence(&["2999-01-01, is after the last"]);
}

#[test]
fn options_that_nobody_reads_were_passed_over() {
    let place = Place::new();
    for (args, word) in [
        (&["mentions", "--set", "nokey"][..], "write key=value"),
        (&["alerts", "add", "x", "--when", "headline"], "needs a brand or a query"),
        (
            &["alerts", "add", "x", "--when", "coverage 90", "--brand", "Acme"],
            "leave the brand out",
        ),
        (&["eval", "corpus", "--labeler", "svm"], "--folds N"),
        (&["eval", "corpus", "--profile", "leaf2009", "--sigma", "3"], "--folds N"),
        (&["eval", "corpus", "--texts", "F", "--labeler", "svm"], "--folds N"),
        (
            &["eval", "corpus", "--folds", "2", "--labeler", "svm", "--sigma", "3"],
            "does not read --sigma",
        ),
        (&["eval", "corpus", "--folds", "1"], "--folds"),
        (&["eval", "corpus", "--page-classifier", "--csv", "F"], "--csv"),
        (&["eval", "corpus", "--page-classifier", "--save-texts", "F"], "--save-texts"),
        (&["eval", "corpus", "--page-classifier", "--format", "svg"], "--format"),
        (&["eval", "corpus", "--agencies", "F", "--worst", "3"], "--worst"),
        (&["eval", "corpus", "--senses", "D", "--brands", "F"], "--brands"),
        (&["eval", "corpus", "--occurrences", "N", "--page-classifier"], "--page-classifier"),
        (&["eval", "corpus", "--occurrences", "N", "--seed", "3"], "--seed"),
        (&["eval", "corpus", "--worst", "3", "--json"], "--worst"),
        (&["train", "corpus", "-o", "m", "--sigma", "0"], "above 0"),
        (&["train", "corpus", "-o", "m", "--sigma", "nan"], "above 0"),
        (&["train", "corpus", "-o", "m", "--sigma=-1"], "above 0"),
        (&["train", "corpus", "-o", "m", "--inertia", "nan"], "0 or more"),
        (&["train", "corpus", "-o", "m", "--particles", "0"], "--particles"),
        (
            &["train", "corpus", "-o", "m", "--labeler", "trees", "--particles", "9"],
            "does not read --particles",
        ),
        (
            &["train", "corpus", "-o", "m", "--page-classifier", "--labels", "title"],
            "does not read --labels",
        ),
        (
            &["train", "corpus", "-o", "m", "--page-classifier", "--annotations", "d"],
            "--annotations",
        ),
        (
            &["train", "corpus", "--study", "d", "--study-articles", "9"],
            "does not read --study-articles",
        ),
    ] {
        let ended = place.run(args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(word), "{args:?}: {}", ended.err);
        assert!(!place.path("m").exists() && !place.path("d").exists());
    }
}

#[test]
fn hours_of_training_ended_with_a_file_that_could_not_be_written() {
    let place = Place::new();
    // It is said before anything is read.
    for args in [
        &["train", "nowhere", "-o", "none/x"][..],
        &["train", "nowhere", "-o", "none/x", "--page-classifier"],
        &["eval", "nowhere", "--csv", "none/x"],
        &["eval", "nowhere", "--save-texts", "none/x"],
    ] {
        place.run(args).one_sentence(&["cannot write none/x"]);
    }
    place.write("file", "");
    place.run(["train", "nowhere", "--study", "file/x"]).one_sentence(&["cannot create file/x"]);
    // What has failed leaves nothing.
    place.run(["train", "nowhere", "-o", "x"]).one_sentence(&["nowhere"]);
    place.run(["eval", "nowhere", "--csv", "x"]).one_sentence(&["nowhere"]);
    assert_eq!(std::fs::read_dir(place.dir.path()).unwrap().count(), 1);
}

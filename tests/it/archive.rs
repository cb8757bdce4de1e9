//! The archive from outside: pages of a crawl are kept as WARC files that a common tool reads, and
//! read again with another model.

use std::process::Command;

use crate::process::Place;
use crate::web::Web;

/// A crawl of the whole web that keeps its pages.
fn archived(web: &Web) -> Place {
    let mut place = Place::seeded(web);
    place.set("archive.dir=archive");
    place.run(["run", "--once"]).good();
    place
}

fn warc_files(place: &Place) -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(place.path("archive")).unwrap();
    let files: Vec<_> = files.map(|f| f.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in &files {
        assert!(file.to_str().unwrap().ends_with(".warc.gz"), "left open: {}", file.display());
    }
    files
}

#[test]
fn a_common_tool_reads_the_archive() {
    let there = Command::new("python3").args(["-c", "import warcio"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("NOT TESTED: the Python package warcio is not installed");
        return;
    }
    let web = Web::start();
    let place = archived(&web);
    let script = "
import sys
from warcio.archiveiterator import ArchiveIterator
kinds, pages = {}, 0
for name in sys.argv[1:]:
    with open(name, 'rb') as stream:
        for record in ArchiveIterator(stream, check_digests='raise'):
            kinds[record.rec_type] = kinds.get(record.rec_type, 0) + 1
            body = record.content_stream().read()
            if record.rec_type == 'response' and record.http_headers.get_statuscode() == '200':
                assert b'</html>' in body or b'<p>' in body, body[:80]
                pages += 1
print(pages, kinds['request'] == kinds['response'] == kinds['metadata'], kinds['warcinfo'] > 0)
";
    let read =
        Command::new("python3").args(["-c", script]).args(warc_files(&place)).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&read.stdout), String::from_utf8_lossy(&read.stderr));
    assert!(read.status.success(), "{out}{err}");
    let articles = place.json(["status"])["outcomes"]["article"].as_u64().unwrap();
    assert_eq!(out.trim(), format!("{articles} True True"));
}

#[test]
fn replay_shows_what_another_model_would_change_and_writes_it_elsewhere() {
    let web = Web::start();
    let place = archived(&web);
    warc_files(&place);
    let articles = place.json(["status"])["outcomes"]["article"].as_u64().unwrap();

    // The same model on the same bytes: the same articles.
    let same = place.json(["replay"]);
    assert_eq!(same["same"].as_u64(), Some(articles), "{same}");
    assert_eq!(same["changed"], 0);
    assert!(same["changes"].as_array().unwrap().is_empty(), "{same}");

    // A model that takes all text for the article counts the furniture's brand, too.
    let pr = crawler::extract::Model::pr().bytes();
    place.write("pr.model", pr);
    let before = place.json(["mentions"]);
    let other = place.json(["replay", "--model", "pr.model"]);
    let furniture = |answer: &serde_json::Value| {
        let lines = answer["changes"].as_array().unwrap().clone();
        lines.into_iter().filter(|line| line["brand"] == "Umbra").count()
    };
    assert!(furniture(&other) > 0, "{other}");
    assert_eq!(place.json(["mentions"]), before, "nothing was switched");

    place.run(["replay", "--model", "pr.model", "--into", "other"]).good();
    assert_eq!(place.json(["mentions"])["lines"], before["lines"], "the store stays as it is");
    place.run(["verify", "--data-dir", "other"]).good();
    let now = place.json(["mentions", "--data-dir", "other", "--brand", "Umbra"]);
    for change in other["changes"].as_array().unwrap() {
        if change["brand"] == "Umbra" {
            let lines = now["lines"].as_array().unwrap();
            let line = lines.iter().find(|l| l["bucket"] == change["day"]).unwrap();
            assert_eq!(line["mentions"], change["mentions"][1], "{change}");
        }
    }
    place.run(["replay", "nowhere"]).one_sentence(&["nowhere"]);
}

#[test]
fn replay_without_a_daemon_reads_with_the_deployed_model() {
    let web = Web::start();
    let place = archived(&web);
    let deployed = crawler::extract::Model::by_hand();
    place.write("by-hand.model", deployed.bytes());
    place.run(["model", "deploy", "by-hand.model"]).good();
    assert_eq!(place.json(["replay"])["model"], deployed.id());
    let other = crawler::extract::Model::pr();
    place.write("pr.model", other.bytes());
    assert_eq!(place.json(["replay", "--model", "pr.model"])["model"], other.id());
}

/// A record as in the archive, not packed.
fn frame(fields: &[(String, String)], block: &[u8]) -> Vec<u8> {
    let mut out = String::from("WARC/1.1\r\n");
    for (name, value) in fields.iter().filter(|field| field.0 != "Content-Length") {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str(&format!("Content-Length: {}\r\n\r\n", block.len()));
    [out.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// The answers that a crawl has kept.
fn answers(place: &Place) -> Vec<crawler::archive::Record> {
    let mut all = Vec::new();
    for path in warc_files(place) {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        all.extend(crawler::archive::records(file, 1 << 24).unwrap().map(Result::unwrap));
    }
    all.retain(|record| record.kind == "response");
    all
}

/// One flipped bit was read as a page, and written by `--into`.
#[test]
fn replay_leaves_out_what_is_damaged_and_says_so() {
    let web = Web::start();
    let place = archived(&web);
    let articles = place.json(["status"])["outcomes"]["article"].as_u64().unwrap();
    let (mut bytes, mut spoiled) = (Vec::new(), None);
    for mut record in answers(&place) {
        let at = record.block.windows(3).position(|w| w == b"<p>");
        if let (None, Some(at)) = (&spoiled, at) {
            record.block[at + 3] ^= 1;
            spoiled = record.uri.clone();
        }
        bytes.extend(frame(&record.fields, &record.block));
    }
    let spoiled = spoiled.unwrap();
    place.write("one.warc", &bytes);
    let ended = place.run(["replay", "one.warc"]);
    assert_eq!(ended.code, Some(3), "{}", ended.out);
    assert!(ended.out.contains("damaged") && ended.out.contains(&spoiled), "{}", ended.out);
    assert!(
        ended.out.contains(&format!("{} articles the same, 0 changed", articles - 1)),
        "{}",
        ended.out
    );
    place.write("cut.warc", &bytes[..bytes.len() - 9]);
    let ended = place.run(["replay", "cut.warc", "--json"]);
    assert_eq!(ended.code, Some(3), "{}", ended.out);
    assert!(ended.out.contains("not read to the end"), "{}", ended.out);
    let ended = place.run(["replay", "one.warc", "--into", "other"]);
    assert_eq!(ended.code, Some(3), "{}", ended.out);
    place.run(["verify", "--data-dir", "other"]).good();
}

/// All pages behind one damaged member of a file were lost.
#[test]
fn replay_goes_on_behind_a_damaged_member() {
    let web = Web::start();
    let place = archived(&web);
    let articles = place.json(["status"])["outcomes"]["article"].as_u64().unwrap();
    let [file] = &warc_files(&place)[..] else { panic!("one file") };
    let mut bytes = std::fs::read(file).unwrap();
    // A checksum in the first half of the file: eight bytes before the next member.
    let magic = [0x1f, 0x8b, 8, 0];
    let half = bytes.len() / 2;
    let begins = (1..half).rev().find(|at| bytes[*at..].starts_with(&magic)).unwrap();
    bytes[begins - 8] ^= 1;
    place.write("damaged.warc.gz", &bytes);
    let ended = place.run(["replay", "damaged.warc.gz"]);
    assert_eq!(ended.code, Some(3), "{}", ended.out);
    assert!(ended.out.contains("damaged") && !ended.out.contains("to the end"), "{}", ended.out);
    let all = [articles, articles - 1];
    let read = |n: &u64| ended.out.contains(&format!("{n} articles the same, 0 changed"));
    assert!(all.iter().any(read), "{articles}: {}", ended.out);
}

/// The first answer was taken, whatever the article was made of: its page may have said "not found" before.
#[test]
fn replay_reads_the_answer_that_an_article_was_made_of() {
    let web = Web::start();
    let place = archived(&web);
    let articles = place.json(["status"])["outcomes"]["article"].as_u64().unwrap();
    let mut bytes = Vec::new();
    for record in answers(&place) {
        let dated = |date: &str| -> Vec<(String, String)> {
            let of_block = |name: &str| name.starts_with("WARC-") && name.ends_with("-Digest");
            let mut fields = record.fields.clone();
            fields.retain(|(name, _)| !of_block(name) && name != "WARC-Date");
            fields.push(("WARC-Date".into(), date.into()));
            fields
        };
        let other = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Page not found</h1>";
        bytes.extend(frame(&dated("2001-01-01T00:00:00Z"), other));
        bytes.extend(frame(&dated("2101-01-01T00:00:00Z"), other));
        bytes.extend(frame(&record.fields, &record.block));
        bytes.extend(frame(&dated("2001-01-02T00:00:00Z"), other));
    }
    place.write("several.warc", &bytes);
    let found = place.json(["replay", "several.warc"]);
    assert_eq!((&found["same"], &found["lost"]), (&articles.into(), &0.into()), "{found}");
}

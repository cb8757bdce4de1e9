//! The command line without a daemon: mistakes end in one sentence and a non-zero exit; `extract`
//! and `check` answer line by line, in order.

use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::process::{Daemon, Place, free_port, wait_for};
use crate::web::Web;

#[test]
fn a_mistake_is_one_sentence_and_no_success() {
    let place = Place::new();
    place.write("brands.toml", "[[brand]]\nname = \"Acme\"\nalias = [\"A\"]\n");
    place.write("list.txt", "http://127.0.0.1:1/feed.xml\n");
    place.run(["seed", "list.txt"]).good();
    let check = |args: &[&str], words: &[&str]| place.run(args).one_sentence(words);
    check(&["mentions", "--set", "pace.dealy=2s"], &["configuration", "dealy"]);
    check(&["seed", "nowhere.txt"], &["cannot read the feed list nowhere.txt"]);
    check(&["seed", "."], &["cannot read ."]);
    check(&["brands", "import", "brands.toml"], &["brands.toml", "alias"]);
    check(&["brands", "import", "nowhere.toml"], &["cannot read the brand list nowhere.toml"]);
    check(&["mentions", "--brand", "Nobody"], &["Nobody"]);
    check(&["model", "verify", "nowhere.model"], &["cannot read the model nowhere.model"]);
    check(&["extract"], &["nothing to extract"]);
    check(&["mentions", "--data-dir", "empty"], &["no store at empty", "crawler seed"]);
    place.write("file", "");
    check(
        &["mentions", "--data-dir", "file/data"],
        &["cannot read the data directory file/data", "--data-dir"],
    );
    check(&["run", "--once", "--data-dir", "empty"], &["no feeds in empty", "crawler seed"]);
    check(&["mentions", "--set", "timezone=Mars/Base"], &["unknown time zone `Mars/Base`"]);
    check(&["restore", "nowhere"], &["nowhere"]);
    check(&["digest", "--from", "2999-01-01"], &["2999-01-01, is after the last"]);
    check(&["export", "--data-dir", "none", "-o", "list.txt"], &["no store at none"]);
    assert!(std::fs::read_to_string(place.path("list.txt")).unwrap().contains("feed.xml"));
    check(&["run", "--once", "--set", "brands=nowhere.toml"], &["brand list nowhere.toml"]);
    check(&["run", "--once", "--set", "workers=0"], &["`workers`"]);
}

#[test]
fn a_slip_in_a_brand_list_is_never_watched() {
    let place = Place::new();
    place.write("brands.txt", "Acme\nUmbra\n");
    place.run(["brands", "import", "brands.txt"]).good();
    let set = place.json(["brands"]);
    for (file, text, words) in [
        ("slip.toml", "[[brnad]]\nname = \"Acme\"\n", ["slip.toml: line 1", "brnad"]),
        ("slip.txt", "[[brnad]]\nname = \"Acme\"\n", ["slip.txt: line 1", "brnad"]),
        ("slip.txt", "# ours\nx = 1\n", ["slip.txt: line 2", "unknown field `x`"]),
        ("slip.txt", "brands = [\"Acme\"]\n", ["slip.txt: line 1", "unknown field `brands`"]),
        ("slip.toml", "Acme\n", ["slip.toml: line 1", "expected"]),
        ("slip.txt", "# ours\n\n", ["slip.txt: no brand is named", "brand = []"]),
        ("slip.toml", "[[brand]]\nname = \"\"\n", ["slip.toml: brand number 1", "has no name"]),
    ] {
        place.write(file, text);
        place.run(["brands", "import", file]).one_sentence(&words);
    }
    assert_eq!(place.json(["brands"]), set);
}

#[test]
fn a_run_counts_what_is_new_and_what_became_an_article() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let first = place.run(["run", "--once"]).good();
    let status = place.json(["status"]);
    let (entries, articles) = (&status["entries"], &status["outcomes"]["article"]);
    assert!(first.contains(&format!(" {entries} new entries, {articles} articles (")), "{first}");
    let again = place.run(["run", "--once"]).good();
    assert!(again.contains(" 0 new entries, 0 articles (0 copies), "), "{again}");
}

#[test]
fn a_disk_that_is_nearly_full_is_trouble() {
    let mut place = Place::new();
    place.write("list.txt", "http://127.0.0.1:1/feed.xml\n");
    place.run(["seed", "list.txt"]).good();
    let trouble = |place: &Place| place.json(["status"])["trouble"].to_string();
    assert!(!trouble(&place).contains("disk"));
    place.set("store.min_free_mib=900000000");
    assert!(trouble(&place).contains("the disk is nearly full"), "{}", trouble(&place));
    assert_eq!(place.run(["status"]).code, Some(3));
    place.set(&format!("listen=\"127.0.0.1:{}\"", free_port()));
    let at = place.settings.last().unwrap().split('"').nth(1).unwrap().to_owned();
    let _daemon = Daemon::start(&place);
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(&at).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    wait_for("the server", || std::net::TcpStream::connect(&at).is_ok());
    let ready = get("/readyz");
    assert!(ready.contains(" 503 ") && ready.contains("the disk is nearly full"), "{ready}");
    let metrics = get("/metrics");
    let missing = metrics.lines().find_map(|l| l.strip_prefix("crawler_disk_missing_bytes "));
    assert!(missing.is_some_and(|bytes| bytes.parse::<f64>().unwrap() > 0.0), "{metrics}");
}

#[test]
fn a_mistake_in_a_file_names_line_and_key() {
    let place = Place::new();
    place.write("bad.toml", "drain = 4\nwrokers = 3\n");
    place
        .run(["mentions", "--config", "bad.toml"])
        .one_sentence(&["bad.toml:2: unknown key `wrokers`", "is `workers` meant?"]);
}

#[test]
fn an_unreadable_argument_is_wrong_usage() {
    let place = Place::new();
    for (args, word) in [
        (&["mentions", "--from", "yesterday"][..], "yesterday"),
        (&["mentions", "--by", "moon"], "moon"),
        (&["show", "xyz"], "xyz"),
        (&["frobnicate"], "frobnicate"),
        (&["mentions", "--from", "2026-02-01", "--to", "2026-01-01"], "is after --to 2026-01-01"),
        (&["articles", "--from", "2026-02-01", "--to", "2026-01-01"], "is after --to 2026-01-01"),
        (&["export", "--from", "2026-02-01", "--to", "2026-01-01"], "is after --to 2026-01-01"),
        (&["outlets", "--from", "2026-02-01", "--to", "2026-01-01"], "is after --to 2026-01-01"),
        (&["check", "robots"], "name a URL, or a robots file and a URL"),
        (&["check", "robots", "robots.txt"], "name a URL, or a robots file and a URL"),
        (&["check", "url", "--jsonl", "http://a.test/"], "--jsonl"),
        (&["extract"], "nothing to extract"),
        (&["replay"], "nothing to replay"),
        (&["run", "--once", "--role", "serve"], "leave one out"),
    ] {
        let ended = place.run(args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        assert!(ended.err.contains(word), "{}", ended.err);
    }
}

#[test]
fn what_is_no_archive_is_not_replayed() {
    let place = Place::new();
    place.write("list.txt", "http://127.0.0.1:1/feed.xml\n");
    place.run(["seed", "list.txt"]).good();
    place.write("bin.txt", b"\x00\x01\x02 no WARC at all\n");
    place.write("empty.warc", b"");
    std::fs::create_dir(place.path("pages")).unwrap();
    for (name, says) in [
        ("bin.txt", "not a WARC record"),
        ("empty.warc", "no archived page can be read"),
        ("pages", "no archive in"),
    ] {
        let ended = place.run(["replay", name]);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        ended.one_sentence(&[says]);
    }
}

#[test]
fn a_store_of_a_newer_crawler_is_refused() {
    let place = Place::new();
    let newer = crawler::store::FORMAT + 1;
    // The format is the one record that every version can read: four bytes under `F`.
    let db = sled::open(place.path("data/main")).unwrap();
    db.insert(b"F", newer.to_be_bytes().to_vec()).unwrap();
    db.flush().unwrap();
    drop(db);
    let sentence = [&format!("has format {newer}")[..], "install a newer crawler"];
    place.run(["mentions"]).one_sentence(&sentence);
    place.run(["run", "--once"]).one_sentence(&sentence);
}

#[test]
fn a_damaged_model_is_refused() {
    let place = Place::new();
    let mut bytes = crawler::extract::Model::by_hand().bytes();
    place.write("good.model", &bytes);
    *bytes.last_mut().unwrap() ^= 1;
    place.write("bad.model", &bytes);
    place.write("page.html", "<p>Nothing.</p>");
    assert!(place.run(["model", "verify", "good.model"]).good().contains("checksum good"));
    let sentence = ["bad.model", "checksum does not match"];
    place.run(["model", "verify", "bad.model"]).one_sentence(&sentence);
    place.run(["extract", "page.html", "--model", "bad.model"]).one_sentence(&sentence);
    place.write("list.txt", "http://127.0.0.1:1/feed.xml\n");
    place.run(["seed", "list.txt"]).good();
    place.run(["run", "--once", "--set", "model=bad.model"]).one_sentence(&sentence);
}

#[test]
fn seeding_answers_every_line_and_twice_is_once() {
    let place = Place::new();
    place.write("list.txt", "# Group\nhttp://127.0.0.1:1/a.xml\n\nmailto:x@y.test\n");
    let first = place.run(["seed", "list.txt"]);
    assert_eq!(first.code, Some(3), "{}", first.err);
    assert!(first.out.contains("1 added"), "{}", first.out);
    assert!(first.err.starts_with("list.txt:4: error: `mailto:x@y.test`"), "{}", first.err);
    let again = place.run(["seed", "list.txt"]);
    assert!(again.out.contains("0 added, 1 already known"), "{}", again.out);
    place.write("good.txt", "http://127.0.0.1:1/a.xml\n");
    place.run(["seed", "good.txt"]).good();
}

#[test]
fn a_list_that_is_none_or_is_cut_short_is_said_so() {
    let place = Place::new();
    place.write("none.opml", "<opml><body><outline text='Press'/></body></opml>");
    place.write("cut.opml", "<opml><body>\n<outline xmlUrl='http://127.0.0.1:1/b.xml'/>\n<outl");
    place.write("cut-early.opml", "<opml><body>\n<outl");
    place.write("bin.txt", b"\x07\xff\x00\x01");
    place.write("comment.txt", "# nothing\n");
    for (file, code, says) in [
        ("none.opml", 1, "none.opml: error: no feed is named here"),
        ("comment.txt", 1, "comment.txt: error: no feed is named here"),
        ("cut.opml", 3, "cut.opml:3: error: the document ends before </opml>"),
        ("cut-early.opml", 1, "cut-early.opml:2: error: the document ends before </opml>"),
        ("bin.txt", 1, "bin.txt:1: error: `"),
    ] {
        let ended = place.run(["seed", file]);
        assert_eq!(ended.code, Some(code), "{file}: {}{}", ended.out, ended.err);
        assert!(ended.err.starts_with(says), "{}", ended.err);
    }
}

/// A page whose text is known.
fn page(title: &str) -> String {
    let prose = "The council met on Monday and it was the first time that all of its members were \
                 there. They had come to talk about the harbour, which is old, and about the money \
                 that a new one would cost the city. ";
    let paragraphs: String = (0..5).map(|_| format!("<p>{prose}</p>")).collect();
    format!(
        "<!DOCTYPE html><html lang=en><head><title>{title}</title></head><body><article>\
         <h1>{title}</h1>{paragraphs}</article></body></html>"
    )
}

#[test]
fn extract_answers_in_order_also_for_what_is_not_there() {
    let place = Place::new();
    place.write("a.html", page("Harbour talks"));
    let file = std::fs::File::create(place.path("b.html.gz")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    gz.write_all(page("Second reading").as_bytes()).unwrap();
    gz.finish().unwrap();
    place.write("broken.html.gz", b"\x1f\x8b\x08\x00 not gzip at all");
    place.write("more.txt", "b.html.gz\nbroken.html.gz\n\na.html\n");
    for jobs in ["1", "3"] {
        let args =
            ["extract", "--jsonl", "--jobs", jobs, "--list", "more.txt", "a.html", "no.html"];
        let ended = place.run(args);
        assert_eq!(ended.code, Some(3), "{}", ended.err);
        let lines: Vec<Value> =
            ended.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let paths: Vec<&str> = lines.iter().map(|l| l["path"].as_str().unwrap()).collect();
        assert_eq!(paths, ["a.html", "no.html", "b.html.gz", "broken.html.gz", "a.html"]);
        for (line, title) in [(0, "Harbour talks"), (2, "Second reading"), (4, "Harbour talks")] {
            assert_eq!(lines[line]["title"], title);
            assert!(lines[line]["text"].as_str().unwrap().contains("The council met on Monday"));
            assert!(lines[line].get("error").is_none());
            assert!(lines[line]["seconds"].as_f64().unwrap() > 0.0);
            assert_eq!(lines[line]["language"], "en");
        }
        for line in [1, 3] {
            assert!(!lines[line]["error"].as_str().unwrap().is_empty());
            assert!(lines[line].get("text").is_none());
        }
    }
}

#[test]
fn extract_for_people_names_the_page_that_fails() {
    let place = Place::new();
    place.write("a.html", page("Harbour talks"));
    let ended = place.run(["extract", "no.html", "a.html"]);
    assert_eq!(ended.code, Some(3));
    assert!(ended.err.starts_with("crawler: no.html: "), "{}", ended.err);
    assert!(ended.out.contains("Harbour talks"), "{}", ended.out);
    place.run(["extract", "--jsonl", "--list", "no.txt"]).one_sentence(&["the list no.txt"]);
}

/// Feeds requests to `check TOPIC --jsonl` and compares the named fields of the answers.
fn check(topic: &str, rows: &[(Value, Value)]) {
    let place = Place::new();
    place.write(
        "feed.xml",
        "<rss version=\"2.0\"><channel><title>News</title><item><title>One</title>\
         <link>https://a.test/1</link><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>\
         </channel></rss>",
    );
    let mut input = String::new();
    for (n, (request, _)) in rows.iter().enumerate() {
        let mut request = request.clone();
        request["id"] = json!(n);
        input += &format!("{request}\n");
    }
    input += "not json\n{\"id\": \"kept\", \"url\": 7, \"bytes_b64\": 7}\n";
    let out = place.feed(["check", topic, "--jsonl"], &input).good();
    let answers: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(answers.len(), rows.len() + 2, "{out}");
    assert!(answers[rows.len()]["error"].is_string());
    let mistyped = &answers[rows.len() + 1];
    assert!(mistyped["id"] == "kept" && mistyped["error"].is_string(), "{mistyped}");
    for (n, (answer, (request, expect))) in answers.iter().zip(rows).enumerate() {
        assert_eq!(answer["id"], n);
        for (name, value) in expect.as_object().unwrap() {
            if value == "…" {
                assert!(answer[name].is_string(), "{request}: no `{name}` in {answer}");
            } else {
                assert_eq!(&answer[name], value, "{request}: `{name}` in {answer}");
            }
        }
    }
}

/// Standard base64, so that requests can be read above.
fn b64(text: &str) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits =
            three.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for sign in 0..4 {
            let at = (bits >> (18 - 6 * sign)) & 63;
            out.push(if sign <= three.len() { SIGNS[at as usize] as char } else { '=' });
        }
    }
    out
}

#[test]
fn check_robots() {
    let robots = b64(
        "User-agent: crawler\nDisallow: /private/\nCrawl-delay: 2\nSitemap: https://a.test/s\n",
    );
    let ask = |path: &str| json!({"robots_b64": robots, "user_agent": "crawler", "url": format!("https://a.test{path}")});
    check(
        "robots",
        &[
            (
                ask("/news"),
                json!({"allowed": true, "crawl_delay": 2.0, "sitemaps": ["https://a.test/s"]}),
            ),
            (
                ask("/private/x"),
                json!({"allowed": false, "rule": "Disallow: /private/", "line": 2}),
            ),
            (json!({"robots_b64": "?", "url": "https://a.test/"}), json!({"error": "…"})),
            (json!({"robots_b64": ""}), json!({"error": "…"})),
        ],
    );
}

#[test]
fn check_feed() {
    let entry = json!([{"url": "https://a.test/1", "title": "One", "published": "2026-11-20T10:00:00+00:00", "id": null}]);
    let homeless = "<rss version=\"2.0\"><channel><title>C</title><item><title>A</title><link>a/1</link></item>\
         <item><title>B</title><link>https://a.test/b</link></item><item><title>C</title>\
         <guid isPermaLink=\"false\">c</guid><enclosure url=\"https://a.test/c.mp3\" length=\"1\" type=\"audio/mpeg\"/>\
         </item></channel></rss>";
    check(
        "feed",
        &[
            (
                json!({"file": "feed.xml"}),
                json!({"format": "rss2", "title": "News", "entries": entry}),
            ),
            (json!({"file": "feed.xml"}), json!({"repaired": []})),
            (
                json!({"bytes_b64": b64(homeless)}),
                json!({"repaired": ["entries without a usable URL (2×)"], "entries": [
                    {"url": "a/1", "title": "A", "published": null, "id": null},
                    {"url": "https://a.test/b", "title": "B", "published": null, "id": null},
                    {"url": null, "title": "C", "published": null, "id": "c"},
                ]}),
            ),
            (
                json!({"bytes_b64": b64("{\"title\": \"Ü\", \"items\": []}"),
                    "content_type": "application/json; charset=iso-8859-1"}),
                json!({"format": "json-feed", "title": "Ü"}),
            ),
            (json!({"file": "no.xml"}), json!({"error": "…"})),
            (json!({"bytes_b64": b64("plain words")}), json!({"error": "…"})),
        ],
    );
}

#[test]
fn check_charset() {
    let declared = b64("<meta charset=windows-1251><p>x");
    check(
        "charset",
        &[
            (json!({"bytes_b64": declared}), json!({"encoding": "windows-1251", "source": "meta"})),
            (
                json!({"bytes_b64": declared, "content_type": "text/html; charset=utf-8"}),
                json!({"encoding": "UTF-8", "source": "header"}),
            ),
            // What the crawl reads it as, in spite of the header.
            (
                json!({"bytes_b64": b64("<p>Grüße für alle"), "content_type": "text/html; charset=iso-8859-1"}),
                json!({"encoding": "UTF-8", "source": "repaired", "why": "UTF-8: the header Content-Type \
                    says windows-1252, which is certainly wrong: the bytes show it"}),
            ),
            (json!({}), json!({"error": "…"})),
        ],
    );
}

#[test]
fn check_url() {
    check(
        "url",
        &[
            (
                json!({"url": "HTTP://News.Example.co.uk:80/a/../b?utm_source=x#top"}),
                json!({
                    "canonical": "https://news.example.co.uk/b",
                    "outlet": "example.co.uk",
                    "pace_key": "example.co.uk",
                    "key": "…",
                }),
            ),
            (
                json!({"url": "b", "base": "https://a.test/x/"}),
                json!({"canonical": "https://a.test/x/b"}),
            ),
            (json!({"url": "mailto:x@y.test"}), json!({"error": "…"})),
        ],
    );
}

#[test]
fn the_filter_gives_back_every_id_it_can_read_as_it_was_written() {
    let place = Place::new();
    std::fs::create_dir(place.path("dir")).unwrap();
    let mut input: Vec<u8> = Vec::new();
    let long = format!("{{\"id\":\"long\",\"x\":\"{}\"}}", "x".repeat(33 << 20));
    let deep = "[".repeat(300) + &"]".repeat(300);
    // Each line with the id that must come back, and whether it is answered.
    let lines: Vec<(Vec<u8>, &str, bool)> = vec![
        (
            b"{\"id\":12345678901234567890123,\"url\":\"http://a.test/\"}".to_vec(),
            "12345678901234567890123",
            true,
        ),
        (b"{\"url\":\"http://a.test/\",\"id\":1e2}".to_vec(), "1e2", true),
        (b"{\"id\":1.10,\"url\":\"http://a.test/\\ud800x\"}".to_vec(), "1.10", true),
        (b"\xef\xbb\xbf{\"id\":1,\"url\":\"http://a.test/\"}".to_vec(), "1", true),
        (format!("{{\"id\":2,\"x\":{deep},\"url\":\"http://a.test/\"}}").into_bytes(), "2", true),
        (b"{\"id\":3,\"url\":\"http://a.test/\xff\"}".to_vec(), "3", false),
        (b"{\"id\":4,\"url\":\"http://a.test/\"} more".to_vec(), "4", false),
        (b"{\"id\":5,\"url\":\"http://a.te".to_vec(), "5", false),
        (b"[\"http://a.test/x\"]".to_vec(), "null", false),
        (b"{\"id\":6,\"url\":7}".to_vec(), "6", false),
        (long.into_bytes(), "\"long\"", false),
    ];
    for (line, ..) in &lines {
        input.extend(line);
        input.extend(b"\n");
    }
    let out = place.pour(["check", "url", "--jsonl"], input).good();
    let answers: Vec<&str> = out.lines().collect();
    assert_eq!(answers.len(), lines.len());
    for (answer, (_, id, good)) in answers.iter().zip(&lines) {
        assert!(answer.starts_with(&format!("{{\"id\":{id},")), "{answer}");
        let fields: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(fields.get("canonical").is_some(), *good, "{answer}");
        assert_eq!(fields.get("error").is_some(), !*good, "{answer}");
    }
    assert!(answers[9].contains("`url`: invalid type: integer `7`"), "{}", answers[9]);
}

#[test]
fn the_filter_reads_regular_files_and_base64_of_every_kind() {
    let place = Place::new();
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap();
    assert!(made.success());
    let large = std::fs::File::create(place.path("large")).unwrap();
    large.set_len(40 << 20).unwrap();
    let input = "{\"file\":\"/dev/zero\"}\n{\"file\":\"pipe\"}\n{\"file\":\"large\"}\n\
                 {\"bytes_b64\":\"YWI\"}\n{\"bytes_b64\":\"Y\\nWI =\"}\n";
    let out = place.feed(["check", "charset", "--jsonl"], input).good();
    let answers: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for n in [0, 1] {
        assert!(answers[n]["error"].as_str().unwrap().contains("not a regular file"));
    }
    assert!(answers[2]["error"].as_str().unwrap().contains("larger than"));
    assert!(answers[3..].iter().all(|answer| answer["encoding"] == "UTF-8"), "{out}");
}

#[test]
fn check_says_why_in_a_sentence() {
    let place = Place::new();
    place.write("robots.txt", "User-agent: *\nDisallow: /x\n");
    let say = |args: &[&str]| {
        let out = place.run([&["check"], args].concat()).good();
        out.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        say(&["robots", "robots.txt", "https://a.test/x/1"]),
        "forbidden by line 2, `Disallow: /x`, of the group `*`"
    );
    assert_eq!(
        say(&["robots", "robots.txt", "https://a.test/y"]),
        "allowed: no rule of the group `*` matches"
    );
    let own = place.json(["check", "robots", "robots.txt", "/robots.txt"]);
    assert_eq!((&own["allowed"], &own["rule"]), (&json!(true), &Value::Null), "{own}");
    assert_eq!(own["why"], "allowed: robots.txt itself is always allowed");
    place.write("page.html", "<meta charset=windows-1251><p>x");
    assert!(say(&["charset", "page.html"]).contains("windows-1251: a <meta> element"));
    assert!(say(&["url", "http://a.test/?utm_source=x"]).contains("removed: `utm_source`"));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    place.run(["brands", "add", "Acme"]).good();
    // What is written under the name of standard output was an error.
    let named = ["export", "--csv", "-o", "/dev/stdout"];
    for args in [&["check", "url", "http://a.test/"][..], &["export", "--csv"], &named] {
        let mut child = place.command(args).stdout(std::process::Stdio::piped()).spawn().unwrap();
        // Closed long before the process has started to print.
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    }
}

#[test]
fn every_block_has_its_label_and_zone() {
    let place = Place::new();
    let text = "<p>The council closed the old bridge on Monday, and it was said that it would stay closed until \
                the spring. Nobody had expected it, since it was repaired only two years ago.</p>";
    place.write(
        "page.html",
        format!(
            "<title>Bridge closed</title><nav><a href=/>Home</a></nav><main><article>\
             <h1>Bridge closed</h1><p class=standfirst>Engineers found cracks in three of the pillars.</p>\
             <div class=byline>By Ann Berg</div><time>20 November 2026</time>\
             <figure><img src=a.jpg><figcaption>The bridge in spring</figcaption></figure>{text}{text}\
             <p>It was the third time that the bridge was closed in so many years, the mayor said.</p>\
             <div class=post-tags><a href=/r>Rivers</a></div></article>\
             <aside><h3>Read also</h3><ul><li><a href=/x>The river has risen again</a></ul></aside></main>"
        ),
    );
    let read = place.json(["extract", "page.html"]);
    let blocks = read["blocks"].as_array().unwrap();
    let zones = read["zones"].as_array().unwrap();
    assert_eq!(blocks.len(), zones.len());
    let of = |text: &str| {
        let at = blocks.iter().position(|b| b["text"].as_str().unwrap().starts_with(text)).unwrap();
        (blocks[at]["label"].as_str().unwrap(), zones[at].as_str().unwrap())
    };
    for (text, label, zone) in [
        ("Home", "none", "clutter"),
        ("Bridge closed", "title", "title"),
        ("Engineers", "introduction", "lead"),
        ("By Ann Berg", "author", "clutter"),
        ("20 November", "date", "clutter"),
        ("The bridge in spring", "caption", "caption"),
        ("It was the third", "paragraph", "body"),
        ("Rivers", "tags", "clutter"),
        ("Read also", "related-article", "clutter"),
        ("The river has risen", "related-article", "clutter"),
    ] {
        assert_eq!(of(text), (label, zone), "{text}");
    }
    let rows = place.json(["extract", "--explain", "page.html"]);
    for (row, zone) in rows.as_array().unwrap().iter().zip(zones) {
        assert_eq!(row["zone"], *zone);
    }
    let shown = place.run(["extract", "--html", "-", "page.html"]).good();
    assert!(shown.contains("class=\"block tags"), "{shown}");
}

#[test]
fn extract_says_why_and_shows_the_page() {
    let place = Place::new();
    let body = "The council closed the old bridge on Monday, and it was said that it would stay closed \
                until the spring. Nobody had expected it.";
    place.write(
        "page.html",
        format!(
            "<title>Bridge closed</title><nav><a href=/>Home</a></nav><main><h1>Bridge closed</h1>\
             <p>{body}</p><script>alert(1)</script></main>"
        ),
    );
    let why = place.run(["extract", "--explain", "page.html"]).good();
    assert!(why.contains("paragraph") && why.contains(body), "{why}");
    assert!(why.lines().any(|l| l.trim_start().starts_with('+')), "{why}");
    let rows = place.json(["extract", "--explain", "page.html"]);
    assert!(rows.as_array().unwrap().iter().all(|r| !r["reasons"].as_array().unwrap().is_empty()));
    let shown = place.run(["extract", "--html", "-", "page.html"]).good();
    assert!(shown.contains(body) && !shown.contains("alert"), "{shown}");
    place.run(["extract", "--html", "out.html", "page.html"]).good();
    assert_eq!(std::fs::read_to_string(place.path("out.html")).unwrap(), shown);
    place
        .run(["extract", "--html", "out.html", "page.html", "page.html"])
        .one_sentence(&["one page"]);
}

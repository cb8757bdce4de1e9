//! Orders over HTTP: they do what the command line does, the log names the token, and long ones are jobs.

use std::net::SocketAddr;

use crawler::model::{FeedStatus, Scope};
use crawler::serve::tokens;
use crawler::store::decision::Who;
use serde_json::{Value, json};

use crate::client::{Answer, get, order};
use crate::fixture::{Server, key};
use crate::schema;

/// A server, and somebody who may write.
struct Desk {
    server: Server,
    token: String,
    document: Value,
}

const JSON: &str = "Content-Type: application/json";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

impl Desk {
    fn open() -> Desk {
        let server = Server::start();
        let store = server.engine.store.as_ref();
        let scopes = [Scope::Read, Scope::Write];
        let token = tokens::add(store, &Who::program(), "office", &scopes, None).unwrap().token;
        let document = get(server.at, "/api/v1/openapi.json").json();
        Desk { server, token, document }
    }

    fn at(&self) -> SocketAddr {
        self.server.at
    }

    fn send(&self, request: &str, fields: &[&str], body: impl AsRef<[u8]>) -> Answer {
        let (method, path) = request.split_once(' ').unwrap();
        order(self.at(), &self.token, &format!("{method} /api/v1/{path}"), fields, body)
    }

    /// Orders something with JSON, and holds the answer against the document.
    fn done(&self, request: &str, body: Value, named: &str) -> Value {
        let fields: &[&str] = if body.is_null() { &[] } else { &[JSON] };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.send(request, fields, body);
        assert_eq!(answer.status, 200, "{request}: {}", answer.body);
        let schema = &self.document["components"]["schemas"][named];
        schema::check(&self.document, schema, &answer.json(), request);
        answer.json()
    }

    fn brands(&self) -> Answer {
        get(self.at(), "/api/v1/brands")
    }

    fn names(&self) -> Vec<String> {
        let set = self.brands().json();
        let brands = set["brands"].as_array().unwrap().clone();
        brands.iter().map(|brand| brand["name"].as_str().unwrap().to_owned()).collect()
    }

    /// What the token's holder has decided, the latest first.
    fn log(&self) -> Vec<String> {
        let log = get(self.at(), "/api/v1/log?who=office").json();
        let lines = log["log"].as_array().unwrap().clone();
        assert!(lines.iter().all(|line| line["via"] == "token"), "{log}");
        lines.iter().map(|line| line["decision"].as_str().unwrap().to_owned()).collect()
    }

    /// A job when it has ended.
    fn ended(&self, place: &str) -> Value {
        loop {
            let job = get(self.at(), place).json();
            if job["state"] != "running" {
                return job;
            }
            // A client that asks without a pause is told to wait.
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    fn counted(&self, brand: &str) -> i64 {
        let path = format!("/api/v1/mentions?brand={brand}");
        let lines = get(self.at(), &path).json()["lines"].as_array().unwrap().clone();
        lines.iter().map(|line| line["mentions"].as_i64().unwrap()).sum()
    }
}

#[test]
fn feeds_are_added_paused_given_a_voice_and_removed() {
    let desk = Desk::open();
    let list = "# Press\nhttps://new.test/feed\nftp://old.test/\n";
    let answer = desk.send("POST feeds", &["Content-Type: text/plain"], list);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let lines = answer.json()["lines"].clone();
    let results: Vec<&str> =
        lines.as_array().unwrap().iter().map(|line| line["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["added", "error"], "{lines}");
    let again =
        desk.done("POST feeds", json!({ "feeds": ["https://new.test/feed"] }), "SeededLines");
    assert_eq!(again["lines"][0]["result"], "known");

    // What goes out comes in again.
    let opml = get(desk.at(), "/api/v1/feeds.opml");
    assert_eq!(opml.header("content-type"), Some("text/x-opml; charset=utf-8"));
    assert!(opml.body.contains("<outline text=\"Press\">"), "{}", opml.body);
    let answer = desk.send("POST feeds", &["Content-Type: text/x-opml"], &opml.body);
    let lines = answer.json()["lines"].clone();
    assert_eq!(lines.as_array().unwrap().len(), 3, "{lines}");
    // Those of the fixture have keys of its own.
    let known = lines.as_array().unwrap().iter().find(|line| line["result"] == "known").unwrap();
    assert_eq!(known["url"], "https://new.test/feed", "{lines}");

    let feeds = get(desk.at(), "/api/v1/feeds").json();
    let new =
        feeds["feeds"].as_array().unwrap().iter().find(|f| f["outlet"] == "new.test").unwrap();
    let feed = new["key"].as_str().unwrap();
    let status = |status| {
        let feeds = desk.server.engine.store.feeds().unwrap();
        feeds.iter().any(|f| f.key.to_string() == feed && f.status == status)
    };
    let paused = desk.done(&format!("POST feeds/{feed}/pause"), Value::Null, "FeedPaused");
    assert!(paused["status"] == "paused" && status(FeedStatus::Paused));
    desk.done(&format!("POST feeds/{feed}/resume"), Value::Null, "FeedPaused");
    assert!(status(FeedStatus::Active));
    let voice = |body| desk.done(&format!("POST feeds/{feed}/voice"), body, "FeedVoice");
    assert_eq!(voice(json!({ "outlet": "wire.test" }))["speaks_for"], "wire.test");
    assert_eq!(voice(Value::Null)["speaks_for"], Value::Null);
    assert_eq!(voice(json!({ "learn": true }))["told"], false);
    desk.done(&format!("DELETE feeds/{feed}"), Value::Null, "FeedRemoved");
    assert!(!status(FeedStatus::Active));
    let log = desk.log();
    assert_eq!(log[0], "feed https://new.test/feed removed");
    assert_eq!(log.last().unwrap(), "feed https://new.test/feed added");
    assert_eq!(log.len(), 9, "{log:?}");
}

#[test]
fn outlets_are_paused_slowed_down_blocked_and_resumed() {
    let desk = Desk::open();
    let act = |act: &str, body| {
        desk.done(&format!("POST outlets/wire.test/{act}"), body, "OutletDecided")
    };
    assert_eq!(act("pause", Value::Null)["paused_until"], i64::MAX);
    assert!(act("pause", json!({ "for": "2h" }))["paused_until"].as_i64().unwrap() < i64::MAX);
    assert_eq!(act("delay", json!({ "time": "7s" }))["delay"], 7_000);
    assert_eq!(act("delay", json!({ "time": "default" }))["delay"], Value::Null);
    assert_eq!(act("block", Value::Null)["blocked"], true);
    let why = get(desk.at(), "/api/v1/outlets/wire.test/why").json();
    assert!(why["sentences"][0].as_str().unwrap().starts_with("Blocked by the operator"), "{why}");
    assert_eq!(act("resume", Value::Null)["blocked"], false);
    assert_eq!(desk.log().len(), 6);
}

#[test]
fn brands_are_changed_after_a_dry_run_and_old_texts_count_for_them() {
    let desk = Desk::open();
    let plant = json!({ "aliases": ["second plant"], "whole_word": true });
    let dry = desk.done("PUT brands/plant?dry_run=true", plant.clone(), "Recount");
    assert_eq!((&dry["dry_run"], &dry["articles"]), (&json!(true), &json!(4)));
    assert_eq!(dry["changes"][0]["after"], 2, "{dry}");
    assert_eq!(desk.names(), ["Nordlicht", "Vega"]);
    assert!(desk.log().is_empty());

    desk.done("PUT brands/plant", plant.clone(), "Recount");
    assert_eq!(desk.names(), ["Nordlicht", "Vega", "plant"]);
    assert_eq!(desk.counted("plant"), 2);
    // The same again changes nothing.
    let again = desk.done("PUT brands/plant", plant, "Recount");
    assert_eq!(again["changes"], json!([]));
    // A name that a path has to write otherwise.
    desk.done("PUT brands/A%2FB%20%3Cimg%3E", Value::Null, "Recount");
    assert!(desk.names().contains(&"A/B <img>".to_owned()));
    desk.done("DELETE brands/A%2FB%20%3Cimg%3E", Value::Null, "Recount");
    // A name that is the end of another path.
    desk.done("PUT brands/estimate", Value::Null, "Recount");
    assert!(desk.names().contains(&"estimate".to_owned()));
    desk.done("DELETE brands/estimate", Value::Null, "Recount");
    desk.done("DELETE brands/plant", Value::Null, "Recount");

    // A list: what was answered may be sent back, other forms as in files.
    let set = desk.brands().json();
    let unchanged = desk.done("PUT brands", set, "Recount");
    assert_eq!(unchanged["changes"], json!([]));
    let toml = "[[brand]]\nname = \"Vega\"\ncase = \"any\"\n";
    let answer = desk.send("PUT brands", &["Content-Type: application/toml"], toml);
    assert_eq!((answer.status, desk.names()), (200, vec!["Vega".to_owned()]), "{}", answer.body);
    desk.done("POST recount?dry_run=1", Value::Null, "Recount");
    desk.done("POST recount", Value::Null, "Recount");
    desk.done("POST verify", Value::Null, "Verified");

    let sets = get(desk.at(), "/api/v1/brand-sets").json();
    schema::check(
        &desk.document,
        &desk.document["components"]["schemas"]["BrandSets"],
        &sets,
        "sets",
    );
    assert_eq!(sets["sets"].as_array().unwrap().len(), desk.log().len());
    assert_eq!(desk.log()[0], "watched, and no others: Vega");

    let would = desk.done("POST stories/rebuild?dry_run=1", Value::Null, "StoriesRebuilt");
    assert_eq!((&would["dry_run"], &would["articles"]), (&json!(true), &json!(4)), "{would}");
    let told = desk.done("POST stories/rebuild", Value::Null, "StoriesRebuilt");
    assert_eq!((&told["dry_run"], &told["stories"]), (&json!(false), &would["stories"]), "{told}");
}

#[test]
fn of_two_editors_the_slower_one_is_told() {
    let desk = Desk::open();
    let seen = desk.brands().header("etag").unwrap().to_owned();
    assert!(seen.starts_with('"'), "{seen}: only a strong tag can be matched (RFC 9110 §13.1.1)");
    let matched = format!("If-Match: {seen}");
    let put = |name: &str| desk.send(&format!("PUT brands/{name}"), &[&matched], "");
    assert_eq!(put("Altair").status, 200);
    let slower = put("Deneb");
    assert_eq!(slower.status, 412, "{}", slower.body);
    assert!(slower.body.contains("look again"), "{}", slower.body);
    assert_eq!(desk.names(), ["Nordlicht", "Vega", "Altair"]);
    let fresh = format!("If-Match: {}", desk.brands().header("etag").unwrap());
    assert_ne!(fresh, matched);
    assert_eq!(desk.send("DELETE brands/Altair", &[&fresh], "").status, 200);
    assert_eq!(desk.send("DELETE brands/Vega", &["If-Match: *"], "").status, 200);
    // The same brands as before, of which one has come back later.
    let before = desk.brands().header("etag").unwrap().to_owned();
    desk.send("DELETE brands/Nordlicht", &[], "");
    desk.send("PUT brands/Nordlicht", &[], "");
    assert_ne!(desk.brands().header("etag"), Some(before.as_str()));
    let weak = format!("If-Match: W/{before}");
    assert_eq!(desk.send("DELETE brands/Nordlicht", &[&weak], "").status, 400);
}

#[test]
fn models_are_deployed_and_taken_back() {
    let desk = Desk::open();
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/model/threshold.model"));
    let answer = desk.send("POST models", &[], file.unwrap());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let id = answer.json()["id"].clone();
    let models = || get(desk.at(), "/api/v1/models").json()["models"].as_array().unwrap().clone();
    assert_eq!((&models()[0]["id"], &models()[0]["origin"]), (&id, &json!("deployed")));
    let back = desk.done("POST models/shipped", Value::Null, "Deployed");
    assert_eq!(back["previous"], id);
    assert_eq!(desk.send("POST models", &[], "no model").status, 422);
    assert_eq!(models().len(), 2);
}

#[test]
fn what_is_forgotten_is_gone_and_the_log_has_no_address() {
    let desk = Desk::open();
    let gone = desk.done("POST forget", json!({ "what": key(11) }), "Forgotten");
    assert_eq!(gone["articles"], 1);
    assert_eq!(get(desk.at(), &format!("/api/v1/articles/{}", key(11))).status, 404);
    assert!(!desk.log()[0].contains("wire.test"), "{:?}", desk.log());
}

#[test]
fn refusals_name_what_is_wrong() {
    let desk = Desk::open();
    for (request, fields, body, status, words) in [
        ("DELETE feeds/short", &[][..], "", 404, "`short`"),
        ("POST feeds", &[JSON], "{\"feeds\": 3}", 400, "line 1"),
        ("POST feeds", &[JSON], "{\"feed\": []}", 400, "`feed`"),
        (
            "POST feeds/x/voice",
            &[JSON],
            "{\"outlet\": \"a.test\", \"learn\": true}",
            400,
            "`learn`",
        ),
        ("POST outlets/nobody.test/pause", &[], "", 404, "`nobody.test`"),
        ("POST outlets/wire.test/pause", &[JSON], "{\"for\": \"soon\"}", 400, "`for`"),
        ("POST outlets/wire.test/pause", &[], "{}", 415, "application/json"),
        ("POST outlets/wire.test/resume", &[], "x", 400, "no body"),
        ("POST outlets/wire.test/resume", &[JSON], "{}", 400, "no body"),
        ("POST outlets/wire.test/pause", &[JSON], "{\"for\": \"0s\"}", 422, "some time"),
        ("PUT brands", &[], "name;alias\nAcme;Acme AG\n", 422, "line 1"),
        ("POST outlets/a%20b/block", &[], "", 404, "`a b`"),
        ("PUT brands/x", &[JSON], "{\"colour\": 1}", 400, "`colour`"),
        ("PUT brands/x", &[JSON], "{\"name\": \"y\"}", 422, "`name`"),
        ("PUT brands/x", &[JSON], "[]", 400, "map"),
        ("PUT brands/x?dry_run=perhaps", &[], "", 400, "`dry_run`"),
        ("PUT brands/x?x=1", &[], "", 400, "`x`"),
        ("PUT brands/x", &["If-Match: soon"], "", 400, "`If-Match`"),
        ("PUT brands/x", &["If-None-Match: *"], "", 400, "`If-None-Match`"),
        (
            "PUT brands",
            &[JSON],
            "{\"brands\": [{\"name\": \"A\"}, {\"name\": \"A\"}]}",
            422,
            "twice",
        ),
        ("PUT brands/%20x%20", &[], "", 422, "write `x`"),
        (
            "PUT brands",
            &[JSON],
            "{\"brands\": [{\"name\": \"A B\"}, {\"name\": \"A  B\"}]}",
            422,
            "but for blanks",
        ),
        // What `curl -d` sends, and what is no list at all.
        ("PUT brands", &[FORM], "{\"brands\":[{\"name\":\"Acme\"}]}", 415, "application/toml"),
        ("PUT brands", &["Content-Type: image/png"], "Acme", 415, "`image/png`"),
        ("PUT brands", &[], "{\"brands\":[{\"name\":\"Acme\"}]}", 422, "looks like JSON"),
        ("PUT brands", &[], "<html><body>502 Bad Gateway", 422, "markup"),
        ("POST feeds", &[FORM], "https://a.test/feed", 415, "text/x-opml"),
        ("PUT brands", &[], "name = 3", 422, "line 1"),
        ("PUT brands", &[], " \n", 422, "to watch nothing"),
        ("PUT brands", &[], "# nothing\n", 422, "to watch nothing"),
        ("DELETE brands/Nobody", &[], "", 404, "`Nobody`"),
        ("POST forget", &[JSON], "{\"what\": \"a b\"}", 404, "`a b`"),
        ("POST models", &[], "", 400, "empty"),
        ("GET jobs/none", &[], "", 404, "`none`"),
        ("POST recount/", &[], "", 404, "openapi.json"),
        ("PATCH brands", &[], "", 405, "openapi.json"),
        ("POST jobs", &[], "", 405, "openapi.json"),
    ] {
        let answer = desk.send(request, fields, body);
        assert_eq!(answer.status, status, "{request}: {}", answer.body);
        let sentence = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(sentence.contains(words), "{request}: {sentence}");
    }
    let large = "x".repeat(300_000);
    assert_eq!(desk.send("PUT brands/x", &[JSON], &large).status, 413);
    assert_eq!(desk.send("PUT brands", &[], [0xff, 0xfe]).status, 400);
    assert!(desk.log().is_empty(), "{:?}", desk.log());
    assert_eq!(desk.names(), ["Nordlicht", "Vega"]);
}

#[test]
fn long_work_is_a_job_that_can_be_taken_back() {
    let desk = Desk::open();
    let list: String = (0..100_000).map(|n| format!("https://a.test/{n}\n")).collect();
    let begun = desk.send("POST feeds", &["Prefer: respond-async"], &list);
    assert_eq!(begun.status, 202, "{}", begun.body);
    let place = begun.header("location").unwrap().to_owned();
    let job = begun.json();
    assert_eq!((&job["order"], &job["who"]), (&json!("seed"), &json!("office")));
    assert_eq!(place, format!("/api/v1/jobs/{}", job["id"].as_str().unwrap()));
    let jobs = get(desk.at(), "/api/v1/jobs").json();
    schema::check(&desk.document, &desk.document["components"]["schemas"]["Jobs"], &jobs, "jobs");
    let one = place.trim_start_matches("/api/v1/");
    desk.send(&format!("DELETE {one}"), &[], "");
    let last = desk.ended(&place);
    schema::check(&desk.document, &desk.document["components"]["schemas"]["Job"], &last, "job");
    assert_eq!(last["state"], "cancelled", "{last}");
    let added = desk.server.engine.store.feeds().unwrap().len() - 2;
    assert!(added < 100_000 && last["done"] == added, "{added}: {}", last["done"]);
    // What has ended stays as it is.
    assert_eq!(desk.send(&format!("DELETE {one}"), &[], "").json()["state"], "cancelled");

    // One that ends well has its answer, as long as nobody orders much more.
    desk.send("POST recount?dry_run=true", &["Prefer: respond-async"], "");
    let jobs = get(desk.at(), "/api/v1/jobs").json();
    let place = format!("/api/v1/jobs/{}", jobs["jobs"][0]["id"].as_str().unwrap());
    let last = desk.ended(&place);
    assert_eq!((&last["state"], &last["of"]), (&json!("done"), &json!(4)), "{last}");
    assert_eq!(last["answer"][0]["dry_run"], true);
    for _ in 0..120 {
        desk.send("POST outlets/wire.test/pause", &[], "");
    }
    assert_eq!(get(desk.at(), &place).status, 404);
    assert_eq!(get(desk.at(), "/api/v1/jobs").json()["jobs"].as_array().unwrap().len(), 100);
}

#[test]
fn a_page_is_read_with_zones_and_reasons() {
    let desk = Desk::open();
    let page = "<title>Nordlicht opens a plant</title><nav><a href=/>Home</a> <a href=/v>Vega</a></nav>\
        <article><h1>Nordlicht opens a plant</h1><p>The board of Nordlicht agreed on Monday to open \
        the second plant, which will employ some three hundred people of the town, it said.</p>\
        <p>Nobody had expected so early a decision, since the first plant is only two years old and \
        was full from its first day on, as the mayor of the town told us.</p></article>";
    let as_json = json!({ "url": "https://wire.test/x", "html": page });
    let read = desk.done("POST extract", as_json, "Extracted");
    let blocks = read["article"]["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), read["reasons"].as_array().unwrap().len());
    assert_eq!(blocks.len(), read["zones"].as_array().unwrap().len());
    assert!(read["reasons"].as_array().unwrap().iter().any(|r| !r.as_array().unwrap().is_empty()));
    let zones: Vec<(&str, &str)> = read["mentions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["brand"].as_str().unwrap(), m["zone"].as_str().unwrap()))
        .collect();
    assert!(zones.contains(&("Vega", "clutter")), "{zones:?}");
    assert!(
        zones.iter().any(|(brand, zone)| *brand == "Nordlicht" && *zone != "clutter"),
        "{zones:?}"
    );

    // The page itself, in its own encoding.
    let latin: Vec<u8> =
        page.replace("Nordlicht", "N\u{f6}rdlicht").chars().map(|c| c as u8).collect();
    let kind = "Content-Type: text/html; charset=windows-1252";
    let answer = desk.send("POST extract?url=https://wire.test/x", &[kind], &latin);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["charset"][0], "windows-1252");
    assert!(answer.json()["article"]["text"].as_str().unwrap().contains("N\u{f6}rdlicht"));
    for (query, fields, body, status) in [
        ("", &[][..], String::new(), 400),
        ("?url=nothing", &[], page.to_owned(), 422),
        ("", &[JSON], "{\"html\": 3}".to_owned(), 400),
        ("", &[], "x".repeat(11 << 20), 413),
        ("", &[], "<div>".repeat(1_000_000), 422),
    ] {
        let answer = desk.send(&format!("POST extract{query}"), fields, body);
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    // It decides nothing.
    assert!(desk.log().is_empty());
}

#[test]
fn an_alert_has_each_of_its_brands_once() {
    let desk = Desk::open();
    let twice = json!({ "when": "daily", "brands": ["Vega", "Nordlicht", "Vega"] });
    desk.done("PUT alerts/twice", twice, "AlertSet");
    let view = get(desk.at(), "/api/v1/alerts/twice").json();
    assert_eq!(view["brands"], json!(["Vega", "Nordlicht"]));
}

#[test]
fn alerts_are_set_tried_and_removed() {
    let desk = Desk::open();
    let rule = json!({ "when": "at-least 2", "brands": ["Nordlicht"], "quiet": "22:00-07:00" });
    let set = desk.done("PUT alerts/busy", rule, "AlertSet");
    assert_eq!((&set["name"], &set["replaced"]), (&json!("busy"), &json!(false)));
    let again = json!({ "when": "headline", "brands": ["Nordlicht"], "name": "busy" });
    assert_eq!(desk.done("PUT alerts/busy", again, "AlertSet")["replaced"], true);
    let tested = desk.done("POST alerts/busy/test", Value::Null, "AlertTested");
    assert!(tested["id"].as_str().unwrap().starts_with("busy-"), "{tested}");
    assert_eq!(tested["deliveries"], json!([]));
    let view = get(desk.at(), "/api/v1/alerts/busy").json();
    assert_eq!((&view["when"], &view["events"][0]["what"]), (&json!("headline"), &json!("test")));
    for (request, body, status, word) in [
        ("PUT alerts/a", json!({ "when": "sudden" }), 400, "at-least N"),
        ("PUT alerts/..", json!({ "when": "unusual" }), 422, "no name for an alert"),
        ("PUT alerts/a", json!({ "when": "headline" }), 422, "needs a brand"),
        ("PUT alerts/a", json!({ "when": "headline", "brands": ["Nobody"] }), 404, "Nobody"),
        ("PUT alerts/a", json!({ "when": "headline", "query": " " }), 422, "query is empty"),
        ("PUT alerts/a", json!({ "when": "weekly", "query": "a" }), 422, "leave the query out"),
        ("PUT alerts/a", json!({ "when": "unusual", "to": ["nobody"] }), 422, "nobody"),
        ("PUT alerts/a", json!({ "when": "unusual", "within": "90m" }), 422, "whole hours"),
        ("PUT alerts/a", json!({ "when": "at-least 3", "within": "90m" }), 422, "whole hours"),
        (
            "PUT alerts/a",
            json!({ "when": "daily", "outlet": "wire.test" }),
            422,
            "leave the outlet out",
        ),
        ("PUT alerts/a", json!({ "when": "unusual", "outlet": "none.test" }), 404, "none.test"),
        ("PUT alerts/a", json!({ "when": "unusual", "webhook": "http://x" }), 400, "webhook"),
        ("PUT alerts/a", json!({ "when": "unusual", "name": "b" }), 422, "path"),
        ("PUT alerts/a", json!({ "when": "unusual", "quiet": "22-7" }), 400, "22:00-07:00"),
        (
            "PUT alerts/a",
            json!({ "when": "unusual", "quiet": "07:00-07:00" }),
            422,
            "no quiet hours",
        ),
        ("PUT alerts/%20", json!({ "when": "unusual" }), 422, "no name"),
        ("POST alerts/none/test", Value::Null, 404, "none"),
        ("DELETE alerts/none", Value::Null, 404, "none"),
    ] {
        let fields: &[&str] = if body.is_null() { &[] } else { &[JSON] };
        let content = if body.is_null() { String::new() } else { body.to_string() };
        let answer = desk.send(request, fields, content);
        assert_eq!(answer.status, status, "{request} {body}: {}", answer.body);
        assert!(answer.body.contains(word), "{request} {body}: {}", answer.body);
    }
    desk.done("DELETE alerts/busy", Value::Null, "AlertRemoved");
    assert_eq!(get(desk.at(), "/api/v1/alerts").json()["alerts"], json!([]));
    assert_eq!(
        desk.log(),
        [
            "alert busy removed",
            "alert busy set: headline, brand Nordlicht",
            "alert busy set: at-least 2, brand Nordlicht, quiet 22:00-07:00",
        ]
    );
}

#[test]
fn notes_are_pinned_to_days_and_removed() {
    let desk = Desk::open();
    let given =
        json!({ "day": "2026-11-20", "brand": "Nordlicht", "text": " <b>press</b>\nrelease" });
    let note = desk.done("POST notes", given, "Note");
    assert_eq!(
        (&note["id"], &note["text"]),
        (&json!("2026-11-20-1"), &json!("<b>press</b> release"))
    );
    desk.done("POST notes", json!({ "day": "2026-11-20", "text": "strike" }), "Note");
    desk.done("POST notes", json!({ "day": "2026-11-02", "text": "recall" }), "Note");
    let ids = |query: &str| -> Vec<String> {
        let answer = get(desk.at(), &format!("/api/v1/notes{query}")).json();
        let notes = answer["notes"].as_array().unwrap().clone();
        notes.iter().map(|note| note["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(""), ["2026-11-02-1", "2026-11-20-1", "2026-11-20-2"]);
    assert_eq!(ids("?brand=Nordlicht&from=2026-11-20").len(), 2);
    assert_eq!(ids("?from=2026-11-21").len(), 0);
    let long = "a".repeat(501);
    for (request, body, status, word) in [
        ("POST notes", json!({ "day": "2026-11-20", "text": " " }), 422, "empty"),
        ("POST notes", json!({ "day": "2026-11-20", "text": long }), 422, "500"),
        ("POST notes", json!({ "day": "2026-11-20", "text": "a\u{1b}[2J" }), 422, "control"),
        ("POST notes", json!({ "day": "20.11.", "text": "a" }), 400, "days are written"),
        ("POST notes", json!({ "day": "2026-11-20", "text": "a", "who": "b" }), 400, "who"),
        (
            "POST notes",
            json!({ "day": "2026-11-20", "text": "a", "brand": "Nobody" }),
            404,
            "Nobody",
        ),
        ("DELETE notes/2026-11-20-3", Value::Null, 404, "2026-11-20-3"),
    ] {
        let fields: &[&str] = if body.is_null() { &[] } else { &[JSON] };
        let content = if body.is_null() { String::new() } else { body.to_string() };
        let answer = desk.send(request, fields, content);
        assert_eq!(answer.status, status, "{request} {body}: {}", answer.body);
        assert!(answer.body.contains(word), "{request} {body}: {}", answer.body);
    }
    desk.done("DELETE notes/2026-11-20-1", Value::Null, "NoteRemoved");
    assert_eq!(ids("").len(), 2);
    assert_eq!(desk.log()[0], "note 2026-11-20-1 removed");
    assert!(desk.log().contains(&"note 2026-11-02-1 pinned: recall".to_owned()));
}

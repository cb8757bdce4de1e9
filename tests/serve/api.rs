//! Answers and refusals of the JSON API.

use crawler::crawl::clock::now;
use crawler::crawl::orders::{brands, outlets};
use crawler::model::{Alert, AlertEvent, Brand, Happened, Scope};
use crawler::query::{DigestQuery, digest};
use crawler::serve::tokens;
use crawler::store::decision::{Via, Who};
use serde_json::{Value, json};

use crate::client::{get, send};
use crate::fixture::{HOSTILE, Server, key};
use crate::schema;

/// Every path of the document answers as the document says, with keys filled in.
#[test]
fn the_document_is_true_to_the_answers() {
    let server = Server::start();
    let rule =
        json!({ "name": "acme", "when": "headline", "brands": ["Nordlicht"], "to": ["desk"] });
    let mut alert = Alert::new(serde_json::from_value(rule).unwrap(), 0);
    let mut event = AlertEvent::new(1, Happened::Fired, HOSTILE.to_owned());
    event.usual = Some((1, 2));
    alert.note(event, 1);
    assert!(server.engine.store.keep_alert(&alert).unwrap());
    let document = get(server.at, "/api/v1/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    let expected = [
        "mentions",
        "coverage",
        "articles",
        "articles/{key}",
        "stories",
        "stories/{id}",
        "feeds",
        "outlets",
        "brands",
        "brands/estimate",
        "search",
        "brands/{name}/review",
        "brands/{name}/report.html",
        "brand-sets",
        "models",
        "outlets/{outlet}/why",
        "feeds.opml",
        "recount",
        "forget",
        "extract",
        "jobs",
        "jobs/{job}",
        "log",
        "alerts",
        "alerts/{alert}",
        "alerts/{alert}/feed.atom",
        "alerts/{alert}/test",
        "targets",
        "status",
        "openapi.json",
    ];
    for path in expected {
        assert!(paths.contains_key(&format!("/api/v1/{path}")), "{path} is missing");
    }
    for (path, item) in paths.iter().filter(|(path, item)| {
        // What is only ordered, and jobs, which nobody has ordered here: `orders`.
        // `search` needs an index.
        item.get("get").is_some() && !path.contains("{job}") && !path.ends_with("/search")
    }) {
        let filled = path
            .replace("{key}", &key(11).to_string())
            .replace("{id}", &key(11).to_string())
            .replace("{alert}", "acme")
            .replace("{outlet}", "wire.test")
            .replace("{name}", "Nordlicht");
        let answer = get(server.at, &filled);
        assert_eq!(answer.status, 200, "{filled}: {}", answer.body);
        let content = &item["get"]["responses"]["200"]["content"];
        let kind = answer.header("content-type").unwrap().split(';').next().unwrap();
        let schema = &content[kind]["schema"];
        assert!(content.get(kind).is_some(), "{path} answers {kind}");
        if !schema.is_null() {
            schema::check(&document, schema, &answer.json(), path);
        }
        let refused = get(server.at, &format!("{filled}?wrong=1"));
        if !schema.is_null() {
            assert_eq!(refused.status, 400, "{path}");
            let error = &document["components"]["schemas"]["Error"];
            schema::check(&document, error, &refused.json(), path);
        }
        // Every documented parameter is known, and none may be empty.
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "query" {
                let name = parameter["name"].as_str().unwrap();
                let answer = get(server.at, &format!("{filled}?{name}="));
                assert_eq!(answer.status, 400, "{path} {name}");
                assert!(answer.body.contains(&format!("`{name}` is empty")), "{}", answer.body);
            }
        }
    }
}

#[test]
fn a_report_is_a_page_of_its_own() {
    let server = Server::start();
    let days = "from=2024-05-01&to=2024-05-31";
    let path = "/api/v1/brands/Nordlicht/report.html";
    let answer = get(server.at, &format!("{path}?{days}"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'unsafe-inline'"), "{policy}");
    for words in ["<li><b>6</b>", "What was not counted", "2024-05-01 to 2024-05-31", "&lt;img"] {
        assert!(answer.body.contains(words), "{words}: {}", answer.body);
    }
    assert!(!answer.body.contains("<script") && !answer.body.contains("<img"), "{}", answer.body);
    let german = get(server.at, &format!("{path}?{days}&language=de"));
    for words in ["<html lang=\"de\">", "<li><b>6</b>", "Was nicht gezählt wurde"] {
        assert!(german.body.contains(words), "{words}: {}", german.body);
    }
    for (path, status, words) in [
        ("/api/v1/brands/Nobody/report.html", 404, "no brand is named `Nobody`"),
        (&format!("{path}?language=fr"), 400, "one of en, de"),
        (&format!("{path}?from=2000-01-01"), 422, "at most 1100 days"),
        (&format!("{path}?from=2999-01-01"), 422, "is after the last"),
        (&format!("{path}?day=2000-01-01"), 400, "no parameter `day`"),
    ] {
        let refused = get(server.at, path);
        assert_eq!(refused.status, status, "{}", refused.body);
        assert!(refused.body.contains(words), "{}", refused.body);
    }
}

fn utc_day() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

#[test]
fn answers() {
    let server = Server::start();
    for (name, path) in [
        ("mentions", "mentions?brand=Nordlicht&from=2024-05-01&to=2024-05-31".to_string()),
        ("mentions_by_outlet", "mentions?by=outlet".into()),
        ("mentions_by_agency", "mentions?by=agency".into()),
        ("coverage", "coverage?from=2024-05-13&to=2024-05-15".into()),
        ("articles", "articles?brand=Nordlicht&suppressed=true".into()),
        ("article", format!("articles/{}", key(11))),
        ("stories", "stories?brand=Nordlicht".into()),
        ("story", format!("stories/{}", key(12))),
        ("feeds", "feeds".into()),
        ("outlets", "outlets".into()),
        ("brands", "brands".into()),
    ] {
        let asked = utc_day();
        let answer = get(server.at, &format!("/api/v1/{path}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let mut json = answer.json();
        if let Some(today) = json.get_mut("today") {
            // The one part of an answer that the wall clock decides.
            assert!([&asked, &utc_day()].iter().any(|day| *today == day.as_str()), "{today}");
            *today = "[today]".into();
        }
        insta::assert_snapshot!(name, serde_json::to_string_pretty(&json).unwrap());
    }
}

#[test]
fn a_copy_is_compared_with_its_original_on_request() {
    let server = Server::start();
    let document = get(server.at, "/api/v1/openapi.json").json();
    let path = format!("/api/v1/stories/{}?diff=", key(11));
    let answer = get(server.at, &format!("{path}{}", key(12))).json();
    schema::check(&document, &document["components"]["schemas"]["StoryView"], &answer, "story");
    let diffs = answer["diffs"].as_array().unwrap();
    assert_eq!((diffs.len(), &diffs[0]["key"]), (1, &Value::from(key(12).to_string())));
    let changes = diffs[0]["changes"].as_array().unwrap();
    assert!(changes[0]["same"].as_str().unwrap().starts_with("Nordlicht will open"));
    assert!(changes[1]["edited"]["was"].as_str().unwrap().ends_with("said Vega."));
    assert!(changes[1]["edited"]["is"].as_str().unwrap().ends_with("on Monday."));
    for (member, status, sentence) in [
        (key(13).to_string(), 404, "is no article of the story"),
        ("x".into(), 400, "parameter `diff`"),
    ] {
        let refused = get(server.at, &format!("{path}{member}"));
        assert_eq!(refused.status, status);
        assert!(refused.body.contains(sentence), "{}", refused.body);
    }
}

#[test]
fn numbers_agree_with_each_other() {
    let server = Server::start();
    let ask = |path: &str| get(server.at, &format!("/api/v1/{path}")).json();
    let lines = ask("mentions?brand=Nordlicht")["lines"].as_array().unwrap().clone();
    let sum = |name: &str| lines.iter().map(|l| l[name].as_i64().unwrap()).sum::<i64>();
    let of = |articles: &Value, kind: &str| {
        let articles = articles["articles"].as_array().unwrap();
        articles.iter().filter_map(|a| a[kind]["Nordlicht"].as_i64()).sum::<i64>()
    };
    let all = ask("articles?brand=Nordlicht&suppressed=true");
    assert_eq!(sum("mentions"), of(&all, "mentions"));
    assert_eq!(sum("suppressed"), of(&all, "suppressed"));
    assert_eq!(all["articles"].as_array().unwrap().len(), 3);
    let counting = ask("articles?brand=Nordlicht");
    assert_eq!(counting["articles"].as_array().unwrap().len() as i64, sum("articles"));
    assert_eq!(counting["articles"][0]["title"], HOSTILE);
    // However they are divided, there are as many.
    for by in ["outlet", "language", "feed", "agency", "zone"] {
        let parts = ask(&format!("mentions?brand=Nordlicht&by={by}"))["lines"].clone();
        for name in ["mentions", "suppressed"] {
            let whole = parts.as_array().unwrap().iter().map(|l| l[name].as_i64().unwrap());
            assert_eq!(whole.sum::<i64>(), sum(name), "{name} by {by}");
        }
        if by == "zone" {
            // A zone is counted, or it is not.
            let mixed = |l: &Value| l["mentions"] != 0 && l["suppressed"] != 0;
            assert!(!parts.as_array().unwrap().iter().any(mixed), "{parts}");
        }
    }
}

#[test]
fn limits_cut_and_say_so() {
    let server = Server::start();
    let ask = |path: &str| get(server.at, &format!("/api/v1/{path}")).json();
    for (path, name, lines, truncated) in [
        ("articles?limit=2", "articles", 2, true),
        ("articles?limit=2&offset=2", "articles", 2, false),
        ("articles?limit=4", "articles", 4, false),
        ("articles?offset=9", "articles", 0, false),
        ("articles?brand=Vega&limit=1", "articles", 1, true),
        ("articles?outlet=daily.test", "articles", 2, false),
        ("articles?language=he", "articles", 1, false),
        ("articles?day=2024-05-14", "articles", 2, false),
        ("stories?limit=1", "stories", 1, true),
        ("feeds?limit=1", "feeds", 1, true),
        ("outlets?limit=1&offset=1", "outlets", 1, false),
        ("mentions?limit=1", "lines", 1, true),
        ("coverage?from=2024-01-01&to=2024-12-31&limit=3", "days", 3, true),
    ] {
        let answer = ask(path);
        assert_eq!(answer[name].as_array().map(Vec::len), Some(lines), "{path}: {answer}");
        assert_eq!(answer["truncated"], truncated, "{path}");
    }
}

#[test]
fn refusals_name_what_is_wrong() {
    let server = Server::start();
    let gone = format!("articles/{}", key(99));
    for (path, status, words) in [
        ("mentions?brand=Nobody", 404, "`brand`"),
        ("mentions?from=yesterday", 400, "`from`"),
        ("mentions?from=2024-05-02&to=2024-05-01", 400, "`from`"),
        ("mentions?from=2024-02-30", 400, "`from`"),
        ("mentions?by=year", 400, "`by`"),
        ("mentions?brand=Vega&brand=Vega", 400, "`brand`"),
        ("mentions?colour=red", 400, "`colour`"),
        ("coverage?outlet=nobody.test", 404, "`outlet`"),
        ("coverage?outlet=a%20b", 404, "`outlet`"),
        ("articles?day=2024-05-01&to=2024-05-02", 400, "`day`"),
        ("articles?limit=0", 400, "`limit`"),
        ("articles?limit=99999999999999999999", 400, "`limit`"),
        ("articles?offset=-1", 400, "`offset`"),
        ("articles?suppressed=perhaps", 400, "`suppressed`"),
        ("articles?brand=%ff%fe", 404, "`brand`"),
        ("articles/short", 400, "`short`"),
        ("articles/%2e%2e%2fetc", 400, "32 hex"),
        ("log?what=weather", 400, "parameter `what`: `weather`"),
        ("status?x=1", 400, "`x`"),
        (&gone, 404, "no article"),
        (&gone.replace("articles", "stories"), 404, "no story"),
        ("nothing", 404, "openapi.json"),
    ] {
        let answer = get(server.at, &format!("/api/v1/{path}"));
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        let body = answer.json();
        let sentence = body["error"].as_str().unwrap();
        assert!(sentence.contains(words), "{path}: {sentence}");
    }
}

#[test]
fn supervisors_see_life_and_readiness() {
    let server = Server::start();
    assert_eq!(get(server.at, "/healthz").body, "ok\n");
    assert_eq!(get(server.at, "/readyz").json()["ready"], true);
    let metrics = get(server.at, "/metrics").body;
    assert!(metrics.contains("crawler_store_bytes "), "{metrics}");
    assert!(metrics.contains("crawler_entries_pending 0"), "{metrics}");
}

#[test]
fn a_stop_ends_the_server_in_spite_of_open_connections() {
    let server = Server::start();
    let at = server.at;
    let idle = std::net::TcpStream::connect(at).unwrap();
    assert_eq!(get(at, "/healthz").status, 200);
    server.stop();
    drop(idle);
    assert!(std::net::TcpStream::connect(at).is_err());
}

#[test]
fn an_answer_that_a_client_has_is_not_sent_again() {
    let server = Server::start();
    let at = format!("Host: {}", server.at);
    let ask = |path: &str, field: &str| {
        send(server.at, &[&format!("GET {path} HTTP/1.1"), &at, "Connection: close", field])
    };
    for path in ["/api/v1/mentions", "/api/v1/articles", "/api/v1/openapi.json", "/main.js"] {
        let first = get(server.at, path);
        let tag = first.header("etag").unwrap();
        let again = ask(path, &format!("If-None-Match: {tag}"));
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
        assert_eq!(ask(path, "If-None-Match: \"other\"").body, first.body, "{path}");
        assert_eq!(first.header("vary"), Some("accept-encoding"), "{path}");
    }
    let refused = get(server.at, "/api/v1/mentions?by=colour");
    assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    let problem = refused.json();
    assert_eq!((&problem["status"], &problem["title"]), (&400.into(), &"Bad Request".into()));
    assert_eq!(problem["detail"], problem["error"]);
}

#[test]
fn the_log_tells_who_decided_what() {
    let server = Server::start();
    let store = server.engine.store.as_ref();
    let office = Who { name: "office".into(), via: Via::Token };
    tokens::add(store, &Who::program(), "office", &[Scope::Write], None).unwrap();
    let pause = outlets::Action::Pause { length: None };
    outlets::decide(store, &office, "wire.test", &pause).unwrap();
    let add = |name: &str| {
        let brand = Brand { name: name.into(), whole_word: true, ..Brand::default() };
        let edit = brands::Edit::Add(vec![brand]);
        brands::edit(&server.engine, &office, edit, &brands::Terms::default()).unwrap()
    };
    add("Altair");
    let day = utc_day();
    let log = |query: &str| -> Vec<(String, String)> {
        let answer = get(server.at, &format!("/api/v1/log{query}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
        let answer = answer.json();
        let lines = answer["log"].as_array().unwrap();
        lines.iter().map(|line| (text(line, "via"), text(line, "decision"))).collect()
    };
    let [watched, paused, made] = [
        ("token", "watched: Altair"),
        ("token", "outlet wire.test paused until it is resumed"),
        ("program", "token office made, for write"),
    ]
    .map(|(via, words)| (via.to_owned(), words.to_owned()));
    let check = |query: &str, expect: &[&(String, String)]| {
        assert_eq!(log(query).iter().collect::<Vec<_>>(), expect, "{query}");
    };
    check("", &[&watched, &paused, &made]);
    check("?who=office", &[&watched, &paused]);
    check("?what=outlet", &[&paused]);
    check("?who=office&what=token", &[]);
    check("?limit=1&offset=1", &[&paused]);
    check("?to=2024-05-01", &[]);
    check(&format!("?from={day}"), &[&watched, &paused, &made]);
}

#[test]
fn a_path_that_is_no_text_is_refused_in_the_form_of_all_refusals() {
    let server = Server::start();
    for path in [
        "articles/%ff",
        "brands/%ff/review",
        "brands/%ff/report.html",
        "alerts/%ff/feed.atom",
        "jobs/%ff",
    ] {
        let answer = get(server.at, &format!("/api/v1/{path}"));
        assert_eq!(answer.status, 400, "{path}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{path}");
        assert!(answer.json()["error"].is_string(), "{path}");
    }
}

/// Of one day the answers said half, nothing and "0 of 0".
#[test]
fn a_day_is_as_complete_in_a_report_and_a_digest_as_in_the_counts() {
    let server = Server::start();
    // On the day before the first poll nothing was due, on the next one of two succeeded.
    let day = "from=2024-05-13&to=2024-05-13";
    let covered = get(server.at, &format!("/api/v1/coverage?{day}")).json();
    assert_eq!(covered["days"][0]["coverage"], 0.5);
    let report = get(server.at, &format!("/api/v1/brands/Nordlicht/report.html?{day}")).body;
    assert!(report.contains("1 of 2 polls of feeds"), "{report}");
    let day = Some("2024-05-13".parse().unwrap());
    let query = DigestQuery { from: day, to: day, ..DigestQuery::default() };
    let digest = digest(server.engine.store.as_ref(), &query, now()).unwrap();
    assert_eq!(digest.coverage, Some(0.5));
}

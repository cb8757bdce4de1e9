//! Search over HTTP and in the dashboard: hits in context, what is refused, titles full of markup.

use crawler::crawl::clock;
use crawler::model::Scope;
use crawler::search::Settings;
use crawler::serve::tokens;
use crawler::store::decision::Who;
use serde_json::json;

use crate::client::{get, order};
use crate::fixture::{HOSTILE, Server, engine_with, key};
use crate::{browser, schema};

/// A server whose index has everything, and the folder of the index.
fn searching() -> (Server, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { dir: Some(dir.path().to_path_buf()), ..Settings::default() };
    let engine = engine_with(settings);
    engine.search.keep_up(engine.store.as_ref(), clock::now(), &|| true).unwrap();
    (Server::over(engine), dir)
}

#[test]
fn articles_are_found_in_context() {
    let (server, _dir) = searching();
    let document = get(server.at, "/api/v1/openapi.json").json();
    let ask = |query: &str| {
        let answer = get(server.at, &format!("/api/v1/search?{query}"));
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        let answer = answer.json();
        let shape = &document["components"]["schemas"]["Search"];
        schema::check(&document, shape, &answer, query);
        answer
    };
    let found = |query: &str| -> Vec<String> {
        let answer = ask(query);
        let hits = answer["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["key"].as_str().unwrap().to_owned()).collect()
    };
    let keys =
        |numbers: &[u32]| -> Vec<String> { numbers.iter().map(|n| key(*n).to_string()).collect() };
    // What stands in captions, comments and links to others is not searched.
    assert_eq!(found("q=nordlicht"), keys(&[11, 12]));
    assert_eq!(found("q=title:nordlicht%20-grows"), keys(&[11]));
    assert_eq!(found("q=nordlicht&zone=title&outlet=daily.test"), keys(&[12]));
    assert_eq!(found("q=vega"), keys(&[14, 11]));
    assert_eq!(found("q=vega&language=he"), keys(&[14]));
    assert_eq!(found("q=vega&brand=Nordlicht"), keys(&[11]));
    assert_eq!(found("q=board%20NEAR/3%20monday"), keys(&[]));
    assert_eq!(found("q=board%20NEAR/6%20monday"), keys(&[11, 12]));
    assert_eq!(found("q=vega&day=2024-05-15"), keys(&[14]));
    let hebrew = found("q=%D7%97%D7%91%D7%A8%D7%AA");
    assert_eq!(hebrew, keys(&[14]));

    let answer = ask("q=nordlicht&limit=1");
    assert_eq!((&answer["articles"], &answer["truncated"]), (&json!(2), &json!(true)));
    let next = answer["next"].as_str().unwrap();
    assert_eq!(found(&format!("q=nordlicht&limit=1&after={next}")), keys(&[12]));
    assert_eq!(answer["days"][0]["brands"]["Nordlicht"], 2);
    assert_eq!((&answer["behind"], &answer["indexed"]), (&json!(0), &json!(4)));
    let title = answer["hits"][0]["title"].as_str().unwrap();
    assert_eq!(title, HOSTILE, "as it was written; whoever shows it escapes it");

    for (query, status, words) in [
        ("", 400, "`q` is missing"),
        ("q=%20", 422, "`q`: the query is empty"),
        ("q=%22a", 422, "`q`: a phrase begins"),
        ("q=a&zone=caption", 400, "one of title, lead, body"),
        ("q=a&brand=Nobody", 404, "no brand is named"),
        (&format!("q={}", "a".repeat(1_500)), 422, "1500 characters"),
        (&format!("q={}", "(".repeat(500)), 422, "within each other"),
    ] {
        let answer = get(server.at, &format!("/api/v1/search?{query}"));
        assert_eq!(answer.status, status, "{query}: {}", answer.body);
        assert!(answer.body.contains(words), "{}", answer.body);
    }
}

#[test]
fn a_brand_that_is_not_watched_yet_has_a_past() {
    let (server, _dir) = searching();
    let post = |body: &str| {
        let json = ["Content-Type: application/json"];
        order(server.at, "", "POST /api/v1/brands/estimate", &json, body.as_bytes())
    };
    let answer = post(&json!({ "name": "second plant", "aliases": ["weekend"] }).to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let document = get(server.at, "/api/v1/openapi.json").json();
    let shape = &document["components"]["schemas"]["Estimate"];
    schema::check(&document, shape, &answer.json(), "estimate");
    assert_eq!(answer.json()["articles"], 3);
    assert_eq!(answer.json()["left_out"], json!(["letter case is ignored"]));
    for wrong in ["", "{", "{}", "[]"] {
        assert_eq!(post(wrong).status, 400, "{wrong}");
    }
}

#[test]
fn the_index_is_made_anew_by_order() {
    let (server, _dir) = searching();
    let store = server.engine.store.as_ref();
    let token = tokens::add(store, &Who::program(), "w", &[Scope::Write], None).unwrap().token;
    let made = order(server.at, &token, "POST /api/v1/search/rebuild", &[], "");
    assert_eq!((made.status, &made.json()["written"]), (200, &json!(4)), "{}", made.body);
}

#[test]
fn the_page_shows_hits_and_lets_no_title_act() {
    let (server, _dir) = searching();
    let range = "from=2024-05-01&to=2024-05-31";
    let Some(page) = browser::seen(&server, &format!("view=search&q=nordlicht&{range}")) else {
        return;
    };
    for words in [
        "2 articles · 2024-05-01",
        "<mark>Nordlicht</mark>",
        "Nordlicht grows",
        "<svg class=\"chart\"",
    ] {
        assert!(page.contains(words), "{words} is missing: {page}");
    }
    assert!(page.contains("&lt;img src=x") && !page.contains("<img src=\"x\""), "{page}");
    assert!(!page.contains("<title>owned"), "{page}");
    let slip = browser::seen(&server, &format!("view=search&q=(a&{range}")).unwrap();
    assert!(slip.contains("without a `)`"), "{slip}");
}

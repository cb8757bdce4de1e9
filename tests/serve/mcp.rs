//! An assistant's program asks over HTTP: the same questions as the API, with the same answers.

use serde_json::{Value, json};

use crate::client::{Answer, get, order};
use crate::fixture::{Server, key};

const FIELDS: [&str; 3] = [
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2025-06-18",
];

fn send(server: &Server, message: &Value) -> Answer {
    order(server.at, "", "POST /mcp", &FIELDS, message.to_string())
}

/// What a tool answers.
fn call(server: &Server, name: &str, arguments: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let answer = send(server, &message);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let answer = answer.json();
    assert_eq!(answer["id"], 7);
    answer["result"].clone()
}

#[test]
fn an_assistant_gets_the_answers_of_the_api() {
    let server = Server::start();
    let hello = send(
        &server,
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        } }),
    );
    assert_eq!(hello.status, 200, "{}", hello.body);
    assert_eq!(hello.header("mcp-session-id"), None, "each message stands for itself");
    let about = &hello.json()["result"];
    assert_eq!(about["serverInfo"]["name"], "crawler");
    assert!(about["instructions"].as_str().unwrap().contains("`coverage`"), "{about}");

    let tools = send(&server, &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })).json();
    let tools = tools["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));

    let mentions = call(&server, "mentions", json!({ "brand": "Nordlicht" }));
    let api = get(server.at, "/api/v1/mentions?brand=Nordlicht").json();
    assert_eq!(mentions["structuredContent"]["lines"], api["lines"]);
    let article = call(&server, "article", json!({ "key": key(11) }));
    let api = get(server.at, &format!("/api/v1/articles/{}", key(11))).json();
    assert_eq!(article["structuredContent"], api);

    // A day's coverage is that of its 48 hours, also beside an answer: on this one nothing was polled.
    let day = json!({ "from": "2024-05-13", "to": "2024-05-13" });
    let complete = call(&server, "mentions", day)["structuredContent"]["completeness"].clone();
    let polled = json!([complete["polls_due"], complete["coverage"], complete["unpolled"]]);
    assert_eq!(polled, json!([2, 0.5, []]), "{complete}");
    // What was not counted is known of days, not of outlets and languages.
    for (arguments, off) in [
        (json!({ "brand": "Nordlicht" }), json!(3)),
        (json!({ "brand": "Nordlicht", "outlet": "daily.test" }), Value::Null),
        (json!({ "brand": "Nordlicht", "language": "he" }), Value::Null),
    ] {
        let told = call(&server, "articles", arguments)["structuredContent"].clone();
        assert_eq!(told["completeness"]["mentions_not_counted"], off, "{told}");
    }
    // The days of lines that name none are those that they count.
    let told = |by| {
        let told = call(&server, "mentions", json!({ "brand": "Nordlicht", "by": by }));
        told["structuredContent"]["completeness"].clone()
    };
    let days = told("day");
    assert_eq!(json!([days["from"], days["to"]]), json!(["2024-05-14", "2024-05-15"]), "{days}");
    for by in ["outlet", "language", "feed", "agency", "zone"] {
        assert_eq!(told(by), days, "{by}");
    }
    // Of long lists the last days are told, and that there are others.
    let range = json!({ "from": "2020-01-01", "to": "2024-05-31" });
    let covered = call(&server, "coverage", range)["structuredContent"].clone();
    let days = covered["days"].as_array().unwrap();
    assert_eq!((days.len(), &covered["truncated"]), (500, &json!(true)));
    assert_eq!(days[499]["day"], "2024-05-31");
    // Days to come take the place of none that has been.
    let range = json!({ "from": "2020-01-01", "to": "2999-12-31" });
    let covered = call(&server, "coverage", range.clone())["structuredContent"].clone();
    assert_eq!(covered["days"].as_array().unwrap().last().unwrap()["day"], covered["today"]);
    let told = call(&server, "mentions", range)["structuredContent"]["completeness"].clone();
    assert_eq!(told["to"], covered["today"]);
    let unpolled = told["unpolled"].as_array().unwrap();
    assert_eq!((unpolled.len(), unpolled.last()), (500, Some(&covered["today"])), "{told}");
    assert_eq!(told["truncated"], true);
    assert_eq!(mentions["structuredContent"]["truncated"], false);

    for (name, arguments, words) in [
        ("coverage", json!({ "from": "2024-05-14", "to": "2024-05-13" }), "is after `to`"),
        ("article", json!({ "key": key(99) }), "no article has the key"),
        ("mentions", json!({ "brand": "Nobody" }), "no brand is named `Nobody`"),
        ("mentions", json!({ "since": 1 }), "takes no `since`"),
    ] {
        let told = call(&server, name, arguments);
        assert_eq!(told["isError"], true, "{told}");
        assert!(told["content"][0]["text"].as_str().unwrap().contains(words), "{told}");
    }
}

#[test]
fn what_is_no_question_is_refused() {
    let server = Server::start();
    let post = |body: &str, fields: &[&str]| {
        order(server.at, "", "POST /mcp", fields, body.as_bytes()).status
    };
    assert!((400..500).contains(&post("{", &FIELDS)));
    assert!((400..500).contains(&post("[]", &FIELDS)));
    assert_eq!(post(&format!("\"{}\"", "x".repeat(70_000)), &FIELDS), 413);
    assert_eq!(post("{}", &FIELDS[..1]), 406);
    let stranger = [FIELDS[0], FIELDS[1], "Origin: https://evil.example"];
    assert_eq!(post("{}", &stranger), 403);
    // The next one is answered.
    let tools = send(&server, &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    assert_eq!(tools.status, 200);
}

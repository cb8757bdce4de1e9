//! An assistant's program asks over standard input and output, as the Model Context Protocol says.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::process::Place;
use crate::web::Web;

/// One session: what was answered, by id.
fn session(place: &Place, calls: &[(&str, Value)]) -> BTreeMap<u64, Value> {
    let mut lines = vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    for (id, (method, params)) in (1..).zip(calls) {
        lines.push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let out = place.feed(["mcp"], &input).good();
    let answers = out.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    answers.filter_map(|answer| Some((answer["id"].as_u64()?, answer))).collect()
}

#[test]
fn an_assistant_reads_what_the_command_line_says_and_changes_nothing() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let article = place.json(["articles", "--brand", "Acme"])[0].clone();
    let call = |name: &str, arguments: Value| {
        ("tools/call", json!({ "name": name, "arguments": arguments }))
    };
    let calls = [
        ("tools/list", json!({})),
        call("brands", json!({})),
        call("mentions", json!({ "brand": "Acme" })),
        call("articles", json!({ "brand": "Acme", "limit": 1 })),
        call("article", json!({ "key": article["key"] })),
        call("stories", json!({ "brand": "Acme" })),
        call("story", json!({ "id": article["key"] })),
        call("coverage", json!({})),
        call("why", json!({ "outlet": article["outlet"] })),
        call("status", json!({})),
        call("mentions", json!({ "brand": "Umbra" })),
        // Slips are told in a sentence.
        call("mentions", json!({ "brand": "Nobody" })),
        call("article", json!({})),
        call("articles", json!({ "colour": "red" })),
        call("articles", json!({ "from": "yesterday" })),
        call("forget", json!({ "what": article["key"] })),
        call("articles", json!({ "after": "1.2026-11-20.0123456789abcdef0123456789abcdef" })),
        call("articles", json!({ "limit": 500 })),
    ];
    let answers = session(&place, &calls);
    assert_eq!(answers.len(), calls.len() + 1, "{answers:?}");
    let about = answers[&0]["result"]["instructions"].as_str().unwrap();
    assert!(about.contains("`coverage`") && about.contains("`suppressed`"), "{about}");

    let tools = answers[&1]["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["brands", "mentions", "articles", "article", "stories", "coverage", "why"] {
        assert!(names.contains(&name), "{names:?}");
    }

    let said = |id: u64| {
        let result = &answers[&id]["result"];
        assert_ne!(result["isError"], true, "{result}");
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        text
    };
    assert_eq!(said(2), place.json(["brands", "list"]));
    let mentions = said(3);
    assert_eq!(mentions["lines"], place.json(["mentions", "--brand", "Acme"])["lines"]);
    assert!(mentions["lines"][0].get("coverage").is_some());
    assert!(mentions["lines"][0].get("suppressed").is_some());
    // Whatever counts says how complete its days are, and what was not counted in them.
    let coverage = said(8);
    let sum = |list: &Value, name: &str| -> u64 {
        list.as_array().unwrap().iter().map(|line| line[name].as_u64().unwrap()).sum()
    };
    for (answer, some) in [(&mentions, false), (&said(11), true)] {
        let off = sum(&answer["lines"], "suppressed");
        assert_eq!(answer["completeness"]["mentions_not_counted"], off, "{answer}");
        assert_eq!(off > 0, some, "{answer}");
    }
    for (id, name) in [(3, "mentions"), (4, "articles"), (6, "stories")] {
        let complete = said(id)["completeness"].clone();
        let days = [&complete["from"], &complete["to"]].map(|day| day.as_str().map(str::to_owned));
        // The 48 hours of the last day reach into the next.
        let last = days[1].as_ref().map(|day| day.parse::<crawler::model::Day>().unwrap());
        let after = last.map(|day| day.tomorrow().unwrap().to_string());
        let within = coverage["days"].as_array().unwrap().iter().filter(|day| {
            let day = day["day"].as_str().map(str::to_owned);
            days[0] <= day && day <= after
        });
        let due: u64 = within.map(|day| day["polls_due"].as_u64().unwrap()).sum();
        assert_eq!(complete["polls_due"], due, "{name}: {complete}");
        assert!(complete["provisional"].is_array(), "{name}: {complete}");
    }
    assert_eq!(said(4)["lines"].as_array().unwrap().len(), 1);
    assert_eq!(said(4)["lines"][0], article);
    assert_eq!(said(5)["record"]["key"], article["key"]);
    assert!(!said(6)["lines"].as_array().unwrap().is_empty());
    assert!(said(8)["days"].is_array());
    assert_eq!(said(9)["outlet"], article["outlet"]);
    assert!(said(10)["entries"].as_u64().unwrap() > 0);

    for (id, words) in [
        (12, "no brand is named `Nobody`"),
        (13, "`article` needs `key`"),
        (14, "`articles` takes no `colour`"),
        (15, "yesterday"),
        (17, "is not what `next` of `articles` said"),
    ] {
        let result = &answers[&id]["result"];
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(words), "{text}");
    }
    let unknown = answers[&16]["error"]["message"].as_str().unwrap();
    assert!(unknown.contains("there is no `forget`"), "{unknown}");
    // Page by page they are the same articles; there was no way behind the first page.
    let all = said(18);
    let all = all["lines"].as_array().unwrap();
    assert!(all.len() > 2 && said(18)["next"].is_null(), "{all:?}");
    let (mut walked, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = session(&place, &[call("articles", json!({ "limit": 2, "after": after }))]);
        let page = page[&1]["result"]["structuredContent"].clone();
        walked.extend(page["lines"].as_array().unwrap().clone());
        after = page["next"].clone();
        assert_eq!(page["truncated"] == true, after.is_string(), "{page}");
        if after.is_null() {
            break;
        }
    }
    assert_eq!(walked, *all);
    Place::new().run(["mcp"]).one_sentence(&["there is no store"]);
}

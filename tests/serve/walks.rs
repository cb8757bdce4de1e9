//! Lists that are read page by page while a crawl and its people go on.

use crawler::model::MINUTE;
use crawler::store::decision::{Change, Topic, Who};
use serde_json::Value;

use crate::client::get;
use crate::fixture::{Server, T0, key, publish};

/// Reads a list to its end, with something going on after each page.
fn walk(server: &Server, path: &str, list: &str, mut meanwhile: impl FnMut(usize)) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut after = String::new();
    for page in 0.. {
        let answer = get(server.at, &format!("/api/v1/{path}{after}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = answer.json();
        lines.extend(answer[list].as_array().unwrap().iter().cloned());
        assert_eq!(answer["next"].is_string(), answer["truncated"] == true, "{answer}");
        let Some(next) = answer["next"].as_str() else { return lines };
        after = format!("&after={next}");
        meanwhile(page);
    }
    lines
}

fn names(lines: &[Value], name: &str) -> Vec<String> {
    lines.iter().map(|line| line[name].as_str().unwrap().to_owned()).collect()
}

#[test]
fn articles_and_stories_come_once_each_while_others_arrive() {
    for (path, list, name) in [
        ("articles?limit=1", "articles", "key"),
        ("articles?brand=Nordlicht&suppressed=true&limit=1", "articles", "key"),
        ("articles?outlet=daily.test&limit=1", "articles", "key"),
        ("stories?limit=1", "stories", "id"),
    ] {
        let server = Server::start();
        let before =
            names(&walk(&server, &path.replace("limit=1", "limit=100"), list, |_| {}), name);
        assert!(before.len() >= 2, "{path}");
        // Behind the place, before it, and on the day of the place.
        let hours = [60, -20, 1, 29];
        let walked = walk(&server, path, list, |page| {
            let hour = hours[page % hours.len()];
            let n = 50 + u32::try_from(page).unwrap();
            if page < 8 {
                publish(&server.engine, n, "daily.test", hour);
            }
        });
        let walked = names(&walked, name);
        let mut once = walked.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), walked.len(), "{path}: {walked:?}");
        assert!(before.iter().all(|key| walked.contains(key)), "{path}: {walked:?} of {before:?}");
        assert!(walked.len() > before.len(), "{path}: what comes behind the place is read, too");
    }
}

#[test]
fn decisions_come_once_each_while_others_are_taken() {
    let server = Server::start();
    let store = server.engine.store.as_ref();
    let decide = |n: i64, at: i64| {
        let decision = Who::program().decides(at, Topic::Store, format!("decision {n}"));
        store.change(Change::Nothing, Some(&decision)).unwrap();
    };
    // Several at one instant.
    for n in 0..7 {
        decide(n, T0 + n / 3 * MINUTE);
    }
    let walked = walk(&server, "log?what=store&limit=2", "log", |page| {
        decide(100, T0 + 10 * MINUTE + i64::try_from(page).unwrap());
    });
    let expect: Vec<String> = (0..7).rev().map(|n| format!("decision {n}")).collect();
    assert_eq!(names(&walked, "decision"), expect);
}

#[test]
fn places_of_other_lists_are_refused() {
    let server = Server::start();
    let article = format!("2024-05-14.{}", key(11));
    for (path, words) in [
        (format!("stories?after={article}"), "parameter `after`"),
        (format!("articles?after=2.{article}"), "parameter `after`"),
        ("articles?after=x".to_owned(), "parameter `after`"),
        ("log?after=2024-05-14".to_owned(), "parameter `after`"),
        (format!("articles?after={article}&offset=1"), "`offset`"),
        ("feeds?after=x".to_owned(), "no parameter `after`"),
    ] {
        let answer = get(server.at, &format!("/api/v1/{path}"));
        assert_eq!(answer.status, 400, "{path}: {}", answer.body);
        assert!(answer.body.contains(words), "{path}: {}", answer.body);
    }
}

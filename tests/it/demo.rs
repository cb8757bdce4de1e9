//! `crawler demo` as its users see it: it agrees with the truth, and it would notice if it did not.

use std::process::Command;

use serde_json::Value;

fn demo(arguments: &[&str]) -> (Option<i32>, Value) {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_crawler"))
        .args(["demo", "--json"])
        .args(arguments)
        .current_dir(dir.path())
        .output()
        .unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), report)
}

#[test]
fn it_agrees_with_the_truth_beside_the_pages() {
    let (code, report) = demo(&[]);
    assert_eq!(report["differences"], serde_json::json!([]));
    assert_eq!(report["expected"], report["counted"]);
    assert_eq!(report["forbidden_requests"], 0);
    assert_eq!(code, Some(0));
    let number = |key: &str| report[key].as_u64().unwrap();
    assert!(number("articles") >= 100, "{} articles", number("articles"));
    assert!(number("outlets") >= 12 && number("languages") >= 6);
    assert!(number("stories") < number("articles"), "no copy was recognised");
}

#[test]
fn it_fails_when_suppression_is_off() {
    // `pr` keeps every block: what every tool does that counts words on pages.
    let (code, report) = demo(&["--labeler", "pr"]);
    assert_eq!(code, Some(3));
    let counted = |table: &Value| -> u64 {
        let brands = table.as_object().unwrap().values();
        let days = brands.flat_map(|days| days.as_object().unwrap().values());
        days.map(|counts| counts["counted"].as_u64().unwrap()).sum()
    };
    let (truth, found) = (counted(&report["expected"]), counted(&report["counted"]));
    assert!(found > 2 * truth, "counted {found}, true are {truth}");
}

/// Fifty counts differed, and nothing said why.
#[test]
fn a_clock_before_its_articles_is_named() {
    let mut place = crate::process::Place::new();
    let before: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let off = before.as_millisecond() - jiff::Timestamp::now().as_millisecond();
    place.write("off", off.to_string());
    place.clock = Some(format!("1:{}", place.path("off").display()));
    place.settings.clear();
    place.run(["demo"]).one_sentence(&["the clock of this machine says 20", "set the clock"]);
}

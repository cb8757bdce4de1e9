//! The house rules that a reader relies on: arrows between modules, a first line in every file,
//! files short enough to read, no test that never runs, no path of somebody's machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

mod circles;

/// The base rooms, which know nobody.
const BASES: [&str; 4] = ["model", "html", "tls", "words"];
/// The modules that know the base rooms and nothing else.
const STAGES: [&str; 9] =
    ["feed", "frontier", "fetch", "archive", "decode", "extract", "dedupe", "mention", "store"];

/// Lines after which a file must be split into rooms.
const LONGEST: usize = 600;
/// Tests that another test starts as a process of its own.
const STARTED_BY_OTHERS: [&str; 1] = ["src/store/tests/crash.rs"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every `.rs` file under the folders, by its path from the root.
fn sources(folders: &[&str]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|f| root().join(f)).collect();
    while let Some(dir) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    assert!(found.len() > 5, "no sources under {folders:?}");
    found
}

/// `src/feed/entry.rs` → `feed`, `src/lib.rs` → `lib`.
fn module_of(path: &str) -> &str {
    let inside = path.strip_prefix("src/").unwrap_or(path);
    inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs")
}

/// How many modules a file lies deep: `src/feed/mod.rs` 1, `src/feed/entry.rs` 2.
fn depth_of(path: &str) -> usize {
    let parts = path.trim_start_matches("src/").split('/').count();
    parts - usize::from(path.ends_with("/mod.rs"))
}

/// Source text without comments, so that docs may name what they like.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    )
}

/// First names of what follows `crate::` at `text`: one, or the members of a group.
fn names(text: &str) -> Vec<&str> {
    let first = |text: &'_ str| -> usize {
        text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
    };
    let Some(group) = text.strip_prefix('{') else { return vec![&text[..first(text)]] };
    let mut names = Vec::new();
    let (mut depth, mut fresh) = (0, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && depth == 0 && !c.is_whitespace() => {
                let rest = &group[at..];
                names.push(&rest[..first(rest)]);
                fresh = false;
            }
            _ => {}
        }
    }
    names
}

/// Modules that a file reaches by `crate::`, or by `super::` up to the root.
fn reached(path: &str, text: &str, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let code = code(text);
    let own = if path == "src/main.rs" { "crawler::" } else { "crate::" };
    let mut found: BTreeSet<String> = BTreeSet::new();
    for (at, _) in code.match_indices(own) {
        let before = code[..at].chars().next_back();
        if !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            found.extend(names(&code[at + own.len()..]).into_iter().map(str::to_owned));
        }
    }
    // A test module inside the file lies one deeper; it is followed by nothing but itself.
    let above = code.split("mod tests {").next().unwrap_or_default();
    let climb = "super::".repeat(depth_of(path));
    for (at, _) in above.match_indices(&climb) {
        found.extend(names(&above[at + climb.len()..]).into_iter().map(str::to_owned));
    }
    found.retain(|name| modules.contains(name) && name != module_of(path));
    found
}

/// The lines of the block ```` ```arrows ```` in ARCHITECTURE.md.
fn listed() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let block = text.split("```arrows\n").nth(1).expect("ARCHITECTURE.md has a block of arrows");
    let block = block.split("```").next().unwrap_or_default();
    block
        .lines()
        .map(|line| {
            let (from, to) = line.split_once("->").unwrap_or_else(|| panic!("no arrow: {line}"));
            let to = to.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
            (from.trim().to_owned(), to.collect())
        })
        .collect()
}

#[test]
fn paths_are_read_as_the_compiler_reads_them() {
    let modules: BTreeSet<String> =
        ["model", "feed", "store", "cli"].map(str::to_owned).into_iter().collect();
    let check = |path: &str, text: &str, expect: &[&str]| {
        let expect: BTreeSet<String> = expect.iter().map(|s| (*s).to_owned()).collect();
        assert_eq!(reached(path, text, &modules), expect, "{text}");
    };
    check("src/feed/mod.rs", "use crate::model::*;", &["model"]);
    check("src/feed/mod.rs", "use crate::feed::entry;", &[]);
    check("src/query.rs", "use crate::{model::{Day, feed}, store};", &["model", "store"]);
    check("src/query.rs", "fn f(x: crate::store::Filter) {} // crate::cli", &["store"]);
    check("src/query.rs", "use serde_crate::store;", &[]);
    check("src/feed/entry.rs", "use super::super::store::Filter;", &["store"]);
    check("src/feed/entry.rs", "mod tests { use super::super::store; }", &[]);
    check("src/main.rs", "crawler::cli::main()", &["cli"]);
}

#[test]
fn every_arrow_is_listed() {
    let sources = sources(&["src"]);
    let modules: BTreeSet<String> = sources.keys().map(|p| module_of(p).to_owned()).collect();
    let listed = listed();
    let mut wrong = Vec::new();
    for (path, text) in &sources {
        let from = module_of(path);
        if from == "lib" {
            continue;
        }
        for to in reached(path, text, &modules) {
            if !listed.get(from).is_some_and(|known| known.contains(&to)) {
                wrong.push(format!("{path}: {from} -> {to} is not an arrow of ARCHITECTURE.md"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for module in listed.keys().chain(listed.values().flatten()) {
        assert!(modules.contains(module), "ARCHITECTURE.md lists `{module}`, src/ has none");
    }
}

#[test]
fn stages_know_the_model_alone_and_nothing_points_back() {
    let listed = listed();
    for stage in STAGES {
        let known = listed.get(stage).unwrap_or_else(|| panic!("{stage} is not listed"));
        let is_base = |to: &String| BASES.contains(&to.as_str());
        assert!(known.iter().all(is_base), "{stage} -> {known:?}");
    }
    assert!(BASES.iter().all(|base| listed[*base].is_empty()));
    // No circle: modules can be taken away one by one, each when it imports nothing that is left.
    let mut left = listed;
    while !left.is_empty() {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|_, to| to.iter().any(|t| names.contains(t)));
        assert!(left.len() < before, "a circle among {names:?}");
    }
}

#[test]
fn the_core_reaches_nothing_outside() {
    let lib = std::fs::read_to_string(root().join("src/core.rs")).unwrap();
    let rooms: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(STAGES.iter().filter(|stage| rooms.contains(stage)).count() > 3, "{rooms:?}");
    for (path, text) in sources(&["src"]) {
        if !rooms.contains(&module_of(&path)) || path.ends_with("tests.rs") {
            continue;
        }
        let code = code(&text);
        let code = code.split("mod tests {").next().unwrap_or_default();
        for outside in [
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "Instant::now",
            "SystemTime",
            "Timestamp::now",
            "Zoned::now",
        ] {
            assert!(!code.contains(outside), "{path}: {outside}");
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (path, text) in sources(&["src", "tests", "benches", "fuzz/fuzz_targets"]) {
        // A module's `tests.rs` has that module's first line.
        if !path.ends_with("/tests.rs") {
            assert!(text.starts_with("//! "), "{path} does not begin with `//!`");
        }
    }
}

#[test]
fn files_are_short_enough_to_read() {
    for (path, text) in sources(&["src", "tests", "benches"]) {
        let lines = text.lines().count();
        assert!(lines <= LONGEST, "{path} has {lines} lines: split it into rooms");
    }
}

#[test]
fn every_test_runs() {
    // Written so that this file does not match itself.
    let mark = concat!("#[", "ignore");
    for (path, text) in sources(&["src", "tests"]) {
        let started = STARTED_BY_OTHERS.contains(&path.as_str());
        assert!(started || !text.contains(mark), "{path} has a test that does not run");
    }
}

#[test]
fn people_are_told_names_not_debug_output() {
    let told = ["cli", "config", "serve", "query", "crawl", "deliver"];
    let told: Vec<String> = told.iter().map(|room| format!("src/{room}")).collect();
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    for (path, text) in sources(&told).iter().filter(|(path, _)| !path.contains("/tests")) {
        let code = code(text.split("mod tests {").next().unwrap_or_default());
        let line = code.lines().find(|l| l.contains(":?}") && !l.contains("panic!"));
        assert!(line.is_none(), "{path} prints {{:?}}: {}", line.unwrap_or_default());
    }
}

#[test]
fn nothing_names_somebodys_machine() {
    let places = [concat!("/wo", "rk/"), concat!("/tmp/", "wt"), concat!("/tmp/", "corpora")];
    let homes = [concat!("/ho", "me/"), concat!("/ro", "ot/")];
    for (path, text) in sources(&["src", "tests", "benches", "fuzz/fuzz_targets"]) {
        for place in places.iter().chain(&homes) {
            assert!(!text.contains(place), "{path} names {place}");
        }
    }
}

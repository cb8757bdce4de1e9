//! Inside a module, too, arrows go one way: no two sibling files or rooms import each other, directly
//! or through others. A child that uses what its parent defines is no circle.

use std::collections::{BTreeMap, BTreeSet};

use super::{code, root, sources};

type Path = Vec<String>;
/// Room → file or room in it → its siblings that it imports.
type Arrows = BTreeMap<Path, BTreeMap<String, BTreeSet<String>>>;

/// The module that a file is: `src/feed/mod.rs` → feed, `src/feed/entry.rs` → feed, entry.
fn module(file: &str) -> Path {
    let inside = file.trim_start_matches("src/").trim_end_matches(".rs");
    inside.trim_end_matches("/mod").split('/').map(str::to_owned).collect()
}

/// Every path of a tree of imports, `a::{b, c::d}`, that begins at `text`.
fn expand(text: &str, before: &Path, found: &mut Vec<Path>) {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let mut path = before.clone();
    if !name.is_empty() {
        path.push(name.to_owned());
    }
    match (rest.strip_prefix("::"), rest.strip_prefix('{')) {
        (Some(rest), _) => expand(rest, &path, found),
        (None, Some(group)) if name.is_empty() => {
            let (mut depth, mut fresh) = (0, true);
            for (at, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => fresh = true,
                    _ => {}
                }
                if fresh && depth == 0 && c != ',' && !c.is_whitespace() {
                    expand(&group[at..], &path, found);
                    fresh = false;
                }
            }
        }
        _ => found.push(path),
    }
}

/// What a file names by `crate::` or `super::`, from the root; tests inside it left out.
fn named(own: &Path, text: &str) -> Vec<Path> {
    let code = code(text);
    let code = code.split("mod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    for (at, root) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let before = &code[..at];
        if before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let (mut base, mut rest) = (Path::new(), &code[at..]);
        if root == "super::" {
            base = own.clone();
            while let Some(above) = rest.strip_prefix("super::") {
                base.pop();
                rest = above;
            }
        } else {
            rest = &rest[root.len()..];
        }
        expand(rest, &base, &mut found);
    }
    found
}

/// The arrows between siblings, in every room below the first floor.
fn arrows(sources: &BTreeMap<String, String>) -> Arrows {
    let modules: BTreeSet<Path> = sources.keys().map(|file| module(file)).collect();
    let mut arrows = Arrows::new();
    for (file, text) in sources.iter().filter(|(file, _)| !file.contains("/tests")) {
        let own = module(file);
        for to in named(&own, text) {
            let shared = own.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(sibling)) = (own.get(shared), to.get(shared)) else { continue };
            if shared > 0 && modules.contains(&to[..=shared]) {
                let room = arrows.entry(own[..shared].to_vec()).or_default();
                room.entry(from.clone()).or_default().insert(sibling.clone());
            }
        }
    }
    arrows
}

/// What is left of a room when everything that imports nothing that is left, or that nothing left
/// imports, is taken away.
fn circle(room: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let mut left = room.clone();
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        left.values_mut().for_each(|to| to.retain(|name| names.contains(name)));
        let before = left.len();
        let wanted: BTreeSet<String> = left.values().flatten().cloned().collect();
        left.retain(|name, to| !to.is_empty() && wanted.contains(name));
        if left.len() == before {
            return left;
        }
    }
}

#[test]
fn siblings_do_not_import_each_other() {
    let wrong: Vec<_> = arrows(&sources(&["src"]))
        .into_iter()
        .map(|(room, arrows)| (room.join("/"), circle(&arrows)))
        .filter(|(_, left)| !left.is_empty())
        .map(|(room, left)| format!("src/{room}: {left:?}"))
        .collect();
    assert!(wrong.is_empty(), "circles:\n{}", wrong.join("\n"));
}

/// So it is with the scripts of the dashboard.
#[test]
fn scripts_do_not_import_each_other() {
    let folder = root().join("src/serve/dashboard");
    let scripts = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let room: BTreeMap<String, BTreeSet<String>> = scripts
        .filter(|path| path.extension().is_some_and(|e| e == "js"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let named = text.split(" from \"./").skip(1).filter_map(|rest| rest.split('"').next());
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, named.map(str::to_owned).collect())
        })
        .collect();
    assert!(room.len() > 10 && room["main.js"].contains("brands.js"), "{room:?}");
    assert_eq!(circle(&room), BTreeMap::new());
}

#[test]
fn each_store_knows_the_rules_and_nothing_of_the_other() {
    let arrows = arrows(&sources(&["src"]));
    let room = &arrows[&vec!["store".to_owned()]];
    for from in ["postgres", "embedded", "rules"] {
        for to in ["postgres", "embedded"] {
            assert!(!room[from].contains(to), "src/store: {from} imports {to}");
        }
    }
}

#[test]
fn circles_are_found() {
    let check = |files: &[(&str, &str)], expect: &[&str]| {
        let sources = files.iter().map(|(f, t)| ((*f).to_owned(), (*t).to_owned())).collect();
        let rooms = arrows(&sources);
        let found: Vec<String> = rooms.values().flat_map(|r| circle(r).into_keys()).collect();
        assert_eq!(found, expect, "{files:?}");
    };
    let root = ("src/a/mod.rs", "mod b; mod c; mod d; use b::B;");
    check(&[root, ("src/a/b.rs", "use super::c::C;"), ("src/a/c.rs", "use super::A;")], &[]);
    check(
        &[root, ("src/a/b.rs", "use super::c::C;"), ("src/a/c.rs", "use crate::a::b::B;")],
        &["b", "c"],
    );
    // By way of a third, from inside a room, in a group.
    check(
        &[
            root,
            ("src/a/b/mod.rs", ""),
            ("src/a/b/x.rs", "use crate::{z, a::{A, c::{C, CC}}};"),
            ("src/a/c.rs", "fn f() -> super::d::D {}"),
            ("src/a/d.rs", "use super::{A, b::B};"),
        ],
        &["b", "c", "d"],
    );
    check(
        &[
            root,
            ("src/a/b.rs", "use super::c::C; mod tests { use super::*; }"),
            ("src/a/c.rs", "// super::b\nmod tests { use super::super::b::B; }"),
        ],
        &[],
    );
}

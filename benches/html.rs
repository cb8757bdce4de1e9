//! Our parser beside html5ever: is it the same tree, and how much faster is it made?
//!
//! With `CRAWLER_CORPUS=DIR[,DIR…]` (folders with `pages/`) every page is parsed by both, the trees
//! are compared, and the times of one thread are taken in turns, page by page, `CRAWLER_ROUNDS`
//! times (5); a page counts with its median. html5ever builds the arena of `src/html/oracle.rs`.
//! `readable` passes over what never becomes text, as extraction does.
//!
//! With `HTML5LIB_CASES=DIR` the tree-construction cases of html5lib are run: those of whole
//! documents with scripting.

use std::path::{Path, PathBuf};

use crawler::decode;
use crawler::html::{self, Id, Keep, Kind, Limits, NONE, Space, Tree};
use crawler::meter::cpu;

#[allow(dead_code, reason = "tests use the rest of it")]
#[path = "../src/html/oracle.rs"]
mod oracle;
#[allow(dead_code, reason = "each bench uses its part of it")]
mod pages;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// No page of a corpus reaches these, so both trees are whole.
const LIMITS: Limits =
    Limits { depth: 1 << 20, nodes: 1 << 30, attributes: 1 << 30, bytes: 1 << 30 };
const READABLE: Keep<'_> = Keep::Readable { data: "application/ld+json" };
/// Pages that are named for a tree of their own.
const NAMED: usize = 10;

fn main() {
    if let Some(folder) = std::env::var_os("HTML5LIB_CASES") {
        cases(Path::new(&folder));
    }
    let pages = read_pages();
    compare(&pages);
    let rounds = std::env::var("CRAWLER_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    race(&pages, rounds);
}

/// Names and decoded texts of all pages.
fn read_pages() -> Vec<(String, String)> {
    let Ok(folders) = std::env::var("CRAWLER_CORPUS") else {
        return (0..16).map(|seed| (format!("made up {seed}"), pages::page(seed))).collect();
    };
    let mut pages = Vec::new();
    for folder in folders.split(',').map(PathBuf::from) {
        let files = std::fs::read_dir(folder.join("pages")).expect("a corpus has pages");
        for path in files.filter_map(|file| file.ok()).map(|file| file.path()) {
            let bytes = std::fs::read(&path).expect("a page that can be read");
            pages.push((
                path.display().to_string(),
                decode::html(&bytes, None, None).text.into_owned(),
            ));
        }
    }
    pages.sort();
    pages
}

fn compare(pages: &[(String, String)]) {
    let differs = |page: &str| {
        let ours = oracle::outline(&html::parse(page, &LIMITS, Keep::Everything));
        ours != oracle::parse(page).outline()
    };
    let others: Vec<&str> =
        pages.iter().filter(|(_, page)| differs(page)).map(|(name, _)| name.as_str()).collect();
    println!("{} of {} pages: the tree of html5ever", pages.len() - others.len(), pages.len());
    others.iter().take(NAMED).for_each(|name| println!("another tree: {name}"));
}

fn race(pages: &[(String, String)], rounds: usize) {
    let mut sums = [0.0; 3];
    for (_, page) in pages {
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..rounds {
            times[0].push(timed(|| drop(oracle::parse(page))));
            times[1].push(timed(|| drop(html::parse(page, &LIMITS, Keep::Everything))));
            times[2].push(timed(|| drop(html::parse(page, &LIMITS, READABLE))));
        }
        for (sum, times) in sums.iter_mut().zip(&mut times) {
            times.sort_by(f64::total_cmp);
            *sum += times[times.len() / 2];
        }
    }
    let bytes: usize = pages.iter().map(|(_, page)| page.len()).sum();
    println!("\n{} pages of {} KB, {rounds} rounds", pages.len(), bytes / pages.len() / 1_000);
    println!("\n{:<12}  {:>9}  {:>7}  {:>12}", "", "ms a page", "MB/s", "× html5ever");
    for (name, sum) in ["html5ever", "everything", "readable"].into_iter().zip(sums) {
        let (time, speed) = (sum / pages.len() as f64 * 1e3, bytes as f64 / sum / 1e6);
        println!("{name:<12}  {time:>9.3}  {speed:>7.0}  {:>12.2}", sums[0] / sum);
    }
}

/// CPU seconds of this thread.
fn timed(work: impl FnOnce()) -> f64 {
    let from = cpu();
    work();
    (cpu() - from).as_secs_f64()
}

fn cases(folder: &Path) {
    let files = std::fs::read_dir(folder).expect("the folder of html5lib's cases");
    let mut files: Vec<PathBuf> = files.filter_map(|f| f.ok()).map(|file| file.path()).collect();
    files.sort();
    let (mut passed, mut total) = (0, 0);
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "dat")) {
        let text = std::fs::read(file).expect("a file of cases");
        let text = format!("\n{}", String::from_utf8_lossy(&text));
        for case in text.split("\n#data\n").skip(1) {
            if case.contains("\n#document-fragment") || case.contains("\n#script-off") {
                continue;
            }
            let Some((page, rest)) = case.split_once("\n#errors") else { continue };
            let Some((_, expect)) = rest.split_once("\n#document\n") else { continue };
            total += 1;
            let tree = html::parse(page, &LIMITS, Keep::Everything);
            let (ours, expect) = (as_html5lib_writes(&tree), without_doctype(expect));
            if ours.trim_end() == expect.trim_end() {
                passed += 1;
                continue;
            }
            let also = match oracle::outline(&tree) == oracle::parse(page).outline() {
                true => "html5ever has our tree",
                false => "html5ever has not",
            };
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            println!("another tree in {name} ({also}): {page:?}");
        }
    }
    println!("{passed} of {total} cases of html5lib passed\n");
}

/// The tree does not keep the document type.
fn without_doctype(expect: &str) -> String {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in expect.lines() {
        inside |= line.starts_with("| <!DOCTYPE");
        if !inside {
            lines.push(line);
        }
        inside &= !line.ends_with('>');
    }
    lines.join("\n")
}

fn as_html5lib_writes(tree: &Tree<'_>) -> String {
    let mut out = String::new();
    for id in tree.descend(tree.root()) {
        let is_template = |&above: &Id| tree.tag(above).is_some() && tree.name(above) == "template";
        // Contents of templates stand one level deeper.
        let depth = tree.ancestors(id).count() - 1 + tree.ancestors(id).filter(is_template).count();
        let indent = " ".repeat(2 * depth);
        let node = &tree.nodes[id as usize];
        let text = tree.characters(node).unwrap_or("");
        match node.kind() {
            Kind::Document => {}
            Kind::Text => out.push_str(&format!("| {indent}\"{text}\"\n")),
            Kind::Comment => out.push_str(&format!("| {indent}<!-- {text} -->\n")),
            Kind::Element => {
                let space = match node.space() {
                    Space::Html => "",
                    Space::Svg => "svg ",
                    Space::MathMl => "math ",
                };
                out.push_str(&format!("| {indent}<{space}{}>\n", tree.name(id)));
                let mut attributes: Vec<String> = tree
                    .attributes(id)
                    .map(|attribute| {
                        let (prefix, name) = tree.adjusted(id, &attribute);
                        let prefix = format!("{prefix} ");
                        format!("{}{name}=\"{}\"", prefix.trim_start(), attribute.value())
                    })
                    .collect();
                attributes.sort();
                attributes.iter().for_each(|line| out.push_str(&format!("| {indent}  {line}\n")));
                if is_template(&id) {
                    out.push_str(&format!("| {indent}  content\n"));
                }
            }
        }
    }
    out
}

//! From bytes to article: what each stage costs beside parsing alone. CPU time of one thread; in
//! every round each stage of a page runs once, one after the other, so that all lines are of the
//! same minutes; a page counts with its median over the rounds.
//!
//! `plain parse` is html5ever over every byte of the page into an arena (`src/html/oracle.rs`);
//! `parse` is our parser, which passes over what never becomes text. The stages are measured alone, `whole` is measured as the
//! crawler calls it, and `rest` is what `whole` costs beyond its stages. `label` holds `features`.
//!
//! `growth` is `whole` on made-up pages of 10 KB to 10 MB, articles one after the other: a megabyte
//! costs the same in each.
//!
//! At the end each model of `deploy/model` is loaded, as the daemon does at its start.
//!
//! With `CRAWLER_CORPUS=DIR[,DIR…]` the pages of labelled corpora are measured (their format: see
//! `crawler::learn::corpus`) and the slowest are named; `CRAWLER_ROUNDS` sets the rounds (5). With
//! `CRAWLER_WHOLE` nothing but the whole is done, and nothing printed: for profiles.

use std::path::PathBuf;

use crawler::decode;
use crawler::extract::feature::rich;
use crawler::extract::{self, Hints, Limits, Model, PageBlocks, assign, dom, metadata, unseen};
use crawler::html::{Id, Kind, NONE, Space, Tree};
use crawler::learn::corpus::{Corpus, LabeledPage};
use crawler::meter::cpu;

#[allow(dead_code, reason = "tests use the rest of it")]
#[path = "../src/html/oracle.rs"]
mod oracle;
#[allow(dead_code, reason = "each bench uses its part of it")]
mod pages;

/// Made-up pages, if no corpus is given.
const PAGES: u64 = 16;
/// Slowest pages that are named.
const SLOWEST: usize = 10;
/// Times that each model is loaded.
const LOADS: usize = 21;
/// Kilobytes of the pages that show how cost grows.
const GROWTH: [usize; 4] = [10, 100, 1_000, 10_000];

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What is measured. The stages between the two parses and the whole are parts of the whole.
const STAGES: [&str; 10] = [
    "plain parse",
    "decode",
    "parse",
    "unseen",
    "segment",
    "metadata",
    "label",
    "name blocks",
    "whole",
    "features",
];
const PLAIN: usize = 0;
const PARSE: usize = 2;
const LABEL: usize = 6;
const WHOLE: usize = 8;
const FEATURES: usize = 9;

struct Page {
    id: String,
    url: Option<String>,
    bytes: Vec<u8>,
}

struct Bench {
    model: Model,
    limits: Limits,
}

fn main() {
    let rounds = std::env::var("CRAWLER_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let bench = Bench { model: Model::embedded(), limits: Limits::default() };
    let pages = read_pages();
    // For profiles: nothing but the whole is done.
    let alone = std::env::var_os("CRAWLER_WHOLE").is_some();
    let mut sums = [0.0; STAGES.len()];
    let mut whole: Vec<(f64, &str, usize)> = Vec::new();
    // Tables that are built once, at first use, are no page's cost.
    for page in pages.iter().take(3) {
        bench.round(page);
    }
    for page in &pages {
        if alone {
            (0..rounds).for_each(|_| _ = std::hint::black_box(bench.whole(page)));
            continue;
        }
        let times: Vec<_> = (0..rounds).map(|_| bench.round(page)).collect();
        for (stage, sum) in sums.iter_mut().enumerate() {
            *sum += median(times.iter().map(|t| t[stage]).collect());
        }
        let time = median(times.iter().map(|t| t[WHOLE]).collect());
        whole.push((time, &page.id, page.bytes.len()));
    }
    if alone {
        return;
    }
    print(&pages, rounds, &sums);
    whole.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\n{:>10}  {:>9}  slowest", "ms", "KB");
    for (time, id, bytes) in whole.iter().take(SLOWEST) {
        println!("{:>10.2}  {:>9}  {id}", time * 1e3, bytes / 1_000);
    }
    println!("\n{:>10}  {:>9}  growth", "ms per MB", "KB");
    for kilobytes in GROWTH {
        let page = grown(kilobytes * 1_000);
        let whole = |_| bench.round(&page)[WHOLE];
        let time = median((0..rounds).map(whole).collect());
        println!("{:>10.2}  {kilobytes:>9}", time * 1e9 / page.bytes.len() as f64);
    }
    println!("\n{:>10}  {:>9}  model loaded", "ms", "KB");
    for (name, bytes) in models() {
        let load = |_| timed(|| Model::load(&bytes).expect("a deployed model")).0;
        let time = median((0..LOADS).map(load).collect());
        println!("{:>10.2}  {:>9}  {name}", time * 1e3, bytes.len() / 1_000);
    }
}

/// A page of so many bytes: made-up pages without their heads, one after the other.
fn grown(bytes: usize) -> Page {
    let mut html = String::with_capacity(bytes);
    for seed in 0.. {
        let page = pages::page(seed);
        let main = page.find("<main>").unwrap_or(0);
        let room = bytes.saturating_sub(html.len());
        html.push_str(&page[main..page.floor_char_boundary(main + room)]);
        if main + room <= page.len() {
            break;
        }
    }
    Page { id: format!("made up {bytes}"), url: None, bytes: html.into_bytes() }
}

/// The deployed models, by name.
fn models() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/model");
    let files = std::fs::read_dir(folder).expect("the folder of the repository");
    let mut models: Vec<(String, Vec<u8>)> = files
        .filter_map(|file| file.ok())
        .filter(|file| file.path().extension().is_some_and(|e| e == "model"))
        .map(|file| {
            let bytes = std::fs::read(file.path()).expect("a file of the repository");
            (file.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect();
    models.sort();
    models
}

impl Bench {
    /// CPU seconds of each stage on a page.
    fn round(&self, page: &Page) -> [f64; STAGES.len()] {
        let hints = Hints { url: page.url.as_deref(), ..Hints::default() };
        let limits = &self.limits;
        let text = decode::html(&page.bytes, None, None).text;
        // A tree is dropped by who made it: that belongs to parsing.
        let (plain, ()) = timed(|| drop(oracle::parse(&text)));
        let (decode, _) = timed(|| decode::html(&page.bytes, None, None));
        let (parse, ()) = timed(|| drop(dom::parse(&text, limits)));
        let tree = dom::parse(&text, limits);
        let (unseen, _) = timed(|| unseen::of(&tree));
        let (segment, mut blocks) =
            timed(|| PageBlocks::segment(tree, self.model.profile(), limits));
        let (metadata, found) = timed(|| metadata::read(&blocks.dom, blocks.hidden(), &hints));
        blocks.evidence.title = found.title.as_ref().map(|t| t.value.clone());
        blocks.evidence.body = found.article_body.clone();
        let (label, scored) = timed(|| self.model.labeler().label(&blocks));
        let (features, _) = timed(|| rich::rich(&blocks));
        let title = blocks.evidence.title.as_deref();
        let (name, _) = timed(|| assign::labels(&blocks, &scored, title, &[]));
        let (whole, _) = timed(|| self.whole(page));
        [plain, decode, parse, unseen, segment, metadata, label, name, whole, features]
    }

    /// From bytes to article.
    fn whole(&self, page: &Page) -> usize {
        let hints = Hints { url: page.url.as_deref(), ..Hints::default() };
        let text = decode::html(&page.bytes, None, None).text;
        extract::article(&text, &hints, &self.model, &self.limits).article.text.len()
    }
}

/// CPU seconds of this thread that `work` takes, and what it makes.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let from = cpu();
    let made = std::hint::black_box(work());
    ((cpu() - from).as_secs_f64(), made)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn read_pages() -> Vec<Page> {
    let Ok(folders) = std::env::var("CRAWLER_CORPUS") else {
        let made_up = |seed| Page {
            id: format!("made up {seed}"),
            url: None,
            bytes: pages::page(seed).into_bytes(),
        };
        return (0..PAGES).map(made_up).collect();
    };
    let folders: Vec<PathBuf> = folders.split(',').map(PathBuf::from).collect();
    let corpus = Corpus::load(&folders).unwrap_or_else(|e| panic!("CRAWLER_CORPUS: {e:#}"));
    let read = |page: &LabeledPage| Page {
        id: format!("{} {}", page.corpus, page.gold.id),
        url: page.gold.url.clone(),
        bytes: page.bytes().unwrap_or_else(|e| panic!("CRAWLER_CORPUS: {e:#}")),
    };
    corpus.pages.iter().map(read).collect()
}

fn print(pages: &[Page], rounds: usize, sums: &[f64; STAGES.len()]) {
    let bytes: usize = pages.iter().map(|p| p.bytes.len()).sum();
    let n = pages.len() as f64;
    println!("{} pages of {:.0} KB, {rounds} rounds", pages.len(), bytes as f64 / n / 1e3);
    println!("\n{:<12}  {:>9}  {:>9}  {:>9}", "", "ms a page", "× parse", "× plain");
    let line = |name: &str, sum: f64| {
        let (parse, plain) = (sum / sums[PARSE], sum / sums[PLAIN]);
        println!("{name:<12}  {:>9.3}  {parse:>9.3}  {plain:>9.3}", sum / n * 1e3);
    };
    for (stage, (name, sum)) in STAGES.iter().zip(sums).enumerate().take(WHOLE) {
        line(name, *sum);
        if stage == LABEL {
            line("· features", sums[FEATURES]);
        }
    }
    line("rest", sums[WHOLE] - sums[PLAIN + 1..WHOLE].iter().sum::<f64>());
    line("whole", sums[WHOLE]);
    println!("\n{:.0} pages a CPU second", n / sums[WHOLE]);
}

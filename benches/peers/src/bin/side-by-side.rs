//! side-by-side FOLDER [ROUNDS]: CPU time of decode + extract per page, ours beside the fastest and
//! the best of the Rust extractors, interleaved page by page in one process.
//!
//! FOLDER is a labelled corpus (`pages/` and `gold.jsonl`). Each round runs every system once over
//! each page, in an order that rotates; a page's time is its median over the rounds.

use std::path::PathBuf;

use crawler::extract::{self, Hints, Limits, Model, dom};
use crawler::{decode, extract::PageBlocks};
use crawler_peers::{
    Extract, Page, cpu_seconds, dom_smoothie, guarded, on_large_stack, pages, pagesift, trafilatura,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A page above this many CPU seconds is reported for ours.
const SLOW: f64 = 0.2;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: side-by-side FOLDER [ROUNDS]");
        std::process::exit(2);
    };
    let rounds: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(5);
    std::panic::set_hook(Box::new(|_| {}));
    on_large_stack(move || match pages(&folder) {
        Ok(pages) => run(&pages, rounds.max(1)),
        Err(error) => eprintln!("{}: {error}", folder.display()),
    });
}

fn run(pages: &[Page], rounds: usize) {
    let (model, limits) = (Model::embedded(), Limits::default());
    let parse = |html: &str, _: Option<&str>| dom::parse(html, &limits).nodes.len();
    let label = |html: &str, url: Option<&str>| {
        let hints = Hints { url, ..Hints::default() };
        let page: PageBlocks = extract::prepare(html, &hints, model.profile(), &limits).0;
        model.labeler().label(&page).len()
    };
    let whole = |html: &str, url: Option<&str>| {
        let hints = Hints { url, ..Hints::default() };
        extract::article(html, &hints, &model, &limits).article.text.len()
    };
    let peer = |extract: Extract| {
        move |html: &str, url: Option<&str>| guarded(extract, html, url).map_or(0, |t| t.len())
    };
    let (pagesift, smoothie, trafilatura) = (peer(pagesift), peer(dom_smoothie), peer(trafilatura));
    type Work<'a> = &'a dyn Fn(&str, Option<&str>) -> usize;
    let systems: [(&str, Work<'_>); 6] = [
        ("decode + parse into our tree", &parse),
        ("ours: decode, parse, metadata, segment, label", &label),
        ("ours: the whole article", &whole),
        ("pagesift-content", &pagesift),
        ("dom_smoothie", &smoothie),
        ("trafilatura (Rust)", &trafilatura),
    ];
    // times[system][page][round]
    let mut times = vec![vec![Vec::with_capacity(rounds); pages.len()]; systems.len()];
    for round in 0..rounds {
        for (number, page) in pages.iter().enumerate() {
            for step in 0..systems.len() {
                let system = (step + number + round) % systems.len();
                let began = cpu_seconds();
                let html = decode::html(&page.bytes, None, None).text;
                std::hint::black_box(systems[system].1(&html, page.url.as_deref()));
                times[system][number].push(cpu_seconds() - began);
            }
        }
    }
    let medians: Vec<Vec<f64>> = times
        .iter_mut()
        .map(|pages| pages.iter_mut().map(|rounds| median(rounds)).collect())
        .collect();
    let bytes: usize = pages.iter().map(|p| p.bytes.len()).sum();
    let total = |system: usize| medians[system].iter().sum::<f64>();
    println!("{} pages, {:.1} MB, {rounds} rounds, CPU time\n", pages.len(), bytes as f64 / 1e6);
    println!("| system | ms/page | pages/CPU-s | MB/s | × parsing | slowest page, ms |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (number, (name, _)) in systems.iter().enumerate() {
        let seconds = total(number);
        let slowest = medians[number].iter().copied().fold(0.0, f64::max);
        println!(
            "| {name} | {:.2} | {:.0} | {:.1} | {:.2} | {:.1} |",
            seconds / pages.len().max(1) as f64 * 1e3,
            pages.len() as f64 / seconds,
            bytes as f64 / 1e6 / seconds,
            seconds / total(0),
            slowest * 1e3,
        );
    }
    for (page, seconds) in pages.iter().zip(&medians[2]).filter(|(_, s)| **s > SLOW) {
        println!("\nover {:.0} ms: {} took {:.0} ms", SLOW * 1e3, page.id, seconds * 1e3);
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

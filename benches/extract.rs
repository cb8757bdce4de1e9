//! From bytes to article, step by step, and the whole beside parsing alone. Speeds are over the
//! bytes of the pages, so that the lines compare.

use crawler::decode;
use crawler::extract::{self, Hints, Limits, Model, PageBlocks, Profile, dom, feature, metadata};
use divan::{Bencher, counter::BytesCount};

#[allow(dead_code, reason = "each bench uses its part of it")]
mod pages;

/// Pages per measurement.
const PAGES: u64 = 8;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn texts() -> Vec<String> {
    pages::pages(PAGES).iter().map(|bytes| decode::html(bytes, None, None).text).collect()
}

fn bytes_of(texts: &[String]) -> BytesCount {
    BytesCount::new(texts.iter().map(String::len).sum::<usize>())
}

/// The deployed model, if there is one beside the sources, else the one set by hand.
fn model() -> Model {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/model");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| Model::load(&std::fs::read(file.path()).ok()?).ok())
        .next()
        .unwrap_or_else(Model::by_hand)
}

#[divan::bench]
fn a_decode(bencher: Bencher) {
    let pages = pages::pages(PAGES);
    let bytes = BytesCount::new(pages.iter().map(Vec::len).sum::<usize>());
    bencher.counter(bytes).bench(|| {
        pages.iter().map(|page| decode::html(page, None, None).text.len()).sum::<usize>()
    });
}

#[divan::bench]
fn b_parse(bencher: Bencher) {
    let texts = texts();
    let limits = Limits::default();
    bencher
        .counter(bytes_of(&texts))
        .bench(|| texts.iter().map(|text| dom::parse(text, &limits).nodes.len()).sum::<usize>());
}

#[divan::bench]
fn c_segment_and_features(bencher: Bencher) {
    let texts = texts();
    let limits = Limits::default();
    bencher
        .counter(bytes_of(&texts))
        .with_inputs(|| texts.iter().map(|t| dom::parse(t, &limits)).collect::<Vec<_>>())
        .bench_local_values(|doms| {
            let read = |dom| {
                let page = PageBlocks::segment(dom, Profile::Modern, &limits);
                feature::eight::all(&page).len()
            };
            doms.into_iter().map(read).sum::<usize>()
        });
}

#[divan::bench]
fn d_label(bencher: Bencher) {
    let texts = texts();
    let model = model();
    let read = |text: &String| PageBlocks::read(text, model.profile(), &Limits::default());
    let blocks: Vec<PageBlocks> = texts.iter().map(read).collect();
    bencher
        .counter(bytes_of(&texts))
        .bench_local(|| blocks.iter().map(|page| model.labeler().label(page).len()).sum::<usize>());
}

#[divan::bench]
fn e_metadata(bencher: Bencher) {
    let texts = texts();
    let doms: Vec<_> = texts.iter().map(|t| dom::parse(t, &Limits::default())).collect();
    let hints = Hints::default();
    bencher.counter(bytes_of(&texts)).bench_local(|| {
        doms.iter().filter(|dom| metadata::read(dom, &hints).title.is_some()).count()
    });
}

/// Decode, parse, segment, label, metadata: what one page costs. Divide by `b_parse`.
#[divan::bench]
fn f_whole(bencher: Bencher) {
    let pages = pages::pages(PAGES);
    let bytes = BytesCount::new(pages.iter().map(Vec::len).sum::<usize>());
    let (model, limits) = (model(), Limits::default());
    bencher.counter(bytes).bench(|| {
        let read = |page: &Vec<u8>| {
            let text = decode::html(page, None, None).text;
            extract::article(&text, &Hints::default(), &model, &limits).article.text.len()
        };
        pages.iter().map(read).sum::<usize>()
    });
}

//! Term vectors, sim^σ and the search for copies over made-up articles whose word frequencies
//! and lengths are like the news' (Zipf, log-normal around 600 words).

use crawler::dedupe::{Index, Settings, Vector, similarity::sim};
use crawler::model::{HOUR, UrlKey};
use divan::{Bencher, counter::BytesCount};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn main() {
    divan::main();
}

/// An article of made-up words: rank r has probability ~ 1/r.
fn article(rng: &mut Pcg64Mcg) -> String {
    let spread: f64 = (0..6).map(|_| rng.random_range(-0.5..0.5)).sum();
    let words = (600.0 * (spread * 0.9).exp()) as usize;
    let mut text = String::new();
    for _ in 0..words {
        let rank = (60_000f64.ln() * rng.random_range(0.0..1.0)).exp() as u64;
        text.push_str(&format!("w{rank:x} "));
    }
    text
}

#[divan::bench]
fn vector_of(bencher: Bencher) {
    let text = article(&mut Pcg64Mcg::seed_from_u64(1));
    bencher.counter(BytesCount::of_str(&text)).bench(|| Vector::of(divan::black_box(&text)));
}

#[divan::bench]
fn sim_of_two(bencher: Bencher) {
    let rng = &mut Pcg64Mcg::seed_from_u64(2);
    let (a, b) = (Vector::of(&article(rng)), Vector::of(&article(rng)));
    bencher.bench(|| sim(divan::black_box(&a), divan::black_box(&b)));
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 20)]
fn near(bencher: Bencher, articles: u128) {
    let rng = &mut Pcg64Mcg::seed_from_u64(3);
    let mut index = Index::new(Settings::default());
    for key in 0..articles {
        let at = rng.random_range(0..30 * 24) * HOUR;
        index.insert(UrlKey(key), at, Vector::of(&article(rng)));
    }
    let mut rng = rng.clone();
    bencher
        .with_inputs(|| Vector::of(&article(&mut rng)))
        .bench_local_refs(|vector| index.near(15 * 24 * HOUR, vector));
}

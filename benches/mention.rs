//! Folding and matching of ten and of a thousand brands over made-up text in three scripts.

use crawler::mention::{Lexicon, fold::fold};
use crawler::model::Brand;
use divan::{Bencher, counter::BytesCount};

fn main() {
    divan::main();
}

fn lexicon(brands: usize) -> Lexicon {
    let brands: Vec<Brand> = (0..brands)
        .map(|i| Brand {
            name: format!("{}{}", ["Acme", "Zeta", "Ложка", "苹"][i % 4], i),
            whole_word: true,
            ..Brand::default()
        })
        .collect();
    Lexicon::build(&brands).expect("made-up brands are valid")
}

fn text() -> String {
    "The board of Acme12 met at noon; Zeta5 said it would wait and see what the rain brings. "
        .repeat(20)
        + &"Совет компании Ложка14 заседал утром, итоги сообщит завтра. ".repeat(20)
        + &"苹15公司今天在北京举行会议，明天公布结果。".repeat(20)
}

#[divan::bench]
fn folding(bencher: Bencher) {
    let text = text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| fold(divan::black_box(&text)));
}

#[divan::bench(args = [10, 1_000])]
fn matching(bencher: Bencher, brands: usize) {
    let (lexicon, text) = (lexicon(brands), text());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| lexicon.scan(divan::black_box(&text), Some("en")));
}

//! Folding, and matching of up to ten thousand made-up brands, over made-up text in three scripts and
//! in one without spaces. Beside it, within the same run, what the text's lower case and an Aho–Corasick
//! automaton over the same names take: without folding, word boundaries and letter case.

use aho_corasick::AhoCorasick;
use crawler::mention::{Lexicon, fold::fold};
use crawler::model::Brand;
use divan::{Bencher, counter::BytesCount};

fn main() {
    divan::main();
}

const SYLLABLES: [&str; 24] = [
    "ba", "co", "de", "fi", "go", "hu", "ka", "lo", "mi", "ne", "or", "pa", "qui", "ra", "so",
    "tu", "ven", "wa", "xi", "yo", "zan", "ter", "mon", "lin",
];
const CYRILLIC: [&str; 8] = ["ба", "ко", "де", "ло", "ми", "не", "тер", "мон"];
const HAN: [&str; 16] = [
    "苹", "果", "华", "为", "中", "海", "油", "新", "明", "天", "京", "东", "方", "大", "星", "光",
];

/// Different names: six Latin ones to two Cyrillic and two Han, and the four that the text has.
fn names(count: usize) -> Vec<String> {
    let spell = |number: usize, parts: &[&str], of: usize| -> String {
        (0..of).map(|place| parts[number / parts.len().pow(place as u32) % parts.len()]).collect()
    };
    let mut names = vec!["Acme12".into(), "Zeta5".into(), "Ложка14".into(), "苹15".into()];
    names.extend((0..count).map(|number| match number % 10 {
        8 => spell(number / 10, &HAN, 3),
        7 => spell(number / 10, &CYRILLIC, 4),
        6 => format!("{}К", spell(number / 10, &CYRILLIC, 4)),
        5 | 9 => format!("{} {}", spell(number, &SYLLABLES, 2), spell(number, &SYLLABLES, 3)),
        _ => spell(number, &SYLLABLES, 3),
    }));
    names.truncate(count);
    names
}

fn lexicon(count: usize) -> Lexicon {
    let brand = |name| Brand { name, whole_word: true, ..Brand::default() };
    let brands: Vec<Brand> = names(count).into_iter().map(brand).collect();
    Lexicon::build(&brands).expect("made-up brands are valid")
}

/// Text of three scripts, or of the one without spaces alone.
fn text(kind: &str) -> String {
    let han = "苹15公司今天在北京举行会议，明天公布结果。".repeat(20);
    if kind == "spaceless" {
        return han;
    }
    "The board of Acme12 met at noon; Zeta5 said it would wait and see what the rain brings. "
        .repeat(20)
        + &"Совет компании Ложка14 заседал утром, итоги сообщит завтра. ".repeat(20)
        + &han
}

#[divan::bench(args = ["mixed", "spaceless"])]
fn folding(bencher: Bencher, kind: &str) {
    let text = text(kind);
    bencher.counter(BytesCount::of_str(&text)).bench(|| fold(divan::black_box(&text)));
}

const MATCHED: [(&str, usize); 6] = [
    ("mixed", 10),
    ("mixed", 1_000),
    ("mixed", 10_000),
    ("spaceless", 10),
    ("spaceless", 1_000),
    ("spaceless", 10_000),
];

#[divan::bench(args = MATCHED)]
fn matching(bencher: Bencher, (kind, count): (&str, usize)) {
    let (lexicon, text) = (lexicon(count), text(kind));
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| lexicon.scan(divan::black_box(&text), Some("en")));
}

#[divan::bench(args = MATCHED)]
fn automaton(bencher: Bencher, (kind, count): (&str, usize)) {
    let names = names(count).into_iter().map(|name| name.to_lowercase());
    let automaton = AhoCorasick::new(names).expect("the names fit into an automaton");
    let text = text(kind);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| automaton.find_overlapping_iter(&divan::black_box(&text).to_lowercase()).count());
}

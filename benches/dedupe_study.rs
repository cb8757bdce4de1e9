//! Which τ? Labelled copies made from real articles against unrelated articles: precision and
//! recall of sim^σ per threshold, kind of copy and language, and those of MinHash-LSH and SimHash
//! on the same pairs. Prints the tables of docs/copies.md.
//!
//!     cargo bench --bench dedupe_study -- FOLDER…     (folders with gold.jsonl)

mod rivals;

use std::collections::{BTreeMap, HashSet};

use crawler::dedupe::{Vector, similarity::sim};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rivals::{Fingerprint, SCHEMES, shingles, undivided};

/// Texts below this are headlines and captions, above it books.
const TERMS: std::ops::RangeInclusive<u64> = 60..=5_000;
/// Copies are made of so many texts per language at most.
const SOURCES: usize = 500;
/// Thresholds of the tables.
const TAUS: [f64; 10] = [0.70, 0.75, 0.80, 0.84, 0.86, 0.88, 0.90, 0.92, 0.94, 0.96];
/// Terms of the shorter text, in classes.
const LENGTHS: [(u64, u64); 5] = [(0, 200), (200, 500), (500, 1000), (1000, 2000), (2000, 5001)];
/// Pairs that share more of their five-word shingles are copies that the corpora hold themselves.
const RELATED: f64 = 0.1;

struct Doc {
    text: String,
    vector: Vector,
    print: Fingerprint,
}

impl Doc {
    fn of(text: String) -> Doc {
        Doc { vector: Vector::of(&text), print: Fingerprint::of(&text), text }
    }
}

/// How a pair is judged by every method: sim^σ, and yes or no of each rival.
struct Verdict {
    sim: f64,
    rivals: [bool; SCHEMES.len()],
    /// Terms of the shorter text.
    terms: u64,
}

fn judge(a: &Doc, b: &Doc) -> Verdict {
    Verdict {
        sim: sim(&a.vector, &b.vector),
        rivals: a.print.matches(&b.print),
        terms: a.vector.len().min(b.vector.len()),
    }
}

/// Kinds of copies; those below the line are excerpts and rewritings, which are none by definition.
const KINDS: [(&str, bool); 13] = [
    ("recrawl: a line of furniture changed", true),
    ("template: lines before and after", true),
    ("retitled, with by-line", true),
    ("agency intro and date line", true),
    ("2 % of words edited", true),
    ("5 % of words edited", true),
    ("10 % of words edited", true),
    ("trimmed by 5 %", true),
    ("trimmed by 10 %, 2 % edited, intro", true),
    ("20 % of words edited", false),
    ("trimmed by 15 %", false),
    ("trimmed by 30 %", false),
    ("trimmed by 50 %", false),
];

fn main() {
    let mut languages: BTreeMap<String, Vec<Doc>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for folder in std::env::args().skip(1).filter(|a| !a.starts_with('-')) {
        let gold = std::fs::read_to_string(format!("{folder}/gold.jsonl")).expect("gold.jsonl");
        for line in gold.lines() {
            let page: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let text = page["text"].as_str().unwrap_or_default();
            let language = page["lang"].as_str().unwrap_or("?");
            let doc = Doc::of(text.to_string());
            if TERMS.contains(&doc.vector.len()) && seen.insert(text.to_string()) {
                languages.entry(language.to_string()).or_default().push(doc);
            }
        }
    }
    // Languages with few texts stand together, as pairs within each.
    let mut study = Study::default();
    let mut rng = Pcg64Mcg::seed_from_u64(2026);
    for (language, mut docs) in languages {
        docs.shuffle(&mut rng);
        let name = if docs.len() < 40 { "others".to_string() } else { language };
        study.copies(&name, &docs, &mut rng);
        study.unrelated(&name, &docs);
        *study.texts.entry(name).or_default() += docs.len();
    }
    study.print();
}

#[derive(Default)]
struct Study {
    texts: BTreeMap<String, usize>,
    /// By language and number of kind.
    copies: BTreeMap<(String, usize), Vec<Verdict>>,
    unrelated: BTreeMap<String, Vec<Verdict>>,
    related: usize,
}

impl Study {
    fn copies(&mut self, language: &str, docs: &[Doc], rng: &mut Pcg64Mcg) {
        for (i, doc) in docs.iter().take(SOURCES).enumerate() {
            let other = &docs[(i + 1) % docs.len()].text;
            for kind in 0..KINDS.len() {
                let copy = Doc::of(altered(&doc.text, other, kind, rng));
                let verdict = judge(doc, &copy);
                self.copies.entry((language.to_string(), kind)).or_default().push(verdict);
            }
        }
    }

    fn unrelated(&mut self, language: &str, docs: &[Doc]) {
        let sets: Vec<_> = docs.iter().map(|d| shingles(&d.text, 5)).collect();
        for i in 0..docs.len() {
            for j in 0..i {
                let verdict = judge(&docs[i], &docs[j]);
                if verdict.sim > 0.6 || verdict.rivals.iter().any(|r| *r) {
                    let shared = sets[i].intersection(&sets[j]).count();
                    if shared as f64 > RELATED * sets[i].len().min(sets[j].len()).max(1) as f64 {
                        self.related += 1;
                        continue;
                    }
                }
                self.unrelated.entry(language.into()).or_default().push(verdict);
            }
        }
    }

    fn print(&self) {
        println!("Texts: {:?}; {} related pairs left out.\n", self.texts, self.related);
        println!("Unrelated pairs: sim^σ, quantiles and how many reach a threshold.\n");
        println!(
            "| language | pairs | median | 99 % | 99.9 % | 99.99 % | ≥ 0.8 | ≥ 0.85 | ≥ 0.88 | ≥ 0.9 | ≥ 0.92 | ≥ 0.94 |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
        for (language, pairs) in &self.unrelated {
            row(language, pairs.iter().map(|p| p.sim).collect());
        }
        for (low, high) in LENGTHS {
            let all = self.unrelated.values().flatten();
            let part = all.filter(|p| (low..high).contains(&p.terms)).map(|p| p.sim).collect();
            row(&format!("all, {low} to {} terms", high - 1), part);
        }
        self.recall_by_kind();
        self.by_tau();
        self.by_length();
        self.by_language();
    }

    fn recall_by_kind(&self) {
        println!("\nRecall by kind of copy (sim^σ by τ, rivals at their settings).\n");
        print!("| kind |");
        TAUS.iter().for_each(|t| print!(" {t:.2} |"));
        SCHEMES.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|{}", "---|".repeat(TAUS.len() + SCHEMES.len()));
        for (kind, (name, copy)) in KINDS.iter().enumerate() {
            let all: Vec<&Verdict> =
                self.copies.iter().filter(|(k, _)| k.1 == kind).flat_map(|(_, v)| v).collect();
            print!("| {name}{} |", if *copy { "" } else { " (no copy)" });
            for tau in TAUS {
                print!(" {:.3} |", share(all.iter().map(|v| v.sim >= tau)));
            }
            for scheme in 0..SCHEMES.len() {
                print!(" {:.3} |", share(all.iter().map(|v| v.rivals[scheme])));
            }
            println!();
        }
    }

    /// Verdicts on pairs that are copies by definition.
    fn positives(&self, language: Option<&str>) -> Vec<&Verdict> {
        let of = |(l, kind): &(String, usize)| KINDS[*kind].1 && language.is_none_or(|x| x == l);
        self.copies.iter().filter(|(k, _)| of(k)).flat_map(|(_, v)| v).collect()
    }

    fn negatives(&self, language: Option<&str>) -> Vec<&Verdict> {
        let of = |l: &String| language.is_none_or(|x| x == l);
        self.unrelated.iter().filter(|(l, _)| of(l)).flat_map(|(_, v)| v).collect()
    }

    fn by_tau(&self) {
        let (positives, negatives) = (self.positives(None), self.negatives(None));
        println!("\n{} copies, {} unrelated pairs.\n", positives.len(), negatives.len());
        println!(
            "| method | precision | recall | false pairs | per million unrelated |\n|---|---|---|---|---|"
        );
        let line = |name: &str, hit: &dyn Fn(&Verdict) -> bool| {
            let hits = positives.iter().filter(|v| hit(v)).count();
            let wrong = negatives.iter().filter(|v| hit(v)).count();
            println!(
                "| {name} | {:.4} | {:.4} | {wrong} | {:.2} |",
                hits as f64 / (hits + wrong).max(1) as f64,
                hits as f64 / positives.len().max(1) as f64,
                wrong as f64 * 1e6 / negatives.len().max(1) as f64
            );
        };
        for tau in TAUS {
            line(&format!("sim^σ ≥ {tau:.2}"), &|v| v.sim >= tau);
        }
        for (scheme, (name, _)) in SCHEMES.iter().enumerate() {
            line(name, &|v| v.rivals[scheme]);
        }
    }

    fn by_length(&self) {
        println!("\nRecall by terms of the shorter text.\n");
        print!("| terms | copies |");
        TAUS.iter().for_each(|t| print!(" {t:.2} |"));
        SCHEMES.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|---|{}", "---|".repeat(TAUS.len() + SCHEMES.len()));
        for (low, high) in LENGTHS {
            let mut part = self.positives(None);
            part.retain(|v| (low..high).contains(&v.terms));
            print!("| {low} to {} | {} |", high - 1, part.len());
            for tau in TAUS {
                print!(" {:.3} |", share(part.iter().map(|v| v.sim >= tau)));
            }
            for scheme in 0..SCHEMES.len() {
                print!(" {:.3} |", share(part.iter().map(|v| v.rivals[scheme])));
            }
            println!();
        }
    }

    fn by_language(&self) {
        println!("\nPrecision / recall by language.\n");
        print!("| language | texts |");
        TAUS.iter().for_each(|t| print!(" {t:.2} |"));
        SCHEMES.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|---|{}", "---|".repeat(TAUS.len() + SCHEMES.len()));
        for (language, texts) in &self.texts {
            let (positives, negatives) =
                (self.positives(Some(language)), self.negatives(Some(language)));
            print!("| {language} | {texts} |");
            let cell = |hit: &dyn Fn(&Verdict) -> bool| {
                let hits = positives.iter().filter(|v| hit(v)).count();
                let wrong = negatives.iter().filter(|v| hit(v)).count();
                let precision = hits as f64 / (hits + wrong).max(1) as f64;
                print!(" {precision:.3} / {:.3} |", hits as f64 / positives.len().max(1) as f64);
            };
            TAUS.iter().for_each(|tau| cell(&|v| v.sim >= *tau));
            (0..SCHEMES.len()).for_each(|s| cell(&|v| v.rivals[s]));
            println!();
        }
    }
}

fn row(name: &str, mut sims: Vec<f64>) {
    sims.sort_by(f64::total_cmp);
    let at = |share: f64| sims.get((sims.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    print!(
        "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.3} |",
        sims.len(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(0.9999)
    );
    for tau in [0.8, 0.85, 0.88, 0.9, 0.92, 0.94] {
        print!(" {} |", sims.len() - sims.partition_point(|s| *s < tau));
    }
    println!();
}

fn share(hits: impl Iterator<Item = bool>) -> f64 {
    let (mut n, mut yes) = (0usize, 0usize);
    for hit in hits {
        n += 1;
        yes += usize::from(hit);
    }
    yes as f64 / n.max(1) as f64
}

/// A copy of `text` of one of [`KINDS`]; words that come in are taken from `other`.
fn altered(text: &str, other: &str, kind: usize, rng: &mut Pcg64Mcg) -> String {
    // Units that are edited: words, or characters where words are not divided.
    let units = |text: &str| -> Vec<String> {
        if undivided(text) {
            return text.chars().map(String::from).collect();
        }
        text.split_whitespace().map(|word| format!("{word} ")).collect()
    };
    let (ours, theirs) = (units(text), units(other));
    let some = |n: usize, rng: &mut Pcg64Mcg| -> String {
        let at = rng.random_range(0..theirs.len().max(n + 1) - n);
        theirs.iter().skip(at).take(n).map(String::as_str).collect()
    };
    let edited = |share: f64, rng: &mut Pcg64Mcg| -> Vec<String> {
        let one = |unit: &String, rng: &mut Pcg64Mcg| {
            if rng.random_bool(share) {
                theirs[rng.random_range(0..theirs.len())].clone()
            } else {
                unit.clone()
            }
        };
        ours.iter().map(|unit| one(unit, rng)).collect()
    };
    let cut = |units: &[String], share: f64| -> String {
        units[..(units.len() as f64 * (1.0 - share)) as usize].concat()
    };
    match kind {
        0 => format!("{text}\n{}", some(4, rng)),
        1 => format!("{}\n{text}\n{}", some(6, rng), some(10, rng)),
        2 => format!("{}\n{}\n{text}", some(9, rng), some(3, rng)),
        3 => format!("{}\n{text}\n{}", some(22, rng), some(4, rng)),
        4 => edited(0.02, rng).concat(),
        5 => edited(0.05, rng).concat(),
        6 => edited(0.10, rng).concat(),
        7 => cut(&ours, 0.05),
        8 => format!("{}\n{}", some(12, rng), cut(&edited(0.02, rng), 0.10)),
        9 => edited(0.20, rng).concat(),
        10 => cut(&ours, 0.15),
        11 => cut(&ours, 0.30),
        _ => cut(&ours, 0.50),
    }
}

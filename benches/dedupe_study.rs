//! Which τ, which rule? Labelled copies made from real articles against unrelated articles: precision and
//! recall of sim^σ per threshold, kind of copy and language, and those of the rule in use, of MinHash-LSH
//! and SimHash on the same pairs. Prints the tables of docs/copies.md.
//!
//!     cargo bench --bench dedupe_study -- FOLDER…     (folders with gold.jsonl)

mod rivals;
mod templates;

use std::collections::{BTreeMap, HashMap, HashSet};

use crawler::dedupe::rule::{Rule, Verdict as Judged, judge as by_rule};
use crawler::dedupe::{Print, Settings, excerpts, similarity::sim};
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
    own: Print,
    rivals: Fingerprint,
}

impl Doc {
    fn of(text: String) -> Doc {
        Doc { own: Print::of(&text), rivals: Fingerprint::of(&text), text }
    }
}

/// Share of the shorter text's terms that the longer one has, and do they share a mark?
fn containment(a: &Doc, b: &Doc) -> (f64, bool) {
    let shorter = a.own.vector.len().min(b.own.vector.len()).max(1);
    let share = a.own.vector.common(&b.own.vector) as f64 / shorter as f64;
    (share, a.own.marks.iter().any(|mark| b.own.marks.binary_search(mark).is_ok()))
}

/// How a pair is judged by every method: sim^σ, the rule in use, and yes or no of each rival.
struct Verdict {
    sim: f64,
    /// By the rule in use.
    rule: Judged,
    rivals: [bool; SCHEMES.len()],
    /// Terms of the shorter text.
    terms: u64,
}

impl Verdict {
    /// Copies by the rule in use?
    fn copies(&self) -> bool {
        matches!(self.rule, Judged::Copies(_))
    }
}

fn judge(a: &Doc, b: &Doc) -> Verdict {
    Verdict {
        rule: by_rule(Rule::default(), Settings::default().tau, &a.own, &b.own),
        sim: sim(&a.own.vector, &b.own.vector),
        rivals: a.rivals.matches(&b.rivals),
        terms: a.own.vector.len().min(b.own.vector.len()),
    }
}

/// Shares of the table of excerpts.
const SHARES: [f64; 6] = [0.70, 0.75, 0.80, 0.85, 0.90, 0.95];
/// Made excerpts: which part of the text, edited how much, with an introduction or not.
const EXCERPTS: [(&str, (f64, f64), f64, usize); 6] = [
    ("first 70 %", (0.0, 0.7), 0.0, 0),
    ("first half", (0.0, 0.5), 0.0, 0),
    ("first half, introduction of 12 words", (0.0, 0.5), 0.0, 12),
    ("middle 40 %, 5 % edited", (0.3, 0.7), 0.05, 0),
    ("last 30 %", (0.7, 1.0), 0.0, 0),
    ("first 20 %", (0.0, 0.2), 0.0, 0),
];
/// Reports per pattern.
const REPORTS: usize = 60;

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

/// Of [`KINDS`]: what is left of a text cut by 30 or 50 % is an excerpt of it.
const EXCERPT_KINDS: [usize; 2] = [11, 12];

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
            if TERMS.contains(&doc.own.vector.len()) && seen.insert(text.to_string()) {
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
        study.excerpts(&docs, &mut Pcg64Mcg::seed_from_u64(7));
        study.unrelated(&name, &docs);
        *study.texts.entry(name).or_default() += docs.len();
    }
    study.print(&mut Pcg64Mcg::seed_from_u64(8));
}

#[derive(Default)]
struct Study {
    texts: BTreeMap<String, usize>,
    /// By language and number of kind.
    copies: BTreeMap<(String, usize), Vec<Verdict>>,
    unrelated: BTreeMap<String, Vec<Verdict>>,
    related: usize,
    /// By number of kind: share, marks shared, terms of the excerpt.
    excerpts: BTreeMap<usize, Vec<(f64, bool)>>,
    /// Unrelated pairs by least share of [`SHARES`]: all, and those that share a mark.
    contained: BTreeMap<usize, (usize, usize)>,
    /// Each text with the other one that shares most of its rare words.
    same_topic: Vec<Verdict>,
}

impl Study {
    fn excerpts(&mut self, docs: &[Doc], rng: &mut Pcg64Mcg) {
        for (i, doc) in docs.iter().take(SOURCES).enumerate() {
            let other = &docs[(i + 1) % docs.len()].text;
            for (kind, (_, part, edited, intro)) in EXCERPTS.iter().enumerate() {
                let excerpt = Doc::of(excerpt(&doc.text, other, *part, *edited, *intro, rng));
                if excerpt.own.vector.len() >= TERMS.start() / 2 {
                    self.excerpts.entry(kind).or_default().push(containment(doc, &excerpt));
                }
            }
        }
    }

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
        let topics = topics(docs);
        let mut nearest: Vec<Option<(f32, usize)>> = vec![None; docs.len()];
        for i in 0..docs.len() {
            for j in 0..i {
                let verdict = judge(&docs[i], &docs[j]);
                let (contained, marked) = containment(&docs[i], &docs[j]);
                let alike = verdict.sim > 0.6 || verdict.rivals.iter().any(|r| *r);
                let related = (alike || contained > SHARES[0]) && {
                    let shared = sets[i].intersection(&sets[j]).count();
                    shared as f64 > RELATED * sets[i].len().min(sets[j].len()).max(1) as f64
                };
                if related && alike {
                    self.related += 1;
                    continue;
                }
                // Excerpts that the corpora hold themselves are none of these.
                let reached = SHARES.iter().filter(|s| !related && contained >= **s).count();
                for n in 0..reached {
                    let counts = self.contained.entry(n).or_default();
                    counts.0 += 1;
                    counts.1 += usize::from(marked);
                }
                let alike = cosine(&topics[i], &topics[j]);
                for (own, other) in [(i, j), (j, i)] {
                    if nearest[own].is_none_or(|(most, _)| alike > most) {
                        nearest[own] = Some((alike, other));
                    }
                }
                self.unrelated.entry(language.into()).or_default().push(verdict);
            }
        }
        for (own, near) in nearest.iter().enumerate() {
            // Each pair once, should both be each other's.
            if let Some((_, other)) = near
                && (own < *other || nearest[*other].is_none_or(|(_, theirs)| theirs != own))
            {
                self.same_topic.push(judge(&docs[own], &docs[*other]));
            }
        }
    }

    fn by_excerpt(&self) {
        println!("\nExcerpts: recall by share of the excerpt's terms, and with a shared mark.\n");
        print!("| kind | pairs |");
        SHARES.iter().for_each(|s| print!(" {s:.2} |"));
        print!(" mark | mark and {:.2} |", excerpts::SHARE);
        println!("\n|---|---|{}", "---|".repeat(SHARES.len() + 2));
        for (kind, (name, ..)) in EXCERPTS.iter().enumerate() {
            let pairs = self.excerpts.get(&kind).map_or(&[][..], Vec::as_slice);
            print!("| {name} | {} |", pairs.len());
            SHARES.iter().for_each(|s| print!(" {:.3} |", share(pairs.iter().map(|p| p.0 >= *s))));
            print!(" {:.3} |", share(pairs.iter().map(|p| p.1)));
            let both = share(pairs.iter().map(|p| p.1 && p.0 >= excerpts::SHARE));
            println!(" {both:.3} |");
        }
        print!("| unrelated, any | {} |", self.unrelated.values().map(Vec::len).sum::<usize>());
        let counts = |n: usize| self.contained.get(&n).copied().unwrap_or_default();
        (0..SHARES.len()).for_each(|n| print!(" {} |", counts(n).0));
        println!(" | |");
        print!("| unrelated, with a shared mark | |");
        (0..SHARES.len()).for_each(|n| print!(" {} |", counts(n).1));
        println!(" | |");
    }

    fn near_misses(&self, rng: &mut Pcg64Mcg) {
        println!("\nNear misses: different articles that are alike; none of these are copies.\n");
        print!("| pairs | number | median | 99 % |");
        TAUS.iter().for_each(|t| print!(" ≥ {t:.2} |"));
        print!(" rule 3 |");
        SCHEMES.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|---|---|---|{}", "---|".repeat(TAUS.len() + 1 + SCHEMES.len()));
        let line = |name: &str, pairs: &[Verdict]| {
            let mut sims: Vec<f64> = pairs.iter().map(|p| p.sim).collect();
            sims.sort_by(f64::total_cmp);
            let at = |part: f64| sims.get((sims.len() as f64 * part) as usize).copied();
            let quantile = |part| at(part).unwrap_or(0.0);
            print!("| {name} | {} | {:.3} | {:.3} |", pairs.len(), quantile(0.5), quantile(0.99));
            TAUS.iter().for_each(|t| print!(" {} |", pairs.iter().filter(|p| p.sim >= *t).count()));
            print!(" {} |", pairs.iter().filter(|p| p.copies()).count());
            (0..SCHEMES.len())
                .for_each(|s| print!(" {} |", pairs.iter().filter(|p| p.rivals[s]).count()));
            println!();
        };
        line("same topic: the text that shares most rare words", &self.same_topic);
        for (name, texts) in templates::reports(REPORTS, rng) {
            let docs: Vec<Doc> = texts.into_iter().map(Doc::of).collect();
            let pairs: Vec<Verdict> = (0..docs.len())
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .map(|(i, j)| judge(&docs[i], &docs[j]))
                .collect();
            line(&format!("one pattern: {name}, {} terms", docs[0].own.vector.len()), &pairs);
        }
    }

    fn print(&self, rng: &mut Pcg64Mcg) {
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
        self.near_misses(rng);
        self.by_excerpt();
    }

    fn recall_by_kind(&self) {
        println!("\nRecall by kind of copy (sim^σ by τ, rivals at their settings).\n");
        print!("| kind |");
        TAUS.iter().for_each(|t| print!(" {t:.2} |"));
        print!(" rule 3 |");
        SCHEMES.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|{}", "---|".repeat(TAUS.len() + 1 + SCHEMES.len()));
        for (kind, (name, copy)) in KINDS.iter().enumerate() {
            let all: Vec<&Verdict> =
                self.copies.iter().filter(|(k, _)| k.1 == kind).flat_map(|(_, v)| v).collect();
            print!("| {name}{} |", if *copy { "" } else { " (no copy)" });
            for tau in TAUS {
                print!(" {:.3} |", share(all.iter().map(|v| v.sim >= tau)));
            }
            print!(" {:.3} |", share(all.iter().map(|v| v.copies())));
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
            "| method | precision | recall | false pairs | per million unrelated | excerpts called copies | precision, excerpts counted as false |\n|---|---|---|---|---|---|---|"
        );
        let excerpts: Vec<&Verdict> = self
            .copies
            .iter()
            .filter(|(k, _)| EXCERPT_KINDS.contains(&k.1))
            .flat_map(|(_, v)| v)
            .collect();
        let line = |name: &str, hit: &dyn Fn(&Verdict) -> bool| {
            let hits = positives.iter().filter(|v| hit(v)).count();
            let wrong = negatives.iter().filter(|v| hit(v)).count();
            let parts = excerpts.iter().filter(|v| hit(v)).count();
            println!(
                "| {name} | {:.4} | {:.4} | {wrong} | {:.2} | {:.3} | {:.4} |",
                hits as f64 / (hits + wrong).max(1) as f64,
                hits as f64 / positives.len().max(1) as f64,
                wrong as f64 * 1e6 / negatives.len().max(1) as f64,
                parts as f64 / excerpts.len().max(1) as f64,
                hits as f64 / (hits + wrong + parts).max(1) as f64,
            );
        };
        for tau in TAUS {
            line(&format!("sim^σ ≥ {tau:.2}"), &|v| v.sim >= tau);
        }
        line("rule 3", &|v| v.copies());
        for (scheme, (name, _)) in SCHEMES.iter().enumerate() {
            line(name, &|v| v.rivals[scheme]);
        }
    }

    fn by_length(&self) {
        println!("\nRecall by terms of the shorter text.\n");
        print!("| terms | copies |");
        TAUS.iter().for_each(|t| print!(" {t:.2} |"));
        print!(" rule 3 |");
        SCHEMES.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|---|{}", "---|".repeat(TAUS.len() + 1 + SCHEMES.len()));
        for (low, high) in LENGTHS {
            let mut part = self.positives(None);
            part.retain(|v| (low..high).contains(&v.terms));
            print!("| {low} to {} | {} |", high - 1, part.len());
            for tau in TAUS {
                print!(" {:.3} |", share(part.iter().map(|v| v.sim >= tau)));
            }
            print!(" {:.3} |", share(part.iter().map(|v| v.copies())));
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
        print!(" rule 3 |");
        SCHEMES.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|---|{}", "---|".repeat(TAUS.len() + 1 + SCHEMES.len()));
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
            cell(&|v| v.copies());
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

/// Terms weighted by their rarity among these texts, as unit vectors: what a text is about.
fn topics(docs: &[Doc]) -> Vec<Vec<(u64, f32)>> {
    let mut texts: HashMap<u64, u32> = HashMap::new();
    for doc in docs {
        doc.own.vector.terms().for_each(|(term, _)| *texts.entry(term).or_default() += 1);
    }
    let weigh = |doc: &Doc| {
        let weight = |(term, count): (u64, u32)| {
            let rarity = (docs.len() as f32 / texts[&term] as f32).ln();
            (term, (count as f32).ln_1p() * rarity)
        };
        let mut terms: Vec<(u64, f32)> = doc.own.vector.terms().map(weight).collect();
        let norm = terms.iter().map(|(_, w)| w * w).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        terms.iter_mut().for_each(|(_, w)| *w /= norm);
        terms
    };
    docs.iter().map(weigh).collect()
}

fn cosine(a: &[(u64, f32)], b: &[(u64, f32)]) -> f32 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x.0 == y.0 {
            sum += x.1 * y.1;
        }
        i += usize::from(x.0 <= y.0);
        j += usize::from(y.0 <= x.0);
    }
    sum
}

/// Units that are edited: words, or characters where words are not divided.
fn units(text: &str) -> Vec<String> {
    if undivided(text) {
        return text.chars().map(String::from).collect();
    }
    text.split_whitespace().map(|word| format!("{word} ")).collect()
}

/// A part of `text`, some of its words replaced by those of `other`, after so many words of that.
fn excerpt(
    text: &str,
    other: &str,
    (from, to): (f64, f64),
    edited: f64,
    intro: usize,
    rng: &mut Pcg64Mcg,
) -> String {
    let (ours, theirs) = (units(text), units(other));
    let at = |share: f64| (ours.len() as f64 * share) as usize;
    let mut excerpt: String = theirs.iter().take(intro).map(String::as_str).collect();
    for unit in &ours[at(from)..at(to)] {
        let word =
            if rng.random_bool(edited) { &theirs[rng.random_range(0..theirs.len())] } else { unit };
        excerpt.push_str(word);
    }
    excerpt
}

/// A copy of `text` of one of [`KINDS`]; words that come in are taken from `other`.
fn altered(text: &str, other: &str, kind: usize, rng: &mut Pcg64Mcg) -> String {
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

//! Made-up articles whose lengths, word frequencies and languages are like the news': the words
//! are numbers, but how often they come, and how alike unrelated articles are, is measured.
//!
//! Each language has a Zipf–Mandelbrot law; each article bends the frequencies of the common words
//! a little, has a topic whose words return, and a log-normal length around 615 terms. Bend and
//! topic are set so that sim^σ of unrelated articles within ±20 % of length is spread as that of
//! real English articles (median 0.49, 99 % 0.75, 99.9 % 0.81).

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Words whose frequencies an article bends.
const COMMON: usize = 128;
/// How much: spread of the logarithm.
const BEND: f64 = 0.75;
/// Share of words that the topic gives.
const TOPIC: f64 = 0.2;
/// Words of a vocabulary.
const VOCABULARY: f64 = 500_000.0;

/// Share of articles, and the frequencies of words: `1 / (rank + shift)^power`.
const LANGUAGES: [(&str, f64, f64, f64); 10] = [
    ("en", 0.42, 1.5, 1.15),
    ("de", 0.14, 3.0, 1.1),
    ("es", 0.12, 1.5, 1.15),
    ("fr", 0.08, 1.7, 1.14),
    ("ru", 0.07, 5.0, 0.96),
    ("pt", 0.05, 1.7, 1.14),
    ("it", 0.04, 3.0, 1.1),
    ("zh", 0.04, 30.0, 0.9),
    ("pl", 0.02, 5.0, 0.97),
    ("tr", 0.02, 10.0, 0.95),
];

/// One language's frequencies.
#[derive(Clone, Copy)]
struct Language {
    name: &'static str,
    share: f64,
    shift: f64,
    power: f64,
}

impl Language {
    fn weight(&self, rank: usize) -> f64 {
        (rank as f64 + self.shift).powf(-self.power)
    }

    /// Integral of the weights up to a rank.
    fn area(&self, rank: f64) -> f64 {
        (rank + self.shift).powf(1.0 - self.power) / (1.0 - self.power)
    }

    /// A word that is not among the commonest, by its frequency.
    fn rare(&self, rng: &mut Pcg64Mcg) -> usize {
        let (low, high) = (self.area(COMMON as f64), self.area(VOCABULARY));
        let at = low + (high - low) * rng.random_range(0.0..1.0);
        let rank = (at * (1.0 - self.power)).powf(1.0 / (1.0 - self.power)) - self.shift;
        (rank as usize).max(COMMON)
    }
}

/// Makes articles; the same seed makes the same.
pub struct News {
    languages: [Language; 10],
    rng: Pcg64Mcg,
    /// Texts that may come again, as agencies' do.
    recent: Vec<String>,
}

impl News {
    pub fn new(seed: u64) -> News {
        let languages =
            LANGUAGES.map(|(name, share, shift, power)| Language { name, share, shift, power });
        News { languages, rng: Pcg64Mcg::seed_from_u64(seed), recent: vec![] }
    }

    /// The next article: one in eight is a copy of a recent one with small edits.
    pub fn next(&mut self) -> String {
        if self.rng.random_bool(0.125) && !self.recent.is_empty() {
            let i = self.rng.random_range(0..self.recent.len());
            let text = self.recent[i].clone();
            return self.edited(&text);
        }
        let text = self.fresh();
        if self.recent.len() < 20_000 {
            self.recent.push(text.clone());
        } else {
            let i = self.rng.random_range(0..self.recent.len());
            self.recent[i].clone_from(&text);
        }
        text
    }

    /// Every fiftieth word replaced, on average, and a few words put in front.
    fn edited(&mut self, text: &str) -> String {
        let mut copy = String::from("by our agency ");
        for word in text.split(' ') {
            let edit = self.rng.random_bool(0.02);
            copy.push_str(if edit { "edited" } else { word });
            copy.push(' ');
        }
        copy
    }

    /// An article that is nobody's copy.
    pub fn fresh(&mut self) -> String {
        let rng = &mut self.rng;
        let mut pick = rng.random_range(0.0..1.0);
        let mut language = self.languages[0];
        for other in self.languages {
            language = other;
            pick -= other.share;
            if pick < 0.0 {
                break;
            }
        }
        let words = (615.0 * (0.6 * normal(rng)).exp()).clamp(30.0, 30_000.0) as usize;
        // Cumulated weights of the common words, as this article bends them.
        let mut sum = 0.0;
        let common = [0; COMMON].map(|_: usize| normal(rng));
        let mut sums = [0.0; COMMON];
        for (rank, bend) in common.iter().enumerate() {
            sum += language.weight(rank + 1) * (BEND * bend).exp();
            sums[rank] = sum;
        }
        let total = sum + language.area(VOCABULARY) - language.area(COMMON as f64);
        let topic: Vec<usize> = (0..10 + words / 20).map(|_| language.rare(rng)).collect();
        let mut text = String::with_capacity(words * 6);
        for _ in 0..words {
            let rank = if rng.random_bool(TOPIC) {
                // Topic words have their own small Zipf law.
                let log = (topic.len() as f64).ln() * rng.random_range(0.0..1.0f64);
                topic[(log.exp() as usize - 1).min(topic.len() - 1)]
            } else {
                let at = rng.random_range(0.0..total);
                if at < sum { sums.partition_point(|s| *s < at) } else { language.rare(rng) }
            };
            put(&mut text, language.name, rank);
        }
        text
    }
}

fn put(text: &mut String, language: &str, rank: usize) {
    use std::fmt::Write;
    if language == "zh" {
        // Two characters are one term; a blank keeps neighbours from making another.
        let character = |n: usize| char::from_u32(0x4e00 + n as u32).unwrap_or('一');
        text.extend([character(rank / 500), character(5000 + rank % 500), ' ']);
    } else {
        let _ = write!(text, "{language}{rank:x} ");
    }
}

/// Normally distributed, closely enough.
fn normal(rng: &mut Pcg64Mcg) -> f64 {
    (0..6).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>() * std::f64::consts::SQRT_2
}

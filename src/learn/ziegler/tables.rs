//! Tables of the study of Ziegler & Skubacz 2007.
//!
//! Must not know: how figures were found.

use std::collections::BTreeMap;

use super::figures::Alone;
use super::pso::Ending;
use crate::learn::corpus::Corpus;
use crate::learn::metrics::interval::{Interval, bootstrap};
use crate::learn::metrics::summary::{ROUNDS, mean};

/// Languages of fewer texts have no row of their own.
const FEWEST: usize = 5;

/// sim^σ of every page by one strategy of Tab. 1.
pub(super) struct Strategy {
    pub(super) name: String,
    /// The paper's figure.
    pub(super) paper: Option<f64>,
    pub(super) training: Option<f64>,
    /// Pages held out.
    pub(super) split: Vec<f64>,
    /// All pages, each by what was learned without its fold.
    pub(super) folds: Vec<f64>,
}

/// Pages that have a row of their own, by position.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) pages: Vec<usize>,
}

/// A feature's part in the combination.
pub(super) struct Feature {
    pub(super) name: String,
    /// A lower bound.
    pub(super) least: bool,
    pub(super) threshold: f64,
    /// Share of the held-out blocks that it rejects, and that it alone rejects.
    pub(super) rejects: (f64, f64),
    /// Held-out score of the feature alone, its threshold learned from the training part.
    pub(super) alone: f64,
    /// Held-out score of the combination without it.
    pub(super) without: f64,
}

/// The best feature alone.
#[derive(Default)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) threshold: f64,
    /// Of each held-out page.
    pub(super) scores: Vec<f64>,
}

/// All thresholds together on the held-out part.
pub(super) struct Combination {
    pub(super) features: Vec<Feature>,
    pub(super) score: f64,
    pub(super) best: Row,
    /// Combination minus best feature, paired by page.
    pub(super) gain: Interval,
}

/// Texts of a language, and those whose language is told right.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub(super) texts: usize,
    pub(super) by_short: usize,
    pub(super) by_all: usize,
}

/// A mean with its 95 % interval over pages.
fn interval(scores: &[f64], seed: u64) -> String {
    let of = |sample: &[usize]| {
        sample.iter().map(|&i| scores[i]).sum::<f64>() / sample.len().max(1) as f64
    };
    let i = bootstrap(scores.len(), ROUNDS, seed, of);
    format!("{:.3} [{:.3}, {:.3}]", i.value, i.low, i.high)
}

pub(super) fn heading(corpus: &Corpus, most: Option<usize>, seed: u64) -> String {
    let drawn = most.map_or(String::new(), |n| format!(" (at most {n} of each, drawn at random)"));
    format!(
        "{} pages of {}{drawn}, hash {}, diversity {:.3}, seed {seed}. Mean sim^σ with its 95 % interval \
         over pages.\n",
        corpus.pages.len(),
        corpus.names.join(" + "),
        corpus.hash,
        corpus.diversity(),
    )
}

/// Tab. 1.
pub(super) fn strategies(strategies: &[Strategy], folds: usize, seed: u64) -> String {
    let mut out = format!(
        "\n| strategy | training | 30 % held out | {folds} grouped folds | paper |\n\
         |---|--:|--:|--:|--:|\n| HL | – | not measured | not measured | 0.909 |\n",
    );
    for s in strategies {
        let figure = |x: Option<f64>| x.map_or("–".into(), |t| format!("{t:.3}"));
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            s.name,
            figure(s.training),
            interval(&s.split, seed),
            interval(&s.folds, seed),
            figure(s.paper),
        ));
    }
    out
}

/// Tab. 1 over folds, for each group of pages.
pub(super) fn groups(groups: &[Group], strategies: &[Strategy], seed: u64) -> String {
    let mut out = String::from("\n| grouped folds | pages |");
    strategies.iter().for_each(|s| out.push_str(&format!(" {} |", s.name)));
    out.push_str("\n|---|--:|");
    strategies.iter().for_each(|_| out.push_str("--:|"));
    out.push('\n');
    for group in groups {
        out.push_str(&format!("| {} | {} |", group.name, group.pages.len()));
        for s in strategies {
            let scores: Vec<f64> = group.pages.iter().map(|&i| s.folds[i]).collect();
            out.push_str(&format!(" {} |", interval(&scores, seed)));
        }
        out.push('\n');
    }
    out
}

/// Fig. 3 in figures.
pub(super) fn curves(name: &str, endings: &[(String, Ending)]) -> String {
    let mut out = format!(
        "\n| swarm (Fig. 3), {name} | best ever | in generation | last ten: best | last ten: mean | \
         generations at 0 |\n|---|--:|--:|--:|--:|--:|\n"
    );
    for (name, e) in endings {
        out.push_str(&format!(
            "| {name} | {:.3} | {} | {:.3} | {:.3} | {} |\n",
            e.ever, e.generation, e.best, e.mean, e.lost
        ));
    }
    out
}

/// Fig. 4 in figures.
pub(super) fn alone(name: &str, alone: &[Alone]) -> String {
    let mut out = format!(
        "\n| feature alone (Fig. 4, held out), {name} | best threshold | sim^σ | as good within 0.005 \
         |\n|---|--:|--:|--:|\n"
    );
    for a in alone {
        out.push_str(&format!(
            "| {} | {:.3} | {:.3} | {:.3} … {:.3} |\n",
            a.feature, a.threshold, a.sim, a.range.0, a.range.1
        ));
    }
    out
}

/// Which thresholds work, and what the combination adds.
pub(super) fn combination(name: &str, c: &Combination) -> String {
    let mut out = format!(
        "\n| thresholds of the 70/30 split, {name} | threshold | rejects | it alone rejects | alone, \
         learned threshold | all but it |\n|---|--:|--:|--:|--:|--:|\n"
    );
    for f in &c.features {
        let idle = if f.rejects.0 == 0.0 { " (idle)" } else { "" };
        out.push_str(&format!(
            "| {}{idle} | {} {:.3} | {:.1} % | {:.1} % | {:.3} | {:.3} |\n",
            f.name,
            if f.least { "≥" } else { "≤" },
            f.threshold,
            100.0 * f.rejects.0,
            100.0 * f.rejects.1,
            f.alone,
            f.without,
        ));
    }
    let idle = c.features.iter().filter(|f| f.rejects.0 == 0.0).count();
    out.push_str(&format!(
        "\n{idle} of {} thresholds are idle. All together {:.3} held out; {} alone (best in training, {:.3}) \
         {:.3}; the difference is {:+.3} [{:.3}, {:.3}].\n",
        c.features.len(),
        c.score,
        c.best.name,
        c.best.threshold,
        mean(c.best.scores.iter().copied()),
        c.gain.value,
        c.gain.low,
        c.gain.high,
    ));
    out
}

/// §3.3: languages told by function words; those of fewer texts than five together.
pub(super) fn languages(told: &BTreeMap<String, Told>, short: usize) -> String {
    let mut out = format!(
        "\n| language by function words (§3.3) | texts | right by {short} characters | by the whole text \
         |\n|---|--:|--:|--:|\n"
    );
    let (mut all, mut rest) = (Told::default(), Told::default());
    let add = |sum: &mut Told, one: &Told| {
        sum.texts += one.texts;
        sum.by_short += one.by_short;
        sum.by_all += one.by_all;
    };
    let row = |name: &str, t: Told| {
        let share = |n: usize| n as f64 / t.texts.max(1) as f64;
        format!("| {name} | {} | {:.3} | {:.3} |\n", t.texts, share(t.by_short), share(t.by_all))
    };
    let mut rows: Vec<(&str, &Told)> = told.iter().map(|(name, t)| (name.as_str(), t)).collect();
    rows.sort_by_key(|(_, t)| std::cmp::Reverse(t.texts));
    for (name, one) in rows {
        add(&mut all, one);
        if one.texts < FEWEST {
            add(&mut rest, one);
        } else {
            out.push_str(&row(name, *one));
        }
    }
    out.push_str(&row("others", rest));
    out.push_str(&row("**all**", all));
    out
}

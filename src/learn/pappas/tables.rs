//! Tables of the study of Pappas et al. 2012.
//!
//! Must not know: how figures were found.

use super::options::StudyOptions;
use super::outcome::{Outcome, Pages, middle};
use super::readings::Read;
use super::{CLASSES, T2, name};
use crate::learn::corpus::Corpus;

pub(super) fn heading(corpus: &Corpus, options: &StudyOptions, samples: [&Pages; 2]) -> String {
    let mut out = format!(
        "Corpora {}, hash {}, seed {}, {} keywords, {} folds ({} trained on, the others tested).\n\n\
         | sample | pages A / AC / M | diversity | from |\n|---|--:|--:|---|\n",
        corpus.names.join(" + "),
        corpus.hash,
        options.seed,
        options.settings.keywords.len(),
        options.folds,
        1,
    );
    for (name, pages) in ["diverse", "non-diverse"].into_iter().zip(samples) {
        let sizes = CLASSES.map(|c| pages.of_class(c).len().to_string());
        let from = pages.names.iter().filter(|(_, n)| *n > 0);
        let from: Vec<String> = from.map(|(name, n)| format!("{name} {n}")).collect();
        out.push_str(&format!(
            "| {name} | {} | {:.3} | {} |\n",
            sizes.join(" / "),
            pages.diversity,
            from.join(", ")
        ));
    }
    out
}

pub(super) fn outcomes(rows: &[Vec<Outcome>; 2]) -> String {
    let names = CLASSES.map(|c| format!("{} alone", name(c)));
    let names: Vec<String> = names.into_iter().chain(["all three".into()]).collect();
    let mut out = String::new();
    for (sample, rows) in ["diverse", "non-diverse"].into_iter().zip(rows) {
        out.push_str(&format!(
            "\n| {sample} sample | precision | T1, T2 | RA printed | RA strict | Jaccard | pages with gold regions |\n\
             |---|--:|--:|--:|--:|--:|--:|\n"
        ));
        for (name, row) in names.iter().zip(rows) {
            let (t1, t2) = middle(&row.points);
            let r = &row.regions;
            out.push_str(&format!(
                "| {name} | {:.3} | {t1}, {} | {:.3} | {:.3} | {:.3} | {} |\n",
                row.precision, T2[t2], r.printed, r.strict, r.jaccard, r.pages
            ));
        }
        if let Some(all) = rows.get(3) {
            out.push_str(&format!("\n| {sample}, all three: gold | decided A | AC | M | recall |\n|---|--:|--:|--:|--:|\n"));
            for (class, row) in CLASSES.iter().zip(&all.confusion) {
                let sum = row.iter().sum::<usize>().max(1);
                let right = CLASSES.iter().position(|c| c == class).map_or(0, |k| row[k]);
                out.push_str(&format!(
                    "| {} | {} | {} | {} | {:.3} |\n",
                    name(*class),
                    row[0],
                    row[1],
                    row[2],
                    right as f64 / sum as f64
                ));
            }
            let precision = [0, 1, 2].map(|k| {
                let decided: usize = all.confusion.iter().map(|r| r[k]).sum();
                format!("{:.3}", all.confusion[k][k] as f64 / decided.max(1) as f64)
            });
            out.push_str(&format!("| precision | {} | |\n", precision.join(" | ")));
        }
    }
    out
}

pub(super) fn optima(optimum: &[usize]) -> String {
    let of = CLASSES.iter().zip(optimum).map(|(c, t1)| format!("{} {t1}", name(*c)));
    format!("\nT1's optimum at T2 = 20: {}.\n", of.collect::<Vec<_>>().join(", "))
}

/// What each reading of the print reaches, beside the paper and chance.
pub(super) fn readings(rows: &[Read], chosen: &str) -> String {
    let mut out = format!(
        "\n| reading | A at T1 0 | AC at T1 0 | M at T1 100 | off Tab. 2 | A low / high T1 | AC | M | M at its \
         best (T1) | all three | RA printed |\n|---|{}\n\
         | paper | 0.75 | 0.74 | 0.87 | | low better | low better | high better | | 0.74 | 0.78 |\n\
         | chance | 0.333 | 0.333 | 0.333 | | | | | 0.333 | 0.333 | |\n",
        "--:|".repeat(10)
    );
    for row in rows {
        let mark = if row.reading.name() == chosen { " (in use)" } else { "" };
        let [a, ac, m] = row.extreme;
        let sides = row.sides.map(|(low, high)| format!("{low:.3} / {high:.3}")).join(" | ");
        out.push_str(&format!(
            "| {}{mark} | {a:.3} | {ac:.3} | {m:.3} | {:.3} | {sides} | {:.3} ({}) | {:.3} | {:.3} |\n",
            row.reading.name(),
            row.distance(),
            row.best.1,
            row.best.0,
            row.all.precision,
            row.all.regions.printed,
        ));
    }
    out.push_str(
        "\nDiverse sample, T2 = 20 but for the last two columns (thresholds learned, five folds). Low: mean over \
         T1 from 0 to 40, high: from 60 to 100. Off Tab. 2: mean distance of the first three columns from the \
         paper's.\n",
    );
    out
}

//! The study's rows as tables.
//!
//! Must not know: how the figures were found.

use std::fmt::Write as _;

use super::Documents;
use super::options::StudyOptions;
use crate::extract::label::gibson::CONTENT;
use crate::learn::metrics::blocks::{
    BlockScore, LabeledPage, block_interval, block_score, is_contiguous,
};

/// One line of a table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) table: &'static str,
    pub(super) group: String,
    pub(super) name: String,
    pub(super) all: BlockScore,
    /// Ends of its 95 % intervals.
    pub(super) ends: (BlockScore, BlockScore),
    /// Of so many trainings, how many the optimiser ended by itself.
    pub(super) trained: (usize, usize),
    pub(super) contiguous: BlockScore,
    pub(super) other: BlockScore,
}

impl Row {
    pub(super) fn new(
        table: &'static str,
        group: &str,
        name: String,
        pages: &[LabeledPage<bool>],
    ) -> Row {
        let (contiguous, other): (Vec<_>, Vec<_>) = pages.iter().partition(|p| is_contiguous(p));
        Row {
            table,
            group: group.to_owned(),
            name,
            all: block_score(pages),
            ends: block_interval(pages),
            trained: (0, 0),
            contiguous: block_score(contiguous),
            other: block_score(other),
        }
    }
}

/// All that the printed report needs.
pub(super) struct Report<'a> {
    pub(super) corpora: &'a [String],
    pub(super) hash: &'a str,
    pub(super) sources: usize,
    pub(super) untouched: &'a Documents,
    pub(super) copied: &'a Documents,
    pub(super) options: &'a StudyOptions,
    pub(super) rows: &'a [Row],
}

const HEAD: &str = "doc. acc. | doc. P | doc. R | block P | block R | converged |";

impl Report<'_> {
    pub(super) fn table(&self) -> String {
        let o = self.options;
        let mut out = format!(
            "{} (hash {}), publishers with at least {} pages: {} pages of {} publishers ({}). Copies: \
             {} documents, {} articles ({}). {} folds, seed {}, at most {} steps of L-BFGS.\n",
            self.corpora.join(" + "),
            self.hash,
            o.least_per_source,
            self.untouched.list.len(),
            self.sources,
            counts(self.untouched),
            self.copied.list.len(),
            articles(self.copied),
            counts(self.copied),
            o.folds,
            o.seed,
            o.iterations,
        );
        self.section(&mut out, "prior", "σ, no duplicates, separate sources", "model");
        self.section(&mut out, "setups", "Models over the four data setups", "model");
        self.contiguous(&mut out);
        if self.rows.iter().any(|r| r.table == "language") {
            let heading = format!("The same, documents in `{}` alone", o.language);
            self.section(&mut out, "language", &heading, "model");
        }
        self.section(&mut out, "options", "Edge (E) and history (H) features", "model");
        self.section(&mut out, "ablation", "Feature types (CRF)", "features");
        self.section(&mut out, "amount", "Amount of training data (CRF)", "sources");
        self.section(&mut out, "untouched", "Pages as published", "labeler");
        out
    }

    fn section(&self, out: &mut String, table: &str, heading: &str, first: &str) {
        let _ = write!(out, "\n{heading}\n\n| {first} | {HEAD}\n|---|--:|--:|--:|--:|--:|--:|\n");
        let mut group = "";
        for row in self.rows.iter().filter(|r| r.table == table) {
            if row.group != group {
                group = &row.group;
                let _ = writeln!(out, "| **{group}** ({} documents) | | | | | | |", row.all.pages);
            }
            let _ = write!(out, "| {} |", row.name);
            let figures: [fn(&BlockScore) -> f64; 5] = [
                |s| s.document_accuracy,
                |s| s.document_precision,
                |s| s.document_recall,
                |s| s.block_precision,
                |s| s.block_recall,
            ];
            for of in figures {
                let (low, high) = (of(&row.ends.0), of(&row.ends.1));
                let _ = write!(out, " {:.3} [{low:.3}, {high:.3}] |", of(&row.all));
            }
            let _ = match row.trained {
                (_, 0) => writeln!(out, " – |"),
                (converged, of) => writeln!(out, " {converged}/{of} |"),
            };
        }
    }

    /// Tab. 3.
    fn contiguous(&self, out: &mut String) {
        out.push_str(
            "\nContiguous and other documents (accuracy, precision, recall of documents)\n\n\
             | model | other acc. | P | R | contiguous acc. | P | R |\n\
             |---|--:|--:|--:|--:|--:|--:|\n",
        );
        let mut group = "";
        for row in self.rows.iter().filter(|r| r.table == "setups") {
            if row.group != group {
                group = &row.group;
                let (n, m) = (row.other.pages, row.contiguous.pages);
                let _ = writeln!(out, "| **{group}** ({n} other, {m} contiguous) | | | | | | |");
            }
            let _ = write!(out, "| {} |", row.name);
            for s in [&row.other, &row.contiguous] {
                let (a, p, r) = (s.document_accuracy, s.document_precision, s.document_recall);
                let _ = write!(out, " {a:.3} | {p:.3} | {r:.3} |");
            }
            out.push('\n');
        }
    }

    /// One line per row.
    pub(super) fn csv(&self) -> anyhow::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "table",
            "group",
            "name",
            "documents",
            "document_accuracy",
            "document_precision",
            "document_recall",
            "block_precision",
            "block_recall",
            "contiguous_accuracy",
            "other_accuracy",
            "document_accuracy_low",
            "document_accuracy_high",
            "converged",
            "trained",
        ])?;
        for row in self.rows {
            let s = &row.all;
            let figures = [
                s.document_accuracy,
                s.document_precision,
                s.document_recall,
                s.block_precision,
                s.block_recall,
                row.contiguous.document_accuracy,
                row.other.document_accuracy,
            ];
            let names = [row.table.to_owned(), row.group.clone(), row.name.clone()];
            let counts = std::iter::once(s.pages.to_string());
            let ends = [row.ends.0.document_accuracy, row.ends.1.document_accuracy];
            let trained = [row.trained.0, row.trained.1].map(|n| n.to_string());
            let figures = figures.into_iter().chain(ends).map(|f| format!("{f:.4}"));
            writer.write_record(names.into_iter().chain(counts).chain(figures).chain(trained))?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }
}

fn articles(documents: &Documents) -> usize {
    documents.list.iter().map(|d| d.article).collect::<std::collections::BTreeSet<_>>().len()
}

/// Blocks of content and others.
fn counts(documents: &Documents) -> String {
    let labels = || documents.list.iter().flat_map(|d| &d.labels);
    let content = labels().filter(|l| **l == CONTENT).count();
    format!("{content} blocks of content, {} others", labels().count() - content)
}

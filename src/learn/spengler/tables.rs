//! Tables of Spengler & Gallinari 2009: overall figures of several systems (Tab. 1), figures per
//! label (Tab. 2), the learning curve (Fig. 1).
//!
//! Must not know: how labels were predicted.

use crate::learn::metrics::blocks::{LabelScore, LabelScores};
use crate::learn::report::chart::{Chart, Series};
use crate::learn::report::figures::Figure;
use crate::model::Label;

/// One system on one set of features and pages.
#[derive(Clone, Debug)]
pub struct Overall {
    pub system: String,
    pub scores: LabelScores<Label>,
}

/// Tab. 1. Micro is the mean over labels weighted by their leaves, as in the paper, so that its
/// recall is the accuracy; macro is the plain mean.
pub fn overall(rows: &[Overall]) -> String {
    let mut out = String::from(
        "| | micro P | micro R | micro F1 | macro P | macro R | macro F1 |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        let (a, b) = (percent(&row.scores.micro), percent(&row.scores.macro_));
        out.push_str(&format!("| {} | {a} | {b} |\n", row.system));
    }
    out
}

/// Tab. 2, with the leaves of each label in training and test.
pub fn per_label(training: &[(Label, usize)], scores: &LabelScores<Label>) -> String {
    let mut out = String::from(
        "| label | leaves in training | in test | P | R | F1 |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for (label, trained) in training {
        let score = scores.labels.get(label).copied().unwrap_or_default();
        out.push_str(&format!(
            "| {} | {trained} | {} | {} |\n",
            label.name(),
            score.occurrences,
            percent(&score)
        ));
    }
    out
}

fn percent(score: &LabelScore) -> String {
    let of = |x: f64| format!("{:.2}", 100.0 * x);
    format!("{} | {} | {}", of(score.precision), of(score.recall), of(score.f1))
}

/// A point of the learning curve: pages, and the accuracy of each sample.
#[derive(Clone, Debug)]
pub struct Point {
    pub pages: usize,
    pub accuracies: Vec<f64>,
}

impl Point {
    /// Mean and standard deviation of the samples.
    pub fn mean(&self) -> (f64, f64) {
        let n = self.accuracies.len().max(1) as f64;
        let mean = self.accuracies.iter().sum::<f64>() / n;
        let square: f64 = self.accuracies.iter().map(|a| (a - mean) * (a - mean)).sum();
        (mean, (square / (n - 1.0).max(1.0)).sqrt())
    }
}

/// Fig. 1 as a table and a chart: `curves` are named by their system.
pub fn learning_curve(
    name: &str,
    title: &str,
    curves: &[(String, Vec<Point>)],
) -> (String, Figure) {
    let mut table = String::from("| training pages |");
    curves.iter().for_each(|(system, _)| table.push_str(&format!(" {system} |")));
    table.push_str("\n|--:|");
    curves.iter().for_each(|_| table.push_str("--:|"));
    table.push('\n');
    let longest = curves.iter().map(|(_, points)| points.len()).max().unwrap_or(0);
    for at in 0..longest {
        let pages = curves.iter().find_map(|(_, points)| points.get(at)).map_or(0, |p| p.pages);
        table.push_str(&format!("| {pages} |"));
        for (_, points) in curves {
            match points.get(at).map(Point::mean) {
                Some((mean, deviation)) => {
                    table.push_str(&format!(" {:.2} ± {:.2} |", 100.0 * mean, 100.0 * deviation))
                }
                None => table.push_str(" – |"),
            }
        }
        table.push('\n');
    }
    let mut csv = String::from("system,pages,sample,accuracy\n");
    let mut series = Vec::new();
    for (system, points) in curves {
        for point in points {
            for (sample, accuracy) in point.accuracies.iter().enumerate() {
                csv.push_str(&format!("{system},{},{},{accuracy:.6}\n", point.pages, sample + 1));
            }
        }
        let of = |p: &Point| (p.pages as f64, 100.0 * p.mean().0);
        series.push(Series {
            name: system.clone(),
            points: points.iter().map(of).collect(),
            dashed: false,
        });
    }
    let chart = Chart {
        title: title.into(),
        x: "training pages".into(),
        y: "accuracy over leaves, per cent".into(),
        series,
    };
    (table, Figure { name: name.into(), csv, svg: chart.svg() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::metrics::blocks::label_scores;

    #[test]
    fn tables_show_what_was_scored() {
        let page = vec![
            (Label::Paragraph, Label::Paragraph),
            (Label::Paragraph, Label::None),
            (Label::None, Label::None),
            (Label::None, Label::None),
        ];
        let scores = label_scores([&page]);
        let table = per_label(&[(Label::Paragraph, 7), (Label::Title, 1)], &scores);
        assert!(table.contains("| paragraph | 7 | 2 | 100.00 | 50.00 | 66.67 |"), "{table}");
        assert!(table.contains("| title | 1 | 0 | 0.00 | 0.00 | 0.00 |"), "{table}");
        let table = overall(&[Overall { system: "SVM".into(), scores }]);
        assert!(table.contains("| SVM | 83.33 | 75.00 |"), "{table}");
    }

    #[test]
    fn the_curve_is_the_mean_of_its_samples() {
        let point = |pages, accuracies: [f64; 2]| Point { pages, accuracies: accuracies.into() };
        let curves = [
            ("CRF".to_owned(), vec![point(10, [0.8, 0.9]), point(20, [0.9, 0.9])]),
            ("SVM".to_owned(), vec![point(10, [0.7, 0.7])]),
        ];
        let (table, figure) = learning_curve("curve", "Curve", &curves);
        assert!(table.contains("| 10 | 85.00 ± 7.07 | 70.00 ± 0.00 |"), "{table}");
        assert!(table.contains("| 20 | 90.00 ± 0.00 | – |"), "{table}");
        assert_eq!(figure.csv.lines().nth(2), Some("CRF,10,2,0.900000"));
        assert_eq!(figure.svg.matches("<polyline").count(), 2);
    }
}

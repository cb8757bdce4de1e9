//! Evaluation results as a table for people and as CSV, one row a page.
//!
//! Must not know: how pages were extracted.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::learn::metrics::summary::{Means, PageScore, Summary};

/// Markdown table of several systems or corpora, one row each.
pub fn summaries<'a>(rows: impl IntoIterator<Item = (&'a str, &'a Summary)>) -> String {
    let mut out = String::from(
        "| | pages | sim^σ | P | R | F1 | exact | word F1 | ROUGE-LSum | mention P | mention R | \
         mention F1 | empty | pages/CPU-s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (name, s) in rows {
        let speed = if s.cpu_seconds > 0.0 {
            format!("{:.0}", s.pages as f64 / s.cpu_seconds)
        } else {
            "–".into()
        };
        out.push_str(&format!(
            "| {name} | {} | {} | {:.3} | {:.3} | {:.3} | {} | {speed} |\n",
            s.text_pages,
            figures(&s.means),
            s.mentions.p,
            s.mentions.r,
            s.mentions.f1,
            s.empty
        ));
    }
    out
}

/// Markdown table of one summary's languages and its domain means.
pub fn languages(summary: &Summary) -> String {
    let mut out = String::from(
        "| | pages | sim^σ | P | R | F1 | exact | word F1 | ROUGE-LSum |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let rows = summary.languages.iter().map(|(l, m)| (l.as_str(), m));
    let domains = format!("all, {} domains weigh 1", summary.domains);
    for (name, m) in
        rows.chain([(domains.as_str(), &summary.domain_means), ("all", &summary.means)])
    {
        out.push_str(&format!("| {name} | {} | {} |\n", m.pages, figures(m)));
    }
    out
}

/// Markdown table of page types and region accuracy (Pappas et al. 2012, eq. 4), one row each.
pub fn structures<'a>(rows: impl IntoIterator<Item = (&'a str, &'a Summary)>) -> String {
    let mut out = String::from(
        "| | pages | type right | pages with regions | RA printed | RA strict | Jaccard |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for (name, s) in rows {
        let (s, r) = (&s.structure, &s.structure.regions);
        out.push_str(&format!(
            "| {name} | {} | {:.3} | {} | {:.3} | {:.3} | {:.3} |\n",
            s.pages, s.precision, r.pages, r.printed, r.strict, r.jaccard
        ));
    }
    out
}

fn figures(m: &Means) -> String {
    format!(
        "{:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3}",
        m.sim, m.shingle.p, m.shingle.r, m.shingle.f1, m.exact, m.words.f1, m.rouge.f1
    )
}

/// One row a page, with a header.
pub fn pages_csv(pages: &[PageScore]) -> Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record([
        "corpus",
        "id",
        "domain",
        "lang",
        "error",
        "empty",
        "seconds",
        "chars",
        "sim_sigma",
        "sh_p",
        "sh_r",
        "sh_f1",
        "exact",
        "word_f1",
        "rl_p",
        "rl_r",
        "rl_f1",
        "m_gold",
        "m_pred",
        "m_tp",
    ])?;
    for p in pages {
        let mut row = vec![
            p.corpus.clone(),
            p.id.clone(),
            p.domain.clone(),
            p.language.clone(),
            p.error.clone().unwrap_or_default(),
            u8::from(p.scores.empty).to_string(),
            format!("{:.6}", p.seconds),
            p.scores.characters.to_string(),
        ];
        match &p.scores.text {
            None => row.extend(std::iter::repeat_n(String::new(), 12)),
            Some(t) => {
                let number = |x: f64| format!("{x:.6}");
                let maybe = |x: Option<f64>| x.map(number).unwrap_or_default();
                row.extend([
                    number(t.similarity),
                    maybe(t.shingles.precision()),
                    maybe(t.shingles.recall()),
                    number(t.shingles.prf().2),
                    u8::from(t.exact).to_string(),
                    number(t.words.prf().2),
                    number(t.rouge.0),
                    number(t.rouge.1),
                    number(t.rouge.2),
                    t.gold_mentions.to_string(),
                    t.predicted_mentions.to_string(),
                    t.mentions.tp.to_string(),
                ]);
            }
        }
        csv.write_record(&row)?;
    }
    Ok(String::from_utf8_lossy(&csv.into_inner()?).into_owned())
}

/// Pages by corpus, in corpus order.
pub fn by_corpus(pages: &[PageScore]) -> BTreeMap<String, Vec<PageScore>> {
    let mut out: BTreeMap<String, Vec<PageScore>> = BTreeMap::new();
    for p in pages {
        out.entry(p.corpus.clone()).or_default().push(p.clone());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::metrics::{Gold, brands::Brands, score, summarise};

    #[test]
    fn rows_have_all_columns() {
        let text = "Nord opens, a plant";
        let scores = score(&Gold { text, ..Gold::default() }, text, &Brands::parse("Nord"));
        let bare = PageScore { id: "x,y".into(), ..PageScore::default() };
        let pages = [PageScore { id: "a".into(), scores, ..PageScore::default() }, bare];
        let csv = pages_csv(&pages).expect("memory");
        assert_eq!(csv.lines().count(), 3);
        assert!(csv.lines().nth(2).is_some_and(|l| l.contains("\"x,y\"")));
        let table = summaries([("ours", &summarise(&pages))]);
        let columns = |l: &str| l.matches('|').count();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines.iter().all(|l| columns(l) == columns(lines[0])), "{table}");
        assert!(languages(&summarise(&pages)).contains("| all | 1 | 1.000"));
    }
}

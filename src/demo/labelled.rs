//! The small web as a labelled corpus (`pages/ID.html` and `gold.jsonl`): pages with all of their style sheets,
//! for experiments with what a browser makes of them.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use super::outlet::{self, Part};
use super::page;

/// Writes every article into `folder`; says how many there are. Pages are in UTF-8 with a byte order mark,
/// whatever they declare.
///
/// # Errors
/// A file cannot be written.
pub fn save(folder: &Path) -> Result<usize> {
    let pages = folder.join("pages");
    std::fs::create_dir_all(&pages).with_context(|| pages.display().to_string())?;
    let mut gold = String::new();
    let mut count = 0;
    for outlet in outlet::load_all()? {
        for article in &outlet.articles {
            let id = format!("{}_{}", outlet.host.replace('.', "-"), article.slug);
            let file = pages.join(format!("{id}.html"));
            let html = format!("\u{feff}{}", page::render(&outlet, article));
            std::fs::write(&file, html).with_context(|| file.display().to_string())?;
            let of = |wanted: fn(&Part) -> Option<&str>| -> Vec<&str> {
                article.parts.iter().filter_map(wanted).collect()
            };
            let lead = of(|part| match part {
                Part::Lead(text) => Some(text),
                _ => None,
            });
            let body = of(|part| match part {
                Part::Paragraph(text) | Part::Heading(text) | Part::Quote(text) => Some(text),
                _ => None,
            });
            let authors = of(|part| match part {
                Part::Byline(text) => Some(text),
                _ => None,
            });
            let comments = of(|part| match part {
                Part::Comment { text, .. } => Some(text),
                _ => None,
            });
            let text = lead.iter().chain(&body).copied().collect::<Vec<_>>().join("\n");
            let line = json!({
                "id": id,
                "url": outlet.url_of(article),
                "domain": outlet.host,
                "lang": outlet.language,
                "title": article.title,
                "published": article.date,
                "text": text,
                "summary_lines": lead.len(),
                "authors": authors,
                "comments": comments,
            });
            gold.push_str(&format!("{line}\n"));
            count += 1;
        }
    }
    let file = folder.join("gold.jsonl");
    std::fs::write(&file, gold).with_context(|| file.display().to_string())?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::corpus;

    #[test]
    fn every_article_is_a_page_with_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let count = save(folder.path()).unwrap();
        let (_, gold) = corpus::load(folder.path()).unwrap();
        assert_eq!(gold.len(), count);
        for page in gold {
            let file = folder.path().join("pages").join(format!("{}.html", page.id));
            assert!(std::fs::read_to_string(file).unwrap().contains("<"), "{}", page.id);
            assert!(!page.text.is_empty() && page.title.is_some() && page.domain.is_some());
        }
    }
}

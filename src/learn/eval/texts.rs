//! Extracted texts on disk, as any extractor can write them: one JSON object a line.
//!
//! | key | meaning |
//! |---|---|
//! | `id` | the page's id in its corpus |
//! | `corpus` | optional: the corpus' name; needed where two corpora have a page of this id |
//! | `text` | what was extracted, one paragraph a line |
//! | `title`, `published`, `authors` | optional: metadata; a date as ISO 8601, names as a list |
//! | `seconds` | optional: CPU seconds |
//! | `error` | optional: why there is no text |
//!
//! Unknown keys are ignored. Must not know: metrics, who extracted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::learn::metrics::stated::Said;

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corpus: Option<String>,
    pub text: String,
    #[serde(flatten)]
    pub said: Said,
    /// CPU seconds.
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The texts of one system.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    lines: HashMap<(Option<String>, String), Line>,
}

impl Texts {
    /// Reads one or more files. Errors name the file and line.
    pub fn load(files: &[PathBuf]) -> Result<Texts> {
        let mut texts = Texts::default();
        for file in files {
            let rows = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the texts {}", file.display()))?;
            texts.read(&rows, None, file)?;
        }
        Ok(texts)
    }

    /// Reads `folder/<corpus>/<name>.jsonl` of each corpus that has one.
    pub fn of_folder(folder: &Path, corpora: &[String], name: &str) -> Result<Texts> {
        let mut texts = Texts::default();
        for corpus in corpora {
            let file = folder.join(corpus).join(format!("{name}.jsonl"));
            if file.exists() {
                let rows = std::fs::read_to_string(&file)
                    .with_context(|| format!("cannot read the texts {}", file.display()))?;
                texts.read(&rows, Some(corpus), &file)?;
            }
        }
        Ok(texts)
    }

    fn read(&mut self, rows: &str, corpus: Option<&str>, file: &Path) -> Result<()> {
        for (number, row) in rows.lines().enumerate().filter(|(_, r)| !r.trim().is_empty()) {
            let at = || format!("{} line {}", file.display(), number + 1);
            let line: Line = serde_json::from_slice(row.as_bytes()).with_context(at)?;
            let corpus = line.corpus.clone().or_else(|| corpus.map(str::to_owned));
            let id = line.id.clone();
            if self.lines.insert((corpus, id), line).is_some() {
                bail!("{}: the page is there twice; say which corpus with `corpus`", at());
            }
        }
        Ok(())
    }

    /// The text of a page, if there is a line for it.
    pub fn of(&self, corpus: &str, id: &str) -> Option<&Line> {
        let named = (Some(corpus.to_owned()), id.to_owned());
        self.lines.get(&named).or_else(|| self.lines.get(&(None, named.1)))
    }

    /// Lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// Names of the systems that have texts of any of the corpora in `folder`, sorted.
pub fn systems(folder: &Path, corpora: &[String]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for corpus in corpora {
        let Ok(entries) = std::fs::read_dir(folder.join(corpus)) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "jsonl")
                && let Some(name) = path.file_stem()
            {
                names.push(name.to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    names.dedup();
    if names.is_empty() {
        bail!("{} holds no CORPUS/NAME.jsonl of these corpora", folder.display());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("texts.jsonl");
        std::fs::write(&path, rows).expect("file");
        (dir, path)
    }

    #[test]
    fn a_corpus_is_named_or_any() {
        let (_dir, path) = file(
            "{\"id\":\"1\",\"corpus\":\"a\",\"text\":\"of a\"}\n\
             {\"id\":\"2\",\"text\":\"of any\",\"more\":0}\n",
        );
        let texts = Texts::load(&[path]).expect("good texts");
        let text = |corpus, id| texts.of(corpus, id).map(|l| l.text.as_str());
        assert_eq!((text("a", "1"), text("b", "1")), (Some("of a"), None));
        assert_eq!((text("a", "2"), text("b", "2")), (Some("of any"), Some("of any")));
    }

    #[test]
    fn folders_name_corpus_and_system() {
        let dir = tempfile::tempdir().expect("temporary folder");
        for (corpus, text) in [("a", "one"), ("b", "two")] {
            std::fs::create_dir(dir.path().join(corpus)).expect("folder");
            let row = format!("{{\"id\":\"1\",\"text\":\"{text}\"}}");
            std::fs::write(dir.path().join(corpus).join("peer.jsonl"), row).expect("file");
        }
        let corpora = ["a".to_string(), "b".to_string(), "c".to_string()];
        assert_eq!(systems(dir.path(), &corpora).expect("texts"), ["peer"]);
        let texts = Texts::of_folder(dir.path(), &corpora, "peer").expect("good texts");
        assert_eq!(texts.of("b", "1").map(|l| l.text.as_str()), Some("two"));
        assert!(systems(dir.path(), &corpora[2..]).is_err());
    }

    #[test]
    fn errors_name_the_line() {
        let (_dir, path) = file("{\"id\":\"1\",\"text\":\"x\"}\n{\"id\":\"1\",\"text\":\"y\"}");
        let error = format!("{:#}", Texts::load(&[path]).expect_err("a page twice"));
        assert!(error.contains("line 2"), "{error}");
    }
}

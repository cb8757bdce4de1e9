//! Labelled pages on disk.
//!
//! A corpus is a folder with `pages/<id>.html` or `pages/<id>.html.gz` (the bytes as published) and
//! `gold.jsonl`, one JSON object a page. Keys, all optional but `id`; unknown ones are ignored:
//!
//! | key | meaning |
//! |---|---|
//! | `id`, `url`, `lang`, `domain` | `domain` = registered domain, the group for cross-validation |
//! | `url_inferred` | where the collection does not know `url`: what the page itself says of it |
//! | `text` | the article text, one paragraph a line |
//! | `optional` | paragraphs that are in `text` but may be missing without error |
//! | `title`, `authors`, `published` | metadata |
//! | `comments` | reader comments, as text |
//! | `posts` | posts of a thread, objects with `text` |
//! | `related` | links to related articles, as text |
//! | `page_type` | `article`, `forum`, `listing` …; missing means article |
//! | `must_contain`, `must_not_contain` | snippets that an extraction must or must not hold |
//! | `summary_lines` | the first so many lines of `text` are the lead |
//! | `encoding` | character encoding of the page's bytes |
//! | `suspect` | true: the gold is doubtful, the page is skipped |
//!
//! Must not know: labelers, metrics.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use rayon::prelude::*;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::drawn::{self, Drawn};
use super::hand::{self, Hand};
use crate::model::hex;

/// Pages longer than this after decompression are refused, in bytes.
const PAGE_CAP: u64 = 64 << 20;

/// One line of `gold.jsonl`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GoldPage {
    pub id: String,
    pub url: Option<String>,
    pub url_inferred: Option<String>,
    pub lang: Option<String>,
    pub domain: Option<String>,
    pub text: Option<String>,
    pub optional: Vec<String>,
    pub title: Option<String>,
    pub authors: Vec<String>,
    pub published: Option<String>,
    pub comments: Vec<String>,
    pub posts: Vec<Post>,
    pub related: Vec<String>,
    pub page_type: Option<String>,
    pub must_contain: Vec<String>,
    pub must_not_contain: Vec<String>,
    pub summary_lines: Option<usize>,
    pub encoding: Option<String>,
    pub suspect: bool,
}

/// One post of a thread.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Post {
    pub text: String,
}

/// A labelled page: its gold and where its bytes are.
#[derive(Clone, Debug)]
pub struct LabeledPage {
    pub corpus: String,
    pub gold: GoldPage,
    /// The gold's first line, in letters and digits, where scoring leaves it out as the title.
    pub headline: Option<String>,
    /// Labels of its visible leaves that were set by hand.
    pub hand: Option<Hand>,
    /// How a browser drew its visible leaves.
    pub drawn: Option<Drawn>,
    path: PathBuf,
}

/// One or more corpus folders.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    pub names: Vec<String>,
    pub pages: Vec<LabeledPage>,
    /// SHA-256 over gold lines and page bytes of the folders, 16 hex digits.
    pub hash: String,
}

impl Corpus {
    /// Reads the gold of all `folders` and hashes them; pages are sorted by corpus and id.
    /// Errors name the folder and line or page.
    pub fn load(folders: &[PathBuf]) -> Result<Corpus> {
        let mut corpus = Corpus::default();
        let mut hash = Sha256::new();
        for folder in folders {
            let (name, mut pages, folder_hash) = load_folder(folder)?;
            if corpus.names.contains(&name) {
                bail!("two corpora are named `{name}`");
            }
            hash.update(folder_hash);
            corpus.names.push(name);
            corpus.pages.append(&mut pages);
        }
        corpus.hash = hex(&hash.finalize()[..8]);
        Ok(corpus)
    }

    /// Keeps the pages whose type is one of `types` (a page without a type is an `article`).
    pub fn keep_types(&mut self, types: &[String]) {
        self.pages.retain(|p| {
            let kind = p.gold.page_type.as_deref().unwrap_or("article");
            types.iter().any(|t| t == kind)
        });
    }

    /// As [`Corpus::keep_types`], and only pages that have a gold text.
    pub fn keep_texts(&mut self, types: &[String]) {
        self.keep_types(types);
        self.pages.retain(LabeledPage::has_text);
    }

    /// Takes the labels that the label files of `folder` give pages: of the first pass, and only where it
    /// is finished. The hash covers them.
    ///
    /// # Errors
    /// If a label file cannot be read, or none is there.
    pub fn read_labels(&mut self, folder: &Path) -> Result<()> {
        let mut hash = Sha256::new();
        hash.update(&self.hash);
        for page in &mut self.pages {
            let file = hand::path(folder, &page.corpus, 1, &page.gold.id);
            page.hand = Hand::read(&file)?.filter(|hand| hand.head.done);
            if page.hand.is_some() {
                hash.update(std::fs::read(&file)?);
            }
        }
        if self.pages.iter().all(|page| page.hand.is_none()) {
            bail!("{} has labels of no page of {}", folder.display(), self.names.join(", "));
        }
        self.hash = hex(&hash.finalize()[..8]);
        Ok(())
    }

    /// Takes what `folder` says of how a browser drew pages.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read_drawn(&mut self, folder: &Path) -> Result<()> {
        for page in &mut self.pages {
            page.drawn = Drawn::read(&drawn::path(folder, &page.corpus, &page.gold.id))?;
        }
        Ok(())
    }

    /// Distinct domains over pages (Pappas et al. 2012, eq. 3); pages without a domain count as
    /// one domain per corpus.
    pub fn diversity(&self) -> f64 {
        let domains: BTreeSet<_> = self.pages.iter().map(LabeledPage::group).collect();
        if self.pages.is_empty() { 0.0 } else { domains.len() as f64 / self.pages.len() as f64 }
    }
}

impl LabeledPage {
    /// Domain, or the corpus for pages that have none.
    pub fn group(&self) -> (&str, &str) {
        match self.gold.domain.as_deref() {
            Some(d) if !d.is_empty() => (d, ""),
            _ => ("", &self.corpus),
        }
    }

    /// Is there a gold text?
    pub fn has_text(&self) -> bool {
        !self.text().trim().is_empty()
    }

    /// Are there snippets that an extraction must or must not hold?
    pub fn has_snippets(&self) -> bool {
        !self.gold.must_contain.is_empty() || !self.gold.must_not_contain.is_empty()
    }

    /// Gold text, empty where there is none.
    pub fn text(&self) -> &str {
        self.gold.text.as_deref().unwrap_or("")
    }

    /// Language as the gold states it, `und` where it does not.
    pub fn language(&self) -> &str {
        self.gold.lang.as_deref().unwrap_or("und")
    }

    /// Last label of the domain, a hint for decoding.
    pub fn top_level_domain(&self) -> Option<&str> {
        self.gold.domain.as_deref().and_then(|d| d.rsplit('.').next())
    }

    /// The page's bytes, decompressed.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        read_page(&self.path)
    }
}

fn load_folder(folder: &Path) -> Result<(String, Vec<LabeledPage>, [u8; 32])> {
    // `.` and `..` have the name of the folder that they stand for.
    let whole = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None => std::fs::canonicalize(folder)
            .with_context(|| format!("cannot read {}", folder.display()))?,
    };
    let name = whole
        .file_name()
        .with_context(|| format!("{} is not a folder name", folder.display()))?
        .to_string_lossy()
        .into_owned();
    let gold_path = folder.join("gold.jsonl");
    let gold = std::fs::read_to_string(&gold_path)
        .with_context(|| format!("cannot read {}", gold_path.display()))?;
    let mut pages = Vec::new();
    let mut seen = BTreeSet::new();
    for (i, line) in gold.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let at = || format!("{} line {}", gold_path.display(), i + 1);
        let gold: GoldPage = serde_json::from_slice(line.as_bytes()).with_context(at)?;
        if gold.id.is_empty() || gold.id.contains(['/', '\\']) || gold.id.starts_with('.') {
            bail!("{}: `{}` is not a page id", at(), gold.id);
        }
        if !seen.insert(gold.id.clone()) {
            bail!("{}: the id `{}` occurs twice", at(), gold.id);
        }
        if gold.suspect {
            continue;
        }
        let plain = folder.join("pages").join(format!("{}.html", gold.id));
        let packed = folder.join("pages").join(format!("{}.html.gz", gold.id));
        let path = if plain.exists() { plain } else { packed };
        pages.push(LabeledPage {
            corpus: name.clone(),
            gold,
            headline: None,
            hand: None,
            drawn: None,
            path,
        });
    }
    pages.sort_by(|a, b| a.gold.id.cmp(&b.gold.id));
    let hashes: Vec<[u8; 32]> =
        pages.par_iter().map(|p| Ok(Sha256::digest(p.bytes()?).into())).collect::<Result<_>>()?;
    let mut hash = Sha256::new();
    hash.update(Sha256::digest(gold.as_bytes()));
    hashes.iter().for_each(|h| hash.update(h));
    Ok((name, pages, hash.finalize().into()))
}

fn read_page(path: &Path) -> Result<Vec<u8>> {
    let file = std::fs::File::open(path).with_context(|| format!("no page {}", path.display()))?;
    let mut bytes = Vec::new();
    let read = if path.extension().is_some_and(|e| e == "gz") {
        GzDecoder::new(file).take(PAGE_CAP + 1).read_to_end(&mut bytes)
    } else {
        file.take(PAGE_CAP + 1).read_to_end(&mut bytes)
    };
    read.with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > PAGE_CAP {
        bail!("{} is longer than {} MiB", path.display(), PAGE_CAP >> 20);
    }
    Ok(bytes)
}

/// A page without bytes, for tests of what only reads the gold.
#[cfg(test)]
pub(super) fn test_page(id: &str, domain: &str, text: &str) -> LabeledPage {
    let gold = GoldPage {
        id: id.into(),
        domain: Some(domain.into()),
        text: Some(text.into()),
        ..GoldPage::default()
    };
    let (corpus, path) = ("ours".into(), PathBuf::new());
    LabeledPage { corpus, gold, headline: None, hand: None, drawn: None, path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn folder(gold: &str, pages: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("temporary folder");
        let corpus = dir.path().join("ours");
        std::fs::create_dir_all(corpus.join("pages")).expect("folder");
        std::fs::write(corpus.join("gold.jsonl"), gold).expect("gold");
        for (name, bytes) in pages {
            std::fs::write(corpus.join("pages").join(name), bytes).expect("page");
        }
        (dir, corpus)
    }

    #[test]
    fn reads_plain_and_packed_pages() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"<p>two").expect("memory");
        let packed = packed.finish().expect("memory");
        let gold = "{\"id\":\"b\",\"text\":\"two\",\"domain\":\"x.example\"}\n\
                    {\"id\":\"a\",\"text\":\"one\",\"unknown\":1}\n\
                    {\"id\":\"c\",\"text\":\"three\",\"page_type\":\"forum\",\"domain\":\"x.example\"}\n\
                    {\"id\":\"d\",\"suspect\":true}\n";
        let pages: [(&str, &[u8]); 3] =
            [("a.html", b"<p>one"), ("b.html.gz", &packed), ("c.html", b"")];
        let (_dir, path) = folder(gold, &pages);
        let mut corpus = Corpus::load(std::slice::from_ref(&path)).expect("a good corpus");
        assert_eq!(corpus.pages.len(), 3);
        assert_eq!(corpus.pages[1].bytes().expect("page"), b"<p>two");
        assert_eq!(corpus.pages[0].group(), ("", "ours"));
        assert!((corpus.diversity() - 2.0 / 3.0).abs() < 1e-12);
        let hash = corpus.hash.clone();
        let named = Corpus::load(&[path.join("pages/..")]).expect("the same folder");
        assert_eq!((named.names, &named.hash), (vec!["ours".to_owned()], &hash));
        corpus.pages[1].gold.text = Some(" ".into());
        let types = ["article".to_owned()];
        corpus.keep_types(&types);
        assert_eq!(corpus.pages.len(), 2);
        corpus.keep_texts(&types);
        assert_eq!(corpus.pages.len(), 1);
        std::fs::write(path.join("pages/a.html"), b"<p>One").expect("page");
        assert_ne!(Corpus::load(&[path]).expect("a good corpus").hash, hash);
    }

    #[test]
    fn errors_name_the_place() {
        let check = |gold: &str, expect: &str| {
            let (_dir, path) = folder(gold, &[("a.html", b"")]);
            let error = format!("{:#}", Corpus::load(&[path]).expect_err("a bad corpus"));
            assert!(error.contains(expect), "{error}");
        };
        check("{\"id\":\"a\"}\n{", "line 2");
        check("{\"id\":\"a\"}\n{\"id\":\"a\"}", "occurs twice");
        check("{\"id\":\"../a\"}", "is not a page id");
        check("{\"id\":\"b\"}", "no page");
    }
}

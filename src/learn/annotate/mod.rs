//! Labelling pages by hand (Spengler & Gallinari 2009, §3.2): a corpus page by page with its leaves and
//! its tree, in two passes that do not see each other, and what the labels say: how far the passes
//! agree, and how far the labels that the gold text implies differ from them.
//!
//! Leaves are those of profile *leaf2009*, the paper's unit; blocks of other profiles take the label of
//! most of their characters. Must not know: HTTP, how a command prints.

mod compare;
mod keys;
mod page;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::corpus::{Corpus, LabeledPage};
use super::drawn::{self, Drawn, Seen};
use super::hand::{self, Hand, Mark};
use super::pages;
use crate::extract::Profile;
use crate::extract::page::PageBlocks;
use crate::model::{Label, hex, registered_domain};

pub use compare::{Agreement, AlignmentError, PerLabel};
pub use keys::{KEYS, of_key};
pub use page::{Tree, frame, lines, tree};

/// Passes over a corpus.
pub const PASSES: u8 = 2;

/// A corpus and the labels of one pass.
#[derive(Debug)]
pub struct Desk {
    corpus: String,
    pages: BTreeMap<String, LabeledPage>,
    labels: PathBuf,
    pass: u8,
    /// Held from a look at what is there to what takes its place.
    keeping: Mutex<()>,
}

/// Labels of a page, as the browser has them.
#[derive(Clone, Debug, Default)]
pub struct Work {
    pub marks: Vec<Mark>,
    pub done: bool,
    /// Spent on the page, seconds.
    pub seconds: u32,
}

/// How far a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nobody has labelled anything on it.
    New,
    Begun,
    Done,
}

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub id: String,
    pub language: String,
    pub state: State,
    /// Spent on it in the browser, seconds.
    pub seconds: u32,
}

impl Desk {
    /// Opens a corpus. A second pass has the pages of which the first is done.
    ///
    /// # Errors
    /// If the corpus cannot be read, or there is nothing to label.
    pub fn open(folder: PathBuf, labels: PathBuf, pass: u8) -> Result<Desk> {
        if !(1..=PASSES).contains(&pass) {
            bail!("there is no pass {pass}: passes are 1 and 2");
        }
        let read = Corpus::load(std::slice::from_ref(&folder))?;
        let corpus = read.names.concat();
        let pages = read.pages.into_iter().map(|page| (page.gold.id.clone(), page)).collect();
        let mut desk = Desk { corpus, pages, labels, pass, keeping: Mutex::default() };
        if pass > 1 {
            let ids: Vec<String> = desk.pages.keys().cloned().collect();
            for id in ids {
                if !desk.hand(&id, 1)?.is_some_and(|first| first.head.done) {
                    desk.pages.remove(&id);
                }
            }
        }
        if desk.pages.is_empty() {
            match pass {
                1 => bail!("{} holds no page", folder.display()),
                _ => bail!("no page of {} has a finished first pass", folder.display()),
            }
        }
        Ok(desk)
    }

    /// The corpus' name.
    pub fn corpus(&self) -> &str {
        &self.corpus
    }

    /// Which pass its labels are of.
    pub fn pass(&self) -> u8 {
        self.pass
    }

    fn page(&self, id: &str) -> Result<&LabeledPage> {
        self.pages.get(id).with_context(|| match self.pass {
            1 => format!("`{id}` is no page of {}", self.corpus),
            _ => format!("`{id}` is no page of {} with a finished first pass", self.corpus),
        })
    }

    /// Is there a page of this name?
    pub fn has(&self, id: &str) -> bool {
        self.pages.contains_key(id)
    }

    fn file(&self, id: &str, pass: u8) -> PathBuf {
        hand::path(&self.labels, &self.corpus, pass, id)
    }

    fn hand(&self, id: &str, pass: u8) -> Result<Option<Hand>> {
        Hand::read(&self.file(id, pass))
    }

    /// All pages in order, and how far each is.
    ///
    /// # Errors
    /// If a label file cannot be read.
    pub fn list(&self) -> Result<Vec<Entry>> {
        let entry = |(id, page): (&String, &LabeledPage)| {
            let hand = self.hand(id, self.pass)?;
            Ok(Entry {
                id: id.clone(),
                language: page.language().to_owned(),
                state: match &hand {
                    None => State::New,
                    Some(hand) if hand.head.done => State::Done,
                    Some(_) => State::Begun,
                },
                seconds: hand.map_or(0, |hand| hand.head.seconds),
            })
        };
        self.pages.iter().map(entry).collect()
    }

    /// The leaves of a page.
    ///
    /// # Errors
    /// If there is no such page, or it cannot be read.
    pub fn leaves(&self, id: &str) -> Result<PageBlocks<'static>> {
        pages::segment(self.page(id)?, Profile::Leaf2009)
    }

    /// The page as our tree has it, to be shown where no script runs.
    ///
    /// # Errors
    /// If there is no such page, or it cannot be read.
    pub fn frame(&self, id: &str) -> Result<String> {
        Ok(frame(&self.leaves(id)?, self.page(id)?.language()))
    }

    /// The page as it was published. `based`: with its own address as the base of what it loads, if the gold
    /// has it and the page names none.
    ///
    /// # Errors
    /// If there is no such page, or it cannot be read.
    pub fn source(&self, id: &str, based: bool) -> Result<String> {
        let page = self.page(id)?;
        let html = pages::html(page)?;
        let url = page.gold.url.as_deref().filter(|_| based);
        Ok(url.map_or(html.clone(), |url| page::based(&html, url)))
    }

    /// The pages that this pass has finished; all where it has finished none.
    ///
    /// # Errors
    /// If a label file cannot be read.
    pub fn labelled(&self) -> Result<Vec<String>> {
        let list = self.list()?;
        let any = list.iter().any(|entry| entry.state == State::Done);
        let done = list.into_iter().filter(|entry| !any || entry.state == State::Done);
        Ok(done.map(|entry| entry.id).collect())
    }

    /// What a browser has drawn, leaf by leaf.
    ///
    /// # Errors
    /// If there is no such page, or it cannot be read.
    pub fn drawn(&self, id: &str, seen: Seen) -> Result<Drawn> {
        Ok(Drawn::new(id, &self.leaves(id)?, seen))
    }

    /// Keeps how a page was drawn.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep_drawn(&self, folder: &Path, drawn: &Drawn) -> Result<()> {
        drawn.write(&drawn::path(folder, &self.corpus, &drawn.id))
    }

    /// What this pass has set so far.
    ///
    /// # Errors
    /// If the file cannot be read, or is of other leaves.
    pub fn labels(&self, id: &str, leaves: &PageBlocks) -> Result<Option<Hand>> {
        let hand = self.hand(id, self.pass)?;
        if let Some(hand) = &hand {
            hand.labels(leaves)?;
        }
        Ok(hand)
    }

    /// What tells this state of a page's labels from another ([`hand::revision`]). Whoever asks for it before
    /// [`Desk::labels`] takes no later labels for those that they have seen.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn revision(&self, id: &str) -> Result<String> {
        hand::revision(&self.file(id, self.pass))
    }

    /// Keeps the labels of a page in place of those before, whatever they are.
    ///
    /// # Errors
    /// If there is no such page, a mark fits it not, or the file cannot be written.
    pub fn keep(&self, id: &str, work: Work) -> Result<()> {
        let leaves = self.leaves(id)?;
        let mut hand = Hand::new(id, &leaves, work.marks, work.done)
            .with_context(|| format!("the labels of `{id}` are not kept"))?;
        hand.head.seconds = work.seconds;
        hand.write(&self.file(id, self.pass))
    }

    /// Keeps the labels of a page in place of those of one revision, and says the new one; `None` if others are there.
    ///
    /// # Errors
    /// As [`Desk::keep`].
    pub fn replace(&self, id: &str, revision: &str, work: Work) -> Result<Option<String>> {
        let _alone = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        if self.revision(id)? != revision {
            return Ok(None);
        }
        self.keep(id, work)?;
        self.revision(id).map(Some)
    }

    /// How far the two passes agree, over the pages that both have finished and whose leaves are those labelled.
    ///
    /// # Errors
    /// If there is no such page, or one cannot be read.
    pub fn agreement(&self) -> Result<Agreement> {
        let mut agreement = compare::Passes::default();
        let mut left_out = Vec::new();
        for id in self.pages.keys() {
            let (Some(first), Some(second)) = (self.hand(id, 1)?, self.hand(id, 2)?) else {
                continue;
            };
            if first.head.done && second.head.done {
                let leaves = self.leaves(id)?;
                if first.fits(&leaves) && second.fits(&leaves) {
                    agreement.add(&leaves, &first.labels(&leaves)?, &second.labels(&leaves)?);
                } else {
                    left_out.push(id.clone());
                }
            }
        }
        match agreement.end() {
            Some(agreement) => Ok(Agreement { left_out, ..agreement }),
            None if left_out.is_empty() => bail!("no page of {} has both passes", self.corpus),
            None => bail!(hand::other_leaves(&left_out)),
        }
    }

    /// How far the labels that the gold implies differ from those of the first pass.
    ///
    /// # Errors
    /// If no page is labelled, or one cannot be read.
    pub fn against_gold(&self) -> Result<Vec<AlignmentError>> {
        let mut pages = Vec::new();
        for (id, page) in &self.pages {
            if let Some(hand) = self.hand(id, 1)?.filter(|hand| hand.head.done) {
                pages.push((page, hand));
            }
        }
        if pages.is_empty() {
            bail!("no page of {} is labelled", self.corpus);
        }
        compare::against_gold(&pages)
    }
}

/// Adds a page to a corpus, which is made if there is none; says its name there. It is kept in UTF-8 with a byte
/// order mark.
///
/// # Errors
/// If it is in the corpus already, or a file cannot be written.
pub fn add(corpus: &Path, url: &str, html: &str) -> Result<String> {
    let id = hex(&Sha256::digest(url.as_bytes())[..8]);
    let file = corpus.join("pages").join(format!("{id}.html"));
    if file.exists() {
        bail!("{url} is in {} already, as {id}", corpus.display());
    }
    let cannot = |what: &Path| format!("cannot write {}", what.display());
    std::fs::create_dir_all(corpus.join("pages")).with_context(|| cannot(&file))?;
    std::fs::write(&file, format!("\u{feff}{html}")).with_context(|| cannot(&file))?;
    let parsed = url::Url::parse(url).ok();
    let domain = parsed.as_ref().and_then(url::Url::host).map(|host| match host {
        url::Host::Domain(name) => registered_domain(name).to_owned(),
        address => address.to_string(),
    });
    let line = serde_json::json!({ "id": id, "url": url, "domain": domain });
    let gold = corpus.join("gold.jsonl");
    // The last line may lack its end: whoever wrote it by hand ends it as they like.
    let open = std::fs::read(&gold).is_ok_and(|lines| lines.last().is_some_and(|b| *b != b'\n'));
    let begin = if open { "\n" } else { "" };
    let mut out =
        OpenOptions::new().create(true).append(true).open(&gold).with_context(|| cannot(&gold))?;
    writeln!(out, "{begin}{line}").with_context(|| cannot(&gold))?;
    Ok(id)
}

/// Reads labels as people write them: lines of `12 title` or `12-40 paragraph`, with a label's name or
/// its key; `#` begins a remark. Later lines win.
///
/// # Errors
/// Names the line.
pub fn marks(text: &str) -> Result<Vec<Mark>> {
    let mut marks = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let mark = mark(line).with_context(|| {
            format!("line {}: `{line}` is not of the form `12-40 paragraph`", at + 1)
        })?;
        marks.push(mark);
    }
    Ok(marks)
}

fn mark(line: &str) -> Result<Mark> {
    let (range, name) = line.split_once(char::is_whitespace).context("the label is missing")?;
    let (from, to) = range.split_once('-').unwrap_or((range, range));
    let name = name.trim();
    let mut letters = name.chars();
    let label = match (letters.next(), letters.next()) {
        (Some(key), None) => {
            of_key(key).with_context(|| format!("no label has the key `{key}`"))?
        }
        _ => name.parse::<Label>().map_err(anyhow::Error::msg)?,
    };
    let number = |digits: &str| {
        digits.parse().with_context(|| format!("`{digits}` is not the number of a leaf"))
    };
    Ok(Mark { from: number(from)?, to: number(to)?, label, element: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_added_below_a_line_without_an_end() {
        let dir = tempfile::tempdir().expect("folder");
        let corpus = dir.path().join("ours");
        add(&corpus, "http://a.example/1", "<p>One").expect("room");
        let gold = corpus.join("gold.jsonl");
        let lines = std::fs::read_to_string(&gold).expect("text");
        std::fs::write(&gold, lines.trim_end()).expect("room");
        add(&corpus, "http://a.example/2", "<p>Two").expect("room");
        add(&corpus, "http://a.example/3", "<p>Three").expect("room");
        let read = Corpus::load(&[corpus]).expect("three lines");
        assert_eq!(read.pages.len(), 3);
        assert!(!std::fs::read_to_string(&gold).expect("text").contains("\n\n"));
    }

    #[test]
    fn labels_take_the_place_of_those_that_were_seen() {
        let dir = tempfile::tempdir().expect("folder");
        let corpus = dir.path().join("ours");
        let id = add(&corpus, "http://a.example/1", "<p>One<p>Two").expect("room");
        let desk = Desk::open(corpus, dir.path().join("labels"), 1).expect("a page");
        let work = |label| Work {
            marks: vec![Mark { from: 0, to: 0, label, element: None }],
            ..Work::default()
        };
        let none = desk.revision(&id).expect("no file");
        assert_eq!(none, "");
        let first = desk.replace(&id, &none, work(Label::Title)).expect("room").expect("as seen");
        assert_eq!(desk.revision(&id).expect("a file"), first);
        assert_eq!(desk.replace(&id, &none, work(Label::Author)).expect("a file"), None);
        let leaves = desk.leaves(&id).expect("the page");
        let kept = desk.labels(&id, &leaves).expect("a file").expect("it is there");
        assert_eq!(kept.marks, work(Label::Title).marks);
        let second = desk.replace(&id, &first, work(Label::Author)).expect("room");
        assert_ne!(second.expect("as seen"), first);
    }

    #[test]
    fn people_write_ranges_and_names_or_keys() {
        let read =
            marks("# a page\n3 title\n4-9 p # body\n\n12-12 related-article\n").expect("good");
        let mark = |from, to, label| Mark { from, to, label, element: None };
        let expect = [
            mark(3, 3, Label::Title),
            mark(4, 9, Label::Paragraph),
            mark(12, 12, Label::RelatedArticle),
        ];
        assert_eq!(read, expect);
        for (text, words) in [
            ("3", "the label is missing"),
            ("3 title\nx-4 title", "line 2"),
            ("3 tittle", "`tittle` is not a label"),
            ("-3 title", "not the number of a leaf"),
            ("3 ?", "no label has the key `?`"),
        ] {
            let error = format!("{:#}", marks(text).expect_err("bad"));
            assert!(error.contains(words), "{error}");
        }
    }
}

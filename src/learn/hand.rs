//! Labels of visible leaves that were set by hand, as files: `DIR/CORPUS/passN/ID.jsonl`.
//!
//! The first line says which page and which leaves: how many, and a sum over their texts, so that
//! labels are never read against other leaves. Each further line is a run of leaves and its label, or
//! an element whose whole subtree has it. What is not named is `none`. No text of the page is kept.
//! Must not know: labelers, features, how labels are set.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::extract::page::PageBlocks;
use crate::model::{Label, hex};

/// Longest label file, bytes.
const LARGEST: u64 = 4 << 20;

/// Which leaves a file labels, and how far it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub id: String,
    pub leaves: usize,
    /// SHA-256 over the leaves' texts, 16 hex digits.
    pub sum: String,
    /// Somebody has looked at all of the page.
    pub done: bool,
    /// Time spent on the page in the browser, seconds; 0 where it was not measured.
    #[serde(default)]
    pub seconds: u32,
}

/// Leaves `from ..= to` and their label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    pub from: usize,
    pub to: usize,
    pub label: Label,
    /// The node of the tree whose subtree it is, if it was labelled as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<u32>,
}

/// The labels of one page, set by hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hand {
    pub head: Head,
    /// Later ones win.
    pub marks: Vec<Mark>,
}

/// Where the labels of a page are.
pub fn path(dir: &Path, corpus: &str, pass: u8, id: &str) -> PathBuf {
    dir.join(corpus).join(format!("pass{pass}")).join(format!("{id}.jsonl"))
}

/// What is said of pages that are left out because their labels are of other leaves.
pub fn other_leaves(ids: &[String]) -> String {
    format!(
        "left out: the labels of `{}` are of other leaves: the page or how it is cut has changed; label it again",
        ids.join("`, `")
    )
}

/// A sum over the texts of a page's leaves.
pub fn sum(leaves: &PageBlocks) -> String {
    let mut sum = Sha256::new();
    for leaf in 0..leaves.len() {
        sum.update(leaves.text(leaf).as_bytes());
        sum.update(b"\n");
    }
    hex(&sum.finalize()[..8])
}

impl Hand {
    /// Labels for the leaves of a page.
    ///
    /// # Errors
    /// Names a mark that lies outside of the page, or a label that no page gives.
    pub fn new(id: &str, leaves: &PageBlocks, marks: Vec<Mark>, done: bool) -> Result<Hand> {
        for mark in &marks {
            if mark.from > mark.to || mark.to >= leaves.len() {
                bail!(
                    "{}-{} are no leaves of this page: it has {}, counted from 0",
                    mark.from,
                    mark.to,
                    leaves.len()
                );
            }
            if !Label::ALL.contains(&mark.label) {
                bail!("`{}` is not a label to set by hand", mark.label.name());
            }
        }
        let head =
            Head { id: id.to_owned(), leaves: leaves.len(), sum: sum(leaves), done, seconds: 0 };
        let mut hand = Hand { head, marks };
        hand.tidy();
        Ok(hand)
    }

    /// One mark a run; subtrees stay if all their leaves still have their label.
    fn tidy(&mut self) {
        let labels = self.spread();
        let mut marks: Vec<Mark> = Vec::new();
        for (at, &label) in labels.iter().enumerate() {
            match marks.last_mut() {
                Some(last) if last.label == label => last.to = at,
                _ => marks.push(Mark { from: at, to: at, label, element: None }),
            }
        }
        marks.retain(|mark| mark.label != Label::None);
        let whole = |m: &Mark| labels[m.from..=m.to].iter().all(|label| *label == m.label);
        let mut trees: Vec<Mark> =
            self.marks.iter().filter(|m| m.element.is_some() && whole(m)).copied().collect();
        trees.sort_by_key(|m| (m.from, std::cmp::Reverse(m.to), m.element));
        trees.dedup();
        marks.extend(trees);
        self.marks = marks;
    }

    fn spread(&self) -> Vec<Label> {
        let mut labels = vec![Label::None; self.head.leaves];
        for mark in &self.marks {
            labels[mark.from..=mark.to].fill(mark.label);
        }
        labels
    }

    /// Has the page the leaves that were labelled?
    pub fn fits(&self, leaves: &PageBlocks) -> bool {
        self.head.leaves == leaves.len() && self.head.sum == sum(leaves)
    }

    /// The label of each leaf of a page.
    ///
    /// # Errors
    /// If the page has other leaves than those that were labelled.
    pub fn labels(&self, leaves: &PageBlocks) -> Result<Vec<Label>> {
        if !self.fits(leaves) {
            bail!(
                "the labels of `{}` are of other leaves ({} then, {} now): the page or how it is cut \
                 has changed; label it again",
                self.head.id,
                self.head.leaves,
                leaves.len()
            );
        }
        Ok(self.spread())
    }

    /// Reads a file; `None` if there is none.
    ///
    /// # Errors
    /// Name the file and the line.
    pub fn read(path: &Path) -> Result<Option<Hand>> {
        let size = match std::fs::metadata(path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        if size > LARGEST {
            bail!("{} is longer than {} MiB: no label file", path.display(), LARGEST >> 20);
        }
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let at = |line: usize| format!("{} line {line}", path.display());
        let mut lines = text.lines();
        let head: Head =
            serde_json::from_slice(lines.next().unwrap_or("").as_bytes()).with_context(|| at(1))?;
        if head.leaves as u64 > LARGEST {
            bail!("{}: no page has {} leaves", at(1), head.leaves);
        }
        let mut marks = Vec::new();
        for (i, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mark: Mark = serde_json::from_slice(line.as_bytes()).with_context(|| at(i + 2))?;
            if mark.from > mark.to || mark.to >= head.leaves {
                bail!("{}: {}-{} are no leaves of it", at(i + 2), mark.from, mark.to);
            }
            marks.push(mark);
        }
        Ok(Some(Hand { head, marks }))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// Name the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_vec(&self.head)?;
        text.push(b'\n');
        for mark in &self.marks {
            serde_json::to_writer(&mut text, mark)?;
            text.push(b'\n');
        }
        write_whole(path, &text)
    }
}

/// Writes a file, whole or not at all, and the folder that it is in.
///
/// # Errors
/// Name the file or folder.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let cannot = || format!("cannot write {}", path.display());
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
    file.write_all(bytes).with_context(cannot)?;
    file.persist(path).with_context(cannot)?;
    // A temporary file is its owner's alone; what is kept here is like any other file.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let readable = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(path, readable).with_context(cannot)?;
    }
    Ok(())
}

/// What tells one state of a label file from another: a sum over its bytes, 16 hex digits; empty where there is none.
///
/// # Errors
/// Name the file.
pub fn revision(path: &Path) -> Result<String> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(hex(&Sha256::digest(bytes)[..8])),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Profile;
    use crate::extract::dom::Limits;

    fn page(html: &str) -> PageBlocks<'_> {
        PageBlocks::read(html, Profile::Leaf2009, &Limits::default())
    }

    fn mark(from: usize, to: usize, label: Label, element: Option<u32>) -> Mark {
        Mark { from, to, label, element }
    }

    #[test]
    fn what_is_written_is_read() {
        let page = page("<p>One<p>Two<div>Three <b>Four</b></div>");
        let marks = vec![
            mark(0, 1, Label::Paragraph, None),
            mark(1, 1, Label::Title, None),
            mark(2, 3, Label::Advertisement, Some(7)),
        ];
        let hand = Hand::new("a", &page, marks, true).expect("good marks");
        let dir = tempfile::tempdir().expect("folder");
        let file = path(dir.path(), "ours", 2, "a");
        hand.write(&file).expect("room");
        let read = Hand::read(&file).expect("a good file").expect("it is there");
        assert_eq!(read, hand);
        let expect = [Label::Paragraph, Label::Title, Label::Advertisement, Label::Advertisement];
        assert_eq!(read.labels(&page).expect("the same leaves"), expect);
        let text = std::fs::read_to_string(&file).expect("text");
        assert!(!text.contains("Three") && text.contains("\"element\":7"), "{text}");
    }

    #[test]
    fn a_subtree_that_was_labelled_over_in_part_is_none_any_more() {
        let page = page("<p>One<p>Two");
        let marks = vec![mark(0, 1, Label::Advertisement, Some(3)), mark(1, 1, Label::None, None)];
        let hand = Hand::new("a", &page, marks, false).expect("good marks");
        assert_eq!(hand.marks, [mark(0, 0, Label::Advertisement, None)]);
    }

    #[test]
    fn other_leaves_and_bad_files_are_refused() {
        let (one, other) = (page("<p>One<p>Two"), page("<p>One<p>Three"));
        let hand = Hand::new("a", &one, Vec::new(), true).expect("no marks");
        assert!(hand.fits(&one) && !hand.fits(&other));
        let error = hand.labels(&other).expect_err("other leaves").to_string();
        assert!(error.contains("label it again"), "{error}");
        let outside = vec![mark(1, 2, Label::Title, None)];
        assert!(Hand::new("a", &one, outside, true).is_err());
        let repeated = vec![mark(0, 0, Label::Repeated, None)];
        assert!(Hand::new("a", &one, repeated, true).is_err());
        let dir = tempfile::tempdir().expect("folder");
        let file = dir.path().join("a.jsonl");
        assert_eq!(Hand::read(&file).expect("nothing"), None);
        let head = "{\"id\":\"a\",\"leaves\":2,\"sum\":\"0\",\"done\":true}\n";
        for (text, words) in [
            ("", "line 1"),
            ("{\"id\":\"a\",\"leaves\":99999999999,\"sum\":\"0\",\"done\":true}\n", "no page has"),
            (&format!("{head}{{\"from\":1,\"to\":2,\"label\":\"title\"}}\n"), "line 2"),
            (&format!("{head}\n{{\"from\":1,\"to\":1,\"label\":\"tittle\"}}\n"), "line 3"),
        ] {
            std::fs::write(&file, text).expect("room");
            let error = format!("{:#}", Hand::read(&file).expect_err("a bad file"));
            assert!(error.contains(words), "{error}");
        }
    }
}

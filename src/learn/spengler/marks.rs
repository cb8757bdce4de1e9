//! Gold → label of each visible leaf, as far as a corpus marks it: beside the content title, caption,
//! comment, author, date and related articles. Leaves are small, so what stands in one line decides
//! together, and short leaves count only beside what is marked.
//!
//! Some corpora mark bylines, date lines, captions and credits alike, as lines that an extraction may
//! lack; those are told apart here by what they look like ([`supplement`]). Must not know: features,
//! labelers.

use std::collections::HashSet;

use crate::extract::metadata::dates;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Gap;
use crate::learn::corpus::{GoldPage, LabeledPage};
use crate::learn::metrics::tokens::tokens_of;
use crate::learn::pages;
use crate::model::Label;

/// How far before and after the content an author's name or a date still belongs to it, in leaves.
const AROUND: usize = 40;
/// A related link of one token counts if a longer one is at most so many leaves away.
const BESIDE: usize = 6;
/// Leaves between two of one comment section that belong to it too, if their words do.
const WITHIN: usize = 4;
/// Date lines and bylines have at most so many tokens.
const LINE: usize = 14;
/// Supplementary lines of fewer tokens that are written like names name authors, others are captions.
const NAMES: usize = 7;

/// The label of each leaf of a page.
pub fn labels(page: &LabeledPage, blocks: &PageBlocks) -> Vec<Label> {
    let alignment = pages::labels(page, blocks);
    let mut labels = alignment.labels;
    let leaves: Vec<Vec<u64>> = (0..blocks.len()).map(|i| tokens_of(blocks.text(i))).collect();
    supplements(&page.gold, &alignment.lines, &mut labels);
    comments(&page.gold, &leaves, &mut labels);
    related(&page.gold, &leaves, &mut labels);
    let near = neighbourhood(&labels);
    authors(&page.gold, &leaves, near.clone(), &mut labels);
    published(page, blocks, &leaves, near, &mut labels);
    signs(blocks, &leaves, &mut labels);
    labels
}

/// What a supplementary line of a gold text is, by its looks; `None` if it tells nothing.
pub fn supplement(line: &str) -> Label {
    let words: Vec<&str> = line.split_whitespace().collect();
    let lower = line.to_lowercase();
    let count = tokens_of(line).len();
    let heads = |heads: &[&str]| heads.iter().any(|h| lower.starts_with(h));
    if heads(&["©", "(c)", "copyright", "photo", "picture:", "image", "source:"]) {
        return Label::Credit;
    }
    if heads(&["tags", "topics", "category", "related", "filed under", "article:"]) {
        return Label::None;
    }
    let by = heads(&["by ", "by:", "author", "written by", "posted by", "from ", "reported by"]);
    if count <= LINE && dates::parse(line, Some("en")).is_some() && !line.ends_with('.') {
        return Label::Date;
    }
    let upper = words.iter().filter(|w| w.starts_with(char::is_uppercase)).count();
    if by && count <= LINE || count <= NAMES && upper * 3 >= words.len() * 2 {
        return Label::Author;
    }
    if count > NAMES { Label::Caption } else { Label::None }
}

/// Content that the gold calls optional: a title, a byline, a date line, a caption.
fn supplements(gold: &GoldPage, lines: &[Option<usize>], labels: &mut [Label]) {
    let text: Vec<&str> = gold.text.as_deref().unwrap_or("").lines().collect();
    let optional: HashSet<&str> = gold.optional.iter().map(|o| o.trim()).collect();
    let title = gold.title.as_deref().map(str::trim);
    for (label, line) in labels.iter_mut().zip(lines) {
        let Some(line) = line.and_then(|l| text.get(l)).map(|l| l.trim()) else { continue };
        if *label == Label::Title {
            continue;
        }
        *label = if title == Some(line) {
            Label::Title
        } else if optional.contains(line) {
            supplement(line)
        } else if *label == Label::Caption {
            // Words that a caption has too.
            Label::Paragraph
        } else {
            *label
        };
    }
}

/// Short leaves of the comment section: names, dates, one-word answers.
fn comments(gold: &GoldPage, leaves: &[Vec<u64>], labels: &mut [Label]) {
    let lines: HashSet<Vec<u64>> = gold.comments.iter().map(|c| tokens_of(c)).collect();
    let words: HashSet<u64> = lines.iter().flatten().copied().collect();
    let free = |label: Label| label == Label::None;
    let marked: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == Label::Comment).collect();
    let (Some(&first), Some(&last)) = (marked.first(), marked.last()) else { return };
    let from = first.saturating_sub(WITHIN);
    for i in from..(last + 1 + WITHIN).min(labels.len()) {
        if free(labels[i]) && !leaves[i].is_empty() && lines.contains(&leaves[i]) {
            labels[i] = Label::Comment;
        }
    }
    for pair in marked.windows(2).filter(|p| p[1] - p[0] <= WITHIN) {
        for i in pair[0] + 1..pair[1] {
            let known = !leaves[i].is_empty() && leaves[i].iter().all(|t| words.contains(t));
            if free(labels[i]) && known {
                labels[i] = Label::Comment;
            }
        }
    }
}

/// Leaves that make up a line of the related links.
fn related(gold: &GoldPage, leaves: &[Vec<u64>], labels: &mut [Label]) {
    let lines: Vec<Vec<u64>> = gold.related.iter().map(|r| tokens_of(r)).collect();
    let part_of_line = |leaf: &[u64]| {
        let equal = lines.iter().any(|l| l == leaf);
        equal || leaf.len() >= 3 && lines.iter().any(|l| l.windows(leaf.len()).any(|w| w == leaf))
    };
    let found: Vec<bool> =
        leaves.iter().map(|leaf| !leaf.is_empty() && part_of_line(leaf)).collect();
    let long: Vec<bool> = found.iter().zip(leaves).map(|(f, leaf)| *f && leaf.len() >= 2).collect();
    for i in 0..labels.len() {
        let range = i.saturating_sub(BESIDE)..(i + BESIDE + 1).min(labels.len());
        if labels[i] == Label::None && found[i] && long[range].iter().any(|l| *l) {
            labels[i] = Label::RelatedArticle;
        }
    }
}

/// The leaves from somewhat before the content to somewhat after it.
pub(super) fn neighbourhood(labels: &[Label]) -> std::ops::Range<usize> {
    let of_article = |l: &Label| l.is_content() || *l == Label::Title;
    let first = labels.iter().position(of_article).unwrap_or(0);
    let last = labels.iter().rposition(of_article).unwrap_or(0);
    first.saturating_sub(AROUND)..(last + 1 + AROUND).min(labels.len())
}

/// Leaves that are an author's name, with at most a word before it.
fn authors(
    gold: &GoldPage,
    leaves: &[Vec<u64>],
    near: std::ops::Range<usize>,
    labels: &mut [Label],
) {
    let names: Vec<Vec<u64>> =
        gold.authors.iter().map(|a| tokens_of(a)).filter(|n| !n.is_empty()).collect();
    for i in near {
        let leaf = leaves[i].as_slice();
        let named = names
            .iter()
            .any(|name| leaf == name || leaf.split_first().is_some_and(|(_, rest)| rest == name));
        let all: usize = names
            .iter()
            .filter(|n| leaf.windows(n.len()).any(|w| w == n.as_slice()))
            .map(Vec::len)
            .sum();
        let listed = leaf.len() <= LINE && all > 2 && all * 3 >= leaf.len() * 2;
        if labels[i] == Label::None && (named || listed) {
            labels[i] = Label::Author;
        }
    }
}

/// Short leaves that print the day of publication.
fn published(
    page: &LabeledPage,
    blocks: &PageBlocks,
    leaves: &[Vec<u64>],
    near: std::ops::Range<usize>,
    labels: &mut [Label],
) {
    let day = page.gold.published.as_deref().and_then(|p| dates::parse(p, None));
    let Some(day) = day.map(|stamp| stamp.local.date()) else { return };
    for i in near {
        if labels[i] != Label::None || leaves[i].is_empty() || leaves[i].len() > LINE {
            continue;
        }
        let printed = dates::parse(blocks.text(i), Some(page.language()));
        // The gold's day may be that of another zone.
        let close = printed.is_some_and(|p| {
            let apart = p.local.date().since(day).map(|span| span.get_days().abs());
            apart.is_ok_and(|days| days <= 1)
        });
        if close {
            labels[i] = Label::Date;
        }
    }
}

/// Leaves without a word (dashes, full stops) go with what stands before them in the same line.
fn signs(blocks: &PageBlocks, leaves: &[Vec<u64>], labels: &mut [Label]) {
    let mut before: Option<Label> = None;
    for (i, (block, _)) in blocks.iter().enumerate() {
        if blocks.text(i).is_empty() {
            continue;
        }
        if block.before == Gap::Line {
            before = None;
        }
        if leaves[i].is_empty()
            && labels[i] == Label::None
            && let Some(label) = before
        {
            labels[i] = label;
        }
        before = Some(labels[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Profile;
    use crate::extract::dom::Limits;
    use crate::learn::corpus::test_page;

    const ONE: &str = "The council met on Monday to decide about the old bridge.";

    fn check(gold: GoldPage, html: &str, expect: &[Label]) {
        let mut page = test_page("a", "x.example", gold.text.as_deref().unwrap_or(""));
        page.gold = gold;
        let blocks = PageBlocks::read(html, Profile::Leaf2009, &Limits::default());
        let texts: Vec<&str> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
        assert_eq!(labels(&page, &blocks), expect, "{texts:?}");
    }

    fn gold(lines: &[&str], optional: &[&str]) -> GoldPage {
        GoldPage {
            text: Some(lines.join("\n")),
            optional: optional.iter().map(|o| (*o).to_owned()).collect(),
            title: Some("Old bridge".into()),
            lang: Some("en".into()),
            ..GoldPage::default()
        }
    }

    #[test]
    fn supplementary_lines_are_told_apart() {
        let check = |line: &str, expect: Label| assert_eq!(supplement(line), expect, "{line}");
        check("By Ann Berg", Label::Author);
        check("Town Staff Writer", Label::Author);
        check("Posted March 4, 2008 16:10", Label::Date);
        check("© Town Paper 2008. All rights reserved", Label::Credit);
        check("The old bridge as it was seen from the north on Sunday.", Label::Caption);
        check("Topics: bridges, councils", Label::None);
        check("story continues below", Label::None);
    }

    #[test]
    fn a_line_is_labeled_leaf_by_leaf() {
        use Label::{Author, Caption, Date, None, Paragraph, Title};
        let caption = "The old bridge as it was seen from the north on Sunday.";
        check(
            gold(
                &["Old bridge", "By Ann Berg", "March 4, 2008", caption, ONE],
                &["Old bridge", "By Ann Berg", "March 4, 2008", caption],
            ),
            &format!(
                "<a>Home</a><h1>Old bridge</h1><p>By Ann Berg</p><p>March 4, 2008</p><p>{caption}</p>\
                 <p>The council met on <a>Monday</a> to decide about the <b>old bridge</b><i>.</i></p>"
            ),
            &[
                None, Title, Author, Date, Caption, Paragraph, Paragraph, Paragraph, Paragraph,
                Paragraph,
            ],
        );
    }

    #[test]
    fn metadata_marks_leaves_around_the_content() {
        use Label::{Author, Date, None, Paragraph, Title};
        let gold = GoldPage {
            authors: vec!["Ann Berg".into(), "Karl Lund".into()],
            published: Some("2026-11-20T23:30:00+00:00".into()),
            ..gold(&[ONE], &[])
        };
        check(
            gold,
            &format!(
                "<h1>Old bridge</h1><p>By <a>Ann Berg</a> and <a>Karl Lund</a><p>21 November 2026\
                 <p>19 October 2026<p>{ONE}"
            ),
            &[Title, None, Author, None, Author, Date, None, Paragraph],
        );
    }

    #[test]
    fn comments_and_related_links_include_their_short_leaves() {
        use Label::{Comment, None, Paragraph, RelatedArticle};
        let comments = ["I never liked that bridge at all.", "Karl", "Nor did I, to be honest."];
        let gold = GoldPage {
            comments: comments.map(str::to_owned).into(),
            related: vec!["Related".into(), "New school to open".into()],
            ..gold(&[ONE], &[])
        };
        check(
            gold,
            &format!(
                "<a>Related</a><a>Karl</a><p>One<p>Two<p>Three<p>Four<p>Five<p>{ONE}<p>Related<p>\
                 New school to open<p>{}<p>Karl<p>{}<p>Reply",
                comments[0], comments[2]
            ),
            &[
                None,
                None,
                None,
                None,
                None,
                None,
                None,
                Paragraph,
                RelatedArticle,
                RelatedArticle,
                Comment,
                Comment,
                Comment,
                None,
            ],
        );
    }
}

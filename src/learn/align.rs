//! Gold text → block labels: which blocks of a segmented page make up the gold article.
//!
//! The gold says what the text is, not where it stands: inline markup, white space and line breaks
//! differ, lines may be missing, and the same sentence may stand twice on the page (teaser and
//! article). So each block looks for the stretch of gold text that it repeats; long blocks are
//! chained so that page order and gold order agree and the chain stays compact; short blocks
//! (headings, one-word lines) are accepted only between their neighbours in the chain; what remains
//! of the gold goes to the blocks that repeat it out of order.
//!
//! Must not know: HTML, features, labelers.

use std::collections::HashMap;

use super::corpus::GoldPage;
use super::metrics::tokens::{gram, tokens_of};
use crate::model::Label;

/// Tokens of the n-grams by which a block finds its place.
const GRAM: usize = 4;
/// A block of at least so many tokens may be an anchor of the chain.
const ANCHOR: usize = 6;
/// Share of a block's tokens that must be gold for the block to be content.
const SHARE: f64 = 0.5;
/// The same for a block that repeats the gold out of page order.
const SHARE_LOOSE: f64 = 0.8;
/// At most so many places in the gold are tried per block, and so many anchors are chained.
const PLACES: usize = 4;
const ANCHORS: usize = 2500;
/// Cost in tokens of one block skipped between two neighbours of the chain, and its limit.
const SKIP: f64 = 0.02;
const SKIP_LIMIT: f64 = 4.0;
/// How far from the chain's ends a short block may stand, in blocks.
const NEAR: usize = 12;

/// Labels of a page's blocks as the gold implies them.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    pub labels: Vec<Label>,
    /// Share of the gold text's tokens that content blocks cover.
    pub covered: f64,
    /// The line of the gold text in which the stretch begins that each block repeats.
    pub lines: Vec<Option<usize>>,
}

impl Alignment {
    /// The text that a perfect labeler would extract: content blocks in page order.
    pub fn text<S: AsRef<str>>(&self, blocks: &[S]) -> String {
        let mut text = String::new();
        for (block, label) in blocks.iter().zip(&self.labels) {
            if label.is_content() {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(block.as_ref());
            }
        }
        text
    }
}

/// Aligns the gold of a page to its blocks. Content is `Paragraph` (`Introduction` within the
/// gold's lead); `Title`, `Caption` and `Comment` where the gold marks them; the rest `None`.
pub fn align<S: AsRef<str>>(blocks: &[S], gold: &GoldPage) -> Alignment {
    let blocks: Vec<Vec<u64>> = blocks.iter().map(|b| tokens_of(b.as_ref())).collect();
    let text = gold.text.as_deref().unwrap_or("");
    let gold_tokens = tokens_of(text);
    let places = place(&blocks, &gold_tokens);
    let mut labels = vec![Label::None; blocks.len()];
    let lead = lead_tokens(text, gold.summary_lines.unwrap_or(0));
    for (label, at) in labels.iter_mut().zip(&places) {
        if let Some(at) = at {
            *label = if at.start < lead { Label::Introduction } else { Label::Paragraph };
        }
    }
    mark_title(&blocks, gold, &mut labels);
    mark_captions(&blocks, gold, &mut labels);
    mark_comments(&blocks, gold, &mut labels);
    let mut covered = vec![false; gold_tokens.len()];
    for (at, label) in places.iter().zip(&labels) {
        if let Some(at) = at.filter(|_| label.is_content()) {
            covered[at.start..at.end].iter_mut().for_each(|c| *c = true);
        }
    }
    let n = covered.iter().filter(|c| **c).count();
    Alignment {
        labels,
        covered: if covered.is_empty() { 1.0 } else { n as f64 / covered.len() as f64 },
        lines: lines(text, &places),
    }
}

/// The gold line in which each place begins.
fn lines(text: &str, places: &[Option<Place>]) -> Vec<Option<usize>> {
    let mut ends = Vec::new();
    let mut end = 0;
    for line in text.lines() {
        end += tokens_of(line).len();
        ends.push(end);
    }
    places.iter().map(|at| at.map(|at| ends.partition_point(|end| *end <= at.start))).collect()
}

fn lead_tokens(text: &str, lines: usize) -> usize {
    text.lines().take(lines).map(|l| tokens_of(l).len()).sum()
}

/// A stretch of gold tokens that a block repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    start: usize,
    end: usize,
    /// Block tokens found there.
    matched: usize,
}

/// Where each block stands in the gold; `None`: it is not part of it.
fn place(blocks: &[Vec<u64>], gold: &[u64]) -> Vec<Option<Place>> {
    let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
    for (i, w) in gold.windows(GRAM).enumerate() {
        index.entry(gram(w)).or_default().push(i);
    }
    let candidates: Vec<Vec<Place>> = blocks.iter().map(|b| search(b, gold, &index)).collect();
    let mut placed = vec![None; blocks.len()];
    chain(blocks, &candidates, &mut placed);
    fill(blocks, gold, &mut placed);
    let mut free = vec![true; gold.len()];
    for p in placed.iter().flatten() {
        free[p.start..p.end].iter_mut().for_each(|f| *f = false);
    }
    let mut rest: Vec<usize> = (0..blocks.len())
        .filter(|&i| placed[i].is_none() && blocks[i].len() >= ANCHOR && !candidates[i].is_empty())
        .collect();
    rest.sort_by_key(|&i| std::cmp::Reverse(blocks[i].len()));
    for i in rest {
        let loose = candidates[i].iter().copied().find(|p| {
            let open = free[p.start..p.end].iter().filter(|f| **f).count();
            p.matched as f64 >= SHARE_LOOSE * blocks[i].len() as f64
                && open as f64 >= SHARE_LOOSE * (p.end - p.start) as f64
        });
        if let Some(p) = loose {
            free[p.start..p.end].iter_mut().for_each(|f| *f = false);
            placed[i] = loose;
        }
    }
    placed
}

/// Stretches of gold that hold at least [`SHARE`] of the block's tokens in common n-grams, best
/// first.
fn search(block: &[u64], gold: &[u64], index: &HashMap<u64, Vec<usize>>) -> Vec<Place> {
    if block.len() < GRAM {
        return Vec::new();
    }
    // Each common n-gram votes for the diagonal on which block and gold would coincide.
    let mut votes: HashMap<isize, usize> = HashMap::new();
    let grams: Vec<u64> = block.windows(GRAM).map(gram).collect();
    for (i, g) in grams.iter().enumerate() {
        for &at in index.get(g).into_iter().flatten().take(4 * PLACES) {
            *votes.entry(at as isize - i as isize).or_insert(0) += 1;
        }
    }
    let mut diagonals: Vec<(isize, usize)> = votes.into_iter().collect();
    diagonals.sort_by_key(|&(d, n)| (std::cmp::Reverse(n), d));
    let slack = (block.len() / 8).max(2) as isize;
    let mut places: Vec<Place> = Vec::new();
    for (d, _) in diagonals.into_iter().take(PLACES) {
        if let Some(p) = measure(block, gold, &grams, index, d, slack)
            && !places.iter().any(|q| q.start == p.start)
        {
            places.push(p);
        }
    }
    places.sort_by_key(|p| std::cmp::Reverse(p.matched));
    places
}

/// The stretch of gold around diagonal `d` and how many block tokens it repeats.
fn measure(
    block: &[u64],
    gold: &[u64],
    grams: &[u64],
    index: &HashMap<u64, Vec<usize>>,
    d: isize,
    slack: isize,
) -> Option<Place> {
    let mut hit = vec![false; block.len()];
    let (mut start, mut end) = (usize::MAX, 0);
    for (i, g) in grams.iter().enumerate() {
        let expected = d + i as isize;
        let near = index.get(g).and_then(|places| nearest(places, expected));
        if let Some(at) = near.filter(|at| (*at as isize - expected).abs() <= slack) {
            hit[i..i + GRAM].iter_mut().for_each(|h| *h = true);
            start = start.min(at);
            end = end.max(at + GRAM);
        }
    }
    let matched = hit.iter().filter(|h| **h).count();
    (matched as f64 >= SHARE * block.len() as f64).then_some(Place {
        start,
        end: end.min(gold.len()),
        matched,
    })
}

/// The place nearest to the one expected, the earlier of two that are as near. Places are in order; a gold that repeats
/// itself has many.
fn nearest(places: &[usize], expected: isize) -> Option<usize> {
    let behind = places.partition_point(|at| {
        #[cfg(test)]
        tests::LOOKS.set(tests::LOOKS.get() + 1);
        (*at as isize) < expected
    });
    let around = [behind.checked_sub(1), Some(behind)].into_iter().flatten();
    let around = around.filter_map(|at| places.get(at).copied());
    around.min_by_key(|at| (*at as isize - expected).abs())
}

/// Chains long blocks: gold order follows page order, most tokens win, gaps cost a little.
fn chain(blocks: &[Vec<u64>], candidates: &[Vec<Place>], placed: &mut [Option<Place>]) {
    let mut anchors: Vec<(usize, Place)> = Vec::new();
    for (i, places) in candidates.iter().enumerate() {
        if blocks[i].len() >= ANCHOR {
            anchors.extend(places.iter().map(|p| (i, *p)));
        }
    }
    anchors.truncate(ANCHORS);
    let mut best: Vec<(f64, Option<usize>)> = Vec::with_capacity(anchors.len());
    for (k, (block, place)) in anchors.iter().enumerate() {
        // A block's own foreign words count against it.
        let own = 2.0 * place.matched as f64 - blocks[*block].len() as f64 * SHARE;
        let mut top = (own, None);
        for (j, (before, earlier)) in anchors[..k].iter().enumerate() {
            if before < block && earlier.end <= place.start + 1 {
                let gap = (SKIP * (block - before - 1) as f64).min(SKIP_LIMIT);
                let score = best[j].0 + own - gap;
                if score > top.0 {
                    top = (score, Some(j));
                }
            }
        }
        best.push(top);
    }
    let mut at = (0..best.len()).max_by(|a, b| best[*a].0.total_cmp(&best[*b].0));
    while let Some(k) = at {
        let (block, place) = anchors[k];
        placed[block] = Some(place);
        at = best[k].1;
    }
}

/// Accepts short blocks that repeat the gold exactly between their neighbours in the chain.
fn fill(blocks: &[Vec<u64>], gold: &[u64], placed: &mut [Option<Place>]) {
    let anchors: Vec<(usize, Place)> =
        placed.iter().enumerate().filter_map(|(i, p)| Some((i, (*p)?))).collect();
    let (Some(first), Some(last)) = (anchors.first(), anchors.last()) else {
        // No long block at all: the page's text is short; take exact repeats in order.
        fill_gap(blocks, gold, placed, (0, blocks.len()), (0, gold.len()), false);
        return;
    };
    let (first, last) = (*first, *last);
    for pair in anchors.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        fill_gap(blocks, gold, placed, (a.0 + 1, b.0), (a.1.end, b.1.start), false);
    }
    let end = (last.0 + 1 + NEAR).min(blocks.len());
    fill_gap(blocks, gold, placed, (last.0 + 1, end), (last.1.end, gold.len()), false);
    let begin = first.0.saturating_sub(NEAR);
    fill_gap(blocks, gold, placed, (begin, first.0), (0, first.1.start), true);
}

/// Blocks `from.0 .. from.1` within gold `range.0 .. range.1`, nearest to the anchor first.
fn fill_gap(
    blocks: &[Vec<u64>],
    gold: &[u64],
    placed: &mut [Option<Place>],
    from: (usize, usize),
    range: (usize, usize),
    backwards: bool,
) {
    let (mut low, mut high) = range;
    let order: Box<dyn Iterator<Item = usize>> =
        if backwards { Box::new((from.0..from.1).rev()) } else { Box::new(from.0..from.1) };
    for i in order {
        let block = &blocks[i];
        if placed[i].is_some() || block.is_empty() || low >= high || block.len() > high - low {
            continue;
        }
        let mut windows = gold[low..high].windows(block.len());
        let found = if backwards {
            windows.rposition(|w| w == block.as_slice())
        } else {
            windows.position(|w| w == block.as_slice())
        };
        if let Some(at) = found {
            let (start, end) = (low + at, low + at + block.len());
            placed[i] = Some(Place { start, end, matched: block.len() });
            if backwards { high = start } else { low = end }
        }
    }
}

/// The block that repeats the gold title: the one nearest before the content, else the first.
fn mark_title(blocks: &[Vec<u64>], gold: &GoldPage, labels: &mut [Label]) {
    let Some(title) = gold.title.as_deref().map(tokens_of).filter(|t| !t.is_empty()) else {
        return;
    };
    let in_text = gold.optional.iter().any(|o| Some(o) == gold.title.as_ref());
    let begin = labels.iter().position(|l| l.is_content()).unwrap_or(0);
    let is_title =
        |i: &usize| blocks[*i] == title && (in_text || !labels[*i].is_content() || *i == begin);
    let near = (0..blocks.len().min(begin + 1)).rev().find(is_title);
    if let Some(i) = near.or_else(|| (0..blocks.len()).find(is_title)) {
        labels[i] = Label::Title;
    }
}

/// Content that the gold calls optional is a caption, byline or the like: not text.
fn mark_captions(blocks: &[Vec<u64>], gold: &GoldPage, labels: &mut [Label]) {
    let optional: Vec<Vec<u64>> = gold.optional.iter().map(|o| tokens_of(o)).collect();
    for (block, label) in blocks.iter().zip(labels) {
        let inside = |o: &Vec<u64>| {
            !block.is_empty()
                && o.len() >= block.len()
                && o.windows(block.len()).any(|w| w == block)
        };
        if label.is_content() && optional.iter().any(inside) {
            *label = Label::Caption;
        }
    }
}

fn mark_comments(blocks: &[Vec<u64>], gold: &GoldPage, labels: &mut [Label]) {
    let mut grams = std::collections::HashSet::new();
    for comment in &gold.comments {
        grams.extend(tokens_of(comment).windows(GRAM).map(gram));
    }
    for (block, label) in blocks.iter().zip(labels) {
        if *label == Label::None && block.len() >= GRAM {
            let all = block.len() + 1 - GRAM;
            let known = block.windows(GRAM).filter(|w| grams.contains(&gram(w))).count();
            if known as f64 >= SHARE * all as f64 {
                *label = Label::Comment;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        /// How often a place was compared with the one expected.
        pub(super) static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn the_nearest_place_is_found_and_the_earlier_of_two() {
        for (places, expected, found) in [
            (&[][..], 3, None),
            (&[5], -2, Some(5)),
            (&[1, 5, 9], 5, Some(5)),
            (&[1, 5, 9], 6, Some(5)),
            (&[1, 5, 9], 7, Some(5)),
            (&[1, 5, 9], 8, Some(9)),
            (&[1, 5, 9], 90, Some(9)),
        ] {
            assert_eq!(nearest(places, expected), found, "{places:?} {expected}");
        }
    }

    #[test]
    fn a_gold_that_repeats_itself_costs_little_more_than_its_length() {
        let looks = |times: usize| {
            let text = "so it goes on ".repeat(times);
            LOOKS.set(0);
            assert_eq!(align(&[&text], &gold(&text)).labels.len(), 1);
            LOOKS.get()
        };
        let (short, long) = (looks(200), looks(800));
        assert!(short > 0 && long < 8 * short, "{short}, then {long} for four times the text");
    }

    fn gold(text: &str) -> GoldPage {
        GoldPage { text: Some(text.into()), ..GoldPage::default() }
    }

    fn check(blocks: &[&str], gold: &GoldPage, expect: &str) {
        let got: String = align(blocks, gold)
            .labels
            .iter()
            .map(|l| match l {
                Label::Paragraph => 'p',
                Label::Introduction => 'i',
                Label::Title => 't',
                Label::Caption => 'c',
                Label::Comment => 'k',
                _ => '-',
            })
            .collect();
        assert_eq!(got, expect, "{blocks:?}");
    }

    const ONE: &str = "The council met on Monday to decide about the old bridge.";
    const TWO: &str = "Repairs will take two years and cost eight million, engineers said.";

    #[test]
    fn markup_and_missing_lines_do_not_matter() {
        let g =
            gold(&format!("{ONE}\nA line that the page lacks entirely for some reason.\n{TWO}"));
        check(
            &[
                "Home",
                ONE,
                "Share",
                "Repairs will take two years",
                "and cost eight million, engineers said.",
                "More",
            ],
            &g,
            "-p-pp-",
        );
        check(
            &["Home", "CITY –  the COUNCIL met on Monday to decide about the old bridge"],
            &g,
            "-p",
        );
    }

    #[test]
    fn teasers_lose_against_the_compact_chain() {
        let g = gold(&format!("{ONE}\nBackground\n{TWO}"));
        let page =
            [ONE, "x", "Background", "y", "Sport", "Weather", ONE, "Background", TWO, "Background"];
        check(&page, &g, "------ppp-");
    }

    #[test]
    fn out_of_order_text_is_found() {
        let g = gold(&format!("{TWO}\n{ONE}"));
        check(&[ONE, "Advertisement", TWO], &g, "p-p");
    }

    #[test]
    fn marks_title_lead_caption_comment() {
        let g = GoldPage {
            title: Some("Bridge to close".into()),
            optional: vec!["The old bridge on Sunday, seen from the north".into()],
            comments: vec!["I never liked that bridge, to be honest.".into()],
            summary_lines: Some(1),
            ..gold(&format!("{ONE}\nThe old bridge on Sunday, seen from the north\n{TWO}"))
        };
        let page = [
            "Bridge to close",
            "Bridge to close",
            ONE,
            "The old bridge on Sunday, seen from the north",
            TWO,
            "I never liked that bridge, to be honest.",
        ];
        check(&page, &g, "-ticpk");
    }

    #[test]
    fn spaceless_scripts_and_empty_gold() {
        check(
            &["首页", "市议会周一开会讨论旧桥的未来。", "分享"],
            &gold("市议会周一开会讨论旧桥的未来"),
            "-p-",
        );
        check(&["a", ""], &gold(""), "--");
        check(&[], &gold(ONE), "");
        check(&[], &GoldPage { title: Some("Bridge".into()), ..gold(ONE) }, "");
    }
}

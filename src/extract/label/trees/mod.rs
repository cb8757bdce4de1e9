//! Boosted trees over rich features, in two passes: the second sees what the first thought of the
//! block's neighbours, containers and look-alikes. It is asked of the blocks that the first does not
//! rule out.
//!
//! Must not know: how the trees were grown.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use self::lanes::Early;
pub(super) use self::lanes::Scorer;
use super::{Labeler, PageBlocks, REASONS, Reason, Scored, strongest};
use crate::extract::feature::context::{self, CONTEXT, Frame, around, context};
use crate::extract::feature::phrase::phrase;
use crate::extract::feature::rich::{self, Matrix};
use crate::extract::segment::Flags;

mod attribute;
mod columns;
mod ensemble;
mod lanes;

pub use ensemble::{Ensemble, Node, Tree};

impl Ensemble {
    /// Probabilities of all rows.
    pub fn probabilities(&self, matrix: &Matrix) -> Vec<f32> {
        let rows: Vec<usize> = (0..matrix.rows).collect();
        probabilities(&Scorer::new(self), &[matrix], &rows, None)
    }

    /// Those that the first pass gives.
    pub fn first_look(&self, matrix: &Matrix) -> Vec<f32> {
        first_look(&Scorer::new(self), matrix)
    }
}

/// What the first pass takes for less likely than this is not content, and keeps that probability: two
/// of three blocks, of which the second pass never accepted one (docs/extraction.md).
pub const RULED_OUT: f32 = 0.01;

/// After so many trees of the first pass …
const FIRST_LOOK: usize = 80;
/// … the others seldom change what is said of a block with smaller log-odds than these: half of all blocks
/// (docs/extraction.md). They are left with …
const FAR: f32 = -5.2;
/// … the log-odds that such blocks have in the end, in the mean.
const FAR_IN_THE_END: f32 = -7.0;

/// What the first pass says of all rows.
fn first_look(scorer: &Scorer, matrix: &Matrix) -> Vec<f32> {
    let rows: Vec<usize> = (0..matrix.rows).collect();
    let settled = |sum: f32| (sum < FAR).then_some(FAR_IN_THE_END);
    let early = Early { trees: FIRST_LOOK, settled: &settled };
    probabilities(scorer, &[matrix], &rows, Some(early))
}

/// The second pass is the mean of so many ensembles, each grown from a draw of its own. The others are not asked …
pub const DRAWS: usize = 3;
/// … where the first has log-odds beyond these, on either side (0.9): that is far from every cut.
const SURE_ALONE: f32 = 2.2;

/// What the second pass says of these rows.
fn second_look(scorer: &Scorer, parts: &[&Matrix], rows: &[usize]) -> Vec<f32> {
    // Of the first draw's own log-odds a share was added.
    let alone = |sum: f32| scorer.prior + DRAWS as f32 * (sum - scorer.prior);
    let settled = |sum: f32| Some(alone(sum)).filter(|alone| alone.abs() > SURE_ALONE);
    let early = Early { trees: scorer.trees.len() / DRAWS, settled: &settled };
    probabilities(scorer, parts, rows, Some(early))
}

/// Is the second pass asked about a block with this probability?
fn is_asked(first: f32) -> bool {
    first >= RULED_OUT
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The labeler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// The set of features it was trained on: [`features`] of that time.
    pub features: u32,
    /// Over [`rich::rich`].
    pub first: Ensemble,
    /// Over the same and [`around`].
    pub second: Ensemble,
    /// Probability from which a block is content, on pages where some block is sure.
    pub cut: f32,
}

// Trees that ask for columns beyond those would be walked one row after the other.
const _: () = assert!(rich::COLUMNS + CONTEXT <= columns::COLUMNS);

/// Number of the current set of features: version and width.
pub fn features() -> u32 {
    rich::VERSION << 16 | (rich::COLUMNS + CONTEXT) as u32
}

impl Trees {
    /// Does it know the features that this program computes?
    pub fn fits(&self) -> bool {
        self.features == features()
    }

    /// Probability of content of every block.
    pub fn probabilities(&self, page: &PageBlocks) -> Vec<f32> {
        Ready::new(self).probabilities(page)
    }
}

impl Labeler for Trees {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        Ready::new(self).label(page)
    }

    /// Share of the splits of both passes that ask for a feature.
    fn strongest(&self) -> Vec<(String, f32)> {
        let names = [rich::names(), context::names()].concat();
        let mut splits = vec![0_u32; names.len()];
        let trees = self.first.trees.iter().chain(&self.second.trees);
        for node in trees.flat_map(|t| &t.nodes) {
            if let Some(count) = splits.get_mut(usize::from(node.feature)) {
                *count += 1;
            }
        }
        let all = splits.iter().sum::<u32>().max(1) as f32;
        let mut shares: Vec<(String, f32)> =
            names.into_iter().zip(splits).map(|(n, s)| (n, s as f32 / all)).collect();
        shares.retain(|(_, share)| *share > 0.0);
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }

    /// What moved the block's log-odds away from the middle between the page's article and its other
    /// blocks: of the second pass, which decides, and of the first, which the second builds on. What
    /// the first has ruled out has its reasons alone.
    fn reasons(&self, page: &PageBlocks) -> Vec<Vec<Reason>> {
        let rich = rich::rich(page);
        let first = self.first.first_look(&rich);
        let both = context(&Frame::new(page), &rich, &first);
        let names = [rich::names(), context::names()].concat();
        let scored = self.label(page);
        let accepted = scored.iter().filter(|s| s.content).count();
        // Both sides weigh the same, however much clutter a page has.
        let weigh =
            |s: &Scored| 1.0 / if s.content { accepted } else { page.len() - accepted } as f64;
        let weights: Vec<f64> = scored.iter().map(weigh).collect();
        let list = |ensemble: &Ensemble, matrix: &Matrix, count: usize, before: &str| {
            let shares = attribute::contributions(&ensemble.trees, matrix, &weights);
            let of_row = |index: usize| {
                let values = matrix.row(index).iter().zip(shares.row(index)).zip(&names);
                let reasons = values.map(|((value, weight), name)| Reason {
                    text: if *weight == 0.0 {
                        String::new()
                    } else {
                        format!("{before}{}", phrase(name, *value))
                    },
                    weight: *weight,
                });
                strongest(reasons.collect(), count)
            };
            (0..matrix.rows).map(of_row).collect::<Vec<_>>()
        };
        let behind = list(&self.first, &rich, REASONS - 3, "first look: ");
        let mut reasons = list(&self.second, &both, REASONS - 3, "");
        for ((reasons, behind), first) in reasons.iter_mut().zip(behind).zip(&first) {
            if !is_asked(*first) {
                *reasons = behind;
                continue;
            }
            // The first look's are easier to understand: they come after the two that decide.
            let rest = reasons.split_off(reasons.len().min(2));
            reasons.extend(behind);
            reasons.extend(rest);
        }
        let probabilities = self.probabilities(page);
        let cut = cut_of(self.cut, &probabilities);
        for ((reasons, scored), p) in reasons.iter_mut().zip(scored).zip(probabilities) {
            if !scored.content && p >= cut {
                let text = "repeats a block that is accepted already".to_owned();
                reasons.insert(0, Reason { text, weight: f32::NEG_INFINITY });
            }
        }
        reasons
    }
}

/// The labeler laid out for many pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ready {
    first: Scorer,
    second: Scorer,
    cut: f32,
}

impl Ready {
    pub(super) fn new(trees: &Trees) -> Ready {
        let (first, second) = (Scorer::new(&trees.first), Scorer::new(&trees.second));
        Ready { first, second, cut: trees.cut }
    }

    fn probabilities(&self, page: &PageBlocks) -> Vec<f32> {
        self.probabilities_of(page, &rich::rich(page))
    }

    /// All that the trees say of a page.
    pub(super) fn read(&self, page: &PageBlocks) -> Read {
        let rich = rich::rich(page);
        let probabilities = self.probabilities_of(page, &rich);
        let (cut, scored) = decide(self.cut, page, &probabilities);
        Read { rich, probabilities, scored, cut }
    }

    fn probabilities_of(&self, page: &PageBlocks, rich: &Matrix) -> Vec<f32> {
        let mut first = first_look(&self.first, rich);
        let asked: Vec<usize> = (0..first.len()).filter(|&row| is_asked(first[row])).collect();
        let around = around(&Frame::new(page), &first, is_asked);
        let second = second_look(&self.second, &[rich, &around], &asked);
        asked.into_iter().zip(second).for_each(|(row, p)| first[row] = p);
        first
    }
}

/// What the trees say of a page's blocks.
pub(super) struct Read {
    pub(super) rich: Matrix,
    pub(super) probabilities: Vec<f32>,
    pub(super) scored: Vec<Scored>,
    /// The page's own cut.
    pub(super) cut: f32,
}

fn probabilities(
    scorer: &Scorer,
    parts: &[&Matrix],
    rows: &[usize],
    early: Option<Early>,
) -> Vec<f32> {
    scorer.log_odds(parts, rows, early).into_iter().map(sigmoid).collect()
}

/// Shorter blocks may be repeated …
const REPEATED_WORDS: u32 = 10;
/// … and longer ones that stand by themselves, so often: pull quotes, refrains, steps of a guide.
const COPIES: usize = 4;

impl Labeler for Ready {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        self.read(page).scored
    }
}

/// On most pages some block is at least as sure to be content as this.
const SURE: f32 = 0.95;
/// However little is sure on a page: what is less likely than this is not content.
const LEAST_CUT: f32 = 0.2;

/// The probability from which the page's blocks are content: lower than `cut` where no block is sure,
/// in proportion to the likeliest. An article of a line or two resembles what else is on a page, and
/// its blocks are the likeliest of their page all the same. (F1 is best at half of what can be
/// reached, says theory, Lipton, Elkan & Naryanaswamy 2014; on news pages that took in more clutter
/// than text, docs/trials.md.)
fn cut_of(cut: f32, probabilities: &[f32]) -> f32 {
    let cut = cut.clamp(0.01, 0.99);
    let most = probabilities.iter().copied().fold(0.0, f32::max);
    (cut * most / SURE).clamp(cut.min(LEAST_CUT), cut)
}

/// The page's cut, and the verdicts that follow from its blocks' probabilities.
pub fn decide(cut: f32, page: &PageBlocks, probabilities: &[f32]) -> (f32, Vec<Scored>) {
    let cut = cut_of(cut, probabilities);
    // Probabilities are bent so that the cut comes to lie at one half.
    let bend = |p: f32| if p < cut { 0.5 * p / cut } else { 1.0 - 0.5 * (1.0 - p) / (1.0 - cut) };
    let accepted: Vec<usize> = (0..probabilities.len())
        .filter(|&i| probabilities[i] >= cut && page.stats[i].words >= REPEATED_WORDS)
        .collect();
    let repeated = repeated(page, &accepted, probabilities);
    let scored = probabilities.iter().enumerate().map(|(i, &p)| {
        let repeats = repeated.contains(&i);
        let probability = if repeats { bend(p).min(0.49) } else { bend(p) };
        Scored { content: p >= cut && !repeats, probability }
    });
    (cut, scored.collect())
}

/// Of the accepted blocks with one text, the surest that is shown stays. Another repeats it if either is
/// hidden, if both stand side by side, if an accepted block close to it repeats the one at the same place
/// beside the first, so that a stretch stands twice, or if the text stands more than [`COPIES`] times.
fn repeated(page: &PageBlocks, accepted: &[usize], probabilities: &[f32]) -> HashSet<usize> {
    let mut places: HashMap<&str, Vec<usize>, RandomState> = HashMap::default();
    for (place, &i) in accepted.iter().enumerate() {
        places.entry(page.text(i)).or_default().push(place);
    }
    let hidden = |place: usize| {
        page.blocks
            .list
            .get(accepted[place])
            .is_some_and(|block| block.flags.has(Flags::HIDDEN) || page.unseen(block).is_some())
    };
    let text = |place: Option<usize>| Some(page.text(*accepted.get(place?)?));
    let alike = |a: Option<usize>, b: Option<usize>| text(a).is_some() && text(a) == text(b);
    let surer = |a: &usize, b: &usize| {
        let p = |place: usize| probabilities[accepted[place]];
        hidden(*b).cmp(&hidden(*a)).then(p(*a).total_cmp(&p(*b))).then(b.cmp(a))
    };
    let mut repeated = HashSet::new();
    for places in places.values().filter(|places| places.len() > 1) {
        let Some(&kept) = places.iter().max_by(|a, b| surer(a, b)) else { continue };
        for &place in places.iter().filter(|&&place| place != kept) {
            if places.len() > COPIES
                || hidden(place)
                || place.abs_diff(kept) == 1
                || (1..=2).any(|n| alike(place.checked_sub(n), kept.checked_sub(n)))
                || (1..=2).any(|n| alike(Some(place + n), Some(kept + n)))
            {
                repeated.insert(accepted[place]);
            }
        }
    }
    repeated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    fn tree(nodes: Vec<Node>, leaves: Vec<f32>) -> Tree {
        Tree { nodes, leaves }
    }

    #[test]
    fn trees_decide_by_thresholds() {
        let node = |feature, left, right| Node { feature, left, right, threshold: 0.5 };
        let t = tree(vec![node(0, -1, 1), node(1, -2, -3)], vec![1.0, 2.0, 3.0]);
        let check = |row: [f32; 2], expect: f32| assert_eq!(t.value(&row), expect, "{row:?}");
        check([0.5, 9.0], 1.0);
        check([0.6, 0.0], 2.0);
        check([0.6, 0.6], 3.0);
        check([f32::NAN, 0.6], 3.0);
    }

    #[test]
    fn damaged_trees_end() {
        let circle = tree(vec![Node { feature: 9, left: 0, right: 0, threshold: 0.0 }], vec![]);
        assert_eq!(circle.value(&[]), 0.0);
        let outside =
            tree(vec![Node { feature: 0, left: 7, right: i16::MIN, threshold: 0.0 }], vec![]);
        assert_eq!((outside.value(&[0.0]), outside.value(&[1.0])), (0.0, 0.0));
    }

    #[test]
    fn what_the_first_pass_rules_out_is_not_asked_again() {
        // Two blocks by their number of words, which the first column counts.
        let html = "<p>One two three four five six seven eight nine ten.</p><p>Menu</p>";
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let words = rich::rich(&page).data[0];
        let node = Node { feature: 0, left: -1, right: -2, threshold: words - 0.1 };
        let out = (0.9 * RULED_OUT / (1.0 - 0.9 * RULED_OUT)).ln();
        let first = Ensemble { prior: 0.0, trees: vec![tree(vec![node], vec![out, 0.0])] };
        let second = Ensemble { prior: 3.0, trees: Vec::new() };
        let trees = Trees { features: features(), first, second, cut: 0.5 };
        let found = trees.probabilities(&page);
        assert!((found[0] - sigmoid(3.0)).abs() < 1e-6, "{found:?}");
        assert!((found[1] - 0.9 * RULED_OUT).abs() < 1e-6, "{found:?}");
        let reasons = trees.reasons(&page);
        assert!(reasons[1].iter().all(|r| r.text.starts_with("first look: ")), "{reasons:?}");
    }

    #[test]
    fn what_is_clear_early_is_left_there() {
        let html = "<p>One two three four five six seven eight nine ten.</p><p>Menu</p>";
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let words = rich::rich(&page).data[0];
        let by_words = |leaves| {
            let node = Node { feature: 0, left: -1, right: -2, threshold: words - 0.1 };
            tree(vec![node], leaves)
        };
        // Each of the first trees is against the shorter block; the last one would accept both.
        let mut trees = vec![by_words(vec![1.1 * FAR / FIRST_LOOK as f32, 0.0]); FIRST_LOOK];
        trees.push(tree(Vec::new(), vec![20.0]));
        let first = Ensemble { prior: 0.0, trees };
        let found = first.first_look(&rich::rich(&page));
        assert_eq!(found, [sigmoid(20.0), sigmoid(FAR_IN_THE_END)]);
        assert!(!is_asked(sigmoid(FAR_IN_THE_END)));
        // Of three draws the first is sure of the longer block alone.
        let one = |sums: Vec<f32>| Ensemble { prior: 0.5, trees: vec![by_words(sums)] };
        let draws = [vec![1.0, 3.0], vec![-2.0, -3.0], vec![-2.0, -3.0]].map(one);
        let second = Ensemble::mean(draws.to_vec());
        let found = second_look(&Scorer::new(&second), &[&rich::rich(&page)], &[0, 1]);
        assert!((found[0] - sigmoid(3.5)).abs() < 1e-6, "{found:?}");
        assert!((found[1] - sigmoid(0.5 - 1.0)).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn the_mean_of_ensembles_has_the_mean_of_their_log_odds() {
        let node = |threshold| Node { feature: 0, left: -1, right: -2, threshold };
        let one = |prior, threshold, leaves| Ensemble {
            prior,
            trees: vec![tree(vec![node(threshold)], leaves)],
        };
        let (a, b) = (one(1.0, 0.5, vec![-1.0, 2.0]), one(-2.0, 0.7, vec![0.25, 4.0]));
        let mean = Ensemble::mean(vec![a.clone(), b.clone()]);
        for x in [0.4, 0.6, 0.8] {
            let expect = (a.log_odds(&[x]) + b.log_odds(&[x])) / 2.0;
            assert!((mean.log_odds(&[x]) - expect).abs() < 1e-6);
        }
    }

    #[test]
    fn a_stretch_that_stands_twice_counts_once_and_a_lone_repeat_stays() {
        let [a, b, c] = [
            "<p>The council met on Monday to decide about the old bridge in town.</p>",
            "<p>Nobody was surprised when it put the decision off until the spring.</p>",
            "<p>The river, in the meantime, rises and falls as it has always done.</p>",
        ];
        let check = |html: &str, expect: &[u8]| {
            let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
            let (_, scored) = decide(0.5, &page, &vec![0.9; page.len()]);
            let found: Vec<u8> = scored.iter().map(|s| u8::from(s.content)).collect();
            assert_eq!(found, expect, "{html}");
            assert!(scored.iter().all(|s| (s.probability >= 0.5) == s.content));
        };
        check(&format!("{a}{a}<p>Short</p><p>Short</p>"), &[1, 0, 1, 1]);
        check(&[a, b, c, a, b].concat(), &[1, 1, 1, 0, 0]);
        check(&[a, b, a, c].concat(), &[1, 1, 1, 1]);
        check(&format!("{a}{b}<div hidden>{a}</div>{c}"), &[1, 1, 0, 1]);
        // The hidden one goes, wherever it stands.
        check(&format!("<div hidden>{a}</div>{b}{a}{c}"), &[0, 1, 1, 1]);
        check(
            &[a, b, a, c, a, "<p>One</p>", a, "<p>Two</p>", a].concat(),
            &[1, 1, 0, 1, 0, 1, 0, 1, 0],
        );
    }

    #[test]
    fn where_nothing_is_sure_the_likeliest_blocks_are_content() {
        let page = PageBlocks::read(
            "<p>One</p><p>Two</p><p>Three</p>",
            Profile::Modern,
            &Limits::default(),
        );
        let check = |p: [f32; 3], expect: [bool; 3]| {
            let (_, scored) = decide(0.5, &page, &p);
            assert_eq!(scored.iter().map(|s| s.content).collect::<Vec<_>>(), expect, "{p:?}");
            assert!(scored.iter().all(|s| (s.probability >= 0.5) == s.content), "{p:?}");
        };
        check([0.97, 0.51, 0.49], [true, true, false]);
        check([0.6, 0.4, 0.3], [true, true, false]);
        check([0.3, 0.21, 0.1], [true, true, false]);
        check([0.19, 0.1, 0.0], [false, false, false]);
    }
}

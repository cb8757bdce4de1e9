//! What is known of an edit: how much it is about, how likely its blocks are, where they lie and what
//! their places are called, beside what the labeler chose.
//!
//! Order and number are part of every model trained on them: change the version with them.

use std::sync::LazyLock;

use super::edits::{Frame, above};
use super::{Edit, Said, Scope};
use crate::extract::feature::rich::{self, Matrix, log};
use crate::extract::segment::{Flags, Groups};

/// Scopes in the order of their number.
const SCOPES: [Scope; 4] = [Scope::Child, Scope::Beside, Scope::Main, Scope::Hole];

const OWN: [&str; 32] = [
    "scope",
    "words",
    "blocks",
    "words per block",
    "share of content",
    "mean p",
    "largest p",
    "smallest p",
    "linked",
    "sentence ends per word",
    "heading words",
    "in main",
    "main's share",
    "main's mean p",
    "content words",
    "content blocks",
    "content mean p",
    "doubtful share",
    "blocks before first",
    "blocks behind last",
    "words apart",
    "blocks apart",
    "p before",
    "p behind",
    "content before",
    "content behind",
    "depth under main",
    "same shape",
    "same parent",
    "from title",
    "holds title",
    "path from main",
];
/// Marks of a place: the share of the edit's words that lie so.
const PLACES: [(&str, Flags); 11] = [
    ("in article", Flags::ARTICLE),
    ("in aside", Flags::ASIDE),
    ("in header", Flags::HEADER),
    ("in footer", Flags::FOOTER),
    ("in figure", Flags::FIGURE),
    ("in comments", Flags::COMMENTS),
    ("in list", Flags::LIST),
    ("in table", Flags::TABLE),
    ("in form", Flags::FORM),
    ("in quote", Flags::QUOTE),
    ("in pre", Flags::PREFORMATTED),
];
/// Columns of the blocks themselves, as means over the edit's words.
const MEANS: [&str; 27] = [
    "words per sentence",
    "commas per word",
    "stop words",
    "capitals",
    "numbers",
    "ends with mark",
    "title overlap",
    "summary overlap",
    "body overlap",
    "offering words",
    "referring words",
    "legal words",
    "staff words",
    "addressing words",
    "commenting words",
    "links to pages like this",
    "links to people",
    "italic",
    "bold",
    "in candidate",
    "beside candidate",
    "since pointers",
    "prose since pointers",
    "since comments",
    "times of day near",
    "same shape share of prose",
    "in p",
];

/// Number of features of an edit.
pub const FEATURES: usize = OWN.len() + PLACES.len() + MEANS.len() + Groups::COUNT;

/// Names of the features, in order.
pub fn names() -> Vec<String> {
    let own = OWN.iter().chain(PLACES.iter().map(|(name, _)| name)).chain(&MEANS);
    let mut names: Vec<String> = own.map(|n| n.to_string()).collect();
    let groups =
        rich::names().into_iter().filter_map(|n| Some(n.strip_prefix("within ")?.to_owned()));
    names.extend(groups);
    names
}

/// The columns of [`MEANS`] among the blocks' features.
static COLUMNS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let names = rich::names();
    let column = |name: &str| names.iter().position(|n| n == name).unwrap_or(usize::MAX);
    MEANS.iter().map(|name| column(name)).collect()
});
static IS_TITLE: LazyLock<usize> =
    LazyLock::new(|| rich::names().iter().position(|n| n == "is title").unwrap_or(usize::MAX));

/// What is true of the page and of what the labeler chose.
pub struct Facts {
    frame: Frame,
    first: u32,
    last: u32,
    title: Option<u32>,
    words: u32,
    blocks: u32,
    mean: f32,
    main_mean: f32,
    doubtful: f32,
    main_above: u32,
    main_depth: u16,
    /// Tag and names of the container that holds most of the content, and its parent.
    shape: (u64, u32),
    parent: u32,
    /// Words before each block.
    before: Vec<u32>,
}

impl Facts {
    pub fn new(said: Said<'_>) -> Facts {
        Facts::within(said, Frame::new(said))
    }

    /// As [`Facts::new`], with the frame of what was said.
    pub(super) fn within(said: Said<'_>, frame: Frame) -> Facts {
        let Said { page, scored, probabilities, rich, cut, .. } = said;
        let content = |i: usize| scored.get(i).is_some_and(|s| s.content);
        let (mut sum, mut main_sum, mut main_words, mut unsure) = (0.0, 0.0, 0, 0);
        let (from, end) = frame.main();
        let mut shapes: Vec<((u64, u32), u32)> = Vec::new();
        let mut parents: Vec<(u32, u32)> = Vec::new();
        let mut before = vec![0];
        let mut all = 0;
        for (i, ((block, stats), &p)) in page.iter().zip(probabilities).enumerate() {
            all += stats.words;
            before.push(all);
            let inside = (from..end).contains(&(i as u32));
            if !content(i) {
                if inside && p >= 0.1 && p < cut {
                    unsure += stats.words;
                }
                continue;
            }
            sum += p * stats.words as f32;
            if inside {
                main_sum += p * stats.words as f32;
                main_words += stats.words;
            }
            count(&mut shapes, shape(said, i), stats.words);
            count(&mut parents, page.dom.parent(block.container).unwrap_or(0), stats.words);
        }
        let (words, blocks) = frame.content((0, page.len() as u32));
        let most = |list: &[(u32, u32)]| list.iter().max_by_key(|(_, n)| *n).map_or(0, |(k, _)| *k);
        let title = (0..rich.rows).find(|&i| rich.row(i).get(*IS_TITLE).is_some_and(|v| *v > 0.0));
        Facts {
            first: (0..page.len()).find(|&i| content(i)).unwrap_or(0) as u32,
            last: (0..page.len()).rfind(|&i| content(i)).unwrap_or(0) as u32,
            title: title.map(|i| i as u32),
            words,
            blocks,
            mean: sum / words.max(1) as f32,
            main_mean: main_sum / main_words.max(1) as f32,
            doubtful: unsure as f32 / words.max(1) as f32,
            main_above: above(page, (from..end).filter(|&i| content(i as usize))),
            main_depth: frame.path.len() as u16,
            shape: shapes.iter().max_by_key(|(_, n)| *n).map_or((0, 0), |(s, _)| *s),
            parent: most(&parents),
            before,
            frame,
        }
    }
}

fn count<K: PartialEq>(list: &mut Vec<(K, u32)>, key: K, words: u32) {
    if let Some((_, sum)) = list.iter_mut().find(|(k, _)| *k == key) {
        *sum += words;
    } else if list.len() < 64 {
        list.push((key, words));
    }
}

/// Tag of the block's container and the groups that its names are of.
fn shape(said: Said<'_>, index: usize) -> (u64, u32) {
    said.page.blocks.list.get(index).map_or((0, 0), |block| {
        let name = said.page.dom.name(block.container).bytes().take(8);
        (name.fold(0, |sum, b| sum << 8 | u64::from(b)), block.own.0)
    })
}

/// One row per edit.
pub fn matrix(said: Said<'_>, facts: &Facts, edits: &[Edit]) -> Matrix {
    let mut data = Vec::with_capacity(edits.len() * FEATURES);
    for edit in edits {
        row(&mut data, said, facts, edit);
    }
    debug_assert_eq!(data.len(), edits.len() * FEATURES);
    Matrix { rows: edits.len(), cols: FEATURES, data }
}

fn row(data: &mut Vec<f32>, said: Said<'_>, facts: &Facts, edit: &Edit) {
    let Said { page, rich, probabilities, scored, .. } = said;
    let p_of = |i: u32| probabilities.get(i as usize).copied().unwrap_or(0.0);
    let content = |i: u32| scored.get(i as usize).is_some_and(|s| s.content);
    let (mut words, mut linked, mut ends, mut headings) = (0, 0, 0, 0);
    let (mut p_sum, mut p_most, mut p_least) = (0.0_f32, 0.0_f32, 1.0_f32);
    let (mut inside, mut shaped, mut beside, mut depth) = (0, 0, 0, 0.0);
    let mut places = [0; PLACES.len()];
    let mut means = [0.0; MEANS.len()];
    let mut groups = [0; Groups::COUNT];
    let (from, end) = facts.frame.main();
    for &i in &edit.blocks {
        let (Some(block), Some(stats)) =
            (page.blocks.list.get(i as usize), page.stats.get(i as usize))
        else {
            continue;
        };
        let n = stats.words;
        words += n;
        linked += stats.link_words;
        ends += stats.ends;
        headings += if block.heading > 0 { n } else { 0 };
        let p = p_of(i);
        p_sum += p * n as f32;
        p_most = p_most.max(p);
        p_least = p_least.min(p);
        inside += if (from..end).contains(&i) { n } else { 0 };
        shaped += if shape(said, i as usize) == facts.shape { n } else { 0 };
        beside += if page.dom.parent(block.container) == Some(facts.parent) { n } else { 0 };
        depth += (f32::from(block.depth) - f32::from(facts.main_depth)) * n as f32;
        for (sum, (_, flag)) in places.iter_mut().zip(PLACES) {
            *sum += if block.flags.has(flag) { n } else { 0 };
        }
        let row = rich.row(i as usize);
        for (sum, &column) in means.iter_mut().zip(COLUMNS.iter()) {
            *sum += row.get(column).copied().unwrap_or(0.0) * n as f32;
        }
        let named = block.above.0 & !facts.main_above;
        for (bit, sum) in groups.iter_mut().enumerate() {
            *sum += if named >> bit & 1 == 1 { n } else { 0 };
        }
    }
    let all = words.max(1) as f32;
    let (start, stop) = match (edit.blocks.first(), edit.blocks.last()) {
        (Some(&start), Some(&stop)) => (start, stop),
        _ => (0, 0),
    };
    let previous = (0..start).rev().take(200).find(|&i| content(i));
    let next = (stop + 1..page.len() as u32).take(200).find(|&i| content(i));
    let words_before = |i: u32| facts.before.get(i as usize).copied().unwrap_or(0);
    let apart = [
        previous.map(|i| (start - i - 1, words_before(start).saturating_sub(words_before(i + 1)))),
        next.map(|i| (i - stop - 1, words_before(i).saturating_sub(words_before(stop + 1)))),
    ];
    let nearest = apart.into_iter().flatten().min().unwrap_or((500, 5000));
    let scope = SCOPES.iter().position(|s| *s == edit.scope).unwrap_or(0);
    let title = facts.title;
    let own: [f32; OWN.len()] = [
        scope as f32,
        log(words),
        log(edit.blocks.len() as u32),
        all / edit.blocks.len().max(1) as f32,
        words as f32 / facts.words.max(1) as f32,
        p_sum / all,
        p_most,
        p_least,
        linked as f32 / all,
        ends as f32 / all,
        headings as f32 / all,
        inside as f32 / all,
        facts.frame.content((from, end)).0 as f32 / facts.words.max(1) as f32,
        facts.main_mean,
        log(facts.words),
        log(facts.blocks),
        facts.mean,
        facts.doubtful,
        log(facts.first.saturating_sub(start)),
        log(stop.saturating_sub(facts.last)),
        log(nearest.1),
        log(nearest.0),
        start.checked_sub(1).map_or(-1.0, p_of),
        if (stop as usize) + 1 < page.len() { p_of(stop + 1) } else { -1.0 },
        facts.frame.content((0, start)).0 as f32 / facts.words.max(1) as f32,
        facts.frame.content((stop + 1, page.len() as u32)).0 as f32 / facts.words.max(1) as f32,
        depth / all,
        shaped as f32 / all,
        beside as f32 / all,
        title.map_or(-101.0, |t| (start as f32 - t as f32).clamp(-100.0, 100.0)),
        f32::from(title.is_some_and(|t| t >= start && t <= stop)),
        facts.frame.path.len() as f32,
    ];
    data.extend_from_slice(&own);
    data.extend(places.iter().map(|&n| n as f32 / all));
    data.extend(means.iter().map(|sum| sum / all));
    data.extend(groups.iter().map(|&n| n as f32 / all));
}

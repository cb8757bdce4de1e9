//! Language-independent features of a block amid its page, for learned labelers: its text, its
//! place in the tree, the running text around it, repetition, the page's own hints, neighbours.
//!
//! Linear in blocks × depth. Every value is finite. Order and number of features are part of every
//! model trained on them: change [`VERSION`] with them. Must not know: labelers, corpora.

use std::sync::LazyLock;

use crate::extract::page::PageBlocks;
use crate::extract::segment::{Flags, Groups, LastLink, RawBlock};
use crate::extract::text::{LANGUAGES, Stats};
use crate::html::name;

mod candidate;
mod mass;
mod overlap;
pub(super) mod shape;
mod since;
mod wording;

use candidate::Candidates;
use mass::Masses;
use overlap::Overlap;
use shape::Shapes;
use since::Since;
use wording::{WORDING, wording};

/// Version of the feature set.
pub const VERSION: u32 = 3;

/// Rows (blocks) of equally many columns (features), row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub data: Vec<f32>,
}

impl Matrix {
    /// The features of one block; empty if there is none.
    pub fn row(&self, index: usize) -> &[f32] {
        self.data.get(index * self.cols..(index + 1) * self.cols).unwrap_or(&[])
    }
}

/// How far neighbours are looked at.
const NEIGHBOURS: [isize; 4] = [-2, -1, 1, 2];
/// Ancestor containers whose masses are features.
const LEVELS: usize = 4;

const TEXT: [&str; 20] = [
    "words",
    "characters",
    "sentences",
    "words per sentence",
    "end marks per word",
    "link density",
    "links",
    "commas per word",
    "punctuation",
    "stop words",
    "capitals",
    "numbers",
    "characters per word",
    "spaceless",
    "ends with mark",
    "ends with colon or dots",
    "begins upper",
    "begins lower",
    "page language",
    "linked throughout",
];
const PLACE: [&str; 20] = [
    "depth",
    "heading",
    "format ratio",
    "list ratio",
    "structuring ratio",
    "merged",
    "after image",
    "in p",
    "in li",
    "in td",
    "in div",
    "in other",
    "parent is li",
    "parent is p",
    "index",
    "from end",
    "words before",
    "prose before",
    "from title",
    "from heading",
];
const AROUND: [&str; 10] = [
    "in densest",
    "in densest parent",
    "from densest start",
    "from densest end",
    "densest share",
    "depth from densest",
    "steps to densest",
    "prose run",
    "prose since gap",
    "gap before",
];
const REPEATED: [&str; 7] = [
    "same text",
    "same shape",
    "same shape words",
    "same shape link density",
    "same siblings",
    "same shape share of prose",
    "longest of shape",
];
const HINTS: [&str; 8] = [
    "title overlap",
    "covers title",
    "is title",
    "summary overlap",
    "covers summary",
    "body overlap",
    "has body",
    "has summary",
];
const PAGE: [&str; 8] = [
    "page words",
    "page prose",
    "page blocks",
    "page link density",
    "page has article",
    "page has title",
    "page paragraphs",
    "page prose blocks",
];
const NEIGHBOUR: [&str; 6] =
    ["words", "link density", "stop words", "end marks", "heading", "in p"];
const CANDIDATE: [&str; 9] = [
    "in candidate",
    "beside candidate",
    "candidate score",
    "candidate rivalled",
    "page candidate score",
    "steps to candidate",
    "from candidate start",
    "from candidate end",
    "candidate share",
];
const SINCE: [&str; 8] = [
    "since pointers",
    "prose since pointers",
    "pointers before",
    "since comments",
    "prose since comments",
    "comments before",
    "time of day",
    "times of day near",
];
const LEVEL: [&str; 4] = ["share of prose", "prose density", "link density", "blocks"];

const FLAGS: [&str; 21] = [
    "hidden",
    "article",
    "main",
    "nav",
    "aside",
    "header",
    "footer",
    "figure",
    "figcaption",
    "comments",
    "list",
    "table",
    "form",
    "button",
    "quote",
    "noscript",
    "dialog",
    "p",
    "address",
    "article body",
    "pre",
];
const GROUPS: [&str; Groups::COUNT] = [
    "article",
    "title",
    "lead",
    "caption",
    "credit",
    "author",
    "date",
    "comment",
    "navigation",
    "related",
    "share",
    "promotion",
    "footer",
    "side",
    "notice",
    "tags",
    "media",
    "form",
    "box",
    "hidden",
    "discussion",
];

/// Number of features.
pub const COLUMNS: usize = TEXT.len()
    + PLACE.len()
    + AROUND.len()
    + REPEATED.len()
    + HINTS.len()
    + PAGE.len()
    + FLAGS.len()
    + 2 * GROUPS.len()
    + LEVELS * LEVEL.len()
    + NEIGHBOURS.len() * NEIGHBOUR.len()
    + WORDING.len()
    + CANDIDATE.len()
    + SINCE.len();

/// Names of the features, in column order.
pub fn names() -> Vec<String> {
    let plain = [&TEXT[..], &PLACE, &AROUND, &REPEATED, &HINTS, &PAGE].concat();
    let mut out: Vec<String> = plain.into_iter().map(str::to_owned).collect();
    out.extend(FLAGS.iter().map(|f| format!("inside {f}")));
    out.extend(GROUPS.iter().map(|g| format!("named {g}")));
    out.extend(GROUPS.iter().map(|g| format!("within named {g}")));
    for level in 1..=LEVELS {
        out.extend(LEVEL.iter().map(|l| format!("ancestor {level} {l}")));
    }
    for step in NEIGHBOURS {
        out.extend(NEIGHBOUR.iter().map(|n| format!("at {step:+} {n}")));
    }
    out.extend(WORDING.map(str::to_owned));
    out.extend(CANDIDATE.map(str::to_owned));
    out.extend(SINCE.map(str::to_owned));
    out
}

/// The features of all blocks of a page; its [`PageBlocks::evidence`] counts.
pub fn rich(page: &PageBlocks) -> Matrix {
    let rows = page.len();
    let mut data = Vec::with_capacity(rows * COLUMNS);
    let of_page = OfPage::new(page);
    let masses = Masses::new(page);
    let mut since = Since::new(page);
    let candidates = Candidates::new(page, &masses);
    let shapes = Shapes::new(page);
    let overlap = Overlap::new(page);
    let whole = of_page.features(&overlap);
    let neighbours: Vec<_> =
        page.iter().map(|(block, stats)| as_neighbour(page, block, stats)).collect();
    let claimed = wording::claimed(&page.evidence);
    let mut run = Run::default();
    let mut last_link = LastLink::default();
    for (index, (block, stats)) in page.iter().enumerate() {
        text(&mut data, page, index, block, stats, &of_page);
        place(&mut data, page, index, block, stats, &of_page, &overlap, &mut run);
        masses.around(&mut data, page, index, block, stats, &run);
        shapes.repeated(&mut data, index, stats, &masses);
        overlap.hints(&mut data, index);
        data.extend_from_slice(&whole);
        data.extend_from_slice(&bits::<{ FLAGS.len() }>(block.flags.0));
        data.extend_from_slice(&bits::<{ GROUPS.len() }>(block.own.0));
        data.extend_from_slice(&bits::<{ GROUPS.len() }>(block.above.0));
        masses.levels(&mut data, page, index);
        for step in NEIGHBOURS {
            let at = index.checked_add_signed(step).and_then(|i| neighbours.get(i));
            data.extend_from_slice(at.unwrap_or(&[-1.0; NEIGHBOUR.len()]));
        }
        let words = page.words.of_block(index);
        let said = wording(&mut data, page, block, stats, words, claimed, &mut last_link);
        candidates.features(&mut data, page, index, &masses);
        since.pass(&mut data, index, block, stats, &said);
        run.pass(block, stats);
    }
    debug_assert_eq!(data.len(), rows * COLUMNS);
    Matrix { rows, cols: COLUMNS, data }
}

/// The lowest bits, a number each.
#[inline]
fn bits<const COUNT: usize>(bits: u32) -> [f32; COUNT] {
    /// Several of these are tried at a time; bits that are shifted would be told one by one.
    static EACH: [u32; u32::BITS as usize] = {
        let mut each = [1; u32::BITS as usize];
        let mut bit = 1;
        while bit < each.len() {
            each[bit] = each[bit - 1] << 1;
            bit += 1;
        }
        each
    };
    let mut row = [0.0; COUNT];
    for (value, bit) in row.iter_mut().zip(&EACH) {
        *value = if bits & bit == 0 { 0.0 } else { 1.0 };
    }
    row
}

/// ln(1 + x).
pub(in crate::extract) fn log(x: u32) -> f32 {
    /// Most counts are small, and a logarithm costs more than anything else that is done with them.
    static SMALL: LazyLock<[f32; 2_048]> =
        LazyLock::new(|| std::array::from_fn(|x| (x as f32).ln_1p()));
    SMALL.get(x as usize).copied().unwrap_or_else(|| (x as f32).ln_1p())
}

/// x / y, 0 if y is.
fn share(x: u32, y: u32) -> f32 {
    if y == 0 { 0.0 } else { x as f32 / y as f32 }
}

/// Words of running text of a block, 0 if it looks like anything else.
fn prose(block: &RawBlock, stats: &Stats) -> u32 {
    let running = stats.words >= 12 || stats.ends > 0 && stats.words >= 4;
    let linked = stats.link_words * 2 > stats.words;
    if running && !linked && block.heading == 0 { stats.words - stats.link_words } else { 0 }
}

/// What changes from block to block.
#[derive(Default)]
struct Run {
    words: u32,
    prose: u32,
    /// Prose blocks in a row before this block, its prose, and blocks since the last one.
    length: u32,
    since_gap: u32,
    gap: u32,
    heading: Option<usize>,
}

impl Run {
    fn pass(&mut self, block: &RawBlock, stats: &Stats) {
        let prose = prose(block, stats);
        self.words += stats.words;
        self.prose += prose;
        if prose > 0 {
            self.length += 1;
            self.since_gap += prose;
            self.gap = 0;
        } else {
            self.gap += 1;
            if self.gap > 3 {
                (self.length, self.since_gap) = (0, 0);
            }
        }
    }
}

/// Totals of the page.
struct OfPage {
    words: u32,
    link_words: u32,
    prose: u32,
    prose_blocks: u32,
    paragraphs: u32,
    blocks: u32,
    article: bool,
    language: Option<u8>,
}

impl OfPage {
    fn new(page: &PageBlocks) -> OfPage {
        let mut of_page = OfPage {
            words: 0,
            link_words: 0,
            prose: 0,
            prose_blocks: 0,
            paragraphs: 0,
            blocks: page.len() as u32,
            article: false,
            language: None,
        };
        let mut languages = [0u32; LANGUAGES.len()];
        for (block, stats) in page.iter() {
            let prose = prose(block, stats);
            of_page.words += stats.words;
            of_page.link_words += stats.link_words;
            of_page.prose += prose;
            of_page.prose_blocks += u32::from(prose > 0);
            of_page.paragraphs += u32::from(block.flags.has(Flags::PARAGRAPH));
            of_page.article |= block.flags.has(Flags::ARTICLE);
            if let Some(n) = languages.get_mut(stats.language as usize) {
                *n += stats.stop;
            }
        }
        let most = (0u8..).zip(languages).max_by_key(|&(i, n)| (n, std::cmp::Reverse(i)));
        of_page.language = most.filter(|(_, n)| *n > 0).map(|(i, _)| i);
        of_page
    }

    fn features(&self, overlap: &Overlap) -> [f32; PAGE.len()] {
        [
            log(self.words),
            log(self.prose),
            log(self.blocks),
            share(self.link_words, self.words),
            f32::from(self.article),
            f32::from(overlap.title.is_some()),
            log(self.paragraphs),
            log(self.prose_blocks),
        ]
    }
}

fn text(
    data: &mut Vec<f32>,
    page: &PageBlocks,
    index: usize,
    block: &RawBlock,
    stats: &Stats,
    of_page: &OfPage,
) {
    let text = page.text(index);
    let trimmed = text.trim_end_matches(['"', '”', '’', '»', ')', '\'', '“', '」', '』']);
    let first = text.chars().find(|c| c.is_alphanumeric());
    let language = match of_page.language {
        Some(l) if stats.stop > 0 => f32::from(l == stats.language),
        _ => 0.5,
    };
    // One blank per word boundary is no punctuation.
    let marks = (stats.chars - stats.alnum).saturating_sub(stats.words.saturating_sub(1));
    let row: [f32; TEXT.len()] = [
        log(stats.words),
        log(stats.chars),
        log(stats.sentences),
        share(stats.words, stats.sentences).min(200.0),
        share(stats.ends, stats.words),
        share(stats.link_words, stats.words),
        log(block.links.len() as u32),
        share(stats.commas, stats.words).min(10.0),
        share(marks, stats.chars),
        share(stats.stop, stats.words),
        share(stats.capitals, stats.words),
        share(stats.numbers, stats.words),
        share(stats.alnum, stats.words).min(60.0),
        share(stats.spaceless, stats.chars),
        f32::from(trimmed.ends_with(['.', '!', '?', '。', '！', '？', '۔', '।', '؟'])),
        f32::from(trimmed.ends_with([':', '…', '：']) || trimmed.ends_with("...")),
        f32::from(first.is_some_and(char::is_uppercase)),
        f32::from(first.is_some_and(char::is_lowercase)),
        language,
        f32::from(stats.words > 0 && stats.link_words == stats.words),
    ];
    data.extend_from_slice(&row);
}

#[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
fn place(
    data: &mut Vec<f32>,
    page: &PageBlocks,
    index: usize,
    block: &RawBlock,
    stats: &Stats,
    of_page: &OfPage,
    overlap: &Overlap,
    run: &mut Run,
) {
    if block.heading > 0 {
        run.heading = Some(index);
    }
    let tag = |at| page.dom.element(page.outline.node(at)).map(|element| element.tag);
    let at = page.outline.of(index);
    let (own, parent) = (tag(at), tag(page.outline.around(at)));
    let [p, li, td, div] =
        [name!("p"), name!("li"), name!("td"), name!("div")].map(|name| own == Some(name));
    let words = u32::max(stats.words, 1) as f32;
    let from = |other: Option<usize>| match other {
        Some(other) => (index as f32 - other as f32).clamp(-100.0, 100.0),
        None => -101.0,
    };
    let row: [f32; PLACE.len()] = [
        f32::from(block.depth),
        f32::from(block.heading),
        f32::from(block.format) / words,
        f32::from(block.list) / words,
        f32::from(block.structuring) / words,
        log(block.merged.len() as u32),
        f32::from(block.after_image),
        f32::from(p),
        f32::from(li),
        f32::from(td),
        f32::from(div),
        f32::from(!(p || li || td || div)),
        f32::from(parent == Some(name!("li"))),
        f32::from(parent == Some(name!("p"))),
        log(index as u32),
        log((page.len() - index) as u32),
        share(run.words, of_page.words),
        share(run.prose, of_page.prose),
        from(overlap.title),
        from(run.heading),
    ];
    data.extend_from_slice(&row);
}

/// What the blocks beside a block see of it.
fn as_neighbour(page: &PageBlocks, block: &RawBlock, stats: &Stats) -> [f32; NEIGHBOUR.len()] {
    [
        log(stats.words),
        share(stats.link_words, stats.words),
        share(stats.stop, stats.words),
        log(stats.ends),
        f32::from(block.heading),
        f32::from(page.dom.element(block.container).is_some_and(|e| e.tag == name!("p"))),
    ]
}

#[cfg(test)]
mod tests;

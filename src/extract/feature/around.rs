//! Features for the boosted trees: what a block looks like, where it stands, what its containers
//! and neighbours hold. Language-independent but for stop words; linear in the page.
//!
//! Must not know: labelers, models, any site.

use html5ever::local_name;

pub mod context;
mod evidence;
mod place;

use super::rich::Matrix;
use crate::extract::dom::{Dom, Id, NONE};
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Groups, RawBlock};
use crate::extract::text::Stats;

use place::Places;

/// Bits of [`crate::extract::segment::Flags`] that are features.
const FLAG_BITS: usize = 21;
/// Ancestor levels whose sums are features.
const LEVELS: usize = 4;
/// Neighbours on each side.
const NEIGHBOURS: usize = 2;

const OWN: [&str; 36] = [
    "words",
    "word length",
    "sentences",
    "sentence ends",
    "ends per word",
    "link density",
    "commas per word",
    "numbers per word",
    "capitals per word",
    "stop share",
    "spaceless share",
    "alphanumeric share",
    "ends terminal",
    "ends colon",
    "ends ellipsis",
    "starts lower",
    "starts upper",
    "starts digit",
    "starts quote",
    "bars",
    "copyright",
    "at or hash",
    "format",
    "list",
    "structuring",
    "heading",
    "after image",
    "links",
    "tag",
    "parent tag",
    "grandparent tag",
    "inline tag",
    "depth",
    "upper letters",
    "duplicates",
    "seen before",
];
const LEVEL: [&str; 5] = ["words", "prose share", "link density", "blocks", "direct prose"];
const SHAPE: [&str; 4] = ["count", "mean words", "link density", "prose share"];
const NEAR: [&str; 6] =
    ["words", "link density", "ends terminal", "prose", "heading", "same shape"];
const PLACE: [&str; 24] = [
    "position",
    "prose before",
    "from title",
    "prose since title",
    "title overlap",
    "words to previous prose",
    "words to next prose",
    "blocks to previous prose",
    "blocks to next prose",
    "headings since title",
    "window 3",
    "window 8",
    "in region",
    "levels to region",
    "in strict region",
    "levels to strict region",
    "region link density",
    "since region start",
    "until region end",
    "summary overlap",
    "body overlap",
    "body known",
    "links since prose",
    "headings since prose",
];
const PAGE: [&str; 9] = [
    "page blocks",
    "page words",
    "page prose",
    "page stop share",
    "page spaceless share",
    "page link density",
    "page articles",
    "title found",
    "page headings",
];

/// Number of features.
pub const COLUMNS: usize = OWN.len()
    + FLAG_BITS
    + 2 * Groups::COUNT
    + LEVELS * LEVEL.len()
    + 2 * SHAPE.len()
    + 2 * NEIGHBOURS * NEAR.len()
    + PLACE.len()
    + PAGE.len();

/// Names of the features, in column order.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = OWN.iter().map(|n| n.to_string()).collect();
    names.extend((0..FLAG_BITS).map(|b| format!("flag {b}")));
    names.extend((0..Groups::COUNT).map(|b| format!("own group {b}")));
    names.extend((0..Groups::COUNT).map(|b| format!("above group {b}")));
    for level in 0..LEVELS {
        names.extend(LEVEL.iter().map(|n| format!("level {level} {n}")));
    }
    for shape in ["shape", "deep shape"] {
        names.extend(SHAPE.iter().map(|n| format!("{shape} {n}")));
    }
    for offset in offsets() {
        names.extend(NEAR.iter().map(|n| format!("{offset:+} {n}")));
    }
    names.extend(PLACE.iter().map(|n| n.to_string()));
    names.extend(PAGE.iter().map(|n| n.to_string()));
    names
}

fn offsets() -> impl Iterator<Item = isize> {
    let n = NEIGHBOURS as isize;
    (-n..=n).filter(|o| *o != 0)
}

/// What is known of one block before its surroundings are.
struct Own {
    words: f32,
    link_density: f32,
    /// Words of running text outside of links.
    prose: f32,
    terminal: bool,
    heading: u8,
    shape: u32,
    deep_shape: u32,
}

/// The features of all blocks of a page.
pub fn around(page: &PageBlocks) -> Matrix {
    let places = Places::new(page);
    let mut data = Vec::with_capacity(page.len() * COLUMNS);
    for (index, (block, stats)) in page.iter().enumerate() {
        own(page, index, block, stats, &places, &mut data);
        data.extend((0..FLAG_BITS).map(|b| bit(block.flags.0, b)));
        data.extend((0..Groups::COUNT).map(|b| bit(block.own.0, b)));
        data.extend((0..Groups::COUNT).map(|b| bit(block.above.0, b)));
        places.surroundings(page, index, &mut data);
        debug_assert_eq!(data.len(), (index + 1) * COLUMNS);
    }
    Matrix { rows: page.len(), cols: COLUMNS, data }
}

fn bit(bits: u32, at: usize) -> f32 {
    (bits >> at & 1) as f32
}

fn own(
    page: &PageBlocks,
    index: usize,
    block: &RawBlock,
    stats: &Stats,
    places: &Places,
    data: &mut Vec<f32>,
) {
    let text = page.text(index);
    let words = stats.words as f32;
    let per_word = |n: u32| n as f32 / words.max(1.0);
    let first = text.chars().next().unwrap_or(' ');
    let last = text.chars().next_back().unwrap_or(' ');
    let marks = Marks::of(text);
    let parent = page.dom.parent(block.container).unwrap_or(NONE);
    let grandparent = page.dom.parent(parent).unwrap_or(NONE);
    let inline = page.dom.parent(block.first).unwrap_or(NONE);
    let (copies, before) = places.copies(index);
    data.extend([
        words.ln_1p(),
        stats.alnum as f32 / words.max(1.0),
        stats.sentences as f32,
        stats.ends as f32,
        per_word(stats.ends),
        per_word(stats.link_words),
        per_word(stats.commas),
        per_word(stats.numbers),
        per_word(stats.capitals),
        per_word(stats.stop),
        stats.spaceless as f32 / (stats.chars as f32).max(1.0),
        stats.alnum as f32 / (stats.chars as f32).max(1.0),
        flag(is_terminal(text)),
        flag(matches!(last, ':' | '：')),
        flag(last == '…' || text.ends_with("...")),
        flag(first.is_lowercase()),
        flag(first.is_uppercase()),
        flag(first.is_numeric()),
        flag(matches!(first, '"' | '\'' | '“' | '„' | '«' | '»' | '‘' | '「' | '『' | '”')),
        marks.bars,
        marks.copyright,
        marks.handles,
        f32::from(block.format) / words.max(1.0),
        f32::from(block.list),
        f32::from(block.structuring),
        f32::from(block.heading),
        flag(block.after_image),
        page.blocks.links_of(block).len() as f32,
        tag_code(&page.dom, block.container),
        tag_code(&page.dom, parent),
        tag_code(&page.dom, grandparent),
        if inline == block.container { 0.0 } else { tag_code(&page.dom, inline) },
        f32::from(block.depth),
        marks.upper,
        copies,
        before,
    ]);
}

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

/// Does the text end like a sentence, closing quotes and brackets aside?
fn is_terminal(text: &str) -> bool {
    let text =
        text.trim_end_matches(['"', '\'', '”', '’', '“', '»', '«', ')', ']', '」', '』', '）']);
    text.ends_with(['.', '!', '?', '…', '。', '！', '？', '؟', '۔', '।', '։', '｡'])
}

/// Signs that furniture is full of.
struct Marks {
    bars: f32,
    copyright: f32,
    handles: f32,
    /// Upper-case letters among all ASCII letters.
    upper: f32,
}

impl Marks {
    /// Counts in the first 400 bytes: enough to tell.
    fn of(text: &str) -> Marks {
        let (mut bars, mut copyright, mut handles) = (0, 0, 0);
        let (mut upper, mut letters) = (0, 0);
        let mut previous = 0;
        for &b in text.as_bytes().iter().take(400) {
            match b {
                b'|' | b'>' | b'/' => bars += 1,
                b'@' | b'#' => handles += 1,
                b'A'..=b'Z' => {
                    upper += 1;
                    letters += 1;
                }
                b'a'..=b'z' => letters += 1,
                // © in UTF-8; », ›, • and · as bars.
                0xA9 if previous == 0xC2 => copyright += 1,
                0xBB | 0xB7 if previous == 0xC2 => bars += 1,
                0xA2 | 0xBA if previous == 0x80 => bars += 1,
                _ => {}
            }
            previous = b;
        }
        let upper = if letters == 0 { 0.0 } else { upper as f32 / letters as f32 };
        Marks { bars: bars as f32, copyright: copyright as f32, handles: handles as f32, upper }
    }
}

/// Tags by kind; near numbers are kin.
fn tag_code(dom: &Dom, id: Id) -> f32 {
    let Some(tag) = dom.tag(id) else { return 0.0 };
    let code = match *tag {
        local_name!("p") => 1,
        local_name!("blockquote") => 2,
        local_name!("pre") => 3,
        local_name!("article") => 4,
        local_name!("section") => 5,
        local_name!("main") => 6,
        local_name!("div") => 7,
        local_name!("body") => 8,
        local_name!("td") | local_name!("th") => 9,
        local_name!("tr") | local_name!("tbody") | local_name!("table") => 10,
        local_name!("dd") | local_name!("dt") | local_name!("dl") => 11,
        local_name!("h1") => 12,
        local_name!("h2") => 13,
        local_name!("h3") => 14,
        local_name!("h4") | local_name!("h5") | local_name!("h6") => 15,
        local_name!("strong") | local_name!("b") => 16,
        local_name!("em") | local_name!("i") => 17,
        local_name!("span") | local_name!("font") => 18,
        local_name!("time") => 19,
        local_name!("small") => 20,
        local_name!("figcaption") | local_name!("figure") => 21,
        local_name!("header") => 22,
        local_name!("li") => 23,
        local_name!("ul") | local_name!("ol") => 24,
        local_name!("a") => 25,
        local_name!("button") | local_name!("label") | local_name!("form") => 26,
        local_name!("aside") => 27,
        local_name!("nav") => 28,
        local_name!("footer") => 29,
        _ if tag.contains('-') => 30,
        _ => 31,
    };
    code as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    const PAGE: &str = "<title>Bridge to close | Our Paper</title><body><nav><ul><li><a href=/>Home</a>\
        <li><a href=/s>Sport</a></ul></nav><article><h1>Bridge to close</h1>\
        <p>The council met on Monday to decide about the old bridge, and it was not easy.</p>\
        <p>Repairs will take two years and cost eight million, engineers said at noon.</p></article>\
        <aside><div class=teaser><a href=/x>Another bridge</a></div></aside><footer>© Our Paper</footer>";

    fn column(matrix: &Matrix, name: &str) -> Vec<f32> {
        let at = names().iter().position(|n| n == name).expect("a known feature");
        matrix.data.chunks(COLUMNS).map(|r| r[at]).collect()
    }

    #[test]
    fn columns_mean_what_they_are_called() {
        let page = PageBlocks::read(PAGE, Profile::Modern, &Limits::default());
        let m = around(&page);
        assert_eq!(m.data.len(), page.len() * COLUMNS);
        assert_eq!(names().len(), COLUMNS);
        assert_eq!(column(&m, "link density"), [1., 1., 0., 0., 0., 1., 0.]);
        assert_eq!(column(&m, "heading"), [0., 0., 1., 0., 0., 0., 0.]);
        assert_eq!(column(&m, "in region"), [0., 0., 1., 1., 1., 0., 0.]);
        assert_eq!(column(&m, "copyright"), [0., 0., 0., 0., 0., 0., 1.]);
        assert_eq!(column(&m, "ends terminal"), [0., 0., 0., 1., 1., 0., 0.]);
        assert!(column(&m, "title overlap")[2] > 0.5);
        let from = column(&m, "from title");
        assert!(from[0] < 0.0 && from[2] == 0.0 && from[4] > from[3] && from[3] > 0.0);
    }

    proptest::proptest! {
        #[test]
        fn any_page_gives_finite_rows(html in "(<(p|div|li|a href=x|h1|section class='a b')>|</p>|</div>|[a-zé。京 .|©]{0,12}){0,40}") {
            let page = PageBlocks::read(&html, Profile::Modern, &Limits::default());
            let m = around(&page);
            proptest::prop_assert_eq!(m.data.len(), page.len() * COLUMNS);
            proptest::prop_assert!(m.data.iter().all(|x| x.is_finite()));
        }
    }
}

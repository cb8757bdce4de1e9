//! What a page repeats: elements of one look side by side, as the entries of a list and the posts of a
//! thread are.
//!
//! Must not know: addresses, marks, how kinds are decided.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Columns, Seen};
use crate::extract::segment::{Groups, Place};
use crate::extract::text::ratio;
use crate::model::Label;

/// So many rows have room from the beginning.
const ROOM: usize = 100;
/// Fewer elements of one look are no row of cards.
const FEWEST: u32 = 3;

/// What stands in an element or a row of them.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    blocks: u32,
    words: u32,
    linked: u32,
    text: u32,
    headings: u32,
    linked_headings: u32,
    dates: u32,
    authors: u32,
}

impl Held {
    fn add(&mut self, other: Held) {
        self.blocks += other.blocks;
        self.words += other.words;
        self.linked += other.linked;
        self.text += other.text;
        self.headings += other.headings;
        self.linked_headings += other.linked_headings;
        self.dates += other.dates;
        self.authors += other.authors;
    }
}

/// Elements of one look in one element.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    count: u32,
    /// Elements that hold …
    with_heading: u32,
    with_link: u32,
    with_date: u32,
    with_author: u32,
    /// … and text that was taken.
    with_text: u32,
    longest: u32,
    held: Held,
}

/// The rows that say most, each described alike.
pub(super) fn describe(seen: Seen<'_>, out: &mut Columns) {
    let rows = rows(seen);
    let most = |size: fn(&Row) -> u32| {
        let best = rows.iter().max_by_key(|row| (size(row), row.count, row.held.words));
        best.copied().unwrap_or_default()
    };
    let all: u32 = seen.page.stats.iter().map(|stats| stats.words).sum();
    let text: u32 = rows_text(seen);
    let of = |part: u32, whole: u32| if whole > 0 { ratio(part as f32, whole as f32) } else { 0.0 };
    let widest = most(|row| row.held.words);
    let mut row = |names: [&'static str; 9], row: Row| {
        let values = [
            row.count as f32,
            of(row.held.words, row.count),
            of(row.held.words, all),
            of(row.held.text, text),
            of(row.held.linked, row.held.words),
            of(row.with_heading, row.count),
            of(row.with_date, row.count),
            of(row.with_author, row.count),
            of(row.longest, row.held.words),
        ];
        out.extend(names.into_iter().zip(values));
    };
    row(
        [
            "row of most words: count",
            "row of most words: words each",
            "row of most words: share of words",
            "row of most words: share of the text",
            "row of most words: linked",
            "row of most words: with headings",
            "row of most words: with dates",
            "row of most words: with authors",
            "row of most words: longest",
        ],
        widest,
    );
    row(
        [
            "row of most text: count",
            "row of most text: words each",
            "row of most text: share of words",
            "row of most text: share of the text",
            "row of most text: linked",
            "row of most text: with headings",
            "row of most text: with dates",
            "row of most text: with authors",
            "row of most text: longest",
        ],
        most(|row| row.held.text),
    );
    row(
        [
            "row of most titles: count",
            "row of most titles: words each",
            "row of most titles: share of words",
            "row of most titles: share of the text",
            "row of most titles: linked",
            "row of most titles: with headings",
            "row of most titles: with dates",
            "row of most titles: with authors",
            "row of most titles: longest",
        ],
        most(|row| row.held.linked_headings),
    );
    let signed = most(|row| row.with_author.min(row.with_text));
    out.extend([
        ("elements that are signed and hold text", signed.with_author.min(signed.with_text) as f32),
        ("their share of the text", of(signed.held.text, text)),
        ("most elements with text in a row", most(|row| row.with_text).with_text as f32),
        ("elements with links in the row of most words", of(widest.with_link, widest.count)),
    ]);
}

fn rows_text(Seen { page, labels, .. }: Seen<'_>) -> u32 {
    page.stats.iter().zip(labels).filter(|(_, l)| l.is_content()).map(|(s, _)| s.words).sum()
}

/// Rows of elements that hold at least two blocks each, on the mean.
fn rows(Seen { page, labels, .. }: Seen<'_>) -> Vec<Row> {
    let outline = &page.outline;
    let mut held = vec![Held::default(); outline.places.len()];
    for (index, ((block, stats), label)) in page.iter().zip(labels).enumerate() {
        let Some(held) = held.get_mut(outline.of(index) as usize) else { continue };
        let is_linked = stats.link_words * 2 > stats.words;
        let heading = u32::from(block.heading > 0 && stats.words > 0);
        held.add(Held {
            blocks: 1,
            words: stats.words,
            linked: stats.link_words,
            text: if label.is_content() { stats.words } else { 0 },
            headings: heading,
            linked_headings: heading * u32::from(is_linked),
            dates: u32::from(
                block.own.has(Groups::DATE) || matches!(label, Label::Date | Label::AuthorDate),
            ),
            authors: u32::from(
                (block.own.0 | block.above.0) & Groups::AUTHOR.0 != 0 || *label == Label::Author,
            ),
        });
    }
    // Of each element, those in it that hold words.
    let mut filled = vec![0_u32; held.len()];
    // An element stands behind the one around it.
    for at in (0..held.len()).rev() {
        let own = held[at];
        let around = outline.around(at as u32) as usize;
        if let (Some(around), Some(filled)) = (held.get_mut(around), filled.get_mut(around)) {
            around.add(own);
            *filled += u32::from(own.words > 0);
        }
    }
    // Most elements have hardly any beside them, and are in no row.
    let may_be_in_row = |place: &Place, held: &Held| {
        let beside = filled.get(place.around as usize);
        held.words > 0 && beside.is_none_or(|count| *count >= FEWEST)
    };
    let mut rows: HashMap<(u32, u64), Row, RandomState> =
        HashMap::with_capacity_and_hasher(ROOM, RandomState::default());
    let all = outline.places.iter().zip(held);
    for (place, held) in all.filter(|(place, held)| may_be_in_row(place, held)) {
        let row = rows.entry((place.around, place.look)).or_default();
        row.count += 1;
        row.with_heading += u32::from(held.headings > 0);
        row.with_link += u32::from(held.linked > 0);
        row.with_date += u32::from(held.dates > 0);
        row.with_author += u32::from(held.authors > 0);
        row.with_text += u32::from(held.text > 0);
        row.longest = row.longest.max(held.words);
        row.held.add(held);
    }
    let told = |row: &Row| row.count >= FEWEST && row.held.blocks >= 2 * row.count;
    let mut rows: Vec<_> = rows.into_iter().filter(|(_, row)| told(row)).collect();
    // Their places decide between rows of which the same is said.
    rows.sort_unstable_by_key(|(at, row)| {
        (row.held.words, row.count, row.held.text, row.held.blocks, *at)
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

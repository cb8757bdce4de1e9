//! Tables of figures and names: their cells are text together, or none is. Labelers judge one cell at a time, and
//! take those that read like words.
//!
//! Must not know: labelers, other rules.

use std::collections::BTreeMap;

use crate::extract::dom::Id;
use crate::extract::label::Scored;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Flags;
use crate::html::name;

/// Fewer cells are judged alone.
const FEWEST_CELLS: usize = 6;
/// A cell of more words holds a text: such tables lay out a page.
const CELL_WORDS: u32 = 40;
/// All cells are text from this mean probability on, weighed by words, …
const MEAN: f32 = 0.45;
/// … but those of a lower one, and those that are links throughout, only if the labeler took them.
const LEAST: f32 = 0.2;

/// Takes all cells of a table that is rather text than not.
pub(super) fn complete(page: &PageBlocks, scored: &[Scored], content: &mut [bool]) {
    let mut tables: BTreeMap<Id, Table> = BTreeMap::new();
    for (index, (block, stats)) in page.iter().enumerate() {
        if !block.flags.has(Flags::TABLE) {
            continue;
        }
        let Some((table, cell)) = place(page, block.container) else { continue };
        let found = tables.entry(table).or_default();
        let Some(score) = scored.get(index) else { continue };
        // A cell of several blocks, or of a long one, is a part of the page; one with a button, of a form.
        found.is_layout |= cell.is_some() && found.last == cell
            || stats.words > CELL_WORDS
            || block.flags.has(Flags::BUTTON);
        found.last = cell;
        found.cells.push(index);
        found.words += stats.words;
        found.sum += score.probability * stats.words as f32;
        found.some |= content[index];
    }
    for table in tables.into_values() {
        let is_text = table.some
            && !table.is_layout
            && table.cells.len() >= FEWEST_CELLS
            && table.sum >= MEAN * table.words as f32;
        if is_text {
            let fits = |index: &usize| {
                let block = page.blocks.list.get(*index);
                block.is_some_and(|block| page.unseen(block).is_none())
                    && page.stats.get(*index).is_some_and(|stats| stats.link_words < stats.words)
                    && scored.get(*index).is_some_and(|score| score.probability >= LEAST)
            };
            table.cells.into_iter().filter(fits).for_each(|index| content[index] = true);
        }
    }
}

#[derive(Default)]
struct Table {
    cells: Vec<usize>,
    /// The cell of the last block.
    last: Option<Id>,
    words: u32,
    sum: f32,
    some: bool,
    is_layout: bool,
}

/// The innermost table around an element, and the cell.
fn place(page: &PageBlocks, id: Id) -> Option<(Id, Option<Id>)> {
    let mut cell = None;
    for id in std::iter::once(id).chain(page.dom.ancestors(id)) {
        match page.dom.tag(id) {
            Some(name!("table")) => return Some((id, cell)),
            Some(name!("td") | name!("th")) if cell.is_none() => cell = Some(id),
            _ => {}
        }
    }
    None
}

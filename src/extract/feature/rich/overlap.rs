//! How much of a block stands in the title, the summary and the claimed body of the article.
//!
//! By hashes of lower-cased words (title, summary) and of pairs of words (body).

use super::{HINTS, PageBlocks, share};
use crate::extract::text::word_hashes;

/// Words of claimed texts that are looked at.
const MOST_WORDS: usize = 20_000;

pub(super) struct Overlap {
    rows: Vec<[f32; HINTS.len()]>,
    /// The block that shows the title.
    pub(super) title: Option<usize>,
}

impl Overlap {
    pub(super) fn new(page: &PageBlocks) -> Overlap {
        let evidence = &page.evidence;
        let title = words(evidence.title.as_deref());
        let summary = words(evidence.summary.as_deref());
        let mut body = words(evidence.body.as_deref());
        pair(&mut body);
        let (said, body_set) = (Sets::of([&title, &summary]), Sets::of([&body]));
        let [in_title, in_summary] = said.sizes();
        let nothing = title.is_empty() && summary.is_empty() && body.is_empty();
        let mut rows = Vec::with_capacity(page.len());
        let mut best: Option<(f32, usize)> = None;
        let mut own = Vec::new();
        for (index, (block, stats)) in page.iter().enumerate() {
            let mut row = [0.0; HINTS.len()];
            if !nothing {
                let words = page.words.of_block(index);
                [row[0], row[3]] = said.shares_of(words);
                row[1] = covered(words, in_title, row[0]);
                row[4] = covered(words, in_summary, row[3]);
                row[5] = -1.0;
                if !body.is_empty() {
                    own.clear();
                    own.extend_from_slice(words);
                    pair(&mut own);
                    [row[5]] = body_set.shares_of(&own);
                }
                row[6] = f32::from(!body.is_empty());
                row[7] = f32::from(!summary.is_empty());
            }
            let shows = row[0] * row[1];
            let rank = if block.heading == 1 { shows + 0.6 } else { shows }
                + if (2..4).contains(&block.heading) { 0.2 } else { 0.0 };
            let enough = shows > 0.4 || title.is_empty() && block.heading == 1;
            if enough && stats.words < 60 && best.is_none_or(|(r, _)| rank > r) {
                best = Some((rank, index));
            }
            rows.push(row);
        }
        let title = best.map(|(_, index)| index);
        if let Some(row) = title.and_then(|i| rows.get_mut(i)) {
            row[2] = 1.0;
        }
        Overlap { rows, title }
    }

    pub(super) fn hints(&self, data: &mut Vec<f32>, index: usize) {
        data.extend_from_slice(&self.rows.get(index).copied().unwrap_or_default());
    }
}

fn words(text: Option<&str>) -> Vec<u32> {
    let mut out = Vec::new();
    word_hashes(text.unwrap_or(""), &mut out);
    out.truncate(MOST_WORDS);
    out
}

/// Words to pairs of neighbouring words; a single word stays.
fn pair(words: &mut Vec<u32>) {
    for i in 1..words.len() {
        words[i - 1] = words[i - 1].rotate_left(9) ^ words[i];
    }
    if words.len() > 1 {
        words.pop();
    }
}

/// Sets of hashes.
struct Sets<const COUNT: usize> {
    /// Ascending, each once.
    items: [Vec<u32>; COUNT],
    /// A bit for each, among 64 times as many: most others are told by it to be in none of the sets.
    marks: Vec<u64>,
}

impl<const COUNT: usize> Sets<COUNT> {
    fn of(lists: [&Vec<u32>; COUNT]) -> Sets<COUNT> {
        let items = lists.map(|list| {
            let mut items = list.clone();
            items.sort_unstable();
            items.dedup();
            items
        });
        let most: usize = items.iter().map(Vec::len).sum();
        let mut marks = vec![0; most.next_power_of_two()];
        for &item in items.iter().flatten() {
            let (word, bit) = mark(item, marks.len());
            marks[word] |= bit;
        }
        Sets { items, marks }
    }

    fn sizes(&self) -> [usize; COUNT] {
        self.items.each_ref().map(Vec::len)
    }

    /// Share of the items that are in each set.
    fn shares_of(&self, items: &[u32]) -> [f32; COUNT] {
        let mut counts = [0_u32; COUNT];
        for item in items {
            let (word, bit) = mark(*item, self.marks.len());
            if self.marks[word] & bit != 0 {
                for (count, set) in counts.iter_mut().zip(&self.items) {
                    *count += u32::from(set.binary_search(item).is_ok());
                }
            }
        }
        counts.map(|count| share(count, items.len() as u32))
    }
}

/// Where an item's mark stands among so many words of 64 bits.
fn mark(item: u32, words: usize) -> (usize, u64) {
    ((item >> 6) as usize & (words - 1), 1 << (item & 63))
}

/// About which share of the set the items cover.
fn covered(items: &[u32], set: usize, share: f32) -> f32 {
    if set == 0 { 0.0 } else { (items.len() as f32 * share / set as f32).min(1.0) }
}

//! What short lines before a block announce: where a page's comments or its pointers to other pages
//! begin, its article is over. And the times of day around it: each comment has one.

use super::{PageBlocks, RawBlock, SINCE, Stats, log, prose, wording};

/// Longer blocks do not announce anything, words.
const ANNOUNCEMENT: u32 = 8;
/// How far times are looked for, blocks.
const REACH: usize = 4;

/// Which of the kinds of `wording` announce: pointers to other pages, comments.
const KINDS: [usize; 2] = [1, 5];

/// The page up to a block.
pub(super) struct Since {
    /// Sums over blocks: how many show a time of day.
    times: Vec<u32>,
    prose: u32,
    /// Block, prose before it, and how many there were, for each of [`KINDS`].
    last: [Option<(usize, u32)>; 2],
    seen: [u32; 2],
}

impl Since {
    pub(super) fn new(page: &PageBlocks) -> Since {
        let mut times = Vec::with_capacity(page.len() + 1);
        times.push(0);
        let mut sum = 0;
        for (index, stats) in page.stats.iter().enumerate() {
            sum += u32::from(stats.numbers > 0 && has_time(page.text(index)));
            times.push(sum);
        }
        Since { times, prose: 0, last: [None; 2], seen: [0; 2] }
    }

    /// Appends a block's columns, then takes the block in; `said` are the shares of `wording`.
    pub(super) fn pass(
        &mut self,
        data: &mut Vec<f32>,
        index: usize,
        block: &RawBlock,
        stats: &Stats,
        said: &[f32; wording::KINDS],
    ) {
        let mut row = [-1.0; SINCE.len()];
        for kind in 0..2 {
            if let Some((at, before)) = self.last[kind] {
                row[3 * kind] = (index - at).min(100) as f32;
                row[3 * kind + 1] = log(self.prose - before);
            }
            row[3 * kind + 2] = self.seen[kind].min(50) as f32;
        }
        let last = self.times.len() - 1;
        let between = |from: usize, to: usize| self.times[to.min(last)] - self.times[from];
        let own = between(index, index + 1);
        row[6] = own as f32;
        row[7] = (between(index.saturating_sub(REACH), index + REACH + 1) - own) as f32;
        data.extend_from_slice(&row);
        self.prose += prose(block, stats);
        for (kind, column) in KINDS.into_iter().enumerate() {
            if said[column] > 0.0
                && stats.words <= ANNOUNCEMENT
                && stats.link_words * 2 <= stats.words
            {
                self.last[kind] = Some((index, self.prose));
                self.seen[kind] += 1;
            }
        }
    }
}

/// Does it show a time of day, as in `5:39`?
fn has_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b':', bytes).any(|at| {
        let digit = |at: usize| bytes.get(at).filter(|b| b.is_ascii_digit());
        at.checked_sub(1).is_some_and(|before| digit(before).is_some())
            && digit(at + 1).is_some_and(|ten| *ten < b'6')
            && digit(at + 2).is_some()
    })
}

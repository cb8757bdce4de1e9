//! The columns of rows that are scored together. Must not know: trees.

use crate::extract::feature::rich::Matrix;

/// Rows that are scored together.
pub(super) const LANES: usize = 32;
/// Rows that one instruction takes together.
pub(super) const FOUR: usize = 4;
/// All rows, four by four.
pub(super) const FOURS: usize = LANES / FOUR;
/// Columns that are read. Their values fill less than 32 KB: more would be new memory of the system's for every page. And
/// the same column of all fours lies in different lines of the processor's cache.
pub(super) const COLUMNS: usize = 252;
/// Numbers of columns, in a byte.
const NUMBERS: usize = 1 << u8::BITS;

/// Some rows, column by column. What no matrix has is 0.
pub(super) struct Columns {
    /// Of four rows at a time, the values of each column.
    values: Box<[[[f32; FOUR]; COLUMNS]; FOURS]>,
    least: [f32; COLUMNS],
    most: [f32; COLUMNS],
    sums: [f32; COLUMNS],
    /// Between which values each column lies; not numbers if a value is not finite.
    bounds: [(f32, f32); NUMBERS],
}

impl Columns {
    pub(super) fn new() -> Columns {
        Columns {
            values: Box::new([[[0.0; FOUR]; COLUMNS]; FOURS]),
            least: [0.0; COLUMNS],
            most: [0.0; COLUMNS],
            sums: [0.0; COLUMNS],
            bounds: [(0.0, 0.0); NUMBERS],
        }
    }

    /// Between which values a column lies.
    #[inline]
    pub(super) fn bounds(&self, column: u8) -> (f32, f32) {
        self.bounds[usize::from(column)]
    }

    /// The values of a column in the rows of one four.
    #[inline]
    pub(super) fn four(&self, four: usize, column: u8) -> &[f32; FOUR] {
        &self.values[four % FOURS][usize::from(column)]
    }

    /// The values of a column in all rows.
    #[inline]
    pub(super) fn all(&self, column: u8) -> [[f32; FOUR]; FOURS] {
        std::array::from_fn(|four| *self.four(four, column))
    }

    /// Reads these rows, at most [`LANES`], which every matrix has, out of the matrices side by side.
    pub(super) fn read(&mut self, parts: &[&Matrix], rows: &[usize]) {
        let mut from = 0;
        for part in parts {
            let to = (from + part.cols).min(COLUMNS);
            let [least, most, sums] =
                [&mut self.least, &mut self.most, &mut self.sums].map(|all| &mut all[from..to]);
            least.fill(f32::MAX);
            most.fill(f32::MIN);
            sums.fill(0.0);
            for (values, four) in self.values.iter_mut().zip(rows.chunks(FOUR)) {
                // Where rows are missing among four, the first stands in for them.
                let row = |lane: usize| {
                    four.get(lane).or(four.first()).map_or(&[][..], |row| part.row(*row))
                };
                let four = [row(0), row(1), row(2), row(3)];
                take(four, &mut values[from..to], least, most, sums);
            }
            for at in from..to {
                // Nothing, or not a number.
                let odd = self.sums[at] * 0.0;
                self.bounds[at] = (self.least[at] + odd, self.most[at] + odd);
            }
            from = to;
        }
    }
}

/// Lays four rows side by side, and takes them into the least and the most of each column, and into its sum, which is not
/// finite then if one of them is not. A plain loop over indices, which becomes vector instructions in every build.
#[inline(never)]
fn take(
    rows: [&[f32]; FOUR],
    values: &mut [[f32; FOUR]],
    least: &mut [f32],
    most: &mut [f32],
    sums: &mut [f32],
) {
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let max = |a: f32, b: f32| if a > b { a } else { b };
    let count = values.len();
    let [Some(a), Some(b), Some(c), Some(d)] = rows.map(|row| row.get(..count)) else { return };
    let [Some(least), Some(most), Some(sums)] = [least, most, sums].map(|all| all.get_mut(..count))
    else {
        return;
    };
    for at in 0..count {
        values[at] = [a[at], b[at], c[at], d[at]];
        least[at] = min(min(min(a[at], b[at]), min(c[at], d[at])), least[at]);
        most[at] = max(max(max(a[at], b[at]), max(c[at], d[at])), most[at]);
        sums[at] += (a[at] + b[at]) + (c[at] + d[at]);
    }
}

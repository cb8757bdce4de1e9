//! Labelled pages → visible leaves with their features and gold labels, ready for the labelers of
//! Spengler & Gallinari 2009; the frequency cut and the scaling of §4.2.
//!
//! Must not know: how weights are found, reports.

use std::collections::HashMap;

use anyhow::Result;
use rayon::prelude::*;

use super::{distant, marks};
use crate::extract::feature::leaf;
use crate::extract::label::chain::Rows;
use crate::extract::segment::Profile;
use crate::learn::corpus::LabeledPage;
use crate::learn::pages;
use crate::model::Label;

/// "No such column" in [`Columns`].
const NONE: u32 = u32::MAX;

/// All leaves of some pages. Columns of the rows are indices of `names`.
#[derive(Clone, Debug, Default)]
pub struct LeafPages {
    /// Ascending.
    pub names: Vec<String>,
    pub pages: Vec<LeafPage>,
}

/// The leaves of one page.
#[derive(Clone, Debug, Default)]
pub struct LeafPage {
    pub rows: Rows,
    pub gold: Vec<Label>,
}

/// Which features a model has, and how their values are scaled.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Ascending.
    pub names: Vec<String>,
    pub scales: Vec<f32>,
    /// From the column of [`LeafPages`] to that of the model, [`NONE`] where it has none.
    map: Vec<u32>,
    /// Share of values that are not zero on the training leaves (the paper's "sparsity").
    pub density: f64,
}

impl LeafPages {
    /// Segments, describes and labels pages: by hand where somebody did, else as the gold implies and,
    /// if so wished, as the page says itself ([`distant`]). Features that occur on fewer than `least` leaves are
    /// left out at once; no part of the pages could keep them.
    pub fn read(pages: &[&LabeledPage], least: u32, distant: bool) -> Result<LeafPages> {
        let read: Vec<Local> =
            pages.par_iter().map(|page| local(page, distant)).collect::<Result<_>>()?;
        let mut index: HashMap<&str, (u32, u32)> = HashMap::new();
        for page in &read {
            for (name, count) in page.names.iter().zip(&page.counts) {
                index.entry(name).or_default().0 += count;
            }
        }
        let mut names: Vec<&str> =
            index.iter().filter(|(_, (count, _))| *count >= least).map(|(name, _)| *name).collect();
        names.sort_unstable();
        index.values_mut().for_each(|(_, column)| *column = NONE);
        for (column, name) in names.iter().enumerate() {
            if let Some((_, at)) = index.get_mut(name) {
                *at = column as u32;
            }
        }
        let pages = read
            .iter()
            .map(|page| {
                let map: Vec<u32> = page.names.iter().map(|n| index[n.as_str()].1).collect();
                let rows = rename(&page.rows, &map, None);
                LeafPage { rows, gold: page.gold.clone() }
            })
            .collect();
        Ok(LeafPages { names: names.into_iter().map(str::to_owned).collect(), pages })
    }

    /// The features that occur on at least `least` leaves of the pages `training`, each scaled by
    /// three standard deviations over these leaves; without those of style if so wished.
    pub fn columns(&self, training: &[usize], least: u32, style: bool) -> Columns {
        let mut sums = vec![(0_u32, 0.0_f64, 0.0_f64); self.names.len()];
        let mut leaves = 0_usize;
        for page in training.iter().filter_map(|&p| self.pages.get(p)) {
            leaves += page.rows.len();
            for (column, value) in (0..page.rows.len()).flat_map(|i| page.rows.row(i)) {
                let (count, sum, square) = &mut sums[column as usize];
                *count += 1;
                *sum += f64::from(value);
                *square += f64::from(value) * f64::from(value);
            }
        }
        let mut columns = Columns { map: vec![NONE; sums.len()], ..Columns::default() };
        let n = leaves.max(1) as f64;
        let mut filled = 0_u64;
        for (at, (name, (count, sum, square))) in self.names.iter().zip(sums).enumerate() {
            if count < least || !style && name.starts_with(leaf::STYLE) {
                continue;
            }
            let deviation = (square / n - (sum / n) * (sum / n)).max(0.0).sqrt();
            columns.map[at] = columns.names.len() as u32;
            columns.names.push(name.clone());
            // What never changes stays as it is.
            columns.scales.push(if deviation > 1e-9 {
                (1.0 / (3.0 * deviation)) as f32
            } else {
                1.0
            });
            filled += u64::from(count);
        }
        columns.density = filled as f64 / (n * columns.names.len().max(1) as f64);
        columns
    }
}

impl Columns {
    /// A page's rows as the model sees them.
    pub fn rows(&self, page: &LeafPage) -> Rows {
        rename(&page.rows, &self.map, Some(&self.scales))
    }
}

/// The same rows with other columns, scaled by the new columns' scales.
fn rename(rows: &Rows, map: &[u32], scales: Option<&[f32]>) -> Rows {
    let mut out = Rows::default();
    for i in 0..rows.len() {
        out.push(rows.row(i).filter_map(|(column, value)| {
            let new = map[column as usize];
            (new != NONE).then(|| (new, value * scales.map_or(1.0, |s| s[new as usize])))
        }));
    }
    out
}

/// A page with names of its own.
struct Local {
    names: Vec<String>,
    /// Leaves that have each.
    counts: Vec<u32>,
    rows: Rows,
    gold: Vec<Label>,
}

fn local(page: &LabeledPage, distant: bool) -> Result<Local> {
    let (blocks, metadata) = pages::read(page, Profile::Leaf2009)?;
    // What a person has seen goes before what the gold implies.
    let gold = match &page.hand {
        Some(hand) => hand.labels(&blocks)?,
        None if distant => {
            distant::labels(page, &blocks, &metadata).into_iter().map(|(label, _)| label).collect()
        }
        None => marks::labels(page, &blocks),
    };
    let drawn = page.drawn.as_ref().map(|drawn| drawn.check(&blocks).map(|()| drawn.features()));
    let drawn = drawn.transpose()?;
    let mut index: HashMap<String, u32> = HashMap::new();
    let mut local = Local { names: Vec::new(), counts: Vec::new(), rows: Rows::default(), gold };
    let mut row: Vec<(u32, f32)> = Vec::new();
    for leaf in 0..blocks.len() {
        row.clear();
        let mut each = |name: &str, value| {
            let column = index.get(name).copied().unwrap_or_else(|| {
                let column = local.names.len() as u32;
                index.insert(name.to_owned(), column);
                local.names.push(name.to_owned());
                local.counts.push(0);
                column
            });
            row.push((column, value));
        };
        leaf::leaf(&blocks, leaf, &mut each);
        if let Some(drawn) = &drawn {
            drawn.leaf(leaf, &mut each);
        }
        row.sort_unstable_by_key(|(column, _)| *column);
        row.dedup_by_key(|(column, _)| *column);
        row.iter().for_each(|(column, _)| local.counts[*column as usize] += 1);
        local.rows.push(row.iter().copied());
    }
    Ok(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &[&[(u32, f32)]]) -> LeafPage {
        let mut all = Rows::default();
        rows.iter().for_each(|row| all.push(row.iter().copied()));
        LeafPage { gold: vec![Label::None; all.len()], rows: all }
    }

    #[test]
    fn rare_features_go_and_the_rest_is_scaled_on_the_training_pages() {
        let names = ["a", "leaf", "n", "style:x"].map(str::to_owned).into();
        let one: &[(u32, f32)] = &[(1, 1.0), (2, 4.0)];
        let two: &[(u32, f32)] = &[(0, 1.0), (1, 1.0), (2, 8.0), (3, 1.0)];
        let pages = vec![page(&[one, two]), page(&[one, two]), page(&[two, two, two])];
        let leaves = LeafPages { names, pages };
        let columns = leaves.columns(&[0, 1], 3, true);
        assert_eq!(columns.names, ["leaf", "n"]);
        // Four values 4, 8, 4, 8: the standard deviation is 2, nothing is centred.
        assert_eq!(columns.scales, [1.0, 1.0 / 6.0]);
        assert_eq!(columns.density, 1.0);
        let rows = columns.rows(&leaves.pages[2]);
        let row: Vec<(u32, f32)> = rows.row(1).collect();
        assert_eq!(row, [(0, 1.0), (1, 8.0 / 6.0)]);
        let all = leaves.columns(&[0, 1, 2], 3, true);
        assert_eq!(all.names, ["a", "leaf", "n", "style:x"]);
        assert_eq!(leaves.columns(&[0, 1, 2], 3, false).names, ["a", "leaf", "n"]);
    }
}

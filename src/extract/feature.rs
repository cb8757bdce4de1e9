//! Blocks → numbers for the labelers.
//!
//! Must not know: labelers, models.

pub mod eight;
pub mod around;
pub mod rich;

/// All block features side by side.
pub fn all(page: &crate::extract::PageBlocks) -> rich::Matrix {
    let (a, b) = (rich::rich(page), around::around(page));
    let which = std::env::var("FEAT").unwrap_or_default();
    if which == "rich" {
        return a;
    }
    if which == "around" {
        return b;
    }
    let mut data = Vec::with_capacity(a.data.len() + b.data.len());
    for i in 0..page.len() {
        data.extend_from_slice(a.row(i));
        data.extend_from_slice(b.row(i));
    }
    rich::Matrix { rows: a.rows, cols: a.cols + b.cols, data }
}

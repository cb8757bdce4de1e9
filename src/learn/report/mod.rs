//! Figures as CSV and SVG.
//!
//! Must not know: HTML, what is drawn, how anything was trained.

pub mod chart;
pub mod figures;

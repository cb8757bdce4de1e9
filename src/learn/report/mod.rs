//! Reports: figures as CSV and SVG, tables for people, rows for programs.
//!
//! Must not know: HTML, how anything was trained.

pub mod chart;
pub mod figures;
pub mod labels;
pub mod tables;

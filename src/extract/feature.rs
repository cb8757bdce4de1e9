//! Blocks → numbers for the labelers.
//!
//! Must not know: labelers, models.

pub mod eight;
pub mod rich;
pub mod around;

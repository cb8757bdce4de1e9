//! Blocks → numbers for the labelers.
//!
//! Must not know: labelers, models.

pub mod eight;
pub mod phrase;
pub mod context;
pub mod entities;
pub mod gibson;
pub mod leaf;
pub mod rich;

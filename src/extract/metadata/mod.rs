//! (in progress)
pub mod dates;

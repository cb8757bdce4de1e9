//! The rules that hold in every store, whatever keeps the rows.
//!
//! Must not know: any store.

pub mod entries;
pub mod feeds;
pub mod ledger;
pub mod log;
pub mod outlets;
pub mod recount;
pub mod retention;
pub mod stories;
pub mod sums;

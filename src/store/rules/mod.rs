//! The rules that hold in every store: what polls, pages and operators' decisions change. They read
//! and write rows, which each store keeps in its own way; a call for many rows is one statement where
//! that is cheaper.
//!
//! Must not know: any store.

pub mod articles;
pub mod budget;
pub mod changes;
pub mod decisions;
pub mod entries;
pub mod feeds;
pub mod ledger;
pub mod log;
pub mod outcomes;
pub mod outlets;
pub mod recount;
pub mod retention;
pub mod sightings;
pub mod stories;
pub mod sums;
pub mod transfer;

use crate::model::Lease;
use crate::store::Result;

/// The rows of one write transaction, which sees its own writes.
pub trait Rows:
    entries::EntryRows
    + feeds::FeedRows
    + ledger::LedgerRows
    + outlets::OutletRows
    + articles::ArticleRows
    + stories::StoryRows
    + log::LogRows
    + decisions::DecisionRows
    + transfer::OtherRows
{
    /// Does the lease hold? It does then until the transaction ends.
    fn holds(&mut self, lease: &Lease) -> Result<bool>;
    /// What has been added to the sums so far; the transaction writes it at its end.
    fn changes(&mut self) -> &mut changes::Changes;
}

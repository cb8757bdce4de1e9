//! What is asked of the web: the gate that every request passes, one poll, one page, one site that is
//! searched for feeds, one URL that a person asks about, and what is learned of outlets on the way.
//!
//! Must not know: who leases what, how outcomes are written.

pub mod discover;
pub mod document;
pub mod gate;
pub(super) mod lineage;
pub(super) mod memory;
pub(super) mod page;
pub(super) mod poll;
pub(super) mod read;
pub(super) mod sights;
pub mod signals;
pub mod single;
pub(super) mod twins;
pub mod websub;
pub(super) mod zones;

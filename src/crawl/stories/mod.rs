//! Which articles belong together: what a new one is compared with, and the stories it joins.
//!
//! Must not know: the network, leases, how stories are stored.

pub(super) mod copies;
pub(super) mod join;
pub(super) mod rules;

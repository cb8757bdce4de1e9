//! Which URL, and when: canonical addresses and URL keys, robots rules, pace and retries. Pure:
//! no network, no clock (instants are passed in), no store.
//!
//! Must not know: how bytes are fetched, what is in them, where state is kept.

pub mod address;
pub mod pace;
mod percent;
pub mod robots;

pub use address::{Address, AddressError, address};
pub use robots::Robots;

//! How the outside reaches a running crawler: the control socket, the HTTP API, the dashboard.
//!
//! Only this module knows our HTTP statuses. Must not know: sled, extraction, the command line.

pub mod command;
pub mod dashboard;
pub mod door;
pub mod http;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod order;
pub mod socket;
pub mod tokens;
pub mod user;

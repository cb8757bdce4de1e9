//! The HTTP surface from outside: a crawler over a small store made by hand, asked through a real
//! socket, and looked at with a real browser where there is one.

mod api;
mod browser;
mod client;
mod crowd;
mod dashboard;
mod driver;
mod fixture;
mod login;
mod many;
#[cfg(feature = "mcp")]
mod mcp;
mod orders;
mod schema;
#[cfg(feature = "search")]
mod search;
mod shield;
mod slips;
mod tls;
mod tokens;
mod walks;

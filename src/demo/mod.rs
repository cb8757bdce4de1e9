//! A small web of our own, for `crawler demo` and for tests: fictional outlets in many languages,
//! charsets and templates, on one loopback address, told apart by the `Host` header. Its truth
//! (`web/truth.toml`) is written down beside the pages, never computed from them.
//!
//! Must not know: any stage. It produces bytes as a publisher would and keeps a log of what was
//! asked for; it must not share a line with the code that reads them.

pub mod corpus;
mod feeds;
mod labelled;
mod outlet;
mod page;
mod request;
mod server;
mod site;
mod truth;

pub use labelled::save;
pub use request::Request;
pub use server::serve;
pub use site::{Body, Reply, Web};
pub use truth::{Counts, Truth, TruthArticle};

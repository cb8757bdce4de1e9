//! A report on a brand as one page that needs nothing else: for people who read it, send it on or print it.
//!
//! Must not know: stores, arguments, who asks for it.

mod chart;
mod index;
pub mod markup;
mod page;

pub use page::{POLICY, page};

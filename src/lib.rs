//! feed → frontier → fetch → decode → segment → label → dedupe → mention → store → query.
//!
//! `crawler` counts how often the press writes about a brand, day by day, in article text only,
//! and can prove every number. The modules stand in the order of the journey of the data; those that are compiled as
//! a package of their own (`src/core.rs`) are named here like the others. ARCHITECTURE.md has the map, the arrows and
//! the invariants.

pub use crawler_core::{html, model};
pub mod words;

pub mod feed;
pub mod frontier;
pub mod fetch;
pub mod archive;
pub use crawler_core::{decode, dedupe, extract, mention};
pub mod store;
pub mod search;
pub mod query;
pub mod report;
pub mod deliver;

pub mod learn;
pub mod crawl;
pub mod serve;
pub mod demo;

pub mod cli;
pub mod config;
pub mod meter;
pub mod tls;

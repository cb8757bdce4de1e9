//! Tests that see the crawler from outside: its source tree, its built binary, and what a server on
//! the other side of the wire sees of it.

mod agencies;
mod account;
mod alerts;
mod annotate;
mod archive;
mod blocked;
mod addresses;
mod adversity;
mod cli;
mod cluster;
mod crash;
mod daemon;
mod demo;
mod deploy;
mod discover;
mod doctor;
mod door;
mod export;
mod extraction;
mod kinds;
#[cfg(feature = "mcp")]
mod mcp;
mod memory;
mod misnamed;
mod model;
mod faults;
mod feeds;
mod groups;
mod growth;
mod hostile;
mod hostile_documents;
mod hostile_files;
mod hostile_pages;
mod neighbours;
mod operator;
mod polite;
mod provenance;
mod process;
mod quarantine;
mod rebind;
mod redirects;
mod report;
mod retention;
#[cfg(feature = "search")]
mod search;
mod sections;
mod scratch;
mod senses;
mod server;
mod signals;
mod single;
mod slips;
mod soak;
mod tidy;
mod told;
mod tour;
mod unreadable;
#[cfg(feature = "otlp")]
mod traces;
mod web;
mod websub;

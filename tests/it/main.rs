//! Tests that see the crawler from outside: its source tree, its built binary, and what a server on
//! the other side of the wire sees of it.

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
mod door;
mod extraction;
mod memory;
mod model;
mod faults;
mod feeds;
mod growth;
mod neighbours;
mod operator;
mod polite;
mod process;
mod rebind;
mod redirects;
mod retention;
mod sections;
mod scratch;
mod server;
mod signals;
mod single;
mod soak;
mod tidy;
mod web;
mod websub;

//! Tests that see the crawler from outside: its source tree, its built binary, and what a server on
//! the other side of the wire sees of it.

mod cli;
mod crash;
mod daemon;
mod demo;
mod discover;
mod extraction;
mod operator;
mod process;
mod tidy;
mod web;

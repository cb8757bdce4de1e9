//! decode → html → extract → dedupe, mention: from the bytes of a page to its article, what tells its copies, and
//! its mentions, over the plain data of `model`.
//!
//! A package of its own, so that it cannot know more than its manifest (`src/Cargo.toml`) lists: nothing that
//! reaches a network, a disk or a clock. It is compiled as one unit of code, since every byte of every page goes
//! through it. The rest of the program names these rooms as its own (`src/lib.rs`).

pub mod html;
pub mod model;

pub mod decode;
pub mod extract;
pub mod dedupe;
pub mod mention;

//! Page text → article. Pure: no network, disk, clock; it does not fail, it returns what it found.

pub mod dom;
pub mod metadata;

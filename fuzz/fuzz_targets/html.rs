//! Any markup has the tree that html5ever makes of it, but where the standard decides for ours.
#![no_main]

use crawler::html::{self, Id, Keep, Kind, Limits, NONE, Space, Tree};
use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "tests use the rest of it")]
#[path = "../../src/html/oracle.rs"]
mod oracle;

fuzz_target!(|page: &str| {
    let limits =
        Limits { depth: 1 << 20, nodes: 1 << 20, attributes: 1 << 20, bytes: 1 << 20 };
    let tree = html::parse(page, &limits, Keep::Everything);
    // A tag of too many attributes ends the page for us alone.
    if tree.limit.is_none() && !oracle::html5ever_differs(&tree) {
        assert_eq!(oracle::outline(&tree), oracle::parse(page).outline());
    }
});

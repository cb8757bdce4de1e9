//! Any text becomes a tree within the limits whose links all lead somewhere.
#![no_main]

use crawler::extract::{Limits, dom};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| {
    let limits = Limits { depth: 64, nodes: 5_000, attributes: 1_000, ..Limits::default() };
    for dom in [dom::parse(html, &limits), dom::parse_all(html, &limits)] {
        // The document, head and body come on top.
        assert!(dom.nodes.len() <= limits.nodes as usize + 16, "{}", dom.nodes.len());
        for id in 0..dom.nodes.len() as dom::Id {
            assert!(dom.children(id).all(|child| dom.parent(child) == Some(id)));
            assert!(dom.ancestors(id).count() <= limits.depth as usize + 16);
        }
        assert!(dom.text_of(dom.root()).len() <= 4 * html.len() + 64);
    }
});

//! Any style sheet hides what it hides, the same each time, and nothing of a page without elements.
#![no_main]

use crawler::extract::{Limits, dom, unseen};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (sheet, style) = input;
    let style = style.replace('"', "'");
    let html = format!("<style>{sheet}</style><div class=a id=b><p style=\"{style}\">x<i>y</i></p></div>");
    let dom = dom::parse(&html, &Limits::default());
    let once = unseen::of(&dom);
    let again = unseen::of(&dom);
    for id in 0..dom.nodes.len() as dom::Id {
        assert_eq!(once.by(id), again.by(id));
        let by = once.by(id);
        assert!(by.is_none_or(|by| by == id || dom.ancestors(id).any(|above| above == by)));
    }
    unseen::of(&dom::parse(sheet, &Limits::default()));
});

//! Any robots.txt decides about any URL at once, and never about robots.txt itself.
#![no_main]

use crawler::frontier::{Robots, address};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &str)| {
    let (body, path) = input;
    let rules = Robots::parse(body, "crawler");
    for url in [format!("https://news.test/{path}"), "https://news.test/a?b=c".to_owned()] {
        let Ok(at) = address(&url, None) else { continue };
        let decision = rules.decide(&at.url);
        assert!(decision.allowed || decision.rule.is_some(), "forbidden without a rule");
    }
    let Ok(own) = address("https://news.test/robots.txt", None) else { return };
    assert!(rules.decide(&own.url).allowed);
});

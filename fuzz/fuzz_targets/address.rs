//! A canonical URL is its own canonical form, and what is requested is http or https.
#![no_main]

use crawler::frontier::{Robots, address, robots};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (url, base) = input;
    for base in [None, Some(base), Some("https://news.test/a/b")] {
        let Ok(at) = address(url, base) else { continue };
        assert!(matches!(at.url.scheme(), "http" | "https"));
        assert!(!at.outlet.is_empty() && !at.pace_key.is_empty());
        if let Ok(again) = address(&at.canonical, None) {
            assert_eq!(again.canonical, at.canonical);
            assert_eq!(again.key, at.key);
        }
        robots::location(&at.url);
        Robots::default().decide(&at.url);
    }
});

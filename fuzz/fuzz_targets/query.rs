//! Any text is a query or an error that says why; names are never more than their words.
#![no_main]

use crawler::search::{self, ZONES};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(malformed) = search::read(text, &ZONES) {
        assert!(!malformed.to_string().is_empty());
    }
    if let Some(name) = search::name(text) {
        assert!(!name.first.words.is_empty());
    }
});

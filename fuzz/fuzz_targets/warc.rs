//! Any bytes as a WARC file, and as the HTTP answer within one.
#![no_main]

use crawler::archive::{http, records};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(records) = records(bytes, 1 << 16) {
        for record in records.flatten() {
            assert!(record.block.len() <= 1 << 16);
            let _ = http(&record.block);
        }
    }
    let _ = http(bytes);
});

//! Any bytes under any declared type become text, and the charset alone says the same as before.
#![no_main]

use crawler::decode;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (String, Vec<u8>)| {
    let (declared, bytes) = input;
    for kind in [None, Some(declared.as_str())] {
        let html = decode::html(&bytes, kind, None);
        assert_eq!(html.text, decode::html(&bytes, kind, None).text);
        decode::html(&bytes, kind, Some("jp"));
        decode::feed(&bytes, kind);
        decode::sniff(&bytes, kind, Some("ru"));
    }
});

//! Any bytes are a vector or an error; a vector survives encoding and is like itself.
#![no_main]

use crawler::dedupe::{Print, Vector, similarity::sim};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &str)| {
    let (bytes, text) = input;
    let of_text = Vector::of(text);
    let decoded = Vector::decode(&of_text.encode()).expect("what was encoded is decoded");
    assert_eq!(decoded, of_text);
    if !of_text.is_empty() {
        assert!((sim(&of_text, &of_text) - 1.0).abs() < 1e-9);
    }
    if let Ok(print) = Print::decode(bytes) {
        assert!(print.vector.is_empty() || (sim(&print.vector, &print.vector) - 1.0).abs() < 1e-9);
    }
    if let Ok(vector) = Vector::decode(bytes) {
        assert_eq!(Vector::decode(&vector.encode()).ok().as_ref(), Some(&vector));
        let sim = sim(&vector, &of_text);
        assert!((0.0..=1.0 + 1e-9).contains(&sim), "{sim}");
    }
});

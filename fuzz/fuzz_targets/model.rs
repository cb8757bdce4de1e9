//! Any bytes are a model or an error, also behind a checksum that is right; what loads, labels.
#![no_main]

use crawler::extract::{self, Hints, Limits, Model};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const PAGE: &str = "<html><body><nav><a href=/>Home</a></nav><article><h1>Rain</h1><p>It rained \
                    all day, and nobody went out of the house.<p>So did it on Sunday.</article>";

/// Magic and version, as the crawler writes them before the SHA-256 of the body.
static START: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let file = Model::by_hand().bytes();
    let body = (32..file.len())
        .find(|at| Sha256::digest(&file[*at..])[..] == file[at - 32..*at])
        .expect("a model file carries the hash of its body");
    file[..body - 32].to_vec()
});

fuzz_target!(|bytes: &[u8]| {
    let _ = Model::load(bytes);
    let mut forged = START.clone();
    forged.extend_from_slice(&Sha256::digest(bytes));
    forged.extend_from_slice(bytes);
    if let Ok(model) = Model::load(&forged) {
        extract::article(PAGE, &Hints::default(), &model, &Limits::default());
        assert!(Model::load(&model.bytes()).is_ok());
    }
});

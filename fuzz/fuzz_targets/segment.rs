//! Any page is cut, labeled and joined by every profile and model, twice with the same result.
#![no_main]

use std::sync::LazyLock;

use crawler::extract::{self, Hints, Limits, Model, PageBlocks, Profile};
use libfuzzer_sys::fuzz_target;

static MODELS: LazyLock<[Model; 4]> =
    LazyLock::new(|| [Model::embedded(), Model::by_hand(), Model::pr(), Model::tb()]);

fuzz_target!(|html: &str| {
    let limits = Limits { nodes: 20_000, blocks: 2_000, ..Limits::default() };
    for profile in [Profile::Modern, Profile::Ziegler2007, Profile::Text] {
        let page = PageBlocks::read(html, profile, &limits);
        assert!(page.len() <= limits.blocks as usize);
        assert_eq!(page.iter().count(), page.len());
        for index in 0..page.len() {
            page.text(index);
        }
    }
    for model in MODELS.iter() {
        let one = extract::article(html, &Hints::default(), model, &limits);
        let two = extract::article(html, &Hints::default(), model, &limits);
        assert_eq!(one.article, two.article);
    }
});

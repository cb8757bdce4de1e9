//! Any bytes at all become an article: within the limits, without a panic, the same every time.

use crawler::decode;
use crawler::extract::{self, Hints, Limits, Model, PageBlocks};
use proptest::prelude::*;

/// Small enough that pages of a few kilobytes reach each of them.
const LIMITS: Limits = Limits { depth: 24, nodes: 400, attributes: 60, blocks: 12, bytes: 3_000 };

/// Bytes of pages and of what is none: markup that nests, repeats and breaks off, words of many
/// scripts, linked data, declarations of other encodings, plain noise.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 28] = [
        "<div class='article-body' id=x>",
        "</div>",
        "<p>",
        "<h1>",
        "<table><tr><td>",
        "<b><i>",
        "</b>",
        "<svg><path d='M0'/>",
        "<math><mi>",
        "<template>",
        "<select><option>",
        "<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"headline\":\"Bridge\"",
        ",\"datePublished\":\"2026-11-20T10:00:00Z\"}",
        "</script>",
        "<script>",
        "<style>",
        "<!--",
        "-->",
        "<meta charset=windows-1251>",
        "<meta property=og:title content='Bridge closed'>",
        "<time datetime=2026-11-20>",
        "<a href=/x>",
        "<img><figure><figcaption>",
        "<div id=comments>",
        "It rained on Monday, and the bridge was closed. Nobody may cross it for now. ",
        "今天天气很好。 Газпром ",
        "&amp;&lt;&nosuch;&#x110000;",
        "By Ada Lorn, 20 November 2026 ",
    ];
    let piece = prop_oneof![
        8 => prop::sample::select(&PIECES[..]).prop_map(|p| p.as_bytes().to_vec()),
        1 => (prop::sample::select(&PIECES[..]), 1..60usize).prop_map(|(p, n)| p.repeat(n).into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_end_within_the_limits_and_the_same(bytes in bytes(), kind in "(text/html(; charset=[a-z0-9-]{1,12})?)?") {
        let text = decode::html(&bytes, Some(&kind), None).text;
        prop_assert_eq!(&text, &decode::html(&bytes, Some(&kind), None).text);
        for model in [Model::embedded(), Model::by_hand()] {
            let page = PageBlocks::read(&text, model.profile(), &LIMITS);
            // The document, head, body and what the token at the limit still made come on top.
            prop_assert!(page.dom.nodes.len() <= LIMITS.nodes as usize + 32);
            let deepest = (0..page.dom.nodes.len() as u32).map(|n| page.dom.ancestors(n).count()).max();
            prop_assert!(deepest <= Some(LIMITS.depth as usize + 16));
            let once = extract::article(&text, &Hints::default(), &model, &LIMITS);
            prop_assert_eq!(once.article.blocks.len(), page.len());
            prop_assert!(page.len() <= LIMITS.blocks as usize);
            prop_assert!(page.blocks.text.len() as u64 <= 4 * LIMITS.bytes);
            if text.len() as u64 > LIMITS.bytes {
                prop_assert!(once.limit.is_some());
            }
            let twice = extract::article(&text, &Hints::default(), &model, &LIMITS);
            prop_assert_eq!(once.article, twice.article);
        }
    }
}

//! The index against brute force; `scripts/prove-copies` tries thousands of collections.

use super::*;
use proptest::prelude::*;
use std::sync::Arc;

fn brute(
    held: &[(UrlKey, Millis, Vector)],
    settings: &Settings,
    at: Millis,
    vector: &Vector,
) -> Vec<(UrlKey, f64)> {
    let mut found: Vec<(UrlKey, f64)> = held
        .iter()
        .filter(|(_, then, _)| (then - at).abs() <= settings.window.0)
        .map(|(key, _, other)| (*key, sim(vector, other)))
        .filter(|(_, s)| *s >= settings.tau)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

/// Words by a Zipf law; the one at `edit` is another.
fn zipf(seed: u64, edit: u64, words: usize) -> String {
    let mut state = seed + 1;
    let mut text = String::new();
    for i in 0..words as u64 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (state >> 40) as f64 / (1u64 << 24) as f64;
        let rank = if i == edit { 999 } else { (share * 300f64.ln()).exp() as u64 };
        text.push_str(&format!("w{rank} "));
    }
    text
}

/// Texts that sit close to every edge: empty, one term, equal lengths, one word apart, cut.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(vec!["the", "of", "and", "to", "in", "said"]),
        2 => prop::sample::select(vec!["bank", "rain", "goal", "vote", "fire", "ship", "公司今天"]),
    ];
    let words = prop::collection::vec(word, 0..40).prop_map(|w| w.join(" "));
    let base = "the board of the bank said in the evening that it has to wait and see";
    prop_oneof![
        3 => words,
        1 => Just(String::new()),
        1 => prop::sample::select(vec!["bank", "rain", "公司"]).prop_map(String::from),
        3 => (0usize..16, "[a-c]{2}").prop_map(move |(i, new)| {
            let mut words: Vec<&str> = base.split(' ').collect();
            let last = words.len() - 1;
            words[i.min(last)] = &new;
            words.join(" ")
        }),
        2 => (1usize..16).prop_map(move |n| base.split(' ').take(n).collect::<Vec<_>>().join(" ")),
        1 => (1usize..6).prop_map(|n| "rain ".repeat(n)),
        // As long as each other, term by term.
        2 => prop::collection::vec(0u8..5, 30).prop_map(|ranks| {
            ranks.into_iter().map(|rank| format!("w{} ", rank)).collect()
        }),
        // Like news: a few words make up most of the text, the rest is rare. Few seeds, so that
        // many are equal but for the edit.
        4 => (0u64..4, 0u64..300, 200usize..260).prop_map(|(seed, edit, n)| zipf(seed, edit, n)),
    ]
}

/// A threshold: a plain one, or the similarity of two of the texts, or a hair beside it.
#[derive(Clone, Debug)]
enum Threshold {
    Plain(f64),
    Of(prop::sample::Index, prop::sample::Index, f64),
}

fn threshold() -> impl Strategy<Value = Threshold> {
    let hair = prop::sample::select(vec![0.0, 1e-9, -1e-9, 1e-15, -1e-15]);
    prop_oneof![
        prop::sample::select(vec![0.1, 0.5, 0.75, 0.8, 0.9, 1.0]).prop_map(Threshold::Plain),
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), hair)
            .prop_map(|(a, b, hair)| Threshold::Of(a, b, hair)),
    ]
}

impl Threshold {
    fn over(self, texts: &[(String, i64)]) -> f64 {
        match self {
            Threshold::Plain(tau) => tau,
            Threshold::Of(a, b, hair) => {
                let of = |i: prop::sample::Index| Vector::of(&texts[i.index(texts.len())].0);
                (sim(&of(a), &of(b)) + hair).clamp(1e-3, 1.0)
            }
        }
    }
}

proptest! {
    #[test]
    fn answers_as_brute_force(
        texts in prop::collection::vec((text(), 0i64..100), 1..60),
        tau in threshold(),
        window in 0i64..120,
        drop in 0i64..60,
    ) {
        let tau = tau.over(&texts);
        let settings = Settings { tau, window: Span(window) };
        let mut index = Index::new(settings.clone());
        let mut held = Vec::new();
        for (i, (text, at)) in texts.iter().enumerate() {
            let vector = Vector::of(text);
            prop_assert_eq!(index.near(*at, &vector), brute(&held, &settings, *at, &vector));
            index.insert(UrlKey(i as u128), *at, vector.clone());
            held.push((UrlKey(i as u128), *at, vector));
        }
        let keep = |key: UrlKey| key.0.is_multiple_of(5);
        index.expire(drop, &mut { keep });
        held.retain(|(key, at, _)| *at >= drop || keep(*key));
        // Known articles that come again replace themselves.
        for (key, at, vector) in held.iter().step_by(3) {
            index.insert(*key, *at, vector.clone());
        }
        for (text, at) in &texts {
            let vector = Vector::of(text);
            prop_assert_eq!(index.near(*at, &vector), brute(&held, &settings, *at, &vector));
        }
    }

    /// A saved index answers as before; a damaged one is refused, and nothing panics.
    #[test]
    fn saved_and_loaded(
        texts in prop::collection::vec((text(), 0i64..100), 0..60),
        damage in any::<(prop::sample::Index, u8)>(),
    ) {
        let settings = Settings { tau: 0.5, window: Span(50) };
        let vectors: Vec<Vector> = texts.iter().map(|(text, _)| Vector::of(text)).collect();
        let empty = || {
            let known = vectors.clone();
            let source = move |key: UrlKey, _| known.get(key.0 as usize).cloned().map(Print::from).map(Arc::new);
            Index::with_source(settings.clone(), Box::new(source))
        };
        let (mut index, mut loaded) = (empty(), empty());
        for (i, (_, at)) in texts.iter().enumerate() {
            index.remember(UrlKey(i as u128), *at, &vectors[i]);
        }
        let mut bytes = Vec::new();
        index.save(&mut bytes).unwrap();
        prop_assert_eq!(loaded.load(&mut bytes.as_slice()).unwrap(), index.len() as u64);
        for ((_, at), vector) in texts.iter().zip(&vectors) {
            prop_assert_eq!(loaded.near(*at, vector), index.near(*at, vector));
        }
        let at = damage.0.index(bytes.len());
        prop_assert!(empty().load(&mut &bytes[..at]).is_err());
        bytes[at] ^= damage.1.max(1);
        prop_assert!(empty().load(&mut bytes.as_slice()).is_err());
    }

    /// τ set to the very similarity of a pair, and a hair above it.
    #[test]
    fn boundary_is_exact(a in text(), b in text()) {
        let (a, b) = (Vector::of(&a), Vector::of(&b));
        let s = sim(&a, &b);
        if !(s > 0.0 && s <= 1.0) {
            return Ok(());
        }
        for (tau, expect) in [(s, true), (s * (1.0 + 1e-9), false), (s * (1.0 - 1e-9), true)] {
            let mut index = Index::new(Settings { tau, window: Span(0) });
            index.insert(UrlKey(1), 5, a.clone());
            prop_assert_eq!(!index.near(5, &b).is_empty(), expect);
        }
    }
}

#[test]
fn settings_are_checked() {
    let check = |tau, window, expect: Option<&str>| {
        let found = Settings { tau, window: Span(window) }.check().err();
        assert_eq!(found.as_deref(), expect);
    };
    check(0.8, DAY, None);
    check(0.0, DAY, Some("dedupe.tau = 0 must be above 0 and at most 1"));
    check(f64::NAN, DAY, Some("dedupe.tau = NaN must be above 0 and at most 1"));
    check(1.0, -1000, Some("dedupe.window = -1s must not be negative"));
}

/// Texts of a hundred thousand words, more of them distinct than a digest has buckets.
#[test]
fn long_texts_answer_as_brute_force() {
    let long = |from: usize, to: usize| {
        let words: String = (from..to).map(|n| format!("w{} ", n % 20_000)).collect();
        Vector::of(&words)
    };
    let settings = Settings { tau: 0.9, window: Span(0) };
    let mut index = Index::new(settings.clone());
    let mut held = Vec::new();
    for i in 0..6 {
        let vector = long(i * 4_000, 100_000);
        index.insert(UrlKey(i as u128), 0, vector.clone());
        held.push((UrlKey(i as u128), 0, vector));
    }
    let mut found = 0;
    for (_, at, vector) in &held {
        let near = index.near(*at, vector);
        found += near.len();
        assert_eq!(near, brute(&held, &settings, *at, vector));
    }
    assert!((7..36).contains(&found), "{found}");
}

#[test]
fn a_long_text_is_found() {
    let long = "wort und noch ein wort ".repeat(20_000);
    let mut index = Index::new(Settings::default());
    index.insert(UrlKey(7), 0, Vector::of(&long));
    let near = index.near(DAY, &Vector::of(&format!("{long} ende")));
    assert_eq!(near.first().map(|n| n.0), Some(UrlKey(7)));
    assert!(index.near(31 * DAY, &Vector::of(&long)).is_empty());
}

#[test]
fn keys_that_share_a_half_are_told_apart() {
    let key = |high: u128| UrlKey(high << 64 | 7);
    let mut index = Index::new(Settings::default());
    for (high, text) in (1..).zip(["rain in kiel", "sun over rome", "fog at sea"]) {
        index.insert(key(high), 0, Vector::of(text));
    }
    assert_eq!(index.len(), 3);
    assert!(index.remove(key(1)) && !index.remove(key(1)));
    index.insert(key(4), 0, Vector::of("snow on the alps"));
    index.insert(key(2), 0, Vector::of("sun over oslo"));
    let check = |text: &str, expect: u128| {
        let near = index.near(0, &Vector::of(text));
        assert_eq!(near.first().map(|n| n.0), Some(key(expect)), "{text}");
    };
    check("sun over oslo", 2);
    check("fog at sea", 3);
    check("snow on the alps", 4);
    assert_eq!((index.len(), index.near(0, &Vector::of("rain in kiel")).len()), (3, 0));
}

#[test]
fn vectors_come_from_the_source_once_settled() {
    let text = |key: UrlKey| Vector::of(["rain in kiel", "rain in kiel again"][key.0 as usize]);
    let source = move |key: UrlKey, at| (at == 5 && key.0 == 0).then(|| Arc::new(text(key).into()));
    let settings = Settings { tau: 0.5, ..Settings::default() };
    let mut index = Index::with_source(settings, Box::new(source));
    index.insert(UrlKey(0), 5, text(UrlKey(0)));
    index.insert(UrlKey(1), 5, text(UrlKey(1)));
    let found = |index: &Index| index.near(5, &text(UrlKey(0))).len();
    assert_eq!(found(&index), 2);
    index.settle();
    // The second is not in the source: it cannot be compared any more.
    let (near, effort) = index.near_counting(5, &text(UrlKey(0)));
    assert_eq!((near.len(), effort.missing), (1, 1));
}

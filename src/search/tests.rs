use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;

use super::schema::number_of;
use super::syntax::read;
use super::words::words;
use super::*;
use crate::model::{Found, *};

/// Words of a small language, so that phrases and neighbours occur.
const WORDS: [&str; 8] = ["acme", "Recall", "fire", "Zürich", "電", "子", "公", "LG電"];

fn record(n: u128, title: &str, blocks: &[(Label, String)], outlet: &str) -> ArticleRecord {
    let day = Day::constant(2026, 11, 1 + (n % 28) as i8);
    let block = |(label, text): &(Label, String)| Block {
        text: text.clone(),
        label: *label,
        probability: 1.0,
    };
    let found = |value: &str| Some(Found { value: value.to_owned(), source: Source::Html });
    ArticleRecord {
        key: UrlKey(n << 96 | n),
        url: String::new(),
        final_url: String::new(),
        outlet: outlet.to_owned(),
        feed: UrlKey::default(),
        feed_title: None,
        backlog: false,
        first_seen: n as Millis * DAY,
        fetched: 0,
        charset: Default::default(),
        published: Published {
            at: 0,
            day,
            precision: Precision::Day,
            zone: ZoneSource::Assumed,
            source: Source::Feed,
            printed: None,
        },
        article: Article {
            title: found(title),
            language: found(if n.is_multiple_of(2) { "de" } else { "en" }),
            blocks: blocks.iter().map(block).collect(),
            text: "some".into(),
            ..Article::default()
        },
        memory: None,
        sighting: Sighting::Open,
        agencies: None,
    }
}

/// An index of its own in a folder that goes with it.
fn index(dir: &Path) -> Search {
    let dir = Some(dir.to_path_buf());
    Search::new(Settings { dir, memory_mib: 15, ..Settings::default() })
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec((prop::sample::select(&WORDS[..]), "[ ,.]{1,2}|"), 0..12).prop_map(
        |words| words.into_iter().map(|(word, between)| word.to_owned() + &between + " ").collect(),
    )
}

fn articles() -> impl Strategy<Value = Vec<ArticleRecord>> {
    let label = prop::sample::select(vec![
        Label::Introduction,
        Label::Paragraph,
        Label::Paragraph,
        Label::Caption,
    ]);
    let one = (text(), prop::collection::vec((label, text()), 0..4), prop::bool::ANY);
    prop::collection::vec(one, 1..20).prop_map(|articles| {
        (1..)
            .zip(articles)
            .map(|(n, (title, blocks, wire))| {
                record(n, &title, &blocks, if wire { "wire.test" } else { "daily.test" })
            })
            .collect()
    })
}

/// A question as a person would write it.
fn question() -> impl Strategy<Value = String> {
    let word = || prop::sample::select(&WORDS[..]).prop_map(str::to_owned);
    let phrase = || {
        prop::collection::vec(prop::sample::select(&WORDS[..]), 1..4)
            .prop_map(|words| format!("\"{}\"", words.join(" ")))
    };
    let leaf = prop_oneof![
        word(),
        phrase(),
        Just("rec*".to_owned()),
        (word(), 0..4u32, phrase()).prop_map(|(a, n, b)| format!("{a} NEAR/{n} {b}")),
        (word(), word(), word()).prop_map(|(a, b, c)| format!("{a} NEAR/1 {b} NEAR/2 {c}")),
        (prop::sample::select(vec!["title", "lead", "body"]), phrase())
            .prop_map(|(zone, phrase)| format!("{zone}:{phrase}")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            inner.prop_map(|a| format!("NOT ({a})")),
        ]
    })
}

/// Has the article what is wanted? Every passage is gone through word by word.
fn has(record: &ArticleRecord, wanted: &Wanted) -> bool {
    match wanted {
        Wanted::All(parts) => parts.iter().all(|part| has(record, part)),
        Wanted::Any(parts) => parts.iter().any(|part| has(record, part)),
        Wanted::Not(part) => !has(record, part),
        Wanted::Words(zones, near) => crate::mention::counted(&record.article)
            .filter(|(zone, _)| zones.contains(zone))
            .any(|(_, text)| {
                let words: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
                let spots = |phrase: &syntax::Phrase| -> Vec<(usize, usize)> {
                    let ends = |at: usize| at + phrase.words.len();
                    // Only words that stand alone are open.
                    let fits = |at: usize| {
                        (at..).zip(&phrase.words).all(|(at, sought)| {
                            words.get(at).is_some_and(|word| {
                                word == sought || phrase.open && word.starts_with(sought.as_str())
                            })
                        })
                    };
                    (0..words.len()).filter(|at| fits(*at)).map(|at| (at, ends(at))).collect()
                };
                let mut whole: BTreeSet<(usize, usize)> = spots(&near.first).into_iter().collect();
                for (most, phrase) in &near.then {
                    let mut next = BTreeSet::new();
                    for (begin, end) in &whole {
                        for (from, to) in spots(phrase) {
                            let between = if from >= *end {
                                from - end
                            } else if *begin >= to {
                                begin - to
                            } else {
                                continue;
                            };
                            if between <= *most as usize {
                                next.insert((from.min(*begin), to.max(*end)));
                            }
                        }
                    }
                    whole = next;
                }
                !whole.is_empty()
            }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_found_is_what_a_reader_of_all_articles_finds(
        articles in articles(),
        questions in prop::collection::vec(question(), 12),
        gone in prop::collection::vec(prop::bool::ANY, 20),
        outlet in prop::option::of(prop::sample::select(vec!["wire.test", "none.test"])),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let index = index(dir.path());
        index.write(&articles, 7).unwrap();
        let gone: Vec<UrlKey> =
            articles.iter().zip(&gone).filter(|(_, gone)| **gone).map(|(r, _)| r.key).collect();
        index.remove(&gone).unwrap();
        let store = crate::store::memory();
        for question in questions {
            let wanted = read(&question, &ZONES).unwrap();
            let mut expect: Vec<(Day, UrlKey)> = articles
                .iter()
                .filter(|r| !gone.contains(&r.key) && has(r, &wanted))
                .filter(|r| outlet.is_none_or(|outlet| r.outlet == outlet))
                .map(|r| (r.published.day, r.key))
                .collect();
            expect.sort_by_key(|(day, key)| (std::cmp::Reverse(*day), *key));
            let outlet = outlet.map(str::to_owned);
            let filter = Filter { outlet, limit: 100, ..Filter::default() };
            let (found, _) = index.find(store.as_ref(), &wanted, &filter).unwrap();
            prop_assert_eq!(&found.first, &expect, "{}", question);
            prop_assert_eq!(found.articles as usize, expect.len());
            // Whoever is found for what it has shows where.
            for record in articles.iter().filter(|r| expect.iter().any(|(_, key)| *key == r.key)) {
                let shown = contexts(&record.article, &wanted, 2, &mut EFFORT.clone());
                let all_positive = !question.contains("NOT");
                prop_assert!(!all_positive || shown.iter().any(|c| c.parts.iter().any(|p| p.hit)));
            }
        }
    }
}

#[test]
fn pages_go_on_where_they_ended_and_days_are_all() {
    let dir = tempfile::tempdir().unwrap();
    let index = index(dir.path());
    let articles: Vec<ArticleRecord> =
        (1..=30).map(|n| record(n, "Acme", &[], "wire.test")).collect();
    index.write(&articles, 10).unwrap();
    let store = crate::store::memory();
    let wanted = read("acme", &ZONES).unwrap();
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let filter = Filter { after, limit: 4, ..Filter::default() };
        let (found, state) = index.find(store.as_ref(), &wanted, &filter).unwrap();
        assert_eq!((found.articles, state.indexed), (30, 30));
        assert_eq!(found.days.values().sum::<u64>(), 30);
        seen.extend(found.first.iter().copied());
        after = found.first.last().copied();
        if !found.more {
            break;
        }
    }
    assert_eq!(seen.len(), 30);
    assert!(seen.is_sorted_by_key(|(day, key)| (std::cmp::Reverse(*day), *key)));
    let one = Some(Day::constant(2026, 11, 3));
    let filter = Filter { from: one, to: one, limit: 4, ..Filter::default() };
    let (found, _) = index.find(store.as_ref(), &wanted, &filter).unwrap();
    assert!(found.articles > 0 && found.first.iter().all(|(day, _)| number_of(*day) == 20_261_103));
}

#[test]
fn what_lost_its_text_by_age_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let keep = Some(Span(10 * DAY));
    let settings = Settings { dir: Some(dir.path().into()), keep, ..Settings::default() };
    let index = Search::new(settings);
    let articles: Vec<ArticleRecord> =
        (1..=20).map(|n| record(n, &format!("Quetzalcoatl{n}x"), &[], "wire.test")).collect();
    index.write(&articles, 5).unwrap();
    let store = crate::store::memory();
    let kept = index.keep_up(store.as_ref(), 20 * DAY, &|| true).unwrap();
    assert_eq!(kept.gone, 9);
    let (searcher, _) = index.searcher().unwrap();
    assert_eq!(searcher.num_docs(), 11);
    // No part has anything left of what went.
    assert!(searcher.segment_readers().iter().all(|part| part.num_deleted_docs() == 0));
}

#[test]
fn one_process_writes_and_a_damaged_index_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::store::memory();
    let now = 100 * DAY;
    let first = index(dir.path());
    assert!(matches!(first.state(store.as_ref()), Err(Failed::None)));
    assert!(first.keep_up(store.as_ref(), now, &|| true).unwrap().anew);
    assert_eq!(first.state(store.as_ref()).unwrap(), State::default());
    assert_eq!(first.keep_up(store.as_ref(), now, &|| true).unwrap(), Kept::default());
    let second = index(dir.path());
    assert!(matches!(second.keep_up(store.as_ref(), now, &|| true), Err(Failed::Busy(_))));
    assert_eq!(second.state(store.as_ref()).unwrap(), State::default(), "it may read");
    first.leave();
    second.write(&[record(1, "Acme", &[], "wire.test")], 5).unwrap();
    second.leave();
    second.check().unwrap();
    // Bytes that are not as they were written.
    for file in std::fs::read_dir(first.dir().unwrap()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "idx" || e == "term") {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes.iter_mut().for_each(|byte| *byte ^= 0x55);
            std::fs::write(&path, bytes).unwrap();
        }
    }
    let third = index(dir.path());
    assert!(matches!(third.check(), Err(Failed::Damaged(_))));
    assert!(third.rebuild(store.as_ref(), now, &|| true).unwrap().anew);
    third.check().unwrap();
    std::fs::write(third.dir().unwrap().join("meta.json"), "{").unwrap();
    let fourth = index(dir.path());
    third.leave();
    assert!(fourth.keep_up(store.as_ref(), now, &|| true).unwrap().anew);
    assert!(
        fourth.find(store.as_ref(), &read("acme", &ZONES).unwrap(), &Filter::default()).is_ok()
    );
}

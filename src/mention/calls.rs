//! Calls to follow somebody on a network: "Follow us on Facebook and Instagram", "You can follow Ann Archer on Twitter",
//! "Twitter: @ann". Articles end in them, but the networks are not written about.
//!
//! Must not know: brands, blocks, labels.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::fold::{Folded, fold};
use super::letters::{is_spaceless, is_word};

/// A sentence that is a call has at most so many words …
const WORDS: usize = 40;
/// … and one that only begins like a call so many before the network.
const BEFORE: usize = 10;
/// "Twitter: @ann" is no longer than so many bytes.
const HANDLE: usize = 80;

/// Networks, folded. Names that are ordinary words or letters ("X", "Line") are left out.
const NETWORKS: &[&str] = &[
    "twitter",
    "facebook",
    "instagram",
    "youtube",
    "linkedin",
    "tiktok",
    "telegram",
    "whatsapp",
    "google+",
    "google plus",
    "google news",
    "pinterest",
    "snapchat",
    "threads",
    "bluesky",
    "mastodon",
    "reddit",
    "tumblr",
    "flickr",
    "flipboard",
    "myspace",
    "viber",
    "вконтакте",
    "в контакте",
    "одноклассники",
    "одноклассниках",
    "телеграм",
    "телеграме",
    "telegram-канал",
    "фейсбук",
    "фейсбуке",
    "твиттер",
    "твиттере",
    "инстаграм",
    "微博",
    "微信",
    "ツイッター",
    "インスタグラム",
    "フェイスブック",
    "페이스북",
    "인스타그램",
    "트위터",
    "유튜브",
    "فيسبوك",
    "تويتر",
    "إنستغرام",
    "واتساب",
    "تلغرام",
    "اینستاگرام",
    "تلگرام",
    "फेसबुक",
    "ट्विटर",
    "इंस्टाग्राम",
    "व्हाट्सएप",
];
/// How a sentence begins that calls to follow somebody by name, folded.
const BEGINNINGS: &[&str] = &["follow", "you can follow", "you can also follow", "also follow"];
/// What stands between a name and the network behind it.
const ON: &[&str] = &["on", "at", "via"];

static NETWORK: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let names = NETWORKS.iter().map(|name| fold(name).text);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(names).ok()
});
/// The calls of `calls.txt`.
static CALL: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let lines = include_str!("calls.txt").lines();
    let calls = lines.filter_map(|line| line.split_once(": "));
    let calls = calls.flat_map(|(_, calls)| calls.split("; ")).map(|call| fold(call).text);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(calls).ok()
});

/// The stretches of `text` (bytes, at character boundaries) that are calls; sorted.
pub fn calls(text: &str) -> Vec<Range<usize>> {
    let folded = fold(text);
    let Some(networks) = NETWORK.as_ref() else { return Vec::new() };
    let whole = folded.text.as_str();
    let mut found: Vec<Range<usize>> = Vec::new();
    for hit in networks.find_iter(whole).filter(|hit| is_bounded(whole, hit.range())) {
        if found.last().is_some_and(|last| hit.start() < last.end) {
            continue;
        }
        if whole.len() <= HANDLE && is_handle(whole, hit.range()) {
            return original(&folded, 0..whole.len()).into_iter().collect();
        }
        let sentence = sentence(whole, hit.start());
        found.extend(call(whole, sentence, hit.start()));
    }
    found.into_iter().filter_map(|range| original(&folded, range)).collect()
}

/// The part of a sentence from its call on, if it has one.
fn call(text: &str, sentence: Range<usize>, network: usize) -> Option<Range<usize>> {
    let said = text.get(sentence.clone())?;
    if said.split_whitespace().nth(WORDS).is_some() {
        return None;
    }
    let phrase = CALL.as_ref().and_then(|calls| {
        let mut hits = calls.find_iter(said);
        hits.find(|hit| is_bounded(said, hit.range()))
    });
    if let Some(phrase) = phrase {
        return Some(sentence.start + phrase.start()..sentence.end);
    }
    let begun = said.len() - said.trim_start_matches(|c: char| !is_word(c)).len();
    let before = text.get(sentence.start + begun..network)?;
    let begins = BEGINNINGS.iter().any(|beginning| {
        before.strip_prefix(beginning).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    });
    let last = before.split_whitespace().next_back()?;
    let called = begins && ON.contains(&last) && before.split_whitespace().count() <= BEFORE;
    called.then_some(sentence)
}

/// Is a text nothing but a network and somebody's name there?
fn is_handle(text: &str, network: Range<usize>) -> bool {
    let before = text.get(..network.start).unwrap_or_default();
    let behind = text.get(network.end..).unwrap_or_default().trim_start();
    before.trim().is_empty()
        && behind.strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('@'))
}

/// The sentence around a place: it ends behind a mark that white space follows.
fn sentence(text: &str, at: usize) -> Range<usize> {
    let ends = |from: usize| {
        let marks = text.get(from..).unwrap_or_default().char_indices();
        marks
            .filter(|(_, c)| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？'))
            .map(move |(place, c)| (from + place + c.len_utf8(), c))
    };
    let is_end = |&(end, c): &(usize, char)| {
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        next.is_none_or(char::is_whitespace) || !c.is_ascii()
    };
    let start = ends(0).take_while(|(end, _)| *end <= at).filter(|e| is_end(e)).last();
    let end = ends(at).find(is_end);
    start.map_or(0, |(end, _)| end)..end.map_or(text.len(), |(end, _)| end)
}

/// Is a match a word of its own? Scripts without spaces have no bounds.
fn is_bounded(text: &str, range: Range<usize>) -> bool {
    let found = text.get(range.clone()).unwrap_or_default();
    let before = text.get(..range.start).and_then(|text| text.chars().next_back());
    let behind = text.get(range.end..).and_then(|text| text.chars().next());
    let joins = |own: Option<char>, beside: Option<char>| {
        own.is_some_and(|c| is_word(c) && !is_spaceless(c))
            && beside.is_some_and(|c| is_word(c) && !is_spaceless(c))
    };
    !joins(found.chars().next(), before) && !joins(found.chars().next_back(), behind)
}

fn original(folded: &Folded, range: Range<usize>) -> Option<Range<usize>> {
    let range = folded.start(range.start)?..folded.end(range.end)?;
    (range.start < range.end).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &[&str]) {
        let found: Vec<&str> = calls(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expect, "in {text:?}");
    }

    #[test]
    fn calls_to_follow_are_found() {
        for whole in [
            "Follow us on Facebook, Twitter and Instagram!",
            "Follow Ann Archer on Twitter @ann",
            "You can follow her reports on Bluesky.",
            "Twitter: @ann",
            "Folgen Sie uns auf Facebook und Instagram",
            "Suivez-nous sur Instagram",
            "Síguenos en Facebook y Twitter",
            "Подписывайтесь на наш канал в Telegram.",
            "Присоединяйтесь к нам на Facebook, Twitter, В контакте.",
            "Ακολουθήστε μας στο Facebook",
            "关注我们的微博",
            "تابعونا على فيسبوك",
        ] {
            check(whole, &[whole]);
        }
        check(
            "Ann Archer writes about rivers. Follow her on Twitter at twitter.com/ann. She likes tea.",
            &["Follow her on Twitter at twitter.com/ann."],
        );
        check(
            "(For updates you can share with your friends, follow us on Facebook and Google+)",
            &["follow us on Facebook and Google+)"],
        );
    }

    #[test]
    fn what_is_written_about_networks_is_none() {
        for text in [
            "",
            "Twitter said on Monday that it had sold its office.",
            "Like Facebook, Twitter grew.",
            "Police who follow suspects on long journeys use Facebook.",
            "Investors follow Facebook.",
            "Follow the money, and it leads to Facebook.",
            "The mayor told Reuters: Twitter is not the town.",
            "Follow us to the river.",
        ] {
            check(text, &[]);
        }
    }

    proptest! {
        #[test]
        fn stretches_are_in_order_and_at_characters(text in "(follow us on |twitter|Facebook|微博|关注我们|ﬁ|\u{301}|[.!: @é。]|folgt uns |a ){0,24}|\\PC{0,40}") {
            let mut end = 0;
            for range in calls(&text) {
                prop_assert!(range.start >= end && text.get(range.clone()).is_some());
                end = range.end;
            }
        }
    }
}

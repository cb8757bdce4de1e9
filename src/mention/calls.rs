//! Calls to follow somebody on a network: "Follow us on Facebook and Instagram", "You can follow Ann Archer on Twitter",
//! "Twitter: @ann". Articles end in them, but the networks are not written about.
//!
//! Must not know: brands, blocks, labels.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::fold::{Folded, fold};
use super::letters::{is_word, joined};

/// A sentence that is a call has at most so many words and, where nothing parts them, so many bytes …
const WORDS: usize = 40;
const BYTES: usize = 400;
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

/// The stretches of a text (bytes of the original, at character boundaries) that are calls; sorted.
pub fn calls(folded: &Folded) -> Vec<Range<usize>> {
    let text = folded.text.as_str();
    let found: Vec<Range<usize>> = if text.len() <= HANDLE && is_handle(text) {
        std::iter::once(0..text.len()).collect()
    } else {
        sentences(text).filter_map(|sentence| call(text, sentence)).collect()
    };
    let original = |range: Range<usize>| {
        let range = folded.start(range.start)?..folded.end(range.end)?;
        (range.start < range.end).then_some(range)
    };
    found.into_iter().filter_map(original).collect()
}

/// The part of a sentence from its call on, if it has one.
fn call(text: &str, sentence: Range<usize>) -> Option<Range<usize>> {
    let said = text.get(sentence.clone()).filter(|said| said.len() <= BYTES)?;
    let networks = NETWORK.as_ref()?;
    let network = first(networks, said)?;
    if said.split_whitespace().nth(WORDS).is_some() {
        return None;
    }
    if let Some(phrase) = first(CALL.as_ref()?, said) {
        // In some languages the call ends the sentence.
        let begins = network.start > phrase.start
            || said.get(phrase.end..).is_some_and(|rest| first(networks, rest).is_some());
        let start = if begins { phrase.start } else { network.start };
        return Some(sentence.start + start..sentence.end);
    }
    let begun = said.len() - said.trim_start_matches(|c: char| !is_word(c)).len();
    let before = said.get(begun..network.start)?;
    let begins = BEGINNINGS.iter().any(|beginning| {
        before.strip_prefix(beginning).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    });
    let last = before.split_whitespace().next_back()?;
    let called = begins && ON.contains(&last) && before.split_whitespace().count() <= BEFORE;
    called.then_some(sentence.start + begun..sentence.end)
}

/// The first of these that stands for itself; onto Hangul particles are written.
fn first(names: &AhoCorasick, text: &str) -> Option<Range<usize>> {
    let is_hangul = |c: char| ('\u{AC00}'..='\u{D7A3}').contains(&c);
    names.find_iter(text).map(|hit| hit.range()).find(|range| {
        let (before, rest) = text.split_at(range.start);
        let (own, behind) = rest.split_at(range.len());
        let last = own.chars().next_back();
        !joined(before.chars().next_back(), own.chars().next())
            && (last.is_some_and(is_hangul) || !joined(last, behind.chars().next()))
    })
}

/// Is a text nothing but a network and somebody's name there?
fn is_handle(text: &str) -> bool {
    let network = NETWORK.as_ref().and_then(|networks| first(networks, text));
    network.filter(|network| network.start == 0).is_some_and(|network| {
        let behind = text.get(network.end..).unwrap_or_default().trim_start();
        behind.strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('@'))
    })
}

/// The sentences of a text: each ends behind a mark that white space follows, or one of ideographs.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = text.char_indices().filter_map(|(at, c)| {
        let end = at + c.len_utf8();
        let next = || text.get(end..).and_then(|rest| rest.chars().next());
        let ends = match c {
            '.' | '!' | '?' => next().is_none_or(char::is_whitespace),
            '…' | '。' | '！' | '？' => true,
            _ => false,
        };
        ends.then_some(end)
    });
    let mut start = 0;
    ends.chain([text.len()]).map(move |end| std::mem::replace(&mut start, end)..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &[&str]) {
        let found: Vec<&str> = calls(&fold(text)).into_iter().map(|range| &text[range]).collect();
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
            "페이스북에서 저희를 팔로우하세요",
        ] {
            check(whole, &[whole]);
        }
        check(
            "Ann Archer writes about rivers. Follow her on Twitter at twitter.com/ann. She likes tea.",
            &["Follow her on Twitter at twitter.com/ann."],
        );
        check(
            "Reklam. Bizi Facebook'ta ve Instagram'da takip edin.",
            &["Facebook'ta ve Instagram'da takip edin."],
        );
        check(
            "Twitter is large. Facebook users can follow us on Twitter.",
            &["follow us on Twitter."],
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
            "YouTubeのチャンネル登録者数は百万人を超えた。",
            "Twitterでフォローする人が増えた。",
        ] {
            check(text, &[]);
        }
    }

    /// Each sentence is looked at once, and long ones not at all: no number of names makes them costly.
    #[test]
    fn a_text_of_names_alone_is_no_call() {
        check(&"twitter ".repeat(200_000), &[]);
        check(&format!("Follow us {}", "twitter ".repeat(40)), &[]);
    }

    proptest! {
        #[test]
        fn stretches_are_in_order_and_at_characters(text in "(follow us on |twitter|Facebook|微博|关注我们|ﬁ|\u{301}|[.!: @é。]|folgt uns |a ){0,24}|\\PC{0,40}") {
            let mut end = 0;
            for range in calls(&fold(&text)) {
                prop_assert!(range.start >= end && text.get(range.clone()).is_some());
                end = range.end;
            }
        }
    }
}

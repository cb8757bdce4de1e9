//! Any page and any hints give metadata, and any text is a date or none.
#![no_main]

use crawler::extract::{Hints, Limits, dom, metadata, unseen};
use crawler::feed::date;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (html, hint) = input;
    let dom = dom::parse(html, &Limits::default());
    for url in ["https://news.test/2026/11/20/story", hint] {
        let hints = Hints {
            url: Some(url),
            feed_title: Some(hint),
            feed_language: Some(hint),
            ..Hints::default()
        };
        let unseen = unseen::of(&dom);
        let found = metadata::read(&dom, &unseen, &hints);
        assert_eq!(found, metadata::read(&dom, &unseen, &hints));
        metadata::weigh(found.language, hint);
    }
    date::parse(hint);
});

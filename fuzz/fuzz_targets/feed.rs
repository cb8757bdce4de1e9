//! Any bytes are a feed or an error; entries are bounded and their URLs absolute.
#![no_main]

use crawler::decode;
use crawler::feed::{self, Settings, discover, list, opml, section};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let settings = Settings { max_bytes: 1 << 20, max_entries: 50, ..Settings::default() };
    let base = "https://news.test/feed.xml";
    if let Ok(unpacked) = feed::unpack(bytes, &settings) {
        let text = decode::feed(&unpacked, None).text;
        for kind in [None, Some("application/json"), Some("application/rss+xml")] {
            if let Ok(parsed) = feed::parse_text(&text, kind, base, &settings) {
                assert!(parsed.entries.len() <= 50);
            }
        }
        feed::is_feed(&text);
        list::parse(&text);
        opml::parse(&text);
        discover::links(&text, base);
        discover::pages(&text, base);
        section::sections(&text, base);
        let parsed = section::parse(&text, base, &settings);
        assert!(parsed.entries.len() <= 50);
    }
});

//! The feeds that the operator wanted, as OPML 2.0: what other feed readers and `seed` take.
//!
//! Must not know: how such a document is read.

use std::collections::BTreeMap;

use crate::model::*;
use crate::store::{Result, Store};

/// All feeds but those that other feeds brought: these come with them again. Folders are groups.
pub fn opml(store: &dyn Store) -> Result<String> {
    let mut groups: BTreeMap<Option<String>, Vec<Feed>> = BTreeMap::new();
    for feed in store.feeds()? {
        if feed.status != FeedStatus::Removed && feed.provenance.parent.is_none() {
            groups.entry(feed.group.clone()).or_default().push(feed);
        }
    }
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n    \
         <title>crawler</title>\n  </head>\n  <body>\n",
    );
    for (group, mut feeds) in groups {
        feeds.sort_by(|a, b| (&a.outlet, &a.url).cmp(&(&b.outlet, &b.url)));
        if let Some(group) = &group {
            out += &format!("    <outline text=\"{}\">\n", escaped(group));
        }
        for feed in feeds {
            let title = feed.title.as_deref().filter(|title| !title.trim().is_empty());
            out += &format!(
                "    <outline type=\"rss\" text=\"{}\" xmlUrl=\"{}\"/>\n",
                escaped(title.unwrap_or(&feed.outlet)),
                escaped(&feed.url)
            );
        }
        if group.is_some() {
            out += "    </outline>\n";
        }
    }
    Ok(out + "  </body>\n</opml>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_brought_feeds_left_out() {
        let store = crate::store::memory();
        let feed = |url: &str, group: Option<&str>, title: &str| {
            let at = crate::frontier::address(url, None).unwrap();
            Feed {
                group: group.map(str::to_owned),
                title: Some(title.to_owned()),
                ..Feed::new(at.key, url, at.outlet, at.pace_key, 5)
            }
        };
        let brought = Feed {
            provenance: Provenance { parent: Some(UrlKey(1)), ..Provenance::default() },
            ..feed("https://a.test/map.xml", None, "brought")
        };
        let hostile = "\"/><outline xmlUrl=\"https://evil.test/f\"/> & \u{1}";
        let feeds = [
            feed("https://b.test/f?x=1&y=2", Some("Press & <more>"), hostile),
            feed("https://a.test/f", None, ""),
            brought,
        ];
        store.add_feeds(&feeds).unwrap();
        let text = opml(store.as_ref()).unwrap();
        for part in [
            "xmlUrl=\"https://a.test/f\"",
            "xmlUrl=\"https://b.test/f?x=1&amp;y=2\"",
            "<outline text=\"Press &amp; &lt;more&gt;\">",
            "text=\"a.test\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.matches("xmlUrl=\"").count(), 2, "{text}");
        assert!(!text.contains('\u{1}'), "{text}");
    }
}

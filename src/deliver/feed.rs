//! An Atom feed (RFC 4287) of what an alert told.
//!
//! Must not know: who asks for it.

use sha2::{Digest, Sha256};

use super::News;
use super::words::{harmless, html, markup};
use crate::model::{Alert, Millis, hex};

/// Entries of a feed.
const MOST: usize = 50;

/// The latest events of an alert.
pub fn atom(alert: &Alert) -> String {
    let rule = &alert.rule;
    let updated = alert.events.last().map_or(alert.made, |event| event.at);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    out += "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n";
    out += &format!("  <id>{}</id>\n", id(&format!("alert {}", rule.name)));
    out += &format!("  <title>crawler: {}</title>\n", markup(&rule.name));
    out += &format!("  <updated>{}</updated>\n", instant(updated));
    out += "  <author><name>crawler</name></author>\n";
    let path = format!("/api/v1/alerts/{}/feed.atom", markup(&rule.name));
    out += &format!("  <link rel=\"self\" href=\"{path}\"/>\n");
    for event in alert.events.iter().rev().take(MOST) {
        let news = News { rule, event };
        out += "  <entry>\n";
        out += &format!("    <id>{}</id>\n", id(&format!("event {}", event.id)));
        out += &format!("    <title>{}</title>\n", markup(&harmless(&event.sentence)));
        out += &format!("    <updated>{}</updated>\n", instant(event.at));
        out += &format!("    <category term=\"{}\"/>\n", event.what.name());
        // HTML as text: markup once more. Its lines stay lines.
        let lines: Vec<String> = html(news).lines().map(markup).collect();
        out += &format!("    <content type=\"html\">{}</content>\n", lines.join("\n"));
        out += "  </entry>\n";
    }
    out + "</feed>\n"
}

/// A name that stays (RFC 9562 §5.8: the bits are ours).
fn id(of: &str) -> String {
    let digest = Sha256::digest(of.as_bytes());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    let part = |from, to| hex.get(from..to).unwrap_or_default();
    let parts = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)];
    format!("urn:uuid:{}", parts.join("-"))
}

/// RFC 3339.
fn instant(at: Millis) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

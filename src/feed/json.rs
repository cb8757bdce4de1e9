//! JSON Feed 1.0 and 1.1 (jsonfeed.org). Items are read one by one, so a cut or damaged document
//! keeps those before the damage.
//!
//! Must not know: XML.

use serde_json::Value;
use url::Url;

use super::scan::{Item, Link};
use super::{FeedError, Parsed, Settings, entry};
use crate::model::FeedFormat;

/// Reads a JSON Feed whose text begins with `{`.
pub(super) fn parse(text: &str, url: &str, limits: &Settings) -> Result<Parsed, FeedError> {
    let mut repaired = Vec::new();
    let mut read = serde_json::from_str::<Value>(text);
    let mended;
    let mut text = text;
    if read.is_err()
        && let Some(better) = mend(text, &mut repaired)
    {
        mended = better;
        text = &mended;
        read = serde_json::from_str(text);
    }
    let (head, items, more) = match read {
        Ok(mut feed) => {
            let Some(Value::Array(mut items)) = feed.get_mut("items").map(Value::take) else {
                return Err(FeedError::NotAFeed { found: "JSON without `items`".to_owned() });
            };
            let more = items.len() > limits.max_entries;
            items.truncate(limits.max_entries);
            (feed, items, more)
        }
        Err(e) => {
            let Some((head, items, more)) = before_damage(text, limits) else {
                return Err(FeedError::Json(e.to_string()));
            };
            repaired.push(format!("broken JSON ({e}): the {} items before it kept", items.len()));
            (head, items, more)
        }
    };
    let base = Url::parse(url).ok();
    let link = |name: &str| {
        head.get(name)
            .and_then(Value::as_str)
            .and_then(|u| entry::address(u, base.as_ref(), limits))
    };
    let hub = head
        .get("hubs")
        .and_then(Value::as_array)
        .and_then(|hubs| hubs.iter().find_map(|h| string(h, "url")))
        .and_then(|u| entry::address(&u, base.as_ref(), limits));
    let (home, next, topic) = (link("home_page_url"), link("next_url"), link("feed_url"));
    let raw = super::scan::Raw {
        format: Some(FeedFormat::JsonFeed),
        title: string(&head, "title"),
        language: string(&head, "language"),
        links: home.map(|href| Link { href, ..Link::default() }).into_iter().collect(),
        items: items.iter().map(item).collect(),
        more,
        ..Default::default()
    };
    let mut parsed = entry::finish(raw, url, limits);
    parsed.hub = hub;
    parsed.topic = topic;
    parsed.next = next;
    parsed.repaired.splice(0..0, repaired);
    Ok(parsed)
}

/// Raw control characters inside strings and halves of surrogate pairs, either of which costs a
/// strict reader the whole document; `None` if there are none.
fn mend(text: &str, repaired: &mut Vec<String>) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 64);
    let (mut controls, mut halves, mut string) = (0usize, 0usize, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '"' => string = !string,
            '\\' if string => match surrogate(rest) {
                Some(0xD800..0xDC00)
                    if matches!(rest.get(6..).and_then(surrogate), Some(0xDC00..0xE000)) =>
                {
                    taken = 12;
                }
                Some(_) => {
                    halves += 1;
                    out.push_str("\\uFFFD");
                    rest = &rest[6..];
                    continue;
                }
                // An escaped quote ends nothing.
                None => taken += rest[1..].chars().next().map_or(0, char::len_utf8),
            },
            '\0'..' ' if string => {
                controls += 1;
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
                rest = &rest[taken..];
                continue;
            }
            _ => {}
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    for (n, what) in [
        (controls, "control character in a JSON string escaped"),
        (halves, "half a surrogate pair replaced"),
    ] {
        if n > 0 {
            repaired.push(format!("{what} ({n}×)"));
        }
    }
    (controls + halves > 0).then_some(out)
}

/// The code of a `\uD800` … `\uDFFF` that the text begins with.
fn surrogate(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let code = digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(digits)?;
    u32::from_str_radix(code, 16).ok().filter(|code| (0xD800..0xE000).contains(code))
}

/// Reads the elements of `"items": [` until one is broken; the members before it as far as they
/// make an object.
fn before_damage(text: &str, limits: &Settings) -> Option<(Value, Vec<Value>, bool)> {
    let name = memchr::memmem::find(text.as_bytes(), b"\"items\"")?;
    let after = text[name + 7..].trim_start().strip_prefix(':')?.trim_start();
    let mut rest = after.strip_prefix('[')?;
    let head = text[..name].trim_end().trim_end_matches(',');
    let head = serde_json::from_str(&format!("{head}}}")).unwrap_or(Value::Null);
    let mut items = Vec::new();
    loop {
        rest = rest.trim_start().trim_start_matches(',');
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(value)) = stream.next() else { break };
        if items.len() >= limits.max_entries {
            return Some((head, items, true));
        }
        rest = rest.get(stream.byte_offset()..)?;
        items.push(value);
    }
    (!items.is_empty()).then_some((head, items, false))
}

/// Strings and numbers as text (some ids are numbers).
fn string(value: &Value, name: &str) -> Option<String> {
    match value.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn item(value: &Value) -> Item {
    let list = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
    // 1.0 has `author`, 1.1 `authors`.
    let authors = list("authors").chain(value.get("author"));
    let link = string(value, "url").or_else(|| string(value, "external_url"));
    // Plain text, where a `<` is a character.
    let plain =
        |name| string(value, name).map(|text| text.replace('&', "&amp;").replace('<', "&lt;"));
    Item {
        links: link.map(|href| Link { href, ..Link::default() }).into_iter().collect(),
        id: string(value, "id"),
        title: string(value, "title"),
        summary: plain("summary"),
        content: plain("content_text").or_else(|| string(value, "content_html")),
        published: string(value, "date_published"),
        updated: string(value, "date_modified"),
        authors: authors.filter_map(|a| string(a, "name")).collect(),
        categories: list("tags").filter_map(Value::as_str).map(str::to_owned).collect(),
        language: string(value, "language"),
        ..Item::default()
    }
}

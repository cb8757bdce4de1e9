//! JSON Feed 1.0 and 1.1 (jsonfeed.org). Items are read one by one, so a cut or damaged document
//! keeps those before the damage.
//!
//! Must not know: XML.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use url::Url;

use super::newest::Newest;
use super::raw::{Item, Link, Raw};
use super::{FeedError, Parsed, Settings, entry, markup};
use crate::model::json::{Bounded, Room};
use crate::model::{FeedFormat, escaped};

/// What of an item, or beside the items, is kept: more than any publisher writes.
const ROOM: Room = Room { values: 10_000, text: 64 * 1024 };
/// Members that are read beside the items.
const HEAD: [&str; 6] = ["title", "language", "home_page_url", "feed_url", "next_url", "hubs"];

/// Reads a JSON Feed whose text begins with `{`. Takes twice its text at most beside the entries.
pub(super) fn parse(text: &str, url: &str, limits: &Settings) -> Result<Parsed, FeedError> {
    let mut repaired = Vec::new();
    let mut read = document(text, limits);
    let mended;
    let mut text = text;
    if read.is_err()
        && let Some(better) = mend(text, &mut repaired)
    {
        mended = better;
        text = &mended;
        read = document(text, limits);
    }
    let Document { head, items, left_out, .. } = match read {
        Ok(feed) if feed.listed => feed,
        Ok(_) => return Err(FeedError::NotAFeed { found: "JSON without `items`".to_owned() }),
        Err(e) => {
            let Some(feed) = before_damage(text, limits) else {
                return Err(FeedError::Json(e.to_string()));
            };
            let kept = feed.items.len();
            repaired.push(format!("broken JSON ({e}): the {kept} items before it kept"));
            feed
        }
    };
    let base = Url::parse(url).ok();
    let absolute = |u: String| entry::address(&u, base.as_ref(), limits);
    let link = |name: &str| string(&head, name).and_then(absolute);
    let hubs = head.get("hubs").and_then(Value::as_array);
    let hub = hubs
        .and_then(|hubs| hubs.iter().filter_map(Value::as_object).find_map(|h| string(h, "url")))
        .and_then(absolute);
    let (home, next, topic) = (link("home_page_url"), link("next_url"), link("feed_url"));
    let raw = Raw {
        format: Some(FeedFormat::JsonFeed),
        title: string(&head, "title"),
        plain: true,
        language: string(&head, "language"),
        links: home.map(|href| Link { href, ..Link::default() }).into_iter().collect(),
        items,
        left_out,
        ..Default::default()
    };
    let mut parsed = entry::finish(raw, url, limits);
    parsed.hub = hub;
    parsed.topic = topic;
    parsed.next = next;
    parsed.repaired.splice(0..0, repaired);
    Ok(parsed)
}

/// What is kept of a feed.
#[derive(Default)]
struct Document {
    head: Map<String, Value>,
    items: Vec<Item>,
    /// Items that the limit left out.
    left_out: usize,
    /// It has a list of items.
    listed: bool,
}

/// Reads a whole document.
fn document(text: &str, limits: &Settings) -> serde_json::Result<Document> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let document = reader.deserialize_map(Members { limits })?;
    reader.end()?;
    Ok(document)
}

struct Members<'s> {
    limits: &'s Settings,
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Document;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Document, A::Error> {
        let mut feed = Document::default();
        while let Some(name) = object.next_key_seed(Bounded(&mut ROOM.clone()))? {
            let name = name.as_str().ok_or_else(|| A::Error::custom("a name that is no text"))?;
            if name == "items" {
                (feed.items, feed.left_out) = (Vec::new(), 0);
                feed.listed =
                    object.next_value_seed(Items { limits: self.limits, feed: &mut feed })?;
            } else if HEAD.contains(&name) {
                let value = object.next_value_seed(Bounded(&mut ROOM.clone()))?;
                feed.head.insert(name.to_owned(), value);
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(feed)
    }
}

/// Reads the list of items, one by one; answers whether it is a list.
struct Items<'f, 's> {
    limits: &'s Settings,
    feed: &'f mut Document,
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = bool;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<bool, A::Error> {
        let mut newest = Newest::new(self.limits.max_entries);
        while let Some(value) = list.next_element_seed(Bounded(&mut ROOM.clone()))? {
            push(&mut newest, &value, self.limits);
        }
        (self.feed.items, self.feed.left_out) = newest.finish();
        Ok(true)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<bool, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
}

/// Raw control characters inside strings and halves of surrogate pairs, either of which costs a
/// strict reader the whole document; `None` if there are none.
fn mend(text: &str, repaired: &mut Vec<String>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
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
                out.push(' ');
                rest = &rest[taken..];
                continue;
            }
            _ => {}
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    for (n, what) in [
        (controls, "control character in a JSON string made a space"),
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
fn before_damage(text: &str, limits: &Settings) -> Option<Document> {
    let name = memchr::memmem::find(text.as_bytes(), b"\"items\"")?;
    let after = text[name + 7..].trim_start().strip_prefix(':')?.trim_start();
    let mut rest = after.strip_prefix('[')?;
    let head = text[..name].trim_end().trim_end_matches(',');
    let mut feed = document(&format!("{head}}}"), limits).unwrap_or_default();
    let mut newest = Newest::new(limits.max_entries);
    loop {
        rest = rest.trim_start().trim_start_matches(',');
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let Some(Ok(raw)) = stream.next() else { break };
        let Ok(value) = crate::model::json::read(raw.get(), &mut ROOM.clone()) else { break };
        rest = rest.get(stream.byte_offset()..)?;
        push(&mut newest, &value, limits);
    }
    (feed.items, feed.left_out) = newest.finish();
    (!feed.items.is_empty()).then_some(feed)
}

/// Strings and numbers as text (some ids are numbers).
fn string(object: &Map<String, Value>, name: &str) -> Option<String> {
    match object.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn push(newest: &mut Newest<Item>, value: &Value, limits: &Settings) {
    let item = item(value, limits);
    let published = entry::published(&item);
    newest.push(item, published.as_ref());
}

fn item(value: &Value, limits: &Settings) -> Item {
    let Some(object) = value.as_object() else { return Item::default() };
    let list = |name: &str| object.get(name).and_then(Value::as_array).into_iter().flatten();
    let text = |name: &str| string(object, name);
    // 1.0 has `author`, 1.1 `authors`.
    let authors = list("authors").chain(object.get("author")).filter_map(Value::as_object);
    let link = text("url").or_else(|| text("external_url"));
    // Plain text, where a `<` is a character.
    let plain = |name| text(name).map(|text| escaped(&markup::squeeze(&text, limits.max_summary)));
    Item {
        links: link.map(|href| Link { href, ..Link::default() }).into_iter().collect(),
        id: text("id"),
        title: text("title"),
        plain: true,
        summary: plain("summary"),
        content: plain("content_text").or_else(|| text("content_html")),
        published: text("date_published"),
        updated: text("date_modified"),
        authors: authors.filter_map(|a| string(a, "name")).take(limits.max_names).collect(),
        categories: list("tags")
            .filter_map(Value::as_str)
            .take(limits.max_names)
            .map(str::to_owned)
            .collect(),
        language: text("language"),
        ..Item::default()
    }
}

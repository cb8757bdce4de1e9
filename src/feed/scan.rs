//! The lenient reader of RSS and Atom: walks the tags of any text and collects what stands between
//! the beginning and the end of each item. A feed that is cut anywhere gives a prefix of the entries
//! of the whole; the last of them may lack what came after its title and link. Of more items than are
//! read the newest stay (`newest`).
//!
//! Must not know: URLs' meaning, dates' meaning; `entry` makes entries of what is collected here.

use super::markup::{Token, Tokens, attribute, attributes, decode, split, unpack};
use super::newest::Newest;
use super::raw::{Item, Link, Raw};
use super::{Settings, entry, mend};
use crate::model::FeedFormat;

/// An element's text is collected up to this many bytes.
const MAX_FIELD: usize = 64 * 1024;
/// Looking ahead reads the text this many times at most.
const LOOKS: usize = 4;

/// Before the names of relations that are written as IRIs.
const RELATIONS: &str = "http://www.iana.org/assignments/relation/";

/// Element whose text is being collected.
struct Field {
    name: String,
    /// Element name as written, to find its end.
    tag: String,
    nested: u32,
    text: String,
    /// `xml:base` of a link.
    base: Option<String>,
    /// `mode="base64"` of Atom 0.3, and whether markup is packed so.
    packed: Option<bool>,
    /// Does it end with its own tag, though items begin inside? Looked for when the first one does.
    whole: Option<bool>,
}

/// Reads the whole text.
pub(super) fn scan(text: &str, limits: &Settings) -> Raw {
    let mut scanner = Scanner::new(limits);
    scanner.ahead = text.len().saturating_mul(LOOKS);
    let mut tokens = Tokens::new(text);
    while let Some(token) = tokens.next() {
        match token {
            Token::Open { name, attributes, empty } => {
                let rest = &text[tokens.position()..];
                scanner.look_ahead(name, rest);
                scanner.open(name, attributes, empty, rest);
            }
            Token::Close { name } => scanner.close(name),
            Token::Text(text) => {
                if scanner.field.is_some() {
                    scanner.text(&decode(text));
                }
            }
            Token::Cdata(text) => scanner.text(text),
        }
    }
    scanner.cut_off();
    (scanner.raw.items, scanner.raw.left_out) = scanner.items.finish();
    scanner.raw
}

struct Scanner<'s> {
    limits: &'s Settings,
    raw: Raw,
    items: Newest<Item>,
    item: Option<Item>,
    field: Option<Field>,
    /// A container whose content is not ours, and how often it is nested in itself.
    skip: Option<(String, u32)>,
    person: bool,
    /// Inside a media:content, whose title is a picture's.
    medium: bool,
    depth: usize,
    /// Prefixes bound to RSS or Atom themselves.
    own: Vec<String>,
    /// Bytes that may still be looked at ahead.
    ahead: usize,
    /// Items may say their address once more, behind the link.
    counted: bool,
    /// The end of the text left open what a tag of this item was.
    doubtful: bool,
}

impl<'s> Scanner<'s> {
    fn new(limits: &'s Settings) -> Self {
        Scanner {
            limits,
            raw: Raw::default(),
            items: Newest::new(limits.max_entries),
            item: None,
            field: None,
            skip: None,
            person: false,
            medium: false,
            depth: 0,
            own: ["", "rss", "atom", "a10", "atom10"].map(str::to_owned).to_vec(),
            ahead: 0,
            counted: false,
            doubtful: false,
        }
    }

    /// Inside a content that holds items of its own as markup.
    fn inside(&self) -> bool {
        self.field.as_ref().is_some_and(|field| field.whole == Some(true))
    }

    fn text(&mut self, text: &str) {
        let Some(field) = &mut self.field else { return };
        let mut room = MAX_FIELD.saturating_sub(field.text.len()).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        field.text.push_str(&text[..room]);
    }

    /// At the first `<item>` inside a content: is that markup of the content, or has the content's end
    /// tag been forgotten? It is markup if the content ends, soon enough, when each item in it has.
    fn look_ahead(&mut self, name: &str, rest: &str) {
        let Some(field) = &mut self.field else { return };
        let item = |name: &str| matches!(split(name).1.as_str(), "item" | "entry");
        if field.whole.is_some() || !item(name) || !matches!(&*field.name, "content" | "summary") {
            return;
        }
        let (mut items, mut nested) = (1usize, field.nested);
        let mut tokens = Tokens::new(rest);
        field.whole = Some(false);
        let most = self.ahead.min(MAX_FIELD);
        self.ahead -= most;
        while let Some(token) = tokens.next()
            && tokens.position() < most
        {
            match token {
                Token::Open { empty: true, .. } | Token::Text(_) | Token::Cdata(_) => {}
                Token::Open { name, .. } if name == field.tag => nested += 1,
                Token::Open { name, .. } => items += usize::from(item(name)),
                Token::Close { name } if name == field.tag && nested > 0 => nested -= 1,
                Token::Close { name } if name == field.tag => {
                    field.whole = Some(items == 0);
                    return;
                }
                Token::Close { name } if item(name) => match items.checked_sub(1) {
                    Some(left) => items = left,
                    None => return,
                },
                Token::Close { .. } => {}
            }
        }
    }

    /// At the tag of another field inside a field: is that markup of the field, or has its end tag been
    /// forgotten? It is markup if the field's end tag comes before anything that only stands outside of
    /// it. `None`: the text does not tell.
    fn ends_by_itself(&mut self, rest: &str) -> Option<bool> {
        let tag = &self.field.as_ref()?.tag;
        let most = self.ahead.min(MAX_FIELD);
        let mut tokens = Tokens::new(rest);
        let mut answer = None;
        while let Some(token) = tokens.next()
            && tokens.position() < most
        {
            let ends = |name: &str| {
                let (_, local) = split(name);
                matches!(local.as_str(), "item" | "entry" | "channel")
                    || mend::ROOTS.contains(&local.as_str())
            };
            answer = match token {
                Token::Close { name } if name == tag => Some(true),
                Token::Open { name, .. } if name == tag || ends(name) => Some(false),
                Token::Close { name } if ends(name) => Some(false),
                _ => continue,
            };
            break;
        }
        self.ahead -= most.min(tokens.position());
        answer
    }

    fn open(&mut self, name: &str, inner: &str, empty: bool, rest: &str) {
        self.raw.elements += 1;
        if !empty {
            self.depth += 1;
            self.raw.depth = self.raw.depth.max(self.depth);
        }
        let count = attributes(inner).take(self.limits.max_attributes + 1).count();
        self.raw.most_attributes = self.raw.most_attributes.max(count);
        let (prefix, local) = split(name);
        let own = self.own.contains(&prefix);
        let inside = self.inside();
        if own && matches!(local.as_str(), "item" | "entry") && !inside {
            self.end_item();
            let get = |n| attribute(inner, n, self.limits.max_attributes);
            self.item = Some(Item {
                base: get("xml:base"),
                language: get("xml:lang"),
                about: get("rdf:about"),
                ..Item::default()
            });
            if self.raw.format.is_none() {
                let atom = local == "entry";
                self.raw.format = Some(if atom { FeedFormat::Atom } else { FeedFormat::Rss2 });
            }
            if empty {
                self.end_item();
            }
            return;
        }
        if let Some((skipped, nested)) = &mut self.skip {
            if *skipped == name && !empty {
                *nested += 1;
            }
            return;
        }
        if let Some(field) = &self.field {
            let foreign = own
                && !inside
                && field.name != "content"
                && matches!(local.as_str(), "link" | "guid" | "pubdate" | "published" | "updated")
                || own && field.name == "title" && local == "description";
            let whole = if foreign { self.ends_by_itself(rest) } else { Some(true) };
            self.doubtful |= whole.is_none();
            if whole != Some(true) {
                // `<title>…<link>`: the end tag is missing.
                self.end_field();
            } else if let Some(field) = &mut self.field {
                if field.tag == name && !empty {
                    field.nested += 1;
                }
                if !(field.name == "author" && own && local == "name") {
                    // Markup inside a text (Atom xhtml, unescaped HTML) is part of it.
                    let markup = format!("<{name}>");
                    self.text(&markup);
                    return;
                }
            }
        }
        if self.root(&prefix, &local, inner) {
            return;
        }
        self.element(name, &prefix, &local, inner, empty);
    }

    /// `true` if the tag was a root or a channel.
    fn root(&mut self, prefix: &str, local: &str, inner: &str) -> bool {
        let format = match local {
            "rss" => {
                let version = attribute(inner, "version", self.limits.max_attributes);
                let old = version.is_some_and(|v| v.trim_start().starts_with("0."));
                if old { FeedFormat::Rss0 } else { FeedFormat::Rss2 }
            }
            "rdf" => FeedFormat::Rss1,
            "feed" => FeedFormat::Atom,
            "channel" => {
                let base = attribute(inner, "xml:base", self.limits.max_attributes);
                self.raw.base = base.or(self.raw.base.take());
                return true;
            }
            _ => return false,
        };
        if self.raw.format.is_some() {
            return false;
        }
        self.raw.format = Some(format);
        self.raw.base = attribute(inner, "xml:base", self.limits.max_attributes);
        self.raw.language = attribute(inner, "xml:lang", self.limits.max_attributes);
        for (name, value) in attributes(inner).take(self.limits.max_attributes) {
            self.counted |= name.eq_ignore_ascii_case("xmlns:feedburner");
            let value = value.to_ascii_lowercase();
            if let Some(bound) = name.strip_prefix("xmlns:")
                && ["w3.org/2005/atom", "purl.org/atom/ns#", "purl.org/rss/1.0/"]
                    .iter()
                    .any(|ns| value.ends_with(ns))
            {
                self.own.push(bound.to_ascii_lowercase());
            }
        }
        if format != FeedFormat::Rss1 {
            self.own.push(prefix.to_owned());
        }
        true
    }

    fn element(&mut self, name: &str, prefix: &str, local: &str, inner: &str, empty: bool) {
        let own = self.own.iter().any(|p| p == prefix);
        let limit = self.limits.max_attributes;
        let mut base = None;
        let field = match (own, prefix, local) {
            (true, _, "image" | "textinput" | "source" | "email" | "uri" | "url") if !empty => {
                self.skip = Some((name.to_owned(), 0));
                return;
            }
            (true, _, "name") if self.person => "author",
            (true, _, "link") => {
                base = attribute(inner, "xml:base", limit);
                if let Some(href) = attribute(inner, "href", limit) {
                    let rel = attribute(inner, "rel", limit).unwrap_or_default();
                    // A registered name may be written as an IRI (RFC 4287 §4.2.7.2).
                    let rel = rel.to_ascii_lowercase().replace(RELATIONS, "");
                    let kind = attribute(inner, "type", limit).unwrap_or_default();
                    self.link(Link { base, href, rel, kind });
                    return;
                }
                "link"
            }
            (true, _, "category") => {
                let label = attribute(inner, "label", limit).filter(|l| !l.trim().is_empty());
                if let Some(term) = label.or_else(|| attribute(inner, "term", limit)) {
                    self.name(|item| &mut item.categories, term);
                    return;
                }
                "category"
            }
            (true, _, "author") => {
                self.person = true;
                "author"
            }
            (true, _, "guid") => {
                if let Some(item) = &mut self.item {
                    item.permalink = attribute(inner, "isPermaLink", limit)
                        .map(|value| value.trim().eq_ignore_ascii_case("true"));
                }
                "id"
            }
            (true, _, "content") => match (attribute(inner, "src", limit), &mut self.item) {
                (Some(href), Some(item)) => {
                    let base = attribute(inner, "xml:base", limit);
                    let kind = attribute(inner, "type", limit).unwrap_or_default();
                    item.outside.get_or_insert(Link { base, href, kind, ..Link::default() });
                    return;
                }
                (Some(_), None) => return,
                _ => "content",
            },
            (true, _, "id") => "id",
            (true, _, "title") => "title",
            (true, _, "description" | "summary" | "tagline" | "subtitle") => "summary",
            (true, _, "pubdate" | "published" | "issued" | "created") => "published",
            (true, _, "updated" | "modified") => "updated",
            (true, _, "language") => "language",
            (true, _, "ttl") => "ttl",
            (true, _, "hour") => "hour",
            (true, _, "day") => "day",
            (_, "content", "encoded") => "content",
            (_, "media", "content") => {
                self.medium = !empty;
                return;
            }
            (_, "media", "title") if !self.medium => "media title",
            (_, "dc" | "dcterms" | "dc11", "date" | "issued" | "created") => "date",
            (_, "dc" | "dcterms" | "dc11", "modified") => "updated",
            (_, "dc" | "dcterms" | "dc11", "creator") => "author",
            (_, "dc" | "dcterms" | "dc11", "subject") => "category",
            (_, "dc" | "dcterms" | "dc11", "language") => "language",
            (_, "dc" | "dcterms" | "dc11", "description") => "summary",
            (_, "dc" | "dcterms" | "dc11", "title") => "title",
            (_, "sy", "updateperiod") => "period",
            (_, "sy", "updatefrequency") => "frequency",
            (_, "feedburner", "origlink") => "original",
            _ => return,
        };
        if empty {
            return;
        }
        let packed = own && attribute(inner, "mode", limit).is_some_and(|mode| mode == "base64");
        let markup = || attribute(inner, "type", limit).is_some_and(|kind| kind.contains("ml"));
        self.field = Some(Field {
            name: field.to_owned(),
            tag: name.to_owned(),
            nested: 0,
            text: String::new(),
            base,
            packed: packed.then(markup),
            whole: None,
        });
    }

    fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        let (prefix, local) = split(name);
        let own = self.own.contains(&prefix);
        let end = matches!(local.as_str(), "item" | "entry") && own
            || mend::ROOTS.contains(&local.as_str())
            || local == "channel";
        if end && !self.inside() {
            self.end_item();
            return;
        }
        if let Some((skipped, nested)) = &mut self.skip {
            if *skipped == name {
                if *nested == 0 {
                    self.skip = None;
                } else {
                    *nested -= 1;
                }
            }
            return;
        }
        if let Some(field) = &mut self.field {
            if field.tag == name {
                if field.nested == 0 {
                    self.end_field();
                } else {
                    field.nested -= 1;
                }
            } else if own && local == "author" {
                self.end_field();
            } else {
                let markup = format!("</{name}>");
                self.text(&markup);
            }
        }
        if own && local == "author" {
            self.person = false;
        }
        self.medium &= (prefix.as_str(), local.as_str()) != ("media", "content");
    }

    fn link(&mut self, link: Link) {
        let links = match &mut self.item {
            Some(item) => &mut item.links,
            None => &mut self.raw.links,
        };
        if links.len() < 64 {
            links.push(link);
        }
    }

    fn name(&mut self, list: impl FnOnce(&mut Item) -> &mut Vec<String>, text: String) {
        if let Some(item) = &mut self.item {
            let list = list(item);
            if list.len() < self.limits.max_names {
                list.push(text);
            }
        }
    }

    fn end_field(&mut self) {
        let Some(Field { name, mut text, base, packed, .. }) = self.field.take() else { return };
        if let Some(unpacked) = packed.and_then(|markup| unpack(&text, markup)) {
            text = unpacked;
        }
        if text.trim().is_empty() {
            return;
        }
        // The first of each wins: what follows is a repetition in another vocabulary.
        let first = |slot: &mut Option<String>, text| {
            slot.get_or_insert(text);
        };
        match name.as_str() {
            "link" => return self.link(Link { base, href: text, ..Link::default() }),
            "author" => return self.name(|item| &mut item.authors, text),
            "category" => return self.name(|item| &mut item.categories, text),
            _ => {}
        }
        match (&mut self.item, name.as_str()) {
            (Some(item), "title") => first(&mut item.title, text),
            (Some(item), "media title") => first(&mut item.media_title, text),
            (Some(item), "id") => first(&mut item.id, text),
            (Some(item), "summary") => first(&mut item.summary, text),
            (Some(item), "content") => first(&mut item.content, text),
            (Some(item), "published") => first(&mut item.published, text),
            (Some(item), "date") => first(&mut item.date, text),
            (Some(item), "updated") => first(&mut item.updated, text),
            (Some(item), "language") => first(&mut item.language, text),
            (Some(item), "original") => first(&mut item.original, text),
            (None, "title") => first(&mut self.raw.title, text),
            (None, "language") => self.raw.language = Some(text),
            (None, "ttl") => first(&mut self.raw.ttl, text),
            (None, "hour") if self.raw.skip_hours.len() < 48 => self.raw.skip_hours.push(text),
            (None, "day") if self.raw.skip_days.len() < 14 => self.raw.skip_days.push(text),
            (None, "period") => first(&mut self.raw.period, text),
            (None, "frequency") => first(&mut self.raw.frequency, text),
            _ => {}
        }
    }

    fn end_item(&mut self) {
        self.end_field();
        self.skip = None;
        self.person = false;
        self.medium = false;
        self.doubtful = false;
        if let Some(item) = self.item.take() {
            let published = entry::published(&item);
            self.items.push(item, published.as_ref());
        }
    }

    /// The end of the text: an item that it cuts counts if nothing that follows could change what it is
    /// called and where it leads.
    fn cut_off(&mut self) {
        self.field = None;
        let link = |l: &Link| l.is_alternate() && l.is_page();
        let settled = self.item.as_ref().is_some_and(|item| {
            let named = item.title.is_some() && item.links.iter().any(link);
            named && (item.original.is_some() || !self.counted)
        });
        if settled && !self.doubtful {
            self.end_item();
        }
    }
}

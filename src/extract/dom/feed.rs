//! Drives the tokenizer over a page, passing over what never becomes text.
//!
//! On news pages scripts, styles and SVG make up more than half of the bytes. When the tokenizer
//! has just emitted the start tag of such an element, its content is not handed to it at all; the
//! tree is the same, because the tree builder would have thrown the characters away.

use std::ops::Range;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use memchr::{memchr, memchr_iter, memmem};

use super::gate::{Gate, Opened};
use super::sink::Sink;
use super::tag::Scanner;
use super::{Dom, Limits};

/// Bytes handed over at a time: the distance at which the gate can stop an endless tag.
const CHUNK: usize = 8 * 1024;

/// Attributes of one tag that are still honest.
const TAG_ATTRIBUTES: usize = 4_096;

/// Elements that make drawings. Content of other elements inside `<svg>` may break out of it.
const DRAWING: &[&str] = &[
    "a",
    "animate",
    "animateMotion",
    "animateTransform",
    "circle",
    "clipPath",
    "defs",
    "ellipse",
    "filter",
    "g",
    "image",
    "line",
    "linearGradient",
    "lineargradient",
    "clippath",
    "marker",
    "mask",
    "path",
    "pattern",
    "polygon",
    "polyline",
    "radialGradient",
    "radialgradient",
    "rect",
    "set",
    "stop",
    "switch",
    "symbol",
    "text",
    "tspan",
    "use",
    "view",
];

pub(super) fn parse(html: &str, limits: &Limits, keep_all: bool) -> Dom {
    let mut html = html;
    let sink = Sink::new(limits.nodes, html.len(), keep_all);
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let gate = Gate::new(TreeBuilder::new(sink, options), limits);
    if html.len() as u64 > limits.bytes {
        gate.note(|| format!("more than {} bytes of text", limits.bytes));
        html = &html[..floor(html, usize::try_from(limits.bytes).unwrap_or(usize::MAX))];
    }
    let mut feeder = Feeder {
        html,
        tokenizer: Tokenizer::new(gate, TokenizerOpts::default()),
        queue: BufferQueue::default(),
        silent: 0,
        scanner: Scanner::new(),
        scanned: 0,
    };
    let starts = memmem::Finder::new("<s");
    let mut at = 0;
    let mut look = 0;
    while let Some(found) = starts.find(&html.as_bytes()[look..]) {
        let start = look + found;
        look = start + 2;
        let tail = &html[start + 1..];
        if keep_all || !["script", "style", "svg"].iter().any(|name| tail.starts_with(name)) {
            continue;
        }
        let Some(end) = memchr(b'>', &html.as_bytes()[start..]).map(|n| start + n + 1) else {
            break;
        };
        feeder.feed(at..end);
        at = match feeder.gate().opened.get() {
            Opened::Nothing => end,
            Opened::Script => end + raw_text(&html[end..], "script"),
            Opened::Style => end + raw_text(&html[end..], "style"),
            Opened::Svg => end + drawing(&html[end..]),
        };
        look = at;
        if feeder.gate().closed.get() {
            break;
        }
    }
    feeder.feed(at..html.len());
    feeder.tokenizer.end();
    let gate = feeder.tokenizer.sink;
    let limit = gate.limit.into_inner();
    Dom { nodes: gate.builder.sink.into_nodes(), limit }
}

/// Hands text to the tokenizer chunk by chunk. A tag that goes on for chunks is looked at by a
/// [`Scanner`]: long attribute values are common, endless lists of attributes are attacks.
struct Feeder<'a> {
    html: &'a str,
    tokenizer: Tokenizer<Gate>,
    queue: BufferQueue,
    /// Chunks since the last token.
    silent: u32,
    scanner: Scanner,
    scanned: usize,
}

impl Feeder<'_> {
    fn gate(&self) -> &Gate {
        &self.tokenizer.sink
    }

    fn feed(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end && !self.gate().closed.get() {
            let text = &self.html[at..range.end];
            let chunk = &text[..floor(text, CHUNK)];
            at += chunk.len();
            let before = self.gate().tokens.get();
            self.queue.push_back(StrTendril::from_slice(chunk));
            // A script or an encoding declaration hands control back with input left.
            while !self.queue.is_empty() {
                let _ = self.tokenizer.feed(&self.queue);
            }
            let silent = self.gate().tokens.get() == before;
            self.silent = if silent { self.silent + 1 } else { 0 };
            if self.silent >= 2 {
                self.scanner.advance(&self.html[self.scanned..at]);
                self.scanned = at;
                if self.scanner.attributes() > TAG_ATTRIBUTES {
                    self.gate().close(|| format!("a tag of more than {TAG_ATTRIBUTES} attributes"));
                }
            }
        }
    }
}

/// Bytes of raw text before its end tag that need not be tokenized; 0 if in doubt.
fn raw_text(text: &str, name: &str) -> usize {
    let bytes = text.as_bytes();
    for lt in memmem::find_iter(bytes, "</") {
        let after = &bytes[lt + 2..];
        let is_end =
            after.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
                && after.get(name.len()).is_some_and(|b| b" \t\n\x0c\r/>".contains(b));
        if is_end {
            // `<!--` inside a script changes where it ends (WHATWG HTML §13.2.5.19).
            let escaped = name == "script" && memmem::find(&bytes[..lt], b"<!--").is_some();
            return if escaped { 0 } else { lt };
        }
    }
    0
}

/// Bytes between `<svg …>` and its end tag if there is nothing but drawing; else 0.
fn drawing(text: &str) -> usize {
    let bytes = text.as_bytes();
    for lt in memchr_iter(b'<', bytes) {
        let rest = &text[lt + 1..];
        let (closing, rest) = match rest.strip_prefix('/') {
            Some(r) => (true, r),
            None => (false, rest),
        };
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = &rest[..length];
        if closing && name == "svg" {
            return lt;
        }
        if !DRAWING.contains(&name) && !name.starts_with("fe") {
            return 0;
        }
    }
    0
}

/// The largest char boundary of `text` not beyond `at`, and at least one character.
fn floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (1..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(text.len())
}

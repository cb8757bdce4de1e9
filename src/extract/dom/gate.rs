//! Between tokenizer and tree builder: what would make parsing super-linear does not pass.
//!
//! Tree construction walks its stack of open elements for most tokens, so it is quadratic in depth,
//! and it compares each attribute of a tag with all before it. The gate counts both and closes.

use std::cell::{Cell, RefCell};

use html5ever::interface::tree_builder::Tracer;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use html5ever::{LocalName, local_name};

use super::sink::{Sink, is_linked_data};
use super::{Id, Limits};

/// Comparisons that attribute lists of one page may cost.
const ATTRIBUTE_WORK: u64 = 40_000_000;

/// What the token just processed opened, if its content can be passed over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    Nothing,
    Script,
    Style,
    Svg,
}

pub(super) struct Gate {
    pub(super) builder: TreeBuilder<Id, Sink>,
    depth: u32,
    attributes: u32,
    /// Upper bound of the builder's stack of open elements plus its formatting list.
    open: Cell<u32>,
    /// Start tags dropped for depth whose end tags must not close anything either.
    dropped: Cell<u32>,
    attributes_seen: Cell<u32>,
    attribute_work: Cell<u64>,
    /// Tokens seen, errors aside.
    pub(super) tokens: Cell<u64>,
    pub(super) opened: Cell<Opened>,
    pub(super) limit: RefCell<Option<String>>,
    /// Nothing more passes.
    pub(super) closed: Cell<bool>,
}

/// Counts what the tree builder holds.
struct Counter(Cell<u32>);

impl Tracer for Counter {
    type Handle = Id;
    fn trace_handle(&self, _: &Id) {
        self.0.set(self.0.get() + 1);
    }
}

impl Gate {
    pub(super) fn new(builder: TreeBuilder<Id, Sink>, limits: &Limits) -> Self {
        Gate {
            builder,
            depth: limits.depth.max(16),
            attributes: limits.attributes,
            open: Cell::new(0),
            dropped: Cell::new(0),
            attributes_seen: Cell::new(0),
            attribute_work: Cell::new(0),
            tokens: Cell::new(0),
            opened: Cell::new(Opened::Nothing),
            limit: RefCell::new(None),
            closed: Cell::new(false),
        }
    }

    /// Records the first limit reached.
    pub(super) fn note(&self, limit: impl FnOnce() -> String) {
        self.limit.borrow_mut().get_or_insert_with(limit);
    }

    pub(super) fn close(&self, limit: impl FnOnce() -> String) {
        self.note(limit);
        self.closed.set(true);
    }

    /// May this start tag open another element?
    fn admit(&self, tag: &Tag) -> bool {
        let n = tag.attrs.len() as u64;
        self.attributes_seen.set(self.attributes_seen.get().saturating_add(n as u32));
        self.attribute_work.set(self.attribute_work.get() + n * n / 2);
        if self.attributes_seen.get() > self.attributes
            || self.attribute_work.get() > ATTRIBUTE_WORK
        {
            self.close(|| format!("more than {} attributes", self.attributes));
            return false;
        }
        if self.adds_no_depth(&tag.name) {
            return true;
        }
        if self.open.get() >= self.depth {
            let counter = Counter(Cell::new(0));
            self.builder.trace_handles(&counter);
            self.open.set(counter.0.get());
            if self.open.get() >= self.depth {
                self.note(|| format!("more than {} elements deep", self.depth));
                self.dropped.set(self.dropped.get() + 1);
                return false;
            }
        }
        // One for the stack, one for the list of formatting elements it may also join.
        self.open.set(self.open.get() + 2);
        true
    }

    /// Elements that never hold another one; inside SVG and MathML their names are like any other
    /// (WHATWG HTML §13.2.6.5).
    fn adds_no_depth(&self, tag: &LocalName) -> bool {
        (is_void(tag) || closes_itself(tag))
            && !self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl TokenSink for Gate {
    type Handle = Id;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Id> {
        if let Token::ParseError(_) = token {
            return TokenSinkResult::Continue;
        }
        self.tokens.set(self.tokens.get() + 1);
        self.opened.set(Opened::Nothing);
        if self.closed.get() && token != Token::EOFToken {
            return TokenSinkResult::Continue;
        }
        let mut opens = Opened::Nothing;
        if let Token::TagToken(tag) = &token {
            match tag.kind {
                TagKind::StartTag => {
                    if !self.admit(tag) {
                        return TokenSinkResult::Continue;
                    }
                    opens = match tag.name {
                        local_name!("script") if !is_linked_data(&tag.attrs) => Opened::Script,
                        local_name!("style") => Opened::Style,
                        local_name!("svg") if !tag.self_closing => Opened::Svg,
                        _ => Opened::Nothing,
                    };
                }
                TagKind::EndTag => {
                    if self.dropped.get() > 0 && !self.adds_no_depth(&tag.name) {
                        self.dropped.set(self.dropped.get() - 1);
                        return TokenSinkResult::Continue;
                    }
                    self.open.set(self.open.get().saturating_sub(1));
                }
            }
        }
        let result = self.builder.process_token(token, line);
        if self.builder.sink.full.get() && !self.closed.get() {
            self.close(|| "too many nodes".to_owned());
        }
        self.opened.set(match (&result, opens) {
            (TokenSinkResult::RawData(RawKind::ScriptData), Opened::Script) => Opened::Script,
            (TokenSinkResult::RawData(RawKind::Rawtext), Opened::Style) => Opened::Style,
            (TokenSinkResult::Continue, Opened::Svg) => Opened::Svg,
            _ => Opened::Nothing,
        });
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Elements without content (WHATWG HTML §13.1.2).
fn is_void(tag: &LocalName) -> bool {
    matches!(
        *tag,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
    )
}

/// Raw-text elements end where their own end tag is, whatever the tree: they add no depth.
pub(super) fn closes_itself(tag: &LocalName) -> bool {
    matches!(
        *tag,
        local_name!("script")
            | local_name!("style")
            | local_name!("title")
            | local_name!("textarea")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("xmp")
    )
}

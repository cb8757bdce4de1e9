//! A page to be labelled: its tree of leaves, the page itself made harmless, and its leaves as lines.
//!
//! The page is rewritten from our tree: known elements of structure, class, style and text stay;
//! scripts, addresses, frames, forms and whatever is not known do not. Pictures become boxes with their
//! alternative text. Must not know: labels, files.

use std::collections::HashMap;

use serde::Serialize;

use crate::extract::dom::{Dom, Id, Kind, NONE};
use crate::extract::page::PageBlocks;
use crate::model::escaped;

/// Elements that are kept as they are; others become `span`.
const KEPT: [&str; 57] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "ul",
];
/// Attributes that are kept.
const ATTRIBUTES: [&str; 9] =
    ["class", "style", "dir", "lang", "colspan", "rowspan", "align", "width", "height"];
/// Longest text of a leaf in the tree, characters.
const SHOWN: usize = 160;
/// Longest text of a leaf in a line, characters.
const LINE: usize = 60;

/// A page's leaves and the elements around them.
#[derive(Clone, Debug, Serialize)]
pub struct Tree {
    pub leaves: Vec<Leaf>,
    pub elements: Vec<Around>,
}

/// A visible leaf.
#[derive(Clone, Debug, Serialize)]
pub struct Leaf {
    /// The beginning of its text; of a picture its alternative text.
    pub text: String,
    pub picture: bool,
    /// The page's own rules hide it.
    pub hidden: bool,
}

/// An element with more leaves than one, and more than the element in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Around {
    /// Number of its node.
    pub element: Id,
    /// Tag and first class.
    pub name: String,
    /// Its first and its last leaf.
    pub from: usize,
    pub to: usize,
}

/// The leaves of a page and their tree, elements outermost first.
pub fn tree(page: &PageBlocks) -> Tree {
    let mut spans: HashMap<Id, (usize, usize)> = HashMap::new();
    let mut leaves = Vec::new();
    for (at, (block, _)) in page.iter().enumerate() {
        let text = page.text(at);
        let picture = is_picture(page, at);
        let alternative = page.dom.attr(block.first, "alt").unwrap_or_default();
        leaves.push(Leaf {
            text: cut(if picture { &alternative } else { text }, SHOWN),
            picture,
            hidden: page.unseen(block).is_some(),
        });
        for above in page.dom.ancestors(block.first) {
            let span = spans.entry(above).or_insert((at, at));
            *span = (span.0.min(at), span.1.max(at));
        }
    }
    let mut elements: Vec<Around> = Vec::new();
    for (&element, &(from, to)) in &spans {
        let name = label(&page.dom, element);
        if from < to && element != page.dom.root() {
            elements.push(Around { element, name, from, to });
        }
    }
    elements.sort_by_key(|e| (e.from, std::cmp::Reverse(e.to), e.element));
    // Of elements with the same leaves the outermost stands for all.
    elements.dedup_by_key(|e| (e.from, e.to));
    Tree { leaves, elements }
}

fn is_picture(page: &PageBlocks, leaf: usize) -> bool {
    let block = page.blocks.list.get(leaf);
    block.is_some_and(|b| page.dom.node(b.first).is_some_and(|n| n.kind() == Kind::Element))
}

/// `div.story`.
fn label(dom: &Dom, element: Id) -> String {
    let class = dom.attr(element, "class").unwrap_or_default();
    let class = class.split_whitespace().next().unwrap_or_default();
    let dot = if class.is_empty() { "" } else { "." };
    cut(&format!("{}{dot}{class}", dom.name(element)), 40)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// One line a leaf: its number, the element around it, and the beginning of its text.
pub fn lines(page: &PageBlocks) -> String {
    let mut out = String::new();
    for (at, (leaf, (block, _))) in tree(page).leaves.iter().zip(page.iter()).enumerate() {
        let around = label(&page.dom, page.dom.parent(block.first).unwrap_or(NONE));
        let sign = if leaf.hidden { "~" } else { "" };
        let text = cut(&leaf.text, LINE).replace('\n', " ");
        let text = if leaf.picture { format!("[picture: {text}]") } else { text };
        let length = page.text(at).chars().count();
        let length = if length > LINE { format!(" ({length})") } else { String::new() };
        out.push_str(&format!("{at}{sign} {around} {text}{length}\n"));
    }
    out
}

/// The page as a document: what is of it is text, structure and style; leaf 12 has the name `leaf-12`.
pub fn frame(page: &PageBlocks, language: &str) -> String {
    let dom = &page.dom;
    let leaves: HashMap<Id, usize> =
        page.iter().enumerate().map(|(at, (block, _))| (block.first, at)).collect();
    let mut out = String::from("<!doctype html>\n<html lang=\"");
    out.push_str(&escaped(language));
    out.push_str("\">\n<head>\n<meta charset=\"utf-8\">\n<title>page</title>\n<style>\n");
    for (_, sheet) in dom.sheets() {
        // No text of a style element holds its end tag; one from elsewhere might.
        out.push_str(&sheet.replace("</", ""));
        out.push('\n');
    }
    out.push_str("</style>\n<style>\n");
    out.push_str(FRAME);
    out.push_str("</style>\n</head>\n<body>\n");
    let mut open: Vec<(Id, &str)> = Vec::new();
    let mut at = dom.first_child(dom.root()).unwrap_or(NONE);
    while at != NONE {
        let Some(node) = dom.node(at) else { break };
        let mut inside = false;
        if let Some(&leaf) = leaves.get(&at) {
            let text = dom.text(at);
            let kind = if text.is_some() { "" } else { " class=\"leaf-picture\"" };
            out.push_str(&format!("<span id=\"leaf-{leaf}\"{kind}>"));
            match text {
                Some(text) => out.push_str(&escaped(text)),
                None => out.push_str(&escaped(&dom.attr(at, "alt").unwrap_or_default())),
            }
            out.push_str("</span>");
        } else if let Some(text) = dom.text(at) {
            if text.trim().is_empty() {
                out.push(' ');
            }
        } else if dom.element(at).is_some() {
            let tag = dom.name(at);
            inside = !matches!(tag, "head" | "svg");
            if inside {
                let tag = match KEPT.iter().find(|kept| **kept == tag) {
                    Some(tag) => tag,
                    None if tag == "html" || tag == "body" => "div",
                    None => "span",
                };
                begin(dom, at, tag, &mut out);
                let empty = matches!(tag, "br" | "hr" | "col");
                open.push((at, if empty { "" } else { tag }));
            }
        }
        if inside && node.first_child != NONE {
            at = node.first_child;
            continue;
        }
        if inside {
            end(open.pop(), &mut out);
        }
        at = loop {
            let Some(node) = dom.node(at) else { break NONE };
            if node.next_sibling != NONE {
                break node.next_sibling;
            }
            at = node.parent;
            if at == NONE || at == dom.root() {
                break NONE;
            }
            end(open.pop(), &mut out);
        };
    }
    out.push_str("\n</body>\n</html>\n");
    out
}

/// How the chosen leaf and pictures look.
const FRAME: &str = "\
html, body { overflow: auto !important; display: block !important; }
span[id^=leaf-]:target { outline: 3px solid #d40 !important; background: #fe8 !important;
  color: #000 !important; scroll-margin: 30vh; }
.leaf-picture { display: inline-block; min-width: 3em; min-height: 1.2em; padding: 0 .3em;
  border: 1px dashed #888; color: #666; font-size: small; }
";

fn begin(dom: &Dom, element: Id, tag: &str, out: &mut String) {
    out.push('<');
    out.push_str(tag);
    for attribute in dom.attributes(element) {
        let name = attribute.text.to_ascii_lowercase();
        let own = |value: &str| value.starts_with("leaf-");
        let value = attribute.value();
        if ATTRIBUTES.contains(&name.as_str()) || name == "id" && !own(&value) {
            out.push_str(&format!(" {name}=\""));
            out.push_str(&escaped(&value));
            out.push('"');
        }
    }
    out.push('>');
}

fn end(open: Option<(Id, &str)>, out: &mut String) {
    if let Some((_, tag)) = open.filter(|(_, tag)| !tag.is_empty()) {
        out.push_str(&format!("</{tag}>"));
    }
}

/// A page with an address as the base of what it loads, unless it names a base itself.
pub(super) fn based(html: &str, url: &str) -> String {
    let lower = html.to_ascii_lowercase();
    if lower.contains("<base") {
        return html.to_owned();
    }
    let begins = |tag: &str| {
        let behind = |at: &usize| {
            lower.as_bytes().get(at + tag.len()).is_none_or(|b| !b.is_ascii_alphanumeric())
        };
        let at = lower.match_indices(tag).map(|(at, _)| at).find(behind)?;
        Some(at + lower.get(at..)?.find('>')? + 1)
    };
    let at =
        begins("<head").or_else(|| begins("<html")).or_else(|| begins("<!doctype")).unwrap_or(0);
    let (before, behind) = html.split_at(at);
    let mut out = format!("{before}<base href=\"");
    out.push_str(&escaped(url));
    out.push_str("\">");
    out.push_str(behind);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Profile;
    use crate::extract::dom::Limits;

    fn page(html: &str) -> PageBlocks<'_> {
        PageBlocks::read(html, Profile::Leaf2009, &Limits::default())
    }

    #[test]
    fn the_tree_names_elements_with_more_leaves_than_those_in_them() {
        let page =
            page("<div class='story x'><div><p>One <b>two</b></p><p>Three</p></div></div><p>Four");
        let tree = tree(&page);
        let texts: Vec<&str> = tree.leaves.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(texts, ["One", "two", "Three", "Four"]);
        let around: Vec<(&str, usize, usize)> =
            tree.elements.iter().map(|e| (e.name.as_str(), e.from, e.to)).collect();
        assert_eq!(around, [("html", 0, 3), ("div.story", 0, 2), ("p", 0, 1)]);
        assert!(lines(&page).starts_with("0 p One\n1 b two\n2 p Three\n"), "{}", lines(&page));
    }

    #[test]
    fn nothing_of_a_hostile_page_can_act() {
        let page = page(
            "<style>p { color: red }</style><script>steal()</script><base href='http://x.example/'>\
             <meta http-equiv=refresh content='0;url=http://x.example/'>\
             <p id=leaf-0 class='a\"b' onclick=steal()>One &lt;script&gt; <a href='javascript:steal()'>two</a>\
             <img src='http://x.example/p.gif' onerror=steal() alt='&quot;><script>'>\
             <iframe srcdoc='<script>steal()</script>'></iframe><form action='http://x.example/'>\
             <button formaction='javascript:steal()'>Go</button></form>\
             <svg><a xlink:href='javascript:steal()'>x</a></svg><plaintext>rest",
        );
        let frame = frame(&page, "en\"><script>");
        for bad in [
            "<script",
            "href",
            "src",
            "onclick",
            "onerror",
            "<iframe",
            "<form",
            "<svg",
            "<base",
            "http-equiv",
            "<plaintext",
            "formaction",
            "steal",
        ] {
            assert!(!frame.contains(bad), "{bad}: {frame}");
        }
        assert_eq!(frame.matches("id=\"leaf-0\"").count(), 1, "{frame}");
        assert!(frame.contains("One &lt;script&gt;") && frame.contains("color: red"), "{frame}");
        assert!(
            frame.contains("class=\"leaf-picture\">&quot;&gt;&lt;script&gt;</span>"),
            "{frame}"
        );
    }

    #[test]
    fn a_page_gets_its_address_as_base() {
        let check =
            |page: &str, expect: &str| assert_eq!(based(page, "http://a.example/?b&c"), expect);
        let base = "<base href=\"http://a.example/?b&amp;c\">";
        check(
            "<!doctype html><HEAD lang=x><header>",
            &format!("<!doctype html><HEAD lang=x>{base}<header>"),
        );
        check("<html><p>", &format!("<html>{base}<p>"));
        check("<!doctype html><header>", &format!("<!doctype html>{base}<header>"));
        check("<p>", &format!("{base}<p>"));
        check("<head><base href=/x>", "<head><base href=/x>");
    }
}

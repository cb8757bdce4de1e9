//! Sheets and roots that are written to cost much.

use super::*;
use crate::extract::dom::{Limits, parse};

/// Text in sight of a page whose sheet is each of these, with many elements for it to ask about.
fn read_each(sheets: impl IntoIterator<Item = String>) {
    // A page with more in one tag is refused.
    let attributes = many(4_000, |n| format!(" data-x{n}=y"));
    let elements = format!(
        "<body{attributes}><i{attributes} id=i class=c>y</i>{}",
        "<p class='a b'>x".repeat(20_000)
    );
    for sheet in sheets {
        let html = format!("<style>{sheet}</style>{elements}");
        let dom = parse(&html, &Limits::default());
        assert_eq!(dom.limit, None);
        of(&dom);
    }
}

fn many(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

/// However many rules and elements there are, the work is counted.
#[test]
fn hostile_selectors() {
    read_each([
        many(50_000, |n| format!("div .a.b{n}{{display:none}}")),
        many(50_000, |n| format!("#i{n} .a{{display:none}}")),
        format!("{}{{display:none}}", ".a ".repeat(100_000)),
        many(50_000, |n| format!(".b~.c{n}~.a{{display:none}}")),
        many(5_000, |n| format!("p~p:nth-last-child({n}){{display:none}}")),
        many(5_000, |n| format!("[class^=a{n}]{{display:none}}")),
        many(50_000, |n| format!(".a:is(.c{n},.d,.e,.f):not(.a,.b,.c){{display:none}}")),
        format!(".a:is({}){{display:none}}", ".b,".repeat(500_000)),
        format!("{}{{& .a{{display:none}}}}", ".b,".repeat(500_000)),
        many(20_000, |n| format!("@layer l{n}{{.a{{display:none}}}}")),
        format!("{}.a{{display:none}}", ".a{".repeat(100_000)),
        format!(".o,.a{{{}}}", "& .a,.b &{display:none}".repeat(40_000)),
        "@media screen{".repeat(100_000),
        format!(".a{}{{display:none}}", ":not(".repeat(100_000)),
        format!(".a{}.b{}{{display:none}}", ":is(".repeat(100_000), ")".repeat(100_000)),
        format!("p{}p{{display:none}}", "~p".repeat(100_000)),
        many(5_000, |n| format!("p~p~p~.a:nth-of-type({n}n){{display:none}}")),
        many(5_000, |n| format!("body:has(.c{n}) .a{{display:none}}")),
        many(5_000, |n| format!(":has(.c{n},>.d){{display:none}}")),
        many(5_000, |n| format!(".a:lang(l{n}){{display:none}}")),
        many(50_000, |_| "#i.c{display:none}".to_owned()),
        many(3_000, |n| format!("i~[data-y{n}]{{display:none}}")),
        many(3_000, |n| format!(":not([data-y{n}])>.q{{display:none}}")),
        many(5_000, |n| format!("[data-a{n}='x' i]{{display:none}}")),
        many(50_000, |n| format!("[title=a{n}],[data-b{n}]{{display:none}}")),
        format!(".{}{{display:none}}", "\\61 ".repeat(300_000)),
        format!("@media {}{{.a{{display:none}}}}", "(not ".repeat(100_000)),
        format!("@supports {}{{.a{{display:none}}}}", "((a:b) and ".repeat(100_000)),
        many(20_000, |n| format!("@scope (.c{n}){{.a{{display:none}}}}")),
        "(".repeat(1_000_000),
        "{".repeat(1_000_000),
        "/*".repeat(500_000),
        "\\".repeat(1_000_000),
    ]);
}

/// The same of what they say of an element.
#[test]
fn hostile_values() {
    read_each([
        many(100_000, |n| format!(".a{{opacity:0;left:{n}px}}")),
        format!(".a{{{}}}", "display:none;".repeat(100_000)),
        many(20_000, |_| format!(".a{{left:{}1px}}", "calc(".repeat(60))),
        many(50_000, |_| ".a{transform:scale(0) rotate(1deg);inset:0}".to_owned()),
        many(20_000, |n| format!("@keyframes k{n}{{to{{opacity:0}}}}.a{{animation:k{n} 1s both}}")),
        format!(".a{{animation:k 1s both}}@keyframes k{{{}}}", "to{opacity:0}".repeat(100_000)),
        format!(".a{{left:{}}}", "calc(".repeat(100_000)),
        format!(".a{{{}opacity:var(--v1)}}", many(50_000, |n| format!("--v{n}:0;left:{n}px;"))),
        format!(
            ":root{{{}}}{}",
            many(15 * 15, |n| format!("--c{}:var(--c{});", n / 15, n % 15)),
            many(5_000, |n| format!(".a{{--v{n}:var(--c0);opacity:var(--v{n})}}"))
        ),
        format!(
            ".b{{--v:none}}{}",
            many(20_000, |n| format!(".a{{--v{n}:0;opacity:var(--v{n})}}"))
        ),
        format!(
            ":root{{{}}}.a{{opacity:var(--v0)}}",
            many(20_000, |n| format!("--v{n}:var(--v{});", n + 1))
        ),
        format!(
            ".a{{opacity:{}--v{}}}:root{{--v:0}}",
            "var(--v,".repeat(50_000),
            ")".repeat(50_000)
        ),
        many(20_000, |n| {
            format!(".a{{height:0;overflow:hidden;color:#{n:06x};background:#{n:06x}}}")
        }),
        format!(".a{{background:{}}}", "linear-gradient(".repeat(50_000)),
        format!(".a{{background:{}}}", "#fff,".repeat(100_000)),
    ]);
}

/// The same of shadow roots and their slots.
#[test]
fn hostile_roots() {
    let root = "<template shadowrootmode=open><style>::slotted(p){display:none}</style><slot>";
    let slots = |n: usize| (0..n).map(|n| format!("<slot name=a{n}>")).collect::<String>();
    for html in [
        format!("<div>{}", format!("<p>x</p>{root}</template>").repeat(10_000)),
        format!("<div>{root}{}</template>{}", slots(20_000), "<p slot=b>x</p>".repeat(20_000)),
        format!("<div>{root}").repeat(2_000),
        format!("<div>{}", format!("<i>x</i><div>{root}</template>").repeat(2_000)),
    ] {
        of(&parse(&html, &Limits::default()));
    }
}

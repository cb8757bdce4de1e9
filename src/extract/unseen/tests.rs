//! What is seen of small pages, and that hostile ones take little.

use proptest::prelude::*;

use super::cascade::{Cascade, HIDDEN, Weighted};
use super::*;
use crate::extract::dom::{Limits, parse};

/// The text that is seen of a page's body.
fn seen(html: &str) -> String {
    let dom = parse(html, &Limits::default());
    let unseen = of(&dom);
    let texts = dom.descend(dom.root()).filter(|&id| unseen.by(id).is_none());
    texts.filter_map(|id| dom.text(id)).collect::<String>().split_whitespace().collect()
}

#[test]
fn inline_declarations() {
    let check = |attributes: &str, expect: &str| {
        let html = format!("<p>a<p {attributes}>b<i>c</i></p><p>d");
        assert_eq!(seen(&html), expect, "{attributes}");
    };
    for gone in [
        "hidden",
        "hidden=until-found",
        "style='DISPLAY:NONE'",
        "style='color:red; display : none'",
        "style='display:none!important;display:block'",
        "style='display:block;display:none'",
        "style='visibility:hidden'",
        "style='visibility:collapse'",
        "style='opacity:0'",
        "style='opacity:0;opacity:banana'",
        "style='font-size:0;font-size:banana'",
        "style='opacity:1%'",
        "style='font-size:0'",
        "style='position:absolute;left:-9999px'",
        "style='position:fixed;top:-200%'",
        "style='text-indent:-9999px'",
        "style='position:absolute;clip:rect(0 0 0 0)'",
    ] {
        check(gone, "ad");
    }
    for there in [
        "",
        "aria-hidden=true",
        "style='display:block'",
        "hidden style='display:block'",
        "style='display:none;display:block'",
        "style='left:-9999px'",
        "style='position:absolute;left:10px'",
        "style='clip:rect(0 0 0 0)'",
        "style='font-size:12px'",
        "style='opacity:0;opacity:var(--shown)'",
        "style='font-size:0;font-size:small'",
        "style='font-size:0;font-size:2vw'",
        "style='backface-visibility:hidden'",
        "style='--display:none'",
        "title='display:none'",
    ] {
        check(there, "abcd");
    }
}

#[test]
fn what_is_set_again_is_seen() {
    for (inside, expect) in [
        ("<div style='visibility:hidden'>a<b style='visibility:visible'>b</b></div>c", "bc"),
        (
            "<div style='font-size:0'>a<b style='font-size:14px'>b</b><i style='font-size:2em'>c</i></div>",
            "b",
        ),
        ("<div style='display:none'>a<b style='display:block'>b</b></div>c", "c"),
        ("<div style='opacity:0'>a<b style='opacity:1'>b</b></div>c", "c"),
        (
            "<div style='visibility:hidden'><p hidden>a</p><b style='visibility:visible'>b</b></div>",
            "b",
        ),
    ] {
        assert_eq!(seen(inside), expect, "{inside}");
    }
}

#[test]
fn what_browsers_do_not_show_themselves() {
    for (html, expect) in [
        ("a<dialog><p>b</dialog>", "a"),
        ("a<dialog open><p>b</dialog>", "ab"),
        ("<style>dialog{display:block}</style>a<dialog>b</dialog>", "ab"),
        ("a<p popover>b", "a"),
        ("a<p data-popover popoverx>b", "ab"),
        ("a<meter value=1>b</meter><progress>c</progress>", "a"),
        ("<style>meter{display:block}</style>a<meter>b</meter>", "a"),
        ("a<math><semantics><mi>x</mi><annotation>b</annotation></semantics></math>", "ax"),
        // A sheet of another type is none.
        ("<style type=text/x>i{display:none}</style>a<i>b</i>", "ab"),
        ("<style type='Text/CSS'>i{display:none}</style>a<i>b</i>", "a"),
    ] {
        assert_eq!(seen(html), expect, "{html}");
    }
}

#[test]
fn sheets_of_the_page() {
    let check = |sheet: &str, expect: &str| {
        let body = "<div class='x y'>a<p id=i>b<q class=z>c</q></p></div>d";
        for html in
            [format!("<style>{sheet}</style>{body}"), format!("{body}<STYLE type=text/css>{sheet}")]
        {
            assert_eq!(seen(&html), expect, "{sheet}");
        }
    };
    check(".x{display:none}", "d");
    check("#i{display:none}", "ad");
    check("p,ul{display:none}", "ad");
    check("div .z{visibility:hidden}", "abd");
    check("div>.z{visibility:hidden}", "abcd");
    check("P#i.no{display:none}", "abcd");
    check(".x{display:none}.y{display:block}", "abcd");
    check(".y{display:block}.x{display:none}", "d");
    check("div.x{display:none}.y{display:block}", "d");
    check(".x{display:none!important}div.y{display:block}", "d");
    check("*{color:red}.nobody{display:none}", "abcd");
    check("@media print{.x{display:none}}", "abcd");
    check("@media screen{.x{display:none}}", "d");
    check("@media (max-width:600px){.x{display:none}}", "abcd");
    check(".x{display:none}@media (min-width:600px){.x{display:block}}", "abcd");
    check("@media (hover:hover){.x{display:none}}", "abcd");
    check(".x{display:none}@media (hover:hover){.x{display:block}}", "abcd");
    check("@supports (display:grid){.x{display:none}}", "d");
    check("@supports not (display:grid){.x{display:none}}", "abcd");
    check("@supports (-ms-ime-align:auto){.x{display:none}}", "abcd");
    check("@supports (display:grid) and (not (display:inline-grid)){.x{display:none}}", "abcd");
    check("@scope (nav){.x{display:none}}", "abcd");
    check(".x:not(.open){display:none}", "d");
    check(".x:not(.y){display:none}", "abcd");
    check(".x{display:none}.x:not(.open){display:block}", "abcd");
    check(".x:not(:banana),.x{display:none}", "abcd");
    check("div[class~=x] > :nth-child(1){display:none}", "ad");
    check(":is(.x,.a) p:has(.z){display:none}", "ad");
    check("p:read-only{display:none}", "abcd");
    check(".x{display:none}.x:hover{display:block}", "d");
    check("div{transform:scale(0)}", "d");
    check(".z{transform:scale(0)}", "abcd");
    check(".z{transform:scale(0);display:inline-block}", "abd");
    check("p{transform:scale(0)}p{transform:none}", "abcd");
    check("p{position:relative;left:-9999px}", "ad");
    check("p{position:relative;left:-400px}", "abcd");
    check(".z{opacity:min(0, 1)}", "abd");
    check("body{display:none}html{visibility:hidden}", "abcd");
}

#[test]
fn sheets_that_do_not_count() {
    let rest = "<div class=x>a</div>";
    for html in [
        format!("<!-- <style>.x{{display:none}}</style> -->{rest}"),
        format!("<script>'<style>.x{{display:none}}</style>'</script>{rest}"),
        format!("<template><style>.x{{display:none}}</style></template>{rest}"),
        format!("<noscript><style>.x{{display:none}}</style></noscript>{rest}"),
        format!("<style media='print'>.x{{display:none}}</style>{rest}"),
        format!("<title><style>.x{{display:none}}</style></title>{rest}"),
        format!("<styled>.x{{display:none}}</styled>{rest}"),
    ] {
        assert!(seen(&html).ends_with('a'), "{html}");
    }
    // A class that a script takes away when it runs says nothing about what is seen.
    let html = "<html class=no-js><style>.no-js .x{display:none}html.no-js .y{display:none}</style>\
                <p class=y>b</p>";
    assert_eq!(seen(html), "b");
}

/// However many rules and elements there are, the work is counted.
#[test]
fn hostile_sheets() {
    let many = |n: usize, f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<String>();
    // A page with more in one tag is refused.
    let attributes = many(4_000, &|n| format!(" data-x{n}=y"));
    let elements = format!(
        "<body{attributes}><i{attributes} id=i class=c>y</i>{}",
        "<p class='a b'>x".repeat(20_000)
    );
    for sheet in [
        many(100_000, &|n| format!(".a{{opacity:0;left:{n}px}}")),
        many(50_000, &|n| format!("div .a.b{n}{{display:none}}")),
        many(50_000, &|n| format!("#i{n} .a{{display:none}}")),
        format!("{}{{display:none}}", ".a ".repeat(100_000)),
        "@media screen{".repeat(100_000),
        format!(".a{{{}}}", "display:none;".repeat(100_000)),
        format!(".a{}{{display:none}}", ":not(".repeat(100_000)),
        format!(".a{}.b{}{{display:none}}", ":is(".repeat(100_000), ")".repeat(100_000)),
        many(50_000, &|n| format!(".b~.c{n}~.a{{display:none}}")),
        format!("p{}p{{display:none}}", "~p".repeat(100_000)),
        many(5_000, &|n| format!("p~p:nth-last-child({n}){{display:none}}")),
        many(5_000, &|n| format!("p~p~p~.a:nth-of-type({n}n){{display:none}}")),
        many(5_000, &|n| format!("[class^=a{n}]{{display:none}}")),
        many(5_000, &|n| format!("[data-a{n}='x' i]{{display:none}}")),
        many(50_000, &|n| format!("[title=a{n}],[data-b{n}]{{display:none}}")),
        many(50_000, &|n| format!(".a:is(.c{n},.d,.e,.f):not(.a,.b,.c){{display:none}}")),
        format!(".a:is({}){{display:none}}", ".b,".repeat(500_000)),
        many(5_000, &|n| format!("body:has(.c{n}) .a{{display:none}}")),
        many(5_000, &|n| format!(":has(.c{n},>.d){{display:none}}")),
        many(5_000, &|n| format!(".a:lang(l{n}){{display:none}}")),
        many(50_000, &|_| "#i.c{display:none}".to_owned()),
        many(3_000, &|n| format!("i~[data-y{n}]{{display:none}}")),
        many(3_000, &|n| format!(":not([data-y{n}])>.q{{display:none}}")),
        format!(".{}{{display:none}}", "\\61 ".repeat(300_000)),
        format!(".a{{left:{}}}", "calc(".repeat(100_000)),
        many(20_000, &|_| format!(".a{{left:{}1px}}", "calc(".repeat(60))),
        many(50_000, &|_| ".a{transform:scale(0) rotate(1deg);inset:0}".to_owned()),
        "(".repeat(1_000_000),
        "{".repeat(1_000_000),
        "/*".repeat(500_000),
        "\\".repeat(1_000_000),
    ] {
        let html = format!("<style>{sheet}</style>{elements}");
        let dom = parse(&html, &Limits::default());
        assert_eq!(dom.limit, None);
        of(&dom);
    }
}

/// The part that readers pay for is the article's: told by its name, or by the page's linked data.
#[test]
fn paid_parts() {
    let named = "<p>a</p><div class='x Paywall__rest' hidden><p>b</p></div><div hidden>c</div>";
    assert_eq!(seen(named), "ab");
    let data = "<script type=application/ld+json>{\"isAccessibleForFree\":false,\"hasPart\":\
                {\"cssSelector\" : \".rest, #more\"}}</script>";
    let page = "<style>.rest{display:none}</style><p>a</p><p class=rest>b</p><p class=rest>c</p>\
                <p id=more style='display:none'>d</p><p hidden>e</p>";
    assert!(seen(&format!("{data}{page}")).ends_with("}}abcd"));
    assert_eq!(seen(page), "a");
}

#[test]
fn parts_that_are_streamed_are_seen() {
    let page = |id: &str| seen(&format!("<p>a<div hidden id={id}>b</div><p>c"));
    assert_eq!((page("S:0"), page("S:1f")), ("abc".into(), "abc".into()));
    assert_eq!((page("S:"), page("S:x"), page("s0")), ("ac".into(), "ac".into(), "ac".into()));
}

/// What a page hides, each element compared with every rule.
fn naive(dom: &Dom) -> Vec<Id> {
    let mut own = Vec::new();
    for id in 0..dom.nodes.len() as Id {
        if dom.element(id).is_none_or(|e| matches!(e.tag, name!("html") | name!("body"))) {
            continue;
        }
        let mut cascade = Cascade::default();
        if dom.value(id, name!("hidden")).is_some() {
            cascade.put(&HIDDEN, false);
        }
        let mut order = 0;
        for (style, sheet) in dom.sheets() {
            let media = dom.value(style, name!("media")).unwrap_or_default();
            css::rules(sheet, &media, &mut |rule| {
                order += 1;
                for selector in selector::list(rule.selectors, 99, |_| true) {
                    let sure = rule.sure && !selector.loose && !selector.of_page();
                    for &declaration in rule.declarations {
                        if (sure
                            || declaration.effect != css::Effect::Hides
                                && declaration.effect != css::Effect::Gone)
                            && selector.matches(dom, id, &[], &mut u64::MAX.clone())
                        {
                            let specificity = selector.specificity;
                            cascade.put(&Weighted { declaration, specificity, order }, false);
                        }
                    }
                }
            });
        }
        if let Some(style) = dom.value(id, name!("style")) {
            css::declarations(&style, &mut |declaration| {
                order += 1;
                cascade.put(&Weighted { declaration, specificity: (0, 0, 0), order }, true);
            });
        }
        let found = cascade.own(native::is_boxed(dom, id));
        if found.hides() && is_paid(dom, id, &declared_paid(dom), &mut u64::MAX.clone()) {
            continue;
        }
        own.push((id, found));
    }
    inherit(dom, &own)
}

/// Elements where what is unseen differs from the naive answer.
fn differences(html: &str) -> Vec<Id> {
    let dom = parse(html, &Limits::default());
    let unseen = of(&dom);
    let expect = naive(&dom);
    let by = |id: Id| expect.get(id as usize).copied().filter(|&by| by != NONE);
    (0..dom.nodes.len() as Id).filter(|&id| unseen.by(id) != by(id)).collect()
}

#[test]
fn an_escaped_class_beside_a_selector_with_an_attribute() {
    let rule = r".\61 ,.b[hidden]{display:block;display:none}";
    let html = format!("<style>@media screen{{{rule}}}</style><div class='b a'>x");
    assert!(differences(&html).is_empty(), "{html}");
}

proptest! {
    #[test]
    fn as_if_every_element_met_every_rule(
        rules in prop::collection::vec(rule(), 0..12),
        elements in prop::collection::vec(element(), 1..12),
    ) {
        let html = format!("<style>{}</style>{}", rules.concat(), elements.concat());
        prop_assert!(differences(&html).is_empty(), "{}", html);
    }
}

fn declaration() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "display:none",
        "display:none!important",
        "display:block",
        "display:block!important",
        "visibility:hidden",
        "visibility:visible",
        "opacity:0",
        "opacity:1",
        "font-size:0",
        "font-size:1em",
        "font-size:9px",
        "position:absolute",
        "position:static",
        "left:-999px",
        "left:0",
        "clip:rect(0,0,0,0)",
        "color:red",
        "position:relative",
        "left:-9999px",
        "inset:0",
        "transform:scale(0)",
        "scale:1",
        "translate:-9999px",
        "display:inline",
        "filter:opacity(0)",
        "zoom:calc(1 / 100)",
    ])
}

fn rule() -> impl Strategy<Value = String> {
    let one = prop::sample::select(vec![
        ".a",
        ".b",
        "#i",
        "#j",
        "p",
        "DIV",
        "*",
        ".a.b",
        "p.a",
        "div .b",
        "div>p",
        "#i .a",
        ".a:not(.b)",
        ".b[hidden]",
        ".a:hover",
        "html.a .b",
        ".\\61 ",
        "p /**/ .a",
        "b",
        ".b > *",
        ".a + .b",
        ".a ~ p",
        "[hidden]",
        "p[class~=a]",
        ":is(.a,#i) b",
        ":where(.a)",
        ".b:not(.a, :has(p))",
        "p:first-child",
        "div:nth-last-of-type(2n) > p",
        ".a:empty",
        ".a:read-only",
        ".a:banana",
        "html.a ~ .b",
    ]);
    let selectors = prop::collection::vec(one, 1..4).prop_map(|list| list.join(","));
    let block = prop::collection::vec(declaration(), 1..4).prop_map(|list| list.join(";"));
    (selectors, block, 0..6).prop_map(|(selectors, block, kind)| match kind {
        0 => format!("@media (hover){{{selectors}{{{block}}}}}"),
        1 => format!("@media screen{{{selectors}{{{block}}}}}"),
        _ => format!("{selectors}{{{block}}}"),
    })
}

fn element() -> impl Strategy<Value = String> {
    let tag = prop::sample::select(vec!["div", "p", "b", "span", "div class=paywall"]);
    let class = prop::sample::select(vec!["", " class=a", " class='b a'", " class='x b'"]);
    let id = prop::sample::select(vec!["", "", " id=i", " id=j", " id=S:1"]);
    let hidden = prop::sample::select(vec!["", "", "", " hidden"]);
    let style = prop_oneof![
        3 => Just(String::new()),
        1 => prop::collection::vec(declaration(), 1..3)
            .prop_map(|list| format!(" style='{}'", list.join(";"))),
    ];
    // Those that end out of turn leave elements in the tree that are older than what is around them.
    let end = prop::sample::select(vec![
        "",
        "</div>",
        "</p>",
        "</div></div>",
        "</b>",
        "<table>",
        "</table>",
    ]);
    (tag, class, id, hidden, style, end).prop_map(|(tag, class, id, hidden, style, end)| {
        format!("<{tag}{class}{id}{hidden}{style}>x{end}")
    })
}

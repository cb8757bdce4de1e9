//! What is seen of small pages.

use super::*;
use crate::extract::dom::{Limits, parse};

/// The text that is seen of a page's body.
pub(super) fn seen(html: &str) -> String {
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
        ("<div style='text-indent:-9999px'>a<p style='text-indent:0'>b</p></div>c", "bc"),
        ("<div style='font-size:0'>a<b style='font:inherit'>b</b></div>c", "c"),
        ("<div style='visibility:hidden'>a<b style='visibility:initial'>b</b></div>c", "bc"),
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
    for hidden in [
        "font-size:1e-9px",
        "font-size:3E-9px",
        "text-indent:-1e5px",
        "position:absolute;left:-1e+6px",
        "margin-left:-1e6px",
        "margin-left:1e6px",
        "height:6e-3px;overflow:hidden",
    ] {
        check(&format!(".x{{{hidden}}}"), "d");
    }
    check(".x{font-size:1e1px}.z{font-size:1em}", "abcd");
    check(".x:not(.open){display:none}", "d");
    check(".x:not(.y){display:none}", "abcd");
    check(".x{display:none}.x:not(.open){display:block}", "abcd");
    check("div[class]>p+q,[id=i]>*{display:none}", "abd");
    check(".x:not(:banana),.x{display:none}", "abcd");
    check("div[class~=x] > :nth-child(1){display:none}", "ad");
    check(":is(.x,.a) p:has(.z){display:none}", "ad");
    check("p:read-only{display:none}", "abcd");
    check("div{transform:scale(0)}", "d");
    check(".z{transform:scale(0)}", "abcd");
    check(".z{transform:scale(0);display:inline-block}", "abd");
    check("p{transform:scale(0)}p{transform:none}", "abcd");
    check("p{position:relative;left:-9999px}", "ad");
    check("p{position:relative;left:-400px}", "abcd");
    check(".z{opacity:min(0, 1)}", "abd");
    check("p:is(.o,#i){display:none}", "ad");
    check("div :nth-child(2){display:none}", "abcd");
    check(".x{display:none}.x:hover{display:block}", "d");
    check("body{display:none}html{visibility:hidden}", "abcd");
}

/// Rules that may show what others hide: they hide it no more, even if not all of them is understood.
#[test]
fn what_may_be_shown_is_seen() {
    let check = |sheet: &str, expect: &str| {
        let html = format!("<style>{sheet}</style><h1>a</h1><p class=x lang=en>b</p>");
        assert_eq!(seen(&html), expect, "{sheet}");
    };
    for shows in [
        "h1~.x",
        "h1+.x",
        ":is(#no,.x)",
        ".x:not(#no)",
        "p[lang].x",
        ".x:nth-child(n)",
        ".x:lang(en)",
        "body:has(h1) .x",
        "p.x:not(:empty)",
    ] {
        check(&format!(".x{{display:none}}{shows}{{display:block}}"), "ab");
    }
    // As specific as what it was told.
    check("[lang]{display:block}p.x{display:none}", "a");
    check("p[lang].x{display:block}p.x{display:none}", "ab");
    check(":where(#i,p).x{display:block}p.x{display:none}", "a");
    check("body{.x{display:block}}.x{display:none}", "ab");
    check(".x{display:none;@media (hover){display:block}}", "ab");
    check(".x{display:none;display:var(--a)}", "ab");
    // What browsers know, or may.
    check(
        ".x{opacity:0}@supports (animation-timeline:view()){.x{animation:fade both;animation-timeline:view()}}@keyframes fade{to{opacity:1}}",
        "ab",
    );
    check(
        ".x{display:none}@supports (grid-template-columns:repeat(auto-fit,minmax(9em,1fr))){.x{display:grid}}",
        "ab",
    );
    check(".x{display:none}@supports (gap:1em 2em){.x{display:grid}}", "ab");
    check(".x{display:none}@supports not selector(:target){.x{display:block}}", "a");
    check(".x{font-size:0}.x{font-size:calc(1rem * pow(1.2,2))}", "ab");
    // What no browser knows.
    check("@supports not (a:b){.x{display:none}}", "a");
    check(".x{display:none}@supports (a:b){.x{display:block}}", "a");
    check(".x{display:none}@supports (gap:b){.x{display:block}}", "a");
    check(".x{display:none}@supports selector(:b){.x{display:block}}", "a");
    check(".x{display:none}@supports (display:grid){.x{display:block}}", "ab");
    check(".x{display:none}@media screen and a(1){.x{display:block}}", "a");
    check(".x{display:none}@media [b]{.x{display:block}}", "a");
    // States that other elements have.
    for state in
        ["checked", "link", "any-link", "disabled", "required", "enabled", "muted", "-webkit-a"]
    {
        check(&format!(".x{{display:none}}.x:{state}{{display:block}}"), "a");
    }
    check(".x{display:none}@namespace 'b';.x{display:block}", "ab");
    check("@namespace 'b';.x{display:none}", "ab");
    check("@namespace b 'b';.x{display:none}", "a");
    check("@namespace 'http://www.w3.org/1999/xhtml';.x{display:none}", "a");
    check("@supports (display:grid){.x{display:none}}", "a");
    check("@scope (h1){.x{display:none}}", "ab");
    check("@scope (body){.x{display:none}}", "a");
    check("@scope (.x){.x{display:none}}", "ab");
    check("@scope (.x){:scope{display:none}}", "a");
    check("@scope (body){:scope>p{display:none}}", "a");
    check("@scope (body) to (.x){.x{display:none}}", "ab");
    // What no browser reads neither shows nor hides.
    check(".x{display:none}.x:banana{display:block}", "a");
    check(".x,.y:banana{display:none}", "ab");
    check(".x{display:none}@media (banana){.x{display:block}}", "a");
    check(".x{display:none}@starting-style{.x{display:block}}", "a");
}

/// Letters that nobody can tell from what is behind them.
#[test]
fn colours_of_letters_and_grounds() {
    for (html, expect) in [
        ("a<p style='color:transparent'>b", "a"),
        ("a<p style='color:rgb(0 0 0 / 0)'>b", "a"),
        ("a<p style='-webkit-text-fill-color:transparent'>b", "a"),
        ("a<p style='color:transparent'>b<i style='color:red'>c</i></p>", "ac"),
        ("a<p style='color:transparent'>b<a href=x>c</a></p>", "ac"),
        // The page is white, if nothing says otherwise.
        ("a<p style='color:#fff'>b", "a"),
        ("a<p><font color=ffffff>b</font>", "a"),
        ("a<p style='color:#fefefe'>b", "a"),
        ("a<p style='color:#999'>b", "ab"),
        ("a<p style='color:#fff;background:#234'>b", "ab"),
        ("a<div style='background:#234'><p style='color:#fff'>b</p></div>", "ab"),
        ("a<div style='background:#234'><p style='color:#fff;background:#fff'>b</p></div>", "a"),
        ("a<div style='background:#234'><p style='color:#234'>b</p></div>", "a"),
        ("a<div style='background:url(x)'><p style='color:#fff'>b</p></div>", "ab"),
        (
            "a<div style='background:linear-gradient(#fff,#fff)'><p style='color:#fff'>b</p></div>",
            "a",
        ),
        ("a<p style='position:absolute;color:#fff'>b", "ab"),
        ("<table bgcolor=black><tr><td>a<td style='color:#eee'>b</table>", "b"),
        ("<style>body{background:#000;color:#eee}</style>a<p style='color:#000'>b", "a"),
        ("<style>body{color:#fff}.x{background:#333}</style>a<p class=x>b", "b"),
        ("<style>.x{color:#ccc}.y{background:#ccc}</style>a<p class='x y'>b", "a"),
        ("<style>.x{color:#fff}p.x{color:#222}</style>a<p class=x>b", "ab"),
        // Letters that a picture paints, or that have a shadow.
        ("a<h2 style='color:transparent;background:url(x);background-clip:text'>b</h2>", "ab"),
        ("a<h2 style='color:transparent;background:#fff;background-clip:text'>b</h2>", "a"),
        ("a<p style='color:#fff;text-shadow:1px 1px #000'>b", "ab"),
        // What it stands on is not known.
        ("<link rel=stylesheet href=x.css>a<p style='color:#fff'>b", "ab"),
        ("<style>@import 'x.css';</style>a<p style='color:#fff'>b", "ab"),
        ("<link rel=stylesheet href=x.css>a<p style='color:#fff;background:#fff'>b", "a"),
        ("<link rel=stylesheet href=x.css><style>.x{color:#0000}</style>a<p class=x>b", "a"),
    ] {
        assert_eq!(seen(html), expect, "{html}");
    }
}

#[test]
fn boxes_without_room() {
    for load in ["", "<link rel=stylesheet href=x.css>"] {
        let check = |sheet: &str, expect: &str| {
            let html = format!("{load}<style>{sheet}</style>a<div class='x y'><p>b</p></div>");
            assert_eq!(seen(&html), expect, "{sheet}");
        };
        check(".x{height:0;overflow:hidden}", "a");
        check(".x{max-height:0;overflow:hidden}", "a");
        check(".x{width:1px;overflow:hidden}", "a");
        check(".x{block-size:0;overflow-y:clip}", "a");
        check(".x{height:0}.y{overflow:hidden}", "a");
        check(".x{contain:strict}", "a");
        check(".x{margin-left:-9999px}", "a");
        check(".x{margin:0 0 0 -9999px}", "a");
        check(".x{letter-spacing:-1em}", "a");
        check(".x{text-indent:100%;white-space:nowrap;overflow:hidden}", "a");
        check(".x{position:fixed;top:100vh}", "a");
        check(".x{letter-spacing:-100%}", "a");
        check(".x{width:0;flex:0 0 auto;overflow:hidden}", "a");
        check(".x{max-height:0;flex:1;overflow:hidden}", "a");
        check(".x{height:0}", "ab");
        check(".x{letter-spacing:-2%}", "ab");
        check(".x{width:1px;flex:1 0 0;overflow:hidden}", "ab");
        check(".x{height:0;flex-basis:9em;overflow:hidden}", "ab");
        check(".x{height:0;overflow:hidden}div.x{height:auto}", "ab");
        check(".x{height:0;overflow:hidden}div.x{overflow:visible}", "ab");
        check(".x{height:0;padding-bottom:56%;overflow:hidden}", "ab");
        check(".x{max-height:0;min-height:2em;overflow:hidden}", "ab");
        check(".x{height:0;overflow:hidden;display:inline}", "ab");
        check(".x{max-height:300px;overflow:hidden}", "ab");
        check(".x{margin:0 -9999px;padding:0 9999px}", "ab");
        check(".x{contain:strict;height:20em}", "ab");
        check(".x{position:absolute;top:100%}", "ab");
        check(".x{position:sticky;left:-9999px}", "ab");
    }
}

#[test]
fn values_by_their_names() {
    for load in ["", "<link rel=stylesheet href=x.css>"] {
        let check = |sheet: &str, expect: &str| {
            let body = "a<div class=x style='--in:hidden'><p class=y>b</p></div>";
            let html = format!("{load}<style>{sheet}</style>{body}");
            assert_eq!(seen(&html), expect, "{sheet}");
        };
        check(":root{--d:none}.y{display:var(--d)}", "a");
        check(".y{--d:none;--D:block;display:var(--d)}", "a");
        check(".y{--d:none!important;--d:block;display:var(--d)}", "a");
        check(":root{--d:none!important}html:root{--d:block}.y{display:var(--d)}", "a");
        check(":root{--d:none}@media (hover){.u{--d:block}}.y{display:var(--d)}", "a");
        check("@media (hover){:root{--d:block}}:root{--d:none}.y{display:var(--d)}", "a");
        check(":root{--d:none}@media (hover){:root{--d:block}}.y{display:var(--d)}", "ab");
        check(".x{--in:visible!important}.y{visibility:var(--in)}", "ab");
        check(".y{display:var(--D)}html{--D:NONE!important}", "a");
        check(".x{--d:0}.y{opacity:var(--d)}", "a");
        check(".y{--d:0px;height:var(--d);overflow:hidden}", "a");
        check(":root{--a:var(--b);--b:0}.y{opacity:calc(var(--a) * 1)}", "a");
        check(".y{visibility:var(--in)}", "a");
        check(":root{--n:-9999px}.y{margin:0 0 0 var(--n)}", "a");
        check(":root{--c:transparent}.y{color:var(--c)}", "a");
        // Set again, or elsewhere.
        check(":root{--d:none}.x{--d:block}.y{display:var(--d)}", "ab");
        check(".q{--d:none}.y{display:var(--d)}", "ab");
        check(":root{--d:none}.y{display:var(--d)}p.y{display:block}", "ab");
        check(":root{--d:none}@media(hover){:root{--d:block}}.y{display:var(--d)}", "ab");
        check(":root{--a:var(--b);--b:var(--a)}.y{opacity:var(--a)}", "ab");
        check(":root{--d:none}.y{display:var(--e)}", "ab");
    }
    let otherwise = "<style>.y{display:var(--d,none)}</style>a<p class=y>b";
    assert_eq!(seen(otherwise), "a");
    assert_eq!(seen(&format!("<link rel=stylesheet href=x>{otherwise}")), "ab");
    // Names may stand for names that the same block gives values.
    assert_eq!(seen("a<p style='--b:var(--a);--a:none;display:var(--b)'>b"), "a");
    assert_eq!(
        seen("<style>:root{--a:var(--b);--b:none}</style>a<p style='display:var(--a)'>b"),
        "a"
    );
    // An attribute may give a value to what a rule uses, or another attribute.
    assert_eq!(
        seen("<style>.y{display:var(--a)}</style>a<div style='--a:none'><p class=y>b</div>"),
        "a"
    );
    assert_eq!(seen("a<div style='--a:none'><p style='display:v\\61r(--a)'>b</div>"), "a");
    assert_eq!(seen("a<div style='--a:none'><p style='padding:var(--a)'>b</div>"), "ab");
    // The root is called html.
    for (sheet, expect) in [
        ("x-y:root{--a:none}", "ab"),
        ("p:root{--a:none}", "ab"),
        ("p:scope{--a:none}", "ab"),
        (":is(p:root,p:scope){--a:none}", "ab"),
        ("html:root{--a:none}", "a"),
        ("HTML:scope{--a:none}", "a"),
        ("*:root{--a:none}", "a"),
        (":not(p:root){--a:none}", "a"),
    ] {
        let html = format!("<style>*{{display:var(--a)}}{sheet}</style>a<p>b");
        assert_eq!(seen(&html), expect, "{sheet}");
    }
    assert_eq!(seen("<style>:root{--w:#fff}.y{color:var(--w)}</style>a<p class=y>b"), "a");
}

#[test]
fn layers_are_ordered() {
    let check = |sheet: &str, expect: &str| {
        assert_eq!(seen(&format!("<style>{sheet}</style>a<p class=x>b")), expect, "{sheet}");
    };
    let (gone, shown) = (".x{display:none}", ".x{display:block}");
    check(&format!("@layer l{{{gone}}}"), "a");
    check(&format!("{shown}@layer l{{{gone}}}"), "ab");
    check(&format!("{gone}@layer l{{{shown}}}"), "a");
    check(&format!("@layer k,l;@layer l{{{shown}}}@layer k{{{gone}}}"), "ab");
    check(&format!("@layer l,k;@layer l{{{shown}}}@layer k{{{gone}}}"), "a");
    check(&format!("@layer l{{@layer m{{{gone}}}}}"), "ab");
    check("@layer l{.x{display:block!important}}.x{display:none!important}", "ab");
}

#[test]
fn nested_rules() {
    let check = |sheet: &str, expect: &str| {
        let html = format!("<style>{sheet}</style><div class=o>a<p class='x y'>b</p></div>");
        assert_eq!(seen(&html), expect, "{sheet}");
    };
    check(".o{& .x{display:none}}", "a");
    check(".o{.x{display:none}}", "a");
    check(".o{>.x{display:none}color:red}", "a");
    check(".o,.q{.q,.x{display:none}}", "a");
    check(".x{&.y{display:none}}", "a");
    check(".x{.o &{display:none}}", "a");
    check(".q{.x{display:none}}", "ab");
    check(".x{.x{display:none}}", "ab");
    check("div{.q &{.x{display:none}}}", "ab");
    check("div{&.o{.x{display:none}}}", "a");
    check(".x{@media screen{display:none}}", "a");
    check("body.a{.x{display:none}}", "ab");
    // What others are nested in may name what is not there.
    check(".absent,.o{.x{display:none}}", "a");
    check(".o,.absent{.x{display:none}}", "a");
    check(".absent,.o{& .x{display:none}}", "a");
    check(".absent,.x{&.y{display:none}}", "a");
    check(".absent{.x:not(&){display:none}}", "a");
    check(".absent{.q{.x:not(&){display:none}}}", "a");
    check(".absent{&,.x{display:none}}", "ab");
    check(".absent{.x:is(&,.y){display:none}}", "a");
}

#[test]
fn what_an_animation_comes_to() {
    let check = |sheet: &str, expect: &str| {
        assert_eq!(seen(&format!("<style>{sheet}</style>a<p class=x>b")), expect, "{sheet}");
    };
    let fade = "@keyframes f{to{opacity:1;visibility:visible}}";
    check(&format!("{fade}.x{{opacity:0;animation:f 1s forwards}}"), "ab");
    check(
        &format!("{fade}.x{{visibility:hidden;animation-name:f;animation-fill-mode:both}}"),
        "ab",
    );
    check(&format!("{fade}.x{{visibility:hidden;animation:g 1s,f 1s both}}"), "ab");
    // Afterwards it is as before.
    check(&format!("{fade}.x{{opacity:0;animation:f 1s}}"), "a");
    check(&format!("{fade}.x{{opacity:0;animation:none}}"), "a");
    check(&format!("{fade}.x{{display:none;animation:f 1s both}}"), "a");
    check(&format!("{fade}.x{{transform:scale(0);animation:f 1s both}}"), "a");
    // An animation of a sheet that is loaded may do anything.
    check(".x{opacity:0;animation:g 1s forwards}", "ab");
    // It may hide as well.
    let out = "@-webkit-keyframes f{from{opacity:1}to{opacity:0}}";
    check(&format!(".x{{animation:f 0s forwards}}{out}"), "a");
    check(&format!(".x{{animation:f 1s infinite}}{out}"), "ab");
    check(&format!(".x{{animation:f 1s}}{out}"), "ab");
    check(".x{animation:1s k infinite}@keyframes k{from,to{visibility:hidden}}", "a");
    // What is important is above it (CSS Cascading Level 5 §6.1), and nothing in it is.
    check(&format!("{fade}.x{{opacity:0!important;animation:f 1s forwards}}"), "a");
    check(".x{visibility:hidden!important;animation:g 1s forwards}", "a");
    check(&format!(".x{{opacity:1!important;animation:f 0s forwards}}{out}"), "ab");
    check("@keyframes f{to{opacity:1!important}}.x{opacity:0;animation:f 1s both}", "a");
    check("@keyframes f{to{opacity:0!important}}.x{animation:f 1s both}", "ab");
}

#[test]
fn what_is_passed_over_is_told() {
    let many = |n: usize, part: fn(usize) -> String| (0..n).map(part).collect::<String>();
    for (sheet, full) in [
        (".a{.b{.c{display:none}}}".to_owned(), false),
        (format!("{}display:none{}", "p{".repeat(6), "}".repeat(6)), true),
        (format!("{}p{{display:none}}", "@media screen{".repeat(17)), true),
        (format!("{}p{{display:none}}", "@media print{".repeat(17)), false),
        (many(256, |n| format!("@layer l{n};")), false),
        (many(257, |n| format!("@layer l{n};")), true),
        (many(1_000, |n| format!("@keyframes k{n}{{}}")), false),
        (many(1_001, |n| format!("@keyframes k{n}{{}}")), true),
    ] {
        let html = format!("<style>{sheet}</style><p>a");
        let dom = parse(&html, &Limits::default());
        assert_eq!(of(&dom).full, full, "{sheet:.60}");
    }
}

/// What browsers hide by their own sheet, and what the page makes of it.
#[test]
fn what_browsers_do_not_show() {
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
        ("<style>.x{display:block}</style>a<p hidden class=x>b", "ab"),
        ("a<div><template shadowrootmode=open><i>s</i></template><p>b</p>c</div>", "as"),
        ("a<div><template shadowrootmode=open><slot></slot></template><p>b</p>c</div>", "abc"),
        (
            "a<div><template shadowrootmode=open><slot name=n></template><p slot=n>b</p>c</div>d",
            "abd",
        ),
        ("a<div><template><i>s</i></template><p>b</p></div>", "asb"),
        // MathML draws the first child alone, and letters only in tokens.
        ("a<math><semantics><mi>x</mi><mtext>b</mtext></semantics></math>", "ax"),
        ("a<math><maction>y<mi>x</mi><mtext>b</mtext></maction></math>", "ax"),
        ("a<math><mphantom><mtext>b</mtext></mphantom><mi>x</mi></math>", "ax"),
        ("a<math>b<mrow>c<mi>x</mi></mrow><mspace>d</mspace><mtext>e</mtext></math>f", "axef"),
        ("a<math><mtext mathsize=0>b</mtext><mtext mathsize=2em>c</mtext></math>", "ac"),
        ("a<math><mtext>b<p><semantics><i>c</i><i>d</i></semantics></mtext></math>", "abcd"),
    ] {
        assert_eq!(seen(html), expect, "{html}");
    }
}

/// Which templates make shadow roots, and which slots take something.
#[test]
fn shadow_roots_and_their_slots() {
    for (html, expect) in [
        // No root: another mode, a host that cannot have one, a second one.
        ("a<div><template shadowrootmode=other><i>s</i></template><p>b</p></div>", "ab"),
        ("a<div><template shadowrootmode><i>s</i></template><p>b</p></div>", "ab"),
        ("a<div><template shadowrootmode=CLOSED><i>s</i></template><p>b</p></div>", "as"),
        ("a<ul><template shadowrootmode=open><i>s</i></template><li>b</ul>", "ab"),
        ("a<x-y><template shadowrootmode=open><i>s</i></template><p>b</p></x-y>", "as"),
        ("a<xy><template shadowrootmode=open><i>s</i></template><p>b</p></xy>", "ab"),
        (
            "a<div><template shadowrootmode=open><slot></slot></template>\
             <template shadowrootmode=open><i>s</i></template><p>b</p></div>",
            "ab",
        ),
        // Slots that are hidden, or are none.
        ("a<div><template shadowrootmode=open><slot hidden></slot></template><p>b</p></div>", "a"),
        (
            "a<div><template shadowrootmode=open><p style='opacity:0'><b><slot></slot></b></p></template>b</div>",
            "a",
        ),
        (
            "a<div><template shadowrootmode=open><dialog><slot></slot></dialog></template>b</div>",
            "a",
        ),
        ("a<div><template shadowrootmode=open><video><slot></slot></video></template>b</div>", "a"),
        (
            "a<div><template shadowrootmode=open><template><slot></slot></template></template>b</div>",
            "a",
        ),
        (
            "a<div><template shadowrootmode=open><template><slot></slot></template><slot></slot>\
             </template>b</div>",
            "ab",
        ),
    ] {
        assert_eq!(seen(html), expect, "{html}");
    }
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
        format!("<style type='text/x'>.x{{display:none}}</style>{rest}"),
        format!("<styled>.x{{display:none}}</styled>{rest}"),
    ] {
        assert!(seen(&html).ends_with('a'), "{html}");
    }
    // A class that a script takes away when it runs says nothing about what is seen.
    let html = "<html class=no-js><style>.no-js .x{display:none}html.no-js .y{display:none}</style>\
                <p class=y>b</p>";
    assert_eq!(seen(html), "b");
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

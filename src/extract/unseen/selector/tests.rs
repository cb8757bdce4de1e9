//! What selectors match on small pages.

use proptest::prelude::*;

use super::*;
use crate::extract::dom::{Limits, parse as page};

/// Ids of the elements that any selector of a list matches.
fn matched(html: &str, list: &str) -> Vec<String> {
    let dom = page(html, &Limits::default());
    let selectors: Vec<Selector> = parts(list).filter_map(|text| selector(text, None)).collect();
    let mut budget = 10_000;
    let found = dom.descend(dom.root()).filter(|&id| {
        dom.element(id).is_some() && selectors.iter().any(|s| s.matches(&dom, id, &[], &mut budget))
    });
    found.map(|id| dom.attr(id, "id").unwrap_or_default().into_owned()).collect()
}

#[test]
fn long_attributes_use_up_the_budget_and_without_it_nothing_matches() {
    let html = format!("<div id=a class='{}x'>", "y ".repeat(10_000));
    let dom = page(&html, &Limits::default());
    let id = dom.descend(dom.root()).find(|&id| dom.name(id) == "div").expect("is there");
    let selector = selector(".x", None).expect("a selector");
    let mut budget = 300;
    assert!(selector.matches(&dom, id, &[], &mut budget));
    assert_eq!(budget, 0);
    assert!(!selector.matches(&dom, id, &[], &mut budget));
}

/// Attributes that are passed on the way to the one that is asked for are counted, too.
#[test]
fn many_attributes_use_up_the_budget() {
    let many: String = (0..1_000).map(|n| format!(" data-x{n}=y")).collect();
    let html = format!("<div{many} lang=de id=i class=c><p class=a>");
    let dom = page(&html, &Limits::default());
    let of = |tag: &str| dom.descend(dom.root()).find(|&id| dom.name(id) == tag);
    for (text, tag) in [(".a:lang(de)", "p"), ("#i.c", "div"), ("[title].c", "div"), ("#i p", "p")]
    {
        let (id, selector) =
            (of(tag).expect("is there"), selector(text, None).expect("a selector"));
        let mut budget = 1_000_000;
        selector.matches(&dom, id, &[], &mut budget);
        assert!(budget <= 999_000, "{text}: {budget}");
    }
}

#[test]
fn names_of_many_escapes_are_read() {
    let name = "\\79".repeat(1_000_000);
    let html = format!("<div class='{}' id=a></div>", "y".repeat(1_000_000));
    assert_eq!(matched(&html, &format!(".{name}")), ["a"]);
}

#[test]
fn tags_classes_ids_and_what_is_around_them() {
    let html = "<div id=a class='x y'><p id=b class=y lang=de-AT><b id=c></b></p></div><p id=d class=x\\:z>";
    for (list, expect) in [
        (".y", &["a", "b"][..]),
        // White space of any kind ends an escape and belongs to it.
        (".\\79\u{c}", &["a", "b"]),
        (".\\79\r.x", &["a"]),
        (".\\79 .x", &["a"]),
        (".x.y", &["a"]),
        ("p", &["b", "d"]),
        ("P.y", &["b"]),
        ("#c, #d", &["c", "d"]),
        ("div .y", &["b"]),
        (".x > .y", &["b"]),
        (".x > b", &[]),
        (".x b", &["c"]),
        (".x /**/ p>b", &["c"]),
        (".y:first-child", &["a", "b"]),
        (".y:last-child", &["b"]),
        ("body > :nth-child(2n)", &["d"]),
        ("body > :nth-child(-n + 1)", &["a"]),
        ("p:nth-last-of-type(1)", &["b", "d"]),
        (".y[hidden]", &[]),
        ("[class]", &["a", "b", "d"]),
        ("[CLASS='y']", &["b"]),
        ("[class~=y]", &["a", "b"]),
        ("[class^=x],[class$='Y' i]", &["a", "b", "d"]),
        ("[class*='']", &[]),
        (".y:not(.x,.z)", &["b"]),
        (".y:not(:hover)", &["a", "b"]),
        (".y:not(..z)", &[]),
        (":is(#b, .y .y, :hover)", &["b"]),
        (":where(#b) > :not(p)", &["c"]),
        (".y:dir(ltr)", &["a", "b"]),
        (".y:dir(rtl)", &[]),
        (".y:dir(banana)", &[]),
        (".y:lang(en)", &[]),
        (".y:lang(de)", &["b"]),
        (".y:has(b)", &["a", "b"]),
        (".y:has(> b)", &["b"]),
        (".y:not(:has(p))", &["b"]),
        (".y:has(+ i)", &["a", "b"]),
        ("p:empty", &["d"]),
        ("b:only-child", &["c"]),
        (".y:banana", &[]),
        (".y:read-only", &["a", "b"]),
        (".1", &[]),
        (".y:hover, .y::before", &[]),
        (".a + .y", &[]),
        (".x + p", &["d"]),
        ("div ~ p, p ~ div", &["d"]),
        ("div + p b", &[]),
        ("> p", &[]),
        ("p >", &[]),
        ("p > + b", &[]),
        ("..y", &[]),
        (".", &[]),
        ("", &[]),
        (".\\79", &["a", "b"]),
        (".\\79 , q", &["a", "b"]),
    ] {
        assert_eq!(matched(html, list), expect, "{list}");
    }
    let read = |text| selector(text, None).map(|s| (s.specificity, s.loose, s.of_page()));
    assert_eq!(read("#a .b c:not(d)"), Some(((1, 1, 2), false, false)));
    assert_eq!(read("a:is(#b,.c)[d]:where(.e)"), Some(((1, 1, 1), false, false)));
    assert_eq!(read("a:open:not(b:empty)"), Some(((0, 2, 2), true, false)));
    assert_eq!(read("a:not(html.js *)").map(|read| read.1), Some(true));
    assert_eq!(read("html.js .b"), Some(((0, 2, 1), false, true)));
}

/// `row`: compounds with their combinators, from right to left; every way is tried.
fn naive(dom: &Dom, id: Id, row: &[(char, &str)]) -> bool {
    let Some(((joint, compound), rest)) = row.split_first() else { return true };
    let named = |id: &Id| dom.value(*id, name!("class")).is_some_and(|class| class == *compound);
    let before = || {
        let all = std::iter::successors(dom.prev_sibling(id), |&id| dom.prev_sibling(id));
        all.filter(|&id| dom.element(id).is_some())
    };
    let candidates: Vec<Id> = match joint {
        ' ' => dom.ancestors(id).collect(),
        '>' => dom.parent(id).into_iter().collect(),
        '+' => before().take(1).collect(),
        _ => before().collect(),
    };
    candidates.into_iter().filter(named).any(|id| naive(dom, id, rest))
}

proptest! {
    #[test]
    fn rows_match_as_if_every_way_were_tried(
        row in prop::collection::vec((prop::sample::select(vec![' ', '>', '+', '~']), prop::sample::select(vec!["a", "b", "c"])), 0..5),
        tags in prop::collection::vec(prop::sample::select(vec!["<p class=a>", "<p class=b>", "<p class=c>", "</p>", "x"]), 0..24),
    ) {
        let html = tags.concat().replace('p', "div");
        let dom = page(&html, &Limits::default());
        let text = row.iter().rev().map(|(joint, name)| format!(".{name}{joint}")).collect::<String>();
        let read = selector(&format!("{text}.a"), None).expect("a selector");
        for id in 0..dom.nodes.len() as Id {
            let is_last = dom.value(id, name!("class")).is_some_and(|class| class == "a");
            let found = read.matches(&dom, id, &[], &mut 1_000_000);
            prop_assert_eq!(found, is_last && naive(&dom, id, &row), "{} {}", text, id);
        }
    }

    #[test]
    fn any_selector_ends(text in "[a-c.#:()\\[\\]>+~*& =\"'\\\\n0-9-]{0,60}|(:not\\(|:is\\(|:nth-child\\(|\\)|a|,|&){0,30}") {
        for scope in [false, true] {
            let list: List = selector(".a", None).into_iter().collect();
            selector(&text, Some(&Parents { list, scope }));
        }
        list(&text, None, 3, |part| part.len() % 2 == 0);
    }
}

proptest! {
    #[test]
    fn what_is_told_from_the_end_is_what_is_read(text in "[a-c.#:()\\[\\]>+~*& =\"'\\\\n0-9-]{0,30}|(\\.a|#b|c| |>|:not\\(|:is\\(|:host\\(|:lang\\(|::slotted\\(|\\)|\\[|\\]|\\[b\\]|=|\"|'|/\\*|\\*/|:empty|:hover|\\\\|&){0,12}") {
        let text = text.trim_ascii();
        let last = last_name(text);
        let Some(Selector { last: read, .. }) = selector(text, None) else { return Ok(()) };
        let found = match last {
            Last::Name(b'.', name) => read.classes.iter().any(|class| *class == *name),
            Last::Name(b'#', name) => read.ids.iter().any(|id| *id == *name),
            Last::Name(_, name) => read.tag.is_some_and(|tag| tag.eq_ignore_ascii_case(&name)),
            Last::Never => false,
            Last::Any => true,
        };
        prop_assert!(found, "{}", text);
    }
}

#[test]
fn names_behind_states_attributes_and_arguments_are_told() {
    let told = |text| match last_name(text) {
        Last::Name(sign, name) => format!("{}{name}", char::from(sign)),
        Last::Never => "never".to_owned(),
        Last::Any => "any".to_owned(),
    };
    for (text, name) in [
        (".a", ".a"),
        ("b #a", "#a"),
        ("b > A", " A"),
        ("b+a:first-child", " a"),
        (".a:not(.b,:is(c, d)):nth-child(2n + 1)", ".a"),
        (".a[b='c d' i][e]", ".a"),
        ("#a:is(.b):not([c])", "#a"),
        (".a:hover", "never"),
        (".a:hover:not(b)", "never"),
        (".a:not(b[c=\")\"])", ".a"),
        (".a:not(/*(*/b)", ".a"),
        (".a\\:not(b)", "any"),
        (".md\\:a", ".md:a"),
        ("b .\\31 0:not(c)", ".10"),
        (".a :not(b", "any"),
        ("*.a&", "any"),
        (".a::before", "never"),
        (".a::slotted(b)", "any"),
        (":host(.a)", "any"),
        (":is(.a)", "any"),
        ("[a='.b[c']", "any"),
        ("[a='.b['][c='']", "any"),
        ("*", "any"),
    ] {
        assert_eq!(told(text), name, "{text}");
    }
}

/// One part that browsers do not read spoils the list.
#[test]
fn lists_that_are_none() {
    for (text, read) in [
        ("a", 1),
        (".a, .b-c #d", 2),
        ("a:hover,b::before", 0),
        ("a,b:hover,c > .d:focus", 1),
        ("a:is(:banana)", 1),
        ("a:has(+ b)", 1),
        ("[a],*", 2),
        ("a:banana", 0),
        (".a, b:-moz-focusring", 0),
        (".a,,b", 0),
        ("a,..a", 0),
        ("a,.1", 0),
        ("a,> a", 0),
        ("a,a >", 0),
        ("a,a>>b", 0),
        ("a,a:not(:banana)", 0),
        ("a,b::banana", 0),
        ("a,b::hover", 0),
        ("a,b:placeholder", 0),
        ("a,b:hover:banana", 0),
        ("a,b::before.c", 0),
        ("a,b::before c", 0),
        ("a,b::before:hover", 0),
        ("a,b:first-line:is(:hover)", 0),
        ("a,b::file-selector-button:hover", 1),
        ("a,b::before,c:hover", 1),
        ("a,b::-webkit-banana", 1),
        ("a,::slotted(b)", 1),
        ("a,b:before", 1),
        ("a,b:not(::before)", 0),
        ("a,b:is(::before,:hover)", 2),
        ("a,b:hover(c)", 0),
        ("a,b:empty(c)", 0),
        ("a,b:is", 0),
        ("a,b:lang", 0),
        ("a,b:lang(en, de)", 2),
        ("a,b:nth-child", 0),
        ("a,b:nth-child(c)", 0),
        ("a,b:first-child(2)", 0),
        ("a,b:banana-child", 0),
        ("a,b:nth-child(2 of .c)", 2),
        ("a,b:seeking", 0),
        ("a,b:optional", 2),
        ("a,i:horizontal", 1),
        ("a,b::-webkit-scrollbar-button:end:increment", 1),
        ("a,b::view-transition-group-children(c)", 1),
        ("a,b::cue-region", 0),
        ("a,.-1", 0),
        ("a,-", 0),
        ("a,#-1", 0),
        ("a,.--b", 2),
        ("a,[]", 0),
        ("a,[=b]", 0),
        ("a,[b=]", 0),
        ("a,[b=1]", 0),
        ("a,[b c]", 0),
        ("a,[1]", 0),
        ("a,[b='1' x]", 0),
        ("a,[b='1' i]", 2),
        ("a,[b=\"1]\"]", 2),
        ("a,[xml\\:lang]", 2),
        ("a,[*|b]", 2),
        ("a,*|b", 2),
        ("a,b|c", 2),
        ("a,b!c", 0),
        ("[b='['],a", 2),
        ("[b=','],a", 2),
        ("[b='\\',['],a", 2),
        (".b\\,c,a", 2),
        ("a/*,*/,b", 2),
        ("a/*(*/,b", 2),
    ] {
        assert_eq!(list(text, None, 9, |_| true).len(), read, "{text}");
        let first = parts(text).next().unwrap_or_default();
        let one = list(text, None, 9, |part| part == first);
        assert_eq!(one.len(), read.min(usize::from(selector(first, None).is_some())), "{text}");
        assert_eq!(list(text, None, 1, |_| true).len(), read.min(1), "{text}");
    }
}

/// A state is asked for once in a compound, and what it stands for counts as its arguments.
#[test]
fn states_asked_for_again() {
    for (text, arguments) in [
        ("p:link", 2),
        ("p:link:link", 2),
        ("p:link:any-link", 4),
        ("p:link>p:link", 4),
        ("p:state(a)", 0),
        (&format!("p{}", ":valid".repeat(1_000_000)), 10),
    ] {
        let found = selector(text, None).map(|selector| selector.arguments);
        assert_eq!(found, Some(arguments), "{:.20}", text);
    }
}

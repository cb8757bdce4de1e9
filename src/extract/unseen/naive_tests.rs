//! What is hidden is what would be if every element met every rule.

use proptest::prelude::*;

use super::cascade::{Cascade, HIDDEN, NO_LAYER, Weighted};
use super::css::{Declaration, Effect};
use super::*;
use crate::extract::dom::{Limits, parse};

fn stands_alone(dom: &Dom) -> bool {
    written::stands_alone(dom, &written::sheets(dom).sheets)
}

/// What a page hides, each element compared with every rule.
fn naive(dom: &Dom) -> Vec<Id> {
    let mut own = Vec::new();
    for id in 0..dom.nodes.len() as Id {
        if dom.element(id).is_none() {
            continue;
        }
        let mut cascade = Cascade::default();
        if let Some(native) = native::declaration(dom, id) {
            cascade.put(&native, false);
        }
        native::paints(dom, id, &mut |weighted| cascade.put(&weighted, false));
        let mut order = 0;
        for (style, sheet) in dom.sheets() {
            let media = dom.value(style, name!("media")).unwrap_or_default();
            let whole = css::Whole { counts: css::applies(&media), ..css::WHOLE };
            css::rules(sheet, whole, css::Reading::All, |_, _| true, &mut |part| {
                let css::Part::Rule(rule) = part else { return };
                order += 1;
                for selector in selector::list(rule.selectors, None, 99, |_| true) {
                    let sure = rule.sure && !selector.loose && !selector.of_page();
                    for &declaration in rule.declarations {
                        if (sure || !declaration.effect.hides())
                            && selector.matches(dom, id, &[], &mut u64::MAX.clone())
                        {
                            let may_be = !sure && matches!(declaration.effect, Effect::Painted(_));
                            let effect = if may_be { Effect::Shows } else { declaration.effect };
                            let declaration = Declaration { effect, ..declaration };
                            let (specificity, layer) = (selector.specificity, NO_LAYER);
                            let weighted = Weighted { declaration, layer, specificity, order };
                            cascade.put(&weighted, false);
                        }
                    }
                }
            });
        }
        let mut painted = paint::Own::default();
        if let Some(style) = dom.value(id, name!("style")) {
            css::declarations(&style, css::Reading::All, &mut |declaration| {
                painted.add(declaration.property, declaration.effect);
                order += 1;
                cascade.put(&Weighted { declaration, order, ..HIDDEN }, true);
            });
        }
        let mut found = cascade.own(native::is_boxed(dom, id), |_| None);
        if !stands_alone(dom) {
            found.colours = found.colours.beside_others(painted);
        }
        let page = Own { colours: found.colours, ..Own::default() };
        let found = if is_page(dom, id) { page } else { found };
        if found.hides() && is_paid(dom, id, &declared_paid(dom), &mut u64::MAX.clone()) {
            continue;
        }
        own.push((id, found));
    }
    inherit(dom, &own, Letters::of_page(stands_alone(dom)))
}

/// Elements where what is unseen differs from the naive answer.
fn differences(html: &str) -> Vec<Id> {
    let dom = parse(html, &Limits::default());
    let unseen = of(&dom);
    let expect = naive(&dom);
    let by = |id: Id| expect.get(id as usize).copied().filter(|&by| by != NONE);
    // Of others it is not always told.
    let has_text = |id| !dom.text_of(id).trim_ascii().is_empty();
    (0..dom.nodes.len() as Id).filter(|&id| has_text(id) && unseen.by(id) != by(id)).collect()
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
        loads in prop::sample::select(vec!["", "<link rel=stylesheet href=x>"]),
    ) {
        let html = format!("{loads}<style>{}</style>{}", rules.concat(), elements.concat());
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
        "transform:scale(0)",
        "animation:a 1s",
        "position:relative",
        "left:-9999px",
        "inset:0",
        "scale:1",
        "translate:-9999px",
        "display:inline",
        "filter:opacity(0)",
        "zoom:calc(1 / 100)",
        "color:#fff",
        "color:#000",
        "color:transparent",
        "color:inherit",
        "background:#fff",
        "background-color:#000",
        "background:url(x)",
        "background-clip:text",
        "height:0",
        "max-height:9em",
        "width:1px",
        "overflow:hidden",
        "padding:1em",
        "margin-left:-9999px",
        "flex:1",
        "flex-basis:0",
        "contain:strict",
        "letter-spacing:-1em",
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
        "[class]",
        "p+.a",
        ".a + .b",
        ".a ~ p",
        "[hidden]",
        "p[class~=a]",
        ":is(p,#i)>b",
        ":is(.a,#i) b",
        ":where(.a)",
        ".b:not(.a, :has(p))",
        "p:first-child",
        "p:nth-child(2)",
        "div:nth-last-of-type(2n) > p",
        ".b:lang(en)",
        ".a:empty",
        ".a:read-only",
        ".a:banana",
        "html.a ~ .b",
        ".a:hover",
        "html.a .b",
        ".\\61 ",
        "p /**/ .a",
        "b",
        ".b > *",
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
    let tag = prop::sample::select(vec![
        "div",
        "p",
        "b",
        "span",
        "div class=paywall",
        "a href=x",
        "mark",
        "td bgcolor=fff",
    ]);
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

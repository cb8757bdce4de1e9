use super::*;

/// The tree as nested tag names, with text in quotes.
fn shape(dom: &Dom, id: Id) -> String {
    let mut out = String::new();
    for child in dom.children(id) {
        match dom.nodes[child as usize].kind() {
            Kind::Text => out.push_str(&format!("{:?}", dom.text(child).unwrap_or(""))),
            Kind::Comment => out.push('!'),
            Kind::Element => {
                out.push_str(dom.name(child));
                let inner = shape(dom, child);
                if !inner.is_empty() {
                    out.push_str(&format!("({inner})"));
                }
            }
            Kind::Document => {}
        }
        out.push(' ');
    }
    out.trim_end().to_owned()
}

fn check(html: &str, expect: &str) {
    let dom = parse(html, &Limits::default());
    let body = dom.descend(0).find(|&n| dom.name(n) == "body").expect("every tree has a body");
    assert_eq!(shape(&dom, body), expect, "{html}");
    assert_eq!(dom.limit, None);
}

#[test]
fn trees_are_those_of_the_html_standard() {
    check("a<p>b<p>c", r#""a" p("b") p("c")"#);
    check("<b>1<p>2</b>3", r#"b("1") p(b("2") "3")"#);
    check("<table>x<tr><td>y", r#""x" table(tbody(tr(td("y"))))"#);
    check("x<noscript><p>n</noscript>", r#""x" noscript(p("n"))"#);
    check("<p>a<!-- x -->b", r#"p("a" ! "b")"#);
}

#[test]
fn scripts_styles_and_drawings_leave_no_text() {
    check("y<script>var a='<p>';</script>z", r#""y" script "z""#);
    check("y<script><!-- <script> </script> --></script>z", r#""y" script "z""#);
    check("<p title='<script>'>a</p><script>b</script>c", r#"p("a") script "c""#);
    check("<textarea><script></textarea>c<script>x</script>", r#"textarea("<script>") "c" script"#);
    check("y<style>a{}</style>x<STYLE>b</STYLE>", r#""y" style "x" style"#);
    check("a<svg><path d=''/><g></g></svg>b", r#""a" svg "b""#);
    check("a<svg><g><p>x</svg>b", r#""a" svg(g) p("xb")"#);
    check("y<script>unfinished", r#""y" script"#);
    let html = "<body><script type='application/ld+json'>{\"a\":1}</script>";
    check(html, r#"script("{\"a\":1}")"#);
}

#[test]
fn deep_pages_stop_at_the_limit_and_stay_fast() {
    let limits = Limits { depth: 64, ..Limits::default() };
    for (start, open) in
        [("", "<div>"), ("", "<b>"), ("", "<a><b>"), ("<math>", "<style>"), ("<math>", "<area>")]
    {
        let html = format!("{start}{}", open.repeat(20_000));
        let dom = parse(&html, &limits);
        let deepest = dom.descend(0).map(|n| dom.ancestors(n).count()).max();
        assert!(deepest < Some(80), "{open}: {deepest:?}");
        assert_eq!(dom.limit.as_deref(), Some("more than 64 elements deep"), "{open}");
    }
    let html = format!("{}x{}<p>y", "<i>".repeat(99), "</i>".repeat(99));
    let dom = parse(&html, &limits);
    assert_eq!(dom.text_of(0), "xy");
}

#[test]
fn nodes_and_bytes_are_limited() {
    let html = "<p>x".repeat(10_000);
    let dom = parse(&html, &Limits { nodes: 1_000, ..Limits::default() });
    assert!(dom.nodes.len() < 1_020);
    assert_eq!(dom.limit.as_deref(), Some("too many nodes"));
    let dom = parse("<p>äöü", &Limits { bytes: 6, ..Limits::default() });
    assert_eq!(dom.text_of(0), "ä");
    assert_eq!(dom.limit.as_deref(), Some("more than 6 bytes of text"));
}

#[test]
fn attributes_of_a_page_are_limited() {
    let tag: String = (0..3_000).map(|i| format!(" a{i}")).collect();
    let page = format!("<p{tag}>").repeat(30);
    let dom = parse(&page, &Limits::default());
    assert!(dom.limit.is_some());
    let one_tag: String = (0..300_000).map(|i| format!(" a{i}")).collect();
    let html = format!("<i>x</i><p{one_tag}>y");
    let dom = parse(&html, &Limits::default());
    assert_eq!(dom.limit.as_deref(), Some("a tag of more than 4096 attributes"));
    assert_eq!(dom.text_of(0), "x");
    let value = "<b a b c> ".repeat(50_000);
    for long in [format!("<p title='{value}'>y"), format!("<!--{value}-->y")] {
        let dom = parse(&long, &Limits::default());
        assert_eq!((dom.text_of(0).as_str(), dom.limit), ("y", None));
    }
}

#[test]
fn walking_stays_below_the_top() {
    let dom = parse("<div id=a><p>1<b>2</b></div><p>3", &Limits::default());
    let a = dom.descend(0).find(|&n| dom.attr(n, "id").as_deref() == Some("a")).expect("is there");
    assert_eq!(dom.text_of(a), "12");
    assert_eq!(dom.descend(a).count(), 4);
    let last = dom.descend(a).last().expect("not empty");
    assert_eq!(dom.descend(last).count(), 0);
}

proptest::proptest! {
    #[test]
    fn any_text_has_a_sound_tree(html in "(<(/?(p|b|a|table|tr|td|svg|math|script|style|select|option|template|li|x)( a=b)?/?)>|<!--|-->|[a-z< ]|é){0,60}") {
        let dom = parse(&html, &Limits::default());
        for id in dom.descend(0) {
            let parent = dom.parent(id).expect("linked nodes have parents");
            assert!(dom.children(parent).any(|c| c == id));
        }
    }
}

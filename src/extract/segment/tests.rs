use super::*;
use crate::extract::dom::{Limits, parse};

fn cut(html: &str, profile: Profile) -> (Dom<'_>, Blocks) {
    let dom = parse(html, &Limits::default());
    let blocks = blocks(&dom, &Unseen::default(), profile, 1_000);
    (dom, blocks)
}

fn check(profile: Profile, html: &str, expect: &[&str]) {
    let (_, blocks) = cut(html, profile);
    let texts: Vec<&str> = blocks.list.iter().map(|b| blocks.text_of(b)).collect();
    assert_eq!(texts, expect, "{html}");
}

#[test]
fn modern_blocks_end_at_elements_that_are_not_inline() {
    let check = |html: &str, expect: &[&str]| check(Profile::Modern, html, expect);
    check("<p>a <b>b</b>c<p>d", &["a bc", "d"]);
    check("<div>a<div>b</div>c</div>", &["a", "b", "c"]);
    check("x<br>y<br> <br>z", &["x y", "z"]);
    check("<table><tr><td>1<td>2</table>", &["1", "2"]);
    check("a<select><option>no</select>b", &["ab"]);
    check("a\u{a0} b\u{ad}c\u{200b}d \n e", &["a bcd e"]);
    // What draws nothing goes, but for what shapes letters and pictographs.
    check("ha\u{200d}r\u{2063}b\u{e0041}o\u{fe0f}u<i>\u{200c}</i>r", &["harbour"]);
    check("می\u{200c}خواهم 👩\u{200d}🔧 ❤\u{fe0f}", &["می\u{200c}خواهم 👩\u{200d}🔧 ❤\u{fe0f}"]);
    check("<p> </p><p>\u{3000}x</p>", &["x"]);
    check("a<template>t</template><noscript>n</noscript>", &["a", "n"]);
    check("<x-y><p>1</p></x-y><p>2 <x-y>3</x-y> 4", &["1", "2 3 4"]);
    check("<person><p>1</p></person><p>2 <person>3</person> 4", &["1", "2 3 4"]);
    check("<p>1<ruby><rb>2</rb><rp>(</rp><rt>x</rt><rp>)</rp></ruby>3", &["123"]);
    check("<p>1<ruby>2<rt>x</rt>3<rtc>y</rtc></ruby>4", &["1234"]);
    check("<span style='color:red; display: block'>1</span><span>2</span>", &["1", "2"]);
    check("<head><title>t</title></head>b", &["b"]);
}

/// "Siemens<sup>1</sup>" was one word, "Siemens1".
#[test]
fn marks_that_are_raised_behind_a_word_are_raised_in_the_text() {
    let check = |html: &str, expect: &str| check(Profile::Modern, html, &[expect]);
    check("<p>Siemens<sup>1</sup> grows", "Siemens¹ grows");
    check("<p><b>Siemens</b><sup><a href=#n><span>12</span> </a></sup>grows", "Siemens¹² grows");
    check("<p>Acme<sup><i>T</i>M</sup>'s <sup>1</sup> toys", "Acme™'s 1 toys");
    check("<p>Acme <sup>1</sup><sup>1<sup>2</sup></sup>", "Acme 112");
    check("<p>12 m<sup>2</sup>, CO<sub>2</sub>, the 1<sup>st</sup>", "12 m2, CO2, the 1st");
    let deep = format!("<p>Acme{}1", "<sup>".repeat(400));
    let (_, blocks) = cut(&deep, Profile::Modern);
    assert_eq!(blocks.text.trim(), "Acme¹");
}

#[test]
fn ziegler_blocks_follow_figure_2() {
    let check = |html: &str, expect: &[&str]| check(Profile::Ziegler2007, html, expect);
    check("<div>a<p>b</p></div><h2>c</h2>d<br>e", &["a b", "c", "d e"]);
    check("a<span>b</span><u>c</u>", &["ab c"]);
    check("x<button>no</button><ins>no</ins>y", &["xy"]);
    check("<ul><li>1<li>2</ul><cite>3</cite>", &["1 2 3"]);
    check("<table><tr><td>1</td><td>2</table>", &["1", "2"]);
}

#[test]
fn gibson_blocks_end_at_every_tag_but_a_few() {
    let check = |html: &str, expect: &[&str]| check(Profile::Gibson2007, html, expect);
    check("<p>a <b>b</b><span>c</span><q>d</q></p>e", &["a bcd", "e"]);
    check("a<br>b<img>c<label>d</label><time>e</time>", &["a", "b", "c", "d", "e"]);
    check("<head><title>t</title><style>x</style></head><script>y</script>z", &["z"]);
    let (_, blocks) = cut("a<img>b<p>c", Profile::Gibson2007);
    let after: Vec<bool> = blocks.list.iter().map(|b| b.after_image).collect();
    assert_eq!(after, [false, true, false]);
}

#[test]
fn leaves_are_what_is_seen() {
    let check = |html: &str, expect: &[&str]| check(Profile::Leaf2009, html, expect);
    check(
        "<p>Share | <a href=x>Print</a> | <a href=y>E-mail</a>",
        &["Share |", "Print", "|", "E-mail"],
    );
    check("<p> <b>a</b>\n<i>b</i> </p>", &["a", "b"]);
    check(
        "a<img alt=x>b<picture><source><img></picture><iframe>c</iframe>",
        &["a", "", "b", "", ""],
    );
    check(
        "<p hidden>a</p><p style='display:none'>b</p><noscript>c</noscript><script>d</script>",
        &[],
    );
    check("<ul><li>1<li>2</ul><button>3</button>", &["1", "2", "3"]);
}

#[test]
fn leaves_know_what_stands_before_them() {
    use Gap::{Line, None, Space};
    let check = |html: &str, expect: &[Gap]| {
        let (_, b) = cut(html, Profile::Leaf2009);
        assert_eq!(b.list.iter().map(|b| b.before).collect::<Vec<_>>(), expect, "{html}");
    };
    check(
        "<p>a<b>b</b> c<i>d</i>\n<i>e</i></p>f<div>g</div>h",
        &[Line, None, Space, None, Space, Line, Line, Line],
    );
    check("<p>a<br>b<a href=x> c</a>", &[Line, Space, Space]);
    check("<p>a<img><b>b</b>", &[Line, None, None]);
    let (_, b) = cut("<p>a<p>b<br><br>c", Profile::Modern);
    assert!(b.list.iter().all(|b| b.before == Line));
}

#[test]
fn elements_count_in_the_block_they_stand_in() {
    let (_, b) = cut("<h2>t</h2><ul><li><b>1</b> <i>x</i></li><li>2</ul>", Profile::Modern);
    let counts: Vec<_> = b.list.iter().map(|b| (b.format, b.list, b.structuring)).collect();
    assert_eq!(counts, [(0, 0, 1), (2, 2, 0), (0, 1, 0)]);
    let (_, b) = cut("<p align=left>a<br>b</p><p>c</p>", Profile::Ziegler2007);
    assert_eq!(b.list.len(), 1);
    assert_eq!(b.list[0].structuring, 4);
}

#[test]
fn links_are_ranges_of_the_block() {
    let (_, b) = cut("<p>see <a href=x> the <b>page</b></a>.<a name=y>n</a>", Profile::Modern);
    let link = &b.links_of(&b.list[0])[0];
    assert_eq!(&b.text[link.range.start as usize..link.range.end as usize], "the page");
    assert_eq!(b.links.len(), 1);
    let (_, b) = cut("<a href=x><div>1</div><div>2</div></a>3", Profile::Modern);
    let linked: Vec<usize> = b.list.iter().map(|k| b.links_of(k).len()).collect();
    assert_eq!(linked, [1, 1, 0]);
}

#[test]
fn the_place_of_a_block_is_known() {
    let check = |html: &str, flags: Flags| {
        let (_, b) = cut(html, Profile::Modern);
        assert!(b.list[0].flags.has(flags), "{html}: {:?}", b.list[0]);
    };
    check("<article><p>x", Flags::ARTICLE | Flags::PARAGRAPH);
    check("<div style='display: none'>x", Flags::HIDDEN);
    check("<div aria-hidden=true>x", Flags::HIDDEN);
    for shown in ["backface-visibility: hidden", "/* display:none */", "display:none;display:block"]
    {
        let (_, b) = cut(&format!("<div style='{shown}'>x"), Profile::Modern);
        assert!(!b.list[0].flags.has(Flags::HIDDEN), "{shown}");
    }
    check("<div id=comments><p>x", Flags::COMMENTS);
    check("<ul class='commentList'><li>x", Flags::COMMENTS | Flags::LIST);
    check("<figure><img><figcaption>x", Flags::FIGURE | Flags::FIGCAPTION);
    check("<div role=navigation>x", Flags::NAV);
    let (_, b) = cut("<body class=comment-open><p>1</p><img><p>2<h3>3</h3>", Profile::Modern);
    assert!(!b.list[0].flags.has(Flags::COMMENTS));
    let images: Vec<bool> = b.list.iter().map(|b| b.after_image).collect();
    assert_eq!(images, [false, true, false]);
    assert_eq!(b.list[2].heading, 3);
}

#[test]
fn names_are_read_word_by_word() {
    let check = |names: &str, expect: &[Groups]| {
        let expect = expect.iter().fold(0, |all, g| all | g.0);
        assert_eq!(names::groups(names).0, expect, "{names}");
    };
    check("article-body", &[Groups::ARTICLE]);
    check("articleBody__2xY", &[Groups::ARTICLE]);
    check("c-relatedStories", &[Groups::RELATED]);
    check("COMMENTS", &[Groups::COMMENT]);
    check("shadow uncommented", &[]);
    check("", &[]);
}

#[test]
fn blocks_are_limited() {
    let html = "<p>x".repeat(100);
    let dom = parse(&html, &Limits::default());
    let cut = blocks(&dom, &Unseen::default(), Profile::Modern, 10);
    assert!(cut.full);
    assert_eq!(cut.list.len(), 10);
}

proptest::proptest! {
    #[test]
    fn no_text_is_lost_or_doubled(html in "(<(/?(p|b|a href=x|div|li|br|table|td|span|h2))>|[a-z]| |é|\u{a0}){0,60}") {
        let (dom, blocks) = cut(&html, Profile::Modern);
        let squeeze = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let cut: String = blocks.list.iter().map(|b| blocks.text_of(b)).collect();
        proptest::prop_assert_eq!(squeeze(&cut), squeeze(&dom.text_of(0)));
        for b in &blocks.list {
            let text = blocks.text_of(b);
            proptest::prop_assert!(!text.is_empty() && text.trim() == text && !text.contains("  "));
            for link in blocks.links_of(b) {
                proptest::prop_assert!(b.range.start <= link.range.start && link.range.end <= b.range.end);
            }
        }
    }
}

#[test]
fn what_is_shown_in_something_hidden_stands_alone() {
    let page = "<p style='visibility:hidden'>a <b style='visibility:visible'>b <i>c</i></b> d</p>";
    let dom = parse(page, &Limits::default());
    let unseen = crate::extract::unseen::of(&dom);
    let found = blocks(&dom, &unseen, Profile::Modern, 1_000);
    let texts: Vec<_> = found
        .list
        .iter()
        .map(|block| {
            let range = block.range.start as usize..block.range.end as usize;
            (&found.text[range], unseen.by(block.first).is_some())
        })
        .collect();
    assert_eq!(texts, [("a", true), ("b c", false), ("d", true)]);
}

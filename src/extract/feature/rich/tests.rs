use super::*;
use crate::extract::dom::Limits;
use crate::extract::page::Evidence;
use crate::extract::segment::Profile;

fn read(html: &str) -> PageBlocks<'_> {
    PageBlocks::read(html, Profile::Modern, &Limits::default())
}

fn column(name: &str) -> usize {
    names().iter().position(|n| n == name).unwrap_or_else(|| panic!("no feature {name}"))
}

/// The values of one feature down the page.
fn values(page: &PageBlocks, name: &str) -> Vec<f32> {
    let matrix = rich(page);
    (0..matrix.rows).map(|row| matrix.row(row)[column(name)]).collect()
}

const PAGE: &str = "<nav><a href=/>Home</a></nav><h1>Bridge closed</h1><div><p>The bridge was closed \
    on Monday because the river had risen.<p>It will not be opened before the end of the week, they \
    said.</div><div class=t><a href=/a>One</a></div><div class=t><a href=/b>Two</a></div>";

#[test]
fn names_and_columns_agree() {
    assert_eq!(names().len(), COLUMNS);
    let mut unique = names();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), COLUMNS);
    let matrix = rich(&read(PAGE));
    assert_eq!((matrix.rows, matrix.cols, matrix.data.len()), (6, COLUMNS, 6 * COLUMNS));
    assert_eq!(rich(&read("")).rows, 0);
}

#[test]
fn features_say_what_their_names_say() {
    let page = read(PAGE);
    let check = |name: &str, expect: &[f32]| assert_eq!(values(&page, name), expect, "{name}");
    check("link density", &[1., 0., 0., 0., 1., 1.]);
    check("in densest", &[0., 0., 1., 1., 0., 0.]);
    check("inside nav", &[1., 0., 0., 0., 0., 0.]);
    check("ends with mark", &[0., 0., 1., 1., 0., 0.]);
    check("is title", &[0., 1., 0., 0., 0., 0.]);
    check("from title", &[-1., 0., 1., 2., 3., 4.]);
    check("heading", &[0., 1., 0., 0., 0., 0.]);
    check("at -1 heading", &[-1., 0., 1., 0., 0., 0.]);
    let twins = values(&page, "same shape");
    assert_eq!(twins[4], 2f32.ln_1p());
    let shares = values(&page, "ancestor 1 share of prose");
    assert_eq!((shares[2], shares[4]), (1.0, 1.0));
}

#[test]
fn evidence_tells_title_summary_and_body() {
    let mut page = read(PAGE);
    page.evidence = Evidence {
        title: Some("Bridge Closed".into()),
        summary: Some("the bridge was closed on monday".into()),
        body: Some("It will not be opened before the end of the week, they said.".into()),
    };
    assert_eq!(values(&page, "title overlap")[1], 1.0);
    assert_eq!(values(&page, "covers summary")[2], 1.0);
    let body = values(&page, "body overlap");
    assert!(body[3] > 0.99 && body[2] < 0.3, "{body:?}");
    assert_eq!(values(&page, "has body"), [1.0; 6]);
}

#[test]
fn wording_tells_pointers_offers_and_notes_from_prose() {
    let page = read(
        "<p>The bridge was closed on Monday because the river had risen.<p><b>READ MORE:</b> <a \
         href=/news/old-town-bridge-closed-again>Old town bridge</a><p>Lesen Sie auch: Hochwasser\
         <p>Advertisement<p>(<em>By our staff</em>)<hr><p><i>Ann Berg is a reporter. Follow <a \
         href=/author/ann>her</a></i><p>订阅我们",
    );
    let check = |name: &str, expect: &[bool]| {
        let found: Vec<bool> = values(&page, name).iter().map(|v| *v > 0.0).collect();
        assert_eq!(found, expect, "{name}");
    };
    check("referring words", &[false, true, true, false, false, false, false]);
    check("offering words", &[false, false, false, true, false, false, true]);
    check("staff words", &[false, false, false, false, true, true, false]);
    check("early colon", &[false, true, true, false, false, false, false]);
    check("begins bold", &[false, true, false, false, false, false, false]);
    check("italic", &[false, false, false, false, false, true, false]);
    check("in brackets", &[false, false, false, false, true, false, false]);
    check("after rule", &[false, false, false, false, false, true, false]);
    check("links to pages like this", &[false, true, false, false, false, false, false]);
    check("links to people", &[false, false, false, false, false, true, false]);
    assert_eq!(values(&page, "offering words")[3], 1.0);
}

/// What all blocks share is not read again for each.
#[test]
fn what_many_blocks_share_is_read_once() {
    let blocks = "The bridge<p>was closed</p>".repeat(8_000);
    let far = format!("<hr>{}<div>{blocks}</div>", "<!-- x -->".repeat(100_000));
    assert!(values(&read(&far), "after rule").iter().all(|rule| *rule == 0.0));
    let near = values(&read(&format!("<hr> <!-- x --> <div>{blocks}</div>")), "after rule");
    assert!(near.iter().step_by(2).all(|rule| *rule == 1.0), "{:?}", &near[..4]);
    let linked = format!("<a href='/author/ann?{}'>{blocks}</a>", "&amp;".repeat(100_000));
    assert!(values(&read(&linked), "links to people").iter().all(|share| *share == 1.0));
}

#[test]
fn the_best_container_is_found_where_the_article_is_a_line() {
    let page = read(
        "<div class=sidebar><p>We write, draw and print what we like, every week, all the year.</div>\
         <div class=entry-content><p>A bridge, seen from the tower this morning.</div>\
         <div class=footer><a href=/imprint>Who made this page, and how to write to them</a></div>",
    );
    assert_eq!(values(&page, "in candidate"), [0., 1., 0.]);
    assert_eq!(values(&page, "steps to candidate"), [-1., 1., -1.]);
    assert_eq!(values(&page, "from candidate start"), [-1., 0., 1.]);
    let scores = values(&page, "candidate score");
    assert!(scores[1] == 1.0 && scores[0] < 0.2 && scores[2] < 0.2, "{scores:?}");
    assert_eq!(values(&read("<p>Hi"), "in candidate"), [0.]);
}

#[test]
fn lines_about_comments_and_times_mark_the_end_of_an_article() {
    let page = read(
        "<p>The bridge was closed on Monday because the river had risen.<h3>2 comments</h3>\
         <p>At last they did it.<p>Ann, 5:39 pm<p>Not a day too soon, I say.<p>Bo, 17:02\
         <p>Odds are 3:1",
    );
    assert_eq!(values(&page, "since comments"), [-1., -1., 1., 2., 3., 4., 5.]);
    assert_eq!(values(&page, "comments before"), [0., 0., 1., 1., 1., 1., 1.]);
    assert_eq!(values(&page, "since pointers"), [-1.; 7]);
    assert_eq!(values(&page, "time of day"), [0., 0., 0., 1., 0., 1., 0.]);
    assert_eq!(values(&page, "times of day near"), [1., 2., 2., 1., 2., 1., 2.]);
    assert!(values(&page, "prose since comments")[4] > 0.0);
}

proptest::proptest! {
    #[test]
    fn every_value_is_finite(html in "(<(/?(p|h1|div class=ad|figure|a href=x|ul|li|td|table))>|[a-zA-Z]{1,8}|[ .,!]|今天){0,60}") {
        let mut page = read(&html);
        page.evidence.title = Some("A title".into());
        let matrix = rich(&page);
        proptest::prop_assert_eq!(matrix.data.len(), page.len() * COLUMNS);
        proptest::prop_assert!(matrix.data.iter().all(|v| v.is_finite()));
    }
}

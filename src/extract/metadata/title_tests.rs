//! Titles of whole pages: which of the places where a headline may stand is believed.

use super::*;
use crate::extract::dom::{Limits, parse};
use crate::extract::unseen;

const PROSE: &str = "<p>The plant was opened by the mayor on Monday after many years of building, and all who had worked for it came to see it.</p>";

fn check(html: &str, expect: &str) {
    let hints = Hints { url: Some("https://www.dailyexample.de/a/1"), ..Hints::default() };
    let dom = parse(html, &Limits::default());
    let title = read(&dom, &unseen::of(&dom), &hints).title;
    assert_eq!(title.map(|t| t.value).as_deref(), Some(expect), "{html}");
}

#[test]
fn sections_are_no_headlines() {
    let prose = PROSE.repeat(3);
    // Main headings of sections and boxes stand beside the headline, or over a smaller one.
    check(
        &format!(
            "<title>Plant opens - Sports News - The Herald</title><h1>Sports</h1><h1>National Sports</h1><h1>Plant opens</h1><h1>Sports Headlines</h1>{prose}"
        ),
        "Plant opens",
    );
    check(
        &format!(
            "<title>herald.example - Local Sports Wire</title><h1>Local Sports Wire</h1><h2>Plant opens in the town</h2>{prose}"
        ),
        "Plant opens in the town",
    );
    check(
        &format!(
            "<title>Plant opens in town - Football - Herald</title><h1>Football</h1><h2>Plant opens in town</h2>{prose}"
        ),
        "Plant opens in town",
    );
    check("<title>Plant opens in the town - World</title><p>Text.", "Plant opens in the town");
    check("<title>Sports | Plant opens in the town</title><p>Text.", "Plant opens in the town");
    check("<title>Sports</title>", "Sports");
}

#[test]
fn sites_are_no_headlines() {
    let prose = PROSE.repeat(3);
    // A blog's name before a title that is told alone elsewhere, and behind a longer one.
    check(
        "<title>The Old Blog: How the plant was opened</title><meta property=og:title content='How the plant was opened'><h1>The Old Blog</h1><h3>How the plant was opened</h3>",
        "How the plant was opened",
    );
    check(
        "<title>How the plant was opened today - The Valley Herald</title><h1>The Valley Herald</h1><h2>How the plant was opened today</h2>",
        "How the plant was opened today",
    );
    // Between outlet and section.
    check(
        "<title>VAL - Money - A new plant for the town - Valley News and Views</title><p class=headline>A new plant for the town</p>",
        "A new plant for the town",
    );
    // `<title>` names the site alone: what stands over the text as a headline does.
    for headline in [
        "<td class=storyhead>New plant opens</td>",
        "<font size=4><b>New plant opens</b></font>",
        "<b>New plant opens</b>",
        "<h2><a href=/a>New plant opens</a></h2>",
    ] {
        let page = format!(
            "<title>Valley Online - the newspaper of the valley</title><b><a href=/b>Back to the list</a></b><table><tr><td>{headline}</td></tr></table>{prose}"
        );
        check(&page, "New plant opens");
    }
    // A headline that is told is not given up for a box.
    check(
        &format!("<title>Mayor opens the new plant</title><h2>Hot stories of today</h2>{prose}"),
        "Mayor opens the new plant",
    );
}

#[test]
fn a_headline_is_told_from_what_stands_beside_it() {
    let told = "<meta property=og:title content='Mayor opens the new plant'>";
    // A date and a count in elements of their own.
    check(
        &format!("{told}<h1><i>20 Nov 2026</i> Mayor opens the new plant <b>(87)</b></h1>"),
        "Mayor opens the new plant",
    );
    check(
        "<title>Valley News: Mayor opens the new plant</title><h1><span>In the valley</span> <span>Mayor opens the new plant</span></h1>",
        "Mayor opens the new plant",
    );
    check(
        "<meta property=og:title content='Mayor opens the plant'><h1>94</h1>",
        "Mayor opens the plant",
    );
    // Other articles' main headings say the same of each other, and less of this one.
    check(
        "<meta property=og:title content='Our favourite plants in town'><h1>The best plants of the town</h1><h1>Next in your guide to being in town</h1><h1>The only guide to being outside in town</h1>",
        "The best plants of the town",
    );
    // Half of a smaller heading is slanted.
    check(
        "<title>How to open a plant: Five things to know</title><meta property=og:title content='How to open a plant: Five things to know'><h2>How to open a plant: <em>Five things to know</em></h2>",
        "How to open a plant: Five things to know",
    );
    // What is broken off says less than a heading.
    check(
        "<title>Plants Plants for Towns How they are…</title><meta property=og:title content='Plants Plants for Towns How they are…'><h1>Plants for towns, a list</h1>",
        "Plants for towns, a list",
    );
}

#[test]
fn a_heading_that_nobody_sees_is_no_headline() {
    for hidden in ["hidden", "style='display:none'", "style='position:absolute;left:-9999px'"] {
        check(
            &format!(
                "<title>Mayor opens the plant</title><h1 {hidden}>Acme builds the best cranes</h1><h2>Mayor opens the plant</h2>{PROSE}"
            ),
            "Mayor opens the plant",
        );
    }
}

//! Who signs a whole page where no byline names a person: handles, who is named below the text.

use super::*;
use crate::extract::dom::{Limits, parse};
use crate::extract::unseen::Unseen;

const DAY: &str = "<p>20 Nov 2026</p>";

fn check_at(url: &str, html: &str, expect: &[&str]) {
    let hints = Hints { url: Some(url), ..Hints::default() };
    let authors = read(&parse(html, &Limits::default()), &Unseen::default(), &hints).authors;
    let authors: Vec<&str> = authors.iter().map(|found| found.value.as_str()).collect();
    assert_eq!(authors, expect, "{html}");
}

fn check(html: &str, expect: &[&str]) {
    check_at("https://www.dailyexample.de/wirtschaft/werk-123", html, expect);
}

/// Paragraphs that no name is in; in the first person, or not.
fn prose(own: bool) -> String {
    let who = if own { "I" } else { "They" };
    format!(
        "<p>{who} saw {}</p>",
        "how the plant was opened on Monday after years of work. ".repeat(4)
    )
    .repeat(3)
}

fn page(head: &str, foot: &str) -> String {
    format!("<article><h1>Plant opens in town</h1>{head}{}{foot}</article>", prose(false))
}

#[test]
fn words_that_begin_as_authors_are_called() {
    for address in [
        "/authorization",
        "/authorized-dealers",
        "/autoridades",
        "/authorities/board",
        "/autorites-locales",
        "/autorita-portuale",
        "/autoritaeten",
        "/autoriteter",
    ] {
        check(&page(&format!("<p><a href={address}>Special Order</a></p>{DAY}"), ""), &[]);
    }
    for mark in ["authorized", "button-authorize", "autoreviews"] {
        check(&page(&format!("<p class={mark}>Special Order</p>"), ""), &[]);
    }
    for mark in ["authorship", "authorView", "authorIsVerified"] {
        check(&page(&format!("<p class={mark}>Ann Archer</p>"), ""), &["Ann Archer"]);
    }
    for address in ["/author/ann-archer", "/authors?id=7", "/autor_ann", "/author"] {
        check(&page(&format!("<p><a href={address}>Ann Archer</a></p>"), ""), &["Ann Archer"]);
    }
}

#[test]
fn handles() {
    let handle = &["valleyfan"];
    // The name is a link of its own behind "by".
    let link = "<a href=/users/valleyfan?from=head>valleyfan</a>";
    check(&page(&format!("<div>by <span>{link}</span></div>{DAY}"), ""), handle);
    check(&page(&format!("<div>by <a href=/x>staff writer</a></div>{DAY}"), ""), &[]);
    check(&page(&format!("<div>by <a href=/x>valley fan club</a></div>{DAY}"), ""), &[]);
    // The address says that it is the page of a user of this name.
    check(&page("", "<p class=author><a href=/user/valleyfan/>valleyfan</a></p>"), handle);
    check(&page("", "<p class=author><a href='/~valleyfan'>valleyfan</a></p>"), handle);
    let below = "<p class=author><a href=/valleyfan>valleyfan</a></p>";
    check_at("https://notes.example/valleyfan/5e2c", &page("", below), handle);
    check(&page("", below), &[]);
    check_at("https://notes.example/valleyfan/", &page("", below), &[]);
    let section = "<p class=author>Posted in <a href=/plant-reviews>Plant Reviews</a></p>";
    check_at("https://notes.example/plant-reviews/5e2c", &page("", section), &[]);
    check(&page("", "<p class=author><a href=/hot_stuff>hot stuff</a></p>"), &[]);
    check(&page("", "<p class=author><a href=/user/fan>valleyfan</a></p>"), &[]);
    check(&page("", "<p class=author><a href=/author/staff>Staff</a></p>"), &[]);
    let two = "<p class=author><a href=/user/valleyfan>valleyfan</a></p><p class=author><a href=/user/ben9>ben9</a></p>";
    check(&page("", two), &[]);
    // A person's box goes before the link of a handle.
    let boxed = "<div class=sidebar><a rel=author href=/x>Ann Archer</a></div>";
    check(
        &format!("{}{boxed}", page(&format!("<div>by <span>{link}</span></div>{DAY}"), "")),
        &["Ann Archer"],
    );
    // A reader's comment.
    let comment = "<h3>1 Comment</h3><p>Posted by valleyfan at November 20, 2026 11:15 AM</p>";
    check(&page("", &format!("</p><p>{comment}")), &[]);
    // Below the text, before a date.
    check(&page("", "<p>Posted by valleyfan at November 20, 2026 11:15 AM</p>"), handle);
    check(&page("", "<p>Posted by valleyfan at the gate of the plant</p>"), &[]);
    check(&page("", "<p>Posted by Staff on November 20, 2026</p>"), &[]);
    // What systems call their users yields to a person.
    check(
        &page(
            "<p>By Ann Archer</p>",
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"author\":{\"@type\":\"Person\",\"name\":\"NOC Admin\"}}</script>",
        ),
        &["Ann Archer"],
    );
}

/// A site's name is no person's, whoever speaks in its texts.
#[test]
fn sites_that_are_called_as_people_are() {
    let page = |text: &str| {
        format!(
            "<meta property=og:site_name content='Mother Jones'><title>Plant opens in town | Mother Jones</title><article><h1>Plant opens in town</h1>{text}</article>"
        )
    };
    for text in [prose(false), prose(true)] {
        check_at("https://www.motherjones.example/a", &page(&text), &[]);
    }
}

#[test]
fn who_is_named_below_the_text() {
    let one = &["Ann Archer"];
    // In the footer of the part that holds the title as well.
    let footer = "<footer><a rel=author href=/a/ann>Ann Archer</a></footer>";
    let within = |footer: &str| {
        format!(
            "<article><div><h1>Plant opens in town</h1>{}{footer}</div></article>",
            prose(false)
        )
    };
    check(&within(footer), one);
    check(&within(&format!("<div>{footer}</div>")), &[]);
    // A desk stands above the text, a person signs below it.
    let desk = "<p class=author>By Team Valley</p>";
    let signed = |by: &str| page(desk, &format!("<p>{by}</p>"));
    check(&signed("Written by <a href=/x>Ann Archer</a>"), one);
    check(&signed("The plant was written by Ann Archer in a day."), &["Team Valley"]);
    check(
        &page(desk, "<p>Written by Ann Archer</p><p>Written by Ben Wright</p>"),
        &["Team Valley"],
    );
    // A comment, a card of another article, whoever put the page there, and who wrote a film.
    let ann = "<p>Written by Ann Archer</p>";
    check(&signed(&format!("</p><h3>2 comments</h3>{ann}<p>")), &["Team Valley"]);
    check(&format!("{}<div>{ann}</div>", page(desk, "")), &["Team Valley"]);
    check(&signed("Posted by Ann Archer"), &["Team Valley"]);
    for line in ["<p>Directed by Ben Wright</p>", "<p>Starring: Ben Wright</p>"] {
        check(&signed(&format!("</p>{line}{ann}<p>")), &["Team Valley"]);
    }
    // Behind a label, each before a role.
    let label = "<h5>Author</h5>";
    let ann = "<i>AA</i><p>Ann Archer</p><p>Staff Software Engineer, Valley Works</p>";
    let ben = "<i>BW</i><p>Ben Wright</p><p>Director of Engineering</p>";
    check(
        &page("", &format!("{label}{ann}{ben}<p>Valley Resources</p>")),
        &["Ann Archer", "Ben Wright"],
    );
    check(&page("", &format!("<p>A book {label} of <a href=/x>Ann Archer</a></p>")), &[]);
    let margin = format!("<div class=sidebar>{label}{ann}{ben}<p>Valley Resources</p></div>");
    check(&page("", &margin), &["Ann Archer", "Ben Wright"]);
    let styled = "<div><style>.a{margin:0}</style><span>Author</span></div><style>.b{margin:0}</style><div><div><style>.c{margin:0}</style><div><span>AA</span></div></div><style>.d{}</style><div><div><style>.e{}</style><span>Ann Archer</span></div><style>.f{}</style><span>Staff Software Engineer, Valley</span></div></div>";
    check(&page("", styled), one);
    // For whom somebody writes may be an address.
    check(&page("<p class=author>Ann Archer CTVNews.ca</p>", ""), one);
}

//! What dates an article that nobody marked up, and what does not.

use super::*;
use crate::extract::dom::{Limits, parse};
use crate::extract::unseen::Unseen;

fn meta_of(page: &str) -> Metadata {
    read(&parse(page, &Limits::default()), &Unseen::default(), &Hints::default())
}

fn check(page: &str, published: Option<&str>) {
    let day = |stamp: Stamp| stamp.local.strftime("%Y-%m-%d").to_string();
    assert_eq!(meta_of(page).published.map(day).as_deref(), published, "{page}");
}

/// An article with a headline, what stands below it, and three paragraphs.
fn article(head: &str, behind: &str) -> String {
    let prose = "The bridge over the river was closed on Monday, because the water had risen again in the night and \
                 the town had no other way to keep its people from crossing it, as the mayor said.";
    let prose = format!("<p>{prose}</p>").repeat(3);
    format!(
        "<html lang=en><title>Bridge closed</title><article><h1>Bridge closed</h1>{head}{prose}</article>{behind}"
    )
}

#[test]
fn what_else_linked_data_tell_of_dates_nothing() {
    let said = "<meta property=article:published_time content='2026-11-20T09:00:00Z'>";
    for other in [
        r#"{"@type":"VideoObject","name":"Clip","uploadDate":"2024-05-01T09:00:00Z"}"#,
        r#"{"@type":"ClaimReview","itemReviewed":{"@type":"CreativeWork","datePublished":"2020-01-01","author":"Larry Liar"}}"#,
        r#"{"@type":"Product","review":{"@type":"Review","author":"Otto Other","datePublished":"2023-01-02"}}"#,
        r#"{"@type":"ItemList","itemListElement":[{"item":{"@type":"NewsArticle","headline":"Old","author":"Otto Other","datePublished":"2026-11-01"}}]}"#,
    ] {
        let page =
            format!("{said}<script type='application/ld+json'>{other}</script>{}", article("", ""));
        check(&page, Some("2026-11-20"));
        assert_eq!(meta_of(&page).authors, [], "{other}");
    }
}

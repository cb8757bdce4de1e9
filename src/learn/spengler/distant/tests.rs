//! Pages of our own that tell of themselves in every way.

use super::*;
use crate::extract::dom::Limits;
use crate::extract::segment::Profile;
use crate::extract::{self, Hints};
use crate::learn::corpus::{GoldPage, test_page};

const ONE: &str = "The council met on Monday to decide about the old bridge over the river.";
const TWO: &str = "It will be closed to all traffic from spring, the mayor told the Town Paper.";

fn told(html: &str) -> Vec<(String, Label, Option<Sign>)> {
    let mut page = test_page("a", "x.example", &format!("{ONE}\n{TWO}"));
    page.gold = GoldPage { lang: Some("en".into()), ..page.gold };
    let (blocks, metadata) =
        extract::prepare(html, &Hints::default(), Profile::Leaf2009, &Limits::default());
    let labels = labels(&page, &blocks, &metadata);
    labels.iter().enumerate().map(|(i, (l, s))| (blocks.text(i).to_owned(), *l, *s)).collect()
}

/// `html` between a head that says everything and an article's two paragraphs.
fn page(before: &str, after: &str) -> String {
    format!(
        "<title>Old bridge to close | Town Paper</title><meta property=og:site_name content='Town Paper'>\
         <meta name=keywords content='bridges, councils'><script type=application/ld+json>\
         {{\"@type\":\"NewsArticle\",\"headline\":\"Old bridge to close\",\"articleSection\":\"Local\",\
         \"author\":{{\"@type\":\"Person\",\"name\":\"Ann Berg\"}},\"datePublished\":\"2026-03-04\"}}</script>\
         <body><div class='ad share related comments'>{before}<div><p>{ONE}</p><p>{TWO}</p></div>{after}</div>"
    )
}

fn check(before: &str, after: &str, expect: &[(&str, Label, Sign)]) {
    let told = told(&page(before, after));
    for (text, label, sign) in expect {
        let found = told.iter().find(|(t, _, _)| t == text).map(|(_, l, s)| (*l, *s));
        assert_eq!(found, Some((*label, Some(*sign))), "{text} in {told:?}");
    }
    let named: Vec<&str> = expect.iter().map(|(text, _, _)| *text).collect();
    for (text, label, _) in told.iter().filter(|(t, _, _)| !named.contains(&t.as_str())) {
        let own = [ONE, TWO].contains(&text.as_str());
        assert_eq!(*label, if own { Label::Paragraph } else { Label::None }, "{text}");
    }
}

#[test]
fn printed_metadata_is_found() {
    check(
        "<a>Home</a><a>Local</a><h1>Old bridge to close</h1><p>By Ann Berg</p><p>4 March 2026</p>\
         <p>5 May 2019</p>",
        "<p><a href=/t/1>Bridges</a><p><a href=/t/2>Police</a>",
        &[
            ("Local", Label::Category, Sign::Metadata),
            ("Old bridge to close", Label::Title, Sign::Metadata),
            ("By Ann Berg", Label::Author, Sign::Metadata),
            ("4 March 2026", Label::Date, Sign::Metadata),
            ("Bridges", Label::Tags, Sign::Metadata),
        ],
    );
}

#[test]
fn links_say_where_they_lead() {
    check(
        "<a href='https://www.facebook.com/sharer.php?u=x'>Like</a><a href='mailto:?subject=x'>Send</a>\
         <a href='mailto:ann@paper.example'>Write to her</a><a href=/print/12>Paper</a>",
        "<a href='?page=2'>2</a><a href='?page=all'>All</a><a href=/local/rss.xml>Follow</a>\
         <a href=/topic/bridges>More on this</a><a href=/sport>Sport</a>",
        &[
            ("Like", Label::SocialBookmark, Sign::Link),
            ("Send", Label::EmailArticle, Sign::Link),
            ("Write to her", Label::Contact, Sign::Link),
            ("Paper", Label::PrintPage, Sign::Link),
            ("2", Label::NextPage, Sign::Link),
            ("All", Label::SinglePage, Sign::Link),
            ("Follow", Label::RssFeed, Sign::Link),
            ("More on this", Label::Topics, Sign::Link),
        ],
    );
}

#[test]
fn markup_names_and_words_are_signs_and_names_around_the_article_are_none() {
    check(
        "<ul class=breadcrumbs><li><a href=/>Start</a><li>Bridge</ul><figure><figcaption>The bridge \
         before the flood of that year<span class=credit>Karl Lund</span></figcaption></figure>",
        "<div class=relatedLinks><a href=/x>The new school</a></div><div id=comments><p>Never liked it.</div>\
         <div class=ad-slot><p>Buy bread</div><p>© 2026 Town Paper Ltd</p>",
        &[
            ("Start", Label::Category, Sign::Markup),
            ("Bridge", Label::CurrentPage, Sign::Markup),
            ("The bridge before the flood of that year", Label::Caption, Sign::Markup),
            ("Karl Lund", Label::Credit, Sign::Markup),
            ("The new school", Label::RelatedArticle, Sign::Name),
            ("Never liked it.", Label::Comment, Sign::Name),
            ("Buy bread", Label::Advertisement, Sign::Name),
            ("© 2026 Town Paper Ltd", Label::Copyright, Sign::Words),
        ],
    );
}

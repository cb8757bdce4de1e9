//! Titles of whole pages: which of the places where a headline may stand is believed.

use super::*;
use crate::extract::dom::{Limits, parse};
use crate::extract::unseen;

const PROSE: &str = "<p>The plant was opened by the mayor on Monday after many years of building, and all who had worked for it came to see it too.</p>";

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

/// A few words of `<title>` that are a line as well may be the site's name.
#[test]
fn names_of_sites_that_are_lines() {
    let prose = PROSE.repeat(3);
    let headline = "Stadtrat stimmt für die neue Linie";
    let page = |title: &str, head: &str, logo: &str, mark: &str, foot: &str| {
        format!("<title>{title}</title>{head}{logo}<h1 {mark}>{headline}</h1>{prose}{foot}")
    };
    let logo = "<div class=logo><a href=/>Kreisanzeiger Auen</a></div>";
    for title in [
        "Artikel - Kreisanzeiger Auen",
        "Kreisanzeiger Auen",
        "Kreisanzeiger Auen - Artikel",
        "Detail | Kreisanzeiger Auen",
        "Lokales: Kreisanzeiger Auen",
        "Nachrichten aus Auenfeld - Kreisanzeiger Auen",
    ] {
        let card = format!("<meta property=og:title content='{title}'>");
        for head in ["", card.as_str()] {
            check(&page(title, head, logo, "", ""), headline);
            check(&page(title, head, logo, "itemprop=headline", ""), headline);
            check(&page(title, head, "", "", "<p>Kreisanzeiger Auen</p>"), headline);
            for link in ["/", "https://www.dailyexample.de", "https://dailyexample.de/"] {
                let logo = format!("<h1><a href={link}>Kreisanzeiger Auen</a></h1>");
                check(&page(title, head, &logo, "", ""), headline);
            }
        }
    }
    check(&page("Kreisanzeiger Auen | Die Zeitung für Auenfeld", "", logo, "", ""), headline);
    // What stands beside it is told alone elsewhere.
    check(
        "<title>The Four Objective Dads - How the plant was opened</title><meta property=og:title content='How the plant was opened'><p>The Four Objective Dads</p><div>How the <span>plant</span> was opened</div>",
        "How the plant was opened",
    );
    // A few words on which data and cards agree are a headline, and so are more words that are a line.
    let other = "<h1>Hear what all our readers say</h1>";
    check(
        &format!(
            "<title>Plant opens</title><meta property=og:title content='Plant opens'><script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"Plant opens\"}}</script>{other}{prose}"
        ),
        "Plant opens",
    );
    check(
        &format!(
            "<title>Mayor opens the plant - Valley</title>{other}<p>Mayor opens the plant</p>{prose}"
        ),
        "Mayor opens the plant",
    );
    // A few words that stand over the text where no main heading does.
    check(
        &format!("<title>Valley Sun - Plant opens today</title><p>Plant opens today</p>{prose}"),
        "Plant opens today",
    );
    check(
        "<title>Valley Sun - Plant opens today</title><p class=storytitle>Plant opens today</p><p>It was Monday.</p>",
        "Plant opens today",
    );
    // A heading that leads to the site is the headline where nothing else is told or shown.
    check("<title>Plant opens</title><h1><a href=/>Plant opens</a></h1>", "Plant opens");
}

#[test]
fn what_surrounds_headlines_in_east_asia() {
    let headline = "新病院の建設計画を市議会が可決、議論に決着";
    for told in [
        format!("{headline}（水沢原新聞） - ポータルニュース"),
        format!("【水沢原】{headline} - ポータルニュース"),
        format!("水沢原：{headline}｜ポータルニュース"),
    ] {
        check(
            &format!(
                "<title>{told}</title><meta property=og:title content='{told}'><script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"{told}\"}}</script><h1>{headline}</h1>{PROSE}"
            ),
            headline,
        );
    }
    // What the headline itself has in brackets is kept.
    let whole = format!("{headline}（上）");
    check(&format!("<title>{whole} - ポータルニュース</title><h1>{whole}</h1>{PROSE}"), &whole);
    // Of several headings one says in other words what machines are told.
    check(
        &format!(
            "<title>新病院の建設計画を市議会が可決</title><h1>読者のひろばへようこそ</h1><h1>市議会、新病院の建設計画を可決</h1>{PROSE}"
        ),
        "市議会、新病院の建設計画を可決",
    );
}

/// A blog's name is the main heading of each of its pages, and leads home.
#[test]
fn main_headings_that_are_the_name_of_a_blog() {
    let prose = PROSE.repeat(3);
    let page = |title: &str, head: &str, href: &str, post: &str| {
        format!(
            "<title>{title}</title>{head}<h1><a href={href}>Life as a Valley Gardener</a></h1>{post}{prose}"
        )
    };
    let post = "<h3>On the road</h3>";
    for title in [
        "Life as a Valley Gardener: On the road",
        "Life as a Valley Gardener › On the road",
        "On the road « Life as a Valley Gardener",
        "On the road - Life as a Valley Gardener",
    ] {
        let card = format!("<meta property=og:title content='{title}'>");
        for href in ["/", "https://www.dailyexample.de", "https://www.dailyexample.de/"] {
            check(&page(title, "", href, post), "On the road");
            check(&page(title, &card, href, ""), "On the road");
        }
    }
    // One of several blogs: the page lies below it.
    let title = "On the road - Life as a Valley Gardener";
    let canonical = "<link rel=canonical href=https://www.dailyexample.de/garden/2026/road>";
    check(&page(title, canonical, "https://www.dailyexample.de/garden/", post), "On the road");
    // A headline may lead to itself, and further pages of it lie below it.
    let headline = "Life as a Valley Gardener";
    let own = "<link rel=canonical href=https://www.dailyexample.de/garden/>";
    check(
        &page(&format!("{headline} - Valley"), own, "https://www.dailyexample.de/garden/", ""),
        headline,
    );
    let next = "<link rel=canonical href=https://www.dailyexample.de/garden/2/>";
    check(
        &page(&format!("{headline} - Valley"), next, "https://www.dailyexample.de/garden/", ""),
        headline,
    );
}

#[test]
fn headings_and_what_machines_are_told() {
    let prose = PROSE.repeat(3);
    // A heading that says all that is told, and more.
    let card = "<meta property=og:title content='How the new plant was opened | Valley News'>";
    let page = |heading: &str| format!("{card}<h1>{heading}</h1>{prose}");
    check(&page("How the new plant was opened in a day"), "How the new plant was opened in a day");
    // What is set as the headline, where `<title>` names the site.
    let site = "<title>Herald on Saturday</title><p>Herald on Saturday</p>";
    check(
        &format!("{site}<h1 class=ArticleHeadline>Mayor opens plant</h1>{prose}"),
        "Mayor opens plant",
    );
    // Of two lines that are told the one that is a heading, also if it is not yet seen.
    let told = "<title>Plant opens in the town - Valley Central - All the sports of the valley and its towns</title>";
    let line = "<p>All the sports of the valley and its towns</p>";
    for heading in ["<h2>", "<div class=headline1>", "<h1 style=opacity:0>"] {
        check(
            &format!("{told}{line}{heading}Plant opens in the town</h1></h2></div>{prose}"),
            "Plant opens in the town",
        );
    }
    // Half of a smaller heading is slanted.
    check(
        &format!(
            "<title>How to open a plant: Five things | Valley</title><h2>How to open a plant: <em>Five things</em></h2>{prose}"
        ),
        "How to open a plant: Five things",
    );
    // A date line within it.
    for date in
        ["Thursday, 10 January 2008, 09:14", "Published: Wednesday, 2 January, 2008, 02:42 AM"]
    {
        check(
            &format!(
                "<table><tr><td class=story-title>Plant opens in town <br><i>{date}</i></td></tr></table>{prose}"
            ),
            "Plant opens in town",
        );
    }
    // The beginning of a site's long name.
    check(
        "<meta property=og:site_name content='Thrive Valley Marketing Agency'><meta property=og:title content='How plants open | Thrive Valley Marketing'>",
        "How plants open",
    );
}

/// A headline that leads to its own page, or to what it tells of, is no site's name.
#[test]
fn headlines_that_are_links() {
    let prose = PROSE.repeat(3);
    let headline = "Mayor opens a plant for cranes";
    let own = "https://www.dailyexample.de/plant/";
    let link = |href: &str| format!("<a href={href}>{headline}</a>");
    let part = |href: &str| format!("<a href={href}>Mayor</a> opens a plant for cranes");
    let canonical = |rest: &str| format!("<link rel=canonical href='{own}{rest}'>");
    let shared = |rest: &str| format!("<meta property=og:url content='{own}{rest}'>");
    let card = format!("<meta property=og:title content='{headline}'>");
    for (head, heading) in [
        (shared("?utm_source=rss"), link(own)),
        (canonical("amp/"), link(own)),
        (canonical("page/2/"), link(own)),
        (canonical("comment-page-2/"), link(own)),
        (canonical("#comments"), link(own)),
        // Its first words lead to another site, or to this one.
        (String::new(), part("https://mayor.example/")),
        (String::new(), part("/")),
        (canonical("2026/plant"), part(own)),
        // A list of links to other sites.
        (String::new(), link("https://cranes.example/")),
        // The card has it whole.
        (card, link("/")),
        // Its page has another name.
        (canonical("index.html"), link(own)),
        (canonical("all/"), link(own)),
    ] {
        check(
            &format!("<title>{headline} - Valley</title>{head}<h1>{heading}</h1>{prose}"),
            headline,
        );
    }
}

/// What a site says of itself is no headline, whatever it is marked as.
#[test]
fn slogans_that_are_headings() {
    let prose = PROSE.repeat(3);
    let headline = "Mayor opens the new plant";
    let title = format!("<title>{headline} - Valley</title>");
    for mark in ["headline", "subheadline", "site-headline"] {
        let slogan = format!("<h1 class={mark}>All that towns need to know</h1>");
        check(&format!("{title}{slogan}<h2>{headline}</h2>{prose}"), headline);
    }
    let site = "<title>Herald on Saturday</title><p>Herald on Saturday</p>";
    for mark in ["subheadline", "site-headline"] {
        check(&format!("{site}<h1 class={mark}>Ever nearer you</h1>{prose}"), "Herald on Saturday");
    }
    // Nor is it at the end of `<title>`.
    let tagline = "News from all of our valley";
    check(
        &format!(
            "<title>{headline} in town - {tagline}</title><p>{headline} in town</p>{prose}{prose}<h2>{tagline}</h2>"
        ),
        &format!("{headline} in town"),
    );
}

/// The beginning of an outlet's name is a place as well.
#[test]
fn places_that_outlets_are_named_by() {
    let at = |url: &str, site: &str, title: &str| {
        let hints = Hints { url: Some(url), ..Hints::default() };
        let html = format!("<meta property=og:site_name content='{site}'><title>{title}</title>");
        let dom = parse(&html, &Limits::default());
        read(&dom, &unseen::of(&dom), &hints).title.map(|title| title.value).unwrap_or_default()
    };
    for (url, site, title) in [
        (
            "https://www.napolitoday.example/a",
            "NapoliToday",
            "Napoli - Juventus 2-1, the goals of the day",
        ),
        (
            "https://www.napolitoday.example/a",
            "NapoliToday",
            "Juventus lost a game at last - Napoli",
        ),
        ("https://www.newyorker.example/a", "The New Yorker", "A walk in the park - New York"),
    ] {
        assert_eq!(at(url, site, title), title);
    }
}

/// Tags that a headline is about, the site's address before it, and its name in a heading behind it.
#[test]
fn tags_addresses_and_names_of_sites() {
    let prose = PROSE.repeat(3);
    let tag = "Ten years of &lt;br&gt; tags";
    check(
        &format!(
            "<title>{tag}</title><meta property=og:title content='{tag}'><h1>{tag}</h1>{prose}"
        ),
        "Ten years of <br> tags",
    );
    check(
        &format!("<title>Ten years of &lt;em&gt;tags&lt;/em&gt;</title>{prose}"),
        "Ten years of tags",
    );
    check(
        &format!(
            "<title>Ten years of tags</title><script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"Ten years of tags\"}}</script><meta property=og:title content='Ten years of tags'><h1>Ten years of tags&lt;br&gt;</h1>{prose}"
        ),
        "Ten years of tags",
    );
    for head in [
        "dailyexample.de",
        "www.dailyexample.de",
        "Dailyexample.de",
        "Dailyexample.de :",
        "Dailyexample.de --",
    ] {
        for heading in ["h1", "h2"] {
            check(
                &format!(
                    "<title>{head} Plant opens in town</title><{heading}>Plant opens in town</{heading}>{prose}"
                ),
                "Plant opens in town",
            );
        }
    }
    for whole in [
        "other.example Plant opens in town",
        "Dailyexample.de: what it is for",
        "Dailyexample.de opens a plant in town",
    ] {
        check(&format!("<title>{whole}</title>{prose}"), whole);
    }
    check(
        &format!(
            "<title>Plant opens in town - Dailyexample Valley News Blog</title><h1>Dailyexample Valley News Blog</h1><h2>Plant opens in town</h2>{prose}"
        ),
        "Plant opens in town",
    );
    // A place is the label of a domain, too.
    let headline = "Dailyexample council closes bridge over river";
    for section in ["", "<h2>Latest council news</h2>"] {
        check(
            &format!(
                "<title>Latest council news - {headline}</title><h1>{headline}</h1>{section}{prose}"
            ),
            headline,
        );
    }
    // Many main headings of a menu; the headline is one that machines are told.
    let menu: String = ["All", "PC", "Boats", "Trains", "Cars", "Planes", "Bikes", "Ships", "Toys"]
        .map(|name| format!("<h1>{name}</h1>"))
        .concat();
    check(
        &format!(
            "<title>Boats News: Plant for boats closed? - Example</title>{menu}<h1>Plant for boats closed?</h1>{prose}"
        ),
        "Plant for boats closed?",
    );
    // The site's slogan may be the last of them.
    let slogan = "All the news of the valley";
    check(
        &format!(
            "<title>Plant for boats closed - {slogan}</title>{menu}<h1>{slogan}</h1><h2>Plant for boats closed</h2>{prose}"
        ),
        "Plant for boats closed",
    );
}

/// What is called as the domain of its site is, with a dot in its name.
#[test]
fn names_that_look_like_addresses() {
    let prose = PROSE.repeat(3);
    for (url, whole) in [
        ("https://nodejs.org/a", "Node.js 25 is released"),
        ("https://nextjs.org/a", "Next.js 25 is released"),
        ("https://www.booking.com/a", "Booking.com lays off hundreds of people"),
        ("https://www.eon.com/a", "E.ON opens a plant in town"),
    ] {
        let hints = Hints { url: Some(url), ..Hints::default() };
        for heading in ["", whole] {
            let html = format!("<title>{whole}</title><h1>{heading}</h1>{prose}");
            let dom = parse(&html, &Limits::default());
            let title = read(&dom, &unseen::of(&dom), &hints).title.map(|title| title.value);
            assert_eq!(title.as_deref(), Some(whole), "{html}");
        }
    }
}

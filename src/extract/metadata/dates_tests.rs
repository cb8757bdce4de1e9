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

/// Systems that publish anew with each change tell machines the same day twice.
#[test]
fn the_day_of_the_last_publishing_yields_to_the_day_that_is_shown() {
    let told = |published: &str, modified: &str| {
        format!(
            "<meta property=article:published_time content='{published}T09:00:00Z'>\
             <meta property=article:modified_time content='{modified}T09:00:00Z'>"
        )
    };
    let check = |told: &str, head: &str, expect: &str| {
        let comment = "<div class=comments><p>March 3, 2023</p><p>So it was.</p></div>";
        check(&format!("{told}{}", article(head, comment)), Some(expect));
    };
    let same = told("2026-11-20", "2026-11-20");
    check(&same, "<div>August 25, 2024</div>", "2024-08-25");
    check(&same, "<p>By Ann Archer</p><p>Published on 25 August 2024</p>", "2024-08-25");
    check(&same, "<time datetime=2024-08-25>25 Aug 2024</time>", "2024-08-25");
    check(&same, "<p>Sunday, August 25, 2024, 9:05 am</p>", "2024-08-25");
    let days = same.replace("T09:00:00Z", "");
    check(&days, "<div>August 25, 2024</div>", "2024-08-25");
    check(&days, "<div>November 19, 2026</div>", "2026-11-20");
    check(&told("2026-11-20", "2026-11-18"), "<div>August 25, 2024</div>", "2024-08-25");
    for other in [
        "",
        // Another zone, another order, the day of a change, two days, another story's.
        "<div>November 19, 2026</div>",
        "<div>11/8/2026</div>",
        "<div>Updated August 25, 2024</div>",
        "<div>August 25, 2024</div><time datetime=2026-11-20>20 Nov 2026</time>",
        "<div><a href=/1>Another story of the town and bridge</a> <i>August 25, 2024</i></div>",
        "<figure><img src=1.png><figcaption>August 25, 2024</figcaption></figure>",
        // What a short line tells of.
        "<p>He was arrested on November 12, 2026.</p>",
        "<div>In cinemas 14 November 2026</div>",
        "<p>Recorded on November 12, 2026</p>",
        "<p>Died November 12, 2026</p>",
        "<div>Release date: 14 November 2026</div>",
        "<p>March 3, 1940 – November 14, 2026</p>",
        "<div>August 25, 2024</div><p>He was arrested on November 12, 2026.</p>",
    ] {
        check(&same, other, "2026-11-20");
    }
    check(&told("2026-11-20", "2026-11-21"), "<div>August 25, 2024</div>", "2026-11-20");
    // Some tell an instant alone; a day without a time is one that somebody chose.
    let alone = "<meta property=article:published_time content='2026-11-20T09:00:00Z'>";
    check(alone, "<p>Ann Archer</p><p>7 min read</p><span>Aug 25, 2024</span>", "2024-08-25");
    check(alone, "<p>Aug 25, 2024</p><p>7 Min. Lesezeit</p>", "2024-08-25");
    check(alone, "<p>25 août 2024</p><p>7 min de lecture</p>", "2024-08-25");
    check(alone, "<p>Recorded on August 25, 2024</p>", "2026-11-20");
    check(alone, "<p>Recorded</p><p>Aug 25, 2024</p><p>7 min read</p>", "2026-11-20");
    // The day of an event or a match.
    for other in [
        "<p>February 1, 2026, London</p>",
        "<div class=event-date>1 February 2026</div>",
        "<div>1 February 2026</div><div>Valley 2, Bay 1</div>",
        "<span>Aug 25, 2024</span>",
    ] {
        check(alone, other, "2026-11-20");
    }
    let far = "<p>a <b>b</b> c <b>d</b> e <b>f</b> g <b>h</b></p>";
    check(alone, &format!("<p>Aug 25, 2024</p>{far}<p>7 min read</p>"), "2026-11-20");
    check(&alone.replace("T09:00:00Z", ""), "<span>Aug 25, 2024</span>", "2026-11-20");
    check(
        &alone.replace("property=article:published_time", "name=date"),
        "<span>Aug 25, 2024</span>",
        "2026-11-20",
    );
}

/// The same instant has two days where the page's clock is not that of UTC.
#[test]
fn the_day_of_the_page_s_own_clock() {
    let told = "<meta property=article:published_time content='2026-11-20T03:05:00+00:00'>\
                <meta property=article:modified_time content='2026-11-21T03:05:00+00:00'>";
    let check_page = check;
    let check = |told: &str, head: &str, expect: &str| {
        check(&format!("{told}{}", article(head, "")), Some(expect));
    };
    let time = "<time datetime='2026-11-19T19:05:00-08:00'>November 19, 2026</time>";
    check(told, time, "2026-11-19");
    // Another instant is another's, and the zone that machines are told goes before.
    check(told, &time.replace("19:05", "19:06"), "2026-11-20");
    check(told, &time.replace("-08:00", ""), "2026-11-20");
    check(&told.replace("03:05:00+00:00", "04:05:00+01:00"), time, "2026-11-20");
    // In prose, of a day that is not shown, and below the text.
    let own = |text: &str| time.replace("November 19, 2026", text);
    let match_day = format!("<p>The match of the valley begins at {}.</p>", own("10 pm ET"));
    check(told, &match_day, "2026-11-20");
    check(told, &own("November 20, 2026"), "2026-11-20");
    check(told, &own("2 hours ago"), "2026-11-19");
    let below = |time: &str| format!("{}{}", told, article("", &format!("<p>{time}</p>")));
    check_page(&below(time), Some("2026-11-20"));
    let marked = time.replace("<time", "<time class=published");
    check_page(&below(&marked), Some("2026-11-19"));
}

#[test]
fn what_stands_before_a_date_says_whether_it_is_the_last_change() {
    let own = Some("2026-11-20");
    for head in [
        "<div>Last updated: <time datetime=2026-11-22>22 Nov 2026</time></div><div>Published: <time datetime=2026-11-20>20 Nov 2026</time></div>",
        "<p><b>Updated:</b> 22 November 2026</p><p><b>Published:</b> 20 November 2026</p>",
        "<dl><dt>Updated</dt><dd>22 November 2026</dd><dt>Published</dt><dd>20 November 2026</dd></dl>",
        "<p>Published <time datetime=2026-11-20>x</time>, updated <time datetime=2026-11-22>x</time></p>",
        "<p>10:22 20.11.2026 (updated: 11:05 21.11.2026)</p>",
        "<p>Updated: Nov 22, 2026 | Published: Nov 20, 2026</p>",
        "<p>Fri 20 Nov 2026 10.22 GMT Last modified on Sat 21 Nov 2026 09.00 GMT</p>",
        "<p>Mis à jour le 21/11/2026 à 9h00, publié le 20/11/2026 à 10h22</p>",
        "<p>Aktualisiert am 21.11.2026, erschienen am 20.11.2026</p>",
        "<p>Stand: 21.11.2026 09:00 Uhr, Erstveröffentlichung 20.11.2026</p>",
        "<p>Aggiornato il 21 novembre 2026 - Pubblicato il 20 novembre 2026</p>",
        "<p>Atualizado em 21/11/2026 09h00 - Publicado em 20/11/2026 10h22</p>",
        "<p>Aktualizacja: 21.11.2026 09:00, publikacja: 20.11.2026 10:22</p>",
        "<p>Güncelleme: 21.11.2026 09:00 Yayınlanma: 20.11.2026 10:22</p>",
        "<p>Uppdaterad 21 nov 2026. Publicerad 20 nov 2026</p>",
        "<p>آخر تحديث 21 نوفمبر 2026، نشر 20 نوفمبر 2026</p>",
        "<p>更新日：2026年11月21日　公開日：2026年11月20日</p>",
    ] {
        check(&article(head, ""), own);
        // Another story's date is none of it.
        check(
            &article(
                head,
                "<div><a href=/1>Another story of the town</a><b>18.11.2026 09:00</b></div>",
            ),
            own,
        );
    }
    // Where nothing else is said, the last change has to do.
    check(&article("<p>Updated: 22 November 2026</p>", ""), Some("2026-11-22"));
}

/// A reader's comment dated the article, also where the feed said when it was published.
#[test]
fn comments_do_not_date() {
    let said = ["Published: 3 March 2025", "Tom, 27 November 2025, 14:05"];
    let quotes = said.map(|said| format!("<div><b>{said}</b><q>I do agree.</q></div>")).concat();
    check(&article("", &format!("<h3>3 Comments</h3>{quotes}")), None);
    check(&article("", &format!("<p>Leave a comment</p><ul><li>{}</ul>", said[0])), None);
    // A link that leads to them is no line above them, and a date by the title is never theirs.
    let foot = "<p><a href=#c>3 Comments</a></p><p>Published: 20 November 2026</p>";
    check(&article("", foot), Some("2026-11-20"));
    let head = "<p>3 Comments</p><p>Published: 20 November 2026</p>";
    check(&article(head, ""), Some("2026-11-20"));
    let far = |page: &str| meta_of(page).dated_far;
    assert!(far(&article("", &quotes)) && far(&article("", foot)) && !far(&article(head, "")));
}

#[test]
fn prose_and_other_stories_do_not_date() {
    let own = "<p class=date>20 November 2026</p>";
    let past = "<p>The first bridge was opened on <time datetime=2019-05-01>1 May 2019</time> by the founder of the town, and \
                many people came to see it on that day.</p>";
    check(&article(&format!("{own}{past}"), ""), Some("2026-11-20"));
    check(&article(past, ""), None);
    let soon = "<p>Acme opens the plant on <time datetime=2026-12-01>1 December</time>.</p>";
    check(&article(&format!("{own}{soon}"), ""), Some("2026-11-20"));
    let told = "<p>This page was last modified on <time datetime=2026-11-20>20 Nov 2026</time> by all who had a part in it.</p>";
    check(&article("", told), Some("2026-11-20"));
    let other = "<div><a href=/1>Another story of the town</a><b>18.11.2026 09:00</b></div>";
    check(&article("<p>2 hours ago</p>", other), None);
    // A ticker above the title.
    let timed = "<p class=when><time datetime=2026-11-20T09:00Z>20 Nov 2026</time></p>";
    let ticker = "<div><a href=/b>Breaking: shares fall in the city</a> <time datetime=2026-11-28T08:00Z>08:00</time></div>";
    check(&format!("{ticker}{}", article(timed, "")), Some("2026-11-20"));
    check(
        &format!(
            "<div><a href=/b>Breaking: shares fall in the city</a> <b>28.11.2026 08:00</b></div>{}",
            article("<p>20.11.2026 10:22</p>", "")
        ),
        Some("2026-11-20"),
    );
    // A place and the day begin the text of some; the title leads to itself, and what is labelled is the article's.
    let prose = "the plant was opened by the mayor, and all who had worked for it came to see it.";
    check(
        &article(&format!("<p><b class=date>Kazan, 20 November 2026, 11:10</b> – {prose}</p>"), ""),
        Some("2026-11-20"),
    );
    let end = "<div><a href=/x>Bridge closed</a><i>20.11.2026 10:22</i></div>";
    check(&article("", end), Some("2026-11-20"));
    let end =
        "<div><a href=/1>Another story of the town</a><p>Published on 20 November 2026</p></div>";
    check(&article("", end), Some("2026-11-20"));
    // What day it is stands above a title without a label.
    check(
        &format!("<p>Saturday, 28 November 2026</p>{}", article("<p>Posted: 20.11.2026</p>", "")),
        Some("2026-11-20"),
    );
    // A link around the date alone leads to the article itself.
    check(&format!("<a href=/self>20 November 2026</a>{}", article("", "")), Some("2026-11-20"));
}

#[test]
fn the_head_of_an_article_is_no_foot_and_no_list() {
    let signed = "By <a href=/author/ann>Ann Archer</a> on <time datetime=2026-11-20T09:00Z>20 Nov 2026</time>";
    for head in [
        format!("<footer class=node__meta>{signed}</footer>"),
        format!("<div class=footer>{signed}</div>"),
        format!("<div class=latest-post-meta>{signed}</div>"),
    ] {
        let page = article(&head, "");
        check(&page, Some("2026-11-20"));
        let authors = meta_of(&page).authors;
        assert_eq!(authors.first().map(|found| found.value.as_str()), Some("Ann Archer"), "{head}");
    }
    let other = "<footer><a href=/1>Another story of the town</a> <time datetime=2026-11-18>x</time></footer>";
    check(&article(other, ""), None);
}

/// Words that hold "date" or "publi" were taken for labels, and went before the article's own line.
#[test]
fn what_only_sounds_like_a_label_dates_nothing() {
    for other in [
        "Candidates apply by 5 December 2026",
        "Event date: 5 December 2026",
        "Due date 5 December 2026, mandate of the board",
        "Public hearing on 5 December 2026",
    ] {
        let head = format!("<p>20 November 2026</p><p>{other}</p>");
        check(&article(&head, ""), Some("2026-11-20"));
    }
    let page =
        "<p>Updated by Arizona Republic: 22 November 2026</p><p>Published: 20 November 2026</p>";
    check(&article(page, ""), Some("2026-11-20"));
}

/// The site's name is a part of the title, and what else is called so has dates of its own.
#[test]
fn what_is_named_as_the_site_dates_nothing() {
    let film = r#"{"@type":"VideoObject","name":"Rivertown Daily","uploadDate":"2015-01-01T00:00:01Z","author":"Larry Liar"}"#;
    let page = article("<p>20 November 2026</p>", "").replace(
        "<title>Bridge closed</title>",
        "<title>Bridge closed for trains today | Rivertown Daily</title>",
    );
    let page = format!("<script type='application/ld+json'>{film}</script>{page}");
    check(&page, Some("2026-11-20"));
    assert_eq!(meta_of(&page).authors, []);
}

/// The masthead tells what day it is: it went before the article's own line, and before the feed.
#[test]
fn the_day_above_the_menu_dates_nothing_else() {
    let day = "Sunday, November 29, 2026";
    let links = "<li><a href=/1>News</a><li><a href=/2>Sports</a><li><a href=/3>Living</a>";
    for masthead in [
        format!("<div>{day}</div><ul>{links}</ul>"),
        format!("<div class=date>{day}</div><nav><a href=/1>News</a></nav>"),
        format!("<header><nav>{links}</nav><p class=date>{day}</p></header>"),
        format!("<header><time datetime=2026-11-29>{day}</time></header>"),
    ] {
        for (own, expect) in [
            ("<p>November 24, 2026</p>", "2026-11-24"),
            ("<p class=date>November 24, 2026</p>", "2026-11-24"),
            ("<p>By Ann Archer | November 24, 2026</p>", "2026-11-24"),
            ("<time datetime=2026-11-24>Tuesday</time>", "2026-11-24"),
        ] {
            let page = format!("{masthead}{}", article(own, ""));
            check(&page, Some(expect));
            assert!(!meta_of(&page).dated_far, "{page}");
        }
        let page = format!("{masthead}{}", article("", ""));
        check(&page, Some("2026-11-29"));
        assert!(meta_of(&page).dated_far, "{page}");
    }
    // Of the article itself, and of nothing else that is known.
    for own in [
        article("", "").replace("<h1>", &format!("<p>{day}</p><ul>{links}</ul><h1>")),
        format!("<p>{day}</p>{}", article("", "")),
        format!("<p>Published: {day}</p><ul>{links}</ul>{}", article("", "")),
    ] {
        check(&own, Some("2026-11-29"));
        assert!(!meta_of(&own).dated_far, "{own}");
    }
}

/// The article's own date yielded as if it were that of a masthead.
#[test]
fn a_date_above_the_title_is_of_the_article_unless_a_menu_stands_between() {
    let behind = "<p>Posted on November 2, 2026</p>";
    let time = "<time datetime=2026-11-24>Tuesday</time>";
    let day = "<div class=date>November 24, 2026</div>";
    let own = article("", behind);
    let shares = "<a href='https://www.facebook.com/sharer?u=https://n.example/b'>f</a>\
                  <a href='https://x.example/intent/post?url=/b'>x</a> <a href='mailto:?body=/b'>m</a>";
    let crumbs = "<a href=/>Home</a> <a href=/town>Town</a> <a href=/town/river>River</a>";
    for page in [
        own.replace("<h1>", &format!("<header>{time}</header><h1>")),
        format!("{day}<p>{shares}</p>{}", article("", behind)),
        format!("{day}<p>{shares}</p>{}", article("", "")),
        format!("{day}<p class=breadcrumbs>{crumbs}</p>{}", article("", "")),
        format!("{day}<nav aria-label=Breadcrumb>{crumbs}</nav>{}", article("", "")),
    ] {
        check(&page, Some("2026-11-24"));
        assert!(!meta_of(&page).dated_far, "{page}");
    }
    // Right above the title it goes before what is behind the text, also below a menu.
    check(&format!("{day}<p>{crumbs}</p>{own}"), Some("2026-11-24"));
    // Addresses of its own host are those of a menu.
    let menu = "<a href=https://n.example/1>News</a> <a href=https://www.n.example/2>Sports</a> \
                <a href=//n.example/3>Living</a>";
    let page = format!("{day}<p>{menu}</p>{}", article("", ""));
    let hints = Hints { url: Some("https://www.n.example/bridge"), ..Hints::default() };
    let read = |page: &str| read(&parse(page, &Limits::default()), &Unseen::default(), &hints);
    assert!(read(&page).dated_far);
    assert!(!read(&page.replace("n.example", "other.example")).dated_far);
}

#[test]
fn below_the_title_goes_before_above_it() {
    let day = "<p class=date>Sunday, November 29, 2026</p>";
    for own in ["<p>November 24, 2026</p>", "<p>By Ann Archer, November 24, 2026</p>"] {
        check(&format!("{day}{}", article(own, "")), Some("2026-11-24"));
    }
    let labelled = "<p>Published: November 24, 2026</p>";
    check(&format!("{labelled}{}", article("<p>November 29, 2026</p>", "")), Some("2026-11-24"));
    // What is marked goes before what is not; further down are readers' comments.
    let marked = "<div><span class=date>November 24, 2026</span> <i>Ann Archer, staff writer</i></div><p>11/25/2026</p>";
    check(&article(marked, ""), Some("2026-11-24"));
    let words = "<p>a <b>b</b> c <b>d</b> e <b>f</b> g <b>h</b> i <b>j</b> k <b>l</b></p>";
    let comment = format!("{words}<p>Dec 2, 2026, 6:44 PM</p>");
    check(
        &format!("<p>November 24, 2026</p><h1>Bridge closed</h1><p>It was.</p>{comment}"),
        Some("2026-11-24"),
    );
    let long = "<p>By Ann Archer</p><p>Wednesday, November 25, 2026</p>";
    check(&format!("{day}{}", article(long, "")), Some("2026-11-25"));
    // A day in the title is none of the article's.
    let page = article("<p class=date>November 24, 2026, by Ann Archer</p>", "");
    let page = page.replace("<title>Bridge closed", "<title>Bridge closed 11.12.12");
    let page = page.replace("<h1>Bridge closed", "<h1>Bridge closed <br>11.12.12");
    check(&page, Some("2026-11-24"));
    // Buttons are no menu.
    let sizes =
        "<div>November 24, 2026 <a href=#1>1</a> <a href=#2>2</a> <a onclick=x()>3</a></div>";
    let page = format!("{sizes}{}", article("", ""));
    check(&page, Some("2026-11-24"));
    assert!(!meta_of(&page).dated_far);
    // Only a line that is a date.
    let event = "<p>Concert in the park on December 12, 2026</p>";
    check(&format!("{day}{}", article(event, "")), Some("2026-11-29"));
}

/// The day of a concert went before the day that machines are told twice.
#[test]
fn a_time_in_a_line_about_something_else_is_not_the_day_that_is_shown() {
    let told = ["published", "modified"]
        .map(|told| format!("<meta property=article:{told}_time content='2026-11-20T09:00:00Z'>"));
    for (line, expect) in [
        ("Concert on <time datetime=2026-05-12>12 May</time>", "2026-11-20"),
        ("Doors open <span class=date>12 May 2026</span>, bring a coat", "2026-11-20"),
        ("By Ann Archer on <time datetime=2026-05-12>12 May</time>", "2026-05-12"),
        ("Published <time datetime=2026-05-12>12 May</time>", "2026-05-12"),
        ("on <time datetime=2026-05-12T09:00:00Z>12 May</time>", "2026-05-12"),
    ] {
        let page = format!("{}{}", told.concat(), article(&format!("<p>{line}</p>"), ""));
        check(&page, Some(expect));
    }
}

/// A card said "published" of the page that it leads to.
#[test]
fn what_a_link_with_a_headline_says_of_its_date_is_of_its_page() {
    let card = "<a href=/1><h3>Published</h3><time datetime=2019-01-17>x</time><b>Another story of the whole town</b></a>";
    check(&article("", card), None);
    let own = "<div class=sidebar><h4>Published</h4><time datetime=2018-11-15>x</time></div>";
    check(&article("", &format!("{own}{card}")), Some("2018-11-15"));
}

/// Other dates of a page that can be read in one way only tell the order of those that can be read in two.
#[test]
fn the_order_of_other_dates() {
    let page = |own: &str, other: &str| {
        format!(
            "<html lang=en><h1>Plant opens in town</h1><p>{own}</p><ul><li>{other}</li></ul></html>"
        )
    };
    check(&page("11/01/2012", "20/12/2011"), Some("2012-01-11"));
    check(&page("11/01/2012", "12/20/2011"), Some("2012-11-01"));
    check(&page("11/01/2012", "12/20/2011</li><li>20/12/2011"), Some("2012-11-01"));
    // Sentences and readers' comments print no order; against a declared region two dates do.
    let amid = "We said so on 20/12/2011 to all who had asked us about the plant and its costs";
    check(&page("11/01/2012", amid), Some("2012-11-01"));
    let region =
        |own: &str, other: &str| page(own, other).replace("<html lang=en>", "<html lang=en-US>");
    check(&region("11/01/2012", "20/12/2011"), Some("2012-11-01"));
    check(&region("11/01/2012", "20/12/2011</li><li>21/12/2011"), Some("2012-01-11"));
    // A day that is yet to come.
    check(&page("01/11/2012", "20/01/2012"), Some("2012-01-11"));
}

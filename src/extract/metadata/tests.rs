use super::*;
use crate::extract::dom::{Limits, parse};
use crate::extract::unseen::Unseen;
use crate::model::Precision;
use proptest::prelude::*;

fn meta_of(html: &str, url: &str) -> Metadata {
    read(
        &parse(html, &Limits::default()),
        &Unseen::default(),
        &Hints { url: Some(url), ..Hints::default() },
    )
}

fn value(found: &Option<Found<String>>) -> &str {
    found.as_ref().map_or("", |f| &f.value)
}

const URL: &str = "https://www.dailyexample.de/wirtschaft/werk-123";

#[test]
fn a_whole_page() {
    let page = r##"<html lang="de-DE"><head>
        <title>Neues Werk in Kasan | Wirtschaft | Daily Example</title>
        <base href="https://www.dailyexample.de/">
        <link rel="canonical" href="/wirtschaft/werk-123">
        <meta property="og:site_name" content="Daily Example">
        <meta property="og:title" content="Konzern baut neues Werk">
        <meta property="og:image" content="img/werk.jpg">
        <meta name="robots" content="index, NOARCHIVE, max-snippet:-1">
        <meta name="tdm-reservation" content="1">
        <script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",
          "headline":"Konzern baut neues Werk","articleSection":"Wirtschaft",
          "author":[{"@type":"Person","name":"Anna Arndt"},{"@type":"Organization","name":"Daily Example"}],
          "datePublished":"2026-11-20T09:10:11+01:00","dateModified":"2026-11-20T10:00:00+01:00",
          "articleBody":"Der Konzern …"}</script>
        </head><body><nav><time datetime="2020-01-01">1.1.2020</time></nav>
        <h1>Konzern baut neues Werk</h1><p class="byline">Von Ben Schreiber</p></body></html>"##;
    let meta = meta_of(page, URL);
    assert_eq!(value(&meta.title), "Konzern baut neues Werk");
    assert_eq!(meta.authors, [Found { value: "Anna Arndt".into(), source: Source::JsonLd }]);
    let published = meta.published.expect("a date");
    assert_eq!(published.printed, "2026-11-20T09:10:11+01:00");
    assert_eq!((published.offset, published.source), (Some(3600), Source::JsonLd));
    assert_eq!(meta.modified.map(|m| m.printed).as_deref(), Some("2026-11-20T10:00:00+01:00"));
    assert_eq!(value(&meta.language), "de");
    assert_eq!(value(&meta.canonical), URL);
    assert_eq!(value(&meta.site_name), "Daily Example");
    assert_eq!(value(&meta.section), "Wirtschaft");
    assert_eq!(value(&meta.image), "https://www.dailyexample.de/img/werk.jpg");
    assert_eq!(meta.signals, ["noarchive", "tdm-reservation=1"]);
    assert_eq!(meta.headline.as_deref(), Some("Konzern baut neues Werk"));
    assert_eq!(meta.article_body.as_deref(), Some("Der Konzern …"));
}

#[test]
fn what_says_nothing_keeps_nothing_else_from_being_read() {
    let long = "x".repeat(5000);
    let short_and_long = ["", " ", "&#32;", "&nbsp;", &long, &format!("{long}&amp;{long}")];
    let empty =
        short_and_long.map(|content| format!("<meta name=n content='{content}'>").repeat(101));
    let links = "<a href=/news/1>News</a>".repeat(20_001);
    let head = empty.concat();
    let told = meta_of(&format!("<head>{head}<meta name=author content='Ann Archer'></head>"), URL);
    assert_eq!(told.authors.first().map(|author| author.value.as_str()), Some("Ann Archer"));
    let page = format!("<h1>Plant opens</h1>{links}<a href=/author/ann-archer>Ann Archer</a>");
    let linked = meta_of(&page, URL);
    assert_eq!(linked.authors.first().map(|author| author.value.as_str()), Some("Ann Archer"));
}

#[test]
fn nothing_said() {
    for page in ["", "plain", "<p>", "<html><head></head><body><h1></h1></body></html>"] {
        assert_eq!(meta_of(page, ""), Metadata::default(), "{page}");
    }
}

#[test]
fn titles() {
    let check = |html: &str, feed_title: Option<&str>, expect: &str| {
        let hints = Hints { url: Some(URL), feed_title, ..Hints::default() };
        let meta = read(&parse(html, &Limits::default()), &Unseen::default(), &hints);
        assert_eq!(value(&meta.title), expect, "{html}");
    };
    check("<title>Plant opens - dailyexample.de</title>", None, "Plant opens");
    check("<title>Plant opens | News | X</title><h1>Plant opens</h1>", None, "Plant opens");
    // What a bar parts from a title is no part of it; behind a word or two stands the headline.
    check("<title>Plant opens in the town | The Blog</title>", None, "Plant opens in the town");
    check(
        "<title>Budget | Who pays for the new plant</title>",
        None,
        "Budget | Who pays for the new plant",
    );
    // Where machines know a section only: the heading over prose.
    let prose = "<p>The plant was opened on Monday, and all who had worked for it for a year came from the town and the villages to see it.</p>".repeat(3);
    check(
        &format!(
            "<title>Daily Example</title><h1>Local news</h1><h2>All the news</h2><p>x</p><h3>Plant opens in the town</h3>{prose}"
        ),
        None,
        "Plant opens in the town",
    );
    // A line that the title begins or ends with, whatever stands between them.
    check(
        "<title>Plant opens in town (from The Herald)</title><b>Plant opens in town</b><p>Prose.",
        None,
        "Plant opens in town",
    );
    check(
        "<title>xyNews Plant opens in town</title><p>Plant opens in town<p>opens in town",
        None,
        "Plant opens in town",
    );
    check(
        "<title>SEO plant</title><h1>The plant that readers see</h1>",
        None,
        "The plant that readers see",
    );
    check(
        "<title>A</title><h1>Daily Example</h1><meta property=og:title content='Plant opens'>",
        Some("Plant opens"),
        "Plant opens",
    );
    check("<h1>Most read</h1><h1>Plant opens</h1>", Some("Plant opens"), "Plant opens");
    check("<h1><span>Kazan</span><span>Plant opens</span></h1>", None, "Kazan Plant opens");
    check("<aside><h1>Other</h1></aside><h1>Plant opens</h1>", None, "Plant opens");
    // No heading says what <title> does: the part of it that readers see.
    check(
        "<title>Example > Sport -- A new plant opens</title><h1>All matches</h1><b>A new plant opens</b>",
        None,
        "A new plant opens",
    );
    let open = format!("<title>Plant opens\n<p>{}", "and all that follows it ".repeat(50));
    check(&open, None, "Plant opens");
    check("<h2>Plant opens</h2>", None, "Plant opens");
    // What a bar parts from a headline is no part of it; a word before it is.
    check("<title>A new plant opens | City | The Herald</title>", None, "A new plant opens");
    check("<title>Budget | Who pays for all that</title>", None, "Budget | Who pays for all that");
    // A headline of half a million bars is one title, and no deep call.
    let bars = format!("A new plant opens{}", " | x".repeat(500_000));
    let data = format!("{{\"@type\":\"NewsArticle\",\"headline\":\"{bars}\"}}");
    let page = format!("<script type=application/ld+json>{data}</script><p>Prose.");
    let meta = read(&parse(&page, &Limits::default()), &Unseen::default(), &Hints::default());
    assert!(meta.title.is_none_or(|title| bars.starts_with(&title.value)));
    // Machines are told a section alone: the heading over the text.
    let prose = "The plant was opened by the mayor on Monday after years of building. ".repeat(4);
    let page = format!(
        "<title>Latest News</title><h3>Weather</h3><p>Rain.</p><h3>A new plant opens in town</h3>{}",
        format!("<p>{prose}</p>").repeat(6)
    );
    check(&page, None, "A new plant opens in town");
}

#[test]
fn publication_dates() {
    let check = |html: &str, url: &str, expect: (&str, Precision, Source)| {
        let stamp = meta_of(html, url).published.unwrap_or_else(|| panic!("no date in {html}"));
        let local = stamp.local.strftime("%Y-%m-%d %H:%M").to_string();
        assert_eq!((local.as_str(), stamp.precision, stamp.source), expect, "{html}");
    };
    use Precision::*;
    check(
        "<meta property='article:published_time' content='2026-11-20T09:10:00Z'>",
        URL,
        ("2026-11-20 09:10", Instant, Source::OpenGraph),
    );
    check("<meta name=date content='2026-11-20'>", URL, ("2026-11-20 00:00", Day, Source::Meta));
    check(
        "<article itemscope><span itemprop=datePublished content='2026-11-20T09:10:00+03:00'>x</span></article>",
        URL,
        ("2026-11-20 09:10", Instant, Source::Microdata),
    );
    // What belongs to a comment, a film or an article beside it dates nothing.
    let item = |inner: &str| {
        format!(
            "<article itemscope itemtype='https://schema.org/NewsArticle'><h1>T</h1>\
             <time itemprop=datePublished datetime='2026-11-20T09:10Z'>x</time>{inner}</article>"
        )
    };
    let date = "<meta itemprop=datePublished content='2026-06-20T08:00Z'>";
    for other in [
        item(&format!("<p itemprop=comment itemscope itemtype='http://schema.org/Comment'>{date}")),
        item(&format!("<p itemscope itemtype='http://schema.org/UserComments'>{date}")),
        item(&format!(
            "<p itemprop=video itemscope itemtype='https://schema.org/VideoObject'>{date}"
        )),
        item(&format!("<p itemprop=hasPart itemscope>{date}")),
        format!("{}<p itemscope itemtype='https://schema.org/NewsArticle'>{date}", item("")),
        format!("<p itemscope itemtype='https://schema.org/NewsArticle'>{date}</p>{}", item("")),
        format!("<p itemscope>{}</p>{}", date.replace("meta", "span"), item("")),
    ] {
        check(&other, URL, ("2026-11-20 09:10", Instant, Source::Microdata));
    }
    let page =
        format!("<div itemscope itemtype='http://schema.org/WebPage'>{date}{}</div>", item(""));
    check(&page, URL, ("2026-06-20 08:00", Instant, Source::Meta));
    check(
        "<h1>T</h1><time datetime='2026-11-20T09:10'>20 Nov</time>",
        URL,
        ("2026-11-20 09:10", Minute, Source::Html),
    );
    // Of two dates the one beside the title; far above it many pages print what day it is.
    check(
        &format!(
            "<p>24 November 2026, 08:00</p>{}<h1>T</h1><p>20 Nov 2026</p>",
            "<p>x</p>".repeat(30)
        ),
        "",
        ("2026-11-20 00:00", Day, Source::Visible),
    );
    // The date of a picture is none of the article's.
    check(
        "<h1>T</h1><figcaption>1 May 2019</figcaption><p>20 Nov 2026</p>",
        "",
        ("2026-11-20 00:00", Day, Source::Visible),
    );
    // A date that can be read in two ways is read as another one of the page has it.
    check(
        "<html lang=en><meta name=revised content='2026-04-03'><h1>T</h1><p>3/4/2026</p>",
        "",
        ("2026-04-03 00:00", Day, Source::Visible),
    );
    check(
        "<html lang=el><h1>Τ</h1><p>20 Νοέμβρη 2026, 09:10</p>",
        URL,
        ("2026-11-20 09:10", Minute, Source::Visible),
    );
    check(
        "<html lang=el><h1>Τ</h1><p>20 Νοεμβρίου 2026, 09:10</p>",
        URL,
        ("2026-11-20 09:10", Minute, Source::Visible),
    );
    check("<h1>T</h1>", "https://n.example/2026/11/20/t", ("2026-11-20 00:00", Day, Source::Url));
    // A day in the data is made exact by the time that the page shows.
    check(
        "<meta name=date content='2026-11-20'><h1>T</h1><p class=date>20.11.2026 09:10</p>",
        URL,
        ("2026-11-20 09:10", Minute, Source::Visible),
    );
    // Dates of other articles and of the last change are not this article's.
    check(
        "<aside><time datetime='2020-01-01'>x</time></aside><h1>T</h1><p>Updated: 21 Nov 2026</p><p>20 Nov 2026</p>",
        URL,
        ("2026-11-20 00:00", Day, Source::Visible),
    );
    // Keys of any system, labels beside a date, the margin of the article, the only date of a page.
    check(
        "<meta name=x-published-at content='2026-11-20T09:10:00Z'>",
        URL,
        ("2026-11-20 09:10", Instant, Source::Meta),
    );
    let far = "<p>Text</p>".repeat(60);
    let below = |line: &str| format!("<html lang=en><h1>T</h1>{far}{line}");
    check(
        &below("<p>19 Nov 2026</p><b>Published</b><i>20 Nov 2026</i>"),
        URL,
        ("2026-11-20 00:00", Day, Source::Visible),
    );
    check(&below("<p>20 Nov 2026</p>"), URL, ("2026-11-20 00:00", Day, Source::Visible));
    check(
        "<h1>T</h1><aside><time datetime=2026-11-20></time></aside>",
        URL,
        ("2026-11-20 00:00", Day, Source::Visible),
    );
    let many = below("<p>20 Nov 2026</p><p>19 Nov 2026</p>");
    assert_eq!(meta_of(&many, URL).published, None);
    // The order of day and month follows the page's language, and for English its country.
    check(
        "<html lang=en-US><h1>T</h1><p>3/4/2026</p>",
        "https://n.co.uk/a",
        ("2026-04-03 00:00", Day, Source::Visible),
    );
    check(
        "<html lang=en><h1>T</h1><p>3/4/2026</p>",
        "https://n.com/a",
        ("2026-03-04 00:00", Day, Source::Visible),
    );
    check(
        "<html lang=fr><h1>T</h1><p>3/4/2026</p>",
        "https://n.com/a",
        ("2026-04-03 00:00", Day, Source::Visible),
    );
}

#[test]
fn dates_that_nobody_marked_up() {
    let check = |html: &str, url: &str, expect: Option<&str>| {
        let found = meta_of(html, url).published.map(|s| s.local.strftime("%Y-%m-%d").to_string());
        assert_eq!(found.as_deref(), expect, "{html}");
    };
    // What day it is stands above the title of many pages, and so do the times of other articles.
    let menu = "<p>Menu</p>".repeat(20);
    let masthead = format!("<div class=date>Friday, 20 November 2026</div>{menu}");
    let own = "<h1>Plant opens</h1><p>12:01 04.11.2026</p>";
    check(&format!("{masthead}{own}"), URL, Some("2026-11-04"));
    check(&format!("{masthead}<h1>Plant opens</h1>"), URL, Some("2026-11-20"));
    check(
        &format!("{masthead}<h1>Plant opens</h1>"),
        "https://n.example/2026/11/04/plant",
        Some("2026-11-04"),
    );
    check(
        "<time datetime=2026-11-20T09:10>Other</time><p>Other</p><time datetime=2026-11-04>x</time><h1>T</h1>",
        URL,
        Some("2026-11-04"),
    );
    // The address that the page gives itself.
    check(
        "<link rel=canonical href=/2026/11/04/plant><h1>T</h1>",
        "https://n.example/?p=7",
        Some("2026-11-04"),
    );
    // The foot of an entry is no foot of the page, and a byline beside which comments are counted none of them.
    let text = "<p>Text.</p>".repeat(50);
    for class in ["entry-footer", "post-footer", "byline-comments-views"] {
        let below = format!("<h1>T</h1>{text}<div class={class}><i>Posted on 4 Nov 2026</i></div>");
        check(&below, URL, Some("2026-11-04"));
    }
    for class in ["footer", "page-footer", "comment-byline"] {
        let below = format!("<h1>T</h1>{text}<div class={class}><i>Posted on 4 Nov 2026</i></div>");
        check(&below, URL, None);
    }
    // Pictures have dates of their own.
    check(
        "<h1>T</h1><figure><figcaption>3 March 2020</figcaption></figure><p>4 Nov 2026</p>",
        URL,
        Some("2026-11-04"),
    );
    // A line may say what its date is at its beginning, not in the middle of a sentence.
    let late = "in the town where none had been";
    let line = |line: &str| format!("<h1>T</h1><p>{line}</p>");
    check(
        &line(
            "Published: November 4 2026 02:00, first in the paper, then here | Last updated: November 5 2026 02:00",
        ),
        URL,
        Some("2026-11-04"),
    );
    check(&line(&format!("The plant {late} was published on 4 Nov 2026 and {late}")), URL, None);
    // Day and month where nothing but the page's other dates tells them apart.
    let both = "<h1>T</h1><p>05/11/2026</p><p>Text.</p>";
    check(&format!("<html lang=en-US>{both}"), "https://n.com/a", Some("2026-05-11"));
    check(
        &format!("<html lang=en-US>{both}<i>Posted on 5 November 2026</i>"),
        "https://n.com/a",
        Some("2026-11-05"),
    );
    check(
        &format!("<p>January 15, 2026</p>{menu}<h1>T</h1><p>01/08/2026</p>"),
        "https://n.com/a",
        Some("2026-01-08"),
    );
}

#[test]
fn bylines() {
    let check = |html: &str, expect: &[(&str, Source)]| {
        let authors = meta_of(html, URL).authors;
        let authors: Vec<(&str, Source)> =
            authors.iter().map(|f| (f.value.as_str(), f.source)).collect();
        assert_eq!(authors, expect, "{html}");
    };
    check("<meta name=author content='Ann Archer'>", &[("Ann Archer", Source::Meta)]);
    check(
        "<meta name='twitter:label1' content='Est. reading time'><meta name='twitter:data1' content='7 minutes'>
         <meta name='twitter:label2' content='Written by'><meta name='twitter:data2' content='Ann Archer'>",
        &[("Ann Archer", Source::Meta)],
    );
    // A word alone is what a system calls somebody, if a byline has the name; roles of two parts are none.
    check(
        "<meta name=author content=aarcher><h1>T</h1><p class=byline>By Ann Archer, Head of Sales and Service</p>",
        &[("Ann Archer", Source::Visible)],
    );
    check("<meta name=author content=aarcher><h1>T</h1>", &[("aarcher", Source::Meta)]);
    check(
        "<h1>T</h1><div class=entry-footer><p class=byline>By Ann Archer</p></div>",
        &[("Ann Archer", Source::Visible)],
    );
    // A text within a paragraph begins no line; the only one who signs may do so far from the title.
    let prose = "of a plant that opened in a town where none had been before ".repeat(4);
    check(&format!("<h1>T</h1><p>{prose}<i>was drawn</i> by Ann Archer <b>{prose}</b></p>"), &[]);
    check(
        &format!(
            "<h1>T</h1>{}<h3>Written by</h3><div>Ann Archer</div>",
            format!("<p>{prose}</p>").repeat(70)
        ),
        &[("Ann Archer", Source::Visible)],
    );
    check(
        "<meta property='article:author' content='https://f.example/ann'><meta name=byl content='By Ann Archer'>",
        &[("Ann Archer", Source::Meta)],
    );
    check(
        "<h1>T</h1><a rel=author href=/a>Ann Archer</a> <a rel=author href=/b>Ben Wright</a>",
        &[("Ann Archer", Source::Html), ("Ben Wright", Source::Html)],
    );
    check(
        "<h1>T</h1><div class=article-byline>Von Anna Arndt und Ben Schreiber, 20. November 2026</div>",
        &[("Anna Arndt", Source::Visible), ("Ben Schreiber", Source::Visible)],
    );
    check(
        "<h1>T</h1><p>By Ann Archer</p><p>By then it was late.</p>",
        &[("Ann Archer", Source::Visible)],
    );
    check("<h1>T</h1><div class=comments><span class=author>Troll</span></div>", &[]);
    check(
        "<meta name=author content='Daily Example'><meta property=og:site_name content='Daily Example'>",
        &[("Daily Example", Source::Meta)],
    );
    // The desk signs where nobody else does.
    let data = |author: &str, body: &str| {
        format!(
            "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"T\",\"author\":{author}}}</script><h1>T</h1>{body}"
        )
    };
    let desk = r#"{"@type":"Organization","name":"Example Wire"}"#;
    check(&data(desk, ""), &[("Example Wire", Source::JsonLd)]);
    check(&data(desk, "<p>By Ann Archer</p>"), &[("Ann Archer", Source::Visible)]);
    // A link to the page of an author names one, "by" may stand apart from the name.
    check("<h1>T</h1><a href=/author/ann>Ann</a>", &[("Ann", Source::Html)]);
    check("<h1>T</h1><b>By</b> <i>Ann Archer</i>", &[("Ann Archer", Source::Visible)]);
    check(
        "<h1>T</h1><div class=byline><b>Ann Archer</b><i>Marketing Director</i><u>5 min read</u></div>",
        &[("Ann Archer", Source::Visible)],
    );
    check(
        "<h1>T</h1><p class=date-author>Dec. 19, 2026 · Ann Archer on behalf of all</p>",
        &[("Ann Archer", Source::Visible)],
    );
    // Whom readers are told is more than what a system calls somebody, but not than what prose says.
    let card = "<meta name=author content=annarch>";
    check(
        &format!("{card}<h1>T</h1><a href=/author/ann>Ann Archer</a>"),
        &[("Ann Archer", Source::Html)],
    );
    check(&format!("{card}<h1>T</h1><p>By Market Square</p>"), &[("annarch", Source::Meta)]);
    check(card, &[("annarch", Source::Meta)]);
    // Companies are told as authors, too; what joins names may be within theirs.
    check(
        "<meta name=author content='Valley Center of Data and All Other Things'><h1>T</h1><a href=/author/ann>Ann Archer</a>",
        &[("Ann Archer", Source::Html)],
    );
    check(
        &data(r#"{"@type":"Organization","name":"Archer & Archer"}"#, ""),
        &[("Archer & Archer", Source::JsonLd)],
    );
    // The outlet behind a name is where somebody works.
    check(
        "<meta property=og:site_name content='Daily Example'><meta name=author content='Ann Archer, The Daily Example'>",
        &[("Ann Archer", Source::Meta)],
    );
    // Who wrote may be told in a sentence; several may sign far below.
    check(
        "<h1>T</h1><p>This post was written by Ann Archer, Head of Sales and Service</p>",
        &[("Ann Archer", Source::Visible)],
    );
    check(
        &format!(
            "<h1>T</h1>{}<p>Written by <a href=/author/x>Ann Archer and Ben Wright</a></p>",
            "<p>So it was.</p>".repeat(70)
        ),
        &[("Ann Archer", Source::Visible), ("Ben Wright", Source::Visible)],
    );
    check(
        "<h1>T</h1><aside><a rel=author href=/x>Ann Archer</a></aside>",
        &[("Ann Archer", Source::Visible)],
    );
    // A mark before a text is no "by", and whom an article is about did not write it.
    check("<h1>T</h1><p><b>Plants</b>, Market Square</p>", &[]);
    check("<h1>T</h1><a href=/person/ann>Ann Archer</a>", &[]);
    // Who reviewed it did not write it; prose, titles and offices are no names.
    check("<h1>T</h1><p>Reviewed by</p><a rel=author href=/b>Ben Doctor</a>", &[]);
    check(
        "<h1>T</h1><p class=author>In most towns plants open when nobody looks at them.</p>",
        &[],
    );
    check("<h1>Five Ways Out</h1><p class=author>Five Ways Out</p>", &[]);
    check("<h1>T</h1><p class=author>Follow</p>", &[]);
    // Navigation that nobody closed holds the page.
    check(
        "<nav><a href=/>Home</a><div><h1>T</h1><p>By Ann Archer</p><p>Text.</p></div>",
        &[("Ann Archer", Source::Visible)],
    );
}

#[test]
fn canonical_urls() {
    let check = |html: &str, expect: &str| {
        assert_eq!(value(&meta_of(html, URL).canonical), expect, "{html}");
    };
    check("<link rel=canonical href='https://n.example/a?b=1'>", "https://n.example/a?b=1");
    check("<link rel='alternate canonical' href='../a'>", "https://www.dailyexample.de/a");
    check(
        "<base href='https://m.n.example/x/'><link rel=canonical href='a'>",
        "https://m.n.example/x/a",
    );
    check(
        "<link rel=canonical href='javascript:x'><meta property=og:url content='/a'>",
        "https://www.dailyexample.de/a",
    );
    // A template that names the front page on every article.
    check(
        "<link rel=canonical href='/'><meta property=og:url content='/a'>",
        "https://www.dailyexample.de/a",
    );
    check("<link rel=canonical href='http://['>", "");
    // Longer than any address that is taken: by what is written, and by what it is then.
    for (long, stands) in
        [("a".repeat(2_049), false), ("\u{e9}".repeat(400), false), ("a".repeat(999), true)]
    {
        let page =
            format!("<link rel=canonical href='/{long}'><meta property=og:url content='/b'>");
        let expect = if stands { &*long } else { "b" };
        check(&page, &format!("https://www.dailyexample.de/{expect}"));
    }
}

#[test]
fn signals_to_robots() {
    let check =
        |html: &str, expect: &[&str]| assert_eq!(meta_of(html, URL).signals, expect, "{html}");
    check("<meta name=robots content='noindex,nofollow'>", &["nofollow", "noindex"]);
    check("<meta name=ROBOTS content=NONE>", &["nofollow", "noindex"]);
    check("<meta name=robots content='noindex; nofollow noai'>", &["noai", "nofollow", "noindex"]);
    check(
        "<meta name=robots content='max-snippet : 0, max-image-preview:large'>",
        &["max-snippet:0"],
    );
    check("<meta name=robots content='max-snippet:20, follow, unheard-of'>", &[]);
    // Some names were taken for everybody's, and all others for nobody's.
    check(
        "<meta name=googlebot content='nosnippet'><meta name=robots content=all>",
        &["googlebot: nosnippet"],
    );
    check(
        "<meta name=KranichBot content='noindex, max-snippet:0'><meta name=robots content=noai>",
        &["kranichbot: max-snippet:0", "kranichbot: noindex", "noai"],
    );
    // One word that is not known here voided the whole element.
    for rest in ["noodp", "noyaca", "unavailable_after: Friday, 25 Jun 2027 15:00:00 PST"] {
        let html = format!("<meta name=crawler content='noindex, {rest}'>");
        check(&html, &["crawler: noindex"]);
    }
    check("<meta name=description content='None of the ministers came, nosnippet'>", &[]);
    check("<meta name=tdm-reservation content=0>", &[]);
    check("<meta name=msapplication-config content=none>", &[]);
    check("<meta name=keywords content='seo, noindex, google'>", &[]);
    check("<meta property='og:title' content=noindex>", &[]);
}

proptest! {
    #[test]
    fn never_panics(
        parts in proptest::collection::vec(prop::sample::select(vec![
            "<meta name=author content='", "<meta property=og:title content=\"", "<script type='application/ld+json'>",
            "</script>", "{\"@type\":\"NewsArticle\",\"headline\":\"", "\"}", "<h1>", "</h1>", "<time datetime=", ">",
            "<aside>", "</aside>", "<p class=byline>", " | ", " - ", "By ", "Von ", "20 Nov 2026", "14:30", "'", "ㅣ",
            "<link rel=canonical href=", "<base href='::'>", "é", "中", "<html lang=ar>", "&amp;", "\u{200B}",
        ]), 0..40),
        url in "\\PC{0,30}",
    ) {
        meta_of(&parts.concat(), &url);
    }
}

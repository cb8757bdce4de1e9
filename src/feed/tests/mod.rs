//! Feeds of every format, whole and damaged.

use super::*;
use proptest::prelude::*;

mod items;

const URL: &str = "https://news.example/feeds/all.xml";

fn parse(text: &str) -> Parsed {
    parse_text(text, None, URL, &Settings::default()).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// `url | title | summary | date` of each entry.
fn rows(parsed: &Parsed) -> Vec<String> {
    parsed
        .entries
        .iter()
        .map(|e| {
            let date = e.published.as_ref().map_or(String::new(), |s| {
                format!(
                    "{}{}",
                    s.local,
                    s.offset.map_or(String::new(), |o| format!("{:+}", o / 3600))
                )
            });
            let part = |t: &Option<String>| t.clone().unwrap_or_default();
            format!("{} | {} | {} | {date}", e.url, part(&e.title), part(&e.summary))
        })
        .collect()
}

const RSS2: &str = r#"<?xml version="1.0" encoding="windows-1251"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:media="http://search.yahoo.com/mrss/" xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0">
<channel><title>The Example &amp; Post</title><link>https://news.example/</link>
<atom:link rel="hub" href="https://hub.example/"/><atom:link rel="self" href="https://news.example/feeds/all.xml"/>
<language>en_GB</language><ttl>15</ttl><sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>
<image><title>Logo</title><link>https://logo.example/</link></image>
<item><title>Siemens &amp;amp; Alstom: &quot;caf&amp;eacute;&quot;</title><link>https://news.example/1</link>
<description>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;</description><guid isPermaLink="false">n-1</guid>
<pubDate>Mon, 02 Nov 2026 10:00:00 +0100</pubDate><dc:creator>Ann Ash</dc:creator><author>b@x.example (Ben Birch)</author>
<category>Rail</category><media:title>Not this</media:title><media:content url="x"><media:title>nor this</media:title></media:content>
<source url="https://other.example/">Other</source></item>
<item><title><![CDATA[Two <b>bold</b> & bare]]></title><link>https://count.example/2</link>
<feedburner:origLink>https://news.example/2</feedburner:origLink><content:encoded><![CDATA[<p>Full</p>]]></content:encoded></item>
<item><title>Three</title><guid>https://news.example/3</guid></item>
<item><title>Four</title><link>/4?a=1&amp;b=2</link></item>
<item><title>No address</title><guid isPermaLink="false">https://news.example/no</guid></item>
</channel></rss>"#;

#[test]
fn rss2() {
    let p = parse(RSS2);
    assert_eq!(
        rows(&p),
        [
            "https://news.example/1 | Siemens & Alstom: \"café\" | One two | 2026-11-02T10:00:00+1",
            "https://news.example/2 | Two bold & bare | Full | ",
            "https://news.example/3 | Three |  | ",
            "https://news.example/4?a=1&b=2 | Four |  | ",
        ]
    );
    assert_eq!(p.format, FeedFormat::Rss2);
    assert_eq!(p.title.as_deref(), Some("The Example & Post"));
    assert_eq!(p.language.as_deref(), Some("en-gb"));
    assert_eq!(p.home.as_deref(), Some("https://news.example/"));
    assert_eq!(p.hub.as_deref(), Some("https://hub.example/"));
    assert_eq!(p.topic.as_deref(), Some("https://news.example/feeds/all.xml"));
    assert_eq!(p.floor, 30 * crate::model::MINUTE);
    assert_eq!(p.entries[0].authors, ["Ann Ash", "Ben Birch"]);
    assert_eq!(p.entries[0].categories, ["Rail"]);
    assert_eq!(p.entries[0].id.as_deref(), Some("n-1"));
    assert_eq!(p.repaired, ["entries without a usable URL (1×)"]);
}

#[test]
fn rss1_and_rss0() {
    let p = parse(
        r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://n.example/"><title>新聞</title>
        <link>https://n.example/</link><dc:language>ja</dc:language><items><rdf:Seq><rdf:li rdf:resource="https://n.example/1"/></rdf:Seq></items></channel>
        <item rdf:about="https://n.example/1"><title>東芝</title><link>https://n.example/1</link><dc:date>2026-11-02T10:00+09:00</dc:date></item>
        </rdf:RDF>"#,
    );
    assert_eq!(p.format, FeedFormat::Rss1);
    assert_eq!(p.entries[0].id.as_deref(), Some("https://n.example/1"));
    assert_eq!(rows(&p), ["https://n.example/1 | 東芝 |  | 2026-11-02T10:00:00+9"]);
    assert_eq!((p.title.as_deref(), p.language.as_deref()), (Some("新聞"), Some("ja")));
    let p = parse(
        "<rss version=\"0.91\"><channel><title>T</title><link>https://n.example/</link><language>en</language>\
         <description>d</description><item><title>One</title><link>https://n.example/1</link></item></channel></rss>",
    );
    assert_eq!((p.format, p.entries.len()), (FeedFormat::Rss0, 1));
    assert!(p.repaired.is_empty(), "{:?}", p.repaired);
}

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="https://news.example/base/">
        <title type="text">T</title><id>urn:x</id><updated>2026-11-02T10:00:00Z</updated>
        <link href="https://news.example/"/><link rel="next" href="?page=2"/>
        <author><name>Feed</name></author>
        <entry><title type="html">A &amp;lt; B &lt;i&gt;i&lt;/i&gt;</title><id>urn:1</id><updated>2026-11-02T11:00:00Z</updated>
        <published>2026-11-02T10:00:00+01:00</published>
        <link rel="self" href="self"/><link rel="alternate" type="application/json" href="j"/><link rel="alternate" type="text/html" href="one"/>
        <author><name>Ann</name><email>a@x.example</email><uri>https://ann.example/</uri></author><category term="t" label="Label"/>
        <source><title>Elsewhere</title><id>urn:e</id><updated>2001-01-01T00:00:00Z</updated></source>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>X <b>html</b></p><p>text</p></div></content></entry>
        <entry xml:base="https://cdn.example/" xml:lang="fr"><title>Two</title><id>https://news.example/2</id><link href="two"/><updated>2026-11-03</updated></entry>
        <entry><title>Three</title><id>https://news.example/3</id><updated>2026-11-03T01:00:00Z</updated></entry>
        </feed>"#;

#[test]
fn atom() {
    let p = parse(ATOM);
    assert_eq!(
        rows(&p),
        [
            "https://news.example/base/one | A < B i | X html text | 2026-11-02T10:00:00+1",
            "https://cdn.example/two | Two |  | 2026-11-03T00:00:00",
            "https://news.example/3 | Three |  | 2026-11-03T01:00:00+0",
        ]
    );
    assert_eq!(p.next.as_deref(), Some("https://news.example/base/?page=2"));
    assert_eq!(p.home.as_deref(), Some("https://news.example/"));
    assert_eq!(p.language.as_deref(), Some("de"));
    assert_eq!(p.entries[1].language.as_deref(), Some("fr"));
    assert_eq!(
        (&p.entries[0].authors[..], &p.entries[0].categories[..]),
        (&["Ann".to_owned()][..], &["Label".to_owned()][..])
    );
    let old = parse(
        r#"<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>T</title><entry><title>Old</title>
        <link rel="alternate" type="text/html" href="https://news.example/old"/><issued>2026-11-02T10:00:00Z</issued></entry></feed>"#,
    );
    assert_eq!(rows(&old), ["https://news.example/old | Old |  | 2026-11-02T10:00:00+0"]);
    let prefixed = parse(
        r#"<x:feed xmlns:x="http://www.w3.org/2005/Atom"><x:title>T</x:title><x:entry><x:title>P</x:title><x:link href="/p"/></x:entry></x:feed>"#,
    );
    assert_eq!(rows(&prefixed), ["https://news.example/p | P |  | "]);
}

const JSON: &str = r#"{"version":"https://jsonfeed.org/version/1.1","title":"J","home_page_url":"https://news.example/","language":"sv",
"hubs":[{"type":"WebSub","url":"https://hub.example/"}],"next_url":"https://news.example/2.json","items":[
{"id":"1","url":"https://news.example/1","title":"Å < B","content_html":"<p>Text &amp; more</p>","date_published":"2026-11-02T10:00:00+01:00","authors":[{"name":"Ann"}],"tags":["a"]},
{"id":2,"external_url":"/2","content_text":"1 < 2","author":{"name":"Ben"}}]}"#;

#[test]
fn json_feed() {
    let p = parse(JSON);
    let expect = [
        "https://news.example/1 | Å < B | Text & more | 2026-11-02T10:00:00+1",
        "https://news.example/2 |  | 1 < 2 | ",
    ];
    assert_eq!(rows(&p), expect);
    assert_eq!(p.format, FeedFormat::JsonFeed);
    assert_eq!(p.hub.as_deref(), Some("https://hub.example/"));
    assert_eq!(p.next.as_deref(), Some("https://news.example/2.json"));
    assert_eq!(p.entries[1].authors, ["Ben"]);
    let whole = rows(&parse(&JSON.replace("Å < B", "Å\n <\t \\ud83d\\ude00 \\\\ud800 \\uD83D B")));
    assert_eq!(
        whole[0],
        "https://news.example/1 | Å < 😀 \\ud800 \u{FFFD} B | Text & more | 2026-11-02T10:00:00+1"
    );
    assert_eq!(whole[1], expect[1]);
    // Titles are plain text: what looked like a tag was lost.
    let p = parse(&JSON.replace("Å < B", "Why <b> is &amp; stays <main>"));
    assert_eq!(p.entries[0].title.as_deref(), Some("Why <b> is & stays <main>"));
    let p = parse(&JSON.replace("Å < B", "\\udc00\u{1}\n"));
    assert_eq!(
        p.repaired,
        [
            "control character in a JSON string made a space (2×)",
            "half a surrogate pair replaced (1×)"
        ]
    );
    let cut = parse(&JSON[..JSON.len() - 20]);
    assert_eq!(rows(&cut), expect[..1]);
    assert_eq!(cut.title.as_deref(), Some("J"));
    assert!(cut.repaired[0].starts_with("broken JSON"), "{:?}", cut.repaired);
}

const NEWS: &str = r#"<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>https://news.example/a?x=1&amp;y=2</loc><news:news><news:publication><news:name>Post</news:name><news:language>nl</news:language></news:publication>
<news:publication_date>2026-11-02T10:00:00+01:00</news:publication_date><news:title>Philips &amp;amp; co</news:title><news:keywords>a, b</news:keywords></news:news>
<image:image><image:loc>https://news.example/i.jpg</image:loc><image:title>Image</image:title></image:image></url>
<url><loc>https://news.example/old</loc><lastmod>2020-01-01</lastmod></url>
</urlset>"#;

#[test]
fn sitemaps() {
    let p = parse(NEWS);
    assert_eq!(
        rows(&p),
        ["https://news.example/a?x=1&y=2 | Philips & co |  | 2026-11-02T10:00:00+1"]
    );
    assert_eq!((p.format, p.language.as_deref()), (FeedFormat::NewsSitemap, Some("nl")));
    assert_eq!(p.entries[0].categories, ["a", "b"]);
    let p = parse("<urlset><url><loc>https://news.example/x</loc></url></urlset>");
    assert_eq!((p.format, p.entries.len()), (FeedFormat::Sitemap, 0));
    let p = parse(
        "<sitemapindex><sitemap><loc> https://news.example/1.xml </loc><lastmod>2026-11-02</lastmod></sitemap>\
         <sitemap><loc><![CDATA[https://news.example/2.xml.gz]]></loc></sitemap></sitemapindex>",
    );
    assert_eq!(p.format, FeedFormat::SitemapIndex);
    assert_eq!(p.sitemaps, ["https://news.example/2.xml.gz", "https://news.example/1.xml"]);
}

/// The first so many were read, so that an index that lists its archive first never brought the sitemap of the day.
#[test]
fn sitemaps_of_an_index() {
    let limits = Settings { max_sitemaps: 3, ..Settings::default() };
    let check = |listed: &[(&str, &str)], expect: &[&str], left_out| {
        let maps = listed.iter().map(|(path, date)| {
            format!(
                "<sitemap><loc>https://news.example/{path}</loc><lastmod>{date}</lastmod></sitemap>"
            )
        });
        let index = format!("<sitemapindex>{}</sitemapindex>", maps.collect::<String>());
        let found = parse_text(&index, None, "https://news.example/", &limits).expect("an index");
        let paths = found.sitemaps.iter().map(|url| &url["https://news.example/".len()..]);
        assert_eq!(paths.collect::<Vec<_>>(), expect);
        assert_eq!(found.sitemaps_left_out, left_out);
    };
    let (old, new) = ("2019-03-02", "2026-11-28T15:00:00Z");
    check(&[("1", old), ("2", new), ("3", "2020-01-01")], &["2", "3", "1"], 0);
    check(&[("4", new), ("3", ""), ("2", ""), ("1", old)], &["4", "3", "2"], 1);
    check(&[("1", ""), ("2", ""), ("3", ""), ("4", ""), ("5", "")], &["5", "4", "3"], 2);
    check(&[("1", old), ("2", old), ("3", old), ("4", old)], &["4", "3", "2"], 1);
    check(
        &[("1", new), ("2", old), ("3", old), ("sitemap-News.xml", ""), ("x?type=news", "")],
        &["x?type=news", "sitemap-News.xml", "1"],
        2,
    );
    check(
        &[("news1", ""), ("news2", ""), ("n", new), ("news3", ""), ("news4", "")],
        &["news4", "news3", "news2"],
        2,
    );
}

#[test]
fn gzip() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(NEWS.as_bytes()).expect("a Vec takes all");
    let packed = encoder.finish().expect("a Vec takes all");
    let limits = Settings::default();
    assert_eq!(unpack(&packed, &limits).as_deref(), Ok(NEWS.as_bytes()));
    assert_eq!(unpack(NEWS.as_bytes(), &limits).as_deref(), Ok(NEWS.as_bytes()));
    let small = Settings { max_bytes: 100, ..Settings::default() };
    assert_eq!(unpack(&packed, &small), Err(FeedError::TooLarge { bytes: 101, limit: 100 }));
    let cut = unpack(&packed[..packed.len() / 2], &limits).expect("the part before the cut");
    assert!(NEWS.as_bytes().starts_with(&cut) && !cut.is_empty());
    assert!(matches!(unpack(&packed[..5], &limits), Err(FeedError::Gzip(_))));
}

/// What feed-rs loses a whole feed for, and other damage. One entry is always there.
#[test]
fn damage() {
    let item = "<item><title>T</title><link>https://news.example/1</link></item>";
    let rss = |inside: &str| format!("<rss version=\"2.0\"><channel>{inside}</channel></rss>");
    let one = "https://news.example/1 | T |  | ";
    let check = |text: &str, expect: &[&str], word: &str| {
        let p = parse(text);
        assert_eq!(rows(&p), expect, "{text}");
        let told = p.repaired.join("; ");
        assert!(
            if word.is_empty() { told.is_empty() } else { told.contains(word) },
            "{told}: {text}"
        );
    };
    check(&rss(item), &[one], "");
    check(
        &rss("<item><title>R&D</title><link>https://news.example/1?a=1&b=2</link></item>"),
        &["https://news.example/1?a=1&b=2 | R&D |  | "],
        "bare &",
    );
    check(
        &rss("<item><title>1 < 2</title><link>https://news.example/1</link></item>"),
        &["https://news.example/1 | 1 < 2 |  | "],
        "bare <",
    );
    check(
        &rss("<item><title>a&nbsp;b &euro;</title><link>https://news.example/1</link></item>"),
        &["https://news.example/1 | a b € |  | "],
        "HTML entity",
    );
    check(&format!("\u{FEFF}\n junk {}", rss(item)), &[one], "before the first tag");
    check(&format!("<b>Notice</b>: x\n<?xml version='1.0'?>{}", rss(item)), &[one], "declaration");
    check(&format!("<?xml version=\"1.0\" encoding=\"utf-16\"?>{}", rss(item)), &[one], "");
    check(&format!("<rss><channel>{item}</channel></rss>"), &[one], "without a version");
    check(&format!("<RSS version='2.0'><channel>{item}</channel></RSS>"), &[one], "<RSS>");
    check(&format!("<rss version='2.1'><channel>{item}</channel></rss>"), &[one], "2.1");
    check(&rss(&format!("\u{b}{item}")), &[one], "control");
    check(
        &rss("<item><title>T</titel><link>https://news.example/1</link></item>"),
        &["https://news.example/1 | T</titel> |  | "],
        "well-formed",
    );
    check(&rss(&format!("<p>{item}")), &[one], "well-formed");
    check(&rss("<item><title>T</title><link>https://news.example/1</link>"), &[one], "well-formed");
    check(&format!("<rss version='2.0'><channel>{item}<item><title>cut"), &[one], "well-formed");
    let last = "<item><title>U</title><link>https://news.example/2</link><description>cut";
    let two = "https://news.example/2 | U |  | ";
    check(&format!("<rss version='2.0'><channel>{item}{last}"), &[one, two], "well-formed");
    check(&format!("<channel>{item}"), &[one], "well-formed");
    check(
        &rss(&format!("{item}<item><title>x</title><link>javascript:1</link></item>")),
        &[one],
        "usable URL",
    );
    check(
        &rss("<item><title>T</title><link>www.news.example/1</link></item>"),
        &["https://www.news.example/1 | T |  | "],
        "",
    );
    // feed-rs 3.0 panics here.
    let author = "<author>b@x.ex\u{10EAD}ple (Ben)</author></item>";
    check(&rss(&item.replace("</item>", author)), &[one], "");
    let long = format!("<item><link>https://news.example/{}</link></item>", "x".repeat(2_048));
    check(&rss(&format!("{item}{long}")), &[one], "usable URL");
    let bomb = format!("<!DOCTYPE r [<!ENTITY a \"{}\"><!ENTITY b \"&a;&a;\">]>", "x".repeat(99));
    check(
        &format!("{bomb}{}", rss(&item.replace("T<", "T&b;<"))),
        &["https://news.example/1 | T&b; |  | "],
        "bare &",
    );
    check(&rss(&format!("{}{item}", "<x>".repeat(200_000))), &[one], "nested");
    let attributes: String = (0..100_000).map(|n| format!(" a{n}=''")).collect();
    check(&rss(&format!("<x{attributes}/>{item}")), &[one], "attributed");
}

#[test]
fn limits() {
    let items: String =
        (0..2_500).map(|n| format!("<item><link>https://news.example/{n}</link></item>")).collect();
    let p = parse(&format!("<rss version=\"2.0\"><channel>{items}</channel></rss>"));
    assert_eq!((p.entries.len(), p.left_out), (2_000, 500));
    let error =
        |text: &str| parse_text(text, None, URL, &Settings::default()).unwrap_err().to_string();
    assert_eq!(error(" \n"), "the feed is empty");
    let page = "this is an HTML page, not a feed; `crawler discover URL` looks for its feeds";
    assert_eq!(error("<!DOCTYPE html><html><body>"), page);
    assert_eq!(error("<body><item>x</item></body>"), page);
    assert_eq!(error("<opml version='2.0'>"), "this is a <opml> document, not a feed");
    assert_eq!(error("hello"), "this is text without markup, not a feed");
    assert_eq!(error("{\"a\":1}"), "this is JSON without `items`, not a feed");
    assert!(error("{\"a\":").starts_with("broken JSON"));
    assert!(error(&"[".repeat(100_000)).contains("without markup"));
    assert!(error(&"{\"a\":".repeat(100_000)).starts_with("broken JSON"));
    let small = Settings { max_bytes: 10, ..Settings::default() };
    let large = FeedError::TooLarge { bytes: RSS2.len(), limit: 10 };
    assert_eq!(parse_text(RSS2, None, URL, &small), Err(large));
}

/// The first 2,000 were read: of a feed whose oldest items stand first, never a new one.
#[test]
fn of_many_items_the_newest_are_read() {
    let dated = |n: u64| {
        let at = jiff::Timestamp::from_second(1_790_000_000 + 60 * n as i64).unwrap();
        (format!("https://news.example/{n}"), at.to_string())
    };
    let all: Vec<(String, String)> = (0..2_100).map(dated).collect();
    let rss = |(url, at): &(String, String)| {
        format!("<item><link>{url}</link><pubDate>{at}</pubDate></item>")
    };
    let json =
        |(url, at): &(String, String)| format!(r#"{{"url":"{url}","date_published":"{at}"}}"#);
    let news = |(url, at): &(String, String)| {
        format!(
            "<url><loc>{url}</loc><news:news><news:publication_date>{at}</news:publication_date></news:news></url>"
        )
    };
    type Form<'f> = &'f dyn Fn(&(String, String)) -> String;
    let forms: [(&str, Form<'_>, &str, &str); 4] = [
        ("<rss version='2.0'><channel>", &rss, "", "</channel></rss>"),
        ("{\"version\":\"1\",\"items\":[", &json, ",", "]}"),
        ("{\"version\":\"1\",\"items\":[", &json, ",", ",{\"url\":"),
        ("<urlset>", &news, "", "</urlset>"),
    ];
    for (head, form, between, end) in forms {
        let rising: Vec<String> = all.iter().map(form).collect();
        let falling: Vec<String> = all.iter().rev().map(form).collect();
        let read = |items: &[String]| {
            let parsed = parse(&format!("{head}{}{end}", items.join(between)));
            assert_eq!((parsed.entries.len(), parsed.left_out), (2_000, 100), "{head}");
            parsed.entries.into_iter().map(|entry| entry.url).collect::<Vec<_>>()
        };
        let (rising, falling) = (read(&rising), read(&falling));
        assert_eq!((&rising[0], &rising[1_999]), (&all[100].0, &all[2_099].0), "{head}");
        assert_eq!((&falling[0], &falling[1_999]), (&all[2_099].0, &all[100].0), "{head}");
    }
}

#[test]
fn a_sitemap_without_news_says_so() {
    let plain = "<url><loc>https://news.example/1</loc></url>";
    let news = "<url><loc>https://news.example/2</loc><news:news/></url>";
    let why = |urls: &str| parse(&format!("<urlset>{urls}</urlset>")).no_news();
    assert_eq!(
        why(&plain.repeat(2)).as_deref(),
        Some("no news sitemap: none of its 2 addresses has a `news:` part")
    );
    // It may have news tomorrow.
    assert_eq!((why(""), why(&format!("{plain}{news}"))), (None, None));
}

/// Cut anywhere, a feed gives a prefix of its entries; the last of them may lack what is behind its
/// title and link.
#[test]
fn truncation_keeps_a_prefix() {
    for whole in [RSS2, ATOM, NEWS, JSON] {
        let all = parse(whole).entries;
        for n in (0..whole.len()).filter(|n| whole.is_char_boundary(*n)) {
            let entries = parse_text(&whole[..n], None, URL, &Settings::default())
                .map_or(Vec::new(), |p| p.entries);
            let Some((last, before)) = entries.split_last() else { continue };
            assert!(all.starts_with(before), "cut at {n}: {entries:#?}");
            let named = |e: &Entry| (e.url.clone(), e.title.clone());
            assert_eq!(named(last), named(&all[before.len()]), "cut at {n}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_text_ends(text in "\\PC{0,200}") {
        let _ = parse_text(&text, None, URL, &Settings::default());
    }
    #[test]
    fn any_soup_ends(parts in prop::collection::vec(prop::sample::select(vec![
        "<rss>", "<rss version='2.0'>", "<channel>", "<item>", "</item>", "<entry>", "</entry>", "<feed>",
        "<title>", "</title>", "<link>", "<link href='/x'/>", "</link>", "https://a.example/1", "<![CDATA[", "]]>",
        "&", "&amp;", "<", ">", "\"", "<!--", "-->", "<urlset>", "<url>", "<loc>", "</url>", "<news:news>", "{",
        "\"items\":[", "é", "<author>", "<name>", "</author>", "<source>", "<content type='xhtml'>", "<?xml ", "<!DOCTYPE x [",
    ]), 0..60)) {
        let limits = Settings { max_entries: 5, ..Settings::default() };
        let text = parts.concat();
        let _ = is_feed(&text);
        if let Ok(p) = parse_text(&text, None, URL, &limits) {
            prop_assert!(p.entries.len() <= 5);
            prop_assert!(p.entries.iter().all(|e| e.url.starts_with("http") && e.url.len() <= limits.max_url));
        }
    }
    #[test]
    fn any_damage_ends(at in 0..2_000usize, with in "\\PC{0,4}", whole in prop::sample::select(vec![RSS2, ATOM, NEWS, JSON])) {
        let mut text: Vec<char> = whole.chars().collect();
        let at = at.min(text.len());
        let end = (at + 2).min(text.len());
        text.splice(at..end, with.chars());
        let text: String = text.into_iter().collect();
        let _ = parse_text(&text, None, URL, &Settings::default());
    }
}

#[test]
fn shipped_brands_are_brands() {
    #[derive(serde::Deserialize)]
    struct List {
        brand: Vec<crate::model::Brand>,
    }
    let list: List =
        toml::from_str(include_str!("../../../seeds/brands.toml")).expect("a watch list");
    assert!(list.brand.len() >= 25);
    let mut names: Vec<_> = list.brand.iter().map(|b| &b.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), list.brand.len());
}

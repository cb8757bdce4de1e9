//! What makes an item: its address, dates, title, content; and what stands beside the items.

use super::*;

/// A file has no address: feed-rs reads it as well, and its links stand on their own.
#[test]
fn without_an_address() {
    let limits = Settings::default();
    let p = parse_text(RSS2, None, "", &limits).expect("a feed");
    assert_eq!(p.repaired, ["entries without a usable URL (1×)"]);
    assert_eq!(p.entries.len(), 4);
    let p = parse_text(
        r#"<rss version="2.0" xmlns:x="http://purl.org/dc/elements/1.1/"><channel><title>C</title>
        <item><title>T</title><link>https://news.example/1</link><x:date>2026-11-02T10:00:00Z</x:date></item></channel></rss>"#,
        None,
        "",
        &limits,
    )
    .expect("a feed");
    assert_eq!(rows(&p), ["https://news.example/1 | T |  | 2026-11-02T10:00:00+0"]);
    assert!(p.repaired.is_empty(), "{:?}", p.repaired);
}

/// An item's own date counts, wherever another vocabulary's stands; an unusable one hides none.
#[test]
fn dates_of_two_vocabularies() {
    let check = |dates: &str, day: &str| {
        let p = parse(&format!(
            "<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><item>\
             <title>T</title><link>https://news.example/1</link>{dates}</item></channel></rss>"
        ));
        let stamp = p.entries[0].published.as_ref().unwrap_or_else(|| panic!("no date: {dates}"));
        assert_eq!(stamp.local.date().to_string(), day, "{dates}");
    };
    let dc = "<dc:date>2026-11-02T10:00:00Z</dc:date>";
    let own = "<pubDate>Tue, 03 Nov 2026 10:00:00 GMT</pubDate>";
    check(&format!("<pubDate>foo</pubDate>{dc}"), "2026-11-02");
    check(&format!("{dc}{own}"), "2026-11-03");
    check(&format!("{own}{dc}"), "2026-11-03");
    check(dc, "2026-11-02");
}

/// What people see of items that name no address: their place, title, and a link that lacks a base.
#[test]
fn items_without_an_address() {
    let shown = |text: &str, url: &str| -> Vec<String> {
        let p = parse_text(text, None, url, &Settings::default()).expect("a feed");
        let told = p.repaired.join("; ");
        assert_eq!(told.contains("usable URL"), !p.unlinked.is_empty(), "{told}");
        let part = |t: &Option<String>| t.clone().unwrap_or_else(|| "–".to_owned());
        let one = |u: &Unlinked| {
            format!("{} {} {} {}", u.place, part(&u.link), part(&u.id), part(&u.title))
        };
        p.unlinked.iter().map(one).collect()
    };
    let rss = |items: &str| {
        format!("<rss version=\"2.0\"><channel><title>C</title>{items}</channel></rss>")
    };
    let items = rss("<item><title>A</title><link>a/1</link></item>\
         <item><title>B</title><link>https://news.example/b</link></item>\
         <item><title>C</title><guid isPermaLink=\"false\">https://news.example/c</guid></item>\
         <item><title>D</title><enclosure url=\"https://news.example/d.mp3\" type=\"audio/mpeg\" length=\"1\"/></item>\
         <item><title>E</title><link>javascript:1</link></item>");
    let bare = ["1 – https://news.example/c C", "1 – – D", "1 – – E"];
    let with = |place: usize| bare.map(|row| format!("{place}{}", &row[1..])).to_vec();
    assert_eq!(shown(&items, ""), [vec!["0 a/1 – A".to_owned()], with(1)].concat());
    assert_eq!(shown(&items, URL), with(2));
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>C</title><entry><title>A</title><id>urn:1</id>\
         <link rel=\"enclosure\" href=\"https://news.example/a.mp3\"/></entry></feed>";
    assert_eq!(shown(atom, URL), ["0 – urn:1 A"]);
}

/// `xml:base` of a link itself, and names of relations as IRIs (RFC 4287 §2, §4.2.7.2).
#[test]
fn links_with_their_own_base() {
    let check = |link: &str, expect: &str| {
        for (head, foot) in [
            ("<feed xmlns='http://www.w3.org/2005/Atom'><entry>", "</entry></feed>"),
            ("<rss version='2.0'><channel><item>", "</item></channel></rss>"),
        ] {
            let text = format!("{head}<title>T</title>{link}{foot}");
            for url in ["", URL] {
                let p = parse_text(&text, None, url, &Settings::default()).expect("a feed");
                assert_eq!(rows(&p), [format!("{expect} | T |  | ")], "{text} at {url}");
            }
        }
    };
    check("<link xml:base='https://c.example/z/' href='x/1'/>", "https://c.example/z/x/1");
    check("<link xml:base='https://c.example/z/'>x/1</link>", "https://c.example/z/x/1");
    let iana = "http://www.iana.org/assignments/relation/";
    check(
        &format!(
            "<link rel='{iana}self' href='https://c.example/s'/><link rel='{iana}alternate' href='https://c.example/1'/>"
        ),
        "https://c.example/1",
    );
}

/// A title of the item's medium is better than none; one of a picture is not.
#[test]
fn titles_of_media() {
    let check = |inside: &str, title: Option<&str>| {
        let p = parse(&format!(
            "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><item>\
             <link>https://news.example/1</link>{inside}</item></channel></rss>"
        ));
        assert_eq!(p.entries[0].title.as_deref(), title, "{inside}");
    };
    let (group, own) =
        ("<media:group><media:title>G</media:title></media:group>", "<title>T</title>");
    check("<media:title>M</media:title>", Some("M"));
    check(&format!("{group}<media:title>M</media:title>"), Some("G"));
    check(&format!("{group}{own}"), Some("T"));
    check(&format!("<title/>{group}"), Some("G"));
    check("<media:content url='x'><media:title>P</media:title></media:content>", None);
    check(&format!("<media:content url='x'/>{group}"), Some("G"));
}

/// Elements that are named like items inside a content that ends are its markup.
#[test]
fn items_inside_a_content() {
    let rss = |inside: &str| {
        rows(&parse(&format!(
            "<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"><channel>\
             <item><title>T</title>{inside}</item>\
             <item><title>U</title><link>https://news.example/2</link></item></channel></rss>"
        )))
    };
    let link = "<link>https://news.example/1</link>";
    let two = "https://news.example/2 | U |  | ";
    assert_eq!(
        rss(&format!(
            "<content:encoded><div><item>a<link>/no</link></item></div></content:encoded>{link}"
        )),
        ["https://news.example/1 | T | <item>a<link>/no</link></item> | ", two]
    );
    // Without an end tag, the next item is an item.
    assert_eq!(
        rss(&format!("{link}<content:encoded>a")),
        ["https://news.example/1 | T | a | ", two]
    );
    assert_eq!(
        rss(&format!(
            "{link}<content:encoded>a<item>{link}<content:encoded>b</content:encoded></item>"
        ))[2],
        two
    );
    let p = parse(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>C</title><entry><title>T</title><id>1</id>\
         <content type=\"xml\"><rss xmlns=\"\"><channel><item>x</item></channel></rss></content>\
         <link href=\"https://news.example/1\"/></entry></feed>",
    );
    assert_eq!((p.entries.len(), p.unlinked.len()), (1, 0), "{p:?}");
    assert!(p.repaired.is_empty(), "{:?}", p.repaired);
    assert_eq!(p.entries[0].url, "https://news.example/1");
}

#[test]
fn hours_and_days_without_polls() {
    let check = |head: &str, hours: u32, days: u8| {
        let item = "<item><title>T</title><link>https://news.example/1</link><hour>5</hour></item>";
        let p = parse(&format!("<rss version=\"2.0\"><channel>{head}{item}</channel></rss>"));
        assert_eq!((p.skips.hours, p.skips.days), (hours, days), "{head}");
    };
    check("", 0, 0);
    check(
        "<skipHours><hour>0</hour><hour> 23 </hour></skipHours><skipDays><day>Saturday</day><day>SUNDAY</day></skipDays>",
        1 | 1 << 23,
        0b110_0000,
    );
    check(
        "<skipHours><hour>24</hour><hour>25</hour><hour>x</hour><hour>-1</hour></skipHours>",
        1,
        0,
    );
    check("<skipDays><day>Funday</day><day>1</day></skipDays>", 0, 0);
}

/// What leads to comments, or stands inside another field, is not the article's address.
#[test]
fn addresses_of_something_else() {
    let rss = |inside: &str| {
        let p = parse(&format!(
            "<rss version=\"2.0\" xmlns:wfw=\"http://wellformedweb.org/CommentAPI/\"><channel>\
             <item><title>T</title>{inside}</item></channel></rss>"
        ));
        p.entries.iter().map(|e| e.url.clone()).collect::<Vec<_>>()
    };
    let comments = "<comments>https://news.example/1#comments</comments>";
    let about = "<wfw:commentRss>https://news.example/1/feed</wfw:commentRss>";
    assert_eq!(rss(comments), [""; 0]);
    assert_eq!(rss(about), [""; 0]);
    let link = "<link>https://news.example/1</link>";
    assert_eq!(rss(&format!("{comments}{about}{link}")), ["https://news.example/1"]);
    let inner = "<category>News<link>https://news.example/category/news</link></category>";
    assert_eq!(rss(&format!("{inner}{link}")), ["https://news.example/1"]);
    assert_eq!(rss(inner), [""; 0]);
    // Without its end tag, the category ends where the link begins.
    assert_eq!(
        rss(&format!("<category>News{link}<category>Rail</category>")),
        ["https://news.example/1"]
    );
}

#[test]
fn rss_under_a_prefix() {
    let p = parse(
        "<r:rss version='2.0' xmlns:r='https://feeds.example/rss'><r:channel><r:title>C</r:title>\
         <r:item><r:title>T</r:title><r:link>https://news.example/1</r:link></r:item>\
         </r:channel></r:rss>",
    );
    assert_eq!(rows(&p), ["https://news.example/1 | T |  | "]);
    assert_eq!(p.title.as_deref(), Some("C"));
}

/// Atom 0.3 packs texts (§3.1.2); what is no base64 stays.
#[test]
fn packed_titles() {
    let check = |title: &str, expect: &str| {
        let p = parse(&format!(
            "<feed version=\"0.3\" xmlns=\"http://purl.org/atom/ns#\"><title>C</title><entry>{title}\
             <link rel=\"alternate\" type=\"text/html\" href=\"https://news.example/1\"/></entry></feed>"
        ));
        assert_eq!(rows(&p), [format!("https://news.example/1 | {expect} |  | ")], "{title}");
    };
    check("<title mode=\"base64\">UiZEIDwg\nMw==</title>", "R&D < 3");
    check("<title type=\"text/html\" mode=\"base64\">PGI+Uk8mYW1wO0I8L2I+</title>", "RO&B");
    check("<title mode=\"base64\">no base64!</title>", "no base64!");
    check("<title mode=\"escaped\">UiZEIDwg</title>", "UiZEIDwg");
}

/// A content elsewhere (RFC 4287 §4.1.3.2) is where the entry leads, if nothing else says so.
#[test]
fn contents_elsewhere() {
    let check = |inside: &str, expect: &[&str]| {
        let p = parse(&format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>C</title><entry><title>T</title>\
             <id>https://news.example/id</id>{inside}</entry></feed>"
        ));
        let urls: Vec<_> = p.entries.iter().map(|e| e.url.as_str()).collect();
        assert_eq!(urls, expect, "{inside}");
    };
    check("<content src=\"/1\"/>", &["https://news.example/1"]);
    check("<content type=\"text/html\" src=\"/1\"/>", &["https://news.example/1"]);
    check("<content type=\"video/mp4\" src=\"/1\"/>", &["https://news.example/id"]);
    check("<content src=\"/1\"/><link href=\"/2\"/>", &["https://news.example/2"]);
}

/// Looking ahead for forgotten end tags is bounded.
#[test]
fn nothing_is_looked_at_too_often() {
    let limits = Settings { max_bytes: usize::MAX, ..Settings::default() };
    for part in ["<item><content>", "<title><guid>", "<category><link>"] {
        let text = format!("<rss><channel>{}", part.repeat(200_000));
        let p = parse_text(&text, None, URL, &limits).expect("a feed");
        assert!(p.entries.is_empty());
    }
}

/// A comment on an old page made it an article of today.
#[test]
fn readers_comments_are_no_entries() {
    let check = |link: &str, comments: usize| {
        let p = parse(&format!(
            "<rss version='2.0'><channel><item><title>By: Ann</title><link>{link}</link></item></channel></rss>"
        ));
        assert_eq!((p.entries.len(), p.comments), (1 - comments, comments), "{link}");
        assert_eq!(p.no_news().is_some(), comments > 0, "{link}");
    };
    check("https://a.example/2011/03/tram/#comment-77", 1);
    check("https://a.example/tram/comment-page-2/#comment-77", 1);
    check("https://a.example/comment/77#comment-77", 1);
    check("https://a.example/tram#Comment_77", 1);
    check("https://a.example/tram#IDComment77", 1);
    check("https://a.example/tram.html?showComment=1300000000#c77", 1);
    check("https://a.example/tram?a=1&amp;showComment=1300000000", 1);
    check("https://a.example/tram#comments", 0);
    check("https://a.example/tram#commentary-1", 0);
    check("https://a.example/comment-77", 0);
    check("https://a.example/live#post-77", 0);
    let rows =
        |link: &str| format!("<item><title>T</title><link>https://a.example/{link}</link></item>");
    let both = rows("1") + &rows("1#comment-2") + &rows("1#comment-3");
    let p = parse(&format!("<rss version='2.0'><channel>{both}</channel></rss>"));
    assert_eq!((p.entries.len(), p.comments, p.no_news()), (1, 2, None));
    assert_eq!(p.repaired, ["readers' comments left out (2×)"]);
}

//! Pages that are no articles by what they show: each kind ends as itself and is never counted; a paywall's
//! stub is an article.

use serde_json::json;

use crate::process::Place;
use crate::server::{Ask, Server, answer};
use crate::web;

/// A page of a title and a body, sent with status 200.
fn page(title: &str, body: &str) -> String {
    format!(
        "<html><head><title>{title}</title></head><body><nav><a href=/>Home</a></nav><main><h1>{title}</h1>\
         {body}</main></body></html>"
    )
}

/// Name and text of each page of the site that is not a plain article.
fn pages() -> [(&'static str, String); 6] {
    let posts = "<p>Acme should have done this when it was dry, and not in the rain, as everybody knows.</p>\
                 <p>I do not think so. It was never dry since the works began, and who would have paid them?</p>";
    let consent = "<p>Acme and its partners use cookies on your device to show ads and to measure what they do. You \
                   may change your mind whenever you like.</p><button>Accept all</button>";
    let stub = "<p>Acme said on Monday that the bridge will not be opened before the end of the week, because the \
                river had risen again in the night and nobody could look at what it had done.</p>\
                <div class=offer>Subscribe to continue reading.</div>";
    [
        (
            "gone",
            page("Sorry, this page no longer exists", "<p>Acme is still here. Try the search.</p>"),
        ),
        ("broken", page("Service unavailable", "<p>Acme is busy. Try again in a while.</p>")),
        ("consent", page("We value your privacy", consent)),
        ("thread", page("Bridge closed", posts).replace("<body>", "<body id=phpbb>")),
        ("stub", page("Bridge closed", stub)),
        ("nothing", "<html><body></body></html>".to_owned()),
    ]
}

/// They were articles, with all that they held; an answer without a body was no failure of its server.
#[test]
fn files_that_are_sent_as_pages_are_no_articles() {
    const TEXT: &str = "Acme said on Monday that the bridge will not be opened before the end of the week, because the \
                        river had risen again in the night and nobody could look at what it had done. ";
    let text = TEXT.repeat(5);
    let site = web::paper(vec![
        ("report", &[], format!("%PDF-1.7\n1 0 obj\n<< >>\nstream\n({text}) Tj\nendstream\n")),
        ("letter", &[], format!("{{\\rtf1\\ansi {text}}}")),
        ("answer", &[], json!({"title": "Bridge closed", "paragraphs": [text, text]}).to_string()),
        ("empty", &[], " \n".to_owned()),
        ("open", &[], web::html(1, 0, 1, "2026-11-10T10:00:00Z")),
    ]);
    let place = Place::new();
    place.watch(site.url(0, "/feed.xml"), "Acme\n");
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
    let outcomes = &place.json(["status"])["outcomes"];
    assert_eq!(
        *outcomes,
        json!({"article": 1, "not an article": 3, "not an article(error page)": 1})
    );
}

#[test]
fn pages_that_are_no_articles_end_as_what_they_are() {
    let open = ("open", &[][..], web::html(1, 0, 1, "2026-11-10T10:00:00Z"));
    let others = pages().map(|(name, text)| (name, &[][..], text));
    let site = web::paper(others.into_iter().chain([open]).collect());
    let place = Place::new();
    place.watch(site.url(0, "/feed.xml"), "Acme\n");
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
    let outcomes = &place.json(["status"])["outcomes"];
    for (name, count) in [
        ("article", 2),
        ("not an article(soft 404)", 1),
        ("not an article(error page)", 1),
        ("not an article(consent wall)", 1),
        ("not an article(forum)", 1),
        ("not an article", 1),
    ] {
        assert_eq!(outcomes[name], count, "{name}: {outcomes}");
    }
    for article in place.json(["articles"]).as_array().unwrap() {
        let shown = place.json(["show", article["key"].as_str().unwrap()]);
        let stub = article["url"].as_str().unwrap().ends_with("/stub.html");
        let expect = if stub { json!(["partial"]) } else { json!([]) };
        assert_eq!(shown["record"]["article"]["signals"], expect, "{article}");
    }
}

/// Some paragraphs that name Acme, as markup.
fn story(seed: u64) -> String {
    let page = web::html(seed, 0, 1, "2026-11-10T10:00:00Z");
    let (from, to) = (page.find("<p>").unwrap(), page.rfind("</p>").unwrap());
    page[from..to + 4].to_owned()
}

/// Whoever listed the address of an outlet's feed had all that it says counted once more, as a story.
#[test]
fn a_feed_that_somebody_lists_as_a_page_is_no_article() {
    let xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- generated -->\n";
    let (text, quoted) = (story(1), crawler::model::escaped(&story(2)));
    let documents = [
        (
            "text/xml",
            format!(
                "\u{feff}{xml}<rss version=\"2.0\"><channel><title>A paper</title><item>\
            <title>On Acme</title><description>{quoted}</description></item></channel></rss>"
            ),
        ),
        (
            "text/html",
            format!(
                "{xml}<rss version=\"2.0\"><channel><title>A paper</title><item>\
            <description><![CDATA[{text}]]></description></item></channel></rss>"
            ),
        ),
        (
            "text/html; charset=utf-8",
            format!(
                "{xml}<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A paper\
            </title><entry><content type=\"xhtml\"><div>{text}</div></content></entry></feed>"
            ),
        ),
        (
            "application/octet-stream",
            format!(
                "{xml}<?xml-stylesheet href=\"f.xsl\"?><rdf:RDF><channel>\
            <title>A paper</title></channel><item><description>{quoted}</description></item></rdf:RDF>"
            ),
        ),
        (
            "application/xml",
            format!("{xml}<urlset><url><loc>https://a.example/</loc></url>{text}</urlset>"),
        ),
        (
            "text/plain",
            format!("{xml}<!DOCTYPE opml [ <!ENTITY a \"<p>\"> ]><opml><body>{text}</body></opml>"),
        ),
        (
            "text/plain",
            format!(
                "{{\"version\": \"https:\\/\\/jsonfeed.org\\/version\\/1.1\", \"items\": \
            [{{\"content_html\": \"{text}\"}}]}}"
            ),
        ),
        (
            "application/xhtml+xml",
            format!(
                "{xml}<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \
            \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\"><html xmlns=\"http://www.w3.org/1999/xhtml\">\
            <head><title>On rss and feed</title></head><body><h1>On rss and feed</h1>{text}</body></html>"
            ),
        ),
    ];
    let feeds = documents.len() - 1;
    let site = Server::start(1, |addresses| {
        let here = addresses[0];
        move |ask: &Ask| {
            if ask.path == "/feed.xml" {
                let item = |n| format!("<item><link>http://{here}/{n}</link></item>");
                return web::rss(&(0..documents.len()).map(item).collect::<String>());
            }
            let asked = ask.path[1..].parse().ok().and_then(|n: usize| documents.get(n));
            let Some((kind, text)) = asked else { return answer("404 Not Found", &[], "") };
            answer("200 OK", &[&format!("Content-Type: {kind}")], text)
        }
    });
    let place = Place::new();
    place.watch(site.url(0, "/feed.xml"), "Acme\n");
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
    let outcomes = &place.json(["status"])["outcomes"];
    assert_eq!(outcomes["not an article"], feeds, "{outcomes}");
    assert_eq!(outcomes["article"], 1, "{outcomes}");
    for n in 0..feeds {
        place.run(["extract", &site.url(0, &format!("/{n}"))]).one_sentence(&["feed"]);
    }
    place.run(["extract", &site.url(0, &format!("/{feeds}"))]).good();
}

/// What readers never see, since the page itself leads them on at once, counted as its text.
#[test]
fn a_page_that_leads_on_at_once_is_a_redirect() {
    let pages = [
        // Path, what the page says of where it leads, whether it is an article.
        ("at-once", "<meta http-equiv=refresh content=\"0;url=/target\">", false),
        ("soon", "<META HTTP-EQUIV=Refresh CONTENT=\" 1.9 , URL = '/target'more\">", false),
        ("away", "<base href=\"http://AWAY/x/\"><meta http-equiv=refresh content=\"0; y\">", false),
        ("later", "<meta http-equiv=refresh content=\"2;url=/target\">", true),
        ("again", "<meta http-equiv=refresh content=0>", true),
        ("itself", "<meta http-equiv=refresh content=\"0;url=/itself#top\">", true),
        (
            "first",
            "<meta http-equiv=refresh content=300><meta http-equiv=refresh content=\"0;/target\">",
            true,
        ),
        (
            "without-scripts",
            "<noscript><meta http-equiv=refresh content=\"0;url=/target\"></noscript>",
            true,
        ),
        ("target", "", true),
        ("round", "<meta http-equiv=refresh content=\"0;url=/about\">", false),
        ("about", "<meta http-equiv=refresh content=\"0;url=/round\">", false),
    ];
    let site = Server::start(2, |addresses| {
        let (here, away) = (addresses[0], addresses[1].to_string());
        move |ask: &Ask| {
            if ask.path == "/feed.xml" {
                let item = |(path, ..): &(&str, _, _)| {
                    format!("<item><link>http://{here}/{path}</link></item>")
                };
                // The last is found by the one before it.
                return web::rss(&pages[..pages.len() - 1].iter().map(item).collect::<String>());
            }
            let seed =
                ask.path.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(byte));
            let page = web::html(seed, 0, 1, "2026-11-10T10:00:00Z");
            if ask.outlet == 1 && ask.path == "/x/y" {
                let undated = page.replace("article:published_time", "other");
                return answer("200 OK", &["Content-Type: text/html"], undated);
            }
            let Some((_, lead, _)) = pages.iter().find(|(path, ..)| ask.path[1..] == **path) else {
                return answer("404 Not Found", &[], "");
            };
            let head = format!("<head>{}", lead.replace("AWAY", &away));
            answer("200 OK", &["Content-Type: text/html"], page.replace("<head>", &head))
        }
    });
    let place = Place::new();
    place.watch(site.url(0, "/feed.xml"), "Acme\n");
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
    let listed = place.json(["articles"]);
    for (path, _, article) in pages {
        let url = site.url(0, &format!("/{path}"));
        let found = listed.as_array().unwrap().iter().any(|row| row["url"] == url);
        assert_eq!(found, article, "{path}: {listed}");
    }
    let outcomes = &place.json(["status"])["outcomes"];
    // Two of them to each other.
    assert_eq!(outcomes["moved"], 5, "{outcomes}");
    // Of the other outlet, which has not listed it: it would have to state its date.
    assert_eq!(outcomes["not an article"], 1, "{outcomes}");
}

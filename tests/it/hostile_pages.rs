//! Pages that want more counted than a reader sees, beside an outlet that is honest: what each outlet
//! counts is what its readers see, and the honest one's counts are those without the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use serde_json::Value;

use crate::process::{Daemon, Place, wait_for};
use crate::server::{Ask, Server, answer};
use crate::web;

/// What is put into the head, and into the article, around words that nobody is to see.
const HIDDEN: [(&str, &str); 14] = [
    ("", "<p style=\"DISPLAY:NONE\">WORDS</p>"),
    ("", "<p style=\"color:red; display : none !important; display:block\">WORDS</p>"),
    ("", "<p style=\"dis\\70lay:/**/none\">WORDS</p>"),
    ("", "<p style=\"position:absolute;left:-9999px\">WORDS</p>"),
    ("", "<p style=\"font-size:0\">WORDS</p>"),
    ("", "<p style=\"opacity:0\">WORDS</p>"),
    ("", "<p hidden>WORDS</p>"),
    ("", "<p>It rained.<span style=\"visibility:collapse\"> WORDS</span></p>"),
    ("<style>.q{display:none}</style>", "<p class=\"a q\">WORDS</p>"),
    ("<style>#q{visibility:hidden}</style>", "<div id=q><p>WORDS</p></div>"),
    ("<style>aside.q>p,x-y{opacity:0}</style>", "<x-y><p>WORDS</p></x-y>"),
    ("<STYLE>@media screen{.q{text-indent:-9999px}}</STYLE>", "<p class=q>WORDS</p>"),
    ("<style>.q{display:none!important}</style>", "<p class=q style=\"display:block\">WORDS</p>"),
    ("<style media=all>/*{*/.q{clip-path:inset(50%)}</style>", "<p class=q>WORDS</p>"),
];

/// An outlet's page: honest, or with something inside its article.
fn page(outlet: usize, article: usize, words: &str) -> String {
    let html = web::html((100 * outlet + article) as u64, 0, 1, "2026-11-10T10:00:00Z");
    match outlet {
        1 => {
            let (head, inside) = HIDDEN[article];
            let inside = inside.replace("WORDS", words);
            html.replace("</title>", &format!("</title>{head}"))
                .replace("</h1>", &format!("</h1>{inside}"))
        }
        2 => html.replace("</article>", &format!("{}</article>", stuffing())),
        _ => html,
    }
}

/// Prose that comes back to one brand in every sentence.
fn stuffing() -> String {
    const NAMED: &str = " Acme and Acme said so to Acme, and Acme agreed with Acme.</p>";
    let pages = (5_000..5_040).map(|seed| web::html(seed, 0, 1, "2026-11-10T10:00:00Z"));
    let paragraph = |line: &str| line.starts_with("<p>") && line.ends_with("</p>");
    let of = |page: String| -> String {
        let lines = page.lines().filter(|line| paragraph(line));
        lines.map(|line| line.replace("</p>", NAMED)).collect()
    };
    pages.map(of).collect()
}

fn outlets() -> Server {
    let words = "Acme opens a plant in the spring, and Acme says that Acme hires. ".repeat(100);
    Server::start(3, |addresses| {
        let addresses = addresses.to_vec();
        move |ask: &Ask| {
            let articles = if ask.outlet == 1 { HIDDEN.len() } else { 2 };
            match ask.path {
                "/feed.xml" => {
                    let item = |n| {
                        let at = addresses[ask.outlet];
                        format!(
                            "<item><title>x</title><link>http://{at}/news-{n}.html</link></item>"
                        )
                    };
                    let items: String = (0..articles).map(item).collect();
                    crate::web::rss(&items)
                }
                path => match path.strip_prefix("/news-").and_then(|p| p.strip_suffix(".html")) {
                    Some(n) => {
                        let html = page(ask.outlet, n.parse().unwrap(), &words);
                        answer("200 OK", &["Content-Type: text/html; charset=utf-8"], html)
                    }
                    None => answer("404 Not Found", &[], ""),
                },
            }
        }
    })
}

#[test]
fn what_nobody_sees_and_what_nobody_would_write_is_not_counted() {
    let server = outlets();
    let place = Place::new();
    let feeds: String = (0..3).map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.watch(feeds, "Acme\n");
    place.run(["run", "--once"]).good();
    let lines = place.json(["articles"]);
    let lines: Vec<&Value> = lines.as_array().unwrap().iter().collect();
    assert_eq!(lines.len(), 2 + HIDDEN.len() + 2);
    for line in lines {
        let url = line["url"].as_str().unwrap();
        let counted = line["mentions"]["Acme"].as_u64().unwrap();
        let stuffed = line["stuffed"].as_array().unwrap();
        if url.starts_with(&server.url(2, "/")) {
            // Ten, and one for each 25 words of text and title.
            let shown = place.json(["show", line["key"].as_str().unwrap()]);
            let text = shown["record"]["article"]["text"].as_str().unwrap();
            let words = text.split_whitespace().count() as u64;
            let caps = (10 + words / 25).min(200)..=(10 + (words + 25) / 25).min(200);
            assert!(caps.contains(&counted) && stuffed.len() == 1, "{caps:?} {line}");
        } else {
            assert_eq!((counted, stuffed.len()), (1, 0), "{line}");
        }
    }
    let table = place.run(["articles"]).good();
    assert!(table.contains("(stuffed)"), "{table}");
    assert!(place.run(["verify"]).good().contains("every number"));
    // The same holds of another brand set, when stored texts are matched again.
    place.write("brands.txt", "Acme\nUmbra\n");
    place.run(["brands", "import", "brands.txt"]).good();
    assert!(place.run(["articles"]).good().contains("(stuffed)"));
    assert!(place.run(["verify"]).good().contains("every number"));
}

/// A daemon that is asked again and again tells a day's stuffed articles when they have come.
#[test]
fn a_day_of_stuffed_articles_is_told() {
    let listed = Arc::new(AtomicUsize::new(2));
    let (lists, now) = (listed.clone(), jiff::Timestamp::now().to_string());
    let server = Server::start(1, |addresses| {
        let home = addresses[0];
        move |ask: &Ask| {
            if ask.path == "/feed.xml" {
                let link =
                    |n| format!("<item><title>x</title><link>http://{home}/{n}.html</link></item>");
                let items: String = (0..lists.load(SeqCst)).map(link).collect();
                return crate::web::rss(&items);
            }
            match ask.path.strip_suffix(".html").and_then(|path| path[1..].parse().ok()) {
                Some(n) => {
                    let html = web::html(n, 0, 1, &now);
                    let html = html.replace("</article>", &format!("{}</article>", stuffing()));
                    answer("200 OK", &["Content-Type: text/html; charset=utf-8"], html)
                }
                None => answer("404 Not Found", &[], ""),
            }
        }
    });
    let mut place = Place::new();
    for setting in ["feed.schedule.start=300ms", "feed.schedule.min=300ms", "feed.schedule.max=1s"]
    {
        place.set(setting);
    }
    place.watch(server.url(0, "/feed.xml") + "\n", "Acme\n");
    let _daemon = Daemon::start(&place);
    let articles = || place.json(["articles"]).as_array().unwrap().len();
    let told = || place.run(["status"]).out.contains("articles of their length do");
    wait_for("two articles", || articles() == 2);
    assert!(!told(), "two are few");
    listed.store(5, SeqCst);
    wait_for("all articles", || articles() == 5);
    assert!(told());
}

//! An outlet without any feed is followed by its section pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::Place;
use crate::server::{Ask, Server, answer};
use crate::web;

/// A site whose front page links its sections, and these so many stories.
fn site(stories: &Arc<AtomicU64>) -> Server {
    let stories = stories.clone();
    Server::start(1, |_| {
        move |ask: &Ask| {
            let html = ["Content-Type: text/html; charset=utf-8"];
            let links = |from: u64, to: u64| -> String {
                (from..to)
                    .map(|n| {
                        let title = web::headline(n);
                        format!("<h2><a href=\"/world/a-story-of-the-day-{n}\">{title}</a></h2>")
                    })
                    .collect()
            };
            match ask.path {
                "/robots.txt" => answer("200 OK", &[], "User-agent: *\nDisallow: /secret\n"),
                "/" => answer(
                    "200 OK",
                    &html,
                    "<nav><a href=/world>World</a> <a href=/secret>Secret</a> <a href=/imprint>Imprint</a>\
                     <a href=/empty>Empty</a></nav><h1>Welcome</h1>",
                ),
                "/world" => answer("200 OK", &html, links(0, stories.load(Ordering::Relaxed))),
                "/empty" => answer("200 OK", &html, "<p>Nothing here.</p>"),
                path => match path.strip_prefix("/world/a-story-of-the-day-") {
                    Some(n) => {
                        let page = web::html(n.parse().unwrap(), 0, 1, "2026-11-10T10:00:00Z");
                        answer("200 OK", &html, page)
                    }
                    None => answer("404 Not Found", &[], ""),
                },
            }
        }
    })
}

#[test]
fn an_outlet_without_a_feed_is_followed_by_its_section_pages() {
    let stories = Arc::new(AtomicU64::new(6));
    let site = site(&stories);
    let place = Place::new();
    let found = place.run(["discover", &site.url(0, "/")]).good();
    let world = site.url(0, "/world");
    assert!(found.contains(&format!("section page: {world} links 6 articles")), "{found}");
    let said = place.run(["seed", &site.url(0, "/")]).good();
    assert!(said.contains(&format!("added: {world}")), "{said}");
    let feeds = place.json(["feeds"]);
    assert_eq!(feeds.as_array().unwrap().len(), 1, "{feeds}");
    assert_eq!(feeds[0]["format"], "section");
    let asked = |path: &str| site.hits().iter().filter(|hit| hit.path == path).count();
    // Whoever looks for feeds may have looked at stories, too.
    let before = asked("/world/a-story-of-the-day-0");
    place.run(["run", "--once"]).good();
    assert_eq!(place.json(["articles"]).as_array().unwrap().len(), 6);
    // Another story is an entry of its own at the next poll; the others are known.
    stories.store(7, Ordering::Relaxed);
    place.run(["run", "--once"]).good();
    assert_eq!(place.json(["articles"]).as_array().unwrap().len(), 7);
    assert_eq!(asked("/world/a-story-of-the-day-0"), before + 1);
    assert_eq!(asked("/secret"), 0, "robots.txt forbids it");
    place.run(["verify"]).good();
}

//! What counts of an answer that cannot be read, or not to its end.

use crate::process::Place;
use crate::server::{Ask, Server, Step, answer};

/// An answer that ends long before its length.
fn torn(status: &str) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: 5000\r\n\r\n<p>No");
    vec![Step::Send(head.into_bytes()), Step::Close]
}

/// One outlet with this robots.txt and this page.
fn site(robots: Vec<Step>, page: Vec<Step>) -> Server {
    Server::start(1, move |_| {
        move |ask: &Ask| if ask.path == "/robots.txt" { robots.clone() } else { page.clone() }
    })
}

fn page() -> Vec<Step> {
    answer("200 OK", &["Content-Type: text/html"], "<p>A page.")
}

fn asked_for_the_page(site: &Server) -> bool {
    site.hits().iter().any(|hit| hit.path == "/page")
}

#[test]
fn the_stump_of_a_line_of_robots_txt_is_no_rule() {
    for (rules, stump, asked) in [
        ("User-agent: *\nDisallow: /\nAllow: /press/x\n", "press/x\n", false),
        ("User-agent: *\nDisallow: /private/\n", "private/\n", true),
    ] {
        let site = site(answer("200 OK", &[], rules), page());
        let mut place = Place::new();
        place.set(&format!("fetch.robots_cap={}", rules.len() - stump.len()));
        let got = place.run(["extract", &site.url(0, "/page")]);
        assert_eq!(asked_for_the_page(&site), asked, "{rules}: {}", got.err);
    }
}

#[test]
fn a_robots_txt_that_is_not_there_is_not_there_whatever_its_body() {
    let deflate = answer("404 Not Found", &["Content-Encoding: deflate"], "no");
    for robots in [torn("404 Not Found"), torn("403 Forbidden"), deflate] {
        let site = site(robots, page());
        let got = Place::new().run(["extract", &site.url(0, "/page")]);
        assert!(asked_for_the_page(&site), "{}", got.err);
    }
    let site = site(torn("503 Busy"), page());
    let got = Place::new().run(["extract", &site.url(0, "/page")]);
    got.one_sentence(&["robots.txt cannot be read", "status 503"]);
    assert!(!asked_for_the_page(&site));
}

#[test]
fn a_page_that_is_gone_is_gone_whatever_its_body() {
    let deflate = answer("410 Gone", &["Content-Encoding: deflate"], "no");
    for refusal in [torn("410 Gone"), deflate] {
        let site = site(answer("404 Not Found", &[], ""), refusal);
        let got = Place::new().run(["extract", &site.url(0, "/page")]);
        got.one_sentence(&["HTTP status 410"]);
    }
}

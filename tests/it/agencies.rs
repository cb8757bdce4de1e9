//! Whose text an outlet prints: agency copy beside own reporting.

use std::collections::BTreeMap;

use crate::process::Place;
use crate::web;

const PAGES: [&str; 5] = ["dateline", "byline", "machines", "quoted", "picture"];

/// One page a way to name an agency; each names Acme once, in its third paragraph.
fn page(name: &str, seed: u64) -> String {
    let html = web::html(seed, 0, 2, "2026-11-10T10:00:00Z");
    match name {
        "dateline" => html.replacen("<p>", "<p>LONDON, Nov 10 (Reuters) - ", 1),
        "byline" => html.replacen("</h1>", "</h1><div class=byline>By Ann Archer, Associated Press</div>", 1),
        "machines" => html.replacen(
            "</head>",
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"author\":{\"@type\":\
             \"Organization\",\"name\":\"Deutsche Presse-Agentur\"}}</script></head>",
            1,
        ),
        "quoted" => html.replacen("<p>", "<p>Its owner told Reuters (and others) so on Friday. ", 1),
        _ => html.replacen(
            "</h1>",
            "</h1><figure><img src=/a.jpg alt=''><figcaption>A plant. Photo: AFP</figcaption></figure>",
            1,
        ),
    }
}

#[test]
fn mentions_are_told_apart_by_the_agency_that_an_article_credits() {
    let pages = PAGES.iter().zip(1..).map(|(name, seed)| (*name, &[][..], page(name, seed)));
    let site = web::paper(pages.collect());
    let place = Place::new();
    place.watch(site.url(0, "/feed.xml"), "Acme\n");
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
    let by_agency = place.json(["mentions", "--by", "agency"]);
    let lines: BTreeMap<&str, (i64, i64)> = by_agency["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            let number = |name: &str| line[name].as_i64().unwrap();
            (line["bucket"].as_str().unwrap(), (number("articles"), number("mentions")))
        })
        .collect();
    let expect = [("AP", (1, 1)), ("Reuters", (1, 1)), ("dpa", (1, 1)), ("own reporting", (2, 2))];
    assert_eq!(lines, BTreeMap::from(expect));
    // And the article itself says where it stands.
    let articles = place.json(["articles"]);
    let credited: Vec<(String, String)> = articles
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|line| {
            let shown = place.json(["show", line["key"].as_str().unwrap()]);
            let first = shown["record"]["agencies"][0].clone();
            Some((first["value"].as_str()?.to_owned(), first["source"].as_str()?.to_owned()))
        })
        .collect();
    assert!(credited.contains(&("Reuters".into(), "visible".into())), "{credited:?}");
    assert!(credited.contains(&("dpa".into(), "json-ld".into())), "{credited:?}");
    let table = place.run(["mentions", "--by", "agency"]).good();
    assert!(table.contains("own reporting"), "{table}");
}

use super::*;
use proptest::prelude::*;

/// Of a page without a title.
fn untitled(_: &str) -> bool {
    false
}

fn check(blocks: &[&str], expect: LinkedData) {
    assert_eq!(read(blocks.iter().copied(), "https://n.example/a/1", untitled), expect);
}

fn titled(headline: &str) -> LinkedData {
    LinkedData { headline: Some(headline.into()), is_article: true, ..LinkedData::default() }
}

#[test]
fn shapes() {
    check(&[r#"{"@type":"NewsArticle","headline":"A"}"#], titled("A"));
    check(&[r#"[{"@type":["Article","NewsArticle"],"headline":"A"}]"#], titled("A"));
    check(
        &[
            r#"{"@graph":[{"@type":"WebPage"},{"@type":"http://schema.org/Article","headline":"A"}]}"#,
        ],
        titled("A"),
    );
    check(
        &["<!--\n//<![CDATA[\n{\"@type\":\"Article\",\"headline\":\"A\"};\n//]]>\n-->"],
        titled("A"),
    );
    check(&["{\"@type\":\"Article\",\"headline\":\"A\nB\",}"], titled("A B"));
    check(&["{\"@type\":\"Article\",\"headline\":\"A \\' B\"} trailing"], titled("A \\' B"));
    check(&[r#"{"@type":"Article","headline":"Tom &amp;amp; Ann&#39;s"}"#], titled("Tom & Ann's"));
    check(&["{broken", r#"{"@type":"Article","headline":"A"}"#], titled("A"));
    check(&[r#"{"@type":"BreadcrumbList","name":"x"}"#], LinkedData::default());
    check(&["", "null", "17", "\"x\""], LinkedData::default());
    check(&[&"[".repeat(100_000)], LinkedData::default());
}

#[test]
fn what_says_that_it_is_of_another_page_yields() {
    let headline = |blocks: &[&str]| {
        read(blocks.iter().copied(), "https://n.example/a/1", untitled).headline.unwrap_or_default()
    };
    let own = r#"{"@type":"NewsArticle","headline":"own"}"#;
    let other = r#"{"@type":"NewsArticle","headline":"other","url":"https://o.example/1",
        "datePublished":"2001-01-01","articleBody":"x"}"#;
    assert_eq!(headline(&[other, own]), "own");
    assert_eq!(headline(&[own, other]), "own");
    assert_eq!(headline(&[other]), "other");
    // The same page on a host for phones, or only the rest of an address.
    let dated = r#""datePublished":"2026-05-03"}"#;
    for url in ["https://m.n.example/x/1/?ref=a", "/a/2", "x//y", ""] {
        let phone = format!(r#"{{"@type":"NewsArticle","headline":"phone","url":"{url}",{dated}"#);
        assert_eq!(headline(&[own, &phone]), "phone", "{url}");
    }
    let post = r#"{"@type":"BlogPosting","headline":"post"}"#;
    assert_eq!(headline(&[post, other]), "other");
}

#[test]
fn what_tells_of_something_else_neither_dates_nor_signs() {
    let check = |block: &str, expect: Option<&str>| {
        let data = super::read([block].into_iter(), "https://n.example/a/1", |text| {
            text == "Bridge closed"
        });
        let name = |author: &Author| author.name.clone();
        let found = data.authors.first().map(name).or_else(|| data.published.clone());
        assert_eq!(found.as_deref(), expect, "{block}");
    };
    let object = |kind: &str, rest: &str| {
        format!(r#"{{"@type":"{kind}","author":"Ann Archer","datePublished":"2020-01-01"{rest}}}"#)
    };
    let own = Some("Ann Archer");
    check(&object("VideoObject", r#","name":"Clip""#), None);
    check(&object("VideoObject", r#","name":"Bridge closed""#), own);
    check(&object("CreativeWork", r#","url":"https://n.example/a/1""#), own);
    check(&object("SocialMediaPosting", ""), own);
    check(&object("NewsArticle", r#","headline":"Other","url":"https://n.example/a/2""#), None);
    check(
        &object("NewsArticle", r#","headline":"Bridge closed","url":"https://n.example/a/2""#),
        own,
    );
    check(&object("NewsArticle", r#","url":"https://n.example/a/2""#), own);
    let within =
        |inner: &str| format!(r#"{{"@type":"ItemList","itemListElement":[{{"item":{inner}}}]}}"#);
    check(&within(&object("NewsArticle", r#","headline":"Other""#)), None);
    check(&within(&object("NewsArticle", r#","headline":"Bridge closed""#)), own);
    check(&format!(r#"{{"@type":"Product","review":{}}}"#, object("Review", "")), None);
    // What tells of the page itself comes before what ranks above it.
    let both = format!(
        "[{},{}]",
        within(&object("NewsArticle", "")),
        r#"{"@type":"Recipe","name":"Bridge closed","author":"Ben Baker"}"#
    );
    check(&both, Some("Ben Baker"));
    let page = format!(
        "[{},{}]",
        object("VideoObject", ""),
        r#"{"@type":"WebPage","datePublished":"2026-11-20"}"#
    );
    check(&page, Some("2026-11-20"));
}

#[test]
fn lists_say_so() {
    let of = |block: &str| {
        let data = super::read([block].into_iter(), "", untitled);
        (data.is_list, data.has_items)
    };
    assert_eq!(of(r#"{"@type":"CollectionPage"}"#), (true, false));
    assert_eq!(of(r#"[{"@type":"SearchResultsPage"},{"@type":"ItemList"}]"#), (true, true));
    assert_eq!(of(r#"{"@type":"OfferCatalog"}"#), (false, true));
    assert_eq!(of(r#"{"@type":"BreadcrumbList"}"#), (false, false));
    assert_eq!(of(r#"{"@type":"NewsArticle","headline":"A"}"#), (false, false));
}

#[test]
fn what_the_page_is_and_whether_it_is_free() {
    let of = |block: &str| {
        let data = super::read([block].into_iter(), "", untitled);
        (data.is_article, data.is_thread, data.is_paid)
    };
    assert_eq!(of(r#"{"@type":"Article","isAccessibleForFree":false}"#), (true, false, true));
    assert_eq!(of(r#"{"@type":"Article","isAccessibleForFree":"False"}"#), (true, false, true));
    assert_eq!(of(r#"{"@type":"Article","isAccessibleForFree":true}"#), (true, false, false));
    assert_eq!(of(r#"{"@type":"DiscussionForumPosting","headline":"A"}"#), (false, true, false));
    assert_eq!(of(r#"{"@type":"QAPage"}"#), (false, true, false));
    // An article on which readers ask.
    let both = r#"[{"@type":"Article","headline":"A"},{"@type":"QAPage"}]"#;
    assert_eq!(of(both), (true, false, false));
    assert_eq!(of(r#"{"@type":"WebPage"}"#), (false, false, false));
}

#[test]
fn the_pages_own_article_wins() {
    let teaser = r#"{"@type":"NewsArticle","headline":"Teaser","url":"https://n.example/b/2","datePublished":"2026"}"#;
    let own = r#"{"@type":"NewsArticle","headline":"Own","mainEntityOfPage":{"@id":"https://www.n.example/a/1/"}}"#;
    let read = |blocks: &[&str]| {
        super::read(blocks.iter().copied(), "https://n.example/a/1", untitled).headline
    };
    assert_eq!(read(&[teaser, own]).as_deref(), Some("Own"));
    assert_eq!(read(&[own, teaser]).as_deref(), Some("Own"));
    let list = format!(r#"{{"@type":"ItemList","itemListElement":[{teaser}]}}"#);
    let plain = r#"{"@type":"NewsArticle","headline":"Own","datePublished":"2026"}"#;
    assert_eq!(read(&[&list, plain]).as_deref(), Some("Own"));
}

#[test]
fn authors() {
    let check = |author: &str, expect: &[&str]| {
        let block = format!(
            r##"{{"@graph":[{{"@type":"Article","author":{author}}},{{"@id":"#p","@type":"Person","name":"Pia"}}]}}"##
        );
        let data = read([block.as_str()].into_iter(), "", untitled);
        let names: Vec<&str> = data.authors.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, expect, "{author}");
    };
    check(r#""Ann""#, &["Ann"]);
    check(r#"{"@type":"Person","name":"Ann"}"#, &["Ann"]);
    check(r#"[{"name":"Ann"},"Ben"]"#, &["Ann", "Ben"]);
    check(r#"{"name":["Ann","Ben"]}"#, &["Ann", "Ben"]);
    check(r##"[{"@id":"#p"},{"name":"Ann"}]"##, &["Pia", "Ann"]);
    check(r#"{"givenName":"Ann","familyName":"Author"}"#, &["Ann Author"]);
    check("null", &[]);
    check("7", &["7"]);
}

proptest! {
    #[test]
    fn never_panics(block in "[\\[\\]{}\":,a-z@\\\\ \n]{0,200}") {
        read([block.as_str()].into_iter(), "x", untitled);
    }
}

#[test]
fn a_person_is_no_organisation_whatever_else_it_is_called() {
    let organisation = |kinds: &str| {
        let author = format!(r#"{{"@type":{kinds},"name":"Ann Archer"}}"#);
        let page = format!(r#"{{"@type":"Article","headline":"A","author":{author}}}"#);
        let data = read([page.as_str()].into_iter(), "https://n.example/a/1", untitled);
        assert_eq!(data.site_name.is_some(), data.authors[0].organisation, "{kinds}");
        data.authors[0].organisation
    };
    assert!(!organisation(r#"["Person","Organization"]"#));
    assert!(organisation(r#"["NewsMediaOrganization","Organization"]"#));
}

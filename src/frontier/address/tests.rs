use super::*;
use proptest::prelude::*;

fn canonical_of(url: &str) -> String {
    address(url, None).map_or_else(|e| format!("! {e}"), |a| a.canonical)
}

#[test]
fn canonical_table() {
    #[rustfmt::skip]
    let rows = [
        // scheme, host, port
        ("http://a.example/x", "https://a.example/x"),
        ("https://a.example/x", "https://a.example/x"),
        ("HTTP://A.Example/X", "https://a.example/X"),
        ("http://a.example:80/x", "https://a.example/x"),
        ("https://a.example:443/x", "https://a.example/x"),
        ("http://a.example:8080/x", "https://a.example:8080/x"),
        ("http://a.example:443/x", "http://a.example:443/x"),
        ("https://a.example:80/x", "https://a.example:80/x"),
        ("http://a.example", "https://a.example/"),
        ("http://a.example./x", "https://a.example/x"),
        ("http://a.example../x", "https://a.example/x"),
        ("http://a.example.....:81/x", "https://a.example:81/x"),
        ("http://192.0.2.7../x", "https://192.0.2.7/x"),
        ("https://www.a.example/x", "https://www.a.example/x"),
        ("https://user:secret@a.example/x", "https://a.example/x"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://новости.example/", "https://xn--b1amnebsh.example/"),
        ("http://0x7f.1/x", "https://127.0.0.1/x"),
        ("http://[::1]:80/x", "https://[::1]/x"),
        ("http://[2001:DB8::1]:8080/x", "https://[2001:db8::1]:8080/x"),
        ("//a.example/x", "https://a.example/x"),
        ("https:a.example/x", "https://a.example/x"),
        ("https:/a.example/x", "https://a.example/x"),
        ("http:\\\\a.example\\x", "https://a.example/x"),
        // fragment
        ("https://a.example/x#top", "https://a.example/x"),
        ("https://a.example/x#", "https://a.example/x"),
        ("https://a.example/#!/x", "https://a.example/"),
        // path
        ("https://a.example/a/./b/../c", "https://a.example/a/c"),
        ("https://a.example/../../c", "https://a.example/c"),
        ("https://a.example/a/%2e%2e/c", "https://a.example/c"),
        ("https://a.example/a/", "https://a.example/a/"),
        ("https://a.example/a//b", "https://a.example/a//b"),
        ("https://a.example/a/index.html", "https://a.example/a/index.html"),
        ("https://a.example/%7euser", "https://a.example/~user"),
        ("https://a.example/%41%62c", "https://a.example/Abc"),
        ("https://a.example/a%2fb", "https://a.example/a%2Fb"),
        ("https://a.example/%c3%bcber", "https://a.example/%C3%BCber"),
        ("https://a.example/über", "https://a.example/%C3%BCber"),
        ("https://a.example/新闻", "https://a.example/%E6%96%B0%E9%97%BB"),
        ("https://a.example/a b", "https://a.example/a%20b"),
        ("https://a.example/100%", "https://a.example/100%"),
        ("https://a.example/%%36%36", "https://a.example/%%366"),
        ("https://a.example/x,123.html", "https://a.example/x,123.html"),
        ("https://a.example/a;b=1/c", "https://a.example/a;b=1/c"),
        ("https://a.example/a;jsessionid=1F3?x=1", "https://a.example/a?x=1"),
        ("https://a.example/a;JSESSIONID=1F3/b", "https://a.example/a/b"),
        // query
        ("https://a.example/x?", "https://a.example/x"),
        ("https://a.example/x?&", "https://a.example/x"),
        ("https://a.example/x?id=7", "https://a.example/x?id=7"),
        ("https://a.example/x?b=2&a=1", "https://a.example/x?b=2&a=1"),
        ("https://a.example/x?a=1&&b=2&", "https://a.example/x?a=1&b=2"),
        ("https://a.example/x?a=", "https://a.example/x?a="),
        ("https://a.example/x?a", "https://a.example/x?a"),
        ("https://a.example/x?q=%c3%bc&r=%7e", "https://a.example/x?q=%C3%BC&r=~"),
        ("https://a.example/x?q=a+b", "https://a.example/x?q=a+b"),
        ("https://a.example/x?u=http%3a%2f%2fb", "https://a.example/x?u=http%3A%2F%2Fb"),
        // tracking
        ("https://a.example/x?utm_source=rss", "https://a.example/x"),
        ("https://a.example/x?UTM_Source=rss", "https://a.example/x"),
        ("https://a.example/x?utm%5Fsource=rss", "https://a.example/x"),
        ("https://a.example/x?id=7&utm_medium=feed&p=2", "https://a.example/x?id=7&p=2"),
        ("https://a.example/x?fbclid=abc", "https://a.example/x"),
        ("https://a.example/x?gclid=abc#c", "https://a.example/x"),
        ("https://a.example/x?at_medium=RSS&at_campaign=K", "https://a.example/x"),
        ("https://a.example/x?at=7", "https://a.example/x?at=7"),
        ("https://a.example/x?maca=de-rss-1", "https://a.example/x"),
        ("https://a.example/x?mc_cid=1&mc_eid=2", "https://a.example/x"),
        ("https://a.example/x?xtor=RSS-1", "https://a.example/x"),
        ("https://a.example/x?wt_zmc=fix.int", "https://a.example/x"),
        ("https://a.example/x?WT.mc_id=3", "https://a.example/x"),
        ("https://a.example/x?mtm_campaign=1&pk_kwd=2", "https://a.example/x"),
        ("https://a.example/x?partner=rss&emc=rss", "https://a.example/x"),
        ("https://a.example/x?partner=acme", "https://a.example/x?partner=acme"),
        ("https://a.example/x?ref=rss", "https://a.example/x"),
        ("https://a.example/x?ref=17", "https://a.example/x?ref=17"),
        ("https://a.example/x?source=RSS", "https://a.example/x"),
        ("https://a.example/x?WT.rss_f=Top&wt.z_cat=7", "https://a.example/x"),
        ("https://a.example/x?wt=7", "https://a.example/x?wt=7"),
        ("https://a.example/x?__cft__[0]=AZ&__tn__=R", "https://a.example/x"),
        ("https://a.example/x?__cft__%5B0%5D=AZ&id=7", "https://a.example/x?id=7"),
        ("https://a.example/x?dm_i=1&gs_l=2&zanpid=3", "https://a.example/x"),
        ("https://a.example/x?utm", "https://a.example/x?utm"),
        ("https://a.example/x?traffic_source=rss", "https://a.example/x"),
        // sessions
        ("https://a.example/x?PHPSESSID=0af", "https://a.example/x"),
        ("https://a.example/x?ASPSESSIONIDQQ=0af", "https://a.example/x"),
        ("https://a.example/x?sid=12", "https://a.example/x?sid=12"),
        ("https://a.example/x?sid=0123456789abcdef0123456789abcdef", "https://a.example/x"),
        // what feeds leave around
        ("  https://a.example/x\n", "https://a.example/x"),
        ("\"https://a.example/x\"", "https://a.example/x"),
        ("<https://a.example/x>", "https://a.example/x"),
        ("“https://a.example/x”", "https://a.example/x"),
        ("\u{feff}https://a.example/x", "https://a.example/x"),
        ("https://a.exa\nmple/x\ty", "https://a.example/xy"),
        ("https://a.example/x?a=1&amp;b=2", "https://a.example/x?a=1&b=2"),
        ("https://a.example/x?a=1&amp;", "https://a.example/x?a=1"),
        ("https://a.example/x?a=1&amp", "https://a.example/x?a=1"),
        // what is no address
        ("", "! relative URL without a base"),
        ("/x", "! relative URL without a base"),
        ("www.a.example/x", "! relative URL without a base"),
        ("mailto:a@a.example", "! scheme `mailto` is neither http nor https"),
        ("javascript:void(0)", "! scheme `javascript` is neither http nor https"),
        ("ftp://a.example/x", "! scheme `ftp` is neither http nor https"),
        ("file:///etc/passwd", "! scheme `file` is neither http nor https"),
        ("data:text/html,x", "! scheme `data` is neither http nor https"),
        ("http://", "! no valid URL: empty host"),
        ("http://a..example/", "! no valid URL: host with an empty label"),
        ("http://.a.example/", "! no valid URL: host with an empty label"),
        ("http://./", "! no valid URL: host with an empty label"),
        ("http://../x", "! no valid URL: host with an empty label"),
        ("http://a.example:99999/", "! no valid URL: invalid port number"),
        ("http://a b.example/", "! no valid URL: invalid international domain name"),
        ("http://[::1/", "! no valid URL: invalid IPv6 address"),
        ("http://1.2.3.999/", "! no valid URL: invalid IPv4 address"),
    ];
    assert!(rows.len() >= 80);
    for (input, expect) in rows {
        assert_eq!(canonical_of(input), expect, "{input}");
    }
}

#[test]
fn bases() {
    for (url, base, expect) in [
        ("/x", "https://a.example/feed/rss.xml", "https://a.example/x"),
        ("x", "https://a.example/feed/rss.xml", "https://a.example/feed/x"),
        ("../x", "http://a.example/feed/rss.xml", "https://a.example/x"),
        ("?p=1", "https://a.example/feed", "https://a.example/feed?p=1"),
        ("//b.example/x", "http://a.example/", "https://b.example/x"),
        ("https://b.example/x", "http://a.example/", "https://b.example/x"),
        ("https://b.example/x", "not a base", "https://b.example/x"),
        // A scheme without `//` is relative to a base of that scheme, and none otherwise.
        ("http:x", "http://a.example/d/", "https://a.example/d/x"),
        ("http:/y", "http://a.example/d/", "https://a.example/y"),
        ("http:?p=1", "http://a.example/d/", "https://a.example/d/?p=1"),
        ("https:b.example/x", "http://a.example/d/", "https://b.example/x"),
        ("http://b.example/x", "http://a.example/d/", "https://b.example/x"),
        ("https://b.example/x", "mailto:a@a.example", "https://b.example/x"),
    ] {
        assert_eq!(address(url, Some(base)).unwrap().canonical, expect, "{url} at {base}");
    }
    assert!(address("/x", Some("not a base")).is_err());
}

#[test]
fn requested_form_keeps_scheme_and_parameters() {
    for (input, expect) in [
        ("http://A.example/x?utm_source=rss#top", "http://a.example/x?utm_source=rss"),
        ("http://me:pw@a.example./", "http://a.example/"),
        ("https://a.example/%7ex", "https://a.example/%7ex"),
    ] {
        assert_eq!(address(input, None).unwrap().url.as_str(), expect);
    }
}

#[test]
fn outlet_and_pace_key() {
    for (url, outlet, pace_key) in [
        ("https://www.morgenpost.test/a", "morgenpost.test", "morgenpost.test"),
        ("https://morgenpost.test../a", "morgenpost.test", "morgenpost.test"),
        ("http://morgenpost.test:8080/a", "morgenpost.test", "morgenpost.test"),
        ("https://news.bbc.co.uk/a", "bbc.co.uk", "bbc.co.uk"),
        ("https://www.bbc.com/a", "bbc.co.uk", "bbc.com"),
        ("https://www1.folha.uol.com.br/a", "folha.com.br", "uol.com.br"),
        ("https://a.b.c.example.com.au/", "example.com.au", "example.com.au"),
        ("https://one.blogspot.com/a", "one.blogspot.com", "blogspot.com"),
        ("https://www.two.blogspot.com/a", "two.blogspot.com", "blogspot.com"),
        ("https://me.github.io/a", "me.github.io", "github.io"),
        ("https://github.io/", "github.io", "github.io"),
        ("https://x.y.s3.amazonaws.com/", "y.s3.amazonaws.com", "amazonaws.com"),
        ("https://co.uk/", "co.uk", "co.uk"),
        ("https://www.例子.中国/", "xn--fsqu00a.xn--fiqs8s", "xn--fsqu00a.xn--fiqs8s"),
        ("http://192.0.2.7/a", "192.0.2.7:80", "192.0.2.7:80"),
        ("https://192.0.2.7/a", "192.0.2.7:443", "192.0.2.7:443"),
        ("http://[2001:db8::1]:81/", "[2001:db8::1]:81", "[2001:db8::1]:81"),
        ("http://localhost:4000/a", "localhost:4000", "localhost:4000"),
        ("http://localhost/a", "localhost:80", "localhost:80"),
        ("http://intranet/a", "intranet:80", "intranet:80"),
        ("http://one.localhost:8080/", "one.localhost:8080", "one.localhost:8080"),
        ("http://www.one.localhost:8080/", "one.localhost:8080", "one.localhost:8080"),
    ] {
        let a = address(url, None).unwrap();
        assert_eq!((a.outlet.as_str(), a.pace_key.as_str()), (outlet, pace_key), "{url}");
    }
}

#[test]
fn key_is_the_sha_256_prefix() {
    // printf '' | sha256sum
    assert_eq!(key("").to_string(), "e3b0c44298fc1c149afbf4c8996fb924");
    let http = address("http://a.example/x?utm_source=1", None).unwrap();
    let https = address("https://a.example/x#y", None).unwrap();
    assert_eq!(http.key, https.key);
}

#[test]
fn length_limit() {
    let long = |n: usize| format!("https://a.example/{}", "x".repeat(n - 18));
    assert!(address(&long(MAX_URL), None).is_ok());
    assert_eq!(address(&long(MAX_URL + 1), None), Err(AddressError::TooLong));
    let encoded = format!("https://a.example/{}", "ä".repeat(400));
    assert_eq!(address(&encoded, None), Err(AddressError::TooLong));
}

#[test]
fn alias_table_is_consistent() {
    let mut seen = std::collections::HashSet::new();
    for line in rows(include_str!("../outlets.txt")) {
        assert!(line.split_whitespace().count() >= 2, "{line}");
        for name in line.split_whitespace() {
            assert!(seen.insert(name), "{name} stands twice");
            assert_eq!(name, name.to_lowercase());
        }
    }
}

proptest! {
    #[test]
    fn canonical_is_a_fixed_point(
        host in "(a|B|www|google|com|2|\\.|\\.\\.){1,6}",
        path in "[a-zA-Z0-9%/?&=;._~ #äß'-]{0,60}",
        escapes in "[%6f4/?;=]{0,60}",
        port in "(:443|:80|:81)?",
        words in "(/|amp|%61mp|;|&|\\?|=|'|s/|b\\.c/|print|\\.html|jsessionid=|utm_x=1|sid){0,12}",
    ) {
        let urls = [
            format!("http://a.example/{path}"),
            format!("http://{host}{port}/{path}"),
            format!("https://a.example{port}/{escapes}"),
            format!("http://{host}/{words}"),
            format!("https://www.google.com/amp/{words}"),
        ];
        for first in urls.iter().filter_map(|url| address(url, None).ok()) {
            let second = address(&first.canonical, None).unwrap();
            prop_assert_eq!(&first.canonical, &second.canonical);
            prop_assert_eq!(first.key, second.key);
        }
    }

    #[test]
    fn any_string_is_answered(raw in "\\PC{0,80}", base in proptest::option::of("\\PC{0,40}")) {
        let _ = address(&raw, base.as_deref());
    }
}

#[test]
fn amp_and_print_versions_are_named_like_the_article() {
    for (version, canonical) in [
        ("https://a.example/x/amp/", "https://a.example/x/"),
        ("https://a.example/x/amp", "https://a.example/x"),
        ("https://a.example/x.amp.html?utm_source=f", "https://a.example/x.html"),
        ("https://a.example/x.amp", "https://a.example/x"),
        ("https://a.example/x?amp", "https://a.example/x"),
        ("https://a.example/x?AMP=1&id=7", "https://a.example/x?id=7"),
        ("https://a.example/x?print=true", "https://a.example/x"),
        ("https://a.example/x?outputType=amp", "https://a.example/x"),
        ("https://a.example/x?view=print", "https://a.example/x"),
        // What only sounds like it.
        ("https://a.example/amp/", "https://a.example/amp/"),
        ("https://a.example/champ", "https://a.example/champ"),
        ("https://a.example/x?print=canvas", "https://a.example/x?print=canvas"),
        ("https://a.example/x?view=list", "https://a.example/x?view=list"),
    ] {
        assert_eq!(address(version, None).unwrap().canonical, canonical, "{version}");
    }
    for (cached, own) in [
        (
            "https://a-example.cdn.ampproject.org/c/s/www.a.example/x?y=1",
            "https://www.a.example/x?y=1",
        ),
        ("https://cdn.ampproject.org/v/www.a.example/x", "http://www.a.example/x"),
        ("https://www.google.com/amp/s/a.example/x", "https://a.example/x"),
        ("https://www.google.com/amp/guide/x", "https://www.google.com/amp/guide/x"),
        ("https://www.google.co.uk/amp/s/b.example/x", "https://b.example/x"),
        ("https://www.google.com/amp/s/www.google.de/amp/s/b.example/x", "https://b.example/x"),
        // Only Google's own names.
        (
            "https://www.google.com.evil.example/amp/s/b.example/x",
            "https://www.google.com.evil.example/amp/s/b.example/x",
        ),
        (
            "https://www.google.blogspot.com/amp/s/b.example/x",
            "https://www.google.blogspot.com/amp/s/b.example/x",
        ),
    ] {
        assert_eq!(address(cached, None).unwrap().url.as_str(), own, "{cached}");
    }
}

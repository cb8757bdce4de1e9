use super::*;
use proptest::prelude::*;

fn decide(body: &str, path: &str) -> RobotsDecision {
    let url = Url::parse("https://a.example").unwrap().join(path).unwrap();
    Robots::parse(body, "crawler").decide(&url)
}

fn check(body: &str, path: &str, allowed: bool) {
    let got = decide(body, path);
    assert_eq!(got.allowed, allowed, "{path} under {body:?}: {got:?}");
}

#[test]
fn groups() {
    for (body, allowed) in [
        ("", true),
        ("User-agent: *\nDisallow: /", false),
        ("user-AGENT:*\ndisALLOW:/", false),
        ("User-agent: *\nDisallow:", true),
        ("User-agent: crawler\nDisallow: /", false),
        ("User-agent: CRAWLER\nDisallow: /", false),
        ("User-agent: Crawler/2.0 (any)\nDisallow: /", false),
        ("User-agent: crawlers\nDisallow: /", true),
        ("User-agent: crawl\nDisallow: /", true),
        ("User-agent: crawler-news\nDisallow: /", true),
        ("User-agent: otherbot\nDisallow: /", true),
        // our own group hides everyone's
        ("User-agent: *\nDisallow: /\n\nUser-agent: crawler\nDisallow: /no", true),
        ("User-agent: crawler\nDisallow: /no\n\nUser-agent: *\nDisallow: /", true),
        ("User-agent: *\nDisallow: /\n\nUser-agent: crawler\n", true),
        ("User-agent: *\nDisallow: /\n\nUser-agent: crawler\nDisallow:", true),
        // groups of one agent are merged
        (
            "User-agent: crawler\nAllow: /no\n\nUser-agent: x\nAllow: /\n\nUser-agent: crawler\nDisallow: /",
            false,
        ),
        ("User-agent: *\nAllow: /no\n\nUser-agent: *\nDisallow: /", false),
        // several agents share a group
        ("User-agent: x\nUser-agent: crawler\nDisallow: /", false),
        ("User-agent: crawler\nUser-agent: x\nDisallow: /", false),
        ("User-agent: crawler\n\n\n# a comment\nUser-agent: x\nDisallow: /", false),
        // other records do not interfere
        (
            "User-agent: crawler\nSitemap: https://a.example/s.xml\nUser-agent: x\nDisallow: /",
            false,
        ),
        ("User-agent: crawler\nCrawl-delay: 5\nUser-agent: x\nDisallow: /", false),
        ("User-agent: crawler\nfoo: bar\nDisallow: /", false),
        ("User-agent: crawler\nno colon here at all\nDisallow: /", false),
        // a rule closes the list of agents
        ("User-agent: crawler\nAllow: /x\nUser-agent: y\nDisallow: /", true),
        // rules before any group belong to nobody
        ("Disallow: /\nUser-agent: crawler\nAllow: /", true),
        // BOM, line ends, comments, white space, typos
        ("\u{feff}User-agent: crawler\nDisallow: /", false),
        ("\u{feff}\u{feff}User-agent: crawler\nDisallow: /", true),
        ("\u{a0}User-agent: *\u{a0}\nDisallow: /", false),
        ("User-agent: crawler\rDisallow: /\r", false),
        ("User-agent: crawler\r\nDisallow: /\r\n", false),
        ("  User-agent :  crawler  # us\n\tDisallow:\t/ # all", false),
        ("User agent: crawler\nDissallow: /", false),
        ("User-agent crawler\nDisallow /", false),
        ("<html><body>User-agent: *\nNot found</body></html>", true),
        // everyone: `*` alone
        ("User-agent: * all\nDisallow: /", false),
        ("User-agent: *bot\nDisallow: /", true),
    ] {
        check(body, "/page", allowed);
    }
}

#[test]
fn a_token_with_digits_has_a_group_of_its_own() {
    for (token, agent, ours) in [
        ("news24bot", "news24bot", true),
        ("news24bot", "News24Bot/1.0", true),
        ("news24bot", "news", false),
        ("news24bot", "news24", false),
        ("news24bot", "news7bot", false),
        ("crawler3", "crawler1", false),
        ("crawler3", "crawler", false),
        ("crawler", "crawler3", true),
        ("3bot", "3bot", true),
        ("3bot", "4bot", false),
    ] {
        let robots = Robots::parse(format!("User-agent: {agent}\nDisallow: /"), token);
        assert_eq!(robots.group.is_some(), ours, "{token} reads {agent}");
    }
}

#[test]
fn utf_16_and_nuls() {
    let rules = "User-agent: *\r\nDisallow: /größe\r\n";
    let octets = |big: bool| -> Vec<u8> {
        let units = "\u{feff}".encode_utf16().chain(rules.encode_utf16());
        units.flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
    };
    let nuls = b"User-agent: *\nDisallow: /gr\0\xc3\xb6\xc3\x9fe\0\n".to_vec();
    for body in [octets(false), octets(true), nuls] {
        let answer = Fetched::Answer { status: 200, body: &body, cut: false, max_age: None };
        let record = after_fetch(None, "https://a.example:443", answer, 0);
        assert!(!record.body.contains('\0'));
        let url = |path| Url::parse("https://a.example").unwrap().join(path).unwrap();
        for robots in [Robots::parse(&body, "crawler"), Robots::of(&record, "crawler")] {
            assert!(!robots.decide(&url("/größe/1")).allowed);
            assert!(robots.decide(&url("/x")).allowed);
        }
    }
}

#[test]
fn paths() {
    for (rules, path, allowed) in [
        ("Disallow: /a", "/a", false),
        ("Disallow: /a", "/ab", false),
        ("Disallow: /a", "/A", true),
        ("Disallow: /a/", "/a", true),
        // a path begins with `/`, or the rule matches nothing
        ("Disallow: a", "/a", true),
        ("Disallow: https://a.example/a", "/a", true),
        ("Disallow: /", "/", false),
        ("Disallow: /", "/robots.txt", true),
        ("Disallow: /robots.txt", "/robots.txt", true),
        // the longest match decides, Allow on ties
        ("Allow: /a\nDisallow: /a/b", "/a/b/c", false),
        ("Disallow: /a/b\nAllow: /a", "/a/b/c", false),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", true),
        ("Disallow: /a\nAllow: /a", "/a", true),
        ("Allow: /a\nDisallow: /a", "/a", true),
        ("Disallow: /\nAllow: /$", "/", true),
        ("Disallow: /\nAllow: /$", "/a", false),
        ("Allow: /a*\nDisallow: /a/", "/a/b", true),
        // wildcards
        ("Disallow: /*.pdf$", "/x/y.pdf", false),
        ("Disallow: /*.pdf$", "/x/y.pdf?z", true),
        ("Disallow: /*.pdf", "/x/y.pdf?z", false),
        ("Disallow: /a*b*c", "/a1b2c3", false),
        ("Disallow: /a*b*c", "/a1c2b3", true),
        ("Disallow: *", "/", false),
        ("Disallow: *.php", "/x.php", false),
        ("Disallow: /a$b", "/a$b", false),
        ("Disallow: /a$b", "/a", true),
        ("Disallow: $", "/", true),
        ("Disallow: $", "/x", true),
        ("Disallow: /$", "/", false),
        ("Disallow: *$", "/x", false),
        ("Disallow: /*?*id=", "/x?a=1&id=2", false),
        ("Disallow: /*?", "/x", true),
        ("Disallow: /x?a=1", "/x?a=1&b=2", false),
        // percent-encoding is normalised on both sides
        ("Disallow: /ö", "/%C3%B6", false),
        ("Disallow: /%c3%b6", "/ö", false),
        ("Disallow: /b%61z", "/baz", false),
        ("Disallow: /baz", "/%62%61%7A", false),
        ("Disallow: /a%2Fb", "/a/b", true),
        ("Disallow: /a/b", "/a%2fb", true),
        ("Disallow: /a%2fb", "/a%2Fb", false),
        ("Disallow: /~u", "/%7Eu", false),
        ("Disallow: /a b", "/a%20b", false),
        ("Disallow: /a%2Ab", "/a*b", false),
        ("Disallow: /a%2Ab", "/axb", true),
        ("Disallow: /a%24", "/a$", false),
        ("Disallow: /新闻", "/%E6%96%B0%E9%97%BB/1", false),
        // what the URL parser encodes here and not there
        ("Disallow: /*{", "/a{b}", false),
        ("Disallow: /*}", "/a{b}", false),
        ("Disallow: /*\"", "/a\"b", false),
        ("Disallow: /*`", "/a`b", false),
        ("Disallow: /a<", "/a%3Cb", false),
        ("Disallow: /a%3C", "/a<b", false),
        ("Disallow: /*>", "/a>b", false),
        ("Disallow: /*?q='", "/s?q='x'", false),
        ("Disallow: /*?q='", "/s?q=%27x", false),
        ("Disallow: /a%27", "/a'b", false),
        ("Disallow: /*?q=<", "/s?q=<x", false),
        ("Disallow: /*?q=\"", "/s?q=\"x", false),
        ("Disallow: /a|b", "/a%7Cb", false),
        ("Disallow: /a%7cb", "/a|b", false),
        ("Disallow: /a^b", "/a%5Eb", false),
        ("Disallow: /a%5eb", "/a^b", false),
        ("Disallow: /*?a[]=", "/x?a%5B%5D=1", false),
        ("Disallow: /*?a%5B%5D=", "/x?a[]=1", false),
        ("Disallow: /a%7B", "/ab", true),
        // white space of ASCII alone is trimmed
        ("Disallow: /a \t", "/a", false),
        ("Disallow: /a\u{a0}", "/a", true),
        ("Disallow: /a\u{a0}", "/a%C2%A0", false),
        ("Disallow:\u{a0}/a", "/a", false),
        ("Disallow /a", "/a", false),
    ] {
        check(&format!("User-agent: *\n{rules}"), path, allowed);
    }
}

#[test]
fn octets_that_are_no_utf_8_are_compared_one_by_one() {
    let body = b"User-agent: *\nDisallow: /caf\xe9 # \xff\nDisallow: /\xc3\xb6\xc3$\n";
    let asked = |robots: &Robots, path: &str| {
        let url = Url::parse("https://a.example").unwrap().join(path).unwrap();
        robots.decide(&url)
    };
    let record = after_fetch(
        None,
        "https://a.example:443",
        Fetched::Answer { status: 200, body, cut: false, max_age: None },
        0,
    );
    for robots in [Robots::parse(body, "crawler"), Robots::of(&record, "crawler")] {
        for path in ["/caf%E9", "/caf%e9s", "/%C3%B6%c3"] {
            assert!(!asked(&robots, path).allowed, "{path}");
        }
        for path in ["/caf%C3%A9", "/caf%EF%BF%BD", "/%C3%B6%C3%B6"] {
            assert!(asked(&robots, path).allowed, "{path}");
        }
        assert_eq!(asked(&robots, "/caf%E9").rule.as_deref(), Some("Disallow: /caf%E9"));
    }
    // A record keeps all that was read, however much longer it is as text.
    let body = [b"User-agent: *\n#".to_vec(), vec![0xff; 300_000], b"\nDisallow: /b".to_vec()];
    let fetched = Fetched::Answer { status: 200, body: &body.concat(), cut: false, max_age: None };
    let record = after_fetch(None, "https://a.example:443", fetched, 0);
    assert!(!asked(&Robots::of(&record, "crawler"), "/b").allowed);
}

/// The two worked situations of RFC 9309 §5, told with our own names.
#[test]
fn several_groups_and_longest_match() {
    let body = "User-agent: *\nDisallow: *.gif$\nDisallow: /draft/\nAllow: /press/\n\n\
                User-agent: otherbot\nDisallow: *.gif$\nAllow: /draft/\n\n\
                User-agent: anybot\nUser-agent: crawler\nAllow: /draft/list.html\n\
                Allow: /draft/list.gif\nDisallow: /\n\nUser-agent: quietbot\n\nEOF";
    check(body, "/press/", false);
    check(body, "/draft/list.html", true);
    check(body, "/draft/list.gif", true);
    let longest = "User-agent: crawler\nAllow: /draft/page/\nDisallow: /draft/page/secret.gif";
    check(longest, "/draft/page/open.gif", true);
    check(longest, "/draft/page/secret.gif", false);
}

#[test]
fn the_decision_names_rule_and_line() {
    let body = "# who\n\nUser-agent: *\nCrawl-delay: 2\nDisallow: /größe # why\nAllow: /\n";
    let got = decide(body, "/gr%C3%B6%C3%9Fe/1");
    assert_eq!(got.rule.as_deref(), Some("Disallow: /größe"));
    assert_eq!(got.line, Some(5));
    let got = decide(body, "/x");
    assert_eq!((got.rule.as_deref(), got.line), (Some("Allow: /"), Some(6)));
    for rule in ["Disallow: /x$", "Disallow: /%7ex$", "Disallow: /**x", "Disallow: *$"] {
        let body = format!("User-agent: *\n{rule}");
        let path = if rule.contains("%7e") { "/~x" } else { "/x" };
        assert_eq!(decide(&body, path).rule.as_deref(), Some(rule));
    }
    assert_eq!(decide("", "/x"), RobotsDecision { allowed: true, rule: None, line: None });
}

#[test]
fn delays_sitemaps_and_signals() {
    for (body, expect) in [
        ("User-agent: *\nCrawl-delay: 5", Some(5.0)),
        ("User-agent: *\nCrawl-Delay: 0.5", Some(0.5)),
        // A number is a number, whatever follows it.
        ("User-agent: *\nCrawl-delay: 10s", Some(10.0)),
        ("User-agent: *\nCrawl-delay: 2.5 seconds", Some(2.5)),
        ("User-agent: *\nCrawl-delay: 0,5", Some(0.5)),
        ("User-agent: *\nCrawl-delay: 7.", Some(7.0)),
        ("User-agent: *\nCrawl-delay: ,", None),
        ("User-agent: *\nCrawl-delay: 1.2.3", None),
        ("User-agent: *\nCrawl-delay: ten", None),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: *\nCrawl-delay: inf", None),
        ("User-agent: *\nAllow: /\nCrawl-delay: 5\n\nUser-agent: crawler\nDisallow: /x", None),
        ("User-agent: *\nCrawl-delay: 5\n\nUser-agent: crawler\nDisallow: /x", Some(5.0)),
        ("User-agent: x\nCrawl-delay: 5\n", None),
        ("User-agent: x\nCrawl-delay: 5\nUser-agent: crawler\nDisallow: /x", Some(5.0)),
        ("User-agent: crawler\nCrawl-delay: 5\nUser-agent: crawler\nCrawl-delay: 9", Some(9.0)),
        ("Crawl-delay: 5\nUser-agent: *\nDisallow: /x", None),
    ] {
        assert_eq!(Robots::parse(body, "crawler").crawl_delay, expect, "{body:?}");
    }
    let body = "Sitemap: https://a.example/1.xml\nUser-agent: x\nDisallow: /\n\
                site-map: /2.xml\nContent-Signal: search=yes, ai-train=no\n";
    let robots = Robots::parse(body, "crawler");
    assert_eq!(robots.sitemaps, ["https://a.example/1.xml", "/2.xml"]);
    assert_eq!(robots.signals, ["content-signal: search=yes, ai-train=no"]);
}

#[test]
fn records_are_judged_by_standing() {
    let url = Url::parse("https://a.example/private/1").unwrap();
    let answer = |status, body| Fetched::Answer { status, body, cut: false, max_age: None };
    let body = b"User-agent: *\nDisallow: /private";
    for (fetched, expect) in [
        (answer(200, body), Ok((false, Some("Disallow: /private")))),
        (answer(404, body), Ok((true, Some("no robots.txt (status 404)")))),
        (answer(500, body), Err(Failure::RobotsUnreachable)),
        (Fetched::Error("reset"), Err(Failure::RobotsUnreachable)),
    ] {
        let record = after_fetch(None, "https://a.example:443", fetched, 0);
        let rules = Robots::of(&record, "crawler");
        let got = judge(&record, &rules, &url, 0);
        let got = got.as_ref().map(|d| (d.allowed, d.rule.as_deref())).map_err(Failure::clone);
        assert_eq!(got, expect);
        assert!(judge(&record, &rules, &location(&url), 0).is_ok_and(|d| d.allowed));
    }
}

#[test]
fn limits() {
    // Beyond the cap nothing is read.
    let body = format!("User-agent: *\n#{}\nDisallow: /", "x".repeat(MAX_BODY));
    check(&body, "/a", true);
    // A line too long for any URL is cut, its multi-byte characters do no harm.
    let body = format!("User-agent: *\nDisallow: /{}\nDisallow: /b", "ö€".repeat(9_000));
    check(&body, "/b", false);
    check(&body, "/c", true);
    let body = format!("User-agent: *\nDisallow: /b{}c$", "*".repeat(MAX_LINE));
    check(&body, "/bd", false);
    // As many rules as fit are read, in a few times the memory of their text.
    let head = "User-agent: *\nDisallow: /b\n";
    let last = "Disallow: /c";
    let body =
        format!("{head}{}{last}", "Allow:/\n".repeat((MAX_BODY - head.len() - last.len()) / 8));
    check(&body, "/a", true);
    check(&body, "/b", false);
    check(&body, "/c", false);
    assert!(Robots::parse(&body, "crawler").bytes() < 4 * MAX_BODY);
    // A file made of stars against a URL made of nothing else.
    let body = format!("User-agent: *\n{}", "Disallow: /*a*a*a*a*a*a*a*b\n".repeat(15_000));
    check(&body, &format!("/{}", "a".repeat(2_000)), true);
}

/// The stump of a line is another rule, and a shorter path reaches further.
#[test]
fn a_line_that_is_cut_off_is_no_rule() {
    let head = "User-agent: *\nDisallow: /b\n";
    // Of the last line that much lies before the cap of so many characters.
    let file = |cap: usize, rules: &str, last: &str, kept: usize, end: &str| {
        let rules = format!("{head}{rules}#");
        let filler = "x".repeat(cap - rules.len() - end.len() - kept);
        format!("{rules}{filler}{end}{last}\nDisallow: /late\n")
    };
    for end in ["\n", "\r", "\r\n"] {
        let allow = file(MAX_BODY, "Disallow: /\n", "Allow: /press/x", "Allow: /".len(), end);
        check(&allow, "/a", false);
        let last = "Disallow: /private/x";
        let disallow = file(MAX_BODY, "", last, "Disallow: /".len(), end);
        for (path, allowed) in [("/a", true), ("/private/x", true), ("/b", false), ("/late", true)]
        {
            check(&disallow, path, allowed);
        }
        // A line whose end lies before the cap is whole.
        let whole = file(MAX_BODY, "", last, last.len() + 1, end);
        check(&whole, "/private/x", false);
    }
    // In UTF-16 an octet that looks like the end of a line may be half of a letter.
    let last = "Allow: /\u{a0a}press/x";
    let rules = file(MAX_BODY / 2 - 1, "Disallow: /\n", last, "Allow: /x".len(), "\n");
    let units = "\u{feff}".encode_utf16().chain(rules.encode_utf16());
    let octets: Vec<u8> = units.flat_map(|unit| unit.to_le_bytes()).collect();
    let url = Url::parse("https://a.example").unwrap().join("/\u{a0a}pr").unwrap();
    assert!(!Robots::parse(octets, "crawler").decide(&url).allowed);
    // Whoever reads with a lower cap says so.
    let body = b"User-agent: *\nDisallow: /b\nDisallow: /";
    for (cut, allowed) in [(true, true), (false, false)] {
        let fetched = Fetched::Answer { status: 200, body, cut, max_age: None };
        let record = after_fetch(None, "https://a.example:443", fetched, 0);
        let robots = Robots::of(&record, "crawler");
        let url = |path| Url::parse("https://a.example").unwrap().join(path).unwrap();
        assert_eq!(robots.decide(&url("/a")).allowed, allowed);
        assert!(!robots.decide(&url("/b")).allowed);
    }
    // What reaches over the longest line allows nothing; what forbids is kept as far as it was read.
    let stars = "*".repeat(MAX_LINE);
    let long = format!("User-agent: *\nDisallow: /\nAllow: /b{stars}c$\nAllow: /d");
    for (path, allowed) in [("/bx", false), ("/bxc", false), ("/d", true)] {
        check(&long, path, allowed);
    }
}

#[test]
fn origins() {
    for (url, expect) in [
        ("https://a.example/x", "https://a.example:443"),
        ("http://a.example/x?y#z", "http://a.example:80"),
        ("http://[::1]:8080/x", "http://[::1]:8080"),
    ] {
        let url = Url::parse(url).unwrap();
        assert_eq!(origin(&url), expect);
    }
    let url = Url::parse("http://a.example:81/x?y#z").unwrap();
    assert_eq!(location(&url).as_str(), "http://a.example:81/robots.txt");
}

proptest! {
    #[test]
    fn any_body_is_read(
        lines in proptest::collection::vec("(User-agent: |Disallow: |Allow:|Crawl-delay |)\\PC{0,40}", 0..20),
        junk in proptest::collection::vec(any::<u8>(), 0..200),
        path in "/\\PC{0,40}",
    ) {
        decide(&lines.join("\n"), "/x");
        let url = Url::parse("https://a.example").unwrap().join(&path);
        let robots = Robots::parse(&junk, "crawler");
        if let Ok(url) = url {
            robots.decide(&url);
        }
    }
}

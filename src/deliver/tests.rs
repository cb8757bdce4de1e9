//! What is told, as it leaves.

use super::*;
use crate::model::*;

const EVIL: &str = "<script>alert(1)</script> <!channel> @here *bold* [x](https://evil.test) \
                    https://evil.test \u{202e}\u{61c}\u{e0041}\u{0}\r\nSubject: x & \"q\" ]]> ![i](//evil.test)";

fn alert() -> Alert {
    let rule = AlertRule {
        name: "acme".into(),
        when: When::Headline,
        brands: vec![EVIL.into()],
        query: None,
        outlet: None,
        language: None,
        within: None,
        to: Vec::new(),
        quiet: None,
    };
    let mut alert = Alert::new(rule, 0);
    let mut event =
        AlertEvent::new(1_700_000_000_000, Happened::Fired, format!("{EVIL} in a headline"));
    event.details = vec![EVIL.into()];
    let urls = ["https://a.test/1?q=<x>|y", "javascript:alert(1)", ""];
    event.articles = urls
        .into_iter()
        .map(|url| Cited {
            key: UrlKey(1),
            day: jiff::civil::date(2026, 3, 1),
            outlet: "a.test".into(),
            title: EVIL.into(),
            url: url.into(),
        })
        .collect();
    alert.note(event, 0);
    alert
}

#[test]
fn markup_in_titles_and_names_is_text_in_bodies() {
    let alert = alert();
    let news = News { rule: &alert.rule, event: &alert.events[0] };
    let body = webhook::body(None, news);
    let text = body["text"].as_str().unwrap();
    for c in [
        "<",
        ">",
        "@",
        "*",
        "[x]",
        "`",
        "\u{202e}",
        "\u{61c}",
        "\u{e0041}",
        "\0",
        "\r",
        "&",
        "javascript",
    ] {
        assert!(!text.contains(c), "{c:?} in {text}");
    }
    // The sentence, a detail and a line per article: no title adds a line.
    assert_eq!(text.lines().count(), 5, "{text}");
    assert_eq!(text.matches("https://").count(), 1, "{text}");
    assert!(text.contains(" https://a.test/1?q=%3Cx%3E%7Cy"), "{text}");
    // Programs get what was printed.
    assert_eq!(body["articles"][0]["title"], EVIL);
    assert_eq!(body["id"], "acme-1700000000000-1");
}

#[test]
fn chat_services_get_what_they_take() {
    let alert = alert();
    let news = News { rule: &alert.rule, event: &alert.events[0] };
    let text = webhook::body(None, news)["text"].as_str().unwrap().to_owned();
    let google = webhook::body(Some(Service::GoogleChat), news);
    assert_eq!(google, serde_json::json!({ "text": text }), "it refuses what it does not know");
    let discord = webhook::body(Some(Service::Discord), news);
    assert_eq!(discord["content"], text);
    assert_eq!(discord["allowed_mentions"]["parse"], serde_json::json!([]));
    let teams = webhook::body(Some(Service::Teams), news);
    let card = &teams["attachments"][0];
    assert_eq!(card["contentType"], "application/vnd.microsoft.card.adaptive");
    let lines = card["content"]["body"].as_array().unwrap();
    let shown: Vec<&str> = lines.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(shown.join("\n"), text);
    for body in [google, discord, teams] {
        let body = body.to_string();
        assert!(!body.contains("<script") && !body.contains("@here"), "{body}");
    }
}

/// A digest of many brands was sent to Google Chat in vain, for seven days.
#[test]
fn google_chat_gets_no_more_than_it_takes() {
    let mut alert = alert();
    alert.events[0].details =
        vec!["Größe \"Ö\": 12 articles (3 before), 4 stories".into(); 1_000];
    let news = News { rule: &alert.rule, event: &alert.events[0] };
    let body = webhook::body(Some(Service::GoogleChat), news);
    assert!((31_500..=32_000).contains(&body.to_string().len()), "{}", body.to_string().len());
    let text = body["text"].as_str().unwrap();
    assert!(text.ends_with("4 stories\n…"), "{}", text.lines().last().unwrap());
}

#[test]
fn markup_in_titles_and_names_is_text_in_feeds() {
    let feed = atom(&alert());
    assert!(!feed.contains("<script") && !feed.contains("&lt;script"), "{feed}");
    assert!(feed.contains("&amp;lt;script&amp;gt;"), "{feed}");
    assert!(!feed.contains("javascript:") && !feed.contains('\u{202e}'), "{feed}");
    let read = quick_xml::Reader::from_str(&feed);
    let mut reader = read;
    let mut open = 0i32;
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Start(_) => open += 1,
            quick_xml::events::Event::End(_) => open -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0);
    assert_eq!(feed.matches("<entry>").count(), 1);
    assert_eq!(feed.matches("urn:uuid:").count(), 2);
    assert!(feed.contains("<updated>2023-11-14T22:13:20Z</updated>"), "{feed}");
}

#[test]
fn targets_are_checked() {
    let target = |name: &str, webhook: &str| Target {
        name: name.into(),
        webhook: Some(webhook.into()),
        service: None,
        mail: Vec::new(),
        secret_file: None,
    };
    let check = |targets: Vec<Target>| Settings { targets, ..Settings::default() }.check();
    assert_eq!(
        check(vec![target("a", "https://a.test/x"), target("b", "http://127.0.0.1:9")]),
        Ok(())
    );
    for (targets, word) in [
        (vec![target("", "https://a.test")], "name"),
        (vec![target("a b", "https://a.test")], "`a b`"),
        (vec![target("a", "ftp://a.test")], "`a`"),
        (vec![target("a", "a.test/hook")], "webhook"),
        (vec![target("a", "https://a.test"), target("a", "https://b.test")], "two targets"),
    ] {
        let why = check(targets).unwrap_err();
        assert!(why.contains(word), "{why}");
    }
    let mailed = |server: &str, to: &str, webhook: Option<&str>| {
        let mail = Mail {
            server: Some(server.into()),
            from: Some("crawler@a.test".into()),
            ..Mail::default()
        };
        let target = Target {
            webhook: webhook.map(str::to_owned),
            mail: vec![to.into()],
            ..target("a", "")
        };
        Settings { targets: vec![target], mail, ..Settings::default() }.check()
    };
    for good in ["smtps://mail.test", "smtp://mail.test:587", "smtp://127.0.0.1:2525"] {
        assert_eq!(mailed(good, "Press <press@a.test>", None), Ok(()), "{good}");
    }
    for (server, to, webhook, word) in [
        ("mail.test", "a@b.test", None, "smtps://HOST"),
        ("https://mail.test", "a@b.test", None, "smtps://HOST"),
        ("smtps://me:secret@mail.test", "a@b.test", None, "password_file"),
        ("smtps://mail.test", "nobody", None, "`nobody`"),
        ("smtps://mail.test", "a@b.test\r\nBcc: c@d.test", None, "no mail address"),
        ("smtps://mail.test", "a@b.test", Some("https://a.test"), "make two"),
    ] {
        let why = mailed(server, to, webhook).unwrap_err();
        assert!(why.contains(word) && !why.contains("secret@"), "{why}");
    }
    let hasty = Settings { retry: Span(2), retry_max: Span(1), ..Settings::default() };
    assert!(hasty.check().is_err());
}

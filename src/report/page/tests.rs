use std::collections::BTreeMap;

use super::*;
use crate::model::{Note, UrlKey};
use crate::query::{ArticleLine, Change, DayCoverage, Polled, StoryLine, Voice};

/// A report in which every text that others write is this one.
fn written_by(stranger: &str) -> Report {
    let day = jiff::civil::date(2026, 11, 20);
    let name = || stranger.to_owned();
    let line = Line {
        brand: name(),
        bucket: day.to_string(),
        articles: 1,
        stories: 1,
        mentions: 2,
        suppressed: 3,
        ..Line::default()
    };
    let source = Line { bucket: name(), ..line.clone() };
    let article = ArticleLine {
        key: UrlKey(7),
        day,
        outlet: name(),
        language: Some(name()),
        title: name(),
        url: name(),
        story: Some(UrlKey(7)),
        copies: 0,
        original: true,
        characters: 9,
        mentions: BTreeMap::from([(name(), 2)]),
        suppressed: BTreeMap::from([(name(), 3)]),
        stuffed: vec![name()],
        sighting: Default::default(),
    };
    let story = StoryLine {
        id: UrlKey(7),
        day,
        title: name(),
        outlet: name(),
        articles: 1,
        outlets: 1,
        span: 0,
        series: false,
        pattern: false,
        brands: vec![name()],
        excerpts: 0,
    };
    let coverage = DayCoverage {
        day,
        coverage: Some(0.5),
        outcomes: BTreeMap::from([(name(), 1)]),
        ..DayCoverage::default()
    };
    let note = Note { id: name(), day, brand: None, text: name(), made: 0, by: name() };
    Report {
        brand: name(),
        from: day,
        to: day,
        timezone: name(),
        brand_set: name(),
        made: 0,
        watched_since: None,
        days: vec![line],
        voices: vec![Voice { brand: name(), stories: 1, articles: 1, mentions: 2 }],
        outlets: vec![source.clone()],
        languages: vec![source],
        stories: vec![story],
        articles: vec![article],
        suppressed: BTreeMap::from([(name(), 3)]),
        coverage: vec![coverage],
        polled: Polled { due: 2, succeeded: 1 },
        changes: Vec::new(),
        notes: vec![note],
    }
}

/// The names of all tags of a page.
fn tags(page: &str) -> Vec<&str> {
    let name = |tag: &'_ str| -> usize {
        tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '!').unwrap_or(0)
    };
    page.split('<').skip(1).map(|tag| &tag[..name(tag)]).collect()
}

#[test]
fn what_strangers_write_adds_no_tag_and_no_attribute() {
    for language in Language::ALL {
        hostile_in(language);
    }
}

fn hostile_in(language: Language) {
    let harmless = page(&written_by("a"), language);
    for text in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</style></title></svg><script>",
        "javascript:alert(1)",
        "<!--",
        "]]>&lt;",
        "https://a.test/\"onclick=\"x",
    ] {
        let hostile = page(&written_by(text), language);
        let mut tags_of = tags(&hostile);
        // The one difference: an address of the web is a link.
        if text.starts_with("https:") {
            tags_of.retain(|tag| !["a", "/a"].contains(tag));
            let mut plain = tags(&harmless);
            plain.retain(|tag| !["a", "/a"].contains(tag));
            assert_eq!(tags_of, plain, "{text}");
        } else {
            assert_eq!(tags_of, tags(&harmless), "{text}");
        }
        assert_eq!(
            hostile.matches("=\"").count() - hostile.matches("rel=\"").count() * 2,
            harmless.matches("=\"").count(),
            "{text}"
        );
    }
}

/// The brand that the report is about stood nowhere among those that it was compared with.
#[test]
fn the_own_brand_has_its_row_behind_many_others() {
    let mut report = written_by("Acme");
    report.voices.clear();
    for n in 0..100 {
        let (brand, articles) = (format!("Other{n}"), 900 - n);
        report.voices.push(Voice { brand, articles, ..Voice::default() });
    }
    report.voices.push(Voice { brand: "Acme".into(), articles: 1, ..Voice::default() });
    let rows = |report: &Report| {
        let section = voices(report, Language::En);
        let names = section.split("<bdi>").skip(1).filter_map(|part| part.split('<').next());
        (names.map(str::to_owned).collect::<Vec<_>>(), section.contains("and 76 more"))
    };
    let (names, more) = rows(&report);
    assert!(more && names.len() == ROWS, "{names:?}");
    assert_eq!((names[23].as_str(), names[24].as_str()), ("Other23", "Acme"));
    // Among the first it has no second row.
    report.voices.swap(3, 100);
    let (names, more) = rows(&report);
    assert!(more && names.iter().filter(|name| *name == "Acme").count() == 1, "{names:?}");
}

/// A day stood on three lines, and of many days that were not complete the latest were left out.
#[test]
fn days_and_shares_are_of_one_piece_and_the_latest_come_first() {
    for (cell, whole) in [
        ("2026-11-20".to_owned(), true),
        ("1234".to_owned(), true),
        (percent(Some(0.21)), true),
        (percent(Some(0.001)), true),
        (percent(Some(0.999)), true),
        (percent(None), true),
        (foreign("2026"), false),
        ("20 pages".to_owned(), false),
    ] {
        let drawn = table(Language::En, &["day"], &[vec![cell.clone()]], 0);
        assert_eq!(drawn.contains("class=\"number\""), whole, "{drawn}");
        assert!(drawn.contains(&cell), "{drawn}");
    }
    let mut report = written_by("a");
    let first = report.coverage[0].clone();
    for n in 1..40 {
        let day = first.day.saturating_add(jiff::Span::new().days(n));
        report.coverage.push(DayCoverage { day, ..first.clone() });
    }
    let said = coverage(&report, Language::En);
    let place = |day: &str| said.find(day);
    assert!(place("2026-12-29") < place("2026-12-28") && place("2026-12-29").is_some(), "{said}");
    assert!(place("2026-11-20").is_none() && said.contains("and 15 more"), "{said}");
}

/// The same line stood there as often as brands were changed on a day.
#[test]
fn changes_of_a_day_are_told_once() {
    let mut report = written_by("a");
    let of = |what, day| Change { day, what, version: String::new(), at: 0 };
    let next = report.from.saturating_add(jiff::Span::new().days(1));
    let (brands, model) = (What::Brands, What::Model);
    report.changes =
        [(brands, report.from), (model, report.from), (brands, report.from), (brands, next)]
            .map(|(what, day)| of(what, day))
            .into();
    let index = Index::new(&report, Language::En);
    let said = by_day(&report, &index, Language::En);
    assert_eq!(said.matches("another brand list").count(), 2, "{said}");
    assert_eq!(said.matches("another model").count(), 1, "{said}");
}

/// What a page says outside its tags.
fn read(page: &str) -> String {
    let body = page.split("<body>").nth(1).unwrap_or_default();
    let parts = body.split('<').filter_map(|tag| tag.split_once('>'));
    parts.map(|(_, text)| text).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_german_report_has_no_english_in_it() {
    let mut report = written_by("Ä");
    report.watched_since = Some(0);
    report.suppressed = ["caption", "credit", "comment", "clutter", "repeated", "stuffed"]
        .map(|zone| (zone.to_owned(), 1))
        .into();
    report.coverage[0].outcomes = BTreeMap::from([("failed(dns)".into(), 1)]);
    report.languages[0].bucket = "unknown".into();
    report.stories[0].series = true;
    report.articles[0].original = false;
    let of = |what| Change { day: report.from, what, version: String::new(), at: 0 };
    report.changes = vec![of(What::Model), of(What::Brands)];
    let german = page(&report, Language::De);
    assert!(german.contains("<html lang=\"de\">") && german.contains("in der Presse"));
    let said = read(&german).replace("crawler articles --brand BRAND", "");
    for words in ["Was nicht gezählt wurde", "unbekannt", "gescheitert: Name nicht gefunden"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // Numbers and signs are the same in both; `{` would be a value that is missing.
    for english in ["the", "of", "and", "not", "counted", "articles", "mentions", "polls", "day"] {
        let found = said.split(|c: char| !c.is_alphanumeric()).any(|word| word == english);
        assert!(!found, "{english}: {said}");
    }
    assert!(!said.contains('{') && !said.contains("report."), "{said}");
    let english = page(&report, Language::En);
    assert!(english.contains("<html lang=\"en\">") && english.contains("in the press"));
    assert!(!read(&english).contains("report."));
    assert_eq!(tags(&english), tags(&german));
}

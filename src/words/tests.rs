use std::collections::BTreeSet;
use std::path::Path;

use super::*;

/// The places for values in a text.
fn places(text: &Text) -> BTreeSet<&str> {
    let of = |text| {
        let parts = str::split(text, '{').skip(1);
        parts.filter_map(|part: &str| part.split_once('}')).map(|(key, _)| key)
    };
    match text {
        Text::Plain(text) => of(text).collect(),
        // A sentence about one may do without its number.
        Text::Counted { one, other } => of(one).chain(of(other)).collect(),
    }
}

#[test]
fn every_language_says_the_same_with_the_same_values() {
    let english = read::file(EN).unwrap();
    assert!(english.len() > 500, "{}", english.len());
    for script in [DE] {
        let other = read::file(script).unwrap();
        assert!(english.keys().eq(other.keys()), "names differ");
        for (name, text) in &english {
            let same = places(text).difference(&places(&other[name])).next().is_none();
            assert!(same, "{name}: {text:?} has other values than {:?}", other[name]);
        }
    }
}

/// Every name that code of ours gives stands in the files.
#[test]
fn every_sentence_that_is_said_has_words() {
    fn walk(dir: &Path, each: &mut impl FnMut(&Path, &str)) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, each);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                each(&path, &std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let known: BTreeSet<&str> = Language::En.names().collect();
    let mut found = 0;
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    walk(&src, &mut |path, text| {
        if path.starts_with(src.join("words")) || !text.contains("crate::words") {
            return;
        }
        for way in [concat!("sa", "id(\""), concat!(".", "t(\"")] {
            for (at, _) in text.match_indices(way) {
                if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                    continue;
                }
                let name = text[at + way.len()..].split('"').next().unwrap();
                assert!(known.contains(name), "{}: {name}", path.display());
                found += 1;
            }
        }
    });
    assert!(found > 50, "{found}");
}

#[test]
fn values_numbers_and_clauses_are_put_in() {
    let more = |n: i64| said("more").with("n", n);
    assert_eq!(Language::En.say(&more(1)), "1 more");
    assert_eq!(Language::De.say(&more(2)), "2 weitere");
    let range = said("range").with("from", vec![more(1), more(2)]);
    assert_eq!(Language::De.say(&range), "1 weitere2 weitere bis {to}");
    assert_eq!(Language::De.t("no.such"), "no.such");
    assert_eq!(Language::De.word("outcome", "failed(dns)"), "gescheitert: Name nicht gefunden");
    assert_eq!(Language::De.word("outcome", "another"), "another");
    // Values are no templates.
    assert_eq!(Language::En.say(&said("range").with("from", "{to}").with("to", "{")), "{to} to {");
    let sent = serde_json::to_value(&range).unwrap();
    assert_eq!(serde_json::from_value::<Said>(sent).unwrap(), range);
}

#[test]
fn a_language_is_known_by_its_tag() {
    for language in Language::ALL {
        assert_eq!(language.to_string().parse(), Ok(language));
    }
    assert!("fr".parse::<Language>().unwrap_err().contains("en, de"));
}

#[test]
fn one_is_not_many() {
    for (n, what, said) in [
        (1, "error", "1 error"),
        (0, "error", "0 errors"),
        (1, "new entry", "1 new entry"),
        (2, "new entry", "2 new entries"),
        (0, "copy", "0 copies"),
        (3, "pace key", "3 pace keys"),
        (12_345, "copy", "12,345 copies"),
    ] {
        assert_eq!(many(n, what), said);
    }
}

/// Reports and mails wrote 12345 where the dashboard writes 12,345.
#[test]
fn numbers_are_those_of_the_dashboard() {
    for (n, en, de) in [
        (0, "0", "0"),
        (999, "999", "999"),
        (1_000, "1,000", "1.000"),
        (12_345, "12,345", "12.345"),
        (-123, "-123", "-123"),
        (-1_234_567, "-1,234,567", "-1.234.567"),
    ] {
        assert_eq!([Language::En, Language::De].map(|l| l.number(n)), [en, de]);
    }
    assert_eq!(Language::De.say(&said("n.counted").with("n", 1_234u32)), "1.234 gezählt");
}

/// The command line said 62 % and 100 % where the dashboard said 63 % and > 99 %.
#[test]
fn percents_are_those_of_the_dashboard() {
    for (share, said, whole) in [
        (0.0, "0 %", 0),
        (0.004, "< 1 %", 1),
        (0.005, "1 %", 1),
        (0.125, "13 %", 13),
        (0.625, "63 %", 63),
        (0.97, "97 %", 97),
        (0.994, "99 %", 99),
        (0.998, "> 99 %", 99),
        (1.0, "100 %", 100),
        (1.5, "150 %", 150),
    ] {
        assert_eq!((percent(Some(share)).as_str(), whole_percent(share)), (said, whole), "{share}");
    }
    assert_eq!(percent(None), "–");
}

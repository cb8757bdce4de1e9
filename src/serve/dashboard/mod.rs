//! The dashboard: one static page with its styles and scripts, part of the binary. It asks the JSON
//! API like any other client.
//!
//! Must not know: the store, the engine; nothing on the server side of the page is dynamic.

use crate::words;

/// One file of the page.
pub struct File {
    pub path: &'static str,
    pub kind: &'static str,
    pub content: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page for logging in, with a place for one sentence.
pub static LOGIN: &str = include_str!("login.html");

/// All files of the page. None of them holds a number: they ask the API.
pub static FILES: &[File] = &[
    File { path: "/", kind: "text/html; charset=utf-8", content: include_str!("index.html") },
    File {
        path: "/style.css",
        kind: "text/css; charset=utf-8",
        content: include_str!("style.css"),
    },
    File { path: "/icon.svg", kind: "image/svg+xml", content: include_str!("icon.svg") },
    File { path: "/main.js", kind: SCRIPT, content: include_str!("main.js") },
    File { path: "/dom.js", kind: SCRIPT, content: include_str!("dom.js") },
    File { path: "/login.js", kind: SCRIPT, content: include_str!("login.js") },
    File { path: "/words.js", kind: SCRIPT, content: include_str!("words.js") },
    File { path: "/en.js", kind: SCRIPT, content: words::EN },
    File { path: "/de.js", kind: SCRIPT, content: words::DE },
    File { path: "/order.js", kind: SCRIPT, content: include_str!("order.js") },
    File { path: "/save.js", kind: SCRIPT, content: include_str!("save.js") },
    File { path: "/mentions.js", kind: SCRIPT, content: include_str!("mentions.js") },
    File { path: "/overview.js", kind: SCRIPT, content: include_str!("overview.js") },
    File { path: "/days.js", kind: SCRIPT, content: include_str!("days.js") },
    File { path: "/notes.js", kind: SCRIPT, content: include_str!("notes.js") },
    File { path: "/chart.js", kind: SCRIPT, content: include_str!("chart.js") },
    File { path: "/plots.js", kind: SCRIPT, content: include_str!("plots.js") },
    File { path: "/article.js", kind: SCRIPT, content: include_str!("article.js") },
    File { path: "/stories.js", kind: SCRIPT, content: include_str!("stories.js") },
    File { path: "/search.js", kind: SCRIPT, content: include_str!("search.js") },
    File { path: "/brands.js", kind: SCRIPT, content: include_str!("brands.js") },
    File { path: "/recount.js", kind: SCRIPT, content: include_str!("recount.js") },
    File { path: "/review.js", kind: SCRIPT, content: include_str!("review.js") },
    File { path: "/alerts.js", kind: SCRIPT, content: include_str!("alerts.js") },
    File { path: "/outlets.js", kind: SCRIPT, content: include_str!("outlets.js") },
    File { path: "/status.js", kind: SCRIPT, content: include_str!("status.js") },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::words::{Language, word_name as named};

    fn content(path: &str) -> &'static str {
        FILES.iter().find(|file| file.path == path).expect("a file of the page").content
    }

    /// Names of the sentences; they are the same in every language.
    fn names() -> BTreeSet<&'static str> {
        Language::De.names().collect()
    }

    #[test]
    fn every_sentence_of_a_script_has_words() {
        let known = names();
        assert_eq!((content("/en.js"), content("/de.js")), (words::EN, words::DE));
        for file in FILES {
            for way in ["(t(\"", " t(\"", "{t(\"", "data-t=\"", "data-label=\""] {
                for found in file.content.split(way).skip(1) {
                    let (name, _) = found.split_once('"').expect("the end of a name");
                    assert!(known.contains(name), "{}: {name}", file.path);
                }
            }
        }
    }

    #[test]
    fn every_outcome_and_every_zone_has_words() {
        use crate::model::{Failure, Outcome, PageType, UrlKey, Zone};
        let why = String::new;
        let failures = [
            Failure::Dns(why()),
            Failure::Connect(why()),
            Failure::Tls(why()),
            Failure::FirstByteTimeout,
            Failure::Deadline,
            Failure::TooSlow,
            Failure::TooLarge,
            Failure::CompressionRatio,
            Failure::Encoding(why()),
            Failure::Headers(why()),
            Failure::Reset(why()),
            Failure::Status(500),
            Failure::RateLimited,
            Failure::RedirectLoop,
            Failure::TooManyRedirects,
            Failure::BadRedirect(why()),
            Failure::BadUrl(why()),
            Failure::RobotsUnreachable,
            Failure::ExtractDeadline,
            Failure::ExtractLimit(why()),
            Failure::GaveUp(why()),
            Failure::Quarantined,
            Failure::WaitTooLong,
        ];
        let pages = [
            PageType::Multiple,
            PageType::Forum,
            PageType::Missing,
            PageType::Broken,
            PageType::Consent,
        ];
        let mut outcomes = vec![
            Outcome::Pending,
            Outcome::Article,
            Outcome::Known(UrlKey(1)),
            Outcome::Moved(UrlKey(1)),
            Outcome::Forbidden { rule: why(), line: None },
            Outcome::Refused(why()),
            Outcome::NotArticle(why()),
            Outcome::TooOld,
            Outcome::Forgotten,
        ];
        outcomes.extend(failures.into_iter().map(Outcome::Failed));
        outcomes.extend(pages.into_iter().map(Outcome::OtherPage));
        let mut wanted: Vec<String> =
            outcomes.iter().map(|outcome| named("outcome", outcome.name())).collect();
        wanted.push(named("outcome", crate::store::OVER_BUDGET));
        wanted.extend(Zone::ALL.iter().map(|zone| named("zone", zone.name())));
        let off = Zone::ALL.iter().filter(|zone| !zone.counted());
        wanted.extend(off.map(|zone| named("why", zone.name())));
        let known = names();
        for name in wanted {
            assert!(known.contains(name.as_str()), "{name}");
        }
    }

    #[test]
    fn scripts_count_the_zones_and_labels_that_the_model_counts() {
        use crate::model::{Label, Zone};
        let listed = |path, statement| -> BTreeSet<&str> {
            let (_, rest) = content(path).split_once(statement).expect("a list of words");
            let list = rest.split(';').next().unwrap_or_default();
            list.split('"').skip(1).step_by(2).filter(|word| !word.is_empty()).collect()
        };
        let counted: BTreeSet<&str> =
            Zone::ALL.iter().filter(|zone| zone.counted()).map(|zone| zone.name()).collect();
        assert_eq!(listed("/article.js", "const COUNTED ="), counted);
        assert_eq!(listed("/search.js", "const ZONES ="), counted);
        let titles = |label: &Label| matches!(label, Label::Title | Label::Subtitle);
        let text = Label::ALL.iter().filter(|label| label.is_content() || titles(label));
        assert_eq!(listed("/article.js", "const CONTENT ="), text.map(|l| l.name()).collect());
    }

    #[test]
    fn no_script_writes_markup() {
        for file in FILES.iter().filter(|file| file.kind == SCRIPT) {
            for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                assert!(!file.content.contains(way), "{}: {way}", file.path);
            }
        }
    }
}

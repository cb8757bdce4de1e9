//! What the stored robots.txt files mean for URLs, in sentences.
//!
//! Must not know: how rules are read and matched (`frontier` does).

use std::collections::BTreeSet;

use super::time::instant;
use crate::frontier::address;
use crate::frontier::robots::{self, Standing};
use crate::model::*;
use crate::store::{Result, Store};
use crate::words::{Said, said};

/// One sentence for each URL, and one for each origin whose file is not stored. `token` tells which
/// groups of a file are ours.
pub(super) fn sentences(
    store: &dyn Store,
    token: &str,
    urls: &[String],
    now: Millis,
) -> Result<Vec<Said>> {
    let mut sentences = Vec::new();
    let mut unknown = BTreeSet::new();
    for url in urls {
        let Ok(at) = address(url, None) else { continue };
        let origin = robots::origin(&at.url);
        match store.robots(&origin)? {
            Some(record) => sentences.push(judged(&record, token, &at.url, now)),
            None => {
                unknown.insert(origin);
            }
        }
    }
    let unknown = unknown.into_iter();
    sentences.extend(unknown.map(|origin| said("why.robots.unknown").with("origin", origin)));
    Ok(sentences)
}

fn judged(record: &RobotsRecord, token: &str, url: &url::Url, now: Millis) -> Said {
    let rules = robots::Robots::of(record, token);
    let of = |told: Said| {
        let told = told.with("url", url.as_str()).with("origin", &record.origin);
        told.with("at", instant(record.fetched))
    };
    let decision = match robots::standing(record, now) {
        Standing::Rules => rules.decide(url),
        Standing::Allow(why) => RobotsDecision { allowed: true, rule: Some(why), line: None },
        Standing::Unreachable(why) => {
            return of(said("why.robots.unreachable").with("why", why));
        }
    };
    let told = if decision.allowed { said("why.robots.may") } else { said("why.robots.must.not") };
    let rule = match (decision.rule, decision.line) {
        (None, _) => said("why.robots.rule.none"),
        (Some(rule), None) => said("why.robots.rule").with("rule", rule),
        (Some(rule), Some(line)) => {
            said("why.robots.rule.line").with("rule", rule).with("line", line.to_string())
        }
    };
    let delay = rules
        .crawl_delay
        .map(|seconds| said("why.robots.delay").with("seconds", seconds.to_string()));
    of(told.with("rule", vec![rule]).with("delay", Vec::from_iter(delay)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Language;

    fn record(status: RobotsStatus, body: &str) -> RobotsRecord {
        RobotsRecord {
            origin: "https://a.test:443".into(),
            fetched: 0,
            fresh_until: 0,
            status,
            body: body.into(),
            unreachable_since: None,
        }
    }

    #[test]
    fn decisions_name_rule_and_line() {
        let url = url::Url::parse("https://a.test/private/1").unwrap();
        let say = |status, body: &str| {
            Language::En.say(&judged(&record(status, body), "crawler", &url, 1))
        };
        let text = "User-agent: *\nCrawl-delay: 7\nDisallow: /private\n";
        let said = say(RobotsStatus::Fetched, text);
        assert!(said.contains("must not be requested: `Disallow: /private`, line 3"), "{said}");
        assert!(said.contains("7 s between requests"), "{said}");
        let said = say(RobotsStatus::Fetched, "User-agent: *\nDisallow: /other\n");
        assert!(said.contains("may be requested: no rule matches"), "{said}");
        let said = say(RobotsStatus::Unavailable(404), "");
        assert!(said.contains("may be requested: `no robots.txt (status 404)`"), "{said}");
        let said = say(RobotsStatus::Unreachable("timeout".into()), "");
        assert!(
            said.contains("must not be requested for now") && said.contains("timeout"),
            "{said}"
        );
    }
}

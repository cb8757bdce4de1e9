//! What the stored robots.txt files mean for URLs, in sentences.
//!
//! Must not know: how rules are read and matched (`frontier` does).

use std::collections::BTreeSet;

use super::time::instant;
use crate::frontier::address;
use crate::frontier::robots::{self, Standing};
use crate::model::*;
use crate::store::{Result, Store};

/// One sentence for each URL, and one for each origin whose file is not stored. `token` tells which
/// groups of a file are ours.
pub(super) fn sentences(
    store: &dyn Store,
    token: &str,
    urls: &[String],
    now: Millis,
) -> Result<Vec<String>> {
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
    sentences.extend(unknown.map(|origin| format!("No robots.txt of {origin} has been read yet.")));
    Ok(sentences)
}

fn judged(record: &RobotsRecord, token: &str, url: &url::Url, now: Millis) -> String {
    let rules = robots::Robots::of(record, token);
    let fetched = instant(record.fetched);
    let origin = &record.origin;
    let from = format!("robots.txt of {origin}, read at {fetched}");
    let decision = match robots::standing(record, now) {
        Standing::Rules => rules.decide(url),
        Standing::Allow(why) => RobotsDecision { allowed: true, rule: Some(why), line: None },
        Standing::Unreachable(why) => {
            return format!("{url} must not be requested for now: {why} ({from}).");
        }
    };
    let verb = if decision.allowed { "may" } else { "must not" };
    let rule = decision.rule.map_or_else(|| "no rule matches".into(), |rule| format!("`{rule}`"));
    let line = decision.line.map_or_else(String::new, |line| format!(", line {line}"));
    let delay = rules
        .crawl_delay
        .map_or_else(String::new, |seconds| format!("; it asks for {seconds} s between requests"));
    format!("{url} {verb} be requested: {rule}{line} ({from}){delay}.")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let say = |status, body: &str| judged(&record(status, body), "crawler", &url, 1);
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

//! The reasons of `crawler check` in sentences.
//!
//! Must not know: where what is explained comes from.

use url::Url;

use crate::cli::print;
use crate::decode::{CharsetSource, Decoded};
use crate::feed::Parsed;
use crate::frontier::{Address, Robots};
use crate::model::RobotsDecision;

/// Why a URL is allowed or not, for a product token.
pub(super) fn robots(rules: &Robots, decision: &RobotsDecision, token: &str) -> String {
    let verdict = if decision.allowed { "allowed" } else { "forbidden" };
    let group = match rules.group.as_deref() {
        Some("*") => "the group `*`".to_owned(),
        Some(name) => format!("the group for `{name}`"),
        None => format!("no group is for `{token}` or `*`"),
    };
    let reason = match (&decision.rule, decision.line) {
        (Some(rule), Some(line)) => format!(" by line {line}, `{rule}`, of {group}"),
        (Some(reason), None) => format!(": {reason}"),
        (None, _) if rules.group.is_none() => format!(": {group}"),
        (None, _) => format!(": no rule of {group} matches"),
    };
    let delay = rules
        .crawl_delay
        .map_or_else(String::new, |seconds| format!("; it asks for {seconds} s between requests"));
    format!("{verdict}{reason}{delay}")
}

/// Where an encoding comes from.
pub(super) fn charset(read: &Decoded<'_>, declared: &str, by: CharsetSource) -> String {
    let whose = match by {
        CharsetSource::Bom => "the byte order mark at the beginning",
        CharsetSource::Header => "the header Content-Type",
        CharsetSource::Meta => "a <meta> element at the beginning of the page",
        CharsetSource::Prolog => "the XML declaration",
        // Nothing is repaired where nothing is declared.
        CharsetSource::Utf8 | CharsetSource::Detected | CharsetSource::Repaired => "nothing",
    };
    let why = match read.source {
        CharsetSource::Utf8 if read.replaced => {
            "nothing is declared, and the bytes are UTF-8 but for a little damage".into()
        }
        CharsetSource::Utf8 => "nothing is declared, and the bytes are valid UTF-8".into(),
        CharsetSource::Detected => "nothing is declared; the bytes look like it".into(),
        CharsetSource::Repaired => {
            format!("{whose} says {declared}, which is certainly wrong: the bytes show it")
        }
        _ => format!("{whose} says so"),
    };
    format!("{}: {why}", read.encoding)
}

/// What a feed was read as, and what was mended.
pub(super) fn feed(parsed: &Parsed) -> String {
    let format = serde_json::to_value(parsed.format).ok();
    let format = format.as_ref().and_then(|name| name.as_str()).unwrap_or("feed");
    let mended = match parsed.repaired.as_slice() {
        [] => "nothing had to be repaired".to_owned(),
        all => format!("repaired: {}", all.join("; ")),
    };
    let unlinked = match parsed.unlinked.len() {
        0 => String::new(),
        n => format!(" and {n} without an address that could be fetched"),
    };
    let entries = print::many(parsed.entries.len() as u64, "entry");
    format!("read as {format} with {entries}{unlinked}; {mended}")
}

/// What was removed or changed on the way to the canonical form.
pub(super) fn url(given: &str, base: Option<&str>, at: &Address) -> String {
    let mut changes = Vec::new();
    let base = base.and_then(|base| Url::parse(base.trim()).ok());
    let parsed = match (Url::parse(given), &base) {
        (Ok(url), None) => Some(url),
        (absolute, Some(base)) => {
            let joined = base.join(given).ok();
            if joined.is_some() && joined != absolute.ok() {
                changes.push(format!("resolved against {base}"));
            }
            joined
        }
        (Err(_), None) => {
            changes.push("what stands around it removed".to_owned());
            None
        }
    };
    if let (Some(parsed), Ok(canonical)) = (&parsed, Url::parse(&at.canonical)) {
        compare(given, parsed, &canonical, &mut changes);
    }
    match changes.as_slice() {
        [] if given == at.canonical => "it is its own canonical form".to_owned(),
        [] => "written in its normal form".to_owned(),
        all => all.join("; "),
    }
}

fn compare(given: &str, parsed: &Url, canonical: &Url, changes: &mut Vec<String>) {
    if parsed.scheme() == "http" {
        changes.push("http and https name one article: read as https".to_owned());
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        changes.push("name and password removed".to_owned());
    }
    let host = parsed.host_str().unwrap_or_default();
    let named = canonical.host_str().unwrap_or_default();
    if host.trim_end_matches('.') == named {
        let authority = given.split_once("://").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        let (_, authority) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (written, port) = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (host, port),
            _ => (authority, ""),
        };
        if !written.is_empty() && written != named {
            changes.push(format!("the host `{written}` written as `{named}`"));
        }
        if !port.is_empty() && canonical.port().is_none() {
            changes.push(format!("the scheme's own port {port} removed"));
        }
    } else {
        changes.push(format!("a copy on {host}, named like the article on {named}"));
    }
    if let Some(fragment) = parsed.fragment() {
        changes.push(format!("fragment `#{fragment}` removed"));
    }
    let names = |url: &Url| -> Vec<String> {
        let query = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        query.map(|pair| pair.split('=').next().unwrap_or(pair).to_owned()).collect()
    };
    let mut kept = names(canonical);
    let mut dropped = names(parsed);
    dropped.retain(|name| match kept.iter().position(|other| other == name) {
        Some(at) => {
            kept.remove(at);
            false
        }
        None => true,
    });
    if !dropped.is_empty() {
        let list: Vec<String> = dropped.iter().map(|name| format!("`{name}`")).collect();
        changes
            .push(format!("parameters that do not name the article removed: {}", list.join(", ")));
    }
    let above = given.split_once("://").map_or(given, |(_, rest)| rest);
    let path = above.find(['/', '?', '#']).and_then(|at| above.get(at..)).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if host == named && !path.is_empty() && given.contains("://") && path != canonical.path() {
        changes.push(format!("the path `{path}` written as `{}`", canonical.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::address;

    #[test]
    fn what_becomes_of_a_url() {
        let say =
            |given: &str, base: Option<&str>| url(given, base, &address(given, base).unwrap());
        assert_eq!(say("https://a.test/x?b=1", None), "it is its own canonical form");
        assert_eq!(
            say("HTTP://u:p@News.Example.co.uk:80/a/../b?utm_source=x&y=1#top", None),
            "http and https name one article: read as https; name and password removed; the host \
             `News.Example.co.uk` written as `news.example.co.uk`; the scheme's own port 80 removed; \
             fragment `#top` removed; parameters that do not name the article removed: `utm_source`; \
             the path `/a/../b` written as `/b`"
        );
        let said = say("b", Some("https://a.test/x/"));
        assert_eq!(said, "resolved against https://a.test/x/");
        assert!(say(" <https://a.test/x> ", None).contains("around it"));
        let said = say("https://a-test.cdn.ampproject.org/c/s/a.test/x", None);
        assert!(said.contains("named like the article on a.test"), "{said}");
        assert!(say("https://a.test/x/amp/", None).contains("`/x/amp/` written as `/x/`"));
    }

    #[test]
    fn what_a_robots_file_says() {
        let say = |text: &str, path: &str| {
            let rules = Robots::parse(text, "crawler");
            let url = Url::parse("https://a.test").unwrap().join(path).unwrap();
            robots(&rules, &rules.decide(&url), "crawler")
        };
        let text = "User-agent: *\nDisallow: /x\nAllow: /x/y\nCrawl-delay: 2\n";
        let delay = "; it asks for 2 s between requests";
        let cases = [
            ("/x", "forbidden by line 2, `Disallow: /x`, of the group `*`"),
            ("/x/y", "allowed by line 3, `Allow: /x/y`, of the group `*`"),
            ("/z", "allowed: no rule of the group `*` matches"),
            ("/robots.txt", "allowed: robots.txt itself is always allowed"),
        ];
        for (path, expect) in cases {
            assert_eq!(say(text, path), format!("{expect}{delay}"));
        }
        let own = "User-agent: Crawler\nDisallow: /\n";
        assert!(say(own, "/").contains("of the group for `crawler`"));
        let other = say("User-agent: other\nDisallow: /\n", "/");
        assert_eq!(other, "allowed: no group is for `crawler` or `*`");
    }
}

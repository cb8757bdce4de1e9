//! What a site's robots.txt allows (RFC 9309): parsing, group selection, matching, and the rules
//! of caching as pure functions.
//!
//! Must not know: how robots.txt is fetched, where the record of it is kept.

mod cache;
mod pattern;

use robotstxt::RobotsParseHandler;
use url::Url;

use crate::model::{Failure, Millis, RobotsDecision, RobotsRecord};
pub use cache::{Fetched, Standing, after_fetch, needs_fetch, standing};
use pattern::Pattern;

/// Octets of a robots.txt that are read (RFC 9309 §2.5 asks for at least 500 KiB); the rest of a
/// longer one is ignored.
pub const MAX_BODY: usize = 500 * 1024;
/// Lines longer than this are skipped: no URL that we request could match such a rule.
const MAX_LINE: usize = 8 * 1024;
/// Rules of the groups that address us; a file with more disallows everything.
const MAX_RULES: usize = 20_000;
/// Sitemaps and signals kept per file.
const MAX_NOTES: usize = 1_000;

/// The rules of one robots.txt that address one product token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    /// Most specific first, `Allow` before `Disallow` of the same length.
    rules: Vec<Rule>,
    overflow: bool,
    /// The user agent of the group that addresses us, ours or `*`; `None`: no group does.
    pub group: Option<String>,
    /// Seconds between requests that the site asks of us, unbounded; never negative or NaN.
    pub crawl_delay: Option<f64>,
    /// `Sitemap` lines of the whole file, as written.
    pub sitemaps: Vec<String>,
    /// Signals about use (`Content-Signal`, `Content-Usage`, `LLM-Policy` …), `name: value`.
    pub signals: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    allow: bool,
    pattern: Pattern,
    written: String,
    line: u32,
}

impl Robots {
    /// Reads a robots.txt for one product token, compared without regard to case. All groups of
    /// that token count as one; if there is none, those of `*` do (§2.2.1).
    ///
    /// Lines other than `User-agent`, `Allow` and `Disallow` neither open nor close a group
    /// (§2.2.4); `Crawl-delay` belongs to the group it stands in.
    pub fn parse(body: impl AsRef<[u8]>, token: &str) -> Robots {
        let body = body.as_ref();
        let body = body.get(..MAX_BODY).unwrap_or(body);
        let body = String::from_utf8_lossy(body);
        let lines: Vec<&str> = lines(body.trim_start_matches('\u{feff}'));
        let mut reader = Reader { token, lines: &lines, ..Reader::default() };
        robotstxt::parse_robotstxt(&lines.join("\n"), &mut reader);
        let Reader { ours, any, sitemaps, signals, .. } = reader;
        let name = if ours.named { token } else { "*" };
        let group = if ours.named { ours } else { any };
        let named = group.named.then(|| name.to_owned());
        let mut rules = group.rules;
        rules.sort_by_key(|r| (std::cmp::Reverse(r.pattern.octets()), !r.allow, r.line));
        let (overflow, crawl_delay) = (group.overflow, group.delay);
        Robots { rules, overflow, group: named, crawl_delay, sitemaps, signals }
    }

    /// May `url` be requested? The rule with the most octets decides, `Allow` on ties; without a
    /// matching rule, and for `/robots.txt` itself, yes (§2.2.2).
    pub fn decide(&self, url: &Url) -> RobotsDecision {
        let free = |rule: Option<&str>| RobotsDecision {
            allowed: true,
            rule: rule.map(str::to_owned),
            line: None,
        };
        if url.path() == "/robots.txt" {
            return free(Some("robots.txt itself is always allowed"));
        }
        if self.overflow {
            return RobotsDecision {
                allowed: false,
                rule: Some(format!("more than {MAX_RULES} rules: read as Disallow: /")),
                line: None,
            };
        }
        let target = pattern::target(url);
        match self.rules.iter().find(|rule| rule.pattern.matches(&target)) {
            Some(rule) => RobotsDecision {
                allowed: rule.allow,
                rule: Some(rule.written.clone()),
                line: Some(rule.line),
            },
            None => free(None),
        }
    }
}

/// What a fresh record and the rules of its body say about `url` at `now`.
///
/// # Errors
/// [`Failure::RobotsUnreachable`]: nothing may be requested for now; to be tried again.
pub fn judge(
    record: &RobotsRecord,
    rules: &Robots,
    url: &Url,
    now: Millis,
) -> Result<RobotsDecision, Failure> {
    match standing(record, now) {
        _ if url.path() == "/robots.txt" => Ok(rules.decide(url)),
        Standing::Rules => Ok(rules.decide(url)),
        Standing::Allow(why) => Ok(RobotsDecision { allowed: true, rule: Some(why), line: None }),
        Standing::Unreachable(_) => Err(Failure::RobotsUnreachable),
    }
}

/// `scheme://host:port`, the scope of one robots.txt (§2.3); the port is always written.
pub fn origin(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}://{}:{port}", url.scheme(), url.host_str().unwrap_or_default())
}

/// Where the robots.txt of `url` is.
pub fn location(url: &Url) -> Url {
    let mut robots = url.clone();
    robots.set_path("/robots.txt");
    robots.set_query(None);
    robots.set_fragment(None);
    robots
}

/// Lines ended by CR LF, LF or CR, comments cut. Over-long ones become empty, because the parser
/// counts their excess in characters where it needs octets.
fn lines(body: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let end = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        let line = line.split('#').next().unwrap_or_default().trim();
        lines.push(if line.len() > MAX_LINE { "" } else { line });
        rest = after.strip_prefix("\r\n").or_else(|| after.get(1..)).unwrap_or_default();
    }
    lines
}

/// What the groups of one user agent say, merged.
#[derive(Default)]
struct Group {
    named: bool,
    rules: Vec<Rule>,
    overflow: bool,
    delay: Option<f64>,
}

#[derive(Default)]
struct Reader<'a> {
    token: &'a str,
    lines: &'a [&'a str],
    /// The last rule-relevant line was a `User-agent` line: another one joins the same group.
    heading: bool,
    /// The open group addresses our token, or everyone.
    in_ours: bool,
    in_any: bool,
    /// A delay that stands between the `User-agent` lines of the open group.
    early_delay: Option<f64>,
    ours: Group,
    any: Group,
    sitemaps: Vec<String>,
    signals: Vec<String>,
}

impl Reader<'_> {
    fn groups(&mut self) -> impl Iterator<Item = &mut Group> {
        let ours = self.in_ours.then_some(&mut self.ours);
        ours.into_iter().chain(self.in_any.then_some(&mut self.any))
    }

    fn delay(&mut self, seconds: f64) {
        for group in self.groups() {
            group.delay = Some(group.delay.map_or(seconds, |d| d.max(seconds)));
        }
    }

    fn rule(&mut self, line: u32, allow: bool, value: &str) {
        self.heading = false;
        self.early_delay = None;
        // The parser hands out escaped values; ours is the line as written.
        let source = (line as usize).checked_sub(1).and_then(|i| self.lines.get(i)).copied();
        let value = match source.and_then(|s| s.split_once(':')) {
            Some((_, raw)) => raw.trim(),
            None => value,
        };
        // An empty value matches nothing (§2.2.2 asks for a path).
        let Some(pattern) = Pattern::compile(value) else { return };
        let written = format!("{}: {value}", if allow { "Allow" } else { "Disallow" });
        for group in self.groups() {
            if group.rules.len() == MAX_RULES {
                group.overflow = true;
            } else {
                let (pattern, written) = (pattern.clone(), written.clone());
                group.rules.push(Rule { allow, pattern, written, line });
            }
        }
    }
}

impl RobotsParseHandler for Reader<'_> {
    fn handle_robots_start(&mut self) {}
    fn handle_robots_end(&mut self) {}

    fn handle_user_agent(&mut self, _: u32, agent: &str) {
        if !self.heading {
            self.heading = true;
            self.in_ours = false;
            self.in_any = false;
        }
        // §2.2.1: a product token is letters, `_` and `-`; what follows it is ignored.
        let end = agent.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-')));
        let (product, after) = agent.split_at(end.unwrap_or(agent.len()));
        if product.is_empty() {
            let star = after.strip_prefix('*');
            self.in_any |= star.is_some_and(|s| s.is_empty() || s.starts_with([' ', '\t']));
            self.any.named |= self.in_any;
        } else if product.eq_ignore_ascii_case(self.token) {
            self.in_ours = true;
            self.ours.named = true;
        }
        if let Some(seconds) = self.early_delay {
            self.delay(seconds);
        }
    }

    fn handle_allow(&mut self, line: u32, value: &str) {
        self.rule(line, true, value);
    }

    fn handle_disallow(&mut self, line: u32, value: &str) {
        self.rule(line, false, value);
    }

    fn handle_sitemap(&mut self, _: u32, value: &str) {
        if self.sitemaps.len() < MAX_NOTES && !value.is_empty() {
            self.sitemaps.push(value.to_owned());
        }
    }

    fn handle_unknown_action(&mut self, _: u32, action: &str, value: &str) {
        if action.eq_ignore_ascii_case("crawl-delay") {
            let seconds = value.parse::<f64>().ok().filter(|s| s.is_finite() && *s >= 0.0);
            if let Some(seconds) = seconds {
                self.delay(seconds);
                if self.heading {
                    self.early_delay = Some(seconds);
                }
            }
            return;
        }
        let name = action.to_ascii_lowercase();
        let known = ["content-signal", "content-usage", "llm-policy", "ai-policy", "tdm-policy"];
        if known.contains(&name.as_str()) && self.signals.len() < MAX_NOTES {
            self.signals.push(format!("{name}: {value}"));
        }
    }
}

#[cfg(test)]
mod tests;

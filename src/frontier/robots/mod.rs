//! What a site's robots.txt allows (RFC 9309): parsing, group selection, matching, and the rules
//! of caching as pure functions.
//!
//! Must not know: how robots.txt is fetched, where the record of it is kept.

mod cache;
mod pattern;
mod rules;

use std::fmt::Write as _;

use robotstxt::RobotsParseHandler;
use url::Url;

use crate::model::{Failure, Millis, RobotsDecision, RobotsRecord};
pub use cache::{Fetched, KEEP, KEEP_UNREACHABLE, Standing, after_fetch, needs_fetch, standing};
use rules::Rules;

/// Octets of a robots.txt that are read (RFC 9309 §2.5 asks for at least 500 KiB); the rest of a
/// longer one is ignored, with the line in the middle of which it was cut.
pub const MAX_BODY: usize = 500 * 1024;
/// Octets of a line that are read, as many as the parser reads. What is cut from a pattern makes it
/// match more: so of a longer `Disallow` the rest is ignored, and a longer `Allow` altogether.
const MAX_LINE: usize = 2_083 * 8 - 1;
/// Sitemaps and signals kept per file, those that stand first.
const MAX_NOTES: usize = 1_000;

/// The rules of one robots.txt that address one product token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    rules: Rules,
    /// The user agent of the group that addresses us, ours or `*`; `None`: no group does.
    pub group: Option<String>,
    /// Seconds between requests that the site asks of us, unbounded; never negative or NaN.
    pub crawl_delay: Option<f64>,
    /// `Sitemap` lines of the whole file, as written; the first thousand of them.
    pub sitemaps: Vec<String>,
    /// Signals about use (`Content-Signal`, `Content-Usage`, `LLM-Policy` …), `name: value`; the first
    /// thousand of them.
    pub signals: Vec<String>,
}

impl Robots {
    /// Reads a robots.txt for one product token, compared without regard to case. All groups of
    /// that token count as one; if there is none, those of `*` do (§2.2.1).
    ///
    /// Lines other than `User-agent`, `Allow` and `Disallow` neither open nor close a group
    /// (§2.2.4); `Crawl-delay` belongs to the group it stands in.
    pub fn parse(body: impl AsRef<[u8]>, token: &str) -> Robots {
        Robots::read(&text(body.as_ref(), false), token)
    }

    /// Reads what a record keeps, like [`Robots::parse`].
    pub fn of(record: &RobotsRecord, token: &str) -> Robots {
        Robots::read(&record.body, token)
    }

    fn read(body: &str, token: &str) -> Robots {
        let lines = lines(body.strip_prefix('\u{feff}').unwrap_or(body));
        let mut reader = Reader { token, lines: &lines, ..Reader::default() };
        robotstxt::parse_robotstxt(&ascii(&lines), &mut reader);
        let Reader { ours, any, sitemaps, signals, .. } = reader;
        let name = if ours.named { token } else { "*" };
        let mut group = if ours.named { ours } else { any };
        let named = group.named.then(|| name.to_owned());
        group.rules.finish();
        let (rules, crawl_delay) = (group.rules, group.delay);
        Robots { rules, group: named, crawl_delay, sitemaps, signals }
    }

    /// Bytes of memory that are held beside this record itself.
    pub fn bytes(&self) -> usize {
        let notes = self.sitemaps.iter().chain(&self.signals);
        self.rules.bytes() + notes.map(|note| size_of::<String>() + note.capacity()).sum::<usize>()
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
        self.rules.decide(&pattern::target(url)).unwrap_or_else(|| free(None))
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

/// A body as text, cut to [`MAX_BODY`]. Of a body that is `cut`, here or by whoever read it, only whole
/// lines are kept: the stump of the last one would be another rule. Octets that are no UTF-8 become percent-encoded: rules that
/// are written in them match the same URLs then (§2.2.2). UTF-16 is read where a byte order mark
/// tells it. NULs are no part of any path and left out.
fn text(body: &[u8], cut: bool) -> String {
    let read = body.get(..MAX_BODY).unwrap_or(body);
    let mut text = decoded(read);
    if cut || read.len() < body.len() {
        text.truncate(text.rfind(['\r', '\n']).map_or(0, |end| end + 1));
    }
    text
}

fn decoded(body: &[u8]) -> String {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(body)
        && encoding != encoding_rs::UTF_8
    {
        return encoding.decode_with_bom_removal(body).0.replace('\0', "");
    }
    let mut text = String::with_capacity(body.len());
    for chunk in body.utf8_chunks() {
        text.extend(chunk.valid().split('\0'));
        for octet in chunk.invalid() {
            let _ = write!(text, "%{octet:02X}");
        }
    }
    text
}

/// Lines ended by CR LF, LF or CR, without comments.
fn lines(body: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let end = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        lines.push(trimmed(line.split('#').next().unwrap_or_default()));
        rest = after.strip_prefix("\r\n").or_else(|| after.get(1..)).unwrap_or_default();
    }
    lines
}

/// As much of a line as is read.
fn shortened(line: &str) -> &str {
    line.get(..line.floor_char_boundary(MAX_LINE)).unwrap_or(line)
}

/// The lines for the parser, all octets of other characters replaced: it has another notion of white
/// space, and values are taken from the lines as written anyway.
fn ascii(lines: &[&str]) -> String {
    let mut out = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines.iter().map(|line| shortened(line)) {
        out.extend(line.bytes().map(|octet| if octet.is_ascii() { octet as char } else { '?' }));
        out.push('\n');
    }
    out
}

/// Without white space around it; at the end, all but that of ASCII belongs to a rule's path.
fn trimmed(text: &str) -> &str {
    text.trim_start().trim_end_matches([' ', '\t', '\x0b', '\x0c'])
}

/// What the groups of one user agent say, merged.
#[derive(Default)]
struct Group {
    named: bool,
    rules: Rules,
    delay: Option<f64>,
}

/// The number that a delay begins with, whatever follows it (`10s`), by point or comma.
fn seconds(value: &str) -> Option<f64> {
    let number = value.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','));
    let number = value.get(..number.unwrap_or(value.len())).unwrap_or_default().replace(',', ".");
    let read = value.parse::<f64>().or_else(|_| number.trim_end_matches('.').parse());
    read.ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
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

impl<'a> Reader<'a> {
    /// A line (from 1), as long as it is.
    fn line(&self, number: u32) -> &'a str {
        let line = (number as usize).checked_sub(1).and_then(|at| self.lines.get(at).copied());
        line.unwrap_or_default()
    }

    /// What a line says after its name, as written.
    fn value(&self, number: u32) -> &'a str {
        let line = shortened(self.line(number));
        // As the parser does: white space where the colon was forgotten.
        let at = line.find(':').or_else(|| line.find([' ', '\t']));
        trimmed(at.and_then(|at| line.get(at + 1..)).unwrap_or_default())
    }

    fn groups(&mut self) -> impl Iterator<Item = &mut Group> {
        let ours = self.in_ours.then_some(&mut self.ours);
        ours.into_iter().chain(self.in_any.then_some(&mut self.any))
    }

    fn delay(&mut self, seconds: f64) {
        for group in self.groups() {
            group.delay = Some(group.delay.map_or(seconds, |d| d.max(seconds)));
        }
    }

    fn rule(&mut self, line: u32, allow: bool) {
        self.heading = false;
        self.early_delay = None;
        if allow && self.line(line).len() > MAX_LINE {
            return;
        }
        let value = self.value(line);
        for group in self.groups() {
            group.rules.push(allow, value, line);
        }
    }
}

impl RobotsParseHandler for Reader<'_> {
    fn handle_robots_start(&mut self) {}
    fn handle_robots_end(&mut self) {}

    fn handle_user_agent(&mut self, line: u32, _: &str) {
        let agent = self.value(line).trim();
        if !self.heading {
            self.heading = true;
            self.in_ours = false;
            self.in_any = false;
        }
        // §2.2.1: a product token is letters, `_` and `-`; what follows it is ignored. Names with
        // digits exist all the same, and are compared whole: `news24bot` is neither `news` nor
        // `news7bot`.
        let letters = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-');
        let product = agent.find(|c| !letters(c)).map_or(agent, |end| &agent[..end]);
        let named = agent.find(|c: char| !(letters(c) || c.is_ascii_digit()));
        let named = named.map_or(agent, |end| &agent[..end]);
        if named.is_empty() {
            let star = agent.strip_prefix('*');
            self.in_any |= star.is_some_and(|s| s.is_empty() || s.starts_with([' ', '\t']));
            self.any.named |= self.in_any;
        } else if [product, named].iter().any(|name| name.eq_ignore_ascii_case(self.token)) {
            self.in_ours = true;
            self.ours.named = true;
        }
        if let Some(seconds) = self.early_delay {
            self.delay(seconds);
        }
    }

    fn handle_allow(&mut self, line: u32, _: &str) {
        self.rule(line, true);
    }

    fn handle_disallow(&mut self, line: u32, _: &str) {
        self.rule(line, false);
    }

    fn handle_sitemap(&mut self, line: u32, _: &str) {
        let value = self.value(line).trim();
        if self.sitemaps.len() < MAX_NOTES && !value.is_empty() {
            self.sitemaps.push(value.to_owned());
        }
    }

    fn handle_unknown_action(&mut self, line: u32, action: &str, _: &str) {
        let value = self.value(line).trim();
        if action.eq_ignore_ascii_case("crawl-delay") {
            if let Some(seconds) = seconds(value) {
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

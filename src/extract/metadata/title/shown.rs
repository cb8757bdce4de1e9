//! The headline where readers see it, for pages whose main headings do not say what machines are told. Must
//! not know which title is chosen.

use std::borrow::Cow;

use super::cut::{SECTION, at_least, before_bar, cut, may_be_headline, parts_of};
use super::terms::Terms;
use super::{Candidate, Heading};
use crate::extract::dom::Id;
use crate::extract::metadata::dates;
use crate::extract::metadata::names;
use crate::extract::metadata::page::PageData;
use crate::extract::metadata::sections::{SITES, is_section};
use crate::extract::metadata::seen::{OWN, Spot, TITLE};
use crate::extract::metadata::text::{self, squash};
use crate::html::name;
use crate::model::Source;

/// A part of what machines are told is a headline only if it has so many letters and digits.
pub(super) const SHORTEST: usize = 12;
/// Weight of what readers see as a line of its own.
pub(super) const SHOWN: f32 = 2.0;
/// So many texts below a headline there are two, in bytes, of the length of a sentence.
const BELOW: usize = 12;
const SENTENCE: usize = 120;
/// Headings that share so much say the same.
pub(super) const SAME: f32 = 0.5;
/// What stands over a text as its headline has at least so many words, and at most so many bytes.
const FEWEST: usize = 3;
const LONGEST: usize = 250;
/// What machines are told is not taken apart if it is longer, in bytes.
const LONGEST_TOLD: usize = 2_000;
/// Nodes of a heading that are looked at.
const NODES: usize = 60;

/// A part of what machines are told that may be a headline.
struct Part<'c> {
    key: String,
    text: &'c str,
    source: Source,
}

impl Part<'_> {
    fn candidate(&self) -> Candidate {
        Candidate { text: self.text.to_owned(), weight: SHOWN, source: self.source }
    }
}

/// Each such part once, the longest first.
fn parts<'c>(candidates: &'c [Candidate], outlets: &[String]) -> Vec<Part<'c>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for candidate in candidates.iter().filter(|c| c.text.len() <= LONGEST_TOLD) {
        for text in parts_of(&candidate.text) {
            let key = squash(text);
            if key.chars().count() >= SHORTEST
                && !outlets.contains(&key)
                && !is_section(text)
                && !parts.iter().any(|known| known.key == key)
            {
                parts.push(Part { key, text, source: candidate.source });
            }
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.key.len()));
    parts
}

/// The heading that is a part of what machines are told, and what of it is that: a date, a kicker or a number
/// may stand beside the headline in elements of their own.
pub(super) fn part(
    page: &PageData<'_>,
    candidates: &[Candidate],
    headings: &[Heading],
    outlets: &[String],
) -> Option<(usize, String)> {
    if headings.is_empty() {
        return None;
    }
    let parts = parts(candidates, outlets);
    let keys: Vec<String> = headings.iter().map(|heading| squash(&heading.text)).collect();
    // A site's name stands behind a headline more often than a section before it.
    let told: Vec<String> = candidates.iter().map(|c| squash(&c.text)).collect();
    let most = |key: &str| {
        told.iter()
            .any(|told| told.starts_with(key) || told.contains(key) && key.len() * 2 > told.len())
    };
    let sure = |part: &Part<'_>| at_least(part.text, SECTION) || most(&part.key);
    let mut whole = parts.iter().filter_map(|part| {
        let at = keys.iter().position(|key| *key == part.key)?;
        sure(part).then_some((at, part))
    });
    if let Some((mut at, mut longest)) = whole.next() {
        // One that goes on with a section is no headline where the headline is one, too.
        for (shorter, part) in whole {
            if longest.key.starts_with(&part.key) && at_least(part.text, SECTION) {
                (at, longest) = (shorter, part);
            }
        }
        return Some((at, headings[at].text.clone()));
    }
    headings.iter().zip(&keys).enumerate().find_map(|(at, (heading, key))| {
        let mut ends = Vec::new();
        let mut length = 0;
        for node in page.dom.descend(heading.id).take(NODES) {
            if let Some(text) = page.dom.text(node) {
                length += squash(text).len();
                ends.push(length);
            }
        }
        let own = |part: &&Part<'_>| {
            let length = part.key.len();
            at_least(part.text, FEWEST)
                && (key.starts_with(&part.key) && ends.contains(&length)
                    || key.ends_with(&part.key) && ends.contains(&(key.len() - length)))
        };
        parts.iter().find(own).map(|part| (at, part.text.to_owned()))
    })
}

/// A smaller heading that is a part of what machines are told, beside a main one that says something else.
pub(super) fn smaller(
    page: &PageData<'_>,
    candidates: &mut Vec<Candidate>,
    heading: &str,
    outlets: &[String],
) {
    let titles = titles(page);
    let heading = Terms::of(heading);
    let other = |part: &Part<'_>| {
        at_least(part.text, SECTION)
            && Terms::of(part.text).overlap(&heading) < SAME
            && titles.contains(&part.key)
    };
    let found = parts(candidates, outlets).into_iter().find(other).map(|part| part.candidate());
    candidates.extend(found);
}

/// Smaller headings and what is marked as one, squashed.
fn titles(page: &PageData<'_>) -> Vec<String> {
    let texts = page.seen().titles.iter().filter_map(|spot| page.text(spot.id));
    texts.map(|text| squash(&text)).collect()
}

/// Where no heading says what machines are told: the longest part of it that is a line of the page; else the
/// headline over the text, unless they are told one for `sure`. A line of a few words may be the site's name: it is none
/// where one of the `headings` is over prose, nor as a link, nor where it is neither over prose nor marked as a title.
pub(super) fn add(
    page: &PageData<'_>,
    candidates: &mut Vec<Candidate>,
    headings: &[Heading],
    outlets: &[String],
    sure: bool,
) {
    let headed = headings.iter().any(|heading| is_headline(page, heading));
    let may_be = |text: &str, line: &Spot| {
        may_be_headline(text)
            || !headed
                && !is_link(page, line)
                && (is_above_prose(page, line.position) || is_marked(page, line))
    };
    let mut parts = parts(candidates, outlets);
    let told: Vec<(String, Source)> =
        candidates.iter().map(|c| (squash(&c.text), c.source)).collect();
    parts.retain(|part| !is_beside(&told, &part.key));
    let smaller = || {
        let titles = titles(page);
        parts.iter().find(|part| titles.contains(&part.key))
    };
    let lines = &page.seen().lines;
    let is_shown = |part: &&Part<'_>| {
        let says = |line: &Spot| says(page, line, &part.key);
        lines.iter().any(|line| says(line) && may_be(part.text, line))
    };
    // Headings that nobody sees yet are headings all the same.
    // Smaller ones stand over the text and are told first: others are a site's words about itself.
    let over = page.seen().titles.iter().filter(|spot| {
        is_above_prose(page, spot.position) && is_above_sentence(page, spot.position)
    });
    let keys = |spot: &Spot| page.text(spot.id).map(|text| squash(&text));
    let heads: Vec<String> = page.seen().headings.iter().filter_map(keys).collect();
    let over: Vec<String> = over.filter_map(keys).collect();
    let begins = |key: &String| told.iter().any(|(told, _)| told.starts_with(key));
    let ends = |key: &String| told.iter().any(|(told, _)| told.ends_with(key));
    let mut named = parts.iter().filter(|part| at_least(part.text, SECTION));
    let named = named.find(|Part { key, .. }| {
        begins(key) && (heads.contains(key) || over.contains(key))
            || ends(key) && heads.contains(key)
    });
    let named = named.map(Part::candidate);
    let lined = named.or_else(|| {
        parts.iter().find(is_shown).map(|line| {
            // A heading may be of several lines, some of them slanted.
            smaller().filter(|heading| heading.key.contains(&line.key)).unwrap_or(line).candidate()
        })
    });
    let shown = lined
        .or_else(|| within(page, &told, outlets, may_be))
        .or_else(|| smaller().map(Part::candidate));
    // `<title>` may be the headline all the same.
    let found = shown.or_else(|| (!sure).then(|| over_text(page, candidates, outlets)).flatten());
    candidates.extend(found);
}

/// Is a part of what machines are told what stands beside the headline, which they are told alone elsewhere?
fn is_beside(told: &[(String, Source)], key: &str) -> bool {
    told.iter().any(|(whole, _)| {
        let rest = whole.strip_prefix(key).or_else(|| whole.strip_suffix(key));
        rest.is_some_and(|rest| {
            rest.chars().count() >= SHORTEST && told.iter().any(|(other, _)| other == rest)
        })
    })
}

/// Do the marks of the element around a line speak of a title?
fn is_marked(page: &PageData<'_>, line: &Spot) -> bool {
    let around = page.dom.parent(line.id);
    page.seen().heads.iter().any(|head| Some(head.id) == around)
}

/// What stands over prose as a headline does: a heading, what is marked as one, at last a line in bold or large
/// letters. It says much of what machines are told, unless that is the site's name alone.
fn over_text(
    page: &PageData<'_>,
    candidates: &[Candidate],
    outlets: &[String],
) -> Option<Candidate> {
    let seen = page.seen();
    let told: Vec<Terms> = candidates
        .iter()
        .map(|c| cut(&c.text, outlets, &[], ""))
        .filter(|text| !is_site(text))
        .map(|text| Terms::of(&text))
        .collect();
    let akin = |text: &str| {
        let text = Terms::of(text);
        told.is_empty() || told.iter().any(|told| told.contained(&text) > SAME)
    };
    let headline = |spot: &Spot, fewest: usize| {
        let text = above_date(page, spot.id)?;
        let good = at_least(&text, fewest)
            && (SHORTEST..=LONGEST).contains(&text.len())
            && text.starts_with(|c: char| c.is_alphanumeric() || "\"'“‘«„([¿¡$€£".contains(c))
            && !text.ends_with(':')
            && !is_section(&text)
            && !outlets.contains(&squash(&text))
            && !names::introduces(&text)
            && dates::parse(&text, None).is_none_or(|date| date.printed.len() * 2 < text.len())
            && akin(&text)
            && is_above_prose(page, spot.position);
        good.then_some(Candidate { text, weight: SHOWN, source: Source::Visible })
    };
    let first = |spots: &[Spot], fewest| spots.iter().find_map(|spot| headline(spot, fewest));
    // What is only set as a headline may be a link to anything.
    let heads = || seen.heads.iter().filter(|spot| !is_link(page, spot));
    let bold = || seen.lines.iter().filter(|line| is_bold(page, line) && !is_link(page, line));
    // Sites have short names.
    [SECTION, FEWEST]
        .into_iter()
        .find_map(|fewest| first(&seen.headings, fewest).or_else(|| first(&seen.titles, fewest)))
        .or_else(|| heads().find_map(|spot| headline(spot, FEWEST)))
        .or_else(|| bold().find_map(|line| headline(line, FEWEST)))
}

/// What an element says above a date line in it.
fn above_date(page: &PageData<'_>, id: Id) -> Option<String> {
    let whole = page.text(id)?;
    if !dates::may_hold(&whole) {
        return Some(whole.into_owned());
    }
    let texts: Vec<Cow<'_, str>> = page
        .dom
        .descend(id)
        .take(NODES)
        .filter(|&id| page.dom.text(id).is_some())
        .filter_map(|id| page.text(id))
        .collect();
    let is_date = |text: &Cow<'_, str>| {
        dates::parse(text, None).is_some_and(|date| date.printed.len() * 2 > text.len())
    };
    match texts.iter().skip(1).position(is_date) {
        Some(at) => Some(texts[..=at].join(" ")),
        None => Some(whole.into_owned()),
    }
}

/// Does prose stand below so many texts?
fn is_above_prose(page: &PageData<'_>, from: usize) -> bool {
    let seen = page.seen();
    let at = seen.lines.partition_point(|line| line.position <= from);
    let lines = seen.lines[at..].iter().take_while(|line| line.position <= from + BELOW);
    let short = lines
        .filter(|line| page.dom.text(line.id).is_some_and(|text| text.len() < SENTENCE))
        .count();
    // Texts that are too long for a line are not among them.
    BELOW - short >= 2
}

/// Does a sentence stand anywhere below so many texts? The page may end there.
fn is_above_sentence(page: &PageData<'_>, from: usize) -> bool {
    let seen = page.seen();
    let at = seen.lines.partition_point(|line| line.position <= from);
    let is_long = |line: &Spot| page.dom.text(line.id).is_some_and(|text| text.len() >= SENTENCE);
    seen.prose.last().is_some_and(|&prose| prose > from) || seen.lines[at..].iter().any(is_long)
}

/// Does a main heading stand over prose, and is it longer than names of sections are?
pub(super) fn is_headline(page: &PageData<'_>, heading: &Heading) -> bool {
    let spot = page.seen().headings.iter().find(|spot| spot.id == heading.id);
    may_be_headline(&heading.text) && spot.is_some_and(|spot| is_above_prose(page, spot.position))
}

/// Is a main heading the site's name: machines are told it before or behind something else, which is none of the `outlets`,
/// and it leads to the front page, or to what the page lies below? Headlines may seem to do that, too, and are told beside
/// the site's name: then something longer or a heading of its own stands beside it.
pub(super) fn names_site(
    page: &PageData<'_>,
    heading: Id,
    key: &str,
    told: &str,
    outlets: &[String],
) -> bool {
    let rest = told.strip_prefix(key).or_else(|| told.strip_suffix(key));
    let seen = page.seen();
    let is_headed = |rest: &str| {
        let mut heads = seen.titles.iter().filter_map(|spot| page.text(spot.id));
        heads.any(|head| squash(&head) == rest)
    };
    rest.is_some_and(|rest| !rest.is_empty() && outlets.iter().all(|outlet| outlet != rest))
        && !key.is_empty()
        && (leads_home(page, heading, outlets)
            || leads_above(page, heading)
                && rest.is_some_and(|rest| rest.len() > key.len() || is_headed(rest)))
}

/// Do the marks of a main heading over prose call it the headline, alone or as the article's ("ArticleHeadline")?
pub(super) fn is_marked_headline(page: &PageData<'_>, heading: &Heading) -> bool {
    let marks = page.marks(heading.id);
    let says = |word: &str, mark: &str| {
        let own = word.strip_suffix(mark).map(|own| own.trim_end_matches(['-', '_']));
        own.is_some_and(|own| own.is_empty() || OWN.contains(&own))
    };
    let spot = page.seen().headings.iter().find(|spot| spot.id == heading.id);
    spot.is_some_and(|spot| is_above_prose(page, spot.position))
        && marks.split_whitespace().any(|word| TITLE.iter().any(|mark| says(word, mark)))
}

/// Does what readers see elsewhere say what machines are told, unless that is the site's name in a line?
pub(super) fn is_told(page: &PageData<'_>, candidates: &[Candidate]) -> bool {
    let (shown, told): (Vec<_>, Vec<_>) = candidates.iter().partition(|c| c.weight >= SHOWN);
    shown.iter().any(|shown| match shown.source {
        Source::Visible => {
            let said = Terms::of(&shown.text);
            told.iter().any(|told| Terms::of(&told.text).contained(&said) > SAME)
        }
        _ => !is_site(&shown.text) || titles(page).contains(&squash(&shown.text)),
    })
}

/// Does a heading say what machines are told, and go on in words of its own?
pub(super) fn goes_on(told: &str, heading: &str) -> bool {
    let told = before_bar(told);
    let mut said = heading.split_whitespace();
    let begins = told
        .split_whitespace()
        .all(|word| said.next().is_some_and(|own| squash(own) == squash(word)));
    let rest: Vec<&str> = said.collect();
    at_least(told, SECTION)
        && !rest.is_empty()
        && begins
        && rest.iter().any(|word| word.starts_with(char::is_alphabetic))
        && dates::parse(&rest.join(" "), None).is_none()
}

/// Does a heading lead to what the page lies below: the front page of one of several blogs?
fn leads_above(page: &PageData<'_>, heading: Id) -> bool {
    let Some(href) = link_of(page, heading) else { return false };
    let mut own = page.canonical.iter().cloned().chain(page.told("og:url"));
    let href = href.trim();
    href.contains("//")
        && href.ends_with('/')
        && own.any(|own| {
            let own = own.split(['?', '#']).next().unwrap_or_default();
            own.strip_prefix(href).is_some_and(|rest| {
                let first = rest.split(['/', '.']).next().unwrap_or_default();
                rest.contains(char::is_alphabetic) && !is_own_part(&first.to_ascii_lowercase())
            })
        })
}

/// Is it what systems call a further view or part of the same page?
fn is_own_part(part: &str) -> bool {
    part.starts_with("comment") || matches!(part, "amp" | "page" | "print" | "feed" | "embed")
}

/// Where a heading leads as a whole.
fn link_of<'p>(page: &'p PageData<'_>, heading: Id) -> Option<Cow<'p, str>> {
    let dom = page.dom;
    let is_link = |&id: &Id| dom.tag(id) == Some(name!("a"));
    let whole = |id: &Id| page.text(*id) == page.text(heading);
    let mut within = dom.descend(heading).take(8).filter(is_link);
    let around = || dom.ancestors(heading).take(3).find(is_link);
    let link = within.next().filter(whole).or_else(around)?;
    dom.value(link, name!("href"))
}

/// Does a heading lead to the front page of its own site, whose host is among the `outlets`?
pub(super) fn leads_home(page: &PageData<'_>, heading: Id, outlets: &[String]) -> bool {
    let Some(href) = link_of(page, heading) else { return false };
    match href.trim().split_once("//") {
        Some((_, host)) => {
            let host = host.trim_end_matches('/').to_ascii_lowercase();
            let host = host.strip_prefix("www.").unwrap_or(&host);
            !host.contains(['/', '?', '#']) && host.contains('.') && outlets.contains(&squash(host))
        }
        None => href.trim() == "/",
    }
}

/// Is a text no more than what a site calls itself: a few words, or some that sites are named with?
fn is_site(text: &str) -> bool {
    let named = |word: &str| SITES.contains(&word.to_lowercase().as_str());
    !at_least(text, SECTION) || text.split(|c: char| !c.is_alphanumeric()).any(named)
}

/// Is a place within a link, or one around it?
fn is_link(page: &PageData<'_>, spot: &Spot) -> bool {
    let link = |id| page.dom.tag(id) == Some(name!("a"));
    page.dom.ancestors(spot.id).take(4).any(link) || page.dom.descend(spot.id).take(8).any(link)
}

/// Is a line set in bold or large letters?
fn is_bold(page: &PageData<'_>, line: &Spot) -> bool {
    page.dom.ancestors(line.id).take(2).any(|id| match page.dom.tag(id) {
        Some(name!("b") | name!("strong") | name!("big")) => true,
        Some(name!("font")) => page.dom.value(id, name!("size")).is_some_and(|size| {
            matches!(size.trim(), "4" | "5" | "6" | "7") || size.trim().starts_with('+')
        }),
        _ => false,
    })
}

/// The longest line that readers see, that may be a headline and that begins or ends what machines are told.
fn within(
    page: &PageData<'_>,
    told: &[(String, Source)],
    outlets: &[String],
    may_be: impl Fn(&str, &Spot) -> bool,
) -> Option<Candidate> {
    let mut best: Option<(usize, Candidate)> = None;
    for spot in &page.seen().lines {
        let line = page.dom.text(spot.id).unwrap_or_default();
        if line.len() < SHORTEST || !line.trim().contains([' ', '\u{A0}']) {
            continue;
        }
        let key = squash(line);
        let length = key.chars().count();
        let longer = best.as_ref().is_none_or(|(known, _)| length > *known);
        if length < SHORTEST || !longer || outlets.contains(&key) || is_section(line) {
            continue;
        }
        let source = told.iter().find(|(told, _)| told.starts_with(&key) || told.ends_with(&key));
        if let Some(&(_, source)) = source
            && may_be(line, spot)
            && !is_beside(told, &key)
        {
            let text = text::plain(line);
            best = Some((length, Candidate { text, weight: SHOWN, source }));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Is it, in letters and digits, a line that readers see?
pub(super) fn is_line(page: &PageData<'_>, key: &str) -> bool {
    page.seen().lines.iter().any(|line| says(page, line, key))
}

/// Does a line say that, in letters and digits?
fn says(page: &PageData<'_>, line: &Spot, key: &str) -> bool {
    text::squashes_to(page.dom.text(line.id).unwrap_or_default(), key)
}

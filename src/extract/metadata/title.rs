//! The title: chosen by agreement between what the page says in several places, with the outlet's
//! own name cut. Must not know where else a page says things.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::model::{Found, Source};

use super::jsonld::LinkedData;
use super::page::PageData;
use super::text::{self, squash};

/// What publishers put between title, section and outlet.
const SEPARATORS: [&str; 13] =
    [" | ", " - ", " – ", " — ", " :: ", " · ", " • ", " » ", " « ", " / ", "｜", "|", "ㅣ"];

/// A title and where it stood.
#[derive(Debug)]
pub(super) struct Candidate {
    pub text: String,
    pub source: Source,
    /// How far the place is to be trusted when nothing agrees.
    pub weight: f32,
}

/// A heading shares so much of its words with what machines are told, or says something else.
const AKIN: f32 = 0.2;
/// A part of `<title>` is a headline only if it has so many letters and digits.
const SHORTEST: usize = 12;

/// The title that a page gives itself.
pub(super) fn read(
    page: &PageData<'_>,
    data: &LinkedData,
    feed_title: Option<&str>,
    outlets: &[String],
) -> Option<Found<String>> {
    let mut candidates = told(page, data);
    let without_outlets: Vec<String> =
        candidates.iter().map(|c| cut(&c.text, outlets, &[], "")).collect();
    let words: Vec<Terms> = without_outlets.iter().map(|text| Terms::of(text)).collect();
    let headings = page.headings.iter().take(5).filter_map(|&id| page.text(id));
    let headings: Vec<String> = headings
        .map(|text| text.into_owned())
        .filter(|text| !outlets.contains(&squash(text)))
        .collect();
    // How much of a heading machines are told, or of what they are told the heading says.
    let akin = |heading: &str| {
        let heading = Terms::of(heading);
        words.iter().map(|w| w.contained(&heading)).fold(0.0, f32::max) >= AKIN
    };
    let spoken = headings.iter().any(|heading| akin(heading));
    if !spoken {
        shown(page, &mut candidates, &headings, outlets);
    } else if !agree(&headings, &without_outlets) {
        // Nobody agrees with the headings: what else do readers see?
        for candidate in &mut candidates {
            let key = squash(&candidate.text);
            if is_line(page, &key) {
                candidate.weight += 0.8;
            }
        }
    }
    // What readers see is the title sooner than what only machines are told; a single heading most.
    let weight = match headings.len() {
        _ if !spoken && candidates.iter().any(|c| c.weight >= SHOWN) => 0.2,
        _ if !spoken && !candidates.is_empty() => 0.8,
        _ => 1.6,
    };
    let seen = |text| Candidate { text, source: Source::Html, weight };
    candidates.extend(headings.into_iter().map(seen));
    if candidates.is_empty() {
        let titles = page.seen().titles.iter().take(3).filter_map(|spot| page.text(spot.id));
        candidates.extend(titles.map(|text| seen(text.into_owned())));
    }
    choose(candidates, feed_title, outlets)
}

/// Does a heading say what machines are told?
fn agree(headings: &[String], told: &[String]) -> bool {
    let told: Vec<String> = told.iter().map(|text| squash(text)).collect();
    headings.iter().any(|heading| told.contains(&squash(heading)))
}

/// What machines are told. Share cards and `<title>` are one voice, written for search engines and
/// often another headline than the one readers see: they weigh little beside data.
fn told(page: &PageData<'_>, data: &LinkedData) -> Vec<Candidate> {
    let meta = |names: &[&str]| {
        names.iter().find_map(|name| {
            let contents = page.metas.iter().filter(|(key, _)| key == name);
            contents.map(|(_, content)| text::plain(content)).find(|c| !c.is_empty())
        })
    };
    [
        (data.headline.clone(), Source::JsonLd, 1.1),
        (meta(&["og:title"]), Source::OpenGraph, 1.05),
        (meta(&["twitter:title"]), Source::Meta, 0.2),
        (
            meta(&["parsely-title", "dc.title", "sailthru.title", "title", "headline"]),
            Source::Meta,
            0.2,
        ),
        (page.title.clone(), Source::Html, 0.4),
    ]
    .into_iter()
    .filter_map(|(text, source, weight)| {
        Some(Candidate { text: text.filter(|t| !t.is_empty())?, source, weight })
    })
    .collect()
}

/// Headlines have at least so many words, names of outlets and sections mostly fewer.
const SECTION: usize = 4;
/// Bars that a title is cut at, at most.
const BARS: usize = 4;
/// So many texts below a headline there are two, in bytes, of the length of a sentence.
const BELOW: usize = 12;
const SENTENCE: usize = 120;
/// Weight of what readers see as a line of its own.
const SHOWN: f32 = 2.0;

/// Where no heading says what machines are told: the longest part of it that is a line of the page.
fn shown(
    page: &PageData<'_>,
    candidates: &mut Vec<Candidate>,
    headings: &[String],
    outlets: &[String],
) {
    let mut parts: Vec<(String, Candidate)> = Vec::new();
    for candidate in candidates.iter() {
        for part in parts_of(&candidate.text) {
            let key = squash(part);
            if key.chars().count() >= SHORTEST
                && !outlets.contains(&key)
                && !parts.iter().any(|(known, _)| *known == key)
            {
                let part =
                    Candidate { text: part.to_owned(), weight: SHOWN, source: candidate.source };
                parts.push((key, part));
            }
        }
    }
    parts.sort_by_key(|(key, _)| std::cmp::Reverse(key.len()));
    if let Some(at) = parts.iter().position(|(key, _)| is_line(page, key)) {
        candidates.push(parts.swap_remove(at).1);
        return;
    }
    let smaller = || {
        let texts = page.seen().titles.iter().filter_map(|spot| page.text(spot.id));
        let keys: Vec<String> = texts.map(|text| squash(&text)).collect();
        parts.into_iter().find(|(key, _)| keys.contains(key)).map(|(_, part)| part)
    };
    let shown = within(page, candidates, outlets).or_else(smaller);
    candidates.extend(shown.or_else(|| over_text(page, candidates, headings, outlets)));
}

/// Where machines are told no more than a name or a section: the first smaller heading of some length that
/// stands over prose.
fn over_text(
    page: &PageData<'_>,
    candidates: &[Candidate],
    headings: &[String],
    outlets: &[String],
) -> Option<Candidate> {
    let words = |text: &str| text.split_whitespace().count();
    let told = candidates.iter().map(|c| cut(&c.text, outlets, &[], ""));
    if told.chain(headings.iter().cloned()).any(|text| words(&text) >= SECTION) {
        return None;
    }
    let seen = page.seen();
    let prose = |from: usize| {
        let at = seen.lines.partition_point(|line| line.position <= from);
        let lines = seen.lines[at..].iter().take_while(|line| line.position <= from + BELOW);
        let short = lines
            .filter(|line| page.dom.text(line.id).is_some_and(|text| text.len() < SENTENCE))
            .count();
        // Texts that are too long for a line are not among them.
        BELOW - short >= 2
    };
    seen.titles.iter().find_map(|spot| {
        let text = page.text(spot.id)?;
        let headline = words(&text) >= SECTION && text.len() >= SHORTEST && prose(spot.position);
        headline.then(|| Candidate {
            text: text.into_owned(),
            weight: SHOWN,
            source: Source::Visible,
        })
    })
}

/// The longest line that readers see and that begins or ends what machines are told.
fn within(page: &PageData<'_>, candidates: &[Candidate], outlets: &[String]) -> Option<Candidate> {
    let keys: Vec<(String, Source)> =
        candidates.iter().map(|c| (squash(&c.text), c.source)).collect();
    let mut best: Option<(usize, Candidate)> = None;
    for spot in &page.seen().lines {
        let line = page.dom.text(spot.id).unwrap_or_default();
        if line.len() < SHORTEST || !line.trim().contains([' ', '\u{A0}']) {
            continue;
        }
        let key = squash(line);
        let length = key.chars().count();
        let longer = best.as_ref().is_none_or(|(known, _)| length > *known);
        if length < SHORTEST || !longer || outlets.contains(&key) {
            continue;
        }
        let source = keys.iter().find(|(told, _)| told.starts_with(&key) || told.ends_with(&key));
        if let Some(&(_, source)) = source {
            let text = text::plain(line);
            best = Some((length, Candidate { text, weight: SHOWN, source }));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Is it, in letters and digits, a line that readers see?
fn is_line(page: &PageData<'_>, key: &str) -> bool {
    let first = key.chars().next();
    page.seen().lines.iter().any(|spot| {
        let line = page.dom.text(spot.id).unwrap_or_default();
        text::first_squashed(line) == first && text::squashes_to(line, key)
    })
}

/// A text, and what stands before and behind each of its separators.
fn parts_of(text: &str) -> Vec<&str> {
    let mut parts = vec![text.trim()];
    for separator in SEPARATORS.iter().chain(&[" > ", " >> ", " -- ", " : ", " ~ ", "_"]) {
        for (at, found) in text.match_indices(separator).take(8) {
            parts.push(text[..at].trim());
            parts.push(text[at + found.len()..].trim());
        }
    }
    // What stands before these may be a title without its second half.
    for separator in [": ", "-"] {
        let found = text.match_indices(separator).take(8);
        parts.extend(found.map(|(at, found)| text[at + found.len()..].trim()));
    }
    parts
}

/// Where on the page readers see the title, counted in texts.
pub(super) fn position(page: &PageData<'_>, title: &str) -> Option<usize> {
    let title = squash(title);
    let seen = page.seen();
    let says = |id| {
        let heading = page.text(id).map(|t| squash(&t)).unwrap_or_default();
        !heading.is_empty() && (title.contains(&heading) || heading.contains(&title))
    };
    let shown = seen.headings.iter().find(|h| says(h.id));
    let line = || {
        let first = title.chars().next();
        seen.lines.iter().find(|l| {
            let line = page.dom.text(l.id).unwrap_or_default();
            text::first_squashed(line) == first && text::squashes_to(line, &title)
        })
    };
    shown.or_else(line).or(seen.headings.first()).map(|spot| spot.position)
}

/// The candidate that the others agree with most. `outlets` are names of the outlet: its site
/// name, its domain's label.
pub(super) fn choose(
    candidates: Vec<Candidate>,
    feed_title: Option<&str>,
    outlets: &[String],
) -> Option<Found<String>> {
    let whole: Vec<String> = candidates.iter().map(|c| squash(&c.text)).collect();
    let feed = feed_title.map(squash).unwrap_or_default();
    let cleaned: Vec<Candidate> = candidates
        .into_iter()
        .map(|c| Candidate { text: cut(&c.text, outlets, &whole, &feed), ..c })
        .filter(|c| !c.text.is_empty() && !outlets.contains(&squash(&c.text)))
        .collect();
    let words: Vec<Terms> = cleaned.iter().map(|c| Terms::of(&c.text)).collect();
    let feed_words = feed_title.map(Terms::of).unwrap_or_default();
    let mut best: Option<(f32, &Candidate)> = None;
    for (i, candidate) in cleaned.iter().enumerate() {
        let agreement: f32 = words
            .iter()
            .zip(&cleaned)
            .enumerate()
            .filter(|&(j, _)| j != i)
            .filter_map(|(_, (other, c))| Some(words.get(i)?.overlap(other) * c.weight))
            .sum();
        let with_feed = words.get(i).map_or(0.0, |w| w.overlap(&feed_words));
        let score = candidate.weight + agreement + 2.0 * with_feed;
        if best.is_none_or(|(b, _)| score > b) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, c)| Found { value: before_bar(&c.text).to_owned(), source: c.source })
}

/// A title without what a bar parts from it: a section, a name, a word to searchers. Behind a word or two
/// ("Budget | Who pays") stands the headline.
fn before_bar(mut text: &str) -> &str {
    // Many bars are no headline's, and are not gone through one by one.
    for _ in 0..BARS {
        match text.rsplit_once(" | ") {
            Some((head, tail)) if at_least(head, SECTION) && !at_least(tail, SECTION + 1) => {
                text = head;
            }
            _ => break,
        }
    }
    text
}

/// Has a text so many words?
fn at_least(text: &str, words: usize) -> bool {
    text.split_whitespace().nth(words - 1).is_some()
}

/// The words of a text, each once, by their hashes in ascending order.
#[derive(Default)]
struct Terms(Vec<u64>);

impl Terms {
    /// Of the first words, in lower case.
    fn of(text: &str) -> Terms {
        const MOST: usize = 100;
        let hash = |word: &str| {
            let mut hasher = FixedState::default().build_hasher();
            if word.is_ascii() {
                word.bytes().for_each(|b| hasher.write_u8(b.to_ascii_lowercase()));
            } else {
                word.to_lowercase().bytes().for_each(|b| hasher.write_u8(b));
            }
            hasher.finish()
        };
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
        let mut hashes: Vec<u64> = words.take(MOST).map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Terms(hashes)
    }

    fn common(&self, other: &Terms) -> usize {
        self.0.iter().filter(|hash| other.0.binary_search(hash).is_ok()).count()
    }

    /// Words in common, as a share of the shorter text's.
    fn contained(&self, other: &Terms) -> f32 {
        let common = self.common(other);
        if common == 0 { 0.0 } else { common as f32 / self.0.len().min(other.0.len()) as f32 }
    }

    /// Jaccard coefficient.
    fn overlap(&self, other: &Terms) -> f32 {
        let common = self.common(other);
        let all = self.0.len() + other.0.len() - common;
        if common == 0 { 0.0 } else { common as f32 / all as f32 }
    }
}

/// Cuts the outlet's name, and what stands between it and the title where another candidate
/// proves that the rest is the title.
pub(super) fn cut(title: &str, outlets: &[String], others: &[String], feed: &str) -> String {
    let mut rest = title.trim();
    for _ in 0..4 {
        let Some(shorter) = cut_once(rest, outlets, others, feed) else {
            break;
        };
        rest = shorter;
    }
    rest.to_owned()
}

fn cut_once<'a>(
    title: &'a str,
    outlets: &[String],
    others: &[String],
    feed: &str,
) -> Option<&'a str> {
    let known = |part: &str| {
        let part = squash(part);
        part.chars().count() >= 6 && (part == feed || others.contains(&part))
    };
    let is_outlet = |part: &str| {
        let part = squash(part);
        outlets.iter().any(|o| {
            part == *o
                || (o.chars().count() >= 3
                    && part.starts_with(o.as_str())
                    && part.len() < o.len() + 12)
                || (part.chars().count() >= 4
                    && o.ends_with(part.as_str())
                    && part.len() * 2 > o.len())
        })
    };
    let ascii = title.is_ascii();
    for separator in SEPARATORS {
        // Most titles have none, and one character is found faster than several.
        if ascii && !separator.is_ascii() || !separator.trim().chars().all(|c| title.contains(c)) {
            continue;
        }
        if let Some(at) = title.rfind(separator) {
            let (head, tail) = (title[..at].trim(), title[at + separator.len()..].trim());
            if !head.is_empty() && (is_outlet(tail) || known(head)) {
                return Some(head);
            }
        }
        if let Some(at) = title.find(separator) {
            let (head, tail) = (title[..at].trim(), title[at + separator.len()..].trim());
            if !tail.is_empty() && (is_outlet(head) || known(tail)) {
                return Some(tail);
            }
            if !head.is_empty() && known(head) {
                return Some(head);
            }
        }
    }
    // A dash without spaces is part of a word, unless another candidate ends there.
    let at = title.rfind('-')?;
    let head = title[..at].trim();
    known(head).then_some(head)
}

/// Names that the outlet goes by, squashed: its site name, the label of its domain.
pub(super) fn outlet_names(site_name: Option<&str>, host: Option<&str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if let Some(site) = site_name {
        names.push(squash(site));
        names.push(squash(site.trim_start_matches("www.")));
    }
    if let Some(host) = host {
        let host = host.trim_start_matches("www.");
        names.push(squash(host));
        let domain = psl::domain_str(host).unwrap_or(host);
        names.push(squash(domain));
        names.push(squash(domain.split('.').next().unwrap_or(domain)));
    }
    names.retain(|n| n.chars().count() >= 2);
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlets_are_cut() {
        let check = |title: &str, others: &[&str], expect: &str| {
            let outlets = outlet_names(Some("Daily Example"), Some("www.dailyexample.co.uk"));
            let others: Vec<String> = others.iter().map(|o| squash(o)).collect();
            assert_eq!(cut(title, &outlets, &others, ""), expect, "{title}");
        };
        check("Plant opens | Daily Example", &[], "Plant opens");
        check("Plant opens - dailyexample.co.uk", &[], "Plant opens");
        check("Daily Example: plant opens", &[], "Daily Example: plant opens");
        check("Daily Example | Plant opens", &[], "Plant opens");
        check("Plant opens – The Daily Example News", &[], "Plant opens – The Daily Example News");
        check("Plant opens – Daily Example News", &[], "Plant opens");
        check("Plant opens | Business | Daily Example", &["Plant opens"], "Plant opens");
        check("Plant opens | Business | Daily Example", &[], "Plant opens | Business");
        check("Kazan - a city opens", &[], "Kazan - a city opens");
        check("Plant opens", &[], "Plant opens");
        check("Daily Example", &[], "Daily Example");
        check("", &[], "");
    }

    #[test]
    fn agreement_decides() {
        let check = |candidates: &[(&str, f32)], feed: Option<&str>, expect: Option<&str>| {
            let candidates = candidates
                .iter()
                .map(|&(text, weight)| Candidate {
                    text: text.into(),
                    source: Source::Html,
                    weight,
                })
                .collect();
            let outlets = outlet_names(Some("Daily Example"), None);
            assert_eq!(choose(candidates, feed, &outlets).map(|f| f.value).as_deref(), expect);
        };
        check(&[], None, None);
        check(
            &[("Daily Example", 2.0), ("Plant opens | Daily Example", 1.0)],
            None,
            Some("Plant opens"),
        );
        check(
            &[("Read this", 1.2), ("Plant opens", 1.0), ("Plant opens soon", 1.0)],
            None,
            Some("Plant opens"),
        );
        check(
            &[("Other things", 1.1), ("Plant opens", 1.0)],
            Some("Plant opens"),
            Some("Plant opens"),
        );
    }
}

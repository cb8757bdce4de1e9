//! The title: chosen by agreement between what the page says in several places, with the outlet's
//! own name cut. Must not know the tree.

use std::collections::HashSet;

use crate::model::{Found, Source};

use super::text::squash;

/// What publishers put between title, section and outlet.
const SEPARATORS: [&str; 13] =
    [" | ", " - ", " – ", " — ", " :: ", " · ", " • ", " » ", " « ", " / ", "｜", "|", "ㅣ"];

/// A title and where it stood.
pub(super) struct Candidate {
    pub text: String,
    pub source: Source,
    /// How far the place is to be trusted when nothing agrees.
    pub weight: f32,
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
        .filter(|c| !c.text.is_empty() && !outlets.iter().any(|o| *o == squash(&c.text)))
        .collect();
    let words: Vec<HashSet<String>> = cleaned.iter().map(|c| terms(&c.text)).collect();
    let feed_words = feed_title.map(terms).unwrap_or_default();
    let mut best: Option<(f32, &Candidate)> = None;
    for (i, candidate) in cleaned.iter().enumerate() {
        let agreement: f32 = words
            .iter()
            .zip(&cleaned)
            .enumerate()
            .filter(|&(j, _)| j != i)
            .filter_map(|(_, (other, c))| Some(overlap(words.get(i)?, other) * c.weight))
            .sum();
        let with_feed = words.get(i).map_or(0.0, |w| overlap(w, &feed_words));
        let score = candidate.weight + agreement + 2.0 * with_feed;
        if best.is_none_or(|(b, _)| score > b) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, c)| Found { value: c.text.clone(), source: c.source })
}

fn terms(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.take(100).map(str::to_lowercase).collect()
}

/// Jaccard coefficient.
fn overlap(a: &HashSet<String>, b: &HashSet<String>) -> f32 {
    let common = a.intersection(b).count();
    if common == 0 { 0.0 } else { common as f32 / (a.len() + b.len() - common) as f32 }
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
    for separator in SEPARATORS {
        // Most titles have none, and one character is found faster than several.
        if !separator.trim().chars().all(|c| title.contains(c)) {
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

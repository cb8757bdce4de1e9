//! A title without the outlet's name and sections around it. Must not know where on a page it stood.

use std::sync::LazyLock;

use crate::extract::metadata::sections::is_section;
use crate::extract::metadata::text::{Needles, squash};
use crate::model::{is_public_suffix, is_spaceless, registered_domain};

/// What publishers put between title, section and outlet.
pub(super) const SEPARATORS: [&str; 14] =
    [" | ", " - ", " – ", " — ", " :: ", " · ", " • ", " » ", " « ", " › ", " / ", "｜", "|", "ㅣ"];
/// What else may do so.
const MORE_SEPARATORS: [&str; 7] = [" > ", " >> ", " -- ", " : ", " ~ ", "_", " ("];
/// All of these, those of [`SEPARATORS`] first.
static ALL_SEPARATORS: LazyLock<Needles> =
    LazyLock::new(|| Needles::new(SEPARATORS.iter().chain(&MORE_SEPARATORS)));
/// What may do so within what stands between these, in East Asia: "【Place】Plant opens（Herald） - Portal".
const WIDE_SEPARATORS: [&str; 5] = ["（", "【", "】", "［", "："];
/// Parts that are taken apart at those.
const PARTS: usize = 40;
/// Headlines have at least so many words, names of outlets and sections mostly fewer.
pub(super) const SECTION: usize = 4;
/// Bars that a title is cut at, at most.
const BARS: usize = 4;

/// Has a text so many words?
pub(in crate::extract::metadata) fn at_least(text: &str, words: usize) -> bool {
    text.split_whitespace().nth(words - 1).is_some()
}

/// Has a text as many words as headlines have? Where no blanks part them, its length has to tell.
pub(super) fn may_be_headline(text: &str) -> bool {
    at_least(text, SECTION) || text.contains(is_spaceless)
}

/// Is a text made of names of outlets and sections alone, as far as their few words tell?
pub(super) fn is_of_names(text: &str) -> bool {
    let mut parts = vec![text];
    for separator in SEPARATORS.iter().chain(&[": "]) {
        parts = parts.iter().flat_map(|part| part.split(separator)).collect();
    }
    !parts.into_iter().any(may_be_headline)
}

/// A title without what a bar parts from it: a section, a name, a word to searchers. Behind a word or two
/// ("Budget | Who pays") stands the headline, and behind a section alone.
pub(super) fn before_bar(mut text: &str) -> &str {
    while let Some((head, tail)) = text.split_once(" | ")
        && is_section(head)
        && at_least(tail, SECTION)
    {
        text = tail;
    }
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

/// What separators part a title into.
pub(in crate::extract::metadata) fn split_at_separators(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for separator in SEPARATORS {
        parts = parts.iter().flat_map(|part| part.split(separator)).collect();
    }
    parts
}

/// A text, and what stands before and behind each of its separators.
pub(super) fn parts_of(text: &str) -> Vec<&str> {
    let mut parts = vec![text.trim()];
    let within = ALL_SEPARATORS.within(text);
    let separators = SEPARATORS.iter().chain(&MORE_SEPARATORS).enumerate();
    for (_, separator) in separators.filter(|(at, _)| within >> at & 1 == 1) {
        for (at, found) in text.match_indices(separator).take(8) {
            parts.push(text[..at].trim());
            parts.push(text[at + found.len()..].trim());
        }
        // Between outlet and section: "Herald - Money - Plant opens - Herald Online".
        let between = text.split(separator).skip(1).take(8);
        parts.extend(between.map(str::trim));
    }
    // What stands before these may be a title without its second half.
    for separator in [": ", "-"] {
        let found = text.match_indices(separator).take(8);
        parts.extend(found.map(|(at, found)| text[at + found.len()..].trim()));
    }
    for separator in WIDE_SEPARATORS.iter().filter(|separator| text.contains(**separator)) {
        for at in 0..parts.len().min(PARTS) {
            let part = parts[at];
            for (at, found) in part.match_indices(separator).take(2) {
                parts.push(part[..at].trim());
                parts.push(part[at + found.len()..].trim());
            }
        }
    }
    parts
}

/// Cuts the outlet's name, and what stands between it and the title where another candidate
/// proves that the rest is the title.
pub(in crate::extract::metadata) fn cut(
    title: &str,
    outlets: &[String],
    others: &[String],
    feed: &str,
) -> String {
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
    let within = ALL_SEPARATORS.within(title);
    for (_, separator) in (0..).zip(SEPARATORS).filter(|(at, _)| within >> at & 1 == 1) {
        if let Some(at) = title.rfind(separator) {
            let (head, tail) = (title[..at].trim(), title[at + separator.len()..].trim());
            if !head.is_empty() && (is_outlet(tail) || known(head) || is_section(tail)) {
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
    // The site's address needs nothing behind it, where the rest is told elsewhere: "herald.example Plant opens".
    if let Some((head, tail)) = title.split_once(' ')
        && is_host_of(head, outlets)
        && known(tail)
        && at_least(tail, 2)
    {
        let marks = [' ', ':', '-', '–', '—', '|', '>', '»', '~'];
        return Some(tail.trim_start_matches(marks).trim_end());
    }
    // A colon may stand behind a blog's name, where the rest is told elsewhere.
    if let Some((head, tail)) = title.split_once(": ")
        && known(tail)
        && outlets.contains(&squash(head))
    {
        return Some(tail.trim());
    }
    // A dash without spaces is part of a word, unless another candidate ends there.
    let at = title.rfind('-')?;
    let head = title[..at].trim();
    known(head).then_some(head)
}

/// Is a text the whole address of the site, one of whose names is the label of its domain? "Node.js" of nodejs.org is not.
fn is_host_of(text: &str, outlets: &[String]) -> bool {
    let host = text.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let domain = registered_domain(host);
    outlets.contains(&squash(host))
        && domain.split_once('.').is_some_and(|(label, suffix)| {
            is_public_suffix(suffix) && outlets.contains(&squash(label))
        })
}

/// A title without the first words of the site's printed name behind it: "Plant opens | Thrive Valley Marketing" of the
/// "Thrive Valley Marketing Agency".
pub(super) fn without_beginning<'t>(title: &'t str, site: &str) -> &'t str {
    let ends = |separator: &str| {
        let (head, tail) = title.rsplit_once(separator)?;
        let mut words = site.split_whitespace();
        let begins = tail.split_whitespace().all(|word| words.next() == Some(word));
        let most = at_least(tail, 2) && tail.len() * 2 > site.len() && words.next().is_some();
        (begins && most && !head.trim().is_empty()).then_some(head.trim())
    };
    SEPARATORS.into_iter().find_map(ends).unwrap_or(title)
}

/// Names that the outlet goes by, squashed: its site name, the label of its domain.
pub(in crate::extract::metadata) fn outlet_names(
    site_name: Option<&str>,
    host: Option<&str>,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if let Some(site) = site_name {
        names.push(squash(site));
        names.push(squash(site.trim_start_matches("www.")));
    }
    if let Some(host) = host {
        let host = host.trim_start_matches("www.");
        names.push(squash(host));
        let domain = registered_domain(host);
        // The label of a town or a paper before it; shorter ones are languages and "www2".
        names.extend(host.split('.').next().filter(|label| label.len() >= 6).map(squash));
        names.push(squash(domain));
        names.push(squash(domain.split('.').next().unwrap_or(domain)));
    }
    names.retain(|n| n.chars().count() >= 2);
    names.sort();
    names.dedup();
    names
}

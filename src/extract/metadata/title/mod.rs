//! The title: chosen by agreement between what the page says in several places, with the outlet's
//! own name cut. Must not know where else a page says things.

mod cut;
mod shown;
mod terms;

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::extract::dom::Id;
use crate::html::name;
use crate::model::{Found, Source};

use cut::{SECTION, before_bar, cut, is_of_names, may_be_headline, parts_of, without_beginning};
use shown::{SAME, SHORTEST, SHOWN};
use terms::Terms;

pub(super) use cut::{at_least, outlet_names, split_at_separators};

use super::jsonld::LinkedData;
use super::page::PageData;
use super::sections::is_section;
use super::seen::{Spot, near};
use super::text::{self, squash};

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
/// Of two headings that share about as much, the first: what another shares times this.
const ABOUT: f32 = 0.75;
/// Main headings that are looked at.
const MOST: usize = 8;
/// Prose begins within so many texts below a smaller heading over it.
const OVER: usize = 12;
/// A text that has so many bytes is prose.
const SENTENCE: usize = 120;

/// The title that a page gives itself.
pub(super) fn read(
    page: &PageData<'_>,
    data: &LinkedData,
    feed_title: Option<&str>,
    outlets: &[String],
) -> Option<Found<String>> {
    let mut told = told(page, data);
    if let Some(site) = page.told("og:site_name").next() {
        let site = text::plain(&site);
        let heads = page.seen().headings.iter().filter_map(|spot| page.text(spot.id));
        let heads: Vec<String> = heads.map(|text| squash(&text)).collect();
        // What a main heading says whole stays so.
        let keys = of_each(&told, squash);
        for (told, _) in told.iter_mut().zip(keys).filter(|(_, key)| !heads.contains(key)) {
            told.text = without_beginning(&told.text, &site).to_owned();
        }
    }
    // `<title>` alone may name no more than the outlet.
    let sure = told.iter().any(|c| matches!(c.source, Source::JsonLd | Source::OpenGraph));
    let (mut candidates, bare) = without_sections(&told, outlets);
    let (mut headings, sites) = headings(page, &told, outlets);
    let mut outlets = Cow::Borrowed(outlets);
    if !sites.is_empty() {
        outlets.to_mut().extend(sites.iter().cloned());
    }
    // A blog's name may stand before a headline with a colon.
    for told in candidates.iter_mut() {
        if let Some((head, tail)) = told.text.split_once(": ")
            && !tail.trim().is_empty()
            && sites.contains(&squash(head))
        {
            told.text = tail.trim().to_owned();
        }
    }
    let keys: Vec<String> = headings.iter().map(|heading| squash(&heading.text)).collect();
    let agreed = bare.iter().find_map(|told| {
        let told = squash(told);
        keys.iter().position(|key| *key == told)
    });
    let (mut spoken, mut parted, mut fuller) = (true, false, false);
    if let Some(agreed) = agreed {
        // Other headings are those of sections and other articles.
        headings = vec![headings.swap_remove(agreed)];
    } else if let Some((at, text)) = shown::part(page, &candidates, &headings, &outlets) {
        headings = vec![Heading { text, ..headings.swap_remove(at) }];
        parted = true;
    } else if let Some(first) = akin(&headings, &bare) {
        headings = vec![headings.swap_remove(first)];
        fuller = bare.iter().any(|told| shown::goes_on(told, &headings[0].text));
        shown::smaller(page, &mut candidates, &headings[0].text, &outlets);
        // Nobody agrees with the heading: what else do readers see?
        for candidate in candidates.iter_mut().filter(|c| c.weight < SHOWN) {
            if shown::is_line(page, &squash(&candidate.text)) {
                candidate.weight += 0.8;
            }
        }
    } else {
        spoken = false;
        shown::add(page, &mut candidates, &headings, &outlets, sure || !sites.is_empty());
    }
    // What readers see is the title sooner than what only machines are told; a single heading most.
    let weight = match headings.len() {
        _ if parted || fuller => SHOWN + SHOWN,
        1 if !spoken
            && !sure
            && !shown::is_told(page, &candidates)
            && shown::is_marked_headline(page, &headings[0]) =>
        {
            SHOWN + SHOWN
        }
        _ if !spoken && candidates.iter().any(|c| c.weight >= SHOWN) => 0.2,
        // Machines are told of outlet and section alone.
        1 if !spoken
            && candidates.iter().all(|c| is_of_names(&c.text))
            && shown::is_headline(page, &headings[0]) =>
        {
            SHOWN
        }
        _ if !spoken && !candidates.is_empty() => 0.8,
        _ => 1.6,
    };
    let seen = |text| Candidate { text, source: Source::Html, weight };
    candidates.extend(headings.into_iter().map(|heading| seen(heading.text)));
    if candidates.is_empty() {
        let titles = page.seen().titles.iter().take(3).filter_map(|spot| page.text(spot.id));
        candidates.extend(titles.map(|text| seen(text.into_owned())));
    }
    let found =
        choose(if candidates.is_empty() { told } else { candidates }, feed_title, &outlets)?;
    // What is told may have lost a tag that the headline is about ("The <br> tag").
    let mut heads = page.headings.iter().take(MOST).filter_map(|&id| page.text(id));
    let whole = heads.find(|head| {
        head.contains('<') && text::plain(head) == found.value && has_its_tag(page, head)
    });
    Some(Found { value: whole.map_or(found.value, Cow::into_owned), ..found })
}

/// Has `<title>` the first tag that a heading shows, too? Else the heading's is none that readers were to see.
fn has_its_tag(page: &PageData<'_>, heading: &str) -> bool {
    let tag = heading.find('<').map(|at| &heading[at..]);
    let tag = tag.and_then(|tag| Some(&tag[..=tag.find('>')?]));
    let mut titles =
        (0..page.dom.nodes.len() as Id).filter(|&id| page.dom.tag(id) == Some(name!("title")));
    let title = titles.next().map(|id| page.dom.text_of(id)).unwrap_or_default();
    tag.is_some_and(|tag| title.contains(tag))
}

/// What a page gives as its title outside of linked data.
pub(super) struct Told(Vec<(String, Terms)>);

impl Told {
    pub(super) fn of(page: &PageData<'_>) -> Told {
        let cards = page.told("og:title").take(1);
        let headings = page.headings.iter().take(MOST).filter_map(|&id| page.text(id));
        let tab = page.title.as_deref().map(Cow::Borrowed);
        let all = tab.into_iter().chain(cards).chain(headings);
        Told(all.map(|text| (squash(&text), Terms::of(&text))).collect())
    }

    /// Is a text one of these, as a whole or but for a part? The site's name is a part of most titles: less than half of
    /// one is no title.
    pub(super) fn says(&self, text: &str) -> bool {
        let (key, terms) = (squash(text), Terms::of(text));
        let long = key.chars().count() >= SHORTEST;
        let half = |told: &str| key.chars().count() * 2 >= told.chars().count();
        self.0.iter().any(|(told, words)| {
            !key.is_empty() && *told == key
                || long && half(told) && told.contains(&key)
                || told.chars().count() >= SHORTEST && key.contains(told)
                || words.overlap(&terms) >= SAME
        })
    }
}

/// A main heading.
#[derive(Debug)]
struct Heading {
    id: Id,
    text: String,
}

/// The main headings that name neither the outlet nor a section, nor hold nothing but a number; and the names of
/// the site, squashed, that others are. A few words that lead to its front page are its name beside another heading.
fn headings(
    page: &PageData<'_>,
    told: &[Candidate],
    outlets: &[String],
) -> (Vec<Heading>, Vec<String>) {
    let (mut found, mut sites, mut homes) = (Vec::new(), Vec::new(), Vec::new());
    let whole = of_each(told, squash);
    let (of_told, of_smaller) = (OnceCell::new(), OnceCell::new());
    for (at, &id) in page.headings.iter().enumerate() {
        let Some(text) = page.text(id) else { continue };
        let key = squash(&text);
        // Of further headings only one that is a part of what machines are told, where no smaller one is another.
        let parts = || of_told.get_or_init(|| parts_told(told));
        let smaller = || of_smaller.get_or_init(|| smaller_parts(page, parts()));
        let is_part = || parts().contains(&key) && smaller().iter().all(|other| *other == key);
        if at >= MOST && !(at_least(&text, SECTION - 1) && is_part()) {
            continue;
        }
        // Machines are told it before or behind what they are told alone elsewhere ("The Blog: Plant opens"), or
        // as a few words behind many.
        let site = whole.iter().zip(told).any(|(squashed, candidate)| {
            let behind = squashed.strip_suffix(&key);
            let rest = squashed.strip_prefix(&key).or(behind);
            let few = || {
                let words = text.split_whitespace().count();
                words < SECTION && at_least(&candidate.text, words + SECTION)
            };
            // "Plant opens - Herald News Blog" of herald.example, where another heading shows the rest.
            let of_host = |rest: &str| {
                outlets.iter().any(|outlet| outlet.len() > SECTION && key.starts_with(outlet))
                    && split_at_separators(&candidate.text).last() == Some(&&*text)
                    && is_headed(page, rest)
            };
            rest.is_some_and(|rest| {
                rest.chars().count() >= SHORTEST
                    && (whole.iter().any(|other| other == rest)
                        || behind.is_some() && (few() || of_host(rest)))
            })
        });
        // What is told whole is what the page is called.
        let is_whole = || {
            whole.iter().zip(told).any(|(squashed, candidate)| {
                *squashed == key && matches!(candidate.source, Source::JsonLd | Source::OpenGraph)
            })
        };
        let names_site = |told: &String| shown::names_site(page, id, &key, told, outlets);
        let site = site || !is_whole() && whole.iter().any(names_site);
        if site && !key.is_empty() {
            sites.push(key);
        } else if text.contains(char::is_alphabetic)
            && !outlets.contains(&key)
            && !is_section(&text)
        {
            let is_home = !may_be_headline(&text) && shown::leads_home(page, id, outlets);
            let list = if is_home { &mut homes } else { &mut found };
            list.push(Heading { id, text: text.into_owned() });
        }
    }
    if found.is_empty() {
        return (homes, sites);
    }
    sites.extend(homes.iter().map(|home| squash(&home.text)));
    (found, sites)
}

/// Does a heading of any size that may be a headline say this, squashed?
fn is_headed(page: &PageData<'_>, key: &str) -> bool {
    let smaller = page.seen().titles.iter().map(|spot| spot.id);
    page.headings.iter().copied().chain(smaller).any(|id| {
        let says = |text: Cow<'_, str>| may_be_headline(&text) && text::squashes_to(&text, key);
        page.text(id).is_some_and(says)
    })
}

/// The smaller headings over prose that say a part of what is told, squashed.
fn smaller_parts(page: &PageData<'_>, parts: &[String]) -> Vec<String> {
    let seen = page.seen();
    let over = |spot: &&Spot| {
        let is_below = |line: &&Spot| line.position > spot.position;
        let is_long = |line: &Spot| page.dom.text(line.id).is_some_and(|t| t.len() >= SENTENCE);
        let below = seen.prose.partition_point(|&prose| prose <= spot.position);
        let mut lines = near(&seen.lines, spot.position, OVER).iter().filter(is_below);
        seen.prose.get(below).is_some_and(|&prose| prose <= spot.position + OVER)
            || lines.any(is_long)
    };
    let texts = seen.titles.iter().filter(over).filter_map(|spot| page.text(spot.id));
    let keys = texts.filter(|text| at_least(text, SECTION - 1)).map(|text| squash(&text));
    keys.filter(|key| parts.contains(key)).collect()
}

/// What separators and colons part what machines are told into, squashed.
fn parts_told(told: &[Candidate]) -> Vec<String> {
    let parts = told.iter().flat_map(|told| parts_of(&told.text)).flat_map(parts_of);
    parts.map(squash).collect()
}

/// The first heading that says about as much of what machines are told as any, if one says enough.
fn akin(headings: &[Heading], told: &[String]) -> Option<usize> {
    let told: Vec<Terms> = told.iter().map(|told| Terms::of(told)).collect();
    let share = |heading: &Heading| {
        let heading = Terms::of(&heading.text);
        let most = |share: fn(&Terms, &Terms) -> f32| {
            told.iter().map(|told| share(told, &heading)).fold(0.0, f32::max)
        };
        if most(Terms::contained) >= AKIN { most(Terms::overlap) } else { 0.0 }
    };
    let shares: Vec<f32> = headings.iter().map(share).collect();
    let most = shares.iter().copied().fold(0.0, f32::max);
    shares.iter().position(|share| *share > 0.0 && *share >= ABOUT * most)
}

/// What machines are told but for names of sections, and what each is without the outlet's name. What is broken
/// off weighs little beside a whole one.
fn without_sections(told: &[Candidate], outlets: &[String]) -> (Vec<Candidate>, Vec<String>) {
    let mut kept = Vec::new();
    let mut bare = Vec::new();
    for (candidate, text) in told.iter().zip(of_each(told, |text| cut(text, outlets, &[], ""))) {
        if is_section(&text) {
            continue;
        }
        let broken = text.ends_with('…') || text.ends_with("...");
        let weight = if broken { 0.3 * candidate.weight } else { candidate.weight };
        kept.push(Candidate { text: candidate.text.clone(), weight, source: candidate.source });
        bare.push(text);
    }
    (kept, bare)
}

/// What machines are told. Share cards and `<title>` are one voice, written for search engines and
/// often another headline than the one readers see: they weigh little beside data.
fn told(page: &PageData<'_>, data: &LinkedData) -> Vec<Candidate> {
    let meta = |names: &[&str]| {
        names.iter().find_map(|name| {
            page.told(name).map(|content| text::plain(&content)).find(|c| !c.is_empty())
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

/// What is made of the text of each candidate. Most say the same as another: of these it is made once.
fn of_each<T: Clone>(candidates: &[Candidate], make: impl Fn(&str) -> T) -> Vec<T> {
    let mut made: Vec<T> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let before = candidates[..made.len()].iter();
        let known = before.zip(&made).find(|(before, _)| before.text == candidate.text);
        let next = known.map_or_else(|| make(&candidate.text), |(_, known)| known.clone());
        made.push(next);
    }
    made
}

/// Where on the page readers see the title.
pub(super) fn spot(page: &PageData<'_>, title: &str) -> Option<Spot> {
    let title = squash(title);
    let seen = page.seen();
    let says = |id| {
        let heading = page.text(id).map(|t| squash(&t)).unwrap_or_default();
        !heading.is_empty() && (title.contains(&heading) || heading.contains(&title))
    };
    let shown = seen.headings.iter().find(|h| says(h.id));
    let line = || {
        let mut lines = seen.lines.iter();
        lines.find(|l| text::squashes_to(page.dom.text(l.id).unwrap_or_default(), &title))
    };
    shown.or_else(line).or(seen.headings.first()).copied()
}

/// The candidate that the others agree with most. `outlets` are names of the outlet: its site
/// name, its domain's label.
pub(super) fn choose(
    candidates: Vec<Candidate>,
    feed_title: Option<&str>,
    outlets: &[String],
) -> Option<Found<String>> {
    let whole = of_each(&candidates, squash);
    let feed = feed_title.map(squash).unwrap_or_default();
    let texts = of_each(&candidates, |text| cut(text, outlets, &whole, &feed));
    let cleaned = candidates.into_iter().zip(texts).map(|(c, text)| Candidate { text, ..c });
    let mut cleaned: Vec<Candidate> = cleaned.filter(|c| !c.text.is_empty()).collect();
    let mut keys = of_each(&cleaned, squash).into_iter();
    cleaned.retain(|_| keys.next().is_some_and(|key| !outlets.contains(&key)));
    let words = of_each(&cleaned, Terms::of);
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

#[cfg(test)]
mod tests;

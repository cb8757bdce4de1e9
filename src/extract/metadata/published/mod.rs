//! When an article was published and last modified: the best of what a page says in its data, its
//! markup, its visible text and its URL. Must not know the tree.

mod shown;

use std::borrow::Cow;
use std::cell::{LazyCell, OnceCell};

use jiff::Unit;

use crate::model::{Found, Precision, Source, Stamp};

use super::around::{
    holds, in_link, in_own_article, in_prose, is_above_menu, leads_elsewhere, line_of, menu_above,
    of_picture,
};
use super::dates;
use super::jsonld::LinkedData;
use super::labels::{
    self, Says, is_bare_date, is_date_alone, is_date_line, is_labelled, is_mostly, published_behind,
};
use super::names;
use super::page::{Meta, PageData};
use super::seen::{self, Spot};
use super::zone::in_own_zone;
use crate::extract::dom::Id;
use crate::extract::text::comments::{announces, may_announce};
use crate::html::name;

use shown::{Beside, shown_before};

/// Names of `meta` elements that hold the publication date, best first.
const PUBLISHED: [&str; 41] = [
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "article:published",
    "parsely-pub-date",
    "cxenseparse:recs:publishtime",
    "publish-date",
    "publish_date",
    "publishdate",
    "published_date",
    "published-date",
    "published_time",
    "published_at",
    "pubdate",
    "pub_date",
    "publication_date",
    "date.published",
    "sailthru.date",
    "date_published",
    "dcterms.created",
    "dcterms.issued",
    "dc.date.issued",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "dcsext.articlefirstpublished",
    "article.published",
    "article.created",
    "article_date_original",
    "originalpublicationdate",
    "rnews:datepublished",
    "bt:pubdate",
    "shareaholic:article_published_time",
    "cre",
    "ptime",
    "og:pubdate",
    "og:published_time",
    "created",
    "datecreated",
    "published",
    "date",
];
const MODIFIED: [&str; 16] = [
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "article:modified",
    "article:updated_time",
    "last-modified",
    "lastmod",
    "modified",
    "date.modified",
    "dcterms.modified",
    "dc.date.modified",
    "revision_date",
    "updated_time",
    "modifieddate",
    "article.updated",
    "last_updated_date",
];
/// A date line stands at most so many texts before or behind the title …
const NEAR_TITLE: usize = 40;
/// … and one before it is its own only within so many texts.
const RIGHT_ABOVE: usize = 6;
/// One below it goes before one above it within so many texts: further down are readers' comments.
const RIGHT_BELOW: usize = 12;
/// Where the title's article has begun for sure: the second text of prose below the title.
const PROSE: usize = 2;
/// So many dates of a list are tried at most.
const TRIED: usize = 64;
/// Days after the newest date of a page that nobody dates an article with …
const FUTURE: i32 = 20;
/// … and days before it that an article may be old.
const RECENT: i32 = 60;

/// Publication and modification.
#[derive(Default)]
pub(super) struct Dates {
    pub published: Option<Stamp>,
    pub modified: Option<Stamp>,
    /// Publication with day and month exchanged, where only the declared language tells them apart.
    pub exchanged: Option<Stamp>,
    /// It stands far from the title, where comments and other articles have theirs.
    pub is_far: bool,
}

/// `paths` are those of the page's addresses, `host` that of its own; `title` says where readers see the title, `comments`
/// what [`comments`] says.
pub(super) fn read(
    page: &PageData<'_>,
    data: &LinkedData,
    paths: &[&str],
    host: Option<&str>,
    locale: Option<&str>,
    title: impl FnOnce() -> Option<Spot>,
    comments: impl FnOnce() -> usize,
) -> Dates {
    let parse = |text: &str, source: Source| {
        let stamp = dates::parse(text, locale)?;
        Some(Stamp { source, ..stamp })
    };
    let meta = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| page.told(name).find_map(|content| parse(&content, meta_source(name))))
    };
    let linked = |text: &Option<String>| text.as_deref().and_then(|t| parse(t, Source::JsonLd));

    let mut candidates: Vec<Stamp> = Vec::new();
    candidates.extend(linked(&data.published));
    candidates.extend(meta(&PUBLISHED));
    let mut modified = linked(&data.modified).or_else(|| meta(&MODIFIED));
    if candidates.is_empty() {
        let mut named = page.metas.iter().filter(|meta| names_publication(&meta.name));
        candidates.extend(named.find_map(|meta| parse(&meta.content()?, Source::Meta)));
    }
    let changed = modified.as_ref().map(|modified| modified.local.date());
    // What machines are told may be the day of the last publishing. Some systems tell an instant alone.
    let anew = |first: &Stamp| match changed {
        Some(day) => day <= first.local.date(),
        None => first.source == Source::OpenGraph && first.precision == Precision::Instant,
    };
    let told = candidates.first().filter(|first| anew(first)).cloned();
    if let Some(first) = candidates.first_mut().filter(|first| first.offset == Some(0)) {
        let own = in_own_zone(page, first);
        *first = own.unwrap_or_else(|| first.clone());
    }
    // Else an instant needs nothing beside it.
    if told.is_none() && candidates.first().is_some_and(|c| c.precision == Precision::Instant) {
        return Dates { published: candidates.into_iter().next(), modified, ..Dates::default() };
    }
    let seen = page.seen();
    let property = |name: &str| {
        let spots = seen.properties.iter().filter(|(key, _)| key == name);
        spots
            .filter_map(|(_, spot)| {
                let told = page.machine(spot.id).or_else(|| page.text(spot.id))?;
                parse(&told, Source::Microdata)
            })
            .next()
    };
    candidates.extend(property("datepublished"));
    candidates.extend(property("datecreated"));
    modified = modified.or_else(|| property("datemodified"));

    let title = title();
    let ends = title.and_then(|title| prose_below(page, title.position));
    let comments = LazyCell::new(|| ends.map_or(usize::MAX, |_| comments()));
    // Comments stand below where prose has begun, and are looked for only if something there may be a date.
    let is_before_comments =
        |spot: &&Spot| ends.is_none_or(|ends| spot.position <= ends) || spot.position < *comments;
    let read = |text: &str| parse(text, Source::Visible);
    let mut is_far = false;
    let mut beside: Vec<Beside> = Vec::new();
    let mut by_title: Vec<(Rank, Stamp)> = Vec::new();
    let menu = OnceCell::new();
    // What stands in the head of the page, not of the article, tells what day it is.
    let is_of_head = |spot: &Spot| {
        title.is_some_and(|title| {
            let menu = || *menu.get_or_init(|| menu_above(page.dom, title.id, host));
            is_above_menu(page.dom, spot.id, title.id, menu)
        })
    };
    let lists = [
        (&seen.times, Source::Html),
        (&seen.dates, Source::Visible),
        (&seen.lines, Source::Visible),
        (&seen.margin, Source::Visible),
    ];
    let in_url = || paths.iter().find_map(|path| dates::in_url(path));
    for place in
        [Place::Title, Place::Head, Place::Behind, Place::Above, Place::Else, Place::Margin]
    {
        if place == Place::Above {
            candidates.extend(in_url());
        }
        if place != Place::Title && !candidates.is_empty() {
            break;
        }
        is_far = place != Place::Title;
        let lists = match place {
            Place::Margin => &lists[3..],
            _ => &lists[..3],
        };
        for &(spots, source) in lists {
            if place != Place::Title && !candidates.is_empty() {
                break;
            }
            let within = match title {
                Some(title) if !matches!(place, Place::Else | Place::Margin) => {
                    seen::near(spots, title.position, NEAR_TITLE)
                }
                _ => spots,
            };
            // The one nearest to the title, of those above it.
            let order = |spot: &Spot| (spot.position, spot.id);
            let is_above = |spot: &Spot| title.is_some_and(|title| order(spot) < order(&title));
            let (above, below) = within.split_at(within.partition_point(is_above));
            let found = above
                .iter()
                .rev()
                .chain(below)
                .filter(|spot| {
                    let of = || match Place::of(spot, title, ends) {
                        Place::Title if is_above(spot) && is_of_head(spot) => Place::Head,
                        of => of,
                    };
                    place == Place::Margin || of() == place
                })
                .filter(|spot| page.dom.text(spot.id).is_none_or(dates::may_hold))
                .filter(is_before_comments)
                .filter_map(|spot| {
                    let machine = page.machine(spot.id).and_then(|m| parse(&m, source));
                    let text = page.text(spot.id).unwrap_or_default();
                    let stamp = machine.or_else(|| {
                        parse(&text, source).filter(|s| is_date_line(&text, s, read))
                    })?;
                    Some(Dated { page, stamp, spot: *spot, text, said: OnceCell::new() })
                })
                .take(TRIED)
                .filter(|Dated { stamp, spot, text, .. }| {
                    let teased = || {
                        (told.is_some()
                            || is_above(spot)
                            || matches!(place, Place::Behind | Place::Else))
                            && (in_link(page, spot.id, title, &stamp.printed)
                                || !is_labelled(page, *spot, text)
                                    && leads_elsewhere(page, spot.id, title, &stamp.printed))
                    };
                    !of_picture(page, spot.id)
                        && (place == Place::Margin || !in_prose(page, spot.id, text) && !teased())
                });
            // Without a mark, a label or a title beside it, only a date with its time is a date line. One of which is said
            // that it is that of publication comes first: above a title stands what day it is.
            let close = matches!(place, Place::Title | Place::Head | Place::Above);
            let mut found: Vec<Dated> = found.take(8).collect();
            if place == Place::Title && told.is_some() {
                beside.extend(found.iter().filter(|dated| !dated.says(Says::Updated)).map(
                    |dated| {
                        let Dated { stamp, spot, text, .. } = dated;
                        let sure =
                            dated.says(Says::Published) || is_alone(page, *spot, text, stamp);
                        Beside { stamp: stamp.clone(), position: spot.position, sure }
                    },
                ));
            }
            let is_own = |dated: &Dated| {
                let Dated { stamp, spot, text, .. } = dated;
                let is_near = title.is_none_or(|title| {
                    spot.position <= title.position + RIGHT_BELOW
                        && !holds(page.dom, title.id, spot.id)
                });
                let is_marked = source == Source::Html
                    || std::ptr::eq(spots, &seen.dates) && is_bare_date(text, &stamp.printed);
                is_near && (is_marked || is_alone(page, *spot, text, stamp))
                    || dated.says(Says::Published)
            };
            let rank = |dated: &Dated| match is_above(&dated.spot) {
                true if is_labelled(page, dated.spot, &dated.text) => Rank::Own,
                true => Rank::Above,
                false if is_own(dated) => Rank::Own,
                false => Rank::Other,
            };
            if place == Place::Title {
                found.sort_by_cached_key(rank);
            }
            if std::ptr::eq(spots, &seen.lines) {
                let sure = |Dated { stamp, text, .. }: &Dated| {
                    close && title.is_some()
                        || stamp.precision > Precision::Day
                        || place == Place::Behind && is_date_alone(text, &stamp.printed)
                };
                found.retain(|dated| {
                    close || sure(dated) || is_labelled(page, dated.spot, &dated.text)
                });
                found.sort_by_cached_key(|dated| (!dated.says(Says::Published), !sure(dated)));
            }
            for dated in found {
                let rank = (place == Place::Title).then(|| rank(&dated));
                let is_change = dated.says(Says::Updated);
                let Dated { mut stamp, spot, text, .. } = dated;
                if is_change {
                    let first = published_behind(&text, &stamp, read);
                    modified = modified.or(Some(stamp));
                    let Some(first) = first else { continue };
                    stamp = first;
                }
                match rank {
                    Some(rank) => by_title.push((rank, stamp)),
                    None => candidates.push(stamp),
                }
                let of_article = || {
                    is_labelled(page, spot, &text)
                        || title.is_some_and(|title| in_own_article(page.dom, spot.id, title.id))
                };
                is_far &= !matches!(place, Place::Head | Place::Above) || !of_article();
                break;
            }
        }
        by_title.sort_by_key(|(rank, _)| *rank);
        candidates.extend(by_title.drain(..).map(|(_, stamp)| stamp));
        if place == Place::Head && !candidates.is_empty() {
            candidates.splice(..0, in_url());
        }
    }
    let shown = |told: Stamp| shown_before(page, &beside, &told, changed.is_none());
    let shown = told.filter(|_| title.is_some()).and_then(shown);
    if shown.is_some() {
        return Dates { published: shown, modified, ..Dates::default() };
    }
    if candidates.is_empty() && modified.is_none() {
        candidates.extend(only(page, locale, title, *comments));
    }
    is_far &= candidates.first().is_some_and(|first| first.source != Source::Url);
    let published = refine(candidates).or_else(|| modified.clone());
    // Where no line announces comments, they may stand from where prose has begun.
    let own = || comments.min(ends.filter(|_| *comments == usize::MAX).unwrap_or(usize::MAX));
    let settled = published.map(|stamp| settled(page, locale, stamp, own));
    let (published, exchanged) =
        settled.map_or((None, None), |(stamp, other)| (Some(stamp), other));
    Dates { published, modified, exchanged, is_far }
}

/// A date, where it stands, and the text there.
struct Dated<'p, 'd> {
    page: &'p PageData<'d>,
    stamp: Stamp,
    spot: Spot,
    text: Cow<'p, str>,
    /// What it is said to be, once that was asked.
    said: OnceCell<Option<Says>>,
}

impl Dated<'_, '_> {
    fn says(&self, what: Says) -> bool {
        let Dated { page, stamp, spot, text, said } = self;
        *said.get_or_init(|| labels::said(page, *spot, text, stamp)) == Some(what)
    }
}

/// Dates beside the title, in the order in which they date the article.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Soon below it and marked or alone, or labelled.
    Own,
    /// Above it, where many pages print what day it is.
    Above,
    /// Further below, or with something else in its line.
    Other,
}

/// Does a date, `stamp` in `text`, stand alone in its line, or behind a name with "by"?
fn is_alone(page: &PageData<'_>, spot: Spot, text: &str, stamp: &Stamp) -> bool {
    // Of what machines are told, readers see the text.
    let shown = if text.contains(&stamp.printed) { &stamp.printed } else { text };
    let line = line_of(page, spot.id);
    let line = line.as_deref().unwrap_or(text);
    is_bare_date(line, shown) || names::introduces(line)
}

/// Where a text stands, seen from the title.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Right above it, or below.
    Title,
    /// Right above it, in the head of the page.
    Head,
    /// Below it and its text: there stand the dates of other articles, too.
    Behind,
    /// Further above: there many pages print what day it is.
    Above,
    Else,
    /// In asides and side bars.
    Margin,
}

impl Place {
    /// `ends`: where prose has begun below the title.
    fn of(spot: &Spot, title: Option<Spot>, ends: Option<usize>) -> Place {
        let Some(at) = title.map(|title| title.position) else { return Place::Title };
        match spot.position.abs_diff(at) {
            distance if distance > NEAR_TITLE => Place::Else,
            _ if ends.is_some_and(|ends| spot.position > ends) => Place::Behind,
            distance if spot.position < at && distance > RIGHT_ABOVE => Place::Above,
            _ => Place::Title,
        }
    }
}

/// Where below the title prose has begun.
fn prose_below(page: &PageData<'_>, title_at: usize) -> Option<usize> {
    let prose = &page.seen().prose;
    let below = prose.partition_point(|&position| position <= title_at);
    prose.get(below + PROSE - 1).copied()
}

/// Where, below the prose of an article, a line announces its readers' comments: they date and sign nothing.
pub(super) fn comments(page: &PageData<'_>, title_at: Option<usize>) -> usize {
    let ends = title_at.and_then(|at| prose_below(page, at)).or(title_at);
    let Some(ends) = ends else { return usize::MAX };
    let is_link =
        |id: Id| page.dom.ancestors(id).take(3).any(|a| page.dom.tag(a) == Some(name!("a")));
    let is_first = |spot: &&Spot| {
        page.dom.text(spot.id).is_some_and(may_announce)
            && page.text(spot.id).is_some_and(|text| announces(&text))
            && !is_link(spot.id)
    };
    let lines = &page.seen().lines;
    let below = lines.partition_point(|line| line.position <= ends);
    lines[below..].iter().find(is_first).map_or(usize::MAX, |line| line.position)
}

/// A date that can be read in two ways (3/4/2026), in the way that the page's other dates speak for; and in the other way,
/// if none of them does. `comments` gives where readers' comments begin: they print no order of the page's.
fn settled(
    page: &PageData<'_>,
    locale: Option<&str>,
    stamp: Stamp,
    comments: impl FnOnce() -> usize,
) -> (Stamp, Option<Stamp>) {
    let Some(other) = dates::other_reading(&stamp) else { return (stamp, None) };
    let (mut own, mut others, mut latest) = (0, 0, None);
    // In which order the page prints other dates.
    let (mut day_first, mut month_first) = (0, 0);
    let comments = comments();
    let ours = dated_lines(page, comments).count();
    let lines = dated_lines(page, usize::MAX).map(|(_, text)| text);
    let metas = page.metas.iter().filter_map(Meta::content);
    let lines = lines.enumerate().map(|(at, text)| (at < ours, text));
    for (is_ours, text) in lines.chain(metas.map(|text| (true, text))) {
        let Some(found) = dates::parse(&text, locale) else { continue };
        if dates::other_reading(&found).is_some() {
            continue;
        }
        // A date amid a sentence may be somebody else's.
        if let Some(first) = dates::day_first(&found)
            && is_ours
            && is_mostly(&text, found.printed.chars().count())
        {
            *(if first { &mut day_first } else { &mut month_first }) += 1;
        }
        let day = found.local.date();
        own += usize::from(day == stamp.local.date());
        others += usize::from(day == other.local.date());
        latest = latest.max(Some(day));
    }
    if own != others {
        return (if others > own { other } else { stamp }, None);
    }
    // A region declares an order, which one date alone does not overrule; nor does any by a day that is yet to come.
    let fewest = if locale.is_some_and(|locale| locale.contains(['-', '_'])) { 2 } else { 1 };
    if (day_first == 0) != (month_first == 0) && day_first + month_first >= fewest {
        let kept = dates::is_day_first(&stamp) == (day_first > 0);
        let day = other.local.date();
        let is_ahead = day > stamp.local.date() && latest.is_some_and(|latest| day > latest);
        if kept || !is_ahead {
            return (if kept { stamp } else { other }, None);
        }
    }
    // Nothing else on the page is as new as the one, and the other is as new as the page's newest.
    let after = |stamp: &Stamp| {
        let span = latest?.until((Unit::Day, stamp.local.date())).ok()?;
        Some(span.get_days())
    };
    match (after(&stamp), after(&other)) {
        (Some(ahead), Some(behind)) if ahead > FUTURE && (-RECENT..=1).contains(&behind) => {
            (other, None)
        }
        _ => (stamp, Some(other)),
    }
}

/// A date of publication as the language of the text reads it, where another was declared; `exchanged` is the other
/// reading. English says nothing: it is written in countries of either order.
pub fn in_order_of(
    language: Option<&Found<String>>,
    published: Option<Stamp>,
    exchanged: Option<Stamp>,
) -> Option<Stamp> {
    let detected = language.filter(|found| found.source == Source::Detected && found.value != "en");
    let other = exchanged.filter(|other| {
        let read = detected.and_then(|found| dates::parse(&other.printed, Some(&found.value)));
        read.is_some_and(|read| read.local == other.local)
    });
    other.or(published)
}

fn meta_source(name: &str) -> Source {
    if name.starts_with("og:") || name.starts_with("article:") {
        Source::OpenGraph
    } else {
        Source::Meta
    }
}

/// Does a key of ours or of any system name the date of publication?
fn names_publication(key: &str) -> bool {
    ["publish", "pubdate", "datepub"].iter().any(|p| key.contains(p)) && !key.contains("modif")
}

/// The lines before a place that readers see and that may hold a date.
fn dated_lines<'p>(
    page: &'p PageData<'_>,
    before: usize,
) -> impl Iterator<Item = (Id, Cow<'p, str>)> {
    let dated = move |spot: &&Spot| {
        spot.position < before && page.dom.text(spot.id).is_some_and(dates::may_hold)
    };
    let lines = page.seen().lines.iter().filter(dated);
    lines.filter_map(|spot| Some((spot.id, page.text(spot.id)?)))
}

/// The only date that any line of the page above its `comments` prints, where it prints one.
fn only(
    page: &PageData<'_>,
    locale: Option<&str>,
    title: Option<Spot>,
    comments: usize,
) -> Option<Stamp> {
    let read = |text: &str| dates::parse(text, locale);
    let mut one: Option<(Id, Stamp)> = None;
    for (id, text) in dated_lines(page, comments) {
        let mostly = |stamp: &Stamp| is_mostly(&text, stamp.printed.chars().count());
        let Some(stamp) = read(&text).filter(mostly) else { continue };
        match &one {
            Some((_, first)) if first.local.date() != stamp.local.date() => return None,
            Some(_) => {}
            None if in_prose(page, id, &text) => {}
            None => one = Some((id, stamp)),
        }
    }
    let own = |(id, stamp): &(Id, Stamp)| !leads_elsewhere(page, *id, title, &stamp.printed);
    one.filter(own).map(|(_, stamp)| stamp)
}

/// The first candidate; one of the same day that is more exact takes its place.
fn refine(candidates: Vec<Stamp>) -> Option<Stamp> {
    let first = candidates.first()?.clone();
    if first.precision == Precision::Instant {
        return Some(first);
    }
    let exact = candidates
        .into_iter()
        .filter(|c| c.local.date() == first.local.date() && c.precision > first.precision)
        // A naive time is made an instant only by the same wall clock.
        .find(|c| first.precision == Precision::Day || c.local.time() == first.local.time());
    Some(exact.unwrap_or(first))
}

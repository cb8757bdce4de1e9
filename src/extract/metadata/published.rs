//! When an article was published and last modified: the best of what a page says in its data, its
//! markup, its visible text and its URL. Must not know the tree.

use std::borrow::Cow;

use jiff::Unit;

use crate::model::{Precision, Source, Stamp};

use super::dates;
use super::jsonld::LinkedData;
use super::page::PageData;
use super::seen::Spot;
use crate::extract::dom::Id;

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
/// Parts of words that say "updated".
const UPDATED: [&str; 24] = [
    "updat",
    "modif",
    "aktualis",
    "zuletzt",
    "mis à jour",
    "mise à jour",
    "обновл",
    "оновл",
    "更新",
    "수정",
    "actualiz",
    "aggiorn",
    "güncel",
    "zaktualiz",
    "opdater",
    "oppdater",
    "uppdater",
    "bijgewerkt",
    "päivitet",
    "ενημέρ",
    "atualiz",
    "تحديث",
    "עודכן",
    "diperbarui",
];
/// Parts of words that say "published" or "date".
const PUBLISHED_LABELS: [&str; 21] = [
    "publish",
    "posted",
    "datum",
    "date",
    "veröffentlicht",
    "erschienen",
    "erstellt",
    "publi",
    "pubblic",
    "fecha",
    "data:",
    "opublikow",
    "опублик",
    "дата",
    "发布",
    "發布",
    "公開",
    "投稿",
    "掲載",
    "게시",
    "입력",
];
/// A visible line is a date line if the date makes up this share of it …
const LINE_SHARE: usize = 3;
/// … and it stands at most so many texts before or behind the title.
const NEAR_TITLE: usize = 40;
/// … and one before it is its own only within so many texts.
const RIGHT_ABOVE: usize = 6;
/// A date line that says what it is has at most so many bytes …
const LABELLED: usize = 200;
/// … and says so in its first characters.
const LABEL: usize = 14;
/// Days after the newest date of a page that nobody dates an article with …
const FUTURE: i32 = 20;
/// … and days before it that an article may be old.
const RECENT: i32 = 60;

/// Publication and modification. `paths` are those of the page's addresses.
pub(super) fn read(
    page: &PageData<'_>,
    data: &LinkedData,
    paths: &[&str],
    locale: Option<&str>,
    title_at: impl FnOnce() -> Option<usize>,
) -> (Option<Stamp>, Option<Stamp>) {
    let parse = |text: &str, source: Source| {
        let stamp = dates::parse(text, locale)?;
        Some(Stamp { source, ..stamp })
    };
    let meta = |names: &[&str]| {
        names.iter().find_map(|name| {
            let metas = page.metas.iter().filter(|(key, _)| key == name);
            metas.filter_map(|(_, content)| parse(content, meta_source(name))).next()
        })
    };
    let linked = |text: &Option<String>| text.as_deref().and_then(|t| parse(t, Source::JsonLd));

    let mut candidates: Vec<Stamp> = Vec::new();
    candidates.extend(linked(&data.published));
    candidates.extend(meta(&PUBLISHED));
    let mut modified = linked(&data.modified).or_else(|| meta(&MODIFIED));
    if candidates.is_empty() {
        let named = page.metas.iter().filter(|(key, _)| names_publication(key));
        candidates.extend(named.filter_map(|(_, content)| parse(content, Source::Meta)).next());
    }
    // An instant that machines are told needs nothing beside it.
    if candidates.first().is_some_and(|first| first.precision == Precision::Instant) {
        return (candidates.into_iter().next(), modified);
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

    let title_at = title_at();
    let lists = [
        (&seen.times, Source::Html),
        (&seen.dates, Source::Visible),
        (&seen.lines, Source::Visible),
        (&seen.margin, Source::Visible),
    ];
    for place in [Place::Title, Place::Above, Place::Else, Place::Margin] {
        if place == Place::Above {
            candidates.extend(paths.iter().find_map(|path| dates::in_url(path)));
        }
        if place != Place::Title && !candidates.is_empty() {
            break;
        }
        let lists = match place {
            Place::Margin => &lists[3..],
            _ => &lists[..3],
        };
        for &(spots, source) in lists {
            if place != Place::Title && !candidates.is_empty() {
                break;
            }
            // The one nearest to the title, of those above it.
            let above = spots.partition_point(|s| title_at.is_some_and(|at| s.position < at));
            let (above, below) = spots.split_at(above);
            let found = above
                .iter()
                .rev()
                .chain(below)
                .filter(|spot| place == Place::Margin || Place::of(spot, title_at) == place)
                .filter(|spot| page.dom.text(spot.id).is_none_or(dates::may_hold))
                .filter_map(|spot| {
                    let machine = page.machine(spot.id).and_then(|m| parse(&m, source));
                    let text = page.text(spot.id).unwrap_or_default();
                    let stamp = machine
                        .or_else(|| parse(&text, source).filter(|s| is_date_line(&text, s)))?;
                    (!of_picture(page, spot.id)).then_some((stamp, spot.id, text))
                });
            // Without a mark, a label or a title beside it, only a date with its time is a date line.
            let close = matches!(place, Place::Title | Place::Above);
            let sure = |stamp: &Stamp, id: Id, text: &str| {
                !std::ptr::eq(spots, &seen.lines)
                    || (close && title_at.is_some())
                    || stamp.precision > Precision::Day
                    || is_labelled(page, id, text)
            };
            let (exact, rough): (Vec<_>, Vec<_>) =
                found.take(8).partition(|(stamp, id, text)| sure(stamp, *id, text));
            let rough = rough.into_iter().filter(|_| close);
            for (stamp, id, text) in exact.into_iter().chain(rough) {
                if says_updated(page, id, &text) {
                    modified = modified.or(Some(stamp));
                } else {
                    candidates.push(stamp);
                    break;
                }
            }
        }
    }
    if candidates.is_empty() && modified.is_none() {
        candidates.extend(only(page, locale));
    }
    let published = refine(candidates).or_else(|| modified.clone());
    (published.map(|stamp| settled(page, locale, stamp)), modified)
}

/// Where a text stands, seen from the title.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Right above it, or below.
    Title,
    /// Further above: there many pages print what day it is.
    Above,
    Else,
    /// In asides and side bars.
    Margin,
}

impl Place {
    fn of(spot: &Spot, title_at: Option<usize>) -> Place {
        let Some(at) = title_at else { return Place::Title };
        match spot.position.abs_diff(at) {
            distance if distance > NEAR_TITLE => Place::Else,
            distance if spot.position < at && distance > RIGHT_ABOVE => Place::Above,
            _ => Place::Title,
        }
    }
}

/// A date that can be read in two ways (3/4/2026), in the way that the page's other dates speak for.
fn settled(page: &PageData<'_>, locale: Option<&str>, stamp: Stamp) -> Stamp {
    let Some(other) = dates::other_reading(&stamp) else { return stamp };
    let (mut own, mut others, mut latest) = (0, 0, None);
    let lines = dated_lines(page);
    let metas = page.metas.iter().map(|(_, content)| content.clone());
    for text in lines.chain(metas) {
        let Some(found) = dates::parse(&text, locale) else { continue };
        if dates::other_reading(&found).is_some() {
            continue;
        }
        let day = found.local.date();
        own += usize::from(day == stamp.local.date());
        others += usize::from(day == other.local.date());
        latest = latest.max(Some(day));
    }
    if own != others {
        return if others > own { other } else { stamp };
    }
    // Nothing else on the page is as new as the one, and the other is as new as the page's newest.
    let after = |stamp: &Stamp| {
        let span = latest?.until((Unit::Day, stamp.local.date())).ok()?;
        Some(span.get_days())
    };
    match (after(&stamp), after(&other)) {
        (Some(ahead), Some(behind)) if ahead > FUTURE && (-RECENT..=1).contains(&behind) => other,
        _ => stamp,
    }
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

/// Does a date stand in the caption of a picture?
fn of_picture(page: &PageData<'_>, id: Id) -> bool {
    std::iter::once(id).chain(page.dom.ancestors(id).take(2)).any(|around| {
        page.dom.name(around) == "figcaption" || {
            let marks = page.marks(around);
            ["caption", "credit"].iter().any(|mark| marks.contains(mark))
        }
    })
}

/// Does a text say what the date in it or behind it is?
fn says_what(text: &str, longest: usize) -> bool {
    text.len() <= longest && {
        let text = text.to_lowercase();
        PUBLISHED_LABELS.iter().chain(&UPDATED).any(|l| text.contains(l))
    }
}

/// Does a line begin by saying what the date in it is?
fn begins_by_saying(text: &str) -> bool {
    let head: String = text.trim_start().chars().take(LABEL).collect();
    text.len() <= LABELLED && says_what(&head, LABELLED)
}

/// Does a line, or the one before it, say what the date is?
fn is_labelled(page: &PageData<'_>, id: Id, text: &str) -> bool {
    let says = |text: &str| says_what(text, 80);
    let before = || {
        let lines = &page.seen().lines;
        let at = lines.iter().position(|line| line.id == id)?;
        page.text(lines.get(at.checked_sub(1)?)?.id)
    };
    says(text) || before().is_some_and(|before| says(&before))
}

/// The lines that readers see and that may hold a date.
fn dated_lines<'p>(page: &'p PageData<'_>) -> impl Iterator<Item = Cow<'p, str>> {
    let dated = |spot: &&Spot| page.dom.text(spot.id).is_some_and(dates::may_hold);
    page.seen().lines.iter().filter(dated).filter_map(|spot| page.text(spot.id))
}

/// The only date that any line of the page prints, where it prints one.
fn only(page: &PageData<'_>, locale: Option<&str>) -> Option<Stamp> {
    let mut one: Option<Stamp> = None;
    for text in dated_lines(page) {
        let Some(stamp) = dates::parse(&text, locale).filter(|s| is_date_line(&text, s)) else {
            continue;
        };
        match &one {
            Some(first) if first.local.date() != stamp.local.date() => return None,
            Some(_) => {}
            None => one = Some(stamp),
        }
    }
    one
}

fn is_date_line(text: &str, stamp: &Stamp) -> bool {
    let all = text.chars().count();
    stamp.printed.chars().count() * LINE_SHARE >= all || all <= 60 || begins_by_saying(text)
}

fn says_updated(page: &PageData<'_>, id: Id, text: &str) -> bool {
    let text = text.to_lowercase();
    let first = |parts: &[&str]| parts.iter().filter_map(|p| text.find(p)).min();
    let marks = page.marks(id);
    let marked = ["modif", "updat"].iter().any(|u| marks.contains(u)) && !marks.contains("publish");
    marked
        || first(&UPDATED).is_some_and(|at| {
            first(&["publi", "veröff", "опубл", "게시", "입력"]).is_none_or(|p| at < p)
        })
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

//! When an article was published and last modified: the best of what a page says in its data, its
//! markup, its visible text and its URL. Must not know the tree.

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

/// Publication and modification.
pub(super) fn read(
    page: &PageData<'_>,
    data: &LinkedData,
    url_path: &str,
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
    let near = |spot: &Spot| title_at.is_none_or(|at| spot.position.abs_diff(at) <= NEAR_TITLE);
    // Near the title first; elsewhere only where the markup calls it a date.
    let shown = [
        (&seen.times, Source::Html, true),
        (&seen.dates, Source::Visible, true),
        (&seen.lines, Source::Visible, true),
        (&seen.times, Source::Html, false),
        (&seen.dates, Source::Visible, false),
        (&seen.lines, Source::Visible, false),
        (&seen.margin, Source::Visible, false),
    ];
    for (spots, source, close) in shown {
        if !close && candidates.is_empty() {
            candidates.extend(dates::in_url(url_path));
        }
        if !close && !candidates.is_empty() {
            break;
        }
        let found = spots
            .iter()
            .filter(|s| near(s) == close || std::ptr::eq(spots, &seen.margin))
            .filter_map(|spot| {
                let machine = page.machine(spot.id).and_then(|m| parse(&m, source));
                let text = page.text(spot.id).unwrap_or_default();
                let stamp =
                    machine.or_else(|| parse(&text, source).filter(|s| is_date_line(&text, s)))?;
                Some((stamp, spot.id, text))
            });
        // Without a mark, a label or a title beside it, only a date with its time is a date line.
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
    candidates.extend(dates::in_url(url_path));
    if candidates.is_empty() && modified.is_none() {
        candidates.extend(only(page, locale));
    }
    let published = refine(candidates).or_else(|| modified.clone());
    (published, modified)
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

/// Does a line, or the one before it, say what the date is?
fn is_labelled(page: &PageData<'_>, id: Id, text: &str) -> bool {
    let says = |text: &str| {
        let text = text.to_lowercase();
        text.len() <= 80 && PUBLISHED_LABELS.iter().chain(&UPDATED).any(|l| text.contains(l))
    };
    let before = || {
        let lines = &page.seen().lines;
        let at = lines.iter().position(|line| line.id == id)?;
        page.text(lines.get(at.checked_sub(1)?)?.id)
    };
    says(text) || before().is_some_and(|before| says(&before))
}

/// The only date that any line of the page prints, where it prints one.
fn only(page: &PageData<'_>, locale: Option<&str>) -> Option<Stamp> {
    let mut one: Option<Stamp> = None;
    for spot in &page.seen().lines {
        let Some(text) = page.text(spot.id) else { continue };
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
    stamp.printed.chars().count() * LINE_SHARE >= all || all <= 60
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

//! What was collected of an item → an [`Entry`]: which of its links is the article's, absolute
//! URLs, plain text, dates.
//!
//! Must not know: which format the item came from.

use url::Url;

use super::raw::{Item, Link, Raw};
use super::{Parsed, Settings, Unlinked, date, markup};
use crate::model::{DAY, Entry, FeedFormat, HOUR, MINUTE, Millis, Skips, Stamp};

/// Makes the feed of what was scanned. Items without a usable URL stand apart and are counted.
pub(super) fn finish(raw: Raw, url: &str, limits: &Settings) -> Parsed {
    let feed_url = Url::parse(url).ok();
    let root = resolve(raw.base.as_deref(), feed_url.as_ref());
    let base = root.as_ref().or(feed_url.as_ref());
    let home = pick(&raw.links, base, limits);
    // RSS knows no xml:base by itself: relative links are meant as on the site.
    let home_url = home.as_deref().and_then(|h| Url::parse(h).ok());
    let item_base = match (&root, raw.format) {
        (None, Some(FeedFormat::Atom)) => base,
        (None, _) => home_url.as_ref().or(base),
        (Some(_), _) => base,
    };
    let related = |rel: &str| {
        raw.links
            .iter()
            .filter(|l| l.rel.split_ascii_whitespace().any(|r| r == rel))
            .find_map(|l| target(l, base, limits))
    };
    let mut parsed = Parsed {
        title: headline(raw.title.as_deref(), raw.plain, limits),
        language: language(raw.language.as_deref()),
        hub: related("hub"),
        topic: related("self"),
        next: related("next"),
        home,
        floor: floor(&raw),
        skips: skips(&raw),
        left_out: raw.left_out,
        ..Parsed::new(raw.format.unwrap_or(FeedFormat::Rss2))
    };
    for item in &raw.items {
        let own = resolve(item.base.as_deref(), item_base);
        let base = own.as_ref().or(item_base);
        match url_of(item, base, limits) {
            Some(url) if is_comment(&url) => parsed.comments += 1,
            Some(url) => parsed.entries.push(entry(item, url, limits)),
            None => parsed.unlinked.push(Unlinked {
                place: parsed.entries.len(),
                link: relative(item, base, limits),
                id: id(item, limits),
                title: title(item, limits),
                published: published(item),
            }),
        }
    }
    let without = parsed.unlinked.len();
    tell_gaps(&mut parsed, without, limits);
    parsed
}

/// Notes in words what is missing from the entries.
pub(super) fn tell_gaps(parsed: &mut Parsed, without_url: usize, limits: &Settings) {
    if without_url > 0 {
        parsed.repaired.push(format!("entries without a usable URL ({without_url}×)"));
    }
    if parsed.left_out > 0 {
        let (n, most) = (parsed.left_out, limits.max_entries);
        parsed.repaired.push(format!("entries beyond the newest {most} left out ({n}×)"));
    }
    if parsed.comments > 0 {
        parsed.repaired.push(format!("readers' comments left out ({}×)", parsed.comments));
    }
    if parsed.plain > 0 && parsed.entries.is_empty() {
        parsed.repaired.push(format!("addresses that are no news left out ({}×)", parsed.plain));
    }
}

fn entry(item: &Item, url: String, limits: &Settings) -> Entry {
    Entry {
        url,
        id: id(item, limits),
        title: title(item, limits),
        summary: text(item.summary.as_deref(), limits.max_summary)
            .or_else(|| text(item.content.as_deref(), limits.max_summary)),
        published: published(item),
        authors: names(&item.authors, limits),
        categories: names(&item.categories, limits),
        language: language(item.language.as_deref()),
    }
}

fn url_of(item: &Item, base: Option<&Url>, limits: &Settings) -> Option<String> {
    let id = item.id.as_deref().map(str::trim);
    let permalink = id.filter(|id| item.permalink != Some(false) && absolute(id));
    item.original
        .as_deref()
        .and_then(|u| address(u, base, limits))
        .or_else(|| pick(&item.links, base, limits))
        .or_else(|| {
            item.outside.as_ref().filter(|l| l.is_page()).and_then(|l| target(l, base, limits))
        })
        .or_else(|| permalink.and_then(|u| address(u, base, limits)))
        .or_else(|| item.about.as_deref().and_then(|u| address(u, base, limits)))
}

/// Does an address lead to a reader's comment below an article (`#comment-17`, as WordPress and Drupal write it;
/// `?showComment=17`, Blogger)? Its title and its date are that comment's: they would make old articles new.
pub(super) fn is_comment(url: &str) -> bool {
    let (address, fragment) = url.split_once('#').unwrap_or((url, ""));
    let fragment = fragment.to_ascii_lowercase();
    let name = fragment.strip_prefix("id").unwrap_or(&fragment);
    let number = name.strip_prefix("comment").map(|rest| rest.trim_start_matches(['-', '_']));
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        || address.split(['?', '&']).skip(1).any(|pair| pair.starts_with("showComment="))
}

/// The link as printed, where only a base is missing to make it an address.
fn relative(item: &Item, base: Option<&Url>, limits: &Settings) -> Option<String> {
    let hrefs = item.links.iter().filter(|l| l.is_alternate()).map(|l| l.href.trim());
    let short = |href: &&str| !href.is_empty() && href.chars().count() <= limits.max_url;
    let lacks_base = |href: &&str| {
        base.is_none() && Url::parse(href) == Err(url::ParseError::RelativeUrlWithoutBase)
    };
    hrefs.filter(short).find(lacks_base).map(str::to_owned)
}

/// RSS 1.0 has no `guid`: there `rdf:about` names the item.
fn id(item: &Item, limits: &Settings) -> Option<String> {
    let printed = [&item.id, &item.about].into_iter().flatten().map(|id| id.trim());
    let id = printed.into_iter().find(|id| !id.is_empty())?;
    Some(markup::squeeze(id, limits.max_url))
}

fn title(item: &Item, limits: &Settings) -> Option<String> {
    let titles = [&item.title, &item.media_title];
    titles.into_iter().find_map(|title| headline(title.as_deref(), item.plain, limits))
}

/// A title, of HTML or of plain text. There are publishers who write references in plain text, too.
fn headline(written: Option<&str>, plain: bool, limits: &Settings) -> Option<String> {
    if !plain {
        return text(written, limits.max_title);
    }
    let read = markup::squeeze(&markup::decode(written?), limits.max_title);
    Some(read).filter(|text| !text.is_empty())
}

pub(super) fn published(item: &Item) -> Option<Stamp> {
    let dates = [&item.published, &item.date, &item.updated];
    dates.into_iter().flatten().find_map(|printed| date::parse(printed))
}

/// The link that leads to the article or the site: `rel=alternate` (or none), HTML first.
fn pick(links: &[Link], base: Option<&Url>, limits: &Settings) -> Option<String> {
    let mut both = links.iter().filter(|l| l.is_alternate()).filter(|l| l.is_page());
    let mut any = links.iter().filter(|l| l.is_alternate()).filter(|l| !l.is_page());
    both.find_map(|l| target(l, base, limits)).or_else(|| any.find_map(|l| target(l, base, limits)))
}

/// Where a link leads; it may have a base of its own (RFC 4287 §2).
fn target(link: &Link, base: Option<&Url>, limits: &Settings) -> Option<String> {
    let own = resolve(link.base.as_deref(), base);
    address(&link.href, own.as_ref().or(base), limits)
}

fn absolute(text: &str) -> bool {
    let scheme = text.get(..8).or(text.get(..7)).unwrap_or(text).to_ascii_lowercase();
    scheme.starts_with("http://") || scheme.starts_with("https://")
}

fn resolve(base: Option<&str>, against: Option<&Url>) -> Option<Url> {
    let base = base?.trim();
    match against {
        Some(against) => against.join(base).ok(),
        None => Url::parse(base).ok(),
    }
}

/// An absolute http(s) URL of at most the length allowed, as the feed gave it.
pub(super) fn address(href: &str, base: Option<&Url>, limits: &Settings) -> Option<String> {
    let href = href.trim();
    // Escaped twice (`&amp;amp;`) as texts are; a lone `&` is left alone.
    let href = if href.contains("&amp;") { href.replace("&amp;", "&") } else { href.to_owned() };
    if href.is_empty() || href.len() > limits.max_url.saturating_mul(4) {
        return None;
    }
    let bare = href.get(..4).is_some_and(|w| w.eq_ignore_ascii_case("www."));
    let url = match base {
        Some(base) if bare => Url::parse(&format!("{}://{href}", base.scheme())),
        Some(base) => base.join(&href),
        None => Url::parse(&href),
    }
    .ok()?;
    let web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    let written = url.as_str();
    (web && written.len() <= limits.max_url).then(|| written.to_owned())
}

/// Plain text, `None` if nothing is left.
pub(super) fn text(html: Option<&str>, limit: usize) -> Option<String> {
    Some(markup::plain(html?, limit)).filter(|text| !text.is_empty())
}

pub(super) fn language(printed: Option<&str>) -> Option<String> {
    let tag = printed?.trim().replace('_', "-").to_ascii_lowercase();
    let fits = (2..=35).contains(&tag.len())
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    fits.then_some(tag)
}

/// Author and category names; RSS authors are written `mail@host (Name)`.
fn names(raw: &[String], limits: &Settings) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in raw {
        let Some(name) = text(Some(name), 200) else { continue };
        let inner = name.split_once('(').and_then(|(mail, rest)| {
            mail.contains('@').then(|| rest.trim_end_matches(')').trim().to_owned())
        });
        let name = inner.filter(|n| !n.is_empty()).unwrap_or(name);
        if !names.contains(&name) && names.len() < limits.max_names {
            names.push(name);
        }
    }
    names
}

/// RSS 2.0 `ttl` (minutes) and the syndication module's period divided by its frequency; the
/// longer counts, at most a day.
fn floor(raw: &Raw) -> Millis {
    let number = |text: Option<&str>| text.and_then(|t| t.trim().parse::<i64>().ok());
    let ttl = number(raw.ttl.as_deref()).unwrap_or(0).clamp(0, 1_440) * MINUTE;
    let frequency = number(raw.frequency.as_deref()).unwrap_or(1).clamp(1, 10_000);
    let period = match raw.period.as_deref().map(|p| p.trim().to_ascii_lowercase()).as_deref() {
        Some("hourly") => HOUR,
        Some("daily") => DAY,
        Some("weekly") => 7 * DAY,
        Some("monthly") => 30 * DAY,
        Some("yearly") => 365 * DAY,
        _ => 0,
    };
    ttl.max(period / frequency).min(DAY)
}

/// `skipHours` (0–23; RSS 0.91 wrote 24 for midnight) and `skipDays`, which name English weekdays.
fn skips(raw: &Raw) -> Skips {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let hours = raw.skip_hours.iter().filter_map(|text| text.trim().parse::<u32>().ok());
    let days = raw.skip_days.iter().filter_map(|text| {
        let name = text.trim().to_ascii_lowercase();
        DAYS.iter().position(|day| name.starts_with(day))
    });
    Skips {
        hours: hours.filter(|hour| *hour <= 24).fold(0, |set, hour| set | 1 << (hour % 24)),
        days: days.fold(0, |set, day| set | 1 << day),
    }
}

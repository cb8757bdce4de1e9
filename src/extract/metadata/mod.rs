//! What a page says about its article apart from the text: title, authors, dates, language,
//! canonical URL, section, image, signals to robots – each with where it was found.
//!
//! Reads the tree that extraction parsed and never fails. Must not know blocks, labels, the feed
//! beyond what [`Hints`] carries.

mod alone;
mod around;
mod authors;
mod below;
mod bylines;
pub mod dates;
mod foot;
mod handles;
mod jsonld;
mod labels;
mod language;
mod lead;
mod lines;
mod microdata;
mod names;
mod openings;
mod owner;
mod page;
mod published;
mod refresh;
mod sections;
mod seen;
mod signals;
mod text;
mod title;
mod values;
mod words;
mod zone;

use std::cell::{LazyCell, OnceCell};

use url::Url;

use crate::extract::Hints;
use crate::extract::dom::Dom;
use crate::extract::unseen::Unseen;
use crate::model::{Found, MAX_URL, Source, Stamp, primary_language};

pub use authors::of_byline;
pub(in crate::extract) use jsonld::THREADS;
pub use language::{language_of, weigh};
use page::{Meta, PageData};
pub use published::in_order_of;
pub use signals::signals_of;

/// What the page says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// Without the outlet's name.
    pub title: Option<Found<String>>,
    /// What `<title>` says, whole: readers see it in their tab and among what a search finds.
    pub tab: Option<String>,
    pub authors: Vec<Found<String>>,
    pub published: Option<Stamp>,
    /// `published` stands far from the title, where comments and other articles have their dates.
    pub dated_far: bool,
    pub modified: Option<Stamp>,
    /// `published` with day and month exchanged, where only the declared language tells them apart.
    pub exchanged: Option<Stamp>,
    /// As declared, primary subtag; [`weigh`] holds it against the article's text.
    pub language: Option<Found<String>>,
    /// Absolute, http or https.
    pub canonical: Option<Found<String>>,
    pub site_name: Option<Found<String>>,
    pub section: Option<Found<String>>,
    /// Absolute URL of the lead image.
    pub image: Option<Found<String>>,
    /// `noindex`, `noarchive`, `nosnippet`, `nofollow`, `noai`, `tdm-reservation=1` …, behind a name and a colon where
    /// they are for one crawler.
    pub signals: Vec<String>,
    /// Whom the page names to machines as author or source, people or not, as it writes them.
    pub credits: Vec<Found<String>>,
    /// JSON-LD `headline`, for features.
    pub headline: Option<String>,
    /// JSON-LD `articleBody`, for features: never trusted as text.
    pub article_body: Option<String>,
    /// Linked data call the page an article.
    pub is_article: bool,
    /// Linked data call it a thread, or the software that made it is a forum's.
    pub is_thread: bool,
    /// Linked data call it a list of other pages.
    pub is_list: bool,
    /// Linked data name a list of things.
    pub has_items: bool,
    /// Its share card calls it an article (`og:type`).
    pub is_shared_article: bool,
    /// Linked data say that it is not free to read.
    pub is_paid: bool,
    /// Where readers are led on before they have read it; absolute.
    pub refresh: Option<String>,
}

/// How forum software begins its name in `meta name=generator`, lower case. None with which newsrooms run
/// their sites as well (Discuz).
const FORUMS: [&str; 11] = [
    "phpbb",
    "vbulletin",
    "xenforo",
    "discourse",
    "mybb",
    "flarum",
    "woltlab",
    "invision",
    "vanilla",
    "simple machines",
    "fluxbb",
];

/// Reads a page's metadata.
pub fn read(dom: &Dom, unseen: &Unseen, hints: &Hints<'_>) -> Metadata {
    let page = page::collect(dom, unseen);
    let url = Url::parse(hints.url.unwrap_or_default()).ok();
    let base = base(&page, url.as_ref());
    let canonical = canonical(&page, base.as_ref(), url.as_ref());
    let address = hints.url.or(canonical.as_ref().map(|canonical| canonical.value.as_str()));
    let texts = page.linked_data.iter().map(|text| text.as_ref());
    let titles = OnceCell::new();
    let says_title = |text: &str| titles.get_or_init(|| title::Told::of(&page)).says(text);
    let data = jsonld::read(texts, address.unwrap_or_default(), says_title);

    let site_name = first(&[
        meta(&page, &["og:site_name"], Source::OpenGraph),
        found(data.site_name.clone(), Source::JsonLd),
        meta(&page, &["application-name", "al:android:app_name", "publisher"], Source::Meta),
    ]);
    let host = url.as_ref().and_then(Url::host_str);
    let outlets = title::outlet_names(site_name.as_ref().map(|s| s.value.as_str()), host);
    let title = title::read(&page, &data, hints.feed_title, &outlets);
    let title_spot = LazyCell::new(|| title.as_ref().and_then(|t| title::spot(&page, &t.value)));
    let title_at = || title_spot.map(|spot| spot.position);
    let comments = LazyCell::new(|| published::comments(&page, title_at()));

    let declared = declared_language(&page, &data, hints);
    let locale = locale(&page, &data, host, declared.as_ref());
    let own = canonical.as_ref().and_then(|c| Url::parse(&c.value).ok());
    let paths: Vec<&str> = [&url, &own].into_iter().flatten().map(Url::path).collect();
    let (locale, title_seen) = (locale.as_deref(), || *title_spot);
    let dated = published::read(&page, &data, &paths, host, locale, title_seen, || *comments);

    Metadata {
        authors: authors::authors(
            &page,
            &data,
            &outlets,
            url.as_ref(),
            title.as_ref().map(|t| t.value.as_str()),
            title_at,
            || *comments,
        ),
        published: dated.published,
        dated_far: dated.is_far,
        modified: dated.modified,
        exchanged: dated.exchanged,
        language: declared,
        canonical,
        section: first(&[
            found(data.section.clone(), Source::JsonLd),
            meta(&page, &["article:section", "og:article:section"], Source::OpenGraph),
            meta(
                &page,
                &["parsely-section", "section", "cxenseparse:section", "category"],
                Source::Meta,
            ),
        ]),
        image: first(&[
            meta(&page, &["og:image", "og:image:url", "og:image:secure_url"], Source::OpenGraph),
            found(data.image.clone(), Source::JsonLd),
            meta(&page, &["twitter:image", "twitter:image:src", "thumbnail"], Source::Meta),
        ])
        .and_then(|i| Some(Found { value: resolve(base.as_ref(), &i.value)?.into(), ..i })),
        signals: signals::signals(&page.metas),
        credits: credits(&page, &data.authors),
        headline: data.headline,
        article_body: data.article_body,
        is_article: data.is_article,
        is_thread: data.is_thread || !data.is_article && made_by_forum(&page),
        is_list: data.is_list,
        has_items: data.has_items,
        is_shared_article: meta(&page, &["og:type"], Source::OpenGraph)
            .is_some_and(|kind| kind.value.eq_ignore_ascii_case("article")),
        is_paid: data.is_paid,
        refresh: refresh::at_once(dom, &page.refreshes, url.as_ref(), base.as_ref())
            .map(Into::into),
        title,
        tab: page.title,
        site_name,
    }
}

/// Most credits of one page.
const MOST_CREDITS: usize = 16;

fn credits(page: &PageData<'_>, authors: &[jsonld::Author]) -> Vec<Found<String>> {
    const METAS: &[&str] = &[
        "author",
        "byl",
        "dc.creator",
        "parsely-author",
        "source",
        "news_source",
        "original-source",
        "creditline",
    ];
    let linked = authors.iter().map(|a| Found { value: a.name.clone(), source: Source::JsonLd });
    let metas = page.metas.iter().filter(|meta| METAS.contains(&meta.name.as_ref()));
    let metas = metas.filter_map(Meta::content);
    let metas = metas.map(|said| Found { value: text::plain(&said), source: Source::Meta });
    linked.chain(metas).take(MOST_CREDITS).collect()
}

fn made_by_forum(page: &PageData<'_>) -> bool {
    page.told("generator").any(|content| {
        let content = content.to_lowercase();
        FORUMS.iter().any(|known| content.starts_with(known))
    })
}

fn found(value: Option<String>, source: Source) -> Option<Found<String>> {
    value.map(|value| Found { value, source })
}

fn first(options: &[Option<Found<String>>]) -> Option<Found<String>> {
    options.iter().flatten().next().cloned()
}

/// The first `meta` of any of these names, in the order of the names, that says something.
fn meta(page: &PageData<'_>, names: &[&str], source: Source) -> Option<Found<String>> {
    names.iter().find_map(|name| {
        let mut contents = page.told(name).map(|content| text::plain(&content));
        let value = contents.find(|c| !c.is_empty())?;
        Some(Found { value, source })
    })
}

fn base(page: &PageData<'_>, url: Option<&Url>) -> Option<Url> {
    match (&page.base, url) {
        (Some(href), Some(url)) => url.join(href).ok().or_else(|| Some(url.clone())),
        (Some(href), None) => Url::parse(href).ok(),
        (None, url) => url.cloned(),
    }
}

/// An address of the page, if it is one that is taken.
fn resolve(base: Option<&Url>, href: &str) -> Option<Url> {
    let href = href.trim();
    if href.chars().nth(MAX_URL).is_some() {
        return None;
    }
    let url = match base {
        Some(base) => base.join(href).ok()?,
        None => Url::parse(href).ok()?,
    };
    let is_taken = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_URL;
    is_taken.then_some(url)
}

/// `<link rel=canonical>`, else `og:url`. A canonical URL that is a site's front page while the
/// page is not is a template's mistake and would make all articles of the outlet one.
fn canonical(page: &PageData<'_>, base: Option<&Url>, url: Option<&Url>) -> Option<Found<String>> {
    let links = page.canonical.iter().map(|href| (href.clone(), Source::Link));
    let metas = page.told("og:url").map(|content| (content, Source::OpenGraph));
    let is_front = |u: &Url| u.path().trim_matches('/').is_empty() && u.query().is_none();
    links.chain(metas).find_map(|(href, source)| {
        let target = resolve(base, &href)?;
        let front = is_front(&target) && url.is_some_and(|u| !is_front(u));
        (!front).then(|| Found { value: target.into(), source })
    })
}

fn declared_language(
    page: &PageData<'_>,
    data: &jsonld::LinkedData,
    hints: &Hints<'_>,
) -> Option<Found<String>> {
    let primary = |value: Option<&str>, source| found(value.and_then(primary_language), source);
    let meta = |name: &'static str| page.told(name).next();
    first(&[
        primary(page.lang.as_deref(), Source::Html),
        primary(data.language.as_deref(), Source::JsonLd),
        primary(meta("og:locale").as_deref(), Source::OpenGraph),
        primary(meta("content-language").or_else(|| meta("language")).as_deref(), Source::Meta),
        primary(hints.feed_language, Source::Feed),
    ])
}

/// Language with region for dates: as declared, else the region of the country's domain.
fn locale(
    page: &PageData<'_>,
    data: &jsonld::LinkedData,
    host: Option<&str>,
    declared: Option<&Found<String>>,
) -> Option<String> {
    let og = page.told("og:locale").next();
    let declared = &declared?.value;
    let country = host
        .and_then(|h| h.rsplit('.').next())
        .filter(|t| t.len() == 2 && *t != "us" && *t != "co");
    let regional = [page.lang.as_deref(), data.language.as_deref(), og.as_deref()]
        .into_iter()
        .flatten()
        .find(|l| l.contains(['-', '_']) && primary_language(l).as_ref() == Some(declared));
    // A British paper declared en-US by its system still prints the day first.
    match (country, regional) {
        (Some(country), _) if declared == "en" => Some(format!("en-{country}")),
        (_, Some(regional)) => Some(regional.to_owned()),
        _ => Some(declared.clone()),
    }
}

#[cfg(test)]
mod authors_tests;
#[cfg(test)]
mod dates_tests;
#[cfg(test)]
mod handles_tests;
#[cfg(test)]
mod heads_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod title_tests;

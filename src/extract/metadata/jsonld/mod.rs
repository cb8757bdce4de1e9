//! JSON-LD as publishers write it: wrapped in comments, with raw line breaks and trailing commas,
//! graphs, arrays and references. What does not parse is skipped; nothing recurses and every walk
//! is bounded. Takes the texts of its blocks three times at most, and [`MAX_VALUES`] values.
//! Must not know the page around it.

mod mend;

use mend::{mend, unwrap};

use super::values::{self, Object, Value};

/// What a page's linked data says about its article.
#[derive(Debug, Default, PartialEq)]
pub(super) struct LinkedData {
    pub headline: Option<String>,
    pub authors: Vec<Author>,
    pub published: Option<String>,
    pub modified: Option<String>,
    pub section: Option<String>,
    pub image: Option<String>,
    pub language: Option<String>,
    pub url: Option<String>,
    pub site_name: Option<String>,
    pub article_body: Option<String>,
    /// The page's own object is an article or a blog's post.
    pub is_article: bool,
    /// It is a thread, or a question with its answers.
    pub is_thread: bool,
    /// It is a list of other pages.
    pub is_list: bool,
    /// The page says in which order it names other things.
    pub has_items: bool,
    /// It is not free to read (schema.org `isAccessibleForFree`).
    pub is_paid: bool,
}

/// Who signs an article.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Author {
    pub name: String,
    /// An organisation, and no person.
    pub organisation: bool,
}

/// Types of schema.org that a thread is, in linked data and in microdata.
pub(in crate::extract) const THREADS: [&str; 2] = ["DiscussionForumPosting", "QAPage"];
/// A block larger than this is not read.
const MAX_BYTES: usize = 2 << 20;
/// Values kept per page; what follows is read past.
const MAX_VALUES: usize = 100_000;
/// Objects looked at per page.
const MAX_OBJECTS: usize = 5_000;

/// Reads all blocks of a page; the object most like the page's own article wins. `says_title`: is a text the title that
/// the page gives itself elsewhere?
pub(super) fn read<'a>(
    blocks: impl Iterator<Item = &'a str>,
    page_url: &str,
    says_title: impl Fn(&str) -> bool,
) -> LinkedData {
    let mut room = MAX_VALUES;
    let mut mended: Vec<(usize, String)> = Vec::new();
    let mut roots: Vec<Option<Value>> = Vec::new();
    for text in blocks.filter(|block| block.len() <= MAX_BYTES).map(unwrap) {
        let root = attempt(&mut room, |room| values::read(text, room));
        if root.is_none() && room > 0 {
            mended.push((roots.len(), mend(text)));
        }
        roots.push(root);
    }
    // Several objects one after the other, or rubbish behind the first.
    for (at, text) in &mended {
        roots[*at] = attempt(&mut room, |room| values::read_first(text, room));
    }
    let page = Address::of(page_url);
    let objects = objects(&roots);
    let resolve = |id: &str| {
        objects
            .iter()
            .map(|item| item.object)
            .find(|o| o.len() > 1 && string(o.get("@id")).as_deref() == Some(id))
    };
    // The first of the best: publishers put the page's own article before its teasers.
    let (mut main, mut own) = (None::<(i32, &Item)>, None::<(i32, &Item)>);
    for item in &objects {
        let rank = rank(item, &page);
        let leads = |best: Option<(i32, &Item)>| best.map_or(0, |(rank, _)| rank) < rank;
        if leads(main) {
            main = Some((rank, item));
        }
        if leads(own) && is_own(item, &page, &says_title) {
            own = Some((rank, item));
        }
    }
    let mut data = LinkedData::default();
    if let Some((_, Item { object: o, .. })) = own {
        data.authors = names(o.get("author").or_else(|| o.get("creator")), &resolve);
        data.published = string(o.get("datePublished"))
            .or_else(|| string(o.get("uploadDate")))
            .or_else(|| string(o.get("dateCreated")));
        data.modified = string(o.get("dateModified"));
    }
    if let Some((_, Item { object: o, kinds, .. })) = main {
        data.headline = headline(o);
        data.section = string(o.get("articleSection"));
        data.image = link(o.get("image").or_else(|| o.get("thumbnailUrl")), &resolve);
        data.language = string(o.get("inLanguage"));
        data.url = string(o.get("url")).or_else(|| link(o.get("mainEntityOfPage"), &resolve));
        data.site_name = names(o.get("publisher"), &resolve).into_iter().next().map(|a| a.name);
        data.article_body = string(o.get("articleBody"));
        data.is_article = kinds.any(|t| {
            t.ends_with("Article") || matches!(t, "LiveBlogPosting" | "Report" | "BlogPosting")
        });
        data.is_paid = o.get("isAccessibleForFree").is_some_and(|free| match free {
            Value::String(text) => text.to_ascii_lowercase().ends_with("false"),
            free => *free == Value::Bool(false),
        });
    }
    let named = |names: &[&str]| {
        objects.iter().any(|item| !item.nested && item.kinds.any(|kind| names.contains(&kind)))
    };
    data.is_thread = !data.is_article && named(&THREADS);
    data.is_list = named(&["CollectionPage", "SearchResultsPage"]);
    data.has_items = named(&["ItemList", "OfferCatalog"]);
    // Dates and authors that stand on the page's own object instead.
    let is_page = |item: &&Item| item.kinds.any(|t| t == "WebPage" || t == "ItemPage");
    for Item { object: o, .. } in objects.iter().filter(is_page) {
        data.published = data.published.or_else(|| string(o.get("datePublished")));
        data.modified = data.modified.or_else(|| string(o.get("dateModified")));
        data.language = data.language.or_else(|| string(o.get("inLanguage")));
        if data.authors.is_empty() {
            data.authors = names(o.get("author"), &resolve);
        }
    }
    if data.site_name.is_none() {
        let site = objects.iter().find(|item| {
            item.kinds.any(|t| matches!(t, "WebSite" | "NewsMediaOrganization" | "Organization"))
                && !is_person(item.object)
        });
        data.site_name = site.and_then(|site| string(site.object.get("name")));
    }
    data
}

/// Whom the object names that Parse.ly's crawler is told of a page (`parsely-page`).
pub(super) fn of_parsely(text: &str) -> Vec<String> {
    let Some(Value::Object(page)) =
        attempt(&mut MAX_VALUES.clone(), |room| values::read(text, room))
    else {
        return Vec::new();
    };
    let authors = page.get("authors").or_else(|| page.get("author"));
    names(authors, &|_| None).into_iter().map(|author| author.name).collect()
}

/// How likely an object is the page's own article; 0: not at all.
fn rank(item: &Item<'_>, page: &Address<'_>) -> i32 {
    let &Item { object: o, nested, kinds } = item;
    let kind = if kinds.any(|t| t.ends_with("Article") || t == "LiveBlogPosting" || t == "Report") {
        40
    } else if kinds
        .any(|t| matches!(t, "BlogPosting" | "SocialMediaPosting" | "DiscussionForumPosting"))
    {
        30
    } else if kinds
        .any(|t| matches!(t, "Review" | "Recipe" | "HowTo" | "CreativeWork" | "MediaGallery"))
    {
        20
    } else if kinds.any(|t| matches!(t, "VideoObject" | "AudioObject" | "PodcastEpisode")) {
        10
    } else {
        return 0;
    };
    let own = match address(o) {
        Some(url) if page.is_same(&url) => 25,
        Some(url) if page.is_elsewhere(&url) => -ELSEWHERE,
        _ => 0,
    };
    kind + own
        + if o.contains_key("datePublished") { 8 } else { 0 }
        + if o.contains_key("articleBody") { 4 } else { 0 }
        - if nested { 15 } else { 0 }
        - if o.contains_key("headline") || o.contains_key("name") { 0 } else { 6 }
}

/// Does an object tell of the page's own article: by its address, by its headline, or because it is an article and no
/// part of something else? Films, reviews by customers, claims that are checked and other stories have dates and authors
/// of their own.
fn is_own(item: &Item<'_>, page: &Address<'_>, says_title: impl Fn(&str) -> bool) -> bool {
    let &Item { object: o, nested, kinds } = item;
    let address = address(o);
    let address = address.as_deref();
    let headline = headline(o);
    if address.is_some_and(|url| page.is_same(url)) || headline.as_deref().is_some_and(says_title) {
        return true;
    }
    let elsewhere = headline.is_some() && address.is_some_and(|url| page.is_elsewhere(url));
    let is_article =
        kinds.any(|t| t.ends_with("Article") || t.ends_with("Posting") || t == "Report");
    is_article && !nested && !elsewhere
}

fn headline(o: &Object<'_>) -> Option<String> {
    string(o.get("headline")).or_else(|| string(o.get("name")))
}

/// The address that an object states of itself.
fn address(o: &Object<'_>) -> Option<String> {
    let page = o.get("mainEntityOfPage");
    let of_page = || page.and_then(Value::as_object).and_then(|page| string(page.get("@id")));
    string(o.get("url")).or_else(|| string(page)).or_else(of_page)
}

/// An object that says that it is of another page yields to one of its kind that says nothing of that: this is more than
/// a date and a text weigh. Not to one of another kind, since some sites state a wrong address.
const ELSEWHERE: i32 = 13;

/// An address of a page, as far as it is compared.
struct Address<'u> {
    /// Without a scheme, "www." and what is behind the path.
    core: &'u str,
    /// The host and the end of the path, if it is of the web. On its hosts for phones and readers a page's address ends
    /// alike.
    parts: Option<(&'u str, &'u str)>,
}

impl<'u> Address<'u> {
    fn of(url: &'u str) -> Address<'u> {
        Address { core: core(url), parts: parts(url) }
    }

    fn is_same(&self, url: &str) -> bool {
        !self.core.is_empty() && core(url) == self.core
    }

    fn is_elsewhere(&self, url: &str) -> bool {
        self.parts.zip(parts(url)).is_some_and(|(page, stated)| page != stated)
    }
}

fn parts(url: &str) -> Option<(&str, &str)> {
    const SAME: [&str; 4] = ["www.", "m.", "mobile.", "amp."];
    let (scheme, rest) = url.split_once("//")?;
    let path = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let host = path.split('/').next().unwrap_or_default();
    let end = path.rsplit('/').next().unwrap_or_default();
    let host = SAME.iter().find_map(|same| host.strip_prefix(same)).unwrap_or(host);
    matches!(scheme, "" | "http:" | "https:").then_some((host, end))
}

fn core(url: &str) -> &str {
    fn without<'u>(mut url: &'u str, beginning: &str) -> &'u str {
        while let Some(rest) = url.strip_prefix(beginning) {
            url = rest;
        }
        url
    }
    let url = url.split(['?', '#']).next().unwrap_or("");
    let url = without(without(url, "https:"), "http:").trim_matches('/');
    without(url, "www.")
}

/// What an object says that it is.
#[derive(Clone, Copy)]
enum Kinds<'v> {
    One(&'v str),
    Several(&'v [Value<'v>]),
}

impl<'v> Kinds<'v> {
    fn of(o: &'v Object<'v>) -> Kinds<'v> {
        match o.get("@type") {
            Some(Value::String(one)) => Kinds::One(bare(one)),
            Some(Value::Array(several)) => Kinds::Several(several),
            _ => Kinds::Several(&[]),
        }
    }

    fn any(self, is: impl Fn(&str) -> bool) -> bool {
        match self {
            Kinds::One(one) => is(one),
            Kinds::Several(several) => {
                several.iter().filter_map(Value::as_str).any(|kind| is(bare(kind)))
            }
        }
    }
}

/// A type without its vocabulary.
fn bare(kind: &str) -> &str {
    let end = kind.bytes().rposition(|b| matches!(b, b'/' | b'#' | b':'));
    end.map_or(kind, |end| &kind[end + 1..])
}

/// An object of a page's linked data.
struct Item<'v> {
    object: &'v Object<'v>,
    /// Inside a list or a part of something else.
    nested: bool,
    kinds: Kinds<'v>,
}

/// All objects in reading order.
fn objects<'v>(roots: &'v [Option<Value<'v>>]) -> Vec<Item<'v>> {
    let mut found = Vec::new();
    let roots = roots.iter().rev().flatten();
    let mut open: Vec<(&Value, bool)> = roots.map(|v| (v, false)).collect();
    while let Some((value, nested)) = open.pop() {
        if found.len() >= MAX_OBJECTS {
            break;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().rev().map(|v| (v, nested))),
            Value::Object(o) => {
                found.push(Item { object: o, nested, kinds: Kinds::of(o) });
                let inner =
                    |key: &str| !matches!(key, "@graph" | "mainEntity" | "mainEntityOfPage");
                open.extend(
                    o.iter()
                        .rev()
                        .filter(|(_, v)| matches!(v, Value::Object(_) | Value::Array(_)))
                        .map(|(key, v)| (v, nested || inner(key))),
                );
            }
            _ => {}
        }
    }
    found
}

/// Reads a value while there is room; what does not parse takes none of it.
fn attempt<'t>(
    room: &mut usize,
    read: impl FnOnce(&mut usize) -> serde_json::Result<Value<'t>>,
) -> Option<Value<'t>> {
    let before = *room;
    let value = if before > 0 { read(room).ok() } else { None };
    if value.is_none() {
        *room = before;
    }
    value
}

/// A string, the first string of an array, or the `@value`/`name` of an object.
fn string(value: Option<&Value>) -> Option<String> {
    let value = match value? {
        Value::Array(items) => items.first()?,
        value => value,
    };
    let text = match value {
        Value::String(s) => &**s,
        Value::Object(o) => o.get("@value").or_else(|| o.get("name")).and_then(Value::as_str)?,
        Value::Number(n) => return Some(n.to_string()),
        _ => return None,
    };
    let text = super::text::plain(text);
    (!text.is_empty()).then_some(text)
}

/// Names of persons or organisations: strings, objects, references, arrays of them.
fn names<'a>(
    value: Option<&'a Value<'a>>,
    resolve: &impl Fn(&str) -> Option<&'a Object<'a>>,
) -> Vec<Author> {
    let items = match value {
        Some(Value::Array(items)) => items.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let mut found = Vec::new();
    for item in items.iter().take(50) {
        let object = item.as_object();
        let direct = object.and_then(|o| o.get("name")).or(object.is_none().then_some(item));
        let mut organisation = object.is_some_and(is_organisation);
        let named = match direct {
            Some(Value::Array(several)) => several.iter().filter_map(|v| string(Some(v))).collect(),
            Some(one) => string(Some(one)).into_iter().collect(),
            None => {
                let referred =
                    object.and_then(|o| o.get("@id")).and_then(Value::as_str).and_then(resolve);
                organisation |= referred.is_some_and(is_organisation);
                let joined = |o: &Object| {
                    Some(format!(
                        "{} {}",
                        string(o.get("givenName"))?,
                        string(o.get("familyName"))?
                    ))
                };
                let name =
                    referred.or(object).and_then(|o| string(o.get("name")).or_else(|| joined(o)));
                name.into_iter().collect::<Vec<_>>()
            }
        };
        found.extend(named.into_iter().map(|name| Author { name, organisation }));
    }
    found
}

fn is_organisation(o: &Object<'_>) -> bool {
    let is = |t: &str| t.ends_with("Organization") || t == "Corporation" || t == "WebSite";
    Kinds::of(o).any(is) && !is_person(o)
}

/// A person, though plugins call who writes for a site of their own an organisation, too.
fn is_person(o: &Object<'_>) -> bool {
    Kinds::of(o).any(|t| t == "Person")
}

/// The URL of an image or page: a string, `url`, `@id`, or what they refer to.
fn link<'a>(
    value: Option<&'a Value<'a>>,
    resolve: &impl Fn(&str) -> Option<&'a Object<'a>>,
) -> Option<String> {
    let value = match value? {
        Value::Array(items) => items.first()?,
        value => value,
    };
    match value {
        Value::String(s) => Some(s.trim().to_owned()),
        Value::Object(o) => {
            let url = |o: &Object| string(o.get("url")).or_else(|| string(o.get("contentUrl")));
            let id = o.get("@id").and_then(Value::as_str);
            url(o).or_else(|| id.and_then(resolve).and_then(url)).or_else(|| id.map(str::to_owned))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;

//! What a page's address says of it: whether it calls itself a list or a thread. How long or how deep it is, is
//! left out: that tells the habits of outlets that are trained on, and others have other habits.
//!
//! Must not know: the page.

use url::Url;

use super::Columns;

/// What parts of addresses of lists …
const LISTS: [&str; 16] = [
    "tag",
    "tags",
    "topic",
    "topics",
    "category",
    "categories",
    "section",
    "author",
    "archive",
    "archives",
    "search",
    "page",
    "collections",
    "collection",
    "list",
    "index",
];
/// … and of threads say.
const THREADS: [&str; 14] = [
    "forum",
    "forums",
    "thread",
    "threads",
    "showthread",
    "viewtopic",
    "questions",
    "question",
    "comments",
    "t",
    "discussion",
    "community",
    "board",
    "boards",
];
/// How hosts of forums are called.
const HOSTS: [&str; 5] = ["forum", "forums", "community", "board", "boards"];

/// Describes an address; without one all are 0.
pub(super) fn describe(address: Option<&str>, out: &mut Columns) {
    let url = address.and_then(|address| Url::parse(address).ok());
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().to_ascii_lowercase();
    let path = url.as_ref().map_or("", Url::path).to_ascii_lowercase();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let says = |known: &[&str]| {
        parts.iter().any(|part| known.contains(&part.split('.').next().unwrap_or_default()))
    };
    let is_forum = says(&THREADS) || host.split('.').any(|label| HOSTS.contains(&label));
    let bit = |is: bool| f32::from(u8::from(is));
    out.extend([
        ("address: of a list", bit(says(&LISTS))),
        ("address: of a thread", bit(is_forum)),
        ("address: of the front page", bit(url.is_some() && parts.is_empty())),
    ]);
}

/// Columns that an address has.
pub const COUNT: usize = 3;

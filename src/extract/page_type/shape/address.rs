//! Whether a page's address calls it a list. Threads and front pages are told before, by rules. How long or how
//! deep an address is, is left out: that tells the habits of outlets that are trained on, and others have other habits.
//!
//! Must not know: the page.

use url::Url;

use super::Columns;

/// What parts of addresses of lists say.
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
/// Describes an address; without one all are 0.
pub(super) fn describe(address: Option<&str>, out: &mut Columns) {
    let url = address.and_then(|address| Url::parse(address).ok());
    let path = url.as_ref().map_or("", Url::path).to_ascii_lowercase();
    let is_list =
        path.split('/').any(|part| LISTS.contains(&part.split('.').next().unwrap_or_default()));
    out.push(("address: of a list", f32::from(u8::from(is_list))));
}

/// Columns that an address has.
pub const COUNT: usize = 1;

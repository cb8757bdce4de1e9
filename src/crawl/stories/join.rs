//! Which stories a new article joins: the copies that the search finds, as the store knows them.
//!
//! Must not know: where articles come from, how stories are stored.

use std::collections::{BTreeSet, HashSet};

use anyhow::Result;
use url::Url;

use crate::dedupe::Print;
use crate::dedupe::excerpts::Contained;
use crate::dedupe::search::Found;
use crate::dedupe::similarity::sim;
use crate::dedupe::stories::{self, Known};
use crate::frontier::address;
use crate::model::*;
use crate::store::{Batch, Repair, Store, StoreError};

use super::copies::Copies;

/// The stories of an open batch.
pub(in crate::crawl) struct Batched<'a>(pub &'a mut dyn Batch);

impl Known for Batched<'_> {
    type Error = StoreError;
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>, StoreError> {
        self.0.member(article)
    }
    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>, StoreError> {
        self.0.story_head(id)
    }
}

/// The stories of a repair under way.
pub(in crate::crawl) struct Repaired<'a>(pub &'a Repair);

impl Known for Repaired<'_> {
    type Error = StoreError;
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>, StoreError> {
        self.0.member(article)
    }
    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>, StoreError> {
        self.0.story_head(id)
    }
}

/// A copy of an article that stands in the same outlet.
pub(in crate::crawl) struct Sibling {
    key: UrlKey,
    similarity: f64,
    day: Day,
}

/// The copies in an article's own outlet, most similar first: looked up once for all that is asked of them.
pub(in crate::crawl) fn siblings<K: Known<Error = StoreError>>(
    known: &mut K,
    record: &ArticleRecord,
    found: &Found,
) -> Result<Vec<Sibling>> {
    let mut siblings = Vec::new();
    for &(key, similarity) in &found.copies {
        let Some((_, member)) = known.member(key)? else { continue };
        if member.outlet == record.outlet {
            siblings.push(Sibling { key, similarity, day: member.day });
        }
    }
    Ok(siblings)
}

/// The article of the same outlet and day that has this title and text already: the same one under another
/// address, however many addresses a site answers to. An article that was kept without its text is not compared.
pub(in crate::crawl) fn printed_before(
    store: &dyn Store,
    record: &ArticleRecord,
    siblings: &[Sibling],
) -> Result<Option<UrlKey>> {
    if record.article.text.is_empty() {
        return Ok(None);
    }
    // Of one text the terms are the same, and so is their direction.
    let alike = siblings.iter().take_while(|sibling| sibling.similarity > ALIKE);
    let same_day = alike.filter(|sibling| sibling.day == record.published.day);
    for Sibling { key, .. } in same_day.take(COMPARED) {
        // Pages of one outlet are committed one after the other, each before the next is asked for.
        let before = store.article(*key)?.map(|before| before.article);
        let title = |article: &Article| article.title.as_ref().map(|title| title.value.clone());
        if before.is_some_and(|before| {
            before.text == record.article.text && title(&before) == title(&record.article)
        }) {
            return Ok(Some(*key));
        }
    }
    Ok(None)
}

/// The article of the same outlet that reads alike and whose page names this one's address as its own, which was not
/// believed before this one was there: a print view that was read first.
pub(in crate::crawl) fn view_before(
    store: &dyn Store,
    record: &ArticleRecord,
    siblings: &[Sibling],
) -> Result<Option<UrlKey>> {
    for Sibling { key, .. } in siblings.iter().take(COMPARED) {
        let Some(before) = store.article(*key)? else { continue };
        let ignored = before.article.signals.iter().any(|signal| signal == CANONICAL_IGNORED);
        let named = before.article.canonical.filter(|_| ignored);
        let named = named.and_then(|named| address(&named.value, Some(&before.final_url)).ok());
        if named.is_some_and(|named| named.key == record.key) {
            return Ok(Some(*key));
        }
    }
    Ok(None)
}

/// The article of the same outlet and day that an entry is a copy of, if only others have named the entry: of a page that
/// differs from one request to the next they could make as many articles as they make up addresses. And the other way
/// round: the article that others have named under such an address before its outlet did, which is the entry's with
/// parameters added or left out, or reads the same at its path. (`?p=5` and `?p=6` are two articles.)
pub(in crate::crawl) fn named_before(
    batch: &mut dyn Batch,
    record: &ArticleRecord,
    siblings: &[Sibling],
) -> Result<Option<UrlKey>> {
    let mut same_day = siblings.iter().filter(|sibling| sibling.day == record.published.day);
    if batch.url(record.key)?.is_some_and(|entry| entry.foreign) {
        return Ok(same_day.next().map(|sibling| sibling.key));
    }
    let Ok(own) = address(&record.final_url, None) else { return Ok(None) };
    for Sibling { key, similarity, .. } in same_day.take(COMPARED) {
        let before = batch.url(*key)?.filter(|before| before.foreign);
        let before = before.and_then(|before| address(&before.canonical, None).ok());
        if before.is_some_and(|before| is_variant(&before.url, &own.url, *similarity > ALIKE)) {
            return Ok(Some(*key));
        }
    }
    Ok(None)
}

/// Are these the addresses of one article, of which one has more parameters? Where the texts are the same, the path alone tells.
fn is_variant(one: &Url, other: &Url, same: bool) -> bool {
    let parameters = |url: &Url| url.query_pairs().into_owned().collect::<BTreeSet<_>>();
    let (a, b) = (parameters(one), parameters(other));
    one.path() == other.path() && (same || a.is_subset(&b) || b.is_subset(&a))
}

/// Does an article read like another one whose address its page names as its own: by its title, or by its text? Else
/// one wrong link in a site's template would make all of its articles one. What cannot be compared is believed. Where it
/// `is_doubtful` that the address is an article's, the text alone tells: columns have one title for all that they print.
pub(in crate::crawl) fn resembles(
    store: &dyn Store,
    copies: &Copies,
    record: &ArticleRecord,
    print: &Print,
    other: UrlKey,
    is_doubtful: bool,
) -> Result<bool> {
    let Some(before) = store.article(other)? else { return Ok(true) };
    let title = |record: &ArticleRecord| {
        let title = &record.article.title.as_ref()?.value;
        Some(title.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>())
    };
    let titles = title(&before).zip(title(record));
    if !is_doubtful && titles.as_ref().is_some_and(|(before, now)| before == now) {
        return Ok(true);
    }
    Ok(match copies.search.print(other, before.published.at) {
        Some(theirs) => sim(&theirs.vector, &print.vector) >= VERSION,
        None => !is_doubtful && titles.is_none(),
    })
}

/// Texts of one article, written on, are at least so alike; those of two articles of an outlet seldom are.
const VERSION: f64 = 0.5;
/// Texts that are less alike are not the same.
const ALIKE: f64 = 0.999;
/// With so many texts at most an article is compared: who prints one text under ever more titles has its articles
/// counted, and everybody's wait for none of them.
const COMPARED: usize = 64;
/// Excerpts that one article is linked with, at most.
const EXCERPTS: usize = 16;
/// Comparisons with articles of its own outlet that cost an article nothing.
const FREE: u64 = 64;
/// Words that cost an article nothing in comparisons with others' articles: 500 outlets may have printed 500 before.
const FREE_WORDS: u64 = 1 << 18;

/// What comparing an article `with` others has cost, on the account of whoever listed it: each of its words a byte for each
/// article of its outlet beyond some, and for each of others beyond so many words. (Of what is made up of the words that
/// all texts have, thousands of those must be read in full.) What only others have named counts as theirs alone.
pub(in crate::crawl) fn cost(
    batch: &mut dyn Batch,
    record: &ArticleRecord,
    print: &Print,
    with: &HashSet<UrlKey>,
) -> Result<u64> {
    let (all, words) = (with.len() as u64, print.vector.len());
    if all <= FREE && all.saturating_mul(words) <= FREE_WORDS {
        return Ok(0);
    }
    let hearsay = batch.url(record.key)?.is_some_and(|entry| entry.foreign);
    let keys: Vec<UrlKey> = with.iter().copied().collect();
    let own = if hearsay { all } else { batch.of_outlet(&keys, &record.outlet)? };
    let others = all.saturating_sub(own).saturating_mul(words).saturating_sub(FREE_WORDS);
    Ok(own.saturating_sub(FREE).saturating_mul(words).saturating_add(others))
}

/// Adds an article to those that later ones are compared with. Says how it joins the stories of its
/// copies, and which texts it stands in or has standing in it: of each other story one, the nearest.
pub(in crate::crawl) fn join<K: Known<Error = StoreError>>(
    known: &mut K,
    copies: &mut Copies,
    record: &ArticleRecord,
    print: Print,
) -> Result<(Joining, Vec<Excerpt>)> {
    let found = copies.search.near(record.key, record.published.at, &print);
    join_found(known, copies, record, print, found)
}

/// The same with what the search has found.
pub(in crate::crawl) fn join_found<K: Known<Error = StoreError>>(
    known: &mut K,
    copies: &mut Copies,
    record: &ArticleRecord,
    print: Print,
    found: Found,
) -> Result<(Joining, Vec<Excerpt>)> {
    let Published { at, .. } = record.published;
    let own = Rank { at, first_seen: record.first_seen, key: record.key };
    copies.search.insert(record.key, at, print);
    let drifted = |a: Rank, b: Rank| copies.search.drifted((a.key, a.at), (b.key, b.at));
    let joining = stories::join(known, own, &found.copies, &found.patterns, drifted)?;
    let mut linked: BTreeSet<UrlKey> = joining.stories.iter().copied().collect();
    let mut excerpts = Vec::new();
    for Contained { key, part, share } in found.excerpts {
        let Some((story, _)) = known.member(key)? else { continue };
        if excerpts.len() < EXCERPTS && linked.insert(story) {
            let (part, whole) = if part { (record.key, key) } else { (key, record.key) };
            excerpts.push(Excerpt { part, whole, share: share as f32 });
        }
    }
    Ok((joining, excerpts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An article whose name is its query ended as known by another one, if the two read much alike.
    #[test]
    fn parameters_that_are_exchanged_name_another_article() {
        let check = |one: &str, other: &str, same, variant: bool| {
            let url = |path: &str| Url::parse("https://a.example").unwrap().join(path).unwrap();
            assert_eq!(is_variant(&url(one), &url(other), same), variant, "{one} {other} {same}");
            assert_eq!(is_variant(&url(other), &url(one), same), variant, "{other} {one} {same}");
        };
        check("/?p=5", "/?p=6", false, false);
        check("/index.php?id=5", "/index.php?id=6&v=1", false, false);
        check("/live?v=1", "/live?id=1", false, false);
        check("/live?v=1", "/live", false, true);
        check("/index.php?id=5", "/index.php?x=1&id=5", false, true);
        check("/live?v=1", "/live?v=2", true, true);
        check("/n/5", "/n/6", true, false);
    }
}

//! Articles and stories: lists for tables, and one of each in full.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::place::Place;
use crate::dedupe::sentences::{self, Change};
use crate::mention;
use crate::model::*;
use crate::store::{Filter, Result, Store, visit};

/// The stories of a brand that so many articles count at most are found by its rows; those of others among the
/// largest stories, and then by its rows. Fewer where tests are to see both.
const RARE: i64 = if cfg!(debug_assertions) { 2 } else { 1_000 };

/// Filters of [`articles`] and [`stories`]; `None` = any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArticlesQuery {
    /// Only articles that count this brand.
    pub brand: Option<String>,
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub outlet: Option<String>,
    pub language: Option<String>,
    /// Also articles that mention the brand nowhere but in zones that are not counted.
    #[serde(default)]
    pub suppressed: bool,
    /// Only what stands behind this line.
    #[serde(default)]
    pub after: Option<Place>,
    /// 0 = all.
    pub limit: usize,
}

/// One article in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArticleLine {
    pub key: UrlKey,
    pub day: Day,
    pub outlet: String,
    pub language: Option<String>,
    pub title: String,
    pub url: String,
    pub story: Option<UrlKey>,
    /// Articles in the same story.
    pub copies: u64,
    pub original: bool,
    /// What our own sightings say of its date.
    #[serde(default)]
    pub sighting: Sighting,
    /// Characters of the text.
    pub characters: usize,
    /// Brand → counted.
    pub mentions: BTreeMap<String, u32>,
    /// Brand → found in zones that are not counted.
    #[serde(default)]
    pub suppressed: BTreeMap<String, u32>,
    /// Brands that it names more often than any article of its length: their mentions stop at a cap.
    #[serde(default)]
    pub stuffed: Vec<String>,
}

/// One article with all that is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArticleView {
    pub record: ArticleRecord,
    /// Of each of its blocks, in page order.
    #[serde(default)]
    pub zones: Vec<Zone>,
    pub mentions: Vec<MentionRow>,
    pub story: Option<Story>,
    /// Longer articles that it stands in, and shorter ones that stand in it.
    #[serde(default)]
    pub excerpts: Vec<ExcerptLine>,
}

/// A link between an excerpt and the longer article that it stands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExcerptLine {
    pub part: UrlKey,
    pub whole: UrlKey,
    /// Share of the part's terms that the whole has.
    pub share: f32,
    /// Outlet, title and URL of the other article.
    pub outlet: String,
    pub title: String,
    pub url: String,
}

/// One story in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryLine {
    pub id: UrlKey,
    pub day: Day,
    pub title: String,
    /// Outlet of the original.
    pub outlet: String,
    pub articles: usize,
    pub outlets: usize,
    /// Between first and last publication, milliseconds.
    pub span: Millis,
    pub series: bool,
    /// Of one pattern with another article that is no copy.
    #[serde(default)]
    pub pattern: bool,
    pub brands: Vec<String>,
    /// Links of its members with excerpts and longer articles.
    #[serde(default)]
    pub excerpts: usize,
}

/// One story with its members' titles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryView {
    pub story: Story,
    /// Per member, in the story's order: title and final URL.
    pub titles: Vec<(String, String)>,
    /// Per member: how exactly its date was printed.
    #[serde(default)]
    pub precisions: Vec<Precision>,
    /// For the members asked for: their text against the original's.
    #[serde(default)]
    pub diffs: Vec<Diff>,
    /// Links of its members with excerpts and longer articles.
    #[serde(default)]
    pub excerpts: Vec<ExcerptLine>,
}

/// A member's text compared with the original's, sentence by sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Diff {
    /// The member.
    pub key: UrlKey,
    pub changes: Vec<Change>,
    /// Share of its terms that stand in sentences of the original, word for word.
    pub taken: f64,
    /// Share of the original's terms that stand in its sentences, word for word.
    pub kept: f64,
}

fn title_of(record: &ArticleRecord) -> String {
    record
        .article
        .title
        .as_ref()
        .map(|t| t.value.clone())
        .or_else(|| record.feed_title.clone())
        .unwrap_or_default()
}

/// Articles by publication day, newest last.
pub fn articles(store: &dyn Store, query: &ArticlesQuery) -> Result<Vec<ArticleLine>> {
    let from = query.from.max(query.after.map(|place| place.day));
    let passed = |day, key| query.after.is_some_and(|place| !place.before_article(day, key));
    let mut lines = Vec::new();
    let mut push = |record: ArticleRecord| -> Result<ControlFlow<()>> {
        lines.push(line(store, record)?);
        let full = query.limit > 0 && lines.len() >= query.limit;
        Ok(if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    if query.brand.is_some() {
        // The rows of one brand are fewer than the articles, and stand in the same order.
        let rows = Filter { from, ..filter(query) };
        visit(
            |each| store.mention_rows(&rows, each),
            |row: MentionRow| {
                if row.counted == 0 && !query.suppressed || passed(row.day, row.article) {
                    return Ok(ControlFlow::Continue(()));
                }
                store.article(row.article)?.map_or(Ok(ControlFlow::Continue(())), &mut push)
            },
        )?;
    } else {
        visit(
            |each| store.articles(from, query.to, each),
            |record: ArticleRecord| {
                let language = record.article.language.as_ref().map(|l| &l.value);
                if passed(record.published.day, record.key)
                    || query.outlet.as_ref().is_some_and(|o| *o != record.outlet)
                    || query.language.as_ref().is_some_and(|l| Some(l) != language)
                {
                    return Ok(ControlFlow::Continue(()));
                }
                push(record)
            },
        )?;
    }
    Ok(lines)
}

fn filter(query: &ArticlesQuery) -> Filter {
    Filter {
        brand: query.brand.clone(),
        from: query.from,
        to: query.to,
        outlet: query.outlet.clone(),
        language: query.language.clone(),
    }
}

pub(super) fn line(store: &dyn Store, record: ArticleRecord) -> Result<ArticleLine> {
    let story = store.story_head_of(record.key)?;
    let mut mentions = BTreeMap::new();
    let mut suppressed = BTreeMap::new();
    let mut stuffed = Vec::new();
    for row in store.mentions_of(record.key)? {
        if row.mentions.iter().any(|mention| mention.zone == Zone::Stuffed) {
            stuffed.push(row.brand.clone());
        }
        if row.suppressed > 0 {
            suppressed.insert(row.brand.clone(), row.suppressed);
        }
        if row.counted > 0 {
            mentions.insert(row.brand, row.counted);
        }
    }
    Ok(ArticleLine {
        key: record.key,
        day: record.published.day,
        outlet: record.outlet.clone(),
        language: record.article.language.as_ref().map(|l| l.value.clone()),
        title: title_of(&record),
        url: record.final_url.clone(),
        copies: story.as_ref().map_or(0, |s| s.articles.saturating_sub(1)),
        original: story.as_ref().is_none_or(|s| s.original.rank.key == record.key),
        sighting: record.sighting,
        story: story.map(|s| s.id),
        characters: record.article.text.chars().count(),
        mentions,
        suppressed,
        stuffed,
    })
}

/// One article, by key: its own, or that of an address that its page names as its own, where no article stands.
pub fn show(store: &dyn Store, key: UrlKey) -> Result<Option<ArticleView>> {
    let found = match store.article(key)? {
        Some(record) => Some(record),
        None => store.article(key.named())?,
    };
    let Some(record) = found else { return Ok(None) };
    let key = record.key;
    Ok(Some(ArticleView {
        zones: mention::zones(&record.article),
        mentions: store.mentions_of(key)?,
        story: store.story_of(key)?,
        excerpts: excerpts(store, &[key])?,
        record,
    }))
}

/// The links of these articles, largest share first.
fn excerpts(store: &dyn Store, articles: &[UrlKey]) -> Result<Vec<ExcerptLine>> {
    let mut lines = Vec::new();
    for article in articles {
        for Excerpt { part, whole, share } in store.excerpts_of(*article)? {
            let other = if part == *article { whole } else { part };
            let Some(record) = store.article(other)? else { continue };
            let (outlet, title) = (record.outlet.clone(), title_of(&record));
            lines.push(ExcerptLine { part, whole, share, outlet, title, url: record.final_url });
        }
    }
    lines.sort_by(|a, b| {
        b.share.total_cmp(&a.share).then((a.whole, a.part).cmp(&(b.whole, b.part)))
    });
    Ok(lines)
}

/// Stories with at least one member in the days asked for, which counts the brand if one is named; most
/// carried first. The language is that of the original.
pub fn stories(store: &dyn Store, query: &ArticlesQuery) -> Result<Vec<StoryLine>> {
    let (days, brand) = ((query.from, query.to), query.brand.as_ref());
    let asked = |member: &Member| {
        query.from.is_none_or(|from| from <= member.day)
            && query.to.is_none_or(|to| member.day <= to)
            && brand.is_none_or(|brand| member.brands.contains(brand))
    };
    // Whole stories are many rows: of all that there are only those are read that may be shown.
    let mut lines = Vec::new();
    let take = |head: StoryHead| -> Result<_> {
        let Some(story) = store.story(head.id)? else { return Ok(ControlFlow::Continue(())) };
        let outlet = |name: &String| story.members.iter().any(|member| member.outlet == *name);
        if query.outlet.as_ref().is_none_or(outlet) && story.members.iter().any(asked) {
            lines.extend(story_line(store, &story, query.language.as_ref())?);
        }
        let enough = query.limit > 0 && lines.len() >= query.limit;
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    match brand {
        Some(brand) => visit(|each| of_brand(store, query, brand, each), take)?,
        None => visit(|each| store.largest_stories(days, query.behind(), each), take)?,
    }
    Ok(lines)
}

impl ArticlesQuery {
    /// Articles, day and id of the story behind which the list goes on.
    fn behind(&self) -> Option<(u64, Day, UrlKey)> {
        self.after.map(|place| (place.size(), place.day, place.key))
    }
}

/// The heads of the stories that may count a brand in the days asked for, in the order of [`stories`]: all of
/// them that do, and others.
fn of_brand(
    store: &dyn Store,
    query: &ArticlesQuery,
    brand: &str,
    each: &mut dyn FnMut(StoryHead) -> bool,
) -> Result<()> {
    let (brand, days) = (Some(brand.to_owned()), (query.from, query.to));
    let filter = Filter { brand, from: query.from, to: query.to, ..Filter::default() };
    let behind = |head: &StoryHead| {
        query.after.is_none_or(|place| place.before_story(head.articles, head.day, head.id))
    };
    let articles: i64 = store.tallies(&filter)?.iter().map(|(_, _, tally)| tally.articles).sum();
    let (mut heads, mut seen) = (Vec::new(), HashSet::new());
    if articles > RARE {
        let mut enough = false;
        store.largest_stories(days, query.behind(), &mut |head| {
            enough = head.articles > 1 && !each(head.clone());
            head.articles > 1 && !enough
        })?;
        if enough {
            return Ok(());
        }
    }
    visit(
        |row| store.mention_rows(&filter, row),
        |row: MentionRow| -> Result<_> {
            let head = (row.counted > 0).then(|| store.story_head_of(row.article)).transpose()?;
            let Some(head) = head.flatten().filter(behind) else {
                return Ok(ControlFlow::Continue(()));
            };
            if articles <= RARE {
                heads.extend(seen.insert(head.id).then_some(head));
            } else if head.articles == 1 && !each(head) {
                // Those of one article stand in the order of the rows.
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    heads.sort_by_key(|head: &StoryHead| (Reverse(head.articles), head.day, head.id));
    heads.into_iter().all(each);
    Ok(())
}

/// `None` for a story whose original is not in the language asked for.
fn story_line(
    store: &dyn Store,
    story: &Story,
    language: Option<&String>,
) -> Result<Option<StoryLine>> {
    let Some(first) = story.members.first() else { return Ok(None) };
    let published = || story.members.iter().map(|member| member.at);
    let span = published().max().unwrap_or(first.at) - published().min().unwrap_or(first.at);
    let original = store.article(first.key)?;
    let spoken = original.as_ref().and_then(|r| r.article.language.as_ref()).map(|l| &l.value);
    if language.is_some() && language != spoken {
        return Ok(None);
    }
    let title = original.as_ref().map(title_of).unwrap_or_default();
    let mut excerpts = 0;
    for member in &story.members {
        excerpts += store.excerpts_of(member.key)?.len();
    }
    let distinct = |names: Vec<&String>| {
        let mut names: Vec<String> = names.into_iter().cloned().collect();
        names.sort();
        names.dedup();
        names
    };
    Ok(Some(StoryLine {
        id: story.id,
        day: first.day,
        title,
        outlet: first.outlet.clone(),
        articles: story.members.len(),
        outlets: distinct(story.members.iter().map(|m| &m.outlet).collect()).len(),
        span,
        series: story.series,
        pattern: story.pattern,
        brands: distinct(story.members.iter().flat_map(|m| &m.brands).collect()),
        excerpts,
    }))
}

/// One story, by its id, an alias of it, or the key of any member.
pub fn show_story(store: &dyn Store, id: UrlKey) -> Result<Option<StoryView>> {
    let story = match store.story(id)? {
        Some(story) => Some(story),
        None => store.story_of(id)?,
    };
    let Some(story) = story else { return Ok(None) };
    let (mut titles, mut precisions) = (Vec::new(), Vec::new());
    for member in &story.members {
        let record = store.article(member.key)?;
        precisions.push(record.as_ref().map_or(Precision::Instant, |r| r.published.precision));
        titles.push(record.map_or_else(Default::default, |r| (title_of(&r), r.final_url)));
    }
    let keys: Vec<UrlKey> = story.members.iter().map(|member| member.key).collect();
    let excerpts = excerpts(store, &keys)?;
    Ok(Some(StoryView { story, titles, precisions, diffs: Vec::new(), excerpts }))
}

/// The texts of the copies compared with the original's, in the story's order; only that of `only`,
/// if given.
pub fn diffs(store: &dyn Store, story: &Story, only: Option<UrlKey>) -> Result<Vec<Diff>> {
    // A text that has left by age is no text to compare with.
    let text = |m: &Member| -> Result<Option<String>> {
        let record = store.article(m.key)?;
        Ok(record.map(|r| r.article.text).filter(|text| !text.is_empty()))
    };
    let Some((first, copies)) = story.members.split_first() else { return Ok(Vec::new()) };
    let Some(original) = text(first)? else { return Ok(Vec::new()) };
    let mut diffs = Vec::new();
    for member in copies.iter().filter(|m| only.is_none_or(|only| m.key == only)) {
        let Some(copy) = text(member)? else { continue };
        diffs.push(Diff {
            key: member.key,
            changes: sentences::diff(&original, &copy),
            taken: sentences::contained(&copy, &original),
            kept: sentences::contained(&original, &copy),
        });
    }
    Ok(diffs)
}

//! Search: the articles that have what is looked for, by day beside the counts of the brands, the newest in
//! context. The index tells which they are; all else is the store's.
//!
//! Must not know: how the index lies on disk, how answers are printed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::articles::{ArticleLine, line};
use super::place::Place;
use super::unanswered::Answered;
use crate::mention;
use crate::model::*;
use crate::search::{self, Context, Filter as Wished, Search, State, Wanted};
use crate::store::{Filter, Result, Store, visit};
use crate::words::{self, Language, Said};

/// Most lines of an answer: each is read from the store.
const MOST: usize = 500;
/// Pieces of an article that are shown.
const PIECES: usize = 2;

/// What is looked for, and in which articles. `None` = any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchQuery {
    /// Words, "phrases", AND, OR, NOT, NEAR/n, `title:` (docs/search.md).
    pub text: String,
    /// Title, lead or body: where words stand that name no zone.
    pub zone: Option<Zone>,
    /// Only articles that count this brand.
    pub brand: Option<String>,
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub outlet: Option<String>,
    pub language: Option<String>,
    /// Only what stands behind this line.
    pub after: Option<Place>,
    /// Most lines; 0 = none.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchView {
    /// Articles that have what was looked for, shown or not.
    pub articles: u64,
    /// Days with such an article, or with one that counts a watched brand.
    pub days: Vec<SearchDay>,
    /// The newest, by day, the latest first.
    pub hits: Vec<Hit>,
    /// What `after` of the next page is.
    pub next: Option<String>,
    /// There are more.
    pub truncated: bool,
    /// How far the index is.
    #[serde(flatten)]
    pub state: State,
}

/// One day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchDay {
    pub day: Day,
    /// Articles that were found.
    pub articles: u64,
    /// Brand → articles that count it, found or not.
    pub brands: BTreeMap<String, i64>,
}

/// One article in context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    #[serde(flatten)]
    pub line: ArticleLine,
    pub context: Vec<Context>,
}

/// Finds articles.
pub fn search(store: &dyn Store, index: &Search, query: &SearchQuery) -> Answered<SearchView> {
    let wanted =
        search::read(&query.text, &search::zones(query.zone)).map_err(search::Failed::from)?;
    let rows = Filter {
        brand: query.brand.clone(),
        from: query.from,
        to: query.to,
        outlet: query.outlet.clone(),
        language: query.language.clone(),
    };
    let wished = Wished {
        from: query.from,
        to: query.to,
        outlet: query.outlet.clone(),
        language: query.language.clone(),
        among: query.brand.as_ref().map(|_| counting(store, &rows)).transpose()?,
        after: query.after.map(|place| (place.day, place.key)),
        limit: query.limit.min(MOST),
    };
    let (found, state) = index.find(store, &wanted, &wished)?;
    let mut days: BTreeMap<Day, SearchDay> = BTreeMap::new();
    let new = |day| SearchDay { day, articles: 0, brands: BTreeMap::new() };
    for (day, articles) in &found.days {
        days.entry(*day).or_insert_with(|| new(*day)).articles = *articles;
    }
    for (brand, day, tally) in store.tallies(&rows)? {
        if tally.articles != 0 {
            days.entry(day).or_insert_with(|| new(day)).brands.insert(brand, tally.articles);
        }
    }
    let (mut hits, mut effort) = (Vec::new(), search::EFFORT);
    for (_, key) in &found.first {
        // One that has been forgotten since leaves the index in a moment.
        let Some(record) = store.article(*key)? else { continue };
        let context = search::contexts(&record.article, &wanted, PIECES, &mut effort);
        hits.push(Hit { line: line(store, record)?, context });
    }
    let last = found.first.last().filter(|_| found.more);
    let next = last.map(|(day, key)| Place { articles: None, day: *day, key: *key }.to_string());
    Ok(SearchView {
        articles: found.articles,
        days: days.into_values().collect(),
        hits,
        next,
        truncated: found.more,
        state,
    })
}

/// The articles that count a brand.
fn counting(store: &dyn Store, rows: &Filter) -> Result<search::Among> {
    let mut keys = search::Among::new();
    visit(
        |each| store.mention_rows(rows, each),
        |row: MentionRow| {
            if row.counted > 0 {
                keys.insert(row.article);
            }
            Result::Ok(ControlFlow::Continue(()))
        },
    )?;
    Ok(keys)
}

/// Which past a brand would have that is not watched yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EstimateQuery {
    pub brand: Brand,
    pub from: Option<Day>,
    pub to: Option<Day>,
}

/// About how many articles name a brand, by day. The exact count is that of a dry run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub brand: String,
    pub articles: u64,
    pub days: Vec<EstimateDay>,
    /// What of the brand the estimate leaves out, in sentences.
    pub left_out: Vec<String>,
    /// The same sentences, for other languages.
    #[serde(default)]
    pub said: Vec<Said>,
    #[serde(flatten)]
    pub state: State,
}

/// One day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateDay {
    pub day: Day,
    pub articles: u64,
}

/// Could this name be a part of a number or sum: `3M`, `Channel 4`?
fn in_number(name: &str) -> bool {
    let name = name.trim();
    name.starts_with(char::is_numeric) || name.ends_with(char::is_numeric)
}

/// Estimates a brand's past: articles with its name or another of its names, whatever the letter case.
///
/// # Errors
/// The brand cannot be watched as it is given.
pub fn estimate(store: &dyn Store, index: &Search, query: &EstimateQuery) -> Answered<Estimate> {
    let brand = &query.brand;
    mention::brands::check(std::slice::from_ref(brand), &store.brand_set()?.brands)?;
    let any = |names: &[&String]| {
        let named = names.iter().filter_map(|text| search::name(text));
        Wanted::Any(named.map(|near| Wanted::Words(search::zones(None), near)).collect())
    };
    let names: Vec<&String> = std::iter::once(&brand.name).chain(&brand.aliases).collect();
    let mut wanted = vec![any(&names)];
    if !brand.require.is_empty() {
        wanted.push(any(&brand.require.iter().collect::<Vec<_>>()));
    }
    let wanted = Wanted::All(wanted);
    let mut total: BTreeMap<Day, u64> = BTreeMap::new();
    let mut state = State::default();
    // Each once, as articles have it: an article has one language.
    let languages: BTreeSet<String> =
        brand.languages.iter().map(|language| language.to_ascii_lowercase()).collect();
    let languages: Vec<Option<String>> = match languages.is_empty() {
        true => vec![None],
        false => languages.into_iter().map(Some).collect(),
    };
    for language in languages {
        let wished = Wished { from: query.from, to: query.to, language, ..Wished::default() };
        let (found, now) = index.find(store, &wanted, &wished)?;
        state = now;
        for (day, articles) in found.days {
            *total.entry(day).or_default() += articles;
        }
    }
    let left_out = [
        (brand.case != CaseRule::Any, "estimate.left.case"),
        (!brand.exclude.is_empty(), "estimate.left.exclude"),
        (brand.whole_word && names.iter().any(|name| in_number(name)), "estimate.left.number"),
        (!brand.whole_word, "estimate.left.parts"),
        (!brand.inflect.is_empty(), "estimate.left.inflect"),
        (!brand.require.is_empty() && brand.within > 0, "estimate.left.within"),
    ];
    let left_out = left_out.into_iter().filter(|(so, _)| *so);
    let said: Vec<Said> = left_out.map(|(_, name)| words::said(name)).collect();
    Ok(Estimate {
        brand: brand.name.clone(),
        articles: total.values().sum(),
        days: total.into_iter().map(|(day, articles)| EstimateDay { day, articles }).collect(),
        left_out: said.iter().map(|said| Language::En.say(said)).collect(),
        said,
        state,
    })
}

//! The articles that a rule is about: those that count a brand, have what is looked for, or both.
//!
//! Must not know: which of them are news, when a rule is met.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::model::*;
use crate::query::unanswered::{Answered, Unanswered};
use crate::search::{self, Among, Filter as Wished, Search};
use crate::store::{Filter, Result, Store, visit};

/// First sights that are remembered at most, between one judgement and the next.
const REMEMBERED: usize = 1_000_000;
/// Articles that a query may find: each is read once.
const MOST: usize = 100_000;

/// What of articles is asked for again and again, and does not change.
#[derive(Debug, Default)]
pub struct Sights {
    seen: HashMap<UrlKey, Millis>,
    found: HashMap<UrlKey, Row>,
}

impl Sights {
    /// When an article was first seen.
    pub fn of(&mut self, store: &dyn Store, article: UrlKey) -> Result<Option<Millis>> {
        if let Some(known) = self.seen.get(&article) {
            return Ok(Some(*known));
        }
        let found = store.url(article)?.map(|url| url.first_seen);
        if let Some(at) = found {
            if self.seen.len() >= REMEMBERED {
                self.seen.clear();
            }
            self.seen.insert(article, at);
        }
        Ok(found)
    }

    /// An article that a query has found.
    fn row(&mut self, store: &dyn Store, article: UrlKey) -> Result<Option<Row>> {
        if let Some(known) = self.found.get(&article) {
            return Ok(Some(known.clone()));
        }
        // One that has been forgotten since leaves the index in a moment.
        let Some(record) = store.article(article)? else { return Ok(None) };
        let row = Row {
            article,
            day: record.published.day,
            outlet: record.outlet,
            language: record.article.language.map(|found| found.value),
            backlog: record.backlog,
            brand: None,
            headline: false,
        };
        if self.found.len() >= MOST {
            self.found.clear();
        }
        self.found.insert(article, row.clone());
        Ok(Some(row))
    }
}

/// An article that a rule is about; one that counts several of its brands has a row for each.
#[derive(Clone, Debug)]
pub struct Row {
    pub article: UrlKey,
    pub day: Day,
    pub outlet: String,
    pub language: Option<String>,
    pub backlog: bool,
    pub brand: Option<String>,
    /// The brand stands in its headline; without a brand, what is looked for.
    pub headline: bool,
}

/// How far the index for search is, for rules with a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Index {
    /// All that is committed is in it, or nobody asks it.
    #[default]
    Whole,
    /// The latest articles are not in it yet.
    Behind,
    /// It is being made: what it lacks is not known, and no row was given.
    Building,
}

/// Gives the rows of a rule, of articles since a day.
///
/// # Errors
/// There is no index for the rule's query, it is not well written, or in too many articles.
pub fn each(
    store: &dyn Store,
    index: &Search,
    rule: &AlertRule,
    sights: &mut Sights,
    from: Option<Day>,
    mut each: impl FnMut(Row) -> Result<()>,
) -> Answered<Index> {
    let Some(query) = &rule.query else {
        counting(store, rule, from, None, each)?;
        return Ok(Index::Whole);
    };
    // Beside brands it is the brand that has to stand in the headline.
    let in_title = rule.when == When::Headline && rule.brands.is_empty();
    let zones = search::zones(in_title.then_some(Zone::Title));
    let wanted = search::read(query, &zones).map_err(search::Failed::from)?;
    let wished = Wished {
        from,
        outlet: rule.outlet.clone(),
        language: rule.language.clone(),
        limit: MOST,
        ..Wished::default()
    };
    let (found, state) = index.find(store, &wanted, &wished)?;
    if found.more {
        return Err(Unanswered::TooCommon { query: query.clone(), most: MOST });
    }
    let keys = found.first.into_iter().map(|(_, key)| key);
    if state.building.is_some() {
        return Ok(Index::Building);
    }
    if rule.brands.is_empty() {
        for key in keys {
            if let Some(row) = sights.row(store, key)? {
                each(Row { headline: in_title, ..row })?;
            }
        }
    } else {
        counting(store, rule, from, Some(keys.collect()), each)?;
    }
    Ok(if state.behind > 0 { Index::Behind } else { Index::Whole })
}

/// Articles that count a brand of the rule, of all or of some.
fn counting(
    store: &dyn Store,
    rule: &AlertRule,
    from: Option<Day>,
    among: Option<Among>,
    mut each: impl FnMut(Row) -> Result<()>,
) -> Result<()> {
    for brand in &rule.brands {
        let filter = Filter {
            brand: Some(brand.clone()),
            from,
            to: None,
            outlet: rule.outlet.clone(),
            language: rule.language.clone(),
        };
        visit(
            |each| store.mention_rows(&filter, each),
            |row: MentionRow| -> Result<_> {
                if row.counted > 0 && among.as_ref().is_none_or(|all| all.contains(&row.article)) {
                    each(Row {
                        article: row.article,
                        day: row.day,
                        outlet: row.outlet,
                        language: row.language,
                        backlog: row.backlog,
                        brand: Some(row.brand),
                        headline: row.mentions.iter().any(|mention| mention.zone == Zone::Title),
                    })?;
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
    }
    Ok(())
}

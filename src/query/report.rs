//! Everything that a report about one brand says, for a time: counts by day, outlet and language, beside
//! those of the other brands; the stories and articles behind them; how complete the days are, and what was
//! not counted.
//!
//! Must not know: how it is shown.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::articles::{ArticleLine, ArticlesQuery, StoryLine, articles, stories};
use super::changes::Change;
use super::coverage::{self, DayCoverage, Polled};
use super::notes::{NotesQuery, notes};
use super::series::{By, Line, MentionsQuery, mentions};
use super::time::day_zone;
use super::unanswered::{Answered, Unanswered, known_brand};
use crate::model::*;
use crate::store::{Filter, Store, visit};

/// Days that a report has where nothing else is asked for.
const USUAL: i64 = 30;
/// Longest report, days.
const LONGEST: i64 = 1_100;

/// What a report is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportQuery {
    pub brand: String,
    /// Default: so that the report has thirty days.
    pub from: Option<Day>,
    /// Default: today.
    pub to: Option<Day>,
}

/// The counts of one of all brands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voice {
    pub brand: String,
    pub stories: i64,
    pub articles: i64,
    pub mentions: i64,
}

/// Answer of [`report`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub brand: String,
    pub from: Day,
    pub to: Day,
    pub timezone: String,
    /// Version of the brand set that made the counts.
    pub brand_set: String,
    /// When it was made, and since when the brand is watched (UTC milliseconds).
    pub made: Millis,
    pub watched_since: Option<Millis>,
    /// Days on which the brand is mentioned anywhere.
    pub days: Vec<Line>,
    /// Every brand that is counted in these days, most articles first.
    pub voices: Vec<Voice>,
    pub outlets: Vec<Line>,
    pub languages: Vec<Line>,
    /// Stories in which a member counts the brand, most carried first.
    pub stories: Vec<StoryLine>,
    /// Articles that name the brand anywhere, by day.
    pub articles: Vec<ArticleLine>,
    /// Mentions that were not counted, by zone.
    pub suppressed: BTreeMap<String, u64>,
    /// Every day, mentions or not.
    pub coverage: Vec<DayCoverage>,
    /// By which these days together are as complete as they are.
    #[serde(default)]
    pub polled: Polled,
    /// Before and after these, counts do not compare.
    pub changes: Vec<Change>,
    /// What people have pinned to these days: about the brand, or about all.
    pub notes: Vec<Note>,
}

/// The report on a brand.
///
/// # Errors
/// The brand is not watched, the days are in the wrong order or too many, or the store fails.
pub fn report(store: &dyn Store, query: &ReportQuery, now: Millis) -> Answered<Report> {
    known_brand(store, Some(query.brand.as_str()))?;
    let to = match query.to {
        Some(to) => to,
        None => day_of(now, &day_zone(store)?),
    };
    let from = query.from.unwrap_or(to.saturating_sub(jiff::Span::new().days(USUAL - 1)));
    if from > to {
        return Err(Unanswered::Reversed { from, to });
    }
    let days = from.until(to).map_or(i64::MAX, |span| i64::from(span.get_days()) + 1);
    if days > LONGEST {
        return Err(Unanswered::TooLong { most: LONGEST });
    }
    let name = query.brand.as_str();
    let brand = Some(name.to_owned());
    let (first, last) = (Some(from), Some(to));
    let lines = |brand: &Option<String>, by: By| {
        let query = MentionsQuery { brand: brand.clone(), from: first, to: last, by };
        mentions(store, &query, now)
    };
    let all = lines(&None, By::Day)?;
    let mut voices: BTreeMap<String, Voice> = BTreeMap::new();
    for line in &all.lines {
        let voice = voices.entry(line.brand.clone()).or_default();
        voice.stories += line.stories;
        voice.articles += line.articles;
        voice.mentions += line.mentions;
    }
    let mut voices: Vec<Voice> =
        voices.into_iter().map(|(brand, voice)| Voice { brand, ..voice }).collect();
    voices.retain(|voice| voice.articles > 0 || voice.brand == name);
    voices.sort_by(|a, b| b.articles.cmp(&a.articles).then(a.brand.cmp(&b.brand)));
    let mut suppressed: BTreeMap<String, u64> = BTreeMap::new();
    let filter = Filter { brand: brand.clone(), from: first, to: last, ..Filter::default() };
    visit(
        |each| store.mention_rows(&filter, each),
        |row: MentionRow| -> crate::store::Result<_> {
            for mention in row.mentions.iter().filter(|mention| !mention.zone.counted()) {
                *suppressed.entry(mention.zone.name().to_owned()).or_default() += 1;
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let filter =
        ArticlesQuery { brand: brand.clone(), from: first, to: last, ..ArticlesQuery::default() };
    let (coverage, polled) = coverage::of_days(store, (from, to), now)?;
    Ok(Report {
        from,
        to,
        timezone: all.timezone,
        brand_set: all.brand_set,
        made: now,
        watched_since: all.watched_since.get(name).copied(),
        days: all.lines.into_iter().filter(|line| line.brand == name).collect(),
        voices,
        outlets: lines(&brand, By::Outlet)?.lines,
        languages: lines(&brand, By::Language)?.lines,
        stories: stories(store, &filter)?,
        articles: articles(store, &ArticlesQuery { suppressed: true, ..filter })?,
        suppressed,
        coverage,
        polled,
        changes: all.changes,
        notes: notes(store, &NotesQuery { brand, from: first, to: last })?,
        brand: name.to_owned(),
    })
}

//! The endpoints of the JSON API as data: path, parameters, answer. Router and OpenAPI document are
//! both made from this table.
//!
//! Must not know: connections, headers.

use serde::Serialize;
use serde_json::{Value, json};

use crate::crawl::{Engine, clock};
use crate::model::Day;
use crate::query::{self, ArticlesQuery, MentionsQuery};

use super::params::{Given, Param};
use super::problem::Problem;

/// One path of the API.
pub(super) struct Endpoint {
    pub path: &'static str,
    pub about: &'static str,
    pub params: &'static [Param],
    /// Default of `limit`, where it is a parameter.
    pub limit: usize,
    /// Name of the answer's schema.
    pub schema: &'static str,
    /// Blocks.
    pub answer: fn(&Engine, &Given) -> Result<Value, Problem>,
}

impl Endpoint {
    /// Does its path end in a key?
    pub(super) fn keyed(&self) -> bool {
        self.path.ends_with('}')
    }
}

/// Every endpoint.
pub(super) static ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/api/v1/mentions",
        about: "Counts per brand and day, week, outlet, language or feed",
        params: &[Param::Brand, Param::From, Param::To, Param::By, Param::Limit, Param::Offset],
        limit: 5_000,
        schema: "Mentions",
        answer: mentions,
    },
    Endpoint {
        path: "/api/v1/coverage",
        about: "How complete each day is; days without mentions too",
        params: &[Param::From, Param::To, Param::Outlet, Param::Limit],
        limit: 400,
        schema: "CoverageDays",
        answer: coverage,
    },
    Endpoint {
        path: "/api/v1/articles",
        about: "Articles by publication day, oldest first",
        params: &[
            Param::Brand,
            Param::Day,
            Param::From,
            Param::To,
            Param::Outlet,
            Param::Language,
            Param::Suppressed,
            Param::Limit,
            Param::Offset,
        ],
        limit: 100,
        schema: "Articles",
        answer: articles,
    },
    Endpoint {
        path: "/api/v1/articles/{key}",
        about: "One article: metadata, every block with its label, every mention with its zone",
        params: &[],
        limit: 0,
        schema: "ArticleView",
        answer: article,
    },
    Endpoint {
        path: "/api/v1/stories",
        about: "Stories with an article in the days asked for, most carried first",
        params: &[
            Param::Brand,
            Param::Day,
            Param::From,
            Param::To,
            Param::Outlet,
            Param::Limit,
            Param::Offset,
        ],
        limit: 100,
        schema: "Stories",
        answer: stories,
    },
    Endpoint {
        path: "/api/v1/stories/{id}",
        about: "One story, by its id or the key of any of its articles: original and copies",
        params: &[Param::Diff],
        limit: 0,
        schema: "StoryView",
        answer: story,
    },
    Endpoint {
        path: "/api/v1/feeds",
        about: "Feeds with interval, health and next poll",
        params: &[Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Feeds",
        answer: feeds,
    },
    Endpoint {
        path: "/api/v1/outlets",
        about: "Outlets with entries by outcome and polls, over days of arrival",
        params: &[Param::From, Param::To, Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Outlets",
        answer: outlets,
    },
    Endpoint {
        path: "/api/v1/brands",
        about: "The brands that are watched, and since when",
        params: &[],
        limit: 0,
        schema: "BrandSet",
        answer: brands,
    },
    Endpoint {
        path: "/api/v1/status",
        about: "Sizes, queue, outcomes, and what is wrong, in sentences",
        params: &[],
        limit: 0,
        schema: "Status",
        answer: status,
    },
];

/// `{ name: lines of the page asked for, truncated: are there more? }`
fn page<T: Serialize>(name: &str, lines: Vec<T>, given: &Given) -> Value {
    let truncated = lines.len() > given.offset.saturating_add(given.limit);
    let lines: Vec<Value> =
        lines.iter().skip(given.offset).take(given.limit).map(|line| json!(line)).collect();
    json!({ name: lines, "truncated": truncated })
}

/// As many as a query must find for [`page`] to tell whether there are more.
fn enough(given: &Given) -> usize {
    given.offset.saturating_add(given.limit).saturating_add(1)
}

fn known_brand(engine: &Engine, given: &Given) -> Result<(), Problem> {
    let Some(name) = &given.brand else { return Ok(()) };
    if engine.store.brand_set()?.brands.iter().any(|b| b.name == *name) {
        return Ok(());
    }
    let name: String = name.chars().take(80).collect();
    Err(Problem::bad(format!(
        "parameter `brand`: no brand is named `{name}`; /api/v1/brands lists them"
    )))
}

fn mentions(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    known_brand(engine, given)?;
    let query =
        MentionsQuery { brand: given.brand.clone(), from: given.from, to: given.to, by: given.by };
    let mut found = query::mentions(engine.store.as_ref(), &query, clock::now())?;
    let truncated = found.lines.len() > given.offset.saturating_add(given.limit);
    found.lines = found.lines.into_iter().skip(given.offset).take(given.limit).collect();
    let mut value = json!(found);
    value["truncated"] = json!(truncated);
    Ok(value)
}

fn coverage(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    let store = engine.store.as_ref();
    let now = clock::now();
    let today = today(engine, now);
    let to = given.to.unwrap_or(today);
    let from = match given.from {
        Some(from) => from,
        None => store.ledger(None, None)?.iter().filter_map(|row| row.day).min().unwrap_or(today),
    };
    let most = given.limit.saturating_add(1);
    let mut days = query::coverage_days(store, (from, to), given.outlet.as_deref(), most, now)?;
    let truncated = days.len() > given.limit;
    days.truncate(given.limit);
    Ok(json!({ "days": days, "today": today, "truncated": truncated }))
}

fn today(engine: &Engine, now: i64) -> Day {
    jiff::Timestamp::from_millisecond(now)
        .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
        .to_zoned(engine.zone.clone())
        .date()
}

fn filter(engine: &Engine, given: &Given) -> Result<ArticlesQuery, Problem> {
    known_brand(engine, given)?;
    Ok(ArticlesQuery {
        brand: given.brand.clone(),
        from: given.from,
        to: given.to,
        outlet: given.outlet.clone(),
        language: given.language.clone(),
        suppressed: given.suppressed,
        limit: enough(given),
    })
}

fn articles(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    let lines = query::articles(engine.store.as_ref(), &filter(engine, given)?)?;
    Ok(page("articles", lines, given))
}

fn article(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    let view = query::show(engine.store.as_ref(), given.key)?;
    view.map(|view| json!(view))
        .ok_or_else(|| Problem::not_found(format!("no article has the key {}", given.key)))
}

fn stories(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    let lines = query::stories(engine.store.as_ref(), &filter(engine, given)?)?;
    Ok(page("stories", lines, given))
}

fn story(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    let store = engine.store.as_ref();
    let mut view = query::show_story(store, given.key)?
        .ok_or_else(|| Problem::not_found(format!("no story has the id {}", given.key)))?;
    if let Some(member) = given.diff {
        if !view.story.members.iter().any(|m| m.key == member) {
            return Err(Problem::bad(format!(
                "parameter `diff`: {member} is no article of the story {}",
                view.story.id
            )));
        }
        view.diffs = query::diffs(store, &view.story, Some(member))?;
    }
    Ok(json!(view))
}

fn feeds(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    Ok(page("feeds", query::feeds(engine.store.as_ref())?, given))
}

fn outlets(engine: &Engine, given: &Given) -> Result<Value, Problem> {
    let lines = query::outlets(engine.store.as_ref(), given.from, given.to)?;
    Ok(page("outlets", lines, given))
}

fn brands(engine: &Engine, _: &Given) -> Result<Value, Problem> {
    Ok(json!(engine.store.brand_set()?))
}

fn status(engine: &Engine, _: &Given) -> Result<Value, Problem> {
    Ok(json!(query::status(engine.store.as_ref(), engine.archive_bytes(), clock::now())?))
}

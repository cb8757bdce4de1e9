//! Query parameters: which there are, how they are read, and the sentence when they cannot be.
//!
//! Must not know: what the answers are made of.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::model::*;
use crate::query::{By, LogPlace, Place};
use crate::search;
use crate::store::decision::Topic;
use crate::words::Language;

use super::problem::Problem;
use super::schema;

/// Most lines that one answer may have; `offset` reaches the rest.
pub(super) const MOST: usize = 10_000;
/// Largest offset: what is beyond it is better asked for by days.
const FARTHEST: usize = 1_000_000;

/// The part of a path that names something.
pub(super) struct Segment(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Segment, Problem> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        // Any other reason would be a slip of ours.
        read.map(|Path(name)| Segment(name))
            .map_err(|_| Problem::bad("the path is not text in UTF-8"))
    }
}

/// A query parameter. One name means the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param {
    Brand,
    Day,
    From,
    To,
    By,
    Outlet,
    Language,
    Spoken,
    Suppressed,
    Who,
    What,
    Query,
    Zone,
    Diff,
    Url,
    DryRun,
    AfterArticle,
    AfterStory,
    AfterDecision,
    Limit,
    Offset,
}

/// What the page of a report takes.
pub(super) const REPORT: [Param; 3] = [Param::From, Param::To, Param::Spoken];

/// What a question about days takes.
pub(super) const DAYS: [Param; 2] = [Param::From, Param::To];

impl Param {
    pub(super) fn name(self) -> &'static str {
        match self {
            Param::Brand => "brand",
            Param::Day => "day",
            Param::From => "from",
            Param::To => "to",
            Param::By => "by",
            Param::Outlet => "outlet",
            Param::Language | Param::Spoken => "language",
            Param::Suppressed => "suppressed",
            Param::Who => "who",
            Param::What => "what",
            Param::Query => "q",
            Param::Zone => "zone",
            Param::Diff => "diff",
            Param::Url => "url",
            Param::DryRun => "dry_run",
            Param::AfterArticle | Param::AfterStory | Param::AfterDecision => "after",
            Param::Limit => "limit",
            Param::Offset => "offset",
        }
    }

    /// What it does, for the OpenAPI document.
    pub(super) fn about(self) -> &'static str {
        match self {
            Param::Brand => "Name of a watched brand; default: all",
            Param::Day => "One day; not together with `from` and `to`",
            Param::From => "First day, inclusive; default: the earliest",
            Param::To => "Last day, inclusive; default: the latest",
            Param::By => "What a line stands for",
            Param::Outlet => "Registered domain of an outlet; default: all",
            Param::Language => "Language, BCP 47 primary subtag; default: all",
            Param::Spoken => "Language that the page is written in",
            Param::Suppressed => {
                "With `brand`: also articles that mention it only where mentions do not count"
            }
            Param::Who => "Name of a token or user; default: all",
            Param::What => "What decisions are about; default: all",
            Param::Query => {
                "What is looked for: words, \"phrases\", AND, OR, NOT, NEAR/n, `title:`"
            }
            Param::Zone => "Title, lead or body: where words stand that name no zone; default: all",
            Param::Diff => {
                "Key of an article of the story: its text against the original's, sentence by sentence"
            }
            Param::Url => "Where the page is from; tells outlet and date",
            Param::DryRun => "Only tell what would change",
            Param::AfterArticle | Param::AfterStory | Param::AfterDecision => {
                "`next` of the page before, with the same other parameters: no line comes twice, \
                 whatever is new meanwhile; not together with `offset`"
            }
            Param::Limit => "Most lines of the answer",
            Param::Offset => "Lines to leave out first",
        }
    }

    /// Is there no answer without it?
    pub(super) fn is_required(self) -> bool {
        self == Param::Query
    }

    /// Its JSON Schema; `limit` is the endpoint's default.
    pub(super) fn schema(self, limit: usize) -> Value {
        match self {
            Param::Brand | Param::Outlet | Param::Language | Param::Who => schema::named("Filled"),
            Param::Query => {
                json!({ "type": "string", "pattern": r"\S", "maxLength": search::LONGEST })
            }
            Param::Zone => json!({ "type": "string", "enum": ["title", "lead", "body"] }),
            Param::Spoken => {
                let tags = Language::ALL.map(Language::tag);
                json!({ "type": "string", "enum": tags, "default": Language::default().tag() })
            }
            Param::What => schema::named("Topic"),
            Param::Day | Param::From | Param::To => schema::named("Day"),
            Param::By => schema::named("By"),
            Param::Suppressed | Param::DryRun => json!({ "type": "boolean", "default": false }),
            Param::Url => json!({ "type": "string", "format": "uri" }),
            Param::AfterArticle => schema::named("AfterArticle"),
            Param::AfterStory => schema::named("AfterStory"),
            Param::AfterDecision => schema::named("AfterDecision"),
            Param::Diff => schema::named("UrlKey"),
            Param::Limit => {
                json!({ "type": "integer", "minimum": 1, "maximum": MOST, "default": limit })
            }
            Param::Offset => {
                json!({ "type": "integer", "minimum": 0, "maximum": FARTHEST, "default": 0 })
            }
        }
    }
}

/// The parameters of one request, read and checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    pub brand: Option<String>,
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub by: By,
    pub outlet: Option<String>,
    pub language: Option<String>,
    pub spoken: Language,
    pub suppressed: bool,
    pub who: Option<String>,
    pub what: Option<Topic>,
    pub query: String,
    pub zone: Option<Zone>,
    pub diff: Option<UrlKey>,
    pub url: Option<String>,
    pub dry_run: bool,
    pub place: Option<Place>,
    pub log_place: Option<LogPlace>,
    pub limit: usize,
    pub offset: usize,
    /// Of the path: a key, or another name.
    pub key: UrlKey,
    pub name: String,
}

/// Reads the parameters `known` where a request takes them; `limit` is that of a request without, `part`
/// the name and value of what stands in the path.
///
/// # Errors
/// 400 with a sentence that names the parameter: unknown, given twice, empty, missing, unreadable,
/// contradictory.
pub(super) fn read(
    known: &[Param],
    limit: usize,
    part: Option<(&str, &str)>,
    query: &str,
) -> Result<Given, Problem> {
    let mut given = Given { limit, ..Given::default() };
    match part {
        Some(("key" | "id", key)) => given.key = key.parse().map_err(Problem::bad)?,
        Some((_, name)) => given.name = name.to_owned(),
        None => {}
    }
    let mut seen = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let Some(param) = known.iter().find(|p| p.name() == name) else {
            let known: Vec<&str> = known.iter().map(|p| p.name()).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            let name: String = name.chars().take(40).collect();
            return Err(Problem::bad(format!(
                "there is no parameter `{name}` here; there are: {known}"
            )));
        };
        if seen.contains(param) {
            return Err(Problem::bad(format!("parameter `{name}` is given twice")));
        }
        if value.is_empty() {
            // A variable that a script left empty must not ask for everything.
            let sentence = format!("parameter `{name}` is empty: give it a value or leave it out");
            return Err(Problem::bad(sentence));
        }
        seen.push(*param);
        set(&mut given, *param, &value)?;
    }
    if let Some(missing) = known.iter().find(|p| p.is_required() && !seen.contains(p)) {
        return Err(Problem::bad(format!("parameter `{}` is missing", missing.name())));
    }
    let has = |param| seen.contains(&param);
    if has(Param::Day) && (has(Param::From) || has(Param::To)) {
        return Err(Problem::bad("parameter `day` does not go together with `from` and `to`"));
    }
    let walks = [Param::AfterArticle, Param::AfterStory, Param::AfterDecision];
    if has(Param::Offset) && walks.into_iter().any(has) {
        return Err(Problem::bad("parameter `after` does not go together with `offset`"));
    }
    if let (Some(from), Some(to)) = (given.from, given.to)
        && from > to
    {
        let sentence = format!("parameter `from` ({from}) is after parameter `to` ({to})");
        return Err(Problem::bad(sentence));
    }
    Ok(given)
}

fn set(given: &mut Given, param: Param, value: &str) -> Result<(), Problem> {
    let text = || value.to_string();
    match param {
        Param::Brand => given.brand = Some(text()),
        Param::Outlet => given.outlet = Some(text()),
        Param::Language => given.language = Some(text()),
        Param::Spoken => {
            let other = |_| unreadable(param, value, &Language::choice());
            given.spoken = value.parse().map_err(other)?;
        }
        Param::From => given.from = Some(day(param, value)?),
        Param::To => given.to = Some(day(param, value)?),
        Param::Day => {
            given.from = Some(day(param, value)?);
            given.to = given.from;
        }
        Param::By => {
            given.by = word(param, value, "day, week, outlet, language, feed, agency, zone")?
        }
        Param::Suppressed => given.suppressed = truth(param, value)?,
        Param::DryRun => given.dry_run = truth(param, value)?,
        Param::Url => given.url = Some(text()),
        Param::AfterArticle | Param::AfterStory => {
            let story = param == Param::AfterStory;
            let place: Place = named(param, value)?;
            if place.articles.is_some() != story {
                return Err(unreadable(param, value, "what `next` of such a list said"));
            }
            given.place = Some(place);
        }
        Param::AfterDecision => given.log_place = Some(named(param, value)?),
        Param::Who => given.who = Some(text()),
        Param::What => given.what = Some(named(param, value)?),
        Param::Query => given.query = text(),
        Param::Zone => given.zone = Some(zone(param, value)?),
        Param::Diff => given.diff = Some(named(param, value)?),
        Param::Limit => given.limit = count(param, value, 1, MOST)?,
        Param::Offset => given.offset = count(param, value, 0, FARTHEST)?,
    }
    Ok(())
}

/// A zone that can be searched.
fn zone(param: Param, value: &str) -> Result<Zone, Problem> {
    let zone: Zone = word(param, value, "title, lead, body")?;
    if zone.counted() {
        Ok(zone)
    } else {
        Err(unreadable(param, value, "one of title, lead, body"))
    }
}

fn truth(param: Param, value: &str) -> Result<bool, Problem> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(unreadable(param, value, "true or false")),
    }
}

/// A value that says itself what is wrong with it.
fn named<T: std::str::FromStr<Err = String>>(param: Param, value: &str) -> Result<T, Problem> {
    value.parse().map_err(|why| Problem::bad(format!("parameter `{}`: {why}", param.name())))
}

fn day(param: Param, value: &str) -> Result<Day, Problem> {
    crate::model::written_day(value)
        .map_err(|_| unreadable(param, value, "a day such as 2026-11-20"))
}

fn word<T: DeserializeOwned>(param: Param, value: &str, words: &str) -> Result<T, Problem> {
    serde_json::from_value(Value::String(value.to_string()))
        .map_err(|_| unreadable(param, value, &format!("one of {words}")))
}

fn count(param: Param, value: &str, least: usize, most: usize) -> Result<usize, Problem> {
    value
        .parse()
        .ok()
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| unreadable(param, value, &format!("a number from {least} to {most}")))
}

fn unreadable(param: Param, value: &str, wanted: &str) -> Problem {
    let value: String = value.chars().take(40).collect();
    Problem::bad(format!("parameter `{}`: `{value}` is not {wanted}", param.name()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::serve::http::endpoint::{ENDPOINTS, Endpoint};

    fn read(endpoint: &Endpoint, key: Option<&str>, query: &str) -> Result<Given, Problem> {
        super::read(endpoint.params, endpoint.limit, endpoint.part().zip(key), query)
    }

    fn of(path: &str) -> &'static Endpoint {
        ENDPOINTS.iter().find(|e| e.path == path).expect("an endpoint")
    }

    #[test]
    fn values_are_read() {
        let articles = of("/api/v1/articles");
        let given =
            read(articles, None, "brand=A%26B&day=2026-11-20&limit=7&suppressed=1").unwrap();
        let day = Some(Day::constant(2026, 11, 20));
        let expect = Given {
            brand: Some("A&B".into()),
            from: day,
            to: day,
            suppressed: true,
            limit: 7,
            ..Given::default()
        };
        assert_eq!(given, expect);
    }

    /// `to=` asked for every day, whatever a script's empty variable should have said.
    #[test]
    fn an_empty_value_asked_for_everything() {
        for endpoint in ENDPOINTS {
            let key = Some("00000000000000000000000000000001");
            for param in endpoint.params {
                let problem = read(endpoint, key, &format!("{}=", param.name())).unwrap_err();
                let words = format!("parameter `{}` is empty", param.name());
                assert!(format!("{problem:?}").contains(&words), "{problem:?}");
            }
        }
    }

    /// Time and zone were ignored.
    #[test]
    fn a_day_has_no_time() {
        for value in ["2026-11-09T10:00%2B05:00", "2026-11-09T10:00", "20261109", "2026-11-9"] {
            let problem = read(of("/api/v1/articles"), None, &format!("from={value}")).unwrap_err();
            assert!(problem.sentence().contains("is not a day such as 2026-11-20"), "{problem:?}");
        }
    }

    proptest! {
        #[test]
        fn any_query_is_read_or_refused(query in ".{0,80}", key in ".{0,40}") {
            for endpoint in ENDPOINTS {
                if let Ok(given) = read(endpoint, Some(key.as_str()), &query) {
                    prop_assert!(given.limit <= MOST && given.offset <= FARTHEST);
                }
            }
        }

        #[test]
        fn any_value_is_read_or_refused(
            name in "brand|day|from|to|by|outlet|language|suppressed|who|what|after|limit|offset",
            value in "[0-9a-z%+-]{0,24}",
        ) {
            for endpoint in ENDPOINTS {
                if let Ok(given) = read(endpoint, None, &format!("{name}={value}")) {
                    prop_assert!(given.limit <= MOST && given.offset <= FARTHEST);
                }
            }
        }
    }
}

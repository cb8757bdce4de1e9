//! The endpoints of the JSON API as data: path, parameters, the question that is asked, the form of its
//! answer. Router and OpenAPI document are both made from this table.
//!
//! Must not know: connections, headers, how questions are answered.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::model::Millis;
use crate::query::{
    self, Answered, ArticlesQuery, Asked, Compared, CoverageQuery, LogPlace, LogQuery,
    MentionsQuery, NotesQuery, Place, Question, ReviewQuery, SearchQuery,
};

use super::params::{Given, Param};

/// One path of the API.
pub(super) struct Endpoint {
    pub path: &'static str,
    pub about: &'static str,
    pub params: &'static [Param],
    /// Default of `limit`, where it is a parameter.
    pub limit: usize,
    /// Name of the answer's schema.
    pub schema: &'static str,
    /// What is asked. Lists are asked for one line more than is shown, which tells whether there are
    /// more.
    pub question: fn(&Given) -> Question,
    pub form: Form,
}

/// How the values of an answer become one JSON document.
pub(super) enum Form {
    /// The answer is one value, and the document.
    Whole,
    /// The same, and it has a version.
    Version(fn(&Value) -> String),
    /// The same as a list, and `next` says where it goes on (`after`), whatever comes meanwhile.
    Walk(&'static str, fn(&Given, &[Value]) -> Option<String>),
    /// The document has a list of this name, with a page of the answer's values.
    List(&'static str),
    /// The answer is one value, which has a list of this name; the document has a page of it.
    Within(&'static str),
}

impl Endpoint {
    /// The part of its path that names something, if there is one.
    pub(super) fn part(&self) -> Option<&'static str> {
        part(self.path)
    }

    /// The document for what is given, and the version that it is of, if it has one. Blocks.
    pub(super) fn answer(&self, asked: &Asked<'_>, given: &Given) -> Answered<Shown> {
        let mut page = Page { offset: given.offset, limit: given.limit, ..Page::default() };
        let mut whole = Value::Null;
        query::answer(asked, &(self.question)(given), &mut |value| match self.form {
            Form::List(_) | Form::Walk(..) => page.take(value),
            Form::Whole | Form::Version(_) | Form::Within(_) => {
                whole = value;
                ControlFlow::Break(())
            }
        })?;
        let name = match self.form {
            Form::Whole => return Ok(Shown { document: whole, version: None }),
            Form::Version(version) => {
                let version = Some(version(&whole));
                return Ok(Shown { document: whole, version });
            }
            Form::List(name) | Form::Walk(name, _) => {
                whole = json!({});
                name
            }
            Form::Within(name) => {
                if let Some(Value::Array(lines)) = whole.get_mut(name).map(Value::take) {
                    let _ = lines.into_iter().try_for_each(|line| page.take(line));
                }
                name
            }
        };
        let next = match self.form {
            Form::Walk(_, next) if page.truncated => Some(next(given, &page.lines)),
            Form::Walk(..) => Some(None),
            _ => None,
        };
        whole[name] = page.lines.into();
        if let Some(next) = next {
            whole["next"] = next.into();
        }
        whole["truncated"] = page.truncated.into();
        Ok(Shown { document: whole, version: None })
    }
}

/// An answer as it is shown.
pub(super) struct Shown {
    pub document: Value,
    /// Changes whenever the document does; one of its own, by which it can be named in `If-Match`.
    pub version: Option<String>,
}

/// The part of a path that names something.
pub(super) fn part(path: &'static str) -> Option<&'static str> {
    Some(path.split_once('{')?.1.split_once('}')?.0)
}

/// Every endpoint.
pub(super) static ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/api/v1/mentions",
        about: "Counts per brand and day, week, outlet, language or feed",
        params: &[Param::Brand, Param::From, Param::To, Param::By, Param::Limit, Param::Offset],
        limit: 5_000,
        schema: "Mentions",
        question: mentions,
        form: Form::Within("lines"),
    },
    Endpoint {
        path: "/api/v1/coverage",
        about: "How complete each day is; days without mentions too",
        params: &[Param::From, Param::To, Param::Outlet, Param::Limit],
        limit: 400,
        schema: "CoverageDays",
        question: coverage,
        form: Form::Within("days"),
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
            Param::AfterArticle,
        ],
        limit: 100,
        schema: "Articles",
        question: |given| Question::Articles(filter(given)),
        form: Form::Walk("articles", after_article),
    },
    Endpoint {
        path: "/api/v1/articles/{key}",
        about: "One article: metadata, every block with its label, every mention with its zone",
        params: &[],
        limit: 0,
        schema: "ArticleView",
        question: |given| Question::Article { key: given.key },
        form: Form::Whole,
    },
    Endpoint {
        path: "/api/v1/stories",
        about: "Stories with an article in the days asked for, those of most articles first",
        params: &[
            Param::Brand,
            Param::Day,
            Param::From,
            Param::To,
            Param::Outlet,
            Param::Limit,
            Param::Offset,
            Param::AfterStory,
        ],
        limit: 100,
        schema: "Stories",
        question: |given| Question::Stories(filter(given)),
        form: Form::Walk("stories", after_story),
    },
    Endpoint {
        path: "/api/v1/stories/{id}",
        about: "One story, by its id or the key of any of its articles: original and copies",
        params: &[Param::Diff],
        limit: 0,
        schema: "StoryView",
        question: story,
        form: Form::Whole,
    },
    Endpoint {
        path: "/api/v1/search",
        about: "Articles with these words: by day beside the brands' counts, the newest in context",
        params: &[
            Param::Query,
            Param::Zone,
            Param::Brand,
            Param::Day,
            Param::From,
            Param::To,
            Param::Outlet,
            Param::Language,
            Param::Limit,
            Param::AfterArticle,
        ],
        limit: 50,
        schema: "Search",
        question: search,
        form: Form::Whole,
    },
    Endpoint {
        path: "/api/v1/feeds",
        about: "Feeds with interval, health and next poll",
        params: &[Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Feeds",
        question: |_| Question::Feeds,
        form: Form::List("feeds"),
    },
    Endpoint {
        path: "/api/v1/outlets",
        about: "Outlets with entries by outcome and polls, over days of arrival",
        params: &[Param::From, Param::To, Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Outlets",
        question: |given| Question::Outlets { from: given.from, to: given.to },
        form: Form::List("outlets"),
    },
    Endpoint {
        path: "/api/v1/outlets/{outlet}/why",
        about: "Why an outlet is requested, or is not, in sentences",
        params: &[],
        limit: 0,
        schema: "Why",
        question: |given| Question::Why { outlet: given.name.clone() },
        form: Form::Whole,
    },
    Endpoint {
        path: "/api/v1/brands",
        about: "The brands that are watched, and since when",
        params: &[],
        limit: 0,
        schema: "BrandSet",
        question: |_| Question::Brands,
        form: Form::Version(brand_set),
    },
    Endpoint {
        path: "/api/v1/brands/{name}/review",
        about: "The mentions of a brand that are most worth an answer: meant, or something else?",
        params: &[Param::Limit],
        limit: 20,
        schema: "Review",
        question: |given| {
            let (brand, limit) = (given.name.clone(), given.limit);
            Question::Review(ReviewQuery { brand, limit, ..ReviewQuery::default() })
        },
        form: Form::Whole,
    },
    Endpoint {
        path: "/api/v1/brand-sets",
        about: "Brand sets that were put into use, oldest first, and the days whose counts each changed",
        params: &[Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "BrandSets",
        question: |_| Question::BrandSets,
        form: Form::List("sets"),
    },
    Endpoint {
        path: "/api/v1/models",
        about: "Models that were put into use, oldest first; the last one labels pages",
        params: &[Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Models",
        question: |_| Question::Models,
        form: Form::List("models"),
    },
    Endpoint {
        path: "/api/v1/log",
        about: "Who decided what, and when; the latest first",
        params: &[
            Param::From,
            Param::To,
            Param::Who,
            Param::What,
            Param::Limit,
            Param::Offset,
            Param::AfterDecision,
        ],
        limit: 100,
        schema: "Log",
        question: log,
        form: Form::Walk("log", after_decision),
    },
    Endpoint {
        path: "/api/v1/alerts",
        about: "The alerts, and since when each fires",
        params: &[Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Alerts",
        question: |_| Question::Alerts,
        form: Form::List("alerts"),
    },
    Endpoint {
        path: "/api/v1/alerts/{alert}",
        about: "One alert with its events, the latest first, and who got them",
        params: &[],
        limit: 0,
        schema: "AlertView",
        question: |given| Question::Alert { name: given.name.clone() },
        form: Form::Whole,
    },
    Endpoint {
        path: "/api/v1/targets",
        about: "The targets of the configuration that alerts may be sent to, by name",
        params: &[Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Targets",
        question: |_| Question::Targets,
        form: Form::List("targets"),
    },
    Endpoint {
        path: "/api/v1/notes",
        about: "What people have pinned to days, such as a press release: about a brand, or about all",
        params: &[Param::Brand, Param::From, Param::To, Param::Limit, Param::Offset],
        limit: 1_000,
        schema: "Notes",
        question: notes,
        form: Form::List("notes"),
    },
    Endpoint {
        path: "/api/v1/status",
        about: "Sizes, queue, outcomes, and what is wrong, in sentences",
        params: &[],
        limit: 0,
        schema: "Status",
        question: |_| Question::Status,
        form: Form::Whole,
    },
];

/// The part of a list that is shown.
#[derive(Default)]
struct Page {
    /// Lines still to be left out.
    offset: usize,
    limit: usize,
    lines: Vec<Value>,
    /// There are more.
    truncated: bool,
}

impl Page {
    fn take(&mut self, line: Value) -> ControlFlow<()> {
        if self.offset > 0 {
            self.offset -= 1;
        } else if self.lines.len() < self.limit {
            self.lines.push(line);
        } else {
            self.truncated = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// As many as must be found to tell whether there are more than shown.
fn enough(given: &Given) -> usize {
    given.offset.saturating_add(given.limit).saturating_add(1)
}

fn mentions(given: &Given) -> Question {
    let Given { brand, from, to, by, .. } = given.clone();
    Question::Mentions(MentionsQuery { brand, from, to, by })
}

fn coverage(given: &Given) -> Question {
    let Given { from, to, outlet, .. } = given.clone();
    Question::Coverage(CoverageQuery { from, to, outlet, limit: enough(given) })
}

fn filter(given: &Given) -> ArticlesQuery {
    let Given { brand, from, to, outlet, language, suppressed, place: after, .. } = given.clone();
    ArticlesQuery { brand, from, to, outlet, language, suppressed, after, limit: enough(given) }
}

fn notes(given: &Given) -> Question {
    let Given { brand, from, to, .. } = given.clone();
    Question::Notes(NotesQuery { brand, from, to })
}

fn log(given: &Given) -> Question {
    let Given { from, to, who, what, log_place: after, .. } = given.clone();
    Question::Log(LogQuery { from, to, who, what, after, limit: enough(given) })
}

fn search(given: &Given) -> Question {
    let Given { query: text, zone, brand, from, to, outlet, language, place: after, limit, .. } =
        given.clone();
    let query = SearchQuery { text, zone, brand, from, to, outlet, language, after, limit };
    Question::Search(query)
}

fn story(given: &Given) -> Question {
    let diff = given.diff.map_or(Compared::None, Compared::One);
    Question::Story { id: given.key, diff }
}

fn after_article(_: &Given, lines: &[Value]) -> Option<String> {
    Some(Place::of_article(lines.last()?)?.to_string())
}

fn after_story(_: &Given, lines: &[Value]) -> Option<String> {
    Some(Place::of_story(lines.last()?)?.to_string())
}

fn after_decision(given: &Given, lines: &[Value]) -> Option<String> {
    let instants: Vec<Millis> = lines.iter().filter_map(|line| line["at"].as_i64()).collect();
    Some(LogPlace::of(given.log_place, &instants)?.to_string())
}

/// The version of a brand set, and when the latest of its brands came: one that has left and come back is
/// watched since then.
fn brand_set(set: &Value) -> String {
    let since = set["since"].as_object().into_iter().flatten();
    let latest = since.filter_map(|(_, at)| at.as_i64()).max().unwrap_or(0);
    format!("{}-{latest}", set["version"].as_str().unwrap_or_default())
}

/// The version of the brand set that a tag of [`brand_set`] names.
pub(super) fn brand_set_of(tag: &str) -> &str {
    tag.rsplit_once('-').map_or(tag, |(version, _)| version)
}

//! The endpoints of the JSON API as data: path, parameters, the question that is asked, the form of its
//! answer. Router and OpenAPI document are both made from this table.
//!
//! Must not know: connections, headers, how questions are answered.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::query::{
    self, Answered, ArticlesQuery, Asked, Compared, CoverageQuery, LogQuery, MentionsQuery,
    Question,
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
    /// The document has a list of this name, with a page of the answer's values.
    List(&'static str),
    /// The answer is one value, which has a list of this name; the document has a page of it.
    Within(&'static str),
}

impl Endpoint {
    /// Does its path end in a key?
    pub(super) fn keyed(&self) -> bool {
        self.path.ends_with('}')
    }

    /// The document for what is given. Blocks.
    pub(super) fn answer(&self, asked: &Asked<'_>, given: &Given) -> Answered<Value> {
        let mut page = Page { offset: given.offset, limit: given.limit, ..Page::default() };
        let mut whole = Value::Null;
        query::answer(asked, &(self.question)(given), &mut |value| match self.form {
            Form::List(_) => page.take(value),
            Form::Whole | Form::Within(_) => {
                whole = value;
                ControlFlow::Break(())
            }
        })?;
        let name = match self.form {
            Form::Whole => return Ok(whole),
            Form::List(name) => {
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
        whole[name] = page.lines.into();
        whole["truncated"] = page.truncated.into();
        Ok(whole)
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
        ],
        limit: 100,
        schema: "Articles",
        question: |given| Question::Articles(filter(given)),
        form: Form::List("articles"),
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
        question: |given| Question::Stories(filter(given)),
        form: Form::List("stories"),
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
        path: "/api/v1/brands",
        about: "The brands that are watched, and since when",
        params: &[],
        limit: 0,
        schema: "BrandSet",
        question: |_| Question::Brands,
        form: Form::Whole,
    },
    Endpoint {
        path: "/api/v1/log",
        about: "Who decided what, and when; the latest first",
        params: &[Param::From, Param::To, Param::Who, Param::What, Param::Limit, Param::Offset],
        limit: 100,
        schema: "Log",
        question: log,
        form: Form::List("log"),
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
    let Given { brand, from, to, outlet, language, suppressed, .. } = given.clone();
    ArticlesQuery { brand, from, to, outlet, language, suppressed, limit: enough(given) }
}

fn log(given: &Given) -> Question {
    let Given { from, to, who, what, .. } = given.clone();
    Question::Log(LogQuery { from, to, who, what, limit: enough(given) })
}

fn story(given: &Given) -> Question {
    let diff = given.diff.map_or(Compared::None, Compared::One);
    Question::Story { id: given.key, diff }
}

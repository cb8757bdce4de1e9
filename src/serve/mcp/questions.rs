//! The questions that an assistant may ask: names, arguments, and what of the answer is told.
//!
//! Must not know: how they are answered.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::{Day, UrlKey};
use crate::query::{
    ArticlesQuery, By, Compared, CoverageQuery, MentionsQuery, Place, Question, SearchQuery,
};

/// Lines of a list where nothing else is asked for, and at most.
const LINES: usize = 50;
pub(super) const MOST: usize = 500;

/// One question that an assistant may ask.
pub(super) struct Asked {
    pub name: &'static str,
    about: &'static str,
    pub takes: &'static [Field],
    pub form: Form,
    /// It is about days: how complete these are, and what was not counted in them, goes with it.
    pub counts: bool,
    pub question: fn(Given) -> Question,
}

/// How the values of an answer are told.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// There is one, which is the answer.
    Whole,
    /// A line each, of which there are as many as is asked for. Each has a place, behind which the list goes on.
    List(fn(&Value) -> Option<Place>),
    /// The one has a list of this name, of which the [`MOST`] that matter most are left.
    Within(&'static str),
}

/// What a question may be told.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Field {
    /// Words to look for.
    Query,
    Brand,
    From,
    To,
    By,
    Outlet,
    Language,
    Limit,
    /// Where a list of articles goes on, or one of stories.
    AfterArticle,
    AfterStory,
    /// Of an article.
    Key,
    /// Of a story, or of any article of it.
    Id,
    /// Which must be given.
    OutletAsked,
}

/// The arguments of a question.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Given {
    query: String,
    pub brand: Option<String>,
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub by: By,
    pub outlet: Option<String>,
    pub language: Option<String>,
    limit: Option<usize>,
    #[serde(skip)]
    pub after: Option<Place>,
    key: UrlKey,
    id: UrlKey,
}

impl Given {
    /// Lines of its answer.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(LINES).clamp(1, MOST)
    }

    fn filter(self) -> ArticlesQuery {
        let limit = self.limit() + 1;
        let Given { brand, from, to, outlet, language, after, .. } = self;
        ArticlesQuery {
            brand,
            from,
            to,
            outlet,
            language,
            limit,
            after,
            ..ArticlesQuery::default()
        }
    }
}

/// What lists are told, and then where they go on.
const fn filter(after: Field) -> [Field; 7] {
    use Field::*;
    [Brand, From, To, Outlet, Language, Limit, after]
}

/// Every question.
pub(super) const QUESTIONS: &[Asked] = &[
    Asked {
        name: "brands",
        about: "The watched brands with their other names, and since when each is watched",
        takes: &[],
        form: Form::Whole,
        counts: false,
        question: |_| Question::Brands,
    },
    Asked {
        name: "mentions",
        about: "Counts per brand and day, week, outlet, language, feed, agency or zone: stories, articles, copies, \
                mentions, what was not counted (suppressed), and how complete each is (coverage). At most 500 \
                lines: the latest days or weeks, or those of most mentions; where it is `truncated`, they are not all",
        takes: &[Field::Brand, Field::From, Field::To, Field::By],
        form: Form::Within("lines"),
        counts: true,
        question: |Given { brand, from, to, by, .. }| {
            Question::Mentions(MentionsQuery { brand, from, to, by })
        },
    },
    Asked {
        name: "articles",
        about: "Articles by day of publication, with the mentions counted in each and those not counted",
        takes: &filter(Field::AfterArticle),
        form: Form::List(Place::of_article),
        counts: true,
        question: |given| Question::Articles(given.filter()),
    },
    Asked {
        name: "article",
        about: "One article: metadata, each block with its label, each mention with its zone, its story",
        takes: &[Field::Key],
        form: Form::Whole,
        counts: false,
        question: |given| Question::Article { key: given.key },
    },
    Asked {
        name: "stories",
        about: "Stories (an original and its copies) with an article in these days, those of most articles first",
        takes: &filter(Field::AfterStory),
        form: Form::List(Place::of_story),
        counts: true,
        question: |given| Question::Stories(given.filter()),
    },
    Asked {
        name: "story",
        about: "One story: who carried it, when, how alike",
        takes: &[Field::Id],
        form: Form::Whole,
        counts: false,
        question: |given| Question::Story { id: given.id, diff: Compared::None },
    },
    Asked {
        name: "search",
        about: "Articles with these words, the newest in context, and by day beside the articles that count each \
                brand; `behind` is how many articles the index has not taken over yet. At most the last 500 days; \
                where it is `truncated`, there are more articles or earlier days",
        takes: &[
            Field::Query,
            Field::Brand,
            Field::From,
            Field::To,
            Field::Outlet,
            Field::Language,
            Field::Limit,
            Field::AfterArticle,
        ],
        form: Form::Within("days"),
        counts: true,
        question: |given| {
            let limit = given.limit();
            let Given { query: text, brand, from, to, outlet, language, after, .. } = given;
            let query = SearchQuery {
                text,
                brand,
                from,
                to,
                outlet,
                language,
                after,
                limit,
                ..SearchQuery::default()
            };
            Question::Search(query)
        },
    },
    Asked {
        name: "coverage",
        about: "How complete each day is: polls due and answered, entries by outcome, what is unusual. At most the \
                last 500 days; where it is `truncated`, there are earlier ones",
        takes: &[Field::From, Field::To, Field::Outlet],
        form: Form::Within("days"),
        counts: false,
        question: |Given { from, to, outlet, .. }| {
            Question::Coverage(CoverageQuery { from, to, outlet, limit: 0 })
        },
    },
    Asked {
        name: "why",
        about: "Why an outlet is requested, or is not, in sentences",
        takes: &[Field::OutletAsked],
        form: Form::Whole,
        counts: false,
        question: |given| Question::Why { outlet: given.outlet.unwrap_or_default() },
    },
    Asked {
        name: "status",
        about: "Sizes, queue, outcomes, and what is wrong, in sentences",
        takes: &[],
        form: Form::Whole,
        counts: false,
        question: |_| Question::Status,
    },
];

impl Asked {
    /// What a client is told of it.
    pub fn tool(&self) -> Tool {
        let mut properties = JsonObject::new();
        let mut required = Vec::new();
        for field in self.takes {
            let (name, schema, must) = field.schema();
            properties.insert(name.into(), schema);
            if must {
                required.push(name);
            }
        }
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        Tool::new(self.name, self.about, Arc::new(schema))
            .annotate(ToolAnnotations::new().read_only(true))
    }
}

impl Field {
    /// Name, schema, and whether it must be given.
    pub fn schema(self) -> (&'static str, Value, bool) {
        let text = |about: &str| json!({ "type": "string", "description": about });
        let day = |about: &str| json!({ "type": "string", "format": "date", "description": about });
        let hex = "^[0-9a-f]{32}$";
        let key = |about: &str| json!({ "type": "string", "pattern": hex, "description": about });
        match self {
            Field::Query => {
                let about = "Words, \"phrases\", AND, OR, NOT, NEAR/5, title:word, word*";
                ("query", text(about), true)
            }
            Field::Brand => ("brand", text("Name of a watched brand; default: all"), false),
            Field::From => ("from", day("First day, inclusive, such as 2026-11-20"), false),
            Field::To => ("to", day("Last day, inclusive"), false),
            Field::By => {
                let words = ["day", "week", "outlet", "language", "feed", "agency", "zone"];
                let about = "What a line stands for; default: day. Weeks are whole, also those of `from` and `to`";
                ("by", json!({ "type": "string", "enum": words, "description": about }), false)
            }
            Field::Outlet => ("outlet", text("Registered domain, such as example.org"), false),
            Field::OutletAsked => ("outlet", text("Registered domain, such as example.org"), true),
            Field::Language => ("language", text("BCP 47 primary subtag, such as de"), false),
            Field::Limit => {
                let about = "Most lines of the answer";
                let schema = json!({
                    "type": "integer", "minimum": 1, "maximum": MOST, "default": LINES,
                    "description": about,
                });
                ("limit", schema, false)
            }
            Field::AfterArticle | Field::AfterStory => {
                ("after", text("`next` of the answer before, with the same other arguments"), false)
            }
            Field::Key => ("key", key("Key of the article, as `articles` tells it"), true),
            Field::Id => ("id", key("Id of the story, or key of any article of it"), true),
        }
    }
}

//! Every question as data, and the one function that answers it: from a store alone, whoever holds it
//! and by whichever way the question came.
//!
//! Must not know: sockets, HTTP, arguments, how answers are printed.

use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::unanswered::known_brand;
use super::*;
use crate::archive;
use crate::model::*;
use crate::search::Search;
use crate::store::{Store, history};

/// Something that a store can tell. Asking changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Counts per brand and bucket; one value.
    Mentions(MentionsQuery),
    /// How complete each day is; one value.
    Coverage(CoverageQuery),
    /// A value per article.
    Articles(ArticlesQuery),
    /// One article with all that is known about it.
    Article {
        key: UrlKey,
    },
    /// A value per story.
    Stories(ArticlesQuery),
    /// One story, by its id or the key of any of its articles.
    Story {
        id: UrlKey,
        diff: Compared,
    },
    /// A value per feed.
    Feeds,
    /// The feeds that the operator wanted, as an OPML document; one value.
    Opml,
    /// A value per outlet, over days of arrival.
    Outlets {
        from: Option<Day>,
        to: Option<Day>,
    },
    /// Why an outlet is asked, or is not.
    Why {
        outlet: String,
    },
    /// The watched brands, since when, and what was answered about their mentions.
    Brands,
    /// The mentions of a brand that are most worth an answer; one value.
    Review(ReviewQuery),
    /// A value per brand set that was put into use, oldest first.
    BrandSets,
    /// A value per token of the HTTP interface, oldest first.
    Tokens,
    /// A value per decision, the latest first.
    Log(LogQuery),
    /// A value per alert.
    Alerts,
    /// One alert with what it told; the latest first.
    Alert {
        name: String,
    },
    /// A value per target that alerts may be sent to: their names alone.
    Targets,
    /// A value per note that is pinned to a day.
    Notes(NotesQuery),
    /// What happened to brands, for a mail; one value.
    Digest(DigestQuery),
    /// What was answered about the watched brands, with the models that it has taught; one value.
    Senses,
    /// A value per model that was put into use, oldest first.
    Models,
    Status,
    /// Articles with these words; one value.
    Search(SearchQuery),
    /// About how many articles name a brand; one value.
    Estimate(EstimateQuery),
    /// Everything about one brand in a time; one value.
    Report(ReportQuery),
    /// A value per row of a table, for other programs.
    Export {
        table: Table,
        from: Option<Day>,
        to: Option<Day>,
    },
    /// The whole store, item by item.
    ExportWhole,
}

impl Question {
    /// Is the index of words asked?
    pub fn searches(&self) -> bool {
        matches!(self, Question::Search(_) | Question::Estimate(_))
    }
}

/// Members of a story whose texts are compared with the original's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    #[default]
    None,
    All,
    One(UrlKey),
}

/// What is asked: a store, and what its crawler is set to.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub store: &'a dyn Store,
    /// Decides which days are provisional, what is due, who is silent.
    pub now: Millis,
    /// Product token: which groups of a robots.txt are ours.
    pub token: &'a str,
    /// Directory of the archive, if raw pages are kept.
    pub archive: Option<&'a Path>,
    /// The index of words beside the store.
    pub index: &'a Search,
    /// What this process keeps of days that are long over.
    pub past: &'a Past,
    /// Names of the targets of alerts that the configuration has.
    pub targets: &'a [String],
}

/// Receives the values of an answer until it breaks off.
pub type Emit<'a> = &'a mut dyn FnMut(Value) -> ControlFlow<()>;

/// Answers a question. Blocks.
///
/// # Errors
/// It names something that is not there, or the store fails.
pub fn answer(asked: &Asked<'_>, question: &Question, emit: Emit<'_>) -> Answered<()> {
    let &Asked { store, now, token, archive, index, past, targets } = asked;
    let one = match question {
        Question::Mentions(query) => {
            known_brand(store, query.brand.as_deref())?;
            json!(mentions(store, query, now)?)
        }
        Question::Coverage(query) => json!(coverage(store, past, query, now)?),
        Question::Articles(query) => {
            return each(articles(store, &chosen(store, query)?)?, emit);
        }
        Question::Stories(query) => {
            return each(stories(store, &chosen(store, query)?)?, emit);
        }
        Question::Article { key } => {
            json!(show(store, *key)?.ok_or(Unanswered::NoArticle(*key))?)
        }
        Question::Story { id, diff } => json!(story(store, *id, *diff)?),
        Question::Feeds => return each(feeds(store)?, emit),
        Question::Opml => json!(opml(store)?),
        Question::Outlets { from, to } => return each(outlets(store, *from, *to)?, emit),
        Question::Why { outlet } => {
            let outlet = outlet_known(store, outlet)?;
            json!(why(store, &outlet, token, now)?)
        }
        Question::Brands => json!(brands(store)?),
        Question::Senses => json!(store.brand_set()?.senses),
        Question::Review(query) => json!(review(store, query)?),
        Question::BrandSets => return each(history::recounts(store)?, emit),
        Question::Tokens => return each(tokens(store, now)?, emit),
        Question::Log(query) => return each(log(store, query)?, emit),
        Question::Alerts => return each(alerts(store)?, emit),
        Question::Alert { name } => json!(alert(store, name)?),
        Question::Targets => {
            let names = targets.iter().map(|name| json!({ "name": name }));
            return each(names.collect(), emit);
        }
        Question::Notes(query) => {
            known_brand(store, query.brand.as_deref())?;
            return each(notes(store, query)?, emit);
        }
        Question::Digest(query) => json!(digest(store, query, now)?),
        Question::Models => return each(history::deployments(store)?, emit),
        Question::Status => json!(status(store, past, archive.map(archive::size), targets, now)?),
        Question::Search(query) => {
            known_brand(store, query.brand.as_deref())?;
            let outlet = outlet_chosen(store, query.outlet.as_deref())?;
            let language = language_chosen(query.language.as_deref())?;
            json!(search(store, index, &SearchQuery { outlet, language, ..query.clone() })?)
        }
        Question::Estimate(query) => json!(estimate(store, index, query)?),
        Question::Report(query) => json!(report(store, query, now)?),
        Question::Export { table, from, to } => {
            return Ok(export(store, *table, (*from, *to), now, emit)?);
        }
        Question::ExportWhole => {
            return Ok(store.export(&mut |item| Ok(emit(json!(item)).is_continue()))?);
        }
    };
    let _ = emit(one);
    Ok(())
}

/// A choice of articles with what it names as the store has it.
///
/// # Errors
/// It names a brand or an outlet that is not there, or no language.
fn chosen(store: &dyn Store, query: &ArticlesQuery) -> Answered<ArticlesQuery> {
    known_brand(store, query.brand.as_deref())?;
    let outlet = outlet_chosen(store, query.outlet.as_deref())?;
    let language = language_chosen(query.language.as_deref())?;
    Ok(ArticlesQuery { outlet, language, ..query.clone() })
}

fn outlet_chosen(store: &dyn Store, name: Option<&str>) -> Answered<Option<String>> {
    name.map(|name| outlet_known(store, name)).transpose()
}

fn language_chosen(name: Option<&str>) -> Answered<Option<String>> {
    name.map(language_named).transpose().map_err(Unanswered::NoLanguage)
}

fn each<T: Serialize>(rows: Vec<T>, emit: Emit<'_>) -> Answered<()> {
    let _ = rows.into_iter().try_for_each(|row| emit(json!(row)));
    Ok(())
}

fn story(store: &dyn Store, id: UrlKey, diff: Compared) -> Answered<StoryView> {
    let mut view = show_story(store, id)?.ok_or(Unanswered::NoStory(id))?;
    view.diffs = match diff {
        Compared::None => Vec::new(),
        Compared::All => diffs(store, &view.story, None)?,
        Compared::One(member) if view.story.members.iter().any(|m| m.key == member) => {
            diffs(store, &view.story, Some(member))?
        }
        Compared::One(member) => {
            return Err(Unanswered::NotInStory { story: view.story.id, member });
        }
    };
    Ok(view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store;

    /// The answer of an empty store, or why there is none.
    fn ask(question: &Question) -> Result<Vec<Value>, String> {
        let store = store::memory();
        let index = Search::new(Default::default());
        let (store, archive) = (store.as_ref(), None);
        let past = &Past::default();
        let targets = &["desk".to_owned()];
        let asked =
            Asked { store, now: 0, token: "crawler", archive, index: &index, past, targets };
        let mut values = Vec::new();
        let answered = answer(&asked, question, &mut |value| {
            values.push(value);
            ControlFlow::Continue(())
        });
        answered.map(|()| values).map_err(|why| why.to_string())
    }

    #[test]
    fn every_question_is_answered_from_a_store_alone_and_travels_as_json() {
        let days = (None, None);
        let named = |name: &str| Brand { name: name.into(), ..Brand::default() };
        let of_outlet =
            |name: &str| ArticlesQuery { outlet: Some(name.into()), ..Default::default() };
        let key = UrlKey(7);
        for (question, values) in [
            (Question::Mentions(MentionsQuery::default()), Ok(1)),
            (Question::Coverage(CoverageQuery::default()), Ok(1)),
            (Question::Articles(ArticlesQuery::default()), Ok(0)),
            (Question::Article { key }, Err("no article has the key")),
            (Question::Stories(ArticlesQuery::default()), Ok(0)),
            // An outlet or a language that is none was answered with no article.
            (Question::Articles(of_outlet("nope.test")), Err("no outlet is named `nope.test`")),
            (Question::Stories(of_outlet("nope.test")), Err("no outlet is named `nope.test`")),
            (
                Question::Articles(ArticlesQuery {
                    language: Some("English".into()),
                    ..Default::default()
                }),
                Err("`English` is no language"),
            ),
            (Question::Story { id: key, diff: Compared::One(key) }, Err("no story has the id")),
            (Question::Feeds, Ok(0)),
            (Question::Opml, Ok(1)),
            (Question::BrandSets, Ok(0)),
            (Question::Outlets { from: days.0, to: days.1 }, Ok(0)),
            (Question::Why { outlet: "a.test".into() }, Err("no outlet is named `a.test`")),
            (Question::Why { outlet: "a b".into() }, Err("`a b` is not the name of an outlet")),
            (Question::Brands, Ok(1)),
            (
                Question::Review(ReviewQuery { brand: "A".into(), ..Default::default() }),
                Err("no brand is named `A`"),
            ),
            (Question::Log(LogQuery::default()), Ok(0)),
            (Question::Alerts, Ok(0)),
            (Question::Alert { name: "a".into() }, Err("no alert is named `a`")),
            (Question::Targets, Ok(1)),
            (Question::Notes(NotesQuery::default()), Ok(0)),
            (Question::Digest(DigestQuery::default()), Ok(1)),
            (Question::Models, Ok(0)),
            (Question::Status, Ok(1)),
            (
                Question::Search(SearchQuery { text: "a".into(), ..SearchQuery::default() }),
                Err("search is switched off"),
            ),
            (Question::Search(SearchQuery::default()), Err("the query is empty")),
            (
                Question::Estimate(EstimateQuery { brand: named("A"), ..Default::default() }),
                Err("search is switched off"),
            ),
            // What cannot be watched was answered with no article.
            (
                Question::Estimate(EstimateQuery { brand: named("…"), ..Default::default() }),
                Err("`…` has no letter or digit"),
            ),
            (Question::Senses, Ok(1)),
            (
                Question::Report(ReportQuery { brand: "A".into(), from: None, to: None }),
                Err("no brand is named `A`"),
            ),
            (Question::Export { table: Table::Articles, from: days.0, to: days.1 }, Ok(0)),
            (Question::Export { table: Table::Tallies, from: days.0, to: days.1 }, Ok(0)),
            (Question::ExportWhole, Ok(0)),
            (
                Question::Mentions(MentionsQuery { brand: Some("A".into()), ..Default::default() }),
                Err("no brand is named `A`: none is watched"),
            ),
        ] {
            let sent = serde_json::to_string(&question).unwrap();
            let question: Question = serde_json::from_str(&sent).unwrap();
            match (ask(&question), values) {
                (Ok(answer), Ok(values)) => assert_eq!(answer.len(), values, "{sent}: {answer:?}"),
                (Err(why), Err(words)) => assert!(why.contains(words), "{sent}: {why}"),
                (answer, _) => panic!("{sent}: {answer:?}"),
            }
        }
    }
}

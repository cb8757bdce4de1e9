//! Which mentions are meant: the ones most worth asking about, what has been answered, and what answers
//! teach. Each mention is looked for again in its stored text, so that an answer names what is there.
//!
//! Must not know: who answers, when texts are matched again.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::unanswered::{Answered, Unanswered};
use crate::mention::brands::{Shared, shared};
use crate::mention::sense::choose::{Candidate, choose};
use crate::mention::{Lexicon, mentions, sense};
use crate::model::*;
use crate::store::{Filter, Store, StoreError, visit};

/// Articles whose mentions are looked at, the latest: more hardly change which are worth asking about.
const ARTICLES: usize = 1_000;
/// Mentions of one article that are looked at.
const OF_ONE: usize = 3;
/// Bytes around a mention that are shown.
const SHOWN: usize = 300;
/// Most mentions at a time.
const MOST: usize = 100;

/// What [`review`] is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewQuery {
    pub brand: String,
    /// Answers that are not stored yet, which teach what to ask next.
    #[serde(default)]
    pub answers: Vec<MentionAnswer>,
    /// Articles that are not to be asked about.
    #[serde(default)]
    pub skipped: Vec<UrlKey>,
    /// 0: 20.
    #[serde(default)]
    pub limit: usize,
}

/// What is worth asking about a brand, and what is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    pub brand: String,
    /// Version of the brand set.
    pub version: String,
    pub known: SenseLine,
    /// The most telling first.
    pub mentions: Vec<Asking>,
}

/// A mention to be answered about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    pub article: UrlKey,
    pub block: Option<u32>,
    pub start: u32,
    pub end: u32,
    /// The text before it, the name, the text behind it.
    pub before: String,
    pub matched: String,
    pub after: String,
    pub outlet: String,
    pub title: String,
    pub day: Day,
    pub url: String,
    /// That the brand is meant, as far as is known; `None` before there is a model.
    pub probability: Option<f64>,
}

/// What has been answered about a brand, and how good its model is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SenseLine {
    pub answers: usize,
    /// Of these: the brand is meant.
    pub meant: usize,
    /// Does a model decide the rest?
    pub model: bool,
    pub precision: Option<Proportion>,
    pub recall: Option<Proportion>,
}

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// So many of so many answers.
    pub right: u32,
    pub of: u32,
}

impl Proportion {
    fn of(share: Share) -> Option<Proportion> {
        let (value, low, high) = share.interval()?;
        Some(Proportion { value, low, high, right: share.right, of: share.of })
    }
}

impl SenseLine {
    fn of(sense: &Sense) -> SenseLine {
        let model = sense.model.as_ref();
        SenseLine {
            answers: sense.answers.len(),
            meant: sense.answers.iter().filter(|answer| answer.meant).count(),
            model: model.is_some(),
            precision: model.and_then(|model| Proportion::of(model.precision)),
            recall: model.and_then(|model| Proportion::of(model.recall)),
        }
    }
}

/// The watched brands as they are shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brands {
    pub version: String,
    pub brands: Vec<Brand>,
    pub since: BTreeMap<String, Millis>,
    /// Brand → what was answered about its mentions.
    #[serde(default)]
    pub senses: BTreeMap<String, SenseLine>,
    /// Names that count for several of them.
    #[serde(default)]
    pub shared: Vec<Shared>,
}

/// The watched brands.
pub fn brands(store: &dyn Store) -> Answered<Brands> {
    let BrandSet { version, brands, since, senses } = store.brand_set()?;
    let senses = senses.iter().map(|(name, sense)| (name.clone(), SenseLine::of(sense))).collect();
    let shared = shared(&brands);
    Ok(Brands { version, brands, since, senses, shared })
}

/// The mentions of a brand that are most worth an answer.
///
/// # Errors
/// No such brand; an answer that names no mention; the store's.
pub fn review(store: &dyn Store, query: &ReviewQuery) -> Answered<Review> {
    let set = store.brand_set()?;
    let lexicon = lexicon(&set, &query.brand)?;
    let pool = pool(store, &lexicon, &query.brand)?;
    let sense = teach(store, &set, &lexicon, &query.brand, &query.answers, &pool)?;
    let mut asked: HashSet<UrlKey> = HashSet::new();
    for article in sense.answers.iter().map(|answer| answer.article).chain(query.skipped.clone()) {
        asked.insert(article);
        asked.extend(store.story_head_of(article)?.map(|story| story.id));
    }
    let candidates: Vec<Candidate> = pool.iter().map(|seen| seen.candidate.clone()).collect();
    let limit = if query.limit == 0 { 20 } else { query.limit.min(MOST) };
    let chosen = choose(&sense.answers, &asked, &candidates, limit);
    let mentions = chosen.into_iter().filter_map(|at| pool.get(at)).map(|seen| {
        let score = sense.model.as_ref().map(|model| sense::score(model, &seen.candidate.traits));
        Asking { probability: score.map(sense::probability), ..seen.asking.clone() }
    });
    Ok(Review {
        brand: query.brand.clone(),
        version: set.version,
        known: SenseLine::of(&sense),
        mentions: mentions.collect(),
    })
}

/// What is known of a brand after these answers, too: a later answer about the same mention replaces the
/// earlier one.
///
/// # Errors
/// No such brand; an answer that names no mention; too many; the store's.
pub fn taught(
    store: &dyn Store,
    set: &BrandSet,
    brand: &str,
    told: &[MentionAnswer],
) -> Answered<Sense> {
    let lexicon = lexicon(set, brand)?;
    let pool = pool(store, &lexicon, brand)?;
    teach(store, set, &lexicon, brand, told, &pool)
}

/// A brand alone, without what was answered.
fn lexicon(set: &BrandSet, name: &str) -> Answered<Lexicon> {
    let Some(_) = set.brands.iter().find(|brand| brand.name == name) else {
        let watched = set.brands.iter().map(|brand| brand.name.clone()).collect();
        return Err(Unanswered::NoBrand { name: name.to_owned(), watched });
    };
    // All of them: the longer name of another brand takes a place from this one.
    Lexicon::build(&set.brands).map_err(|why| Unanswered::Store(StoreError::Other(why.to_string())))
}

/// A mention that could be asked about.
struct Seen {
    candidate: Candidate,
    asking: Asking,
}

fn pool(store: &dyn Store, lexicon: &Lexicon, brand: &str) -> Answered<Vec<Seen>> {
    let mut articles: Vec<(Day, UrlKey)> = Vec::new();
    let filter = Filter { brand: Some(brand.to_owned()), ..Filter::default() };
    visit(
        |each| store.mention_rows(&filter, each),
        |row: MentionRow| {
            let asked = |m: &Mention| m.zone.counted() || m.zone == Zone::OtherSense;
            if row.mentions.iter().any(asked) {
                articles.push((row.day, row.article));
            }
            // The latest come last; twice as many as wanted are held at most.
            if articles.len() >= 2 * ARTICLES {
                articles.drain(..ARTICLES);
            }
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        },
    )?;
    let older = articles.len().saturating_sub(ARTICLES);
    let mut pool = Vec::new();
    for (_, key) in articles.into_iter().skip(older) {
        let Some(record) = store.article(key)?.filter(ArticleRecord::has_text) else { continue };
        let story = store.story_head_of(key)?.map_or(key, |story| story.id);
        let found = mentions(lexicon, &record.article, &record.outlet);
        for (at, sighted) in
            sense::sight(brand, &record.article, &record.outlet, &found).into_iter().take(OF_ONE)
        {
            let Some(mention) = found.get(at) else { continue };
            pool.push(Seen {
                candidate: Candidate {
                    outlet: record.outlet.clone(),
                    story,
                    traits: sighted.traits(),
                },
                asking: asking(&record, mention),
            });
        }
    }
    Ok(pool)
}

fn asking(record: &ArticleRecord, mention: &Mention) -> Asking {
    let text = sense::text_of(&record.article, mention.block).unwrap_or_default();
    let (start, end) = (mention.start as usize, mention.end as usize);
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let title = record.article.title.as_ref().map(|title| title.value.clone());
    Asking {
        article: record.key,
        block: mention.block,
        start: mention.start,
        end: mention.end,
        before: before[before.ceil_char_boundary(before.len().saturating_sub(SHOWN))..].to_owned(),
        matched: mention.matched.clone(),
        after: after[..after.floor_char_boundary(SHOWN)].to_owned(),
        outlet: record.outlet.clone(),
        title: title.or_else(|| record.feed_title.clone()).unwrap_or_default(),
        day: record.published.day,
        url: record.final_url.clone(),
        probability: None,
    }
}

fn teach(
    store: &dyn Store,
    set: &BrandSet,
    lexicon: &Lexicon,
    brand: &str,
    told: &[MentionAnswer],
    pool: &[Seen],
) -> Answered<Sense> {
    let place = |article, block, start| (article, block, start);
    let mut answers: BTreeMap<(UrlKey, Option<u32>, u32), Answer> = BTreeMap::new();
    for answer in set.senses.get(brand).map(|sense| sense.answers.clone()).unwrap_or_default() {
        answers.insert(place(answer.article, answer.block, answer.start), answer);
    }
    let mut seen: HashMap<UrlKey, Option<(ArticleRecord, Vec<Mention>)>> = HashMap::new();
    for told in told {
        let at = place(told.article, told.block, told.start);
        let Some(meant) = told.meant else {
            answers.remove(&at);
            continue;
        };
        if let Entry::Vacant(new) = seen.entry(told.article) {
            let record = store.article(told.article)?.filter(ArticleRecord::has_text);
            let with = |record: ArticleRecord| {
                let found = mentions(lexicon, &record.article, &record.outlet);
                (record, found)
            };
            new.insert(record.map(with));
        }
        let Some((record, found)) = seen.get(&told.article).and_then(Option::as_ref) else {
            return Err(Unanswered::NoArticle(told.article));
        };
        let sighted = sense::sight(brand, &record.article, &record.outlet, found);
        let named = sighted.iter().find(|(at, _)| {
            found.get(*at).is_some_and(|m| (m.block, m.start) == (told.block, told.start))
        });
        let Some((_, named)) = named else {
            let block = told.block.map_or("the title".to_owned(), |block| format!("block {block}"));
            return Err(Unanswered::Answers(format!(
                "article {} does not mention {brand} at byte {} of {block}, or not where mentions count",
                told.article, told.start
            )));
        };
        let outlet = record.outlet.clone();
        let (article, block, start) = at;
        let (mark, traits) = (named.mark, named.traits());
        answers.insert(at, Answer { article, block, start, meant, outlet, mark, traits });
    }
    if answers.len() > sense::MOST {
        return Err(Unanswered::Answers(format!(
            "{} answers about {brand} are more than the {} that are kept: remove some",
            answers.len(),
            sense::MOST
        )));
    }
    let answers: Vec<Answer> = answers.into_values().collect();
    let unasked: Vec<Traits> = pool.iter().map(|seen| seen.candidate.traits.clone()).collect();
    let model = sense::learn(&answers, &unasked);
    Ok(Sense { answers, model })
}

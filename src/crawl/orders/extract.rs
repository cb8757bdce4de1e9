//! A page that somebody hands over becomes an article, as the crawl would read it, with the reasons.
//! Nothing is asked of the web, and nothing is kept.
//!
//! Must not know: how the page arrives, how the answer is shown.

use std::sync::Arc;

use serde::Serialize;

use super::brands;
use crate::crawl::Engine;
use crate::crawl::web::document::no_page;
use crate::extract::{self, Explanation, Hints};
use crate::frontier::address;
use crate::model::*;
use crate::{decode, mention};

/// A page as somebody has it.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Where it is from: tells outlet and date.
    pub url: Option<String>,
    /// As an HTTP answer says it, with its charset.
    pub content_type: Option<String>,
    pub html: Vec<u8>,
}

/// An article, and why it is as it is.
#[derive(Clone, Debug, Serialize)]
pub struct Extracted {
    pub article: Article,
    /// Of each of its blocks.
    pub zones: Vec<Zone>,
    /// Per block of the article, the most telling first.
    pub reasons: Vec<Vec<Reason>>,
    /// Of the watched brands, with the zones that they stand in.
    pub mentions: Vec<Mention>,
    /// Encoding and where it was declared.
    pub charset: (String, String),
}

/// Something that spoke for or against a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// In words, with the value.
    pub text: String,
    /// Above 0: for content; in the model's own measure.
    pub weight: f32,
}

/// Why there is no article.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    #[error("the URL of the page cannot be read: {0}")]
    Url(String),
    #[error("the page has {0} bytes, more than the {1} that are read (`fetch.page_cap`)")]
    Large(usize, usize),
    #[error("this is {0}, not a page")]
    NoPage(&'static str),
    #[error("the page goes beyond a limit: {0}")]
    Limit(String),
    #[error("reading the page takes longer than `extract_deadline`")]
    Late,
    #[error("{0}")]
    Model(String),
    #[error("the page could not be read")]
    Failed,
}

/// Reads a page among the crawl's own, when it is its turn.
///
/// # Errors
/// The page is too large or goes beyond a limit; there is no model to read it with.
pub async fn extract(engine: &Arc<Engine>, given: Given) -> Result<Extracted, Unread> {
    let cap = largest(engine);
    if given.html.len() > cap {
        return Err(Unread::Large(given.html.len(), cap));
    }
    let at = given.url.as_deref().map(|url| address(url, None));
    let at = at.transpose().map_err(|why| Unread::Url(why.to_string()))?;
    let model = engine.model().map_err(|why| Unread::Model(why.to_string()))?;
    let asking = engine.clone();
    // Another process on the same database may have changed the brands.
    let watch = tokio::task::spawn_blocking(move || brands::in_use(&asking)).await;
    let watch = watch.ok().and_then(Result::ok).ok_or(Unread::Failed)?;
    let limits = engine.settings.extract.clone();
    let deadline = engine.settings.extract_deadline.duration();
    let work = engine.cores.start(given.html.len(), move || {
        let tld = at.as_ref().and_then(|at| at.top_level_domain());
        let decoded = decode::html(&given.html, given.content_type.as_deref(), tld);
        if let Some(what) = no_page(&given.html, &decoded.text) {
            return Err(Unread::NoPage(what));
        }
        let hints = Hints { url: at.as_ref().map(|at| at.url.as_str()), ..Hints::default() };
        let Explanation { extraction, blocks } =
            extract::explain(&decoded.text, &hints, &model, &limits);
        if let Some(limit) = extraction.limit {
            return Err(Unread::Limit(limit));
        }
        let article = extraction.article;
        let outlet = at.as_ref().map_or("", |at| at.outlet.as_str());
        let reason = |r: extract::label::Reason| Reason { text: r.text, weight: r.weight };
        Ok(Extracted {
            zones: mention::zones(&article),
            mentions: mention::mentions(&watch.lexicon, &article, outlet),
            reasons: blocks
                .into_iter()
                .map(|block| block.reasons.into_iter().map(reason).collect())
                .collect(),
            charset: (decoded.encoding.to_string(), decoded.source.name().to_string()),
            article,
        })
    });
    match tokio::time::timeout(deadline, work.await).await {
        Ok(Ok(read)) => read,
        Ok(Err(_)) => Err(Unread::Failed),
        Err(_) => Err(Unread::Late),
    }
}

/// Bytes of the largest page that is read.
pub fn largest(engine: &Engine) -> usize {
    usize::try_from(engine.settings.fetch.page_cap).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::orders::models;
    use crate::store;
    use crate::store::decision::Who;

    #[tokio::test]
    async fn brands_that_another_process_has_added_are_found() {
        let store = store::memory();
        let engine = models::tests::engine(&store);
        let brand = Brand { name: "Acme".into(), whole_word: true, ..Brand::default() };
        let (edit, terms) = (brands::Edit::Add(vec![brand]), brands::Terms::default());
        brands::edit(&models::tests::engine(&store), &Who::program(), edit, &terms).unwrap();
        let html = "<title>Acme opens a mill</title><h1>Acme opens a mill</h1><p>A mill of Acme \
                    stands at the river since Monday, and the town of many people is glad of it.";
        let given = Given { html: html.into(), ..Given::default() };
        let read = extract(&engine, given).await.unwrap();
        assert!(read.mentions.iter().any(|mention| mention.brand == "Acme"), "{:?}", read.mentions);
    }
}

//! The demo's truth: literals written beside the pages (`web/truth.toml`), read, never computed.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::request::Request;
use crate::model::Day;

/// What a right crawl of the small web ends with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// Every article page.
    #[serde(rename = "article")]
    pub articles: Vec<TruthArticle>,
    /// Brand → day → counts; a pair that is missing means zero.
    #[serde(deserialize_with = "by_day")]
    pub expected: BTreeMap<String, BTreeMap<Day, Counts>>,
    /// URLs in the feeds that robots.txt forbids: never to be requested.
    pub forbidden: Vec<String>,
    /// Entries that end otherwise than as articles: canonical URL → name of the outcome.
    pub other_outcomes: BTreeMap<String, String>,
    /// Number of stories, single articles included.
    pub stories: usize,
}

/// The truth about one article page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TruthArticle {
    /// Canonical URL.
    pub url: String,
    /// Publication day, UTC.
    pub day: String,
    /// Name of the syndicated story; `None`: its text stands nowhere else.
    pub story: Option<String>,
    /// Brand → mentions in title, lead and body.
    #[serde(default)]
    pub counted: BTreeMap<String, i64>,
    /// Brand → mentions anywhere else in the page's visible text.
    #[serde(default)]
    pub suppressed: BTreeMap<String, i64>,
}

/// One brand on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Mentions in title, lead and body.
    pub counted: i64,
    /// Mentions elsewhere.
    pub suppressed: i64,
    /// Stories with a counting member, on the day of their original.
    pub stories: i64,
    /// Articles with a counted mention.
    pub articles: i64,
}

impl Truth {
    /// Reads the literal file.
    pub(super) fn parse(text: &str) -> Result<Truth> {
        Ok(toml::from_str(text)?)
    }

    /// Lines of the log that ask for what robots.txt forbids.
    pub fn forbidden_requests(&self, log: &[Request]) -> Vec<Request> {
        let forbidden = |request: &&Request| {
            let url = format!("http://{}{}", request.host, request.path);
            self.forbidden.contains(&url)
        };
        log.iter().filter(forbidden).cloned().collect()
    }
}

/// TOML's keys are strings: reads them as days.
fn by_day<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<BTreeMap<String, BTreeMap<Day, Counts>>, D::Error> {
    let raw = BTreeMap::<String, BTreeMap<String, Counts>>::deserialize(d)?;
    raw.into_iter()
        .map(|(brand, days)| {
            let days: Result<_, D::Error> = days
                .into_iter()
                .map(|(day, counts)| Ok((day.parse().map_err(serde::de::Error::custom)?, counts)))
                .collect();
            Ok((brand, days?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::outlet;
    use super::super::site::Web;
    use super::*;

    #[test]
    fn pages_feeds_and_truth_name_the_same_articles() {
        let truth = Web::truth().unwrap();
        let web = Web::load().unwrap();
        let outlets = outlet::load_all().unwrap();
        let mut listed = BTreeSet::new();
        let refused = |url: &str| truth.other_outcomes.contains_key(url);
        for outlet in &outlets {
            let own = outlet.feed.iter().filter(|feed| feed.articles).count();
            assert_eq!(own, 1, "{}: one feed lists its articles", outlet.host);
            for article in &outlet.articles {
                let url = outlet.url_of(article);
                assert!(web.reply(&outlet.host, &outlet.path_of(article)).is_some(), "{url}");
                if !refused(&url) {
                    assert!(listed.insert(url.clone()), "{url} stands twice");
                    let told = truth.articles.iter().find(|told| told.url == url);
                    let told = told.unwrap_or_else(|| panic!("{url} is not in the truth"));
                    assert_eq!(told.story, article.wire, "{url}");
                    assert_eq!(told.day, article.date.strftime("%F").to_string(), "{url}");
                }
            }
        }
        let told: BTreeSet<String> = truth.articles.iter().map(|a| a.url.clone()).collect();
        assert_eq!(told, listed);
    }

    #[test]
    fn the_web_is_as_rich_as_promised() {
        let truth = Web::truth().unwrap();
        let outlets = outlet::load_all().unwrap();
        let languages: BTreeSet<&str> = outlets.iter().map(|o| o.language.as_str()).collect();
        let charsets: BTreeSet<&str> = outlets.iter().map(|o| o.charset.as_str()).collect();
        let formats: BTreeSet<String> =
            outlets.iter().flat_map(|o| &o.feed).map(|f| format!("{:?}", f.format)).collect();
        let carried =
            |name: &str| truth.articles.iter().filter(|a| a.story.as_deref() == Some(name)).count();
        let wires: BTreeSet<&str> =
            truth.articles.iter().filter_map(|a| a.story.as_deref()).collect();
        let sum = |part: fn(&TruthArticle) -> &BTreeMap<String, i64>| -> i64 {
            truth.articles.iter().flat_map(|a| part(a).values()).sum()
        };
        let (counted, suppressed) = (sum(|a| &a.counted), sum(|a| &a.suppressed));
        assert!(truth.articles.len() >= 110 && outlets.len() >= 14 && languages.len() >= 7);
        assert!(charsets.len() >= 8 && formats.len() == 6, "{charsets:?} {formats:?}");
        assert!(wires.len() >= 8 && wires.iter().all(|name| (2..=5).contains(&carried(name))));
        assert!(suppressed * 3 >= counted + suppressed, "{counted} {suppressed}");
    }

    #[test]
    fn days_add_up_to_articles() {
        let truth = Web::truth().unwrap();
        let brands: BTreeSet<String> =
            Web::brands().unwrap().into_iter().map(|brand| brand.name).collect();
        assert_eq!(brands, truth.expected.keys().cloned().collect());
        let mut sums: BTreeMap<String, BTreeMap<Day, Counts>> = BTreeMap::new();
        let mut originals: BTreeMap<&str, Vec<&TruthArticle>> = BTreeMap::new();
        for article in &truth.articles {
            originals
                .entry(article.story.as_ref().unwrap_or(&article.url))
                .or_default()
                .push(article);
            for (brand, n) in &article.counted {
                let sum = sums.entry(brand.clone()).or_default();
                let sum = sum.entry(article.day.parse().unwrap()).or_default();
                sum.counted += n;
                sum.articles += 1;
            }
            for (brand, n) in &article.suppressed {
                let sum = sums.entry(brand.clone()).or_default();
                sum.entry(article.day.parse().unwrap()).or_default().suppressed += n;
            }
        }
        assert_eq!(originals.len(), truth.stories);
        for members in originals.values() {
            let day: Day = members.iter().map(|a| a.day.parse().unwrap()).min().unwrap();
            let brands: BTreeSet<&String> = members.iter().flat_map(|a| a.counted.keys()).collect();
            for brand in brands {
                sums.entry(brand.clone()).or_default().entry(day).or_default().stories += 1;
            }
        }
        assert_eq!(sums, truth.expected);
    }

    #[test]
    fn whatever_ends_otherwise_is_offered() {
        let truth = Web::truth().unwrap();
        let mut offered: BTreeSet<String> = BTreeSet::new();
        for outlet in outlet::load_all().unwrap() {
            offered.extend(outlet.feed.iter().flat_map(|f| &f.extra).map(|e| e.url.clone()));
            offered.extend(outlet.articles.iter().map(|article| outlet.url_of(article)));
            offered.extend(outlet.feed.iter().map(|f| format!("http://{}{}", outlet.host, f.path)));
        }
        for url in truth.other_outcomes.keys().chain(&truth.forbidden) {
            assert!(offered.contains(url), "{url}");
        }
    }
}

//! The list of articles at the end of a report, numbered, and the ways to it from every count: so each
//! number can be looked up, on paper, too.
//!
//! Must not know: charts and tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::model::{Day, Sighting, UrlKey};
use crate::query::{ArticleLine, Report};

use super::markup::{foreign, link, text, within};

/// Numbers that stand behind one count; more are left to the list of the day.
const MOST: usize = 60;

/// Articles of a report by what they are counted under, as numbers in the list.
pub(super) struct Index<'a> {
    brand: &'a str,
    articles: &'a [ArticleLine],
    outlets: BTreeMap<&'a str, Vec<usize>>,
    languages: BTreeMap<&'a str, Vec<usize>>,
    stories: BTreeMap<UrlKey, Vec<usize>>,
    days: BTreeMap<Day, Vec<usize>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(report: &'a Report) -> Index<'a> {
        let mut index = Index {
            brand: &report.brand,
            articles: &report.articles,
            outlets: BTreeMap::new(),
            languages: BTreeMap::new(),
            stories: BTreeMap::new(),
            days: BTreeMap::new(),
        };
        for (at, article) in report.articles.iter().enumerate() {
            index.days.entry(article.day).or_default().push(at);
            if !article.mentions.contains_key(&report.brand) {
                continue;
            }
            index.outlets.entry(&article.outlet).or_default().push(at);
            let language = article.language.as_deref().unwrap_or("unknown");
            index.languages.entry(language).or_default().push(at);
            index.stories.entry(article.story.unwrap_or(article.key)).or_default().push(at);
        }
        index
    }

    pub(super) fn of_outlet(&self, outlet: &str) -> String {
        numbers(self.outlets.get(outlet))
    }

    pub(super) fn of_language(&self, language: &str) -> String {
        numbers(self.languages.get(language))
    }

    pub(super) fn of_story(&self, story: UrlKey) -> String {
        numbers(self.stories.get(&story))
    }

    /// Where the articles of a day stand, if there are any.
    pub(super) fn place(&self, day: Day) -> Option<String> {
        self.days.contains_key(&day).then(|| format!("day-{day}"))
    }

    /// The list itself, by day.
    pub(super) fn list(&self) -> String {
        let mut out = String::new();
        for (day, numbers) in &self.days {
            let _ = write!(out, "<h3 id=\"day-{day}\">{day}</h3><ol class=\"articles\">");
            for at in numbers {
                if let Some(article) = self.articles.get(*at) {
                    out += &self.item(*at, article);
                }
            }
            out += "</ol>";
        }
        out
    }

    fn item(&self, at: usize, article: &ArticleLine) -> String {
        let of = |counts: &BTreeMap<String, u32>| counts.get(self.brand).copied().unwrap_or(0);
        let (counted, suppressed) = (of(&article.mentions), of(&article.suppressed));
        let title = if article.title.is_empty() { &article.url } else { &article.title };
        let mut notes = vec![format!("{counted} counted")];
        if suppressed > 0 {
            notes.push(format!("{suppressed} not counted"));
        }
        if !article.original {
            notes.push("copy".to_owned());
        }
        if article.sighting == Sighting::Contradicted {
            notes.push("our polls contradict its date".to_owned());
        }
        if article.stuffed.iter().any(|brand| brand == self.brand) {
            notes.push("stuffed".to_owned());
        }
        format!(
            "<li id=\"a{0}\" value=\"{0}\"{1}>{2} <span class=\"note\">{3} · {4} · \
             <code>{5}</code></span></li>",
            at + 1,
            if counted == 0 { " class=\"none\"" } else { "" },
            link(&article.url, title),
            foreign(&article.outlet),
            text(&notes.join(", ")),
            article.key,
        )
    }
}

/// Numbers in the list, each a link.
fn numbers(articles: Option<&Vec<usize>>) -> String {
    let Some(articles) = articles else { return String::new() };
    let shown = articles.iter().take(MOST).map(|at| within(&format!("a{}", at + 1), at + 1));
    let mut out = shown.collect::<Vec<_>>().join(" ");
    if articles.len() > MOST {
        let _ = write!(out, " and {} more", articles.len() - MOST);
    }
    out
}

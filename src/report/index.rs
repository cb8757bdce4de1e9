//! The list of articles at the end of a report, numbered, and the ways to it from every count: so each
//! number can be looked up, on paper, too.
//!
//! Must not know: charts and tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::model::{Day, Sighting, UrlKey, escaped};
use crate::query::{ArticleLine, Report};
use crate::words::{Language, said};

use super::markup::{foreign, link, within};

/// Numbers that stand behind one count; more are left to the list of the day.
const MOST: usize = 60;

/// Articles of a report by what they are counted under, as numbers in the list.
pub(super) struct Index<'a> {
    language: Language,
    brand: &'a str,
    articles: &'a [ArticleLine],
    outlets: BTreeMap<&'a str, Vec<usize>>,
    languages: BTreeMap<&'a str, Vec<usize>>,
    stories: BTreeMap<UrlKey, Vec<usize>>,
    days: BTreeMap<Day, Vec<usize>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(report: &'a Report, language: Language) -> Index<'a> {
        let mut index = Index {
            language,
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
        numbers(self.language, self.outlets.get(outlet))
    }

    pub(super) fn of_language(&self, language: &str) -> String {
        numbers(self.language, self.languages.get(language))
    }

    pub(super) fn of_story(&self, story: UrlKey) -> String {
        numbers(self.language, self.stories.get(&story))
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
        let mut notes = vec![self.language.say(&said("n.counted").with("n", counted))];
        if suppressed > 0 {
            notes.push(self.language.say(&said("n.off").with("n", suppressed)));
        }
        if !article.original {
            notes.push(self.language.t("copy"));
        }
        if article.sighting == Sighting::Contradicted {
            notes.push(self.language.t("report.contradicted"));
        }
        if article.stuffed.iter().any(|brand| brand == self.brand) {
            notes.push(self.language.t("report.stuffed"));
        }
        format!(
            "<li id=\"a{0}\" value=\"{0}\"{1}>{2} <span class=\"note\">{3} · {4} · \
             <code>{5}</code></span></li>",
            at + 1,
            if counted == 0 { " class=\"none\"" } else { "" },
            link(&article.url, title),
            foreign(&article.outlet),
            escaped(&notes.join(", ")),
            article.key,
        )
    }
}

/// Numbers in the list, each a link.
fn numbers(language: Language, articles: Option<&Vec<usize>>) -> String {
    let Some(articles) = articles else { return String::new() };
    let shown = articles.iter().take(MOST).map(|at| within(&format!("a{}", at + 1), at + 1));
    let mut out = shown.collect::<Vec<_>>().join(" ");
    if articles.len() > MOST {
        let more = said("report.more").with("n", articles.len() - MOST);
        let _ = write!(out, " {}", language.say(&more));
    }
    out
}

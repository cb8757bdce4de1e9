//! The embedded files of an outlet: `outlet.toml` (how it serves), `page.html` (its template with
//! all of its clutter) and `articles.txt` (what it wrote), read into plain data.
//!
//! `articles.txt` is a sequence of articles. A line `= slug | instant | title` begins one; then each
//! line is a paragraph, unless its first character says otherwise: `:` standfirst, `@` byline,
//! `^` picture caption, `~` reader comment (`name: text`), `#` subheading, `>` quotation, `%` an
//! agency story to print here (`% name`, or `% name -n` without its nth line). `web/wire.txt` holds
//! the agency stories in the same form.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use serde::Deserialize;

/// A publisher of the small web.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outlet {
    pub host: String,
    pub name: String,
    /// BCP 47.
    pub language: String,
    /// Encoding of the page's bytes, whatever the page declares; `utf-16le` gets a BOM.
    pub charset: String,
    /// `Content-Type` header of article pages.
    pub content_type: String,
    /// Path of an article, with `{slug}`.
    pub article_path: String,
    pub style: Style,
    #[serde(default)]
    pub feed: Vec<Feed>,
    #[serde(default)]
    pub route: Vec<Route>,
    #[serde(skip)]
    pub template: String,
    #[serde(skip)]
    pub articles: Vec<Article>,
}

/// How the parts of an article look in this outlet's markup; `{}` is the text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Style {
    pub paragraph: String,
    pub heading: String,
    pub quote: String,
    pub lead: String,
    pub byline: String,
    pub caption: String,
    /// `{}` is the text, `{name}` who wrote it.
    pub comment: String,
}

/// A feed of the outlet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Feed {
    pub format: Format,
    pub path: String,
    pub content_type: String,
    #[serde(default = "utf8")]
    pub charset: String,
    /// Links without scheme and host.
    #[serde(default)]
    pub relative: bool,
    /// Lists the outlet's own articles.
    #[serde(default = "yes")]
    pub articles: bool,
    /// Entries beside those.
    #[serde(default)]
    pub extra: Vec<Extra>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    Rss2,
    /// RSS 2.0 as a careless script writes it: junk first, bare `&`, an element never closed.
    Rss2Broken,
    Rss1,
    Atom,
    Json,
    NewsSitemap,
}

/// An entry that is not one of the outlet's own articles.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extra {
    pub url: String,
    pub title: String,
    pub date: Timestamp,
}

/// A path answered in a fixed way: robots.txt, redirects, errors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Route {
    pub path: String,
    #[serde(default = "ok")]
    pub status: u16,
    #[serde(default = "plain")]
    pub content_type: String,
    pub location: Option<String>,
    #[serde(default)]
    pub body: String,
    /// Send the body this many times.
    pub repeat: Option<usize>,
}

fn utf8() -> String {
    "utf-8".to_owned()
}
fn plain() -> String {
    "text/plain".to_owned()
}
fn yes() -> bool {
    true
}
fn ok() -> u16 {
    200
}

/// One article as its author wrote it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Article {
    pub slug: String,
    pub date: Timestamp,
    pub title: String,
    pub parts: Vec<Part>,
    /// Name of the agency story printed here.
    pub wire: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Paragraph(String),
    Heading(String),
    Quote(String),
    Lead(String),
    Byline(String),
    Caption(String),
    Comment { name: String, text: String },
}

impl Outlet {
    /// Path of one of its articles.
    pub(super) fn path_of(&self, article: &Article) -> String {
        self.article_path.replace("{slug}", &article.slug)
    }
    /// Absolute URL of one of its articles.
    pub(super) fn url_of(&self, article: &Article) -> String {
        format!("http://{}{}", self.host, self.path_of(article))
    }
}

macro_rules! embedded {
    ($($name:literal)*) => {
        &[$((
            $name,
            include_str!(concat!("web/", $name, "/outlet.toml")),
            include_str!(concat!("web/", $name, "/page.html")),
            include_str!(concat!("web/", $name, "/articles.txt")),
        )),*]
    };
}

const WIRE: &str = include_str!("web/wire.txt");
const OUTLETS: &[(&str, &str, &str, &str)] = embedded!(
    "morgenblatt" "hafenkurier" "alpenbote" "technikwoche"
    "harbourgazette" "fjordpost" "prairietribune" "capecourier"
    "lavoix" "littoral" "diariodelsur" "elvigia"
    "vestnik" "listok" "chenbao" "minato" "almarsa" "kurier" "nightdesk"
);

/// All embedded outlets.
pub(super) fn load_all() -> Result<Vec<Outlet>> {
    let wire: HashMap<String, Article> = parse_articles(WIRE, &HashMap::new())
        .context("wire.txt")?
        .into_iter()
        .map(|story| (story.slug.clone(), story))
        .collect();
    OUTLETS
        .iter()
        .map(|(name, settings, template, articles)| {
            let mut outlet: Outlet =
                toml::from_str(settings).with_context(|| (*name).to_owned())?;
            outlet.template = (*template).to_owned();
            outlet.articles =
                parse_articles(articles, &wire).with_context(|| (*name).to_owned())?;
            Ok(outlet)
        })
        .collect()
}

/// Reads `articles.txt`; agency stories are taken from `wire`.
fn parse_articles(text: &str, wire: &HashMap<String, Article>) -> Result<Vec<Article>> {
    let mut articles: Vec<Article> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let at = || format!("line {}: `{line}`", number + 1);
        if let Some(head) = line.strip_prefix("= ") {
            let mut fields = head.splitn(3, " | ");
            let (Some(slug), Some(date), Some(title)) =
                (fields.next(), fields.next(), fields.next())
            else {
                bail!("{}: expected `= slug | instant | title`", at());
            };
            articles.push(Article {
                slug: slug.to_owned(),
                date: date.parse().with_context(at)?,
                title: title.to_owned(),
                parts: Vec::new(),
                wire: None,
            });
            continue;
        }
        let Some(article) = articles.last_mut() else { bail!("{}: before any article", at()) };
        let mut rest = line.chars();
        let mark = rest.next().unwrap_or(' ');
        let text = rest.as_str().trim().to_owned();
        match mark {
            ':' => article.parts.push(Part::Lead(text)),
            '@' => article.parts.push(Part::Byline(text)),
            '^' => article.parts.push(Part::Caption(text)),
            '#' => article.parts.push(Part::Heading(text)),
            '>' => article.parts.push(Part::Quote(text)),
            '~' => {
                let (name, text) = text.split_once(": ").with_context(at)?;
                let (name, text) = (name.to_owned(), text.to_owned());
                article.parts.push(Part::Comment { name, text });
            }
            '%' => {
                let (name, without) = match text.split_once(" -") {
                    Some((name, n)) => (name, Some(n.parse::<usize>().with_context(at)?)),
                    None => (text.as_str(), None),
                };
                let story = wire.get(name).with_context(at)?;
                article.parts.extend(
                    story
                        .parts
                        .iter()
                        .enumerate()
                        .filter(|(i, _)| without != Some(i + 1))
                        .map(|(_, part)| part.clone()),
                );
                article.wire = Some(name.to_owned());
            }
            _ => article.parts.push(Part::Paragraph(line.to_owned())),
        }
    }
    Ok(articles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_read() {
        let story = parse_articles(
            "= quake | 2026-11-09T08:00:00Z | Quake\nFirst.\n> Second.\nThird.",
            &HashMap::new(),
        )
        .unwrap();
        let wire = HashMap::from([("quake".to_owned(), story[0].clone())]);
        let text =
            "= a | 2026-11-09T10:00:00+01:00 | A | B\n@ Jo\n: Lead\n\n~ Ann: so: yes\n% quake -2";
        let read = parse_articles(text, &wire).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].title, "A | B");
        assert_eq!(
            read[0].parts,
            [
                Part::Byline("Jo".into()),
                Part::Lead("Lead".into()),
                Part::Comment { name: "Ann".into(), text: "so: yes".into() },
                Part::Paragraph("First.".into()),
                Part::Paragraph("Third.".into()),
            ]
        );
        assert_eq!(read[0].wire.as_deref(), Some("quake"));
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, expect) in [
            ("words", "line 1"),
            ("= a | b", "line 1"),
            ("= a | yesterday | t", "line 1"),
            ("= a | 2026-11-09T08:00:00Z | t\n% unknown", "line 2"),
            ("= a | 2026-11-09T08:00:00Z | t\n\n~ nobody", "line 3"),
        ] {
            let error = format!("{:#}", parse_articles(text, &HashMap::new()).unwrap_err());
            assert!(error.contains(expect), "{text}: {error}");
        }
    }
}

//! `crawler articles` and `crawler show`.

use anyhow::Result;

use crate::model::*;
use crate::query::{self, ArticleLine, ArticleView, Compared, Question, StoryView};

use super::context::Context;
use super::filter::Filter;
use super::{print, stories};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    filter: Filter,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let query = args.filter.query()?;
    let asked = query.brand.clone();
    let lines: Vec<ArticleLine> = context.ask(Question::Articles(query))?;
    if context.json() {
        return print::json(&lines);
    }
    let mut table = print::table(&["key", "day", "outlet", "lang", "story", "mentions", "title"]);
    for line in &lines {
        let story = match (line.copies, line.original) {
            (0, _) => String::new(),
            (n, true) => format!("original of {n}"),
            (_, false) => "copy".into(),
        };
        let cells = vec![
            line.key.to_string(),
            line.day.to_string(),
            line.outlet.clone(),
            line.language.clone().unwrap_or_default(),
            story,
            print::clip(&counts(line, asked.as_ref()), 50),
            print::clip(&line.title, 60),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    println!("{}", print::many(lines.len() as u64, "article"));
    Ok(())
}

/// The brands that an article counts, the one that is asked for first: others may leave no room for it.
fn counts(line: &ArticleLine, asked: Option<&String>) -> String {
    let (first, others): (Vec<_>, Vec<_>) =
        line.mentions.iter().partition(|(brand, _)| asked == Some(*brand));
    let all = first.into_iter().chain(others);
    let all: Vec<String> = all.map(|(brand, n)| named(brand, *n, &line.stuffed)).collect();
    all.join(", ")
}

/// A brand with its count; where mentions stop at the cap, that is said.
fn named(brand: &String, counted: u32, stuffed: &[String]) -> String {
    let at_cap = if stuffed.contains(brand) { " (stuffed)" } else { "" };
    format!("{brand} {counted}{at_cap}")
}

#[derive(clap::Args)]
pub(super) struct ShowArgs {
    /// Key of an article (or of a story with --story)
    key: UrlKey,
    /// Every block of the page with its label
    #[arg(long)]
    blocks: bool,
    /// The whole story: who printed it, when, how similar
    #[arg(long)]
    story: bool,
    /// What each copy changed, sentence by sentence (with --story)
    #[arg(long, requires = "story")]
    diff: bool,
}

pub(super) fn show(args: ShowArgs, context: &Context) -> Result<()> {
    if args.story {
        let diff = if args.diff { Compared::All } else { Compared::None };
        let view: StoryView = context.ask_one(Question::Story { id: args.key, diff })?;
        return if context.json() { print::json(&view) } else { stories::show(&view) };
    }
    let view: ArticleView = context.ask_one(Question::Article { key: args.key })?;
    if context.json() {
        return print::json(&view);
    }
    head(&view);
    if !view.record.has_text() {
        println!(
            "\nThe text is no longer kept, because of its age (retention.texts) or its publisher's signals \
             (signals); its mentions are counted as before."
        );
    } else if args.blocks {
        println!();
        for (block, zone) in view.record.article.blocks.iter().zip(&view.zones) {
            let (label, zone) = (block.label.name(), zone.name());
            println!("{label:>15} {zone:>8} {:4.2}  {}", block.probability, block.text);
        }
        repeated(&view);
    } else {
        println!("\n{}", view.record.article.text);
        repeated(&view);
    }
    mentions(&view);
    Ok(())
}

/// How many blocks the memory of the outlet took out of the text.
fn repeated(view: &ArticleView) {
    let blocks = &view.record.article.blocks;
    let taken = blocks.iter().filter(|block| block.label == Label::Repeated).count();
    if taken > 0 {
        println!(
            "\nnot counted: {} printed on other pages of this outlet (`repeated`; --blocks shows which)",
            print::many(taken as u64, "block")
        );
    }
}

fn head(view: &ArticleView) {
    let record = &view.record;
    let article = &record.article;
    let found = |f: &Option<Found<String>>| {
        f.as_ref()
            .map_or_else(|| "–".into(), |f| format!("{} ({})", f.value, print::word(&f.source)))
    };
    println!("title      {}", found(&article.title));
    println!("url        {}", record.final_url);
    println!("outlet     {}", record.outlet);
    let authors: Vec<&str> = article.authors.iter().map(|a| a.value.as_str()).collect();
    println!("authors    {}", if authors.is_empty() { "–".into() } else { authors.join(", ") });
    println!("agencies   {}", agencies(record.agencies.as_deref()));
    let published = &record.published;
    println!(
        "published  {}, day {} ({}, zone {}, from {})",
        query::published(published.at, published.day, published.precision),
        published.day,
        print::word(&published.precision),
        print::word(&published.zone),
        print::word(&published.source)
    );
    if record.sighting == Sighting::Contradicted {
        println!("           contradicted: a poll of its feed after that date did not list it");
    }
    println!("language   {}", found(&article.language));
    println!("charset    {} ({})", record.charset.0, record.charset.1);
    println!("model      {}{}", article.model, if article.fallback { ", fallback" } else { "" });
    if let Some(MemoryUsed { before, pages, texts, sum }) = &record.memory {
        let texts = print::many(u64::from(*texts), "text");
        println!("memory     {texts} of the outlet's pages ({pages} read before {before}, {sum})");
    }
    if !article.signals.is_empty() {
        println!("signals    {}", article.signals.join(", "));
    }
    if let Some(story) = &view.story {
        let members = print::many(story.members.len() as u64, "article");
        println!("story      {} with {members}", story.id);
    }
    stories::excerpts(&view.excerpts, &|key| key == record.key);
}

fn mentions(view: &ArticleView) {
    if view.mentions.is_empty() {
        return;
    }
    println!();
    let mut table = print::table(&["brand", "zone", "counted", "as written", "in"]);
    for row in &view.mentions {
        for mention in &row.mentions {
            let text = mention.block.map_or_else(
                || view.record.article.title.as_ref().map_or("", |t| t.value.as_str()),
                |b| view.record.article.blocks.get(b as usize).map_or("", |b| b.text.as_str()),
            );
            let cells = vec![
                mention.brand.clone(),
                print::word(&mention.zone),
                if mention.zone.counted() { "yes" } else { "no" }.into(),
                mention.matched.clone(),
                around(text, mention.start as usize, mention.end as usize),
            ];
            print::row(&mut table, cells);
        }
    }
    print::show(table);
    for row in &view.mentions {
        let stuffed = row.mentions.iter().filter(|m| m.zone == Zone::Stuffed).count();
        if stuffed > 0 {
            println!(
                "stuffed: {} is named more often than any article of this length does; its mentions stop \
                 at {}",
                row.brand, row.counted
            );
        }
    }
}

/// The words around a match.
fn around(text: &str, start: usize, end: usize) -> String {
    const REACH: usize = 30;
    let (Some(before), Some(hit), Some(after)) =
        (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return String::new();
    };
    let skip = before.chars().count().saturating_sub(REACH);
    let before: String = before.chars().skip(skip).collect();
    let after: String = after.chars().take(REACH).collect();
    format!("…{before}{hit}{after}…")
}

/// The news agencies of an article, for a line.
pub(super) fn agencies(found: Option<&[Found<String>]>) -> String {
    match found {
        None => "not known: read by an earlier version".to_owned(),
        Some([]) => "–".to_owned(),
        Some(found) => found
            .iter()
            .map(|f| format!("{} ({})", f.value, print::word(&f.source)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of an article that counts many brands, the one that was asked for was cut off.
    #[test]
    fn the_brand_that_is_asked_for_stands_first() {
        let key = UrlKey(7);
        let line: ArticleLine = serde_json::from_value(serde_json::json!({
            "key": key, "day": "2026-11-20", "outlet": "a.test", "language": null, "title": "",
            "url": "", "story": null, "copies": 0, "original": true, "characters": 9,
            "mentions": { "Acme": 1, "Umbra": 2, "Zenith": 3 }, "stuffed": ["Zenith"],
        }))
        .unwrap();
        for (asked, said) in [
            (None, "Acme 1, Umbra 2, Zenith 3 (stuffed)"),
            (Some("Zenith"), "Zenith 3 (stuffed), Acme 1, Umbra 2"),
            (Some("Nobody"), "Acme 1, Umbra 2, Zenith 3 (stuffed)"),
        ] {
            assert_eq!(counts(&line, asked.map(str::to_owned).as_ref()), said);
        }
    }
}

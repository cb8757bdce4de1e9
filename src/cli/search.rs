//! `crawler search`: articles with these words, in context.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use anyhow::Result;

use crate::model::*;
use crate::query::{Place, Question, SearchDay, SearchQuery, SearchView};
use crate::search::{Context as Piece, Kept, State};
use crate::serve::order::Order;

use super::context::Context;
use super::{print, usage};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Words, "phrases", AND, OR, NOT, NEAR/5, title:word, word*
    #[arg(required_unless_present = "rebuild", allow_hyphen_values = true)]
    query: Option<String>,
    /// More of it
    #[arg(hide = true)]
    more: Vec<String>,
    /// Zone of words that name none: title, lead or body
    #[arg(long)]
    zone: Option<String>,
    /// Only articles that count this brand
    #[arg(long)]
    brand: Option<String>,
    /// First publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// Only this outlet (registered domain)
    #[arg(long)]
    outlet: Option<String>,
    /// Only this language (two letters)
    #[arg(long)]
    language: Option<String>,
    /// At most this many articles, at least one; the counts per day are of all
    #[arg(long, default_value = "20")]
    limit: NonZeroUsize,
    /// Go on after this line: `next` of the previous JSON
    #[arg(long, value_name = "PLACE")]
    after: Option<Place>,
    /// Articles by day, next to those that count each brand
    #[arg(long)]
    days: bool,
    /// Make the index anew
    #[arg(
        long,
        conflicts_with_all = ["zone", "brand", "from", "to", "outlet", "language", "after", "days"]
    )]
    rebuild: bool,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    // A query may begin with the `-` of a word that is not wanted; what begins with two is a misspelt option.
    if let Some(option) = args.query.as_ref().filter(|query| query.starts_with("--")) {
        return Err(usage(format!("{option}: there is no such option, and no query begins so")));
    }
    if args.rebuild {
        if args.query.is_some() {
            return Err(usage("--rebuild takes no query"));
        }
        let kept: Kept = context.ask_one(Order::SearchRebuild)?;
        if context.json() {
            return print::json(&kept);
        }
        println!("index for search made: {}", print::many(kept.written, "article"));
        return Ok(());
    }
    super::in_order(args.from, args.to)?;
    let zone = match args.zone.as_deref() {
        None => None,
        Some("title") => Some(Zone::Title),
        Some("lead") => Some(Zone::Lead),
        Some("body") => Some(Zone::Body),
        Some(other) => return Err(usage(format!("--zone {other}: use title, lead or body"))),
    };
    let query = SearchQuery {
        text: args.query.into_iter().chain(args.more).collect::<Vec<_>>().join(" "),
        zone,
        brand: args.brand,
        from: args.from,
        to: args.to,
        outlet: args.outlet,
        language: args.language,
        after: args.after,
        limit: args.limit.get(),
    };
    let view: SearchView = context.ask_one(Question::Search(query))?;
    if context.json() {
        return print::json(&view);
    }
    if args.days {
        days(&view);
    } else {
        hits(&view);
    }
    let shown = view.hits.len() as u64;
    let all = print::many(view.articles, "article");
    match view.truncated && !args.days {
        true => println!("{all}, the newest {shown} shown (--limit)"),
        false => println!("{all}"),
    }
    told(&view.state);
    Ok(())
}

fn hits(view: &SearchView) {
    for hit in &view.hits {
        let line = &hit.line;
        println!("{}  {}  {}  {}", line.day, line.outlet, line.key, print::clip(&line.title, 80));
        for piece in &hit.context {
            println!("    {}: {}", print::word(&piece.zone), marked(piece));
        }
    }
}

/// What was looked for stands between brackets.
fn marked(piece: &Piece) -> String {
    let part = |part: &crate::search::Part| match part.hit {
        true => format!("[{}]", part.text),
        false => part.text.clone(),
    };
    piece.parts.iter().map(part).collect()
}

/// Brands with a column of their own.
const COLUMNS: usize = 12;

/// The brands that most articles of these days count, by name, and how many others there are.
fn columns(days: &[SearchDay]) -> (Vec<&String>, usize) {
    let mut sums: BTreeMap<&String, i64> = BTreeMap::new();
    for (brand, articles) in days.iter().flat_map(|day| &day.brands) {
        *sums.entry(brand).or_default() += articles;
    }
    let mut brands: Vec<&String> = sums.keys().copied().collect();
    brands.sort_by_key(|brand| Reverse(sums[brand]));
    let more = brands.len().saturating_sub(COLUMNS);
    brands.truncate(COLUMNS);
    brands.sort();
    (brands, more)
}

fn days(view: &SearchView) {
    let (brands, more) = columns(&view.days);
    let mut headings = vec!["day", "found", ""];
    headings.extend(brands.iter().map(|brand| brand.as_str()));
    let mut table = print::table(&headings);
    let most = view.days.iter().map(|day| day.articles as i64).max().unwrap_or(0);
    for day in &view.days {
        let mut cells = vec![
            day.day.to_string(),
            day.articles.to_string(),
            print::bar(day.articles as i64, most, 20),
        ];
        cells.extend(brands.iter().map(|brand| day.brands.get(*brand).unwrap_or(&0).to_string()));
        print::row(&mut table, cells);
    }
    print::show(table);
    if more > 0 {
        println!("the {COLUMNS} brands with most articles; --json has {more} more");
    }
}

/// How far the index is behind, if it is.
pub(super) fn told(state: &State) {
    if let Some(written) = state.building {
        println!("the index is being made: {} so far", print::many(written, "article"));
    } else if state.behind > 0 {
        println!("the index is {} behind", print::many(state.behind, "article"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of hundreds of brands each had a column.
    #[test]
    fn the_brands_of_most_articles_have_columns() {
        let day = |brands: &[(&str, i64)]| SearchDay {
            day: Day::constant(2026, 11, 20),
            articles: 1,
            brands: brands.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
        };
        assert_eq!(columns(&[day(&[("b", 1), ("a", 2)])]), (vec![&"a".into(), &"b".into()], 0));
        let names: Vec<String> = (0..40).map(|n| format!("Brand {n:02}")).collect();
        let each: Vec<(&str, i64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let days = [day(&each), day(&[("Brand 39", 1), ("Brand 17", 5)])];
        let (brands, more) = columns(&days);
        assert_eq!((brands.len(), more), (COLUMNS, 40 - COLUMNS));
        assert!(brands.is_sorted() && brands.contains(&&names[17]) && brands.contains(&&names[39]));
    }
}

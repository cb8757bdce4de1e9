//! `crawler discover`.

use std::process::ExitCode;

use anyhow::Result;

use crate::crawl::web::discover::Discovery;
use crate::serve::order::Order;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A site or one of its pages
    url: String,
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    let found: Discovery = context.ask_one(Order::Discover { url: args.url })?;
    let code = if found.feeds.is_empty() && found.sections.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    };
    if context.json() {
        print::json(&found)?;
        return Ok(code);
    }
    if !found.feeds.is_empty() {
        let mut table = print::table(&["feed", "format", "entries", "title", "found via"]);
        for feed in &found.feeds {
            let cells = vec![
                feed.url.clone(),
                print::word(&feed.format),
                feed.entries.to_string(),
                feed.title.clone().unwrap_or_default(),
                feed.via.clone(),
            ];
            print::row(&mut table, cells);
        }
        print::show(table);
    }
    for page in &found.sections {
        let articles = print::many(page.articles as u64, "article");
        println!("section page: {} links {articles}", page.url);
    }
    for (url, why) in &found.refused {
        println!("not read: {url} ({why})");
    }
    println!(
        "{} on {}",
        print::many(found.feeds.len() as u64, "feed"),
        print::many(found.pages as u64, "page")
    );
    Ok(code)
}

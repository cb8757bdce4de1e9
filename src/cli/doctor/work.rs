//! What the store tells: feeds, names, brands, tokens, trouble.

use std::net::SocketAddr;

use anyhow::Result;

use crate::cli::context::{Context, runtime};
use crate::cli::{print, sentence};
use crate::config::Config;
use crate::fetch;
use crate::model::FeedStatus;
use crate::query::{FeedLine, Question, Status, TokenLine};
use crate::store;

use super::Line;

/// Names looked up before it is said that none is known.
const NAMES: usize = 3;

pub(super) fn look(config: &Config, context: &Context) -> Vec<Line> {
    if config.store.url.is_none() {
        match store::exists(&config.data_dir) {
            Ok(true) => {}
            Ok(false) => {
                let dir = config.data_dir.display();
                return vec![Line::bad(
                    "store",
                    format!("there is none at {dir} yet: `crawler seed FEEDS` starts one"),
                )];
            }
            Err(error) => return vec![Line::bad("store", error.to_string())],
        }
    }
    let status = match context.ask_one::<Status>(Question::Status) {
        Ok(status) => status,
        Err(error) => return vec![Line::bad("store", sentence(&error))],
    };
    let mut lines = vec![Line::good(
        "store",
        format!(
            "{}, {}, {}",
            print::many(status.entries, "entry"),
            print::many(status.outcomes.get("article").copied().unwrap_or(0), "article"),
            print::bytes(status.size)
        ),
    )];
    if status.timezone != config.timezone {
        lines.push(Line::bad(
            "days",
            format!(
                "the store counts days in `{}`, the configuration says `{}`, so `crawler run` does not start: \
                 set `timezone` back",
                status.timezone, config.timezone
            ),
        ));
    }
    lines.extend(feeds(config, context));
    if status.brands > 0 {
        lines.push(Line::good(
            "brands",
            format!("{} watched", print::many(status.brands as u64, "brand")),
        ));
    }
    lines.extend(tokens(config, context));
    lines.extend(status.trouble.into_iter().map(|trouble| Line::bad("status", trouble.0)));
    lines
}

fn feeds(config: &Config, context: &Context) -> Vec<Line> {
    let feeds = match context.ask::<FeedLine>(Question::Feeds) {
        Ok(feeds) => feeds,
        Err(error) => return vec![Line::bad("feeds", sentence(&error))],
    };
    if feeds.is_empty() {
        // `status` says what to do.
        return Vec::new();
    }
    let followed = feeds.iter().filter(|feed| feed.status == FeedStatus::Active);
    let count = print::many(feeds.len() as u64, "feed");
    let asked = feeds.iter().filter(|feed| feed.last_poll.is_some()).count();
    let mut lines = vec![Line::good(
        "feeds",
        format!("{count}, {} followed, {asked} polled so far", followed.clone().count()),
    )];
    let mut names: Vec<String> = followed
        .filter_map(|feed| url::Url::parse(&feed.url).ok()?.domain().map(str::to_owned))
        .collect();
    names.sort();
    names.dedup();
    names.truncate(NAMES);
    // Without a contact nothing beyond one's own network is asked, name servers included.
    if config.identity().contact().is_some() && !names.is_empty() {
        lines.push(names_line(&names));
    }
    lines
}

fn names_line(names: &[String]) -> Line {
    let looked = || -> Result<String> {
        let runtime = runtime()?;
        let mut last = None;
        for name in names {
            match runtime.block_on(fetch::look_up(name)) {
                Ok(found) => {
                    return Ok(format!(
                        "{name} is {}",
                        found.first().map_or("nowhere".into(), |ip| ip.to_string())
                    ));
                }
                Err(error) => last = Some(error),
            }
        }
        let error = last.map_or_else(String::new, |e| e.to_string());
        anyhow::bail!(
            "{} cannot be looked up ({error}): check the network and /etc/resolv.conf",
            names.join(", ")
        )
    };
    Line::of("names", looked())
}

/// Beyond this machine nobody gets an answer without a token.
fn tokens(config: &Config, context: &Context) -> Option<Line> {
    let at: SocketAddr = config.listen.parse().ok()?;
    if at.ip().is_loopback() {
        return None;
    }
    let looked = context.ask::<TokenLine>(Question::Tokens).and_then(|tokens| {
        let live = tokens.iter().filter(|token| token.live).count();
        if live == 0 {
            anyhow::bail!(
                "nobody has access to {at}: `crawler token add NAME --scope read` makes a token"
            );
        }
        Ok(format!("{} of use", print::many(live as u64, "token")))
    });
    Some(Line::of("tokens", looked))
}

//! `crawler token`: who may ask over HTTP.

use std::io::{IsTerminal, Write};

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;

use crate::model::{Scope, Span};
use crate::query::{Question, TokenLine};
use crate::serve::order::Order;
use crate::serve::tokens::{Added, Revoked};

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Make a token; it is shown only now
    Add {
        /// Who uses it, or what for
        name: String,
        /// What it allows: read, write, metrics
        #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', default_value = "read")]
        scopes: Vec<Scope>,
        /// How long it is valid, for example 90d [default: until it is revoked]
        #[arg(long, value_name = "TIME")]
        expires: Option<Span>,
    },
    /// All tokens with scopes and last use (the default)
    List,
    /// End a token, by name or id, and the browser sessions that it opened
    Revoke { name: String },
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    match args.action.unwrap_or(Action::List) {
        Action::Add { name, scopes, expires } => {
            let added: Added = context.ask_one(Order::TokenAdd { name, scopes, lasts: expires })?;
            // In a pipe the token alone, for a file of secrets.
            let shown = if context.json() { print::pretty(&added)? } else { added.token.clone() };
            let mut out = std::io::stdout();
            if let Err(error) = writeln!(out, "{shown}").and_then(|()| out.flush()) {
                // Nobody can use a token that nobody has seen, and nobody would miss it.
                let Added { name, id, .. } = added;
                context.ask_one::<Revoked>(Order::TokenRevoke { name: id }).with_context(|| {
                    format!("nobody has seen the token {name}, and it is still valid")
                })?;
                bail!(
                    "cannot write to standard output: {error}: the token {name} is revoked again"
                );
            }
            if context.json() {
                return Ok(());
            }
            if std::io::stdout().is_terminal() {
                println!(
                    "this is `{}` ({}); keep it, it is not shown again: `Authorization: Bearer \
                     {}…`, or /login in a browser",
                    added.name,
                    names(&added.scopes),
                    added.token.get(..25).unwrap_or_default()
                );
            }
        }
        Action::List => list(context)?,
        Action::Revoke { name } => {
            let revoked: Revoked = context.ask_one(Order::TokenRevoke { name })?;
            if context.json() {
                return print::json(&revoked);
            }
            println!("{} is no longer valid", revoked.name);
        }
    }
    Ok(())
}

fn list(context: &Context) -> Result<()> {
    let lines: Vec<TokenLine> = context.ask(Question::Tokens)?;
    if context.json() {
        return print::json(&lines);
    }
    let mut table =
        print::table(&["name", "scopes", "made", "last use", "until", "sessions", "id"]);
    for line in &lines {
        let until = match (line.revoked, line.expires) {
            (Some(at), _) => format!("revoked {}", print::instant(Some(at))),
            (None, Some(at)) if !line.live => format!("expired {}", print::instant(Some(at))),
            (None, end) => print::instant(end),
        };
        let cells = vec![
            line.name.clone(),
            names(&line.scopes),
            print::instant(Some(line.created)),
            print::instant(line.used),
            until,
            line.sessions.to_string(),
            line.id.clone(),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    println!("{}", print::many(lines.len() as u64, "token"));
    Ok(())
}

fn names(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(",")
}

//! `crawler notes`: what people pin to days, such as a press release.

use anyhow::Result;
use clap::Subcommand;

use crate::crawl::orders::notes::NoteRemoved;
use crate::model::{Day, Note};
use crate::query::{NotesQuery, Question};
use crate::serve::order::Order;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Pin a note to a day
    Add {
        /// The day, for example 2026-11-20
        #[arg(value_name = "DAY", value_parser = crate::model::written_day)]
        day: Day,
        /// What happened, in a few words
        text: String,
        /// The brand that it is about [default: all]
        #[arg(long, value_name = "BRAND")]
        brand: Option<String>,
    },
    /// The notes, by day (the default)
    List {
        /// Only notes about this brand, and about all brands
        #[arg(long, value_name = "BRAND")]
        brand: Option<String>,
        /// First day
        #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
        from: Option<Day>,
        /// Last day
        #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
        to: Option<Day>,
    },
    /// Remove a note
    Rm {
        #[arg(value_name = "NOTE")]
        id: String,
    },
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let all = Action::List { brand: None, from: None, to: None };
    match args.action.unwrap_or(all) {
        Action::Add { day, text, brand } => {
            let note: Note = context.ask_one(Order::NoteAdd { day, brand, text })?;
            if context.json() {
                return print::json(&note);
            }
            println!("note {} pinned", note.id);
        }
        Action::Rm { id } => {
            let removed: NoteRemoved = context.ask_one(Order::NoteRemove { id })?;
            if context.json() {
                return print::json(&removed);
            }
            println!("note {} removed", removed.id);
        }
        Action::List { brand, from, to } => {
            super::in_order(from, to)?;
            let notes: Vec<Note> = context.ask(Question::Notes(NotesQuery { brand, from, to }))?;
            if context.json() {
                return print::json(&notes);
            }
            let mut table = print::table(&["note", "brand", "text", "by"]);
            for note in &notes {
                let brand = note.brand.clone().unwrap_or_else(|| "all".into());
                print::row(
                    &mut table,
                    vec![note.id.clone(), brand, note.text.clone(), note.by.clone()],
                );
            }
            print::show(table);
            println!("{}", print::many(notes.len() as u64, "note"));
        }
    }
    Ok(())
}

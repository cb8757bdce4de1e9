//! `crawler config`: the settings in force, and where each comes from.

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;

use super::context::Context;
use super::{print, usage};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Every setting with its value and where that comes from (the default)
    Show {
        /// Only this key, or the keys of this section
        key: Option<String>,
        /// Only settings that differ from the shipped ones
        #[arg(long)]
        changed: bool,
    },
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let Action::Show { key, changed } =
        args.action.unwrap_or(Action::Show { key: None, changed: false });
    let loaded = context.loaded()?;
    let mut settings = if changed { loaded.changed() } else { loaded.settings() };
    if let Some(wanted) = key {
        let inside = format!("{wanted}.");
        let has = |key: &str| key == wanted || key.starts_with(&inside);
        if !loaded.settings().iter().any(|setting| has(&setting.key)) {
            return Err(usage(crate::config::unknown(&wanted)));
        }
        settings.retain(|setting| has(&setting.key));
    }
    if context.json() {
        return print::json(&settings);
    }
    let mut table = print::table(&["key", "value", "source"]);
    for setting in settings {
        let value = match setting.value {
            Value::Null => "–".into(),
            value => value.to_string(),
        };
        print::row(&mut table, vec![setting.key, value, setting.source.to_string()]);
    }
    print::show(table);
    Ok(())
}

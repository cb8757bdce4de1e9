//! `crawler model`: what a model file holds.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::context::{self, Context};
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Kind, profile, identity and card of a model; without a file of the embedded one
    Show { file: Option<PathBuf> },
    /// Read a model and check its checksum
    Verify { file: PathBuf },
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    match args.action {
        Action::Show { file } => {
            let model = context::model(file.as_ref())?;
            let shown = json!({
                "id": model.id(),
                "kind": model.kind().name(),
                "profile": format!("{:?}", model.profile()).to_lowercase(),
                "bytes": model.bytes().len(),
                "note": model.note(),
            });
            if context.json() {
                return print::json(&shown);
            }
            println!("id       {}", model.id());
            println!("kind     {}", model.kind().name());
            println!("profile  {:?}", model.profile());
            println!("size     {}", print::bytes(model.bytes().len() as u64));
            println!("\n{}", model.note());
        }
        Action::Verify { file } => {
            let model = context::model(Some(&file))?;
            println!(
                "{}: {} model {}, checksum good",
                file.display(),
                model.kind().name(),
                model.id()
            );
        }
    }
    Ok(())
}

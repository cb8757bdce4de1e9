//! `crawler model`: what a model file holds.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Subcommand;
use serde_json::json;

use crate::extract::Model;
use crate::extract::label::Kind;
use crate::extract::label::leaves::Weight;
use crate::model::Label;

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
    Show {
        file: Option<PathBuf>,
        /// The strongest features of a label (svm, and crf on leaf2009)
        #[arg(long, value_name = "LABEL")]
        weights: Option<Label>,
        /// How many of them
        #[arg(long, default_value_t = 20, value_name = "N")]
        count: usize,
    },
    /// Read a model and check its checksum
    Verify { file: PathBuf },
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    match args.action {
        Action::Show { file, weights, count } => {
            let model = context::model(file.as_ref())?;
            if let Some(label) = weights {
                return strongest(&model, label, count, context);
            }
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

/// What speaks for a label and what against it (Spengler & Gallinari 2009, §4.3).
fn strongest(model: &Model, label: Label, count: usize, context: &Context) -> Result<()> {
    let Kind::Leaves(leaves) = model.kind() else {
        bail!("a {} model has no weights per label", model.kind().name());
    };
    let Some([best, worst]) = leaves.strongest(label, count) else {
        let known: Vec<&str> = leaves.labels.iter().map(|l| l.name()).collect();
        bail!("the model does not know {}; it knows {}", label.name(), known.join(", "));
    };
    if context.json() {
        let rows = |weights: &[Weight<'_>]| -> Vec<serde_json::Value> {
            let row =
                |w: &Weight<'_>| json!({"name": w.name, "weight": w.weight, "effect": w.effect});
            weights.iter().map(row).collect()
        };
        return print::json(&json!({
            "label": label.name(),
            "for": rows(&best),
            "against": rows(&worst),
        }));
    }
    let table = |title: &str, weights: &[Weight<'_>]| {
        println!("{title} {}", label.name());
        println!("{:>9} {:>9}  feature", "weight", "effect");
        for w in weights {
            println!("{:>9.4} {:>9.4}  {}", w.weight, w.effect, w.name);
        }
    };
    table("for", &best);
    println!();
    table("against", &worst);
    Ok(())
}

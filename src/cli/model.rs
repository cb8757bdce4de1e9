//! `crawler model`: what a model file holds, whether it is sound, and putting it into use.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use serde_json::json;

use crate::crawl::orders::models::{self, Deployed};
use crate::extract::Model;
use crate::extract::label::Kind;
use crate::extract::label::leaves::Weight;
use crate::model::{Bytes, Label};
use crate::query::Question;
use crate::serve::order::Order;
use crate::store::decision::Deployment;

use super::context::{self, Context};
use super::print;

/// Features listed by `show`.
const STRONGEST: usize = 15;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Identity, kind, size, strongest features and card of a model; without a file, of the program's own
    Show {
        file: Option<PathBuf>,
        /// The strongest features of a label (svm, and crf on leaf2009)
        #[arg(long, value_name = "LABEL")]
        weights: Option<Label>,
        /// How many of them
        #[arg(long, default_value_t = 20, value_name = "N")]
        count: usize,
    },
    /// Check a model: checksum, features, and that it reads a plain page
    Verify { file: PathBuf },
    /// Use a model for every page from now on, also in a running daemon; articles keep the model that
    /// labelled them. Without a file: return to the program's own model
    Deploy { file: Option<PathBuf> },
    /// Models that were in use, and since when
    List,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    match args.action {
        Action::Show { file, weights: Some(label), count } => {
            weights(&context::model(file.as_ref())?, label, count, context)
        }
        Action::Show { file, .. } => show(file.as_ref(), context),
        Action::Verify { file } => verify(&file, context),
        Action::Deploy { file } => deploy(file.as_deref(), context),
        Action::List => list(context),
    }
}

fn show(file: Option<&PathBuf>, context: &Context) -> Result<()> {
    let model = context::model(file)?;
    let strongest = model.explainer().strongest();
    let card = file.and_then(|file| card(file));
    let bytes = model.bytes().len();
    if context.json() {
        return print::json(&json!({
            "id": model.id(),
            "kind": model.kind().name(),
            "profile": model.profile().name(),
            "bytes": bytes,
            "note": model.note(),
            "features": strongest,
            "card": card,
        }));
    }
    println!("id       {}", model.id());
    println!("kind     {}", model.kind().name());
    println!("profile  {}", model.profile().name());
    println!("size     {}", print::bytes(bytes as u64));
    println!("note     {}", model.note());
    if !strongest.is_empty() {
        println!("\nstrongest features (with their weights):");
        for (name, weight) in strongest.iter().take(STRONGEST) {
            println!("{weight:9.3}  {name}");
        }
        if strongest.len() > STRONGEST {
            let others = (strongest.len() - STRONGEST) as u64;
            println!("           and {}", print::many(others, "other"));
        }
    }
    if let Some(card) = card {
        println!("\n{}", card.trim_end());
    }
    Ok(())
}

/// The card beside a model file, as `crawler train` writes it (FILE.md) or as it is shipped (the
/// file's name with `md` for `model`).
fn card(file: &Path) -> Option<String> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".md");
    std::fs::read_to_string(PathBuf::from(beside))
        .or_else(|_| std::fs::read_to_string(file.with_extension("md")))
        .ok()
}

fn verify(file: &Path, context: &Context) -> Result<()> {
    let bytes = read(file)?;
    let began = Instant::now();
    let model = Model::load(&bytes).map_err(|e| anyhow::anyhow!("{}: {e}", file.display()))?;
    let loaded = began.elapsed();
    models::checked(&bytes).with_context(|| file.display().to_string())?;
    if context.json() {
        return print::json(&json!({
            "id": model.id(),
            "kind": model.kind().name(),
            "load_seconds": loaded.as_secs_f64(),
        }));
    }
    println!(
        "{}: {} model {}: checksum good, features known, loads in {:.1} ms, reads a plain page",
        file.display(),
        model.kind().name(),
        model.id(),
        loaded.as_secs_f64() * 1e3
    );
    Ok(())
}

fn deploy(file: Option<&Path>, context: &Context) -> Result<()> {
    let model = match file {
        None => None,
        Some(file) => {
            let bytes = read(file)?;
            // Here as well as where it is deployed: this sentence names the file.
            models::checked(&bytes).with_context(|| file.display().to_string())?;
            Some(Bytes(bytes))
        }
    };
    let deployed: Deployed = context.ask_one(Order::ModelDeploy { model })?;
    if context.json() {
        return print::json(&deployed);
    }
    match deployed {
        Deployed { id, unchanged: true, .. } => println!("model {id} is in use already"),
        Deployed { id, previous: Some(previous), .. } if previous != id => {
            println!("model {id} is in use from now on, instead of {previous}");
        }
        Deployed { id, .. } => println!("model {id} is in use from now on"),
    }
    Ok(())
}

fn list(context: &Context) -> Result<()> {
    let all: Vec<Deployment> = context.ask(Question::Models)?;
    if context.json() {
        return print::json(&all);
    }
    let mut table = print::table(&["since", "origin", "model"]);
    for deployment in &all {
        let since = print::instant(Some(deployment.at));
        let origin = deployment.origin.name().to_owned();
        print::row(&mut table, vec![since, origin, deployment.id.clone()]);
    }
    print::show(table);
    if all.is_empty() {
        println!("none yet: the first `crawler run` notes the model it uses");
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read the model {}", file.display()))
}

/// What speaks for a label and what against it (Spengler & Gallinari 2009, §4.3).
fn weights(model: &Model, label: Label, count: usize, context: &Context) -> Result<()> {
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

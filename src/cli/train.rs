//! `crawler train`: labelled pages → a model file and its card.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::extract::Profile;
use crate::extract::label::sd::Scan;
use crate::learn::report::figures::Figure;
use crate::learn::train::{Settings, Trainable};
use crate::learn::{self, Progress, StudyOptions, TrainOptions, pappas, pso};

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Labelled corpora: folders with pages/ and gold.jsonl
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    #[command(flatten)]
    labeler: Labeler,
    /// Write the model here; the card goes beside it as FILE.md
    #[arg(long, short, value_name = "FILE", required_unless_present = "study")]
    output: Option<PathBuf>,
    /// Instead of a model, write the paper's tables and figures (Markdown, CSV, SVG) to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    study: Option<PathBuf>,
}

/// Which labeler, and how it is trained; shared with `eval`.
#[derive(clap::Args)]
pub(super) struct Labeler {
    /// Labeler to train
    #[arg(long, default_value = "threshold", value_name = "NAME")]
    labeler: Trainable,
    /// Segmentation profile: modern or ziegler2007
    #[arg(long, default_value = "modern", value_name = "NAME")]
    profile: String,
    /// Page types to use; `article` stands for pages without a type; may be repeated
    #[arg(long, default_value = "article", value_name = "TYPE")]
    page_type: Vec<String>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Swarm: number of particles n
    #[arg(long, default_value_t = 100)]
    particles: usize,
    /// Swarm: number of generations
    #[arg(long, default_value_t = 100)]
    generations: usize,
    /// Swarm: pull towards a particle's own best state
    #[arg(long)]
    cognitive: Option<f64>,
    /// Swarm: pull towards the population's best particle
    #[arg(long)]
    social: Option<f64>,
    /// Swarm: share of the velocity that is kept
    #[arg(long)]
    inertia: Option<f64>,
    /// sd: word that gives a comment region away, instead of the built-in ones; may be repeated
    #[arg(long, value_name = "WORD", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    comment_keyword: Vec<String>,
    /// sd: look for comments in all regions, not only in the candidates
    #[arg(long)]
    scan_regions: bool,
}

impl Labeler {
    pub(super) fn page_types(&self) -> Vec<String> {
        self.page_type.clone()
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn settings(&self) -> Result<Settings> {
        let damped = pso::Settings::damped();
        Ok(Settings {
            labeler: self.labeler,
            profile: profile(&self.profile)?,
            page_types: self.page_type.clone(),
            swarm: pso::Settings {
                particles: self.particles,
                generations: self.generations,
                cognitive: self.cognitive.unwrap_or(damped.cognitive),
                social: self.social.unwrap_or(damped.social),
                inertia: self.inertia.unwrap_or(damped.inertia),
                seed: self.seed,
                ..damped
            },
            sd: self.sd(),
            ..Settings::default()
        })
    }

    fn sd(&self) -> pappas::Settings {
        let mut sd = pappas::Settings::default();
        if !self.comment_keyword.is_empty() {
            sd.keywords.clone_from(&self.comment_keyword);
        }
        if self.scan_regions {
            sd.scan = Scan::Regions;
        }
        sd
    }
}

fn profile(name: &str) -> Result<Profile> {
    match name {
        "modern" => Ok(Profile::Modern),
        "ziegler2007" => Ok(Profile::Ziegler2007),
        other => anyhow::bail!("--profile {other}: use modern or ziegler2007"),
    }
}

pub(super) fn run(args: Args, _context: &Context) -> Result<()> {
    let settings = args.labeler.settings()?;
    let bar = print::progress();
    let show = |step: Progress| print::advance(&bar, &step);
    if let Some(folder) = &args.study {
        let (table, figures) = if settings.labeler == Trainable::Sd {
            let study = pappas::study::study(
                &pappas::study::StudyOptions {
                    corpora: args.corpora,
                    profile: settings.profile,
                    settings: settings.sd,
                    per_class: 200,
                    draws: 10,
                    folds: 5,
                    seed: args.labeler.seed(),
                },
                &show,
            )?;
            (study.table, study.figures)
        } else {
            let options = StudyOptions {
                corpora: args.corpora,
                page_types: args.labeler.page_types(),
                swarm: settings.swarm,
                folds: 5,
                sizes: vec![10, 25, 50, 100, 200],
            };
            let study = learn::study(&options, &show)?;
            (study.table, study.figures)
        };
        bar.finish_and_clear();
        write_study(folder, &table, &figures)?;
        println!("{table}");
        return Ok(());
    }
    let Some(output) = args.output else { return Ok(()) };
    let trained = learn::train(&TrainOptions { corpora: args.corpora, settings }, &show)?;
    bar.finish_and_clear();
    write(&output, &trained.bytes)?;
    let mut card = output.clone().into_os_string();
    card.push(".md");
    write(Path::new(&card), trained.card.as_bytes())?;
    println!(
        "model {} ({}) written to {}",
        trained.model.id(),
        print::bytes(trained.bytes.len() as u64),
        output.display()
    );
    Ok(())
}

fn write_study(folder: &Path, table: &str, figures: &[Figure]) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    write(&folder.join("tables.md"), table.as_bytes())?;
    for figure in figures {
        write(&folder.join(format!("{}.csv", figure.name)), figure.csv.as_bytes())?;
        write(&folder.join(format!("{}.svg", figure.name)), figure.svg.as_bytes())?;
    }
    Ok(())
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

//! `crawler train`: labelled pages → a model file and its card.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::extract::Profile;
use crate::learn::train::{Settings, Trainable};
use crate::learn::{
    self, GibsonStudyOptions, Progress, StudyOptions, TrainOptions, chain, gibson, pso,
};

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
    /// Instead of a model, write the tables and figures of the labeler's paper (Markdown, CSV, SVG)
    /// to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    study: Option<PathBuf>,
    /// Study of maxent, memm and crf: at most so many pages, and articles to make three copies of each
    #[arg(long, num_args = 2, value_names = ["PAGES", "ARTICLES"], requires = "study")]
    study_size: Option<Vec<usize>>,
}

/// Which labeler, and how it is trained; shared with `eval`.
#[derive(clap::Args)]
pub(super) struct Labeler {
    /// Labeler to train
    #[arg(long, default_value = "threshold", value_name = "NAME")]
    labeler: Trainable,
    /// Segmentation profile: modern, ziegler2007 or gibson2007; without it the labeler's own
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
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
    /// maxent, memm, crf: standard deviation σ of the prior over weights
    #[arg(long, default_value_t = 10.0)]
    sigma: f64,
    /// memm, crf: features over pairs of labels beside those over labels
    #[arg(long)]
    edges: bool,
    /// maxent, memm, crf: the features of the block before are features of a block too
    #[arg(long)]
    history: bool,
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
            profile: match &self.profile {
                Some(name) => profile(name)?,
                None => self.labeler.profile(),
            },
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
            gibson: gibson::Settings {
                chain: chain::Settings {
                    sigma: self.sigma,
                    edges: self.edges,
                    history: self.history,
                    ..chain::Settings::default()
                },
                ..gibson::Settings::default()
            },
            ..Settings::default()
        })
    }
}

fn profile(name: &str) -> Result<Profile> {
    match name {
        "modern" => Ok(Profile::Modern),
        "ziegler2007" => Ok(Profile::Ziegler2007),
        "gibson2007" => Ok(Profile::Gibson2007),
        other => anyhow::bail!("--profile {other}: use modern, ziegler2007 or gibson2007"),
    }
}

pub(super) fn run(args: Args, _context: &Context) -> Result<()> {
    let settings = args.labeler.settings()?;
    let bar = print::progress();
    let show = |step: Progress| print::advance(&bar, &step);
    if let Some(folder) = args.study.as_ref().filter(|_| settings.labeler.form().is_some()) {
        let mut options = GibsonStudyOptions {
            corpora: args.corpora,
            page_types: args.labeler.page_types(),
            seed: args.labeler.seed(),
            ..GibsonStudyOptions::default()
        };
        if let Some(&[pages, articles]) = args.study_size.as_deref() {
            (options.pages, options.articles) = (pages, articles);
        }
        let study = learn::gibson_study(&options, &show)?;
        bar.finish_and_clear();
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        write(&folder.join("tables.md"), study.table.as_bytes())?;
        write(&folder.join("rows.csv"), study.csv.as_bytes())?;
        println!("{}", study.table);
        return Ok(());
    }
    if let Some(folder) = &args.study {
        let options = StudyOptions {
            corpora: args.corpora,
            page_types: args.labeler.page_types(),
            swarm: settings.swarm,
            folds: 5,
            sizes: vec![10, 25, 50, 100, 200],
        };
        let study = learn::study(&options, &show)?;
        bar.finish_and_clear();
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        write(&folder.join("tables.md"), study.table.as_bytes())?;
        for figure in &study.figures {
            write(&folder.join(format!("{}.csv", figure.name)), figure.csv.as_bytes())?;
            write(&folder.join(format!("{}.svg", figure.name)), figure.svg.as_bytes())?;
        }
        println!("{}", study.table);
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

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

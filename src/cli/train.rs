//! `crawler train`: labelled pages → a model file and its card.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use serde_json::json;

use crate::extract::Profile;
use crate::extract::label::sd::Reading;
use crate::learn::report::figures::Figure;
use crate::learn::train::{Settings, Trainable};
use crate::learn::ziegler::{self, pso};
use crate::learn::{self, Progress, TrainOptions, chain, gibson, pappas, spengler};
use crate::model::Label;

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
    /// Instead of a labeler, train what tells lists from articles, on pages of all types
    #[arg(long, conflicts_with = "study")]
    page_classifier: bool,
    /// Instead of a model, write a paper's tables and figures (Markdown, CSV, SVG) to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    study: Option<PathBuf>,
    /// svm, crf on leaf2009: train on the pages that this folder labels by hand (`crawler annotate`), and
    /// on those labels; study of spengler2009: add the experiment with all thirty labels
    #[arg(long, value_name = "DIR")]
    annotations: Option<PathBuf>,
    /// The paper whose experiments are run [default: the labeler's]
    #[arg(long, value_name = "PAPER", value_enum, requires = "study")]
    study_of: Option<Paper>,
    /// Study of spengler2009: instead of its other experiments, all features against no style on the pages that
    /// this folder holds drawn by a browser (`crawler annotate --drawn`)
    #[arg(long, value_name = "DIR", requires = "study")]
    drawn: Option<PathBuf>,
    /// Study of ziegler2007: at most this many pages of each corpus; of gibson2007: at most this many in all
    #[arg(long, value_name = "N", requires = "study")]
    study_pages: Option<usize>,
    /// Study of gibson2007: articles that three copies each are made of
    #[arg(long, value_name = "N", requires = "study")]
    study_articles: Option<usize>,
    /// Study of spengler2009: random samples per size of the learning curve
    #[arg(long, default_value_t = 10, value_name = "N")]
    samples: usize,
}

/// A paper with experiments of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Paper {
    /// Ziegler & Skubacz 2007: thresholds by particle swarm
    Ziegler2007,
    /// Gibson, Wellner & Lubar 2007: maxent, MEMM and CRF over the eleven feature types
    Gibson2007,
    /// Spengler & Gallinari 2009: SVM and CRF over visible leaves
    Spengler2009,
    /// Pappas, Katsimpras & Stamatatos 2012: SD
    Pappas2012,
}

impl Paper {
    /// The paper that a labeler is from.
    fn of(settings: &Settings) -> Paper {
        match (settings.labeler, settings.profile) {
            (Trainable::Sd, _) => Paper::Pappas2012,
            (_, Profile::Leaf2009) => Paper::Spengler2009,
            (_, Profile::Gibson2007) => Paper::Gibson2007,
            _ => Paper::Ziegler2007,
        }
    }
}

/// Which labeler, and how it is trained; shared with `eval`.
#[derive(clap::Args)]
pub(super) struct Labeler {
    /// Labeler to train [default: threshold]
    #[arg(long, value_name = "NAME")]
    labeler: Option<Trainable>,
    /// Segmentation profile: modern, ziegler2007, text, gibson2007 or leaf2009; without it the
    /// labeler's own.
    /// A crf on leaf2009 is that of Spengler & Gallinari, else that of Gibson et al.
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,
    /// Page types to use; `article` stands for pages without a type; may be repeated
    #[arg(long, default_value = "article", value_name = "TYPE")]
    page_type: Vec<String>,
    /// svm, crf on leaf2009: labels to tell apart, separated by commas; one of them is none
    #[arg(long, default_value = "content,none", value_name = "NAMES", value_delimiter = ',')]
    labels: Vec<Label>,
    /// svm, crf on leaf2009: where nobody has set labels, also learn those that pages state themselves
    /// (metadata, links, names)
    #[arg(long)]
    distant: bool,
    /// svm, crf on leaf2009: leave out style features of the markup
    #[arg(long)]
    no_style: bool,
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
    /// maxent, memm, crf: standard deviation σ of the prior over weights; 10, on leaf2009 1
    #[arg(long)]
    sigma: Option<f64>,
    /// memm, crf: features over pairs of labels in addition to those over labels
    #[arg(long)]
    edges: bool,
    /// maxent, memm, crf: the features of the previous block are features of a block, too
    #[arg(long)]
    history: bool,
    /// sd: word that identifies a comment region, instead of the built-in ones; may be repeated
    #[arg(long, value_name = "WORD", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    comment_keyword: Vec<String>,
    /// sd: what makes a page one of multiple areas (level or group), and where comments are looked for:
    /// level-candidates, level-regions, group-candidates or group-regions
    #[arg(long, value_name = "NAME")]
    reading: Option<Reading>,
}

impl Labeler {
    pub(super) fn page_types(&self) -> Vec<String> {
        self.page_type.clone()
    }

    /// Did somebody name a labeler?
    pub(super) fn is_named(&self) -> bool {
        self.labeler.is_some()
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn settings(&self) -> Settings {
        let damped = pso::Settings::damped();
        let labeler = self.labeler.unwrap_or_default();
        Settings {
            labeler,
            profile: self.profile.unwrap_or(labeler.profile()),
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
                    sigma: self.sigma.unwrap_or(chain::Settings::default().sigma),
                    edges: self.edges,
                    history: self.history,
                    ..chain::Settings::default()
                },
                ..gibson::Settings::default()
            },
            sd: self.sd(),
            leaves: self.leaves(),
            ..Settings::default()
        }
    }

    fn leaves(&self) -> spengler::Settings {
        let mut settings = spengler::Settings {
            labels: self.labels.clone(),
            distant: self.distant,
            style: !self.no_style,
            ..spengler::Settings::default()
        };
        settings.svm.seed = self.seed;
        settings.crf.sigma = self.sigma.unwrap_or(settings.crf.sigma);
        settings
    }

    fn sd(&self) -> pappas::Settings {
        let mut sd = pappas::Settings::default();
        if !self.comment_keyword.is_empty() {
            sd.keywords.clone_from(&self.comment_keyword);
        }
        sd.reading = self.reading.unwrap_or_default();
        sd
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let settings = args.labeler.settings();
    let bar = print::progress();
    let show = |step: Progress| print::advance(&bar, &step);
    if let Some(folder) = &args.study {
        let corpora = args.corpora;
        let (page_types, seed) = (args.labeler.page_types(), args.labeler.seed());
        let (table, figures) = match args.study_of.unwrap_or_else(|| Paper::of(&settings)) {
            Paper::Ziegler2007 => {
                let options = ziegler::StudyOptions {
                    corpora,
                    page_types,
                    pages: args.study_pages,
                    swarm: settings.swarm,
                    folds: 5,
                    sizes: vec![10, 25, 50, 100, 200],
                };
                let study = ziegler::study(&options, &show)?;
                (study.table, study.figures)
            }
            Paper::Gibson2007 => {
                let usual = gibson::StudyOptions::default();
                let options = gibson::StudyOptions {
                    corpora,
                    page_types,
                    pages: args.study_pages.unwrap_or(usual.pages),
                    articles: args.study_articles.unwrap_or(usual.articles),
                    seed,
                    ..usual
                };
                let study = gibson::study(&options, &show)?;
                create(folder)?;
                write(&folder.join("rows.csv"), study.csv.as_bytes())?;
                (study.table, Vec::new())
            }
            Paper::Spengler2009 if let Some(drawn) = &args.drawn => {
                let (annotations, leaves) = (args.annotations.as_deref(), &settings.leaves);
                let table = spengler::styles(&corpora, drawn, annotations, leaves, seed, &show)?;
                (table, Vec::new())
            }
            Paper::Spengler2009 => {
                let options = spengler::StudyOptions {
                    corpora,
                    annotations: args.annotations,
                    page_types,
                    settings: settings.leaves,
                    sizes: vec![10, 25, 50, 100, 200, 300, 400],
                    samples: args.samples,
                    seed,
                };
                let study = spengler::study(&options, &show)?;
                (study.table, study.figures)
            }
            Paper::Pappas2012 => {
                let options = pappas::StudyOptions {
                    corpora,
                    profile: settings.profile,
                    settings: settings.sd,
                    per_class: 200,
                    draws: 10,
                    folds: 5,
                    seed,
                };
                let study = pappas::study(&options, &show)?;
                (study.table, study.figures)
            }
        };
        bar.finish_and_clear();
        write_study(folder, &table, &figures)?;
        println!("{table}");
        return Ok(());
    }
    let Some(output) = args.output else { return Ok(()) };
    if args.page_classifier {
        let trained = learn::page_types::train(&args.corpora, args.labeler.seed(), &show)?;
        bar.finish_and_clear();
        let card = write_with_card(&output, &trained.bytes, &trained.card)?;
        if context.json() {
            let bytes = trained.bytes.len();
            return print::json(&json!({ "bytes": bytes, "model": output, "card": card }));
        }
        println!("{}", trained.card);
        return Ok(());
    }
    let trained = learn::train(
        &TrainOptions { corpora: args.corpora, annotations: args.annotations, settings },
        &show,
    )?;
    bar.finish_and_clear();
    let card = write_with_card(&output, &trained.bytes, &trained.card)?;
    if context.json() {
        return print::json(&json!({
            "id": trained.model.id(),
            "kind": trained.model.kind().name(),
            "bytes": trained.bytes.len(),
            "model": output,
            "card": card,
        }));
    }
    println!(
        "model {} ({}) written to {}",
        trained.model.id(),
        print::bytes(trained.bytes.len() as u64),
        output.display()
    );
    Ok(())
}

/// Writes the file, and its card beside it; the card's path.
fn write_with_card(file: &Path, bytes: &[u8], card: &str) -> Result<PathBuf> {
    write(file, bytes)?;
    let mut name = file.to_owned().into_os_string();
    name.push(".md");
    let path = PathBuf::from(name);
    write(&path, card.as_bytes())?;
    Ok(path)
}

fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

fn write_study(folder: &Path, table: &str, figures: &[Figure]) -> Result<()> {
    create(folder)?;
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

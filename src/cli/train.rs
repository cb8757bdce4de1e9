//! `crawler train`: labelled pages → a model file and its card.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use serde_json::json;

use crate::extract::label::sd::Reading;
use crate::extract::{self, Profile};
use crate::learn::report::figures::Figure;
use crate::learn::train::{Settings, Trainable};
use crate::learn::ziegler::{self, pso};
use crate::learn::{self, Progress, TrainOptions, chain, gibson, hand, pappas, spengler, trees};
use crate::model::Label;

use super::context::Context;
use super::whole::Begun;
use super::{BAD_NEWS, print, usage};

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
    #[arg(long, conflicts_with_all = ["study", "annotations"])]
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
    #[arg(long, value_name = "N", requires = "study", value_parser = at_least(1))]
    study_pages: Option<usize>,
    /// Study of gibson2007: articles that three copies each are made of
    #[arg(long, value_name = "N", requires = "study", value_parser = at_least(1))]
    study_articles: Option<usize>,
    /// Study of spengler2009: random samples per size of the learning curve, 0 for no curve [default: 10]
    #[arg(long, value_name = "N", requires = "study", value_parser = at_least(0))]
    samples: Option<usize>,
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

/// The options of the particle swarm.
const SWARM: &[&str] = &["--particles", "--generations", "--cognitive", "--social", "--inertia"];

/// A whole number that is not smaller.
pub(super) fn at_least(least: u64) -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(least..)
}

fn positive(text: &str) -> Result<f64, String> {
    number(text, |n| n > 0.0, "a number above 0")
}

fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |n| n >= 0.0, "a number, 0 or more")
}

fn number(text: &str, good: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    let read = text.parse::<f64>().ok().filter(|n| n.is_finite() && good(*n));
    read.ok_or_else(|| format!("write {wanted}"))
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
    /// Page types to use; `article` stands for pages without a type; may be repeated [default: article]
    #[arg(long, value_name = "TYPE")]
    page_type: Vec<String>,
    /// svm, crf on leaf2009: labels to tell apart, separated by commas; one of them is none [default: content,none]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    labels: Vec<Label>,
    /// svm, crf on leaf2009: where nobody has set labels, also learn those that pages state themselves
    /// (metadata, links, names)
    #[arg(long)]
    distant: bool,
    /// svm, crf on leaf2009: leave out style features of the markup
    #[arg(long)]
    no_style: bool,
    /// Seed of everything random [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Swarm: number of particles n [default: 100]
    #[arg(long, value_parser = at_least(1))]
    particles: Option<usize>,
    /// Swarm: number of generations [default: 100]
    #[arg(long, value_parser = at_least(1))]
    generations: Option<usize>,
    /// Swarm: pull towards a particle's own best state
    #[arg(long, value_parser = not_negative)]
    cognitive: Option<f64>,
    /// Swarm: pull towards the population's best particle
    #[arg(long, value_parser = not_negative)]
    social: Option<f64>,
    /// Swarm: share of the velocity that is kept
    #[arg(long, value_parser = not_negative)]
    inertia: Option<f64>,
    /// maxent, memm, crf: standard deviation σ of the prior over weights; 10, on leaf2009 1
    #[arg(long, value_parser = positive)]
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
        match self.page_type.is_empty() {
            true => vec!["article".to_owned()],
            false => self.page_type.clone(),
        }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The options that somebody has given and nobody here reads.
    pub(super) fn unread(&self, read: &[&str]) -> Option<&'static str> {
        let given = [
            ("--labeler", self.labeler.is_some()),
            ("--profile", self.profile.is_some()),
            ("--page-type", !self.page_type.is_empty()),
            ("--labels", !self.labels.is_empty()),
            ("--distant", self.distant),
            ("--no-style", self.no_style),
            ("--seed", self.seed.is_some()),
            ("--particles", self.particles.is_some()),
            ("--generations", self.generations.is_some()),
            ("--cognitive", self.cognitive.is_some()),
            ("--social", self.social.is_some()),
            ("--inertia", self.inertia.is_some()),
            ("--sigma", self.sigma.is_some()),
            ("--edges", self.edges),
            ("--history", self.history),
            ("--comment-keyword", !self.comment_keyword.is_empty()),
            ("--reading", self.reading.is_some()),
        ];
        given.into_iter().find(|(name, given)| *given && !read.contains(name)).map(|(name, _)| name)
    }

    /// Refuses options that the labeler does not read.
    pub(super) fn check(&self) -> Result<()> {
        let settings = self.settings();
        let on_leaves = settings.profile == Profile::Leaf2009;
        let own: &[&str] = match settings.labeler {
            Trainable::Threshold => SWARM,
            Trainable::Trees | Trainable::Whole => &[],
            Trainable::Maxent => &["--sigma", "--history"],
            Trainable::Crf if on_leaves => &["--sigma", "--labels", "--distant", "--no-style"],
            Trainable::Memm | Trainable::Crf => &["--sigma", "--edges", "--history"],
            Trainable::Svm => &["--labels", "--distant", "--no-style"],
            Trainable::Sd => &["--comment-keyword", "--reading"],
        };
        let read = [&["--labeler", "--profile", "--page-type", "--seed"], own].concat();
        match self.unread(&read) {
            Some(option) => {
                let profile = if settings.labeler == Trainable::Crf {
                    format!(" on {}", settings.profile.name())
                } else {
                    String::new()
                };
                let labeler = settings.labeler.name();
                Err(usage(format!("the labeler {labeler}{profile} does not read {option}")))
            }
            None => Ok(()),
        }
    }

    pub(super) fn settings(&self) -> Settings {
        let damped = pso::Settings::damped();
        let labeler = self.labeler.unwrap_or_default();
        Settings {
            labeler,
            profile: self.profile.unwrap_or(labeler.profile()),
            page_types: self.page_types(),
            swarm: pso::Settings {
                particles: self.particles.unwrap_or(100),
                generations: self.generations.unwrap_or(100),
                cognitive: self.cognitive.unwrap_or(damped.cognitive),
                social: self.social.unwrap_or(damped.social),
                inertia: self.inertia.unwrap_or(damped.inertia),
                seed: self.seed(),
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
            trees: trees::Settings::seeded(self.seed()),
        }
    }

    fn leaves(&self) -> spengler::Settings {
        let mut settings = spengler::Settings {
            labels: match self.labels.is_empty() {
                true => spengler::Settings::default().labels,
                false => self.labels.clone(),
            },
            distant: self.distant,
            style: !self.no_style,
            ..spengler::Settings::default()
        };
        settings.svm.seed = self.seed();
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

/// Refuses options that a paper's experiments do not read. The labeler and its profile say which paper is meant.
fn check_study(args: &Args, paper: Paper) -> Result<()> {
    let drawn = args.drawn.is_some();
    let swarm = [SWARM, &["--page-type", "--study-pages"]].concat();
    let own: &[&str] = match paper {
        Paper::Ziegler2007 => &swarm,
        Paper::Gibson2007 => &["--page-type", "--study-pages", "--study-articles"],
        Paper::Spengler2009 if drawn => {
            &["--labels", "--distant", "--no-style", "--sigma", "--annotations", "--drawn"]
        }
        Paper::Spengler2009 => &[
            "--page-type",
            "--labels",
            "--distant",
            "--no-style",
            "--sigma",
            "--annotations",
            "--samples",
        ],
        Paper::Pappas2012 => &["--comment-keyword", "--reading"],
    };
    let given = [
        ("--annotations", args.annotations.is_some()),
        ("--drawn", drawn),
        ("--study-pages", args.study_pages.is_some()),
        ("--study-articles", args.study_articles.is_some()),
        ("--samples", args.samples.is_some()),
    ];
    let mut unread = given.into_iter().filter(|(name, given)| *given && !own.contains(name));
    let read = [own, &["--labeler", "--profile", "--seed"]].concat();
    match unread.next().map(|(name, _)| name).or_else(|| args.labeler.unread(&read)) {
        Some(option) => Err(usage(format!("the study of this paper does not read {option}"))),
        None => Ok(()),
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    let settings = args.labeler.settings();
    let bar = print::progress();
    let show = |step: Progress| print::advance(&bar, &step);
    if let Some(folder) = &args.study {
        let paper = args.study_of.unwrap_or_else(|| Paper::of(&settings));
        check_study(&args, paper)?;
        create(folder)?;
        let corpora = args.corpora;
        let (page_types, seed) = (args.labeler.page_types(), args.labeler.seed());
        let (table, figures) = match paper {
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
                    samples: args.samples.unwrap_or(10),
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
        return Ok(ExitCode::SUCCESS);
    }
    let Some(output) = args.output else { return Ok(ExitCode::SUCCESS) };
    let card = card_of(&output);
    if args.page_classifier {
        if let Some(option) = args.labeler.unread(&["--seed"]) {
            return Err(usage(format!("--page-classifier does not read {option}")));
        }
        let files = (Begun::at(&output)?, Begun::at(&card)?);
        let trained = learn::page_types::train(&args.corpora, args.labeler.seed(), &show)?;
        bar.finish_and_clear();
        write_with_card(files, &trained.bytes, &trained.card)?;
        if context.json() {
            let bytes = trained.bytes.len();
            print::json(&json!({ "bytes": bytes, "model": output, "card": card }))?;
        } else {
            println!("{}", trained.card);
        }
        return Ok(ExitCode::SUCCESS);
    }
    args.labeler.check()?;
    let files = (Begun::at(&output)?, Begun::at(&card)?);
    let trained = learn::train(
        &TrainOptions { corpora: args.corpora, annotations: args.annotations, settings },
        &show,
    )?;
    bar.finish_and_clear();
    if !trained.left_out.is_empty() {
        eprintln!("crawler: {}", hand::other_leaves(&trained.left_out));
    }
    write_with_card(files, &trained.bytes, &trained.card)?;
    if context.json() {
        print::json(&json!({
            "id": trained.model.id(),
            "kind": trained.model.kind().name(),
            "bytes": trained.bytes.len(),
            "model": output,
            "card": card,
            "left_out": trained.left_out,
        }))?;
    } else {
        println!(
            "model {} ({}) written to {}",
            trained.model.id(),
            print::bytes(trained.bytes.len() as u64),
            output.display()
        );
    }
    // It is kept: whoever has trained for hours may want to see why.
    match extract::trial::trial(&trained.model) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(why) => {
            eprintln!("crawler: {}: {why}", output.display());
            Ok(ExitCode::from(BAD_NEWS))
        }
    }
}

/// Where the card of a model goes.
fn card_of(model: &Path) -> PathBuf {
    let mut name = model.to_owned().into_os_string();
    name.push(".md");
    PathBuf::from(name)
}

/// Writes a model and its card.
fn write_with_card((model, about): (Begun, Begun), bytes: &[u8], card: &str) -> Result<()> {
    model.end(&mut |file| Ok(file.write_all(bytes)?))?;
    about.end(&mut |file| Ok(file.write_all(card.as_bytes())?))
}

/// Makes a folder for files, and sees whether there can be some.
fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    tempfile::tempfile_in(folder)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    Ok(())
}

fn write_study(folder: &Path, table: &str, figures: &[Figure]) -> Result<()> {
    write(&folder.join("tables.md"), table.as_bytes())?;
    for figure in figures {
        write(&folder.join(format!("{}.csv", figure.name)), figure.csv.as_bytes())?;
        write(&folder.join(format!("{}.svg", figure.name)), figure.svg.as_bytes())?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &str) -> Args {
        Line::try_parse_from(line.split(' ')).expect("a good line").args
    }

    #[test]
    fn a_seed_is_that_of_all_trees() {
        let settings = |line: &str| args(line).labeler.settings();
        let seeded = settings("train --labeler whole --seed 7 -o m c").trees;
        let seeds = [&seeded.first, &seeded.second, &seeded.edits].map(|of| of.seed);
        assert_eq!((seeded.seed, seeds), (7, [7; 3]));
        assert_eq!(settings("train --labeler whole -o m c").trees, trees::Settings::default());
    }

    #[test]
    fn a_study_may_do_without_the_curve() {
        assert_eq!(args("train --study out --samples 0 c").samples, Some(0));
    }
}

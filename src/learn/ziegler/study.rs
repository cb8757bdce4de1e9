//! The experiments of Ziegler & Skubacz 2007, §4, on any labelled corpora: Tab. 1 (TB, PR and the
//! learned thresholds; one 70/30 split as in the paper and grouped folds; per corpus and language),
//! Fig. 3 (swarm settings and sizes) and Fig. 4 (each feature alone), both on the paper's profile and
//! on *modern*; what each threshold adds to the others; all but Fig. 3 with the other lists of stop words;
//! and how often function words tell the language (§3.3).
//!
//! HL, agreement of two people, needs pages labelled twice and is not measured. Must not know: how
//! a command prints.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use rand::seq::SliceRandom;

use super::StopWords;
use super::figures::{Alone, features_alone, swarm_curves};
use super::pso::{self, Documents, Ending, Generation};
use super::tables::{self, Combination, Feature, Group, Row, Strategy};
use crate::extract::feature::eight;
use crate::extract::segment::Profile;
use crate::extract::text;
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::metrics::interval::bootstrap;
use crate::learn::metrics::summary::{ROUNDS, mean};
use crate::learn::progress::OnProgress;
use crate::learn::report::figures::Figure;
use crate::learn::split;

/// The paper's profile with function words (§3.3: the lists of its languages are of comparable size), and the profile
/// of today's pages with the words that the labeler reads.
const MAIN: [(Profile, StopWords); 2] =
    [(Profile::Ziegler2007, StopWords::Function), (Profile::Modern, StopWords::Iso)];
/// The same with the other lists.
const OTHER_WORDS: [(Profile, StopWords); 2] =
    [(Profile::Ziegler2007, StopWords::Iso), (Profile::Modern, StopWords::Function)];
/// Corpora that hold news alone.
const NEWS: [&str; 5] = ["cwced-zh", "daniel", "fundus", "fundus-history", "l3s-gn1"];
/// The paper's languages (§3.5.1).
const FIVE: [&str; 5] = ["de", "en", "es", "fr", "it"];
/// Groups with fewer pages have no row.
const LEAST: usize = 5;
/// Characters of the shortest texts whose language is told, and of the part that is told alone.
const LONG: usize = 400;
const SHORT: usize = 100;
/// Thresholds tried for each feature alone.
const GRID: usize = 60;

/// What to study.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    pub corpora: Vec<PathBuf>,
    pub page_types: Vec<String>,
    /// At most so many pages of each corpus, drawn at random.
    pub pages: Option<usize>,
    pub swarm: pso::Settings,
    pub folds: usize,
    /// Population sizes of the sweep.
    pub sizes: Vec<usize>,
}

/// Tables (Markdown) and figures.
#[derive(Clone, Debug)]
pub struct Study {
    pub table: String,
    pub figures: Vec<Figure>,
    /// Fig. 4's ranking on the held-out part, on the paper's profile.
    pub alone: Vec<Alone>,
    /// Tab. 1's rows for programs: strategy → (test score of the split, score over folds).
    pub rows: BTreeMap<String, (f64, f64)>,
}

/// Runs all experiments.
pub fn study(options: &StudyOptions, progress: OnProgress<'_>) -> Result<Study> {
    let mut corpus = Corpus::load(&options.corpora)?;
    corpus.keep_texts(&options.page_types);
    let languages = languages(&corpus.pages);
    let corpus = draw(corpus, options)?;
    let seed = options.swarm.seed;
    let in_training = split::holdout(corpus.pages.len(), 0.7, seed);
    let fold_of = split::grouped_folds(&corpus.pages, options.folds, seed);
    if fold_of.iter().all(|f| *f == fold_of[0]) {
        bail!("all pages are of one domain or copies of each other: nothing to fold");
    }
    let pages: Vec<&LabeledPage> = corpus.pages.iter().collect();
    let mut strategies = Vec::new();
    for (name, profile, paper) in [("TB", Profile::Text, 0.424), ("PR", MAIN[0].0, 0.601)] {
        let documents = super::documents(&pages, profile, StopWords::Iso)?;
        let folds = documents.scores(&documents.open());
        let held = folds.iter().zip(&in_training).filter(|(_, t)| !**t);
        strategies.push(Strategy {
            name: name.into(),
            paper: Some(paper),
            training: None,
            split: held.map(|(s, _)| *s).collect(),
            folds,
        });
    }
    let mut out = Study {
        table: String::new(),
        figures: Vec::new(),
        alone: Vec::new(),
        rows: BTreeMap::new(),
    };
    let mut more = String::new();
    for (profile, words) in MAIN.into_iter().chain(OTHER_WORDS) {
        let main = MAIN.contains(&(profile, words));
        let name = match words {
            _ if main => format!("*{}*", profile.name()),
            StopWords::Iso => format!("*{}*, stopwords-iso", profile.name()),
            StopWords::Function => format!("*{}*, function words", profile.name()),
        };
        let documents = super::documents(&pages, profile, words)?;
        let run = Run { documents: &documents, options, name: &name, progress };
        let (training, test) =
            (documents.part(|i| in_training[i]), documents.part(|i| !in_training[i]));
        let swarm = run.swarm(&training, &options.swarm, "70/30 split");
        let strategy = Strategy {
            name: format!("threshold, {name}"),
            paper: (profile == Profile::Ziegler2007).then_some(0.857),
            training: Some(swarm.fitness),
            split: test.scores(&swarm.thresholds),
            folds: run.folds(&fold_of),
        };
        let after = if profile == Profile::Ziegler2007 { "" } else { "-modern" };
        let title = format!("Each feature alone, profile {}", name.replace('*', ""));
        let (figure, alone) =
            features_alone(&format!("features-alone{after}"), &title, &eight::NAMES, &test);
        if main {
            let (curves, endings) = run.curves(&training, after);
            more.push_str(&tables::curves(&name, &endings));
            out.figures.extend(curves);
            out.figures.push(figure);
        }
        more.push_str(&tables::alone(&name, &alone));
        let combination = combination(&training, &test, &swarm, &strategy.split, seed);
        more.push_str(&tables::combination(&name, &combination));
        if out.alone.is_empty() {
            out.alone = alone;
        }
        strategies.push(strategy);
    }
    out.table = tables::heading(&corpus, options.pages, seed);
    out.table.push_str(&tables::strategies(&strategies, options.folds, seed));
    out.table.push_str(&tables::groups(&groups(&corpus), &strategies, seed));
    out.table.push_str(&more);
    out.table.push_str(&tables::languages(&languages, SHORT));
    for s in strategies {
        out.rows.insert(s.name, (mean(s.split.iter().copied()), mean(s.folds.iter().copied())));
    }
    Ok(out)
}

/// §3.3: how often the language of the gold text is told right by its function words.
fn languages(pages: &[LabeledPage]) -> BTreeMap<String, tables::Told> {
    let mut told: BTreeMap<String, tables::Told> = BTreeMap::new();
    for page in pages.iter().filter(|page| page.text().chars().count() >= LONG) {
        let language = page.language();
        if language == "und" {
            continue;
        }
        let of = told.entry(language.to_owned()).or_default();
        let short: String = page.text().chars().skip(LONG / 2).take(SHORT).collect();
        of.texts += 1;
        of.by_short += usize::from(text::language(&short) == Some(language));
        of.by_all += usize::from(text::language(page.text()) == Some(language));
    }
    told
}

/// At most so many pages of each corpus.
fn draw(mut corpus: Corpus, options: &StudyOptions) -> Result<Corpus> {
    if let Some(most) = options.pages {
        let mut rng = split::rng(options.swarm.seed);
        let mut kept = Vec::new();
        for name in &corpus.names {
            let (mut of, others): (Vec<_>, Vec<_>) =
                corpus.pages.into_iter().partition(|p| p.corpus == *name);
            corpus.pages = others;
            of.shuffle(&mut rng);
            of.truncate(most);
            of.sort_by(|a, b| a.gold.id.cmp(&b.gold.id));
            kept.append(&mut of);
        }
        corpus.pages = kept;
    }
    if corpus.pages.len() < 10 {
        bail!("a study needs at least ten pages, the corpora hold {}", corpus.pages.len());
    }
    Ok(corpus)
}

/// Rows of Tab. 1 beside "all": each corpus, news in the paper's languages together and each for
/// itself, other languages of news.
fn groups(corpus: &Corpus) -> Vec<Group> {
    let group = |name: String, holds: &dyn Fn(&LabeledPage) -> bool| Group {
        name,
        pages: (0..corpus.pages.len()).filter(|&i| holds(&corpus.pages[i])).collect(),
    };
    let news = |p: &LabeledPage| NEWS.contains(&p.corpus.as_str());
    let mut all: Vec<Group> =
        corpus.names.iter().map(|n| group(n.clone(), &|p| p.corpus == *n)).collect();
    all.push(group("**news, the paper's five languages**".into(), &|p| {
        news(p) && FIVE.contains(&p.language())
    }));
    let mut languages: Vec<&str> =
        corpus.pages.iter().filter(|p| news(p)).map(LabeledPage::language).collect();
    languages.sort_unstable();
    languages.dedup();
    for language in languages {
        all.push(group(format!("news, {language}"), &|p| news(p) && p.language() == language));
    }
    all.retain(|g| g.pages.len() >= LEAST);
    all
}

/// The experiments of one profile and its lists of stop words.
struct Run<'a> {
    documents: &'a Documents,
    options: &'a StudyOptions,
    name: &'a str,
    progress: OnProgress<'a>,
}

impl Run<'_> {
    fn swarm(&self, documents: &Documents, settings: &pso::Settings, step: &str) -> pso::Swarm {
        let step = format!("{}, {step}", self.name);
        super::swarm(documents, settings, &step, self.progress)
    }

    /// sim^σ of every page, by thresholds learned from the other folds.
    fn folds(&self, fold_of: &[usize]) -> Vec<f64> {
        let mut all = vec![0.0; fold_of.len()];
        for fold in 0..self.options.folds {
            let training = self.documents.part(|i| fold_of[i] != fold);
            let step = format!("fold {} of {}", fold + 1, self.options.folds);
            let swarm = self.swarm(&training, &self.options.swarm, &step);
            let found = self.documents.part(|i| fold_of[i] == fold).scores(&swarm.thresholds);
            let tested = (0..all.len()).filter(|&i| fold_of[i] == fold);
            tested.zip(found).for_each(|(i, s)| all[i] = s);
        }
        all
    }

    /// Fig. 3: the settings with their curves, inertia, and the sweep over n.
    fn curves(&self, training: &Documents, after: &str) -> (Vec<Figure>, Vec<(String, Ending)>) {
        let base = &self.options.swarm;
        let sized = |s: pso::Settings| pso::Settings {
            particles: base.particles,
            generations: base.generations,
            seed: base.seed,
            mapping: base.mapping,
            ..s
        };
        let mut endings = Vec::new();
        let mut figure = |name: &str, title: &str, runs: Vec<(String, pso::Settings)>| {
            let curves: Vec<(String, Vec<Generation>)> = runs
                .into_iter()
                .map(|(run, settings)| {
                    let curve = self.swarm(training, &settings, &run).curve;
                    endings.push((run.clone(), Ending::of(&curve)));
                    (run, curve)
                })
                .collect();
            let title = format!("{title}, profile {}", self.name.replace('*', ""));
            swarm_curves(&format!("{name}{after}"), &title, &curves)
        };
        let (cognitive, equal) = (pso::Settings::cognitive, pso::Settings::equal);
        let inertia = |w: f64| {
            let settings = pso::Settings { inertia: w, ..equal() };
            (format!("equal, ω {w}"), sized(settings))
        };
        let named = |name: &str, settings: pso::Settings| (name.to_owned(), sized(settings));
        let figures = vec![
            figure(
                "swarm-printed",
                "Swarm, τ and φ as printed",
                vec![
                    named("cognitive > social, ω 0.95", cognitive()),
                    inertia(0.95),
                    inertia(0.7),
                    inertia(0.4),
                ],
            ),
            figure(
                "swarm-limited",
                "Swarm, limited velocity",
                vec![
                    named("cognitive > social, ω 0.95, clamped", cognitive().clamped()),
                    named("equal, ω 0.95, clamped", equal().clamped()),
                    named("damped", pso::Settings::damped()),
                ],
            ),
            figure(
                "swarm-sizes",
                "Swarm, population sizes",
                self.options
                    .sizes
                    .iter()
                    .map(|&n| (format!("n = {n}"), pso::Settings { particles: n, ..base.clone() }))
                    .collect(),
            ),
        ];
        (figures, endings)
    }
}

/// What each threshold does in the combination, and what the combination adds over the best feature.
fn combination(
    training: &Documents,
    test: &Documents,
    swarm: &pso::Swarm,
    scores: &[f64],
    seed: u64,
) -> Combination {
    let open = test.open();
    let rejections = test.rejections(&swarm.thresholds);
    let mut best: Option<(f64, Row)> = None;
    let mut features = Vec::new();
    for (j, name) in eight::NAMES.iter().enumerate() {
        let grid = training.grid(j, GRID);
        let trained = training.alone(j, &grid);
        let top = trained.iter().zip(&grid).max_by(|a, b| a.0.total_cmp(b.0));
        let (score, threshold) = top.map_or((0.0, open[j]), |(s, t)| (*s, *t));
        let alone = test.scores(&test.only(j, threshold));
        let mut without = swarm.thresholds.clone();
        without[j] = open[j];
        features.push(Feature {
            name: (*name).into(),
            least: eight::AT_LEAST[j],
            threshold: swarm.thresholds[j],
            rejects: rejections[j],
            alone: mean(alone.iter().copied()),
            without: test.fitness(&without),
        });
        if best.as_ref().is_none_or(|(s, _)| score > *s) {
            best = Some((score, Row { name: (*name).into(), threshold, scores: alone }));
        }
    }
    let (_, best) = best.unwrap_or_default();
    let gain = bootstrap(scores.len(), ROUNDS, seed, |sample| {
        let sum: f64 = sample.iter().map(|&i| scores[i] - best.scores[i]).sum();
        sum / sample.len().max(1) as f64
    });
    Combination { features, score: mean(scores.iter().copied()), best, gain }
}

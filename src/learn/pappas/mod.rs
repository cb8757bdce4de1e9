//! Learning T1 and T2 of the SD algorithm (Pappas et al. 2012, §5.2): labelled pages become trees
//! whose decisions are tabled over a grid, and the best point of the grid is the model.
//!
//! Must not know: how a command prints.

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::corpus::LabeledPage;
use super::pages;
use crate::extract::label::sd::{Reading, Rule, SdTree, keywords};
use crate::extract::label::{Kind, Model, Sd};
use crate::extract::segment::Profile;
use crate::model::PageType;

mod cover;
mod options;
mod outcome;
mod readings;
mod sample;
mod study;
mod tables;

pub use cover::{Gold, areas};
pub use options::StudyOptions;
pub use outcome::Outcome;
pub use study::{Study, study};

/// The page types of the paper, in the order of its tables.
pub const CLASSES: [PageType; 3] =
    [PageType::Article, PageType::ArticleWithComments, PageType::Multiple];

/// T2 is tried at these values; T1 at every whole number from 0 to 100.
pub const T2: [u32; 16] = [0, 5, 10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000];
/// No larger T2 is learned: an emptied page would pass for one of multiple areas (§5.2).
const LARGEST_T2: u32 = 100;
/// Values of T1.
pub const T1: usize = 101;

/// Index of T2 = 20, the paper's value, in [`T2`].
const TWENTY: usize = 3;
/// T1 of the extreme settings of Fig. 3, by class.
const EXTREME: [usize; 3] = [0, 0, 100];

/// How the labeler is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Words of comment regions.
    pub keywords: Vec<String>,
    pub reading: Reading,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { keywords: keywords::all(), reading: Reading::default() }
    }
}

/// The gold class of a page: forum, listing and collection pages are of multiple areas, articles
/// with gold comments have comments, the rest of the articles have none; other types have none of
/// the paper's.
pub fn class(page: &LabeledPage) -> Option<PageType> {
    match page.gold.page_type.as_deref().unwrap_or("article") {
        "article" if page.gold.comments.is_empty() => Some(PageType::Article),
        "article" => Some(PageType::ArticleWithComments),
        "forum" | "listing" | "collection" => Some(PageType::Multiple),
        _ => None,
    }
}

fn name(class: PageType) -> &'static str {
    match class {
        PageType::Article => "Article",
        PageType::ArticleWithComments => "Article with Comments",
        _ => "Multiple areas",
    }
}

/// A page as learning sees it.
#[derive(Clone, Debug)]
pub struct Sample {
    pub class: PageType,
    pub tree: SdTree,
    pub gold: Gold,
}

impl Sample {
    /// Reads a page; `None` if it is of no class.
    pub fn read(
        page: &LabeledPage,
        profile: Profile,
        keywords: &[String],
    ) -> Result<Option<Sample>> {
        let Some(class) = class(page) else { return Ok(None) };
        let blocks = pages::segment(page, profile)?;
        let tree = SdTree::new(&blocks, keywords);
        let texts: Vec<&str> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
        let gold = Gold::of(&page.gold, &texts);
        Ok(Some(Sample { class, tree, gold }))
    }
}

/// Reads pages that have a class.
pub fn samples(
    pages: &[&LabeledPage],
    profile: Profile,
    settings: &Settings,
) -> Result<Vec<Sample>> {
    let read = pages.par_iter().map(|p| Sample::read(p, profile, &settings.keywords));
    Ok(read.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// A point of the grid: index of T1 (its value) and of T2.
pub type Point = (usize, usize);

/// The type decided for one page at every point of the grid.
#[derive(Clone, Debug)]
pub struct Grid(Vec<PageType>);

impl Grid {
    /// Decides a page with all thresholds.
    pub fn of(tree: &SdTree, rule: Rule) -> Grid {
        let mut types = Vec::with_capacity(T1 * T2.len());
        for t2 in T2 {
            let merged = tree.merge(t2);
            // The type changes only where T1 lets more regions in.
            let mut last = (usize::MAX, PageType::Unknown);
            for t1 in (0..T1).map(|t1| t1 as f32) {
                let n = merged.candidates(t1).len();
                if n != last.0 {
                    last = (n, merged.decide(t1, rule).page_type);
                }
                types.push(last.1);
            }
        }
        Grid(types)
    }

    /// The type at a point.
    pub fn at(&self, (t1, t2): Point) -> PageType {
        self.0.get(t2 * T1 + t1).copied().unwrap_or(PageType::Unknown)
    }
}

/// Share of the pages whose type is right at a point, the mean over the classes present: what §5
/// calls precision, since every page gets an answer.
pub fn precision(pages: &[(PageType, &Grid)], at: Point) -> f64 {
    let mut sum = 0.0;
    let mut present = 0;
    for class in CLASSES {
        let of_class = || pages.iter().filter(|(c, _)| *c == class);
        let n = of_class().count();
        if n > 0 {
            let right = of_class().filter(|(c, grid)| grid.at(at) == *c).count();
            sum += right as f64 / n as f64;
            present += 1;
        }
    }
    sum / f64::from(present.max(1))
}

/// The point of the highest precision; of equal ones that with T2 nearest to the paper's 20, then
/// the middle one of T1.
pub fn learn(pages: &[(PageType, &Grid)]) -> (Point, f64) {
    let mut order: Vec<usize> = (0..T2.len()).filter(|&i| T2[i] <= LARGEST_T2).collect();
    order.sort_by_key(|&i| T2[i].abs_diff(20));
    let mut best = f64::NEG_INFINITY;
    let mut ties: Vec<Point> = Vec::new();
    for t2 in order {
        for t1 in 0..T1 {
            let precision = precision(pages, (t1, t2));
            if precision > best + 1e-12 {
                best = precision;
                ties.clear();
            }
            if precision > best - 1e-12 && ties.first().is_none_or(|first| first.1 == t2) {
                ties.push((t1, t2));
            }
        }
    }
    (ties.get(ties.len() / 2).copied().unwrap_or((0, 0)), best)
}

/// Trains the labeler on pages.
pub fn train(pages: &[&LabeledPage], profile: Profile, settings: &Settings) -> Result<Model> {
    let samples = samples(pages, profile, settings)?;
    let rule = Rule { reading: settings.reading, ..Rule::default() };
    let grids: Vec<Grid> = samples.par_iter().map(|s| Grid::of(&s.tree, rule)).collect();
    let pages: Vec<(PageType, &Grid)> =
        samples.iter().zip(&grids).map(|(s, g)| (s.class, g)).collect();
    let ((t1, t2), precision) = learn(&pages);
    let keywords = settings.keywords.clone();
    let sd = Sd { t1: t1 as f32, t2: T2[t2], keywords, reading: settings.reading };
    let note = format!(
        "T1 {}, T2 {}, precision {precision:.4} over the page types of {} training pages",
        sd.t1,
        sd.t2,
        pages.len()
    );
    Ok(Model::new(profile, Kind::Sd(sd), &note))
}

/// What the model card says of thresholds and keywords.
pub(super) fn card(model: &Model) -> String {
    let Kind::Sd(sd) = model.kind() else { return String::new() };
    format!(
        "- {}\n- reading: {}; keywords: {}\n",
        model.note(),
        sd.reading.name(),
        sd.keywords.join(", ")
    )
}

#[cfg(test)]
mod tests;

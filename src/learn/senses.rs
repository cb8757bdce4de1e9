//! How many answers a name needs: labelled mentions in the gold texts of corpora, answered in the order
//! that the tool asks, outlets held out.
//!
//! A file `NAME.tsv` has a line per mention: page (`corpus/id`), byte offset in the gold text, `y` (the
//! brand is meant) or `n`; lines that begin with `#` say what is meant. Must not know: the store.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::corpus::{Corpus, LabeledPage};
use super::metrics::interval::{Interval, bootstrap};
use crate::mention::sense::choose::{Candidate, choose};
use crate::mention::{Lexicon, mentions, sense};
use crate::model::*;

/// Answers after which the model is measured.
const POINTS: [usize; 4] = [0, 10, 20, 40];
/// Answers between two looks at what to ask next.
const AT_A_TIME: usize = 5;
/// Outlets are held out by fifths, and divided so many ways.
const FOLDS: usize = 5;
const DIVISIONS: usize = 2;
const ROUNDS: usize = 1_000;
/// Mentions of a page that are listed, and bytes of text on either side.
const OF_ONE: usize = 4;
const SHOWN: usize = 80;

/// What one name needs.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    pub name: String,
    pub mentions: usize,
    pub outlets: usize,
    /// Share of the mentions that are meant.
    pub meant: f64,
    pub points: Vec<Point>,
    /// Held-out mentions that are decided wrongly after most answers: page, offset, meant, times of
    /// the divisions.
    pub mistakes: Vec<(String, usize, bool, usize)>,
}

/// How good the model is after so many answers.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    pub answers: usize,
    pub precision: Interval,
    pub recall: Interval,
}

/// A labelled mention.
struct Item {
    page: String,
    offset: usize,
    meant: bool,
    answer: Answer,
}

/// The curve of each `NAME.tsv` of a folder.
///
/// # Errors
/// They name the file and the line.
pub fn curves(corpora: &[PathBuf], folder: &Path) -> Result<Vec<Curve>> {
    let corpus = Corpus::load(corpora)?;
    let pages: BTreeMap<String, &LabeledPage> =
        corpus.pages.iter().map(|page| (name_of(page), page)).collect();
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "tsv") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        bail!("{} has no file NAME.tsv", folder.display());
    }
    files.iter().map(|file| curve(&pages, file)).collect()
}

/// Lines to be labelled: page, offset, `?`, and the text around, which is not for keeping.
///
/// # Errors
/// The corpora cannot be read; the name cannot be searched for.
pub fn occurrences(corpora: &[PathBuf], name: &str) -> Result<Vec<String>> {
    let corpus = Corpus::load(corpora)?;
    let lexicon = lexicon(name)?;
    let mut lines = Vec::new();
    for page in &corpus.pages {
        let article = article(page);
        let found = mentions(&lexicon, &article, page.group().0);
        let in_text = found.iter().filter_map(|m| Some((m.block?, m.start, m.end)));
        for (block, start, end) in in_text.take(OF_ONE) {
            let offset = offset(&article, block, start);
            let (from, to) = (offset, offset + (end - start) as usize);
            let text = page.text();
            let before = text.get(text.ceil_char_boundary(from.saturating_sub(SHOWN))..from);
            let after = text.get(to..text.floor_char_boundary(to + SHOWN));
            let around = format!("{}[[{name}]]{}", before.unwrap_or(""), after.unwrap_or(""));
            lines.push(format!(
                "{}\t{offset}\t?\t{}",
                name_of(page),
                around.replace(['\n', '\t'], " / ")
            ));
        }
    }
    Ok(lines)
}

fn lexicon(name: &str) -> Result<Lexicon> {
    let brand = Brand { name: name.to_owned(), whole_word: true, ..Brand::default() };
    Ok(Lexicon::build(&[brand])?)
}

fn name_of(page: &LabeledPage) -> String {
    format!("{}/{}", page.corpus, page.gold.id)
}

/// The gold text as an article.
fn article(page: &LabeledPage) -> Article {
    let found = |value: &String| Found { value: value.clone(), source: Source::Html };
    let block =
        |line: &str| Block { text: line.to_owned(), label: Label::Paragraph, probability: 1.0 };
    Article {
        title: page.gold.title.as_ref().map(found),
        language: page.gold.lang.as_ref().map(found),
        canonical: page.gold.url.as_ref().map(found),
        blocks: page.text().split('\n').map(block).collect(),
        text: page.text().to_owned(),
        ..Article::default()
    }
}

/// The place in the gold text of a place in one of its lines.
fn offset(article: &Article, block: u32, start: u32) -> usize {
    let before = article.blocks.iter().take(block as usize);
    before.map(|block| block.text.len() + 1).sum::<usize>() + start as usize
}

fn curve(pages: &BTreeMap<String, &LabeledPage>, file: &Path) -> Result<Curve> {
    let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let items = items(pages, &name, file)?;
    let outlets: BTreeSet<&str> = items.iter().map(|item| item.answer.outlet.as_str()).collect();
    // Decisions about each item, by point and division.
    let mut decided: Vec<Vec<Vec<bool>>> = vec![vec![Vec::new(); items.len()]; POINTS.len()];
    for division in 0..DIVISIONS {
        let fold_of = |outlet: &str| {
            let digest = Sha256::digest(format!("{division} {outlet}"));
            usize::from(digest[0]) % FOLDS
        };
        for held in 0..FOLDS {
            let (tested, taught): (Vec<usize>, Vec<usize>) =
                (0..items.len()).partition(|at| fold_of(&items[*at].answer.outlet) == held);
            let models = answered(&items, &taught);
            for (decided, model) in decided.iter_mut().zip(&models) {
                for at in &tested {
                    let traits = &items[*at].answer.traits;
                    let counted =
                        model.as_ref().is_none_or(|model| sense::score(model, traits) > 0);
                    decided[*at].push(counted);
                }
            }
        }
    }
    let by_outlet: Vec<Vec<usize>> = outlets
        .iter()
        .map(|outlet| (0..items.len()).filter(|at| items[*at].answer.outlet == **outlet).collect())
        .collect();
    let points = POINTS.iter().zip(&decided).map(|(answers, decided)| {
        let share = |precision: bool| {
            bootstrap(by_outlet.len(), ROUNDS, 7, |sample| {
                let (mut right, mut of) = (0.0, 0.0);
                for at in sample.iter().flat_map(|outlet| &by_outlet[*outlet]) {
                    for counted in &decided[*at] {
                        let meant = items[*at].meant;
                        let relevant = if precision { *counted } else { meant };
                        of += f64::from(u8::from(relevant));
                        right += f64::from(u8::from(*counted && meant));
                    }
                }
                if of > 0.0 { right / of } else { 1.0 }
            })
        };
        Point { answers: *answers, precision: share(true), recall: share(false) }
    });
    let last = decided.last().map(Vec::as_slice).unwrap_or_default();
    let mistakes = items.iter().zip(last).filter_map(|(item, decided)| {
        let wrong = decided.iter().filter(|counted| **counted != item.meant).count();
        (wrong > 0).then(|| (item.page.clone(), item.offset, item.meant, wrong))
    });
    let meant = items.iter().filter(|item| item.meant).count() as f64 / items.len().max(1) as f64;
    Ok(Curve {
        mentions: items.len(),
        outlets: outlets.len(),
        meant,
        points: points.collect(),
        mistakes: mistakes.collect(),
        name,
    })
}

/// The models at each point, of answers about these items in the order that the tool asks.
fn answered(items: &[Item], taught: &[usize]) -> Vec<Option<SenseModel>> {
    let mut left: Vec<usize> = taught.to_vec();
    let mut answers: Vec<Answer> = Vec::new();
    let mut asked: HashSet<UrlKey> = HashSet::new();
    let mut models = Vec::new();
    for point in POINTS {
        while answers.len() < point {
            let candidates: Vec<Candidate> = left
                .iter()
                .map(|at| Candidate {
                    outlet: items[*at].answer.outlet.clone(),
                    story: items[*at].answer.article,
                    traits: items[*at].answer.traits.clone(),
                })
                .collect();
            let most = AT_A_TIME.min(point - answers.len());
            let chosen: Vec<usize> = choose(&answers, &asked, &candidates, most)
                .into_iter()
                .map(|at| left[at])
                .collect();
            if chosen.is_empty() {
                break;
            }
            for at in &chosen {
                asked.insert(items[*at].answer.article);
                answers.push(items[*at].answer.clone());
            }
            left.retain(|at| !chosen.contains(at));
        }
        let pool: Vec<Traits> = left.iter().map(|at| items[*at].answer.traits.clone()).collect();
        models.push(sense::learn(&answers, &pool));
    }
    models
}

fn items(pages: &BTreeMap<String, &LabeledPage>, name: &str, file: &Path) -> Result<Vec<Item>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the labels {}", file.display()))?;
    let mut labels: BTreeMap<&str, Vec<(usize, bool)>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let read = match cells.as_slice() {
            [page, offset, "y"] => offset.parse().ok().map(|offset| (*page, offset, true)),
            [page, offset, "n"] => offset.parse().ok().map(|offset| (*page, offset, false)),
            _ => None,
        };
        let Some((page, offset, meant)) = read else {
            bail!("{}, line {number}: not `page, offset, y or n`", file.display());
        };
        labels.entry(page).or_default().push((offset, meant));
    }
    let lexicon = lexicon(name)?;
    let mut items = Vec::new();
    for (page, labels) in labels {
        let Some(gold) = pages.get(page) else {
            bail!("{}: the corpora have no page {page}", file.display());
        };
        let article = article(gold);
        let outlet = gold.group().0;
        let outlet = if outlet.is_empty() { gold.gold.id.as_str() } else { outlet };
        let found = mentions(&lexicon, &article, outlet);
        for (at, sighted) in sense::sight(name, &article, outlet, &found) {
            let Some(Mention { block: Some(block), start, .. }) = found.get(at) else { continue };
            let offset = offset(&article, *block, *start);
            let Some((_, meant)) = labels.iter().find(|(labelled, _)| *labelled == offset) else {
                continue;
            };
            let digest = Sha256::digest(page);
            let key = digest.iter().take(16).fold(0u128, |key, byte| key << 8 | u128::from(*byte));
            let answer = Answer {
                article: UrlKey(key),
                block: Some(*block),
                start: *start,
                meant: *meant,
                outlet: outlet.to_owned(),
                mark: sighted.mark,
                traits: sighted.traits(),
            };
            items.push(Item { page: page.to_owned(), offset, meant: *meant, answer });
        }
    }
    Ok(items)
}

/// The curves as a table in Markdown.
pub fn table(curves: &[Curve]) -> String {
    let mut text = String::from(
        "| name | mentions | outlets | meant | answers | precision (95 %) | recall (95 %) |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    let cell = |i: &Interval| format!("{:.3} ({:.3} to {:.3})", i.value, i.low, i.high);
    for curve in curves {
        for (number, point) in curve.points.iter().enumerate() {
            let head = match number {
                0 => format!(
                    "| {} | {} | {} | {:.2} ",
                    curve.name, curve.mentions, curve.outlets, curve.meant
                ),
                _ => "| | | | ".to_owned(),
            };
            text += &format!(
                "{head}| {} | {} | {} |\n",
                point.answers,
                cell(&point.precision),
                cell(&point.recall)
            );
        }
    }
    text
}

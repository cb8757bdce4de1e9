//! Pages as documents for the linear chains: rows of feature columns with gold labels.
//!
//! Must not know: how anything is trained.

use std::collections::HashMap;

use anyhow::Result;
use rayon::prelude::*;

use crate::extract::feature::gibson::{Types, features};
use crate::extract::label::Dictionary;
use crate::extract::label::chain::Rows;
use crate::extract::label::gibson::CONTENT;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Profile;
use crate::learn::align::align;
use crate::learn::corpus::{GoldPage, LabeledPage};
use crate::learn::pages;

/// One page: features and gold labels of its blocks.
#[derive(Clone, Debug, Default)]
pub struct Document {
    pub rows: Rows,
    /// Content by the gold (1) or not (0).
    pub labels: Vec<u16>,
    /// Number of the publisher.
    pub source: usize,
    /// Number of the article; copies of one article share it.
    pub article: usize,
}

/// Documents over one dictionary.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    pub list: Vec<Document>,
    pub dictionary: Dictionary,
}

/// A document with feature names of its own.
pub(super) struct Raw {
    names: Vec<String>,
    document: Document,
}

impl Documents {
    /// Reads, segments, aligns and describes pages. Source and article are the page's position.
    pub fn read(pages: &[&LabeledPage], profile: Profile, types: Types) -> Result<Documents> {
        let raw: Vec<Raw> = pages
            .par_iter()
            .enumerate()
            .map(|(i, page)| Ok(describe(&pages::segment(page, profile)?, page, types, i, i)))
            .collect::<Result<_>>()?;
        Ok(Documents::join(raw))
    }

    /// Brings all features under one dictionary.
    pub(super) fn join(raw: Vec<Raw>) -> Documents {
        let dictionary = Dictionary::new(raw.iter().flat_map(|r| r.names.iter()));
        let list = raw
            .into_par_iter()
            .map(|Raw { names, document }| {
                let columns: Vec<u32> =
                    names.iter().map(|n| dictionary.column(n).unwrap_or(0)).collect();
                let mut rows = Rows::default();
                for i in 0..document.rows.len() {
                    rows.push(document.rows.row(i).map(|(c, v)| (columns[c as usize], v)));
                }
                Document { rows, ..document }
            })
            .collect();
        Documents { list, dictionary }
    }
}

/// Features and labels of a segmented page.
pub(super) fn describe(
    blocks: &PageBlocks,
    page: &LabeledPage,
    types: Types,
    source: usize,
    article: usize,
) -> Raw {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    let mut rows = Rows::default();
    let mut row: Vec<(u32, f32)> = Vec::new();
    features(blocks, types, &mut |block, name, value| {
        while rows.len() < block {
            rows.push(row.drain(..));
        }
        let column = match numbers.get(name) {
            Some(&column) => column,
            None => {
                let column = names.len() as u32;
                names.push(name.to_owned());
                numbers.insert(name.to_owned(), column);
                column
            }
        };
        row.push((column, value));
    });
    while rows.len() < blocks.len() {
        rows.push(row.drain(..));
    }
    let labels = gold(blocks, page);
    Raw { names, document: Document { rows, labels, source, article } }
}

/// Which blocks are the article's text. The title is not, also where a corpus counts it as text.
fn gold(blocks: &PageBlocks, page: &LabeledPage) -> Vec<u16> {
    let titles = pages::titles(page, blocks);
    let labels = aligned(blocks, &page.gold).into_iter().zip(titles);
    labels.map(|(content, title)| if content && !title { CONTENT } else { 0 }).collect()
}

/// Content blocks by alignment alone.
pub(super) fn aligned(blocks: &PageBlocks, gold: &GoldPage) -> Vec<bool> {
    let texts: Vec<&str> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
    align(&texts, gold).labels.iter().map(|l| l.is_content()).collect()
}

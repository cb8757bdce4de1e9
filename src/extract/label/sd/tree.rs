//! SD-Tree: steps 1–7 of Pappas et al. 2012, §3.3, over the blocks and the tree they stand in.
//!
//! Strong elements divide the page, weak ones only show it. A *unit* is the highest weak element
//! below a strong one with all its text (or a run of text right in a strong element); a *region* is
//! a strong element with the valid units merged into it. Nested strong elements are regions of
//! their own, so no character counts twice. Built once per page; thresholds come afterwards, so
//! that learning tries many of them on one tree. Must not know: models, gold.

use std::collections::{HashMap, HashSet};

use crate::html::{Name, name};
use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};

use crate::extract::dom::{Dom, Id, NONE};
use crate::extract::page::PageBlocks;
use crate::extract::segment::Flags;
use crate::model::PageType;

/// Keywords are one bit each.
const KEYWORDS: usize = u64::BITS as usize;

/// A strong element that holds text, with what does not depend on thresholds.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    pub node: Id,
    /// Distance from the root: ancestors of the element.
    pub level: u32,
    /// Elements right below it.
    pub cardinality: u32,
    /// Regions of one number have the same tag and classes (step 6).
    pub group: u32,
    /// Keywords in its class or id, one bit each.
    pub names: u64,
    /// Its place in document order.
    at: u32,
    /// Places in document order from its parent element to the end of that.
    parent: (u32, u32),
}

/// Text that stands or falls together when the tree is pruned.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Index of its region.
    pub region: usize,
    /// Characters, white space normalised.
    pub density: u32,
    /// Keywords in its text, one bit each.
    pub keywords: u64,
    /// First block that is not a heading; `usize::MAX` if there is none.
    prose: usize,
}

/// The tree's regions and units (step 1).
#[derive(Clone, Debug, Default)]
pub struct SdTree {
    pub regions: Vec<Region>,
    pub units: Vec<Unit>,
    /// Index of each block's unit; `None` if the block is hidden by inline style.
    pub unit_of: Vec<Option<usize>>,
    /// Block, region and level of each visible heading, in page order.
    headings: Vec<(usize, usize, u32)>,
}

/// The tree after pruning and merging with one T2 (steps 2–5).
#[derive(Clone, Debug)]
pub struct Merged<'a> {
    tree: &'a SdTree,
    t2: u32,
    /// Characters of each region's valid units.
    pub density: Vec<u32>,
    densest: u32,
}

/// Where step 7 looks for comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// In the candidates, as its title says. With a small T1 there are none beside the article.
    Candidates,
    /// In all valid regions: "all the remaining regions are examined".
    Regions,
}

/// What makes a page one of multiple areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Areas {
    /// Step 7 alone: there are no comments, and all candidates, at least two, are on one level.
    Level,
    /// Before that, and before comments are looked for: a CSS group of step 6 with at least two
    /// candidates on one level.
    Group,
}

/// How the print of steps 6 and 7 is read. A model keeps the position in this list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    LevelCandidates,
    LevelRegions,
    GroupCandidates,
    /// Nearest to the paper's Fig. 3 to 5 and Tab. 2 (docs/papers/pappas2012.md).
    #[default]
    GroupRegions,
}

impl Reading {
    /// All of them.
    pub const ALL: [Reading; 4] = [
        Reading::LevelCandidates,
        Reading::LevelRegions,
        Reading::GroupCandidates,
        Reading::GroupRegions,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Reading::LevelCandidates => "level-candidates",
            Reading::LevelRegions => "level-regions",
            Reading::GroupCandidates => "group-candidates",
            Reading::GroupRegions => "group-regions",
        }
    }

    /// What makes a page one of multiple areas.
    pub fn areas(self) -> Areas {
        match self {
            Reading::LevelCandidates | Reading::LevelRegions => Areas::Level,
            Reading::GroupCandidates | Reading::GroupRegions => Areas::Group,
        }
    }

    /// Where comments are looked for.
    pub fn scan(self) -> Scan {
        match self {
            Reading::LevelCandidates | Reading::GroupCandidates => Scan::Candidates,
            Reading::LevelRegions | Reading::GroupRegions => Scan::Regions,
        }
    }
}

impl std::str::FromStr for Reading {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Reading::ALL.into_iter().find(|r| r.name() == s).ok_or_else(|| {
            let known = Reading::ALL.map(Reading::name).join(", ");
            format!("`{s}` is no reading of the algorithm; known: {known}")
        })
    }
}

/// How steps 6 and 7 decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub reading: Reading,
    /// Bits of the keywords that count.
    pub keywords: u64,
}

impl Default for Rule {
    fn default() -> Rule {
        Rule { reading: Reading::default(), keywords: u64::MAX }
    }
}

/// What the page is (steps 6 and 7). Numbers are indices of [`SdTree::regions`].
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub page_type: PageType,
    /// In page order.
    pub candidates: Vec<usize>,
    pub article: Option<usize>,
    pub comments: Vec<usize>,
}

/// Places of every node: what the walk down the tree knows.
struct Places {
    level: Vec<u32>,
    /// Nearest strong element, the node itself included.
    strong: Vec<Id>,
    /// Highest weak element below `strong`; `NONE` at a strong element.
    weak: Vec<Id>,
    /// Document order.
    at: Vec<u32>,
    /// Last place below the node.
    end: Vec<u32>,
}

impl SdTree {
    /// Step 1: densities, levels, titles and keywords of a page. Hidden text is left out.
    pub fn new(page: &PageBlocks, keywords: &[String]) -> SdTree {
        let dom = &page.dom;
        let places = Places::of(dom);
        let words = Words::new(keywords);
        let mut tree = SdTree::default();
        let mut region_at: HashMap<Id, usize> = HashMap::new();
        let mut unit_at: HashMap<Id, usize> = HashMap::new();
        let mut groups: HashMap<(Name, String), u32> = HashMap::new();
        for (index, block) in page.blocks.list.iter().enumerate() {
            let at = block.container as usize;
            let Some(&strong) = places.strong.get(at).filter(|s| **s != NONE) else {
                tree.unit_of.push(None);
                continue;
            };
            if block.flags.has(Flags::HIDDEN) {
                tree.unit_of.push(None);
                continue;
            }
            let region = *region_at.entry(strong).or_insert_with(|| {
                tree.regions.push(region(dom, &places, strong, &words, &mut groups));
                tree.regions.len() - 1
            });
            let text = page.text(index);
            let density = text.chars().count() as u32;
            let keywords = words.find(text);
            let mut new = || {
                tree.units.push(Unit { region, density: 0, keywords: 0, prose: usize::MAX });
                tree.units.len() - 1
            };
            let unit = match places.weak.get(at) {
                Some(&weak) if weak != NONE => *unit_at.entry(weak).or_insert_with(new),
                _ => new(),
            };
            if let Some(unit) = tree.units.get_mut(unit) {
                unit.density = unit.density.saturating_add(density);
                unit.keywords |= keywords;
                if block.heading == 0 {
                    unit.prose = unit.prose.min(index);
                }
            }
            if block.heading > 0 {
                let level = places.level.get(at).copied().unwrap_or(0);
                tree.headings.push((index, region, level));
            }
            tree.unit_of.push(Some(unit));
        }
        tree
    }

    /// Steps 2–5: prunes what has at most `t2` characters, merges the rest into regions, and
    /// finds the densest.
    pub fn merge(&self, t2: u32) -> Merged<'_> {
        let mut density = vec![0u32; self.regions.len()];
        for unit in self.units.iter().filter(|u| u.density > t2) {
            if let Some(sum) = density.get_mut(unit.region) {
                *sum = sum.saturating_add(unit.density);
            }
        }
        let densest = density.iter().copied().max().unwrap_or(0);
        Merged { tree: self, t2, density, densest }
    }
}

impl Merged<'_> {
    /// The region into which a block was merged, if it is valid.
    pub fn region_of(&self, block: usize) -> Option<usize> {
        let unit = self.tree.unit_of.get(block).copied().flatten()?;
        self.tree.units.get(unit).filter(|u| u.density > self.t2).map(|u| u.region)
    }

    /// Eq. (1): distance from the densest region, 0 (the densest) to 100.
    pub fn dfm(&self, region: usize) -> f32 {
        let density = self.density.get(region).copied().unwrap_or(0);
        if self.densest == 0 {
            return 100.0;
        }
        100.0 - density as f32 * 100.0 / self.densest as f32
    }

    /// Eq. (2): levels between each of the regions and its ancestor title. That title is the
    /// nearest heading before the region's first text that is no heading itself (it stands in some
    /// ancestor, the closest that has one before), else the first heading inside the region.
    pub fn title_diff(&self, regions: &[usize]) -> Vec<Option<u32>> {
        let tree = self.tree;
        let mut prose = vec![usize::MAX; tree.regions.len()];
        for unit in tree.units.iter().filter(|u| u.density > self.t2) {
            if let Some(first) = prose.get_mut(unit.region) {
                *first = unit.prose.min(*first);
            }
        }
        let mut inside: Vec<Option<u32>> = vec![None; tree.regions.len()];
        for &(_, region, level) in tree.headings.iter().rev() {
            if let Some(first) = inside.get_mut(region) {
                *first = Some(level);
            }
        }
        let of = |&region: &usize| {
            let level = tree.regions.get(region)?.level;
            let first = prose.get(region).copied().unwrap_or(0);
            let before = tree.headings.partition_point(|h| h.0 < first);
            let near = before.checked_sub(1).and_then(|i| tree.headings.get(i)).map(|h| h.2);
            let title = near.or_else(|| inside.get(region).copied().flatten())?;
            Some(title.abs_diff(level))
        };
        regions.iter().map(of).collect()
    }

    /// Regions at most `t1` from the densest, in page order (step 6).
    pub fn candidates(&self, t1: f32) -> Vec<usize> {
        let near = |r: &usize| self.density.get(*r).is_some_and(|d| *d > 0) && self.dfm(*r) <= t1;
        (0..self.density.len()).filter(near).collect()
    }

    /// Steps 6 and 7 with this T1.
    pub fn decide(&self, t1: f32, rule: Rule) -> Decision {
        let candidates = self.candidates(t1);
        let titles = self.title_diff(&candidates);
        let regions = &self.tree.regions;
        let level = |r: usize| regions.get(r).map_or(u32::MAX, |r| r.level);
        let titled =
            candidates.iter().zip(&titles).filter_map(|(&r, t)| Some((level(r), (*t)?, r)));
        let Some((_, _, article)) = titled.min() else {
            let page_type = PageType::Multiple;
            return Decision { page_type, candidates, article: None, comments: Vec::new() };
        };
        if rule.reading.areas() == Areas::Group && self.repeats(&candidates) {
            let page_type = PageType::Multiple;
            return Decision {
                page_type,
                candidates,
                article: Some(article),
                comments: Vec::new(),
            };
        }
        let comments = match rule.reading.scan() {
            Scan::Candidates => self.comments(article, &candidates, rule.keywords),
            Scan::Regions => self.comments(article, &self.candidates(100.0), rule.keywords),
        };
        let one_level = candidates.iter().all(|&r| level(r) == level(article));
        let page_type = if !comments.is_empty() {
            PageType::ArticleWithComments
        } else if candidates.len() > 1 && one_level {
            PageType::Multiple
        } else {
            PageType::Article
        };
        Decision { page_type, candidates, article: Some(article), comments }
    }

    /// Do two of these regions have the same tag and classes, on one level?
    fn repeats(&self, candidates: &[usize]) -> bool {
        let mut seen = HashSet::new();
        let look = |r: &usize| self.tree.regions.get(*r).map(|r| (r.group, r.level));
        candidates.iter().filter_map(look).any(|look| !seen.insert(look))
    }

    /// Those of `among` beside the article (they stand below its parent element) that name or say
    /// a keyword, and those beside it that look like them.
    fn comments(&self, article: usize, among: &[usize], keywords: u64) -> Vec<usize> {
        let regions = &self.tree.regions;
        let Some((from, to)) = regions.get(article).map(|r| r.parent) else { return Vec::new() };
        let mut found: Vec<u64> = regions.iter().map(|r| r.names).collect();
        for unit in self.tree.units.iter().filter(|u| u.density > self.t2) {
            if let Some(bits) = found.get_mut(unit.region) {
                *bits |= unit.keywords;
            }
        }
        let beside: Vec<usize> = among
            .iter()
            .copied()
            .filter(|&r| r != article)
            .filter(|&r| regions.get(r).is_some_and(|r| r.at > from && r.at <= to))
            .collect();
        let says = |r: usize| found.get(r).is_some_and(|bits| bits & keywords != 0);
        let group = |r: usize| regions.get(r).map(|r| r.group);
        let groups: Vec<Option<u32>> =
            beside.iter().copied().filter(|&r| says(r)).map(group).collect();
        beside.into_iter().filter(|&r| groups.contains(&group(r))).collect()
    }
}

fn region(
    dom: &Dom,
    places: &Places,
    node: Id,
    words: &Words,
    groups: &mut HashMap<(Name, String), u32>,
) -> Region {
    let place = |of: &[u32], id: Id| of.get(id as usize).copied().unwrap_or(0);
    let parent = dom.parent(node).unwrap_or(node);
    let class = dom.attr(node, "class").unwrap_or_default();
    let tag = dom.tag(node).unwrap_or(name!("body"));
    let look = class.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let next = groups.len() as u32;
    Region {
        node,
        level: place(&places.level, node),
        cardinality: dom.children(node).filter(|c| dom.element(*c).is_some()).count() as u32,
        group: *groups.entry((tag, look)).or_insert(next),
        names: words.find(&class) | words.find(&dom.attr(node, "id").unwrap_or_default()),
        at: place(&places.at, node),
        parent: (place(&places.at, parent), place(&places.end, parent)),
    }
}

impl Places {
    fn of(dom: &Dom) -> Places {
        let n = dom.nodes.len();
        let mut places = Places {
            level: vec![0; n],
            strong: vec![NONE; n],
            weak: vec![NONE; n],
            at: vec![0; n],
            end: vec![0; n],
        };
        let mut order: Vec<Id> = vec![dom.root()];
        for id in dom.descend(dom.root()) {
            let (i, at) = (id as usize, order.len() as u32);
            let parent = dom.parent(id).unwrap_or(dom.root()) as usize;
            places.level[i] = places.level[parent] + 1;
            places.at[i] = at;
            places.end[i] = at;
            if is_strong(dom, id) {
                places.strong[i] = id;
            } else {
                places.strong[i] = places.strong[parent];
                let above = places.weak[parent];
                places.weak[i] = if above != NONE { above } else { id };
            }
            order.push(id);
        }
        for &id in order.iter().rev() {
            if let Some(parent) = dom.parent(id) {
                let end = places.end[id as usize];
                let above = &mut places.end[parent as usize];
                *above = (*above).max(end);
            }
        }
        places
    }
}

/// Elements that divide a page (§3.1) and HTML5's sectioning ones; `<body>` takes what stands in
/// none of them.
fn is_strong(dom: &Dom, id: Id) -> bool {
    let Some(tag) = dom.tag(id) else { return false };
    matches!(
        tag,
        name!("body")
            | name!("table")
            | name!("thead")
            | name!("tbody")
            | name!("tfoot")
            | name!("tr")
            | name!("div")
            | name!("ul")
            | name!("ol")
            | name!("article")
            | name!("section")
            | name!("nav")
            | name!("aside")
            | name!("main")
            | name!("header")
            | name!("footer")
    )
}

/// All keywords at once.
struct Words(Option<AhoCorasick>);

impl Words {
    fn new(keywords: &[String]) -> Words {
        let words = keywords.iter().take(KEYWORDS).map(|w| w.to_lowercase());
        // Without an automaton (too many states) nothing is found, which is the rule for no word.
        Words(AhoCorasick::new(words).ok())
    }

    /// Bits of the keywords that occur, case ignored.
    fn find(&self, text: &str) -> u64 {
        let Some(automaton) = self.0.as_ref().filter(|_| !text.is_empty()) else { return 0 };
        let text = text.to_lowercase();
        let hits = automaton.find_overlapping_iter(&text);
        hits.fold(0, |bits, hit| bits | 1 << hit.pattern().as_usize())
    }
}

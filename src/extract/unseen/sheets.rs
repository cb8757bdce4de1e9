//! The rules of a page's style sheets that can hide, and those that undo it.
//!
//! A sheet has hundreds of rules that say how something is shown, and few that hide something. So
//! rules are kept as they stand; selectors are read of those that hide, and, once elements are found
//! that these match, of those that may show these elements again. Must not know: inheritance.

use crate::extract::dom::{Dom, Id};

use super::allowed;
use super::cascade::NO_LAYER;
use super::css::{
    self, Block, COMMON, CUTS, Declaration, Effect, Part, Properties, Property, Reading, Whole,
};
use super::grounds::Grounds;
use super::hiding::{Cutting, Hiding};
use super::index::{Index, MAX_RULES};
use super::names::{Classes, Names};
use super::selector::{self, Parents, Place, Selector, hash};
use super::shadow;
use super::written::{MAX_SHEETS, Written, stands_alone};

/// Layers that are told apart.
const MAX_LAYERS: usize = 256;

/// The rules of a page that matter, in order.
#[derive(Default)]
pub(super) struct Sheets<'p> {
    rules: Vec<Rule<'p>>,
    declarations: Vec<Declaration>,
    /// What rules are nested in, and selectors in that.
    parents: Vec<Parents>,
    arguments: usize,
    /// The document, where there are shadow roots, which its rules do not reach.
    document: Option<Id>,
    /// Names of layers in their order.
    layers: Vec<&'p str>,
    pub hiding: Hiding<'p>,
    /// There was more than is kept or read: rules, layers, animations, blocks in blocks.
    pub full: bool,
}

struct Rule<'p> {
    selectors: &'p str,
    block: &'p str,
    parent: Option<u32>,
    /// Properties that it may say something of, but that were not read at first.
    passed: Properties,
    /// Its declarations end here.
    end: u32,
    layer: u16,
    /// It counts on every wide screen.
    sure: bool,
    /// The shadow root that it stands in.
    root: Option<Id>,
}

impl Rule<'_> {
    /// Its selectors that are asked for, in what its rule is nested in.
    fn list(
        &self,
        around: Option<&Parents>,
        document: Option<Id>,
        asked: impl Fn(&str) -> bool,
    ) -> Vec<Selector> {
        let Some(root) = self.root else {
            let found = selector::list(self.selectors, around, MAX_RULES, asked);
            let Some(document) = document else { return found };
            return found.into_iter().map(|s| s.at(Place::Outside, document)).collect();
        };
        let parts = selector::parts(self.selectors).filter(|part| asked(part));
        parts.filter_map(|part| shadow::selector_in(part, around, root)).take(MAX_RULES).collect()
    }
}

impl<'p> Sheets<'p> {
    /// Reads the sheets of a page. Those of `noscript` are for readers without scripts, those of other templates than
    /// those of shadow roots for nobody.
    pub fn of(dom: &Dom, written: &'p Written<'_>, classes: &Classes) -> Sheets<'p> {
        let mut sheets = Sheets::default();
        let Written { sheets: written, styled } = written;
        sheets.hiding.unstyled = !styled;
        let alone = stands_alone(dom, written);
        let reading = if alone { Reading::All } else { Reading::Hiding };
        let names = match written.is_empty() {
            true => Names::default(),
            false => Names::of_all(dom, classes),
        };
        let rooted = names.may_hold(hash(b' ', "template"))
            && (0..dom.nodes.len() as Id).any(|id| shadow::is_declared(dom, id));
        sheets.document = rooted.then(|| dom.root());
        sheets.full = written.len() > MAX_SHEETS;
        for sheet in written.iter().take(MAX_SHEETS) {
            let holder = allowed::holder(dom, sheet.id);
            if holder.is_none_or(|holder| shadow::is_root(dom, holder)) {
                sheets.add(&sheet.text, sheet.whole(), reading, holder, &names);
            }
        }
        if sheets.declarations.iter().any(Hiding::asks_names) {
            sheets.hiding.know_names(dom);
        }
        sheets.hiding.grounds = alone.then(|| Grounds::of(dom, &sheets.declarations));
        sheets
    }

    /// Reads a sheet, and of its rules those that may match an element with one of these names: most of a sheet is for
    /// other pages.
    fn add(
        &mut self,
        sheet: &'p str,
        whole: Whole<'p>,
        reading: Reading,
        root: Option<Id>,
        names: &Names,
    ) {
        // About as many rules as matter in most sheets of this length.
        self.rules.reserve((sheet.len() / 1024).min(MAX_RULES));
        // What the rule at hand is nested in, outermost first.
        let mut within: Vec<u32> = Vec::new();
        let asked = |selectors: &str, plain: bool| {
            !plain
                || root.is_some()
                || selector::plain_last_names(selectors).any(|asked| names.may_be(asked))
        };
        css::rules(sheet, whole, reading, asked, &mut |part| {
            let rule = match part {
                Part::Rule(rule) => rule,
                Part::Layers(names) => return self.name_layers(names),
                Part::Animation(name, body) => {
                    self.full |= !self.hiding.moving.add(name, body);
                    return;
                }
                Part::Deep => {
                    self.full = true;
                    return;
                }
            };
            within.truncate(rule.nested);
            let parent = within.last().copied();
            let matters = !rule.declarations.is_empty();
            let most = if matters || rule.holds { MAX_RULES } else { MAX_RULES / 2 };
            if self.rules.len() + self.parents.len() >= most {
                self.full = true;
                return;
            }
            if rule.holds {
                within.push(self.parents.len() as u32);
                self.add_parents(rule.selectors, parent, rule.scope);
            }
            if !rule.block.is_empty() {
                self.declarations.extend(rule.declarations);
                let end = self.declarations.len() as u32;
                let known = rule.layer.map(|name| self.layers.iter().position(|l| *l == name));
                let layer = known.flatten().map_or(NO_LAYER, |number| number as u16);
                let css::Rule { selectors, block, passed, sure, .. } = rule;
                if passed.has(Property::Variable) {
                    self.hiding.naming.push(block);
                }
                self.rules.push(Rule { selectors, block, passed, parent, end, layer, sure, root });
            }
        });
    }

    /// Reads selectors that others are nested in; `parent`: what they are nested in themselves.
    fn add_parents(&mut self, selectors: &str, parent: Option<u32>, scope: bool) {
        let around = parent.and_then(|parent| self.parents.get(parent as usize));
        let found = selector::parts(selectors).filter_map(|part| selector::selector(part, around));
        let list: Vec<Selector> = found.take(selector::ARGUMENTS + 1).collect();
        self.arguments += list.iter().map(|selector| 1 + selector.arguments).sum::<usize>();
        let known = list.len() <= selector::ARGUMENTS && self.arguments < MAX_RULES;
        let list = if known { list.into() } else { Parents::default().list };
        self.parents.push(Parents { list, scope });
    }

    /// Takes note of new layers; those in others stand at the place of these.
    fn name_layers(&mut self, names: &'p str) {
        for name in names.split(',') {
            let name = name.trim().split('.').next().unwrap_or_default();
            if self.layers.contains(&name) {
                continue;
            }
            match self.layers.len() < MAX_LAYERS {
                true => self.layers.push(name),
                false => self.full = true,
            }
        }
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// The rules with their numbers and declarations.
    fn rules(&self) -> impl Iterator<Item = (u32, &Rule<'p>, &[Declaration])> {
        let mut start = 0;
        self.rules.iter().zip(1..).map(move |(rule, order)| {
            let range = std::mem::replace(&mut start, rule.end as usize)..rule.end as usize;
            (order, rule, self.declarations.get(range).unwrap_or_default())
        })
    }

    /// The block of a rule.
    pub fn block(&self, order: u32) -> &'p str {
        let rule = order.checked_sub(1).and_then(|at| self.rules.get(at as usize));
        rule.map_or("", |rule| rule.block)
    }

    /// The rules that give a name a value, which `sets` tells by their numbers and blocks, and whether it is important.
    /// Those that count for some readers only have the effect [`Effect::Shows`].
    pub fn naming(&self, mut sets: impl FnMut(u32, &str) -> Option<bool>) -> Index {
        let mut index = Index::default();
        let naming = self.rules().filter(|(_, rule, _)| rule.passed.has(Property::Variable));
        for (order, rule, _) in naming {
            let Some(important) = sets(order, rule.block) else { continue };
            let around = rule.parent.and_then(|parent| self.parents.get(parent as usize));
            for selector in rule.list(around, self.document, |_| true) {
                let sure = is_sure(rule, &selector);
                let effect = if sure { Effect::Inherits } else { Effect::Shows };
                let here = Declaration { property: Property::Variable, effect, important };
                index.add(selector, rule.layer, order, std::iter::once(here));
            }
        }
        index
    }

    /// All rules that hide by themselves.
    pub fn index(&mut self) -> Index {
        let mut index = Index::default();
        let is_strong = |d: &&Declaration| !self.hiding.by(d).is_empty();
        let mut cutting = Vec::new();
        for (order, rule, declarations) in self.rules() {
            if declarations.iter().any(|d| CUTS.has(d.property) && is_cut(d)) {
                cutting.push(rule.selectors);
            }
            if !rule.sure || !declarations.iter().any(|d| is_strong(&d)) {
                continue;
            }
            let around = rule.parent.and_then(|parent| self.parents.get(parent as usize));
            for selector in rule.list(around, self.document, |_| true) {
                if is_sure(rule, &selector) {
                    let strong = declarations.iter().filter(is_strong);
                    index.add(selector, rule.layer, order, strong.copied());
                }
            }
        }
        self.full |= index.is_full();
        self.hiding.cutting = Cutting::of(cutting);
        index
    }

    /// All rules that say something about these properties, and that one of these names has; `again`: also what was not
    /// read of what most rules speak of.
    pub fn about(&self, wanted: Properties, names: &Names, again: bool) -> Index {
        let mut index = Index::default();
        let is_wanted = |d: &&Declaration| wanted.has(d.property);
        let mut read = Block::default();
        let (reading, of) = match again {
            true => (Reading::All, wanted),
            false => (Reading::Uncommon, wanted.without(COMMON)),
        };
        for (order, rule, declarations) in self.rules() {
            let unread = !rule.passed.both(of).is_empty();
            if !(unread || declarations.iter().any(|d| is_wanted(&d)))
                || !(rule.root.is_some()
                    || selector::last_names(rule.selectors).any(|asked| names.may_be(asked)))
            {
                continue;
            }
            let declarations = if unread { read.read(rule.block, reading) } else { declarations };
            if !declarations.iter().any(|d| is_wanted(&d)) {
                continue;
            }
            let around = rule.parent.and_then(|parent| self.parents.get(parent as usize));
            let asked = |part: &str| names.may_be(selector::last_name(part));
            for selector in
                rule.list(around, self.document, |part| rule.root.is_some() || asked(part))
            {
                let sure = is_sure(rule, &selector);
                let counts = |d: &&Declaration| is_wanted(d) && (sure || !d.effect.hides());
                // What may not count may show.
                let read = |d: &Declaration| match d.effect {
                    Effect::Varies(_) | Effect::Painted(_) if !sure => {
                        Declaration { effect: Effect::Shows, ..*d }
                    }
                    _ => *d,
                };
                let found = declarations.iter().filter(counts).map(read);
                index.add(selector, rule.layer, order, found);
            }
        }
        index
    }
}

/// Does it cut a box off, or may it?
fn is_cut(declaration: &Declaration) -> bool {
    declaration.effect.hides() || matches!(declaration.effect, Effect::Varies(_))
}

fn is_sure(rule: &Rule<'_>, selector: &Selector) -> bool {
    rule.sure && !selector.loose && !selector.of_page()
}

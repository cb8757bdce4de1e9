//! The rules of a page's style sheets that can hide, and those that undo it.
//!
//! A sheet has hundreds of rules that say how something is shown, and few that hide something. So
//! rules are kept as they stand; selectors are read of those that hide, and, once elements are found
//! that these match, of those that may show these elements again. Must not know: inheritance.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::cascade::NO_LAYER;
use super::css::{self, Declaration, Part, Properties};
use super::index::{Index, MAX_RULES, Names};
use super::moving::Moving;
use super::selector::{self, Parents, Selector};
use super::shadow;

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
    /// Names of layers in their order.
    layers: Vec<&'p str>,
    pub moving: Moving<'p>,
    /// There was more than is kept or read: rules, layers, animations, blocks in blocks.
    pub full: bool,
}

struct Rule<'p> {
    selectors: &'p str,
    parent: Option<u32>,
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
    fn list(&self, around: Option<&Parents>, asked: impl Fn(&str) -> bool) -> Vec<Selector> {
        let Some(root) = self.root else {
            return selector::list(self.selectors, around, MAX_RULES, asked);
        };
        let parts = selector::parts(self.selectors).filter(|part| asked(part));
        parts.filter_map(|part| shadow::selector_in(part, around, root)).take(MAX_RULES).collect()
    }
}

impl<'p> Sheets<'p> {
    /// Reads the sheets of a page. Those of `<noscript>` are for readers without scripts, those of
    /// other templates than those of shadow roots for nobody, and those of another type are none (HTML §4.2.6).
    pub fn of(dom: &'p Dom) -> Sheets<'p> {
        let mut sheets = Sheets::default();
        let apart = |tag| matches!(tag, Some(name!("noscript") | name!("template")));
        for (id, sheet) in dom.sheets() {
            let holder = dom.ancestors(id).find(|above| apart(dom.tag(*above)));
            let kind = dom.value(id, name!("type")).unwrap_or_default();
            let is_css = kind.is_empty() || kind.eq_ignore_ascii_case("text/css");
            if is_css && holder.is_none_or(|holder| shadow::is_root(dom, holder)) {
                let media = dom.value(id, name!("media")).unwrap_or_default();
                sheets.add(sheet, &media, holder);
            }
        }
        sheets
    }

    fn add(&mut self, sheet: &'p str, media: &str, root: Option<Id>) {
        // What the rule at hand is nested in, outermost first.
        let mut within: Vec<u32> = Vec::new();
        css::rules(sheet, media, &mut |part| {
            let rule = match part {
                Part::Rule(rule) => rule,
                Part::Layers(names) => return self.name_layers(names),
                Part::Animation(name, body) => {
                    self.full |= !self.moving.add(name, body);
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
            if self.rules.len() + self.parents.len() >= MAX_RULES {
                self.full |= matters || rule.holds;
                return;
            }
            if rule.holds {
                within.push(self.parents.len() as u32);
                self.add_parents(rule.selectors, parent, rule.scope);
            }
            if matters {
                self.declarations.extend(rule.declarations);
                let end = self.declarations.len() as u32;
                let known = rule.layer.map(|name| self.layers.iter().position(|l| *l == name));
                let layer = known.flatten().map_or(NO_LAYER, |number| number as u16);
                let (selectors, sure) = (rule.selectors, rule.sure);
                self.rules.push(Rule { selectors, parent, end, layer, sure, root });
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

    /// The rules with their numbers and declarations.
    fn rules(&self) -> impl Iterator<Item = (u32, &Rule<'p>, &[Declaration])> {
        let mut start = 0;
        self.rules.iter().zip(1..).map(move |(rule, order)| {
            let range = std::mem::replace(&mut start, rule.end as usize)..rule.end as usize;
            (order, rule, self.declarations.get(range).unwrap_or_default())
        })
    }

    /// All rules that hide by themselves.
    pub fn hiding(&mut self) -> Index {
        let mut index = Index::default();
        let is_strong = |d: &&Declaration| !self.moving.hidden_by(d).is_empty();
        for (order, rule, declarations) in self.rules() {
            if !rule.sure || !declarations.iter().any(|d| is_strong(&d)) {
                continue;
            }
            let around = rule.parent.and_then(|parent| self.parents.get(parent as usize));
            for selector in rule.list(around, |_| true) {
                if is_sure(rule, &selector) {
                    let strong = declarations.iter().filter(is_strong);
                    index.add(selector, rule.layer, order, strong);
                }
            }
        }
        self.full |= index.is_full();
        index
    }

    /// All rules that say something about these properties, and that one of these names has.
    pub fn about(&mut self, wanted: Properties, names: &Names) -> Index {
        let mut index = Index::default();
        for (order, rule, declarations) in self.rules() {
            let is_wanted = |d: &&Declaration| wanted.has(d.property);
            let asked = |part: &str| rule.root.is_some() || names.may_be(part);
            if !declarations.iter().any(|d| is_wanted(&d))
                || !selector::parts(rule.selectors).any(asked)
            {
                continue;
            }
            let around = rule.parent.and_then(|parent| self.parents.get(parent as usize));
            for selector in rule.list(around, asked) {
                let sure = is_sure(rule, &selector);
                let counts = |d: &&Declaration| is_wanted(d) && (sure || !d.effect.hides());
                index.add(selector, rule.layer, order, declarations.iter().filter(counts));
            }
        }
        self.full |= index.is_full();
        index
    }
}

fn is_sure(rule: &Rule<'_>, selector: &Selector) -> bool {
    rule.sure && !selector.loose && !selector.of_page()
}

//! What the rules of a page come to for each element that may be hidden.
//!
//! Of what most rules speak of, only what hides is read at first. It matters for few elements: the others are told
//! without it, and rules are read again for what is left. Must not know: inheritance.

use crate::extract::dom::{Dom, Id};

use super::cascade::{Own, complete};
use super::css::{COMMON, Properties};
use super::hiding::Hiding;
use super::index::Index;
use super::selector::Selector;
use super::sheets::Sheets;
use super::variables::Variables;
use super::walk::Walk;
use super::{Bits, declared_paid, is_page, is_paid};

/// What is asked, and what is known so far.
pub(super) struct Verdict<'a, 'p> {
    dom: &'p Dom<'p>,
    sheets: &'a Sheets<'p>,
    hiding: &'a Hiding<'p>,
    walk: &'a Walk<'p>,
    /// Nothing is said of colours but what the page says.
    alone: bool,
    variables: Option<Variables<'a, 'p>>,
    declared: Option<Vec<Selector>>,
    /// Tests of selectors that are left.
    pub budget: u64,
    /// There were more rules than are kept.
    pub full: bool,
}

impl<'a, 'p> Verdict<'a, 'p> {
    pub fn new(
        dom: &'p Dom<'p>,
        sheets: &'a Sheets<'p>,
        hiding: &'a Hiding<'p>,
        walk: &'a Walk<'p>,
        budget: u64,
    ) -> Verdict<'a, 'p> {
        let alone = hiding.grounds.is_some();
        let (variables, declared) = (None, None);
        Verdict { dom, sheets, hiding, walk, alone, variables, declared, budget, full: false }
    }

    /// What each of the suspects says, in their order. `common`: those that may be hidden by what most rules speak of,
    /// `again`: the same with those in them that may be shown; `wanted`: by which properties.
    pub fn of(
        &mut self,
        suspects: &[Id],
        common: Vec<Id>,
        again: Vec<Id>,
        wanted: Properties,
    ) -> Vec<(Id, Own)> {
        let mut first = if self.alone { wanted } else { wanted.without(COMMON) };
        complete(&mut first);
        let first = if self.alone { first } else { first.without(COMMON) };
        let about = self.about(first, suspects, false);
        let mut all: Vec<(Id, Own)> =
            suspects.iter().map(|&id| (id, self.own(&about, id, first))).collect();
        if !self.alone && !common.is_empty() {
            let mut wanted = wanted;
            complete(&mut wanted);
            self.ask_again(&mut all, common, again, wanted);
        }
        all
    }

    /// Tells the same with what most rules speak of, where it may matter.
    fn ask_again(
        &mut self,
        all: &mut [(Id, Own)],
        common: Vec<Id>,
        again: Vec<Id>,
        wanted: Properties,
    ) {
        let dom = self.dom;
        let mut gone = Bits::of(dom);
        for &(id, own) in all.iter() {
            if own.gone && !is_page(dom, id) && !self.is_paid(id) {
                gone.set(id);
            }
        }
        let left = self.not_gone(common, &gone);
        if left.is_empty() {
            return;
        }
        // What was not read only shows.
        let about = self.about(wanted, &left, false);
        let (mut may_be, mut behind, mut any) = (Bits::of(dom), Bits::of(dom), false);
        for id in left {
            let own = self.own(&about, id, wanted);
            let painted = own.colours.may_hide();
            if own.hides() || painted {
                may_be.set(id);
                any = true;
            }
            if painted {
                // What is around it may paint what is clear.
                dom.ancestors(id).for_each(|around| behind.set(around));
            }
        }
        if !any {
            return;
        }
        let mut again = self.not_gone(again, &gone);
        again.retain(|&id| {
            let mut around = std::iter::once(id).chain(dom.ancestors(id));
            behind.has(id) || around.any(|around| may_be.has(around))
        });
        let about = self.about(wanted, &again, true);
        for id in again {
            if let Ok(at) = all.binary_search_by_key(&id, |(id, _)| *id) {
                all[at].1 = self.own(&about, id, wanted);
            }
        }
    }

    /// Those elements that are not gone, by themselves or with what they stand in.
    fn not_gone(&mut self, mut of: Vec<Id>, gone: &Bits) -> Vec<Id> {
        let dom = self.dom;
        of.retain(|&id| {
            !std::iter::once(id).chain(dom.ancestors(id)).any(|around| {
                self.budget = self.budget.saturating_sub(1);
                gone.has(around)
            })
        });
        of
    }

    /// The rules that speak of these properties and may match these elements.
    fn about(&mut self, wanted: Properties, elements: &[Id], again: bool) -> Index {
        let about = self.sheets.about(wanted, &self.walk.names(elements), again);
        self.full |= about.is_full();
        about
    }

    /// What an element says of these properties.
    fn own(&mut self, about: &Index, id: Id, of: Properties) -> Own {
        let Verdict { sheets, walk, hiding, alone, variables, budget, .. } = self;
        let vary = &mut |place, rule, budget: &mut u64| {
            let variables = variables.get_or_insert_with(|| Variables::of(sheets, *alone));
            variables.effect(walk, id, (place, rule), budget)
        };
        about.own(walk.at(id), of, hiding, vary, budget)
    }

    /// Is it the part of an article that readers pay for?
    pub fn is_paid(&mut self, id: Id) -> bool {
        let dom = self.dom;
        let declared = self.declared.get_or_insert_with(|| declared_paid(dom));
        is_paid(dom, id, declared, &mut self.budget)
    }
}

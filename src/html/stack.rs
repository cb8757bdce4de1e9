//! The stack of open elements, its scopes and implied end tags (WHATWG HTML §13.2.4.2, §13.2.6.3).
//!
//! Must not know: tokens, insertion modes, texts.

use super::build::{Builder, Open};
use super::class;
use super::name::name;
use super::node::{Id, OPEN};
use super::{Name, Space};

impl Builder<'_, '_> {
    /// The current node; the document while nothing is open.
    #[inline]
    pub(super) fn current(&self) -> Open {
        let none = Open { id: 0, name: name!("html"), space: Space::Html, class: 0 };
        self.open.last().copied().unwrap_or(none)
    }

    #[inline]
    pub(super) fn current_is(&self, name: Name) -> bool {
        self.open.last().is_some_and(|open| open.is(name))
    }

    #[inline]
    pub(super) fn push(&mut self, id: Id, name: Name, space: Space) {
        if space == Space::Html
            && let Some(count) = self.counts.get_mut(name.index())
        {
            *count += 1;
        }
        self.tree.nodes[id as usize].flags |= OPEN;
        self.open.push(Open { id, name, space, class: class::of(name, space) });
    }

    #[inline]
    fn left(&mut self, open: Open) {
        if open.space == Space::Html
            && let Some(count) = self.counts.get_mut(open.name.index())
        {
            *count -= 1;
        }
        self.tree.nodes[open.id as usize].flags &= !OPEN;
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        if let Some(open) = self.open.pop() {
            self.left(open);
        }
    }

    pub(super) fn truncate(&mut self, length: usize) {
        while self.open.len() > length {
            self.pop();
        }
    }

    pub(super) fn remove_open(&mut self, index: usize) {
        let open = self.open.remove(index);
        self.left(open);
    }

    pub(super) fn insert_open(&mut self, index: usize, id: Id, name: Name) {
        self.push(id, name, Space::Html);
        if let Some(open) = self.open.pop() {
            self.open.insert(index, open);
        }
    }

    /// Puts a new element in the place of an open one.
    pub(super) fn replace_open(&mut self, index: usize, id: Id, name: Name) {
        self.insert_open(index, id, name);
        self.remove_open(index + 1);
    }

    pub(super) fn position(&self, id: Id) -> Option<usize> {
        self.open.iter().rposition(|open| open.id == id)
    }

    pub(super) fn remove_from_stack(&mut self, id: Id) {
        if let Some(index) = self.position(id) {
            self.remove_open(index);
        }
    }

    pub(super) fn is_open(&self, id: Id) -> bool {
        self.tree.nodes[id as usize].flags & OPEN != 0
    }

    /// Is an HTML element of this known name anywhere on the stack?
    #[inline]
    pub(super) fn any_open(&self, name: Name) -> bool {
        self.counts.get(name.index()).is_some_and(|&count| count > 0)
    }

    /// Is such an element above everything that ends the scope (WHATWG HTML §13.2.4.2)?
    #[inline]
    pub(super) fn in_scope(&self, name: Name, ends: u16) -> bool {
        self.any_open(name) && self.find_in_scope(|open| open.is(name), ends)
    }

    pub(super) fn find_in_scope(&self, found: impl Fn(&Open) -> bool, ends: u16) -> bool {
        for open in self.open.iter().rev() {
            if found(open) {
                return true;
            }
            if open.in_set(ends) {
                return false;
            }
        }
        false
    }

    pub(super) fn pop_until(&mut self, last: impl Fn(&Open) -> bool) {
        while let Some(open) = self.open.last().copied() {
            self.pop();
            if last(&open) {
                break;
            }
        }
    }

    #[inline]
    pub(super) fn pop_until_named(&mut self, name: Name) {
        self.pop_until(|open| open.is(name));
    }

    /// "Clear the stack back to" a context.
    pub(super) fn pop_while(&mut self, holds: impl Fn(&Open) -> bool) {
        while self.open.last().is_some_and(&holds) {
            self.pop();
        }
    }

    #[inline]
    pub(super) fn generate_implied_end_tags(&mut self) {
        self.pop_while(|open| open.in_set(class::IMPLIED));
    }

    pub(super) fn generate_implied_end_tags_except(&mut self, name: Name) {
        self.pop_while(|open| open.in_set(class::IMPLIED) && open.name != name);
    }

    /// "Close a p element" if one is in button scope.
    #[inline]
    pub(super) fn close_p(&mut self) {
        if self.in_scope(name!("p"), class::SCOPE | class::BUTTON) {
            self.close_p_in_scope();
        }
    }

    pub(super) fn close_p_in_scope(&mut self) {
        self.generate_implied_end_tags_except(name!("p"));
        self.pop_until_named(name!("p"));
    }
}

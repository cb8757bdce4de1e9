//! The list of active formatting elements (WHATWG HTML §13.2.4.3) and the adoption agency
//! (§13.2.6.4.7).

use super::build::{Builder, Format};
use super::class;
use super::name::name;
use super::node::Id;
use super::tag::Tag;
use super::{Name, Space};

/// Bytes that the tags of copied elements may have together: an element that stays open is copied into every paragraph.
const COPIED: u64 = 4 * 1024 * 1024;

impl Builder<'_, '_> {
    pub(super) fn push_marker(&mut self) {
        self.formats.push(Format::Marker);
    }

    pub(super) fn remove_format(&mut self, index: usize) {
        if let Format::Element(..) = self.formats.remove(index) {
            self.formatting -= 1;
        }
    }

    pub(super) fn clear_to_marker(&mut self) {
        while let Some(Format::Element(..)) = self.formats.pop() {
            self.formatting -= 1;
        }
    }

    fn format_position(&self, id: Id) -> Option<usize> {
        self.formats.iter().position(|f| matches!(f, Format::Element(other, _) if *other == id))
    }

    /// The last entry of this name after the last marker.
    fn last_format(&self, name: Name) -> Option<(usize, Id, Tag)> {
        for (index, format) in self.formats.iter().enumerate().rev() {
            match *format {
                Format::Marker => return None,
                Format::Element(id, tag) if tag.name == name => return Some((index, id, tag)),
                Format::Element(..) => {}
            }
        }
        None
    }

    #[inline]
    pub(super) fn reconstruct(&mut self) {
        if let Some(&Format::Element(id, _)) = self.formats.last()
            && !self.is_open(id)
        {
            self.reconstruct_from_last();
        }
    }

    fn reconstruct_from_last(&mut self) {
        let closed = |b: &Self, index: usize| match b.formats[index] {
            Format::Marker => false,
            Format::Element(id, _) => !b.is_open(id),
        };
        let mut first = self.formats.len();
        while first > 0 && closed(self, first - 1) {
            first -= 1;
        }
        for index in first..self.formats.len() {
            if let Format::Element(_, tag) = self.formats[index] {
                self.note_copy(&tag);
                let id = self.insert(&tag);
                self.formats[index] = Format::Element(id, tag);
            }
        }
    }

    /// Whoever reads the attributes of a copy reads those of its tag again.
    fn note_copy(&mut self, tag: &Tag) {
        self.copied += u64::from(tag.range.1 - tag.range.0);
        if self.copied > COPIED {
            self.close(|| format!("more than {COPIED} bytes of attributes in copies of tags"));
        }
    }

    /// Inserts a formatting element; of four equal ones in the list the earliest leaves it.
    pub(super) fn insert_formatting(&mut self, tag: &Tag) {
        let mut equal = 0;
        let mut earliest = 0;
        for (index, format) in self.formats.iter().enumerate().rev() {
            match format {
                Format::Marker => break,
                Format::Element(_, other) if self.same_tag(other, tag) => {
                    equal += 1;
                    earliest = index;
                }
                Format::Element(..) => {}
            }
        }
        if equal >= 3 {
            self.remove_format(earliest);
        }
        let id = self.insert(tag);
        self.formats.push(Format::Element(id, *tag));
        self.formatting += 1;
    }

    /// The same name and attributes, in any order.
    fn same_tag(&self, a: &Tag, b: &Tag) -> bool {
        if a.name != b.name {
            return false;
        }
        let text = |tag: &Tag| &self.tree.page[tag.range.0 as usize..tag.range.1 as usize];
        if text(a) == text(b) {
            return true;
        }
        let sorted = |tag: &Tag| {
            let mut all: Vec<_> = self.attributes_of(tag).map(|a| (a.lower(), a.value())).collect();
            // Of several with one name the first counts, and the sort is stable.
            all.sort_by(|(a, _), (b, _)| a.cmp(b));
            all.dedup_by(|(later, _), (earlier, _)| later == earlier);
            all
        };
        sorted(a) == sorted(b)
    }

    /// A start tag `<a>` while another one is active.
    pub(super) fn close_active_a(&mut self) {
        if let Some((_, id, _)) = self.last_format(name!("a")) {
            self.adoption_agency(name!("a"));
            if let Some(index) = self.format_position(id) {
                self.remove_format(index);
            }
            self.remove_from_stack(id);
        }
    }

    pub(super) fn adoption_agency(&mut self, subject: Name) {
        let current = self.current();
        if current.is(subject) && self.format_position(current.id).is_none() {
            self.pop();
            return;
        }
        for _ in 0..8 {
            let Some((format, element, tag)) = self.last_format(subject) else {
                return self.any_other_end_tag(subject);
            };
            let Some(at) = self.open.iter().rposition(|open| open.id == element) else {
                return self.remove_format(format);
            };
            if !self.find_in_scope(|open| open.id == element, class::SCOPE) {
                return;
            }
            let block = self.open[at..].iter().position(|open| open.in_set(class::SPECIAL));
            let Some(block) = block.map(|offset| at + offset) else {
                self.truncate(at);
                return self.remove_format(format);
            };
            self.adopt(element, tag, at, block);
        }
    }

    /// Steps 11 to 20: what the furthest block holds gets a formatting element of its own.
    fn adopt(&mut self, element: Id, tag: Tag, at: usize, block_at: usize) {
        let ancestor = self.open[at.saturating_sub(1)];
        let block = self.open[block_at].id;
        // The entry after which the new one goes; `element` itself stands for its own place.
        let mut bookmark = element;
        let mut last = block;
        let mut index = block_at;
        for inner in 1.. {
            index -= 1;
            let open = self.open[index];
            if open.id == element {
                break;
            }
            let format = self.format_position(open.id);
            let Some(format) = format.filter(|_| inner <= 3) else {
                if let Some(format) = format {
                    self.remove_format(format);
                }
                self.remove_open(index);
                continue;
            };
            let Format::Element(_, tag) = self.formats[format] else { continue };
            self.note_copy(&tag);
            let copy = self.create(&tag, tag.name, Space::Html);
            self.replace_open(index, copy, tag.name);
            self.formats[format] = Format::Element(copy, tag);
            if last == block {
                bookmark = copy;
            }
            self.unlink(last);
            self.link(copy, super::NONE, last);
            last = copy;
        }
        self.unlink(last);
        let (parent, before) = self.place(ancestor);
        self.link(parent, before, last);
        self.note_copy(&tag);
        let copy = self.create(&tag, tag.name, Space::Html);
        self.move_children(block, copy);
        self.link(block, super::NONE, copy);
        let entry = Format::Element(copy, tag);
        if let Some(place) = self.format_position(bookmark) {
            if bookmark == element {
                self.formats[place] = entry;
            } else {
                self.formats.insert(place + 1, entry);
                self.formatting += 1;
                if let Some(old) = self.format_position(element) {
                    self.remove_format(old);
                }
            }
        }
        self.remove_from_stack(element);
        if let Some(place) = self.position(block) {
            self.insert_open(place + 1, copy, tag.name);
        }
    }
}

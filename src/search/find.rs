//! Which articles of the index are wanted: each part of a question becomes a set of articles, and sets are
//! put together. So every hit is counted, and nothing is ranked; the newest come first.
//!
//! Must not know: files, the store, how a question is written.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Instant;

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

use crate::model::{Day, UrlKey};

use super::passages::{Place, TRIES, together};
use super::schema::{DAY, Fields, HIGH, LOW, day_of, key_of, number_of};
use super::syntax::{Near, Phrase, Wanted};
use super::words::{spaceless, term};
use super::{Failed, Filter, Found};

/// Words that one `word*` may stand for.
const MOST_FORMS: usize = 10_000;
/// Articles looked at between two looks at the clock.
const STRIDE: usize = 1_024;

/// Finds the articles that are wanted and pass the filter.
///
/// # Errors
/// [`Failed::Costly`] when it is not done at the instant given.
pub fn find(
    searcher: &Searcher,
    fields: &Fields,
    wanted: &Wanted,
    filter: &Filter,
    until: Instant,
) -> Result<Found, Failed> {
    let mut found = Found::default();
    let mut first: BTreeSet<(std::cmp::Reverse<Day>, UrlKey)> = BTreeSet::new();
    for segment in searcher.segment_readers() {
        let look = Look { segment, fields, until };
        let mut set = look.set(wanted)?;
        for (field, value) in [(fields.outlet, &filter.outlet), (fields.language, &filter.language)]
        {
            if let Some(value) = value {
                set.keep(&look.with(field, value)?);
            }
        }
        let columns = segment.fast_fields();
        let (days, high, low) = (columns.i64(DAY)?, columns.u64(HIGH)?, columns.u64(LOW)?);
        for (seen, doc) in set.iter().enumerate() {
            if seen % STRIDE == 0 {
                look.in_time()?;
            }
            let column = days.first(doc).zip(high.first(doc)).zip(low.first(doc));
            let Some(((number, high), low)) = column.filter(|_| !segment.is_deleted(doc)) else {
                continue;
            };
            if filter.from.is_some_and(|from| number < number_of(from))
                || filter.to.is_some_and(|to| number > number_of(to))
            {
                continue;
            }
            let (Some(day), key) = (day_of(number), key_of(high, low)) else { continue };
            if filter.among.as_ref().is_some_and(|among| !among.contains(&key)) {
                continue;
            }
            found.articles += 1;
            *found.days.entry(day).or_default() += 1;
            let line = (std::cmp::Reverse(day), key);
            if filter.after.is_some_and(|(day, key)| line <= (std::cmp::Reverse(day), key)) {
                continue;
            }
            first.insert(line);
            if first.len() > filter.limit {
                first.pop_last();
                found.more = true;
            }
        }
    }
    found.first = first.into_iter().map(|(day, key)| (day.0, key)).collect();
    Ok(found)
}

/// A set of the articles of a segment.
struct Set {
    bits: Vec<u64>,
    size: DocId,
}

impl Set {
    fn new(size: DocId) -> Set {
        Set { bits: vec![0; size.div_ceil(64) as usize], size }
    }

    fn insert(&mut self, doc: DocId) {
        if let Some(bits) = self.bits.get_mut(doc as usize / 64) {
            *bits |= 1 << (doc % 64);
        }
    }

    fn keep(&mut self, other: &Set) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, other)| *bits &= other);
    }

    fn join(&mut self, other: &Set) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, other)| *bits |= other);
    }

    fn turn(&mut self) {
        self.bits.iter_mut().for_each(|bits| *bits = !*bits);
        if let (Some(last), over @ 1..) = (self.bits.last_mut(), self.size % 64) {
            *last &= (1 << over) - 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = DocId> + '_ {
        (0u32..).zip(&self.bits).flat_map(|(place, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(place * 64 + bit)
            })
        })
    }
}

/// A look into one segment.
struct Look<'a> {
    segment: &'a SegmentReader,
    fields: &'a Fields,
    until: Instant,
}

impl Look<'_> {
    fn in_time(&self) -> Result<(), Failed> {
        if Instant::now() > self.until { Err(Failed::Costly) } else { Ok(()) }
    }

    fn empty(&self) -> Set {
        Set::new(self.segment.max_doc())
    }

    fn set(&self, wanted: &Wanted) -> Result<Set, Failed> {
        self.in_time()?;
        Ok(match wanted {
            Wanted::Words(zones, near) => {
                let mut set = self.empty();
                for field in zones.iter().filter_map(|zone| self.fields.zone(*zone)) {
                    self.add_near(&mut set, field, near)?;
                }
                set
            }
            Wanted::All(parts) => {
                let mut set = self.empty();
                set.turn();
                for part in parts {
                    set.keep(&self.set(part)?);
                }
                set
            }
            Wanted::Any(parts) => {
                let mut set = self.empty();
                for part in parts {
                    set.join(&self.set(part)?);
                }
                set
            }
            Wanted::Not(part) => {
                let mut set = self.set(part)?;
                set.turn();
                set
            }
        })
    }

    /// The articles that have this value.
    fn with(&self, field: Field, value: &str) -> Result<Set, Failed> {
        let mut set = self.empty();
        let term = Term::from_field_text(field, value);
        let postings =
            self.segment.inverted_index(field)?.read_postings(&term, IndexRecordOption::Basic)?;
        if let Some(postings) = postings {
            self.add_all(&mut set, postings)?;
        }
        Ok(set)
    }

    fn add_all(&self, set: &mut Set, mut postings: SegmentPostings) -> Result<(), Failed> {
        for seen in 1.. {
            let doc = postings.doc();
            if doc == TERMINATED {
                break;
            }
            set.insert(doc);
            postings.advance();
            if seen % STRIDE == 0 {
                self.in_time()?;
            }
        }
        Ok(())
    }

    /// Adds the articles that have the phrases near each other in one field.
    fn add_near(&self, set: &mut Set, field: Field, near: &Near) -> Result<(), Failed> {
        if let ([(0, sought)], true) = (sought(&near.first).as_slice(), near.then.is_empty()) {
            for postings in self.postings(field, sought, IndexRecordOption::Basic)? {
                self.add_all(set, postings)?;
            }
            return Ok(());
        }
        let mut cursors = Vec::new();
        for phrase in near.phrases() {
            let Some(cursor) = self.cursor(field, phrase)? else { return Ok(()) };
            cursors.push(cursor);
        }
        let mut doc = 0;
        loop {
            doc = match meet(&mut cursors, doc) {
                TERMINATED => return Ok(()),
                doc => doc,
            };
            // Each article may take as long as its tries.
            self.in_time()?;
            let places: Vec<Vec<Place>> =
                cursors.iter_mut().map(|cursor| cursor.places(doc)).collect();
            let mut places = places.iter().map(Vec::as_slice);
            let first = places.next().unwrap_or_default();
            let then: Vec<(u32, &[Place])> =
                near.then.iter().map(|(words, _)| *words).zip(places).collect();
            let mut found = false;
            let _ = together(first, &then, &mut TRIES.clone(), &mut |_| {
                found = true;
                ControlFlow::Break(())
            });
            if found {
                set.insert(doc);
            }
            doc += 1;
        }
    }

    /// `None`: some word of the phrase stands nowhere.
    fn cursor(&self, field: Field, phrase: &Phrase) -> Result<Option<Cursor>, Failed> {
        let mut parts = Vec::new();
        for (offset, sought) in sought(phrase) {
            let with = IndexRecordOption::WithFreqsAndPositions;
            let postings = self.postings(field, &sought, with)?;
            if postings.is_empty() {
                return Ok(None);
            }
            parts.push(Part { offset, postings });
        }
        let length = u32::try_from(phrase.words.len()).unwrap_or(u32::MAX);
        Ok(Some(Cursor { parts, length }))
    }

    /// Where a term stands, or each term that begins so.
    fn postings(
        &self,
        field: Field,
        sought: &Sought,
        option: IndexRecordOption,
    ) -> Result<Vec<SegmentPostings>, Failed> {
        let index = self.segment.inverted_index(field)?;
        let begin = match sought {
            Sought::Term(term) => {
                let term = Term::from_field_text(field, term);
                return Ok(index.read_postings(&term, option)?.into_iter().collect());
            }
            Sought::Begin(begin) => begin,
        };
        let mut found = Vec::new();
        let mut terms = index.terms().range().ge(begin.as_bytes()).into_stream()?;
        while terms.advance() && terms.key().starts_with(begin.as_bytes()) {
            if found.len() == MOST_FORMS {
                return Err(Failed::TooManyForms(begin.clone()));
            }
            if found.len() % STRIDE == 0 {
                self.in_time()?;
            }
            found.push(index.read_postings_from_terminfo(terms.value(), option)?);
        }
        Ok(found)
    }
}

/// What is looked for in the index in place of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sought {
    Term(String),
    /// Any term that begins so.
    Begin(String),
}

/// What is looked for in place of the words of a phrase, with their offsets. The last character of several
/// of a script without spaces is found with the one before it.
fn sought(phrase: &Phrase) -> Vec<(u32, Sought)> {
    let words = &phrase.words;
    let mut sought = Vec::new();
    for (offset, (at, word)) in (0u32..).zip(words.iter().enumerate()) {
        let next = words.get(at + 1).filter(|next| spaceless(next));
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        sought.push(match (spaceless(word), next) {
            (true, Some(next)) => (offset, Sought::Term(term(word, Some(next)))),
            (true, None) if before.is_some_and(|before| spaceless(before)) => continue,
            (true, None) => (offset, Sought::Begin(word.clone())),
            (false, _) if phrase.open && at + 1 == words.len() => {
                (offset, Sought::Begin(word.clone()))
            }
            (false, _) => (offset, Sought::Term(word.clone())),
        });
    }
    sought
}

/// One phrase's way through the articles of a field.
struct Cursor {
    parts: Vec<Part>,
    length: u32,
}

/// One word's way, by all its terms.
struct Part {
    offset: u32,
    postings: Vec<SegmentPostings>,
}

impl Part {
    /// The first article at or behind `doc` that has it.
    fn seek(&mut self, doc: DocId) -> DocId {
        let at = |postings: &mut SegmentPostings| {
            if postings.doc() < doc { postings.seek(doc) } else { postings.doc() }
        };
        self.postings.iter_mut().map(at).min().unwrap_or(TERMINATED)
    }

    /// Where a phrase would begin that has it at its place, in order.
    fn begins(&mut self, doc: DocId) -> Vec<u32> {
        let (mut begins, mut positions) = (Vec::new(), Vec::new());
        for postings in self.postings.iter_mut().filter(|postings| postings.doc() == doc) {
            postings.positions(&mut positions);
            begins.extend(positions.iter().filter_map(|at| at.checked_sub(self.offset)));
        }
        begins.sort_unstable();
        begins.dedup();
        begins
    }
}

impl Cursor {
    /// Where the phrase stands in the article that all its words are at: begin and end, in order.
    fn places(&mut self, doc: DocId) -> Vec<Place> {
        let mut parts = self.parts.iter_mut().map(|part| part.begins(doc));
        let mut begins = parts.next().unwrap_or_default();
        for other in parts {
            begins.retain(|at| other.binary_search(at).is_ok());
        }
        begins.into_iter().map(|at| (at, at.saturating_add(self.length))).collect()
    }
}

/// The first article at or behind `doc` that all words of all phrases stand in.
fn meet(cursors: &mut [Cursor], mut doc: DocId) -> DocId {
    'meet: loop {
        for part in cursors.iter_mut().flat_map(|cursor| &mut cursor.parts) {
            let at = part.seek(doc);
            if at == TERMINATED {
                return TERMINATED;
            }
            if at > doc {
                doc = at;
                continue 'meet;
            }
        }
        return doc;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_put_together() {
        let of = |docs: &[u32]| {
            let mut set = Set::new(130);
            docs.iter().for_each(|doc| set.insert(*doc));
            set
        };
        let mut set = of(&[0, 63, 64, 129]);
        set.keep(&of(&[0, 64, 100, 129]));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 64, 129]);
        set.join(&of(&[7]));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 7, 64, 129]);
        set.turn();
        assert_eq!(set.iter().count(), 126);
        set.turn();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 7, 64, 129]);
    }
}

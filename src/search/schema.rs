//! How an article lies in the index: which words stand where, and what it can be filtered and ordered by.
//! Nothing of its text is kept but its words.
//!
//! Must not know: files, the store, questions.

use std::ops::Range;

use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::mention;
use crate::mention::fold::{Folded, fold};
use crate::model::{ArticleRecord, Day, UrlKey, Zone};

use super::syntax::{FARTHEST, ZONES};
use super::words::{cut, spans, term};

/// Between two passages lie more words than any question reaches over.
const GAP: usize = FARTHEST as usize * 4;

/// The name that an index knows [`Passages`] by.
pub const PASSAGES: &str = "passages";

/// The fields of an article.
#[derive(Clone, Debug)]
pub struct Fields {
    pub schema: Schema,
    /// In the order of [`ZONES`].
    zones: [Field; 3],
    /// Bytes of the key, by which an article is taken out again.
    pub key: Field,
    pub outlet: Field,
    pub language: Field,
    high: Field,
    low: Field,
    day: Field,
    seen: Field,
}

/// Columns that an article is read back from: halves of the key, day, first sight.
pub const HIGH: &str = "high";
pub const LOW: &str = "low";
pub const DAY: &str = "day";
pub const SEEN: &str = "seen";

impl Fields {
    pub fn new() -> Fields {
        let mut schema = Schema::builder();
        let indexed = |tokenizer: &str, option| {
            let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer);
            let indexing = indexing.set_fieldnorms(false).set_index_option(option);
            TextOptions::default().set_indexing_options(indexing)
        };
        let zones = ["title", "lead", "body"].map(|name| {
            let option = IndexRecordOption::WithFreqsAndPositions;
            schema.add_text_field(name, indexed(PASSAGES, option))
        });
        let whole = || indexed("raw", IndexRecordOption::Basic);
        let column = || NumericOptions::default() | FAST;
        Fields {
            zones,
            key: schema.add_bytes_field("key", INDEXED),
            outlet: schema.add_text_field("outlet", whole()),
            language: schema.add_text_field("language", whole()),
            high: schema.add_u64_field(HIGH, column()),
            low: schema.add_u64_field(LOW, column()),
            day: schema.add_i64_field(DAY, column()),
            seen: schema.add_i64_field(SEEN, column()),
            schema: schema.build(),
        }
    }

    /// The field of a zone that is searched.
    pub fn zone(&self, zone: Zone) -> Option<Field> {
        let place = ZONES.iter().position(|known| *known == zone)?;
        self.zones.get(place).copied()
    }

    /// An article with a text, as it is written.
    pub fn document(&self, record: &ArticleRecord) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        for (zone, passage) in mention::counted(&record.article) {
            if let Some(field) = self.zone(zone) {
                document.add_text(field, passage);
            }
        }
        document.add_bytes(self.key, &record.key.0.to_be_bytes());
        document.add_text(self.outlet, &record.outlet);
        if let Some(language) = &record.article.language {
            document.add_text(self.language, &language.value);
        }
        document.add_u64(self.high, (record.key.0 >> 64) as u64);
        document.add_u64(self.low, record.key.0 as u64);
        document.add_i64(self.day, number_of(record.published.day));
        document.add_i64(self.seen, record.first_seen);
        document
    }
}

/// Takes passages apart as questions are.
#[derive(Clone, Copy, Debug)]
pub struct Passages;

impl Tokenizer for Passages {
    type TokenStream<'a> = Terms;
    fn token_stream(&mut self, passage: &str) -> Terms {
        let folded = fold(passage);
        Terms { spans: spans(&folded), folded, next: 0, token: Token::default() }
    }
}

/// The terms of a passage.
#[derive(Debug)]
pub struct Terms {
    folded: Folded,
    spans: Vec<Range<usize>>,
    next: usize,
    token: Token,
}

impl TokenStream for Terms {
    fn advance(&mut self) -> bool {
        let word = |at: usize| Some(cut(&self.folded, self.spans.get(at)?.clone()));
        let Some(here) = word(self.next) else { return false };
        self.token.text = term(here, word(self.next + 1));
        // The next passage begins where the last one ended.
        self.token.position = GAP + self.next;
        self.next += 1;
        true
    }
    fn token(&self) -> &Token {
        &self.token
    }
    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// A day as a number in the order of the days: 20261122.
pub fn number_of(day: Day) -> i64 {
    (i64::from(day.year()) * 100 + i64::from(day.month())) * 100 + i64::from(day.day())
}

/// The day of such a number.
pub fn day_of(number: i64) -> Option<Day> {
    let (months, day) = (number.div_euclid(100), number.rem_euclid(100));
    let (year, month) = (months.div_euclid(100), months.rem_euclid(100));
    Day::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// A key of its halves.
pub fn key_of(high: u64, low: u64) -> UrlKey {
    UrlKey(u128::from(high) << 64 | u128::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_numbers_in_their_order() {
        for day in [Day::constant(1970, 1, 1), Day::constant(2026, 12, 31), Day::MIN, Day::MAX] {
            assert_eq!(day_of(number_of(day)), Some(day));
        }
        assert_eq!(number_of(Day::constant(2026, 11, 22)), 20_261_122);
        assert_eq!(day_of(20_261_399), None);
    }
}

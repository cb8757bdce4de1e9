//! The lexicon: all names, exclusions and required words of all brands, looked for in folded text at
//! once (`places`), and the rules that make an occurrence a match: letter case, word boundaries,
//! inflection, wildcards, language.
//!
//! Must not know: articles, blocks and zones (`find` does).

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use super::fold::{Folded, fold, fold_cased, folds_to, is_apostrophe, is_mark};
use super::inflect::{self, Inflection, inflection};
use super::letters::{is_sum, is_word, joined, number_goes_on};
use super::places::{Places, Shape};
use super::sense::{self, Judge};
use crate::model::{Brand, CaseRule, Sense, is_spaceless};

/// Longest alias, exclusion or required word, in bytes.
const LONGEST_PATTERN: usize = 300;
/// A wildcard stands for at most so many characters.
const WILDCARD: usize = 24;

/// Longest part of a list that a message repeats, characters.
const SHOWN: usize = 60;

/// What a message repeats of a name or a line.
pub(super) fn shown(text: &str) -> &str {
    text.char_indices().nth(SHOWN).map_or(text, |(end, _)| &text[..end])
}

/// What is wrong with a brand list: the brand, its field and the fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", if brand.trim().is_empty() { String::new() } else { format!("brand `{}`: {field}: ", shown(brand)) })]
pub struct LexiconError {
    pub brand: String,
    pub field: &'static str,
    pub problem: String,
}

/// What a pattern is to its brand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Alias,
    Exclude,
    Require,
}

/// What may follow a pattern within the same word.
#[derive(Clone, Copy, Debug)]
enum Ending {
    /// Nothing, or a suffix of the brand's inflections.
    Plain,
    /// Any letters.
    Wildcard,
    /// The name's last letters were taken off: one of these must stand in their place.
    Stem(&'static Inflection, &'static [&'static str]),
}

/// One reading of a pattern.
#[derive(Clone, Debug)]
struct Reading {
    brand: usize,
    role: Role,
    ending: Ending,
    /// The folded letters in their case, if case matters.
    cased: Option<Box<str>>,
}

/// A matched name in a text. Offsets are bytes of the original text, at character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    pub start: usize,
    pub end: usize,
    /// Index into [`Lexicon::brands`].
    pub brand: usize,
}

/// What a text holds: names not cancelled by an exclusion, and required words.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// All valid names, overlapping ones included; see [`resolve`].
    pub names: Vec<Hit>,
    /// Occurrences of required words, by brand, then in text order.
    pub required: Vec<Hit>,
}

/// A text that names are looked for in.
struct Looked<'a> {
    text: &'a str,
    folded: Folded,
    /// Primary subtag, if known.
    language: Option<&'a str>,
    in_capitals: OnceCell<bool>,
}

impl Looked<'_> {
    /// Is it all in capitals, as some headlines are? Their case says nothing then; that of a single word may, and that
    /// of a few in a script without letter case does.
    fn in_capitals(&self) -> bool {
        let capital = |word: &&str| word.contains(char::is_uppercase);
        let no_capital = |c: char| c.is_alphabetic() && !c.is_uppercase() && !is_kept(c);
        *self.in_capitals.get_or_init(|| {
            !self.text.contains(no_capital)
                && self.text.split_whitespace().filter(capital).nth(1).is_some()
        })
    }
}

/// Stands in lines of capitals as it is, though Unicode has it as a letter.
fn is_kept(c: char) -> bool {
    matches!(c, 'ª' | 'º' | 'ß') || is_apostrophe(c) || is_mark(c)
}

/// All brands, ready to be looked for.
#[derive(Clone, Debug)]
pub struct Lexicon {
    brands: Vec<Brand>,
    inflections: Vec<Vec<&'static Inflection>>,
    places: Places,
    /// Readings of each pattern that `places` finds.
    readings: Vec<Vec<Reading>>,
    judges: HashMap<String, Judge>,
}

impl Lexicon {
    /// Compiles a brand list. A brand's name is an alias too. Fails on the first fault, naming
    /// brand and field.
    pub fn build(brands: &[Brand]) -> Result<Lexicon, LexiconError> {
        let mut patterns = Patterns::default();
        let mut inflections = Vec::new();
        let mut names = HashMap::new();
        for (number, brand) in brands.iter().enumerate() {
            let fault =
                |field, problem: String| LexiconError { brand: brand.name.clone(), field, problem };
            if brand.name.trim().is_empty() {
                return Err(fault("name", format!("brand number {} has no name", number + 1)));
            }
            if names.insert(brand.name.as_str(), number).is_some() {
                return Err(fault("name", "another brand has the same name".into()));
            }
            if brand.within > 0 && brand.require.is_empty() {
                return Err(fault("within", "has no meaning without `require`".into()));
            }
            let mut tables = Vec::new();
            for language in &brand.inflect {
                tables.push(inflection(language).ok_or_else(|| {
                    let known: Vec<_> = inflect::languages().collect();
                    fault("inflect", format!("`{language}` is not one of {}", known.join(" ")))
                })?);
            }
            let words = std::iter::once(("name", Role::Alias, &brand.name))
                .chain(brand.aliases.iter().map(|a| ("aliases", Role::Alias, a)))
                .chain(brand.exclude.iter().map(|a| ("exclude", Role::Exclude, a)))
                .chain(brand.require.iter().map(|a| ("require", Role::Require, a)));
            for (field, role, word) in words {
                patterns
                    .add(number, role, brand.case, word, &tables)
                    .map_err(|problem| fault(field, problem))?;
            }
            inflections.push(tables);
        }
        let shape = |reading: &Reading| {
            let whole = brands.get(reading.brand).is_some_and(|brand| brand.whole_word);
            let tables = inflections.get(reading.brand).map(Vec::as_slice).unwrap_or_default();
            Shape {
                inner: !whole || tables.iter().any(|t| !t.prefixes.is_empty()),
                open: !whole
                    || !matches!(reading.ending, Ending::Plain)
                    || tables.iter().any(|t| !t.suffixes.is_empty() || !t.doubled.is_empty()),
            }
        };
        let places = Places::new(&patterns.texts, |number| {
            let readings = patterns.readings.get(number).into_iter().flatten().map(shape);
            readings.fold(Shape::default(), |a, b| Shape {
                inner: a.inner || b.inner,
                open: a.open || b.open,
            })
        });
        Ok(Lexicon {
            brands: brands.to_vec(),
            inflections,
            places,
            readings: patterns.readings,
            judges: HashMap::new(),
        })
    }

    /// The same, and what people have answered about its brands.
    pub fn taught(self, senses: &BTreeMap<String, Sense>) -> Lexicon {
        Lexicon { judges: sense::judges(senses), ..self }
    }

    /// Of the brands that somebody has answered about.
    pub(super) fn judges(&self) -> &HashMap<String, Judge> {
        &self.judges
    }

    /// The brands, in the order given.
    pub fn brands(&self) -> &[Brand] {
        &self.brands
    }

    /// Names and required words in `text`, which is in `language` (primary subtag) if known.
    pub fn scan(&self, text: &str, language: Option<&str>) -> Scan {
        let looked = Looked { text, folded: fold(text), language, in_capitals: OnceCell::new() };
        let mut scan = Scan::default();
        let mut excluded: Vec<Hit> = Vec::new();
        self.places.each(&looked.folded.text, |pattern, start, end| {
            for reading in self.readings.get(pattern).into_iter().flatten() {
                if let Some(hit) = self.accept(reading, &looked, (start, end)) {
                    match reading.role {
                        Role::Alias => scan.names.push(hit),
                        Role::Exclude => excluded.push(hit),
                        Role::Require => scan.required.push(hit),
                    }
                }
            }
        });
        scan.required.sort_unstable_by_key(|h| (h.brand, h.start, h.end));
        scan.names.sort_unstable();
        scan.names.dedup();
        if !excluded.is_empty() {
            let cover = Cover::new(excluded);
            scan.names.retain(|hit| !cover.overlaps(hit));
        }
        scan
    }

    /// Is this occurrence of a pattern a match? `span` are offsets into the folded text.
    fn accept(
        &self,
        reading: &Reading,
        looked: &Looked<'_>,
        (start, end): (usize, usize),
    ) -> Option<Hit> {
        let Looked { text, folded, language, .. } = looked;
        let brand = self.brands.get(reading.brand)?;
        if !brand.languages.is_empty() && !language.is_some_and(|l| speaks(&brand.languages, l)) {
            return None;
        }
        let (mut from, mut to) = (start, end);
        if brand.whole_word || !matches!(reading.ending, Ending::Plain) {
            let before = folded.text.get(..start)?;
            let name = folded.text.get(start..end)?;
            let after = folded.text.get(end..)?;
            let (first, last) = (name.chars().next(), name.chars().next_back());
            if brand.whole_word
                && (number_goes_on(first, before.chars().rev())
                    || number_goes_on(last, after.chars())
                    || is_sum(first, before.chars().rev(), after.chars()))
            {
                return None;
            }
            let tables = self.inflections.get(reading.brand)?;
            let mut prefix = "";
            if brand.whole_word && joined(before.chars().next_back(), first) {
                let bytes: usize = before
                    .chars()
                    .rev()
                    .take_while(|c| is_word(*c))
                    .take(inflect::LONGEST + 1)
                    .map(char::len_utf8)
                    .sum();
                prefix = before.get(before.len().checked_sub(bytes)?..)?;
                from -= prefix.len();
            }
            let glued = joined(last, after.chars().next());
            let limit = match reading.ending {
                Ending::Wildcard => WILDCARD + 1,
                _ => inflect::LONGEST + 1,
            };
            let tail: usize = if glued {
                let letters = after.chars().take_while(|c| is_word(*c) && !is_spaceless(*c));
                letters.take(limit).map(char::len_utf8).sum()
            } else {
                0
            };
            let tail = after.get(..tail)?;
            to += tail.len();
            let (behind, only) = match reading.ending {
                Ending::Wildcard if tail.chars().count() > WILDCARD => return None,
                Ending::Wildcard => ("", None),
                Ending::Stem(_, endings) if !endings.contains(&tail) => return None,
                Ending::Stem(table, _) => ("", Some(table)),
                Ending::Plain => (tail, None),
            };
            if only.is_some() || !prefix.is_empty() || !behind.is_empty() {
                let is = |t: &&Inflection| only.is_none_or(|only| std::ptr::eq(only, *t));
                let mut tables = spoken(tables, *language).filter(|t| is(t));
                tables.find(|table| table.accepts(prefix, last, behind))?;
            }
        }
        // Last, for it is the dearest test; most occurrences within longer words end above.
        if let Some(cased) = &reading.cased {
            let original = text.get(folded.start(start)?..folded.end(end)?)?;
            let in_any_case = || brand.case == CaseRule::Smart && looked.in_capitals();
            if !folds_to(original, cased) && !in_any_case() {
                return None;
            }
        }
        Some(Hit { start: folded.start(from)?, end: folded.end(to)?, brand: reading.brand })
    }
}

/// Does the letter case of a name matter? `cased`: its folded letters in their case.
pub(super) fn case_matters(case: CaseRule, cased: &str) -> bool {
    match case {
        CaseRule::Smart => cased.chars().any(char::is_uppercase),
        CaseRule::Exact => true,
        CaseRule::Any => false,
    }
}

/// The inflections that apply: those of the text's language, or all of the brand's if unknown.
fn spoken<'a>(
    tables: &'a [&'static Inflection],
    language: Option<&'a str>,
) -> impl Iterator<Item = &'static Inflection> + 'a {
    let table = language.map(inflection);
    tables.iter().copied().filter(move |t| match table {
        None => true,
        Some(own) => own.is_some_and(|own| std::ptr::eq(own, *t)),
    })
}

fn speaks(languages: &[String], language: &str) -> bool {
    languages.iter().any(|l| l.eq_ignore_ascii_case(language))
}

/// Leftmost-longest: of overlapping names the one that begins first, of those the longest; names
/// of several brands on exactly the same characters all stand.
pub fn resolve(mut names: Vec<Hit>) -> Vec<Hit> {
    names.sort_unstable_by_key(|h| (h.start, std::cmp::Reverse(h.end), h.brand));
    let mut last: Option<Hit> = None;
    names.retain(|hit| {
        let stands = match last {
            Some(l) => hit.start >= l.end || hit.start == l.start && hit.end == l.end,
            None => true,
        };
        if stands {
            last = Some(*hit);
        }
        stands
    });
    names
}

/// Excluded stretches by brand, for overlap queries.
struct Cover(HashMap<usize, Vec<(usize, usize)>>);

impl Cover {
    fn new(mut hits: Vec<Hit>) -> Cover {
        hits.sort_unstable();
        let mut cover: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        for hit in hits {
            let stretches = cover.entry(hit.brand).or_default();
            // Merged, so that ends ascend like starts.
            match stretches.last_mut() {
                Some(last) if hit.start < last.1 => last.1 = last.1.max(hit.end),
                _ => stretches.push((hit.start, hit.end)),
            }
        }
        Cover(cover)
    }

    fn overlaps(&self, hit: &Hit) -> bool {
        self.0.get(&hit.brand).is_some_and(|stretches| {
            let next = stretches.partition_point(|s| s.1 <= hit.start);
            stretches.get(next).is_some_and(|s| s.0 < hit.end)
        })
    }
}

/// The patterns while they are collected; equal folded texts share one pattern.
#[derive(Default)]
struct Patterns {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
    readings: Vec<Vec<Reading>>,
}

impl Patterns {
    fn add(
        &mut self,
        brand: usize,
        role: Role,
        case: CaseRule,
        word: &str,
        tables: &[&'static Inflection],
    ) -> Result<(), String> {
        let word = word.trim();
        if word.len() > LONGEST_PATTERN {
            return Err(format!("`{}` is longer than {LONGEST_PATTERN} bytes", shown(word)));
        }
        let (stem, wildcard) = match word.strip_suffix('*') {
            Some(stem) => (stem, true),
            None => (word, false),
        };
        if stem.contains('*') {
            return Err(format!("`{word}`: a `*` may only stand at the end"));
        }
        let cased = fold_cased(stem);
        let (cased, text) = (cased.trim(), fold(stem).text);
        let text = text.trim();
        if !text.chars().any(is_word) {
            return Err(format!("`{word}` has no letter or digit"));
        }
        let exact = case_matters(case, cased);
        let ending = if wildcard { Ending::Wildcard } else { Ending::Plain };
        let reading = Reading { brand, role, ending, cased: exact.then(|| cased.into()) };
        self.push(text, reading.clone());
        if wildcard {
            return Ok(());
        }
        for &table in tables {
            for (stem, endings) in table.stems(cased) {
                self.push(
                    &fold(stem).text,
                    Reading {
                        ending: Ending::Stem(table, endings),
                        cased: exact.then(|| stem.into()),
                        ..reading
                    },
                );
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str, reading: Reading) {
        let number = *self.numbers.entry(text.to_owned()).or_insert_with(|| {
            self.texts.push(text.to_owned());
            self.readings.push(Vec::new());
            self.texts.len() - 1
        });
        if let Some(readings) = self.readings.get_mut(number) {
            readings.push(reading);
        }
    }
}

#[cfg(test)]
mod tests;

//! A light detector of named entities: who, where, when and how much, by the shape of words, their
//! neighbours and a few short lists. It serves [`super::gibson`] only, where counts of entities say
//! "this is reporting"; it is no gazetteer and misses much.
//!
//! Numbers (date, time, money, percentage) work in the languages of the press, names (person,
//! organization, location) where names begin with a capital and other words do not. Must not know:
//! pages, blocks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::extract::metadata::dates::names_month;
use crate::extract::text;

/// The seven kinds of Gibson et al. 2007 §6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Person,
    Organization,
    Location,
    Date,
    Time,
    Money,
    Percentage,
}

impl Kind {
    /// All kinds, in the paper's order.
    pub const ALL: [Kind; 7] = [
        Kind::Person,
        Kind::Organization,
        Kind::Location,
        Kind::Date,
        Kind::Time,
        Kind::Money,
        Kind::Percentage,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Person => "person",
            Kind::Organization => "organization",
            Kind::Location => "location",
            Kind::Date => "date",
            Kind::Time => "time",
            Kind::Money => "money",
            Kind::Percentage => "percentage",
        }
    }
}

/// What a word hints at; one word may hint at several things.
type Hints = u16;
/// Opens a person's name.
const TITLE: Hints = 1;
/// Makes a run of names an organization.
const ORGANIZATION: Hints = 1 << 1;
/// A preposition after which a name is mostly a place.
const PREPOSITION: Hints = 1 << 2;
/// A place that needs no preposition.
const PLACE: Hints = 1 << 3;
/// A small word that names hold.
const PARTICLE: Hints = 1 << 4;
const PERCENT: Hints = 1 << 5;
/// Stands between a number and what it counts.
const MAGNITUDE: Hints = 1 << 6;
const CURRENCY: Hints = 1 << 7;
const OCLOCK: Hints = 1 << 8;

/// Lower-cased words by hint.
const WORDS: [(Hints, &str); 9] = [
    (
        TITLE,
        "mr mrs ms dr prof professor sir president minister senator sen gov governor gen general col \
         capt judge mayor king queen prince pope herr frau präsident präsidentin kanzler kanzlerin \
         monsieur madame señor señora signor pan pani президент министр κ πρόεδρος",
    ),
    (
        ORGANIZATION,
        "inc corp ltd llc plc co gmbh ag sa spa nv oyj ab group company bank university institute \
         ministry department agency association committee commission council court party union press \
         reuters times universität ministerium gericht partei université ministère universidad \
         ministerio uniwersytet ministerstwo министерство университет банк υπουργείο",
    ),
    (PREPOSITION, "in at from near aus nach bei en desde dans à w z do в из στην στη στο"),
    (
        PLACE,
        "america argentina athens australia austria beijing berlin brazil britain brussels canada \
         china england europe france germany greece india iran iraq israel italy japan london mexico \
         moscow paris poland rome russia scotland spain sweden tokyo turkey ukraine vienna warsaw \
         washington deutschland frankreich österreich schweiz россия москва украина polska warszawa \
         ελλάδα αθήνα",
    ),
    (PARTICLE, "of de von van der den la le del di da al bin für"),
    (PERCENT, "percent pct prozent procent procenta процента процентов"),
    (
        MAGNITUDE,
        "thousand million millions billion billions trillion bn mn m k tausend millionen milliarden \
         mio mrd milliards millones milioni miliardi tys mln mld тыс млн млрд тысяч εκατ δισ",
    ),
    (
        CURRENCY,
        "dollar dollars euro euros pound pounds yen yuan rupees franken francs kronor kroner pesos \
         złotych zł usd eur gbp chf pln rub рублей рубля руб долларов евро гривен ευρώ 元 円 원",
    ),
    (OCLOCK, "am pm uhr gmt est edt cet utc"),
];
/// Places of two words.
const DOUBLE_PLACES: [&str; 5] =
    ["new york", "south africa", "south korea", "united kingdom", "united states"];

fn hints(word: &str) -> Hints {
    static TABLE: LazyLock<HashMap<&str, Hints>> = LazyLock::new(|| {
        let mut table = HashMap::new();
        for (hint, words) in WORDS {
            words.split_whitespace().for_each(|w| *table.entry(w).or_default() |= hint);
        }
        table
    });
    TABLE.get(word).copied().unwrap_or(0)
}

const SYMBOLS: [char; 10] = ['$', '€', '£', '¥', '₽', '₴', '₹', '₩', '₺', '￥'];
/// A run of names is at most so many words.
const LONGEST: usize = 6;

/// Entities of a text whose words are `words`, in order, as ranges of word indices; they do not
/// overlap.
pub fn entities(text: &str, words: &[Range<usize>]) -> Vec<(Kind, Range<usize>)> {
    let at = Reader { text, words, titled: is_titled(text, words) };
    let mut out: Vec<(Kind, Range<usize>)> = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let from = out.last().map_or(0, |(_, r)| r.end);
        let found = at.amount(i, from).or_else(|| at.name(i));
        i = match found {
            Some((kind, range)) => {
                let next = range.end;
                out.push((kind, range));
                next
            }
            None => i + 1,
        };
    }
    out
}

/// Are most words capitalised, so that capitals say nothing?
fn is_titled(text: &str, words: &[Range<usize>]) -> bool {
    let letters = words.iter().filter(|w| text[w.start..].starts_with(char::is_alphabetic));
    let (mut n, mut upper) = (0, 0);
    for w in letters {
        n += 1;
        upper += usize::from(text[w.start..].starts_with(char::is_uppercase));
    }
    upper * 3 > n * 2
}

struct Reader<'a> {
    text: &'a str,
    words: &'a [Range<usize>],
    titled: bool,
}

impl Reader<'_> {
    fn word(&self, i: usize) -> &str {
        self.words.get(i).map_or("", |w| &self.text[w.clone()])
    }

    fn lower(&self, i: usize) -> String {
        self.word(i).to_lowercase()
    }

    fn hints(&self, i: usize) -> Hints {
        hints(&self.lower(i))
    }

    /// What stands between word i − 1 and word i.
    fn gap(&self, i: usize) -> &str {
        let start = i.checked_sub(1).and_then(|p| self.words.get(p)).map_or(0, |w| w.end);
        let end = self.words.get(i).map_or(self.text.len(), |w| w.start);
        self.text.get(start..end).unwrap_or("")
    }

    fn is_number(&self, i: usize) -> bool {
        self.word(i).starts_with(char::is_numeric)
    }

    /// A date, time, sum of money or percentage that begins at word `i`; a month before the number
    /// is taken in if it is not before word `from`.
    fn amount(&self, i: usize, from: usize) -> Option<(Kind, Range<usize>)> {
        if !self.is_number(i) {
            let month = self.is_number(i + 1) && self.gap(i + 1).trim().is_empty();
            let dated = month && i >= from && names_month(self.word(i));
            return dated.then(|| (Kind::Date, i..self.date_end(i + 1)));
        }
        let mut end = i + 1;
        while self.is_number(end) && matches!(self.gap(end), "." | "," | "\u{a0}" | "'" | "’") {
            end += 1;
        }
        let after = self.gap(end).trim_start();
        let next = self.lower(end);
        if after.starts_with(['%', '٪', '％']) {
            return Some((Kind::Percentage, i..end));
        }
        if after.is_empty() && hints(&next) & PERCENT != 0 {
            return Some((Kind::Percentage, i..end + 1));
        }
        let hundred = |w: &str| w.starts_with("cent") || w.starts_with("cien") || w == "εκατό";
        if matches!(&*next, "per" | "por" | "pour" | "τοις") && hundred(&self.lower(end + 1)) {
            return Some((Kind::Percentage, i..end + 2));
        }
        let unit = if hints(&next) & MAGNITUDE != 0 { end + 1 } else { end };
        if self.gap(i).trim_end().ends_with(SYMBOLS) {
            return Some((Kind::Money, i..unit.min(self.words.len())));
        }
        if self.gap(unit).trim_start().starts_with(SYMBOLS) {
            return Some((Kind::Money, i..unit.min(self.words.len())));
        }
        if self.hints(unit) & CURRENCY != 0 || self.word(unit).starts_with(['元', '円']) {
            return Some((Kind::Money, i..unit + 1));
        }
        if self.is_number(i + 1) && matches!(self.gap(i + 1), ":" | "h") {
            return Some((Kind::Time, i..i + 2 + usize::from(self.says_time(i + 2))));
        }
        if self.says_time(end) || self.word(end).starts_with(['时', '時', '点', '點']) {
            return Some((Kind::Time, i..end + 1));
        }
        let month = self.gap(i + 1).trim_matches([' ', '.']).is_empty()
            && !self.is_number(i + 1)
            && names_month(self.word(i + 1));
        if month {
            return Some((Kind::Date, i..self.date_end(i + 2)));
        }
        let triple = (1..3).all(|n| {
            self.is_number(i + n) && matches!(self.gap(i + n), "/" | "-" | "." | ". " | "–")
        });
        if triple {
            return Some((Kind::Date, i..i + 3));
        }
        let year = matches!(self.word(i).parse::<u16>(), Ok(1900..=2099)) && end == i + 1;
        let day = self.gap(i + 1).is_empty() && self.word(i + 1).starts_with(['年', '月', '日']);
        (year || day).then(|| (Kind::Date, i..i + 1 + usize::from(day)))
    }

    fn says_time(&self, i: usize) -> bool {
        self.hints(i) & OCLOCK != 0
            || matches!(&*self.lower(i), "a" | "p") && self.lower(i + 1) == "m"
    }

    /// Where a date ends whose next number may stand at word `i` (the year after a day).
    fn date_end(&self, i: usize) -> usize {
        let mut end = i;
        while end < i + 2 && self.is_number(end) && matches!(self.gap(end).trim(), "" | "," | ".") {
            end += 1;
        }
        end.min(self.words.len())
    }

    fn is_capital(&self, i: usize) -> bool {
        self.word(i).starts_with(char::is_uppercase)
    }

    fn begins_sentence(&self, i: usize) -> bool {
        let before =
            self.gap(i).trim_end_matches([' ', '"', '“', '„', '«', '\'', '‘', '(', '\u{a0}']);
        i == 0 || before.ends_with(['.', '!', '?', ':', '…', ';', '|', '–', '—'])
    }

    /// A name that begins at word `i`.
    fn name(&self, i: usize) -> Option<(Kind, Range<usize>)> {
        if !self.is_capital(i) {
            return None;
        }
        let mut from = i;
        let mut end = i + 1;
        while end - i < LONGEST {
            let joined = |n: usize| {
                let initial =
                    self.word(n - 1).chars().count() == 1 || self.hints(n - 1) & TITLE != 0;
                matches!(self.gap(n), " " | "-" | "'" | "’" | " & ")
                    || initial && self.gap(n) == ". "
            };
            if self.is_capital(end) && joined(end) {
                end += 1;
            } else if hints(self.word(end)) & PARTICLE != 0
                && self.gap(end) == " "
                && self.gap(end + 1) == " "
                && self.is_capital(end + 1)
            {
                end += 2;
            } else {
                break;
            }
        }
        // The first word of a sentence is capitalised whatever it is.
        let opening = self.begins_sentence(i);
        if opening && end - i > 1 && text::stop_languages(self.word(i)) != 0 {
            from += 1;
        }
        let words: Vec<String> = (from..end).map(|n| self.lower(n)).collect();
        let first = words.first()?;
        let two = words.get(1).map(|second| format!("{first} {second}"));
        let known_place =
            hints(first) & PLACE != 0 || two.is_some_and(|two| DOUBLE_PLACES.contains(&&*two));
        let after_preposition = !self.titled
            && words.len() <= 2
            && from > 0
            && !self.is_capital(from - 1)
            && self.hints(from - 1) & PREPOSITION != 0;
        let kind = if words.len() > 1 && words.iter().any(|w| hints(w) & ORGANIZATION != 0) {
            Kind::Organization
        } else if hints(first) & TITLE != 0 && words.len() > 1 {
            Kind::Person
        } else if known_place || after_preposition {
            Kind::Location
        } else if words.len() == 1 {
            let word = self.word(from);
            let n = word.chars().count();
            let acronym = (2..=5).contains(&n)
                && word.chars().all(char::is_uppercase)
                && text::stop_languages(word) == 0;
            let known = matches!(&**first, "reuters" | "ap" | "afp" | "dpa");
            if (acronym && !self.titled) || known {
                Kind::Organization
            } else {
                return None;
            }
        } else if !self.titled && words.len() <= 4 {
            Kind::Person
        } else {
            return None;
        };
        Some((kind, from..end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Kind, &str)> {
        let words: Vec<_> = text::words(text).collect();
        entities(text, &words)
            .into_iter()
            .map(|(kind, r)| (kind, &text[words[r.start].start..words[r.end - 1].end]))
            .collect()
    }

    #[test]
    fn amounts_are_found_in_many_languages() {
        use Kind::*;
        let check = |text: &str, expect: &[(Kind, &str)]| assert_eq!(found(text), expect, "{text}");
        check("it fell 3.5% on the day", &[(Percentage, "3.5")]);
        check("rund 12 Prozent mehr", &[(Percentage, "12 Prozent")]);
        check("costs $8 million or so", &[(Money, "8 million")]);
        check("für 20 Millionen Euro", &[(Money, "20 Millionen Euro")]);
        check("за 300 млн рублей", &[(Money, "300 млн рублей")]);
        check("opens at 10:30 am today", &[(Time, "10:30 am")]);
        check("ab 18 Uhr", &[(Time, "18 Uhr")]);
        check("am 3. März 2011 wurde", &[(Date, "3. März 2011")]);
        check("on May 4, 2012 it", &[(Date, "May 4, 2012")]);
        check("on 12/04/2012 it", &[(Date, "12/04/2012")]);
        check("since 1998 it", &[(Date, "1998")]);
        check("about 40 people", &[]);
    }

    #[test]
    fn names_are_told_by_their_neighbours() {
        use Kind::*;
        let check = |text: &str, expect: &[(Kind, &str)]| assert_eq!(found(text), expect, "{text}");
        check("then Mr. Brown said no", &[(Person, "Mr. Brown")]);
        check("said Anna Maria Kern to us", &[(Person, "Anna Maria Kern")]);
        check("The Anna Kern we know", &[(Person, "Anna Kern")]);
        check("by Norden Bank of Oslo yesterday", &[(Organization, "Norden Bank of Oslo")]);
        check("the plant in Lyon burned", &[(Location, "Lyon")]);
        check("the New York office", &[(Location, "New York")]);
        check("told AP on the phone", &[(Organization, "AP")]);
        check("Home Sports Weather Video Contact Us", &[]);
        check("Nothing here", &[]);
    }

    proptest::proptest! {
        #[test]
        fn ranges_ascend_within_the_words(text in ".{0,80}") {
            let words: Vec<_> = text::words(&text).collect();
            let mut last = 0;
            for (_, range) in entities(&text, &words) {
                assert!(range.start >= last && range.start < range.end && range.end <= words.len());
                last = range.end;
            }
        }
    }
}

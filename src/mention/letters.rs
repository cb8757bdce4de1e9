//! Which characters make words, and which neighbours belong to one word.
//!
//! Must not know: names, brands, blocks.

use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use crate::model::is_spaceless;

/// How a character joins its neighbours into a word: bits of [`LETTER`], [`HANGUL`] and [`MARK`].
pub(super) type Joint = u8;
/// A word character of a script that joins its words.
const LETTER: Joint = 1;
const HANGUL: Joint = 2;
const MARK: Joint = 4;

/// The joints of the Basic Multilingual Plane; Unicode's own tables are too slow for every character.
static JOINTS: LazyLock<Vec<Joint>> = LazyLock::new(|| {
    let joint = |c| char::from_u32(c).map_or(0, compute);
    (0..=0xffff).map(joint).collect()
});

/// How characters join their neighbours.
#[derive(Clone, Copy)]
pub(super) struct Joints(&'static [Joint]);

impl Joints {
    pub(super) fn get() -> Joints {
        Joints(&JOINTS)
    }

    #[inline]
    pub(super) fn of(self, c: char) -> Joint {
        match self.0.get(c as usize) {
            Some(joint) => *joint,
            None => compute(c),
        }
    }
}

#[cold]
fn compute(c: char) -> Joint {
    if !is_word(c) || is_spaceless(c) {
        return 0;
    }
    LETTER | if is_hangul(c) { HANGUL } else { 0 } | if is_combining_mark(c) { MARK } else { 0 }
}

/// No word boundary between two neighbours: both word characters, of scripts that join them.
pub(super) fn join(a: Joint, b: Joint) -> bool {
    // Particles and compounds are written onto foreign names ("LG전자").
    a & b & LETTER != 0 && ((a ^ b) & HANGUL == 0 || b & MARK != 0)
}

/// [`join`] of characters; nothing joins the beginning or the end of a text.
pub fn joined(a: Option<char>, b: Option<char>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            let joints = Joints::get();
            join(joints.of(a), joints.of(b))
        }
        _ => false,
    }
}

/// Letters, digits, `_` and the marks on them (UAX #29, ALetter, Numeric, ExtendNumLet, Extend).
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        c.is_alphanumeric() || is_combining_mark(c)
    }
}

/// Does the number that a name's outer `digit` belongs to go on with what stands `beyond` it, read away from
/// the name ("2.3M" of "3M")? Marks between digits: UAX #29, MidNum and MidNumLet; decimals in Arabic; the raised
/// point.
pub fn number_goes_on(digit: Option<char>, mut beyond: impl Iterator<Item = char>) -> bool {
    const MARKS: [char; 7] = ['.', ',', '\'', '\u{b7}', '\u{60c}', '\u{66b}', '\u{66c}'];
    digit.is_some_and(char::is_numeric)
        && beyond.next().is_some_and(|c| MARKS.contains(&c))
        && beyond.next().is_some_and(char::is_numeric)
}

/// Is a name whose first character is `first` a sum of money: "$3M", "3M €", "$2-3M" of "3M"? `before` and `behind` are
/// what stands beside it, folded and read away from the name.
pub fn is_sum(
    first: Option<char>,
    before: impl Iterator<Item = char> + Clone,
    behind: impl Iterator<Item = char> + Clone,
) -> bool {
    first.is_some_and(char::is_numeric)
        && (signed_behind(behind) || signed(before.clone()) || begins_range(before))
}

/// Does the sign of a currency come next, or behind a space? There it may be that of another number: "5 € 3M".
fn signed(beyond: impl Iterator<Item = char>) -> bool {
    let mut beyond = beyond.peekable();
    let apart = beyond.next_if_eq(&' ').is_some();
    beyond.next().is_some_and(is_currency)
        && !(apart && {
            beyond.next_if_eq(&' ');
            beyond.next().is_some_and(char::is_numeric)
        })
}

/// The same behind a name, where a sign apart may also begin a word: "3M $MMM".
fn signed_behind(beyond: impl Iterator<Item = char> + Clone) -> bool {
    let mut behind = beyond.clone();
    let begins_word = behind.next() == Some(' ') && behind.nth(1).is_some_and(char::is_alphabetic);
    !begins_word && signed(beyond)
}

/// Characters of the first number of a range, at most.
const RANGE: usize = 16;

/// Do a dash, a number and the sign of a currency come next?
fn begins_range(before: impl Iterator<Item = char>) -> bool {
    let mut before = before.peekable();
    let of_number = |c: &char| c.is_numeric() || matches!(c, '.' | ',');
    if before.next_if_eq(&'-').is_none() {
        return false;
    }
    let mut digits = 0;
    while digits < RANGE && before.next_if(of_number).is_some() {
        digits += 1;
    }
    digits > 0 && signed(before)
}

/// Signs of currencies (general category Sc) that folding leaves as they are.
fn is_currency(c: char) -> bool {
    matches!(
        c,
        '$' | '¢'..='¥' | '\u{58f}' | '\u{60b}' | '\u{9f2}' | '\u{9f3}' | '\u{e3f}' | '\u{17db}'
    ) || ('\u{20a0}'..='\u{20cf}').contains(&c)
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}')
}

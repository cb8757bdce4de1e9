//! Text → tokens for date reading: digits of any script become numbers, words lose case and
//! diacritics. Must not know what a month is.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::extract::metadata::text;
use crate::model::{digit, is_ignorable};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'t> {
    Number {
        value: u64,
        digits: usize,
    },
    /// Folded (see [`fold`]); one ideograph is one word.
    Word(Cow<'t, str>),
    Sign(char),
}

/// A token, where it stands in the text, and whether white space precedes it.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind<'t>,
    pub start: usize,
    pub end: usize,
    pub spaced: bool,
}

/// Reads at most `limit` tokens.
pub(super) fn tokenize(text: &str, limit: usize) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::with_capacity(limit.min(text.len() / 2 + 1));
    let mut spaced = true;
    let mut end = 0;
    while let Some(c) = text.get(end..).and_then(|rest| rest.chars().next()) {
        if tokens.len() == limit {
            break;
        }
        let start = end;
        end += c.len_utf8();
        // Direction marks and joiners stand inside printed dates without a meaning.
        if c.is_whitespace() || is_ignorable(c) {
            spaced = true;
            continue;
        }
        let rest = text.get(end..).unwrap_or_default();
        let kind = if let Some(first) = digit(c) {
            let length = rest.find(|c| digit(c).is_none()).unwrap_or(rest.len());
            end += length;
            let (mut value, mut digits) = (u64::from(first), 1);
            for next in rest[..length].chars().filter_map(digit) {
                value = value.saturating_mul(10).saturating_add(u64::from(next));
                digits += 1;
            }
            Kind::Number { value, digits }
        } else if is_ideograph(c) {
            Kind::Word(text.get(start..end).unwrap_or_default().into())
        } else if is_letter(c) {
            end += rest.find(|c| !is_letter(c) || is_ideograph(c)).unwrap_or(rest.len());
            Kind::Word(folded(text.get(start..end).unwrap_or_default()))
        } else {
            Kind::Sign(match c {
                '‐' | '‑' | '–' | '—' | '−' => '-',
                '：' => ':',
                '／' | '⁄' => '/',
                '．' => '.',
                c => c,
            })
        };
        tokens.push(Token { kind, start, end, spaced });
        spaced = false;
    }
    tokens
}

/// As [`fold`], without a copy where nothing changes.
fn folded(word: &str) -> Cow<'_, str> {
    match word.bytes().all(|b| b.is_ascii_lowercase()) {
        true => word.into(),
        false => fold(word).into(),
    }
}

/// Lower case without diacritics; dotless ı is i, Hangul stays composed. The vowel signs of Indic scripts, Thai, Lao,
/// Burmese and Khmer are no diacritics: जून is June, and जन January. The dot below letters of India is: फ़रवरी is फरवरी.
pub(super) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'ı' => out.push('i'),
            'ł' => out.push('l'),
            'đ' => out.push('d'),
            'ς' => out.push('σ'),
            '가'..='힣' => out.push(c),
            '\u{900}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' => {
                out.extend(std::iter::once(c).nfkd().filter(|&c| !is_nukta(c)));
            }
            c => out.extend(std::iter::once(c).nfkd().filter(|&c| !is_combining_mark(c))),
        }
    }
    out
}

/// Is a character a word? A zero between ideographs is, too: 二〇二六.
fn is_ideograph(c: char) -> bool {
    text::is_ideograph(c) || c == '〇'
}

fn is_nukta(c: char) -> bool {
    matches!(c, '\u{93C}' | '\u{9BC}' | '\u{A3C}' | '\u{ABC}' | '\u{B3C}' | '\u{CBC}')
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    digit(c).is_none() && (c.is_alphabetic() || is_combining_mark(c))
}

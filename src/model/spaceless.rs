//! Scripts that are written without spaces between words, so that texts in them are taken apart by characters.
//!
//! `extract` has a set of its own (`extract::text`), which its models were trained with: it has Tibetan, and
//! not those signs of Kana and Thai that are no letters.
//!
//! Must not know: what a text is taken apart for.

/// Is the character of a script written without spaces between words? These are Han, Kana, Thai, Lao, Khmer and Myanmar.
pub fn is_spaceless(c: char) -> bool {
    c >= '\u{e00}'
        && matches!(c,
            '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}' | '\u{e00}'..='\u{e7f}' | '\u{e80}'..='\u{eff}'
            | '\u{1780}'..='\u{17ff}' | '\u{1000}'..='\u{109f}' | '\u{20000}'..='\u{3134f}')
}

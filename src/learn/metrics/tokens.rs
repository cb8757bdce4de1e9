//! The tokens that the metrics count: words as `\w+` sees them, ROUGE tokens.
//!
//! Tokens travel as 64-bit hashes: a page has some thousand distinct ones, so two of them share a
//! hash with probability around 10⁻¹², far below anything a metric could show.
//!
//! Must not know: pages, corpora, labelers.

use crate::dedupe::similarity::is_word;
use crate::model::is_spaceless;

/// White space, the four information separators U+001C–U+001F included.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Runs of white space become one space; none at the ends.
pub fn collapse(text: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in text {
        if is_space(c) {
            gap = true;
        } else {
            if gap && !out.is_empty() {
                out.push(' ');
            }
            gap = false;
            out.push(c);
        }
    }
    out
}

/// Hash of a token: FNV-1a, then a finaliser, for FNV alone leaves the high bits of short tokens
/// alike.
pub fn hash(token: &str) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for b in token.bytes() {
        h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(h)
}

/// The finaliser of SplitMix64.
pub fn mix(mut h: u64) -> u64 {
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 31)
}

/// Maximal runs of characters for which `class` gives the same answer, those of class 0 left out.
fn runs<'a>(text: &'a str, class: impl Fn(char) -> u8, mut each: impl FnMut(u8, &'a str)) {
    let (mut start, mut now) = (0, 0);
    for (i, c) in text.char_indices() {
        let k = class(c);
        if k != now {
            if now != 0 {
                each(now, &text[start..i]);
            }
            (start, now) = (i, k);
        }
    }
    if now != 0 {
        each(now, &text[start..]);
    }
}

/// Maximal runs of word characters, as they stand.
pub fn words<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    runs(text, |c| u8::from(is_word(c)), |_, run| each(run));
}

/// ROUGE tokens: lower-cased letters and digits, one token a character in spaceless scripts.
pub fn rouge_tokens(text: &str, mut each: impl FnMut(&str)) {
    let text = text.to_lowercase();
    let class = |c| if is_spaceless(c) { 2 } else { u8::from(is_word(c) && c != '_') };
    runs(&text, class, |kind, run| {
        if kind == 1 {
            each(run);
            return;
        }
        for (i, c) in run.char_indices() {
            each(&run[i..i + c.len_utf8()]);
        }
    });
}

/// The hashes of a text's ROUGE tokens, in order.
pub fn tokens_of(text: &str) -> Vec<u64> {
    let mut out = Vec::new();
    rouge_tokens(text, |token| out.push(hash(token)));
    out
}

/// Hash of tokens that stand one behind the other. Their number goes in, so that a short text never equals a longer
/// one.
pub fn gram(tokens: &[u64]) -> u64 {
    tokens.iter().fold(tokens.len() as u64, |h, token| mix(h.rotate_left(17) ^ token))
}

/// Sentences for ROUGE-LSum: lines, then after `. ! ?` (and their full-width forms), closing
/// quotes and white space.
pub fn rouge_sentences<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    for line in text.split('\n') {
        let mut start = 0;
        let mut ended = false;
        let mut chars = line.char_indices().peekable();
        while let Some((_, c)) = chars.next() {
            if matches!(c, '.' | '!' | '?' | '。' | '！' | '？') {
                ended = true;
                continue;
            }
            if ended && matches!(c, '"' | '\'' | '’' | '”' | '»' | ')' | ']') {
                continue;
            }
            if ended && is_space(c) {
                while chars.next_if(|(_, c)| is_space(*c)).is_some() {}
                let end = chars.peek().map_or(line.len(), |(i, _)| *i);
                each(&line[start..end]);
                start = end;
            }
            ended = false;
        }
        each(&line[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(f: impl Fn(&mut dyn FnMut(&str))) -> Vec<String> {
        let mut out = Vec::new();
        f(&mut |t| out.push(t.to_string()));
        out
    }

    #[test]
    fn words_keep_case_and_leave_marks_out() {
        let check = |text: &str, expect: &[&str]| {
            assert_eq!(collect(|e| words(text, e)), expect, "{text}");
        };
        check("It's 3.5 — Ⓐ ok_1", &["It", "s", "3", "5", "ok_1"]);
        check("नमस्ते", &["नमस", "त"]);
    }

    #[test]
    fn sentences_end_at_marks_before_space() {
        let check = |text: &str, expect: &[&str]| {
            let got = collect(|e| rouge_sentences(text, e));
            let got: Vec<_> = got.iter().map(|s| s.trim()).filter(|s| !s.is_empty()).collect();
            assert_eq!(got, expect, "{text}");
        };
        check("He said \"no.\" Then 3.5 left!\nEnd", &["He said \"no.\"", "Then 3.5 left!", "End"]);
        check("好。 是的", &["好。", "是的"]);
    }

    #[test]
    fn rouge_tokens_split_spaceless_scripts() {
        assert_eq!(collect(|e| rouge_tokens("a_B 东京x", e)), ["a", "b", "东", "京", "x"]);
    }
}

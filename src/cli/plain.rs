//! The one place where the command line prints. What publishers, feeds and robots.txt files say
//! reaches a terminal as text only: characters that would move its cursor, colour it, hide or turn
//! round what stands beside them are written as JSON writes them, `\u001b`. So JSON stays JSON.
//!
//! Must not know: what is printed.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use crate::model::disguises;

/// What disguises other text, but line feed and tab.
fn hidden(c: char) -> bool {
    !matches!(c, '\n' | '\t') && disguises(c)
}

/// The text with such characters written out.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The same for a text that is to stay on its line.
pub(super) fn one_line(text: &str) -> String {
    plain(&text.replace(['\n', '\t'], " ")).into_owned()
}

/// A text as a cell of a CSV file: one that a spreadsheet would take for a formula gets an apostrophe before it
/// (OWASP, "CSV Injection"). Titles are written by strangers.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    const BEGIN: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    if text.starts_with(BEGIN) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Standard output for streams of data: exact into files and pipes, plain on a terminal.
pub(super) fn output() -> Box<dyn Write + Send> {
    let out = io::stdout();
    if out.is_terminal() { Box::new(Plain::new(out)) } else { Box::new(out) }
}

/// A writer that makes plain what passes through it; bytes that are no UTF-8 become U+FFFD.
pub(super) struct Plain<W: Write> {
    out: W,
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl<W: Write> Plain<W> {
    pub(super) fn new(out: W) -> Plain<W> {
        Plain { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            // A character that is cut off by the end may go on.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.begun.len(),
        };
        let rest = self.begun.split_off(whole);
        let text = std::mem::replace(&mut self.begun, rest);
        self.out.write_all(plain(&String::from_utf8_lossy(&text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        for (text, expect) in [
            ("Straße, 日本 – חדשות\n\tx", "Straße, 日本 – חדשות\n\tx"),
            ("\u{1b}[2J\u{1b}]0;owned\u{7}", "\\u001b[2J\\u001b]0;owned\\u0007"),
            ("\u{9b}31m", "\\u009b31m"),
            ("a\rb\u{8}\u{7f}\0", "a\\u000db\\u0008\\u007f\\u0000"),
            ("gpj.\u{202e}exe", "gpj.\\u202eexe"),
            ("\u{2066}x\u{2069}\u{200f}", "\\u2066x\\u2069\\u200f"),
            ("a\u{2028}b", "a\\u2028b"),
            ("\u{e0041}", "\\udb40\\udc41"),
        ] {
            assert_eq!(plain(text), expect);
        }
        assert_eq!(one_line("one\ntwo\u{1b}"), "one two\\u001b");
    }

    proptest::proptest! {
        #[test]
        fn nothing_hidden_passes_and_json_stays_what_it_was(text in "\\PC{0,20}[\\x00-\\x1f\u{7f}-\u{9f}\u{202a}-\u{202e}\u{e0000}-\u{e007f}]{0,9}\\PC{0,20}") {
            let shown = plain(&text);
            proptest::prop_assert!(!shown.contains(hidden));
            let written = serde_json::to_string(&text).unwrap();
            let read: String = serde_json::from_str(&plain(&written)).unwrap();
            proptest::prop_assert_eq!(read, text);
        }

        /// However the bytes are cut: the same as the text at once.
        #[test]
        fn pieces_are_written_like_the_whole(text in "[a\u{e9}\u{65e5}\u{1f600}\u{1b}\u{202e}]{0,30}", cuts in proptest::collection::vec(1usize..5, 0..40)) {
            let mut out = Plain::new(Vec::new());
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                out.write_all(now).unwrap();
                rest = later;
            }
            out.write_all(rest).unwrap();
            proptest::prop_assert_eq!(String::from_utf8(out.out).unwrap(), plain(&text).into_owned());
        }

        #[test]
        fn any_bytes_become_text(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
            let mut out = Plain::new(Vec::new());
            out.write_all(&bytes).unwrap();
            let shown = String::from_utf8(out.out).unwrap();
            proptest::prop_assert!(!shown.contains(hidden));
        }
    }
}

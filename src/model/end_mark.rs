//! Signs that end sentences. Must not know: what a text is taken apart for.

/// Does the sign end sentences, in whatever script? A full stop ends abbreviations, too.
pub fn is_end_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' | '॥' | '։')
}

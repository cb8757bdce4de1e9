//! Decimal digits of the scripts that news print: ２８, ٢٨ and २८ are 28.
//!
//! Must not know: what a number means.

/// Zeros of the decimal digits that news print.
const ZEROS: [u32; 14] = [
    0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50,
    0xFF10,
];

/// The value of a digit of any script that news print.
pub fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    // Latin, Greek and Cyrillic have no digits of their own, nor have Han, kana and Hangul.
    if matches!(c, ..'\u{660}' | '\u{E5A}'..'\u{FF10}') {
        return None;
    }
    ZEROS.iter().find_map(|&zero| (c as u32).checked_sub(zero).filter(|&d| d < 10))
}

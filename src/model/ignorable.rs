//! Characters that draw nothing: text with them looks like text without them, so they must not make it another.
//!
//! Must not know: what a text is compared for.

use std::ops::RangeInclusive;

/// Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties), and the marks of interlinear annotation.
const IGNORABLE: [RangeInclusive<char>; 16] = [
    '\u{AD}'..='\u{AD}',
    '\u{34F}'..='\u{34F}',
    '\u{61C}'..='\u{61C}',
    '\u{115F}'..='\u{1160}',
    '\u{17B4}'..='\u{17B5}',
    '\u{180B}'..='\u{180F}',
    '\u{200B}'..='\u{200F}',
    '\u{202A}'..='\u{202E}',
    '\u{2060}'..='\u{206F}',
    '\u{3164}'..='\u{3164}',
    '\u{FE00}'..='\u{FE0F}',
    '\u{FEFF}'..='\u{FEFF}',
    '\u{FFA0}'..='\u{FFA0}',
    '\u{FFF0}'..='\u{FFFB}',
    '\u{1BCA0}'..='\u{1BCA3}',
    '\u{1D173}'..='\u{1D17A}',
];
/// The same of the last plane: tags and further variation selectors.
const LAST: RangeInclusive<char> = '\u{E0000}'..='\u{E0FFF}';

/// Does the character draw nothing by itself?
pub fn is_ignorable(c: char) -> bool {
    c >= '\u{AD}'
        && (IGNORABLE
            .iter()
            .take_while(|range| *range.start() <= c)
            .any(|range| range.contains(&c))
            || LAST.contains(&c))
}

/// Does a character turn the direction of text (UAX #9) and draw nothing?
fn turns(c: char) -> bool {
    matches!(c,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Has a character nothing to say in a title or a name: controls, marks of direction, hyphens that show only where a line
/// ends, blanks without width? Joiners and variation selectors shape letters and pictures, and tags flags.
pub fn is_mute(c: char) -> bool {
    c.is_control() || turns(c) || matches!(c, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}')
}

/// Does a character hide in a line what stands beside it, or end or turn round the line: controls, breaks of lines and
/// paragraphs, what changes the direction of text (UAX #9), and tags?
pub fn disguises(c: char) -> bool {
    c.is_control() || turns(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{E0000}'..='\u{E007F}')
}

/// Does an ignorable character change how its neighbour is drawn, so that readers of its script miss it? Joiners do in
/// Arabic, Indic and other scripts that join letters, variation selectors in Mongolian, and both behind pictographs.
pub fn shapes(before: char, c: char) -> bool {
    let joining = matches!(before,
        '\u{600}'..='\u{DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{1800}'..='\u{18AF}'
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    let pictograph = matches!(before,
        '\u{203C}'..='\u{2BFF}' | '\u{3030}'..='\u{303D}' | '\u{3297}'..='\u{3299}' | '\u{1F000}'..='\u{1FAFF}');
    match c {
        '\u{200C}' => joining,
        '\u{200D}' => joining || pictograph || before == '\u{FE0F}',
        '\u{180B}'..='\u{180F}' => matches!(before, '\u{1800}'..='\u{18AF}'),
        '\u{FE0E}' | '\u{FE0F}' => pictograph,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_draws_nothing() {
        let all = (0..=0x10_FFFF).filter_map(char::from_u32).filter(|c| is_ignorable(*c));
        // 4,174 have the property; three more mark annotations.
        assert_eq!(all.clone().count(), 4_177);
        assert!(
            all.clone()
                .all(|c| !c.is_alphanumeric() || "\u{115F}\u{1160}\u{3164}\u{FFA0}".contains(c))
        );
        for c in ['\u{200B}', '\u{200D}', '\u{E0041}', '\u{FFF9}', '\u{2065}', '\u{61C}'] {
            assert!(is_ignorable(c), "{c:?}");
        }
        for c in [' ', 'a', '\u{A0}', '\u{301}', '\u{3000}', '京', '👍'] {
            assert!(!is_ignorable(c), "{c:?}");
        }
    }

    #[test]
    fn what_disguises_its_line() {
        for c in "\0\n\u{1b}\u{9b}\u{61C}\u{200F}\u{202E}\u{2028}\u{2066}\u{E0041}".chars() {
            assert!(disguises(c), "{c:?}");
        }
        for c in " a\u{200B}\u{200D}\u{2060}\u{FEFF}\u{FE0F}京👍".chars() {
            assert!(!disguises(c), "{c:?}");
        }
    }

    #[test]
    fn what_readers_of_a_script_would_miss() {
        for (before, c, expect) in [
            ('ی', '\u{200C}', true),
            ('क', '\u{200D}', true),
            ('👩', '\u{200D}', true),
            ('\u{FE0F}', '\u{200D}', true),
            ('❤', '\u{FE0F}', true),
            ('a', '\u{200D}', false),
            ('ж', '\u{200C}', false),
            ('京', '\u{FE0F}', false),
            ('ی', '\u{2063}', false),
        ] {
            assert_eq!(shapes(before, c), expect, "{before} {c:?}");
        }
    }
}

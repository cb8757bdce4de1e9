//! Which declarations browsers know, as conditions ask for them. Must not know: conditions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::colours::{colour, outer};
use super::declaration::declaration;
use super::functions::filters;
use super::scan::string;
use super::shapes::turn;
use super::substitution::is_filled_in;
use super::units::{is_length, is_number, length};
use super::variables::plain_value;
use super::{Property, Reading, math};

/// The properties of Chromium 156 (`scripts/browser-words`): of each the kinds of values it takes ([`is_of`]; `-`: none
/// of them; `+`: no amounts less than nothing) and its words. Behind the first bar: how many values stand in a row (9:
/// any number), whether there are lists of rows (`,`) and whether their parts are parted (`/`), and values of which any
/// may stand in a row, words and kinds (`<l>`); behind each further bar those of which one may. What stands in rows
/// alone has a `~`. What Chromium 148 knew is there, too.
const PROPERTIES: &str = include_str!("properties.txt");

/// The same by their names.
static TAKEN: LazyLock<HashMap<&str, &str, FixedState>> =
    LazyLock::new(|| PROPERTIES.lines().filter_map(|line| line.split_once(' ')).collect());

/// Whether browsers know a declaration. What parts of a value come to together is the last of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    Yes,
    /// They know the property and all that its value consists of; whether it is a value is not told here.
    Perhaps,
    /// They know the property; the value has functions that are not known here.
    Rarely,
    No,
}

/// Do browsers know a property with this value?
pub(super) fn is_known(name: &str, value: &str) -> Known {
    let (value, _) = plain_value(value);
    let Some(taken) = TAKEN.get(name) else { return Known::No };
    match value {
        "" => return Known::No,
        "inherit" | "initial" | "unset" | "revert" | "revert-layer" | "revert-rule" => {
            return Known::Yes;
        }
        _ if is_filled_in(value) => return Known::Yes,
        _ => {}
    }
    let taken = Taken::of(taken);
    let bare = without_strings(value);
    // What is written below nothing is refused where sums that come to it are not.
    let known = if taken.refuses(&bare) { Known::No } else { taken.tell(&math::worked_out(&bare)) };
    if !matches!(known, Known::Perhaps | Known::Rarely)
        || Property::named(name.as_bytes()).is_none()
    {
        return known;
    }
    let mut taken = false;
    let declared = format!("{name}:{value}");
    declaration(&declared, false, Reading::All, &mut |_| taken = true);
    // What no browser takes is not told from what is too hard to read.
    if taken { Known::Yes } else { Known::Rarely }
}

/// A value with nothing in its strings.
fn without_strings(value: &str) -> Cow<'_, str> {
    let begin = |at: usize| value[at..].find(['"', '\'']).map(|found| at + found);
    let Some(mut start) = begin(0) else { return value.into() };
    let mut out = value[..start].to_owned();
    loop {
        let after = (string(value.as_bytes(), start) + 1).min(value.len());
        out.push_str("''");
        let next = begin(after);
        out.push_str(&value[after..next.unwrap_or(value.len())]);
        match next {
            Some(next) => start = next,
            None => return out.into(),
        }
    }
}

/// What [`PROPERTIES`] says of one.
struct Taken<'p> {
    kinds: &'p str,
    /// What stands alone only.
    alone: &'p str,
    /// How many values stand in a row.
    most: usize,
    lists: bool,
    parted: bool,
    /// What stands in rows: any of the first group, one of each other.
    groups: &'p str,
}

impl<'p> Taken<'p> {
    fn of(text: &'p str) -> Taken<'p> {
        let (head, rows) = text.split_once(" | ").unwrap_or((text, ""));
        let (kinds, alone) = head.split_once(' ').unwrap_or((head, ""));
        let (form, groups) = rows.split_once(' ').unwrap_or((rows, ""));
        let most = match form.as_bytes() {
            [b'9', ..] => usize::MAX,
            [digit, ..] => usize::from(digit - b'0'),
            [] => 1,
        };
        let (lists, parted) = (form.contains(','), form.contains('/'));
        Taken { kinds, alone, most, lists, parted, groups }
    }

    /// Is it a value for itself?
    fn is_one(&self, value: &str) -> bool {
        let words = self.alone.split(' ').chain(self.groups.split(' '));
        is_plain(value) && words.clone().any(|word| word == value)
            || self.kinds.chars().any(|kind| is_of(kind, value))
    }

    /// Is an amount in it below nothing, where none may be?
    fn refuses(&self, value: &str) -> bool {
        let is_less = |part: &str| part.starts_with('-') && is_amount(part);
        self.kinds.ends_with('+') && outer(value, is_between).any(is_less)
    }

    /// Is it a value, or a list of rows of values?
    fn tell(&self, value: &str) -> Known {
        let items = || outer(value, |b| b == b',' && self.lists);
        let least = if items().nth(1).is_some() { 1 } else { 2 };
        items().map(|item| self.row(item, least)).fold(Known::Yes, Known::max)
    }

    /// `least`: of how many values, if they are none for themselves.
    fn row(&self, row: &str, least: usize) -> Known {
        if self.is_one(row) {
            return Known::Yes;
        }
        let mut all = 0;
        let parts = outer(row, |b| b == b'/' && self.parted);
        let known = parts.map(|part| {
            if self.part(part, &mut 0) == Known::Yes {
                all += 1;
                return Known::Yes;
            }
            let (mut count, mut used) = (0, 0);
            let values = outer(part, |b| b.is_ascii_whitespace());
            let known = values.map(|value| {
                count += 1;
                self.part(value, &mut used)
            });
            let known = known.fold(Known::Yes, Known::max);
            all += count;
            if count > self.most && known == Known::Yes { Known::No } else { known }
        });
        let known = known.fold(Known::Yes, Known::max);
        if all < least && known == Known::Yes { Known::No } else { known }
    }

    /// Is it a value in a row? `used`: of which groups there was one.
    fn part(&self, value: &str, used: &mut u128) -> Known {
        let is = |part: &str| match part.strip_prefix('<') {
            Some(kind) => kind.chars().next().is_some_and(|kind| is_of(kind, value)),
            None => part.trim_start_matches('~') == value,
        };
        for (at, group) in self.groups.split('|').enumerate() {
            let own = if at == 0 { 0 } else { 1 << at.min(127) };
            if *used & own == 0 && group.split_ascii_whitespace().any(is) {
                *used |= own;
                return Known::Yes;
            }
        }
        match value.contains('(') {
            true if math::called(value).all(is_function) => Known::Perhaps,
            true => Known::Rarely,
            false => Known::No,
        }
    }
}

/// Is it a number or a length?
fn is_amount(value: &str) -> bool {
    length(value).is_some_and(|(amount, _)| amount != 0.0)
}

fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'/')
}

/// Is it a word?
fn is_plain(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// Is there a function of this name in values of [`PROPERTIES`], beside colours and filters? A bracket may have none.
fn is_function(name: &str) -> bool {
    name.is_empty() || math::is_math(name) || FUNCTIONS.contains(&name)
}

const FUNCTIONS: [&str; 16] = [
    "repeat",
    "minmax",
    "fit-content",
    "view",
    "scroll",
    "url",
    "image-set",
    "counter",
    "linear",
    "cubic-bezier",
    "steps",
    "inset",
    "polygon",
    "circle",
    "ellipse",
    "path",
];

/// Is it a track of a grid, or some of them (CSS Grid Layout Level 2 §7.2)?
fn is_track(part: &str) -> bool {
    let calls = || {
        let known =
            |name| matches!(name, "repeat" | "minmax" | "fit-content" | "") || math::is_math(name);
        part.contains('(') && part.ends_with(')') && math::called(part).all(known)
    };
    part.strip_suffix("fr").is_some_and(is_number) || calls() || is_length(part)
}

/// The tracks of a grid without the names of lines between them.
fn without_lines(value: &str) -> impl Iterator<Item = &str> {
    let mut named = false;
    outer(value, |b| b == b' ').filter(move |part| {
        let is_name = named || part.starts_with('[');
        named = is_name && !part.ends_with(']');
        !is_name
    })
}

/// Is it a value of this kind? There are numbers, whole ones, nothing, lengths, shares, colours, addresses, times,
/// angles, names of the page's own, strings, words of the page's own, ratios, tracks, timelines and filters.
fn is_of(kind: char, value: &str) -> bool {
    let whole = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match kind {
        'n' => is_number(value),
        'i' => whole(value.strip_prefix(['+', '-']).unwrap_or(value)),
        'z' => value == "0",
        'l' => is_length(value) && !value.ends_with('%'),
        'p' => value.strip_suffix('%').is_some_and(is_number),
        'c' => colour(value).is_some(),
        'u' => value.starts_with("url(") && value.ends_with(')'),
        't' => value.strip_suffix('s').is_some_and(|n| is_number(n.trim_end_matches('m'))),
        'a' => turn(value).is_some(),
        'd' => value.len() > 2 && value.starts_with("--") && !value.contains([' ', ',', '(']),
        // See [`without_strings`].
        's' => value == "''",
        'w' => {
            let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | 0x80..);
            let is_digit = |c: char| c.is_ascii_digit();
            value.bytes().all(is_part) && !value.trim_start_matches('-').starts_with(is_digit)
        }
        'r' => value.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b)),
        'g' => {
            let is_word = |part: &str| matches!(part, "auto" | "min-content" | "max-content");
            let mut tracks = without_lines(value);
            tracks.all(|part| is_track(part) || is_word(part))
        }
        'v' => {
            let inner = value.strip_prefix("view(").or_else(|| value.strip_prefix("scroll("));
            inner.is_some_and(|inner| inner.ends_with(')'))
        }
        'b' => {
            let mut calls = outer(value, |b| b.is_ascii_whitespace());
            calls.all(|call| {
                call.strip_suffix(')').and_then(|call| call.split_once('(')).is_some_and(filters)
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Of [`is_of`].
    const KINDS: &str = "nizlpcutadswrgvb";

    /// As Chromium 156 says (`CSS.supports`).
    #[test]
    fn words_and_rows_that_browsers_know() {
        let check = |declared: &str, expect: Known| {
            let (name, value) = declared.split_once(':').unwrap();
            assert_eq!(is_known(name, value), expect, "{declared}");
        };
        for yes in [
            "direction:ltr",
            "direction:rtl",
            "list-style-position:inside",
            "writing-mode:horizontal-tb",
            "cursor:zoom-in",
            "text-decoration:line-through",
            "text-decoration:underline dotted red",
            "text-rendering:geometricprecision",
            "scroll-snap-type:x mandatory",
            "scroll-snap-type:both",
            "border:1px solid rgb(0 0 0)",
            "border-radius:1px 2px/3px",
            "gap:1rem 2rem",
            "order:-1",
            "z-index:+1",
            "padding:calc(1px - 2px)",
            "width:calc(1px*-2)",
            "flex-grow:calc(-1)",
            "gap:calc(1px + 2px) 3px",
            "box-shadow:inset 0 0 1px red",
            "box-shadow:1px 1px,inset 2px 2px 3px 4px #fff",
            "transition:opacity 1s ease 2s,color 1s",
            "grid-template-columns:[a] 1fr [b]",
            "grid-template-columns:[a b] 1fr auto",
            "grid-area:1 / span 2 / a2",
            "grid-template-areas:'a b' 'c d'",
            "quotes:'a' 'b'",
            "font-family:a1,'b c',d e",
            "font-feature-settings:'smcp' on",
            "will-change:transform,opacity",
            "align-items:safe center",
            "aspect-ratio:auto 16/9",
            "accent-color:windowtext",
            "accent-color:-webkit-link",
            "direction:ltr !important",
            "display:inline flow-root list-item",
            "display:flow-root",
            "position:sticky",
            "overflow:hidden visible",
            "font:italic 16px/1.5 a,serif",
            "color:lightgrey",
            "background:linear-gradient(red,blue)",
            "background-clip:text",
            "transform:rotate(1deg) scale(2)",
            "margin:-1px auto",
            "animation:a1 1s ease both,b 2s",
            "color:revert-rule",
        ] {
            check(yes, Known::Yes);
        }
        for no in [
            "direction:up",
            "direction:ltr rtl",
            "direction:ltr,rtl",
            "scroll-snap-type:mandatory",
            "scroll-snap-type:x y",
            "gap:1px 2px 3px",
            "gap:1px,2px",
            "column-count:-1",
            "padding:-1px",
            "order:--1",
            "gap:5foo",
            "border:solid dotted",
            "border:1px solid/2px",
            "box-shadow:inset",
            "text-decoration:underline nonesuch",
            "grid-template-columns:1fr nonesuch",
            "cursor:",
            "cursor:zoom",
            "padding:-1px",
            "border-radius:-1px/2px",
            "background-clip:red",
            "background-image:red",
            "animation-fill-mode:a1",
            "display:none none",
            "display:-webkit-block",
            "flex-grow:auto",
        ] {
            check(no, Known::No);
        }
        for perhaps in ["gap:round(1px,2px)", "transition:color 1s cubic-bezier(0,0,1,1)"] {
            check(perhaps, Known::Perhaps);
        }
        for rarely in ["gap:nonesuch(1px)", "transition:color 1s nonesuch(2)"] {
            check(rarely, Known::Rarely);
        }
    }

    /// scripts/browser-words writes the file.
    #[test]
    fn what_is_listed_is_well_formed() {
        let mut names: Vec<&str> = Vec::new();
        let is_kind = |kind: char| KINDS.contains(kind);
        for line in PROPERTIES.lines() {
            let (name, taken) = line.split_once(' ').unwrap();
            names.push(name);
            let small =
                |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-+<>~|,/ ".contains(&b);
            assert!(line.bytes().all(small) && !line.contains("  "), "{line}");
            let mut parts = taken.split(" | ");
            let mut head = parts.next().unwrap().split(' ');
            let kinds = head.next().unwrap();
            assert!(kinds == "-" || kinds.trim_end_matches('+').chars().all(is_kind), "{line}");
            let rows = parts.next().map(|rows| {
                let (form, free) = rows.split_once(' ').unwrap_or((rows, ""));
                let (most, signs) = form.split_at(1);
                assert!(
                    ("1"..="9").contains(&most) && matches!(signs, "" | "," | "/" | ",/"),
                    "{line}"
                );
                free
            });
            let mut seen = HashSet::new();
            let rows = rows.into_iter().chain(parts).flat_map(str::split_ascii_whitespace);
            for part in head.chain(rows) {
                match part.strip_prefix('<') {
                    Some(kind) => {
                        assert!(kind.len() == 2 && kind.chars().next().is_some_and(is_kind))
                    }
                    None => assert!(!part.contains(['<', '>']), "{line}"),
                }
                assert!(seen.insert(part.trim_start_matches('~')), "{line}: {part}");
            }
        }
        assert!(names.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn each_kind_has_values() {
        for (kind, value) in KINDS.chars().zip([
            "1.5",
            "3",
            "0",
            "1px",
            "1%",
            "#123",
            "url(a)",
            "1s",
            "1deg",
            "--a1",
            "''",
            "a1",
            "1/2",
            "1fr auto",
            "view()",
            "blur(1px)",
        ]) {
            assert!(is_of(kind, value), "{kind} {value}");
            assert!(!is_of(kind, "nonesuch(1)"), "{kind}");
        }
    }
}

//! Text → selectors (Selectors Level 4 §3, §17).
//!
//! Arguments are read to a depth of [`MAX_DEPTH`]. Must not know: elements.

use super::last::{Last, last_name};
use super::names::{begins_name, ident};
use super::parts::{bracket, parts};
use super::simple::{Attribute, Nth, Test};
use super::states::{NEVER, OLD_PARTS, PARTS, SOME, UNTOLD};
use super::{Combinator, Compound, List, Parents, Selector, Specificity};

/// Compounds in one selector; longer ones are taken to match nothing.
const MAX_COMPOUNDS: usize = 16;
/// Selectors in one list of arguments; where there are more, not all are known.
pub(in super::super) const ARGUMENTS: usize = 16;
/// Arguments of arguments; what stands deeper is not known.
const MAX_DEPTH: u8 = 2;

/// The first selectors of a list that are asked for, so many at most; none if browsers do not read one of the list: then
/// none of it counts (Selectors Level 4 §3.8).
pub(in super::super) fn list(
    list: &str,
    parents: Option<&Parents>,
    most: usize,
    asked: impl Fn(&str) -> bool,
) -> Vec<Selector> {
    let mut found = Vec::new();
    for part in parts(list) {
        let met = || !matches!(last_name(part), Last::Never);
        let asked = found.len() < most && asked(part) && met();
        if !asked && is_simple(part) {
            continue;
        }
        match read(part, parents, 0) {
            Ok(selector) if asked => found.push(selector),
            Err(Unread::Invalid) => return Vec::new(),
            _ => {}
        }
    }
    found
}

/// Is it a row of tags, classes and ids, perhaps in a state? Most are.
fn is_simple(part: &str) -> bool {
    let mut before = b' ';
    for (at, byte) in part.bytes().enumerate() {
        let fits = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => true,
            b'0'..=b'9' | b'-' => !matches!(before, b' ' | b'.' | b'#'),
            b'.' | b'#' => !matches!(before, b'.' | b'#'),
            b' ' => !matches!(before, b'.' | b'#'),
            b'>' => at > 0 && !matches!(before, b'.' | b'#' | b'>'),
            b':' => {
                let state = &part[at + 1..];
                let known = match state.strip_prefix(':') {
                    Some(name) => PARTS.contains(&name),
                    None => NEVER.contains(&state) || PARTS[..OLD_PARTS].contains(&state),
                };
                return known && !matches!(before, b'.' | b'#');
            }
            _ => false,
        };
        if !fits {
            return false;
        }
        // White space beside `>` says nothing.
        if byte != b' ' || before != b'>' {
            before = byte;
        }
    }
    !matches!(before, b' ' | b'.' | b'#' | b'>')
}

/// Why a selector is none.
enum Unread {
    /// It is never met.
    Never,
    /// Browsers read none either.
    Invalid,
    /// It is too long.
    Long,
}

/// Reads one selector; `parents`: those of the rule that its rule is nested in (CSS Nesting §3).
pub(in super::super) fn selector(text: &str, parents: Option<&Parents>) -> Option<Selector> {
    read(text, parents, 0).ok()
}

/// Do browsers read this as one selector?
pub(in super::super) fn is_known(text: &str) -> bool {
    !matches!(read(text, None, 0), Err(Unread::Invalid))
}

/// What was read of a selector.
#[derive(Default)]
struct Reader<'l> {
    row: Vec<(Compound, Combinator)>,
    compound: Compound,
    specificity: Specificity,
    loose: bool,
    arguments: usize,
    /// States that the compound asks for already, by their places in [`HAVING`].
    states: u32,
    parents: Option<&'l Parents>,
    depth: u8,
    /// It asks for a state that is never met, or for a pseudo-element.
    never: bool,
    /// It has named a pseudo-element: nothing but states may follow, …
    part: bool,
    /// … and none behind the oldest: browsers refuse `::before:hover`, which Selectors Level 4 would allow.
    old_part: bool,
}

/// `depth`: of how many others it is an argument.
fn read(text: &str, parents: Option<&Parents>, depth: u8) -> Result<Selector, Unread> {
    let mut reader = Reader { parents, depth, ..Reader::default() };
    let (mut empty, mut joint) = (true, None);
    // What does not say where its rule's parent stands is inside of it.
    let told = || depth > 0 || text.contains('&') || text.contains(":scope");
    if parents.is_some() && !told() {
        reader.parent();
        (empty, joint) = (false, Some(Combinator::Inside));
    }
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        let found = match c {
            ' ' | '\t' | '\n' | '\r' | '\x0c' => Some(Combinator::Inside),
            '>' => Some(Combinator::Child),
            '+' => Some(Combinator::Next),
            '~' => Some(Combinator::Later),
            _ => None,
        };
        if let Some(found) = found {
            joint = match (joint, found) {
                (None | Some(Combinator::Inside), found) => Some(found),
                (Some(joint), Combinator::Inside) => Some(joint),
                _ => return Err(Unread::Invalid),
            };
            rest = &rest[1..];
            continue;
        }
        if let Some(joint) = joint.take() {
            if empty || reader.part {
                return Err(Unread::Invalid);
            }
            if reader.row.len() >= MAX_COMPOUNDS {
                return Err(Unread::Long);
            }
            reader.row.push((std::mem::take(&mut reader.compound), joint));
            reader.states = 0;
        }
        empty = false;
        rest = reader.simple(c, rest)?;
    }
    if empty || !matches!(joint, None | Some(Combinator::Inside)) {
        return Err(Unread::Invalid);
    }
    let Reader { mut row, mut compound, specificity, loose, arguments, never, .. } = reader;
    if never {
        return Err(Unread::Never);
    }
    row.iter_mut().map(|(c, _)| c).chain([&mut compound]).for_each(Compound::take_marks);
    row.reverse();
    Ok(Selector { last: compound, around: row, specificity, loose, arguments })
}

thread_local! {
    /// The elements that may have a state, of each in [`SOME`] and [`UNTOLD`]: read once, whoever asks for it.
    static HAVING: Vec<List> = SOME
        .iter()
        .chain(&UNTOLD)
        .map(|(_, of)| of.iter().filter_map(|text| selector(text, None)).collect())
        .collect();
}

impl Reader<'_> {
    /// Reads a simple selector that begins with `c`; returns what follows it.
    fn simple<'t>(&mut self, c: char, text: &'t str) -> Result<&'t str, Unread> {
        let (ids, classes, tags) = &mut self.specificity;
        let inner = text.get(1..).unwrap_or_default();
        let named = |text: &'t str| match begins_name(text) {
            true => ident(text).ok_or(Unread::Invalid),
            false => Err(Unread::Invalid),
        };
        if self.part && c != ':' {
            return Err(Unread::Invalid);
        }
        match c {
            '*' => Ok(inner),
            '&' => {
                self.parent();
                Ok(inner)
            }
            '.' => {
                let (name, after) = named(inner)?;
                *classes = classes.saturating_add(1);
                self.compound.classes.push(name.into_owned());
                Ok(after)
            }
            '#' => {
                let (name, after) = named(inner)?;
                *ids = ids.saturating_add(1);
                self.compound.ids.push(name.into_owned());
                Ok(after)
            }
            // A namespace, which is not known here; what stands before it is no tag.
            '|' => {
                self.loose = true;
                self.compound.tag = None;
                Ok(inner)
            }
            '[' => {
                let (inside, after) = bracket(text);
                *classes = classes.saturating_add(1);
                match Attribute::read(inside) {
                    Some(attribute) => self.compound.tests.push(Test::Attribute(attribute)),
                    // Escapes and namespaces in names.
                    None if inside.contains(['\\', '|']) => self.loose = true,
                    None => return Err(Unread::Invalid),
                }
                Ok(after)
            }
            ':' => {
                let doubled = inner.strip_prefix(':');
                let (name, after) = named(doubled.unwrap_or(inner))?;
                let name = name.to_ascii_lowercase();
                let (inside, after) = match after.starts_with('(') {
                    true => {
                        let (inside, after) = bracket(after);
                        (Some(inside), after)
                    }
                    false => (None, after),
                };
                match doubled.is_some() || PARTS[..OLD_PARTS].contains(&&*name) {
                    true => self.part(&name)?,
                    false => self.pseudo(&name, inside)?,
                }
                Ok(after)
            }
            _ => {
                let (name, after) = named(text)?;
                *tags = tags.saturating_add(1);
                self.tag(name.to_ascii_lowercase());
                Ok(after)
            }
        }
    }

    /// A tag, which the root has, too: no element has two.
    fn tag(&mut self, name: String) {
        self.never |= self.compound.tag.as_ref().is_some_and(|tag| *tag != name);
        self.compound.tag = Some(name);
    }

    /// A pseudo-element; other makers' own are none, nor are those in arguments.
    fn part(&mut self, name: &str) -> Result<(), Unread> {
        let known = PARTS.contains(&name) || name.starts_with("-webkit-");
        if !known || self.part || self.depth > 0 {
            return Err(Unread::Invalid);
        }
        (self.part, self.never) = (true, true);
        self.old_part = PARTS[..OLD_PARTS].contains(&name);
        Ok(())
    }

    /// A pseudo-class and what stands in its brackets, if it has some.
    fn pseudo(&mut self, name: &str, inside: Option<&str>) -> Result<(), Unread> {
        if self.old_part {
            return Err(Unread::Invalid);
        }
        if matches!(name, "is" | "where" | "not" | "has" | "-webkit-any") {
            return self.list(name, inside.ok_or(Unread::Invalid)?);
        }
        self.specificity.1 = self.specificity.1.saturating_add(1);
        if NEVER.contains(&name) {
            self.never = true;
            let takes = matches!(name, "host" | "host-context" | "current");
            return if takes || inside.is_none() { Ok(()) } else { Err(Unread::Invalid) };
        }
        let state = SOME.iter().chain(&UNTOLD).position(|(state, _)| *state == name);
        if let Some(at) = state {
            let untold = at >= SOME.len();
            self.loose |= untold || name == "read-write";
            self.state(at);
            return if untold || inside.is_none() { Ok(()) } else { Err(Unread::Invalid) };
        }
        let tests = match (name, inside) {
            ("lang", Some(inside)) if !inside.trim_ascii().is_empty() => {
                let test = Test::lang(inside);
                self.loose |= test.is_none();
                test.into_iter().collect()
            }
            ("dir", Some(inside)) => match inside.trim_ascii().to_ascii_lowercase().as_str() {
                "ltr" => vec![Test::Leftward(false)],
                "rtl" => vec![Test::Leftward(true)],
                // No other is met.
                _ => vec![Test::Any(Vec::new().into())],
            },
            // Counted among some siblings alone.
            ("nth-child" | "nth-last-child", Some(inside)) if inside.contains(" of ") => {
                self.loose = true;
                Vec::new()
            }
            (_, Some(inside)) => {
                vec![Test::Nth(Nth::counted(name, inside).ok_or(Unread::Invalid)?)]
            }
            ("scope", _) if self.parents.is_some_and(|parents| parents.scope) => {
                self.parent();
                Vec::new()
            }
            ("root" | "scope", _) => {
                self.tag("html".to_owned());
                Vec::new()
            }
            ("empty", _) => vec![Test::Empty],
            _ => Nth::read(name).ok_or(Unread::Invalid)?.into_iter().map(Test::Nth).collect(),
        };
        self.compound.tests.extend(tests);
        Ok(())
    }

    /// A state of some elements alone, by its place in [`HAVING`].
    fn state(&mut self, at: usize) {
        let list = HAVING.with(|having| having.get(at).cloned()).unwrap_or_default();
        if list.is_empty() || self.states & 1 << at != 0 {
            return;
        }
        self.states |= 1 << at;
        self.arguments += list.len();
        self.compound.tests.push(Test::Any(list));
    }

    /// A pseudo-class of a list of selectors.
    fn list(&mut self, name: &str, inside: &str) -> Result<(), Unread> {
        if name == "has" {
            return self.has(inside);
        }
        let (mut found, mut all) = (Vec::new(), self.depth < MAX_DEPTH);
        for part in parts(inside).take(ARGUMENTS + 1) {
            if !all || found.len() == ARGUMENTS {
                all = false;
                break;
            }
            match read(part, self.parents, self.depth + 1) {
                Ok(selector) => found.push(selector),
                Err(Unread::Invalid) if name == "not" => return Err(Unread::Invalid),
                Err(Unread::Long) => all = false,
                Err(_) => {}
            }
        }
        self.arguments += found.iter().map(|s| 1 + s.arguments).sum::<usize>();
        let most = found.iter().map(|selector| selector.specificity).max();
        if name != "where" {
            // Of arguments that are not read, as much as most have.
            let most = if all { most.unwrap_or_default() } else { most.unwrap_or((0, 1, 0)) };
            self.add(most);
        }
        self.loose |= !all || found.iter().any(|s| s.loose || s.asks_root());
        if name == "not" {
            // What may be met is not known to be missed.
            found.retain(|selector| !selector.loose);
            self.compound.tests.push(Test::None(found.into()));
        } else if all {
            self.compound.tests.push(Test::Any(found.into()));
        }
        Ok(())
    }

    /// `:has()` of single compounds inside of the element, or right below it (Selectors Level 4 §4.5); of others
    /// it is not known what they match.
    fn has(&mut self, inside: &str) -> Result<(), Unread> {
        let mut tests = Vec::new();
        for part in parts(inside) {
            let (below, text) = match part.strip_prefix('>') {
                Some(text) => (true, text.trim_ascii()),
                None => (false, part),
            };
            let found = match self.depth < MAX_DEPTH && tests.len() < ARGUMENTS {
                true => read(text, self.parents, self.depth + 1),
                false => Err(Unread::Long),
            };
            match found {
                Ok(selector) if selector.around.is_empty() => tests.push((below, selector)),
                Ok(_) | Err(Unread::Long) => self.loose = true,
                // No list of relative selectors forgives, but what stands before them may be what is asked for.
                Err(Unread::Invalid) if text.starts_with(['+', '~']) => self.loose = true,
                Err(Unread::Invalid) => return Err(Unread::Invalid),
                Err(Unread::Never) => {}
            }
        }
        self.arguments += tests.iter().map(|(_, s)| 1 + s.arguments).sum::<usize>();
        let most = tests.iter().map(|(_, selector)| selector.specificity).max();
        self.add(most.unwrap_or((0, 1, 0)));
        self.loose |= tests.iter().any(|(_, s)| s.loose);
        if !self.loose {
            self.compound.tests.push(Test::Has(tests));
        }
        Ok(())
    }

    /// `&`: what a selector of the parent rule matches, as specific as the most specific of them.
    fn parent(&mut self) {
        // `&` outside of a rule is the scope, which is not read either.
        let Some(Parents { list, scope }) = self.parents.filter(|p| !p.list.is_empty()) else {
            self.loose = true;
            return;
        };
        if !scope {
            self.add(list.iter().map(|selector| selector.specificity).max().unwrap_or_default());
        }
        self.loose |= list.iter().any(|s| s.loose || s.asks_root());
        self.compound.tests.push(Test::Any(list.clone()));
    }

    fn add(&mut self, (ids, classes, tags): Specificity) {
        let all = &mut self.specificity;
        *all =
            (all.0.saturating_add(ids), all.1.saturating_add(classes), all.2.saturating_add(tags));
    }
}

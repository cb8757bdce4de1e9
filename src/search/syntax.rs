//! The language of questions: words, "phrases", AND, OR, NOT, NEAR/n, parentheses, `title:`, `word*`. Bounded
//! in length, words and depth.
//!
//! Must not know: the index, articles.

use crate::model::Zone;

use super::words::{spaceless, words};

/// Longest question, characters.
pub const LONGEST: usize = 1_000;
/// Words and phrases of a question at most, and words of a phrase.
const MOST: usize = 64;
/// Parentheses and NOTs within each other at most.
const DEEPEST: usize = 16;
/// Words between the two sides of NEAR at most.
pub const FARTHEST: u32 = 50;
/// Words between the two sides of NEAR where nothing else is said.
const NEAR: u32 = 10;
/// Characters before the star of `word*` at least.
const STEM: usize = 3;

/// The zones that are searched, in the order of the page.
pub const ZONES: [Zone; 3] = [Zone::Title, Zone::Lead, Zone::Body];

/// What an article must be like to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Words that stand in one of these zones.
    Words(Vec<Zone>, Near),
    All(Vec<Wanted>),
    Any(Vec<Wanted>),
    Not(Box<Wanted>),
}

/// Phrases in one passage (a title, a paragraph), each at most so many words from those before it; a single
/// one stands for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    pub first: Phrase,
    pub then: Vec<(u32, Phrase)>,
}

/// Words one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// Never empty.
    pub words: Vec<String>,
    /// The last one may go on (`word*`).
    pub open: bool,
}

impl Near {
    pub fn phrases(&self) -> impl Iterator<Item = &Phrase> {
        std::iter::once(&self.first).chain(self.then.iter().map(|(_, phrase)| phrase))
    }
}

/// Why a text is no question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

fn malformed<T>(sentence: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(sentence.into()))
}

/// Reads a question; `zones` are those of words that name none.
///
/// # Errors
/// It is too long, or makes no sense; the sentence says what to do.
pub fn read(text: &str, zones: &[Zone]) -> Result<Wanted, Malformed> {
    let length = text.chars().count();
    if length > LONGEST {
        return malformed(format!(
            "the query has {length} characters; {LONGEST} at most can be looked for"
        ));
    }
    let tokens = tokens(text)?;
    let mut reader = Reader { tokens: &tokens, at: 0, leaves: 0, depth: 0 };
    let wanted = reader.any(zones)?;
    match reader.peek() {
        None => Ok(wanted),
        Some(Token::Close) => malformed("there is a `)` without a `(`"),
        Some(token) => malformed(format!("{} stands where a word should", token.shown())),
    }
}

/// A name as it is looked for: the words of it, one after the other; the last one may go on where a `*` ends the name.
/// `None`: it has none.
pub fn name(text: &str) -> Option<Near> {
    let words: Vec<String> = words(text).into_iter().map(|word| word.text).take(MOST).collect();
    let open = text.trim_end().ends_with('*') && words.last().is_some_and(|word| !spaceless(word));
    let first = Phrase { words, open };
    (!first.words.is_empty()).then_some(Near { first, then: Vec::new() })
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    And,
    Or,
    Not,
    Near(u32),
    Zone(Zone),
    Quoted(&'a str),
    Word(&'a str),
}

impl Token<'_> {
    fn shown(&self) -> String {
        let shown = match self {
            Token::Open => "(",
            Token::Close => ")",
            Token::And => "AND",
            Token::Or => "OR",
            Token::Not => "NOT",
            Token::Near(_) => "NEAR",
            Token::Zone(zone) => return format!("`{}:`", of(*zone)),
            Token::Quoted(text) | Token::Word(text) => text,
        };
        let shown: String = shown.chars().take(40).collect();
        format!("`{shown}`")
    }
}

/// The name of a zone that is searched.
fn of(zone: Zone) -> &'static str {
    match zone {
        Zone::Title => "title",
        Zone::Lead => "lead",
        _ => "body",
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Malformed> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let zone = ZONES.into_iter().find_map(|zone| {
            let after = rest.strip_prefix(of(zone))?.strip_prefix(':')?;
            Some((zone, after))
        });
        rest = match c {
            '(' => {
                tokens.push(Token::Open);
                after
            }
            ')' => {
                tokens.push(Token::Close);
                after
            }
            '-' if after.starts_with(|c: char| !c.is_whitespace() && c != '-') => {
                tokens.push(Token::Not);
                after
            }
            c if is_quote(c) => {
                let Some(end) = after.find(is_quote) else {
                    return malformed("a phrase begins with a quotation mark and does not end");
                };
                tokens.push(Token::Quoted(&after[..end]));
                after[end..].trim_start_matches(is_quote)
            }
            _ => match zone {
                Some((zone, after)) => {
                    tokens.push(Token::Zone(zone));
                    after
                }
                None => {
                    let ends = |c: char| c.is_whitespace() || c == '(' || c == ')' || is_quote(c);
                    let (word, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
                    tokens.push(token(word)?);
                    after
                }
            },
        }
        .trim_start();
    }
    Ok(tokens)
}

fn token(word: &str) -> Result<Token<'_>, Malformed> {
    Ok(match word {
        "AND" => Token::And,
        "OR" => Token::Or,
        "NOT" => Token::Not,
        "NEAR" => Token::Near(NEAR),
        _ => match word.strip_prefix("NEAR/") {
            Some(words) => match words.parse().ok().filter(|n| *n <= FARTHEST) {
                Some(words) => Token::Near(words),
                None => {
                    let sentence =
                        format!("NEAR/n takes a number of words up to {FARTHEST}, such as NEAR/5");
                    return malformed(sentence);
                }
            },
            None => Token::Word(word),
        },
    })
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    leaves: usize,
    depth: usize,
}

impl<'t, 'a> Reader<'t, 'a> {
    fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, token: &Token<'_>) -> bool {
        let there = self.peek() == Some(token);
        self.at += usize::from(there);
        there
    }

    fn any(&mut self, zones: &[Zone]) -> Result<Wanted, Malformed> {
        let mut parts = vec![self.all(zones)?];
        while self.take(&Token::Or) {
            parts.push(self.all(zones)?);
        }
        Ok(one_or(parts, Wanted::Any))
    }

    fn all(&mut self, zones: &[Zone]) -> Result<Wanted, Malformed> {
        let mut parts = vec![self.part(zones)?];
        loop {
            if !self.take(&Token::And)
                && matches!(self.peek(), None | Some(Token::Or | Token::Close | Token::Near(_)))
            {
                return Ok(one_or(parts, Wanted::All));
            }
            parts.push(self.part(zones)?);
        }
    }

    fn deeper(&mut self) -> Result<(), Malformed> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return malformed(format!("more than {DEEPEST} parentheses stand within each other"));
        }
        Ok(())
    }

    fn part(&mut self, zones: &[Zone]) -> Result<Wanted, Malformed> {
        if self.take(&Token::Not) {
            self.deeper()?;
            let wanted = Wanted::Not(Box::new(self.part(zones)?));
            self.depth -= 1;
            return Ok(wanted);
        }
        if let Some(Token::Zone(zone)) = self.peek() {
            self.at += 1;
            if let Some(Token::Zone(_) | Token::Not) = self.peek() {
                return malformed(format!("a word or a phrase must follow `{}:`", of(*zone)));
            }
            return self.part(&[*zone]);
        }
        if self.take(&Token::Open) {
            self.deeper()?;
            let wanted = self.any(zones)?;
            if !self.take(&Token::Close) {
                return malformed("there is a `(` without a `)`");
            }
            self.depth -= 1;
            if let Some(Token::Near(_)) = self.peek() {
                return malformed("NEAR stands between words or phrases, not parentheses");
            }
            return Ok(wanted);
        }
        let mut near = Near { first: self.phrase()?, then: Vec::new() };
        while let Some(Token::Near(words)) = self.peek() {
            self.at += 1;
            near.then.push((*words, self.phrase()?));
        }
        Ok(Wanted::Words(zones.to_vec(), near))
    }

    fn phrase(&mut self) -> Result<Phrase, Malformed> {
        let (text, quoted) = match self.peek() {
            Some(Token::Quoted(text)) => (*text, true),
            Some(Token::Word(text)) => (*text, false),
            Some(token) => {
                return malformed(format!("{} stands where a word should", token.shown()));
            }
            None if self.at == 0 => return malformed("the query is empty: name a word"),
            None => return malformed("the query ends where a word should follow"),
        };
        self.at += 1;
        self.leaves += 1;
        let words: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
        if self.leaves > MOST || words.len() > MOST {
            return malformed(format!("a query has {MOST} words and phrases at most"));
        }
        let Some(last) = words.last() else {
            let text: String = text.chars().take(40).collect();
            return malformed(format!("`{text}` has no letters or digits to look for"));
        };
        let open = !quoted && text.ends_with('*') && !spaceless(last);
        if open && last.chars().count() < STEM {
            return malformed(format!("`*` needs {STEM} letters before it at least"));
        }
        Ok(Phrase { words, open })
    }
}

fn one_or(mut parts: Vec<Wanted>, all: fn(Vec<Wanted>) -> Wanted) -> Wanted {
    match parts.len() {
        1 => parts.remove(0),
        _ => all(parts),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Written back with all parentheses.
    fn shown(wanted: &Wanted) -> String {
        let list = |parts: &[Wanted], word: &str| {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            format!("({})", parts.join(word))
        };
        match wanted {
            Wanted::Words(zones, near) => {
                let zone = if zones.len() == 1 { of(zones[0]).to_owned() + ":" } else { "".into() };
                let phrase =
                    |phrase: &Phrase| phrase.words.join("_") + if phrase.open { "*" } else { "" };
                let then = near.then.iter().map(|(n, then)| format!("~{n}~{}", phrase(then)));
                zone + &phrase(&near.first) + &then.collect::<String>()
            }
            Wanted::All(parts) => list(parts, " & "),
            Wanted::Any(parts) => list(parts, " | "),
            Wanted::Not(part) => format!("!{}", shown(part)),
        }
    }

    #[test]
    fn questions_are_read() {
        for (text, expect) in [
            ("Acme", "acme"),
            ("Acme recall", "(acme & recall)"),
            ("Acme AND recall OR Vega", "((acme & recall) | vega)"),
            ("Acme -\"the recall\"", "(acme & !the_recall)"),
            ("NOT Acme", "!acme"),
            ("(a OR b) c", "((a | b) & c)"),
            ("„Acme Corp“ boss", "(acme_corp & boss)"),
            ("acme NEAR/5 \"big recall\" NEAR fire", "acme~5~big_recall~10~fire"),
            ("title:acme body:(a OR \"b c\") d", "(title:acme & (body:a | body:b_c) & d)"),
            ("e-mail don't", "(e_mail & don_t)"),
            ("recall* 電子", "(recall* & 電_子)"),
            ("and or not", "(and & or & not)"),
            ("http://a.test/x", "http_a_test_x"),
        ] {
            assert_eq!(shown(&read(text, &ZONES).unwrap()), expect, "{text}");
        }
        assert_eq!(shown(&read("a b", &[Zone::Title]).unwrap()), "(title:a & title:b)");
        // As the schema of the API says: characters, not bytes.
        read(&"ü".repeat(LONGEST), &ZONES).unwrap();
    }

    /// The star was left out, so "facto*" was looked for as "facto".
    #[test]
    fn a_name_with_a_star_goes_on() {
        let named = |text: &str| shown(&Wanted::Words(ZONES.to_vec(), name(text).unwrap()));
        assert_eq!(named("Acme Facto* "), "acme_facto*");
        assert_eq!(named("Acme Facto"), "acme_facto");
        assert_eq!(named("電子*"), "電_子");
        assert_eq!(name("*"), None);
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (text, words) in [
            ("", "the query is empty"),
            ("  ", "the query is empty"),
            ("a AND", "ends where a word should follow"),
            ("AND a", "`AND` stands where a word should"),
            ("a OR OR b", "`OR` stands where"),
            ("(a", "`(` without a `)`"),
            ("a)", "`)` without a `(`"),
            ("()", "`)` stands where"),
            ("\"a b", "does not end"),
            ("\"\"", "no letters or digits"),
            ("!!!", "`!!!` has no letters"),
            ("ab*", "needs 3 letters"),
            ("a NEAR/99 b", "up to 50"),
            ("a NEAR/x b", "such as NEAR/5"),
            ("NEAR/5 b", "`NEAR` stands where"),
            ("(a b) NEAR c", "not parentheses"),
            ("a NEAR (b c)", "`(` stands where"),
            ("title:", "ends where"),
            ("title:lead:a", "must follow `title:`"),
            (&"(".repeat(20), "more than 16"),
            (&"-".repeat(20).replace('-', "NOT "), "more than 16"),
            (&"a ".repeat(70), "64 words"),
            (&"ü".repeat(1_001), "1001 characters"),
        ] {
            let why = read(text, &ZONES).unwrap_err().to_string();
            assert!(why.contains(words), "{text}: {why}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a(\"\\- )*:]{0,40}|.{0,60}|((a|NOT|OR|AND|NEAR/3|\\(|\\)|\"|title:) ?){0,30}") {
            let _ = read(&text, &ZONES);
        }
    }
}

//! What people read, in one file per language: `en.js` and `de.js`. The dashboard loads these files as they are;
//! here sentences are made of the same ones.
//!
//! Must not know: what the sentences are about.

mod read;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use read::Text;

/// The files, as scripts.
pub const EN: &str = include_str!("en.js");
pub const DE: &str = include_str!("de.js");

/// A language that people are told things in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    En,
    De,
}

type Texts = LazyLock<BTreeMap<String, Text>>;

static TEXTS_EN: Texts = LazyLock::new(|| known(EN));
static TEXTS_DE: Texts = LazyLock::new(|| known(DE));

/// Tests read every file; one that cannot be read has no sentences, and their names are said.
fn known(script: &str) -> BTreeMap<String, Text> {
    read::file(script).unwrap_or_default()
}

impl Language {
    pub const ALL: [Language; 2] = [Language::En, Language::De];

    /// Its tag (BCP 47).
    pub fn tag(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::De => "de",
        }
    }

    /// What may be chosen, for people: "one of en, de".
    pub fn choice() -> String {
        format!("one of {}", Language::ALL.map(Language::tag).join(", "))
    }

    fn texts(self) -> &'static BTreeMap<String, Text> {
        match self {
            Language::En => &TEXTS_EN,
            Language::De => &TEXTS_DE,
        }
    }

    /// A number with its thousands apart: `12,345`, in German `12.345`. So writes the dashboard, too (`number` in
    /// words.js).
    pub fn number(self, n: impl fmt::Display) -> String {
        let written = n.to_string();
        let mark = match self {
            Language::En => ',',
            Language::De => '.',
        };
        let mut out = String::with_capacity(written.len() + written.len() / 3);
        for (at, c) in written.char_indices() {
            let behind = written.len() - at;
            if behind.is_multiple_of(3) && out.ends_with(|c: char| c.is_ascii_digit()) {
                out.push(mark);
            }
            out.push(c);
        }
        out
    }

    /// The names of all sentences.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.texts().keys().map(String::as_str)
    }

    /// The word of a fixed set: `failed(dns)` of `outcome` is `outcome.failed-dns`. One without words is said
    /// as it is.
    pub fn word(self, set: &str, name: &str) -> String {
        match self.texts().get(&word_name(set, name)) {
            Some(Text::Plain(word)) => word.clone(),
            _ => name.to_owned(),
        }
    }

    /// A sentence without values.
    pub fn t(self, name: &str) -> String {
        self.render(name, &BTreeMap::new())
    }

    /// A sentence with its values.
    pub fn say(self, said: &Said) -> String {
        self.render(&said.name, &said.values)
    }

    fn render(self, name: &str, values: &BTreeMap<String, Value>) -> String {
        let text =
            match self.texts().get(name) {
                None => name,
                Some(Text::Plain(text)) => text,
                Some(Text::Counted { one, other }) => {
                    if values.get("n") == Some(&Value::Number(1)) { one } else { other }
                }
            };
        let mut out = String::with_capacity(text.len() + 64);
        let mut rest = text;
        while let Some((before, from)) = rest.split_once('{') {
            out += before;
            let Some((key, after)) = from.split_once('}') else {
                out.push('{');
                rest = from;
                continue;
            };
            match values.get(key) {
                Some(Value::Number(n)) => out += &self.number(n),
                Some(Value::Text(text)) => out += text,
                Some(Value::Parts(parts)) => {
                    out.extend(parts.iter().map(|part| self.say(part)));
                }
                None => {
                    out.push('{');
                    out += key;
                    out.push('}');
                }
            }
            rest = after;
        }
        out + rest
    }
}

/// A whole number in a sentence of the command line or an alert: `12,345`.
pub fn number(n: impl fmt::Display) -> String {
    Language::En.number(n)
}

/// `1 brand`, `2 brands`, `0 entries`, `12,345 copies`.
pub fn many(n: u64, what: &str) -> String {
    let stem = what.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (n, stem) {
        (1, _) => format!("1 {what}"),
        (n, Some(stem)) => format!("{} {stem}ies", number(n)),
        (n, None) => format!("{} {what}s", number(n)),
    }
}

/// A share in whole percent, rounded; never 100 for less than all, nor 0 for more than nothing.
pub fn whole_percent(share: f64) -> i64 {
    let rounded = ((share * 100.0).round() as i64).max(i64::from(share > 0.0));
    if share < 1.0 { rounded.min(99) } else { rounded }
}

/// `87 %`, or a dash; `> 99 %` where less than all would be rounded to 100, and `< 1 %` where more than nothing would
/// be rounded to 0. So says the dashboard, too (`percent` in dom.js).
pub fn percent(share: Option<f64>) -> String {
    match share {
        None => "–".into(),
        Some(share) if share > 0.0 && share * 100.0 < 0.5 => "< 1 %".into(),
        Some(share) => {
            let nearly = share < 1.0 && share * 100.0 >= 99.5;
            format!("{}{} %", if nearly { "> " } else { "" }, whole_percent(share))
        }
    }
}

/// The name of the sentence that is a word of a fixed set.
pub fn word_name(set: &str, word: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = word.chars().map(plain).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    format!("{set}.{}", parts.join("-"))
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

impl FromStr for Language {
    type Err = String;
    fn from_str(s: &str) -> Result<Language, String> {
        let found = Language::ALL.into_iter().find(|language| language.tag() == s);
        found.ok_or_else(|| format!("`{s}` is not {}", Language::choice()))
    }
}

/// A sentence by its name in the files, with its values: so it can be said in any language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub name: String,
    #[serde(default)]
    pub values: BTreeMap<String, Value>,
}

/// A value in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Number(i64),
    Text(String),
    /// Clauses, one after the other.
    Parts(Vec<Said>),
}

/// The sentence of this name.
pub fn said(name: &str) -> Said {
    Said { name: name.to_owned(), values: BTreeMap::new() }
}

impl Said {
    /// With a value.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Said {
        self.values.insert(key.to_owned(), value.into());
        self
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::Text(text.clone())
    }
}

impl From<Vec<Said>> for Value {
    fn from(parts: Vec<Said>) -> Value {
        Value::Parts(parts)
    }
}

macro_rules! number {
    ($($of:ty),*) => {$(
        impl From<$of> for Value {
            fn from(n: $of) -> Value {
                Value::Number(i64::try_from(n).unwrap_or(i64::MAX))
            }
        }
    )*};
}

number!(i64, u64, u32, usize);

#[cfg(test)]
mod tests;

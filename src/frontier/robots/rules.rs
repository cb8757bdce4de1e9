//! The rules of one group, in one buffer: a robots.txt of 500 KiB can have sixty thousand of them, and
//! those of many hosts are held at once.
//!
//! Must not know: groups, how lines are read.

use super::pattern::{self, Pattern};
use crate::model::RobotsDecision;

/// See the module's documentation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// Of each rule its pattern and, where that differs, its value as written.
    text: Vec<u8>,
    /// Most specific first, `Allow` before `Disallow` of the same length.
    rules: Vec<Rule>,
}

/// Offsets are those of a file of 500 KiB, which grows ninefold at most.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    /// Where its pattern begins, where that ends and its value begins, and where that ends.
    pattern: u32,
    value: u32,
    end: u32,
    line: u32,
    allow: bool,
    anchored: bool,
}

impl Rules {
    /// Adds a rule; one that can match nothing is left out.
    pub fn push(&mut self, allow: bool, value: &str, line: u32) {
        let start = self.text.len();
        let Some(anchored) = pattern::compile(value, &mut self.text) else { return };
        let middle = self.text.len();
        let shown = value.strip_suffix('$').unwrap_or(value).as_bytes();
        if self.text.get(start..) != Some(shown) {
            self.text.extend_from_slice(value.as_bytes());
        }
        let [pattern, value, end] = [start, middle, self.text.len()].map(|at| at as u32);
        self.rules.push(Rule { pattern, value, end, line, allow, anchored });
    }

    /// No more rules will come.
    pub fn finish(&mut self) {
        let mut rules = std::mem::take(&mut self.rules);
        rules.sort_by_key(|r| (std::cmp::Reverse(self.pattern(r).length()), !r.allow, r.line));
        rules.shrink_to_fit();
        self.text.shrink_to_fit();
        self.rules = rules;
    }

    /// What the most specific rule says that matches `target`, if one does.
    pub fn decide(&self, target: &[u8]) -> Option<RobotsDecision> {
        let rule = self.rules.iter().find(|rule| self.pattern(rule).matches(target))?;
        let rule_written =
            format!("{}: {}", if rule.allow { "Allow" } else { "Disallow" }, self.written(rule));
        Some(RobotsDecision {
            allowed: rule.allow,
            rule: Some(rule_written),
            line: Some(rule.line),
        })
    }

    /// Bytes of memory that are held.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + self.rules.capacity() * size_of::<Rule>()
    }

    fn pattern(&self, rule: &Rule) -> Pattern<'_> {
        Pattern { octets: self.octets(rule.pattern, rule.value), anchored: rule.anchored }
    }

    fn written(&self, rule: &Rule) -> String {
        let (octets, end) = match self.octets(rule.value, rule.end) {
            [] => (self.pattern(rule).octets, if rule.anchored { "$" } else { "" }),
            value => (value, ""),
        };
        String::from_utf8_lossy(octets).into_owned() + end
    }

    fn octets(&self, from: u32, to: u32) -> &[u8] {
        self.text.get(from as usize..to as usize).unwrap_or_default()
    }
}

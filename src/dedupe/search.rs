//! Everything that a new text is compared with: who of those held is its copy by the rule in force, who
//! is of its pattern, and who stands in whom.
//!
//! What reaches τ is found exactly (`index`). Below it candidates are those that share marks; what the
//! index holds of them excludes nearly all before their print is read. The rule asks for shared marks,
//! too, so here, too, the answer is that of comparing with every article, whatever the order in which they
//! came. Excerpts are looked for among those that share the most marks.
//!
//! Must not know: where prints are kept, stories, the clock.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::sync::Arc;

use super::excerpts::{self, Contained};
use super::index::{Effort, Entry, Index, Settings, Source};
use super::marks::Marks;
use super::print::Print;
use super::rule::{self, Judge, Rule, Verdict};
use super::similarity::sim;
use crate::model::{Millis, UrlKey};

/// Articles that are compared to find excerpts, per search: those that share the most marks.
const COMPARED: usize = 64;
/// Ends of a story that are less alike than τ minus this have drifted apart.
const DRIFT: f64 = 0.15;

/// What a search finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Copies with their sim^σ, most similar first, then by key.
    pub copies: Vec<(UrlKey, f64)>,
    /// Articles that are no copies though sim^σ reaches τ, by key.
    pub patterns: Vec<UrlKey>,
    /// Articles that the text stands in, or that stand in it, largest share first, then by key.
    pub excerpts: Vec<Contained>,
}

impl Found {
    fn judged(&mut self, key: UrlKey, verdict: Verdict) {
        match verdict {
            Verdict::Copies(similarity) => self.copies.push((key, similarity)),
            Verdict::Pattern(_) => self.patterns.push(key),
            Verdict::Apart => {}
        }
    }
}

/// The articles to compare with.
pub struct Search {
    index: Index,
    marks: Marks,
    rule: Rule,
}

impl Search {
    /// Over no article; full prints are read back from `source`.
    pub fn new(settings: Settings, rule: Rule, source: Source) -> Search {
        Search { index: Index::with_source(settings, source), marks: Marks::default(), rule }
    }

    /// The rule in force.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        self.index.settings()
    }

    /// Number of articles held.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Holds no article.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Bytes of memory held: to find what reaches τ, and for marks.
    pub fn bytes(&self) -> (usize, usize) {
        (self.index.bytes(), self.marks.bytes())
    }

    /// Is this article held?
    pub fn holds(&self, key: UrlKey) -> bool {
        self.index.holds(key)
    }

    /// Adds an article published `at` that the source does not have yet.
    pub fn insert(&mut self, key: UrlKey, at: Millis, print: Print) {
        self.marks.insert(key, &print.marks);
        self.index.insert(key, at, print);
    }

    /// Adds an article that the source has; `entry` is that of its vector.
    pub fn enter(&mut self, key: UrlKey, at: Millis, entry: &Entry, marks: &[u32]) {
        self.marks.insert(key, marks);
        self.index.enter(key, at, entry);
    }

    /// All articles inserted so far are in the source now.
    pub fn settle(&mut self) {
        self.index.settle();
    }

    /// Forgets an article; `false` if it was not held.
    pub fn remove(&mut self, key: UrlKey) -> bool {
        // Its marks lead to nobody, and leave with the next articles that do.
        self.index.remove(key)
    }

    /// Forgets the articles published before `before`, but for those that `keep` is true of; returns how
    /// many.
    pub fn expire(&mut self, before: Millis, keep: &mut dyn FnMut(UrlKey) -> bool) -> usize {
        let dropped = self.index.expire(before, keep);
        if dropped > 0 {
            let index = &self.index;
            self.marks.retain(&mut |key| index.holds(key));
        }
        dropped
    }

    /// The full print of an article published `at`, held or read back.
    pub fn print(&self, key: UrlKey, at: Millis) -> Option<Arc<Print>> {
        self.index.print(key, at)
    }

    /// Have two articles of a story, each by key and publication instant, drifted apart: are they no copies
    /// of each other, and less alike than τ − 0.15? `false` where a print is no longer there.
    pub fn drifted(&self, a: (UrlKey, Millis), b: (UrlKey, Millis)) -> bool {
        let Some((a, b)) = self.print(a.0, a.1).zip(self.print(b.0, b.1)) else { return false };
        let tau = self.settings().tau;
        sim(&a.vector, &b.vector) < tau - DRIFT
            && !matches!(rule::judge(self.rule, tau, &a, &b), Verdict::Copies(_))
    }

    /// What of the articles held a text published `at` is a copy of, of one pattern with, or contained in.
    /// `own` is its key, which is not found.
    pub fn near(&self, own: UrlKey, at: Millis, print: &Print) -> Found {
        self.near_counting(own, at, print).0
    }

    /// [`Search::near`] with the work it took.
    pub fn near_counting(&self, own: UrlKey, at: Millis, print: &Print) -> (Found, Effort) {
        self.near_noting(own, at, print, &mut HashSet::new())
    }

    /// The same; notes the articles that the text was compared with in full.
    pub fn near_noting(
        &self,
        own: UrlKey,
        at: Millis,
        print: &Print,
        with: &mut HashSet<UrlKey>,
    ) -> (Found, Effort) {
        let (tau, window) = (self.settings().tau, self.settings().window.0.unsigned_abs());
        let mut found = Found::default();
        let judge = Judge::new(self.rule, tau, print);
        let mut reached = HashSet::new();
        let mut effort =
            self.index.each_compared(at, &print.vector, &mut |key, similarity, other| {
                with.insert(key);
                if key != own && similarity >= tau {
                    reached.insert(key);
                    found.judged(key, judge.near(similarity, other));
                }
            });
        let asked = self.index.asked(&print.vector);
        let terms = print.vector.len();
        let mut compared = 0;
        for key in self.marks.sharing(&print.marks) {
            let Some((then, theirs)) = self.index.held(key).filter(|_| key != own) else {
                continue;
            };
            if then.abs_diff(at) > window {
                continue;
            }
            effort.sharing += 1;
            let part = compared < COMPARED && excerpts::can_contain(terms, theirs);
            compared += usize::from(part);
            // What reaches τ has been found.
            let copy = self.rule >= Rule::Wording
                && !reached.contains(&key)
                && rule::fits(terms, theirs)
                && self.index.can_reach(key, &asked, rule::LEAST);
            if !part && !copy {
                continue;
            }
            let Some(other) = self.index.print(key, then) else {
                effort.missing += 1;
                continue;
            };
            effort.compared += 1;
            with.insert(key);
            if copy
                && let verdict @ Verdict::Copies(similarity) = judge.of(&other)
                && similarity < tau
            {
                found.judged(key, verdict);
            }
            if part && let Some((part, share)) = excerpts::share(&print.vector, &other.vector) {
                found.excerpts.push(Contained { key, part, share });
            }
        }
        found.copies.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.patterns.sort_unstable();
        found.excerpts.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.key.cmp(&b.key)));
        (found, effort)
    }

    /// Writes everything but full prints, settings and rule.
    pub fn save(&self, to: &mut dyn Write) -> std::io::Result<()> {
        self.index.save(to)?;
        self.marks.save(to)
    }

    /// Reads what [`Search::save`] wrote, into one that holds nothing. After an error it is to be dropped.
    pub fn load(&mut self, from: &mut dyn Read) -> std::io::Result<()> {
        self.index.load(from)?;
        self.marks = Marks::load(from)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DAY, Span};
    use proptest::prelude::*;

    /// Text of pseudo-random words.
    fn text(seed: u64, words: usize) -> String {
        let mut state = seed;
        let mut text = String::new();
        for _ in 0..words {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
            text.push_str(&format!("w{} ", state >> 52));
        }
        text
    }

    fn cut(text: &str, words: std::ops::Range<usize>) -> String {
        let all: Vec<&str> = text.split(' ').collect();
        all[words].join(" ")
    }

    fn over(prints: &[Print], rule: Rule, window: Millis) -> Search {
        let source = prints.to_vec();
        let source = move |key: UrlKey, _| source.get(key.0 as usize).cloned().map(Arc::new);
        let settings = Settings { window: Span(window), ..Settings::default() };
        let mut search = Search::new(settings, rule, Box::new(source));
        for (n, print) in prints.iter().enumerate() {
            search.insert(UrlKey(n as u128), 0, print.clone());
            search.settle();
        }
        search
    }

    #[test]
    fn an_excerpt_is_found_from_both_sides() {
        let whole = text(1, 1_000);
        let texts = [
            whole.clone(),
            cut(&whole, 200..600),
            text(2, 800),
            cut(&whole, 0..990),
            cut(&whole, 0..30),
        ];
        let prints: Vec<Print> = texts.iter().map(|t| Print::of(t)).collect();
        let search = over(&prints, Rule::default(), 10);
        let near = |n: usize, at| {
            let found = search.near(UrlKey(n as u128), at, &prints[n]).excerpts;
            found.into_iter().map(|c| (c.key.0, c.part, c.share)).collect::<Vec<_>>()
        };
        assert_eq!(near(0, 0), [(1, false, 1.0)]);
        assert_eq!(near(1, 10), [(0, true, 1.0), (3, true, 1.0)]);
        assert_eq!(near(1, 11), []);
        assert_eq!(near(2, 0), []);
        assert_eq!(near(4, 0), [], "too short");
    }

    /// A report of one pattern, each with its day, place and numbers.
    fn report(n: usize) -> String {
        let days = ["Monday", "Tuesday", "Friday", "Sunday"];
        let places = ["Ashford", "Kelby", "Larkhill", "Wexley", "Overton"];
        format!(
            "In {} the week begins mild on {}, with {} degrees by noon and lows near {} in the night. \
             Showers will move in from the west during the afternoon and reach {} around {} o'clock. \
             Rainfall of {} millimetres is expected in places, most of it before dusk. Wind speeds of up \
             to {} kilometres an hour are possible on exposed hills and on open water. Drivers should \
             allow for poor visibility in the morning. The outlook for the rest of the week is settled, \
             with the best chance of sunshine on {}.",
            places[n % 5],
            days[n % 4],
            10 + n,
            n % 9,
            places[(n + 2) % 5],
            3 + n % 6,
            1 + n * 3,
            20 + n * 7,
            days[(n + 1) % 4]
        )
    }

    #[test]
    fn reports_of_one_pattern_stay_apart_and_a_copy_with_furniture_is_found() {
        let furniture = "By our own staff in the newsroom. Read all about the weather in our app. ";
        let texts = [
            report(0),
            report(1),
            format!("{furniture}{}Share this with friends", report(0)),
            report(5).replace("showers", "rain"),
        ];
        let prints: Vec<Print> = texts.iter().map(|t| Print::of(t)).collect();
        let keys = |copies: &[(UrlKey, f64)]| copies.iter().map(|c| c.0.0).collect::<Vec<_>>();
        let found = over(&prints, Rule::Wording, DAY).near(UrlKey(0), 0, &prints[0]);
        assert_eq!(keys(&found.copies), [2]);
        assert!(found.copies[0].1 < 0.9, "{found:?}");
        assert!(found.patterns.contains(&UrlKey(1)), "{found:?}");
        let before = over(&prints, Rule::Words, DAY).near(UrlKey(0), 0, &prints[0]);
        assert!(keys(&before.copies).contains(&1) && !keys(&before.copies).contains(&2));
        assert_eq!(before.patterns, []);
    }

    #[test]
    fn where_no_wording_is_kept_words_decide() {
        let prints: Vec<Print> =
            [report(0), report(1)].iter().map(|t| Vector::of(t).into()).collect();
        let found = over(&prints, Rule::Wording, DAY).near(UrlKey(0), 0, &prints[0]);
        assert_eq!(found.copies.len(), 1);
    }

    use crate::dedupe::Vector;

    /// Texts around a few others: edited, cut, with furniture, of scripts with and without spaces.
    fn texts() -> impl Strategy<Value = Vec<String>> {
        let one = (0u64..4, 60usize..140, 0usize..12, 0usize..30, any::<bool>());
        let one = one.prop_map(|(seed, words, cut_off, edits, han)| {
            let whole = text(seed + 1, words);
            let mut all: Vec<String> = whole.split(' ').skip(cut_off).map(String::from).collect();
            let length = all.len();
            for n in 0..edits {
                all[(n * 37 + cut_off) % length] = format!("e{n}");
            }
            let text = all.join(" ");
            let character = |c: char| char::from_u32(0x4e00 + u32::from(c) * 7).unwrap_or(c);
            if han { text.chars().map(character).collect() } else { text }
        });
        prop::collection::vec(one, 2..24)
    }

    proptest! {
        /// The answer is that of judging every pair, and the same from both sides.
        #[test]
        fn the_search_answers_as_brute_force(texts in texts(), wording in any::<bool>()) {
            let rule = if wording { Rule::Wording } else { Rule::Words };
            let prints: Vec<Print> = texts.iter().map(|t| Print::of(t)).collect();
            let search = over(&prints, rule, DAY);
            let mut bytes = Vec::new();
            search.save(&mut bytes).unwrap();
            let mut loaded = over(&[], rule, DAY);
            loaded.load(&mut bytes.as_slice()).unwrap();
            prop_assert_eq!(loaded.len(), prints.len());
            for (n, print) in prints.iter().enumerate() {
                let own = UrlKey(n as u128);
                let mut expect = Found::default();
                for (m, other) in prints.iter().enumerate().filter(|(m, _)| *m != n) {
                    let verdict = rule::judge(rule, 0.9, print, other);
                    prop_assert_eq!(verdict, rule::judge(rule, 0.9, other, print));
                    expect.judged(UrlKey(m as u128), verdict);
                }
                expect.copies.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                let found = search.near(own, 0, print);
                prop_assert_eq!(&found.copies, &expect.copies);
                prop_assert_eq!(&found.patterns, &expect.patterns);
            }
        }
    }
}

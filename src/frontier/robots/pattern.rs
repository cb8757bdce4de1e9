//! One rule's path pattern, compiled: `*` matches any octets, a final `$` the end (RFC 9309
//! §2.2.3), both sides in the same percent-encoding. Time is linear in pattern and URL: each
//! literal run is taken at its first occurrence, which is enough because `*` can absorb the rest.
//!
//! Must not know: groups, lines, what a match means.

use memchr::memmem;
use url::Url;

use crate::frontier::percent;

/// A pattern; literal `*` and `$` are kept percent-encoded, so that they cannot be confused.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Literal runs between stars; the first must stand at the start.
    runs: Vec<Vec<u8>>,
    /// The last run must stand at the end.
    anchored: bool,
    octets: usize,
}

impl Pattern {
    /// `None` for an empty value. A value that starts with neither `/` nor `*` is read as if a
    /// `/` stood before it: what was meant is plain, and nothing could match otherwise.
    pub fn compile(value: &str) -> Option<Pattern> {
        if value.is_empty() {
            return None;
        }
        let (value, anchored) = match value.strip_suffix('$') {
            Some(before) => (before, true),
            None => (value, false),
        };
        let slash = if value.starts_with(['/', '*']) { "" } else { "/" };
        let mut runs: Vec<Vec<u8>> = Vec::new();
        for (i, run) in value.split('*').enumerate() {
            let mut octets = Vec::new();
            if i == 0 {
                octets.extend_from_slice(slash.as_bytes());
            }
            percent::normalise(run.as_bytes(), b"$", &mut octets);
            runs.push(octets);
        }
        // `**` says no more than `*`: an empty run in the middle is one star too many.
        let last = runs.len().saturating_sub(1);
        let mut position = 0;
        runs.retain(|run| {
            let keep = !run.is_empty() || position == 0 || position == last;
            position += 1;
            keep
        });
        let stars = runs.len().saturating_sub(1);
        let octets = runs.iter().map(Vec::len).sum::<usize>() + stars + usize::from(anchored);
        Some(Pattern { runs, anchored, octets })
    }

    /// How specific the pattern is: its length in octets after normalisation.
    pub fn octets(&self) -> usize {
        self.octets
    }

    /// `target` as [`target`] made it.
    pub fn matches(&self, target: &[u8]) -> bool {
        let Some((first, others)) = self.runs.split_first() else { return false };
        let Some(mut rest) = target.strip_prefix(first.as_slice()) else { return false };
        let Some((last, middle)) = others.split_last() else {
            return !self.anchored || rest.is_empty();
        };
        for run in middle {
            let Some(at) = memmem::find(rest, run) else { return false };
            rest = rest.get(at + run.len()..).unwrap_or_default();
        }
        if self.anchored { rest.ends_with(last) } else { memmem::find(rest, last).is_some() }
    }
}

/// Path and query of a URL in the form that patterns are compared with.
pub fn target(url: &Url) -> Vec<u8> {
    let mut out = Vec::new();
    percent::normalise(url.path().as_bytes(), b"*$", &mut out);
    if let Some(query) = url.query() {
        out.push(b'?');
        percent::normalise(query.as_bytes(), b"*$", &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, by recursion: what the linear matcher must agree with.
    fn naive(pattern: &[u8], target: &[u8]) -> bool {
        match pattern.split_first() {
            None => true,
            Some((b'$', [])) => target.is_empty(),
            Some((b'*', more)) => (0..=target.len()).any(|skip| naive(more, &target[skip..])),
            Some((c, more)) => {
                target.split_first().is_some_and(|(t, ts)| t == c && naive(more, ts))
            }
        }
    }

    #[test]
    fn octets_are_counted_after_collapsing() {
        for (value, octets) in
            [("/", 1), ("/a*", 3), ("/a**", 3), ("/a***b", 4), ("/a$", 3), ("/ö", 7), ("**a", 2)]
        {
            assert_eq!(Pattern::compile(value).unwrap().octets(), octets, "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn agrees_with_the_definition(
            pattern in "[/*][ab*/]{0,8}\\$?",
            path in "/[ab/]{0,10}",
        ) {
            let compiled = Pattern::compile(&pattern).unwrap();
            prop_assert_eq!(
                compiled.matches(path.as_bytes()),
                naive(pattern.as_bytes(), path.as_bytes()),
                "{} on {}", pattern, path
            );
        }
    }
}

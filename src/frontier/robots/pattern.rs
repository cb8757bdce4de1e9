//! One rule's path pattern, compiled: `*` matches any octets, a final `$` the end (RFC 9309
//! §2.2.3), both sides in the same percent-encoding. Time is linear in pattern and URL: each
//! literal run is taken at its first occurrence, which is enough because `*` can absorb the rest.
//!
//! Must not know: groups, lines, what a match means.

use memchr::memmem;
use url::Url;

use crate::frontier::percent;

/// Octets that are compared percent-encoded: those that mean the same either way and that the URL
/// parser encodes here and not there (WHATWG URL, path and query percent-encode sets), and `*` and
/// `$`, so that literal ones cannot be confused.
const ENCODED: &[u8] = b"*$\"'<>[\\]^`{|}";

/// A compiled pattern; whoever compiled it keeps its octets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pattern<'a> {
    /// Literal runs with stars between them; the first run must stand at the start.
    pub octets: &'a [u8],
    /// The last run must stand at the end.
    pub anchored: bool,
}

/// Appends the octets of a pattern and says whether it is anchored. `None` for a value that starts
/// with neither `/` nor `*`: no path does (§2.2.2), so that it can match nothing.
pub fn compile(value: &str, out: &mut Vec<u8>) -> Option<bool> {
    if !value.starts_with(['/', '*']) {
        return None;
    }
    let (value, anchored) = match value.strip_suffix('$') {
        Some(before) => (before, true),
        None => (value, false),
    };
    let mut starred = false;
    for (i, run) in value.split('*').enumerate() {
        // `**` says no more than `*`.
        if i > 0 && !starred {
            out.push(b'*');
            starred = true;
        }
        if !run.is_empty() {
            percent::normalise(run.as_bytes(), ENCODED, out);
            starred = false;
        }
    }
    Some(anchored)
}

impl Pattern<'_> {
    /// How specific the pattern is: its length in octets after normalisation.
    pub fn length(&self) -> usize {
        self.octets.len() + usize::from(self.anchored)
    }

    /// `target` as [`target`] made it.
    pub fn matches(&self, target: &[u8]) -> bool {
        let mut runs = self.octets.split(|&octet| octet == b'*');
        let Some(first) = runs.next() else { return false };
        let Some(mut rest) = target.strip_prefix(first) else { return false };
        let Some(last) = runs.next_back() else { return !self.anchored || rest.is_empty() };
        for run in runs {
            let Some(at) = memmem::find(rest, run) else { return false };
            rest = rest.get(at + run.len()..).unwrap_or_default();
        }
        if self.anchored { rest.ends_with(last) } else { memmem::find(rest, last).is_some() }
    }
}

/// Path and query of a URL in the form that patterns are compared with.
pub fn target(url: &Url) -> Vec<u8> {
    let mut out = Vec::new();
    percent::normalise(url.path().as_bytes(), ENCODED, &mut out);
    if let Some(query) = url.query() {
        out.push(b'?');
        percent::normalise(query.as_bytes(), ENCODED, &mut out);
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
        for (value, length) in
            [("/", 1), ("/a*", 3), ("/a**", 3), ("/a***b", 4), ("/a$", 3), ("/ö", 7), ("**a", 2)]
        {
            let mut octets = Vec::new();
            let anchored = compile(value, &mut octets).unwrap();
            assert_eq!(Pattern { octets: &octets, anchored }.length(), length, "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn agrees_with_the_definition(
            pattern in "[/*][ab*/]{0,8}\\$?",
            path in "/[ab/]{0,10}",
        ) {
            let mut octets = Vec::new();
            let anchored = compile(&pattern, &mut octets).unwrap();
            prop_assert_eq!(
                Pattern { octets: &octets, anchored }.matches(path.as_bytes()),
                naive(pattern.as_bytes(), path.as_bytes()),
                "{} on {}", pattern, path
            );
        }

        /// What a URL's own path and query are made of forbids it, however it was encoded.
        #[test]
        fn what_is_written_raw_matches_the_url(
            path in "[a-z{}\"<>`|^\\[\\]'!$&()+,;=:@~éß ]{1,12}",
            query in "[a-z{}\"<>`|^\\[\\]'!$&()+,;=:@~éß ]{1,12}",
        ) {
            let (path, query) = (format!("/x{path}x"), format!("{query}x"));
            let url = Url::parse(&format!("https://a.example{path}?{query}")).unwrap();
            for value in [format!("{path}?{query}"), url.as_str()[17..].to_owned()] {
                let mut octets = Vec::new();
                let anchored = compile(&value, &mut octets).unwrap();
                let pattern = Pattern { octets: &octets, anchored };
                prop_assert!(pattern.matches(&target(&url)), "{} on {}", value, url);
            }
        }
    }
}

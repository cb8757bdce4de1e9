//! Where a list goes on when it is asked for page by page, while a crawl and its people go on.
//!
//! Must not know: how a list is made.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Day, Millis, UrlKey};

/// The place of a line among articles or stories. What a crawl brings meanwhile does not move it: no line
/// comes twice, and none that stays where it is is left out. A story that has grown past the place
/// meanwhile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Articles of a story; `None`: the line is an article.
    pub articles: Option<usize>,
    pub day: Day,
    pub key: UrlKey,
}

impl Place {
    /// The place of a line of articles, by the names of its fields.
    pub fn of_article(line: &Value) -> Option<Place> {
        Place::of(line, "key", None)
    }

    /// The place of a line of stories.
    pub fn of_story(line: &Value) -> Option<Place> {
        Place::of(line, "id", Some(usize::try_from(line["articles"].as_u64()?).ok()?))
    }

    fn of(line: &Value, key: &str, articles: Option<usize>) -> Option<Place> {
        let day = line["day"].as_str()?.parse().ok()?;
        Some(Place { articles, day, key: line[key].as_str()?.parse().ok()? })
    }

    /// Does an article stand behind it?
    pub(super) fn before_article(&self, day: Day, key: UrlKey) -> bool {
        (day, key) > (self.day, self.key)
    }

    /// Does a story stand behind it?
    pub(super) fn before_story(&self, articles: u64, day: Day, id: UrlKey) -> bool {
        (Reverse(articles), day, id) > (Reverse(self.size()), self.day, self.key)
    }

    /// Articles of the story whose place it is.
    pub(super) fn size(&self) -> u64 {
        self.articles.map_or(0, |articles| articles as u64)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { articles, day, key } = self;
        match articles {
            Some(articles) => write!(f, "{articles}.{day}.{key}"),
            None => write!(f, "{day}.{key}"),
        }
    }
}

impl FromStr for Place {
    type Err = String;
    fn from_str(s: &str) -> std::result::Result<Place, String> {
        let parts: Vec<&str> = s.split('.').collect();
        let (articles, rest) = match parts.as_slice() {
            [articles, rest @ ..] if rest.len() == 2 => (number(articles).map(Some), rest),
            rest => (Some(None), rest),
        };
        let read = match rest {
            [day, key] => articles.zip(day.parse().ok()).zip(key.parse().ok()),
            _ => None,
        };
        let place = read.map(|((articles, day), key)| Place { articles, day, key });
        place.ok_or_else(|| unknown(s))
    }
}

/// A place in the log that later decisions do not move: the instant of a decision, and how many of that
/// instant came before it, itself included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPlace {
    pub at: Millis,
    pub nth: usize,
}

impl LogPlace {
    /// The place of the last of these lines, which follow `after`.
    pub fn of(after: Option<LogPlace>, instants: &[Millis]) -> Option<LogPlace> {
        let at = *instants.last()?;
        let here = instants.iter().rev().take_while(|instant| **instant == at).count();
        let before = after.filter(|after| here == instants.len() && after.at == at);
        Some(LogPlace { at, nth: here + before.map_or(0, |after| after.nth) })
    }

    /// Does a decision stand before the place, or at it? Those of its instant are counted. What was
    /// decided before the clock was set back stands behind it.
    pub(super) fn passes(&mut self, at: Millis) -> bool {
        let before = self.nth > 0 && at >= self.at;
        self.nth -= usize::from(before && at == self.at);
        before
    }
}

impl fmt::Display for LogPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at, self.nth)
    }
}

impl FromStr for LogPlace {
    type Err = String;
    fn from_str(s: &str) -> std::result::Result<LogPlace, String> {
        let read = s
            .split_once('.')
            .and_then(|(at, nth)| Some(LogPlace { at: number(at)?, nth: number(nth)? }));
        read.ok_or_else(|| unknown(s))
    }
}

/// A number in digits alone: no sign.
fn number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
}

fn unknown(text: &str) -> String {
    let text: String = text.chars().take(40).collect();
    format!("`{text}` is not what `next` of an answer said")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_and_read() {
        let key = UrlKey(7);
        let day = Day::constant(2026, 11, 20);
        for articles in [None, Some(12)] {
            let place = Place { articles, day, key };
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        let place = LogPlace { at: 5, nth: 2 };
        assert_eq!(place.to_string().parse(), Ok(place));
        for wrong in ["", ".", "2026-11-20", "2026-11-20.x", "x.2026-11-20.7", "1.2.3.4", "5."] {
            let read = wrong.parse::<Place>().unwrap_err();
            assert!(read.contains(wrong) && wrong.parse::<LogPlace>().is_err(), "{read}");
        }
    }

    #[test]
    fn pages_of_one_instant_go_on_where_they_ended() {
        let place = LogPlace::of(None, &[9, 5, 5]).expect("lines");
        assert_eq!(place, LogPlace { at: 5, nth: 2 });
        assert_eq!(LogPlace::of(Some(place), &[5]), Some(LogPlace { at: 5, nth: 3 }));
        assert_eq!(LogPlace::of(Some(place), &[5, 4]), Some(LogPlace { at: 4, nth: 1 }));
        assert_eq!(LogPlace::of(Some(place), &[]), None);
    }
}

//! Alerts: the rule that says when somebody wants to be told, how far it has come, and what was told.
//!
//! Must not know: how a rule is judged, how anything is delivered.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{BrandSet, Day, Millis, Outcome, Span, UrlKey, UrlRecord};

/// When somebody wants to be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertRule {
    /// By it the alert is known.
    pub name: String,
    pub when: When,
    /// Articles that count any of these; none: entries of all kinds.
    #[serde(default)]
    pub brands: Vec<String>,
    /// Articles that have what is looked for, as in a search; beside brands: of theirs only these.
    #[serde(default)]
    pub query: Option<String>,
    /// Only of this outlet, and in this language.
    #[serde(default)]
    pub outlet: Option<String>,
    #[serde(default)]
    pub language: Option<String>,
    /// Time that is looked back for a count; `None`: a day.
    #[serde(default)]
    pub within: Option<Span>,
    /// Targets of the configuration, by name; none: what happens is kept and shown.
    #[serde(default)]
    pub to: Vec<String>,
    /// Hours in which nothing is sent.
    #[serde(default)]
    pub quiet: Option<QuietHours>,
}

impl AlertRule {
    /// Does it name the articles that it looks at?
    pub fn names_articles(&self) -> bool {
        !self.brands.is_empty() || self.query.is_some()
    }

    /// Its brands that are watched no more, or under another name.
    pub fn unwatched(&self, set: &BrandSet) -> Vec<String> {
        let watched = |name: &String| set.brands.iter().any(|brand| brand.name == *name);
        self.brands.iter().filter(|name| !watched(name)).cloned().collect()
    }
}

/// What a rule waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// A count of at least so many.
    AtLeast(u64),
    /// A count above what is usual.
    Unusual,
    /// A count below what is usual.
    Falling,
    /// The first article of an outlet that counts a brand, or has what is looked for.
    NewOutlet,
    /// The first such article in a language.
    NewLanguage,
    /// A brand in a headline, or what is looked for; once per story.
    Headline,
    /// A story with such an article, in so many outlets.
    Carried(u64),
    /// Less than this share of polls succeeded, percent.
    Coverage(u64),
    /// A digest of each day, or of each week.
    Daily,
    Weekly,
}

/// The words without a number, and what they stand for.
const WORDS: [(&str, When); 7] = [
    ("unusual", When::Unusual),
    ("falling", When::Falling),
    ("new-outlet", When::NewOutlet),
    ("new-language", When::NewLanguage),
    ("headline", When::Headline),
    ("daily", When::Daily),
    ("weekly", When::Weekly),
];

/// What makes a [`When`] of the number behind a word.
type Numbered = (&'static str, fn(u64) -> When);

/// The words with a number.
const NUMBERED: [Numbered; 3] =
    [("at-least", When::AtLeast), ("carried", When::Carried), ("coverage", When::Coverage)];

impl When {
    /// Is a count looked at, over some time?
    pub fn counts(self) -> bool {
        matches!(self, When::AtLeast(_) | When::Unusual | When::Falling)
    }

    /// Is it judged by what is usual, by the hour?
    pub fn compares(self) -> bool {
        matches!(self, When::Unusual | When::Falling)
    }

    /// Does it look at articles only, so that a brand or a query must name them?
    pub fn needs_articles(self) -> bool {
        use When::{Carried, Headline, NewLanguage, NewOutlet};
        matches!(self, NewOutlet | NewLanguage | Headline | Carried(_))
    }

    /// Is it a digest?
    pub fn is_digest(self) -> bool {
        matches!(self, When::Daily | When::Weekly)
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::AtLeast(n) => write!(f, "at-least {n}"),
            When::Carried(n) => write!(f, "carried {n}"),
            When::Coverage(n) => write!(f, "coverage {n}"),
            other => {
                let found = WORDS.iter().find(|(_, when)| when == other);
                f.write_str(found.map_or("", |(word, _)| word))
            }
        }
    }
}

impl FromStr for When {
    type Err = String;
    fn from_str(s: &str) -> Result<When, String> {
        let mut words = s.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        let unknown = || {
            let plain = WORDS.map(|(word, _)| word).join(", ");
            let numbered = NUMBERED.map(|(word, _)| format!("{word} N")).join(", ");
            format!("`{s}` is nothing that an alert waits for; there are {numbered}, {plain}")
        };
        if words.next().is_some() {
            return Err(unknown());
        }
        match second {
            None => {
                let found = WORDS.iter().find(|(word, _)| *word == first);
                found.map(|(_, when)| *when).ok_or_else(unknown)
            }
            Some(number) => {
                let (_, of) =
                    NUMBERED.iter().find(|(word, _)| *word == first).ok_or_else(unknown)?;
                let n: u64 = number.parse().map_err(|_| unknown())?;
                let most = if first == "coverage" { 100 } else { 1_000_000 };
                if n == 0 || n > most {
                    return Err(format!("`{s}`: the number must be 1 to {most}"));
                }
                Ok(of(n))
            }
        }
    }
}

/// Hours of the day in which nothing is sent, in the zone of the days: minutes since midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    pub from: u32,
    pub to: u32,
}

impl QuietHours {
    /// Minutes until they end, at a minute of the day; `None`: they are not now.
    pub fn left(self, minute: u32) -> Option<u32> {
        const DAY: u32 = 24 * 60;
        let since = (minute + DAY - self.from) % DAY;
        let length = (self.to + DAY - self.from) % DAY;
        (since < length).then(|| length - since)
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QuietHours { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

impl FromStr for QuietHours {
    type Err = String;
    fn from_str(s: &str) -> Result<QuietHours, String> {
        let minute = |text: &str| -> Option<u32> {
            let (hour, minute) = text.trim().split_once(':')?;
            let digits = |part: &str| part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit());
            let (hour, minute): (u32, u32) = match digits(hour) && digits(minute) {
                true => (hour.parse().ok()?, minute.parse().ok()?),
                false => return None,
            };
            (hour < 24 && minute < 60).then_some(hour * 60 + minute)
        };
        let read = s.split_once('-').and_then(|(from, to)| Some((minute(from)?, minute(to)?)));
        match read {
            Some((from, to)) => Ok(QuietHours { from, to }),
            _ => Err(format!("`{s}` are no quiet hours; write for example 22:00-07:00")),
        }
    }
}

/// Serialised as it is written.
macro_rules! as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

as_text!(When);
as_text!(QuietHours);

/// A rule, how far it has come, and what it told: one row of a store, so that all of it changes at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    pub rule: AlertRule,
    pub made: Millis,
    /// Raised with every change; whoever writes an alert has read this one.
    #[serde(default)]
    pub revision: u64,
    #[serde(default)]
    pub state: AlertState,
    /// Number of the last event.
    #[serde(default)]
    pub last: u64,
    /// The latest, oldest first.
    #[serde(default)]
    pub events: Vec<AlertEvent>,
}

/// Events that are kept of an alert, beside those that are still to be sent.
pub const EVENTS_KEPT: usize = 200;
/// Of these, too, no more are kept.
pub const EVENTS_WAITING: usize = 2_000;

impl Alert {
    /// One that has never been judged.
    pub fn new(rule: AlertRule, made: Millis) -> Alert {
        let state = AlertState::default();
        Alert { rule, made, revision: 0, state, last: 0, events: Vec::new() }
    }

    /// Notes an event; it gets a name and deliveries to the rule's targets, which are due at `due`. The
    /// oldest leave that have nothing to be sent any more.
    pub fn note(&mut self, event: AlertEvent, due: Millis) {
        self.last += 1;
        // One that was removed may have had this name, and a backup has the numbers of its day.
        let id = format!("{}-{}-{}", self.rule.name, event.at, self.last);
        let deliver = |target: &String| Delivery {
            target: target.clone(),
            attempts: 0,
            next: Some(due),
            done: None,
            error: None,
            left: Vec::new(),
        };
        let deliveries = self.rule.to.iter().map(deliver).collect();
        self.events.push(AlertEvent { id, deliveries, ..event });
        let mut beyond = self.events.len().saturating_sub(EVENTS_KEPT);
        self.events.retain(|event| {
            let leaves = beyond > 0 && !event.is_waiting();
            beyond -= usize::from(leaves);
            !leaves
        });
        let beyond = self.events.len().saturating_sub(EVENTS_WAITING);
        self.events.drain(..beyond);
    }
}

/// What a rule remembers from one judgement to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertState {
    /// It has been judged once.
    #[serde(default)]
    pub begun: bool,
    /// Since when the rule waits for what it waits for: what was seen before is no news. 0: since it was made.
    #[serde(default)]
    pub since: Millis,
    /// Since when a count, or coverage, is as the rule says.
    #[serde(default)]
    pub firing: Option<Millis>,
    /// Articles of stories that were told, by their day.
    #[serde(default)]
    pub told: BTreeMap<UrlKey, Day>,
    /// Outlets or languages that have counted a brand.
    #[serde(default)]
    pub known: BTreeSet<String>,
    /// Version of the brand set that `told` and `known` are of.
    #[serde(default)]
    pub brand_set: String,
    /// First day that no digest has told of.
    #[serde(default)]
    pub from: Option<Day>,
}

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Happened {
    /// It is as the rule says.
    Fired,
    /// It is so no more.
    Over,
    /// Somebody tries the alert.
    Test,
    Digest,
}

impl Happened {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Happened::Fired => "fired",
            Happened::Over => "over",
            Happened::Test => "test",
            Happened::Digest => "digest",
        }
    }
}

/// Something that an alert told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertEvent {
    /// Of its own for ever: who gets it twice knows by it.
    pub id: String,
    pub at: Millis,
    pub what: Happened,
    /// What happened, with its numbers.
    pub sentence: String,
    /// The arithmetic, line by line.
    #[serde(default)]
    pub details: Vec<String>,
    #[serde(default)]
    pub count: Option<u64>,
    /// The count usually lies from the first to the second number.
    #[serde(default)]
    pub usual: Option<(u64, u64)>,
    /// Of these it speaks, at most [`CITED`].
    #[serde(default)]
    pub articles: Vec<Cited>,
    #[serde(default)]
    pub deliveries: Vec<Delivery>,
}

/// Articles that an event names.
pub const CITED: usize = 10;

impl AlertEvent {
    /// An event without name and deliveries, for [`Alert::note`].
    pub fn new(at: Millis, what: Happened, sentence: String) -> AlertEvent {
        AlertEvent {
            id: String::new(),
            at,
            what,
            sentence,
            details: Vec::new(),
            count: None,
            usual: None,
            articles: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    /// Keeps of the articles that are forgotten no more than the key, and nothing of digests that quote
    /// them; `titles` are theirs, with their outlets. Says whether there was more.
    pub fn forget(&mut self, gone: &BTreeSet<UrlKey>, titles: &[(String, String)]) -> bool {
        let mut had = false;
        for cited in self.articles.iter_mut().filter(|cited| gone.contains(&cited.key)) {
            had |= !cited.title.is_empty() || !cited.url.is_empty();
            cited.title.clear();
            cited.url.clear();
        }
        let quotes: Vec<String> =
            titles.iter().map(|(title, outlet)| quote(title, outlet)).collect();
        let before = self.details.len();
        self.details.retain(|line| !quotes.iter().any(|quote| line.starts_with(quote)));
        had || self.details.len() < before
    }

    /// [`AlertEvent::forget`], of the articles whose entries turn out to be forgotten by now.
    ///
    /// # Errors
    /// Those of `entry`.
    pub fn forget_ended<E>(
        &mut self,
        mut entry: impl FnMut(UrlKey) -> Result<Option<UrlRecord>, E>,
    ) -> Result<bool, E> {
        let mut gone = BTreeSet::new();
        for cited in &self.articles {
            let entry = entry(cited.key)?;
            gone.extend(entry.filter(|e| e.outcome == Outcome::Forgotten).map(|_| cited.key));
        }
        Ok(self.forget(&gone, &[]))
    }

    /// Is it still to be sent to anybody?
    pub fn is_waiting(&self) -> bool {
        self.deliveries.iter().any(|delivery| delivery.next.is_some())
    }
}

/// How a digest begins the line of a story: its title and outlet.
pub fn quote(title: &str, outlet: &str) -> String {
    format!("– {title} ({outlet};")
}

/// An article that an event names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    pub key: UrlKey,
    pub day: Day,
    pub outlet: String,
    pub title: String,
    pub url: String,
}

/// An event on its way to a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub target: String,
    pub attempts: u32,
    /// When it is tried next; `None`: not any more.
    pub next: Option<Millis>,
    /// When it was taken.
    pub done: Option<Millis>,
    /// Why it was not taken the last time.
    pub error: Option<String>,
    /// Addresses that have refused a mail that others have taken: it is for them alone by now.
    #[serde(default)]
    pub left: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(to: &[&str]) -> AlertRule {
        AlertRule {
            name: "a".into(),
            when: When::Unusual,
            brands: Vec::new(),
            query: None,
            outlet: None,
            language: None,
            within: None,
            to: to.iter().map(|name| (*name).to_owned()).collect(),
            quiet: None,
        }
    }

    #[test]
    fn what_is_waited_for_is_read_as_it_is_written() {
        let numbered = [When::AtLeast(20), When::Carried(5), When::Coverage(90)];
        for when in WORDS.map(|(_, when)| when).into_iter().chain(numbered) {
            assert_eq!(when.to_string().parse(), Ok(when));
        }
        assert_eq!(" at-least  3 ".parse(), Ok(When::AtLeast(3)));
        for wrong in
            ["", "sudden", "at-least", "at-least 0", "at-least -1", "unusual 3", "coverage 101"]
        {
            assert!(wrong.parse::<When>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn quiet_hours_may_pass_midnight() {
        let night: QuietHours = "22:00-07:30".parse().unwrap();
        assert_eq!(night.to_string(), "22:00-07:30");
        assert_eq!(night.left(22 * 60), Some(570));
        assert_eq!(night.left(0), Some(450));
        assert_eq!(night.left(7 * 60 + 29), Some(1));
        assert_eq!((night.left(7 * 60 + 30), night.left(12 * 60)), (None, None));
        let noon: QuietHours = "12:00-13:00".parse().unwrap();
        assert_eq!((noon.left(12 * 60 + 15), noon.left(13 * 60)), (Some(45), None));
        for wrong in ["", "22-7", "24:00-07:00", "22:00", "+1:00-02:00", "1:60-2:00"] {
            assert!(wrong.parse::<QuietHours>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_digest_quotes_nothing_that_is_forgotten() {
        let mut event = AlertEvent::new(0, Happened::Digest, String::new());
        let rest = "1 article in 1 outlet)";
        let lines =
            ["Acme", "Acme grows"].map(|title| format!("{} {rest}", quote(title, "a.test")));
        event.details = [vec!["Acme: 2 articles.".to_owned()], lines.into()].concat();
        let gone = [("Acme".to_owned(), "a.test".to_owned())];
        assert!(event.forget(&BTreeSet::new(), &gone));
        assert!(!event.forget(&BTreeSet::new(), &gone));
        assert_eq!(event.details.len(), 2);
        assert!(event.details[1].starts_with("– Acme grows (a.test;"), "{:?}", event.details);
    }

    /// Whoever was told by the first one took what the second tells for known.
    #[test]
    fn an_alert_made_anew_or_put_back_has_events_of_its_own() {
        let noted = |mut alert: Alert, at| {
            alert.note(AlertEvent::new(at, Happened::Fired, String::new()), at);
            alert.events.remove(0).id
        };
        let first = Alert::new(rule(&[]), 0);
        let backup = first.clone();
        let ids = [noted(first, 5), noted(Alert::new(rule(&[]), 1), 6), noted(backup, 7)];
        assert_eq!(BTreeSet::from_iter(&ids).len(), 3, "{ids:?}");
    }

    #[test]
    fn what_is_still_to_be_sent_outlasts_what_is_not() {
        let mut alert = Alert::new(rule(&["desk"]), 0);
        let event = |at| AlertEvent::new(at, Happened::Fired, String::new());
        alert.note(event(0), 7);
        assert_eq!(alert.events[0].deliveries[0].next, Some(7));
        alert.rule.to.clear();
        for at in 1..=1_000 {
            alert.note(event(at), 7);
        }
        assert_eq!(alert.events.len(), EVENTS_KEPT);
        assert_eq!((alert.events[0].at, alert.events[1].at), (0, 802));
        assert_eq!(alert.events[1].id, "a-802-803");
        alert.rule.to = vec!["desk".into()];
        for at in 0..3_000 {
            alert.note(event(at), 7);
        }
        assert_eq!(alert.events.len(), EVENTS_WAITING);
    }
}

//! Questions of assistants are answered: arguments are read, lists cut, and how complete the days are goes with them.
//!
//! Must not know: who asks, over what.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::model::Day;
use crate::query::{
    By, Coverage, CoverageQuery, DayCoverage, MentionsQuery, Place, Polled, Question, is_incomplete,
};

use super::Ask;
use super::questions::{Asked, Field, Form, Given, MOST};

impl Asked {
    /// Where its list is to go on.
    fn place(&self, after: &Value) -> Result<Place, String> {
        let place = after.as_str().and_then(|text| text.parse::<Place>().ok());
        let of_stories = self.takes.contains(&Field::AfterStory);
        let place = place.filter(|place| place.articles.is_some() == of_stories);
        place.ok_or_else(|| format!("`after`: {after} is not what `next` of `{}` said", self.name))
    }

    /// The answer for these arguments, or a sentence. Blocks.
    pub fn answer(&self, ask: &Ask, mut arguments: JsonObject) -> Result<Value, String> {
        // Some clients send nothing as `null`.
        arguments.retain(|_, value| !value.is_null());
        for name in arguments.keys() {
            if !self.takes.iter().any(|field| field.schema().0 == name) {
                return Err(format!("`{}` takes no `{name}`", self.name));
            }
        }
        let fields = self.takes.iter().map(|field| field.schema());
        for (name, ..) in fields.filter(|(.., must)| *must) {
            if !arguments.contains_key(name) {
                return Err(format!("`{}` needs `{name}`", self.name));
            }
        }
        for name in ["from", "to"] {
            let Some(day) = arguments.get(name) else { continue };
            if day.as_str().is_none_or(|text| crate::model::written_day(text).is_err()) {
                return Err(format!("`{name}`: {day} is not a day such as 2026-11-20"));
            }
        }
        let after = arguments.remove("after");
        let after = after.map(|after| self.place(&after)).transpose()?;
        let mut given: Given = serde_json::from_value(Value::Object(arguments))
            .map_err(|why| format!("the arguments of `{}` cannot be read: {why}", self.name))?;
        given.after = after;
        if let (Some(from), Some(to)) = (given.from, given.to)
            && from > to
        {
            return Err(format!("`from` ({from}) is after `to` ({to})"));
        }
        let limit = given.limit();
        let mut lines = values(ask, (self.question)(given.clone()))?;
        let mut answer = match self.form {
            Form::List(place) => {
                let truncated = lines.len() > limit;
                lines.truncate(limit);
                let next = lines.last().filter(|_| truncated).and_then(place);
                let next = next.map(|place| place.to_string());
                json!({ "lines": lines, "next": next, "truncated": truncated })
            }
            Form::Whole | Form::Within(_) => lines.pop().ok_or("the answer is empty")?,
        };
        if let Form::Within(list) = self.form {
            let Value::Array(mut lines) = answer[list].take() else {
                return Err(format!("the answer of `{}` has no list `{list}`", self.name));
            };
            // Days to come have nothing to tell, and would leave no room for those that have been.
            if let Some(today) = answer["today"].as_str() {
                lines.retain(|line| line["day"].as_str() <= Some(today));
            }
            let (lines, cut) = match given.by {
                By::Day | By::Week => latest(lines),
                _ => most(lines, |line| line["mentions"].as_i64()),
            };
            answer[list] = lines.into();
            answer["truncated"] = (cut || answer["truncated"] == true).into();
        }
        if self.counts {
            answer["completeness"] = completeness(ask, &given, &answer)?;
        }
        Ok(answer)
    }
}

/// The [`MOST`] lines of the highest rank, in their order, and whether there are more.
fn most<R: Ord>(lines: Vec<Value>, rank: impl Fn(&Value) -> R) -> (Vec<Value>, bool) {
    let truncated = lines.len() > MOST;
    let mut ranked: Vec<(usize, Value)> = lines.into_iter().enumerate().collect();
    ranked.sort_by_cached_key(|(_, line)| Reverse(rank(line)));
    ranked.truncate(MOST);
    ranked.sort_by_key(|(at, _)| *at);
    (ranked.into_iter().map(|(_, line)| line).collect(), truncated)
}

/// The lines of the last days or weeks, so many of these as are told whole, in their order, and whether there are more.
fn latest(lines: Vec<Value>) -> (Vec<Value>, bool) {
    let day = |line: &Value| {
        let day = line["day"].as_str().or(line["bucket"].as_str());
        day.unwrap_or_default().to_owned()
    };
    let mut days: Vec<String> = lines.iter().map(day).collect();
    days.sort_unstable_by(|a, b| b.cmp(a));
    let (mut lines, truncated) = most(lines, day);
    // Some brands of a day are told and others not: none is, unless it is the only day.
    let cut = days.get(MOST).filter(|next| days[MOST - 1] == **next && days[0] != **next);
    if let Some(cut) = cut {
        lines.retain(|line| day(line) != *cut);
    }
    (lines, truncated)
}

/// All values of an answer. Blocks.
fn values(ask: &Ask, question: Question) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    ask(question, &mut |value| {
        values.push(value);
        ControlFlow::Continue(())
    })?;
    Ok(values)
}

/// The days that an answer has lines of.
fn days_of(answer: &Value) -> Vec<Day> {
    ["lines", "days"]
        .into_iter()
        .filter_map(|list| answer[list].as_array())
        .flatten()
        .filter_map(|line| line["day"].as_str().or(line["bucket"].as_str())?.parse().ok())
        .collect()
}

/// How complete the days of an answer are: those that were asked for, else those that it has. Blocks.
fn completeness(ask: &Ask, given: &Given, answer: &Value) -> Result<Value, String> {
    let counted = |from, to| -> Result<Value, String> {
        let query = MentionsQuery { brand: given.brand.clone(), from, to, by: By::Day };
        Ok(values(ask, Question::Mentions(query))?.pop().unwrap_or_default())
    };
    let has = match given.by {
        By::Day | By::Week => days_of(answer),
        // Lines of outlets and the like name no days.
        _ => days_of(&counted(given.from, given.to)?),
    };
    let (first, until) = given.by.whole(given.from, given.to);
    let from = first.or(has.iter().min().copied());
    // The last week goes on behind its Monday.
    let last = has.iter().max().filter(|_| given.by != By::Week);
    let to = until.or(last.copied());
    let after = to.map(|to| to.saturating_add(jiff::Span::new().days(1)));
    let query = CoverageQuery { from, to: after, outlet: given.outlet.clone(), limit: 0 };
    let covered = values(ask, Question::Coverage(query))?.pop().unwrap_or_default();
    let covered: Coverage = serde_json::from_value(covered)
        .map_err(|why| format!("how complete the days are cannot be read: {why}"))?;
    let polled = Polled::on(&covered.days);
    // Of days to come, only those that have a line already.
    let end = has.iter().max().map_or(covered.today, |last| covered.today.max(*last));
    let end = to.map_or(end, |to| to.min(end));
    let asked = || covered.days.iter().filter(|day| day.day <= end);
    let mut truncated = false;
    // The latest, as in the lists.
    let mut named = |which: fn(&DayCoverage) -> bool| -> Vec<Day> {
        let mut days: Vec<Day> = asked().filter(|day| which(day)).map(|day| day.day).collect();
        truncated |= days.len() > MOST;
        days.drain(..days.len().saturating_sub(MOST));
        days
    };
    let mut complete = json!({
        "from": from,
        "to": to.map(|_| end),
        "polls_due": polled.due,
        "polls_succeeded": polled.succeeded,
        "coverage": polled.share(),
        "provisional": named(|day| day.provisional),
        "incomplete": named(|day| is_incomplete(day.coverage)),
        "unpolled": named(|day| day.coverage.is_none()),
    });
    complete["truncated"] = truncated.into();
    // The sums of days know nothing of outlets and languages.
    if given.outlet.is_none() && given.language.is_none() {
        let counted = counted(from, to)?;
        let lines = counted["lines"].as_array().into_iter().flatten();
        let off = lines.filter_map(|line| line["suppressed"].as_u64()).sum::<u64>();
        complete["mentions_not_counted"] = off.into();
    }
    Ok(complete)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::query::Emit;
    use crate::serve::mcp::questions::QUESTIONS;

    #[test]
    fn of_a_long_list_what_matters_most_is_left_in_its_order() {
        let list = |n: usize| (0..n).map(|n| json!({ "mentions": n % 1_000 })).collect::<Vec<_>>();
        let rank = |line: &Value| line["mentions"].as_i64();
        assert_eq!(most(list(MOST), rank), (list(MOST), false));
        let (left, truncated) = most(list(2 * MOST), rank);
        assert_eq!((left, truncated), (list(2 * MOST).split_off(MOST), true));
    }

    /// The list of such an answer was told as null.
    #[test]
    fn an_answer_without_its_list_is_none() {
        let ask: Ask = Arc::new(|_, emit: Emit<'_>| {
            let _ = emit(json!({ "lines": "none", "days": {} }));
            Ok(())
        });
        let listed = QUESTIONS.iter().filter(|asked| matches!(asked.form, Form::Within(_)));
        for asked in listed {
            let takes = asked.takes.iter().any(|field| matches!(field, Field::Query));
            let query = takes.then(|| ("query".to_owned(), json!("acme")));
            let told = asked.answer(&ask, query.into_iter().collect()).unwrap_err();
            assert!(told.contains("has no list"), "{told}");
        }
    }

    /// Of a day some brands were left out, as if nobody had named them.
    #[test]
    fn days_are_told_whole() {
        let line =
            |brand: usize, day: usize| json!({ "brand": brand, "bucket": format!("{day:03}") });
        let lines: Vec<Value> =
            (0..7).flat_map(|brand| (0..100).map(move |day| line(brand, day))).collect();
        let (left, truncated) = latest(lines.clone());
        let expect = lines.iter().filter(|line| line["bucket"].as_str() >= Some("029"));
        assert_eq!((left, truncated), (expect.cloned().collect::<Vec<_>>(), true));
        let few = lines[..100].to_vec();
        assert_eq!(latest(few.clone()), (few, false));
        let one: Vec<Value> = (0..MOST + 1).map(|day| line(0, day)).collect();
        assert_eq!(latest(one.clone()), (one[1..].to_vec(), true));
    }
}

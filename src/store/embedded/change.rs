//! Decisions in the main database: the log, the latest first, entries that stay for good apart from
//! those that leave; and each change in one commit with its entry.
//!
//! Must not know: who decides, what a change means.

use super::decisions::Line;
use super::format::decode;
use super::format::json;
use super::format::keys::{self, Parts, key, said};
use super::notes;
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::{Alert, Note, Token};
use crate::store::decision::{Change, Decision, Topic};
use crate::store::embedded::kv::Overlay;
use crate::store::rules::decisions::{DecisionRows, KEPT, change, keep};
use crate::store::{Control, Each, OutletRule, Result, history};

/// Where an entry stands: those of topics that last come first, in each part the latest.
fn entry_key(topic: Topic, number: u64) -> Vec<u8> {
    key(keys::DECISION).byte(u8::from(!topic.lasts())).number(!number).done()
}

/// Number of an entry, from 1.
fn number(at: &[u8]) -> Option<u64> {
    said(at, 1, |parts| parts.byte().and(parts.number()).map(|number| !number))
}

impl Overlay<'_> {
    /// Entries with their numbers, the latest first, until `each` returns false.
    pub fn decisions(
        &self,
        topic: Option<Topic>,
        each: &mut dyn FnMut(u64, Decision) -> bool,
    ) -> Result<()> {
        let part = |leaves: u8| {
            let rows = self.prefix::<Decision>(&key(keys::DECISION).byte(leaves).done());
            let numbered = rows.map(|row| -> Result<(u64, Decision)> {
                let (at, decision) = row?;
                Ok((number(&at).ok_or_else(|| self.bad_key(&at))?, decision))
            });
            numbered.peekable()
        };
        let (mut lasting, mut leaving) = (part(0), part(1));
        let wanted = |lasts: bool| topic.is_none_or(|topic| topic.lasts() == lasts);
        loop {
            let of = |next: Option<&Result<(u64, Decision)>>| match next {
                // An error comes first.
                Some(Err(_)) => Some(u64::MAX),
                Some(Ok((number, _))) => Some(*number),
                None => None,
            };
            let first = if wanted(true) { of(lasting.peek()) } else { None };
            let second = if wanted(false) { of(leaving.peek()) } else { None };
            let next = if first >= second { lasting.next() } else { leaving.next() };
            let Some(_) = first.max(second) else { return Ok(()) };
            let Some((number, decision)) = next.transpose()? else { return Ok(()) };
            if topic.is_none_or(|topic| topic == decision.topic) && !each(number, decision) {
                return Ok(());
            }
        }
    }

    /// Number of the last entry; 0: there is none.
    fn last_decision(&self) -> Result<u64> {
        let mut last = 0;
        for leaves in [0, 1] {
            let from = key(keys::DECISION).byte(leaves);
            let to = [keys::DECISION, leaves + 1];
            if let Some(row) = self.scan_raw(&from.done(), &to).next() {
                last = last.max(number(&row?.0).unwrap_or(0));
            }
        }
        Ok(last)
    }
}

impl DecisionRows for Tx<'_> {
    fn put_decision(&mut self, decision: &Decision) -> Result<()> {
        let number = self.o.last_decision()? + 1;
        self.o.put(entry_key(decision.topic, number), decision)?;
        self.decisions.push(Line::Decided(Box::new(decision.clone())));
        if let Some(leaves) = number.checked_sub(KEPT) {
            let from = key(keys::DECISION).byte(1).number(!leaves).done();
            self.o.drop_rows(&from, &[keys::DECISION, 2], usize::MAX)?;
        }
        Ok(())
    }

    fn put_token(&mut self, token: &Token) -> Result<()> {
        self.o.put(key(keys::TOKEN).text(&token.id).done(), token)
    }

    fn alert(&mut self, name: &str) -> Result<Option<Alert>> {
        self.o.alert(name)
    }

    fn alerts(&mut self) -> Result<Vec<Alert>> {
        self.o.alerts()
    }

    fn put_alert(&mut self, alert: &Alert) -> Result<()> {
        let before = self.o.alert(&alert.rule.name)?;
        if before.is_none_or(|before| before.rule != alert.rule) {
            self.decisions.push(Line::Alert(Box::new(alert.rule.clone())));
        }
        self.o.put(key(keys::ALERT).text(&alert.rule.name).done(), &json::written(alert)?)
    }

    fn drop_alert(&mut self, name: &str) -> Result<()> {
        self.decisions.push(Line::AlertRemoved(name.to_owned()));
        self.o.del(key(keys::ALERT).text(name).done());
        Ok(())
    }

    fn put_note(&mut self, note: &Note) -> Result<bool> {
        let at = notes::at(&note.id);
        if self.o.has(&at)? {
            return Ok(false);
        }
        self.decisions.push(Line::Note(Box::new(note.clone())));
        self.o.put(at, &json::written(note)?)?;
        Ok(true)
    }

    fn drop_note(&mut self, id: &str) -> Result<bool> {
        let at = notes::at(id);
        let known = self.o.has(&at)?;
        if known {
            self.decisions.push(Line::NoteRemoved(id.to_owned()));
            self.o.del(at);
        }
        Ok(known)
    }
}

impl Control for Embedded {
    fn outlet_rule(&self, outlet: &str) -> Result<OutletRule> {
        self.view().rule(outlet)
    }

    fn outlet_rules(&self) -> Result<Vec<(String, OutletRule)>> {
        let view = self.view();
        view.prefix(&[keys::RULE])
            .map(|row| {
                let (at, rule) = row?;
                Ok((view.part(&at, 1, Parts::text)?, rule))
            })
            .collect()
    }

    fn alerts(&self) -> Result<Vec<Alert>> {
        self.view().alerts()
    }

    fn alert(&self, name: &str) -> Result<Option<Alert>> {
        self.view().alert(name)
    }

    fn keep_alert(&self, alert: &Alert) -> Result<bool> {
        self.write(COMMIT, true, |tx| keep(tx, alert))
    }

    fn notes(&self) -> Result<Vec<Note>> {
        self.view().notes()
    }

    fn change(&self, what: Change<'_>, decision: Option<&Decision>) -> Result<usize> {
        match what {
            Change::Forget { entries, rest } => self.forget_entries(entries, rest, decision),
            Change::BrandSet { set, previous } => {
                self.finish_recount(set, previous, decision).map(|()| 0)
            }
            what => self.write(COMMIT, true, |tx| change(tx, &what, decision)),
        }
    }

    fn decisions(&self, topic: Option<Topic>, each: Each<Decision>) -> Result<()> {
        self.view().decisions(topic, &mut |_, decision| each(decision))
    }
}

impl Embedded {
    /// Takes the histories of an older version into the log.
    pub fn take_history(&self) -> Result<()> {
        self.write(COMMIT, true, |tx| {
            for name in history::VALUES {
                let at = key(keys::META).text(name).done();
                let Some(value) = tx.o.get_bytes(&at)? else { continue };
                for decision in history::told_by(name, &value, &tx.version)?.unwrap_or_default() {
                    tx.put_decision(&decision)?;
                }
                tx.o.del(at);
            }
            Ok(())
        })
    }
}

/// An entry as it lies in a database that may be damaged.
pub fn read_entry(at: &[u8], value: &[u8]) -> Option<(u64, Decision)> {
    Some((number(at)?, decode(at, value).ok()?))
}

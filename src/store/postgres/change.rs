//! Decisions: the log in a table of its own, and each change in one transaction with its entry.
//!
//! Must not know: who decides, what a change means.

use super::Postgres;
use super::connect::{get, record};
use super::tx::Tx;
use super::types::{Record, number};
use crate::model::{Alert, Note, Token};
use crate::store::decision::{Change, Decision, Topic};
use crate::store::rules::decisions::{DecisionRows, KEPT, change, keep};
use crate::store::rules::recount::began_from;
use crate::store::{Control, Each, OutletRule, Result};

const ALERTS: &str = "SELECT record FROM crawler_data.alerts ORDER BY name";
/// The alert of the name `$1`.
const ALERT: &str = "SELECT record FROM crawler_data.alerts WHERE name = $1";

impl Control for Postgres {
    fn outlet_rule(&self, outlet: &str) -> Result<OutletRule> {
        let sql = "SELECT record FROM crawler_data.rules WHERE outlet = $1";
        Ok(self.one(sql, &[&outlet])?.unwrap_or_default())
    }

    fn outlet_rules(&self) -> Result<Vec<(String, OutletRule)>> {
        let sql = "SELECT outlet, record FROM crawler_data.rules ORDER BY outlet";
        let rows = self.pool.call(|conn| conn.rows(sql, &[]))?;
        rows.iter().map(|row| Ok((get(row, 0)?, record(row, 1)?))).collect()
    }

    fn alerts(&self) -> Result<Vec<Alert>> {
        self.all(ALERTS, &[])
    }

    fn alert(&self, name: &str) -> Result<Option<Alert>> {
        self.one(ALERT, &[&name])
    }

    fn keep_alert(&self, alert: &Alert) -> Result<bool> {
        self.write(|tx| keep(tx, alert))
    }

    fn notes(&self) -> Result<Vec<Note>> {
        self.all("SELECT record FROM crawler_data.notes ORDER BY id", &[])
    }

    fn change(&self, what: Change<'_>, decision: Option<&Decision>) -> Result<usize> {
        self.write(|tx| {
            if let Change::BrandSet { set, previous } = what {
                began_from(previous, &tx.version, set)?;
                tx.flip(set)?;
            }
            change(tx, &what, decision)
        })
    }

    fn decisions(&self, topic: Option<Topic>, each: Each<Decision>) -> Result<()> {
        let sql = "SELECT record FROM crawler_data.decisions \
                   WHERE $1::text IS NULL OR topic = $1 ORDER BY number DESC";
        let topic = topic.map(Topic::name);
        self.stream(sql, &[&topic], &mut |row| Ok(each(record(row, 0)?)))
    }
}

impl DecisionRows for Tx<'_> {
    /// Once, even if the transaction is repeated after it was committed.
    fn put_decision(&mut self, decision: &Decision) -> Result<()> {
        let topic = decision.topic.name();
        let sql = "INSERT INTO crawler_data.decisions (at, topic, record) SELECT $1::bigint, $2::text, $3::json \
                   WHERE NOT EXISTS (SELECT FROM crawler_data.decisions \
                   WHERE number > (SELECT coalesce(max(number), 0) - 100 FROM crawler_data.decisions) \
                   AND at = $1 AND topic = $2 AND record::text = $3::json::text)";
        self.conn.run(sql, &[&decision.at, &topic, &Record(decision)])?;
        let sql = "DELETE FROM crawler_data.decisions WHERE topic NOT IN ('brands', 'model') \
                   AND number <= (SELECT max(number) FROM crawler_data.decisions) - $1";
        self.conn.run(sql, &[&number(KEPT)]).map(drop)
    }

    fn put_token(&mut self, token: &Token) -> Result<()> {
        super::tokens::put(&mut self.conn, token)
    }

    fn alert(&mut self, name: &str) -> Result<Option<Alert>> {
        self.conn.record(ALERT, &[&name])
    }

    fn alerts(&mut self) -> Result<Vec<Alert>> {
        self.conn.records(ALERTS, &[])
    }

    fn put_alert(&mut self, alert: &Alert) -> Result<()> {
        let sql = "INSERT INTO crawler_data.alerts (name, record) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET record = excluded.record";
        self.conn.run(sql, &[&alert.rule.name, &Record(alert)]).map(drop)
    }

    fn drop_alert(&mut self, name: &str) -> Result<()> {
        let sql = "DELETE FROM crawler_data.alerts WHERE name = $1";
        self.conn.run(sql, &[&name]).map(drop)
    }

    fn put_note(&mut self, note: &Note) -> Result<bool> {
        let sql =
            "INSERT INTO crawler_data.notes (id, record) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        Ok(self.conn.run(sql, &[&note.id, &Record(note)])? > 0)
    }

    fn drop_note(&mut self, id: &str) -> Result<bool> {
        Ok(self.conn.run("DELETE FROM crawler_data.notes WHERE id = $1", &[&id])? > 0)
    }
}

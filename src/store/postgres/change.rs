//! Decisions: the log in a table of its own, and each change in one transaction with its entry.
//!
//! Must not know: who decides, what a change means.

use super::Postgres;
use super::tx::Tx;
use super::types::{Record, number, record};
use crate::model::{Alert, Note, Token};
use crate::store::Result;
use crate::store::decision::{Change, Decision, Topic};
use crate::store::rules::decisions::{DecisionRows, KEPT, change};
use crate::store::rules::recount::began_from;

impl Postgres {
    pub fn make(&self, what: Change<'_>, decision: Option<&Decision>) -> Result<usize> {
        self.write(|tx| {
            if let Change::BrandSet { set, previous } = what {
                began_from(previous, &tx.version, set)?;
                tx.flip(set)?;
            }
            change(tx, &what, decision)
        })
    }

    pub fn read_decisions(
        &self,
        topic: Option<Topic>,
        each: &mut dyn FnMut(Decision) -> bool,
    ) -> Result<()> {
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
        super::alerts::find(&mut self.conn, name)
    }

    fn put_alert(&mut self, alert: &Alert) -> Result<()> {
        super::alerts::put(&mut self.conn, alert)
    }

    fn drop_alert(&mut self, name: &str) -> Result<()> {
        let sql = "DELETE FROM crawler_data.alerts WHERE name = $1";
        self.conn.run(sql, &[&name]).map(drop)
    }

    fn put_note(&mut self, note: &Note) -> Result<bool> {
        super::notes::put(&mut self.conn, note)
    }

    fn drop_note(&mut self, id: &str) -> Result<bool> {
        super::notes::remove(&mut self.conn, id)
    }
}

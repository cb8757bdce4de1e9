//! Alerts in a table of their own, a row for each.
//!
//! Must not know: what a rule waits for.

use super::Postgres;
use super::connect::Conn;
use super::types::{Record, record};
use crate::model::Alert;
use crate::store::Result;
use crate::store::rules::decisions::keep;

impl Postgres {
    pub fn read_alert(&self, name: &str) -> Result<Option<Alert>> {
        self.pool.call(|conn| find(conn, name))
    }

    pub fn read_alerts(&self) -> Result<Vec<Alert>> {
        let sql = "SELECT record FROM crawler_data.alerts ORDER BY name";
        self.pool.call(|conn| conn.rows(sql, &[]))?.iter().map(|row| record(row, 0)).collect()
    }

    pub fn write_alert(&self, alert: &Alert) -> Result<bool> {
        self.write(|tx| keep(tx, alert))
    }
}

/// The alert of this name.
pub fn find(conn: &mut Conn, name: &str) -> Result<Option<Alert>> {
    let sql = "SELECT record FROM crawler_data.alerts WHERE name = $1";
    conn.row(sql, &[&name])?.map(|row| record(&row, 0)).transpose()
}

/// Inserts or replaces an alert.
pub fn put(conn: &mut Conn, alert: &Alert) -> Result<()> {
    let sql = "INSERT INTO crawler_data.alerts (name, record) VALUES ($1, $2) \
               ON CONFLICT (name) DO UPDATE SET record = excluded.record";
    conn.run(sql, &[&alert.rule.name, &Record(alert)]).map(drop)
}

//! Notes in a table of their own, a row for each.
//!
//! Must not know: who reads them.

use super::Postgres;
use super::connect::Conn;
use super::types::{Record, record};
use crate::model::Note;
use crate::store::Result;

impl Postgres {
    pub fn read_notes(&self) -> Result<Vec<Note>> {
        let sql = "SELECT record FROM crawler_data.notes ORDER BY id";
        self.pool.call(|conn| conn.rows(sql, &[]))?.iter().map(|row| record(row, 0)).collect()
    }
}

/// Inserts a note; `false`: there is one of its id.
pub fn put(conn: &mut Conn, note: &Note) -> Result<bool> {
    let sql = "INSERT INTO crawler_data.notes (id, record) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    Ok(conn.run(sql, &[&note.id, &Record(note)])? > 0)
}

/// Drops the note of this id; `false`: there is none.
pub fn remove(conn: &mut Conn, id: &str) -> Result<bool> {
    Ok(conn.run("DELETE FROM crawler_data.notes WHERE id = $1", &[&id])? > 0)
}

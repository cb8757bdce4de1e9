//! The schema and its history: SQL files in the program, applied in order, each once, by one
//! process at a time. Forward only.
//!
//! Must not know: what the files say.

use super::connect::Conn;
use crate::store::{Result, StoreError};

/// Applied in this order; never changed once released.
const MIGRATIONS: [&str; 15] = [
    include_str!("../../../deploy/sql/0001_store.sql"),
    include_str!("../../../deploy/sql/0002_frontier.sql"),
    include_str!("../../../deploy/sql/0003_views.sql"),
    include_str!("../../../deploy/sql/0004_turns.sql"),
    include_str!("../../../deploy/sql/0005_printed.sql"),
    include_str!("../../../deploy/sql/0006_tokens.sql"),
    include_str!("../../../deploy/sql/0007_hosts.sql"),
    include_str!("../../../deploy/sql/0008_sightings.sql"),
    include_str!("../../../deploy/sql/0009_brought.sql"),
    include_str!("../../../deploy/sql/0010_decisions.sql"),
    include_str!("../../../deploy/sql/0011_suspects.sql"),
    include_str!("../../../deploy/sql/0012_alerts.sql"),
    include_str!("../../../deploy/sql/0013_patterns.sql"),
    include_str!("../../../deploy/sql/0014_bytes.sql"),
    include_str!("../../../deploy/sql/0015_notes.sql"),
];

/// Version of the schema that this crawler writes.
pub const VERSION: i32 = MIGRATIONS.len() as i32;

/// Brings the schema to [`VERSION`]; returns the version found. A schema that is there already costs
/// one look, and needs no right to write.
///
/// # Errors
/// [`StoreError::Newer`] if a newer crawler has been here.
pub fn migrate(conn: &mut Conn, place: &str) -> Result<i32> {
    let found = version(conn)?;
    if found == VERSION {
        return Ok(found);
    }
    if found > VERSION {
        return Err(newer(place, found));
    }
    conn.batch("BEGIN; SELECT pg_advisory_xact_lock(7297, 2)")?;
    // Somebody else may have done it while we waited.
    let found = version(conn)?;
    if found > VERSION {
        conn.batch("ROLLBACK")?;
        return Err(newer(place, found));
    }
    for migration in &MIGRATIONS[usize::try_from(found).unwrap_or(0)..] {
        conn.batch(migration)?;
    }
    if found == 0 {
        conn.batch("CREATE TABLE crawler_data.schema (version integer NOT NULL, at timestamptz NOT NULL DEFAULT now())")?;
    }
    for version in found + 1..=VERSION {
        conn.run("INSERT INTO crawler_data.schema (version) VALUES ($1)", &[&version])?;
    }
    conn.batch("COMMIT")?;
    Ok(found)
}

/// 0: nothing is there.
fn version(conn: &mut Conn) -> Result<i32> {
    let there = conn.value("SELECT to_regclass('crawler_data.schema') IS NOT NULL", &[])?;
    if there != Some(true) {
        return Ok(0);
    }
    let found = conn.value("SELECT coalesce(max(version), 0) FROM crawler_data.schema", &[])?;
    Ok(found.unwrap_or(0))
}

fn newer(place: &str, found: i32) -> StoreError {
    let number = |n| u32::try_from(n).unwrap_or(0);
    StoreError::Newer { path: place.to_owned(), found: number(found), known: number(VERSION) }
}

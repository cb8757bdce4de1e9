//! A lease by its name, and the pace that is stored under it.
//!
//! Must not know: transactions, queues.

use super::connect::Conn;
use super::types::{Record, number};
use crate::model::*;
use crate::store::Result;

/// Pace key, owner and epoch of a lease.
pub type LeaseName = (String, String, u64);

pub fn lease_name(lease: &Lease) -> LeaseName {
    (lease.pace_key.clone(), lease.owner.clone(), lease.epoch)
}

/// Stores the pace under a lease, and gives it back if that is `done`. `false` = fenced.
pub fn set_pace(conn: &mut Conn, lease: &LeaseName, pace: &Pace, done: bool) -> Result<bool> {
    let (pace_key, owner, epoch) = lease;
    let set = conn.value(
        "SELECT crawler_data.set_pace($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        &[
            pace_key,
            owner,
            &number(*epoch),
            &done,
            &pace.next_at,
            &pace.delay,
            &pace.blocked_until,
            &pace.response_ms,
            &pace.failures,
            &Record(&pace.hosts),
        ],
    )?;
    Ok(set == Some(true))
}

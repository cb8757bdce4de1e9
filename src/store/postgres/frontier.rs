//! Leases, pace keys and queues. Leases need no commit lock: the database gives each worker other
//! rows. What has to happen at once stands in `deploy/sql/0002_frontier.sql`.
//!
//! Must not know: what a poll or a page brought.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use jiff::Timestamp;
use postgres::Row;

use super::Postgres;
use super::connect::{Conn, get};
use super::lease::{lease_name, set_pace};
use super::tx::Tx;
use super::types::{count, number, pace, plain};
use crate::model::*;
use crate::store::rules::entries::{LAST_PRIORITY, LAST_URGENT};
use crate::store::{Claim, Due, Leases, Result, StoreError};

/// A machine whose clock differs by more from the database's gets no leases, milliseconds. Two that
/// get some differ by twice as much at most: a pace key that changes hands waits that much longer,
/// one that goes back to its last owner does not.
const MOST_OFF: Millis = 250;

/// How long a machine whose clock is off waits for its answer.
const OFF_PAUSE: Duration = Duration::from_millis(250);

/// The tasks' kinds as numbers.
pub fn kind(kind: TaskKind) -> i16 {
    match kind {
        TaskKind::Poll => 0,
        TaskKind::Fetch => 1,
    }
}

fn lease(row: &Row) -> Result<Lease> {
    let owner: Option<String> = get(row, 8)?;
    let until: Option<Millis> = get(row, 9)?;
    Ok(Lease {
        pace_key: get(row, 0)?,
        owner: owner.unwrap_or_default(),
        epoch: count(get(row, 10)?),
        until: until.unwrap_or(0),
        pace: pace(row)?,
        tasks: Vec::new(),
        suspects: Vec::new(),
    })
}

fn task(row: &Row) -> Result<Task> {
    Ok(Task {
        kind: if get::<i16>(row, 0)? == kind(TaskKind::Poll) {
            TaskKind::Poll
        } else {
            TaskKind::Fetch
        },
        key: get(row, 1)?,
        url: get(row, 5)?,
        due: get(row, 4)?,
        attempts: u32::try_from(get::<i64>(row, 6)?).unwrap_or(u32::MAX),
    })
}

/// What time the database says it is.
pub fn database_clock(conn: &mut Conn) -> Result<Option<Millis>> {
    conn.value("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", &[])
}

/// Adds the due tasks to leases that were just given.
fn drain(conn: &mut Conn, claim: &Claim, leases: &mut [Lease]) -> Result<()> {
    if leases.is_empty() || claim.drain == 0 {
        return Ok(());
    }
    let keys: Vec<&str> = leases.iter().map(|lease| lease.pace_key.as_str()).collect();
    let most = i64::try_from(claim.drain).unwrap_or(i64::MAX);
    let sql = "SELECT d.*, s.ends FROM crawler_data.drain($1, $2, $3) AS d \
               LEFT JOIN crawler_data.suspects AS s ON s.kind = d.kind AND s.key = d.key \
               ORDER BY d.pace_key, d.priority, d.due, d.key";
    for row in conn.rows(sql, &[&keys, &claim.now, &most])? {
        let name: String = get(&row, 2)?;
        if let Some(lease) = leases.iter_mut().find(|lease| lease.pace_key == name) {
            let task = task(&row)?;
            let ends: Option<i64> = get(&row, 7)?;
            lease.suspects.extend(ends.map(|ends| Suspect {
                kind: task.kind,
                key: task.key,
                ends: u32::try_from(ends).unwrap_or(u32::MAX),
            }));
            lease.tasks.push(task);
        }
    }
    Ok(())
}

/// See [`Leases::precedence`].
pub fn precedence(
    conn: &mut Conn,
    pace_key: &str,
    task: &Task,
    since: Millis,
) -> Result<Precedence> {
    let sql = "SELECT asked.priority, (SELECT min(first.due) FROM generate_series(0, $4) AS urgent, \
               LATERAL (SELECT due FROM crawler_data.tasks WHERE pace_key = $3 AND \
                        priority = urgent AND due >= $5 ORDER BY due LIMIT 1) AS first) \
               FROM crawler_data.tasks AS asked \
               WHERE asked.kind = $1 AND asked.key = $2 AND asked.priority > $4";
    let last = i32::from(LAST_URGENT);
    let Some(row) = conn.row(sql, &[&kind(task.kind), &task.key, &pace_key, &last, &since])? else {
        return Ok(Precedence::default());
    };
    let foreign = get::<i16>(&row, 0)? == i16::from(LAST_PRIORITY);
    Ok(Precedence { urgent: get(&row, 1)?, foreign })
}

impl Leases for Postgres {
    fn claim(&self, claim: &Claim) -> Result<Vec<Lease>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&claim.owner);
        // Should the answer be lost with the connection, the leases end by themselves.
        let mut first = true;
        self.pool.call(|conn| {
            if std::mem::take(&mut first) && !self.on_time(conn, claim.now)? {
                // Asked again at once, the clock would be no better.
                std::thread::sleep(OFF_PAUSE);
                return Ok(Vec::new());
            }
            let keys = i64::try_from(claim.keys).unwrap_or(i64::MAX);
            let rows = conn.rows(
                "SELECT * FROM crawler_data.claim($1, $2, $3, $4, $5, $6)",
                &[
                    &claim.owner,
                    &claim.now,
                    &claim.until,
                    &keys,
                    &self.unknown_delay,
                    &self.margin(),
                ],
            )?;
            let mut leases = rows.iter().map(lease).collect::<Result<Vec<_>>>()?;
            drain(conn, claim, &mut leases)?;
            Ok(leases)
        })
    }

    fn claim_key(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.pool.call(|conn| {
            if !self.on_time(conn, claim.now)? {
                return Ok(None);
            }
            let sweep = "SELECT crawler_data.sweep($1, $2, $3)::text";
            conn.row(sweep, &[&claim.now, &self.unknown_delay, &self.margin()])?;
            let row = conn.row(
                "SELECT * FROM crawler_data.claim_key($1, $2, $3, $4, $5)",
                &[&pace_key, &claim.owner, &claim.now, &claim.until, &self.margin()],
            )?;
            let Some(row) = row else { return Ok(None) };
            let mut leases = [lease(&row)?];
            drain(conn, claim, &mut leases)?;
            let [lease] = leases;
            Ok(Some(lease))
        })
    }

    /// One pace key that nobody holds, whatever its pace says. Whoever gives it back is its last owner,
    /// who need not wait for another's clock: where that was somebody else, the margin is added to
    /// the delay here.
    fn claim_for_commit(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.pool.call(|conn| {
            if !self.on_time(conn, claim.now)? {
                return Ok(None);
            }
            let sweep = "SELECT crawler_data.sweep($1, $2, $3)::text";
            conn.row(sweep, &[&claim.now, &self.unknown_delay, &self.margin()])?;
            let insert = "INSERT INTO crawler_data.pace (pace_key) VALUES ($1) ON CONFLICT DO NOTHING";
            conn.run(insert, &[&pace_key])?;
            let row = conn.row(
                "UPDATE crawler_data.pace AS p SET epoch = p.epoch + 1, owner = $2, lease_until = $4, \
                 next_at = CASE WHEN p.last_owner = $2 OR p.next_at + $5 <= $3 THEN p.next_at \
                 ELSE p.next_at + $5 END, due = crawler_data.place(p.pace_key, CASE WHEN \
                 p.last_owner = $2 OR p.next_at + $5 <= $3 THEN p.next_at ELSE p.next_at + $5 END, \
                 p.blocked_until, $4) WHERE p.pace_key = $1 AND p.lease_until IS NULL RETURNING p.*",
                &[&pace_key, &claim.owner, &claim.now, &claim.until, &self.margin()],
            )?;
            row.map(|row| lease(&row)).transpose()
        })
    }

    fn extend(&self, lease: &Lease, until: Millis) -> Result<bool> {
        let sql = "SELECT crawler_data.extend($1, $2, $3, $4)";
        self.pool.call(|conn| {
            let held =
                conn.value(sql, &[&lease.pace_key, &lease.owner, &number(lease.epoch), &until])?;
            Ok(held == Some(true))
        })
    }

    /// Gives a lease back; `false` = fenced.
    fn complete(&self, lease: &Lease, pace: &Pace) -> Result<bool> {
        self.pool.call(|conn| set_pace(conn, &lease_name(lease), pace, true))
    }

    fn suspect_alone(&self, suspect: &Suspect) -> Result<()> {
        let sql = "UPDATE crawler_data.suspects SET alone = true WHERE kind = $1 AND key = $2";
        self.pool.call(|conn| conn.run(sql, &[&kind(suspect.kind), &suspect.key]).map(drop))
    }

    /// Others count it as soon as the lease has ended. Who has the task by then may have noted that it is alone.
    fn suspect_survived(&self, suspect: &Suspect) -> Result<()> {
        let sql = "UPDATE crawler_data.suspects SET alone = alone AND ends > $3, ends = least(ends, $3) \
                   WHERE kind = $1 AND key = $2";
        let ends = i64::from(suspect.ends);
        self.pool.call(|conn| conn.run(sql, &[&kind(suspect.kind), &suspect.key, &ends]).map(drop))
    }

    fn clear_suspect(&self, suspect: &Suspect) -> Result<()> {
        let sql = "DELETE FROM crawler_data.suspects WHERE kind = $1 AND key = $2";
        self.pool.call(|conn| conn.run(sql, &[&kind(suspect.kind), &suspect.key]).map(drop))
    }

    fn due(&self) -> Result<Due> {
        let holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let row = self.pool.call(|conn| {
            conn.row(
                "SELECT CASE WHEN $2::bigint = 0 THEN (SELECT min(due) FROM crawler_data.pace) \
                 ELSE crawler_data.next_due($1, $2) END, pending, \
                 (SELECT count(*) FROM crawler_data.pace WHERE lease_until IS NOT NULL) \
                 FROM crawler_data.state",
                &[&holder, &self.margin()],
            )
        })?;
        let Some(row) = row else { return Ok(Due { next: None, pending: 0, leased: 0 }) };
        let [pending, leased] = [get(&row, 1)?, get(&row, 2)?].map(count);
        Ok(Due { next: get(&row, 0)?, pending, leased })
    }

    fn pace(&self, pace_key: &str) -> Result<Option<Pace>> {
        let sql = "SELECT * FROM crawler_data.pace WHERE pace_key = $1";
        let row = self.pool.call(|conn| conn.row(sql, &[&pace_key]))?;
        row.map(|row| pace(&row)).transpose()
    }

    fn precedence(&self, pace_key: &str, task: &Task, since: Millis) -> Result<Precedence> {
        self.pool.call(|conn| precedence(conn, pace_key, task, since))
    }

    fn robots(&self, origin: &str) -> Result<Option<RobotsRecord>> {
        self.one("SELECT record FROM crawler_data.robots WHERE origin = $1", &[&origin])
    }

    fn listen(&self, wake: Box<dyn Fn() + Send>) -> Result<bool> {
        let heard = super::listen::listen(&self.pool, wake);
        let what = || "cannot start a thread".to_owned();
        heard.map(|()| true).map_err(|source| StoreError::Io { what: what(), source })
    }
}

impl Postgres {
    /// Is this machine's clock the database's, as nearly as can be told?
    fn on_time(&self, conn: &mut Conn, now: Millis) -> Result<bool> {
        if !self.checks_clock {
            return Ok(true);
        }
        let asked = Timestamp::now().as_millisecond();
        let theirs = database_clock(conn)?.unwrap_or(now);
        let answered = Timestamp::now().as_millisecond();
        let right = (now - theirs).abs() <= MOST_OFF;
        // What was held up since `now` comes late; the clock may be right all the same.
        let held_up = now < asked && (asked - MOST_OFF..=answered + MOST_OFF).contains(&theirs);
        if !held_up && self.was_right.swap(right, Relaxed) && !right {
            let off = (now - theirs).abs();
            let side = if now > theirs { "ahead of" } else { "behind" };
            tracing::warn!(
                "this machine's clock is {off} ms {side} the database's: it gets no leases while \
                 they differ by more than {MOST_OFF} ms"
            );
        }
        Ok(right)
    }

    fn margin(&self) -> Millis {
        if self.checks_clock { 2 * MOST_OFF } else { 0 }
    }
}

impl Tx<'_> {
    /// Puts a task into its queue, or moves it there.
    pub fn enqueue(&mut self, pace_key: &str, priority: u8, task: &Task) -> Result<()> {
        self.touched.insert(pace_key.to_owned());
        self.conn.run(
            "INSERT INTO crawler_data.tasks (kind, key, pace_key, priority, due, url, attempts) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (kind, key) DO UPDATE SET \
             pace_key = excluded.pace_key, priority = excluded.priority, due = excluded.due, \
             url = excluded.url, attempts = excluded.attempts",
            &[
                &kind(task.kind),
                &task.key,
                &pace_key,
                &i16::from(priority),
                &task.due,
                &plain(&task.url),
                &i64::from(task.attempts),
            ],
        )?;
        Ok(())
    }

    pub fn dequeue(&mut self, pace_key: &str, of: TaskKind, id: UrlKey) -> Result<()> {
        self.touched.insert(pace_key.to_owned());
        let sql = "DELETE FROM crawler_data.tasks WHERE kind = $1 AND key = $2";
        self.conn.run(sql, &[&kind(of), &id]).map(drop)
    }
}

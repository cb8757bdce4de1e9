//! One write transaction. It holds the commit lock, which every change of articles, stories, feeds
//! and entries takes and leases do not: whoever holds it sees all that was committed before, so
//! that copies are found and sums add up as in a store with one writer. Polls that bring nothing new
//! need not wait for it. Sums of ledger, tallies and counters, the log's lines and the paces are gathered
//! and written once, at the end.
//!
//! Must not know: what its calls write.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use super::Postgres;
use super::connect::{Conn, PATIENCE, Value, get, pause};
use super::lease::{LeaseName, lease_name, set_pace};
use super::listen::WORK;
use super::types::number;
use crate::model::*;
use crate::store::rules::Rows;
use crate::store::rules::changes::Changes;
use crate::store::rules::ledger::{LedgerRow, LedgerRows};
use crate::store::{LogPosition, Logged, Result, StoreError};

/// A wait that ends soon ends every deadlock as well: the same is done in its turn then.
const BESIDE: &str = "BEGIN; SET LOCAL lock_timeout = '100ms'";

/// What is in excess in a transaction that remembered pages of an outlet and day.
pub struct Excess {
    /// They are the first pages of that day.
    pub first: bool,
    /// What was printed before this day may go by age.
    pub since: Day,
}

pub struct Tx<'a> {
    pub conn: Conn,
    pub store: &'a Postgres,
    /// It holds the commit lock. Without, it may change nothing but leases, feeds, their tasks and
    /// the ledger's polls.
    in_turn: bool,
    /// Version of the current brand set.
    pub version: String,
    pub log: LogPosition,
    /// Partitions of texts before this day have been dropped.
    pub texts_from: Option<Day>,
    pub changes: Changes,
    /// Pace keys whose place in the due index may have changed.
    pub touched: BTreeSet<String>,
    /// Articles that this transaction has stored.
    pub added: BTreeSet<UrlKey>,
    /// What came and went, for the end of the log.
    pub logged: Vec<(LogPosition, Logged)>,
    /// Paces under leases, the latest of each.
    pub paces: BTreeMap<LeaseName, Pace>,
    /// Outlets and days that pages were remembered of.
    pub printed: BTreeMap<(String, Day), Excess>,
    /// Days whose partitions this transaction has made.
    pub new_days: Vec<Day>,
    /// Leases looked at: their rows are locked, so the answer stays.
    held: HashMap<LeaseName, bool>,
}

impl Postgres {
    /// Begins a transaction under the commit lock.
    pub fn begin(&self) -> Result<Tx<'_>> {
        let mut conn = self.pool.take()?;
        conn.batch("BEGIN; SELECT pg_advisory_xact_lock(7297, 1)")?;
        let row = conn
            .row("SELECT brand_set, log_number, log_sum, texts_from FROM crawler_data.state", &[])?
            .ok_or_else(|| StoreError::Corrupt {
                path: self.pool.place().to_owned(),
                detail: "its row of counters is missing".to_owned(),
            })?;
        let log_sum: i64 = get(&row, 2)?;
        let log = LogPosition {
            number: super::types::count(get(&row, 1)?),
            sum: u64::from_ne_bytes(log_sum.to_ne_bytes()),
        };
        let (version, texts_from) = (get(&row, 0)?, get(&row, 3)?);
        Ok(Tx { version, log, texts_from, in_turn: true, ..self.tx(conn) })
    }

    /// Begins a transaction beside the commit lock, for changes that no story, no counter and no
    /// tally depends on. It waits for no row that somebody else changes: it fails then.
    pub fn begin_beside(&self) -> Result<Tx<'_>> {
        let mut conn = self.pool.take()?;
        conn.batch(BESIDE)?;
        Ok(self.tx(conn))
    }

    fn tx(&self, conn: Conn) -> Tx<'_> {
        Tx {
            conn,
            store: self,
            in_turn: false,
            version: String::new(),
            log: LogPosition::default(),
            texts_from: None,
            changes: Changes::default(),
            touched: BTreeSet::new(),
            added: BTreeSet::new(),
            logged: Vec::new(),
            paces: BTreeMap::new(),
            printed: BTreeMap::new(),
            new_days: Vec::new(),
            held: HashMap::new(),
        }
    }

    /// One small mutation. It is repeated if the database goes away meanwhile and, as far as can be told, nothing
    /// was committed.
    pub fn write<R>(&self, mut change: impl FnMut(&mut Tx) -> Result<R>) -> Result<R> {
        self.pool.patiently(|| {
            let mut tx = self.begin()?;
            match change(&mut tx) {
                Ok(value) => tx.commit().map(|()| value),
                Err(error) => {
                    tx.roll_back();
                    Err(error)
                }
            }
        })
    }
}

/// Was a transaction committed whose answer was lost? Its backend may still be at it.
fn was_committed(store: &Postgres, transaction: i64) -> Result<bool> {
    let began = Instant::now();
    let mut attempt = 0;
    loop {
        let sql = "SELECT txid_status($1)";
        let status: Option<String> =
            store.pool.call(|conn| conn.value(sql, &[&transaction])).map(Option::flatten)?;
        match status.as_deref() {
            Some("in progress") if began.elapsed() < PATIENCE => pause(attempt),
            status => return Ok(status == Some("committed")),
        }
        attempt += 1;
    }
}

impl Tx<'_> {
    /// Undoes everything.
    pub fn roll_back(mut self) {
        // If that fails, the connection ends, and the server does it.
        if self.conn.batch("ROLLBACK").is_ok() {
            self.store.pool.give(self.conn);
        }
    }

    /// Writes the sums and makes it durable. If the answer is lost, the database is asked what became of it.
    pub fn commit(mut self) -> Result<()> {
        self.write_ledger()?;
        self.write_tallies()?;
        self.write_log()?;
        self.trim_printed()?;
        self.write_paces()?;
        self.reindex()?;
        let mut transaction: Option<i64> = None;
        if self.in_turn {
            let sum = i64::from_ne_bytes(self.log.sum.to_ne_bytes());
            transaction = self.conn.value(
                "UPDATE crawler_data.state SET pending = pending + $1, articles = articles + $2, \
                 log_number = $3, log_sum = $4, brand_set = $5 RETURNING txid_current()",
                &[
                    &self.changes.pending,
                    &self.changes.articles,
                    &number(self.log.number),
                    &sum,
                    &self.version,
                ],
            )?;
        }
        let done = self.conn.batch("COMMIT");
        if let Err(lost) = done {
            let unknown = transaction.filter(|_| matches!(lost, StoreError::Unavailable { .. }));
            // What cannot be found out counts as not committed.
            if !unknown.is_some_and(|id| was_committed(self.store, id).unwrap_or(false)) {
                return Err(lost);
            }
        }
        let mut days = self.store.days.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        days.extend(self.new_days.drain(..));
        drop(days);
        self.store.pool.give(self.conn);
        Ok(())
    }

    /// Puts the touched pace keys where they belong in the due index, and wakes workers that wait
    /// for work if there is some now.
    fn reindex(&mut self) -> Result<()> {
        let keys: Vec<String> = std::mem::take(&mut self.touched).into_iter().collect();
        if !keys.is_empty() {
            let sooner = self.conn.value("SELECT crawler_data.reindex($1)", &[&keys])?;
            if sooner == Some(true) {
                self.conn.run("SELECT pg_notify($1, '')", &[&WORK])?;
            }
        }
        Ok(())
    }

    fn write_ledger(&mut self) -> Result<()> {
        self.write_polls()?;
        let ledger = self.changes.take_ledger();
        let (mut days, mut outlets) = (Vec::new(), Vec::new());
        let mut sums: [Vec<i64>; 6] = Default::default();
        let mut arrivals: Vec<String> = Vec::new();
        let mut outcomes: [Vec<String>; 2] = Default::default();
        let (mut outcome_days, mut numbers, mut aged) = (Vec::new(), Vec::new(), Vec::new());
        for ((day, outlet), mut row) in ledger {
            // Each name once, with both of its numbers.
            for name in row.left.keys() {
                row.outcomes.entry(name.clone()).or_default();
            }
            for (outcome, n) in row.outcomes {
                let left = row.left.get(&outcome).copied().unwrap_or(0);
                if (n, left) != (0, 0) {
                    outcome_days.push(day);
                    outcomes[0].push(outlet.clone());
                    outcomes[1].push(outcome);
                    numbers.push(n);
                    aged.push(left);
                }
            }
            days.push(day);
            outlets.push(outlet);
            let Brought { own, foreign, bytes } = row.brought;
            let all = [row.entries, row.polls_due, row.polls_succeeded, own, foreign, bytes];
            for (sum, n) in sums.iter_mut().zip(all) {
                sum.push(n);
            }
            // Arrays of arrays are rectangles to the database: each row travels as text.
            let hours: Vec<String> = row.arrivals.iter().map(i64::to_string).collect();
            arrivals.push(format!("{{{}}}", hours.join(",")));
        }
        if !days.is_empty() {
            self.conn.run(
                "INSERT INTO crawler_data.ledger AS l (day, outlet, entries, polls_due, polls_succeeded, arrivals, \
                 brought_own, brought_foreign, brought_bytes) \
                 SELECT d, o, e, p, s, a::bigint[], b, f, y FROM \
                 unnest($1::date[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], \
                 $7::bigint[], $8::bigint[], $9::bigint[]) AS u (d, o, e, p, s, a, b, f, y) \
                 ON CONFLICT (day, outlet) DO UPDATE SET entries = l.entries + excluded.entries, \
                 polls_due = l.polls_due + excluded.polls_due, \
                 polls_succeeded = l.polls_succeeded + excluded.polls_succeeded, \
                 brought_own = l.brought_own + excluded.brought_own, \
                 brought_foreign = l.brought_foreign + excluded.brought_foreign, \
                 brought_bytes = l.brought_bytes + excluded.brought_bytes, \
                 arrivals = (SELECT array_agg(x + y ORDER BY i) FROM \
                 unnest(l.arrivals, excluded.arrivals) WITH ORDINALITY AS h (x, y, i))",
                &[
                    &days, &outlets, &sums[0], &sums[1], &sums[2], &arrivals, &sums[3], &sums[4],
                    &sums[5],
                ],
            )?;
        }
        if !numbers.is_empty() {
            self.conn.run(
                "INSERT INTO crawler_data.ledger_outcomes AS l (day, outlet, outcome, n, aged) \
                 SELECT * FROM unnest($1::date[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) \
                 ON CONFLICT (day, outlet, outcome) DO UPDATE SET n = l.n + excluded.n, \
                 aged = l.aged + excluded.aged",
                &[&outcome_days, &outcomes[0], &outcomes[1], &numbers, &aged],
            )?;
        }
        Ok(())
    }

    fn write_paces(&mut self) -> Result<()> {
        for (lease, pace) in std::mem::take(&mut self.paces) {
            set_pace(&mut self.conn, &lease, &pace, false)?;
            self.touched.insert(lease.0);
        }
        Ok(())
    }

    fn write_polls(&mut self) -> Result<()> {
        for (day, (due, succeeded)) in self.changes.polls() {
            self.conn.run(
                "INSERT INTO crawler_data.polls AS p VALUES ($1, pg_backend_pid() % 32, $2, $3) \
                 ON CONFLICT (day, part) DO UPDATE SET due = p.due + excluded.due, \
                 succeeded = p.succeeded + excluded.succeeded",
                &[&day, &due, &succeeded],
            )?;
        }
        Ok(())
    }

    fn write_tallies(&mut self) -> Result<()> {
        let tallies = self.changes.take_tallies();
        if tallies.is_empty() {
            return Ok(());
        }
        let (mut brands, mut days) = (Vec::new(), Vec::new());
        let mut sums: [Vec<i64>; 9] = Default::default();
        for ((brand, day), tally) in tallies {
            brands.push(brand);
            days.push(day);
            let Tally { articles, mentions, suppressed, stories, originals, .. } = tally;
            let Tally { backlog, own, late, late_week, .. } = tally;
            let all =
                [articles, mentions, suppressed, stories, originals, backlog, own, late, late_week];
            for (sum, n) in sums.iter_mut().zip(all) {
                sum.push(n);
            }
        }
        let mut values: Vec<Value> = vec![&self.version, &brands, &days];
        values.extend(sums.iter().map(|sum| sum as Value));
        self.conn.run(
            "INSERT INTO crawler_data.tallies AS t (version, brand, day, articles, mentions, \
             suppressed, stories, originals, backlog, own, late, late_week) \
             SELECT $1::text, * FROM unnest($2::text[], $3::date[], $4::bigint[], $5::bigint[], \
             $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], \
             $12::bigint[]) ON CONFLICT (version, brand, day) DO UPDATE SET \
             articles = t.articles + excluded.articles, mentions = t.mentions + excluded.mentions, \
             suppressed = t.suppressed + excluded.suppressed, \
             stories = t.stories + excluded.stories, originals = t.originals + excluded.originals, \
             backlog = t.backlog + excluded.backlog, own = t.own + excluded.own, \
             late = t.late + excluded.late, late_week = t.late_week + excluded.late_week",
            &values,
        )?;
        Ok(())
    }
}

impl LedgerRows for Tx<'_> {
    fn ledger(&mut self, day: Day, outlet: &str) -> Result<LedgerRow> {
        let row = self.conn.row(
            "SELECT l.entries, l.brought_own, l.brought_foreign, l.brought_bytes, (SELECT n \
             FROM crawler_data.ledger_outcomes AS o WHERE o.day = $1 AND o.outlet = $2 \
             AND o.outcome = 'pending') FROM crawler_data.ledger AS l \
             WHERE l.day = $1 AND l.outlet = $2",
            &[&day, &outlet],
        )?;
        let Some(row) = row else { return Ok(LedgerRow::default()) };
        let pending: Option<i64> = get(&row, 4)?;
        Ok(LedgerRow {
            entries: get(&row, 0)?,
            brought: Brought { own: get(&row, 1)?, foreign: get(&row, 2)?, bytes: get(&row, 3)? },
            outcomes: pending.map(|n| ("pending".to_owned(), n)).into_iter().collect(),
            ..LedgerRow::default()
        })
    }
}

impl Rows for Tx<'_> {
    fn holds(&mut self, lease: &Lease) -> Result<bool> {
        let name = lease_name(lease);
        if let Some(held) = self.held.get(&name) {
            return Ok(*held);
        }
        let found = self.conn.row(
            "SELECT 1 FROM crawler_data.pace WHERE pace_key = $1 AND owner = $2 AND epoch = $3 \
             FOR NO KEY UPDATE",
            &[&lease.pace_key, &lease.owner, &number(lease.epoch)],
        )?;
        self.held.insert(name, found.is_some());
        Ok(found.is_some())
    }

    fn changes(&mut self) -> &mut Changes {
        &mut self.changes
    }
}

//! The open batch of a committer: a transaction whose calls check their lease; and polls that need
//! none, since they bring nothing new.
//!
//! Must not know: what its calls write.

use super::Postgres;
use super::connect::get;
use super::lease::{lease_name, set_pace};
use super::tx::Tx;
use super::types::member;
use crate::model::*;
use crate::store::rules::articles::ArticleRows;
use crate::store::rules::outcomes;
use crate::store::rules::stories::StoryRows;
use crate::store::rules::transfer::OtherRows;
use crate::store::{
    Admission, Batch, EmptyPoll, LogPosition, PageCommit, PageEnd, PollCommit, Remembered, Result,
    StoreError,
};

pub struct OpenBatch<'a> {
    /// `None` once it has ended.
    pub tx: Option<Tx<'a>>,
    /// A call failed half way: nothing is to be committed.
    pub failed: bool,
}

impl<'a> OpenBatch<'a> {
    fn tx<R>(&mut self, call: impl FnOnce(&mut Tx<'a>) -> Result<R>) -> Result<R> {
        let tx = self.tx.as_mut().filter(|_| !self.failed).ok_or_else(outcomes::batch_failed)?;
        let result = call(tx);
        self.failed |= result.is_err();
        result
    }
}

impl Drop for OpenBatch<'_> {
    fn drop(&mut self) {
        if let Some(tx) = self.tx.take() {
            tx.roll_back();
        }
    }
}

impl Postgres {
    /// Commits a poll outside the commit lock, if it brings nothing new and nobody is at the same rows.
    pub fn try_empty_poll(&self, poll: &EmptyPoll) -> Result<Option<Admission>> {
        self.pool.patiently(|| {
            let mut tx = self.begin_beside()?;
            match empty_poll(&mut tx, poll) {
                Ok(Some(admission)) => match tx.commit() {
                    Err(StoreError::Busy) => Ok(None),
                    committed => committed.map(|()| Some(admission)),
                },
                Ok(None) | Err(StoreError::Busy) => {
                    tx.roll_back();
                    Ok(None)
                }
                Err(error) => {
                    tx.roll_back();
                    Err(error)
                }
            }
        })
    }
}

/// `None`: it has to wait for its turn.
fn empty_poll(tx: &mut Tx, empty: &EmptyPoll) -> Result<Option<Admission>> {
    let EmptyPoll { lease, task, poll, pace, robots, spent } = empty;
    if !tx.nothing_new(poll)? {
        return Ok(None);
    }
    let admission = outcomes::admit(tx, lease, task)?;
    if admission == Admission::Admitted {
        outcomes::poll(tx, lease, (*poll).clone())?;
    }
    if admission != Admission::Fenced {
        for record in *robots {
            tx.put_robots(record)?;
        }
        if let Some(spent) = spent.filter(|_| admission == Admission::Admitted) {
            outcomes::spent(tx, spent);
        }
        tx.touched.insert(lease.pace_key.clone());
        set_pace(&mut tx.conn, &lease_name(lease), pace, false)?;
    }
    Ok(Some(admission))
}

impl Batch for OpenBatch<'_> {
    fn admit(&mut self, lease: &Lease, task: &Task) -> Result<Admission> {
        self.tx(|tx| outcomes::admit(tx, lease, task))
    }
    fn poll(&mut self, lease: &Lease, poll: PollCommit) -> Result<u64> {
        self.tx(|tx| outcomes::poll(tx, lease, poll))
    }
    fn page(&mut self, lease: &Lease, page: PageCommit) -> Result<Option<PageEnd>> {
        self.tx(|tx| outcomes::page(tx, lease, page))
    }
    fn listed(&mut self) -> Result<Vec<UrlKey>> {
        self.tx(|tx| Ok(std::mem::take(&mut tx.changes.listed)))
    }
    fn remember(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()> {
        self.tx(|tx| tx.remember(record, printed))
    }
    fn put_off(&mut self, task: &Task, until: Millis) -> Result<()> {
        self.tx(|tx| outcomes::put_off(tx, task, until))
    }
    fn pace(&mut self, lease: &Lease, pace: &Pace) -> Result<()> {
        self.tx(|tx| {
            tx.paces.insert(lease_name(lease), pace.clone());
            Ok(())
        })
    }
    fn robots(&mut self, record: &RobotsRecord) -> Result<()> {
        self.tx(|tx| tx.put_robots(record))
    }
    fn spent(&mut self, spent: &Spent) -> Result<()> {
        self.tx(|tx| {
            outcomes::spent(tx, spent);
            Ok(())
        })
    }
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>> {
        self.tx(|tx| {
            let sql = "SELECT * FROM crawler_data.members WHERE article = $1";
            tx.conn.row(sql, &[&article])?.map(|row| member(&row)).transpose()
        })
    }
    fn of_outlet(&mut self, articles: &[UrlKey], outlet: &str) -> Result<u64> {
        self.tx(|tx| {
            let sql = "SELECT count(*) FROM crawler_data.members WHERE article = ANY ($1) AND outlet = $2";
            let row = tx.conn.row(sql, &[&articles, &outlet])?;
            row.map_or(Ok(0), |row| get::<i64>(&row, 0)).map(i64::unsigned_abs)
        })
    }
    fn story_head(&mut self, id: UrlKey) -> Result<Option<StoryHead>> {
        self.tx(|tx| tx.story_head(id))
    }
    fn url(&mut self, key: UrlKey) -> Result<Option<UrlRecord>> {
        self.tx(|tx| tx.conn.record(super::read::URL_OR_ALIAS, &[&key]))
    }
    fn brand_set(&mut self) -> Result<String> {
        self.tx(|tx| Ok(tx.version.clone()))
    }
    fn log_end(&mut self) -> Result<LogPosition> {
        self.tx(|tx| Ok(tx.log))
    }
    fn commit(mut self: Box<Self>) -> Result<()> {
        match self.tx.take() {
            Some(tx) if self.failed => {
                tx.roll_back();
                Err(outcomes::batch_failed())
            }
            Some(tx) => tx.commit(),
            None => Err(outcomes::batch_failed()),
        }
    }
}

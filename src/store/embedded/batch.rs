//! The one open write transaction.
//!
//! Must not know: what its calls write.

use std::sync::MutexGuard;

use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::rules::articles::ArticleRows;
use crate::store::rules::outcomes;
use crate::store::rules::transfer::OtherRows;
use crate::store::{
    Admission, Batch, LogPosition, PageCommit, PageEnd, PollCommit, Remembered, Result,
};

/// Holds the writer's lock.
pub struct OpenBatch<'a> {
    pub store: &'a Embedded,
    pub tx: Tx<'a>,
    /// A call failed half way: what the overlay holds is not to be committed.
    pub failed: bool,
    pub _writer: MutexGuard<'a, ()>,
}

impl OpenBatch<'_> {
    fn note<R>(&mut self, result: Result<R>) -> Result<R> {
        self.failed |= result.is_err();
        result
    }
}

impl Batch for OpenBatch<'_> {
    fn admit(&mut self, lease: &Lease, task: &Task) -> Result<Admission> {
        outcomes::admit(&mut self.tx, lease, task)
    }
    fn poll(&mut self, lease: &Lease, poll: PollCommit) -> Result<u64> {
        let result = outcomes::poll(&mut self.tx, lease, poll);
        self.note(result)
    }
    fn page(&mut self, lease: &Lease, page: PageCommit) -> Result<Option<PageEnd>> {
        let result = outcomes::page(&mut self.tx, lease, page);
        self.note(result)
    }
    fn listed(&mut self) -> Result<Vec<UrlKey>> {
        Ok(std::mem::take(&mut self.tx.changes.listed))
    }
    fn remember(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()> {
        let result = self.tx.remember(record, printed);
        self.note(result)
    }
    fn put_off(&mut self, task: &Task, until: Millis) -> Result<()> {
        let result = outcomes::put_off(&mut self.tx, task, until);
        self.note(result)
    }
    fn pace(&mut self, lease: &Lease, pace: &Pace) -> Result<()> {
        let result = self.tx.set_pace(lease, pace).map(drop);
        self.note(result)
    }
    fn robots(&mut self, record: &RobotsRecord) -> Result<()> {
        self.tx.put_robots(record)
    }
    fn spent(&mut self, spent: &Spent) -> Result<()> {
        outcomes::spent(&mut self.tx, spent);
        Ok(())
    }
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>> {
        self.tx.o.member(article)
    }
    fn of_outlet(&mut self, articles: &[UrlKey], outlet: &str) -> Result<u64> {
        let mut own = 0;
        for article in articles {
            own +=
                u64::from(self.tx.o.member_row(*article)?.is_some_and(|row| row.outlet == outlet));
        }
        Ok(own)
    }
    fn story_head(&mut self, id: UrlKey) -> Result<Option<StoryHead>> {
        self.tx.o.story_head(id)
    }
    fn url(&mut self, key: UrlKey) -> Result<Option<UrlRecord>> {
        self.tx.o.url_or_alias(key)
    }
    fn brand_set(&mut self) -> Result<String> {
        Ok(self.tx.version.clone())
    }
    fn log_end(&mut self) -> Result<LogPosition> {
        Ok(self.tx.o.log_end()?.unwrap_or_default())
    }
    fn commit(self: Box<Self>) -> Result<()> {
        if self.failed {
            return Err(outcomes::batch_failed());
        }
        let OpenBatch { store, tx, _writer, .. } = *self;
        store.commit(tx, COMMIT, true)
    }
}

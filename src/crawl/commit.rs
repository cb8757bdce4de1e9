//! The committer: one thread that owns all outcome writes. It gathers what the workers finished
//! into one batch, joins articles to their stories in that order, commits once and only then
//! acknowledges (group commit).
//!
//! Must not know: the network, extraction.

use std::sync::Arc;

use anyhow::{Context, Result};
use rayon::prelude::*;
use tokio::sync::{mpsc, oneshot};

use crate::dedupe::{Entry, Index, Vector};
use crate::meter;
use crate::model::*;
use crate::store::{Admission, ArticleCommit, Batch, PageCommit, PollCommit};

use super::{Engine, brands, story};

/// Most outcomes in one batch: bounds both the batch's memory and how long an ack can wait.
const GROUP: usize = 128;

/// What a worker hands over; one per finished task.
#[derive(Debug)]
pub(super) enum Work {
    Poll(Box<PollCommit>),
    Page(Box<PageDraft>),
    /// Nothing but pace state and robots records (the task stays as it is).
    Pace,
}

/// A page's outcome before its story is known.
#[derive(Debug)]
pub(super) struct PageDraft {
    pub key: UrlKey,
    pub outcome: Outcome,
    pub at: Millis,
    pub retry: Option<(Millis, String)>,
    pub article: Option<ArticleDraft>,
    pub discovered: Vec<UrlRecord>,
    pub aliases: Vec<UrlKey>,
}

/// The article part of a [`PageDraft`].
#[derive(Debug)]
pub(super) struct ArticleDraft {
    pub record: ArticleRecord,
    pub mentions: Vec<MentionRow>,
    pub brand_set: String,
    pub vector: Vector,
}

/// One job with the way back.
#[derive(Debug)]
pub(super) struct Job {
    pub lease: Lease,
    pub task: Task,
    pub pace: Pace,
    pub robots: Vec<RobotsRecord>,
    pub work: Work,
    pub ack: oneshot::Sender<Result<Admission, String>>,
}

/// Handle that workers send jobs through.
#[derive(Clone, Debug)]
pub(super) struct Committer {
    sender: mpsc::Sender<Job>,
}

impl Committer {
    /// Commits one task's result; returns when it is durable. `Err` means that the store failed.
    pub(super) async fn commit(
        &self,
        lease: &Lease,
        task: &Task,
        pace: &Pace,
        robots: Vec<RobotsRecord>,
        work: Work,
    ) -> Result<Admission> {
        let (ack, answer) = oneshot::channel();
        let job =
            Job { lease: lease.clone(), task: task.clone(), pace: pace.clone(), robots, work, ack };
        self.sender.send(job).await.ok().context("the committer has stopped")?;
        answer.await.context("the committer has stopped")?.map_err(anyhow::Error::msg)
    }
}

/// Starts the committer thread. It ends when every [`Committer`] is dropped, or at the first store
/// error, which it reports to everybody who waits.
pub(super) fn start(engine: Arc<Engine>) -> Result<(Committer, std::thread::JoinHandle<()>)> {
    let (sender, receiver) = mpsc::channel(GROUP * 2);
    let index = load_index(&engine)?;
    let thread = std::thread::Builder::new()
        .name("committer".into())
        .spawn(move || run(&engine, receiver, index))
        .context("cannot start the committer thread")?;
    Ok((Committer { sender }, thread))
}

/// The file that the index is saved in between two runs.
const SAVED: &str = "copies.index";

/// The similarity index over the store's articles, which reads their vectors back from it: as the
/// last run left it, or made anew from the vectors if that did not end in good order.
pub(super) fn load_index(engine: &Engine) -> Result<Index> {
    let started = std::time::Instant::now();
    if let Some(mut saved) = engine.store.take_aside(SAVED)? {
        let mut index = empty_index(engine);
        match index.load(&mut saved) {
            Ok(articles) => {
                tracing::debug!(articles, elapsed = ?started.elapsed(), "copy index read");
                return Ok(index);
            }
            Err(error) => tracing::warn!(%error, "the saved copy index is no use; making it anew"),
        }
    }
    let index = make_index(engine)?;
    tracing::debug!(articles = index.len(), elapsed = ?started.elapsed(), "copy index made");
    Ok(index)
}

fn empty_index(engine: &Engine) -> Index {
    let store = Arc::clone(&engine.store);
    let source = move |key, at| match store.vector(key, at) {
        Ok(bytes) => decoded(key, &bytes?),
        Err(error) => {
            tracing::error!(%key, %error, "a term vector cannot be read; run verify");
            None
        }
    };
    Index::with_source(engine.settings.dedupe.clone(), Box::new(source))
}

/// Makes the index from the stored vectors.
fn make_index(engine: &Engine) -> Result<Index> {
    let mut index = empty_index(engine);
    // One thread reads while the others prepare what was read: a restart waits for this.
    let (sender, rows) = std::sync::mpsc::sync_channel::<Vec<Row>>(2);
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || read_vectors(engine, &sender));
        for rows in rows {
            let prepared: Vec<_> = rows
                .par_iter()
                .filter_map(|(key, at, bytes)| {
                    Some((*key, *at, Entry::of(&decoded(*key, bytes)?)?))
                })
                .collect();
            for (key, at, entry) in prepared {
                index.enter(key, at, &entry);
            }
        }
        reader.join().map_err(|_| anyhow::anyhow!("reading the term vectors failed"))?
    })?;
    Ok(index)
}

/// A stored vector: article, publication instant, bytes.
type Row = (UrlKey, Millis, Vec<u8>);

/// Sends all stored vectors, some at a time.
fn read_vectors(engine: &Engine, sender: &std::sync::mpsc::SyncSender<Vec<Row>>) -> Result<()> {
    /// Vectors sent at once: a few megabytes.
    const SOME: usize = 2_048;
    let mut rows = Vec::with_capacity(SOME);
    engine.store.vectors(Millis::MIN, &mut |key, at, bytes| {
        rows.push((key, at, bytes));
        // It is only refused when the receiver is gone, after a panic.
        rows.len() < SOME || sender.send(std::mem::take(&mut rows)).is_ok()
    })?;
    let _ = sender.send(rows);
    Ok(())
}

/// A stored vector; a damaged one is reported and takes part in no story.
fn decoded(key: UrlKey, bytes: &[u8]) -> Option<Vector> {
    Vector::decode(bytes)
        .inspect_err(
            |error| tracing::error!(%key, %error, "left out of the copy index; run verify"),
        )
        .ok()
}

fn run(engine: &Engine, mut receiver: mpsc::Receiver<Job>, mut index: Index) {
    while let Some(first) = receiver.blocking_recv() {
        let mut jobs = vec![first];
        while jobs.len() < GROUP {
            match receiver.try_recv() {
                Ok(job) => jobs.push(job),
                Err(_) => break,
            }
        }
        let started = std::time::Instant::now();
        match commit_group(engine, &mut index, &mut jobs) {
            Ok(admissions) => {
                index.settle();
                meter::commit(jobs.len(), started.elapsed());
                for (job, admission) in jobs.into_iter().zip(admissions) {
                    // A worker that no longer waits has been cancelled; its outcome is durable.
                    let _ = job.ack.send(Ok(admission));
                }
            }
            Err(error) => {
                let message = format!("{error:#}");
                tracing::error!(error = %message, "the store refused a commit; stopping");
                for job in jobs {
                    let _ = job.ack.send(Err(message.clone()));
                }
                engine.fail(message);
                return;
            }
        }
    }
    // After a failure the index may hold what the store does not; then it is made anew.
    if let Err(error) = engine.store.put_aside(SAVED, &mut |file| index.save(file)) {
        tracing::warn!(%error, "the copy index is not saved; the next start makes it anew");
    }
}

fn commit_group(engine: &Engine, index: &mut Index, jobs: &mut [Job]) -> Result<Vec<Admission>> {
    // Held over the whole group, so that a brand set cannot change between reading and writing.
    let watch = engine.watch.read().unwrap_or_else(|e| e.into_inner());
    let mut batch = engine.store.batch()?;
    let mut admissions = Vec::with_capacity(jobs.len());
    for job in jobs.iter_mut() {
        let admission = match &job.work {
            Work::Pace => Admission::Admitted,
            _ => batch.admit(&job.lease, &job.task)?,
        };
        if admission == Admission::Admitted {
            match std::mem::replace(&mut job.work, Work::Pace) {
                Work::Pace => {}
                Work::Poll(poll) => {
                    engine.progress.poll(&poll);
                    batch.poll(&job.lease, *poll)?;
                }
                Work::Page(draft) => {
                    let page = settle(&watch, index, batch.as_mut(), *draft)?;
                    engine.progress.page(&page);
                    batch.page(&job.lease, page)?;
                }
            }
        }
        if admission != Admission::Fenced {
            for record in job.robots.drain(..) {
                batch.robots(&record)?;
            }
            batch.pace(&job.lease, &job.pace)?;
        }
        admissions.push(admission);
    }
    batch.commit()?;
    Ok(admissions)
}

/// Turns a draft into the final outcome: a canonical URL that another article holds makes it
/// *known*; otherwise the article joins its story.
fn settle(
    watch: &brands::Watch,
    index: &mut Index,
    batch: &mut dyn Batch,
    draft: PageDraft,
) -> Result<PageCommit> {
    let mut page = PageCommit {
        key: draft.key,
        outcome: draft.outcome,
        at: draft.at,
        retry: draft.retry,
        article: None,
        discovered: draft.discovered,
        aliases: Vec::new(),
    };
    for alias in draft.aliases {
        match batch.url(alias)? {
            Some(other) if other.key != draft.key => {
                if draft.article.is_some() && other.outcome == Outcome::Forgotten {
                    page.outcome = Outcome::Forgotten;
                    return Ok(page);
                }
                if draft.article.is_some() && other.outcome == Outcome::Article {
                    page.outcome = Outcome::Known(other.key);
                    return Ok(page);
                }
            }
            _ => page.aliases.push(alias),
        }
    }
    let Some(mut article) = draft.article else { return Ok(page) };
    if article.brand_set != watch.set.version {
        article.mentions = watch.rows(&article.record);
        article.brand_set = watch.set.version.clone();
    }
    let vector = article.vector.encode();
    let known = &mut story::Batched(batch);
    let joining = story::join(known, index, &article.record, article.vector)?;
    page.article = Some(ArticleCommit {
        vector,
        record: article.record,
        mentions: article.mentions,
        brand_set: article.brand_set,
        joining,
    });
    Ok(page)
}

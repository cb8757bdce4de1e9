//! The committer: one thread that owns all outcome writes. It gathers what the workers finished
//! into one batch, joins articles to their stories in that order, commits once and only then
//! acknowledges (group commit). Polls that bring nothing new pass it by where the store knows how.
//!
//! Must not know: the network, extraction.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::meter;
use crate::model::*;
use crate::store::{
    Admission, ArticleCommit, Batch, EmptyPoll, PageCommit, PollCommit, StoreError,
};

use crate::crawl::Engine;
use crate::crawl::clock;
use crate::crawl::orders::brands;
use crate::crawl::progress::Gain;
use crate::crawl::stories::copies::Copies;
use crate::crawl::stories::join as story;
use crate::crawl::stories::rules;
use crate::crawl::web::gate::Traces;
use crate::crawl::web::memory;
use crate::crawl::web::page::{ArticleDraft, PageDraft};

/// Most outcomes in one batch: bounds both the batch's memory and how long an ack can wait.
const GROUP: usize = 128;

/// Polls that bring nothing new and are committed at the same time.
const EMPTY_POLLS: usize = 4;

/// How long a group is tried again while a shared database cannot be reached.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time between two such attempts.
const AGAIN: Duration = Duration::from_millis(500);

/// What a worker hands over; one per finished task.
#[derive(Debug)]
pub(in crate::crawl) enum Work {
    Poll(Box<PollCommit>),
    Page(Box<PageDraft>),
    /// The task is due then: its host is to be left alone for now, and nobody was asked.
    PutOff(Millis),
    /// Nothing but pace state and robots records (the task stays as it is).
    Pace,
}

/// One job with the way back.
#[derive(Debug)]
pub(in crate::crawl) struct Job {
    pub lease: Lease,
    pub task: Task,
    pub pace: Pace,
    pub traces: Traces,
    pub work: Work,
    pub ack: oneshot::Sender<Result<Admission, String>>,
}

/// Handle that workers send jobs through.
#[derive(Clone)]
pub(in crate::crawl) struct Committer {
    sender: mpsc::Sender<Job>,
    engine: Arc<Engine>,
    /// Bounds the connections of polls that are committed beside the batch.
    empty_polls: Arc<Semaphore>,
}

impl Committer {
    /// Commits one task's result; returns when it is durable. `Err` means that the store failed.
    pub(in crate::crawl) async fn commit(
        &self,
        lease: &Lease,
        task: &Task,
        pace: &Pace,
        traces: Traces,
        work: Work,
    ) -> Result<Admission> {
        let work = match work {
            Work::Poll(poll) => match self.empty_poll(lease, task, pace, &traces, poll).await? {
                Ok(admission) => return Ok(admission),
                Err(poll) => Work::Poll(poll),
            },
            work => work,
        };
        let (ack, answer) = oneshot::channel();
        let job =
            Job { lease: lease.clone(), task: task.clone(), pace: pace.clone(), traces, work, ack };
        self.sender.send(job).await.ok().context("the committer has stopped")?;
        answer.await.context("the committer has stopped")?.map_err(anyhow::Error::msg)
    }

    /// Commits a poll that brings nothing new beside the batch, or gives it back.
    async fn empty_poll(
        &self,
        lease: &Lease,
        task: &Task,
        pace: &Pace,
        traces: &Traces,
        poll: Box<PollCommit>,
    ) -> Result<std::result::Result<Admission, Box<PollCommit>>> {
        let _permit = self.empty_polls.acquire().await?;
        let engine = self.engine.clone();
        let (lease, task, pace) = (lease.clone(), task.clone(), pace.clone());
        let traces = traces.clone();
        let committed = tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            let (lease, task, pace) = (&lease, &task, &pace);
            let (robots, spent) = (&traces.robots[..], traces.spent.as_ref());
            let empty = EmptyPoll { lease, task, poll: &poll, pace, robots, spent };
            let Some(admission) = engine.store.commit_empty_poll(&empty)? else {
                return Ok::<_, StoreError>(Err(poll));
            };
            meter::commit(1, started.elapsed());
            if admission == Admission::Admitted {
                engine.progress.add(&Gain::poll(&poll, 0));
            }
            Ok(Ok(admission))
        });
        Ok(committed.await??)
    }
}

/// Starts the committer thread. It ends when every [`Committer`] is dropped, or at the first store
/// error, which it reports to everybody who waits.
pub(in crate::crawl) fn start(
    engine: Arc<Engine>,
) -> Result<(Committer, std::thread::JoinHandle<()>)> {
    let (sender, receiver) = mpsc::channel(GROUP * 2);
    let copies = Copies::load(&engine.store, &engine.settings.dedupe, clock::now())?;
    let committer = Committer {
        sender,
        engine: engine.clone(),
        empty_polls: Arc::new(Semaphore::new(EMPTY_POLLS)),
    };
    let thread = std::thread::Builder::new()
        .name("committer".into())
        .spawn(move || run(&engine, receiver, copies))
        .context("cannot start the committer thread")?;
    Ok((committer, thread))
}

fn run(engine: &Engine, mut receiver: mpsc::Receiver<Job>, mut copies: Copies) {
    while let Some(first) = receiver.blocking_recv() {
        let mut jobs = vec![first];
        while jobs.len() < GROUP {
            match receiver.try_recv() {
                Ok(job) => jobs.push(job),
                Err(_) => break,
            }
        }
        let started = Instant::now();
        let span = tracing::info_span!("commit", outcomes = jobs.len());
        match span.in_scope(|| commit_patiently(engine, &mut copies, &jobs)) {
            Ok(admissions) => {
                meter::commit(jobs.len(), started.elapsed());
                for (job, admission) in jobs.into_iter().zip(admissions) {
                    // A worker that no longer waits has been cancelled; its outcome is durable.
                    let _ = job.ack.send(Ok(admission));
                }
                copies.save_if_due(engine.store.as_ref());
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
    // After a failure it may hold what the store does not, and what was saved before is used.
    copies.save(engine.store.as_ref());
}

/// As [`commit_group`], again and again while a shared database cannot be reached. If the connection
/// broke after the group was committed, each outcome is found to be there.
fn commit_patiently(engine: &Engine, copies: &mut Copies, jobs: &[Job]) -> Result<Vec<Admission>> {
    let began = Instant::now();
    loop {
        let error = match commit_group(engine, copies, jobs) {
            Err(error) if passes(&error) && began.elapsed() < PATIENCE => error,
            result => return result,
        };
        tracing::warn!(error = %format!("{error:#}"), "the commit is tried again");
        std::thread::sleep(AGAIN);
        // It may hold articles that were not committed.
        *copies = Copies::load(&engine.store, &engine.settings.dedupe, clock::now())?;
    }
}

/// Can the same call succeed later?
fn passes(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::Unavailable { .. }))
}

/// Takes over what others have committed, what was forgotten, the rule in force, and a clock that was set back.
fn catch_up(engine: &Engine, copies: &mut Copies) -> Result<()> {
    let store = engine.store.as_ref();
    // The rule may have changed: a rebuild, here or in another process.
    let whole = rules::in_force(store)? == copies.search.rule() && copies.reaches(clock::now());
    if !whole || !copies.catch_up(store)? {
        *copies = Copies::load(&engine.store, &engine.settings.dedupe, clock::now())?;
    }
    Ok(())
}

fn commit_group(engine: &Engine, copies: &mut Copies, jobs: &[Job]) -> Result<Vec<Admission>> {
    // Most of it before anybody waits for this batch.
    catch_up(engine, copies)?;
    copies.expire_if_due(engine.store.as_ref(), clock::now())?;
    // Held over the whole group, so that a brand set cannot change between reading and writing.
    let _committing = engine.commits.read().unwrap_or_else(|e| e.into_inner());
    let (watch, mut batch) = loop {
        let watch = engine.watch.read().unwrap_or_else(|e| e.into_inner()).clone();
        let mut batch = engine.store.batch()?;
        if batch.brand_set()? == watch.set.version {
            break (watch, batch);
        }
        // Another process has changed it.
        drop(batch);
        brands::refresh(engine)?;
    };
    // While the batch is open nobody else commits: the articles of all other workers are here.
    catch_up(engine, copies)?;
    let mut admissions = Vec::with_capacity(jobs.len());
    let mut gains = Vec::new();
    for job in jobs {
        let mut cost = 0;
        let admission = match &job.work {
            Work::Pace => Admission::Admitted,
            _ => batch.admit(&job.lease, &job.task)?,
        };
        if admission == Admission::Admitted {
            match &job.work {
                Work::Pace => {}
                Work::PutOff(until) => batch.put_off(&job.task, *until)?,
                Work::Poll(poll) => {
                    let new = batch.poll(&job.lease, poll.as_ref().clone())?;
                    gains.push(Gain::poll(poll, new));
                }
                Work::Page(draft) => {
                    let draft = draft.as_ref().clone();
                    let page =
                        page_commit(engine, &watch, copies, batch.as_mut(), draft, &mut cost)?;
                    let article = page.article.as_ref().map(Gain::article);
                    let settled = batch.page(&job.lease, page)?;
                    gains.extend(settled.map(|settled| Gain::page(&settled, article)));
                }
            }
        }
        if admission != Admission::Fenced {
            for record in &job.traces.robots {
                batch.robots(record)?;
            }
            if let Some(spent) =
                job.traces.spent.as_ref().filter(|_| admission == Admission::Admitted)
            {
                let bytes = spent.bytes.saturating_add(cost);
                batch.spent(&Spent { bytes, ..spent.clone() })?;
            }
            batch.pace(&job.lease, &job.pace)?;
        }
        admissions.push(admission);
    }
    remember_listed(engine, batch.as_mut(), jobs)?;
    let end = batch.log_end()?;
    batch.commit()?;
    copies.committed(end);
    for gain in gains {
        engine.progress.add(&gain);
    }
    Ok(admissions)
}

/// Remembers what the pages printed of articles that others had named and their outlet lists now, unless the day on which
/// they were read is over: memories have been made of it.
fn remember_listed(engine: &Engine, batch: &mut dyn Batch, jobs: &[Job]) -> Result<()> {
    let today = memory::day_of(clock::now());
    // The store does not have yet what this group itself brings.
    let brought = |key| {
        let drafts = jobs.iter().filter_map(|job| match &job.work {
            Work::Page(draft) if draft.key == key => draft.article.as_ref(),
            _ => None,
        });
        drafts.map(|article| article.record.clone()).next()
    };
    for key in batch.listed()? {
        let Some(record) = engine.store.article(key)?.or_else(|| brought(key)) else { continue };
        if utc_day(record.fetched) < today {
            continue;
        }
        if let Some(printed) = memory::remembered(&record, engine.settings.retention.memory) {
            batch.remember(&record, &printed)?;
        }
    }
    Ok(())
}

/// How an article ends whose page names this key as its own, since another article holds it or held it.
fn holder(batch: &mut dyn Batch, canonical: UrlKey, own: UrlKey) -> Result<Option<Outcome>> {
    let mut held = batch.url(canonical)?;
    if let Some(UrlRecord { outcome: Outcome::Known(article), .. }) = held {
        held = batch.url(article)?;
    }
    Ok(held.filter(|held| held.key != own).and_then(|held| match held.outcome {
        Outcome::Forgotten => Some(Outcome::Forgotten),
        Outcome::Article => Some(Outcome::Known(held.key)),
        // Not fetched yet, or ended otherwise.
        _ => None,
    }))
}

/// The entry of the article whose page was the first to name an address that nobody had read as its own.
fn namer(batch: &mut dyn Batch, address: UrlKey, own: UrlKey) -> Result<Option<UrlRecord>> {
    Ok(batch.url(address.named())?.filter(|namer| namer.key != own))
}

/// Turns a draft into the final outcome: a canonical URL that another article of such a title or text holds or names, or
/// the text and title of another of its outlet and day, makes it *known*, and so does a copy of such a one if only others
/// have named it; otherwise the article joins its story. Adds to `cost` what finding its copies took.
fn page_commit(
    engine: &Engine,
    watch: &brands::Watch,
    copies: &mut Copies,
    batch: &mut dyn Batch,
    draft: PageDraft,
    cost: &mut u64,
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
        if let Some(other) = batch.url(alias)?
            && other.key != draft.key
            && draft.article.is_some()
        {
            match other.outcome {
                Outcome::Forgotten => {
                    page.outcome = Outcome::Forgotten;
                    return Ok(page);
                }
                Outcome::Article => {
                    page.outcome = Outcome::Known(other.key);
                    return Ok(page);
                }
                // Not fetched yet, or ended otherwise: it will be known as this article.
                _ => {}
            }
        }
        page.aliases.push(alias);
    }
    let Some(mut article) = draft.article else { return Ok(page) };
    let store = engine.store.as_ref();
    let resembles = |article: &ArticleDraft, other, is_doubtful| {
        story::resembles(store, copies, &article.record, &article.print, other, is_doubtful)
    };
    // Another page may have named an address of this one as its own, rightly or not.
    for at in [draft.key].iter().chain(&page.aliases) {
        let ended = match namer(batch, *at, draft.key)? {
            Some(UrlRecord { outcome: Outcome::Article, key: other, .. })
                if resembles(&article, other, false)? =>
            {
                Outcome::Known(other)
            }
            // What was forgotten cannot be compared, and must not come back under another address.
            Some(UrlRecord { outcome: Outcome::Forgotten, .. }) => Outcome::Forgotten,
            _ => continue,
        };
        page.outcome = ended;
        return Ok(page);
    }
    if let Some(canonical) = draft.canonical {
        let is_doubtful = canonical.is_doubtful;
        // Others choose which pages they name: no such page speaks for an address that nobody has read.
        let hearsay = batch.url(draft.key)?.is_some_and(|entry| entry.foreign);
        let mut ignored = is_doubtful || hearsay;
        match holder(batch, canonical.key, draft.key)? {
            Some(Outcome::Known(other)) if !resembles(&article, other, is_doubtful)? => {
                ignored = true;
            }
            // What was forgotten cannot be compared: a section's address must not end what is below it.
            Some(Outcome::Forgotten) if is_doubtful => {}
            Some(outcome) => {
                page.outcome = outcome;
                return Ok(page);
            }
            None => match namer(batch, canonical.key, draft.key)? {
                Some(UrlRecord { outcome: Outcome::Article, key: other, .. })
                    if resembles(&article, other, is_doubtful)? =>
                {
                    page.outcome = Outcome::Known(other);
                    return Ok(page);
                }
                Some(UrlRecord { outcome: Outcome::Forgotten, .. }) if !is_doubtful => {
                    page.outcome = Outcome::Forgotten;
                    return Ok(page);
                }
                // One such article stands there at most.
                Some(_) => ignored = true,
                None if ignored => {}
                None => page.aliases.push(canonical.key.named()),
            },
        }
        if ignored {
            article.record.article.signals.push(CANONICAL_IGNORED.to_owned());
        }
    }
    if article.brand_set != watch.set.version {
        article.mentions = watch.rows(&article.record);
        article.brand_set = watch.set.version.clone();
    }
    let (key, at, mut with) = (article.record.key, article.record.published.at, HashSet::new());
    let (found, _) = copies.search.near_noting(key, at, &article.print, &mut with);
    *cost += story::cost(batch, &article.record, &article.print, &with)?;
    let known = &mut story::Batched(batch);
    let siblings = story::siblings(known, &article.record, &found)?;
    if let Some(other) = story::printed_before(store, &article.record, &siblings)? {
        page.outcome = Outcome::Known(other);
        return Ok(page);
    }
    if let Some(view) = story::view_before(store, &article.record, &siblings)? {
        page.outcome = Outcome::Known(view);
        return Ok(page);
    }
    if let Some(before) = story::named_before(batch, &article.record, &siblings)? {
        page.outcome = Outcome::Known(before);
        return Ok(page);
    }
    let known = &mut story::Batched(batch);
    let vector = article.print.encode();
    let (joining, excerpts) =
        story::join_found(known, copies, &article.record, article.print, found)?;
    page.article = Some(ArticleCommit {
        vector,
        printed: article.printed,
        record: article.record,
        mentions: article.mentions,
        brand_set: article.brand_set,
        joining,
        excerpts,
    });
    Ok(page)
}

#[cfg(test)]
mod tests;

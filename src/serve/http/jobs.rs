//! What was ordered over HTTP: each order is a job, with its progress and its end. Jobs are kept in memory,
//! the latest hundred; what they change stands in the log of decisions.
//!
//! Must not know: paths, how an order is carried out.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::header;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::crawl::orders::steps::{Cancelled, Steps};
use crate::crawl::{Engine, clock};
use crate::model::Millis;
use crate::serve::order::{self, Order};
use crate::store::decision::Who;

use super::problem::Problem;

/// Jobs that are kept; of those that have ended the oldest goes first.
const KEPT: usize = 100;
/// Orders carried out at the same time.
const RUNNING: usize = 8;
/// Values of an answer that are kept.
const VALUES: usize = 10_000;

/// All jobs of this process.
#[derive(Default)]
pub(super) struct Jobs {
    list: Mutex<VecDeque<Arc<Job>>>,
    stopping: Mutex<bool>,
}

/// One order.
pub(super) struct Job {
    pub id: String,
    order: &'static str,
    /// Name of the token.
    who: String,
    at: Millis,
    steps: Steps,
    end: Mutex<Option<End>>,
    ended: watch::Receiver<bool>,
}

/// How a job has ended.
#[derive(Clone, Debug)]
struct End {
    at: Millis,
    result: Result<Answer, Failure>,
}

/// What an order has answered.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub values: Vec<Value>,
    /// There were more values than are kept.
    pub truncated: bool,
}

/// Why an order was not carried out.
#[derive(Clone, Debug)]
enum Failure {
    Cancelled,
    Refused(Problem),
}

impl Jobs {
    /// Begins an order.
    ///
    /// # Errors
    /// 503: too many are being carried out.
    pub(super) fn begin(
        &self,
        engine: &Arc<Engine>,
        who: Who,
        order: Order,
    ) -> Result<Arc<Job>, Problem> {
        let mut list = lock(&self.list);
        let running = list.iter().filter(|job| !job.has_ended()).count();
        if running >= RUNNING || *lock(&self.stopping) {
            let sentence = format!(
                "{running} orders are being carried out: wait for one of them (/api/v1/jobs), or cancel one"
            );
            return Err(Problem::unavailable(sentence).with(header::RETRY_AFTER, 5));
        }
        let (tell, ended) = watch::channel(false);
        let at = clock::now();
        // Of this process, and of no other.
        let number = list.back().and_then(|job| job.id.rsplit('-').next()?.parse().ok());
        let id = format!("{at:x}-{}", number.map_or(1, |number: u64| number + 1));
        let job = Arc::new(Job {
            id,
            order: order.name(),
            who: who.name.clone(),
            at,
            steps: Steps::default(),
            end: Mutex::default(),
            ended,
        });
        list.push_back(job.clone());
        while list.len() > KEPT
            && let Some(oldest) = list.iter().position(|job| job.has_ended())
        {
            list.remove(oldest);
        }
        drop(list);
        let (engine, of) = (engine.clone(), job.clone());
        let runtime = tokio::runtime::Handle::current();
        tokio::task::spawn_blocking(move || {
            // Told also when the order panics.
            let _tell = Tell(tell, of.clone());
            let mut answer = Answer::default();
            let done = order::carry_out(&engine, &runtime, &who, order, &of.steps, &mut |value| {
                if answer.values.len() < VALUES {
                    answer.values.push(value);
                } else {
                    answer.truncated = true;
                }
                ControlFlow::Continue(())
            });
            let result = done.map(|()| answer).map_err(|error| match error.is::<Cancelled>() {
                true => Failure::Cancelled,
                false => Failure::Refused(Problem::of_order(&error)),
            });
            *lock(&of.end) = Some(End { at: clock::now(), result });
        });
        Ok(job)
    }

    /// The latest first.
    pub(super) fn all(&self) -> Vec<Arc<Job>> {
        lock(&self.list).iter().rev().cloned().collect()
    }

    pub(super) fn find(&self, id: &str) -> Result<Arc<Job>, Problem> {
        let found = lock(&self.list).iter().find(|job| job.id == id).cloned();
        let id: String = id.chars().take(40).collect();
        found.ok_or_else(|| {
            Problem::not_found(format!(
                "no job has the id `{id}`: those of the time before the last start, and all but the \
                 latest {KEPT}, are forgotten; /api/v1/log has what was decided"
            ))
        })
    }

    /// The server stops: takes back whatever can be, and begins nothing more.
    pub(super) fn stop(&self) {
        *lock(&self.stopping) = true;
        for job in self.all() {
            job.cancel();
        }
    }
}

impl Job {
    fn has_ended(&self) -> bool {
        *self.ended.borrow()
    }

    /// Takes it back. One that has ended, or is past its last step, stays as it is.
    pub(super) fn cancel(&self) {
        self.steps.cancel();
    }

    /// Its answer, if it ends so soon.
    pub(super) async fn wait(&self, long: Duration) -> Option<Result<Answer, Problem>> {
        let mut ended = self.ended.clone();
        let _ = tokio::time::timeout(long, ended.wait_for(|ended| *ended)).await;
        let end = lock(&self.end).clone()?;
        Some(end.result.map_err(|failure| match failure {
            Failure::Refused(problem) => problem,
            Failure::Cancelled => Problem::conflict("the order was cancelled"),
        }))
    }

    /// As the API shows it; with its answer, if asked for.
    pub(super) fn shown(&self, whole: bool) -> Value {
        let end = lock(&self.end).clone();
        let (done, of) = self.steps.read();
        let state = match end.as_ref().map(|end| &end.result) {
            None => "running",
            Some(Ok(_)) => "done",
            Some(Err(Failure::Refused(_))) => "failed",
            Some(Err(Failure::Cancelled)) => "cancelled",
        };
        let mut shown = json!({
            "id": self.id,
            "order": self.order,
            "who": self.who,
            "at": self.at,
            "ended": end.as_ref().map(|end| end.at),
            "state": state,
            "done": done,
            "of": of,
            "error": null,
        });
        match end.map(|end| end.result) {
            Some(Err(Failure::Refused(problem))) => shown["error"] = problem.sentence().into(),
            Some(Ok(answer)) if whole => {
                shown["answer"] = answer.values.into();
                shown["truncated"] = answer.truncated.into();
            }
            _ => {}
        }
        if whole && shown.get("answer").is_none() {
            shown["answer"] = json!([]);
            shown["truncated"] = false.into();
        }
        shown
    }
}

/// Tells that a job has ended when it is dropped.
struct Tell(watch::Sender<bool>, Arc<Job>);

impl Drop for Tell {
    fn drop(&mut self) {
        let mut end = lock(&self.1.end);
        if end.is_none() {
            tracing::error!(order = self.1.order, "an order ended without an answer");
            let result = Err(Failure::Refused(Problem::internal()));
            *end = Some(End { at: clock::now(), result });
        }
        drop(end);
        let _ = self.0.send(true);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Whether a request went over a connection of its own, or over one that an earlier request had left: the HTTP
//! library does not say so where a request failed.
//!
//! Must not know: what is asked, why it failed.

use std::cell::Cell;
use std::future::Future;
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

tokio::task_local! {
    /// Was a connection begun for the request that runs in this task?
    static DIALLED: Cell<bool>;
}

/// Runs a request; the second value tells whether a connection was begun for it. If one was, and the request was then
/// sent over another that had become free, this still says so: it errs on the side of not asking again.
pub async fn watch<T>(request: impl Future<Output = T>) -> (T, bool) {
    let watched = async {
        let answer = request.await;
        (answer, DIALLED.with(Cell::get))
    };
    DIALLED.scope(Cell::new(false), watched).await
}

/// Layer around the connector that notes each dial for [`watch`].
#[derive(Clone, Copy, Debug)]
pub struct Noting;

impl<S> Layer<S> for Noting {
    type Service = Noted<S>;

    fn layer(&self, connector: S) -> Noted<S> {
        Noted(connector)
    }
}

/// A connector of [`Noting`].
#[derive(Clone, Debug)]
pub struct Noted<S>(S);

impl<S: Service<R>, R> Service<R> for Noted<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, to: R) -> S::Future {
        // Nobody watches a connection that the library begins in a task of its own.
        let _ = DIALLED.try_with(|dialled| dialled.set(true));
        self.0.call(to)
    }
}

//! `crawler mcp`: a server of the Model Context Protocol over standard input and output.
//!
//! Must not know: which questions an assistant may ask, how they are answered.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use rmcp::{ServiceExt, transport};
use tokio::sync::Semaphore;

use crate::query::Question;
use crate::serve::mcp::Server;

use super::context::{Context, runtime};

/// Questions answered at the same time.
const TURNS: usize = 2;

pub(super) fn run(context: &Context) -> Result<()> {
    // Whoever starts it learns of a missing store at once, not at the first question.
    context.stream(Question::Brands, &mut |_| Ok(()))?;
    let asked = context.clone();
    let ask = Arc::new(move |question: Question, emit: crate::query::Emit<'_>| {
        asked.put(&question.into(), emit).map_err(|why| super::sentence(&why))
    });
    let server = Server::new(ask, Arc::new(Semaphore::new(TURNS)));
    runtime()?.block_on(async {
        let running = server.serve(transport::stdio()).await.context("the client did not begin")?;
        running.waiting().await.context("the session broke off")?;
        Ok(())
    })
}

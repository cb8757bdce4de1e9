//! What a daemon can be told: a question or an order.
//!
//! Must not know: sockets, HTTP, arguments.

use std::sync::Arc;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::order::{self, Order};
use crate::crawl::orders::steps::Steps;
use crate::crawl::{Engine, clock};
use crate::query::{self, Asked, Emit, Question};
use crate::store::decision::Who;

/// A question only reads; an order may change what is stored, or ask the web.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    Question(Question),
    Order(Order),
}

impl From<Question> for Command {
    fn from(question: Question) -> Command {
        Command::Question(question)
    }
}

impl From<Order> for Command {
    fn from(order: Order) -> Command {
        Command::Order(order)
    }
}

/// What of an engine questions are put to.
pub fn asked(engine: &Engine) -> Asked<'_> {
    Asked {
        store: engine.store.as_ref(),
        now: clock::now(),
        token: &engine.settings.token,
        archive: engine.settings.archive.dir.as_deref(),
        index: &engine.search,
        past: &engine.past,
        targets: engine.courier.names(),
    }
}

/// Obeys a command of somebody's. Blocks; call it outside the runtime's own threads.
pub fn obey(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Handle,
    who: &Who,
    command: Command,
    emit: Emit<'_>,
) -> Result<()> {
    match command {
        Command::Question(question) => Ok(query::answer(&asked(engine), &question, emit)?),
        Command::Order(order) => {
            order::carry_out(engine, runtime, who, order, &Steps::default(), emit)
        }
    }
}

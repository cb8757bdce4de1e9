//! What the program says of its own work: log lines on standard error and, of a daemon whose operator
//! names a collector, traces.
//!
//! Must not know: what is logged.

use anyhow::{Context as _, Result};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use super::context::Context;
use super::plain;

/// Traces are sent as long as it lives.
#[cfg(feature = "otlp")]
pub(super) type Traces = crate::deliver::traces::Traces;
#[cfg(not(feature = "otlp"))]
pub(super) type Traces = std::convert::Infallible;

/// Starts to log and, where this is a daemon, to trace.
///
/// # Errors
/// The filter cannot be read; nothing can be sent to the collector.
pub(super) fn start(context: &Context, daemon: bool) -> Result<Option<Traces>> {
    let (filter, json) = context.log();
    let filter = match (filter, std::env::var("CRAWLER_LOG")) {
        (Some(filter), _) => filter.to_owned(),
        (None, Ok(filter)) => filter,
        // What sled has to say reaches the user as our own sentence.
        (None, Err(_)) => "warn,sled=off".to_owned(),
    };
    let filter = EnvFilter::try_new(&filter)
        .with_context(|| format!("the log filter `{filter}` cannot be read"))?;
    let lines = tracing_subscriber::fmt::layer()
        // Colours would be written out like any other escape sequence.
        .with_ansi(false)
        .with_writer(|| plain::Plain::new(std::io::stderr()));
    let lines = match json {
        true => lines.json().boxed(),
        false => lines.with_target(false).boxed(),
    };
    let log = tracing_subscriber::registry().with(lines.with_filter(filter));
    #[cfg(not(feature = "otlp"))]
    let _ = daemon;
    #[cfg(feature = "otlp")]
    if daemon && let Ok(config) = context.config() {
        // A configuration that cannot be read is the command's to complain about.
        let traces = Traces::start(&config.deliver.traces).map_err(|why| anyhow::anyhow!(why))?;
        log.with(traces.as_ref().map(Traces::layer)).init();
        return Ok(traces);
    }
    log.init();
    Ok(None)
}

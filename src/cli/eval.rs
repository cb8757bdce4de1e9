//! stub
use super::context::Context;
use anyhow::Result;
#[derive(clap::Args)]
pub(super) struct Args {}
pub(super) fn run(_args: Args, _context: &Context) -> Result<()> {
    Ok(())
}

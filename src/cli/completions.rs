//! `crawler completions`: what a shell needs to complete commands and options.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, plain};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "crawler", &mut script);
    Ok(plain::output().write_all(&script)?)
}

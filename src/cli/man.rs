//! `crawler man`: the manual pages, one per command.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::CommandFactory;
use clap_mangen::Man;

use super::{Cli, plain};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Write a page per command into this directory, such as /usr/local/share/man/man1; without it the
    /// page of `crawler` itself is printed
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut command = Cli::command();
    command.build();
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return Ok(plain::output().write_all(&page)?);
    };
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let mut pages = 0;
    let mut open = vec![("crawler".to_owned(), command)];
    while let Some((name, command)) = open.pop() {
        // `help` of each command says what the pages say.
        let below = command.get_subcommands().filter(|c| c.get_name() != "help");
        open.extend(below.map(|c| (format!("{name}-{}", c.get_name()), c.clone())));
        let path = dir.join(format!("{name}.1"));
        let page = Man::new(command).title(name);
        let mut file =
            File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        page.render(&mut file).with_context(|| format!("cannot write {}", path.display()))?;
        file.flush()?;
        pages += 1;
    }
    println!("{} in {}", super::print::many(pages, "manual page"), dir.display());
    Ok(())
}

//! A directory with a file per table and day, kept up to date: what has not changed is not written again,
//! and a run that was cut off is simply run again. `manifest.json` says what lies there.
//!
//! A file is whole or not there: it is written beside its place, and takes it when it is complete.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cli::context::Context;
use crate::cli::print;
use crate::cli::whole::replace;
use crate::model::{Day, hex};
use crate::query::{Question, SCHEMA, Status, Table};

use super::Rows;
use super::form::Form;

const MANIFEST: &str = "manifest.json";

/// What lies in the directory.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Manifest {
    schema: u32,
    format: String,
    /// Zone of the days.
    timezone: String,
    /// Table → day → file.
    tables: BTreeMap<String, BTreeMap<Day, Entry>>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    rows: u64,
    /// SHA-256 of its rows as JSON Lines: the same in every format, also where a later version writes other bytes.
    digest: String,
    /// The file itself. Manifests of earlier versions do not say it: such a file is written again.
    #[serde(flatten)]
    file: Option<Written>,
}

/// What was written as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    bytes: u64,
    sha256: String,
}

/// What a run did to one table.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Done {
    table: &'static str,
    /// Days whose files are new or changed, and those that are gone.
    written: Vec<Day>,
    removed: Vec<Day>,
    unchanged: u64,
}

/// Brings the days of the tables up to date.
pub(super) fn keep(
    dir: &Path,
    tables: &[Table],
    form: Form,
    days: (Option<Day>, Option<Day>),
    context: &Context,
) -> Result<()> {
    let timezone = context.ask_one::<Status>(Question::Status)?.timezone;
    let mut manifest = open(dir, form, timezone)?;
    let mut all = Vec::new();
    for table in tables {
        let known = manifest.tables.remove(table.name()).unwrap_or_default();
        let mut keeper = Keeper::new(dir, *table, form, known)?;
        let question = Question::Export { table: *table, from: days.0, to: days.1 };
        context.stream(question, &mut |row| keeper.put(&row))?;
        let (now, done) = keeper.end(days)?;
        manifest.tables.insert(table.name().to_owned(), now);
        save(dir, &manifest)?;
        if !context.json() {
            println!(
                "{}: {} written, {} unchanged, {} removed",
                done.table,
                print::many(done.written.len() as u64, "day"),
                done.unchanged,
                done.removed.len()
            );
        }
        all.push(done);
    }
    if context.json() { print::json(&all) } else { Ok(()) }
}

/// The manifest of a directory that is empty, new, or ours.
fn open(dir: &Path, form: Form, timezone: String) -> Result<Manifest> {
    fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let path = dir.join(MANIFEST);
    let fresh = Manifest {
        schema: SCHEMA,
        format: form.name().to_owned(),
        timezone,
        tables: BTreeMap::new(),
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let mut inside = fs::read_dir(dir).with_context(|| dir.display().to_string())?;
            if inside.next().is_some() {
                bail!(
                    "{} is not empty and has no {MANIFEST}: name another directory",
                    dir.display()
                );
            }
            save(dir, &fresh)?;
            return Ok(fresh);
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let there: Manifest = serde_json::from_slice(text.as_bytes())
        .with_context(|| format!("{} cannot be read: name another directory", path.display()))?;
    let kind = |m: &Manifest| format!("schema {}, {}, days in {}", m.schema, m.format, m.timezone);
    if kind(&there) != kind(&fresh) {
        bail!(
            "{} holds an export of another kind ({}, not {}): name another directory",
            dir.display(),
            kind(&there),
            kind(&fresh)
        );
    }
    Ok(there)
}

fn save(dir: &Path, manifest: &Manifest) -> Result<()> {
    let mut text = print::pretty(manifest)?;
    text.push('\n');
    replace(&dir.join(MANIFEST), &mut |out| Ok(out.write_all(text.as_bytes())?))
}

/// The files of one table under way.
struct Keeper {
    dir: PathBuf,
    table: Table,
    form: Form,
    known: BTreeMap<Day, Entry>,
    seen: BTreeSet<Day>,
    /// The day whose rows come now, and its rows as JSON Lines in a file without a name.
    open: Option<(Day, Spool)>,
    done: Done,
}

/// A file, and what was written into it.
struct Counted<'a> {
    out: &'a mut File,
    bytes: u64,
    digest: Sha256,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Rows of a day until it is known whether they have changed.
struct Spool {
    lines: File,
    rows: u64,
    digest: Sha256,
}

impl Keeper {
    fn new(dir: &Path, table: Table, form: Form, known: BTreeMap<Day, Entry>) -> Result<Keeper> {
        let dir = dir.join(table.name());
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let done = Done { table: table.name(), ..Done::default() };
        Ok(Keeper { dir, table, form, known, seen: BTreeSet::new(), open: None, done })
    }

    fn put(&mut self, row: &Value) -> Result<()> {
        let day = row["day"].as_str().and_then(|day| day.parse::<Day>().ok());
        let day = day.with_context(|| format!("a row of {} has no day", self.table.name()))?;
        if self.open.as_ref().is_none_or(|(open, _)| *open != day) {
            self.close()?;
            if self.seen.last().is_some_and(|last| *last >= day) {
                bail!("the rows of {} do not come by day", self.table.name());
            }
            let lines = tempfile::tempfile_in(&self.dir)
                .with_context(|| format!("cannot write into {}", self.dir.display()))?;
            self.open = Some((day, Spool { lines, rows: 0, digest: Sha256::new() }));
        }
        let Some((_, spool)) = &mut self.open else { return Ok(()) };
        let mut line = serde_json::to_vec(row)?;
        line.push(b'\n');
        spool.digest.update(&line);
        spool.rows += 1;
        Ok(spool.lines.write_all(&line)?)
    }

    /// Ends the day under way.
    fn close(&mut self) -> Result<()> {
        let Some((day, spool)) = self.open.take() else { return Ok(()) };
        self.seen.insert(day);
        let (rows, digest) = (spool.rows, hex(&spool.digest.finalize()));
        let path = self.path(day);
        let known =
            self.known.get(&day).filter(|known| known.rows == rows && known.digest == digest);
        let written = known.and_then(|known| known.file.as_ref());
        if written
            .is_some_and(|file| fs::metadata(&path).is_ok_and(|lies| lies.len() == file.bytes))
        {
            self.done.unchanged += 1;
            return Ok(());
        }
        let mut lines = spool.lines;
        let (table, form) = (self.table, self.form);
        let mut written = None;
        replace(&path, &mut |file| {
            std::io::Seek::rewind(&mut lines)?;
            let mut counted = Counted { out: file, bytes: 0, digest: Sha256::new() };
            let mut rows: Box<dyn Rows + '_> = form.rows(table, &mut counted)?;
            for line in std::io::BufRead::lines(std::io::BufReader::new(&lines)) {
                rows.put(&serde_json::from_slice(line?.as_bytes())?)?;
            }
            rows.end()?;
            written =
                Some(Written { bytes: counted.bytes, sha256: hex(&counted.digest.finalize()) });
            Ok(())
        })?;
        self.known.insert(day, Entry { rows, digest, file: written });
        self.done.written.push(day);
        Ok(())
    }

    /// Ends the table; days of the range that have no rows any more lose their files.
    fn end(
        mut self,
        (from, to): (Option<Day>, Option<Day>),
    ) -> Result<(BTreeMap<Day, Entry>, Done)> {
        self.close()?;
        let asked = |day: &Day| from.is_none_or(|f| f <= *day) && to.is_none_or(|t| *day <= t);
        let gone = |day: &&Day| asked(day) && !self.seen.contains(*day);
        let gone: Vec<Day> = self.known.keys().filter(gone).copied().collect();
        for day in gone {
            let path = self.path(day);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove {}", path.display()));
                }
                _ => {}
            }
            self.known.remove(&day);
            self.done.removed.push(day);
        }
        Ok((self.known, self.done))
    }

    fn path(&self, day: Day) -> PathBuf {
        self.dir.join(format!("{day}.{}", self.form.name()))
    }
}

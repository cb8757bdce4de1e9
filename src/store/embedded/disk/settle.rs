//! Putting a map in order: the latest rows become a sheet, and sheets are merged where a level has grown
//! beyond its size. A file is removed when no list names it and no reader reads it; the list is
//! replaced as a whole, so a crash at any instant leaves the map as it was before or after.
//!
//! Must not know: what the keys and values mean.

use std::sync::Arc;

use super::journal::Journal;
use super::levels::{Levels, Merge, Run};
use super::sheet::{About, Sheet, Writer, path_of};
use super::{DiskKv, Writing, journal_path, spare_path};
use crate::store::Result;
use crate::store::embedded::abort::abort_point;

/// Sheets on level 0 that are merged together.
const PILE: usize = 4;
/// Bytes of level 1; each further level may have ten times as much.
const FIRST: u64 = if cfg!(test) { 64 << 10 } else { 8 << 20 };
const TIMES: u64 = 10;
/// Bytes of a sheet that a merge makes.
const SHEET: u64 = if cfg!(test) { 8 << 10 } else { 2 << 20 };
/// A journal may be so many times as long as what it says: rows are overwritten.
const JOURNAL: u64 = 2;

/// The first key after `key`.
fn after(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

impl DiskKv {
    /// Does what is due, a little at a time.
    pub(super) fn keep_up(&self, writing: &mut Writing) -> Result<()> {
        let recent = self.shape.recent;
        if self.state().bytes >= recent || writing.journal.len() >= JOURNAL * recent as u64 {
            self.turn(writing)?;
        }
        if !writing.tired {
            let levels = self.state().levels.clone();
            if let Some((level, sheets)) = due(&levels, writing) {
                writing.tired = true;
                self.merge(writing, &levels, level, sheets)?;
                writing.tired = false;
            }
        }
        Ok(())
    }

    /// Makes a sheet of the latest rows, and begins a new journal.
    pub(super) fn turn(&self, writing: &mut Writing) -> Result<()> {
        if self.state().recent.is_empty() {
            return Ok(());
        }
        let number = writing.number();
        let sheet = || {
            // Only the holder of `writing` changes them: readers go on reading.
            let state = self.state();
            let mut sheet = Writer::create(&self.path, number, &self.shape)?;
            for (key, value) in &state.recent {
                sheet.push(key, value.as_deref())?;
            }
            sheet.finish()
        };
        let about = sheet().inspect_err(|_| self.remove(&[number]))?;
        let journal_number = writing.number();
        let journal = Journal::create(
            journal_path(&self.path, journal_number),
            journal_number,
            Some(&spare_path(&self.path)),
        )
        .inspect_err(|_| self.remove(&[number]))?;
        let mut levels = Levels::clone(&self.state().levels);
        if levels.0.is_empty() {
            levels.0.push(Vec::new());
        }
        if let Some(first) = levels.0.first_mut() {
            first.push(Arc::new(Sheet::new(&self.path, about)));
        }
        abort_point("sheet-written");
        levels.listed(journal_number, writing.next).write(&self.path).inspect_err(|_| {
            self.remove(&[number]);
            let _ = std::fs::remove_file(journal_path(&self.path, journal_number));
        })?;
        abort_point("sheet-listed");
        {
            let mut state = self.change();
            state.levels = Arc::new(levels);
            state.recent.clear();
            state.bytes = 0;
        }
        writing.journal_number = journal_number;
        writing.tired = false;
        std::mem::replace(&mut writing.journal, journal).leave(&spare_path(&self.path))
    }

    /// Merges everything into one level; `false` if nothing was to be done. Other writers come in
    /// between its steps.
    pub(super) fn merge_all(&self) -> Result<bool> {
        self.turn(&mut self.writing())?;
        let mut level = 0;
        let mut done = false;
        loop {
            let mut writing = self.writing();
            let levels = self.state().levels.clone();
            let last = levels.0.iter().rposition(|sheets| !sheets.is_empty()).unwrap_or(0);
            let sheets = levels.0.get(level).map(Vec::as_slice).unwrap_or_default();
            if level > last || level == last && level > 0 {
                writing.journal.shrink()?;
                let _ = std::fs::remove_file(spare_path(&self.path));
                return Ok(done);
            }
            let some = if level == 0 { sheets } else { sheets.get(..1).unwrap_or_default() };
            if some.is_empty() {
                level += 1;
                continue;
            }
            self.merge(&mut writing, &levels, level, some.to_vec())?;
            done = true;
        }
    }

    /// Merges sheets of a level into the next one.
    fn merge(
        &self,
        writing: &mut Writing,
        levels: &Levels,
        level: usize,
        sheets: Vec<Arc<Sheet>>,
    ) -> Result<()> {
        let first =
            sheets.iter().map(|sheet| &sheet.about.first).min().cloned().unwrap_or_default();
        let last = sheets.iter().map(|sheet| &sheet.about.last).max().cloned().unwrap_or_default();
        let to = after(&last);
        let below = levels.overlapping(level + 1, &first, &to);
        // Below the last level that knows a key nobody needs to be told that it was removed.
        let deepest = (level + 2..levels.0.len())
            .all(|deep| levels.overlapping(deep, &first, &to).is_empty());
        let removed = sheets.iter().any(|sheet| sheet.about.removed > 0);
        let mut written = Vec::new();
        let moved = level > 0 && below.is_empty() && !(deepest && removed);
        if !moved {
            let mut runs = Vec::new();
            if level == 0 {
                runs.extend(sheets.iter().rev().map(|sheet| Run::new(vec![sheet.clone()], false)));
            } else {
                runs.push(Run::new(sheets.clone(), false));
            }
            runs.push(Run::new(below.clone(), false));
            let from = writing.next;
            written = self.write(writing, runs, deepest).inspect_err(|_| {
                self.remove(&(from..writing.next).collect::<Vec<_>>());
            })?;
        }
        let mut new = levels.clone();
        while new.0.len() < level + 2 {
            new.0.push(Vec::new());
        }
        let gone = |sheet: &Arc<Sheet>, among: &[Arc<Sheet>]| {
            among.iter().any(|other| other.about.number == sheet.about.number)
        };
        if let Some(here) = new.0.get_mut(level) {
            here.retain(|sheet| !gone(sheet, &sheets));
        }
        if let Some(next) = new.0.get_mut(level + 1) {
            next.retain(|sheet| !gone(sheet, &below));
            next.extend(
                written.iter().map(|about| Arc::new(Sheet::new(&self.path, about.clone()))),
            );
            if moved {
                next.extend(sheets.iter().cloned());
            }
            next.sort_by(|a, b| a.about.first.cmp(&b.about.first));
        }
        abort_point("merge-written");
        new.listed(writing.journal_number, writing.next).write(&self.path).inspect_err(|_| {
            self.remove(&written.iter().map(|about| about.number).collect::<Vec<_>>());
        })?;
        abort_point("merge-listed");
        self.change().levels = Arc::new(new);
        if !moved {
            sheets.iter().chain(&below).for_each(|sheet| sheet.drop_file());
        }
        if writing.merged.len() <= level {
            writing.merged.resize(level + 1, Vec::new());
        }
        if let Some(merged) = writing.merged.get_mut(level) {
            *merged = last;
        }
        Ok(())
    }

    /// Writes runs as sheets of the usual size.
    fn write(&self, writing: &mut Writing, runs: Vec<Run>, deepest: bool) -> Result<Vec<About>> {
        let mut merge = Merge::new(runs, &self.cache, &[])?;
        let (mut written, mut open): (_, Option<Writer>) = (Vec::new(), None);
        while let Some((key, value)) = merge.row() {
            if value.is_some() || !deepest {
                let mut sheet = match open.take() {
                    Some(sheet) => sheet,
                    None => Writer::create(&self.path, writing.number(), &self.shape)?,
                };
                sheet.push(key, value)?;
                if sheet.bytes() < SHEET {
                    open = Some(sheet);
                } else {
                    written.push(sheet.finish()?);
                }
            }
            merge.advance()?;
        }
        if let Some(sheet) = open {
            written.push(sheet.finish()?);
        }
        Ok(written)
    }

    /// Removes files that no list names.
    fn remove(&self, numbers: &[u64]) {
        for number in numbers {
            // If one stays, the next opening removes it.
            let _ = std::fs::remove_file(path_of(&self.path, *number));
        }
    }
}

impl Writing {
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

/// What is to be merged next: a level, and which of its sheets.
fn due(levels: &Levels, writing: &Writing) -> Option<(usize, Vec<Arc<Sheet>>)> {
    let first = levels.0.first()?;
    if first.len() >= PILE {
        return Some((0, first.clone()));
    }
    let mut most = FIRST;
    for (level, sheets) in levels.0.iter().enumerate().skip(1) {
        if levels.bytes(level) > most {
            // In turn, so that all parts of the level are merged equally often.
            let behind = writing.merged.get(level).map(Vec::as_slice).unwrap_or_default();
            let at = sheets.partition_point(|sheet| sheet.about.last.as_slice() <= behind);
            let sheet = sheets.get(at).or(sheets.first())?;
            return Some((level, vec![sheet.clone()]));
        }
        most *= TIMES;
    }
    None
}

//! How the index is kept up to date: what the log says came and went since the last commit, everything where
//! the log does not reach back that far, and what has left by age.
//!
//! Must not know: when this is done, questions.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use flate2::Crc;
use tantivy::directory::error::LockError;
use tantivy::directory::footer::Footer;
use tantivy::directory::{Directory, MmapDirectory};
use tantivy::indexer::IndexWriterOptions;
use tantivy::{HasLen, Index, IndexReader, IndexWriter, ReloadPolicy, TantivyError, Term};

use crate::model::{ArticleRecord, Millis, UrlKey};
use crate::store::{LogPosition, Logged, Store, visit};

use super::index::{Payload, Search, guarded, lock, position};
use super::schema::{HIGH, LOW, PASSAGES, Passages, SEEN, key_of};
use super::{Failed, Kept};

/// Entries of the log taken over in one commit.
const SOME: usize = 2_000;
/// Bytes of a file that are read at a time.
const PIECE: usize = 1 << 20;

impl Search {
    /// Brings the index up to date with the log of the store; makes it anew where that is not possible, or
    /// it is damaged. Articles that have lost their text by `now` are not in it. `go_on` is asked now and
    /// then. Blocks.
    ///
    /// # Errors
    /// [`Failed::Busy`]: another process does it.
    pub fn keep_up(
        &self,
        store: &dyn Store,
        now: Millis,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Kept, Failed> {
        let since = self.since(now);
        let mut held = lock(&self.writer);
        let kept = guarded(|| {
            if held.is_none() {
                *held = Some(self.writer()?);
            }
            let writer = held.as_mut().ok_or(Failed::None)?;
            let metas = writer.index().load_metas()?;
            self.catch_up(writer, store, position(metas.payload.as_deref()), since, go_on)
        });
        match kept {
            Err(Failed::Damaged(why)) => {
                tracing::warn!(why, "the index for search is damaged; it is made anew");
                self.make(&mut held, store, since, go_on)
            }
            kept => kept,
        }
    }

    /// Makes the index anew. What there is stays in use until that is done.
    ///
    /// # Errors
    /// [`Failed::Busy`]: another process writes it.
    pub fn rebuild(
        &self,
        store: &dyn Store,
        now: Millis,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Kept, Failed> {
        let mut held = lock(&self.writer);
        self.make(&mut held, store, self.since(now), go_on)
    }

    /// Writes articles as those of a store without a log, so many in a part.
    #[cfg(test)]
    pub(super) fn write(&self, records: &[ArticleRecord], part: usize) -> Result<(), Failed> {
        let mut writer = self.writer()?;
        for records in records.chunks(part) {
            for record in records {
                self.put(&writer, record, Millis::MIN)?;
            }
            commit(&mut writer, LogPosition::default())?;
        }
        Ok(())
    }

    /// Takes articles out as if they had been forgotten.
    #[cfg(test)]
    pub(super) fn remove(&self, keys: &[UrlKey]) -> Result<(), Failed> {
        let mut writer = self.writer()?;
        keys.iter().for_each(|key| self.take_out(&writer, *key));
        commit(&mut writer, LogPosition::default())?;
        scrub(&mut writer)
    }

    /// Lets others write: they need not wait for this process to end.
    pub fn leave(&self) {
        *lock(&self.writer) = None;
    }

    /// Checks the sums of all files; a damaged index is made anew at the next [`Search::keep_up`].
    ///
    /// # Errors
    /// [`Failed::Damaged`].
    pub fn check(&self) -> Result<(), Failed> {
        let dir = self.dir()?;
        guarded(|| {
            let index = self.open(&dir)?.index;
            let written = index.directory().list_managed_files();
            for name in index.load_metas()?.list_segment_files().intersection(&written) {
                if !is_whole(&dir, name)? {
                    let what = format!("{} is not as it was written", name.display());
                    return Err(Failed::Damaged(what));
                }
            }
            Ok(())
        })
    }

    /// Removes the files of the index.
    fn wipe(&self) -> Result<(), Failed> {
        let dir = self.dir()?;
        *lock(&self.opened) = None;
        match std::fs::remove_dir_all(&dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failed::Unwritable(format!("{}: {error}", dir.display())))
            }
            _ => Ok(()),
        }
    }

    fn writer(&self) -> Result<IndexWriter, Failed> {
        let dir = self.dir()?;
        let unwritable = |why: String| Failed::Unwritable(format!("{}: {why}", dir.display()));
        std::fs::create_dir_all(&dir).map_err(|why| unwritable(why.to_string()))?;
        let files = MmapDirectory::open(&dir).map_err(|why| unwritable(why.to_string()))?;
        let index = Index::open_or_create(files, self.fields.schema.clone())?;
        index.tokenizers().register(PASSAGES, Passages);
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(self.settings.memory_mib << 20)
            .build();
        match index.writer_with_options(options) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) => {
                Err(Failed::Busy(dir.display().to_string()))
            }
            Err(TantivyError::LockFailure(why, _)) => Err(unwritable(why.to_string())),
            writer => Ok(writer?),
        }
    }

    /// Takes over what the log says since `from`; everything, if that is not known or the log does not reach
    /// back that far.
    fn catch_up(
        &self,
        writer: &mut IndexWriter,
        store: &dyn Store,
        from: Option<LogPosition>,
        since: Millis,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Kept, Failed> {
        let mut kept = Kept::default();
        let mut at = match from {
            Some(at) => at,
            None => self.fill(writer, store, since, go_on, &mut kept)?,
        };
        while at != store.log_end()? {
            if !go_on() {
                return Err(Failed::Stopped);
            }
            let mut entries: Vec<(LogPosition, Logged)> = Vec::new();
            let leads = store.log_since(at, &mut |place, logged| {
                entries.push((place, logged));
                entries.len() < SOME
            })?;
            if !leads || entries.is_empty() {
                // Of a log that has just been read this is the next round's to find out again.
                if kept.anew {
                    break;
                }
                at = self.fill(writer, store, since, go_on, &mut kept)?;
                continue;
            }
            for (place, logged) in entries {
                at = place;
                let record = if logged.gone { None } else { store.article(logged.article)? };
                self.take_out(writer, logged.article);
                kept.gone += u64::from(logged.gone);
                if let Some(record) = record {
                    kept.written += u64::from(self.put(writer, &record, since)?);
                }
            }
            commit(writer, at)?;
        }
        let aged = self.let_go(writer, since)?;
        if aged > 0 {
            commit(writer, at)?;
        }
        kept.gone += aged;
        if kept.gone > 0 {
            scrub(writer)?;
        }
        Ok(kept)
    }

    /// A new index in place of whatever there is.
    fn make(
        &self,
        held: &mut Option<IndexWriter>,
        store: &dyn Store,
        since: Millis,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Kept, Failed> {
        let make = |held: &mut Option<IndexWriter>| {
            guarded(|| {
                if held.is_none() {
                    *held = Some(self.writer()?);
                }
                let writer = held.as_mut().ok_or(Failed::None)?;
                self.catch_up(writer, store, None, since, go_on)
            })
        };
        match make(held) {
            Err(Failed::Damaged(_)) => {
                // Nothing of it is of use. Who holds the lock is us, or nobody.
                *held = None;
                self.wipe()?;
                make(held)
            }
            made => made,
        }
    }

    /// Writes all articles in place of what is there, and returns where the log was before. What came
    /// meanwhile may be among them.
    fn fill(
        &self,
        writer: &mut IndexWriter,
        store: &dyn Store,
        since: Millis,
        go_on: &dyn Fn() -> bool,
        kept: &mut Kept,
    ) -> Result<LogPosition, Failed> {
        let at = store.log_end()?;
        writer.delete_all_documents()?;
        kept.anew = true;
        self.building.store(0, Relaxed);
        let filled = visit(
            |each| store.articles(None, None, each),
            |record: ArticleRecord| {
                if !go_on() {
                    return Err(Failed::Stopped);
                }
                kept.written += u64::from(self.put(writer, &record, since)?);
                self.building.store(kept.written, Relaxed);
                Ok(ControlFlow::Continue(()))
            },
        );
        let filled = filled.and_then(|()| commit(writer, at));
        self.building.store(u64::MAX, Relaxed);
        match &filled {
            Ok(()) => self.leave_earlier(),
            // What was written goes, the last commit stays.
            Err(_) => drop(writer.rollback()),
        }
        filled.map(|()| at)
    }

    /// Writes an article, if it has a text that stays.
    fn put(
        &self,
        writer: &IndexWriter,
        record: &ArticleRecord,
        since: Millis,
    ) -> Result<bool, Failed> {
        let wanted = record.has_text() && record.first_seen >= since;
        if wanted {
            writer.add_document(self.fields.document(record))?;
        }
        Ok(wanted)
    }

    fn take_out(&self, writer: &IndexWriter, article: UrlKey) {
        writer.delete_term(Term::from_field_bytes(self.fields.key, &article.0.to_be_bytes()));
    }

    /// Takes out what was first seen before an instant. Returns how many.
    fn let_go(&self, writer: &IndexWriter, since: Millis) -> Result<u64, Failed> {
        if since == self.let_go.load(Relaxed) {
            return Ok(0);
        }
        let index = writer.index();
        let reader: IndexReader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let mut gone = 0;
        for segment in searcher.segment_readers() {
            let columns = segment.fast_fields();
            let (seen, high, low) = (columns.i64(SEEN)?, columns.u64(HIGH)?, columns.u64(LOW)?);
            if segment.num_docs() == 0 || seen.min_value() >= since {
                continue;
            }
            for doc in segment.doc_ids_alive() {
                if seen.first(doc).is_some_and(|at| at < since)
                    && let Some((high, low)) = high.first(doc).zip(low.first(doc))
                {
                    self.take_out(writer, key_of(high, low));
                    gone += 1;
                }
            }
        }
        self.let_go.store(since, Relaxed);
        Ok(gone)
    }
}

fn commit(writer: &mut IndexWriter, position: LogPosition) -> Result<(), Failed> {
    let payload = serde_json::to_string(&Payload { position });
    let mut commit = writer.prepare_commit()?;
    commit.set_payload(&payload.map_err(|why| Failed::Damaged(why.to_string()))?);
    commit.commit()?;
    Ok(())
}

/// Writes anew every part that still holds words of what was taken out, and removes the old files: what is
/// forgotten is gone from the disk.
fn scrub(writer: &mut IndexWriter) -> Result<(), Failed> {
    let parts = writer.index().searchable_segment_metas()?;
    for part in parts.into_iter().filter(|part| part.num_deleted_docs() > 0) {
        // One that is being merged with others loses them there.
        if let Err(why) = writer.merge(&[part.id()]).wait() {
            tracing::debug!(%why, "a part of the index is cleaned later");
        }
    }
    writer.garbage_collect_files().wait()?;
    Ok(())
}

/// Is a file's sum that at its end? It is read piece by piece: of a mapped file all that has been read would
/// count as memory of this process.
fn is_whole(dir: &Path, name: &Path) -> Result<bool, Failed> {
    // An index's own directory leaves the end of a file out.
    let files = MmapDirectory::open(dir).map_err(TantivyError::from)?;
    let mapped = files.open_read(name).map_err(TantivyError::from)?;
    let (footer, body) = Footer::extract_footer(mapped)?;
    let (mut sum, mut piece) = (Crc::new(), vec![0; PIECE]);
    let mut rest = File::open(dir.join(name))?.take(body.len() as u64);
    loop {
        match rest.read(&mut piece)? {
            0 => return Ok(footer.crc == sum.sum()),
            read => sum.update(&piece[..read]),
        }
    }
}

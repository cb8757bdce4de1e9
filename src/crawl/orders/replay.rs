//! Replay: archived pages are extracted again with another model, and what that would change in the
//! counts is shown before anything is switched.
//!
//! Must not know: the network, how a store is laid out, how results are printed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::archive::{self, Http, ReadError, Record};
use crate::extract::Model;
use crate::frontier::{Address, address};
use crate::model::*;

use crate::crawl::Engine;
use crate::crawl::web::page::{Answer, Found, Read, read};

/// Bytes of archived pages that are held at once.
const HELD: usize = 32 << 20;
/// Damaged answers that are named, and other records.
pub const NAMED: u64 = 100;

/// What to replay.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// WARC files, or directories of them.
    pub archives: Vec<PathBuf>,
    /// Publication days, before or after; inclusive.
    pub from: Option<Day>,
    pub to: Option<Day>,
}

/// What one brand's count of one day becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// Articles that count the brand, before and after.
    pub articles: [u64; 2],
    /// Counted mentions, before and after.
    pub mentions: [u64; 2],
}

/// A line of the difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub brand: String,
    pub day: Day,
    #[serde(flatten)]
    pub shift: Shift,
}

/// The difference that another model would make.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// Model that pages were extracted with now.
    pub model: String,
    /// Answers of the archive that belong to an entry of the store and had been read as pages.
    pub pages: u64,
    /// Answers whose URL the store does not know (any more).
    pub unknown: u64,
    /// Articles whose text stays as it is, and whose text becomes another.
    pub same: u64,
    pub changed: u64,
    /// Articles whose text has left by age: their counts stay, and the text does not come back.
    #[serde(default)]
    pub without_text: u64,
    /// Pages that become an article now, and articles that are no longer articles.
    pub gained: u64,
    pub lost: u64,
    /// Articles whose pages were read with a memory of their outlet that cannot be made again: they are
    /// read without one now.
    #[serde(default)]
    pub without_memory: u64,
    /// Brands and days whose counts differ.
    pub changes: Vec<Change>,
    /// Brand and day pairs that were compared.
    pub compared: u64,
    /// Answers, and records of which that is not known, that are not what was written: they are left out.
    #[serde(default)]
    pub damaged: u64,
    /// The first of them, and the files that could not be read to their end, in words.
    pub trouble: Vec<String>,
}

/// Extracts the archived pages with a model (content of its file; `None`: the one in use) and
/// compares. `rewritten` gets the new record of every
/// article whose text or title becomes another; nothing is written here.
pub fn replay(
    engine: &Engine,
    plan: &Plan,
    model: Option<&[u8]>,
    rewritten: &mut dyn FnMut(ArticleRecord) -> Result<()>,
) -> Result<Replay> {
    let model = match model {
        Some(bytes) => Arc::new(Model::load(bytes)?),
        None => engine.model()?,
    };
    let model = model.as_ref();
    let files = files(plan)?;
    let limit = u64::from(engine.settings.fetch.page_cap) + (1 << 20);
    let mut sum =
        Sum { done: Replay { model: model.id().into(), ..Replay::default() }, ..Sum::default() };
    let records_read = each(&files, limit, &mut |file, seen| {
        match seen {
            Seen::Answers(held) => return sum.choose(engine, &held),
            Seen::Damaged(record) => sum.damaged(file, &record),
            Seen::Ended(error) => {
                let trouble = format!("not read to the end: {}: {error}", file.display());
                sum.done.trouble.push(trouble);
            }
        }
        Ok(())
    })?;
    if records_read == 0 {
        let trouble = sum.done.trouble.join("; ");
        let why = if trouble.is_empty() { "the files are empty" } else { &trouble };
        bail!("no archived page can be read: {why}");
    }
    // Which answer a page was made of is known when all were seen; holding them would be too much.
    let chosen: HashSet<u64> = sum.chosen.drain().map(|(_, answer)| answer.number).collect();
    each(&files, limit, &mut |_, seen| match seen {
        Seen::Answers(mut held) => {
            held.retain(|(number, _)| chosen.contains(number));
            sum.take(engine, plan, model, held, rewritten)
        }
        Seen::Damaged(_) | Seen::Ended(_) => Ok(()),
    })?;
    Ok(sum.finish())
}

fn files(plan: &Plan) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in &plan.archives {
        let files = archive::files(path)
            .with_context(|| format!("cannot read the archive {}", path.display()))?;
        if files.is_empty() {
            bail!("no archive in {}: WARC files end in .warc or .warc.gz", path.display());
        }
        all.extend(files);
    }
    Ok(all)
}

/// An answer, numbered in the order of the archive.
type Numbered = (u64, Record);

/// What is met in a file.
enum Seen {
    /// As many answers as are held at once.
    Answers(Vec<Numbered>),
    Damaged(Record),
    /// It cannot be read any further.
    Ended(ReadError),
}

/// Reads the files; returns how many records could be read.
fn each(
    files: &[PathBuf],
    limit: u64,
    seen: &mut dyn FnMut(&Path, Seen) -> Result<()>,
) -> Result<u64> {
    let (mut records_read, mut number) = (0, 0);
    for file in files {
        let open = || archive::records(BufReader::new(File::open(file)?), limit);
        let records = open().with_context(|| format!("cannot read {}", file.display()))?;
        let (mut held, mut bytes) = (Vec::new(), 0);
        for record in records {
            records_read += u64::from(record.is_ok());
            match record {
                Ok(record) if record.damaged => seen(file, Seen::Damaged(record))?,
                Ok(record) if record.kind != "response" || record.too_long => {}
                Ok(record) => {
                    bytes += record.block.len();
                    held.push((number, record));
                    number += 1;
                }
                Err(error) => {
                    seen(file, Seen::Ended(error))?;
                    break;
                }
            }
            if bytes >= HELD {
                seen(file, Seen::Answers(std::mem::take(&mut held)))?;
                bytes = 0;
            }
        }
        seen(file, Seen::Answers(held))?;
    }
    Ok(records_read)
}

/// Brand and day.
type Cell = (String, Day);

/// The answer that a page is read from.
#[derive(Clone, Copy)]
struct Chosen {
    number: u64,
    at: Option<Millis>,
}

#[derive(Default)]
struct Sum {
    done: Replay,
    chosen: HashMap<UrlKey, Chosen>,
    cells: BTreeMap<Cell, Shift>,
    /// Damaged records that are no answers.
    others_damaged: u64,
}

/// A page before and after.
struct Pair {
    /// It had been read with a memory that cannot be made again.
    without_memory: bool,
    before: Option<(ArticleRecord, Vec<MentionRow>)>,
    after: Option<(ArticleRecord, Vec<MentionRow>)>,
}

impl Sum {
    /// Names a damaged record. What is no answer is not missed; that the disk damages files is worth to be known.
    fn damaged(&mut self, file: &Path, record: &Record) {
        let met = match record.kind.as_str() {
            "" | "response" => &mut self.done.damaged,
            _ => &mut self.others_damaged,
        };
        *met += 1;
        if *met > NAMED {
            return;
        }
        let file = file.display();
        let uri = record.uri.as_deref();
        self.done.trouble.push(match record.kind.as_str() {
            "response" => {
                let uri = uri.unwrap_or("an answer without an address");
                format!("left out, for it is damaged: {uri} in {file}")
            }
            "" => format!("left out, for it is damaged: a record that cannot be read in {file}"),
            kind => {
                let uri = uri.map(|uri| format!(" of {uri}")).unwrap_or_default();
                format!("damaged, but no answer: the record `{kind}`{uri} in {file}")
            }
        });
    }

    /// Of the answers of a page, the one that its article was made of: the last that came before it. Where there
    /// is no article, or none came before, the last.
    fn choose(&mut self, engine: &Engine, records: &[Numbered]) -> Result<()> {
        let keys: Vec<Result<Option<UrlKey>>> = records
            .par_iter()
            .map(|(_, record)| Ok(page(engine, record)?.map(|page| page.url.key)))
            .collect();
        for (key, (number, record)) in keys.into_iter().zip(records) {
            let Some(key) = key? else {
                self.done.unknown += 1;
                continue;
            };
            let new = Chosen { number: *number, at: record.at };
            let Some(known) = self.chosen.get_mut(&key) else {
                self.chosen.insert(key, new);
                continue;
            };
            let read = engine.store.article(key)?.map(|article| article.fetched);
            let rank = |answer: &Chosen| {
                let before = read.is_none_or(|read| answer.at.is_some_and(|at| at <= read));
                (before, answer.at, answer.number)
            };
            if rank(&new) > rank(known) {
                *known = new;
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        engine: &Engine,
        plan: &Plan,
        model: &Model,
        records: Vec<Numbered>,
        rewritten: &mut dyn FnMut(ArticleRecord) -> Result<()>,
    ) -> Result<()> {
        let pairs: Vec<Result<Option<Pair>>> =
            records.par_iter().map(|(_, record)| pair(engine, model, record)).collect();
        for found in pairs {
            let Some(pair) = found? else { continue };
            let within = |side: &Option<(ArticleRecord, Vec<MentionRow>)>| {
                side.as_ref().is_some_and(|(record, _)| {
                    let day = record.published.day;
                    plan.from.is_none_or(|from| day >= from) && plan.to.is_none_or(|to| day <= to)
                })
            };
            if pair.before.is_some() || pair.after.is_some() {
                if !within(&pair.before) && !within(&pair.after) {
                    continue;
                }
            } else if plan.from.is_some() || plan.to.is_some() {
                continue;
            }
            self.done.pages += 1;
            if pair.before.as_ref().is_some_and(|(before, _)| !before.has_text()) {
                self.done.without_text += 1;
                continue;
            }
            self.done.without_memory += u64::from(pair.without_memory);
            self.compare(&pair);
            if let (Some((before, _)), Some((after, _))) = (pair.before, pair.after) {
                let same = before.article.text == after.article.text
                    && before.article.title == after.article.title
                    && before.published == after.published
                    && before.agencies == after.agencies;
                if same {
                    self.done.same += 1;
                } else {
                    self.done.changed += 1;
                    // What the crawl saw and when stays; only what was made of it changes.
                    rewritten(ArticleRecord { fetched: before.fetched, ..after })?;
                }
            }
        }
        Ok(())
    }

    fn compare(&mut self, pair: &Pair) {
        self.done.gained += u64::from(pair.before.is_none() && pair.after.is_some());
        self.done.lost += u64::from(pair.before.is_some() && pair.after.is_none());
        for (side, found) in [&pair.before, &pair.after].into_iter().enumerate() {
            for row in found.iter().flat_map(|(_, rows)| rows).filter(|row| row.counted > 0) {
                let shift = self.cells.entry((row.brand.clone(), row.day)).or_default();
                shift.articles[side] += 1;
                shift.mentions[side] += u64::from(row.counted);
            }
        }
    }

    fn finish(mut self) -> Replay {
        self.done.compared = self.cells.len() as u64;
        let differs = |s: &Shift| s.articles[0] != s.articles[1] || s.mentions[0] != s.mentions[1];
        self.done.changes = self
            .cells
            .into_iter()
            .filter(|(_, shift)| differs(shift))
            .map(|((brand, day), shift)| Change { brand, day, shift })
            .collect();
        self.done
    }
}

/// An archived answer that a page of ours was, or may have been, made of.
struct Page<'a> {
    http: Http<'a>,
    at: Address,
    url: UrlRecord,
}

/// Whose answer it is; `None`: not a page of ours.
fn page<'a>(engine: &Engine, record: &'a Record) -> Result<Option<Page<'a>>> {
    let Some(http) = archive::http(&record.block) else { return Ok(None) };
    let Some(at) = record.uri.as_deref().and_then(|uri| address(uri, None).ok()) else {
        return Ok(None);
    };
    // Other tools keep bodies as they were sent; ours are decoded.
    let coded = http.values("content-encoding").next().is_some()
        || http.values("transfer-encoding").next().is_some();
    if !(200..300).contains(&http.status) || coded {
        return Ok(None);
    }
    let Some(url) = engine.store.url(at.key)? else { return Ok(None) };
    let read =
        matches!(url.outcome, Outcome::Article | Outcome::NotArticle(_) | Outcome::OtherPage(_));
    Ok(read.then_some(Page { http, at, url }))
}

/// An archived answer beside what the store has; `None`: not a page of ours.
fn pair(engine: &Engine, model: &Model, record: &Record) -> Result<Option<Pair>> {
    let Some(Page { http, at, url }) = page(engine, record)? else { return Ok(None) };
    // The page was made of this answer, whose body was not kept: an earlier one would be another page.
    if record.truncated && http.body.is_empty() {
        return Ok(None);
    }
    let before = match engine.store.article(url.key)? {
        Some(article) => Some((article, engine.store.mentions_of(url.key)?)),
        None => None,
    };
    let feed = engine.store.feed(url.feed)?;
    let content_type = http.values("content-type").next();
    let robots: Vec<String> = http.values("x-robots-tag").collect();
    let reservation = http.values("tdm-reservation").next();
    let disposition = http.values("content-disposition").next();
    let answer = Answer {
        content_type: content_type.as_deref(),
        body: http.body,
        robots_tag: &robots,
        reservation: reservation.as_deref(),
        disposition: disposition.as_deref(),
        // What an article is called is not compared.
        canonical: None,
    };
    let used = before.as_ref().and_then(|(article, _)| article.memory.as_ref());
    let memory = match used {
        Some(used) => Some(engine.memories.of(engine.store.as_ref(), &at.outlet, used.before)?),
        None => None,
    };
    // Of other pages perhaps, but it knows the same texts.
    let sum = |used: &MemoryUsed| used.sum.clone();
    let memory = memory.filter(|made| made.used.as_ref().map(sum) == used.map(sum));
    let without_memory = used.is_some() && memory.is_none();
    let found = Found { record: url, feed, at: Box::new(at), memory };
    let after = match read(engine, model, &found, &answer) {
        Read::Article { article, .. } => Some((article.record, article.mentions)),
        Read::Ended(_) | Read::Moved(_) => None,
    };
    Ok(Some(Pair { without_memory, before, after }))
}

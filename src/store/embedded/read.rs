//! Reading what is committed: articles, stories, mention rows, tallies, ledger. Readers
//! take no lock; beside a running writer a long scan sees each record as it is when it gets there.
//!
//! Must not know: the writer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use super::Embedded;
use super::format::keys::{self, Parts, key, said};
use super::format::{Pointer, PollSums};
use super::stories::sized;
use super::tx::current_version;
use crate::model::*;
use crate::store::embedded::kv::end_of;
use crate::store::rules::ledger::LedgerRow;
use crate::store::rules::sums;
use crate::store::{Each, Filter, Ledger, Reading, Result, StoreError, visit};

/// Magnitude of the largest story that can be.
const LARGEST: u8 = 63;

/// Bounds of a scan over days, both inclusive, under a key that ends before the day.
pub fn day_range(prefix: &[u8], from: Option<Day>, to: Option<Day>) -> (Vec<u8>, Vec<u8>) {
    let with = |day: Day| [prefix, &key(0).day(day).done()[1..]].concat();
    let start = from.map_or_else(|| prefix.to_vec(), with);
    let end = to.map_or_else(|| end_of(prefix), |day| end_of(&with(day)));
    (start, end)
}

/// The last two parts of a key of a day index.
pub fn day_and_id(index_key: &[u8]) -> Option<(Day, UrlKey)> {
    said(index_key, 1, |parts| Some((parts.day()?, parts.id()?)))
}

fn matches(filter: &Filter, row: &MentionRow) -> bool {
    filter.outlet.as_ref().is_none_or(|outlet| *outlet == row.outlet)
        && (filter.language.is_none() || filter.language == row.language)
}

impl Reading for Embedded {
    fn url(&self, id: UrlKey) -> Result<Option<UrlRecord>> {
        self.view().url_or_alias(id)
    }

    fn urls(&self, each: Each<UrlRecord>) -> Result<()> {
        for row in self.view().prefix(&[keys::URL]) {
            if !each(row?.1) {
                break;
            }
        }
        Ok(())
    }

    fn credit(&self, id: UrlKey) -> Result<Credit> {
        let pointer: Option<Pointer> = self.view().get(&key(keys::POINTER).id(id).done())?;
        let Some(Pointer { month, credit, .. }) = pointer else { return Ok(Credit::Unasked) };
        match credit {
            Some(credit) => Ok(credit),
            None => Ok(self.months.get(month, id)?.map_or(Credit::Unasked, |r| r.credit())),
        }
    }

    fn article(&self, id: UrlKey) -> Result<Option<ArticleRecord>> {
        let view = self.view();
        let pointer: Option<Pointer> = view.get(&key(keys::POINTER).id(id).done())?;
        let id_and_pointer = match pointer {
            Some(pointer) => Some((id, pointer)),
            None => match view.get::<UrlKey>(&key(keys::ALIAS).id(id).done())? {
                Some(article) => {
                    view.get(&key(keys::POINTER).id(article).done())?.map(|p| (article, p))
                }
                None => None,
            },
        };
        match id_and_pointer {
            Some((id, pointer)) => {
                self.months.get(pointer.month, id)?.map(Some).ok_or_else(|| StoreError::Corrupt {
                    path: view.kv.place(),
                    detail: format!("article {id} is missing from the month {}", pointer.month),
                })
            }
            None => Ok(None),
        }
    }

    fn articles(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: Each<ArticleRecord>,
    ) -> Result<()> {
        let view = self.view();
        let (start, end) = day_range(&[keys::BY_DAY], from, to);
        for row in view.scan_raw(&start, &end) {
            let (at, _) = row?;
            let (_, id) = day_and_id(&at).ok_or_else(|| view.bad_key(&at))?;
            if let Some(record) = self.article(id)?
                && !each(record)
            {
                break;
            }
        }
        Ok(())
    }

    fn story(&self, id: UrlKey) -> Result<Option<Story>> {
        let view = self.view();
        view.story(&current_version(&view)?, id)
    }

    fn story_of(&self, article: UrlKey) -> Result<Option<Story>> {
        let view = self.view();
        view.story_of(&current_version(&view)?, article)
    }

    fn story_head_of(&self, article: UrlKey) -> Result<Option<StoryHead>> {
        self.view().head_of(article)
    }

    /// Those of several articles by their magnitude, the largest first, and within it by their head; then
    /// those of one, as they stand by day.
    fn largest_stories(
        &self,
        (from, to): (Option<Day>, Option<Day>),
        after: Option<(u64, Day, UrlKey)>,
        each: Each<StoryHead>,
    ) -> Result<()> {
        let view = self.view();
        let place = |head: &StoryHead| (Reverse(head.articles), head.day, head.id);
        let behind = |head: &StoryHead| {
            after.is_none_or(|(articles, day, id)| place(head) > (Reverse(articles), day, id))
        };
        // A story that grows meanwhile is given once.
        let mut met = HashSet::new();
        for magnitude in (1..=LARGEST).rev() {
            let (start, end) = day_range(&[keys::STORY_SIZE, !magnitude], from, to);
            let mut heads = Vec::new();
            for row in view.scan_raw(&start, &end) {
                let (at, _) = row?;
                let (_, _, id) = sized(&at).ok_or_else(|| view.bad_key(&at))?;
                if met.insert(id) {
                    heads.extend(view.story_head(id)?.filter(behind));
                }
            }
            heads.sort_by_key(place);
            for head in heads {
                if !each(head) {
                    return Ok(());
                }
            }
        }
        // Where it goes on among those of one article, none of an earlier day follows.
        let from = from.max(after.filter(|(articles, ..)| *articles <= 1).map(|(_, day, _)| day));
        self.read_story_ids(from, to, &mut |id| {
            if met.contains(&id) {
                return Ok(true);
            }
            Ok(view.story_head(id)?.filter(behind).is_none_or(&mut *each))
        })
    }

    fn stories(&self, from: Option<Day>, to: Option<Day>, each: Each<Story>) -> Result<()> {
        let view = self.view();
        let version = current_version(&view)?;
        self.read_story_ids(from, to, &mut |id| {
            // Gone since the scan began: absorbed, and met under the other id.
            let Some(mut story) = view.bare_story(id)? else { return Ok(true) };
            view.add_brands(&version, &mut story)?;
            Ok(each(story))
        })
    }

    fn mention_rows(&self, filter: &Filter, each: Each<MentionRow>) -> Result<()> {
        let view = self.view();
        let version = current_version(&view)?;
        let brands = match &filter.brand {
            Some(brand) => vec![brand.clone()],
            None => self.brands_in(keys::MENTION, &version)?,
        };
        for brand in brands {
            let of = key(keys::MENTION).text(&version).text(&brand).done();
            let (start, end) = day_range(&of, filter.from, filter.to);
            for row in view.scan::<MentionRow>(&start, &end) {
                let (_, row) = row?;
                if matches(filter, &row) && !each(row) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn mentions_of(&self, article: UrlKey) -> Result<Vec<MentionRow>> {
        let view = self.view();
        let version = current_version(&view)?;
        view.mentions_of(&version, article)
    }

    /// Stored tallies, unless the filter asks for what they do not tell apart: then sums of rows.
    fn tallies(&self, filter: &Filter) -> Result<Vec<(String, Day, Tally)>> {
        if filter.outlet.is_some() || filter.language.is_some() {
            let in_days = |day: Day| {
                filter.from.is_none_or(|f| day >= f) && filter.to.is_none_or(|t| day <= t)
            };
            let sums = self.summed_tallies(filter)?;
            return Ok(sums
                .into_iter()
                .filter(|((_, day), tally)| in_days(*day) && *tally != Tally::default())
                .map(|((brand, day), tally)| (brand, day, tally))
                .collect());
        }
        let view = self.view();
        let version = current_version(&view)?;
        let brands = match &filter.brand {
            Some(brand) => vec![brand.clone()],
            None => self.brands_in(keys::TALLY, &version)?,
        };
        let mut tallies = Vec::new();
        for brand in brands {
            let of = key(keys::TALLY).text(&version).text(&brand).done();
            let (start, end) = day_range(&of, filter.from, filter.to);
            for row in view.scan::<Tally>(&start, &end) {
                let (at, tally) = row?;
                tallies.push((brand.clone(), view.part(&at, of.len(), Parts::day)?, tally));
            }
        }
        Ok(tallies)
    }

    fn ledger(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<Ledger>> {
        let view = self.view();
        let (start, end) = day_range(&[keys::LEDGER], from, to);
        let mut ledgers = Vec::new();
        for row in view.scan::<LedgerRow>(&start, &end) {
            let (at, row) = row?;
            let (day, outlet) = ledger_id(&at).ok_or_else(|| view.bad_key(&at))?;
            let count = |n: i64| u64::try_from(n).unwrap_or(0);
            ledgers.push(Ledger {
                day: Some(day),
                outlet,
                entries: count(row.entries),
                outcomes: row.outcomes.into_iter().map(|(name, n)| (name, count(n))).collect(),
                polls: Polls {
                    due: u32::try_from(row.polls_due).unwrap_or(u32::MAX),
                    succeeded: u32::try_from(row.polls_succeeded).unwrap_or(u32::MAX),
                },
                arrivals: row.arrivals.map(|n| u32::try_from(n.max(0)).unwrap_or(u32::MAX)),
                brought: row.brought,
            });
        }
        Ok(ledgers)
    }

    fn bytes(&self, outlet: &str, from: Day, to: Day) -> Result<i64> {
        let view = self.view();
        let (mut bytes, mut day) = (0, from);
        while day <= to {
            let row: Option<LedgerRow> =
                view.get(&key(keys::LEDGER).day(day).text(outlet).done())?;
            bytes += row.map_or(0, |row| row.brought.bytes);
            let Ok(next) = day.tomorrow() else { break };
            day = next;
        }
        Ok(bytes)
    }

    fn polls(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<(Day, Polls)>> {
        let view = self.view();
        let (start, end) = day_range(&[keys::POLLS], from, to);
        let rows = view.scan::<PollSums>(&start, &end).map(|row| {
            let (at, sums) = row?;
            Ok((view.part(&at, 1, Parts::day)?, sums.polls()))
        });
        rows.collect()
    }

    fn vectors(
        &self,
        since: Millis,
        each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool,
    ) -> Result<()> {
        self.read_vectors(since, each)
    }

    fn vector(&self, article: UrlKey, at: Millis) -> Result<Option<Vec<u8>>> {
        self.read_vector(&self.view(), article, at)
    }

    fn old_members(
        &self,
        before: Millis,
        each: &mut dyn FnMut(UrlKey, Millis) -> bool,
    ) -> Result<()> {
        let view = self.view();
        for head in view.prefix::<StoryHead>(&[keys::STORY]) {
            let (_, head) = head?;
            if head.newest < before || head.first.at >= before {
                continue;
            }
            for member in view.member_keys(head.id) {
                let member = member?;
                let Some(row) = view.member_row(member)? else { continue };
                // They stand in the order of their publication.
                if row.at >= before {
                    break;
                }
                if !each(member, row.at) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn excerpts_of(&self, article: UrlKey) -> Result<Vec<Excerpt>> {
        self.view().excerpts_of(article)
    }

    fn printed(&self, outlet: &str, before: Day, most: usize) -> Result<Vec<Vec<u8>>> {
        self.view().printed(outlet, before, most)
    }
}

impl Embedded {
    /// A story stands under each of its days and is given once, on the first in range.
    fn read_story_ids(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: &mut dyn FnMut(UrlKey) -> Result<bool>,
    ) -> Result<()> {
        let view = self.view();
        let (start, end) = day_range(&[keys::STORY_DAY], from, to);
        let mut given = HashSet::new();
        for row in view.scan_raw(&start, &end) {
            let (at, _) = row?;
            let (_, id) = day_and_id(&at).ok_or_else(|| view.bad_key(&at))?;
            if given.insert(id) && !each(id)? {
                break;
            }
        }
        Ok(())
    }

    /// The brands that have rows in a table (mentions or tallies), in their order: one look each, however many rows
    /// they have.
    fn brands_in(&self, table: u8, version: &str) -> Result<Vec<String>> {
        let view = self.view();
        let all = key(table).text(version).done();
        let (mut at, end) = (all.clone(), end_of(&all));
        let mut brands = Vec::new();
        while let Some(row) = view.scan_raw(&at, &end).next() {
            let (found, _) = row?;
            let brand = view.part(&found, all.len(), Parts::text)?;
            at = end_of(&key(table).text(version).text(&brand).done());
            brands.push(brand);
        }
        Ok(brands)
    }

    /// Tallies of the rows that match outlet and language. A story counts once per brand if one of
    /// the matching rows counts it, on its original's day.
    fn summed_tallies(&self, filter: &Filter) -> Result<BTreeMap<(String, Day), Tally>> {
        let view = self.view();
        let mut sums: BTreeMap<(String, Day), Tally> = BTreeMap::new();
        // Is the original one of the rows?
        let mut stories: BTreeMap<(String, UrlKey), bool> = BTreeMap::new();
        // Without days: a story may stand on another day than the member that counts.
        let all_days = Filter { from: None, to: None, ..filter.clone() };
        visit(
            |each| self.mention_rows(&all_days, each),
            |row: MentionRow| -> Result<_> {
                let change = sums::of_row(&row, view.arrival(row.article)?, 1);
                sums.entry((row.brand.clone(), row.day)).or_default().add(&change);
                if row.counted > 0
                    && let Some(member) = view.member_row(row.article)?
                {
                    let original = view.story_head(member.story)?;
                    let original =
                        original.is_some_and(|head| head.original.rank.key == row.article);
                    *stories.entry((row.brand, member.story)).or_default() |= original;
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        for ((brand, id), original) in stories {
            if let Some(head) = view.story_head(id)? {
                sums.entry((brand, head.day)).or_default().add(&sums::of_story(original, 1));
            }
        }
        Ok(sums)
    }
}

/// Brand and day of a tally's key, after its version.
pub fn brand_and_day(tally_key: &[u8], after: usize) -> Option<(String, Day)> {
    said(tally_key, after, |parts| Some((parts.text()?, parts.day()?)))
}

/// Day and outlet of a ledger's key.
pub fn ledger_id(ledger_key: &[u8]) -> Option<(Day, String)> {
    said(ledger_key, 1, |parts| Some((parts.day()?, parts.text()?)))
}

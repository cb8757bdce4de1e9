//! The shared store as a stream of items, and an empty one filled from such a stream.
//!
//! Must not know: what the items are for.

use postgres::Row;

use super::Postgres;
use super::connect::{Conn, SNAPSHOT, UNHURRIED, get, record};
use super::tx::Tx;
use super::types::{Record, article, head, member, mention_row, pace};
use super::verify::TEXTS_STAY;
use crate::model::*;
use crate::store::rules::transfer::{OtherRows, take};
use crate::store::transfer::{BEGUN, IMPORTING, Item, after_lease, refuse_unless_empty, take_over};
use crate::store::{Result, Transfer};

/// Makes an item of a row.
type Make<'a> = &'a dyn Fn(&mut Conn, &Row) -> Result<Item>;

const MENTIONS: &str = "SELECT brand, day, article, outlet, language, feed, backlog, own_outlet, \
    counted, suppressed, mentions FROM crawler_data.mentions WHERE article = $1 \
    AND version = (SELECT brand_set FROM crawler_data.state) ORDER BY brand";
const MEMBERS: &str = "SELECT * FROM crawler_data.members WHERE story = $1 \
    ORDER BY sighting, at, first_seen, article";

impl Transfer for Postgres {
    /// Everything as it is at the beginning.
    fn export(&self, each: &mut dyn FnMut(Item) -> Result<bool>) -> Result<()> {
        let mut rows = self.pool.snapshot()?;
        rows.batch(TEXTS_STAY)?;
        // What belongs to a row is asked for on a second connection, of the same instant.
        let snapshot: Option<String> = rows.value("SELECT pg_export_snapshot()", &[])?;
        let mut more = self.pool.take()?;
        more.batch(&format!(
            "{SNAPSHOT}; SET TRANSACTION SNAPSHOT '{}'; {UNHURRIED}",
            snapshot.unwrap_or_default()
        ))?;
        let mut go_on = true;
        let mut table = |sql: &'static str, make: Make| -> Result<()> {
            if !go_on {
                return Ok(());
            }
            rows.each(sql, &[], &mut |row| {
                go_on = each(make(&mut more, row)?)?;
                Ok(go_on)
            })
        };
        table(
            "SELECT b.record FROM crawler_data.state AS s \
             JOIN crawler_data.brand_sets AS b ON b.version = s.brand_set",
            &|_, row| record(row, 0).map(Item::Brands),
        )?;
        table(
            // The place of a version of before is none elsewhere.
            "SELECT name, CASE name WHEN 'retention entries' THEN '' ELSE value END FROM crawler_data.meta \
             WHERE name NOT IN ('retention texts', 'retention entries next', 'retention robots', 'importing') ORDER BY name",
            &|_, row| Ok(Item::Value { name: get(row, 0)?, value: Bytes(get(row, 1)?) }),
        )?;
        table("SELECT record FROM crawler_data.decisions ORDER BY number", &|_, row| {
            record(row, 0).map(|decision| Item::Decision(Box::new(decision)))
        })?;
        table("SELECT outlet, record FROM crawler_data.rules ORDER BY outlet", &|_, row| {
            Ok(Item::Rule { outlet: get(row, 0)?, rule: record(row, 1)? })
        })?;
        table("SELECT record FROM crawler_data.alerts ORDER BY name", &|_, row| {
            record(row, 0).map(|alert| Item::Alert(Box::new(alert)))
        })?;
        table("SELECT record FROM crawler_data.notes ORDER BY id", &|_, row| {
            record(row, 0).map(|note| Item::Note(Box::new(note)))
        })?;
        table("SELECT record FROM crawler_data.feeds ORDER BY key", &|_, row| {
            record(row, 0).map(|feed| Item::Feed(Box::new(feed)))
        })?;
        table("SELECT record FROM crawler_data.urls ORDER BY key", &|_, row| {
            record(row, 0).map(|entry| Item::Entry(Box::new(entry)))
        })?;
        table("SELECT key, article FROM crawler_data.aliases ORDER BY key", &|_, row| {
            Ok(Item::Alias { key: get(row, 0)?, article: get(row, 1)? })
        })?;
        table(
            "SELECT a.key, v.vector, a.record, t.text, t.blocks, p.printed FROM crawler_data.articles AS a \
             LEFT JOIN crawler_data.texts AS t ON t.arrival = a.arrival AND t.key = a.key \
             JOIN crawler_data.vectors AS v ON v.at = a.at AND v.article = a.key \
             LEFT JOIN crawler_data.printed AS p ON p.article = a.key ORDER BY a.key",
            &|more, row| {
                let key: UrlKey = get(row, 0)?;
                let mentions = more.rows(MENTIONS, &[&key])?;
                Ok(Item::Article {
                    record: Box::new(article(row, 2)?),
                    vector: Bytes(get(row, 1)?),
                    mentions: mentions.iter().map(mention_row).collect::<Result<_>>()?,
                    printed: get::<Option<Vec<u8>>>(row, 5)?.map(Bytes),
                })
            },
        )?;
        table("SELECT * FROM crawler_data.stories ORDER BY id", &|more, row| {
            let StoryHead { id, series, pattern, .. } = head(row)?;
            let members = more.rows(MEMBERS, &[&id])?;
            let members = members.iter().map(|row| Ok(member(row)?.1));
            let members = members.collect::<Result<_>>()?;
            Ok(Item::Story(Story { id, members, series, pattern }))
        })?;
        table("SELECT id, story FROM crawler_data.absorbed ORDER BY id", &|_, row| {
            Ok(Item::Absorbed { id: get(row, 0)?, story: get(row, 1)? })
        })?;
        table("SELECT part, whole, share FROM crawler_data.excerpts ORDER BY 1, 2", &|_, row| {
            let (part, whole, share) = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
            Ok(Item::Excerpt(Excerpt { part, whole, share }))
        })?;
        table(
            "SELECT day, outlet, polls_due, polls_succeeded, aged, brought_own, brought_foreign, brought_bytes FROM ( \
             SELECT l.*, (SELECT json_object_agg(o.outcome, o.aged) FROM crawler_data.ledger_outcomes AS o \
             WHERE o.day = l.day AND o.outlet = l.outlet AND o.aged <> 0) AS aged \
             FROM crawler_data.ledger AS l) AS r \
             WHERE polls_due <> 0 OR aged IS NOT NULL OR brought_bytes <> 0 ORDER BY day, outlet",
            &|_, row| {
                let left: Option<postgres::types::Json<_>> = get(row, 4)?;
                Ok(Item::Polls {
                    day: get(row, 0)?,
                    outlet: get(row, 1)?,
                    due: get(row, 2)?,
                    succeeded: get(row, 3)?,
                    left: left.map(|left| left.0).unwrap_or_default(),
                    brought: Brought {
                        own: get(row, 5)?,
                        foreign: get(row, 6)?,
                        bytes: get(row, 7)?,
                    },
                })
            },
        )?;
        table("SELECT record FROM crawler_data.robots ORDER BY origin", &|_, row| {
            record(row, 0).map(Item::Robots)
        })?;
        table("SELECT * FROM crawler_data.pace ORDER BY pace_key", &|_, row| {
            let pace = after_lease(pace(row)?, get(row, 9)?);
            Ok(Item::Pace { pace_key: get(row, 0)?, pace })
        })?;
        for mut conn in [more, rows] {
            conn.batch("COMMIT")?;
            self.pool.give(conn);
        }
        Ok(())
    }

    fn import(&self, items: &mut dyn Iterator<Item = Result<Item>>) -> Result<u64> {
        // Others may begin to take another store over just now: who is second finds the mark.
        let mut tx = self.begin()?;
        refuse_unless_empty(self)?;
        tx.put_value(IMPORTING, BEGUN)?;
        tx.commit()?;
        take_over(self, items, &mut |part| {
            // Not tried again: what was taken cannot be told from what was not.
            let mut tx = self.begin()?;
            part.into_iter().try_for_each(|item| take(&mut tx, item))?;
            tx.commit()
        })
    }
}

impl OtherRows for Tx<'_> {
    fn use_brand_set(&mut self, set: &BrandSet) -> Result<()> {
        self.version.clone_from(&set.version);
        self.conn.run(
            "INSERT INTO crawler_data.brand_sets (version, record) VALUES ($1, $2) \
             ON CONFLICT (version) DO UPDATE SET record = excluded.record",
            &[&set.version, &Record(set)],
        )?;
        Ok(())
    }

    fn put_value(&mut self, name: &str, value: &[u8]) -> Result<()> {
        let sql = "INSERT INTO crawler_data.meta (name, value) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.conn.run(sql, &[&name, &value]).map(drop)
    }

    fn put_pace(&mut self, pace_key: &str, pace: &Pace) -> Result<()> {
        self.conn.run(
            "INSERT INTO crawler_data.pace (pace_key, next_at, delay, blocked_until, response_ms, \
             failures, hosts, operator_delay) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
             ON CONFLICT (pace_key) DO UPDATE SET next_at = excluded.next_at, \
             delay = excluded.delay, blocked_until = excluded.blocked_until, \
             response_ms = excluded.response_ms, failures = excluded.failures, \
             hosts = excluded.hosts, operator_delay = excluded.operator_delay",
            &[
                &pace_key,
                &pace.next_at,
                &pace.delay,
                &pace.blocked_until,
                &pace.response_ms,
                &pace.failures,
                &Record(&pace.hosts),
                &pace.operator_delay,
            ],
        )?;
        self.touched.insert(pace_key.to_owned());
        Ok(())
    }

    fn put_robots(&mut self, record: &RobotsRecord) -> Result<()> {
        self.conn.run(
            "INSERT INTO crawler_data.robots (origin, record) VALUES ($1, $2) \
             ON CONFLICT (origin) DO UPDATE SET record = excluded.record",
            &[&record.origin, &Record(record)],
        )?;
        Ok(())
    }

    fn put_printed(&mut self, record: &ArticleRecord, printed: &[u8]) -> Result<()> {
        let sql = "INSERT INTO crawler_data.printed (outlet, day, article, printed) \
                   VALUES ($1, $2, $3, $4)";
        let day = utc_day(record.fetched);
        self.conn.run(sql, &[&record.outlet, &day, &record.key, &printed]).map(drop)
    }
}

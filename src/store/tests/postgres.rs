//! A PostgreSQL of our own for the suite: one throw-away cluster for all tests of this process, a
//! database for each; and what only a shared store has to do.

#[path = "../../../tests/it/scratch.rs"]
mod scratch;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::build::*;
use crate::model::*;
use crate::store::postgres::Postgres;
use crate::store::*;
use scratch::Scratch;

fn cluster() -> &'static Scratch {
    static CLUSTER: OnceLock<Scratch> = OnceLock::new();
    CLUSTER.get_or_init(Scratch::start)
}

/// URL of a new database.
pub fn database() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    cluster().database(&format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Of another process, as it were.
pub fn opened(url: &str, unknown_delay: Millis) -> Postgres {
    let unknown_delay = Span(unknown_delay);
    Postgres::open(url, &Settings { unknown_delay, ..Settings::default() }).unwrap()
}

/// A store in a database of its own. The suite's pace keys know no delay: a lease that has ended
/// frees them at once.
pub fn fresh() -> Postgres {
    opened(&database(), 0)
}

fn sql(url: &str) -> ::postgres::Client {
    ::postgres::Client::connect(url, ::postgres::NoTls).unwrap()
}

/// Ends the connections of others to this database.
fn cut(url: &str) {
    let sql_text = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                    WHERE datname = current_database() AND pid <> pg_backend_pid()";
    assert!(!sql(url).query(sql_text, &[]).unwrap().is_empty());
}

#[test]
fn a_newer_schema_is_refused() {
    let url = database();
    drop(opened(&url, 0));
    sql(&url).batch_execute("INSERT INTO crawler_data.schema (version) VALUES (99)").unwrap();
    let error = Postgres::open(&url, &Settings::default()).err().unwrap();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("install a newer crawler"), "{error}");
}

#[test]
fn many_processes_make_one_schema() {
    let url = database();
    std::thread::scope(|threads| {
        let stores: Vec<_> = (0..4).map(|_| threads.spawn(|| opened(&url, 0))).collect();
        for store in stores {
            clean(&store.join().unwrap());
        }
    });
    let versions = sql(&url).query("SELECT version FROM crawler_data.schema", &[]).unwrap();
    assert_eq!(versions.len(), 15);
}

#[test]
fn a_password_is_never_repeated() {
    for url in ["postgres://me:sesame@127.0.0.1:nine/x", "postgres://me:sesame@h/x?wrong=1"] {
        let error = Postgres::open(url, &Settings::default()).err().unwrap();
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
}

#[test]
fn a_batch_sees_what_another_process_has_committed_before() {
    let url = database();
    let (one, two) = (opened(&url, 0), opened(&url, 0));
    with_entries(&one, (11..13).map(|n| entry(n, "a.test", 1)).collect());
    let lease = lease(&one, "a.test");
    let mut batch = one.batch().unwrap();
    let page = article(&mut *batch, 11, 20, vec![row(11, "Acme", 20, 1, 0)], &[]);
    batch.page(&lease, page).unwrap();
    std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            // Waits for the first batch, then joins the story that it founded.
            let mut batch = two.batch().unwrap();
            let page = article(&mut *batch, 12, 21, vec![row(12, "Acme", 21, 1, 0)], &[11]);
            assert_eq!(page.article.as_ref().unwrap().joining.stories, [id(11)]);
            batch.page(&lease, page).unwrap();
            batch.commit().unwrap();
        });
        batch.commit().unwrap();
        other.join().unwrap();
    });
    assert_eq!(one.story_of(id(12)).unwrap().unwrap().members.len(), 2);
    assert_eq!(two.log_end().unwrap().number, 2);
    clean(&two);
}

#[test]
fn a_lease_that_ended_by_itself_leaves_its_whole_delay() {
    let url = database();
    let store = opened(&url, SECOND);
    store.add_feeds(&[feed(1, "a.test"), feed(2, "b.test")]).unwrap();
    let leases = store.claim(&claim(T0)).unwrap();
    let mut batch = store.batch().unwrap();
    batch.pace(&leases[1], &Pace { delay: HOUR, ..leases[1].pace.clone() }).unwrap();
    batch.commit().unwrap();
    // Another process finds them when their time is over.
    let other = opened(&url, SECOND);
    let end = leases[0].until;
    assert_eq!(other.claim(&claim(end)).unwrap(), []);
    assert_eq!(other.due().unwrap(), Due { next: Some(end + SECOND), pending: 0, leased: 0 });
    let names = |leases: Vec<Lease>| leases.into_iter().map(|l| l.pace_key).collect::<Vec<_>>();
    assert_eq!(names(other.claim(&claim(end + SECOND)).unwrap()), ["a.test"]);
    assert_eq!(names(other.claim(&claim(end + HOUR)).unwrap()), ["a.test", "b.test"]);
    // The first one comes back and finds that it has lost them.
    assert!(!store.complete(&leases[1], &leases[1].pace).unwrap());
    clean(&store);
}

#[test]
fn a_cut_connection_costs_a_batch_but_no_call() {
    let url = database();
    let store = opened(&url, 0);
    with_entries(&store, vec![entry(11, "a.test", 1)]);
    let lease = lease(&store, "a.test");
    let mut batch = store.batch().unwrap();
    batch.page(&lease, ends(11, Outcome::TooOld)).unwrap();
    cut(&url);
    let error = batch.commit().unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert_eq!(store.url(id(11)).unwrap().unwrap().outcome, Outcome::Pending);
    cut(&url);
    assert_eq!(store.add_feeds(&[feed(2, "b.test")]).unwrap(), [true]);
    clean(&store);
}

#[test]
fn texts_lie_in_a_partition_for_each_day_of_arrival() {
    let url = database();
    let store = opened(&url, 0);
    with_entries(&store, (11..14).map(|n| entry(n, "a.test", 1)).collect());
    for n in 11..14 {
        under(&store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 20, Vec::new(), &[]);
            page.article.as_mut().unwrap().record.first_seen = T0 + Millis::from(n) * DAY;
            batch.page(lease, page).unwrap();
        });
    }
    clean(&store);
    let mut sql = sql(&url);
    let filled = "SELECT count(DISTINCT tableoid), count(*) FROM crawler_data.texts";
    let filled = sql.query_one(filled, &[]).unwrap();
    assert_eq!((filled.get::<_, i64>(0), filled.get::<_, i64>(1)), (3, 3));
    // Days ahead have theirs before anything arrives.
    let parts = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'crawler_data.texts'::regclass";
    assert_eq!(sql.query_one(parts, &[]).unwrap().get::<_, i64>(0), 10);
}

#[test]
fn analysts_find_the_counts_in_the_views() {
    let url = database();
    let store = opened(&url, 0);
    with_entries(&store, (11..13).map(|n| entry(n, "a.test", 1)).collect());
    add_article(&store, 11, 20, vec![row(11, "Acme", 20, 2, 1)], &[]);
    add_article(&store, 12, 21, vec![row(12, "Acme", 21, 1, 0)], &[11]);
    let mut sql = sql(&url);
    let mut ask = |query: &str| -> Vec<String> {
        sql.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
    };
    let counts = "SELECT concat_ws(' ', brand, day, mentions, articles, stories, suppressed) \
                  FROM crawler.mentions_per_day ORDER BY day";
    assert_eq!(ask(counts), ["Acme 2026-11-20 2 1 1 1", "Acme 2026-11-21 1 1 0 0"]);
    let articles =
        "SELECT concat_ws(' ', day, outlet, original) FROM crawler.articles ORDER BY day";
    assert_eq!(ask(articles), ["2026-11-20 a.test t", "2026-11-21 a.test f"]);
    let stories = "SELECT concat_ws(' ', day, articles, series) FROM crawler.stories";
    assert_eq!(ask(stories), ["2026-11-20 2 f"]);
    let coverage = "SELECT concat_ws(' ', polls_due, polls_succeeded, coverage, entries, articles) \
                    FROM crawler.coverage";
    assert_eq!(ask(coverage), ["1 1 1 2 2"]);
    assert_eq!(
        ask("SELECT text FROM crawler.texts ORDER BY text"),
        ["Text of article 11.", "Text of article 12."]
    );
}

#[test]
fn a_server_that_restarts_is_waited_for() {
    let mut server = Scratch::start();
    let url = server.database("news");
    let store = opened(&url, 0);
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    assert!(server.cut() > 0);
    assert_eq!(store.feeds().unwrap().len(), 1);
    for how in ["restart", "crash"] {
        std::thread::scope(|threads| {
            let calls = threads.spawn(|| {
                for n in 2..40 {
                    store.add_feeds(&[feed(n, "a.test")]).unwrap();
                }
            });
            server.tell(how);
            calls.join().unwrap();
        });
    }
    assert_eq!(store.feeds().unwrap().len(), 39);
    clean(&store);
}

#[test]
fn a_nul_hurts_nobody() {
    let url = database();
    let store = opened(&url, 0);
    let mut entries: Vec<UrlRecord> = (11..13).map(|n| entry(n, "a.test", 1)).collect();
    entries[0].entry.title = Some("a\0b".to_owned());
    with_entries(&store, entries);
    let texts = [("one\0two", "one two"), ("a \\u0000 b", "a \\u0000 b"), ("\\\0", "\\ ")];
    let mut record = None;
    under(&store, "a.test", |batch, lease| {
        let mut page = article(batch, 11, 20, vec![row(11, "Acme", 20, 1, 0)], &[]);
        let article = &mut page.article.as_mut().unwrap().record.article;
        article.text = texts.map(|(text, _)| text).join("\n");
        article.title = Some(Found { value: "a\0b".to_owned(), source: Source::JsonLd });
        batch.page(lease, page).unwrap();
        batch.page(lease, ends(12, Outcome::Moved(id(11)))).unwrap();
        record = batch.url(id(11)).unwrap();
    });
    assert_eq!(record.unwrap().entry.title.as_deref(), Some("a b"));
    let kept = texts.map(|(_, kept)| kept).join("\n");
    assert_eq!(store.article(id(11)).unwrap().unwrap().article.text, kept);
    let row = sql(&url).query_one("SELECT text FROM crawler.texts", &[]).unwrap();
    assert_eq!(row.get::<_, String>(0), kept);
    clean(&store);
}

#[test]
fn a_machine_with_a_wrong_clock_gets_no_leases() {
    let url = database();
    let now = jiff::Timestamp::now().as_millisecond();
    let settings = Settings { now: Some(now), ..Settings::default() };
    let store = Postgres::open(&url, &settings).unwrap();
    let mut due = feed(1, "a.test");
    due.poll.next = now - DAY;
    store.add_feeds(&[due]).unwrap();
    for off in [HOUR, -HOUR] {
        assert_eq!(store.claim(&claim(now + off)).unwrap(), []);
        assert_eq!(store.claim_key(&claim(now + off), "a.test").unwrap(), None);
        // Nor does it take away what has not reached its age.
        let believed = store.ages_until(now + off).unwrap();
        assert!(believed < now + HOUR && believed >= now.min(now + off), "{believed}");
    }
    // A call that is held up by a busy machine looks like a clock that is behind.
    let now = || jiff::Timestamp::now().as_millisecond();
    let leases = (0..50).find_map(|_| {
        let leases = store.claim(&claim(now())).unwrap();
        (!leases.is_empty()).then_some(leases)
    });
    let lease = leases.unwrap().remove(0);
    // Whoever else gets it next may be half a second ahead; its last owner is not.
    let due = now() + HOUR;
    let pace = Pace { next_at: due, ..Pace::default() };
    assert!(store.complete(&lease, &pace).unwrap());
    assert_eq!(store.due().unwrap().next, Some(due));
    let unchecked = opened(&url, 0);
    let given = |owner: &str, at: Millis| -> i64 {
        let sql_text =
            "SELECT count(*) FROM crawler_data.claim($1, $2, $2::bigint + 60000, 8, 0, 500)";
        let mut client = sql(&url);
        let mut rolled_back = client.transaction().unwrap();
        rolled_back.query_one(sql_text, &[&owner, &at]).unwrap().get(0)
    };
    assert_eq!([given(&lease.owner, due - 1), given(&lease.owner, due)], [0, 1]);
    assert_eq!([given("another", due + 499), given("another", due + 500)], [0, 1]);
    let other = Claim { owner: "another".to_owned(), ..claim(now()) };
    assert_eq!(store.claim(&other).unwrap(), []);
    assert_eq!(store.due().unwrap().next, Some(due + 500));
    // A pause without end stays one.
    pause_until(&unchecked, "a.test", Millis::MAX);
    assert_eq!(store.due().unwrap().next, None);
    clean(&store);
}

#[test]
fn a_commit_by_another_machine_leaves_the_margin_of_the_clocks() {
    let url = database();
    let now = || jiff::Timestamp::now().as_millisecond();
    let settings = Settings { now: Some(now()), ..Settings::default() };
    let store = Postgres::open(&url, &settings).unwrap();
    // A call that is held up by a busy machine looks like a clock that is behind.
    let held = |owner: &str| {
        let claim = || Claim { owner: owner.to_owned(), ..claim(now()) };
        (0..50).find_map(|_| store.claim_for_commit(&claim(), "a.test").unwrap()).unwrap()
    };
    let due = now() + HOUR;
    let lease = held("one");
    assert!(store.complete(&lease, &Pace { next_at: due, ..Pace::default() }).unwrap());
    // The next request may be made by its clock, the last one was made by the first one's.
    for (owner, next_at) in [("one", due), ("two", due + 500), ("two", due + 500)] {
        let lease = held(owner);
        assert_eq!(lease.pace.next_at, next_at, "{owner}");
        assert!(store.complete(&lease, &lease.pace).unwrap());
    }
    clean(&store);
}

#[test]
fn a_poll_that_brings_nothing_new_waits_for_nobodys_batch() {
    let url = database();
    let (one, two) = (opened(&url, 0), opened(&url, 0));
    with_entries(&one, vec![entry(11, "a.test", 1)]);
    two.add_feeds(&[feed(2, "b.test")]).unwrap();
    let lease = lease(&two, "a.test");
    let stored = two.feed(id(1)).unwrap().unwrap();
    let poll = |n| poll_of(&stored, stored.poll.next, vec![entry(n, "a.test", 1)]);
    let due = stored.poll.next;
    let url = String::new();
    let task = Task { kind: TaskKind::Poll, key: id(1), url, due, attempts: 0 };
    let pace = Pace { next_at: due + 9, ..lease.pace.clone() };
    let empty = |lease: &Lease, poll: &PollCommit| {
        let poll = EmptyPoll { lease, task: &task, poll, pace: &pace, robots: &[], spent: None };
        two.commit_empty_poll(&poll).unwrap()
    };
    // It would wait for ever.
    let mut batch = one.batch().unwrap();
    assert_eq!(empty(&lease, &poll(12)), None, "an entry that is new has to wait for its turn");
    let lost = Lease { epoch: lease.epoch - 1, ..lease.clone() };
    assert_eq!(empty(&lost, &poll(11)), Some(Admission::Fenced));
    assert_eq!(two.feed(id(1)).unwrap().unwrap(), stored);
    // So does one whose feed somebody is at.
    let of_two = Lease { pace_key: "b.test".to_owned(), ..lease.clone() };
    batch.admit(&lease, &task).unwrap();
    assert_eq!(empty(&lease, &poll(11)), None);
    drop(batch);
    let batch = one.batch().unwrap();
    assert_eq!(empty(&of_two, &poll(11)), Some(Admission::Fenced));
    assert_eq!(empty(&lease, &poll(11)), Some(Admission::Admitted));
    assert_eq!(empty(&lease, &poll(11)), Some(Admission::Replayed));
    drop(batch);
    let polled = two.feed(id(1)).unwrap().unwrap();
    assert_eq!((polled.poll.polls, polled.poll.next), (stored.poll.polls + 1, due + HOUR));
    let ledger = two.ledger(None, None).unwrap();
    assert_eq!(ledger.iter().map(|row| row.polls.succeeded).sum::<u32>(), 2);
    assert_eq!(two.pace("a.test").unwrap().unwrap().next_at, due + 9);
    clean(&one);
}

#[test]
fn a_worker_is_told_when_another_process_makes_work_due() {
    let url = database();
    let (one, two) = (opened(&url, 0), opened(&url, 0));
    let (wake, woken) = std::sync::mpsc::channel();
    one.listen(Box::new(move || {
        let _ = wake.send(());
    }))
    .unwrap();
    let told = || woken.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    told();
    let mut later = feed(1, "a.test");
    later.poll.next = jiff::Timestamp::now().as_millisecond() + HOUR;
    two.add_feeds(&[later]).unwrap();
    two.add_feeds(&[feed(2, "b.test")]).unwrap();
    told();
    assert!(woken.try_recv().is_err(), "what is due later wakes nobody");
    // After a connection that broke it is told at once: something may have been missed.
    cut(&url);
    told();
    two.add_feeds(&[feed(3, "c.test")]).unwrap();
    told();
    clean(&one);
}

#[test]
fn a_day_of_texts_leaves_whole_and_comes_again_for_a_late_one() {
    let url = database();
    let (one, two) = (opened(&url, 0), opened(&url, 0));
    with_entries(&one, (11..16).map(|n| entry(n, "a.test", 1)).collect());
    let add = |store: &Postgres, n: u32, days: i64| {
        under(store, "a.test", |batch, lease| {
            let mut page = article(batch, n, 20, vec![row(n, "Acme", 20, 1, 0)], &[]);
            page.article.as_mut().unwrap().record.first_seen = T0 + days * DAY;
            batch.page(lease, page).unwrap();
        });
    };
    for (n, day) in [(11, 0), (12, 0), (13, 1)] {
        add(&one, n, day);
    }
    let mut sql = sql(&url);
    let mut parts = || -> i64 {
        let parts = "SELECT count(*) FROM pg_inherits \
                     WHERE inhparent = 'crawler_data.texts'::regclass";
        sql.query_one(parts, &[]).unwrap().get(0)
    };
    let before = parts();
    let has_text = |n: u32| two.article(id(n)).unwrap().unwrap().has_text();
    // Somebody reads: nothing leaves meanwhile, and nobody waits for long.
    let mut reader = self::sql(&url);
    let mut reading = reader.transaction().unwrap();
    reading.query("SELECT key FROM crawler_data.texts", &[]).unwrap();
    let later = T0 + DAY;
    assert_eq!(two.prune_texts(later, 1).unwrap(), Pruned::default());
    assert!(has_text(11));
    reading.commit().unwrap();
    assert_eq!(two.prune_texts(later, 1).unwrap(), Pruned { dropped: 2, more: true });
    assert_eq!(two.prune_texts(later, 1).unwrap(), Pruned::default());
    assert_eq!(parts(), before - 1);
    assert_eq!([11, 12, 13].map(has_text), [false, false, true]);
    clean(&one);
    // The other process still remembers the day that is gone.
    add(&one, 14, 0);
    add(&one, 15, 0);
    assert_eq!(parts(), before);
    assert_eq!([11, 14, 15].map(has_text), [false, true, true]);
    clean(&two);
    assert_eq!(one.prune_texts(later, 1).unwrap(), Pruned { dropped: 2, more: true });
    assert_eq!(one.tallies(&Filter::default()).unwrap()[0].2.articles, 5);
    clean(&two);
}

#[test]
fn a_text_that_is_missing_is_found() {
    let url = database();
    let store = opened(&url, 0);
    with_entries(&store, vec![entry(11, "a.test", 1)]);
    add_article(&store, 11, 20, Vec::new(), &[]);
    clean(&store);
    sql(&url).batch_execute("DELETE FROM crawler_data.texts").unwrap();
    let mut found = Vec::new();
    store.verify(&mut |finding| found.push(finding.0)).unwrap();
    assert!(found.iter().any(|sentence| sentence.contains("lacks its text")), "{found:?}");
}

/// What analysts read of articles was held against nothing.
#[test]
fn a_column_that_is_not_as_its_record_is_found() {
    let url = database();
    let store = opened(&url, 0);
    with_entries(&store, vec![entry(11, "a.test", 1)]);
    add_article(&store, 11, 20, Vec::new(), &[]);
    clean(&store);
    let mut sql = sql(&url);
    for column in ["url", "title", "language", "outlet"] {
        sql.batch_execute(&format!(
            "UPDATE crawler_data.articles SET {column} = coalesce({column}, '') || '!'"
        ))
        .unwrap();
        let mut found = Vec::new();
        store.verify(&mut |finding| found.push(finding.0)).unwrap();
        let names = format!("says another {column} than its record");
        assert!(found.iter().any(|sentence| sentence.contains(&names)), "{column}: {found:?}");
    }
}

/// A database of the third schema, where something was done.
fn of_version_3(done: &str) -> (String, ::postgres::Client) {
    let url = database();
    let mut sql = sql(&url);
    for file in [
        include_str!("../../../deploy/sql/0001_store.sql"),
        include_str!("../../../deploy/sql/0002_frontier.sql"),
        include_str!("../../../deploy/sql/0003_views.sql"),
        "CREATE TABLE crawler_data.schema (version integer, at timestamptz DEFAULT now()); \
         INSERT INTO crawler_data.schema (version) VALUES (1), (2), (3)",
        done,
    ] {
        sql.batch_execute(file).unwrap();
    }
    (url, sql)
}

#[test]
fn histories_of_an_older_schema_are_taken_into_the_log() {
    let (url, mut sql) = of_version_3("UPDATE crawler_data.state SET brand_set = 'v2'");
    for (name, value) in super::decisions::older() {
        sql.execute(
            "INSERT INTO crawler_data.meta (name, value) VALUES ($1, $2)",
            &[&name, &value],
        )
        .unwrap();
    }
    super::decisions::older_is_told(&opened(&url, 0));
}

/// A transaction is repeated when the answer to its commit was lost.
#[test]
fn a_decision_that_is_noted_again_stands_once() {
    let store = fresh();
    let decision = super::decisions::decision(1, crate::store::decision::Topic::Outlet);
    for _ in 0..2 {
        store.change(crate::store::decision::Change::Nothing, Some(&decision)).unwrap();
    }
    assert_eq!(super::decisions::log(&store, None), [decision]);
}

#[test]
fn texts_of_an_older_schema_are_taken_along() {
    let (url, mut sql) = of_version_3("SELECT crawler_data.make_day('2026-11-20')");
    let records = [record(11, 20), record(12, 20).without_text()];
    for record in &records {
        let (key, json) = (record.key.to_string(), serde_json::to_string(record).unwrap());
        sql.execute(
            "WITH r AS (INSERT INTO crawler_data.texts VALUES ('2026-11-20', $1::text::uuid, $2::text::json)) \
             INSERT INTO crawler_data.articles VALUES ($1::text::uuid, '2026-11-20', '2026-11-20', 0, \
             'a.test', NULL, NULL, '', $1::text::uuid, 0)",
            &[&key, &json],
        )
        .unwrap();
    }
    let store = opened(&url, 0);
    for record in records {
        assert_eq!(store.article(record.key).unwrap(), Some(record));
    }
    let kept = "SELECT text FROM crawler.texts";
    assert_eq!(sql.query(kept, &[]).unwrap().len(), 1);
}

/// What the sessions of a database begin with.
fn preset(url: &str, settings: &[&str]) {
    let mut sql = sql(url);
    let name: String = sql.query_one("SELECT current_database()", &[]).unwrap().get(0);
    for setting in settings {
        sql.batch_execute(&format!("ALTER DATABASE {name} SET {setting}")).unwrap();
    }
}

/// Limits that are set for other programs ended workers whose turn was long in coming.
#[test]
fn limits_of_the_database_do_not_end_a_long_turn() {
    let url = database();
    let isolation = "default_transaction_isolation = 'serializable'";
    preset(&url, &["lock_timeout = '20ms'", "statement_timeout = '40ms'", isolation]);
    let (one, two) = (opened(&url, 0), opened(&url, 0));
    let batch = one.batch().unwrap();
    std::thread::scope(|threads| {
        let other = threads.spawn(|| two.add_feeds(&[feed(2, "b.test")]));
        std::thread::sleep(std::time::Duration::from_millis(300));
        batch.commit().unwrap();
        other.join().unwrap().unwrap();
    });
    clean(&two);
}

/// As on a replica.
#[test]
fn a_database_that_takes_no_writes_is_read() {
    let url = database();
    opened(&url, 0).add_feeds(&[feed(1, "a.test")]).unwrap();
    preset(&url, &["default_transaction_read_only = on"]);
    let store = opened(&url, 0);
    assert_eq!(store.feeds().unwrap().len(), 1);
    clean(&store);
    assert!(store.add_feeds(&[feed(2, "b.test")]).is_err());
}

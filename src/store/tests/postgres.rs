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
fn database() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    cluster().database(&format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Of another process, as it were.
fn opened(url: &str, unknown_delay: Millis) -> Postgres {
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
    assert_eq!(versions.len(), 4);
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
    }
    // A call that is held up by a busy machine looks like a clock that is behind.
    let now = || jiff::Timestamp::now().as_millisecond();
    let leases = (0..50).find_map(|_| {
        let leases = store.claim(&claim(now())).unwrap();
        (!leases.is_empty()).then_some(leases)
    });
    let lease = leases.unwrap().remove(0);
    // Whoever gets it next may be half a second ahead.
    let pace = Pace { next_at: lease.pace.next_at, ..Pace::default() };
    assert!(store.complete(&lease, &pace).unwrap());
    assert_eq!(store.pace("a.test").unwrap().unwrap().next_at, pace.next_at + 500);
}

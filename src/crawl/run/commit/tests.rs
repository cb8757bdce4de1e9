//! What is committed in one group.

use super::*;
use crate::crawl::orders::repair::tests::{T0, engine, listed, record};
use crate::crawl::web::lineage;
use crate::dedupe::Print;
use crate::frontier::address;
use crate::store::Claim;

fn job(lease: &Lease, task: &Task, work: Work) -> Job {
    let (ack, _) = oneshot::channel();
    let traces = Traces::default();
    Job { lease: lease.clone(), task: task.clone(), pace: lease.pace.clone(), traces, work, ack }
}

/// What its page prints was not remembered where the group that stored an article was also the one in which its outlet
/// listed it.
#[test]
fn what_is_read_and_listed_in_one_group_is_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let store = engine.store.as_ref();
    let at = address("https://www.paper0.test/feed", None).unwrap();
    let feed = lineage::new_feed(&at, T0);
    store.add_feeds(std::slice::from_ref(&feed)).unwrap();
    let record = ArticleRecord { fetched: clock::now(), ..record(3, feed.key) };
    let own = listed(&record, &engine.zone);
    let poll = |due: Millis, foreign: bool| {
        let mut polled = feed.clone();
        polled.poll.next = due + 1;
        Work::Poll(Box::new(PollCommit {
            feed: polled,
            due,
            at: due,
            day: day_of(due, &engine.zone),
            begins: due - due.rem_euclid(DAY),
            succeeded: true,
            pushed: false,
            entries: vec![UrlRecord { foreign, ..own.clone() }],
            feeds: Vec::new(),
        }))
    };
    let page = || {
        let article = ArticleDraft {
            mentions: Vec::new(),
            brand_set: engine.watch.read().unwrap().set.version.clone(),
            print: Print::of(&record.article.text),
            printed: None,
            record: record.clone(),
        };
        let article = Some(article);
        Work::Page(Box::new(PageDraft { article, ..PageDraft::new(own.key, Outcome::Article) }))
    };
    let mut copies = Copies::load(&engine.store, &engine.settings.dedupe, T0).unwrap();
    let mut group = |now: Millis, works: Vec<(TaskKind, Millis, Work)>| {
        let claim = Claim { owner: "w".into(), now, until: now + DAY, keys: 1, drain: 9 };
        let lease = store.claim_key(&claim, "paper0.test").unwrap().expect("free");
        let jobs = works.into_iter().map(|(kind, due, work)| {
            let (key, url) = match kind {
                TaskKind::Poll => (feed.key, feed.url.clone()),
                TaskKind::Fetch => (own.key, own.entry.url.clone()),
            };
            job(&lease, &Task { kind, key, url, due, attempts: 0 }, work)
        });
        let jobs: Vec<Job> = jobs.collect();
        let admissions = commit_group(&engine, &mut copies, &jobs).unwrap();
        assert!(admissions.iter().all(|admission| *admission == Admission::Admitted));
        assert!(store.complete(&lease, &lease.pace).unwrap());
    };
    group(T0, vec![(TaskKind::Poll, T0, poll(T0, true))]);
    let fetch = (TaskKind::Fetch, own.next, page());
    group(T0 + HOUR, vec![fetch, (TaskKind::Poll, T0 + 1, poll(T0 + 1, false))]);
    assert_eq!(store.url(own.key).unwrap().unwrap().outcome, Outcome::Article);
    let tomorrow = utc_day(record.fetched + DAY);
    assert_eq!(store.printed(&own.outlet, tomorrow, 9).unwrap().len(), 1);
}

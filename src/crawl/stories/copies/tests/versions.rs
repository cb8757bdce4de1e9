//! Pages that are versions of an article that is there: the same text, or an address that names it.

use std::cell::RefCell;

use super::*;
use crate::crawl::web::page::Canonical;

/// What is read again under another address is a version of the article that is there, whatever
/// has been edited: no second article, no copy.
#[tokio::test]
async fn a_version_is_no_copy() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    seeded(&engine, 2);
    let (committer, thread) = commit::start(engine.clone()).unwrap();
    let watch = engine.watch.read().unwrap().clone();
    let draft = |task: &Task| {
        let n: usize = task.url.rsplit('/').next().unwrap().parse().unwrap();
        let text = format!("{}updated {n} times", words(0..300));
        let record = article(OUTLETS[0], n, &text, T0 + n as Millis);
        let print = Print::of(&record.article.text);
        let brand_set = watch.set.version.clone();
        let (mentions, printed) = (Vec::new(), None);
        let draft = ArticleDraft { record, mentions, brand_set, print, printed };
        // Both pages name the first one's address as their own.
        Work::Page(Box::new(PageDraft { aliases: vec![key(OUTLETS[0], 0)], ..page(draft) }))
    };
    work(&engine, &committer, OUTLETS[0], T0 + MINUTE, &draft).await;
    drop(committer);
    thread.join().unwrap();
    let outcomes: Vec<Outcome> =
        (0..2).map(|n| engine.store.url(key(OUTLETS[0], n)).unwrap().unwrap().outcome).collect();
    assert_eq!(outcomes, [Outcome::Article, Outcome::Known(key(OUTLETS[0], 0))]);
    let story = engine.store.story_of(key(OUTLETS[0], 0)).unwrap().unwrap();
    assert_eq!(story.members.len(), 1);
    proven(&engine, 1);
}

/// What a page says: its text, its title, and the address that it names as its own.
struct Said {
    text: String,
    title: String,
    canonical: Option<Canonical>,
}

/// The keys of so many pages in the order in which they were read, how each ended, and whether the address that it
/// named was ignored. What each says depends on how many came before it and on the key of the first.
async fn read_in_turn(
    engine: &Arc<Engine>,
    pages: usize,
    say: impl Fn(usize, UrlKey) -> Said,
) -> Vec<(UrlKey, Outcome, bool)> {
    seeded(engine, pages);
    let (committer, thread) = commit::start(engine.clone()).unwrap();
    let watch = engine.watch.read().unwrap().clone();
    let met = RefCell::new(Vec::new());
    let draft = |task: &Task| {
        let n: usize = task.url.rsplit('/').next().unwrap().parse().unwrap();
        let nth = met.borrow().len();
        met.borrow_mut().push(key(OUTLETS[0], n));
        let Said { text, title, canonical } = say(nth, met.borrow()[0]);
        let mut record = article(OUTLETS[0], n, &text, T0 + nth as Millis);
        let source = crate::model::Source::Html;
        record.article.title = Some(crate::model::Found { value: title, source });
        let print = Print::of(&record.article.text);
        let (mentions, printed, brand_set) = (Vec::new(), None, watch.set.version.clone());
        let draft = ArticleDraft { record, mentions, brand_set, print, printed };
        Work::Page(Box::new(PageDraft { canonical, ..page(draft) }))
    };
    work(engine, &committer, OUTLETS[0], T0 + MINUTE, &draft).await;
    drop(committer);
    thread.join().unwrap();
    let ended = |key| {
        let outcome = engine.store.url(key).unwrap().unwrap().outcome;
        let signals = engine.store.article(key).unwrap().map(|record| record.article.signals);
        let ignored = signals.is_some_and(|all| all.contains(&CANONICAL_IGNORED.to_owned()));
        (key, outcome, ignored)
    };
    met.into_inner().into_iter().map(ended).collect()
}

/// Only the third page has the title of the article there, and only the fourth most of its text.
#[tokio::test]
async fn an_address_that_all_pages_name_swallows_none_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let found = read_in_turn(&engine, 5, |nth, _| Said {
        text: words(if nth == 3 { 60..300 } else { nth * 1000..nth * 1000 + 300 }),
        title: if nth == 2 { "Title  0".to_owned() } else { format!("title {nth}") },
        canonical: Some(Canonical { key: key(OUTLETS[0], 99), is_doubtful: false }),
    })
    .await;
    let (new, known) = (Outcome::Article, Outcome::Known(found[0].0));
    let expect = [
        (new.clone(), false),
        (new.clone(), true),
        (known.clone(), false),
        (known, false),
        (new, true),
    ];
    assert_eq!(
        found.into_iter().map(|(_, end, ignored)| (end, ignored)).collect::<Vec<_>>(),
        expect
    );
    proven(&engine, 3);
}

/// A print view was counted beside its article, whose short address looks like that of a section.
#[tokio::test]
async fn a_doubtful_address_makes_known_what_reads_like_the_article_there_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let nobodys = key(OUTLETS[0], 99);
    let found = read_in_turn(&engine, 4, |nth, first| Said {
        text: words(if nth == 1 { 0..280 } else { nth * 1000..nth * 1000 + 300 }),
        title: format!("title {nth}"),
        // The last one names what nobody holds: that does not become its own.
        canonical: (nth > 0)
            .then_some(Canonical { key: if nth < 3 { first } else { nobodys }, is_doubtful: true }),
    })
    .await;
    let (new, known) = (Outcome::Article, Outcome::Known(found[0].0));
    let expect = [(new.clone(), false), (known, false), (new.clone(), true), (new, true)];
    assert_eq!(
        found.into_iter().map(|(_, end, ignored)| (end, ignored)).collect::<Vec<_>>(),
        expect
    );
    assert!(engine.store.url(nobodys).unwrap().is_none());
    proven(&engine, 3);
}

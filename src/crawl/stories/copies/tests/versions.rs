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

/// What a page says.
struct Said {
    text: String,
    title: String,
    /// The number of the entry whose address it names as its own, and whether that may be a list's.
    names: Option<(usize, bool)>,
}

/// The numbers of so many pages in the order in which they were read, how each ended, and whether the address that it
/// named was ignored. What each says depends on how many came before it and on the number of the first.
async fn read_in_turn(
    engine: &Arc<Engine>,
    pages: usize,
    say: impl Fn(usize, usize) -> Said,
) -> Vec<(usize, Outcome, bool)> {
    seeded(engine, pages);
    let (committer, thread) = commit::start(engine.clone()).unwrap();
    let watch = engine.watch.read().unwrap().clone();
    let met = RefCell::new(Vec::new());
    let draft = |task: &Task| {
        let n: usize = task.url.rsplit('/').next().unwrap().parse().unwrap();
        let nth = met.borrow().len();
        met.borrow_mut().push(n);
        let Said { text, title, names } = say(nth, met.borrow()[0]);
        let mut record = article(OUTLETS[0], n, &text, T0 + nth as Millis);
        let source = crate::model::Source::Html;
        let found = |value| Some(crate::model::Found { value, source });
        record.article.title = found(title);
        record.article.canonical = names.and_then(|(named, _)| found(url(OUTLETS[0], named)));
        let print = Print::of(&record.article.text);
        let (mentions, printed, brand_set) = (Vec::new(), None, watch.set.version.clone());
        let draft = ArticleDraft { record, mentions, brand_set, print, printed };
        let canonical = names
            .map(|(named, is_doubtful)| Canonical { key: key(OUTLETS[0], named), is_doubtful });
        Work::Page(Box::new(PageDraft { canonical, ..page(draft) }))
    };
    work(engine, &committer, OUTLETS[0], T0 + MINUTE, &draft).await;
    drop(committer);
    thread.join().unwrap();
    let ended = |n| {
        let key = key(OUTLETS[0], n);
        let outcome = engine.store.url(key).unwrap().unwrap().outcome;
        let signals = engine.store.article(key).unwrap().map(|record| record.article.signals);
        let ignored = signals.is_some_and(|all| all.contains(&CANONICAL_IGNORED.to_owned()));
        (n, outcome, ignored)
    };
    met.into_inner().into_iter().map(ended).collect()
}

/// How pages ended, as `(known as the first one, named address ignored)`; those that are not known are articles.
fn told(found: &[(usize, Outcome, bool)]) -> Vec<(bool, bool)> {
    let first = Outcome::Known(key(OUTLETS[0], found[0].0));
    let one = |(n, end, ignored): &(usize, Outcome, bool)| {
        assert!(*end == first || *end == Outcome::Article, "{n}: {end:?}");
        (*end == first, *ignored)
    };
    found.iter().map(one).collect()
}

/// Nobody's entry.
const NOBODYS: usize = 99;

/// Only the third page has the title of the article there, and only the fourth most of its text.
#[tokio::test]
async fn an_address_that_all_pages_name_swallows_none_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let found = read_in_turn(&engine, 5, |nth, _| Said {
        text: words(if nth == 3 { 60..300 } else { nth * 1000..nth * 1000 + 300 }),
        title: if nth == 2 { "Title  0".to_owned() } else { format!("title {nth}") },
        names: Some((NOBODYS, false)),
    })
    .await;
    let (new, ignored, known) = ((false, false), (false, true), (true, false));
    assert_eq!(told(&found), [new, ignored, known, known, ignored]);
    proven(&engine, 3);
}

/// A print view was counted beside its article, whose short address looks like that of a section. A column has the title
/// of the page that shows its last one, and another text.
#[tokio::test]
async fn a_doubtful_address_makes_known_what_reads_like_the_article_there_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let found = read_in_turn(&engine, 4, |nth, first| Said {
        text: words(if nth == 1 { 0..280 } else { nth * 1000..nth * 1000 + 300 }),
        title: format!("title {}", nth % 2),
        // What nobody holds does not become the last one's.
        names: (nth > 0).then_some((if nth < 3 { first } else { NOBODYS }, true)),
    })
    .await;
    let (new, ignored, known) = ((false, false), (false, true), (true, false));
    assert_eq!(told(&found), [new, known, ignored, ignored]);
    assert!(engine.store.url(key(OUTLETS[0], NOBODYS)).unwrap().is_none());
    proven(&engine, 3);
}

/// Whichever of them was read first: an article behind its print view was counted beside it.
#[tokio::test]
async fn an_article_is_known_by_the_view_that_was_read_before_it() {
    // Entries are read in an order of their own: the second time all name the one that was the last the first time.
    let mut last = None;
    for _ in 0..2 {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(dir.path());
        let found = read_in_turn(&engine, 3, |nth, _| Said {
            text: words(if nth == 1 { 5_000..5_300 } else { 0..300 - nth }),
            title: format!("title {nth}"),
            names: last.map(|n| (n, true)).filter(|_| nth < 2),
        })
        .await;
        if last.is_some_and(|last| last == found[2].0) {
            let (ignored, known) = ((false, true), (true, false));
            assert_eq!(told(&found), [ignored, ignored, known]);
            return proven(&engine, 2);
        }
        last = Some(found[2].0);
    }
    panic!("the order changed");
}

//! What a page's address says by itself: the front page of a host, and threads of forums.
//!
//! Whoever comments on a page does not choose its address, so this cannot make a thread of an article.
//! The words are those that widespread forum software puts into its addresses.
//!
//! Must not know: the page.

use url::Url;

use crate::model::registered_domain;

/// What an address says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The front page of a host: it changes, no article does.
    Front,
    Thread,
    /// Something in a part that forums are called by. Outlets call pages of opinion so, too.
    Forum,
}

/// Parts of addresses that stand before a thread, or are one.
const THREADS: [&str; 6] =
    ["thread", "threads", "viewtopic", "viewthread", "showthread", "showtopic"];
/// Parts that forums are called by: alone they are the list of all threads.
const FORUMS: [&str; 2] = ["forum", "forums"];
/// Parts that mean a thread if its number follows: outlets have pages about topics, and ask questions, too.
const NUMBERED: [&str; 6] = ["topic", "t", "question", "questions", "discussion", "discussions"];
/// So many parts behind a forum are looked at.
const FOLLOWERS: usize = 8;
/// Hosts of forums, left of the registered domain.
const HOSTS: [&str; 6] = ["forum", "forums", "bbs", "board", "boards", "discuss"];

/// What this address says, if anything.
pub(super) fn told(address: Option<&str>) -> Option<Told> {
    let url = Url::parse(address?).ok()?;
    let path = url.path().to_ascii_lowercase();
    if path.trim_matches('/').is_empty() {
        // `/?p=17` is a page like others.
        let is_bare = url.query().unwrap_or_default().is_empty() && url.fragment().is_none();
        return is_bare.then_some(Told::Front);
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_thread = is_host_of_forum(url.host_str()?)
        || (0..parts.len()).any(|at| begins_thread(&parts[at..]))
        || is_script_of_forum(parts.last(), &url);
    let is_in_forum = || parts.iter().rev().skip(1).any(|part| FORUMS.contains(&word(part)));
    if is_thread { Some(Told::Thread) } else { is_in_forum().then_some(Told::Forum) }
}

/// A part without what stands behind a full stop.
fn word(part: &str) -> &str {
    part.split('.').next().unwrap_or_default()
}

/// Whoever links to an article may put a query behind its address: only these scripts read it.
fn is_script_of_forum(script: Option<&&str>, url: &Url) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let has = |known: &str, fits: &dyn Fn(&str) -> bool| {
        url.query_pairs().any(|(key, value)| key.eq_ignore_ascii_case(known) && fits(&value))
    };
    match script.copied() {
        // Simple Machines, Snitz, Phorum: `read.php?3,17` is message 17 of forum 3.
        Some("index.php") => has("topic", &is_numbered_page),
        Some("topic.asp") => has("topic_id", &is_number),
        Some("read.php") => {
            let mut numbers = url.query().unwrap_or_default().split(',');
            numbers.clone().count() >= 2 && numbers.all(is_number)
        }
        _ => false,
    }
}

fn is_host_of_forum(host: &str) -> bool {
    let domain = registered_domain(host);
    let below = host.strip_suffix(domain).unwrap_or_default();
    below.split('.').any(|label| HOSTS.contains(&label))
}

/// Do these parts begin with one that means a thread?
fn begins_thread(parts: &[&str]) -> bool {
    let Some((first, rest)) = parts.split_first() else { return false };
    let word = word(first);
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    // `/forum/5-reasons-to-go` is as often an opinion.
    let is_lone = |part: &str| rest.len() == 1 && part.contains(|c: char| !c.is_ascii_digit());
    let is_follower = |part: &&str| is_number(part) && !is_lone(part) || NUMBERED.contains(part);
    let is_numbered_by = |text: &str, letter: char| {
        text.strip_prefix(letter)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    THREADS.contains(&word)
        // `/forum/3-walks/17-bridges`, `/forums/topic/bridges`; not `/forum/2026/11/20/bridges`.
        || FORUMS.contains(&word)
            && rest.iter().take(FOLLOWERS).take_while(|part| !is_year(part)).any(is_follower)
        // `/topic/17-bridges`, `/t/bridges/17`; not `/topic/2026-election`, `/questions/2026/11/20/bridges`.
        || NUMBERED.contains(first)
            && rest.iter().take(2).find(|part| is_number(part)).is_some_and(|part| !is_year(part))
        // `/thread-17-1.html`, `/ShowTopic-g3-i4-k17-Bridges.html`.
        || first.split_once('-').is_some_and(|(word, rest)| {
            let is_thread = THREADS.contains(&word) || word == "topic" && !is_year(rest);
            is_thread && is_number(rest) || word == "showtopic"
        })
        // `/r/walkers/comments/1a2b3c/bridges/`: at Reddit, and where it is shown by others.
        || matches!(parts, ["r", _, "comments", _, ..])
        // `/f3/t17.aspx`: how Telligent numbers forums and threads.
        || matches!(rest.first(), Some(next) if is_numbered_by(first, 'f')
            && is_numbered_by(next.split('.').next().unwrap_or_default(), 't'))
}

/// Does a text begin with a year of our days, or with a day that it begins? Articles are filed by these.
fn is_year(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && (text.starts_with("19") || text.starts_with("20"))
}

/// `17.0`, `17.msg20`: how Simple Machines numbers topics and where it opens them.
fn is_numbered_page(value: &str) -> bool {
    value.split_once('.').is_some_and(|(topic, at)| {
        !topic.is_empty() && topic.bytes().all(|b| b.is_ascii_digit()) && !at.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_told_by_the_addresses_of_forum_software() {
        for address in [
            "https://walkers.example/viewtopic.php?f=3&t=17",
            "https://walkers.example/forum/showthread.php?t=17",
            "https://walkers.example/threads/bridges.17/",
            "https://walkers.example/thread-17-1-1.html",
            "https://walkers.example/topic/17-bridges/",
            "https://walkers.example/t/bridges-of-the-north/17",
            "https://walkers.example/questions/17/which-bridge",
            "https://walkers.example/index.php?topic=17.0",
            "https://walkers.example/forum/3-walks/bridges",
            "https://walkers.example/forum/17",
            "https://walkers.example/forum/walks/17-bridges",
            "https://walkers.example/forums/topic/bridges/",
            "https://walkers.example/topic-17-bridges.html",
            "https://walkers.example/questions/20261120/which-bridge",
            "https://forum.walkers.example/bridges",
            "https://bbs.walkers.example/read?id=17",
            "https://walkers.example/ShowTopic-g3-i4-k17-Which_bridge.html",
            "https://www.walkers.example/r/bridges/comments/1a2b3c/which_bridge/",
            "https://walkers.example/read.php?3,17",
            "https://walkers.example/topic.asp?TOPIC_ID=17&whichpage=2",
            "https://walkers.example/Discussions/f3/t17.aspx",
        ] {
            assert_eq!(told(Some(address)), Some(Told::Thread), "{address}");
        }
    }

    #[test]
    fn forums_and_sections_of_that_name_are_told() {
        for address in [
            "https://walkers.example/forums/walks/bridges",
            "https://daily.example/forum/why-the-bridge-must-go",
            "https://daily.example/forum/2026/11/20/why-the-bridge-must-go",
            "https://daily.example/forum/2026-11-20/why-the-bridge-must-go",
            "https://daily.example/forum/5-reasons-for-a-bridge",
        ] {
            assert_eq!(told(Some(address)), Some(Told::Forum), "{address}");
        }
    }

    #[test]
    fn the_bare_host_is_its_front_page() {
        for address in ["https://daily.example", "https://www.daily.example/"] {
            assert_eq!(told(Some(address)), Some(Told::Front), "{address}");
        }
        for address in ["https://daily.example/?p=17", "https://daily.example/#/17"] {
            assert_eq!(told(Some(address)), None, "{address}");
        }
    }

    #[test]
    fn other_addresses_say_nothing() {
        for address in [
            "https://daily.example/2026/11/20/bridge-closed",
            "https://daily.example/topic/bridges",
            "https://daily.example/questions/what-now",
            "https://daily.example/questions/2026/11/20/what-now",
            "https://daily.example/discussion/2026-11-20/what-now",
            "https://daily.example/topic/2026-election/bridge-vote",
            "https://daily.example/topic-2026-election",
            "https://daily.example/the-thread-of-the-story",
            "https://daily.example/news?topic=17",
            "https://daily.example/2026/11/20/bridge-closed?topic=17.0",
            "https://daily.example/forum",
            // A magazine of that name.
            "https://www.forum.example/bridge-closed",
            "https://daily.example/17/comments",
            "https://daily.example/r/bridges",
            "https://daily.example/read.php?id=17",
            "https://daily.example/read.php?17",
            "https://daily.example/bridge-closed?3,17",
            "https://daily.example/f3/bridges",
            "nonsense",
        ] {
            assert_eq!(told(Some(address)), None, "{address}");
        }
        assert_eq!(told(None), None);
    }
}

//! Where feeds that have moved are polled now.
//!
//! Must not know: how it was found out that they have moved.

use crate::frontier::address;
use crate::model::*;
use crate::store::Result;

/// Moves of one feed that are followed, one after the other.
const MOST: usize = 20;

/// The feed that is polled where `polled` was moved to, and wherever that one was moved since. `None`: there is
/// none, or it leads back. `find` finds a feed.
pub fn heir(
    polled: UrlKey,
    to: &str,
    find: &mut dyn FnMut(UrlKey) -> Result<Option<Feed>>,
) -> Result<Option<Feed>> {
    let mut to = to.to_owned();
    for _ in 0..MOST {
        let Ok(at) = address(&to, None) else { return Ok(None) };
        if at.key == polled {
            return Ok(None);
        }
        match find(at.key)? {
            Some(Feed {
                status: FeedStatus::Gone,
                poll: PollState { moved_to: Some(on), .. },
                ..
            }) => {
                to = on;
            }
            found => return Ok(found),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_followed_to_their_end() {
        let feed = |url: &str, to: Option<&str>| {
            let at = address(url, None).unwrap();
            let mut feed = Feed::new(at.key, url, at.outlet, at.pace_key, 5);
            if let Some(to) = to {
                (feed.status, feed.poll.moved_to) = (FeedStatus::Gone, Some(to.to_owned()));
            }
            feed
        };
        let [a, b, c] = ["https://a.test/f", "https://b.test/f", "https://c.test/f"];
        let check = |feeds: &[Feed], expected: Option<&str>| {
            let mut find = |key| Ok(feeds.iter().find(|feed| feed.key == key).cloned());
            let found = heir(feed(a, None).key, b, &mut find).unwrap();
            assert_eq!(found.map(|feed| feed.url).as_deref(), expected);
        };
        check(&[feed(b, None)], Some(b));
        check(&[feed(b, Some(c)), feed(c, None)], Some(c));
        check(&[feed(b, Some(c))], None);
        check(&[feed(b, Some(c)), feed(c, Some(a)), feed(a, None)], None);
        check(&[feed(b, Some(c)), feed(c, Some(b))], None);
    }
}

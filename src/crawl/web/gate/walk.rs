//! The one walk along redirects. Each of its requests passes the gate like any other; what leads to
//! another pace key is not asked under this one's lease: the walk ends there, and whoever took it goes
//! on under another lease or not at all.
//!
//! Must not know: what is looked for at the end, how robots.txt is read.

use crate::fetch::{Kind, Response};
use crate::frontier::{Address, address};
use crate::model::Failure;

use super::{Conditions, Denied, Gate, Turn};

/// Redirects followed for one entry, those to other pace keys counted.
pub const MAX_HOPS: usize = 20;
/// Octets of cookies that are sent.
const MAX_COOKIES: usize = 8 * 1024;

/// A walk under way.
pub struct Walk {
    at: Address,
    /// URLs asked for or to be asked for, and with which cookies.
    visited: Vec<(String, Vec<String>)>,
    /// What redirects of the outlet have set, each as `name=value`: many sites lead to the same page once more and look
    /// for their cookie there. None is kept for longer than the walk.
    cookies: Vec<String>,
    /// Redirects that may still be followed.
    left: usize,
    /// Were all redirects so far permanent ones?
    lasting: bool,
    permanent: Option<Address>,
}

/// Where an answer leads to.
#[derive(Debug)]
pub enum Leads {
    /// It is no redirect: the walk has arrived.
    Nowhere,
    /// To another address under the pace key, before which the walk stands now.
    On,
    /// To another pace key, where nobody is asked. `permanent`: this redirect and all before it are.
    Away { to: Box<Address>, permanent: bool },
}

/// How a walk within a pace key ended.
#[derive(Debug)]
pub enum End {
    Arrived(Box<Response>),
    /// See [`Leads::Away`].
    Moved {
        to: Box<Address>,
        permanent: bool,
    },
}

/// The address that an answer redirects to.
pub(super) struct Next {
    pub to: Address,
    permanent: bool,
    /// What is sent there.
    cookies: Vec<String>,
}

impl Walk {
    /// Begins at an address, and follows so many redirects.
    pub fn new(from: Address, most: usize) -> Walk {
        let visited = vec![(from.url.to_string(), Vec::new())];
        let cookies = Vec::new();
        Walk { at: from, visited, cookies, left: most, lasting: true, permanent: None }
    }

    /// The address that was asked last, or is asked next.
    pub fn at(&self) -> &Address {
        &self.at
    }

    /// Has a redirect been followed?
    pub(super) fn is_redirected(&self) -> bool {
        self.visited.len() > 1
    }

    /// What is sent as Cookie.
    pub(super) fn cookie(&self) -> Option<String> {
        Some(self.cookies.join("; ")).filter(|cookies| !cookies.is_empty())
    }

    /// What is sent as Cookie where an answer leads: to another outlet nothing, nor from https to http.
    fn cookies_at(&self, to: &Address, answer: &Response) -> Vec<String> {
        let less_safe = self.at.url.scheme() == "https" && to.url.scheme() != "https";
        if to.outlet != self.at.outlet || less_safe {
            return Vec::new();
        }
        let name = |cookie: &str| cookie.split('=').next().map(|name| name.trim().to_owned());
        let set = &answer.headers.cookies;
        let replaced = |held: &&String| set.iter().any(|new| name(new) == name(held));
        let kept = self.cookies.iter().filter(|held| !replaced(held));
        // Those that are deleted have no value.
        let mut cookies: Vec<String> =
            kept.chain(set.iter().filter(|new| new.contains('='))).cloned().collect();
        let mut octets = 0;
        cookies.retain(|cookie| {
            octets += cookie.len();
            octets <= MAX_COOKIES
        });
        cookies
    }

    /// Where the permanent redirects at its beginning have led.
    pub fn permanent(&self) -> Option<&Address> {
        self.permanent.as_ref()
    }

    /// Where an answer redirects to; `None`: nowhere. A `form` is sent on only where that is certain to
    /// be meant (307 and 308, RFC 9110 §15.4).
    ///
    /// # Errors
    /// It redirects to no URL, in a circle (other cookies are worth one more lap), or once too often.
    pub(super) fn next(&self, answer: &Response, form: bool) -> Result<Option<Next>, Failure> {
        let redirects = match answer.status {
            307 | 308 => true,
            301..=303 => !form,
            _ => false,
        };
        if !redirects {
            return Ok(None);
        }
        let astray = |why: String| Failure::BadRedirect(why);
        let location = answer.headers.location.as_deref();
        let location = location.ok_or_else(|| astray("it names none".into()))?;
        let to =
            address(location, Some(self.at.url.as_str())).map_err(|e| astray(e.to_string()))?;
        let cookies = self.cookies_at(&to, answer);
        let been = || self.visited.iter().filter(|(url, _)| *url == to.url.as_str());
        if been().count() > 1 || been().any(|(_, sent)| *sent == cookies) {
            return Err(Failure::RedirectLoop);
        }
        if self.left == 0 {
            return Err(Failure::TooManyRedirects);
        }
        let permanent = self.lasting && matches!(answer.status, 301 | 308);
        Ok(Some(Next { to, permanent, cookies }))
    }

    /// Goes there.
    pub(super) fn go(&mut self, next: Next) {
        self.lasting = next.permanent;
        if next.permanent {
            self.permanent = Some(next.to.clone());
        }
        self.visited.push((next.to.url.to_string(), next.cookies.clone()));
        self.cookies = next.cookies;
        self.left -= 1;
        self.at = next.to;
    }
}

impl Gate {
    /// One request of a walk: the answer, and where it leads or why that cannot be followed.
    pub async fn step(
        &self,
        turn: &mut Turn,
        walk: &mut Walk,
        kind: Kind,
        conditions: &Conditions,
    ) -> Result<(Box<Response>, Result<Leads, Failure>), Denied> {
        let conditions = &Conditions { cookie: walk.cookie(), ..conditions.clone() };
        turn.redirected = walk.is_redirected();
        if !turn.redirected {
            turn.waited = 0;
        }
        let response = self.get(turn, walk.at(), kind, conditions).await?;
        let next = walk.next(&response, conditions.form.is_some());
        let leads = next.map(|next| match next {
            None => Leads::Nowhere,
            Some(next) if next.to.pace_key == turn.lease.pace_key => {
                walk.go(next);
                Leads::On
            }
            Some(Next { to, permanent, .. }) => Leads::Away { to: Box::new(to), permanent },
        });
        Ok((Box::new(response), leads))
    }

    /// A walk to its end within the pace key.
    pub async fn follow(
        &self,
        turn: &mut Turn,
        walk: &mut Walk,
        kind: Kind,
        conditions: &Conditions,
    ) -> Result<End, Denied> {
        loop {
            let (response, leads) = self.step(turn, walk, kind, conditions).await?;
            match leads.map_err(Denied::Failed)? {
                Leads::Nowhere => return Ok(End::Arrived(response)),
                Leads::On => {}
                Leads::Away { to, permanent } => return Ok(End::Moved { to, permanent }),
            }
        }
    }

    /// A walk outside the queue (a URL that a person asks about, a hub), through as many pace keys as it
    /// takes, each under a turn of its own. The address at its end is the walk's.
    pub async fn errand(
        &self,
        walk: &mut Walk,
        kind: Kind,
        conditions: &Conditions,
    ) -> Result<Box<Response>, Denied> {
        loop {
            let mut turn = self.turn(walk.at()).await?;
            // A feed may name any address as its hub: how that one answers slows no pages of its host, and pauses them
            // only where it asks for that (429, 503).
            turn.hearsay = kind == Kind::Hub;
            let end = self.follow(&mut turn, walk, kind, conditions).await;
            self.done(turn).await?;
            match end? {
                End::Arrived(response) => return Ok(response),
                End::Moved { to, permanent } => {
                    walk.go(Next { to: *to, permanent, cookies: Vec::new() });
                }
            }
        }
    }
}

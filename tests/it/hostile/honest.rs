//! The web that victims and attackers share: who is in it, and what outlets answer that do no harm.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{Plan, VICTIMS, attackers};
use crate::server::{Ask, Server, Step, answer};
use crate::web::html;

/// Who is crawled beside the victims.
#[derive(Clone, Copy, PartialEq)]
pub enum Company {
    Nobody,
    /// As many outlets as there are attackers, which publish as the victims do.
    Behaving,
    Attackers,
    /// Nobody, while something else keeps so many cores busy.
    Busy(f64),
}

impl Company {
    pub fn outlets(self) -> usize {
        match self {
            Company::Nobody | Company::Busy(_) => VICTIMS,
            Company::Behaving | Company::Attackers => VICTIMS + attackers::ALL.len(),
        }
    }
}

/// What the handlers know of the web.
pub struct Web {
    pub addresses: Vec<SocketAddr>,
    pub plan: Plan,
    pub company: Company,
    pub began: Mutex<Option<Instant>>,
    pub turns: AtomicUsize,
    /// Bodies of the requests that hubs got.
    pub asked: Mutex<Vec<String>>,
}

impl Web {
    pub fn url(&self, outlet: usize, path: &str) -> String {
        format!("http://{}{path}", self.addresses[outlet])
    }

    pub fn split(&self, outlet: usize) -> (String, u16) {
        let at = self.addresses[outlet];
        (at.ip().to_string(), at.port())
    }

    /// How many articles each victim has published so far; the first one was there before.
    pub fn published(&self) -> usize {
        let began = *self.began.lock().unwrap();
        let since = began.map_or(Duration::ZERO, |at| at.elapsed());
        let last = (since.as_millis() / self.plan.period.as_millis()) as usize;
        let n = last + usize::from(since >= self.plan.instant(last));
        n.clamp(1, self.plan.articles)
    }

    /// Does an outlet publish one article after the other?
    pub fn publishes(&self, outlet: usize) -> bool {
        outlet < VICTIMS || self.company == Company::Behaving
    }

    /// Another number each time.
    pub fn turn(&self) -> usize {
        self.turns.fetch_add(1, Ordering::SeqCst)
    }

    /// Of a text that nobody else prints: an attacker's page that happens to be a victim's, at the same
    /// instant, may be the original of their story.
    pub fn seed(&self) -> u64 {
        1_000_000 + self.turn() as u64
    }
}

pub fn story(n: usize) -> String {
    format!("/story-{n}.html")
}

pub fn item(link: &str, date: &str) -> String {
    let date = if date.is_empty() { String::new() } else { format!("<pubDate>{date}</pubDate>") };
    format!("<item><title>Heard of</title><link>{link}</link>{date}</item>")
}

/// A feed of items, with its hub and its own address.
pub fn feed(items: &str, hub: Option<(&str, &str)>) -> String {
    let hub = hub.map_or_else(String::new, |(hub, own)| {
        format!("<a:link rel=\"hub\" href=\"{hub}\"/><a:link rel=\"self\" href=\"{own}\"/>")
    });
    format!(
        "<rss version=\"2.0\" xmlns:a=\"http://www.w3.org/2005/Atom\"><channel><title>F</title>{hub}{items}\
         </channel></rss>"
    )
}

/// What an outlet answers that does no harm.
fn honest(ask: &Ask, web: &Web) -> Vec<Step> {
    match ask.path {
        "/robots.txt" => {
            answer("200 OK", &[], "User-agent: *\nDisallow: /private/\nDisallow: /*utm_source=\n")
        }
        "/feed.xml" if web.publishes(ask.outlet) => {
            let published = web.published();
            let items: String = (published.saturating_sub(30)..published)
                .rev()
                .map(|n| item(&web.url(ask.outlet, &story(n)), ""))
                .collect();
            let (hub, own) = (web.url(VICTIMS, "/hub"), web.url(ask.outlet, "/feed.xml"));
            let hub = (ask.outlet == 1).then_some((hub.as_str(), own.as_str()));
            answer("200 OK", &["Content-Type: application/rss+xml"], feed(&items, hub))
        }
        "/feed.xml" => {
            let own: String =
                (0..5).map(|n| item(&web.url(ask.outlet, &format!("/own-{n}.html")), "")).collect();
            answer("200 OK", &["Content-Type: application/rss+xml"], feed(&own, None))
        }
        // A hub that never comes back to it.
        "/hub" => answer("202 Accepted", &[], ""),
        path => {
            let number =
                |head: &str| path.strip_prefix(head)?.strip_suffix(".html")?.parse::<usize>().ok();
            let day = |n: usize| format!("2026-11-{:02}T08:00:00Z", 10 + n % 3);
            let page = match (number("/story-"), number("/own-")) {
                (Some(n), _) if web.publishes(ask.outlet) && n < web.published() => {
                    // The first two share their stories.
                    let from = if n.is_multiple_of(2) { ask.outlet.max(1) } else { ask.outlet };
                    let page = html((1_000 * from + n) as u64, ask.outlet, 1 + n % 3, &day(n));
                    if ask.outlet < VICTIMS { page } else { page.replace("Acme", "Zeta") }
                }
                (_, Some(n)) if ask.outlet >= VICTIMS => {
                    html((50_000 + 10 * ask.outlet + n) as u64, ask.outlet, 1, &day(n))
                        .replace("Acme", "Zeta")
                }
                _ => return answer("404 Not Found", &[], ""),
            };
            answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
        }
    }
}

pub fn start(plan: Plan, company: Company) -> (Server, Arc<Web>) {
    let mut shared = None;
    let server = Server::start(VICTIMS + attackers::ALL.len(), |addresses| {
        let web = Arc::new(Web {
            addresses: addresses.to_vec(),
            plan,
            company,
            began: Mutex::default(),
            turns: AtomicUsize::new(1),
            asked: Mutex::default(),
        });
        shared = Some(web.clone());
        move |ask: &Ask| {
            let attacker = ask.outlet.checked_sub(VICTIMS).and_then(|n| attackers::ALL.get(n));
            let attacker = attacker.filter(|_| web.company == Company::Attackers);
            attacker
                .and_then(|attacker| (attacker.reply)(ask, &web))
                .unwrap_or_else(|| honest(ask, &web))
        }
    });
    (server, shared.expect("the handler was made"))
}

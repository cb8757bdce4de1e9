//! What alerts tell, on its way to the targets that the operator names in the configuration: signed
//! webhooks, mails through the operator's own server, and a feed per alert; and spans, on their way to
//! the operator's collector. A way out of its own beside `fetch`: nothing that a page, a feed or a user of
//! the API says decides where it leads, and no redirect is followed.
//!
//! Must not know: why something is told, when it is tried again.

mod feed;
mod mail;
mod settings;
#[cfg(feature = "otlp")]
pub mod traces;
mod webhook;
mod words;

use std::time::{Duration, Instant};

use crate::model::{AlertEvent, AlertRule, Millis};

pub use feed::atom;
pub use mail::Mail;
pub use settings::{Service, Settings, Target, Traces, is_web};

/// Something to be told, and by whose rule.
#[derive(Clone, Copy, Debug)]
pub struct News<'a> {
    pub rule: &'a AlertRule,
    pub event: &'a AlertEvent,
}

/// Why news was not taken, or that nobody knows whether it was, and what is known for the next attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotTaken {
    /// In words.
    pub why: String,
    /// The target asks for no attempt before so long.
    pub pause: Option<Millis>,
    /// Addresses that have refused a mail that went on to the others; none: nobody has it.
    pub left: Vec<String>,
}

impl From<String> for NotTaken {
    fn from(why: String) -> NotTaken {
        NotTaken { why, ..NotTaken::default() }
    }
}

/// Brings news to the targets of a configuration.
pub struct Courier {
    settings: Settings,
    names: Vec<String>,
    client: reqwest::Client,
}

impl Courier {
    /// One for these targets.
    ///
    /// # Errors
    /// The HTTP client cannot be made; in words.
    pub fn new(settings: Settings) -> Result<Courier, String> {
        let client = client(settings.deadline.duration())
            .map_err(|why| format!("webhooks cannot be sent: {why}"))?;
        let names = settings.names();
        Ok(Courier { settings, names, client })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Names of the targets of the configuration.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Does the configuration name this target?
    pub fn knows(&self, target: &str) -> bool {
        self.names.iter().any(|known| known == target)
    }

    /// Brings news to a target, once. It ends within the [`Settings::longest`].
    ///
    /// # Errors
    /// It was not taken, or nobody knows whether it was.
    pub async fn send(&self, target: &str, news: News<'_>) -> Result<(), NotTaken> {
        let found = self.settings.targets.iter().find(|known| known.name == target);
        let known = found.ok_or_else(|| format!("the configuration names no target `{target}`"))?;
        let longest = self.settings.longest(target);
        let sending = async {
            match &known.webhook {
                Some(url) => webhook::send(&self.client, known, url, news).await,
                None => self.mail(known, news).await,
            }
        };
        match tokio::time::timeout(longest.duration(), sending).await {
            Ok(sent) => sent,
            Err(_) => Err(format!("no answer within {longest}").into()),
        }
    }

    async fn mail(&self, target: &Target, news: News<'_>) -> Result<(), NotTaken> {
        let (server, to) = (self.settings.mail.clone(), target.mail.clone());
        let (rule, event) = (news.rule.clone(), news.event.clone());
        let (name, deadline) = (target.name.clone(), self.settings.deadline);
        // The wait for a thread is part of the attempt.
        let began = Instant::now();
        let sending = tokio::task::spawn_blocking(move || {
            let delivery = event.deliveries.iter().find(|delivery| delivery.target == name);
            let left = delivery.map_or(&[][..], |delivery| &delivery.left);
            let news = News { rule: &rule, event: &event };
            mail::send(&server, (&to, left), news, (began, deadline))
        });
        sending.await.unwrap_or_else(|error| Err(chain(&error).into()))
    }
}

/// The HTTP client of this room: it goes where it is told, and nowhere from there.
fn client(deadline: Duration) -> Result<reqwest::Client, String> {
    crate::tls::provider();
    let builder = || {
        reqwest::Client::builder()
            .user_agent(concat!("crawler/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .timeout(deadline)
            .pool_max_idle_per_host(0)
    };
    // A machine without root certificates can still tell its own network.
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build());
    client.map_err(|error| chain(&error))
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text += &format!(": {inner}");
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests;

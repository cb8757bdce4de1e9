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

use std::time::Duration;

use crate::model::{AlertEvent, AlertRule};

pub use feed::atom;
pub use mail::Mail;
pub use settings::{Service, Settings, Target, Traces, is_web};

/// Something to be told, and by whose rule.
#[derive(Clone, Copy, Debug)]
pub struct News<'a> {
    pub rule: &'a AlertRule,
    pub event: &'a AlertEvent,
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

    /// Brings news to a target, once. It ends within the deadline.
    ///
    /// # Errors
    /// It was not taken, or nobody knows whether it was; in words.
    pub async fn send(&self, target: &str, news: News<'_>) -> Result<(), String> {
        let found = self.settings.targets.iter().find(|known| known.name == target);
        let target =
            found.ok_or_else(|| format!("the configuration names no target `{target}`"))?;
        let deadline = self.settings.deadline.duration();
        let Some(url) = &target.webhook else { return self.mail(target, news).await };
        match tokio::time::timeout(deadline, webhook::send(&self.client, target, url, news)).await {
            Ok(sent) => sent,
            Err(_) => Err(format!("no answer within {}", self.settings.deadline)),
        }
    }

    async fn mail(&self, target: &Target, news: News<'_>) -> Result<(), String> {
        let (server, to) = (self.settings.mail.clone(), target.mail.clone());
        let (rule, event) = (news.rule.clone(), news.event.clone());
        let deadline = self.settings.deadline.duration();
        let sending = tokio::task::spawn_blocking(move || {
            // A dialogue has many steps; each may take a part of the time.
            mail::send(&server, &to, News { rule: &rule, event: &event }, deadline / 4)
        });
        match tokio::time::timeout(deadline, sending).await {
            Ok(sent) => sent.unwrap_or_else(|error| Err(chain(&error))),
            Err(_) => Err(format!("no answer within {}", self.settings.deadline)),
        }
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

//! Targets, and how patiently they are tried.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::mail::{self, Mail};
use crate::model::{DAY, HOUR, SECOND, Span};

/// Where news may go, and how long it is tried.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub targets: Vec<Target>,
    /// Longest time that one attempt may take; of a mail, all answers before its text together.
    pub deadline: Span,
    /// Time until the second attempt; doubles …
    pub retry: Span,
    /// … up to this.
    pub retry_max: Span,
    /// What is older is not tried again.
    pub give_up: Span,
    pub mail: Mail,
    pub traces: Traces,
}

/// Where spans of a daemon's work go: to nobody, unless a collector is named.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Traces {
    /// URL that the collector takes them at; most listen at `/v1/traces` of port 4318.
    pub collector: Option<String>,
    /// The share of traces that is sent, between 0 and 1.
    pub share: f64,
}

impl Default for Traces {
    fn default() -> Traces {
        Traces { collector: None, share: 1.0 }
    }
}

impl Traces {
    fn check(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.share) {
            return Err("`deliver.traces.share` is a number between 0 and 1".into());
        }
        let Some(collector) = &self.collector else { return Ok(()) };
        if !is_web(collector) {
            return Err("`deliver.traces.collector` is not a URL that begins with https:// or \
                        http://, such as http://127.0.0.1:4318/v1/traces"
                .into());
        }
        if cfg!(not(feature = "otlp")) {
            return Err("`deliver.traces.collector` takes a program that was built with \
                        `--features otlp`; this one sends no traces"
                .into());
        }
        Ok(())
    }
}

/// Is this the URL of somebody who speaks HTTP?
pub fn is_web(url: &str) -> bool {
    let url = url::Url::parse(url).ok();
    url.is_some_and(|url| ["http", "https"].contains(&url.scheme()) && url.host().is_some())
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            targets: Vec::new(),
            deadline: Span(15 * SECOND),
            retry: Span(30 * SECOND),
            retry_max: Span(HOUR),
            give_up: Span(7 * DAY),
            mail: Mail::default(),
            traces: Traces::default(),
        }
    }
}

/// A chat service whose webhooks take a body of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// It refuses fields that it does not know.
    GoogleChat,
    Discord,
    /// Microsoft Teams, by a workflow that posts a card.
    Teams,
}

/// Somebody to be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// By it rules name it.
    pub name: String,
    /// URL that is posted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
    /// What its body is for; without it, for most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// Addresses that get a mail instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mail: Vec<String>,
    /// File with the key of the signatures; without one nothing is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<PathBuf>,
}

impl Target {
    /// The key of the signatures, if there are to be any.
    pub fn secret(&self) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = &self.secret_file else { return Ok(None) };
        let secret = std::fs::read(file)
            .map_err(|error| format!("cannot read the secret {}: {error}", file.display()))?;
        match secret.trim_ascii() {
            [] => Err(format!("the secret {} is empty", file.display())),
            secret => Ok(Some(secret.to_vec())),
        }
    }
}

impl Settings {
    /// Why nothing could be sent: a sentence for each file that cannot be used.
    pub fn unreadable(&self) -> Vec<String> {
        let of_target = |target: &Target| {
            let wrong = target.secret().err()?;
            Some(format!("the target `{}`: {wrong}", target.name))
        };
        let mut wrong: Vec<String> = self.targets.iter().filter_map(of_target).collect();
        if self.targets.iter().any(|target| !target.mail.is_empty()) {
            wrong.extend(self.mail.credentials().err());
        }
        wrong
    }

    /// Names of the targets.
    pub fn names(&self) -> Vec<String> {
        self.targets.iter().map(|target| target.name.clone()).collect()
    }

    /// Longest time that an attempt at a target takes as a whole. A mail's ends by the first deadline, or goes on: then
    /// a step takes another one at most, and so does the parting.
    pub fn longest(&self, target: &str) -> Span {
        let mail = |known: &Target| known.name == target && known.webhook.is_none();
        match self.targets.iter().any(mail) {
            true => Span(self.deadline.0.saturating_mul(3).saturating_add(mail::TAKING.0)),
            false => self.deadline,
        }
    }

    /// Are the settings possible?
    ///
    /// # Errors
    /// A sentence that names the key.
    pub fn check(&self) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        for (n, target) in self.targets.iter().enumerate() {
            let name = &target.name;
            if name.is_empty() || !name.chars().all(plain) {
                return Err(format!(
                    "`deliver.targets` has the name `{name}`; use letters, digits and -._"
                ));
            }
            if self.targets.iter().take(n).any(|other| other.name == *name) {
                return Err(format!("`deliver.targets` has two targets named `{name}`"));
            }
            let Some(webhook) = &target.webhook else {
                if target.service.is_some() {
                    return Err(format!("the target `{name}` has a `service` and no `webhook`"));
                }
                if target.mail.is_empty() {
                    return Err(format!("the target `{name}` has neither `webhook` nor `mail`"));
                }
                mail::check(&self.mail, &target.mail)
                    .map_err(|why| format!("the target `{name}`: {why}"))?;
                continue;
            };
            if !target.mail.is_empty() {
                return Err(format!("the target `{name}` has both `webhook` and `mail`: make two"));
            }
            if !is_web(webhook) {
                return Err(format!(
                    "the target `{name}`: `webhook` is not a URL that begins with https:// or http://"
                ));
            }
        }
        if self.deadline.0 <= 0 || self.retry.0 <= 0 || self.retry_max < self.retry {
            return Err(
                "`deliver` needs a deadline, and a retry that is not above retry_max".into()
            );
        }
        self.traces.check()
    }
}

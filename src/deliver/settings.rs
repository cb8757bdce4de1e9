//! Targets, and how patiently they are tried.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::mail::{self, Mail};
use crate::model::Span;

/// Where news may go, and how long it is tried.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub targets: Vec<Target>,
    /// Longest time that one attempt may take.
    pub deadline: Span,
    /// Time until the second attempt; doubles …
    pub retry: Span,
    /// … up to this.
    pub retry_max: Span,
    /// What is older is not tried any more.
    pub give_up: Span,
    pub mail: Mail,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            targets: Vec::new(),
            deadline: Span(15_000),
            retry: Span(30_000),
            retry_max: Span(3_600_000),
            give_up: Span(7 * 86_400_000),
            mail: Mail::default(),
        }
    }
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
    /// Addresses that get a mail instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mail: Vec<String>,
    /// File with the key of the signatures; without one nothing is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<PathBuf>,
}

impl Settings {
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
            let url = url::Url::parse(webhook).ok();
            let good = url.is_some_and(|url| {
                ["http", "https"].contains(&url.scheme()) && url.host().is_some()
            });
            if !good {
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
        Ok(())
    }
}

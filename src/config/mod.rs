//! All settings. Every stage owns its own `Settings` type; here they are only put together and checked;
//! `load` reads them from file, environment and flags.
//!
//! Must not know: what the settings do.

mod environment;
mod keys;
mod load;
mod written;

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::model::{MINUTE, SECOND, Span};
use crate::serve::door;
use crate::{archive, crawl, dedupe, deliver, extract, feed, fetch, frontier, search, store};

pub use load::{Loaded, Origin, Setting, load, split};
pub use written::text;

/// Says that there is no such key, and which one is most like it.
pub fn unknown(key: &str) -> String {
    keys::Keys::new().unknown(key)
}

/// The raw configuration, key by key as in `config.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where the store lives.
    pub data_dir: PathBuf,
    /// Brand list (TOML or one name a line); imported at start when its content has changed.
    pub brands: Option<PathBuf>,
    /// Mail address or web page of the operator, sent with every request.
    pub contact: Option<String>,
    /// Address of API and dashboard; empty: none.
    pub listen: String,
    /// Address of metrics and health alone; empty: none.
    pub metrics_listen: String,
    /// Names under which it is asked, beside IP literals and loopback names.
    pub allowed_hosts: Vec<String>,
    /// Proxies that are believed when they say who asks.
    pub trusted_proxies: Vec<fetch::guard::Range>,
    pub timezone: String,
    pub workers: usize,
    pub drain: usize,
    pub max_age: Option<Span>,
    pub once_patience: Span,
    /// Model file; deployed at start when it has changed.
    pub model: Option<PathBuf>,
    pub extract_deadline: Span,
    pub signals: crawl::web::signals::Signals,
    /// Are pages read with the memory of their outlet?
    pub site_memory: bool,
    pub user_agent: UserAgent,
    pub pace: frontier::pace::Settings,
    pub fetch: fetch::Settings,
    pub guard: fetch::guard::Settings,
    pub feed: feed::Settings,
    pub extract: extract::Limits,
    pub dedupe: dedupe::Settings,
    #[serde(deserialize_with = "store_key")]
    pub store: store::Settings,
    pub archive: archive::Settings,
    pub retention: crawl::run::retention::Retention,
    pub websub: crawl::web::websub::Settings,
    pub deliver: deliver::Settings,
    pub search: search::Settings,
    pub clients: door::Clients,
    pub tls: door::tls::Files,
}

/// `store = "postgres://…"` is short for its `url`.
fn store_key<'de, D: serde::Deserializer<'de>>(d: D) -> Result<store::Settings, D::Error> {
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = store::Settings;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a section [store] or a URL such as \"postgres://user@host/database\"")
        }
        fn visit_str<E: serde::de::Error>(self, url: &str) -> Result<store::Settings, E> {
            Ok(store::Settings { url: Some(url.to_owned()), ..store::Settings::default() })
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            map: A,
        ) -> Result<store::Settings, A::Error> {
            store::Settings::deserialize(serde::de::value::MapAccessDeserializer::new(map))
        }
    }
    d.deserialize_any(Visitor)
}

/// How the crawler introduces itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UserAgent {
    /// Product token: the name in robots.txt groups and at the start of the User-Agent header.
    pub token: String,
}

impl Default for UserAgent {
    fn default() -> UserAgent {
        UserAgent { token: "crawler".into() }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            data_dir: "data".into(),
            brands: None,
            contact: None,
            listen: "127.0.0.1:8080".into(),
            metrics_listen: String::new(),
            allowed_hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            timezone: "UTC".into(),
            workers: 32,
            drain: 8,
            max_age: None,
            once_patience: Span(MINUTE),
            model: None,
            extract_deadline: Span(10 * SECOND),
            signals: Default::default(),
            site_memory: true,
            user_agent: UserAgent::default(),
            pace: Default::default(),
            fetch: Default::default(),
            guard: Default::default(),
            feed: Default::default(),
            extract: Default::default(),
            dedupe: Default::default(),
            store: Default::default(),
            archive: Default::default(),
            retention: Default::default(),
            websub: Default::default(),
            deliver: Default::default(),
            search: Default::default(),
            clients: Default::default(),
            tls: Default::default(),
        }
    }
}

impl Config {
    /// Are the settings possible?
    pub fn check(&self) -> Result<()> {
        if self.workers == 0 || self.drain == 0 {
            bail!("configuration: `workers` and `drain` must be at least 1");
        }
        if self.data_dir.as_os_str().is_empty() {
            bail!("configuration: `data_dir` is empty: name a directory, or leave it out");
        }
        if jiff::tz::TimeZone::get(&self.timezone).is_err() {
            bail!(
                "configuration: `timezone`: unknown time zone `{}`; use a name such as Europe/Berlin",
                self.timezone
            );
        }
        let token = &self.user_agent.token;
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if token.is_empty() || !token.chars().all(plain) {
            bail!(
                "configuration: `user_agent.token` is `{token}`; use letters, digits, - and _ only"
            );
        }
        let shortest = crawl::run::retention::SHORTEST;
        if self.retention.urls.is_some_and(|age| age < shortest) {
            bail!(
                "configuration: `retention.urls` must be at least {shortest}: what feeds list \
                 again would be fetched again"
            );
        }
        let shortest = crawl::run::retention::SHORTEST_MEMORY;
        if self.retention.memory < shortest {
            bail!("configuration: `retention.memory` must be at least {shortest}");
        }
        let most = frontier::robots::MAX_BODY;
        if self.fetch.robots_cap as usize > most {
            bail!(
                "configuration: `fetch.robots_cap` is {}: set at most {most}, which is all that is read of \
                 a robots.txt",
                self.fetch.robots_cap
            );
        }
        let (page, feed) = (self.extract.bytes, self.feed.max_bytes as u64);
        for (key, cap, read_key, read) in [
            ("fetch.page_cap", self.fetch.page_cap, "extract.bytes", page),
            ("fetch.feed_cap", self.fetch.feed_cap, "feed.max_bytes", feed),
        ] {
            if u64::from(cap) > read {
                bail!(
                    "configuration: `{key}` is {cap}, and `{read_key}` only {read}: larger ones would be \
                     fetched and not read; lower `{key}` or raise `{read_key}`"
                );
            }
        }
        if let Some(url) = &self.store.url
            && !url.starts_with("postgres://")
            && !url.starts_with("postgresql://")
        {
            bail!("configuration: `store` is not a URL that begins with postgres://");
        }
        self.store.check().map_err(|e| anyhow::anyhow!("configuration: {e}"))?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if let Some(name) =
            self.allowed_hosts.iter().find(|n| n.is_empty() || !n.chars().all(plain))
        {
            bail!(
                "configuration: `allowed_hosts` has `{name}`; write names without scheme and port, \
                 for example news.example.org"
            );
        }
        let clients = &self.clients;
        if clients.connections == 0 || clients.rate == 0 || clients.burst == 0 {
            bail!("configuration: `clients` must have at least 1 of connections, rate and burst");
        }
        if self.websub.callback.as_ref().is_some_and(|url| !deliver::is_web(url)) {
            bail!(
                "configuration: `websub.callback` is not a URL that begins with https:// or http://, such as \
                 https://crawler.example.org"
            );
        }
        if self.websub.tls && self.tls.certificate.is_none() {
            bail!("configuration: `websub.tls` needs `tls.certificate` and `tls.key`");
        }
        self.deliver.check().map_err(|e| anyhow::anyhow!("configuration: {e}"))?;
        self.search.check().map_err(|e| anyhow::anyhow!("configuration: {e}"))?;
        self.dedupe.check().map_err(|e| anyhow::anyhow!("configuration: {e}"))
    }

    /// How the crawler introduces itself.
    pub fn identity(&self) -> fetch::Identity {
        fetch::Identity { token: self.user_agent.token.clone(), contact: self.contact.clone() }
    }

    /// The settings of the store.
    pub fn store(&self) -> store::Settings {
        store::Settings {
            unknown_delay: self.pace.delay,
            now: Some(crawl::clock::now()),
            ..self.store.clone()
        }
    }

    /// How the HTTP server is guarded.
    pub fn door(&self) -> door::Settings {
        door::Settings {
            hosts: self.allowed_hosts.clone(),
            proxies: self.trusted_proxies.iter().map(|range| range.0).collect(),
            clients: self.clients.clone(),
            ..door::Settings::default()
        }
    }

    /// The same for the callback of hubs, who ask for the name that they were told.
    pub fn hubs_door(&self) -> door::Settings {
        let mut door = self.door();
        let callback = self.websub.callback.as_deref().and_then(|url| url::Url::parse(url).ok());
        door.hosts.extend(callback.and_then(|url| url.host_str().map(str::to_owned)));
        door
    }

    /// The part of the settings that the crawl needs.
    pub fn crawl(&self) -> crawl::Settings {
        crawl::Settings {
            workers: self.workers,
            drain: self.drain,
            max_age: self.max_age,
            once_patience: self.once_patience,
            timezone: self.timezone.clone(),
            extract_deadline: self.extract_deadline,
            signals: self.signals,
            site_memory: self.site_memory,
            token: self.user_agent.token.clone(),
            feed: self.feed.clone(),
            pace: self.pace.clone(),
            fetch: self.fetch.clone(),
            extract: self.extract.clone(),
            dedupe: self.dedupe.clone(),
            archive: self.archive.clone(),
            retention: self.retention.clone(),
            websub: self.websub.clone(),
            deliver: self.deliver.clone(),
            search: self.search(),
        }
    }

    /// The settings of the index: beside the store if nothing else is said, without what has lost its text
    /// by age.
    pub fn search(&self) -> search::Settings {
        let beside = || self.data_dir.join("search");
        let dir = match (&self.search.dir, &self.store.url) {
            (Some(dir), _) => Some(dir.clone()),
            (None, None) => Some(beside()),
            (None, Some(_)) => None,
        };
        search::Settings { dir, keep: self.retention.texts, ..self.search.clone() }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn load(text: &str, set: &[&str]) -> Result<Config> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
        Ok(super::load(Some(&path), &set)?.config)
    }

    #[test]
    fn later_sources_win() {
        let config = load("workers = 3\n[pace]\ndelay = \"2s\"", &["pace.delay=5s"]).unwrap();
        assert_eq!(config.workers, 3);
        assert_eq!(config.pace.delay, Span(5_000));
    }

    #[test]
    fn values_keep_their_types() {
        let config = load("", &["workers=7", "guard.allow=[\"127.0.0.0/8\"]", "max_age=30d"]);
        let config = config.unwrap();
        assert_eq!(config.workers, 7);
        assert_eq!(config.max_age, Some(Span(30 * crate::model::DAY)));
    }

    #[test]
    fn a_database_is_named_by_key_section_or_flag() {
        let url = "postgres://crawler@db.test/news";
        for config in [
            load(&format!("store = \"{url}\""), &[]),
            load(&format!("[store]\nurl = \"{url}\""), &[]),
            load("[store]\ncache_mib = 8", &[&format!("store={url}")]),
            load("[store]\ncache_mib = 8", &[&format!("store.url={url}")]),
        ] {
            assert_eq!(config.unwrap().store.url.as_deref(), Some(url));
        }
    }

    #[test]
    fn a_database_and_its_password_file_are_named_apart() {
        let store = "store = \"postgres://crawler@db.test/news\"";
        let config = load(store, &["store.password_file=/run/secrets/db"]).unwrap();
        assert_eq!(config.store.url.as_deref(), Some("postgres://crawler@db.test/news"));
        assert_eq!(config.store.password_file.as_deref(), Some(Path::new("/run/secrets/db")));
        let section = "[store]\npassword_file = \"p\"\ncache_mib = 8";
        let config = load(section, &["store=postgres://crawler@other.test/news"]).unwrap();
        assert_eq!(config.store.url.as_deref(), Some("postgres://crawler@other.test/news"));
        assert_eq!((config.store.password_file, config.store.cache_mib), (Some("p".into()), 8));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, set, word) in [
            ("wrokers = 3", &[][..], "config.toml:1: unknown key `wrokers`: is `workers` meant?"),
            (
                "\n[pace]\ndealy = \"2s\"",
                &[],
                "config.toml:3: unknown key `pace.dealy`: is `pace.delay` meant?",
            ),
            ("delay = \"2s\"", &[], "is `pace.delay` meant?"),
            ("[pcae]\ndelay = \"2s\"", &[], "unknown key `pcae`: is `pace` meant?"),
            ("foo = 1", &[], "unknown key `foo`: `crawler config show` lists all keys"),
            ("", &["alow=[]"], "--set alow=[]: unknown key `alow`: is `guard.allow` meant?"),
            ("", &["pace={dealy=\"1s\"}"], "unknown key `pace.dealy`"),
            ("workers = 0", &[], "workers"),
            ("", &["pace.delay=soon"], "soon"),
            ("", &["workers"], "key=value"),
            ("", &["workers=1", "workers.x=2"], "not a section"),
            ("", &["workers.x=1"], "`workers`"),
            ("store = \"mysql://x\"", &[], "postgres://"),
            ("[store]\ncahce_mib = 1", &[], "cahce_mib"),
            ("allowed_hosts = [\"https://a.test\"]", &[], "allowed_hosts"),
            ("trusted_proxies = [\"proxy\"]", &[], "`proxy` is not an address range"),
            ("[clients]\nburst = 0", &[], "clients"),
            ("[user_agent]\ntoken = \"a b\"", &[], "user_agent.token"),
            ("[[deliver.targets]]\nname = \"a\"\nwebhook = \"chat\"", &[], "`a`: `webhook`"),
            ("[retention]\nurls = \"1d\"", &[], "retention.urls"),
            ("[retention]\nmemory = \"1d\"", &[], "retention.memory"),
            (
                "[fetch]\nrobots_cap = 512001",
                &[],
                "`fetch.robots_cap` is 512001: set at most 512000",
            ),
            (
                "[fetch]\npage_cap = 20000000",
                &[],
                "lower `fetch.page_cap` or raise `extract.bytes`",
            ),
            ("", &["extract.bytes=1000"], "lower `fetch.page_cap` or raise `extract.bytes`"),
            (
                "[fetch]\nfeed_cap = 20000000",
                &[],
                "lower `fetch.feed_cap` or raise `feed.max_bytes`",
            ),
            ("", &["feed.max_bytes=1000"], "lower `fetch.feed_cap` or raise `feed.max_bytes`"),
        ] {
            let error = format!("{:#}", load(text, set).unwrap_err());
            assert!(error.contains(word), "`{error}` does not name `{word}`");
        }
    }

    #[test]
    fn caps_may_be_what_is_read_or_less() {
        let robots = u32::try_from(frontier::robots::MAX_BODY).unwrap();
        assert_eq!(Config::default().fetch.robots_cap, robots);
        for set in [
            &["fetch.robots_cap=1000"][..],
            &["fetch.page_cap=1000", "extract.bytes=1000"],
            &["fetch.feed_cap=20000000", "feed.max_bytes=20000000"],
        ] {
            load("", set).unwrap();
        }
    }

    #[test]
    fn the_shipped_file_has_every_key_with_its_default() {
        let text = include_str!("../../config.toml");
        let shipped: toml::Table = text.parse().unwrap();
        let default = toml::Table::try_from(Config::default()).unwrap();
        for (key, value) in &default {
            match (value, shipped.get(key)) {
                (toml::Value::Table(section), Some(toml::Value::Table(ours))) => {
                    assert_eq!(section, ours, "section [{key}] of config.toml differs");
                }
                (value, ours) => assert_eq!(Some(value), ours, "key {key} of config.toml differs"),
            }
        }
        Config::deserialize(shipped).unwrap();
    }
}

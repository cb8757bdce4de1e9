//! A configuration from its sources: shipped values, file, environment, flags. Later ones win, and it is
//! kept for every key which one did.
//!
//! Must not know: what the settings do.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Config;
use super::environment::{key_of, variables};
use super::keys::{self, Keys};
use super::written;

/// Keys whose URL may hold a password.
const WITH_PASSWORD: [&str; 3] = ["store.url", "websub.callback", "deliver.mail.server"];
/// Keys with URLs that whoever knows them may write to.
const WITH_ADDRESS: [&str; 2] = ["deliver.targets", "deliver.traces.collector"];
/// What a file is, in errors.
const FILE: &str = "configuration";
/// Read when no `--config` is given and it exists.
const DEFAULT_FILE: &str = "config.toml";

/// Where the value of a key comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Default,
    File(PathBuf),
    /// The variable's name.
    Environment(String),
    /// The flag's name.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path) => write!(f, "file {}", path.display()),
            Origin::Environment(name) => write!(f, "environment {name}"),
            Origin::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// A key with its value and where that comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    pub key: String,
    /// `null`: not set. A password in a URL is not told, nor where on its host a webhook is.
    pub value: Value,
    pub source: Origin,
}

impl Setting {
    /// Is a part of the value not told, as it is a secret?
    pub fn is_secret(&self) -> bool {
        let may =
            WITH_PASSWORD.contains(&self.key.as_str()) || WITH_ADDRESS.contains(&self.key.as_str());
        may && self.value.to_string().contains('…')
    }
}

/// A configuration that knows where it comes from.
pub struct Loaded {
    pub config: Config,
    /// By key; what is missing is as shipped.
    origins: BTreeMap<String, Origin>,
    /// The file that was read.
    pub file: Option<PathBuf>,
}

impl Loaded {
    /// Notes that a flag of its own has set a key.
    pub fn flagged(&mut self, key: &str, flag: &str) {
        self.origins.insert(key.to_owned(), Origin::Flag(flag.to_owned()));
    }

    /// Every key, in the order of `config.toml`.
    pub fn settings(&self) -> Vec<Setting> {
        self.told(&|_, _| true)
    }

    /// The settings whose value is not the shipped one.
    pub fn changed(&self) -> Vec<Setting> {
        let shipped: BTreeMap<String, Value> = keys::all(&Config::default()).into_iter().collect();
        self.told(&|key, value| shipped.get(key) != Some(value))
    }

    fn told(&self, wanted: &dyn Fn(&str, &Value) -> bool) -> Vec<Setting> {
        let shown = |key: &str, value: Value| match value {
            Value::String(url) if WITH_PASSWORD.contains(&key) => {
                Value::String(without_password(&url))
            }
            Value::String(url) if WITH_ADDRESS.contains(&key) => Value::String(origin(&url)),
            Value::Array(targets) if WITH_ADDRESS.contains(&key) => {
                targets.into_iter().map(without_address).collect()
            }
            value => value,
        };
        keys::all(&self.config)
            .into_iter()
            .filter(|(key, value)| wanted(key, value))
            .map(|(key, value)| Setting {
                value: shown(&key, value),
                source: self.origins.get(&key).cloned().unwrap_or(Origin::Default),
                key,
            })
            .collect()
    }
}

/// Reads the file (or `config.toml` if it exists), then the environment, then `key=value`
/// settings; later ones win.
///
/// # Errors
/// A source cannot be read, a key is unknown (the error names the nearest one), a value is not possible.
pub fn load(file: Option<&Path>, set: &[String]) -> Result<Loaded> {
    let known = Keys::new();
    let mut origins = BTreeMap::new();
    let default = Path::new(DEFAULT_FILE);
    let file = file.or_else(|| default.exists().then_some(default));
    let mut table = toml::Table::new();
    if let Some(path) = file {
        table = read(path, &known)?;
        for key in leaves("", &toml::Value::Table(table.clone())) {
            origins.insert(key, Origin::File(path.to_owned()));
        }
    }
    for (name, value) in variables(std::env::vars_os(), &known)? {
        let keys = put(&mut table, &known, &key_of(&name), &value)
            .with_context(|| format!("environment variable {name}"))?;
        origins.extend(keys.into_iter().map(|key| (key, Origin::Environment(name.clone()))));
    }
    for pair in set {
        let (key, value) = split(pair).map_err(|wrong| anyhow!("--set {pair}: {wrong}"))?;
        let keys = put(&mut table, &known, key, value);
        let keys = keys.with_context(|| format!("configuration: --set {pair}"))?;
        origins.extend(keys.into_iter().map(|key| (key, Origin::Flag("--set".into()))));
    }
    let config = Config::deserialize(table)
        .map_err(|e| anyhow!("configuration: {}", one_line(&e.to_string())))?;
    config.check().map_err(|wrong| placed(&wrong, &origins))?;
    Ok(Loaded { config, origins, file: file.map(Path::to_owned) })
}

/// The key and the value of a `--set`.
///
/// # Errors
/// There is no `=` in it; in words.
pub fn split(pair: &str) -> Result<(&str, &str), String> {
    let (key, value) = pair
        .split_once('=')
        .ok_or_else(|| "write key=value, for example --set pace.delay=2s".to_owned())?;
    Ok((key.trim(), value.trim()))
}

/// What is wrong with a setting, and where the setting stands.
fn placed(wrong: &anyhow::Error, origins: &BTreeMap<String, Origin>) -> anyhow::Error {
    let named = |(key, _): &(&String, &Origin)| wrong.to_string().contains(&format!("`{key}`"));
    match origins.iter().find(named) {
        Some((key, Origin::File(path))) => match line_of(path, key) {
            Some(line) => anyhow!("{}:{line}: {wrong}", path.display()),
            None => anyhow!("{}: {wrong}", path.display()),
        },
        Some((_, Origin::Environment(name))) => anyhow!("environment variable {name}: {wrong}"),
        _ => anyhow!("{wrong}"),
    }
}

/// The line of a file on which a key stands.
fn line_of(path: &Path, key: &str) -> Option<usize> {
    let text = written::text(path, FILE).ok()?;
    let document = DeTable::parse(&text).ok()?;
    let mut parts = key.split('.').peekable();
    let mut table = document.get_ref();
    while let Some(part) = parts.next() {
        let (name, value) = table.iter().find(|(name, _)| name.get_ref() == part)?;
        match (Spanned::get_ref(value), parts.peek()) {
            (DeValue::Table(inner), Some(_)) => table = inner,
            _ => return Some(text.get(..name.span().start)?.matches('\n').count() + 1),
        }
    }
    None
}

/// Unknown keys of one file that an error names: who has more has another file in mind.
const NAMED: usize = 20;

/// The table of a file. Read on its own, so that errors carry the file's line.
fn read(path: &Path, known: &Keys) -> Result<toml::Table> {
    let text = written::text(path, FILE)?;
    let at = |span: Option<std::ops::Range<usize>>| {
        let before = span.and_then(|span| text.get(..span.start)).unwrap_or_default();
        format!("{}:{}", path.display(), before.matches('\n').count() + 1)
    };
    let wrong = |e: toml::de::Error| anyhow!("{}: {}", at(e.span()), one_line(e.message()));
    let document = DeTable::parse(&text).map_err(wrong)?;
    let mut strangers = Vec::new();
    unknown_in("", document.get_ref(), known, &mut strangers);
    strangers.sort_by_key(|(_, start)| *start);
    if !strangers.is_empty() {
        let named = strangers
            .iter()
            .take(NAMED)
            .map(|(key, start)| format!("{}: {}", at(Some(*start..*start)), known.unknown(key)));
        let more = strangers.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| format!("and {more} more unknown keys"));
        bail!("{}", named.chain(more).collect::<Vec<_>>().join("; "));
    }
    toml::from_str::<Config>(&text).map_err(wrong)?;
    text.parse().with_context(|| format!("{} is not TOML", path.display()))
}

/// Unknown keys of a section, and where they stand.
fn unknown_in(at: &str, table: &DeTable<'_>, known: &Keys, found: &mut Vec<(String, usize)>) {
    for (name, value) in table {
        let key = if at.is_empty() {
            name.get_ref().to_string()
        } else {
            format!("{at}.{}", name.get_ref())
        };
        match Spanned::get_ref(value) {
            _ if !known.has(&key) => found.push((key, name.span().start)),
            DeValue::Table(inner) => unknown_in(&key, inner, known, found),
            _ => {}
        }
    }
}

/// The keys that a value sets.
fn leaves(at: &str, value: &toml::Value) -> Vec<String> {
    match value {
        toml::Value::Table(section) => section
            .iter()
            .flat_map(|(name, value)| {
                leaves(&if at.is_empty() { name.clone() } else { format!("{at}.{name}") }, value)
            })
            .collect(),
        toml::Value::String(_) if at == "store" => vec!["store.url".into()],
        _ => vec![at.to_owned()],
    }
}

/// Messages of the parser end in a line of their own for the section.
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `postgres://user:…@host/database`, wherever the password stood.
fn without_password(url: &str) -> String {
    let Ok(mut parsed) = url::Url::parse(url) else {
        // Whatever it is, it may hold one.
        return "…".into();
    };
    if parsed.password().is_some() {
        // A URL with a password has a host, so it can have another one.
        let _ = parsed.set_password(Some("…"));
    }
    let secret = |name: &str| name.eq_ignore_ascii_case("password");
    if parsed.query_pairs().any(|(name, _)| secret(&name)) {
        let pairs: Vec<(String, String)> = parsed
            .query_pairs()
            .map(|(name, value)| {
                let value = if secret(&name) { "…".into() } else { value.into_owned() };
                (name.into_owned(), value)
            })
            .collect();
        parsed.query_pairs_mut().clear().extend_pairs(pairs);
    }
    parsed.to_string().replace("%E2%80%A6", "…")
}

/// A target of alerts without the address of its webhook, which whoever knows it may write to.
fn without_address(mut target: Value) -> Value {
    if let Some(Value::String(webhook)) = target.get_mut("webhook") {
        *webhook = origin(webhook);
    }
    target
}

/// Whom a URL leads to; the rest of it may be a secret.
fn origin(url: &str) -> String {
    let Ok(parsed) = url::Url::parse(url) else { return "…".into() };
    let origin = parsed.origin().ascii_serialization();
    match parsed.as_str().strip_prefix(&origin) {
        Some("/") => origin,
        _ => format!("{origin}/…"),
    }
}

/// Sets `a.b.c` in a table, and says which keys that are; the value is read as TOML if it is TOML, else
/// as a string.
fn put(table: &mut toml::Table, known: &Keys, key: &str, value: &str) -> Result<Vec<String>> {
    let text = value;
    let value = format!("v = {text}")
        .parse::<toml::Table>()
        .ok()
        .and_then(|mut t| t.remove("v"))
        .unwrap_or_else(|| toml::Value::String(text.to_owned()));
    // A whole store is named by its URL; what else its section says stays.
    let key = if key == "store" && value.is_str() { "store.url" } else { key };
    if let Some(toml::Value::String(url)) = table.get("store") {
        let url = toml::Value::String(url.clone());
        table.insert(
            "store".into(),
            toml::Value::Table(toml::Table::from_iter([("url".into(), url)])),
        );
    }
    let mut parts: Vec<&str> = key.split('.').collect();
    let Some(last) = parts.pop().filter(|last| !last.is_empty()) else {
        bail!("`{key}` is not a key");
    };
    let set = leaves(key, &value);
    if let Some(stranger) = set.iter().find(|key| !known.has(key)) {
        bail!("{}", known.unknown(stranger));
    }
    if !value.is_table()
        && let Some(inner) = known.within(key)
    {
        bail!("`{key}` is a section: set one of its keys, such as `{inner}`");
    }
    let mut at = table;
    for part in parts {
        let entry = at.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        at = match entry {
            toml::Value::Table(inner) => inner,
            _ => bail!("`{part}` in `{key}` is a value, not a section"),
        };
    }
    // What is a number or a day in TOML may be meant as text: `CRAWLER_DATA_DIR=2026`.
    let value = match fits(key, &value) {
        Ok(()) => value,
        Err(wrong) => {
            let text = toml::Value::String(text.to_owned());
            fits(key, &text).map_err(|_| wrong)?;
            text
        }
    };
    at.insert(last.to_string(), value);
    Ok(set)
}

/// Can a key have this value, whatever the others are?
fn fits(key: &str, value: &toml::Value) -> Result<()> {
    let nest = |inner: toml::Value, name: &str| {
        toml::Value::Table(toml::Table::from_iter([(name.to_owned(), inner)]))
    };
    let whole = key.rsplit('.').fold(value.clone(), nest);
    let read = Config::deserialize(whole);
    read.map(drop).map_err(|error| anyhow!("{}", one_line(&error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_knows_where_its_value_comes_from() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("press.toml");
        std::fs::write(&path, "workers = 3\n[pace]\ndelay = \"2s\"\npause = \"9s\"").unwrap();
        let mut loaded = load(Some(&path), &["pace.delay=5s".into()]).unwrap();
        loaded.config.data_dir = "elsewhere".into();
        loaded.flagged("data_dir", "--data-dir");
        let settings = loaded.settings();
        for (key, value, source) in [
            ("workers", serde_json::json!(3), Origin::File(path.clone())),
            ("pace.delay", "5s".into(), Origin::Flag("--set".into())),
            ("pace.pause", "9s".into(), Origin::File(path.clone())),
            ("pace.pause_max", "2h".into(), Origin::Default),
            ("data_dir", "elsewhere".into(), Origin::Flag("--data-dir".into())),
            ("contact", Value::Null, Origin::Default),
            ("retention.texts", Value::Null, Origin::Default),
        ] {
            let expect = Setting { key: key.into(), value, source };
            assert_eq!(settings.iter().find(|s| s.key == key), Some(&expect));
        }
        assert_eq!(loaded.file.as_deref(), Some(path.as_path()));
    }

    #[test]
    fn a_number_was_no_text() {
        let of = |pair: &str| load(None, &[pair.to_owned()]);
        assert_eq!(of("contact=12345").unwrap().config.contact.as_deref(), Some("12345"));
        assert_eq!(of("data_dir=2026").unwrap().config.data_dir, Path::new("2026"));
        assert_eq!(
            of("archive.dir=2026-11-28").unwrap().config.archive.dir,
            Some("2026-11-28".into())
        );
        assert_eq!(of("brands=true").unwrap().config.brands, Some("true".into()));
        assert_eq!(of("pace.adaptive=2").unwrap().config.pace.adaptive, 2.0);
        // What can be neither is told with its source.
        for wrong in ["workers=many", "allowed_hosts=7", "site_memory=1"] {
            let said = format!("{:#}", of(wrong).err().expect(wrong));
            assert!(said.starts_with(&format!("configuration: --set {wrong}: ")), "{said}");
        }
    }

    #[test]
    fn values_beyond_what_is_written_were_taken() {
        for (pair, good) in [
            ("store.zstd_level=0", false),
            ("store.zstd_level=1", true),
            ("store.zstd_level=19", true),
            ("store.zstd_level=20", false),
            ("websub.callback=ftp://x", false),
            ("websub.callback=crawler.example.org", false),
            ("websub.callback=https://crawler.example.org", true),
        ] {
            let loaded = load(None, &[pair.to_owned()]);
            assert_eq!(loaded.is_ok(), good, "{pair}");
            let key = pair.split('=').next().unwrap();
            let said = loaded.err().map(|error| error.to_string());
            assert!(said.is_none_or(|said| said.contains(&format!("`{key}`"))), "{pair}");
        }
    }

    #[test]
    fn of_many_unknown_keys_the_first_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, (0..25).map(|n| format!("zz{n}=1\n")).collect::<String>()).unwrap();
        let error = load(Some(&path), &[]).err().expect("unknown keys").to_string();
        assert!(error.contains("zz19`") && !error.contains("zz20`"), "{error}");
        assert!(error.ends_with("and 5 more unknown keys"), "{error}");
    }

    #[test]
    fn the_address_of_a_webhook_is_not_shown() {
        let set = "deliver.targets=[{name=\"desk\",webhook=\"https://u:p@chat.test/hooks/T0/secret?k=v\"}]";
        let settings = load(None, &[set.to_owned()]).unwrap().settings();
        let targets = settings.iter().find(|s| s.key == "deliver.targets").unwrap();
        assert_eq!(targets.value[0]["webhook"], "https://chat.test/…");
        assert_eq!(targets.value[0]["name"], "desk");
        assert!(targets.is_secret());
        assert_eq!(origin("http://chat.test:8065"), "http://chat.test:8065");
    }

    #[test]
    fn a_password_is_not_shown_whatever_it_is_for() {
        let mut config = Config::default();
        config.store.url = Some("postgres://a:secret@db.test/news".into());
        config.websub.callback = Some("https://a:secret@news.test".into());
        config.deliver.mail.server = Some("smtps://a:secret@mail.test".into());
        let loaded = Loaded { config, origins: BTreeMap::new(), file: None };
        let shown = loaded.settings();
        for key in WITH_PASSWORD {
            let value = &shown.iter().find(|s| s.key == key).unwrap().value;
            let value = value.as_str().unwrap();
            assert!(value.contains("a:…@") && !value.contains("secret"), "{key}: {value}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        for (url, shown) in [
            ("postgres://crawler@db.test/news", "postgres://crawler@db.test/news"),
            ("postgres://a:secret@db.test/news", "postgres://a:…@db.test/news"),
            (
                "postgres://a@db.test/news?sslmode=require&password=secret",
                "postgres://a@db.test/news?sslmode=require&password=…",
            ),
            ("postgres://a:secret@[", "…"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}

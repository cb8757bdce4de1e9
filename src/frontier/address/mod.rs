//! What a URL is called: its canonical form and key, the outlet it belongs to and the pace key
//! that its requests count under.
//!
//! Must not know: whether the URL may be fetched, or when.

use std::collections::HashMap;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use url::{Host, Url};

use super::percent;
use crate::model::{MAX_URL, UrlKey, icann_domain, registered_domain};

/// A URL, resolved and named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What is requested: parsed as the WHATWG URL standard says, without fragment, credentials
    /// and the dot of a fully qualified host. Parameters and scheme stay as the feed gave them.
    pub url: Url,
    /// The name of the article: see [`address`].
    pub canonical: String,
    /// First 16 bytes of the SHA-256 of `canonical`.
    pub key: UrlKey,
    /// Registered domain (private suffixes included, so that a blog is an outlet of its own),
    /// aliases resolved; `address:port` for IP literals, `host:port` for single-label names and
    /// names under `.localhost`.
    pub outlet: String,
    /// Registered domain by the ICANN section of the public suffix list, so that all tenants of
    /// one hosting platform share one pace; otherwise as `outlet`.
    pub pace_key: String,
}

impl Address {
    /// Last label of the host's name, a hint for decoding.
    pub fn top_level_domain(&self) -> Option<&str> {
        self.url.host_str().and_then(|host| host.rsplit('.').next())
    }
}

/// Why a string names nothing that can be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("URL is longer than {MAX_URL} characters")]
    TooLong,
    #[error("scheme `{0}` is neither http nor https")]
    Scheme(String),
    #[error("relative URL without a base")]
    Relative,
    #[error("no valid URL: {0}")]
    Invalid(String),
}

/// Resolves `url` against `base` and names it.
///
/// Before parsing, what feeds leave around URLs is removed: white space, quotes, angle brackets,
/// and `&amp;` that was escaped once too often.
///
/// The canonical form differs from what is requested:
/// - scheme always `https`, and the scheme's own port dropped (http and https of a URL are one
///   article), but `http` at port 443 stays what it is: no other URL's; `www.` is kept, since it
///   can be another host;
/// - host in lower case (punycode), path without dot segments, trailing slash kept;
/// - percent-encoding in normal form (RFC 3986 §6.2.2);
/// - tracking and session parameters dropped (`parameters.txt`), with them an empty query. The
///   order of the others is kept: it can matter, and feeds are stable in it;
/// - AMP and print versions named like the article, where the address tells them: `/x/amp/`,
///   `/x.amp.html`, `?amp=1`, `?print=true`. Others are told by the canonical link of their page.
///
/// A copy in an AMP cache is requested from its publisher instead.
pub fn address(url: &str, base: Option<&str>) -> Result<Address, AddressError> {
    let url = requested(resolve(url, base)?)?;
    if url.as_str().len() > MAX_URL {
        return Err(AddressError::TooLong);
    }
    let nameless = || AddressError::Invalid("no host".to_owned());
    let mut name = canonical(&url).ok_or_else(nameless)?;
    // What is dropped can lay bare more of the kind, as in `/x/amp/amp`: the canonical form is the one
    // that is its own.
    while let Ok(again) = resolve(&name, None).and_then(requested)
        && let Some(shorter) = canonical(&again).filter(|again| again.len() < name.len())
    {
        name = shorter;
    }
    let key = key(&name);
    let (outlet, pace_key) = owners(&url).ok_or_else(nameless)?;
    Ok(Address { url, canonical: name, key, outlet, pace_key })
}

/// What is requested for a URL: see [`Address::url`].
fn requested(mut url: Url) -> Result<Url, AddressError> {
    while let Some(own) = cached(&url) {
        url = own;
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Scheme(url.scheme().to_owned()));
    }
    url.set_fragment(None);
    let invalid = |what: &str| AddressError::Invalid(what.to_owned());
    url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| invalid("no host"))?;
    let host = url.host_str().unwrap_or_default();
    // However many dots there are: names of one host would be pace keys of their own.
    let bare = host.trim_end_matches('.').to_owned();
    if bare.split('.').any(str::is_empty) {
        return Err(invalid("host with an empty label"));
    }
    if bare.len() < host.len() {
        url.set_host(Some(&bare)).map_err(|e| AddressError::Invalid(e.to_string()))?;
    }
    Ok(url)
}

/// The key of a canonical URL.
pub fn key(canonical: &str) -> UrlKey {
    let hash: [u8; 32] = Sha256::digest(canonical.as_bytes()).into();
    let (first, _) = hash.split_at(16);
    UrlKey(u128::from_be_bytes(first.try_into().expect("16 of 32 bytes")))
}

fn resolve(raw: &str, base: Option<&str>) -> Result<Url, AddressError> {
    let trimmed = raw.trim_matches(|c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '"' | '\'' | '<' | '>' | '\u{feff}' | '\u{200b}')
            || matches!(c, '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '`')
    });
    if trimmed.chars().nth(MAX_URL).is_some() {
        return Err(AddressError::TooLong);
    }
    let mut mended = trimmed.to_owned();
    while mended.contains("&amp;") {
        mended = mended.replace("&amp;", "&");
    }
    let mended = mended.strip_suffix("&amp").unwrap_or(&mended);
    let failed = |e: url::ParseError| AddressError::Invalid(e.to_string());
    let base = base.map(|base| Url::parse(base.trim()));
    if let Some(Ok(base)) = &base {
        // Even `http:x` can be relative (WHATWG URL §4.4, "special relative or authority state").
        return base.join(mended).map_err(failed);
    }
    match (Url::parse(mended), base) {
        (Err(url::ParseError::RelativeUrlWithoutBase), Some(Err(of_base))) => Err(failed(of_base)),
        (Err(url::ParseError::RelativeUrlWithoutBase), _) if mended.starts_with("//") => {
            Url::parse(&format!("https:{mended}")).map_err(failed)
        }
        (Err(url::ParseError::RelativeUrlWithoutBase), _) => Err(AddressError::Relative),
        (parsed, _) => parsed.map_err(failed),
    }
}

fn canonical(url: &Url) -> Option<String> {
    // Only `http` can have 443 written out; without it, the name would be that of `https`.
    let scheme = if url.port() == Some(443) { "http" } else { "https" };
    let mut out = format!("{scheme}://{}", url.host_str()?);
    if let Some(port) = url.port() {
        out.push_str(&format!(":{port}"));
    }
    out.push_str(&without_amp(&without_session(&percent::normalised(url.path()))));
    let mut separator = '?';
    for pair in url.query().unwrap_or_default().split('&') {
        let pair = percent::normalised(pair);
        let (name, value) = pair.split_once('=').unwrap_or((&pair, ""));
        if pair.is_empty() || is_dropped(name, value) {
            continue;
        }
        out.push(separator);
        out.push_str(&pair);
        separator = '&';
    }
    Some(out)
}

/// `/a;jsessionid=1F/b` → `/a/b`.
fn without_session(path: &str) -> String {
    let clean = |segment: &str| {
        let mut parts = segment.split(';');
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let name = part.split('=').next().unwrap_or_default();
            if !(part.contains('=') && is_dropped(name, "")) {
                kept.push(';');
                kept.push_str(part);
            }
        }
        kept
    };
    path.split('/').map(clean).collect::<Vec<_>>().join("/")
}

/// The publisher's address of a copy in an AMP cache: `…cdn.ampproject.org/c/s/host/path`,
/// `www.google.com/amp/s/host/path`.
fn cached(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let path = url.path();
    let rest = if host.ends_with(".ampproject.org") || host == "cdn.ampproject.org" {
        ["/c/", "/v/"].iter().find_map(|kind| path.strip_prefix(kind))?
    } else if host.strip_prefix("www.").is_some_and(is_google) {
        path.strip_prefix("/amp/")?
    } else {
        return None;
    };
    let (scheme, rest) = match rest.strip_prefix("s/") {
        Some(rest) => ("https", rest),
        None => ("http", rest),
    };
    let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
    // A word without a dot is part of a path, and no host.
    let named = rest.split('/').next().is_some_and(|host| host.contains('.'));
    named.then(|| Url::parse(&format!("{scheme}://{rest}{query}")).ok())?
}

/// Google's domain of some country: `google.com`, `google.co.uk`.
fn is_google(host: &str) -> bool {
    host.starts_with("google.") && icann_domain(host) == host
}

/// `/x/amp/` → `/x/`, `/x/amp` → `/x`, `/x.amp` → `/x`, `/x.amp.html` → `/x.html`.
fn without_amp(path: &str) -> String {
    let (bare, slash) = path.strip_suffix('/').map_or((path, ""), |bare| (bare, "/"));
    match bare.strip_suffix("/amp").filter(|above| above.len() > 1) {
        Some(above) => format!("{above}{slash}"),
        None => match bare.strip_suffix(".amp") {
            Some(name) => format!("{name}{slash}"),
            None => path.replace(".amp.htm", ".htm"),
        },
    }
}

#[derive(Default)]
struct Parameters {
    /// Name → values with which it is dropped; none = any.
    names: HashMap<&'static str, Vec<&'static str>>,
    prefixes: Vec<&'static str>,
}

static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| {
    let mut table = Parameters::default();
    for line in rows(include_str!("../parameters.txt")) {
        let (name, values) = line.split_once('=').unwrap_or((line, ""));
        match name.strip_suffix('*') {
            Some(prefix) => table.prefixes.push(prefix),
            None => {
                let value = |v: &'static str| if v == "-" { "" } else { v };
                table.names.insert(name, values.split_whitespace().map(value).collect());
            }
        }
    }
    table
});

/// Domain or host → outlet.
static ALIASES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut table = HashMap::new();
    for line in rows(include_str!("../outlets.txt")) {
        let mut names = line.split_whitespace();
        let outlet = names.next().unwrap_or_default();
        table.extend(names.map(|alias| (alias, outlet)));
    }
    table
});

/// Lines of a data file that say something.
fn rows(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn is_dropped(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let value = value.to_ascii_lowercase();
    match PARAMETERS.names.get(name.as_str()) {
        Some(values) => values.is_empty() || values.contains(&value.as_str()),
        // `sid` names sessions here and articles there: a session's is long and random.
        None if name == "sid" => {
            value.len() >= 24 && value.bytes().all(|b| b.is_ascii_alphanumeric())
        }
        None => PARAMETERS.prefixes.iter().any(|p| name.starts_with(p)),
    }
}

/// Outlet and pace key.
fn owners(url: &Url) -> Option<(String, String)> {
    let port = url.port_or_known_default()?;
    let host = match url.host()? {
        Host::Domain(name) => name,
        Host::Ipv4(_) | Host::Ipv6(_) => {
            let both = format!("{}:{port}", url.host_str()?);
            return Some((both.clone(), both));
        }
    };
    // The demo and tests run many outlets on one machine: a port is an outlet there, and so is
    // each name under `.localhost` (RFC 6761 §6.3).
    let local = match host.strip_suffix(".localhost") {
        Some(names) => Some(format!("{}.localhost", names.rsplit('.').next()?)),
        None if !host.contains('.') => Some(host.to_owned()),
        None => None,
    };
    if let Some(name) = local {
        let both = format!("{name}:{port}");
        return Some((both.clone(), both));
    }
    let domain = registered_domain(host);
    let above = std::iter::successors(Some(host), |name| name.split_once('.').map(|(_, up)| up));
    let outlet = above
        .take_while(|name| name.len() >= domain.len())
        .find_map(|name| ALIASES.get(name).copied())
        .unwrap_or(domain);
    Some((outlet.to_owned(), icann_domain(host).to_owned()))
}

#[cfg(test)]
mod tests;

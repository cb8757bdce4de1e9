//! The response headers that anything downstream needs, read leniently: what makes no sense
//! counts as absent.
//!
//! Must not know: sockets, bodies.

use std::time::{Duration, SystemTime};

use reqwest::header::{self, HeaderMap};

use crate::model::{Millis, SECOND};

/// Longest value kept; longer ones count as absent.
const MAX_VALUE: usize = 8 * 1024;
/// Fields with links that are read.
const MAX_LINKS: usize = 16;
/// Cookies that are read of an answer, and octets of each.
const MAX_COOKIES: usize = 16;
const MAX_COOKIE: usize = 1024;

/// See [`read`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    pub content_type: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Milliseconds from now, from seconds or an HTTP date (RFC 9110 §10.2.3).
    pub retry_after: Option<Millis>,
    /// Cache-Control max-age, milliseconds.
    pub max_age: Option<Millis>,
    /// As sent: relative to the requested URL.
    pub location: Option<String>,
    pub x_robots_tag: Vec<String>,
    /// `tdm-reservation` of the TDM Reservation Protocol.
    pub tdm_reservation: Option<String>,
    pub content_disposition: Option<String>,
    /// `Link: <…>; rel=canonical` (RFC 6596), as sent.
    pub canonical: Option<String>,
    /// `Link: <…>; rel=hub` (WebSub).
    pub hub: Option<String>,
    /// `Link: <…>; rel=self` (WebSub): the topic that a hub knows the resource by.
    pub own: Option<String>,
    /// Cookies that are set, each as `name=value`, and the names of those that are deleted.
    pub cookies: Vec<String>,
}

/// Reads the headers of a response received at `now`.
pub fn read(map: &HeaderMap, now: SystemTime) -> Headers {
    let one = |name: &str| map.get(name).and_then(|v| text(v.as_bytes()));
    let mut headers = Headers {
        content_type: one(header::CONTENT_TYPE.as_str()),
        etag: one(header::ETAG.as_str()),
        last_modified: one(header::LAST_MODIFIED.as_str()),
        retry_after: one(header::RETRY_AFTER.as_str()).and_then(|v| retry_after(&v, now)),
        max_age: one(header::CACHE_CONTROL.as_str()).and_then(|v| max_age(&v)),
        location: one(header::LOCATION.as_str()),
        tdm_reservation: one("tdm-reservation"),
        content_disposition: one(header::CONTENT_DISPOSITION.as_str()),
        ..Headers::default()
    };
    let all = |name: &str| map.get_all(name).into_iter().filter_map(|v| text(v.as_bytes()));
    // Whatever one of them reserves counts. They are as many as a head may have fields.
    headers.x_robots_tag = all("x-robots-tag").collect();
    let cookies = map.get_all(header::SET_COOKIE).into_iter().filter_map(|v| v.to_str().ok());
    headers.cookies = cookies.filter_map(cookie).take(MAX_COOKIES).collect();
    for value in all("link").take(MAX_LINKS) {
        for (target, relations) in links(&value) {
            for relation in relations.split_ascii_whitespace() {
                let slot = match relation.to_ascii_lowercase().as_str() {
                    "canonical" => &mut headers.canonical,
                    "hub" => &mut headers.hub,
                    "self" => &mut headers.own,
                    _ => continue,
                };
                slot.get_or_insert_with(|| target.to_owned());
            }
        }
    }
    headers
}

/// What of a Set-Cookie is sent back (RFC 6265 §5.2); its name alone, if it is to be deleted. How long and where else it is
/// to be is not read: it goes no further than the redirect that set it.
fn cookie(value: &str) -> Option<String> {
    let mut parts = value.split(';').map(str::trim);
    let pair = parts.next().unwrap_or_default();
    let name = pair.split_once('=').map(|(name, _)| name.trim()).filter(|name| !name.is_empty())?;
    let ends = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match &*name.trim().to_ascii_lowercase() {
            "max-age" => value.trim().starts_with(['0', '-']),
            "expires" => value.contains("1970"),
            _ => false,
        }
    };
    let said = if parts.any(ends) { name } else { pair };
    (pair.len() <= MAX_COOKIE).then(|| said.to_owned())
}

/// UTF-8 if it is, else ISO 8859-1; servers send both.
fn text(octets: &[u8]) -> Option<String> {
    if octets.len() > MAX_VALUE {
        return None;
    }
    let text = match std::str::from_utf8(octets) {
        Ok(text) => text.to_owned(),
        Err(_) => octets.iter().map(|&b| char::from(b)).collect(),
    };
    Some(text.trim().to_owned()).filter(|t| !t.is_empty())
}

fn retry_after(value: &str, now: SystemTime) -> Option<Millis> {
    if value.bytes().all(|b| b.is_ascii_digit()) {
        // A number too large to be one is still a long time.
        return Some(value.parse().unwrap_or(Millis::MAX).saturating_mul(SECOND));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    let wait = at.duration_since(now).unwrap_or(Duration::ZERO);
    Millis::try_from(wait.as_millis()).ok()
}

fn max_age(value: &str) -> Option<Millis> {
    value.split(',').find_map(|directive| {
        let (name, seconds) = directive.split_once('=')?;
        let seconds = seconds.trim().trim_matches('"').parse::<Millis>().ok()?;
        let named = name.trim().eq_ignore_ascii_case("max-age") && seconds >= 0;
        named.then(|| seconds.checked_mul(SECOND)).flatten()
    })
}

/// Targets and relation types of a Link header (RFC 8288 §3).
fn links(value: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = value;
    while let Some((target, after)) = rest.split_once('<').and_then(|(_, r)| r.split_once('>')) {
        let mut quoted = false;
        let end = after.find(|c| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        let (parameters, next) = after.split_at(end.unwrap_or(after.len()));
        let relations = parameters.split(';').find_map(|p| {
            let (name, value) = p.split_once('=')?;
            name.trim().eq_ignore_ascii_case("rel").then(|| value.trim().trim_matches('"'))
        });
        found.push((target.trim(), relations.unwrap_or_default()));
        rest = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&str, &[u8])]) -> Headers {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, HeaderValue::from_bytes(value).unwrap());
        }
        // Sun, 06 Nov 1994 08:49:37 GMT
        read(&map, SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777))
    }

    #[test]
    fn retry_after_values() {
        for (value, expect) in [
            ("120", Some(120_000)),
            ("0", Some(0)),
            (" 7 ", Some(7_000)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60_000)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some(60_000)),
            ("Sun Nov  6 08:50:37 1994", Some(60_000)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("-5", None),
            ("soon", None),
            ("99999999999999999999", Some(Millis::MAX)),
            ("9223372036854775807", Some(Millis::MAX)),
            ("", None),
        ] {
            assert_eq!(
                headers(&[("retry-after", value.as_bytes())]).retry_after,
                expect,
                "{value}"
            );
        }
    }

    #[test]
    fn max_age_values() {
        for (value, expect) in [
            ("max-age=600", Some(600_000)),
            ("public, Max-Age = \"60\", must-revalidate", Some(60_000)),
            ("s-maxage=9", None),
            ("max-age=-1", None),
            ("no-cache", None),
        ] {
            assert_eq!(headers(&[("cache-control", value.as_bytes())]).max_age, expect, "{value}");
        }
    }

    #[test]
    fn link_values() {
        let got = headers(&[
            (
                "link",
                b"</style.css>; rel=preload; as=style, <https://a.example/x,y>; rel=\"canonical\"",
            ),
            ("link", b"<https://hub.example/>; title=\"a, b\"; rel=\"self hub\""),
            ("link", b"<https://late.example/>; rel=canonical"),
        ]);
        assert_eq!(got.canonical.as_deref(), Some("https://a.example/x,y"));
        assert_eq!(got.hub.as_deref(), Some("https://hub.example/"));
        assert_eq!(got.own.as_deref(), Some("https://hub.example/"));
        for broken in ["<", "<>", "<a", "a>", "<a>;rel", "<a>;rel=\"", ",,<a>,"] {
            assert_eq!(headers(&[("link", broken.as_bytes())]).canonical, None);
        }
    }

    #[test]
    fn cookies() {
        let set = [
            &b"seen=1; Path=/; Secure; HttpOnly"[..],
            b" a = b ",
            b"empty=",
            b"=nameless",
            b"gone=1; Max-Age=0",
            b"gone=1; expires=Thu, 01-Jan-1970 00:00:00 GMT; path=/",
            b"no pair",
            b"x=\xff",
        ];
        let fields: Vec<(&str, &[u8])> = set.iter().map(|value| ("set-cookie", *value)).collect();
        assert_eq!(headers(&fields).cookies, ["seen=1", "a = b", "empty=", "gone", "gone"]);
        let long = format!("x={}", "y".repeat(2_000));
        let many = vec![("set-cookie", long.as_bytes()); 3];
        assert!(headers(&many).cookies.is_empty());
        assert_eq!(headers(&vec![("set-cookie", &b"a=b"[..]); 99]).cookies.len(), MAX_COOKIES);
    }

    #[test]
    fn every_reservation_is_read() {
        let mut fields = vec![("x-robots-tag", &b"nofollow"[..]); 40];
        fields.push(("x-robots-tag", b"noindex"));
        assert_eq!(headers(&fields).x_robots_tag.last().map(String::as_str), Some("noindex"));
    }

    #[test]
    fn the_rest() {
        let got = headers(&[
            ("content-type", b"text/html; charset=utf-8"),
            ("location", b"/gr\xc3\xb6\xc3\x9fe"),
            ("x-robots-tag", b"noindex"),
            ("x-robots-tag", b"otherbot: noarchive"),
            ("tdm-reservation", b"1"),
            ("etag", b"W/\"\xe4\""),
        ]);
        assert_eq!(got.content_type.as_deref(), Some("text/html; charset=utf-8"));
        assert_eq!(got.location.as_deref(), Some("/größe"));
        assert_eq!(got.x_robots_tag, ["noindex", "otherbot: noarchive"]);
        assert_eq!(got.tdm_reservation.as_deref(), Some("1"));
        assert_eq!(got.etag.as_deref(), Some("W/\"ä\""));
    }
}

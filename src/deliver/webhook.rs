//! Webhooks: a POST with a JSON body, signed with the time of the attempt, so that an old one cannot be
//! played again. Of the answer only the status and `Retry-After` are read.
//!
//! Must not know: why something is told.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::settings::{Service, Target};
use super::{News, NotTaken, chain, words};
use crate::model::{Millis, SECOND, hex};

/// Characters that a message may have: Discord takes no more than this, Teams 28 KiB of card.
const DISCORD: usize = 2_000;
const TEAMS: usize = 6_000;
/// Bytes of JSON that a text may have: Google Chat takes messages of 32,000 bytes.
const GOOGLE: usize = 31_900;

/// Header fields of ours: the event's name, and time and signature.
const EVENT: &str = "x-crawler-event";
const SIGNATURE: &str = "x-crawler-signature";

/// One attempt.
pub async fn send(
    client: &reqwest::Client,
    target: &Target,
    url: &str,
    news: News<'_>,
) -> Result<(), NotTaken> {
    let body = body(target.service, news).to_string();
    let mut request =
        client.post(url).header("content-type", "application/json").header(EVENT, &news.event.id);
    if let Some(secret) = target.secret()? {
        // The receiver compares it with a clock of its own.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        request = request.header(SIGNATURE, signature(&secret, now, body.as_bytes()));
    }
    // The URL may be a secret itself: errors do not repeat it.
    let sent = request.body(body).send().await;
    let answer = sent.map_err(|error| chain(&error.without_url()))?;
    match answer.status() {
        status if status.is_success() => Ok(()),
        status if status.is_redirection() => {
            Err(format!("answered {status}: redirects are not followed").into())
        }
        status => {
            let pause = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
            let (why, pause) = (format!("answered {status}"), pause.and_then(seconds));
            Err(NotTaken { why, pause, ..NotTaken::default() })
        }
    }
}

/// A time in seconds, as chat services ask for one.
fn seconds(value: &str) -> Option<Millis> {
    value.trim().parse::<u32>().ok().map(|seconds| Millis::from(seconds) * SECOND)
}

/// `t=` seconds, `v1=` HMAC-SHA256 (RFC 2104) over these, a dot and the body, hexadecimal.
fn signature(secret: &[u8], seconds: u64, body: &[u8]) -> String {
    // HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return String::new() };
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body);
    format!("t={seconds},v1={}", hex(&mac.finalize().into_bytes()))
}

/// The body for a service.
pub fn body(service: Option<Service>, news: News<'_>) -> Value {
    let text = words::text(news);
    match service {
        None => whole(text, news),
        Some(Service::GoogleChat) => json!({ "text": cut(&text, GOOGLE, in_json) }),
        // Nobody is called, and no page is shown below it.
        Some(Service::Discord) => json!({
            "content": cut(&text, DISCORD, |_| 1),
            "allowed_mentions": { "parse": [] },
            "flags": 4,
        }),
        Some(Service::Teams) => card(&text),
    }
}

/// `text` is what most chat services show; the other fields are for programs, as they are.
fn whole(text: String, News { rule, event }: News<'_>) -> Value {
    json!({
        "text": text,
        "id": event.id,
        "alert": rule.name,
        "when": rule.when,
        "what": event.what,
        "at": event.at,
        "brands": rule.brands,
        "query": rule.query,
        "outlet": rule.outlet,
        "language": rule.language,
        "sentence": event.sentence,
        "details": event.details,
        "count": event.count,
        "usual": event.usual,
        "articles": event.articles,
    })
}

/// A message with an Adaptive Card (version 1.4): the first line is bold.
fn card(text: &str) -> Value {
    let line = |(n, line): (usize, &str)| {
        let weight = if n == 0 { "bolder" } else { "default" };
        json!({ "type": "TextBlock", "text": line, "wrap": true, "weight": weight })
    };
    let lines: Vec<Value> = cut(text, TEAMS, |_| 1).lines().enumerate().map(line).collect();
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": lines,
            },
        }],
    })
}

/// Bytes of a character in a JSON string.
fn in_json(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' => 2,
        c if c.is_control() => 6,
        c => c.len_utf8(),
    }
}

/// At most `most` of what characters weigh, whole lines where there are several.
fn cut(text: &str, most: usize, weight: fn(char) -> usize) -> String {
    if text.chars().map(weight).sum::<usize>() <= most {
        return text.to_owned();
    }
    let most = most - weight('\n') - weight('…');
    let mut sum = 0;
    let fits = |c: &char| {
        sum += weight(*c);
        sum <= most
    };
    let short: String = text.chars().take_while(fits).collect();
    let whole = short.rfind('\n').map_or(short.as_str(), |end| short.get(..end).unwrap_or(""));
    format!("{whole}\n…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_ends_with_a_whole_line() {
        let chars: fn(char) -> usize = |_| 1;
        for (text, most, weight, short) in [
            ("a\nb", 3, chars, "a\nb"),
            ("one\ntwo\nthree", 10, chars, "one\ntwo\n…"),
            ("abcdef", 5, chars, "abc\n…"),
            ("öö\"", 6, in_json, "öö\""),
            ("ööööö", 9, in_json, "öö\n…"),
            ("ö\nöööö", 10, in_json, "ö\n…"),
        ] {
            assert_eq!(cut(text, most, weight), short);
        }
    }

    #[test]
    fn pauses_are_asked_for_in_seconds() {
        let asked = ["3600", " 1 ", "", "-1", "soon", "99999999999"].map(seconds);
        assert_eq!(asked, [Some(3_600 * SECOND), Some(SECOND), None, None, None, None]);
    }

    #[test]
    fn time_and_body_are_signed() {
        // printf '1.{}' | openssl dgst -sha256 -hmac Jefe
        let hex = "dc7943cccf20f64327d263db5e2aca27c2b8175e8e6e7ea04f482091bf456b0f";
        assert_eq!(signature(b"Jefe", 1, b"{}"), format!("t=1,v1={hex}"));
    }
}

//! Webhooks: a POST with a JSON body, signed with the time of the attempt, so that an old one cannot be
//! played again. Whatever the answer holds is not read.
//!
//! Must not know: why something is told.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::settings::{Service, Target};
use super::{News, chain, words};

/// Characters that a message may have: Discord takes no more than this, Teams 28 KiB of card.
const DISCORD: usize = 2_000;
const TEAMS: usize = 6_000;

/// Header fields of ours: the event's name, and time and signature.
const EVENT: &str = "x-crawler-event";
const SIGNATURE: &str = "x-crawler-signature";

/// One attempt.
pub async fn send(
    client: &reqwest::Client,
    target: &Target,
    url: &str,
    news: News<'_>,
) -> Result<(), String> {
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
            Err(format!("answered {status}: redirects are not followed"))
        }
        status => Err(format!("answered {status}")),
    }
}

/// `t=` seconds, `v1=` HMAC-SHA256 (RFC 2104) over these, a dot and the body, hexadecimal.
fn signature(secret: &[u8], seconds: u64, body: &[u8]) -> String {
    // HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return String::new() };
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body);
    let hex: String = mac.finalize().into_bytes().iter().map(|b| format!("{b:02x}")).collect();
    format!("t={seconds},v1={hex}")
}

/// The body for a service.
pub fn body(service: Option<Service>, news: News<'_>) -> Value {
    let text = words::text(news);
    match service {
        None => whole(text, news),
        Some(Service::GoogleChat) => json!({ "text": text }),
        // Nobody is called, and no page is shown below it.
        Some(Service::Discord) => json!({
            "content": cut(&text, DISCORD),
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
    let lines: Vec<Value> = cut(text, TEAMS).lines().enumerate().map(line).collect();
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

/// At most so many characters, whole lines where there are several.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let short: String = text.chars().take(most - 2).collect();
    let whole = short.rfind('\n').map_or(short.as_str(), |end| short.get(..end).unwrap_or(""));
    format!("{whole}\n…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_ends_with_a_whole_line() {
        assert_eq!(cut("a\nb", 3), "a\nb");
        assert_eq!(cut("one\ntwo\nthree", 10), "one\ntwo\n…");
        assert_eq!(cut("abcdef", 5), "abc\n…");
    }

    #[test]
    fn time_and_body_are_signed() {
        // printf '1.{}' | openssl dgst -sha256 -hmac Jefe
        let hex = "dc7943cccf20f64327d263db5e2aca27c2b8175e8e6e7ea04f482091bf456b0f";
        assert_eq!(signature(b"Jefe", 1, b"{}"), format!("t=1,v1={hex}"));
    }
}

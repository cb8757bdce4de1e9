//! Webhooks: a POST with a JSON body, signed with the time of the attempt, so that an old one cannot be
//! played again. Whatever the answer holds is not read.
//!
//! Must not know: why something is told.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::settings::Target;
use super::{News, chain, words};

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
    let body = body(news).to_string();
    let mut request =
        client.post(url).header("content-type", "application/json").header(EVENT, &news.event.id);
    if let Some(file) = &target.secret_file {
        let secret = std::fs::read(file)
            .map_err(|error| format!("cannot read the secret {}: {error}", file.display()))?;
        let secret = secret.trim_ascii();
        if secret.is_empty() {
            return Err(format!("the secret {} is empty", file.display()));
        }
        // The receiver compares it with a clock of its own.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        request = request.header(SIGNATURE, signature(secret, now, body.as_bytes()));
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

/// `text` is what chat services show; the other fields are for programs, as they are.
pub fn body(news: News<'_>) -> Value {
    let News { rule, event } = news;
    json!({
        "text": words::text(news),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_body_are_signed() {
        // printf '1.{}' | openssl dgst -sha256 -hmac Jefe
        let hex = "dc7943cccf20f64327d263db5e2aca27c2b8175e8e6e7ea04f482091bf456b0f";
        assert_eq!(signature(b"Jefe", 1, b"{}"), format!("t=1,v1={hex}"));
    }
}

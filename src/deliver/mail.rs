//! Mails, as text and HTML, through the operator's own mail server.
//!
//! Must not know: why something is told.

use std::path::PathBuf;
use std::time::Duration;

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use lettre::transport::smtp::SmtpTransportBuilder;
use lettre::transport::smtp::authentication::Credentials;
use lettre::{SmtpTransport, Transport};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::{News, chain, words};

/// The operator's mail server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mail {
    /// `smtps://HOST`, or `smtp://HOST` with STARTTLS; plain on this machine alone.
    pub server: Option<String>,
    /// The sender's address.
    pub from: Option<String>,
    pub user: Option<String>,
    pub password_file: Option<PathBuf>,
}

impl Mail {
    /// User and password, if the server wants any.
    pub fn credentials(&self) -> Result<Option<(String, String)>, String> {
        let Some(user) = &self.user else { return Ok(None) };
        let file = self.password_file.as_deref();
        let file = file.ok_or("`deliver.mail.password_file` is not set")?;
        let password = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        Ok(Some((user.clone(), password.trim().to_owned())))
    }
}

/// The longest subject, characters.
const SUBJECT: usize = 200;

/// Are server and addresses possible? A server that is not on this machine is asked over TLS only.
pub fn check(server: &Mail, to: &[String]) -> Result<(), String> {
    let from = server.from.as_deref().ok_or("`deliver.mail.from` is not set")?;
    for address in to.iter().map(String::as_str).chain([from]) {
        mailbox(address)?;
    }
    connection(server).map(drop)
}

fn mailbox(address: &str) -> Result<Mailbox, String> {
    address.parse().map_err(|_| format!("`{}` is no mail address", address.escape_debug()))
}

fn connection(server: &Mail) -> Result<SmtpTransportBuilder, String> {
    let text = server.server.as_deref().ok_or("`deliver.mail.server` is not set")?;
    let wrong = || {
        format!(
            "`deliver.mail.server` is `{text}`: write smtps://HOST, smtp://HOST (TLS by STARTTLS), or, for \
             this machine alone, smtp://127.0.0.1:25"
        )
    };
    let url = Url::parse(text).map_err(|_| wrong())?;
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "`deliver.mail.server` has a user: set `deliver.mail.user` and `password_file`".into(),
        );
    }
    // Schemes that `url` does not know have hosts as text.
    let own = match Host::parse(host) {
        Ok(Host::Ipv4(address)) => address.is_loopback(),
        Ok(Host::Ipv6(address)) => address.is_loopback(),
        _ => host == "localhost",
    };
    let builder = match url.scheme() {
        "smtps" => SmtpTransport::relay(host).map_err(|error| chain(&error))?,
        "smtp" if own => SmtpTransport::builder_dangerous(host).port(25),
        "smtp" => SmtpTransport::starttls_relay(host).map_err(|error| chain(&error))?,
        _ => return Err(wrong()),
    };
    Ok(match url.port() {
        Some(port) => builder.port(port),
        None => builder,
    })
}

/// Hands a mail to the server. Blocks.
pub fn send(
    server: &Mail,
    to: &[String],
    news: News<'_>,
    deadline: Duration,
) -> Result<(), String> {
    let message = message(server, to, news)?;
    let mut builder = connection(server)?.timeout(Some(deadline));
    if let Some((user, password)) = server.credentials()? {
        builder = builder.credentials(Credentials::new(user, password));
    }
    builder.build().send(&message).map(drop).map_err(|error| chain(&error))
}

fn message(server: &Mail, to: &[String], news: News<'_>) -> Result<Message, String> {
    let from = mailbox(server.from.as_deref().unwrap_or_default())?;
    let domain = from.email.domain().to_owned();
    // The same for every attempt: who gets it twice can tell.
    let mut builder = Message::builder()
        .message_id(Some(format!("<{}@{domain}>", news.event.id)))
        .date_now()
        .subject(words::subject(news).chars().take(SUBJECT).collect::<String>())
        .from(from);
    for address in to {
        builder = builder.to(mailbox(address)?);
    }
    // RFC 3834 §5: nobody's absence answers it.
    let name = HeaderName::new_from_ascii_str("Auto-Submitted");
    builder = builder.raw_header(HeaderValue::new(name, "auto-generated".into()));
    let part = |kind: ContentType, body: &str| {
        SinglePart::builder()
            .header(kind)
            .header(ContentTransferEncoding::Base64)
            .body(body.to_owned())
    };
    let parts = MultiPart::alternative()
        .singlepart(part(ContentType::TEXT_PLAIN, &words::text(news)))
        .singlepart(part(ContentType::TEXT_HTML, &words::page(news)));
    builder.multipart(parts).map_err(|error| error.to_string())
}

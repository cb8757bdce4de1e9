//! Mails, as text and HTML, through the operator's own mail server.
//!
//! Must not know: why something is told.

use std::error::Error as _;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Instant;

use lettre::Address;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{SmtpConnection, Tls, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as Sender, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::{News, NotTaken, chain, words};
use crate::model::{MINUTE, Span};

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
/// Time for a server to say that it has a whole mail, which many look through first (RFC 5321 §4.5.3.2.6). Who
/// does not wait sends again what has been taken.
pub const TAKING: Span = Span(10 * MINUTE);

/// Are server and addresses possible? A server that is not on this machine is asked over TLS only.
pub fn check(server: &Mail, to: &[String]) -> Result<(), String> {
    let from = server.from.as_deref().ok_or("`deliver.mail.from` is not set")?;
    for address in to.iter().map(String::as_str).chain([from]) {
        mailbox(address)?;
    }
    way(server).map(drop)
}

fn mailbox(address: &str) -> Result<Mailbox, String> {
    address.parse().map_err(|_| format!("`{}` is no mail address", address.escape_debug()))
}

/// Where a server is, and how it is talked to.
struct Way {
    host: String,
    port: u16,
    tls: Tls,
}

fn way(server: &Mail) -> Result<Way, String> {
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
    let encrypted = || TlsParameters::new(host.to_owned()).map_err(|error| chain(&error));
    let (tls, port) = match url.scheme() {
        "smtps" => (Tls::Wrapper(encrypted()?), SUBMISSIONS_PORT),
        "smtp" if own => (Tls::None, SMTP_PORT),
        "smtp" => (Tls::Required(encrypted()?), SUBMISSION_PORT),
        _ => return Err(wrong()),
    };
    Ok(Way { host: host.to_owned(), port: url.port().unwrap_or(port), tls })
}

/// Hands a mail to the server, for those of `to` that have not taken it: `left`, or all where there is none. Its text
/// is not begun after the deadline: whoever waits for the attempt may be gone by the time that it is taken. Blocks.
pub fn send(
    server: &Mail,
    (to, left): (&[String], &[String]),
    news: News<'_>,
    (began, deadline): (Instant, Span),
) -> Result<(), NotTaken> {
    let message = message(server, to, news)?;
    let from = mailbox(server.from.as_deref().unwrap_or_default())?.email;
    let asked = to.iter().filter(|address| left.is_empty() || left.contains(address));
    let asked: Vec<(&String, Address)> = asked
        .map(|address| Ok((address, mailbox(address)?.email)))
        .collect::<Result<_, String>>()?;
    if asked.is_empty() {
        // The configuration has none of them any more.
        return Ok(());
    }
    let said = |error: Error| said(&error, deadline);
    let in_time = || match began.elapsed() > deadline.duration() {
        true => Err(late(deadline)),
        false => Ok(()),
    };
    let mut connection = open(server, deadline)?;
    let mut parameters = Vec::new();
    let plain = |address: &Address| address.to_string().is_ascii();
    if !asked.iter().map(|(_, address)| address).chain([&from]).all(plain) {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err("the server takes only ASCII in addresses".to_owned().into());
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    connection.command(Sender::new(Some(from), parameters)).map_err(said)?;
    // Who is refused keeps it from nobody else.
    let (mut refused, mut whys) = (Vec::new(), Vec::new());
    let all = asked.len();
    for (name, address) in asked {
        in_time()?;
        match connection.command(Rcpt::new(address, Vec::new())) {
            Ok(_) => {}
            Err(error) if error.status().is_some() => {
                refused.push(name.clone());
                whys.push(format!("{name}: {}", said(error)));
            }
            Err(error) => return Err(said(error).into()),
        }
    }
    if refused.len() < all {
        in_time()?;
        connection.command(Data).map_err(said)?;
        wait(&mut connection, TAKING)?;
        connection.message(&message.formatted()).map_err(|error| self::said(&error, TAKING))?;
        wait(&mut connection, deadline)?;
    }
    // It has the mail, whatever it says to this.
    let _ = connection.quit();
    match refused.is_empty() {
        true => Ok(()),
        false => {
            // None has taken it: it stays for whom it was.
            if refused.len() == all {
                refused.clear();
            }
            Err(NotTaken { why: whys.join("; "), left: refused, ..NotTaken::default() })
        }
    }
}

/// A connection on which mails may be sent.
fn open(server: &Mail, deadline: Span) -> Result<SmtpConnection, String> {
    let Way { host, port, tls } = way(server)?;
    let name = ClientId::default();
    let wrapper = match &tls {
        Tls::Wrapper(parameters) => Some(parameters),
        _ => None,
    };
    let said = |error: Error| said(&error, deadline);
    let at = (host.as_str(), port);
    let mut connection =
        SmtpConnection::connect(at, Some(deadline.duration()), &name, wrapper, None)
            .map_err(said)?;
    if let Tls::Required(parameters) = &tls {
        connection.starttls(parameters, &name).map_err(said)?;
    }
    if let Some((user, password)) = server.credentials()? {
        let credentials = Credentials::new(user, password);
        connection.auth(DEFAULT_MECHANISMS, &credentials).map_err(said)?;
    }
    Ok(connection)
}

/// From here on answers may take so long.
fn wait(connection: &mut SmtpConnection, time: Span) -> Result<(), String> {
    connection.set_timeout(Some(time.duration())).map_err(|error| chain(&error))
}

fn late(time: Span) -> String {
    format!("no answer within {time}")
}

/// What went wrong, in words; the system says of a time that has run out only that it has nothing.
fn said(error: &Error, time: Span) -> String {
    let mut cause = error.source();
    while let Some(inner) = cause {
        let kind = inner.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        if matches!(kind, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)) {
            return late(time);
        }
        cause = inner.source();
    }
    error.to_string()
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

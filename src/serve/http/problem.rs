//! What a client is told when there is no answer: a status and a sentence, as problem details (RFC 9457).
//!
//! Must not know: routes, the store's inner messages (they go to the log, not to clients).

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::crawl::orders::brands::Overtaken;
use crate::query::Unanswered;
use crate::search::Failed;
use crate::store::StoreError;

/// An answer that is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    status: StatusCode,
    sentence: String,
    /// Fields beside the usual ones.
    fields: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, sentence: impl Into<String>) -> Problem {
        Problem { status, sentence: sentence.into(), fields: Vec::new() }
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    pub(super) fn sentence(&self) -> &str {
        &self.sentence
    }

    /// With a header field.
    pub(super) fn with(mut self, name: HeaderName, value: impl Into<HeaderValue>) -> Problem {
        self.fields.push((name, value.into()));
        self
    }

    /// 400: the sentence names the parameter.
    pub(super) fn bad(sentence: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, sentence)
    }

    pub(super) fn not_found(sentence: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, sentence)
    }

    /// 409.
    pub(super) fn conflict(sentence: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, sentence)
    }

    /// Why an order was not carried out: 404 where it names something that is not there, 412 where
    /// somebody was faster, else 422 with the sentence that the command line says, too.
    pub(super) fn of_order(error: &anyhow::Error) -> Problem {
        let inner =
            error.chain().any(|cause| cause.is::<StoreError>() || cause.is::<std::io::Error>());
        if inner || matches!(error.downcast_ref(), Some(Unanswered::Store(_))) {
            tracing::error!("an order was not carried out: {error:#}");
            return Problem::internal();
        }
        let status = if error.is::<Unanswered>() {
            StatusCode::NOT_FOUND
        } else if error.is::<Overtaken>() {
            StatusCode::PRECONDITION_FAILED
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        let sentence: String = format!("{error:#}").chars().take(1_000).collect();
        Problem::new(status, sentence)
    }

    /// 503: try again.
    pub(super) fn unavailable(sentence: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
    }

    /// 500: what went wrong is in the log.
    pub(super) fn internal() -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "this failed; the crawler's log says why")
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        tracing::error!(%error, "the store could not answer a request");
        Problem::internal()
    }
}

impl From<Unanswered> for Problem {
    fn from(why: Unanswered) -> Problem {
        // What a client sent is repeated to it in part only.
        let short = |name: String| name.chars().take(80).collect::<String>();
        match why {
            Unanswered::NoArticle(key) => {
                Problem::not_found(format!("no article has the key {key}"))
            }
            Unanswered::NoStory(id) => Problem::not_found(format!("no story has the id {id}")),
            Unanswered::NotInStory { .. } => Problem::not_found(format!("parameter `diff`: {why}")),
            Unanswered::NoBrand { name, .. } => Problem::not_found(format!(
                "parameter `brand`: no brand is named `{}`; /api/v1/brands lists them",
                short(name)
            )),
            Unanswered::Answers(why) => Problem::bad(why),
            Unanswered::Brand(why) => Problem::bad(why.to_string()),
            Unanswered::NoLanguage(why) => {
                Problem::bad(format!("parameter `language`: {}", short(why)))
            }
            Unanswered::NoFeed(name) => {
                Problem::not_found(format!("no feed has the URL or key `{}`", short(name)))
            }
            Unanswered::NoOutlet(name) | Unanswered::NotAnOutlet { name, .. } => {
                Problem::not_found(format!(
                    "parameter `outlet`: no outlet is named `{}`; /api/v1/outlets lists them",
                    short(name)
                ))
            }
            Unanswered::NoNote(id) => Problem::not_found(format!(
                "no note has the id `{}`; /api/v1/notes lists them",
                short(id)
            )),
            Unanswered::NoAlert(name) => Problem::not_found(format!(
                "no alert is named `{}`; /api/v1/alerts lists them",
                short(name)
            )),
            why @ Unanswered::TooCommon { .. } => Problem::bad(why.to_string()),
            why @ (Unanswered::TooLong { .. } | Unanswered::Reversed { .. }) => {
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why.to_string())
            }
            Unanswered::Search(why) => why.into(),
            Unanswered::Store(error) => error.into(),
        }
    }
}

impl From<Failed> for Problem {
    fn from(why: Failed) -> Problem {
        match why {
            Failed::Malformed(_) | Failed::TooManyForms(_) | Failed::Costly => {
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, format!("parameter `q`: {why}"))
            }
            Failed::Store(error) => error.into(),
            Failed::Damaged(_) | Failed::Unwritable(_) => {
                tracing::error!(%why, "a search was not answered");
                Problem::unavailable("search does not answer now; the crawler's log says why")
            }
            Failed::None | Failed::Off | Failed::Without | Failed::Busy(_) | Failed::Stopped => {
                Problem::unavailable(why.to_string())
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or_default(),
            "status": self.status.as_u16(),
            "detail": self.sentence,
            "error": self.sentence,
        });
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let mut response = (self.status, kind, body.to_string()).into_response();
        response.headers_mut().extend(self.fields);
        response
    }
}

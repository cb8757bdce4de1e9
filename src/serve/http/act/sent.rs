//! What a request sends, and the order that it stands for.
//!
//! Must not know: paths, methods, how an order is carried out.

use axum::http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::crawl::orders::brands::{self, Edit};
use crate::crawl::orders::outlets::{Action, Voice};
use crate::model::*;
use crate::serve::http::body;
use crate::serve::http::problem::Problem;
use crate::serve::order::Order;

/// What a request sends.
#[derive(Debug, Default)]
pub(in crate::serve::http) struct Sent {
    /// The part of the path that names a feed, brand, outlet, alert or note.
    pub name: String,
    pub dry_run: bool,
    /// Version of the brand set that is to be in use.
    pub instead_of: Option<String>,
    /// Media type of the body.
    pub kind: String,
    pub body: Vec<u8>,
}

impl Sent {
    /// The body as JSON; `T`'s default where there is none.
    fn json<T: DeserializeOwned + Default>(&self) -> Result<T, Problem> {
        if self.body.is_empty() { Ok(T::default()) } else { body::json(&self.body) }
    }

    pub(super) fn brands(self, edit: Edit) -> Result<Order, Problem> {
        Ok(Order::Brands { edit, dry_run: self.dry_run, instead_of: self.instead_of })
    }

    pub(super) fn outlet(self, action: Action) -> Result<Order, Problem> {
        Ok(Order::Outlet { outlet: self.name, action })
    }
}

pub(super) fn seed(sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        feeds: Vec<String>,
    }
    let text = if body::is_json(&sent.kind) {
        let given: Given = body::json(&sent.body)?;
        let lines: Vec<String> =
            given.feeds.iter().map(|url| url.replace(['\n', '\r'], " ")).collect();
        lines.join("\n")
    } else {
        let text = body::text(sent.body)?;
        if text.trim().is_empty() {
            return Err(Problem::bad("the body is empty: send the URLs of feeds or of sites"));
        }
        text
    };
    Ok(Order::Seed { text })
}

pub(super) fn voice(sent: Sent) -> Result<Order, Problem> {
    #[derive(Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Given {
        outlet: Option<String>,
        learn: bool,
    }
    let given: Given = sent.json()?;
    let voice = match given {
        Given { outlet: Some(_), learn: true } => {
            return Err(Problem::bad("`outlet` and `learn` do not go together"));
        }
        Given { outlet: Some(outlet), .. } => Voice::Also(outlet),
        Given { learn: true, .. } => Voice::Learned,
        Given { .. } => Voice::Own,
    };
    Ok(Order::FeedVoice { url: sent.name, voice })
}

pub(super) fn pause(sent: Sent) -> Result<Order, Problem> {
    #[derive(Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Given {
        #[serde(rename = "for")]
        length: Option<String>,
    }
    let given: Given = sent.json()?;
    let length = given.length.map(|text| span("for", &text)).transpose()?;
    sent.outlet(Action::Pause { length })
}

pub(super) fn delay(sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        time: String,
    }
    let given: Given = body::json(&sent.body)?;
    let default = given.time == "default";
    let delay = (!default).then(|| span("time", &given.time)).transpose()?;
    sent.outlet(Action::Delay { delay })
}

fn span(field: &str, text: &str) -> Result<Span, Problem> {
    text.parse().map_err(|why| Problem::bad(format!("`{field}`: {why}")))
}

pub(super) fn replace_brands(mut sent: Sent) -> Result<Order, Problem> {
    /// What GET answers may be sent back: version and instants are the crawler's own.
    #[derive(Deserialize)]
    struct Given {
        brands: Vec<Brand>,
    }
    let body = std::mem::take(&mut sent.body);
    let brands = if body::is_json(&sent.kind) {
        body::json::<Given>(&body)?.brands
    } else {
        let read = brands::read(&body::text(body)?);
        read.map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why.to_string()))?
    };
    sent.brands(Edit::Replace(brands))
}

pub(super) fn put_brand(sent: Sent) -> Result<Order, Problem> {
    let brand: Brand = body::json(&named(sent.json()?, &sent.name)?)?;
    sent.brands(Edit::Add(vec![brand]))
}

pub(super) fn set_alert(sent: Sent) -> Result<Order, Problem> {
    let fields: serde_json::Map<String, serde_json::Value> = body::json(&sent.body)?;
    let rule: AlertRule = body::json(&named(fields, &sent.name)?)?;
    Ok(Order::AlertSet { rule })
}

pub(super) fn add_note(sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        day: String,
        #[serde(default)]
        brand: Option<String>,
        text: String,
    }
    let Given { day, brand, text } = body::json(&sent.body)?;
    let day =
        crate::model::written_day(&day).map_err(|why| Problem::bad(format!("`day`: {why}")))?;
    Ok(Order::NoteAdd { day, brand, text })
}

/// An object with the name that stands in the path.
fn named(
    mut fields: serde_json::Map<String, serde_json::Value>,
    name: &str,
) -> Result<Vec<u8>, Problem> {
    let named = fields.entry("name").or_insert_with(|| name.into());
    if *named != name {
        let sentence = "`name` is another than that of the path: remove the one, set the other";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, sentence));
    }
    Ok(serde_json::Value::Object(fields).to_string().into_bytes())
}

pub(super) fn teach(mut sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        answers: Vec<MentionAnswer>,
    }
    let Given { answers } = body::json(&sent.body)?;
    let brand = std::mem::take(&mut sent.name);
    sent.brands(Edit::Teach { brand, answers })
}

pub(super) fn forget(sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        what: String,
    }
    let Given { what } = body::json(&sent.body)?;
    Ok(Order::Forget { what })
}

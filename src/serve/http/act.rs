//! What can be ordered over HTTP as data: path, body, the order that it stands for, the form of the answer.
//! Router and OpenAPI document are both made from this table. The orders are those of the command line;
//! what concerns the machine itself (tokens, copies, repair) is ordered there alone.
//!
//! Must not know: connections, how an order is carried out.

use axum::http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::crawl::orders::brands::{self, Edit};
use crate::crawl::orders::outlets::{Action, Voice};
use crate::model::*;
use crate::serve::order::Order;

use super::body;
use super::problem::Problem;

/// One thing that can be ordered.
pub(super) struct Act {
    pub method: Method,
    pub path: &'static str,
    pub about: &'static str,
    pub body: Body,
    /// May it be asked what it would do (`dry_run`)?
    pub dry: bool,
    /// May it name the brand set that it is to change (`If-Match`)?
    pub guarded: bool,
    /// Name of the answer's schema.
    pub schema: &'static str,
    /// The answer has a list of this name with the order's values; without one it is the order's one value.
    pub list: Option<&'static str>,
    pub order: fn(Sent) -> Result<Order, Problem>,
}

/// What a body is.
pub(super) enum Body {
    None,
    /// JSON of this schema; `true`: it may be left out.
    Json(&'static str, bool),
    /// JSON of this schema, or text of other media types.
    Listed(&'static str, &'static [&'static str]),
    File,
}

/// Largest bodies, bytes.
const SMALL: usize = 256 << 10;
const LIST: usize = 16 << 20;

impl Body {
    pub(super) fn most(&self) -> usize {
        match self {
            Body::None => 0,
            Body::Json(..) => SMALL,
            Body::Listed(..) => LIST,
            Body::File => crate::crawl::orders::models::LARGEST,
        }
    }
}

/// What a request sends.
#[derive(Debug, Default)]
pub(super) struct Sent {
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

    fn brands(self, edit: Edit) -> Result<Order, Problem> {
        Ok(Order::Brands { edit, dry_run: self.dry_run, instead_of: self.instead_of })
    }

    fn outlet(self, action: Action) -> Result<Order, Problem> {
        Ok(Order::Outlet { outlet: self.name, action })
    }
}

/// Everything that can be ordered.
pub(super) static ACTS: &[Act] = &[
    Act {
        method: Method::POST,
        path: "/api/v1/feeds",
        about: "Adds the feeds of a list (one URL a line), of OPML, or of sites",
        body: Body::Listed("FeedList", &["text/plain", "text/x-opml", "application/xml"]),
        dry: false,
        guarded: false,
        schema: "SeededLines",
        list: Some("lines"),
        order: seed,
    },
    Act {
        method: Method::DELETE,
        path: "/api/v1/feeds/{key}",
        about: "Removes a feed until it is added again; its articles stay",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "FeedRemoved",
        list: None,
        order: |sent| Ok(Order::FeedRemove { url: sent.name }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/feeds/{key}/pause",
        about: "Does not poll a feed",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "FeedPaused",
        list: None,
        order: |sent| Ok(Order::FeedPause { url: sent.name, paused: true }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/feeds/{key}/resume",
        about: "Polls a paused feed again",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "FeedPaused",
        list: None,
        order: |sent| Ok(Order::FeedPause { url: sent.name, paused: false }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/feeds/{key}/voice",
        about: "Says which outlet a feed speaks for beside its own; without a body, none",
        body: Body::Json("VoiceGiven", true),
        dry: false,
        guarded: false,
        schema: "FeedVoice",
        list: None,
        order: voice,
    },
    Act {
        method: Method::POST,
        path: "/api/v1/outlets/{outlet}/pause",
        about: "Requests nothing of an outlet until it is resumed, or for some time",
        body: Body::Json("PauseGiven", true),
        dry: false,
        guarded: false,
        schema: "OutletDecided",
        list: None,
        order: pause,
    },
    Act {
        method: Method::POST,
        path: "/api/v1/outlets/{outlet}/resume",
        about: "Takes back a pause or a block",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "OutletDecided",
        list: None,
        order: |sent| sent.outlet(Action::Resume),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/outlets/{outlet}/block",
        about: "Requests nothing of an outlet any more; what is stored stays",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "OutletDecided",
        list: None,
        order: |sent| sent.outlet(Action::Block),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/outlets/{outlet}/delay",
        about: "Fixes the time between two requests to an outlet; `default` is the polite delay again",
        body: Body::Json("DelayGiven", false),
        dry: false,
        guarded: false,
        schema: "OutletDecided",
        list: None,
        order: delay,
    },
    Act {
        method: Method::PUT,
        path: "/api/v1/brands",
        about: "Replaces the watched brands by a list; stored texts are matched again",
        body: Body::Listed("BrandList", &["application/toml", "text/plain"]),
        dry: true,
        guarded: true,
        schema: "Recount",
        list: None,
        order: replace_brands,
    },
    Act {
        method: Method::PUT,
        path: "/api/v1/brands/{name}",
        about: "Watches a brand, or changes how it is matched; stored texts are matched again",
        body: Body::Json("BrandGiven", true),
        dry: true,
        guarded: true,
        schema: "Recount",
        list: None,
        order: put_brand,
    },
    Act {
        method: Method::DELETE,
        path: "/api/v1/brands/{name}",
        about: "Watches a brand no more",
        body: Body::None,
        dry: true,
        guarded: true,
        schema: "Recount",
        list: None,
        order: |mut sent| {
            let name = std::mem::take(&mut sent.name);
            sent.brands(Edit::Remove(vec![name]))
        },
    },
    Act {
        method: Method::PUT,
        path: "/api/v1/alerts/{alert}",
        about: "Sets an alert, or changes the one of this name; what it told stays",
        body: Body::Json("AlertGiven", false),
        dry: false,
        guarded: false,
        schema: "AlertSet",
        list: None,
        order: set_alert,
    },
    Act {
        method: Method::DELETE,
        path: "/api/v1/alerts/{alert}",
        about: "Removes an alert and what it told",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "AlertRemoved",
        list: None,
        order: |sent| Ok(Order::AlertRemove { name: sent.name }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/alerts/{alert}/test",
        about: "Sends something to the targets of an alert, at once, and says what came of it",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "AlertTested",
        list: None,
        order: |sent| Ok(Order::AlertTest { name: sent.name }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/notes",
        about: "Pins a note to a day, beside the numbers; of a brand, or of all",
        body: Body::Json("NoteGiven", false),
        dry: false,
        guarded: false,
        schema: "Note",
        list: None,
        order: add_note,
    },
    Act {
        method: Method::DELETE,
        path: "/api/v1/notes/{note}",
        about: "Removes a note",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "NoteRemoved",
        list: None,
        order: |sent| Ok(Order::NoteRemove { id: sent.name }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/brands/{name}/review",
        about: "Answers which mentions of a brand are meant; the others are judged by what that teaches, and \
                stored texts are matched again",
        body: Body::Json("AnswersGiven", false),
        dry: true,
        guarded: true,
        schema: "Recount",
        list: None,
        order: teach,
    },
    Act {
        method: Method::POST,
        path: "/api/v1/recount",
        about: "Matches all stored texts again",
        body: Body::None,
        dry: true,
        guarded: true,
        schema: "Recount",
        list: None,
        order: |sent| sent.brands(Edit::Keep),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/models",
        about: "Puts a model file into use, from the next page on",
        body: Body::File,
        dry: false,
        guarded: false,
        schema: "Deployed",
        list: None,
        order: |sent| match sent.body.is_empty() {
            // A file that a script could not read must not be an order of its own.
            true => Err(Problem::bad(
                "the body is empty: send the model file; /api/v1/models/shipped returns to the model \
                 that came with the program",
            )),
            false => Ok(Order::ModelDeploy { model: Some(Bytes(sent.body)) }),
        },
    },
    Act {
        method: Method::POST,
        path: "/api/v1/search/rebuild",
        about: "Makes the index for search anew; the old one answers meanwhile",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "Rebuilt",
        list: None,
        order: |_| Ok(Order::SearchRebuild),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/stories/rebuild",
        about: "Tells all stories anew by the rule of this program",
        body: Body::None,
        dry: true,
        guarded: false,
        schema: "StoriesRebuilt",
        list: None,
        order: |sent| Ok(Order::Stories { dry_run: sent.dry_run }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/models/shipped",
        about: "Returns to the model that came with the program",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "Deployed",
        list: None,
        order: |_| Ok(Order::ModelDeploy { model: None }),
    },
    Act {
        method: Method::POST,
        path: "/api/v1/forget",
        about: "Forgets an article (by URL or key) or an outlet for good",
        body: Body::Json("ForgetGiven", false),
        dry: false,
        guarded: false,
        schema: "Forgotten",
        list: None,
        order: forget,
    },
    Act {
        method: Method::POST,
        path: "/api/v1/verify",
        about: "Proves the stored numbers",
        body: Body::None,
        dry: false,
        guarded: false,
        schema: "Verified",
        list: Some("lines"),
        order: |_| Ok(Order::Verify),
    },
];

fn seed(sent: Sent) -> Result<Order, Problem> {
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
        body::text(sent.body)?
    };
    Ok(Order::Seed { text })
}

fn voice(sent: Sent) -> Result<Order, Problem> {
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

fn pause(sent: Sent) -> Result<Order, Problem> {
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

fn delay(sent: Sent) -> Result<Order, Problem> {
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

fn replace_brands(mut sent: Sent) -> Result<Order, Problem> {
    /// What GET answers may be sent back: version and instants are the crawler's own.
    #[derive(Deserialize)]
    struct Given {
        brands: Vec<Brand>,
    }
    let body = std::mem::take(&mut sent.body);
    let brands = if body::is_json(&sent.kind) {
        body::json::<Given>(&body)?.brands
    } else {
        let text = body::text(body)?;
        if text.trim().is_empty() {
            return Err(Problem::bad(
                "the body is empty: to watch nothing, send {\"brands\": []} as application/json",
            ));
        }
        let read = brands::read(&text);
        read.map_err(|why| {
            Problem::new(axum::http::StatusCode::UNPROCESSABLE_ENTITY, why.to_string())
        })?
    };
    sent.brands(Edit::Replace(brands))
}

fn put_brand(sent: Sent) -> Result<Order, Problem> {
    let brand: Brand = body::json(&named(sent.json()?, &sent.name)?)?;
    sent.brands(Edit::Add(vec![brand]))
}

fn set_alert(sent: Sent) -> Result<Order, Problem> {
    let fields: serde_json::Map<String, serde_json::Value> = body::json(&sent.body)?;
    let rule: AlertRule = body::json(&named(fields, &sent.name)?)?;
    Ok(Order::AlertSet { rule })
}

fn add_note(sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        day: Day,
        #[serde(default)]
        brand: Option<String>,
        text: String,
    }
    let Given { day, brand, text } = body::json(&sent.body)?;
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
        return Err(Problem::bad(sentence));
    }
    Ok(serde_json::Value::Object(fields).to_string().into_bytes())
}

fn teach(mut sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        answers: Vec<Told>,
    }
    let Given { answers } = body::json(&sent.body)?;
    let brand = std::mem::take(&mut sent.name);
    sent.brands(Edit::Teach { brand, answers })
}

fn forget(sent: Sent) -> Result<Order, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        what: String,
    }
    let Given { what } = body::json(&sent.body)?;
    Ok(Order::Forget { what })
}

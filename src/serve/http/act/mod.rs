//! What can be ordered over HTTP as data: path, body, the order that it stands for, the form of the answer.
//! Router and OpenAPI document are both made from this table. The orders are those of the command line;
//! what concerns the machine itself (tokens, copies, repair) is ordered there alone.
//!
//! Must not know: connections, how an order is carried out.

mod sent;

use axum::http::Method;

use crate::crawl::orders::brands::Edit;
use crate::crawl::orders::outlets::Action;
use crate::model::Bytes;
use crate::serve::order::Order;

use super::problem::Problem;

pub(super) use sent::Sent;

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

/// Everything that can be ordered.
pub(super) static ACTS: &[Act] = &[
    Act {
        method: Method::POST,
        path: "/api/v1/feeds",
        about: "Adds the feeds of a list (one URL a line), of OPML, or of sites",
        body: Body::Listed(
            "FeedList",
            &["text/plain", "text/x-opml", "application/xml", "text/xml"],
        ),
        dry: false,
        guarded: false,
        schema: "SeededLines",
        list: Some("lines"),
        order: sent::seed,
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
        order: sent::voice,
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
        order: sent::pause,
    },
    Act {
        method: Method::POST,
        path: "/api/v1/outlets/{outlet}/resume",
        about: "Ends a pause or a block",
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
        order: sent::delay,
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
        order: sent::replace_brands,
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
        order: sent::put_brand,
    },
    Act {
        method: Method::DELETE,
        path: "/api/v1/brands/{name}",
        about: "No longer watches a brand",
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
        about: "Sets an alert, or changes the one of this name; its events stay",
        body: Body::Json("AlertGiven", false),
        dry: false,
        guarded: false,
        schema: "AlertSet",
        list: None,
        order: sent::set_alert,
    },
    Act {
        method: Method::DELETE,
        path: "/api/v1/alerts/{alert}",
        about: "Removes an alert and its events",
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
        about: "Sends a test to the targets of an alert at once, and answers with the result",
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
        order: sent::add_note,
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
        order: sent::teach,
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
        about: "Puts a model file into use, beginning with the next page",
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
        about: "Computes all stories again by the rule of this program",
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
        order: sent::forget,
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

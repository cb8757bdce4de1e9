//! The dashboard: one static page with its styles and scripts, part of the binary. It asks the JSON
//! API like any other client.
//!
//! Must not know: the store, the engine; nothing on the server side of the page is dynamic.

/// One file of the page.
pub struct File {
    pub path: &'static str,
    pub kind: &'static str,
    pub content: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page for logging in, with a place for one sentence.
pub static LOGIN: &str = include_str!("login.html");

/// All files of the page. None of them holds a number: they ask the API.
pub static FILES: &[File] = &[
    File { path: "/", kind: "text/html; charset=utf-8", content: include_str!("index.html") },
    File {
        path: "/style.css",
        kind: "text/css; charset=utf-8",
        content: include_str!("style.css"),
    },
    File { path: "/icon.svg", kind: "image/svg+xml", content: include_str!("icon.svg") },
    File { path: "/main.js", kind: SCRIPT, content: include_str!("main.js") },
    File { path: "/dom.js", kind: SCRIPT, content: include_str!("dom.js") },
    File { path: "/mentions.js", kind: SCRIPT, content: include_str!("mentions.js") },
    File { path: "/chart.js", kind: SCRIPT, content: include_str!("chart.js") },
    File { path: "/article.js", kind: SCRIPT, content: include_str!("article.js") },
    File { path: "/stories.js", kind: SCRIPT, content: include_str!("stories.js") },
    File { path: "/search.js", kind: SCRIPT, content: include_str!("search.js") },
    File { path: "/health.js", kind: SCRIPT, content: include_str!("health.js") },
];

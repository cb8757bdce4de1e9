//! `crawler annotate`: labels for the leaves of pages, set by hand in a browser or from text files, and
//! what they say.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::learn::annotate::{self, Agreement, AlignmentError, Desk, KEYS, State, Work};
use crate::learn::hand::{self, Mark};
use crate::serve::http::annotate::{Pages, Refused, serve};

use super::context::{Context, runtime};
use super::print;

mod draw;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A labelled corpus: a folder with pages/ and gold.jsonl
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,
    /// Folder of the label files; they hold no text of the pages
    #[arg(long, value_name = "DIR")]
    labels: PathBuf,
    /// 1, or 2 for a second look at finished pages that does not show the first
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    pass: u8,
    /// Port on 127.0.0.1 [default: any that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "PORT")]
    port: u16,
    /// Instead of a browser: list the pages and how much of each is labelled
    #[arg(long, group = "what")]
    list: bool,
    /// Instead of a browser: print the leaves of a page, one a line, with their numbers
    #[arg(long, value_name = "ID", group = "what")]
    print: Option<String>,
    /// Instead of a browser: read the labels of a page from a file (`-` is standard input) with lines like
    /// `12-40 paragraph`, and finish the page
    #[arg(long, num_args = 2, value_names = ["ID", "FILE"], group = "what")]
    keep: Option<Vec<String>>,
    /// Instead of a browser window: let a headless Chromium draw the finished pages, or all where none is, and
    /// keep in this folder how their leaves look. Nothing is asked of the web
    #[arg(long, group = "what", value_name = "DIR")]
    drawn: Option<PathBuf>,
    /// With --drawn: fetch this page as the crawl would, add it to the corpus, and let the browser load its
    /// style sheets and pictures
    #[arg(long, requires = "drawn", value_name = "URL")]
    capture: Option<String>,
    /// Program of the browser that draws
    #[arg(long, default_value = "chromium", value_name = "PROGRAM")]
    browser: PathBuf,
    /// How well the two passes agree
    #[arg(long, group = "what")]
    agreement: bool,
    /// How much the labels that the gold text implies differ from those set by hand
    #[arg(long, group = "what")]
    against_gold: bool,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    if let (Some(url), Some(folder)) = (&args.capture, &args.drawn) {
        let Args { corpus, labels, browser, .. } = &args;
        return draw::capture(url, corpus, labels.clone(), folder, browser, context);
    }
    // Both comparisons need the pages of the first pass.
    let pass = if args.agreement || args.against_gold { 1 } else { args.pass };
    let desk = Desk::open(args.corpus, args.labels, pass)?;
    if let Some(folder) = args.drawn {
        return draw::all(desk, folder, &args.browser);
    }
    if args.list {
        return list(&desk, context);
    }
    if let Some(id) = &args.print {
        println!("{}", annotate::lines(&desk.leaves(id)?).trim_end());
        return Ok(());
    }
    if let Some([id, file]) = args.keep.as_deref() {
        let text = read(file)?;
        let marks = annotate::marks(&text).with_context(|| format!("labels in {file}"))?;
        return desk.keep(id, Work { marks, done: true, seconds: 0 });
    }
    if args.agreement {
        let agreement = desk.agreement()?;
        return if context.json() { print::json(&agreement) } else { agree(&agreement) };
    }
    if args.against_gold {
        let errors = desk.against_gold()?;
        return if context.json() { print::json(&errors) } else { differ(&errors) };
    }
    browser(desk, args.port)
}

fn read(file: &str) -> Result<String> {
    if file == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(Path::new(file)).with_context(|| format!("cannot read {file}"))
}

fn list(desk: &Desk, context: &Context) -> Result<()> {
    let pages = desk.list()?;
    if context.json() {
        return print::json(&pages);
    }
    let mut table = print::table(&["page", "language", "state", "seconds"]);
    for page in &pages {
        let state = print::word(&page.state);
        let seconds = page.seconds.to_string();
        print::row(&mut table, vec![page.id.clone(), page.language.clone(), state, seconds]);
    }
    print::show(table);
    let done = pages.iter().filter(|page| page.state == State::Done).count();
    println!("{done} of {} pages finished in pass {}", pages.len(), desk.pass());
    Ok(())
}

fn agree(agreement: &Agreement) -> Result<()> {
    let mut table = print::table(&["label", "first", "second", "both", "F1"]);
    for row in &agreement.labels {
        let name = row.label.name().to_owned();
        let [first, second, both] = [row.first, row.second, row.both].map(|n| n.to_string());
        print::row(&mut table, vec![name, first, second, both, format!("{:.3}", row.f1)]);
    }
    print::show(table);
    let similarity = &agreement.similarity;
    println!("pages           {}", agreement.pages);
    println!("leaves          {}", agreement.leaves);
    println!("same label      {:.4} (kappa {:.4})", agreement.same, agreement.kappa);
    println!(
        "mean sim^σ      {:.3} (95 %: {:.3} to {:.3})",
        similarity.value, similarity.low, similarity.high
    );
    leave_out(&agreement.left_out);
    Ok(())
}

/// Says which pages were not compared.
fn leave_out(ids: &[String]) {
    if !ids.is_empty() {
        let count = ids.len();
        println!(
            "{count} {} {}",
            if count == 1 { "page" } else { "pages" },
            hand::other_leaves(ids)
        );
    }
}

fn differ(errors: &[AlignmentError]) -> Result<()> {
    let headings =
        ["profile", "pages", "blocks", "P", "R", "F1", "wrong blocks", "exact pages", "95 %"];
    let mut table = print::table(&headings);
    for error in errors {
        let score = &error.score;
        print::row(
            &mut table,
            vec![
                error.profile.name().to_owned(),
                score.pages.to_string(),
                error.blocks.to_string(),
                format!("{:.4}", score.block_precision),
                format!("{:.4}", score.block_recall),
                format!("{:.4}", score.block_f1),
                format!("{:.4}", 1.0 - score.block_accuracy),
                format!("{:.3}", score.document_accuracy),
                format!(
                    "{:.3} to {:.3}",
                    error.low.document_accuracy, error.high.document_accuracy
                ),
            ],
        );
    }
    print::show(table);
    let Some(first) = errors.first() else { return Ok(()) };
    let similarity = &first.similarity;
    println!(
        "mean sim^σ of the gold text and the labelled text {:.3} (95 %: {:.3} to {:.3})\n",
        similarity.value, similarity.low, similarity.high
    );
    let mut table = print::table(&["label", "by hand", "P", "R", "F1"]);
    for (label, score) in &first.labels {
        let figures = [score.precision, score.recall, score.f1].map(|f| format!("{f:.3}"));
        let [precision, recall, f1] = figures;
        let (name, count) = (label.name().to_owned(), score.occurrences.to_string());
        print::row(&mut table, vec![name, count, precision, recall, f1]);
    }
    print::show(table);
    leave_out(&first.left_out);
    Ok(())
}

/// The desk as the browser sees it.
struct Browsed {
    desk: Desk,
    /// May the browser ask the web for what a page loads?
    online: bool,
}

impl Pages for Browsed {
    fn desk(&self) -> Result<Value> {
        let labels: Vec<Value> =
            KEYS.iter().map(|(l, key)| json!({ "name": l.name(), "key": key })).collect();
        Ok(json!({
            "corpus": self.desk.corpus(),
            "pass": self.desk.pass(),
            "labels": labels,
            "pages": self.desk.list()?,
        }))
    }

    fn has(&self, id: &str) -> bool {
        self.desk.has(id)
    }

    fn page(&self, id: &str) -> Result<Value> {
        let leaves = self.desk.leaves(id)?;
        let revision = self.desk.revision(id)?;
        let hand = self.desk.labels(id, &leaves)?.unwrap_or_default();
        Ok(json!({
            "id": id,
            "tree": annotate::tree(&leaves),
            "marks": hand.marks,
            "done": hand.head.done,
            "seconds": hand.head.seconds,
            "revision": revision,
        }))
    }

    fn frame(&self, id: &str) -> Result<String> {
        self.desk.frame(id)
    }

    fn source(&self, id: &str) -> Result<String> {
        self.desk.source(id, self.online)
    }

    fn keep(&self, id: &str, said: Value) -> Result<String, Refused> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Said {
            marks: Vec<Mark>,
            done: bool,
            seconds: u32,
            revision: String,
        }
        let said: Said =
            serde_json::from_value(said).map_err(|error| Refused::Bad(error.to_string()))?;
        let Said { marks, done, seconds, revision } = said;
        match self.desk.replace(id, &revision, Work { marks, done, seconds }) {
            Ok(Some(revision)) => Ok(revision),
            Ok(None) => Err(Refused::Changed(format!(
                "the labels of `{id}` have changed since this page was opened, in another tab or by another command"
            ))),
            Err(error) => Err(Refused::Bad(format!("{error:#}"))),
        }
    }
}

fn browser(desk: Desk, port: u16) -> Result<()> {
    let pages = desk.list()?;
    let done = pages.iter().filter(|page| page.state == State::Done).count();
    let (count, pass) = (pages.len(), desk.pass());
    let runtime = runtime()?;
    runtime.block_on(async {
        let listener = match tokio::net::TcpListener::bind(("127.0.0.1", port)).await {
            Ok(listener) => listener,
            Err(error) => bail!("cannot listen on 127.0.0.1:{port}: {error}"),
        };
        eprintln!(
            "crawler: {done} of {count} pages finished in pass {pass}; label them on http://{}/",
            listener.local_addr()?
        );
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let serving =
            tokio::spawn(serve(listener, Arc::new(Browsed { desk, online: false }), stopped));
        super::run::wait_for_signal().await;
        stop.send_replace(true);
        serving.await.context("the server ended")
    })
}

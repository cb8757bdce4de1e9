//! `crawler brands review`: which mentions of a name are meant, one key each, or answers from a file.

use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal, Read};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::cli::context::Context;
use crate::cli::print;
use crate::crawl::orders::brands::Edit;
use crate::model::*;
use crate::query::{Asking, Proportion, Question, Review, ReviewQuery, SenseLine};

/// Mentions that are asked for at a time: what was answered since teaches which come next.
const AT_A_TIME: usize = 5;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A watched brand
    brand: String,
    /// Read answers from this file instead of asking (`-`: standard input): one JSON object per line with
    /// `article`, `block`, `start` and `meant` (true, false, or null to remove an answer)
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// This many mentions with --json
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Show what the answers would change
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let Args { brand, answers, limit, dry_run } = args;
    if let Some(file) = answers {
        let answers = read(&file)?;
        if answers.is_empty() {
            bail!("{} has no answers", file.display());
        }
        return super::change(context, Edit::Teach { brand, answers }, dry_run);
    }
    let ask = |answers: &[MentionAnswer], skipped: &[UrlKey], limit| -> Result<Review> {
        let (answers, skipped) = (answers.to_vec(), skipped.to_vec());
        context.ask_one(Question::Review(ReviewQuery {
            brand: brand.clone(),
            answers,
            skipped,
            limit,
        }))
    };
    if context.json() {
        return print::json(&ask(&[], &[], limit)?);
    }
    if !std::io::stdin().is_terminal() {
        bail!("asking needs a terminal: use --json to list mentions and --answers FILE to answer");
    }
    let mut done: Vec<(Asking, Option<bool>)> = Vec::new();
    let mut next: VecDeque<Asking> = VecDeque::new();
    let mut known = None;
    loop {
        let told: Vec<MentionAnswer> =
            done.iter().filter_map(|(of, meant)| Some(answer(of, (*meant)?))).collect();
        if next.is_empty() {
            let skipped: Vec<UrlKey> = done.iter().map(|(of, _)| of.article).collect();
            let review = ask(&told, &skipped, AT_A_TIME)?;
            if known.as_ref() != Some(&review.known) {
                println!("{}", said(&review.known));
            }
            known = Some(review.known);
            next.extend(review.mentions);
        }
        let Some(asking) = next.pop_front() else {
            println!("there are no more mentions of {brand} to ask about");
            break;
        };
        show(&asking);
        match key("y meant  n something else  s skip  u undo  q end")? {
            'y' => done.push((asking, Some(true))),
            'n' => done.push((asking, Some(false))),
            's' => done.push((asking, None)),
            'u' => {
                next.push_front(asking);
                match done.pop() {
                    Some((last, _)) => next.push_front(last),
                    None => println!("there is nothing to undo"),
                }
            }
            'q' => break,
            _ => next.push_front(asking),
        }
    }
    let answers: Vec<MentionAnswer> =
        done.iter().filter_map(|(of, meant)| Some(answer(of, (*meant)?))).collect();
    if answers.is_empty() {
        println!("no answers: nothing changes");
        return Ok(());
    }
    let edit = Edit::Teach { brand, answers };
    super::change(context, edit.clone(), true)?;
    if dry_run {
        return Ok(());
    }
    loop {
        match key("use these answers? y yes  n no: they are lost")? {
            'y' => return super::change(context, edit, false),
            'n' => return Ok(()),
            _ => {}
        }
    }
}

fn answer(of: &Asking, meant: bool) -> MentionAnswer {
    MentionAnswer { article: of.article, block: of.block, start: of.start, meant: Some(meant) }
}

/// What is known of a brand, in a sentence.
pub(super) fn said(known: &SenseLine) -> String {
    let share = |estimate: Option<Proportion>| match estimate {
        Some(Proportion { value, low, high, .. }) => {
            let percent = |share| print::percent(Some(share));
            format!("{} ({} to {})", percent(value), percent(low), percent(high))
        }
        None => "nobody knows how much".to_owned(),
    };
    let counts = print::many(known.answers as u64, "answer");
    let meant = format!("{counts}, {} of them meant", known.meant);
    if known.model {
        format!(
            "{meant}; by estimate {} of what counts is meant, and {} of what is meant counts",
            share(known.precision),
            share(known.recall)
        )
    } else {
        format!(
            "{meant}; a model needs ten answers, and two of each kind: the other mentions count"
        )
    }
}

fn show(asking: &Asking) {
    let Asking { before, matched, after, outlet, title, day, probability, .. } = asking;
    println!();
    println!("{outlet}, {day}: {title}");
    println!("  … {before}[[{matched}]]{after} …");
    if let Some(p) = probability {
        println!("  meant, by the model: {}", print::percent(Some(*p)));
    }
}

fn read(file: &std::path::Path) -> Result<Vec<MentionAnswer>> {
    let cannot = || format!("cannot read the answers {}", file.display());
    let source: Box<dyn Read> = match file.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(std::fs::File::open(file).with_context(cannot)?),
    };
    let mut answers = Vec::new();
    for (number, line) in (1..).zip(std::io::BufReader::new(source).lines()) {
        let line = line.with_context(cannot)?;
        if line.trim().is_empty() {
            continue;
        }
        let told = serde_json::from_slice(line.as_bytes())
            .with_context(|| format!("{}, line {number}: not an answer", file.display()))?;
        answers.push(told);
    }
    Ok(answers)
}

/// The terminal as it was, however this ends.
struct Restored(Termios);

impl Drop for Restored {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// One key, without Enter; the end of the input and Ctrl-C mean `q`.
fn key(keys: &str) -> Result<char> {
    println!("{keys}");
    let before = tcgetattr(std::io::stdin()).context("cannot ask the terminal")?;
    let mut single = before.clone();
    single.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    let _restored = Restored(before);
    tcsetattr(std::io::stdin(), OptionalActions::Now, &single)
        .context("cannot set the terminal")?;
    let mut byte = [0];
    let read = std::io::stdin().lock().read(&mut byte).context("cannot read from the terminal")?;
    Ok(match (read, byte[0]) {
        (0, _) | (_, 3 | 4) => 'q',
        (_, byte) => char::from(byte).to_ascii_lowercase(),
    })
}

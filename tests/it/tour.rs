//! The first hour of docs/tour.md: every command is run, and prints what stands there.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use crate::process::{binary, end};

/// A command, and the lines that stand below it.
struct Step {
    command: String,
    prints: Vec<String>,
}

/// The commands of the blocks that say what is printed everywhere; what depends on the machine stands in
/// blocks of another kind.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => inside = line == "```console",
            _ if !inside => {}
            Some(command) => {
                steps.push(Step { command: command.to_owned(), prints: Vec::new() });
            }
            None => steps.last_mut().expect("a command first").prints.push(line.to_owned()),
        }
    }
    steps
}

/// The words of a command, of which some stand between quotation marks.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(n, part)| match n % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Is this what stands there? `…` stands for anything; how wide a column is depends on lines that are cut.
fn fits(shown: &str, line: &str) -> bool {
    let narrow = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (shown, line) = (narrow(shown), narrow(line));
    let mut rest = line.as_str();
    let parts: Vec<&str> = shown.split('…').collect();
    for (n, part) in parts.iter().enumerate() {
        let last = n + 1 == parts.len();
        let at = match n {
            0 => rest.starts_with(part).then_some(0),
            _ if last => rest.len().checked_sub(part.len()).filter(|_| rest.ends_with(part)),
            _ => rest.find(part),
        };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// Compares line by line; a line that is `…` stands for any lines.
fn same(step: &Step, printed: &str) {
    let shown = step.prints.iter().filter(|line| !line.trim().is_empty());
    let mut lines = printed.lines().filter(|line| !line.trim().is_empty());
    let mut any = false;
    for shown in shown {
        if shown == "…" {
            any = true;
        } else if any {
            let found = lines.any(|line| fits(shown, line));
            assert!(found, "`{}` does not print `{shown}`:\n{printed}", step.command);
            any = false;
        } else {
            let line = lines.next().unwrap_or_default();
            assert!(fits(shown, line), "`{}`: `{line}` for `{shown}`", step.command);
        }
    }
    let more = lines.next().filter(|_| !any);
    assert_eq!(more, None, "`{}` prints more than stands there", step.command);
}

#[test]
fn the_first_hour_is_as_it_is_written() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("docs/tour.md")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("seeds")).unwrap();
    std::fs::copy(root.join("seeds/feeds.txt"), dir.path().join("seeds/feeds.txt")).unwrap();
    let mut environment: BTreeMap<String, String> = BTreeMap::new();
    let steps = steps(&text);
    assert!(steps.len() > 15, "{} commands", steps.len());
    for step in &steps {
        let words = words(&step.command);
        match words[0].as_str() {
            "export" => {
                let (name, value) = words[1].split_once('=').expect("a variable");
                environment.insert(name.to_owned(), value.to_owned());
            }
            "crawler" => {
                let mut command = Command::new(binary());
                for (name, _) in std::env::vars_os() {
                    if name.to_string_lossy().starts_with("CRAWLER_") {
                        command.env_remove(name);
                    }
                }
                command.args(&words[1..]).envs(&environment).current_dir(dir.path());
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let ended = end(command.spawn().unwrap());
                same(step, &format!("{}\n{}", ended.out, ended.err));
            }
            other => panic!("the tour has a command `{other}`"),
        }
    }
}

//! `crawler log`: who decided what, and when.

use anyhow::Result;

use crate::model::Day;
use crate::query::{LogLine, LogQuery, Question};
use crate::store::decision::Topic;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    /// First day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// Only decisions of this token or user
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    #[arg(long, value_name = "WHAT", help = format!("Only decisions about: {}", topics()))]
    what: Option<Topic>,
    /// At most this many; 0 = all
    #[arg(long, default_value_t = 0)]
    limit: usize,
}

/// What there are decisions about.
fn topics() -> String {
    Topic::ALL.map(Topic::name).join(", ")
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let Args { from, to, who, what, limit } = args;
    super::in_order(from, to)?;
    let query = LogQuery { from, to, who, what, after: None, limit };
    let lines: Vec<LogLine> = context.ask(Question::Log(query))?;
    if context.json() {
        return print::json(&lines);
    }
    let mut table = print::table(&["when", "who", "known by", "what", "decision"]);
    for line in &lines {
        let cells = vec![
            print::instant(Some(line.at)),
            if line.who.is_empty() { "–".into() } else { line.who.clone() },
            line.via.name().to_owned(),
            line.what.name().to_owned(),
            line.decision.clone(),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    println!("{}", print::many(lines.len() as u64, "decision"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_name_every_topic() {
        let door = include_str!("../../docs/door.md");
        assert!(door.contains(&format!("# {}\n", topics())), "docs/door.md lacks: {}", topics());
    }
}

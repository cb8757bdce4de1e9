//! `crawler brands` and `crawler recount`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Subcommand;

use crate::config;
use crate::crawl::orders::brands::{Edit, Recount, listed};
use crate::mention::brands::Shared;
use crate::mention::{self, Lexicon};
use crate::model::*;
use crate::query::{Brands, Estimate, EstimateQuery, Question};
use crate::serve::order::Order;
use crate::store::decision::Recounted;

use super::context::Context;
use super::print;

mod review;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// The watched brands (the default)
    List,
    /// Brand sets that were in use, and what each changed
    Versions,
    /// Watch a brand; one that is watched already is matched as said here, and no longer by what is left out.
    /// Stored texts are matched again
    Add(Add),
    /// Estimate from the search index how many stored articles name a brand
    Estimate(Named),
    /// Replace the watched brands by a list: TOML with [[brand]], or one name per line; says who is new, and who is
    /// no longer watched
    Import {
        file: PathBuf,
        /// Show what would change
        #[arg(long)]
        dry_run: bool,
    },
    /// Stop watching brands
    Rm {
        #[arg(required = true)]
        names: Vec<String>,
        /// Show what would change
        #[arg(long)]
        dry_run: bool,
    },
    /// Answer which mentions of a name mean the brand; a model learns from it and decides about the others
    Review(review::Args),
    /// Match a text against the watched brands, as the body of an article with a paragraph a line; or show the forms
    /// that a brand is matched by
    Test {
        /// Text to match [default: standard input]
        text: Option<String>,
        /// Use the brands of this file instead of the watched ones
        #[arg(long)]
        brands: Option<PathBuf>,
        /// Language of the text (two letters)
        #[arg(long, value_parser = language_code)]
        language: Option<String>,
        /// List every form that a brand is matched by
        #[arg(long)]
        forms: bool,
    },
}

/// A brand, and how it is matched.
#[derive(clap::Args)]
struct Named {
    name: String,
    /// Another name; may be repeated
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// Phrase that cancels an overlapping match; may be repeated
    #[arg(long, value_name = "PHRASE")]
    exclude: Vec<String>,
    /// How letter case matters: smart, exact, any
    #[arg(long, default_value = "smart", value_parser = case_rule)]
    case: CaseRule,
    /// Also match inside words
    #[arg(long)]
    part_of_word: bool,
    /// Only in articles of this language; may be repeated
    #[arg(long, value_name = "LANG")]
    language: Vec<String>,
    /// Only if this word is near the name, or in the article; may be repeated
    #[arg(long, value_name = "WORD")]
    require: Vec<String>,
    /// How near, in words; 0 = anywhere in the article
    #[arg(long, default_value_t = 0)]
    within: u32,
    /// Accept the case endings of this language; may be repeated
    #[arg(long, value_name = "LANG")]
    inflect: Vec<String>,
    /// The brand's own outlet (registered domain); may be repeated
    #[arg(long, value_name = "DOMAIN")]
    outlet: Vec<String>,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    named: Named,
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
}

impl Named {
    fn brand(self) -> Brand {
        Brand {
            // As in a list: a pasted name brings blanks.
            name: self.name.trim().to_owned(),
            aliases: self.alias,
            exclude: self.exclude,
            case: self.case,
            whole_word: !self.part_of_word,
            languages: self.language,
            require: self.require,
            within: self.within,
            inflect: self.inflect,
            outlets: self.outlet,
        }
    }
}

fn case_rule(text: &str) -> Result<CaseRule, String> {
    match text {
        "smart" => Ok(CaseRule::Smart),
        "exact" => Ok(CaseRule::Exact),
        "any" => Ok(CaseRule::Any),
        _ => Err("use smart, exact or any".to_owned()),
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let (edit, dry_run) = match args.action.unwrap_or(Action::List) {
        Action::List => return list(context),
        Action::Versions => return versions(context),
        Action::Review(args) => return review::run(args, context),
        Action::Test { text, brands, language, forms } => {
            return test(context, text, brands, language, forms);
        }
        Action::Estimate(named) => return estimate(context, named.brand()),
        Action::Add(add) => (Edit::Add(vec![add.named.brand()]), add.dry_run),
        Action::Import { file, dry_run } => (Edit::Replace(read(&file)?), dry_run),
        Action::Rm { names, dry_run } => (Edit::Remove(names), dry_run),
    };
    change(context, edit, dry_run)
}

fn estimate(context: &Context, brand: Brand) -> Result<()> {
    let query = EstimateQuery { brand, from: None, to: None };
    let estimate: Estimate = context.ask_one(Question::Estimate(query))?;
    if context.json() {
        return print::json(&estimate);
    }
    let all = print::many(estimate.articles, "article");
    println!(
        "{}: about {all} on {}",
        estimate.brand,
        print::many(estimate.days.len() as u64, "day")
    );
    for words in &estimate.left_out {
        println!("  {words}");
    }
    super::search::told(&estimate.state);
    println!("`crawler brands add … --dry-run` shows the exact counts");
    Ok(())
}

#[derive(clap::Args)]
pub(super) struct RecountArgs {
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn recount(args: RecountArgs, context: &Context) -> Result<()> {
    change(context, Edit::Keep, args.dry_run)
}

/// Reads a brand list, a file `*.toml` as TOML whatever it holds; errors name file, line or brand.
pub(super) fn read(file: &std::path::Path) -> Result<Vec<Brand>> {
    let text = config::text(file, "brand list")?;
    let is_toml = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let read = if is_toml { mention::brands::read_toml } else { mention::brands::read };
    read(&text).map_err(|e| anyhow::anyhow!("{}: {e}", file.display()))
}

fn change(context: &Context, edit: Edit, dry_run: bool) -> Result<()> {
    // Other edits name what they change themselves.
    let told = dry_run || matches!(edit, Edit::Replace(_));
    let answer: Recount = context.ask_one(Order::Brands { edit, dry_run, instead_of: None })?;
    if context.json() {
        return print::json(&answer);
    }
    if !answer.changes.is_empty() {
        let mut table = print::table(&["brand", "day", "before", "after", "articles"]);
        for change in &answer.changes {
            let cells = vec![
                change.brand.clone(),
                change.day.to_string(),
                change.before.to_string(),
                change.after.to_string(),
                match (change.articles_before, change.articles_after) {
                    (before, after) if before != after => format!("{before} → {after}"),
                    (_, same) if change.before == change.after => {
                        format!("{same}, counted otherwise")
                    }
                    (_, same) => same.to_string(),
                },
            ];
            print::row(&mut table, cells);
        }
        print::show(table);
    }
    let (matched, changed) =
        if answer.dry_run { ("would match", "change") } else { ("matched", "changed") };
    let names = [("no longer watched", &answer.no_longer_watched), ("new", &answer.new)];
    let names = names.into_iter().filter(|(_, names)| told && !names.is_empty());
    let names: Vec<String> = names
        .map(|(what, names)| {
            // A comma may be a part of a name.
            let quoted: Vec<String> = names
                .iter()
                .map(|name| if name.contains(',') { format!("`{name}`") } else { name.clone() })
                .collect();
            format!("{what}: {}", listed(quoted.iter().map(String::as_str)))
        })
        .collect();
    if !names.is_empty() {
        println!("{}", names.join("; "));
    }
    if !answer.alerts.is_empty() {
        println!(
            "alerts on brands that are no longer watched, which are quiet about them: {}",
            answer.alerts.join(", ")
        );
    }
    for lost in &answer.dropped {
        let parts = [
            ("matched by", &lost.aliases),
            ("excluded:", &lost.exclude),
            ("all its values of", &lost.keys),
        ];
        let said = parts.into_iter().filter(|(_, words)| !words.is_empty());
        let said = said.map(|(how, words)| format!("no longer {how} {}", words.join(", ")));
        println!("{}: {}", lost.brand, said.collect::<Vec<_>>().join("; "));
    }
    tell_shared(&answer.shared);
    println!(
        "{matched} {} again and {changed} {} (brand set {})",
        print::many(answer.articles, "article"),
        print::many(answer.changes.len() as u64, "count"),
        answer.version
    );
    if answer.without_text > 0 {
        println!(
            "kept without text: {} of them, with the counts of brands that stay; new names cannot be found \
             there",
            print::number(answer.without_text)
        );
    }
    Ok(())
}

/// Says which names count for several brands at once.
fn tell_shared(names: &[Shared]) {
    for Shared { name, brands } in names {
        let brands = listed(brands.iter().map(String::as_str));
        println!("`{name}` is a name of several brands, and counts for each: {brands}");
    }
}

fn list(context: &Context) -> Result<()> {
    let set: Brands = context.ask_one(Question::Brands)?;
    if context.json() {
        return print::json(&set);
    }
    let mut table = print::table(&["brand", "aliases", "not", "needs", "watched since"]);
    for brand in &set.brands {
        let cells = vec![
            brand.name.clone(),
            brand.aliases.join(", "),
            brand.exclude.join(", "),
            brand.require.join(", "),
            print::instant(set.since.get(&brand.name).copied()),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    for (brand, known) in &set.senses {
        println!("{brand}: {}", review::said(known));
    }
    tell_shared(&set.shared);
    println!("{}, set {}", print::many(set.brands.len() as u64, "brand"), set.version);
    Ok(())
}

fn versions(context: &Context) -> Result<()> {
    let sets: Vec<Recounted> = context.ask(Question::BrandSets)?;
    if context.json() {
        return print::json(&sets);
    }
    let mut table = print::table(&["since", "brand set", "counts changed of"]);
    for set in &sets {
        let changed = set.changed.iter().map(|(brand, days)| {
            let days = days.iter().map(|(from, to)| match from == to {
                true => from.to_string(),
                false => format!("{from} to {to}"),
            });
            format!("{brand} ({})", days.collect::<Vec<_>>().join(", "))
        });
        let changed = changed.collect::<Vec<_>>().join("; ");
        print::row(&mut table, vec![print::instant(Some(set.at)), set.version.clone(), changed]);
    }
    print::show(table);
    Ok(())
}

fn test(
    context: &Context,
    text: Option<String>,
    file: Option<PathBuf>,
    language: Option<String>,
    forms: bool,
) -> Result<()> {
    let (brands, senses) = match file {
        Some(file) => (read(&file)?, BTreeMap::new()),
        None => (
            context.ask_one::<Brands>(Question::Brands)?.brands,
            context.ask_one::<BTreeMap<String, Sense>>(Question::Senses)?,
        ),
    };
    let lexicon = Lexicon::build(&brands)?.taught(&senses);
    if forms {
        let forms: Vec<_> =
            brands.iter().map(|brand| (brand.name.as_str(), mention::forms(brand))).collect();
        if context.json() {
            let line = |(brand, forms)| serde_json::json!({ "brand": brand, "forms": forms });
            return print::json(&forms.into_iter().map(line).collect::<Vec<_>>());
        }
        for (brand, forms) in &forms {
            println!("{brand}: {}", forms.join(", "));
        }
        return Ok(());
    }
    let text = match text {
        Some(text) => text,
        None => std::io::read_to_string(std::io::stdin()).context("cannot read standard input")?,
    };
    let found = mention::mentions(&lexicon, &as_article(text, language), "");
    if context.json() {
        return print::json(&found);
    }
    if !found.is_empty() {
        let mut table = print::table(&["line", "bytes", "brand", "as", "zone", "counts"]);
        for mention in &found {
            let cells = vec![
                mention.block.map_or(1, |block| block + 1).to_string(),
                format!("{}..{}", mention.start, mention.end),
                mention.brand.clone(),
                mention.matched.clone(),
                print::word(&mention.zone),
                if mention.zone.counted() { "yes" } else { "no" }.to_owned(),
            ];
            print::row(&mut table, cells);
        }
        print::show(table);
    }
    let counted = found.iter().filter(|mention| mention.zone.counted()).count();
    println!(
        "{}: {counted} counted, {} suppressed",
        print::many(found.len() as u64, "mention"),
        found.len() - counted
    );
    Ok(())
}

/// A text as the body of an article, one paragraph a line.
fn as_article(text: String, language: Option<String>) -> Article {
    let block =
        |line: &str| Block { text: line.to_string(), label: Label::Paragraph, probability: 1.0 };
    Article {
        language: language.map(|value| Found { value, source: Source::Visible }),
        blocks: text.lines().map(block).collect(),
        text,
        ..Article::default()
    }
}

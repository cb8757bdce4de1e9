//! News as people read it: plain text for chats and mails, HTML for feeds and mails. Titles and names come
//! from anywhere; nothing in them is markup here, calls anybody or changes the direction of the rest.
//!
//! Must not know: who reads it.

use super::News;
use crate::model::{Cited, disguises, escaped};

/// Text for chat services. What they take for markup stands as a character that looks alike.
pub fn text(news: News<'_>) -> String {
    let event = news.event;
    let mut text = vec![format!("{}: {}", harmless(&news.rule.name), harmless(&event.sentence))];
    text.extend(event.details.iter().map(|line| harmless(line)));
    for Cited { title, outlet, url, .. } in &event.articles {
        let line = format!("• {} ({outlet})", or_untitled(title));
        text.push(format!("{} {}", harmless(&line), address(url)).trim_end().to_owned());
    }
    text.join("\n")
}

/// What a mail is about, in a line.
pub fn subject(news: News<'_>) -> String {
    format!("{}: {}", plain(&news.rule.name), plain(&news.event.sentence))
}

/// A whole page for mails: nothing in it is loaded from anywhere.
pub fn page(news: News<'_>) -> String {
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{}</title></head><body>\n{}</body></html>\n",
        markup(&subject(news)),
        html(news)
    )
}

/// The same as HTML, without anything around it.
pub fn html(news: News<'_>) -> String {
    let event = news.event;
    let mut out = format!("<p><strong>{}</strong></p>\n", markup(&event.sentence));
    for line in &event.details {
        out += &format!("<p>{}</p>\n", markup(line));
    }
    if !event.articles.is_empty() {
        out += "<ul>\n";
        for Cited { title, outlet, url, day, .. } in &event.articles {
            let title = format!("<bdi>{}</bdi>", markup(or_untitled(title)));
            let link = match address(url) {
                url if url.is_empty() => title,
                url => {
                    format!("<a rel=\"noopener noreferrer\" href=\"{}\">{title}</a>", markup(&url))
                }
            };
            out += &format!("<li>{link} ({}, {day})</li>\n", markup(outlet));
        }
        out += "</ul>\n";
    }
    out
}

fn or_untitled(title: &str) -> &str {
    if title.trim().is_empty() { "(no title)" } else { title }
}

/// One line: what would end it, hide in it or turn it round becomes a space or nothing.
pub fn plain(text: &str) -> String {
    let shown = text.chars().filter_map(|c| match c {
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}') => {
            Some(' ')
        }
        c if disguises(c)
            || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{feff}') =>
        {
            None
        }
        c => Some(c),
    });
    let shown: String = shown.collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One line without what Slack's mrkdwn or Markdown act upon: links, mentions of people, emphasis, images.
pub fn harmless(text: &str) -> String {
    let alike = |c: char| match c {
        '<' => '‹',
        '>' => '›',
        '[' => '［',
        ']' => '］',
        '@' => '＠',
        '*' => '∗',
        '_' => '＿',
        '~' => '∼',
        '`' => '‘',
        '|' => '∣',
        '#' => '＃',
        '&' => '＆',
        '\\' => '＼',
        c => c,
    };
    plain(text).replace("://", ":／／").chars().map(alike).collect()
}

/// An address that leads to the web and ends where it ends; else nothing.
fn address(url: &str) -> String {
    let Ok(url) = url::Url::parse(url) else { return String::new() };
    if !["http", "https"].contains(&url.scheme()) {
        return String::new();
    }
    let mut out = String::new();
    for c in url.as_str().chars() {
        match c {
            '<' | '>' | '"' | '\'' | '`' | '|' | '*' | '(' | ')' | '[' | ']' | '\\' | '^' | '{'
            | '}' => {
                out += &format!("%{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// As [`plain`], between tags and in attributes.
pub fn markup(text: &str) -> String {
    escaped(&plain(text))
}

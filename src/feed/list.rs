//! Lists of feeds that a person wrote or exported: one URL a line with `#` comments, a table, or OPML.
//!
//! Must not know: the store; whether a URL is a feed shows when it is polled.

use url::Url;

use super::opml;
use super::table::Table;

/// One line that names a feed, or fails to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub line_no: usize,
    /// An absolute http(s) URL as written, or what is wrong with the line.
    pub url: Result<String, String>,
    /// The comment above the line's block, or its OPML folder.
    pub group: Option<String>,
}

/// Longest URL, characters.
const LONGEST: usize = 2_048;

/// Reads a list; told by its content which kind it is. A comment line names the group of the lines
/// that follow it, a lone `#` ends the group; a line that was made a comment (`# https://…`) does neither.
pub fn parse(text: &str) -> Vec<Line> {
    let text = text.trim_start_matches('\u{FEFF}');
    if opml::is_opml(text) {
        let mut lines: Vec<Line> = opml::parse(text)
            .into_iter()
            .map(|o| Line { line_no: o.line, url: check(&o.url), group: o.group })
            .collect();
        if !opml::is_whole(text) {
            let cut = "the document ends before </opml>: feeds may be missing".to_owned();
            lines.push(Line { line_no: text.lines().count(), url: Err(cut), group: None });
        }
        return lines;
    }
    let mut lines = Vec::new();
    let (mut group, mut table, mut begun) = (None, None::<Table>, false);
    // Some programs end lines by CR alone.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (n, whole) in text.lines().enumerate() {
        let line = whole.trim();
        // A row may begin with an empty cell, or with a number behind a `#`.
        if let Some(table) = table {
            let url = table.feed(whole);
            if !url.is_empty() {
                lines.push(Line { line_no: n + 1, url: check(&url), group: group.clone() });
            }
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            let first = comment.trim_start_matches(['#', ' ', '\t']).split([' ', '\t']).next();
            if first.is_some_and(|word| word.contains("://")) {
                continue;
            }
            let name: String = comment.trim_matches(['#', ' ', '\t']).chars().take(200).collect();
            group = Some(name).filter(|name| !name.is_empty());
            continue;
        }
        if line.is_empty() {
            continue;
        }
        if !std::mem::replace(&mut begun, true) {
            table = Table::of(whole);
            if table.is_some() {
                continue;
            }
        }
        // A comment behind the URL; a `#` inside it is its fragment.
        let url = line.split_once([' ', '\t']).map_or(line, |(url, rest)| {
            if rest.trim_start().starts_with('#') { url } else { line }
        });
        lines.push(Line { line_no: n + 1, url: check(url), group: group.clone() });
    }
    lines
}

fn check(written: &str) -> Result<String, String> {
    let written = written.trim();
    let shown: String = without_secrets(written).chars().take(80).collect();
    if written.chars().count() > LONGEST {
        return Err(format!("`{shown}…` is longer than {LONGEST} characters"));
    }
    if written.contains(char::is_whitespace) {
        return Err(format!("`{shown}` has a space in it; write one URL a line"));
    }
    // `feed:` was once a way to subscribe.
    let address = match written.strip_prefix("feed:") {
        Some(rest) if rest.starts_with("//") => format!("https:{rest}"),
        Some(rest) => rest.to_owned(),
        None => written.to_owned(),
    };
    let url = match Url::parse(&address) {
        Ok(url) => url,
        Err(e) => {
            return Err(match meant(written) {
                Some(url) => format!("`{shown}` is not a URL; write {url}"),
                None => format!("`{shown}` is not a URL: {e}"),
            });
        }
    };
    if !url.username().is_empty() || url.password().is_some() {
        // No secret in messages and logs.
        let mut open = url.clone();
        let _ = (open.set_username(""), open.set_password(None));
        return Err(format!(
            "{open} has a user name or password before its host: none is ever sent"
        ));
    }
    match (url.scheme(), url.host_str()) {
        ("http" | "https", Some(_)) => Ok(address),
        ("http" | "https", None) => Err(format!("`{shown}` names no host")),
        (scheme, _) => Err(format!("`{shown}`: only http and https are fetched, not {scheme}")),
    }
}

/// What people write around a URL.
const AROUND: [char; 8] = ['"', '\'', '`', '<', '>', '(', ')', ','];

/// The URL that somebody meant who wrote quotes or brackets around it, or left its scheme out.
fn meant(written: &str) -> Option<Url> {
    let bare = written.trim_matches(AROUND);
    let url = match Url::parse(bare) {
        Ok(url) => url,
        Err(_) => Url::parse(&format!("https://{}", bare.trim_start_matches('/'))).ok()?,
    };
    let web = matches!(url.scheme(), "http" | "https");
    let named = url.host_str().is_some_and(|host| host.trim_matches('.').contains('.'));
    let open = url.username().is_empty() && url.password().is_none();
    (web && named && open).then_some(url)
}

/// A line for messages and logs: without what stands before an `@` where a host may.
fn without_secrets(line: &str) -> String {
    // The address of a mailbox is no secret.
    if line.starts_with("mailto:") {
        return line.to_owned();
    }
    // A password may have blanks, but what begins like a URL behind one is another.
    let mut urls: Vec<String> = Vec::new();
    for word in line.split_inclusive(char::is_whitespace) {
        match urls.last_mut() {
            Some(last) if host(word) == 0 => last.push_str(word),
            _ => urls.push(word.to_owned()),
        }
    }
    let shown = urls.iter().map(|url| {
        let (before, rest) = url.split_at(host(url));
        // Behind a colon it may be a password, which a slash does not end, nor an `@`.
        let until = match rest.rsplit_once('@') {
            Some((user, _)) if user.contains(':') => rest.len(),
            _ => rest.find(['/', '?', '#']).unwrap_or(rest.len()),
        };
        let open = rest[..until].rfind('@').map_or(rest, |at| &rest[at + 1..]);
        [before, open].concat()
    });
    shown.collect()
}

/// Where the host may begin: behind `https://` or `//`. 0: it does not begin like a URL.
fn host(text: &str) -> usize {
    let Some((before, _)) = text.split_once("//") else { return 0 };
    let scheme = before.trim_start_matches(AROUND);
    let named = |scheme: &str| scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '+');
    let begins = scheme.is_empty() || scheme.strip_suffix(':').is_some_and(named);
    if begins { before.len() + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines were said to need what made nonsense of them.
    #[test]
    fn advice() {
        let check = |line: &str, expect: Result<&str, &str>| {
            let [found] = &parse(line)[..] else { panic!("{line}") };
            let found = found.url.as_deref().map_err(String::as_str);
            assert_eq!(found, expect);
        };
        let write = |line: &str, url: &str| {
            check(line, Err(&format!("`{line}` is not a URL; write {url}")));
        };
        write("//a.example/x", "https://a.example/x");
        write("\"https://a.example/q\"", "https://a.example/q");
        write("<https://a.example/q>,", "https://a.example/q");
        write("'a.example/q'", "https://a.example/q");
        write("www.a.example", "https://www.a.example/");
        check("nothing.", Err("`nothing.` is not a URL: relative URL without a base"));
        check(
            "https://a.example:99999/",
            Err("`https://a.example:99999/` is not a URL: invalid port number"),
        );
        check("https://a.example/f,", Ok("https://a.example/f,"));
        // They were dropped without a word.
        let refused =
            "https://a.example/f has a user name or password before its host: none is ever sent";
        for line in [
            "https://ann:secret@a.example/f",
            "https://ann@a.example/f",
            "https://:secret@a.example/f",
        ] {
            check(line, Err(refused));
        }
        // They were printed, secrets and all.
        let no_base = "is not a URL: relative URL without a base";
        check(
            "\"https://:secret@a.example/q\"",
            Err(&format!("`\"https://a.example/q\"` {no_base}")),
        );
        check("//ann:secret@a.example", Err(&format!("`//a.example` {no_base}")));
        check("<https://ann:s/e@a.example/q>", Err(&format!("`<https://a.example/q>` {no_base}")));
        check(
            "https://ann:secret@b.example/f x https://c.example/@ann",
            Err(
                "`https://b.example/f x https://c.example/@ann` has a space in it; write one URL a line",
            ),
        );
        for line in ["https://ann:se cret@b.example/f", "https://ann:12/3 4@b.example/f"] {
            check(line, Err("`https://b.example/f` has a space in it; write one URL a line"));
        }
        check(
            "https://b.example:80/f x https://ann:secret@c.example/",
            Err(
                "`https://b.example:80/f x https://c.example/` has a space in it; write one URL a line",
            ),
        );
        check(
            "ann:se//cret@a.example/f",
            Err("`a.example/f`: only http and https are fetched, not ann"),
        );
        check(
            "ann:secret@a.example/f",
            Err("`a.example/f`: only http and https are fetched, not ann"),
        );
        let port = "`https://a.example/f` is not a URL: invalid port number";
        for secret in ["s/ecret", "s//ecret", "s/e@cret"] {
            check(&format!("https://ann:{secret}@a.example/f"), Err(port));
        }
        // Parts of them were, still.
        for secret in ["12/34", "12//34", "1?2#3@4"] {
            check(
                &format!("\"https://ann:{secret}@a.example/q\""),
                Err(&format!("`\"https://a.example/q\"` {no_base}")),
            );
        }
        let [long] = &parse(&format!("https://ann:{}@a.example/", "s".repeat(3_000)))[..] else {
            panic!()
        };
        let error = long.url.clone().unwrap_err();
        assert_eq!(error, "`https://a.example/…` is longer than 2048 characters");
    }

    /// The rest of the row became a part of the URL; a list whose lines end by CR was one line.
    #[test]
    fn tables_and_old_ends_of_lines() {
        let check = |text: &str, expect: &[(usize, &str)]| {
            let lines = parse(text);
            let found: Vec<_> =
                lines.iter().map(|l| (l.line_no, l.url.as_deref().unwrap_or("!"))).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        let both = [(2, "https://a.example/rss"), (3, "https://b.example/rss")];
        check(
            "url,name\nhttps://a.example/rss,A\n\"https://b.example/rss\",\"B, the paper\"\n",
            &both,
        );
        check("name;feed\r\nA;https://a.example/rss\r\nB;https://b.example/rss", &both);
        check("# all\rhttps://a.example/rss\rhttps://b.example/rss\r", &both);
        check("url,name\nnothing,A\n,B\n", &[(2, "!")]);
        check("site\tfeed\nA\thttps://a.example/rss\n\thttps://b.example/rss", &both);
        check("rank,feed\n#1,https://a.example/rss\n2,https://b.example/rss", &both);
        check("https://a.example/1,2.xml\nurl,name", &[(1, "https://a.example/1,2.xml"), (2, "!")]);
    }

    /// A line that somebody had made a comment became the group of those below.
    #[test]
    fn a_line_made_a_comment_is_no_group() {
        let text = "# Germany\nhttps://g.example/1\n# https://g.example/2\n#http://g.example/4 # main\nhttps://g.example/3\n";
        let lines = parse(text);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.group.as_deref() == Some("Germany")), "{lines:?}");
    }

    #[test]
    fn lines() {
        let text = "\u{FEFF}# Feeds\r\n\r\n# Austria · German\r\nhttps://a.example/rss # main\r\n\
            feed://b.example/f\nexample.com/rss\nftp://c.example/\nnews\nhttps://d.example/a b\n\
            https:///\n#\nhttp://e.example/#x\n";
        let shown: Vec<String> = parse(text)
            .into_iter()
            .map(|l| {
                let group = l.group.unwrap_or_default();
                format!("{} [{group}] {}", l.line_no, l.url.unwrap_or_else(|e| format!("! {e}")))
            })
            .collect();
        assert_eq!(
            shown,
            [
                "4 [Austria · German] https://a.example/rss",
                "5 [Austria · German] https://b.example/f",
                "6 [Austria · German] ! `example.com/rss` is not a URL; write https://example.com/rss",
                "7 [Austria · German] ! `ftp://c.example/`: only http and https are fetched, not ftp",
                "8 [Austria · German] ! `news` is not a URL: relative URL without a base",
                "9 [Austria · German] ! `https://d.example/a b` has a space in it; write one URL a line",
                "10 [Austria · German] ! `https:///` is not a URL: empty host",
                "12 [] http://e.example/#x",
            ]
        );
    }

    #[test]
    fn outlines() {
        let found = parse("<opml><body><outline text='G'><outline xmlUrl='bad'/></outline>");
        assert_eq!(found[0].group.as_deref(), Some("G"));
        assert!(found[0].url.is_err());
        let cut = Err("the document ends before </opml>: feeds may be missing".to_owned());
        assert_eq!((found[1].line_no, &found[1].url), (1, &cut));
        let whole = parse("<opml><body><outline xmlUrl='https://a.example/f'/></body></OPML>\n");
        assert_eq!(whole.len(), 1);
        assert!(parse("<opml><body></body></opml>").is_empty());
    }

    #[test]
    fn shipped_seeds_are_clean() {
        let lines = parse(include_str!("../../seeds/feeds.txt"));
        assert!(lines.len() >= 300, "{}", lines.len());
        for line in &lines {
            assert!(line.url.is_ok() && line.group.is_some(), "{line:?}");
        }
        let mut urls: Vec<_> = lines.iter().filter_map(|l| l.url.as_ref().ok()).collect();
        urls.sort_unstable();
        urls.dedup();
        assert_eq!(urls.len(), lines.len(), "a feed is listed twice");
    }
}

//! Tables of feeds, as spreadsheets save them (RFC 4180, also with semicolons or tabs): the first line names the columns.
//!
//! Must not know: what a URL is, what is done with the feeds.

use csv::{ReaderBuilder, StringRecord, Trim};

/// Names of columns that hold feeds, without blanks and marks, the surest first.
const NAMES: [&str; 10] =
    ["feedurl", "rssurl", "xmlurl", "feedlink", "rsslink", "rssfeed", "feed", "rss", "url", "link"];

/// The column of feeds of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    separator: u8,
    column: usize,
}

impl Table {
    /// Reads the line that names the columns; `None`: it is none, since it names no column of feeds, or has a URL in it.
    pub fn of(line: &str) -> Option<Table> {
        let separator = *b",;\t".iter().find(|separator| line.as_bytes().contains(separator))?;
        if line.contains("://") {
            return None;
        }
        let plain = |name: &str| -> String {
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let names: Vec<String> = cells(line, separator).iter().map(plain).collect();
        let column = NAMES.iter().find_map(|known| names.iter().position(|name| name == known))?;
        Some(Table { separator, column })
    }

    /// What a line has in the column of feeds; empty: nothing.
    pub fn feed(&self, line: &str) -> String {
        cells(line, self.separator).get(self.column).unwrap_or_default().to_owned()
    }
}

/// The cells of a line.
fn cells(line: &str, separator: u8) -> StringRecord {
    let mut reader = ReaderBuilder::new();
    let reader = reader.has_headers(false).delimiter(separator).trim(Trim::All);
    reader.from_reader(line.as_bytes()).records().next().and_then(Result::ok).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tables() {
        let check = |head: &str, line: &str, expect: Option<&str>| {
            let feed = Table::of(head).map(|table| table.feed(line));
            assert_eq!(feed.as_deref(), expect, "{head} {line}");
        };
        let url = Some("https://a.example/rss");
        check("url,name,country", "https://a.example/rss,A,DE", url);
        check("Name;Feed URL", "\"A; B \"\"C\"\"\";https://a.example/rss", url);
        check("site\trss", "https://a.example/\thttps://a.example/rss", url);
        check("Site URL,xmlUrl", "https://a.example/,\"https://a.example/rss\"", url);
        check("url,name", "\"https://a.example/1,2\",A", Some("https://a.example/1,2"));
        check("Feed name,URL", "A,https://a.example/rss", url);
        check("name,url", "A", Some(""));
        // Lists of URLs, and sentences.
        check("https://a.example/1,2.xml", "", None);
        check("news, sports", "", None);
        check("url", "", None);
        check("", "", None);
    }
}

//! Tables of feeds, as spreadsheets save them (RFC 4180, also with semicolons or tabs): the first line names the columns.
//!
//! Must not know: what a URL is, what is done with the feeds.

/// What the names of columns have in them that hold feeds, the surest first.
const NAMES: [&str; 4] = ["feed", "rss", "xmlurl", "url"];

/// The column of feeds of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    separator: char,
    column: usize,
}

impl Table {
    /// Reads the line that names the columns; `None`: it is none, since it names no column of feeds, or has a URL in it.
    pub fn of(line: &str) -> Option<Table> {
        let separator = [',', ';', '\t'].into_iter().find(|separator| line.contains(*separator))?;
        if line.contains("://") {
            return None;
        }
        let names: Vec<String> =
            cells(line, separator).iter().map(|name| name.to_ascii_lowercase()).collect();
        let column =
            NAMES.iter().find_map(|known| names.iter().position(|name| name.contains(known)))?;
        Some(Table { separator, column })
    }

    /// What a line has in the column of feeds; empty: nothing.
    pub fn feed(&self, line: &str) -> String {
        cells(line, self.separator).into_iter().nth(self.column).unwrap_or_default()
    }
}

/// The cells of a line; in quotes a separator separates nothing, and two quotes are one.
fn cells(line: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            c if c == separator && !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
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
        check("name,url", "A", Some(""));
        // Lists of URLs, and sentences.
        check("https://a.example/1,2.xml", "", None);
        check("news, sports", "", None);
        check("url", "", None);
        check("", "", None);
    }
}

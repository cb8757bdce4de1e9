//! Reads a language's file: `export default { "name": "text", "name": { one: "…", other: "…" } };`, which is a
//! script of the dashboard, too.
//!
//! Must not know: which languages there are.

use std::collections::BTreeMap;

/// A sentence as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Plain(String),
    /// By its number `n`.
    Counted {
        one: String,
        other: String,
    },
}

/// All sentences of a file by name.
///
/// # Errors
/// It is written in another way, or has a name twice; the rest of the file from there on.
pub(super) fn file(script: &str) -> Result<BTreeMap<String, Text>, String> {
    let mut at = Cursor(script);
    while at.takes("//") {
        at.0 = at.0.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let mut texts = BTreeMap::new();
    at.must("export default")?;
    at.must("{")?;
    while !at.takes("}") {
        let name = at.string()?;
        at.must(":")?;
        let text = at.text()?;
        if texts.insert(name, text).is_some() {
            return Err(at.rest());
        }
        if !at.takes(",") {
            at.must("}")?;
            break;
        }
    }
    Ok(texts)
}

/// What is left of a file.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn rest(&self) -> String {
        self.0.chars().take(60).collect()
    }

    fn takes(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(token) {
            Some(rest) => self.0 = rest,
            None => return false,
        }
        true
    }

    fn must(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) { Ok(()) } else { Err(self.rest()) }
    }

    /// A string in double quotes, as JSON has them.
    fn string(&mut self) -> Result<String, String> {
        let mut values = serde_json::Deserializer::from_str(self.0).into_iter::<String>();
        let Some(Ok(text)) = values.next() else { return Err(self.rest()) };
        self.0 = self.0.get(values.byte_offset()..).unwrap_or_default();
        Ok(text)
    }

    fn text(&mut self) -> Result<Text, String> {
        if !self.takes("{") {
            return self.string().map(Text::Plain);
        }
        self.must("one:")?;
        let one = self.string()?;
        self.must(",")?;
        self.must("other:")?;
        let other = self.string()?;
        self.must("}")?;
        Ok(Text::Counted { one, other })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_or_says_where_it_cannot_be() {
        let read = file(
            "// About.\n\nexport default {\n \"a.b\": \"x \\\"y\\\"\", \"c\": { one: \"1\", other: \"{n}\" },\n};\n",
        );
        let counted = Text::Counted { one: "1".into(), other: "{n}".into() };
        let expect = [("a.b".into(), Text::Plain("x \"y\"".into())), ("c".into(), counted)];
        assert_eq!(read, Ok(BTreeMap::from(expect)));
        for (wrong, place) in [
            ("", ""),
            ("export default { a: \"b\" };", "a: "),
            ("export default { \"a\": 1 };", "1 }"),
            ("export default { \"a\": \"b\", \"a\": \"c\" };", ""),
            ("export default { \"a\": { one: \"b\" } };", "} }"),
            ("export default { \"a\": \"b\" \"c\": \"d\" };", "\"c\""),
        ] {
            let said = file(wrong).unwrap_err();
            assert!(said.contains(place), "{wrong}: {said}");
        }
    }
}

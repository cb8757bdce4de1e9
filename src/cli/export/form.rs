//! Rows of a table as bytes.
//!
//! Must not know: where rows come from and where bytes go.

use std::io::{BufWriter, Write};

use anyhow::Result;
use serde_json::Value;

use crate::cli::plain;
use crate::query::{Column, Kind, Table};

use super::{Rows, parquet};

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Jsonl,
    Csv,
    Parquet,
}

impl Form {
    /// The ending of file names.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Jsonl => "jsonl",
            Form::Csv => "csv",
            Form::Parquet => "parquet",
        }
    }

    /// Writes the rows of a table in this format.
    pub(super) fn rows<'a>(
        self,
        table: Table,
        out: &'a mut (dyn Write + Send),
    ) -> Result<Box<dyn Rows + 'a>> {
        Ok(match self {
            Form::Jsonl => Box::new(Jsonl(BufWriter::new(out))),
            Form::Csv => {
                let mut csv = csv::Writer::from_writer(out);
                csv.write_record(table.columns().iter().map(|column| column.name))?;
                Box::new(Csv { csv, columns: table.columns() })
            }
            Form::Parquet => Box::new(parquet::Groups::new(table, out)?),
        })
    }
}

struct Jsonl<W: Write>(BufWriter<W>);

impl<W: Write> Rows for Jsonl<W> {
    fn put(&mut self, row: &Value) -> Result<()> {
        serde_json::to_writer(&mut self.0, row)?;
        Ok(self.0.write_all(b"\n")?)
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        Ok(self.0.flush()?)
    }
}

struct Csv<W: Write> {
    csv: csv::Writer<W>,
    columns: &'static [Column],
}

impl<W: Write> Rows for Csv<W> {
    fn put(&mut self, row: &Value) -> Result<()> {
        Ok(self.csv.write_record(self.columns.iter().map(|column| cell(column, row)))?)
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        Ok(self.csv.flush()?)
    }
}

/// The text of a cell.
fn cell(column: &Column, row: &Value) -> String {
    let value = &row[column.name];
    let text = match (column.kind, value) {
        (_, Value::Null) => return String::new(),
        (Kind::Names, Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
        }
        (_, Value::String(text)) => text.clone(),
        (_, value) => return value.to_string(),
    };
    plain::cell(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(form: Form, table: Table, rows: &[Value]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = form.rows(table, &mut out).unwrap();
        for row in rows {
            writer.put(row).unwrap();
        }
        writer.end().unwrap();
        out
    }

    #[test]
    fn no_cell_is_a_formula_and_no_text_is_lost() {
        let column = Column { name: "x", kind: Kind::Text, empty: true, about: "" };
        let names = Column { name: "x", kind: Kind::Names, empty: false, about: "" };
        let number = Column { name: "x", kind: Kind::Number, empty: false, about: "" };
        for (column, value, expect) in [
            (&column, json!("=HYPERLINK(\"http://a.test\")"), "'=HYPERLINK(\"http://a.test\")"),
            (&column, json!("@SUM(A1)"), "'@SUM(A1)"),
            (&column, json!("+1 to go"), "'+1 to go"),
            (&column, json!("\tx"), "'\tx"),
            (&column, json!("\n=1"), "'\n=1"),
            (&column, json!("＝1"), "'＝1"),
            (&column, json!("a = b"), "a = b"),
            (&column, json!(null), ""),
            (&names, json!(["A. Weir", "B. Lock"]), "A. Weir; B. Lock"),
            (&names, json!(["-A"]), "'-A"),
            (&names, json!([]), ""),
            (&number, json!(-3), "-3"),
        ] {
            assert_eq!(cell(column, &json!({ "x": value })), expect);
        }
    }

    #[test]
    fn a_table_is_written_in_the_order_of_its_columns() {
        let row = json!({
            "brand": "Acme, \"Ltd\"", "day": "2026-11-20", "counted": 2, "suppressed": 0,
            "outlet": "a.test", "story": null, "url": "http://a.test/\n", "article": "07",
            "language": "en", "original": true, "backlog": false, "own": false, "stuffed": false,
        });
        let csv =
            String::from_utf8(written(Form::Csv, Table::Mentions, std::slice::from_ref(&row)))
                .unwrap();
        assert_eq!(
            csv,
            "day,brand,counted,suppressed,outlet,story,url,article,language,original,backlog,own,\
             stuffed\n2026-11-20,\"Acme, \"\"Ltd\"\"\",2,0,a.test,,\"http://a.test/\n\",07,en,true,\
             false,false,false\n"
        );
        let lines =
            String::from_utf8(written(Form::Jsonl, Table::Mentions, std::slice::from_ref(&row)))
                .unwrap();
        assert_eq!(serde_json::from_str::<Value>(&lines).unwrap(), row);
    }
}

//! Rows as a Parquet file (the format's own row groups and column chunks; no Arrow in between). A row
//! group holds a bounded number of rows and bytes, so a file of any size takes the same memory.
//!
//! Must not know: where rows come from and where bytes go.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use crate::model::Day;
use crate::query::{Column, Kind, SCHEMA, Table};

use super::Rows;

/// Rows and bytes of values after which a row group is written.
const GROUP_ROWS: usize = 10_000;
const GROUP_BYTES: usize = 16 << 20;

/// A file under way.
pub(super) struct Groups<W: Write + Send> {
    file: SerializedFileWriter<W>,
    table: Table,
    rows: Vec<Value>,
    /// Bytes of the texts among them.
    bytes: usize,
}

impl<W: Write + Send> Groups<W> {
    pub(super) fn new(table: Table, out: W) -> Result<Groups<W>> {
        let schema = Arc::new(parse_message_type(&message(table))?);
        let noted = |name: &str, value: String| KeyValue::new(name.to_owned(), value);
        let properties = WriterProperties::builder()
            .set_created_by(concat!("crawler ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_key_value_metadata(Some(vec![
                noted("crawler.schema", SCHEMA.to_string()),
                noted("crawler.table", table.name().to_owned()),
            ]));
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties.build()))?;
        Ok(Groups { file, table, rows: Vec::new(), bytes: 0 })
    }

    fn flush(&mut self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for column in self.table.columns() {
            let writer = group.next_column()?;
            let mut writer = writer.with_context(|| format!("no column {}", column.name))?;
            write(&mut writer, column, &self.rows)
                .with_context(|| format!("column {} of {}", column.name, self.table.name()))?;
            writer.close()?;
        }
        group.close()?;
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}

impl<W: Write + Send> Rows for Groups<W> {
    fn put(&mut self, row: &Value) -> Result<()> {
        let texts = self.table.columns().iter().filter_map(|column| row[column.name].as_str());
        self.bytes += texts.map(str::len).sum::<usize>();
        self.rows.push(row.clone());
        if self.rows.len() >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        self.flush()?;
        self.file.close()?;
        Ok(())
    }
}

/// The schema in the format's own words.
fn message(table: Table) -> String {
    let mut message = format!("message {} {{\n", table.name());
    for column in table.columns() {
        let need = if column.empty { "OPTIONAL" } else { "REQUIRED" };
        let name = column.name;
        message += &match column.kind {
            Kind::Text | Kind::Counts => format!("{need} BYTE_ARRAY {name} (STRING);\n"),
            Kind::Number => format!("{need} INT64 {name};\n"),
            Kind::Share => format!("{need} DOUBLE {name};\n"),
            Kind::Flag => format!("{need} BOOLEAN {name};\n"),
            Kind::Day => format!("{need} INT32 {name} (DATE);\n"),
            Kind::Instant => format!("{need} INT64 {name} (TIMESTAMP(MILLIS,true));\n"),
            Kind::Names => format!(
                "{need} group {name} (LIST) {{ REPEATED group list {{ REQUIRED BYTE_ARRAY element \
                 (STRING); }} }}\n"
            ),
        };
    }
    message + "}"
}

/// One column of all rows.
fn write(writer: &mut SerializedColumnWriter<'_>, column: &Column, rows: &[Value]) -> Result<()> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(ByteArray::from(text.clone().into_bytes())),
        Value::Null => None,
        value => Some(ByteArray::from(value.to_string().into_bytes())),
    };
    match column.kind {
        Kind::Text | Kind::Counts => flat::<ByteArrayType>(writer, column, rows, text),
        Kind::Number => flat::<Int64Type>(writer, column, rows, Value::as_i64),
        Kind::Share => flat::<DoubleType>(writer, column, rows, Value::as_f64),
        Kind::Flag => flat::<BoolType>(writer, column, rows, Value::as_bool),
        Kind::Day => flat::<Int32Type>(writer, column, rows, |value| {
            let day: Day = value.as_str()?.parse().ok()?;
            // Days since 1970-01-01.
            day.since(jiff::civil::date(1970, 1, 1)).ok().map(|span| span.get_days())
        }),
        Kind::Instant => flat::<Int64Type>(writer, column, rows, |value| {
            value.as_str()?.parse::<jiff::Timestamp>().ok().map(|at| at.as_millisecond())
        }),
        Kind::Names => names(writer, column, rows),
    }
}

/// Values of a column that is no list; definition level 1 where an optional one has a value.
fn flat<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    column: &Column,
    rows: &[Value],
    of: impl Fn(&Value) -> Option<T::T>,
) -> Result<()> {
    let mut values = Vec::with_capacity(rows.len());
    let mut levels = Vec::with_capacity(rows.len());
    for row in rows {
        let value = of(&row[column.name]);
        levels.push(i16::from(value.is_some()));
        match value {
            Some(value) => values.push(value),
            None if column.empty => {}
            None => return Err(anyhow!("`{}` is no {}", row[column.name], column.kind.name())),
        }
    }
    writer.typed::<T>().write_batch(&values, column.empty.then_some(&levels), None)?;
    Ok(())
}

/// Values of a list of texts: definition level 0 for an empty list, 1 for an element; repetition level 0
/// for the first of a row, 1 for the others.
fn names(writer: &mut SerializedColumnWriter<'_>, column: &Column, rows: &[Value]) -> Result<()> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let list = row[column.name].as_array().map_or(&[][..], Vec::as_slice);
        for (at, name) in list.iter().enumerate() {
            let name = name.as_str().unwrap_or_default();
            values.push(ByteArray::from(name.as_bytes().to_vec()));
            defined.push(1);
            repeated.push(i16::from(at > 0));
        }
        if list.is_empty() {
            defined.push(0);
            repeated.push(0);
        }
    }
    let writer = writer.typed::<ByteArrayType>();
    writer.write_batch(&values, Some(&defined), Some(&repeated))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::json;

    use super::*;

    /// A field as JSON; days and instants as their numbers.
    fn value(field: &Field) -> Value {
        match field {
            Field::Null => Value::Null,
            Field::Bool(flag) => json!(flag),
            Field::Long(number) | Field::TimestampMillis(number) => json!(number),
            Field::Double(number) => json!(number),
            Field::Date(day) => json!(day),
            Field::Str(text) => json!(text),
            Field::ListInternal(list) => list.elements().iter().map(value).collect(),
            other => panic!("{other:?}"),
        }
    }

    /// The rows as the format's own reader sees them.
    fn read(table: Table, rows: &[Value]) -> Vec<Value> {
        let mut bytes = Vec::new();
        let mut writer = Box::new(Groups::new(table, &mut bytes).unwrap());
        for row in rows {
            writer.put(row).unwrap();
        }
        writer.end().unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), rows.len() as i64);
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| {
            let row = row.unwrap();
            let columns = row.get_column_iter();
            columns.map(|(name, field)| (name.clone(), value(field))).collect()
        })
        .collect()
    }

    #[test]
    fn every_table_has_a_schema_of_the_format() {
        for table in Table::ALL {
            assert_eq!(read(table, &[]), Vec::<Value>::new(), "{}", table.name());
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let article = |key: &str, authors: &[&str], title: Value| {
            json!({
                "key": key, "url": "http://a.test/1", "final_url": "http://a.test/1",
                "outlet": "a.test", "text": "Straße\n日本 <b>\0", "title": title, "authors": authors,
                "published": "2026-11-20", "day": "2026-11-20", "language": null, "story": null,
                "original": true, "charset": "UTF-8", "model": "m", "memory": null,
                "first_seen": "2026-11-20T08:00:00.25Z", "backlog": false,
                "sighting": "open", "agencies": ["AFP"],
            })
        };
        // More rows than one group holds.
        let mut rows = vec![
            article("1", &[], json!(null)),
            article("2", &["A", "B"], json!("=T")),
            article("3", &["C"], json!("")),
        ];
        rows.extend((4..GROUP_ROWS + 10).map(|n| article(&n.to_string(), &["D"], json!("t"))));
        let back = read(Table::Articles, &rows);
        assert_eq!(back.len(), rows.len());
        for (row, back) in rows.iter().zip(&back) {
            for name in ["key", "text", "title", "authors", "language", "original"] {
                assert_eq!(row[name], back[name], "{name}");
            }
        }
        assert_eq!(back[0]["day"], 20777);
        assert_eq!(back[0]["first_seen"], 1_795_161_600_250_i64);
        let tally = json!({
            "day": "1969-12-31", "brand": "Acme", "stories": 1, "articles": 2, "copies": 1,
            "mentions": -3, "suppressed": 0, "backlog": 0, "own": 0, "late": 0, "coverage": 0.5,
            "provisional": true, "incomplete": true, "revised": false,
        });
        let back = read(Table::Tallies, std::slice::from_ref(&tally));
        assert_eq!((&back[0]["mentions"], &back[0]["coverage"]), (&json!(-3), &json!(0.5)));
        assert_eq!(back[0]["day"], -1);
    }

    #[test]
    fn a_value_of_another_kind_is_an_error_that_names_the_column() {
        let mut writer = Box::new(Groups::new(Table::Coverage, Vec::new()).unwrap());
        writer.put(&json!({ "day": "soon" })).unwrap();
        let error = format!("{:#}", writer.end().unwrap_err());
        assert!(error.contains("column day of coverage") && error.contains("soon"), "{error}");
    }
}

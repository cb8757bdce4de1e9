//! The filter: one request a line on standard input, one answer a line on standard output. Memory is
//! bounded by the longest line, whatever stands in it.
//!
//! Must not know: what is asked, how it is answered.

use std::io::{BufRead, Read, Write};

use anyhow::{Context as _, Result};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::config::Config;

use super::super::plain;
use super::request::{self, LINE, Request};
use super::{Topic, requested};

pub(super) fn filter(topic: Topic, config: &Config) -> Result<()> {
    let mut input = std::io::stdin().lock();
    let mut out = std::io::BufWriter::new(plain::output());
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(LINE).read_until(b'\n', &mut line);
        if read.context("cannot read standard input")? == 0 {
            return Ok(());
        }
        let whole = line.ends_with(b"\n") || (line.len() as u64) < LINE;
        if !whole {
            input.skip_until(b'\n').context("cannot read standard input")?;
        }
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if text.trim_ascii().is_empty() {
            continue;
        }
        let (id, answered) = if whole {
            reply(topic, text, config)
        } else {
            let error = format!("a request line is longer than {LINE} bytes");
            (request::id(text), Err(error))
        };
        write(&mut out, id.as_deref(), answered)?;
        out.flush()?;
    }
}

type Id = Option<Box<RawValue>>;

/// The answer to one line, with the request's id whenever one can be read.
fn reply(topic: Topic, line: &[u8], config: &Config) -> (Id, Result<Map<String, Value>, String>) {
    match Request::parse(line) {
        Ok(mut request) => {
            let answer = requested(topic, &request, config);
            let answer = answer.map(super::Answer::whole).map_err(|e| format!("{e:#}"));
            (request.id.take(), answer)
        }
        Err(error) => (request::id(line), Err(format!("not a request: {error}"))),
    }
}

/// Writes an answer; the id comes back as it was written.
fn write(
    out: &mut impl Write,
    id: Option<&RawValue>,
    answered: Result<Map<String, Value>, String>,
) -> Result<()> {
    let fields = answered.unwrap_or_else(|error| Map::from_iter([("error".into(), error.into())]));
    write!(out, "{{\"id\":{}", id.map_or("null", RawValue::get))?;
    for (name, value) in &fields {
        out.write_all(b",")?;
        serde_json::to_writer(&mut *out, name)?;
        out.write_all(b":")?;
        serde_json::to_writer(&mut *out, value)?;
    }
    Ok(out.write_all(b"}\n")?)
}

//! JSON of others → values, as many as there is room for: what is beyond is read past, not kept. A
//! tree of a megabyte of `[0],` would take a hundred times its text else.
//!
//! Must not know: what the values mean.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};

/// What may still be kept. A value takes some hundred bytes at most beside its text, a text at most
/// its own length.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Values: objects and lists count as one beside what they hold.
    pub values: usize,
    /// Bytes of one text; longer ones are cut.
    pub text: usize,
}

/// Reads one document. What there is no room for is left out of lists and objects.
///
/// # Errors
/// It is no JSON, goes on behind its value, or nests deeper than 128 levels where it is kept.
pub fn read(text: &str, room: &mut Room) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Bounded(room).deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads a value into a room, wherever one stands in a larger document.
pub struct Bounded<'r>(pub &'r mut Room);

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        if self.0.values == 0 {
            return reader.deserialize_ignored_any(IgnoredAny).map(|_| Value::Null);
        }
        self.0.values -= 1;
        reader.deserialize_any(self)
    }
}

impl Bounded<'_> {
    fn cut(&self, text: &str) -> String {
        text[..text.floor_char_boundary(self.0.text)].to_owned()
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(self.cut(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while self.0.values > 0 {
            match list.next_element_seed(Bounded(self.0))? {
                Some(value) => items.push(value),
                None => return Ok(Value::Array(items)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while self.0.values > 0 {
            match object.next_key_seed(Bounded(self.0))? {
                // As elsewhere, the last of a name wins.
                Some(Value::String(name)) if self.0.values > 0 => {
                    members.insert(name, object.next_value_seed(Bounded(self.0))?);
                }
                Some(Value::String(_)) => {
                    object.next_value::<IgnoredAny>()?;
                }
                Some(_) => return Err(A::Error::custom("a name that is no text")),
                None => return Ok(Value::Object(members)),
            }
        }
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
            Value::Object(o) => 1 + o.values().map(|v| 1 + count(v)).sum::<usize>(),
            _ => 1,
        }
    }

    #[test]
    fn what_has_no_room_is_read_past() {
        let check = |text: &str, values: usize, expect: Result<&str, ()>| {
            let got = read(text, &mut Room { values, text: 4 });
            let got = got.map(|v| v.to_string()).map_err(|_| ());
            assert_eq!(got, expect.map(str::to_owned), "{text}");
        };
        check("[1,[2,3],4]", 9, Ok("[1,[2,3],4]"));
        check("[1,[2,3],4]", 4, Ok("[1,[2]]"));
        check("[1,[2,3],4", 4, Err(()));
        check(r#"{"a":1,"b":{"c":2}}"#, 3, Ok(r#"{"a":1}"#));
        check(r#"{"a":1,"a":2.5}"#, 9, Ok(r#"{"a":2.5}"#));
        check("\"aé\\u00e9é\"", 1, Ok("\"aé\""));
        check("[null,true,-1,1e999]", 9, Err(()));
        check("7 8", 9, Err(()));
        let deep = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
        check(&deep, 1, Ok("[]"));
        check(&deep, 1_000, Err(()));
    }

    proptest! {
        #[test]
        fn with_room_enough_it_is_the_value(text in "[\\[\\]{}\":,0-9a-z.\\\\ -]{0,40}", values in 0..20usize) {
            let whole = serde_json::from_str::<Value>(&text).ok();
            let all = read(&text, &mut Room { values: 1_000, text: 1_000 }).ok();
            prop_assert_eq!(&all, &whole);
            let some = read(&text, &mut Room { values, text: 1_000 }).ok();
            prop_assert!(some.iter().all(|v| count(v) <= values.max(1)));
        }
    }
}

//! JSON → values that borrow their texts where nothing in them is escaped, as many as there is room for: what is
//! beyond is read past, not kept.
//!
//! Must not know: what the values mean.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::RandomState;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Number;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'t> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'t, str>),
    Array(Vec<Value<'t>>),
    Object(Object<'t>),
}

impl<'t> Value<'t> {
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&Object<'t>> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// Members in their order, each name once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object<'t>(Vec<(Cow<'t, str>, Value<'t>)>);

impl<'t> Object<'t> {
    /// Of one name, the last wins, at the place of the first.
    fn new(members: Vec<(Cow<'t, str>, Value<'t>)>) -> Object<'t> {
        /// So few are compared one by one.
        const FEW: usize = 32;
        let repeats = |at: usize| {
            let (before, from) = members.split_at(at);
            before.iter().any(|(name, _)| *name == from[0].0)
        };
        if members.len() <= FEW && !(1..members.len()).any(repeats) {
            return Object(members);
        }
        let mut places: HashMap<Cow<'t, str>, usize, RandomState> = HashMap::default();
        let mut kept: Vec<(Cow<'t, str>, Value<'t>)> = Vec::with_capacity(members.len());
        for (name, value) in members {
            match places.get(&name).and_then(|&at| kept.get_mut(at)) {
                Some(first) => first.1 = value,
                None => {
                    places.insert(name.clone(), kept.len());
                    kept.push((name, value));
                }
            }
        }
        Object(kept)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value<'t>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value<'t>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }
}

/// Reads one document. What there is no room for is left out of lists and objects; a value takes one of
/// `room`, the name of a member another.
///
/// # Errors
/// It is no JSON, goes on behind its value, or nests deeper than 128 levels where it is kept.
pub(super) fn read<'t>(text: &'t str, room: &mut usize) -> serde_json::Result<Value<'t>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Bounded { room, open: &mut Open::default() }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// As [`read`], whatever stands behind the first value.
///
/// # Errors
/// As [`read`].
pub(super) fn read_first<'t>(text: &'t str, room: &mut usize) -> serde_json::Result<Value<'t>> {
    Bounded { room, open: &mut Open::default() }
        .deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// What was read of lists and objects that have not ended: moved into a place of its own when its number is known.
#[derive(Default)]
struct Open<'t> {
    items: Vec<Value<'t>>,
    members: Vec<(Cow<'t, str>, Value<'t>)>,
}

struct Bounded<'r, 't> {
    room: &'r mut usize,
    open: &'r mut Open<'t>,
}

impl<'t> Bounded<'_, 't> {
    /// The same for what is within.
    fn inner(&mut self) -> Bounded<'_, 't> {
        Bounded { room: self.room, open: self.open }
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_, 'de> {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value<'de>, D::Error> {
        if *self.room == 0 {
            return reader.deserialize_ignored_any(IgnoredAny).map(|_| Value::Null);
        }
        *self.room -= 1;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_, 'de> {
    type Value = Value<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'de>, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value<'de>, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value<'de>, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value<'de>, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::String(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::String(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Value<'de>, A::Error> {
        let from = self.open.items.len();
        let mut ended = false;
        while *self.room > 0 && !ended {
            match list.next_element_seed(self.inner())? {
                Some(value) => self.open.items.push(value),
                None => ended = true,
            }
        }
        while !ended {
            ended = list.next_element::<IgnoredAny>()?.is_none();
        }
        Ok(Value::Array(self.open.items.drain(from..).collect()))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Value<'de>, A::Error> {
        let from = self.open.members.len();
        let mut ended = false;
        while *self.room > 0 && !ended {
            match object.next_key_seed(self.inner())? {
                Some(Value::String(name)) if *self.room > 0 => {
                    let value = object.next_value_seed(self.inner())?;
                    self.open.members.push((name, value));
                }
                Some(Value::String(_)) => {
                    object.next_value::<IgnoredAny>()?;
                }
                Some(_) => return Err(A::Error::custom("a name that is no text")),
                None => ended = true,
            }
        }
        while !ended {
            ended = object.next_entry::<IgnoredAny, IgnoredAny>()?.is_none();
        }
        Ok(Value::Object(Object::new(self.open.members.drain(from..).collect())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::json::{self, Room};

    fn plain(value: &Value) -> serde_json::Value {
        match value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(number) => number.clone().into(),
            Value::String(text) => text.as_ref().into(),
            Value::Array(items) => items.iter().map(plain).collect(),
            Value::Object(object) => {
                let members = object.iter().map(|(name, value)| (name.to_owned(), plain(value)));
                serde_json::Value::Object(members.collect())
            }
        }
    }

    #[test]
    fn the_last_of_a_name_wins() {
        let many: String = (0..40).map(|n| format!(r#""k{}":{n},"#, n % 35)).collect();
        for text in [r#"{"a":1,"b":2,"a":3}"#, &format!(r#"{{{many}"a":1}}"#)] {
            let value = read(text, &mut 1_000).unwrap();
            let expect = json::read(text, &mut Room { values: 1_000, text: 1_000 }).unwrap();
            assert_eq!(plain(&value).to_string(), expect.to_string());
        }
    }

    proptest! {
        /// As the reader that copies every text.
        #[test]
        fn values_are_those_of_the_document(
            text in "[\\[\\]{}\":,a-c0-2\\\\n ]{0,60}|(\\{\"[a-c]\":|\"[a-c\\\\\\\\n]{0,3}\"|[0-9.e-]{1,4}|[\\]\\[{},:]){0,20}",
            values in 0usize..12,
        ) {
            let (mut room, mut expect_room) = (values, Room { values, text: 1_000 });
            let value = read(&text, &mut room).map(|value| plain(&value).to_string()).ok();
            let expect = json::read(&text, &mut expect_room).map(|value| value.to_string()).ok();
            prop_assert_eq!(value, expect);
            prop_assert_eq!(room, expect_room.values);
        }
    }
}

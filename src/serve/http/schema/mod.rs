//! The shapes of all answers, as data, in a small notation: `string`, `Name` (another schema),
//! `[T]` (list), `{T}` (object of T), `T?` (or null). A test holds real answers against them.
//!
//! Must not know: endpoints.

mod alerts;
mod answers;
mod notes;
mod orders;
mod scalars;
mod search;
mod senses;
mod words;

use serde_json::{Map, Value, json};

use words::WORDS;

/// Name, type and meaning of a field.
type Field = (&'static str, &'static str, &'static str);

/// All objects, of all rooms.
fn objects() -> impl Iterator<Item = &'static (&'static str, &'static [Field])> {
    let rooms = [
        answers::OBJECTS,
        orders::OBJECTS,
        alerts::OBJECTS,
        notes::OBJECTS,
        search::OBJECTS,
        senses::OBJECTS,
    ];
    rooms.into_iter().flatten()
}

/// All schemas by name.
pub(super) fn all() -> Map<String, Value> {
    let mut schemas = Map::new();
    for (name, fields) in objects() {
        schemas.insert(name.to_string(), object(fields));
    }
    // What one gives of a brand: all but its name has a default.
    for (name, required) in [("BrandGiven", json!([])), ("BrandListed", json!(["name"]))] {
        let mut given = schemas["Brand"].clone();
        given["required"] = required;
        schemas.insert(name.into(), given);
    }
    let day = named("Day");
    let run = json!({
        "type": "array",
        "description": "First and last day",
        "prefixItems": [day, day],
        "minItems": 2,
        "maxItems": 2,
    });
    schemas.insert("DayRun".into(), run);
    for (name, words) in WORDS {
        schemas.insert(name.to_string(), json!({ "type": "string", "enum": words }));
    }
    for (name, schema) in scalars::all() {
        schemas.insert(name.into(), schema);
    }
    // Both at once would be two orders.
    schemas["VoiceGiven"]["not"] = json!({
        "properties": { "outlet": { "type": "string" }, "learn": { "const": true } },
        "required": ["outlet", "learn"],
    });
    let nearest = json!({
        "type": "array",
        "description": "Key and similarity, 0 to 1",
        "prefixItems": [named("UrlKey"), { "type": "number" }],
        "minItems": 2,
        "maxItems": 2,
    });
    schemas.insert("Nearest".into(), nearest);
    let text = json!({ "type": "string" });
    let change = json!({
        "type": "object",
        "description": "What became of a sentence",
        "properties": {
            "same": text,
            "added": text,
            "removed": text,
            "edited": {
                "type": "object",
                "properties": { "was": text, "is": text },
                "required": ["was", "is"],
            },
        },
        "minProperties": 1,
        "maxProperties": 1,
    });
    schemas.insert("SentenceChange".into(), change);
    let said = json!({
        "type": "object",
        "description": "A sentence by its name, which stays, and its values: numbers, texts, or clauses \
            that follow each other",
        "properties": {
            "name": text,
            "values": {
                "type": "object",
                "additionalProperties": { "anyOf": [
                    { "type": "integer" },
                    text,
                    { "type": "array", "items": named("Said") },
                ] },
            },
        },
        "required": ["name", "values"],
        "additionalProperties": false,
    });
    schemas.insert("Said".into(), said);
    schemas
}

/// The schema of this name, by reference.
pub(super) fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// An object with these fields and no others.
fn object(fields: &[Field]) -> Value {
    let property = |(field, kind, about): &Field| {
        let mut schema = notation(kind);
        schema["description"] = json!(about);
        (field.trim_end_matches('?').to_owned(), schema)
    };
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required = fields.iter().map(|(field, _, _)| *field).filter(|field| !field.ends_with('?'));
    json!({
        "type": "object",
        "properties": properties,
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

fn notation(kind: &str) -> Value {
    if let Some(inner) = kind.strip_suffix('?') {
        return json!({ "anyOf": [notation(inner), { "type": "null" }] });
    }
    if let Some(inner) = kind.strip_prefix('[').and_then(|k| k.strip_suffix(']')) {
        return json!({ "type": "array", "items": notation(inner) });
    }
    if let Some(inner) = kind.strip_prefix('{').and_then(|k| k.strip_suffix('}')) {
        return json!({ "type": "object", "additionalProperties": notation(inner) });
    }
    match kind {
        "string" | "integer" | "number" | "boolean" | "object" => json!({ "type": kind }),
        name => named(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_for_two_shapes() {
        let mut names: Vec<&str> = objects().map(|(name, _)| *name).collect();
        names.extend(WORDS.iter().map(|(name, _)| *name));
        names.extend(scalars::all().iter().map(|(name, _)| *name));
        let all = all();
        for (name, fields) in objects().map(|(name, fields)| (*name, fields.len())) {
            let properties = all[name]["properties"].as_object().map(Map::len);
            assert_eq!(properties, Some(fields), "{name}");
        }
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}

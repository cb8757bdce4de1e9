//! Just enough JSON Schema to hold an answer against the OpenAPI document.

use serde_json::Value;

/// Panics with the place and the reason if `value` is not what `schema` says.
pub fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = document.pointer(name.trim_start_matches('#'));
        return check(document, target.unwrap_or_else(|| panic!("{name} is missing")), value, at);
    }
    if let Some(options) = schema["anyOf"].as_array() {
        // The one of its kind; else `X or null`.
        let kind = match value {
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            _ => "",
        };
        let option = options.iter().find(|option| option["type"] == kind);
        let option = option.unwrap_or(&options[usize::from(value.is_null())]);
        return check(document, option, value, at);
    }
    let fits = match schema["type"].as_str().unwrap_or_else(|| panic!("{at}: no type")) {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{at}: unknown type {other}"),
    };
    assert!(fits, "{at}: {value} is not {schema}");
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{at}: {value} is not one of {words:?}");
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        let schema = schema["prefixItems"].get(i).unwrap_or(&schema["items"]);
        check(document, schema, item, &format!("{at}[{i}]"));
    }
    let free = schema["properties"].is_null() && schema["additionalProperties"].is_null();
    for (name, item) in value.as_object().into_iter().flatten().filter(|_| !free) {
        let schema = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
        assert!(schema.is_object(), "{at}.{name} is not in the document");
        check(document, schema, item, &format!("{at}.{name}"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: {name} is missing");
    }
}

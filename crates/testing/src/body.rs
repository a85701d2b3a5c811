//! Objects as a client sends them: text that says what it is.

use serde::Serialize;
use sprag_rest::{ApiError, Result};
use sprag_value::{Value, json, to_value};

/// The type of an object, as far as the client knows.
pub(crate) struct Type<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
}

/// The text of an object: a string is JSON text already, every other value is encoded.
pub(crate) fn text(object: &(impl Serialize + ?Sized)) -> Result<String> {
    match to_value(object).map_err(ApiError::internal)? {
        Value::String(text) => Ok(text.as_str().to_owned()),
        value => Ok(json::to_string(&value)),
    }
}

/// The same with `apiVersion` and `kind` where it says neither. The rest of the text is left as it is, since decoding looks at
/// repeated keys, too.
pub(crate) fn typed_text(object: &(impl Serialize + ?Sized), ty: &Type<'_>) -> Result<String> {
    let text = text(object)?;
    let Ok(Value::Object(members)) = json::parse(text.as_bytes()) else { return Ok(text) };
    let Some((before, after)) = text.split_once('{') else { return Ok(text) };
    let wanted = [("apiVersion", ty.api_version), ("kind", ty.kind)];
    let missing = wanted.iter().filter(|(name, _)| members.get(name).is_none());
    let mut added: Vec<String> = missing.map(|(name, value)| format!("{name:?}:{value:?}")).collect();
    if !members.is_empty() {
        added.push(String::new());
    }
    Ok(format!("{before}{{{}{after}", added.join(",").trim_start_matches(',')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(object: &(impl Serialize + ?Sized), expected: &str) {
        assert_eq!(typed_text(object, &Type { api_version: "g/v1", kind: "K" }).unwrap(), expected);
    }

    #[test]
    fn text_says_what_it_is() {
        check("{}", r#"{"apiVersion":"g/v1","kind":"K"}"#);
        check(r#" {"a":1,"a":2}"#, r#" {"apiVersion":"g/v1","kind":"K","a":1,"a":2}"#);
        check(r#"{"kind":"L"}"#, r#"{"apiVersion":"g/v1","kind":"L"}"#);
        check(r#"{"apiVersion":"h/v1","kind":"L"}"#, r#"{"apiVersion":"h/v1","kind":"L"}"#);
    }

    #[test]
    fn text_that_is_no_object_is_left_alone() {
        check("[{}]", "[{}]");
        check("{", "{");
    }

    #[test]
    fn values_are_encoded() {
        check(&[("a", 1)].into_iter().collect::<Value>(), r#"{"apiVersion":"g/v1","kind":"K","a":1}"#);
    }
}

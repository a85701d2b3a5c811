//! `enum`: the values a value may be, compared as Go's reflection compares them.

use sprag_field::{BadValue, Error, Path};
use sprag_value::{Text, Value, json};

use crate::number::go_int;

/// The allowed values.
#[derive(Debug)]
pub(crate) struct Enumeration {
    /// Sorted.
    texts: Box<[Text]>,
    /// Sorted.
    integers: Box<[i64]>,
    /// Everything else.
    others: Box<[Value]>,
    /// All of them as messages list them, in the order of the schema.
    listed: Box<str>,
}

impl Enumeration {
    /// Nothing when there are no values: then all are allowed.
    pub(crate) fn compile(values: &[Value]) -> Option<Box<Self>> {
        if values.is_empty() {
            return None;
        }
        let mut texts = Vec::new();
        let mut integers = Vec::new();
        let mut others = Vec::new();
        for value in values {
            match value {
                Value::String(text) => texts.push(text.clone()),
                Value::Int(value) => integers.push(*value),
                Value::Null => {}
                other => others.push(other.clone()),
            }
        }
        texts.sort_unstable();
        integers.sort_unstable();
        let shown: Vec<Text> = values.iter().map(shown).collect();
        let listed = Error::not_supported(&Path::ROOT, BadValue::Nil, &shown).detail.into();
        Some(Box::new(Self { texts: texts.into(), integers: integers.into(), others: others.into(), listed }))
    }

    /// The error detail for a value outside the enum.
    pub(crate) fn listed(&self) -> &str {
        &self.listed
    }

    /// True if a value is one of these once it is converted to their type, as far as Go can convert it: floats lose
    /// their fraction to match an integer, an integer is the code point of a text. Null is never one of them.
    pub(crate) fn contains(&self, value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::String(text) => self.has_text(text),
            Value::Int(value) => {
                self.integers.binary_search(value).is_ok() || self.has_float(*value) || self.has_code_point(*value)
            }
            Value::Float(value) => {
                self.integers.binary_search(&go_int(*value)).is_ok() || self.others.contains(&Value::Float(*value))
            }
            other => self.others.contains(other),
        }
    }

    fn has_text(&self, text: &str) -> bool {
        self.texts.binary_search_by(|known| known.as_str().cmp(text)).is_ok()
    }

    fn has_float(&self, value: i64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "Go converts to the nearest float")]
        self.others.contains(&Value::Float(value as f64))
    }

    fn has_code_point(&self, value: i64) -> bool {
        if self.texts.is_empty() {
            return false;
        }
        let char = u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.has_text(char.encode_utf8(&mut [0; 4]))
    }
}

fn shown(value: &Value) -> Text {
    if let Value::String(text) = value { text.clone() } else { json::to_string(value).into() }
}

/// A value the way errors print it.
pub(crate) fn bad_value(value: &Value) -> BadValue {
    match value {
        Value::Null => BadValue::Nil,
        Value::Bool(value) => BadValue::Bool(*value),
        Value::Int(value) => BadValue::Int(*value),
        Value::Float(value) => BadValue::Float(*value),
        Value::String(text) => BadValue::Str(text.as_str().to_owned()),
        Value::Array(_) | Value::Object(_) => BadValue::Json(json::to_string(value)),
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::Value;

    use super::Enumeration;

    #[track_caller]
    fn check(values: &str, value: &str, expected: bool) {
        let parse = |text: &str| sprag_value::json::parse(text.as_bytes()).unwrap();
        let values: Value = parse(values);
        let enumeration = Enumeration::compile(values.as_array().unwrap()).unwrap();
        assert_eq!(enumeration.contains(&parse(value)), expected, "{value} in {values:?}");
    }

    #[test]
    fn numbers_are_converted_to_the_type_of_the_entry() {
        check("[1, 2]", "2", true);
        check("[1, 2]", "2.0", true);
        check("[1, 2]", "2.7", true);
        check("[1.0]", "1", true);
        check("[1.5]", "1", false);
        check("[1]", "true", false);
    }

    #[test]
    fn integers_are_code_points_of_texts() {
        check(r#"["A", "65"]"#, "65", true);
        check(r#"["65"]"#, "65", false);
        check(r#"["\ufffd"]"#, "-1", true);
    }

    #[test]
    fn null_is_never_listed() {
        check("[null]", "null", false);
        check("[null, 1]", "1", true);
        check(r#"[{"a": [1]}]"#, r#"{"a": [1]}"#, true);
        check(r#"[{"a": [1]}]"#, r#"{"a": [1.0]}"#, false);
    }
}

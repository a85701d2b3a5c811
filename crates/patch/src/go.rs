//! Values in the notation of Go's `fmt`, for messages that quote them.

use std::fmt;

use sprag_field::{BadValue, quote};
use sprag_value::Value;

/// Displays a value like Go's `%v`: `map[a:1 b:[x <nil>]]`.
pub(crate) struct Plain<'a>(pub(crate) &'a Value);

/// Displays a value like Go's `%s`, which is for texts: `[a %!s(int64=1)]`.
pub(crate) struct Text<'a>(pub(crate) &'a Value);

/// Displays a value like Go's `%#v`: `map[string]interface {}{"a":1}`.
pub(crate) struct Syntax<'a>(pub(crate) &'a Value);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("<nil>"),
            Value::Bool(value) => value.fmt(f),
            Value::Int(value) => value.fmt(f),
            Value::Float(value) => BadValue::from(*value).fmt(f),
            Value::String(text) => f.write_str(text),
            container => write_container(f, container, Plain),
        }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("%!s(<nil>)"),
            Value::String(text) => f.write_str(text),
            container @ (Value::Array(_) | Value::Object(_)) => write_container(f, container, Text),
            scalar => write!(f, "%!s({}={})", scalar.go_type(), Plain(scalar)),
        }
    }
}

/// Writes a list or map, and what is in it as `part` displays that.
fn write_container<'a, D: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    container: &'a Value,
    part: fn(&'a Value) -> D,
) -> fmt::Result {
    f.write_str(if container.as_object().is_some() { "map[" } else { "[" })?;
    for (at, element) in container.as_array().into_iter().flatten().enumerate() {
        separate(f, at, " ")?;
        part(element).fmt(f)?;
    }
    for (at, (key, value)) in container.as_object().into_iter().flatten().enumerate() {
        separate(f, at, " ")?;
        write!(f, "{key}:{}", part(value))?;
    }
    f.write_str("]")
}

impl fmt::Display for Syntax<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::String(text) => quote::go(text).fmt(f),
            Value::Null => f.write_str("interface {}(nil)"),
            Value::Array(elements) => {
                f.write_str("[]interface {}{")?;
                for (at, element) in elements.iter().enumerate() {
                    separate(f, at, ", ")?;
                    Self(element).fmt(f)?;
                }
                f.write_str("}")
            }
            Value::Object(members) => {
                f.write_str("map[string]interface {}{")?;
                for (at, (key, value)) in members.iter().enumerate() {
                    separate(f, at, ", ")?;
                    write!(f, "{}:{}", quote::go(key), Self(value))?;
                }
                f.write_str("}")
            }
            scalar => Plain(scalar).fmt(f),
        }
    }
}

fn separate(f: &mut fmt::Formatter<'_>, at: usize, separator: &str) -> fmt::Result {
    if at > 0 { f.write_str(separator) } else { Ok(()) }
}

/// Go's error for decoding a value that is not an object into a map.
pub(crate) fn no_map(value: &Value) -> String {
    let kind = match value {
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        other => other.kind(),
    };
    format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_go_prints_them() {
        let value = sprag_value::json::parse(br#"{"b":[1,"x",null,1.5,1e6],"a":{"c":true},"d":{}}"#).unwrap();
        assert_eq!(Plain(&value).to_string(), "map[a:map[c:true] b:[1 x <nil> 1.5 1e+06] d:map[]]");
        assert_eq!(
            Syntax(&value).to_string(),
            r#"map[string]interface {}{"a":map[string]interface {}{"c":true}, "b":[]interface {}{1, "x", interface {}(nil), 1.5, 1e+06}, "d":map[string]interface {}{}}"#
        );
    }
}

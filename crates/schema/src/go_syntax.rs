//! Values as Go's `%#v` prints them, which is how errors show them up to 1.33.

use std::fmt::Write as _;

use sprag_field::{BadValue, Error, quote};
use sprag_release::{Fact, Release};
use sprag_value::{Value, json};

/// Where a pointer points to, which nobody can rely on.
pub(crate) const ADDRESS: &str = "0xc000000000";

/// Gives errors about parts of objects the values that a release prints.
// As upstream's field.Error.ErrorBody.
pub(crate) fn convert<'e>(release: Release, errors: impl IntoIterator<Item = &'e mut Error>) {
    if release.has(Fact::PrintsValuesAsJson) {
        return;
    }
    for error in errors {
        match &error.value {
            BadValue::Nil => error.value = "null".into(),
            BadValue::Json(text) => {
                let Ok(value) = json::parse(text.as_bytes()) else { continue };
                let mut shown = String::new();
                write(&mut shown, &value);
                error.value = BadValue::Go(shown);
            }
            _ => {}
        }
    }
}

/// Writes a value that was decoded without a type.
pub(crate) fn write(out: &mut String, value: &Value) {
    let _ = match value {
        Value::Null => write!(out, "interface {{}}(nil)"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Float(value) => write!(out, "{}", BadValue::Float(*value)),
        Value::String(text) => write!(out, "{}", quote::go(text)),
        Value::Array(array) => {
            out.push_str("[]interface {}{");
            for (at, element) in array.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(out, element);
            }
            write!(out, "}}")
        }
        Value::Object(object) => {
            out.push_str("map[string]interface {}{");
            for (at, (key, member)) in object.iter().enumerate() {
                let _ = write!(out, "{}{}:", if at > 0 { ", " } else { "" }, quote::go(key));
                write(out, member);
            }
            write!(out, "}}")
        }
    };
}

#[cfg(test)]
mod tests {
    use sprag_field::{BadValue, Error, Path};
    use sprag_release::Release;

    use super::convert;

    #[track_caller]
    fn check(value: BadValue, expected: &str) {
        let mut error = Error::invalid(&Path::new("a"), value, "");
        convert(Release::V1_33, [&mut error]);
        assert_eq!(error.to_string(), format!("a: Invalid value: {expected}"));
    }

    #[test]
    fn values_print_as_go_source() {
        let json = |text: &str| BadValue::Json(text.to_owned());
        check(
            json(r#"{"a":1,"b":[true,null,"x\u0001"]}"#),
            r#"map[string]interface {}{"a":1, "b":[]interface {}{true, interface {}(nil), "x\x01"}}"#,
        );
        check(json("[1.5,1000000.0]"), "[]interface {}{1.5, 1e+06}");
        check(BadValue::Nil, r#""null""#);
        check("x".into(), r#""x""#);
    }
}

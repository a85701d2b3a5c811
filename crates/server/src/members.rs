//! Members of objects that no declared type describes: configuration files and claims of tokens.

use sprag_value::Value;

/// The string value of a member, or an empty string.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

//! The changes of an update, for messages about immutable fields.

use std::fmt::Write;

use sprag_value::{Value, json};

/// The members of an object that differ, each with the old value before the new one.
///
/// Upstream prints Go's own comparison of structs here, which promises no format.
pub(crate) fn changes(old: &Value, new: &Value) -> String {
    let mut text = String::new();
    let members =
        |value: &Value| value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    let mut names = members(old);
    names.extend(members(new));
    names.sort();
    names.dedup();
    for name in &names {
        let before = old.get(name);
        let after = new.get(name);
        if before == after {
            continue;
        }
        for (sign, value) in [('-', before), ('+', after)] {
            if let Some(value) = value {
                // Writing to a string does not fail.
                let _ = writeln!(text, "{sign} {}: {}", name.as_str(), json::to_string_plain(value));
            }
        }
    }
    text
}

//! Errors of a patch, with the texts of the reference.

use sprag_value::{Object, Value};

use crate::PatchError;
use crate::go::{Plain, Text};

/// The reference answers some of these as internal errors; here everything that a patch causes is a bad request.
pub(super) fn bad(text: impl Into<String>) -> PatchError {
    PatchError::BadRequest(text.into())
}

pub(super) fn format_of(list: &str) -> PatchError {
    bad(format!("invalid patch format of {list}"))
}

pub(super) fn lists_of_lists() -> PatchError {
    PatchError::Unprocessable("lists of lists are not supported".into())
}

pub(super) fn expected(ty: &str, got: &Value) -> PatchError {
    let got = match got.go_type() {
        "<nil>" => "%!s(<nil>)",
        name => name,
    };
    bad(format!("expected a {ty}, but received a {got}"))
}

pub(super) fn expected_list(got: &Value) -> PatchError {
    expected("[]interface {}", got)
}

pub(super) fn expected_map(got: &Value) -> PatchError {
    expected("map[string]interface {}", got)
}

pub(super) fn no_merge_key(element: &Value, key: &str) -> PatchError {
    bad(format!("map: {} does not contain declared merge key: {key}", Plain(element)))
}

pub(super) fn unknown_directive(directive: &Value, members: &Object) -> PatchError {
    let members = Value::Object(members.clone());
    bad(format!("unknown patch type: {} in map: {}", Text(directive), Plain(&members)))
}

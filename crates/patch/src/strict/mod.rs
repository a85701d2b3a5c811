//! Patches under field validation: what is wrong with a patch, and with the object it makes, is an error, a warning,
//! or nobody's business.
//!
//! The order and the words are those of the reference: first what the patch itself repeats or makes up, then what is
//! unknown or repeated in the patched object.

mod plain;
mod restore;

use std::borrow::Cow;
use std::sync::LazyLock;

use sprag_decode::typed::Unprinted;
use sprag_decode::{Finding, json as strict_json, repeated_keys_error, typed, yaml};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape};
use sprag_value::Value;
use sprag_value::json::{Event, Scanner};

pub use self::restore::restore;
use crate::go::no_map;
use crate::{PatchError, json_patch, merge_patch, strategic};

/// The field validation mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// Nothing.
    Ignore,
    /// They are warnings.
    #[default]
    Warn,
    /// They are an error.
    Strict,
}

/// An object that was read, and what strict decoding refuses of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The object.
    pub object: Value,
    /// The parts that Go holds of it and does not print.
    pub unprinted: Vec<Unprinted>,
    /// Errors of strict decoding.
    pub findings: Vec<String>,
}

/// A patched object and the warnings that come with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The object.
    pub object: Value,
    /// The parts that Go holds of it and does not print.
    pub unprinted: Vec<Unprinted>,
    /// The warnings for the client.
    pub warnings: Vec<String>,
}

/// Applies a JSON Patch to the text of an object; `read` reads the patched text into the object's type.
pub fn json(
    object: &str,
    patch: &[u8],
    validation: FieldValidation,
    read: impl FnOnce(&str) -> Result<Read, String>,
) -> Result<Patched, PatchError> {
    let mut findings = Vec::new();
    if validation != FieldValidation::Ignore {
        static OPERATIONS: LazyLock<Shapes> = LazyLock::new(operations);
        let decoded = typed::decode_json(&OPERATIONS, OPERATION_LIST, patch)
            .map_err(|error| PatchError::BadRequest(format!("error decoding patch: {error}")))?;
        findings.extend(decoded.findings.iter().map(|finding| format!("json patch {finding}")));
    }
    let text = json_patch::apply(object, patch)?;
    read_patched(&text, findings, validation, read)
}

/// Applies a merge patch to the text of an object; `read` reads the patched text into the object's type.
pub fn merge(
    object: &str,
    patch: &[u8],
    validation: FieldValidation,
    read: impl FnOnce(&str) -> Result<Read, String>,
) -> Result<Patched, PatchError> {
    let mut findings = Vec::new();
    if validation != FieldValidation::Ignore {
        let refused = |error: String| PatchError::BadRequest(format!("error decoding patch: {error}"));
        let decoded = strict_json::decode_strict(patch).map_err(|error| refused(error.to_string()))?;
        check_map(&decoded.value).map_err(refused)?;
        findings.extend(decoded.findings.iter().map(ToString::to_string));
    }
    let text = merge_patch::apply(object, patch)?;
    read_patched(&text, findings, validation, read)
}

/// Applies a merge patch to an object; nothing when there is anything to say about the patch, which [`merge`] then says, or when
/// it has numbers that types may refuse for how they are spelled.
pub fn merge_value(object: &Value, patch: &[u8]) -> Option<Value> {
    if !has_plain_numbers(patch) {
        return None;
    }
    let decoded = strict_json::decode_strict(patch).ok().filter(|decoded| decoded.findings.is_empty())?;
    let mut object = object.clone();
    merge_patch::merge_values(object.as_object_mut()?, decoded.value.as_object()?);
    Some(object)
}

/// True if all numbers of a text are integers without an exponent or a fraction.
fn has_plain_numbers(text: &[u8]) -> bool {
    let Ok(mut scanner) = Scanner::new(text) else { return false };
    loop {
        match scanner.next() {
            Ok(Event::End) => return true,
            Ok(Event::Int(_))
                if scanner.text()[scanner.span()].bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) => {}
            Ok(Event::Int(_) | Event::Float(_)) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Merges a strategic merge patch into a typed object.
pub fn strategic(
    shapes: &Shapes,
    ty: TypeId,
    object: &Value,
    patch: &[u8],
    validation: FieldValidation,
) -> Result<Patched, PatchError> {
    let decoded = strict_json::decode_strict(patch).map_err(|error| PatchError::BadRequest(error.to_string()))?;
    let mut patch = decoded.value;
    if patch.is_null() {
        patch = Value::object();
    }
    let merged = strategic::merge(shapes, ty, object, &mut patch)?;
    let invalid = |detail: String| PatchError::Invalid { value: strategic::quote(&patch), detail };
    let read = restore(shapes, ty, &merged).map_err(invalid)?;
    let findings = decoded.findings.iter().map(ToString::to_string).chain(read.findings).collect();
    let warnings = settle(findings, validation).map_err(invalid)?;
    Ok(Patched { object: read.object, unprinted: read.unprinted, warnings })
}

/// Reads the body of an apply, which is YAML or JSON. The findings are for [`settle_applied`], after the apply.
pub fn read_applied(body: &[u8]) -> Result<(Value, Vec<Finding>), PatchError> {
    if let Some(object) = plain::read_plain(body) {
        return Ok((object, Vec::new()));
    }
    let decoded = yaml::decode_strict(body).map_err(|error| {
        PatchError::BadRequest(format!("error decoding patch: error converting YAML to JSON: {error}"))
    })?;
    check_map(&decoded.value).map_err(|error| {
        let error = format!("error unmarshaling JSON: while decoding JSON: {error}");
        PatchError::BadRequest(format!("error decoding patch: {error}"))
    })?;
    Ok((decoded.value, decoded.findings))
}

/// Handles repeated keys in the body of an apply.
pub fn settle_applied(findings: &[Finding], validation: FieldValidation) -> Result<Vec<String>, PatchError> {
    match (validation, repeated_keys_error(findings)) {
        (FieldValidation::Strict, Some(error)) => {
            Err(PatchError::BadRequest(format!("error strict decoding patch: error converting YAML to JSON: {error}")))
        }
        (FieldValidation::Warn, Some(_)) => Ok(findings.iter().map(ToString::to_string).collect()),
        _ => Ok(Vec::new()),
    }
}

fn read_patched(
    text: &str,
    mut findings: Vec<String>,
    validation: FieldValidation,
    read: impl FnOnce(&str) -> Result<Read, String>,
) -> Result<Patched, PatchError> {
    let invalid = |detail: String| PatchError::Invalid { value: text.to_owned(), detail };
    let read = read(text).map_err(invalid)?;
    findings.extend(read.findings);
    let warnings = settle(findings, validation).map_err(invalid)?;
    Ok(Patched { object: read.object, unprinted: read.unprinted, warnings })
}

/// Findings as warnings, or as the text of an error.
fn settle(findings: Vec<String>, validation: FieldValidation) -> Result<Vec<String>, String> {
    match validation {
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Warn => Ok(findings),
        FieldValidation::Strict if findings.is_empty() => Ok(findings),
        FieldValidation::Strict => Err(format!("strict decoding error: {}", findings.join(", "))),
    }
}

/// Refuses a patch that is not JSON, which newer servers do before anything else.
// As upstream's handlers.PatchResource reads its body.
pub fn check_json(patch: &[u8]) -> Result<(), PatchError> {
    let complete = Scanner::new(patch).is_ok_and(|mut scanner| {
        loop {
            match scanner.next() {
                Ok(Event::End) => return true,
                Ok(_) => {}
                Err(error) => return matches!(error.kind(), sprag_value::json::JsonErrorKind::NumberRange { .. }),
            }
        }
    });
    if complete { Ok(()) } else { Err(PatchError::BadRequest("invalid JSON patch".into())) }
}

/// Checks that a value can be decoded into a Go map; null decodes into a nil map.
fn check_map(value: &Value) -> Result<(), String> {
    if matches!(value, Value::Object(_) | Value::Null) { Ok(()) } else { Err(no_map(value)) }
}

const OPERATION_LIST: TypeId = TypeId(3);

/// The type that a JSON Patch is read into.
fn operations() -> Shapes {
    let text = TypeRef::value(TypeId(0));
    let operation = vec![
        Field::new("op", "Op", text),
        Field::new("path", "Path", text),
        Field::new("from", "From", text),
        Field::new("value", "Value", TypeRef::value(TypeId(1))),
    ];
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Any),
        TypeShape::new("handlers.jsonPatchOp", Kind::of_fields(Cow::Owned(operation))),
        TypeShape::new("", Kind::List { elem: TypeRef::value(TypeId(2)), list: ListType::Unset }),
    ])
}

#[cfg(test)]
mod tests;

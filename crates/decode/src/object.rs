//! Texts that have to be API objects, refused in the words of the API server and kubectl.

use sprag_value::json::{self as value_json, JsonError};
use sprag_value::{Object, Value};

use crate::typed::json_kind;
use crate::yaml::YamlError;
use crate::{Decoded, Format, json, yaml};

/// Go's name of the type that version and kind are read into.
const FIND_KIND: &str =
    r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;

/// Errors of decoding an API object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// It is not YAML.
    #[error("{0}")]
    Yaml(YamlError),
    /// It is not JSON.
    #[error("couldn't get version/kind; json parse error: {text}")]
    Json {
        /// The error text of Go's library.
        text: String,
        /// The error and its position.
        error: JsonError,
    },
    /// A number in it is out of range.
    #[error("{0}")]
    Number(JsonError),
    /// Version or kind is of the wrong type, or it is not an object at all.
    #[error("couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go {target}")]
    FindKind {
        /// The JSON kind that was found.
        found: &'static str,
        /// The expected type.
        target: String,
    },
    /// A value that is not an object where an object has to be.
    #[error("json: cannot unmarshal {found} into Go {target}")]
    NoObject {
        /// The JSON kind that was found.
        found: &'static str,
        /// The expected type.
        target: &'static str,
    },
    /// `apiVersion` has more than one slash.
    #[error("unexpected GroupVersion string: {0}")]
    GroupVersion(String),
    /// There is no `kind`.
    #[error("Object 'Kind' is missing in '{0}'")]
    MissingKind(String),
    /// `apiVersion` has a group and no version.
    #[error("Object 'apiVersion' is missing in '{0}'")]
    MissingVersion(String),
}

impl ObjectError {
    /// The error without the text that upstream quotes in it. That of a file may be a secret, and the error ends in a log.
    pub fn unquoted(&self) -> String {
        match self {
            ObjectError::MissingKind(_) => "Object 'Kind' is missing".to_owned(),
            ObjectError::MissingVersion(_) => "Object 'apiVersion' is missing".to_owned(),
            error => error.to_string(),
        }
    }
}

/// Reads the body of a request for a custom resource: an object with a kind.
///
/// ```
/// use sprag_decode::{Format, object};
///
/// let error = object::decode(Format::Json, br#"{"apiVersion":"v1"}"#).unwrap_err();
/// assert_eq!(error.to_string(), r#"Object 'Kind' is missing in '{"apiVersion":"v1"}'"#);
/// ```
pub fn decode(format: Format, text: &[u8]) -> Result<Decoded, ObjectError> {
    let decoded = read(format, text)?;
    if !is_plain(&decoded) {
        find_kind(format, text, &decoded.value)?;
    }
    let kind = decoded.value.get("kind").and_then(Value::as_str).unwrap_or_default();
    if kind.is_empty() {
        return Err(ObjectError::MissingKind(crate::utf8::replace_invalid(text).into_owned()));
    }
    Ok(decoded)
}

/// The `apiVersion` and `kind` of an object; empty if absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Its `apiVersion`, with one slash at most.
    pub api_version: String,
    /// Its `kind`.
    pub kind: String,
}

/// Version and kind of a text as the API server looks them up before it reads anything else: names match in any case,
/// and the last of several members counts.
///
/// ```
/// use sprag_decode::{Format, object};
///
/// let declared = object::declared(Format::Json, br#"{"kind":"Pod","Kind":"Node"}"#)?;
/// assert_eq!((declared.api_version.as_str(), declared.kind.as_str()), ("", "Node"));
/// # Ok::<(), object::ObjectError>(())
/// ```
pub fn declared(format: Format, text: &[u8]) -> Result<Declared, ObjectError> {
    match read(format, text) {
        Ok(decoded) => find_kind(format, text, &decoded.value),
        Err(ObjectError::Number(_)) => look_up(json::root_members(text)),
        Err(error) => Err(error),
    }
}

/// The members of a text that is an object: in the order of JSON text, sorted in YAML. Of repeated ones, the last.
pub fn members(format: Format, text: &[u8]) -> Vec<(String, Value)> {
    let Ok(Decoded { value: Value::Object(values), .. }) = read(format, text) else { return Vec::new() };
    let mut members = members_in_order(format, text, &values);
    let mut seen = std::collections::HashSet::new();
    members.retain(|(name, _)| seen.insert(name.clone()));
    for (name, value) in &mut members {
        *value = values.get(name).cloned().unwrap_or_default();
    }
    members
}

/// The members of an object as its text has them, which says more than the object where they are repeated in JSON.
fn members_in_order(format: Format, text: &[u8], members: &Object) -> Vec<(String, Value)> {
    match format {
        Format::Json => json::root_members(text),
        Format::Yaml => members.iter().map(|(key, value)| (key.to_string(), value.clone())).collect(),
    }
}

fn read(format: Format, text: &[u8]) -> Result<Decoded, ObjectError> {
    match format {
        Format::Json => json::decode_strict(text).map_err(|error| json_error(text, error)),
        Format::Yaml => yaml::decode_strict(text).map_err(ObjectError::Yaml),
    }
}

/// Numbers are looked at after version and kind.
fn json_error(text: &[u8], error: JsonError) -> ObjectError {
    match error.kind() {
        value_json::JsonErrorKind::NumberRange { .. } => ObjectError::Number(error),
        _ => ObjectError::Json { text: json::standard_text(text, &error), error },
    }
}

/// True if version and kind are such that nothing can be wrong with them.
fn is_plain(decoded: &Decoded) -> bool {
    let Some(members) = decoded.value.as_object() else { return decoded.value.is_null() };
    let mut looked_up = members.iter().filter(|(key, _)| matches!(key.len(), 4 | 10) && looked_up_as(key).is_some());
    decoded.findings.is_empty()
        && looked_up.all(|(key, value)| {
            matches!(key.as_str(), "kind" | "apiVersion")
                && value.as_str().is_some_and(|text| text.matches('/').count() < 2)
        })
}

/// The field that a member is read into; names match in any case.
fn looked_up_as(key: &str) -> Option<&'static str> {
    ["apiVersion", "kind"].into_iter().find(|name| key.eq_ignore_ascii_case(name))
}

/// Version and kind of a text that was read as `value`.
fn find_kind(format: Format, text: &[u8], value: &Value) -> Result<Declared, ObjectError> {
    match value {
        Value::Null => Ok(Declared::default()),
        Value::Object(members) => look_up(members_in_order(format, text, members)),
        other => {
            let target = format!("value of type {FIND_KIND}");
            Err(ObjectError::FindKind { found: json_kind(other), target })
        }
    }
}

fn look_up(members: impl IntoIterator<Item = (String, Value)>) -> Result<Declared, ObjectError> {
    let mut declared = Declared::default();
    for (key, value) in members {
        let Some(name) = looked_up_as(&key) else { continue };
        match value {
            Value::String(text) if name == "apiVersion" => declared.api_version = text.into(),
            Value::String(text) => declared.kind = text.into(),
            Value::Null => {}
            other => {
                let target = format!("struct field .{key} of type string");
                return Err(ObjectError::FindKind { found: json_kind(&other), target });
            }
        }
    }
    if declared.api_version.matches('/').count() > 1 {
        return Err(ObjectError::GroupVersion(declared.api_version));
    }
    Ok(declared)
}

/// An object as kubectl takes it from a file: by itself, or a list of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unstructured {
    /// One object.
    Object(Object),
    /// An object with `items`.
    List {
        /// The list without its items.
        list: Object,
        /// The items; version and kind are taken from the list where an item has neither.
        items: Vec<Object>,
    },
}

/// Takes a value apart as kubectl does with what it reads; `text` is its JSON text, which errors quote.
pub fn unstructured(value: Value, text: &str) -> Result<Unstructured, ObjectError> {
    const DETECTOR: &str = "value of type unstructured.detector";
    const MAP: &str = "value of type map[string]interface {}";
    let mut object = match value {
        Value::Object(object) => object,
        Value::Null => return Err(ObjectError::MissingKind(text.to_owned())),
        other => return Err(ObjectError::NoObject { found: json_kind(&other), target: DETECTOR }),
    };
    let Some(items) = object.get("items").cloned() else {
        return if has_kind(&object) {
            Ok(Unstructured::Object(object))
        } else {
            Err(ObjectError::MissingKind(text.to_owned()))
        };
    };
    let mut objects = Vec::new();
    match &items {
        Value::Null => {}
        Value::Array(items) => {
            for item in items {
                objects.push(match item {
                    Value::Object(item) => inferred(item.clone(), &object),
                    Value::Null => inferred(Object::new(), &object),
                    other => return Err(ObjectError::NoObject { found: json_kind(other), target: MAP }),
                });
            }
        }
        other => {
            let target = "struct field decodeList.items of type []jsontext.Value";
            return Err(ObjectError::NoObject { found: json_kind(other), target });
        }
    }
    if !has_kind(&object) {
        return Err(ObjectError::MissingKind(text.to_owned()));
    }
    object.remove("items");
    Ok(Unstructured::List { list: object, items: objects })
}

/// Upstream sees no kind either when the version has more than one slash.
fn has_kind(object: &Object) -> bool {
    !text_of(object, "kind").is_empty() && text_of(object, "apiVersion").matches('/').count() < 2
}

fn text_of<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// An item with version and kind of its list, unless it has one of them.
fn inferred(mut item: Object, list: &Object) -> Object {
    if text_of(&item, "kind").is_empty() && text_of(&item, "apiVersion").is_empty() {
        let kind = text_of(list, "kind");
        item.insert("kind", kind.strip_suffix("List").unwrap_or(kind));
        item.insert("apiVersion", text_of(list, "apiVersion"));
    }
    item
}

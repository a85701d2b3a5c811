//! Bodies of requests: from bytes to objects, in upstream's words where that fails.

use std::fmt::Display;

use sprag_decode::object::{self, ObjectError};
use sprag_decode::protobuf::{self, ProtobufError};
use sprag_decode::{Decoded, Finding, Format};
use sprag_field::quote;
use sprag_patch::strict::FieldValidation;
use sprag_shape::{Shapes, TypeId};
use sprag_value::{Object, Value, json};

use super::{Write, internal, type_member};
use crate::body::Body;
use crate::conventions::Conventions;
use crate::error::{ApiError, Result};
use crate::managed::scale_shape;
use crate::names::{GroupVersionKind, INTERNAL, split_api_version};
use crate::options::WriteOptions;
use crate::subresource::SubresourceKind;
use crate::typed::read_typed;
use crate::unreadable::Unreadable;

/// Maximum quoted characters of a body that cannot be decoded.
const MAX_QUOTED: usize = 30;
/// Kinds that upstream has types for in every version.
pub const UNVERSIONED_KINDS: [&str; 5] = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"];
/// Kinds that upstream has types for in every version of a group.
const VERSIONED_KINDS: [&str; 7] =
    ["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"];
/// Upstream's error for types without protobuf messages.
// As upstream's serializer/protobuf.errNotMarshalable.
const NO_MESSAGE: &str =
    "does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";
/// The answer to whatever is wrong with a `Scale` where its type is not registered.
const NO_SCALE: &str = "no kind is registered for the type v1.Scale in scheme \
                        \"k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781\"";

impl Write<'_> {
    /// Reads the body of a create or update and does with strict findings what the options say: refuses it, or
    /// returns them as warnings beside the body.
    pub fn decode(&self, text: &[u8], format: Format, options: &WriteOptions) -> Result<(Body, Vec<String>)> {
        let (content, expected) = self.expected()?;
        let reader = Reader { write: self, content, expected, text, format };
        let validation = options.validation();
        let decoded = reader.read(validation != FieldValidation::Ignore)?;
        let warnings = match validation {
            FieldValidation::Ignore => Vec::new(),
            FieldValidation::Strict if !decoded.findings.is_empty() => {
                return Err(reader.refused_strictly(&decoded.value, &decoded.findings));
            }
            FieldValidation::Strict | FieldValidation::Warn => texts(&decoded.findings),
        };
        let body = match content {
            Content::Object => Body::read(decoded.value, decoded.unprinted, &self.info),
            Content::Scale | Content::Other => decoded.value.into(),
        };
        Ok((body, warnings))
    }

    /// Decodes the protobuf body of a create or update. Unknown fields are dropped, strict or not.
    // As upstream's serializer.newSerializersForScheme, whose strict serializer for protobuf is the other one.
    pub fn decode_protobuf(&self, bytes: &[u8]) -> Result<Body> {
        let (content, expected) = self.expected()?;
        let reader = Reader { write: self, content, expected, text: bytes, format: Format::Json };
        let object = reader.read_message()?;
        Ok(if content == Content::Object { Body::read(object, Vec::new(), &self.info) } else { object.into() })
    }

    /// Reads the text of an object of the resource, and what strict decoding refuses of it.
    pub fn decode_text(&self, text: &[u8], format: Format) -> Result<(Body, Vec<Finding>)> {
        let (content, expected) = self.expected()?;
        let reader = Reader { write: self, content, expected, text, format };
        let Decoded { value, findings, unprinted } = reader.read(true)?;
        Ok((Body::read(value, unprinted, &self.info), findings))
    }

    /// Reads an object of the resource that was parsed already, and what strict decoding refuses of it.
    pub fn decode_object(&self, object: Value) -> Result<(Body, Vec<Finding>)> {
        let expected = self.definition().gvk(self.request.version);
        let reader = Reader { write: self, content: Content::Object, expected, text: &[], format: Format::Json };
        let said = Value::Object(Object::from(
            ["apiVersion", "kind"].map(|name| (name, object.get(name).cloned().unwrap_or_default())),
        ));
        let decoded = self.definition().scheme.read_object(self.request.version, object);
        let decoded = decoded.map_err(|error| reader.unreadable(&said, error))?;
        Ok((Body::read(decoded.value, decoded.unprinted, &self.info), decoded.findings))
    }
}

pub(super) fn texts<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<String> {
    findings.into_iter().map(ToString::to_string).collect()
}

/// All findings in one text. Repeated keys of YAML come first and are one error of several lines.
fn strict(findings: &[Finding]) -> String {
    let (keys, all): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| matches!(finding, Finding::RepeatedKey { .. }));
    let keys = texts(keys);
    let mut all = texts(all);
    if !keys.is_empty() {
        all.insert(0, format!("yaml: unmarshal errors:\n  {}", keys.join("\n  ")));
    }
    all.join(", ")
}

impl Write<'_> {
    /// The expected kind of the request body.
    fn expected(&self) -> Result<(Content, GroupVersionKind)> {
        Ok(match self.subresource()?.map(|subresource| &subresource.kind) {
            None | Some(SubresourceKind::Part(_)) => (Content::Object, self.definition().gvk(self.request.version)),
            Some(SubresourceKind::Scale(_)) => (Content::Scale, GroupVersionKind::new("autoscaling", "v1", "Scale")),
            Some(SubresourceKind::Create(sub)) => (Content::Other, sub.gvk()),
            Some(SubresourceKind::Connect(sub)) => (Content::Other, sub.gvk()),
        })
    }

    /// Reads the text of an object of the resource itself, as a patch makes it. Errors are in the words of the decoder.
    pub(super) fn read_patched(&self, text: &str, strict: bool) -> Result<Decoded, Unreadable> {
        let definition = self.definition();
        let outcome = definition.scheme.read(self.request.version, text.as_bytes(), Format::Json, strict);
        if outcome.is_err()
            && let Err(first) = object::decode(Format::Json, text.as_bytes())
            && !matches!(first, ObjectError::MissingKind(_))
        {
            return Err(first.to_string().into());
        }
        if !definition.conventions.decoder_refuses_other_types {
            return outcome;
        }
        let expected = definition.gvk(self.request.version);
        // An object without a version counts as upstream's internal one here.
        let unsaid = GroupVersionKind { version: INTERNAL.to_owned(), ..expected.clone() };
        let kind = match &outcome {
            Ok(read) => declared(&read.value, &unsaid),
            Err(_) => declared(&json::parse(text.as_bytes()).unwrap_or_default(), &unsaid),
        };
        if let Some(error) = self.foreign(&kind, &expected) {
            return Err(error.into());
        }
        if kind.version == INTERNAL {
            let mut read = internal::read(text.as_bytes(), Format::Json)?;
            set_type(&mut read.value, &expected);
            return Ok(read);
        }
        let mut read = outcome?;
        set_type(&mut read.value, &kind);
        Ok(read)
    }

    /// The error for an object of another kind; `None` for the resource's own kind in any version.
    pub(super) fn foreign(&self, kind: &GroupVersionKind, expected: &GroupVersionKind) -> Option<String> {
        let is_taken = || match self.subresource().ok()?.map(|subresource| &subresource.kind) {
            Some(SubresourceKind::Create(sub)) => Some(sub.takes(kind)),
            _ => None,
        };
        if kind == expected
            || (self.definition().kind == expected.kind && is_version_of(self, kind))
            || is_taken() == Some(true)
        {
            return None;
        }
        let definition = self.definition();
        let Some(from) = self.go_type(kind) else {
            return Some(kind.not_registered(definition.scheme.place_in_source()));
        };
        let is_own = expected.group == definition.group();
        let package = package(if is_own { &definition.place().group } else { &expected.group });
        Some(format!("converting ({from}) to ({package}.{}): unknown conversion", expected.kind))
    }

    /// The type that upstream has for a kind, next to that of the resource.
    pub(super) fn go_type(&self, kind: &GroupVersionKind) -> Option<String> {
        let GroupVersionKind { group, version, kind: name } = kind;
        let is_internal = version == INTERNAL;
        let definitions = self.context.kinds.definitions();
        if UNVERSIONED_KINDS.contains(&name.as_str()) {
            return Some(format!("v1.{name}"));
        }
        if is_internal && name == "WatchEvent" && definitions.iter().any(|definition| definition.group() == group) {
            return Some("v1.InternalEvent".to_owned());
        }
        let scheme = self.definition().scheme.place_in_source();
        let is_versioned = !is_internal && VERSIONED_KINDS.contains(&name.as_str());
        let is_list = group.is_empty() && name == "List";
        let known = |definition: &crate::Definition| {
            definition.scheme.place_in_source() == scheme
                && definition.group() == group
                && (is_versioned || is_list || definition.kind == *name || definition.list_kind == *name)
                && (is_internal || definition.version(version).is_some())
        };
        let is_everywhere = is_versioned && group.is_empty() && version == "v1";
        let is_known = is_everywhere || definitions.iter().any(|definition| known(definition));
        is_known.then(|| format!("{}.{name}", if is_internal { package(group) } else { version }))
    }
}

/// The Go package of upstream's own version of a group.
fn package(group: &str) -> &str {
    group.split('.').next().filter(|package| !package.is_empty()).unwrap_or("core")
}

/// The content of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// An object of the resource.
    Object,
    /// A `Scale`.
    Scale,
    /// The body of another subresource.
    Other,
}

/// A body and what it should be.
struct Reader<'b> {
    write: &'b Write<'b>,
    content: Content,
    expected: GroupVersionKind,
    text: &'b [u8],
    format: Format,
}

impl Reader<'_> {
    fn read(&self, strict: bool) -> Result<Decoded> {
        match self.decode(strict) {
            Ok(read) if has_type(&read.value, &self.expected) => Ok(read),
            outcome => self.read_unusual(outcome, strict),
        }
    }

    fn decode(&self, strict: bool) -> Result<Decoded, Unreadable> {
        let write = self.write;
        match self.content {
            Content::Object => write.definition().scheme.read(write.request.version, self.text, self.format, strict),
            Content::Scale => {
                let (shapes, id) = scale_shape();
                read_typed(shapes, id, self.text, self.format)
            }
            Content::Other => match self.other_shape() {
                Some((shapes, id)) => read_typed(shapes, id, self.text, self.format),
                None => object::decode(self.format, self.text).map_err(|error| error.to_string().into()),
            },
        }
    }

    /// Reads a body in protobuf.
    // As upstream's serializer/protobuf.Serializer.Decode and versioning.codec.Decode.
    fn read_message(&self) -> Result<Value> {
        let envelope = protobuf::open(self.text).map_err(|error| self.unrecognized(&error))?;
        let mut said = Value::object();
        said.insert("kind", envelope.kind.as_ref());
        if envelope.api_version.matches('/').count() < 2 {
            said.insert("apiVersion", envelope.api_version.as_ref());
        }
        let kind = declared(&said, &self.expected);
        if let Some(error) = self.write.foreign(&kind, &self.expected) {
            return Err(self.refused(&said, &error));
        }
        if kind.version == INTERNAL {
            let ty = self.write.go_type(&kind).unwrap_or_default();
            return Err(self.refused(&said, &format_args!("object *{ty} {NO_MESSAGE}")));
        }
        let message = self.decode_message(&kind, envelope.message);
        let mut value = message.map_err(|error| match error {
            ProtobufError::TooManyObjects => ApiError::too_large(error),
            error => self.refused(&said, &error),
        })?;
        set_type(&mut value, &kind);
        Ok(value)
    }

    fn decode_message(&self, kind: &GroupVersionKind, message: &[u8]) -> Result<Value, ProtobufError> {
        let shape = match self.content {
            Content::Object => return self.write.definition().scheme.read_message(&kind.version, message),
            Content::Scale => Some(scale_shape()),
            Content::Other => self.other_shape(),
        };
        let no_message = || ProtobufError::Content(format!("object *{} {NO_MESSAGE}", kind.kind));
        let (shapes, id) = shape.ok_or_else(no_message)?;
        protobuf::decode(shapes, id, message)
    }

    /// The body shape of a subresource of another kind.
    fn other_shape(&self) -> Option<(&Shapes, TypeId)> {
        match self.write.subresource().ok()?.map(|subresource| &subresource.kind) {
            Some(SubresourceKind::Create(sub)) => sub.shape(),
            _ => None,
        }
    }

    fn conventions(&self) -> &'static Conventions {
        self.write.definition().conventions
    }

    /// True if the text may leave out its type, as it may for all that has a type of its own.
    fn type_may_be_missing(&self) -> bool {
        self.content != Content::Object || self.conventions().type_may_be_missing
    }

    /// True if a text of another type is refused here.
    fn refuses_other_types(&self) -> bool {
        self.content != Content::Object || self.conventions().decoder_refuses_other_types
    }

    /// True if there is but one answer to whatever is wrong.
    fn is_unregistered_scale(&self) -> bool {
        self.content == Content::Scale && !self.conventions().registers_scale
    }

    /// A text that is not an object of the expected type: it is of another type, says nothing of its type, or is nothing.
    fn read_unusual(&self, outcome: Result<Decoded, Unreadable>, strict: bool) -> Result<Decoded> {
        let said = match object::decode(self.format, self.text) {
            Ok(decoded) => decoded.value,
            Err(ObjectError::MissingKind(_)) if self.type_may_be_missing() => {
                outcome.as_ref().map(|read| read.value.clone()).unwrap_or_default()
            }
            Err(ObjectError::Number(_)) => self.said_type(),
            // Upstream reads unstructured content in two ways, and looks for the kind in one of them only.
            Err(error @ ObjectError::MissingKind(_)) if !strict => return Err(self.refused(&Value::Null, &error)),
            Err(error) => return Err(self.unrecognized(&error)),
        };
        if !self.refuses_other_types() {
            return outcome.map_err(|error| self.unreadable(&said, error));
        }
        let kind = declared(&said, &self.expected);
        if kind.version.is_empty() {
            let missing = ObjectError::MissingVersion(String::from_utf8_lossy(self.text).into_owned());
            return Err(self.refused(&said, &missing));
        }
        if let Some(error) = self.write.foreign(&kind, &self.expected) {
            return Err(self.refused(&said, &error));
        }
        let is_internal = kind.version == INTERNAL && self.content == Content::Object;
        let outcome = if is_internal { internal::read(self.text, self.format) } else { outcome };
        let mut read = outcome.map_err(|error| self.unreadable(&said, error))?;
        set_type(&mut read.value, &kind);
        Ok(read)
    }

    /// The `apiVersion` and `kind` of a text, ignoring everything else.
    fn said_type(&self) -> Value {
        let declared = object::declared(self.format, self.text).unwrap_or_default();
        let mut said = Value::object();
        said.insert("apiVersion", declared.api_version);
        said.insert("kind", declared.kind);
        said
    }

    /// The error for an object that was decoded but has the wrong type.
    // As upstream's handlers.transformDecodeError, which asks for the type of what was decoded by then.
    fn refused_strictly(&self, object: &Value, findings: &[Finding]) -> ApiError {
        let names_sent = self.content == Content::Object && self.conventions().errors_name_sent_type;
        let expected = if names_sent { type_member(object, "kind") } else { &self.expected.kind };
        self.refused_as(expected, object, &format_args!("strict decoding error: {}", strict(findings)))
    }

    /// The error for a value that does not fit its type.
    fn unreadable(&self, object: &Value, error: Unreadable) -> ApiError {
        self.refused(object, &error).with_field(error.field)
    }

    /// The decoding error of an object whose kind is known.
    fn refused(&self, object: &Value, why: &dyn Display) -> ApiError {
        self.refused_as(&self.expected.kind, object, why)
    }

    fn refused_as(&self, expected: &str, object: &Value, why: &dyn Display) -> ApiError {
        if self.is_unregistered_scale() {
            return ApiError::bad_request(NO_SCALE);
        }
        let GroupVersionKind { version, kind, .. } = declared(object, &self.expected);
        let version = quote::go(&version);
        ApiError::bad_request(format!("{kind} in version {version} cannot be handled as a {expected}: {why}"))
    }

    /// The decoding error of a text without a kind.
    fn unrecognized(&self, why: &dyn Display) -> ApiError {
        if self.is_unregistered_scale() {
            return ApiError::bad_request(NO_SCALE);
        }
        let kind = &self.expected.kind;
        let quoted = quoted(self.text);
        ApiError::bad_request(format!("the object provided is unrecognized (must be of type {kind}): {why} ({quoted})"))
    }
}

pub(super) fn is_version_of(write: &Write<'_>, kind: &GroupVersionKind) -> bool {
    let definition = write.definition();
    definition.group() == kind.group
        && definition.kind == kind.kind
        && (kind.version == INTERNAL || definition.version(&kind.version).is_some())
}

fn has_type(object: &Value, expected: &GroupVersionKind) -> bool {
    let api_version = type_member(object, "apiVersion");
    let (group, version) = split_api_version(api_version);
    type_member(object, "kind") == expected.kind
        && group == expected.group
        && version == expected.version
        && !api_version.starts_with('/')
}

/// The type that an object says it has; what it does not say is as expected.
pub(super) fn declared(object: &Value, expected: &GroupVersionKind) -> GroupVersionKind {
    let text = |member: &str| object.get(member).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut declared = expected.clone();
    if let Some(kind) = text("kind") {
        kind.clone_into(&mut declared.kind);
    }
    if let Some(api_version) = text("apiVersion").filter(|api_version| *api_version != "/") {
        let (group, version) = split_api_version(api_version);
        group.clone_into(&mut declared.group);
        version.clone_into(&mut declared.version);
    }
    declared
}

pub(super) fn set_type(object: &mut Value, kind: &GroupVersionKind) {
    if object.is_null() {
        *object = Value::object();
    }
    if !has_type(object, kind) {
        object.insert("apiVersion", kind.api_version());
        object.insert("kind", kind.kind.as_str());
    }
}

/// The beginning of a text, in hexadecimal if it does not look like JSON.
fn quoted(text: &[u8]) -> String {
    let (shown, more) = match text.get(..MAX_QUOTED) {
        Some(shown) if text.len() > MAX_QUOTED => (shown, " ..."),
        _ => (text, ""),
    };
    match shown.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(shown).into_owned() + more,
        Some(_) => hexadecimal(shown) + more,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn bodies_are_quoted_as_upstream_does() {
        assert_eq!(quoted(b""), "<empty>");
        assert_eq!(quoted(b"{\"a\":1}"), "{\"a\":1}");
        assert_eq!(quoted(&[b'{'; 30]), "{".repeat(30));
        assert_eq!(quoted(&[b'{'; 31]), "{".repeat(30) + " ...");
        assert_eq!(quoted(b"[]"), "5b5d");
    }
}

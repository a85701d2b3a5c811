//! Objects as webhooks leave them: read by what they say they are, in upstream's words where that is not the resource.

use std::sync::Arc;

use sprag_decode::{Decoded, Format, object};
use sprag_patch::apply::check_managed_fields;
use sprag_value::Value;

use super::decode::{is_version_of, set_type};
use super::input::Read;
use super::{Write, type_member};
use crate::definition::Definition;
use crate::error::{ApiError, Result};
use crate::meta;
use crate::names::{GroupVersionKind, INTERNAL, split_api_version};

const MANAGED_FIELDS: &str = "managedFields";

impl Write<'_> {
    /// Reads an object that a mutating plug-in made: what the version does not know is dropped.
    // As upstream's mutatingDispatcher.callAttrMutatingHook, and the conversion at the end of Dispatch.
    pub fn decode_mutated(&self, text: &str) -> Result<Value> {
        if self.definition().conventions.decoder_refuses_other_types {
            self.decode_mutated_type(text)
        } else {
            self.decode_mutated_content(text)
        }
    }

    /// Puts the managed fields back that an object had before mutating plug-ins changed it, if they left some that cannot be
    /// read, and warns about that. Null stands for none.
    // As upstream's fieldmanager.managedFieldsValidatingAdmissionController.
    pub fn check_mutated_fields(&self, before: Value, read: &mut Read) {
        let fields = meta::get(&read.object, MANAGED_FIELDS);
        if fields.is_some_and(|fields| fields.as_array().is_some_and(|fields| fields.is_empty())) {
            meta::remove(&mut read.object, MANAGED_FIELDS);
            return;
        }
        let Err(error) = check_managed_fields(&read.object) else { return };
        if before.is_null() {
            meta::remove(&mut read.object, MANAGED_FIELDS);
        } else {
            meta::set(&mut read.object, MANAGED_FIELDS, before);
        }
        read.warnings.push(format!(
            ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated \
             mutating admission controller; please fix your requests: {error}"
        ));
    }

    /// Reads an object of a kind that is a Go type upstream, by the version and kind in its text.
    // As upstream's json.Serializer.Decode.
    fn decode_mutated_type(&self, text: &str) -> Result<Value> {
        let expected = self.definition().gvk(self.request.version);
        let declared = object::declared(Format::Json, text.as_bytes()).map_err(ApiError::internal)?;
        let kind = or_default(&declared, &expected);
        let Some(error) = self.foreign(&kind, &expected) else {
            return self.decode_own(text, &kind);
        };
        if self.go_type(&kind).is_none() {
            return Err(ApiError::internal(error));
        }
        // The text is read as what it says it is before that turns out to be something else.
        if let Some(other) = self.definition_of(&kind) {
            let read = other.scheme.read(&kind.version, text.as_bytes(), Format::Json, false);
            read.map_err(ApiError::internal)?;
        }
        Err(ApiError::unknown(error))
    }

    /// Reads an object of the resource's own kind, in whatever version it is.
    fn decode_own(&self, text: &str, kind: &GroupVersionKind) -> Result<Value> {
        if kind.version == INTERNAL {
            return self.read_patched(text, false).map(|read| read.value).map_err(ApiError::internal);
        }
        let definition = self.definition();
        let Decoded { mut value, .. } =
            definition.scheme.read(&kind.version, text.as_bytes(), Format::Json, false).map_err(ApiError::internal)?;
        set_type(&mut value, kind);
        if is_version_of(self, kind) {
            definition.convert(value, &kind.version, self.request.version)
        } else {
            Ok(value)
        }
    }

    /// Reads an object without a type of its own, which may say to be anything.
    fn decode_mutated_content(&self, text: &str) -> Result<Value> {
        let definition = self.definition();
        let said = object::decode(Format::Json, text.as_bytes()).map(|decoded| decoded.value).unwrap_or_default();
        let api_version = type_member(&said, "apiVersion");
        let (group, version) = split_api_version(api_version);
        let is_own = group == definition.group() && version == self.request.version;
        if is_own || said.is_null() || version.contains('/') {
            return self.read_patched(text, false).map(|read| read.value).map_err(ApiError::internal);
        }
        // As upstream's crConverter.ConvertToVersion.
        if group != definition.group() {
            let kind = type_member(&said, "kind");
            let target = definition.gvk(self.request.version).api_version();
            return Err(ApiError::unknown(format!(
                "{group}/{version}, Kind={kind} is unstructured and is not suitable for converting to \"{target}\""
            )));
        }
        if definition.version(version).is_none() {
            let why = format!("request to convert CR from an invalid group/version: {api_version}");
            return Err(ApiError::unknown(why));
        }
        let read = definition.scheme.read(version, text.as_bytes(), Format::Json, false).map_err(ApiError::internal)?;
        definition.convert(read.value, version, self.request.version)
    }

    /// The definition of a kind of which upstream has a type next to that of the resource.
    fn definition_of(&self, kind: &GroupVersionKind) -> Option<Arc<Definition>> {
        let definitions = self.context.kinds.definitions();
        definitions.into_iter().find(|definition| {
            definition.group() == kind.group
                && definition.kind == kind.kind
                && definition.version(&kind.version).is_some()
                && definition.conventions.decoder_refuses_other_types
        })
    }
}

/// The kind that a text says to be; what it leaves out is as expected.
// As upstream's json.gvkWithDefaults.
fn or_default(declared: &object::Declared, expected: &GroupVersionKind) -> GroupVersionKind {
    let (group, version) = split_api_version(&declared.api_version);
    let kind = if declared.kind.is_empty() { expected.kind.as_str() } else { declared.kind.as_str() };
    let is_unsaid = group.is_empty() && version.is_empty();
    let group = if is_unsaid { expected.group.as_str() } else { group };
    let version = if version.is_empty() && group == expected.group { expected.version.as_str() } else { version };
    GroupVersionKind::new(group, version, kind)
}

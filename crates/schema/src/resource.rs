//! A custom resource: the steps that a write of one of its objects takes.
//!
//! [`CustomResource::decode`] and [`CustomResource::default`] make the object, `prepare_*` brings it into order and
//! `validate_*` checks all but its metadata. The order of the steps is up to the caller.

mod checks;
mod finalizers;
mod prepare;

use std::sync::Arc;

use sprag_release::Release;
use sprag_value::{Object, Text, Value};

use crate::crd::{Crd, Scale};
use crate::default::TooManyDefaults;
use crate::metadata::{self, Malformed};
use crate::prune::prune;
use crate::rules::Ratcheting;
use crate::schema::Schema;
use crate::{embedded, go_syntax, scale};

/// One version of a custom resource.
pub struct CustomResource {
    release: Release,
    group: Text,
    kind: Text,
    api_version: String,
    has_status: bool,
    scale: Option<Scale>,
    schema: Option<Arc<Schema>>,
    /// The schemas of all versions: an object is decoded by the version that it claims to have.
    schemas: Arc<[(Text, Arc<Schema>)]>,
    ratcheting: Ratcheting,
}

/// An object that was decoded.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The object as far as the schema describes it.
    pub object: Value,
    /// Paths of what was dropped: those in its metadata, then the others, then those in the metadata of embedded
    /// resources; each part sorted.
    pub unknown_fields: Vec<String>,
}

/// The decoding error of a custom resource: Go's text about the first wrong type in its metadata.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct DecodeError {
    /// The error text.
    pub text: String,
    /// The path of what is wrong: `metadata.labels.a`.
    pub field: String,
}

impl CustomResource {
    /// All versions of a definition, in its order, as a release reads them.
    pub fn versions(crd: &Crd, release: Release) -> Vec<CustomResource> {
        let schema = |version: &crate::crd::Version| {
            let props = version.schema.as_ref()?.open_api_v3_schema.clone()?;
            Some((version.name.clone(), Arc::new(Schema::new(props, release))))
        };
        let schemas: Arc<[(Text, Arc<Schema>)]> = crd.versions.iter().filter_map(schema).collect();
        let resource = |version: &crate::crd::Version| CustomResource {
            release,
            group: crd.group.clone(),
            kind: crd.names.kind.clone(),
            api_version: format!("{}/{}", crd.group, version.name),
            has_status: version.subresources.as_ref().is_some_and(|subresources| subresources.status),
            scale: version.subresources.as_ref().and_then(|subresources| subresources.scale.clone()),
            schema: find(&schemas, &version.name).cloned(),
            schemas: schemas.clone(),
            ratcheting: Ratcheting::On,
        };
        crd.versions.iter().map(resource).collect()
    }

    /// The same with the feature `CRDValidationRatcheting` on or off.
    #[must_use]
    pub fn with_ratcheting(self, enabled: bool) -> Self {
        Self { ratcheting: if enabled { Ratcheting::On } else { Ratcheting::Off }, ..self }
    }

    /// Group and version as objects write them.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// The compiled schema, if the version has one.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        self.schema.as_ref()
    }

    /// Reads the body of a request: drops what the schema does not describe and brings metadata into form.
    pub fn decode(&self, object: Value) -> Result<Decoded, DecodeError> {
        self.coerce(object, Malformed::Refused)
    }

    /// Reads an object from storage, like [`CustomResource::decode`] but leniently: malformed metadata is dropped and
    /// a missing generation is repaired.
    pub fn decode_stored(&self, object: Value) -> Result<Decoded, DecodeError> {
        self.coerce(object, Malformed::Dropped)
    }

    fn coerce(&self, mut object: Value, malformed: Malformed) -> Result<Decoded, DecodeError> {
        let mut unknown_fields = Vec::new();
        let Some(members) = object.as_object_mut() else { return Ok(Decoded { object, unknown_fields }) };
        let kind = type_field(members, "kind")?;
        let api_version = type_field(members, "apiVersion")?;
        let mut coerced = match members.get("metadata") {
            Some(found) => Some(metadata::coerce(found, malformed).map_err(|misfit| {
                let field = format!("metadata.{}", misfit.path);
                DecodeError { text: misfit.text, field: field.trim_end_matches('.').to_owned() }
            })?),
            None => None,
        };
        if let Some(coerced) = &mut coerced {
            let unknown = std::mem::take(&mut coerced.unknown);
            unknown_fields.extend(unknown.into_iter().map(|path| format!("metadata.{path}")));
        }
        let (group, version) = group_version(&api_version)?;
        if group == self.group.as_str() && kind == self.kind {
            let schema = find(&self.schemas, version);
            unknown_fields.extend(prune(schema.map(|schema| schema.root()), members));
            if let Some(schema) = schema {
                let unknown = embedded::coerce(schema.root(), members, malformed);
                unknown_fields.extend(unknown.map_err(|mut error| {
                    go_syntax::convert(self.release, [&mut error]);
                    DecodeError { text: error.to_string(), field: error.field }
                })?);
            }
            if let Some(coerced) = &mut coerced
                && malformed == Malformed::Dropped
            {
                prepare::repair_generation(&mut coerced.metadata);
            }
        }
        if let Some(coerced) = coerced {
            members.insert("metadata", coerced.metadata);
        }
        Ok(Decoded { object, unknown_fields })
    }

    /// Brings the metadata of an applied object into form; what is malformed is dropped.
    pub fn restore_metadata(object: &mut Value) {
        let coerced = object.get("metadata").map(|found| metadata::coerce(found, Malformed::Dropped));
        if let Some(Ok(coerced)) = coerced {
            object.insert("metadata", coerced.metadata);
        }
    }

    /// Fills in defaults.
    pub fn default(&self, object: &mut Value) -> Result<(), TooManyDefaults> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let Ok((group, version)) = group_version(text("apiVersion")) else { return Ok(()) };
        let is_own = group == self.group.as_str() && text("kind") == self.kind.as_str();
        match find(&self.schemas, version).filter(|_| is_own) {
            Some(schema) => schema.default(object),
            None => Ok(()),
        }
    }

    /// Drops what this version does not describe, from an object whose metadata is in form.
    pub fn prune(&self, object: &mut Value) {
        let Some(members) = object.as_object_mut() else { return };
        prune(self.schema.as_ref().map(|schema| schema.root()), members);
        if let Some(schema) = &self.schema {
            // Malformed parts are dropped, so nothing is ever rejected.
            let _ = embedded::coerce(schema.root(), members, Malformed::Dropped);
        }
    }

    /// Brings a new object into order: it has no status yet, where that has an address of its own, and the first
    /// generation.
    pub fn prepare_create(&self, object: &mut Value) {
        prepare::create(object, self.has_status);
    }

    /// Brings an object that replaces `old` into order: the status stays, where that has an address of its own, and the
    /// generation counts changes of anything but metadata.
    pub fn prepare_update(&self, object: &mut Value, old: &Value) {
        prepare::update(object, old, self.has_status);
    }

    /// Brings an object whose status replaces that of `old` into order: nothing but its status is taken from it.
    pub fn prepare_status(&self, object: &mut Value, old: &Value) {
        prepare::update_status(object, old);
    }
}

fn find<'s>(schemas: &'s [(Text, Arc<Schema>)], version: &str) -> Option<&'s Arc<Schema>> {
    schemas.iter().find(|(name, _)| name.as_str() == version).map(|(_, schema)| schema)
}

fn metadata(object: &Value) -> &Value {
    object.get("metadata").unwrap_or(&Value::Null)
}

/// The text of `kind` or `apiVersion`; empty when it is absent.
fn type_field(members: &Object, name: &str) -> Result<Text, DecodeError> {
    match members.get(name) {
        None => Ok(Text::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) => {
            Err(DecodeError { text: scale::accessor_error(&[name], value, "string"), field: name.to_owned() })
        }
    }
}

fn group_version(api_version: &str) -> Result<(&str, &str), DecodeError> {
    match api_version.split_once('/') {
        None => Ok(("", api_version)),
        Some((_, version)) if version.contains('/') => {
            let text = format!("unexpected GroupVersion string: {api_version}");
            Err(DecodeError { text, field: "apiVersion".to_owned() })
        }
        Some((group, version)) => Ok((group, version)),
    }
}

//! Field ownership (`managedFields`), wired to a resource.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use sprag_decode::typed;
use sprag_patch::apply::{ConvertError, FieldSet, Resource, Versions};
use sprag_release::Fact;
use sprag_shape::{Field, Kind, Shapes, TypeId, TypeRef, TypeShape};
use sprag_value::Value;

use crate::definition::{Definition, Version};
use crate::gates::FeatureGates;
use crate::names::split_api_version;
use crate::object_shape::with_object_meta;
use crate::strategy::ResetFields;
use crate::subresource::SubresourceKind;
use crate::write::Write;

/// Reset fields per endpoint: the object itself and each subresource.
pub(crate) struct ResetSets {
    create: FieldSet,
    update: FieldSet,
    parts: BTreeMap<String, FieldSet>,
    /// Per version, what is there before there is an object: the fields that a type always has.
    empty: Vec<(String, Value)>,
}

impl ResetSets {
    pub(crate) fn new(definition: &Definition, gates: &FeatureGates) -> ResetSets {
        let mut parts = BTreeMap::new();
        for subresource in definition.versions.iter().flat_map(|version| &version.subresources) {
            if let SubresourceKind::Part(strategy) = &subresource.kind {
                parts.insert(subresource.name.clone(), set(&strategy.reset_fields()));
            }
        }
        ResetSets {
            create: set(&definition.create.reset_fields_with(gates)),
            update: set(&definition.update.reset_fields_with(gates)),
            parts,
            empty: definition
                .versions
                .iter()
                .map(|version| (version.name.clone(), empty(definition, version)))
                .collect(),
        }
    }
}

fn empty(definition: &Definition, version: &Version) -> Value {
    let mut object = match definition.written_shape(&version.name) {
        Some((shapes, id)) => typed::round_trip(shapes, id, &Value::object()),
        None => Value::object(),
    };
    object.insert("apiVersion", definition.api_version(&version.name));
    object.insert("kind", definition.kind.as_str());
    object
}

fn set(fields: &ResetFields) -> FieldSet {
    let paths: Vec<Vec<&str>> = fields.0.iter().map(|path| path.iter().map(String::as_str).collect()).collect();
    FieldSet::of_fields(paths.iter().map(Vec::as_slice))
}

/// A resource's versions as ownership needs them.
pub(crate) struct FieldOwners<'a> {
    definition: &'a Definition,
    resets: &'a FieldSet,
}

impl<'a> FieldOwners<'a> {
    pub(crate) fn new(write: &'a Write<'_>, create: bool) -> FieldOwners<'a> {
        let resets = &write.info.resets;
        let resets = match resets.parts.get(write.request.subresource) {
            Some(part) => part,
            None if create => &resets.create,
            None => &resets.update,
        };
        FieldOwners { definition: write.definition(), resets }
    }

    /// The empty object in the version of the request, to which an apply that creates is merged.
    pub(crate) fn empty(write: &'a Write<'_>) -> Option<&'a Value> {
        let mut empty = write.info.resets.empty.iter();
        empty.find(|(version, _)| version == write.request.version).map(|(_, object)| object)
    }

    pub(crate) fn resource(&'a self, write: &'a Write<'_>) -> Resource<'a> {
        Resource {
            versions: self,
            api_version: write.api_version(),
            kind: &self.definition.kind,
            subresource: write.request.subresource,
            writes_zero_values: self.definition.conventions.writes_zero_values,
            empty_managed_fields_reset: self.definition.conventions.empty_managed_fields_reset,
            keeps_unsettled_owners: write.context.gates.release().has(Fact::KeepsUnsettledOwners),
        }
    }
}

impl FieldOwners<'_> {
    /// The version of our group that an `apiVersion` says, if there is such a one.
    fn version<'v>(&self, api_version: &'v str) -> Option<&'v str> {
        let (group, version) = split_api_version(api_version);
        (group == self.definition.group() && self.definition.version(version).is_some()).then_some(version)
    }
}

impl Versions for FieldOwners<'_> {
    fn shape(&self, api_version: &str) -> Option<(&Shapes, TypeId)> {
        self.definition.scheme.shape(self.version(api_version)?)
    }

    fn convert(&self, object: &Value, api_version: &str) -> Result<Value, ConvertError> {
        let from = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let (Some(from), Some(to)) = (self.version(from), self.version(api_version)) else {
            return Err(ConvertError::UnknownVersion);
        };
        self.definition.convert(object.clone(), from, to).map_err(|error| ConvertError::Failed(error.to_string()))
    }

    fn reset_fields(&self, _: &str) -> Option<&FieldSet> {
        Some(self.resets)
    }
}

/// `autoscaling/v1` `Scale` as field ownership sees it.
pub(crate) fn scale_resource() -> Resource<'static> {
    Resource {
        versions: &ScaleVersions,
        api_version: "autoscaling/v1",
        kind: "Scale",
        subresource: "scale",
        writes_zero_values: true,
        empty_managed_fields_reset: true,
        keeps_unsettled_owners: true,
    }
}

struct ScaleVersions;

impl Versions for ScaleVersions {
    fn shape(&self, _: &str) -> Option<(&Shapes, TypeId)> {
        Some(scale_shape())
    }

    fn convert(&self, object: &Value, _: &str) -> Result<Value, ConvertError> {
        Ok(object.clone())
    }
}

/// The shape of a `Scale`.
pub fn scale_shape() -> (&'static Shapes, TypeId) {
    (&SCALE.0, SCALE.1)
}

static SCALE: LazyLock<(Shapes, TypeId)> = LazyLock::new(|| {
    let [text, int, any, spec, status] = [0, 1, 2, 3, 4].map(TypeId).map(TypeRef::value);
    let scale = TypeId(5);
    let replicas = Field::new("replicas", "Replicas", int).omit_empty().protobuf(1);
    let members = |fields: Vec<Field>| Kind::of_fields(Cow::Owned(fields));
    let shapes = Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 32, signed: true }),
        TypeShape::new("", Kind::Any),
        TypeShape::new("v1.ScaleSpec", members(vec![replicas])),
        TypeShape::new(
            "v1.ScaleStatus",
            members(vec![
                Field::new("replicas", "Replicas", int).protobuf(1),
                Field::new("selector", "Selector", text).omit_empty().protobuf(2),
            ]),
        ),
        TypeShape::new(
            "v1.Scale",
            members(vec![
                Field::new("metadata", "ObjectMeta", any).omit_empty().protobuf(1),
                Field::new("spec", "Spec", spec).omit_empty().protobuf(2),
                Field::new("status", "Status", status).omit_empty().protobuf(3),
            ]),
        ),
    ]);
    with_object_meta(&shapes, scale)
});

//! Answers in protobuf: which type an object has there.

use sprag_decode::protobuf;
use sprag_rest::{ApiError, Definition, SubresourceKind, scale_shape};
use sprag_shape::{Shapes, TypeId, messages};
use sprag_value::Value;

/// The resource and version whose objects are answered, and the subresource.
#[derive(Clone, Copy)]
pub(crate) struct Place<'d> {
    pub(crate) definition: &'d Definition,
    pub(crate) version: &'d str,
    pub(crate) subresource: &'d str,
}

/// An object in its envelope.
pub(crate) fn encode(value: &Value, place: Option<Place<'_>>) -> Result<Vec<u8>, ApiError> {
    let (api_version, kind) = type_of(value);
    Ok(protobuf::seal(api_version, kind, &message(value, place)?))
}

/// The `apiVersion` and `kind` of an object.
pub(crate) fn type_of(value: &Value) -> (&str, &str) {
    let text = |member: &str| value.get(member).and_then(Value::as_str).unwrap_or_default();
    (text("apiVersion"), text("kind"))
}

/// An object as a message. Statuses, metadata and discovery have types of their own, others that of the resource.
pub(crate) fn message(value: &Value, place: Option<Place<'_>>) -> Result<Vec<u8>, ApiError> {
    let (api_version, kind) = type_of(value);
    let message = match place {
        Some(Place { definition, version, .. })
            if kind == definition.list_kind && definition.group() == group(api_version) =>
        {
            let (shapes, id) = definition.message(version).ok_or_else(|| not_a_message(kind))?;
            protobuf::encode_list(shapes, id, value)
        }
        _ => {
            let of_place = || place.and_then(|place| place.shape(api_version, kind));
            let shape = of_place().or_else(|| general(api_version, kind));
            let (shapes, id) = shape.ok_or_else(|| not_a_message(kind))?;
            protobuf::encode(shapes, id, value)
        }
    };
    message.map_err(|error| ApiError::internal(format_args!("{kind}: {error}")))
}

/// Kinds that are not of a resource.
fn general(api_version: &str, kind: &str) -> Option<(&'static Shapes, TypeId)> {
    let id = match (api_version, kind) {
        ("meta.k8s.io/v1beta1", "PartialObjectMetadataList") => messages::partial_object_metadata_list_v1beta1(),
        _ => messages::of_kind(kind),
    };
    Some((messages::shapes(), id?))
}

fn group(api_version: &str) -> &str {
    sprag_rest::split_api_version(api_version).0
}

// As upstream's serializer/protobuf.errNotMarshalable.
fn not_a_message(kind: &str) -> ApiError {
    let why = "does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";
    ApiError::internal(format_args!("object *{kind} {why}"))
}

impl<'d> Place<'d> {
    fn shape(self, api_version: &str, kind: &str) -> Option<(&'d Shapes, TypeId)> {
        if kind == self.definition.kind && group(api_version) == self.definition.group() {
            return self.definition.message(self.version);
        }
        match &self.definition.version(self.version)?.subresource(self.subresource)?.kind {
            SubresourceKind::Scale(_) if kind == "Scale" => Some(scale_shape()),
            SubresourceKind::Create(sub) if kind == sub.gvk().kind => sub.shape(),
            _ => None,
        }
    }

    /// True if answers can be in protobuf.
    pub(crate) fn answers_protobuf(self) -> bool {
        match self.subresource_kind() {
            // As upstream's crdHandler.getOrCreateServingInfoFor, whose scopes allow no protobuf in answers.
            Some(SubresourceKind::Scale(_)) => self.definition.conventions.registers_scale,
            _ => self.reads_protobuf(),
        }
    }

    /// True if bodies can be in protobuf.
    pub(crate) fn reads_protobuf(self) -> bool {
        match self.subresource_kind() {
            None | Some(SubresourceKind::Part(_)) => self.definition.message(self.version).is_some(),
            Some(SubresourceKind::Scale(_)) => true,
            Some(SubresourceKind::Create(sub)) => sub.shape().is_some(),
            Some(SubresourceKind::Connect(_)) => false,
        }
    }

    fn subresource_kind(self) -> Option<&'d SubresourceKind> {
        Some(&self.definition.version(self.version)?.subresource(self.subresource)?.kind)
    }
}

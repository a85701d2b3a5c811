//! The types that every object has a part of: type, object and list metadata.
//!
//! Go names, JSON names, list types and patch strategies are those of `k8s.io/apimachinery/pkg/apis/meta/v1`.

use std::sync::LazyLock;

use crate::{Field, Kind, ListType, Patch, Shapes, TypeId, TypeRef, TypeShape};

/// `v1.TypeMeta`: `apiVersion` and `kind`.
pub const TYPE_META: TypeId = TypeId(0);
/// `v1.ObjectMeta`: the metadata of an object.
pub const OBJECT_META: TypeId = TypeId(1);
/// `v1.ListMeta`: the metadata of a list.
pub const LIST_META: TypeId = TypeId(2);
/// `v1.OwnerReference`.
pub const OWNER_REFERENCE: TypeId = TypeId(3);
/// `v1.ManagedFieldsEntry`.
pub const MANAGED_FIELDS_ENTRY: TypeId = TypeId(4);

const SHARD_INFO: TypeId = TypeId(5);
const STRING: TypeId = TypeId(6);
const INT64: TypeId = TypeId(7);
const BOOL: TypeId = TypeId(8);
const TIME: TypeId = TypeId(9);
const UID: TypeId = TypeId(10);
const OPERATION: TypeId = TypeId(11);
const FIELDS_V1: TypeId = TypeId(12);
const STRING_MAP: TypeId = TypeId(13);
const STRINGS: TypeId = TypeId(14);
const OWNER_REFERENCES: TypeId = TypeId(15);
const MANAGED_FIELDS: TypeId = TypeId(16);

/// The table of these types; the constants of this module are positions in it.
pub fn shapes() -> &'static Shapes {
    static SHAPES: LazyLock<Shapes> = LazyLock::new(build);
    &SHAPES
}

fn build() -> Shapes {
    let list = |elem: TypeId, list: ListType| TypeShape::new("", Kind::List { elem: TypeRef::value(elem), list });
    let text = TypeRef::value(STRING);
    Shapes::new(vec![
        structure("v1.TypeMeta", type_meta()).doc("Which API an object belongs to."),
        structure("v1.ObjectMeta", object_meta())
            .doc("What every stored object says about itself.")
            .validated_by("ValidateObjectMeta"),
        structure("v1.ListMeta", list_meta()).doc("What a list says about itself."),
        structure("v1.OwnerReference", owner_reference())
            .atomic()
            .doc("An object in the same namespace, or one without namespace, that this one is removed with."),
        structure("v1.ManagedFieldsEntry", managed_fields_entry())
            .doc("The fields that one manager has set, and in which version of the type."),
        structure(
            "v1.ShardInfo",
            vec![string("selector", "Selector").protobuf(1).doc("What the part was selected by.")],
        )
        .doc("Which part of a collection a list is."),
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 64, signed: true }),
        TypeShape::new("", Kind::Bool),
        TypeShape::new("v1.Time", Kind::Time),
        TypeShape::new("types.UID", Kind::String),
        TypeShape::new("v1.ManagedFieldsOperationType", Kind::String),
        TypeShape::new("v1.FieldsV1", Kind::RawExtension),
        TypeShape::new("", Kind::Map { key: text, value: text }),
        list(STRING, ListType::Unset),
        list(OWNER_REFERENCE, ListType::Unset),
        list(MANAGED_FIELDS_ENTRY, ListType::Unset),
    ])
}

fn structure(name: &'static str, fields: Vec<Field>) -> TypeShape {
    TypeShape::new(name, Kind::of_fields(fields.into()))
}

fn string(json: &'static str, name: &'static str) -> Field {
    Field::new(json, name, TypeRef::value(STRING))
}

fn type_meta() -> Vec<Field> {
    vec![
        string("kind", "Kind").omit_empty().doc("The type of the object, in camel case."),
        string("apiVersion", "APIVersion").omit_empty().doc("The group and version of the type."),
    ]
}

fn object_meta() -> Vec<Field> {
    let field = |json, name, id| Field::new(json, name, TypeRef::value(id)).omit_empty();
    let pointer = |json, name, id| Field::new(json, name, TypeRef::pointer(id)).omit_empty();
    vec![
        field("name", "Name", STRING)
            .protobuf(1)
            .doc("Unique among the objects of its type in the namespace. Cannot be changed."),
        field("generateName", "GenerateName", STRING)
            .protobuf(2)
            .doc("What a name begins with that the server makes up."),
        field("namespace", "Namespace", STRING)
            .protobuf(3)
            .doc("Where the name is unique. Empty for objects of the cluster."),
        field("selfLink", "SelfLink", STRING).protobuf(4).deprecated("no longer set"),
        field("uid", "UID", UID).protobuf(5).doc("Unique among all objects that ever were. Set by the server."),
        field("resourceVersion", "ResourceVersion", STRING)
            .protobuf(6)
            .doc("Opaque; differs after each change of the object. Set by the server."),
        field("generation", "Generation", INT64)
            .protobuf(7)
            .doc("Counts the changes of the desired state. Set by the server."),
        field("creationTimestamp", "CreationTimestamp", TIME)
            .protobuf(8)
            .omit_zero()
            .doc("When the object was created. Set by the server."),
        pointer("deletionTimestamp", "DeletionTimestamp", TIME)
            .protobuf(9)
            .doc("When the object is to be removed, once it has no finalizers. Set by the server."),
        pointer("deletionGracePeriodSeconds", "DeletionGracePeriodSeconds", INT64)
            .protobuf(10)
            .doc("How long the removal takes at most. Set by the server."),
        field("labels", "Labels", STRING_MAP).protobuf(11).doc("What the object can be selected by."),
        field("annotations", "Annotations", STRING_MAP).protobuf(12).doc("Notes of tools about the object."),
        field("ownerReferences", "OwnerReferences", OWNER_REFERENCES)
            .protobuf(13)
            .list(ListType::Map(vec!["uid".into()].into()))
            .patch(Patch::merge("uid"))
            .doc("The objects that this one depends on: it goes when they are all gone."),
        field("finalizers", "Finalizers", STRINGS)
            .protobuf(14)
            .list(ListType::Set)
            .patch(Patch::merge(""))
            .doc("Who has to act before the object is removed; each takes its entry away."),
        // An empty list says something, though upstream does not write it.
        Field::new("managedFields", "ManagedFields", TypeRef::value(MANAGED_FIELDS))
            .protobuf(17)
            .omit_zero()
            .list(ListType::Atomic)
            .doc("Who has set which fields. Kept by the server."),
    ]
}

fn list_meta() -> Vec<Field> {
    vec![
        string("selfLink", "SelfLink").protobuf(1).omit_empty().deprecated("no longer set"),
        string("resourceVersion", "ResourceVersion")
            .protobuf(2)
            .omit_empty()
            .doc("Opaque; the state of the store that is shown."),
        string("continue", "Continue").protobuf(3).omit_empty().doc("Opaque; asks for the next part of the list."),
        Field::new("remainingItemCount", "RemainingItemCount", TypeRef::pointer(INT64))
            .protobuf(4)
            .omit_empty()
            .doc("About how many items are in the parts that follow."),
        Field::new("shardInfo", "ShardInfo", TypeRef::pointer(SHARD_INFO))
            .protobuf(5)
            .omit_empty()
            .doc("Set when the list is a selected part of the collection."),
    ]
}

fn owner_reference() -> Vec<Field> {
    let flag = |json, name| Field::new(json, name, TypeRef::pointer(BOOL)).omit_empty();
    vec![
        string("apiVersion", "APIVersion").protobuf(5).required().doc("The group and version of the owner."),
        string("kind", "Kind").protobuf(1).required().doc("The type of the owner."),
        string("name", "Name").protobuf(3).required().doc("The name of the owner."),
        Field::new("uid", "UID", TypeRef::value(UID))
            .protobuf(4)
            .required()
            .doc("The owner itself, should the name be given anew."),
        flag("controller", "Controller").protobuf(6).doc("Whether the owner manages the object."),
        flag("blockOwnerDeletion", "BlockOwnerDeletion")
            .protobuf(7)
            .doc("Whether an owner that is removed in the foreground waits for the object."),
    ]
}

fn managed_fields_entry() -> Vec<Field> {
    let field = |json, name, id| Field::new(json, name, TypeRef::value(id)).omit_empty();
    vec![
        field("manager", "Manager", STRING).protobuf(1).doc("Who manages the fields."),
        field("operation", "Operation", OPERATION).protobuf(2).doc("How they were set: `Apply` or `Update`."),
        field("apiVersion", "APIVersion", STRING)
            .protobuf(3)
            .doc("The version of the type in which the fields are named."),
        Field::new("time", "Time", TypeRef::pointer(TIME)).protobuf(4).omit_empty().doc("When they were set last."),
        field("fieldsType", "FieldsType", STRING).protobuf(6).doc("How the fields are written: `FieldsV1`."),
        Field::new("fieldsV1", "FieldsV1", TypeRef::pointer(FIELDS_V1)).protobuf(7).omit_empty().doc("The fields."),
        field("subresource", "Subresource", STRING)
            .protobuf(8)
            .doc("The subresource that was written to; empty for the object."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_coherent_and_the_constants_are_right() {
        let shapes = shapes();
        assert_eq!(shapes.check(), []);
        let names: Vec<_> = [TYPE_META, OBJECT_META, LIST_META, OWNER_REFERENCE, MANAGED_FIELDS_ENTRY]
            .map(|id| shapes.get(id).name.as_ref())
            .into();
        assert_eq!(
            names,
            ["v1.TypeMeta", "v1.ObjectMeta", "v1.ListMeta", "v1.OwnerReference", "v1.ManagedFieldsEntry"]
        );
    }

    #[test]
    fn types_are_named_as_go_names_them() {
        let shapes = shapes();
        let go = |owner, json| shapes.go_type(shapes.field(owner, json).unwrap().ty.id);
        assert_eq!(go(OBJECT_META, "uid"), "types.UID");
        assert_eq!(go(OBJECT_META, "labels"), "map[string]string");
        assert_eq!(go(OBJECT_META, "ownerReferences"), "[]v1.OwnerReference");
        assert_eq!(go(OBJECT_META, "generation"), "int64");
        assert_eq!(go(MANAGED_FIELDS_ENTRY, "operation"), "v1.ManagedFieldsOperationType");
    }
}

//! The shape of a config map, the one type of Go's that is patched here.

use std::borrow::Cow;

use sprag_shape::{Field, Kind, Shapes, TypeId, TypeRef, TypeShape, meta};

/// The shape of a config map.
pub(crate) fn config_map() -> (Shapes, TypeId) {
    let mut types = meta::shapes().types().to_vec();
    let mut add = |ty: TypeShape| {
        types.push(ty);
        TypeId(u32::try_from(types.len() - 1).unwrap_or(u32::MAX))
    };
    let mut plain = |kind: Kind| add(TypeShape::new("", kind));
    let (text, bool, bytes) = (plain(Kind::String), plain(Kind::Bool), plain(Kind::Bytes));
    let map = |value: TypeId| Kind::Map { key: TypeRef::value(text), value: TypeRef::value(value) };
    let (data, binary) = (plain(map(text)), plain(map(bytes)));
    let fields = vec![
        Field::embedded("TypeMeta", TypeRef::value(meta::TYPE_META)),
        Field::new("metadata", "ObjectMeta", TypeRef::value(meta::OBJECT_META)).omit_empty(),
        Field::new("immutable", "Immutable", TypeRef::pointer(bool)).omit_empty(),
        Field::new("data", "Data", TypeRef::value(data)).omit_empty(),
        Field::new("binaryData", "BinaryData", TypeRef::value(binary)).omit_empty(),
    ];
    let root = add(TypeShape::new("v1.ConfigMap", Kind::of_fields(Cow::Owned(fields))));
    (Shapes::new(types), root)
}

//! Shapes.

use std::borrow::Cow;

use sprag_shape::{Field, Kind, ListType, MapType, Message, Patch, Shapes, TypeId, TypeRef, TypeShape, UnknownFields};

use crate::wire::WireError;
use crate::wire::buffer::{Reader, Wire, Writer, wire_enum, wire_struct};

/// Ids are checked with [`Shapes::check`] when all types are there.
impl Wire for TypeId {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        u32::read(from).map(TypeId)
    }
}

/// Field lookups are not written: [`Shapes::new`] fills them in.
impl Wire for Shapes {
    fn write(&self, to: &mut Writer) {
        self.types().to_vec().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Vec::read(from).map(Shapes::new)
    }
}

wire_struct!(TypeRef { id, nullable });
wire_struct!(TypeShape { name, doc, kind, unknown, atomic, enum_values, union, message, validated_by });
wire_enum!(Message { 0 = OfKind, 1 = Items, 2 = Json, 3 = Union(fields) });
wire_enum!(UnknownFields { 0 = Prune, 1 = Preserve, 2 = Reject });
wire_enum!(ListType { 0 = Unset, 1 = Atomic, 2 = Set, 3 = Map(keys) });
wire_enum!(MapType { 0 = Unset, 1 = Atomic, 2 = Granular });
wire_struct!(Patch { merge, retain_keys, replaces_object, merge_key });
wire_struct!(Field {
    json,
    name,
    ty,
    omit_empty,
    omit_zero,
    inline,
    required,
    map,
    list,
    patch,
    default,
    hides_default,
    doc,
    deprecated,
    protobuf,
});

wire_enum!(Kind {
    0 = String,
    1 = Bool,
    2 = Int { bits, signed },
    3 = Float { bits },
    4 = Bytes,
    5 = List { elem, list },
    6 = Map { key, value },
    7 = Struct { fields, lookup },
    8 = Any,
    9 = Scalar,
    10 = IntOrString,
    11 = Quantity,
    12 = Time,
    13 = MicroTime,
    14 = Duration,
    15 = RawExtension,
});

impl Wire for Cow<'static, [sprag_shape::Slot]> {
    fn write(&self, _: &mut Writer) {}

    fn read(_: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Cow::Borrowed(&[]))
    }
}

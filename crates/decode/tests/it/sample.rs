//! A type with a field of every kind; the recorded answers are about its twin in Go.

use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape, meta};

/// `v1.FieldsV1` in the table of metadata types.
const FIELDS_V1: TypeId = TypeId(12);

struct Table(Vec<TypeShape>);

impl Table {
    fn add(&mut self, name: &'static str, kind: Kind) -> TypeId {
        self.0.push(TypeShape::new(name, kind));
        TypeId(u32::try_from(self.0.len() - 1).unwrap())
    }

    fn list(&mut self, elem: TypeRef) -> TypeId {
        self.add("", Kind::List { elem, list: ListType::Unset })
    }

    fn map(&mut self, key: TypeId, value: TypeId) -> TypeId {
        self.add("", Kind::Map { key: TypeRef::value(key), value: TypeRef::value(value) })
    }
}

/// The table and the type `main.T` in it.
pub(crate) fn shapes() -> (Shapes, TypeId) {
    let mut table = Table(meta::shapes().types().to_vec());
    let string = table.add("", Kind::String);
    let mode = table.add("main.Mode", Kind::String);
    let strings = table.list(TypeRef::value(string));
    let inner = inner(&mut table, string);
    let mut fields = scalars(&mut table, string, mode);
    fields.extend(collections(&mut table, string, mode, strings, inner));
    fields.extend(own_readers(&mut table, mode));
    fields.push(Field::new("metadata", "OM", TypeRef::value(meta::OBJECT_META)).omit_empty());
    fields.push(Field::new("fv", "FV", TypeRef::pointer(FIELDS_V1)).omit_empty());
    let id = table.add("main.T", Kind::of_fields(fields.into()));
    (Shapes::new(table.0), id)
}

fn inner(table: &mut Table, string: TypeId) -> TypeId {
    let int32 = table.add("", Kind::Int { bits: 32, signed: true });
    let inner = TypeId(int32.0 + 2);
    let inners = table.list(TypeRef::value(inner));
    let fields = vec![
        Field::new("a", "A", TypeRef::value(string)),
        Field::new("b", "B", TypeRef::pointer(int32)).omit_empty(),
        Field::new("c", "C", TypeRef::value(inners)).omit_empty(),
    ];
    table.add("main.Inner", Kind::of_fields(fields.into()))
}

fn scalars(table: &mut Table, string: TypeId, mode: TypeId) -> Vec<Field> {
    let mut int = |bits, signed| TypeRef::value(table.add("", Kind::Int { bits, signed }));
    let i8 = int(8, true);
    let u16 = int(16, false);
    let i64 = int(64, true);
    let u64 = int(64, false);
    let f32 = TypeRef::value(table.add("", Kind::Float { bits: 32 }));
    let f64 = TypeRef::value(table.add("", Kind::Float { bits: 64 }));
    let bool = table.add("", Kind::Bool);
    let bytes = TypeRef::value(table.add("", Kind::Bytes));
    vec![
        Field::embedded("TypeMeta", TypeRef::value(meta::TYPE_META)),
        Field::new("s", "S", TypeRef::value(string)),
        Field::new("ps", "PS", TypeRef::pointer(string)).omit_empty(),
        Field::new("i8", "I8", i8),
        Field::new("u16", "U16", u16),
        Field::new("i64", "I64", i64).omit_empty(),
        Field::new("u64", "U64", u64).omit_empty(),
        Field::new("f32", "F32", f32).omit_empty(),
        Field::new("f64", "F64", f64),
        Field::new("b", "B", TypeRef::value(bool)),
        Field::new("pb", "PB", TypeRef::pointer(bool)).omit_empty(),
        Field::new("by", "By", bytes).omit_empty(),
        Field::new("m", "M", TypeRef::value(mode)).omit_empty(),
    ]
}

fn collections(table: &mut Table, string: TypeId, mode: TypeId, strings: TypeId, inner: TypeId) -> Vec<Field> {
    let field = |json, name, id| Field::new(json, name, TypeRef::value(id)).omit_empty();
    let int32 = table.add("", Kind::Int { bits: 32, signed: true });
    let numbers = table.list(TypeRef::value(int32));
    vec![
        Field::new("l", "L", TypeRef::value(strings)),
        field("li", "LI", table.list(TypeRef::value(inner))),
        field("lp", "LP", table.list(TypeRef::pointer(inner))),
        Field::new("ms", "MS", TypeRef::value(table.map(string, string))),
        field("mi", "MI", table.map(string, inner)),
        field("mm", "MM", table.map(mode, mode)),
        field("ml", "ML", table.map(string, numbers)),
        Field::new("in", "In", TypeRef::value(inner)),
        Field::new("pin", "PIn", TypeRef::pointer(inner)).omit_empty(),
        field("ll", "LL", table.list(TypeRef::value(strings))),
    ]
}

fn own_readers(table: &mut Table, mode: TypeId) -> Vec<Field> {
    let quantity = table.add("", Kind::Quantity);
    let quantities = table.map(mode, quantity);
    let [time, micro_time, duration, int_or_string, raw] =
        [Kind::Time, Kind::MicroTime, Kind::Duration, Kind::IntOrString, Kind::RawExtension]
            .map(|kind| table.add("", kind));
    let value = |json, name, id| Field::new(json, name, TypeRef::value(id)).omit_empty();
    let pointer = |json, name, id| Field::new(json, name, TypeRef::pointer(id)).omit_empty();
    vec![
        value("q", "Q", quantity),
        pointer("pq", "PQ", quantity),
        value("mq", "MQ", quantities),
        value("ti", "Ti", time),
        pointer("pti", "PTi", time),
        value("mt", "MT", micro_time),
        Field::new("d", "D", TypeRef::value(duration)),
        pointer("pd", "PD", duration),
        Field::new("is", "IS", TypeRef::value(int_or_string)),
        pointer("pis", "PIS", int_or_string),
        value("r", "R", raw),
    ]
}

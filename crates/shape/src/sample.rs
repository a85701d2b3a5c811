//! A small API for the tests of this crate, once built at run time and once as `static` data.

use std::borrow::Cow;

use crate::{Field, Kind, ListType, Patch, Shapes, Slot, Str, TypeId, TypeRef, TypeShape, UnknownFields};

const STRING: TypeId = TypeId(0);
const INT32: TypeId = TypeId(1);
const TYPE_META: TypeId = TypeId(2);
const META: TypeId = TypeId(3);
const PORT: TypeId = TypeId(4);
const PORTS: TypeId = TypeId(5);
const STRINGS: TypeId = TypeId(6);
const STRING_MAP: TypeId = TypeId(7);
const QUANTITY: TypeId = TypeId(8);
const TIME: TypeId = TypeId(9);
const FLOAT32: TypeId = TypeId(10);
const MODE: TypeId = TypeId(11);
const INT_OR_STRING: TypeId = TypeId(12);
const POINTERS: TypeId = TypeId(13);
const DURATION: TypeId = TypeId(14);
const PORT_MAP: TypeId = TypeId(15);
pub(crate) const SPEC: TypeId = TypeId(16);

fn spec_fields() -> Vec<Field> {
    vec![
        Field::new("replicas", "Replicas", TypeRef::pointer(INT32)).default("1"),
        Field::new("mode", "Mode", TypeRef::value(MODE)).default("\"Fast\"").required(),
        Field::new("limit", "Limit", TypeRef::value(QUANTITY)),
        Field::new("when", "When", TypeRef::value(TIME)),
        Field::new("weight", "Weight", TypeRef::value(FLOAT32)).omit_empty(),
        Field::new("period", "Period", TypeRef::pointer(DURATION)).omit_empty(),
        Field::new("nodeSelector", "NodeSelector", TypeRef::value(STRING_MAP)).omit_empty().atomic(),
        Field::new("args", "Args", TypeRef::value(STRINGS)).omit_empty(),
        Field::new("pointers", "Pointers", TypeRef::value(POINTERS)).omit_empty(),
        Field::new("port", "Port", TypeRef::pointer(INT_OR_STRING)).omit_empty(),
        Field::new("byName", "ByName", TypeRef::value(PORT_MAP)).omit_empty(),
        Field::new("ports", "Ports", TypeRef::value(PORTS))
            .list(ListType::Map(vec!["name".into()].into()))
            .patch(Patch::merge("name").retain_keys()),
    ]
}

pub(crate) fn shapes() -> Shapes {
    let string = TypeRef::value(STRING);
    let port = vec![
        Field::new("name", "Name", string).required(),
        Field::new("protocol", "Protocol", string).default("\"TCP\""),
    ];
    let meta = vec![
        Field::new("name", "Name", string),
        Field::new("created", "Created", TypeRef::value(TIME)).omit_empty().omit_zero(),
        Field::new("deep", "Deep", TypeRef::value(PORT)).omit_zero(),
    ];
    let type_meta = vec![
        Field::new("kind", "Kind", string).omit_empty(),
        Field::new("apiVersion", "APIVersion", string).omit_empty(),
    ];
    let widget = vec![
        Field::embedded("TypeMeta", TypeRef::value(TYPE_META)),
        Field::new("metadata", "ObjectMeta", TypeRef::value(META)).omit_empty(),
        Field::new("spec", "Spec", TypeRef::value(SPEC)),
    ];
    let list = |id: TypeRef, list: ListType| TypeShape::new("", Kind::List { elem: id, list });
    let map = |id: TypeId| TypeShape::new("", Kind::Map { key: string, value: TypeRef::value(id) });
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 32, signed: true }),
        TypeShape::new("v1.TypeMeta", Kind::of_fields(type_meta.into())),
        TypeShape::new("v1.Meta", Kind::of_fields(meta.into())),
        TypeShape::new("v1.Port", Kind::of_fields(port.into())),
        list(TypeRef::value(PORT), ListType::Unset),
        list(string, ListType::Set),
        map(STRING),
        TypeShape::new("", Kind::Quantity),
        TypeShape::new("", Kind::Time),
        TypeShape::new("", Kind::Float { bits: 32 }),
        TypeShape::new("v1.Mode", Kind::String),
        TypeShape::new("", Kind::IntOrString),
        list(TypeRef::pointer(INT32), ListType::Atomic),
        TypeShape::new("", Kind::Duration),
        map(PORT),
        TypeShape::new("v1.WidgetSpec", Kind::of_fields(spec_fields().into())),
        TypeShape::new("v1.Widget", Kind::of_fields(widget.into())),
        TypeShape::new("v1.Open", Kind::of_fields(vec![Field::new("name", "Name", string)].into()))
            .unknown(UnknownFields::Preserve),
    ])
}

static MODES: [Str; 2] = [Cow::Borrowed("Fast"), Cow::Borrowed("Slow")];
static LIST_KEYS: [Str; 1] = [Cow::Borrowed("name")];
static FIELDS: [Field; 2] = [
    Field::new("name", "Name", TypeRef::value(TypeId(0))).required().doc("The name.").default("\"Fast\""),
    Field::new("children", "Children", TypeRef::value(TypeId(2)))
        .omit_empty()
        .list(ListType::Map(Cow::Borrowed(&LIST_KEYS)))
        .patch(Patch::merge("name"))
        .deprecated("since v2"),
];
static LOOKUP: [Slot; 2] = [Slot { owner: TypeId(1), field: 1 }, Slot { owner: TypeId(1), field: 0 }];
static TYPES: [TypeShape; 3] = [
    TypeShape::new("v1.Mode", Kind::String).enum_values(&MODES).doc("How fast."),
    TypeShape::new("v1.Tree", Kind::Struct { fields: Cow::Borrowed(&FIELDS), lookup: Cow::Borrowed(&LOOKUP) }).atomic(),
    TypeShape::new("", Kind::List { elem: TypeRef::pointer(TypeId(1)), list: ListType::Unset }),
];

pub(crate) static STATIC: Shapes = Shapes::from_static(&TYPES);

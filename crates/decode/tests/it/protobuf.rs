//! Messages: what is written and read, upstream's fixtures of kinds that are not of a resource, and input that is hostile.

use std::borrow::Cow;

use sprag_decode::protobuf::{self, MAX_INPUT_BYTES, ProtobufError};
use sprag_decode::{fuzz, typed};
use sprag_shape::{Field, Kind, ListType, Message, Shapes, TypeId, TypeRef, TypeShape, messages};
use sprag_value::{MAX_DEPTH, Value, json};

use crate::random::Random;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/native/codec-fixtures");
const WIDGET: TypeId = TypeId(20);

/// A type with a field of every kind.
fn shapes() -> Shapes {
    let value = TypeRef::value;
    let pointer = TypeRef::pointer;
    let list = |elem: u32| Kind::List { elem: value(TypeId(elem)), list: ListType::Unset };
    let map = |member: u32| Kind::Map { key: value(TypeId(0)), value: value(TypeId(member)) };
    let field = |json: &'static str, id: u32, number: u32| {
        Field::owned(Cow::Borrowed(json), Cow::Borrowed(json), value(TypeId(id))).omit_empty().protobuf(number)
    };
    let inner = Kind::of_fields(vec![field("a", 0, 1), field("b", 1, 2)].into());
    let union = Message::Union(vec![field("", 3, 1), Field::new("", "Schema", pointer(TypeId(15))).protobuf(2)].into());
    let mut embedded = Field::embedded("Inner", value(TypeId(15)));
    embedded.protobuf = 30;
    let mut next = Field::new("next", "Next", pointer(WIDGET)).omit_empty();
    next.protobuf = 31;
    let fields = vec![
        field("text", 0, 1),
        field("int", 1, 2),
        field("long", 2, 3),
        field("flag", 3, 4),
        field("double", 4, 5),
        field("float", 5, 6),
        field("bytes", 6, 7),
        Field::new("time", "Time", pointer(TypeId(7))).omit_empty().protobuf(8),
        Field::new("micro", "Micro", pointer(TypeId(8))).omit_empty().protobuf(9),
        Field::new("duration", "Duration", pointer(TypeId(9))).omit_empty().protobuf(10),
        Field::new("quantity", "Quantity", pointer(TypeId(10))).omit_empty().protobuf(11),
        Field::new("intOrString", "IntOrString", pointer(TypeId(11))).omit_empty().protobuf(12),
        Field::new("raw", "Raw", pointer(TypeId(12))).omit_empty().protobuf(13),
        field("texts", 13, 14),
        field("numbers", 14, 15),
        Field::new("inner", "Inner", pointer(TypeId(15))).omit_empty().protobuf(16),
        field("inners", 16, 17),
        field("labels", 17, 18),
        field("parts", 18, 20),
        Field::new("verbs", "Verbs", value(TypeId(19))).omit_empty().protobuf(21),
        Field::new("orBool", "OrBool", pointer(TypeId(21))).omit_empty().protobuf(22),
        embedded,
        next,
    ];
    let mut verbs = TypeShape::new("v1.Verbs", list(0));
    verbs.message = Message::Items;
    let mut or_bool = TypeShape::new("v1.OrBool", Kind::Any);
    or_bool.message = union;
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 32, signed: true }),
        TypeShape::new("", Kind::Int { bits: 64, signed: true }),
        TypeShape::new("", Kind::Bool),
        TypeShape::new("", Kind::Float { bits: 64 }),
        TypeShape::new("", Kind::Float { bits: 32 }),
        TypeShape::new("", Kind::Bytes),
        TypeShape::new("v1.Time", Kind::Time),
        TypeShape::new("v1.MicroTime", Kind::MicroTime),
        TypeShape::new("v1.Duration", Kind::Duration),
        TypeShape::new("resource.Quantity", Kind::Quantity),
        TypeShape::new("intstr.IntOrString", Kind::IntOrString),
        TypeShape::new("runtime.RawExtension", Kind::RawExtension),
        TypeShape::new("", list(0)),
        TypeShape::new("", list(1)),
        TypeShape::new("v1.Inner", inner),
        TypeShape::new("", list(15)),
        TypeShape::new("", map(0)),
        TypeShape::new("", map(15)),
        verbs,
        TypeShape::new("v1.Widget", Kind::of_fields(fields.into())),
        or_bool,
    ])
}

#[track_caller]
fn reads(bytes: &[u8], expected: &str) {
    let decoded = protobuf::decode(&shapes(), WIDGET, bytes).map(|value| json::to_string(&value));
    assert_eq!(decoded.as_deref(), Ok(expected));
}

#[track_caller]
fn refuses(bytes: &[u8], error: &str) {
    let refused = protobuf::decode(&shapes(), WIDGET, bytes).unwrap_err();
    assert_eq!(refused.to_string(), error);
}

/// An empty message: everything that is not a pointer, list or map.
const NOTHING: &[u8] = b"\x0a\0\x10\0\x18\0\x20\0\x29\0\0\0\0\0\0\0\0\x35\0\0\0\0\xf2\x01\x04\x0a\0\x10\0";

#[test]
fn fields_that_are_no_pointers_are_written_when_they_are_zero() {
    let encoded = protobuf::encode(&shapes(), WIDGET, &Value::object()).unwrap();
    assert_eq!(encoded, NOTHING);
    reads(NOTHING, "{}");
    reads(b"", "{}");
}

#[test]
fn a_value_of_everything_makes_the_trip() {
    let text = r#"{"a":"in","b":-1,"bytes":"AQI=","double":1.5,"duration":"1m30s","flag":true,"float":0.5,"inner":{"a":"x"},"inners":[{},{"b":2}],"int":-7,"intOrString":"50%","labels":{"a":"","b":"c"},"long":9223372036854775807,"micro":"2024-01-02T03:04:05.000006Z","next":{"text":"n"},"numbers":[1,-2,3],"orBool":{"a":"s"},"parts":{"p":{"a":"q"}},"quantity":"1500m","raw":{"k":[1,{}]},"text":"täxt","texts":["","x"],"time":"2024-01-02T03:04:05Z","verbs":["get"]}"#;
    let shapes = shapes();
    let value = json::parse(text.as_bytes()).unwrap();
    let encoded = protobuf::encode(&shapes, WIDGET, &value).unwrap();
    let decoded = protobuf::decode(&shapes, WIDGET, &encoded).unwrap();
    assert_eq!(json::to_string(&decoded), text.replace(r#"{"a":"s"}"#, r#"{"a":"s","b":0}"#));
    assert_eq!(protobuf::encode(&shapes, WIDGET, &decoded).unwrap(), encoded);
}

#[test]
fn pieces_of_a_field_come_together() {
    reads(b"\x0a\x01a\x0a\x01b", r#"{"text":"b"}"#);
    reads(b"\x82\x01\x03\x0a\x01a\x82\x01\x02\x10\x05", r#"{"inner":{"a":"a","b":5}}"#);
    reads(b"\x72\x01a\x72\x01b", r#"{"texts":["a","b"]}"#);
    reads(b"\x92\x01\x06\x0a\x01k\x12\x01a\x92\x01\x06\x0a\x01k\x12\x01b", r#"{"labels":{"k":"b"}}"#);
    reads(b"\x92\x01\0", r#"{"labels":{"":""}}"#);
    reads(b"\x7a\x03\x01\x02\x03\x78\x04", r#"{"numbers":[1,2,3,4]}"#);
    reads(b"\xaa\x01\x03\x0a\x01a\xaa\x01\x03\x0a\x01b", r#"{"verbs":["a","b"]}"#);
    reads(b"\xb2\x01\x02\x08\x01", r#"{"orBool":true}"#);
    reads(b"\xb2\x01\x02\x08\0", r#"{"orBool":false}"#);
    reads(b"\xb2\x01\x04\x08\x01\x12\0", r#"{"orBool":{}}"#);
}

#[test]
fn numbers_are_cut_as_go_cuts_them() {
    reads(b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", r#"{"int":-1}"#);
    reads(b"\x10\x80\x80\x80\x80\x10", "{}");
    reads(b"\x20\x05", r#"{"flag":true}"#);
    reads(b"\x0a\x01\xff", "{\"text\":\"\u{fffd}\"}");
}

#[test]
fn unknown_fields_are_passed_over() {
    reads(b"\xa0\x06\x01\x0a\x01a", r#"{"text":"a"}"#);
    reads(b"\xa1\x06\0\0\0\0\0\0\0\0\xa5\x06\0\0\0\0\xa2\x06\x02ab\x0a\x01a", r#"{"text":"a"}"#);
    reads(b"\xa3\x06\xa3\x06\x08\x01\xa4\x06\xa4\x06\x0a\x01a", r#"{"text":"a"}"#);
    refuses(b"\xa6\x06", "proto: illegal wireType 6");
    refuses(b"\xa3\x06\x08\x01", "unexpected EOF");
}

#[test]
fn malformed_messages_are_refused_in_upstreams_words() {
    refuses(b"\x0a", "unexpected EOF");
    refuses(b"\x0a\x05a", "unexpected EOF");
    refuses(b"\x29\0\0", "unexpected EOF");
    refuses(b"\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "proto: integer overflow");
    refuses(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "proto: negative length found during unmarshaling");
    refuses(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "proto: negative length found during unmarshaling");
    refuses(b"\x0a\xff\xff\xff\xff\xff\xff\xff\x7f", "unexpected EOF");
    refuses(b"\x08\x01", "proto: wrong wireType = 0 for field Text");
    refuses(b"\x12\x01a", "proto: wrong wireType = 2 for field Int");
    refuses(b"\x0c", "proto: Widget: wiretype end group for non-group");
    refuses(b"\x02\0", "proto: Widget: illegal tag 0 (wire type 2)");
    refuses(b"\x82\x01\x01\x0c", "proto: Inner: wiretype end group for non-group");
    refuses(b"\x29\0\0\0\0\0\0\xf8\x7f", "json: unsupported value: NaN");
    refuses(
        b"\x42\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x10\0",
        "Time.MarshalJSON: year outside of range [0,9999]",
    );
    refuses(b"\x62\x02\x08\x02", "impossible IntOrString.Type");
    refuses(b"\x6a\x03\x0a\x01{", "unexpected end of JSON input");
    let quantity = protobuf::decode(&shapes(), WIDGET, b"\x5a\x03\x0a\x01x").unwrap_err().to_string();
    assert!(quantity.starts_with("quantities must match the regular expression"), "{quantity}");
}

#[test]
fn nesting_has_a_limit() {
    let nested = |levels: usize| {
        (0..levels).fold(Vec::new(), |inner: Vec<u8>, _| {
            let mut length = Vec::new();
            let mut rest = inner.len();
            while rest > 0x7f {
                length.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
                rest >>= 7;
            }
            length.push(u8::try_from(rest).unwrap());
            [&[0xfa, 0x01][..], &length, &inner].concat()
        })
    };
    assert!(protobuf::decode(&shapes(), WIDGET, &nested(MAX_DEPTH - 1)).is_ok());
    assert_eq!(protobuf::decode(&shapes(), WIDGET, &nested(MAX_DEPTH + 1)), Err(ProtobufError::TooDeep));
    assert_eq!(protobuf::decode(&shapes(), WIDGET, &vec![0; MAX_INPUT_BYTES + 1]), Err(ProtobufError::TooLarge));
}

#[test]
fn what_does_not_fit_the_type_is_not_written() {
    let error = |text: &str| {
        let value = json::parse(text.as_bytes()).unwrap();
        protobuf::encode(&shapes(), WIDGET, &value).unwrap_err().to_string()
    };
    assert_eq!(error(r#"{"int":"x"}"#), "cannot encode string as int32");
    assert_eq!(error(r#"{"inner":1}"#), "cannot encode number as v1.Inner");
    assert_eq!(error(r#"{"texts":{}}"#), "cannot encode object as []string");
    assert_eq!(error(r#"{"labels":[]}"#), "cannot encode array as map[string]string");
    assert_eq!(error("[]"), "cannot encode array as v1.Widget");
}

#[test]
fn envelopes_are_opened_and_sealed() {
    let sealed = protobuf::seal("v1", "Widget", b"\x0a\0");
    assert_eq!(sealed, b"k8s\0\x0a\x0c\x0a\x02v1\x12\x06Widget\x12\x02\x0a\0\x1a\0\x22\0");
    let envelope = protobuf::open(&sealed).unwrap();
    assert_eq!((&*envelope.api_version, &*envelope.kind, envelope.message), ("v1", "Widget", &b"\x0a\0"[..]));
    let error = |bytes: &[u8]| protobuf::open(bytes).unwrap_err().to_string();
    assert_eq!(error(b""), "empty data");
    assert_eq!(error(b"k8s\0"), "empty body");
    let prefix = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
    assert_eq!(error(b"{}"), prefix);
    assert_eq!(error(b"k8s"), prefix);
    assert_eq!(error(b"k8s\0\x10\x01"), "proto: wrong wireType = 0 for field Raw");
    assert_eq!(error(b"k8s\0\x0a\x02\x0a\x09"), "unexpected EOF");
}

#[test]
fn events_are_framed() {
    assert_eq!(protobuf::watch_event("ADDED", b"xy"), b"\0\0\0\x0d\x0a\x05ADDED\x12\x04\x0a\x02xy");
}

/// Kinds that are answered beside objects, as upstream's fixtures have them.
#[test]
fn fixtures_of_statuses_and_discovery_are_read_and_written() {
    #[expect(clippy::disallowed_methods, reason = "the fixtures are files")]
    let read = |name: &str| std::fs::read(format!("{FIXTURES}/{name}")).ok();
    let shapes = messages::shapes();
    let group = shapes.by_name("v2.APIGroupDiscovery").unwrap();
    let kinds = ["Status", "APIGroup", "APIVersions"].map(|kind| (kind, "core.v1", messages::of_kind(kind).unwrap()));
    for (kind, folder, id) in kinds.into_iter().chain([("APIGroupDiscovery", "apidiscovery.k8s.io.v2", group)]) {
        let (Some(text), Some(bytes)) = (read(&format!("{folder}.{kind}.json")), read(&format!("{folder}.{kind}.pb")))
        else {
            eprintln!("skipped: shared/conformance/native/codec-fixtures is missing");
            return;
        };
        let mut object = typed::decode_json(shapes, id, &text).unwrap().value;
        let envelope = protobuf::open(&bytes).unwrap();
        let encoded = protobuf::encode(shapes, id, &object).unwrap();
        assert_eq!(protobuf::seal(&envelope.api_version, &envelope.kind, &encoded), bytes, "{kind}");
        for member in ["kind", "apiVersion"] {
            object.as_object_mut().unwrap().remove(member);
        }
        assert_eq!(protobuf::decode(shapes, id, envelope.message).unwrap(), object, "{kind}");
    }
}

/// Values of every shape make the trip, and their messages are what upstream would write again.
#[test]
fn random_values_make_the_trip() {
    let shapes = shapes();
    let mut random = Random(0x900D);
    for _ in 0..2_000 {
        let value = typed::round_trip(&shapes, WIDGET, &random_value(&shapes, WIDGET, &mut random, 4));
        let encoded = protobuf::encode(&shapes, WIDGET, &value).unwrap();
        let decoded = protobuf::decode(&shapes, WIDGET, &encoded).unwrap();
        assert_eq!(protobuf::encode(&shapes, WIDGET, &decoded).unwrap(), encoded, "{value:?}");
        assert_eq!(decoded, value);
    }
}

fn random_value(shapes: &Shapes, id: TypeId, random: &mut Random, depth: usize) -> Value {
    let mut text = |texts: &[&str]| Value::from(texts[random.below(texts.len())]);
    match &shapes.get(id).kind {
        Kind::String => text(&[
            "",
            "a",
            "ä\u{0}b",
            "long enough to need more than one byte of length, and then some more of it, so that it does: it is long, and it gets longer",
        ]),
        Kind::Bool | Kind::Any => Value::Bool(random.below(2) == 1),
        Kind::Int { bits: 32, .. } => Value::Int([0, 1, -1, 300, i64::from(i32::MIN)][random.below(5)]),
        Kind::Int { .. } => Value::Int([0, 1, -1, i64::MAX, i64::MIN][random.below(5)]),
        Kind::Float { .. } => Value::from([0.0, 1.5, -0.25][random.below(3)]),
        Kind::Bytes => text(&["AQI=", "AA=="]),
        Kind::Time => text(&["2024-01-02T03:04:05Z", "1969-12-31T23:59:59Z"]),
        Kind::MicroTime => text(&["2024-01-02T03:04:05.000006Z", "1960-01-01T00:00:00.500000Z"]),
        Kind::Duration => text(&["0s", "-1.5s", "1h0m0s"]),
        Kind::Quantity => text(&["0", "1500m", "2Gi"]),
        Kind::IntOrString => [Value::Int(0), Value::Int(-3), Value::from("50%")][random.below(3)].clone(),
        Kind::RawExtension => json::parse([&br#"{"a":[1,"x"]}"#[..], b"[]", b"\"t\""][random.below(3)]).unwrap(),
        Kind::List { elem, .. } => {
            (0..=random.below(3)).map(|_| random_value(shapes, elem.id, random, depth.saturating_sub(1))).collect()
        }
        Kind::Map { value, .. } => (0..random.below(3))
            .map(|at| (format!("k{at}"), random_value(shapes, value.id, random, depth.saturating_sub(1))))
            .collect(),
        Kind::Struct { .. } if depth == 0 => Value::object(),
        Kind::Struct { .. } => {
            let mut members = Value::object();
            for field in shapes.sorted_fields(id) {
                if random.below(3) == 0 {
                    members.insert(field.json.as_ref(), random_value(shapes, field.ty.id, random, depth - 1));
                }
            }
            members
        }
        Kind::Scalar => Value::Null,
    }
}

#[test]
fn mutated_messages_hold() {
    let shapes = shapes();
    let mut random = Random(0x5EED);
    let seeds: Vec<Vec<u8>> = (0..20)
        .map(|_| protobuf::encode(&shapes, WIDGET, &random_value(&shapes, WIDGET, &mut random, 4)).unwrap())
        .collect();
    for _ in 0..6_000 {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(8) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
                _ => bytes.truncate(at + 1),
            }
            if bytes.is_empty() {
                break;
            }
        }
        fuzz::protobuf(&shapes, WIDGET, &bytes);
    }
}

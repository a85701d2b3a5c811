//! Bodies for fuzzing: each takes any bytes and panics when a promise is broken.

use sprag_shape::{Shapes, TypeId, meta};
use sprag_value::{Value, json as value_json};

use crate::{Format, json, locate, metadata, object, protobuf, stream, typed, yaml};

/// YAML is read or refused; what is read prints to YAML and to JSON that read back the same.
pub fn yaml(bytes: &[u8]) {
    let strict = yaml::decode_strict(bytes);
    assert_eq!(yaml::decode(bytes), strict.clone().map(|decoded| decoded.value), "findings do not change the value");
    let Ok(decoded) = strict else { return };
    let printed = yaml::to_string(&decoded.value);
    assert_eq!(yaml::decode(printed.as_bytes()), Ok(decoded.value.clone()), "{printed}");
    let text = value_json::to_string(&decoded.value);
    assert_eq!(json::decode(text.as_bytes()), Ok(decoded.value.clone()), "{text}");
    every_member_is_found(Format::Yaml, bytes, &decoded.value);
}

/// JSON is read or refused by every reader, with and without a type.
pub fn json(bytes: &[u8]) {
    let strict = json::decode_strict(bytes);
    assert_eq!(json::decode(bytes), strict.clone().map(|decoded| decoded.value), "findings do not change the value");
    let typed = typed::decode_json(meta::shapes(), meta::OBJECT_META, bytes);
    if let Ok(typed) = &typed {
        let again = metadata::coerce(&typed.value).map(|decoded| decoded.value);
        assert_eq!(again.as_ref(), Ok(&typed.value), "canonical metadata is canonical");
    }
    let Ok(decoded) = strict else { return };
    assert_eq!(
        metadata::coerce(&decoded.value).is_ok() || metadata::coerce_stored(&decoded.value).is_ok(),
        is_members(&decoded.value)
    );
    let object = object::decode(Format::Json, bytes);
    assert!(object.is_err() || decoded.value.get("kind").is_some());
    if std::str::from_utf8(bytes).is_ok() {
        every_member_is_found(Format::Json, bytes, &decoded.value);
    }
}

/// A message is read or refused, in its envelope and without; what is read is written, and that reads back the same.
pub fn protobuf(shapes: &Shapes, id: TypeId, bytes: &[u8]) {
    if let Ok(envelope) = protobuf::open(bytes) {
        let sealed = protobuf::seal(&envelope.api_version, &envelope.kind, envelope.message);
        assert_eq!(protobuf::open(&sealed).as_ref(), Ok(&envelope));
    }
    let Ok(value) = protobuf::decode(shapes, id, bytes) else { return };
    let message = protobuf::encode(shapes, id, &value).expect("what was read can be written");
    assert_eq!(protobuf::decode(shapes, id, &message), Ok(value));
}

/// Documents of a stream lie one after the other in it.
pub fn stream(bytes: &[u8]) {
    let mut end = 0;
    for document in stream::documents(bytes).take(bytes.len() + 1) {
        let Ok(document) = document else { continue };
        assert!(document.start.offset >= end && !document.value.is_null());
        end = document.start.offset + document.text.len().min(bytes.len() - document.start.offset);
    }
}

fn is_members(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Null)
}

/// The outermost members have places inside of the text.
fn every_member_is_found(format: Format, bytes: &[u8], value: &Value) {
    let Some(members) = value.as_object() else { return };
    for (key, _) in members {
        let place = locate::locate(format, bytes, &format!("[{key}]")).expect("the text can be read");
        assert!(place.value.end.offset <= bytes.len());
    }
}

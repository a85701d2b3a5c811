//! Values and types in the form in which the suites record them.

use serde_json::{Value as Json, json};
use sprag_cel::value::Opaque;
use sprag_cel::{Cx, Type, Val};

/// A value with its type, as `cel-k8s.json` writes it.
pub(crate) fn show<'a>(cx: &Cx<'a>, value: Val<'a>) -> Json {
    let (kind, value) = match value {
        Val::Null => ("null_type", Json::Null),
        Val::Bool(value) => ("bool", json!(value)),
        Val::Int(value) => ("int", json!(value)),
        Val::Uint(value) => ("uint", json!(value)),
        Val::Double(value) if value.is_finite() => ("double", json!(value)),
        Val::Double(value) => (
            "double",
            json!(if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            }),
        ),
        Val::String(value) => ("string", json!(value)),
        Val::Bytes(value) => ("bytes", json!(base64(value))),
        Val::Timestamp(value) => ("timestamp", json!(value.to_rfc3339())),
        Val::Duration(value) => ("duration", json!(sprag_value::Duration::from_nanos(value).to_string())),
        Val::Type(value) => ("type", json!(value)),
        Val::Optional(value) => ("optional", value.map_or(Json::Null, |value| show(cx, *value))),
        Val::Opaque(value) => (opaque_name(value), json!(value.to_string())),
        value => {
            if let Some(list) = value.as_list() {
                ("list", list.iter(cx).map(|element| show(cx, element.unwrap())).collect())
            } else {
                let entries = value.as_map().unwrap().iter(cx).map(Result::unwrap);
                ("map", entries.map(|(key, value)| json!([show(cx, key), show(cx, value)])).collect())
            }
        }
    };
    json!({"type": kind, "value": value})
}

fn opaque_name(value: Opaque<'_>) -> &'static str {
    value.type_name()
}

/// A type by its full names.
pub(crate) fn type_name(ty: &Type) -> String {
    match ty {
        Type::List(element) => format!("list({})", type_name(element)),
        Type::Map(pair) => format!("map({}, {})", type_name(&pair.0), type_name(&pair.1)),
        Type::Optional(inner) => format!("optional_type({})", type_name(inner)),
        Type::Type(Some(inner)) => format!("type({})", type_name(inner)),
        ty => ty.name().to_owned(),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let shown = if digit <= chunk.len() { DIGITS[(bits >> (18 - 6 * digit) & 63) as usize] } else { b'=' };
            text.push(shown as char);
        }
    }
    text
}

//! CEL values and types in the form in which `cel-k8s` records them.

use serde_json::{Value as Json, json};
use sprag_cel::value::Timestamp;
use sprag_cel::{Cx, Type, Val};

/// A value with its type; `Err` is a part that cannot be read.
pub(crate) fn value<'a>(cx: &Cx<'a>, val: Val<'a>) -> Result<Json, String> {
    let (kind, shown) = match val {
        Val::Null => ("null_type", Json::Null),
        Val::Bool(value) => ("bool", json!(value)),
        Val::Int(value) => ("int", json!(value)),
        Val::Uint(value) => ("uint", json!(value)),
        Val::Double(value) => ("double", double(value)),
        Val::String(value) => ("string", json!(value)),
        Val::Bytes(value) => ("bytes", json!(sprag_value::ByteString(value.to_vec()))),
        Val::Timestamp(value) => ("timestamp", json!(Timestamp { offset: 0, ..value }.to_rfc3339())),
        Val::Duration(value) => ("duration", json!(sprag_value::Duration::from_nanos(value).to_string())),
        Val::Type(value) => ("type", json!(value)),
        Val::Optional(None) => ("optional", Json::Null),
        Val::Optional(Some(inner)) => ("optional", value(cx, *inner)?),
        Val::Opaque(value) => (value.type_name(), json!(value.to_string())),
        _ => parts(cx, val)?,
    };
    Ok(json!({"type": kind, "value": shown}))
}

fn double(value: f64) -> Json {
    match value {
        f64::INFINITY => json!("+Inf"),
        f64::NEG_INFINITY => json!("-Inf"),
        _ if value.is_nan() => json!("NaN"),
        _ => json!(value),
    }
}

fn parts<'a>(cx: &Cx<'a>, val: Val<'a>) -> Result<(&'static str, Json), String> {
    let failed = |trap: sprag_cel::Trap<'_>| trap.to_string();
    if let Some(list) = val.as_list() {
        let elements: Result<Vec<Json>, String> =
            list.iter(cx).map(|element| value(cx, element.map_err(failed)?)).collect();
        return Ok(("list", elements?.into()));
    }
    let Some(map) = val.as_map() else { return Err(format!("{} has no recorded form", val.type_name())) };
    let mut entries = Vec::new();
    for (key, val) in map.iter(cx) {
        entries.push(json!([value(cx, key)?, value(cx, val.map_err(failed)?)?]));
    }
    Ok(("map", entries.into()))
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

/// True if two recorded forms mean the same: maps have no order, and whole doubles may be written without a fraction.
pub(crate) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64() && (a.is_f64() || b.is_f64()),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(x), Json::Object(y)) if a["type"] == "map" && b["type"] == "map" => {
            same_entries(&x["value"], &y["value"])
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn same_entries(a: &Json, b: &Json) -> bool {
    let (Json::Array(a), Json::Array(b)) = (a, b) else { return a == b };
    a.len() == b.len() && a.iter().all(|a| b.iter().any(|b| same(a, b)))
}

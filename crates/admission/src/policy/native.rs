//! Values that expressions make, as JSON.

use sprag_cel::value::Made;
use sprag_cel::{Cx, Val};
use sprag_value::{Object, Value, base64};

/// The largest whole number that upstream writes as one in patches; beyond, it writes text.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// The conversion of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Unchanged, as in apply configurations.
    Kept,
    /// Those of JSON, as in patches: upstream writes a protobuf `Value`.
    Json,
}

/// The value as JSON, or why it cannot be JSON.
// As upstream's dynamic.convertField and ConvertToNative(structpb.Value).
pub(crate) fn to_json<'a>(cx: &Cx<'a>, value: Val<'a>, numbers: Numbers) -> Result<Value, String> {
    Ok(match value {
        Val::Null | Val::Optional(None) => Value::Null,
        Val::Bool(value) => Value::Bool(value),
        Val::Int(value) if numbers == Numbers::Json && !(-MAX_SAFE..=MAX_SAFE).contains(&value) => {
            Value::from(value.to_string())
        }
        Val::Int(value) => Value::Int(value),
        Val::Uint(value) => match i64::try_from(value) {
            Ok(value) if numbers == Numbers::Kept || value <= MAX_SAFE => Value::Int(value),
            _ => Value::from(value.to_string()),
        },
        Val::Double(value) => number(value, numbers),
        Val::String(text) | Val::Type(text) => Value::from(text),
        Val::Bytes(bytes) => Value::from(base64::encode(bytes)),
        Val::Timestamp(time) => Value::from(time.to_rfc3339()),
        Val::Duration(nanos) => Value::from(seconds(nanos)),
        Val::Optional(Some(value)) => to_json(cx, *value, numbers)?,
        Val::Made(made) => made_object(cx, made, numbers)?,
        Val::Opaque(_) | Val::Lazy => {
            return Err(format!("type conversion error from '{}' to 'structpb.Value'", value.type_name()));
        }
        _ => match (value.as_list(), value.as_map()) {
            (Some(list), _) => {
                let elements = list.iter(cx).map(|element| match element {
                    Ok(element) => to_json(cx, element, numbers),
                    Err(trap) => Err(trap.to_string()),
                });
                Value::Array(elements.collect::<Result<_, String>>()?)
            }
            (_, Some(map)) => {
                let mut object = Object::new();
                for (key, value) in map.iter(cx) {
                    let Val::String(key) = key else {
                        return Err(format!("map key {} is not a string", key.literal(cx)));
                    };
                    let value = value.map_err(|trap| trap.to_string())?;
                    object.insert(key, to_json(cx, value, numbers)?);
                }
                Value::Object(object)
            }
            _ => Value::Null,
        },
    })
}

fn made_object<'a>(cx: &Cx<'a>, made: &Made<'a>, numbers: Numbers) -> Result<Value, String> {
    let mut object = Object::with_capacity(made.fields.len());
    for (name, value) in made.fields {
        let value = to_json(cx, *value, numbers).map_err(|why| format!("fail to convert field {name:?}: {why}"))?;
        object.insert(*name, value);
    }
    Ok(Value::Object(object))
}

/// Go writes a whole double as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
fn number(value: f64, numbers: Numbers) -> Value {
    if !value.is_finite() {
        let text = if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        return Value::from(text);
    }
    if numbers == Numbers::Json && value.fract() == 0.0 && value.abs() < 9e18 {
        return Value::Int(value as i64);
    }
    Value::Float(value)
}

/// A duration as the JSON of protobuf has it.
fn seconds(nanos: i64) -> String {
    let whole = nanos / 1_000_000_000;
    let rest = nanos % 1_000_000_000;
    if rest == 0 {
        return format!("{whole}s");
    }
    let sign = if nanos < 0 { "-" } else { "" };
    let digits = format!("{:09}", rest.abs());
    let digits = match (digits.ends_with("000000"), digits.ends_with("000")) {
        (true, _) => &digits[..3],
        (_, true) => &digits[..6],
        _ => &digits,
    };
    format!("{sign}{}.{digits}s", whole.abs())
}

/// Checks that the types of objects within objects are named by the fields they are in: `Object.spec` in `spec`.
// As upstream's ObjectVal.CheckTypeNamesMatchFieldPathNames.
pub(crate) fn check_names<'a>(made: &'a Made<'a>) -> Result<(), String> {
    let mut flaws = Vec::new();
    name_flaws(Val::Made(made), made.name, &mut flaws);
    if flaws.is_empty() { Ok(()) } else { Err(format!("type mismatch: {}", flaws.join("\n"))) }
}

fn name_flaws(value: Val<'_>, expected: &str, flaws: &mut Vec<String>) {
    match value {
        Val::Made(made) => {
            if made.name != expected {
                flaws.push(format!(
                    "unexpected type name {:?}, expected {expected:?}, which matches field name path from root Object type",
                    made.name
                ));
            }
            for (name, value) in made.fields {
                name_flaws(*value, &format!("{expected}.{name}"), flaws);
            }
        }
        Val::List(elements) => elements.iter().for_each(|element| name_flaws(*element, expected, flaws)),
        Val::Map(entries) => entries.iter().for_each(|(_, value)| name_flaws(*value, expected, flaws)),
        _ => {}
    }
}

/// Collects errors about bytes in an apply configuration: no field takes them, and upstream does not write them as
/// text.
pub(crate) fn bytes_flaws<'a>(cx: &Cx<'a>, value: Val<'a>, path: &str, flaws: &mut Vec<String>) {
    match value {
        Val::Bytes(bytes) => {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#x}")).collect();
            let bytes = bytes.join(", ");
            flaws.push(format!("{path}: expected string, got &value.valueUnstructured{{Value:[]uint8{{{bytes}}}}}"));
        }
        Val::Made(made) => {
            made.fields.iter().for_each(|(name, value)| bytes_flaws(cx, *value, &format!("{path}.{name}"), flaws));
        }
        _ => {
            let entries = value.as_map().into_iter().flat_map(|map| map.iter(cx));
            for (key, value) in entries {
                let (Val::String(key), Ok(value)) = (key, value) else { continue };
                bytes_flaws(cx, value, &format!("{path}.{key}"), flaws);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_cel::Scratch;
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(value: Val<'_>, numbers: Numbers, expected: &str) {
        let scratch = Scratch::default();
        let text = to_json(&scratch.cx(), value, numbers).map(|value| json::to_string_plain(&value));
        assert_eq!(text.as_deref(), Ok(expected));
    }

    #[test]
    fn numbers_of_patches_are_those_of_protobuf() {
        check(Val::Int(MAX_SAFE), Numbers::Json, "9007199254740991");
        check(Val::Int(MAX_SAFE + 1), Numbers::Json, "\"9007199254740992\"");
        check(Val::Int(MAX_SAFE + 1), Numbers::Kept, "9007199254740992");
        check(Val::Double(3.0), Numbers::Json, "3");
        check(Val::Double(1.5), Numbers::Json, "1.5");
        check(Val::Duration(5_400_000_000_000), Numbers::Json, "\"5400s\"");
        check(Val::Duration(1_500_000_000), Numbers::Json, "\"1.500s\"");
        check(Val::Bytes(b"abc"), Numbers::Json, "\"YWJj\"");
    }

    #[test]
    fn types_are_named_by_their_fields() {
        let inner = Made { name: "Object.metadata", fields: &[] };
        let fields = [("spec", Val::Made(&inner))];
        let made = Made { name: "Object", fields: &fields };
        assert_eq!(
            check_names(&made).unwrap_err(),
            "type mismatch: unexpected type name \"Object.metadata\", expected \"Object.spec\", which matches field name path from \
             root Object type"
        );
    }
}

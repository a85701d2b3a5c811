//! Values compared by the JSON they print as, without printing them: `1` and `1.0` look alike, `0.0` and `-0.0` do not.

use std::hash::{Hash, Hasher};

use sprag_value::{Value, json};

/// Integers up to this size print like the float of the same value.
const MAX_EXACT: i64 = 1 << 53;

/// True if two values print alike.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Int(int), Value::Float(float)) | (Value::Float(float), Value::Int(int)) => same_number(*int, *float),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((ka, va), (kb, vb))| ka == kb && same(va, vb))
        }
        (a, b) => a == b,
    }
}

#[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "exact within the limit")]
fn same_number(int: i64, float: f64) -> bool {
    if (-MAX_EXACT..=MAX_EXACT).contains(&int) {
        return int as f64 == float && !(int == 0 && float.is_sign_negative());
    }
    json::to_string(&Value::Int(int)) == json::to_string(&Value::Float(float))
}

/// Feeds a value to a hasher so that values that print alike have one hash.
pub(crate) fn hash<H: Hasher>(value: &Value, state: &mut H) {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "collisions are resolved by comparing")]
        Value::Int(int) => (*int as f64).to_bits().hash(state),
        Value::Float(float) => float.to_bits().hash(state),
        Value::Array(array) => array.iter().for_each(|value| hash(value, state)),
        Value::Object(object) => {
            for (key, value) in object {
                key.hash(state);
                hash(value, state);
            }
        }
        value => value.hash(state),
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hasher};

    use sprag_value::{Value, json};

    use super::{hash, same};

    #[test]
    fn alike_is_what_prints_alike() {
        let values = [
            "null",
            "0",
            "0.0",
            "-0.0",
            "1",
            "1.0",
            "1.5",
            "9007199254740993",
            "9007199254740992.0",
            "1152921504606846976",
            "1152921504606847000",
            "1152921504606846976.0",
            r#""1""#,
            "[1]",
            "[1.0]",
            "[[1]]",
            r#"{"a":1}"#,
            r#"{"a":1.0}"#,
            r#"{"a":2}"#,
            "{}",
            "[]",
            "true",
        ];
        let values: Vec<Value> = values.iter().map(|text| json::parse(text.as_bytes()).unwrap()).collect();
        for a in &values {
            for b in &values {
                let alike = json::to_string(a) == json::to_string(b);
                assert_eq!(same(a, b), alike, "{a:?} and {b:?}");
                let hash_of = |value: &Value| {
                    let mut hasher = DefaultHasher::new();
                    hash(value, &mut hasher);
                    hasher.finish()
                };
                assert!(!alike || hash_of(a) == hash_of(b), "{a:?} and {b:?}");
            }
        }
    }
}

//! The metadata of custom resources, which is typed although the rest of the object is not.

use sprag_shape::meta;
use sprag_value::{Object, Value};

use crate::Decoded;
use crate::typed::{self, Misfit};

/// Reads the `metadata` of a request: what does not fit is an error, unknown fields are dropped and reported with paths
/// that begin inside of the metadata.
///
/// ```
/// use sprag_decode::metadata;
/// use sprag_value::json;
///
/// let given = json::parse(br#"{"labels": {"a": 1}}"#)?;
/// let text = "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string";
/// assert_eq!(metadata::coerce(&given).unwrap_err().to_string(), text);
/// # Ok::<(), json::JsonError>(())
/// ```
pub fn coerce(metadata: &Value) -> Result<Decoded, Misfit> {
    typed::decode(meta::shapes(), meta::OBJECT_META, metadata)
}

/// Metadata in the store that is not an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid metadata: expected object, got {found}")]
pub struct NoObject {
    /// The Go type of what was found.
    pub found: &'static str,
}

/// Reads the `metadata` of a stored object: fields that do not fit are dropped one by one.
pub fn coerce_stored(metadata: &Value) -> Result<Decoded, NoObject> {
    if let Ok(decoded) = coerce(metadata) {
        return Ok(decoded);
    }
    match metadata {
        Value::Object(members) => Ok(coerce_fields(members)),
        other => Err(NoObject { found: other.go_type() }),
    }
}

fn coerce_fields(members: &Object) -> Decoded {
    let mut kept = Object::new();
    let mut findings = Vec::new();
    for (key, value) in members {
        let field = Value::Object([(key, value.clone())].into());
        if let Ok(decoded) = coerce(&field) {
            kept.insert(key, value.clone());
            findings.extend(decoded.findings);
        }
    }
    Decoded::new(typed::round_trip(meta::shapes(), meta::OBJECT_META, &Value::Object(kept)), findings)
}

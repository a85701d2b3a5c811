//! Values against declared types, as the JSON library of Kubernetes reads them into Go structs.
//!
//! A value that fits is checked and put in canonical form in one walk that keeps no paths. When something is wrong, a
//! second walk in the order of the text finds the words and places that upstream has for it.

mod canonical;
mod explain;
mod merge;
mod ordered;
mod unprinted;

use sprag_shape::{Shapes, TypeId, TypeRef};
use sprag_value::Value;
use sprag_value::json::JsonError;

use self::canonical::{Canonicalizer, Source};
use self::ordered::Ordered;
pub use self::unprinted::Unprinted;
use crate::json;
use crate::yaml::{self, YamlError};
use crate::{Decoded, utf8};

/// Errors of decoding a text or value into a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypedError {
    /// The text is not JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The text is not YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A value does not fit the type of its field.
    #[error(transparent)]
    Misfit(#[from] Misfit),
}

/// A value that does not fit the type of its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Misfit {
    /// The error text of Go: `json: cannot unmarshal number into Go struct field …`.
    pub text: String,
    /// The path of the value: `spec.list[0].name`.
    pub path: String,
}

/// Reads JSON text into a type. Findings are in the order of the text, the value is what Go prints of the struct.
///
/// ```
/// use sprag_decode::typed;
/// use sprag_shape::meta;
///
/// let text = br#"{"name": "a", "nmae": 1, "creationTimestamp": null}"#;
/// let decoded = typed::decode_json(meta::shapes(), meta::OBJECT_META, text)?;
/// assert_eq!(format!("{:?}", decoded.value), r#"{"name": "a"}"#);
/// assert_eq!(decoded.findings[0].to_string(), r#"unknown field "nmae""#);
/// # Ok::<(), typed::TypedError>(())
/// ```
pub fn decode_json(shapes: &Shapes, id: TypeId, text: &[u8]) -> Result<Decoded, TypedError> {
    let duplicates = match json::parse(text) {
        Ok(parsed) if !parsed.has_duplicates => {
            let mut canonicalizer = Canonicalizer::new(shapes, Source::Text);
            let value = canonicalizer.canonical(TypeRef::value(id), &parsed.value);
            if canonicalizer.fits() {
                return Ok(canonicalizer.decoded(id, &parsed.value, value, Vec::new()));
            }
            false
        }
        Ok(_) => true,
        // A number that is out of range may stand where nothing reads it.
        Err(error) if matches!(error.kind(), sprag_value::json::JsonErrorKind::NumberRange { .. }) => true,
        Err(error) => return Err(error.into()),
    };
    let text = utf8::replace_invalid(text);
    let ordered = Ordered::read(text.as_bytes())?;
    let findings = explain::explain(shapes, id, &ordered)?;
    let given = if duplicates { merge::merged(shapes, id, &ordered) } else { ordered.to_value() };
    let mut canonicalizer = Canonicalizer::new(shapes, Source::Text);
    let value = canonicalizer.canonical(TypeRef::value(id), &given);
    Ok(canonicalizer.decoded(id, &given, value, findings))
}

/// Reads the first document of YAML text into a type. Repeated keys come first among the findings, the others are
/// sorted.
pub fn decode_yaml(shapes: &Shapes, id: TypeId, text: &[u8]) -> Result<Decoded, TypedError> {
    let Decoded { value, mut findings, .. } = yaml::decode_strict(text)?;
    let mut typed = decode(shapes, id, &value).map_err(|misfit| {
        let ordered = Ordered::with_integers(&value, yaml::wide_integers(text));
        explain::explain(shapes, id, &ordered).err().unwrap_or(misfit)
    })?;
    findings.append(&mut typed.findings);
    Ok(Decoded { findings, ..typed })
}

/// Reads a value into a type; findings are sorted, as upstream prints a map before it reads it into a struct.
pub fn decode(shapes: &Shapes, id: TypeId, value: &Value) -> Result<Decoded, Misfit> {
    decode_from(Source::Value, shapes, id, value)
}

/// The same for a value that was read from JSON text before and is not printed in between, which makes integers of floats
/// that have no fraction.
pub fn decode_parsed(shapes: &Shapes, id: TypeId, value: &Value) -> Result<Decoded, Misfit> {
    decode_from(Source::Text, shapes, id, value)
}

fn decode_from(source: Source, shapes: &Shapes, id: TypeId, value: &Value) -> Result<Decoded, Misfit> {
    let mut canonicalizer = Canonicalizer::new(shapes, source);
    let canonical = canonicalizer.canonical(TypeRef::value(id), value);
    let findings = if canonicalizer.fits() { Vec::new() } else { explain::explain(shapes, id, &Ordered::from(value))? };
    Ok(canonicalizer.decoded(id, value, canonical, findings))
}

/// The value after a round trip through the Go type, which reads and prints it: undeclared members are gone, fields that are always
/// printed are there, quantities and times are in canonical form. What does not fit stays as it is.
pub fn round_trip(shapes: &Shapes, id: TypeId, value: &Value) -> Value {
    Canonicalizer::new(shapes, Source::Value).canonical(TypeRef::value(id), value)
}

/// The same, with what Go holds after reading it and does not print.
pub fn read_back(shapes: &Shapes, id: TypeId, value: &Value) -> Decoded {
    let mut canonicalizer = Canonicalizer::new(shapes, Source::Value);
    let canonical = canonicalizer.canonical(TypeRef::value(id), value);
    canonicalizer.decoded(id, value, canonical, Vec::new())
}

/// The same for a value that fits its type and has nothing undeclared; nothing for any other.
pub fn read_fitting(shapes: &Shapes, id: TypeId, value: &Value) -> Option<Decoded> {
    let mut canonicalizer = Canonicalizer::new(shapes, Source::Value);
    let canonical = canonicalizer.canonical(TypeRef::value(id), value);
    canonicalizer.fits().then(|| canonicalizer.decoded(id, value, canonical, Vec::new()))
}

/// The kind of a value in Go's error texts.
pub(crate) fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use sprag_shape::meta::{OBJECT_META, shapes};

    use super::{decode_json, decode_yaml};

    #[test]
    fn a_pointer_to_the_zero_time_is_read_back_as_none() {
        let text = br#"{"name":"a","deletionTimestamp":"0001-01-01T00:00:00Z"}"#;
        let decoded = decode_json(shapes(), OBJECT_META, text).unwrap();
        assert_eq!(sprag_value::json::to_string(&decoded.value), r#"{"name":"a"}"#);
    }

    #[test]
    fn integers_of_yaml_keep_their_digits_in_errors() {
        let error = |number: &str| {
            let text = format!("generation: {number}\n");
            decode_yaml(shapes(), OBJECT_META, text.as_bytes()).unwrap_err().to_string()
        };
        let check = |number: &str, shown: &str| {
            let expected = format!(
                "json: cannot unmarshal number {shown} into Go struct field ObjectMeta.generation of type int64"
            );
            assert_eq!(error(number), expected);
        };
        check("9223372036854775809", "9223372036854775809");
        check("0xFFFFFFFFFFFFFFFF", "18446744073709551615");
        check("18446744073709551616", "18446744073709552000");
        check("-9223372036854775809", "-9223372036854776000");
        check("1e21", "1e+21");
    }
}

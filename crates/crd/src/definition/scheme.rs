//! Decoding and defaulting of definitions.

use sprag_decode::protobuf::{self, ProtobufError};
use sprag_decode::typed::{self, TypedError};
use sprag_decode::{json, yaml};
use sprag_rest::{Decoded, Format, Release, Scheme, Unreadable};
use sprag_schema::crd::{prepare, shapes};
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use super::VERSION;

pub(super) struct DefinitionScheme {
    pub(super) release: Release,
}

impl DefinitionScheme {
    fn shapes(&self) -> &'static Shapes {
        shapes::shapes_of(self.release)
    }
}

/// The error for a definition that could not be decoded.
fn decode_error(error: TypedError, text: &[u8], format: Format) -> TypedError {
    let TypedError::Misfit(misfit) = error else { return error };
    let manifest = match format {
        Format::Json => json::decode(text).ok(),
        Format::Yaml => yaml::decode(text).ok(),
    };
    match manifest {
        Some(manifest) => shapes::first_error(misfit, &manifest).into(),
        None => misfit.into(),
    }
}

impl Scheme for DefinitionScheme {
    fn hub<'a>(&'a self, _: &'a str) -> &'a str {
        VERSION
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        (version == VERSION).then(|| (self.shapes(), shapes::definition()))
    }

    fn read(&self, _: &str, text: &[u8], format: Format, _: bool) -> Result<Decoded, Unreadable> {
        let decode = match format {
            Format::Json => typed::decode_json,
            Format::Yaml => typed::decode_yaml,
        };
        let decoded =
            decode(self.shapes(), shapes::definition(), text).map_err(|error| decode_error(error, text, format))?;
        let Decoded { mut value, findings, .. } = decoded;
        shapes::coerce_schemas(&mut value)?;
        Ok(Decoded::new(value, findings))
    }

    fn read_message(&self, _: &str, message: &[u8]) -> Result<Value, ProtobufError> {
        let mut value = protobuf::decode(self.shapes(), shapes::definition(), message)?;
        shapes::coerce_schemas(&mut value).map_err(|misfit| ProtobufError::Content(misfit.to_string()))?;
        Ok(value)
    }

    fn complete(&self, _: &str, object: &mut Value) -> Result<(), String> {
        prepare::set_defaults(object);
        Ok(())
    }

    fn place_in_source(&self) -> &'static str {
        "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:56"
    }

    fn convert(&self, object: Value, _: &str, _: &str) -> Result<Value, String> {
        Ok(object)
    }
}

//! Decoding, defaulting and conversion of custom resources.

use std::sync::Arc;

use sprag_decode::{Finding, object};
use sprag_rest::{Decoded, Format, NotConverted, Scheme, Unreadable};
use sprag_schema::{CustomResource, DecodeError};
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use super::compiled::{Compiled, CompiledVersion};
use crate::conversion::Converter;

/// The members that say what type an object has.
const TYPE: [&str; 2] = ["apiVersion", "kind"];

/// The position in upstream's source of the scheme of a custom resource's version: it knows only the types of the
/// parameters.
const PARAMETER_SCHEME: &str = "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781";

pub(super) struct InstanceScheme {
    compiled: Arc<Compiled>,
    /// The webhook that converts objects, if there is one.
    converter: Option<Converter>,
}

impl InstanceScheme {
    pub(super) fn new(compiled: Arc<Compiled>, converter: Option<Converter>) -> InstanceScheme {
        InstanceScheme { compiled, converter }
    }

    fn version(&self, name: &str) -> Result<&CompiledVersion, String> {
        self.compiled.version(name).ok_or_else(|| format!("no schema for version {name:?}"))
    }
}

fn unreadable(DecodeError { text, field }: DecodeError) -> Unreadable {
    Unreadable { text, field }
}

impl Scheme for InstanceScheme {
    fn hub<'a>(&'a self, requested: &'a str) -> &'a str {
        requested
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        self.compiled.version(version)?.shape()
    }

    fn read(&self, version: &str, text: &[u8], format: Format, _: bool) -> Result<Decoded, Unreadable> {
        let resource = &self.version(version)?.resource;
        let document = object::decode(format, text).map_err(|error| error.to_string())?;
        let decoded = resource.decode(document.value).map_err(unreadable)?;
        let mut findings = document.findings;
        findings.extend(pruned(decoded.unknown_fields));
        let mut value = decoded.object;
        if let Some(version) = value.get("apiVersion").and_then(Value::as_str).and_then(|it| it.strip_prefix('/')) {
            let version = version.to_owned();
            value.insert("apiVersion", version);
        }
        Ok(Decoded::new(value, findings))
    }

    fn read_object(&self, version: &str, object: Value) -> Result<Decoded, Unreadable> {
        let decoded = self.version(version)?.resource.decode(object).map_err(unreadable)?;
        Ok(Decoded::new(decoded.object, pruned(decoded.unknown_fields).collect()))
    }

    fn read_stored(&self, version: &str, object: Value) -> Result<Value, String> {
        let decoded = self.version(version)?.resource.decode_stored(object).map_err(|error| error.to_string())?;
        Ok(decoded.object)
    }

    fn read_value(&self, version: &str, value: &dyn Fn() -> Option<Value>) -> Option<Value> {
        let value = value()?;
        let resource = &self.version(version).ok()?.resource;
        let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        // Names match in any case where version and kind are looked for.
        let is_odd = |key: &str| !TYPE.contains(&key) && TYPE.iter().any(|name| key.eq_ignore_ascii_case(name));
        if text("kind").is_none()
            || text("apiVersion") != Some(resource.api_version())
            || value.as_object()?.keys().any(|key| is_odd(key))
        {
            return None;
        }
        let decoded = resource.decode(value).ok()?;
        decoded.unknown_fields.is_empty().then_some(decoded.object)
    }

    fn read_applied(&self, _: &str, mut object: Value) -> Result<Decoded, String> {
        CustomResource::restore_metadata(&mut object);
        Ok(Decoded::new(object, Vec::new()))
    }

    fn complete(&self, version: &str, object: &mut Value) -> Result<(), String> {
        self.version(version)?.resource.default(object).map_err(|error| error.to_string())
    }

    fn complete_stored(&self, version: &str, object: &mut Value) -> Result<(), String> {
        self.version(version)?.resource.prune(object);
        self.complete(version, object)
    }

    fn place_in_source(&self) -> &'static str {
        PARAMETER_SCHEME
    }

    fn convert(&self, mut object: Value, from: &str, to: &str) -> Result<Value, String> {
        if self.converter.is_some() {
            let converted = self.convert_all(vec![object], from, to);
            return converted.map(|mut objects| objects.pop().unwrap_or_default()).map_err(|failed| failed.error);
        }
        self.version(to)?.resource.prune(&mut object);
        Ok(object)
    }

    fn convert_all(&self, mut objects: Vec<Value>, _: &str, to: &str) -> Result<Vec<Value>, NotConverted<String>> {
        if let Some(converter) = &self.converter {
            objects = converter.convert(objects, to)?;
        }
        let resource = &self.version(to)?.resource;
        for object in &mut objects {
            resource.prune(object);
        }
        Ok(objects)
    }

    fn converts_remotely(&self) -> bool {
        self.converter.is_some()
    }

    fn generation(&self) -> u64 {
        self.compiled.generation()
    }
}

fn pruned(paths: Vec<String>) -> impl Iterator<Item = Finding> {
    paths.into_iter().map(|path| Finding::PrunedField { path })
}

//! Reading, completing and converting objects of a program's kind.

use std::sync::Arc;

use sprag_checks::object_meta::FieldRules;
use sprag_decode::{Decoded, Format, typed};
use sprag_field::Error;
use sprag_program::{DefId, Program};
use sprag_shape::{Shapes, TypeId, apply_defaults};
use sprag_value::{Time, Value};

use super::{CompleteWith, Convertible, Shared, ShowValues, Stamp};
use crate::gated::{Gated, without_disabled};
use crate::gates::FeatureGates;
use crate::names::GroupResource;
use crate::object_shape::fill_in;
use crate::spoke::Spoke;
use crate::strategy::Scheme;
use crate::typed::{Complete, read_typed};
use crate::unreadable::Unreadable;

/// Reads and completes objects by their shape.
#[derive(Clone)]
pub(super) struct ProgramScheme {
    pub(super) version: String,
    /// The rules to publish.
    pub(super) rules: Option<(Arc<Program>, DefId)>,
    pub(super) shapes: Arc<Shapes>,
    pub(super) shape: TypeId,
    pub(super) gated: Arc<[Gated]>,
    pub(super) convertible: Option<Convertible>,
    pub(super) field_annotations: &'static [&'static str],
    pub(super) complete: Option<Arc<Complete>>,
    pub(super) complete_with: Option<Arc<CompleteWith>>,
    pub(super) stamp: Option<Arc<Stamp>>,
    pub(super) completes_by_empty_lists: bool,
    pub(super) canonicalize: Option<Arc<Complete>>,
    pub(super) shared: Option<Shared>,
    pub(super) spokes: Arc<[Spoke]>,
    pub(super) metadata_rules: &'static dyn FieldRules,
    pub(super) declares_name: bool,
    /// Stored objects lose what the release does not know.
    pub(super) drops_newer: bool,
    pub(super) show_values: Option<ShowValues>,
}

impl ProgramScheme {
    fn spoke(&self, version: &str) -> Option<&Spoke> {
        self.spokes.iter().find(|spoke| spoke.version == version)
    }

    /// The type of a version: that of the hub where it has no other.
    fn ty(&self, version: &str) -> (&Shapes, TypeId) {
        self.spoke(version).map_or((&self.shapes, self.shape), |spoke| (&spoke.shapes, spoke.shape))
    }

    fn check(&self, object: &Value) -> Result<(), String> {
        self.convertible.map_or(Ok(()), |check| check(object))
    }
}

impl Scheme for ProgramScheme {
    fn hub<'a>(&'a self, _: &'a str) -> &'a str {
        &self.version
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        (version == self.version || self.spoke(version).is_some()).then(|| self.ty(version))
    }

    fn metadata_rules(&self) -> &dyn FieldRules {
        self.metadata_rules
    }

    fn declares_name(&self) -> bool {
        self.declares_name
    }

    fn show_values(&self, errors: &mut [Error]) {
        if let Some(show) = self.show_values {
            show(self.shape, errors);
        }
    }

    fn rules(&self, version: &str) -> Option<(Arc<Program>, DefId)> {
        self.rules.clone().filter(|_| version == self.version)
    }

    fn read(&self, version: &str, text: &[u8], format: Format, _: bool) -> Result<Decoded, Unreadable> {
        let (shapes, shape) = self.ty(version);
        let read = read_typed(shapes, shape, text, format)?;
        self.check(&read.value)?;
        Ok(read)
    }

    fn read_object(&self, version: &str, object: Value) -> Result<Decoded, Unreadable> {
        let (shapes, shape) = self.ty(version);
        let read = typed::decode_parsed(shapes, shape, &object)?;
        self.check(&read.value)?;
        Ok(read)
    }

    fn read_value(&self, version: &str, value: &dyn Fn() -> Option<Value>) -> Option<Value> {
        let (shapes, shape) = self.ty(version);
        let read = typed::decode_parsed(shapes, shape, &value()?).ok()?;
        let is_plain = read.findings.is_empty() && read.unprinted.is_empty() && self.check(&read.value).is_ok();
        is_plain.then_some(read.value)
    }

    fn complete(&self, version: &str, object: &mut Value) -> Result<(), String> {
        self.check(object)?;
        if let Some(spoke) = self.spoke(version) {
            spoke.complete(object);
            return Ok(());
        }
        fill_in(&self.shapes, self.shape, object);
        apply_defaults(&self.shapes, self.shape, object);
        if let Some(complete) = &self.complete {
            complete(object);
        }
        Ok(())
    }

    fn complete_stored(&self, version: &str, object: &mut Value) -> Result<(), String> {
        if self.drops_newer {
            let (shapes, shape) = self.ty(version);
            *object = typed::round_trip(shapes, shape, object);
        }
        self.complete(version, object)
    }

    fn stamp(&self, object: &mut Value, now: Time) {
        if let Some(stamp) = &self.stamp {
            stamp(object, now);
        }
    }

    fn completes_by_empty_lists(&self) -> bool {
        self.completes_by_empty_lists
    }

    fn canonicalize(&self, object: &mut Value) {
        if let Some(canonicalize) = &self.canonicalize {
            canonicalize(object);
        }
    }

    fn field_annotations(&self) -> &'static [&'static str] {
        self.field_annotations
    }

    fn stored_as(&self) -> Option<&GroupResource> {
        self.shared.as_ref().map(|shared| &shared.place)
    }

    fn adopt(&self, object: Value) -> Result<Value, String> {
        Ok(match &self.shared {
            Some(shared) => typed::round_trip(&self.shapes, self.shape, &(shared.adopt)(object)),
            None => object,
        })
    }

    fn convert(&self, mut object: Value, from: &str, to: &str) -> Result<Value, String> {
        if from == to {
            return Ok(object);
        }
        if let Some(spoke) = self.spoke(from) {
            object = typed::round_trip(&self.shapes, self.shape, &(spoke.to_hub)(&object));
        }
        Ok(match self.spoke(to) {
            Some(spoke) => spoke.convert_from_hub(&object),
            None => object,
        })
    }

    fn with_gates(&self, gates: &FeatureGates) -> Option<Arc<dyn Scheme>> {
        let shapes = without_disabled(&self.shapes, self.shape, &self.gated, gates).map(Arc::new);
        let complete = self.complete_with.as_ref().map(|make| make(gates));
        if shapes.is_none() && complete.is_none() {
            return None;
        }
        Some(Arc::new(ProgramScheme {
            shapes: shapes.unwrap_or_else(|| self.shapes.clone()),
            complete: complete.or_else(|| self.complete.clone()),
            ..self.clone()
        }))
    }
}

//! Further versions of a kind of a program, each with the way to the version that hooks are written for and back.

use std::sync::Arc;

use sprag_decode::typed;
use sprag_program::DefId;
use sprag_shape::{Shapes, TypeId, apply_defaults};
use sprag_value::Value;

use crate::object_shape::fill_in;
use crate::typed::Complete;

/// A conversion between versions.
pub(crate) type Convert = dyn Fn(&Value) -> Value + Send + Sync;

/// A version that is not the one of hooks.
#[derive(Clone)]
pub(crate) struct Spoke {
    pub(crate) version: String,
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) shape: TypeId,
    pub(crate) def: DefId,
    pub(crate) complete: Option<Arc<Complete>>,
    pub(crate) to_hub: Arc<Convert>,
    pub(crate) from_hub: Arc<Convert>,
}

impl Spoke {
    /// Sets defaults, and brings the object into the form that it has once it was converted to the hub and back.
    // As upstream's field manager and storage, which see versions only as conversions of the internal type.
    pub(crate) fn complete(&self, object: &mut Value) {
        fill_in(&self.shapes, self.shape, object);
        apply_defaults(&self.shapes, self.shape, object);
        if let Some(complete) = &self.complete {
            complete(object);
        }
        let types = ["apiVersion", "kind"].map(|member| (member, object.get(member).cloned()));
        *object = self.convert_from_hub(&(self.to_hub)(object));
        for (member, value) in types {
            if let Some(value) = value {
                object.insert(member, value);
            }
        }
    }

    /// An object of the hub in this version.
    pub(crate) fn convert_from_hub(&self, object: &Value) -> Value {
        typed::round_trip(&self.shapes, self.shape, &(self.from_hub)(object))
    }
}

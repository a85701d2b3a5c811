//! Owners of the one field that the scale subresource shows of an object.

use std::collections::BTreeMap;

use sprag_value::{Text, Value};

use crate::apply::fields::path::PathElement;
use crate::apply::fields::set::FieldSet;
use crate::apply::owners::managed::{self, Managed, Owned};

const SCALE_VERSION: &str = "autoscaling/v1";

/// The replica paths of each version of a resource.
pub struct ScaleFields<'a> {
    /// The version of the resource, `apps/v1`.
    pub api_version: &'a str,
    /// The path of the field in each version; nothing for versions without a scale subresource.
    pub replicas: &'a BTreeMap<&'a str, Option<&'a [&'a str]>>,
}

impl ScaleFields<'_> {
    /// The `managedFields` that a scale of this object has.
    pub fn to_scale(&self, object: &Value) -> Result<Vec<Value>, String> {
        let mut scale = Managed::default();
        for (id, owned) in Managed::of(object)?.0 {
            if self.replicas_in(&owned.api_version).is_some_and(|path| owned.set.has(&path)) {
                let api_version = SCALE_VERSION.into();
                scale.0.insert(id, Owned { set: replicas_of_scale().into(), api_version, time: owned.time });
            }
        }
        Ok(written(&scale))
    }

    /// The `managedFields` of the object after its scale was written.
    pub fn to_parent(&self, object: &Value, scale: &Value) -> Result<Vec<Value>, String> {
        let mut parent = Managed::default();
        let mut scale = Managed::of(scale)?.0;
        for (id, mut owned) in Managed::of(object)?.0 {
            if !self.replicas.contains_key(owned.api_version.as_str()) {
                continue;
            }
            if let Some(path) = self.replicas_in(&owned.api_version).filter(|path| owned.set.has(path))
                && scale.remove(&id).is_none()
            {
                owned.set.subtract(&FieldSet::of_path(&path));
            }
            if !owned.set.is_empty() {
                parent.0.insert(id, owned);
            }
        }
        let Some(replicas) = self.replicas_in(self.api_version) else { return Ok(written(&parent)) };
        for (id, owned) in scale {
            if owned.set.touches(&replicas_of_scale()) {
                let set = FieldSet::of_path(&replicas).into();
                parent.0.insert(id, Owned { set, api_version: self.api_version.into(), time: None });
            }
        }
        Ok(written(&parent))
    }

    /// The path of the field in a version, if it has one.
    fn replicas_in(&self, api_version: &str) -> Option<Vec<PathElement>> {
        let path = (*self.replicas.get(api_version)?)?;
        Some(path.iter().map(|name| PathElement::Field(Text::from(*name))).collect())
    }
}

fn replicas_of_scale() -> FieldSet {
    FieldSet::of_fields([&["spec", "replicas"][..]])
}

fn written(managed: &Managed) -> Vec<Value> {
    let mut object = Value::object();
    managed.put(&mut object);
    managed::entries(&object).to_vec()
}

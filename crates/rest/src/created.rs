//! The fields that a server set when it created an object, for updates of which only the manifests are known.

use sprag_shape::{Kind, Shapes, TypeId};
use sprag_value::Value;

use crate::allocate::{Allocation, Taken};
use crate::error::Result;
use crate::meta;
use crate::write::{Old, Write, type_member};

/// Members that updates take from the old object whatever a manifest says.
const KEPT: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

impl Write<'_> {
    /// Completes the old object of a manifest and the new manifest with the fields that the server set when it created the old one:
    /// the cluster IP of a service, the selector of a job, defaults. A client that applies a manifest sends a patch, and that keeps
    /// fields which neither manifest has.
    pub(crate) fn add_created_fields(&self, old: &mut Old, manifest: &Value, new: &mut Value) -> Result<()> {
        let version = self.info.api_version(self.request.version);
        // An object that was read from a server has them.
        let is_manifest = meta::uid(manifest).is_empty() && type_member(manifest, "apiVersion") == version;
        if !is_manifest || !self.request.subresource.is_empty() {
            return Ok(());
        }
        let Some(created) = self.created(&old.hub) else { return Ok(()) };
        let requested = self.definition().convert(created.clone(), self.hub(), self.request.version)?;
        let shape = |version: &str| self.definition().scheme.shape(version);
        add(shape(self.request.version), new, manifest, &requested);
        for (old, created, version) in
            [(&mut old.hub, created, self.hub()), (&mut old.requested, requested, self.request.version)]
        {
            let defaulted = old.clone();
            add(shape(version), old, &defaulted, &created);
        }
        Ok(())
    }

    /// Returns the object that a create makes of a manifest; `None` if it is refused before validation.
    fn created(&self, manifest: &Value) -> Option<Value> {
        let (mut new, taken) = (manifest.clone(), Taken::new());
        meta::fill_system_fields(&mut new, self.context.now, self.context.entropy);
        let mut allocation = Allocation::new(&taken, true, self.context.entropy);
        let refusal = self.allocate(&mut new, None, &mut allocation).ok()?;
        self.guarded(|| self.definition().create.prepare_for_create(&self.cx(), &mut new)).ok()?;
        refusal.is_empty().then_some(new)
    }
}

/// Adds the fields to an object that a created one has and its manifest has not.
fn add(shape: Option<(&Shapes, TypeId)>, object: &mut Value, manifest: &Value, created: &Value) {
    for (name, value) in created.as_object().into_iter().flatten().filter(|(name, _)| !KEPT.contains(&name.as_str())) {
        add_member(shape, object, (name, manifest.get(name)), value);
    }
}

fn add_member(
    shape: Option<(&Shapes, TypeId)>,
    object: &mut Value,
    (name, manifest): (&str, Option<&Value>),
    created: &Value,
) {
    let field = shape.and_then(|(shapes, id)| Some((shapes, shapes.field(id, name)?)));
    let manifest = manifest.filter(|value| !value.is_null());
    match (object.get_mut(name), created) {
        (Some(Value::Object(_)), _) if field.is_some_and(|(_, field)| field.patch.retain_keys) => {}
        (Some(part @ Value::Object(_)), Value::Object(members)) => {
            // The members of a map are not fields of a struct.
            let shape = field.map(|(shapes, field)| (shapes, field.ty.id));
            let shape = shape.filter(|(shapes, id)| matches!(shapes.get(*id).kind, Kind::Struct { .. }));
            for (name, value) in members {
                add_member(shape, part, (name, manifest.and_then(|manifest| manifest.get(name))), value);
            }
        }
        (None | Some(Value::Null), _) if manifest.is_none() => {
            object.insert(name, created.clone());
        }
        _ => {}
    }
}

//! The fields that a server set when it created an object, for updates of which only the manifests are known.

use sprag_patch::apply::last_applied;
use sprag_shape::{Kind, Shapes, TypeId};
use sprag_value::Value;

use crate::allocate::{Allocation, Taken};
use crate::error::Result;
use crate::meta;
use crate::write::{Old, Write, type_member};

/// Members that updates take from the old object whatever a manifest says.
const KEPT: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

impl Write<'_> {
    /// Completes a new manifest with the fields that the old object has beyond its own manifest, which the server set: the cluster IP
    /// of a service, the selector of a job, defaults. A client that applies a manifest sends a patch, and that keeps them.
    ///
    /// `given` is the old object as it was given: a manifest, to which what a create sets is added, or one that was read from a server,
    /// which may say what was applied last. Where it does not, the new manifest is the whole object.
    pub(crate) fn keep_created_fields(&self, old: &mut Old, given: &Value, new: &mut Value) -> Result<()> {
        let is_manifest = meta::uid(given).is_empty();
        let applied = if is_manifest { Some(given.clone()) } else { last_applied(given) };
        let version = self.info.api_version(self.request.version);
        let is_comparable = |applied: &Value| ["", version].contains(&type_member(applied, "apiVersion"));
        let Some(applied) = applied.filter(|applied| is_comparable(applied) && self.request.subresource.is_empty())
        else {
            return Ok(());
        };
        let shape = |version: &str| self.definition().scheme.shape(version);
        if let Some(created) = is_manifest.then(|| self.created(&old.hub)).flatten() {
            let requested = self.definition().convert(created.clone(), self.hub(), self.request.version)?;
            for (old, created, version) in
                [(&mut old.hub, created, self.hub()), (&mut old.requested, requested, self.request.version)]
            {
                let defaulted = old.clone();
                add(shape(version), old, &defaulted, &created);
            }
        }
        add(shape(self.request.version), new, &applied, &old.requested);
        Ok(())
    }

    /// Returns the object that a create makes of a manifest; `None` if it is refused before validation.
    fn created(&self, manifest: &Value) -> Option<Value> {
        let mut new = manifest.clone();
        let taken = Taken::default();
        meta::fill_system_fields(&mut new, self.context.now, self.context.entropy);
        let mut allocation = Allocation::new(&taken, true, self.context.entropy, self.context.gates);
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
        (None, _) if manifest.is_none() => {
            object.insert(name, created.clone());
        }
        _ => {}
    }
}

//! `/scale`: changes of a `Scale` as changes of its parent.

use sprag_decode::{Format, typed};
use sprag_patch::apply::ScaleFields;
use sprag_patch::strict::{self, Read};
use sprag_shape::to_go_json;
use sprag_value::Value;

use super::Write;
use super::decode::{declared, texts};
use super::input::Scaled;
use super::patch::{Applied, Patch};
use crate::definition::Version;
use crate::error::{ApiError, Result};
use crate::managed::{scale_resource, scale_shape};
use crate::meta;
use crate::names::GroupVersionKind;
use crate::options::WriteOptions;
use crate::scale::{self, ScalePaths};
use crate::subresource::SubresourceKind;
use crate::typed::read_typed;

/// A change of a `Scale`.
pub(super) enum ScaleChange<'a> {
    Replace(&'a Value),
    Patch(Patch<'a>),
    Applied(&'a Applied),
}

/// The position in upstream's source that its error names for kinds beside the `Scale` of a custom resource.
const SCALE_SCHEME: &str = "k8s.io/client-go/scale/util.go:146";

impl Write<'_> {
    /// Changes the `Scale` of an object.
    pub(super) fn scaled(
        &self,
        parent: &Value,
        paths: &ScalePaths,
        change: &ScaleChange<'_>,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Scaled> {
        let (mut scale, is_set) = scale::read(parent, paths)?;
        if !is_set {
            scale::mark_unset(&mut scale);
        }
        let managers = self.scale_fields(|fields| fields.to_scale(parent)).map_err(ApiError::internal)?;
        meta::set_managers(&mut scale, managers);
        let new = match change {
            ScaleChange::Replace(body) => {
                let body = (*body).clone();
                let manager = &options.field_manager;
                scale_resource().update(Some(&scale), body, manager, self.context.now)
            }
            ScaleChange::Patch(patch) => self.patched_scale(&scale, *patch, options, warnings)?,
            ScaleChange::Applied(applied) => self.applied_scale(&scale, applied, options, warnings)?,
        };
        Ok(Scaled { old: scale, new })
    }

    /// The object with the replicas of its changed `Scale`.
    // As upstream's ScaleREST.Update of custom resources.
    pub(super) fn rescaled(&self, parent: &Value, paths: &ScalePaths, new: &Value) -> Result<Value> {
        scale::refuse_unset(new, paths)?;
        if paths.checked {
            scale::validate(new, parent, &self.definition().resource)?;
        }
        let mut changed = parent.clone();
        scale::write(&mut changed, paths, scale::replicas(new))?;
        // A `Scale` without a resource version takes the object as it is.
        if !meta::text(new, "resourceVersion").is_empty() {
            meta::copy(&mut changed, new, "resourceVersion");
        }
        let managers = self.scale_fields(|fields| fields.to_parent(parent, new)).map_err(ApiError::internal)?;
        meta::set_managers(&mut changed, managers);
        Ok(changed)
    }

    /// Works with what managed fields of the object and of its `Scale` have to do with each other.
    fn scale_fields<T>(&self, work: impl FnOnce(&ScaleFields<'_>) -> T) -> T {
        let replicas = self.replica_paths();
        let replicas = replicas.iter().map(|(version, path)| (version.as_str(), path.as_deref())).collect();
        work(&ScaleFields { api_version: self.api_version(), replicas: &replicas })
    }

    /// The replica path of each version of the resource.
    fn replica_paths(&self) -> Vec<(String, Option<Vec<&str>>)> {
        let definition = self.definition();
        let path = |version: &Version| (definition.api_version(&version.name), None);
        let mut paths: Vec<_> = definition.versions.iter().map(path).collect();
        for (version, (_, path)) in definition.versions.iter().zip(&mut paths) {
            *path = version.subresources.iter().find_map(|subresource| match &subresource.kind {
                SubresourceKind::Scale(paths) => Some(scale::parts(&paths.spec_replicas).collect()),
                _ => None,
            });
        }
        paths
    }

    /// The `Scale` that a patch makes of one, with its fields attributed to the writer.
    fn patched_scale(
        &self,
        scale: &Value,
        patch: Patch<'_>,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value> {
        let (shapes, id) = scale_shape();
        let text = || to_go_json(shapes, id, scale);
        let read = |text: &str| {
            let read = read_typed(shapes, id, text.as_bytes(), Format::Json)?;
            self.check_scale(&read.value)?;
            Ok(Read { object: read.value, unprinted: read.unprinted, findings: texts(&read.findings) })
        };
        self.check_syntax(patch)?;
        let validation = options.validation();
        let patched = match patch {
            Patch::Json(patch) => strict::json(&text(), patch, validation, read),
            Patch::Merge(patch) => strict::merge(&text(), patch, validation, read),
            Patch::Strategic(patch) | Patch::Apply(patch) => strict::strategic(shapes, id, scale, patch, validation),
        }?;
        warnings.extend(patched.warnings);
        let mut new = patched.object;
        meta::match_namespace(&mut new, self.namespace())?;
        self.check_name(&new)?;
        Ok(scale_resource().update(Some(scale), new, &options.field_manager, self.context.now))
    }

    /// Refuses a patched `Scale` that says it is something else.
    fn check_scale(&self, scale: &Value) -> std::result::Result<(), String> {
        let expected = GroupVersionKind::new("autoscaling", "v1", "Scale");
        let kind = declared(scale, &expected);
        if kind == expected {
            return Ok(());
        }
        // Those of custom resources are read by a scheme of their own.
        let is_in_scheme = self.definition().conventions.decoder_refuses_other_types;
        let foreign = is_in_scheme.then(|| self.foreign(&kind, &expected)).flatten();
        Err(foreign.unwrap_or_else(|| kind.not_registered(SCALE_SCHEME)))
    }

    fn applied_scale(
        &self,
        scale: &Value,
        applied: &Applied,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value> {
        let force = options.force.unwrap_or(false);
        let manager = &options.field_manager;
        let new = scale_resource().apply(Some(scale), &applied.object, manager, force, self.context.now)?;
        let (shapes, id) = scale_shape();
        let new = typed::decode(shapes, id, &new).map_err(|misfit| ApiError::bad_request(misfit.text))?.value;
        applied.settle(self.context.gates.release(), options, warnings)?;
        self.check_name(&new)?;
        Ok(new)
    }
}

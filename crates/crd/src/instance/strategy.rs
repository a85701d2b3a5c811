//! The strategy of custom resources.

use std::sync::Arc;

use sprag_field::{Error, Errors, Path};
use sprag_rest::{Cx, ResetFields, Strategy, Views};
use sprag_schema::CustomResource;
use sprag_schema::crd::{Crd, Version};
use sprag_value::Value;

use super::compiled::Compiled;

/// Creates and updates of whole objects.
pub(super) struct InstanceStrategy {
    compiled: Arc<Compiled>,
    resets_status: bool,
    is_terminating: bool,
}

impl InstanceStrategy {
    pub(super) fn new(compiled: Arc<Compiled>, crd: &Crd) -> InstanceStrategy {
        InstanceStrategy {
            compiled,
            resets_status: crd.versions.iter().any(Version::has_status),
            is_terminating: crd.metadata.get("deletionTimestamp").is_some(),
        }
    }

    fn resource(&self, cx: &Cx<'_>) -> Option<&CustomResource> {
        self.compiled.version(cx.version).map(|version| &version.resource)
    }
}

impl Strategy for InstanceStrategy {
    fn prepare_for_create(&self, cx: &Cx<'_>, new: &mut Value) {
        if let Some(resource) = self.resource(cx) {
            resource.prepare_create(new);
        }
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        if let Some(resource) = self.resource(cx) {
            resource.prepare_update(new, old);
        }
    }

    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        match self.resource(cx) {
            Some(resource) => resource.validate_create(new.requested, errors),
            None => errors.push(no_version(cx)),
        }
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        match self.resource(cx) {
            Some(resource) => resource.validate_update(new.requested, old.requested, errors),
            None => errors.push(no_version(cx)),
        }
    }

    fn warnings_on_create(&self, _: &Cx<'_>, new: &Value) -> Vec<String> {
        CustomResource::finalizer_warnings(new, None)
    }

    fn warnings_on_update(&self, _: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        CustomResource::finalizer_warnings(new, Some(old))
    }

    fn refuses_create(&self) -> Option<&str> {
        self.is_terminating.then_some("create not allowed while custom resource definition is terminating")
    }

    fn allow_unconditional_update(&self) -> bool {
        false
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(self.resets_status.then_some("status"))
    }
}

/// Updates of the status alone.
pub(super) struct StatusStrategy(Arc<Compiled>);

impl StatusStrategy {
    pub(super) fn new(compiled: Arc<Compiled>) -> StatusStrategy {
        StatusStrategy(compiled)
    }

    fn resource(&self, cx: &Cx<'_>) -> Option<&CustomResource> {
        self.0.version(cx.version).map(|version| &version.resource)
    }
}

impl Strategy for StatusStrategy {
    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        if let Some(resource) = self.resource(cx) {
            resource.prepare_status(new, old);
        }
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        match self.resource(cx) {
            Some(resource) => resource.validate_status(new.requested, old.requested, errors),
            None => errors.push(no_version(cx)),
        }
    }

    fn allow_unconditional_update(&self) -> bool {
        false
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(["metadata", "spec"])
    }
}

/// The version was served when the request came in and is not any more.
fn no_version(cx: &Cx<'_>) -> Error {
    Error::internal(&Path::ROOT, format_args!("no schema for version {:?}", cx.version))
}

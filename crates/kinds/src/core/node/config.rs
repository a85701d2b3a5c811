//! Configurations of kubelets that the API kept for them. The feature is removed, its rules are still in force.

use sprag_checks::At;
use sprag_field::{Error, Errors};

use crate::core::internal::{Field, Form, internal_value};
use crate::views::core_v1::{ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus};

/// `core.NodeConfigSource` without a source.
const SOURCE_FIELDS: &[Field] = &[("ConfigMap", "configMap", Form::Plain)];

/// The field in which a source is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the spec, where no object is pinned.
    Spec,
    /// In the status, which says which object was taken.
    Status,
}

/// As upstream's `validation.validateNodeConfigStatus`.
pub(super) fn validate_status(status: NodeConfigStatus<'_>, at: &At<'_>, errors: &mut Errors) {
    let sources =
        [("assigned", status.assigned()), ("active", status.active()), ("lastKnownGood", status.last_known_good())];
    for (field, source) in sources {
        if let Some(source) = source {
            validate_source(source, Place::Status, &at.child(field), errors);
        }
    }
}

/// As upstream's `validation.validateNodeConfigSourceSpec` and `validateNodeConfigSourceStatus`.
pub(super) fn validate_source(source: NodeConfigSource<'_>, place: Place, at: &At<'_>, errors: &mut Errors) {
    if let Some(map) = source.config_map() {
        validate_config_map(map, place, &at.child("configMap"), errors);
    } else {
        let shown = internal_value(Some(source.as_value()), Form::Struct(SOURCE_FIELDS));
        errors.push(Error::invalid(at, shown, "exactly one reference subfield must be non-nil"));
    }
}

/// As upstream's `validation.validateConfigMapNodeConfigSourceSpec` and `validateConfigMapNodeConfigSourceStatus`.
fn validate_config_map(source: ConfigMapNodeConfigSource<'_>, place: Place, at: &At<'_>, errors: &mut Errors) {
    let pinned = [
        ("uid", source.uid(), "uid must not be set in spec"),
        ("resourceVersion", source.resource_version(), "resourceVersion must not be set in spec"),
    ];
    match place {
        Place::Spec => {
            for (field, _, detail) in pinned.into_iter().filter(|(_, value, _)| !value.is_empty()) {
                errors.push(Error::forbidden(&at.child(field), detail));
            }
        }
        Place::Status => {
            source.check_uid(at, errors);
            source.check_resource_version(at, errors);
        }
    }
    source.check_namespace(at, errors);
    source.check_name(at, errors);
    source.check_kubelet_config_key(at, errors);
}

//! The spec of a claim, also in claim templates of pods.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::List;

use crate::core::internal::shown_path;
use crate::meta::validate_label_selector;
use crate::views::core_v1::{PersistentVolumeClaimSpec, TypedLocalObjectReference, TypedObjectReference};

/// Supported values, sorted as upstream lists them.
pub(crate) const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// Options of the rules of claims, as upstream's `validation.PersistentVolumeClaimSpecValidationOptions`. Those of feature
/// gates that are locked on are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClaimOptions {
    pub(crate) allow_invalid_label_value_in_selector: bool,
    pub(crate) allow_invalid_api_group_in_data_source: bool,
}

impl ClaimOptions {
    /// As upstream's `validation.ValidationOptionsForPersistentVolumeClaimTemplate` of new templates.
    pub(crate) fn template() -> ClaimOptions {
        ClaimOptions::default()
    }

    /// As upstream's `validation.ValidationOptionsForPersistentVolumeClaim`: what was accepted before is so again.
    pub(crate) fn update(old: PersistentVolumeClaimSpec<'_>, root: &At<'_>) -> ClaimOptions {
        let mut errors = Errors::new();
        if let Some(selector) = old.selector() {
            validate_label_selector(selector, false, root, &mut errors);
        }
        let has_group = old.data_source().is_some_and(|source| source.api_group().is_some())
            || old.data_source_ref().is_some_and(|source| source.api_group().is_some());
        ClaimOptions {
            allow_invalid_label_value_in_selector: !errors.is_empty(),
            allow_invalid_api_group_in_data_source: has_group,
        }
    }
}

/// As upstream's `validation.ValidatePersistentVolumeClaimSpec`.
pub(crate) fn validate_claim_spec(
    spec: PersistentVolumeClaimSpec<'_>,
    at: &At<'_>,
    options: ClaimOptions,
    errors: &mut Errors,
) {
    spec.check_access_modes(at, errors);
    if let Some(selector) = spec.selector() {
        let allow_invalid_values = options.allow_invalid_label_value_in_selector;
        validate_label_selector(selector, allow_invalid_values, &at.child("selector"), errors);
    }
    validate_access_modes(spec.access_modes(), &at.child("accessModes"), errors);
    validate_size(spec, &at.child("resources").key("storage"), errors);
    if spec.storage_class_name() != Some("") {
        spec.check_storage_class_name(at, errors);
    }
    spec.check_volume_mode(at, errors);
    validate_data_sources(spec, at, options, errors);
    if spec.volume_attributes_class_name() != Some("") {
        spec.check_volume_attributes_class_name(at, errors);
    }
}

pub(crate) fn validate_access_modes(modes: List<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    let mut once_per_pod = false;
    let mut others = false;
    for mode in modes.iter() {
        match mode {
            "ReadWriteOncePod" => once_per_pod = true,
            _ if ACCESS_MODES.contains(&mode) => others = true,
            _ => errors.push(Error::not_supported(at, BadValue::json_str(mode), ACCESS_MODES)),
        }
    }
    if once_per_pod && others {
        errors.push(Error::forbidden(at, "may not use ReadWriteOncePod with other access modes"));
    }
}

fn validate_size(spec: PersistentVolumeClaimSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    match spec.resources().requests().get("storage") {
        None => errors.push(Error::required(at, "")),
        Some(size) if !size.sign().is_gt() => {
            errors.push(Error::invalid(at, size.to_string(), "must be greater than zero"));
        }
        Some(_) => {}
    }
}

fn validate_data_sources(spec: PersistentVolumeClaimSpec<'_>, at: &At<'_>, options: ClaimOptions, errors: &mut Errors) {
    let allow_invalid_group = options.allow_invalid_api_group_in_data_source;
    if let Some(source) = spec.data_source() {
        let at = at.child("dataSource");
        source.check_name(&at, errors);
        source.check_kind(&at, errors);
        validate_reference(&Reference::from(source), &at, errors);
        if !allow_invalid_group && source.api_group() != Some("") {
            source.check_api_group(&at, errors);
        }
    }
    let Some(source) = spec.data_source_ref() else { return };
    let at_ref = at.child("dataSourceRef");
    source.check_name(&at_ref, errors);
    source.check_kind(&at_ref, errors);
    validate_reference(&Reference::from(source), &at_ref, errors);
    if !allow_invalid_group && source.api_group() != Some("") {
        source.check_api_group(&at_ref, errors);
    }
    if source.namespace() != Some("") {
        source.check_namespace(&at_ref, errors);
    }
    let Some(local) = spec.data_source() else { return };
    // As upstream, which shows a path, whose JSON is empty.
    let value = shown_path(errors.release(), "dataSource");
    let mut refuse = |detail: &'static str| errors.push(Error::invalid(at, value.clone(), detail));
    if source.namespace().is_some_and(|namespace| !namespace.is_empty()) {
        refuse("may not be specified when dataSourceRef.namespace is specified");
    } else if Reference::from(local) != Reference::from(source) {
        refuse("must match dataSourceRef");
    }
}

/// The common fields of both references to a data source.
#[derive(PartialEq)]
struct Reference<'v> {
    api_group: Option<&'v str>,
    kind: &'v str,
    name: &'v str,
}

impl<'v> From<TypedLocalObjectReference<'v>> for Reference<'v> {
    fn from(source: TypedLocalObjectReference<'v>) -> Reference<'v> {
        Reference { api_group: source.api_group(), kind: source.kind(), name: source.name() }
    }
}

impl<'v> From<TypedObjectReference<'v>> for Reference<'v> {
    fn from(source: TypedObjectReference<'v>) -> Reference<'v> {
        Reference { api_group: source.api_group(), kind: source.kind(), name: source.name() }
    }
}

/// As upstream's `validation.validateDataSource`, and `validateDataSourceRef` but for the namespace.
fn validate_reference(source: &Reference<'_>, at: &Path<'_>, errors: &mut Errors) {
    let group = source.api_group.unwrap_or_default();
    if group.is_empty() && source.kind != "PersistentVolumeClaim" {
        let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        errors.push(Error::invalid(at, source.kind, detail));
    }
}

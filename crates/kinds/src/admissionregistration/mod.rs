//! The group `admissionregistration.k8s.io`.

mod binding;
pub mod expression;
mod json_path;
mod match_condition;
mod mutating_policy;
mod parameters;
mod rule;
#[cfg(feature = "types")]
pub mod v1;
mod validating_policy;
mod webhook;

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Cx, Definition, Release, StrategyConfig, meta};
use sprag_value::Value;

use crate::meta::validate_generate_name;
use crate::program;

/// The name of the group.
const GROUP: &str = "admissionregistration.k8s.io";

/// Names with this end are those of configurations in files.
const STATIC_SUFFIX: &str = ".static.k8s.io";

/// Refuses names of configurations in files.
const STATIC_GATE: &str = "ManifestBasedAdmissionControlConfig";

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![
        webhook::validating_webhook_configurations(release),
        webhook::mutating_webhook_configurations(release),
        validating_policy::validating_admission_policies(release),
        binding::validating_admission_policy_bindings(release),
        mutating_policy::mutating_admission_policies(release),
        binding::mutating_admission_policy_bindings(release),
    ]
}

/// Judges an object by itself or, on update, with the old one.
type Validate = fn(&Value, Option<&Value>, &At<'_>, &mut Errors);

/// Warnings about an object.
type Warn = fn(&Cx<'_>, &Value) -> Vec<String>;

/// Returns the common strategy of the kinds of this group.
fn strategy(validate: Validate, warn: Warn) -> StrategyConfig<Value> {
    StrategyConfig::new()
        .no_metadata_as_changed()
        .validate(move |cx, new, errors| {
            validate(new, None, &cx.root(), errors);
            if cx.gates.enabled(STATIC_GATE) {
                validate_static_suffix(new, errors);
            }
        })
        .validate_update(move |cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate(new, Some(old), &cx.root(), errors);
        })
        .warnings_on_create(move |cx, new| {
            let suffix = static_suffix_flaw(new).filter(|_| !cx.gates.enabled(STATIC_GATE));
            suffix.map(|flaw| format!("metadata.name: {flaw}")).into_iter().chain(warn(cx, new)).collect()
        })
        .warnings_on_update(move |cx, new, _| {
            let suffix = static_suffix_flaw(new).map(|flaw| format!("metadata.name: {flaw}"));
            suffix.into_iter().chain(warn(cx, new)).collect()
        })
        .allow_unconditional_update(false)
}

/// No warnings.
fn no_warnings(_: &Cx<'_>, _: &Value) -> Vec<String> {
    Vec::new()
}

fn define(release: Release, kind: &str, strategy: StrategyConfig<Value>) -> Definition {
    let mut definition = program::resource(release, GROUP, "v1", kind).strategy(strategy).define();
    definition.categories = vec!["api-extensions".to_owned()];
    definition
}

/// As upstream's `validation.ValidateStaticSuffix`.
fn validate_static_suffix(new: &Value, errors: &mut Errors) {
    if let Some(flaw) = static_suffix_flaw(new) {
        errors.push(Error::invalid(&Path::new("metadata").child("name"), meta::name(new), flaw));
    }
}

fn static_suffix_flaw(object: &Value) -> Option<String> {
    meta::name(object).ends_with(STATIC_SUFFIX).then(|| {
        format!(
            "names ending with \"{STATIC_SUFFIX}\" are reserved for static manifest-based configurations and cannot be \
             managed via the API"
        )
    })
}

//! Storage classes: how volumes are made.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use super::parameters::{validate_parameters, validate_provisioner};
use crate::columns::{name, text};
use crate::core::pod::deprecated_node_label;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::{TopologySelectorLabelRequirement, TopologySelectorTerm};
use crate::views::storage_v1::StorageClass;

const DELETE: &str = "Delete";
const IMMEDIATE: &str = "Immediate";
const RECLAIM_POLICIES: &[&str] = &[DELETE, "Retain"];
const BINDING_MODES: &[&str] = &[IMMEDIATE, "WaitForFirstConsumer"];

/// The annotations that make a class the default.
const IS_DEFAULT: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// The definition of `storageclasses`.
pub(super) fn storage_classes(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate(class(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate(class(new), &cx.root(), errors);
            validate_finalizers(new, errors);
            class(new).check_parameters_update(class(old), &cx.root(), errors);
            class(new).check_provisioner_update(class(old), &cx.root(), errors);
            class(new).check_reclaim_policy_update(class(old), &cx.root(), errors);
            class(new).check_volume_binding_mode_update(class(old), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(class(new)))
        .warnings_on_update(|_, new, _| warnings(class(new)))
        .without_generation();
    let resource = program::resource(release, GROUP, "v1", "StorageClass");
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["sc".to_owned()];
    definition.returns_deleted_object = true;
    definition.versions[0].columns = columns(release);
    definition
}

fn class(object: &Value) -> StorageClass<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateStorageClass`. The binding mode is never unset: it has a default.
fn validate(class: StorageClass<'_>, root: &At<'_>, errors: &mut Errors) {
    validate_provisioner(class.provisioner(), &Path::new("provisioner"), errors);
    validate_parameters(class.parameters(), &Path::new("parameters"), errors);
    let unknown = |value: Option<&str>, known: &[&str], member: &str, errors: &mut Errors| {
        if let Some(value) = value.filter(|value| !known.contains(value)) {
            errors.push(Error::not_supported(&Path::new(member), BadValue::json_str(value), known));
        }
    };
    let policy = class.reclaim_policy().filter(|policy| !policy.is_empty());
    unknown(policy, RECLAIM_POLICIES, "reclaimPolicy", errors);
    unknown(class.volume_binding_mode(), BINDING_MODES, "volumeBindingMode", errors);
    validate_topologies(class, root, errors);
}

/// As upstream's `validation.validateAllowedTopologies`.
fn validate_topologies(class: StorageClass<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("allowedTopologies");
    let mut known: Vec<Vec<Requirement<'_>>> = Vec::new();
    for (index, term) in class.allowed_topologies().iter().enumerate() {
        let at = at.index(index);
        let at = at.child("matchLabelExpressions");
        let requirements = validate_term(term, &at, errors);
        // As upstream, whose list of terms before this one begins with as many empty ones as there are terms.
        let empty = if requirements.is_empty() { class.allowed_topologies().len() } else { 0 };
        let same = known.iter().filter(|other| **other == requirements).count();
        for _ in 0..empty + same {
            errors.push(Error::duplicate(&at, ""));
        }
        known.push(requirements);
    }
}

/// The key of a label and the values it may have, in order and without repetition.
type Requirement<'v> = (&'v str, Vec<&'v str>);

/// As upstream's `validation.ValidateTopologySelectorTerm`; the requirements come in the order of their keys, the last of a key.
fn validate_term<'v>(term: TopologySelectorTerm<'v>, at: &At<'_>, errors: &mut Errors) -> Vec<Requirement<'v>> {
    let mut requirements = std::collections::BTreeMap::new();
    for (index, requirement) in term.match_label_expressions().iter().enumerate() {
        let at = at.index(index);
        let values = validate_requirement(requirement, &at, errors);
        if requirements.contains_key(requirement.key()) {
            errors.push(Error::duplicate(&at.child("key"), requirement.key()));
        }
        requirements.insert(requirement.key(), values);
    }
    requirements.into_iter().collect()
}

/// As upstream's `validation.validateTopologySelectorLabelRequirement`.
fn validate_requirement<'v>(
    requirement: TopologySelectorLabelRequirement<'v>,
    at: &At<'_>,
    errors: &mut Errors,
) -> Vec<&'v str> {
    requirement.check_values(at, errors);
    requirement.check_key(at, errors);
    let mut values: Vec<&str> = requirement.values().iter().collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// As upstream's `storage.GetWarningsForStorageClass`.
fn warnings(class: StorageClass<'_>) -> Vec<String> {
    let (at, mut out) = (Path::new("allowedTopologies"), Vec::new());
    for (index, term) in class.allowed_topologies().iter().enumerate() {
        let at = at.index(index);
        let at = at.child("matchLabelExpressions");
        for (index, requirement) in term.match_label_expressions().iter().enumerate() {
            let message = deprecated_node_label(requirement.key());
            out.extend(message.map(|message| format!("{}: {message}", at.index(index).child("key"))));
        }
    }
    out
}

/// As upstream's `printers.printStorageClass`; a list of the newest release marks one class.
fn columns(release: Release) -> Vec<Column> {
    let mut columns = Vec::new();
    if release.has(Fact::TablesMarkDefaultStorageClass) {
        columns.push(name(|object| format!("{}{}", meta::name(object), default_mark(object)).into()));
    }
    columns.extend([
        text("Provisioner", "Type of the provisioner.", |object| class(object).provisioner().into()),
        text("ReclaimPolicy", "Reclaim policy of the volumes.", |object| {
            class(object).reclaim_policy().unwrap_or(DELETE).into()
        }),
        text("VolumeBindingMode", "Time at which volumes are provisioned and bound.", |object| {
            class(object).volume_binding_mode().unwrap_or(IMMEDIATE).into()
        }),
        text("AllowVolumeExpansion", "Whether the volumes can grow.", |object| {
            class(object).allow_volume_expansion().unwrap_or_default().into()
        }),
        Column::age(),
    ]);
    columns
}

/// As upstream's `storageutil.IsDefaultAnnotation`.
fn default_mark(object: &Value) -> &'static str {
    let annotations = class(object).metadata().annotations();
    let is_default = IS_DEFAULT.iter().any(|annotation| annotations.get(annotation) == Some("true"));
    if is_default { " (default)" } else { "" }
}

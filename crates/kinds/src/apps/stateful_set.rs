//! Stateful sets: pods with stable names and storage.

mod spec;

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, FeatureGates, Release, StrategyConfig, SubresourceConfig};
use sprag_value::view::View;
use sprag_value::{Array, Value};

use self::spec::{SetOptions, validate_spec};
use super::deployment::{scale_paths, set_default_amount};
use super::status::{validate_at_most, validate_collision_count};
use super::template::{self, change_member, set_default};
use crate::checks::validate_immutable;
use crate::columns::{containers, number, text};
use crate::core::internal::{internal_struct, same_struct};
use crate::core::persistent_volume_claim::{claim_spec_warnings, set_claim_defaults};
use crate::core::pod::PodOptions;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::apps_v1::{StatefulSet, StatefulSetSpec, StatefulSetStatus};

const MAX_UNAVAILABLE: &str = "MaxUnavailableStatefulSet";

/// The definition of `statefulsets`.
pub(crate) fn stateful_sets(release: Release) -> Definition {
    let status = SubresourceConfig::new().writes(super::STATUS_WRITES).validate_update(|cx, new, old, errors| {
        validate_finalizers(new, errors);
        validate_status(view(new).status(), view(old).status(), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .drop_disabled_fields(drop_disabled_fields)
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            let options = SetOptions { allow_recreate: allows_recreate(cx.gates), ..SetOptions::default() };
            let pod_options = template::options(cx.gates, new, None, &cx.root());
            validate_spec(view(new).spec(), &cx.root().child("spec"), &pod_options, options, errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            let was_recreated = view(old).spec().update_strategy().kind() == "Recreate";
            let allow_recreate = allows_recreate(cx.gates) || was_recreated;
            validate_update(
                new,
                old,
                allow_recreate,
                &template::options(cx.gates, new, Some(old), &cx.root()),
                &cx.root(),
                errors,
            );
        })
        .warnings_on_create(|_, new| {
            let mut warnings = template::warnings_on_create(new);
            other_warnings(view(new), |at| at.to_owned(), &mut warnings);
            warnings
        })
        .warnings_on_update(|_, new, old| {
            let mut warnings = template::warnings_on_update(new, old);
            // As upstream, which names the field of updates otherwise.
            other_warnings(view(new), |at| format!("{at}.Spec"), &mut warnings);
            warnings
        })
        .status(status);
    let resource =
        program::resource(release, "apps", "v1", "StatefulSet").complete_with(complete_with).scale(scale_paths());
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["sts".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.versions[0].columns = columns();
    definition
}

fn view(object: &Value) -> StatefulSet<'_> {
    View::view(Some(object))
}

fn allows_recreate(gates: &FeatureGates) -> bool {
    gates.enabled("StatefulSetRecreateStrategy")
}

/// Makes the function that completes stateful sets while features are on or off as they are.
fn complete_with(gates: &FeatureGates) -> impl Fn(&mut Value) + Send + Sync + use<> {
    let has_max_unavailable = gates.enabled(MAX_UNAVAILABLE);
    move |object| complete(object, has_max_unavailable)
}

/// As upstream's `SetObjectDefaults_StatefulSet`, and its conversions, which say the type of claims.
fn complete(object: &mut Value, has_max_unavailable: bool) {
    change_member(object, "spec", |spec| {
        change_member(spec, "updateStrategy", |strategy| set_strategy_defaults(strategy, has_max_unavailable));
        template::set_template_defaults(spec);
        let claims = spec.get_mut("volumeClaimTemplates").and_then(Value::as_array_mut);
        for claim in claims.map(Array::as_mut_slice).into_iter().flatten() {
            claim.insert("apiVersion", "v1");
            claim.insert("kind", "PersistentVolumeClaim");
            set_claim_defaults(claim);
        }
    });
}

fn set_strategy_defaults(strategy: &mut Value, has_max_unavailable: bool) {
    let is_set = |strategy: &Value, member: &str| {
        strategy.get(member).is_some_and(|value| !value.is_null() && value.as_str() != Some(""))
    };
    if !is_set(strategy, "type") {
        strategy.insert("type", "RollingUpdate");
        change_member(strategy, "rollingUpdate", |_| {});
    }
    let is_rolling = strategy.get("type").and_then(Value::as_str) == Some("RollingUpdate");
    if is_rolling && is_set(strategy, "rollingUpdate") {
        change_member(strategy, "rollingUpdate", |update| {
            set_default(update, "partition", 0);
            if has_max_unavailable {
                set_default_amount(update, "maxUnavailable", 1);
            }
        });
    }
}

/// As upstream's `statefulset.dropStatefulSetDisabledFields`, after the fields of the template.
fn drop_disabled_fields(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    template::drop_disabled_fields(gates, new, old);
    let uses = |set: &Value| {
        let update = view(set).spec().update_strategy().rolling_update();
        update.is_some_and(|update| update.max_unavailable().is_some())
    };
    if !gates.enabled(MAX_UNAVAILABLE)
        && !old.is_some_and(uses)
        && let Some(update) = rolling_update(new)
    {
        update.remove("maxUnavailable");
    }
}

fn rolling_update(object: &mut Value) -> Option<&mut Value> {
    object.get_mut("spec")?.get_mut("updateStrategy")?.get_mut("rollingUpdate")
}

/// As upstream's `validation.ValidateStatefulSetUpdate`.
fn validate_update(
    new: &Value,
    old: &Value,
    allow_recreate: bool,
    pod_options: &PodOptions,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let mut options = SetOptions { allow_recreate, is_update: true, skip_template: false };
    let mut old_errors = Errors::new();
    validate_spec(view(old).spec(), root, pod_options, options, &mut old_errors);
    options.skip_template = !old_errors.is_empty();
    let at = root.child("spec");
    validate_spec(view(new).spec(), &at, pod_options, options, errors);

    let new = view(new).spec();
    let old = view(old).spec();
    if errors.release().has(Fact::StatefulSetsListMutableFields) {
        return forbid_other_changes(new, old, errors);
    }
    new.check_selector_update(old, &at, errors);
    let claims = new.volume_claim_templates().values();
    let old_claims = old.volume_claim_templates().values();
    let same_claim = |(new, old)| program::same_pointer("v1.PersistentVolumeClaim", Some(new), Some(old));
    let same_claims = claims.len() == old_claims.len() && claims.iter().zip(old_claims).all(same_claim);
    let given = new.as_value().get("volumeClaimTemplates").and_then(Value::as_array);
    let value = || given.map_or(BadValue::Nil, |claims| claims_value(claims));
    validate_immutable(same_claims, value, &at.child("volumeClaimTemplates"), errors);
    new.check_service_name_update(old, &at, errors);
    new.check_pod_management_policy_update(old, &at, errors);
}

/// Refuses changes of all but some fields, in one error.
fn forbid_other_changes(new: StatefulSetSpec<'_>, old: StatefulSetSpec<'_>, errors: &mut Errors) {
    const MUTABLE: [&str; 7] = [
        "replicas",
        "template",
        "updateStrategy",
        "minReadySeconds",
        "ordinals",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
    ];
    let mut allowed = new.as_value().clone();
    for field in MUTABLE {
        match old.as_value().get(field) {
            Some(value) => drop(allowed.insert(field, value.clone())),
            None => drop(allowed.remove(field)),
        }
    }
    if !same_struct("v1.StatefulSetSpec", &allowed, old.as_value()) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
                      'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        errors.push(Error::forbidden(&Path::new("spec"), detail));
    }
}

/// Templates of claims as an error about them shows them.
fn claims_value(claims: &[Value]) -> BadValue {
    let shown = |claim: &Value| {
        let mut claim = claim.clone();
        // Inside of upstream they have no type.
        claim.remove("apiVersion");
        claim.remove("kind");
        internal_struct(Release::NEWEST, "v1.PersistentVolumeClaim", Some(&claim)).to_string()
    };
    BadValue::Json(format!("[{}]", claims.iter().map(shown).collect::<Vec<_>>().join(",")))
}

/// Warnings beside those about the pod template.
fn other_warnings(set: StatefulSet<'_>, place: impl Fn(&str) -> String, warnings: &mut Vec<String>) {
    let at = Path::new("spec");
    let at = at.child("volumeClaimTemplates");
    for (index, claim) in set.spec().volume_claim_templates().iter().enumerate() {
        let at = place(&at.index(index).to_string());
        claim_spec_warnings(claim.spec(), &Path::new(&at), warnings);
    }
    if set.spec().revision_history_limit().is_some_and(|limit| limit < 0) {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .to_owned(),
        );
    }
}

/// As upstream's `validation.ValidateStatefulSetStatusUpdate`.
fn validate_status(status: StatefulSetStatus<'_>, old: StatefulSetStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    const PARTS: &[&str] = &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
    let at = root.child("status");
    status.check_replicas(&at, errors);
    status.check_ready_replicas(&at, errors);
    status.check_current_replicas(&at, errors);
    status.check_updated_replicas(&at, errors);
    status.check_available_replicas(&at, errors);
    status.check_observed_generation(&at, errors);
    status.check_collision_count(&at, errors);
    let status = status.as_value();
    let old = old.as_value();
    validate_at_most(status, PARTS, ("replicas", "cannot be greater than status.replicas"), &at, errors);
    let ready = ("readyReplicas", "cannot be greater than status.readyReplicas");
    validate_at_most(status, &["availableReplicas"], ready, &at, errors);
    validate_collision_count(status, old, &at, errors);
}

/// As upstream's `printers.printStatefulSet`.
fn columns() -> Vec<Column> {
    let ready = |object: &Value| {
        format!("{}/{}", number(object, &["status", "readyReplicas"]), number(object, &["spec", "replicas"])).into()
    };
    let [names, images] = containers();
    vec![text("Ready", "Number of ready pods and of desired ones.", ready), Column::age(), names, images]
}

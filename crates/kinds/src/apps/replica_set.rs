//! Replica sets: a number of identical pods.

use sprag_checks::At;
use sprag_field::{Errors, Path};
use sprag_rest::{Column, Definition, FeatureGates, Release, Releases, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

use super::deployment::scale_paths;
use super::status::validate_at_most;
use super::template::{self, change_member};
use crate::columns::{containers, integer, selector};
use crate::core::pod::PodOptions;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::apps_v1::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};

/// The definition of `replicasets`.
pub(crate) fn replica_sets(release: Release) -> Definition {
    let status = SubresourceConfig::new().writes(super::STATUS_WRITES).validate_update(|cx, new, _, errors| {
        validate_finalizers(new, errors);
        validate_status(view(new).status(), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_33))
        .metadata_as_new([Releases::until(Release::V1_33)])
        .drop_disabled_fields(drop_disabled_fields)
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(view(new).spec(), &template::options(cx.gates, new, None, &cx.root()), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_spec(
                view(new).spec(),
                &template::options(cx.gates, new, Some(old), &cx.root()),
                &cx.root(),
                errors,
            );
            view(new).spec().check_selector_update(view(old).spec(), &cx.root().child("spec"), errors);
        })
        .warnings_on_create(|_, new| template::named_warnings(new))
        .warnings_on_update(|_, new, old| template::warnings_on_update(new, old))
        .status(status);
    let resource = program::resource(release, "apps", "v1", "ReplicaSet").complete(complete).scale(scale_paths());
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["rs".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.versions[0].columns = columns();
    definition
}

fn view(object: &Value) -> ReplicaSet<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_ReplicaSet`.
fn complete(object: &mut Value) {
    change_member(object, "spec", template::set_template_defaults);
}

/// As upstream's `replicaset.dropDisabledStatusFields`, and fields of the template.
fn drop_disabled_fields(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    template::drop_disabled_fields(gates, new, old);
    super::drop_terminating_replicas(gates, new, old);
}

/// As upstream's `validation.ValidateReplicaSetSpec`.
fn validate_spec(spec: ReplicaSetSpec<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    spec.check_replicas(&at, errors);
    spec.check_min_ready_seconds(&at, errors);
    spec.check_selector(&at, errors);
    template::validate_replicated(spec.selector(), spec.template(), &at, options, errors);
}

/// As upstream's `validation.ValidateReplicaSetStatus`.
fn validate_status(status: ReplicaSetStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    status.check_replicas(&at, errors);
    status.check_fully_labeled_replicas(&at, errors);
    status.check_ready_replicas(&at, errors);
    status.check_available_replicas(&at, errors);
    status.check_observed_generation(&at, errors);
    status.check_terminating_replicas(&at, errors);
    validate_replicas(status.as_value(), &at, errors);
}

/// Refuses more pods of a sort than there are pods, in the status of a replica set or replication controller.
pub(crate) fn validate_replicas(status: &Value, at: &Path<'_>, errors: &mut Errors) {
    let total = ("replicas", "cannot be greater than status.replicas");
    validate_at_most(status, &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], total, at, errors);
    let ready = ("readyReplicas", "cannot be greater than readyReplicas");
    validate_at_most(status, &["availableReplicas"], ready, at, errors);
}

/// As upstream's `printers.printReplicaSet`.
fn columns() -> Vec<Column> {
    let [desired, current, ready] = replica_columns();
    let [names, images] = containers();
    vec![desired, current, ready, Column::age(), names, images, selector()]
}

/// The numbers of pods of a replica set or replication controller.
pub(crate) fn replica_columns() -> [Column; 3] {
    [
        integer("Desired", "Number of desired pods.", &["spec", "replicas"]),
        integer("Current", "Number of pods.", &["status", "replicas"]),
        integer("Ready", "Number of ready pods.", &["status", "readyReplicas"]),
    ]
}

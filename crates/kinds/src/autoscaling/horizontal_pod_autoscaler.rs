//! Horizontal pod autoscalers: how many replicas a resource has, by metrics. Hooks see version v2, which has all that
//! upstream's internal type has; version v1 keeps in annotations what it has no fields for.

mod annotations;
mod defaults;
mod from_v1;
mod metrics;
mod spec;
mod table;
mod to_v1;

use sprag_checks::At;
use sprag_field::Errors;
use sprag_rest::{Definition, FeatureGates, Release, StrategyConfig, SubresourceConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use self::annotations::NAMES;
use self::spec::{AutoscalerOptions, validate_spec};
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::autoscaling_v2::{HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus};

/// The gate by which autoscalers have a generation, which clients could set before.
const GENERATION: &str = "HPAGeneration";
const GROUP: &str = "autoscaling";
const KIND: &str = "HorizontalPodAutoscaler";

/// The definition of `horizontalpodautoscalers`.
pub(super) fn horizontal_pod_autoscalers(release: Release) -> Definition {
    let status = SubresourceConfig::new().writes(["status", "metadata"]).validate_update(|cx, new, _, errors| {
        validate_finalizers(new, errors);
        validate_status(autoscaler(new).status(), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .drop_disabled_fields(drop_tolerance)
        .without_generation()
        .prepare_for_create(|cx, new| {
            if cx.gates.enabled(GENERATION) {
                meta::set_generation(new, 1);
            }
        })
        .prepare_for_update(|cx, new: &mut Value, old| {
            let is_same = program::same_pointer("v2.HorizontalPodAutoscalerSpec", new.get("spec"), old.get("spec"));
            if !is_same && cx.gates.enabled(GENERATION) {
                meta::set_generation(new, meta::generation(old).saturating_add(1));
            }
        })
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            let options = AutoscalerOptions::new(cx.gates, autoscaler(new), None);
            validate_spec(autoscaler(new).spec(), options, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            let options = AutoscalerOptions::new(cx.gates, autoscaler(new), Some(autoscaler(old)));
            validate_spec(autoscaler(new).spec(), options, &cx.root(), errors);
        })
        .status(status);
    let first = program::resource(release, GROUP, "v1", KIND).complete(defaults::complete_v1);
    let resource = program::resource(release, GROUP, "v2", KIND)
        .version(first, from_v1::convert, to_v1::convert)
        .field_annotations(&NAMES)
        .complete(defaults::complete)
        .completes_by_empty_lists()
        // An object sent in version v1 gets the defaults of the stored version only when it is stored.
        .canonicalize(defaults::complete);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["hpa".to_owned()];
    definition.categories = vec!["all".to_owned()];
    for version in &mut definition.versions {
        version.columns = if version.name == "v1" { table::columns_v1() } else { table::columns() };
    }
    definition
}

fn autoscaler(object: &Value) -> HorizontalPodAutoscaler<'_> {
    View::view(Some(object))
}

/// As upstream's `horizontalpodautoscaler.dropDisabledFields`.
fn drop_tolerance(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    const DIRECTIONS: [&str; 2] = ["scaleDown", "scaleUp"];
    let uses = |object: &Value| {
        let tolerance = |direction: &str| object.lookup(&["spec", "behavior", direction, "tolerance"]);
        DIRECTIONS.iter().any(|direction| tolerance(direction).is_some_and(|value| !value.is_null()))
    };
    if gates.enabled("HPAConfigurableTolerance") || old.is_some_and(uses) || !uses(new) {
        return;
    }
    if let Some(behavior) = new.get_mut("spec").and_then(|spec| spec.get_mut("behavior")) {
        for direction in DIRECTIONS {
            if let Some(rules) = behavior.get_mut(direction) {
                rules.remove("tolerance");
            }
        }
    }
}

/// As upstream's `validation.ValidateHorizontalPodAutoscalerStatusUpdate`.
fn validate_status(status: HorizontalPodAutoscalerStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    let conditions = at.child("conditions");
    for (index, condition) in status.conditions().iter().enumerate() {
        condition.check_observed_generation(&conditions.index(index), errors);
    }
    status.check_current_replicas(&at, errors);
    status.check_desired_replicas(&at, errors);
}

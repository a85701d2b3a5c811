//! Pod disruption budgets: how many pods of a set may be evicted at once.

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_rest::{Column, Definition, Release, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::{IntOrStr, View};

use crate::apps::rolling_update::validate_at_most_100_percent;
use crate::columns::{integer, text};
use crate::core::internal::internal_struct;
use crate::meta::{is_valid_selector, validate_conditions, validate_label_selector};
use crate::program;
use crate::views::policy_v1::{PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus};

/// The key that distinguished empty selectors of version v1beta1 from those of later versions.
const EMPTY_SELECTOR_KEY: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/// The definition of `poddisruptionbudgets`. Unlike most, its rules do not look at metadata.
pub(super) fn pod_disruption_budgets(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .no_metadata_as_changed()
        .writes(["status", "metadata"])
        .validate_update(|cx, new, _, errors| validate_status(budget(new).status(), &cx.root(), errors));
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .no_metadata_as_changed()
        .prepare_for_create(|_, new| strip_selector(new, None))
        .prepare_for_update(|_, new, old| strip_selector(new, Some(old)))
        .validate(|cx, new, errors| {
            let of_metadata = errors.len();
            validate_spec(budget(new).spec(), false, &cx.root(), errors);
            // As upstream's rest.BeforeCreate: its own rules of metadata count only where nothing else is wrong.
            if errors.len() > of_metadata {
                errors.since_mut(0).rotate_left(of_metadata);
                errors.truncate(errors.len() - of_metadata);
            }
        })
        .validate_update(|cx, new, old, errors| {
            let allow_bad_values =
                budget(old).spec().selector().is_some_and(|selector| !is_valid_selector(selector, &cx.root()));
            validate_spec(budget(new).spec(), allow_bad_values, &cx.root(), errors);
        })
        .status(status)
        .allow_unconditional_update(false);
    let mut definition = program::resource(release, "policy", "v1", "PodDisruptionBudget").strategy(strategy).define();
    definition.short_names = vec!["pdb".to_owned()];
    definition.versions[0].columns = columns();
    definition
}

fn budget(object: &Value) -> PodDisruptionBudget<'_> {
    View::view(Some(object))
}

/// As upstream's `poddisruptionbudget.dropDisabledFields`.
fn strip_selector(new: &mut Value, old: Option<&Value>) {
    let selector = |object: &Value| budget(object).spec().selector().map(|selector| selector.as_value().clone());
    if old.is_some_and(|old| program::same_pointer("v1.LabelSelector", selector(new).as_ref(), selector(old).as_ref()))
    {
        return;
    }
    let Some(view) = budget(new).spec().selector() else { return };
    let requirements = view.match_expressions();
    let is_marked = requirements.iter().any(|requirement| requirement.key() == EMPTY_SELECTOR_KEY);
    let is_match_none = view.match_labels().is_empty()
        && requirements.len() == 1
        && requirements.iter().all(|requirement| requirement.operator() == "Exists" && requirement.values().is_empty());
    if !is_marked || is_match_none {
        return;
    }
    let selector = new.get_mut("spec").and_then(|spec| spec.get_mut("selector"));
    let requirements = selector.and_then(|selector| selector.get_mut("matchExpressions"));
    if let Some(requirements) = requirements.and_then(Value::as_array_mut) {
        requirements.retain(|requirement| requirement.get("key").and_then(Value::as_str) != Some(EMPTY_SELECTOR_KEY));
    }
}

/// As upstream's `validation.ValidatePodDisruptionBudgetSpec`.
fn validate_spec(spec: PodDisruptionBudgetSpec<'_>, allow_bad_values: bool, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    if spec.min_available().is_some() && spec.max_unavailable().is_some() {
        let shown = internal_struct(errors.release(), "v1.PodDisruptionBudgetSpec", Some(spec.as_value()));
        errors.push(Error::invalid(&at, shown, "minAvailable and maxUnavailable cannot be both set"));
    }
    if let Some(amount) = spec.min_available() {
        spec.check_min_available(&at, errors);
        validate_at_most_100_percent(amount, &at.child("minAvailable"), errors);
    }
    if let Some(amount) = spec.max_unavailable() {
        spec.check_max_unavailable(&at, errors);
        validate_at_most_100_percent(amount, &at.child("maxUnavailable"), errors);
    }
    if let Some(selector) = spec.selector() {
        validate_label_selector(selector, allow_bad_values, &at.child("selector"), errors);
    }
    spec.check_unhealthy_pod_eviction_policy(&at, errors);
}

/// As upstream's `validation.ValidatePodDisruptionBudgetStatusUpdate`.
fn validate_status(status: PodDisruptionBudgetStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    validate_conditions(status.conditions(), &at.child("conditions"), errors);
    status.check_disruptions_allowed(&at, errors);
    status.check_current_healthy(&at, errors);
    status.check_desired_healthy(&at, errors);
    status.check_expected_pods(&at, errors);
}

/// As upstream's `printers.printPodDisruptionBudget`.
fn columns() -> Vec<Column> {
    let amount = |amount: Option<IntOrStr<'_>>| match amount {
        Some(IntOrStr::Int(number)) => number.to_string(),
        Some(IntOrStr::Str(text)) => text.to_owned(),
        None => "N/A".to_owned(),
    };
    vec![
        text("Min Available", "Pods that must still be available after an eviction.", move |object| {
            amount(budget(object).spec().min_available()).into()
        }),
        text("Max Unavailable", "Pods that may be unavailable after an eviction.", move |object| {
            amount(budget(object).spec().max_unavailable()).into()
        }),
        integer("Allowed Disruptions", "Number of evictions that are allowed now.", &["status", "disruptionsAllowed"]),
        Column::age(),
    ]
}

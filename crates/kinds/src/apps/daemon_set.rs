//! Daemon sets: a pod on each node.

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_rest::{Column, Definition, Release, Releases, StrategyConfig, SubresourceConfig, labels_text};
use sprag_value::Value;
use sprag_value::view::{IntOrStr, View};

use super::deployment::{STRATEGY, set_rolling_update_defaults};
use super::rolling_update::{amount_of, shown, validate_at_most_100_percent};
use super::status::validate_collision_count;
use super::template::{self, change_member, set_default};
use crate::checks::validate_nonnegative;
use crate::columns::{containers, integer, selector, text};
use crate::core::internal::{Form, internal_value};
use crate::core::pod::PodOptions;
use crate::meta::{
    has_bad_label_values, is_valid_selector, selector_matches, validate_finalizers, validate_label_selector,
};
use crate::program;
use crate::views::apps_v1::{
    DaemonSet, DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy, RollingUpdateDaemonSet,
};

/// The annotation that stands for the field `templateGeneration` of older versions, as upstream's
/// `appsv1.DeprecatedTemplateGeneration`.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// The definition of `daemonsets`.
pub(crate) fn daemon_sets(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .writes(super::STATUS_WRITES)
        // It is a field of the internal spec, which a write of the status does not change.
        .prepare_for_update(|_, new, old| set_template_generation(new, template_generation(old)))
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_status(view(new).status(), view(old).status(), &cx.root(), errors);
        });
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_33))
        .metadata_as_new([Releases::until(Release::V1_33)])
        .drop_disabled_fields(template::drop_disabled_fields)
        .prepare_for_create(|_, new| set_template_generation(new, template_generation(new).max(1)))
        .prepare_for_update(|_, new, old| {
            let template = new.lookup(&["spec", "template"]);
            let old_template = old.lookup(&["spec", "template"]);
            let is_same = program::same_pointer("v1.PodTemplateSpec", template, old_template);
            set_template_generation(new, template_generation(old).saturating_add(i64::from(!is_same)));
        })
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(view(new), &template::options(cx.gates, new, None, &cx.root()), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            view(new).spec().check_selector_update(view(old).spec(), &cx.root().child("spec"), errors);
            let mut options = template::options(cx.gates, new, Some(old), &cx.root());
            options.allow_invalid_label_value_in_selector |=
                view(old).spec().selector().is_some_and(has_bad_label_values);
            validate_spec(view(new), &options, &cx.root(), errors);
        })
        .warnings_on_create(|_, new| template::warnings_on_create(new))
        .warnings_on_update(|_, new, old| {
            let is_same = template_generation(new) == template_generation(old);
            if is_same { Vec::new() } else { template::warnings_on_update(new, old) }
        })
        .status(status);
    let resource = program::resource(release, "apps", "v1", "DaemonSet")
        .convertible(|object| annotation(object).map_or(Ok(()), |text| super::parse_int(text).map(drop)))
        .field_annotations(&[TEMPLATE_GENERATION])
        .complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["ds".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.versions[0].columns = columns();
    definition
}

fn view(object: &Value) -> DaemonSet<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_DaemonSet`, and its conversions, which add an annotation.
fn complete(object: &mut Value) {
    set_template_generation(object, template_generation(object));
    change_member(object, "spec", |spec| {
        template::set_template_defaults(spec);
        change_member(spec, "updateStrategy", |strategy| {
            set_default(strategy, "type", "RollingUpdate");
            set_rolling_update_defaults(strategy, 1, 0);
        });
    });
}

fn annotation(object: &Value) -> Option<&str> {
    object.lookup(&["metadata", "annotations", TEMPLATE_GENERATION]).and_then(Value::as_str)
}

/// The value of `templateGeneration`: how often the template changed; 0 if unset.
fn template_generation(object: &Value) -> i64 {
    annotation(object).and_then(|text| super::parse_int(text).ok()).unwrap_or_default()
}

fn set_template_generation(object: &mut Value, generation: i64) {
    change_member(object, "metadata", |metadata| {
        change_member(metadata, "annotations", |annotations| {
            annotations.insert(TEMPLATE_GENERATION, generation.to_string());
        });
    });
}

/// As upstream's `validation.ValidateDaemonSetSpec`.
fn validate_spec(new: DaemonSet<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    let spec = new.spec();
    let at = root.child("spec");
    validate_selection(spec, &at, options, errors);
    template::validate_template(spec.template(), "DaemonSet", &at.child("template"), options, errors);
    spec.check_min_ready_seconds(&at, errors);
    let generation = template_generation(new.as_value());
    validate_nonnegative(generation, &at.child("templateGeneration"), errors);
    validate_update_strategy(spec.update_strategy(), &at.child("updateStrategy"), errors);
    spec.check_revision_history_limit(&at, errors);
}

/// Checks the selector and the labels of the template.
fn validate_selection(spec: DaemonSetSpec<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let selector = spec.selector();
    let template = spec.template();
    let at_selector = at.child("selector");
    if let Some(selector) = selector {
        validate_label_selector(selector, options.allow_invalid_label_value_in_selector, &at_selector, errors);
    }
    let is_valid = selector.is_none_or(|selector| is_valid_selector(selector, at));
    if is_valid && !selector.is_some_and(|selector| selector_matches(selector, template.metadata().labels())) {
        errors.push(template::unselected(template, &at.child("template")));
    }
    if let Some(selector) = selector {
        template::validate_selects(selector, "empty selector is invalid for daemonset", &at_selector, errors);
    }
}

/// As upstream's `validation.ValidateDaemonSetUpdateStrategy`.
fn validate_update_strategy(strategy: DaemonSetUpdateStrategy<'_>, at: &At<'_>, errors: &mut Errors) {
    let at_update = at.child("rollingUpdate");
    match (strategy.kind(), strategy.rolling_update()) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errors.push(Error::required(&at_update, "")),
        ("RollingUpdate", Some(update)) => validate_rolling_update(update, &at_update, errors),
        _ => {
            let value = internal_value(Some(strategy.as_value()), Form::Struct(STRATEGY));
            errors.push(Error::not_supported(at, value, &["RollingUpdate", "OnDelete"]));
        }
    }
}

/// As upstream's `validation.ValidateRollingUpdateDaemonSet`.
fn validate_rolling_update(update: RollingUpdateDaemonSet<'_>, at: &At<'_>, errors: &mut Errors) {
    let unavailable = update.max_unavailable().unwrap_or(IntOrStr::Int(0));
    let surge = update.max_surge().unwrap_or(IntOrStr::Int(0));
    let at_unavailable = at.child("maxUnavailable");
    let at_surge = at.child("maxSurge");
    update.check_max_unavailable(at, errors);
    update.check_max_surge(at, errors);
    validate_at_most_100_percent(unavailable, &at_unavailable, errors);
    validate_at_most_100_percent(surge, &at_surge, errors);
    match (amount_of(unavailable) != 0, amount_of(surge) != 0) {
        (true, true) => {
            let detail = "may not be set when maxUnavailable is non-zero";
            errors.push(Error::invalid(&at_surge, shown(surge), detail));
        }
        (false, false) => errors.push(Error::required(&at_unavailable, "cannot be 0 when maxSurge is 0")),
        _ => {}
    }
}

/// As upstream's `validation.ValidateDaemonSetStatusUpdate`.
fn validate_status(status: DaemonSetStatus<'_>, old: DaemonSetStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    status.check(&at, errors);
    validate_collision_count(status.as_value(), old.as_value(), &at, errors);
}

/// As upstream's `printers.printDaemonSet`.
fn columns() -> Vec<Column> {
    let [names, images] = containers();
    vec![
        integer("Desired", "Number of nodes that should run a pod.", &["status", "desiredNumberScheduled"]),
        integer("Current", "Number of nodes that run a pod and should.", &["status", "currentNumberScheduled"]),
        integer("Ready", "Number of nodes with a ready pod.", &["status", "numberReady"]),
        integer("Up-to-date", "Number of nodes with an updated pod.", &["status", "updatedNumberScheduled"]),
        integer("Available", "Number of nodes with an available pod.", &["status", "numberAvailable"]),
        text("Node Selector", "Labels of the nodes that run a pod.", |object| {
            let labels = labels_text(object.lookup(&["spec", "template", "spec", "nodeSelector"]));
            if labels.is_empty() { "<none>".into() } else { labels.into() }
        }),
        Column::age(),
        names,
        images,
        selector(),
    ]
}

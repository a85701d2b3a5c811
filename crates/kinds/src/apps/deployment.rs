//! Deployments: rollouts of replica sets.

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_rest::{
    Column, Definition, FeatureGates, Release, ScalePaths, ScaleSelector, StrategyConfig, SubresourceConfig, meta,
    selector_text,
};
use sprag_value::Value;
use sprag_value::view::{IntOrStr, View};

use super::rolling_update::{amount_of, shown, validate_at_most_100_percent};
use super::status::{validate_at_most, validate_collision_count};
use super::template::{self, change_member, set_default};
use crate::checks::validate_nonnegative;
use crate::columns::{containers, number, text, wide};
use crate::core::internal::{Field, Form, internal_value};
use crate::core::pod::PodOptions;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::apps_v1::{
    Deployment, DeploymentSpec, DeploymentStatus, DeploymentStrategy, RollingUpdateDeployment,
};

/// The annotation that stands for the field `rollbackTo` of older versions, as upstream's `appsv1.DeprecatedRollbackTo`.
const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

/// The fields that `/status` writes: all but the spec and labels.
const STATUS_WRITES: [&str; 9] = [
    "status",
    "metadata.annotations",
    "metadata.creationTimestamp",
    "metadata.deletionGracePeriodSeconds",
    "metadata.deletionTimestamp",
    "metadata.finalizers",
    "metadata.generateName",
    "metadata.ownerReferences",
    "metadata.selfLink",
];

/// The definition of `deployments`.
pub(crate) fn deployments(release: Release) -> Definition {
    let status = SubresourceConfig::new().writes(STATUS_WRITES).validate_update(|cx, new, old, errors| {
        validate_finalizers(new, errors);
        validate_status(view(new).status(), view(old).status(), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .without_generation()
        .drop_disabled_fields(drop_disabled_fields)
        .prepare_for_create(|_, new| meta::set(new, "generation", 1))
        .prepare_for_update(|_, new, old| count_generation(new, old))
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(view(new), &template::options(cx.gates, new, None, &cx.root()), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_spec(view(new), &template::options(cx.gates, new, Some(old), &cx.root()), &cx.root(), errors);
            view(new).spec().check_selector_update(view(old).spec(), &cx.root().child("spec"), errors);
        })
        .warnings_on_create(|_, new| template::named_warnings(new))
        .warnings_on_update(|_, new, old| template::warnings_on_update(new, old))
        .status(status);
    let resource = program::resource(release, "apps", "v1", "Deployment")
        .convertible(|object| rollback_to(object).map(drop))
        .field_annotations(&[ROLLBACK_TO])
        .complete(complete)
        .scale(scale_paths());
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["deploy".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.versions[0].columns = columns();
    definition
}

/// Returns the paths of the fields of workloads that `/scale` shows.
pub(super) fn scale_paths() -> ScalePaths {
    ScalePaths { label_selector: Some(ScaleSelector::Selector(".spec.selector".to_owned())), ..ScalePaths::default() }
}

fn view(object: &Value) -> Deployment<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_Deployment`, and its conversions, which rewrite an annotation.
fn complete(object: &mut Value) {
    let revision = rollback_to(object).ok().flatten();
    if let Some(annotations) = object.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations")) {
        match revision {
            Some(revision) => drop(annotations.insert(ROLLBACK_TO, revision.to_string())),
            None => drop(annotations.remove(ROLLBACK_TO)),
        }
    }
    change_member(object, "spec", |spec| {
        template::set_template_defaults(spec);
        change_member(spec, "strategy", |strategy| {
            set_default(strategy, "type", "RollingUpdate");
            set_rolling_update_defaults(strategy, "25%", "25%");
        });
    });
}

/// Sets the parameters of rolling updates. Those of other strategies are 0, as upstream's internal types have no pointers.
pub(super) fn set_rolling_update_defaults(
    strategy: &mut Value,
    max_unavailable: impl Into<Value>,
    max_surge: impl Into<Value>,
) {
    let is_rolling = strategy.get("type").and_then(Value::as_str) == Some("RollingUpdate");
    if is_rolling {
        change_member(strategy, "rollingUpdate", |update| {
            set_default_amount(update, "maxUnavailable", max_unavailable);
            set_default_amount(update, "maxSurge", max_surge);
        });
    } else if let Some(update) = strategy.get_mut("rollingUpdate").filter(|update| !update.is_null()) {
        set_default_amount(update, "maxUnavailable", 0);
        set_default_amount(update, "maxSurge", 0);
    }
}

/// Sets a number or percentage that is not set. An empty text is set.
pub(super) fn set_default_amount(update: &mut Value, name: &str, value: impl Into<Value>) {
    if update.get(name).is_none_or(Value::is_null) {
        update.insert(name, value.into());
    }
}

/// The revision that the annotation names, as upstream's `Convert_v1_Deployment_To_apps_Deployment`.
fn rollback_to(object: &Value) -> Result<Option<i64>, String> {
    let text = object.lookup(&["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str).unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    let revision = super::parse_int(text)
        .map_err(|error| format!("failed to parse annotation[{ROLLBACK_TO}]={text} as int64: {error}"))?;
    Ok(Some(revision))
}

/// As upstream's `deployment.dropDisabledStatusFields`, and fields of the template.
fn drop_disabled_fields(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    template::drop_disabled_fields(gates, new, old);
    super::drop_terminating_replicas(gates, new, old);
}

/// Counts another generation if the spec or an annotation changed: annotations are copied to replica sets.
fn count_generation(new: &mut Value, old: &Value) {
    let annotations = |object: &Value| meta::get(object, "annotations").cloned().unwrap_or_default();
    let is_same = program::same_pointer("v1.DeploymentSpec", new.get("spec"), old.get("spec"))
        && annotations(new).semantic_eq(&annotations(old));
    meta::set_generation(new, meta::generation(old).saturating_add(i64::from(!is_same)));
}

/// As upstream's `validation.ValidateDeploymentSpec`.
fn validate_spec(new: Deployment<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    let spec = new.spec();
    let at = root.child("spec");
    spec.check_replicas(&at, errors);
    spec.check_selector(&at, errors);
    template::validate_replicated(spec.selector(), spec.template(), &at, options, errors);
    validate_strategy(spec.strategy(), &at.child("strategy"), errors);
    spec.check_min_ready_seconds(&at, errors);
    spec.check_revision_history_limit(&at, errors);
    if let Ok(Some(revision)) = rollback_to(new.as_value()) {
        let rollback = at.child("rollback");
        validate_nonnegative(revision, &rollback.child("version"), errors);
    }
    validate_deadline(spec, &at, errors);
}

fn validate_deadline(spec: DeploymentSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let Some(seconds) = spec.progress_deadline_seconds() else { return };
    spec.check_progress_deadline_seconds(at, errors);
    if seconds <= spec.min_ready_seconds() {
        let at = at.child("progressDeadlineSeconds");
        errors.push(Error::invalid(&at, seconds, "must be greater than minReadySeconds"));
    }
}

/// As upstream's `validation.ValidateDeploymentStrategy`.
fn validate_strategy(strategy: DeploymentStrategy<'_>, at: &At<'_>, errors: &mut Errors) {
    let at_update = at.child("rollingUpdate");
    match (strategy.kind(), strategy.rolling_update()) {
        ("Recreate", Some(_)) => {
            errors.push(Error::forbidden(&at_update, "may not be specified when strategy `type` is 'Recreate'"));
        }
        ("Recreate", None) => {}
        ("RollingUpdate", None) => {
            errors.push(Error::required(&at_update, "this should be defaulted and never be nil"));
        }
        ("RollingUpdate", Some(update)) => validate_rolling_update(update, &at_update, errors),
        _ => {
            let value = internal_value(Some(strategy.as_value()), Form::Struct(STRATEGY));
            errors.push(Error::not_supported(at, value, &["Recreate", "RollingUpdate"]));
        }
    }
}

/// Strategies as errors show them, those of daemon sets included.
pub(super) const STRATEGY: &[Field] = &[
    ("Type", "type", Form::Text),
    (
        "RollingUpdate",
        "rollingUpdate",
        Form::Struct(&[("MaxUnavailable", "maxUnavailable", Form::Number), ("MaxSurge", "maxSurge", Form::Number)]),
    ),
];

/// As upstream's `validation.ValidateRollingUpdateDeployment`.
fn validate_rolling_update(update: RollingUpdateDeployment<'_>, at: &At<'_>, errors: &mut Errors) {
    let unavailable = update.max_unavailable().unwrap_or(IntOrStr::Int(0));
    let surge = update.max_surge().unwrap_or(IntOrStr::Int(0));
    let at_unavailable = at.child("maxUnavailable");
    update.check_max_unavailable(at, errors);
    update.check_max_surge(at, errors);
    if amount_of(unavailable) == 0 && amount_of(surge) == 0 {
        errors.push(Error::invalid(&at_unavailable, shown(unavailable), "may not be 0 when `maxSurge` is 0"));
    }
    validate_at_most_100_percent(unavailable, &at_unavailable, errors);
}

/// As upstream's `validation.ValidateDeploymentStatusUpdate`.
fn validate_status(status: DeploymentStatus<'_>, old: DeploymentStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    status.check(&at, errors);
    let status = status.as_value();
    let old = old.as_value();
    let total = ("replicas", "cannot be greater than status.replicas");
    validate_at_most(status, &["updatedReplicas", "readyReplicas", "availableReplicas"], total, &at, errors);
    let ready = ("readyReplicas", "cannot be greater than readyReplicas");
    validate_at_most(status, &["availableReplicas"], ready, &at, errors);
    validate_collision_count(status, old, &at, errors);
}

/// As upstream's `printers.printDeployment`.
fn columns() -> Vec<Column> {
    let ready = |object: &Value| {
        format!("{}/{}", number(object, &["status", "readyReplicas"]), number(object, &["spec", "replicas"])).into()
    };
    let [names, images] = containers();
    vec![
        text("Ready", "Number of ready pods and of desired ones.", ready),
        text("Up-to-date", "Number of pods of the current template.", |object| {
            number(object, &["status", "updatedReplicas"]).into()
        }),
        text("Available", "Number of available pods.", |object| {
            number(object, &["status", "availableReplicas"]).into()
        }),
        Column::age(),
        names,
        images,
        wide(text("Selector", "Labels of the pods.", |object| {
            selector_text(object.lookup(&["spec", "selector"])).unwrap_or_else(|_| "<invalid>".to_owned()).into()
        })),
    ]
}

//! The selector of a job, which the server generates unless the author asks for another.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::meta;
use sprag_value::view::{Map, View};
use sprag_value::{Object, Value, json};

use super::defaults::shares_labels;
use crate::meta::{is_valid_selector, selector_matches};
use crate::views::batch_v1::Job;

/// Labels of pods with the name of their job: the present one last, as upstream's `batch.JobNameLabel`.
const NAME_LABELS: [&str; 2] = ["job-name", JOB_NAME_LABEL];

/// Labels of pods with the uid of their job, as upstream's `batch.ControllerUidLabel`.
const UID_LABELS: [&str; 2] = ["controller-uid", CONTROLLER_UID_LABEL];

/// The label of pods with the name of their job.
pub(super) const JOB_NAME_LABEL: &str = "batch.kubernetes.io/job-name";

/// The label of pods with the uid of their job.
pub(super) const CONTROLLER_UID_LABEL: &str = "batch.kubernetes.io/controller-uid";

/// As upstream's `job.generateSelector`. What the author set stays; rules refuse it where it is wrong.
pub(super) fn generate(job: &mut Value) {
    let name = meta::name(job).to_owned();
    let uid = meta::uid(job).to_owned();
    let is_shared = shares_labels(job);
    let spec = member(job, "spec");
    let labels = member(member(member(spec, "template"), "metadata"), "labels");
    for (names, value) in [(NAME_LABELS, &name), (UID_LABELS, &uid)] {
        for label in names {
            set_missing(labels, label, value);
        }
    }
    let labels = labels.clone();
    set_missing(member(member(spec, "selector"), "matchLabels"), CONTROLLER_UID_LABEL, &uid);
    if is_shared {
        member(job, "metadata").insert("labels", labels);
    }
}

fn set_missing(labels: &mut Value, label: &str, value: &str) {
    if labels.get(label).is_none() {
        labels.insert(label, value);
    }
}

/// A member that is an object. It is created empty if it is missing.
fn member<'v>(object: &'v mut Value, name: &str) -> &'v mut Value {
    if object.get(name).is_none_or(Value::is_null) {
        object.insert(name, Value::object());
    }
    object.get_mut(name).expect("it was inserted")
}

/// True if the pods of a job have both labels with a prefix.
pub(super) fn has_prefixed_labels(job: Job<'_>) -> bool {
    let labels = job.spec().template().metadata().labels();
    [UID_LABELS[1], NAME_LABELS[1]].into_iter().all(|label| labels.contains_key(label))
}

/// As upstream's `validation.validateGeneratedSelector`, which jobs without labels with a prefix may pass, too.
pub(super) fn validate_generated(job: Job<'_>, requires_prefixed: bool, root: &At<'_>, errors: &mut Errors) {
    let spec = job.spec();
    let Some(selector) = spec.selector().filter(|_| spec.manual_selector() != Some(true)) else { return };
    let name = meta::name(job.as_value());
    let uid = meta::uid(job.as_value());
    if uid.is_empty() {
        errors.push(Error::required(&Path::new("metadata").child("uid"), ""));
    }
    let labels = spec.template().metadata().labels();
    let kinds = if requires_prefixed { 2 } else { 1 };
    for label in [UID_LABELS[0], NAME_LABELS[0], UID_LABELS[1], NAME_LABELS[1]].into_iter().take(2 * kinds) {
        let value = if UID_LABELS.contains(&label) { uid } else { name };
        validate_has_label(labels, label, value, errors);
    }
    let expected: Object = NAME_LABELS
        .into_iter()
        .take(kinds)
        .map(|label| (label, Value::from(name)))
        .chain(UID_LABELS.into_iter().take(kinds).map(|label| (label, Value::from(uid))))
        .collect();
    let expected = Value::Object(expected);
    if is_valid_selector(selector, root) && !selector_matches(selector, View::view(Some(&expected))) {
        let value = BadValue::Json(json::to_string(selector.as_value()));
        errors.push(Error::invalid(&Path::new("spec").child("selector"), value, "`selector` not auto-generated"));
    }
}

/// As upstream's `validation.ValidateHasLabel`, of a pod template.
fn validate_has_label(labels: Map<'_, &str>, label: &str, expected: &str, errors: &mut Errors) {
    let actual = labels.get(label);
    if actual == Some(expected) {
        return;
    }
    let spec = Path::new("spec");
    let detail = format!("must be '{expected}'");
    let template = spec.child("template");
    let metadata = template.child("metadata");
    let all = metadata.child("labels");
    let at = all.key(label);
    errors.push(match actual {
        None => Error::required(&at, detail),
        Some(_) => Error::invalid(&at, labels_value(labels), detail),
    });
}

/// Labels as an error shows them.
pub(super) fn labels_value(labels: Map<'_, &str>) -> BadValue {
    match labels.object() {
        None => BadValue::Nil,
        Some(labels) => BadValue::Json(json::to_string(&Value::Object(labels.clone()))),
    }
}

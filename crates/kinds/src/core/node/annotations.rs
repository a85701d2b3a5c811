//! Annotations of nodes with JSON inside, as upstream's `validation.ValidateNodeSpecificAnnotations`.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_value::view::View;
use sprag_value::{Object, Value, json};

use crate::core::pod::validate_taints;

const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";
const AVOIDED_PODS: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// The rules; `at` is the path of the annotations.
pub(super) fn validate(node: &Value, at: &At<'_>, errors: &mut Errors) {
    let annotation = |name: &str| {
        let text = node.lookup(&["metadata", "annotations", name]).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    };
    if let Some(text) = annotation(TAINTS) {
        match read_taints(text) {
            Ok(taints) => validate_taints(View::view(Some(&taints)), &at.child(TAINTS), errors),
            Err(detail) => errors.push(Error::invalid(at, TAINTS, detail)),
        }
    }
    if let Some(text) = annotation(AVOIDED_PODS) {
        match read(text, "v1.AvoidPods", &|value| value.as_object().is_some()) {
            Ok(pods) => validate_avoided_pods(&pods, &at.child(AVOIDED_PODS), errors),
            Err(detail) => errors.push(Error::invalid(&at.child("AvoidPods"), AVOIDED_PODS, detail)),
        }
    }
}

/// Reads JSON as Go's `json.Unmarshal` into a type does.
fn read(text: &str, ty: &str, is_right: &dyn Fn(&Value) -> bool) -> Result<Value, String> {
    match json::parse(text.as_bytes()) {
        Ok(value) if value.is_null() || is_right(&value) => Ok(value),
        Ok(value) => Err(format!("json: cannot unmarshal {} into Go value of type {ty}", kind(&value))),
        Err(error) => Err(error.to_string()),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        _ => "number",
    }
}

/// Reads taints, whose Go type has no JSON names, so that the case of letters does not matter.
fn read_taints(text: &str) -> Result<Value, String> {
    let list = read(text, "[]core.Taint", &|value| value.as_array().is_some())?;
    let taint = |value: &Value| match value {
        Value::Object(members) => read_taint(members),
        Value::Null => Ok(Value::object()),
        other => Err(format!("json: cannot unmarshal {} into Go value of type core.Taint", kind(other))),
    };
    list.as_array().into_iter().flatten().map(taint).collect::<Result<Vec<Value>, String>>().map(Value::from_iter)
}

fn read_taint(members: &Object) -> Result<Value, String> {
    let mut taint = Value::object();
    for (name, value) in members {
        let field = match name.as_str().to_lowercase().as_str() {
            "key" => ("key", "Key", "string"),
            "value" => ("value", "Value", "string"),
            "effect" => ("effect", "Effect", "core.TaintEffect"),
            _ => continue,
        };
        match value {
            Value::String(_) => drop(taint.insert(field.0, value.clone())),
            Value::Null => {}
            other => {
                let kind = kind(other);
                let name = field.1;
                let ty = field.2;
                return Err(format!("json: cannot unmarshal {kind} into Go struct field Taint.{name} of type {ty}"));
            }
        }
    }
    Ok(taint)
}

/// As upstream's `validation.validatePreferAvoidPodsEntry`. Upstream panics if `controller` is unset;
/// here unset means false.
fn validate_avoided_pods(pods: &Value, at: &Path<'_>, errors: &mut Errors) {
    let entries = pods.get("preferAvoidPods").and_then(Value::as_array).into_iter().flatten();
    for (index, entry) in entries.enumerate() {
        let at = at.index(index);
        let at = at.child("PodSignature");
        let Some(owner) = entry.lookup(&["podSignature", "podController"]).filter(|owner| !owner.is_null()) else {
            errors.push(Error::required(&at, ""));
            continue;
        };
        if owner.get("controller").and_then(Value::as_bool) != Some(true) {
            let at = at.child("PodController");
            errors.push(Error::invalid(&at.child("Controller"), false, "must point to a controller"));
        }
    }
}

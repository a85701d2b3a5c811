//! Disruption budgets of `policy/v1beta1`, whose empty selector selects no pods.

use sprag_value::Value;

use super::{Conversion, Subject};
use crate::op::Op;

// As upstream's Convert_v1beta1_PodDisruptionBudget_To_policy_PodDisruptionBudget; a selector that is not there selects nothing.
pub(super) fn convert(subject: &Subject<'_>) -> Conversion {
    let Some(selector) = subject.object.lookup(&["spec", "selector"]) else { return Conversion::default() };
    let is_empty = |value: &Value| match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.as_slice().is_empty(),
        value => value.is_null(),
    };
    let selects =
        ["matchLabels", "matchExpressions"].iter().filter_map(|key| selector.get(key)).any(|part| !is_empty(part));
    if selects || selector.is_null() {
        return Conversion::default();
    }
    let remove = Op::Remove { parent: subject.at.key("spec"), key: "selector" };
    let note = "spec.selector was removed: empty, it selected no pods, and would select all in policy/v1";
    Conversion { phases: vec![vec![remove]], notes: vec![note.to_owned()] }
}

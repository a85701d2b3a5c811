//! Pod disruption budgets in the eviction of a pod.

use sprag_checks::At;
use sprag_rest::{ApiError, Cause, Details, GroupResource, Result, meta};
use sprag_value::view::{Map, View};
use sprag_value::{Object, Time, Value};

use crate::core::persistent_volume_claim::member;
use crate::meta::{is_valid_selector, selector_matches};
use crate::views::core_v1::Pod;
use crate::views::policy_v1::{PodDisruptionBudget, PodDisruptionBudgetStatus};

/// Maximum number of evictions that wait for the controller.
const MAX_DISRUPTED_PODS: usize = 2000;

const DISRUPTION_ALLOWED: &str = "DisruptionAllowed";
const WOULD_VIOLATE: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

/// Asks the budgets of a pod's namespace, as upstream's `storage.EvictionREST.Create`: the budget that counts the eviction, nothing
/// where none has to, or why it is not allowed.
pub(crate) fn ask_budgets(pod: &Value, budgets: Vec<Value>, now: Time, root: &At<'_>) -> Result<Option<Value>> {
    let view: Pod<'_> = View::view(Some(pod));
    let can_ignore = matches!(view.status().phase(), "Succeeded" | "Failed" | "Pending") || meta::is_deleting(pod);
    if can_ignore {
        return Ok(None);
    }
    let mut selecting = budgets.into_iter().filter(|budget| selects(budget, pod, root));
    let Some(budget) = selecting.next() else { return Ok(None) };
    if selecting.next().is_some() {
        let message =
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
        return Err(ApiError::new(500, "", message.to_owned(), None));
    }
    if !is_ready(view) && tolerates_unready(&budget) {
        return Ok(None);
    }
    decremented(budget, meta::name(pod), now).map(Some)
}

fn budget(object: &Value) -> PodDisruptionBudget<'_> {
    View::view(Some(object))
}

/// As upstream's `storage.EvictionREST.getPodDisruptionBudgets`: no selector and a malformed one select no pod.
fn selects(object: &Value, pod: &Value, root: &At<'_>) -> bool {
    let labels: Map<'_, &str> = View::view(meta::get(pod, "labels"));
    let selector = budget(object).spec().selector();
    selector.is_some_and(|selector| is_valid_selector(selector, root) && selector_matches(selector, labels))
}

fn is_ready(pod: Pod<'_>) -> bool {
    pod.status().conditions().iter().any(|condition| condition.kind() == "Ready" && condition.status() == "True")
}

/// Tells if a pod that is not ready can go without being counted.
fn tolerates_unready(object: &Value) -> bool {
    let spec = budget(object).spec();
    let status = budget(object).status();
    let has_enough = status.desired_healthy() > 0 && status.current_healthy() >= status.desired_healthy();
    spec.unhealthy_pod_eviction_policy() == Some("AlwaysAllow") || has_enough
}

/// As upstream's `storage.EvictionREST.checkAndDecrement`.
fn decremented(mut object: Value, pod: &str, now: Time) -> Result<Value> {
    let name = meta::name(&object).to_owned();
    let status = budget(&object).status();
    let allowed = status.disruptions_allowed();
    if status.observed_generation() < meta::generation(&object) {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        return Err(too_many_requests(why, 10));
    }
    if allowed < 0 {
        let why = "pdb disruptions allowed is negative";
        return Err(forbidden(&name, why, why));
    }
    if status.disrupted_pods().len() > MAX_DISRUPTED_PODS {
        let why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
        return Err(forbidden(&name, why, "too many pending evictions not confirmed by PDB controller"));
    }
    if allowed == 0 {
        return Err(too_many_requests(refusal(&name, status), 0));
    }
    let observed = status.observed_generation();
    member(&mut object, "status", |status| {
        status.insert("disruptionsAllowed", allowed - 1);
        if allowed == 1 {
            set_not_allowed(status, observed, now);
        }
        member(status, "disruptedPods", |pods| {
            pods.insert(pod, now.to_string());
        });
    });
    object.insert("apiVersion", "policy/v1");
    object.insert("kind", "PodDisruptionBudget");
    Ok(object)
}

/// Returns the message of a budget that allows no eviction.
fn refusal(name: &str, status: PodDisruptionBudgetStatus<'_>) -> String {
    let condition = status.conditions().iter().find(|condition| condition.kind() == DISRUPTION_ALLOWED);
    let condition = condition.filter(|condition| condition.status() == "False" && !condition.message().is_empty());
    let healthy = status.current_healthy();
    let desired = status.desired_healthy();
    match condition {
        Some(condition) if condition.reason() == "SyncFailed" => format!(
            "The disruption budget {name} does not allow evicting pods currently because it failed sync: {}",
            condition.message()
        ),
        _ if healthy <= desired => {
            format!("The disruption budget {name} needs {desired} healthy pods and has {healthy} currently")
        }
        Some(condition) => format!(
            "The disruption budget {name} does not allow evicting pods currently ({}): {}",
            condition.reason(),
            condition.message()
        ),
        None => format!("The disruption budget {name} does not allow evicting pods currently"),
    }
}

/// As upstream's `poddisruptionbudget.UpdateDisruptionAllowedCondition` of a budget that allows no more.
fn set_not_allowed(status: &mut Value, observed: i64, now: Time) {
    let conditions = status.get("conditions").and_then(Value::as_array);
    let mut conditions: Vec<Value> = conditions.into_iter().flatten().cloned().collect();
    let text = |condition: &Value, member: &str| condition.get(member).and_then(Value::as_str).map(str::to_owned);
    let place = conditions.iter().position(|other| text(other, "type").as_deref() == Some(DISRUPTION_ALLOWED));
    let old = place.map(|place| conditions.remove(place));
    let kept = old.as_ref().filter(|old| text(old, "status").as_deref() == Some("False"));
    let since = kept.and_then(|old| text(old, "lastTransitionTime")).unwrap_or_else(|| now.to_string());
    let condition = Value::Object(Object::from([
        ("type", Value::from(DISRUPTION_ALLOWED)),
        ("status", "False".into()),
        ("observedGeneration", observed.into()),
        ("lastTransitionTime", since.into()),
        ("reason", "InsufficientPods".into()),
        ("message", "".into()),
    ]));
    conditions.insert(place.unwrap_or(conditions.len()), condition);
    status.insert("conditions", conditions);
}

fn too_many_requests(why: String, retry_after_seconds: u32) -> ApiError {
    let details = Details { retry_after_seconds, causes: vec![cause(why)], ..Details::default() };
    ApiError::new(429, "TooManyRequests", WOULD_VIOLATE.to_owned(), Some(details))
}

fn forbidden(name: &str, why: &str, detail: &str) -> ApiError {
    let resource = GroupResource::new("policy", "poddisruptionbudget");
    let message = format!("The disruption budget {name} does not allow evicting pods currently: {detail}");
    ApiError::forbidden(&resource, name, why).with_cause(cause(message))
}

fn cause(message: String) -> Cause {
    Cause { reason: "DisruptionBudget".into(), message, ..Cause::default() }
}

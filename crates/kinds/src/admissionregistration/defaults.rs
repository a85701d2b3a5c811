//! Defaults of webhooks and policies, as upstream's `pkg/apis/admissionregistration/v1/defaults.go`.

use sprag_value::Value;

/// Completes a configuration of webhooks.
pub(super) fn complete_webhooks(object: &mut Value, is_mutating: bool) {
    let Some(webhooks) = object.get_mut("webhooks").and_then(Value::as_array_mut) else { return };
    for webhook in webhooks.as_mut_slice() {
        set_text(webhook, "failurePolicy", "Fail");
        set_text(webhook, "matchPolicy", "Equivalent");
        complete_selectors(webhook);
        set(webhook, "timeoutSeconds", || 10.into());
        if is_mutating {
            set_text(webhook, "reinvocationPolicy", "Never");
        }
        complete_rules(webhook, "rules");
        let service = webhook.get_mut("clientConfig").and_then(|config| config.get_mut("service"));
        if let Some(service) = service.filter(|service| !service.is_null()) {
            set(service, "port", || 443.into());
        }
    }
}

/// Completes a policy.
pub(super) fn complete_policy(object: &mut Value) {
    let Some(spec) = object.get_mut("spec") else { return };
    set_text(spec, "failurePolicy", "Fail");
    complete_match_resources(spec, "matchConstraints");
}

/// Completes a binding of a policy.
pub(super) fn complete_binding(object: &mut Value) {
    if let Some(spec) = object.get_mut("spec") {
        complete_match_resources(spec, "matchResources");
    }
}

fn complete_match_resources(parent: &mut Value, member: &str) {
    let Some(resources) = parent.get_mut(member).filter(|resources| !resources.is_null()) else { return };
    set_text(resources, "matchPolicy", "Equivalent");
    complete_selectors(resources);
    complete_rules(resources, "resourceRules");
    complete_rules(resources, "excludeResourceRules");
}

fn complete_selectors(parent: &mut Value) {
    set(parent, "namespaceSelector", Value::object);
    set(parent, "objectSelector", Value::object);
}

fn complete_rules(parent: &mut Value, member: &str) {
    let Some(rules) = parent.get_mut(member).and_then(Value::as_array_mut) else { return };
    rules.as_mut_slice().iter_mut().for_each(|rule| set_text(rule, "scope", "*"));
}

fn set_text(object: &mut Value, member: &'static str, text: &str) {
    set(object, member, || text.into());
}

fn set(object: &mut Value, member: &'static str, default: impl FnOnce() -> Value) {
    if object.get(member).is_none_or(Value::is_null) {
        object.insert(member, default());
    }
}

//! A quota as it is stored, and its scopes.

use sprag_rest::meta;
use sprag_value::{Object, Value};

use super::super::amounts::{Amounts, amounts, to_value};
use super::super::members::spec;

/// A quota.
#[derive(Clone, Debug)]
pub(super) struct Quota {
    pub(super) object: Value,
    /// The hard limits in the status.
    pub(super) hard: Amounts,
    /// The usage in the status.
    pub(super) used: Amounts,
    pub(super) scopes: Vec<Scope>,
}

/// The scope of a quota.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) name: String,
    pub(super) operator: String,
    pub(super) values: Vec<String>,
}

impl Quota {
    pub(super) fn new(object: Value) -> Quota {
        let status = |member: &str| amounts(object.lookup(&["status", member]));
        Quota { hard: status("hard"), used: status("used"), scopes: scopes(&object), object }
    }

    pub(super) fn name(&self) -> &str {
        meta::name(&self.object)
    }

    /// The hard limits in the spec.
    pub(super) fn wanted(&self) -> Amounts {
        amounts(self.object.lookup(&["spec", "hard"]))
    }

    /// True if the status says what is used at all.
    pub(super) fn has_status(&self) -> bool {
        ["hard", "used"].iter().all(|member| self.object.lookup(&["status", member]).is_some())
    }

    /// The object, with what is used.
    pub(super) fn to_value(&self) -> Value {
        let mut object = self.object.clone();
        object.insert("status", Object::from([("hard", to_value(&self.hard)), ("used", to_value(&self.used))]));
        object
    }
}

/// As upstream's `getScopeSelectorsFromQuota`.
fn scopes(quota: &Value) -> Vec<Scope> {
    let plain = spec(quota).list("scopes").iter().filter_map(Value::as_str);
    let plain = plain.map(|name| Scope { name: name.to_owned(), operator: "Exists".to_owned(), values: Vec::new() });
    let selected = spec(quota).list_at(&["scopeSelector", "matchExpressions"]).iter().map(|term| Scope {
        name: term.text("scopeName").to_owned(),
        operator: term.text("operator").to_owned(),
        values: term.list("values").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    });
    plain.chain(selected).collect()
}

impl Scope {
    /// True if a scope that selects by name takes an object which refers to one of these, as a label selector would.
    // As upstream's helper.ScopedResourceSelectorRequirementsAsSelector.
    pub(super) fn selects(&self, names: &[&str]) -> bool {
        let has = |name: &&str| self.values.iter().any(|value| value == name);
        match self.operator.as_str() {
            "Exists" => !names.is_empty(),
            "DoesNotExist" => names.is_empty(),
            "In" => names.iter().any(has),
            "NotIn" => names.is_empty() || names.iter().any(|name| !has(name)),
            _ => false,
        }
    }
}

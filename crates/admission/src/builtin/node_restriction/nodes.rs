//! Changes of a kubelet to its node and to claims.

use sprag_field::quote;
use sprag_registry::Operation;
use sprag_rest::{Result, meta};
use sprag_value::Value;

use super::super::members::spec;
use super::{Caller, labels};

impl Caller<'_> {
    // As upstream's Plugin.admitNode.
    pub(super) fn check_node(self) -> Result<()> {
        let own = quote::go(self.node).to_string();
        let name = self.attributes.name();
        if name != self.node {
            return self.refuse(&format!("node {own} is not allowed to modify node {}", quote::go(name)));
        }
        match (self.attributes.operation, self.attributes.old) {
            (Operation::Create(_), _) => self.check_new_node(&own),
            (Operation::Update(_), Some(old)) => self.check_changed_node(&own, old),
            _ => Ok(()),
        }
    }

    fn check_new_node(self, own: &str) -> Result<()> {
        let node = self.attributes.new_object();
        if is_set(config_source(node)) {
            return self.refuse(&format!("node {own} is not allowed to create pods with a non-nil configSource"));
        }
        let labels = labels::forbidden(node, None);
        if labels.is_empty() {
            return Ok(());
        }
        self.refuse(&format!("node {own} is not allowed to set the following labels: {labels}"))
    }

    fn check_changed_node(self, own: &str, old: &Value) -> Result<()> {
        let node = self.attributes.new_object();
        if is_set(config_source(node)) && !is_same(config_source(node), config_source(old)) {
            let why = format!("node {own} is not allowed to update configSource to a new non-nil configSource");
            return self.refuse(&why);
        }
        if !is_same(spec(node).get("taints"), spec(old).get("taints")) {
            return self.refuse(&format!("node {own} is not allowed to modify taints"));
        }
        if !is_same(meta::get(node, "ownerReferences"), meta::get(old, "ownerReferences")) {
            return self.refuse(&format!("node {own} is not allowed to modify ownerReferences"));
        }
        let labels = labels::forbidden(node, Some(old));
        if labels.is_empty() { Ok(()) } else { self.refuse(&format!("is not allowed to modify labels: {labels}")) }
    }

    // As upstream's Plugin.admitPVCStatus, which shows a diff of its internal types.
    pub(super) fn check_claim_status(self) -> Result<()> {
        let (Operation::Update(_), Some(old)) = (self.attributes.operation, self.attributes.old) else {
            return self.refuse_operation();
        };
        let recovers = self.attributes.registry.gates().enabled("RecoverVolumeExpansionFailure");
        let old = unwritten(old, recovers);
        let new = unwritten(self.attributes.new_object(), recovers);
        if old.semantic_eq(&new) {
            return Ok(());
        }
        let differs = |part: &&str| !is_same(old.get(part), new.get(part));
        let parts: Vec<&str> = ["metadata", "spec", "status"].into_iter().filter(differs).collect();
        self.refuse(&format!(
            "node {} is not allowed to update fields other than status.quantity and status.conditions: {}",
            quote::go(self.node),
            parts.join(", ")
        ))
    }
}

fn config_source(node: &Value) -> Option<&Value> {
    spec(node).get("configSource")
}

fn is_set(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

/// Semantic equality of members that may be absent.
pub(super) fn is_same(new: Option<&Value>, old: Option<&Value>) -> bool {
    new.unwrap_or(&Value::Null).semantic_eq(old.unwrap_or(&Value::Null))
}

/// A claim without what kubelets write.
fn unwritten(claim: &Value, recovers: bool) -> Value {
    let mut claim = claim.clone();
    if let Some(metadata) = claim.get_mut("metadata") {
        metadata.remove("resourceVersion");
        metadata.remove("managedFields");
    }
    if let Some(status) = claim.get_mut("status") {
        let recovery: &[&str] = if recovers { &["allocatedResourceStatuses", "allocatedResources"] } else { &[] };
        for member in ["capacity", "conditions"].iter().chain(recovery) {
            status.remove(member);
        }
    }
    claim
}

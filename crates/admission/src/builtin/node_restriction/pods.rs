//! Pods of a node: mirror pods, their status, their eviction.

use sprag_field::quote;
use sprag_registry::Operation;
use sprag_rest::{Result, meta};
use sprag_value::Value;

use super::super::members::{annotation, spec};
use super::super::request::creates;
use super::nodes::is_same;
use super::{Caller, references};

/// The annotation of a pod that shows a static pod of a node.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
const NODES: (&str, &str, &str) = ("", "v1", "nodes");
pub(super) const PODS: (&str, &str, &str) = ("", "v1", "pods");

impl Caller<'_> {
    // As upstream's Plugin.admitPod.
    pub(super) async fn check_pod(self) -> Result<()> {
        let own = quote::go(self.node).to_string();
        match self.attributes.operation {
            Operation::Create(_) => self.check_mirror_pod(&own).await,
            Operation::Delete(_) => {
                let pod = self.get(PODS, self.attributes.namespace(), self.attributes.name()).await?;
                if self.runs(&pod) {
                    return Ok(());
                }
                self.refuse(&format!("node {own} can only delete pods with spec.nodeName set to itself"))
            }
            operation => {
                let operation = quote::go(operation.name());
                self.refuse(&format!(
                    "unexpected operation {operation}, node {own} can only create and delete mirror pods"
                ))
            }
        }
    }

    // As upstream's Plugin.admitPodCreate.
    async fn check_mirror_pod(self, own: &str) -> Result<()> {
        let pod = self.attributes.new_object();
        if annotation(pod, MIRROR).is_none() {
            let mirror = quote::go(MIRROR);
            return self
                .refuse(&format!("pod does not have {mirror} annotation, node {own} can only create mirror pods"));
        }
        if !self.runs(pod) {
            return self.refuse(&format!("node {own} can only create pods with spec.nodeName set to itself"));
        }
        self.check_owner(own, meta::owner_references(pod)).await?;
        match references::of_pod(pod) {
            Err(why) => self.refuse(&format!("error checking mirror pod for API references: {why}")),
            Ok(Some(resource)) => self.refuse(&format!("node {own} can not create pods that reference {resource}")),
            Ok(None) => Ok(()),
        }
    }

    async fn check_owner(self, own: &str, owners: &[Value]) -> Result<()> {
        let with = |what: &str| format!("node {own} can only create pods with {what} set to itself");
        let owner = match owners {
            [] => return self.refuse(&with("an owner reference")),
            [owner] => owner,
            _ => return self.refuse(&with("a single owner reference")),
        };
        if (owner.text("apiVersion"), owner.text("kind"), owner.text("name")) != ("v1", "Node", self.node) {
            return self.refuse(&with("an owner reference"));
        }
        let is_true = |member: &str| owner.get(member).and_then(Value::as_bool) == Some(true);
        if !is_true("controller") {
            return self.refuse(&with("a controller owner reference"));
        }
        if is_true("blockOwnerDeletion") {
            return self.refuse(&format!("node {own} must not set blockOwnerDeletion on an owner reference"));
        }
        let node = self.get(NODES, "", self.node).await?;
        let given = owner.text("uid");
        let known = meta::text(&node, "uid");
        if given == known {
            return Ok(());
        }
        self.refuse(&format!("node {} UID mismatch: expected {given} got {known}", self.node))
    }

    // As upstream's Plugin.admitPodStatus.
    pub(super) fn check_pod_status(self) -> Result<()> {
        let (Operation::Update(_), Some(old)) = (self.attributes.operation, self.attributes.old) else {
            return self.refuse_operation();
        };
        let own = quote::go(self.node);
        let new = self.attributes.new_object();
        if !self.runs(old) {
            let why = format!("node {own} can only update pod status for pods with spec.nodeName set to itself");
            return self.refuse(&why);
        }
        if !is_same(meta::get(new, "labels"), meta::get(old, "labels")) {
            return self.refuse(&format!("node {own} cannot update labels through pod status"));
        }
        for (member, what) in [
            // The typing error is upstream's.
            ("resourceClaimStatuses", "resource claim statues"),
            ("extendedResourceClaimStatus", "extended resource claim status"),
            ("nodeAllocatableResourceClaimStatuses", "node allocatable resource claim statuses"),
        ] {
            if !is_same(new.lookup(&["status", member]), old.lookup(&["status", member])) {
                return self.refuse(&format!("node {own} cannot update {what}"));
            }
        }
        Ok(())
    }

    // As upstream's Plugin.admitPodEviction.
    pub(super) async fn check_eviction(self) -> Result<()> {
        if !creates(self.attributes) {
            return self.refuse(&format!("unexpected operation {}", self.attributes.operation.name()));
        }
        let names = [self.attributes.name(), meta::name(self.attributes.new_object())];
        let Some(name) = names.into_iter().find(|name| !name.is_empty()) else {
            return self.refuse("could not determine pod from request data");
        };
        let pod = self.get(PODS, self.attributes.namespace(), name).await?;
        if self.runs(&pod) {
            return Ok(());
        }
        self.refuse(&format!("node {} can only evict pods with spec.nodeName set to itself", self.node))
    }

    /// True if a pod is bound to the node.
    pub(super) fn runs(self, pod: &Value) -> bool {
        pod.text_at(&["spec", "nodeName"]) == self.node
    }
}

/// The projected sources of the volumes of a pod.
pub(super) fn projected(pod: &Value) -> impl Iterator<Item = &Value> {
    spec(pod).list("volumes").iter().flat_map(|volume| volume.list_at(&["projected", "sources"]))
}
